/* The Security Token Service: who a key belongs to, and keys of roles. */
#include "sim/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "sim/private.h"
#include "sim/rng.h"

/* Who the key belongs to: long-term keys (AKIA…) are a user's, temporary ones (ASIA…) a role's session. */
static void get_caller_identity(struct sim_call *call)
{
  const char *id = call->account->id;
  const char *key = call->caller->access_key;
  const char *arn = call->key != NULL ? call->key->arn : NULL;
  bool session = key[0] == 'A' && key[1] == 'S';
  const char *name = arn != NULL ? strrchr(arn, '/') : NULL;
  if (arn != NULL)
    buf_addf(call->body, "  <GetCallerIdentityResult>\n    <Arn>%s</Arn>\n", arn);
  else
    buf_addf(call->body, "  <GetCallerIdentityResult>\n    <Arn>arn:aws:%s::%s:%s</Arn>\n", session ? "sts" : "iam", id,
             session ? "assumed-role/DataPlatformOnCall/oncall" : "user/oncall");
  buf_addf(call->body,
           "    <UserId>%s%013llXGLUE%s%s</UserId>\n    <Account>%s</Account>\n  </GetCallerIdentityResult>\n",
           session ? "AROA" : "AIDA", (unsigned long long)(sim_hash(call->account->seed, key) >> 12),
           session ? ":" : "", session ? (name != NULL ? name + 1 : "oncall") : "", id);
}

static const char *role_name(const char *arn)
{
  const char *slash = strrchr(arn, '/');
  return slash != NULL ? slash + 1 : arn;
}

/* Letters that are written into XML as they are. */
static bool plain(const char *text)
{
  return text != NULL && strlen(text) >= 2 && strlen(text) <= 256 &&
         strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=,.@:/-") == strlen(text);
}

static void give_keys(struct sim_call *call, int64_t duration_s)
{
  const char *role = json_str(call->in, "RoleArn"), *session = json_str(call->in, "RoleSessionName");
  char account[16], until[WHEN_TEXT_MAX];
  if (!plain(role) || strncmp(role, "arn:", 4) != 0 || strstr(role, ":role/") == NULL || !plain(session)) {
    sim_fail(call, "ValidationError", "RoleArn and RoleSessionName must be given and well formed");
    return;
  }
  sim_arn_account(call->world, role, account);
  char *arn = xasprintf("arn:aws:sts::%s:assumed-role/%s/%s", account, role_name(role), session);
  const struct sim_key *key = sim_issue_key(call->world, account, arn, duration_s);
  buf_addf(
      call->body,
      "  <%sResult>\n    <AssumedRoleUser>\n      <Arn>%s</Arn>\n      <AssumedRoleId>AROAGLUESIM:%s</AssumedRoleId>\n"
      "    </AssumedRoleUser>\n    <Credentials>\n      <AccessKeyId>%s</AccessKeyId>\n      <SecretAccessKey>%s"
      "</SecretAccessKey>\n      <SessionToken>%s</SessionToken>\n      <Expiration>%s</Expiration>\n    "
      "</Credentials>\n  </%sResult>\n",
      call->operation, arn, session, key->access_key, key->secret_key, key->session_token,
      when_format_iso(key->expires_ms, until), call->operation);
  free(arn);
}

/* DurationSeconds within its bounds, 3600 when absent; -1: the call has failed. */
static int64_t read_duration(struct sim_call *call, bool chained)
{
  int64_t seconds = 3600;
  if (json_get(call->in, "DurationSeconds") != NULL && !json_i64(call->in, "DurationSeconds", &seconds))
    seconds = 0;
  if (seconds < 900 || seconds > 43200)
    sim_fail(call, "ValidationError",
             "1 validation error detected: Value '%lld' at 'durationSeconds' failed to satisfy "
             "constraint",
             (long long)seconds);
  else if (chained && seconds > 3600)
    sim_fail(call, "ValidationError",
             "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining");
  return sim_failed(call) ? -1 : seconds;
}

/* Roles with "Denied" in their name refuse everybody; those with "Mfa" want a code, which is 123456; those with "External"
 * want the external id "gluesim". */
static bool trusted(struct sim_call *call, const char *role)
{
  const char *code = json_str(call->in, "TokenCode"), *external = json_str(call->in, "ExternalId");
  if (role == NULL)
    return true;
  if (code != NULL && (json_str(call->in, "SerialNumber") == NULL || strcmp(code, "123456") != 0)) {
    sim_fail(call, "AccessDenied", "MultiFactorAuthentication failed with invalid MFA one time pass code. ");
    return false;
  }
  bool refused = strstr(role, "Denied") != NULL || (strstr(role, "Mfa") != NULL && code == NULL) ||
                 (strstr(role, "External") != NULL && (external == NULL || strcmp(external, "gluesim") != 0));
  if (refused)
    sim_fail(call, "AccessDenied", "User: %s is not authorized to perform: sts:AssumeRole on resource: %.600s",
             call->key != NULL && call->key->arn != NULL ? call->key->arn : "arn:aws:iam::user/oncall", role);
  return !refused;
}

static void assume_role(struct sim_call *call)
{
  bool chained = call->key != NULL && call->key->session_token != NULL;
  int64_t duration = read_duration(call, chained);
  if (duration > 0 && trusted(call, json_str(call->in, "RoleArn")))
    give_keys(call, duration);
}

/* The token of a test is any text that begins like a JWT; the service would look at its signature. */
static void assume_role_with_web_identity(struct sim_call *call)
{
  const char *token = json_str(call->in, "WebIdentityToken");
  int64_t duration = read_duration(call, false);
  if (token == NULL || strncmp(token, "eyJ", 3) != 0)
    sim_fail(call, "InvalidIdentityToken", "The web identity token could not be validated");
  else if (duration > 0)
    give_keys(call, duration);
}

static const struct sim_operation operations[] = {
    {.name = "GetCallerIdentity", .run = get_caller_identity},
    {.name = "AssumeRole", .run = assume_role},
    {.name = "AssumeRoleWithWebIdentity", .run = assume_role_with_web_identity, .open = true},
    {.name = NULL},
};

const struct sim_service sim_sts = {
    .signing_name = "sts",
    .protocol = SIM_QUERY,
    .target_prefix = "2011-06-15",
    .xml_namespace = "https://sts.amazonaws.com/doc/2011-06-15/",
    .operations = operations,
};
