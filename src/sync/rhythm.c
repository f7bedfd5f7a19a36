/* How often what is asked again. The figures answer to the aims of the project: what is visible or runs is at most 20 s old, any job at
 * most 30 minutes, and 2,000 jobs with 30 runs in flight cost at most 6 requests a second. */
#include "sync/private.h"

#define LIVE_MS              INT64_C(10000) /* runs in flight, when they are few */
#define SCREEN_MS            INT64_C(15000)
#define FRESH_MAX_MS         INT64_C(18000) /* both, when they are many */
#define WATCH_MS             INT64_C(3000)  /* after a start or stop by our own hand */
#define DUE_MS               INT64_C(15000) /* a start that is due by schedule and has not shown */
#define SETTLE_EVERY_MS      (2 * WHEN_MINUTE)
#define REST_MAX_MS          (28 * WHEN_MINUTE)
#define LIST_MS              (5 * WHEN_MINUTE)
#define LIST_SCREEN_MS       (2 * WHEN_MINUTE)
#define LIVE_LOAD_MAX        3.0 /* requests a second for runs in flight and jobs on the screen */
#define BALANCE_EVERY_MS     INT64_C(5000)
#define REST_LOAD_MAX        1.3                /* ... and for all the rest */
#define AWAY_FACTOR          4                  /* nobody looks */
#define THROTTLED_FOR_MS     WHEN_MINUTE        /* one question, again and again */
#define THROTTLED_TELL_MS    (30 * WHEN_SECOND) /* a question that was refused for so long is told, and asked on */
#define THROTTLED_SILENCE_MS (30 * WHEN_SECOND) /* nothing has got through for so long */

static int64_t base_ms(const struct poller *p, int64_t built_in)
{
  return p->options.refresh_seconds > 0 ? (int64_t)(p->options.refresh_seconds * 1000.0) : built_in;
}

/* The more lately it ran, the sooner it may run again. */
static int64_t rest_ms(const struct job *j, int64_t wall_ms)
{
  static const struct {
    int64_t age, every;
  } steps[] = {
      {WHEN_HOUR, WHEN_MINUTE},
      {6 * WHEN_HOUR, 3 * WHEN_MINUTE},
      {WHEN_DAY, 6 * WHEN_MINUTE},
      {7 * WHEN_DAY, 15 * WHEN_MINUTE},
  };
  if (j->run_count == 0 || j->runs[0].started_ms == WHEN_NONE)
    return REST_MAX_MS;
  int64_t age = wall_ms - j->runs[0].started_ms;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
    if (age < steps[i].age)
      return steps[i].every;
  return REST_MAX_MS;
}

/* Settled runs stay so: thousands of jobs are asked this again and again, and their runs lie far apart in memory. */
static bool job_unsettled(const struct job *j, struct job_poll *jp, int64_t wall_ms)
{
  if (jp->settled_generation == j->runs_generation)
    return false;
  for (size_t i = 0; i < j->run_count && i < 10; i++)
    if (run_is_unsettled(&j->runs[i], wall_ms))
      return true;
  jp->settled_generation = j->runs_generation;
  return false;
}

static int64_t stretched(int64_t ms, double factor, int64_t max)
{
  double s = (double)ms * (factor > 1 ? factor : 1);
  if (ms > max)
    return ms; /* the person asked for slower */
  return s > (double)max ? max : (int64_t)s;
}

int64_t rhythm_runs_ms(const struct poller *p, const struct place_poll *pp, const struct job *j, struct job_poll *jp,
                       const struct poller_now *now, enum ask_why *why)
{
  int64_t away = now->looked_at ? 1 : AWAY_FACTOR;
  if (now->mono_ms < jp->watch_until_mono_ms) {
    *why = ASK_WHY_LIVE;
    return WATCH_MS;
  }
  if (jp->wanted_tick == p->tick && jp->on_screen) {
    *why = ASK_WHY_SCREEN;
    return away * stretched(base_ms(p, j->run_live > 0 ? LIVE_MS : SCREEN_MS), pp->live_stretch, FRESH_MAX_MS);
  }
  if (j->run_live > 0) {
    *why = ASK_WHY_LIVE;
    return away * stretched(base_ms(p, LIVE_MS), pp->live_stretch, FRESH_MAX_MS);
  }
  if (timetable_waits(jp, j, now->wall_ms)) {
    *why = ASK_WHY_SCHEDULE;
    return base_ms(p, DUE_MS);
  }
  *why = ASK_WHY_REST;
  int64_t every = rest_ms(j, now->wall_ms);
  if (every > SETTLE_EVERY_MS && job_unsettled(j, jp, now->wall_ms))
    return SETTLE_EVERY_MS;
  return stretched(every, pp->rest_stretch * (double)away, REST_MAX_MS);
}

