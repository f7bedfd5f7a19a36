/* Finished runs are counted once, when their job is swept, into the job's own figures and two books of days (the window's and the
 * calendar's). There are two sweeps: what does not hang on the window (the calendar, what is usual) is counted when a job's runs
 * changed; what does is counted again when the window has moved on, from the few runs that can meet it. What lives changes with every
 * second and is counted anew for each result; there are few such runs. */
#include "model/burn.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "model/daybook.h"
#include "model/schedule.h"
#include "model/stats.h"
#include "model/sweep.h"

#define MEDIAN_RUNS   STATS_RUNS_DEFAULT
#define MEDIAN_LEAST  5 /* fewer successes say nothing about what is usual */
#define FORECAST_DAYS 7

struct trend {
  int64_t nano;
  int64_t runs;
};

/* What the finished runs of a job come to. */
struct job_part {
  struct cost_sum sum, failed;
  struct cost_sum classes[BURN_CLASSES];
  struct trend trend[BURN_TREND];
  struct daybook_part window_days, calendar_days;
  struct burn_unusual *unusual;
  size_t unusual_count, unusual_cap;
  int64_t median_nano;
  size_t median_runs;
};

struct place_part {
  struct job_part *jobs;
  size_t count;
};

/* A run of the job in work that may turn out to be unusual. */
struct candidate {
  size_t run;
  int64_t nano;
};

struct burn {
  int64_t since_ms, until_ms;
  int only;
  struct sweep sweep; /* of the window */
  struct sweep base;  /* of calendar and medians; always ahead of the other */
  struct place_part *places;
  size_t place_count;
  struct daybook window_book, calendar_book;
  bool calendar_before; /* money was spent before the first day that the calendar keeps */
  /* of the job in work */
  int64_t medians[MEDIAN_RUNS];
  size_t median_count;
  struct candidate *candidates;
  size_t candidate_count, candidate_cap;
  /* the result and its arrays */
  struct burn_result result;
  size_t job_cap, day_cap, unusual_cap;
  struct daybook live_book; /* the window's book with the live runs in it, made for each result */
  struct daybook_part scratch;
  /* how far back everything is known, as of this generation and day */
  uint64_t known_generation;
  int64_t known_day, known_from_ms;
  int known_only;
};

struct burn *burn_new(void)
{
  struct burn *b = xcalloc(1, sizeof *b);
  sweep_init(&b->sweep);
  sweep_init(&b->base);
  b->only = -1;
  return b;
}

static void job_clear_window(struct burn *b, struct job_part *j)
{
  daybook_take_part(&b->window_book, &j->window_days);
  *j = (struct job_part){.window_days = j->window_days,
                         .calendar_days = j->calendar_days,
                         .unusual = j->unusual,
                         .unusual_cap = j->unusual_cap,
                         .median_nano = j->median_nano,
                         .median_runs = j->median_runs};
}

static void job_clear_base(struct burn *b, struct job_part *j)
{
  daybook_take_part(&b->calendar_book, &j->calendar_days);
  j->median_nano = -1;
  j->median_runs = 0;
}

/* The rows of a place are void. The parts stay, empty: each sweep clears its own. */
static void place_clear(struct burn *b, int place, void (*clear)(struct burn *b, struct job_part *j))
{
  for (size_t i = 0; (size_t)place < b->place_count && i < b->places[place].count; i++)
    clear(b, &b->places[place].jobs[i]);
}

static void place_fini(struct place_part *p)
{
  for (size_t i = 0; i < p->count; i++) {
    free(p->jobs[i].window_days.entries);
    free(p->jobs[i].calendar_days.entries);
    free(p->jobs[i].unusual);
  }
  free(p->jobs);
  *p = (struct place_part){0};
}

