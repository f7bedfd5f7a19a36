/* How fresh an account of 2,000 jobs is kept, and what it costs: the aims of the project, held in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/when.h"
#include "steady.h"

#define SPAN (45 * WHEN_MINUTE)

static struct steady_figures run(const char *name, struct steady_options o)
{
  struct steady_figures f;
  assert_true(steady_run(&o, &f));
  print_message(
      "%s: %.2f requests/s, %.1f %% refused, none let through for %.1f s; shown after at most: on the screen or "
      "running %.1f s (%u), by schedule %.1f s (%u), any %.1f min (%u); oldest rows %.1f s and %.1f min\n",
      name, f.requests_per_second, f.throttled_percent, (double)f.throttled_for_ms / 1000,
      (double)f.live.worst_ms / 1000, f.live.changes, (double)f.schedule.worst_ms / 1000, f.schedule.changes,
      (double)f.any.worst_ms / (double)WHEN_MINUTE, f.any.changes, (double)f.live_age_ms / 1000,
      (double)f.any_age_ms / (double)WHEN_MINUTE);
  return f;
}

static void test_without_a_limit(void **state)
{
  (void)state;
  struct steady_figures f = run("no limit", (struct steady_options){.refresh_seconds = -1, .span_ms = SPAN});
  assert_true(f.requests_per_second <= 6);
  assert_true(f.live.changes > 50 && f.live.worst_ms <= 20 * WHEN_SECOND);
  assert_true(f.schedule.changes >= 16 && f.schedule.worst_ms <= 60 * WHEN_SECOND);
  assert_true(f.any.changes > 20 && f.any.worst_ms <= 30 * WHEN_MINUTE);
  assert_true(f.live_age_ms <= 20 * WHEN_SECOND);
  assert_true(f.any_age_ms <= 30 * WHEN_MINUTE);
  assert_true(f.throttled_percent == 0);
}

/* Everything gets older, what is worth most the least, and it is told how old. */
static void test_two_requests_a_second(void **state)
{
  (void)state;
  struct steady_figures f =
      run("2/s", (struct steady_options){.refresh_seconds = -1, .limit_per_second = 2, .span_ms = WHEN_HOUR});
  assert_true(f.requests_per_second <= 2.2);
  assert_true(f.throttled_percent < 5);
  assert_true(f.throttled_for_ms <= 10 * WHEN_SECOND);
  assert_true(f.live.worst_ms <= 2 * WHEN_MINUTE);
  /* in the order of their worth */
  assert_true(f.live_age_ms < f.any_age_ms);
  assert_true(f.live.worst_ms < f.any.worst_ms);
  assert_true(f.schedule.worst_ms < f.any.worst_ms);
  assert_true(f.any_age_ms <= 3 * WHEN_HOUR);
  assert_true(f.told_oldest_ms > 0 && f.told_oldest_ms <= f.any_age_ms + 2 * WHEN_SECOND);
}

/* max_requests_per_second holds whatever the service would let pass, and is never exceeded enough to be refused. */
static void test_a_limit_of_our_own(void **state)
{
  (void)state;
  struct steady_figures f =
      run("at most 3/s",
          (struct steady_options){.refresh_seconds = -1, .max_requests_per_second = 3, .span_ms = 20 * WHEN_MINUTE});
  assert_true(f.requests_per_second <= 3.05);
  assert_true(f.live.worst_ms <= WHEN_MINUTE);
}

/* --refresh: what is on the screen or runs is asked that often; nothing else is. */
static void test_refresh(void **state)
{
  (void)state;
  struct steady_figures often =
      run("--refresh 12", (struct steady_options){.refresh_seconds = 12, .span_ms = 12 * WHEN_MINUTE});
  struct steady_figures rarely =
      run("--refresh 60", (struct steady_options){.refresh_seconds = 60, .span_ms = 12 * WHEN_MINUTE});
  assert_true(often.live_age_ms <= 20 * WHEN_SECOND);
  assert_true(rarely.live_age_ms > 50 * WHEN_SECOND && rarely.live_age_ms <= 65 * WHEN_SECOND);
  assert_true(rarely.requests_per_second < often.requests_per_second);
}

static void test_nobody_looks(void **state)
{
  (void)state;
  struct steady_figures f =
      run("not looked at", (struct steady_options){.refresh_seconds = -1, .looked_away = true, .span_ms = SPAN});
  assert_true(f.requests_per_second <= 2.5);
  assert_true(f.live.worst_ms <= 80 * WHEN_SECOND);
  assert_true(f.schedule.worst_ms <= 60 * WHEN_SECOND); /* the hook and the bell still tell in time */
  assert_true(f.any.worst_ms <= 30 * WHEN_MINUTE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_a_limit),    cmocka_unit_test(test_two_requests_a_second),
      cmocka_unit_test(test_a_limit_of_our_own), cmocka_unit_test(test_refresh),
      cmocka_unit_test(test_nobody_looks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
