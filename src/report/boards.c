#include "report/boards.h"

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
  struct plan plan;
  bool plan_begun;
  uint64_t plan_generation; /* of the model that the plan was begun with */
  struct home_result home;
  struct collision_quotas *quotas;
  size_t quota_count;
};

struct boards *boards_new(void)
{
  struct boards *b = xcalloc(1, sizeof *b);
  b->burn = burn_new();
  b->collisions = collisions_new();
  b->timeouts = timeouts_new();
  b->timeline = timeline_new();
  b->loads = loads_new();
  plan_init(&b->plan);
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
    plan_fini(&b->plan);
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

void boards_set_quotas(struct boards *b, const struct collision_quotas *quotas, size_t count)
{
  b->quotas = xreallocarray(b->quotas, count + 1, sizeof *b->quotas);
  if (count > 0) {
    memcpy(b->quotas, quotas, count * sizeof *quotas);
  }
  b->quota_count = count;
}

/* The plan looks a day ahead, or to the window's end where that is further. */
static bool step_plan(struct boards *b, const struct report_scope *s, size_t budget)
{
  int64_t until = s->now_ms + WHEN_DAY;
  if (b->until_ms != INT64_MAX && b->until_ms > until) {
    until = b->until_ms;
  }
  if (!b->plan_begun || b->plan_generation != s->model->generation || b->plan.from_ms + WHEN_MINUTE < s->now_ms) {
    plan_begin(&b->plan, s->model, s->stats, b->place, s->now_ms, until);
    b->plan_begun = true;
    b->plan_generation = s->model->generation;
  }
  return b->plan.done || plan_step(&b->plan, s->model, s->stats, budget);
}

bool boards_step(struct boards *b, const struct report_scope *s, size_t budget)
{
  /* One engine after the other, so that a slice stays a slice. */
  bool done = loads_step(b->loads, s->model, budget);
  done = done && burn_step(b->burn, s->model, s->prices, s->now_ms, budget);
  done = done && timeouts_step(b->timeouts, s->model, s->prices, s->now_ms, budget);
  done = done && collisions_step(b->collisions, s->model, s->now_ms, budget);
  done = done && timeline_step(b->timeline, s->model, s->now_ms, budget);
  done = done && step_plan(b, s, budget);
  return done;
}

const struct burn_result *boards_burn(struct boards *b, const struct report_scope *s)
{
  return burn_result(b->burn, s->model, s->prices, s->now_ms);
}

const struct collisions_result *boards_collisions(struct boards *b, const struct report_scope *s)
{
  return collisions_result(b->collisions, s->model, s->stats, &b->plan, b->loads, b->quotas, b->quota_count, s->now_ms);
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

struct loads *boards_loads(struct boards *b)
{
  return b->loads;
}

const struct plan *boards_plan(const struct boards *b)
{
  return &b->plan;
}
