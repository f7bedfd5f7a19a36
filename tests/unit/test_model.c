/* The model: ids, packing, lookup, stale answers, spans, places, problems, times. And random histories against a naive reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/answers.h"
#include "model/model.h"
#include "model/wants.h"

#define T0  INT64_C(1790000000000)
#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct run_data run_blank(const char *id, const char *state, int64_t started)
{
  return (struct run_data){.id = id,
                           .state = state,
                           .started_ms = started,
                           .modified_ms = WHEN_NONE,
                           .completed_ms = WHEN_NONE,
                           .attempt = RECORD_ABSENT,
                           .execution_seconds = RECORD_ABSENT,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = RECORD_ABSENT,
                           .max_capacity = (double)NAN,
                           .dpu_seconds = (double)NAN};
}

static struct job_data job_blank(const char *name, const char *command)
{
  return (struct job_data){.name = name,
                           .command_name = command,
                           .created_ms = WHEN_NONE,
                           .modified_ms = WHEN_NONE,
                           .max_concurrent_runs = RECORD_ABSENT,
                           .max_retries = RECORD_ABSENT,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = RECORD_ABSENT,
                           .notify_delay_minutes = RECORD_ABSENT,
                           .max_capacity = (double)NAN};
}

static struct model *model_with_job(const char *name, strid *job)
{
  struct model *m = model_new();
  assert_int_equal(model_add_context(m, "default", "", "eu-west-1", "option", "aws", ""), 0);
  *job = model_touch_job(m, 0, name)->name;
  return m;
}

static void test_states(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    enum run_state state;
    bool finished, failed;
  } cases[] = {
      {"SUCCEEDED", RUN_SUCCEEDED, true, false},      {"FAILED", RUN_FAILED, true, true},
      {"TIMEOUT", RUN_TIMEOUT, true, true},           {"ERROR", RUN_ERROR, true, true},
      {"EXPIRED", RUN_EXPIRED, true, true},           {"STOPPED", RUN_STOPPED, true, false},
      {"STOPPING", RUN_STOPPING, false, false},       {"WAITING", RUN_WAITING, false, false},
      {"STARTING", RUN_STARTING, false, false},       {"RUNNING", RUN_RUNNING, false, false},
      {"PONDERING", RUN_STATE_UNKNOWN, false, false}, {"succeeded", RUN_STATE_UNKNOWN, false, false},
      {"", RUN_STATE_UNKNOWN, false, false},          {NULL, RUN_STATE_UNKNOWN, false, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    enum run_state s = run_state_parse(cases[i].word);
    assert_int_equal(s, cases[i].state);
    assert_int_equal(run_state_info(s)->finished, cases[i].finished);
    assert_int_equal(run_state_info(s)->failed, cases[i].failed);
  }
  assert_int_equal(job_type_parse("gluestreaming"), JOB_STREAMING);
  assert_int_equal(job_type_parse("gluefuture"), JOB_TYPE_OTHER);
}

static void test_ids(void **state)
{
  (void)state;
  static const struct {
    const char *id;
    enum run_id_form form;
  } cases[] = {
      {"jr_" HEX, RUN_ID_HEX},
      {"jr_" HEX "_attempt_1", RUN_ID_HEX_ATTEMPT},
      {"jr_" HEX "_attempt_65535", RUN_ID_HEX_ATTEMPT},
      {"jr_" HEX "_attempt_65536", RUN_ID_OTHER},
      {"jr_" HEX "_attempt_01", RUN_ID_OTHER},
      {"jr_" HEX "_attempt_", RUN_ID_OTHER},
      {"jr_" HEX "0", RUN_ID_OTHER},
      {"jr_0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", RUN_ID_OTHER},
      {"jr_0123456789zzzzef0123456789abcdef0123456789abcdef0123456789abcdef", RUN_ID_OTHER},
      {"JR_" HEX, RUN_ID_OTHER},
      {"run-1", RUN_ID_OTHER},
      {"run-1_attempt_2", RUN_ID_OTHER_ATTEMPT},
      {"_attempt_2", RUN_ID_OTHER_ATTEMPT},
      {"7", RUN_ID_OTHER},
      {"läuft", RUN_ID_OTHER},
  };
  struct strpool *p = strpool_new();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct run r = {0};
    char text[RUN_ID_MAX];
    run_set_id(&r, p, cases[i].id);
    assert_int_equal(r.id_form, cases[i].form);
    assert_string_equal(run_id_text(&r, p, text), cases[i].id);
    for (size_t k = 0; k < i; k++) {
      struct run other = {0};
      run_set_id(&other, p, cases[k].id);
      assert_false(run_same_id(&r, &other));
    }
  }
  struct run a = {0}, b = {0}, c = {0};
  run_set_id(&a, p, "jr_" HEX);
  run_set_id(&b, p, "jr_" HEX "_attempt_2");
  run_set_id(&c, p, "run-1");
  assert_true(run_same_chain(&a, &b));
  assert_false(run_same_chain(&a, &c));
  run_set_id(&a, p, "run-1_attempt_1");
  assert_true(run_same_chain(&a, &c));
  strpool_free(p);
}

/* A service that lies about sizes: as if it had said nothing. */
static void test_sizes_that_cannot_be(void **state)
{
  (void)state;
  strid job;
  struct model *m = model_with_job("orders", &job);
  struct run_data d = run_blank("a", "RUNNING", T0);
  d.max_capacity = 1e300;
  d.dpu_seconds = 9e12;
  d.workers = INT64_C(1000000000000000000);
  assert_true(model_put_run(m, 0, job, &d, T0, NULL));
  d = run_blank("b", "RUNNING", T0 - 1);
  d.max_capacity = -1;
  d.dpu_seconds = -5;
  d.workers = 2990;
  assert_true(model_put_run(m, 0, job, &d, T0, NULL));
  const struct job *j = model_job(m, 0, job);
  for (size_t i = 0; i < 2; i++)
    assert_true(isnan(j->runs[i].max_capacity) && isnan(j->runs[i].dpu_seconds));
  assert_int_equal(j->runs[0].workers, -1);
  assert_int_equal(j->runs[1].workers, 2990);
  model_free(m);
}

