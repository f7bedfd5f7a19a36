/* Planned starts: schedules, conditional triggers behind expected ends, what is off, what is overdue. */
#include "model/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "model/cron.h"

static int64_t at(const char *iso)
{
  int64_t ms = 0;
  if (!when_parse_iso(iso, &ms))
    fail_msg("not a time: %s", iso);
  return ms;
}

static struct trigger_data scheduled(const char *name, const char *state, const char *cron,
                                     struct trigger_action *actions, size_t count)
{
  return (struct trigger_data){
      .name = name, .type = "SCHEDULED", .state = state, .schedule = cron, .actions = actions, .action_count = count};
}

static struct trigger_data conditional(const char *name, bool any, struct trigger_condition *conditions,
                                       size_t condition_count, struct trigger_action *actions, size_t count)
{
  return (struct trigger_data){.name = name,
                               .type = "CONDITIONAL",
                               .state = "ACTIVATED",
                               .any = any,
                               .conditions = conditions,
                               .condition_count = condition_count,
                               .actions = actions,
                               .action_count = count};
}

/* A job whose runs took so many seconds each. */
static strid job_with_history(struct model *m, int place, const char *name, int64_t end, const int *seconds,
                              size_t count)
{
  static unsigned number = 1000;
  strid job = account_job(m, place, name);
  for (size_t i = 0; i < count; i++) {
    char id[80];
    int64_t begin = end - (int64_t)(i + 1) * 2 * WHEN_HOUR;
    struct run_data d =
        account_run_data(account_run_id(number++, id), "SUCCEEDED", begin, begin + seconds[i] * WHEN_SECOND);
    account_run(m, place, job, &d, end);
  }
  return job;
}

static void expect(const struct model *m, const struct plan *p, const char *const *want, size_t count)
{
  for (size_t i = 0; i < count || i < p->count; i++) {
    char line[200] = "nothing", time[WHEN_TEXT_MAX], late[WHEN_TEXT_MAX];
    if (i < p->count)
      snprintf(line, sizeof line, "%.16s %.16s %s by %s", when_format_iso(p->starts[i].at_ms, time),
               when_format_iso(p->starts[i].late_ms, late), model_str(m, p->starts[i].job),
               model_str(m, p->starts[i].trigger));
    if (i >= count || strcmp(line, want[i]) != 0)
      fail_msg("start %zu: %s, not %s", i, line, i < count ? want[i] : "nothing");
  }
}

