#include "sim/glue.h"

#include <stdio.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "sim/rng.h"

#define RUNS_PAGE_MAX 200
#define STOP_MAX      25

/* Newest first; the place in the list is the index of the next run to show, so runs that start while somebody pages are
 * neither shown twice nor push others out. */
void sim_glue_get_job_runs(struct sim_call *call)
{
  struct sim_page page;
  const struct sim_job *job = sim_need_job(call, "JobName");
  if (job == NULL || !sim_page_begin(call, &page, RUNS_PAGE_MAX, RUNS_PAGE_MAX, job->name))
    return;
  int64_t next =
      page.position < 0 || page.position >= (int64_t)job->run_count ? (int64_t)job->run_count - 1 : page.position;
  jw_name(&call->out, "JobRuns");
  jw_array(&call->out);
  for (int64_t n = 0; !page.empty && next >= 0 && n < page.size; n++)
    sim_put_run(call, job, &job->runs[next--], false);
  jw_end_array(&call->out);
  sim_page_next(call, &page, next);
}

static int32_t need_run(struct sim_call *call, const struct sim_job *job, const char *id)
{
  int32_t index = sim_run_find(job, id);
  if (index < 0)
    sim_fail(call, "EntityNotFoundException", "JobRun with id: %s not found for Job: %s", id, job->name);
  return index;
}

void sim_glue_get_job_run(struct sim_call *call)
{
  const struct sim_job *job = sim_need_job(call, "JobName");
  const char *id = sim_need_str(call, "RunId");
  bool predecessors = false;
  if (job == NULL || id == NULL)
    return;
  int32_t index = need_run(call, job, id);
  json_bool(call->in, "PredecessorsIncluded", &predecessors);
  if (index < 0)
    return;
  jw_name(&call->out, "JobRun");
  sim_put_run(call, job, &job->runs[index], predecessors);
}

static void refuse_start(struct sim_call *call, const struct sim_job *job, enum sim_accept why)
{
  switch (why) {
  case ACCEPT_JOB_LIMIT:
    sim_fail(call, "ConcurrentRunsExceededException", "Concurrent runs exceeded for %s", job->name);
    break;
  case ACCEPT_RUN_LIMIT:
    sim_fail(call, "ResourceNumberLimitExceededException", "Account has reached its maximum of %d concurrent job runs.",
             call->account->run_limit);
    break;
  case ACCEPT_DPU_LIMIT:
    sim_fail(call, "ResourceNumberLimitExceededException",
             "Exceeded maximum concurrent compute capacity for your account. Please contact AWS Support to increase "
             "this limit.");
    break;
  case ACCEPT_QUEUE_FULL:
    sim_fail(call, "ResourceNumberLimitExceededException", "Account has reached its maximum of %d queued job runs.",
             call->account->queue_limit);
    break;
  case ACCEPT_OK:
    break;
  }
}

void sim_glue_start_job_run(struct sim_call *call)
{
  struct sim_origin origin = {.trigger = -1, .cause_job = -1, .cause_run = -1, .previous = -1};
  char id[SIM_RUN_ID_MAX];
  int32_t run = -1;
  struct sim_job *job = sim_need_job(call, "JobName");
  if (job == NULL)
    return;
  const char *again = json_str(call->in, "JobRunId");
  if (again != NULL)
    origin.previous = need_run(call, job, again);
  sim_check_start(call, job);
  if (sim_failed(call))
    return;
  enum sim_accept result =
      sim_run_start(call->account, job, sim_shape_override(call->account, job, call->in), &origin, &run);
  if (result != ACCEPT_OK) {
    refuse_start(call, job, result);
    return;
  }
  jw_name(&call->out, "JobRunId");
  jw_str(&call->out, sim_run_id(&job->runs[run], id));
}

static void put_stop_error(struct sim_call *call, const char *job, const char *id, const char *code,
                           const char *message)
{
  struct jw *w = &call->out;
  jw_object(w);
  jw_name(w, "JobName");
  jw_str(w, job);
  jw_name(w, "JobRunId");
  jw_str(w, id);
  jw_name(w, "ErrorDetail");
  jw_object(w);
  jw_name(w, "ErrorCode");
  jw_str(w, code);
  jw_name(w, "ErrorMessage");
  jw_str(w, message);
  jw_end_object(w);
  jw_end_object(w);
}

