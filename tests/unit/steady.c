#include "steady.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/app.h"
#include "base/xalloc.h"
#include "fake_aws.h"

#define NOW           INT64_C(1790000000000)
#define JOBS          2000
#define IN_FLIGHT     30
#define SHOWN_FROM    1000
#define SHOWN         40
#define PLANNED_FROM  500
#define PLANNED       8
#define PLANNED_EVERY (10 * WHEN_MINUTE)
#define PLANNED_LATE  INT64_C(2000) /* the service starts them some seconds after their time */
#define CHANGE_EVERY  INT64_C(30000)
#define CHANGES_MAX   4096

enum change_kind { CHANGE_LIVE_ONE, CHANGE_PLANNED, CHANGE_ANY };

struct change_seen {
  enum change_kind kind;
  int job;
  char id[80];
  bool ends; /* else it begins */
  int64_t at_ms;
};

struct steady {
  const struct steady_options *options;
  struct steady_figures *out;
  struct app *app;
  struct want wants[3 + SHOWN];
  size_t want_count;
  bool quiet;
  int64_t until_ms; /* wall; 0: until quiet */
  int64_t next_change_ms, next_plan_ms, look_ms;
  struct {
    int job;
    char id[80];
  } live[IN_FLIGHT + PLANNED];
  size_t live_count;
  struct change_seen changes[CHANGES_MAX];
  size_t change_count;
  strid names[JOBS];
  uint64_t random;
  uint64_t sent_before, throttled_before;
  int64_t passed_ms; /* when a request was let through last */
  uint64_t passed;
};

static int64_t wall(void)
{
  return clock_wall_ms(&fake.clock);
}

static uint64_t lot(struct steady *s, uint64_t below)
{
  s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (s->random >> 33) % below;
}

static bool is_shown(int job)
{
  return job >= SHOWN_FROM && job < SHOWN_FROM + SHOWN;
}

static const struct job *row_of(const struct steady *s, int job)
{
  const struct model *m = app_model(s->app);
  return model_job(m, m->contexts[0].place, s->names[job]);
}

static const struct run *run_of(const struct steady *s, int job, const char *id)
{
  const struct model *m = app_model(s->app);
  return model_run(m, m->contexts[0].place, s->names[job], id);
}

/* --- what happens in the account ------------------------------------------------------------------------------------------- */

static void note_change(struct steady *s, enum change_kind kind, int job, const char *id, bool ends)
{
  if (s->change_count == CHANGES_MAX)
    return;
  struct change_seen *c = &s->changes[s->change_count++];
  *c = (struct change_seen){.kind = is_shown(job) ? CHANGE_LIVE_ONE : kind, .job = job, .ends = ends, .at_ms = wall()};
  snprintf(c->id, sizeof c->id, "%s", id);
}

static bool is_live(const struct steady *s, int job)
{
  for (size_t i = 0; i < s->live_count; i++)
    if (s->live[i].job == job)
      return true;
  return false;
}

static void begin_run(struct steady *s, int job, enum change_kind kind)
{
  const struct fake_run *r = fake_add_run(&fake.jobs[job], "RUNNING", wall(), WHEN_NONE);
  snprintf(s->live[s->live_count].id, sizeof s->live[0].id, "%s", r->id);
  s->live[s->live_count++].job = job;
  note_change(s, kind, job, r->id, false);
}

static void end_run(struct steady *s, size_t index)
{
  int job = s->live[index].job;
  char id[80];
  snprintf(id, sizeof id, "%s", s->live[index].id);
  s->live[index] = s->live[--s->live_count];
  for (size_t i = 0; i < fake.jobs[job].count; i++) {
    struct fake_run *r = &fake.jobs[job].runs[i];
    if (strcmp(r->id, id) != 0)
      continue;
    fake_set_state(r, "SUCCEEDED");
    r->completed_ms = wall();
  }
  /* Of a run that nobody knew of, nobody can see the end: it is seen with its beginning. */
  note_change(s, run_of(s, job, id) != NULL ? CHANGE_LIVE_ONE : CHANGE_ANY, job, id, true);
}

