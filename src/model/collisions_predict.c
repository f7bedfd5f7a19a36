/* What will clash: planned starts against the runs that will probably still be at work then. */
#include "model/collisions_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/xalloc.h"
#include "model/cost.h"

#define CANDIDATES_MAX 64
#define SUGGEST_GRID   (5 * WHEN_MINUTE)

/* Something that may hold a slot at the planned moment. */
struct candidate {
  const struct run *run; /* NULL: a planned start */
  int64_t began_ms;
  double chance;             /* that it is still at work at the moment in question */
  int64_t until_ms, late_ms; /* WHEN_NONE: no end */
};

/* Chance that a run that has lasted `elapsed` seconds lasts at least `needed`. */
static double lasts(const struct job_stats *s, double elapsed, double needed)
{
  double so_long = stats_share_at_least(s->seconds, s->times.count, elapsed);
  if (needed <= elapsed)
    return 1;
  if (isnan(so_long))
    return (double)NAN;
  if (so_long <= 0) /* longer than ever: it may end at any moment, or never; as likely as not */
    return 0.5;
  return stats_share_at_least(s->seconds, s->times.count, needed) / so_long;
}

static double seconds_between(int64_t from_ms, int64_t to_ms)
{
  return to_ms > from_ms ? (double)sum_less(to_ms, from_ms) / (double)WHEN_SECOND : 0;
}

static bool endless(const struct job *j)
{
  return j->type == JOB_STREAMING;
}

static size_t live_candidates(struct candidate *out, const struct job *j, const struct job_stats *s, int64_t at_ms,
                              int64_t now_ms)
{
  size_t count = 0, left = j->run_live;
  for (size_t i = 0; i < j->run_count && left > 0 && count < CANDIDATES_MAX; i++) {
    const struct run *r = &j->runs[i];
    if (run_finished(r))
      continue;
    left--;
    /* a run that waits will get a slot before the planned start does: it counts as beginning now */
    int64_t began = cost_began(r, NULL);
    struct candidate c = {
        .run = r, .began_ms = began == WHEN_NONE ? now_ms : began, .until_ms = WHEN_NONE, .late_ms = WHEN_NONE};
    if (endless(j)) {
      c.chance = 1;
    } else {
      c.chance = lasts(s, seconds_between(c.began_ms, now_ms), seconds_between(c.began_ms, at_ms));
      if (isnan(c.chance))
        continue;
      c.until_ms = schedule_run_end(r, s, now_ms, 50);
      c.late_ms = schedule_run_end(r, s, now_ms, 95);
    }
    out[count++] = c;
  }
  return count;
}

/* Of each planned start the one before it of the same job, as its index + 1; 0: it is the first. The caller frees it. */
static uint32_t *link_starts(const struct model *m, const struct plan *plan)
{
  uint32_t *before = xcalloc(plan->count + 1, sizeof *before), **last = xcalloc(m->place_count + 1, sizeof *last);
  for (size_t p = 0; p < m->place_count; p++)
    last[p] = xcalloc(m->places[p].job_count + 1, sizeof **last);
  for (size_t i = 0; i < plan->count; i++) {
    const struct planned_start *start = &plan->starts[i];
    const struct job *j = model_job(m, start->place, start->job);
    if (j == NULL)
      continue;
    uint32_t *of_job = &last[start->place][j - m->places[start->place].jobs];
    before[i] = *of_job;
    *of_job = (uint32_t)(i + 1);
  }
  for (size_t p = 0; p < m->place_count; p++)
    free(last[p]);
  free(last);
  return before;
}

