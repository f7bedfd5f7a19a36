/* What it costs: now, in the window, this month; by job, day, price class, tag; and the runs that cost more than usual. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/xalloc.h"
#include "views/board.h"
#include "views/chart.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/money.h"
#include "views/pieces.h"

#define BAR_CELLS  16
#define GUTTER     11             /* cells left of the chart */
#define DAILY_FROM (3 * WHEN_DAY) /* windows at least that long show money by day, shorter ones DPU */

enum { PART_JOBS, PART_DAYS, PART_CLASSES, PART_TAGS, PART_UNUSUAL, PART_COUNT };

struct burn_row {
  struct board_row base;
  const char *label; /* of a day, class or tag; in the arena */
  size_t runs;       /* 0: not told */
  int64_t nano, dpu_micros;
  bool rough; /* has estimates, or runs without a known cost */
  size_t unknown;
  double share;
  int64_t per_run_nano; /* -1: none */
  int64_t trend[BURN_TREND];
  bool has_trend;
  int64_t failed_nano;
  int64_t median_nano; /* of an unusual run's job */
};

/* What is said above the lists: copies, so that drawing needs no model. */
struct burn_head {
  struct cost_sum sum, failed;
  int64_t today_nano, week_nano, month_nano, forecast_nano, hour_nano, worst_more_nano;
  size_t active, waiting, dpu_unknown, worst_unlimited, worst_unknown, calendar_unknown;
  int64_t dpu_now_micros;
  bool estimated;
  int64_t budget_month_nano, budget_day_nano;
};

struct burn_state {
  struct board_view board;
  struct arena texts;
  struct burn_head head;
  /* the chart, as wide as the window allowed */
  int64_t *values;
  size_t value_count, value_cap;
  int64_t since_ms, until_ms;
  enum when_zone zone;
  bool daily; /* money by day instead of DPU */
  struct load_peak peak;
};

#define ROW const struct burn_row *r = row

/* --- columns -------------------------------------------------------------------------------------------------------- */

static void text_label(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->label);
}

static void text_runs(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_count(out, (int64_t)r->runs);
}

static void text_hours(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_hours(out, r->dpu_micros);
}

static void text_usd(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->runs > 0 && r->unknown == r->runs) {
    buf_addc(out, '?');
  } else {
    buf_adds(out, r->rough ? sign(SIGN_ROUGH) : "");
    format_cents(out, r->nano);
  }
}

static void text_share(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  chart_bar(out, BAR_CELLS, r->share);
}

static unsigned style_bar(const void *row)
{
  (void)row;
  return ROLE_ACCENT;
}

static void text_percent(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->share > 0 && r->share < 0.005) {
    buf_adds(out, "<1%");
  } else {
    buf_addf(out, "%.0f%%", r->share * 100.0);
  }
}

static void text_per_run(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->per_run_nano < 0) {
    format_nothing(out);
  } else {
    format_money(out, r->per_run_nano, false);
  }
}

static void text_trend(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->has_trend) {
    chart_spark(out, r->trend, BURN_TREND);
  }
}

static void text_failed(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_money(out, r->failed_nano, false);
}

static unsigned style_failed(const void *row)
{
  ROW;
  return r->failed_nano > 0 ? ROLE_WARN : ROLE_DIM;
}

static void text_unknown(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->unknown == 0) {
    format_nothing(out);
  } else {
    format_count(out, (int64_t)r->unknown);
  }
}

static void text_median(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_money(out, r->median_nano, false);
}

static double times_usual(const struct burn_row *r)
{
  return r->median_nano > 0 ? (double)r->nano / (double)r->median_nano : 0.0;
}

static void text_times(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_addf(out, "%.1fx", times_usual(r));
}

static void text_started(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  format_moment(out, r->base.run.started_ms, env->now_ms, env->zone);
}

static void text_state(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  buf_adds(out, format_state_word(env->strings, &r->base.run));
}

static unsigned style_state(const void *row)
{
  ROW;
  return format_state_style((enum run_state)r->base.run.state);
}

