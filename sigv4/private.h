/* Private to sigv4/: what the parts of the signer share. Nothing here is for callers. */
#ifndef SIGV4_PRIVATE_H
#define SIGV4_PRIVATE_H

#include "sigv4/sigv4.h"

#include <string.h>

#define SIGV4_DIGEST_SIZE 32
#define SIGV4_HEX_SIZE    64
/* SHA-256 works on blocks of 64 bytes; HMAC pads its key to one block. */
#define SIGV4_BLOCK_SIZE 64

/* "20150830T123600Z"; the first eight characters are the date of the scope. */
#define SIGV4_TIME_SIZE 16
#define SIGV4_DATE_SIZE 8

/* A stretch of bytes that is not ours to free and has no terminator. */
struct sigv4_span {
  const char *at;
  size_t len;
};

/* Writes into memory whose size was computed beforehand. A write that would go past the end is dropped and remembered, so
 * that an error in the sum can never become a write out of bounds: the signature is then refused. */
struct sigv4_out {
  char *at;
  char *end;
  bool overflow;
};

/* Here, and not in encode.c, since they run for every byte of a signature. */
static inline void sigv4_out_put(struct sigv4_out *out, const char *data, size_t len)
{
  if ((size_t)(out->end - out->at) < len) {
    out->overflow = true;
    return;
  }
  memcpy(out->at, data, len);
  out->at += len;
}

static inline void sigv4_out_char(struct sigv4_out *out, char c)
{
  if (out->at == out->end) {
    out->overflow = true;
    return;
  }
  *out->at++ = c;
}

static inline void sigv4_out_text(struct sigv4_out *out, const char *text)
{
  sigv4_out_put(out, text, strlen(text));
}

/* encode.c */

/* RFC 9110 token: the characters of header names and methods. */
bool sigv4_is_token(const char *text, size_t len);
/* Text that can be a part of the scope or the access key: visible ASCII without '/', ',' and ';'. */
bool sigv4_is_scope_part(const char *text);
/* Visible ASCII only: a session token or a given payload hash. */
bool sigv4_is_visible(const char *text);
/* Writes a header name in lower case; false where it is not a token. */
bool sigv4_put_name(struct sigv4_out *out, const char *name, size_t len);
void sigv4_hex(const unsigned char *digest, size_t len, char *out);
/* "YYYYMMDDTHHMMSSZ", without a terminator; false outside 1970 to 9999. */
bool sigv4_format_time(int64_t ms_utc, char out[SIGV4_TIME_SIZE]);
/* Encodes every byte that is not unreserved; '/' stays when keep_slash. */
void sigv4_put_encoded(struct sigv4_out *out, struct sigv4_span in, bool keep_slash);
/* The same for text that may be encoded already: an escape is decoded first, a '%' that begins none is a plain character. */
void sigv4_put_reencoded(struct sigv4_out *out, struct sigv4_span in);
/* Encodes what is not unreserved, '/' or an escape already; escapes stay. */
void sigv4_put_encoded_once(struct sigv4_out *out, struct sigv4_span in);
/* Encodes only what may not stand in a query string: what the caller wrote is sent as it is wherever it can be. */
void sigv4_put_wire_query(struct sigv4_out *out, struct sigv4_span query);

/* keys.c */

struct sigv4_key_query {
  struct sigv4_span secret;
  const char *date; /* SIGV4_DATE_SIZE characters */
  struct sigv4_span region;
  struct sigv4_span service;
};

enum sigv4_status sigv4_keys_sha256(struct sigv4_keys *keys, const void *data, size_t len,
                                    unsigned char digest[SIGV4_DIGEST_SIZE]);
/* HMAC of data with the signing key of the query, which is derived now or taken from the cache. */
enum sigv4_status sigv4_keys_sign(struct sigv4_keys *keys, const struct sigv4_key_query *query, const void *data,
                                  size_t len, unsigned char digest[SIGV4_DIGEST_SIZE]);

/* canonical.c */

/* A header with its name in lower case, or a parameter with name and value encoded. */
struct sigv4_pair {
  struct sigv4_span name;
  struct sigv4_span value;
  size_t index; /* place in the request: headers of one name keep their order */
};

bool sigv4_header_is_unsigned(struct sigv4_span lower_name);
/* True where value can be a header's value: no control characters, line ends only as folds (followed by a blank). */
bool sigv4_header_value_is_valid(const char *value, size_t len);
void sigv4_sort_headers(struct sigv4_pair *pairs, size_t count);
void sigv4_sort_parameters(struct sigv4_pair *pairs, size_t count);
/* "name:value\n" per name, values of one name joined by commas; pairs are sorted. */
void sigv4_put_headers(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count);
/* "name;name" */
void sigv4_put_signed_headers(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count);
void sigv4_put_parameters(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count);
void sigv4_put_path(struct sigv4_out *out, const struct sigv4_request *request, struct sigv4_span path, char *scratch);
/* How many parameters the raw query has at most. */
size_t sigv4_count_parameters(struct sigv4_span query);
/* Splits the raw query; names and values are encoded into scratch. Returns the number of parameters. */
size_t sigv4_split_query(struct sigv4_span query, struct sigv4_pair *pairs, struct sigv4_out *scratch);

#endif
