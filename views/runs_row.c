#include "views/runs_row.h"

#include <math.h>
#include <string.h>
#include "model/error_line.h"
#include "views/format.h"
#include "views/money.h"
#include "views/rows.h"

#define ROW const struct runs_row *r = row

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, sign(format_state_sign((enum run_state)r->run.state)));
}

static unsigned style_state(const void *row)
{
  ROW;
  return format_state_style((enum run_state)r->run.state);
}

static void text_job(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  buf_adds(out, strpool_get(env->strings, r->job));
}

static void text_run(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  char id[RUN_ID_MAX];
  buf_adds(out, run_id_text(&r->run, env->strings, id));
}

static void text_state(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  buf_adds(out, format_state_word(env->strings, &r->run));
}

static void text_started(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  format_moment_brief(out, r->run.started_ms, env->now_ms, env->zone);
}

static void text_took(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  int64_t took = rows_took_ms(&r->run, env->now_ms);
  if (r->run.state == RUN_WAITING || took == WHEN_NONE) {
    format_nothing(out);
  } else {
    format_span(out, took);
  }
}

/* Share of the limit, for runs that it can still end, and those that it has ended. */
static double used(const struct runs_row *r, int64_t now_ms)
{
  double share = (double)NAN;
  int64_t took = rows_took_ms(&r->run, now_ms);
  if (r->timeout_minutes > 0 && took != WHEN_NONE && r->run.state != RUN_WAITING) {
    share = (double)took / ((double)r->timeout_minutes * (double)WHEN_MINUTE);
  }
  return share;
}

static void text_used(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  double share = used(r, env->now_ms);
  if (isnan(share)) {
    format_nothing(out);
  } else {
    buf_addf(out, "%.0f%%", share > 9.99 ? 999.0 : floor(share * 100.0));
  }
}

static unsigned style_used(const void *row)
{
  ROW;
  unsigned style = ROLE_DIM;
  if (!run_finished(&r->run)) {
    double share = used(r, r->run.fetched_ms);
    style = share >= 0.9 ? ROLE_BAD : share >= 0.75 ? ROLE_WARN : ROLE_TEXT;
  }
  return style;
}

static void text_limit(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_minutes(out, r->timeout_minutes);
}

static unsigned style_dim(const void *row)
{
  (void)row;
  return ROLE_DIM;
}

static void text_dpu(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->run.flags & RUN_FLAG_AUTO_SCALING) {
    buf_adds(out, isnan(r->dpu) ? "" : "~");
  }
  format_dpu(out, r->dpu);
}

static void text_cost(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_cost(out, &r->cost);
}

static void text_attempt(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->run.attempt > 0) {
    buf_addf(out, "%d", r->run.attempt);
  } else {
    format_nothing(out);
  }
}

static void text_class(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  if (r->run.execution_class == CLASS_FLEX) {
    buf_adds(out, "flex");
  } else {
    format_nothing(out);
  }
}

static void text_trigger(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *trigger = strpool_get(env->strings, r->run.trigger);
  if (trigger != NULL && trigger[0] != '\0') {
    buf_adds(out, trigger);
  } else {
    format_nothing(out);
  }
}

static void text_version(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *version = strpool_get(env->strings, r->run.glue_version);
  buf_adds(out, version != NULL ? version : sign(SIGN_NOTHING));
}

static void text_workers(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *type = strpool_get(env->strings, r->run.worker_type);
  if (r->run.workers > 0) {
    buf_addf(out, "%d%s%s", r->run.workers, text_is_ascii() ? "x" : "\u00d7", type != NULL ? type : "?");
  } else {
    format_nothing(out);
  }
}

static void text_error(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  const char *error = strpool_get(env->strings, r->run.error), *detail = strpool_get(env->strings, r->run.state_detail);
  if (error != NULL && error[0] != '\0') {
    error_line(out, error);
  } else if (detail != NULL) {
    buf_adds(out, detail);
  }
}

static unsigned style_error(const void *row)
{
  ROW;
  return format_is_failure((enum run_state)r->run.state) ? ROLE_TEXT : ROLE_DIM;
}

static void text_place(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->place_label != NULL ? r->place_label : "");
}

/* --- order ---------------------------------------------------------------------------------------------------------- */

#define PAIR const struct runs_row *x = a, *y = b

static int by_started(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  int result = compare_i64(x->run.started_ms, y->run.started_ms);
  return result != 0 ? result : memcmp(&x->key, &y->key, sizeof x->key);
}

static int by_job(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  return compare_pooled(env->strings, x->job, y->job);
}

static int rank(const struct run *r)
{
  enum run_state s = (enum run_state)r->state;
  return format_is_failure(s)                    ? 4
         : s == RUN_WAITING || s == RUN_STOPPING ? 3
         : !run_finished(r)                      ? 2
         : s == RUN_STOPPED                      ? 1
                                                 : 0;
}

static int by_state(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  int result = compare_i64(rank(&x->run), rank(&y->run));
  return result != 0 ? result : by_started(a, b, env);
}

static int by_took(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  return compare_i64(rows_took_ms(&x->run, env->now_ms), rows_took_ms(&y->run, env->now_ms));
}

