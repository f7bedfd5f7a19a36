/* What the parts of the transport share: transport.c (queue, turns, timers, retries), transport_try.c (one try of one request,
 * from signing to the last byte) and transport_outcome.c (what became of a try). Nothing here is for callers. */
#ifndef GLUETOP_AWS_TRANSPORT_PRIVATE_H
#define GLUETOP_AWS_TRANSPORT_PRIVATE_H

#include <curl/curl.h>
#include "aws/transport.h"
#include "base/buf.h"
#include "sigv4/sigv4.h"

/* One scheme and host: connections are counted, and clock offsets learned, by it. */
struct transport_host {
  struct transport_host *next;
  char *key;
  int running;
  bool skew_known;
  int64_t skew_ms;
};

enum transfer_state {
  TRANSFER_QUEUED,  /* for a place among the host's connections */
  TRANSFER_LOGIN,   /* for credentials */
  TRANSFER_RUNNING, /* in curl's hands */
  TRANSFER_ENDED,   /* the try is over, its answer not yet looked at */
  TRANSFER_BACKOFF, /* until due_ms */
  TRANSFER_DONE     /* call-back to come */
};

/* The answer of one try, as it arrives. */
struct transfer_answer {
  char *body; /* own growth and not a buf, so that every copy of a secret answer can be wiped */
  size_t body_len, body_cap;
  struct buf headers; /* name NUL value NUL …, of the last header block */
  bool too_big;
  int status;
};

struct transfer {
  struct transfer *prev, *next;
  struct transport *transport;
  struct transport_host *host;
  bool paced;
  struct transport_tally *tally; /* or NULL */
  uint64_t id;
  enum transfer_state state;

  /* the request, copied */
  enum transport_change change;
  char *method;
  char *url;  /* as sent, query included */
  char *path; /* as signed */
  char *query;
  char *signing_region;
  const char *signing_name;
  struct sigv4_header *headers; /* Host first */
  char **header_texts;          /* their names and values in turn, to be freed */
  size_t header_count;
  char *body;
  size_t body_len;
  bool secret_body;
  bool no_proxy;
  bool own_rate;
  bool sign;
  struct credentials credentials; /* given, or taken from the login for this try */
  struct login *login;
  int64_t skew_ms;
  int64_t connect_timeout_ms, stall_timeout_ms, total_timeout_ms;
  int max_tries;
  char *what;
  transport_accept_fn *accept;
  transport_done_fn *done;
  void (*dropped)(void *user);
  void *user;

  /* its life; monotonic ms */
  int64_t first_ms; /* of the first try */
  int64_t due_ms;   /* of the next one */
  int tries;
  bool fresh_login_used, new_clock_used;

  /* the try under way, or the last one */
  CURL *easy;
  struct curl_slist *header_list;
  int64_t started_ms, progress_ms, ended_ms;
  int64_t signed_wall_ms;
  int64_t signed_skew_ms; /* of this try: others in flight may have learned another since */
  curl_off_t seen;        /* bytes both ways at progress_ms */
  bool began;             /* the connection stood and the request was about to leave */
  CURLcode code;          /* of a try that ended */
  char curl_error[CURL_ERROR_SIZE];
  struct transfer_answer in;
  struct transport_answer answer;
};

struct transport {
  const struct clock *clock;
  CURLM *multi;
  struct sigv4_keys *keys;
  char *ca_bundle;
  int connections_per_host;
  int64_t connect_timeout_ms, stall_timeout_ms, total_timeout_ms;
  size_t max_request, max_response;
  uint64_t random;
  struct transfer *first, *last; /* all that live, in order of sending */
  size_t count;
  struct transport_host *hosts;
  CURL **spare; /* easy handles to use again */
  size_t spare_count, spare_cap;
  uint64_t next_id;
  bool in_turn;
  bool work; /* something to do that no timer or socket tells of */
  struct transport_stats stats;
};

/* --- transport_try.c --- */
/* Sign and hand to curl. An error is the outcome of the request: there is no sense in trying again. */
struct err transfer_start(struct transfer *x) ERR_MUST_CHECK;
/* Take it out of curl's hands, answer kept. */
void transfer_stop(struct transfer *x);
void transfer_drop_answer(struct transfer *x);
const char *transfer_header(const struct transfer *x, const char *name);
int64_t transfer_skew(const struct transfer *x);

/* --- transport_outcome.c --- */
/* The answer as the caller will see it; without status and body unless it is whole. */
void transfer_fill_answer(struct transfer *x, bool whole);
/* Error of a try that ended without an answer, or for which curl says OK: of its status. */
struct err transfer_outcome(struct transfer *x, CURLcode code) ERR_MUST_CHECK;
enum transfer_limit { LIMIT_NONE, LIMIT_CONNECT, LIMIT_STALL, LIMIT_TOTAL };
struct err transfer_limit_error(const struct transfer *x, enum transfer_limit limit) ERR_MUST_CHECK;
/* The service's wish, in ms; -1 when it has none. */
int64_t transfer_retry_after_ms(const struct transfer *x);
/* The server's clock as of this answer; false when it does not say, or not believably. */
bool transfer_server_time(const struct transfer *x, int64_t *ms);
/* A refusal that a wrong clock explains becomes ERR_SKEW, the host's offset is learned; one that it does not explain stays or
 * becomes a matter of credentials. */
void transfer_judge_clock(struct transfer *x, struct err *e);
/* A write that failed after it may have arrived becomes ERR_UNCERTAIN, with what is known. */
void transfer_judge_write(struct transfer *x, struct err *e);

#endif
