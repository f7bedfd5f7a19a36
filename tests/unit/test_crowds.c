/* Very many runs of one job, in every shape that makes work grow: against brute force, with the work counted instead of timed; and windows
 * that move on, against a fresh start. */
#include "model/at_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "base/sum.h"
#include "base/xalloc.h"
#include "model/burn.h"
#include "model/collisions.h"
#include "model/cost.h"
#include "model/daybook.h"
#include "model/load.h"
#include "model/sweep.h"
#include "model/timeline.h"
#include "model/timeouts.h"

#define T0 INT64_C(1796000400000)

enum shape { ALL_EQUAL, ALL_QUEUED, ONE_LONG, NESTED, STAIRS, REFUSED, SCATTERED, SHAPE_COUNT };

/* Run i of n: accepted, at work, over. */
static void times_of(enum shape shape, size_t i, size_t n, uint32_t *seed, int64_t t[3])
{
  int64_t k = (int64_t)i;
  switch (shape) {
  case ALL_EQUAL:
    t[0] = t[1] = T0;
    t[2] = T0 + WHEN_HOUR;
    break;
  case ALL_QUEUED: /* all accepted at once, one after the other at work */
    t[0] = T0;
    t[1] = T0 + k * WHEN_MINUTE;
    t[2] = t[1] + WHEN_MINUTE;
    break;
  case ONE_LONG: /* one holds the slot, all others fail at once */
    t[0] = t[1] = T0 + k * WHEN_SECOND;
    t[2] = i == 0 ? T0 + (int64_t)n * WHEN_SECOND : t[1];
    break;
  case NESTED:
    t[0] = t[1] = T0 + k * WHEN_SECOND;
    t[2] = T0 + (int64_t)(2 * n - i) * WHEN_SECOND;
    break;
  case STAIRS:
    t[0] = T0 + k * WHEN_SECOND;
    t[1] = t[0] + 20 * WHEN_SECOND;
    t[2] = t[1] + 500 * WHEN_SECOND;
    break;
  case REFUSED:
    t[0] = t[1] = t[2] = T0 + k * WHEN_SECOND / 10;
    break;
  case SCATTERED:
  case SHAPE_COUNT:
    t[0] = T0 + account_random(seed, 86400) * WHEN_SECOND;
    t[1] = t[0] + account_random(seed, 4000) * WHEN_SECOND;
    t[2] = t[1] + account_random(seed, 20000) * WHEN_SECOND;
    break;
  }
}

static struct model *crowd(enum shape shape, size_t n, int32_t limit)
{
  struct model *m = model_new();
  int place = account_open(m, "eu-central-1", "111122223333");
  struct job_data jd = account_job_data("crowd");
  uint32_t seed = 5;
  jd.max_concurrent_runs = limit;
  strid job = model_put_job(m, place, &jd, 1)->name;
  for (size_t i = n; i-- > 0;) { /* as pages come: newest first, nearly */
    char id[80];
    int64_t t[3];
    times_of(shape, i, n, &seed, t);
    struct run_data d =
        account_run_data(account_run_id((unsigned)i, id), t[2] > t[1] ? "SUCCEEDED" : "FAILED", t[0], t[2]);
    d.execution_seconds = (t[2] - t[1]) / WHEN_SECOND;
    d.error = t[2] > t[1] ? NULL : "Max concurrent runs exceeded";
    d.queuing = TRI_TRUE;
    if (shape == SCATTERED && account_random(&seed, 50) == 0) {
      d.state = account_random(&seed, 2) == 0 ? "RUNNING" : "WAITING";
      d.completed_ms = WHEN_NONE;
      d.execution_seconds = 0;
    }
    model_put_run(m, place, job, &d, T0 + 30 * WHEN_DAY, NULL);
  }
  return m;
}

/* --- against brute force ----------------------------------------------------------------------------------------------- */

