#include "sim/account.h"

#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/json.h"
#include "base/xalloc.h"
#include "sim/rng.h"

/* The trigger wants to hear of the job's runs; once is enough, whatever number of conditions it has. */
static void watch(struct sim_job *job, int32_t trigger)
{
  if (job->watcher_count > 0 && job->watchers[job->watcher_count - 1] == trigger)
    return;
  job->watchers = xgrow(job->watchers, &job->watcher_cap, job->watcher_count + 1, sizeof *job->watchers);
  job->watchers[job->watcher_count++] = trigger;
}

static void name_put(struct sim_names *names, const char *text, int32_t index)
{
  size_t old = names->cap;
  strid id = strpool_put(names->texts, text);
  names->index = xgrow(names->index, &names->cap, (size_t)id + 1, sizeof *names->index);
  for (size_t i = old; i < names->cap; i++)
    names->index[i] = -1;
  names->index[id] = index;
}

static int32_t name_get(const struct sim_names *names, const char *text)
{
  strid id = strpool_find(names->texts, text);
  return id != 0 ? names->index[id] : -1;
}

static void names_fini(struct sim_names *names)
{
  strpool_free(names->texts);
  free(names->index);
}

void sim_account_init(struct sim_account *a, const char *id, const char *region, uint64_t seed, int64_t start_ms)
{
  *a = (struct sim_account){
      .id = id,
      .region = region,
      .seed = seed,
      .start_ms = start_ms,
      .born_ms = start_ms,
      .now_ms = start_ms,
      /* facts: pricing-and-limits.md section 7 */
      .run_limit = 2000,
      .queue_limit = 1000,
      .job_limit = 2000,
      .dpu_limit = 1000,
      .flex_limit = 4000,
  };
  arena_init(&a->memory);
  a->job_names.texts = strpool_new();
  a->trigger_names.texts = strpool_new();
}

static void job_free(struct sim_job *job)
{
  for (size_t i = 0; i < job->run_count; i++)
    cJSON_Delete(job->runs[i].given);
  cJSON_Delete(job->definition);
  cJSON_Delete(job->tags);
  free(job->watchers);
  free(job->runs);
  free(job->name);
  free(job);
}

static void trigger_free(struct sim_trigger *t)
{
  for (size_t i = 0; i < t->action_count; i++)
    free(t->actions[i].job_name);
  cJSON_Delete(t->definition);
  cJSON_Delete(t->tags);
  free(t->actions);
  free(t->conditions);
  free(t->name);
  free(t);
}

void sim_account_fini(struct sim_account *a)
{
  for (size_t i = 0; i < a->job_count; i++)
    job_free(a->jobs[i]);
  for (size_t i = 0; i < a->trigger_count; i++)
    trigger_free(a->triggers[i]);
  for (size_t i = 0; i < a->kept_count; i++)
    cJSON_Delete(a->kept[i]);
  names_fini(&a->job_names);
  names_fini(&a->trigger_names);
  free(a->jobs);
  free(a->triggers);
  free(a->kept);
  free(a->events);
  free(a->callers);
  free(a->waiting);
  arena_fini(&a->memory);
}

int32_t sim_job_index(const struct sim_account *a, const char *name)
{
  return name != NULL ? name_get(&a->job_names, name) : -1;
}

struct sim_job *sim_job_find(const struct sim_account *a, const char *name)
{
  int32_t index = sim_job_index(a, name);
  return index >= 0 ? a->jobs[index] : NULL;
}

/* Conditional triggers that were there before the job learn of it. */
static void job_meet_triggers(struct sim_account *a, int32_t index)
{
  for (size_t t = 0; t < a->trigger_count; t++) {
    const struct cJSON *predicate = json_get(a->triggers[t]->definition, "Predicate");
    const struct cJSON *conditions = json_get(predicate, "Conditions");
    const struct cJSON *condition;
    size_t i = 0;
    cJSON_ArrayForEach (condition, conditions) {
      const char *job = json_str(condition, "JobName");
      if (job != NULL && i < a->triggers[t]->condition_count && strcmp(job, a->jobs[index]->name) == 0) {
        a->triggers[t]->conditions[i].job = index;
        watch(a->jobs[index], (int32_t)t);
      }
      i++;
    }
  }
}

