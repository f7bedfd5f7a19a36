#include "report/boards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct boards {
  int64_t since_ms, until_ms;
  int place;
  struct burn *burn;
  struct collisions *collisions;
  struct timeouts *timeouts;
  struct timeline *timeline;
  struct loads *loads;
  bool without_loads;
  struct loads *money;
  bool with_money;
  struct plan plan; /* the last complete one, which is shown while the next is made */
  struct plan making;
  bool plan_begun;
  uint64_t plan_generation; /* of the model that `making` was begun with */
  struct home_result home;
  const struct board_measures *measures;
  struct collision_quotas *quotas; /* by place, made from the measures */
};

/* Events of a plan are dearer than runs of a history. */
#define PLAN_SHARE 4

struct boards *boards_new(void)
{
  struct boards *b = xcalloc(1, sizeof *b);
  b->burn = burn_new();
  b->collisions = collisions_new();
  b->timeouts = timeouts_new();
  b->timeline = timeline_new();
  b->loads = loads_new();
  b->money = loads_new();
  plan_init(&b->plan);
  plan_init(&b->making);
  home_init(&b->home);
  return b;
}

void boards_free(struct boards *b)
{
  if (b) {
    burn_free(b->burn);
    collisions_free(b->collisions);
    timeouts_free(b->timeouts);
    timeline_free(b->timeline);
    loads_free(b->loads);
    loads_free(b->money);
    plan_fini(&b->plan);
    plan_fini(&b->making);
    home_fini(&b->home);
    free(b->quotas);
    free(b);
  }
}

void boards_begin(struct boards *b, int64_t since_ms, int64_t until_ms, int place)
{
  b->since_ms = since_ms;
  b->until_ms = until_ms;
  b->place = place;
  burn_begin(b->burn, since_ms, until_ms, place, false);
  collisions_begin(b->collisions, since_ms, until_ms, place);
  timeouts_begin(b->timeouts, since_ms, until_ms, place, false);
  timeline_begin(b->timeline, since_ms, until_ms, place);
  b->plan_begun = false;
}

bool boards_keep_loads(struct boards *b, bool keep)
{
  bool more = keep && b->without_loads;
  if (!keep && !b->without_loads) {
    loads_forget(b->loads);
  }
  b->without_loads = !keep;
  return more;
}

bool boards_keep_money(struct boards *b, bool keep)
{
  bool more = keep && !b->with_money;
  if (!keep && b->with_money) {
    loads_forget(b->money);
  }
  b->with_money = keep;
  return more;
}

void boards_set_measures(struct boards *b, const struct board_measures *measures)
{
  b->measures = measures;
}

const struct board_measures *boards_measures(const struct boards *b)
{
  static const struct board_measures none = {.budget_month_nano = -1, .budget_day_nano = -1};
  return b->measures ? b->measures : &none;
}

/* The plan looks a day ahead, or to the window's end where that is further. */
static bool step_plan(struct boards *b, const struct report_scope *s, size_t budget)
{
  int64_t until = s->now_ms + WHEN_DAY;
  if (b->until_ms != INT64_MAX && b->until_ms > until) {
    until = b->until_ms;
  }
  if (!b->plan_begun || b->plan_generation != s->model->generation || b->making.from_ms + WHEN_MINUTE < s->now_ms) {
    plan_begin(&b->making, s->model, s->stats, b->place, s->now_ms, until);
    b->plan_begun = true;
    b->plan_generation = s->model->generation;
  }
  if (!b->making.done && plan_step(&b->making, s->model, s->stats, budget / PLAN_SHARE + 1)) {
    struct plan before = b->plan;
    b->plan = b->making; /* the finished one stays known to `making` by its times alone */
    b->making = before;
    b->making.from_ms = b->plan.from_ms;
    b->making.done = true;
  }
  return b->making.done;
}

enum engine {
  ENGINE_LOADS = 1,
  ENGINE_BURN = 2,
  ENGINE_TIMEOUTS = 4,
  ENGINE_COLLISIONS = 8,
  ENGINE_TIMELINE = 16,
  ENGINE_PLAN = 32
};
#define ENGINES_ALL (2 * ENGINE_PLAN - 1)

