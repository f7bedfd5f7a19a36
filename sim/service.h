/* A service is one file with a table of operations; the dispatcher finds the operation, checks who asks, and lets it
 * answer. To add one: write the file, declare its table here, and name it in the list in service.c. */
#ifndef GLUETOP_SIM_SERVICE_H
#define GLUETOP_SIM_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/json.h"
#include "sim/account.h"
#include "sim/faults.h"
#include "sim/verify.h"
#include "sim/wire.h"

struct sim_world; /* private.h */

struct sim_call {
  struct sim_world *world;
  const struct sim_http *http;
  const struct sim_key *key;   /* the caller's; NULL: unsigned, or any key is believed */
  struct sim_account *account; /* the caller's */
  const struct cJSON *in;      /* the request's members; for the query protocol an object of strings */
  const struct fault_effect *effect;
  const struct verify_outcome *caller;
  const char *operation;
  struct arena *scratch; /* ends with the call */
  int64_t clock_ms;      /* the server's time, for tokens and expiry */
  struct jw out;         /* the answer; JSON services only */
  struct buf *body;
  const char *content_type; /* REST; NULL: application/json */
  /* Set by sim_fail: */
  int status;
  const char *code;
  char message[1200];
  bool modelled; /* an error of the service's model: its text is "Message" */
};

struct sim_operation {
  const char *name;
  void (*run)(struct sim_call *call);
  bool open;          /* unsigned, by its nature: who asks proves it otherwise */
  const char *method; /* REST only, */
  const char *path;   /* REST only: the whole of it, or, ending in "/", what it begins with */
};

/* REST answers are the operation's own affair: it may set status and content type. */
enum sim_protocol { SIM_JSON_1_1, SIM_QUERY, SIM_REST };

struct sim_service {
  const char *signing_name;
  enum sim_protocol protocol;
  const char *target_prefix;              /* JSON: before the dot of X-Amz-Target; query: the Version */
  const char *xml_namespace;              /* query only */
  const struct sim_operation *operations; /* ends with a NULL name */
  const char *const
      *homes; /* Regions that requests may be signed for besides the account's own; NULL: none. Ends with NULL */
};

extern const struct sim_service sim_glue;
extern const struct sim_service sim_sts;
extern const struct sim_service sim_pricing;
extern const struct sim_service sim_quotas;
extern const struct sim_service sim_sso;      /* portal and OIDC */
extern const struct sim_service sim_metadata; /* of instance and container, and sign-in */

/* The operation fails with an error of its model (HTTP 400; 500 for InternalServiceException). The first one stands. */
void sim_fail(struct sim_call *call, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool sim_failed(const struct sim_call *call);
/* A parameter of the request's query, decoded, in scratch; NULL when absent. */
const char *sim_query(struct sim_call *call, const char *name);
/* A required string member of the request; fails the call and gives NULL when it is absent. */
const char *sim_need_str(struct sim_call *call, const char *name);
/* An optional integer member within [low, high]; `otherwise` when absent. Fails the call when it is out of bounds. */
int64_t sim_take_int(struct sim_call *call, const char *name, int64_t low, int64_t high, int64_t otherwise);

/* Pages. A token names a place in one operation's answer to one question, is signed, and lives for an hour. */
struct sim_page {
  int64_t position; /* what the operation counts by; -1 at the first page */
  int64_t size;
  bool empty; /* answer with no items now (a fault) and the token that sim_page_next writes */
  uint64_t question;
  int64_t empties_left;
};
/* `question` tells apart what tokens may not be mixed (for GetJobRuns the job). False: the call has failed. */
bool sim_page_begin(struct sim_call *call, struct sim_page *page, int64_t max_size, int64_t default_size,
                    const char *question);
/* Writes NextToken for the place `position`; -1: this was the last page (no token, unless a fault wants one). */
void sim_page_next(struct sim_call *call, const struct sim_page *page, int64_t position);

/* Numbers and times as Java prints doubles: 10.0, 0.0625, 1.790000000123E9. */
void sim_put_double(struct jw *w, double v);
void sim_put_time(struct jw *w, int64_t ms, bool exponent);

/* Takes one request to its answer. http is whole; effect was drawn for this operation. */
void sim_dispatch(struct sim_world *world, const struct sim_http *http, const char *operation,
                  const struct fault_effect *effect, struct sim_reply *reply, bool *carried_out);
/* "GetJobRuns" of the request, or "" when it names none; found before anything else is looked at. */
const char *sim_operation_name(const struct sim_http *http, char out[64]);

#endif