#define BY_NUMBER(name, member)                                                                                        \
  static int name(const void *a, const void *b, const struct list_env *env)                                            \
  {                                                                                                                    \
    const struct burn_row *x = a, *y = b;                                                                              \
    (void)env;                                                                                                         \
    return compare_i64((int64_t)x->member, (int64_t)y->member);                                                        \
  }
BY_NUMBER(by_runs, runs)
BY_NUMBER(by_hours, dpu_micros)
BY_NUMBER(by_usd, nano)
BY_NUMBER(by_per_run, per_run_nano)
BY_NUMBER(by_failed, failed_nano)
BY_NUMBER(by_unknown, unknown)
BY_NUMBER(by_started, base.run.started_ms)
#undef BY_NUMBER

static int by_label(const void *a, const void *b, const struct list_env *env)
{
  const struct burn_row *x = a, *y = b;
  (void)env;
  return text_compare(x->label, y->label);
}

static int by_times(const void *a, const void *b, const struct list_env *env)
{
  (void)env;
  return compare_f64(times_usual(a), times_usual(b));
}

/* clang-format off */
#define COLUMN_RUNS {.title = "RUNS", .word = "runs", .min = 6, .max = 7, .worth = 96, .align = TEXT_RIGHT, .text = text_runs, .compare = by_runs, .big_first = true}
#define COLUMN_HOURS {.title = "DPU-H", .word = "dpu-hours", .min = 8, .max = 10, .worth = 94, .align = TEXT_RIGHT, .text = text_hours, .compare = by_hours, .big_first = true}
#define COLUMN_USD {.title = "USD", .word = "usd", .min = 10, .max = 12, .worth = 100, .align = TEXT_RIGHT, .text = text_usd, .compare = by_usd, .big_first = true}
#define COLUMN_SHARE {.title = "SHARE", .min = BAR_CELLS, .max = BAR_CELLS, .worth = 90, .text = text_share, .style = style_bar}
#define COLUMN_PERCENT {.title = NULL, .min = 4, .max = 4, .worth = 92, .align = TEXT_RIGHT, .text = text_percent}
#define COLUMN_PER_RUN {.title = "PER RUN", .word = "per-run", .min = 8, .max = 9, .worth = 95, .align = TEXT_RIGHT, .text = text_per_run, .compare = by_per_run, .big_first = true}
#define COLUMN_UNKNOWN {.title = "UNKNOWN", .word = "unknown", .min = 7, .max = 7, .worth = 60, .align = TEXT_RIGHT, .text = text_unknown, .compare = by_unknown, .big_first = true}
#define COLUMN_FAILED {.title = "FAILED RUNS", .word = "failed", .min = 11, .max = 11, .worth = 91, .align = TEXT_RIGHT, .text = text_failed, .style = style_failed, .compare = by_failed, .big_first = true}