/* One engine after the other, so that a slice stays a slice. */
static bool step(struct boards *b, unsigned engines, const struct report_scope *s, size_t budget)
{
  bool done = !(engines & ENGINE_LOADS) || b->without_loads || loads_step(b->loads, s->model, budget);
  if (b->with_money) {
    loads_set_prices(b->money, s->prices);
    done = done && loads_step(b->money, s->model, budget);
  }
  done = done && (!(engines & ENGINE_BURN) || burn_step(b->burn, s->model, s->prices, s->now_ms, budget));
  done = done && (!(engines & ENGINE_TIMEOUTS) || timeouts_step(b->timeouts, s->model, s->prices, s->now_ms, budget));
  done = done && (!(engines & ENGINE_COLLISIONS) || collisions_step(b->collisions, s->model, s->now_ms, budget));
  done = done && (!(engines & ENGINE_TIMELINE) || timeline_step(b->timeline, s->model, s->now_ms, budget));
  return done && (!(engines & ENGINE_PLAN) || step_plan(b, s, budget));
}

bool boards_step(struct boards *b, const struct report_scope *s, size_t budget)
{
  return step(b, ENGINES_ALL, s, budget);
}

bool boards_step_for(struct boards *b, enum board which, const struct report_scope *s, size_t budget)
{
  /* what needs a person rests on nothing that is foretold */
  static const unsigned engines[] = {[BOARD_BURN] = ENGINE_BURN,
                                     [BOARD_TIMELINE] = ENGINE_LOADS | ENGINE_TIMELINE | ENGINE_PLAN,
                                     [BOARD_COLLISIONS] = ENGINE_LOADS | ENGINE_COLLISIONS | ENGINE_PLAN,
                                     [BOARD_TIMEOUTS] = ENGINE_TIMEOUTS,
                                     [BOARD_CHECK] = ENGINE_BURN | ENGINE_TIMEOUTS | ENGINE_COLLISIONS};
  return step(b, engines[which], s, budget);
}

const struct burn_result *boards_burn(struct boards *b, const struct report_scope *s)
{
  return burn_result(b->burn, s->model, s->prices, s->now_ms);
}

struct quota board_quota_of(const struct board_measures *measures, const struct model *m, int place,
                            enum quota_kind kind)
{
  const struct place *at = &m->places[place];
  struct quota q = {.value = quota_default(kind, at->region), .origin = QUOTA_DEFAULT};
  if (!isnan(at->quotas[kind])) {
    q = (struct quota){.value = at->quotas[kind], .origin = QUOTA_FROM_SERVICE};
  }
  for (size_t i = 0; measures && i < measures->quota_count; i++) {
    if (strcmp(measures->quotas[i].region, at->region) == 0 && !isnan(measures->quotas[i].values[kind])) {
      q = (struct quota){.value = measures->quotas[i].values[kind], .origin = QUOTA_FROM_CONFIG};
    }
  }
  return q;
}

const struct collisions_result *boards_collisions(struct boards *b, const struct report_scope *s)
{
  size_t places = s->model->place_count;
  b->quotas = xreallocarray(b->quotas, places + 1, sizeof *b->quotas);
  for (size_t p = 0; p < places; p++) {
    b->quotas[p] = (struct collision_quotas){.runs = board_quota_of(b->measures, s->model, (int)p, QUOTA_RUNS),
                                             .dpu = board_quota_of(b->measures, s->model, (int)p, QUOTA_DPU)};
  }
  return collisions_result(b->collisions, s->model, s->stats, &b->plan, b->loads, b->quotas, places, s->now_ms);
}

const struct timeouts_result *boards_timeouts(struct boards *b, const struct report_scope *s)
{
  return timeouts_result(b->timeouts, s->model, s->prices, s->stats, s->now_ms);
}

const struct timeline_result *boards_timeline(struct boards *b, const struct report_scope *s)
{
  return timeline_result(b->timeline, s->model, &b->plan, s->now_ms);
}

const struct home_result *boards_home(struct boards *b, const struct report_scope *s, int64_t failures_since_ms)
{
  home_fill(&b->home, s->model, boards_burn(b, s), boards_collisions(b, s), boards_timeouts(b, s), b->place,
            failures_since_ms, s->now_ms);
  return &b->home;
}

bool boards_shows(const struct boards *b, const struct model *m, int place)
{
  return b->place < 0 ? schedule_place_open(m, place) : b->place == place;
}

struct loads *boards_loads(struct boards *b)
{
  return b->loads;
}

const struct plan *boards_plan(const struct boards *b)
{
  return &b->plan;
}

static int compare_steps(const void *a, const void *b)
{
  const struct load_step *x = a, *y = b;
  return x->at_ms < y->at_ms ? -1 : x->at_ms > y->at_ms;
}

