/* Which run will be killed, what limit a job should have, what timeouts cost. */
#include "model/timeouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"

#define T0 INT64_C(1796000400000)

static void test_suggest(void **state)
{
  (void)state;
  static const struct {
    size_t count;
    int p95, max; /* minutes */
    int32_t want;
  } cases[] = {{4, 10, 10, -1},     {5, 1, 1, 10},           {50, 88, 117, 150},  {50, 40, 44, 60},
               {50, 20, 21, 30},    {50, 21, 21, 35},        {50, 100, 180, 225}, {50, 300, 310, 450},
               {50, 481, 481, 780}, {50, 6000, 9000, 10080}, {50, 1, 90, 120},    {50, 7000, 7000, 10080}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct stats_times t = {.count = cases[i].count, .p50 = 1, .p95 = cases[i].p95 * 60.0, .max = cases[i].max * 60.0};
    int32_t got = timeout_suggest(&t);
    if (got != cases[i].want)
      fail_msg("case %zu: %d, not %d", i, (int)got, (int)cases[i].want);
  }
}

static void add_history(struct model *m, int place, strid job, const int *minutes, size_t count)
{
  static unsigned n = 5000;
  for (size_t i = 0; i < count; i++) {
    char id[80];
    int64_t begin = T0 - (int64_t)(i + 2) * WHEN_DAY;
    struct run_data d = account_run_data(account_run_id(n++, id), "SUCCEEDED", begin, begin + minutes[i] * WHEN_MINUTE);
    account_run(m, place, job, &d, T0);
  }
}

static const struct timeouts_result *look(struct timeouts *t, const struct model *m, struct stats_cache *stats,
                                          int64_t now)
{
  timeouts_begin(t, T0 - 30 * WHEN_DAY, now, -1, false);
  while (!timeouts_step(t, m, NULL, now, 3))
    continue;
  return timeouts_result(t, m, NULL, stats, now);
}

