/* The plan is a walk through time: a heap holds the next firing of every schedule and the expected ends of runs; each start that comes out
 * adds its own expected end, each end may meet the conditions of triggers and so add starts. */
#include "model/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/xalloc.h"
#include "model/cost.h"
#include "model/cron.h"

#define OVERDUE_EARLY_MS                                                                                               \
  (2 * WHEN_MINUTE) /* a run may be accepted a little before the planned minute by another clock */

static bool text_is(const struct model *m, strid id, const char *word)
{
  const char *s = model_str(m, id);
  return s != NULL && strcmp(s, word) == 0;
}

bool schedule_trigger_on(const struct model *m, const struct trigger *t)
{
  return text_is(m, t->state, "ACTIVATED");
}

bool schedule_trigger_cron(const struct model *m, const struct trigger *t, struct cron *out)
{
  const char *text = model_str(m, t->schedule);
  return text != NULL && cron_parse(text, out, NULL);
}

bool schedule_place_open(const struct model *m, int place)
{
  for (size_t i = 0; i < m->context_count; i++)
    if (m->contexts[i].place == place && !m->contexts[i].closed)
      return true;
  return false;
}

static bool trigger_starts(const struct trigger *t, strid job)
{
  for (size_t i = 0; i < t->action_count; i++)
    if (t->actions[i].job == job)
      return true;
  return false;
}

int64_t schedule_next(const struct model *m, int place, strid job, int64_t after_ms, strid *trigger)
{
  const struct place *p = &m->places[place];
  int64_t best = WHEN_NONE;
  if (trigger != NULL)
    *trigger = 0;
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    struct cron cron;
    if (!trigger_starts(t, job) || !text_is(m, t->type, "SCHEDULED") || !schedule_trigger_on(m, t) ||
        !schedule_trigger_cron(m, t, &cron))
      continue;
    int64_t next = cron_next(&cron, after_ms);
    if (next != WHEN_NONE && (best == WHEN_NONE || next < best)) {
      best = next;
      if (trigger != NULL)
        *trigger = t->name;
    }
  }
  return best;
}

/* Did the job start within [from, to]? */
static bool started_within(const struct job *j, int64_t from_ms, int64_t to_ms)
{
  for (size_t i = 0; i < j->run_count; i++) { /* newest first */
    int64_t started = j->runs[i].started_ms;
    if (started == WHEN_NONE || started > to_ms)
      continue;
    return started >= from_ms;
  }
  return false;
}

bool schedule_overdue(const struct model *m, int place, const struct job *j, int64_t now_ms, int64_t grace_ms,
                      struct overdue *out)
{
  const struct place *p = &m->places[place];
  bool found = false;
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    struct cron cron;
    if (!trigger_starts(t, j->name) || !text_is(m, t->type, "SCHEDULED") || !schedule_trigger_cron(m, t, &cron))
      continue;
    bool on = schedule_trigger_on(m, t);
    int64_t due = cron_previous(&cron, now_ms - grace_ms);
    if (due == WHEN_NONE || j->runs_fresh.fetched_ms == WHEN_NONE || j->runs_fresh.fetched_ms < due + grace_ms)
      continue;
    if (started_within(j, due - OVERDUE_EARLY_MS, now_ms))
      continue;
    /* Only a job that kept to its schedule so far is missed: a new trigger has no past, an old one that is off has no future. */
    int64_t before = cron_previous(&cron, due - 1);
    if (before == WHEN_NONE || !started_within(j, before - OVERDUE_EARLY_MS, due - OVERDUE_EARLY_MS - 1))
      continue;
    if (!found || due > out->due_ms)
      *out = (struct overdue){.due_ms = due, .trigger = t->name, .off = !on};
    found = true;
  }
  return found;
}

int64_t schedule_run_end(const struct run *r, const struct job_stats *s, int64_t now_ms, double percent)
{
  int64_t began = cost_began(r, NULL);
  size_t count = s->times.count, shorter = 0;
  if (count == 0)
    return WHEN_NONE;
  if (began == WHEN_NONE)
    began = now_ms;
  /* what has lasted so long already is one of those that last at least so long */
  double elapsed = now_ms > began ? (double)sum_less(now_ms, began) / (double)WHEN_SECOND : 0;
  while (shorter < count && (double)s->seconds[shorter] < elapsed)
    shorter++;
  if (shorter == count)
    return now_ms;
  double seconds = stats_percentile(s->seconds + shorter, count - shorter, percent);
  int64_t end = began + (int64_t)(seconds * (double)WHEN_SECOND);
  return end < now_ms ? now_ms : end;
}

