/* Pages of jobs and triggers. */
#include "aws/decode.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <cjson/cJSON.h>
#include "aws/decode_rows.h"
#include "aws/glue.h"
#include "base/json.h"

enum tristate decode_auto_scaling(const char *key, const char *value)
{
  if (strcmp(key, "--enable-auto-scaling") != 0)
    return TRI_ABSENT;
  return strcasecmp(value, "true") == 0 ? TRI_TRUE : TRI_FALSE;
}

enum bookmark_option decode_bookmark(const char *key, const char *value)
{
  if (strcmp(key, "--job-bookmark-option") != 0)
    return BOOKMARK_ABSENT;
  if (strcmp(value, "job-bookmark-enable") == 0)
    return BOOKMARK_ENABLE;
  if (strcmp(value, "job-bookmark-pause") == 0)
    return BOOKMARK_PAUSE;
  return strcmp(value, "job-bookmark-disable") == 0 ? BOOKMARK_DISABLE : BOOKMARK_ABSENT;
}

/* --- jobs ------------------------------------------------------------------------------------------------------------------- */

/* A job under way: the two argument maps may come in either order, and the second word wins whatever it is. */
struct job_row {
  struct job_data data;
  bool fixed_scaling, fixed_bookmark; /* NonOverridableArguments have spoken */
};

static void job_arguments(const struct cJSON *map, struct job_row *row, bool fixed)
{
  const struct cJSON *item = NULL;
  if (!cJSON_IsObject(map))
    return;
  cJSON_ArrayForEach (item, map) {
    if (item->string == NULL)
      continue;
    const char *value = cJSON_IsString(item) ? item->valuestring : "";
    enum tristate scaling = decode_auto_scaling(item->string, value);
    if (scaling != TRI_ABSENT && (fixed || !row->fixed_scaling)) {
      row->data.auto_scaling = scaling;
      row->fixed_scaling = row->fixed_scaling || fixed;
    }
    enum bookmark_option bookmark = decode_bookmark(item->string, value);
    if (bookmark != BOOKMARK_ABSENT && (fixed || !row->fixed_bookmark)) {
      row->data.bookmark = bookmark;
      row->fixed_bookmark = row->fixed_bookmark || fixed;
    }
    /* Any value switches metrics on, "false" too. */
    if (strcmp(item->string, "--enable-metrics") == 0)
      row->data.metrics = true;
  }
}

static void job_default_arguments(struct decoder *d, const struct cJSON *map, void *base)
{
  (void)d;
  job_arguments(map, base, false);
}

static void job_fixed_arguments(struct decoder *d, const struct cJSON *map, void *base)
{
  (void)d;
  job_arguments(map, base, true);
}

static void job_command(struct decoder *d, const struct cJSON *command, void *base)
{
  struct job_row *row = base;
  row->data.command_name = decode_string(json_get(command, "Name"), d->arena);
  row->data.script_location = decode_string(json_get(command, "ScriptLocation"), d->arena);
  row->data.python_version = decode_string(json_get(command, "PythonVersion"), d->arena);
}

static void job_execution_property(struct decoder *d, const struct cJSON *property, void *base)
{
  struct job_row *row = base;
  (void)d;
  (void)json_i64(property, "MaxConcurrentRuns", &row->data.max_concurrent_runs);
}

static void job_notification(struct decoder *d, const struct cJSON *property, void *base)
{
  struct job_row *row = base;
  (void)d;
  (void)json_i64(property, "NotifyDelayAfter", &row->data.notify_delay_minutes);
}

#define JOB(member, how, name)                                                                                         \
  {                                                                                                                    \
#member, how, offsetof(struct job_row, data.name), NULL                                                            \
  }
#define JOB_CALL(member, call)                                                                                         \
  {                                                                                                                    \
#member, DECODE_CALL, 0, call                                                                                      \
  }
#define JOB_SKIP(member)                                                                                               \
  {                                                                                                                    \
#member, DECODE_SKIP, 0, NULL                                                                                      \
  }
