/* What the service refuses (facts: glue-api.md section 5, pricing-and-limits.md section 1). The texts are ours in the
 * service's manner; callers go by the exception's name. */
#include "sim/glue.h"

#include <string.h>
#include <cjson/cJSON.h>

#define ARGUMENTS_MAX ((size_t)260 * 1024)

enum member_type { IS_STRING, IS_NUMBER, IS_BOOL, IS_OBJECT };

static const struct {
  const char *name;
  enum member_type type;
} members[] = {
    {"AllocatedCapacity", IS_NUMBER},
    {"Arguments", IS_OBJECT},
    {"CodeGenConfigurationNodes", IS_OBJECT},
    {"Command", IS_OBJECT},
    {"Connections", IS_OBJECT},
    {"DefaultArguments", IS_OBJECT},
    {"Description", IS_STRING},
    {"ExecutionClass", IS_STRING},
    {"ExecutionProperty", IS_OBJECT},
    {"ExecutionRoleSessionPolicy", IS_STRING},
    {"GlueVersion", IS_STRING},
    {"JobMode", IS_STRING},
    {"JobRunId", IS_STRING},
    {"JobRunQueuingEnabled", IS_BOOL},
    {"LogUri", IS_STRING},
    {"MaintenanceWindow", IS_STRING},
    {"MaxCapacity", IS_NUMBER},
    {"MaxRetries", IS_NUMBER},
    {"NonOverridableArguments", IS_OBJECT},
    {"NotificationProperty", IS_OBJECT},
    {"NumberOfWorkers", IS_NUMBER},
    {"Role", IS_STRING},
    {"SecurityConfiguration", IS_STRING},
    {"SourceControlDetails", IS_OBJECT},
    {"Tags", IS_OBJECT},
    {"Timeout", IS_NUMBER},
    {"WorkerType", IS_STRING},
};

static bool there(const struct cJSON *object, const char *name)
{
  const struct cJSON *member = json_get(object, name);
  return member != NULL && !cJSON_IsNull(member);
}

static bool has_type(const struct cJSON *value, enum member_type type)
{
  switch (type) {
  case IS_STRING:
    return cJSON_IsString(value);
  case IS_NUMBER:
    return cJSON_IsNumber(value);
  case IS_BOOL:
    return cJSON_IsBool(value);
  case IS_OBJECT:
    return cJSON_IsObject(value);
  }
  return false;
}

void sim_check_types(struct sim_call *call, const struct cJSON *object)
{
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    const struct cJSON *value = json_get(object, members[i].name);
    if (value != NULL && !cJSON_IsNull(value) && !has_type(value, members[i].type))
      sim_fail(call, "SerializationException", "Unexpected type of member %s", members[i].name);
  }
}

static void check_arguments(struct sim_call *call, const struct cJSON *arguments, size_t *sum)
{
  const struct cJSON *entry;
  cJSON_ArrayForEach (entry, arguments) {
    if (!cJSON_IsString(entry)) {
      sim_fail(call, "SerializationException", "Arguments are a map of strings: %s", entry->string);
      return;
    }
    *sum += strlen(entry->string) + strlen(entry->valuestring);
  }
  if (*sum > ARGUMENTS_MAX)
    sim_fail(call, "InvalidInputException", "Total size of the arguments exceeds %zu bytes.", ARGUMENTS_MAX);
}

/* MaxCapacity, AllocatedCapacity and workers shut one another out. */
static void check_capacity_members(struct sim_call *call, const struct cJSON *given)
{
  bool workers = there(given, "WorkerType") || there(given, "NumberOfWorkers");
  if (there(given, "MaxCapacity") && workers)
    sim_fail(call, "InvalidInputException",
             "Please do not set Max Capacity if using Worker Type and Number of Workers.");
  if (there(given, "AllocatedCapacity") && workers)
    sim_fail(call, "InvalidInputException",
             "Please do not set Allocated Capacity if using Worker Type and Number of Workers.");
  if (there(given, "AllocatedCapacity") && there(given, "MaxCapacity"))
    sim_fail(call, "InvalidInputException", "Please set only Allocated Capacity or Max Capacity.");
}

static bool version_at_least(const char *version, char major)
{
  return version == NULL || strcmp(version, "auto") == 0 || (version[0] >= major && version[0] <= '9');
}

static bool starts_with_any(const char *type, const char *const *prefixes)
{
  for (; *prefixes != NULL; prefixes++)
    if (strncmp(type, *prefixes, strlen(*prefixes)) == 0)
      return true;
  return false;
}

