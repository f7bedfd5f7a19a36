/* Runs: all jobs together, and those of one job. The same rows and columns; the first names the job, the second the run. */
#include "views/view.h"

#include <stdlib.h>
#include "base/xalloc.h"
#include "views/format.h"
#include "views/rows.h"
#include "views/runs_row.h"

struct runs_state {
  struct list list;
  bool one_job;
  int place;
  strid job;
  char *job_name;
  char *trouble;
  int64_t looked_ms; /* runs accepted after that are new; WHEN_NONE: not looked yet */
  size_t failed, active;
};

/* --- the views ------------------------------------------------------------------------------------------------------ */

static struct err all_open(struct view *v, const struct view_args *args)
{
  struct runs_state *s = v->state;
  (void)args;
  list_init(&s->list, &runs_all_ops);
  list_set_sort(&s->list, list_find_column(&s->list, "started"), true);
  s->place = -1;
  s->looked_ms = WHEN_NONE;
  return err_ok();
}

static struct err one_open(struct view *v, const struct view_args *args)
{
  struct runs_state *s = v->state;
  if (args->subject_count < 1) {
    return err_new(ERR_USAGE, "which job? Try :job-runs NAME");
  }
  list_init(&s->list, &runs_one_ops);
  list_set_sort(&s->list, list_find_column(&s->list, "started"), true);
  s->one_job = true;
  s->place = args->subjects[0].place;
  s->job = args->subjects[0].job;
  s->job_name = xstrdup(args->subjects[0].job_name);
  s->looked_ms = WHEN_NONE;
  return err_ok();
}

static void runs_close(struct view *v)
{
  struct runs_state *s = v->state;
  list_fini(&s->list);
  free(s->job_name);
  free(s->trouble);
}

static void runs_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct runs_state *s = v->state;
  rows_want_lists(scene, out);
  if (s->one_job) {
    rows_want_runs(scene, s->place, s->job, WANT_ON_SCREEN, out);
  } else {
    rows_want_all_runs(scene, WANT_ON_SCREEN, out);
  }
}

static void add_runs(struct runs_state *s, const struct scene *scene, int place, const struct job *j)
{
  const struct model *m = scene->model;
  const char *label = rows_place_label(m, place);
  enum timeout_source source;
  size_t reach = model_runs_reach(j, scene->since_ms);
  for (size_t i = 0; i < reach; i++) {
    const struct run *r = &j->runs[i];
    if (run_meets(r, scene->since_ms, scene->until_ms, scene->now_ms)) {
      struct runs_row *row = list_add(&s->list);
      row->key = row_key_of_run(place, j->name, r);
      row->job = j->name;
      row->run = *r;
      row->timeout_minutes = model_run_timeout(m, j, r, &source);
      row->dpu = model_run_dpu(m, r);
      row->cost = cost_of_run(m, scene->prices, place, j, r, scene->now_ms);
      row->place_label = label;
      row->is_new = s->looked_ms != WHEN_NONE && r->started_ms > s->looked_ms;
      s->failed += format_is_failure((enum run_state)r->state);
      s->active += !run_finished(r);
    }
  }
}

/* What could not be read is never "no runs": the first error stands for all, the header counts them. */
static char *why_none_of_all(const struct scene *scene, char *otherwise)
{
  const struct model *m = scene->model;
  const struct err *first = NULL;
  size_t count = 0;
  for (size_t p = 0; p < m->place_count; p++) {
    for (size_t i = 0; scene_shows(scene, (int)p) && i < m->places[p].job_count; i++) {
      const struct err *e = &m->places[p].jobs[i].runs_fresh.last_err;
      if (err_is(e)) {
        first = first == NULL ? e : first;
        count++;
      }
    }
  }
  if (first == NULL) {
    return otherwise;
  }
  free(otherwise);
  return xasprintf("the runs of %zu %s could not be read: %s", count, count == 1 ? "job" : "jobs", err_message(first));
}

static char *why_no_runs(const struct runs_state *s, const struct scene *scene)
{
  const struct model *m = scene->model;
  char *why = rows_why_empty(scene, s->list.row_count, "runs");
  const struct job *j = s->one_job ? model_job(m, s->place, s->job) : NULL;
  if (why != NULL && !s->one_job) {
    why = why_none_of_all(scene, why);
  }
  if (why != NULL && j != NULL && err_is(&j->runs_fresh.last_err) && j->runs_fresh.fetched_ms == WHEN_NONE) {
    free(why);
    why = xasprintf("runs could not be read: %s", err_message(&j->runs_fresh.last_err));
  } else if (why != NULL && j != NULL && j->runs_fresh.fetched_ms == WHEN_NONE) {
    free(why);
    why = xasprintf("reading runs%s", sign(SIGN_MORE));
  } else if (why != NULL && j != NULL) {
    free(why);
    why = j->run_count > 0
              ? xasprintf("no run in this window of time (%zu outside of it); - makes it longer", j->run_count)
              : xstrdup("no run in this window of time; - makes it longer");
  }
  return why;
}