void burn_free(struct burn *b)
{
  if (b == NULL)
    return;
  for (size_t i = 0; i < b->place_count; i++)
    place_fini(&b->places[i]);
  free(b->places);
  free(b->candidates);
  free(b->result.jobs);
  free(b->result.days);
  free(b->result.unusual);
  free(b->scratch.entries);
  daybook_fini(&b->window_book);
  daybook_fini(&b->calendar_book);
  daybook_fini(&b->live_book);
  sweep_fini(&b->sweep);
  sweep_fini(&b->base);
  free(b);
}

void burn_begin(struct burn *b, int64_t since_ms, int64_t until_ms, int place, bool force)
{
  if (!force && since_ms == b->since_ms && until_ms == b->until_ms && place == b->only)
    return;
  bool all = force || place != b->only;
  b->since_ms = since_ms;
  b->until_ms = until_ms;
  b->only = place;
  b->sweep.since_ms = since_ms;
  sweep_again(&b->sweep);
  /* the books as a whole: to take each job's days back one by one would be no slice any more */
  daybook_clear(&b->window_book);
  if (all) {
    sweep_again(&b->base);
    daybook_clear(&b->calendar_book);
    b->calendar_before = false;
  }
  for (size_t i = 0; i < b->place_count; i++) {
    for (size_t j = 0; j < b->places[i].count; j++) {
      struct job_part *part = &b->places[i].jobs[j];
      part->window_days.count = 0;
      job_clear_window(b, part);
      if (all) {
        part->calendar_days.count = 0;
        job_clear_base(b, part);
      }
    }
  }
}

static struct job_part *part_of(struct burn *b, const struct model *m, int place, size_t job)
{
  if ((size_t)place >= b->place_count) {
    b->places = xreallocarray(b->places, m->place_count, sizeof *b->places);
    memset(&b->places[b->place_count], 0, (m->place_count - b->place_count) * sizeof *b->places);
    b->place_count = m->place_count;
  }
  struct place_part *p = &b->places[place];
  if (job >= p->count) {
    size_t count = m->places[place].job_count;
    p->jobs = xreallocarray(p->jobs, count, sizeof *p->jobs);
    memset(&p->jobs[p->count], 0, (count - p->count) * sizeof *p->jobs);
    for (size_t i = p->count; i < count; i++)
      p->jobs[i].median_nano = -1;
    p->count = count;
  }
  return &p->jobs[job];
}

static bool is_waste(const struct run *r)
{
  return r->state == RUN_FAILED || r->state == RUN_STOPPED || r->state == RUN_TIMEOUT;
}

/* Which stretch of the window a moment falls into; moments before it belong to the first. */
static size_t trend_index(const struct burn *b, int64_t ms, int64_t now_ms)
{
  int64_t until = b->until_ms < now_ms ? b->until_ms : now_ms, since = b->since_ms;
  if (since < until - 366 * WHEN_DAY)
    since = until - 366 * WHEN_DAY;
  if (ms <= since || until <= since)
    return 0;
  size_t i = (size_t)((double)(ms - since) / (double)(until - since) * BURN_TREND);
  return i >= BURN_TREND ? BURN_TREND - 1 : i;
}

static int64_t began_or_started(const struct run *r)
{
  int64_t began = cost_began(r, NULL);
  return began != WHEN_NONE ? began : r->started_ms != WHEN_NONE ? r->started_ms : 0;
}

/* The first day that any calendar figure asks for. */
static int64_t calendar_first(int64_t now_ms)
{
  int64_t today = daybook_day_of(now_ms), month = daybook_day_of(when_month_start(now_ms, WHEN_UTC));
  return month < today - FORECAST_DAYS ? month : today - FORECAST_DAYS;
}

