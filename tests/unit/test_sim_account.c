/* The rules by which runs live, under virtual time. */
#include "sim/account.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include "base/json.h"

#define START INT64_C(1796047380000) /* 2026-11-30T14:03:00Z */

static const struct sim_origin by_call = {.trigger = -1, .cause_job = -1, .cause_run = -1, .previous = -1};

static struct sim_job *add_job(struct sim_account *a, const char *name, const char *extra)
{
  char text[512];
  snprintf(text, sizeof text,
           "{\"Role\":\"r\",\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k\"},\"GlueVersion\":\"5.1\","
           "\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":10%s}",
           extra);
  struct sim_job *job = sim_job_add(a, name, cJSON_Parse(text), START);
  /* Exactly so long, and always well, unless a test says otherwise. */
  job->behaviour = (struct sim_behaviour){.typical_s = 600, .boot_s = 10, .dpu_percent = 50};
  return job;
}

static void start_refused(struct sim_account *a, struct sim_job *job, enum sim_accept expected)
{
  int32_t run = -1;
  assert_int_equal(sim_run_start(a, job, job->shape, &by_call, &run), expected);
  assert_int_equal(run, -1);
}

static struct sim_run *start(struct sim_account *a, struct sim_job *job)
{
  int32_t run = 0;
  assert_int_equal(sim_run_start(a, job, job->shape, &by_call, &run), ACCEPT_OK);
  return &job->runs[run];
}

static void later(struct sim_account *a, int64_t seconds)
{
  sim_account_advance(a, a->now_ms + seconds * WHEN_SECOND);
}

static int setup(void **state)
{
  static struct sim_account account;
  sim_account_init(&account, "441290129012", "eu-west-1", 7, START);
  *state = &account;
  return 0;
}

static int teardown(void **state)
{
  sim_account_fini(*state);
  return 0;
}

static void run_lives_and_ends(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", "");
  struct sim_run *run = start(a, job);
  assert_int_equal(run->state, SIM_STARTING);
  assert_int_equal(run->accepted_ms, START);
  assert_int_equal(sim_run_execution_s(a, run), 0);
  later(a, 60);
  assert_int_equal(run->state, SIM_RUNNING);
  assert_in_range(sim_run_execution_s(a, run), 44, 54);
  later(a, 1200);
  assert_int_equal(run->state, SIM_SUCCEEDED);
  /* The machine's time is counted from RUNNING on, and stands still after the end. */
  int64_t seconds = sim_run_execution_s(a, run);
  assert_in_range(seconds, 590, 1100);
  assert_int_equal(seconds, (run->ended_ms - run->began_ms) / 1000);
  later(a, 3600);
  assert_int_equal(sim_run_execution_s(a, run), seconds);
  assert_int_equal(job->active, 0);
}

static void limit_of_the_job(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"ExecutionProperty\":{\"MaxConcurrentRuns\":2}");
  start(a, job);
  start(a, job);
  start_refused(a, job, ACCEPT_JOB_LIMIT);
  assert_int_equal(job->run_count, 2);
}

static void queue_of_the_job(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"JobRunQueuingEnabled\":true");
  start(a, job);
  later(a, 5);
  start(a, job);
  assert_int_equal(job->runs[1].state, SIM_WAITING);
  assert_string_not_equal(sim_detail_text((enum sim_detail)job->runs[1].detail), "");
  later(a, 300);
  assert_int_equal(job->runs[1].state, SIM_WAITING);
  assert_int_equal(sim_run_execution_s(a, &job->runs[1]), 0);
  later(a, 1200);
  assert_int_equal(job->runs[0].state, SIM_SUCCEEDED);
  assert_true(job->runs[1].began_ms > job->runs[0].ended_ms);
  assert_int_equal(job->runs[1].accepted_ms, START + 5000);
}

static void queue_has_an_end(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"JobRunQueuingEnabled\":true,\"Timeout\":1440");
  job->behaviour.typical_s = 80000;
  start(a, job);
  start(a, job);
  later(a, 13 * 3600);
  assert_int_equal(job->runs[1].state, SIM_EXPIRED);
  assert_int_equal(job->runs[1].ended_ms, job->runs[1].accepted_ms + 12 * WHEN_HOUR);
}