static void test_put_and_find(void **state)
{
  (void)state;
  strid job;
  struct model *m = model_with_job("orders", &job);
  const struct job *j;
  bool changed;
  struct run_data d = run_blank("b", "RUNNING", T0);
  assert_true(model_put_run(m, 0, job, &d, T0, &changed));
  assert_true(changed);
  d = run_blank("a", "RUNNING", T0 + 5);
  assert_true(model_put_run(m, 0, job, &d, T0, &changed));
  d = run_blank("c", "SUCCEEDED", T0 - 5);
  assert_true(model_put_run(m, 0, job, &d, T0, NULL));
  d = run_blank("never started", "WAITING", WHEN_NONE);
  assert_true(model_put_run(m, 0, job, &d, T0, NULL));
  j = model_job(m, 0, job);
  assert_int_equal(j->run_count, 4);
  assert_int_equal(j->run_live, 3);
  const char *order[] = {"a", "b", "c", "never started"};
  for (size_t i = 0; i < 4; i++) {
    char text[RUN_ID_MAX];
    assert_string_equal(run_id_text(&j->runs[i], m->strings, text), order[i]);
  }
  /* the same again changes nothing that shows */
  uint64_t generation = m->generation;
  d = run_blank("a", "RUNNING", T0 + 5);
  assert_true(model_put_run(m, 0, job, &d, T0 + 1000, &changed));
  assert_false(changed);
  assert_int_equal(m->generation, generation);
  /* StartedOn arrives late, then moves, then is left out: still one run */
  d = run_blank("never started", "RUNNING", T0 + 50);
  model_put_run(m, 0, job, &d, T0 + 2000, &changed);
  assert_true(changed);
  d = run_blank("never started", "RUNNING", T0 + 7);
  model_put_run(m, 0, job, &d, T0 + 3000, NULL);
  d = run_blank("never started", "SUCCEEDED", WHEN_NONE);
  model_put_run(m, 0, job, &d, T0 + 4000, NULL);
  j = model_job(m, 0, job);
  assert_int_equal(j->run_count, 4);
  assert_int_equal(j->run_live, 2);
  const struct run *r = model_run(m, 0, job, "never started");
  assert_non_null(r);
  assert_int_equal(r->started_ms, T0 + 7);
  assert_int_equal(r->state, RUN_SUCCEEDED);
  assert_ptr_equal(r, &j->runs[0]);
  /* lies */
  d = run_blank("x", "RUNNING", T0);
  d.job = "customers";
  assert_false(model_put_run(m, 0, job, &d, T0, NULL));
  d = run_blank(NULL, "RUNNING", T0);
  assert_false(model_put_run(m, 0, job, &d, T0, NULL));
  assert_null(model_run(m, 0, job, "x"));
  assert_null(model_run(m, 0, 0, "a"));
  /* a word of the future */
  d = run_blank("a", "PONDERING", T0 + 5);
  model_put_run(m, 0, job, &d, T0 + 9000, NULL);
  r = model_run(m, 0, job, "a");
  assert_int_equal(r->state, RUN_STATE_UNKNOWN);
  assert_string_equal(model_str(m, r->state_text), "PONDERING");
  assert_false(run_finished(r));
  model_free(m);
}

