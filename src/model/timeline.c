#include "model/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "model/collisions_private.h"
#include "model/cost.h"
#include "model/parts.h"
#include "model/sweep.h"

#define TRAILING_GAP (15 * WHEN_MINUTE) /* what was not read since the last poll is no hole */

struct job_part {
  size_t runs, failures;
  int64_t first_ms;
};
/* A place's job indexes by name. */
struct order {
  size_t *jobs;
  size_t count;
  uint32_t epoch;
};

struct timeline {
  int only;
  struct sweep sweep;
  struct parts parts; /* of struct job_part */
  struct order *orders;
  size_t order_count;
  struct timeline_result result;
  size_t lane_cap;
};

static void part_empty(void *part)
{
  struct job_part *p = part;
  *p = (struct job_part){.first_ms = WHEN_NONE};
}

struct timeline *timeline_new(void)
{
  struct timeline *t = xcalloc(1, sizeof *t);
  sweep_init(&t->sweep);
  parts_init(&t->parts, sizeof(struct job_part), part_empty, NULL);
  t->only = -1;
  return t;
}

void timeline_free(struct timeline *t)
{
  if (t == NULL)
    return;
  for (size_t i = 0; i < t->order_count; i++)
    free(t->orders[i].jobs);
  free(t->orders);
  parts_fini(&t->parts);
  free(t->result.lanes);
  sweep_fini(&t->sweep);
  free(t);
}

void timeline_begin(struct timeline *t, int64_t since_ms, int64_t until_ms, int place)
{
  if (sweep_set_window(&t->sweep, since_ms, until_ms) != SWEEP_WINDOW_OTHER && place == t->only)
    return;
  t->only = place;
  sweep_again(&t->sweep);
  parts_empty(&t->parts);
}

static int64_t earlier(int64_t a, int64_t b)
{
  if (a == WHEN_NONE || b == WHEN_NONE)
    return a == WHEN_NONE ? b : a;
  return a < b ? a : b;
}

bool timeline_step(struct timeline *t, const struct model *m, int64_t now_ms, size_t budget)
{
  struct sweep_part s;
  for (;;) {
    switch (sweep_next(&t->sweep, m, t->only, &budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      parts_clear_place(&t->parts, s.place);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct job_part *part = parts_get(&t->parts, m, s.place, s.job);
      if (s.first)
        part_empty(part);
      for (size_t i = s.from; i < s.to; i++) {
        const struct run *r = &j->runs[i];
        if (!run_finished(r) || !sweep_meets(&t->sweep, r, now_ms))
          continue;
        part->runs++;
        part->failures += run_state_info((enum run_state)r->state)->failed;
        part->first_ms = earlier(part->first_ms, r->started_ms);
      }
      break;
    }
    }
  }
}

/* --- lanes ---------------------------------------------------------------------------------------------------------- */

struct named {
  const char *name;
  size_t job;
};

static int compare_names(const void *a, const void *b)
{
  const struct named *x = a, *y = b;
  int c = text_compare(x->name, y->name);
  if (c == 0)
    c = strcmp(x->name, y->name);
  return c;
}

static const struct order *order_of(struct timeline *t, const struct model *m, int place)
{
  const struct place *p = &m->places[place];
  if ((size_t)place >= t->order_count) {
    t->orders = xreallocarray(t->orders, m->place_count, sizeof *t->orders);
    memset(&t->orders[t->order_count], 0, (m->place_count - t->order_count) * sizeof *t->orders);
    t->order_count = m->place_count;
  }
  struct order *o = &t->orders[place];
  if (o->count == p->job_count && o->epoch == p->epoch)
    return o;
  struct named *names = xcalloc(p->job_count + 1, sizeof *names);
  for (size_t i = 0; i < p->job_count; i++) {
    const char *name = model_str(m, p->jobs[i].name);
    names[i] = (struct named){name == NULL ? "" : name, i};
  }
  if (p->job_count > 1)
    qsort(names, p->job_count, sizeof *names, compare_names);
  o->jobs = xreallocarray(o->jobs, p->job_count + 1, sizeof *o->jobs);
  for (size_t i = 0; i < p->job_count; i++)
    o->jobs[i] = names[i].job;
  o->count = p->job_count;
  o->epoch = p->epoch;
  free(names);
  return o;
}

