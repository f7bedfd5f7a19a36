/* Where a service of a Region is: partitions, FIPS, dual-stack, custom endpoints in the documented order.
 * Facts: AWS SDK reference guide "Service-specific endpoints", the SDKs' endpoint rule sets. */
#ifndef GLUETOP_AWS_ENDPOINT_H
#define GLUETOP_AWS_ENDPOINT_H

#include <stdbool.h>
#include "base/err.h"

struct aws_config;

enum aws_service {
  AWS_GLUE,
  AWS_STS,
  AWS_CLOUDWATCH,
  AWS_LOGS,
  AWS_SSO,
  AWS_SSO_OIDC,
  AWS_SIGNIN,
  AWS_PRICING,
  AWS_QUOTAS,
  AWS_SERVICE_COUNT
};

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
  const char *profile;    /* whose settings hold (login_settings_profile); NULL or "" for none */
  const char *region;
};
/* ERR_CONFIG for a Region that is no name, a custom URL that is none, FIPS or dual-stack together with a custom URL; ERR_NOT_FOUND where
 * the partition has no such service. AWS_PRICING goes to the partition's nearest Region that really has a Price List (aws: us-east-1,
 * eu-central-1, ap-south-1; aws-cn: cn-northwest-1; aws-eusc: eusc-de-east-1), and is signed for that one. */
struct err endpoint_resolve(const struct aws_config *config, enum aws_service service,
                            const struct endpoint_options *options, struct endpoint *out) ERR_MUST_CHECK;
void endpoint_fini(struct endpoint *e);
/* An endpoint out of a URL (http or https; a path is kept as a prefix; a query or a user is refused). signing_name: a string that lives for ever. */
struct err endpoint_from_url(const char *url, const char *signing_region, const char *signing_name,
                             struct endpoint *out) ERR_MUST_CHECK;
void endpoint_copy(struct endpoint *to, const struct endpoint *from); /* `to` is overwritten, not ended first */
const char *endpoint_partition(const char *region); /* "aws", "aws-cn", "aws-us-gov", …; unknown names: "aws" */
/* The Region to ask in a partition when none is named ("aws": us-east-1). */
const char *endpoint_partition_region(const char *partition);
/* Looks like a Region's name (xx-word-n), known or not: for --context PROFILE@REGION. */
bool endpoint_is_region(const char *s);

#endif
