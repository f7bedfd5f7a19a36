/* Which asks leave next. Every candidate gets a number: what somebody waits for at once is far above the rest; everything that is asked
 * again and again is ordered by how late it is in proportion to its own rhythm, so that under a tight limit all ages grow, and grow in
 * the order of their worth. */
#include "sync/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

#define JOBS_PAGE     100 /* definitions may carry a visual graph: larger pages would be megabytes */
#define NAMES_PAGE    1000
#define TRIGGERS_PAGE 200

#define KEY_IDENTITY      1e6
#define KEY_SHOWN         1e5 /* somebody looks at an empty place */
#define KEY_JOBS          1e4 /* without the list nothing else can be asked */
#define KEY_BATCH         9e3
#define KEY_TRIGGERS      5e3
#define WEIGHT_SCREEN     2.0
#define WEIGHT_LIVE       1.7
#define WEIGHT_SCHEDULE   1.6
#define WEIGHT_FIRST      1.5
#define WEIGHT_DEEPER     1.4 /* first a page of every job, then their past */
#define WEIGHT_REST       1.0
#define FIRST_PATIENCE_MS 30000.0
#define FIRST_WAITING_MAX                                                                                              \
  6.0 /* a first reading of thousands must not make what is on the screen older than a minute or two */

#define CANDIDATES_MAX 64

struct candidate {
  double key;
  enum ask_kind kind;
  enum ask_why why;
  size_t index;    /* of the job, the run doc or the context */
  bool straggler;  /* ASK_RUN: index is a job's, whose oldest live run is looked after */
  bool definition; /* ASK_JOB: of the list, not for show */
};

struct choice {
  struct candidate items[CANDIDATES_MAX]; /* best first */
  size_t count, cap;
  int64_t next_ms; /* when the next thing is due that is not yet */
  bool offered;    /* something was, since this was last set to false */
  bool any;        /* the same, for the place as a whole */
};

const char *ask_why_text(enum ask_why why)
{
  static const char *const texts[ASK_WHY_COUNT] = {
      [ASK_WHY_SCREEN] = "on the screen",     [ASK_WHY_FIRST] = "not read yet", [ASK_WHY_LIVE] = "in flight",
      [ASK_WHY_SCHEDULE] = "due by schedule", [ASK_WHY_REST] = "in its turn",
  };
  return (unsigned)why < ASK_WHY_COUNT ? texts[why] : "";
}

void ask_fini(struct ask *a)
{
  free(a->token);
  a->token = NULL;
}

static void choice_add(struct choice *c, const struct candidate *add)
{
  size_t at = c->count;
  c->offered = c->any = true;
  while (at > 0 && c->items[at - 1].key < add->key)
    at--;
  if (at >= c->cap)
    return;
  if (c->count < c->cap)
    c->count++;
  memmove(&c->items[at + 1], &c->items[at], (c->count - 1 - at) * sizeof *c->items);
  c->items[at] = *add;
}

/* A resource that is due is a candidate; one that is not tells when it will be. */
static void choice_due(struct choice *c, const struct candidate *add, int64_t due_ms, int64_t mono_ms)
{
  if (due_ms <= mono_ms)
    choice_add(c, add);
  else if (due_ms < c->next_ms)
    c->next_ms = due_ms;
}

static double lateness(int64_t due_ms, int64_t every_ms, int64_t mono_ms)
{
  if (due_ms == INT64_MIN || mono_ms <= due_ms)
    return 1;
  return 1 + (double)(mono_ms - due_ms) / (double)(every_ms > 0 ? every_ms : 1);
}

static double waiting(struct resource *r, int64_t mono_ms)
{
  if (r->asked_mono_ms == INT64_MIN)
    r->asked_mono_ms = mono_ms;
  double w = 1 + (double)(mono_ms - r->asked_mono_ms) / FIRST_PATIENCE_MS;
  return w < FIRST_WAITING_MAX ? w : FIRST_WAITING_MAX;
}

