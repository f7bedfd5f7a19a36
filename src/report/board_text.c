/* The boards for people, and their lists as CSV: one set of rows for both. */
#include "report/boards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "report/cell.h"
#include "report/sheet.h"
#include "report/value.h"

static void add_job(struct sheet *t, const struct report_scope *s, int place, strid job)
{
  sheet_add(t, place >= 0 ? value_count(s->context_of_place[place]) : value_null());
  sheet_add(t, value_string(model_str(s->model, job)));
}

static void add_run(struct sheet *t, const struct report_scope *s, const struct run *r)
{
  char id[RUN_ID_MAX];
  sheet_add(t, value_string(r ? run_id_text(r, s->model->strings, id) : NULL));
}

static struct value money_or_null(int64_t nano)
{
  return nano < 0 ? value_null() : value_money(nano);
}

static void money(struct buf *out, int64_t nano)
{
  if (nano < 0) {
    buf_addc(out, '?');
  } else {
    report_money(nano, out);
  }
}

/* --- burn ----------------------------------------------------------------------------------------------------------- */

static const struct sheet_column burn_columns[] = {
    {"context", NULL},
    {"job", "JOB"},
    {"runs", "RUNS"},
    {"dpu_hours", "DPU-H"},
    {"usd", "USD"},
    {"usd_measured", NULL},
    {"usd_computed", NULL},
    {"usd_estimated", NULL},
    {"runs_unknown", "UNKNOWN"},
    {"share", "SHARE"},
    {"usd_per_run", "PER RUN"},
    {"usd_failed", "FAILED RUNS"},
};

static void burn_rows(struct boards *b, const struct report_scope *s, struct sheet *t)
{
  const struct burn_result *r = boards_burn(b, s);
  sheet_init(t, burn_columns, sizeof burn_columns / sizeof burn_columns[0]);
  for (size_t i = 0; i < r->job_count; i++) {
    const struct burn_job *j = &r->jobs[i];
    add_job(t, s, j->place, j->job);
    sheet_add(t, value_count((int64_t)j->sum.runs));
    sheet_add(t, value_double(cost_dpu_hours(cost_sum_dpu_micros(&j->sum))));
    sheet_add(t, value_money(cost_sum_nano(&j->sum)));
    sheet_add(t, value_money(j->sum.nano[COST_MEASURED]));
    sheet_add(t, value_money(j->sum.nano[COST_COMPUTED]));
    sheet_add(t, value_money(j->sum.nano[COST_ESTIMATED]));
    sheet_add(t, value_count((int64_t)j->sum.runs_unknown));
    sheet_add(t, value_double(j->share));
    sheet_add(t, money_or_null(j->per_run_nano));
    sheet_add(t, value_money(cost_sum_nano(&j->failed)));
  }
}

static void burn_head(struct boards *b, const struct report_scope *s, struct buf *out)
{
  const struct burn_result *r = boards_burn(b, s);
  buf_adds(out, "job runs only: no sessions, crawlers or Data Catalog\n");
  buf_adds(out, "window ");
  money(out, cost_sum_nano(&r->sum));
  buf_adds(out, "  measured ");
  money(out, r->sum.nano[COST_MEASURED]);
  buf_adds(out, ", computed ");
  money(out, r->sum.nano[COST_COMPUTED]);
  buf_adds(out, ", estimated ");
  money(out, r->sum.nano[COST_ESTIMATED]);
  buf_addf(out, "; %zu run%s unknown\n", r->sum.runs_unknown, r->sum.runs_unknown == 1 ? "" : "s");
  if (r->before_nano > 0) {
    buf_adds(out, "of the window's sum, ");
    money(out, r->before_nano);
    buf_adds(out, " were spent before it began\n");
  }
  buf_adds(out, "now ");
  money(out, r->nano_per_hour_now);
  buf_addf(out, "/h, %zu runs at work; if all go on to their timeouts ", r->active_runs);
  money(out, r->worst_nano);
  buf_adds(out, "\nmonth to date ");
  money(out, r->month_nano);
  buf_adds(out, ", forecast ");
  money(out, r->forecast_nano);
  buf_adds(out, "\n\n");
}

/* --- timeline ------------------------------------------------------------------------------------------------------- */

static const struct sheet_column timeline_columns[] = {
    {"context", NULL},         {"job", "JOB"},        {"run_id", NULL},      {"state", "STATE"},
    {"started_at", "STARTED"}, {"began_at", "BEGAN"}, {"ended_at", "ENDED"}, {"attempt", NULL},
};

