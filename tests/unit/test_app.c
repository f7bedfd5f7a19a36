/* The loop against an account in memory: what is asked, in which order, and what comes of answers of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/app.h"
#include "base/xalloc.h"
#include "fake_aws.h"
#include "model/answers.h"

#define NOW INT64_C(1790000000000)

/* --- a front that asks for what the case says ------------------------------------------------------------------------ */

struct scene {
  struct app *app;
  struct want wants[8];
  size_t want_count;
  int64_t until_ms; /* wall: leave then; 0: leave when quiet */
  bool stay;        /* do not leave when quiet */
  void (*each_turn)(struct scene *s, struct intents *out);
  int turns;
  bool done, was_quiet;
  uint64_t intent_id;
  const char *start_day; /* the argument --day of the start; NULL: none */
  void *more;
};

static void scene_input(void *front, bool ready, struct intents *out)
{
  struct scene *s = front;
  (void)ready;
  s->turns++;
  if (s->each_turn != NULL)
    s->each_turn(s, out);
}

static void scene_wants(void *front, struct wants *out)
{
  struct scene *s = front;
  for (size_t i = 0; i < s->want_count; i++)
    wants_add(out, &s->wants[i]);
}

static void scene_frame(void *front, const struct model *m, int64_t now_ms, bool quiet)
{
  struct scene *s = front;
  (void)m;
  (void)now_ms;
  s->was_quiet = quiet;
}

static bool scene_done(void *front)
{
  struct scene *s = front;
  int64_t now = clock_wall_ms(&fake.clock);
  if (s->until_ms != 0)
    return now >= s->until_ms;
  assert_true(now < NOW + 100 * WHEN_DAY);
  return s->done || (s->was_quiet && !s->stay);
}

static const struct front_ops scene_ops = {
    .name = "scene", .input = scene_input, .wants = scene_wants, .frame = scene_frame, .done = scene_done};

static void scene_open(struct scene *s, const struct app_options *more)
{
  static const struct app_context_option context = {.profile = NULL};
  struct app_options o = more == NULL ? (struct app_options){.refresh_seconds = -1} : *more;
  *s = (struct scene){0};
  if (o.context_count == 0) {
    o.contexts = &context;
    o.context_count = 1;
  }
  o.clock = &fake.clock;
  o.test_fd = -1;
  struct err e = app_new(&o, &s->app);
  assert_false(err_is(&e));
}

static void scene_want(struct scene *s, enum want_kind kind, const char *job, int64_t since_ms)
{
  s->wants[s->want_count++] = (struct want){.kind = kind,
                                            .context = -1,
                                            .job = strpool_put(app_model(s->app)->strings, job),
                                            .since_ms = since_ms,
                                            .until_ms = INT64_MAX};
}

static void scene_run(struct scene *s)
{
  s->was_quiet = false;
  struct err e = app_run(s->app, &scene_ops, s);
  assert_false(err_is(&e));
}

static void scene_close(struct scene *s)
{
  app_free(s->app);
  fake_free();
}

static const struct job *scene_job(const struct scene *s, const char *name)
{
  const struct model *m = app_model(s->app);
  return model_job(m, m->contexts[0].place, strpool_find(m->strings, name));
}

struct verdict {
  size_t whole, partial, none;
  const struct err *why;
};

static void verdict_add(void *user, const struct answer *a)
{
  struct verdict *v = user;
  v->whole += a->state == ANSWER_WHOLE;
  v->partial += a->state == ANSWER_PARTIAL;
  v->none += a->state == ANSWER_NONE;
  if (a->why != NULL)
    v->why = a->why;
}

static bool scene_complete(const struct scene *s)
{
  struct verdict v = {0};
  for (size_t i = 0; i < s->want_count; i++)
    if (s->wants[i].kind != WANT_IDENTITY)
      answers_visit(app_model(s->app), &s->wants[i], clock_wall_ms(&fake.clock), verdict_add, &v);
  return v.partial + v.none == 0 && v.whole > 0;
}

/* Every run of every job, each once. */
static void assert_all_there(const struct scene *s)
{
  const struct model *m = app_model(s->app);
  for (size_t i = 0; i < fake.job_count; i++) {
    const struct job *j = scene_job(s, fake.jobs[i].name);
    assert_non_null(j);
    assert_int_equal(j->run_count, fake.jobs[i].count);
    for (size_t k = 0; k < fake.jobs[i].count; k++)
      assert_non_null(model_run(m, m->contexts[0].place, j->name, fake.jobs[i].runs[k].id));
  }
}

static void add_history(const char *name, const char *command, int runs, int64_t every_ms)
{
  struct fake_job *j = fake_add_job(name, command);
  for (int i = runs; i > 0; i--)
    fake_add_run(j, "SUCCEEDED", NOW - i * every_ms, NOW - i * every_ms + every_ms / 2);
}

static void scene_want_all(struct scene *s, int64_t since_ms)
{
  scene_want(s, WANT_IDENTITY, NULL, 0);
  scene_want(s, WANT_JOBS, NULL, 0);
  scene_want(s, WANT_ALL_RUNS, NULL, since_ms);
}

/* --- reading --------------------------------------------------------------------------------------------------------- */

