/* What a service's refusal means: error bodies in every form they are met in, and the one table from codes to kinds.
 *
 * Forms (facts: AWS JSON 1.1 protocol, query protocol): the code in the header x-amzn-errortype or in the body's "__type", with a
 * prefix up to '#' or a suffix from ':'; the text under "message" or "Message"; XML ErrorResponse; OAuth's "error" and
 * "error_description"; HTML of a proxy where JSON was due; nothing at all. Never holds anything of the request. */
#ifndef GLUETOP_AWS_ERRORS_H
#define GLUETOP_AWS_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct aws_refusal {
  int status;
  const char *error_type; /* header x-amzn-errortype (or x-amzn-query-error); or NULL */
  const char *request_id; /* header; or NULL */
  const char *body;
  size_t body_len;
};
/* The error of an answer that is not 2xx: kind, code, message, request id and hint. Always an error. */
struct err errors_read(const struct aws_refusal *refusal) ERR_MUST_CHECK;
/* code may be NULL */
enum err_kind errors_kind(int status, const char *code);
/* Does the code say (or allow) that our clock is wrong? RequestTimeTooSkewed, InvalidSignatureException and their like. */
bool errors_may_be_skew(const char *code);
/* The endpoint does not offer the operation: UnknownOperationException, 404 without a code, 405, 501. Not to be taken for "no such job". */
bool errors_is_unsupported(const struct err *e);
/* The server's time as told in the text of a skew refusal: "… is now earlier than 20240319T125554Z (20240319T130054Z - 5 min.)". */
bool errors_server_time(const char *message, int64_t *ms);

#endif