static void count_base(struct burn *b, struct job_part *part, const struct model *m, const struct price_table *prices,
                       int place, const struct job *j, size_t index, int64_t first_day_ms, int64_t now_ms)
{
  const struct run *r = &j->runs[index];
  bool usual = r->state == RUN_SUCCEEDED && b->median_count < MEDIAN_RUNS;
  int64_t ended = cost_ended(r, now_ms);
  bool before = ended < first_day_ms;
  if (!usual && before && b->calendar_before)
    return;
  struct cost c = cost_of_run(m, prices, place, j, r, now_ms);
  if (!before)
    daybook_add_run(&b->calendar_book, &part->calendar_days, &c, began_or_started(r), ended);
  else
    b->calendar_before = b->calendar_before || c.nano > 0;
  if (usual && c.usd_basis != COST_UNKNOWN)
    b->medians[b->median_count++] = c.nano;
}

static void base_settle(struct burn *b, struct job_part *part)
{
  part->median_runs = b->median_count;
  if (b->median_count == 0)
    return;
  stats_sort(b->medians, b->median_count);
  part->median_nano = (int64_t)stats_percentile(b->medians, b->median_count, 50);
}

static void count_run(struct burn *b, struct job_part *part, const struct model *m, const struct price_table *prices,
                      int place, const struct job *j, size_t index, int64_t now_ms)
{
  const struct run *r = &j->runs[index];
  if (!run_meets(r, b->since_ms, b->until_ms, now_ms))
    return;
  size_t class_index = 0;
  struct cost c = cost_and_class_of_run(m, prices, place, j, r, now_ms, &class_index);
  int64_t began = began_or_started(r), ended = cost_ended(r, now_ms);
  cost_sum_add(&part->sum, &c);
  cost_sum_add(&part->classes[class_index], &c);
  if (is_waste(r))
    cost_sum_add(&part->failed, &c);
  daybook_add_run(&b->window_book, &part->window_days, &c, began, ended);
  if (c.nano > 0) {
    struct trend *t = &part->trend[trend_index(b, began, now_ms)];
    t->nano += c.nano;
    t->runs++;
    b->candidates = xgrow(b->candidates, &b->candidate_cap, b->candidate_count + 1, sizeof *b->candidates);
    b->candidates[b->candidate_count++] = (struct candidate){index, c.nano};
  }
}

static void job_settle(struct burn *b, struct job_part *part, const struct job *j)
{
  if (part->median_runs < MEDIAN_LEAST || part->median_nano <= 0)
    return;
  for (size_t i = 0; i < b->candidate_count; i++) {
    const struct candidate *c = &b->candidates[i];
    if (c->nano <= BURN_UNUSUAL * part->median_nano)
      continue;
    part->unusual = xgrow(part->unusual, &part->unusual_cap, part->unusual_count + 1, sizeof *part->unusual);
    part->unusual[part->unusual_count++] = (struct burn_unusual){
        .place = j->place, .job = j->name, .run = j->runs[c->run], .nano = c->nano, .median_nano = part->median_nano};
  }
}

static bool base_step(struct burn *b, const struct model *m, const struct price_table *prices, int64_t now_ms,
                      size_t *budget)
{
  int64_t first_day_ms = calendar_first(now_ms) * WHEN_DAY;
  struct sweep_part s;
  for (;;) {
    switch (sweep_next(&b->base, m, b->only, budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      place_clear(b, s.place, job_clear_base);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct job_part *part = part_of(b, m, s.place, s.job);
      if (s.first) {
        job_clear_base(b, part);
        b->median_count = 0;
      }
      for (size_t i = s.from; i < s.to; i++)
        if (run_finished(&j->runs[i]))
          count_base(b, part, m, prices, s.place, j, i, first_day_ms, now_ms);
      if (s.last)
        base_settle(b, part);
      break;
    }
    }
  }
}

bool burn_step(struct burn *b, const struct model *m, const struct price_table *prices, int64_t now_ms, size_t budget)
{
  struct sweep_part s;
  if (!base_step(b, m, prices, now_ms, &budget))
    return false;
  if (budget == 0)
    budget = 1; /* to look through the jobs may have taken all of it */
  for (;;) {
    switch (sweep_next(&b->sweep, m, b->only, &budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      place_clear(b, s.place, job_clear_window);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct job_part *part = part_of(b, m, s.place, s.job);
      if (s.first) {
        job_clear_window(b, part);
        b->candidate_count = 0;
      }
      for (size_t i = s.from; i < s.to; i++)
        if (run_finished(&j->runs[i]))
          count_run(b, part, m, prices, s.place, j, i, now_ms);
      if (s.last)
        job_settle(b, part, j);
      break;
    }
    }
  }
}

