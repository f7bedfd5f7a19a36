/* Burn against sums by brute force on random histories that change, and the figures of the calendar. */
#include "model/burn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"

#define JOBS 6

static int64_t at(const char *iso)
{
  int64_t ms = 0;
  if (!when_parse_iso(iso, &ms))
    fail_msg("not a time: %s", iso);
  return ms;
}

static const struct burn_result *settle(struct burn *b, const struct model *m, int64_t now, size_t slice)
{
  while (!burn_step(b, m, NULL, now, slice))
    continue;
  return burn_result(b, m, NULL, now);
}

/* Everything the result says, counted again the slow way. */
static void check(const struct model *m, const struct burn_result *r, int64_t now)
{
  struct cost_sum all = {0}, waste = {0};
  size_t jobs = 0;
  int64_t today = 0, week = 0, month = 0, rate = 0, before = 0;
  int64_t day_start = now - now % WHEN_DAY, month_start = when_month_start(now, WHEN_UTC);
  for (size_t p = 0; p < m->place_count; p++) {
    for (size_t i = 0; i < m->places[p].job_count; i++) {
      const struct job *j = &m->places[p].jobs[i];
      struct cost_sum sum = {0};
      for (size_t k = 0; k < j->run_count; k++) {
        const struct run *run = &j->runs[k];
        struct cost c = cost_of_run(m, NULL, (int)p, j, run, now);
        int64_t began = cost_began(run, NULL), one = 0;
        if (began == WHEN_NONE)
          began = run->started_ms;
        int64_t ended = cost_ended(run, now);
        today += cost_part(c.nano, began, ended, day_start, INT64_MAX);
        week += cost_part(c.nano, began, ended, day_start - 6 * WHEN_DAY, INT64_MAX);
        month += cost_part(c.nano, began, ended, month_start, INT64_MAX);
        if (cost_rate_of_run(m, NULL, (int)p, j, run, &one))
          rate += one;
        if (!run_meets(run, r->since_ms, r->until_ms, now))
          continue;
        cost_sum_add(&sum, &c);
        before += r->since_ms == INT64_MIN ? 0 : cost_part(c.nano, began, ended, INT64_MIN, r->since_ms);
        if (run->state == RUN_FAILED || run->state == RUN_STOPPED || run->state == RUN_TIMEOUT)
          cost_sum_add(&waste, &c);
      }
      cost_sum_add_sum(&all, &sum);
      const struct burn_job *row = NULL;
      for (size_t k = 0; k < r->job_count; k++)
        if (r->jobs[k].place == (int)p && r->jobs[k].job == j->name)
          row = &r->jobs[k];
      assert_int_equal(row != NULL, sum.runs > 0);
      if (row != NULL)
        assert_memory_equal(&row->sum, &sum, sizeof sum);
      jobs += sum.runs > 0;
    }
  }
  assert_memory_equal(&r->sum, &all, sizeof all);
  assert_memory_equal(&r->failed, &waste, sizeof waste);
  struct cost_sum wastes = {0};
  for (size_t i = 0; i < BURN_WASTES; i++)
    cost_sum_add_sum(&wastes, &r->wastes[i]);
  assert_memory_equal(&wastes, &waste, sizeof waste);
  assert_int_equal(r->job_count, jobs);
  struct cost_sum parts = {0};
  int64_t days = 0, day_dpu = 0, before_parts = 0;
  double share = 0;
  for (size_t i = 0; i < r->job_count; i++) {
    cost_sum_add_sum(&parts, &r->jobs[i].sum);
    share += r->jobs[i].share;
    before_parts += r->jobs[i].before_nano;
    assert_true(i == 0 || cost_sum_nano(&r->jobs[i].sum) <= cost_sum_nano(&r->jobs[i - 1].sum));
  }
  assert_memory_equal(&parts, &all, sizeof all);
  assert_true(r->before_nano == before && before_parts == before);
  parts = (struct cost_sum){0};
  for (size_t i = 0; i < BURN_CLASSES; i++)
    cost_sum_add_sum(&parts, &r->classes[i]);
  assert_memory_equal(&parts, &all, sizeof all);
  for (size_t i = 0; i < r->day_count; i++) {
    days += r->days[i].nano;
    day_dpu += r->days[i].dpu_micros;
    assert_true(r->days[i].day_ms % WHEN_DAY == 0 && (i == 0 || r->days[i].day_ms > r->days[i - 1].day_ms));
  }
  assert_true(days == cost_sum_nano(&all) && day_dpu == cost_sum_dpu_micros(&all));
  assert_true(days == 0 || fabs(share - 1) < 1e-9);
  if (r->today_nano != today || r->week_nano != week || r->month_nano != month)
    fail_msg("today %lld %lld week %lld %lld month %lld %lld", (long long)r->today_nano, (long long)today,
             (long long)r->week_nano, (long long)week, (long long)r->month_nano, (long long)month);
  assert_true(r->today_nano == today && r->week_nano == week && r->month_nano == month);
  assert_true(r->nano_per_hour_now == rate);
}