/* The level holds over [began, ended): no column that it touches is lower. */
static void raise_columns(int64_t *values, size_t columns, int64_t from, int64_t to, int64_t began, int64_t ended,
                          int64_t level)
{
  double width = (double)columns, span = (double)(to - from); /* products first: whole results stay whole */
  if (columns == 0 || ended <= began) {
    return;
  }
  size_t last = (size_t)((double)(ended - 1 - from) * width / span);
  for (size_t c = began <= from ? 0 : (size_t)((double)(began - from) * width / span); c <= last && c < columns; c++) {
    values[c] = level > values[c] ? level : values[c];
  }
}

/* The sum of several places' levels: each place's changes become differences, which are played through in order of time. */
static void merged_curve(struct boards *b, struct loads *loads, const struct report_scope *s, int64_t from, int64_t to,
                         size_t columns, int64_t *dpu_micros, struct load_peak *peak)
{
  struct load_step *steps = NULL;
  size_t count = 0, cap = 0;
  int64_t level = 0, runs = 0;
  for (size_t p = 0; p < s->model->place_count; p++) {
    if (boards_shows(b, s->model, (int)p)) {
      struct load *load = loads_of(loads, (int)p);
      size_t n = load_steps(load, from, to, NULL, 0);
      steps = xgrow(steps, &cap, count + n + 1, sizeof *steps);
      n = load_steps(load, from, to, steps + count, n);
      for (size_t i = n; i-- > 1;) { /* levels to differences */
        steps[count + i].dpu_micros -= steps[count + i - 1].dpu_micros;
        steps[count + i].runs -= steps[count + i - 1].runs;
      }
      count += n;
    }
  }
  if (count > 0) {
    qsort(steps, count, sizeof *steps, compare_steps);
  }
  for (size_t i = 0; i < count;) {
    int64_t at = steps[i].at_ms;
    for (; i < count && steps[i].at_ms == at; i++) {
      level += steps[i].dpu_micros;
      runs += steps[i].runs;
    }
    raise_columns(dpu_micros, columns, from, to, at, i < count ? steps[i].at_ms : to, level);
    if (peak->dpu_at_ms == WHEN_NONE || level > peak->dpu_micros) {
      peak->dpu_micros = level;
      peak->dpu_at_ms = at;
    }
    if (peak->runs_at_ms == WHEN_NONE || runs > peak->runs) {
      peak->runs = runs;
      peak->runs_at_ms = at;
    }
  }
  if (peak->dpu_micros == 0) { /* as load_peak says it */
    peak->dpu_at_ms = WHEN_NONE;
  }
  if (peak->runs == 0) {
    peak->runs_at_ms = WHEN_NONE;
  }
  free(steps);
}

void boards_curve_of(struct boards *b, enum boards_curve kind, const struct report_scope *s, int64_t from_ms,
                     int64_t to_ms, size_t columns, int64_t *dpu_micros, struct load_peak *peak)
{
  struct loads *loads = kind == BOARDS_CURVE_MONEY ? b->money : b->loads;
  struct load_peak found = {.runs_at_ms = WHEN_NONE, .dpu_at_ms = WHEN_NONE};
  int only = b->place;
  size_t open = 0;
  for (size_t p = 0; p < s->model->place_count && b->place < 0; p++) {
    if (schedule_place_open(s->model, (int)p)) {
      only = (int)p;
      open++;
    }
  }
  if (columns > 0) {
    memset(dpu_micros, 0, columns * sizeof *dpu_micros);
  }
  if (from_ms >= to_ms || only < 0) {
    /* nothing to see */
  } else if (open <= 1) {
    struct load *load = loads_of(loads, only);
    load_curve(load, from_ms, to_ms, columns, dpu_micros, NULL);
    found = load_peak(load, from_ms, to_ms);
  } else {
    merged_curve(b, loads, s, from_ms, to_ms, columns, dpu_micros, &found);
  }
  if (peak) {
    *peak = found;
  }
}

void boards_curve(struct boards *b, const struct report_scope *s, int64_t from_ms, int64_t to_ms, size_t columns,
                  int64_t *dpu_micros, struct load_peak *peak)
{
  boards_curve_of(b, BOARDS_CURVE_DPU, s, from_ms, to_ms, columns, dpu_micros, peak);
}

void boards_expected_curve(struct boards *b, const struct report_scope *s, int64_t to_ms, size_t columns,
                           int64_t *dpu_micros)
{
  struct load *load = load_new();
  for (size_t p = 0; p < s->model->place_count; p++) {
    if (boards_shows(b, s->model, (int)p)) {
      collisions_expected_load(load, s->model, s->stats, &b->plan, (int)p, s->now_ms);
    }
  }
  load_curve(load, s->now_ms, to_ms, columns, dpu_micros, NULL);
  load_free(load);
}