static void add_lane(struct timeline *t, const struct job *j, const struct job_part *part, size_t index, size_t planned,
                     int64_t now_ms)
{
  struct timeline_result *r = &t->result;
  struct timeline_lane lane = {.place = j->place,
                               .job = j->name,
                               .job_index = index,
                               .runs = part->runs,
                               .failures = part->failures,
                               .first_ms = part->first_ms,
                               .planned = planned};
  size_t left = j->run_live;
  for (size_t i = 0; i < j->run_count && left > 0; i++) {
    const struct run *run = &j->runs[i];
    if (run_finished(run))
      continue;
    left--;
    if (!run_meets(run, t->sweep.since_ms, t->sweep.until_ms, now_ms))
      continue;
    lane.runs++;
    lane.live++;
    lane.first_ms = earlier(lane.first_ms, run->started_ms);
  }
  if (j->defined && !j->gone &&
      !model_runs_read(j, t->sweep.since_ms, t->sweep.until_ms < now_ms ? t->sweep.until_ms : now_ms))
    r->unread++;
  r->runs += lane.runs;
  r->failures += lane.failures;
  if (lane.runs == 0 && planned == 0)
    return;
  r->lanes = xgrow(r->lanes, &t->lane_cap, r->lane_count + 1, sizeof *r->lanes);
  r->lanes[r->lane_count++] = lane;
}

static size_t *count_planned(const struct timeline *t, const struct model *m, const struct plan *plan, int place)
{
  const struct place *p = &m->places[place];
  size_t *counts = xcalloc(p->job_count == 0 ? 1 : p->job_count, sizeof *counts);
  for (size_t i = 0; plan != NULL && i < plan->count; i++) {
    const struct planned_start *s = &plan->starts[i];
    const struct job *j = s->place == place && s->at_ms <= t->sweep.until_ms && s->at_ms >= t->sweep.since_ms
                              ? model_job(m, place, s->job)
                              : NULL;
    if (j != NULL)
      counts[j - p->jobs]++;
  }
  return counts;
}

const struct timeline_result *timeline_result(struct timeline *t, const struct model *m, const struct plan *plan,
                                              int64_t now_ms)
{
  struct timeline_result *r = &t->result;
  r->lane_count = r->runs = r->failures = r->unread = 0;
  for (size_t i = 0; i < m->place_count; i++) {
    if (t->only < 0 ? !schedule_place_open(m, (int)i) : (size_t)t->only != i)
      continue;
    const struct order *order = order_of(t, m, (int)i);
    size_t *planned = count_planned(t, m, plan, (int)i);
    for (size_t k = 0; k < order->count; k++) {
      size_t job = order->jobs[k];
      add_lane(t, &m->places[i].jobs[job], parts_get(&t->parts, m, (int)i, job), job, planned[job], now_ms);
    }
    free(planned);
  }
  return r;
}

/* --- bars of a lane ------------------------------------------------------------------------------------------------- */

void timeline_bars_init(struct timeline_bars *b)
{
  *b = (struct timeline_bars){0};
}

void timeline_bars_fini(struct timeline_bars *b)
{
  free(b->bars);
  free(b->planned);
  free(b->gaps);
  if (b->judge != NULL)
    collision_judge_fini(b->judge);
  free(b->judge);
  timeline_bars_init(b);
}

static struct timeline_bar make_bar(const struct run *r, const struct job *j, const struct job_stats *s, int64_t now_ms)
{
  struct timeline_bar bar = {.run = *r,
                             .place = j->place,
                             .job = j->name,
                             .started_ms = r->started_ms,
                             .began_ms = cost_began(r, NULL),
                             .ended_ms = WHEN_NONE,
                             .expected_end_ms = WHEN_NONE,
                             .late_end_ms = WHEN_NONE};
  if (bar.started_ms == WHEN_NONE)
    bar.started_ms = bar.began_ms;
  if (run_finished(r)) {
    bar.ended_ms = r->completed_ms != WHEN_NONE ? r->completed_ms : r->modified_ms;
    if (bar.ended_ms == WHEN_NONE || bar.ended_ms < bar.started_ms)
      bar.ended_ms = bar.started_ms;
  } else if (s != NULL && j->type != JOB_STREAMING) {
    bar.expected_end_ms = schedule_run_end(r, s, now_ms, 50);
    bar.late_end_ms = schedule_run_end(r, s, now_ms, 95);
  }
  if (bar.began_ms != WHEN_NONE && bar.ended_ms != WHEN_NONE && bar.began_ms > bar.ended_ms)
    bar.began_ms = bar.ended_ms;
  if (bar.began_ms != WHEN_NONE && bar.started_ms > bar.began_ms)
    bar.started_ms = bar.began_ms;
  return bar;
}

