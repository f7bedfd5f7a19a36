/* What it costs: now, in the window, this month; by job, day, price class, tag; and the runs that cost more than usual. */
#include "views/burn_private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/timeline.h"
#include "views/desk.h"
#include "views/money.h"

#define DAILY_FROM (3 * WHEN_DAY) /* windows at least that long have a chart by day */

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err burn_open(struct view *v, const struct view_args *args)
{
  struct burn_state *s = v->state;
  (void)args;
  board_init(&s->board, burn_parts, BURN_PART_COUNT);
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
    row->before_nano = j->before_nano;
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

/* By day: each column has the figure of the day that its middle is in, so that a chart of any width has the days' heights. */
static void fill_daily(struct burn_state *s, const struct burn_result *r)
{
  s->peak = (struct load_peak){.runs_at_ms = WHEN_NONE, .dpu_at_ms = WHEN_NONE};
  size_t day = 0;
  for (size_t i = 0; i < s->value_count; i++) {
    int64_t at = timeline_column_ms(s->since_ms, s->until_ms, s->value_count, i);
    while (day < r->day_count && r->days[day].day_ms + WHEN_DAY <= at) {
      day++;
    }
    bool here = day < r->day_count && r->days[day].day_ms <= at;
    s->values[i] = !here ? 0 : s->in_dpu ? r->days[day].dpu_micros : r->days[day].nano;
  }
}

static void fill_chart(struct burn_state *s, const struct scene *scene, const struct burn_result *r)
{
  int width = scene->width - BURN_GUTTER - 1;
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
  } else if (s->in_dpu) {
    desk_curve(scene->desk, scene, s->since_ms, s->until_ms, s->value_count, s->values, &s->peak);
  } else {
    desk_money_curve(scene->desk, scene, s->since_ms, s->until_ms, s->value_count, s->values, &s->peak);
  }
}

static void burn_update(struct view *v, const struct scene *scene)
{
  struct burn_state *s = v->state;
  if (!s->in_dpu) {
    desk_want_money(scene->desk);
  }
  if (!board_begin(&s->board, scene)) {
    return;
  }
  const struct burn_result *r = desk_burn(scene->desk, scene);
  const struct board_measures *m = desk_measures(scene->desk);
  int64_t total = cost_sum_nano(&r->sum);
  s->head = (struct burn_head){.sum = r->sum,
                               .failed = r->failed,
                               .before_nano = r->before_nano,
                               .today_known = r->today_known,
                               .month_known = r->month_known,
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
                               .now_ms = scene->now_ms,
                               .budget_month_nano = m->budget_month_nano,
                               .budget_day_nano = m->budget_day_nano};
  memcpy(s->head.wastes, r->wastes, sizeof s->head.wastes);
  s->board.hidden[BURN_TAGS] = m->tag_count == 0;
  list_hide(board_list(&s->board), "unknown", r->sum.runs_unknown == 0);
  fill_chart(s, scene, r);
  arena_reset(&s->texts);
  board_begin_rows(&s->board, scene);
  switch (s->board.part) {
  case BURN_JOBS:
    add_jobs(s, scene, r, total);
    break;
  case BURN_DAYS:
    add_days(s, scene, r, total);
    break;
  case BURN_BY_CLASS:
    add_classes(s, scene, r, total);
    break;
  case BURN_TAGS:
    add_tags(s, scene, r, total);
    break;
  default:
    add_unusual(s, scene, r);
    break;
  }
  board_end_rows(&s->board, scene);
}

static void burn_draw(struct view *v, const struct pane *p)
{
  burn_draw_board(v->state, p);
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
  } else if (a == ACTION_MEASURE) {
    s->in_dpu = !s->in_dpu;
    out->stale = true;
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
  if (r == NULL || s->board.part == BURN_UNUSUAL_RUNS || s->board.part == BURN_DAYS) {
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
  if (r->before_nano > 0) {
    buf_adds(out, ", $");
    format_cents(out, r->before_nano);
    buf_adds(out, " of it before the window");
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
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_MONEY | HOLD_CHART,
    .flags = VIEW_CURVES,
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
