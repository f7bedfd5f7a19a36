/* gluesim: a stand-in for AWS on loopback, for the demo, the tests and the benchmarks.
 *
 * A real HTTP/1.1 server that checks every SigV4 signature with code of its own (never with sigv4/) and answers as Glue
 * and STS do, and as the services that people log in with (SSO, OIDC, sign-in, instance and container metadata). The account behind it lives: runs start, wait, run, fail, time out, collide and are retried by the
 * service's documented rules. State is computed from the time of the request, so an idle server does nothing.
 *
 * A test embeds it: sim_new, sim_start (a thread of its own), sim_port, requests over the loopback, sim_free.
 * All functions below may be called from any thread after sim_new. */
#ifndef GLUETOP_SIM_SIM_H
#define GLUETOP_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* The key pair of the embedded account when no other is given. It opens nothing but gluesim. */
#define SIM_ACCESS_KEY "AKIAGLUESIMDEMO00001"
#define SIM_SECRET_KEY "gluesim/demo/secret/opens/nothing/else00"
#define SIM_REGION     "eu-west-1"
#define SIM_ACCOUNT_ID "441290129012"

struct sim;

struct sim_key {
  const char *access_key;
  const char *secret_key;
  const char *session_token; /* NULL: requests with this key carry no token */
  int64_t expires_ms;        /* not good any more from then on (wall or test clock); 0: always good */
  const char *account_id;    /* whose it is; NULL: the main account's */
  const char *arn;           /* of the session that it belongs to; NULL: made up from the key */
};

/* What the login services know from the beginning: tokens for the tests' cache files, and what a container sends. */
#define SIM_SSO_TOKEN       "gluesim-sso-access-token"
#define SIM_SSO_REFRESH     "gluesim-sso-refresh-token"
#define SIM_SSO_CLIENT      "gluesim-sso-client"
#define SIM_SSO_SECRET      "gluesim-sso-client-secret"
#define SIM_CONTAINER_TOKEN "gluesim-container-token"
#define SIM_SIGNIN_REFRESH  "gluesim-signin-refresh-token"
#define SIM_INSTANCE_ROLE   "gluesim-instance-role"

/* Another account on the same server: a role's ARN or an SSO account id leads there. */
struct sim_other {
  const char *account_id;
  const char *account; /* as sim_options.account */
};

struct sim_options {
  int port; /* 0: a free one */
  uint64_t seed;
  int64_t now_ms;             /* the account's present at start; WHEN_NONE: the wall clock's */
  const char *account;        /* "demo", "large", "empty", or the path of a JSON file; NULL: demo */
  int64_t jobs, runs;         /* of the large account, in all */
  bool manual_clock;          /* time stands still until sim_advance; begins at now_ms */
  bool control;               /* serve /_sim/faults, /_sim/stats and /_sim/advance, unsigned */
  const char *region;         /* requests signed for another are refused; "any" takes all; NULL: SIM_REGION */
  const char *account_id;     /* NULL: SIM_ACCOUNT_ID */
  const struct sim_key *keys; /* none: the pair above */
  size_t key_count;
  bool any_key;              /* any access key is known and its signature is believed (form and date still count) */
  const char *const *faults; /* as sim_fault_add */
  size_t fault_count;
  int64_t token_lifetime_s;       /* of keys that the login services give out; 0: 3600 */
  const struct sim_other *others; /* accounts that are not here: of the main one's kind, grown from another seed */
  size_t other_count;
  const char *const *prices; /* "ETL-DPU-Hour=4400": what the price list says of a usagetype with this end */
  size_t price_count;
};

void sim_options_init(struct sim_options *o);
/* Builds the account and binds the port (127.0.0.1 only). Everything in the options is copied. */
struct err sim_new(const struct sim_options *o, struct sim **out) ERR_MUST_CHECK;
struct err sim_start(struct sim *s) ERR_MUST_CHECK; /* serve in a thread of its own */
/* Serve in this thread until stop_fd is readable, or parent_fd or test_fd (each -1 for none) reaches its end. A line
 * "+MS" on test_fd advances the manual clock. */
struct err sim_serve(struct sim *s, int stop_fd, int parent_fd, int test_fd) ERR_MUST_CHECK;
void sim_free(struct sim *s);

int sim_port(const struct sim *s);
int64_t sim_now(struct sim *s);              /* the account's present, ms since the epoch */
void sim_advance(struct sim *s, int64_t ms); /* manual clocks only: the account, signatures and delays move on */

/* "OP:kind[=value][,rate=R][,count=N][,after=N]"; OP is an operation's name or "*". See gluesim(1) for the kinds. */
struct err sim_fault_add(struct sim *s, const char *spec) ERR_MUST_CHECK;
void sim_faults_clear(struct sim *s);

/* What happened to the requests of one operation ("GetJobRuns"), or of all ("*"). */
struct sim_count {
  uint64_t arrived;   /* requests read to their end, whatever became of them */
  uint64_t unsigned_; /* refused because of signature, key, token or date */
  uint64_t faulted;   /* a fault had a part in the answer */
  uint64_t done;      /* carried out with success: for a call that changes something, it did so this often */
  uint64_t failed;    /* answered with an error of the operation itself */
};
struct sim_count sim_count(struct sim *s, const char *operation);

#endif
