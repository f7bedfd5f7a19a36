/* Keys and Region of the instance (EC2): the metadata service, version 2, in under three seconds when nothing answers.
 *
 * A session token first, then the role's name, then its keys. Where the token call gets no answer or an old "no such page", version 1 is
 * tried, unless that is forbidden. Keys that the service hands out though they have ended are used on (static stability): it does so while
 * it cannot get new ones itself, and the other services take them. */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "aws/secret_text.h"
#include "base/json.h"
#include "base/xalloc.h"

#define INSTANCE_IPV4   "http://169.254.169.254"
#define INSTANCE_IPV6   "http://[fd00:ec2::254]"
#define INSTANCE_EACH   WHEN_SECOND
#define INSTANCE_WHOLE  (2800)
#define ROLE_PATH       "/latest/meta-data/iam/security-credentials/"
#define ROLE_NAME_MAX   512
#define STABILITY_PAUSE (15 * WHEN_MINUTE)

struct instance_own {
  char *base;
  int64_t each_ms; /* limit of one request */
  int64_t whole_ms;
  int64_t deadline_ms; /* monotonic */
  int tries;
  bool no_v1;
  bool region_only;
  struct secret token; /* of version 2; empty: version 1 */
  char *role;
};

bool source_instance_allowed(const struct login *l)
{
  const char *off = aws_config_env(l->config, "AWS_EC2_METADATA_DISABLED");
  return off == NULL || strcasecmp(off, "true") != 0;
}

static void instance_failed(struct source *s, struct err take)
{
  const struct instance_own *own = s->own;
  if (own->region_only) {
    /* Not to be had here: a login without a Region says so by itself. */
    err_fini(&take);
    s->login->region_settled = true;
    s->busy = false;
    return;
  }
  source_fail(s, take);
}

static struct err no_answer(const struct source *s, const struct transport_answer *answer)
{
  const struct instance_own *own = s->own;
  struct err e = err_new(ERR_CREDENTIALS,
                         "no credentials: none in the environment or in a profile, and the instance metadata at %s %s",
                         own->base, answer->err.kind == ERR_TIMEOUT ? "does not answer" : "is not there");
  err_set_hint(&e, answer->err.kind == ERR_TIMEOUT
                       ? "Log in (`aws sso login`, `aws login`) or choose a profile; in a container on EC2 the "
                         "instance's hop limit must "
                         "be 2 (`aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2`)."
                       : "Log in (`aws sso login`, `aws login`) or choose a profile (--profile, AWS_PROFILE).");
  return e;
}

