/* Logging in to SSO from inside (RFC 8628): register, ask for a code, show it, and ask for the token until the person has agreed in a
 * browser. The token goes to the cache that the AWS CLI uses, so that it serves every program. */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "aws/secret_text.h"
#include "aws/sso_token.h"
#include "base/json.h"
#include "base/xalloc.h"

#define POLL_DEFAULT (5 * WHEN_SECOND)
#define SLOWER       (5 * WHEN_SECOND)
#define CODE_DEFAULT (10 * WHEN_MINUTE)

struct login_device_flow {
  struct source *io; /* sends the requests; its `own` is this flow */
  struct sso_setup setup;
  struct sso_token token; /* filled on the way: registration first */
  struct secret device_code;
  char *url;
  char *url_complete;
  char *user_code;
  enum login_device_state state;
  struct err err;
  int64_t interval_ms;
  int64_t poll_ms; /* monotonic */
  int64_t expires_ms;
  bool told; /* the token's arrival */
};

const struct source *device_flow_source(const struct login *l)
{
  for (const struct source *s = l->source; s != NULL; s = s->base) {
    if (sso_setup_of(s) != NULL)
      return s;
  }
  return NULL;
}

static struct login_device_flow *flow_of(struct source *io)
{
  return *(struct login_device_flow **)io->own;
}

static void flow_fail(struct login_device_flow *f, struct err take)
{
  err_fini(&f->err);
  f->err = take;
  f->state = LOGIN_DEVICE_FAILED;
}

static void flow_post(struct login_device_flow *f, const char *path, struct secret_text *take_body, const char *what,
                      source_answer_fn *done)
{
  struct err e = sso_post(f->io, &f->setup, path, take_body, what, done);
  secret_text_fini(take_body);
  if (err_is(&e))
    flow_fail(f, e);
}

static void code_wanted(struct login_device_flow *f);

static void on_registered(struct source *io, const struct transport_answer *answer)
{
  struct login_device_flow *f = flow_of(io);
  if (err_is(&answer->err)) {
    flow_fail(f, login_answer_error(answer, ERR_CREDENTIALS, "registration with SSO", NULL));
    return;
  }
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const char *id = json_str(tree, "clientId");
  const char *secret = json_str(tree, "clientSecret");
  int64_t until = 0;
  if (id == NULL || secret == NULL) {
    flow_fail(f, err_new(ERR_PARSE, "SSO's answer to the registration holds no client"));
  } else {
    f->token.client_id = xstrdup(id);
    secret_set_str(&f->token.client_secret, secret);
    if (json_i64(tree, "clientSecretExpiresAt", &until) && until > 0 && until < INT64_C(1) << 40)
      f->token.registration_ends_ms = until * 1000;
    code_wanted(f);
  }
  secret_json_free(tree);
}

static void add_scopes(struct secret_text *body, const char *scopes)
{
  secret_text_adds(body, ",\"scopes\":[");
  bool first = true;
  for (const char *p = scopes; *p != '\0';) {
    p += strspn(p, ", \t");
    size_t len = strcspn(p, ", \t");
    if (len == 0)
      break;
    char *one = xstrndup(p, len);
    if (!first)
      secret_text_adds(body, ",");
    secret_text_json(body, one);
    free(one);
    first = false;
    p += len;
  }
  secret_text_adds(body, "]");
}

static void flow_register(struct login_device_flow *f)
{
  struct secret_text body = {0};
  secret_text_adds(&body, "{");
  secret_text_member(&body, "clientName", "gluetop");
  secret_text_member(&body, "clientType", "public");
  if (f->setup.scopes != NULL) {
    secret_text_adds(&body, ",\"grantTypes\":[\"urn:ietf:params:oauth:grant-type:device_code\",\"refresh_token\"]");
    add_scopes(&body, f->setup.scopes);
  }
  secret_text_adds(&body, "}");
  flow_post(f, "/client/register", &body, "registration with SSO", on_registered);
}

static void on_code(struct source *io, const struct transport_answer *answer)
{
  struct login_device_flow *f = flow_of(io);
  if (err_is(&answer->err)) {
    struct err e = login_answer_error(answer, ERR_CREDENTIALS, "start of the SSO login", NULL);
    err_set_hint(&e, "Look at sso_start_url and sso_region of profile %s.", f->setup.profile);
    flow_fail(f, e);
    return;
  }
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const char *device = json_str(tree, "deviceCode");
  const char *code = json_str(tree, "userCode");
  const char *url = json_str(tree, "verificationUri");
  int64_t seconds = 0;
  const struct login *l = io->login;
  if (device == NULL || code == NULL || url == NULL) {
    flow_fail(f, err_new(ERR_PARSE, "SSO's answer holds no code to show"));
  } else {
    secret_set_str(&f->device_code, device);
    f->user_code = xstrdup(code);
    f->url = xstrdup(url);
    f->url_complete = xstrdup(json_str(tree, "verificationUriComplete"));
    bool told = json_i64(tree, "interval", &seconds) && seconds > 0 && seconds <= 300;
    f->interval_ms = told ? seconds * 1000 : POLL_DEFAULT;
    told = json_i64(tree, "expiresIn", &seconds) && seconds > 0 && seconds <= 24 * 3600;
    f->expires_ms = login_now_ms(l) + (told ? seconds * 1000 : CODE_DEFAULT);
    f->poll_ms = login_mono_ms(l) + f->interval_ms;
    f->state = LOGIN_DEVICE_WAITING;
  }
  secret_json_free(tree);
}