static void test_reads_everything(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  for (int i = 0; i < 250; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%03d", i);
    add_history(name, i % 9 == 0 ? "gluestreaming" : "glueetl", i * 3, WHEN_HOUR);
  }
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_want(&s, WANT_TRIGGERS, NULL, 0);
  scene_run(&s);
  assert_all_there(&s);
  assert_true(scene_complete(&s));
  assert_true(app_model(s.app)->contexts[0].confirmed);
  assert_int_equal(app_model(s.app)->problem_count, 0);
  assert_int_equal(fake.calls[FAKE_GET_JOBS], 3);
  assert_int_equal(fake.calls[FAKE_IDENTITY], 1);
  scene_close(&s);
}

static void test_strange_pages(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int empty_pages;
    bool repeats_row, repeats_token;
    enum fake_order order;
    bool whole;
  } cases[] = {
      {"plain", 0, false, false, FAKE_NEWEST_FIRST, true},
      {"empty pages with tokens first", 7, false, false, FAKE_NEWEST_FIRST, true},
      {"the same run on two pages", 0, true, false, FAKE_NEWEST_FIRST, true},
      {"oldest first", 0, false, false, FAKE_OLDEST_FIRST, true},
      {"oldest first, empty pages", 3, true, false, FAKE_OLDEST_FIRST, true},
      {"the same token for ever", 0, false, true, FAKE_NEWEST_FIRST, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    add_history("orders", "glueetl", 450, WHEN_HOUR);
    struct fake_job *j = fake_find_job("orders");
    j->empty_pages = cases[i].empty_pages;
    j->repeats_row = cases[i].repeats_row;
    j->repeats_token = cases[i].repeats_token;
    j->order = cases[i].order;
    add_history("customers", "glueetl", 10, WHEN_HOUR);
    scene_open(&s, NULL);
    scene_want_all(&s, INT64_MIN);
    scene_run(&s);
    if (scene_complete(&s) != cases[i].whole)
      fail_msg("%s: complete is %d", cases[i].name, !cases[i].whole);
    if (cases[i].whole)
      assert_all_there(&s);
    else
      assert_int_equal(app_model(s.app)->problem_count, 1);
    assert_int_equal(scene_job(&s, "orders")->unordered, cases[i].order == FAKE_OLDEST_FIRST);
    assert_int_equal(scene_job(&s, "customers")->run_count, 10);
    scene_close(&s);
  }
}

static void test_page_budget_is_told(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 3000, WHEN_MINUTE);
  struct app_options o = {.refresh_seconds = -1, .max_pages = 4};
  scene_open(&s, &o);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  assert_false(scene_complete(&s));
  assert_int_equal(scene_job(&s, "orders")->run_count, 800);
  assert_int_equal(app_model(s.app)->problem_count, 1);
  assert_non_null(strstr(app_model(s.app)->problems[0].message, "page budget"));
  scene_close(&s);
}

static void test_reads_only_the_window(void **state)
{
  (void)state;
  static const struct {
    const char *command;
    uint64_t pages; /* of 200 runs, one an hour, for 24 h and what may still run from before */
  } cases[] = {{"glueetl", 1}, {"gluestreaming", 10}, {"gluefuture", 10}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    add_history("orders", cases[i].command, 2000, WHEN_HOUR);
    scene_open(&s, NULL);
    scene_want_all(&s, NOW - WHEN_DAY);
    scene_run(&s);
    assert_true(scene_complete(&s));
    assert_int_equal(fake.calls[FAKE_GET_JOB_RUNS], cases[i].pages);
    scene_close(&s);
  }
}

static void test_finds_a_stream_of_forty_days(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  struct fake_job *j = fake_add_job("stream", "gluestreaming");
  struct fake_run *old = fake_add_run(j, "RUNNING", NOW - 40 * WHEN_DAY, WHEN_NONE);
  char id[80];
  snprintf(id, sizeof id, "%s", old->id);
  for (int i = 600; i > 0; i--)
    fake_add_run(j, "FAILED", NOW - i * WHEN_HOUR, NOW - i * WHEN_HOUR + 1000);
  scene_open(&s, NULL);
  scene_want_all(&s, NOW - WHEN_DAY);
  scene_run(&s);
  const struct model *m = app_model(s.app);
  const struct run *r = model_run(m, m->contexts[0].place, scene_job(&s, "stream")->name, id);
  assert_non_null(r);
  assert_true(run_meets(r, NOW - WHEN_DAY, INT64_MAX, NOW));
  /* and it is looked after though it stands far down the list */
  fake_set_state(&j->runs[600], "STOPPED");
  s.until_ms = clock_wall_ms(&fake.clock) + 25000;
  scene_run(&s);
  r = model_run(m, m->contexts[0].place, scene_job(&s, "stream")->name, id);
  assert_int_equal(r->state, RUN_STOPPED);
  assert_int_equal(scene_job(&s, "stream")->run_live, 0);
  scene_close(&s);
}

static void test_second_reading_is_one_small_page(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 2000, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  uint64_t first = fake.calls[FAKE_GET_JOB_RUNS];
  struct fake_job *j = fake_find_job("orders");
  for (int i = 1; i <= 3; i++)
    fake_add_run(j, "SUCCEEDED", NOW + i, NOW + i + 5);
  s.until_ms = clock_wall_ms(&fake.clock) + 30 * WHEN_MINUTE;
  scene_run(&s);
  assert_all_there(&s);
  assert_true(scene_complete(&s));
  assert_true(fake.calls[FAKE_GET_JOB_RUNS] > first);
  assert_true(fake.calls[FAKE_GET_JOB_RUNS] - first < 40);
  /* more new runs at once than the small page holds: read on until the known ones are met */
  for (int i = 1; i <= 500; i++)
    fake_add_run(j, "SUCCEEDED", clock_wall_ms(&fake.clock) + i, clock_wall_ms(&fake.clock) + i + 5);
  s.until_ms = clock_wall_ms(&fake.clock) + 40 * WHEN_MINUTE;
  scene_run(&s);
  assert_all_there(&s);
  assert_true(scene_complete(&s));
  scene_close(&s);
}

