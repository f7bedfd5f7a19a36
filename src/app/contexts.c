/* Contexts at work: logins, targets, and what the model tells of them. */
#include "app/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/xalloc.h"

/* As a person would type it to open it again. */
static char *context_display_name(const struct app_context_option *o, const char *profile)
{
  const char *base = o->name != NULL ? o->name : profile == NULL || profile[0] == '\0' ? "default" : profile;
  bool alone = o->name != NULL || o->region == NULL || o->region[0] == '\0';
  return alone ? xstrdup(base) : xasprintf("%s@%s", base, o->region);
}

static const char *text_or_empty(const char *s)
{
  return s == NULL ? "" : s;
}

struct err contexts_endpoint(const struct app *app, int context, enum aws_service service, struct endpoint *out)
{
  const struct app_context *ac = &app->contexts[context];
  struct endpoint_options o = {
      .option_url = ac->endpoint_url, .profile = login_settings_profile(ac->login), .region = login_region(ac->login)};
  return endpoint_resolve(app->config, service, &o, out);
}

static struct err target_resolve(struct app *app, struct app_context *ac)
{
  const char *region = login_region(ac->login);
  struct endpoint_options o = {
      .option_url = ac->endpoint_url, .profile = login_settings_profile(ac->login), .region = region};
  if (region == NULL || region[0] == '\0') {
    struct err e = err_new(ERR_CONFIG, "no Region is set");
    err_set_hint(&e, "give --region, or set AWS_REGION or the profile's region; on the screen :region NAME");
    return e;
  }
  struct err e = endpoint_resolve(app->config, AWS_GLUE, &o, &ac->target.glue);
  if (err_is(&e))
    return e;
  e = endpoint_resolve(app->config, AWS_STS, &o, &ac->target.sts);
  if (err_is(&e)) {
    endpoint_fini(&ac->target.glue);
    return e;
  }
  ac->target.transport = app->transport;
  ac->target.tally = ac->tally;
  ac->target.login = ac->login;
  ac->target.region = ac->target.glue.signing_region;
  ac->target_ready = true;
  return e;
}

static void target_end(struct app_context *ac)
{
  if (!ac->target_ready)
    return;
  endpoint_fini(&ac->target.glue);
  endpoint_fini(&ac->target.sts);
  endpoint_fini(&ac->target.pricing);
  endpoint_fini(&ac->target.quotas);
  ac->target_ready = false;
}

struct err contexts_open(struct app *app, const struct app_context_option *option)
{
  const char *profile = option->profile, *region = option->region;
  /* what the command line says holds for every context */
  const char *endpoint = app->endpoint_url != NULL ? app->endpoint_url : option->endpoint_url;
  struct login_options o = {.profile = profile, .region = region, .endpoint_url = endpoint};
  struct login *login = NULL;
  struct err e = login_new(app->config, &o, app->transport, app->clock, &login);
  if (err_is(&e))
    return e;
  const char *first_region = login_region(login);
  const char *label = profile != NULL && profile[0] != '\0' ? profile : login_settings_profile(login);
  char *name = context_display_name(option, label);
  int context = model_add_context(app->model, name, login_profile(login), first_region, login_region_source(login),
                                  endpoint_partition(text_or_empty(first_region)), "");
  struct context *c = &app->model->contexts[context];
  c->read_only = app->options.read_only || option->read_only;
  c->colour = option->colour;
  model_set_text(app->model, &c->label, option->name);
  app->contexts = xreallocarray(app->contexts, app->context_count + 1, sizeof *app->contexts);
  app->logins = xreallocarray(app->logins, app->context_count + 1, sizeof *app->logins);
  app->contexts[app->context_count] = (struct app_context){.login = login,
                                                           .tally = xcalloc(1, sizeof(struct transport_tally)),
                                                           .name = name,
                                                           .profile = xstrdup(profile),
                                                           .region = xstrdup(region),
                                                           .endpoint_url = xstrdup(endpoint)};
  app->logins[app->context_count] = POLLER_LOGIN_WORKING;
  app->context_count++;
  return e;
}

void contexts_close(struct app *app, int context)
{
  struct app_context *ac = &app->contexts[context];
  if (ac->login == NULL)
    return;
  asks_drop_context(app, context);
  rates_drop_context(app, context);
  writes_drop_context(app, context);
  target_end(ac);
  login_free(ac->login);
  ac->login = NULL;
  app->logins[context] = POLLER_LOGIN_FAILED;
  model_close_context(app->model, context);
}

