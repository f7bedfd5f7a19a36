/* Which run will be killed by its timeout, and which limit is a trap. The clock of a timeout runs while a run is at work, not while it
 * waits. */
#ifndef GLUETOP_MODEL_TIMEOUTS_H
#define GLUETOP_MODEL_TIMEOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/cost.h"
#include "model/model.h"
#include "model/stats.h"

enum timeout_risk {
  TIMEOUT_RISK_OVER,   /* past its limit, or its usual length ends behind it */
  TIMEOUT_RISK_LIKELY, /* one run in ten of this length reaches the limit, or 90 % of it are used */
  TIMEOUT_RISK_WATCH   /* half of the limit is used and longer than its 95th percentile, or 75 % used */
};
const char *timeout_risk_word(enum timeout_risk r);     /* "over", "likely", "watch" */
const char *timeout_source_word(enum timeout_source s); /* "job", "run", "default", "none", "unknown" */

struct timeout_at_risk {
  int place;
  strid job;
  struct run run;
  int64_t elapsed_seconds; /* at work */
  int32_t timeout_minutes;
  double used;             /* share of the limit, may pass 1 */
  double expected_seconds; /* median of the job; NAN */
  double likelihood;       /* that it reaches the limit, from its history; NAN */
  int64_t ends_ms;         /* when the limit is reached */
  enum timeout_risk risk;
};
struct timeout_past {
  int place;
  strid job;
  struct run run;
  int64_t at_ms;
  int32_t timeout_minutes;
  struct cost cost;
};
enum timeout_flaw {
  TIMEOUT_FLAW_NONE,
  TIMEOUT_FLAW_TIGHT,   /* the 95th percentile, or a successful run, comes near the limit */
  TIMEOUT_FLAW_DEFAULT, /* nobody set it, and it is many times what the job needs */
  TIMEOUT_FLAW_WIDE     /* set, but many times what the job needs */
};
struct timeout_advice {
  int place;
  strid job;
  int32_t timeout_minutes; /* 0: none */
  enum timeout_source source;
  struct stats_times times;
  int32_t suggested_minutes; /* -1: too little history (fewer than TIMEOUT_RUNS_LEAST), or streaming and Ray */
  enum cost_limit exposure_kind;
  int64_t exposure_nano;    /* what one run costs that hangs until the limit */
  strid maintenance_window; /* streaming */
  enum timeout_flaw flaw;
  double used_now; /* of the run nearest to its limit; NAN: none is alive */
};
#define TIMEOUT_RUNS_LEAST 5

struct timeouts_result {
  struct timeout_at_risk *at_risk; /* worst first */
  size_t at_risk_count;
  struct timeout_past *past; /* newest first */
  size_t past_count;
  struct cost_sum past_sum;
  struct timeout_advice *advice; /* tight first, then by exposure */
  size_t advice_count;
};

struct timeouts;
struct timeouts *timeouts_new(void);
void timeouts_free(struct timeouts *t);
void timeouts_begin(struct timeouts *t, int64_t since_ms, int64_t until_ms, int place, bool force); /* as burn_begin */
bool timeouts_step(struct timeouts *t, const struct model *m, const struct price_table *prices, int64_t now_ms,
                   size_t budget);
const struct timeouts_result *timeouts_result(struct timeouts *t, const struct model *m,
                                              const struct price_table *prices, struct stats_cache *stats,
                                              int64_t now_ms);

/* The limit for a job of that history: the larger of 1.5 times the 95th percentile and 1.2 times the longest, at least 10 minutes, rounded
 * up to a handy number (5, 15, 30, 60 minutes). -1: too little history. Never above 10,080. */
int32_t timeout_suggest(const struct stats_times *times);

#endif
