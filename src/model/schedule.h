/* When jobs will start: by SCHEDULED triggers (cron, UTC) and by CONDITIONAL triggers behind the expected end of their predecessors.
 *
 * Only ACTIVATED triggers fire (CREATED and DEACTIVATED mean off). A conditional trigger is followed where its conditions ask for SUCCEEDED
 * jobs; what waits for a crawler, for a failure, or for a job without history cannot be foretold and is left out. Completions count only
 * for runs that a trigger started, and inside one workflow. ANY fires at each completion, AND when every condition was met once more. */
#ifndef GLUETOP_MODEL_SCHEDULE_H
#define GLUETOP_MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"
#include "model/stats.h"

bool schedule_trigger_on(const struct model *m, const struct trigger *t);
/* The trigger's cron expression, parsed; false: it has none that can be read. */
struct cron;
bool schedule_trigger_cron(const struct model *m, const struct trigger *t, struct cron *out);

/* The next start of a job by SCHEDULED triggers that are on, strictly after after_ms; WHEN_NONE: none. trigger (may be NULL) gets its name. */
int64_t schedule_next(const struct model *m, int place, strid job, int64_t after_ms, strid *trigger);

/* A planned time that passed without a run. */
struct overdue {
  int64_t due_ms; /* the schedule's last time */
  strid trigger;
  bool off; /* the trigger was switched off, but the job had run at the time before */
};
/* grace_ms: how late a start may be. False: not overdue, or its runs were not read since the time came. */
bool schedule_overdue(const struct model *m, int place, const struct job *j, int64_t now_ms, int64_t grace_ms,
                      struct overdue *out);

struct planned_start {
  int place;
  strid job;
  strid trigger;
  int64_t at_ms;   /* expected */
  int64_t late_ms; /* the same when everything before takes as long as its 95th percentile; at_ms for SCHEDULED */
  bool conditional;
  double seconds;          /* expected length of the run (median); NAN unknown */
  double late_seconds;     /* its 95th percentile; NAN unknown */
  int32_t timeout_minutes; /* the trigger's own; -1: the job's */
};

#define PLAN_LIMIT 8000 /* starts; enough for 25 jobs every five minutes for a day and a night */

/* Planned starts in (from, until], in order of at_ms. Made in steps: plan_begin, plan_step until it says true. The model must not change
 * in between (begin again when its generation has moved). `starts` may be read at any moment; it is complete when done. */
struct plan {
  struct planned_start *starts; /* owned */
  size_t count, cap;
  int64_t from_ms, until_ms;
  bool truncated;    /* PLAN_LIMIT was reached */
  size_t unreadable; /* schedules that are on and cannot be read */
  bool done;
  struct plan_work *work;
};
void plan_init(struct plan *p);
void plan_fini(struct plan *p);
/* place -1: all open places. */
void plan_begin(struct plan *p, const struct model *m, struct stats_cache *stats, int place, int64_t from_ms,
                int64_t until_ms);
/* budget: events to work through; 1,000 take well under 2 ms. True: done. */
bool plan_step(struct plan *p, const struct model *m, struct stats_cache *stats, size_t budget);
/* Both at once, for commands and tests. */
void plan_make(struct plan *p, const struct model *m, struct stats_cache *stats, int place, int64_t from_ms,
               int64_t until_ms);
/* First planned start of a job, or NULL. */
const struct planned_start *plan_next(const struct plan *p, int place, strid job);

/* Expected end of a live run: its beginning (or now, when it has not begun) plus the percentile of those runs of the job that lasted at least
 * as long as it has by now; now when none did. WHEN_NONE: no history. */
int64_t schedule_run_end(const struct run *r, const struct job_stats *s, int64_t now_ms, double percent);

/* Does any open context lead to the place? Boards leave out the others. */
bool schedule_place_open(const struct model *m, int place);

#endif