static void quota_of_the_account(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *one = add_job(a, "one", ""), *two = add_job(a, "two", ""),
                 *three = add_job(a, "three", ",\"JobRunQueuingEnabled\":true");
  a->dpu_limit = 15;
  start(a, one);
  start_refused(a, two, ACCEPT_DPU_LIMIT);
  struct sim_run *run = start(a, three);
  assert_int_equal(run->detail, DETAIL_DPU_LIMIT);
  a->dpu_limit = 1000;
  a->run_limit = 1;
  start_refused(a, two, ACCEPT_RUN_LIMIT);
}

static void timeout_ends_and_is_not_retried(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"Timeout\":5,\"MaxRetries\":3");
  start(a, job);
  later(a, 3600);
  assert_int_equal(job->run_count, 1);
  assert_int_equal(job->runs[0].state, SIM_TIMEOUT);
  assert_int_equal(sim_run_execution_s(a, &job->runs[0]), 300);
}

static void failures_are_retried(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"MaxRetries\":2");
  static const struct sim_deviation always[] = {{-1000, 100000, 30, 0, SIM_FAILED, ERROR_NO_PATH, 0}};
  char first[SIM_RUN_ID_MAX], second[SIM_RUN_ID_MAX], expected[SIM_RUN_ID_MAX + 12];
  job->deviations = always;
  job->deviation_count = 1;
  start(a, job);
  later(a, 3600);
  assert_int_equal(job->run_count, 3);
  assert_int_equal(job->runs[2].attempt, 2);
  assert_int_equal(job->runs[2].previous, 1);
  sim_run_id(&job->runs[0], first);
  sim_run_id(&job->runs[1], second);
  snprintf(expected, sizeof expected, "%s_attempt_1", first);
  assert_string_equal(second, expected);
  assert_int_equal(strlen(first), 67);
}

static void launch_failures_cost_nothing(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", "");
  static const struct sim_deviation always[] = {{-1000, 100000, 30, 0, SIM_FAILED, ERROR_SUBNET_FULL, 0}};
  job->deviations = always;
  job->deviation_count = 1;
  start(a, job);
  later(a, 60);
  assert_int_equal(job->runs[0].state, SIM_FAILED);
  assert_int_equal(sim_run_execution_s(a, &job->runs[0]), 0);
  assert_int_equal(job->active, 0);
}

static void stop_takes_its_time(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"MaxRetries\":2");
  start(a, job);
  later(a, 60);
  assert_true(sim_run_stop(a, job, 0));
  assert_int_equal(job->runs[0].state, SIM_STOPPING);
  /* It still holds its slot. */
  start_refused(a, job, ACCEPT_JOB_LIMIT);
  assert_true(sim_run_stop(a, job, 0));
  later(a, 60);
  assert_int_equal(job->runs[0].state, SIM_STOPPED);
  assert_false(sim_run_stop(a, job, 0));
  later(a, 3600);
  assert_int_equal(job->run_count, 1);
}

static void stop_of_one_that_waits(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"JobRunQueuingEnabled\":true");
  start(a, job);
  start(a, job);
  assert_true(sim_run_stop(a, job, 1));
  later(a, 2);
  assert_int_equal(job->runs[1].state, SIM_STOPPED);
  assert_int_equal(sim_run_execution_s(a, &job->runs[1]), 0);
  later(a, 3600);
  assert_int_equal(job->runs[1].state, SIM_STOPPED);
}

static void dpu_seconds_come_late(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"DefaultArguments\":{\"--enable-auto-scaling\":\"true\"}");
  double dpu_seconds = 0;
  start(a, job);
  later(a, 300);
  assert_false(sim_run_dpu_seconds(a, job, &job->runs[0], &dpu_seconds));
  while (job->runs[0].ended_ms == WHEN_NONE)
    later(a, 1);
  assert_false(sim_run_dpu_seconds(a, job, &job->runs[0], &dpu_seconds));
  later(a, 61);
  assert_true(sim_run_dpu_seconds(a, job, &job->runs[0], &dpu_seconds));
  double most = (double)sim_run_execution_s(a, &job->runs[0]) * 10;
  assert_true(dpu_seconds > 0.3 * most && dpu_seconds < most);
}

static void flex_waits_for_capacity(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"ExecutionClass\":\"FLEX\"");
  struct sim_run *run = start(a, job);
  assert_int_equal(run->state, SIM_WAITING);
  assert_int_equal(run->detail, DETAIL_CAPACITY);
  later(a, 20 * 60);
  assert_true(job->runs[0].began_ms != WHEN_NONE);
}

