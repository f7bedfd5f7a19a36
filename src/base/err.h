/* Errors as values. A function that can fail returns struct err; the caller must look at it.
 *
 * The detail is owned by the struct err that carries it: give it on by returning it, or end it with err_fini.
 * kind ERR_OK always has detail NULL. Out of memory aborts (xalloc.h), so that building an error cannot fail. */
#ifndef GLUETOP_BASE_ERR_H
#define GLUETOP_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum err_kind {
  ERR_OK = 0,
  ERR_USAGE,       /* the person asked for something that makes no sense */
  ERR_CONFIG,      /* a file or variable says something unusable */
  ERR_CREDENTIALS, /* no usable login */
  ERR_EXPIRED,     /* the login was good once: log in again */
  ERR_DENIED,      /* the service knows us and refuses */
  ERR_NOT_FOUND,
  ERR_CONFLICT, /* somebody else is in the way: concurrent modification, concurrent runs */
  ERR_THROTTLED,
  ERR_LIMIT,   /* a quota */
  ERR_NETWORK, /* DNS, connect, reset: nothing that proves the service saw us */
  ERR_TLS,
  ERR_TIMEOUT,
  ERR_SERVER, /* 5xx */
  ERR_PARSE,  /* an answer that cannot be read */
  ERR_TOO_BIG,
  ERR_CANCELLED,
  ERR_UNCERTAIN, /* a write whose outcome is not known */
  ERR_SKEW,      /* the service says that our clock is wrong (RequestTimeTooSkewed and its like) */
  ERR_IO,        /* local disk, pipe or terminal */
  ERR_KIND_COUNT
};

struct err_detail {
  int http_status;  /* 0: there was no HTTP answer */
  char *code;       /* service's error code, cleaned of prefix and URL; or NULL */
  char *message;    /* one readable sentence, or the service's text; never NULL */
  char *request_id; /* or NULL */
  char *what;       /* what was asked of whom: "GetJobRuns of orders-silver in eu-west-1"; or NULL */
  char *hint;       /* what to do next; or NULL */
};

struct err {
  enum err_kind kind;
  struct err_detail *detail;
};

#define ERR_MUST_CHECK   __attribute__((warn_unused_result))
#define ERR_PRINTF(f, a) __attribute__((format(printf, f, a)))

static inline struct err err_ok(void)
{
  return (struct err){.kind = ERR_OK, .detail = 0};
}
static inline bool err_is(const struct err *e)
{
  return e->kind != ERR_OK;
}

struct err err_new(enum err_kind kind, const char *format, ...) ERR_PRINTF(2, 3) ERR_MUST_CHECK;
/* The same, with errno's text behind it: "cannot open /x: No such file or directory". */
struct err err_errno(enum err_kind kind, const char *format, ...) ERR_PRINTF(2, 3) ERR_MUST_CHECK;
/* Set a member of the detail (copied; NULL text leaves it as it is). No-ops on ERR_OK. */
void err_set_http(struct err *e, int status, const char *code, const char *request_id);
void err_set_what(struct err *e, const char *format, ...) ERR_PRINTF(2, 3);
void err_set_hint(struct err *e, const char *format, ...) ERR_PRINTF(2, 3);
struct err err_copy(const struct err *e) ERR_MUST_CHECK;
void err_fini(struct err *e); /* frees the detail, leaves *e ERR_OK */

/* "throttled", "not found": stable words; used as error_kind and problems[].kind in the JSON output. */
const char *err_kind_name(enum err_kind kind);
/* The message, never NULL ("" when ok). Valid until e changes. */
const char *err_message(const struct err *e);
/* The whole in one line: what, message, code, hint. Caller frees. */
char *err_sentence(const struct err *e);

#endif
