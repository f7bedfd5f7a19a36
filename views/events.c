/* Events: what happened while we looked and while nobody did, newest first. What came while the person was away stands under a line that
 * says so. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "model/error_line.h"
#include "report/sheet.h"
#include "views/format.h"
#include "views/rows.h"

struct event_row {
  struct row_key key;
  uint64_t number;
  bool line; /* not an event: the line above what came while nobody looked */
  bool away;
  size_t count, bad; /* of the line */
  struct notice notice;
  const char *place_label; /* "" where it is of no place */
};

struct events_state {
  struct list list;
  size_t count, bad;
};

/* --- columns -------------------------------------------------------------------------------------------------------- */

#define ROW const struct event_row *r = row

static unsigned severity_style(enum notice_severity severity)
{
  static const unsigned styles[] = {[NOTICE_BAD] = ROLE_BAD, [NOTICE_WARN] = ROLE_WARN, [NOTICE_GOOD] = ROLE_GOOD};
  return styles[severity];
}

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  static const enum sign signs[NOTICE_KIND_COUNT] = {
      [NOTICE_FAILED] = SIGN_FAILED,     [NOTICE_TIMED_OUT] = SIGN_FAILED, [NOTICE_COLLIDED] = SIGN_FAILED,
      [NOTICE_NEAR_TIMEOUT] = SIGN_WARN, [NOTICE_RECOVERED] = SIGN_OK,     [NOTICE_STOPPED] = SIGN_STOPPED,
      [NOTICE_LOGIN] = SIGN_WARN,        [NOTICE_BUDGET] = SIGN_WARN,
  };
  ROW;
  (void)env;
  buf_adds(out, sign(r->line ? SIGN_LINE : signs[r->notice.kind]));
}

static unsigned style_event(const void *row)
{
  ROW;
  return r->line ? ROLE_ACCENT : severity_style(r->notice.severity);
}

static void text_when(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->line) {
    for (int i = 0; i < 5; i++) {
      buf_adds(out, sign(SIGN_LINE));
    }
  } else {
    format_moment(out, r->notice.at_ms, env->now_ms, env->zone);
  }
}

static unsigned style_line(const void *row)
{
  ROW;
  return r->line ? ROLE_ACCENT : ROLE_TEXT;
}

static void text_kind(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->line) {
    for (int i = 0; i < 16; i++) {
      buf_adds(out, sign(SIGN_LINE));
    }
  } else {
    buf_adds(out, notice_kind_word(r->notice.kind));
  }
}

static void text_job(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->line) {
    buf_adds(out, "while you were away");
  } else if (r->notice.job != 0) {
    buf_adds(out, strpool_get(env->strings, r->notice.job));
  } else {
    format_nothing(out);
  }
}

static void text_place(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->place_label);
}

static void text_run(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *id = r->line || r->notice.run_id == 0 ? NULL : strpool_get(env->strings, r->notice.run_id);
  buf_adds(out, id != NULL ? id : "");
}

static void text_what(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->line) {
    buf_addf(out, "%zu event%s", r->count, r->count == 1 ? "" : "s");
    if (r->bad > 0) {
      buf_addf(out, ", %zu bad", r->bad);
    }
  } else if (r->notice.text != 0) {
    error_line(out, strpool_get(env->strings, r->notice.text));
  }
}

/* Rows come in the order of the numbers; the line stands right above the newest event that came while nobody looked. */
static int by_when(const void *a, const void *b, const struct list_env *env)
{
  const struct event_row *x = a, *y = b;
  (void)env;
  int result = compare_i64((int64_t)x->number, (int64_t)y->number);
  return result != 0 ? result : (int)x->line - (int)y->line;
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = NULL, .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style_event},
    {.title = "WHEN", .word = "when", .min = 9, .max = 16, .worth = 100, .text = text_when, .style = style_line, .compare = by_when, .big_first = true},
    {.title = "WHAT", .min = 16, .max = 16, .worth = 99, .searched = true, .text = text_kind, .style = style_event},
    {.title = "JOB", .min = 19, .max = 44, .worth = 100, .name = true, .searched = true, .text = text_job, .style = style_line},
    {.title = "ACCOUNT", .min = 10, .max = 28, .worth = 86, .searched = true, .text = text_place},
    {.title = "RUN", .min = 12, .max = 12, .worth = 50, .searched = true, .text = text_run},
    {.title = "WHY", .min = 10, .max = 400, .worth = 90, .wish = 40, .greedy = true, .searched = true, .text = text_what, .style = style_event},
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return !r->line && r->notice.severity == NOTICE_BAD;
}

