/* One case of a signing suite, read from a folder: request.txt (the request, line ends LF or CRLF), context.json (who signs,
 * when and by which rules) and one file per stage with what must come out. The layout is that of the suite in aws-c-auth.
 *
 * context.json: credentials { access_key_id, secret_access_key, token }, region, service, timestamp (ISO 8601, UTC),
 * expiration_in_seconds, normalize, omit_session_token, sign_body (adds x-amz-content-sha256), signed_body_value (what
 * stands for the payload hash); our own vectors also have path_rule ("s3"). */
#ifndef TESTS_CONFORMANCE_SIGV4_CASE_H
#define TESTS_CONFORMANCE_SIGV4_CASE_H

#include "sigv4/sigv4.h"

struct cJSON;

struct sigv4_case {
  char *name;
  char *folder;
  struct cJSON *context;
  char *message; /* request.txt, cut up in place */
  struct sigv4_header *headers;
  size_t header_cap;
  struct sigv4_request request; /* points into the above */
  struct sigv4_credentials credentials;
  const char *region;
  const char *service;
  int64_t ms_utc;
  unsigned expires_seconds;
};

/* NULL, or why the case cannot be read. The case is to be ended either way. */
const char *sigv4_case_read(struct sigv4_case *c, const char *folder);
void sigv4_case_fini(struct sigv4_case *c);

/* The whole file as a string, NULL where it is not there. */
char *sigv4_case_file(const char *folder, const char *name);
/* The request with what signing adds, in the form of the suite's signed requests. */
char *sigv4_case_signed_request(const struct sigv4_case *c, const struct sigv4_signed *s);

#endif