static void test_stale_answers(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *first, *second;
    int64_t first_modified, second_modified; /* after T0; -1 absent */
    int64_t first_asked, second_asked;
    enum run_state expected;
  } cases[] = {
      {"an older page arrives later", "SUCCEEDED", "RUNNING", -1, -1, 5000, 4000, RUN_SUCCEEDED},
      {"an older page, the other way round", "RUNNING", "SUCCEEDED", -1, -1, 5000, 4000, RUN_RUNNING},
      {"a replica that lags", "SUCCEEDED", "RUNNING", 4000, 3000, 5000, 6000, RUN_SUCCEEDED},
      {"told twice in one answer", "SUCCEEDED", "RUNNING", -1, -1, 5000, 5000, RUN_SUCCEEDED},
      {"told twice, the end later", "RUNNING", "SUCCEEDED", -1, -1, 5000, 5000, RUN_SUCCEEDED},
      {"corrected by a later word", "SUCCEEDED", "RUNNING", 4000, 5500, 5000, 6000, RUN_RUNNING},
      {"corrected, without dates", "FAILED", "RUNNING", -1, -1, 5000, 6000, RUN_RUNNING},
      {"insisted on for a minute", "SUCCEEDED", "RUNNING", 4000, 3000, 5000, 70000, RUN_RUNNING},
      {"newer date in an older answer", "RUNNING", "SUCCEEDED", 3000, 4000, 5000, 4500, RUN_SUCCEEDED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    strid job;
    struct model *m = model_with_job("orders", &job);
    struct run_data d = run_blank("r", cases[i].first, T0);
    d.modified_ms = cases[i].first_modified < 0 ? WHEN_NONE : T0 + cases[i].first_modified;
    model_put_run(m, 0, job, &d, T0 + cases[i].first_asked, NULL);
    d = run_blank("r", cases[i].second, T0);
    d.modified_ms = cases[i].second_modified < 0 ? WHEN_NONE : T0 + cases[i].second_modified;
    model_put_run(m, 0, job, &d, T0 + cases[i].second_asked, NULL);
    if (model_run(m, 0, job, "r")->state != cases[i].expected)
      fail_msg("%s: state %d", cases[i].name, model_run(m, 0, job, "r")->state);
    assert_int_equal(model_job(m, 0, job)->run_count, 1);
    assert_int_equal(model_job(m, 0, job)->run_live, run_state_info(cases[i].expected)->finished ? 0 : 1);
    model_free(m);
  }
}

