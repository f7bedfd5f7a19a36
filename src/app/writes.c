/* Starts and stops. Sent only when STS has confirmed the context, the context is the one that the person saw, and nothing forbids
 * it. Nothing here is ever sent twice: a start whose outcome is not known is looked for in the job's runs instead. */
#include "app/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/xalloc.h"

#define STOP_GROUP_MAX 25
/* A start whose answer was lost is looked for that often, at growing distances: half a minute in all. */
#define LOOKS_MAX     6
#define LOOK_FIRST_MS INT64_C(1000)
#define LOOK_PAGE     25
/* StartedOn may come without its milliseconds. */
#define LOOK_SLACK_MS WHEN_SECOND

static void write_free(struct write *w)
{
  struct intents one;
  intents_init(&one);
  one.items = xmalloc(sizeof *one.items);
  one.items[0] = w->intent;
  one.count = one.cap = 1;
  intents_fini(&one);
  free(w->known);
  free(w->key_id);
  free(w);
}

static struct change *write_change(struct app *app, const struct write *w, const char *run_id)
{
  strid id = run_id == NULL ? 0 : strpool_put(app->model->strings, run_id);
  for (size_t i = app->model->change_count; i-- > 0;) {
    struct change *c = &app->model->changes[i];
    if (c->intent_id == w->intent.id && (run_id == NULL || c->run_id == id))
      return c;
  }
  return NULL;
}

static void change_settle(struct app *app, struct change *c, enum change_result result, enum err_kind kind,
                          const char *message, const char *request_id)
{
  if (c == NULL)
    return;
  c->result = result;
  c->kind = kind;
  free(c->message);
  c->message = message == NULL || message[0] == '\0' ? NULL : xstrdup(message);
  if (request_id != NULL) {
    free(c->request_id);
    c->request_id = xstrdup(request_id);
  }
  c->at_ms = app_wall_ms(app);
  model_touch(app->model);
}

static void settle_all(struct app *app, const struct write *w, size_t from, size_t count, enum change_result result,
                       enum err_kind kind, const char *message, const char *request_id)
{
  if (w->intent.kind == INTENT_START_RUN) {
    change_settle(app, write_change(app, w, NULL), result, kind, message, request_id);
    return;
  }
  for (size_t i = from; i < from + count && i < w->intent.run_id_count; i++)
    change_settle(app, write_change(app, w, w->intent.run_ids[i]), result, kind, message, request_id);
}

static void settle_error(struct app *app, const struct write *w, size_t from, size_t count, const struct err *e)
{
  const char *request_id = e->detail == NULL ? NULL : e->detail->request_id;
  enum change_result result = e->kind == ERR_UNCERTAIN ? CHANGE_UNCERTAIN : CHANGE_REFUSED;
  settle_all(app, w, from, count, result, e->kind, err_message(e), request_id);
}

/* --- what forbids a write -------------------------------------------------------------------------------------------- */

/* ERR_OK: it may be sent now. *wait: not yet, but perhaps soon. */
static struct err write_check(const struct app *app, const struct write *w, bool *wait)
{
  const struct model *m = app->model;
  const struct intent *in = &w->intent;
  *wait = false;
  if (in->context < 0 || (size_t)in->context >= m->context_count || m->contexts[in->context].closed)
    return err_new(ERR_CANCELLED, "the context is not open any more; nothing was sent");
  const struct context *c = &m->contexts[in->context];
  if (app->options.read_only || c->read_only)
    return err_new(ERR_USAGE, "%s is read-only; nothing was sent", c->name);
  if (c->epoch != in->context_epoch)
    return err_new(ERR_CANCELLED, "the account behind %s has changed since you decided; nothing was sent", c->name);
  if (c->confirmed && app->logins[in->context] == POLLER_LOGIN_READY)
    return err_ok();
  if (app->logins[in->context] == POLLER_LOGIN_FAILED)
    return err_new(ERR_CREDENTIALS, "%s is not logged in; nothing was sent", c->name);
  if (err_is(&c->identity_fresh.last_err)) {
    struct err e = err_copy(&c->identity_fresh.last_err);
    err_set_hint(&e, "nothing was sent, since nobody has confirmed whose account this is");
    return e;
  }
  *wait = true;
  return err_ok();
}

static bool write_is_late(const struct app *app, const struct write *w)
{
  const struct context *c = &app->model->contexts[w->intent.context];
  return c->closed || c->epoch != w->intent.context_epoch;
}

/* Signed with the keys whose account STS has named, whatever the login holds by the time it leaves. */
static struct aws_target write_target(struct app *app, struct write *w)
{
  struct aws_target t = app->contexts[w->intent.context].target;
  t.credentials = login_credentials(t.login);
  t.login = NULL;
  free(w->key_id);
  w->key_id = xstrdup(contexts_key_id(app, w->intent.context));
  return t;
}

