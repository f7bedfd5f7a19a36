/* Percentiles against counting, the cache, outcomes of chains. */
#include "model/stats.h"
#include "model/slower.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"

#define T0 INT64_C(1700000000000)

static bool near(double a, double b)
{
  return fabs(a - b) < 1e-9;
}

static void test_percentiles(void **state)
{
  (void)state;
  int64_t one[] = {7}, four[] = {4, 1, 3, 2}, five[] = {10, 20, 30, 40, 50};
  assert_true(isnan(stats_percentile(NULL, 0, 50)));
  assert_true(isnan(stats_share_at_least(NULL, 0, 50)));
  assert_true(near(stats_percentile(one, 1, 95), 7));
  stats_sort(four, 4);
  assert_true(near(stats_percentile(four, 4, 50), 2.5));
  assert_true(near(stats_percentile(four, 4, 0), 1) && near(stats_percentile(four, 4, 100), 4));
  assert_true(near(stats_percentile(five, 5, 50), 30) && near(stats_percentile(five, 5, 95), 48));
  assert_true(near(stats_share_at_least(five, 5, 30), 0.6) && near(stats_share_at_least(five, 5, 30.5), 0.4));
  assert_true(near(stats_share_at_least(five, 5, 51), 0) && near(stats_share_at_least(five, 5, -1), 1));
  uint32_t seed = 3;
  for (int round = 0; round < 200;
       round++) { /* the definition: at least p percent lie at or below, and not more than needed */
    int64_t values[50];
    size_t count = 1 + account_random(&seed, 50);
    for (size_t i = 0; i < count; i++)
      values[i] = account_random(&seed, 1000);
    stats_sort(values, count);
    for (int p = 0; p <= 100; p += 5) {
      double got = stats_percentile(values, count, p);
      double at = p / 100.0 * (double)(count - 1);
      size_t below = 0, above = 0;
      for (size_t i = 0; i < count; i++) {
        below += (double)values[i] <= got;
        above += (double)values[i] >= got;
      }
      assert_true((double)below >= floor(at) + 1 - 1e-9 && (double)above >= (double)count - ceil(at) - 1e-9);
    }
  }
}

static void test_cache(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  strid job = account_job(m, place, "a");
  struct stats_cache *cache = stats_cache_new(3);
  char id[80];
  assert_int_equal(stats_cache_get(cache, m, place, 0)->times.count, 0);
  assert_true(isnan(stats_cache_get(cache, m, place, 0)->times.p50));
  for (unsigned i = 0; i < 5; i++) {
    struct run_data d = account_run_data(account_run_id(i, id), i == 4 ? "FAILED" : "SUCCEEDED", T0 + i * 1000000,
                                         T0 + i * 1000000 + (i + 1) * 10000);
    account_run(m, place, job, &d, T0);
  }
  /* the newest three that succeeded: 20, 30, 40 s */
  stats_cache_set_runs(cache, 0);
  assert_true(stats_cache_get(cache, m, place, 0)->times.count == 4 && stats_cache_runs(cache) == STATS_RUNS_DEFAULT);
  stats_cache_set_runs(cache, 3);
  struct stats_times t = stats_cache_get(cache, m, place, 0)->times;
  assert_true(t.count == 3 && near(t.p50, 30) && near(t.max, 40) && near(t.p95, 39));
  strid second = account_job(m, place, "b");
  struct run_data d = account_run_data(account_run_id(9, id), "SUCCEEDED", T0, T0 + 50000);
  account_run(m, place, second, &d, T0);
  assert_true(near(stats_cache_get(cache, m, place, 1)->times.p50, 50));
  assert_true(near(stats_cache_get(cache, m, place, 0)->times.p50, 30));
  model_clear_place(m, place);
  account_job(m, place, "c");
  assert_int_equal(stats_cache_get(cache, m, place, 0)->times.count, 0);
  stats_cache_free(cache);
  model_free(m);
}