static void check_worker(struct sim_call *call, const char *command, const char *version, const char *type,
                         int64_t count)
{
  static const char *const big[] = {"G.12X", "G.16X", "R.", NULL};
  bool ray = strcmp(command, "glueray") == 0, stream = strcmp(command, "gluestreaming") == 0;
  if (sim_worker_dpu(type) <= 0)
    sim_fail(call, "InvalidInputException", "Worker type %s is not supported.", type);
  else if (strcmp(command, "pythonshell") == 0)
    sim_fail(call, "InvalidInputException", "Worker Type is not supported for a Job Command of pythonshell.");
  else if (ray != (strcmp(type, "Z.2X") == 0))
    sim_fail(call, "InvalidInputException", "Worker Type %s is not supported for a Job Command of %s.", type, command);
  else if (strcmp(type, "G.025X") == 0 && (!stream || !version_at_least(version, '3')))
    sim_fail(call, "InvalidInputException",
             "Worker Type G.025X is only supported for streaming jobs on Glue version 3.0 and later.");
  else if (starts_with_any(type, big) && !version_at_least(version, '4'))
    sim_fail(call, "InvalidInputException", "Worker Type %s needs Glue version 4.0 or later.", type);
  else if ((strcmp(type, "G.4X") == 0 || strcmp(type, "G.8X") == 0) && !version_at_least(version, '3'))
    sim_fail(call, "InvalidInputException", "Worker Type %s needs Glue version 3.0 or later.", type);
  else if (count < 2 && !ray)
    sim_fail(call, "InvalidInputException", "Number of Workers must be at least 2.");
}

static void check_class(struct sim_call *call, const char *command, const char *version, const char *type)
{
  if (strcmp(command, "glueetl") != 0)
    sim_fail(call, "InvalidInputException", "Execution Class FLEX is only supported for a Job Command of glueetl.");
  else if (!version_at_least(version, '3'))
    sim_fail(call, "InvalidInputException", "Execution Class FLEX needs Glue version 3.0 or later.");
  else if (type != NULL && strcmp(type, "G.1X") != 0 && strcmp(type, "G.2X") != 0)
    sim_fail(call, "InvalidInputException", "Execution Class FLEX supports the worker types G.1X and G.2X.");
}

static void check_version(struct sim_call *call, const char *command, const char *version, int64_t retries)
{
  static const char *const known[] = {"3.0", "4.0", "5.0", "5.1", "6.0", "auto"};
  static const char *const ended[] = {"0.9", "1.0", "2.0"};
  if (version == NULL || strcmp(command, "pythonshell") == 0)
    return;
  for (size_t i = 0; i < sizeof ended / sizeof ended[0]; i++)
    if (strcmp(ended[i], version) == 0)
      sim_fail(call, "InvalidInputException", "Glue version %s has reached its end of life.", version);
  bool found = false;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    found = found || strcmp(known[i], version) == 0;
  if (!found)
    sim_fail(call, "InvalidInputException", "Glue version %s is not supported.", version);
  if (strcmp(version, "auto") == 0 && retries < 1)
    sim_fail(call, "InvalidInputException", "Glue version auto needs Max Retries of at least 1.");
}

static void check_limits(struct sim_call *call, const struct cJSON *given, const char *command)
{
  int64_t number;
  bool stream = strcmp(command, "gluestreaming") == 0;
  if (json_i64(given, "Timeout", &number) && (number > 10080 || number < (stream ? 0 : 1)))
    sim_fail(call, "InvalidInputException", "Timeout must be between 1 and 10080 minutes.");
  if (there(given, "Timeout") && strcmp(command, "glueray") == 0)
    sim_fail(call, "InvalidInputException", "Timeout not supported for Ray jobs.");
  if (json_i64(given, "MaxRetries", &number) && (number < 0 || number > 10))
    sim_fail(call, "InvalidInputException", "Max Retries must be between 0 and 10.");
  if (json_i64(json_get(given, "NotificationProperty"), "NotifyDelayAfter", &number) && number < 1)
    sim_fail(call, "InvalidInputException", "NotifyDelayAfter must be at least 1 minute.");
  if (json_i64(json_get(given, "ExecutionProperty"), "MaxConcurrentRuns", &number) && number < 1)
    sim_fail(call, "InvalidInputException", "Max Concurrent Runs must be at least 1.");
}