/* --- the walk ------------------------------------------------------------------------------------------------------- */

enum event_kind { EVENT_FIRE /* a schedule's time */, EVENT_END /* a run succeeds */ };

struct event {
  int64_t at_ms, late_ms;
  enum event_kind kind;
  size_t trigger; /* FIRE: index; END: of the trigger that started the run, SIZE_MAX none */
  strid job;      /* END */
  strid workflow; /* END: of that trigger */
  uint64_t order; /* equal times keep the order in which they were found */
};

/* Which condition of which trigger waits for a job; sorted by job. */
struct watch {
  strid job;
  size_t trigger, condition;
};

/* What a conditional trigger has seen since it last fired. */
struct pending {
  size_t *met; /* how often, by condition; NULL: this trigger is not followed */
  int64_t late_ms;
};

struct plan_work {
  int only_place; /* -1: all */
  int place;      /* in work */
  bool place_begun;
  struct event *heap;
  size_t heap_count, heap_cap;
  struct watch *watches;
  size_t watch_count, watch_cap;
  struct pending *pending;
  size_t pending_count;
  struct cron *crons; /* by trigger; only SCHEDULED ones are filled */
  uint64_t order;
};

static bool event_before(const struct event *a, const struct event *b)
{
  if (a->at_ms != b->at_ms)
    return a->at_ms < b->at_ms;
  return a->order < b->order;
}

static void heap_push(struct plan_work *w, struct event e)
{
  e.order = w->order++;
  w->heap = xgrow(w->heap, &w->heap_cap, w->heap_count + 1, sizeof *w->heap);
  size_t i = w->heap_count++;
  while (i > 0 && event_before(&e, &w->heap[(i - 1) / 2])) {
    w->heap[i] = w->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  w->heap[i] = e;
}

static struct event heap_pop(struct plan_work *w)
{
  struct event top = w->heap[0], last = w->heap[--w->heap_count];
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= w->heap_count)
      break;
    if (child + 1 < w->heap_count && event_before(&w->heap[child + 1], &w->heap[child]))
      child++;
    if (!event_before(&w->heap[child], &last))
      break;
    w->heap[i] = w->heap[child];
    i = child;
  }
  if (w->heap_count > 0)
    w->heap[i] = last;
  return top;
}

static void place_end(struct plan_work *w)
{
  for (size_t i = 0; i < w->pending_count; i++)
    free(w->pending[i].met);
  free(w->pending);
  free(w->crons);
  w->pending = NULL;
  w->crons = NULL;
  w->pending_count = 0;
  w->heap_count = 0;
  w->watch_count = 0;
  w->place_begun = false;
}

static int compare_watches(const void *a, const void *b)
{
  const struct watch *x = a, *y = b;
  if (x->job != y->job)
    return x->job < y->job ? -1 : 1;
  if (x->trigger != y->trigger)
    return x->trigger < y->trigger ? -1 : 1;
  return x->condition < y->condition ? -1 : x->condition > y->condition;
}

/* A condition that we can foretell. */
static bool condition_is_success(const struct model *m, const struct trigger *t, size_t i)
{
  return t->conditions[i].job != 0 && text_is(m, t->conditions[i].state, "SUCCEEDED");
}

static void follow_conditional(struct plan_work *w, const struct model *m, const struct trigger *t, size_t index)
{
  bool any_known = false, all_known = true;
  for (size_t i = 0; i < t->condition_count; i++) {
    bool known = condition_is_success(m, t, i);
    any_known = any_known || known;
    all_known = all_known && known;
  }
  if (t->any ? !any_known : !(any_known && all_known))
    return;
  w->pending[index].met = xcalloc(t->condition_count, sizeof *w->pending[index].met);
  for (size_t i = 0; i < t->condition_count; i++) {
    if (!condition_is_success(m, t, i))
      continue;
    w->watches = xgrow(w->watches, &w->watch_cap, w->watch_count + 1, sizeof *w->watches);
    w->watches[w->watch_count++] = (struct watch){.job = t->conditions[i].job, .trigger = index, .condition = i};
  }
}

