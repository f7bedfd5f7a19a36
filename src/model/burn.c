#include "model/burn.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "model/burn_private.h"

static void empty_window(struct burn_part *j)
{
  struct daybook_part days = j->window_days;
  days.count = 0;
  *j = (struct burn_part){.window_days = days,
                          .calendar_days = j->calendar_days,
                          .unusual = j->unusual,
                          .unusual_cap = j->unusual_cap,
                          .oldest_ms = INT64_MAX,
                          .median_nano = j->median_nano,
                          .median_runs = j->median_runs};
}

static void empty_base(struct burn_part *j)
{
  j->calendar_days.count = 0;
  j->median_nano = -1;
  j->median_runs = 0;
}

static void part_empty(void *part)
{
  empty_window(part);
  empty_base(part);
}

static void part_free(void *any)
{
  struct burn_part *j = any;
  free(j->window_days.entries);
  free(j->calendar_days.entries);
  free(j->unusual);
}

struct burn *burn_new(void)
{
  struct burn *b = xcalloc(1, sizeof *b);
  sweep_init(&b->sweep);
  sweep_init(&b->base);
  parts_init(&b->parts, sizeof(struct burn_part), part_empty, part_free);
  b->only = -1;
  return b;
}

static void take_window(struct burn *b, struct burn_part *j)
{
  daybook_take_part(&b->window_book, &j->window_days);
  b->unusual_stale = b->unusual_stale || j->unusual_count > 0;
  empty_window(j);
}

static void take_base(struct burn *b, struct burn_part *j)
{
  daybook_take_part(&b->calendar_book, &j->calendar_days);
  empty_base(j);
}

/* The rows of a place are void. The parts stay, empty: each sweep takes its own. */
static void place_clear(struct burn *b, int place, void (*take)(struct burn *b, struct burn_part *j))
{
  for (size_t i = 0; (size_t)place < b->parts.place_count && i < b->parts.places[place].count; i++)
    take(b, parts_at(&b->parts, (size_t)place, i));
}

void burn_free(struct burn *b)
{
  if (b == NULL)
    return;
  parts_fini(&b->parts);
  free(b->candidates);
  free(b->unusual);
  free(b->result.jobs);
  free(b->result.days);
  free(b->result.unusual);
  free(b->scratch.entries);
  daybook_fini(&b->window_book);
  daybook_fini(&b->calendar_book);
  daybook_fini(&b->live_book);
  daybook_fini(&b->live_calendar);
  sweep_fini(&b->sweep);
  sweep_fini(&b->base);
  free(b);
}

/* The books as a whole: to take each job's days back one by one would be no slice any more. */
static void begin_window_again(struct burn *b)
{
  sweep_again(&b->sweep);
  daybook_clear(&b->window_book);
  for (size_t p = 0; p < b->parts.place_count; p++)
    for (size_t i = 0; i < b->parts.places[p].count; i++)
      empty_window(parts_at(&b->parts, p, i));
  b->unusual_stale = true;
}

void burn_begin(struct burn *b, int64_t since_ms, int64_t until_ms, int place, bool force)
{
  bool all = force || place != b->only;
  if (sweep_set_window(&b->sweep, since_ms, until_ms) != SWEEP_WINDOW_OTHER && !all)
    return;
  b->only = place;
  b->stretch_ms = 0;
  begin_window_again(b);
  if (all) {
    sweep_again(&b->base);
    daybook_clear(&b->calendar_book);
    b->calendar_before = false;
    parts_empty(&b->parts);
  }
}

const char *burn_waste_word(enum burn_waste w)
{
  static const char *const words[BURN_WASTES] = {"failed", "stopped", "timed_out"};
  return w < BURN_WASTES ? words[w] : "";
}

/* BURN_WASTES: it is none. */
static enum burn_waste waste_of(const struct run *r)
{
  return r->state == RUN_FAILED    ? BURN_FAILED
         : r->state == RUN_STOPPED ? BURN_STOPPED
         : r->state == RUN_TIMEOUT ? BURN_TIMED_OUT
                                   : BURN_WASTES;
}

/* --- the stretches of the trend -------------------------------------------------------------------------------------------- */