static void runs_update(struct view *v, const struct scene *scene)
{
  struct runs_state *s = v->state;
  const struct model *m = scene->model;
  s->failed = s->active = 0;
  list_begin(&s->list, &(struct list_env){.strings = m->strings, .now_ms = scene->now_ms, .zone = scene->zone});
  list_hide(&s->list, "account", m->place_count < 2 || scene->place >= 0);
  if (s->one_job) {
    const struct job *j = model_job(m, s->place, s->job);
    if (j != NULL) {
      add_runs(s, scene, s->place, j);
    }
  } else {
    for (size_t p = 0; p < m->place_count; p++) {
      for (size_t i = 0; scene_shows(scene, (int)p) && i < m->places[p].job_count; i++) {
        add_runs(s, scene, (int)p, &m->places[p].jobs[i]);
      }
    }
  }
  list_end(&s->list);
  if (s->looked_ms == WHEN_NONE && scene->quiet) {
    s->looked_ms = scene->now_ms; /* all that was there at first is not new */
  }
  free(s->trouble);
  s->trouble = s->list.row_count == 0 ? why_no_runs(s, scene) : NULL;
}

static void runs_draw(struct view *v, const struct pane *p)
{
  struct runs_state *s = v->state;
  list_draw(&s->list, p);
  rows_draw_empty(&s->list, p, s->trouble, "runs");
}

static void fill_subject(const struct runs_state *s, const struct runs_row *r, struct subject *out)
{
  *out = (struct subject){.place = r->key.place,
                          .job = r->job,
                          .job_name = strpool_get(s->list.env.strings, r->job),
                          .has_run = true,
                          .state = (enum run_state)r->run.state};
  run_id_text(&r->run, s->list.env.strings, out->run_id);
}

static bool runs_subject(const struct view *v, struct subject *out)
{
  const struct runs_state *s = v->state;
  const struct runs_row *r = list_current(&s->list);
  bool found = r != NULL;
  if (found) {
    fill_subject(s, r, out);
  } else if (s->one_job && s->list.env.strings != NULL) {
    /* a job without runs in the window can be started and described all the same */
    *out = (struct subject){.place = s->place, .job = s->job, .job_name = strpool_get(s->list.env.strings, s->job)};
    found = true;
  }
  return found;
}

static size_t runs_subjects(const struct view *v, struct subject **out)
{
  const struct runs_state *s = v->state;
  const void **rows = NULL;
  size_t count = list_chosen(&s->list, &rows);
  *out = xcalloc(count + 1, sizeof **out);
  for (size_t i = 0; i < count; i++) {
    fill_subject(s, rows[i], &(*out)[i]);
  }
  free(rows);
  return count;
}

static enum handled runs_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct runs_state *s = v->state;
  struct subject subject;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (s->looked_ms != WHEN_NONE && s->list.env.now_ms > s->looked_ms) {
    s->looked_ms = s->list.env.now_ms; /* somebody is looking: what is new is so from now on */
  }
  if (a == ACTION_ENTER) {
    if (list_current(&s->list) != NULL && runs_subject(v, &subject)) {
      outcome_open(out, &run_view, &subject, 1);
    }
  } else if (!list_act(&s->list, a)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void runs_crumb(const struct view *v, struct buf *out)
{
  const struct runs_state *s = v->state;
  buf_adds(out, s->one_job ? s->job_name : v->ops->name);
}

static void runs_caption(const struct view *v, struct buf *out)
{
  const struct runs_state *s = v->state;
  if (s->list.row_count == 0) {
    buf_adds(out, "no runs"); /* why is said below */
    return;
  }
  list_write_caption(&s->list, "runs", out);
  if (s->failed > 0) {
    buf_addf(out, ", %zu failed", s->failed);
  }
  if (s->active > 0) {
    buf_addf(out, ", %zu active", s->active);
  }
}

static bool runs_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct runs_state *s = v->state;
  const struct runs_row *r = list_current(&s->list);
  return r != NULL && rows_run_detail(s->list.env.strings, &r->run, s->list.env.now_ms, out, role);
}

static struct list *runs_list(struct view *v)
{
  struct runs_state *s = v->state;
  return &s->list;
}

static bool runs_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct runs_state *s = v->state;
  return rows_report(&s->list, scene, true, format, out);
}

/* clang-format off */
#define RUNS_OPS \
  .enter_label = "run", .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW, .state_size = sizeof(struct runs_state), \
  .close = runs_close, .wants = runs_wants, .update = runs_update, .draw = runs_draw, .input = runs_input, .crumb = runs_crumb, \
  .caption = runs_caption, .detail = runs_detail, .subject = runs_subject, .subjects = runs_subjects, .list = runs_list, .report = runs_report
/* clang-format on */

const struct view_ops runs_view = {
    .name = "runs",
    .about = "Runs of all jobs in the window of time, newest first. TOOK is the time since the run began to cost; USED "
             "its share of the limit.",
    .open = all_open,
    RUNS_OPS,
};

const struct view_ops job_runs_view = {
    .name = "job-runs",
    .about = "Runs of one job in the window of time, newest first. TOOK is the time since the run began to cost; USED "
             "its share of the limit.",
    .open = one_open,
    RUNS_OPS,
};