struct sim_job *sim_job_add(struct sim_account *a, const char *name, struct cJSON *take_definition, int64_t created_ms)
{
  struct sim_job *job = xcalloc(1, sizeof *job);
  int32_t index = (int32_t)a->job_count;
  job->name = xstrdup(name);
  job->index = index;
  job->key = sim_mix2(sim_hash(a->seed, name), (uint64_t)index);
  job->created_ms = created_ms;
  /* A job that nobody told us about: a few minutes, and all goes well. */
  job->behaviour = (struct sim_behaviour){.typical_s = 240, .spread_percent = 20, .boot_s = 12, .dpu_percent = 70};
  a->jobs = xgrow(a->jobs, &a->job_cap, a->job_count + 1, sizeof(struct sim_job *));
  a->jobs[a->job_count++] = job;
  name_put(&a->job_names, name, index);
  sim_job_redefine(a, job, take_definition);
  job->modified_ms = created_ms;
  job_meet_triggers(a, index);
  return job;
}

void sim_job_redefine(struct sim_account *a, struct sim_job *job, struct cJSON *take_definition)
{
  int64_t number;
  cJSON_Delete(job->definition);
  job->definition = take_definition;
  job->shape = sim_shape_of_job(a, take_definition);
  job->max_concurrent =
      json_i64(json_get(take_definition, "ExecutionProperty"), "MaxConcurrentRuns", &number) ? (int)number : 1;
  job->max_retries = json_i64(take_definition, "MaxRetries", &number) ? (int)number : 0;
  job->modified_ms = a->now_ms;
}

void sim_job_delete(struct sim_account *a, struct sim_job *job)
{
  name_put(&a->job_names, job->name, -1);
  job->deleted = true;
  job->bookmark = (struct sim_bookmark){.exists = false};
  job->watcher_count = 0;
}

struct sim_trigger *sim_trigger_find(const struct sim_account *a, const char *name)
{
  int32_t index = name != NULL ? name_get(&a->trigger_names, name) : -1;
  return index >= 0 ? a->triggers[index] : NULL;
}

static void trigger_read_actions(struct sim_trigger *t)
{
  const struct cJSON *actions = json_get(t->definition, "Actions");
  const struct cJSON *action;
  t->actions = xcalloc((size_t)cJSON_GetArraySize(actions) + 1, sizeof *t->actions);
  cJSON_ArrayForEach (action, actions) {
    t->actions[t->action_count++].job_name = xstrdup(json_str(action, "JobName"));
  }
}

static void trigger_read_conditions(struct sim_account *a, struct sim_trigger *t, int32_t index)
{
  const struct cJSON *predicate = json_get(t->definition, "Predicate");
  const struct cJSON *conditions = json_get(predicate, "Conditions");
  const struct cJSON *condition;
  const char *logical = json_str(predicate, "Logical");
  t->any = logical != NULL && strcmp(logical, "ANY") == 0;
  t->conditions = xcalloc((size_t)cJSON_GetArraySize(conditions) + 1, sizeof *t->conditions);
  cJSON_ArrayForEach (condition, conditions) {
    const char *state = json_str(condition, "State");
    struct sim_condition *c = &t->conditions[t->condition_count++];
    c->job = sim_job_index(a, json_str(condition, "JobName"));
    c->state = state != NULL ? sim_state_of(state) : SIM_STATE_COUNT;
    if (c->job < 0)
      continue;
    watch(a->jobs[c->job], index);
  }
}

