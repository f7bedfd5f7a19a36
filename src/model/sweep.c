#include "model/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/schedule.h"

#define NEVER UINT64_MAX
/* Looking whether a job changed costs about as much as a few runs. */
#define JOBS_PER_BUDGET 4

void sweep_init(struct sweep *s)
{
  *s = (struct sweep){.since_ms = INT64_MIN, .until_ms = INT64_MAX};
}

void sweep_fini(struct sweep *s)
{
  for (size_t i = 0; i < s->place_count; i++)
    free(s->places[i].jobs);
  free(s->places);
  sweep_init(s);
}

void sweep_again(struct sweep *s)
{
  for (size_t i = 0; i < s->place_count; i++)
    for (size_t j = 0; j < s->places[i].count; j++)
      s->places[i].jobs[j].generation = NEVER;
  s->place = s->job = s->run = 0;
  s->in_job = false;
}

enum sweep_window sweep_set_window(struct sweep *s, int64_t since_ms, int64_t until_ms)
{
  enum sweep_window kind = SWEEP_WINDOW_OTHER;
  if (since_ms == s->since_ms && until_ms == s->until_ms)
    return SWEEP_WINDOW_SAME;
  if (since_ms > s->since_ms && until_ms == s->until_ms) {
    kind = SWEEP_WINDOW_MOVED;
    for (size_t i = 0; i < s->place_count; i++)
      for (size_t j = 0; j < s->places[i].count; j++)
        if (s->places[i].jobs[j].leaves_ms < since_ms)
          s->places[i].jobs[j].generation = NEVER;
    s->place = s->job = s->run = 0;
    s->in_job = false; /* a half counted job begins again */
  } else {
    sweep_again(s);
  }
  s->since_ms = since_ms;
  s->until_ms = until_ms;
  return kind;
}

bool sweep_meets(struct sweep *s, const struct run *r, int64_t now_ms)
{
  if (!run_meets(r, s->since_ms, s->until_ms, now_ms))
    return false;
  int64_t end = run_finished(r) ? run_end(r) : WHEN_NONE;
  int64_t *leaves = &s->places[s->place].jobs[s->job].leaves_ms;
  if (end != WHEN_NONE && end < *leaves)
    *leaves = end;
  return true;
}

static void make_room(struct sweep *s, const struct model *m)
{
  if (s->place_count >= m->place_count)
    return;
  s->places = xreallocarray(s->places, m->place_count, sizeof *s->places);
  memset(&s->places[s->place_count], 0, (m->place_count - s->place_count) * sizeof *s->places);
  s->place_count = m->place_count;
}

static void make_room_for_jobs(struct sweep_place *known, size_t count)
{
  if (known->count >= count)
    return;
  known->jobs = xreallocarray(known->jobs, count, sizeof *known->jobs);
  for (size_t i = known->count; i < count; i++)
    known->jobs[i] = (struct sweep_job){.generation = NEVER, .leaves_ms = INT64_MAX};
  known->count = count;
}

static void next_place(struct sweep *s)
{
  s->place++;
  s->job = s->run = 0;
  s->in_job = false;
}

/* One walk from where it stands to the last job. */
static enum sweep_kind sweep_on(struct sweep *s, const struct model *m, int only, size_t *budget,
                                struct sweep_part *part)
{
  for (; s->place < m->place_count; next_place(s)) {
    const struct place *p = &m->places[s->place];
    struct sweep_place *known = &s->places[s->place];
    bool open = only < 0 ? schedule_place_open(m, (int)s->place) : (size_t)only == s->place;
    if (known->epoch != p->epoch || known->open != open) {
      bool had = known->count > 0;
      free(known->jobs);
      *known = (struct sweep_place){.epoch = p->epoch, .open = open};
      s->job = s->run = 0;
      s->in_job = false;
      if (had) {
        *part = (struct sweep_part){.place = (int)s->place};
        return SWEEP_CLEARED;
      }
    }
    if (!open)
      continue;
    make_room_for_jobs(known, p->job_count);
    for (; s->job < p->job_count; s->job++) {
      const struct job *j = &p->jobs[s->job];
      if (known->jobs[s->job].generation == j->runs_generation) {
        s->in_job = false;
        if (s->job % JOBS_PER_BUDGET == 0 && *budget > 0)
          (*budget)--;
        continue;
      }
      if (*budget == 0)
        return SWEEP_PAUSE;
      if (s->in_job && s->in_generation != j->runs_generation)
        s->in_job = false; /* it changed under us: once more */
      if (!s->in_job) {
        s->run = 0;
        s->in_generation = j->runs_generation;
        known->jobs[s->job].leaves_ms = INT64_MAX;
      }
      size_t count = s->since_ms == INT64_MIN ? j->run_count : model_runs_reach(j, s->since_ms);
      size_t left = count - s->run, take = left < *budget ? left : *budget;
      *part = (struct sweep_part){.place = (int)s->place,
                                  .job = s->job,
                                  .from = s->run,
                                  .to = s->run + take,
                                  .first = !s->in_job,
                                  .last = take == left};
      *budget -= take == 0 ? 1 : take;
      s->run += take;
      s->in_job = !part->last;
      if (part->last)
        known->jobs[s->job].generation = j->runs_generation;
      return SWEEP_RUNS;
    }
  }
  s->place = s->job = s->run = 0;
  s->in_job = false;
  return SWEEP_DONE;
}

enum sweep_kind sweep_next(struct sweep *s, const struct model *m, int only, size_t *budget, struct sweep_part *part)
{
  make_room(s, m);
  for (;;) {
    if (s->place == 0 && s->job == 0 && !s->in_job)
      s->clean = true;
    enum sweep_kind kind = sweep_on(s, m, only, budget, part);
    if (kind != SWEEP_DONE) {
      s->clean = false;
      return kind;
    }
    /* The model may have changed between two calls, behind our back: only a whole walk that found nothing proves that all is done. */
    if (s->clean)
      return SWEEP_DONE;
  }
}
