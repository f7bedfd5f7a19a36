#include "sim/account.h"

#include <string.h>
#include <cjson/cJSON.h>
#include "base/json.h"
#include "base/xalloc.h"
#include "model/worker.h"

double sim_worker_dpu(const char *type)
{
  const struct worker_type *found = type != NULL ? worker_type_find(type) : NULL;
  return found != NULL ? found->dpu : 0;
}

static enum sim_kind kind_of(const struct cJSON *definition)
{
  const char *command = json_str(json_get(definition, "Command"), "Name");
  if (command != NULL && strcmp(command, "gluestreaming") == 0)
    return KIND_STREAMING;
  if (command != NULL && strcmp(command, "pythonshell") == 0)
    return KIND_SHELL;
  if (command != NULL && strcmp(command, "glueray") == 0)
    return KIND_RAY;
  return KIND_SPARK;
}

static void read_capacity(struct sim_shape *s, const struct cJSON *from)
{
  int64_t number;
  double capacity;
  if (json_i64(from, "NumberOfWorkers", &number))
    s->workers = (int)number;
  if (json_f64(from, "MaxCapacity", &capacity)) {
    s->dpu = capacity;
    if (json_str(from, "WorkerType") == NULL && s->kind == KIND_SHELL)
      s->worker_type = NULL;
  }
  if (s->worker_type != NULL && sim_worker_dpu(s->worker_type) > 0)
    s->dpu = sim_worker_dpu(s->worker_type) * s->workers;
}

static const char *keep(struct sim_account *a, const struct cJSON *from, const char *name, const char *otherwise)
{
  const char *text = json_str(from, name);
  return text != NULL ? arena_strdup(&a->memory, text) : otherwise;
}

/* What job definitions, StartJobRun and trigger actions all can say. */
static void read_common(struct sim_account *a, struct sim_shape *s, const struct cJSON *from)
{
  int64_t number;
  bool flag;
  s->worker_type = keep(a, from, "WorkerType", s->worker_type);
  s->security_configuration = keep(a, from, "SecurityConfiguration", s->security_configuration);
  if (json_i64(from, "Timeout", &number))
    s->timeout_minutes = (int)number;
  if (json_i64(json_get(from, "NotificationProperty"), "NotifyDelayAfter", &number))
    s->notify_after = (int)number;
  if (json_bool(from, "JobRunQueuingEnabled", &flag)) {
    s->queuing = flag;
    s->queuing_given = true;
  }
  const char *class = json_str(from, "ExecutionClass");
  if (class != NULL) {
    s->flex = strcmp(class, "FLEX") == 0;
    s->class_given = true;
  }
  read_capacity(s, from);
}

static void read_arguments(struct sim_account *a, struct sim_shape *s, const struct cJSON *arguments)
{
  const char *scaling = json_str(arguments, "--enable-auto-scaling");
  if (scaling != NULL)
    s->auto_scaling = strcmp(scaling, "true") == 0 && s->kind != KIND_SHELL && s->kind != KIND_RAY;
  s->bookmark = keep(a, arguments, "--job-bookmark-option", s->bookmark);
}

const struct sim_shape *sim_shape_of_job(struct sim_account *a, const struct cJSON *definition)
{
  struct sim_shape *s = arena_alloc(&a->memory, sizeof *s);
  s->kind = kind_of(definition);
  s->timeout_minutes = SIM_TIMEOUT_ABSENT;
  s->glue_version = keep(a, definition, "GlueVersion", NULL);
  s->mode = keep(a, definition, "JobMode", NULL);
  s->maintenance_window = keep(a, definition, "MaintenanceWindow", NULL);
  s->profile = keep(a, definition, "ProfileName", NULL);
  read_common(a, s, definition);
  if (s->kind == KIND_RAY)
    s->dpu = 0;
  read_arguments(a, s, json_get(definition, "DefaultArguments"));
  read_arguments(a, s, json_get(definition, "NonOverridableArguments"));
  return s;
}

const struct sim_shape *sim_shape_override(struct sim_account *a, const struct sim_job *job, const struct cJSON *given)
{
  static const char *const telling[] = {"Arguments",
                                        "Timeout",
                                        "MaxCapacity",
                                        "SecurityConfiguration",
                                        "WorkerType",
                                        "NumberOfWorkers",
                                        "ExecutionClass",
                                        "JobRunQueuingEnabled",
                                        "NotificationProperty",
                                        "ExecutionRoleSessionPolicy"};
  bool differs = false;
  for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
    differs = differs || json_get(given, telling[i]) != NULL;
  if (!differs)
    return job->shape;
  struct sim_shape *s = arena_alloc(&a->memory, sizeof *s);
  *s = *job->shape;
  read_common(a, s, given);
  s->session_policy = keep(a, given, "ExecutionRoleSessionPolicy", s->session_policy);
  const struct cJSON *arguments = json_get(given, "Arguments");
  if (cJSON_IsObject(arguments)) {
    a->kept = xgrow(a->kept, &a->kept_cap, a->kept_count + 1, sizeof(struct cJSON *));
    s->arguments = cJSON_Duplicate(arguments, true);
    a->kept[a->kept_count++] = s->arguments;
    read_arguments(a, s, arguments);
    read_arguments(a, s, json_get(job->definition, "NonOverridableArguments"));
  }
  return s;
}

int sim_shape_timeout(const struct sim_shape *s)
{
  if (s->timeout_minutes != SIM_TIMEOUT_ABSENT)
    return s->timeout_minutes;
  if (s->kind == KIND_STREAMING || s->kind == KIND_RAY)
    return SIM_TIMEOUT_NONE;
  /* facts: pricing-and-limits.md section 6 */
  return s->glue_version != NULL && s->glue_version[0] >= '5' ? 480 : 2880;
}
