#include "model/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* Writes sent from here that are remembered: enough for a long night, not for a leak. */
#define CHANGES_MAX ((size_t)2000)

struct model *model_new(void)
{
  struct model *m = xcalloc(1, sizeof *m);
  m->strings = strpool_new();
  m->generation = 1;
  m->polling.at_ms = WHEN_NONE;
  return m;
}

static void context_fini(struct context *c)
{
  free(c->name);
  free(c->profile);
  free(c->region);
  free(c->region_source);
  free(c->source);
  free(c->account);
  free(c->arn);
  free(c->label);
  free(c->notice);
  free(c->mfa_serial);
  free(c->device_url);
  free(c->device_code);
  freshness_fini(&c->identity_fresh);
}

static void problem_fini(struct problem *p)
{
  free(p->what);
  free(p->message);
}

static void change_fini(struct change *c)
{
  free(c->message);
  free(c->request_id);
}

static void run_doc_fini(struct run_doc *d)
{
  doc_holder_free(d->doc);
  freshness_fini(&d->fresh);
}

void model_free(struct model *m)
{
  if (m == NULL)
    return;
  for (size_t i = 0; i < m->context_count; i++)
    context_fini(&m->contexts[i]);
  for (size_t i = 0; i < m->choice_count; i++) {
    free(m->choices[i].name);
    free(m->choices[i].about);
  }
  free(m->choices);
  for (size_t i = 0; i < m->place_count; i++)
    place_fini(&m->places[i]);
  for (size_t i = 0; i < m->problem_count; i++)
    problem_fini(&m->problems[i]);
  for (size_t i = 0; i < m->change_count; i++)
    change_fini(&m->changes[i]);
  for (size_t i = 0; i < m->run_doc_count; i++)
    run_doc_fini(&m->run_docs[i]);
  free(m->contexts);
  free(m->places);
  free(m->problems);
  free(m->changes);
  free(m->run_docs);
  free(m->notices.items);
  free(m->polling.places);
  strpool_free(m->strings);
  free(m);
}

const char *model_str(const struct model *m, strid id)
{
  return strpool_get(m->strings, id);
}

void model_touch(struct model *m)
{
  m->generation++;
}

/* --- problems and changes -------------------------------------------------------------------------------------------- */

void model_add_problem(struct model *m, int context, const struct err *e, int64_t now_ms)
{
  if (!err_is(e))
    return;
  const char *what = e->detail != NULL && e->detail->what != NULL ? e->detail->what : "";
  const char *message = err_message(e);
  m->generation++;
  for (size_t i = 0; i < m->problem_count; i++) {
    struct problem *p = &m->problems[i];
    if (p->context != context || p->kind != e->kind || strcmp(p->what, what) != 0 || strcmp(p->message, message) != 0)
      continue;
    struct problem again = *p;
    again.count++;
    again.at_ms = now_ms;
    /* The list is in the order of the last time. */
    memmove(p, p + 1, (m->problem_count - i - 1) * sizeof *p);
    m->problems[m->problem_count - 1] = again;
    return;
  }
  if (m->problem_count == MODEL_PROBLEMS_MAX) {
    problem_fini(&m->problems[0]);
    memmove(m->problems, m->problems + 1, (m->problem_count - 1) * sizeof *m->problems);
    m->problem_count--;
  }
  m->problems = xgrow(m->problems, &m->problem_cap, m->problem_count + 1, sizeof *m->problems);
  m->problems[m->problem_count++] = (struct problem){.context = context,
                                                     .kind = e->kind,
                                                     .what = xstrdup(what),
                                                     .message = xstrdup(message),
                                                     .at_ms = now_ms,
                                                     .count = 1};
}

struct change *model_add_change(struct model *m, uint64_t intent_id, int context, strid job, strid run_id,
                                int64_t now_ms)
{
  if (m->change_count == CHANGES_MAX) {
    change_fini(&m->changes[0]);
    memmove(m->changes, m->changes + 1, (m->change_count - 1) * sizeof *m->changes);
    m->change_count--;
  }
  m->changes = xgrow(m->changes, &m->change_cap, m->change_count + 1, sizeof *m->changes);
  struct change *c = &m->changes[m->change_count++];
  *c = (struct change){.intent_id = intent_id,
                       .context = context,
                       .job = job,
                       .run_id = run_id,
                       .result = CHANGE_PENDING,
                       .kind = ERR_OK,
                       .at_ms = now_ms};
  m->generation++;
  return c;
}

