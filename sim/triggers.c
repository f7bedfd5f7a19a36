#include "sim/account.h"

#include <string.h>
#include <cjson/cJSON.h>
#include "base/json.h"

void sim_trigger_schedule(struct sim_account *a, int32_t index, int64_t after_ms)
{
  const struct sim_trigger *t = a->triggers[index];
  int64_t at = t->scheduled ? cron_next(&t->cron, after_ms) : WHEN_NONE;
  if (at != WHEN_NONE)
    sim_event_push(a, (struct sim_event){.at_ms = at, .subject = index, .turn = t->turn, .kind = EVENT_FIRE});
}

void sim_trigger_fire(struct sim_account *a, int32_t index, int32_t cause_job, int32_t cause_run)
{
  struct sim_trigger *t = a->triggers[index];
  const struct cJSON *actions = json_get(t->definition, "Actions");
  const struct cJSON *given;
  size_t i = 0;
  cJSON_ArrayForEach (given, actions) {
    struct sim_action *action = &t->actions[i++];
    struct sim_job *job = sim_job_find(a, action->job_name);
    int32_t run;
    if (job == NULL)
      continue;
    if (action->based_on != job->shape) {
      action->based_on = job->shape;
      action->shape = sim_shape_override(a, job, given);
    }
    struct sim_origin origin = {.trigger = index, .cause_job = cause_job, .cause_run = cause_run, .previous = -1};
    (void)sim_run_start(a, job, action->shape, &origin, &run);
  }
}

static bool all_met(const struct sim_trigger *t)
{
  for (size_t i = 0; i < t->condition_count; i++)
    if (!t->conditions[i].met && t->conditions[i].job >= 0)
      return false;
  return true;
}

void sim_trigger_run_changed(struct sim_account *a, int32_t job_index, int32_t run_index)
{
  const struct sim_job *job = a->jobs[job_index];
  enum sim_state state = (enum sim_state)job->runs[run_index].state;
  for (size_t w = 0; w < job->watcher_count; w++) {
    int32_t index = job->watchers[w];
    struct sim_trigger *t = a->triggers[index];
    bool hit = false;
    if (strcmp(t->state, "ACTIVATED") != 0)
      continue;
    for (size_t i = 0; i < t->condition_count; i++) {
      struct sim_condition *c = &t->conditions[i];
      if (c->job == job_index && c->state == state)
        c->met = hit = true;
    }
    if (!hit || (!t->any && !all_met(t)))
      continue;
    for (size_t i = 0; i < t->condition_count; i++)
      t->conditions[i].met = false;
    sim_trigger_fire(a, index, job_index, run_index);
  }
}

void sim_trigger_activate(struct sim_account *a, struct sim_trigger *t)
{
  if (strcmp(t->type, "ON_DEMAND") == 0 || strcmp(t->state, "ACTIVATED") == 0)
    return;
  t->state = "ACTIVATED";
  t->turn++;
  for (size_t i = 0; i < t->condition_count; i++)
    t->conditions[i].met = false;
  for (size_t i = 0; i < a->trigger_count; i++)
    if (a->triggers[i] == t)
      sim_trigger_schedule(a, (int32_t)i, a->now_ms);
}

void sim_trigger_deactivate(struct sim_account *a, struct sim_trigger *t)
{
  (void)a;
  if (strcmp(t->type, "ON_DEMAND") == 0)
    return;
  t->state = "DEACTIVATED";
  t->turn++;
}
