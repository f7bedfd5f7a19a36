/* Places and what belongs to them: jobs, triggers. And contexts, which lead to places. */
#include "model/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* --- jobs by name ---------------------------------------------------------------------------------------------------- */

static size_t name_slot(const struct place *p, strid name)
{
  /* Names are numbers that grow by one: multiplied, they spread over the table. */
  return (size_t)((name * UINT32_C(2654435769)) ^ (name >> 7)) & (p->job_slot_count - 1);
}

static void job_index_put(struct place *p, size_t index)
{
  size_t i = name_slot(p, p->jobs[index].name);
  while (p->job_slots[i] != 0)
    i = (i + 1) & (p->job_slot_count - 1);
  p->job_slots[i] = (uint32_t)index + 1;
}

static void job_index_grow(struct place *p)
{
  free(p->job_slots);
  p->job_slot_count = p->job_slot_count == 0 ? 64 : p->job_slot_count * 2;
  p->job_slots = xcalloc(p->job_slot_count, sizeof *p->job_slots);
  for (size_t i = 0; i < p->job_count; i++)
    job_index_put(p, i);
}

struct job *place_job(const struct place *p, strid name)
{
  if (name == 0 || p->job_slot_count == 0)
    return NULL;
  size_t i = name_slot(p, name);
  while (p->job_slots[i] != 0) {
    struct job *j = &p->jobs[p->job_slots[i] - 1];
    if (j->name == name)
      return j;
    i = (i + 1) & (p->job_slot_count - 1);
  }
  return NULL;
}

struct job *place_job_make(struct model *m, int place, strid name)
{
  struct place *p = &m->places[place];
  struct job *j = place_job(p, name);
  if (j != NULL)
    return j;
  p->jobs = xgrow(p->jobs, &p->job_cap, p->job_count + 1, sizeof *p->jobs);
  j = &p->jobs[p->job_count];
  *j = (struct job){.name = name,
                    .place = place,
                    .created_ms = WHEN_NONE,
                    .modified_ms = WHEN_NONE,
                    .max_concurrent_runs = -1,
                    .max_retries = -1,
                    .timeout_minutes = -1,
                    .workers = -1,
                    .notify_delay_minutes = -1,
                    .max_capacity = (double)NAN,
                    .listed_ms = WHEN_NONE,
                    .changed_from_ms = INT64_MAX,
                    .changed_to_ms = INT64_MIN,
                    .top_read_ms = WHEN_NONE};
  freshness_init(&j->runs_fresh);
  freshness_init(&j->definition_fresh);
  p->job_count++;
  if (p->job_count * 2 > p->job_slot_count)
    job_index_grow(p);
  else
    job_index_put(p, p->job_count - 1);
  m->generation++;
  return j;
}

void job_fini(struct job *j)
{
  job_runs_fini(j);
  free(j->read);
  freshness_fini(&j->runs_fresh);
  freshness_fini(&j->definition_fresh);
  doc_holder_free(j->definition);
}

const struct job *model_job(const struct model *m, int place, strid name)
{
  return place < 0 || (size_t)place >= m->place_count ? NULL : place_job(&m->places[place], name);
}

struct job *model_job_mutable(struct model *m, int place, strid name)
{
  return place < 0 || (size_t)place >= m->place_count ? NULL : place_job(&m->places[place], name);
}

struct job *model_touch_job(struct model *m, int place, const char *name)
{
  return place_job_make(m, place, strpool_put(m->strings, name == NULL ? "" : name));
}

static void job_listed(struct model *m, struct job *j, int64_t asked_ms)
{
  if (j->gone) {
    j->gone = false;
    m->generation++;
  }
  if (asked_ms > j->listed_ms)
    j->listed_ms = asked_ms;
}

struct job *model_list_job(struct model *m, int place, const char *name, int64_t asked_ms)
{
  if (name == NULL || name[0] == '\0')
    return NULL;
  struct job *j = model_touch_job(m, place, name);
  job_listed(m, j, asked_ms);
  return j;
}

static void job_set_text(struct model *m, strid *member, const char *text)
{
  *member = strpool_put(m->strings, text);
}