static void instance_ask(struct source *s, const char *method, const char *path, source_answer_fn *done)
{
  struct instance_own *own = s->own;
  struct endpoint endpoint = {0};
  struct err e = endpoint_from_url(own->base, "", "", &endpoint);
  int64_t left = own->deadline_ms - login_mono_ms(s->login);
  if (err_is(&e)) {
    err_set_what(&e, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  } else if (left <= 0) {
    e = err_new(ERR_CREDENTIALS, "the instance metadata at %s is too slow", own->base);
  } else {
    bool put = strcmp(method, "PUT") == 0;
    const char *headers[] = {NULL, NULL, NULL};
    if (put) {
      headers[0] = "x-aws-ec2-metadata-token-ttl-seconds";
      headers[1] = "21600";
    } else if (!secret_empty(&own->token)) {
      headers[0] = "x-aws-ec2-metadata-token";
      headers[1] = own->token.bytes;
    }
    int64_t limit = left < own->each_ms ? left : own->each_ms;
    struct transport_request request = {.change = TRANSPORT_READS,
                                        .endpoint = &endpoint,
                                        .method = method,
                                        .path = path,
                                        .headers = headers,
                                        .secret_body = true,
                                        .connect_timeout_ms = limit,
                                        .total_timeout_ms = limit,
                                        .max_tries = own->tries,
                                        .no_proxy = true,
                                        .what = "instance metadata"};
    source_send(s, &request, done);
  }
  endpoint_fini(&endpoint);
  if (err_is(&e))
    instance_failed(s, e);
}

/* Spread over the machines of a fleet, so that they do not all come at once: 2 to 10 minutes, by the key's name. */
static int64_t stability_jitter(const struct credentials *keys)
{
  unsigned hash = 2166136261u;
  for (const char *p = keys->access_key_id; *p != '\0'; p++)
    hash = (hash ^ (unsigned char)*p) * 16777619u;
  return 2 * WHEN_MINUTE + (int64_t)(hash % (8 * 60)) * WHEN_SECOND;
}

static struct err keys_of_answer(const struct source *s, const struct transport_answer *answer,
                                 struct credentials *keys)
{
  static const struct key_names names = {
      .id = "AccessKeyId", .secret = "SecretAccessKey", .token = "Token", .expiry = "Expiration"};
  cJSON *tree = secret_json_parse(answer->body, answer->body_len);
  const char *code = json_str(tree, "Code");
  struct err e = err_ok();
  if (!cJSON_IsObject(tree)) {
    e = err_new(ERR_PARSE, "the answer of the instance metadata is not JSON");
  } else if (code != NULL && strcasecmp(code, "Success") != 0) {
    const char *message = json_str(tree, "Message");
    e = err_new(ERR_CREDENTIALS, "the instance metadata says %s%s%s", code, message != NULL ? ": " : "",
                message != NULL ? message : "");
    err_set_hint(&e, "Look at the role of the instance and its trust policy.");
  } else {
    e = login_keys_of_json(tree, &names, keys);
    err_set_what(&e, "instance metadata");
  }
  int64_t now = login_now_ms(s->login);
  if (!err_is(&e) && keys->expires_ms != WHEN_NONE && keys->expires_ms <= now)
    keys->expires_ms = now + STABILITY_PAUSE + stability_jitter(keys);
  secret_json_free(tree);
  return e;
}

static void on_keys(struct source *s, const struct transport_answer *answer)
{
  const struct instance_own *own = s->own;
  struct credentials keys;
  credentials_init(&keys);
  struct err e = err_is(&answer->err) ? login_answer_error(answer, ERR_CREDENTIALS, "instance metadata", NULL)
                                      : keys_of_answer(s, answer, &keys);
  if (err_is(&e)) {
    source_fail(s, e);
  } else {
    free(s->label);
    s->label = xasprintf("instance role %s", own->role);
    free(s->where);
    s->where = xasprintf("instance role %s", own->role);
    source_done(s, &keys);
  }
  credentials_fini(&keys);
}

/* A word of the metadata's: up to the first line end. NULL: nothing that could be one. */
static char *plain_word(const struct transport_answer *answer, const char *letters)
{
  size_t len = 0;
  while (len < answer->body_len && (unsigned char)answer->body[len] > ' ')
    len++;
  if (len == 0 || len > ROLE_NAME_MAX)
    return NULL;
  char *word = xstrndup(answer->body, len);
  if (strspn(word, letters) == strlen(word))
    return word;
  free(word);
  return NULL;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static void on_role(struct source *s, const struct transport_answer *answer)
{
  struct instance_own *own = s->own;
  struct err e = err_ok();
  free(own->role);
  own->role = err_is(&answer->err) ? NULL : plain_word(answer, LETTERS "+=,.@_-");
  if (err_is(&answer->err) && answer->status == 0) {
    e = no_answer(s, answer);
  } else if (answer->status == 404) {
    e = err_new(ERR_CREDENTIALS, "this instance has no role");
    err_set_hint(&e, "Attach an instance profile, or log in and choose a profile (--profile, AWS_PROFILE).");
  } else if (err_is(&answer->err)) {
    e = login_answer_error(answer, ERR_CREDENTIALS, "instance metadata", NULL);
    if (answer->status == 401)
      err_set_hint(&e, "The instance demands version 2 of its metadata service, whose token call was refused.");
  } else if (own->role == NULL) {
    e = err_new(ERR_PARSE, "the instance metadata gives no name of a role");
  }
  if (err_is(&e)) {
    source_fail(s, e);
    return;
  }
  char *path = xasprintf("%s%s", ROLE_PATH, own->role);
  instance_ask(s, "GET", path, on_keys);
  free(path);
}

static void on_region(struct source *s, const struct transport_answer *answer)
{
  struct login *l = s->login;
  char *region = err_is(&answer->err) ? NULL : plain_word(answer, LETTERS "-");
  if (region != NULL && l->region == NULL) {
    l->region = region;
    free(l->region_source);
    l->region_source = xstrdup("instance metadata");
    region = NULL;
  }
  free(region);
  l->region_settled = true;
  s->busy = false;
}

static void ask_what_for(struct source *s)
{
  const struct instance_own *own = s->own;
  if (own->region_only)
    instance_ask(s, "GET", "/latest/meta-data/placement/region", on_region);
  else
    instance_ask(s, "GET", ROLE_PATH, on_role);
}

static void on_token(struct source *s, const struct transport_answer *answer)
{
  struct instance_own *own = s->own;
  bool old = answer->status == 403 || answer->status == 404 || answer->status == 405 || answer->err.kind == ERR_TIMEOUT;
  if (!err_is(&answer->err) && answer->body_len > 0 && strpbrk(answer->body, "\r\n") == NULL) {
    secret_set(&own->token, answer->body, answer->body_len);
    ask_what_for(s);
  } else if (old && !own->no_v1) {
    secret_fini(&own->token);
    ask_what_for(s);
  } else if (answer->status == 0) {
    instance_failed(s, no_answer(s, answer));
  } else {
    struct err e = err_is(&answer->err) ? login_answer_error(answer, ERR_CREDENTIALS, "instance metadata", NULL)
                                        : err_new(ERR_PARSE, "the instance metadata gives no token");
    instance_failed(s, e);
  }
}

static void instance_start(struct source *s)
{
  struct instance_own *own = s->own;
  own->deadline_ms = login_mono_ms(s->login) + own->whole_ms;
  secret_fini(&own->token);
  instance_ask(s, "PUT", "/latest/api/token", on_token);
}

static void instance_free(struct source *s)
{
  struct instance_own *own = s->own;
  free(own->base);
  free(own->role);
  secret_fini(&own->token);
}

static const struct source_ops instance_ops = {
    .start = instance_start, .free_own = instance_free, .role_session = true, .heals_alone = true};

static long env_number(const struct aws_config *c, const char *name, long fallback, long most)
{
  const char *text = aws_config_env(c, name);
  char *end = NULL;
  long value = text != NULL ? strtol(text, &end, 10) : 0;
  return text != NULL && end != text && *end == '\0' && value >= 1 && value <= most ? value : fallback;
}

static struct source *instance_new(struct login *l)
{
  const struct aws_config *c = l->config;
  struct source *s = source_new(l, &instance_ops, sizeof(struct instance_own), NULL);
  struct instance_own *own = s->own;
  const char *base = aws_config_env(c, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (base == NULL)
    base = aws_config_get(c, l->settings_profile, "ec2_metadata_service_endpoint");
  const char *mode = aws_config_env(c, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
  if (mode == NULL)
    mode = aws_config_get(c, l->settings_profile, "ec2_metadata_service_endpoint_mode");
  bool ipv6 = mode != NULL && strcasecmp(mode, "IPv6") == 0;
  own->base = xstrdup(base != NULL ? base : ipv6 ? INSTANCE_IPV6 : INSTANCE_IPV4);
  own->each_ms = env_number(c, "AWS_METADATA_SERVICE_TIMEOUT", 1, 60) * INSTANCE_EACH;
  own->tries = (int)env_number(c, "AWS_METADATA_SERVICE_NUM_ATTEMPTS", 1, 10);
  /* Who asks for longer limits means it. */
  own->whole_ms = own->each_ms == INSTANCE_EACH && own->tries == 1 ? INSTANCE_WHOLE : 4 * own->each_ms * own->tries;
  own->no_v1 = aws_config_flag(c, "AWS_EC2_METADATA_V1_DISABLED", l->settings_profile, "ec2_metadata_v1_disabled");
  s->label = xstrdup("instance role");
  s->where = xstrdup("instance role");
  return s;
}

struct err source_instance(struct login *l, struct source **out)
{
  if (!source_instance_allowed(l))
    return err_new(ERR_CREDENTIALS, "the instance metadata is wanted, but AWS_EC2_METADATA_DISABLED is true");
  *out = instance_new(l);
  return err_ok();
}

struct source *source_instance_region(struct login *l)
{
  struct source *s = instance_new(l);
  struct instance_own *own = s->own;
  own->region_only = true;
  return s;
}
