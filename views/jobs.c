/* All jobs: how each does now, how it did lately, how long it takes, what it takes. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/cost.h"
#include "views/format.h"
#include "views/job_sums.h"
#include "views/money.h"
#include "views/rows.h"

struct jobs_row {
  struct row_key key;
  strid name;
  struct run last; /* has_last */
  bool has_last, asked, failed_to_read, gone, defined;
  uint8_t outcomes[JOB_SUM_OUTCOMES]; /* enum run_state, newest first */
  uint8_t outcome_count;
  uint8_t type;
  int64_t typical_ms; /* median of the successful runs known; WHEN_NONE */
  int32_t workers;
  strid worker_type, version;
  double dpu;
  int32_t runs, failed; /* in the window */
  int64_t next_ms;      /* planned start; WHEN_NONE: none */
  struct cost_sum cost; /* in the window */
  const char *place_label;
};

struct jobs_state {
  struct list list;
  size_t read, total; /* jobs whose runs were read */
  char *trouble;      /* why there is nothing to see */
  struct job_sums sums;
};

/* --- columns -------------------------------------------------------------------------------------------------------- */

#define ROW const struct jobs_row *r = row

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->has_last ? sign(format_state_sign((enum run_state)r->last.state)) : " ");
}

static unsigned style_state(const void *row)
{
  ROW;
  return r->has_last ? format_state_style((enum run_state)r->last.state) : ROLE_DIM;
}

static unsigned style_name(const void *row)
{
  ROW;
  return r->gone ? ROLE_DIM : ROLE_TEXT;
}

static void text_name(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  buf_adds(out, strpool_get(env->strings, r->name));
}

static void text_last(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->gone) {
    buf_adds(out, "gone");
  } else if (r->has_last) {
    buf_adds(out, format_state_word(env->strings, &r->last));
    buf_addc(out, ' ');
    format_ago(out, run_finished(&r->last) && r->last.completed_ms != WHEN_NONE ? env->now_ms - r->last.completed_ms
                                                                                : env->now_ms - r->last.started_ms);
  } else if (r->failed_to_read) {
    buf_adds(out, "not readable");
  } else if (r->asked) {
    buf_adds(out, "never ran");
  } else {
    format_nothing(out);
  }
}

static void text_outcomes(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  for (int i = 0; i < JOB_SUM_OUTCOMES - r->outcome_count; i++) {
    buf_addc(out, ' ');
  }
  for (int i = r->outcome_count; i > 0; i--) {
    buf_adds(out, sign(format_state_sign((enum run_state)r->outcomes[i - 1])));
  }
}

static void text_typical(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->typical_ms == WHEN_NONE) {
    format_nothing(out);
  } else {
    format_span(out, r->typical_ms);
  }
}

static void text_dpu(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->defined) {
    format_dpu(out, r->dpu);
  } else {
    format_nothing(out);
  }
}

static void text_workers(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *type = strpool_get(env->strings, r->worker_type);
  if (r->workers > 0) {
    buf_addf(out, "%d", r->workers);
    buf_adds(out, text_is_ascii() ? "x" : "\u00d7");
    buf_adds(out, type != NULL ? type : "?");
  } else if (type != NULL) {
    buf_adds(out, type);
  } else {
    format_nothing(out);
  }
}

static void text_version(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *version = strpool_get(env->strings, r->version);
  if (version != NULL) {
    buf_adds(out, version);
  } else {
    format_nothing(out);
  }
}

static void text_type(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  static const char *const words[] = {[JOB_TYPE_OTHER] = "other",
                                      [JOB_SPARK] = "spark",
                                      [JOB_STREAMING] = "stream",
                                      [JOB_PYTHON_SHELL] = "python",
                                      [JOB_RAY] = "ray"};
  (void)env;
  if (r->defined) {
    buf_adds(out, words[r->type]);
  } else {
    format_nothing(out);
  }
}

static void text_number(int32_t n, struct buf *out)
{
  if (n == 0) {
    format_nothing(out);
  } else {
    format_count(out, n);
  }
}