struct job *model_put_job(struct model *m, int place, const struct job_data *d, int64_t asked_ms)
{
  if (d->name == NULL || d->name[0] == '\0')
    return NULL;
  struct job *j = model_touch_job(m, place, d->name);
  job_listed(m, j, asked_ms);
  enum tristate auto_scaling = j->auto_scaling;
  enum job_type type = j->type;
  strid version = j->glue_version;
  int64_t modified = j->modified_ms;
  bool news = !j->defined;
  j->defined = true;
  j->type = job_type_parse(d->command_name);
  job_set_text(m, &j->command_name, d->command_name);
  job_set_text(m, &j->mode, d->mode);
  job_set_text(m, &j->description, d->description);
  job_set_text(m, &j->role, d->role);
  job_set_text(m, &j->script_location, d->script_location);
  job_set_text(m, &j->python_version, d->python_version);
  job_set_text(m, &j->worker_type, d->worker_type);
  job_set_text(m, &j->glue_version, d->glue_version);
  job_set_text(m, &j->security_configuration, d->security_configuration);
  job_set_text(m, &j->maintenance_window, d->maintenance_window);
  if (d->execution_class == NULL || d->execution_class[0] == '\0' || strcmp(d->execution_class, "STANDARD") == 0)
    j->execution_class = CLASS_STANDARD;
  else
    j->execution_class = strcmp(d->execution_class, "FLEX") == 0 ? CLASS_FLEX : CLASS_OTHER;
  j->created_ms = d->created_ms;
  j->modified_ms = d->modified_ms;
  j->max_concurrent_runs = model_number(d->max_concurrent_runs);
  j->max_retries = model_number(d->max_retries);
  j->timeout_minutes = model_number(d->timeout_minutes);
  j->workers = d->workers > SIZE_WORKERS_MAX ? -1 : model_number(d->workers);
  j->notify_delay_minutes = model_number(d->notify_delay_minutes);
  j->max_capacity = model_size(d->max_capacity, SIZE_DPU_MAX);
  j->queuing = d->queuing;
  j->auto_scaling = d->auto_scaling;
  j->bookmark = d->bookmark;
  j->metrics = d->metrics;
  freshness_good(&j->definition_fresh, asked_ms, true);
  if (auto_scaling != j->auto_scaling || type != j->type || version != j->glue_version)
    job_runs_note_job(m, j);
  /* A definition that was not modified shows nothing new; one without a date is taken as new. */
  if (news || modified == WHEN_NONE || modified != j->modified_ms)
    m->generation++;
  return j;
}

void model_end_jobs(struct model *m, int place, int64_t reading_began_ms)
{
  struct place *p = &m->places[place];
  for (size_t i = 0; i < p->job_count; i++) {
    struct job *j = &p->jobs[i];
    if (!j->gone && j->listed_ms != WHEN_NONE && j->listed_ms < reading_began_ms) {
      j->gone = true;
      m->generation++;
    }
  }
}

/* --- triggers -------------------------------------------------------------------------------------------------------- */

void triggers_free(struct place *p)
{
  for (size_t i = 0; i < p->trigger_count; i++) {
    free(p->triggers[i].actions);
    free(p->triggers[i].conditions);
  }
  free(p->triggers);
  p->triggers = NULL;
  p->trigger_count = 0;
}

static void trigger_pack(struct model *m, const struct trigger_data *d, struct trigger *t)
{
  struct strpool *s = m->strings;
  t->name = strpool_put(s, d->name);
  t->workflow = strpool_put(s, d->workflow);
  t->type = strpool_put(s, d->type);
  t->state = strpool_put(s, d->state);
  t->schedule = strpool_put(s, d->schedule);
  t->any = d->any;
  t->actions = d->action_count == 0 ? NULL : xcalloc(d->action_count, sizeof *t->actions);
  for (size_t i = 0; i < d->action_count; i++) {
    t->actions[i].job = strpool_put(s, d->actions[i].job);
    t->actions[i].crawler = strpool_put(s, d->actions[i].crawler);
    t->actions[i].timeout_minutes = model_number(d->actions[i].timeout_minutes);
  }
  t->action_count = d->action_count;
  t->conditions = d->condition_count == 0 ? NULL : xcalloc(d->condition_count, sizeof *t->conditions);
  for (size_t i = 0; i < d->condition_count; i++) {
    t->conditions[i].job = strpool_put(s, d->conditions[i].job);
    t->conditions[i].state = strpool_put(s, d->conditions[i].state);
    t->conditions[i].crawler = strpool_put(s, d->conditions[i].crawler);
    t->conditions[i].crawl_state = strpool_put(s, d->conditions[i].crawl_state);
  }
  t->condition_count = d->condition_count;
}