static void random_change(struct model *m, const int *places, uint32_t *seed, int64_t now, unsigned round)
{
  static const char *const states[] = {"SUCCEEDED", "SUCCEEDED", "FAILED", "TIMEOUT", "STOPPED",
                                       "RUNNING",   "WAITING",   "ERROR",  "ODD"};
  static const char *const versions[] = {"4.0", "5.1", "6.0", "1.0", NULL};
  static const char *const workers[] = {"G.1X", "G.2X", "R.1X", "Q.99X"};
  char id[80], name[20];
  unsigned n = account_random(seed, 300);
  int place = places[n % 2];
  snprintf(name, sizeof name, "job%u", n % JOBS);
  strid job = strpool_find(m->strings, name);
  const char *state = states[account_random(seed, 9)];
  bool live = strcmp(state, "RUNNING") == 0 || strcmp(state, "WAITING") == 0 || strcmp(state, "ODD") == 0;
  int64_t begin = now - 40 * WHEN_DAY + (int64_t)n * 3 * WHEN_HOUR,
          end = begin + account_random(seed, 200000) * WHEN_SECOND;
  if (end > now)
    end = now;
  if (live && begin < now - 2 * WHEN_DAY && account_random(seed, 4) != 0)
    begin = now - account_random(seed, 7200) * WHEN_SECOND;
  struct run_data d = account_run_data(account_run_id(n, id), state, begin, live ? WHEN_NONE : end);
  d.modified_ms = now + round;
  d.glue_version = versions[account_random(seed, 5)];
  d.worker_type = workers[account_random(seed, 4)];
  d.execution_class = account_random(seed, 5) == 0 ? "FLEX" : "STANDARD";
  if (strcmp(d.worker_type, "G.1X") != 0)
    d.max_capacity = (double)NAN;
  if (account_random(seed, 4) == 0)
    d.dpu_seconds = account_random(seed, 100000) / 3.0;
  account_run(m, place, job, &d, now);
}

/* What runs cost hangs on their job's kind too, which may be learnt later than they are. */
static void random_definition(struct model *m, const int *places, uint32_t *seed, int64_t now)
{
  static const char *const commands[] = {"glueetl", "pythonshell", "glueray", "gluestreaming"};
  static const char *const versions[] = {"4.0", "6.0", "1.0", NULL};
  char name[20];
  unsigned n = account_random(seed, 300);
  snprintf(name, sizeof name, "job%u", n % JOBS);
  struct job_data d = account_job_data(name);
  d.command_name = commands[account_random(seed, 4)];
  d.glue_version = versions[account_random(seed, 4)];
  model_put_job(m, places[n % 2], &d, now);
}

