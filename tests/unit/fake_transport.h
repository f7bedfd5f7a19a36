/* A transport without a network: every request is handed to the test's own service, and its answer delivered by fake_turn. Linked instead
 * of the real one. */
#ifndef GLUETOP_TESTS_FAKE_TRANSPORT_H
#define GLUETOP_TESTS_FAKE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "aws/transport.h"

struct fake_request {
  uint64_t id;
  char *method;
  char *url; /* whole, with path and query */
  char *body;
  char *headers; /* "name: value\n" each, names in lower case */
  bool is_signed;
  char *access_key_id; /* of the signer; NULL */
  char *signing_region;
  bool secret_body, no_proxy;
  int64_t connect_timeout_ms, total_timeout_ms;
  int max_tries;
  transport_done_fn *done;
  void *user;
  struct fake_request *next;
};

struct fake_answer {
  bool later;             /* no answer in this turn */
  int status;             /* 0: the network failed, see kind */
  enum err_kind kind;     /* with status 0 */
  const char *error_type; /* x-amzn-errortype; or NULL */
  const char *date;       /* Date; or NULL */
  char body[8192];
};
typedef void fake_serve_fn(void *user, const struct fake_request *request, struct fake_answer *answer);

void fake_reset(fake_serve_fn *serve, void *user);
void fake_turn(void); /* answer what is waiting; what that brings about waits for the next turn */
size_t fake_waiting(void);
size_t fake_count(void); /* requests since the reset */
bool fake_has(const struct fake_request *request, const char *header_line_begin);

#endif
