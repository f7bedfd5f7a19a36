/* HTTP over one curl_multi on one thread. Nothing here blocks; completions are called from inside transport_turn.
 *
 * A request is described once; each try is signed anew with a fresh date. Retries follow the one table in retry.h. Every header
 * that is signed is sent, and nothing that libcurl adds later is signed. A call that changes AWS runs on a fresh connection over
 * HTTP/1.1 and is never sent again when a byte of it may have arrived (architecture, "One direction").
 *
 * The program ignores SIGPIPE (main.c): with CURLOPT_NOSIGNAL, which a program with signals of its own needs, libcurl no longer does it,
 * and a TLS peer that has gone would end us. */
#ifndef GLUETOP_AWS_TRANSPORT_H
#define GLUETOP_AWS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "aws/credentials.h"
#include "aws/endpoint.h"
#include "base/clock.h"
#include "base/err.h"

struct transport;

struct transport_options {
  const char *ca_bundle;      /* AWS_CA_BUNDLE or the profile's; NULL: the system's */
  int connections_per_host;   /* C; 0: 8 */
  int64_t connect_timeout_ms; /* 0: 5,000 */
  int64_t stall_timeout_ms;   /* no byte for that long; 0: 20,000 */
  int64_t total_timeout_ms;   /* 0: 60,000 */
  size_t max_request;         /* bytes of a body; 0: 8 MiB */
  size_t max_response;        /* bytes, decoded; 0: 64 MiB */
  uint64_t seed;              /* of the jitter; 0: from the system */
};
struct err transport_new(const struct transport_options *options, const struct clock *clock,
                         struct transport **out) ERR_MUST_CHECK;
void transport_free(struct transport *t); /* cancels what is in flight, without calling back */

enum transport_change { TRANSPORT_READS, TRANSPORT_CHANGES }; /* does the call change anything in AWS? */

struct transport_answer {
  struct err err;   /* ERR_OK on 2xx; owned by the transport, copy to keep */
  int status;       /* 0: none */
  const char *body; /* whole, decoded; "" when none. Valid during the call-back */
  size_t body_len;
  int64_t server_date_ms; /* Date header; WHEN_NONE when absent, unreadable or out of a cache (Age) */
  int64_t sent_wall_ms;   /* our wall clock when the last try was signed */
  int64_t took_ms;        /* the last try, from connecting to the last byte */
  int64_t skew_ms; /* server minus us, as used for signing from now on (learned from a refusal, or the request's) */
  int tries;
  bool left_us;           /* a byte of the last try may have arrived: for writes that failed */
  const char *request_id; /* NULL when the service gave none */
  const char *(*header)(const struct transport_answer *a, const char *name); /* case-insensitive; NULL */
  void *private_data;
};
typedef void transport_done_fn(void *user, const struct transport_answer *answer);
/* Looks at a 2xx answer before it counts as good (decodes it, usually). An error is this try's outcome and goes through the
 * retry table like any other: a read with a garbled page is asked again, a write ends as ERR_UNCERTAIN. May be called once a
 * try, so what an earlier call left must be dropped. */
typedef struct err transport_accept_fn(void *user, const struct transport_answer *answer);

/* What the transport did by itself, counted by whoever keeps to a rate: the first try and the last failure are the caller's own. */
struct transport_tally {
  uint64_t retries;   /* tries after the first */
  uint64_t throttled; /* tries that the service refused for their rate, and that were made again */
};

struct transport_request {
  enum transport_change change;
  const struct endpoint *endpoint; /* copied */
  const char *method;              /* "POST" */
  const char *path;                /* appended to the endpoint's prefix; NULL: the endpoint's own path */
  const char *query;               /* raw; NULL */
  const char *const *headers;      /* name, value, …, NULL; signed and sent */
  const void *body;                /* copied; wiped afterwards when secret_body */
  size_t body_len;
  bool secret_body;                      /* request or answer holds secrets: never logged, wiped */
  const struct credentials *credentials; /* copied; NULL: unsigned */
  struct login *login;      /* when given, fresh credentials are taken from it for each try, and it is invalidated on an
                                            expired token; must live until the call-back or the cancel */
  int64_t skew_ms;          /* server minus us, learned earlier; what this transport learned of the host itself wins */
  int64_t total_timeout_ms; /* 0: the transport's */
  int64_t connect_timeout_ms; /* 0: the transport's */
  int max_tries;              /* 0: the table's */
  bool
      paced; /* whoever asks keeps to a rate: a refusal for it without a Retry-After is theirs to repeat, when there is room */
  struct transport_tally *tally; /* must live as long as the request; NULL: nobody counts */
  bool no_proxy;                 /* instance metadata and container endpoints */
  bool own_rate;    /* a service with a rate of its own: that it throttles is no other's trouble (stats.throttled) */
  const char *what; /* for errors: "GetJobRuns of orders-silver in eu-west-1"; copied */
  transport_accept_fn *accept; /* or NULL */
  transport_done_fn *done;
  void (*dropped)(void *user); /* instead of done, when the request is cancelled or the transport ends; or NULL */
  void *user;
};
/* Returns an id > 0; the call-back comes later, from transport_turn, exactly once unless cancelled. */
uint64_t transport_send(struct transport *t, const struct transport_request *request);
void transport_cancel(struct transport *t, uint64_t id); /* no call-back after this but `dropped` */

void transport_turn(struct transport *t);
/* Monotonic ms at which transport_turn should be called though no socket is ready; INT64_MAX: never. */
int64_t transport_next_turn_ms(const struct transport *t);
/* Wait until a socket, one of the extra descriptors or the timeout (negative: none); wraps curl_multi_poll. revents are
 * filled. At most 256 extra descriptors. The caller bounds the timeout by transport_next_turn_ms: with a manual clock only it knows
 * how long that is. */
struct transport_fd {
  int fd;
  short events, revents; /* as in poll(2) */
};
struct err transport_wait(struct transport *t, struct transport_fd *extra, unsigned extra_count,
                          int64_t timeout_ms) ERR_MUST_CHECK;
size_t transport_in_flight(const struct transport *t); /* requests sent, waiting for a retry, or queued */
/* Is anything under way that moves without the clock: an answer awaited, a login, a call-back to come? Waiting for a retry is not. */
bool transport_busy(const struct transport *t);

struct transport_stats {
  uint64_t requests; /* tries that left */
  uint64_t answers;
  uint64_t retries;
  uint64_t throttled;
  uint64_t bytes_in, bytes_out;
  uint64_t connections;
};
struct transport_stats transport_stats(const struct transport *t);

#endif
