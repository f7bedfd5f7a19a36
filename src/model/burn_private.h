/* What only the files of the burn board share. Finished runs are counted when their job is swept, into the job's own figures and two books of
 * days. There are two sweeps: what does not hang on the window (the calendar, what is usual) is counted when a job's runs changed; what does
 * is counted again when the window has left some of its runs behind, from those that can meet it. What lives changes with every second and is counted anew for each result; there are few
 * such runs. */
#ifndef GLUETOP_MODEL_BURN_PRIVATE_H
#define GLUETOP_MODEL_BURN_PRIVATE_H

#include "model/burn.h"
#include "model/daybook.h"
#include "model/parts.h"
#include "model/stats.h"
#include "model/sweep.h"

#define BURN_MEDIAN_RUNS   STATS_RUNS_DEFAULT
#define BURN_FORECAST_DAYS 7
#define BURN_MEDIAN_LEAST  5 /* fewer successes say nothing about what is usual */

struct burn_trend {
  int64_t nano;
  int64_t runs;
};

/* What the finished runs of a job come to. */
struct burn_part {
  struct cost_sum sum, failed;
  struct cost_sum wastes[BURN_WASTES];
  struct cost_sum classes[BURN_CLASSES];
  struct burn_trend trend[BURN_TREND];
  struct daybook_part window_days, calendar_days;
  struct burn_unusual *unusual; /* the newest BURN_UNUSUAL_MOST of them */
  size_t unusual_count, unusual_cap;
  size_t unusual_more; /* and so many older ones */
  int64_t oldest_ms;   /* StartedOn of the first of them; INT64_MAX: none */
  int64_t median_nano;
  size_t median_runs;
};

/* A run of the job in work that may turn out to be unusual. */
struct burn_candidate {
  size_t run;
  int64_t nano;
};

struct burn {
  int only;
  struct sweep sweep; /* of the window */
  struct sweep base;  /* of calendar and medians; always ahead of the other */
  struct parts parts; /* of struct burn_part */
  struct daybook window_book, calendar_book;
  uint64_t prices_generation; /* of the table that the sums were made with */
  bool calendar_before;       /* money was spent before the first day that the calendar keeps */
  /* The stretches of the trend: of one length, on a grid that stands still while the window moves over it; this one is the last. */
  int64_t stretch_ms, stretch_last;
  /* of the job in work */
  int64_t medians[BURN_MEDIAN_RUNS];
  size_t median_count;
  struct burn_candidate *candidates;
  size_t candidate_count, candidate_cap;
  /* unusual runs that are over, newest first; made anew when one came or went */
  bool unusual_stale;
  struct burn_unusual *unusual;
  size_t unusual_count, unusual_cap, unusual_more;
  /* the result and its arrays */
  struct burn_result result;
  size_t job_cap, day_cap, result_unusual_cap;
  struct daybook live_book, live_calendar; /* the books with the live runs in them, made for each result */
  struct daybook_part scratch;
  /* how far back everything is known, as of this generation and day */
  uint64_t known_generation;
  int64_t known_day, known_from_ms;
  int known_only;
};

/* The first day that any calendar figure asks for. */
int64_t burn_calendar_first(int64_t now_ms);
/* Did the run begin to cost? If not, when it was accepted stands in; 0 when nothing is known. */
int64_t burn_began_or_started(const struct run *r);
/* More than BURN_UNUSUAL times the median of enough runs? */
bool burn_is_unusual(const struct burn_part *part, int64_t nano);

#endif
