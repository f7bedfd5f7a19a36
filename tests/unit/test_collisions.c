/* Who blocked whom: a queue played through by hand against what is found, texts of the service, what is foretold. */
#include "model/collisions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"

#define T0 INT64_C(1796000400000) /* an hour of a day in November 2026 */

struct world {
  struct model *m;
  int place;
  struct stats_cache *stats;
  struct loads *loads;
  struct collisions *c;
  struct plan plan;
  unsigned next_id;
};

static void world_open(struct world *w)
{
  *w = (struct world){
      .m = model_new(), .stats = stats_cache_new(0), .loads = loads_new(), .c = collisions_new(), .next_id = 1};
  w->place = account_open(w->m, "eu-central-1", "111122223333");
  plan_init(&w->plan);
}

static void world_close(struct world *w)
{
  plan_fini(&w->plan);
  collisions_free(w->c);
  loads_free(w->loads);
  stats_cache_free(w->stats);
  model_free(w->m);
}

static const struct collisions_result *look(struct world *w, int64_t since, int64_t now, size_t slice)
{
  collisions_begin(w->c, since, now, -1);
  while (!collisions_step(w->c, w->m, now, slice))
    continue;
  while (!loads_step(w->loads, w->m, slice))
    continue;
  return collisions_result(w->c, w->m, w->stats, &w->plan, w->loads, NULL, 0, now);
}

/* A run accepted at `started` that worked from `began` to `ended` (WHEN_NONE: still does). */
static struct run_data piece(char id[80], unsigned n, const char *state, int64_t started, int64_t began, int64_t ended)
{
  struct run_data d = account_run_data(account_run_id(n, id), state, started, ended);
  d.execution_seconds = ended == WHEN_NONE ? 0 : (ended - began) / WHEN_SECOND;
  return d;
}

/* Jobs with limits; starts at random times take a slot when one is free, else wait in line for the first that gets free. */
static void test_queue(void **state)
{
  (void)state;
  uint32_t seed = 77;
  for (int round = 0; round < 40; round++) {
    struct world w;
    int32_t limit = 1 + (int32_t)account_random(&seed, 3);
    int64_t busy_until[3] = {0, 0, 0}, now = T0, begans[60], endeds[60], starteds[60];
    bool waits[60];
    size_t count = 20 + account_random(&seed, 40);
    world_open(&w);
    struct job_data jd = account_job_data("queue");
    jd.max_concurrent_runs = limit;
    jd.queuing = TRI_TRUE;
    strid job = model_put_job(w.m, w.place, &jd, 1)->name;
    for (size_t i = 0; i < count; i++) {
      now += (1 + account_random(&seed, 1200)) * WHEN_SECOND;
      int slot = 0;
      for (int k = 1; k < limit; k++)
        if (busy_until[k] < busy_until[slot])
          slot = k;
      starteds[i] = now;
      begans[i] = busy_until[slot] > now ? busy_until[slot] : now;
      waits[i] = begans[i] - now >= 10 * WHEN_SECOND;
      endeds[i] = begans[i] + (60 + account_random(&seed, 1500)) * WHEN_SECOND;
      busy_until[slot] = endeds[i];
      char id[80];
      struct run_data d =
          piece(id, (unsigned)i, account_random(&seed, 5) == 0 ? "FAILED" : "SUCCEEDED", now, begans[i], endeds[i]);
      d.queuing = TRI_TRUE;
      account_run(w.m, w.place, job, &d, now);
    }
    int64_t end = now + WHEN_DAY;
    const struct collisions_result *r = look(&w, T0, end, 1 + account_random(&seed, 30));
    size_t want = 0;
    for (size_t i = 0; i < count; i++)
      want += waits[i];
    assert_int_equal(r->past_count, want);
    assert_int_equal(r->queued, want);
    for (size_t i = 0, k = 0; i < r->past_count; i++) {
      const struct collision *p = &r->past[r->past_count - 1 - i]; /* oldest first */
      while (!waits[k])
        k++;
      assert_true(p->kind == COLLISION_QUEUED && p->at_ms == starteds[k]);
      assert_int_equal(p->waited_seconds, (begans[k] - starteds[k]) / WHEN_SECOND);
      size_t holders = 0; /* those at work at the moment it was accepted */
      for (size_t n = 0; n < count; n++)
        holders += n != k && begans[n] <= starteds[k] && endeds[n] > starteds[k];
      assert_int_equal(holders, limit);
      assert_int_equal(p->blocked_by_count, limit);
      for (size_t n = 0; n < p->blocked_by_count; n++)
        assert_true(p->blocked_by[n].completed_ms > starteds[k] && p->blocked_by[n].started_ms < starteds[k]);
      k++;
    }
    assert_int_equal(r->median_wait_seconds >= 0, want > 0);
    /* the account's peak is never more than the limit's worth */
    assert_true(r->account_count == 1 && r->accounts[0].peak.runs <= limit);
    assert_true(r->accounts[0].runs_limit == 2000 && r->accounts[0].dpu_limit == 500 && r->accounts[0].assumed);
    /* a shorter window leaves out what was over before it */
    int64_t since = T0 + (now - T0) / 2;
    r = look(&w, since, end, 1000);
    for (size_t i = 0; i < r->past_count; i++)
      assert_true(r->past[i].run.completed_ms >= since);
    world_close(&w);
  }
}

