/* What the files of gluesim share about one running server. */
#ifndef GLUETOP_SIM_PRIVATE_H
#define GLUETOP_SIM_PRIVATE_H

#include <pthread.h>
#include "base/clock.h"
#include "sim/account.h"
#include "sim/faults.h"
#include "sim/service.h"
#include "sim/sim.h"

struct MHD_Daemon;

struct sim_tally {
  char operation[64];
  struct sim_count count;
};

struct sim_world {
  struct sim_account account;
  struct faults faults;
  struct clock clock;
  int64_t shift_ms;    /* account's present = wall clock - shift */
  struct arena memory; /* of the keys */
  struct sim_key *keys;
  size_t key_count, key_cap;
  struct sim_ticket *tickets;
  size_t ticket_count, ticket_cap;
  int64_t token_lifetime_ms;
  struct sim_other *wanted; /* what other accounts hold, as the options say */
  size_t wanted_count;
  const char **prices; /* as the options say */
  size_t price_count;
  struct sim_account **others; /* those that somebody has logged in to */
  size_t other_count, other_cap;
  char kind[256]; /* of the main account */
  int64_t large_jobs, large_runs;
  bool any_key, control;
  char region[64]; /* "": any */
  char account_region[64];
  char account_id[16];
  uint64_t seed, requests;
  struct sim_tally *tallies;
  size_t tally_count, tally_cap;
};

/* Something that was given out and may be shown again. */
enum sim_ticket_kind { TICKET_SSO, TICKET_SSO_REFRESH, TICKET_DEVICE, TICKET_METADATA, TICKET_SIGNIN_REFRESH };
struct sim_ticket {
  enum sim_ticket_kind kind;
  char text[64];
  char user_code[16]; /* of a device */
  int64_t ends_ms;    /* INT64_MAX: never */
  int64_t polled_ms;  /* of a device: when its token was last asked for; INT64_MIN: not yet */
  enum { DEVICE_WAITS, DEVICE_AGREED, DEVICE_REFUSED } answer;
};

struct sim_exchange; /* sim.c: fills an account as --account says. */
struct err sim_world_fill(const struct sim_world *w, struct sim_account *a, const char *kind) ERR_MUST_CHECK;
/* The caller's account. NULL id: the main one. */
struct sim_account *sim_world_account(struct sim_world *w, const char *id);

/* issue.c: what is given out. Keys that begin with ASIA, good until the server's clock says *ends_ms. lifetime_s 0: as the
 * options say; never longer than those. The strings live as long as the world. */
const struct sim_key *sim_issue_key(struct sim_world *w, const char *account_id, const char *arn, int64_t lifetime_s);
/* The pointer is valid until the next one is issued. */
struct sim_ticket *sim_issue_ticket(struct sim_world *w, enum sim_ticket_kind kind, int64_t ends_ms);
struct sim_ticket *sim_find_ticket(struct sim_world *w, enum sim_ticket_kind kind,
                                   const char *text); /* NULL: none, or ended */
/* "123456789012" of an ARN or the main account's; in out. */
const char *sim_arn_account(const struct sim_world *w, const char *arn, char out[16]);

/* http.c */
struct sim {
  struct sim_world world;
  pthread_mutex_t lock; /* over everything below and the world */
  pthread_t thread;
  bool thread_runs;
  int wake[2]; /* a byte here makes the loop look again; end of file or 'q' ends it */
  struct MHD_Daemon *daemon;
  int port;
  struct sim_exchange *sleepers; /* exchanges that wait for their time */
};

int64_t sim_world_now(struct sim_world *w); /* advances nothing */
struct sim_tally *sim_world_tally(struct sim_world *w, const char *operation);

/* http.c */
struct err sim_http_open(struct sim *s, int port) ERR_MUST_CHECK;
void sim_http_close(struct sim *s);
/* One turn of the loop, the lock held except while it waits. extra: descriptors to watch (-1 for none); ready gets which
 * of them are readable. */
void sim_http_turn(struct sim *s, const int *extra, bool *ready, size_t extra_count);

/* control.c: /_sim/…; false: not one of its paths. */
bool sim_control(struct sim_world *w, const struct sim_http *http, struct sim_reply *reply);

#endif
