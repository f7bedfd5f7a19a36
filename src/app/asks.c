/* From an ask of the poller to a call of the service, and from the answer to the model. */
#include "app/private.h"

#include <stdlib.h>
#include <string.h>
#include "aws/errors.h"
#include "aws/sts.h"
#include "base/log.h"
#include "base/xalloc.h"

#define ASKS_PER_TURN 32
/* The clock is told to be wrong only when the service refused to sign with it: a Date header alone proves little. */
#define SKEW_MIN_MS (4 * WHEN_MINUTE)

static void call_free(struct call *c)
{
  ask_fini(&c->ask);
  free(c->key_id);
  free(c);
}

static void call_unlink(struct call *c)
{
  struct call **at = &c->app->calls;
  while (*at != c)
    at = &(*at)->next;
  *at = c->next;
}

void asks_learn_skew(struct app *app, int context, const struct transport_answer *answer)
{
  if (answer == NULL || answer->server_date_ms == WHEN_NONE || err_is(&answer->err) || answer->tries < 2)
    return;
  int64_t skew = answer->server_date_ms - app_wall_ms(app);
  struct context *c = &app->model->contexts[context];
  if (llabs(skew) < SKEW_MIN_MS)
    skew = 0; /* somebody has set our clock since */
  if (llabs(skew - c->skew_ms) < WHEN_MINUTE)
    return;
  c->skew_ms = skew;
  app->contexts[context].target.skew_ms = skew;
  log_write(LOG_WARN, "the clock here is %lld s away from the service's", (long long)(skew / WHEN_SECOND));
  model_touch(app->model);
}

/* --- rows into the model --------------------------------------------------------------------------------------------- */

static void put_runs(struct app *app, const struct call *call, const struct glue_runs_page *page, struct ask_outcome *o)
{
  const struct ask *a = &call->ask;
  size_t refused = page->unreadable;
  o->ordered = true;
  int64_t last = WHEN_NONE;
  model_expect_runs(app->model, a->place, a->job, page->runs, page->count);
  for (size_t i = 0; i < page->count; i++) {
    const struct run_data *d = &page->runs[i];
    if (!model_put_run(app->model, a->place, a->job, d, call->sent_wall_ms, NULL)) {
      refused++;
      continue;
    }
    o->count++;
    if (d->started_ms == WHEN_NONE)
      continue;
    if (last != WHEN_NONE && d->started_ms > last)
      o->ordered = false;
    last = d->started_ms;
    if (o->newest_ms == WHEN_NONE || d->started_ms > o->newest_ms)
      o->newest_ms = d->started_ms;
    if (o->oldest_ms == WHEN_NONE || d->started_ms < o->oldest_ms)
      o->oldest_ms = d->started_ms;
  }
  o->next_token = page->next_token;
  o->left_out = refused > 0;
  if (refused > 0) {
    struct err e = err_new(ERR_PARSE, "the answer held runs of another job or without an id; they are left out");
    err_set_what(&e, "GetJobRuns of %s", model_str(app->model, a->job));
    model_add_problem(app->model, a->context, &e, app_wall_ms(app));
    err_fini(&e);
  }
}

/* Rows that say nothing to hold on to must not be missed silently. */
static void tell_unreadable(struct app *app, const struct ask *a, size_t count, const char *rows)
{
  if (count == 0)
    return;
  struct err e = err_new(ERR_PARSE, "the answer held %zu %s without a name; they are left out", count, rows);
  err_set_what(&e, "list of %s", rows);
  model_add_problem(app->model, a->context, &e, app_wall_ms(app));
  err_fini(&e);
}

static void put_jobs(struct app *app, const struct call *call, const struct glue_jobs_page *page, struct ask_outcome *o)
{
  const struct ask *a = &call->ask;
  for (size_t i = 0; i < page->count; i++)
    model_put_job(app->model, a->place, &page->jobs[i], call->sent_wall_ms);
  for (size_t i = 0; i < page->name_count; i++) {
    if (a->kind == ASK_JOB_NAMES) {
      model_list_job(app->model, a->place, page->names[i], call->sent_wall_ms);
      continue;
    }
    struct job *j = model_job_mutable(app->model, a->place, strpool_find(app->model->strings, page->names[i]));
    if (j != NULL && !j->gone) { /* JobsNotFound: deleted between the two calls */
      j->gone = true;
      model_touch(app->model);
    }
  }
  o->count = page->count + page->name_count;
  o->next_token = page->next_token;
  o->left_out = page->unreadable > 0;
  tell_unreadable(app, a, page->unreadable, "jobs");
}

