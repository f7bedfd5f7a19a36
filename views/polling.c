/* Polling: how the asking stands. Above, for each place, the budget and what it came to; below, what is asked now and next, when and why.
 * Drawn by its own clock: the figures change all the time, and the model does not count that as a change. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/error_line.h"
#include "views/format.h"
#include "views/rows.h"

#define STEP_MS   (2 * WHEN_SECOND)
#define HEADS_MAX 24

struct polling_line {
  struct row_key key;
  size_t order; /* as the app gave them: in flight first, then by when they are due */
  int place;
  const char *place_label;
  struct polling_row row;
  char trouble[160]; /* why the last try failed; "" */
};

struct head {
  char *text;
  enum role role;
};

struct polling_state {
  struct list list;
  struct head heads[HEADS_MAX];
  size_t head_count;
  bool written; /* the app has told something */
};

/* --- columns -------------------------------------------------------------------------------------------------------- */

#define ROW const struct polling_line *r = row

static void text_when(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->row.in_flight) {
    buf_adds(out, "asking");
  } else if (r->row.due_ms == INT64_MAX) {
    buf_adds(out, "by hand");
  } else if (r->row.due_ms <= env->now_ms) {
    buf_adds(out, "at once");
  } else {
    buf_adds(out, "in ");
    format_span(out, r->row.due_ms - env->now_ms);
  }
}

static unsigned style_when(const void *row)
{
  ROW;
  return r->row.in_flight ? ROLE_RUNNING : ROLE_TEXT;
}

static void text_what(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->row.what);
}

static void text_job(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *name = r->row.job != 0 ? strpool_get(env->strings, r->row.job) : NULL;
  if (name != NULL) {
    buf_adds(out, name);
  } else {
    format_nothing(out);
  }
}

static void text_why(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->row.why);
}

static void text_known(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->row.fetched_ms == WHEN_NONE) {
    buf_adds(out, "?");
  } else {
    format_ago(out, env->now_ms - r->row.fetched_ms);
  }
}

static unsigned style_dim(const void *row)
{
  (void)row;
  return ROLE_DIM;
}

static void text_place(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->place_label);
}

static void text_trouble(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->trouble);
}

static unsigned style_trouble(const void *row)
{
  (void)row;
  return ROLE_WARN;
}

#define PAIR const struct polling_line *x = a, *y = b

static int by_when(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_i64((int64_t)x->order, (int64_t)y->order);
}

static int by_job(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  return compare_pooled(env->strings, x->row.job, y->row.job);
}

static int by_known(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_i64(x->row.fetched_ms, y->row.fetched_ms);
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = "WHEN", .word = "when", .min = 8, .max = 12, .worth = 100, .text = text_when, .style = style_when, .compare = by_when},
    {.title = "CALL", .min = 10, .max = 14, .worth = 99, .searched = true, .text = text_what},
    {.title = "JOB", .word = "job", .min = 16, .max = 44, .worth = 100, .name = true, .searched = true, .text = text_job, .compare = by_job},
    {.title = "WHY", .min = 12, .max = 24, .worth = 98, .searched = true, .text = text_why, .style = style_dim},
    {.title = "AGE", .word = "age", .min = 4, .max = 5, .worth = 97, .align = TEXT_RIGHT, .text = text_known, .compare = by_known},
    {.title = "ACCOUNT", .min = 10, .max = 28, .worth = 86, .searched = true, .text = text_place},
    {.title = "LAST ERROR", .min = 10, .max = 160, .worth = 90, .wish = 30, .greedy = true, .searched = true, .text = text_trouble, .style = style_trouble},
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->row.failing;
}

static const struct list_ops polling_list_ops = {.row_size = sizeof(struct polling_line),
                                                 .columns = columns,
                                                 .column_count = sizeof columns / sizeof columns[0],
                                                 .fixed = 1,
                                                 .problem = is_problem};

/* --- what stands above ---------------------------------------------------------------------------------------------- */

static void drop_heads(struct polling_state *s)
{
  for (size_t i = 0; i < s->head_count; i++) {
    free(s->heads[i].text);
  }
  s->head_count = 0;
}

static void add_head(struct polling_state *s, enum role role, struct buf *text)
{
  if (s->head_count < HEADS_MAX) {
    s->heads[s->head_count++] = (struct head){.text = xstrdup(text->data), .role = role};
  }
  buf_reset(text);
}

