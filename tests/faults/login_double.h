/* Stands in for src/aws/login.c: a login whose every step the test decides. */
#ifndef GLUETOP_TESTS_FAULTS_LOGIN_DOUBLE_H
#define GLUETOP_TESTS_FAULTS_LOGIN_DOUBLE_H

#include "aws/credentials.h"

struct login {
  enum login_state state;
  int keys;        /* number at the end of the access key; grows with each invalidation */
  int invalidated; /* how often */
  int dead_after;  /* invalidations until it fails; 0: never */
  int64_t next_ms; /* login_next_turn_ms */
  char id[32];
  char used[32]; /* access key of the request that was refused last */
  struct credentials credentials;
  struct err err;
};
void login_double_init(struct login *l, enum login_state state);
void login_double_fini(struct login *l);

#endif