/* Refused before anything was done, since the keys have expired: once more with new ones, after STS has said whose those are. */
static bool write_again(struct app *app, struct write *w, const struct err *e)
{
  if (e->kind != ERR_EXPIRED || w->renewed || write_is_late(app, w))
    return false;
  w->renewed = true;
  if (strcmp(w->key_id, contexts_key_id(app, w->intent.context)) == 0)
    login_invalidate(app->contexts[w->intent.context].login, NULL);
  app->model->contexts[w->intent.context].confirmed = false;
  poller_doubt_identity(app->poller, w->intent.context);
  w->step = WRITE_WAITS;
  return true;
}

/* --- start ----------------------------------------------------------------------------------------------------------- */

static strid run_strid(struct model *m, const struct run *r)
{
  char text[RUN_ID_MAX];
  return strpool_put(m->strings, run_id_text(r, m->strings, text));
}

static void remember_known(struct app *app, struct write *w)
{
  struct model *m = app->model;
  const struct job *j = model_job(m, m->contexts[w->intent.context].place, strpool_put(m->strings, w->intent.job));
  w->known_count = 0;
  if (j == NULL || j->run_count == 0)
    return;
  w->known = xreallocarray(w->known, j->run_count, sizeof *w->known);
  int64_t since = w->sent_wall_ms + m->contexts[w->intent.context].skew_ms - WHEN_MINUTE;
  for (size_t i = 0; i < j->run_count && j->runs[i].started_ms >= since; i++)
    w->known[w->known_count++] = run_strid(m, &j->runs[i]);
}

static bool is_known(const struct write *w, strid id)
{
  for (size_t i = 0; i < w->known_count; i++)
    if (w->known[i] == id)
      return true;
  return false;
}

static void write_watch(struct app *app, const struct write *w)
{
  int place = app->model->contexts[w->intent.context].place;
  strid job = model_touch_job(app->model, place, w->intent.job)->name;
  poller_watch_job(app->poller, app->model, place, job, app_mono_ms(app));
}

static void start_done(void *user, const struct glue_reply *reply)
{
  struct write *w = user;
  struct app *app = w->app;
  w->transport_id = 0;
  asks_learn_skew(app, w->intent.context, reply->answer);
  if (write_again(app, w, &reply->err))
    return;
  if (!err_is(&reply->err)) {
    struct change *c = write_change(app, w, NULL);
    const char *request_id = reply->answer == NULL ? NULL : reply->answer->request_id;
    if (c != NULL)
      c->run_id = strpool_put(app->model->strings, reply->start->run_id);
    change_settle(app, c, CHANGE_STARTED, ERR_OK, NULL, request_id);
    w->step = WRITE_OVER;
  } else {
    settle_error(app, w, 0, 1, &reply->err);
    log_write(LOG_WARN, "%s", err_message(&reply->err));
    w->step = reply->err.kind == ERR_UNCERTAIN ? WRITE_LOOKS : WRITE_OVER;
    w->look_mono_ms = app_mono_ms(app) + LOOK_FIRST_MS;
  }
  if (!write_is_late(app, w))
    write_watch(app, w);
}

static void start_send(struct app *app, struct write *w)
{
  const struct intent *in = &w->intent;
  struct argument *arguments = xcalloc(in->argument_count + 1, sizeof *arguments);
  for (size_t i = 0; i < in->argument_count; i++)
    arguments[i] = (struct argument){.key = in->argument_keys[i], .value = in->argument_values[i]};
  struct glue_start_request request = {.job = in->job,
                                       .arguments = arguments,
                                       .argument_count = in->argument_count,
                                       .worker_type = in->worker_type,
                                       .workers = in->workers,
                                       .timeout_minutes = in->timeout_minutes,
                                       .max_capacity = in->max_capacity,
                                       .execution_class = in->execution_class};
  w->sent_wall_ms = app_wall_ms(app);
  remember_known(app, w);
  w->step = WRITE_SENT;
  struct aws_target target = write_target(app, w);
  poller_spent(app->poller, app->model->contexts[in->context].place, app_mono_ms(app));
  w->transport_id = glue_start_job_run(&target, &request, start_done, w);
  free(arguments);
}

/* --- was it started? ------------------------------------------------------------------------------------------------- */

/* Does a run have what was asked for? One without arguments in the answer may. */
static bool could_be_ours(const struct intent *in, const struct run_data *d)
{
  bool could = true;
  for (size_t i = 0; i < in->argument_count && d->argument_count > 0 && could; i++) {
    could = false;
    for (size_t k = 0; k < d->argument_count && !could; k++)
      could = strcmp(d->arguments[k].key, in->argument_keys[i]) == 0 &&
              strcmp(d->arguments[k].value, in->argument_values[i]) == 0;
  }
  if (in->workers != RECORD_ABSENT && d->workers != RECORD_ABSENT && in->workers != d->workers)
    could = false;
  if (in->worker_type != NULL && d->worker_type != NULL && strcmp(in->worker_type, d->worker_type) != 0)
    could = false;
  if (in->timeout_minutes != RECORD_ABSENT && d->timeout_minutes != RECORD_ABSENT &&
      in->timeout_minutes != d->timeout_minutes)
    could = false;
  return could;
}

