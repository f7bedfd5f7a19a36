/* SSO (IAM Identity Center): the cached token of a login, renewed when it nears its end, for the keys of an account's role. */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "aws/secret_text.h"
#include "aws/sso_token.h"
#include "base/json.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "sigv4/sigv4.h"

#define TOKEN_RENEW_AHEAD (15 * WHEN_MINUTE)

struct sso_own {
  struct sso_setup setup;
  struct sso_token token;
  char *what;
  bool waiting; /* for another login to end its renewal of the same token */
  bool renewing;
  bool renewed;         /* in this work already: another refusal is final */
  struct sso_own *next; /* in sso_renewals */
};

/* Logins (contexts) often share one token. Two renewals of it at once would spend its refresh token twice; so the second waits and reads
 * what the first has written. One thread: a list is lock enough. */
static struct sso_own *sso_renewals;

static bool renewal_begin(struct sso_own *own)
{
  for (const struct sso_own *o = sso_renewals; o != NULL; o = o->next) {
    if (strcmp(o->setup.token_path, own->setup.token_path) == 0)
      return false;
  }
  own->renewing = true;
  own->next = sso_renewals;
  sso_renewals = own;
  return true;
}

static void renewal_end(struct sso_own *own)
{
  for (struct sso_own **at = &sso_renewals; own->renewing && *at != NULL; at = &(*at)->next) {
    if (*at == own) {
      *at = own->next;
      own->renewing = false;
      break;
    }
  }
}

static void sso_fail(struct source *s, struct err take)
{
  struct sso_own *own = s->own;
  renewal_end(own);
  if (!login_is_trouble(take.kind) && take.kind != ERR_CONFIG && (take.detail == NULL || take.detail->hint == NULL))
    sso_hint(&take, &own->setup);
  source_fail(s, take);
}

static void token_renew(struct source *s);

static struct err session_ended(const struct sso_own *own)
{
  return own->setup.session != NULL ? err_new(ERR_EXPIRED, "the SSO session %s has ended", own->setup.session)
                                    : err_new(ERR_EXPIRED, "the SSO login at %s has ended", own->setup.start_url);
}

/* What the portal's refusal means for the person who set up the profile. */
static struct err keys_refused(const struct source *s, const struct transport_answer *answer)
{
  const struct sso_own *own = s->own;
  struct err e;
  if (answer->status == 401) {
    e = session_ended(own);
    err_set_http(&e, answer->status, answer->err.detail != NULL ? answer->err.detail->code : NULL, answer->request_id);
  } else if (answer->status == 403 || answer->status == 404) {
    char *message = xasprintf("SSO grants no access to account %s as %s", own->setup.account, own->setup.role);
    e = login_answer_error(answer, ERR_CREDENTIALS, own->what, message);
    err_set_hint(&e, "Check sso_role_name and sso_account_id of profile %s.", s->profile);
    free(message);
  } else {
    e = login_answer_error(answer, ERR_CREDENTIALS, own->what, NULL);
  }
  return e;
}

static struct err keys_of_answer(const struct transport_answer *answer, struct credentials *keys)
{
  static const struct key_names names = {.id = "accessKeyId", .secret = "secretAccessKey", .token = "sessionToken"};
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const cJSON *role = json_get(tree, "roleCredentials");
  int64_t until = 0;
  struct err e = err_ok();
  if (!cJSON_IsObject(role)) {
    e = err_new(ERR_PARSE, "the answer of SSO holds no roleCredentials");
  } else {
    e = login_keys_of_json(role, &names, keys);
    if (!err_is(&e) && !json_i64(role, "expiration", &until))
      e = err_new(ERR_PARSE, "the answer of SSO does not say when its keys end");
    keys->expires_ms = until; /* milliseconds already */
  }
  secret_json_free(tree);
  return e;
}

static void keys_answered(struct source *s, const struct transport_answer *answer)
{
  struct sso_own *own = s->own;
  login_learn_date(s->login, answer->server_date_ms, answer->took_ms);
  if (answer->status == 401 && !own->renewed && sso_token_can_renew(&own->setup, &own->token, login_now_ms(s->login))) {
    token_renew(s);
    return;
  }
  struct credentials keys;
  credentials_init(&keys);
  struct err e = err_ok();
  if (err_is(&answer->err)) {
    e = keys_refused(s, answer);
  } else {
    e = keys_of_answer(answer, &keys);
    err_set_what(&e, "%s", own->what);
    keys.account = keys.account != NULL ? keys.account : xstrdup(own->setup.account);
  }
  if (err_is(&e))
    sso_fail(s, e);
  else
    source_done(s, &keys);
  credentials_fini(&keys);
}

static void keys_ask(struct source *s)
{
  struct sso_own *own = s->own;
  struct endpoint endpoint;
  struct err e = login_endpoint(s->login, AWS_SSO, s->profile, own->setup.region, &endpoint);
  if (err_is(&e)) {
    sso_fail(s, e);
    return;
  }
  struct secret_text query = {0};
  secret_text_form(&query, "account_id", own->setup.account);
  secret_text_form(&query, "role_name", own->setup.role);
  const char *headers[] = {"x-amz-sso_bearer_token", own->token.access.bytes, "accept", "application/json", NULL};
  struct transport_request request = {.change = TRANSPORT_READS,
                                      .endpoint = &endpoint,
                                      .method = "GET",
                                      .path = "/federation/credentials",
                                      .query = query.data,
                                      .headers = headers,
                                      .secret_body = true,
                                      .what = own->what};
  source_send(s, &request, keys_answered);
  secret_text_fini(&query);
  endpoint_fini(&endpoint);
}