static void test_began(void **state)
{
  (void)state;
  static const struct {
    const char *name, *before, *now;
    int64_t execution, completed, modified, expected;
    bool guessed;
  } cases[] = {
      {"finished", NULL, "SUCCEEDED", 60, T0 + 100000, WHEN_NONE, T0 + 40000, false},
      {"finished without CompletedOn", NULL, "ERROR", -1, WHEN_NONE, T0 + 5000, WHEN_NONE, false},
      {"failed without CompletedOn", NULL, "FAILED", 2, WHEN_NONE, T0 + 5000, T0 + 3000, true},
      {"failed before it ran", NULL, "FAILED", 0, T0 + 9000, WHEN_NONE, T0 + 9000, false},
      {"live, reports its time", NULL, "RUNNING", 50, WHEN_NONE, WHEN_NONE, T0 + 150000, false},
      {"live, seen to begin", "WAITING", "RUNNING", 0, WHEN_NONE, WHEN_NONE, T0 + 7000, false},
      {"live, met in the middle", NULL, "RUNNING", -1, WHEN_NONE, WHEN_NONE, T0, true},
      {"waiting", NULL, "WAITING", 0, WHEN_NONE, WHEN_NONE, WHEN_NONE, false},
      {"starting", NULL, "STARTING", 0, WHEN_NONE, WHEN_NONE, WHEN_NONE, false},
      {"expired", NULL, "EXPIRED", 0, T0 + 5000, WHEN_NONE, WHEN_NONE, false},
      {"unknown", NULL, "PONDERING", -1, WHEN_NONE, WHEN_NONE, WHEN_NONE, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    strid job;
    struct model *m = model_with_job("orders", &job);
    if (cases[i].before != NULL) {
      struct run_data before = run_blank("r", cases[i].before, T0);
      model_put_run(m, 0, job, &before, T0 + 1000, NULL);
    }
    struct run_data d = run_blank("r", cases[i].now, T0);
    d.execution_seconds = cases[i].execution < 0 ? RECORD_ABSENT : cases[i].execution;
    d.completed_ms = cases[i].completed;
    d.modified_ms = cases[i].modified;
    model_put_run(m, 0, job, &d, T0 + 7000, NULL);
    bool guessed = true;
    int64_t began = model_run_began(model_run(m, 0, job, "r"), T0 + 200000, &guessed);
    if (began != cases[i].expected || guessed != cases[i].guessed)
      fail_msg("%s: began %lld after T0, guessed %d", cases[i].name, (long long)(began - T0), guessed);
    model_free(m);
  }
}

static void test_dpu_and_timeout(void **state)
{
  (void)state;
  static const struct {
    const char *command, *version;
    int64_t job_timeout, run_timeout; /* -1 absent */
    int32_t minutes;
    enum timeout_source source;
  } cases[] = {
      {"glueetl", "5.1", -1, -1, 480, TIMEOUT_DEFAULT},      {"glueetl", "5.0", -1, -1, 480, TIMEOUT_DEFAULT},
      {"glueetl", "6.0", -1, -1, 480, TIMEOUT_DEFAULT},      {"glueetl", "auto", -1, -1, 480, TIMEOUT_DEFAULT},
      {"glueetl", "4.0", -1, -1, 2880, TIMEOUT_DEFAULT},     {"glueetl", NULL, -1, -1, -1, TIMEOUT_UNKNOWN},
      {"glueetl", "newest", -1, -1, -1, TIMEOUT_UNKNOWN},    {"glueetl", "4.0", 30, -1, 30, TIMEOUT_JOB},
      {"glueetl", "4.0", 30, 20, 20, TIMEOUT_RUN},           {"glueetl", "4.0", 0, -1, 0, TIMEOUT_NONE},
      {"gluestreaming", "4.0", -1, -1, 0, TIMEOUT_NONE},     {"gluestreaming", "4.0", 60, 0, 0, TIMEOUT_NONE},
      {"gluestreaming", "4.0", 60, -1, 60, TIMEOUT_JOB},     {"glueray", "4.0", 60, 60, 0, TIMEOUT_NONE},
      {"pythonshell", "5.0", -1, -1, 2880, TIMEOUT_DEFAULT}, {"gluefuture", "5.0", -1, -1, -1, TIMEOUT_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    strid job;
    struct model *m = model_with_job("orders", &job);
    struct job_data jd = job_blank("orders", cases[i].command);
    jd.glue_version = cases[i].version;
    jd.timeout_minutes = cases[i].job_timeout < 0 ? RECORD_ABSENT : cases[i].job_timeout;
    model_put_job(m, 0, &jd, T0);
    struct run_data d = run_blank("r", "RUNNING", T0);
    d.timeout_minutes = cases[i].run_timeout < 0 ? RECORD_ABSENT : cases[i].run_timeout;
    model_put_run(m, 0, job, &d, T0, NULL);
    enum timeout_source source;
    int32_t minutes = model_run_timeout(m, model_job(m, 0, job), model_run(m, 0, job, "r"), &source);
    if (minutes != cases[i].minutes || source != cases[i].source)
      fail_msg("case %zu: %d from %d", i, minutes, source);
    model_free(m);
  }
  strid job;
  struct model *m = model_with_job("orders", &job);
  struct run_data d = run_blank("capacity", "RUNNING", T0);
  d.max_capacity = 0.0625;
  model_put_run(m, 0, job, &d, T0, NULL);
  d = run_blank("workers", "RUNNING", T0);
  d.worker_type = "G.2X";
  d.workers = 5;
  model_put_run(m, 0, job, &d, T0, NULL);
  d = run_blank("unknown", "RUNNING", T0);
  d.worker_type = "Q.64X";
  d.workers = 5;
  model_put_run(m, 0, job, &d, T0, NULL);
  assert_true(model_run_dpu(m, model_run(m, 0, job, "capacity")) == 0.0625);
  assert_true(model_run_dpu(m, model_run(m, 0, job, "workers")) == 10.0);
  assert_true(isnan(model_run_dpu(m, model_run(m, 0, job, "unknown"))));
  model_free(m);
}

static void test_meets(void **state)
{
  (void)state;
  struct run r = {.started_ms = T0, .completed_ms = WHEN_NONE, .modified_ms = WHEN_NONE, .state = RUN_RUNNING};
  int64_t now = T0 + WHEN_DAY;
  assert_true(run_meets(&r, now - 1000, INT64_MAX, now));
  assert_true(run_meets(&r, INT64_MIN, T0, now));
  assert_false(run_meets(&r, INT64_MIN, T0 - 1, now));
  r.state = RUN_SUCCEEDED;
  r.completed_ms = T0 + 1000;
  assert_true(run_meets(&r, T0 + 1000, INT64_MAX, now));
  assert_false(run_meets(&r, T0 + 1001, INT64_MAX, now));
  r.started_ms = WHEN_NONE;
  assert_true(run_meets(&r, T0, INT64_MAX, now));
  r.completed_ms = WHEN_NONE;
  assert_true(run_meets(&r, T0, T0, now));
}

static void test_spans(void **state)
{
  (void)state;
  strid job;
  struct model *m = model_with_job("orders", &job);
  const struct job *j = model_job(m, 0, job);
  assert_false(model_span_covers(j, 10, 20));
  model_add_span(m, 0, job, 100, 200, false);
  model_add_span(m, 0, job, 10, 20, false);
  model_add_span(m, 0, job, 40, 60, false);
  assert_int_equal(j->read_count, 3);
  assert_int_equal(j->read[0].to_ms, 200);
  assert_int_equal(j->read[2].from_ms, 10);
  model_add_span(m, 0, job, 21, 39, false); /* touches both neighbours */
  assert_int_equal(j->read_count, 2);
  assert_true(model_span_covers(j, 10, 60));
  assert_false(model_span_covers(j, 10, 100));
  model_add_span(m, 0, job, 5, 3, false); /* nothing */
  assert_int_equal(j->read_count, 2);
  model_add_span(m, 0, job, 0, 300, true);
  assert_int_equal(j->read_count, 1);
  assert_true(j->read_to_end);
  assert_true(model_span_covers(j, INT64_MIN, 300));
  model_add_span(m, 0, job, 250, INT64_MAX, false);
  assert_int_equal(j->read_count, 1);
  model_free(m);
}

static void test_jobs_come_and_go(void **state)
{
  (void)state;
  struct model *m = model_new();
  model_add_context(m, "default", "", "eu-west-1", "option", "aws", "");
  char name[32];
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "job-%d", i);
    struct job_data d = job_blank(name, "glueetl");
    model_put_job(m, 0, &d, T0);
  }
  assert_int_equal(m->places[0].job_count, 3000);
  for (int i = 0; i < 3000; i++) {
    snprintf(name, sizeof name, "job-%d", i);
    assert_ptr_equal(model_job(m, 0, strpool_find(m->strings, name)), &m->places[0].jobs[i]);
  }
  assert_null(model_job(m, 0, strpool_put(m->strings, "job-3000")));
  model_touch_job(m, 0, "only a trigger names it");
  struct job_data d = job_blank("job-7", "glueetl");
  model_put_job(m, 0, &d, T0 + 5000);
  model_end_jobs(m, 0, T0 + 5000);
  assert_false(m->places[0].jobs[7].gone);
  assert_true(m->places[0].jobs[8].gone);
  assert_false(m->places[0].jobs[3000].gone);
  assert_false(m->places[0].jobs[3000].defined);
  model_list_job(m, 0, "job-8", T0 + 6000);
  assert_false(m->places[0].jobs[8].gone);
  model_free(m);
}