/* --- result --------------------------------------------------------------------------------------------------------- */

static void add_unusual(struct burn *b, const struct burn_unusual *u)
{
  struct burn_result *r = &b->result;
  r->unusual = xgrow(r->unusual, &b->unusual_cap, r->unusual_count + 1, sizeof *r->unusual);
  r->unusual[r->unusual_count++] = *u;
}

static void count_now(struct burn *b, const struct model *m, const struct price_table *prices, int place,
                      const struct job *j, const struct run *r, const struct cost *c, int64_t now_ms)
{
  struct burn_result *res = &b->result;
  int64_t rate = 0, worst = 0;
  bool works = r->state == RUN_RUNNING || r->state == RUN_STOPPING;
  if (works) {
    double dpu = model_run_dpu(m, r);
    res->active_runs++;
    if (dpu >= 0 && dpu < 1e9)
      res->dpu_now_micros += (int64_t)(dpu * 1e6 + 0.5);
    else
      res->dpu_now_unknown++;
  } else if (r->state == RUN_WAITING || r->state == RUN_STARTING) {
    res->waiting_runs++;
  }
  if (cost_rate_of_run(m, prices, place, j, r, &rate))
    res->nano_per_hour_now += rate;
  switch (cost_worst_of_run(m, prices, place, j, r, now_ms, &worst)) {
  case COST_LIMIT_KNOWN:
    if (worst < c->nano)
      worst = c->nano;
    res->worst_nano += worst;
    res->worst_more_nano += worst - c->nano;
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
                     const struct job_part *part, struct burn_job *row, struct daybook *calendar,
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
    int64_t began = began_or_started(r), ended = cost_ended(r, now_ms);
    b->scratch.count = 0;
    daybook_add_run(calendar, &b->scratch, &c, began, ended);
    count_now(b, m, prices, j->place, j, r, &c, now_ms);
    if (!run_meets(r, b->since_ms, b->until_ms, now_ms))
      continue;
    cost_sum_add(&row->sum, &c);
    cost_sum_add(&b->result.classes[class_index], &c);
    b->scratch.count = 0;
    daybook_add_run(window, &b->scratch, &c, began, ended);
    if (part->median_runs >= MEDIAN_LEAST && part->median_nano > 0 && c.nano > BURN_UNUSUAL * part->median_nano)
      add_unusual(b,
                  &(struct burn_unusual){
                      .place = j->place, .job = j->name, .run = *r, .nano = c.nano, .median_nano = part->median_nano});
  }
}

static struct burn_job make_row(const struct model *m, const struct job_part *part, int place, size_t job)
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

static int compare_unusual(const void *a, const void *b)
{
  const struct burn_unusual *x = a, *y = b;
  return x->run.started_ms > y->run.started_ms ? -1 : x->run.started_ms < y->run.started_ms;
}

static void copy_book(struct daybook *to, const struct daybook *from)
{
  daybook_fini(to);
  if (from->count == 0)
    return;
  to->days = xreallocarray(NULL, from->count, sizeof *to->days);
  memcpy(to->days, from->days, from->count * sizeof *to->days);
  to->first = from->first;
  to->count = from->count;
}

