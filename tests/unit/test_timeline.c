/* Lanes against counting, bars and holes, and cells against asking each eighth of each cell by itself. */
#include "model/timeline.h"

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

static int number_of(const struct model *m, strid job)
{
  return (int)strtol(model_str(m, job) + 3, NULL, 10);
}

static void test_lanes(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  struct timeline *t = timeline_new();
  uint32_t seed = 4;
  strid jobs[12];
  int64_t since = 0, until = 0;
  for (int i = 0; i < 12; i++) {
    char name[20];
    snprintf(name, sizeof name, "job%d", i);
    jobs[i] = account_job(m, place, name);
  }
  for (unsigned round = 0; round < 300; round++) {
    char id[80];
    unsigned n = account_random(&seed, 200);
    int64_t begin = T0 - n * WHEN_HOUR;
    bool live = n < 5;
    struct run_data d = account_run_data(account_run_id(n, id),
                                         live         ? "RUNNING"
                                         : n % 3 == 0 ? "FAILED"
                                                      : "SUCCEEDED",
                                         begin, live ? WHEN_NONE : begin + account_random(&seed, 7200) * WHEN_SECOND);
    d.modified_ms = T0 + round;
    account_run(m, place, jobs[n % 11], &d, T0); /* the last job never runs */
    if (round % 30 == 0) {
      since = T0 - account_random(&seed, 200) * WHEN_HOUR;
      until = T0 - account_random(&seed, 20) * WHEN_HOUR + 19 * WHEN_HOUR;
      timeline_begin(t, since, until, -1);
    }
    while (!timeline_step(t, m, T0, 5))
      continue;
    if (round % 10 != 0)
      continue;
    const struct timeline_result *r = timeline_result(t, m, NULL, T0);
    size_t runs = 0, lanes = 0;
    for (size_t i = 0; i < m->places[place].job_count; i++) {
      const struct job *j = &m->places[place].jobs[i];
      const struct timeline_lane *lane = NULL;
      for (size_t k = 0; k < r->lane_count; k++)
        if (r->lanes[k].job == j->name)
          lane = &r->lanes[k];
      size_t want = 0, failures = 0;
      for (size_t k = 0; k < j->run_count; k++) {
        bool meets = run_meets(&j->runs[k], since, until, T0);
        want += meets;
        failures += meets && j->runs[k].state == RUN_FAILED;
      }
      assert_int_equal(lane != NULL, want > 0);
      if (lane != NULL) {
        assert_true(lane->job_index == i && lane->runs == want && lane->failures == failures);
        runs += lane->runs;
        lanes++;
      }
    }
    assert_true(runs == r->runs && lanes == r->lane_count && r->unread == 12);
    for (size_t k = 1; k < r->lane_count; k++) { /* natural order: job2 before job10 */
      int a = number_of(m, r->lanes[k - 1].job), b = number_of(m, r->lanes[k].job);
      assert_true(a < b);
    }
  }
  timeline_begin(t, INT64_MIN, INT64_MAX, place);
  while (!timeline_step(t, m, T0, 5))
    continue;
  const struct timeline_result *r = timeline_result(t, m, NULL, T0);
  size_t all = 0;
  for (size_t i = 0; i < m->places[place].job_count; i++)
    all += m->places[place].jobs[i].run_count;
  assert_true(r->runs == all && r->lane_count == 11);
  timeline_free(t);
  model_free(m);
}