static void test_auto_scaling_is_inherited(void **state)
{
  (void)state;
  strid job;
  struct model *m = model_with_job("orders", &job);
  struct run_data d = run_blank("silent", "SUCCEEDED", T0);
  model_put_run(m, 0, job, &d, T0, NULL);
  d = run_blank("said no", "SUCCEEDED", T0);
  d.auto_scaling_given = true;
  model_put_run(m, 0, job, &d, T0, NULL);
  struct job_data jd = job_blank("orders", "glueetl");
  jd.auto_scaling = TRI_TRUE;
  model_put_job(m, 0, &jd, T0);
  assert_true(model_run(m, 0, job, "silent")->flags & RUN_FLAG_AUTO_SCALING);
  assert_false(model_run(m, 0, job, "said no")->flags & RUN_FLAG_AUTO_SCALING);
  model_free(m);
}

static void put_one(struct model *m, int place, const char *job, const char *id)
{
  struct job_data d = job_blank(job, "glueetl");
  strid name = model_put_job(m, place, &d, T0)->name;
  struct run_data r = run_blank(id, "RUNNING", T0);
  model_put_run(m, place, name, &r, T0, NULL);
  model_add_span(m, place, name, T0, T0 + 10, false);
}

static void test_places(void **state)
{
  (void)state;
  struct identity one = {.account = "111111111111", .arn = "arn:1"};
  struct identity two = {.account = "222222222222", .arn = "arn:2"};
  struct model *m = model_new();
  model_add_context(m, "a", "a", "eu-west-1", "", "aws", "");
  model_add_context(m, "b", "b", "eu-west-1", "", "aws", "");
  model_add_context(m, "c", "c", "us-east-1", "", "aws", "");
  assert_int_not_equal(m->contexts[0].place, m->contexts[1].place);
  put_one(m, m->contexts[0].place, "orders", "r1");
  put_one(m, m->contexts[1].place, "orders", "r2");
  put_one(m, m->contexts[1].place, "customers", "r3");
  model_set_identity(m, 0, &one, T0);
  assert_true(m->contexts[0].confirmed);
  assert_false(m->contexts[1].confirmed);
  /* two logins of one place share its rows, once */
  model_set_identity(m, 1, &one, T0);
  assert_int_equal(m->contexts[0].place, m->contexts[1].place);
  int place = m->contexts[0].place;
  strid orders = strpool_find(m->strings, "orders");
  assert_int_equal(m->places[place].job_count, 2);
  assert_int_equal(model_job(m, place, orders)->run_count, 2);
  assert_true(model_span_covers(model_job(m, place, orders), T0, T0 + 10));
  assert_true(model_job(m, place, strpool_find(m->strings, "customers"))->defined);
  size_t rows = 0;
  for (size_t i = 0; i < m->place_count; i++)
    rows += m->places[i].job_count;
  assert_int_equal(rows, 2);
  /* the same account elsewhere is another place */
  model_set_identity(m, 2, &one, T0);
  assert_int_not_equal(m->contexts[2].place, place);
  /* a login that leads elsewhere now takes no row with it */
  uint32_t epoch = m->contexts[1].epoch;
  model_set_identity(m, 1, &two, T0);
  assert_int_not_equal(m->contexts[1].place, place);
  assert_int_equal(m->contexts[1].epoch, epoch + 1);
  assert_int_equal(m->places[m->contexts[1].place].job_count, 0);
  assert_int_equal(m->places[place].job_count, 2);
  model_set_identity(m, 0, &two, T0); /* nobody leads to the first place any more */
  assert_int_equal(m->contexts[0].place, m->contexts[1].place);
  assert_int_equal(m->places[place].job_count, 0);
  put_one(m, m->contexts[0].place, "orders", "r9");
  model_close_context(m, 0);
  assert_int_equal(m->places[m->contexts[1].place].job_count, 1);
  model_close_context(m, 1);
  assert_int_equal(m->places[m->contexts[1].place].job_count, 0);
  model_free(m);
}

