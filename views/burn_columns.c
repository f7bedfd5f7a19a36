/* The columns of the burn board's lists: by job, day, class and tag, and the runs that cost more than usual. */
#include "views/burn_private.h"

#include "base/text.h"
#include "views/chart.h"
#include "views/format.h"
#include "views/money.h"

#define BAR_CELLS 16

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
    chart_spark_usual(out, r->trend, BURN_TREND);
  }
}

static unsigned style_trend(const void *row)
{
  (void)row;
  return ROLE_DIM;
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
    {.title = "TREND", .min = BURN_TREND, .max = BURN_TREND, .worth = 80, .text = text_trend, .style = style_trend},
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
                                       .columns = (columns_),                                                          \
                                       .column_count = sizeof(columns_) / sizeof((columns_)[0]),                       \
                                       .fixed = (fixed_)}
LIST_OPS(job_ops, job_columns, 1);
LIST_OPS(day_ops, day_columns, 1);
LIST_OPS(class_ops, class_columns, 1);
LIST_OPS(tag_ops, tag_columns, 1);
LIST_OPS(unusual_ops, unusual_columns, 1);
#undef LIST_OPS

const struct board_part burn_parts[BURN_PART_COUNT] = {
    [BURN_JOBS] = {"by job", "jobs", &job_ops},
    [BURN_DAYS] = {"by day", "days", &day_ops},
    [BURN_BY_CLASS] = {"by class", "classes", &class_ops},
    [BURN_TAGS] = {"by tag", "tags", &tag_ops},
    [BURN_UNUSUAL_RUNS] = {"over twice their usual", "runs", &unusual_ops},
};
