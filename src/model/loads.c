/* Keeps the loads of all places in step with the model: for each job what was added for its runs, so that a change can be taken back. */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/cost.h"
#include "model/parts.h"
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

/* As it stands in the load, in the order of the job's runs: newest first. */
struct job_part {
  struct added *was;
  size_t count;
};

struct loads_place {
  struct load *load;
  size_t unknown;
};

struct loads {
  struct sweep sweep;
  struct parts parts; /* of struct job_part */
  struct loads_place *places;
  size_t place_count;
  struct load *nothing;
  bool money; /* of these prices; else DPU */
  const struct price_table *prices;
  uint64_t prices_generation;
};

static void part_free(void *part)
{
  struct job_part *p = part;
  free(p->was);
}

struct loads *loads_new(void)
{
  struct loads *ls = xcalloc(1, sizeof *ls);
  sweep_init(&ls->sweep);
  parts_init(&ls->parts, sizeof(struct job_part), NULL, part_free);
  ls->nothing = load_new();
  return ls;
}

static void place_clear(struct loads *ls, int place)
{
  parts_clear_place(&ls->parts, place);
  if ((size_t)place >= ls->place_count)
    return;
  ls->places[place].unknown = 0;
  if (ls->places[place].load != NULL)
    load_clear(ls->places[place].load);
}

void loads_free(struct loads *ls)
{
  if (ls == NULL)
    return;
  for (size_t i = 0; i < ls->place_count; i++)
    load_free(ls->places[i].load);
  free(ls->places);
  parts_fini(&ls->parts);
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

static bool same(const struct added *a, const struct added *b)
{
  return a->from_ms == b->from_ms && a->took == b->took && a->size == b->size;
}

/* Makes room for the runs that the job has now. What was added for the others stays beside them: new runs come at the head, or, while a
 * history is read backwards, at the end. */
static void job_begin(struct loads_place *p, struct job_part *part, size_t count, const struct added *newest)
{
  static const struct added nothing = {.from_ms = WHEN_NONE, .took = TOOK_ON, .size = 0};
  bool at_head = part->count == 0 || !same(&part->was[0], newest);
  size_t more = count > part->count ? count - part->count : 0, fewer = part->count > count ? part->count - count : 0;
  for (size_t i = 0; i < fewer; i++)
    change(p, &part->was[at_head ? i : count + i], false);
  if (fewer > 0 && at_head)
    memmove(part->was, &part->was[fewer], count * sizeof *part->was);
  if (more > 0)
    part->was = xreallocarray(part->was, count, sizeof *part->was);
  if (more > 0 && at_head && part->count > 0)
    memmove(&part->was[more], part->was, part->count * sizeof *part->was);
  for (size_t i = 0; i < more; i++)
    part->was[at_head ? i : part->count + i] = nothing;
  part->count = count;
}

static void set_run(struct loads_place *p, struct added *was, const struct added *now)
{
  if (same(was, now))
    return;
  change(p, was, false);
  *was = *now;
  change(p, was, true);
}

static uint32_t size_of(int64_t micros)
{
  if (micros < 0 || micros / SIXTEENTH >= SIZE_MICROS)
    return SIZE_UNKNOWN;
  if (micros % SIXTEENTH != 0 && micros <= SIZE_MICROS_MAX)
    return (uint32_t)micros | SIZE_MICROS;
  return (uint32_t)(micros / SIXTEENTH);
}

/* Millionths of a dollar per hour; took_ms -1: it lives. */
static int64_t rate_of(const struct loads *ls, const struct model *m, const struct job *j, const struct run *r,
                       int64_t took_ms)
{
  int64_t nano_per_hour = 0;
  if (took_ms < 0)
    return cost_rate_of_run(m, ls->prices, j->place, j, r, &nano_per_hour) ? nano_per_hour / 1000 : -1;
  struct cost c = cost_of_run(m, ls->prices, j->place, j, r, r->completed_ms);
  int64_t seconds = took_ms / WHEN_SECOND;
  if (c.usd_basis == COST_UNKNOWN)
    return -1;
  if (took_ms <= UINT32_MAX)
    return cost_mul_div(c.nano, WHEN_HOUR / 1000, took_ms);
  return seconds <= UINT32_MAX ? cost_mul_div(c.nano / 1000, WHEN_HOUR / WHEN_SECOND, seconds) : 0;
}

static struct added of_run(const struct loads *ls, const struct model *m, const struct job *j, const struct run *r)
{
  struct added a = {.from_ms = cost_began(r, NULL), .took = TOOK_ON};
  bool alive = !run_finished(r);
  if (!ls->money || alive)
    a.size = size_of(ls->money ? rate_of(ls, m, j, r, -1) : cost_size_micros(model_run_dpu(m, r)));
  if (a.from_ms == WHEN_NONE || alive)
    return a;
  if (r->completed_ms == WHEN_NONE || r->completed_ms <= a.from_ms) {
    a.from_ms = WHEN_NONE;
    return a;
  }
  uint64_t took = (uint64_t)r->completed_ms - (uint64_t)a.from_ms;
  if (ls->money)
    a.size = size_of(rate_of(ls, m, j, r, (int64_t)took));
  if (took < TOOK_SECONDS)
    a.took = (uint32_t)took;
  else if (took / WHEN_SECOND < TOOK_SECONDS - 1)
    a.took = (uint32_t)(took / WHEN_SECOND) | TOOK_SECONDS;
  return a;
}

void loads_set_prices(struct loads *ls, const struct price_table *prices)
{
  uint64_t generation = price_table_generation(prices);
  if (ls->money && ls->prices == prices && ls->prices_generation == generation)
    return;
  loads_forget(ls);
  ls->money = true;
  ls->prices = prices;
  ls->prices_generation = generation;
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
      place_clear(ls, part.place);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[part.place].jobs[part.job];
      struct loads_place *p = place_of(ls, part.place);
      struct job_part *known = parts_get(&ls->parts, m, part.place, part.job);
      if (part.first) {
        struct added newest = {.from_ms = WHEN_NONE};
        if (j->run_count > 0)
          newest = of_run(ls, m, j, &j->runs[0]);
        job_begin(p, known, j->run_count, &newest);
      }
      for (size_t i = part.from; i < part.to; i++) {
        struct added now = of_run(ls, m, j, &j->runs[i]);
        set_run(p, &known->was[i], &now);
      }
      break;
    }
    }
  }
}

void loads_forget(struct loads *ls)
{
  struct loads *fresh = loads_new();
  struct loads old = *ls;
  fresh->money = old.money;
  fresh->prices = old.prices;
  fresh->prices_generation = old.prices_generation;
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
