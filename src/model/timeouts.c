#include "model/timeouts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/xalloc.h"
#include "model/parts.h"
#include "model/schedule.h"
#include "model/sweep.h"

#define LIMIT_MOST   10080 /* minutes: a week, the service's own bound */
#define LIMIT_LEAST  10
#define WIDE_DEFAULT 4 /* times what is needed */
#define WIDE_SET     8

struct job_part {
  struct timeout_past *items;
  size_t count, cap;
};

struct timeouts {
  uint64_t prices_generation; /* of the table that the costs were made with */
  int only;
  struct sweep sweep;
  struct parts parts; /* of struct job_part */
  bool past_stale;    /* a job's items changed: past is to be put together again */
  struct timeouts_result result;
  size_t at_risk_cap, past_cap, advice_cap;
};

const char *timeout_risk_word(enum timeout_risk r)
{
  static const char *const words[] = {"over", "likely", "watch"};
  return (size_t)r < sizeof words / sizeof words[0] ? words[r] : "";
}

const char *timeout_source_word(enum timeout_source s)
{
  switch (s) {
  case TIMEOUT_JOB:
    return "job";
  case TIMEOUT_RUN:
    return "run";
  case TIMEOUT_DEFAULT:
    return "default";
  case TIMEOUT_NONE:
    return "none";
  case TIMEOUT_UNKNOWN:
    break;
  }
  return "unknown";
}

static void part_empty(void *part)
{
  struct job_part *p = part;
  p->count = 0;
}

static void part_free(void *part)
{
  struct job_part *p = part;
  free(p->items);
}

struct timeouts *timeouts_new(void)
{
  struct timeouts *t = xcalloc(1, sizeof *t);
  sweep_init(&t->sweep);
  parts_init(&t->parts, sizeof(struct job_part), part_empty, part_free);
  t->only = -1;
  return t;
}

void timeouts_free(struct timeouts *t)
{
  if (t == NULL)
    return;
  parts_fini(&t->parts);
  free(t->result.at_risk);
  free(t->result.past);
  free(t->result.advice);
  sweep_fini(&t->sweep);
  free(t);
}

void timeouts_begin(struct timeouts *t, int64_t since_ms, int64_t until_ms, int place, bool force)
{
  bool anew = force || place != t->only;
  if (sweep_set_window(&t->sweep, since_ms, until_ms) != SWEEP_WINDOW_OTHER && !anew)
    return;
  t->only = place;
  t->past_stale = true;
  sweep_again(&t->sweep);
  parts_empty(&t->parts);
}

bool timeouts_step(struct timeouts *t, const struct model *m, const struct price_table *prices, int64_t now_ms,
                   size_t budget)
{
  struct sweep_part s;
  if (t->prices_generation != price_table_generation(prices)) {
    t->prices_generation = price_table_generation(prices);
    timeouts_begin(t, t->sweep.since_ms, t->sweep.until_ms, t->only, true);
  }
  for (;;) {
    switch (sweep_next(&t->sweep, m, t->only, &budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      t->past_stale = true;
      parts_clear_place(&t->parts, s.place);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct job_part *part = parts_get(&t->parts, m, s.place, s.job);
      if (s.first) {
        t->past_stale = t->past_stale || part->count > 0;
        part->count = 0;
      }
      for (size_t i = s.from; i < s.to; i++) {
        const struct run *r = &j->runs[i];
        if (r->state != RUN_TIMEOUT || !sweep_meets(&t->sweep, r, now_ms))
          continue;
        t->past_stale = true;
        part->items = xgrow(part->items, &part->cap, part->count + 1, sizeof *part->items);
        part->items[part->count++] =
            (struct timeout_past){.place = s.place,
                                  .job = j->name,
                                  .run = *r,
                                  .at_ms = r->completed_ms != WHEN_NONE ? r->completed_ms : r->started_ms,
                                  .timeout_minutes = model_run_timeout(m, j, r, NULL),
                                  .cost = cost_of_run(m, prices, s.place, j, r, now_ms)};
      }
      break;
    }
    }
  }
}

/* --- advice --------------------------------------------------------------------------------------------------------- */

