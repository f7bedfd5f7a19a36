/* Which run will be killed by its timeout, and which limit is a trap. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/board.h"
#include "views/chart.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/money.h"
#include "views/pieces.h"

#define BAR_CELLS 20

enum { PART_JOBS, PART_PAST, PART_COUNT };

struct timeouts_row {
  struct board_row base;
  bool at_risk;
  uint8_t risk; /* enum timeout_risk */
  uint8_t flaw; /* enum timeout_flaw */
  uint8_t source;
  int32_t timeout_minutes; /* 0: none */
  int32_t suggested_minutes;
  struct stats_times times;
  double used;             /* NAN: nothing is alive */
  int64_t elapsed_seconds; /* of the run at risk */
  double expected_seconds, likelihood;
  int64_t ends_ms; /* when it reaches the limit, when it was killed */
  uint8_t exposure_kind;
  int64_t exposure_nano;
  strid maintenance_window;
  struct cost cost; /* of a run that was killed */
};

struct timeouts_state {
  struct board_view board;
  size_t over, likely, watch, past, defaults, tight, usual_runs;
  struct cost_sum past_sum;
};

#define ROW const struct timeouts_row *r = row

/* --- columns -------------------------------------------------------------------------------------------------------- */

static bool loud(const struct timeouts_row *r)
{
  return r->at_risk && r->risk != TIMEOUT_RISK_WATCH;
}

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->at_risk ? sign(SIGN_WARN) : r->flaw != TIMEOUT_FLAW_NONE ? sign(SIGN_ROUGH) : " ");
}

static unsigned style_risk(const void *row)
{
  ROW;
  return !r->at_risk ? ROLE_TEXT : r->risk == TIMEOUT_RISK_OVER ? ROLE_BAD : loud(r) ? ROLE_WARN : ROLE_TEXT;
}

static void text_limit(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->timeout_minutes <= 0) {
    buf_adds(out, r->source == TIMEOUT_UNKNOWN ? "?" : "none");
  } else {
    buf_addf(out, "%dm", (int)r->timeout_minutes);
  }
}

static void text_source(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  buf_adds(out, r->source == TIMEOUT_DEFAULT ? "default" : "");
  if (r->maintenance_window != 0) {
    buf_adds(out, strpool_get(env->strings, r->maintenance_window));
  }
}

static unsigned style_source(const void *row)
{
  ROW;
  return r->flaw == TIMEOUT_FLAW_DEFAULT ? ROLE_WARN : ROLE_DIM;
}

static void seconds(struct buf *out, double s)
{
  if (isnan(s)) {
    format_nothing(out);
  } else {
    format_span(out, (int64_t)(s + 0.5) * WHEN_SECOND);
  }
}

static void text_p50(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  seconds(out, r->times.p50);
}

static void text_p95(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  seconds(out, r->times.p95);
}

static void text_max(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  seconds(out, r->times.max);
}

static unsigned style_longest(const void *row)
{
  ROW;
  return r->flaw == TIMEOUT_FLAW_TIGHT ? ROLE_WARN : ROLE_TEXT;
}

static void text_bar(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (!isnan(r->used)) {
    chart_bar(out, BAR_CELLS, r->used);
  }
}

static unsigned style_bar(const void *row)
{
  ROW;
  return r->at_risk ? style_risk(row) : ROLE_RUNNING;
}

static void text_used(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (isnan(r->used)) {
    format_nothing(out);
  } else {
    buf_addf(out, "%.0f%%", r->used > 9.99 ? 999.0 : floor(r->used * 100.0));
  }
}

static void text_ends(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (!r->at_risk) {
    return;
  }
  if (r->ends_ms <= env->now_ms) {
    buf_adds(out, "past");
  } else {
    buf_adds(out, "in ");
    format_span(out, r->ends_ms - env->now_ms);
  }
}

static void text_exposure(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  switch ((enum cost_limit)r->exposure_kind) {
  case COST_LIMIT_KNOWN:
    format_money(out, r->exposure_nano, false);
    break;
  case COST_LIMIT_NONE:
    buf_adds(out, "no end");
    break;
  case COST_LIMIT_UNKNOWN:
    buf_addc(out, '?');
    break;
  }
}

static void text_suggest(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->suggested_minutes < 0) {
    format_nothing(out);
  } else {
    buf_addf(out, "%dm", (int)r->suggested_minutes);
  }
}

static unsigned style_suggest(const void *row)
{
  ROW;
  return r->flaw != TIMEOUT_FLAW_NONE ? ROLE_ACCENT : ROLE_DIM;
}

static void text_runs(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_count(out, (int64_t)r->times.count);
}

static void text_when(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  format_moment(out, r->ends_ms, env->now_ms, env->zone);
}

static void text_cost(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_cost(out, &r->cost);
}