static void test_bars(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  struct stats_cache *stats = stats_cache_new(0);
  strid job = account_job(m, place, "orders-silver");
  struct timeline_bars b;
  char id[80], retry[100];
  timeline_bars_init(&b);
  /* two attempts of one start, then one that waited for the slot, then a live one */
  struct run_data d = account_run_data(account_run_id(1, id), "FAILED", T0, T0 + 600000);
  account_run(m, place, job, &d, T0);
  snprintf(retry, sizeof retry, "%s_attempt_1", id);
  d = account_run_data(retry, "SUCCEEDED", T0 + 660000, T0 + 3000000);
  account_run(m, place, job, &d, T0);
  d = account_run_data(account_run_id(2, id), "SUCCEEDED", T0 + 1800000, T0 + 4200000);
  d.execution_seconds = 1200; /* began at 3000 s */
  account_run(m, place, job, &d, T0);
  int64_t now = T0 + 6000000;
  d = account_run_data(account_run_id(3, id), "RUNNING", now - 600000, WHEN_NONE);
  d.execution_seconds = 540;
  account_run(m, place, job, &d, now);
  timeline_bars_fill(&b, m, stats, NULL, place, 0, T0, now + WHEN_HOUR, now);
  assert_int_equal(b.bar_count, 4);
  assert_true(!b.bars[0].retry && b.bars[1].retry && !b.bars[2].retry && b.bars[0].ended_ms == T0 + 600000);
  assert_true(b.bars[2].collided && b.bars[2].began_ms == T0 + 3000000 && !b.bars[1].collided);
  /* median of 2340 and 1200 s is 1770 s, from when it began */
  assert_true(b.bars[3].ended_ms == WHEN_NONE && b.bars[3].began_ms == now - 540000);
  assert_true(b.bars[3].expected_end_ms == now - 540000 + 1770000);
  /* nothing was read: one hole up to now */
  assert_true(b.gap_count == 1 && b.gaps[0].from_ms == T0 && b.gaps[0].to_ms == now);
  model_add_span(m, place, job, T0 + 600000, T0 + 1200000, false);
  model_add_span(m, place, job, T0 + 3600000, now - 60000, false);
  timeline_bars_fill(&b, m, stats, NULL, place, 0, T0, now + WHEN_HOUR, now);
  assert_int_equal(b.gap_count, 2); /* the minute since the last poll is none */
  assert_true(b.gaps[0].from_ms == T0 && b.gaps[0].to_ms == T0 + 599999);
  assert_true(b.gaps[1].from_ms == T0 + 1200001 && b.gaps[1].to_ms == T0 + 3599999);
  /* what was read from the newest run on shows that nothing came behind it */
  timeline_bars_fill(&b, m, stats, NULL, place, 0, T0, now + 2 * WHEN_HOUR, now + WHEN_HOUR);
  assert_true(b.gap_count == 3 && b.gaps[2].to_ms == now + WHEN_HOUR);
  model_job_mutable(m, place, job)->top_read_ms = now + WHEN_HOUR - 60000;
  model_add_span(m, place, job, now - 700000, now - 600000, false);
  timeline_bars_fill(&b, m, stats, NULL, place, 0, T0, now + 2 * WHEN_HOUR, now + WHEN_HOUR);
  assert_int_equal(b.gap_count, 2);
  model_add_span(m, place, job, T0, now, true);
  timeline_bars_fill(&b, m, stats, NULL, place, 0, T0, now + WHEN_HOUR, now);
  assert_int_equal(b.gap_count, 0);
  assert_true(timeline_next_failure(m, place, 0, T0 - 1, false) == T0);
  assert_true(timeline_next_failure(m, place, 0, T0, false) == WHEN_NONE);
  assert_true(timeline_next_failure(m, place, 0, now, true) == T0);
  timeline_bars_fini(&b);
  stats_cache_free(stats);
  model_free(m);
}

/* --- cells ---------------------------------------------------------------------------------------------------------- */

static bool covers(int64_t from, int64_t to, double a, double b, bool at_least)
{
  /* does [from, to) touch the eighth [a, b)? something always shows where it begins */
  return ((double)from < b && (double)to > a) || (at_least && (double)from >= a && (double)from < b);
}

/* What an eighth of a cell should show, asked by itself. */
static enum timeline_fill want_fill(const struct timeline_bars *b, double from, double to, int64_t now)
{
  enum timeline_fill best = TIMELINE_EMPTY;
  for (size_t i = 0; i < b->gap_count; i++)
    if (covers(b->gaps[i].from_ms, b->gaps[i].to_ms, from, to, true) && best < TIMELINE_GAP)
      best = TIMELINE_GAP;
  for (size_t i = 0; i < b->planned_count; i++)
    if (covers(b->planned[i].at_ms, b->planned[i].end_ms == WHEN_NONE ? b->planned[i].at_ms : b->planned[i].end_ms,
               from, to, true) &&
        best < TIMELINE_PLANNED)
      best = TIMELINE_PLANNED;
  for (size_t i = 0; i < b->bar_count; i++) {
    const struct timeline_bar *bar = &b->bars[i];
    int64_t end = bar->ended_ms == WHEN_NONE ? now : bar->ended_ms,
            began = bar->began_ms == WHEN_NONE ? end : bar->began_ms;
    if ((began > bar->started_ms || bar->began_ms == WHEN_NONE) && covers(bar->started_ms, began, from, to, true) &&
        best < TIMELINE_WAITING)
      best = TIMELINE_WAITING;
    if (bar->began_ms != WHEN_NONE && covers(began, end, from, to, true))
      best = TIMELINE_WORKING;
    if (bar->ended_ms == WHEN_NONE && bar->expected_end_ms != WHEN_NONE && bar->expected_end_ms > now &&
        covers(now, bar->expected_end_ms, from, to, true) && best < TIMELINE_EXPECTED)
      best = TIMELINE_EXPECTED;
  }
  return best;
}