static void test_plan(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "eu-west-1", "111122223333");
  int64_t now = at("2026-11-30T23:00:00Z");
  struct stats_cache *stats = stats_cache_new(0);
  strid bronze = job_with_history(m, place, "bronze", now, (const int[]){600, 600, 1200}, 3);
  strid refs = job_with_history(m, place, "refs", now, (const int[]){1800}, 1);
  job_with_history(m, place, "silver", now, (const int[]){300}, 1);
  account_job(m, place, "gold");
  struct trigger_action a_bronze[] = {{.job = "bronze"}, {.crawler = "raw"}},
                        a_refs[] = {{.job = "refs", .timeout_minutes = 60}}, a_silver[] = {{.job = "silver"}},
                        a_gold[] = {{.job = "gold"}, {.job = "gold"}}, a_off[] = {{.job = "refs"}};
  struct trigger_condition both[] = {{.job = "bronze", .state = "SUCCEEDED"}, {.job = "refs", .state = "SUCCEEDED"}},
                           silver[] = {{.job = "silver", .state = "SUCCEEDED"},
                                       {.crawler = "raw", .crawl_state = "FAILED"}},
                           failed[] = {{.job = "bronze", .state = "FAILED"}},
                           crawled[] = {{.job = "bronze", .state = "SUCCEEDED"},
                                        {.crawler = "raw", .crawl_state = "SUCCEEDED"}},
                           unknown[] = {{.job = "gold", .state = "SUCCEEDED"}};
  struct trigger_data triggers[] = {
      scheduled("t-bronze", "ACTIVATED", "cron(0 0/12 * * ? *)", a_bronze, 2),
      scheduled("t-refs", "ACTIVATED", "cron(5 0 * * ? *)", a_refs, 1),
      scheduled("t-off", "CREATED", "cron(0/5 * * * ? *)", a_off, 1),
      scheduled("t-bad", "ACTIVATED", "cron(0 0 * * * *)", a_off, 1),
      scheduled("t-empty", "ACTIVATED", "cron(0/15 8-18 ? * MON-FRI *)", NULL, 0),
      conditional("t-silver", false, both, 2, a_silver, 1),
      conditional("t-gold", true, silver, 2, a_gold, 2),
      conditional("t-on-failure", false, failed, 1, a_refs, 1),
      conditional("t-crawled", false, crawled, 2, a_refs, 1),
      conditional("t-after-unknown", true, unknown, 1, a_refs, 1),
      {.name = "od", .type = "ON_DEMAND", .state = "CREATED", .actions = a_refs, .action_count = 1}};
  model_put_triggers(m, place, triggers, sizeof triggers / sizeof triggers[0], now);
  struct plan p;
  plan_init(&p);
  plan_make(&p, m, stats, -1, now, at("2026-12-01T13:00:00Z"));
  static const char *const want[] = {
      "2026-12-01T00:00 2026-12-01T00:00 bronze by t-bronze", "2026-12-01T00:05 2026-12-01T00:05 refs by t-refs",
      /* both met when refs ends at 00:35; gold twice when silver has */
      "2026-12-01T00:35 2026-12-01T00:35 silver by t-silver", "2026-12-01T00:40 2026-12-01T00:40 gold by t-gold",
      "2026-12-01T00:40 2026-12-01T00:40 gold by t-gold", "2026-12-01T12:00 2026-12-01T12:00 bronze by t-bronze"};
  expect(m, &p, want, sizeof want / sizeof want[0]);
  assert_true(p.unreadable == 1 && !p.truncated && p.done);
  assert_true(p.starts[0].seconds == 600 && p.starts[0].late_seconds == 1140 && p.starts[0].timeout_minutes == -1);
  assert_true(p.starts[1].timeout_minutes == 60 && p.starts[2].conditional && isnan(p.starts[3].seconds));
  assert_ptr_equal(plan_next(&p, place, bronze), &p.starts[0]);
  assert_null(plan_next(&p, place, strpool_find(m->strings, "raw")));
  /* step by step it is the same */
  struct plan q;
  plan_init(&q);
  plan_begin(&q, m, stats, -1, now, p.until_ms);
  size_t steps = 0;
  while (!plan_step(&q, m, stats, 1))
    steps++;
  assert_true(steps > 5 && q.count == p.count);
  for (size_t i = 0; i < p.count; i++)
    assert_true(q.starts[i].at_ms == p.starts[i].at_ms && q.starts[i].job == p.starts[i].job);
  plan_fini(&q);
  /* a run in flight that a trigger started has an end too */
  struct run_data d = account_run_data("jr_live", "RUNNING", now - 5 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 240;
  d.trigger = "t-bronze";
  account_run(m, place, bronze, &d, now);
  d.id = "jr_live2";
  d.execution_seconds = 2400; /* longer than ever: it may end at any moment */
  d.trigger = "t-refs";
  account_run(m, place, refs, &d, now);
  plan_make(&p, m, stats, place, now, at("2026-11-30T23:30:00Z"));
  static const char *const live[] = {"2026-11-30T23:06 2026-11-30T23:15 silver by t-silver",
                                     "2026-11-30T23:11 2026-11-30T23:20 gold by t-gold",
                                     "2026-11-30T23:11 2026-11-30T23:20 gold by t-gold"};
  expect(m, &p, live, sizeof live / sizeof live[0]);
  strid trigger = 0;
  assert_true(schedule_next(m, place, refs, now, &trigger) == at("2026-12-01T00:05:00Z"));
  assert_string_equal(model_str(m, trigger), "t-refs");
  assert_true(schedule_next(m, place, strpool_find(m->strings, "gold"), now, NULL) == WHEN_NONE);
  plan_fini(&p);
  stats_cache_free(stats);
  model_free(m);
}

static void test_expected_end(void **state)
{
  (void)state;
  int64_t seconds[] = {60, 120, 180, 3600, 7200}, now = at("2026-11-30T23:00:00Z");
  struct job_stats s = {.seconds = seconds, .times = {.count = 5}};
  static const struct {
    int elapsed, p50, p100; /* seconds; the expected length in all */
  } cases[] = {{0, 180, 7200},    {60, 180, 7200},    {61, 1890, 7200},
               {181, 5400, 7200}, {3601, 7200, 7200}, {7201, 7201, 7201}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct run r = {.state = RUN_RUNNING,
                    .execution_seconds = cases[i].elapsed,
                    .fetched_ms = now,
                    .started_ms = now,
                    .first_running_ms = now - cases[i].elapsed * WHEN_SECOND,
                    .completed_ms = WHEN_NONE};
    assert_true(schedule_run_end(&r, &s, now, 50) == now + (cases[i].p50 - cases[i].elapsed) * WHEN_SECOND);
    assert_true(schedule_run_end(&r, &s, now, 100) == now + (cases[i].p100 - cases[i].elapsed) * WHEN_SECOND);
  }
  struct run waiting = {.state = RUN_WAITING, .started_ms = now - WHEN_HOUR, .fetched_ms = now};
  assert_true(schedule_run_end(&waiting, &s, now, 50) == now + 180 * WHEN_SECOND);
  s.times.count = 0;
  assert_true(schedule_run_end(&waiting, &s, now, 50) == WHEN_NONE);
}

