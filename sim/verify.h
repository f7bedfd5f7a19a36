/* Signature Version 4, seen from the service's side: is this request signed by somebody we know, now, for us?
 * Written from the service's documentation, apart from sigv4/, so that the two prove each other. */
#ifndef GLUETOP_SIM_VERIFY_H
#define GLUETOP_SIM_VERIFY_H

#include "sim/sim.h"
#include "sim/wire.h"

enum verify_result {
  VERIFY_OK,
  VERIFY_MISSING,    /* no signature at all */
  VERIFY_INCOMPLETE, /* an Authorization header that lacks a part */
  VERIFY_UNKNOWN_KEY,
  VERIFY_BAD_TOKEN, /* the session token is not the key's */
  VERIFY_EXPIRED,   /* the key was good once */
  VERIFY_BAD_SCOPE, /* signed for another Region, service or day */
  VERIFY_SKEWED,    /* more than five minutes off */
  VERIFY_MISMATCH   /* the signature is not the one we calculate */
};

struct verify_rules {
  const struct sim_key *keys;
  size_t key_count;
  bool any_key;
  const char *region;  /* NULL: any */
  const char *service; /* NULL: any */
  int64_t now_ms;      /* the server's idea of the time */
};

struct verify_outcome {
  enum verify_result result;
  char message[1024]; /* the service's words */
  char access_key[129];
  char region[64];
  char service[64];
};

void sim_verify(const struct sim_http *http, const struct verify_rules *rules, struct verify_outcome *out);

#endif
