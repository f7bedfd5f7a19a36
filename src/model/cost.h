/* What a run costs, and what that rests on. Rules: AWS Glue pricing (per second, one minute at least, ten for Glue 0.9 and 1.0; start-up is
 * not billed; failed, stopped and timed-out runs are; each automatic retry is a run of its own).
 *
 * Money is int64 nano-dollars (10^-9 USD), rounded once per run, half up. Capacity is int64 millionths of a DPU-second (M-DPU-second for
 * memory-optimised workers). A sum is a sum of these whole numbers, so parts always add up to their total exactly. */
#ifndef GLUETOP_MODEL_COST_H
#define GLUETOP_MODEL_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"
#include "model/price.h"

enum cost_basis {
  COST_MEASURED, /* DPUSeconds as the service counted them */
  COST_COMPUTED, /* DPU times seconds, the minimum applied */
  COST_ESTIMATED, /* an upper bound (Flex or auto scaling before DPUSeconds arrive), a guessed beginning, a price made by ratio */
  COST_UNKNOWN, /* no size, no time or no price: left out of sums, and counted */
  COST_BASIS_COUNT
};
const char *cost_basis_word(enum cost_basis b); /* "measured" … as in the JSON output */

struct cost {
  int64_t dpu_micros; /* 0 when unknown */
  int64_t nano;       /* 0 when unknown */
  enum cost_basis dpu_basis;
  enum cost_basis usd_basis; /* never better than dpu_basis */
};

/* What the run has cost up to now_ms (all of it, when it is finished).
 *   WAITING, STARTING, ERROR, EXPIRED, and finished with ExecutionTime 0: nothing, computed.
 *   DPUSeconds present: they are it (at least 60 s of one worker); measured.
 *   Fixed size: DPU x max(ExecutionTime, minimum); computed. Flex or auto-scaled: the same as an upper bound; estimated.
 *   Alive: DPU x max(now - began, minimum), see cost_began. Unknown state: estimated from ExecutionTime, else unknown.
 * j may be NULL (the job's kind is then guessed from the run). Python shell and Ray have no versions' prices; Ray is always estimated. */
struct cost cost_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                        const struct run *r, int64_t now_ms);

/* The same, with the class of its price: item * PRICE_GENERATION_COUNT + generation. */
struct cost cost_and_class_of_run(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, const struct run *r, int64_t now_ms, size_t *class_index);

/* When a run began to cost, as a moment that stands still: model_run_began as of when the run was last heard of, so that a live run's
 * reported ExecutionTime is counted from then. WHEN_NONE: it never did. guessed may be NULL. */
int64_t cost_began(const struct run *r, bool *guessed);
/* When a run stopped to cost: its completion, or now_ms while it lives; never before its beginning. */
int64_t cost_ended(const struct run *r, int64_t now_ms);

/* The price that applies to a run, and what it is (for "the price in use"). *sure is false when version or worker type leave a doubt. */
struct price cost_price_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                               const struct run *r, enum price_item *item, enum price_generation *generation,
                               bool *sure);

/* Nano-dollars per hour while it runs at its full size; false: unknown. Runs that are not RUNNING or STOPPING burn 0. */
bool cost_rate_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                      const struct run *r, int64_t *nano_per_hour);

/* The most that an unfinished run can cost in all, if it goes on until its timeout. */
enum cost_limit { COST_LIMIT_KNOWN, COST_LIMIT_NONE /* no timeout: streaming, Ray */, COST_LIMIT_UNKNOWN };
enum cost_limit cost_worst_of_run(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, const struct run *r, int64_t now_ms, int64_t *nano);
/* The same for a run of the job as it is defined now: DPU x timeout x price. */
enum cost_limit cost_worst_of_job(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, int64_t *nano);

struct cost_sum {
  int64_t nano[COST_BASIS_COUNT];       /* by usd_basis; that of UNKNOWN stays 0 */
  int64_t dpu_micros[COST_BASIS_COUNT]; /* by dpu_basis */
  size_t runs;
  size_t runs_unknown; /* of them, without a known cost */
};
void cost_sum_add(struct cost_sum *s, const struct cost *c);
void cost_sum_take(struct cost_sum *s, const struct cost *c); /* the reverse */
void cost_sum_add_sum(struct cost_sum *s, const struct cost_sum *more);
int64_t cost_sum_nano(const struct cost_sum *s);
int64_t cost_sum_dpu_micros(const struct cost_sum *s);
double cost_dpu_hours(int64_t dpu_micros);

/* The part of a whole that falls into [from, to) when it is spread evenly over [began, ended). Parts of neighbouring stretches add up to
 * the whole exactly. Use it for money and for capacity. */
int64_t cost_part(int64_t whole, int64_t began_ms, int64_t ended_ms, int64_t from_ms, int64_t to_ms);

/* A number of DPU as millionths: of a run at work, or of a job. -1: unknown, or what cannot be one (NAN, negative, more than a million DPU,
 * a thousand times what the service lets an account have). */
int64_t cost_size_micros(double dpu);

/* a * b / c, half up, without overflow in between; 0 < c < 2^32, a and b not negative; saturates. */
int64_t cost_mul_div(int64_t a, int64_t b, int64_t c);

#endif
