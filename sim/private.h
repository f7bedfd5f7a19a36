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
  size_t key_count;
  bool any_key, control;
  char region[64]; /* "": any */
  char account_region[64];
  char account_id[16];
  uint64_t seed, requests;
  struct sim_tally *tallies;
  size_t tally_count, tally_cap;
};

struct sim_exchange; /* http.c */
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