static bool by_hand_only(const struct poller *p)
{
  return p->options.refresh_seconds == 0;
}

/* Something read as a whole: a list, a doc, an identity. */
static void offer(struct poller *p, struct choice *c, struct resource *r, struct candidate add, double first_key,
                  double weight, int64_t every_ms, int64_t mono_ms)
{
  if (r->in_flight)
    return;
  if (r->reading.active || !r->answered) {
    add.key = first_key;
    choice_due(c, &add, r->due_mono_ms, mono_ms);
    return;
  }
  if (by_hand_only(p) || every_ms == INT64_MAX)
    return;
  int64_t due = r->failed || r->read_mono_ms == INT64_MIN ? r->due_mono_ms : r->read_mono_ms + every_ms;
  add.key = weight * lateness(due, every_ms, mono_ms);
  if (add.why == ASK_WHY_FIRST)
    add.why = ASK_WHY_REST;
  choice_due(c, &add, due, mono_ms);
}

static void offer_runs(struct poller *p, struct choice *c, struct place_poll *pp, const struct job *j, size_t index,
                       const struct poller_now *now)
{
  struct job_poll *jp = &pp->jobs[index];
  struct resource *r = &jp->runs;
  bool shown = jp->wanted_tick == p->tick && jp->on_screen;
  struct candidate add = {.kind = ASK_RUNS, .index = index, .why = shown ? ASK_WHY_SCREEN : ASK_WHY_FIRST};
  if (r->in_flight)
    return;
  if (!r->answered || r->reading.active || !job_is_read(pp, j, jp, p->tick)) {
    double wait = waiting(r, now->mono_ms);
    bool deeper = r->reading.active && r->reading.pages > 0;
    add.key = shown && !deeper ? KEY_SHOWN : (deeper ? WEIGHT_DEEPER : WEIGHT_FIRST) * wait;
    choice_due(c, &add, r->due_mono_ms, now->mono_ms);
    return;
  }
  r->asked_mono_ms = INT64_MIN;
  int64_t every = rhythm_runs_ms(p, pp, j, jp, now, &add.why);
  if (by_hand_only(p) && now->mono_ms >= jp->watch_until_mono_ms)
    return;
  int64_t due = r->failed || r->read_mono_ms == INT64_MIN ? r->due_mono_ms : r->read_mono_ms + every;
  /* A planned start is looked for when it comes, whatever the rhythm; once is enough for each look. */
  int64_t look = timetable_look_ms(jp, index);
  if (look != INT64_MAX && !r->failed && r->read_mono_ms != INT64_MIN) {
    int64_t look_mono = now->mono_ms + (look - now->wall_ms);
    if (look_mono > r->read_mono_ms && look_mono < due) {
      due = look_mono;
      add.why = add.why == ASK_WHY_REST ? ASK_WHY_SCHEDULE : add.why;
    }
  }
  double weight = WEIGHT_REST;
  if (add.why == ASK_WHY_SCREEN)
    weight = WEIGHT_SCREEN;
  else if (add.why == ASK_WHY_LIVE)
    weight = WEIGHT_LIVE;
  else if (add.why == ASK_WHY_SCHEDULE)
    weight = WEIGHT_SCHEDULE;
  add.key = weight * lateness(due, every, now->mono_ms);
  choice_due(c, &add, due, now->mono_ms);
}

/* Live runs that the last reading of their job did not reach: a stream of forty days, a run far down a long list. */
static void find_stragglers(struct poller *p, const struct model *m, const struct job *j, struct job_poll *jp)
{
  jp->look_for_stragglers = false;
  jp->straggler_count = 0;
  size_t live = 0;
  for (size_t i = 0; i < j->run_count && live < j->run_live && jp->straggler_count < STRAGGLERS_MAX; i++) {
    const struct run *r = &j->runs[i];
    if (run_finished(r))
      continue;
    live++;
    if (r->fetched_ms >= j->top_read_ms)
      continue;
    char id[RUN_ID_MAX];
    jp->stragglers[jp->straggler_count++] = strpool_put(m->strings, run_id_text(r, m->strings, id));
  }
  (void)p;
}

