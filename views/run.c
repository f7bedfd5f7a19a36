/* One run: how it stands, the whole error, its attempts as one chain, its arguments, and every member that the service gave. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/cost.h"
#include "views/answer.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/money.h"
#include "views/rows.h"

#define CHAIN_MAX 32

struct run_state_of_view {
  struct doc_text doc;
  struct subject subject;
  char *job_name;
};

static struct err run_open(struct view *v, const struct view_args *args)
{
  struct run_state_of_view *s = v->state;
  if (args->subject_count < 1 || !args->subjects[0].has_run) {
    return err_new(ERR_USAGE, "which run? :run JOB RUN_ID");
  }
  doc_init(&s->doc);
  s->subject = args->subjects[0];
  s->job_name = xstrdup(s->subject.job_name);
  s->subject.job_name = s->job_name;
  return err_ok();
}

static void run_close(struct view *v)
{
  struct run_state_of_view *s = v->state;
  doc_fini(&s->doc);
  free(s->job_name);
}

static void run_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct run_state_of_view *s = v->state;
  int context = scene_context_of(scene->model, s->subject.place);
  if (context >= 0) {
    wants_add(out, &(struct want){.kind = WANT_RUN,
                                  .urgency = WANT_ON_SCREEN,
                                  .context = context,
                                  .job = s->subject.job,
                                  /* the pool only grows: a name in it changes nothing that anybody knows */
                                  .run_id = strpool_put(scene->model->strings, s->subject.run_id),
                                  .since_ms = INT64_MIN,
                                  .until_ms = INT64_MAX});
    rows_want_runs(scene, s->subject.place, s->subject.job, WANT_BEHIND, out);
  }
}

static void add_moment(struct doc_text *d, const char *label, int64_t ms, const char *note, const struct scene *scene)
{
  struct buf text;
  if (ms == WHEN_NONE) {
    return;
  }
  buf_init(&text, 256);
  format_moment_whole(&text, ms, scene->zone);
  buf_adds(&text, "  (");
  format_ago(&text, scene->now_ms - ms);
  buf_adds(&text, " ago");
  buf_adds(&text, note);
  buf_addc(&text, ')');
  doc_field(d, label, ROLE_TEXT, text.data);
  buf_fini(&text);
}

static void add_times(struct doc_text *d, const struct scene *scene, const struct job *j, const struct run *r)
{
  const struct model *m = scene->model;
  struct buf text;
  bool guessed = false;
  enum timeout_source source = TIMEOUT_UNKNOWN;
  int64_t began = model_run_began(r, scene->now_ms, &guessed), took = rows_took_ms(r, scene->now_ms);
  int32_t limit = model_run_timeout(m, j, r, &source);
  static const char *const sources[] = {[TIMEOUT_UNKNOWN] = "",
                                        [TIMEOUT_JOB] = " by the job",
                                        [TIMEOUT_RUN] = " by the run",
                                        [TIMEOUT_DEFAULT] = " by default",
                                        [TIMEOUT_NONE] = ""};
  buf_init(&text, 256);
  add_moment(d, "accepted", r->started_ms, "", scene);
  add_moment(d, "began to cost", began, guessed ? ", guessed" : "", scene);
  add_moment(d, "completed", r->completed_ms, (r->flags & RUN_FLAG_COMPLETED_GUESSED) ? ", guessed" : "", scene);
  if (took != WHEN_NONE && r->state != RUN_WAITING) {
    format_span(&text, took);
    if (limit > 0) {
      buf_addf(&text, ", %.0f%% of its limit of ", floor((double)took / ((double)limit * (double)WHEN_MINUTE) * 100.0));
      format_minutes(&text, limit);
      buf_adds(&text, sources[source]);
    } else if (limit == 0) {
      buf_adds(&text, ", without a limit");
    }
    doc_field(d, run_finished(r) ? "took" : "running for", ROLE_TEXT, text.data);
  }
  buf_fini(&text);
}

static void add_size(struct doc_text *d, const struct scene *scene, const struct run *r)
{
  const struct model *m = scene->model;
  const char *type = model_str(m, r->worker_type);
  struct buf text;
  double dpu = model_run_dpu(m, r);
  buf_init(&text, 256);
  if (r->workers > 0 || type != NULL) {
    buf_addf(&text, "%d %s %s, ", r->workers > 0 ? r->workers : 0, text_is_ascii() ? "x" : "\u00d7",
             type != NULL ? type : "?");
  }
  format_dpu(&text, dpu);
  buf_adds(&text, " DPU");
  buf_adds(&text, (r->flags & RUN_FLAG_AUTO_SCALING) ? " at most (auto scaling)" : "");
  buf_adds(&text, r->execution_class == CLASS_FLEX ? ", FLEX" : "");
  doc_field(d, "workers", ROLE_TEXT, text.data);
  buf_fini(&text);
}

