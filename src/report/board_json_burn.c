/* The burn board in the contract's JSON. */
#include "report/boards.h"

#include <string.h>

#include "report/members.h"

static void write_sum(struct jw *w, const struct cost_sum *sum)
{
  member_hours(w, "dpu_hours", cost_sum_dpu_micros(sum));
  member_money(w, "usd", cost_sum_nano(sum));
  jw_name(w, "usd_by_basis");
  report_write_by_basis(sum, w);
  member_i64(w, "runs_unknown", (int64_t)sum->runs_unknown);
}

static void write_classes(struct jw *w, const struct burn_result *r)
{
  jw_name(w, "by_class");
  jw_array(w);
  for (size_t i = 0; i < BURN_CLASSES; i++) {
    if (r->classes[i].runs > 0) {
      jw_object(w);
      member_str(w, "class", price_item_word((enum price_item)(i / PRICE_GENERATION_COUNT)));
      member_str(w, "glue", i % PRICE_GENERATION_COUNT == PRICE_GEN_2 ? "6.0" : "to 5.1");
      member_i64(w, "runs", (int64_t)r->classes[i].runs);
      write_sum(w, &r->classes[i]);
      jw_end_object(w);
    }
  }
  jw_end_array(w);
}

static bool region_before(const struct boards *b, const struct model *m, size_t place)
{
  for (size_t p = 0; p < place; p++) {
    if (boards_shows(b, m, (int)p) && strcmp(m->places[p].region, m->places[place].region) == 0) {
      return true;
    }
  }
  return false;
}

/* The prices in use in each Region: where they are from, and of when. */
static void write_prices(struct jw *w, const struct boards *b, const struct report_scope *s)
{
  static const char *const origins[] = {[PRICE_BUILT_IN] = "built in",
                                        [PRICE_BY_RATIO] = "by ratio",
                                        [PRICE_FROM_LIST] = "price list",
                                        [PRICE_OVERRIDE] = "config"};
  jw_name(w, "prices");
  jw_array(w);
  for (size_t p = 0; p < s->model->place_count; p++) {
    const char *region = s->model->places[p].region;
    if (!boards_shows(b, s->model, (int)p) || region_before(b, s->model, p)) {
      continue;
    }
    for (size_t i = 0; i < BURN_CLASSES; i++) {
      enum price_item item = (enum price_item)(i / PRICE_GENERATION_COUNT);
      enum price_generation generation = (enum price_generation)(i % PRICE_GENERATION_COUNT);
      struct price price = price_find(s->prices, region, item, generation);
      if (generation == PRICE_GEN_2 && (item == PRICE_PYTHON || item == PRICE_RAY)) {
        continue;
      }
      jw_object(w);
      member_str(w, "region", region);
      member_str(w, "class", price_item_word(item));
      member_str(w, "glue", generation == PRICE_GEN_2 ? "6.0" : "to 5.1");
      member_money(w, "usd_per_dpu_hour", price.known ? price.nano_per_hour : -1);
      jw_name(w, "estimated");
      jw_bool(w, price.known && price.estimated);
      member_str(w, "source", price.known ? origins[price.origin] : NULL);
      member_str(w, "from", price.source && price.source[0] ? price.source : NULL);
      member_str(w, "date", price.date && price.date[0] ? price.date : NULL);
      jw_end_object(w);
    }
  }
  jw_end_array(w);
}

static void write_tags(struct jw *w, const struct boards *b, const struct report_scope *s, const struct burn_result *r)
{
  const struct board_measures *m = boards_measures(b);
  jw_name(w, "by_tag");
  jw_array(w);
  for (size_t i = 0; i < m->tag_count; i++) {
    struct cost_sum sum = burn_group(r, s->model, m->tags[i].jobs);
    jw_object(w);
    member_str(w, "tag", m->tags[i].name);
    member_str(w, "jobs", m->tags[i].jobs);
    member_i64(w, "runs", (int64_t)sum.runs);
    write_sum(w, &sum);
    jw_end_object(w);
  }
  jw_end_array(w);
}

