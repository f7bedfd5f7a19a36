#include "sim/glue.h"

#include <string.h>
#include <cjson/cJSON.h>

static void put_str(struct jw *w, const char *name, const char *value)
{
  if (value == NULL)
    return;
  jw_name(w, name);
  jw_str(w, value);
}

static void put_i64(struct jw *w, const char *name, int64_t value)
{
  jw_name(w, name);
  jw_i64(w, value);
}

static void put_time(struct jw *w, const char *name, int64_t ms, bool exponent)
{
  jw_name(w, name);
  sim_put_time(w, ms, exponent);
}

static void put_capacity(struct jw *w, double dpu)
{
  if (dpu <= 0)
    return;
  put_i64(w, "AllocatedCapacity", (int64_t)dpu);
  jw_name(w, "MaxCapacity");
  sim_put_double(w, dpu);
}

/* The definition as it was given, and what the service adds of its own: MaxCapacity comes back even with workers. */
void sim_put_job(struct sim_call *call, const struct sim_job *job)
{
  struct jw *w = &call->out;
  const struct cJSON *member;
  bool times_given = json_get(job->definition, "CreatedOn") != NULL;
  jw_object(w);
  put_str(w, "Name", job->name);
  cJSON_ArrayForEach (member, job->definition) {
    if (strcmp(member->string, "Name") == 0)
      continue;
    jw_name(w, member->string);
    jw_tree(w, member);
  }
  if (!times_given) {
    put_time(w, "CreatedOn", job->created_ms, true);
    put_time(w, "LastModifiedOn", job->modified_ms, true);
  }
  if (json_get(job->definition, "MaxRetries") == NULL)
    put_i64(w, "MaxRetries", 0);
  if (json_get(job->definition, "ExecutionProperty") == NULL) {
    jw_name(w, "ExecutionProperty");
    jw_object(w);
    put_i64(w, "MaxConcurrentRuns", job->max_concurrent);
    jw_end_object(w);
  }
  if (json_get(job->definition, "MaxCapacity") == NULL && json_get(job->definition, "AllocatedCapacity") == NULL)
    put_capacity(w, job->shape->dpu);
  jw_end_object(w);
}

/* A run of an account file: as it stands there, but for what happened to it since. */
static void put_given_run(struct sim_call *call, const struct sim_run *run)
{
  struct jw *w = &call->out;
  const struct cJSON *member;
  const char *state = json_str(run->given, "JobRunState");
  bool moved =
      run->changed_ms != run->accepted_ms && (state == NULL || sim_state_of(state) != (enum sim_state)run->state);
  jw_object(w);
  cJSON_ArrayForEach (member, run->given) {
    if (moved && (strcmp(member->string, "JobRunState") == 0 || strcmp(member->string, "LastModifiedOn") == 0 ||
                  strcmp(member->string, "CompletedOn") == 0))
      continue;
    jw_name(w, member->string);
    jw_tree(w, member);
  }
  if (moved) {
    put_str(w, "JobRunState", sim_state_name((enum sim_state)run->state));
    put_time(w, "LastModifiedOn", run->changed_ms, false);
    if (run->ended_ms != WHEN_NONE)
      put_time(w, "CompletedOn", run->ended_ms, false);
  }
  jw_end_object(w);
}

static void put_predecessors(struct sim_call *call, const struct sim_run *run, bool wanted)
{
  struct jw *w = &call->out;
  jw_name(w, "PredecessorRuns");
  jw_array(w);
  if (wanted && run->cause_job >= 0) {
    char id[SIM_RUN_ID_MAX];
    const struct sim_job *job = call->account->jobs[run->cause_job];
    jw_object(w);
    put_str(w, "JobName", job->name);
    put_str(w, "RunId", sim_run_id(&job->runs[run->cause_run], id));
    jw_end_object(w);
  }
  jw_end_array(w);
}

static const char *error_of(struct sim_call *call, const struct sim_job *job, const struct sim_run *run)
{
  if (!sim_state_is_final((enum sim_state)run->state))
    return NULL;
  if (run->state == SIM_TIMEOUT)
    return arena_printf(call->scratch, "Job run timed out: it exceeded the timeout of %d minutes.",
                        sim_shape_timeout(run->shape));
  if (run->state == SIM_FAILED || run->state == SIM_ERROR)
    return sim_error_text((enum sim_error)run->error, job->name, run->key, call->scratch);
  return NULL;
}

