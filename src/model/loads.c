/* Keeps the loads of all places in step with the model: for each job what was added for its runs, so that a change can be taken back. */
#include "model/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/cost.h"
#include "model/sweep.h"

struct added {
  int64_t from_ms, to_ms, dpu_micros; /* dpu_micros -1: unknown size */
};

struct loads_job {
  struct added
      *was; /* as it stands in the load; same order as the job's runs, oldest first so that new ones come last */
  size_t was_count, was_cap;
};

struct loads_place {
  struct load *load;
  struct loads_job *jobs;
  size_t job_count;
  size_t unknown;
};

struct loads {
  struct sweep sweep;
  struct loads_place *places;
  size_t place_count;
  struct added *now; /* of the job in work, newest first as the model has them */
  size_t now_count, now_cap;
  struct load *nothing;
};

struct loads *loads_new(void)
{
  struct loads *ls = xcalloc(1, sizeof *ls);
  sweep_init(&ls->sweep);
  ls->nothing = load_new();
  return ls;
}

static void place_clear(struct loads_place *p)
{
  for (size_t i = 0; i < p->job_count; i++)
    free(p->jobs[i].was);
  free(p->jobs);
  p->jobs = NULL;
  p->job_count = 0;
  p->unknown = 0;
  if (p->load != NULL)
    load_clear(p->load);
}

void loads_free(struct loads *ls)
{
  if (ls == NULL)
    return;
  for (size_t i = 0; i < ls->place_count; i++) {
    place_clear(&ls->places[i]);
    load_free(ls->places[i].load);
  }
  free(ls->places);
  free(ls->now);
  sweep_fini(&ls->sweep);
  load_free(ls->nothing);
  free(ls);
}

static struct loads_place *place_of(struct loads *ls, int place)
{
  size_t need = (size_t)place + 1;
  if (ls->place_count < need) {
    ls->places = xreallocarray(ls->places, need, sizeof *ls->places);
    memset(&ls->places[ls->place_count], 0, (need - ls->place_count) * sizeof *ls->places);
    ls->place_count = need;
  }
  if (ls->places[place].load == NULL)
    ls->places[place].load = load_new();
  return &ls->places[place];
}

static void change(struct loads_place *p, const struct added *a, bool add)
{
  int64_t dpu = a->dpu_micros < 0 ? 0 : a->dpu_micros;
  if (a->from_ms == WHEN_NONE)
    return;
  if (add)
    load_add(p->load, a->from_ms, a->to_ms, dpu);
  else
    load_remove(p->load, a->from_ms, a->to_ms, dpu);
  if (a->dpu_micros < 0)
    p->unknown += add ? 1 : (size_t)-1;
}

/* The oldest stay as they are as a rule: only what lies behind the first difference is taken back and added again. */
static void job_settle(struct loads *ls, struct loads_place *p, struct loads_job *j)
{
  size_t same = 0, fewer = j->was_count < ls->now_count ? j->was_count : ls->now_count;
  while (same < fewer) {
    const struct added *a = &j->was[same], *b = &ls->now[ls->now_count - 1 - same];
    if (a->from_ms != b->from_ms || a->to_ms != b->to_ms || a->dpu_micros != b->dpu_micros)
      break;
    same++;
  }
  for (size_t i = same; i < j->was_count; i++)
    change(p, &j->was[i], false);
  j->was = xgrow(j->was, &j->was_cap, ls->now_count == 0 ? 1 : ls->now_count, sizeof *j->was);
  for (size_t i = same; i < ls->now_count; i++) {
    j->was[i] = ls->now[ls->now_count - 1 - i];
    change(p, &j->was[i], true);
  }
  j->was_count = ls->now_count;
}

static struct added of_run(const struct model *m, const struct run *r)
{
  double dpu = model_run_dpu(m, r);
  struct added a = {.from_ms = cost_began(r, NULL), .to_ms = WHEN_NONE, .dpu_micros = -1};
  if (!isnan(dpu) && dpu < 1e9)
    a.dpu_micros = (int64_t)llround(dpu * 1e6);
  if (run_finished(r))
    a.to_ms = r->completed_ms != WHEN_NONE ? r->completed_ms : a.from_ms;
  if (a.from_ms != WHEN_NONE && a.to_ms != WHEN_NONE && a.to_ms <= a.from_ms)
    a.from_ms = WHEN_NONE; /* it never worked */
  return a;
}

bool loads_step(struct loads *ls, const struct model *m, size_t budget)
{
  struct sweep_part part;
  for (;;) {
    switch (sweep_next(&ls->sweep, m, -1, &budget, &part)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      place_clear(place_of(ls, part.place));
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[part.place].jobs[part.job];
      struct loads_place *p = place_of(ls, part.place);
      if (part.job >= p->job_count) {
        size_t count = m->places[part.place].job_count;
        p->jobs = xreallocarray(p->jobs, count, sizeof *p->jobs);
        memset(&p->jobs[p->job_count], 0, (count - p->job_count) * sizeof *p->jobs);
        p->job_count = count;
      }
      if (part.first)
        ls->now_count = 0;
      ls->now = xgrow(ls->now, &ls->now_cap, ls->now_count + (part.to - part.from) + 1, sizeof *ls->now);
      for (size_t i = part.from; i < part.to; i++)
        ls->now[ls->now_count++] = of_run(m, &j->runs[i]);
      if (part.last)
        job_settle(ls, p, &p->jobs[part.job]);
      break;
    }
    }
  }
}

struct load *loads_of(struct loads *ls, int place)
{
  if (place < 0 || (size_t)place >= ls->place_count || ls->places[place].load == NULL)
    return ls->nothing;
  return ls->places[place].load;
}

size_t loads_unknown(const struct loads *ls, int place)
{
  return place < 0 || (size_t)place >= ls->place_count ? 0 : ls->places[place].unknown;
}