/* Earlier planned starts of the same job, from the one in question back. */
static size_t planned_candidates(struct candidate *out, size_t room, const struct plan *plan, const uint32_t *links,
                                 size_t index, const struct job *j, const struct job_stats *s)
{
  const struct planned_start *start = &plan->starts[index];
  size_t count = 0;
  if (s->times.count == 0)
    return 0;
  for (size_t i = links[index]; i > 0 && count < room; i = links[i - 1]) {
    const struct planned_start *before = &plan->starts[i - 1];
    if (seconds_between(before->at_ms, start->at_ms) > s->times.max && !endless(j))
      break;
    out[count++] = (struct candidate){.began_ms = before->at_ms,
                                      .chance = lasts(s, 0, seconds_between(before->at_ms, start->at_ms)),
                                      .until_ms = before->at_ms + (int64_t)(s->times.p50 * (double)WHEN_SECOND),
                                      .late_ms = before->at_ms + (int64_t)(s->times.p95 * (double)WHEN_SECOND)};
  }
  return count;
}

/* Chance that at least `limit` of them are at work, taken as independent. */
static double chance_of_limit(const struct candidate *c, size_t count, int32_t limit)
{
  double exactly[CANDIDATES_MAX * 2 + 1] = {1};
  double less = 0;
  if ((size_t)limit > count)
    return 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 2; k-- > 0;)
      exactly[k] = exactly[k] * (1 - c[i].chance) + (k == 0 ? 0 : exactly[k - 1] * c[i].chance);
  for (int32_t k = 0; k < limit; k++)
    less += exactly[k];
  return less >= 1 ? 0 : 1 - less;
}

static int64_t round_up(int64_t ms, int64_t grid)
{
  return (ms + grid - 1) / grid * grid;
}

static unsigned advise(const struct model *m, const struct job *j, const struct planned_start *start,
                       const struct candidate *busiest, int64_t *suggested)
{
  unsigned advice = 0;
  (void)m;
  *suggested = WHEN_NONE;
  if (j->queuing != TRI_TRUE && j->max_retries <= 0 && j->execution_class != CLASS_FLEX && !endless(j))
    advice |= COLLISION_ADVISE_QUEUING;
  if (j->bookmark != BOOKMARK_ENABLE && !endless(j))
    advice |= COLLISION_ADVISE_LIMIT;
  if (busiest->late_ms != WHEN_NONE && busiest->late_ms > start->at_ms && !start->conditional) {
    advice |= COLLISION_ADVISE_LATER;
    *suggested = round_up(busiest->late_ms, SUGGEST_GRID);
  }
  if (busiest->run == NULL && busiest->chance > 0.5)
    advice |= COLLISION_ADVISE_FASTER;
  return advice;
}

void collisions_predict(struct predictions *out, const struct model *m, struct stats_cache *stats,
                        const struct plan *plan, int only, int64_t now_ms)
{
  uint32_t *links = plan == NULL ? NULL : link_starts(m, plan);
  out->count = 0;
  for (size_t i = 0; plan != NULL && i < plan->count; i++) {
    const struct planned_start *start = &plan->starts[i];
    const struct job *j = model_job(m, start->place, start->job);
    struct candidate c[CANDIDATES_MAX * 2];
    if (j == NULL || (only >= 0 && start->place != only))
      continue;
    const struct job_stats *s = stats_cache_get(stats, m, start->place, (size_t)(j - m->places[start->place].jobs));
    size_t count = live_candidates(c, j, s, start->at_ms, now_ms);
    count += planned_candidates(&c[count], CANDIDATES_MAX, plan, links, i, j, s);
    int32_t limit = collisions_limit(j);
    double confidence = chance_of_limit(c, count, limit);
    if (count == 0 || confidence < COLLISION_LEAST_CONFIDENCE)
      continue;
    size_t busiest = 0;
    for (size_t k = 1; k < count; k++)
      if (c[k].chance > c[busiest].chance)
        busiest = k;
    struct collision_predicted p = {.place = start->place,
                                    .job = start->job,
                                    .at_ms = start->at_ms,
                                    .trigger = start->trigger,
                                    .has_busy_run = c[busiest].run != NULL,
                                    .busy_began_ms = c[busiest].began_ms,
                                    .busy_until_ms = c[busiest].until_ms,
                                    .busy_until_late_ms = c[busiest].late_ms,
                                    .confidence = confidence,
                                    .limit = limit,
                                    .queues = j->queuing == TRI_TRUE};
    if (c[busiest].run != NULL)
      p.busy_run = *c[busiest].run;
    p.advice = advise(m, j, start, &c[busiest], &p.suggested_ms);
    out->items = xgrow(out->items, &out->cap, out->count + 1, sizeof *out->items);
    out->items[out->count++] = p;
  }
  free(links);
}

