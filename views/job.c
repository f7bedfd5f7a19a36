/* One job: its definition, arguments and triggers; and raw answers as JSON. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/slower.h"
#include "views/answer.h"
#include "views/chart.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/rows.h"

struct job_view_state {
  struct doc_text doc;
  struct subject subject;
  char *job_name;
};

static struct err job_open(struct view *v, const struct view_args *args)
{
  struct job_view_state *s = v->state;
  if (args->subject_count < 1) {
    return err_new(ERR_USAGE, "which job? :job NAME");
  }
  doc_init(&s->doc);
  s->subject = args->subjects[0];
  s->job_name = xstrdup(s->subject.job_name);
  s->subject.job_name = s->job_name;
  return err_ok();
}

static void job_close(struct view *v)
{
  struct job_view_state *s = v->state;
  doc_fini(&s->doc);
  free(s->job_name);
}

static void want(enum want_kind kind, const struct job_view_state *s, const struct scene *scene, struct wants *out)
{
  int context = scene_context_of(scene->model, s->subject.place);
  if (context >= 0) {
    wants_add(out,
              &(struct want){.kind = kind,
                             .urgency = WANT_ON_SCREEN,
                             .context = context,
                             .job = s->subject.job,
                             .run_id = kind == WANT_RUN ? strpool_put(scene->model->strings, s->subject.run_id) : 0,
                             .since_ms = INT64_MIN,
                             .until_ms = INT64_MAX});
  }
}

static void job_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct job_view_state *s = v->state;
  want(WANT_JOB, s, scene, out);
  want(WANT_TRIGGERS, s, scene, out);
  int context = scene_context_of(scene->model, s->subject.place);
  if (context >=
      0) { /* has it got slower? to whole minutes, so that not every second asks for another second of history */
    wants_add(out, &(struct want){.kind = WANT_RUNS,
                                  .urgency = WANT_ON_SCREEN,
                                  .context = context,
                                  .job = s->subject.job,
                                  .since_ms = (scene->now_ms - SLOWER_DAYS * WHEN_DAY) / WHEN_MINUTE * WHEN_MINUTE,
                                  .until_ms = INT64_MAX});
  }
}

/* --- the definition ------------------------------------------------------------------------------------------------- */

static void add_number(struct doc_text *d, const char *label, int32_t n)
{
  if (n >= 0) {
    doc_fieldf(d, label, ROLE_TEXT, "%d", n);
  }
}

/* "11m40s (26 runs of 7 days), 9m12s before (80 of 23 days): 27% slower". */
static void add_length(struct doc_text *d, const struct scene *scene, const struct job *j)
{
  struct slower s;
  struct buf text;
  unsigned style = ROLE_TEXT;
  slower_of(j, scene->now_ms, &s);
  if (s.late_runs + s.before_runs == 0) {
    return; /* nothing succeeded, or nothing was read yet */
  }
  buf_init(&text, 512);
  if (s.late_runs > 0) {
    format_span(&text, (int64_t)s.late_seconds * WHEN_SECOND);
    buf_addf(&text, " (%zu run%s of 7 days)", s.late_runs, s.late_runs == 1 ? "" : "s");
  }
  if (s.before_runs > 0) {
    buf_adds(&text, s.late_runs > 0 ? ", before " : "before ");
    format_span(&text, (int64_t)s.before_seconds * WHEN_SECOND);
    buf_addf(&text, " (%zu of 23 days)", s.before_runs);
  }
  switch (s.verdict) {
  case SLOWER_YES:
    buf_addf(&text, ": %.0f%% slower", (s.ratio - 1) * 100);
    style = ROLE_WARN;
    break;
  case SLOWER_FASTER:
    buf_addf(&text, ": %.0f%% faster", (1 - s.ratio) * 100);
    break;
  case SLOWER_NO:
    buf_adds(&text, ": no slower than before");
    break;
  case SLOWER_UNKNOWN:
    break;
  }
  buf_adds(&text, "  ");
  chart_spark_usual(&text, s.stretch_seconds, SLOWER_STRETCHES);
  buf_adds(&text, s.whole ? "" : "  (of what was read)");
  doc_field(d, "usual length", style, text.data);
  buf_fini(&text);
}

