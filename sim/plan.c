#include "sim/account.h"

#include "sim/rng.h"

#define HISTORY_MS (90 * WHEN_DAY)

static double usual_seconds(const struct sim_account *a, const struct sim_behaviour *b, int64_t at_ms, uint64_t *lot)
{
  double age = (double)(at_ms - (a->start_ms - HISTORY_MS)) / (double)HISTORY_MS;
  double growth = 1 + b->growth_percent / 100.0 * (age < 0 ? 0 : age > 1.5 ? 1.5 : age);
  /* Three throws added up: near the middle mostly, seldom at the ends. */
  double throw = sim_rng_unit(lot) + sim_rng_unit(lot) + sim_rng_unit(lot) - 1.5;
  double spread = 1 + throw / 1.5 * b->spread_percent / 100.0;
  double tail = sim_rng_unit(lot) < 0.02 ? 1.25 + 0.5 * sim_rng_unit(lot) : 1;
  return b->typical_s * growth * spread * tail;
}

static const struct sim_deviation *deviation_of(const struct sim_account *a, const struct sim_job *job,
                                                const struct sim_run *run)
{
  int64_t at_s = (run->accepted_ms - a->start_ms) / WHEN_SECOND - (run->accepted_ms < a->start_ms);
  for (size_t i = 0; i < job->deviation_count; i++) {
    const struct sim_deviation *d = &job->deviations[i];
    if (at_s >= d->from_s && at_s < d->until_s && (d->every <= 1 || job->starts % (uint64_t)d->every == 0))
      return d;
  }
  return NULL;
}

static uint16_t pick_error(const struct sim_behaviour *b, uint64_t *lot)
{
  int count = 0;
  while (count < 3 && b->errors[count] != ERROR_NONE)
    count++;
  return count > 0 ? b->errors[sim_rng_range(lot, 0, count - 1)] : (uint16_t)ERROR_RATE;
}

void sim_run_plan(const struct sim_account *a, const struct sim_job *job, struct sim_run *run)
{
  const struct sim_behaviour *b = &job->behaviour;
  uint64_t lot = sim_mix2(run->key, 1000 + (uint64_t)run->attempt);
  double seconds = usual_seconds(a, b, run->accepted_ms, &lot);
  bool fails = sim_rng_unit(&lot) * 1000 < b->fail_permille;
  /* A second attempt often meets what the first one met. */
  if (run->attempt > 0)
    fails = sim_rng_unit(&lot) < 0.4;
  run->boot_ms = (uint32_t)(b->boot_s * 1000 * (0.7 + 0.8 * sim_rng_unit(&lot)));
  run->dpu_percent = (uint8_t)(b->dpu_percent + sim_rng_range(&lot, -8, 8));
  run->outcome = SIM_SUCCEEDED;
  const struct sim_deviation *d = deviation_of(a, job, run);
  if (d != NULL) {
    if (d->run_s > 0)
      seconds = d->run_s;
    else if (d->factor_percent > 0)
      seconds = seconds * d->factor_percent / 100;
    run->outcome = (uint8_t)d->outcome;
    run->error = d->error;
    fails = false;
  }
  if (fails) {
    run->outcome = SIM_FAILED;
    if (run->error == ERROR_NONE)
      run->error = pick_error(b, &lot);
    seconds *= 0.05 + 0.8 * sim_rng_unit(&lot);
  } else if (run->outcome == SIM_SUCCEEDED) {
    run->error = ERROR_NONE;
  }
  run->plan_ms = (int64_t)(seconds * 1000);
  if (run->plan_ms < 1500)
    run->plan_ms = 1500;
}
