/* What needs a person: each kind comes and goes, the order, and what could not be seen. */
#include "model/home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"

#define NOW INT64_C(1796047400000)

struct world {
  struct model *m;
  int place;
  struct stats_cache *stats;
  struct loads *loads;
  struct burn *burn;
  struct collisions *collisions;
  struct timeouts *timeouts;
  struct plan plan;
  struct home_result home;
};

static void world_open(struct world *w)
{
  *w = (struct world){.m = model_new(),
                      .stats = stats_cache_new(0),
                      .loads = loads_new(),
                      .burn = burn_new(),
                      .collisions = collisions_new(),
                      .timeouts = timeouts_new()};
  w->place = account_open(w->m, "us-east-1", "111122223333");
  plan_init(&w->plan);
  home_init(&w->home);
}

static void world_close(struct world *w)
{
  home_fini(&w->home);
  plan_fini(&w->plan);
  timeouts_free(w->timeouts);
  collisions_free(w->collisions);
  burn_free(w->burn);
  loads_free(w->loads);
  stats_cache_free(w->stats);
  model_free(w->m);
}

static const struct home_result *look(struct world *w, int64_t now)
{
  int64_t since = now - WHEN_DAY;
  burn_begin(w->burn, since, now, -1, false);
  collisions_begin(w->collisions, since, now, -1);
  timeouts_begin(w->timeouts, since, now, -1, false);
  while (!burn_step(w->burn, w->m, NULL, now, 100) || !collisions_step(w->collisions, w->m, now, 100) ||
         !timeouts_step(w->timeouts, w->m, NULL, now, 100) || !loads_step(w->loads, w->m, 100))
    continue;
  plan_make(&w->plan, w->m, w->stats, -1, now, now + WHEN_DAY);
  home_fill(&w->home, w->m, burn_result(w->burn, w->m, NULL, now),
            collisions_result(w->collisions, w->m, w->stats, &w->plan, w->loads, NULL, 0, now),
            timeouts_result(w->timeouts, w->m, NULL, w->stats, now), -1, since, now);
  return &w->home;
}

static const struct home_item *find(const struct home_result *h, enum home_kind kind)
{
  for (size_t i = 0; i < h->count; i++)
    if (h->items[i].kind == kind)
      return &h->items[i];
  return NULL;
}

/* The same where it must be there: one that equals nothing otherwise. */
static const struct home_item *must(const struct home_result *h, enum home_kind kind)
{
  static char nothing[] = "nothing";
  static struct home_item none = {.severity = HOME_HINT, .kind = HOME_UNREADABLE};
  none.what = none.reason = nothing;
  const struct home_item *item = find(h, kind);
  assert_non_null(item);
  return item == NULL ? &none : item;
}

static strid history(struct world *w, const char *name, unsigned n, int minutes)
{
  strid job = account_job(w->m, w->place, name);
  for (unsigned i = 0; i < 6; i++) {
    char id[80];
    int64_t begin = NOW - (i + 2) * WHEN_DAY;
    struct run_data d = account_run_data(account_run_id(n + i, id), "SUCCEEDED", begin, begin + minutes * WHEN_MINUTE);
    account_run(w->m, w->place, job, &d, NOW);
  }
  return job;
}