static void test_random_histories(void **state)
{
  (void)state;
  for (unsigned history = 0; history < 6; history++) {
    struct model *m = model_new();
    int places[2] = {account_open(m, "us-east-1", "111122223333"), account_open(m, "eu-central-1", "444455556666")};
    uint32_t seed = 100 + history;
    int64_t now = at("2026-11-30T14:03:21.123Z");
    for (int p = 0; p < 2; p++)
      for (int i = 0; i < JOBS; i++) {
        char name[20];
        snprintf(name, sizeof name, "job%d", i);
        account_job(m, places[p], name);
      }
    struct burn *kept = burn_new();
    burn_begin(kept, now - 7 * WHEN_DAY, now, -1, false);
    for (unsigned round = 0; round < 400; round++) {
      random_change(m, places, &seed, now, round);
      if (round % 7 == 3)
        random_definition(m, places, &seed, now);
      if (round % 20 != 0) {
        burn_step(kept, m, NULL, now, 3);
        continue;
      }
      now += WHEN_MINUTE;
      if (round % 100 == 0)
        burn_begin(kept, now - account_random(&seed, 30) * WHEN_DAY, now - account_random(&seed, 2) * WHEN_DAY, -1,
                   false);
      check(m, settle(kept, m, now, 5), now);
      struct burn *fresh = burn_new();
      burn_begin(fresh, INT64_MIN, INT64_MAX, -1, false);
      check(m, settle(fresh, m, now, 1000000), now);
      burn_free(fresh);
    }
    burn_begin(kept, INT64_MIN, INT64_MAX, -1, false);
    check(m, settle(kept, m, now, 100), now);
    model_close_context(m, 1);
    const struct burn_result *r = settle(kept, m, now, 100);
    for (size_t i = 0; i < r->job_count; i++)
      assert_int_equal(r->jobs[i].place, places[0]);
    burn_begin(kept, INT64_MIN, INT64_MAX, places[0], false);
    int64_t total = cost_sum_nano(&r->sum);
    r = settle(kept, m, now, 100);
    assert_true(cost_sum_nano(&r->sum) == total);
    burn_free(kept);
    model_free(m);
  }
}

static void test_figures(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  int64_t now = at("2026-11-21T12:00:00Z"), day = at("2026-11-21T00:00:00Z");
  strid job = account_job(m, place, "orders-silver"), other = account_job(m, place, "orders-gold");
  char id[80];
  unsigned n = 1;
  for (int i = 1; i <= 10; i++) { /* an hour of 10 DPU each day: $4.40 */
    struct run_data d =
        account_run_data(account_run_id(n++, id), "SUCCEEDED", day - i * WHEN_DAY, day - i * WHEN_DAY + WHEN_HOUR);
    account_run(m, place, job, &d, now);
  }
  struct run_data d = account_run_data(account_run_id(n++, id), "FAILED", day, day + 3 * WHEN_HOUR);
  account_run(m, place, job, &d, now); /* three times the usual */
  d = account_run_data(account_run_id(n++, id), "RUNNING", now - WHEN_HOUR, WHEN_NONE);
  d.execution_seconds = 1800;
  d.timeout_minutes = 60;
  account_run(m, place, other, &d, now);
  d = account_run_data(account_run_id(n++, id), "WAITING", now - WHEN_HOUR, WHEN_NONE);
  d.timeout_minutes = 0; /* unlimited */
  account_run(m, place, other, &d, now);
  struct burn *b = burn_new();
  burn_begin(b, now - WHEN_DAY, now, -1, false);
  const struct burn_result *unread = settle(b, m, now, 4);
  /* nothing says that this is all there is: only today's pace counts, $15.40 in half a day, nine and a half to come */
  assert_true(!unread->today_known && !unread->month_known && unread->known_from_ms == WHEN_NONE);
  assert_true(unread->forecast_nano == unread->month_nano + 19 * INT64_C(15400000000));
  model_job_mutable(m, place, job)->top_read_ms = now;
  model_job_mutable(m, place, other)->top_read_ms = now;
  model_add_span(m, place, other, now, now, true);
  model_add_span(m, place, job, day - 2 * WHEN_DAY - 7 * WHEN_DAY, now, false); /* a run may have begun a week before */
  model_touch(m);
  unread = settle(b, m, now, 4);
  assert_true(unread->today_known && !unread->month_known && unread->known_from_ms == day - 2 * WHEN_DAY);
  assert_true(unread->forecast_nano == unread->month_nano + INT64_C(41800000000));
  model_add_span(m, place, job, now, now, true);
  model_touch(m);
  const struct burn_result *r = settle(b, m, now, 4);
  /* today: $13.20 failed, $2.20 so far; 4.40 of each of ten days before, nine of them... all in November */
  assert_true(r->today_nano == INT64_C(15400000000));
  assert_true(r->week_nano == INT64_C(15400000000) + 6 * INT64_C(4400000000));
  assert_true(r->month_nano == INT64_C(15400000000) + 10 * INT64_C(4400000000));
  /* nine and a half days more at $4.40 a day */
  assert_true(r->forecast_nano == r->month_nano + INT64_C(41800000000) && r->month_known);
  assert_true(cost_sum_nano(&r->sum) == INT64_C(15400000000) && cost_sum_nano(&r->failed) == INT64_C(13200000000));
  assert_true(r->active_runs == 1 && r->waiting_runs == 1 && r->dpu_now_micros == 10000000 &&
              r->nano_per_hour_now == INT64_C(4400000000));
  assert_true(r->worst_nano == INT64_C(4400000000) && r->worst_more_nano == INT64_C(2200000000) &&
              r->worst_unlimited == 1);
  assert_true(r->unusual_count == 1 && r->unusual[0].nano == INT64_C(13200000000) &&
              r->unusual[0].median_nano == INT64_C(4400000000));
  assert_true(r->jobs[0].job == job && r->jobs[0].median_nano == INT64_C(4400000000) && r->jobs[1].median_nano == -1);
  assert_true(cost_sum_nano(&(struct cost_sum){0}) == 0);
  struct cost_sum group = burn_group(r, m, "orders-s*");
  assert_true(cost_sum_nano(&group) == INT64_C(13200000000) && group.runs == 1);
  group = burn_group(r, m, "orders");
  assert_true(group.runs == 3);
  /* the live run becomes unusual when it goes on, and the sum follows the clock without a change of the model */
  r = settle(b, m, now + WHEN_HOUR, 4);
  assert_true(cost_sum_nano(&r->sum) == INT64_C(13200000000) + INT64_C(6600000000));
  burn_free(b);
  model_free(m);
}