static void push_live_runs(struct plan *p, const struct model *m, struct stats_cache *stats)
{
  struct plan_work *w = p->work;
  const struct place *place = &m->places[w->place];
  for (size_t i = 0; i < place->job_count; i++) {
    const struct job *j = &place->jobs[i];
    size_t live = j->run_live;
    for (size_t k = 0; k < j->run_count && live > 0; k++) {
      const struct run *r = &j->runs[k];
      if (run_finished(r))
        continue;
      live--;
      strid workflow = 0;
      if (r->trigger == 0)
        continue;
      for (size_t t = 0; t < place->trigger_count; t++)
        if (place->triggers[t].name == r->trigger)
          workflow = place->triggers[t].workflow;
      const struct job_stats *s = stats_cache_get(stats, m, w->place, i);
      int64_t end = schedule_run_end(r, s, p->from_ms, 50);
      if (end != WHEN_NONE)
        heap_push(w, (struct event){.at_ms = end,
                                    .late_ms = schedule_run_end(r, s, p->from_ms, 95),
                                    .kind = EVENT_END,
                                    .trigger = SIZE_MAX,
                                    .job = j->name,
                                    .workflow = workflow});
    }
  }
}

static void place_begin(struct plan *p, const struct model *m, struct stats_cache *stats)
{
  struct plan_work *w = p->work;
  const struct place *place = &m->places[w->place];
  w->pending_count = place->trigger_count;
  w->pending = xcalloc(w->pending_count == 0 ? 1 : w->pending_count, sizeof *w->pending);
  w->crons = xcalloc(w->pending_count == 0 ? 1 : w->pending_count, sizeof *w->crons);
  w->place_begun = true;
  for (size_t i = 0; i < place->trigger_count; i++) {
    const struct trigger *t = &place->triggers[i];
    if (!schedule_trigger_on(m, t) || t->action_count == 0)
      continue;
    if (text_is(m, t->type, "CONDITIONAL"))
      follow_conditional(w, m, t, i);
    if (!text_is(m, t->type, "SCHEDULED"))
      continue;
    if (!schedule_trigger_cron(m, t, &w->crons[i])) {
      p->unreadable++;
      continue;
    }
    int64_t first = cron_next(&w->crons[i], p->from_ms);
    if (first != WHEN_NONE)
      heap_push(w, (struct event){.at_ms = first, .late_ms = first, .kind = EVENT_FIRE, .trigger = i});
  }
  if (w->watch_count > 1)
    qsort(w->watches, w->watch_count, sizeof *w->watches, compare_watches);
  if (w->watch_count > 0)
    push_live_runs(p, m, stats);
}

/* A trigger fires: every job of it starts (the same job twice is two starts). */
static void fire(struct plan *p, const struct model *m, struct stats_cache *stats, size_t index, int64_t at_ms,
                 int64_t late_ms, bool conditional)
{
  struct plan_work *w = p->work;
  const struct place *place = &m->places[w->place];
  const struct trigger *t = &place->triggers[index];
  for (size_t i = 0; i < t->action_count; i++) {
    struct planned_start s = {.place = w->place,
                              .job = t->actions[i].job,
                              .trigger = t->name,
                              .at_ms = at_ms,
                              .late_ms = late_ms,
                              .conditional = conditional,
                              .seconds = (double)NAN,
                              .late_seconds = (double)NAN,
                              .timeout_minutes =
                                  t->actions[i].timeout_minutes > 0 ? t->actions[i].timeout_minutes : -1};
    const struct job *j = s.job == 0 ? NULL : model_job(m, w->place, s.job);
    if (s.job == 0)
      continue; /* a crawler */
    if (p->count >= PLAN_LIMIT) {
      p->truncated = true;
      return;
    }
    if (j != NULL) {
      const struct job_stats *stat = stats_cache_get(stats, m, w->place, (size_t)(j - place->jobs));
      s.seconds = stat->times.p50;
      s.late_seconds = stat->times.p95;
    }
    p->starts = xgrow(p->starts, &p->cap, p->count + 1, sizeof *p->starts);
    p->starts[p->count++] = s;
    if (!isnan(s.seconds) && w->watch_count > 0)
      heap_push(w, (struct event){.at_ms = at_ms + (int64_t)(s.seconds * (double)WHEN_SECOND),
                                  .late_ms = late_ms + (int64_t)(s.late_seconds * (double)WHEN_SECOND),
                                  .kind = EVENT_END,
                                  .trigger = index,
                                  .job = s.job,
                                  .workflow = t->workflow});
  }
}