static void test_failures(void **state)
{
  (void)state;
  struct world w;
  char id[80], retry[100];
  world_open(&w);
  strid job = history(&w, "orders-silver", 1, 10);
  assert_int_equal(look(&w, NOW)->count, 0);
  assert_int_equal(w.home.jobs_watched, 1);
  struct run_data d = account_run_data(account_run_id(100, id), "FAILED", NOW - 2 * WHEN_HOUR, NOW - 110 * WHEN_MINUTE);
  account_run(w.m, w.place, job, &d, NOW);
  d = account_run_data(account_run_id(101, id), "FAILED", NOW - 20 * WHEN_MINUTE, NOW - 10 * WHEN_MINUTE);
  d.error = "\n  access denied on s3://curated\r\nat x.y.Z";
  account_run(w.m, w.place, job, &d, NOW);
  const struct home_item *item = must(look(&w, NOW), HOME_FAILED);
  assert_true(w.home.count == 1 && w.home.errors == 1 && item->severity == HOME_ERROR &&
              item->since_ms == NOW - 10 * WHEN_MINUTE);
  assert_string_equal(item->what, "failed, 2nd time in 24h");
  assert_string_equal(item->reason, "access denied on s3://curated ...");
  assert_true(item->remedy == HOME_OPEN_RUN && item->has_run && item->run.started_ms == NOW - 20 * WHEN_MINUTE);
  /* it runs again: less loud; a retry that succeeds settles it */
  snprintf(retry, sizeof retry, "%s_attempt_1", account_run_id(101, id));
  d = account_run_data(retry, "RUNNING", NOW - 9 * WHEN_MINUTE, WHEN_NONE);
  account_run(w.m, w.place, job, &d, NOW);
  item = must(look(&w, NOW), HOME_FAILED);
  assert_true(item->severity == HOME_WARNING && w.home.errors == 0);
  d = account_run_data(retry, "SUCCEEDED", NOW - 9 * WHEN_MINUTE, NOW - WHEN_MINUTE);
  account_run(w.m, w.place, job, &d, NOW);
  assert_null(find(look(&w, NOW), HOME_FAILED));
  /* what failed longer ago than anybody asks for is not shown */
  d = account_run_data(account_run_id(102, id), "TIMEOUT", NOW - 30 * WHEN_SECOND, NOW);
  account_run(w.m, w.place, job, &d, NOW);
  assert_non_null(find(look(&w, NOW), HOME_FAILED));
  assert_null(find(look(&w, NOW + 2 * WHEN_DAY), HOME_FAILED));
  world_close(&w);
}