static void text_runs(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  text_number(r->runs, out);
}

static void text_failed(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  text_number(r->failed, out);
}

static unsigned style_failed(const void *row)
{
  ROW;
  return r->failed > 0 ? ROLE_BAD : ROLE_TEXT;
}

static void text_next(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  int64_t away = r->next_ms == WHEN_NONE ? 0 : r->next_ms - env->now_ms;
  if (r->next_ms == WHEN_NONE || r->gone) {
    format_nothing(out);
  } else {
    char text[WHEN_TEXT_MAX];
    enum when_style style = when_day_start(r->next_ms, env->zone) == when_day_start(env->now_ms, env->zone) ? WHEN_HM
                            : away < 6 * WHEN_DAY ? WHEN_DAY_HM
                                                  : WHEN_DATE;
    buf_adds(out, when_format(r->next_ms, env->zone, style, text));
  }
}

static void text_cost(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_cost_sum(out, &r->cost);
}

static void text_place(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->place_label != NULL ? r->place_label : "");
}

static int by_name(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  return compare_pooled(env->strings, x->name, y->name);
}

/* Trouble first, then what runs, then the rest by its age. */
static int by_last(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  int64_t p = x->has_last ? x->last.started_ms : INT64_MIN, q = y->has_last ? y->last.started_ms : INT64_MIN;
  (void)env;
  return compare_i64(p, q);
}

static int rank(const struct jobs_row *r)
{
  int rank = 0;
  if (r->has_last) {
    enum run_state s = (enum run_state)r->last.state;
    rank = format_is_failure(s) ? 4 : s == RUN_WAITING || s == RUN_STOPPING ? 3 : !run_finished(&r->last) ? 2 : 1;
  }
  return rank;
}

static int by_state(const void *a, const void *b, const struct list_env *env)
{
  int result = compare_i64(rank(a), rank(b));
  return result != 0 ? result : by_last(a, b, env);
}

static int by_typical(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->typical_ms, y->typical_ms);
}

static int by_dpu(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_f64(x->dpu, y->dpu);
}

/* What starts first is the smallest; what never starts by itself comes behind all that does. */
static int by_next(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->next_ms == WHEN_NONE ? INT64_MAX : x->next_ms,
                     y->next_ms == WHEN_NONE ? INT64_MAX : y->next_ms);
}

static int by_cost(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(cost_sum_nano(&x->cost), cost_sum_nano(&y->cost));
}

static int by_place(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  int result = compare_i64(x->key.place, y->key.place);
  return result != 0 ? result : by_name(a, b, env);
}

static int by_version(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  return compare_pooled(env->strings, x->version, y->version);
}

static int by_type(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->type, y->type);
}

static int by_runs(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->runs, y->runs);
}