static struct sim_trigger *add_trigger(struct sim_account *a, const char *text)
{
  return sim_trigger_add(a, cJSON_Parse(text), a->now_ms);
}

static void schedules_fire_in_utc(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", "");
  add_trigger(a, "{\"Name\":\"t\",\"Type\":\"SCHEDULED\",\"State\":\"ACTIVATED\",\"Schedule\":\"cron(0/15 * * * ? *)\","
                 "\"Actions\":[{\"JobName\":\"j\",\"Timeout\":7,\"Arguments\":{\"--a\":\"b\"}}]}");
  later(a, 3600);
  assert_int_equal(job->run_count, 4);
  assert_int_equal(job->runs[0].accepted_ms, START + 12 * WHEN_MINUTE);
  assert_int_equal(job->runs[0].trigger, 0);
  assert_int_equal(job->runs[0].shape->timeout_minutes, 7);
  assert_string_equal(json_str(job->runs[0].shape->arguments, "--a"), "b");
}

static void trigger_over_the_limit_leaves_a_failed_run(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", "");
  job->behaviour.typical_s = 1200;
  add_trigger(a, "{\"Name\":\"t\",\"Type\":\"SCHEDULED\",\"State\":\"ACTIVATED\",\"Schedule\":\"cron(0/15 * * * ? *)\","
                 "\"Actions\":[{\"JobName\":\"j\"}]}");
  later(a, 1900);
  assert_int_equal(job->run_count, 2);
  assert_int_equal(job->runs[1].state, SIM_FAILED);
  assert_int_equal(job->runs[1].error, ERROR_MAX_CONCURRENT);
  assert_int_equal(job->runs[1].ended_ms, job->runs[1].accepted_ms);
  assert_int_equal(sim_run_execution_s(a, &job->runs[1]), 0);
}

static void conditions_wait_for_all(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *one = add_job(a, "one", ""), *two = add_job(a, "two", ""), *after = add_job(a, "after", "");
  struct sim_trigger *t = add_trigger(
      a, "{\"Name\":\"t\",\"Type\":\"CONDITIONAL\",\"State\":\"ACTIVATED\",\"Actions\":[{\"JobName\":\"after\"}],"
         "\"Predicate\":{\"Logical\":\"AND\",\"Conditions\":[{\"LogicalOperator\":\"EQUALS\",\"JobName\":\"one\","
         "\"State\":"
         "\"SUCCEEDED\"},{\"LogicalOperator\":\"EQUALS\",\"JobName\":\"two\",\"State\":\"SUCCEEDED\"}]}}");
  start(a, one);
  later(a, 1200);
  assert_int_equal(after->run_count, 0);
  start(a, two);
  later(a, 1200);
  assert_int_equal(after->run_count, 1);
  assert_int_equal(after->runs[0].cause_job, two->index);
  sim_trigger_deactivate(a, t);
  start(a, one);
  start(a, two);
  later(a, 1200);
  assert_int_equal(after->run_count, 1);
}

static void any_condition_fires_once_a_match(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *one = add_job(a, "one", ""),
                 *after = add_job(a, "after", ",\"ExecutionProperty\":{\"MaxConcurrentRuns\":9}");
  add_trigger(a,
              "{\"Name\":\"t\",\"Type\":\"CONDITIONAL\",\"State\":\"ACTIVATED\",\"Actions\":[{\"JobName\":\"after\"}],"
              "\"Predicate\":{\"Logical\":\"ANY\",\"Conditions\":[{\"JobName\":\"one\",\"State\":\"SUCCEEDED\"},"
              "{\"JobName\":\"one\",\"State\":\"FAILED\"}]}}");
  start(a, one);
  later(a, 1200);
  assert_int_equal(after->run_count, 1);
}

static void switched_off_triggers_rest(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", "");
  struct sim_trigger *t =
      add_trigger(a, "{\"Name\":\"t\",\"Type\":\"SCHEDULED\",\"State\":\"CREATED\",\"Schedule\":\"cron(0 * * * ? *)\","
                     "\"Actions\":[{\"JobName\":\"j\"}]}");
  later(a, 7200);
  assert_int_equal(job->run_count, 0);
  sim_trigger_activate(a, t);
  assert_string_equal(t->state, "ACTIVATED");
  later(a, 7200);
  assert_int_equal(job->run_count, 2);
  sim_trigger_deactivate(a, t);
  later(a, 7200);
  assert_int_equal(job->run_count, 2);
}