static void offer_job(struct poller *p, struct choice *c, struct place_poll *pp, const struct model *m,
                      const struct job *j, size_t index, const struct poller_now *now)
{
  struct job_poll *jp = &pp->jobs[index];
  if (jp->doc != NULL && jp->doc_wanted_tick == p->tick)
    offer(p, c, jp->doc, (struct candidate){.kind = ASK_JOB, .index = index, .why = ASK_WHY_SCREEN}, KEY_SHOWN,
          WEIGHT_SCREEN, rhythm_doc_ms(p, false), now->mono_ms);
  if (!job_is_polled(pp, j, jp, p->tick))
    return;
  if (jp->look_for_stragglers)
    find_stragglers(p, m, j, jp);
  if (jp->straggler_count > 0 && !jp->straggler_in_flight)
    choice_add(c, &(struct candidate){
                      .kind = ASK_RUN, .index = index, .straggler = true, .why = ASK_WHY_LIVE, .key = WEIGHT_LIVE});
  offer_runs(p, c, pp, j, index, now);
}

static uint64_t job_key(const struct place_poll *pp, const struct job *j)
{
  uint64_t h = j->runs_generation;
  h = h * UINT64_C(1099511628211) + (uint64_t)j->listed_ms;
  h = h * UINT64_C(1099511628211) + (uint64_t)j->top_read_ms;
  h = h * UINT64_C(1099511628211) + j->read_count * 256 + (uint64_t)j->type * 16 + (uint64_t)pp->mode * 4 +
      (j->gone ? 1 : 0) + (j->read_to_end ? 2 : 0);
  return h;
}

/* With thousands of jobs, of which a few are due, nearly all sleep through a turn. */
static void wake_job(struct poller *p, struct choice *c, struct place_poll *pp, const struct model *m,
                     const struct job *j, size_t index, const struct poller_now *now)
{
  struct job_poll *jp = &pp->jobs[index];
  uint64_t key = job_key(pp, j);
  bool asleep = now->mono_ms < jp->sleep_mono_ms && jp->sleep_key == key && jp->sleep_wants == p->wants_hash;
  if (!asleep) {
    int64_t next = c->next_ms;
    c->next_ms = INT64_MAX;
    c->offered = false;
    offer_job(p, c, pp, m, j, index, now);
    jp->sleep_mono_ms = c->offered ? INT64_MIN : c->next_ms;
    jp->sleep_key = key;
    jp->sleep_wants = p->wants_hash;
    c->next_ms = next < c->next_ms ? next : c->next_ms;
  } else if (jp->sleep_mono_ms < c->next_ms) {
    c->next_ms = jp->sleep_mono_ms;
  }
}

/* What ListJobs named and GetJobs would have told. With BatchGetJobs refused there may be thousands: they wait their turn. */
static void offer_definitions(struct choice *c, struct place_poll *pp, const struct place *rows,
                              const struct poller_now *now)
{
  bool batch = false;
  for (size_t i = 0; pp->mode == LIST_NAMES && i < pp->job_count; i++) {
    if (!job_needs_batch(pp, &rows->jobs[i], &pp->jobs[i], now->wall_ms))
      continue;
    struct candidate add = {.kind = ASK_JOB_BATCH, .why = ASK_WHY_FIRST, .key = KEY_BATCH};
    if (job_asked_alone(pp, &pp->jobs[i]))
      add = (struct candidate){.kind = ASK_JOB,
                               .definition = true,
                               .index = i,
                               .why = ASK_WHY_FIRST,
                               .key = pp->batch_refused ? WEIGHT_FIRST : KEY_BATCH};
    else if (batch)
      continue;
    batch = batch || add.kind == ASK_JOB_BATCH;
    choice_due(c, &add, pp->batch_due_mono_ms, now->mono_ms);
  }
}

