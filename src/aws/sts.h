/* AWS STS over the query protocol: who am I. Facts: AWS STS API reference, GetCallerIdentity (needs no permission). */
#ifndef GLUETOP_AWS_STS_H
#define GLUETOP_AWS_STS_H

#include "aws/glue.h"

/* The reply's `identity`, as with the calls of glue.h. */
uint64_t sts_get_caller_identity(const struct aws_target *t, glue_done_fn *done, void *user);
struct err sts_decode_identity(const char *text, size_t len, struct arena *arena, struct identity *out) ERR_MUST_CHECK;

#endif
