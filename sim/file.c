/* An account from a file: {"Jobs": […], "JobRuns": […], "Triggers": […]}, each as the service answers. Served as it
 * stands, unknown members included; runs in it do not move by themselves, but can be stopped. */
#include "sim/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

#define FILE_MAX ((size_t)256 << 20)

static struct err read_file(const char *path, struct buf *out)
{
  char bytes[65536];
  size_t n;
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    return err_errno(ERR_CONFIG, "cannot open %s", path);
  while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
    buf_add(out, bytes, n);
  bool bad = ferror(f) != 0;
  fclose(f);
  if (bad || out->overflow)
    return err_new(ERR_CONFIG, "cannot read %s", path);
  return err_ok();
}

static void add_job(struct sim_account *a, const struct cJSON *given)
{
  const char *name = json_str(given, "Name");
  int64_t created_ms = a->start_ms;
  if (name == NULL || sim_job_find(a, name) != NULL)
    return;
  json_time(given, "CreatedOn", &created_ms);
  struct sim_job *job = sim_job_add(a, name, cJSON_Duplicate(given, true), created_ms);
  json_time(given, "LastModifiedOn", &job->modified_ms);
  /* The members of the list are the job's, the tags are not. */
  const struct cJSON *tags = json_get(given, "Tags");
  if (cJSON_IsObject(tags)) {
    job->tags = cJSON_Duplicate(tags, true);
    cJSON_DeleteItemFromObjectCaseSensitive(job->definition, "Tags");
  }
}

/* A run whose job the file does not define: the least definition that goes with it. */
static struct sim_job *job_for_run(struct sim_account *a, const struct cJSON *run)
{
  static const char *const shared[] = {"WorkerType", "NumberOfWorkers", "MaxCapacity", "GlueVersion",
                                       "Timeout",    "ExecutionClass",  "JobMode"};
  const char *name = json_str(run, "JobName");
  struct sim_job *job = name != NULL ? sim_job_find(a, name) : NULL;
  if (job != NULL || name == NULL)
    return job;
  struct cJSON *d = cJSON_CreateObject();
  struct cJSON *command = cJSON_AddObjectToObject(d, "Command");
  cJSON_AddStringToObject(command, "Name", "glueetl");
  cJSON_AddStringToObject(command, "ScriptLocation", "s3://nordkap-etl-code/unknown.py");
  cJSON_AddStringToObject(command, "PythonVersion", "3");
  cJSON_AddStringToObject(d, "Role", "arn:aws:iam::441290129012:role/GlueEtlRole");
  for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
    const struct cJSON *member = json_get(run, shared[i]);
    if (member != NULL)
      cJSON_AddItemToObject(d, shared[i], cJSON_Duplicate(member, true));
  }
  return sim_job_add(a, name, d, a->start_ms);
}

static int newest_last(const void *a, const void *b)
{
  const struct sim_run *x = a, *y = b;
  if (x->accepted_ms != y->accepted_ms)
    return x->accepted_ms < y->accepted_ms ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* Where the file stands newest first, equal times keep the file's order: the serial counts down. */
static void add_run(struct sim_account *a, const struct cJSON *given, uint64_t serial)
{
  struct sim_job *job = job_for_run(a, given);
  if (job == NULL)
    return;
  const char *state = json_str(given, "JobRunState");
  enum sim_state known = state != NULL ? sim_state_of(state) : SIM_STATE_COUNT;
  struct sim_run *run = sim_run_append(job);
  run->given = cJSON_Duplicate(given, true);
  run->key = serial;
  run->accepted_ms = a->start_ms;
  json_time(given, "StartedOn", &run->accepted_ms);
  run->changed_ms = run->accepted_ms;
  run->state = (uint8_t)(known == SIM_STATE_COUNT ? SIM_RUNNING : known);
  json_time(given, "CompletedOn", &run->ended_ms);
  if (run->state == SIM_STARTING || run->state == SIM_RUNNING || run->state == SIM_STOPPING) {
    job->active++;
    a->active_runs++;
    if (run->shape->flex)
      a->active_flex_dpu += run->shape->dpu;
    else
      a->active_dpu += run->shape->dpu;
  }
}

struct err sim_file_fill(struct sim_account *a, const char *path)
{
  struct buf text;
  struct cJSON *tree = NULL;
  const struct cJSON *item;
  buf_init(&text, FILE_MAX);
  struct err e = read_file(path, &text);
  if (!err_is(&e))
    e = json_parse(text.data, text.len, &tree);
  if (!err_is(&e)) {
    uint64_t serial = UINT64_MAX;
    cJSON_ArrayForEach (item, json_get(tree, "Jobs")) {
      add_job(a, item);
    }
    if (cJSON_IsObject(json_get(tree, "Job")))
      add_job(a, json_get(tree, "Job"));
    cJSON_ArrayForEach (item, json_get(tree, "JobRuns")) {
      add_run(a, item, serial--);
    }
    for (size_t i = 0; i < a->job_count; i++)
      if (a->jobs[i]->run_count > 1)
        qsort(a->jobs[i]->runs, a->jobs[i]->run_count, sizeof *a->jobs[i]->runs, newest_last);
    cJSON_ArrayForEach (item, json_get(tree, "Triggers")) {
      sim_trigger_add(a, cJSON_Duplicate(item, true), a->start_ms);
    }
  }
  json_free(tree);
  buf_fini(&text);
  return e;
}