static int by_failed(const void *a, const void *b, const struct list_env *env)
{
  const struct jobs_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->failed, y->failed);
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = NULL, .word = "state", .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style_state, .compare = by_state, .big_first = true},
    {.title = "JOB", .word = "job", .min = 20, .max = 48, .worth = 100, .name = true, .searched = true, .text = text_name, .style = style_name, .compare = by_name},
    {.title = "LAST", .word = "last", .min = 13, .max = 13, .worth = 99, .searched = true, .text = text_last, .style = style_state, .compare = by_last, .big_first = true},
    {.title = "OUTCOMES", .min = JOB_SUM_OUTCOMES, .max = JOB_SUM_OUTCOMES, .worth = 98, .text = text_outcomes},
    {.title = "NEXT", .word = "next", .min = 9, .max = 10, .worth = 91, .text = text_next, .compare = by_next},
    {.title = "TYPICAL", .word = "typical", .min = 7, .max = 7, .worth = 96, .align = TEXT_RIGHT, .text = text_typical, .compare = by_typical, .big_first = true},
    {.title = "DPU", .word = "dpu", .min = 6, .max = 6, .worth = 94, .align = TEXT_RIGHT, .text = text_dpu, .compare = by_dpu, .big_first = true},
    {.title = "RUNS", .word = "runs", .min = 4, .max = 6, .worth = 90, .align = TEXT_RIGHT, .text = text_runs, .compare = by_runs, .big_first = true},
    {.title = "FAIL", .word = "failed", .min = 4, .max = 4, .worth = 92, .align = TEXT_RIGHT, .text = text_failed, .style = style_failed, .compare = by_failed, .big_first = true},
    {.title = "USD", .word = "usd", .min = 8, .max = 9, .worth = 93, .align = TEXT_RIGHT, .text = text_cost, .compare = by_cost, .big_first = true},
    {.title = "VER", .word = "version", .min = 4, .max = 4, .worth = 80, .align = TEXT_RIGHT, .text = text_version, .compare = by_version, .searched = true},
    {.title = "WORKERS", .word = NULL, .min = 9, .max = 11, .worth = 70, .align = TEXT_LEFT, .text = text_workers, .searched = true},
    {.title = "TYPE", .word = "type", .min = 6, .max = 6, .worth = 60, .text = text_type, .compare = by_type, .searched = true},
    {.title = "ACCOUNT", .word = "account", .compare = by_place, .min = 10, .max = 28, .worth = 50, .text = text_place, .searched = true},
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return (r->has_last && format_is_failure((enum run_state)r->last.state)) || r->failed > 0 || r->failed_to_read;
}

static const struct list_ops list_ops = {.row_size = sizeof(struct jobs_row),
                                         .columns = columns,
                                         .column_count = sizeof columns / sizeof columns[0],
                                         .fixed = 2,
                                         .problem = is_problem};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err jobs_open(struct view *v, const struct view_args *args)
{
  struct jobs_state *s = v->state;
  (void)args;
  list_init(&s->list, &list_ops);
  list_set_sort(&s->list, 0, true);
  job_sums_init(&s->sums);
  return err_ok();
}

static void jobs_close(struct view *v)
{
  struct jobs_state *s = v->state;
  list_fini(&s->list);
  job_sums_fini(&s->sums);
  free(s->trouble);
}

static void jobs_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct jobs_state *s = v->state;
  rows_want_lists(scene, out);
  /* what is on the screen first */
  for (size_t i = s->list.top; i < s->list.top + (size_t)s->list.height && i < s->list.shown; i++) {
    const struct jobs_row *r = list_row(&s->list, i);
    rows_want_runs(scene, r->key.place, r->name, WANT_ON_SCREEN, out);
  }
  rows_want_all_runs(scene, WANT_BEHIND, out);
}

static void fill_row(struct jobs_state *s, struct jobs_row *row, const struct scene *scene, int place, size_t index)
{
  const struct model *m = scene->model;
  const struct job *j = &m->places[place].jobs[index];
  const struct job_sum *sum = job_sums_get(&s->sums, scene, place, index);
  const struct job_stats *stats = stats_cache_get(scene->stats, m, place, index);
  row->key = row_key_of_job(place, j->name);
  row->name = j->name;
  row->gone = j->gone;
  row->defined = j->defined;
  row->asked = j->runs_fresh.fetched_ms != WHEN_NONE;
  row->failed_to_read = err_is(&j->runs_fresh.last_err) && !row->asked;
  row->type = (uint8_t)j->type;
  row->workers = j->workers;
  row->worker_type = j->worker_type;
  row->version = j->glue_version;
  row->dpu = model_job_dpu(m, j);
  /* in whole seconds as the timeouts board rounds them: one figure, wherever it stands */
  row->typical_ms = stats->times.count > 0 ? (int64_t)(stats->times.p50 + 0.5) * WHEN_SECOND : WHEN_NONE;
  if (j->run_count > 0) {
    row->last = j->runs[0];
    row->has_last = true;
  }
  memcpy(row->outcomes, sum->outcomes, sizeof row->outcomes);
  row->outcome_count = sum->outcome_count;
  row->runs = sum->runs;
  row->failed = sum->failed;
  row->cost = sum->cost;
  row->next_ms = sum->next_ms;
}