static const struct list_column job_columns[] = {
    {.title = "JOB", .word = "job", .min = 18, .max = 48, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job},
    COLUMN_RUNS, COLUMN_HOURS, COLUMN_USD, COLUMN_SHARE, COLUMN_PERCENT, COLUMN_PER_RUN,
    {.title = "TREND", .min = BURN_TREND, .max = BURN_TREND, .worth = 80, .text = text_trend},
    COLUMN_FAILED, COLUMN_UNKNOWN,
    BOARD_ACCOUNT_COLUMN,
};
static const struct list_column day_columns[] = {
    {.title = "DAY (UTC)", .word = "day", .min = 14, .max = 14, .worth = 100, .name = true, .searched = true, .text = text_label, .compare = by_label, .big_first = true},
    COLUMN_HOURS, COLUMN_USD, COLUMN_SHARE, COLUMN_PERCENT,
};
static const struct list_column class_columns[] = {
    {.title = "CLASS", .word = "class", .min = 20, .max = 30, .worth = 100, .name = true, .searched = true, .text = text_label, .compare = by_label},
    COLUMN_RUNS, COLUMN_HOURS, COLUMN_USD, COLUMN_SHARE, COLUMN_PERCENT, COLUMN_PER_RUN, COLUMN_UNKNOWN,
};
static const struct list_column tag_columns[] = {
    {.title = "TAG", .word = "tag", .min = 16, .max = 40, .worth = 100, .name = true, .searched = true, .text = text_label, .compare = by_label},
    COLUMN_RUNS, COLUMN_HOURS, COLUMN_USD, COLUMN_SHARE, COLUMN_PERCENT, COLUMN_PER_RUN, COLUMN_UNKNOWN,
};
static const struct list_column unusual_columns[] = {
    {.title = "JOB", .word = "job", .min = 18, .max = 48, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job},
    {.title = "RUN", .min = 12, .max = 12, .worth = 80, .searched = true, .text = board_text_run},
    {.title = "STARTED", .word = "started", .min = 9, .max = 16, .worth = 96, .text = text_started, .compare = by_started, .big_first = true},
    {.title = "STATE", .min = 9, .max = 9, .worth = 85, .text = text_state, .style = style_state, .searched = true},
    COLUMN_USD,
    {.title = "USUAL", .min = 8, .max = 8, .worth = 95, .align = TEXT_RIGHT, .text = text_median},
    {.title = "TIMES", .word = "times", .min = 6, .max = 6, .worth = 97, .align = TEXT_RIGHT, .text = text_times, .compare = by_times, .big_first = true},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

#define LIST_OPS(name, columns_, fixed_)                                                                               \
  static const struct list_ops name = {.row_size = sizeof(struct burn_row),                                            \
                                       .columns = columns_,                                                            \
                                       .column_count = sizeof columns_ / sizeof columns_[0],                           \
                                       .fixed = fixed_}
LIST_OPS(job_ops, job_columns, 1);
LIST_OPS(day_ops, day_columns, 1);
LIST_OPS(class_ops, class_columns, 1);
LIST_OPS(tag_ops, tag_columns, 1);
LIST_OPS(unusual_ops, unusual_columns, 1);
#undef LIST_OPS

static const struct board_part parts[PART_COUNT] = {
    [PART_JOBS] = {"by job", "jobs", &job_ops},
    [PART_DAYS] = {"by day", "days", &day_ops},
    [PART_CLASSES] = {"by class", "classes", &class_ops},
    [PART_TAGS] = {"by tag", "tags", &tag_ops},
    [PART_UNUSUAL] = {"over twice their usual", "runs", &unusual_ops},
};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err burn_open(struct view *v, const struct view_args *args)
{
  struct burn_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, PART_COUNT);
  arena_init(&s->texts);
  return err_ok();
}

static void burn_close(struct view *v)
{
  struct burn_state *s = v->state;
  board_fini(&s->board);
  arena_fini(&s->texts);
  free(s->values);
}

static void burn_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  int64_t month = when_month_start(scene->now_ms, WHEN_UTC), week = scene->now_ms - 8 * WHEN_DAY;
  (void)v;
  /* the month's figures, and the complete days that the forecast rests on */
  desk_wants(scene, month < week ? month : week, out);
}

static void set_sum(struct burn_row *row, const struct cost_sum *sum, int64_t total)
{
  row->runs = sum->runs;
  row->nano = cost_sum_nano(sum);
  row->dpu_micros = cost_sum_dpu_micros(sum);
  row->unknown = sum->runs_unknown;
  row->rough = sum->nano[COST_ESTIMATED] > 0 || sum->runs_unknown > 0;
  row->share = total > 0 ? (double)row->nano / (double)total : 0.0;
  row->per_run_nano = sum->runs > sum->runs_unknown ? row->nano / (int64_t)(sum->runs - sum->runs_unknown) : -1;
}