static void add_definition(struct doc_text *d, const struct scene *scene, const struct job *j)
{
  const struct model *m = scene->model;
  enum timeout_source source = TIMEOUT_UNKNOWN;
  int32_t timeout = model_job_timeout(m, j, &source);
  struct buf text;
  static const char *const bookmarks[] = {
      [BOOKMARK_ABSENT] = NULL, [BOOKMARK_ENABLE] = "on", [BOOKMARK_DISABLE] = "off", [BOOKMARK_PAUSE] = "paused"};
  buf_init(&text, 256);
  if (j->gone) {
    doc_text(d, 0, ROLE_WARN, "The service no longer lists this job; this is what was known of it.");
    doc_blank(d);
  }
  doc_field(d, "job", ROLE_TEXT, model_str(m, j->name));
  add_length(d, scene, j);
  doc_field(d, "description", ROLE_TEXT, model_str(m, j->description));
  doc_field(d, "kind", ROLE_TEXT, model_str(m, j->command_name));
  doc_field(d, "mode", ROLE_TEXT, model_str(m, j->mode));
  doc_field(d, "script", ROLE_TEXT, model_str(m, j->script_location));
  doc_field(d, "role", ROLE_TEXT, model_str(m, j->role));
  doc_field(d, "Glue version", ROLE_TEXT, model_str(m, j->glue_version));
  doc_field(d, "Python", ROLE_TEXT, model_str(m, j->python_version));
  if (j->workers > 0) {
    buf_addf(&text, "%d %s %s, ", j->workers, text_is_ascii() ? "x" : "\u00d7",
             model_str(m, j->worker_type) != NULL ? model_str(m, j->worker_type) : "?");
  }
  format_dpu(&text, model_job_dpu(m, j));
  buf_adds(&text, " DPU");
  buf_adds(&text, j->auto_scaling == TRI_TRUE ? " at most (auto scaling)" : "");
  buf_adds(&text, j->execution_class == CLASS_FLEX ? ", FLEX" : "");
  doc_field(d, "workers", ROLE_TEXT, text.data);
  buf_reset(&text);
  format_minutes(&text, timeout);
  buf_adds(&text, source == TIMEOUT_DEFAULT ? " (the service's default: nobody set it)" : "");
  doc_field(d, "timeout", ROLE_TEXT, text.data);
  doc_fieldf(d, "concurrent runs", ROLE_TEXT, "%d at most%s", j->max_concurrent_runs > 0 ? j->max_concurrent_runs : 1,
             j->queuing == TRI_TRUE ? ", more wait in the queue" : "");
  add_number(d, "retries", j->max_retries);
  doc_field(d, "bookmark", ROLE_TEXT, bookmarks[j->bookmark]);
  doc_field(d, "security", ROLE_TEXT, model_str(m, j->security_configuration));
  doc_field(d, "maintenance", ROLE_TEXT, model_str(m, j->maintenance_window));
  add_number(d, "notify after (min)", j->notify_delay_minutes);
  buf_reset(&text);
  if (j->modified_ms != WHEN_NONE) {
    format_moment_whole(&text, j->modified_ms, scene->zone);
    doc_field(d, "modified", ROLE_TEXT, text.data);
  }
  buf_fini(&text);
}

/* --- triggers ------------------------------------------------------------------------------------------------------- */

static bool starts(const struct trigger *t, strid job)
{
  bool does = false;
  for (size_t i = 0; i < t->action_count; i++) {
    does = does || t->actions[i].job == job;
  }
  return does;
}

static bool waits_for(const struct trigger *t, strid job)
{
  bool does = false;
  for (size_t i = 0; i < t->condition_count; i++) {
    does = does || t->conditions[i].job == job;
  }
  return does;
}