/* Runs begin and end, jobs come: none of it by so much in a few seconds. Another view is another matter. */
bool rhythm_is_out_of_date(const struct poller *p, const struct place_poll *pp, int64_t mono_ms)
{
  return pp->balanced_mono_ms == INT64_MIN || pp->balanced_wants != p->wants_hash ||
         mono_ms - pp->balanced_mono_ms >= BALANCE_EVERY_MS;
}

/* What the present intervals amount to, and by how much they must be stretched to keep within the aims. */
void rhythm_balance(struct poller *p, struct place_poll *pp, const struct model *m, int place,
                    const struct poller_now *now)
{
  const struct place *place_rows = &m->places[place];
  double live = 0;
  double rest = 0;
  pp->live_stretch = pp->rest_stretch = 1;
  for (size_t i = 0; i < place_rows->job_count; i++) {
    const struct job *j = &place_rows->jobs[i];
    if (!job_is_polled(pp, j, &pp->jobs[i], p->tick))
      continue;
    enum ask_why why;
    double a_second = 1000.0 / (double)rhythm_runs_ms(p, pp, j, &pp->jobs[i], now, &why);
    if (why == ASK_WHY_REST)
      rest += a_second;
    else
      live += a_second;
  }
  pp->balanced_mono_ms = now->mono_ms;
  pp->balanced_wants = p->wants_hash;
  pp->live_stretch = live > LIVE_LOAD_MAX ? live / LIVE_LOAD_MAX : 1;
  pp->rest_stretch = rest > REST_LOAD_MAX ? rest / REST_LOAD_MAX : 1;
}

int64_t rhythm_list_ms(const struct poller *p, bool on_screen)
{
  int64_t asked = base_ms(p, 0);
  int64_t every = on_screen ? LIST_SCREEN_MS : LIST_MS;
  return asked > every ? asked : every;
}

int64_t rhythm_doc_ms(const struct poller *p, bool live)
{
  return live ? base_ms(p, LIVE_MS) : LIST_MS;
}

bool rhythm_gives_up(const struct budget *b, enum err_kind kind, const struct resource *r, int64_t mono_ms)
{
  /* The transport has tried the rest many times already. Being throttled may only say that it was too early, as long as others
   * get through; but nobody is left waiting for ever, and what is refused for so long is told. */
  return kind != ERR_THROTTLED || (r->failures > 3 && mono_ms - r->failing_since_ms >= THROTTLED_FOR_MS) ||
         budget_silent_ms(b, mono_ms) >= THROTTLED_SILENCE_MS;
}

bool rhythm_tells(enum err_kind kind, int64_t failing_ms)
{
  return kind != ERR_THROTTLED || failing_ms >= THROTTLED_TELL_MS;
}

int64_t rhythm_backoff_ms(struct budget *b, enum err_kind kind, unsigned failures)
{
  int64_t base = 5 * WHEN_SECOND;
  int64_t max = 5 * WHEN_MINUTE;
  if (kind == ERR_DENIED || kind == ERR_NOT_FOUND) {
    base = 2 * WHEN_MINUTE; /* a policy does not change by the second */
    max = 15 * WHEN_MINUTE;
  } else if (kind == ERR_THROTTLED) {
    base = WHEN_SECOND;
    max = 30 * WHEN_SECOND;
  }
  int64_t ms = base;
  for (unsigned i = 1; i < failures && ms < max; i++)
    ms *= 2;
  if (ms > max)
    ms = max;
  /* Half of it is jitter: hundreds of jobs that failed together must not come back together. */
  return ms / 2 + (int64_t)((double)ms / 2 * budget_random(b));
}
