/* Keeping the poller's books in step with the model and the wants. */
#include "sync/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* Definitions read one by one (without GetJobs) are read again after that. */
#define BATCH_FRESH_MS (30 * WHEN_MINUTE)
#define GATE_MS        INT64_C(1500)
/* Whoever sleeps longer than that between two looks was suspended. */
#define SUSPEND_MS (30 * WHEN_SECOND)

struct poller *poller_new(const struct poller_options *options)
{
  struct poller *p = xcalloc(1, sizeof *p);
  p->options = *options;
  if (p->options.concurrency <= 0)
    p->options.concurrency = 16;
  if (p->options.max_pages <= 0)
    p->options.max_pages = 10000;
  p->next_ms = INT64_MAX;
  p->last_wall_ms = p->last_mono_ms = INT64_MIN;
  return p;
}

static void job_poll_fini(struct job_poll *j)
{
  resource_fini(&j->runs);
  if (j->doc != NULL)
    resource_fini(j->doc);
  free(j->doc);
}

static void place_poll_init(struct place_poll *pp, struct poller *p, size_t index, uint32_t epoch, int64_t mono_ms)
{
  *pp = (struct place_poll){.epoch = epoch,
                            .mode = LIST_FULL,
                            .context = -1,
                            .names_began_ms = WHEN_NONE,
                            .batch_due_mono_ms = INT64_MIN,
                            .batch_throttled_mono_ms = INT64_MIN,
                            .balanced_mono_ms = INT64_MIN,
                            .rest_stretch = 1,
                            .live_stretch = 1};
  budget_init(&pp->budget, p->options.max_requests_per_second, p->options.seed + index * 7919 + 1, mono_ms);
  resource_init(&pp->list);
  resource_init(&pp->triggers);
}

static void place_poll_fini(struct place_poll *pp)
{
  resource_fini(&pp->list);
  resource_fini(&pp->triggers);
  for (size_t i = 0; i < pp->job_count; i++)
    job_poll_fini(&pp->jobs[i]);
  free(pp->jobs);
}

void poller_free(struct poller *p)
{
  if (p == NULL)
    return;
  for (size_t i = 0; i < p->place_count; i++)
    place_poll_fini(&p->places[i]);
  for (size_t i = 0; i < p->context_count; i++)
    resource_fini(&p->identities[i].resource);
  for (size_t i = 0; i < p->run_count; i++)
    resource_fini(&p->runs[i].doc);
  free(p->places);
  free(p->identities);
  free(p->runs);
  free(p);
}

struct poller_now poller_time(struct poller *p, const struct poller_now *now)
{
  if (p->last_mono_ms != INT64_MIN) {
    int64_t slept = (now->wall_ms - p->last_wall_ms) - (now->mono_ms - p->last_mono_ms);
    if (slept > SUSPEND_MS)
      p->slept_ms += slept;
  }
  p->last_wall_ms = now->wall_ms;
  p->last_mono_ms = now->mono_ms;
  struct poller_now awake = *now;
  awake.mono_ms += p->slept_ms;
  return awake;
}

void place_poll_changed(struct place_poll *pp)
{
  pp->nap.asleep = false;
  pp->quiet.known = false;
}

static void sync_contexts(struct poller *p, const struct model *m)
{
  if (p->context_count < m->context_count) {
    p->identities = xreallocarray(p->identities, m->context_count, sizeof *p->identities);
    for (; p->context_count < m->context_count; p->context_count++) {
      struct identity_poll *ip = &p->identities[p->context_count];
      *ip = (struct identity_poll){.epoch = m->contexts[p->context_count].epoch, .gate_mono_ms = INT64_MIN};
      resource_init(&ip->resource);
    }
  }
  for (size_t i = 0; i < p->context_count; i++) {
    struct identity_poll *ip = &p->identities[i];
    if (ip->epoch == m->contexts[i].epoch)
      continue;
    bool known = m->contexts[i].confirmed;
    resource_fini(&ip->resource);
    resource_init(&ip->resource);
    ip->resource.answered = known; /* the epoch grew because STS has just spoken */
    ip->epoch = m->contexts[i].epoch;
  }
}