static void code_wanted(struct login_device_flow *f)
{
  struct secret_text body = {0};
  secret_text_adds(&body, "{");
  secret_text_member(&body, "clientId", f->token.client_id);
  secret_text_member(&body, "clientSecret", f->token.client_secret.bytes);
  secret_text_member(&body, "startUrl", f->setup.start_url);
  secret_text_adds(&body, "}");
  flow_post(f, "/device_authorization", &body, "start of the SSO login", on_code);
}

/* OAuth's own word stands in the body, whatever the error's name is. */
static bool answer_says(const struct transport_answer *answer, const char *word, const char *name)
{
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const char *error = json_str(tree, "error");
  const char *code = answer->err.detail != NULL ? answer->err.detail->code : NULL;
  bool says = (error != NULL && strcmp(error, word) == 0) ||
              (code != NULL && (strcmp(code, name) == 0 || strcmp(code, word) == 0));
  secret_json_free(tree);
  return says;
}

static void on_token(struct source *io, const struct transport_answer *answer)
{
  struct login_device_flow *f = flow_of(io);
  const struct login *l = io->login;
  if (!err_is(&answer->err)) {
    struct err e = sso_token_of_answer(answer->body, answer->body_len, login_now_ms(l), &f->token);
    if (!err_is(&e))
      e = sso_token_write(&f->setup, &f->token);
    if (err_is(&e))
      flow_fail(f, e);
    else
      f->state = LOGIN_DEVICE_DONE;
    return;
  }
  bool slower = answer_says(answer, "slow_down", "SlowDownException");
  bool pending = answer_says(answer, "authorization_pending", "AuthorizationPendingException");
  if (slower)
    f->interval_ms += SLOWER;
  if (slower || pending || login_is_trouble(answer->err.kind)) {
    f->poll_ms = login_mono_ms(l) + f->interval_ms;
    return;
  }
  struct err e;
  if (answer_says(answer, "expired_token", "ExpiredTokenException"))
    e = err_new(ERR_EXPIRED, "the code has ended before anybody agreed");
  else if (answer_says(answer, "access_denied", "AccessDeniedException"))
    e = err_new(ERR_DENIED, "the login was refused in the browser");
  else
    e = login_answer_error(answer, ERR_CREDENTIALS, "SSO login", NULL);
  err_set_hint(&e, "Begin again with :login.");
  flow_fail(f, e);
}

static void flow_poll(struct login_device_flow *f)
{
  struct secret_text body = {0};
  secret_text_adds(&body, "{");
  secret_text_member(&body, "clientId", f->token.client_id);
  secret_text_member(&body, "clientSecret", f->token.client_secret.bytes);
  secret_text_member(&body, "grantType", "urn:ietf:params:oauth:grant-type:device_code");
  secret_text_member(&body, "deviceCode", f->device_code.bytes);
  secret_text_adds(&body, "}");
  flow_post(f, "/token", &body, "SSO login", on_token);
}

static void io_start(struct source *s)
{
  (void)s;
}

static const struct source_ops io_ops = {.start = io_start};

struct login_device_flow *device_flow_new(struct login *l, const struct source *sso)
{
  struct login_device_flow *f = xcalloc(1, sizeof *f);
  f->io = source_new(l, &io_ops, sizeof f, sso->profile);
  *(struct login_device_flow **)f->io->own = f;
  sso_setup_copy(&f->setup, sso_setup_of(sso));
  sso_token_fini(&f->token);
  f->state = LOGIN_DEVICE_STARTING;
  flow_register(f);
  return f;
}

void device_flow_free(struct login_device_flow *f)
{
  if (f == NULL)
    return;
  source_free(f->io);
  sso_setup_fini(&f->setup);
  sso_token_fini(&f->token);
  secret_fini(&f->device_code);
  free(f->url);
  free(f->url_complete);
  free(f->user_code);
  err_fini(&f->err);
  free(f);
}

bool device_flow_turn(struct login_device_flow *f)
{
  const struct login *l = f->io->login;
  if (f->state == LOGIN_DEVICE_DONE && !f->told) {
    f->told = true;
    return true;
  }
  if (f->state == LOGIN_DEVICE_WAITING && f->io->request == 0) {
    if (login_now_ms(l) >= f->expires_ms) {
      struct err e = err_new(ERR_EXPIRED, "the code has ended before anybody agreed");
      err_set_hint(&e, "Begin again with :login.");
      flow_fail(f, e);
    } else if (login_mono_ms(l) >= f->poll_ms) {
      flow_poll(f);
    }
  }
  return false;
}

int64_t device_flow_next_ms(const struct login_device_flow *f)
{
  if (f->state == LOGIN_DEVICE_DONE && !f->told)
    return login_mono_ms(f->io->login);
  return f->state == LOGIN_DEVICE_WAITING && f->io->request == 0 ? f->poll_ms : WHEN_NONE;
}

struct login_device device_flow_state(const struct login_device_flow *f)
{
  return (struct login_device){.state = f->state,
                               .url = f->url,
                               .url_complete = f->url_complete,
                               .user_code = f->user_code,
                               .expires_ms = f->expires_ms,
                               .err = &f->err};
}