static void look_over(struct app *app, struct write *w, size_t found, strid run_id)
{
  struct change *c = write_change(app, w, NULL);
  if (found == 1) {
    if (c != NULL)
      c->run_id = run_id;
    change_settle(app, c, CHANGE_STARTED, ERR_OK,
                  w->intent.argument_count > 0
                      ? "the answer was lost, but the run is there"
                      : "the answer was lost; the only run started by hand since then is taken for ours",
                  NULL);
  } else if (found > 1) {
    change_settle(app, c, CHANGE_UNCERTAIN, ERR_UNCERTAIN,
                  "the answer was lost; several runs have started since, and which is ours is not known", NULL);
  } else {
    change_settle(app, c, CHANGE_UNCERTAIN, ERR_UNCERTAIN,
                  "the answer was lost and no new run has shown so far; look again before you start it anew", NULL);
  }
  w->step = WRITE_OVER;
}

static void look_done(void *user, const struct glue_reply *reply)
{
  struct write *w = user;
  struct app *app = w->app;
  struct model *m = app->model;
  w->transport_id = 0;
  w->looks++;
  w->look_mono_ms = app_mono_ms(app) + (LOOK_FIRST_MS << w->looks);
  if (write_is_late(app, w)) {
    look_over(app, w, 0, 0);
    return;
  }
  size_t found = 0;
  strid run_id = 0;
  if (!err_is(&reply->err)) {
    int place = m->contexts[w->intent.context].place;
    strid job = model_touch_job(m, place, w->intent.job)->name;
    int64_t since = w->sent_wall_ms + m->contexts[w->intent.context].skew_ms - LOOK_SLACK_MS;
    for (size_t i = 0; i < reply->runs->count; i++) {
      const struct run_data *d = &reply->runs->runs[i];
      if (!model_put_run(m, place, job, d, app_wall_ms(app), NULL))
        continue;
      strid id = strpool_put(m->strings, d->id);
      if (d->started_ms == WHEN_NONE || d->started_ms < since || is_known(w, id))
        continue;
      /* An automatic retry has an id of its own, but nobody started it by hand. */
      if (d->attempt > 0 || d->trigger != NULL || !could_be_ours(&w->intent, d))
        continue;
      found++;
      run_id = id;
    }
  }
  if (found > 0 || w->looks >= LOOKS_MAX)
    look_over(app, w, found, run_id);
}

static void look_send(struct app *app, struct write *w)
{
  w->transport_id =
      glue_get_newest_runs(&app->contexts[w->intent.context].target, w->intent.job, LOOK_PAGE, look_done, w);
}

/* --- stop ------------------------------------------------------------------------------------------------------------ */

static bool is_terminal_refusal(const struct glue_stop_result *r)
{
  return r->error_code != NULL && strstr(r->error_code, "Terminal") != NULL;
}

static void stop_done(void *user, const struct glue_reply *reply)
{
  struct write *w = user;
  struct app *app = w->app;
  w->transport_id = 0;
  asks_learn_skew(app, w->intent.context, reply->answer);
  if (write_again(app, w, &reply->err))
    return;
  if (err_is(&reply->err)) {
    settle_error(app, w, w->group_from, w->group_count, &reply->err);
    log_write(LOG_WARN, "%s", err_message(&reply->err));
  } else {
    const char *request_id = reply->answer == NULL ? NULL : reply->answer->request_id;
    settle_all(app, w, w->group_from, w->group_count, CHANGE_UNCERTAIN, ERR_UNCERTAIN,
               "the service's answer does not mention this run", request_id);
    for (size_t i = 0; i < reply->stop->count; i++) {
      const struct glue_stop_result *r = &reply->stop->results[i];
      struct change *c = r->run_id == NULL ? NULL : write_change(app, w, r->run_id);
      if (r->error_code == NULL)
        change_settle(app, c, CHANGE_STOPPING, ERR_OK, NULL, request_id);
      else
        change_settle(app, c, is_terminal_refusal(r) ? CHANGE_UNCHANGED : CHANGE_REFUSED,
                      is_terminal_refusal(r) ? ERR_OK : ERR_CONFLICT,
                      r->error_message != NULL ? r->error_message : r->error_code, request_id);
    }
  }
  w->group_from += w->group_count;
  bool late = write_is_late(app, w);
  w->step = late || w->group_from >= w->intent.run_id_count ? WRITE_OVER : WRITE_WAITS;
  if (late)
    settle_all(app, w, w->group_from, w->intent.run_id_count, CHANGE_REFUSED, ERR_CANCELLED,
               "the account changed meanwhile; nothing was sent", NULL);
  else
    write_watch(app, w);
}

