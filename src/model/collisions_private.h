/* What only the files of the collisions board share. */
#ifndef GLUETOP_MODEL_COLLISIONS_PRIVATE_H
#define GLUETOP_MODEL_COLLISIONS_PRIVATE_H

#include "model/at_work.h"
#include "model/collisions.h"

int32_t collisions_limit(const struct job *j); /* MaxConcurrentRuns; the service's default is 1 */

/* Judges the runs of one job after the other. */
#define COLLISION_VERDICTS 64
struct collision_verdict {
  strid error; /* of whose text this is known; 0: none yet */
  enum collision_kind kind;
  bool collision;
};
struct collision_judge {
  struct at_work at_work;
  struct collision_verdict verdicts[COLLISION_VERDICTS];
};
void collision_judge_init(struct collision_judge *judge);
void collision_judge_fini(struct collision_judge *judge);
void collision_judge_job(struct collision_judge *judge, const struct model *m, const struct job *j); /* as at_work_of */
/* Is this run of the job a collision? index in its runs. out may be NULL. */
bool collision_judge_run(struct collision_judge *judge, const struct model *m, size_t index, int64_t now_ms,
                         struct collision *out);
/* Fills blocked_by with runs of the job at work at c->at_ms, but for the run at `except` (SIZE_MAX: none). */
void collisions_blockers(struct at_work *w, struct collision *c, size_t except);

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
