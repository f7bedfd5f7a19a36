/* What came of an ask, and what follows from it. */
#include "sync/private.h"

#include <stdlib.h>

/* So many failures without one success, and it is not about one name. Enough to find one bad name among twenty-five in each of the batches
 * that leave together. */
#define SPLIT_FAILURES_MAX 40

static struct ask_effect effect_none(void)
{
  return (struct ask_effect){.began_ms = WHEN_NONE, .next_try_ms = WHEN_NONE, .from_ms = WHEN_NONE, .to_ms = WHEN_NONE};
}

static bool outcome_ended(const struct ask_outcome *o)
{
  return o->next_token == NULL || o->next_token[0] == '\0';
}

static void resource_done(struct resource *r, bool complete, int64_t mono_ms)
{
  reading_end(&r->reading);
  r->answered = true;
  r->failed = false;
  r->resumed = false;
  r->cut = !complete;
  r->failures = 0;
  r->read_mono_ms = mono_ms;
  r->due_mono_ms = INT64_MIN;
  r->asked_mono_ms = INT64_MIN;
}

/* A failed page is tried once more from where it stopped; then the reading begins anew, since tokens grow old. */
static void resource_failed(struct poller *p, struct place_poll *pp, struct resource *r, const struct ask_outcome *o,
                            const struct poller_now *now, struct ask_effect *e)
{
  r->failing_since_ms = r->failures == 0 ? r->sent_mono_ms : r->failing_since_ms;
  r->failures++;
  int64_t wait = rhythm_backoff_ms(&pp->budget, o->kind, r->failures);
  bool gives_up = rhythm_gives_up(&pp->budget, o->kind, r, now->mono_ms);
  r->due_mono_ms = now->mono_ms + wait;
  e->told = gives_up || rhythm_tells(o->kind, now->mono_ms - r->failing_since_ms);
  if (gives_up) {
    r->answered = true;
    r->failed = true;
    e->failed = true;
    if (p->options.refresh_seconds == 0)
      r->due_mono_ms = INT64_MAX;
  }
  if (o->kind != ERR_THROTTLED && (r->resumed || r->reading.token == NULL)) {
    reading_end(&r->reading);
    r->resumed = false;
  } else {
    r->resumed = true;
  }
  e->next_try_ms = r->due_mono_ms == INT64_MAX ? WHEN_NONE : now->wall_ms + wait;
}

/* The reading goes on with the next page, or has ended: true. */
static bool page_ends(struct poller *p, struct resource *r, const struct ask_outcome *o, struct ask_effect *e)
{
  r->reading.pages++;
  r->failures = 0;
  r->resumed = false;
  r->due_mono_ms = INT64_MIN;
  e->began_ms = r->reading.began_wall_ms;
  r->reading.left_out = r->reading.left_out || o->left_out;
  e->complete = !r->reading.left_out;
  if (outcome_ended(o))
    return true;
  if (r->reading.pages >= p->options.max_pages) {
    e->complete = false;
    e->trouble = "not read to its end: the page budget is used up, so older entries are missing";
    return true;
  }
  if (!reading_go_on(&r->reading, o->next_token)) {
    e->complete = false;
    e->trouble = "not read to its end: the service gave the same page token twice";
    return true;
  }
  return false;
}

static void note_list(struct poller *p, struct place_poll *pp, const struct model *m, const struct ask *a,
                      const struct ask_outcome *o, const struct poller_now *now, struct ask_effect *e)
{
  struct resource *r = &pp->list;
  r->in_flight = false;
  if (o->kind != ERR_OK) {
    bool refused = o->kind == ERR_DENIED || o->unsupported;
    bool broken = o->kind == ERR_SERVER || o->kind == ERR_PARSE || o->kind == ERR_TOO_BIG;
    if (a->kind == ASK_JOBS && (refused || broken)) {
      /* Policies that allow single jobs only know the other pair of calls; and one definition may break the page that it stands on. */
      reading_end(&r->reading);
      pp->mode = LIST_NAMES;
      pp->names_for_trouble = !refused;
      e->told = broken;
      r->due_mono_ms = INT64_MIN;
      return;
    }
    resource_failed(p, pp, r, o, now, e);
    if (pp->mode == LIST_NAMES && pp->names_for_trouble)
      pp->mode = LIST_FULL; /* neither works: the first again, next time */
    else if (refused)
      pp->mode = LIST_NONE;
    return;
  }
  if (!page_ends(p, r, o, e))
    return;
  bool complete = e->complete;
  resource_done(r, complete, now->mono_ms);
  e->names_done = complete;
  if (a->kind == ASK_JOB_NAMES) {
    pp->names_read = true;
    e->done = !place_batch_pending(pp, m, a->place, now->wall_ms);
  } else {
    e->done = true;
  }
}