static void add_trigger(struct doc_text *d, const struct model *m, const struct trigger *t)
{
  struct buf text;
  const char *state = model_str(m, t->state), *schedule = model_str(m, t->schedule), *type = model_str(m, t->type);
  bool active = state != NULL && strcmp(state, "ACTIVATED") == 0;
  buf_init(&text, 8192);
  buf_adds(&text, type != NULL ? type : "?");
  if (schedule != NULL) {
    buf_addf(&text, " %s UTC", schedule);
  }
  for (size_t i = 0; i < t->condition_count; i++) {
    const char *job = model_str(m, t->conditions[i].job), *crawler = model_str(m, t->conditions[i].crawler);
    const char *wanted =
        model_str(m, t->conditions[i].job != 0 ? t->conditions[i].state : t->conditions[i].crawl_state);
    buf_addf(&text, "%s%s is %s",
             i == 0   ? " when "
             : t->any ? " or "
                      : " and ",
             job != NULL       ? job
             : crawler != NULL ? crawler
                               : "?",
             wanted != NULL ? wanted : "?");
  }
  for (size_t i = 0; i < t->action_count; i++) {
    const char *job = model_str(m, t->actions[i].job), *crawler = model_str(m, t->actions[i].crawler);
    buf_addf(&text, "%s%s", i == 0 ? ", starts " : ", ", job != NULL ? job : crawler != NULL ? crawler : "?");
  }
  if (!active) {
    buf_addf(&text, "  (%s: it does not fire)", state != NULL ? state : "?");
  }
  doc_field(d, model_str(m, t->name) != NULL ? model_str(m, t->name) : "?", active ? ROLE_TEXT : ROLE_DIM, text.data);
  buf_fini(&text);
}

static void add_triggers(struct doc_text *d, const struct scene *scene, int place_index, strid job)
{
  const struct place *place = &scene->model->places[place_index];
  size_t count = 0;
  doc_heading(d, "Triggers that start it");
  for (size_t i = 0; i < place->trigger_count; i++) {
    if (starts(&place->triggers[i], job)) {
      add_trigger(d, scene->model, &place->triggers[i]);
      count++;
    }
  }
  if (err_is(&place->triggers_fresh.last_err)) {
    char *text = xasprintf("triggers could not be read: %s", err_message(&place->triggers_fresh.last_err));
    doc_text(d, 2, ROLE_WARN, text);
    free(text);
  } else if (place->triggers_fresh.fetched_ms == WHEN_NONE) {
    doc_text(d, 2, ROLE_DIM, "not read yet");
  } else if (count == 0) {
    doc_text(d, 2, ROLE_DIM, "none");
  }
  count = 0;
  for (size_t i = 0; i < place->trigger_count; i++) {
    if (waits_for(&place->triggers[i], job)) {
      if (count++ == 0) {
        doc_heading(d, "Triggers that wait for it");
      }
      add_trigger(d, scene->model, &place->triggers[i]);
    }
  }
}

static void job_update(struct view *v, const struct scene *scene)
{
  static const char *const skip[] = {"DefaultArguments", "NonOverridableArguments", "CodeGenConfigurationNodes", NULL};
  struct job_view_state *s = v->state;
  struct doc_text *d = &s->doc;
  const struct job *j = model_job(scene->model, s->subject.place, s->subject.job);
  doc_begin(d);
  if (j == NULL) {
    doc_field(d, "job", ROLE_TEXT, s->job_name);
    doc_text(d, 2, ROLE_WARN, "This job is not known (any more).");
    return;
  }
  if (j->defined) {
    add_definition(d, scene, j);
  } else {
    doc_field(d, "job", ROLE_TEXT, s->job_name);
    doc_text(d, 2, ROLE_DIM, "known by its runs only: the service has not told its definition");
  }
  if (j->definition != NULL) {
    doc_heading(d, "Arguments (secrets masked)");
    if (answer_add_arguments(d, &j->definition->doc, "DefaultArguments") == 0) {
      doc_text(d, 2, ROLE_DIM, "none");
    }
    if (answer_find(&j->definition->doc, "NonOverridableArguments") >= 0) {
      doc_heading(d, "Arguments that no run can change");
      answer_add_arguments(d, &j->definition->doc, "NonOverridableArguments");
    }
  }
  add_triggers(d, scene, s->subject.place, s->subject.job);
  if (j->definition != NULL) {
    doc_heading(d, "Everything else the service said");
    answer_add_all(d, &j->definition->doc, skip, scene->zone);
  } else {
    doc_blank(d);
  }
  answer_add_freshness(d, j->definition, &j->definition_fresh, scene->now_ms);
}