static bool held_at(const struct run *r, bool starting_too, int64_t at)
{
  int64_t began = cost_began(r, NULL);
  if (r->started_ms > at || r->state == RUN_WAITING || r->state == RUN_EXPIRED || r->state == RUN_ERROR)
    return false;
  if (began == WHEN_NONE || began < r->started_ms)
    began = r->started_ms;
  if (began > at && !(starting_too && began - r->started_ms <= AT_WORK_START_UP_MS))
    return false;
  return !run_finished(r) || r->completed_ms > at;
}

static void test_at_work(void **state)
{
  (void)state;
  for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
    for (size_t n = 1; n <= 400; n = n * 3 + 1) {
      struct model *m = crowd(shape, n, 1);
      const struct job *j = &m->places[0].jobs[0];
      struct at_work w;
      at_work_init(&w);
      at_work_of(&w, m, j);
      for (size_t i = 0; i < j->run_count; i++) {
        for (int kind = 0; kind < AT_WORK_KINDS; kind++) {
          int64_t at = j->runs[i].started_ms + (i % 3 == 0 ? 30 * WHEN_SECOND : 0);
          size_t except = i % 2 == 0 ? i : SIZE_MAX, want = 0, found[4], count = 0;
          for (size_t k = 0; k < j->run_count; k++)
            want += k != except && held_at(&j->runs[k], kind == AT_WORK_OR_STARTING, at);
          assert_int_equal(at_work_count(&w, (enum at_work_kind)kind, at, except), want);
          count = at_work_newest(&w, (enum at_work_kind)kind, at, except, found, 4);
          assert_int_equal(count, want < 4 ? want : 4);
          for (size_t k = 0; k < count; k++) {
            assert_true(found[k] != except && held_at(&j->runs[found[k]], kind == AT_WORK_OR_STARTING, at));
            for (size_t q = 0; q < k; q++)
              assert_true(found[q] != found[k]);
          }
        }
      }
      for (int q = 0; q < 8; q++) { /* peaks: the level rises only where one begins */
        int64_t from = T0 + q * 977 * WHEN_SECOND, to = from + q * q * 600 * WHEN_SECOND, at = 0;
        size_t most = 0, peak = at_work_peak(&w, AT_WORK, from, to, &at);
        for (size_t i = 0; i <= j->run_count; i++) {
          int64_t moment = i == j->run_count ? from : cost_began(&j->runs[i], NULL);
          size_t level = 0;
          for (size_t k = 0; moment >= from && moment <= to && k < j->run_count; k++)
            level += held_at(&j->runs[k], false, moment);
          most = level > most ? level : most;
        }
        assert_int_equal(peak, most);
        assert_true(most == 0 ? at == WHEN_NONE : at >= from && at <= to);
      }
      at_work_fini(&w);
      model_free(m);
    }
  }
}

/* --- how work grows ---------------------------------------------------------------------------------------------------- */

/* At most so many looks a run, whatever the shape: logarithms, with room. */
#define LOOKS_A_RUN 200

static uint64_t work_of_questions(enum shape shape, size_t n)
{
  struct model *m = crowd(shape, n, 1);
  const struct job *j = &m->places[0].jobs[0];
  struct at_work w;
  at_work_init(&w);
  at_work_of(&w, m, j);
  for (size_t i = 0; i < j->run_count; i++) {
    size_t found[4];
    at_work_count(&w, AT_WORK, j->runs[i].started_ms, i);
    at_work_newest(&w, AT_WORK, j->runs[i].started_ms, i, found, 4);
    at_work_newest(&w, AT_WORK_OR_STARTING, j->runs[i].started_ms, i, found, 4);
  }
  uint64_t work = w.touched;
  at_work_fini(&w);
  model_free(m);
  return work;
}

static uint64_t work_of_load(enum shape shape, size_t n)
{
  struct load *l = load_new();
  uint32_t seed = 5;
  for (size_t i = n; i-- > 0;) {
    int64_t t[3];
    times_of(shape, i, n, &seed, t);
    load_add(l, t[1], t[2], 10000000);
    if (i % 7 == 0) /* a run that changed */
      load_remove(l, t[1], t[2], 10000000);
    if (i % 1000 == 0)
      load_peak(l, T0, T0 + WHEN_DAY);
  }
  load_peak(l, T0, T0 + WHEN_DAY);
  uint64_t work = load_touched(l);
  load_free(l);
  return work;
}