static int by_used(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  bool live_x = !run_finished(&x->run), live_y = !run_finished(&y->run);
  int result = compare_i64(live_x, live_y); /* a limit is a question of what still runs */
  return result != 0 ? result : compare_f64(used(x, env->now_ms), used(y, env->now_ms));
}

static int by_limit(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_i64(x->timeout_minutes, y->timeout_minutes);
}

static int by_dpu(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_f64(x->dpu, y->dpu);
}

static int by_cost(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_i64(x->cost.nano, y->cost.nano);
}

static int by_place(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  int result = compare_i64(x->key.place, y->key.place);
  return result != 0 ? result : by_started(a, b, env);
}

static int by_trigger(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  return compare_pooled(env->strings, x->run.trigger, y->run.trigger);
}

static int by_attempt(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  (void)env;
  return compare_i64(x->run.attempt, y->run.attempt);
}

static int by_error(const void *a, const void *b, const struct list_env *env)
{
  PAIR;
  return compare_pooled(env->strings, x->run.error, y->run.error);
}

/* clang-format off */
#define COLUMN_SIGN \
  {.title = NULL, .word = "state", .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style_state, .compare = by_state, .big_first = true}
#define COLUMNS_OF_RUN \
  {.title = "STATE", .min = 9, .max = 9, .worth = 99, .searched = true, .text = text_state, .style = style_state}, \
  {.title = "STARTED", .word = "started", .min = 9, .max = 11, .wish = 11, .worth = 98, .text = text_started, .compare = by_started, .big_first = true}, \
  {.title = "TOOK", .word = "took", .min = 7, .max = 7, .worth = 97, .align = TEXT_RIGHT, .text = text_took, .compare = by_took, .big_first = true}, \
  {.title = "USED", .word = "used", .min = 4, .max = 4, .worth = 90, .align = TEXT_RIGHT, .text = text_used, .style = style_used, .compare = by_used, .big_first = true}, \
  {.title = "LIMIT", .word = "limit", .min = 5, .max = 6, .worth = 70, .align = TEXT_RIGHT, .text = text_limit, .style = style_dim, .compare = by_limit, .big_first = true}, \
  {.title = "DPU", .word = "dpu", .min = 6, .max = 6, .worth = 88, .align = TEXT_RIGHT, .text = text_dpu, .compare = by_dpu, .big_first = true}, \
  {.title = "USD", .word = "usd", .min = 8, .max = 9, .worth = 84, .align = TEXT_RIGHT, .text = text_cost, .compare = by_cost, .big_first = true}, \
  {.title = "TRY", .word = "attempt", .min = 3, .max = 3, .worth = 60, .align = TEXT_RIGHT, .text = text_attempt, .compare = by_attempt, .big_first = true}, \
  {.title = "CLASS", .min = 5, .max = 5, .worth = 40, .text = text_class}, \
  {.title = "VER", .min = 4, .max = 4, .worth = 35, .align = TEXT_RIGHT, .text = text_version}, \
  {.title = "WORKERS", .min = 8, .max = 11, .worth = 30, .text = text_workers}, \
  {.title = "TRIGGER", .word = "trigger", .min = 12, .max = 28, .worth = 55, .searched = true, .text = text_trigger, .compare = by_trigger}
#define COLUMN_ERROR \
  {.title = "ERROR", .word = "error", .min = 10, .max = 400, .worth = 85, .wish = 40, .greedy = true, .searched = true, .text = text_error, .style = style_error, .compare = by_error}
#define COLUMN_PLACE {.title = "ACCOUNT", .word = "account", .min = 10, .max = 28, .worth = 86, .searched = true, .text = text_place, .compare = by_place}

static const struct list_column all_columns[] = {
    COLUMN_SIGN,
    {.title = "JOB", .word = "job", .min = 18, .max = 44, .worth = 100, .name = true, .searched = true, .text = text_job, .compare = by_job},
    COLUMNS_OF_RUN,
    COLUMN_PLACE,
    {.title = "RUN", .min = 12, .max = 12, .worth = 50, .searched = true, .text = text_run},
    COLUMN_ERROR,
};

static const struct list_column one_columns[] = {
    COLUMN_SIGN,
    {.title = "RUN", .min = 12, .max = 12, .worth = 100, .name = true, .searched = true, .text = text_run},
    COLUMNS_OF_RUN,
    COLUMN_ERROR,
    {.title = "RUN ID", .min = 67, .max = 80, .worth = 10, .text = text_run},
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return format_is_failure((enum run_state)r->run.state);
}

static bool is_new(const void *row)
{
  ROW;
  return r->is_new;
}

const struct list_ops runs_all_ops = {.row_size = sizeof(struct runs_row),
                                      .columns = all_columns,
                                      .column_count = sizeof all_columns / sizeof all_columns[0],
                                      .fixed = 2,
                                      .problem = is_problem,
                                      .is_new = is_new};
const struct list_ops runs_one_ops = {.row_size = sizeof(struct runs_row),
                                      .columns = one_columns,
                                      .column_count = sizeof one_columns / sizeof one_columns[0],
                                      .fixed = 2,
                                      .problem = is_problem,
                                      .is_new = is_new};
