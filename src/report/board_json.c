/* The boards in the contract's JSON. */
#include "report/boards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/members.h"

/* Columns of the concurrent-DPU curve are its own steps; a window of months has at most this many in JSON. */
enum { STEPS_MAX = 20000 };

static void write_bars(struct jw *w, const struct report_scope *s, const struct timeline_bars *bars)
{
  jw_name(w, "bars");
  jw_array(w);
  for (size_t i = 0; i < bars->bar_count; i++) {
    const struct timeline_bar *bar = &bars->bars[i];
    const char *state = bar->run.state == RUN_STATE_UNKNOWN ? model_str(s->model, bar->run.state_text)
                                                            : run_state_info(bar->run.state)->word;
    jw_object(w);
    member_run(w, "run_id", s, &bar->run);
    member_str(w, "state", state);
    member_time(w, "started_at", bar->started_ms);
    member_time(w, "began_at", bar->began_ms);
    member_time(w, "ended_at", bar->ended_ms);
    jw_name(w, "attempt");
    jw_i64(w, bar->run.attempt);
    jw_name(w, "collided");
    jw_bool(w, bar->collided);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "planned");
  jw_array(w);
  for (size_t i = 0; i < bars->planned_count; i++) {
    const struct timeline_planned *p = &bars->planned[i];
    jw_object(w);
    member_time(w, "at", p->at_ms);
    member_str(w, "trigger", model_str(s->model, p->trigger));
    member_f64(w, "expected_seconds", p->end_ms == WHEN_NONE ? (double)NAN : (double)(p->end_ms - p->at_ms) / 1000.0);
    jw_end_object(w);
  }
  jw_end_array(w);
}

/* Each place's steps; the peak is that of all places on show together, as on the screen. */
static void write_curve(struct boards *b, const struct report_scope *s, int64_t from, int64_t to, struct jw *w)
{
  struct load_step *steps = xcalloc(STEPS_MAX, sizeof *steps);
  struct load_peak peak;
  jw_name(w, "dpu");
  jw_array(w);
  for (size_t p = 0; p < s->model->place_count; p++) {
    if (boards_shows(b, s->model, (int)p)) {
      struct load *load = loads_of(boards_loads(b), (int)p);
      size_t n = load_steps(load, from, to, steps, STEPS_MAX);
      for (size_t i = 0; i < n && i < STEPS_MAX; i++) {
        jw_object(w);
        jw_name(w, "context");
        jw_i64(w, s->context_of_place[p]);
        member_time(w, "at", steps[i].at_ms);
        member_f64(w, "dpu", (double)steps[i].dpu_micros / 1e6);
        jw_end_object(w);
      }
    }
  }
  jw_end_array(w);
  boards_curve(b, s, from, to, 0, NULL, &peak);
  member_f64(w, "peak_dpu", (double)peak.dpu_micros / 1e6);
  member_time(w, "peak_at", peak.dpu_at_ms);
  free(steps);
}

static void write_gap(struct jw *w, const struct report_scope *s, const struct timeline_lane *lane,
                      const struct span *gap)
{
  jw_object(w);
  member_job(w, s, lane->place, lane->job);
  member_time(w, "from", gap->from_ms == INT64_MIN ? WHEN_NONE : gap->from_ms);
  member_time(w, "to", gap->to_ms);
  jw_end_object(w);
}

