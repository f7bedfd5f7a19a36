/* Once a second at most: how the asking stands, and which runs near their timeouts. */
#include "app/private.h"

#include <stdlib.h>
#include "base/xalloc.h"

#define STATUS_EVERY_MS WHEN_SECOND
#define LIMITS_EVERY_MS (10 * WHEN_SECOND)
#define NEAR_TIMEOUT    0.8

static void status_write(struct app *app)
{
  struct model *m = app->model;
  struct polling *out = &m->polling;
  struct poller_now now = app_now(app);
  out->places = xreallocarray(out->places, m->place_count + 1, sizeof *out->places);
  out->place_count = 0;
  for (size_t i = 0; i < m->place_count; i++) {
    bool open = false;
    for (size_t c = 0; c < m->context_count; c++)
      open = open || (m->contexts[c].place == (int)i && !m->contexts[c].closed);
    if (open && poller_status(app->poller, m, (int)i, &now, &out->places[out->place_count]))
      rates_tell(app, (int)i, &out->places[out->place_count++]);
  }
  struct history_figures f = history_figures(app->history);
  out->store_usable = f.usable;
  out->store_writable = f.writable;
  out->store_runs_painted = f.runs_painted;
  out->store_blocks_written = f.blocks_written;
  out->store_busy = f.busy;
  out->at_ms = now.wall_ms;
}

static void run_hold(struct app *app, const struct job *j, const struct run *r, int64_t now)
{
  struct model *m = app->model;
  int32_t minutes = model_run_timeout(m, j, r, NULL);
  int64_t began = minutes <= 0 ? WHEN_NONE : model_run_began(r, now, NULL);
  if (began == WHEN_NONE || (double)(now - began) < NEAR_TIMEOUT * (double)minutes * (double)WHEN_MINUTE)
    return;
  char id[RUN_ID_MAX];
  model_add_notice(m, &(struct notice){.kind = NOTICE_NEAR_TIMEOUT,
                                       .place = j->place,
                                       .context = -1,
                                       .job = j->name,
                                       .run_id = strpool_put(m->strings, run_id_text(r, m->strings, id)),
                                       .at_ms = now,
                                       .seen_ms = now});
}

static void limits_hold(struct app *app)
{
  struct model *m = app->model;
  for (size_t p = 0; p < m->place_count; p++)
    for (size_t i = 0; i < m->places[p].job_count; i++) {
      const struct job *j = &m->places[p].jobs[i];
      size_t live = 0;
      for (size_t k = 0; k < j->run_count && live < j->run_live; k++) {
        if (run_finished(&j->runs[k]))
          continue;
        live++;
        run_hold(app, j, &j->runs[k], app_wall_ms(app));
      }
    }
}

static bool due(int64_t *last_ms, int64_t now_ms, int64_t every_ms)
{
  if (now_ms - *last_ms < every_ms && *last_ms != 0)
    return false;
  *last_ms = now_ms == 0 ? 1 : now_ms;
  return true;
}

/* No timer wakes the loop for these: they come along with turns that happen anyway, which a screen makes with its clock and its ages. */
void watch_turn(struct app *app)
{
  int64_t now = app_mono_ms(app);
  if (due(&app->polling_mono_ms, now, STATUS_EVERY_MS))
    status_write(app);
  if (due(&app->limits_mono_ms, now, LIMITS_EVERY_MS))
    limits_hold(app);
}
