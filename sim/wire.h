/* What passes between the HTTP side and the services: a request that was read to its end, and an answer in the making. */
#ifndef GLUETOP_SIM_WIRE_H
#define GLUETOP_SIM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

#define SIM_BODY_MAX  ((size_t)4 << 20)   /* larger requests are refused with 413 */
#define SIM_REPLY_MAX ((size_t)512 << 20) /* only the fault "huge" comes near it */

struct sim_header {
  const char *name; /* as it was sent */
  const char *value;
};

struct sim_http {
  const char *method;
  const char *uri; /* raw: path and query as they were sent */
  const struct sim_header *headers;
  size_t header_count;
  const char *body;
  size_t body_len;
};

/* The first header of that name (any case), or NULL. */
const char *sim_http_header(const struct sim_http *h, const char *name);

/* The byte that two hex digits stand for, or -1. */
int sim_hex_byte(const char *two);

struct sim_reply {
  int status;
  struct buf body;
  const char *content_type; /* a constant */
  char error_type[96];      /* X-Amzn-ErrorType, "" for none */
  char request_id[40];
  char retry_after[32]; /* Retry-After in seconds, "" for none */
  bool gzip;
};

#endif
