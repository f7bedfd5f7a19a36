#include "views/rows.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/error_line.h"
#include "views/doc.h"
#include "views/format.h"

static void add_want(enum want_kind kind, enum want_urgency urgency, int context, strid job, const struct scene *s,
                     struct wants *out)
{
  wants_add(out, &(struct want){.kind = kind,
                                .urgency = urgency,
                                .context = context,
                                .job = job,
                                .run_id = 0,
                                .since_ms = s->since_ms,
                                .until_ms = s->until_ms});
}

static int context_on_show(const struct scene *s)
{
  return s->place < 0 ? -1 : scene_context_of(s->model, s->place);
}

void rows_want_lists(const struct scene *scene, struct wants *out)
{
  int context = context_on_show(scene);
  add_want(WANT_IDENTITY, WANT_ON_SCREEN, -1, 0, scene, out);
  add_want(WANT_JOBS, WANT_ON_SCREEN, context, 0, scene, out);
  add_want(WANT_TRIGGERS, WANT_BEHIND, context, 0, scene, out);
}

void rows_want_runs(const struct scene *scene, int place, strid job, enum want_urgency urgency, struct wants *out)
{
  int context = scene_context_of(scene->model, place);
  if (context >= 0) {
    add_want(WANT_RUNS, urgency, context, job, scene, out);
  }
}

void rows_want_all_runs(const struct scene *scene, enum want_urgency urgency, struct wants *out)
{
  add_want(WANT_ALL_RUNS, urgency, context_on_show(scene), 0, scene, out);
}

void rows_want_rates(const struct scene *scene, enum want_urgency urgency, struct wants *out)
{
  add_want(WANT_PRICES, urgency, context_on_show(scene), 0, scene, out);
  add_want(WANT_QUOTAS, urgency, context_on_show(scene), 0, scene, out);
}

const char *rows_place_label(const struct model *m, int place)
{
  int context = scene_context_of(m, place);
  const char *label = "";
  if (context >= 0) {
    const struct context *c = &m->contexts[context];
    label = c->label != NULL && c->label[0] != '\0' ? c->label : c->name != NULL ? c->name : c->account;
  }
  return label;
}

int64_t rows_took_ms(const struct run *r, int64_t now_ms)
{
  bool guessed = false;
  int64_t began = model_run_began(r, now_ms, &guessed), took = WHEN_NONE;
  if (began != WHEN_NONE && !guessed) {
    took = (r->completed_ms != WHEN_NONE ? r->completed_ms : now_ms) - began;
  } else if (r->started_ms != WHEN_NONE) {
    took = model_run_elapsed_ms(r, now_ms);
  }
  return took < 0 && took != WHEN_NONE ? 0 : took;
}

static void add_error(struct buf *out, const struct err *e)
{
  const struct err_detail *d = e->detail;
  buf_adds(out, err_message(e));
  if (d != NULL && d->hint != NULL) {
    buf_adds(out, "; ");
    buf_adds(out, d->hint);
  }
}

char *rows_why_empty(const struct scene *scene, size_t rows, const char *noun)
{
  const struct model *m = scene->model;
  struct buf out;
  const struct err *trouble = NULL;
  bool login = false, loaded = true;
  if (rows > 0) {
    return NULL;
  }
  buf_init(&out, 4096);
  for (size_t p = 0; p < m->place_count; p++) {
    if (scene_shows(scene, (int)p)) {
      loaded = loaded && m->places[p].jobs_fresh.fetched_ms != WHEN_NONE;
      trouble =
          trouble == NULL && err_is(&m->places[p].jobs_fresh.last_err) ? &m->places[p].jobs_fresh.last_err : trouble;
    }
  }
  for (size_t c = 0; c < m->context_count; c++) {
    login = login || m->contexts[c].needs_login;
    trouble = trouble == NULL && err_is(&m->contexts[c].identity_fresh.last_err)
                  ? &m->contexts[c].identity_fresh.last_err
                  : trouble;
  }
  if (trouble != NULL && !loaded) {
    buf_addf(&out, "%s could not be read: ", noun);
    add_error(&out, trouble);
  } else if (login) {
    buf_adds(&out, "a login is needed before anything can be read");
  } else if (!loaded || !scene->quiet) {
    buf_addf(&out, "reading %s%s", noun, sign(SIGN_MORE));
  } else {
    buf_addf(&out, "no %s here", noun);
  }
  return buf_take(&out);
}