static void stop_send(struct app *app, struct write *w)
{
  const struct intent *in = &w->intent;
  size_t left = in->run_id_count - w->group_from;
  w->group_count = left > STOP_GROUP_MAX ? STOP_GROUP_MAX : left;
  w->step = WRITE_SENT;
  poller_spent(app->poller, app->model->contexts[in->context].place, app_mono_ms(app));
  struct aws_target target = write_target(app, w);
  w->transport_id = glue_batch_stop_job_run(&target, in->job, (const char *const *)(in->run_ids + w->group_from),
                                            w->group_count, stop_done, w);
}

/* --- the list of writes ---------------------------------------------------------------------------------------------- */

void writes_begin(struct app *app, struct intent *take)
{
  struct write *w = xcalloc(1, sizeof *w);
  w->app = app;
  w->intent = *take;
  *take = (struct intent){.kind = INTENT_NONE};
  int64_t pressed_ms = app_wall_ms(app);
  strid job = strpool_put(app->model->strings, w->intent.job == NULL ? "" : w->intent.job);
  if (w->intent.kind == INTENT_START_RUN)
    model_add_change(app->model, w->intent.id, w->intent.context, job, 0, pressed_ms);
  for (size_t i = 0; w->intent.kind == INTENT_STOP_RUNS && i < w->intent.run_id_count; i++)
    if (write_change(app, w, w->intent.run_ids[i]) == NULL)
      model_add_change(app->model, w->intent.id, w->intent.context, job,
                       strpool_put(app->model->strings, w->intent.run_ids[i]), pressed_ms);
  w->step = WRITE_WAITS;
  /* In the order of the person's keys. */
  struct write **end = &app->writes;
  while (*end != NULL)
    end = &(*end)->next;
  *end = w;
}

static void write_turn(struct app *app, struct write *w)
{
  if (w->step == WRITE_LOOKS && w->transport_id == 0 && app_mono_ms(app) >= w->look_mono_ms) {
    if (write_is_late(app, w))
      look_over(app, w, 0, 0);
    else
      look_send(app, w);
  }
  if (w->step != WRITE_WAITS)
    return;
  bool wait = false;
  struct err e = write_check(app, w, &wait);
  bool nothing = w->intent.kind == INTENT_STOP_RUNS && w->intent.run_id_count == 0;
  if (err_is(&e) || nothing) {
    if (err_is(&e))
      settle_error(app, w, w->group_from, w->intent.run_id_count, &e);
    w->step = WRITE_OVER;
  } else if (!wait && w->intent.kind == INTENT_START_RUN) {
    start_send(app, w);
  } else if (!wait) {
    stop_send(app, w);
  } else if (!app->model->contexts[w->intent.context].identity_fresh.in_flight) {
    struct want identity = {.kind = WANT_IDENTITY, .context = w->intent.context};
    wants_add(&app->wants, &identity);
  }
  err_fini(&e);
}

void writes_turn(struct app *app)
{
  struct write **at = &app->writes;
  while (*at != NULL) {
    struct write *w = *at;
    write_turn(app, w);
    if (w->step == WRITE_OVER) {
      *at = w->next;
      write_free(w);
    } else {
      at = &w->next;
    }
  }
}

int64_t writes_next_ms(const struct app *app)
{
  int64_t next = INT64_MAX;
  for (const struct write *w = app->writes; w != NULL; w = w->next)
    if (w->step == WRITE_LOOKS && w->transport_id == 0 && w->look_mono_ms < next)
      next = w->look_mono_ms;
  return next;
}

void writes_drop_context(struct app *app, int context)
{
  struct write **at = &app->writes;
  while (*at != NULL) {
    struct write *w = *at;
    if (w->intent.context != context) {
      at = &w->next;
      continue;
    }
    if (w->transport_id != 0)
      transport_cancel(app->transport, w->transport_id);
    bool sent = w->step == WRITE_SENT || w->step == WRITE_LOOKS;
    settle_all(app, w, w->group_from, sent && w->group_count > 0 ? w->group_count : w->intent.run_id_count,
               sent ? CHANGE_UNCERTAIN : CHANGE_REFUSED, sent ? ERR_UNCERTAIN : ERR_CANCELLED,
               "the context was closed before the answer came", NULL);
    *at = w->next;
    write_free(w);
  }
}

void writes_free(struct app *app)
{
  while (app->writes != NULL) {
    struct write *w = app->writes;
    app->writes = w->next;
    if (w->transport_id != 0 && app->transport != NULL)
      transport_cancel(app->transport, w->transport_id);
    write_free(w);
  }
}
