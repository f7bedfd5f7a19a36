/* STS answers that hold keys. They come as XML whatever is asked for. */
#include "aws/provider.h"

#include <stdlib.h>
#include <string.h>
#include "aws/secret_text.h"
#include "aws/xml.h"
#include "base/xalloc.h"

struct err sts_read_keys(const char *body, size_t len, struct credentials *out)
{
  enum { ID, SECRET, TOKEN, EXPIRY, ARN, COUNT };
  struct xml_want wants[COUNT] = {[ID] = {.path = "Credentials/AccessKeyId"},
                                  [SECRET] = {.path = "Credentials/SecretAccessKey"},
                                  [TOKEN] = {.path = "Credentials/SessionToken"},
                                  [EXPIRY] = {.path = "Credentials/Expiration"},
                                  [ARN] = {.path = "AssumedRoleUser/Arn"}};
  struct err e = xml_read(body, len, wants, COUNT);
  if (!err_is(&e)) {
    if (wants[ID].text == NULL || wants[SECRET].text == NULL || wants[TOKEN].text == NULL)
      e = err_new(ERR_PARSE, "the answer of STS holds no keys");
    else if (wants[EXPIRY].text == NULL || !when_parse_iso(wants[EXPIRY].text, &out->expires_ms))
      e = err_new(ERR_PARSE, "the answer of STS does not say when its keys end");
  }
  if (!err_is(&e)) {
    free(out->access_key_id);
    out->access_key_id = xstrdup(wants[ID].text);
    secret_set_str(&out->secret_access_key, wants[SECRET].text);
    secret_set_str(&out->session_token, wants[TOKEN].text);
    if (out->account == NULL && wants[ARN].text != NULL)
      out->account = arn_account(wants[ARN].text);
  }
  xml_wants_wipe(wants, COUNT);
  return e;
}

struct err sts_send(struct source *s, const char *region, const struct secret_text *body,
                    const struct credentials *keys, const char *what, source_answer_fn *done)
{
  struct endpoint endpoint;
  struct err e = login_endpoint(s->login, AWS_STS, s->profile, region, &endpoint);
  if (err_is(&e))
    return e;
  static const char *const headers[] = {"content-type", "application/x-www-form-urlencoded; charset=utf-8", NULL};
  struct transport_request request = {.change = TRANSPORT_READS,
                                      .endpoint = &endpoint,
                                      .method = "POST",
                                      .headers = headers,
                                      .body = body->data,
                                      .body_len = body->len,
                                      .secret_body = true,
                                      .credentials = keys,
                                      .what = what};
  source_send(s, &request, done);
  endpoint_fini(&endpoint);
  return err_ok();
}

const char *sts_region(const struct login *l, const char *profile, const char *role_arn)
{
  const char *region = profile != NULL ? aws_config_get(l->config, profile, "region") : NULL;
  if (region == NULL)
    region = l->region;
  if (region == NULL) {
    const char *begin = strchr(role_arn, ':');
    const char *end = begin != NULL ? strchr(begin + 1, ':') : NULL;
    char *partition = end != NULL ? xstrndup(begin + 1, (size_t)(end - begin) - 1) : xstrdup("aws");
    region = endpoint_partition_region(partition);
    free(partition);
  }
  return region;
}

struct err sts_check_session_name(const char *profile, const char *name)
{
  size_t good = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=,.@-");
  size_t len = strlen(name);
  if (good == len && len >= 2 && len <= 64)
    return err_ok();
  return err_new(ERR_CONFIG, "role_session_name of %s%s must be 2 to 64 letters, digits or _+=,.@-",
                 profile != NULL ? "profile " : "the environment", profile != NULL ? profile : "");
}