static void sync_places(struct poller *p, const struct model *m, int64_t mono_ms)
{
  if (p->place_count < m->place_count) {
    p->places = xreallocarray(p->places, m->place_count, sizeof *p->places);
    for (; p->place_count < m->place_count; p->place_count++)
      place_poll_init(&p->places[p->place_count], p, p->place_count, m->places[p->place_count].epoch, mono_ms);
  }
  for (size_t i = 0; i < p->place_count; i++) {
    struct place_poll *pp = &p->places[i];
    const struct place *rows = &m->places[i];
    if (pp->epoch != rows->epoch) {
      unsigned in_flight = pp->in_flight;
      struct budget budget = pp->budget;
      place_poll_fini(pp);
      place_poll_init(pp, p, i, rows->epoch, mono_ms);
      pp->in_flight = in_flight; /* they will be told or forgotten one by one */
      pp->budget = budget;
    }
    if (pp->job_count < rows->job_count)
      pp->jobs = xgrow(pp->jobs, &pp->job_cap, rows->job_count, sizeof *pp->jobs);
    if (pp->job_count < rows->job_count)
      place_poll_changed(pp);
    for (; pp->job_count < rows->job_count; pp->job_count++) {
      struct job_poll *jp = &pp->jobs[pp->job_count];
      *jp = (struct job_poll){.sleep_mono_ms = INT64_MIN,
                              .watch_until_mono_ms = INT64_MIN,
                              .schedule_next_ms = WHEN_NONE,
                              .schedule_due_ms = WHEN_NONE,
                              .batch_began_ms = WHEN_NONE,
                              .batch_max = ASK_BATCH_MAX};
      resource_init(&jp->runs);
    }
    pp->want_jobs = pp->want_triggers = pp->want_all_runs = false;
    pp->jobs_on_screen = pp->triggers_on_screen = pp->runs_on_screen = false;
    pp->since_ms = INT64_MAX;
    pp->until_ms = INT64_MIN;
    pp->context = -1;
    pp->hope = false;
    pp->gate_mono_ms = INT64_MIN;
  }
}

struct job_poll *poller_job(struct poller *p, const struct model *m, int place, strid job)
{
  const struct job *j = model_job(m, place, job);
  if (j == NULL || (size_t)place >= p->place_count)
    return NULL;
  size_t index = (size_t)(j - m->places[place].jobs);
  if (index >= p->places[place].job_count)
    return NULL;
  place_poll_changed(&p->places[place]); /* whoever asks for it changes something */
  p->places[place].jobs[index].sleep_mono_ms = INT64_MIN;
  return &p->places[place].jobs[index];
}

struct run_poll *poller_run_doc(struct poller *p, int place, uint32_t place_epoch, strid job, strid run_id, bool make)
{
  for (size_t i = 0; i < p->run_count; i++) {
    struct run_poll *rp = &p->runs[i];
    if (rp->place == place && rp->place_epoch == place_epoch && rp->job == job && rp->run_id == run_id)
      return rp;
  }
  if (!make)
    return NULL;
  /* As many as the model keeps; the one that was not wanted for the longest goes. */
  if (p->run_count >= MODEL_RUN_DOCS_MAX) {
    size_t oldest = p->run_count;
    for (size_t i = 0; i < p->run_count; i++)
      if (!p->runs[i].doc.in_flight && (oldest == p->run_count || p->runs[i].wanted_tick < p->runs[oldest].wanted_tick))
        oldest = i;
    if (oldest < p->run_count) {
      resource_fini(&p->runs[oldest].doc);
      p->runs[oldest] = p->runs[--p->run_count];
    }
  }
  p->runs = xgrow(p->runs, &p->run_cap, p->run_count + 1, sizeof *p->runs);
  struct run_poll *rp = &p->runs[p->run_count++];
  *rp = (struct run_poll){.place = place, .place_epoch = place_epoch, .job = job, .run_id = run_id};
  resource_init(&rp->doc);
  return rp;
}

static void want_runs_of_job(struct poller *p, struct job_poll *jp, const struct want *w)
{
  if (jp->wanted_tick != p->tick) {
    jp->wanted_tick = p->tick;
    jp->wanted_since_ms = INT64_MAX;
    jp->wanted_until_ms = INT64_MIN;
    jp->on_screen = false;
  }
  if (w->since_ms < jp->wanted_since_ms)
    jp->wanted_since_ms = w->since_ms;
  if (w->until_ms > jp->wanted_until_ms)
    jp->wanted_until_ms = w->until_ms;
  jp->on_screen = jp->on_screen || w->urgency == WANT_ON_SCREEN;
}

