/* How long a job usually takes, and how it has fared. */
#ifndef GLUETOP_MODEL_STATS_H
#define GLUETOP_MODEL_STATS_H

#include <stddef.h>
#include <stdint.h>
#include "model/model.h"

/* Over how many successful runs percentiles are taken unless somebody chooses another number. */
#define STATS_RUNS_DEFAULT 100
#define STATS_RUNS_MOST    100000

/* Seconds; NAN when count is 0. */
struct stats_times {
  size_t count;
  double p50, p95, max;
};

/* Sorts in place. */
void stats_sort(int64_t *values, size_t count);
/* Of sorted values, with linear interpolation between neighbours (so that 50 is the usual median); NAN for none. 0 <= percent <= 100. */
double stats_percentile(const int64_t *sorted, size_t count, double percent);
/* Share of the values (0..1) that are at or above x: how likely a run is to take at least x. NAN for none. */
double stats_share_at_least(const int64_t *sorted, size_t count, double x);

/* Seconds that a finished run was at work: ExecutionTime, else acceptance to completion; -1 unknown. */
int64_t stats_run_seconds(const struct run *r);

/* What is known of one job's usual length; recomputed when a run of the job changed. */
struct job_stats {
  int64_t *seconds; /* of the newest successful runs, sorted; owned by the cache */
  struct stats_times times;
};
/* Successful means SUCCEEDED; runs without a known length are left out. One cache serves all boards; not thread-safe. */
struct stats_cache;
struct stats_cache *stats_cache_new(size_t runs); /* 0: STATS_RUNS_DEFAULT */
void stats_cache_free(struct stats_cache *c);
/* Over another number of runs from now on; 0: STATS_RUNS_DEFAULT. */
void stats_cache_set_runs(struct stats_cache *c, size_t runs);
size_t stats_cache_runs(const struct stats_cache *c);
/* job: index in the place. Valid until the next call for the same job. Never NULL. */
const struct job_stats *stats_cache_get(struct stats_cache *c, const struct model *m, int place, size_t job);

/* States of the newest starts, newest first; of a chain of attempts only the last. Returns how many (<= cap). */
size_t stats_outcomes(const struct job *j, uint8_t *states, size_t cap);

/* Counts over the runs that meet the window; every attempt counts. */
struct stats_counts {
  size_t runs, succeeded, failed /* FAILED, TIMEOUT, ERROR, EXPIRED */, live;
};
struct stats_counts stats_count(const struct job *j, int64_t since_ms, int64_t until_ms, int64_t now_ms);

#endif
