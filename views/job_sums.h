/* What the jobs view has counted of each job's runs, so that only jobs whose runs, window or prices have changed are counted again: with
 * thousands of jobs their runs lie far apart in memory, and to walk over them all for every frame would be most of what it costs. */
#ifndef GLUETOP_VIEWS_JOB_SUMS_H
#define GLUETOP_VIEWS_JOB_SUMS_H

#include "model/cost.h"
#include "model/parts.h"
#include "views/view.h"

#define JOB_SUM_OUTCOMES 8

struct job_sum {
  uint8_t outcomes[JOB_SUM_OUTCOMES]; /* enum run_state of the last starts, newest first */
  uint8_t outcome_count;
  int32_t runs, failed; /* that meet the window */
  struct cost_sum cost; /* of them, live ones as far as they are */
  int64_t next_ms;      /* planned start; WHEN_NONE: none */

  /* what it was counted for; job_sums.c only */
  strid name;
  bool counted;
  uint64_t generation, prices;
  int64_t since_ms, until_ms;
  int64_t leaves_ms; /* a window that begins later has left a run behind; INT64_MAX: none is in it */
  int64_t triggers_ms;
  bool planned;
};

struct job_sums {
  struct parts parts; /* of struct job_sum */
};
void job_sums_init(struct job_sums *s);
void job_sums_fini(struct job_sums *s);
/* index: of the job in its place. Valid until a job comes that was not asked for before. */
const struct job_sum *job_sums_get(struct job_sums *s, const struct scene *scene, int place, size_t index);

#endif
