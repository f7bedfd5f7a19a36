/* Console logins (`aws login`): keys that the AWS CLI keeps in its cache and that live a quarter of an hour. They are used as they stand
 * there, and renewed with the refresh token and a proof that we hold the login's private key (DPoP, RFC 9449). */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "aws/digest.h"
#include "aws/secret_text.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/xalloc.h"

#define CACHE_FILE_MAX ((size_t)256 * 1024)
#define RENEW_AHEAD    (5 * WHEN_MINUTE)
#define SIGNIN_PATH    "/v1/token"

struct console_own {
  char *session; /* login_session: an ARN */
  char *path;
  cJSON *file; /* while a renewal is under way */
  char *url;   /* of the renewal: part of the proof */
};

static const struct key_names key_names = {.id = "accessKeyId",
                                           .secret = "secretAccessKey",
                                           .token = "sessionToken",
                                           .expiry = "expiresAt",
                                           .account = "accountId"};

static void file_drop(struct console_own *own)
{
  secret_json_free(own->file);
  own->file = NULL;
}

static void console_fail(struct source *s, struct err take)
{
  if (!login_is_trouble(take.kind))
    err_set_hint(&take, "Run `aws login --profile %s`.", s->profile);
  file_drop(s->own);
  source_fail(s, take);
}

/* The keys in the file, as long as they hold. */
static struct err keys_of_file(const struct source *s, const cJSON *file, struct credentials *keys)
{
  const struct console_own *own = s->own;
  const cJSON *token = json_get(file, "accessToken");
  struct err e = cJSON_IsObject(token) ? login_keys_of_json(token, &key_names, keys)
                                       : err_new(ERR_CREDENTIALS, "there is no accessToken");
  if (!err_is(&e) && keys->expires_ms == WHEN_NONE)
    e = err_new(ERR_CREDENTIALS, "expiresAt is missing");
  if (err_is(&e))
    err_set_what(&e, "the console login in %s", own->path);
  return e;
}

static struct err read_file(struct console_own *own)
{
  struct secret text = {0};
  file_drop(own);
  struct err e = secret_file_read(own->path, CACHE_FILE_MAX, &text);
  if (!err_is(&e)) {
    own->file = secret_json_parse(text.bytes != NULL ? text.bytes : "", text.len);
    if (!cJSON_IsObject(own->file)) {
      file_drop(own);
      e = err_new(ERR_CREDENTIALS, "the console login in %s cannot be read: it is not whole JSON", own->path);
    }
  } else if (e.kind == ERR_NOT_FOUND) {
    err_fini(&e);
    e = err_new(ERR_CREDENTIALS, "nobody is logged in to the console as %s: there is no %s", own->session, own->path);
  } else {
    e.kind = ERR_CREDENTIALS;
  }
  secret_fini(&text);
  return e;
}

static void put_text(cJSON *object, const char *name, const char *value)
{
  if (value == NULL)
    return;
  secret_json_free(cJSON_DetachItemFromObjectCaseSensitive(object, name));
  cJSON_AddStringToObject(object, name, value);
}

/* The new keys into the file's tree and the file. */
static struct err take_renewal(struct source *s, const struct transport_answer *answer)
{
  struct console_own *own = s->own;
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const cJSON *keys = json_get(tree, "accessToken");
  cJSON *token = cJSON_GetObjectItemCaseSensitive(own->file, "accessToken");
  int64_t seconds = 0;
  char until[WHEN_TEXT_MAX];
  char *printed = NULL;
  struct err e = err_ok();
  if (!cJSON_IsObject(keys) || json_str(keys, "accessKeyId") == NULL || json_str(keys, "secretAccessKey") == NULL ||
      !json_i64(tree, "expiresIn", &seconds) || seconds <= 0 || seconds > 24 * 3600 || !cJSON_IsObject(token)) {
    e = err_new(ERR_PARSE, "the answer to the renewal of the console login holds no keys");
    goto out;
  }
  put_text(token, "accessKeyId", json_str(keys, "accessKeyId"));
  put_text(token, "secretAccessKey", json_str(keys, "secretAccessKey"));
  put_text(token, "sessionToken", json_str(keys, "sessionToken"));
  put_text(token, "expiresAt", when_format_iso(login_now_ms(s->login) + seconds * 1000, until));
  put_text(own->file, "refreshToken", json_str(tree, "refreshToken"));
  printed = cJSON_PrintUnformatted(own->file);
  if (printed != NULL) {
    struct err unwritten = secret_file_write(own->path, printed, strlen(printed), false);
    if (err_is(&unwritten))
      log_write(LOG_WARN, "login %s: %s", s->label, err_message(&unwritten));
    err_fini(&unwritten);
    secret_wipe(printed, strlen(printed));
    cJSON_free(printed);
  }
out:
  secret_json_free(tree);
  return e;
}

static void finish(struct source *s)
{
  struct console_own *own = s->own;
  struct credentials keys;
  credentials_init(&keys);
  struct err e = keys_of_file(s, own->file, &keys);
  if (!err_is(&e) && keys.expires_ms <= login_now_ms(s->login))
    e = err_new(ERR_EXPIRED, "the console login as %s has ended", own->session);
  if (err_is(&e)) {
    console_fail(s, e);
  } else {
    file_drop(own);
    source_done(s, &keys);
  }
  credentials_fini(&keys);
}