static void add_gap(struct timeline_bars *b, int64_t from_ms, int64_t to_ms)
{
  b->gaps = xgrow(b->gaps, &b->gap_cap, b->gap_count + 1, sizeof *b->gaps);
  b->gaps[b->gap_count++] = (struct span){from_ms, to_ms};
}

/* Spans end at the newest run: when it was read last, there was nothing behind it. */
static int64_t read_until(const struct job *j)
{
  bool from_the_top = j->run_count == 0 || j->runs[0].started_ms == WHEN_NONE
                          ? j->read_to_end
                          : j->read_count > 0 && j->read[0].to_ms >= j->runs[0].started_ms;
  return from_the_top && j->top_read_ms != WHEN_NONE ? j->top_read_ms : INT64_MIN;
}

static void fill_gaps(struct timeline_bars *b, const struct job *j, int64_t since_ms, int64_t until_ms, int64_t now_ms)
{
  int64_t end = until_ms < now_ms ? until_ms : now_ms, from = since_ms, top = read_until(j);
  b->gap_count = 0;
  for (size_t i = j->read_count; i-- > 0 && from <= end;) { /* oldest first */
    struct span s = j->read[i];
    if (i == 0 && s.to_ms < top)
      s.to_ms = top;
    if (s.to_ms < from)
      continue;
    if (s.from_ms > end)
      break;
    if (s.from_ms > from)
      add_gap(b, from, s.from_ms - 1);
    from = s.to_ms == INT64_MAX ? s.to_ms : s.to_ms + 1;
  }
  if (j->read_count == 0 && j->read_to_end && top != INT64_MIN && top + 1 > from)
    from = top + 1;
  bool poll_is_due = (j->read_count > 0 || j->read_to_end) && end == now_ms && end - from < TRAILING_GAP;
  if (from <= end && !poll_is_due)
    add_gap(b, from, end);
}

/* How many runs of the lane are expected to be at work at a moment to come. */
static size_t expected_at(const struct timeline_bars *b, size_t live, int64_t longest_ms, int64_t at_ms)
{
  size_t count = 0;
  for (size_t i = b->bar_count; i > 0 && live > 0; i--) { /* the newest as a rule */
    const struct timeline_bar *bar = &b->bars[i - 1];
    if (run_finished(&bar->run))
      continue;
    live--;
    count += bar->expected_end_ms == WHEN_NONE || bar->expected_end_ms > at_ms;
  }
  for (size_t i = b->planned_count; i > 0 && sum_less(at_ms, b->planned[i - 1].at_ms) < longest_ms; i--)
    count +=
        b->planned[i - 1].at_ms < at_ms && b->planned[i - 1].end_ms != WHEN_NONE && b->planned[i - 1].end_ms > at_ms;
  return count;
}

static void fill_planned(struct timeline_bars *b, const struct plan *plan, const struct job *j, int64_t since_ms,
                         int64_t until_ms)
{
  size_t live = 0;
  int64_t longest_ms = 0; /* of the planned ones */
  b->planned_count = 0;
  for (size_t i = 0; i < b->bar_count; i++)
    live += !run_finished(&b->bars[i].run);
  for (size_t i = 0; plan != NULL && i < plan->count; i++) {
    const struct planned_start *s = &plan->starts[i];
    if (s->place != j->place || s->job != j->name || s->at_ms < since_ms || s->at_ms > until_ms)
      continue;
    struct timeline_planned p = {.at_ms = s->at_ms,
                                 .end_ms = isnan(s->seconds) ? WHEN_NONE
                                                             : s->at_ms + (int64_t)(s->seconds * (double)WHEN_SECOND),
                                 .trigger = s->trigger};
    p.meets = expected_at(b, live, longest_ms, p.at_ms) >= (size_t)collisions_limit(j);
    b->planned = xgrow(b->planned, &b->planned_cap, b->planned_count + 1, sizeof *b->planned);
    b->planned[b->planned_count++] = p;
    if (p.end_ms != WHEN_NONE && p.end_ms - p.at_ms > longest_ms)
      longest_ms = p.end_ms - p.at_ms;
  }
}

