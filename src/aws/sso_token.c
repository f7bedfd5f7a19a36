#include "aws/sso_token.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/digest.h"
#include "aws/secret_text.h"
#include "base/json.h"
#include "base/xalloc.h"

#define TOKEN_FILE_MAX ((size_t)256 * 1024)

void sso_setup_fini(struct sso_setup *s)
{
  free(s->profile);
  free(s->session);
  free(s->start_url);
  free(s->region);
  free(s->account);
  free(s->role);
  free(s->scopes);
  free(s->token_path);
  *s = (struct sso_setup){0};
}

void sso_setup_copy(struct sso_setup *to, const struct sso_setup *from)
{
  *to = (struct sso_setup){.profile = xstrdup(from->profile),
                           .session = xstrdup(from->session),
                           .start_url = xstrdup(from->start_url),
                           .region = xstrdup(from->region),
                           .account = xstrdup(from->account),
                           .role = xstrdup(from->role),
                           .scopes = xstrdup(from->scopes),
                           .token_path = xstrdup(from->token_path)};
}

static struct err missing(const struct sso_setup *s, const char *key, bool in_session)
{
  return err_new(ERR_CONFIG, "%s %s has no %s, which its SSO login needs", in_session ? "sso-session" : "profile",
                 in_session ? s->session : s->profile, key);
}

struct err sso_setup_read(const struct login *l, const char *profile, struct sso_setup *out)
{
  const struct aws_config *c = l->config;
  *out = (struct sso_setup){.profile = xstrdup(profile)};
  const char *session = aws_config_get(c, profile, "sso_session");
  const char *own_url = aws_config_get(c, profile, "sso_start_url");
  const char *own_region = aws_config_get(c, profile, "sso_region");
  const char *url = own_url;
  const char *region = own_region;
  out->session = xstrdup(session);
  if (session != NULL) {
    url = aws_config_sso_session(c, session, "sso_start_url");
    region = aws_config_sso_session(c, session, "sso_region");
    const char *scopes = aws_config_sso_session(c, session, "sso_registration_scopes");
    out->scopes = xstrdup(scopes != NULL ? scopes : "sso:account:access");
    if (!aws_config_has_sso_session(c, session))
      return err_new(ERR_CONFIG, "profile %s names sso_session %s, but there is no [sso-session %s] in %s", profile,
                     session, session, aws_config_path(c));
    if ((own_url != NULL && url != NULL && strcmp(own_url, url) != 0) ||
        (own_region != NULL && region != NULL && strcmp(own_region, region) != 0))
      return err_new(ERR_CONFIG, "%s of profile %s and of [sso-session %s] differ",
                     own_url != NULL && url != NULL && strcmp(own_url, url) != 0 ? "sso_start_url" : "sso_region",
                     profile, session);
  }
  if (url == NULL)
    return missing(out, "sso_start_url", session != NULL);
  if (region == NULL)
    return missing(out, "sso_region", session != NULL);
  out->start_url = xstrdup(url);
  out->region = xstrdup(region);
  out->account = xstrdup(aws_config_get(c, profile, "sso_account_id"));
  out->role = xstrdup(aws_config_get(c, profile, "sso_role_name"));
  if (out->account == NULL)
    return missing(out, "sso_account_id", false);
  if (out->role == NULL)
    return missing(out, "sso_role_name", false);
  const char *hashed = session != NULL ? session : url;
  char hex[DIGEST_SHA1_HEX];
  char *folder = aws_config_expand_path(c, "~/.aws/sso/cache");
  if (folder == NULL)
    return err_new(ERR_CONFIG, "the cache of SSO logins is not found: there is no home directory (HOME is not set)");
  digest_sha1_hex(hashed, strlen(hashed), hex);
  out->token_path = xasprintf("%s/%s.json", folder, hex);
  free(folder);
  return err_ok();
}

void sso_hint(struct err *e, const struct sso_setup *setup)
{
  err_set_hint(e, "Run `aws sso login --profile %s`, or :login here.", setup->profile);
}

void sso_token_fini(struct sso_token *t)
{
  secret_fini(&t->access);
  secret_fini(&t->refresh);
  secret_fini(&t->client_secret);
  free(t->client_id);
  *t = (struct sso_token){.expires_ms = WHEN_NONE, .registration_ends_ms = WHEN_NONE};
}

static int64_t member_time(const cJSON *tree, const char *name)
{
  const char *text = json_str(tree, name);
  int64_t ms = WHEN_NONE;
  return text != NULL && when_parse_iso(text, &ms) ? ms : WHEN_NONE;
}