int32_t timeout_suggest(const struct stats_times *times)
{
  double seconds = 0;
  int32_t minutes = 0, step = 60;
  if (times->count < TIMEOUT_RUNS_LEAST)
    return -1;
  seconds = fmax(1.5 * times->p95, 1.2 * times->max);
  if (seconds >= LIMIT_MOST * 60.0)
    return LIMIT_MOST;
  minutes = (int32_t)ceil(seconds / 60);
  if (minutes < LIMIT_LEAST)
    minutes = LIMIT_LEAST;
  if (minutes <= 60)
    step = 5;
  else if (minutes <= 240)
    step = 15;
  else if (minutes <= 720)
    step = 30;
  minutes = (minutes + step - 1) / step * step;
  return minutes > LIMIT_MOST ? LIMIT_MOST : minutes;
}

static enum timeout_flaw flaw_of(const struct timeout_advice *a)
{
  double limit = a->timeout_minutes * 60.0;
  if (a->timeout_minutes <= 0 || a->suggested_minutes < 0)
    return TIMEOUT_FLAW_NONE;
  if (a->times.p95 >= 0.8 * limit || a->times.max >= 0.95 * limit)
    return TIMEOUT_FLAW_TIGHT;
  if (a->source == TIMEOUT_DEFAULT && a->timeout_minutes >= WIDE_DEFAULT * a->suggested_minutes)
    return TIMEOUT_FLAW_DEFAULT;
  if (a->timeout_minutes >= WIDE_SET * a->suggested_minutes)
    return TIMEOUT_FLAW_WIDE;
  return TIMEOUT_FLAW_NONE;
}

static struct timeout_advice advise(const struct model *m, const struct price_table *prices, const struct job *j,
                                    const struct job_stats *s)
{
  struct timeout_advice a = {.place = j->place,
                             .job = j->name,
                             .times = s->times,
                             .suggested_minutes = -1,
                             .maintenance_window = j->type == JOB_STREAMING ? j->maintenance_window : 0,
                             .used_now = (double)NAN};
  a.timeout_minutes = model_job_timeout(m, j, &a.source);
  if (j->type != JOB_STREAMING && j->type != JOB_RAY)
    a.suggested_minutes = timeout_suggest(&s->times);
  a.exposure_kind = cost_worst_of_job(m, prices, j->place, j, &a.exposure_nano);
  a.flaw = flaw_of(&a);
  return a;
}

/* --- runs in flight ------------------------------------------------------------------------------------------------- */

/* How likely it is to reach the limit, given how long it has been at work already; NAN when no run of the past took so long. */
static double likelihood(const struct job_stats *s, double elapsed, double limit)
{
  double so_long = stats_share_at_least(s->seconds, s->times.count, elapsed);
  if (isnan(so_long) || so_long <= 0 || s->times.count < TIMEOUT_RUNS_LEAST)
    return (double)NAN;
  return stats_share_at_least(s->seconds, s->times.count, limit) / so_long;
}

static bool assess(const struct model *m, const struct job *j, const struct run *r, const struct job_stats *s,
                   int64_t now_ms, struct timeout_at_risk *out)
{
  int32_t minutes = model_run_timeout(m, j, r, NULL);
  int64_t began = cost_began(r, NULL);
  if (minutes <= 0 || began == WHEN_NONE || r->state != RUN_RUNNING)
    return false;
  double limit = minutes * 60.0, elapsed = now_ms > began ? (double)sum_less(now_ms, began) / (double)WHEN_SECOND : 0;
  *out = (struct timeout_at_risk){.place = j->place,
                                  .job = j->name,
                                  .run = *r,
                                  .elapsed_seconds = (int64_t)elapsed,
                                  .timeout_minutes = minutes,
                                  .used = elapsed / limit,
                                  .expected_seconds = s->times.p50,
                                  .likelihood = likelihood(s, elapsed, limit),
                                  .ends_ms = sum_of(began, minutes * WHEN_MINUTE)};
  bool beyond_all = s->times.count >= TIMEOUT_RUNS_LEAST && elapsed > s->times.max;
  if (out->used >= 1 || (s->times.count >= TIMEOUT_RUNS_LEAST && s->times.p50 >= limit))
    out->risk = TIMEOUT_RISK_OVER;
  else if (out->used >= 0.9 || out->likelihood >= 0.1 || (beyond_all && out->used >= 0.75))
    out->risk = TIMEOUT_RISK_LIKELY;
  else if (out->used >= 0.75 || (out->used >= 0.5 && s->times.count > 0 && elapsed > s->times.p95))
    out->risk = TIMEOUT_RISK_WATCH;
  else
    return false;
  return true;
}