static bool token_holds(const struct source *s)
{
  const struct sso_own *own = s->own;
  return own->token.expires_ms != WHEN_NONE && own->token.expires_ms > login_now_ms(s->login);
}

static void renew_answered(struct source *s, const struct transport_answer *answer)
{
  struct sso_own *own = s->own;
  login_learn_date(s->login, answer->server_date_ms, answer->took_ms);
  struct err e = err_ok();
  if (err_is(&answer->err)) {
    e = login_answer_error(answer, ERR_EXPIRED, "renewal of the SSO login", NULL);
    if (!login_is_trouble(e.kind)) {
      err_fini(&e);
      e = session_ended(own);
    }
  } else {
    e = sso_token_of_answer(answer->body, answer->body_len, login_now_ms(s->login), &own->token);
  }
  if (!err_is(&e)) {
    /* A file that cannot be written costs the next program a login, not us. */
    struct err unwritten = sso_token_write(&own->setup, &own->token);
    if (err_is(&unwritten))
      log_write(LOG_WARN, "login %s: %s", s->label, err_message(&unwritten));
    err_fini(&unwritten);
  }
  renewal_end(own);
  own->renewed = true;
  if (err_is(&e) && !token_holds(s)) {
    sso_fail(s, e);
    return;
  }
  err_fini(&e);
  keys_ask(s);
}

static void token_renew(struct source *s)
{
  struct sso_own *own = s->own;
  if (!renewal_begin(own)) {
    own->waiting = true;
    return;
  }
  struct secret_text body = {0};
  secret_text_adds(&body, "{");
  secret_text_member(&body, "clientId", own->token.client_id);
  secret_text_member(&body, "clientSecret", own->token.client_secret.bytes);
  secret_text_member(&body, "grantType", "refresh_token");
  secret_text_member(&body, "refreshToken", own->token.refresh.bytes);
  secret_text_adds(&body, "}");
  struct err e = sso_post(s, &own->setup, "/token", &body, "renewal of the SSO login", renew_answered);
  secret_text_fini(&body);
  if (err_is(&e))
    sso_fail(s, e);
}

/* Read the token anew each time: other programs renew it too. */
static void token_begin(struct source *s)
{
  struct sso_own *own = s->own;
  int64_t now = login_now_ms(s->login);
  own->waiting = false;
  struct err e = sso_token_read(own->setup.token_path, &own->token);
  if (err_is(&e)) {
    sso_fail(s, e);
    return;
  }
  bool renewable = sso_token_can_renew(&own->setup, &own->token, now) && !own->renewed;
  bool soon = !token_holds(s) || own->token.expires_ms - now < TOKEN_RENEW_AHEAD;
  if (soon && renewable)
    token_renew(s);
  else if (token_holds(s))
    keys_ask(s);
  else
    sso_fail(s, session_ended(own));
}

static void sso_start(struct source *s)
{
  struct sso_own *own = s->own;
  own->renewed = false;
  token_begin(s);
}

static void sso_turn(struct source *s)
{
  struct sso_own *own = s->own;
  if (own->waiting)
    token_begin(s);
}

static int64_t sso_next_ms(const struct source *s)
{
  const struct sso_own *own = s->own;
  return own->waiting ? login_mono_ms(s->login) + 200 : WHEN_NONE;
}

static void sso_cancel(struct source *s)
{
  struct sso_own *own = s->own;
  renewal_end(own);
  own->waiting = false;
}

static void sso_free(struct source *s)
{
  struct sso_own *own = s->own;
  renewal_end(own);
  sso_setup_fini(&own->setup);
  sso_token_fini(&own->token);
  free(own->what);
}

static const struct source_ops sso_ops = {.start = sso_start,
                                          .turn = sso_turn,
                                          .next_ms = sso_next_ms,
                                          .cancel = sso_cancel,
                                          .free_own = sso_free,
                                          .role_session = true};

struct err source_sso(struct login *l, const char *profile, struct source **out)
{
  struct sso_setup setup;
  struct err e = sso_setup_read(l, profile, &setup);
  if (err_is(&e)) {
    sso_setup_fini(&setup);
    return e;
  }
  struct source *s = source_new(l, &sso_ops, sizeof(struct sso_own), profile);
  struct sso_own *own = s->own;
  own->setup = setup;
  own->what = xasprintf("SSO keys of account %s as %s", setup.account, setup.role);
  s->watch = xstrdup(setup.token_path);
  s->label = xasprintf("sso:%s", setup.session != NULL ? setup.session : profile);
  s->where = xasprintf("SSO profile %s", profile);
  *out = s;
  return e;
}

const struct sso_setup *sso_setup_of(const struct source *s)
{
  return s->ops == &sso_ops ? &((const struct sso_own *)s->own)->setup : NULL;
}