void model_put_triggers(struct model *m, int place, const struct trigger_data *d, size_t count, int64_t now_ms)
{
  (void)now_ms; /* the caller keeps triggers_fresh, which knows whether the reading was whole */
  struct place *p = &m->places[place];
  triggers_free(p);
  p->triggers = count == 0 ? NULL : xcalloc(count, sizeof *p->triggers);
  for (size_t i = 0; i < count; i++)
    trigger_pack(m, &d[i], &p->triggers[i]);
  p->trigger_count = count;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < p->triggers[i].action_count; k++)
      if (p->triggers[i].actions[k].job != 0)
        place_job_make(m, place, p->triggers[i].actions[k].job); /* perhaps the only word about it */
  m->generation++;
}

/* --- places ---------------------------------------------------------------------------------------------------------- */

/* Quotas are an account's; prices are the Region's, whoever asks. */
static void quotas_none(struct place *p)
{
  for (size_t i = 0; i < QUOTA_KIND_COUNT; i++)
    p->quotas[i] = (double)NAN;
  freshness_init(&p->quotas_fresh);
}

int place_add(struct model *m, const char *partition, const char *region, const char *endpoint)
{
  m->places = xreallocarray(m->places, m->place_count + 1, sizeof *m->places);
  struct place *p = &m->places[m->place_count];
  *p = (struct place){.partition = xstrdup(partition == NULL ? "aws" : partition),
                      .account = xstrdup(""),
                      .region = xstrdup(region == NULL ? "" : region),
                      .endpoint = xstrdup(endpoint == NULL ? "" : endpoint)};
  freshness_init(&p->jobs_fresh);
  freshness_init(&p->triggers_fresh);
  freshness_init(&p->prices_fresh);
  quotas_none(p);
  return (int)m->place_count++;
}

static void place_drop_rows(struct place *p)
{
  for (size_t i = 0; i < p->job_count; i++)
    job_fini(&p->jobs[i]);
  free(p->jobs);
  free(p->job_slots);
  triggers_free(p);
  freshness_fini(&p->jobs_fresh);
  freshness_fini(&p->triggers_fresh);
  freshness_init(&p->jobs_fresh);
  freshness_init(&p->triggers_fresh);
  freshness_fini(&p->quotas_fresh);
  quotas_none(p);
  p->jobs = NULL;
  p->job_count = p->job_cap = 0;
  p->job_slots = NULL;
  p->job_slot_count = 0;
  p->names_complete = false;
  p->runs_generation++;
  p->epoch++;
}

void place_fini(struct place *p)
{
  place_drop_rows(p);
  freshness_fini(&p->prices_fresh);
  free(p->partition);
  free(p->account);
  free(p->region);
  free(p->endpoint);
}

void model_clear_place(struct model *m, int place)
{
  place_drop_rows(&m->places[place]);
  for (size_t i = 0; i < m->run_doc_count;) {
    if (m->run_docs[i].place != place) {
      i++;
      continue;
    }
    doc_holder_free(m->run_docs[i].doc);
    freshness_fini(&m->run_docs[i].fresh);
    m->run_docs[i] = m->run_docs[--m->run_doc_count];
  }
  m->generation++;
}