void sim_glue_batch_stop_job_run(struct sim_call *call)
{
  const char *name = sim_need_str(call, "JobName");
  const struct cJSON *ids = json_get(call->in, "JobRunIds");
  const struct cJSON *id;
  int count = cJSON_GetArraySize(ids);
  bool accepted[STOP_MAX] = {false};
  if (name != NULL && (!cJSON_IsArray(ids) || count < 1 || count > STOP_MAX))
    sim_fail(call, "ValidationException",
             "1 validation error detected: Value at 'jobRunIds' failed to satisfy constraint: Member must have length "
             "%s than or equal to %d",
             count > STOP_MAX ? "less" : "greater", count > STOP_MAX ? STOP_MAX : 1);
  if (sim_failed(call))
    return;
  struct sim_job *job = sim_job_find(call->account, name);
  struct jw *w = &call->out;
  size_t i = 0;
  jw_name(w, "SuccessfulSubmissions");
  jw_array(w);
  cJSON_ArrayForEach (id, ids) {
    int32_t run = job != NULL && cJSON_IsString(id) ? sim_run_find(job, id->valuestring) : -1;
    accepted[i] = run >= 0 && sim_run_stop(call->account, job, run);
    if (accepted[i++]) {
      jw_object(w);
      jw_name(w, "JobName");
      jw_str(w, name);
      jw_name(w, "JobRunId");
      jw_str(w, id->valuestring);
      jw_end_object(w);
    }
  }
  jw_end_array(w);
  jw_name(w, "Errors");
  jw_array(w);
  i = 0;
  cJSON_ArrayForEach (id, ids) {
    const char *text = cJSON_IsString(id) ? id->valuestring : "";
    if (accepted[i++])
      continue;
    if (job == NULL || sim_run_find(job, text) < 0)
      put_stop_error(call, name, text, "EntityNotFoundException", "JobRun not found");
    else
      put_stop_error(call, name, text, "JobRunInTerminalStateException", "Job Run is already in a terminal state");
  }
  jw_end_array(w);
}

/* --- bookmarks ------------------------------------------------------------------------------------------------------ */

static char *bookmark_text(struct sim_call *call, const struct sim_job *job)
{
  const struct sim_bookmark *b = &job->bookmark;
  const struct sim_run *run = &job->runs[b->run_index];
  char at[WHEN_TEXT_MAX];
  uint64_t lot = sim_mix2(job->key, (uint64_t)b->run_index);
  when_format_iso(run->accepted_ms, at);
  return arena_printf(
      call->scratch,
      "{\"source_%s\":{\"jsonClass\":\"HadoopDataSourceJobBookmarkState\",\"timestamps\":{\"RUN\":\"%lld\",\"HIGH_"
      "BAND\":"
      "\"900000\",\"CURR_LATEST_PARTITION\":\"0\",\"CURR_LATEST_PARTITIONS\":\"\",\"CURR_RUN_START_TIME\":\"%s\","
      "\"INCLUDE_LIST\":\"%08llx%08llx,%08llx%08llx\"}},\"lookup_customers\":{\"jsonClass\":\"JDBCJobBookmarkState\","
      "\"keys\":{\"customer_id\":\"%lld\"}}}",
      job->name, (long long)b->run, at, (unsigned long long)(sim_rng_next(&lot) >> 32),
      (unsigned long long)(sim_rng_next(&lot) >> 32), (unsigned long long)(sim_rng_next(&lot) >> 32),
      (unsigned long long)(sim_rng_next(&lot) >> 32), 4000000LL + (long long)b->run * 137);
}

static void put_bookmark(struct sim_call *call, const struct sim_job *job)
{
  const struct sim_bookmark *b = &job->bookmark;
  struct jw *w = &call->out;
  char id[SIM_RUN_ID_MAX];
  jw_name(w, "JobBookmarkEntry");
  jw_object(w);
  jw_name(w, "JobName");
  jw_str(w, job->name);
  jw_name(w, "Version");
  jw_i64(w, b->version);
  jw_name(w, "Run");
  jw_i64(w, b->run);
  jw_name(w, "Attempt");
  jw_i64(w, b->attempt);
  if (b->previous_index >= 0) {
    jw_name(w, "PreviousRunId");
    jw_str(w, sim_run_id(&job->runs[b->previous_index], id));
  }
  if (b->run_index >= 0) {
    jw_name(w, "RunId");
    jw_str(w, sim_run_id(&job->runs[b->run_index], id));
    jw_name(w, "JobBookmark");
    jw_str(w, bookmark_text(call, job));
  }
  jw_end_object(w);
}

static struct sim_job *need_bookmark(struct sim_call *call)
{
  struct sim_job *job = sim_need_job(call, "JobName");
  if (job != NULL && !job->bookmark.exists)
    sim_fail(call, "EntityNotFoundException", "Continuation for job %s not found", job->name);
  return sim_failed(call) ? NULL : job;
}

void sim_glue_get_job_bookmark(struct sim_call *call)
{
  const struct sim_job *job = need_bookmark(call);
  if (job != NULL)
    put_bookmark(call, job);
}

void sim_glue_reset_job_bookmark(struct sim_call *call)
{
  struct sim_job *job = need_bookmark(call);
  if (job == NULL)
    return;
  struct sim_bookmark *b = &job->bookmark;
  const char *id = json_str(call->in, "RunId");
  if (id != NULL) {
    int32_t run = need_run(call, job, id);
    if (run < 0)
      return;
    b->run_index = run;
    b->previous_index = run > 0 ? run - 1 : -1;
  } else {
    b->run_index = b->previous_index = -1;
    b->run = 0;
  }
  b->version++;
  b->attempt = 0;
  put_bookmark(call, job);
}