#define BY(name, compare, member)                                                                                      \
  static int name(const void *a, const void *b, const struct list_env *env)                                            \
  {                                                                                                                    \
    const struct timeouts_row *x = a, *y = b;                                                                          \
    (void)env;                                                                                                         \
    return compare(x->member, y->member);                                                                              \
  }
BY(by_limit, compare_i64, timeout_minutes)
BY(by_p50, compare_f64, times.p50)
BY(by_p95, compare_f64, times.p95)
BY(by_max, compare_f64, times.max)
BY(by_used, compare_f64, used)
BY(by_exposure, compare_i64, exposure_nano)
BY(by_suggest, compare_i64, suggested_minutes)
BY(by_when, compare_i64, ends_ms)
BY(by_cost, compare_i64, cost.nano)
#undef BY

/* clang-format off */
static const struct list_column job_columns[] = {
    {.title = NULL, .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style_risk},
    {.title = "JOB", .word = "job", .min = 18, .max = 44, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job, .style = style_risk},
    {.title = "LIMIT", .word = "limit", .min = 6, .max = 6, .worth = 99, .align = TEXT_RIGHT, .text = text_limit, .compare = by_limit, .big_first = true},
    {.title = NULL, .min = 7, .max = 14, .worth = 96, .text = text_source, .style = style_source, .searched = true},
    {.title = "P50", .word = "p50", .min = 6, .max = 7, .worth = 92, .align = TEXT_RIGHT, .text = text_p50, .compare = by_p50, .big_first = true},
    {.title = "P95", .word = "p95", .min = 6, .max = 7, .worth = 95, .align = TEXT_RIGHT, .text = text_p95, .compare = by_p95, .big_first = true, .style = style_longest},
    {.title = "MAX", .word = "max", .min = 6, .max = 7, .worth = 88, .align = TEXT_RIGHT, .text = text_max, .compare = by_max, .big_first = true, .style = style_longest},
    {.title = "USED NOW", .word = "used", .min = BAR_CELLS, .max = BAR_CELLS, .worth = 80, .text = text_bar, .compare = by_used, .big_first = true, .style = style_bar},
    {.title = "USED", .min = 4, .max = 4, .worth = 98, .align = TEXT_RIGHT, .text = text_used, .style = style_bar},
    {.title = "ENDS", .min = 9, .max = 10, .worth = 97, .text = text_ends, .style = style_risk},
    {.title = "EXPOSURE", .word = "exposure", .min = 8, .max = 9, .worth = 94, .align = TEXT_RIGHT, .text = text_exposure, .compare = by_exposure, .big_first = true},
    {.title = "SUGGEST", .word = "suggest", .min = 7, .max = 7, .worth = 93, .align = TEXT_RIGHT, .text = text_suggest, .compare = by_suggest, .big_first = true, .style = style_suggest},
    {.title = "RUNS", .min = 4, .max = 4, .worth = 60, .align = TEXT_RIGHT, .text = text_runs},
    BOARD_ACCOUNT_COLUMN,
};
static const struct list_column past_columns[] = {
    {.title = "JOB", .word = "job", .min = 18, .max = 44, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job},
    {.title = "RUN", .min = 12, .max = 12, .worth = 90, .searched = true, .text = board_text_run},
    {.title = "KILLED", .word = "when", .min = 9, .max = 16, .worth = 99, .text = text_when, .compare = by_when, .big_first = true},
    {.title = "LIMIT", .word = "limit", .min = 6, .max = 6, .worth = 98, .align = TEXT_RIGHT, .text = text_limit, .compare = by_limit, .big_first = true},
    {.title = "COST", .word = "cost", .min = 9, .max = 9, .worth = 97, .align = TEXT_RIGHT, .text = text_cost, .compare = by_cost, .big_first = true},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->at_risk || r->flaw != TIMEOUT_FLAW_NONE;
}

static const struct list_ops job_ops = {.row_size = sizeof(struct timeouts_row),
                                        .columns = job_columns,
                                        .column_count = sizeof job_columns / sizeof job_columns[0],
                                        .fixed = 2,
                                        .problem = is_problem};
static const struct list_ops past_ops = {.row_size = sizeof(struct timeouts_row),
                                         .columns = past_columns,
                                         .column_count = sizeof past_columns / sizeof past_columns[0],
                                         .fixed = 1};

static const struct board_part parts[PART_COUNT] = {
    [PART_JOBS] = {"limits", "jobs", &job_ops},
    [PART_PAST] = {"killed in the window", "runs", &past_ops},
};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err timeouts_open(struct view *v, const struct view_args *args)
{
  struct timeouts_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, PART_COUNT);
  return err_ok();
}

static void timeouts_close(struct view *v)
{
  struct timeouts_state *s = v->state;
  board_fini(&s->board);
}

