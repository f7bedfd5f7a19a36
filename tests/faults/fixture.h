/* A transport on a clock that stands still, a scripted server, and a loop that drives both: time moves only where the transport
 * waits for its own timer, or where the script hangs. */
#ifndef GLUETOP_TESTS_FAULTS_FIXTURE_H
#define GLUETOP_TESTS_FAULTS_FIXTURE_H

#include <stdbool.h>
#include "aws/transport.h"
#include "tests/faults/server.h"

/* Far from each other and from any back-off, so that the driver can tell what the transport waits for. */
#define FIXTURE_CONNECT_MS INT64_C(100000)
#define FIXTURE_STALL_MS   INT64_C(200000)
#define FIXTURE_TOTAL_MS   INT64_C(700000)
#define FIXTURE_NOW_MS     INT64_C(1790000000000)

struct outcome {
  int calls;
  enum err_kind kind;
  int status, tries;
  bool left_us;
  int64_t skew_ms;
  char body[2048];
  size_t body_len;
  char code[128], message[1024], hint[256], what[128], request_id[64];
};

struct fixture {
  struct clock clock;
  struct server *server;
  struct transport *t;
  struct endpoint endpoint;
  char url[64], host[64];
  int64_t on_hang_ms; /* time passes by this when the script hangs */
  uint64_t retries_seen;
  int garbled; /* so many answers does the accept function refuse */
  struct outcome out;
};
struct fixture *fixture_new(const struct step *steps, size_t count, size_t max_response);
void fixture_free(struct fixture *f);
/* A signed GetJobRuns, or a StartJobRun when it changes something; may be altered before fixture_send. */
struct transport_request fixture_request(struct fixture *f, enum transport_change change);
uint64_t fixture_send(struct fixture *f, const struct transport_request *r);
/* Until `calls` call-backs have come. */
void fixture_drive(struct fixture *f, int calls);
struct outcome *fixture_run(struct fixture *f, const struct transport_request *r);
const struct credentials *fixture_credentials(void);

#endif