void contexts_free(struct app *app)
{
  for (size_t i = 0; i < app->context_count; i++) {
    struct app_context *ac = &app->contexts[i];
    target_end(ac);
    if (ac->login != NULL)
      login_free(ac->login);
    free(ac->name);
    free(ac->profile);
    free(ac->region);
    free(ac->login_key);
    free(ac->key_id);
    free(ac->endpoint_url);
    free(ac->tally);
  }
  free(app->contexts);
  free(app->logins);
  app->contexts = NULL;
  app->logins = NULL;
  app->context_count = 0;
}

/* --- a turn ---------------------------------------------------------------------------------------------------------- */

static void context_failed(struct app *app, size_t i, const struct err *why)
{
  struct app_context *ac = &app->contexts[i];
  struct context *c = &app->model->contexts[i];
  int64_t now = app_wall_ms(app);
  app->logins[i] = POLLER_LOGIN_FAILED;
  if (ac->failure_told)
    return;
  ac->failure_told = true;
  c->needs_login = true;
  model_add_problem(app->model, (int)i, why, now);
  freshness_bad(&c->identity_fresh, err_copy(why), now, WHEN_NONE);
  log_write(LOG_WARN, "login of %s: %s", c->name, err_message(why));
  model_add_notice(app->model, &(struct notice){.kind = NOTICE_LOGIN,
                                                .place = -1,
                                                .context = (int)i,
                                                .text = strpool_put(app->model->strings, err_message(why)),
                                                .at_ms = now,
                                                .seen_ms = now});
  model_touch(app->model);
}

const char *contexts_key_id(const struct app *app, int context)
{
  const struct login *l = app->contexts[context].login;
  const struct credentials *keys = l == NULL ? NULL : login_credentials(l);
  return keys == NULL || keys->access_key_id == NULL ? "" : keys->access_key_id;
}

/* New keys may be those of another account: somebody has logged in elsewhere, a tool has rewritten the file. Nothing is changed with them
 * before STS has said whose they are. */
static void context_learn_keys(struct app *app, size_t i)
{
  struct app_context *ac = &app->contexts[i];
  const char *id = contexts_key_id(app, (int)i);
  if (ac->key_id != NULL && strcmp(ac->key_id, id) == 0)
    return;
  if (ac->key_id != NULL) {
    app->model->contexts[i].confirmed = false;
    poller_doubt_identity(app->poller, (int)i);
    model_touch(app->model);
  }
  free(ac->key_id);
  ac->key_id = xstrdup(id);
}

static void context_ready(struct app *app, size_t i)
{
  struct app_context *ac = &app->contexts[i];
  struct model *m = app->model;
  if (!ac->target_ready) {
    struct err e = target_resolve(app, ac);
    if (err_is(&e)) {
      context_failed(app, i, &e);
      err_fini(&e);
      return;
    }
    const char *region = login_region(ac->login);
    model_set_region(m, (int)i, region, login_region_source(ac->login), endpoint_partition(region),
                     ac->target.glue.custom ? ac->target.glue.url : "");
    keep_login(app, (int)i);
  }
  if (ac->failure_told || m->contexts[i].needs_login) {
    ac->failure_told = false;
    m->contexts[i].needs_login = false;
    poller_resume(app->poller, m, (int)i);
    log_write(LOG_INFO, "login of %s works again", m->contexts[i].name);
    model_touch(m);
  }
  app->logins[i] = POLLER_LOGIN_READY;
  context_learn_keys(app, i);
  struct context *c = &m->contexts[i];
  const struct credentials *keys = login_credentials(ac->login);
  int64_t expires = keys == NULL ? WHEN_NONE : keys->expires_ms;
  if (c->expires_ms != expires) {
    c->expires_ms = expires;
    model_touch(m);
  }
  model_set_text(m, &c->profile, login_profile(ac->login));
}

static void context_wants_mfa(struct app *app, size_t i)
{
  const char *serial = login_mfa_serial(app->contexts[i].login);
  struct context *c = &app->model->contexts[i];
  model_set_text(app->model, &c->mfa_serial, serial == NULL ? "?" : serial);
  const struct err *refused = login_error(app->contexts[i].login);
  struct err e = refused != NULL && err_is(refused)
                     ? err_copy(refused)
                     : err_new(ERR_CREDENTIALS, "the code of MFA device %s is needed", c->mfa_serial);
  context_failed(app, i, &e);
  err_fini(&e);
}

static void context_tell_device(struct app *app, size_t i)
{
  struct model *m = app->model;
  struct context *c = &m->contexts[i];
  struct login_device d = login_device(app->contexts[i].login);
  bool waits = d.state == LOGIN_DEVICE_WAITING;
  const char *url = d.url_complete != NULL ? d.url_complete : d.url;
  model_set_text(m, &c->device_url, waits ? url : "");
  model_set_text(m, &c->device_code, waits ? d.user_code : "");
  if (d.state == LOGIN_DEVICE_FAILED && !app->contexts[i].device_failure_told)
    model_add_problem(m, (int)i, d.err, app_wall_ms(app));
  app->contexts[i].device_failure_told = d.state == LOGIN_DEVICE_FAILED;
}