static void write_timeline(struct boards *b, const struct report_scope *s, struct jw *w)
{
  const struct timeline_result *r = boards_timeline(b, s);
  int64_t to = s->until_ms == INT64_MAX ? s->now_ms + WHEN_DAY : s->until_ms;
  int64_t from = s->since_ms;
  for (size_t i = 0; i < r->lane_count && s->since_ms == INT64_MIN; i++) { /* all: from the first run on */
    int64_t first = r->lanes[i].first_ms;
    from = first != WHEN_NONE && (from == INT64_MIN || first < from) ? first : from;
  }
  from = from == INT64_MIN ? s->now_ms : from;
  struct timeline_bars bars;
  timeline_bars_init(&bars);
  member_time(w, "from", from);
  member_time(w, "to", to);
  jw_name(w, "lanes");
  jw_array(w);
  for (size_t i = 0; i < r->lane_count; i++) {
    const struct timeline_lane *lane = &r->lanes[i];
    timeline_bars_fill(&bars, s->model, s->stats, boards_plan(b), lane->place, lane->job_index, from, to, s->now_ms);
    jw_object(w);
    member_job(w, s, lane->place, lane->job);
    write_bars(w, s, &bars);
    jw_end_object(w);
  }
  jw_end_array(w);
  write_curve(b, s, from, to < s->now_ms ? to : s->now_ms, w);
  jw_name(w, "gaps");
  jw_array(w);
  for (size_t i = 0; i < r->lane_count; i++) {
    const struct timeline_lane *lane = &r->lanes[i];
    timeline_bars_fill(&bars, s->model, s->stats, NULL, lane->place, lane->job_index, from, to, s->now_ms);
    for (size_t k = 0; k < bars.gap_count; k++) {
      write_gap(w, s, lane, &bars.gaps[k]);
    }
  }
  jw_end_array(w);
  timeline_bars_fini(&bars);
}

static void write_past(struct jw *w, const struct report_scope *s, const struct collision *c)
{
  jw_object(w);
  member_job(w, s, c->place, c->job);
  member_time(w, "at", c->at_ms);
  member_str(w, "kind", collision_kind_word(c->kind));
  member_run(w, "run_id", s, c->has_run ? &c->run : NULL);
  jw_name(w, "blocked_by");
  jw_array(w);
  for (size_t k = 0; k < c->blocked_by_count; k++) {
    char id[RUN_ID_MAX];
    jw_str(w, run_id_text(&c->blocked_by[k], s->model->strings, id));
  }
  jw_end_array(w);
  member_i64(w, "waited_seconds", c->waited_seconds);
  jw_end_object(w);
}

/* All that an account may have at once, and when Service Quotas was read. */
static void write_quotas(const struct boards *b, struct jw *w, const struct report_scope *s, int place)
{
  jw_name(w, "quotas");
  jw_array(w);
  for (int kind = 0; kind < QUOTA_KIND_COUNT; kind++) {
    const struct quota_info *info = quota_info((enum quota_kind)kind);
    struct quota q = board_quota_of(boards_measures(b), s->model, place, (enum quota_kind)kind);
    jw_object(w);
    member_str(w, "quota", info->word);
    member_str(w, "code", info->code);
    member_f64(w, "value", q.value);
    member_str(w, "source", quota_origin_word(q.origin));
    jw_end_object(w);
  }
  jw_end_array(w);
  member_time(w, "quotas_read_at", s->model->places[place].quotas_fresh.fetched_ms);
  member_str(w, "quotas_error",
             err_is(&s->model->places[place].quotas_fresh.last_err)
                 ? err_message(&s->model->places[place].quotas_fresh.last_err)
                 : NULL);
}

static void write_account(const struct boards *b, struct jw *w, const struct report_scope *s,
                          const struct collision_account *a)
{
  jw_object(w);
  jw_name(w, "context");
  jw_i64(w, s->context_of_place[a->place]);
  member_i64(w, "active_runs", (int64_t)a->active_runs);
  member_i64(w, "waiting_runs", (int64_t)a->waiting_runs);
  member_i64(w, "runs_limit", a->runs_limit);
  member_f64(w, "dpu", (double)a->dpu_micros / 1e6);
  member_f64(w, "dpu_limit", a->dpu_limit);
  jw_name(w, "limits_assumed");
  jw_bool(w, a->assumed);
  member_str(w, "runs_limit_source", quota_origin_word(a->runs_origin));
  member_str(w, "dpu_limit_source", quota_origin_word(a->dpu_origin));
  member_f64(w, "peak_dpu", (double)a->peak.dpu_micros / 1e6);
  member_time(w, "peak_at", a->peak.dpu_at_ms);
  member_i64(w, "peak_runs", a->peak.runs);
  write_quotas(b, w, s, a->place);
  jw_end_object(w);
}

