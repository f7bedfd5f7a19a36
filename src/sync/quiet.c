/* Is everything answered that somebody waits for? And how to make it be asked again. */
#include "sync/private.h"

#include <math.h>

static bool identities_quiet(const struct poller *p, const struct model *m, const struct poller_now *now)
{
  for (size_t i = 0; i < p->context_count; i++) {
    const struct identity_poll *ip = &p->identities[i];
    if (m->contexts[i].closed || ip->wanted_tick != p->tick || now->logins[i] == POLLER_LOGIN_FAILED)
      continue;
    if (!ip->resource.answered)
      return false;
  }
  return true;
}

static bool jobs_quiet(const struct poller *p, const struct place_poll *pp, const struct place *rows)
{
  for (size_t i = 0; i < pp->job_count; i++) {
    const struct job *j = &rows->jobs[i];
    struct job_poll *jp = &pp->jobs[i];
    if (jp->doc != NULL && jp->doc_wanted_tick == p->tick && !jp->doc->answered)
      return false;
    if (!job_is_polled(pp, j, jp, p->tick))
      continue;
    if (!jp->runs.answered || !job_is_read(pp, j, jp, p->tick) || (jp->runs.reading.active && !jp->runs.failed))
      return false;
    if (jp->look_for_stragglers || jp->straggler_count > 0)
      return false;
  }
  return true;
}

static bool place_quiet(const struct poller *p, struct place_poll *pp, const struct model *m, int place,
                        const struct poller_now *now)
{
  const struct place *rows = &m->places[place];
  if (pp->context < 0)
    return !pp->hope;
  if (pp->job_count != rows->job_count) /* rows that the poller has not looked at yet */
    return false;
  if (pp->quiet.known && pp->quiet.generation == m->generation && pp->quiet.wants == p->wants_hash)
    return true;
  if ((pp->want_jobs || pp->want_all_runs) && (!pp->list.answered || place_batch_pending(pp, m, place, now->wall_ms)))
    return false;
  if (pp->want_triggers && !pp->triggers.answered)
    return false;
  pp->quiet.known = jobs_quiet(p, pp, rows);
  pp->quiet.generation = m->generation;
  pp->quiet.wants = p->wants_hash;
  return pp->quiet.known;
}

bool poller_quiet(const struct poller *p, const struct model *m, const struct poller_now *now)
{
  if (p->in_flight > 0 || !identities_quiet(p, m, now))
    return false;
  for (size_t i = 0; i < p->place_count; i++)
    if (p->places[i].epoch != m->places[i].epoch || !place_quiet(p, &p->places[i], m, (int)i, now))
      return false;
  for (size_t i = 0; i < p->run_count; i++) {
    const struct run_poll *rp = &p->runs[i];
    if (rp->wanted_tick == p->tick && p->places[rp->place].context >= 0 && !rp->doc.answered)
      return false;
  }
  return true;
}

bool poller_take_spare(struct poller *p, const struct model *m, int place, const struct poller_now *real,
                       bool impatient, int64_t *again)
{
  struct poller_now now = poller_time(p, real);
  *again = INT64_MAX;
  if ((size_t)place >= p->place_count || p->places[place].epoch != m->places[place].epoch)
    return false;
  struct budget *b = &p->places[place].budget;
  if (!impatient && isfinite(budget_rate(b)) && !poller_quiet(p, m, real))
    return false;
  if (!budget_allows(b, false, now.mono_ms)) {
    *again = budget_next_ms(b, false, now.mono_ms) - p->slept_ms;
    return false;
  }
  budget_take(b, now.mono_ms);
  return true;
}

void poller_refresh(struct poller *p, const struct model *m, const struct wants *w)
{
  for (size_t i = 0; i < w->count; i++) {
    const struct want *want = &w->items[i];
    for (size_t c = 0; c < p->context_count; c++) {
      if (m->contexts[c].closed || (want->context >= 0 && (size_t)want->context != c))
        continue;
      int place = m->contexts[c].place;
      if ((size_t)place >= p->place_count)
        continue;
      struct place_poll *pp = &p->places[place];
      place_poll_changed(pp);
      struct job_poll *jp = want->job == 0 ? NULL : poller_job(p, m, place, want->job);
      switch (want->kind) {
      case WANT_IDENTITY:
        if (!m->contexts[c].confirmed)
          resource_again(&p->identities[c].resource);
        break;
      case WANT_JOBS:
        resource_again(&pp->list);
        pp->mode = pp->mode == LIST_NONE ? LIST_FULL : pp->mode;
        break;
      case WANT_TRIGGERS:
        resource_again(&pp->triggers);
        break;
      case WANT_JOB:
        if (jp != NULL && jp->doc != NULL)
          resource_again(jp->doc);
        break;
      case WANT_RUNS:
        if (jp != NULL)
          resource_again(&jp->runs);
        break;
      case WANT_ALL_RUNS:
        for (size_t k = 0; k < pp->job_count; k++) {
          resource_again(&pp->jobs[k].runs);
          pp->jobs[k].sleep_mono_ms = INT64_MIN;
        }
        break;
      case WANT_RUN: {
        struct run_poll *rp = poller_run_doc(p, place, pp->epoch, want->job, want->run_id, false);
        if (rp != NULL)
          resource_again(&rp->doc);
        break;
      }
      case WANT_PRICES:
      case WANT_QUOTAS:
        break; /* app/rates.c */
      }
    }
  }
}

void poller_watch_job(struct poller *p, const struct model *m, int place, strid job, int64_t mono_ms)
{
  struct job_poll *jp = poller_job(p, m, place, job);
  if (jp == NULL)
    return;
  jp->watch_until_mono_ms = mono_ms + p->slept_ms + WHEN_MINUTE;
  jp->runs.due_mono_ms = INT64_MIN;
  jp->runs.read_mono_ms = INT64_MIN;
}

static void resource_resume(struct resource *r)
{
  if (!r->failed)
    return;
  r->failed = false;
  r->answered = false;
  r->failures = 0;
  r->due_mono_ms = INT64_MIN;
}

void poller_doubt_identity(struct poller *p, int context)
{
  if ((size_t)context >= p->context_count)
    return;
  struct identity_poll *ip = &p->identities[context];
  bool in_flight = ip->resource.in_flight;
  resource_fini(&ip->resource);
  resource_init(&ip->resource);
  ip->resource.in_flight = in_flight; /* it will be told or forgotten */
  ip->gate_mono_ms = INT64_MIN;
}

void poller_resume(struct poller *p, const struct model *m, int context)
{
  if ((size_t)context >= p->context_count)
    return;
  resource_resume(&p->identities[context].resource);
  int place = m->contexts[context].place;
  if ((size_t)place >= p->place_count)
    return;
  struct place_poll *pp = &p->places[place];
  place_poll_changed(pp);
  resource_resume(&pp->list);
  resource_resume(&pp->triggers);
  pp->mode = pp->mode == LIST_NONE ? LIST_FULL : pp->mode;
  for (size_t i = 0; i < pp->job_count; i++) {
    resource_resume(&pp->jobs[i].runs);
    pp->jobs[i].sleep_mono_ms = INT64_MIN;
    if (pp->jobs[i].doc != NULL)
      resource_resume(pp->jobs[i].doc);
  }
  for (size_t i = 0; i < p->run_count; i++)
    if (p->runs[i].place == place)
      resource_resume(&p->runs[i].doc);
}