/* Prices that arrive later hold for what was counted before: everything is counted anew, medians and the calendar too. */
static void test_prices_that_change(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  int64_t now = at("2026-11-21T12:00:00Z");
  strid job = account_job(m, place, "orders-silver");
  char id[80];
  for (unsigned i = 1; i <= 20; i++) { /* an hour of 10 DPU each */
    struct run_data d = account_run_data(account_run_id(i, id), "SUCCEEDED", now - i * WHEN_DAY / 2,
                                         now - i * WHEN_DAY / 2 + WHEN_HOUR);
    account_run(m, place, job, &d, now);
  }
  struct price_table *prices = price_table_new();
  struct burn *b = burn_new();
  burn_begin(b, now - 30 * WHEN_DAY, now, -1, false);
  static const struct {
    int64_t nano;
    bool drop;
    int64_t run; /* what one then costs */
  } steps[] = {{0, false, INT64_C(4400000000)},
               {500000000, false, INT64_C(5000000000)},
               {0, false, INT64_C(5000000000)},
               {0, true, INT64_C(4400000000)}};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (steps[i].drop)
      price_table_drop_list(prices, "us-east-1");
    if (steps[i].nano > 0)
      price_table_set(prices, "us-east-1", PRICE_STANDARD, PRICE_GEN_1, steps[i].nano, PRICE_FROM_LIST, "", "");
    while (!burn_step(b, m, prices, now, 3)) /* in slices */
      continue;
    const struct burn_result *r = burn_result(b, m, prices, now);
    assert_true(cost_sum_nano(&r->sum) == 20 * steps[i].run && r->jobs[0].median_nano == steps[i].run);
    assert_true(r->month_nano == 20 * steps[i].run && r->sum.runs == 20);
  }
  burn_free(b);
  price_table_free(prices);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_histories), cmocka_unit_test(test_figures),
                                     cmocka_unit_test(test_prices_that_change)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