static void test_lists_that_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    enum err_kind get_jobs, list_jobs, batch, get_job;
    bool unsupported;
    size_t runs; /* that are found all the same */
    bool jobs_whole, runs_whole;
  } cases[] = {
      {"all allowed", ERR_OK, ERR_OK, ERR_OK, ERR_OK, false, 70 * 5, true, true},
      {"GetJobs denied", ERR_DENIED, ERR_OK, ERR_OK, ERR_OK, false, 70 * 5, true, true},
      {"ListJobs denied", ERR_OK, ERR_DENIED, ERR_DENIED, ERR_DENIED, false, 70 * 5, true, true},
      {"GetJobs unknown", ERR_NOT_FOUND, ERR_OK, ERR_OK, ERR_OK, true, 70 * 5, true, true},
      {"BatchGetJobs denied as well", ERR_DENIED, ERR_OK, ERR_DENIED, ERR_OK, false, 70 * 5, true, true},
      {"all definitions denied", ERR_DENIED, ERR_OK, ERR_DENIED, ERR_DENIED, false, 70 * 5, false, true},
      {"both denied: what triggers name", ERR_DENIED, ERR_DENIED, ERR_OK, ERR_OK, false, 2 * 5, false, false},
      {"GetJobs fails", ERR_SERVER, ERR_OK, ERR_OK, ERR_OK, false, 70 * 5, true, true},
      {"the service fails", ERR_SERVER, ERR_SERVER, ERR_SERVER, ERR_SERVER, false, 0, false, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    for (int k = 0; k < 70; k++) {
      char name[32];
      snprintf(name, sizeof name, "job-%03d", k);
      add_history(name, "glueetl", 5, WHEN_HOUR);
    }
    fake.trigger_jobs[fake.trigger_count++] = "job-003";
    fake.trigger_jobs[fake.trigger_count++] = "job-069";
    fake.trigger_schedule = "cron(0 0 * * ? *)";
    fake.faults[FAKE_GET_JOBS] =
        (struct fake_fault){.kind = cases[i].get_jobs, .count = -1, .unsupported = cases[i].unsupported};
    fake.faults[FAKE_LIST_JOBS] = (struct fake_fault){.kind = cases[i].list_jobs, .count = -1};
    fake.faults[FAKE_BATCH_GET_JOBS] = (struct fake_fault){.kind = cases[i].batch, .count = -1};
    fake.faults[FAKE_GET_JOB] = (struct fake_fault){.kind = cases[i].get_job, .count = -1};
    scene_open(&s, NULL);
    scene_want_all(&s, INT64_MIN);
    scene_want(&s, WANT_TRIGGERS, NULL, 0);
    scene_run(&s);
    const struct model *m = app_model(s.app);
    size_t runs = 0;
    for (size_t k = 0; k < m->places[0].job_count; k++)
      runs += m->places[0].jobs[k].run_count;
    struct verdict jobs = {0}, all = {0};
    answers_visit(m, &s.wants[1], NOW, verdict_add, &jobs);
    answers_visit(m, &s.wants[2], NOW, verdict_add, &all);
    if (runs != cases[i].runs || (jobs.partial + jobs.none == 0) != cases[i].jobs_whole ||
        (all.partial + all.none == 0) != cases[i].runs_whole)
      fail_msg("%s: %zu runs, jobs %zu/%zu/%zu, runs %zu/%zu/%zu", cases[i].name, runs, jobs.whole, jobs.partial,
               jobs.none, all.whole, all.partial, all.none);
    scene_close(&s);
  }
}

/* Policies may name single jobs, and one definition may break the answer: the others are shown, that one is told. */
static void test_one_bad_name_hides_no_other(void **state)
{
  (void)state;
  static const struct {
    enum err_kind batch, single;
    size_t defined;
  } cases[] = {{ERR_DENIED, ERR_DENIED, 69}, {ERR_SERVER, ERR_OK, 70}, {ERR_PARSE, ERR_PARSE, 69}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    for (int k = 0; k < 70; k++) {
      char name[32];
      snprintf(name, sizeof name, "job-%03d", k);
      add_history(name, "glueetl", 1, WHEN_HOUR);
    }
    fake.jobs[33].spoils_batch = cases[i].batch;
    fake.jobs[33].definition_fails = cases[i].single;
    fake.faults[FAKE_GET_JOBS] = (struct fake_fault){.kind = ERR_DENIED, .count = -1};
    scene_open(&s, NULL);
    scene_want(&s, WANT_JOBS, NULL, 0);
    scene_run(&s);
    const struct model *m = app_model(s.app);
    size_t defined = 0;
    for (size_t k = 0; k < m->places[0].job_count; k++)
      defined += m->places[0].jobs[k].defined;
    struct verdict v = {0};
    answers_visit(m, &s.wants[0], NOW, verdict_add, &v);
    if (defined != cases[i].defined || (v.partial + v.none == 0) != (cases[i].single == ERR_OK) ||
        (v.why != NULL && v.why->kind != cases[i].single) || fake.calls[FAKE_BATCH_GET_JOBS] > 20 ||
        fake.calls[FAKE_GET_JOB] != 1)
      fail_msg("case %zu: %zu defined, %zu/%zu/%zu, %d batches, %d single", i, defined, v.whole, v.partial, v.none,
               (int)fake.calls[FAKE_BATCH_GET_JOBS], (int)fake.calls[FAKE_GET_JOB]);
    scene_close(&s);
  }
}

