/* What the Polling view shows: how the asking stands. Written by the app about once a second, without touching the generation: it changes all
 * the time, and a view that shows it draws by its own clock. */
#ifndef GLUETOP_MODEL_POLLING_H
#define GLUETOP_MODEL_POLLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strpool.h"

#define POLLING_ROWS_MAX 64

/* One thing that is asked now or next. */
struct polling_row {
  const char *what; /* "GetJobRuns", "GetJobs": lives for ever */
  const char *why;  /* "on the screen", "in flight", "in its turn": lives for ever */
  strid job;        /* 0: not about one job */
  bool in_flight;
  int64_t due_ms;     /* wall; in the past: as soon as the budget allows */
  int64_t fetched_ms; /* of what is known now; WHEN_NONE: nothing */
  bool failing;       /* the last try failed: see the freshness of the thing for the reason */
};

struct polling_place {
  int place;
  int context;        /* who asks; -1: nobody is logged in */
  double limit;       /* requests a second that the budget allows; INFINITY: the service has not throttled */
  double fixed_limit; /* max_requests_per_second; 0: none */
  unsigned in_flight;
  unsigned last_minute;     /* requests sent in the last 60 s */
  uint64_t sent, throttled; /* since the start */
  size_t jobs, jobs_read,
      jobs_failing;  /* of the jobs that are polled: how many were read in this session, and how many fail */
  int64_t oldest_ms; /* wall: the oldest reading among them; WHEN_NONE: some were never read */
  struct polling_row rows[POLLING_ROWS_MAX]; /* in flight first, then by when they are due */
  size_t row_count;
};

struct polling {
  struct polling_place *places; /* of open contexts only; owned by the model */
  size_t place_count;
  int64_t at_ms; /* when it was written; WHEN_NONE: never */
  bool store_usable, store_writable;
  uint64_t store_runs_painted, store_blocks_written, store_busy;
};

#endif