static void add_jobs(struct burn_state *s, const struct scene *scene, const struct burn_result *r, int64_t total)
{
  for (size_t i = 0; i < r->job_count; i++) {
    const struct burn_job *j = &r->jobs[i];
    if (j->sum.runs == 0) {
      continue;
    }
    struct burn_row *row = board_add(&s->board, scene, j->place, j->job, NULL, 0);
    set_sum(row, &j->sum, total);
    row->per_run_nano = j->per_run_nano;
    row->failed_nano = cost_sum_nano(&j->failed);
    row->has_trend = true;
    memcpy(row->trend, j->trend_nano, sizeof row->trend);
  }
}

static void add_days(struct burn_state *s, const struct scene *scene, const struct burn_result *r, int64_t total)
{
  for (size_t i = r->day_count; i-- > 0;) {
    const struct burn_day *d = &r->days[i];
    char date[WHEN_TEXT_MAX], day[WHEN_TEXT_MAX];
    struct burn_row *row = board_add(&s->board, scene, -1, 0, NULL, d->day_ms);
    when_format(d->day_ms, WHEN_UTC, WHEN_DATE, date);
    when_format(d->day_ms, WHEN_UTC, WHEN_DAY_HM, day);
    row->label = arena_printf(&s->texts, "%s %.3s", date, day);
    row->nano = d->nano;
    row->dpu_micros = d->dpu_micros;
    row->share = total > 0 ? (double)d->nano / (double)total : 0.0;
  }
}

static const char *class_label(struct arena *a, size_t item, size_t generation)
{
  static const char *const words[PRICE_ITEM_COUNT] = {[PRICE_STANDARD] = "Spark standard",
                                                      [PRICE_FLEX] = "Spark Flex",
                                                      [PRICE_MEMORY] = "memory-optimised",
                                                      [PRICE_PYTHON] = "Python shell",
                                                      [PRICE_RAY] = "Ray"};
  bool versions = item != PRICE_PYTHON && item != PRICE_RAY;
  return !versions ? words[item] : arena_printf(a, "%s, %s", words[item], generation == PRICE_GEN_2 ? "6.0" : "to 5.1");
}

static void add_classes(struct burn_state *s, const struct scene *scene, const struct burn_result *r, int64_t total)
{
  for (size_t i = 0; i < BURN_CLASSES; i++) {
    if (r->classes[i].runs > 0) {
      struct burn_row *row = board_add(&s->board, scene, -1, 0, NULL, (int64_t)i + 1);
      row->label = class_label(&s->texts, i / PRICE_GENERATION_COUNT, i % PRICE_GENERATION_COUNT);
      set_sum(row, &r->classes[i], total);
    }
  }
}

static void add_tags(struct burn_state *s, const struct scene *scene, const struct burn_result *r, int64_t total)
{
  const struct board_measures *m = desk_measures(scene->desk);
  for (size_t i = 0; i < m->tag_count; i++) {
    struct cost_sum sum = burn_group(r, scene->model, m->tags[i].jobs);
    struct burn_row *row = board_add(&s->board, scene, -1, 0, NULL, (int64_t)i + 1);
    row->label = arena_printf(&s->texts, "%s (%s)", m->tags[i].name, m->tags[i].jobs);
    set_sum(row, &sum, total);
  }
}

static void add_unusual(struct burn_state *s, const struct scene *scene, const struct burn_result *r)
{
  for (size_t i = 0; i < r->unusual_count; i++) {
    const struct burn_unusual *u = &r->unusual[i];
    struct burn_row *row = board_add(&s->board, scene, u->place, u->job, &u->run, 0);
    row->nano = u->nano;
    row->median_nano = u->median_nano;
  }
}

/* Money by day: each column has the rate of the day that its middle is in, so that a chart of any width has the days' heights. */
static void fill_daily(struct burn_state *s, const struct burn_result *r)
{
  s->peak = (struct load_peak){.runs_at_ms = WHEN_NONE, .dpu_at_ms = WHEN_NONE};
  size_t day = 0;
  for (size_t i = 0; i < s->value_count; i++) {
    int64_t at = timeline_column_ms(s->since_ms, s->until_ms, s->value_count, i);
    while (day < r->day_count && r->days[day].day_ms + WHEN_DAY <= at) {
      day++;
    }
    s->values[i] = day < r->day_count && r->days[day].day_ms <= at ? r->days[day].nano : 0;
  }
}

