/* Which runs a board must look at again: every run once, later only those of jobs whose runs changed. Work comes in slices, so that no turn
 * of the loop is held up however long a history is. Shared by the boards; says nothing about what they count. */
#ifndef GLUETOP_MODEL_SWEEP_H
#define GLUETOP_MODEL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"

/* Runs that any board can work through in under 2 ms; what front ends pass as budget. */
#define SWEEP_SLICE 2000

struct sweep_place {
  uint64_t *generation; /* by job; UINT64_MAX: never seen */
  size_t count;
  uint32_t epoch;
  bool open;
};
struct sweep {
  int64_t since_ms; /* runs that cannot meet a window from there on are left out; INT64_MIN: none is */
  struct sweep_place *places;
  size_t place_count;
  size_t place, job, run; /* where it stands */
  uint64_t in_generation; /* of the job that is half done */
  bool in_job;
  bool clean; /* this pass over the jobs began at the first one and has found nothing to do */
};

enum sweep_kind {
  SWEEP_DONE,    /* everything is up to date */
  SWEEP_PAUSE,   /* the budget is used up */
  SWEEP_CLEARED, /* all that was counted of `place` is void (its rows were thrown away, or nobody looks at it any more) */
  SWEEP_RUNS     /* look at runs [from, to) of the job */
};
struct sweep_part {
  int place;
  size_t job; /* index in the place */
  size_t from, to;
  bool first; /* forget what was counted of this job before */
  bool last;  /* the job is complete after this */
};

void sweep_init(struct sweep *s);
void sweep_fini(struct sweep *s);
void sweep_again(struct sweep *s); /* everything from the beginning (another window): parts begin with first */
/* only: a place, or -1 for all open ones. */
enum sweep_kind sweep_next(struct sweep *s, const struct model *m, int only, size_t *budget, struct sweep_part *part);

#endif