static void test_problems(void **state)
{
  (void)state;
  struct model *m = model_new();
  struct err e = err_new(ERR_DENIED, "no");
  err_set_what(&e, "GetJobs");
  model_add_problem(m, 0, &e, T0);
  for (int i = 0; i < 3; i++) {
    struct err other = err_new(ERR_NETWORK, "away %d", i);
    model_add_problem(m, 0, &other, T0 + 1);
    err_fini(&other);
  }
  model_add_problem(m, 0, &e, T0 + 5);
  assert_int_equal(m->problem_count, 4);
  assert_int_equal(m->problems[3].count, 2);
  assert_int_equal(m->problems[3].at_ms, T0 + 5);
  assert_string_equal(m->problems[3].what, "GetJobs");
  for (int i = 0; i < 500; i++) {
    struct err other = err_new(ERR_NETWORK, "flood %d", i);
    model_add_problem(m, 0, &other, T0 + 10);
    err_fini(&other);
  }
  assert_int_equal(m->problem_count, MODEL_PROBLEMS_MAX);
  assert_string_equal(m->problems[MODEL_PROBLEMS_MAX - 1].message, "flood 499");
  struct err fine = err_ok();
  model_add_problem(m, 0, &fine, T0);
  assert_int_equal(m->problem_count, MODEL_PROBLEMS_MAX);
  err_fini(&e);
  model_free(m);
}