struct err sso_token_read(const char *path, struct sso_token *out)
{
  sso_token_fini(out);
  struct secret text = {0};
  cJSON *tree = NULL;
  struct err e = secret_file_read(path, TOKEN_FILE_MAX, &text);
  if (err_is(&e)) {
    bool none = e.kind == ERR_NOT_FOUND;
    struct err told = none ? err_new(ERR_CREDENTIALS, "nobody is logged in here: there is no %s", path)
                           : err_new(ERR_CREDENTIALS, "%s", err_message(&e));
    err_fini(&e);
    return told;
  }
  tree = secret_json_parse(text.bytes != NULL ? text.bytes : "", text.len);
  const char *access = json_str(tree, "accessToken");
  if (!cJSON_IsObject(tree)) {
    e = err_new(ERR_CREDENTIALS, "the SSO login in %s cannot be read: it is not whole JSON", path);
  } else if (access == NULL || access[0] == '\0') {
    e = err_new(ERR_CREDENTIALS, "%s holds no SSO login (no accessToken)", path);
  } else {
    secret_set_str(&out->access, access);
    secret_set_str(&out->refresh, json_str(tree, "refreshToken"));
    secret_set_str(&out->client_secret, json_str(tree, "clientSecret"));
    out->client_id = xstrdup(json_str(tree, "clientId"));
    out->expires_ms = member_time(tree, "expiresAt");
    out->registration_ends_ms = member_time(tree, "registrationExpiresAt");
  }
  secret_json_free(tree);
  secret_fini(&text);
  return e;
}

bool sso_token_can_renew(const struct sso_setup *setup, const struct sso_token *t, int64_t now_ms)
{
  bool registered = t->client_id != NULL && !secret_empty(&t->client_secret) &&
                    (t->registration_ends_ms == WHEN_NONE || t->registration_ends_ms > now_ms);
  return setup->session != NULL && registered && !secret_empty(&t->refresh);
}

/* As the AWS CLI writes it: whole seconds. */
static void iso_seconds(int64_t ms, char out[WHEN_TEXT_MAX])
{
  struct when_civil c = when_to_civil(ms);
  snprintf(out, WHEN_TEXT_MAX, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.day, c.hour, c.minute, c.second);
}

static void set_member(cJSON *tree, const char *name, const char *value)
{
  if (value == NULL)
    return;
  cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(tree, name);
  secret_json_free(old);
  cJSON_AddStringToObject(tree, name, value);
}

struct err sso_token_write(const struct sso_setup *setup, const struct sso_token *t)
{
  struct secret text = {0};
  struct err gone = secret_file_read(setup->token_path, TOKEN_FILE_MAX, &text);
  cJSON *tree = err_is(&gone) || text.bytes == NULL ? NULL : secret_json_parse(text.bytes, text.len);
  err_fini(&gone);
  if (!cJSON_IsObject(tree)) {
    secret_json_free(tree);
    tree = cJSON_CreateObject();
  }
  char when[WHEN_TEXT_MAX];
  set_member(tree, "startUrl", setup->start_url);
  set_member(tree, "region", setup->region);
  set_member(tree, "accessToken", t->access.bytes);
  iso_seconds(t->expires_ms, when);
  set_member(tree, "expiresAt", when);
  set_member(tree, "clientId", t->client_id);
  set_member(tree, "clientSecret", t->client_secret.bytes);
  if (t->registration_ends_ms != WHEN_NONE) {
    iso_seconds(t->registration_ends_ms, when);
    set_member(tree, "registrationExpiresAt", when);
  }
  set_member(tree, "refreshToken", t->refresh.bytes);
  char *printed = cJSON_PrintUnformatted(tree);
  struct err e = printed != NULL ? secret_file_write(setup->token_path, printed, strlen(printed), true)
                                 : err_new(ERR_IO, "the SSO login could not be written");
  if (printed != NULL) {
    secret_wipe(printed, strlen(printed));
    cJSON_free(printed);
  }
  secret_json_free(tree);
  secret_fini(&text);
  return e;
}

struct err sso_token_of_answer(const char *body, size_t len, int64_t now_ms, struct sso_token *into)
{
  struct err e = err_ok();
  cJSON *tree = secret_json_parse(body, len);
  const char *access = json_str(tree, "accessToken");
  const char *refresh = json_str(tree, "refreshToken");
  int64_t seconds = 0;
  if (access == NULL || access[0] == '\0' || !json_i64(tree, "expiresIn", &seconds) || seconds <= 0 ||
      seconds > INT64_C(366) * 24 * 3600) {
    e = err_new(ERR_PARSE, "the answer of the SSO service holds no token");
  } else {
    secret_set_str(&into->access, access);
    into->expires_ms = now_ms + seconds * 1000;
    if (refresh != NULL)
      secret_set_str(&into->refresh, refresh);
  }
  secret_json_free(tree);
  return e;
}

struct err sso_post(struct source *s, const struct sso_setup *setup, const char *path, const struct secret_text *body,
                    const char *what, source_answer_fn *done)
{
  struct endpoint endpoint;
  struct err e = login_endpoint(s->login, AWS_SSO_OIDC, setup->profile, setup->region, &endpoint);
  if (err_is(&e))
    return e;
  static const char *const headers[] = {"content-type", "application/json", NULL};
  /* A renewal takes the refresh token's place: sent again, the old one would be refused. */
  struct transport_request request = {.change = TRANSPORT_READS,
                                      .endpoint = &endpoint,
                                      .method = "POST",
                                      .path = path,
                                      .headers = headers,
                                      .body = body->data,
                                      .body_len = body->len,
                                      .secret_body = true,
                                      .max_tries = 1,
                                      .what = what};
  source_send(s, &request, done);
  endpoint_fini(&endpoint);
  return err_ok();
}