static void job_draw(struct view *v, const struct pane *p)
{
  struct job_view_state *s = v->state;
  doc_draw(&s->doc, p);
}

static enum handled job_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct job_view_state *s = v->state;
  (void)in;
  (void)out;
  return doc_act(&s->doc, a) ? HANDLED_YES : HANDLED_NO;
}

static void job_crumb(const struct view *v, struct buf *out)
{
  const struct job_view_state *s = v->state;
  buf_addf(out, "%s %s", v->ops->name, s->job_name);
}

static void job_caption(const struct view *v, struct buf *out)
{
  const struct job_view_state *s = v->state;
  doc_write_caption(&s->doc, out);
}

static bool job_subject(const struct view *v, struct subject *out)
{
  const struct job_view_state *s = v->state;
  *out = s->subject;
  return true;
}

static struct doc_text *job_doc(struct view *v)
{
  struct job_view_state *s = v->state;
  return &s->doc;
}

static const struct doc_holder *holder_of(const struct job_view_state *s, const struct model *m,
                                          const struct freshness **fresh)
{
  const struct doc_holder *holder = NULL;
  const struct job *j = model_job(m, s->subject.place, s->subject.job);
  *fresh = NULL;
  if (s->subject.has_run) {
    holder = model_run_doc(m, s->subject.place, s->subject.job, strpool_find(m->strings, s->subject.run_id), fresh);
  } else if (j != NULL) {
    holder = j->definition;
    *fresh = &j->definition_fresh;
  }
  return holder;
}

static bool job_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct job_view_state *s = v->state;
  const struct freshness *fresh = NULL;
  const struct doc_holder *holder = holder_of(s, scene->model, &fresh);
  bool can = format == REPORT_TABLE || (format == REPORT_JSON && holder != NULL);
  if (can && format == REPORT_JSON) {
    struct jw w;
    jw_init(&w, out, true);
    report_write_doc(&holder->doc, &w);
    buf_addc(out, '\n');
  } else if (can) {
    doc_write_text(&s->doc, out);
  }
  return can;
}

const struct view_ops job_view = {
    .name = "job",
    .about = "One job: its definition, its arguments, the triggers that start it and those that wait for it.",
    .holds = HOLD_DOC | HOLD_JOB,
    .state_size = sizeof(struct job_view_state),
    .open = job_open,
    .close = job_close,
    .wants = job_wants,
    .update = job_update,
    .draw = job_draw,
    .input = job_input,
    .crumb = job_crumb,
    .caption = job_caption,
    .subject = job_subject,
    .doc = job_doc,
    .report = job_report,
};

/* --- the raw answer ------------------------------------------------------------------------------------------------- */

static void raw_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct job_view_state *s = v->state;
  want(s->subject.has_run ? WANT_RUN : WANT_JOB, s, scene, out);
}

static void raw_update(struct view *v, const struct scene *scene)
{
  struct job_view_state *s = v->state;
  const struct freshness *fresh = NULL;
  const struct doc_holder *holder = holder_of(s, scene->model, &fresh);
  doc_begin(&s->doc);
  answer_add_freshness(&s->doc, holder, fresh, scene->now_ms);
  if (holder != NULL) {
    answer_add_json(&s->doc, &holder->doc);
  }
}

static void raw_crumb(const struct view *v, struct buf *out)
{
  const struct job_view_state *s = v->state;
  buf_adds(out, s->subject.has_run ? "JSON of the run" : "JSON of the job");
}

const struct view_ops raw_view = {
    .name = "json",
    .about = "The service's own answer, secrets masked.",
    .holds = HOLD_DOC | HOLD_JOB,
    .state_size = sizeof(struct job_view_state),
    .open = job_open,
    .close = job_close,
    .wants = raw_wants,
    .update = raw_update,
    .draw = job_draw,
    .input = job_input,
    .crumb = raw_crumb,
    .caption = job_caption,
    .subject = job_subject,
    .doc = job_doc,
    .report = job_report,
};
