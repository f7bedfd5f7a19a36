#include "sim/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "sim/rng.h"
#include "sim/sim.h"

#define HISTORY_MS (90 * WHEN_DAY)

/* "--key=value" lines into a map of strings. */
static void add_pairs(struct cJSON *map, const char *lines)
{
  char *copy = xstrdup(lines);
  for (char *line = copy; line != NULL && *line != '\0';) {
    char *next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    char *value = strchr(line, '=');
    if (value != NULL) {
      *value++ = '\0';
      cJSON_AddStringToObject(map, line, value);
    }
    line = next;
  }
  free(copy);
}

static void add_command(struct cJSON *d, const struct story_job *j)
{
  const char *name = j->command != NULL ? j->command : "glueetl";
  struct cJSON *command = cJSON_AddObjectToObject(d, "Command");
  char path[256];
  bool shell = strcmp(name, "pythonshell") == 0, ray = strcmp(name, "glueray") == 0;
  snprintf(path, sizeof path, "s3://nordkap-etl-code/%s/%s.py", j->team, j->name);
  cJSON_AddStringToObject(command, "Name", name);
  cJSON_AddStringToObject(command, "ScriptLocation", j->script != NULL ? j->script : path);
  cJSON_AddStringToObject(command, "PythonVersion", shell || ray ? "3.9" : "3");
  if (ray)
    cJSON_AddStringToObject(command, "Runtime", "Ray2.4");
}

static void add_arguments(struct cJSON *d, const struct story_job *j)
{
  struct cJSON *map = cJSON_AddObjectToObject(d, "DefaultArguments");
  char text[64];
  bool spark = j->command == NULL;
  if (spark && (j->arguments == NULL || strstr(j->arguments, "--job-language") == NULL))
    cJSON_AddStringToObject(map, "--job-language", "python");
  if (j->command == NULL || strcmp(j->command, "gluestreaming") == 0)
    cJSON_AddStringToObject(map, "--TempDir", "s3://nordkap-glue-temp/");
  if (j->scaling)
    cJSON_AddStringToObject(map, "--enable-auto-scaling", "true");
  if (j->bookmark != NULL) {
    snprintf(text, sizeof text, "job-bookmark-%s", j->bookmark);
    cJSON_AddStringToObject(map, "--job-bookmark-option", text);
  }
  if (j->arguments != NULL)
    add_pairs(map, j->arguments);
  if (j->fixed != NULL)
    add_pairs(cJSON_AddObjectToObject(d, "NonOverridableArguments"), j->fixed);
}

static void add_resources(struct cJSON *d, const struct story_job *j)
{
  cJSON_AddNumberToObject(d, "MaxRetries", j->retries);
  if (j->timeout != 0)
    cJSON_AddNumberToObject(d, "Timeout", j->timeout == STORY_NO_TIMEOUT ? 0 : j->timeout);
  if (j->worker != NULL) {
    cJSON_AddStringToObject(d, "WorkerType", j->worker);
    cJSON_AddNumberToObject(d, "NumberOfWorkers", j->workers);
  } else {
    cJSON_AddNumberToObject(d, "MaxCapacity", j->capacity);
  }
  if (j->version != NULL)
    cJSON_AddStringToObject(d, "GlueVersion", j->version);
  if (j->command == NULL)
    cJSON_AddStringToObject(d, "ExecutionClass", j->flex ? "FLEX" : "STANDARD");
  if (j->queuing)
    cJSON_AddBoolToObject(d, "JobRunQueuingEnabled", true);
  if (j->window != NULL)
    cJSON_AddStringToObject(d, "MaintenanceWindow", j->window);
}

