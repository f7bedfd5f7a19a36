/* 400,000 runs of 2,000 jobs: what they take in memory and on disk, and how fast they come back at the next start. */
#include "tests/bench/bench.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/xalloc.h"
#include "model/model.h"
#include "sync/history.h"

#define JOBS         2000u
#define RUNS_PER_JOB 200u
#define T0           INT64_C(1790000000000)

struct large {
  char folder[64], path[120]; /* of the stores, and of the place's */
  size_t model_bytes;
};

static double cpu_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct model *model_open(void)
{
  struct model *m = model_new();
  model_add_context(m, "default", "", "eu-west-1", "option", "aws", "");
  struct identity id = {.account = "111111111111", .arn = "arn"};
  model_set_identity(m, 0, &id, T0);
  return m;
}

/* Answers as the service gives them: newest first, a page of 200. */
static void fill(struct model *m)
{
  uint64_t random = 1;
  for (unsigned j = 0; j < JOBS; j++) {
    char name[64];
    snprintf(name, sizeof name, "warehouse-load-partition-%04u", j);
    struct job_data jd = {.name = name,
                          .command_name = "glueetl",
                          .role = "etl",
                          .worker_type = "G.1X",
                          .glue_version = "5.1",
                          .created_ms = T0,
                          .modified_ms = T0,
                          .max_concurrent_runs = 1,
                          .max_retries = 0,
                          .timeout_minutes = 60,
                          .workers = 10,
                          .notify_delay_minutes = RECORD_ABSENT,
                          .max_capacity = 10};
    strid job = model_put_job(m, 0, &jd, T0)->name;
    for (unsigned i = 0; i < RUNS_PER_JOB; i++) {
      char id[80], error[120];
      uint64_t words[4];
      for (int k = 0; k < 4; k++)
        words[k] = random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      snprintf(id, sizeof id, "jr_%016llx%016llx%016llx%016llx", (unsigned long long)words[0],
               (unsigned long long)words[1], (unsigned long long)words[2], (unsigned long long)words[3]);
      snprintf(error, sizeof error, "An error occurred while calling o%u.pyWriteDynamicFrame. Access denied on key %u",
               i % 400, j);
      bool failed = i % 20 == 7;
      int64_t started = T0 - (int64_t)i * 3600000 - (int64_t)(words[0] % 1000000);
      int64_t seconds = 200 + (int64_t)(words[1] % 3000);
      struct run_data d = {.id = id,
                           .state = failed ? "FAILED" : "SUCCEEDED",
                           .error = failed ? error : NULL,
                           .worker_type = "G.1X",
                           .glue_version = "5.1",
                           .trigger = "hourly",
                           .started_ms = started,
                           .modified_ms = started + seconds * 1000 + 30400,
                           .completed_ms = started + seconds * 1000 + 30123,
                           .attempt = 0,
                           .execution_seconds = seconds,
                           .timeout_minutes = 60,
                           .workers = 10,
                           .max_capacity = 10,
                           .dpu_seconds = i % 4 == 0 ? (double)seconds * 7.25 : (double)NAN};
      model_put_run(m, 0, job, &d, T0, NULL);
    }
    model_add_span(m, 0, job, 0, T0, true);
  }
}

/* What is allocated; 0 where the C library does not tell. */
static size_t heap_bytes(void)
{
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

static void tear_down(void *state)
{
  struct large *l = state;
  char name[140];
  static const char *const files[] = {"111111111111.eu-west-1.db", "logins.db"};
  static const char *const tails[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "%s/%s%s", l->folder, files[i / 3], tails[i % 3]);
    unlink(name);
  }
  rmdir(l->folder);
  free(l);
}

static void *set_up(void)
{
  struct large *l = xcalloc(1, sizeof *l);
  snprintf(l->folder, sizeof l->folder, "/tmp/gluetop-bench-XXXXXX");
  if (mkdtemp(l->folder) == NULL) {
    free(l);
    return NULL;
  }
  snprintf(l->path, sizeof l->path, "%s/111111111111.eu-west-1.db", l->folder);
  size_t before = heap_bytes();
  struct model *m = model_open();
  fill(m);
  l->model_bytes = heap_bytes() - before;
  struct history *h = history_open(l->folder);
  history_paint(h, m, 0);
  for (int i = 0; i < 1000 && history_flush(h, m, 0, 64); i++)
    continue;
  history_close(h);
  model_free(m);
  return l;
}

static double paint(void *state, bool whole)
{
  struct large *l = state;
  double began = cpu_ms();
  struct model *m = model_open();
  struct history *h = history_open(l->folder);
  history_paint(h, m, 0);
  while (whole && history_step(h, m, 1000))
    continue;
  double ms = cpu_ms() - began;
  size_t runs = 0;
  for (size_t i = 0; i < m->places[0].job_count; i++)
    runs += m->places[0].jobs[i].run_count;
  bool good = whole ? runs == (size_t)JOBS * RUNS_PER_JOB : runs >= JOBS;
  history_close(h);
  model_free(m);
  return good ? ms : -1;
}

static double paint_whole(void *state)
{
  return paint(state, true);
}

static double paint_first(void *state)
{
  return paint(state, false);
}

static double disk_bytes(void *state)
{
  struct large *l = state;
  struct stat st;
  return stat(l->path, &st) != 0 ? -1 : (double)st.st_size / ((double)JOBS * RUNS_PER_JOB);
}

static double memory_bytes(void *state)
{
  struct large *l = state;
  return l->model_bytes == 0 ? 0 : (double)l->model_bytes / ((double)JOBS * RUNS_PER_JOB);
}

const struct bench_row bench_row_store_whole = {.name = "store, 400,000 runs into memory (CPU)",
                                                .unit = "ms",
                                                .target = 100,
                                                .set_up = set_up,
                                                .measure = paint_whole,
                                                .tear_down = tear_down};
const struct bench_row bench_row_store_first = {.name = "store, jobs and newest runs for the first frame (CPU)",
                                                .unit = "ms",
                                                .target = 50,
                                                .set_up = set_up,
                                                .measure = paint_first,
                                                .tear_down = tear_down};
const struct bench_row bench_row_store_disk = {.name = "store, bytes a run on disk, jobs and errors included",
                                               .unit = "bytes",
                                               .target = 120,
                                               .set_up = set_up,
                                               .measure = disk_bytes,
                                               .tear_down = tear_down};
const struct bench_row bench_row_store_memory = {.name = "model, allocated bytes a run, jobs and errors included",
                                                 .unit = "bytes",
                                                 .target = 160,
                                                 .set_up = set_up,
                                                 .measure = memory_bytes,
                                                 .tear_down = tear_down};
