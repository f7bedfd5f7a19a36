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

struct sweep_job {
  uint64_t generation; /* UINT64_MAX: never seen */
  int64_t leaves_ms;   /* end of the first of its runs that a window that moves on leaves behind; INT64_MAX: none */
};
struct sweep_place {
  struct sweep_job *jobs;
  size_t count;
  uint32_t epoch;
  bool open;
};
struct sweep {
  /* The window. Runs that cannot meet it are left out; until one is set every run is looked at. */
  int64_t since_ms, until_ms;
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
void sweep_again(struct sweep *s); /* everything from the beginning (other prices): parts begin with first */
/* Another window. One that only begins later costs the jobs whose runs it leaves behind, which are looked at again; any other is begun from
 * the beginning. */
enum sweep_window { SWEEP_WINDOW_SAME, SWEEP_WINDOW_MOVED, SWEEP_WINDOW_OTHER };
enum sweep_window sweep_set_window(struct sweep *s, int64_t since_ms, int64_t until_ms);
/* run_meets, for the runs of the part that sweep_next gave last: what is counted by it will be looked at again when the window has left it. */
bool sweep_meets(struct sweep *s, const struct run *r, int64_t now_ms);
/* only: a place, or -1 for all open ones. */
enum sweep_kind sweep_next(struct sweep *s, const struct model *m, int only, size_t *budget, struct sweep_part *part);

#endif