static void write_collisions(struct boards *b, const struct report_scope *s, struct jw *w)
{
  const struct collisions_result *r = boards_collisions(b, s);
  jw_name(w, "past");
  jw_array(w);
  for (size_t i = 0; i < r->past_count; i++) {
    write_past(w, s, &r->past[i]);
  }
  jw_end_array(w);
  jw_name(w, "now");
  jw_array(w);
  for (size_t i = 0; i < r->now_count; i++) {
    const struct collision_now *n = &r->now[i];
    jw_object(w);
    member_job(w, s, n->place, n->job);
    member_i64(w, "active", (int64_t)n->active);
    member_i64(w, "waiting", (int64_t)n->waiting);
    member_i64(w, "limit", n->limit);
    member_run(w, "held_by", s, n->active > 0 ? &n->holder : NULL);
    member_time(w, "waiting_since", n->waiting_since_ms);
    member_str(w, "reason", model_str(s->model, n->reason));
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "predicted");
  jw_array(w);
  for (size_t i = 0; i < r->predicted_count; i++) {
    const struct collision_predicted *p = &r->predicted[i];
    jw_object(w);
    member_job(w, s, p->place, p->job);
    member_time(w, "at", p->at_ms);
    member_str(w, "trigger", model_str(s->model, p->trigger));
    member_run(w, "busy_run", s, p->has_busy_run ? &p->busy_run : NULL);
    member_time(w, "busy_until", p->busy_until_ms);
    member_time(w, "busy_until_late", p->busy_until_late_ms);
    member_f64(w, "confidence", p->confidence);
    jw_name(w, "advice");
    jw_array(w);
    static const struct {
      enum collision_advice bit;
      const char *word;
    } advice[] = {{COLLISION_ADVISE_QUEUING, "queuing"},
                  {COLLISION_ADVISE_LIMIT, "limit"},
                  {COLLISION_ADVISE_LATER, "later"},
                  {COLLISION_ADVISE_FASTER, "faster"}};
    for (size_t k = 0; k < sizeof advice / sizeof advice[0]; k++) {
      if (p->advice & (unsigned)advice[k].bit) {
        jw_str(w, advice[k].word);
      }
    }
    jw_end_array(w);
    member_time(w, "suggested_at", p->suggested_ms);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "account");
  if (r->account_count > 0) {
    write_account(b, w, s, &r->accounts[0]);
  } else {
    jw_null(w);
  }
  jw_name(w, "accounts");
  jw_array(w);
  for (size_t i = 0; i < r->account_count; i++) {
    write_account(b, w, s, &r->accounts[i]);
  }
  jw_end_array(w);
  jw_name(w, "jobs");
  jw_array(w);
  for (size_t i = 0; i < r->job_count; i++) {
    const struct collision_job *j = &r->jobs[i];
    jw_object(w);
    member_job(w, s, j->place, j->job);
    member_i64(w, "limit", j->limit);
    jw_name(w, "queuing");
    jw_bool(w, j->queues);
    member_i64(w, "peak_runs", (int64_t)j->peak);
    member_time(w, "peak_at", j->peak_at_ms);
    member_i64(w, "active", (int64_t)j->active);
    member_i64(w, "waiting", (int64_t)j->waiting);
    member_i64(w, "collisions", (int64_t)j->collisions);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "warnings");
  jw_array(w);
  for (size_t i = 0; i < r->warning_count; i++) {
    jw_object(w);
    member_job(w, s, r->warnings[i].place, r->warnings[i].job);
    member_i64(w, "limit", r->warnings[i].limit);
    member_str(w, "why", "bookmarks are on and runs at once lose or repeat data");
    jw_end_object(w);
  }
  jw_end_array(w);
  member_str(w, "note", "starts that others had refused leave no trace in the service's answers");
}