static void fill_chart(struct burn_state *s, const struct scene *scene, const struct burn_result *r)
{
  int width = scene->width - GUTTER - 1;
  s->value_count = width > 0 ? (size_t)width : 0;
  s->values = xgrow(s->values, &s->value_cap, s->value_count + 1, sizeof *s->values);
  s->until_ms = scene->until_ms == INT64_MAX ? scene->now_ms : scene->until_ms;
  s->since_ms = scene->since_ms;
  if (s->since_ms == INT64_MIN) {
    s->since_ms = r->day_count > 0 ? r->days[0].day_ms : s->until_ms - WHEN_DAY;
  }
  s->daily = s->until_ms - s->since_ms >= DAILY_FROM;
  s->zone = s->daily ? WHEN_UTC : scene->zone;
  if (s->daily) {
    fill_daily(s, r);
  } else {
    desk_curve(scene->desk, scene, s->since_ms, s->until_ms, s->value_count, s->values, &s->peak);
  }
}

static void burn_update(struct view *v, const struct scene *scene)
{
  struct burn_state *s = v->state;
  if (!board_begin(&s->board, scene)) {
    return;
  }
  const struct burn_result *r = desk_burn(scene->desk, scene);
  const struct board_measures *m = desk_measures(scene->desk);
  int64_t total = cost_sum_nano(&r->sum);
  s->head = (struct burn_head){.sum = r->sum,
                               .failed = r->failed,
                               .today_nano = r->today_nano,
                               .week_nano = r->week_nano,
                               .month_nano = r->month_nano,
                               .forecast_nano = r->forecast_nano,
                               .hour_nano = r->nano_per_hour_now,
                               .worst_more_nano = r->worst_more_nano,
                               .active = r->active_runs,
                               .waiting = r->waiting_runs,
                               .dpu_unknown = r->dpu_now_unknown,
                               .worst_unlimited = r->worst_unlimited,
                               .worst_unknown = r->worst_unknown,
                               .calendar_unknown = r->calendar_unknown,
                               .dpu_now_micros = r->dpu_now_micros,
                               .estimated = r->estimated,
                               .budget_month_nano = m->budget_month_nano,
                               .budget_day_nano = m->budget_day_nano};
  s->board.hidden[PART_TAGS] = m->tag_count == 0;
  list_hide(board_list(&s->board), "unknown", r->sum.runs_unknown == 0);
  fill_chart(s, scene, r);
  arena_reset(&s->texts);
  board_begin_rows(&s->board, scene);
  switch (s->board.part) {
  case PART_JOBS:
    add_jobs(s, scene, r, total);
    break;
  case PART_DAYS:
    add_days(s, scene, r, total);
    break;
  case PART_CLASSES:
    add_classes(s, scene, r, total);
    break;
  case PART_TAGS:
    add_tags(s, scene, r, total);
    break;
  default:
    add_unusual(s, scene, r);
    break;
  }
  board_end_rows(&s->board, scene);
}

/* --- drawing -------------------------------------------------------------------------------------------------------- */

