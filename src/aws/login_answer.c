/* What providers share: answers' errors, keys in JSON, names in ARNs. */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/xalloc.h"

bool login_is_trouble(enum err_kind kind)
{
  switch (kind) {
  case ERR_NETWORK:
  case ERR_TLS:
  case ERR_TIMEOUT:
  case ERR_SERVER:
  case ERR_THROTTLED:
  case ERR_SKEW:
    return true;
  case ERR_OK:
  case ERR_USAGE:
  case ERR_CONFIG:
  case ERR_CREDENTIALS:
  case ERR_EXPIRED:
  case ERR_DENIED:
  case ERR_NOT_FOUND:
  case ERR_CONFLICT:
  case ERR_LIMIT:
  case ERR_PARSE:
  case ERR_TOO_BIG:
  case ERR_CANCELLED:
  case ERR_UNCERTAIN:
  case ERR_IO:
  case ERR_KIND_COUNT:
    break;
  }
  return false;
}

struct err login_answer_error(const struct transport_answer *answer, enum err_kind kind, const char *what,
                              const char *message)
{
  bool trouble = login_is_trouble(answer->err.kind);
  const struct err_detail *d = answer->err.detail;
  const char *text = message != NULL && !trouble ? message : err_message(&answer->err);
  struct err e = err_new(trouble ? answer->err.kind : kind, "%s", text[0] != '\0' ? text : "the service refused");
  err_set_what(&e, "%s", what);
  if (d != NULL)
    err_set_http(&e, d->http_status, d->code, d->request_id);
  else
    err_set_http(&e, answer->status, NULL, answer->request_id);
  return e;
}

struct err login_keys_of_json(const struct cJSON *object, const struct key_names *names, struct credentials *out)
{
  const char *id = json_str(object, names->id);
  const char *secret = json_str(object, names->secret);
  if (id == NULL || id[0] == '\0' || secret == NULL || secret[0] == '\0')
    return err_new(ERR_CREDENTIALS, "%s is missing", id == NULL || id[0] == '\0' ? names->id : names->secret);
  out->expires_ms = WHEN_NONE;
  if (names->expiry != NULL) {
    const cJSON *until = json_get(object, names->expiry);
    bool absent = until == NULL || cJSON_IsNull(until);
    if (!absent && !(cJSON_IsString(until) && when_parse_iso(until->valuestring, &out->expires_ms)))
      return err_new(ERR_CREDENTIALS, "%s is not a time like 2030-01-01T00:00:00Z", names->expiry);
  }
  free(out->account);
  free(out->access_key_id);
  out->access_key_id = xstrdup(id);
  secret_set_str(&out->secret_access_key, secret);
  secret_set_str(&out->session_token, names->token != NULL ? json_str(object, names->token) : NULL);
  out->account = xstrdup(names->account != NULL ? json_str(object, names->account) : NULL);
  return err_ok();
}

const char *arn_last(const char *arn)
{
  const char *slash = strrchr(arn, '/');
  const char *colon = strrchr(arn, ':');
  const char *at = slash != NULL ? slash : colon;
  return at != NULL ? at + 1 : arn;
}

char *arn_account(const char *arn)
{
  const char *at = arn;
  for (int i = 0; i < 4; i++) {
    at = strchr(at, ':');
    if (at == NULL)
      return NULL;
    at++;
  }
  size_t len = strcspn(at, ":");
  return len > 0 ? xstrndup(at, len) : NULL;
}