static void account_lives(struct steady *s)
{
  if (wall() >= s->next_plan_ms) {
    s->next_plan_ms += PLANNED_EVERY;
    for (size_t i = s->live_count; i-- > 0;)
      if (s->live[i].job >= PLANNED_FROM && s->live[i].job < PLANNED_FROM + PLANNED)
        end_run(s, i);
    for (int i = 0; i < PLANNED; i++)
      begin_run(s, PLANNED_FROM + i, CHANGE_PLANNED);
  }
  if (wall() < s->next_change_ms)
    return;
  s->next_change_ms += CHANGE_EVERY;
  size_t ends = lot(s, s->live_count);
  bool planned = s->live[ends].job >= PLANNED_FROM && s->live[ends].job < PLANNED_FROM + PLANNED;
  bool shown = is_shown(s->live[ends].job);
  if (planned)
    return;
  end_run(s, ends);
  int job = 0;
  do
    job = shown ? SHOWN_FROM + (int)lot(s, SHOWN) : (int)lot(s, JOBS);
  while (is_live(s, job) || (job >= PLANNED_FROM && job < PLANNED_FROM + PLANNED) || is_shown(job) != shown);
  begin_run(s, job, CHANGE_ANY);
}

/* --- what is seen of it ------------------------------------------------------------------------------------------------------ */

static bool change_shows(const struct steady *s, const struct change_seen *c)
{
  const struct run *r = run_of(s, c->job, c->id);
  return r != NULL && (!c->ends || run_finished(r));
}

static void class_take(struct steady *s, const struct change_seen *c)
{
  struct steady_class *class = &s->out->any;
  if (c->kind == CHANGE_LIVE_ONE)
    class = &s->out->live;
  else if (c->kind == CHANGE_PLANNED)
    class = &s->out->schedule;
  int64_t took = wall() - c->at_ms;
  class->worst_ms = took > class->worst_ms ? took : class->worst_ms;
}

static void look_at_changes(struct steady *s)
{
  size_t left = 0;
  for (size_t i = 0; i < s->change_count; i++) {
    class_take(s, &s->changes[i]);
    if (!change_shows(s, &s->changes[i])) {
      s->changes[left++] = s->changes[i];
      continue;
    }
    struct steady_class *class = s->changes[i].kind == CHANGE_LIVE_ONE  ? &s->out->live
                                 : s->changes[i].kind == CHANGE_PLANNED ? &s->out->schedule
                                                                        : &s->out->any;
    class->changes++;
  }
  s->change_count = left;
}

static void look_at_ages(struct steady *s)
{
  for (int i = 0; i < JOBS; i++) {
    const struct job *j = row_of(s, i);
    if (j == NULL || j->runs_fresh.fetched_ms == WHEN_NONE)
      continue;
    int64_t age = wall() - j->runs_fresh.fetched_ms;
    /* What has begun to run since the last look was no running job then. */
    if ((is_shown(i) || j->run_live > 0) && age > s->out->live_age_ms)
      s->out->live_age_ms = age;
    if (age > s->out->any_age_ms)
      s->out->any_age_ms = age;
  }
}

static void look_at_throttling(struct steady *s)
{
  uint64_t passed = fake.in_all - fake.throttled;
  if (passed != s->passed || fake.throttled == s->throttled_before) {
    s->passed = passed;
    s->passed_ms = wall();
  }
  if (wall() - s->passed_ms > s->out->throttled_for_ms)
    s->out->throttled_for_ms = wall() - s->passed_ms;
}

/* --- the front ------------------------------------------------------------------------------------------------------------------ */

static void front_input(void *front, bool ready, struct intents *out)
{
  struct steady *s = front;
  (void)ready;
  if (s->options->looked_away)
    intents_add(out, INTENT_FOCUS)->text = xstrdup("out");
  if (s->until_ms == 0)
    return;
  account_lives(s);
  look_at_changes(s);
  if (wall() >= s->look_ms) {
    s->look_ms = wall() + WHEN_SECOND;
    look_at_ages(s);
  }
  look_at_throttling(s);
}

static void front_wants(void *front, struct wants *out)
{
  const struct steady *s = front;
  for (size_t i = 0; i < s->want_count; i++)
    wants_add(out, &s->wants[i]);
}

static void front_frame(void *front, const struct model *m, int64_t now_ms, bool quiet)
{
  struct steady *s = front;
  (void)m;
  (void)now_ms;
  s->quiet = quiet;
}

static bool front_done(void *front)
{
  const struct steady *s = front;
  return s->until_ms == 0 ? s->quiet || wall() > NOW + WHEN_DAY : wall() >= s->until_ms;
}

static void job_name(int job, char name[32])
{
  snprintf(name, 32, "job-%04d", job);
}