static void timeline_rows(struct boards *b, const struct report_scope *s, struct sheet *t)
{
  const struct timeline_result *r = boards_timeline(b, s);
  int64_t to = s->until_ms == INT64_MAX ? s->now_ms : s->until_ms;
  struct timeline_bars bars;
  timeline_bars_init(&bars);
  sheet_init(t, timeline_columns, sizeof timeline_columns / sizeof timeline_columns[0]);
  for (size_t i = 0; i < r->lane_count; i++) {
    const struct timeline_lane *lane = &r->lanes[i];
    timeline_bars_fill(&bars, s->model, s->stats, NULL, lane->place, lane->job_index, s->since_ms, to, s->now_ms);
    for (size_t k = 0; k < bars.bar_count; k++) {
      const struct timeline_bar *bar = &bars.bars[k];
      add_job(t, s, lane->place, lane->job);
      add_run(t, s, &bar->run);
      sheet_add(t, value_string(bar->run.state == RUN_STATE_UNKNOWN ? model_str(s->model, bar->run.state_text)
                                                                    : run_state_info(bar->run.state)->word));
      sheet_add(t, value_time(bar->started_ms));
      sheet_add(t, value_time(bar->began_ms));
      sheet_add(t, value_time(bar->ended_ms));
      sheet_add(t, (struct value){.kind = VALUE_INT, .integer = bar->run.attempt});
    }
  }
  timeline_bars_fini(&bars);
}

/* --- collisions ----------------------------------------------------------------------------------------------------- */

static const struct sheet_column collision_columns[] = {
    {"context", NULL},      {"when", "WHEN"},       {"kind", "KIND"},
    {"job", "JOB"},         {"run_id", NULL},       {"waited_seconds", "WAITED"},
    {"other_run", "OTHER"}, {"trigger", "TRIGGER"}, {"confidence", "LIKELY"},
};

static void collision_row(struct sheet *t, const struct report_scope *s, int place, strid job, int64_t at,
                          const char *kind, const struct run *run, int64_t waited, const struct run *other,
                          strid trigger, double confidence)
{
  sheet_add(t, value_count(s->context_of_place[place]));
  sheet_add(t, value_time(at));
  sheet_add(t, value_string(kind));
  sheet_add(t, value_string(model_str(s->model, job)));
  add_run(t, s, run);
  sheet_add(t, value_count(waited));
  add_run(t, s, other);
  sheet_add(t, value_string(model_str(s->model, trigger)));
  sheet_add(t, value_double(confidence));
}

static void collision_rows(struct boards *b, const struct report_scope *s, struct sheet *t)
{
  const struct collisions_result *r = boards_collisions(b, s);
  sheet_init(t, collision_columns, sizeof collision_columns / sizeof collision_columns[0]);
  for (size_t i = 0; i < r->now_count; i++) {
    const struct collision_now *n = &r->now[i];
    int64_t waited = n->waiting_since_ms == WHEN_NONE ? -1 : (s->now_ms - n->waiting_since_ms) / WHEN_SECOND;
    collision_row(t, s, n->place, n->job, s->now_ms, n->waiting > 0 ? "waiting" : "at limit", NULL, waited,
                  n->active > 0 ? &n->holder : NULL, 0, (double)NAN);
  }
  for (size_t i = 0; i < r->predicted_count; i++) {
    const struct collision_predicted *p = &r->predicted[i];
    collision_row(t, s, p->place, p->job, p->at_ms, "predicted", NULL, -1, p->has_busy_run ? &p->busy_run : NULL,
                  p->trigger, p->confidence);
  }
  for (size_t i = 0; i < r->past_count; i++) {
    const struct collision *c = &r->past[i];
    collision_row(t, s, c->place, c->job, c->at_ms, collision_kind_word(c->kind), c->has_run ? &c->run : NULL,
                  c->waited_seconds, c->blocked_by_count > 0 ? &c->blocked_by[0] : NULL, 0, (double)NAN);
  }
}

static void collision_head(struct boards *b, const struct report_scope *s, struct buf *out)
{
  const struct collisions_result *r = boards_collisions(b, s);
  buf_addf(out, "past: %zu failed, %zu rejected here, %zu queued, %zu by the account\n", r->failed, r->rejected,
           r->queued, r->by_account);
  buf_adds(out, "starts that others had refused leave no trace in the service's answers\n\n");
}

/* --- timeouts ------------------------------------------------------------------------------------------------------- */

static const struct sheet_column timeout_columns[] = {
    {"context", NULL},
    {"job", "JOB"},
    {"timeout_minutes", "LIMIT(MIN)"},
    {"timeout_source", "SET BY"},
    {"p50_seconds", "P50"},
    {"p95_seconds", "P95"},
    {"max_seconds", "MAX"},
    {"runs", "RUNS"},
    {"used_now", "USED NOW"},
    {"exposure_usd", "EXPOSURE"},
    {"suggested_minutes", "SUGGEST(MIN)"},
};

