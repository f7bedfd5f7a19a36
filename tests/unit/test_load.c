/* Levels and peaks against counting by hand, and the loads of a changing account against a fresh start. */
#include "model/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "base/xalloc.h"

#define T0 INT64_C(1700000000000)

struct piece {
  int64_t from, to, dpu;
  bool in;
};

/* The level in force from `at` on, up to the next event. */
static int64_t level(const struct piece *pieces, size_t count, int64_t at, bool runs)
{
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    if (pieces[i].in && pieces[i].from <= at && (pieces[i].to == WHEN_NONE || pieces[i].to > at))
      sum += runs ? 1 : pieces[i].dpu;
  return sum;
}

static int64_t highest(const struct piece *pieces, size_t count, int64_t from, int64_t to, bool runs)
{
  int64_t best = level(pieces, count, from, runs);
  for (size_t i = 0; i < count; i++) {
    int64_t at = pieces[i].from;
    if (pieces[i].in && at >= from && at < to && level(pieces, count, at, runs) > best)
      best = level(pieces, count, at, runs);
  }
  return best;
}

static void test_against_counting(void **state)
{
  (void)state;
  uint32_t seed = 42;
  for (int round = 0; round < 60; round++) {
    struct piece pieces[120];
    size_t count = 1 + account_random(&seed, 120);
    struct load *l = load_new();
    int64_t grain = round % 3 == 0 ? 60000 : 1; /* coarse times meet often */
    for (size_t i = 0; i < count; i++) {
      int64_t from = T0 + account_random(&seed, 400) * (WHEN_MINUTE / grain * grain),
              length = account_random(&seed, 300) * WHEN_MINUTE;
      from += round % 3 == 0 ? 0 : account_random(&seed, 60000);
      pieces[i] = (struct piece){from, account_random(&seed, 20) == 0 ? WHEN_NONE : from + length,
                                 account_random(&seed, 1000), true};
      if (pieces[i].to != WHEN_NONE && length == 0)
        pieces[i].in = false; /* not counted */
      load_add(l, pieces[i].from, pieces[i].to, pieces[i].dpu);
    }
    for (size_t i = 0; i < count; i += 5) { /* some are taken back */
      if (pieces[i].in)
        load_remove(l, pieces[i].from, pieces[i].to, pieces[i].dpu);
      pieces[i].in = false;
    }
    for (int q = 0; q < 20; q++) {
      int64_t from = T0 - WHEN_HOUR + account_random(&seed, 600) * WHEN_MINUTE,
              to = from + (1 + account_random(&seed, 500)) * WHEN_MINUTE;
      struct load_peak p = load_peak(l, from, to);
      int64_t dpu = highest(pieces, count, from, to, false), runs = highest(pieces, count, from, to, true);
      assert_true(p.dpu_micros == dpu && p.runs == runs);
      assert_true(dpu == 0 ? p.dpu_at_ms == WHEN_NONE : level(pieces, count, p.dpu_at_ms, false) == dpu);
      assert_true(runs == 0 ? p.runs_at_ms == WHEN_NONE : level(pieces, count, p.runs_at_ms, true) == runs);
      int64_t curve[37], curve_runs[37];
      load_curve(l, from, to, 37, curve, curve_runs);
      for (int c = 0; c < 37; c++) {
        double width = (double)(to - from) / 37;
        int64_t a = from + (int64_t)(c * width), b = c == 36 ? to : from + (int64_t)((c + 1) * width);
        assert_true(curve[c] == highest(pieces, count, a, b, false) &&
                    curve_runs[c] == highest(pieces, count, a, b, true));
      }
      struct load_step steps[300];
      size_t n = load_steps(l, from, to, steps, 300);
      assert_true(n >= 1 && n <= 300 && steps[0].at_ms == from);
      for (size_t s = 0; s < n; s++)
        assert_true(steps[s].dpu_micros == level(pieces, count, steps[s].at_ms, false) &&
                    steps[s].runs == level(pieces, count, steps[s].at_ms, true) &&
                    (s == 0 || steps[s].at_ms > steps[s - 1].at_ms));
    }
    load_free(l);
  }
}

/* Runs come, change and end; after each change the loads are what a fresh reading of the model gives. */
static void test_changing_account(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  struct loads *kept = loads_new();
  uint32_t seed = 9;
  strid jobs[5];
  for (int i = 0; i < 5; i++) {
    char name[20];
    snprintf(name, sizeof name, "job%d", i);
    jobs[i] = account_job(m, place, name);
  }
  for (int round = 0; round < 300; round++) {
    char id[80];
    unsigned n = account_random(&seed, 100);
    int64_t begin = T0 + n * 10 * WHEN_MINUTE, end = begin + account_random(&seed, 7200) * WHEN_SECOND;
    static const char *const states[] = {"RUNNING", "SUCCEEDED", "FAILED", "WAITING", "STARTING", "ERROR"};
    const char *word = states[account_random(&seed, 6)];
    bool live = word[0] == 'R' || word[0] == 'W' || (word[0] == 'S' && word[1] == 'T');
    struct run_data d = account_run_data(account_run_id(n, id), word, begin, live ? WHEN_NONE : end);
    d.modified_ms = T0 + round * WHEN_SECOND; /* newer than what was told before */
    if (account_random(&seed, 10) == 0) {
      d.max_capacity = (double)NAN;
      d.worker_type = "Q.99X";
    }
    account_run(m, place, jobs[n % 5], &d, T0 + round * WHEN_SECOND);
    while (!loads_step(kept, m, 7))
      continue;
    if (round == 200) {
      model_clear_place(m, place);
      for (int i = 0; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "job%d", i);
        jobs[i] = account_job(m, place, name);
      }
    }
    if (round % 10 != 0)
      continue;
    struct loads *fresh = loads_new();
    while (!loads_step(kept, m, 1000))
      continue;
    assert_true(loads_step(fresh, m, 100000));
    int64_t a[50], b[50], ar[50], br[50];
    load_curve(loads_of(kept, place), T0, T0 + 2 * WHEN_DAY, 50, a, ar);
    load_curve(loads_of(fresh, place), T0, T0 + 2 * WHEN_DAY, 50, b, br);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(ar, br, sizeof ar);
    assert_int_equal(loads_unknown(kept, place), loads_unknown(fresh, place));
    loads_free(fresh);
  }
  assert_true(load_peak(loads_of(kept, 77), T0, T0 + WHEN_DAY).runs == 0);
  loads_free(kept);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_counting), cmocka_unit_test(test_changing_account)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