/* The names of an ask are asked again, in batches of that many at most. */
static void batch_again(struct place_poll *pp, const struct model *m, const struct ask *a, size_t most)
{
  for (size_t i = 0; i < a->name_count; i++) {
    const struct job *j = model_job(m, a->place, a->names[i]);
    if (j == NULL)
      continue;
    struct job_poll *jp = &pp->jobs[j - m->places[a->place].jobs];
    jp->batch_began_ms = WHEN_NONE;
    jp->batch_max = most < jp->batch_max ? (uint8_t)most : jp->batch_max;
  }
}

/* Is this the service's word about the names, so that fewer of them may fare better? */
static bool batch_may_be_split(const struct place_poll *pp, enum err_kind kind)
{
  bool word = kind == ERR_DENIED || kind == ERR_NOT_FOUND || kind == ERR_SERVER || kind == ERR_PARSE ||
              kind == ERR_TOO_BIG || kind == ERR_USAGE || kind == ERR_LIMIT;
  return word && (pp->batches_good > 0 || pp->split_failures < SPLIT_FAILURES_MAX);
}

static void batch_failed(struct place_poll *pp, const struct model *m, const struct ask *a, const struct ask_outcome *o,
                         const struct poller_now *now, struct ask_effect *e)
{
  if (o->kind == ERR_THROTTLED) {
    int64_t wait = rhythm_backoff_ms(&pp->budget, o->kind, 1);
    if (pp->batch_throttled_mono_ms == INT64_MIN)
      pp->batch_throttled_mono_ms = now->mono_ms;
    e->told = rhythm_tells(o->kind, now->mono_ms - pp->batch_throttled_mono_ms);
    e->next_try_ms = now->wall_ms + wait;
    pp->batch_due_mono_ms = now->mono_ms + wait;
    batch_again(pp, m, a, ASK_BATCH_MAX);
    return;
  }
  /* One name that we may not see, or whose definition breaks the answer, must not hide the others. */
  pp->batch_refused =
      pp->batch_refused || o->unsupported || (o->kind == ERR_DENIED && a->name_count == 1 && pp->batches_good == 0);
  if (pp->batch_refused || batch_may_be_split(pp, o->kind)) {
    pp->split_failures++;
    batch_again(pp, m, a, a->name_count / 2);
    return;
  }
  e->failed = e->told = true;
  pp->batches_failed++;
}

static void names_step(struct place_poll *pp, const struct model *m, const struct ask *a, const struct ask_outcome *o,
                       const struct poller_now *now, struct ask_effect *e)
{
  e->began_ms = pp->names_began_ms;
  if (pp->names_read && !place_batch_pending(pp, m, a->place, now->wall_ms)) {
    e->done = true;
    e->complete = pp->batches_failed == 0 && !pp->list.cut && !o->left_out;
  }
}

static void note_batch(struct place_poll *pp, const struct model *m, const struct ask *a, const struct ask_outcome *o,
                       const struct poller_now *now, struct ask_effect *e)
{
  pp->batches_in_flight--;
  if (o->kind != ERR_THROTTLED)
    pp->batch_throttled_mono_ms = INT64_MIN;
  if (o->kind == ERR_OK)
    pp->batches_good++;
  else
    batch_failed(pp, m, a, o, now, e);
  if (!e->told || e->failed)
    names_step(pp, m, a, o, now, e);
}

/* GetJob in place of a batch. */
static void note_definition(struct place_poll *pp, const struct model *m, const struct ask *a,
                            const struct ask_outcome *o, const struct poller_now *now, struct ask_effect *e)
{
  const struct job *j = model_job(m, a->place, a->job);
  struct job_poll *jp = j == NULL ? NULL : &pp->jobs[j - m->places[a->place].jobs];
  pp->batches_in_flight--;
  if (o->kind == ERR_OK) {
    pp->singles_good++;
  } else if (o->kind == ERR_THROTTLED && jp != NULL) {
    jp->batch_began_ms = WHEN_NONE;
    pp->batch_due_mono_ms = now->mono_ms + rhythm_backoff_ms(&pp->budget, o->kind, 1);
    return;
  } else {
    e->failed = e->told = true;
    pp->batches_failed += o->kind == ERR_NOT_FOUND ? 0 : 1; /* deleted between the two calls */
    bool refused = o->kind == ERR_DENIED || o->unsupported;
    pp->definitions_refused = pp->definitions_refused || (refused && pp->batch_refused && pp->singles_good == 0);
  }
  names_step(pp, m, a, o, now, e);
}

