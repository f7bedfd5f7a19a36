#include "sim/glue.h"

#include <string.h>
#include <cjson/cJSON.h>

#define TRIGGERS_PAGE_MAX 200

static bool starts_job(const struct sim_trigger *t, const char *job)
{
  for (size_t i = 0; i < t->action_count; i++)
    if (t->actions[i].job_name != NULL && strcmp(t->actions[i].job_name, job) == 0)
      return true;
  return false;
}

static void list(struct sim_call *call, const char *member, void (*put)(struct sim_call *, const struct sim_trigger *))
{
  const struct sim_account *a = call->account;
  const char *dependent = json_str(call->in, "DependentJobName");
  struct sim_page page;
  bool any = false;
  if (!sim_page_begin(call, &page, TRIGGERS_PAGE_MAX, TRIGGERS_PAGE_MAX, dependent != NULL ? dependent : ""))
    return;
  for (size_t i = 0; dependent != NULL && i < a->trigger_count; i++)
    any = any || starts_job(a->triggers[i], dependent);
  /* The service's oddity: when no trigger starts that job, all of them come (facts: glue-api.md section 8). */
  if (!any)
    dependent = NULL;
  jw_name(&call->out, member);
  jw_array(&call->out);
  size_t i = page.position < 0 ? 0 : (size_t)page.position;
  int64_t written = 0;
  for (; !page.empty && i < a->trigger_count && written < page.size; i++) {
    if (dependent != NULL && !starts_job(a->triggers[i], dependent))
      continue;
    put(call, a->triggers[i]);
    written++;
  }
  jw_end_array(&call->out);
  while (dependent != NULL && i < a->trigger_count && !starts_job(a->triggers[i], dependent))
    i++;
  sim_page_next(call, &page, i < a->trigger_count ? (int64_t)i : -1);
}

static void put_name(struct sim_call *call, const struct sim_trigger *t)
{
  jw_str(&call->out, t->name);
}

void sim_glue_get_triggers(struct sim_call *call)
{
  list(call, "Triggers", sim_put_trigger);
}

void sim_glue_list_triggers(struct sim_call *call)
{
  list(call, "TriggerNames", put_name);
}

static struct sim_trigger *need_trigger(struct sim_call *call)
{
  const char *name = sim_need_str(call, "Name");
  struct sim_trigger *t = sim_trigger_find(call->account, name);
  if (t == NULL)
    sim_fail(call, "EntityNotFoundException", "Trigger %s not found.", name != NULL ? name : "");
  return t;
}

void sim_glue_get_trigger(struct sim_call *call)
{
  const struct sim_trigger *t = need_trigger(call);
  if (t == NULL)
    return;
  jw_name(&call->out, "Trigger");
  sim_put_trigger(call, t);
}

static int32_t index_of(const struct sim_account *a, const struct sim_trigger *t)
{
  for (size_t i = 0; i < a->trigger_count; i++)
    if (a->triggers[i] == t)
      return (int32_t)i;
  return -1;
}

/* An ON_DEMAND trigger is fired by it, the others are switched on. */
void sim_glue_start_trigger(struct sim_call *call)
{
  struct sim_trigger *t = need_trigger(call);
  if (t == NULL)
    return;
  if (strcmp(t->type, "ON_DEMAND") == 0)
    sim_trigger_fire(call->account, index_of(call->account, t), -1, -1);
  else
    sim_trigger_activate(call->account, t);
  jw_name(&call->out, "Name");
  jw_str(&call->out, t->name);
}

void sim_glue_stop_trigger(struct sim_call *call)
{
  struct sim_trigger *t = need_trigger(call);
  if (t == NULL)
    return;
  if (strcmp(t->type, "ON_DEMAND") == 0) {
    sim_fail(call, "InvalidInputException", "Trigger %s of type ON_DEMAND cannot be stopped.", t->name);
    return;
  }
  sim_trigger_deactivate(call->account, t);
  jw_name(&call->out, "Name");
  jw_str(&call->out, t->name);
}
