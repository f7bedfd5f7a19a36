/* What an account may have at work at once in a Region: the one table of quotas, with the codes of Service Quotas and the defaults of the
 * service. What is in force comes from, the first that speaks: a [quota REGION] section of the config file, Service Quotas, the default.
 * Source: AWS General Reference, "AWS Glue endpoints and quotas" (2026). All are per account and Region, and all can be raised, so that a
 * default is never more than an assumption; an older account may have less. */
#ifndef GLUETOP_MODEL_QUOTA_H
#define GLUETOP_MODEL_QUOTA_H

#include <stdbool.h>

enum quota_kind {
  QUOTA_RUNS,        /* concurrent job runs of the account */
  QUOTA_RUNS_OF_JOB, /* concurrent runs of one job: the highest MaxConcurrentRuns */
  QUOTA_DPU,         /* DPU at work in the account's job runs */
  QUOTA_FLEX_DPU,    /* the same of spare capacity (execution class FLEX) */
  QUOTA_QUEUED,      /* runs that wait for a slot */
  QUOTA_KIND_COUNT
};

enum quota_origin { QUOTA_DEFAULT, QUOTA_FROM_SERVICE, QUOTA_FROM_CONFIG };
const char *
quota_origin_word(enum quota_origin origin); /* "default", "service quotas", "config": as in the JSON output */

struct quota {
  double value;
  enum quota_origin origin;
};

struct quota_info {
  const char *word;   /* of the JSON output: "runs", "dpu" */
  const char *code;   /* of Service Quotas: "L-5E4153CA" */
  const char *name;   /* of Service Quotas */
  double most, other; /* the default in the six large Regions, and elsewhere */
};
const struct quota_info *quota_info(enum quota_kind kind);
double quota_default(enum quota_kind kind, const char *region);
/* By its code, or by its name (any case) where the code is not one of ours. NULLs are allowed. False: not one that we look at. */
bool quota_find(const char *code, const char *name, enum quota_kind *kind);
/* Can this be a quota? Zero, negative and endless ones cannot. */
bool quota_is_plausible(double value);

#endif