static void test_growth(void **state)
{
  (void)state;
  for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
    uint64_t questions = work_of_questions(shape, 20000), load = work_of_load(shape, 20000);
    if (questions > 20000 * LOOKS_A_RUN || load > 20000 * LOOKS_A_RUN)
      fail_msg("shape %d: %llu looks for questions, %llu for the load of 20,000 runs", (int)shape,
               (unsigned long long)questions, (unsigned long long)load);
  }
}

/* One peak of many that begin and end together, some taken back again, in any order. */
static void test_equal_times(void **state)
{
  (void)state;
  struct load *l = load_new();
  for (int i = 0; i < 5000; i++)
    load_add(l, T0, T0 + WHEN_HOUR, i % 3);
  assert_int_equal(load_peak(l, T0, T0 + 1).runs, 5000);
  for (int i = 0; i < 5000; i += 2)
    load_remove(l, T0, T0 + WHEN_HOUR, i % 3);
  struct load_peak p = load_peak(l, T0 - WHEN_DAY, T0 + WHEN_DAY);
  assert_true(p.runs == 2500 && p.runs_at_ms == T0);
  load_add(l, T0 + WHEN_HOUR, T0 + 2 * WHEN_HOUR, 7); /* begins when the others end: does not meet them */
  assert_int_equal(load_peak(l, T0 - WHEN_DAY, T0 + WHEN_DAY).runs, 2500);
  struct load_step steps[8];
  assert_int_equal(load_steps(l, T0, T0 + 3 * WHEN_HOUR, steps, 8), 3);
  assert_true(steps[0].runs == 2500 && steps[1].runs == 1 && steps[2].runs == 0);
  load_add(l, INT64_MAX - 5, WHEN_NONE, 1); /* no moment of anybody's */
  load_add(l, INT64_MIN + 5, INT64_MAX, 1);
  assert_int_equal(load_peak(l, T0 - WHEN_DAY, T0 + WHEN_DAY).runs, 2500);
  load_free(l);
}

/* --- windows that move ------------------------------------------------------------------------------------------------- */

#define JOBS 40

struct set {
  struct burn *burn;
  struct collisions *collisions;
  struct timeouts *timeouts;
  struct timeline *timeline;
};

static void set_open(struct set *s)
{
  *s = (struct set){burn_new(), collisions_new(), timeouts_new(), timeline_new()};
}

static void set_close(struct set *s)
{
  burn_free(s->burn);
  collisions_free(s->collisions);
  timeouts_free(s->timeouts);
  timeline_free(s->timeline);
}

static void set_begin(struct set *s, int64_t since, int64_t until)
{
  burn_begin(s->burn, since, until, -1, false);
  collisions_begin(s->collisions, since, until, -1);
  timeouts_begin(s->timeouts, since, until, -1, false);
  timeline_begin(s->timeline, since, until, -1);
}

static bool set_step(struct set *s, const struct model *m, int64_t now, size_t budget)
{
  bool done = burn_step(s->burn, m, NULL, now, budget);
  done = collisions_step(s->collisions, m, now, budget) && done;
  done = timeouts_step(s->timeouts, m, NULL, now, budget) && done;
  return timeline_step(s->timeline, m, now, budget) && done;
}

