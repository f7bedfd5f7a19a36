/* AWS Signature Version 4: bytes in, bytes out. Knows OpenSSL and nothing else; usable as a library by itself.
 *
 * Shapes: names and values are NUL-terminated; header values are as they will be sent (this library unfolds and trims them
 * for the canonical form only). The query is a raw query string whose parameters may be percent-encoded or not: both sign
 * alike, and a '+' is a plus sign, not a space. Nothing is kept but the derived keys in a struct sigv4_keys, which are wiped
 * when they change or end. All functions return a status; no global state; one struct sigv4_keys serves one thread.
 * Source of the rules: the AWS general reference "Create a signed AWS API request" and the published test suite.
 *
 * Never signed, since the way may change them: Authorization, Connection, Expect, Proxy-Authorization, Transfer-Encoding,
 * Upgrade, User-Agent, X-Amzn-Trace-Id. The headers that signing makes (X-Amz-Date, X-Amz-Security-Token where there is a
 * token, X-Amz-Content-Sha256 where asked for) take the place of any that the request brings. Header values with control
 * characters or line ends are refused, but for folds (a line end followed by a blank). */
#ifndef SIGV4_H
#define SIGV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sigv4_status {
  SIGV4_OK = 0,
  SIGV4_INVALID, /* a header name with a colon, no Host, a time outside 1970 to 9999, a path that does not begin with '/' … */
  SIGV4_NO_MEMORY,
  SIGV4_CRYPTO /* OpenSSL refused */
};

struct sigv4_header {
  const char *name;
  const char *value;
};

enum sigv4_path_rule {
  SIGV4_PATH_GENERAL, /* normalise (dots, double slashes), then encode twice */
  SIGV4_PATH_S3       /* neither: escapes stay, what is not encoded yet is encoded once, dots and slashes are kept */
};

enum sigv4_payload {
  SIGV4_PAYLOAD_HASH,     /* SHA-256 of body */
  SIGV4_PAYLOAD_UNSIGNED, /* UNSIGNED-PAYLOAD */
  SIGV4_PAYLOAD_GIVEN     /* payload_hash as given by the caller: hex, or a word that the service knows */
};

struct sigv4_request {
  const char *method;
  const char *path;                   /* absolute, as sent on the wire (may be percent-encoded); NULL or "" means "/" */
  const char *query;                  /* raw, without '?'; NULL or "" for none */
  const struct sigv4_header *headers; /* at least Host; all are signed but those the list above leaves out */
  size_t header_count;
  const void *body;
  size_t body_len;
  enum sigv4_payload payload;
  const char *payload_hash;
  enum sigv4_path_rule path_rule;
  bool normalize_path;     /* general rule only: remove dot segments and double slashes */
  bool sign_body_header;   /* add and sign x-amz-content-sha256 */
  bool omit_session_token; /* send the token, but do not sign it */
};

struct sigv4_credentials {
  const char *access_key_id;
  const char *secret;
  size_t secret_len;
  const char *session_token; /* NULL for long-lived keys */
};

/* The fetched algorithm, a digest context and the signing keys last used (eight of them): each is derived once per (date,
 * region, service, secret) and reused. NULL where memory or SHA-256 is not to be had. */
struct sigv4_keys;
struct sigv4_keys *sigv4_keys_new(void);
void sigv4_keys_free(struct sigv4_keys *keys); /* wipes */
/* How often a key was derived, for tests and counters. */
uint64_t sigv4_keys_derivations(const struct sigv4_keys *keys);

/* Every stage, so that each can be looked at. Memory of a signed request is one block: end it with sigv4_signed_fini. After
 * a failure there is nothing in it, and ending it is allowed.
 * extra: headers to add to the request: X-Amz-Security-Token, X-Amz-Date, X-Amz-Content-Sha256, Authorization, those of
 * them that apply, in this order.
 * query: query form: the whole query string to send: the request's own, then ours, the signature last. */
struct sigv4_signed {
  char *canonical_request;
  char *string_to_sign;
  char signature[65];   /* lower-case hex */
  char *signed_headers; /* "content-type;host;x-amz-date" */
  char *authorization;  /* value of the Authorization header (header form) */
  struct sigv4_header *extra;
  size_t extra_count;
  char *query;
  void *block;
};

/* Header form. ms_utc: time of signing, milliseconds since the epoch. */
enum sigv4_status sigv4_sign_headers(struct sigv4_keys *keys, const struct sigv4_request *request,
                                     const struct sigv4_credentials *credentials, const char *region,
                                     const char *service, int64_t ms_utc, struct sigv4_signed *out);
/* Query (presigned) form, valid for expires_seconds (1 to 604800). Only X-Amz-Content-Sha256 can be among the extra headers,
 * and whoever uses the URL must send it. A query that holds a parameter of a signature already is refused. */
enum sigv4_status sigv4_sign_query(struct sigv4_keys *keys, const struct sigv4_request *request,
                                   const struct sigv4_credentials *credentials, const char *region, const char *service,
                                   int64_t ms_utc, unsigned expires_seconds, struct sigv4_signed *out);
void sigv4_signed_fini(struct sigv4_signed *s); /* wipes and frees */
const char *sigv4_status_text(enum sigv4_status status);

/* Lower-case hex SHA-256 of data; out holds 65 bytes. */
enum sigv4_status sigv4_sha256_hex(const void *data, size_t len, char out[65]);
/* RFC 3986 encoding: unreserved stay; '/' stays when keep_slash. Writes at most 3 * len + 1 bytes to out, the terminator
 * included, and returns the length without it. */
size_t sigv4_uri_encode(const char *in, size_t len, bool keep_slash, char *out);

#endif