static void note_runs_page(struct resource *r, const struct ask_outcome *o)
{
  struct reading *reading = &r->reading;
  if (o->newest_ms == WHEN_NONE)
    return;
  if (!o->ordered || (reading->last_oldest_ms != WHEN_NONE && o->newest_ms > reading->last_oldest_ms))
    reading->unordered = true;
  if (reading->newest_ms == WHEN_NONE || o->newest_ms > reading->newest_ms)
    reading->newest_ms = o->newest_ms;
  if (reading->last_oldest_ms == WHEN_NONE || o->oldest_ms < reading->last_oldest_ms)
    reading->last_oldest_ms = o->oldest_ms;
}

static void note_runs(struct poller *p, struct place_poll *pp, const struct model *m, const struct ask *a,
                      const struct ask_outcome *o, const struct poller_now *now, struct ask_effect *e)
{
  const struct job *j = model_job(m, a->place, a->job);
  if (j == NULL)
    return;
  struct job_poll *jp = &pp->jobs[j - m->places[a->place].jobs];
  struct resource *r = &jp->runs;
  jp->sleep_mono_ms = INT64_MIN;
  r->in_flight = false;
  if (o->kind != ERR_OK) {
    resource_failed(p, pp, r, o, now, e);
    if (o->kind == ERR_NOT_FOUND && j->listed_ms != WHEN_NONE && !j->gone)
      pp->list.read_mono_ms = INT64_MIN; /* deleted, it seems: the list will say so */
    return;
  }
  note_runs_page(r, o);
  bool ended = page_ends(p, r, o, e);
  struct reading *reading = &r->reading;
  bool whole = outcome_ended(o);
  e->unordered = reading->unordered;
  if (whole) {
    /* Nothing older exists; nothing newer either, at the time of asking. */
    e->add_span = e->to_end = true;
    e->from_ms = INT64_MIN;
    e->to_ms = reading->newest_ms == WHEN_NONE ? INT64_MIN : reading->newest_ms;
  } else if (!reading->unordered && reading->last_oldest_ms != WHEN_NONE) {
    /* Of those that began in the same millisecond as the oldest, some may stand on the next page. */
    int64_t from = reading->last_oldest_ms + 1;
    bool met = reading->known_newest_ms != WHEN_NONE && reading->last_oldest_ms < reading->known_newest_ms;
    e->add_span = from <= reading->newest_ms;
    e->from_ms = from;
    e->to_ms = reading->newest_ms;
    int64_t reach = met && reading->known_from_ms < from ? reading->known_from_ms : from;
    if (!ended && reach <= job_goal_ms(pp, j, jp, p->tick))
      ended = true;
  }
  if (reading->left_out)
    e->add_span = e->to_end = false; /* there may be a hole */
  if (ended) {
    e->done = true;
    /* A run that we know of and the list does not show is no reason to read for ever. */
    if (e->add_span && j->run_count > 0 && j->runs[0].started_ms > e->to_ms)
      e->to_ms = j->runs[0].started_ms;
    resource_done(r, e->complete, now->mono_ms);
    jp->look_for_stragglers = true;
  }
}

static void note_single(struct poller *p, struct place_poll *pp, struct resource *r, const struct ask_outcome *o,
                        const struct poller_now *now, struct ask_effect *e)
{
  r->in_flight = false;
  if (o->kind != ERR_OK) {
    resource_failed(p, pp, r, o, now, e);
    return;
  }
  resource_done(r, true, now->mono_ms);
  e->done = e->complete = true;
}

static void note_straggler(struct place_poll *pp, const struct model *m, const struct ask *a)
{
  const struct job *j = model_job(m, a->place, a->job);
  if (j == NULL)
    return;
  pp->jobs[j - m->places[a->place].jobs].straggler_in_flight = false;
  pp->jobs[j - m->places[a->place].jobs].sleep_mono_ms = INT64_MIN;
}

/* The books that the ask was written in may have been closed meanwhile. */
static struct place_poll *note_place(struct poller *p, const struct model *m, const struct ask *a)
{
  p->in_flight--;
  struct place_poll *pp = &p->places[a->place];
  pp->in_flight--;
  place_poll_changed(pp);
  return pp->epoch == a->place_epoch && m->places[a->place].epoch == a->place_epoch ? pp : NULL;
}