static void test_wants(void **state)
{
  (void)state;
  struct wants w;
  wants_init(&w);
  wants_add(&w, &(struct want){
                    .kind = WANT_RUNS, .context = 0, .job = 3, .urgency = WANT_BEHIND, .since_ms = 50, .until_ms = 60});
  wants_add(&w, &(struct want){
                    .kind = WANT_RUNS, .context = 0, .job = 4, .urgency = WANT_BEHIND, .since_ms = 50, .until_ms = 60});
  wants_add(&w,
            &(struct want){
                .kind = WANT_RUNS, .context = 0, .job = 3, .urgency = WANT_ON_SCREEN, .since_ms = 55, .until_ms = 90});
  assert_int_equal(w.count, 2);
  assert_int_equal(w.items[0].urgency, WANT_ON_SCREEN);
  assert_int_equal(w.items[0].since_ms, 50);
  assert_int_equal(w.items[0].until_ms, 90);
  wants_clear(&w);
  assert_int_equal(w.count, 0);
  wants_fini(&w);
}

static void test_docs(void **state)
{
  (void)state;
  strid job;
  struct model *m = model_with_job("orders", &job);
  const struct freshness *fresh = (const struct freshness *)&job;
  assert_null(model_run_doc(m, 0, job, 5, &fresh));
  assert_null(fresh);
  for (strid i = 1; i <= MODEL_RUN_DOCS_MAX + 5; i++) {
    struct arena a;
    arena_init(&a);
    struct doc doc = {.nodes = arena_array(&a, 1, sizeof *doc.nodes), .count = 1};
    doc.nodes[0].text = arena_strdup(&a, "text");
    model_set_run_doc(m, 0, job, i, doc_holder_new(&a, &doc, "{}", 2, T0));
    arena_fini(&a);
  }
  assert_int_equal(m->run_doc_count, MODEL_RUN_DOCS_MAX);
  assert_null(model_run_doc(m, 0, job, 1, NULL));
  const struct doc_holder *h = model_run_doc(m, 0, job, MODEL_RUN_DOCS_MAX + 5, &fresh);
  assert_non_null(h);
  assert_non_null(fresh);
  assert_string_equal(h->raw, "{}");
  assert_string_equal(h->doc.nodes[0].text, "text");
  model_free(m);
}

/* --- random histories against a naive reference ---------------------------------------------------------------------- */

#define REFERENCE_IDS 60

static uint64_t random_state;
static unsigned random_below(unsigned n)
{
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(random_state >> 33) % n;
}

