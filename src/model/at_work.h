/* Which runs of one job were at work at a moment: how many, and the newest of them. Made in n log n at most from the job's runs, asked in
 * log n, however many there are and however they overlap.
 *
 * A run that has begun holds a slot for sure. Between acceptance and work it may have been starting up (and held one) or waiting (and held
 * none), which its times do not tell: AT_WORK_OR_STARTING takes a short while as start-up. */
#ifndef GLUETOP_MODEL_AT_WORK_H
#define GLUETOP_MODEL_AT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"

enum at_work_kind { AT_WORK, AT_WORK_OR_STARTING, AT_WORK_KINDS };
#define AT_WORK_START_UP_MS (3 * WHEN_MINUTE) /* a run that worked so soon did not wait for a slot */

/* A run's time at work of one kind. */
struct at_work_moment {
  int64_t ms;
  uint32_t run;
};
struct at_work_order {
  struct at_work_moment *begins; /* in order of time */
  int64_t *tops;                 /* over them, a tree of their ends: the latest end of each half, of each quarter … */
  struct at_work_moment *ends;   /* in order of time */
  size_t count, cap, leaves, leaf_cap;
  bool made;
};
struct at_work {
  const struct job *job;
  strid name;
  uint64_t generation;
  uint32_t epoch;
  struct at_work_order orders[AT_WORK_KINDS];
  uint64_t
      touched; /* how many times a run or a moment was looked at: what all of it has cost, for tests of how that grows */
  struct at_work_moment *scratch;
  size_t scratch_cap;
};
void at_work_init(struct at_work *w);
void at_work_fini(struct at_work *w);
/* Of this job from now on; what was made of the same runs stays. The job must not change between this and the questions. */
void at_work_of(struct at_work *w, const struct model *m, const struct job *j);
void at_work_forget(struct at_work *w);

/* Runs at work at that moment, but for the run at `except` (SIZE_MAX: none). */
size_t at_work_count(struct at_work *w, enum at_work_kind kind, int64_t at_ms, size_t except);
/* Their indexes in the job, those first that began last; at most cap. Returns how many were filled. */
size_t at_work_newest(struct at_work *w, enum at_work_kind kind, int64_t at_ms, size_t except, size_t *out, size_t cap);

/* The most at work at once within [from, to], and the first moment of it; 0 and WHEN_NONE when there was nobody. */
size_t at_work_peak(struct at_work *w, enum at_work_kind kind, int64_t from_ms, int64_t to_ms, int64_t *at_ms);

#endif
