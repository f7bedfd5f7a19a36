/* Keys of the machine: instance metadata (version 2 only), the container's endpoint, and the renewal of a console login. */
#include "sim/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "sim/private.h"

#define ROLE_PATH "/latest/meta-data/iam/security-credentials/"

static void say(struct sim_call *call, int status, const char *text)
{
  call->content_type = "text/plain";
  call->status = status;
  buf_reset(call->body);
  buf_adds(call->body, text);
}

static void put(struct sim_call *call, const char *name, const char *value)
{
  jw_name(&call->out, name);
  jw_str(&call->out, value);
}

/* --- instance ------------------------------------------------------------------------------------------------------- */

static void put_metadata_token(struct sim_call *call)
{
  const char *ttl = sim_http_header(call->http, "x-aws-ec2-metadata-token-ttl-seconds");
  long seconds = ttl != NULL ? strtol(ttl, NULL, 10) : 0;
  if (seconds < 1 || seconds > 21600)
    say(call, 400, "Bad Request");
  else
    say(call, 200, sim_issue_ticket(call->world, TICKET_METADATA, call->clock_ms + seconds * WHEN_SECOND)->text);
}

static bool has_metadata_token(struct sim_call *call)
{
  const char *token = sim_http_header(call->http, "x-aws-ec2-metadata-token");
  bool good = sim_find_ticket(call->world, TICKET_METADATA, token) != NULL;
  if (!good)
    say(call, 401, "Unauthorized");
  return good;
}

static void put_keys(struct sim_call *call, const char *session, bool coded)
{
  char until[WHEN_TEXT_MAX];
  char *arn = xasprintf("arn:aws:sts::%s:assumed-role/%s", call->world->account_id, session);
  const struct sim_key *key = sim_issue_key(call->world, call->world->account_id, arn, 0);
  jw_object(&call->out);
  if (coded) {
    put(call, "Code", "Success");
    put(call, "Type", "AWS-HMAC");
    put(call, "LastUpdated", when_format_iso(call->clock_ms, until));
  }
  put(call, "AccessKeyId", key->access_key);
  put(call, "SecretAccessKey", key->secret_key);
  put(call, "Token", key->session_token);
  put(call, "Expiration", when_format_iso(key->expires_ms, until));
  jw_end_object(&call->out);
  free(arn);
}

static void get_instance_keys(struct sim_call *call)
{
  const char *role = call->http->uri + strlen(ROLE_PATH);
  if (!has_metadata_token(call))
    return;
  if (role[0] == '\0')
    say(call, 200, SIM_INSTANCE_ROLE);
  else if (strcmp(role, SIM_INSTANCE_ROLE) == 0)
    put_keys(call, SIM_INSTANCE_ROLE "/i-0123456789abcdef0", true);
  else
    say(call, 404, "Not Found");
}

static void get_placement(struct sim_call *call)
{
  if (!has_metadata_token(call))
    return;
  if (strstr(call->http->uri, "/region") != NULL)
    say(call, 200, call->world->account_region);
  else if (strstr(call->http->uri, "/availability-zone") != NULL) {
    say(call, 200, call->world->account_region);
    buf_addc(call->body, 'a');
  } else
    say(call, 404, "Not Found");
}

/* --- container ------------------------------------------------------------------------------------------------------ */

static void get_container_keys(struct sim_call *call)
{
  const char *token = sim_http_header(call->http, "authorization");
  if (token == NULL || strcmp(token, SIM_CONTAINER_TOKEN) != 0)
    say(call, 401, "{\"code\":\"InvalidToken\",\"message\":\"the authorization token is not good\"}");
  else
    put_keys(call, "gluesim-task-role/0123456789abcdef0123456789abcdef", false);
}

/* --- sign-in -------------------------------------------------------------------------------------------------------- */

/* The proof of possession is only looked at for its form: three parts, the first of which is a JSON header. */
static bool proof_is_formed(const char *proof)
{
  const char *first = proof != NULL ? strchr(proof, '.') : NULL;
  const char *second = first != NULL ? strchr(first + 1, '.') : NULL;
  return second != NULL && strncmp(proof, "eyJ", 3) == 0 && strlen(second + 1) == 86;
}

static void create_oauth2_token(struct sim_call *call)
{
  const char *refresh = json_str(call->in, "refreshToken");
  bool known = refresh != NULL && (strcmp(refresh, SIM_SIGNIN_REFRESH) == 0 ||
                                   sim_find_ticket(call->world, TICKET_SIGNIN_REFRESH, refresh) != NULL);
  if (!known || !proof_is_formed(sim_http_header(call->http, "dpop"))) {
    sim_fail(call, "AccessDeniedException", "%s", "the login has ended");
    call->status = 401;
    jw_object(&call->out);
    put(call, "error", "TOKEN_EXPIRED");
    put(call, "message", "the login has ended");
    jw_end_object(&call->out);
    return;
  }
  char *arn = xasprintf("arn:aws:sts::%s:assumed-role/console/oncall", call->world->account_id);
  const struct sim_key *key = sim_issue_key(call->world, call->world->account_id, arn, 900);
  jw_object(&call->out);
  jw_name(&call->out, "accessToken");
  jw_object(&call->out);
  put(call, "accessKeyId", key->access_key);
  put(call, "secretAccessKey", key->secret_key);
  put(call, "sessionToken", key->session_token);
  jw_end_object(&call->out);
  put(call, "tokenType", "urn:aws:params:oauth:token-type:access_token_sigv4");
  jw_name(&call->out, "expiresIn");
  jw_i64(&call->out, (key->expires_ms - call->clock_ms) / 1000);
  put(call, "refreshToken", sim_issue_ticket(call->world, TICKET_SIGNIN_REFRESH, INT64_MAX)->text);
  jw_end_object(&call->out);
  free(arn);
}

static const struct sim_operation operations[] = {
    {.name = "InstanceToken", .run = put_metadata_token, .open = true, .method = "PUT", .path = "/latest/api/token"},
    {.name = "InstanceKeys", .run = get_instance_keys, .open = true, .method = "GET", .path = ROLE_PATH},
    {.name = "InstancePlacement",
     .run = get_placement,
     .open = true,
     .method = "GET",
     .path = "/latest/meta-data/placement/"},
    {.name = "ContainerKeys", .run = get_container_keys, .open = true, .method = "GET", .path = "/v2/credentials/"},
    {.name = "PodKeys", .run = get_container_keys, .open = true, .method = "GET", .path = "/v1/credentials"},
    {.name = "CreateOAuth2Token", .run = create_oauth2_token, .open = true, .method = "POST", .path = "/v1/token"},
    {.name = NULL},
};

const struct sim_service sim_metadata = {
    .signing_name = "metadata", .protocol = SIM_REST, .target_prefix = "", .operations = operations};