static int64_t stretch_of(const struct burn *b, int64_t ms)
{
  return ms / b->stretch_ms - (ms % b->stretch_ms < 0);
}

/* A twelfth of the window in whole minutes. When the window has moved into the next stretch the oldest falls away. */
static void settle_stretches(struct burn *b, int64_t now_ms)
{
  int64_t end = b->sweep.until_ms < now_ms ? b->sweep.until_ms : now_ms;
  int64_t span = sum_less(end, b->sweep.since_ms) / WHEN_MINUTE * WHEN_MINUTE;
  if (span > 366 * WHEN_DAY)
    span = 366 * WHEN_DAY;
  int64_t minutes = (span + BURN_TREND * WHEN_MINUTE - 1) / (BURN_TREND * WHEN_MINUTE), last = 0;
  int64_t stretch = (minutes < 1 ? 1 : minutes) * WHEN_MINUTE;
  if (stretch != b->stretch_ms) {
    if (b->stretch_ms != 0)
      begin_window_again(b);
    b->stretch_ms = stretch;
    b->stretch_last = stretch_of(b, end);
    return;
  }
  last = stretch_of(b, end);
  if (last == b->stretch_last)
    return;
  if (last < b->stretch_last) { /* the clock was put back */
    begin_window_again(b);
  } else {
    size_t moved = last - b->stretch_last < BURN_TREND ? (size_t)(last - b->stretch_last) : BURN_TREND;
    for (size_t p = 0; p < b->parts.place_count; p++) {
      for (size_t i = 0; i < b->parts.places[p].count; i++) {
        struct burn_part *part = parts_at(&b->parts, p, i);
        memmove(part->trend, &part->trend[moved], (BURN_TREND - moved) * sizeof part->trend[0]);
        memset(&part->trend[BURN_TREND - moved], 0, moved * sizeof part->trend[0]);
      }
    }
  }
  b->stretch_last = last;
}

/* Where a moment belongs; BURN_TREND: to none of them. */
static size_t trend_index(const struct burn *b, int64_t ms)
{
  int64_t back = sum_less(b->stretch_last, stretch_of(b, ms));
  return back < 0 ? BURN_TREND - 1 : back >= BURN_TREND ? BURN_TREND : (size_t)(BURN_TREND - 1 - back);
}

/* --- counting ------------------------------------------------------------------------------------------------------------- */

int64_t burn_began_or_started(const struct run *r)
{
  int64_t began = cost_began(r, NULL);
  return began != WHEN_NONE ? began : r->started_ms != WHEN_NONE ? r->started_ms : 0;
}

bool burn_is_unusual(const struct burn_part *part, int64_t nano)
{
  return part->median_runs >= BURN_MEDIAN_LEAST && part->median_nano > 0 &&
         nano > sum_times(BURN_UNUSUAL, part->median_nano);
}

int64_t burn_calendar_first(int64_t now_ms)
{
  int64_t today = daybook_day_of(now_ms), month = daybook_day_of(when_month_start(now_ms, WHEN_UTC));
  return month < today - BURN_FORECAST_DAYS ? month : today - BURN_FORECAST_DAYS;
}

static void count_base(struct burn *b, struct burn_part *part, const struct model *m, const struct price_table *prices,
                       int place, const struct job *j, size_t index, int64_t first_day_ms, int64_t now_ms)
{
  const struct run *r = &j->runs[index];
  bool usual = r->state == RUN_SUCCEEDED && b->median_count < BURN_MEDIAN_RUNS;
  int64_t ended = cost_ended(r, now_ms);
  bool before = ended < first_day_ms;
  if (!usual && before && b->calendar_before)
    return;
  struct cost c = cost_of_run(m, prices, place, j, r, now_ms);
  if (!before)
    daybook_add_run(&b->calendar_book, &part->calendar_days, &c, burn_began_or_started(r), ended);
  else
    b->calendar_before = b->calendar_before || c.nano > 0;
  if (usual && c.usd_basis != COST_UNKNOWN)
    b->medians[b->median_count++] = c.nano;
}

static void base_settle(struct burn *b, struct burn_part *part)
{
  part->median_runs = b->median_count;
  if (b->median_count == 0)
    return;
  stats_sort(b->medians, b->median_count);
  part->median_nano = (int64_t)stats_percentile(b->medians, b->median_count, 50);
}