static void test_errors(void **state)
{
  (void)state;
  static const struct {
    const char *error;
    int kind; /* -1: no collision */
  } cases[] = {
      {"Max concurrent runs exceeded", COLLISION_FAILED},
      {"Concurrent runs exceeded for orders-nightly", COLLISION_FAILED},
      {"ConcurrentRunsExceededException: x", COLLISION_FAILED},
      {"Exceeded maximum concurrent compute capacity for your account", COLLISION_ACCOUNT},
      {"Max concurrent compute (DPU) exceeded", COLLISION_ACCOUNT},
      {"ResourceNumberLimitExceededException", COLLISION_ACCOUNT},
      {"Exception: GLUE_JOB_BOOKMARK_VERSION_MISMATCH_ERROR: expected version 7 but found 8", COLLISION_FAILED},
      {"java.util.ConcurrentModificationException", -1},
      {"Access Denied", -1},
      {"", -1},
      {NULL, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    enum collision_kind kind = COLLISION_REJECTED;
    assert_int_equal(collision_of_error(cases[i].error, &kind), cases[i].kind >= 0);
    if (cases[i].kind >= 0)
      assert_int_equal(kind, cases[i].kind);
    assert_int_equal(collision_of_bookmark(cases[i].error),
                     cases[i].error != NULL && strstr(cases[i].error, "BOOKMARK") != NULL);
  }
}

static void test_kinds(void **state)
{
  (void)state;
  struct world w;
  char id[80];
  world_open(&w);
  strid job = account_job(w.m, w.place, "orders-nightly");
  int64_t now = T0 + 10 * WHEN_HOUR;
  /* one works from 0:00 to 1:00; another is refused in between, a third failed for the account after a wait */
  struct run_data d = piece(id, 1, "SUCCEEDED", T0, T0, T0 + WHEN_HOUR);
  account_run(w.m, w.place, job, &d, now);
  d = piece(id, 2, "FAILED", T0 + 30 * WHEN_MINUTE, T0 + 30 * WHEN_MINUTE, T0 + 30 * WHEN_MINUTE);
  d.error = "Max concurrent runs exceeded";
  account_run(w.m, w.place, job, &d, now);
  d = piece(id, 3, "FAILED", T0 + 2 * WHEN_HOUR, T0 + 2 * WHEN_HOUR + 900000, T0 + 2 * WHEN_HOUR + 900000);
  d.error = "Exceeded maximum concurrent compute capacity";
  account_run(w.m, w.place, job, &d, now);
  /* queued though nobody held the job's slot: the account did */
  d = piece(id, 4, "SUCCEEDED", T0 + 3 * WHEN_HOUR, T0 + 3 * WHEN_HOUR + 600000, T0 + 4 * WHEN_HOUR);
  d.queuing = TRI_TRUE;
  account_run(w.m, w.place, job, &d, now);
  /* a slow start without queuing is no collision, nor is Flex taking its time */
  d = piece(id, 5, "SUCCEEDED", T0 + 5 * WHEN_HOUR, T0 + 5 * WHEN_HOUR + 600000, T0 + 6 * WHEN_HOUR);
  account_run(w.m, w.place, job, &d, now);
  d = piece(id, 6, "EXPIRED", T0 + 7 * WHEN_HOUR, T0 + 8 * WHEN_HOUR, T0 + 8 * WHEN_HOUR);
  d.execution_seconds = 0;
  account_run(w.m, w.place, job, &d, now);
  /* a start from here that was refused while one was at work */
  struct change *change = model_add_change(w.m, 1, 0, job, 0, T0 + 20 * WHEN_MINUTE);
  change->result = CHANGE_REFUSED;
  change->kind = ERR_CONFLICT;
  change = model_add_change(w.m, 2, 0, job, 0, T0 + 21 * WHEN_MINUTE);
  change->result = CHANGE_REFUSED;
  change->kind = ERR_DENIED;
  const struct collisions_result *r = look(&w, T0 - WHEN_HOUR, now, 2);
  assert_int_equal(r->past_count, 5);
  assert_true(r->past[0].kind == COLLISION_QUEUED && r->past[0].waited_seconds == 3600 &&
              r->past[0].blocked_by_count == 0);
  assert_true(r->past[1].kind == COLLISION_ACCOUNT && r->past[1].waited_seconds == 600);
  assert_true(r->past[2].kind == COLLISION_ACCOUNT && r->past[2].waited_seconds == 900);
  assert_true(r->past[3].kind == COLLISION_FAILED && r->past[3].blocked_by_count == 1 &&
              r->past[3].blocked_by[0].started_ms == T0);
  assert_true(r->past[4].kind == COLLISION_REJECTED && !r->past[4].has_run && r->past[4].blocked_by_count == 1);
  assert_true(r->rejected == 1 && r->failed == 1 && r->queued == 1 && r->by_account == 2);
  assert_int_equal(r->now_count, 0);
  world_close(&w);
}

static void test_now(void **state)
{
  (void)state;
  struct world w;
  char id[80];
  int64_t now = T0 + 10 * WHEN_HOUR;
  world_open(&w);
  strid job = account_job(w.m, w.place, "finance-close");
  struct job_data jd = account_job_data("twice");
  jd.max_concurrent_runs = 2;
  jd.bookmark = BOOKMARK_ENABLE;
  strid twice = model_put_job(w.m, w.place, &jd, 1)->name;
  for (unsigned i = 0; i < 6; i++) {
    struct run_data d =
        piece(id, 100 + i, "SUCCEEDED", T0 + i * WHEN_HOUR, T0 + i * WHEN_HOUR, T0 + i * WHEN_HOUR + 30 * WHEN_MINUTE);
    account_run(w.m, w.place, job, &d, now);
  }
  struct run_data d = account_run_data(account_run_id(1, id), "RUNNING", now - 20 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 19 * 60;
  account_run(w.m, w.place, job, &d, now);
  d = account_run_data(account_run_id(2, id), "WAITING", now - 10 * WHEN_MINUTE, WHEN_NONE);
  d.state_detail = "Max concurrent runs reached";
  account_run(w.m, w.place, job, &d, now);
  d = account_run_data(account_run_id(3, id), "STARTING", now - WHEN_MINUTE, WHEN_NONE);
  account_run(w.m, w.place, twice, &d, now);
  const struct collisions_result *r = look(&w, T0, now, 100);
  assert_int_equal(r->now_count, 1);
  assert_true(r->now[0].active == 1 && r->now[0].waiting == 1 && r->now[0].limit == 1);
  assert_true(r->now[0].waiting_since_ms == now - 10 * WHEN_MINUTE &&
              r->now[0].holder_end_ms == now + 11 * WHEN_MINUTE);
  assert_string_equal(model_str(w.m, r->now[0].reason), "Max concurrent runs reached");
  assert_true(r->accounts[0].active_runs == 2 && r->accounts[0].waiting_runs == 1 &&
              r->accounts[0].dpu_micros == 20000000);
  assert_true(r->warning_count == 1 && r->warnings[0].job == twice && r->warnings[0].limit == 2);
  /* what waits at the limit takes the place of its holder: the two are never expected at work at once */
  plan_make(&w.plan, w.m, w.stats, -1, now, now + 2 * WHEN_HOUR);
  r = look(&w, T0, now, 100);
  assert_true(r->accounts[0].expected_dpu_micros == 20000000);
  struct collision_quotas q = {.runs = {10, QUOTA_FROM_CONFIG}, .dpu = {64, QUOTA_FROM_SERVICE}};
  r = collisions_result(w.c, w.m, w.stats, &w.plan, w.loads, &q, 1, now);
  assert_true(r->accounts[0].runs_limit == 10 && r->accounts[0].dpu_limit == 64 && !r->accounts[0].assumed);
  world_close(&w);
}

static void test_predicted(void **state)
{
  (void)state;
  struct world w;
  char id[80];
  int64_t now = T0;
  world_open(&w);
  strid job = account_job(w.m, w.place, "hourly");
  /* ten runs of 40 to 85 minutes, in steps of five */
  for (unsigned i = 0; i < 10; i++) {
    int64_t begin = T0 - (i + 2) * 3 * WHEN_HOUR;
    struct run_data d = piece(id, 100 + i, "SUCCEEDED", begin, begin, begin + (40 + 5 * (int)i) * WHEN_MINUTE);
    account_run(w.m, w.place, job, &d, now);
  }
  struct trigger_action action = {.job = "hourly"};
  struct trigger_data t = {.name = "t",
                           .type = "SCHEDULED",
                           .state = "ACTIVATED",
                           .schedule = "cron(0 * * * ? *)",
                           .actions = &action,
                           .action_count = 1};
  model_put_triggers(w.m, w.place, &t, 1, now);
  /* one began twenty minutes ago */
  struct run_data d = account_run_data(account_run_id(1, id), "RUNNING", now - 20 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 20 * 60;
  account_run(w.m, w.place, job, &d, now);
  struct when_civil civil = when_to_civil(now);
  int64_t next_hour = now + (60 - civil.minute) * WHEN_MINUTE;
  plan_make(&w.plan, w.m, w.stats, -1, now, next_hour + 2 * WHEN_HOUR);
  const struct collisions_result *r = look(&w, T0 - WHEN_DAY, now, 100);
  assert_int_equal(w.plan.count, 3);
  assert_int_equal(r->predicted_count, 3);
  /* the live one is at work at the next hour when it takes at least 20 minutes and the rest of this hour */
  double needed = (double)(next_hour - now) / WHEN_MINUTE + 20;
  int longer = 0;
  for (int i = 0; i < 10; i++)
    longer += 40 + 5 * i >= needed;
  const struct collision_predicted *p = &r->predicted[0];
  assert_true(p->at_ms == next_hour && p->has_busy_run && p->limit == 1 && !p->queues);
  assert_true(fabs(p->confidence - longer / 10.0) < 1e-9);
  assert_true((p->advice & COLLISION_ADVISE_QUEUING) != 0 && (p->advice & COLLISION_ADVISE_LIMIT) != 0);
  assert_true(p->suggested_ms == WHEN_NONE || (p->suggested_ms > p->at_ms && p->suggested_ms % (5 * WHEN_MINUTE) == 0));
  /* after it the planned ones meet each other: 6 of 10 take an hour or more */
  p = &r->predicted[2];
  assert_true(!p->has_busy_run && p->busy_began_ms == p->at_ms - WHEN_HOUR && fabs(p->confidence - 0.6) < 1e-9);
  assert_true((p->advice & COLLISION_ADVISE_FASTER) != 0 && (p->advice & COLLISION_ADVISE_LATER) != 0);
  assert_true(p->busy_until_ms == p->busy_began_ms + (int64_t)(62.5 * WHEN_MINUTE));
  /* what is expected at most: live and planned ones together */
  assert_true(r->accounts[0].expected_dpu_micros >= 10000000 && r->accounts[0].expected_at_ms != WHEN_NONE);
  /* with a limit of 2 two must be at work at once */
  struct job_data jd = account_job_data("hourly");
  jd.max_concurrent_runs = 2;
  jd.queuing = TRI_TRUE;
  jd.bookmark = BOOKMARK_ENABLE;
  jd.modified_ms = 2;
  model_put_job(w.m, w.place, &jd, 2);
  r = look(&w, T0 - WHEN_DAY, now, 100);
  for (size_t i = 0; i < r->predicted_count; i++)
    assert_true(r->predicted[i].limit == 2 && r->predicted[i].queues && r->predicted[i].confidence < 0.6 &&
                (r->predicted[i].advice & (COLLISION_ADVISE_QUEUING | COLLISION_ADVISE_LIMIT)) == 0);
  /* a stream never ends: a second start of it clashes for sure */
  jd = account_job_data("stream");
  jd.command_name = "gluestreaming";
  strid stream = model_put_job(w.m, w.place, &jd, 1)->name;
  d = account_run_data(account_run_id(2, id), "RUNNING", now - 40 * WHEN_DAY, WHEN_NONE);
  account_run(w.m, w.place, stream, &d, now);
  action.job = "stream";
  model_put_triggers(w.m, w.place, &t, 1, now);
  plan_make(&w.plan, w.m, w.stats, -1, now, next_hour);
  r = look(&w, T0 - WHEN_DAY, now, 100);
  assert_true(r->predicted_count == 1 && r->predicted[0].confidence > 0.999 &&
              r->predicted[0].busy_until_ms == WHEN_NONE);
  world_close(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_queue), cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_kinds), cmocka_unit_test(test_now),
                                     cmocka_unit_test(test_predicted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
