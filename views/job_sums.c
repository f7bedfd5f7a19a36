#include "views/job_sums.h"

#include "model/price.h"
#include "model/schedule.h"
#include "model/stats.h"
#include "views/format.h"

void job_sums_init(struct job_sums *s)
{
  parts_init(&s->parts, sizeof(struct job_sum), NULL, NULL);
}

void job_sums_fini(struct job_sums *s)
{
  parts_fini(&s->parts);
}

/* A live run costs more with every second. A window that only begins later is the same until it has left the first of its runs behind. */
static bool holds(const struct job_sum *sum, const struct scene *scene, const struct job *j)
{
  return sum->counted && sum->name == j->name && sum->generation == j->runs_generation && j->run_live == 0 &&
         sum->prices == price_table_generation(scene->prices) && sum->until_ms == scene->until_ms &&
         scene->since_ms >= sum->since_ms && scene->since_ms <= sum->leaves_ms;
}

static void count(struct job_sum *sum, const struct scene *scene, const struct job *j)
{
  size_t reach = model_runs_reach(j, scene->since_ms);
  sum->counted = true;
  sum->generation = j->runs_generation;
  sum->prices = price_table_generation(scene->prices);
  sum->since_ms = scene->since_ms;
  sum->until_ms = scene->until_ms;
  sum->leaves_ms = INT64_MAX;
  sum->outcome_count = (uint8_t)stats_outcomes(j, sum->outcomes, JOB_SUM_OUTCOMES);
  sum->runs = sum->failed = 0;
  sum->cost = (struct cost_sum){0};
  for (size_t i = 0; i < reach; i++) {
    const struct run *r = &j->runs[i];
    if (!run_meets(r, scene->since_ms, scene->until_ms, scene->now_ms)) {
      continue;
    }
    struct cost c = cost_of_run(scene->model, scene->prices, j->place, j, r, scene->now_ms);
    cost_sum_add(&sum->cost, &c);
    sum->runs++;
    sum->failed += format_is_failure((enum run_state)r->state);
    int64_t end = run_end(r);
    if (end != WHEN_NONE && end < sum->leaves_ms) {
      sum->leaves_ms = end;
    }
  }
}

/* Worked out again only when that moment has passed or the triggers were read again. */
static void plan(struct job_sum *sum, const struct scene *scene, const struct place *p, const struct job *j)
{
  bool passed = sum->next_ms != WHEN_NONE && sum->next_ms <= scene->now_ms;
  if (!sum->planned || passed || sum->triggers_ms != p->triggers_fresh.fetched_ms) {
    sum->planned = true;
    sum->triggers_ms = p->triggers_fresh.fetched_ms;
    sum->next_ms = schedule_next(scene->model, j->place, j->name, scene->now_ms, NULL);
  }
}

const struct job_sum *job_sums_get(struct job_sums *s, const struct scene *scene, int place, size_t index)
{
  const struct place *p = &scene->model->places[place];
  const struct job *j = &p->jobs[index];
  struct job_sum *sum = parts_get(&s->parts, scene->model, place, index);
  if (!holds(sum, scene, j)) {
    if (sum->name != j->name) { /* the place's rows were thrown away meanwhile */
      *sum = (struct job_sum){.name = j->name};
    }
    count(sum, scene, j);
  }
  plan(sum, scene, p, j);
  return sum;
}