static void fill_account(struct steady *s)
{
  char name[32];
  fake_reset(NOW);
  fake.step_ms = 250;
  fake.limit_per_second = s->options->limit_per_second;
  for (int k = 0; k < JOBS; k++) {
    job_name(k, name);
    fake_add_job(name, "glueetl");
    int64_t step = (k % 20 + 1) * WHEN_HOUR;
    for (int i = 4; i > 0; i--)
      fake_add_run(&fake.jobs[k], "SUCCEEDED", NOW - i * step, NOW - i * step + WHEN_MINUTE);
  }
  fake.trigger_schedule = "cron(0/10 * * * ? *)";
  static char planned[PLANNED][32];
  for (int i = 0; i < PLANNED; i++) {
    job_name(PLANNED_FROM + i, planned[i]);
    fake.trigger_jobs[fake.trigger_count++] = planned[i];
  }
}

static void fill_wants(struct steady *s)
{
  struct strpool *strings = app_model(s->app)->strings;
  char name[32];
  for (int i = 0; i < JOBS; i++) {
    job_name(i, name);
    s->names[i] = strpool_put(strings, name);
  }
  struct want all = {.context = -1, .urgency = WANT_BEHIND, .since_ms = NOW - WHEN_DAY, .until_ms = INT64_MAX};
  static const enum want_kind kinds[] = {WANT_JOBS, WANT_TRIGGERS, WANT_ALL_RUNS};
  for (size_t i = 0; i < 3; i++) {
    all.kind = kinds[i];
    s->wants[s->want_count++] = all;
  }
  all.kind = WANT_RUNS;
  all.urgency = WANT_ON_SCREEN;
  for (int i = 0; i < SHOWN; i++) {
    all.job = s->names[SHOWN_FROM + i];
    s->wants[s->want_count++] = all;
  }
}

static void begin_live(struct steady *s)
{
  for (int i = 0; i < IN_FLIGHT; i++) {
    int job = i % 3 == 0 ? SHOWN_FROM + i : i;
    const struct fake_run *r = fake_add_run(&fake.jobs[job], "RUNNING", NOW - WHEN_MINUTE, WHEN_NONE);
    snprintf(s->live[s->live_count].id, sizeof s->live[0].id, "%s", r->id);
    s->live[s->live_count++].job = job;
  }
}

static void sum_up(struct steady *s)
{
  uint64_t sent = fake.in_all - s->sent_before;
  s->out->requests_per_second = (double)sent * 1000.0 / (double)s->options->span_ms;
  s->out->throttled_percent = sent > 0 ? 100.0 * (double)(fake.throttled - s->throttled_before) / (double)sent : 0;
  const struct polling *p = &app_model(s->app)->polling;
  if (p->place_count > 0 && p->places[0].oldest_ms != WHEN_NONE)
    s->out->told_oldest_ms = wall() - p->places[0].oldest_ms;
}

bool steady_run(const struct steady_options *options, struct steady_figures *out)
{
  static const struct front_ops ops = {
      .name = "steady", .input = front_input, .wants = front_wants, .frame = front_frame, .done = front_done};
  static const struct app_context_option context = {.profile = NULL};
  struct steady *s = xcalloc(1, sizeof *s);
  *out = (struct steady_figures){0};
  s->options = options;
  s->out = out;
  s->random = 1;
  fill_account(s);
  begin_live(s);
  struct app_options o = {.contexts = &context,
                          .context_count = 1,
                          .refresh_seconds = options->refresh_seconds,
                          .max_requests_per_second = options->max_requests_per_second,
                          .clock = &fake.clock,
                          .test_fd = -1};
  struct err e = app_new(&o, &s->app);
  if (!err_is(&e)) {
    fill_wants(s);
    e = app_run(s->app, &ops, s);
  }
  if (!err_is(&e) && s->quiet) {
    s->sent_before = fake.in_all;
    s->throttled_before = fake.throttled;
    s->passed_ms = wall();
    s->next_change_ms = wall() + CHANGE_EVERY;
    s->next_plan_ms = wall() - wall() % PLANNED_EVERY + PLANNED_EVERY + PLANNED_LATE;
    s->until_ms = wall() + options->span_ms;
    e = app_run(s->app, &ops, s);
    sum_up(s);
  }
  bool ok = !err_is(&e) && s->until_ms != 0;
  err_fini(&e);
  app_free(s->app);
  fake_free();
  free(s);
  return ok;
}