/* Rows read before STS spoke move to the place they turned out to belong to. */
static void place_move_rows(struct model *m, int from, int to)
{
  struct place *source = &m->places[from];
  for (size_t i = 0; i < source->job_count; i++) {
    struct job *old = &source->jobs[i];
    struct job *j = place_job_make(m, to, old->name);
    if (old->defined && (!j->defined || old->definition_fresh.fetched_ms > j->definition_fresh.fetched_ms)) {
      struct job kept = *j;
      *j = *old;
      j->place = to;
      j->listed_ms = kept.listed_ms;
      j->runs = kept.runs;
      j->run_count = kept.run_count;
      j->run_live = kept.run_live;
      j->longest_ms = kept.longest_ms;
      j->runs_generation = kept.runs_generation;
      j->changed_from_ms = kept.changed_from_ms;
      j->changed_to_ms = kept.changed_to_ms;
      j->shelf = kept.shelf;
      j->read = kept.read;
      j->read_count = kept.read_count;
      j->read_cap = kept.read_cap;
      j->read_to_end = kept.read_to_end;
      j->unordered = kept.unordered;
      j->top_read_ms = kept.top_read_ms;
      j->runs_fresh = kept.runs_fresh;
      err_fini(&kept.definition_fresh.last_err);
      doc_holder_free(kept.definition);
      old->definition = NULL;
      freshness_init(&old->definition_fresh);
    }
    if (old->listed_ms > j->listed_ms)
      j->listed_ms = old->listed_ms;
    for (size_t k = 0; k < old->run_count; k++)
      model_put_packed_run(m, to, old->name, &old->runs[k]);
    for (size_t k = 0; k < old->read_count; k++)
      job_add_span(j, old->read[k].from_ms, old->read[k].to_ms);
    j->read_to_end = j->read_to_end || old->read_to_end;
    j->unordered = j->unordered || old->unordered;
    if (old->top_read_ms > j->top_read_ms)
      j->top_read_ms = old->top_read_ms;
    if (old->runs_fresh.fetched_ms > j->runs_fresh.fetched_ms) {
      err_fini(&j->runs_fresh.last_err);
      j->runs_fresh = old->runs_fresh;
      j->runs_fresh.in_flight = false;
      freshness_init(&old->runs_fresh);
    }
  }
  struct place *target = &m->places[to];
  target->names_complete = target->names_complete || source->names_complete;
  if (source->jobs_fresh.fetched_ms > target->jobs_fresh.fetched_ms) {
    err_fini(&target->jobs_fresh.last_err);
    target->jobs_fresh = source->jobs_fresh;
    target->jobs_fresh.in_flight = false;
    freshness_init(&source->jobs_fresh);
  }
  if (source->quotas_fresh.tried_ms > target->quotas_fresh.tried_ms) {
    err_fini(&target->quotas_fresh.last_err);
    target->quotas_fresh = source->quotas_fresh;
    target->quotas_fresh.in_flight = false;
    memcpy(target->quotas, source->quotas, sizeof target->quotas);
    quotas_none(source);
  }
  if (source->triggers_fresh.fetched_ms > target->triggers_fresh.fetched_ms) {
    err_fini(&target->triggers_fresh.last_err);
    target->triggers_fresh = source->triggers_fresh;
    target->triggers_fresh.in_flight = false;
    freshness_init(&source->triggers_fresh);
    triggers_free(target);
    target->triggers = source->triggers;
    target->trigger_count = source->trigger_count;
    source->triggers = NULL;
    source->trigger_count = 0;
  }
  for (size_t i = 0; i < m->run_doc_count; i++)
    if (m->run_docs[i].place == from)
      m->run_docs[i].place = to;
}

/* --- contexts -------------------------------------------------------------------------------------------------------- */

int model_add_context(struct model *m, const char *name, const char *profile, const char *region,
                      const char *region_source, const char *partition, const char *endpoint)
{
  m->contexts = xreallocarray(m->contexts, m->context_count + 1, sizeof *m->contexts);
  struct context *c = &m->contexts[m->context_count];
  *c = (struct context){.name = xstrdup(name == NULL ? "default" : name),
                        .profile = xstrdup(profile == NULL ? "" : profile),
                        .region = xstrdup(region == NULL ? "" : region),
                        .region_source = xstrdup(region_source == NULL ? "" : region_source),
                        .source = xstrdup(""),
                        .notice = xstrdup(""),
                        .mfa_serial = xstrdup(""),
                        .device_url = xstrdup(""),
                        .device_code = xstrdup(""),
                        .account = xstrdup(""),
                        .arn = xstrdup(""),
                        .label = xstrdup(""),
                        .expires_ms = WHEN_NONE,
                        .place = place_add(m, partition, region, endpoint)};
  freshness_init(&c->identity_fresh);
  m->generation++;
  return (int)m->context_count++;
}