static double used_share(const struct model *m, const struct job *j, const struct run *r, int64_t now_ms)
{
  int32_t minutes = model_run_timeout(m, j, r, NULL);
  int64_t began = cost_began(r, NULL);
  if (minutes <= 0 || began == WHEN_NONE || r->state != RUN_RUNNING)
    return (double)NAN;
  return now_ms > began ? (double)sum_less(now_ms, began) / ((double)minutes * (double)WHEN_MINUTE) : 0;
}

/* --- result --------------------------------------------------------------------------------------------------------- */

static int compare_at_risk(const void *a, const void *b)
{
  const struct timeout_at_risk *x = a, *y = b;
  if (x->risk != y->risk)
    return x->risk < y->risk ? -1 : 1;
  if (x->ends_ms != y->ends_ms)
    return x->ends_ms < y->ends_ms ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static int compare_past(const void *a, const void *b)
{
  const struct timeout_past *x = a, *y = b;
  if (x->at_ms != y->at_ms)
    return x->at_ms > y->at_ms ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static int compare_advice(const void *a, const void *b)
{
  const struct timeout_advice *x = a, *y = b;
  bool tight_x = x->flaw == TIMEOUT_FLAW_TIGHT, tight_y = y->flaw == TIMEOUT_FLAW_TIGHT;
  if (tight_x != tight_y)
    return tight_x ? -1 : 1;
  if (x->exposure_nano != y->exposure_nano)
    return x->exposure_nano > y->exposure_nano ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static void add_job(struct timeouts *t, const struct model *m, const struct price_table *prices,
                    struct stats_cache *stats, int place, size_t index, int64_t now_ms)
{
  struct timeouts_result *r = &t->result;
  const struct job *j = &m->places[place].jobs[index];
  const struct job_stats *s = stats_cache_get(stats, m, place, index);
  struct timeout_advice a = advise(m, prices, j, s);
  size_t left = j->run_live;
  for (size_t i = 0; i < j->run_count && left > 0; i++) {
    struct timeout_at_risk risk;
    if (run_finished(&j->runs[i]))
      continue;
    left--;
    double used = used_share(m, j, &j->runs[i], now_ms);
    if (!isnan(used) && (isnan(a.used_now) || used > a.used_now))
      a.used_now = used;
    if (!assess(m, j, &j->runs[i], s, now_ms, &risk))
      continue;
    r->at_risk = xgrow(r->at_risk, &t->at_risk_cap, r->at_risk_count + 1, sizeof *r->at_risk);
    r->at_risk[r->at_risk_count++] = risk;
  }
  if (!j->defined || j->gone)
    return;
  r->advice = xgrow(r->advice, &t->advice_cap, r->advice_count + 1, sizeof *r->advice);
  r->advice[r->advice_count++] = a;
}

static void gather_past(struct timeouts *t, const struct model *m)
{
  struct timeouts_result *r = &t->result;
  r->past_count = 0;
  r->past_sum = (struct cost_sum){0};
  for (size_t p = 0; p < t->parts.place_count; p++) {
    if (t->only < 0 ? !schedule_place_open(m, (int)p) : (size_t)t->only != p)
      continue;
    for (size_t i = 0; i < t->parts.places[p].count; i++) {
      const struct job_part *part = parts_at(&t->parts, p, i);
      if (part->count > 0)
        r->past = xgrow(r->past, &t->past_cap, r->past_count + part->count, sizeof *r->past);
      for (size_t k = 0; k < part->count; k++) {
        r->past[r->past_count++] = part->items[k];
        cost_sum_add(&r->past_sum, &part->items[k].cost);
      }
    }
  }
  if (r->past_count > 1)
    qsort(r->past, r->past_count, sizeof *r->past, compare_past);
  t->past_stale = false;
}

const struct timeouts_result *timeouts_result(struct timeouts *t, const struct model *m,
                                              const struct price_table *prices, struct stats_cache *stats,
                                              int64_t now_ms)
{
  struct timeouts_result *r = &t->result;
  r->at_risk_count = r->advice_count = 0;
  for (size_t p = 0; p < m->place_count; p++) {
    if (t->only < 0 ? !schedule_place_open(m, (int)p) : (size_t)t->only != p)
      continue;
    for (size_t i = 0; i < m->places[p].job_count; i++)
      add_job(t, m, prices, stats, (int)p, i, now_ms);
  }
  if (t->past_stale)
    gather_past(t, m);
  if (r->at_risk_count > 1)
    qsort(r->at_risk, r->at_risk_count, sizeof *r->at_risk, compare_at_risk);
  if (r->advice_count > 1)
    qsort(r->advice, r->advice_count, sizeof *r->advice, compare_advice);
  return r;
}
