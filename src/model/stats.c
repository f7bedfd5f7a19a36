#include "model/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/xalloc.h"

static int compare_values(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

void stats_sort(int64_t *values, size_t count)
{
  if (count > 1)
    qsort(values, count, sizeof *values, compare_values);
}

double stats_percentile(const int64_t *sorted, size_t count, double percent)
{
  if (count == 0)
    return (double)NAN;
  double at = percent / 100 * (double)(count - 1);
  size_t low = (size_t)at;
  if (low + 1 >= count)
    return (double)sorted[count - 1];
  return (double)sorted[low] + (at - (double)low) * (double)(sorted[low + 1] - sorted[low]);
}

double stats_share_at_least(const int64_t *sorted, size_t count, double x)
{
  size_t low = 0, high = count;
  if (count == 0)
    return (double)NAN;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((double)sorted[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return (double)(count - low) / (double)count;
}

int64_t stats_run_seconds(const struct run *r)
{
  if (r->execution_seconds >= 0)
    return r->execution_seconds;
  if (r->completed_ms == WHEN_NONE || r->started_ms == WHEN_NONE || r->completed_ms < r->started_ms)
    return -1;
  return sum_less(r->completed_ms, r->started_ms) / WHEN_SECOND;
}

/* --- cache ---------------------------------------------------------------------------------------------------------- */

struct cached {
  struct job_stats stats;
  strid name;
  uint64_t generation;
  bool filled;
};

struct cached_place {
  struct cached *jobs;
  size_t count;
  uint32_t epoch;
};

struct stats_cache {
  size_t runs;
  struct cached_place *places;
  size_t place_count;
};

struct stats_cache *stats_cache_new(size_t runs)
{
  struct stats_cache *c = xcalloc(1, sizeof *c);
  c->runs = runs == 0 ? STATS_RUNS_DEFAULT : runs;
  return c;
}

static void place_clear(struct cached_place *p)
{
  for (size_t i = 0; i < p->count; i++)
    free(p->jobs[i].stats.seconds);
  free(p->jobs);
  *p = (struct cached_place){0};
}

void stats_cache_free(struct stats_cache *c)
{
  if (c == NULL)
    return;
  for (size_t i = 0; i < c->place_count; i++)
    place_clear(&c->places[i]);
  free(c->places);
  free(c);
}

void stats_cache_set_runs(struct stats_cache *c, size_t runs)
{
  for (size_t i = 0; i < c->place_count; i++)
    place_clear(&c->places[i]);
  c->runs = runs == 0 ? STATS_RUNS_DEFAULT : runs;
}

size_t stats_cache_runs(const struct stats_cache *c)
{
  return c->runs;
}

static void fill(struct cached *cached, const struct job *j, size_t limit)
{
  struct job_stats *s = &cached->stats;
  size_t count = 0, room = j->run_count < limit ? j->run_count : limit;
  s->seconds = xreallocarray(s->seconds, room == 0 ? 1 : room, sizeof *s->seconds);
  for (size_t i = 0; i < j->run_count && count < room; i++) {
    int64_t seconds = j->runs[i].state == RUN_SUCCEEDED ? stats_run_seconds(&j->runs[i]) : -1;
    if (seconds >= 0)
      s->seconds[count++] = seconds;
  }
  stats_sort(s->seconds, count);
  s->times = (struct stats_times){.count = count,
                                  .p50 = stats_percentile(s->seconds, count, 50),
                                  .p95 = stats_percentile(s->seconds, count, 95),
                                  .max = count == 0 ? (double)NAN : (double)s->seconds[count - 1]};
  cached->name = j->name;
  cached->generation = j->runs_generation;
  cached->filled = true;
}

const struct job_stats *stats_cache_get(struct stats_cache *c, const struct model *m, int place, size_t job)
{
  const struct place *p = &m->places[place];
  if ((size_t)place >= c->place_count) {
    c->places = xreallocarray(c->places, m->place_count, sizeof *c->places);
    memset(&c->places[c->place_count], 0, (m->place_count - c->place_count) * sizeof *c->places);
    c->place_count = m->place_count;
  }
  struct cached_place *known = &c->places[place];
  if (known->epoch != p->epoch) {
    place_clear(known);
    known->epoch = p->epoch;
  }
  if (job >= known->count) {
    known->jobs = xreallocarray(known->jobs, p->job_count, sizeof *known->jobs);
    memset(&known->jobs[known->count], 0, (p->job_count - known->count) * sizeof *known->jobs);
    known->count = p->job_count;
  }
  struct cached *cached = &known->jobs[job];
  const struct job *j = &p->jobs[job];
  if (!cached->filled || cached->generation != j->runs_generation || cached->name != j->name)
    fill(cached, j, c->runs);
  return &cached->stats;
}

/* --- outcomes ------------------------------------------------------------------------------------------------------- */

size_t stats_outcomes(const struct job *j, uint8_t *states, size_t cap)
{
  size_t count = 0;
  for (size_t i = 0; i < j->run_count && count < cap; i++) {
    bool retried =
        false; /* a later attempt of the same start was seen: it stands near, since attempts follow at once */
    for (size_t back = i; back > 0 && i - back < 16 && !retried; back--)
      retried = run_same_chain(&j->runs[back - 1], &j->runs[i]);
    if (!retried)
      states[count++] = j->runs[i].state;
  }
  return count;
}

struct stats_counts stats_count(const struct job *j, int64_t since_ms, int64_t until_ms, int64_t now_ms)
{
  struct stats_counts c = {0, 0, 0, 0};
  size_t reach = model_runs_reach(j, since_ms);
  for (size_t i = 0; i < reach; i++) {
    const struct run *r = &j->runs[i];
    const struct run_state_info *info = run_state_info((enum run_state)r->state);
    if (!run_meets(r, since_ms, until_ms, now_ms))
      continue;
    c.runs++;
    c.succeeded += r->state == RUN_SUCCEEDED;
    c.failed += info->failed;
    c.live += !info->finished;
  }
  return c;
}
