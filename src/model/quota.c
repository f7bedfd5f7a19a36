#include "model/quota.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define QUOTA_MOST 1e9 /* beyond any account there is */

static const struct quota_info quotas[QUOTA_KIND_COUNT] = {
    [QUOTA_RUNS] = {"runs", "L-5E4153CA", "Max concurrent job runs per account", 2000, 2000},
    [QUOTA_RUNS_OF_JOB] = {"runs_of_job", "L-F574AED9", "Max concurrent job runs per job", 4000, 4000},
    [QUOTA_DPU] = {"dpu", "L-08F3B322", "Max task DPUs per account", 1000, 500},
    [QUOTA_FLEX_DPU] = {"flex_dpu", "L-096DBB95", "Max spare compute capacity", 4000, 4000},
    [QUOTA_QUEUED] = {"queued_runs", "L-A457CBAB", "Maximum number of queued job runs", 1000, 1000},
};

const char *quota_origin_word(enum quota_origin origin)
{
  static const char *const words[] = {
      [QUOTA_DEFAULT] = "default", [QUOTA_FROM_SERVICE] = "service quotas", [QUOTA_FROM_CONFIG] = "config"};
  return words[origin];
}

const struct quota_info *quota_info(enum quota_kind kind)
{
  return &quotas[kind];
}

double quota_default(enum quota_kind kind, const char *region)
{
  static const char *const large[] = {"us-east-1",      "us-east-2",      "us-west-2",
                                      "ap-northeast-1", "ap-southeast-2", "eu-west-1"};
  for (size_t i = 0; region != NULL && i < sizeof large / sizeof large[0]; i++)
    if (strcmp(region, large[i]) == 0)
      return quotas[kind].most;
  return quotas[kind].other;
}

bool quota_find(const char *code, const char *name, enum quota_kind *kind)
{
  for (int i = 0; code != NULL && i < QUOTA_KIND_COUNT; i++) {
    if (strcmp(quotas[i].code, code) == 0) {
      *kind = (enum quota_kind)i;
      return true;
    }
  }
  for (int i = 0; name != NULL && i < QUOTA_KIND_COUNT; i++) {
    if (strcasecmp(quotas[i].name, name) == 0) {
      *kind = (enum quota_kind)i;
      return true;
    }
  }
  return false;
}

bool quota_is_plausible(double value)
{
  return isfinite(value) && value >= 1 && value <= QUOTA_MOST;
}