static struct cJSON *make_definition(const struct story_job *j)
{
  struct cJSON *d = cJSON_CreateObject();
  char role[160];
  cJSON_AddStringToObject(d, "JobMode", j->mode != NULL ? j->mode : "SCRIPT");
  cJSON_AddStringToObject(d, "Description", j->description);
  snprintf(role, sizeof role, "arn:aws:iam::%s:role/GlueEtlRole-%s", SIM_ACCOUNT_ID, j->team);
  cJSON_AddStringToObject(d, "Role", role);
  cJSON_AddNumberToObject(cJSON_AddObjectToObject(d, "ExecutionProperty"), "MaxConcurrentRuns", j->concurrent);
  add_command(d, j);
  add_arguments(d, j);
  if (j->connection != NULL) {
    struct cJSON *connections = cJSON_AddObjectToObject(d, "Connections");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(connections, "Connections"), cJSON_CreateString(j->connection));
  }
  add_resources(d, j);
  if (j->security != NULL)
    cJSON_AddStringToObject(d, "SecurityConfiguration", j->security);
  if (j->notify > 0)
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(d, "NotificationProperty"), "NotifyDelayAfter", j->notify);
  if (j->mode != NULL && strcmp(j->mode, "VISUAL") == 0)
    cJSON_AddItemToObject(d, "CodeGenConfigurationNodes", cJSON_Parse(story_visual_nodes));
  if (j->version != NULL && strcmp(j->version, "auto") == 0) {
    struct cJSON *upgrade = cJSON_AddObjectToObject(d, "AutoUpgradeMetadata");
    cJSON_AddStringToObject(upgrade, "SourceVersion", "5.1");
    cJSON_AddStringToObject(upgrade, "TargetVersion", "6.0");
    cJSON_AddStringToObject(upgrade, "Status", "UPGRADE_SUCCEEDED");
    cJSON_AddStringToObject(upgrade, "AnalysisId", "ua-5f0c17d2b9");
  }
  return d;
}

static void add_jobs(struct sim_account *a, const struct story_job *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const struct story_job *j = &list[i];
    uint64_t lot = sim_hash(a->seed, j->name);
    int64_t created_ms =
        a->start_ms - (120 + sim_rng_range(&lot, 0, 700)) * WHEN_DAY - sim_rng_range(&lot, 0, WHEN_DAY);
    struct sim_job *job = sim_job_add(a, j->name, make_definition(j), created_ms);
    job->modified_ms = a->start_ms - sim_rng_range(&lot, 4, 110) * WHEN_DAY - sim_rng_range(&lot, 0, WHEN_DAY);
    job->behaviour = j->behaviour;
    job->deviations = j->deviations;
    job->deviation_count = j->deviation_count;
    job->tags = cJSON_CreateObject();
    cJSON_AddStringToObject(job->tags, "team", j->team);
    cJSON_AddStringToObject(job->tags, "env", "prod");
  }
}

/* Fills in the minute and the hour that the story names. */
static void add_schedule(struct cJSON *d, const struct story_trigger *t, int64_t start_ms)
{
  struct when_civil c = when_to_civil(start_ms + t->offset_s * WHEN_SECOND);
  struct buf out;
  buf_init(&out, 256);
  for (const char *p = t->schedule; *p != '\0';) {
    if (strncmp(p, "@15", 3) == 0 || strncmp(p, "@30", 3) == 0) {
      buf_addf(&out, "%d", c.minute % (p[1] == '1' ? 15 : 30));
      p += 3;
    } else if (strncmp(p, "@M", 2) == 0) {
      buf_addf(&out, "%d", c.minute);
      p += 2;
    } else if (strncmp(p, "@H/3", 4) == 0) {
      buf_addf(&out, "%d/3", c.hour % 3);
      p += 4;
    } else if (strncmp(p, "@H", 2) == 0) {
      buf_addf(&out, "%d", c.hour);
      p += 2;
    } else {
      buf_addc(&out, *p++);
    }
  }
  cJSON_AddStringToObject(d, "Schedule", out.data);
  buf_fini(&out);
}

static void add_actions(struct cJSON *d, const struct story_trigger *t)
{
  struct cJSON *actions = cJSON_AddArrayToObject(d, "Actions");
  char name[256];
  for (const char *p = t->starts; *p != '\0';) {
    size_t len = strcspn(p, " ");
    struct cJSON *action = cJSON_CreateObject();
    snprintf(name, sizeof name, "%.*s", (int)len, p);
    cJSON_AddStringToObject(action, "JobName", name);
    if (t->arguments != NULL)
      add_pairs(cJSON_AddObjectToObject(action, "Arguments"), t->arguments);
    if (t->timeout > 0)
      cJSON_AddNumberToObject(action, "Timeout", t->timeout);
    cJSON_AddItemToArray(actions, action);
    p += len;
    p += *p == ' ';
  }
}

