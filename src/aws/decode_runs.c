/* Pages of runs, and the answers to starting and stopping one. */
#include "aws/decode.h"

#include <math.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "aws/decode_rows.h"
#include "aws/glue.h"
#include "base/json.h"

static void run_arguments(struct decoder *d, const struct cJSON *map, void *base)
{
  struct run_data *run = base;
  const bool *wanted = d->extra;
  if (!cJSON_IsObject(map))
    return;
  if (*wanted) {
    size_t count = decode_list_size(map);
    run->arguments = arena_array(d->arena, count, sizeof *run->arguments);
    run->argument_count = 0;
  }
  const struct cJSON *item = NULL;
  cJSON_ArrayForEach (item, map) {
    if (!cJSON_IsString(item) || item->string == NULL)
      continue;
    enum tristate scaling = decode_auto_scaling(item->string, item->valuestring);
    if (scaling != TRI_ABSENT) {
      run->auto_scaling_given = true;
      run->auto_scaling = scaling == TRI_TRUE;
    }
    enum bookmark_option bookmark = decode_bookmark(item->string, item->valuestring);
    if (bookmark != BOOKMARK_ABSENT)
      run->bookmark = bookmark;
    if (*wanted)
      run->arguments[run->argument_count++] = (struct argument){.key = arena_strdup(d->arena, item->string),
                                                                .value = arena_strdup(d->arena, item->valuestring)};
  }
}

#define RUN(member, how, name)                                                                                         \
  {                                                                                                                    \
#member, how, offsetof(struct run_data, name), NULL                                                                \
  }
#define RUN_SKIP(member)                                                                                               \
  {                                                                                                                    \
#member, DECODE_SKIP, 0, NULL                                                                                      \
  }
/* In the order in which the service sends them. */
static const struct decode_field run_fields[] = {
    RUN(Id, DECODE_STRING, id),
    RUN(Attempt, DECODE_I64, attempt),
    RUN(PreviousRunId, DECODE_STRING, previous_run_id),
    RUN(TriggerName, DECODE_STRING, trigger),
    RUN(JobName, DECODE_STRING, job),
    RUN_SKIP(JobMode),
    RUN(JobRunQueuingEnabled, DECODE_TRI, queuing),
    RUN(StartedOn, DECODE_TIME, started_ms),
    RUN(LastModifiedOn, DECODE_TIME, modified_ms),
    RUN(CompletedOn, DECODE_TIME, completed_ms),
    RUN(JobRunState, DECODE_STRING, state),
    {"Arguments", DECODE_CALL, 0, run_arguments},
    RUN(ErrorMessage, DECODE_STRING, error),
    RUN_SKIP(PredecessorRuns),
    RUN_SKIP(AllocatedCapacity),
    RUN(ExecutionTime, DECODE_I64, execution_seconds),
    RUN(Timeout, DECODE_I64, timeout_minutes),
    RUN(MaxCapacity, DECODE_F64, max_capacity),
    RUN(WorkerType, DECODE_STRING, worker_type),
    RUN(NumberOfWorkers, DECODE_I64, workers),
    RUN_SKIP(SecurityConfiguration),
    RUN(LogGroupName, DECODE_STRING, log_group),
    RUN_SKIP(NotificationProperty),
    RUN(GlueVersion, DECODE_STRING, glue_version),
    RUN(DPUSeconds, DECODE_F64, dpu_seconds),
    RUN(ExecutionClass, DECODE_STRING, execution_class),
    RUN_SKIP(MaintenanceWindow),
    RUN_SKIP(ProfileName),
    RUN(StateDetail, DECODE_STRING, state_detail),
    RUN_SKIP(ExecutionRoleSessionPolicy),
};

static const struct run_data run_absent = {.started_ms = WHEN_NONE,
                                           .modified_ms = WHEN_NONE,
                                           .completed_ms = WHEN_NONE,
                                           .attempt = RECORD_ABSENT,
                                           .execution_seconds = RECORD_ABSENT,
                                           .timeout_minutes = RECORD_ABSENT,
                                           .workers = RECORD_ABSENT,
                                           .max_capacity = (double)NAN,
                                           .dpu_seconds = (double)NAN};

void decode_runs_init(struct decoder *d, bool *with_arguments, struct arena *arena)
{
  decoder_init(d, run_fields, sizeof run_fields / sizeof run_fields[0], arena, with_arguments);
}

bool decode_run(struct decoder *d, const struct cJSON *item, struct run_data *out)
{
  *out = run_absent;
  if (cJSON_IsObject(item))
    decoder_object(d, item, out);
  return out->id != NULL && out->id[0] != '\0';
}

struct err glue_decode_runs(const char *text, size_t len, bool with_arguments, struct arena *arena,
                            struct glue_runs_page *out)
{
  *out = (struct glue_runs_page){.runs = NULL};
  struct cJSON *tree = NULL;
  const struct cJSON *list = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "JobRuns", &list);
  if (!err_is(&e)) {
    struct decoder d;
    decode_runs_init(&d, &with_arguments, arena);
    out->runs = arena_array(arena, decode_list_size(list), sizeof *out->runs);
    const struct cJSON *item = NULL;
    cJSON_ArrayForEach (item, list) {
      if (decode_run(&d, item, &out->runs[out->count]))
        out->count++;
      else
        out->unreadable++;
    }
    out->next_token = decode_token(tree, arena);
  }
  decode_close();
  return e;
}

struct err glue_decode_start(const char *text, size_t len, struct arena *arena, struct glue_start_answer *out)
{
  *out = (struct glue_start_answer){.run_id = NULL};
  struct cJSON *tree = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e)) {
    out->run_id = decode_string(json_get(tree, "JobRunId"), arena);
    if (out->run_id == NULL || out->run_id[0] == '\0')
      e = err_new(ERR_PARSE, "the answer names no run");
  }
  decode_close();
  return e;
}

struct err glue_decode_stop(const char *text, size_t len, struct arena *arena, struct glue_stop_answer *out)
{
  *out = (struct glue_stop_answer){.results = NULL};
  struct cJSON *tree = NULL;
  const struct cJSON *good = NULL;
  const struct cJSON *bad = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "SuccessfulSubmissions", &good);
  if (!err_is(&e))
    e = decode_list(tree, "Errors", &bad);
  if (!err_is(&e)) {
    out->results = arena_array(arena, decode_list_size(good) + decode_list_size(bad), sizeof *out->results);
    const struct cJSON *item = NULL;
    cJSON_ArrayForEach (item, good) {
      const char *id = decode_string(json_get(item, "JobRunId"), arena);
      if (id != NULL)
        out->results[out->count++] = (struct glue_stop_result){.run_id = id};
    }
    cJSON_ArrayForEach (item, bad) {
      const struct cJSON *detail = json_get(item, "ErrorDetail");
      const char *id = decode_string(json_get(item, "JobRunId"), arena);
      const char *code = decode_string(json_get(detail, "ErrorCode"), arena);
      if (id != NULL)
        out->results[out->count++] =
            (struct glue_stop_result){.run_id = id,
                                      .error_code = code != NULL ? code : "Error",
                                      .error_message = decode_string(json_get(detail, "ErrorMessage"), arena)};
    }
  }
  decode_close();
  return e;
}
