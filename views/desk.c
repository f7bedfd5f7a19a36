#include "views/desk.h"

#include <stdlib.h>
#include "base/xalloc.h"
#include "model/sweep.h"
#include "views/rows.h"

struct desk {
  struct boards *boards;
  int64_t since_ms, until_ms; /* aimed at */
  int place;
  bool aimed;
  uint64_t generation; /* of the model when it had caught up */
  bool caught_up;
  bool behind;             /* the loads were asked for since */
  bool loads;              /* they are kept */
  bool money, money_asked; /* the same for money per hour; asked for in this update */
  int *contexts;           /* by place, for the scope */
  size_t context_cap;
  /* results of this update; NULL: not made yet */
  const struct burn_result *burn;
  const struct collisions_result *collisions;
  const struct timeouts_result *timeouts;
  const struct timeline_result *timeline;
  struct home_result home;
  bool home_made;
};

struct desk *desk_new(const struct board_measures *measures)
{
  struct desk *d = xcalloc(1, sizeof *d);
  d->boards = boards_new();
  boards_set_measures(d->boards, measures);
  boards_keep_loads(d->boards, false);
  home_init(&d->home);
  return d;
}

void desk_free(struct desk *d)
{
  if (d != NULL) {
    boards_free(d->boards);
    home_fini(&d->home);
    free(d->contexts);
    free(d);
  }
}

static struct report_scope scope_of(struct desk *d, const struct scene *scene)
{
  const struct model *m = scene->model;
  d->contexts = xgrow(d->contexts, &d->context_cap, m->place_count + 1, sizeof *d->contexts);
  for (size_t p = 0; p < m->place_count; p++) {
    d->contexts[p] = scene_context_of(m, (int)p);
  }
  return (struct report_scope){.model = m,
                               .now_ms = scene->now_ms,
                               .since_ms = scene->since_ms,
                               .until_ms = scene->until_ms,
                               .zone = scene->zone,
                               .context_of_place = d->contexts,
                               .prices = scene->prices,
                               .stats = scene->stats};
}

void desk_keep_loads(struct desk *d, bool keep)
{
  if (boards_keep_loads(d->boards, keep)) {
    d->behind = true;
  }
  if (d->money && !d->money_asked) { /* nobody asked in the update before */
    boards_keep_money(d->boards, false);
    d->money = false;
  }
  d->money_asked = false;
  if (d->loads && !keep) {
    xalloc_trim();
  }
  d->loads = keep;
}

void desk_aim(struct desk *d, const struct scene *scene)
{
  bool same = d->aimed && d->since_ms == scene->since_ms && d->until_ms == scene->until_ms && d->place == scene->place;
  d->burn = NULL;
  d->collisions = NULL;
  d->timeouts = NULL;
  d->timeline = NULL;
  d->home_made = false;
  if (!same) {
    d->since_ms = scene->since_ms;
    d->until_ms = scene->until_ms;
    d->place = scene->place;
    d->aimed = true;
    d->caught_up = false;
    boards_begin(d->boards, d->since_ms, d->until_ms, d->place);
    desk_step(d, scene); /* a window that has moved on by a minute has little to count: nothing need be told of it */
  }
}

void desk_restart(struct desk *d)
{
  d->aimed = false;
  d->caught_up = false;
  boards_begin(d->boards, d->since_ms, d->until_ms - 1, d->place); /* any other window: the next aim begins anew */
}

bool desk_step(struct desk *d, const struct scene *scene)
{
  if (!d->aimed) {
    desk_aim(d, scene);
  }
  struct report_scope scope = scope_of(d, scene);
  if (boards_step(d->boards, &scope, SWEEP_SLICE)) {
    d->generation = scene->model->generation;
    d->caught_up = true;
    d->behind = false;
  }
  return desk_ready(d, scene);
}

bool desk_ready(const struct desk *d, const struct scene *scene)
{
  return d->caught_up && !d->behind && d->generation == scene->model->generation;
}

bool desk_behind(const struct desk *d)
{
  return d->behind;
}

bool desk_whole(const struct desk *d)
{
  return d->caught_up;
}

const struct burn_result *desk_burn(struct desk *d, const struct scene *scene)
{
  if (d->burn == NULL) {
    struct report_scope scope = scope_of(d, scene);
    d->burn = boards_burn(d->boards, &scope);
  }
  return d->burn;
}

