#include "sync/private.h"

#include <math.h>

#define PAGE_MAX 200 /* of GetJobRuns */
/* DPU-seconds of Flex and auto-scaled runs arrive some time after the end; after an hour they will not any more. */
#define SETTLE_MS WHEN_HOUR

bool job_is_polled(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, uint64_t tick)
{
  if (jp->wanted_tick == tick)
    return true;
  if (!pp->want_all_runs || j->gone)
    return false;
  /* Names that only triggers gave are asked for when nobody tells which jobs there are. */
  return j->listed_ms != WHEN_NONE || pp->mode == LIST_NONE;
}

int64_t job_goal_ms(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, uint64_t tick)
{
  int64_t since = INT64_MAX;
  if (pp->want_all_runs && (jp->wanted_tick != tick || j->listed_ms != WHEN_NONE))
    since = pp->since_ms;
  if (jp->wanted_tick == tick && jp->wanted_since_ms < since)
    since = jp->wanted_since_ms;
  return since == INT64_MAX ? since : model_read_from(j, since);
}

bool job_is_read(const struct place_poll *pp, const struct job *j, struct job_poll *jp, uint64_t tick)
{
  if (jp->runs.failed || jp->runs.cut)
    return true; /* as far as it goes, for now */
  if (j->top_read_ms == WHEN_NONE)
    return false;
  if (j->run_count == 0)
    return j->read_to_end;
  /* Stretches that were read stay read: with the same runs, a goal that is not deeper is reached too. Thousands of jobs are asked that
   * each turn, and their runs and stretches lie far apart in memory. */
  int64_t goal = job_goal_ms(pp, j, jp, tick);
  if (jp->read_generation == j->runs_generation && jp->read_goal_ms <= goal)
    return true;
  if (j->runs[0].started_ms == WHEN_NONE)
    return j->read_to_end;
  if (!model_span_covers(j, goal, j->runs[0].started_ms))
    return false;
  jp->read_generation = j->runs_generation;
  jp->read_goal_ms = goal;
  return true;
}

bool run_is_unsettled(const struct run *r, int64_t wall_ms)
{
  if (!run_finished(r))
    return true;
  bool measured = r->execution_class == CLASS_FLEX || (r->flags & RUN_FLAG_AUTO_SCALING) != 0;
  return measured && isnan(r->dpu_seconds) && r->completed_ms != WHEN_NONE && r->execution_seconds != 0 &&
         wall_ms - r->completed_ms < SETTLE_MS && wall_ms >= r->completed_ms;
}

int job_page_size(const struct job *j, const struct job_poll *jp, bool deep, int64_t wall_ms)
{
  static const int sizes[] = {10, 25, 50, 100, PAGE_MAX};
  (void)jp;
  if (deep || j->unordered || j->run_count == 0)
    return PAGE_MAX;
  size_t reach = 0;
  for (size_t i = 0; i < j->run_count && i < PAGE_MAX; i++)
    if (run_is_unsettled(&j->runs[i], wall_ms))
      reach = i + 1;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if ((size_t)sizes[i] >= reach + 4)
      return sizes[i];
  return PAGE_MAX;
}
