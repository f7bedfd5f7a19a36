/* What only the files of the collisions board share. */
#ifndef GLUETOP_MODEL_COLLISIONS_PRIVATE_H
#define GLUETOP_MODEL_COLLISIONS_PRIVATE_H

#include "model/collisions.h"

int32_t collisions_limit(const struct job *j); /* MaxConcurrentRuns; the service's default is 1 */

/* The longest time from acceptance to end of any run of the job: runs accepted longer than that before a moment were over by then. One
 * pass over the runs. */
int64_t collisions_longest_ms(const struct job *j, int64_t now_ms);
/* Is this run a collision? index in j->runs. */
bool collisions_judge(const struct model *m, const struct job *j, size_t index, int64_t longest_ms, int64_t now_ms,
                      struct collision *out);
/* Runs of the job at work at that moment, but for the run at `except` (SIZE_MAX: none); fills at most cap, returns how many there are. */
size_t collisions_at_work(const struct job *j, int64_t at_ms, size_t except, int64_t now_ms, struct run *out,
                          size_t cap);

/* Fills predicted, and the accounts' expected peaks. */
struct predictions {
  struct collision_predicted *items;
  size_t count, cap;
};
void collisions_predict(struct predictions *out, const struct model *m, struct stats_cache *stats,
                        const struct plan *plan, int only, int64_t now_ms);
void collisions_expect_peak(struct collision_account *a, const struct model *m, struct stats_cache *stats,
                            const struct plan *plan, int64_t now_ms);

#endif