static void on_renewed(struct source *s, const struct transport_answer *answer)
{
  struct console_own *own = s->own;
  login_learn_date(s->login, answer->server_date_ms, answer->took_ms);
  struct credentials keys;
  credentials_init(&keys);
  struct err e = err_is(&answer->err) ? login_answer_error(answer, ERR_EXPIRED, "renewal of the console login", NULL)
                                      : take_renewal(s, answer);
  /* Refused though the old keys still hold: they are used to their end. */
  struct err old = keys_of_file(s, own->file, &keys);
  bool holds = !err_is(&old) && keys.expires_ms > login_now_ms(s->login) + WHEN_MINUTE;
  err_fini(&old);
  credentials_fini(&keys);
  if (err_is(&e) && !holds) {
    console_fail(s, e);
    return;
  }
  err_fini(&e);
  finish(s);
}

/* The Region where the login was made; else ours. */
static const char *signin_region(const struct source *s)
{
  const struct console_own *own = s->own;
  const char *region = json_str(own->file, "signInRegion");
  if (region == NULL)
    region = aws_config_get(s->login->config, s->profile, "region");
  if (region == NULL)
    region = s->login->region;
  return region != NULL ? region : sts_region(s->login, s->profile, own->session);
}

static struct err renew(struct source *s)
{
  struct console_own *own = s->own;
  struct secret key = {0};
  struct secret proof = {0};
  struct secret_text body = {0};
  struct endpoint endpoint;
  struct err e = login_endpoint(s->login, AWS_SIGNIN, s->profile, signin_region(s), &endpoint);
  if (err_is(&e))
    return e;
  free(own->url);
  own->url = xasprintf("%s%s", endpoint.url, SIGNIN_PATH);
  secret_set_str(&key, json_str(own->file, "dpopKey"));
  e = console_proof(&key, own->url, login_now_ms(s->login) / 1000, &proof);
  if (!err_is(&e)) {
    secret_text_adds(&body, "{");
    secret_text_member(&body, "clientId", json_str(own->file, "clientId"));
    secret_text_member(&body, "refreshToken", json_str(own->file, "refreshToken"));
    secret_text_member(&body, "grantType", "refresh_token");
    secret_text_adds(&body, "}");
    const char *headers[] = {"content-type", "application/json", "DPoP", proof.bytes, NULL};
    struct transport_request request = {.change = TRANSPORT_READS,
                                        .endpoint = &endpoint,
                                        .method = "POST",
                                        .path = SIGNIN_PATH,
                                        .headers = headers,
                                        .body = body.data,
                                        .body_len = body.len,
                                        .secret_body = true,
                                        .max_tries = 1,
                                        .what = "renewal of the console login"};
    source_send(s, &request, on_renewed);
  }
  endpoint_fini(&endpoint);
  secret_fini(&key);
  secret_fini(&proof);
  secret_text_fini(&body);
  return e;
}

static void console_start(struct source *s)
{
  struct console_own *own = s->own;
  struct credentials keys;
  credentials_init(&keys);
  struct err e = read_file(own);
  if (!err_is(&e))
    e = keys_of_file(s, own->file, &keys);
  bool renewable = json_str(own->file, "refreshToken") != NULL && json_str(own->file, "dpopKey") != NULL &&
                   json_str(own->file, "clientId") != NULL;
  bool soon = !err_is(&e) && keys.expires_ms - login_now_ms(s->login) <= RENEW_AHEAD;
  credentials_fini(&keys);
  if (err_is(&e)) {
    console_fail(s, e);
    return;
  }
  if (soon && renewable) {
    e = renew(s);
    if (!err_is(&e))
      return; /* the answer goes on */
    log_write(LOG_WARN, "login %s: %s", s->label, err_message(&e));
    err_fini(&e);
  }
  finish(s);
}

static void console_cancel(struct source *s)
{
  file_drop(s->own);
}

static void console_free(struct source *s)
{
  struct console_own *own = s->own;
  file_drop(own);
  free(own->session);
  free(own->path);
  free(own->url);
}

static const struct source_ops console_ops = {
    .start = console_start, .cancel = console_cancel, .free_own = console_free};

struct err source_console_login(struct login *l, const char *profile, struct source **out)
{
  const char *folder = aws_config_env(l->config, "AWS_LOGIN_CACHE_DIRECTORY");
  char *path = aws_config_expand_path(l->config, folder != NULL ? folder : "~/.aws/login/cache");
  if (path == NULL)
    return err_new(ERR_CONFIG,
                   "the cache of console logins is not found: there is no home directory (HOME is not set)");
  struct source *s = source_new(l, &console_ops, sizeof(struct console_own), profile);
  struct console_own *own = s->own;
  char hex[DIGEST_SHA256_HEX];
  own->session = xstrdup(aws_config_get(l->config, profile, "login_session"));
  digest_sha256_hex(own->session, strlen(own->session), hex);
  own->path = xasprintf("%s/%s.json", path, hex);
  s->watch = xstrdup(own->path);
  s->label = xasprintf("console login %s", profile);
  s->where = xasprintf("console login of profile %s", profile);
  free(path);
  *out = s;
  return err_ok();
}