void rows_draw_empty(const struct list *l, const struct pane *p, const char *why, const char *noun)
{
  struct buf text;
  if (l->shown > 0 || p->height < 2) {
    return;
  }
  buf_init(&text, 4096);
  if (l->row_count == 0 && why != NULL) {
    buf_adds(&text, why);
  } else if (l->filter[0] != '\0') {
    buf_addf(&text, "none of %zu %s matches \"%s\"; Esc clears the filter", l->row_count, noun, l->filter);
  } else if (l->problems_only) {
    buf_addf(&text, "no problems among %zu %s; ! shows all", l->row_count, noun);
  }
  struct pane room = pane_part(p, p->height > 3 ? 2 : 1, 2, p->height - 2 > 1 ? p->height - 2 : 1, p->width - 3);
  struct doc_text note;
  doc_init(&note);
  doc_text(&note, 0, ROLE_DIM, text.data);
  doc_draw(&note, &room);
  doc_fini(&note);
  buf_fini(&text);
}

bool rows_run_detail(const struct strpool *strings, const struct run *r, int64_t now_ms, struct buf *out,
                     enum role *role)
{
  const char *error = strpool_get(strings, r->error), *detail = strpool_get(strings, r->state_detail);
  const char *text = error != NULL && error[0] != '\0' ? error : detail;
  bool say = text != NULL && text[0] != '\0';
  if (say) {
    enum run_state s = (enum run_state)r->state;
    int64_t since = run_finished(r) && r->completed_ms != WHEN_NONE ? r->completed_ms : r->started_ms;
    buf_addf(out, "%s %s ", sign(format_state_sign(s)), format_state_word(strings, r));
    format_ago(out, now_ms - since);
    buf_adds(out, run_finished(r) ? " ago: " : ": ");
    error_line(out, text);
    *role = format_is_failure(s) ? ROLE_BAD : ROLE_WARN;
  }
  return say;
}

void rows_write_contexts(const struct model *m, struct jw *w)
{
  jw_name(w, "contexts");
  jw_array(w);
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    jw_object(w);
    jw_name(w, "profile");
    jw_str(w, c->profile);
    jw_name(w, "region");
    jw_str(w, c->region);
    jw_name(w, "account");
    jw_str(w, c->account);
    jw_name(w, "source");
    jw_str(w, c->source);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static bool find_row(const struct scene *scene, const struct row_key *key, bool runs, struct report_row *out)
{
  *out = (struct report_row){.place = key->place, .job = model_job(scene->model, key->place, key->job), .run = NULL};
  for (size_t i = 0; runs && out->job != NULL && out->run == NULL && i < out->job->run_count; i++) {
    struct row_key other = row_key_of_run(key->place, key->job, &out->job->runs[i]);
    out->run = row_key_equal(&other, key) ? &out->job->runs[i] : NULL;
  }
  return out->job != NULL && (!runs || out->run != NULL);
}

bool rows_report(const struct list *l, const struct scene *scene, bool runs, enum report_format format, struct buf *out)
{
  const struct model *m = scene->model;
  const struct report_field *fields = runs ? report_run_fields : report_job_fields;
  size_t field_count = runs ? report_run_field_count : report_job_field_count;
  int *contexts = xcalloc(m->place_count + 1, sizeof *contexts);
  struct jw w;
  for (size_t p = 0; p < m->place_count; p++) {
    contexts[p] = scene_context_of(m, (int)p);
  }
  struct report_scope scope = {.model = m,
                               .now_ms = scene->now_ms,
                               .since_ms = scene->since_ms,
                               .until_ms = scene->until_ms,
                               .zone = scene->zone,
                               .context_of_place = contexts,
                               .prices = scene->prices,
                               .stats = scene->stats};
  jw_init(&w, out, true);
  if (format == REPORT_JSON) {
    jw_object(&w);
    jw_name(&w, "as_of");
    jw_time(&w, scene->now_ms);
    rows_write_contexts(m, &w);
    jw_name(&w, runs ? "runs" : "jobs");
    jw_array(&w);
  } else if (format == REPORT_CSV) {
    report_write_csv_header(fields, field_count, out);
  } else {
    list_write_text(l, 250, out);
  }
  for (size_t i = 0; i < l->shown && format != REPORT_TABLE; i++) {
    struct report_row row;
    struct row_key key;
    memcpy(&key, list_row(l, i), sizeof key);
    if (find_row(scene, &key, runs, &row)) {
      if (format == REPORT_JSON) {
        report_write_object(&scope, &row, fields, field_count, &w);
      } else {
        report_write_csv_row(&scope, &row, fields, field_count, out);
      }
    }
  }
  if (format == REPORT_JSON) {
    jw_end_array(&w);
    jw_end_object(&w);
    buf_addc(out, '\n');
  }
  free(contexts);
  return !out->overflow;
}