static bool is_new(const void *row)
{
  ROW;
  return r->away && !r->line;
}

static const struct list_ops events_list_ops = {.row_size = sizeof(struct event_row),
                                                .columns = columns,
                                                .column_count = sizeof columns / sizeof columns[0],
                                                .fixed = 2,
                                                .problem = is_problem,
                                                .is_new = is_new};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err events_open(struct view *v, const struct view_args *args)
{
  struct events_state *s = v->state;
  (void)args;
  list_init(&s->list, &events_list_ops);
  list_set_sort(&s->list, list_find_column(&s->list, "when"), true);
  return err_ok();
}

static void events_close(struct view *v)
{
  struct events_state *s = v->state;
  list_fini(&s->list);
}

/* What is told here comes from the runs, whichever view reads them: it wants what the boards want. */
static void events_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  (void)v;
  rows_want_lists(scene, out);
}

static bool shown(const struct scene *scene, const struct notice *n)
{
  return n->place < 0 || scene_shows(scene, n->place);
}

static void add_event(struct events_state *s, const struct scene *scene, const struct notice *n)
{
  struct event_row *row = list_add(&s->list);
  row->key = row_key_of_number((int64_t)n->number);
  row->number = n->number;
  row->away = n->number > scene->away_after && n->number <= scene->away_until;
  row->notice = *n;
  row->place_label =
      n->place >= 0 && (size_t)n->place < scene->model->place_count ? rows_place_label(scene->model, n->place) : "";
  s->count++;
  s->bad += n->severity == NOTICE_BAD;
}

static void events_update(struct view *v, const struct scene *scene)
{
  struct events_state *s = v->state;
  const struct model *m = scene->model;
  const struct notices *e = &m->notices;
  size_t away = 0, bad = 0;
  uint64_t newest = 0;
  s->count = s->bad = 0;
  list_begin(&s->list, &(struct list_env){.strings = m->strings, .now_ms = scene->now_ms, .zone = scene->zone});
  list_hide(&s->list, "account", m->place_count < 2 || scene->place >= 0);
  for (size_t i = 0; i < e->count; i++) {
    const struct notice *n = &e->items[i];
    if (!shown(scene, n)) {
      continue;
    }
    add_event(s, scene, n);
    if (n->number > scene->away_after && n->number <= scene->away_until) {
      away++;
      bad += n->severity == NOTICE_BAD;
      newest = n->number;
    }
  }
  if (away > 0) {
    struct event_row *row = list_add(&s->list);
    row->key = row_key_of_number(-1);
    row->number = newest;
    row->line = true;
    row->away = true;
    row->count = away;
    row->bad = bad;
    row->place_label = "";
  }
  list_end(&s->list);
}

static void events_draw(struct view *v, const struct pane *p)
{
  struct events_state *s = v->state;
  list_draw(&s->list, p);
  rows_draw_empty(&s->list, p, "nothing has happened since the start that anybody should know of", "events");
}

static bool events_subject(const struct view *v, struct subject *out)
{
  const struct events_state *s = v->state;
  const struct event_row *r = list_current(&s->list);
  bool found = r != NULL && !r->line && r->notice.job != 0 && r->notice.place >= 0;
  if (found) {
    const char *id = r->notice.run_id != 0 ? strpool_get(s->list.env.strings, r->notice.run_id) : NULL;
    *out = (struct subject){.place = r->notice.place,
                            .job = r->notice.job,
                            .job_name = strpool_get(s->list.env.strings, r->notice.job),
                            .has_run = id != NULL && id[0] != '\0' && strlen(id) < RUN_ID_MAX,
                            .state = r->notice.kind == NOTICE_NEAR_TIMEOUT ? RUN_RUNNING : RUN_STATE_UNKNOWN};
    if (out->has_run) {
      memcpy(out->run_id, id, strlen(id) + 1);
    }
  }
  return found;
}