static void test_random_histories(void **state)
{
  (void)state;
  static const char *const states[] = {"WAITING", "STARTING", "RUNNING", "STOPPING", "SUCCEEDED", "FAILED"};
  for (unsigned seed = 1; seed <= 200; seed++) {
    random_state = seed;
    strid job;
    struct model *m = model_with_job("orders", &job);
    struct {
      bool there;
      int64_t started;
      unsigned state;
    } reference[REFERENCE_IDS] = {0};
    for (unsigned step = 0; step < 400; step++) {
      unsigned k = random_below(REFERENCE_IDS);
      char id[100];
      if (k % 3 == 0)
        snprintf(id, sizeof id, "odd %u", k);
      else
        snprintf(id, sizeof id, "jr_%064x%s", k / 3, k % 3 == 1 ? "" : "_attempt_1");
      int64_t started = random_below(10) == 0 ? WHEN_NONE : T0 + random_below(20) * 1000;
      unsigned s = random_below(6);
      struct run_data d = run_blank(id, states[s], started);
      model_put_run(m, 0, job, &d, T0 + step, NULL); /* every answer newer than the one before */
      reference[k].state = s;
      if (started != WHEN_NONE || !reference[k].there)
        reference[k].started = started;
      reference[k].there = true;
    }
    const struct job *j = model_job(m, 0, job);
    size_t count = 0, live = 0;
    for (unsigned k = 0; k < REFERENCE_IDS; k++) {
      if (!reference[k].there)
        continue;
      char id[100];
      if (k % 3 == 0)
        snprintf(id, sizeof id, "odd %u", k);
      else
        snprintf(id, sizeof id, "jr_%064x%s", k / 3, k % 3 == 1 ? "" : "_attempt_1");
      const struct run *r = model_run(m, 0, job, id);
      assert_non_null(r);
      assert_int_equal(r->started_ms, reference[k].started);
      assert_int_equal(r->state, run_state_parse(states[reference[k].state]));
      count++;
      live += reference[k].state < 4;
    }
    assert_int_equal(j->run_count, count);
    assert_int_equal(j->run_live, live);
    for (size_t i = 1; i < j->run_count; i++)
      assert_true(j->runs[i - 1].started_ms >= j->runs[i].started_ms);
    model_free(m);
  }
}

/* What lies beyond the reach of a window does not meet it; what is put, adopted or changed counts alike. */
static void test_reach(void **state)
{
  (void)state;
  static const char *const words[] = {"SUCCEEDED", "FAILED", "RUNNING", "WAITING", "EXPIRED"};
  random_state = 11;
  size_t spared = 0;
  for (int round = 0; round < 200; round++) {
    strid job;
    struct model *m = model_with_job("orders", &job);
    unsigned count = 1 + random_below(60);
    for (unsigned i = 0; i < count; i++) {
      char id[40];
      snprintf(id, sizeof id, "run-%u", random_below(80));
      const char *word = words[random_below(round % 4 == 0 ? 5 : 2)];
      bool odd = round % 5 == 0 && random_below(20) == 0;
      struct run_data d = run_blank(id, word, odd ? WHEN_NONE : T0 - (int64_t)random_below(1000) * WHEN_MINUTE);
      int64_t length = (int64_t)random_below(random_below(10) == 0 ? 300 : 20) * WHEN_MINUTE;
      if (!run_state_info(run_state_parse(word))->finished)
        d.modified_ms = WHEN_NONE;
      else if (random_below(4) == 0)
        d.modified_ms = odd ? T0 : d.started_ms + length;
      else if (random_below(20) != 0)
        d.completed_ms = odd ? T0 : d.started_ms + length;
      model_put_run(m, 0, job, &d, T0 + (int64_t)i, NULL);
    }
    const struct job *j = model_job(m, 0, job);
    strid copy = model_touch_job(m, 0, "copy")->name;
    j = model_job(m, 0, job);
    model_adopt_runs(m, 0, copy, j->runs, j->run_count);
    for (int w = 0; w < 20; w++) {
      int64_t since = w == 0 ? INT64_MIN : w == 1 ? INT64_MAX : T0 - (int64_t)random_below(1500) * WHEN_MINUTE;
      j = model_job(m, 0, job);
      size_t reach = model_runs_reach(j, since);
      assert_true(reach <= j->run_count);
      spared += j->run_count - reach;
      for (size_t i = reach; i < j->run_count; i++)
        assert_false(run_meets(&j->runs[i], since, INT64_MAX, T0 + WHEN_MINUTE));
      reach = model_runs_reach(model_job(m, 0, copy), since);
      for (size_t i = reach; i < j->run_count; i++)
        assert_false(run_meets(&j->runs[i], since, INT64_MAX, T0 + WHEN_MINUTE));
    }
    model_free(m);
  }
  assert_true(spared > 10000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_ids),
      cmocka_unit_test(test_sizes_that_cannot_be),
      cmocka_unit_test(test_put_and_find),
      cmocka_unit_test(test_stale_answers),
      cmocka_unit_test(test_began),
      cmocka_unit_test(test_dpu_and_timeout),
      cmocka_unit_test(test_meets),
      cmocka_unit_test(test_spans),
      cmocka_unit_test(test_jobs_come_and_go),
      cmocka_unit_test(test_auto_scaling_is_inherited),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_problems),
      cmocka_unit_test(test_wants),
      cmocka_unit_test(test_docs),
      cmocka_unit_test(test_random_histories),
      cmocka_unit_test(test_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