static void test_one_job_fails_alone(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  add_history("customers", "glueetl", 5, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  assert_true(scene_complete(&s));
  fake_find_job("orders")->fails = ERR_SERVER;
  s.until_ms = clock_wall_ms(&fake.clock) + WHEN_HOUR;
  scene_run(&s);
  const struct job *j = scene_job(&s, "orders");
  assert_int_equal(j->run_count, 5); /* stale, but there */
  assert_int_equal(j->runs_fresh.last_err.kind, ERR_SERVER);
  assert_true(j->runs_fresh.fetched_ms < clock_wall_ms(&fake.clock) - 30 * WHEN_MINUTE);
  assert_false(scene_complete(&s));
  assert_false(err_is(&scene_job(&s, "customers")->runs_fresh.last_err));
  fake_find_job("orders")->fails = ERR_OK;
  s.until_ms = clock_wall_ms(&fake.clock) + 30 * WHEN_MINUTE;
  scene_run(&s);
  assert_true(scene_complete(&s)); /* back by itself */
  scene_close(&s);
}

static void test_a_poll_error_is_no_failure_of_the_run(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  struct fake_job *j = fake_add_job("orders", "glueetl");
  struct fake_run *r = fake_add_run(j, "RUNNING", NOW - WHEN_HOUR, WHEN_NONE);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  static const enum err_kind kinds[] = {ERR_NETWORK, ERR_SERVER, ERR_PARSE, ERR_TIMEOUT};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    j->fails = kinds[i];
    s.until_ms = clock_wall_ms(&fake.clock) + 30000;
    scene_run(&s);
    assert_int_equal(scene_job(&s, "orders")->runs[0].state, RUN_RUNNING);
    assert_true(err_is(&scene_job(&s, "orders")->runs_fresh.last_err));
  }
  j->fails = ERR_OK;
  fake_set_state(r, "SUCCEEDED");
  s.until_ms = clock_wall_ms(&fake.clock) + 5 * WHEN_MINUTE;
  scene_run(&s);
  assert_int_equal(scene_job(&s, "orders")->runs[0].state, RUN_SUCCEEDED);
  scene_close(&s);
}