void contexts_turn(struct app *app)
{
  for (size_t i = 0; i < app->context_count; i++) {
    struct app_context *ac = &app->contexts[i];
    if (ac->login == NULL)
      continue;
    struct context *c = &app->model->contexts[i];
    enum login_state state = login_turn(ac->login);
    if (state != LOGIN_NEEDS_MFA)
      model_set_text(app->model, &c->mfa_serial, "");
    model_set_text(app->model, &c->source, login_source(ac->login));
    model_set_text(app->model, &c->notice, login_notice(ac->login));
    context_tell_device(app, i);
    switch (state) {
    case LOGIN_IDLE:
    case LOGIN_WORKING:
      app->logins[i] = POLLER_LOGIN_WORKING;
      break;
    case LOGIN_READY:
      context_ready(app, i);
      break;
    case LOGIN_NEEDS_MFA:
      context_wants_mfa(app, i);
      break;
    case LOGIN_FAILED:
      context_failed(app, i, login_error(ac->login));
      break;
    }
  }
}

int64_t contexts_next_ms(const struct app *app)
{
  int64_t next = INT64_MAX;
  for (size_t i = 0; i < app->context_count; i++) {
    if (app->contexts[i].login == NULL)
      continue;
    int64_t at = login_next_turn_ms(app->contexts[i].login);
    if (at != WHEN_NONE && at < next)
      next = at;
  }
  return next;
}

bool contexts_working(const struct app *app)
{
  for (size_t i = 0; i < app->context_count; i++)
    if (app->contexts[i].login != NULL && app->logins[i] == POLLER_LOGIN_WORKING)
      return true;
  return false;
}

/* --- intents --------------------------------------------------------------------------------------------------------- */

void app_context_read(const char *text, const struct app_context_option *named, size_t named_count,
                      struct app_context_option *out, char **owned)
{
  char *base = xstrdup(text);
  const char *region = NULL;
  *out = (struct app_context_option){.profile = NULL};
  for (int pass = 0; pass < 2; pass++) { /* the whole of it, then what stands before the Region */
    for (size_t i = 0; i < named_count; i++) {
      if (named[i].name == NULL || strcmp(named[i].name, base) != 0)
        continue;
      *out = named[i];
      out->region = region != NULL ? region : named[i].region;
      *owned = base;
      return;
    }
    char *at = strrchr(base, '@');
    if (pass == 0 && at != NULL && endpoint_is_region(at + 1)) {
      *at = '\0';
      region = at + 1;
    }
  }
  out->profile = base[0] == '\0' ? NULL : base;
  out->region = region;
  *owned = base;
}

static void add_choice(struct model *m, const char *name, const char *about)
{
  for (size_t i = 0; i < m->choice_count; i++)
    if (strcmp(m->choices[i].name, name) == 0)
      return;
  m->choices = xgrow(m->choices, &m->choice_cap, m->choice_count + 1, sizeof *m->choices);
  m->choices[m->choice_count++] = (struct context_choice){.name = xstrdup(name), .about = xstrdup(about)};
}

/* Names only: what a person may type behind :ctx. The values of the files are nobody's business here. */
void contexts_tell_choices(struct app *app)
{
  struct model *m = app->model;
  for (size_t i = 0; i < app->options.named_count; i++) {
    const struct app_context_option *o = &app->options.named[i];
    char *about = xasprintf("profile %s%s%s", o->profile != NULL ? o->profile : "default",
                            o->region != NULL ? " in " : "", text_or_empty(o->region));
    add_choice(m, o->name, about);
    free(about);
  }
  for (size_t i = 0; i < aws_config_profile_count(app->config); i++) {
    const char *name = aws_config_profile_name(app->config, i);
    add_choice(m, name, text_or_empty(aws_config_get(app->config, name, "region")));
  }
  model_touch(m);
}

/* A word that is no profile must not close what is open. The files may have been edited since the program began; a login looks at them
 * again by itself when it is told to retry. */
static struct err check_profile(const struct app *app, const char *profile, bool *new_in_files)
{
  struct aws_config *now = NULL;
  struct err e = err_ok();
  *new_in_files = false;
  if (profile == NULL || aws_config_has_profile(app->config, profile))
    return e;
  e = aws_config_reload(app->config, &now);
  if (!err_is(&e) && now != NULL && aws_config_has_profile(now, profile)) {
    *new_in_files = true;
  } else if (!err_is(&e)) {
    e = err_new(ERR_CONFIG, "there is no profile %s; nothing was changed", profile);
    err_set_hint(&e, "Tab behind :ctx lists the profiles of %s.", aws_config_path(app->config));
  }
  if (now != NULL)
    aws_config_free(now);
  return e;
}

