/* Judging single runs: did it fail or wait because others were at work? */
#include "model/collisions_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/cost.h"

#define WAIT_LEAST_MS    (10 * WHEN_SECOND) /* less is start-up */
#define START_UP_MS      (3 * WHEN_MINUTE)  /* a run that worked so soon did not wait for a slot */
#define ACCOUNT_WAIT_MS  (5 * WHEN_MINUTE)
#define RELEASE_SLACK_MS (30 * WHEN_SECOND) /* a slot is free a little after its run has ended, by another clock */
#define LOOK_BACK        1000               /* older runs of a job that are looked at for one collision */

const char *collision_kind_word(enum collision_kind k)
{
  static const char *const words[] = {"rejected", "failed", "queued", "account"};
  return (size_t)k < sizeof words / sizeof words[0] ? words[k] : "";
}

/* The service's texts vary ("Max concurrent runs exceeded", "Concurrent runs exceeded for x", "Exceeded maximum concurrent compute capacity");
 * a FAILED run carries no error type beside its text. */
bool collision_of_error(const char *error, enum collision_kind *kind)
{
  static const char *const account[] = {"ResourceNumberLimitExceeded", "maximum concurrent compute",
                                        "max concurrent compute", "concurrent compute (DPU)",
                                        "concurrent runs per account"};
  static const char *const job[] = {"ConcurrentRunsExceeded", "concurrent runs exceeded", "exceeded concurrent runs",
                                    "BOOKMARK_VERSION_MISMATCH", "Continuation update failed due to version mismatch"};
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
  return false;
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
  return began > r->started_ms ? (began - r->started_ms) / WHEN_SECOND : 0;
}

int32_t collisions_limit(const struct job *j)
{
  return j->max_concurrent_runs < 1 ? 1 : j->max_concurrent_runs;
}

/* Runs that have begun hold a slot for sure. Between acceptance and work a run may have been starting up (and held one) or waiting (and held
 * none), which its times do not tell: a short while is taken as start-up, but only where runs at work do not explain the rest. */
static bool at_work(const struct run *r, int64_t at_ms, int64_t now_ms, int64_t start_up_ms)
{
  int64_t began = cost_began(r, NULL);
  if (r->started_ms == WHEN_NONE || r->started_ms > at_ms || r->state == RUN_WAITING || r->state == RUN_EXPIRED ||
      r->state == RUN_ERROR)
    return false;
  if (began == WHEN_NONE)
    began = r->started_ms; /* STARTING */
  bool held = began <= at_ms || began - r->started_ms <= start_up_ms;
  return held && cost_ended(r, now_ms) > at_ms;
}

/* Index of the newest run that had started by then; those without a time are last. */
static size_t first_started(const struct job *j, int64_t at_ms)
{
  size_t low = 0, high = j->run_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (j->runs[middle].started_ms != WHEN_NONE && j->runs[middle].started_ms > at_ms)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t count_at_work(const struct job *j, int64_t longest_ms, int64_t at_ms, size_t except, int64_t now_ms,
                            int64_t start_up_ms, struct run *out, size_t cap)
{
  size_t count = 0, first = first_started(j, at_ms);
  for (size_t i = first; i < j->run_count && i - first < LOOK_BACK; i++) {
    int64_t started = j->runs[i].started_ms;
    if (started == WHEN_NONE || started < at_ms - longest_ms)
      break;
    if (i == except || !at_work(&j->runs[i], at_ms, now_ms, start_up_ms))
      continue;
    if (count < cap)
      out[count] = j->runs[i];
    count++;
  }
  return count;
}

static size_t find_at_work(const struct job *j, int64_t longest_ms, int64_t at_ms, size_t except, int64_t now_ms,
                           struct run *out, size_t cap)
{
  size_t count = count_at_work(j, longest_ms, at_ms, except, now_ms, 0, out, cap);
  if (count >= (size_t)collisions_limit(j))
    return count;
  return count_at_work(j, longest_ms, at_ms, except, now_ms, START_UP_MS, out, cap);
}

size_t collisions_at_work(const struct job *j, int64_t at_ms, size_t except, int64_t now_ms, struct run *out,
                          size_t cap)
{
  return find_at_work(j, collisions_longest_ms(j, now_ms), at_ms, except, now_ms, out, cap);
}

int64_t collisions_longest_ms(const struct job *j, int64_t now_ms)
{
  int64_t longest = 0;
  for (size_t i = 0; i < j->run_count; i++) {
    const struct run *r = &j->runs[i];
    int64_t end = run_finished(r) ? r->completed_ms : now_ms;
    if (r->started_ms != WHEN_NONE && end != WHEN_NONE && end - r->started_ms > longest)
      longest = end - r->started_ms;
  }
  return longest;
}

static size_t blockers_of(struct collision *c, const struct job *j, size_t index, int64_t longest_ms, int64_t now_ms)
{
  size_t count = find_at_work(j, longest_ms, c->at_ms, index, now_ms, c->blocked_by, COLLISION_BLOCKERS_MAX);
  c->blocked_by_count = count < COLLISION_BLOCKERS_MAX ? count : COLLISION_BLOCKERS_MAX;
  return count;
}

/* A run that began only when the job had a slot again. */
static bool waited_for_job(struct collision *c, const struct job *j, size_t index, int64_t longest_ms,
                           int64_t waited_ms, int64_t now_ms)
{
  size_t limit = (size_t)collisions_limit(j);
  if (blockers_of(c, j, index, longest_ms, now_ms) < limit)
    return false;
  /* still full when it began: the limit was another one at that time */
  int64_t began = c->at_ms + waited_ms + RELEASE_SLACK_MS;
  return c->run.state == RUN_EXPIRED || count_at_work(j, longest_ms, began, index, now_ms, 0, NULL, 0) < limit;
}

bool collisions_judge(const struct model *m, const struct job *j, size_t index, int64_t longest_ms, int64_t now_ms,
                      struct collision *out)
{
  const struct run *r = &j->runs[index];
  if (r->started_ms == WHEN_NONE || r->state == RUN_WAITING || r->state == RUN_STARTING)
    return false;
  *out = (struct collision){
      .place = j->place, .job = j->name, .at_ms = r->started_ms, .has_run = true, .run = *r, .waited_seconds = -1};
  int64_t waited = collision_waited_seconds(r, now_ms);
  if (run_finished(r) && r->state != RUN_SUCCEEDED && collision_of_error(model_str(m, r->error), &out->kind)) {
    bool waited_first = r->execution_seconds <= 0 && waited * WHEN_SECOND >= WAIT_LEAST_MS;
    out->waited_seconds = waited_first ? waited : -1;
    if (out->kind == COLLISION_FAILED)
      blockers_of(out, j, index, longest_ms, now_ms);
    return true;
  }
  if (waited < 0 || waited * WHEN_SECOND < WAIT_LEAST_MS)
    return false;
  out->waited_seconds = waited;
  if (waited_for_job(out, j, index, longest_ms, waited * WHEN_SECOND, now_ms)) {
    out->kind = COLLISION_QUEUED;
    return true;
  }
  out->blocked_by_count = 0;
  if (r->state == RUN_EXPIRED) {
    out->kind = COLLISION_QUEUED;
    return true;
  }
  out->kind = COLLISION_ACCOUNT;
  return (r->flags & RUN_FLAG_QUEUING) != 0 && r->execution_class != CLASS_FLEX &&
         waited * WHEN_SECOND >= ACCOUNT_WAIT_MS;
}
