/* What the jobs view keeps of each job, against what is counted anew: random histories, windows that move on and back, prices that change. */
#include "views/job_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "model/price.h"

#define JOBS 4

static void random_run(struct model *m, int place, uint32_t *seed, int64_t now, unsigned round)
{
  static const char *const states[] = {"SUCCEEDED", "SUCCEEDED", "FAILED", "TIMEOUT", "RUNNING", "WAITING"};
  char id[80], name[20];
  unsigned n = account_random(seed, 120);
  snprintf(name, sizeof name, "job%u", n % JOBS);
  const char *state = states[account_random(seed, 6)];
  bool live = strcmp(state, "RUNNING") == 0 || strcmp(state, "WAITING") == 0;
  int64_t begin = now - (int64_t)n * 20 * WHEN_MINUTE, end = begin + account_random(seed, 7200) * WHEN_SECOND;
  struct run_data d = account_run_data(account_run_id(n, id), state, begin, live ? WHEN_NONE : end < now ? end : now);
  d.modified_ms = now + round;
  account_run(m, place, strpool_find(m->strings, name), &d, now);
}

static void check(struct job_sums *kept, const struct scene *scene, int place)
{
  struct job_sums fresh;
  job_sums_init(&fresh);
  for (size_t i = 0; i < scene->model->places[place].job_count; i++) {
    const struct job_sum *is = job_sums_get(kept, scene, place, i), *should = job_sums_get(&fresh, scene, place, i);
    assert_int_equal(is->runs, should->runs);
    assert_int_equal(is->failed, should->failed);
    assert_memory_equal(&is->cost, &should->cost, sizeof is->cost);
    assert_int_equal(is->outcome_count, should->outcome_count);
    assert_memory_equal(is->outcomes, should->outcomes, is->outcome_count);
    assert_true(is->next_ms == should->next_ms);
  }
  job_sums_fini(&fresh);
}

static void plan_triggers(struct model *m, int place, uint32_t *seed, int64_t now)
{
  static const char *const schedules[] = {"cron(0/5 * * * ? *)", "cron(30 2 * * ? *)", "cron(0 12 ? * 2#1 *)", "odd"};
  struct trigger_action action = {.job = "job1"};
  struct trigger_data t = {.name = "nightly",
                           .type = "SCHEDULED",
                           .state = "ACTIVATED",
                           .schedule = schedules[account_random(seed, 4)],
                           .actions = &action,
                           .action_count = 1};
  model_put_triggers(m, place, &t, 1, now);
  freshness_good(&m->places[place].triggers_fresh, now, true);
}

static void test_kept_is_as_counted_anew(void **state)
{
  (void)state;
  for (unsigned history = 0; history < 5; history++) {
    struct model *m = model_new();
    struct price_table *prices = price_table_new();
    struct job_sums kept;
    uint32_t seed = 40 + history;
    int64_t now = INT64_C(1796000000000);
    int place = account_open(m, "us-east-1", "111122223333");
    for (unsigned i = 0; i < JOBS; i++) {
      char name[20];
      snprintf(name, sizeof name, "job%u", i);
      account_job(m, place, name);
    }
    job_sums_init(&kept);
    struct scene scene = {.model = m, .prices = prices, .until_ms = INT64_MAX, .place = -1};
    int64_t span = WHEN_DAY;
    for (unsigned round = 0; round < 2000; round++) {
      if (account_random(&seed, 3) == 0)
        random_run(m, place, &seed, now, round);
      now += account_random(&seed, 90) * WHEN_SECOND;
      if (round % 50 == 0)
        span = (1 + account_random(&seed, 40)) * WHEN_HOUR;
      if (round % 70 == 0)
        scene.until_ms = account_random(&seed, 2) == 0 ? INT64_MAX : now - account_random(&seed, 20) * WHEN_HOUR;
      if (round % 90 == 0)
        plan_triggers(m, place, &seed, now);
      if (round % 211 == 210)
        price_table_set(prices, "us-east-1", PRICE_STANDARD, PRICE_GEN_1,
                        400000000 + account_random(&seed, 9) * 10000000, PRICE_FROM_LIST, "", "");
      if (round % 333 == 332) { /* another account's rows, under the same indexes */
        model_clear_place(m, place);
        for (unsigned i = JOBS; i-- > 0;) {
          char name[20];
          snprintf(name, sizeof name, "job%u", i);
          account_job(m, place, name);
        }
      }
      scene.now_ms = now;
      scene.since_ms = (now - span) / WHEN_MINUTE * WHEN_MINUTE;
      check(&kept, &scene, place);
    }
    job_sums_fini(&kept);
    price_table_free(prices);
    model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept_is_as_counted_anew)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