/* --- whole answers --------------------------------------------------------------------------------------------------- */

struct doc_holder *doc_holder_new(struct arena *take, const struct doc *doc, const char *raw, size_t raw_len,
                                  int64_t fetched_ms)
{
  struct doc_holder *h = xcalloc(1, sizeof *h);
  h->arena = *take;
  arena_init(take);
  h->doc = *doc;
  h->raw = xstrndup(raw == NULL ? "" : raw, raw == NULL ? 0 : raw_len);
  h->raw_len = raw == NULL ? 0 : raw_len;
  h->fetched_ms = fetched_ms;
  return h;
}

void doc_holder_free(struct doc_holder *h)
{
  if (h == NULL)
    return;
  arena_fini(&h->arena);
  free(h->raw);
  free(h);
}

void model_set_job_doc(struct model *m, int place, strid job, struct doc_holder *take)
{
  struct job *j = place_job_make(m, place, job);
  doc_holder_free(j->definition);
  j->definition = take;
  m->generation++;
}

static struct run_doc *run_doc_find(const struct model *m, int place, strid job, strid run_id)
{
  for (size_t i = 0; i < m->run_doc_count; i++) {
    struct run_doc *d = &m->run_docs[i];
    if (d->place == place && d->job == job && d->run_id == run_id)
      return d;
  }
  return NULL;
}

struct run_doc *model_run_doc_slot(struct model *m, int place, strid job, strid run_id)
{
  struct run_doc *d = run_doc_find(m, place, job, run_id);
  if (d != NULL)
    return d;
  if (m->run_doc_count == MODEL_RUN_DOCS_MAX) {
    run_doc_fini(&m->run_docs[0]);
    memmove(m->run_docs, m->run_docs + 1, (m->run_doc_count - 1) * sizeof *m->run_docs);
    m->run_doc_count--;
  }
  m->run_docs = xgrow(m->run_docs, &m->run_doc_cap, m->run_doc_count + 1, sizeof *m->run_docs);
  d = &m->run_docs[m->run_doc_count++];
  *d = (struct run_doc){.place = place, .job = job, .run_id = run_id};
  freshness_init(&d->fresh);
  return d;
}

void model_set_run_doc(struct model *m, int place, strid job, strid run_id, struct doc_holder *take)
{
  struct run_doc *d = model_run_doc_slot(m, place, job, run_id);
  doc_holder_free(d->doc);
  d->doc = take;
  m->generation++;
}

const struct doc_holder *model_run_doc(const struct model *m, int place, strid job, strid run_id,
                                       const struct freshness **fresh)
{
  const struct run_doc *d = run_doc_find(m, place, job, run_id);
  if (fresh != NULL)
    *fresh = d == NULL ? NULL : &d->fresh;
  return d == NULL ? NULL : d->doc;
}

/* --- is all there that was asked for? -------------------------------------------------------------------------------- */

bool model_runs_read(const struct job *j, int64_t since_ms, int64_t until_ms)
{
  if (j->top_read_ms == WHEN_NONE)
    return false;
  if (j->run_count == 0 || j->runs[0].started_ms == WHEN_NONE)
    return j->read_to_end;
  /* Nothing was newer than the newest run when the job was read last. */
  int64_t newest = j->runs[0].started_ms;
  return model_span_covers(j, model_read_from(j, since_ms), until_ms < newest ? until_ms : newest);
}

bool context_colour_parse(const char *word, int *colour)
{
  static const char *const words[CONTEXT_COLOUR_COUNT] = {"none", "red", "yellow", "green", "blue"};
  for (int i = 0; i < CONTEXT_COLOUR_COUNT; i++) {
    if (strcmp(words[i], word) == 0) {
      *colour = i;
      return true;
    }
  }
  return false;
}