static bool naps(const struct poller *p, const struct place_poll *pp, const struct model *m, int64_t mono_ms)
{
  return pp->nap.asleep && pp->nap.generation == m->generation && pp->nap.wants == p->wants_hash &&
         mono_ms < pp->nap.until_mono_ms;
}

static void gather(struct poller *p, struct choice *c, struct place_poll *pp, const struct model *m, int place,
                   const struct poller_now *now)
{
  const struct place *rows = &m->places[place];
  timetable_update(pp, m, place, now->wall_ms);
  if (naps(p, pp, m, now->mono_ms)) {
    c->next_ms = pp->nap.until_mono_ms < c->next_ms ? pp->nap.until_mono_ms : c->next_ms;
    return;
  }
  int64_t before = c->next_ms; /* the identities', which have no part in the nap */
  c->next_ms = INT64_MAX;
  c->any = false;
  if (pp->mode == LIST_NONE && now->mono_ms >= pp->list.due_mono_ms && pp->list.answered && !by_hand_only(p)) {
    pp->mode = LIST_FULL; /* perhaps the policy has changed */
  }
  if (pp->want_jobs || pp->want_all_runs) {
    enum ask_kind kind = pp->mode == LIST_NAMES ? ASK_JOB_NAMES : ASK_JOBS;
    if (pp->mode != LIST_NONE || !pp->list.answered)
      offer(p, c, &pp->list,
            (struct candidate){.kind = kind, .why = pp->jobs_on_screen ? ASK_WHY_SCREEN : ASK_WHY_FIRST}, KEY_JOBS,
            WEIGHT_SCREEN, rhythm_list_ms(p, pp->jobs_on_screen), now->mono_ms);
    else if (pp->list.due_mono_ms < c->next_ms && !by_hand_only(p))
      c->next_ms = pp->list.due_mono_ms;
    offer_definitions(c, pp, rows, now);
  }
  if (pp->want_triggers)
    offer(p, c, &pp->triggers,
          (struct candidate){.kind = ASK_TRIGGERS, .why = pp->triggers_on_screen ? ASK_WHY_SCREEN : ASK_WHY_FIRST},
          KEY_TRIGGERS, WEIGHT_REST, rhythm_list_ms(p, false), now->mono_ms);
  for (size_t i = 0; i < pp->job_count; i++)
    wake_job(p, c, pp, m, &rows->jobs[i], i, now);
  for (size_t i = 0; i < p->run_count; i++) {
    struct run_poll *rp = &p->runs[i];
    if (rp->place != place || rp->place_epoch != pp->epoch || rp->wanted_tick != p->tick)
      continue;
    const struct job *j = model_job(m, place, rp->job);
    const struct run *r = j == NULL ? NULL : model_run(m, place, rp->job, model_str(m, rp->run_id));
    bool over = r != NULL && !run_is_unsettled(r, now->wall_ms);
    offer(p, c, &rp->doc, (struct candidate){.kind = ASK_RUN, .index = i, .why = ASK_WHY_SCREEN}, KEY_SHOWN,
          WEIGHT_SCREEN, over ? INT64_MAX : rhythm_doc_ms(p, true), now->mono_ms);
  }
  pp->nap.asleep = !c->any;
  pp->nap.generation = m->generation;
  pp->nap.wants = p->wants_hash;
  pp->nap.until_mono_ms = c->next_ms;
  c->next_ms = before < c->next_ms ? before : c->next_ms;
}

static void reading_know(struct reading *r, const struct job *j)
{
  r->unordered = j->unordered;
  for (size_t i = 0; i < j->run_count && j->runs[i].started_ms != WHEN_NONE; i++)
    for (size_t k = 0; k < j->read_count; k++)
      if (j->read[k].from_ms <= j->runs[i].started_ms && j->runs[i].started_ms <= j->read[k].to_ms) {
        r->known_newest_ms = j->runs[i].started_ms;
        r->known_from_ms = j->read[k].from_ms;
        return;
      }
}