static void bookmark_counts_good_runs(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"DefaultArguments\":{\"--job-bookmark-option\":\"job-bookmark-enable\"}");
  assert_false(job->bookmark.exists);
  start(a, job);
  later(a, 1200);
  start(a, job);
  later(a, 1200);
  assert_true(job->bookmark.exists);
  assert_int_equal(job->bookmark.run, 2);
  assert_int_equal(job->bookmark.run_index, 1);
  assert_int_equal(job->bookmark.previous_index, 0);
}

static void deleted_job_is_gone_but_its_run_ends(void **state)
{
  struct sim_account *a = *state;
  struct sim_job *job = add_job(a, "j", ",\"MaxRetries\":1");
  start(a, job);
  sim_job_delete(a, job);
  assert_null(sim_job_find(a, "j"));
  later(a, 3600);
  assert_int_equal(job->runs[0].state, SIM_SUCCEEDED);
  assert_int_equal(a->active_runs, 0);
}

/* The demo account: the same inputs, the same history; other seeds, another one; and the story holds at any hour. */
static void demo_tells_its_story(void **state)
{
  (void)state;
  static const char *const times[] = {"2026-11-30T14:03:00Z", "2026-02-28T23:59:31Z", "2027-01-01T00:00:00Z"};
  for (size_t i = 0; i < 3; i++) {
    struct sim_account a, b;
    int64_t now_ms = 0;
    size_t runs = 0;
    assert_true(when_parse_iso(times[i], &now_ms));
    sim_account_init(&a, "441290129012", "eu-west-1", 1, now_ms);
    sim_account_init(&b, "441290129012", "eu-west-1", 1, now_ms);
    struct err e = sim_story_fill(&a);
    assert_false(err_is(&e));
    e = sim_story_fill(&b);
    assert_false(err_is(&e));
    assert_int_equal(a.job_count, 60);
    for (size_t j = 0; j < a.job_count; j++) {
      runs += a.jobs[j]->run_count;
      assert_int_equal(a.jobs[j]->run_count, b.jobs[j]->run_count);
      /* Compared member by member: the shapes are other pointers. */
      for (size_t r = 0; r < a.jobs[j]->run_count; r++) {
        const struct sim_run *x = &a.jobs[j]->runs[r], *y = &b.jobs[j]->runs[r];
        assert_true(x->key == y->key && x->ended_ms == y->ended_ms && x->state == y->state);
      }
    }
    assert_in_range(runs, 25000, 60000);
    const struct sim_job *click = sim_job_find(&a, "clickstream-hourly");
    const struct sim_job *close = sim_job_find(&a, "finance-close");
    const struct sim_job *silver = sim_job_find(&a, "orders-silver");
    const struct sim_job *partner = sim_job_find(&a, "partner-export");
    const struct sim_run *waiting = &close->runs[close->run_count - 1];
    assert_int_equal(click->runs[click->run_count - 2].state, SIM_RUNNING);
    assert_in_range(sim_run_execution_s(&a, &click->runs[click->run_count - 2]), 107 * 60, 110 * 60);
    assert_int_equal(waiting->state, SIM_WAITING);
    assert_int_equal(waiting->accepted_ms, now_ms - 26 * WHEN_MINUTE);
    assert_int_equal(waiting[-1].state, SIM_RUNNING);
    assert_int_equal(silver->runs[silver->run_count - 1].state, SIM_FAILED);
    assert_int_equal(silver->runs[silver->run_count - 1].error, ERROR_S3_DENIED);
    assert_true(partner->runs[partner->run_count - 1].accepted_ms < now_ms - 2 * WHEN_DAY);
    assert_int_equal(sim_job_find(&a, "promo-planner")->run_count, 0);
    sim_account_fini(&a);
    sim_account_fini(&b);
  }
}

