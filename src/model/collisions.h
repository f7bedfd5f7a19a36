/* Who blocked whom, who waits now, and what will clash.
 *
 * Past: starts that were refused (only those made from here are known: the API keeps no trace of others'), runs that failed because too many
 * were active, and runs that had to wait for a slot. A run waited for its job's limit when as many runs of the job as the limit allows were
 * at work when it was accepted; it waited for the account when it was queued for some minutes without such a reason.
 * Now: jobs at their limit or with waiting runs. Predicted: planned starts against the runs that will probably still be at work. */
#ifndef GLUETOP_MODEL_COLLISIONS_H
#define GLUETOP_MODEL_COLLISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/load.h"
#include "model/model.h"
#include "model/schedule.h"
#include "model/stats.h"

enum collision_kind { COLLISION_REJECTED, COLLISION_FAILED, COLLISION_QUEUED, COLLISION_ACCOUNT };
const char *collision_kind_word(enum collision_kind k); /* "rejected" … as in the JSON output */

#define COLLISION_BLOCKERS_MAX 4 /* the newest of them */
struct collision {
  int place;
  strid job;
  int64_t at_ms; /* when it was accepted or refused */
  enum collision_kind kind;
  bool has_run;
  struct run run;                                /* a copy, unless rejected */
  struct run blocked_by[COLLISION_BLOCKERS_MAX]; /* copies; runs of the same job at work at that moment */
  size_t blocked_by_count;
  int64_t waited_seconds; /* -1: it did not wait */
};

struct collision_now {
  int place;
  strid job;
  size_t active;  /* STARTING, RUNNING, STOPPING */
  size_t waiting; /* WAITING */
  int32_t limit;
  struct run holder;        /* the active run that has been at work longest */
  int64_t holder_end_ms;    /* expected (median); WHEN_NONE */
  int64_t waiting_since_ms; /* of the oldest waiting run; WHEN_NONE */
  strid reason;             /* its StateDetail; 0 */
};

enum collision_advice {
  COLLISION_ADVISE_QUEUING = 1, /* switch job run queuing on */
  COLLISION_ADVISE_LIMIT = 2,   /* raise MaxConcurrentRuns */
  COLLISION_ADVISE_LATER = 4,   /* start at suggested_ms */
  COLLISION_ADVISE_FASTER = 8   /* it takes longer than the time between two starts */
};
struct collision_predicted {
  int place;
  strid job;
  int64_t at_ms;
  strid trigger;
  bool has_busy_run;
  struct run busy_run;        /* alive now; else the blocker is a planned start itself */
  int64_t busy_began_ms;      /* when the blocker began or is planned to */
  int64_t busy_until_ms;      /* expected end of the blocker (median); WHEN_NONE: no end (streaming) */
  int64_t busy_until_late_ms; /* 95th percentile */
  double confidence;          /* 0..1 that the limit is reached at at_ms */
  int32_t limit;
  bool queues;          /* the job queues: it will wait instead of failing */
  unsigned advice;      /* enum collision_advice */
  int64_t suggested_ms; /* WHEN_NONE */
};

/* A bookmarked job that may run more than once at a time: its runs can lose or repeat data. */
struct collision_warning {
  int place;
  strid job;
  int32_t limit;
};

/* What an account may run at once. */
struct collision_quotas {
  struct quota runs, dpu;
};

struct collision_account {
  int place;
  size_t active_runs, waiting_runs;
  int64_t dpu_micros;
  int64_t runs_limit;
  double dpu_limit;
  enum quota_origin runs_origin, dpu_origin; /* of the limits */
  bool assumed;                              /* one of the limits is a default that nobody has read or set */
  struct load_peak peak;                     /* in the window */
  int64_t expected_dpu_micros;               /* highest level expected from now to the end of the plan (medians) */
  int64_t expected_at_ms;                    /* WHEN_NONE */
};

/* A job that had runs at work in the window, against its limit. */
struct collision_job {
  int place;
  strid job;
  int32_t limit;
  bool queues;
  size_t peak; /* most runs at once in the window */
  int64_t peak_at_ms;
  size_t active, waiting; /* now */
  size_t collisions;      /* of past */
};

struct collisions_result {
  struct collision *past; /* newest first */
  size_t past_count;
  struct collision_now *now; /* waiting first, longest first */
  size_t now_count;
  struct collision_predicted *predicted; /* soonest first; confidence at least COLLISION_LEAST_CONFIDENCE */
  size_t predicted_count;
  struct collision_warning *warnings;
  size_t warning_count;
  struct collision_job *jobs; /* by how near the peak came to the limit, most collisions first */
  size_t job_count;
  struct collision_account *accounts; /* one a place */
  size_t account_count;
  size_t rejected, failed, queued, by_account; /* counts of past */
  int64_t median_wait_seconds;                 /* of those that queued; -1 */
};
#define COLLISION_LEAST_CONFIDENCE 0.05

struct collisions;
struct collisions *collisions_new(void);
void collisions_free(struct collisions *c);
void collisions_begin(struct collisions *c, int64_t since_ms, int64_t until_ms, int place); /* as burn_begin */
bool collisions_step(struct collisions *c, const struct model *m, int64_t now_ms, size_t budget);
/* plan: from now on (plan_make); quotas by place; where there is none (NULL, quota_count 0) the service's defaults. loads must be up to date. Owned by c, until the next call. */
const struct collisions_result *collisions_result(struct collisions *c, const struct model *m,
                                                  struct stats_cache *stats, const struct plan *plan,
                                                  struct loads *loads, const struct collision_quotas *quotas,
                                                  size_t quota_count, int64_t now_ms);

/* What medians foretell for a place: live runs until their expected ends, what waits at its job's limit from when a slot comes free, planned
 * ones in their time, added to l. */
void collisions_expected_load(struct load *l, const struct model *m, struct stats_cache *stats, const struct plan *plan,
                              int place, int64_t now_ms);

/* Was this run refused for concurrency, and whose? False: it was not. */
bool collision_of_error(const char *error, enum collision_kind *kind);
/* Did it fail because another run had moved the job's bookmark meanwhile? One of the above; no limit was met. */
bool collision_of_bookmark(const char *error);
/* Seconds between acceptance and work of a run; -1: not known. */
int64_t collision_waited_seconds(const struct run *r, int64_t now_ms);

#endif