static void add_cost(struct doc_text *d, const struct scene *scene, int place, const struct job *j, const struct run *r)
{
  struct cost c = cost_of_run(scene->model, scene->prices, place, j, r, scene->now_ms);
  struct buf text;
  buf_init(&text, 256);
  format_cost(&text, &c);
  if (c.usd_basis != COST_UNKNOWN) {
    buf_addf(&text, " %s, %.4f DPU-hours %s", cost_basis_word(c.usd_basis), cost_dpu_hours(c.dpu_micros),
             cost_basis_word(c.dpu_basis));
  }
  buf_adds(&text, run_finished(r) ? "" : " so far");
  doc_field(d, "cost", ROLE_MONEY, text.data);
  buf_fini(&text);
}

struct attempt {
  const struct run *run;
};

static int compare_attempts(const void *a, const void *b)
{
  const struct attempt *x = a, *y = b;
  return x->run->attempt != y->run->attempt ? (x->run->attempt < y->run->attempt ? -1 : 1)
                                            : compare_i64(x->run->started_ms, y->run->started_ms);
}

/* All attempts of one start: by their ids, or by what they call their previous run. */
static void add_chain(struct doc_text *d, const struct scene *scene, const struct job *j, const struct run *r)
{
  const struct model *m = scene->model;
  struct attempt chain[CHAIN_MAX];
  size_t count = 0;
  for (size_t i = 0; i < j->run_count && count < CHAIN_MAX; i++) {
    if (run_same_chain(&j->runs[i], r)) {
      chain[count++].run = &j->runs[i];
    }
  }
  if (count < 2) {
    return;
  }
  qsort(chain, count, sizeof chain[0], compare_attempts);
  doc_heading(d, "Attempts");
  for (size_t i = 0; i < count; i++) {
    enum run_state state = (enum run_state)chain[i].run->state;
    char id[RUN_ID_MAX];
    struct buf text;
    const char *error = model_str(m, chain[i].run->error);
    buf_init(&text, 8192);
    buf_addf(&text, "%s %s, ", sign(format_state_sign(state)), format_state_word(m->strings, chain[i].run));
    format_moment(&text, chain[i].run->started_ms, scene->now_ms, scene->zone);
    if (rows_took_ms(chain[i].run, scene->now_ms) != WHEN_NONE) {
      buf_adds(&text, ", ");
      format_span(&text, rows_took_ms(chain[i].run, scene->now_ms));
    }
    buf_addf(&text, "  %s%s", run_id_text(chain[i].run, m->strings, id),
             run_same_id(chain[i].run, r) ? "  (this one)" : "");
    if (error != NULL) {
      buf_addf(&text, "\n%s", error);
    }
    struct buf number;
    buf_init(&number, 32);
    buf_addf(&number, "attempt %d", (int)chain[i].run->attempt);
    doc_field(d, number.data, format_state_style(state), text.data);
    buf_fini(&number);
    buf_fini(&text);
  }
}

static void add_run(struct run_state_of_view *s, const struct scene *scene, const struct job *j, const struct run *r)
{
  const struct model *m = scene->model;
  struct doc_text *d = &s->doc;
  enum run_state state = (enum run_state)r->state;
  const char *error = model_str(m, r->error), *detail = model_str(m, r->state_detail);
  struct buf text;
  buf_init(&text, 1024);
  s->subject.state = state;
  buf_addf(&text, "%s %s", sign(format_state_sign(state)), format_state_word(m->strings, r));
  if (run_finished(r) && r->completed_ms != WHEN_NONE) {
    buf_addc(&text, ' ');
    format_ago(&text, scene->now_ms - r->completed_ms);
    buf_adds(&text, " ago");
  }
  doc_text(d, 0, format_state_style(state) | STYLE_BOLD, text.data);
  if (error != NULL && error[0] != '\0') {
    doc_text(d, 2, ROLE_TEXT, error);
  }
  if (detail != NULL && detail[0] != '\0') {
    doc_text(d, 2, error != NULL ? ROLE_DIM : ROLE_TEXT, detail);
  }
  doc_blank(d);
  doc_field(d, "run", ROLE_TEXT, s->subject.run_id);
  doc_field(d, "job", ROLE_TEXT, s->job_name);
  if (m->place_count > 1) {
    doc_field(d, "account", ROLE_TEXT, rows_place_label(m, s->subject.place));
  }
  add_times(d, scene, j, r);
  add_size(d, scene, r);
  add_cost(d, scene, s->subject.place, j, r);
  doc_field(d, "Glue version", ROLE_TEXT, model_str(m, r->glue_version));
  doc_field(d, "trigger", ROLE_TEXT, model_str(m, r->trigger));
  doc_field(d, "previous run", ROLE_TEXT, model_str(m, r->previous_run_id));
  if (r->attempt > 0) {
    doc_fieldf(d, "attempt", ROLE_TEXT, "%d (an automatic retry)", (int)r->attempt);
  }
  add_chain(d, scene, j, r);
  buf_fini(&text);
}