/* "window $4,211.05  484.25 measured, 3,446.55 computed, ~280.24 estimated, 2 runs unknown". */
static void draw_sum(const struct burn_head *h, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 256);
  buf_addc(&text, '$');
  format_cents(&text, cost_sum_nano(&h->sum));
  pieces_add(&l, 100, 0, ROLE_TEXT, "window");
  pieces_add(&l, 100, 1, ROLE_MONEY | STYLE_BOLD, "%s", text.data);
  static const struct {
    enum cost_basis basis;
    const char *word, *before;
  } bases[] = {{COST_MEASURED, "measured", ""}, {COST_COMPUTED, "computed", ""}, {COST_ESTIMATED, "estimated", "~"}};
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
    buf_reset(&text);
    format_cents(&text, h->sum.nano[bases[i].basis]);
    pieces_add(&l, 95, i == 0 ? 3 : 2, ROLE_DIM, "%s%s %s", bases[i].before, text.data, bases[i].word);
  }
  if (h->sum.runs_unknown > 0) {
    pieces_add(&l, 98, 2, ROLE_WARN, "%zu runs unknown", h->sum.runs_unknown);
  }
  if (h->failed.runs > 0) {
    buf_reset(&text);
    format_money(&text, cost_sum_nano(&h->failed), h->failed.nano[COST_ESTIMATED] > 0);
    pieces_add(&l, 80, 3, ROLE_WARN, "%s for %zu that did not succeed", text.data, h->failed.runs);
  }
  pieces_add(&l, 40, 3, ROLE_DIM, "job runs only: no sessions, crawlers, Data Catalog");
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void add_amount(struct pieces *l, int worth, const char *word, int64_t nano, bool rough, int64_t budget)
{
  struct buf text;
  buf_init(&text, 128);
  if (nano < 0) {
    buf_addc(&text, '?');
  } else {
    buf_adds(&text, rough ? "~$" : "$");
    format_cents(&text, nano);
  }
  pieces_add(l, worth, l->count == 0 ? 0 : 3, ROLE_TEXT, "%s", word);
  pieces_add(l, worth, 1, budget > 0 && nano > budget ? ROLE_BAD : ROLE_MONEY, "%s", text.data);
  if (budget > 0) {
    buf_reset(&text);
    format_money(&text, budget, false);
    pieces_add(l, worth, 1, ROLE_DIM, "of %s", text.data);
  }
  buf_fini(&text);
}

static void draw_calendar(const struct burn_head *h, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  add_amount(&l, 100, "today", h->today_nano, h->estimated, h->budget_day_nano);
  add_amount(&l, 80, "7 days", h->week_nano, h->estimated, -1);
  add_amount(&l, 99, "month", h->month_nano, h->estimated, -1);
  add_amount(&l, 98, "forecast", h->forecast_nano, h->forecast_nano >= 0, h->budget_month_nano);
  if (h->calendar_unknown > 0) {
    pieces_add(&l, 90, 2, ROLE_WARN, "%zu unknown", h->calendar_unknown);
  }
  pieces_add(&l, 30, 3, ROLE_DIM, "days and months are UTC");
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
}

static void draw_now(const struct burn_head *h, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 128);
  buf_addc(&text, '$');
  format_cents(&text, h->hour_nano);
  pieces_add(&l, 100, 0, ROLE_TEXT, "now");
  pieces_add(&l, 100, 1, h->active > 0 ? ROLE_RUNNING : ROLE_DIM, "%s/h", text.data);
  buf_reset(&text);
  format_dpu(&text, (double)h->dpu_now_micros / 1e6);
  pieces_add(&l, 97, 3, ROLE_TEXT, "%zu running, %s DPU%s", h->active, text.data, h->dpu_unknown > 0 ? "+?" : "");
  buf_reset(&text);
  format_cents(&text, h->worst_more_nano);
  pieces_add(&l, 96, 3, ROLE_TEXT, "at most $%s more until timeouts", text.data);
  if (h->worst_unlimited > 0) {
    pieces_add(&l, 70, 2, ROLE_DIM, "(%zu without a limit)", h->worst_unlimited);
  }
  if (h->worst_unknown > 0) {
    pieces_add(&l, 71, 2, ROLE_WARN, "(%zu unknown)", h->worst_unknown);
  }
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void draw_chart(const struct burn_state *s, const struct pane *p)
{
  int64_t top = 0;
  struct buf text;
  buf_init(&text, 128);
  for (size_t i = 0; i < s->value_count; i++) {
    top = s->values[i] > top ? s->values[i] : top;
  }
  struct pane area = pane_part(p, 0, GUTTER, p->height - 1, p->width - GUTTER - 1);
  if (s->daily) {
    format_money(&text, top, false);
  } else {
    format_dpu(&text, (double)top / 1e6);
  }
  pane_field(p, 0, 1, GUTTER - 3, ROLE_DIM, TEXT_RIGHT, text.data);
  pane_field(p, area.height > 1 ? 1 : 0, 1, area.height > 1 ? GUTTER - 3 : 0, ROLE_DIM, TEXT_RIGHT,
             s->daily ? "a day" : "DPU");
  for (int y = 0; y < area.height; y++) {
    pane_put(p, y, GUTTER - 1, ROLE_FRAME, text_is_ascii() ? "|" : y == 0 ? "\u2524" : "\u2502");
  }
  chart_area(&area, s->values, s->value_count, top, ROLE_ACCENT);
  chart_axis(p, p->height - 1, GUTTER, area.width, s->since_ms, s->until_ms, s->zone, NULL, 0, ROLE_DIM);
  buf_fini(&text);
}