static enum handled events_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct events_state *s = v->state;
  struct subject subject;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    if (events_subject(v, &subject)) {
      outcome_open(out, subject.has_run ? &run_view : &job_view, &subject, 1);
    } else if (list_current(&s->list) != NULL) {
      out->action = ACTION_MESSAGES; /* of logins it says more */
    }
  } else if (!list_act(&s->list, a)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void events_caption(const struct view *v, struct buf *out)
{
  const struct events_state *s = v->state;
  if (s->count == 0) {
    buf_adds(out, "no events");
    return;
  }
  buf_addf(out, "%zu event%s", s->count, s->count == 1 ? "" : "s");
  if (s->bad > 0) {
    buf_addf(out, ", %zu bad", s->bad);
  }
  if (s->list.problems_only) {
    buf_adds(out, ", problems only");
  }
  if (s->list.filter[0] != '\0') {
    buf_addf(out, ", /%s", s->list.filter);
  }
}

static bool events_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct events_state *s = v->state;
  const struct event_row *r = list_current(&s->list);
  bool say = r != NULL && !r->line && r->notice.text != 0;
  if (say) {
    buf_addf(out, "%s ", notice_kind_word(r->notice.kind));
    format_ago(out, s->list.env.now_ms - r->notice.at_ms);
    buf_adds(out, " ago: ");
    error_line(out, strpool_get(s->list.env.strings, r->notice.text));
    *role = r->notice.severity == NOTICE_BAD ? ROLE_BAD : ROLE_WARN;
  }
  return say;
}

static struct list *events_list(struct view *v)
{
  struct events_state *s = v->state;
  return &s->list;
}

static void write_json(const struct events_state *s, const struct scene *scene, struct buf *out)
{
  struct jw w;
  jw_init(&w, out, true);
  jw_object(&w);
  jw_name(&w, "as_of");
  jw_time(&w, scene->now_ms);
  rows_write_contexts(scene->model, &w);
  jw_name(&w, "events");
  jw_array(&w);
  for (size_t i = 0; i < s->list.shown; i++) {
    const struct event_row *r = list_row(&s->list, i);
    if (!r->line) {
      notice_write_json(scene->model, &r->notice, &w);
    }
  }
  jw_end_array(&w);
  jw_end_object(&w);
  buf_addc(out, '\n');
}

static struct value cell_string(const char *text)
{
  return (struct value){.kind = text != NULL ? VALUE_STRING : VALUE_NULL, .string = text};
}

static struct value cell_time(int64_t ms)
{
  return (struct value){.kind = ms != WHEN_NONE ? VALUE_TIME : VALUE_NULL, .integer = ms};
}

static void write_csv(const struct events_state *s, const struct scene *scene, struct buf *out)
{
  static const struct sheet_column names[] = {{"at", NULL},     {"seen_at", NULL}, {"event", NULL},  {"account", NULL},
                                              {"region", NULL}, {"job", NULL},     {"run_id", NULL}, {"message", NULL}};
  struct sheet sheet;
  sheet_init(&sheet, names, sizeof names / sizeof names[0]);
  for (size_t i = 0; i < s->list.shown; i++) {
    const struct event_row *r = list_row(&s->list, i);
    const struct notice *n = &r->notice;
    const struct place *place =
        n->place >= 0 && (size_t)n->place < scene->model->place_count ? &scene->model->places[n->place] : NULL;
    if (!r->line) {
      sheet_add(&sheet, cell_time(n->at_ms));
      sheet_add(&sheet, cell_time(n->seen_ms));
      sheet_add(&sheet, cell_string(notice_kind_word(n->kind)));
      sheet_add(&sheet, cell_string(place != NULL ? place->account : NULL));
      sheet_add(&sheet, cell_string(place != NULL ? place->region : NULL));
      sheet_add(&sheet, cell_string(model_str(scene->model, n->job)));
      sheet_add(&sheet, cell_string(model_str(scene->model, n->run_id)));
      sheet_add(&sheet, cell_string(model_str(scene->model, n->text)));
    }
  }
  sheet_csv(&sheet, out);
  sheet_fini(&sheet);
}

static bool events_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct events_state *s = v->state;
  switch (format) {
  case REPORT_JSON:
    write_json(s, scene, out);
    break;
  case REPORT_CSV:
    write_csv(s, scene, out);
    break;
  case REPORT_TABLE:
    list_write_text(&s->list, 250, out);
    break;
  }
  return !out->overflow;
}

const struct view_ops events_view = {
    .name = "events",
    .about = "What happened since the start that matters: failures, timeouts, collisions, runs near their limit, "
             "recoveries, budgets, logins. Newest first.",
    .enter_label = "run",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN,
    .state_size = sizeof(struct events_state),
    .open = events_open,
    .close = events_close,
    .wants = events_wants,
    .update = events_update,
    .draw = events_draw,
    .input = events_input,
    .caption = events_caption,
    .detail = events_detail,
    .subject = events_subject,
    .list = events_list,
    .report = events_report,
};
