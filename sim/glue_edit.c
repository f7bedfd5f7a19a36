#include "sim/glue.h"

#include <string.h>
#include <cjson/cJSON.h>

/* What JobUpdate carries; everything else in a definition is the service's own (facts: glue-api.md section 5). */
static const char *const update_members[] = {
    "JobMode",
    "JobRunQueuingEnabled",
    "Description",
    "LogUri",
    "Role",
    "ExecutionProperty",
    "Command",
    "DefaultArguments",
    "NonOverridableArguments",
    "Connections",
    "MaxRetries",
    "AllocatedCapacity",
    "Timeout",
    "MaxCapacity",
    "WorkerType",
    "NumberOfWorkers",
    "SecurityConfiguration",
    "NotificationProperty",
    "GlueVersion",
    "CodeGenConfigurationNodes",
    "ExecutionClass",
    "SourceControlDetails",
    "MaintenanceWindow",
};

/* Copies the members that a definition may have; null counts as not sent. */
static struct cJSON *definition_from(const struct cJSON *from)
{
  struct cJSON *out = cJSON_CreateObject();
  for (size_t i = 0; i < sizeof update_members / sizeof update_members[0]; i++) {
    const struct cJSON *member = json_get(from, update_members[i]);
    if (member != NULL && !cJSON_IsNull(member))
      cJSON_AddItemToObject(out, update_members[i], cJSON_Duplicate(member, true));
  }
  /* AllocatedCapacity is the old name of MaxCapacity. */
  int64_t capacity;
  if (json_i64(out, "AllocatedCapacity", &capacity)) {
    cJSON_DeleteItemFromObjectCaseSensitive(out, "AllocatedCapacity");
    cJSON_AddNumberToObject(out, "MaxCapacity", (double)capacity);
  }
  const char *command = json_str(json_get(out, "Command"), "Name");
  if (command != NULL && strcmp(command, "pythonshell") == 0 && json_get(out, "MaxCapacity") == NULL)
    cJSON_AddNumberToObject(out, "MaxCapacity", 0.0625);
  return out;
}

/* The service's SDKs refuse unknown members before they send; the service ignores them, but for those that only GetJob
 * knows, which it refuses by name. */
static void check_read_only(struct sim_call *call, const struct cJSON *update)
{
  static const char *const own[] = {"Name", "CreatedOn", "LastModifiedOn", "ProfileName", "AutoUpgradeMetadata"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (json_get(update, own[i]) != NULL)
      sim_fail(call, "InvalidInputException", "%s cannot be set by UpdateJob.", own[i]);
}

void sim_glue_create_job(struct sim_call *call)
{
  struct sim_account *a = call->account;
  const char *name = sim_need_str(call, "Name");
  if (name == NULL)
    return;
  sim_check_job(call, call->in);
  int living = 0;
  for (size_t i = 0; i < a->job_count; i++)
    living += !a->jobs[i]->deleted;
  if (sim_job_find(a, name) != NULL)
    sim_fail(call, "AlreadyExistsException", "Job with name: %s already exists.", name);
  if (living >= a->job_limit)
    sim_fail(call, "ResourceNumberLimitExceededException", "Account has reached its maximum of %d jobs.", a->job_limit);
  if (sim_failed(call))
    return;
  struct cJSON *definition = definition_from(call->in);
  if (json_get(definition, "GlueVersion") == NULL && json_str(call->in, "WorkerType") != NULL)
    cJSON_AddStringToObject(definition, "GlueVersion", "6.0");
  struct sim_job *job = sim_job_add(a, name, definition, a->now_ms);
  const struct cJSON *tags = json_get(call->in, "Tags");
  if (cJSON_IsObject(tags))
    job->tags = cJSON_Duplicate(tags, true);
  jw_name(&call->out, "Name");
  jw_str(&call->out, name);
}

/* The whole definition is replaced; GlueVersion alone survives when it is not sent. */
void sim_glue_update_job(struct sim_call *call)
{
  struct sim_job *job = sim_need_job(call, "JobName");
  const struct cJSON *update = json_get(call->in, "JobUpdate");
  if (job == NULL)
    return;
  if (!cJSON_IsObject(update)) {
    sim_fail(call, "ValidationException",
             "1 validation error detected: Value null at 'jobUpdate' failed to satisfy "
             "constraint: Member must not be null");
    return;
  }
  check_read_only(call, update);
  struct cJSON *checked = cJSON_Duplicate(update, true);
  const char *version = json_str(job->definition, "GlueVersion");
  if (json_str(checked, "GlueVersion") == NULL && version != NULL)
    cJSON_AddStringToObject(checked, "GlueVersion", version);
  sim_check_job(call, checked);
  if (!sim_failed(call)) {
    sim_job_redefine(call->account, job, definition_from(checked));
    jw_name(&call->out, "JobName");
    jw_str(&call->out, job->name);
  }
  cJSON_Delete(checked);
}

void sim_glue_delete_job(struct sim_call *call)
{
  const char *name = sim_need_str(call, "JobName");
  if (name == NULL)
    return;
  struct sim_job *job = sim_job_find(call->account, name);
  if (job != NULL)
    sim_job_delete(call->account, job);
  jw_name(&call->out, "JobName");
  jw_str(&call->out, name);
}