/* Constants for the states that triggers stand in, so that a state can be compared and kept as a pointer. */
static const char *trigger_state_of(const char *text)
{
  static const char *const states[] = {"CREATED",    "ACTIVATED",    "DEACTIVATED", "CREATING",
                                       "ACTIVATING", "DEACTIVATING", "DELETING",    "UPDATING"};
  for (size_t i = 0; text != NULL && i < sizeof states / sizeof states[0]; i++)
    if (strcmp(text, states[i]) == 0)
      return states[i];
  return states[0];
}

struct sim_trigger *sim_trigger_add(struct sim_account *a, struct cJSON *take_definition, int64_t from_ms)
{
  struct sim_trigger *t = xcalloc(1, sizeof *t);
  int32_t index = (int32_t)a->trigger_count;
  t->definition = take_definition;
  t->name = xstrdup(json_str(take_definition, "Name"));
  if (t->name == NULL)
    t->name = xstrdup("");
  t->type = json_str(take_definition, "Type");
  if (t->type == NULL)
    t->type = "ON_DEMAND";
  t->state = trigger_state_of(json_str(take_definition, "State"));
  const char *schedule = json_str(take_definition, "Schedule");
  t->scheduled = schedule != NULL && strcmp(t->type, "SCHEDULED") == 0 && cron_parse(schedule, &t->cron, NULL);
  a->triggers = xgrow(a->triggers, &a->trigger_cap, a->trigger_count + 1, sizeof(struct sim_trigger *));
  a->triggers[a->trigger_count++] = t;
  name_put(&a->trigger_names, t->name, index);
  trigger_read_actions(t);
  trigger_read_conditions(a, t, index);
  if (strcmp(t->state, "ACTIVATED") == 0)
    sim_trigger_schedule(a, index, from_ms);
  return t;
}

void sim_caller_add(struct sim_account *a, const struct sim_caller *caller, int64_t first_ms)
{
  a->callers = xgrow(a->callers, &a->caller_cap, a->caller_count + 1, sizeof *a->callers);
  a->callers[a->caller_count] = *caller;
  sim_event_push(a, (struct sim_event){.at_ms = first_ms, .subject = (int32_t)a->caller_count++, .kind = EVENT_CALL});
}

static void call_from_outside(struct sim_account *a, const struct sim_event *e)
{
  static const struct sim_origin origin = {.trigger = -1, .cause_job = -1, .cause_run = -1, .previous = -1};
  const struct sim_caller *c = &a->callers[e->subject];
  struct sim_job *job = a->jobs[c->job];
  int32_t run = -1;
  /* A refused call leaves no trace in the account: the caller alone has seen the error. */
  if (!job->deleted && sim_run_start(a, job, job->shape, &origin, &run) == ACCEPT_OK && c->run_s > 0)
    job->runs[run].plan_ms = c->run_s * WHEN_SECOND;
  if (c->every_ms > 0 && e->at_ms + c->every_ms <= c->last_ms)
    sim_event_push(a, (struct sim_event){.at_ms = e->at_ms + c->every_ms, .subject = e->subject, .kind = EVENT_CALL});
}

void sim_account_advance(struct sim_account *a, int64_t now_ms)
{
  struct sim_event e;
  while (sim_event_pop(a, now_ms, &e)) {
    a->now_ms = e.at_ms;
    if (e.kind == EVENT_FIRE) {
      struct sim_trigger *t = a->triggers[e.subject];
      if (e.turn != t->turn)
        continue;
      sim_trigger_schedule(a, e.subject, e.at_ms);
      sim_trigger_fire(a, e.subject, -1, -1);
    } else if (e.kind == EVENT_OFF) {
      sim_trigger_deactivate(a, a->triggers[e.subject]);
    } else if (e.kind == EVENT_CALL) {
      call_from_outside(a, &e);
    } else if (a->jobs[e.subject]->runs[e.run].turn == e.turn) {
      sim_run_event(a, e.subject, e.run, e.kind);
    }
  }
  if (now_ms > a->now_ms)
    a->now_ms = now_ms;
}
