#include "views/collisions_jobs.h"

#include "views/chart.h"
#include "views/format.h"

#define BAR_CELLS 12

struct job_row {
  struct board_row base;
  struct collision_job job;
};

#define ROW const struct job_row *r = row

static double share_of(const struct job_row *r)
{
  return (double)r->job.peak / (double)r->job.limit;
}

static unsigned style_peak(const void *row)
{
  ROW;
  return r->job.peak >= (size_t)r->job.limit && r->job.collisions > 0 ? ROLE_WARN : ROLE_TEXT;
}

static unsigned style_bar(const void *row)
{
  (void)row;
  return ROLE_ACCENT;
}

static unsigned style_waiting(const void *row)
{
  ROW;
  return r->job.waiting > 0 ? ROLE_WARN : ROLE_DIM;
}

static unsigned style_met(const void *row)
{
  ROW;
  return r->job.collisions > 0 ? ROLE_BAD : ROLE_DIM;
}

static void count(struct buf *out, size_t n)
{
  if (n == 0) {
    format_nothing(out);
  } else {
    format_count(out, (int64_t)n);
  }
}

static void text_limit(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_count(out, r->job.limit);
}

static void text_peak(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  count(out, r->job.peak);
}

static void text_bar(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  chart_bar(out, BAR_CELLS, share_of(r));
}

static void text_at(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->job.peak_at_ms == WHEN_NONE) {
    format_nothing(out);
  } else {
    format_moment(out, r->job.peak_at_ms, env->now_ms, env->zone);
  }
}

static void text_active(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  count(out, r->job.active);
}

static void text_waiting(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  count(out, r->job.waiting);
}

static void text_met(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  count(out, r->job.collisions);
}

static void text_queue(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->job.queues ? "on" : "off");
}

#define BY(name, compare, value)                                                                                       \
  static int name(const void *a, const void *b, const struct list_env *env)                                            \
  {                                                                                                                    \
    const struct job_row *x = a, *y = b;                                                                               \
    (void)env;                                                                                                         \
    return compare((x->value), (y->value));                                                                            \
  }
#define AS_I64(x, y) compare_i64((int64_t)(x), (int64_t)(y))
BY(by_limit, AS_I64, job.limit)
BY(by_peak, AS_I64, job.peak)
BY(by_at, AS_I64, job.peak_at_ms)
BY(by_waiting, AS_I64, job.waiting)
BY(by_met, AS_I64, job.collisions)
#undef BY
#undef AS_I64

/* clang-format off */
static const struct list_column columns[] = {
    {.title = "JOB", .word = "job", .min = 18, .max = 44, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job},
    {.title = "LIMIT", .word = "limit", .min = 5, .max = 5, .worth = 99, .align = TEXT_RIGHT, .text = text_limit, .compare = by_limit, .big_first = true},
    {.title = "PEAK", .word = "peak", .min = 5, .max = 5, .worth = 98, .align = TEXT_RIGHT, .text = text_peak, .compare = by_peak, .big_first = true, .style = style_peak},
    {.title = "OF LIMIT", .min = BAR_CELLS, .max = BAR_CELLS, .worth = 90, .text = text_bar, .style = style_bar},
    {.title = "AT", .word = "at", .min = 9, .max = 16, .worth = 95, .text = text_at, .compare = by_at, .big_first = true},
    {.title = "NOW", .min = 4, .max = 4, .worth = 94, .align = TEXT_RIGHT, .text = text_active},
    {.title = "WAIT", .word = "waiting", .min = 4, .max = 4, .worth = 93, .align = TEXT_RIGHT, .text = text_waiting, .compare = by_waiting, .big_first = true, .style = style_waiting},
    {.title = "MET", .word = "met", .min = 4, .max = 4, .worth = 97, .align = TEXT_RIGHT, .text = text_met, .compare = by_met, .big_first = true, .style = style_met},
    {.title = "QUEUE", .min = 5, .max = 5, .worth = 80, .text = text_queue},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->job.collisions > 0 || r->job.waiting > 0;
}

const struct list_ops collisions_job_ops = {.row_size = sizeof(struct job_row),
                                            .columns = columns,
                                            .column_count = sizeof columns / sizeof columns[0],
                                            .fixed = 1,
                                            .problem = is_problem};

void collisions_add_jobs(struct board_view *b, const struct scene *scene, const struct collisions_result *r)
{
  for (size_t i = 0; i < r->job_count; i++) {
    struct job_row *row = board_add(b, scene, r->jobs[i].place, r->jobs[i].job, NULL, 0);
    row->job = r->jobs[i];
  }
}