static void fill_days(struct burn *b, const struct daybook *book)
{
  struct burn_result *r = &b->result;
  r->day_count = 0;
  for (size_t i = 0; i < book->count; i++) {
    const struct daybook_day *d = &book->days[i];
    if (d->nano == 0 && d->dpu_micros == 0)
      continue;
    r->days = xgrow(r->days, &b->day_cap, r->day_count + 1, sizeof *r->days);
    r->days[r->day_count++] = (struct burn_day){
        .day_ms = (book->first + (int64_t)i) * WHEN_DAY, .nano = d->nano, .dpu_micros = d->dpu_micros};
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
  int64_t today = daybook_day_of(now_ms), least = calendar_first(now_ms), from = least;
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
    if (calendar->days[i].nano > 0)
      first = calendar->first + (int64_t)i;
  for (int64_t day = month < today - 6 ? month : today - 6; day <= today; day++) {
    struct daybook_day d = daybook_get(calendar, day);
    if (day == today)
      r->today_nano = d.nano;
    if (day > today - FORECAST_DAYS)
      r->week_nano += d.nano;
    if (day >= month) {
      r->month_nano += d.nano;
      r->calendar_unknown += d.unknown > 0 ? (size_t)d.unknown : 0;
      r->estimated = r->estimated || d.estimated > 0;
    }
  }
  r->today_known = r->known_from_ms != WHEN_NONE;
  r->month_known = r->today_known && r->known_from_ms <= month * WHEN_DAY;
  for (int64_t day = today - FORECAST_DAYS; day < today; day++) {
    if (day < first || !r->today_known || day * WHEN_DAY < r->known_from_ms)
      continue;
    past += daybook_get(calendar, day).nano;
    days++;
  }
  if (days > 0) {
    r->forecast_nano =
        r->month_nano + cost_mul_div(past, (month_end_ms - now_ms) / WHEN_SECOND, days * (WHEN_DAY / WHEN_SECOND));
  } else if (r->today_nano > 0) { /* today's pace, over an hour at least */
    int64_t done = now_ms - today * WHEN_DAY < WHEN_HOUR ? WHEN_HOUR : now_ms - today * WHEN_DAY;
    r->forecast_nano =
        r->month_nano + cost_mul_div(r->today_nano, (month_end_ms - now_ms) / WHEN_SECOND, done / WHEN_SECOND);
  }
}

const struct burn_result *burn_result(struct burn *b, const struct model *m, const struct price_table *prices,
                                      int64_t now_ms)
{
  struct burn_result kept = b->result, *r = &b->result;
  struct daybook calendar;
  daybook_init(&calendar);
  copy_book(&calendar, &b->calendar_book);
  copy_book(&b->live_book, &b->window_book);
  *r = (struct burn_result){.since_ms = b->since_ms,
                            .until_ms = b->until_ms,
                            .now_ms = now_ms,
                            .jobs = kept.jobs,
                            .days = kept.days,
                            .unusual = kept.unusual,
                            .forecast_nano = -1};
  for (size_t p = 0; p < b->place_count && p < m->place_count; p++) {
    for (size_t i = 0; i < b->places[p].count && i < m->places[p].job_count; i++) {
      const struct job *j = &m->places[p].jobs[i];
      const struct job_part *part = &b->places[p].jobs[i];
      struct burn_job row = make_row(m, part, (int)p, i);
      for (size_t k = 0; k < BURN_CLASSES; k++)
        cost_sum_add_sum(&r->classes[k], &part->classes[k]);
      for (size_t k = 0; k < part->unusual_count; k++)
        add_unusual(b, &part->unusual[k]);
      add_live(b, m, prices, j, part, &row, &calendar, &b->live_book, now_ms);
      if (row.sum.runs == 0)
        continue;
      if (row.sum.runs > row.sum.runs_unknown)
        row.per_run_nano = cost_sum_nano(&row.sum) / (int64_t)(row.sum.runs - row.sum.runs_unknown);
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
  if (r->unusual_count > 1)
    qsort(r->unusual, r->unusual_count, sizeof *r->unusual, compare_unusual);
  fill_days(b, &b->live_book);
  find_known(b, m, now_ms);
  r->known_from_ms = b->known_from_ms;
  fill_calendar(r, &calendar, b->calendar_before, now_ms);
  daybook_fini(&calendar);
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