static const struct decode_field job_fields[] = {
    JOB(Name, DECODE_STRING, name),
    JOB(JobMode, DECODE_STRING, mode),
    JOB(JobRunQueuingEnabled, DECODE_TRI, queuing),
    JOB(Description, DECODE_STRING, description),
    JOB_SKIP(LogUri),
    JOB(Role, DECODE_STRING, role),
    JOB(CreatedOn, DECODE_TIME, created_ms),
    JOB(LastModifiedOn, DECODE_TIME, modified_ms),
    JOB_CALL(ExecutionProperty, job_execution_property),
    JOB_CALL(Command, job_command),
    JOB_CALL(DefaultArguments, job_default_arguments),
    JOB_CALL(NonOverridableArguments, job_fixed_arguments),
    JOB_SKIP(Connections),
    JOB(MaxRetries, DECODE_I64, max_retries),
    JOB_SKIP(AllocatedCapacity),
    JOB(Timeout, DECODE_I64, timeout_minutes),
    JOB(MaxCapacity, DECODE_F64, max_capacity),
    JOB(WorkerType, DECODE_STRING, worker_type),
    JOB(NumberOfWorkers, DECODE_I64, workers),
    JOB(SecurityConfiguration, DECODE_STRING, security_configuration),
    JOB_CALL(NotificationProperty, job_notification),
    JOB(GlueVersion, DECODE_STRING, glue_version),
    JOB_SKIP(CodeGenConfigurationNodes),
    JOB(ExecutionClass, DECODE_STRING, execution_class),
    JOB_SKIP(SourceControlDetails),
    JOB(MaintenanceWindow, DECODE_STRING, maintenance_window),
    JOB_SKIP(ProfileName),
    JOB_SKIP(AutoUpgradeMetadata),
};

static const struct job_row job_absent = {.data = {.created_ms = WHEN_NONE,
                                                   .modified_ms = WHEN_NONE,
                                                   .max_concurrent_runs = RECORD_ABSENT,
                                                   .max_retries = RECORD_ABSENT,
                                                   .timeout_minutes = RECORD_ABSENT,
                                                   .workers = RECORD_ABSENT,
                                                   .notify_delay_minutes = RECORD_ABSENT,
                                                   .max_capacity = (double)NAN}};

void decode_jobs_init(struct decoder *d, struct arena *arena)
{
  decoder_init(d, job_fields, sizeof job_fields / sizeof job_fields[0], arena, NULL);
}

bool decode_job(struct decoder *d, const struct cJSON *item, struct job_data *out)
{
  struct job_row row = job_absent;
  if (cJSON_IsObject(item))
    decoder_object(d, item, &row);
  *out = row.data;
  return out->name != NULL && out->name[0] != '\0';
}

static size_t decode_names(const struct cJSON *list, struct arena *arena, const char ***out, size_t *unreadable)
{
  size_t count = 0;
  const struct cJSON *item = NULL;
  *out = arena_array(arena, decode_list_size(list), sizeof **out);
  cJSON_ArrayForEach (item, list) {
    const char *name = decode_string(item, arena);
    if (name != NULL && name[0] != '\0')
      (*out)[count++] = name;
    else
      ++*unreadable;
  }
  return count;
}

struct err glue_decode_jobs(const char *text, size_t len, struct arena *arena, struct glue_jobs_page *out)
{
  *out = (struct glue_jobs_page){.jobs = NULL};
  struct cJSON *tree = NULL;
  const struct cJSON *jobs = NULL;
  const struct cJSON *names = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "Jobs", &jobs);
  if (!err_is(&e))
    e = decode_list(tree, "JobNames", &names);
  if (!err_is(&e) && names == NULL)
    e = decode_list(tree, "JobsNotFound", &names);
  if (!err_is(&e)) {
    struct decoder d;
    decode_jobs_init(&d, arena);
    out->jobs = arena_array(arena, decode_list_size(jobs), sizeof *out->jobs);
    const struct cJSON *item = NULL;
    cJSON_ArrayForEach (item, jobs) {
      if (decode_job(&d, item, &out->jobs[out->count]))
        out->count++;
      else
        out->unreadable++;
    }
    out->name_count = decode_names(names, arena, &out->names, &out->unreadable);
    out->next_token = decode_token(tree, arena);
  }
  decode_close();
  return e;
}

