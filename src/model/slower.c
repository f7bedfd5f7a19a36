#include "model/slower.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "model/stats.h"

#define STRETCH_MS (SLOWER_DAYS / SLOWER_STRETCHES * WHEN_DAY)
#define MUCH       1.2

struct lengths {
  int64_t *seconds;
  size_t count, cap;
};

static void add(struct lengths *l, int64_t seconds)
{
  l->seconds = xgrow(l->seconds, &l->cap, l->count + 1, sizeof *l->seconds);
  l->seconds[l->count++] = seconds;
}

static double median(struct lengths *l)
{
  stats_sort(l->seconds, l->count);
  return stats_percentile(l->seconds, l->count, 50);
}

void slower_of(const struct job *j, int64_t now_ms, struct slower *out)
{
  int64_t first_ms = now_ms - SLOWER_DAYS * WHEN_DAY, late_ms = now_ms - SLOWER_LATE_DAYS * WHEN_DAY;
  struct lengths late = {0}, before = {0}, stretches[SLOWER_STRETCHES] = {{0}};
  *out = (struct slower){.ratio = (double)NAN, .whole = model_runs_read(j, first_ms, now_ms)};
  for (size_t i = 0; i < j->run_count; i++) {
    const struct run *r = &j->runs[i];
    int64_t seconds = r->state == RUN_SUCCEEDED ? stats_run_seconds(r) : -1;
    if (r->started_ms != WHEN_NONE && r->started_ms < first_ms)
      break; /* newest first */
    if (seconds < 0 || r->started_ms == WHEN_NONE || r->started_ms > now_ms)
      continue;
    add(r->started_ms >= late_ms ? &late : &before, seconds);
    size_t stretch = (size_t)((r->started_ms - first_ms) / STRETCH_MS);
    add(&stretches[stretch < SLOWER_STRETCHES ? stretch : SLOWER_STRETCHES - 1], seconds);
  }
  out->late_runs = late.count;
  out->before_runs = before.count;
  out->late_seconds = median(&late);
  out->before_seconds = median(&before);
  if (late.count >= SLOWER_RUNS_LEAST && before.count >= SLOWER_RUNS_LEAST && out->before_seconds > 0) {
    out->ratio = out->late_seconds / out->before_seconds;
    out->verdict = out->ratio >= MUCH ? SLOWER_YES : out->ratio <= 1 / MUCH ? SLOWER_FASTER : SLOWER_NO;
  }
  for (size_t i = 0; i < SLOWER_STRETCHES; i++) {
    out->stretch_seconds[i] = stretches[i].count == 0 ? -1 : (int64_t)median(&stretches[i]);
    free(stretches[i].seconds);
  }
  free(late.seconds);
  free(before.seconds);
}
