/* What the burn board says: the sums of what was counted, and what lives now. */
#include "model/burn.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "model/burn_private.h"
#include "model/schedule.h"

/* --- unusual runs --------------------------------------------------------------------------------------------------- */

static int compare_unusual(const void *a, const void *b)
{
  const struct burn_unusual *x = a, *y = b;
  return x->run.started_ms > y->run.started_ms ? -1 : x->run.started_ms < y->run.started_ms;
}

static void gather_unusual(struct burn *b)
{
  b->unusual_count = b->unusual_more = 0;
  for (size_t p = 0; p < b->parts.place_count; p++) {
    for (size_t i = 0; i < b->parts.places[p].count; i++) {
      const struct burn_part *part = parts_at(&b->parts, p, i);
      b->unusual_more += part->unusual_more;
      if (part->unusual_count == 0)
        continue;
      b->unusual = xgrow(b->unusual, &b->unusual_cap, b->unusual_count + part->unusual_count, sizeof *b->unusual);
      memcpy(&b->unusual[b->unusual_count], part->unusual, part->unusual_count * sizeof *b->unusual);
      b->unusual_count += part->unusual_count;
    }
  }
  if (b->unusual_count > 1)
    qsort(b->unusual, b->unusual_count, sizeof *b->unusual, compare_unusual);
  if (b->unusual_count > BURN_UNUSUAL_MOST) {
    b->unusual_more += b->unusual_count - BURN_UNUSUAL_MOST;
    b->unusual_count = BURN_UNUSUAL_MOST;
  }
  b->unusual_stale = false;
}

static void add_unusual(struct burn *b, const struct burn_unusual *u, size_t count)
{
  struct burn_result *r = &b->result;
  if (count == 0)
    return;
  r->unusual = xgrow(r->unusual, &b->result_unusual_cap, r->unusual_count + count, sizeof *r->unusual);
  memcpy(&r->unusual[r->unusual_count], u, count * sizeof *u);
  r->unusual_count += count;
}

/* Those that are over beside the live ones, which are there already. */
static void add_all_unusual(struct burn *b)
{
  struct burn_result *r = &b->result;
  size_t live = r->unusual_count;
  if (b->unusual_stale)
    gather_unusual(b);
  add_unusual(b, b->unusual, b->unusual_count);
  r->unusual_more = b->unusual_more;
  if (live > 0 && r->unusual_count > 1)
    qsort(r->unusual, r->unusual_count, sizeof *r->unusual, compare_unusual);
}

/* --- live runs ------------------------------------------------------------------------------------------------------ */

static void count_now(struct burn *b, const struct model *m, const struct price_table *prices, int place,
                      const struct job *j, const struct run *r, const struct cost *c, int64_t now_ms)
{
  struct burn_result *res = &b->result;
  int64_t rate = 0, worst = 0;
  bool works = r->state == RUN_RUNNING || r->state == RUN_STOPPING;
  if (works) {
    int64_t size = cost_size_micros(model_run_dpu(m, r));
    res->active_runs++;
    if (size >= 0)
      sum_add(&res->dpu_now_micros, size);
    else
      res->dpu_now_unknown++;
  } else if (r->state == RUN_WAITING || r->state == RUN_STARTING) {
    res->waiting_runs++;
  }
  if (cost_rate_of_run(m, prices, place, j, r, &rate))
    sum_add(&res->nano_per_hour_now, rate);
  switch (cost_worst_of_run(m, prices, place, j, r, now_ms, &worst)) {
  case COST_LIMIT_KNOWN:
    if (worst < c->nano)
      worst = c->nano;
    sum_add(&res->worst_nano, worst);
    sum_add(&res->worst_more_nano, worst - c->nano);
    break;
  case COST_LIMIT_NONE:
    res->worst_unlimited++;
    break;
  case COST_LIMIT_UNKNOWN:
    res->worst_unknown++;
    break;
  }
}

/* Live runs of a job: into its row, the books of this result, and what is said about now. */
static void add_live(struct burn *b, const struct model *m, const struct price_table *prices, const struct job *j,
                     const struct burn_part *part, struct burn_job *row, struct daybook *calendar,
                     struct daybook *window, int64_t now_ms)
{
  size_t left = j->run_live;
  for (size_t i = 0; i < j->run_count && left > 0; i++) {
    const struct run *r = &j->runs[i];
    if (run_finished(r))
      continue;
    left--;
    size_t class_index = 0;
    struct cost c = cost_and_class_of_run(m, prices, j->place, j, r, now_ms, &class_index);
    int64_t began = burn_began_or_started(r), ended = cost_ended(r, now_ms);
    b->scratch.count = 0;
    daybook_add_run(calendar, &b->scratch, &c, began, ended);
    count_now(b, m, prices, j->place, j, r, &c, now_ms);
    if (!run_meets(r, b->sweep.since_ms, b->sweep.until_ms, now_ms))
      continue;
    cost_sum_add(&row->sum, &c);
    cost_sum_add(&b->result.classes[class_index], &c);
    b->scratch.count = 0;
    daybook_add_run(window, &b->scratch, &c, began, ended);
    if (burn_is_unusual(part, c.nano))
      add_unusual(b,
                  &(struct burn_unusual){
                      .place = j->place, .job = j->name, .run = *r, .nano = c.nano, .median_nano = part->median_nano},
                  1);
  }
}