/* --- triggers ------------------------------------------------------------------------------------------------------------------ */

static void trigger_actions(struct decoder *d, const struct cJSON *list, void *base)
{
  struct trigger_data *t = base;
  if (!cJSON_IsArray(list))
    return;
  t->action_count = 0; /* a member that stands twice counts once */
  t->actions = arena_array(d->arena, decode_list_size(list), sizeof *t->actions);
  const struct cJSON *item = NULL;
  cJSON_ArrayForEach (item, list) {
    if (!cJSON_IsObject(item))
      continue;
    struct trigger_action *a = &t->actions[t->action_count++];
    *a = (struct trigger_action){.job = decode_string(json_get(item, "JobName"), d->arena),
                                 .crawler = decode_string(json_get(item, "CrawlerName"), d->arena),
                                 .timeout_minutes = RECORD_ABSENT};
    (void)json_i64(item, "Timeout", &a->timeout_minutes);
  }
}

static void trigger_predicate(struct decoder *d, const struct cJSON *predicate, void *base)
{
  struct trigger_data *t = base;
  const char *logical = json_str(predicate, "Logical");
  const struct cJSON *list = json_get(predicate, "Conditions");
  t->any = logical != NULL && strcmp(logical, "ANY") == 0;
  if (!cJSON_IsArray(list))
    return;
  t->condition_count = 0;
  t->conditions = arena_array(d->arena, decode_list_size(list), sizeof *t->conditions);
  const struct cJSON *item = NULL;
  cJSON_ArrayForEach (item, list) {
    if (cJSON_IsObject(item))
      t->conditions[t->condition_count++] =
          (struct trigger_condition){.job = decode_string(json_get(item, "JobName"), d->arena),
                                     .state = decode_string(json_get(item, "State"), d->arena),
                                     .crawler = decode_string(json_get(item, "CrawlerName"), d->arena),
                                     .crawl_state = decode_string(json_get(item, "CrawlState"), d->arena)};
  }
}

#define TRIGGER(member, name)                                                                                          \
  {                                                                                                                    \
#member, DECODE_STRING, offsetof(struct trigger_data, name), NULL                                                  \
  }
static const struct decode_field trigger_fields[] = {
    TRIGGER(Name, name),
    TRIGGER(WorkflowName, workflow),
    TRIGGER(Type, type),
    TRIGGER(State, state),
    TRIGGER(Schedule, schedule),
    {"Actions", DECODE_CALL, 0, trigger_actions},
    {"Predicate", DECODE_CALL, 0, trigger_predicate},
};

struct err glue_decode_triggers(const char *text, size_t len, struct arena *arena, struct glue_triggers_page *out)
{
  *out = (struct glue_triggers_page){.triggers = NULL};
  struct cJSON *tree = NULL;
  const struct cJSON *list = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "Triggers", &list);
  if (!err_is(&e)) {
    struct decoder d;
    decoder_init(&d, trigger_fields, sizeof trigger_fields / sizeof trigger_fields[0], arena, NULL);
    out->triggers = arena_array(arena, decode_list_size(list), sizeof *out->triggers);
    const struct cJSON *item = NULL;
    cJSON_ArrayForEach (item, list) {
      struct trigger_data *t = &out->triggers[out->count];
      *t = (struct trigger_data){.name = NULL};
      if (cJSON_IsObject(item))
        decoder_object(&d, item, t);
      if (t->name != NULL && t->name[0] != '\0')
        out->count++;
      else
        out->unreadable++;
    }
    out->next_token = decode_token(tree, arena);
  }
  decode_close();
  return e;
}