static int chart_height(int height)
{
  return height < 16 ? 0 : height < 30 ? 4 : height < 50 ? 7 : 10;
}

static void burn_draw(struct view *v, const struct pane *p)
{
  struct burn_state *s = v->state;
  int y = 0, chart = chart_height(p->height);
  draw_sum(&s->head, p, y++);
  if (p->height > 6) {
    draw_calendar(&s->head, p, y++);
    draw_now(&s->head, p, y++);
  }
  if (chart > 0) {
    struct pane area = pane_part(p, y, 0, chart, p->width);
    draw_chart(s, &area);
    y += chart;
  }
  struct pane below = pane_part(p, y, 0, p->height - y, p->width);
  board_draw(&s->board, &below);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static enum handled burn_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct burn_state *s = v->state;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    struct subject subject;
    if (board_subject(&s->board, &subject)) {
      outcome_open(out, subject.has_run ? &run_view : &job_runs_view, &subject, 1);
    }
  } else if (!board_act(&s->board, a, out)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void burn_caption(const struct view *v, struct buf *out)
{
  const struct burn_state *s = v->state;
  board_caption(&s->board, out);
}

static bool burn_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct burn_state *s = v->state;
  const struct burn_row *r = board_current(&s->board);
  if (r == NULL || s->board.part == PART_UNUSUAL || s->board.part == PART_DAYS) {
    return false;
  }
  if (r->base.job != 0) {
    board_text_job(r, &s->board.lists[s->board.part].env, out);
  } else {
    buf_adds(out, r->label);
  }
  buf_addf(out, ": $");
  format_cents(out, r->nano);
  buf_addf(out, " for %zu run%s", r->runs, r->runs == 1 ? "" : "s");
  if (r->unknown > 0) {
    buf_addf(out, ", %zu of them unknown", r->unknown);
  }
  *role = ROLE_DIM;
  return true;
}

static bool burn_subject(const struct view *v, struct subject *out)
{
  const struct burn_state *s = v->state;
  return board_subject(&s->board, out);
}

static size_t burn_subjects(const struct view *v, struct subject **out)
{
  const struct burn_state *s = v->state;
  return board_subjects(&s->board, out);
}

static struct list *burn_list(struct view *v)
{
  struct burn_state *s = v->state;
  return board_list(&s->board);
}

static bool burn_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  (void)v;
  return desk_report(scene->desk, scene, BOARD_BURN, format, out);
}

const struct view_ops burn_view = {
    .name = "burn",
    .about = "What job runs cost: in the window, now per hour, today, this month; by job, day, class or tag.",
    .enter_label = "runs",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_MONEY,
    .state_size = sizeof(struct burn_state),
    .open = burn_open,
    .close = burn_close,
    .wants = burn_wants,
    .update = burn_update,
    .draw = burn_draw,
    .input = burn_input,
    .caption = burn_caption,
    .detail = burn_detail,
    .subject = burn_subject,
    .subjects = burn_subjects,
    .list = burn_list,
    .report = burn_report,
};
