#include "model/answers.h"

#include <stdio.h>

struct visit {
  const struct model *model;
  const struct want *want;
  int context;
  answer_fn *fn;
  void *user;
};

static void tell(const struct visit *v, enum answer_state state, const struct freshness *f, const char *subject,
                 const char *name)
{
  char what[400];
  snprintf(what, sizeof what, "%s%s%s", subject, name ? " " : "", name ? name : "");
  struct answer a = {
      .kind = v->want->kind,
      .state = state,
      .context = v->context,
      .why = f && err_is(&f->last_err) ? &f->last_err : NULL,
      .what = what,
  };
  v->fn(v->user, &a);
}

static enum answer_state state_of(const struct freshness *f, bool whole)
{
  enum answer_state s = ANSWER_WHOLE;
  if (f->fetched_ms == WHEN_NONE) {
    s = ANSWER_NONE;
  } else if (err_is(&f->last_err) || !whole) {
    s = ANSWER_PARTIAL;
  }
  return s;
}

static void tell_runs(const struct visit *v, const struct job *j, const char *name)
{
  static const struct freshness never = {.fetched_ms = WHEN_NONE};
  const struct freshness *f = j ? &j->runs_fresh : &never;
  bool whole = j && model_runs_read(j, v->want->since_ms, v->want->until_ms);
  tell(v, state_of(f, whole), f, "runs of", name);
}

static void visit_all_runs(const struct visit *v, const struct place *p)
{
  if (!p->names_complete && !p->jobs_fresh.complete) {
    /* Which jobs there are is not known, so the runs of them are not either. */
    tell(v, p->job_count > 0 ? ANSWER_PARTIAL : ANSWER_NONE, &p->jobs_fresh, "runs of every job", NULL);
  }
  for (size_t i = 0; i < p->job_count; i++) {
    /* A name that only a trigger gave is no job when the service's own list is whole. */
    if (!p->jobs[i].gone && (!p->names_complete || p->jobs[i].listed_ms != WHEN_NONE)) {
      tell_runs(v, &p->jobs[i], model_str(v->model, p->jobs[i].name));
    }
  }
}

/* The list may be known by its names alone: what could not be read of single jobs is told one by one. */
static void tell_definitions(const struct visit *v, const struct place *p)
{
  for (size_t i = 0; i < p->job_count; i++) {
    const struct job *j = &p->jobs[i];
    if (!j->gone && j->listed_ms != WHEN_NONE && !j->defined && err_is(&j->definition_fresh.last_err)) {
      tell(v, ANSWER_PARTIAL, &j->definition_fresh, "definition of", model_str(v->model, j->name));
    }
  }
}

static void visit_context(const struct visit *v)
{
  const struct model *m = v->model;
  const struct context *c = &m->contexts[v->context];
  const struct place *p = &m->places[c->place];
  const struct want *w = v->want;
  const struct job *j = model_job(m, c->place, w->job);
  const char *name = model_str(m, w->job);
  switch (w->kind) {
  case WANT_IDENTITY:
    tell(v, state_of(&c->identity_fresh, c->confirmed), &c->identity_fresh, "identity", NULL);
    break;
  case WANT_JOBS:
    tell(v, state_of(&p->jobs_fresh, p->jobs_fresh.complete), &p->jobs_fresh, "jobs", NULL);
    tell_definitions(v, p);
    break;
  case WANT_TRIGGERS:
    tell(v, state_of(&p->triggers_fresh, p->triggers_fresh.complete), &p->triggers_fresh, "triggers", NULL);
    break;
  case WANT_JOB:
    tell(v, j ? state_of(&j->definition_fresh, j->definition != NULL) : ANSWER_NONE, j ? &j->definition_fresh : NULL,
         "job", name);
    break;
  case WANT_RUNS:
    tell_runs(v, j, name);
    break;
  case WANT_ALL_RUNS:
    visit_all_runs(v, p);
    break;
  case WANT_RUN: {
    const struct freshness *f = NULL;
    const struct doc_holder *doc = model_run_doc(m, c->place, w->job, w->run_id, &f);
    tell(v, f ? state_of(f, doc != NULL) : ANSWER_NONE, f, "run", model_str(m, w->run_id));
    break;
  }
  case WANT_PRICES:
  case WANT_QUOTAS:
    break; /* there are built-in ones: an answer without them is whole, and says what it rests on */
  }
}

void answers_visit(const struct model *m, const struct want *w, int64_t now_ms, answer_fn *fn, void *user)
{
  (void)now_ms;
  for (size_t i = 0; i < m->context_count; i++) {
    if ((w->context < 0 || (size_t)w->context == i) && !m->contexts[i].closed) {
      struct visit v = {.model = m, .want = w, .context = (int)i, .fn = fn, .user = user};
      visit_context(&v);
    }
  }
}
