/* Faults on request: what shall go wrong with which operation, how often. */
#ifndef GLUETOP_SIM_FAULTS_H
#define GLUETOP_SIM_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum fault_kind {
  FAULT_LATENCY,      /* =MS: the answer is made at once and sent so much later */
  FAULT_THROTTLE,     /* =RATE[:BURST]: a token bucket, requests a second */
  FAULT_500,          /* InternalServiceException */
  FAULT_503HTML,      /* a proxy's page instead of JSON */
  FAULT_RESET,        /* the connection is reset, nothing was done */
  FAULT_RESET_AFTER,  /* carried out, then the connection ends without an answer */
  FAULT_TRUNCATE,     /* the body stops half way, Content-Length says more */
  FAULT_DRIP,         /* =MS a byte (default 50) */
  FAULT_HANG,         /* never answered; nothing was done */
  FAULT_GARBAGE,      /* 200, but not JSON */
  FAULT_EXPIRED,      /* ExpiredTokenException */
  FAULT_SKEW,         /* =SECONDS: the server's clock is off, in the Date header and in the signature check */
  FAULT_EMPTY_PAGES,  /* =N empty pages with a token before the first one of a list */
  FAULT_REPEAT_TOKEN, /* a list whose NextToken never moves on */
  FAULT_DENIED,       /* AccessDeniedException */
  FAULT_GZIP,         /* Content-Encoding: gzip */
  FAULT_RETRY_AFTER,  /* =S: 503 with Retry-After, or the header on another fault's error */
  FAULT_HUGE,         /* =MIB (default 64): an answer of that size */
  FAULT_KIND_COUNT
};

struct fault;
struct faults {
  struct fault *items;
  size_t count, cap;
  uint64_t seed;
};

/* What the faults together do to one request. */
struct fault_effect {
  bool on[FAULT_KIND_COUNT];
  double value[FAULT_KIND_COUNT];
  bool any;
};

void sim_faults_init(struct faults *f, uint64_t seed);
void sim_faults_fini(struct faults *f);
struct err sim_faults_parse(struct faults *f, const char *spec) ERR_MUST_CHECK;
/* Draws the lots for one request of an operation; counts and buckets move on. body: the request's, for faults of one job. */
void sim_faults_apply(struct faults *f, const char *operation, const char *body, int64_t mono_ms,
                      struct fault_effect *out);

#endif