static void test_cells(void **state)
{
  (void)state;
  uint32_t seed = 12;
  for (int round = 0; round < 400; round++) {
    struct timeline_bar bars[12];
    struct timeline_planned planned[4];
    struct span gaps[2];
    struct timeline_bars b = {.bars = bars, .planned = planned, .gaps = gaps};
    struct timeline_cell cells[40];
    /* times on eighths, so that the question to each eighth has one answer */
    const size_t columns = 1 + account_random(&seed, 40);
    const int64_t eighth = 90000, since = T0, until = T0 + (int64_t)columns * 8 * eighth;
    int64_t now = T0 + account_random(&seed, (uint32_t)columns * 8) * eighth;
    b.bar_count = account_random(&seed, 12);
    for (size_t i = 0; i < b.bar_count; i++) {
      int64_t started = T0 + ((int64_t)account_random(&seed, 340) - 20) * eighth,
              began = started + account_random(&seed, 10) * eighth;
      bars[i] = (struct timeline_bar){.run = {.state = (uint8_t)(RUN_STOPPED + account_random(&seed, 4))},
                                      .started_ms = started,
                                      .began_ms = account_random(&seed, 6) == 0 ? WHEN_NONE : began,
                                      .ended_ms = began + account_random(&seed, 60) * eighth,
                                      .expected_end_ms = WHEN_NONE};
      if (account_random(&seed, 5) == 0 && started < now) {
        bars[i].ended_ms = WHEN_NONE;
        bars[i].run.state = RUN_RUNNING;
        bars[i].expected_end_ms = now + account_random(&seed, 30) * eighth;
        if (bars[i].began_ms != WHEN_NONE && bars[i].began_ms > now)
          bars[i].began_ms = now;
      }
    }
    b.planned_count = account_random(&seed, 4);
    for (size_t i = 0; i < b.planned_count; i++) {
      int64_t at = now + account_random(&seed, 200) * eighth;
      planned[i] = (struct timeline_planned){
          .at_ms = at, .end_ms = account_random(&seed, 3) == 0 ? WHEN_NONE : at + account_random(&seed, 30) * eighth};
    }
    b.gap_count = account_random(&seed, 3);
    for (size_t i = 0; i < b.gap_count; i++) {
      int64_t from = T0 + account_random(&seed, 300) * eighth;
      gaps[i] = (struct span){from, from + (1 + account_random(&seed, 40)) * eighth};
    }
    timeline_cells(&b, since, until, now, cells, columns);
    for (size_t c = 0; c < columns; c++) {
      enum timeline_fill best = TIMELINE_EMPTY;
      int from = 8, to = 0;
      for (int e = 0; e < 8; e++) {
        double a = (double)since + (double)((int64_t)c * 8 + e) * (double)eighth;
        enum timeline_fill f = want_fill(&b, a, a + (double)eighth, now);
        if (f > best) {
          best = f;
          from = 8;
          to = 0;
        }
        if (f == best) {
          from = e < from ? e : from;
          to = e + 1;
        }
      }
      assert_int_equal(cells[c].fill, best);
      if (best != TIMELINE_EMPTY) {
        assert_true(cells[c].from < cells[c].to && cells[c].to <= 8);
        /* weaker kinds may lie under stronger ones, so their extent is at least what shows */
        assert_true(cells[c].from <= from && cells[c].to >= to);
        if (best == TIMELINE_WORKING)
          assert_true(cells[c].from == from && cells[c].to == to && cells[c].bar != NULL);
      }
      /* a failure that ended in this cell is marked, whatever shares it */
      for (size_t i = 0; i < b.bar_count; i++) {
        int64_t end = bars[i].ended_ms;
        int64_t last = end == WHEN_NONE ? 0 : end > bars[i].started_ms ? end - 1 : end;
        if (bars[i].run.state == RUN_FAILED && end != WHEN_NONE &&
            timeline_ms_column(since, until, columns, last) == (long)c)
          assert_int_equal(cells[c].mark, TIMELINE_MARK_FAILED);
      }
    }
  }
}

static void test_odd_scales(void **state)
{
  (void)state;
  struct timeline_bar bar = {.run = {.state = RUN_RUNNING},
                             .started_ms = T0 - 90 * WHEN_DAY,
                             .began_ms = T0 - 90 * WHEN_DAY,
                             .ended_ms = WHEN_NONE,
                             .expected_end_ms = WHEN_NONE};
  struct timeline_bars b = {.bars = &bar, .bar_count = 1};
  struct timeline_cell cells[3];
  timeline_cells(&b, T0, T0, T0, cells, 3);
  assert_int_equal(cells[0].fill, TIMELINE_EMPTY);
  timeline_cells(&b, T0, T0 + 2, T0 + 1, cells, 3); /* fewer milliseconds than eighths */
  assert_int_equal(cells[0].fill, TIMELINE_WORKING);
  assert_int_equal(cells[2].fill, TIMELINE_EMPTY);
  timeline_cells(&b, T0 - 365 * WHEN_DAY, T0 + WHEN_DAY, T0, cells, 3);
  assert_true(cells[0].fill == TIMELINE_EMPTY && cells[2].fill == TIMELINE_WORKING &&
              cells[2].mark == TIMELINE_MARK_LIVE);
  timeline_cells(&b, T0, T0 + 1000, T0, cells, 0);
  assert_int_equal(timeline_ms_column(T0, T0 + 1000, 10, T0 + 999), 9);
  assert_int_equal(timeline_ms_column(T0, T0 + 1000, 10, T0 + 1000), -1);
  assert_int_equal(timeline_ms_column(T0, T0 + 1000, 10, T0 - 1), -1);
  for (size_t i = 0; i < 10; i++)
    assert_int_equal(timeline_ms_column(T0, T0 + 1000, 10, timeline_column_ms(T0, T0 + 1000, 10, i)), i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes), cmocka_unit_test(test_bars),
                                     cmocka_unit_test(test_cells), cmocka_unit_test(test_odd_scales)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
