/* --demo: gluesim as a child on a free port of the loopback interface. It ends with us, whatever way we end: it holds the reading end of a
 * pipe whose writing end only we have. */
#ifndef GLUETOP_DEMO_H
#define GLUETOP_DEMO_H

#include "base/err.h"

struct demo {
  int keep_fd; /* our end of the pipe */
  int pid;
  char url[64];
};

/* Starts gluesim (beside our own program, else on PATH), waits for its address, and puts the demo account's keys into our environment in place of
 * everything that AWS tools read there. Blocks for at most a few seconds; called before the loop begins. */
struct err demo_start(const char *argv0, struct demo *out) ERR_MUST_CHECK;
void demo_stop(struct demo *d);

#endif
