/* Service Quotas of Glue: what the account's limits are. Facts: pricing-and-limits.md section 7 (names, codes, defaults). The applied values of
 * the limits that gluesim keeps itself are the account's own. */
#include "sim/service.h"

#include <stdio.h>
#include <string.h>
#include "sim/private.h"

struct sim_quota {
  const char *code, *name;
  double value; /* the default; of DPU in the six large Regions */
  bool adjustable;
};
static const struct sim_quota quotas[] = {
    {"L-F574AED9", "Max concurrent job runs per job", 4000, true},
    {"L-611FDDE4", "Max jobs per account", 2000, true},
    {"L-EEC98450", "Max jobs per trigger", 50, true},
    {"L-F1653A6D", "Max triggers per account", 1000, true},
    {"L-7DD7C33A", "Number of workflows", 1000, true},
    {"L-11FA2C1A", "Max crawlers per account", 1000, true},
    {"L-4071B0E3", "Max crawlers running concurrently per account", 150, true},
    {"L-4256D6D2", "Max connections per account", 1000, true},
    {"L-83192DBF", "Max security configurations per account", 250, true},
    {"L-C3952F6C", "Max concurrent data quality evaluation runs", 50, true},
    {"L-ACAC12B6", "Max concurrent data quality recommendation runs", 25, true},
    {"L-5E4153CA", "Max concurrent job runs per account", 2000, true},
    {"L-08F3B322", "Max task DPUs per account", 1000, true},
    {"L-096DBB95", "Max spare compute capacity consumption of DPUs per account", 4000, true},
    {"L-A457CBAB", "Maximum number of queued job runs", 1000, true},
};
#define QUOTA_COUNT (sizeof quotas / sizeof quotas[0])

static double value_of(const struct sim_account *a, const struct sim_quota *q, bool defaults)
{
  if (defaults)
    return q->value;
  if (strcmp(q->code, "L-5E4153CA") == 0)
    return a->run_limit;
  if (strcmp(q->code, "L-08F3B322") == 0)
    return a->dpu_limit;
  if (strcmp(q->code, "L-096DBB95") == 0)
    return a->flex_limit;
  if (strcmp(q->code, "L-A457CBAB") == 0)
    return a->queue_limit;
  if (strcmp(q->code, "L-611FDDE4") == 0)
    return a->job_limit;
  return q->value;
}

static void put(struct jw *w, const char *name, const char *value)
{
  jw_name(w, name);
  jw_str(w, value);
}

static void put_bool(struct jw *w, const char *name, bool value)
{
  jw_name(w, name);
  jw_bool(w, value);
}

static void put_quota(struct sim_call *call, const struct sim_quota *q, bool defaults)
{
  struct jw *w = &call->out;
  char arn[200];
  jw_object(w);
  put(w, "ServiceCode", "glue");
  put(w, "ServiceName", "AWS Glue");
  snprintf(arn, sizeof arn, "arn:aws:servicequotas:%s:%s:glue/%s", call->account->region, call->account->id, q->code);
  put(w, "QuotaArn", arn);
  put(w, "QuotaCode", q->code);
  put(w, "QuotaName", q->name);
  jw_name(w, "Value");
  sim_put_double(w, value_of(call->account, q, defaults));
  put(w, "Unit", "None");
  put_bool(w, "Adjustable", q->adjustable);
  put_bool(w, "GlobalQuota", false);
  put(w, "QuotaAppliedAtLevel", "ACCOUNT");
  jw_end_object(w);
}

/* True: it is Glue's. */
static bool is_glue(struct sim_call *call)
{
  const char *service = sim_need_str(call, "ServiceCode");
  if (service != NULL && strcmp(service, "glue") != 0)
    sim_fail(call, "NoSuchResourceException", "The request failed because the specified service does not exist.");
  return !sim_failed(call);
}

static void list(struct sim_call *call, bool defaults)
{
  struct sim_page page;
  const char *only = json_str(call->in, "QuotaCode");
  if (!is_glue(call) || !sim_page_begin(call, &page, 100, 100, "glue"))
    return;
  jw_name(&call->out, "Quotas");
  jw_array(&call->out);
  size_t i = page.position < 0 ? 0 : (size_t)page.position;
  for (int64_t given = 0; i < QUOTA_COUNT && given < page.size && !page.empty; i++) {
    if (only != NULL && strcmp(only, quotas[i].code) != 0)
      continue;
    put_quota(call, &quotas[i], defaults);
    given++;
  }
  jw_end_array(&call->out);
  sim_page_next(call, &page, i < QUOTA_COUNT ? (int64_t)i : -1);
}

static void list_service_quotas(struct sim_call *call)
{
  list(call, false);
}

static void list_default_quotas(struct sim_call *call)
{
  list(call, true);
}

static void get_service_quota(struct sim_call *call)
{
  const char *code = is_glue(call) ? sim_need_str(call, "QuotaCode") : NULL;
  for (size_t i = 0; code != NULL && i < QUOTA_COUNT; i++) {
    if (strcmp(quotas[i].code, code) == 0) {
      jw_name(&call->out, "Quota");
      put_quota(call, &quotas[i], false);
      return;
    }
  }
  sim_fail(call, "NoSuchResourceException", "The request failed because the specified quota does not exist.");
}

static const struct sim_operation operations[] = {
    {.name = "GetServiceQuota", .run = get_service_quota},
    {.name = "ListAWSDefaultServiceQuotas", .run = list_default_quotas},
    {.name = "ListServiceQuotas", .run = list_service_quotas},
    {.name = NULL},
};

const struct sim_service sim_quotas = {
    .signing_name = "servicequotas",
    .protocol = SIM_JSON_1_1,
    .target_prefix = "ServiceQuotasV20190624",
    .operations = operations,
};