static void leaves(struct resource *r, const struct poller_now *now)
{
  r->in_flight = true;
  r->sent_mono_ms = now->mono_ms;
}

static void take_page(struct ask *a, struct resource *r, const struct poller_now *now)
{
  leaves(r, now);
  a->first = !r->reading.active;
  if (!r->reading.active)
    reading_begin(&r->reading, now->wall_ms);
  a->token = xstrdup(r->reading.token);
}

/* What failed the last time is tried together with the others again. */
static void names_begin(struct place_poll *pp)
{
  pp->batches_failed = pp->batches_good = pp->singles_good = pp->split_failures = 0;
  pp->batch_refused = pp->definitions_refused = false;
  for (size_t i = 0; i < pp->job_count; i++)
    pp->jobs[i].batch_max = ASK_BATCH_MAX;
}

static void fill_batch(struct ask *a, struct place_poll *pp, const struct place *rows, int64_t wall_ms)
{
  size_t limit = ASK_BATCH_MAX;
  for (size_t i = 0; i < pp->job_count && a->name_count < limit; i++) {
    struct job_poll *jp = &pp->jobs[i];
    if (a->name_count >= jp->batch_max || !job_needs_batch(pp, &rows->jobs[i], jp, wall_ms))
      continue;
    limit = jp->batch_max < limit ? jp->batch_max : limit;
    jp->batch_began_ms = pp->names_began_ms;
    a->names[a->name_count++] = rows->jobs[i].name;
  }
  pp->batches_in_flight++;
}

static void fill_runs(struct poller *p, struct ask *a, struct place_poll *pp, const struct job *j, size_t index,
                      const struct poller_now *now)
{
  struct job_poll *jp = &pp->jobs[index];
  bool fresh = !jp->runs.reading.active;
  take_page(a, &jp->runs, now);
  if (fresh)
    reading_know(&jp->runs.reading, j);
  bool deep = !fresh || !job_is_read(pp, j, jp, p->tick);
  a->job = j->name;
  a->page_size = job_page_size(j, jp, deep, now->wall_ms);
}

static void fill_ask(struct poller *p, struct ask *a, struct place_poll *pp, const struct model *m, int place,
                     const struct candidate *c, const struct poller_now *now)
{
  const struct place *rows = &m->places[place];
  int context = c->kind == ASK_IDENTITY ? (int)c->index : pp->context;
  *a = (struct ask){.id = ++p->last_id,
                    .kind = c->kind,
                    .why = c->why,
                    .first = true,
                    .context = context,
                    .place = place,
                    .context_epoch = m->contexts[context].epoch,
                    .place_epoch = pp->epoch};
  switch (c->kind) {
  case ASK_IDENTITY:
    leaves(&p->identities[c->index].resource, now);
    break;
  case ASK_JOBS:
    take_page(a, &pp->list, now);
    a->page_size = JOBS_PAGE;
    break;
  case ASK_JOB_NAMES:
    take_page(a, &pp->list, now);
    a->page_size = NAMES_PAGE;
    if (a->first) {
      pp->names_began_ms = pp->list.reading.began_wall_ms;
      pp->names_read = false;
      names_begin(pp);
    }
    break;
  case ASK_JOB_BATCH:
    fill_batch(a, pp, rows, now->wall_ms);
    break;
  case ASK_TRIGGERS:
    take_page(a, &pp->triggers, now);
    a->page_size = TRIGGERS_PAGE;
    break;
  case ASK_RUNS:
    fill_runs(p, a, pp, &rows->jobs[c->index], c->index, now);
    break;
  case ASK_JOB:
    a->job = rows->jobs[c->index].name;
    a->for_show = !c->definition;
    if (c->definition) {
      pp->jobs[c->index].batch_began_ms = pp->names_began_ms;
      pp->batches_in_flight++;
    } else {
      leaves(pp->jobs[c->index].doc, now);
    }
    break;
  case ASK_RUN:
    if (c->straggler) {
      struct job_poll *jp = &pp->jobs[c->index];
      jp->straggler_in_flight = true;
      a->job = rows->jobs[c->index].name;
      a->run_id = jp->stragglers[--jp->straggler_count];
    } else {
      struct run_poll *rp = &p->runs[c->index];
      leaves(&rp->doc, now);
      a->job = rp->job;
      a->run_id = rp->run_id;
      a->for_show = true;
    }
    break;
  }
  p->in_flight++;
  pp->in_flight++;
}