static void same(struct set *kept, struct set *fresh, const struct model *m, struct stats_cache *stats,
                 struct loads *loads, int64_t now)
{
  const struct burn_result *a = burn_result(kept->burn, m, NULL, now), *b = burn_result(fresh->burn, m, NULL, now);
  assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
  assert_memory_equal(&a->failed, &b->failed, sizeof a->failed);
  assert_memory_equal(a->classes, b->classes, sizeof a->classes);
  assert_int_equal(a->job_count, b->job_count);
  for (size_t i = 0; i < a->job_count; i++) {
    assert_int_equal(a->jobs[i].job, b->jobs[i].job);
    assert_memory_equal(a->jobs[i].trend_nano, b->jobs[i].trend_nano, sizeof a->jobs[i].trend_nano);
  }
  assert_true(a->day_count == b->day_count && a->unusual_count == b->unusual_count);
  for (size_t i = 0; i < a->day_count; i++)
    assert_memory_equal(&a->days[i], &b->days[i], sizeof a->days[i]);
  assert_true(a->month_nano == b->month_nano && a->today_nano == b->today_nano);
  const struct collisions_result *c = collisions_result(kept->collisions, m, stats, NULL, loads, NULL, 0, now),
                                 *d = collisions_result(fresh->collisions, m, stats, NULL, loads, NULL, 0, now);
  assert_true(c->past_count == d->past_count && c->failed == d->failed && c->queued == d->queued);
  assert_int_equal(c->median_wait_seconds, d->median_wait_seconds);
  for (size_t i = 0; i < c->past_count; i++)
    assert_true(c->past[i].at_ms == d->past[i].at_ms && c->past[i].job == d->past[i].job);
  const struct timeouts_result *e = timeouts_result(kept->timeouts, m, NULL, stats, now),
                               *f = timeouts_result(fresh->timeouts, m, NULL, stats, now);
  assert_int_equal(e->past_count, f->past_count);
  assert_memory_equal(&e->past_sum, &f->past_sum, sizeof e->past_sum);
  const struct timeline_result *g = timeline_result(kept->timeline, m, NULL, now),
                               *h = timeline_result(fresh->timeline, m, NULL, now);
  assert_true(g->runs == h->runs && g->failures == h->failures && g->lane_count == h->lane_count);
  for (size_t i = 0; i < g->lane_count; i++)
    assert_true(g->lanes[i].job == h->lanes[i].job && g->lanes[i].runs == h->lanes[i].runs &&
                g->lanes[i].first_ms == h->lanes[i].first_ms);
}

static void put_some(struct model *m, int place, const strid *jobs, unsigned n, int64_t end, uint32_t *seed)
{
  static const char *const states[] = {"SUCCEEDED", "SUCCEEDED", "FAILED", "TIMEOUT", "STOPPED"};
  char id[80];
  int64_t begin = end - (1 + account_random(seed, 5000)) * WHEN_SECOND;
  struct run_data d = account_run_data(account_run_id(n, id), states[account_random(seed, 5)], begin, end);
  d.execution_seconds = account_random(seed, 3) == 0 ? 0 : (d.completed_ms - begin) / WHEN_SECOND / 2;
  d.queuing = TRI_TRUE;
  d.error = d.state[0] == 'F' && n % 2 == 0 ? "Max concurrent runs exceeded" : NULL;
  model_put_run(m, place, jobs[n % JOBS], &d, end, NULL);
}

/* The window goes on minute by minute while runs come; what is kept is what a fresh start finds, and little is looked at again. */
static void test_moving_windows(void **state)
{
  (void)state;
  for (int round = 0; round < 4; round++) {
    static const int64_t spans[] = {10 * WHEN_MINUTE, 3 * WHEN_HOUR, WHEN_DAY, 3 * WHEN_DAY};
    struct model *m = model_new();
    int place = account_open(m, "eu-central-1", "111122223333");
    uint32_t seed = 17 + (uint32_t)round;
    strid jobs[JOBS];
    unsigned n = 0;
    int64_t now = T0 + 4 * WHEN_DAY;
    for (int i = 0; i < JOBS; i++) {
      char name[20];
      snprintf(name, sizeof name, "job%d", i);
      jobs[i] = account_job(m, place, name);
    }
    for (; n < 4000; n++)
      put_some(m, place, jobs, n, T0 + (int64_t)n * (4 * WHEN_DAY / 4000), &seed);
    struct set kept;
    struct stats_cache *stats = stats_cache_new(0);
    struct loads *loads = loads_new();
    size_t slow = 0;
    set_open(&kept);
    set_begin(&kept, now - spans[round], INT64_MAX);
    while (!set_step(&kept, m, now, 500))
      continue;
    for (int minute = 0; minute < 300; minute++) {
      now += WHEN_MINUTE;
      if (minute % 5 == 0)
        put_some(m, place, jobs, n++, now - 90 * WHEN_SECOND, &seed);
      set_begin(&kept, now - spans[round], INT64_MAX);
      /* 4,000 runs are there; a minute is worth a few jobs of some hundred */
      slow += !set_step(&kept, m, now, 1000);
      while (!set_step(&kept, m, now, 50))
        continue;
      if (minute % 10 != 0)
        continue;
      while (!loads_step(loads, m, 1000))
        continue;
      struct set fresh;
      set_open(&fresh);
      set_begin(&fresh, now - spans[round], INT64_MAX);
      while (!set_step(&fresh, m, now, SIZE_MAX))
        continue;
      same(&kept, &fresh, m, stats, loads, now);
      set_close(&fresh);
    }
    assert_int_equal(slow, 0);
    set_close(&kept);
    loads_free(loads);
    stats_cache_free(stats);
    model_free(m);
  }
}