static void timeout_rows(struct boards *b, const struct report_scope *s, struct sheet *t)
{
  const struct timeouts_result *r = boards_timeouts(b, s);
  sheet_init(t, timeout_columns, sizeof timeout_columns / sizeof timeout_columns[0]);
  for (size_t i = 0; i < r->advice_count; i++) {
    const struct timeout_advice *a = &r->advice[i];
    add_job(t, s, a->place, a->job);
    sheet_add(t, a->timeout_minutes > 0 ? value_count(a->timeout_minutes) : value_null());
    sheet_add(t, value_string(timeout_source_word(a->source)));
    sheet_add(t, value_double(a->times.p50));
    sheet_add(t, value_double(a->times.p95));
    sheet_add(t, value_double(a->times.max));
    sheet_add(t, value_count((int64_t)a->times.count));
    sheet_add(t, value_double(a->used_now));
    sheet_add(t, a->exposure_kind == COST_LIMIT_KNOWN ? value_money(a->exposure_nano) : value_null());
    sheet_add(t, value_count(a->suggested_minutes));
  }
}

static void timeout_head(struct boards *b, const struct report_scope *s, struct buf *out)
{
  const struct timeouts_result *r = boards_timeouts(b, s);
  for (size_t i = 0; i < r->at_risk_count; i++) {
    const struct timeout_at_risk *a = &r->at_risk[i];
    char id[RUN_ID_MAX], span[WHEN_TEXT_MAX];
    char *job = text_clean_dup(model_str(s->model, a->job), TEXT_LINE);
    char *run = text_clean_dup(run_id_text(&a->run, s->model->strings, id), TEXT_LINE);
    buf_addf(out, "%-6s  %s  %s  at work %s of %d min (%.0f%%)\n", timeout_risk_word(a->risk), job, run,
             when_format_span(a->elapsed_seconds * WHEN_SECOND, span), (int)a->timeout_minutes, a->used * 100.0);
    free(run);
    free(job);
  }
  buf_adds(out, r->at_risk_count > 0 ? "\n" : "no run in flight is near its timeout\n\n");
}

/* --- what needs a person -------------------------------------------------------------------------------------------- */

static const struct sheet_column check_columns[] = {
    {"context", NULL}, {"severity", "SEVERITY"}, {"job", "JOB"},
    {"run_id", NULL},  {"since", "SINCE"},       {"reason", "REASON"},
};

static void check_rows(struct boards *b, const struct report_scope *s, struct sheet *t)
{
  const struct home_result *h = boards_home(b, s, s->since_ms);
  sheet_init(t, check_columns, sizeof check_columns / sizeof check_columns[0]);
  for (size_t i = 0; i < h->count; i++) {
    const struct home_item *item = &h->items[i];
    char *reason = item->reason && *item->reason ? xasprintf("%s: %s", item->what, item->reason) : xstrdup(item->what);
    sheet_add(t, item->place >= 0 ? value_count(s->context_of_place[item->place]) : value_null());
    sheet_add(t, value_string(home_severity_word(item->severity)));
    sheet_add(t, value_string(model_str(s->model, item->job)));
    add_run(t, s, item->has_run ? &item->run : NULL);
    sheet_add(t, value_time(item->since_ms));
    sheet_add(t, value_string(reason));
    free(reason);
  }
}

static void check_head(struct boards *b, const struct report_scope *s, struct buf *out)
{
  const struct home_result *h = boards_home(b, s, s->since_ms);
  buf_addf(out, "%zu jobs watched", h->jobs_watched);
  if (h->jobs_unread > 0) {
    buf_addf(out, ", of %zu the latest runs are not known", h->jobs_unread);
  }
  buf_adds(out, h->count == 0 ? "; all is well\n" : "\n\n");
}

static const struct {
  void (*rows)(struct boards *b, const struct report_scope *s, struct sheet *t);
  void (*head)(struct boards *b, const struct report_scope *s, struct buf *out); /* or NULL */
} forms[] = {
    [BOARD_BURN] = {burn_rows, burn_head},
    [BOARD_TIMELINE] = {timeline_rows, NULL},
    [BOARD_COLLISIONS] = {collision_rows, collision_head},
    [BOARD_TIMEOUTS] = {timeout_rows, timeout_head},
    [BOARD_CHECK] = {check_rows, check_head},
};

void report_board_csv(struct boards *b, enum board which, const struct report_scope *scope, struct buf *out)
{
  struct sheet t;
  forms[which].rows(b, scope, &t);
  sheet_csv(&t, out);
  sheet_fini(&t);
}

void report_board_text(struct boards *b, enum board which, const struct report_scope *scope, struct buf *out)
{
  struct sheet t;
  if (forms[which].head) {
    forms[which].head(b, scope, out);
  }
  forms[which].rows(b, scope, &t);
  sheet_text(&t, scope->zone, out);
  sheet_fini(&t);
}