/* The live runs of a job until their expected ends. What waits while the limit is met begins when a slot is expected to come free, oldest
 * first; what waits for something else counts from now. */
static void expect_live(struct load *l, const struct model *m, const struct job *j, const struct job_stats *s,
                        int64_t now_ms)
{
  size_t active = 0, left = j->run_live, oldest = 0, slot = 0, limit = (size_t)collisions_limit(j);
  int64_t *ends = left > 0 ? xcalloc(left, sizeof *ends) : NULL;
  for (size_t k = 0; k < j->run_count && left > 0; k++) {
    const struct run *r = &j->runs[k];
    if (run_finished(r))
      continue;
    left--;
    oldest = k + 1;
    if (r->state == RUN_WAITING)
      continue;
    int64_t size = cost_size_micros(model_run_dpu(m, r));
    int64_t until = endless(j) ? WHEN_NONE : schedule_run_end(r, s, now_ms, 50);
    ends[active++] = until == WHEN_NONE ? INT64_MAX : until;
    if (size >= 0)
      load_add(l, now_ms, until != WHEN_NONE && until <= now_ms ? now_ms + 1 : until, size);
  }
  stats_sort(ends, active);
  size_t spare = limit > active ? limit - active : 0;
  slot = active > limit ? active - limit : 0; /* the limit was lowered: so many end before anything begins */
  for (size_t k = oldest; k-- > 0;) {
    const struct run *r = &j->runs[k];
    if (r->state != RUN_WAITING)
      continue;
    int64_t from = now_ms, size = cost_size_micros(model_run_dpu(m, r));
    int64_t until = endless(j) ? WHEN_NONE : schedule_run_end(r, s, now_ms, 50);
    if (spare > 0) {
      spare--;
    } else if (slot < active) {
      from = ends[slot++];
    } else {
      break; /* behind those that wait now: beyond what can be told */
    }
    if (from == INT64_MAX)
      break;
    if (from <= now_ms && slot > 0)
      from = now_ms + 1; /* what is overdue counts to that moment */
    if (size >= 0)
      load_add(l, from, until == WHEN_NONE ? WHEN_NONE : from + sum_less(until, now_ms), size);
  }
  free(ends);
}

void collisions_expected_load(struct load *l, const struct model *m, struct stats_cache *stats, const struct plan *plan,
                              int place, int64_t now_ms)
{
  const struct place *p = &m->places[place];
  for (size_t i = 0; i < p->job_count; i++) {
    if (p->jobs[i].run_live > 0)
      expect_live(l, m, &p->jobs[i], stats_cache_get(stats, m, place, i), now_ms);
  }
  for (size_t i = 0; plan != NULL && i < plan->count; i++) {
    const struct planned_start *start = &plan->starts[i];
    const struct job *j = start->place == place ? model_job(m, start->place, start->job) : NULL;
    int64_t size = j == NULL ? -1 : cost_size_micros(model_job_dpu(m, j));
    if (size >= 0 && !isnan(start->seconds))
      load_add(l, start->at_ms, start->at_ms + (int64_t)(start->seconds * (double)WHEN_SECOND), size);
  }
}

void collisions_expect_peak(struct collision_account *a, const struct model *m, struct stats_cache *stats,
                            const struct plan *plan, int64_t now_ms)
{
  struct load *l = load_new();
  int64_t end = plan == NULL ? now_ms : plan->until_ms;
  collisions_expected_load(l, m, stats, plan, a->place, now_ms);
  struct load_peak peak = load_peak(l, now_ms, end + 1);
  a->expected_dpu_micros = peak.dpu_micros;
  a->expected_at_ms = peak.dpu_at_ms;
  load_free(l);
}