static bool same_text(const char *a, const char *b)
{
  return strcmp(text_or_empty(a), text_or_empty(b)) == 0;
}

/* The open context that the option means; -1: none. */
static int find_open(const struct app *app, const struct app_context_option *o)
{
  for (size_t i = 0; i < app->context_count; i++) {
    const struct app_context *ac = &app->contexts[i];
    const char *label = app->model->contexts[i].label;
    if (ac->login != NULL && same_text(ac->profile, o->profile) && same_text(ac->region, o->region) &&
        same_text(label, o->name))
      return (int)i;
  }
  return -1;
}

/* "@REGION": the login of a context, in another Region. */
static bool read_other_region(const struct app *app, int context, const char *text, struct app_context_option *out)
{
  if (text[0] != '@' || context < 0 || (size_t)context >= app->context_count)
    return false;
  const struct app_context *ac = &app->contexts[context];
  const struct context *c = &app->model->contexts[context];
  *out = (struct app_context_option){.name = c->label[0] != '\0' ? c->label : NULL,
                                     .profile = ac->profile,
                                     .region = text + 1,
                                     .endpoint_url = ac->endpoint_url,
                                     .colour = c->colour,
                                     .read_only = c->read_only};
  return true;
}

/* Opens what the text means, or finds it open; its index, or -1 after telling why not. */
static int open_by_text(struct app *app, int context, const char *text)
{
  struct app_context_option option;
  char *owned = NULL;
  bool new_in_files = false;
  int opened = -1;
  if (!read_other_region(app, context, text_or_empty(text), &option))
    app_context_read(text_or_empty(text), app->options.named, app->options.named_count, &option, &owned);
  struct err e = check_profile(app, option.profile, &new_in_files);
  if (!err_is(&e) && option.region != NULL && !endpoint_is_region(option.region))
    e = err_new(ERR_USAGE, "%s is no Region", option.region);
  if (!err_is(&e))
    opened = find_open(app, &option);
  if (!err_is(&e) && opened < 0) {
    size_t index = app->context_count;
    /* what the option points to may move when the lists of contexts grow */
    char *name = xstrdup(option.name), *profile = xstrdup(option.profile), *region = xstrdup(option.region),
         *endpoint = xstrdup(option.endpoint_url);
    option.name = name;
    option.profile = profile;
    option.region = region;
    option.endpoint_url = endpoint;
    e = contexts_open(app, &option);
    free(name);
    free(profile);
    free(region);
    free(endpoint);
    if (!err_is(&e)) {
      opened = (int)index;
      if (new_in_files)
        login_retry(app->contexts[index].login);
    }
  }
  if (err_is(&e))
    model_add_problem(app->model, -1, &e, app_wall_ms(app));
  err_fini(&e);
  free(owned);
  return opened;
}

void contexts_intent(struct app *app, const struct intent *i)
{
  bool known = i->context >= 0 && (size_t)i->context < app->context_count && app->contexts[i->context].login != NULL;
  struct login *login = known ? app->contexts[i->context].login : NULL;
  int opened = -1;
  switch (i->kind) {
  case INTENT_LOGIN_RETRY:
    if (login != NULL) {
      app->contexts[i->context].failure_told = false;
      login_retry(login);
    }
    break;
  case INTENT_LOGIN_DEVICE:
    if (login != NULL && login_device_possible(login)) {
      login_device_start(login);
    } else if (login != NULL) {
      struct err e = err_new(ERR_CONFIG, "this profile does not log in by SSO");
      err_set_hint(&e, "log in the way you do for the AWS CLI, then press r");
      model_add_problem(app->model, i->context, &e, app_wall_ms(app));
      err_fini(&e);
    }
    break;
  case INTENT_GIVE_MFA:
    if (login != NULL) {
      app->contexts[i->context].failure_told = false;
      login_give_mfa(login, i->text == NULL ? "" : i->text);
    }
    break;
  case INTENT_OPEN_CONTEXT:
    open_by_text(app, i->context, i->text);
    break;
  case INTENT_SWITCH_CONTEXT:
    opened = open_by_text(app, i->context, i->text);
    for (size_t c = 0; c < app->context_count && opened >= 0; c++)
      if ((int)c != opened)
        contexts_close(app, (int)c);
    break;
  case INTENT_CLOSE_CONTEXT:
    if (login != NULL)
      contexts_close(app, i->context);
    break;
  case INTENT_NONE:
  case INTENT_QUIT:
  case INTENT_REFRESH:
  case INTENT_START_RUN:
  case INTENT_STOP_RUNS:
  case INTENT_SEEN:
  case INTENT_BUDGET:
  case INTENT_FOCUS:
    break;
  }
}
