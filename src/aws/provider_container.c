/* Keys from the endpoint of a container (ECS, EKS Pod Identity). */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "aws/secret_text.h"
#include "base/json.h"
#include "base/xalloc.h"

#define CONTAINER_HOST  "http://169.254.170.2"
#define CONTAINER_LIMIT (2 * WHEN_SECOND)
#define CONTAINER_TRIES 3
#define TOKEN_FILE_MAX  65536

struct container_own {
  char *base; /* scheme://host[:port], a path with it for the full form */
  char *path; /* what follows, with the query; NULL: nothing */
};

bool source_container_there(const struct login *l)
{
  return aws_config_env(l->config, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != NULL ||
         aws_config_env(l->config, "AWS_CONTAINER_CREDENTIALS_FULL_URI") != NULL;
}

/* Without TLS only where nobody else can listen: this machine, and the addresses of ECS and EKS. */
static bool host_may_be_plain(const struct endpoint *e)
{
  static const char *const hosts[] = {"localhost", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "[::1]"};
  const char *host = e->host;
  size_t len = strlen(host);
  const char *colon = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
  if (colon != NULL)
    len = (size_t)(colon - host) + (host[0] == '[' ? 1 : 0);
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    if (strlen(hosts[i]) == len && strncasecmp(hosts[i], host, len) == 0)
      return true;
  }
  /* 127.0.0.0/8 as four numbers: "127.evil.example" is somebody's name. */
  return len > 4 && strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") >= len;
}

/* Into s->own out of the variables. */
static struct err container_address(const struct aws_config *c, struct container_own *own)
{
  const char *relative = aws_config_env(c, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const char *full = aws_config_env(c, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative != NULL) {
    if (relative[0] != '/')
      return err_new(ERR_CONFIG, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash");
    own->base = xstrdup(CONTAINER_HOST);
    own->path = xstrdup(relative);
    return err_ok();
  }
  const char *scheme = strstr(full, "://");
  size_t host = scheme != NULL ? (size_t)(scheme - full) + 3 : 0;
  size_t split = host + strcspn(full + host, "/?#");
  own->base = xstrndup(full, split);
  own->path = full[split] == '/' ? xstrdup(full + split) : xasprintf("/%s", full + split);
  struct endpoint endpoint;
  struct err e = endpoint_from_url(own->base, "", "", &endpoint);
  if (!err_is(&e) && strncmp(endpoint.url, "https://", 8) != 0 && !host_may_be_plain(&endpoint))
    e = err_new(ERR_CONFIG, "%s is neither https nor an address of this machine or container", own->base);
  err_set_what(&e, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  endpoint_fini(&endpoint);
  return e;
}

/* The value of Authorization; empty: none. The file wins, and is read each time. */
static struct err container_token(const struct login *l, struct secret *out)
{
  const char *file = aws_config_env(l->config, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (file != NULL) {
    struct err e = secret_file_read(file, TOKEN_FILE_MAX, out);
    if (err_is(&e)) {
      e.kind = ERR_CREDENTIALS;
      err_set_what(&e, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
      return e;
    }
  } else {
    secret_set_str(out, aws_config_env(l->config, "AWS_CONTAINER_AUTHORIZATION_TOKEN"));
  }
  /* A line end in the value would be a header of its own. */
  if (!secret_empty(out) && (strpbrk(out->bytes, "\r\n") != NULL || strlen(out->bytes) != out->len))
    return err_new(ERR_CREDENTIALS, "the authorization token of the container holds a line end");
  return err_ok();
}

static void container_answered(struct source *s, const struct transport_answer *answer)
{
  static const struct key_names names = {.id = "AccessKeyId",
                                         .secret = "SecretAccessKey",
                                         .token = "Token",
                                         .expiry = "Expiration",
                                         .account = "AccountId"};
  struct err e = err_ok();
  struct credentials keys;
  credentials_init(&keys);
  if (err_is(&answer->err)) {
    e = login_answer_error(answer, ERR_CREDENTIALS, "keys of the container", NULL);
  } else {
    cJSON *tree = secret_json_parse(answer->body, answer->body_len);
    e = tree == NULL ? err_new(ERR_PARSE, "the answer is not JSON") : login_keys_of_json(tree, &names, &keys);
    err_set_what(&e, "keys of the container");
    secret_json_free(tree);
  }
  if (err_is(&e))
    source_fail(s, e);
  else
    source_done(s, &keys);
  credentials_fini(&keys);
}

static void container_start(struct source *s)
{
  const struct container_own *own = s->own;
  struct secret token = {0};
  struct endpoint endpoint = {0};
  char *path = xstrdup(own->path);
  struct err e = container_token(s->login, &token);
  if (!err_is(&e))
    e = endpoint_from_url(own->base, "", "", &endpoint);
  if (!err_is(&e)) {
    char *query = strchr(path, '?');
    if (query != NULL)
      *query++ = '\0';
    const char *headers[] = {"accept", "application/json", secret_empty(&token) ? NULL : "Authorization", token.bytes,
                             NULL};
    struct transport_request request = {.change = TRANSPORT_READS,
                                        .endpoint = &endpoint,
                                        .method = "GET",
                                        .path = path,
                                        .query = query,
                                        .headers = headers,
                                        .secret_body = true,
                                        .connect_timeout_ms = CONTAINER_LIMIT,
                                        .total_timeout_ms = CONTAINER_LIMIT,
                                        .max_tries = CONTAINER_TRIES,
                                        .no_proxy = true,
                                        .what = "keys of the container"};
    source_send(s, &request, container_answered);
  }
  endpoint_fini(&endpoint);
  secret_fini(&token);
  free(path);
  if (err_is(&e))
    source_fail(s, e);
}

static void container_free(struct source *s)
{
  struct container_own *own = s->own;
  free(own->base);
  free(own->path);
}

static const struct source_ops container_ops = {
    .start = container_start, .free_own = container_free, .role_session = true, .heals_alone = true};

struct err source_container(struct login *l, struct source **out)
{
  struct source *s = source_new(l, &container_ops, sizeof(struct container_own), NULL);
  s->label = xstrdup("container");
  s->where = xstrdup("the container's role");
  struct err e = container_address(l->config, s->own);
  if (err_is(&e)) {
    source_free(s);
    return e;
  }
  *out = s;
  return e;
}