static void want_at(struct poller *p, const struct model *m, int context, const struct want *w)
{
  int place = m->contexts[context].place;
  struct place_poll *pp = &p->places[place];
  bool on_screen = w->urgency == WANT_ON_SCREEN;
  const struct job *j = w->job == 0 ? NULL : model_job(m, place, w->job);
  struct job_poll *jp = j == NULL ? NULL : &pp->jobs[j - m->places[place].jobs];
  switch (w->kind) {
  case WANT_IDENTITY:
    p->identities[context].wanted_tick = p->tick;
    break;
  case WANT_JOBS:
    pp->want_jobs = true;
    pp->jobs_on_screen = pp->jobs_on_screen || on_screen;
    break;
  case WANT_TRIGGERS:
    pp->want_triggers = true;
    pp->triggers_on_screen = pp->triggers_on_screen || on_screen;
    break;
  case WANT_JOB:
    if (jp == NULL)
      break;
    if (jp->doc == NULL) {
      jp->doc = xmalloc(sizeof *jp->doc);
      resource_init(jp->doc);
    }
    jp->doc_wanted_tick = p->tick;
    break;
  case WANT_RUNS:
    if (jp != NULL)
      want_runs_of_job(p, jp, w);
    break;
  case WANT_ALL_RUNS:
    pp->want_all_runs = true;
    pp->runs_on_screen = pp->runs_on_screen || on_screen;
    if (w->since_ms < pp->since_ms)
      pp->since_ms = w->since_ms;
    if (w->until_ms > pp->until_ms)
      pp->until_ms = w->until_ms;
    break;
  case WANT_RUN: {
    struct run_poll *rp = poller_run_doc(p, place, pp->epoch, w->job, w->run_id, true);
    rp->wanted_tick = p->tick;
    rp->on_screen = on_screen;
    break;
  }
  case WANT_PRICES:
  case WANT_QUOTAS:
    break; /* asked once a day, by the app (app/rates.c) */
  }
}

/* The account is only remembered: rows of another one must not come among its rows, so STS is given a moment to agree. Not longer: reads
 * do not depend on it. */
static void sync_gate(struct identity_poll *ip, struct place_poll *pp, const struct context *c, int64_t mono_ms)
{
  if (c->confirmed || c->account[0] == '\0' || ip->resource.answered)
    return;
  if (ip->gate_mono_ms == INT64_MIN)
    ip->gate_mono_ms = mono_ms + GATE_MS;
  if (mono_ms < ip->gate_mono_ms)
    pp->gate_mono_ms = ip->gate_mono_ms;
}

static uint64_t wants_hash(const struct wants *w, const struct poller_now *now)
{
  uint64_t h = now->looked_at ? 1 : 2;
  for (size_t i = 0; i < w->count; i++) {
    const struct want *want = &w->items[i];
    const uint64_t parts[] = {(uint64_t)want->kind, (uint64_t)want->urgency,  (uint64_t)want->context, want->job,
                              want->run_id,         (uint64_t)want->since_ms, (uint64_t)want->until_ms};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
      h = (h ^ parts[k]) * UINT64_C(1099511628211) + k;
  }
  return h;
}

void poller_sync(struct poller *p, const struct model *m, const struct wants *w, const struct poller_now *now)
{
  p->tick++;
  p->wants_hash = wants_hash(w, now);
  sync_contexts(p, m);
  sync_places(p, m, now->mono_ms);
  for (size_t c = 0; c < m->context_count; c++) {
    if (m->contexts[c].closed)
      continue;
    struct place_poll *pp = &p->places[m->contexts[c].place];
    if (now->logins[c] == POLLER_LOGIN_READY && pp->context < 0)
      pp->context = (int)c;
    if (now->logins[c] == POLLER_LOGIN_READY)
      sync_gate(&p->identities[c], pp, &m->contexts[c], now->mono_ms);
    pp->hope = pp->hope || now->logins[c] == POLLER_LOGIN_WORKING;
    for (size_t i = 0; i < w->count; i++)
      if (w->items[i].context < 0 || (size_t)w->items[i].context == c)
        want_at(p, m, (int)c, &w->items[i]);
  }
}

bool job_asked_alone(const struct place_poll *pp, const struct job_poll *jp)
{
  return pp->batch_refused || jp->batch_max == 0;
}

bool job_needs_batch(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, int64_t wall_ms)
{
  return pp->mode == LIST_NAMES && !pp->definitions_refused && pp->names_began_ms != WHEN_NONE && !j->gone &&
         j->listed_ms != WHEN_NONE && j->listed_ms >= pp->names_began_ms && jp->batch_began_ms != pp->names_began_ms &&
         (!j->defined || wall_ms - j->definition_fresh.fetched_ms > BATCH_FRESH_MS);
}

bool place_batch_pending(const struct place_poll *pp, const struct model *m, int place, int64_t wall_ms)
{
  if (pp->batches_in_flight > 0)
    return true;
  const struct place *rows = &m->places[place];
  struct job_poll unknown = {.batch_began_ms = WHEN_NONE};
  for (size_t i = 0; pp->mode == LIST_NAMES && i < rows->job_count; i++)
    if (job_needs_batch(pp, &rows->jobs[i], i < pp->job_count ? &pp->jobs[i] : &unknown, wall_ms))
      return true;
  return false;
}
