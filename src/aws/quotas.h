/* Service Quotas over JSON 1.1: what an account may do in a Region. Facts: Service Quotas API reference, ListServiceQuotas (IAM action
 * servicequotas:ListServiceQuotas). Applied values; a quota that is not listed has its default (model/quota.h). */
#ifndef GLUETOP_AWS_QUOTAS_H
#define GLUETOP_AWS_QUOTAS_H

#include "aws/glue.h"
#include "model/quota.h"

#define QUOTAS_PAGE 100 /* the most that one answer may hold */

struct quotas_page {
  double values[QUOTA_KIND_COUNT]; /* NAN: not on this page */
  size_t count;                    /* entries of the list */
  const char *refused; /* a sentence: a value that cannot be, or two of one quota; nothing of it may be used. NULL */
  const char *next_token;
};

/* The reply's `quotas`. */
uint64_t quotas_list(const struct aws_target *t, const char *token, glue_done_fn *done, void *user);
struct err quotas_decode_list(const char *text, size_t len, struct arena *arena,
                              struct quotas_page *out) ERR_MUST_CHECK;

#endif
