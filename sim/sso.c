/* IAM Identity Center: the portal that gives keys of roles for a bearer token, and the OIDC service that gives the tokens.
 *
 * A person agrees to a device code by opening its page: GET /device?user_code=CODE (and &answer=no to refuse). */
#include "sim/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "sim/private.h"

#define CODE_LIFETIME  (10 * WHEN_MINUTE)
#define TOKEN_LIFETIME INT64_C(28800) /* seconds: eight hours */
#define POLL_SECONDS   1

/* The shape of OIDC's errors. */
static void refuse(struct sim_call *call, int status, const char *word, const char *code, const char *text)
{
  sim_fail(call, code, "%s", text);
  call->status = status;
  buf_reset(call->body);
  jw_init(&call->out, call->body, false);
  jw_object(&call->out);
  jw_name(&call->out, "__type");
  jw_str(&call->out, code);
  if (word != NULL) {
    jw_name(&call->out, "error");
    jw_str(&call->out, word);
  }
  jw_name(&call->out, word != NULL ? "error_description" : "message");
  jw_str(&call->out, text);
  jw_end_object(&call->out);
}

static void put(struct sim_call *call, const char *name, const char *value)
{
  jw_name(&call->out, name);
  jw_str(&call->out, value);
}

static void put_number(struct sim_call *call, const char *name, int64_t value)
{
  jw_name(&call->out, name);
  jw_i64(&call->out, value);
}

/* --- portal --------------------------------------------------------------------------------------------------------- */