/* MaxCapacity where it may stand at all: 0.0625 or 1 for Python shell. */
static void check_max_capacity(struct sim_call *call, const struct cJSON *given, const char *command)
{
  double capacity;
  if (!json_f64(given, "MaxCapacity", &capacity))
    return;
  if (strcmp(command, "pythonshell") != 0)
    sim_fail(
        call, "InvalidInputException",
        "Max Capacity is not supported for Glue version 2.0 and later. Please use Worker Type and Number of Workers.");
  else if (!(capacity > 0.0624 && capacity < 0.0626) && !(capacity > 0.999 && capacity < 1.001))
    sim_fail(call, "InvalidInputException", "Max Capacity of a Python shell job must be 0.0625 or 1.");
}

static void check_queuing(struct sim_call *call, const struct cJSON *given, int64_t retries, const char *class)
{
  bool queuing = false;
  json_bool(given, "JobRunQueuingEnabled", &queuing);
  if (queuing && retries > 0)
    sim_fail(call, "InvalidInputException", "Job run queuing needs Max Retries of 0.");
  if (queuing && class != NULL && strcmp(class, "FLEX") == 0)
    sim_fail(call, "InvalidInputException", "Job run queuing is not supported for Execution Class FLEX.");
}

void sim_check_job(struct sim_call *call, const struct cJSON *definition)
{
  int64_t retries = 0, workers = 0;
  size_t sum = 0;
  sim_check_types(call, definition);
  if (sim_failed(call))
    return;
  const struct cJSON *command = json_get(definition, "Command");
  const char *name = json_str(command, "Name");
  const char *role = json_str(definition, "Role");
  if (role == NULL || role[0] == '\0')
    sim_fail(call, "InvalidInputException", "Role should not be null or empty.");
  if (name == NULL || json_str(command, "ScriptLocation") == NULL)
    sim_fail(call, "InvalidInputException", "Command name and script location should not be null or empty.");
  if (sim_failed(call) || name == NULL)
    return;
  if (strcmp(name, "glueetl") != 0 && strcmp(name, "gluestreaming") != 0 && strcmp(name, "pythonshell") != 0 &&
      strcmp(name, "glueray") != 0)
    sim_fail(call, "InvalidInputException", "Could not find command for the given criteria: %s", name);
  const char *type = json_str(definition, "WorkerType");
  const char *version = json_str(definition, "GlueVersion");
  const char *class = json_str(definition, "ExecutionClass");
  bool count = json_i64(definition, "NumberOfWorkers", &workers);
  json_i64(definition, "MaxRetries", &retries);
  check_capacity_members(call, definition);
  if ((type != NULL) != count)
    sim_fail(call, "InvalidInputException", "Please set both Worker Type and Number of Workers.");
  if (type != NULL)
    check_worker(call, name, version, type, workers);
  if (class != NULL && strcmp(class, "FLEX") == 0)
    check_class(call, name, version, type);
  check_max_capacity(call, definition, name);
  check_version(call, name, version, retries);
  check_limits(call, definition, name);
  check_queuing(call, definition, retries, class);
  check_arguments(call, json_get(definition, "DefaultArguments"), &sum);
  check_arguments(call, json_get(definition, "NonOverridableArguments"), &sum);
}

void sim_check_start(struct sim_call *call, const struct sim_job *job)
{
  const struct cJSON *in = call->in;
  const char *command = json_str(json_get(job->definition, "Command"), "Name");
  const char *version = json_str(job->definition, "GlueVersion");
  const char *type = json_str(in, "WorkerType");
  const char *class = json_str(in, "ExecutionClass");
  int64_t workers = 0;
  size_t sum = 0;
  if (command == NULL)
    command = "glueetl";
  sim_check_types(call, in);
  if (sim_failed(call))
    return;
  check_version(call, command, version, job->max_retries);
  check_capacity_members(call, in);
  if ((type != NULL) != json_i64(in, "NumberOfWorkers", &workers))
    sim_fail(call, "InvalidInputException", "Please set both Worker Type and Number of Workers.");
  if (type != NULL)
    check_worker(call, command, version, type, workers);
  if (class != NULL && strcmp(class, "FLEX") == 0)
    check_class(call, command, version, type != NULL ? type : job->shape->worker_type);
  check_max_capacity(call, in, command);
  check_limits(call, in, command);
  check_queuing(call, in, job->max_retries, class);
  check_arguments(call, json_get(in, "Arguments"), &sum);
  check_arguments(call, json_get(job->definition, "DefaultArguments"), &sum);
}