static void test_risks(void **state)
{
  (void)state;
  static const int usual[] = {60, 62, 64, 64, 64, 66, 68, 70, 75, 88}, tens[] = {10, 10, 10, 10, 10};
  static const struct {
    const char *name;
    const int *history;
    size_t history_count;
    int64_t timeout; /* of the run */
    int elapsed;     /* minutes at work */
    const char *state;
    const char *command;
    int risk; /* -1: none */
  } cases[] = {
      {"just begun", usual, 10, 120, 5, "RUNNING", "glueetl", -1},
      {"its median is behind the limit", usual, 10, 60, 5, "RUNNING", "glueetl", TIMEOUT_RISK_OVER},
      {"past the limit", usual, 10, 60, 61, "RUNNING", "glueetl", TIMEOUT_RISK_OVER},
      {"nine tenths used", usual, 10, 120, 109, "RUNNING", "glueetl", TIMEOUT_RISK_LIKELY},
      {"one in ten takes so long", usual, 10, 80, 5, "RUNNING", "glueetl", TIMEOUT_RISK_LIKELY},
      {"longer than ever", usual, 10, 120, 95, "RUNNING", "glueetl", TIMEOUT_RISK_LIKELY},
      {"over its 95th percentile and half", tens, 5, 40, 20, "RUNNING", "glueetl", TIMEOUT_RISK_WATCH},
      {"three quarters used, no history", NULL, 0, 100, 76, "RUNNING", "glueetl", TIMEOUT_RISK_WATCH},
      {"half used, no history", NULL, 0, 100, 50, "RUNNING", "glueetl", -1},
      {"waiting", usual, 10, 60, 5, "WAITING", "glueetl", -1},
      {"streaming without a limit (A06)", NULL, 0, 0, 40 * 1440, "RUNNING", "gluestreaming", -1},
      {"streaming that names none (A06)", NULL, 0, RECORD_ABSENT, 40 * 1440, "RUNNING", "gluestreaming", -1},
      {"Ray (A07)", NULL, 0, RECORD_ABSENT, 1440, "RUNNING", "glueray", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct model *m = model_new();
    struct stats_cache *stats = stats_cache_new(0);
    struct timeouts *t = timeouts_new();
    int place = account_open(m, "us-east-1", "111122223333");
    struct job_data jd = account_job_data("clickstream-hourly");
    jd.command_name = cases[i].command;
    strid job = model_put_job(m, place, &jd, 1)->name;
    add_history(m, place, job, cases[i].history, cases[i].history_count);
    struct run_data d =
        account_run_data("jr_live", cases[i].state, T0 - cases[i].elapsed * WHEN_MINUTE - 10 * WHEN_MINUTE, WHEN_NONE);
    d.timeout_minutes = cases[i].timeout;
    d.execution_seconds = cases[i].state[0] == 'W' ? 0 : cases[i].elapsed * 60;
    account_run(m, place, job, &d, T0);
    const struct timeouts_result *r = look(t, m, stats, T0);
    if ((int)r->at_risk_count != (cases[i].risk >= 0) ||
        (cases[i].risk >= 0 && (int)r->at_risk[0].risk != cases[i].risk))
      fail_msg("%s: %zu at risk, %s", cases[i].name, r->at_risk_count,
               r->at_risk_count > 0 ? timeout_risk_word(r->at_risk[0].risk) : "");
    if (r->at_risk_count > 0) {
      assert_int_equal(r->at_risk[0].elapsed_seconds, cases[i].elapsed * 60);
      assert_true(fabs(r->at_risk[0].used - (double)cases[i].elapsed / (double)cases[i].timeout) < 1e-9);
      assert_true(r->at_risk[0].ends_ms == T0 + (cases[i].timeout - cases[i].elapsed) * WHEN_MINUTE);
    }
    timeouts_free(t);
    stats_cache_free(stats);
    model_free(m);
  }
}

static void test_advice_and_past(void **state)
{
  (void)state;
  struct model *m = model_new();
  struct stats_cache *stats = stats_cache_new(0);
  struct timeouts *t = timeouts_new();
  int place = account_open(m, "us-east-1", "111122223333");
  struct job_data jd = account_job_data("finance-close"); /* default of 4.0: 2,880 */
  strid finance = model_put_job(m, place, &jd, 1)->name;
  add_history(m, place, finance, (const int[]){30, 31, 31, 32, 40, 44}, 6);
  jd = account_job_data("tight");
  jd.timeout_minutes = 100;
  strid tight = model_put_job(m, place, &jd, 1)->name;
  add_history(m, place, tight, (const int[]){60, 70, 85, 90, 97}, 5);
  jd = account_job_data("wide");
  jd.timeout_minutes = 1000;
  strid wide = model_put_job(m, place, &jd, 1)->name;
  add_history(m, place, wide, (const int[]){1, 1, 1, 1, 1}, 5);
  jd = account_job_data("stream");
  jd.command_name = "gluestreaming";
  jd.timeout_minutes = 0;
  jd.maintenance_window = "Sun:03";
  strid stream = model_put_job(m, place, &jd, 1)->name;
  jd = account_job_data("new");
  jd.glue_version = "5.1";
  strid young = model_put_job(m, place, &jd, 1)->name;
  struct run_data d =
      account_run_data("jr_dead", "TIMEOUT", T0 - 3 * WHEN_HOUR, T0 - 3 * WHEN_HOUR + 100 * WHEN_MINUTE);
  d.timeout_minutes = 100;
  account_run(m, place, tight, &d, T0);
  const struct timeouts_result *r = look(t, m, stats, T0);
  assert_int_equal(r->advice_count, 5);
  assert_true(r->advice[0].job == tight && r->advice[0].flaw == TIMEOUT_FLAW_TIGHT &&
              r->advice[0].source == TIMEOUT_JOB);
  assert_true(r->advice[0].suggested_minutes == 150);
  for (size_t i = 1; i < r->advice_count; i++) {
    const struct timeout_advice *a = &r->advice[i];
    if (a->job == finance) {
      assert_true(a->timeout_minutes == 2880 && a->source == TIMEOUT_DEFAULT && a->flaw == TIMEOUT_FLAW_DEFAULT);
      assert_true(a->suggested_minutes == 75 && a->exposure_nano == INT64_C(211200000000) && a->times.count == 6);
    } else if (a->job == wide) {
      assert_true(a->flaw == TIMEOUT_FLAW_WIDE && a->suggested_minutes == 10);
    } else if (a->job == stream) {
      assert_true(a->timeout_minutes == 0 && a->source == TIMEOUT_NONE && a->suggested_minutes == -1 &&
                  a->exposure_kind == COST_LIMIT_NONE && a->exposure_nano == 0 && a->flaw == TIMEOUT_FLAW_NONE);
      assert_string_equal(model_str(m, a->maintenance_window), "Sun:03");
    } else {
      assert_true(a->job == young && a->timeout_minutes == 480 && a->suggested_minutes == -1 &&
                  a->flaw == TIMEOUT_FLAW_NONE);
    }
    assert_true(i == 1 || a->exposure_nano <= r->advice[i - 1].exposure_nano);
  }
  assert_true(r->past_count == 1 && r->past[0].timeout_minutes == 100 && r->past[0].at_ms == T0 - 80 * WHEN_MINUTE);
  assert_true(r->past[0].cost.nano == INT64_C(7333333333) && cost_sum_nano(&r->past_sum) == INT64_C(7333333333));
  assert_string_equal(timeout_source_word(TIMEOUT_DEFAULT), "default");
  /* outside of the window it is not counted, and a new one is */
  timeouts_begin(t, T0 - WHEN_HOUR, T0, -1, false);
  while (!timeouts_step(t, m, NULL, T0, 1000))
    continue;
  assert_int_equal(timeouts_result(t, m, NULL, stats, T0)->past_count, 0);
  d = account_run_data("jr_dead2", "TIMEOUT", T0 - 2 * WHEN_HOUR, T0);
  account_run(m, place, wide, &d, T0);
  while (!timeouts_step(t, m, NULL, T0, 1000))
    continue;
  assert_int_equal(timeouts_result(t, m, NULL, stats, T0)->past_count, 1);
  timeouts_free(t);
  stats_cache_free(stats);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_suggest), cmocka_unit_test(test_risks),
                                     cmocka_unit_test(test_advice_and_past)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