static void add_count(struct buf *out, uint64_t n)
{
  format_count(out, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static void add_budget(const struct polling_place *p, struct buf *out)
{
  buf_addf(out, "%.1f requests/s, ", (double)p->last_minute / 60.0);
  if (isfinite(p->limit)) {
    buf_addf(out, "limit %.1f/s", p->limit);
  } else {
    buf_adds(out, "no limit met");
  }
  if (p->fixed_limit > 0) {
    buf_addf(out, " (at most %.1f/s by configuration)", p->fixed_limit);
  }
  buf_adds(out, "; ");
  add_count(out, p->last_minute);
  buf_addf(out, " in the last minute, %u in flight", p->in_flight);
}

static void add_sums(const struct polling_place *p, int64_t now_ms, struct buf *out)
{
  add_count(out, p->sent);
  buf_adds(out, " sent, ");
  add_count(out, p->throttled);
  buf_adds(out, " throttled");
  if (p->sent > 0 && p->throttled > 0) {
    buf_addf(out, " (%.1f%%)", 100.0 * (double)p->throttled / (double)p->sent);
  }
  buf_adds(out, "; jobs: ");
  add_count(out, p->jobs_read);
  buf_adds(out, " of ");
  add_count(out, p->jobs);
  buf_adds(out, " read");
  if (p->jobs_failing > 0) {
    buf_addf(out, ", %zu failing", p->jobs_failing);
  }
  if (p->oldest_ms != WHEN_NONE) {
    buf_adds(out, ", the oldest answer ");
    format_ago(out, now_ms - p->oldest_ms);
    buf_adds(out, " old");
  }
}

static void add_store(const struct polling *p, struct buf *out)
{
  if (!p->store_usable) {
    buf_adds(out, "store: none; nothing is kept for the next start");
    return;
  }
  buf_adds(out, p->store_writable ? "store: kept; " : "store: read only, nothing new is kept; ");
  add_count(out, p->store_runs_painted);
  buf_adds(out, " runs painted from it, ");
  add_count(out, p->store_blocks_written);
  buf_adds(out, " blocks written");
  if (p->store_busy > 0) {
    buf_adds(out, ", ");
    add_count(out, p->store_busy);
    buf_adds(out, " times busy");
  }
}

/* --- what failed last ------------------------------------------------------------------------------------------------ */

/* Whose freshness knows how the call went. */
static const struct freshness *fresh_of(const struct model *m, int place, const struct polling_row *row)
{
  const struct freshness *found = NULL;
  if (place < 0 || (size_t)place >= m->place_count) {
    return NULL;
  }
  if (row->job != 0) {
    const struct job *j = model_job(m, place, row->job);
    found = j != NULL ? &j->runs_fresh : NULL;
  } else {
    found = strcmp(row->what, "GetTriggers") == 0 ? &m->places[place].triggers_fresh : &m->places[place].jobs_fresh;
  }
  return found;
}

static void say_trouble(const struct model *m, int place, struct polling_line *line)
{
  const struct freshness *f = fresh_of(m, place, &line->row);
  if (f != NULL && err_is(&f->last_err)) {
    struct buf text;
    int used = 0;
    buf_init(&text, 8192);
    buf_addf(&text, "%s: ", err_kind_name(f->last_err.kind));
    error_line(&text, err_message(&f->last_err));
    char *clean = text_clean_dup(text.data, TEXT_LINE);
    size_t len = text_fit(clean, (int)sizeof line->trouble / 2, &used);
    len = len < sizeof line->trouble ? len : sizeof line->trouble - 1;
    memcpy(line->trouble, clean, len);
    line->trouble[len] = '\0';
    free(clean);
    buf_fini(&text);
  }
}

static void add_last_error(const struct scene *scene, int place, struct buf *out)
{
  const struct model *m = scene->model;
  const struct problem *last = NULL;
  for (size_t i = 0; i < m->problem_count; i++) {
    int context = m->problems[i].context;
    if (context >= 0 && (size_t)context < m->context_count && m->contexts[context].place == place) {
      last = &m->problems[i];
    }
  }
  if (last != NULL) {
    buf_adds(out, "last error ");
    format_ago(out, scene->now_ms - last->at_ms);
    buf_addf(out, " ago: %s%s", last->what != NULL ? last->what : "", last->what != NULL ? ": " : "");
    error_line(out, last->message != NULL ? last->message : err_kind_name(last->kind));
  }
}

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err polling_open(struct view *v, const struct view_args *args)
{
  struct polling_state *s = v->state;
  (void)args;
  list_init(&s->list, &polling_list_ops);
  list_set_sort(&s->list, list_find_column(&s->list, "when"), false);
  return err_ok();
}

static void polling_close(struct view *v)
{
  struct polling_state *s = v->state;
  drop_heads(s);
  list_fini(&s->list);
}

static void add_line(struct polling_state *s, const struct model *m, const struct polling_place *p, size_t i)
{
  struct polling_line *line = list_add(&s->list);
  const struct polling_row *row = &p->rows[i];
  line->key = row->job != 0 ? row_key_of_job(p->place, row->job)
                            : row_key_of_number((int64_t)p->place * 256 + (unsigned char)row->what[3]);
  line->order = s->list.row_count;
  line->place = p->place;
  line->place_label = rows_place_label(m, p->place);
  line->row = *row;
  if (line->row.failing) {
    say_trouble(m, p->place, line);
  }
}

static void polling_update(struct view *v, const struct scene *scene)
{
  struct polling_state *s = v->state;
  const struct model *m = scene->model;
  const struct polling *p = &m->polling;
  struct buf text;
  buf_init(&text, 8192);
  drop_heads(s);
  s->written = p->at_ms != WHEN_NONE && p->place_count > 0;
  list_begin(&s->list, &(struct list_env){.strings = m->strings, .now_ms = scene->now_ms, .zone = scene->zone});
  list_hide(&s->list, "account", m->place_count < 2 || scene->place >= 0);
  for (size_t i = 0; i < p->place_count; i++) {
    const struct polling_place *place = &p->places[i];
    if (place->place < 0 || (size_t)place->place >= m->place_count || !scene_shows(scene, place->place)) {
      continue;
    }
    buf_adds(&text, rows_place_label(m, place->place));
    add_head(s, ROLE_HEADING, &text);
    if (place->context < 0) {
      buf_adds(&text, "nobody is logged in, so nothing is asked (:login)");
      add_head(s, ROLE_BAD, &text);
    }
    add_budget(place, &text);
    add_head(s, ROLE_TEXT, &text);
    add_sums(place, scene->now_ms, &text);
    add_head(s, place->throttled > 0 || place->jobs_failing > 0 ? ROLE_WARN : ROLE_TEXT, &text);
    add_last_error(scene, place->place, &text);
    if (text.len > 0) {
      add_head(s, ROLE_WARN, &text);
    }
    for (size_t k = 0; k < place->row_count; k++) {
      add_line(s, m, place, k);
    }
  }
  if (s->written) {
    add_store(p, &text);
    add_head(s, p->store_usable && p->store_writable ? ROLE_DIM : ROLE_WARN, &text);
  }
  list_end(&s->list);
  buf_fini(&text);
}

static void polling_draw(struct view *v, const struct pane *p)
{
  struct polling_state *s = v->state;
  /* in a low window the list keeps some lines whatever there is to say above it */
  int most = p->height - 4 > 0 ? p->height - 4 : 0, lines = (int)s->head_count < most ? (int)s->head_count : most;
  for (int i = 0; i < lines; i++) {
    int indent = s->heads[i].role == ROLE_HEADING ? 1 : 3;
    pane_field(p, i, indent, p->width - indent - 1, s->heads[i].role, TEXT_LEFT, s->heads[i].text);
  }
  struct pane rest = pane_part(p, lines, 0, p->height - lines, p->width);
  list_draw(&s->list, &rest);
  rows_draw_empty(&s->list, &rest, s->written ? "nothing is asked now" : "nothing has been asked yet", "calls");
}

static bool polling_subject(const struct view *v, struct subject *out)
{
  const struct polling_state *s = v->state;
  const struct polling_line *r = list_current(&s->list);
  bool found = r != NULL && r->row.job != 0;
  if (found) {
    *out = (struct subject){
        .place = r->place, .job = r->row.job, .job_name = strpool_get(s->list.env.strings, r->row.job)};
  }
  return found;
}

static enum handled polling_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct polling_state *s = v->state;
  struct subject subject;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    if (polling_subject(v, &subject)) {
      outcome_open(out, &job_runs_view, &subject, 1);
    }
  } else if (!list_act(&s->list, a)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void polling_caption(const struct view *v, struct buf *out)
{
  const struct polling_state *s = v->state;
  if (s->list.row_count == 0) {
    buf_adds(out, "no calls");
  } else {
    list_write_caption(&s->list, "calls", out);
  }
}

static bool polling_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct polling_state *s = v->state;
  const struct polling_line *r = list_current(&s->list);
  bool say = r != NULL && r->trouble[0] != '\0';
  if (say) {
    buf_addf(out, "%s %s: %s", sign(SIGN_WARN), r->row.what, r->trouble);
    *role = ROLE_WARN;
  }
  return say;
}

static struct list *polling_list(struct view *v)
{
  struct polling_state *s = v->state;
  return &s->list;
}

static bool polling_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct polling_state *s = v->state;
  (void)scene;
  if (format != REPORT_TABLE) {
    return false;
  }
  for (size_t i = 0; i < s->head_count; i++) {
    text_clean(out, s->heads[i].text, strlen(s->heads[i].text), TEXT_LINE);
    buf_addc(out, '\n');
  }
  buf_addc(out, '\n');
  list_write_text(&s->list, 200, out);
  return !out->overflow;
}

const struct view_ops polling_view = {
    .name = "polling",
    .about = "How the asking stands: rate and limit of each account, and what is asked next, when and why.",
    .enter_label = "runs",
    .holds = HOLD_LIST | HOLD_JOB,
    .state_size = sizeof(struct polling_state),
    .step_ms = STEP_MS,
    .open = polling_open,
    .close = polling_close,
    .update = polling_update,
    .draw = polling_draw,
    .input = polling_input,
    .caption = polling_caption,
    .detail = polling_detail,
    .subject = polling_subject,
    .list = polling_list,
    .report = polling_report,
};