const struct collisions_result *desk_collisions(struct desk *d, const struct scene *scene)
{
  if (d->collisions == NULL) {
    struct report_scope scope = scope_of(d, scene);
    d->collisions = boards_collisions(d->boards, &scope);
  }
  return d->collisions;
}

const struct timeouts_result *desk_timeouts(struct desk *d, const struct scene *scene)
{
  if (d->timeouts == NULL) {
    struct report_scope scope = scope_of(d, scene);
    d->timeouts = boards_timeouts(d->boards, &scope);
  }
  return d->timeouts;
}

const struct timeline_result *desk_timeline(struct desk *d, const struct scene *scene)
{
  if (d->timeline == NULL) {
    struct report_scope scope = scope_of(d, scene);
    d->timeline = boards_timeline(d->boards, &scope);
  }
  return d->timeline;
}

const struct home_result *desk_home(struct desk *d, const struct scene *scene)
{
  if (!d->home_made) {
    int64_t day = scene->now_ms - WHEN_DAY;
    home_fill(&d->home, scene->model, desk_burn(d, scene), desk_collisions(d, scene), desk_timeouts(d, scene),
              scene->place, scene->since_ms < day ? scene->since_ms : day, scene->now_ms);
    d->home_made = true;
  }
  return &d->home;
}

struct loads *desk_loads(struct desk *d)
{
  return boards_loads(d->boards);
}

const struct plan *desk_plan(const struct desk *d)
{
  return boards_plan(d->boards);
}

const struct board_measures *desk_measures(const struct desk *d)
{
  return boards_measures(d->boards);
}

void desk_curve(struct desk *d, const struct scene *scene, int64_t from_ms, int64_t to_ms, size_t columns,
                int64_t *dpu_micros, struct load_peak *peak)
{
  struct report_scope scope = scope_of(d, scene);
  boards_curve(d->boards, &scope, from_ms, to_ms, columns, dpu_micros, peak);
}

void desk_expected_curve(struct desk *d, const struct scene *scene, int64_t to_ms, size_t columns, int64_t *dpu_micros)
{
  struct report_scope scope = scope_of(d, scene);
  boards_expected_curve(d->boards, &scope, to_ms, columns, dpu_micros);
}

void desk_want_money(struct desk *d)
{
  d->money_asked = true;
  if (!d->money) {
    boards_keep_money(d->boards, true);
    d->money = d->behind = true;
  }
}

void desk_money_curve(struct desk *d, const struct scene *scene, int64_t from_ms, int64_t to_ms, size_t columns,
                      int64_t *micros, struct load_peak *peak)
{
  struct report_scope scope = scope_of(d, scene);
  boards_curve_of(d->boards, BOARDS_CURVE_MONEY, &scope, from_ms, to_ms, columns, micros, peak);
}

bool desk_report(struct desk *d, const struct scene *scene, enum board which, enum report_format format,
                 struct buf *out)
{
  struct report_scope scope = scope_of(d, scene);
  boards_keep_loads(d->boards, true);
  while (!boards_step(d->boards, &scope, SWEEP_SLICE)) {
    /* a file is never written from half a sum */
  }
  switch (format) {
  case REPORT_JSON: {
    struct jw w;
    jw_init(&w, out, true);
    jw_object(&w);
    jw_name(&w, "as_of");
    jw_time(&w, scene->now_ms);
    rows_write_contexts(scene->model, &w);
    report_write_board(d->boards, which, &scope, &w);
    jw_end_object(&w);
    buf_addc(out, '\n');
    break;
  }
  case REPORT_CSV:
    report_board_csv(d->boards, which, &scope, out);
    break;
  case REPORT_TABLE:
    report_board_text(d->boards, which, &scope, out);
    break;
  }
  /* the engines have been asked again: results handed out before are void */
  boards_keep_loads(d->boards, d->loads);
  d->caught_up = true;
  d->behind = false;
  d->generation = scene->model->generation;
  desk_aim(d, scene);
  return !out->overflow;
}

void desk_wants(const struct scene *scene, int64_t since_ms, struct wants *out)
{
  struct scene wider = *scene;
  if (since_ms != WHEN_NONE && since_ms < wider.since_ms) {
    wider.since_ms = since_ms;
  }
  rows_want_lists(&wider, out);
  rows_want_all_runs(&wider, WANT_ON_SCREEN, out);
}