/* A job that starts itself again, workflows that do not hear each other, and a limit. */
static void test_cycles_and_workflows(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "eu-west-1", "111122223333");
  int64_t now = at("2026-11-30T23:00:00Z");
  struct stats_cache *stats = stats_cache_new(0);
  job_with_history(m, place, "loop", now, (const int[]){0, 0}, 2);
  job_with_history(m, place, "x", now, (const int[]){60}, 1);
  struct trigger_action loop[] = {{.job = "loop"}}, x[] = {{.job = "x"}};
  struct trigger_condition after_loop[] = {{.job = "loop", .state = "SUCCEEDED"}},
                           after_x[] = {{.job = "x", .state = "SUCCEEDED"}};
  struct trigger_data triggers[] = {scheduled("t", "ACTIVATED", "cron(10 23 * * ? *)", x, 1),
                                    conditional("other", true, after_x, 1, loop, 1)};
  triggers[0].workflow = "w1";
  triggers[1].workflow = "w2";
  struct plan p;
  plan_init(&p);
  model_put_triggers(m, place, triggers, 2, now);
  plan_make(&p, m, stats, -1, now, now + WHEN_HOUR);
  assert_int_equal(p.count, 1);
  triggers[1].workflow = "w1";
  model_put_triggers(m, place, triggers, 2, now);
  plan_make(&p, m, stats, -1, now, now + WHEN_HOUR);
  assert_int_equal(p.count, 2);
  triggers[0] = scheduled("t", "ACTIVATED", "cron(10 23 * * ? *)", loop, 1);
  triggers[1] = conditional("again", true, after_loop, 1, loop, 1);
  model_put_triggers(m, place, triggers, 2, now);
  plan_make(&p, m, stats, -1, now, now + WHEN_HOUR);
  assert_true(p.truncated && p.count == PLAN_LIMIT);
  plan_fini(&p);
  stats_cache_free(stats);
  model_free(m);
}

static void test_overdue(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "eu-west-1", "111122223333");
  int64_t now = at("2026-11-30T14:00:00Z"), grace = 5 * WHEN_MINUTE;
  struct trigger_action actions[] = {{.job = "partner-export"}};
  struct trigger_data t = scheduled("t", "ACTIVATED", "cron(45 13 * * ? *)", actions, 1);
  struct overdue o;
  strid job = account_job(m, place, "partner-export");
  model_put_triggers(m, place, &t, 1, now);
  freshness_good(&model_job_mutable(m, place, job)->runs_fresh, now, true);
  const struct job *j = model_job(m, place, job);
  assert_false(schedule_overdue(m, place, j, now, grace, &o)); /* it never ran: a new trigger */
  struct run_data d = account_run_data("jr_yesterday", "SUCCEEDED", now - WHEN_DAY - 14 * WHEN_MINUTE, now - WHEN_DAY);
  account_run(m, place, job, &d, now);
  assert_true(schedule_overdue(m, place, j, now, grace, &o));
  assert_true(o.due_ms == at("2026-11-30T13:45:00Z") && !o.off);
  assert_false(schedule_overdue(m, place, j, o.due_ms + WHEN_MINUTE, grace, &o)); /* may still come */
  t.state = "DEACTIVATED";
  model_put_triggers(m, place, &t, 1, now);
  assert_true(schedule_overdue(m, place, j, now, grace, &o) && o.off);
  assert_false(schedule_overdue(m, place, j, now + WHEN_DAY, grace, &o)); /* off since before the time before */
  freshness_good(&model_job_mutable(m, place, job)->runs_fresh, at("2026-11-30T13:46:00Z"), true);
  assert_false(schedule_overdue(m, place, j, now, grace, &o)); /* nobody has looked since */
  freshness_good(&model_job_mutable(m, place, job)->runs_fresh, now, true);
  d = account_run_data("jr_today", "FAILED", now - 14 * WHEN_MINUTE, now - 13 * WHEN_MINUTE);
  account_run(m, place, job, &d, now);
  assert_false(schedule_overdue(m, place, j, now, grace, &o));
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_expected_end),
                                     cmocka_unit_test(test_cycles_and_workflows), cmocka_unit_test(test_overdue)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