static struct trigger_pile *trigger_pile(struct app *app, int place)
{
  if ((size_t)place >= app->pile_count) {
    size_t count = (size_t)place + 1;
    app->piles = xreallocarray(app->piles, count, sizeof *app->piles);
    for (; app->pile_count < count; app->pile_count++)
      app->piles[app->pile_count] = (struct trigger_pile){0};
  }
  return &app->piles[place];
}

static void trigger_pile_clear(struct trigger_pile *pile)
{
  for (size_t i = 0; i < pile->arena_count; i++)
    arena_fini(&pile->arenas[i]);
  free(pile->arenas);
  free(pile->items);
  *pile = (struct trigger_pile){0};
}

static void pile_triggers(struct app *app, const struct call *call, const struct glue_reply *reply,
                          struct ask_outcome *o)
{
  const struct glue_triggers_page *page = reply->triggers;
  struct trigger_pile *pile = trigger_pile(app, call->ask.place);
  if (call->ask.first)
    trigger_pile_clear(pile);
  pile->items = xgrow(pile->items, &pile->cap, pile->count + page->count + 1, sizeof *pile->items);
  if (page->count > 0)
    memcpy(pile->items + pile->count, page->triggers, page->count * sizeof *pile->items);
  pile->count += page->count;
  o->left_out = page->unreadable > 0;
  tell_unreadable(app, &call->ask, page->unreadable, "triggers");
  o->count = page->count;
  o->next_token = page->next_token == NULL ? NULL : arena_strdup(reply->arena, page->next_token);
  pile->arenas = xreallocarray(pile->arenas, pile->arena_count + 1, sizeof *pile->arenas);
  pile->arenas[pile->arena_count++] = *reply->arena;
  arena_init(reply->arena);
}

static struct doc_holder *take_doc(const struct glue_reply *reply, int64_t now_ms)
{
  const struct glue_doc_answer *d = reply->doc;
  return doc_holder_new(reply->arena, &d->doc, d->raw, d->raw_len, now_ms);
}

static void put_rows(struct app *app, const struct call *call, const struct glue_reply *reply, struct ask_outcome *o)
{
  const struct ask *a = &call->ask;
  struct model *m = app->model;
  switch (a->kind) {
  case ASK_IDENTITY:
    break; /* after the note: it may move the context to another place */
  case ASK_JOBS:
  case ASK_JOB_NAMES:
  case ASK_JOB_BATCH:
    put_jobs(app, call, reply->jobs, o);
    break;
  case ASK_TRIGGERS:
    pile_triggers(app, call, reply, o);
    break;
  case ASK_RUNS:
    put_runs(app, call, reply->runs, o);
    break;
  case ASK_JOB:
    if (reply->doc->job != NULL)
      model_put_job(m, a->place, reply->doc->job, call->sent_wall_ms);
    if (a->for_show)
      model_set_job_doc(m, a->place, a->job, take_doc(reply, app_wall_ms(app)));
    break;
  case ASK_RUN:
    model_touch_job(m, a->place, model_str(m, a->job));
    if (reply->doc->run != NULL)
      model_put_run(m, a->place, a->job, reply->doc->run, call->sent_wall_ms, NULL);
    if (a->for_show)
      model_set_run_doc(m, a->place, a->job, a->run_id, take_doc(reply, app_wall_ms(app)));
    break;
  }
}

/* --- what follows ---------------------------------------------------------------------------------------------------- */

/* The freshness that an ask is about; NULL: none of its own. Valid until the next change of the model. */
static struct freshness *ask_freshness(struct app *app, const struct ask *a)
{
  struct model *m = app->model;
  struct job *j = a->job == 0 ? NULL : model_job_mutable(m, a->place, a->job);
  switch (a->kind) {
  case ASK_IDENTITY:
    return &m->contexts[a->context].identity_fresh;
  case ASK_JOBS:
  case ASK_JOB_NAMES:
  case ASK_JOB_BATCH:
    return &m->places[a->place].jobs_fresh;
  case ASK_TRIGGERS:
    return &m->places[a->place].triggers_fresh;
  case ASK_RUNS:
    return j == NULL ? NULL : &j->runs_fresh;
  case ASK_JOB:
    return j == NULL ? NULL : &j->definition_fresh;
  case ASK_RUN:
    return a->for_show ? &model_run_doc_slot(m, a->place, a->job, a->run_id)->fresh : NULL;
  }
  return NULL;
}