struct ask_effect poller_note(struct poller *p, const struct model *m, const struct ask *a, const struct ask_outcome *o,
                              const struct poller_now *real)
{
  struct poller_now now = poller_time(p, real);
  struct ask_effect e = effect_none();
  struct place_poll *pp = note_place(p, m, a);
  struct budget *budget = &p->places[a->place].budget;
  if (o->kind == ERR_THROTTLED)
    budget_throttled(budget, now.mono_ms);
  else
    budget_passed(budget, now.mono_ms);
  if (a->kind == ASK_IDENTITY) {
    note_single(p, &p->places[a->place], &p->identities[a->context].resource, o, &now, &e);
    return e;
  }
  if (pp == NULL)
    return e;
  switch (a->kind) {
  case ASK_IDENTITY:
    break;
  case ASK_JOBS:
  case ASK_JOB_NAMES:
    note_list(p, pp, m, a, o, &now, &e);
    break;
  case ASK_JOB_BATCH:
    note_batch(pp, m, a, o, &now, &e);
    break;
  case ASK_TRIGGERS:
    pp->triggers.in_flight = false;
    if (o->kind != ERR_OK) {
      resource_failed(p, pp, &pp->triggers, o, &now, &e);
    } else if (page_ends(p, &pp->triggers, o, &e)) {
      e.done = true;
      resource_done(&pp->triggers, e.complete, now.mono_ms);
    }
    break;
  case ASK_RUNS:
    note_runs(p, pp, m, a, o, &now, &e);
    break;
  case ASK_JOB: {
    struct job_poll *jp = poller_job(p, m, a->place, a->job);
    if (!a->for_show)
      note_definition(pp, m, a, o, &now, &e);
    else if (jp != NULL && jp->doc != NULL)
      note_single(p, pp, jp->doc, o, &now, &e);
    break;
  }
  case ASK_RUN: {
    struct run_poll *rp = a->for_show ? poller_run_doc(p, a->place, a->place_epoch, a->job, a->run_id, false) : NULL;
    if (!a->for_show)
      note_straggler(pp, m, a);
    else if (rp != NULL)
      note_single(p, pp, &rp->doc, o, &now, &e);
    break;
  }
  }
  return e;
}

static struct resource *ask_resource(struct poller *p, struct place_poll *pp, const struct model *m,
                                     const struct ask *a)
{
  struct job_poll *jp = a->job == 0 ? NULL : poller_job(p, m, a->place, a->job);
  switch (a->kind) {
  case ASK_IDENTITY:
    return &p->identities[a->context].resource;
  case ASK_JOBS:
  case ASK_JOB_NAMES:
    return &pp->list;
  case ASK_TRIGGERS:
    return &pp->triggers;
  case ASK_RUNS:
    return jp == NULL ? NULL : &jp->runs;
  case ASK_JOB:
    return jp == NULL || !a->for_show ? NULL : jp->doc;
  case ASK_RUN: {
    struct run_poll *rp = a->for_show ? poller_run_doc(p, a->place, a->place_epoch, a->job, a->run_id, false) : NULL;
    return rp == NULL ? NULL : &rp->doc;
  }
  case ASK_JOB_BATCH:
    break;
  }
  return NULL;
}

void poller_forget(struct poller *p, const struct model *m, const struct ask *a)
{
  struct place_poll *pp = note_place(p, m, a);
  if (a->kind == ASK_IDENTITY) {
    p->identities[a->context].resource.in_flight = false;
    return;
  }
  if (pp == NULL)
    return;
  struct resource *r = ask_resource(p, pp, m, a);
  if (r != NULL) {
    r->in_flight = false;
  } else if (a->kind == ASK_JOB_BATCH) {
    pp->batches_in_flight--;
    for (size_t i = 0; i < a->name_count; i++) {
      struct job_poll *jp = poller_job(p, m, a->place, a->names[i]);
      if (jp != NULL)
        jp->batch_began_ms = WHEN_NONE;
    }
  } else if (a->kind == ASK_JOB && !a->for_show) {
    struct job_poll *jp = poller_job(p, m, a->place, a->job);
    pp->batches_in_flight--;
    if (jp != NULL)
      jp->batch_began_ms = WHEN_NONE;
  } else if (a->kind == ASK_RUN && !a->for_show) {
    note_straggler(pp, m, a);
  }
}

void poller_retried(struct poller *p, int place, uint64_t tries, uint64_t throttled, int64_t mono_ms)
{
  if (place < 0 || (size_t)place >= p->place_count)
    return;
  for (uint64_t i = 0; i < tries; i++)
    budget_take(&p->places[place].budget, mono_ms + p->slept_ms);
  for (uint64_t i = 0; i < throttled; i++)
    budget_throttled(&p->places[place].budget, mono_ms + p->slept_ms);
}

void poller_spent(struct poller *p, int place, int64_t mono_ms)
{
  poller_retried(p, place, 1, 0, mono_ms);
}