/* How long jobs take rests on a history longer than most windows. */
static void timeouts_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  (void)v;
  desk_wants(scene, scene->now_ms - 8 * WHEN_DAY, out);
}

static const struct timeout_advice *advice_of(const struct timeouts_result *r, int place, strid job)
{
  const struct timeout_advice *found = NULL;
  for (size_t i = 0; i < r->advice_count && found == NULL; i++) {
    found = r->advice[i].place == place && r->advice[i].job == job ? &r->advice[i] : NULL;
  }
  return found;
}

static void set_advice(struct timeouts_row *row, const struct timeout_advice *a)
{
  row->flaw = (uint8_t)a->flaw;
  row->source = (uint8_t)a->source;
  row->timeout_minutes = a->timeout_minutes;
  row->suggested_minutes = a->suggested_minutes;
  row->times = a->times;
  row->used = a->used_now;
  row->exposure_kind = (uint8_t)a->exposure_kind;
  row->exposure_nano = a->exposure_nano;
  row->maintenance_window = a->maintenance_window;
}

/* Runs at risk first, each a row of its own; then every job that has none at risk. */
static void add_jobs(struct timeouts_state *s, const struct scene *scene, const struct timeouts_result *r)
{
  for (size_t i = 0; i < r->at_risk_count; i++) {
    const struct timeout_at_risk *a = &r->at_risk[i];
    const struct timeout_advice *advice = advice_of(r, a->place, a->job);
    struct timeouts_row *row = board_add(&s->board, scene, a->place, a->job, &a->run, 0);
    row->suggested_minutes = -1;
    row->times = (struct stats_times){.p50 = (double)NAN, .p95 = (double)NAN, .max = (double)NAN};
    row->exposure_kind = COST_LIMIT_UNKNOWN;
    if (advice != NULL) {
      set_advice(row, advice);
    }
    row->at_risk = true;
    row->risk = (uint8_t)a->risk;
    row->timeout_minutes = a->timeout_minutes;
    row->used = a->used;
    row->elapsed_seconds = a->elapsed_seconds;
    row->expected_seconds = a->expected_seconds;
    row->likelihood = a->likelihood;
    row->ends_ms = a->ends_ms;
  }
  for (size_t i = 0; i < r->advice_count; i++) {
    const struct timeout_advice *a = &r->advice[i];
    bool shown = false;
    for (size_t k = 0; k < r->at_risk_count && !shown; k++) {
      shown = r->at_risk[k].place == a->place && r->at_risk[k].job == a->job;
    }
    if (!shown) {
      struct timeouts_row *row = board_add(&s->board, scene, a->place, a->job, NULL, 0);
      set_advice(row, a);
      row->ends_ms = WHEN_NONE;
    }
  }
}

static void add_past(struct timeouts_state *s, const struct scene *scene, const struct timeouts_result *r)
{
  for (size_t i = 0; i < r->past_count; i++) {
    const struct timeout_past *p = &r->past[i];
    struct timeouts_row *row = board_add(&s->board, scene, p->place, p->job, &p->run, 0);
    row->timeout_minutes = p->timeout_minutes;
    row->source = TIMEOUT_RUN;
    row->ends_ms = p->at_ms;
    row->cost = p->cost;
  }
}

static void timeouts_update(struct view *v, const struct scene *scene)
{
  struct timeouts_state *s = v->state;
  if (!board_begin(&s->board, scene)) {
    return;
  }
  const struct timeouts_result *r = desk_timeouts(scene->desk, scene);
  s->over = s->likely = s->watch = s->defaults = s->tight = 0;
  for (size_t i = 0; i < r->at_risk_count; i++) {
    s->over += r->at_risk[i].risk == TIMEOUT_RISK_OVER;
    s->likely += r->at_risk[i].risk == TIMEOUT_RISK_LIKELY;
    s->watch += r->at_risk[i].risk == TIMEOUT_RISK_WATCH;
  }
  for (size_t i = 0; i < r->advice_count; i++) {
    s->defaults += r->advice[i].source == TIMEOUT_DEFAULT;
    s->tight += r->advice[i].flaw == TIMEOUT_FLAW_TIGHT;
  }
  s->usual_runs = stats_cache_runs(scene->stats);
  s->past = r->past_count;
  s->past_sum = r->past_sum;
  board_begin_rows(&s->board, scene);
  if (s->board.part == PART_JOBS) {
    add_jobs(s, scene, r);
  } else {
    add_past(s, scene, r);
  }
  board_end_rows(&s->board, scene);
}