/* Runs that cost more than twice what their job's runs usually do. */
static void write_unusual(struct jw *w, const struct report_scope *s, const struct burn_result *r)
{
  jw_name(w, "unusual");
  jw_array(w);
  for (size_t i = 0; i < r->unusual_count; i++) {
    const struct burn_unusual *u = &r->unusual[i];
    jw_object(w);
    member_job(w, s, u->place, u->job);
    member_run(w, "run_id", s, &u->run);
    member_time(w, "started_at", u->run.started_ms);
    member_money(w, "usd", u->nano);
    member_money(w, "usd_usual", u->median_nano);
    jw_end_object(w);
  }
  jw_end_array(w);
}

void report_write_burn(struct boards *b, const struct report_scope *s, struct jw *w)
{
  const struct burn_result *r = boards_burn(b, s);
  member_str(w, "covers", "job runs only: no sessions, crawlers or Data Catalog");
  member_i64(w, "active_runs", (int64_t)r->active_runs);
  member_i64(w, "waiting_runs", (int64_t)r->waiting_runs);
  member_f64(w, "dpu_now", (double)r->dpu_now_micros / 1e6);
  member_money(w, "usd_per_hour_now", r->nano_per_hour_now);
  write_sum(w, &r->sum);
  jw_name(w, "failed");
  jw_object(w);
  member_i64(w, "runs", (int64_t)r->failed.runs);
  write_sum(w, &r->failed);
  jw_name(w, "by_state");
  jw_object(w);
  for (size_t i = 0; i < BURN_WASTES; i++) {
    jw_name(w, burn_waste_word((enum burn_waste)i));
    jw_object(w);
    member_i64(w, "runs", (int64_t)r->wastes[i].runs);
    member_money(w, "usd", cost_sum_nano(&r->wastes[i]));
    jw_end_object(w);
  }
  jw_end_object(w);
  jw_end_object(w);
  member_money(w, "usd_before_window", r->before_nano);
  jw_name(w, "by_job");
  jw_array(w);
  for (size_t i = 0; i < r->job_count; i++) {
    const struct burn_job *j = &r->jobs[i];
    jw_object(w);
    member_job(w, s, j->place, j->job);
    member_i64(w, "runs", (int64_t)j->sum.runs);
    write_sum(w, &j->sum);
    member_f64(w, "share", j->share);
    member_money(w, "usd_per_run", j->per_run_nano);
    member_money(w, "usd_median", j->median_nano);
    jw_name(w, "usd_per_run_trend");
    jw_array(w);
    for (size_t k = 0; k < BURN_TREND; k++) {
      if (j->trend_nano[k] < 0) {
        jw_null(w);
      } else {
        jw_decimal(w, j->trend_nano[k], 9);
      }
    }
    jw_end_array(w);
    member_money(w, "usd_failed", cost_sum_nano(&j->failed));
    member_money(w, "usd_before_window", j->before_nano);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "by_day");
  jw_array(w);
  for (size_t i = 0; i < r->day_count; i++) {
    char day[WHEN_TEXT_MAX];
    jw_object(w);
    member_str(w, "day", when_format(r->days[i].day_ms, WHEN_UTC, WHEN_DATE, day));
    member_hours(w, "dpu_hours", r->days[i].dpu_micros);
    member_money(w, "usd", r->days[i].nano);
    jw_end_object(w);
  }
  jw_end_array(w);
  write_classes(w, r);
  write_tags(w, b, s, r);
  write_prices(w, b, s);
  write_unusual(w, s, r);
  member_money(w, "today_usd", r->today_nano);
  member_money(w, "week_usd", r->week_nano);
  member_money(w, "month_to_date_usd", r->month_nano);
  member_money(w, "month_forecast_usd", r->forecast_nano);
  member_money(w, "worst_case_usd", r->worst_nano);
  member_money(w, "worst_case_more_usd", r->worst_more_nano);
  member_i64(w, "worst_case_unlimited_runs", (int64_t)r->worst_unlimited);
  member_money(w, "budget_month_usd", boards_measures(b)->budget_month_nano);
  member_money(w, "budget_day_usd", boards_measures(b)->budget_day_nano);
}