static bool place_is_used(const struct model *m, int place)
{
  for (size_t i = 0; i < m->context_count; i++)
    if (m->contexts[i].place == place && !m->contexts[i].closed)
      return true;
  return false;
}

static int place_find(const struct model *m, const struct place *like, const char *account)
{
  for (size_t i = 0; i < m->place_count; i++) {
    const struct place *p = &m->places[i];
    if (strcmp(p->account, account) == 0 && strcmp(p->region, like->region) == 0 &&
        strcmp(p->endpoint, like->endpoint) == 0 && strcmp(p->partition, like->partition) == 0)
      return (int)i;
  }
  return -1;
}

static void text_replace(char **member, const char *text)
{
  char *copy = xstrdup(text == NULL ? "" : text);
  free(*member);
  *member = copy;
}

void model_set_identity(struct model *m, int context, const struct identity *id, int64_t now_ms)
{
  struct context *c = &m->contexts[context];
  const char *account = id->account == NULL ? "" : id->account;
  text_replace(&c->account, account);
  text_replace(&c->arn, id->arn);
  freshness_good(&c->identity_fresh, now_ms, true);
  int from = c->place;
  const char *known = m->places[from].account;
  if (account[0] != '\0' && strcmp(known, account) != 0) {
    int to = place_find(m, &m->places[from], account);
    if (known[0] == '\0' && to < 0) {
      text_replace(&m->places[from].account, account);
    } else if (known[0] == '\0') {
      c->place = to;
      place_move_rows(m, from, to);
      if (!place_is_used(m, from))
        model_clear_place(m, from);
    } else {
      /* What was read so far under this login belongs to the account it led to then. */
      if (to < 0) {
        const struct place *p = &m->places[from];
        char *partition = xstrdup(p->partition);
        char *region = xstrdup(p->region);
        char *endpoint = xstrdup(p->endpoint);
        to = place_add(m, partition, region, endpoint);
        text_replace(&m->places[to].account, account);
        free(partition);
        free(region);
        free(endpoint);
      }
      c->place = to;
      c->epoch++;
      if (!place_is_used(m, from))
        model_clear_place(m, from);
    }
  }
  c->confirmed = account[0] != '\0';
  m->generation++;
}

bool model_set_text(struct model *m, char **member, const char *text)
{
  if (strcmp(*member, text == NULL ? "" : text) == 0)
    return false;
  text_replace(member, text);
  m->generation++;
  return true;
}

void model_set_region(struct model *m, int context, const char *region, const char *region_source,
                      const char *partition, const char *endpoint)
{
  struct context *c = &m->contexts[context];
  struct place *p = &m->places[c->place];
  text_replace(&c->region, region);
  text_replace(&c->region_source, region_source);
  text_replace(&p->region, region);
  text_replace(&p->partition, partition);
  text_replace(&p->endpoint, endpoint);
  m->generation++;
}

bool model_remember_identity(struct model *m, int context, const char *account, const char *arn)
{
  struct context *c = &m->contexts[context];
  struct place *p = &m->places[c->place];
  if (account == NULL || account[0] == '\0' || c->confirmed || p->account[0] != '\0' || place_find(m, p, account) >= 0)
    return false;
  text_replace(&p->account, account);
  text_replace(&c->account, account);
  text_replace(&c->arn, arn);
  m->generation++;
  return true;
}

void model_close_context(struct model *m, int context)
{
  struct context *c = &m->contexts[context];
  c->closed = true;
  c->confirmed = false;
  c->epoch++;
  if (!place_is_used(m, c->place))
    model_clear_place(m, c->place);
  m->generation++;
}

bool model_job_named_only(const struct place *p, const struct job *j)
{
  bool listed = j->defined || j->listed_ms != WHEN_NONE || j->run_count > 0;
  return !listed && (p->names_complete || p->jobs_fresh.complete || j->runs_fresh.last_err.kind == ERR_NOT_FOUND);
}