/* What the job's runs in the window had spent when it began, evenly over the time they ran. Only runs accepted before it can have, and most
 * jobs have none in it. */
static int64_t spent_before(const struct burn *b, const struct model *m, const struct price_table *prices,
                            const struct job *j, const struct burn_part *part, int64_t now_ms)
{
  int64_t since = b->sweep.since_ms, spent = 0;
  if (part->oldest_ms >= since && j->run_live == 0)
    return 0;
  size_t low = 0, high = since == INT64_MIN ? 0 : model_runs_reach(j, since);
  for (size_t end = high; low < end;) {
    size_t middle = low + (end - low) / 2;
    if (j->runs[middle].started_ms >= since)
      low = middle + 1;
    else
      end = middle;
  }
  for (size_t i = low; i < high; i++) {
    const struct run *r = &j->runs[i];
    if (!run_meets(r, since, b->sweep.until_ms, now_ms))
      continue;
    struct cost c = cost_of_run(m, prices, j->place, j, r, now_ms);
    sum_add(&spent, cost_part(c.nano, burn_began_or_started(r), cost_ended(r, now_ms), INT64_MIN, since));
  }
  return spent;
}

static struct burn_job make_row(const struct model *m, const struct burn_part *part, int place, size_t job)
{
  struct burn_job row = {.place = place,
                         .job = m->places[place].jobs[job].name,
                         .sum = part->sum,
                         .failed = part->failed,
                         .median_nano = part->median_nano,
                         .per_run_nano = -1};
  for (size_t i = 0; i < BURN_TREND; i++)
    row.trend_nano[i] = part->trend[i].runs == 0 ? -1 : part->trend[i].nano / part->trend[i].runs;
  return row;
}

static int compare_rows(const void *a, const void *b)
{
  const struct burn_job *x = a, *y = b;
  int64_t left = cost_sum_nano(&x->sum), right = cost_sum_nano(&y->sum);
  if (left != right)
    return left > right ? -1 : 1;
  if (x->sum.runs != y->sum.runs)
    return x->sum.runs > y->sum.runs ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static void fill_days(struct burn *b, const struct daybook *book)
{
  struct burn_result *r = &b->result;
  r->day_count = 0;
  for (size_t i = 0; i < book->count; i++) {
    struct daybook_day d = daybook_get(book, book->first + (int64_t)i);
    if (d.nano == 0 && d.dpu_micros == 0)
      continue;
    r->days = xgrow(r->days, &b->day_cap, r->day_count + 1, sizeof *r->days);
    r->days[r->day_count++] =
        (struct burn_day){.day_ms = (book->first + (int64_t)i) * WHEN_DAY, .nano = d.nano, .dpu_micros = d.dpu_micros};
  }
}

/* The first day from `least` on since which the job's history is known; INT64_MAX: not even today's. */
static int64_t known_since(const struct job *j, int64_t least, int64_t today, int64_t now_ms)
{
  int64_t low = least, high = today + 1; /* known from high on, unless high is behind today */
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (model_runs_read(j, middle * WHEN_DAY, now_ms))
      high = middle;
    else
      low = middle + 1;
  }
  return high > today ? INT64_MAX : high;
}

/* A job that nobody may read would make nothing known for ever: it is told of elsewhere, and left out here. */
static bool counts_for_known(const struct job *j)
{
  bool refused = j->top_read_ms == WHEN_NONE && err_is(&j->runs_fresh.last_err);
  return j->defined && !j->gone && !refused;
}

static void find_known(struct burn *b, const struct model *m, int64_t now_ms)
{
  int64_t today = daybook_day_of(now_ms), least = burn_calendar_first(now_ms), from = least;
  if (b->known_generation == m->generation && b->known_day == today && b->known_only == b->only)
    return;
  for (size_t p = 0; p < m->place_count; p++) {
    if (b->only < 0 ? !schedule_place_open(m, (int)p) : (size_t)b->only != p)
      continue;
    for (size_t i = 0; i < m->places[p].job_count && from != INT64_MAX; i++) {
      const struct job *j = &m->places[p].jobs[i];
      if (counts_for_known(j) && !model_runs_read(j, from * WHEN_DAY, now_ms))
        from = known_since(j, from, today, now_ms);
    }
  }
  b->known_from_ms = from == INT64_MAX ? WHEN_NONE : from * WHEN_DAY;
  b->known_generation = m->generation;
  b->known_day = today;
  b->known_only = b->only;
}