static void get_role_credentials(struct sim_call *call)
{
  const char *token = sim_http_header(call->http, "x-amz-sso_bearer_token");
  const char *role = sim_query(call, "role_name"), *account = sim_query(call, "account_id");
  bool known = token != NULL && (strcmp(token, SIM_SSO_TOKEN) == 0 || sim_find_ticket(call->world, TICKET_SSO, token));
  if (!known) {
    refuse(call, 401, NULL, "UnauthorizedException", "Session token not found or invalid");
    return;
  }
  if (role == NULL || account == NULL || strlen(account) != 12 || strspn(account, "0123456789") != 12 ||
      strlen(role) > 64 ||
      strspn(role, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=,.@-") != strlen(role)) {
    refuse(call, 400, NULL, "InvalidRequestException", "role_name and account_id must be given");
    return;
  }
  if (strstr(role, "Denied") != NULL) {
    refuse(call, 403, NULL, "ForbiddenException", "No access");
    return;
  }
  char *arn = xasprintf("arn:aws:sts::%s:assumed-role/AWSReservedSSO_%s_0123456789abcdef/oncall", account, role);
  const struct sim_key *key = sim_issue_key(call->world, account, arn, 0);
  jw_object(&call->out);
  jw_name(&call->out, "roleCredentials");
  jw_object(&call->out);
  put(call, "accessKeyId", key->access_key);
  put(call, "secretAccessKey", key->secret_key);
  put(call, "sessionToken", key->session_token);
  put_number(call, "expiration", key->expires_ms); /* milliseconds, here alone */
  jw_end_object(&call->out);
  jw_end_object(&call->out);
  free(arn);
}

/* --- OIDC ----------------------------------------------------------------------------------------------------------- */

static void register_client(struct sim_call *call)
{
  if (json_str(call->in, "clientName") == NULL || json_str(call->in, "clientType") == NULL) {
    refuse(call, 400, "invalid_request", "InvalidRequestException", "clientName and clientType must be given");
    return;
  }
  jw_object(&call->out);
  put(call, "clientId", SIM_SSO_CLIENT);
  put(call, "clientSecret", SIM_SSO_SECRET);
  put_number(call, "clientIdIssuedAt", call->clock_ms / 1000);
  put_number(call, "clientSecretExpiresAt", call->clock_ms / 1000 + INT64_C(90) * 86400);
  jw_end_object(&call->out);
}

static bool client_is_good(struct sim_call *call)
{
  const char *id = json_str(call->in, "clientId"), *secret = json_str(call->in, "clientSecret");
  bool good = id != NULL && secret != NULL && strcmp(id, SIM_SSO_CLIENT) == 0 && strcmp(secret, SIM_SSO_SECRET) == 0;
  if (!good)
    refuse(call, 401, "invalid_client", "InvalidClientException", "the client is not registered");
  return good;
}

static void start_device_authorization(struct sim_call *call)
{
  if (!client_is_good(call))
    return;
  const struct sim_ticket *t = sim_issue_ticket(call->world, TICKET_DEVICE, call->clock_ms + CODE_LIFETIME);
  const char *host = sim_http_header(call->http, "host");
  char *page = xasprintf("http://%.200s/device", host != NULL ? host : "127.0.0.1");
  char *complete = xasprintf("%s?user_code=%s", page, t->user_code);
  jw_object(&call->out);
  put(call, "deviceCode", t->text);
  put(call, "userCode", t->user_code);
  put(call, "verificationUri", page);
  put(call, "verificationUriComplete", complete);
  put_number(call, "expiresIn", CODE_LIFETIME / 1000);
  put_number(call, "interval", POLL_SECONDS);
  jw_end_object(&call->out);
  free(page);
  free(complete);
}

static void give_token(struct sim_call *call)
{
  const struct sim_ticket *t = sim_issue_ticket(call->world, TICKET_SSO, call->clock_ms + TOKEN_LIFETIME * WHEN_SECOND);
  jw_object(&call->out);
  put(call, "accessToken", t->text);
  put(call, "tokenType", "Bearer");
  put_number(call, "expiresIn", TOKEN_LIFETIME);
  put(call, "refreshToken", sim_issue_ticket(call->world, TICKET_SSO_REFRESH, INT64_MAX)->text);
  jw_end_object(&call->out);
}

static void device_token(struct sim_call *call)
{
  struct sim_ticket *t = sim_find_ticket(call->world, TICKET_DEVICE, json_str(call->in, "deviceCode"));
  if (t == NULL) {
    refuse(call, 400, "invalid_grant", "InvalidGrantException", "the device code is not known");
    return;
  }
  bool hasty = t->polled_ms != INT64_MIN && call->clock_ms - t->polled_ms < POLL_SECONDS * WHEN_SECOND;
  t->polled_ms = call->clock_ms;
  if (call->clock_ms >= t->ends_ms)
    refuse(call, 400, "expired_token", "ExpiredTokenException", "the device code has expired");
  else if (t->answer == DEVICE_REFUSED)
    refuse(call, 400, "access_denied", "AccessDeniedException", "the person has refused");
  else if (t->answer == DEVICE_AGREED)
    give_token(call);
  else if (hasty)
    refuse(call, 400, "slow_down", "SlowDownException", "asked too often");
  else
    refuse(call, 400, "authorization_pending", "AuthorizationPendingException", "nobody has agreed yet");
}

static void create_token(struct sim_call *call)
{
  const char *grant = json_str(call->in, "grantType"), *refresh = json_str(call->in, "refreshToken");
  if (!client_is_good(call))
    return;
  if (grant != NULL && strcmp(grant, "urn:ietf:params:oauth:grant-type:device_code") == 0)
    device_token(call);
  else if (grant == NULL || strcmp(grant, "refresh_token") != 0)
    refuse(call, 400, "unsupported_grant_type", "UnsupportedGrantTypeException", "that grant is not known");
  else if (refresh != NULL &&
           (strcmp(refresh, SIM_SSO_REFRESH) == 0 || sim_find_ticket(call->world, TICKET_SSO_REFRESH, refresh) != NULL))
    give_token(call);
  else
    refuse(call, 400, "invalid_grant", "InvalidGrantException", "the refresh token is not good");
}

static void open_device_page(struct sim_call *call)
{
  const char *code = sim_query(call, "user_code"), *answer = sim_query(call, "answer");
  struct sim_ticket *found = NULL;
  for (size_t i = 0; code != NULL && i < call->world->ticket_count; i++)
    if (call->world->tickets[i].kind == TICKET_DEVICE && strcmp(call->world->tickets[i].user_code, code) == 0)
      found = &call->world->tickets[i];
  call->content_type = "text/plain";
  call->status = found != NULL ? 200 : 404;
  if (found != NULL)
    found->answer = answer != NULL && strcmp(answer, "no") == 0 ? DEVICE_REFUSED : DEVICE_AGREED;
  buf_adds(call->body, found == NULL                     ? "That code is not known.\n"
                       : found->answer == DEVICE_REFUSED ? "Refused.\n"
                                                         : "Agreed. You may close this page.\n");
}

static const struct sim_operation operations[] = {
    {.name = "GetRoleCredentials",
     .run = get_role_credentials,
     .open = true,
     .method = "GET",
     .path = "/federation/credentials"},
    {.name = "RegisterClient", .run = register_client, .open = true, .method = "POST", .path = "/client/register"},
    {.name = "StartDeviceAuthorization",
     .run = start_device_authorization,
     .open = true,
     .method = "POST",
     .path = "/device_authorization"},
    {.name = "CreateToken", .run = create_token, .open = true, .method = "POST", .path = "/token"},
    {.name = "DevicePage", .run = open_device_page, .open = true, .method = "GET", .path = "/device"},
    {.name = NULL},
};

const struct sim_service sim_sso = {
    .signing_name = "sso", .protocol = SIM_REST, .target_prefix = "", .operations = operations};