/* --- numbers that nobody has ------------------------------------------------------------------------------------------- */

static void test_wide_sums(void **state)
{
  (void)state;
  static const int64_t values[] = {INT64_MAX, 1, INT64_MAX, -5, INT64_MIN, 77, INT64_MIN, INT64_MAX};
  struct sum_wide w = {0, 0};
  size_t count = sizeof values / sizeof values[0];
  for (size_t i = 0; i < count; i++)
    sum_wide_add(&w, values[i]);
  assert_true(sum_wide_get(&w) == INT64_MAX);
  for (size_t i = count; i-- > 2;)
    sum_wide_take(&w, values[i]);
  assert_true(sum_wide_get(&w) == INT64_MAX); /* more than fits */
  sum_wide_take(&w, INT64_MAX);
  assert_true(sum_wide_get(&w) == 1);
  sum_wide_take(&w, 3);
  assert_true(sum_wide_get(&w) == -2);
  sum_wide_add(&w, INT64_MIN);
  assert_true(sum_wide_get(&w) == INT64_MIN);
  sum_wide_take(&w, INT64_MIN);
  assert_true(sum_wide_get(&w) == -2);
  assert_true(sum_of(INT64_MAX, 1) == INT64_MAX && sum_of(INT64_MIN, -1) == INT64_MIN && sum_of(3, 4) == 7);
  assert_true(sum_less(INT64_MIN, 1) == INT64_MIN && sum_less(0, INT64_MIN) == INT64_MAX && sum_less(9, 4) == 5);
  assert_true(sum_times(INT64_MAX, 2) == INT64_MAX && sum_times(INT64_MAX, -2) == INT64_MIN && sum_times(6, 7) == 42);
}

/* Runs of every kind of nonsense through every board: sums stay where they are, nothing runs over (the sanitizers look on), and when the
 * nonsense is gone so is every trace of it. */
