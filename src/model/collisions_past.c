/* Judging single runs: did it fail or wait because others were at work? */
#include "model/collisions_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/text.h"
#include "model/cost.h"

#define WAIT_LEAST       10                 /* seconds; less is start-up */
#define ACCOUNT_WAIT     300                /* seconds */
#define RELEASE_SLACK_MS (30 * WHEN_SECOND) /* a slot is free a little after its run has ended, by another clock */

const char *collision_kind_word(enum collision_kind k)
{
  static const char *const words[] = {"rejected", "failed", "queued", "account"};
  return (size_t)k < sizeof words / sizeof words[0] ? words[k] : "";
}

bool collision_of_bookmark(const char *error)
{
  return error != NULL && (text_find_fold(error, "BOOKMARK_VERSION_MISMATCH") >= 0 ||
                           text_find_fold(error, "Continuation update failed due to version mismatch") >= 0);
}

/* The service's texts vary ("Max concurrent runs exceeded", "Concurrent runs exceeded for x", "Exceeded maximum concurrent compute capacity");
 * a FAILED run carries no error type beside its text. */
bool collision_of_error(const char *error, enum collision_kind *kind)
{
  static const char *const account[] = {"ResourceNumberLimitExceeded", "maximum concurrent compute",
                                        "max concurrent compute", "concurrent compute (DPU)",
                                        "concurrent runs per account"};
  static const char *const job[] = {"ConcurrentRunsExceeded", "concurrent runs exceeded", "exceeded concurrent runs"};
  if (error == NULL)
    return false;
  for (size_t i = 0; i < sizeof account / sizeof account[0]; i++) {
    if (text_find_fold(error, account[i]) >= 0) {
      *kind = COLLISION_ACCOUNT;
      return true;
    }
  }
  for (size_t i = 0; i < sizeof job / sizeof job[0]; i++) {
    if (text_find_fold(error, job[i]) >= 0) {
      *kind = COLLISION_FAILED;
      return true;
    }
  }
  if (!collision_of_bookmark(error))
    return false;
  *kind = COLLISION_FAILED;
  return true;
}

int64_t collision_waited_seconds(const struct run *r, int64_t now_ms)
{
  bool guessed = false;
  int64_t began = cost_began(r, &guessed);
  if (r->started_ms == WHEN_NONE || (guessed && !run_finished(r)))
    return -1;
  if (began == WHEN_NONE)
    began = !run_finished(r) ? now_ms : r->completed_ms;
  if (began == WHEN_NONE)
    return -1;
  return began > r->started_ms ? sum_less(began, r->started_ms) / WHEN_SECOND : 0;
}

int32_t collisions_limit(const struct job *j)
{
  return j->max_concurrent_runs < 1 ? 1 : j->max_concurrent_runs;
}

/* How many held a slot at that moment: those that did for sure; where they do not explain a full job, those that may have been starting up
 * as well. */
static size_t holders(struct at_work *w, int64_t at_ms, size_t except, enum at_work_kind *kind)
{
  size_t count = at_work_count(w, AT_WORK, at_ms, except);
  *kind = AT_WORK;
  if (count < (size_t)collisions_limit(w->job)) {
    *kind = AT_WORK_OR_STARTING;
    count = at_work_count(w, AT_WORK_OR_STARTING, at_ms, except);
  }
  return count;
}

void collisions_blockers(struct at_work *w, struct collision *c, size_t except)
{
  size_t indexes[COLLISION_BLOCKERS_MAX];
  enum at_work_kind kind;
  holders(w, c->at_ms, except, &kind);
  c->blocked_by_count = at_work_newest(w, kind, c->at_ms, except, indexes, COLLISION_BLOCKERS_MAX);
  for (size_t i = 0; i < c->blocked_by_count; i++)
    c->blocked_by[i] = w->job->runs[indexes[i]];
}

/* A run that began only when the job had a slot again. */
static bool waited_for_job(struct at_work *w, const struct run *r, size_t index, int64_t waited_seconds)
{
  size_t limit = (size_t)collisions_limit(w->job);
  enum at_work_kind kind;
  if (holders(w, r->started_ms, index, &kind) < limit)
    return false;
  /* still full when it began: the limit was another one at that time */
  int64_t began = sum_of(sum_of(r->started_ms, sum_times(waited_seconds, WHEN_SECOND)), RELEASE_SLACK_MS);
  return r->state == RUN_EXPIRED || at_work_count(w, AT_WORK, began, index) < limit;
}

/* Runs of a job fail with the same few texts as a rule. */
static bool kind_of_error(struct collision_judge *judge, const struct model *m, strid error, enum collision_kind *kind)
{
  struct collision_verdict *v = &judge->verdicts[error % COLLISION_VERDICTS];
  if (error == 0)
    return false;
  if (v->error != error) {
    v->error = error;
    v->collision = collision_of_error(model_str(m, error), &v->kind);
  }
  *kind = v->kind;
  return v->collision;
}

void collision_judge_init(struct collision_judge *judge)
{
  memset(judge->verdicts, 0, sizeof judge->verdicts);
  at_work_init(&judge->at_work);
}

void collision_judge_fini(struct collision_judge *judge)
{
  at_work_fini(&judge->at_work);
}

void collision_judge_job(struct collision_judge *judge, const struct model *m, const struct job *j)
{
  at_work_of(&judge->at_work, m, j);
  memset(judge->verdicts, 0, sizeof judge->verdicts);
}

/* What kind of collision it is; false: none. *blocked: other runs of its job were in its way; *refused: its error says so. */
static bool judge_kind(struct collision_judge *judge, const struct model *m, size_t index, int64_t waited,
                       enum collision_kind *kind, bool *blocked, bool *refused)
{
  const struct run *r = &judge->at_work.job->runs[index];
  *blocked = *refused = false;
  if (run_finished(r) && r->state != RUN_SUCCEEDED && kind_of_error(judge, m, r->error, kind)) {
    *blocked = *kind == COLLISION_FAILED;
    *refused = true;
    return true;
  }
  if (waited < WAIT_LEAST)
    return false;
  *blocked = waited_for_job(&judge->at_work, r, index, waited);
  *kind = *blocked || r->state == RUN_EXPIRED ? COLLISION_QUEUED : COLLISION_ACCOUNT;
  return *kind == COLLISION_QUEUED ||
         ((r->flags & RUN_FLAG_QUEUING) != 0 && r->execution_class != CLASS_FLEX && waited >= ACCOUNT_WAIT);
}

bool collision_judge_run(struct collision_judge *judge, const struct model *m, size_t index, int64_t now_ms,
                         struct collision *out)
{
  const struct job *j = judge->at_work.job;
  const struct run *r = &j->runs[index];
  enum collision_kind kind = COLLISION_FAILED;
  bool blocked = false, refused = false;
  if (r->started_ms == WHEN_NONE || r->state == RUN_WAITING || r->state == RUN_STARTING)
    return false;
  int64_t waited = collision_waited_seconds(r, now_ms);
  if (!judge_kind(judge, m, index, waited, &kind, &blocked, &refused))
    return false;
  if (out == NULL)
    return true;
  *out = (struct collision){
      .place = j->place, .job = j->name, .at_ms = r->started_ms, .kind = kind, .has_run = true, .run = *r};
  /* one that was refused at once did not wait */
  out->waited_seconds = waited >= WAIT_LEAST && (!refused || r->execution_seconds <= 0) ? waited : -1;
  if (blocked)
    collisions_blockers(&judge->at_work, out, index);
  return true;
}
