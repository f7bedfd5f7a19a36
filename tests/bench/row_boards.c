/* The boards over 400,000 runs of 2,000 jobs in 90 days: the longest slice after a change of window, all slices together, and what one new
 * run costs. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/when.h"
#include "model/burn.h"
#include "model/collisions.h"
#include "model/load.h"
#include "model/sweep.h"
#include "model/timeline.h"
#include "model/timeouts.h"

#define JOBS         2000
#define RUNS_PER_JOB 200
#define NOW          INT64_C(1796047400000)
#define NS_PER_MS    1e6

struct boards {
  struct model *model;
  strid jobs[JOBS];
  struct stats_cache *stats;
  struct loads *loads;
  struct burn *burn;
  struct collisions *collisions;
  struct timeouts *timeouts;
  struct timeline *timeline;
  struct plan plan;
  int64_t since;
  unsigned next;
};

/* Of this thread's own time: other programs on the machine are no fault of a slice. */
static double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void put_run(struct boards *b, unsigned n, int64_t begin)
{
  char id[80];
  unsigned job = n % JOBS;
  snprintf(id, sizeof id, "jr_%056x%08x", 0xabcu, n);
  struct run_data d = {.id = id,
                       .state = n % 13 == 0    ? "FAILED"
                                : n % 501 == 0 ? "TIMEOUT"
                                               : "SUCCEEDED",
                       .worker_type = "G.1X",
                       .glue_version = n % 3 == 0 ? "6.0" : "4.0",
                       .execution_class = "STANDARD",
                       .started_ms = begin,
                       .modified_ms = begin + 600000,
                       .completed_ms = begin + 600000 + n % 977 * 1000,
                       .execution_seconds = 560 + n % 977,
                       .timeout_minutes = 60,
                       .workers = 10,
                       .max_capacity = 10,
                       .dpu_seconds = (double)NAN};
  model_put_run(b->model, 0, b->jobs[job], &d, NOW, NULL);
}

static int step_all(struct boards *b, size_t budget, double *longest)
{
  double began = now_ns();
  int done = burn_step(b->burn, b->model, NULL, NOW, budget);
  double t1 = now_ns();
  done &= collisions_step(b->collisions, b->model, NOW, budget);
  double t2 = now_ns();
  done &= timeouts_step(b->timeouts, b->model, NULL, NOW, budget);
  double t3 = now_ns();
  done &= timeline_step(b->timeline, b->model, NOW, budget);
  double t4 = now_ns();
  done &= loads_step(b->loads, b->model, budget);
  double t5 = now_ns();
  const double parts[] = {t1 - began, t2 - t1, t3 - t2, t4 - t3, t5 - t4};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i] > *longest)
      *longest = parts[i];
  return done;
}

static void *make(void)
{
  struct boards *b = calloc(1, sizeof *b);
  double ignored = 0;
  if (b == NULL)
    return NULL;
  b->model = model_new();
  model_add_context(b->model, "bench", "", "us-east-1", "option", "aws", "");
  for (unsigned i = 0; i < JOBS; i++) {
    char name[20];
    snprintf(name, sizeof name, "job%u", i);
    struct job_data d = {.name = name,
                         .command_name = "glueetl",
                         .worker_type = "G.1X",
                         .glue_version = "4.0",
                         .max_concurrent_runs = 1,
                         .max_retries = 0,
                         .timeout_minutes = 60,
                         .workers = 10,
                         .notify_delay_minutes = RECORD_ABSENT,
                         .max_capacity = 10};
    b->jobs[i] = model_put_job(b->model, 0, &d, 1)->name;
  }
  for (unsigned n = 0; n < JOBS * RUNS_PER_JOB; n++)
    put_run(b, n, NOW - WHEN_HOUR - (int64_t)n * (90 * WHEN_DAY / (JOBS * RUNS_PER_JOB)));
  b->next = JOBS * RUNS_PER_JOB;
  b->stats = stats_cache_new(0);
  b->loads = loads_new();
  b->burn = burn_new();
  b->collisions = collisions_new();
  b->timeouts = timeouts_new();
  b->timeline = timeline_new();
  plan_init(&b->plan);
  b->since = NOW - 90 * WHEN_DAY;
  while (!step_all(b, SWEEP_SLICE, &ignored))
    continue;
  return b;
}

/* One account serves all rows: making it takes longer than measuring. It lives as long as the program. */
static void *set_up(void)
{
  static struct boards *only;
  if (only == NULL)
    only = make();
  return only;
}