static void run_ends(struct plan *p, const struct model *m, struct stats_cache *stats, const struct event *e)
{
  struct plan_work *w = p->work;
  const struct place *place = &m->places[w->place];
  size_t low = 0, high = w->watch_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (w->watches[middle].job < e->job)
      low = middle + 1;
    else
      high = middle;
  }
  size_t fired = SIZE_MAX; /* an ANY trigger that names the job twice fires once for one end */
  for (; low < w->watch_count && w->watches[low].job == e->job; low++) {
    size_t index = w->watches[low].trigger;
    const struct trigger *t = &place->triggers[index];
    struct pending *pending = &w->pending[index];
    if (t->workflow != e->workflow)
      continue;
    if (t->any) {
      if (fired != index)
        fire(p, m, stats, index, e->at_ms, e->late_ms, true);
      fired = index;
      continue;
    }
    bool all = true;
    pending->met[w->watches[low].condition]++;
    pending->late_ms = e->late_ms > pending->late_ms ? e->late_ms : pending->late_ms;
    for (size_t i = 0; i < t->condition_count; i++)
      all = all && pending->met[i] > 0;
    if (!all)
      continue;
    for (size_t i = 0; i < t->condition_count; i++)
      pending->met[i]--;
    fire(p, m, stats, index, e->at_ms, pending->late_ms, true);
    pending->late_ms = 0;
  }
}

void plan_init(struct plan *p)
{
  *p = (struct plan){.done = true};
}

static void work_free(struct plan *p)
{
  if (p->work == NULL)
    return;
  place_end(p->work);
  free(p->work->heap);
  free(p->work->watches);
  free(p->work);
  p->work = NULL;
}

void plan_fini(struct plan *p)
{
  work_free(p);
  free(p->starts);
  plan_init(p);
}

void plan_begin(struct plan *p, const struct model *m, struct stats_cache *stats, int place, int64_t from_ms,
                int64_t until_ms)
{
  (void)m;
  (void)stats;
  work_free(p);
  p->count = 0;
  p->from_ms = from_ms;
  p->until_ms = until_ms;
  p->truncated = false;
  p->unreadable = 0;
  p->done = false;
  p->work = xcalloc(1, sizeof *p->work);
  p->work->only_place = place;
  p->work->place = place < 0 ? 0 : place;
}

static int compare_starts(const void *a, const void *b)
{
  const struct planned_start *x = a, *y = b;
  if (x->at_ms != y->at_ms)
    return x->at_ms < y->at_ms ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->job != y->job)
    return x->job < y->job ? -1 : 1;
  return x->trigger < y->trigger ? -1 : x->trigger > y->trigger;
}

/* Each place comes out in order of time; several are put together once, at the end. */
static void finish(struct plan *p, bool sort)
{
  if (sort && p->count > 1)
    qsort(p->starts, p->count, sizeof *p->starts, compare_starts);
  work_free(p);
  p->done = true;
}

bool plan_step(struct plan *p, const struct model *m, struct stats_cache *stats, size_t budget)
{
  struct plan_work *w = p->work;
  if (p->done || w == NULL)
    return true;
  for (; (size_t)w->place < m->place_count; w->place++) {
    if (!w->place_begun) {
      if (w->only_place < 0 && !schedule_place_open(m, w->place))
        continue;
      place_begin(p, m, stats);
    }
    while (w->heap_count > 0 && !p->truncated && w->heap[0].at_ms <= p->until_ms) {
      if (budget == 0)
        return false;
      budget--;
      struct event e = heap_pop(w);
      if (e.kind == EVENT_END) {
        run_ends(p, m, stats, &e);
        continue;
      }
      fire(p, m, stats, e.trigger, e.at_ms, e.late_ms, false);
      int64_t next = cron_next(&w->crons[e.trigger], e.at_ms);
      if (next != WHEN_NONE)
        heap_push(w, (struct event){.at_ms = next, .late_ms = next, .kind = EVENT_FIRE, .trigger = e.trigger});
    }
    place_end(w);
    if (w->only_place >= 0 || p->truncated)
      break;
  }
  finish(p, w->only_place < 0);
  return true;
}

void plan_make(struct plan *p, const struct model *m, struct stats_cache *stats, int place, int64_t from_ms,
               int64_t until_ms)
{
  plan_begin(p, m, stats, place, from_ms, until_ms);
  while (!plan_step(p, m, stats, SIZE_MAX))
    continue;
}

const struct planned_start *plan_next(const struct plan *p, int place, strid job)
{
  for (size_t i = 0; i < p->count; i++)
    if (p->starts[i].job == job && p->starts[i].place == place)
      return &p->starts[i];
  return NULL;
}