static void run_update(struct view *v, const struct scene *scene)
{
  static const char *const skip[] = {"Arguments", "ErrorMessage", NULL};
  struct run_state_of_view *s = v->state;
  const struct model *m = scene->model;
  const struct job *j = model_job(m, s->subject.place, s->subject.job);
  const struct run *r = model_run(m, s->subject.place, s->subject.job, s->subject.run_id);
  const struct freshness *fresh = NULL;
  const struct doc_holder *holder =
      model_run_doc(m, s->subject.place, s->subject.job, strpool_find(m->strings, s->subject.run_id), &fresh);
  doc_begin(&s->doc);
  if (r != NULL && j != NULL) {
    add_run(s, scene, j, r);
  } else {
    doc_fieldf(&s->doc, "run", ROLE_TEXT, "%s", s->subject.run_id);
    doc_fieldf(&s->doc, "job", ROLE_TEXT, "%s", s->job_name);
    doc_blank(&s->doc);
    doc_text(&s->doc, 2, ROLE_DIM, holder != NULL ? "the list of runs does not have it (any more)" : "not known yet");
  }
  if (holder != NULL) {
    doc_heading(&s->doc, "Arguments given for this run (secrets masked)");
    if (answer_add_arguments(&s->doc, &holder->doc, "Arguments") == 0) {
      doc_text(&s->doc, 2, ROLE_DIM, "none: it took the job's own");
    }
    doc_heading(&s->doc, "Everything else the service said");
    answer_add_all(&s->doc, &holder->doc, skip, scene->zone);
  } else {
    doc_blank(&s->doc);
  }
  answer_add_freshness(&s->doc, holder, fresh, scene->now_ms);
}

static void run_draw(struct view *v, const struct pane *p)
{
  struct run_state_of_view *s = v->state;
  doc_draw(&s->doc, p);
}

static enum handled run_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct run_state_of_view *s = v->state;
  (void)in;
  (void)out;
  return doc_act(&s->doc, a) ? HANDLED_YES : HANDLED_NO;
}

static void run_crumb(const struct view *v, struct buf *out)
{
  const struct run_state_of_view *s = v->state;
  buf_addf(out, "%s ", s->job_name);
  format_run_short(out, s->subject.run_id);
}

static void run_caption(const struct view *v, struct buf *out)
{
  const struct run_state_of_view *s = v->state;
  doc_write_caption(&s->doc, out);
}

static bool run_subject(const struct view *v, struct subject *out)
{
  const struct run_state_of_view *s = v->state;
  *out = s->subject;
  return true;
}

static struct doc_text *run_doc(struct view *v)
{
  struct run_state_of_view *s = v->state;
  return &s->doc;
}

static bool run_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct run_state_of_view *s = v->state;
  const struct model *m = scene->model;
  const struct freshness *fresh = NULL;
  const struct doc_holder *holder =
      model_run_doc(m, s->subject.place, s->subject.job, strpool_find(m->strings, s->subject.run_id), &fresh);
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

const struct view_ops run_view = {
    .name = "run",
    .about = "One run: the whole error, its attempts, its arguments, and everything else the service said about it.",
    .holds = HOLD_DOC | HOLD_RUN | HOLD_JOB,
    .state_size = sizeof(struct run_state_of_view),
    .open = run_open,
    .close = run_close,
    .wants = run_wants,
    .update = run_update,
    .draw = run_draw,
    .input = run_input,
    .crumb = run_crumb,
    .caption = run_caption,
    .subject = run_subject,
    .doc = run_doc,
    .report = run_report,
};