static void tear_down(void *state)
{
  (void)state;
}

static void new_window(struct boards *b)
{
  b->since -= WHEN_MINUTE;
  burn_begin(b->burn, b->since, NOW, -1, false);
  collisions_begin(b->collisions, b->since, NOW, -1);
  timeouts_begin(b->timeouts, b->since, NOW, -1, false);
  timeline_begin(b->timeline, b->since, NOW, -1);
}

static double measure_slice(void *state)
{
  double longest = 0;
  new_window(state);
  while (!step_all(state, SWEEP_SLICE, &longest))
    continue;
  return longest / NS_PER_MS;
}

static double measure_whole(void *state)
{
  struct boards *b = state;
  double began = now_ns();
  new_window(b);
  while (!burn_step(b->burn, b->model, NULL, NOW, SWEEP_SLICE))
    continue;
  burn_result(b->burn, b->model, NULL, NOW);
  return (now_ns() - began) / NS_PER_MS;
}

static double measure_first(void *state)
{
  struct boards *b = state;
  double began = now_ns();
  new_window(b);
  burn_step(b->burn, b->model, NULL, NOW, SWEEP_SLICE);
  burn_result(b->burn, b->model, NULL, NOW);
  double took = now_ns() - began, ignored = 0;
  while (!step_all(b, SWEEP_SLICE, &ignored))
    continue;
  return took / NS_PER_MS;
}

static double measure_new_run(void *state)
{
  struct boards *b = state;
  double ignored = 0;
  put_run(b, b->next++, NOW - WHEN_HOUR);
  double began = now_ns();
  while (!step_all(b, SWEEP_SLICE, &ignored))
    continue;
  return (now_ns() - began) / NS_PER_MS;
}

static double measure_burn_result(void *state)
{
  struct boards *b = state;
  double began = now_ns();
  burn_result(b->burn, b->model, NULL, NOW);
  return (now_ns() - began) / NS_PER_MS;
}

static double measure_other_results(void *state)
{
  struct boards *b = state;
  double began = now_ns();
  collisions_result(b->collisions, b->model, b->stats, &b->plan, b->loads, NULL, 0, NOW);
  timeouts_result(b->timeouts, b->model, NULL, b->stats, NOW);
  timeline_result(b->timeline, b->model, &b->plan, NOW);
  return (now_ns() - began) / NS_PER_MS;
}

static double measure_curve(void *state)
{
  struct boards *b = state;
  int64_t dpu[250], runs[250];
  double began = now_ns();
  load_curve(loads_of(b->loads, 0), NOW - 90 * WHEN_DAY, NOW, 250, dpu, runs);
  return (now_ns() - began) / NS_PER_MS;
}

const struct bench_row bench_row_boards_slice = {.name = "boards: longest slice",
                                                 .unit = "ms",
                                                 .target = 2,
                                                 .set_up = set_up,
                                                 .measure = measure_slice,
                                                 .tear_down = tear_down};
const struct bench_row bench_row_boards_first = {.name = "boards: first burn screen",
                                                 .unit = "ms",
                                                 .target = 50,
                                                 .set_up = set_up,
                                                 .measure = measure_first,
                                                 .tear_down = tear_down};
const struct bench_row bench_row_boards_whole = {.name = "boards: burn of 400,000 runs",
                                                 .unit = "ms",
                                                 .target = 400,
                                                 .set_up = set_up,
                                                 .measure = measure_whole,
                                                 .tear_down = tear_down};
const struct bench_row bench_row_boards_new_run = {.name = "boards: one new run",
                                                   .unit = "ms",
                                                   .target = 1,
                                                   .set_up = set_up,
                                                   .measure = measure_new_run,
                                                   .tear_down = tear_down};
const struct bench_row bench_row_boards_burn = {.name = "boards: burn result",
                                                .unit = "ms",
                                                .target = 2,
                                                .set_up = set_up,
                                                .measure = measure_burn_result,
                                                .tear_down = tear_down};
const struct bench_row bench_row_boards_others = {.name = "boards: other results",
                                                  .unit = "ms",
                                                  .target = 4,
                                                  .set_up = set_up,
                                                  .measure = measure_other_results,
                                                  .tear_down = tear_down};
const struct bench_row bench_row_boards_curve = {.name = "boards: DPU curve",
                                                 .unit = "ms",
                                                 .target = 2,
                                                 .set_up = set_up,
                                                 .measure = measure_curve,
                                                 .tear_down = tear_down};