static void test_jobs_that_go(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("stays", "glueetl", 5, WHEN_HOUR);
  add_history("goes", "glueetl", 5, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  free(fake.jobs[1].runs);
  fake.job_count = 1;
  s.until_ms = clock_wall_ms(&fake.clock) + 20 * WHEN_MINUTE;
  scene_run(&s);
  assert_true(scene_job(&s, "goes")->gone);
  assert_int_equal(scene_job(&s, "goes")->run_count, 5);
  assert_false(scene_job(&s, "stays")->gone);
  assert_true(scene_complete(&s));
  scene_close(&s);
}

static void test_lies_are_left_out(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  snprintf(fake.jobs[0].runs[2].told_as, sizeof fake.jobs[0].runs[2].told_as, "customers");
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  assert_int_equal(scene_job(&s, "orders")->run_count, 4);
  assert_null(scene_job(&s, "customers"));
  assert_int_equal(app_model(s.app)->problem_count, 1);
  scene_close(&s);
}

static void test_docs_on_show(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want(&s, WANT_JOB, "orders", 0);
  scene_want(&s, WANT_RUN, "orders", 0);
  s.wants[1].run_id = strpool_put(app_model(s.app)->strings, fake.jobs[0].runs[2].id);
  scene_run(&s);
  const struct model *m = app_model(s.app);
  assert_true(scene_complete(&s));
  assert_non_null(scene_job(&s, "orders")->definition);
  assert_non_null(model_run_doc(m, 0, scene_job(&s, "orders")->name, s.wants[1].run_id, NULL));
  assert_int_equal(fake.calls[FAKE_GET_JOBS] + fake.calls[FAKE_GET_JOB_RUNS], 0);
  /* what is not there is answered as well */
  scene_want(&s, WANT_JOB, "nothing", 0);
  scene_run(&s);
  assert_false(scene_complete(&s));
  assert_int_equal(scene_job(&s, "nothing")->definition_fresh.last_err.kind, ERR_NOT_FOUND);
  scene_close(&s);
}

/* --- gentleness ------------------------------------------------------------------------------------------------------ */

static void test_keeps_to_a_rate_limit(void **state)
{
  (void)state;
  static const struct {
    double limit;
    int jobs;
  } cases[] = {{2, 60}, {10, 300}, {50, 1000}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    for (int k = 0; k < cases[i].jobs; k++) {
      char name[32];
      snprintf(name, sizeof name, "job-%04d", k);
      add_history(name, "glueetl", 5, WHEN_HOUR);
    }
    fake.limit_per_second = cases[i].limit;
    scene_open(&s, NULL);
    scene_want_all(&s, INT64_MIN);
    int64_t began = clock_mono_ms(&fake.clock);
    scene_run(&s);
    assert_true(scene_complete(&s));
    double seconds = (double)(clock_mono_ms(&fake.clock) - began) / 1000.0;
    double good = (double)(fake.in_all - fake.throttled);
    double floor = good / cases[i].limit;
    double share = (double)fake.throttled / (double)fake.in_all;
    print_message("limit %.0f/s: %.0f requests in %.1f s, %.2f times the floor, %.1f %% throttled\n", cases[i].limit,
                  good, seconds, seconds / floor, share * 100);
    assert_true(seconds <= floor * 1.1 + 5); /* a few seconds to find the limit */
    assert_true(share < 0.05 || fake.throttled <= 20);
    scene_close(&s);
  }
}

/* 2,000 jobs, 30 runs in flight, 40 jobs on the screen. */
static void steady_want_rows(struct scene *s)
{
  scene_want(s, WANT_JOBS, NULL, 0);
  scene_want(s, WANT_ALL_RUNS, NULL, NOW - WHEN_DAY);
  s->wants[1].urgency = WANT_BEHIND;
}

struct steady {
  struct scene scene;
  int64_t worst_live_ms, worst_any_ms;
};

static void steady_front_wants(void *front, struct wants *out)
{
  struct scene *s = front;
  scene_wants(front, out);
  for (int i = 0; i < 40; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%04d", 1000 + i);
    struct want w = {.kind = WANT_RUNS,
                     .context = -1,
                     .job = strpool_put(app_model(s->app)->strings, name),
                     .since_ms = NOW - WHEN_DAY,
                     .until_ms = INT64_MAX};
    wants_add(out, &w);
  }
}

static const struct front_ops steady_ops = {
    .name = "steady", .input = scene_input, .wants = steady_front_wants, .frame = scene_frame, .done = scene_done};

static void steady_look(struct scene *s, struct intents *out)
{
  struct steady *st = s->more;
  (void)out;
  int64_t now = clock_wall_ms(&fake.clock);
  for (size_t i = 0; i < fake.job_count; i++) {
    const struct job *j = scene_job(s, fake.jobs[i].name);
    if (j == NULL || j->runs_fresh.fetched_ms == WHEN_NONE)
      continue;
    int64_t age = now - j->runs_fresh.fetched_ms;
    bool visible = (i >= 1000 && i < 1040) || j->run_live > 0;
    if (visible && age > st->worst_live_ms)
      st->worst_live_ms = age;
    if (age > st->worst_any_ms)
      st->worst_any_ms = age;
  }
}

static void test_steady_state(void **state)
{
  (void)state;
  struct steady st = {0};
  fake_reset(NOW);
  for (int k = 0; k < 2000; k++) {
    char name[32];
    snprintf(name, sizeof name, "job-%04d", k);
    add_history(name, "glueetl", 4, (k % 20 + 1) * WHEN_HOUR);
    if (k < 30)
      fake_add_run(&fake.jobs[k], "RUNNING", NOW - WHEN_MINUTE, WHEN_NONE);
  }
  scene_open(&st.scene, NULL);
  steady_want_rows(&st.scene);
  struct err e = app_run(st.scene.app, &steady_ops, &st.scene);
  assert_false(err_is(&e));
  uint64_t before = fake.in_all;
  st.scene.more = &st;
  st.scene.each_turn = steady_look;
  int64_t span = 35 * WHEN_MINUTE;
  st.scene.until_ms = clock_wall_ms(&fake.clock) + span;
  e = app_run(st.scene.app, &steady_ops, &st.scene);
  assert_false(err_is(&e));
  double rate = (double)(fake.in_all - before) / ((double)span / 1000.0);
  print_message("steady state: %.2f requests/s, visible at most %.1f s old, any job %.1f min\n", rate,
                (double)st.worst_live_ms / 1000, (double)st.worst_any_ms / WHEN_MINUTE);
  assert_true(rate <= 6);
  assert_true(st.worst_live_ms <= 20000);
  assert_true(st.worst_any_ms <= 30 * WHEN_MINUTE);
  scene_close(&st.scene);
}

/* A job that runs once a day is looked at rarely, but not when its trigger says that it should have started. */
static void test_a_start_by_schedule_is_seen_at_once(void **state)
{
  (void)state;
  struct scene s;
  int64_t day = NOW - NOW % WHEN_DAY + WHEN_DAY;
  fake_reset(day - 2 * WHEN_HOUR);
  fake.trigger_jobs[fake.trigger_count++] = "nightly";
  fake.trigger_schedule = "cron(0 0 * * ? *)";
  for (int i = 0; i < 300; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%04d", i);
    fake_add_job(name, "glueetl");
  }
  struct fake_job *j = fake_add_job("nightly", "glueetl");
  for (int i = 20; i > 0; i--)
    fake_add_run(j, "SUCCEEDED", day - i * 20 * WHEN_DAY, day - i * 20 * WHEN_DAY + 1000);
  scene_open(&s, NULL);
  scene_want_all(&s, day - 2 * WHEN_DAY);
  scene_want(&s, WANT_TRIGGERS, NULL, 0);
  s.wants[1].urgency = s.wants[2].urgency = s.wants[3].urgency = WANT_BEHIND;
  s.until_ms = day + 5000; /* the service is a little late */
  scene_run(&s);
  fake_add_run(fake_find_job("nightly"), "RUNNING", clock_wall_ms(&fake.clock), WHEN_NONE);
  s.until_ms = clock_wall_ms(&fake.clock) + 40000;
  scene_run(&s);
  assert_int_equal(scene_job(&s, "nightly")->run_live, 1);
  scene_close(&s);
}

static void test_notices(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  struct fake_job *j = fake_add_job("orders", "glueetl");
  fake_add_run(j, "FAILED", NOW - WHEN_DAY, NOW - WHEN_DAY + 1000);
  fake_add_run(j, "RUNNING", NOW - WHEN_HOUR, WHEN_NONE);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  const struct model *m = app_model(s.app);
  assert_int_equal(m->notices.count, 0); /* history is no news */
  fake_set_state(&fake.jobs[0].runs[0], "SUCCEEDED");
  fake.jobs[0].runs[0].completed_ms = clock_wall_ms(&fake.clock);
  s.until_ms = clock_wall_ms(&fake.clock) + 30000;
  scene_run(&s);
  assert_int_equal(m->notices.count, 1);
  assert_int_equal(m->notices.items[0].kind, NOTICE_RECOVERED);
  /* one that began and failed between two readings, and one that runs into its limit */
  int64_t now = clock_wall_ms(&fake.clock);
  fake_add_run(&fake.jobs[0], "TIMEOUT", now, now + 10);
  fake_add_run(&fake.jobs[0], "RUNNING", now + 1000, WHEN_NONE);
  s.until_ms = now + 10 * WHEN_MINUTE;
  scene_run(&s);
  assert_int_equal(m->notices.count, 2);
  assert_int_equal(m->notices.items[1].kind, NOTICE_TIMED_OUT);
  assert_int_equal(m->notices.items[1].severity, NOTICE_BAD);
  assert_int_equal(notices_unseen(m), 2);
  fake_set_state(&fake.jobs[0].runs[0], "STOPPED");
  fake.login = LOGIN_FAILED;
  s.until_ms = clock_wall_ms(&fake.clock) + 1000;
  scene_run(&s);
  assert_int_equal(m->notices.items[m->notices.count - 1].kind, NOTICE_LOGIN);
  scene_close(&s);
}

static void test_status_for_the_polling_view(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  for (int i = 0; i < 100; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%03d", i);
    add_history(name, "glueetl", 3, WHEN_HOUR);
  }
  fake.jobs[7].fails = ERR_SERVER;
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  s.until_ms = clock_wall_ms(&fake.clock) + 3000;
  scene_run(&s);
  const struct polling *p = &app_model(s.app)->polling;
  assert_int_equal(p->place_count, 1);
  const struct polling_place *pp = &p->places[0];
  assert_int_equal(pp->jobs, 100);
  assert_int_equal(pp->jobs_read, 99);
  assert_int_equal(pp->jobs_failing, 1);
  assert_int_equal(pp->sent, fake.in_all);
  assert_int_equal(pp->last_minute, fake.in_all);
  assert_true(isinf(pp->limit));
  assert_int_equal(pp->row_count, POLLING_ROWS_MAX);
  for (size_t i = 1; i < pp->row_count; i++)
    assert_true(pp->rows[i - 1].due_ms <= pp->rows[i].due_ms);
  scene_close(&s);
}

/* --- writes ---------------------------------------------------------------------------------------------------------- */

static void press_start(struct scene *s, struct intents *out)
{
  const struct model *m = app_model(s->app);
  if (s->intent_id != 0) {
    s->stay = app_writes_under_way(s->app);
    return;
  }
  struct intent *i = intents_add(out, INTENT_START_RUN);
  i->context = 0;
  i->context_epoch = m->contexts[0].epoch;
  i->job = xstrdup("orders");
  if (s->start_day != NULL)
    intent_add_argument(i, "--day", s->start_day);
  s->intent_id = i->id;
  s->stay = true;
}

static void test_start(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    bool answer_lost, lost;
    int also;
    const char *also_day; /* ours is of day 2 */
    enum err_kind fault;
    enum change_result result;
    bool id_known;
  } cases[] = {
      {"started", false, false, 0, NULL, ERR_OK, CHANGE_STARTED, true},
      {"refused", false, false, 0, NULL, ERR_CONFLICT, CHANGE_REFUSED, false},
      {"answer lost, run there", true, false, 0, NULL, ERR_OK, CHANGE_STARTED, true},
      {"answer lost, the same started by others too", true, false, 1, "2", ERR_OK, CHANGE_UNCERTAIN, false},
      {"answer lost, another of unknown arguments", true, false, 1, NULL, ERR_OK, CHANGE_UNCERTAIN, false},
      {"answer lost, others started another day", true, false, 1, "1", ERR_OK, CHANGE_STARTED, true},
      {"lost wholly", false, true, 0, NULL, ERR_OK, CHANGE_UNCERTAIN, false},
      {"lost wholly, others started another day", false, true, 1, "1", ERR_OK, CHANGE_UNCERTAIN, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    add_history("orders", "glueetl", 5, WHEN_HOUR);
    fake.start_answer_lost = cases[i].answer_lost;
    fake.start_lost = cases[i].lost;
    fake.also_started = cases[i].also;
    fake.also_day = cases[i].also_day;
    fake.faults[FAKE_START] = (struct fake_fault){.kind = cases[i].fault, .count = -1};
    scene_open(&s, NULL);
    scene_want(&s, WANT_IDENTITY, NULL, 0);
    s.each_turn = press_start;
    s.start_day = "2";
    scene_run(&s);
    const struct model *m = app_model(s.app);
    assert_int_equal(fake.calls[FAKE_START], 1);
    assert_int_equal(m->change_count, 1);
    if (m->changes[0].result != cases[i].result || (m->changes[0].run_id != 0) != cases[i].id_known)
      fail_msg("%s: result %d", cases[i].name, m->changes[0].result);
    assert_int_equal(m->changes[0].intent_id, s.intent_id);
    if (cases[i].id_known)
      assert_string_equal(model_str(m, m->changes[0].run_id), fake.jobs[0].runs[0].id);
    scene_close(&s);
  }
}

static void press_stop(struct scene *s, struct intents *out)
{
  const struct model *m = app_model(s->app);
  if (s->intent_id != 0) {
    s->stay = app_writes_under_way(s->app);
    return;
  }
  struct intent *i = intents_add(out, INTENT_STOP_RUNS);
  i->context = 0;
  i->context_epoch = m->contexts[0].epoch;
  i->job = xstrdup("orders");
  for (size_t k = 0; k < fake.jobs[0].count; k++)
    intent_add_run(i, fake.jobs[0].runs[k].id);
  intent_add_run(i, "jr_unknown");
  s->intent_id = i->id;
  s->stay = true;
}

static void test_stop_in_groups(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  struct fake_job *j = fake_add_job("orders", "glueetl");
  for (int i = 0; i < 60; i++)
    fake_add_run(j, i % 2 == 0 ? "RUNNING" : "SUCCEEDED", NOW - WHEN_HOUR + i, i % 2 == 0 ? WHEN_NONE : NOW);
  scene_open(&s, NULL);
  scene_want(&s, WANT_IDENTITY, NULL, 0);
  s.each_turn = press_stop;
  scene_run(&s);
  const struct model *m = app_model(s.app);
  assert_int_equal(fake.calls[FAKE_STOP], 3);
  assert_int_equal(m->change_count, 61);
  size_t stopping = 0, unchanged = 0, refused = 0;
  for (size_t i = 0; i < m->change_count; i++) {
    stopping += m->changes[i].result == CHANGE_STOPPING;
    unchanged += m->changes[i].result == CHANGE_UNCHANGED;
    refused += m->changes[i].result == CHANGE_REFUSED;
  }
  assert_int_equal(stopping, 30);
  assert_int_equal(unchanged, 30);
  assert_int_equal(refused, 1);
  scene_close(&s);
}

static void press_start_of_old_epoch(struct scene *s, struct intents *out)
{
  press_start(s, out);
  if (out->count > 0)
    out->items[0].context_epoch++;
}

static void test_writes_that_must_not_leave(void **state)
{
  (void)state;
  struct scene s;
  /* read-only */
  fake_reset(NOW);
  add_history("orders", "glueetl", 1, WHEN_HOUR);
  struct app_options o = {.refresh_seconds = -1, .read_only = true};
  scene_open(&s, &o);
  scene_want(&s, WANT_IDENTITY, NULL, 0);
  s.each_turn = press_start;
  scene_run(&s);
  assert_int_equal(fake.calls[FAKE_START], 0);
  assert_int_equal(app_model(s.app)->changes[0].result, CHANGE_REFUSED);
  scene_close(&s);
  /* decided on another account */
  fake_reset(NOW);
  add_history("orders", "glueetl", 1, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want(&s, WANT_IDENTITY, NULL, 0);
  s.each_turn = press_start_of_old_epoch;
  scene_run(&s);
  assert_int_equal(fake.calls[FAKE_START], 0);
  assert_int_equal(app_model(s.app)->changes[0].result, CHANGE_REFUSED);
  scene_close(&s);
  /* nobody says whose account it is; the reads go on all the same */
  fake_reset(NOW);
  add_history("orders", "glueetl", 3, WHEN_HOUR);
  fake.faults[FAKE_IDENTITY] = (struct fake_fault){.kind = ERR_SERVER, .count = -1};
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  s.each_turn = press_start;
  scene_run(&s);
  assert_int_equal(fake.calls[FAKE_START], 0);
  assert_int_equal(app_model(s.app)->changes[0].result, CHANGE_REFUSED);
  assert_true(scene_complete(&s));
  assert_int_equal(app_model(s.app)->problem_count, 1);
  scene_close(&s);
}

static void change_keys_and_press_start(struct scene *s, struct intents *out)
{
  if (s->turns == 1) { /* the file was written anew since STS spoke */
    snprintf(fake.key_id, sizeof fake.key_id, "AKIAOTHER");
    fake.account = "222222222222";
  }
  press_start(s, out);
}

/* What was decided for one account must not be done in another one that new keys lead to. */
static void test_keys_that_lead_elsewhere(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 1, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want(&s, WANT_IDENTITY, NULL, 0);
  scene_run(&s);
  assert_true(app_model(s.app)->contexts[0].confirmed);
  s.turns = 0;
  s.each_turn = change_keys_and_press_start;
  scene_run(&s);
  assert_int_equal(fake.calls[FAKE_START], 0);
  assert_int_equal(app_model(s.app)->changes[0].result, CHANGE_REFUSED);
  assert_string_equal(app_model(s.app)->contexts[0].account, "222222222222");
  scene_close(&s);
}

/* Keys that expire on a write: new ones of the same account carry it out once, those of another one never. */
static void test_keys_that_expire_on_a_write(void **state)
{
  (void)state;
  static const struct {
    const char *renewed;
    uint64_t calls;
    enum change_result result;
  } cases[] = {{NULL, 2, CHANGE_STARTED}, {"222222222222", 1, CHANGE_REFUSED}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct scene s;
    fake_reset(NOW);
    add_history("orders", "glueetl", 1, WHEN_HOUR);
    fake.renewed_account = cases[i].renewed;
    fake.faults[FAKE_START] = (struct fake_fault){.kind = ERR_EXPIRED, .count = 1};
    scene_open(&s, NULL);
    scene_want(&s, WANT_IDENTITY, NULL, 0);
    s.each_turn = press_start;
    scene_run(&s);
    assert_int_equal(fake.calls[FAKE_START], cases[i].calls);
    assert_int_equal(app_model(s.app)->changes[0].result, cases[i].result);
    scene_close(&s);
  }
}

/* --- logins and contexts --------------------------------------------------------------------------------------------- */

static void test_a_login_that_fails(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  fake.login = LOGIN_FAILED;
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s); /* quiet: nothing will come */
  assert_int_equal(fake.in_all, 0);
  assert_true(app_model(s.app)->contexts[0].needs_login);
  assert_int_equal(app_model(s.app)->problem_count, 1);
  assert_false(scene_complete(&s));
  fake.login = LOGIN_READY; /* somebody logged in elsewhere */
  s.until_ms = clock_wall_ms(&fake.clock) + 5000;
  scene_run(&s);
  assert_false(app_model(s.app)->contexts[0].needs_login);
  assert_true(scene_complete(&s));
  uint64_t before = fake.in_all;
  fake.login = LOGIN_FAILED; /* expired for good: no storm, and the rows stay */
  s.until_ms = clock_wall_ms(&fake.clock) + WHEN_HOUR;
  scene_run(&s);
  assert_true(fake.in_all - before <= 2);
  assert_int_equal(scene_job(&s, "orders")->run_count, 5);
  scene_close(&s);
}

static void switch_away(struct scene *s, struct intents *out)
{
  if (s->turns == 3) { /* while answers of the first context are on their way */
    assert_true(fake.in_all > 0);
    struct intent *i = intents_add(out, INTENT_SWITCH_CONTEXT);
    i->text = xstrdup("other@us-east-1");
    fake.account = "222222222222";
    fake.jobs[0].name[0] = 'X';
  }
}

static void test_switch_drops_late_answers(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  scene_open(&s, NULL);
  scene_want_all(&s, INT64_MIN);
  s.each_turn = switch_away;
  s.until_ms = NOW + 10000;
  scene_run(&s);
  const struct model *m = app_model(s.app);
  assert_int_equal(m->context_count, 2);
  assert_true(m->contexts[0].closed);
  assert_int_equal(m->places[m->contexts[0].place].job_count, 0);
  assert_string_equal(m->contexts[1].account, "222222222222");
  assert_string_equal(m->contexts[1].name, "other@us-east-1");
  assert_null(model_job(m, m->contexts[1].place, strpool_find(m->strings, "orders")));
  assert_non_null(model_job(m, m->contexts[1].place, strpool_find(m->strings, "Xrders")));
  assert_true(scene_complete(&s));
  scene_close(&s);
}

static void test_two_logins_of_one_place(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  static const struct app_context_option both[] = {{.profile = "a"}, {.profile = "b"}};
  struct app_options o = {.refresh_seconds = -1, .contexts = both, .context_count = 2};
  scene_open(&s, &o);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  const struct model *m = app_model(s.app);
  assert_int_equal(m->contexts[0].place, m->contexts[1].place);
  assert_all_there(&s);
  assert_true(scene_complete(&s));
  scene_close(&s);
}

static void press_refresh(struct scene *s, struct intents *out)
{
  if (s->turns == 1)
    intents_add(out, INTENT_REFRESH);
}

static void test_refresh_by_hand(void **state)
{
  (void)state;
  struct scene s;
  fake_reset(NOW);
  add_history("orders", "glueetl", 5, WHEN_HOUR);
  struct app_options o = {.refresh_seconds = 0};
  scene_open(&s, &o);
  scene_want_all(&s, INT64_MIN);
  scene_run(&s);
  uint64_t before = fake.in_all;
  s.until_ms = clock_wall_ms(&fake.clock) + 2 * WHEN_HOUR;
  scene_run(&s);
  assert_int_equal(fake.in_all, before); /* only by hand */
  fake_add_run(fake_find_job("orders"), "RUNNING", clock_wall_ms(&fake.clock), WHEN_NONE);
  s.until_ms = 0;
  s.turns = 0;
  s.each_turn = press_refresh;
  scene_run(&s);
  assert_all_there(&s);
  assert_true(fake.in_all > before);
  scene_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_everything),
      cmocka_unit_test(test_strange_pages),
      cmocka_unit_test(test_page_budget_is_told),
      cmocka_unit_test(test_reads_only_the_window),
      cmocka_unit_test(test_finds_a_stream_of_forty_days),
      cmocka_unit_test(test_second_reading_is_one_small_page),
      cmocka_unit_test(test_lists_that_are_refused),
      cmocka_unit_test(test_one_bad_name_hides_no_other),
      cmocka_unit_test(test_one_job_fails_alone),
      cmocka_unit_test(test_a_poll_error_is_no_failure_of_the_run),
      cmocka_unit_test(test_jobs_that_go),
      cmocka_unit_test(test_lies_are_left_out),
      cmocka_unit_test(test_docs_on_show),
      cmocka_unit_test(test_keeps_to_a_rate_limit),
      cmocka_unit_test(test_steady_state),
      cmocka_unit_test(test_a_start_by_schedule_is_seen_at_once),
      cmocka_unit_test(test_notices),
      cmocka_unit_test(test_status_for_the_polling_view),
      cmocka_unit_test(test_start),
      cmocka_unit_test(test_stop_in_groups),
      cmocka_unit_test(test_writes_that_must_not_leave),
      cmocka_unit_test(test_keys_that_lead_elsewhere),
      cmocka_unit_test(test_keys_that_expire_on_a_write),
      cmocka_unit_test(test_a_login_that_fails),
      cmocka_unit_test(test_switch_drops_late_answers),
      cmocka_unit_test(test_two_logins_of_one_place),
      cmocka_unit_test(test_refresh_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
