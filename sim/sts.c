#include "sim/service.h"

#include "sim/rng.h"

/* Who the key belongs to: long-term keys (AKIA…) are a user's, temporary ones (ASIA…) a role's session. */
static void get_caller_identity(struct sim_call *call)
{
  const char *id = call->account->id;
  const char *key = call->caller->access_key;
  bool session = key[0] == 'A' && key[1] == 'S';
  buf_addf(call->body, "  <GetCallerIdentityResult>\n    <Arn>arn:aws:%s::%s:%s</Arn>\n", session ? "sts" : "iam", id,
           session ? "assumed-role/DataPlatformOnCall/oncall" : "user/oncall");
  buf_addf(call->body,
           "    <UserId>%s%013llXGLUE%s</UserId>\n    <Account>%s</Account>\n  </GetCallerIdentityResult>\n",
           session ? "AROA" : "AIDA", (unsigned long long)(sim_hash(call->account->seed, key) >> 12),
           session ? ":oncall" : "", id);
}

static const struct sim_operation operations[] = {
    {"GetCallerIdentity", get_caller_identity},
    {NULL, NULL},
};

const struct sim_service sim_sts = {
    .signing_name = "sts",
    .protocol = SIM_QUERY,
    .target_prefix = "2011-06-15",
    .xml_namespace = "https://sts.amazonaws.com/doc/2011-06-15/",
    .operations = operations,
};