static void write_timeouts(struct boards *b, const struct report_scope *s, struct jw *w)
{
  const struct timeouts_result *r = boards_timeouts(b, s);
  jw_name(w, "at_risk");
  jw_array(w);
  for (size_t i = 0; i < r->at_risk_count; i++) {
    const struct timeout_at_risk *a = &r->at_risk[i];
    jw_object(w);
    member_job(w, s, a->place, a->job);
    member_run(w, "run_id", s, &a->run);
    member_i64(w, "elapsed_seconds", a->elapsed_seconds);
    member_i64(w, "timeout_minutes", a->timeout_minutes);
    member_f64(w, "used", a->used);
    member_f64(w, "expected_seconds", a->expected_seconds);
    member_str(w, "risk", timeout_risk_word(a->risk));
    member_time(w, "ends_at", a->ends_ms);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "past");
  jw_array(w);
  for (size_t i = 0; i < r->past_count; i++) {
    const struct timeout_past *p = &r->past[i];
    jw_object(w);
    member_job(w, s, p->place, p->job);
    member_run(w, "run_id", s, &p->run);
    member_time(w, "at", p->at_ms);
    member_i64(w, "timeout_minutes", p->timeout_minutes);
    member_money(w, "usd", p->cost.usd_basis == COST_UNKNOWN ? -1 : p->cost.nano);
    jw_end_object(w);
  }
  jw_end_array(w);
  member_money(w, "past_usd", cost_sum_nano(&r->past_sum));
  jw_name(w, "advice");
  jw_array(w);
  for (size_t i = 0; i < r->advice_count; i++) {
    const struct timeout_advice *a = &r->advice[i];
    jw_object(w);
    member_job(w, s, a->place, a->job);
    member_i64(w, "timeout_minutes", a->timeout_minutes > 0 ? a->timeout_minutes : -1);
    member_str(w, "timeout_source", timeout_source_word(a->source));
    member_f64(w, "p50_seconds", a->times.p50);
    member_f64(w, "p95_seconds", a->times.p95);
    member_f64(w, "max_seconds", a->times.max);
    member_i64(w, "runs", (int64_t)a->times.count);
    member_i64(w, "suggested_minutes", a->suggested_minutes);
    member_money(w, "exposure_usd", a->exposure_kind == COST_LIMIT_KNOWN ? a->exposure_nano : -1);
    member_str(w, "maintenance_window", model_str(s->model, a->maintenance_window));
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_check(struct boards *b, const struct report_scope *s, struct jw *w)
{
  const struct home_result *h = boards_home(b, s, s->since_ms);
  jw_name(w, "items");
  jw_array(w);
  for (size_t i = 0; i < h->count; i++) {
    const struct home_item *item = &h->items[i];
    jw_object(w);
    member_str(w, "severity", home_severity_word(item->severity));
    member_job(w, s, item->place, item->job);
    member_run(w, "run_id", s, item->has_run ? &item->run : NULL);
    char *reason = item->reason && *item->reason ? xasprintf("%s: %s", item->what, item->reason) : xstrdup(item->what);
    member_str(w, "reason", reason);
    free(reason);
    member_time(w, "since", item->since_ms);
    jw_end_object(w);
  }
  jw_end_array(w);
  member_i64(w, "jobs_watched", (int64_t)h->jobs_watched);
  member_i64(w, "jobs_unread", (int64_t)h->jobs_unread);
  member_time(w, "looking_since", h->looking_since_ms == INT64_MIN ? WHEN_NONE : h->looking_since_ms);
}

void report_write_board(struct boards *b, enum board which, const struct report_scope *scope, struct jw *w)
{
  switch (which) {
  case BOARD_BURN:
    report_write_burn(b, scope, w);
    break;
  case BOARD_TIMELINE:
    write_timeline(b, scope, w);
    break;
  case BOARD_COLLISIONS:
    write_collisions(b, scope, w);
    break;
  case BOARD_TIMEOUTS:
    write_timeouts(b, scope, w);
    break;
  case BOARD_CHECK:
    write_check(b, scope, w);
    break;
  }
}