static size_t give_out(struct poller *p, struct place_poll *pp, const struct model *m, int place, struct choice *c,
                       const struct poller_now *now, struct ask *out, size_t cap)
{
  size_t given = 0;
  for (size_t i = 0; i < c->count && given < cap; i++) {
    const struct candidate *next = &c->items[i];
    /* Only a first answer that somebody waits for may overdraw: what is asked again and again would, under a tight limit, leave nothing
     * for the rest, for ever. */
    bool interactive = next->key >= KEY_SHOWN;
    unsigned limit = (unsigned)p->options.concurrency + (interactive ? 2 : 0);
    if (pp->in_flight >= limit)
      continue;
    if (!budget_allows(&pp->budget, interactive, now->mono_ms)) {
      int64_t again = budget_next_ms(&pp->budget, interactive, now->mono_ms);
      if (again < c->next_ms)
        c->next_ms = again;
      continue;
    }
    budget_take(&pp->budget, now->mono_ms);
    fill_ask(p, &out[given], pp, m, place, next, now);
    given++;
  }
  return given;
}

size_t poller_next(struct poller *p, const struct model *m, const struct wants *w, const struct poller_now *real,
                   struct ask *out, size_t cap)
{
  struct poller_now now = poller_time(p, real);
  size_t given = 0;
  p->next_ms = INT64_MAX;
  poller_sync(p, m, w, &now);
  for (size_t i = 0; i < p->place_count; i++) {
    struct place_poll *pp = &p->places[i];
    unsigned limit = (unsigned)p->options.concurrency + 2;
    struct choice c = {.cap = limit < CANDIDATES_MAX ? limit : CANDIDATES_MAX, .next_ms = INT64_MAX};
    for (size_t k = 0; k < p->context_count; k++) {
      struct identity_poll *ip = &p->identities[k];
      if (m->contexts[k].place == (int)i && !m->contexts[k].closed && ip->wanted_tick == p->tick &&
          now.logins[k] == POLLER_LOGIN_READY)
        offer(p, &c, &ip->resource, (struct candidate){.kind = ASK_IDENTITY, .index = k, .why = ASK_WHY_SCREEN},
              KEY_IDENTITY, WEIGHT_SCREEN, ip->resource.failed ? WHEN_MINUTE : INT64_MAX, now.mono_ms);
    }
    if (pp->gate_mono_ms != INT64_MIN) {
      c.next_ms = pp->gate_mono_ms < c.next_ms ? pp->gate_mono_ms : c.next_ms;
    } else if (pp->context >= 0) {
      if (rhythm_is_out_of_date(p, pp, now.mono_ms)) {
        rhythm_balance(p, pp, m, (int)i, &now);
      }
      gather(p, &c, pp, m, (int)i, &now);
    }
    given += give_out(p, pp, m, (int)i, &c, &now, out + given, cap - given);
    if (c.next_ms < p->next_ms)
      p->next_ms = c.next_ms;
  }
  return given;
}

int64_t poller_next_ms(const struct poller *p)
{
  return p->next_ms == INT64_MAX ? INT64_MAX : p->next_ms - p->slept_ms;
}

size_t poller_in_flight(const struct poller *p)
{
  return p->in_flight;
}

struct budget *poller_budget(struct poller *p, int place)
{
  return place >= 0 && (size_t)place < p->place_count ? &p->places[place].budget : NULL;
}
