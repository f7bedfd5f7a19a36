/* What it costs: in a window, by job, by day and by price class; now per hour; this month, and at its end. Job runs only.
 *
 * The sum of a window is the sum of its runs (those that meet it, whole), so that it is the same figure as in the list of runs; what of it was
 * spent before the window began is told beside it, for streams above all. Days are
 * UTC, as bills are; the cost of a run is spread evenly over the time it ran, and `days` add up to the window's sum exactly.
 * today, week and month are calendar figures: only what fell into that time counts, whatever window is on show. */
#ifndef GLUETOP_MODEL_BURN_H
#define GLUETOP_MODEL_BURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/cost.h"
#include "model/model.h"

#define BURN_TREND        12 /* stretches of time, a twelfth of the window each in whole minutes; the last one holds its end */
#define BURN_UNUSUAL      2 /* a run is unusual at more than so many times its job's median */
#define BURN_UNUSUAL_MOST ((size_t)1000)
#define BURN_CLASSES      ((size_t)PRICE_ITEM_COUNT * PRICE_GENERATION_COUNT)

struct burn_job {
  int place;
  strid job;
  struct cost_sum sum;            /* of the runs in the window */
  struct cost_sum failed;         /* of them, those FAILED, STOPPED or TIMEOUT */
  int64_t median_nano;            /* per successful run, newest 100 known; -1: none */
  int64_t per_run_nano;           /* sum / runs with a known cost; -1: none */
  int64_t trend_nano[BURN_TREND]; /* average per finished run that began in that stretch; -1: none */
  double share;                   /* of the total, 0..1 */
  int64_t before_nano;            /* of the sum, what was spent before the window began */
};
struct burn_day {
  int64_t day_ms; /* midnight UTC */
  int64_t nano;
  int64_t dpu_micros;
};
/* A run that costs more than BURN_UNUSUAL times what its job usually does. */
struct burn_unusual {
  int place;
  strid job;
  struct run run; /* a copy */
  int64_t nano, median_nano;
};

enum burn_waste { BURN_FAILED, BURN_STOPPED, BURN_TIMED_OUT, BURN_WASTES };
const char *burn_waste_word(enum burn_waste w); /* "failed" … as in the JSON output */

struct burn_result {
  int64_t since_ms, until_ms, now_ms;
  struct cost_sum sum, failed;
  int64_t before_nano;                 /* of the sum, what was spent before the window began */
  struct cost_sum wastes[BURN_WASTES]; /* the parts of failed */
  struct burn_job *jobs;               /* dearest first */
  size_t job_count;
  struct burn_day *days; /* oldest first, days of 0 left out */
  size_t day_count;
  struct cost_sum classes[BURN_CLASSES]; /* item * PRICE_GENERATION_COUNT + generation */
  struct burn_unusual *unusual;          /* newest first; of finished ones the last BURN_UNUSUAL_MOST */
  size_t unusual_count;
  size_t unusual_more; /* older ones beyond */

  size_t active_runs;  /* RUNNING and STOPPING */
  size_t waiting_runs; /* WAITING and STARTING */
  int64_t dpu_now_micros;
  size_t dpu_now_unknown; /* active runs of unknown size */
  int64_t nano_per_hour_now;
  int64_t worst_nano;      /* what the unfinished runs cost in all if each goes on to its timeout */
  int64_t worst_more_nano; /* of that, what is not spent yet */
  size_t worst_unlimited;  /* unfinished runs without a timeout, not in worst_nano */
  size_t worst_unknown;

  int64_t today_nano, week_nano /* today and the six days before */, month_nano;
  /* Start of the day (UTC) from which on every readable job's history is wholly known; WHEN_NONE: not even today's. Looked for back to the
   * start of the month or seven days ago. Figures that reach further back are a part of the truth. */
  int64_t known_from_ms;
  bool today_known, month_known;
  /* month_nano plus the rest of the month at the average of the last complete and known days (at most 7, from the first that has a
   * run); -1: nothing to go by. With nothing but today, today's pace. */
  int64_t forecast_nano;
  size_t calendar_unknown; /* runs of this month without a known cost */
  bool estimated;          /* some price or size in month_nano was an estimate */
};

struct burn;
struct burn *burn_new(void);
void burn_free(struct burn *b);
/* Another window or another choice of places; that the table of prices has changed is seen by burn_step itself.
 * Nothing is thrown away when window and place are as they were and force is false. place -1: all open places. */
void burn_begin(struct burn *b, int64_t since_ms, int64_t until_ms, int place, bool force);
/* Work through at most `budget` runs. True: up to date with the model. After a change of the model call it again: only changed jobs
 * are read again. */
bool burn_step(struct burn *b, const struct model *m, const struct price_table *prices, int64_t now_ms, size_t budget);
/* What is known so far (complete after burn_step said true). Live runs are counted anew. Valid until the next call; owned by b. */
const struct burn_result *burn_result(struct burn *b, const struct model *m, const struct price_table *prices,
                                      int64_t now_ms);

/* Sums over jobs whose names match a pattern (text_match). Patterns may overlap; a job that matches none is in no group. */
struct cost_sum burn_group(const struct burn_result *r, const struct model *m, const char *pattern);

#endif