static void test_hostile_numbers(void **state)
{
  (void)state;
  static const int64_t moments[] = {0,
                                    -1,
                                    T0,
                                    T0 + WHEN_DAY,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_MIN + 1,
                                    INT64_C(253402300799999),
                                    -INT64_C(62135596800000)};
  static const int64_t numbers[] = {0, 1, 60, INT32_MAX, INT64_MAX, -1, RECORD_ABSENT, 100000};
  static const double sizes[] = {0, 1, 10, 1e6, 1e12, 1e300, -5, 0.0625, (double)INFINITY, (double)NAN};
  static const char *const states[] = {"SUCCEEDED", "FAILED",   "TIMEOUT", "RUNNING",
                                       "WAITING",   "STOPPING", "ODD",     "EXPIRED"};
  uint32_t seed = 31;
  for (int round = 0; round < 6; round++) {
    struct model *m = model_new();
    int place = account_open(m, "eu-central-1", "111122223333");
    struct job_data jd = account_job_data("lies");
    jd.max_concurrent_runs = numbers[account_random(&seed, 8)];
    jd.timeout_minutes = numbers[account_random(&seed, 8)];
    strid job = model_put_job(m, place, &jd, 1)->name;
    for (unsigned n = 0; n < 600; n++) {
      char id[80];
      struct run_data d = account_run_data(account_run_id(n, id), states[account_random(&seed, 8)],
                                           moments[account_random(&seed, 9)], WHEN_NONE);
      d.completed_ms = moments[account_random(&seed, 9)];
      d.modified_ms = moments[account_random(&seed, 9)];
      d.execution_seconds = numbers[account_random(&seed, 8)];
      d.timeout_minutes = numbers[account_random(&seed, 8)];
      d.workers = numbers[account_random(&seed, 8)];
      d.max_capacity = sizes[account_random(&seed, 10)];
      d.dpu_seconds = sizes[account_random(&seed, 10)];
      d.error = account_random(&seed, 3) == 0 ? "Max concurrent runs exceeded" : NULL;
      model_put_run(m, place, job, &d, T0, NULL);
    }
    struct set s;
    struct stats_cache *stats = stats_cache_new(0);
    struct loads *loads = loads_new();
    struct plan plan;
    set_open(&s);
    plan_init(&plan);
    plan_make(&plan, m, stats, -1, T0, T0 + WHEN_DAY);
    for (int window = 0; window < 3; window++) {
      static const int64_t sinces[] = {INT64_MIN, T0 - WHEN_DAY, T0};
      set_begin(&s, sinces[window], INT64_MAX);
      while (!set_step(&s, m, T0 + WHEN_DAY, 100))
        continue;
      while (!loads_step(loads, m, 100))
        continue;
      const struct burn_result *r = burn_result(s.burn, m, NULL, T0 + WHEN_DAY);
      assert_true(cost_sum_nano(&r->sum) >= 0 && r->today_nano >= 0 && r->month_nano >= 0 && r->worst_more_nano >= 0 &&
                  r->dpu_now_micros >= 0 && r->forecast_nano >= -1);
      for (size_t i = 0; i < r->day_count; i++)
        assert_true(r->days[i].nano >= 0 && r->days[i].dpu_micros >= 0);
      collisions_result(s.collisions, m, stats, &plan, loads, NULL, 0, T0 + WHEN_DAY);
      timeouts_result(s.timeouts, m, NULL, stats, T0 + WHEN_DAY);
      const struct timeline_result *t = timeline_result(s.timeline, m, &plan, T0 + WHEN_DAY);
      struct timeline_bars bars;
      struct timeline_cell cells[80];
      timeline_bars_init(&bars);
      for (size_t i = 0; i < t->lane_count; i++) {
        timeline_bars_fill(&bars, m, stats, &plan, place, t->lanes[i].job_index, T0 - WHEN_DAY, T0 + WHEN_DAY,
                           T0 + WHEN_DAY);
        timeline_cells(&bars, T0 - WHEN_DAY, T0 + WHEN_DAY, T0 + WHEN_DAY, cells, 80);
      }
      timeline_bars_fini(&bars);
      int64_t curve[50];
      load_curve(loads_of(loads, place), T0 - WHEN_DAY, T0 + WHEN_DAY, 50, curve, NULL);
    }
    model_close_context(m, 0);
    while (!set_step(&s, m, T0 + WHEN_DAY, 100))
      continue;
    const struct burn_result *r = burn_result(s.burn, m, NULL, T0 + WHEN_DAY);
    assert_true(cost_sum_nano(&r->sum) == 0 && r->day_count == 0 && r->month_nano == 0);
    plan_fini(&plan);
    loads_free(loads);
    stats_cache_free(stats);
    set_close(&s);
    model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_work),        cmocka_unit_test(test_growth),    cmocka_unit_test(test_equal_times),
      cmocka_unit_test(test_moving_windows), cmocka_unit_test(test_wide_sums), cmocka_unit_test(test_hostile_numbers),
  };
  return cmocka_run_group_tests_name("crowds", tests, NULL, NULL);
}