static void test_outcomes(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  strid job = account_job(m, place, "orders-nightly");
  char id[80], retry[100];
  uint8_t states[8];
  struct run_data d = account_run_data(account_run_id(1, id), "FAILED", T0, T0 + 60000);
  account_run(m, place, job, &d, T0);
  for (int attempt = 1; attempt <= 2; attempt++) {
    snprintf(retry, sizeof retry, "%s_attempt_%d", account_run_id(1, id), attempt);
    d = account_run_data(retry, attempt == 2 ? "SUCCEEDED" : "FAILED", T0 + attempt * 100000,
                         T0 + attempt * 100000 + 60000);
    account_run(m, place, job, &d, T0);
  }
  d = account_run_data(account_run_id(2, id), "TIMEOUT", T0 + 500000, T0 + 600000);
  account_run(m, place, job, &d, T0);
  d = account_run_data(account_run_id(3, id), "RUNNING", T0 + 700000, WHEN_NONE);
  account_run(m, place, job, &d, T0);
  const struct job *j = model_job(m, place, job);
  assert_int_equal(stats_outcomes(j, states, 8), 3);
  assert_true(states[0] == RUN_RUNNING && states[1] == RUN_TIMEOUT && states[2] == RUN_SUCCEEDED);
  assert_int_equal(stats_outcomes(j, states, 2), 2);
  struct stats_counts c = stats_count(j, T0, T0 + 10000000, T0 + 10000000);
  assert_true(c.runs == 5 && c.failed == 3 && c.succeeded == 1 && c.live == 1);
  c = stats_count(j, T0 + 550000, T0 + 650000, T0 + 10000000);
  assert_true(c.runs == 1 && c.failed == 1);
  model_free(m);
}

/* Lengths in minutes by how many days ago; medians of both sides by hand. */
static void test_slower(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int late, before; /* minutes of the runs of either side */
    size_t late_runs, before_runs;
    enum slower_verdict verdict;
  } cases[] = {
      {"slower", 15, 10, 7, 20, SLOWER_YES},      {"a little slower", 11, 10, 7, 20, SLOWER_NO},
      {"as before", 10, 10, 7, 20, SLOWER_NO},    {"faster", 5, 10, 7, 20, SLOWER_FASTER},
      {"too few", 15, 10, 2, 20, SLOWER_UNKNOWN}, {"nothing before", 15, 10, 7, 0, SLOWER_UNKNOWN},
  };
  int64_t now = INT64_C(1796040000000);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    struct model *m = model_new();
    int place = account_open(m, "eu-central-1", "111122223333");
    strid job = account_job(m, place, "orders");
    unsigned n = 0;
    char id[80];
    for (size_t i = 0; i < cases[c].late_runs + cases[c].before_runs; i++) {
      bool late = i < cases[c].late_runs;
      int64_t began = now - (int64_t)(late ? i : 8 + i - cases[c].late_runs) * WHEN_DAY - WHEN_HOUR;
      struct run_data d = account_run_data(account_run_id(n++, id), "SUCCEEDED", began,
                                           began + (late ? cases[c].late : cases[c].before) * WHEN_MINUTE);
      account_run(m, place, job, &d, now);
      d = account_run_data(account_run_id(n++, id), "FAILED", began, began + 9 * WHEN_HOUR); /* says nothing */
      account_run(m, place, job, &d, now);
    }
    struct run_data old = account_run_data(account_run_id(n++, id), "SUCCEEDED", now - 40 * WHEN_DAY,
                                           now - 39 * WHEN_DAY); /* longer ago */
    account_run(m, place, job, &old, now);
    struct slower s;
    slower_of(&m->places[place].jobs[0], now, &s);
    if (s.verdict != cases[c].verdict || s.late_runs != cases[c].late_runs || s.before_runs != cases[c].before_runs)
      fail_msg("%s: %d, %zu and %zu runs", cases[c].name, (int)s.verdict, s.late_runs, s.before_runs);
    assert_true(s.late_seconds == cases[c].late * 60 && !s.whole);
    assert_true(s.stretch_seconds[SLOWER_STRETCHES - 1] == cases[c].late * 60);
    assert_true(cases[c].before_runs < 20 || s.stretch_seconds[2] == cases[c].before * 60);
    model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_percentiles), cmocka_unit_test(test_cache),
                                     cmocka_unit_test(test_outcomes), cmocka_unit_test(test_slower)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
