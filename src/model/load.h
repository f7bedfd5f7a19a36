/* How many runs, and how many DPU, were at work at the same time: peaks, and a curve of any width.
 *
 * Beginnings and ends are kept in order of time, in buckets of an hour with their sums and highest points, so that a run that
 * arrives or changes moves a few neighbours only and a curve over months touches each bucket once. Ends come before beginnings
 * of the same moment: a run that begins when another ends does not meet it. */
#ifndef GLUETOP_MODEL_LOAD_H
#define GLUETOP_MODEL_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"
#include "model/price.h"

struct load;
struct load *load_new(void);
void load_free(struct load *l);
void load_clear(struct load *l);
/* from < to, or to WHEN_NONE while it goes on; anything else is not counted. dpu_micros: millionths of a DPU,
 * not below 0; what lies beyond 2^41 of them (two million DPU) counts as that. */
void load_add(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros);
void load_remove(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros); /* exactly what was added */

/* How many times an event was looked at or moved since load_new: what all of it has cost, for tests of how that grows. */
uint64_t load_touched(const struct load *l);

struct load_peak {
  int64_t runs, runs_at_ms;
  int64_t dpu_micros, dpu_at_ms; /* the first moment of the highest level; WHEN_NONE when there is nothing */
};
/* Over [from, to); what began before and still goes on counts. */
struct load_peak load_peak(struct load *l, int64_t from_ms, int64_t to_ms);
/* The highest level within each of `columns` equal stretches of [from, to). Either array may be NULL. */
void load_curve(struct load *l, int64_t from_ms, int64_t to_ms, size_t columns, int64_t *dpu_micros, int64_t *runs);
/* Every change of the level within [from, to), the level at `from` first: for export. Returns how many there are, fills at most cap. */
struct load_step {
  int64_t at_ms, dpu_micros, runs;
};
size_t load_steps(struct load *l, int64_t from_ms, int64_t to_ms, struct load_step *out, size_t cap);

/* The loads of all places (some 36 bytes a run of history: who does not look at them any more lets them go), kept up to date with the model in steps. A run is at work from when it began to cost until its end;
 * runs of unknown size count as runs of 0 DPU. */
struct loads;
struct loads *loads_new(void);
void loads_free(struct loads *ls);
/* Count money instead of DPU: millionths of a dollar per hour that a run costs on average (while it lives: at its full size), so that the
 * area under its curve is what it cost. Runs of unknown cost count as 0. Another table begins from the start. */
void loads_set_prices(struct loads *ls, const struct price_table *prices);
/* budget: runs (SWEEP_SLICE). True: up to date. */
bool loads_step(struct loads *ls, const struct model *m, size_t budget);
void loads_forget(struct loads *ls);                     /* as new */
struct load *loads_of(struct loads *ls, int place);      /* never NULL; empty for places that were not seen */
size_t loads_unknown(const struct loads *ls, int place); /* runs whose size is not known */

#endif