/* false: there are more than `most`. */
static bool add_bars(struct timeline_bars *b, const struct model *m, struct stats_cache *stats, int place, size_t job,
                     int64_t since_ms, int64_t until_ms, int64_t now_ms, size_t most)
{
  const struct job *j = &m->places[place].jobs[job];
  const struct job_stats *s = NULL;
  size_t first = b->bar_count;
  if (b->judge == NULL) {
    b->judge = xcalloc(1, sizeof *b->judge);
    collision_judge_init(b->judge);
  }
  collision_judge_job(b->judge, m, j);
  for (size_t i = model_runs_reach(j, since_ms); i-- > 0;) {
    const struct run *r = &j->runs[i];
    if (!run_meets(r, since_ms, until_ms, now_ms))
      continue;
    if (s == NULL && stats != NULL)
      s = stats_cache_get(stats, m, place, job);
    struct timeline_bar bar = make_bar(r, j, s, now_ms);
    if (bar.started_ms == WHEN_NONE)
      continue; /* no time at all */
    if (b->bar_count == most)
      return false;
    bar.retry = b->bar_count > first && run_same_chain(&b->bars[b->bar_count - 1].run, r);
    bar.collided = collision_judge_run(b->judge, m, i, now_ms, NULL);
    b->bars = xgrow(b->bars, &b->bar_cap, b->bar_count + 1, sizeof *b->bars);
    b->bars[b->bar_count++] = bar;
  }
  return true;
}

void timeline_bars_fill(struct timeline_bars *b, const struct model *m, struct stats_cache *stats,
                        const struct plan *plan, int place, size_t job, int64_t since_ms, int64_t until_ms,
                        int64_t now_ms)
{
  const struct job *j = &m->places[place].jobs[job];
  b->bar_count = 0;
  add_bars(b, m, stats, place, job, since_ms, until_ms, now_ms, SIZE_MAX);
  fill_gaps(b, j, since_ms, until_ms, now_ms);
  fill_planned(b, plan, j, since_ms, until_ms);
}

static int compare_bars(const void *a, const void *b)
{
  const struct timeline_bar *x = a, *y = b;
  if (x->started_ms != y->started_ms)
    return x->started_ms < y->started_ms ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

bool timeline_bars_fill_all(struct timeline_bars *b, const struct model *m, struct stats_cache *stats, int place,
                            int64_t since_ms, int64_t until_ms, int64_t now_ms, size_t most)
{
  bool all = true;
  b->bar_count = b->planned_count = b->gap_count = 0;
  for (size_t p = 0; p < m->place_count && all; p++) {
    if (place < 0 ? !schedule_place_open(m, (int)p) : (size_t)place != p)
      continue;
    for (size_t i = 0; i < m->places[p].job_count && all; i++)
      all = add_bars(b, m, stats, (int)p, i, since_ms, until_ms, now_ms, most);
  }
  if (b->bar_count > 1)
    qsort(b->bars, b->bar_count, sizeof *b->bars, compare_bars);
  return all;
}

int64_t timeline_next_failure(const struct model *m, int place, size_t job, int64_t from_ms, bool backwards)
{
  const struct job *j = &m->places[place].jobs[job];
  int64_t best = WHEN_NONE;
  for (size_t i = 0; i < j->run_count; i++) {
    const struct run *r = &j->runs[i];
    if (!run_state_info((enum run_state)r->state)->failed || r->started_ms == WHEN_NONE)
      continue;
    if (backwards ? r->started_ms >= from_ms : r->started_ms <= from_ms)
      continue;
    if (best == WHEN_NONE || (backwards ? r->started_ms > best : r->started_ms < best))
      best = r->started_ms;
  }
  return best;
}