static void ask_what(const struct app *app, const struct ask *a, struct err *e)
{
  static const char *const names[] = {
      [ASK_IDENTITY] = "GetCallerIdentity",
      [ASK_JOBS] = "GetJobs",
      [ASK_JOB_NAMES] = "ListJobs",
      [ASK_JOB_BATCH] = "BatchGetJobs",
      [ASK_TRIGGERS] = "GetTriggers",
      [ASK_RUNS] = "GetJobRuns",
      [ASK_JOB] = "GetJob",
      [ASK_RUN] = "GetJobRun",
  };
  if (a->job == 0)
    err_set_what(e, "%s", names[a->kind]);
  else
    err_set_what(e, "%s of %s", names[a->kind], model_str(app->model, a->job));
}

static void apply_runs_effect(struct app *app, const struct ask *a, const struct ask_effect *e)
{
  struct model *m = app->model;
  if (e->add_span)
    model_add_span(m, a->place, a->job, e->from_ms, e->to_ms, e->to_end);
  struct job *j = model_job_mutable(m, a->place, a->job);
  if (j == NULL)
    return;
  j->unordered = j->unordered || e->unordered;
  if (e->done && e->began_ms > j->top_read_ms)
    j->top_read_ms = e->began_ms;
}

/* A definition that belongs to the reading of the names: its end may be the list's end, well or not. */
static bool of_the_names(const struct ask *a)
{
  return a->kind == ASK_JOB_BATCH || (a->kind == ASK_JOB && !a->for_show);
}

static void apply_done(struct app *app, const struct call *call, const struct ask_effect *e)
{
  const struct ask *a = &call->ask;
  struct model *m = app->model;
  int64_t now = app_wall_ms(app);
  if (e->names_done) {
    m->places[a->place].names_complete = true;
    model_end_jobs(m, a->place, e->began_ms);
  }
  if (e->trouble != NULL) {
    struct err trouble = err_new(ERR_TOO_BIG, "%s", e->trouble);
    ask_what(app, a, &trouble);
    model_add_problem(m, a->context, &trouble, now);
    err_fini(&trouble);
  }
  if (!e->done)
    return;
  if (a->kind == ASK_TRIGGERS) {
    struct trigger_pile *pile = trigger_pile(app, a->place);
    model_put_triggers(m, a->place, pile->items, pile->count, now);
    trigger_pile_clear(pile);
  }
  struct freshness *f = of_the_names(a) ? &m->places[a->place].jobs_fresh : ask_freshness(app, a);
  if (f == NULL)
    return;
  if (of_the_names(a) && !e->complete && err_is(&f->last_err)) {
    f->fetched_ms = call->sent_wall_ms; /* the rest is there; what another batch was refused for stays told */
    f->in_flight = false;
    return;
  }
  bool shows = err_is(&f->last_err) || f->fetched_ms == WHEN_NONE || f->complete != e->complete;
  freshness_good(f, call->sent_wall_ms, e->complete);
  if (shows)
    model_touch(m);
}

static void apply_failure(struct app *app, const struct ask *a, const struct err *why, const struct ask_effect *e)
{
  struct model *m = app->model;
  int64_t now = app_wall_ms(app);
  if (!e->told)
    return;
  struct job *j = a->kind == ASK_JOB && !a->for_show ? model_job_mutable(m, a->place, a->job) : NULL;
  if (j != NULL && why->kind == ERR_NOT_FOUND) {
    j->gone = true; /* deleted since ListJobs named it */
    model_touch(m);
    return;
  }
  model_add_problem(m, a->context, why, now);
  struct freshness *f = ask_freshness(app, a);
  if (f == NULL)
    return;
  freshness_bad(f, err_copy(why), now, e->next_try_ms);
  model_touch(m);
}