static void draw_head(const struct timeouts_state *s, const struct pane *p)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 128);
  if (s->over > 0) {
    pieces_add(&l, 100, 0, ROLE_BAD, "%zu will hit %s limit", s->over, s->over == 1 ? "its" : "their");
  }
  if (s->likely > 0) {
    pieces_add(&l, 99, l.count ? 3 : 0, ROLE_WARN, "%zu may", s->likely);
  }
  if (s->over + s->likely == 0) {
    pieces_add(&l, 100, 0, ROLE_TEXT, "no run in flight is near its limit");
  }
  if (s->watch > 0) {
    pieces_add(&l, 90, 3, ROLE_DIM, "%zu to watch", s->watch);
  }
  if (s->past > 0) {
    format_cost_sum(&text, &s->past_sum);
    pieces_add(&l, 95, 3, ROLE_TEXT, "%zu killed in the window, %s", s->past, text.data);
  } else {
    pieces_add(&l, 80, 3, ROLE_DIM, "none killed in the window");
  }
  if (s->tight > 0) {
    pieces_add(&l, 85, 3, ROLE_WARN, "%zu tight", s->tight);
  }
  if (s->defaults > 0) {
    pieces_add(&l, 84, 3, ROLE_DIM, "%zu defaults nobody set", s->defaults);
  }
  pieces_add(&l, 20, 3, ROLE_DIM, "percentiles of the last %zu successes", s->usual_runs);
  pieces_draw(&l, p, 0, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void timeouts_draw(struct view *v, const struct pane *p)
{
  struct timeouts_state *s = v->state;
  struct pane below = pane_part(p, 1, 0, p->height - 1, p->width);
  if (s->board.unread) {
    board_draw_unread(p, 0);
  } else {
    draw_head(s, p);
  }
  board_draw(&s->board, &below);
}

static enum handled timeouts_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct timeouts_state *s = v->state;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    board_open(&s->board, out);
  } else if (!board_act(&s->board, a, out)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void timeouts_caption(const struct view *v, struct buf *out)
{
  const struct timeouts_state *s = v->state;
  board_caption(&s->board, out);
}

static const char *flaw_text(const struct timeouts_row *r)
{
  static const char *const texts[] = {
      [TIMEOUT_FLAW_NONE] = "",
      [TIMEOUT_FLAW_TIGHT] = "tight: successful runs come near the limit",
      [TIMEOUT_FLAW_DEFAULT] = "nobody set this limit, and it is many times what the job needs",
      [TIMEOUT_FLAW_WIDE] = "the limit is many times what the job needs",
  };
  return texts[r->flaw];
}

static bool timeouts_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct timeouts_state *s = v->state;
  const struct timeouts_row *r = board_current(&s->board);
  const struct list_env *env = &s->board.lists[s->board.part].env;
  if (r == NULL || s->board.part == PART_PAST) {
    return false;
  }
  if (r->at_risk) {
    char id[RUN_ID_MAX];
    format_run_short(out, run_id_text(&r->base.run, env->strings, id));
    buf_addf(out, ": %lld of %d min", (long long)(r->elapsed_seconds / 60), (int)r->timeout_minutes);
    if (!isnan(r->expected_seconds)) {
      buf_addf(out, ", usually %.0f", r->expected_seconds / 60.0);
    }
    buf_adds(out, r->ends_ms <= env->now_ms ? ", limit was reached at " : ", killed at ");
    format_moment(out, r->ends_ms, env->now_ms, env->zone);
    if (!isnan(r->likelihood)) {
      buf_addf(out, ", likely %.0f%%", r->likelihood * 100.0);
    }
    *role = (enum role)(style_risk(r) & STYLE_ROLE);
  } else {
    buf_adds(out, flaw_text(r));
    if (out->len > 0 && r->suggested_minutes > 0) {
      buf_addf(out, "; %d min would leave room", (int)r->suggested_minutes);
    }
    *role = ROLE_DIM;
  }
  return out->len > 0;
}

static bool timeouts_subject(const struct view *v, struct subject *out)
{
  const struct timeouts_state *s = v->state;
  return board_subject(&s->board, out);
}

static size_t timeouts_subjects(const struct view *v, struct subject **out)
{
  const struct timeouts_state *s = v->state;
  return board_subjects(&s->board, out);
}

static struct list *timeouts_list(struct view *v)
{
  struct timeouts_state *s = v->state;
  return board_list(&s->board);
}

static bool timeouts_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  (void)v;
  return desk_report(scene->desk, scene, BOARD_TIMEOUTS, format, out);
}

const struct view_ops timeouts_view = {
    .name = "timeouts",
    .about = "Runs in flight by the share of their timeout that is used, and how each job's limit fits what it needs.",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_MONEY,
    .state_size = sizeof(struct timeouts_state),
    .open = timeouts_open,
    .close = timeouts_close,
    .wants = timeouts_wants,
    .update = timeouts_update,
    .draw = timeouts_draw,
    .input = timeouts_input,
    .caption = timeouts_caption,
    .detail = timeouts_detail,
    .subject = timeouts_subject,
    .subjects = timeouts_subjects,
    .list = timeouts_list,
    .report = timeouts_report,
};
