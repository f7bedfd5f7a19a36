/* The poller's books, told: for the Polling view. */
#include "sync/private.h"

#include <stdlib.h>
#include <string.h>

struct told {
  struct polling_place *out;
  const struct poller *p;
  int64_t wall_ms, mono_ms;
};

static int64_t told_wall(const struct told *t, int64_t mono_ms)
{
  if (mono_ms == INT64_MIN)
    return t->wall_ms;
  return mono_ms == INT64_MAX ? INT64_MAX : t->wall_ms + (mono_ms - t->mono_ms);
}

static bool row_before(const struct polling_row *a, const struct polling_row *b)
{
  if (a->in_flight != b->in_flight)
    return a->in_flight;
  return a->due_ms < b->due_ms;
}

static void told_add(struct told *t, const struct polling_row *add)
{
  struct polling_place *out = t->out;
  size_t at = out->row_count;
  while (at > 0 && row_before(add, &out->rows[at - 1]))
    at--;
  if (at >= POLLING_ROWS_MAX)
    return;
  if (out->row_count < POLLING_ROWS_MAX)
    out->row_count++;
  memmove(&out->rows[at + 1], &out->rows[at], (out->row_count - 1 - at) * sizeof *out->rows);
  out->rows[at] = *add;
}

static int64_t due_of(const struct resource *r, int64_t every_ms)
{
  if (!r->answered || r->reading.active || r->failed || r->read_mono_ms == INT64_MIN)
    return r->due_mono_ms;
  return r->read_mono_ms + every_ms;
}

static void tell_list(struct told *t, const struct resource *r, const char *what, const struct freshness *f,
                      int64_t every_ms, bool on_screen)
{
  struct polling_row row = {.what = what,
                            .why = ask_why_text(on_screen     ? ASK_WHY_SCREEN
                                                : r->answered ? ASK_WHY_REST
                                                              : ASK_WHY_FIRST),
                            .in_flight = r->in_flight,
                            .due_ms = told_wall(t, due_of(r, every_ms)),
                            .fetched_ms = f->fetched_ms,
                            .failing = err_is(&f->last_err)};
  told_add(t, &row);
}

static void tell_job(struct told *t, const struct place_poll *pp, const struct job *j, struct job_poll *jp,
                     size_t index, const struct poller_now *now)
{
  struct polling_place *out = t->out;
  enum ask_why why = ASK_WHY_FIRST;
  int64_t every = rhythm_runs_ms(t->p, pp, j, jp, now, &why);
  int64_t due = told_wall(t, due_of(&jp->runs, every));
  int64_t look = timetable_look_ms(jp, index);
  if (jp->runs.answered && !jp->runs.failed && look < due && look > t->wall_ms) {
    due = look;
    why = ASK_WHY_SCHEDULE;
  }
  out->jobs++;
  out->jobs_read += jp->runs.answered && !jp->runs.failed ? 1 : 0;
  out->jobs_failing += err_is(&j->runs_fresh.last_err) ? 1 : 0;
  if (j->runs_fresh.fetched_ms == WHEN_NONE)
    out->oldest_ms = WHEN_NONE;
  else if (out->oldest_ms != WHEN_NONE && j->runs_fresh.fetched_ms < out->oldest_ms)
    out->oldest_ms = j->runs_fresh.fetched_ms;
  struct polling_row row = {.what = "GetJobRuns",
                            .why = ask_why_text(jp->runs.answered ? why : ASK_WHY_FIRST),
                            .job = j->name,
                            .in_flight = jp->runs.in_flight,
                            .due_ms = due,
                            .fetched_ms = j->runs_fresh.fetched_ms,
                            .failing = err_is(&j->runs_fresh.last_err)};
  told_add(t, &row);
}

bool poller_status(const struct poller *p, const struct model *m, int place, const struct poller_now *real,
                   struct polling_place *out)
{
  if (place < 0 || (size_t)place >= p->place_count || p->places[place].epoch != m->places[place].epoch)
    return false;
  struct place_poll *pp = &p->places[place];
  const struct place *rows = &m->places[place];
  struct poller_now now = *real;
  now.mono_ms += p->slept_ms;
  struct told t = {.out = out, .p = p, .wall_ms = now.wall_ms, .mono_ms = now.mono_ms};
  *out = (struct polling_place){.place = place,
                                .context = pp->context,
                                .limit = budget_rate(&pp->budget),
                                .fixed_limit = pp->budget.fixed,
                                .in_flight = pp->in_flight,
                                .last_minute = budget_last_minute(&pp->budget, now.mono_ms),
                                .sent = pp->budget.sent,
                                .throttled = pp->budget.throttled,
                                .oldest_ms = INT64_MAX};
  if (pp->want_jobs || pp->want_all_runs)
    tell_list(&t, &pp->list, pp->mode == LIST_NAMES ? "ListJobs" : "GetJobs", &rows->jobs_fresh,
              rhythm_list_ms(p, pp->jobs_on_screen), pp->jobs_on_screen);
  if (pp->want_triggers)
    tell_list(&t, &pp->triggers, "GetTriggers", &rows->triggers_fresh, rhythm_list_ms(p, false),
              pp->triggers_on_screen);
  for (size_t i = 0; i < pp->job_count; i++)
    if (job_is_polled(pp, &rows->jobs[i], &pp->jobs[i], p->tick))
      tell_job(&t, pp, &rows->jobs[i], &pp->jobs[i], i, &now);
  if (out->oldest_ms == INT64_MAX)
    out->oldest_ms = WHEN_NONE;
  return true;
}