/* Somebody who watches sees things happen. */
static void demo_moves(void **state)
{
  (void)state;
  struct sim_account a;
  size_t ended = 0, failed = 0, timed_out = 0, collided = 0, began = 0;
  sim_account_init(&a, "441290129012", "eu-west-1", 1, START);
  struct err e = sim_story_fill(&a);
  assert_false(err_is(&e));
  sim_account_advance(&a, START + 5 * WHEN_MINUTE);
  for (size_t j = 0; j < a.job_count; j++) {
    for (size_t r = 0; r < a.jobs[j]->run_count; r++) {
      const struct sim_run *run = &a.jobs[j]->runs[r];
      began += run->accepted_ms > START;
      if (run->ended_ms == WHEN_NONE || run->ended_ms <= START)
        continue;
      ended += run->state == SIM_SUCCEEDED;
      failed += run->state == SIM_FAILED;
      timed_out += run->state == SIM_TIMEOUT;
      collided += run->error == ERROR_MAX_CONCURRENT;
    }
  }
  assert_true(began >= 4 && ended >= 2 && failed >= 2 && timed_out >= 1 && collided >= 1);
  sim_account_fini(&a);
}

/* After a long time the books still balance: what is held is held by runs that are alive. */
static void books_balance(void **state)
{
  (void)state;
  struct sim_account a;
  int active = 0;
  double dpu = 0;
  size_t waiting = 0;
  sim_account_init(&a, "441290129012", "eu-west-1", 3, START);
  struct err e = sim_story_fill(&a);
  assert_false(err_is(&e));
  sim_account_advance(&a, START + 100 * WHEN_DAY);
  for (size_t j = 0; j < a.job_count; j++) {
    int of_job = 0;
    int64_t before_ms = INT64_MIN;
    for (size_t r = 0; r < a.jobs[j]->run_count; r++) {
      const struct sim_run *run = &a.jobs[j]->runs[r];
      bool held = run->state == SIM_STARTING || run->state == SIM_RUNNING || run->state == SIM_STOPPING;
      of_job += held;
      dpu += held ? run->shape->dpu : 0;
      waiting += run->state == SIM_WAITING && run->detail != DETAIL_CAPACITY;
      /* In the order of acceptance, each with its times in order. */
      assert_true(run->accepted_ms >= before_ms);
      before_ms = run->accepted_ms;
      assert_true(run->began_ms == WHEN_NONE || run->began_ms >= run->accepted_ms);
      assert_true(sim_state_is_final((enum sim_state)run->state) == (run->ended_ms != WHEN_NONE));
      assert_true(run->ended_ms == WHEN_NONE || run->ended_ms >= run->accepted_ms);
    }
    assert_int_equal(of_job, a.jobs[j]->active);
    assert_true(of_job <= a.jobs[j]->max_concurrent);
    active += of_job;
  }
  assert_int_equal(active, a.active_runs);
  assert_true(dpu - a.active_dpu - a.active_flex_dpu < 0.01 && a.active_dpu + a.active_flex_dpu - dpu < 0.01);
  assert_true(a.active_dpu <= a.dpu_limit);
  assert_int_equal(waiting, a.waiting_count);
  sim_account_fini(&a);
}

static void large_is_as_large_as_asked(void **state)
{
  (void)state;
  struct sim_account a;
  size_t runs = 0;
  sim_account_init(&a, "441290129012", "eu-west-1", 1, START);
  struct err e = sim_large_fill(&a, 300, 10007);
  assert_false(err_is(&e));
  assert_int_equal(a.job_count, 300);
  for (size_t j = 0; j < a.job_count; j++)
    runs += a.jobs[j]->run_count;
  assert_int_equal(runs, 10007);
  sim_account_advance(&a, START + WHEN_DAY);
  assert_int_equal(a.active_runs, 0);
  sim_account_fini(&a);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(run_lives_and_ends),
      CASE(limit_of_the_job),
      CASE(queue_of_the_job),
      CASE(queue_has_an_end),
      CASE(quota_of_the_account),
      CASE(timeout_ends_and_is_not_retried),
      CASE(failures_are_retried),
      CASE(launch_failures_cost_nothing),
      CASE(stop_takes_its_time),
      CASE(stop_of_one_that_waits),
      CASE(dpu_seconds_come_late),
      CASE(flex_waits_for_capacity),
      CASE(schedules_fire_in_utc),
      CASE(trigger_over_the_limit_leaves_a_failed_run),
      CASE(conditions_wait_for_all),
      CASE(any_condition_fires_once_a_match),
      CASE(switched_off_triggers_rest),
      CASE(bookmark_counts_good_runs),
      CASE(deleted_job_is_gone_but_its_run_ends),
      cmocka_unit_test(demo_tells_its_story),
      cmocka_unit_test(demo_moves),
      cmocka_unit_test(books_balance),
      cmocka_unit_test(large_is_as_large_as_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
