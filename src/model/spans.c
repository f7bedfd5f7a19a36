/* Which stretches of a job's history were wholly read. Disjoint, newest first; stretches that touch are one. */
#include "model/private.h"

#include <string.h>
#include "base/xalloc.h"

static int64_t span_after(int64_t ms)
{
  return ms == INT64_MAX ? ms : ms + 1;
}

void job_add_span(struct job *j, int64_t from_ms, int64_t to_ms)
{
  if (from_ms > to_ms)
    return;
  struct span add = {from_ms, to_ms};
  size_t first = 0;
  while (first < j->read_count && j->read[first].from_ms > span_after(add.to_ms))
    first++;
  size_t end = first;
  while (end < j->read_count && span_after(j->read[end].to_ms) >= add.from_ms) {
    if (j->read[end].from_ms < add.from_ms)
      add.from_ms = j->read[end].from_ms;
    if (j->read[end].to_ms > add.to_ms)
      add.to_ms = j->read[end].to_ms;
    end++;
  }
  if (end == first)
    j->read = xgrow(j->read, &j->read_cap, j->read_count + 1, sizeof *j->read);
  if (j->read_count > end)
    memmove(&j->read[first + 1], &j->read[end], (j->read_count - end) * sizeof *j->read);
  j->read_count = j->read_count - (end - first) + 1;
  j->read[first] = add;
}

bool model_span_covers(const struct job *j, int64_t from_ms, int64_t to_ms)
{
  if (from_ms > to_ms)
    return true;
  for (size_t i = 0; i < j->read_count; i++)
    if (j->read[i].from_ms <= from_ms && j->read[i].to_ms >= to_ms)
      return true;
  return false;
}

void model_add_span(struct model *m, int place, strid job, int64_t from_ms, int64_t to_ms, bool to_end)
{
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL)
    return;
  job_add_span(j, to_end ? INT64_MIN : from_ms, to_ms);
  if (to_end)
    j->read_to_end = true;
}