static void put_shape(struct sim_call *call, const struct sim_shape *s)
{
  struct jw *w = &call->out;
  int timeout = sim_shape_timeout(s);
  put_str(w, "JobMode", s->mode != NULL ? s->mode : "SCRIPT");
  if (s->queuing_given) {
    jw_name(w, "JobRunQueuingEnabled");
    jw_bool(w, s->queuing);
  }
  if (s->arguments != NULL) {
    jw_name(w, "Arguments");
    jw_tree(w, s->arguments);
  }
  if (timeout > 0 || s->timeout_minutes == SIM_TIMEOUT_NONE)
    put_i64(w, "Timeout", timeout);
  put_capacity(w, s->dpu);
  if (s->worker_type != NULL) {
    put_str(w, "WorkerType", s->worker_type);
    put_i64(w, "NumberOfWorkers", s->workers);
  }
  put_str(w, "SecurityConfiguration", s->security_configuration);
  put_str(w, "LogGroupName", s->kind == KIND_SHELL ? "/aws-glue/python-jobs" : "/aws-glue/jobs");
  if (s->notify_after > 0) {
    jw_name(w, "NotificationProperty");
    jw_object(w);
    put_i64(w, "NotifyDelayAfter", s->notify_after);
    jw_end_object(w);
  }
  /* A run tells the version that it was resolved to. */
  put_str(w, "GlueVersion", s->glue_version != NULL && strcmp(s->glue_version, "auto") == 0 ? "6.0" : s->glue_version);
  if (s->class_given)
    put_str(w, "ExecutionClass", s->flex ? "FLEX" : "STANDARD");
  put_str(w, "MaintenanceWindow", s->maintenance_window);
  put_str(w, "ProfileName", s->profile);
  put_str(w, "ExecutionRoleSessionPolicy", s->session_policy);
}

void sim_put_run(struct sim_call *call, const struct sim_job *job, const struct sim_run *run, bool predecessors)
{
  struct jw *w = &call->out;
  char id[SIM_RUN_ID_MAX];
  double dpu_seconds;
  /* The service prints doubles as Java does; some clients have met the plain form as well. */
  bool exponent = (run->key & 3) != 0;
  if (run->given != NULL) {
    put_given_run(call, run);
    return;
  }
  jw_object(w);
  put_str(w, "Id", sim_run_id(run, id));
  put_i64(w, "Attempt", run->attempt);
  if (run->previous >= 0)
    put_str(w, "PreviousRunId", sim_run_id(&job->runs[run->previous], id));
  if (run->trigger >= 0)
    put_str(w, "TriggerName", call->account->triggers[run->trigger]->name);
  put_str(w, "JobName", job->name);
  put_time(w, "StartedOn", run->accepted_ms, exponent);
  put_time(w, "LastModifiedOn", run->changed_ms, exponent);
  if (run->ended_ms != WHEN_NONE)
    put_time(w, "CompletedOn", run->ended_ms, exponent);
  put_str(w, "JobRunState", sim_state_name((enum sim_state)run->state));
  put_str(w, "StateDetail", sim_detail_text((enum sim_detail)run->detail));
  put_str(w, "ErrorMessage", error_of(call, job, run));
  put_predecessors(call, run, predecessors);
  put_i64(w, "ExecutionTime", sim_run_execution_s(call->account, run));
  if (sim_run_dpu_seconds(call->account, job, run, &dpu_seconds)) {
    jw_name(w, "DPUSeconds");
    sim_put_double(w, dpu_seconds);
  }
  put_shape(call, run->shape);
  jw_end_object(w);
}

void sim_put_trigger(struct sim_call *call, const struct sim_trigger *t)
{
  struct jw *w = &call->out;
  const struct cJSON *member;
  bool written = false;
  jw_object(w);
  cJSON_ArrayForEach (member, t->definition) {
    jw_name(w, member->string);
    if (strcmp(member->string, "State") == 0) {
      jw_str(w, t->state);
      written = true;
    } else {
      jw_tree(w, member);
    }
  }
  if (!written)
    put_str(w, "State", t->state);
  jw_end_object(w);
}