/* calendar: with the live runs in it; before: there was something before its first day. */
static void fill_calendar(struct burn_result *r, const struct daybook *calendar, bool before, int64_t now_ms)
{
  int64_t today = daybook_day_of(now_ms), month = daybook_day_of(when_month_start(now_ms, WHEN_UTC));
  int64_t month_end_ms = when_month_end(now_ms, WHEN_UTC), first = before ? INT64_MIN : INT64_MAX, past = 0, days = 0;
  for (size_t i = 0; i < calendar->count && first == INT64_MAX; i++)
    if (sum_wide_get(&calendar->days[i].nano) > 0)
      first = calendar->first + (int64_t)i;
  for (int64_t day = month < today - 6 ? month : today - 6; day <= today; day++) {
    struct daybook_day d = daybook_get(calendar, day);
    if (day == today)
      r->today_nano = d.nano;
    if (day > today - BURN_FORECAST_DAYS)
      sum_add(&r->week_nano, d.nano);
    if (day >= month) {
      sum_add(&r->month_nano, d.nano);
      r->calendar_unknown += d.unknown > 0 ? (size_t)d.unknown : 0;
      r->estimated = r->estimated || d.estimated > 0;
    }
  }
  r->today_known = r->known_from_ms != WHEN_NONE;
  r->month_known = r->today_known && r->known_from_ms <= month * WHEN_DAY;
  for (int64_t day = today - BURN_FORECAST_DAYS; day < today; day++) {
    if (day < first || !r->today_known || day * WHEN_DAY < r->known_from_ms)
      continue;
    sum_add(&past, daybook_get(calendar, day).nano);
    days++;
  }
  if (days > 0) {
    r->forecast_nano = sum_of(
        r->month_nano, cost_mul_div(past, (month_end_ms - now_ms) / WHEN_SECOND, days * (WHEN_DAY / WHEN_SECOND)));
  } else if (r->today_nano > 0) { /* today's pace, over an hour at least */
    int64_t done = now_ms - today * WHEN_DAY < WHEN_HOUR ? WHEN_HOUR : now_ms - today * WHEN_DAY;
    r->forecast_nano =
        sum_of(r->month_nano, cost_mul_div(r->today_nano, (month_end_ms - now_ms) / WHEN_SECOND, done / WHEN_SECOND));
  }
}

const struct burn_result *burn_result(struct burn *b, const struct model *m, const struct price_table *prices,
                                      int64_t now_ms)
{
  struct burn_result kept = b->result, *r = &b->result;
  daybook_copy(&b->live_calendar, &b->calendar_book);
  daybook_copy(&b->live_book, &b->window_book);
  *r = (struct burn_result){.since_ms = b->sweep.since_ms,
                            .until_ms = b->sweep.until_ms,
                            .now_ms = now_ms,
                            .jobs = kept.jobs,
                            .days = kept.days,
                            .unusual = kept.unusual,
                            .forecast_nano = -1};
  for (size_t p = 0; p < b->parts.place_count && p < m->place_count; p++) {
    for (size_t i = 0; i < b->parts.places[p].count && i < m->places[p].job_count; i++) {
      const struct job *j = &m->places[p].jobs[i];
      const struct burn_part *part = parts_at(&b->parts, p, i);
      for (size_t k = 0; k < BURN_WASTES; k++)
        if (part->wastes[k].runs > 0)
          cost_sum_add_sum(&r->wastes[k], &part->wastes[k]);
      if (part->sum.runs == 0 && j->run_live == 0)
        continue; /* most jobs of a large account */
      struct burn_job row = make_row(m, part, (int)p, i);
      for (size_t k = 0; k < BURN_CLASSES; k++)
        if (part->classes[k].runs > 0)
          cost_sum_add_sum(&r->classes[k], &part->classes[k]);
      add_live(b, m, prices, j, part, &row, &b->live_calendar, &b->live_book, now_ms);
      if (row.sum.runs == 0)
        continue;
      if (row.sum.runs > row.sum.runs_unknown)
        row.per_run_nano = cost_sum_nano(&row.sum) / (int64_t)(row.sum.runs - row.sum.runs_unknown);
      row.before_nano = spent_before(b, m, prices, j, part, now_ms);
      sum_add(&r->before_nano, row.before_nano);
      cost_sum_add_sum(&r->sum, &row.sum);
      cost_sum_add_sum(&r->failed, &row.failed);
      r->jobs = xgrow(r->jobs, &b->job_cap, r->job_count + 1, sizeof *r->jobs);
      r->jobs[r->job_count++] = row;
    }
  }
  int64_t total = cost_sum_nano(&r->sum);
  for (size_t i = 0; i < r->job_count; i++)
    r->jobs[i].share = total == 0 ? 0 : (double)cost_sum_nano(&r->jobs[i].sum) / (double)total;
  if (r->job_count > 1)
    qsort(r->jobs, r->job_count, sizeof *r->jobs, compare_rows);
  add_all_unusual(b);
  fill_days(b, &b->live_book);
  find_known(b, m, now_ms);
  r->known_from_ms = b->known_from_ms;
  fill_calendar(r, &b->live_calendar, b->calendar_before, now_ms);
  return r;
}

struct cost_sum burn_group(const struct burn_result *r, const struct model *m, const char *pattern)
{
  struct cost_sum sum = {0};
  for (size_t i = 0; i < r->job_count; i++) {
    const char *name = model_str(m, r->jobs[i].job);
    if (name != NULL && text_match(pattern, name))
      cost_sum_add_sum(&sum, &r->jobs[i].sum);
  }
  return sum;
}
