/* The store at work: painted from at the start, written behind the answers, never waited for. */
#include "app/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/secret.h"
#include "base/xalloc.h"

#define KEEP_EVERY_MS    INT64_C(1000)
#define KEEP_SOON_MS     INT64_C(25)  /* there is more to write */
#define KEEP_BUSY_MS     INT64_C(500) /* another gluetop writes */
#define KEEP_JOBS        12           /* in one transaction: a millisecond or two, since keys wait for it */
#define PAINT_BLOCKS     48           /* in one turn: some 5,000 runs, a millisecond */
#define KEEP_LAST_ROUNDS 400

/* A login is known by its profile, Region, endpoint and source; keys of the environment by their id as well. Session keys of the
 * environment lead anywhere, so they are not remembered. */
static char *login_key(const struct app *app, int context)
{
  const struct app_context *ac = &app->contexts[context];
  const struct credentials *keys = login_credentials(ac->login);
  if (keys == NULL)
    return NULL;
  const char *profile = login_profile(ac->login);
  bool session = !secret_empty(&keys->session_token);
  if (profile[0] == '\0' && session)
    return NULL;
  return xasprintf("%s\n%s\n%s\n%s\n%s", profile, app->model->contexts[context].region, ac->target.glue.url,
                   login_source(ac->login), session || keys->access_key_id == NULL ? "" : keys->access_key_id);
}

void keep_login(struct app *app, int context)
{
  struct app_context *ac = &app->contexts[context];
  free(ac->login_key);
  ac->login_key = login_key(app, context);
  char *account = NULL;
  char *arn = NULL;
  if (ac->login_key != NULL && history_login(app->history, ac->login_key, &account, &arn) &&
      model_remember_identity(app->model, context, account, arn))
    history_paint(app->history, app->model, app->model->contexts[context].place);
  free(account);
  free(arn);
}

void keep_identity(struct app *app, int context)
{
  const struct context *c = &app->model->contexts[context];
  if (!c->confirmed)
    return;
  if (app->contexts[context].login_key != NULL)
    history_remember_login(app->history, app->contexts[context].login_key, c->account, c->arn);
  history_paint(app->history, app->model, c->place);
}

static bool place_is_confirmed(const struct model *m, int place)
{
  for (size_t i = 0; i < m->context_count; i++)
    if (!m->contexts[i].closed && m->contexts[i].confirmed && m->contexts[i].place == place)
      return true;
  return false;
}

static bool keep_write(struct app *app)
{
  bool more = false;
  for (size_t i = 0; i < app->model->place_count; i++)
    if (place_is_confirmed(app->model, (int)i))
      more = history_flush(app->history, app->model, (int)i, KEEP_JOBS) || more;
  return more;
}

static void keep_tell(struct app *app)
{
  struct err e = history_trouble(app->history);
  if (err_is(&e)) {
    log_write(LOG_WARN, "%s", err_message(&e));
    model_add_problem(app->model, -1, &e, app_wall_ms(app));
  }
  err_fini(&e);
}

void keep_turn(struct app *app)
{
  keep_tell(app);
  if (history_is_painting(app->history)) {
    history_step(app->history, app->model, PAINT_BLOCKS);
    return;
  }
  int64_t now = app_mono_ms(app);
  if (app->kept_generation == app->model->generation || now < app->keep_mono_ms)
    return;
  uint64_t busy = history_figures(app->history).busy;
  bool more = keep_write(app);
  bool held = history_figures(app->history).busy != busy;
  app->kept_generation = more ? 0 : app->model->generation;
  app->keep_mono_ms = now + (held ? KEEP_BUSY_MS : more ? KEEP_SOON_MS : KEEP_EVERY_MS);
}

int64_t keep_next_ms(const struct app *app)
{
  if (history_is_painting(app->history))
    return app_mono_ms(app);
  if (!history_figures(app->history).writable || app->kept_generation == app->model->generation)
    return INT64_MAX;
  return app->keep_mono_ms;
}

void keep_end(struct app *app)
{
  uint64_t busy = history_figures(app->history).busy;
  for (int i = 0; i < KEEP_LAST_ROUNDS && keep_write(app); i++)
    if (history_figures(app->history).busy != busy)
      break; /* it waits for nobody: the next start reads again what is missing */
  keep_tell(app);
}
