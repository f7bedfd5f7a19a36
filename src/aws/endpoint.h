/* Where a service of a Region is: partitions, FIPS, dual-stack, custom endpoints in the documented order.
 * Facts: AWS SDK reference guide "Service-specific endpoints", the SDKs' endpoint rule sets. */
#ifndef GLUETOP_AWS_ENDPOINT_H
#define GLUETOP_AWS_ENDPOINT_H

#include <stdbool.h>
#include "base/err.h"

struct aws_config;

enum aws_service { AWS_GLUE, AWS_STS, AWS_CLOUDWATCH, AWS_LOGS, AWS_SSO, AWS_SSO_OIDC, AWS_SIGNIN, AWS_PRICING, AWS_QUOTAS, AWS_SERVICE_COUNT };

struct endpoint {
  char *url;            /* scheme://host[:port][/prefix], without a slash at the end */
  char *host;           /* as in the Host header: with the port when it is not the scheme's own */
  char *path;           /* prefix + "/", at least "/" */
  char *signing_region; /* usually the Region asked for */
  const char *signing_name;
  bool custom;
};
struct endpoint_options {
  const char *option_url; /* --endpoint-url; NULL when not given */
  const char *profile;    /* in force; NULL or "" for none */
  const char *region;
};
struct err endpoint_resolve(const struct aws_config *config, enum aws_service service, const struct endpoint_options *options,
                            struct endpoint *out) ERR_MUST_CHECK;
void endpoint_fini(struct endpoint *e);
const char *endpoint_partition(const char *region); /* "aws", "aws-cn", "aws-us-gov", … */
/* Looks like a Region's name (xx-word-n), known or not: for --context PROFILE@REGION. */
bool endpoint_is_region(const char *s);

#endif
