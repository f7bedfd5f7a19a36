/* Which jobs their triggers start, and when: a start that is due by schedule is looked for when it is due, not when the job's turn comes. */
#include "model/cron.h"
#include "model/schedule.h"
#include "sync/private.h"

#define TIMETABLE_AGAIN_MS WHEN_HOUR /* a trigger that never fires again is looked at that often */
/* The service starts a scheduled run some seconds late; jobs of one minute are spread over some more. */
#define LAG_MS    INT64_C(6000)
#define SPREAD_MS 8000
/* A start that has not shown after that long is the business of the "overdue" finding. */
#define GIVE_UP_MS (10 * WHEN_MINUTE)
#define EARLY_MS   WHEN_MINUTE

static uint64_t timetable_key(const struct place *rows)
{
  return (uint64_t)rows->triggers_fresh.fetched_ms * 31 + rows->trigger_count * 7 + rows->job_count;
}

static void time_passes(struct place_poll *pp, int64_t wall_ms)
{
  for (size_t i = 0; i < pp->job_count; i++) {
    struct job_poll *jp = &pp->jobs[i];
    if (jp->schedule_next_ms != WHEN_NONE && jp->schedule_next_ms <= wall_ms) {
      jp->schedule_due_ms = jp->schedule_next_ms;
      jp->sleep_mono_ms = INT64_MIN;
    }
    jp->schedule_next_ms = WHEN_NONE;
  }
}

void timetable_update(struct place_poll *pp, const struct model *m, int place, int64_t wall_ms)
{
  const struct place *rows = &m->places[place];
  uint64_t key = timetable_key(rows);
  if (pp->timetable_key == key && wall_ms < pp->timetable_next_ms)
    return;
  place_poll_changed(pp);
  time_passes(pp, wall_ms);
  pp->timetable_key = key;
  pp->timetable_next_ms = wall_ms + TIMETABLE_AGAIN_MS;
  for (size_t i = 0; i < rows->trigger_count; i++) {
    const struct trigger *t = &rows->triggers[i];
    struct cron cron;
    if (!schedule_trigger_on(m, t) || !schedule_trigger_cron(m, t, &cron))
      continue;
    int64_t next = cron_next(&cron, wall_ms);
    if (next == WHEN_NONE)
      continue;
    if (next < pp->timetable_next_ms)
      pp->timetable_next_ms = next;
    for (size_t k = 0; k < t->action_count; k++) {
      const struct job *j = model_job(m, place, t->actions[k].job);
      if (j == NULL || (size_t)(j - rows->jobs) >= pp->job_count)
        continue;
      struct job_poll *jp = &pp->jobs[j - rows->jobs];
      if (jp->schedule_next_ms == WHEN_NONE || next < jp->schedule_next_ms) {
        jp->schedule_next_ms = next;
        jp->sleep_mono_ms = INT64_MIN;
      }
    }
  }
}

bool timetable_waits(struct job_poll *jp, const struct job *j, int64_t wall_ms)
{
  if (jp->schedule_due_ms == WHEN_NONE)
    return false;
  bool seen = j->run_count > 0 && j->runs[0].started_ms >= jp->schedule_due_ms - EARLY_MS;
  if (!seen && wall_ms - jp->schedule_due_ms < GIVE_UP_MS)
    return true;
  jp->schedule_due_ms = WHEN_NONE;
  return false;
}

int64_t timetable_look_ms(const struct job_poll *jp, size_t index)
{
  int64_t at = jp->schedule_due_ms != WHEN_NONE ? jp->schedule_due_ms : jp->schedule_next_ms;
  return at == WHEN_NONE ? INT64_MAX : at + LAG_MS + (int64_t)(index * 2654435761u % SPREAD_MS);
}