static void call_done(void *user, const struct glue_reply *reply)
{
  struct call *call = user;
  struct app *app = call->app;
  const struct ask *a = &call->ask;
  struct model *m = app->model;
  call_unlink(call);
  if (m->contexts[a->context].epoch != a->context_epoch || m->places[a->place].epoch != a->place_epoch) {
    poller_forget(app->poller, m, a); /* of a login or place that is over: nothing of it may show */
    call_free(call);
    return;
  }
  if (a->kind == ASK_IDENTITY && strcmp(call->key_id, contexts_key_id(app, a->context)) != 0) {
    poller_forget(app->poller, m, a); /* whose the keys before were */
    call_free(call);
    return;
  }
  asks_learn_skew(app, a->context, reply->answer);
  struct ask_outcome o = {.kind = reply->err.kind,
                          .unsupported = err_is(&reply->err) && errors_is_unsupported(&reply->err),
                          .sent_wall_ms = call->sent_wall_ms,
                          .newest_ms = WHEN_NONE,
                          .oldest_ms = WHEN_NONE,
                          .ordered = true};
  if (!err_is(&reply->err))
    put_rows(app, call, reply, &o);
  struct poller_now now = app_now(app);
  struct ask_effect e = poller_note(app->poller, m, a, &o, &now);
  if (err_is(&reply->err)) {
    log_write(LOG_INFO, "%s", err_message(&reply->err));
    apply_failure(app, a, &reply->err, &e);
    if (of_the_names(a))
      apply_done(app, call, &e);
  } else {
    if (a->kind == ASK_RUNS)
      apply_runs_effect(app, a, &e);
    apply_done(app, call, &e);
    if (a->kind == ASK_IDENTITY) {
      model_set_identity(m, a->context, reply->identity, now.wall_ms);
      keep_identity(app, a->context);
    }
  }
  call_free(call);
}

/* --- sending --------------------------------------------------------------------------------------------------------- */

static void call_send(struct app *app, struct ask *take)
{
  struct call *call = xcalloc(1, sizeof *call);
  call->app = app;
  call->ask = *take;
  call->sent_wall_ms = app_wall_ms(app);
  call->next = app->calls;
  app->calls = call;
  const struct ask *a = &call->ask;
  /* Refusals for the rate come back to the poller, whose budget knows when there is room: by themselves sixteen would collide again. */
  struct aws_target paced = app->contexts[a->context].target;
  paced.paced = true;
  const struct aws_target *t = &paced;
  const char *job = model_str(app->model, a->job);
  struct freshness *f = ask_freshness(app, a);
  if (f != NULL)
    f->in_flight = true;
  switch (a->kind) {
  case ASK_IDENTITY:
    call->key_id = xstrdup(contexts_key_id(app, a->context));
    call->transport_id = sts_get_caller_identity(t, call_done, call);
    break;
  case ASK_JOBS:
    call->transport_id = glue_get_jobs(t, a->token, a->page_size, call_done, call);
    break;
  case ASK_JOB_NAMES:
    call->transport_id = glue_list_jobs(t, a->token, a->page_size, call_done, call);
    break;
  case ASK_JOB_BATCH: {
    const char *names[ASK_BATCH_MAX];
    for (size_t i = 0; i < a->name_count; i++)
      names[i] = model_str(app->model, a->names[i]);
    call->transport_id = glue_batch_get_jobs(t, names, a->name_count, call_done, call);
    break;
  }
  case ASK_TRIGGERS:
    call->transport_id = glue_get_triggers(t, a->token, a->page_size, call_done, call);
    break;
  case ASK_RUNS:
    call->transport_id = glue_get_job_runs(t, job, a->token, a->page_size, call_done, call);
    break;
  case ASK_JOB:
    call->transport_id = glue_get_job(t, job, call_done, call);
    break;
  case ASK_RUN:
    call->transport_id = glue_get_job_run(t, job, model_str(app->model, a->run_id), call_done, call);
    break;
  }
}

void asks_turn(struct app *app)
{
  struct ask asks[ASKS_PER_TURN];
  struct poller_now now = app_now(app);
  size_t count = poller_next(app->poller, app->model, &app->wants, &now, asks, ASKS_PER_TURN);
  for (size_t i = 0; i < count; i++)
    call_send(app, &asks[i]);
}

void asks_drop_context(struct app *app, int context)
{
  struct call **at = &app->calls;
  while (*at != NULL) {
    struct call *c = *at;
    if (c->ask.context != context) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    transport_cancel(app->transport, c->transport_id);
    poller_forget(app->poller, app->model, &c->ask);
    call_free(c);
  }
}

void asks_free(struct app *app)
{
  while (app->calls != NULL) {
    struct call *c = app->calls;
    app->calls = c->next;
    transport_cancel(app->transport, c->transport_id);
    call_free(c);
  }
  for (size_t i = 0; i < app->pile_count; i++)
    trigger_pile_clear(&app->piles[i]);
  free(app->piles);
  app->piles = NULL;
  app->pile_count = 0;
}