static void count_run(struct burn *b, struct burn_part *part, const struct model *m, const struct price_table *prices,
                      int place, const struct job *j, size_t index, int64_t now_ms)
{
  const struct run *r = &j->runs[index];
  if (!sweep_meets(&b->sweep, r, now_ms))
    return;
  size_t class_index = 0;
  struct cost c = cost_and_class_of_run(m, prices, place, j, r, now_ms, &class_index);
  int64_t began = burn_began_or_started(r), ended = cost_ended(r, now_ms);
  if (r->started_ms < part->oldest_ms)
    part->oldest_ms = r->started_ms;
  cost_sum_add(&part->sum, &c);
  cost_sum_add(&part->classes[class_index], &c);
  enum burn_waste waste = waste_of(r);
  if (waste < BURN_WASTES) {
    cost_sum_add(&part->failed, &c);
    cost_sum_add(&part->wastes[waste], &c);
  }
  daybook_add_run(&b->window_book, &part->window_days, &c, began, ended);
  if (c.nano > 0) {
    size_t i = trend_index(b, began);
    if (i < BURN_TREND) {
      sum_add(&part->trend[i].nano, c.nano);
      part->trend[i].runs++;
    }
    b->candidates = xgrow(b->candidates, &b->candidate_cap, b->candidate_count + 1, sizeof *b->candidates);
    b->candidates[b->candidate_count++] = (struct burn_candidate){index, c.nano};
  }
}

static void job_settle(struct burn *b, struct burn_part *part, const struct job *j)
{
  for (size_t i = 0; i < b->candidate_count; i++) {
    const struct burn_candidate *c = &b->candidates[i];
    if (!burn_is_unusual(part, c->nano))
      continue;
    b->unusual_stale = true;
    if (part->unusual_count == BURN_UNUSUAL_MOST) {
      part->unusual_more++;
      continue;
    }
    part->unusual = xgrow(part->unusual, &part->unusual_cap, part->unusual_count + 1, sizeof *part->unusual);
    part->unusual[part->unusual_count++] = (struct burn_unusual){
        .place = j->place, .job = j->name, .run = j->runs[c->run], .nano = c->nano, .median_nano = part->median_nano};
  }
}

static bool base_step(struct burn *b, const struct model *m, const struct price_table *prices, int64_t now_ms,
                      size_t *budget)
{
  int64_t first_day_ms = burn_calendar_first(now_ms) * WHEN_DAY;
  struct sweep_part s;
  for (;;) {
    switch (sweep_next(&b->base, m, b->only, budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      place_clear(b, s.place, take_base);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct burn_part *part = parts_get(&b->parts, m, s.place, s.job);
      if (s.first) {
        take_base(b, part);
        b->median_count = 0;
      }
      for (size_t i = s.from; i < s.to; i++)
        if (run_finished(&j->runs[i]))
          count_base(b, part, m, prices, s.place, j, i, first_day_ms, now_ms);
      if (s.last)
        base_settle(b, part);
      break;
    }
    }
  }
}

bool burn_step(struct burn *b, const struct model *m, const struct price_table *prices, int64_t now_ms, size_t budget)
{
  struct sweep_part s;
  if (b->prices_generation != price_table_generation(prices)) {
    b->prices_generation = price_table_generation(prices);
    burn_begin(b, b->sweep.since_ms, b->sweep.until_ms, b->only, true);
  }
  settle_stretches(b, now_ms);
  if (!base_step(b, m, prices, now_ms, &budget))
    return false;
  if (budget == 0)
    budget = 1; /* to look through the jobs may have taken all of it */
  for (;;) {
    switch (sweep_next(&b->sweep, m, b->only, &budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      place_clear(b, s.place, take_window);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct burn_part *part = parts_get(&b->parts, m, s.place, s.job);
      if (s.first) {
        take_window(b, part);
        b->candidate_count = 0;
      }
      for (size_t i = s.from; i < s.to; i++)
        if (run_finished(&j->runs[i]))
          count_run(b, part, m, prices, s.place, j, i, now_ms);
      if (s.last)
        job_settle(b, part, j);
      break;
    }
    }
  }
}
