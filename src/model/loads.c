/* Keeps the loads of all places in step with the model: for each job what was added for its runs, so that a change can be taken back. */
#include "model/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/cost.h"
#include "model/sweep.h"

/* What one run added, in 16 bytes. */
struct added {
  int64_t from_ms; /* WHEN_NONE: nothing, it never worked */
  uint32_t
      took; /* ms, or with TOOK_SECONDS set seconds: to the second is near enough behind 24 days; TOOK_ON: it goes on */
  uint32_t size; /* sixteenths of a DPU, or with SIZE_MICROS set millionths; SIZE_UNKNOWN */
};
#define TOOK_SECONDS    (UINT32_C(1) << 31)
#define TOOK_ON         UINT32_MAX
#define SIZE_MICROS     (UINT32_C(1) << 31)
#define SIZE_UNKNOWN    UINT32_MAX
#define SIXTEENTH       INT64_C(62500) /* in millionths */
#define SIZE_MICROS_MAX (INT64_C(1) << 30)

struct loads_job {
  struct added *was; /* as it stands in the load; oldest first, so that new runs come last */
  size_t was_count;
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

static int64_t added_dpu(const struct added *a)
{
  if (a->size == SIZE_UNKNOWN)
    return 0;
  return (a->size & SIZE_MICROS) != 0 ? (int64_t)(a->size & ~SIZE_MICROS) : (int64_t)a->size * SIXTEENTH;
}

static int64_t added_to(const struct added *a)
{
  if (a->took == TOOK_ON)
    return WHEN_NONE;
  if ((a->took & TOOK_SECONDS) != 0)
    return a->from_ms + (int64_t)(a->took & ~TOOK_SECONDS) * WHEN_SECOND;
  return a->from_ms + (int64_t)a->took;
}

static void change(struct loads_place *p, const struct added *a, bool add)
{
  if (a->from_ms == WHEN_NONE)
    return;
  if (add)
    load_add(p->load, a->from_ms, added_to(a), added_dpu(a));
  else
    load_remove(p->load, a->from_ms, added_to(a), added_dpu(a));
  if (a->size == SIZE_UNKNOWN)
    p->unknown += add ? 1 : (size_t)-1;
}

/* The oldest stay as they are as a rule: only what lies behind the first difference is taken back and added again. */
static void job_settle(struct loads *ls, struct loads_place *p, struct loads_job *j)
{
  size_t same = 0, fewer = j->was_count < ls->now_count ? j->was_count : ls->now_count;
  while (same < fewer) {
    const struct added *a = &j->was[same], *b = &ls->now[ls->now_count - 1 - same];
    if (a->from_ms != b->from_ms || a->took != b->took || a->size != b->size)
      break;
    same++;
  }
  for (size_t i = same; i < j->was_count; i++)
    change(p, &j->was[i], false);
  if (ls->now_count != j->was_count)
    j->was = xreallocarray(j->was, ls->now_count == 0 ? 1 : ls->now_count, sizeof *j->was);
  for (size_t i = same; i < ls->now_count; i++) {
    j->was[i] = ls->now[ls->now_count - 1 - i];
    change(p, &j->was[i], true);
  }
  j->was_count = ls->now_count;
}

static uint32_t size_of(double dpu)
{
  if (isnan(dpu) || dpu < 0 || dpu >= 1e8)
    return SIZE_UNKNOWN;
  int64_t micros = (int64_t)llround(dpu * 1e6);
  if (micros % SIXTEENTH != 0 && micros <= SIZE_MICROS_MAX)
    return (uint32_t)micros | SIZE_MICROS;
  return (uint32_t)(micros / SIXTEENTH);
}

static struct added of_run(const struct model *m, const struct run *r)
{
  struct added a = {.from_ms = cost_began(r, NULL), .took = TOOK_ON, .size = size_of(model_run_dpu(m, r))};
  if (a.from_ms == WHEN_NONE || !run_finished(r))
    return a;
  if (r->completed_ms == WHEN_NONE || r->completed_ms <= a.from_ms) {
    a.from_ms = WHEN_NONE;
    return a;
  }
  uint64_t took = (uint64_t)r->completed_ms - (uint64_t)a.from_ms;
  if (took < TOOK_SECONDS)
    a.took = (uint32_t)took;
  else if (took / WHEN_SECOND < TOOK_SECONDS - 1)
    a.took = (uint32_t)(took / WHEN_SECOND) | TOOK_SECONDS;
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

void loads_forget(struct loads *ls)
{
  struct loads *fresh = loads_new();
  struct loads old = *ls;
  *ls = *fresh;
  *fresh = old;
  loads_free(fresh);
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