static void jobs_update(struct view *v, const struct scene *scene)
{
  struct jobs_state *s = v->state;
  const struct model *m = scene->model;
  s->read = s->total = 0;
  list_begin(&s->list, &(struct list_env){.strings = m->strings, .now_ms = scene->now_ms, .zone = scene->zone});
  list_hide(&s->list, "account", m->place_count < 2 || scene->place >= 0);
  for (size_t p = 0; p < m->place_count; p++) {
    for (size_t i = 0; scene_shows(scene, (int)p) && i < m->places[p].job_count; i++) {
      if (model_job_named_only(&m->places[p], &m->places[p].jobs[i])) {
        continue;
      }
      struct jobs_row *row = list_add(&s->list);
      fill_row(s, row, scene, (int)p, i);
      row->place_label = rows_place_label(m, (int)p);
      s->total++;
      s->read += row->asked;
    }
  }
  list_end(&s->list);
  free(s->trouble);
  s->trouble = rows_why_empty(scene, s->list.row_count, "jobs");
}

static void jobs_draw(struct view *v, const struct pane *p)
{
  struct jobs_state *s = v->state;
  list_draw(&s->list, p);
  rows_draw_empty(&s->list, p, s->trouble, "jobs");
}

static bool jobs_subject(const struct view *v, struct subject *out)
{
  const struct jobs_state *s = v->state;
  const struct jobs_row *r = list_current(&s->list);
  if (r != NULL) {
    *out =
        (struct subject){.place = r->key.place, .job = r->name, .job_name = strpool_get(s->list.env.strings, r->name)};
  }
  return r != NULL;
}

static size_t jobs_subjects(const struct view *v, struct subject **out)
{
  const struct jobs_state *s = v->state;
  const void **rows = NULL;
  size_t count = list_chosen(&s->list, &rows);
  *out = xcalloc(count + 1, sizeof **out);
  for (size_t i = 0; i < count; i++) {
    const struct jobs_row *r = rows[i];
    (*out)[i] =
        (struct subject){.place = r->key.place, .job = r->name, .job_name = strpool_get(s->list.env.strings, r->name)};
  }
  free(rows);
  return count;
}

static enum handled jobs_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct jobs_state *s = v->state;
  struct subject subject;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    if (jobs_subject(v, &subject)) {
      outcome_open(out, &job_runs_view, &subject, 1);
    }
  } else if (!list_act(&s->list, a)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void jobs_caption(const struct view *v, struct buf *out)
{
  const struct jobs_state *s = v->state;
  if (s->list.row_count == 0) {
    buf_adds(out, "no jobs"); /* why is said below */
    return;
  }
  list_write_caption(&s->list, "jobs", out);
  if (s->read < s->total) {
    buf_adds(out, ", runs of ");
    format_count(out, (int64_t)s->read);
    buf_adds(out, " read");
  }
}

static bool jobs_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct jobs_state *s = v->state;
  const struct jobs_row *r = list_current(&s->list);
  return r != NULL && r->has_last && rows_run_detail(s->list.env.strings, &r->last, s->list.env.now_ms, out, role);
}

static struct list *jobs_list(struct view *v)
{
  struct jobs_state *s = v->state;
  return &s->list;
}

static bool jobs_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  struct jobs_state *s = v->state;
  return rows_report(&s->list, scene, false, format, out);
}

const struct view_ops jobs_view = {
    .name = "jobs",
    .about = "Every job: its last run, how the last ones ended, and how often it ran and failed in the window of time.",
    .enter_label = "runs",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_WINDOW,
    .state_size = sizeof(struct jobs_state),
    .open = jobs_open,
    .close = jobs_close,
    .wants = jobs_wants,
    .update = jobs_update,
    .draw = jobs_draw,
    .input = jobs_input,
    .caption = jobs_caption,
    .detail = jobs_detail,
    .subject = jobs_subject,
    .subjects = jobs_subjects,
    .list = jobs_list,
    .report = jobs_report,
};