static void add_predicate(struct cJSON *d, const struct story_trigger *t)
{
  struct cJSON *predicate = cJSON_AddObjectToObject(d, "Predicate");
  cJSON_AddStringToObject(predicate, "Logical", t->any ? "ANY" : "AND");
  struct cJSON *conditions = cJSON_AddArrayToObject(predicate, "Conditions");
  char text[256];
  for (const char *p = t->on; *p != '\0';) {
    size_t len = strcspn(p, " ");
    struct cJSON *condition = cJSON_CreateObject();
    snprintf(text, sizeof text, "%.*s", (int)len, p);
    char *state = strchr(text, '=');
    if (state != NULL)
      *state++ = '\0';
    cJSON_AddStringToObject(condition, "LogicalOperator", "EQUALS");
    cJSON_AddStringToObject(condition, "JobName", text);
    cJSON_AddStringToObject(condition, "State", state != NULL ? state : "SUCCEEDED");
    cJSON_AddItemToArray(conditions, condition);
    p += len;
    p += *p == ' ';
  }
}

static void add_trigger(struct sim_account *a, const struct story_trigger *t)
{
  struct cJSON *d = cJSON_CreateObject();
  const char *type = t->type != NULL ? t->type : t->on != NULL ? "CONDITIONAL" : "SCHEDULED";
  cJSON_AddStringToObject(d, "Name", t->name);
  if (t->workflow != NULL)
    cJSON_AddStringToObject(d, "WorkflowName", t->workflow);
  cJSON_AddStringToObject(d, "Type", type);
  cJSON_AddStringToObject(d, "State", t->state != NULL ? t->state : "ACTIVATED");
  if (t->description != NULL)
    cJSON_AddStringToObject(d, "Description", t->description);
  if (t->schedule != NULL)
    add_schedule(d, t, a->start_ms);
  add_actions(d, t);
  if (t->on != NULL)
    add_predicate(d, t);
  if (strcmp(type, "EVENT") == 0) {
    struct cJSON *batch = cJSON_AddObjectToObject(d, "EventBatchingCondition");
    cJSON_AddNumberToObject(batch, "BatchSize", 50);
    cJSON_AddNumberToObject(batch, "BatchWindow", 300);
  }
  int32_t index = (int32_t)a->trigger_count;
  sim_trigger_add(a, d, a->born_ms);
  if (t->off_s != 0)
    sim_event_push(
        a, (struct sim_event){.at_ms = a->start_ms + t->off_s * WHEN_SECOND, .subject = index, .kind = EVENT_OFF});
}

static void add_call(struct sim_account *a, const struct story_call *c)
{
  struct sim_caller caller = {.job = sim_job_index(a, c->job),
                              .every_ms = c->every_s * WHEN_SECOND,
                              .last_ms = a->start_ms + c->last_s * WHEN_SECOND,
                              .run_s = c->run_s};
  if (caller.job >= 0)
    sim_caller_add(a, &caller, a->start_ms + c->first_s * WHEN_SECOND);
}

/* The history is not written down but lived through: 90 days of events, by the same rules as everything after. */
struct err sim_story_fill(struct sim_account *a)
{
  int64_t start_ms = a->start_ms;
  a->born_ms = start_ms - HISTORY_MS;
  a->now_ms = a->born_ms;
  a->dpu_limit = 300; /* an older account: its quota was never raised */
  add_jobs(a, story_shop, story_shop_count);
  add_jobs(a, story_platform, story_platform_count);
  for (size_t i = 0; i < story_trigger_count; i++)
    add_trigger(a, &story_triggers[i]);
  for (size_t i = 0; i < story_call_count; i++)
    add_call(a, &story_calls[i]);
  sim_account_advance(a, start_ms);
  return err_ok();
}