static void test_runs_in_flight(void **state)
{
  (void)state;
  struct world w;
  char id[80];
  world_open(&w);
  strid slow = history(&w, "clickstream-hourly", 1, 64), held = history(&w, "finance-close", 50, 30),
        dear = history(&w, "inventory-delta", 90, 10);
  struct run_data d = account_run_data(account_run_id(200, id), "RUNNING", NOW - 110 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 109 * 60;
  d.timeout_minutes = 120;
  account_run(w.m, w.place, slow, &d, NOW);
  d = account_run_data(account_run_id(201, id), "RUNNING", NOW - 40 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 39 * 60;
  account_run(w.m, w.place, held, &d, NOW);
  d = account_run_data(account_run_id(202, id), "WAITING", NOW - 26 * WHEN_MINUTE, WHEN_NONE);
  d.state_detail = "Max concurrent runs reached";
  account_run(w.m, w.place, held, &d, NOW);
  d = account_run_data(account_run_id(203, id), "RUNNING", NOW - 30 * WHEN_MINUTE, WHEN_NONE);
  d.execution_seconds = 25 * 60;
  account_run(w.m, w.place, dear, &d, NOW);
  const struct home_result *h = look(&w, NOW);
  const struct home_item *item = must(h, HOME_TIMEOUT_NEAR);
  assert_string_equal(item->what, "may hit its timeout in 11m00s");
  assert_string_equal(item->reason, "109 of 120 min, usually 64");
  item = must(h, HOME_STUCK);
  assert_true(item->remedy == HOME_OPEN_HOLDER && item->has_run && item->run.started_ms == NOW - 40 * WHEN_MINUTE);
  assert_string_equal(item->what, "waiting 26m00s, limit 1 held");
  assert_string_equal(item->reason, "Max concurrent runs reached");
  item = must(h, HOME_COSTLY);
  assert_true(item->job == dear && item->severity == HOME_HINT);
  assert_string_equal(item->what, "costs 2.5x its usual");
  assert_string_equal(item->reason, "$1.83, median $0.73");
  assert_true(h->count == 3 && h->errors == 0 && h->warnings == 2);
  for (size_t i = 1; i < h->count; i++)
    assert_true(h->items[i - 1].severity <= h->items[i].severity);
  world_close(&w);
}

static void test_schedule_logins_and_blind_spots(void **state)
{
  (void)state;
  struct world w;
  char id[80];
  world_open(&w);
  strid job = account_job(w.m, w.place, "partner-export");
  struct when_civil civil = when_to_civil(NOW - 14 * WHEN_MINUTE);
  char cron[60];
  snprintf(cron, sizeof cron, "cron(%d %d * * ? *)", civil.minute, civil.hour);
  struct trigger_action action[2] = {{.job = "partner-export"}, {.job = "partner-export"}};
  struct trigger_data t = {
      .name = "t", .type = "SCHEDULED", .state = "ACTIVATED", .schedule = cron, .actions = action, .action_count = 2};
  model_put_triggers(w.m, w.place, &t, 1, NOW);
  int64_t due = NOW - 14 * WHEN_MINUTE;
  due -= due % WHEN_MINUTE;
  struct run_data d = account_run_data(account_run_id(1, id), "SUCCEEDED", due - WHEN_DAY, due - WHEN_DAY + 60000);
  account_run(w.m, w.place, job, &d, NOW);
  freshness_good(&model_job_mutable(w.m, w.place, job)->runs_fresh, NOW, true);
  const struct home_item *item = must(look(&w, NOW), HOME_OVERDUE);
  assert_true(item->severity == HOME_WARNING && item->since_ms == due && w.home.count == 1);
  assert_non_null(strstr(item->reason, "by t"));
  t.state = "DEACTIVATED";
  model_put_triggers(w.m, w.place, &t, 1, NOW);
  item = must(look(&w, NOW), HOME_OVERDUE);
  assert_true(item->severity == HOME_HINT && strstr(item->reason, "trigger off") != NULL);
  /* the runs of a job cannot be read, and somebody must log in: the login comes first */
  freshness_bad(&model_job_mutable(w.m, w.place, job)->runs_fresh, err_new(ERR_DENIED, "not authorized"), NOW,
                NOW + 60000);
  w.m->contexts[0].needs_login = true;
  const struct home_result *h = look(&w, NOW);
  assert_true(h->items[0].kind == HOME_LOGIN && h->items[0].context == 0 && h->items[0].severity == HOME_ERROR);
  item = must(h, HOME_UNREADABLE);
  assert_string_equal(item->what, "runs of 1 job could not be read: denied");
  /* what no login mends is not called one */
  struct err settings = err_new(ERR_CONFIG, "no Region is set");
  err_set_hint(&settings, "give --region");
  freshness_bad(&w.m->contexts[0].identity_fresh, settings, NOW, WHEN_NONE);
  h = look(&w, NOW);
  assert_true(h->items[0].kind == HOME_LOGIN && h->items[0].remedy == HOME_OPEN_PROBLEMS);
  assert_non_null(strstr(h->items[0].what, "cannot be opened"));
  assert_string_equal(h->items[0].reason, "no Region is set: give --region");
  item = must(h, HOME_UNREADABLE);
  assert_string_equal(item->reason, "not authorized");
  account_job(w.m, w.place, "never-read");
  assert_true(look(&w, NOW)->jobs_unread == 1 && w.home.jobs_watched == 2);
  /* a start from here that was refused, until the job runs after all */
  struct change *change = model_add_change(w.m, 1, 0, job, 0, NOW - WHEN_HOUR);
  change->result = CHANGE_REFUSED;
  change->kind = ERR_CONFLICT;
  model_touch(w.m);
  assert_non_null(find(look(&w, NOW), HOME_REJECTED));
  d = account_run_data(account_run_id(2, id), "SUCCEEDED", NOW - 10 * WHEN_MINUTE, NOW - 5 * WHEN_MINUTE);
  account_run(w.m, w.place, job, &d, NOW);
  assert_null(find(look(&w, NOW), HOME_REJECTED));
  assert_null(find(look(&w, NOW), HOME_OVERDUE)); /* and a run since the due time */
  world_close(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_failures), cmocka_unit_test(test_runs_in_flight),
                                     cmocka_unit_test(test_schedule_logins_and_blind_spots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
