/* What ran when, and what got in whose way: lanes of bars over the window of time, what is planned to the right of now, and the DPU at
 * work at once beneath. Bars are read from the model for the lanes on the screen alone; everything else comes from the desk. */
#include "views/timeline_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/rows.h"

#define FUTURE_SHARE 4 /* the stretch to the right of now: a quarter of the window, a day at most */
#define PAN_SHARE    4

#define ROW const struct timeline_row *r = row

/* --- columns: for sorting and filtering; the lanes are drawn here ---------------------------------------------------- */

void timeline_text_name(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->base.job != 0) {
    board_text_job(row, env, out);
  } else if (r->hour >= 0) {
    buf_addf(out, "%02d:00", r->hour);
  } else if (r->track == 0) {
    buf_adds(out, r->base.place_label != NULL ? r->base.place_label : "account");
  }
}

static void text_runs(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_count(out, (int64_t)r->runs);
}

static void text_failures(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  format_count(out, (int64_t)r->failures);
}

static int by_runs(const void *a, const void *b, const struct list_env *env)
{
  const struct timeline_row *x = a, *y = b;
  (void)env;
  return compare_i64((int64_t)x->runs, (int64_t)y->runs);
}

static int by_failures(const void *a, const void *b, const struct list_env *env)
{
  const struct timeline_row *x = a, *y = b;
  (void)env;
  return compare_i64((int64_t)x->failures, (int64_t)y->failures);
}

static int by_live(const void *a, const void *b, const struct list_env *env)
{
  const struct timeline_row *x = a, *y = b;
  (void)env;
  return compare_i64((int64_t)x->live, (int64_t)y->live);
}

static int by_first(const void *a, const void *b, const struct list_env *env)
{
  const struct timeline_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->first_ms, y->first_ms);
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = "JOB", .word = "job", .min = 12, .max = 48, .worth = 100, .name = true, .searched = true, .text = timeline_text_name, .compare = board_by_job},
    {.title = "RUNS", .word = "runs", .min = 5, .max = 5, .worth = 90, .align = TEXT_RIGHT, .text = text_runs, .compare = by_runs, .big_first = true},
    {.title = "FAIL", .word = "failures", .min = 5, .max = 5, .worth = 90, .align = TEXT_RIGHT, .text = text_failures, .compare = by_failures, .big_first = true},
    {.title = "RUNNING", .word = "running", .min = 5, .max = 5, .worth = 80, .text = text_runs, .compare = by_live, .big_first = true},
    {.title = "FIRST", .word = "first", .min = 5, .max = 5, .worth = 80, .text = text_runs, .compare = by_first},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->failures > 0;
}

static const struct list_ops list_ops = {.row_size = sizeof(struct timeline_row),
                                         .columns = columns,
                                         .column_count = sizeof columns / sizeof columns[0],
                                         .fixed = 1,
                                         .problem = is_problem};

static const struct board_part parts[TIMELINE_PART_COUNT] = {
    [TIMELINE_JOBS] = {"by job", "jobs", &list_ops},
    [TIMELINE_ACCOUNTS] = {"by account", "tracks", &list_ops},
    [TIMELINE_HOURS] = {"by hour of day", "hours", &list_ops},
};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err timeline_open(struct view *v, const struct view_args *args)
{
  struct timeline_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, TIMELINE_PART_COUNT);
  lanes_init(&s->lanes);
  s->cursor_ms = WHEN_NONE;
  return err_ok();
}

static void timeline_close(struct view *v)
{
  struct timeline_state *s = v->state;
  board_fini(&s->board);
  lanes_fini(&s->lanes);
  free(s->curve);
}

static void timeline_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  struct timeline_state *s = v->state;
  struct list *l = board_list(&s->board);
  /* what is on the screen first */
  for (size_t i = l->top; s->board.part == TIMELINE_JOBS && i < l->top + (size_t)l->height && i < l->shown; i++) {
    const struct timeline_row *r = list_row(l, i);
    rows_want_runs(scene, r->base.place, r->base.job, WANT_ON_SCREEN, out);
  }
  desk_wants(scene, scene->now_ms - 8 * WHEN_DAY, out);
}

static void set_range(struct timeline_state *s, const struct scene *scene, const struct timeline_result *r)
{
  struct lanes *lanes = &s->lanes;
  bool live = scene->until_ms == INT64_MAX || scene->until_ms >= scene->now_ms;
  int64_t from = scene->since_ms, to = live ? scene->now_ms : scene->until_ms;
  for (size_t i = 0; i < r->lane_count && scene->since_ms == INT64_MIN; i++) { /* everything: from the first run on */
    int64_t first = r->lanes[i].first_ms;
    from = first != WHEN_NONE && (from == INT64_MIN || first < from) ? first : from;
  }
  from = from == INT64_MIN || from >= to ? to - WHEN_DAY : from;
  if (live) {
    int64_t future = (to - from) / FUTURE_SHARE;
    to += future > WHEN_DAY ? WHEN_DAY : future;
  }
  lanes->from_ms = from;
  lanes->to_ms = to;
  lanes->now_ms = scene->now_ms;
  lanes->zone = scene->zone;
  s->until_ms = scene->until_ms;
  if (s->cursor_ms == WHEN_NONE) {
    s->cursor_ms = live ? scene->now_ms : to;
  }
}

static void add_job_rows(struct timeline_state *s, const struct scene *scene, const struct timeline_result *r)
{
  for (size_t i = 0; i < r->lane_count; i++) {
    const struct timeline_lane *lane = &r->lanes[i];
    struct timeline_row *row = board_add(&s->board, scene, lane->place, lane->job, NULL, 0);
    row->job_index = lane->job_index;
    row->runs = lane->runs;
    row->failures = lane->failures;
    row->live = lane->live;
    row->planned = lane->planned;
    row->first_ms = lane->first_ms;
    row->hour = -1;
  }
}

static void add_account_rows(struct timeline_state *s, const struct scene *scene)
{
  for (size_t p = 0; p < scene->model->place_count; p++) {
    if (scene_shows(scene, (int)p) && schedule_place_open(scene->model, (int)p)) {
      size_t tracks = lanes_tracks(&s->lanes, scene, (int)p);
      for (size_t i = 0; i < tracks; i++) {
        struct timeline_row *row =
            board_add(&s->board, scene, (int)p, 0, NULL, (int64_t)(p * LANES_TRACKS_MOST + i) + 1);
        row->base.place_label = rows_place_label(scene->model, (int)p);
        row->hour = -1;
        row->track = i;
      }
    }
  }
}

static void add_hour_rows(struct timeline_state *s, const struct scene *scene)
{
  for (int hour = 0; hour < 24; hour++) {
    struct timeline_row *row = board_add(&s->board, scene, -1, 0, NULL, hour + 1);
    row->hour = hour;
  }
}

/* --- moving in time ------------------------------------------------------------------------------------------------- */

/* The window's end that brings a moment into its middle. */
static void bring_to_view(struct timeline_state *s, int64_t ms)
{
  int64_t end = s->lanes.to_ms < s->lanes.now_ms ? s->lanes.to_ms : s->lanes.now_ms, span = end - s->lanes.from_ms;
  if (ms < s->lanes.from_ms || ms >= end) {
    int64_t want = ms + span / 2;
    s->end_ms = want >= s->lanes.now_ms ? INT64_MAX : want;
    s->moved = s->end_ms != s->until_ms;
  }
}

/* The next failure in time over all lanes shown; of two at the same moment the upper lane's. */
static void seek_failure(struct timeline_state *s, const struct scene *scene)
{
  struct list *l = board_list(&s->board);
  int64_t best = WHEN_NONE;
  size_t best_position = 0;
  bool back = s->seek < 0;
  s->seek = 0;
  for (size_t i = 0; i < l->shown; i++) {
    const struct timeline_row *r = list_row(l, i);
    int64_t at = timeline_next_failure(scene->model, r->base.place, r->job_index, s->cursor_ms, back);
    if (at != WHEN_NONE && (best == WHEN_NONE || (back ? at > best : at < best))) {
      best = at;
      best_position = i;
    }
  }
  s->said_no_more = best == WHEN_NONE;
  if (best != WHEN_NONE) {
    struct row_key key;
    memcpy(&key, list_row(l, best_position), sizeof key);
    list_select(l, &key);
    s->cursor_ms = best;
    lanes_choose(&s->lanes, NULL);
    bring_to_view(s, best);
  }
}

static bool timeline_moves(struct view *v, int64_t *end_ms)
{
  struct timeline_state *s = v->state;
  bool moved = s->moved;
  s->moved = false;
  *end_ms = s->end_ms;
  return moved;
}

/* --- update --------------------------------------------------------------------------------------------------------- */

static void fill_lanes(struct timeline_state *s, const struct scene *scene, const struct timeline_layout *layout)
{
  struct list *l = board_list(&s->board);
  lanes_begin(&s->lanes, (size_t)layout->columns);
  for (size_t i = l->top; i < l->top + (size_t)layout->lanes && i < l->shown; i++) {
    const struct timeline_row *r = list_row(l, i);
    if (s->board.part == TIMELINE_JOBS) {
      lanes_add_job(&s->lanes, scene, &r->base.key, r->base.place, r->job_index);
    } else if (s->board.part == TIMELINE_ACCOUNTS) {
      lanes_add_track(&s->lanes, scene, &r->base.key, r->base.place, r->track);
    } else {
      lanes_add_hour(&s->lanes, scene, &r->base.key, r->hour);
    }
  }
}

static void fill_curve(struct timeline_state *s, const struct scene *scene, const struct timeline_layout *layout)
{
  const struct lanes *lanes = &s->lanes;
  int64_t end = lanes->to_ms < lanes->now_ms ? lanes->to_ms : lanes->now_ms;
  double share = (double)(end - lanes->from_ms) / (double)(lanes->to_ms - lanes->from_ms);
  s->curve_count = (size_t)(share * layout->columns + 0.5);
  s->expected_count = end < lanes->to_ms && (size_t)layout->columns > s->curve_count && s->board.part != TIMELINE_HOURS
                          ? (size_t)layout->columns - s->curve_count
                          : 0;
  s->curve = xgrow(s->curve, &s->curve_cap, s->curve_count + s->expected_count + 1, sizeof *s->curve);
  desk_curve(scene->desk, scene, lanes->from_ms, end, s->curve_count, s->curve, &s->peak);
  if (s->expected_count > 0) {
    desk_expected_curve(scene->desk, scene, lanes->to_ms, s->expected_count, s->curve + s->curve_count);
  }
  const struct collisions_result *c = desk_collisions(scene->desk, scene);
  s->quota = c->account_count == 1 ? c->accounts[0].dpu_limit : (double)NAN;
  s->quota_assumed = c->account_count == 1 && c->accounts[0].assumed;
}

static void timeline_update(struct view *v, const struct scene *scene)
{
  struct timeline_state *s = v->state;
  const struct timeline_result *r = desk_timeline(scene->desk, scene);
  /* While lanes are counted anew those of before stay; their bars move with the window all the same. */
  bool fresh = board_begin(&s->board, scene);
  set_range(s, scene, r);
  lanes_forget_packs(&s->lanes);
  if (fresh || s->board.part != TIMELINE_JOBS) {
    s->runs = r->runs;
    s->failures = r->failures;
    s->unread = r->unread;
    board_begin_rows(&s->board, scene);
    if (s->board.part == TIMELINE_JOBS) {
      add_job_rows(s, scene, r);
    } else if (s->board.part == TIMELINE_ACCOUNTS) {
      add_account_rows(s, scene);
    } else {
      add_hour_rows(s, scene);
    }
    board_end_rows(&s->board, scene);
  }
  if (s->seek != 0 && s->board.part == TIMELINE_JOBS) {
    seek_failure(s, scene);
  }
  struct timeline_layout layout = timeline_layout_of(scene->width, scene->height, board_list(&s->board)->shown);
  timeline_settle_top(board_list(&s->board), layout.lanes);
  fill_lanes(s, scene, &layout);
  fill_curve(s, scene, &layout);
}

static void timeline_draw(struct view *v, const struct pane *p)
{
  timeline_draw_board(v->state, p);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void pan(const struct timeline_state *s, int direction, struct outcome *out)
{
  char iso[WHEN_TEXT_MAX];
  int64_t end = s->lanes.to_ms < s->lanes.now_ms ? s->lanes.to_ms : s->lanes.now_ms;
  int64_t step = (end - s->lanes.from_ms) / PAN_SHARE, want = end + direction * step;
  if (direction > 0 && want >= s->lanes.now_ms) {
    out->command = s->until_ms != INT64_MAX ? xstrdup("until now") : NULL;
  } else {
    out->command = xasprintf("until %s", when_format_iso(want, iso));
  }
}

/* From bar to bar; beyond the last one the window moves. */
static void step(struct timeline_state *s, int direction, struct outcome *out)
{
  const struct lane *lane = timeline_lane_here(s);
  int64_t at = lane != NULL ? lanes_step(&s->lanes, lane, s->cursor_ms, direction) : WHEN_NONE;
  if (at != WHEN_NONE) {
    s->cursor_ms = at;
  } else {
    pan(s, direction, out);
  }
}

static enum handled timeline_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct timeline_state *s = v->state;
  struct list *l = board_list(&s->board);
  enum handled handled = HANDLED_YES;
  struct subject subject = {.place = -1};
  (void)in;
  s->said_no_more = false;
  if (a == ACTION_LEFT || a == ACTION_RIGHT) {
    step(s, a == ACTION_LEFT ? -1 : 1, out);
  } else if (a == ACTION_NEXT_FAILURE || a == ACTION_PREV_FAILURE) {
    s->seek = a == ACTION_NEXT_FAILURE ? 1 : -1;
    out->stale = true;
  } else if (a == ACTION_ENTER) {
    const struct lane *lane = timeline_lane_here(s);
    bool known = board_subject(&s->board, &subject);
    bool run = lane != NULL && lanes_subject(&s->lanes, lane, l->env.strings, s->cursor_ms, &subject);
    if (known || run) {
      outcome_open(out, run ? &run_view : &job_view, &subject, 1);
    }
  } else if (board_act(&s->board, a, out)) {
    lanes_choose(&s->lanes, NULL);
    out->stale = out->stale || a == ACTION_PROBLEMS || l->at < l->top || l->at >= l->top + (size_t)l->height;
  } else {
    handled = HANDLED_NO;
  }
  return handled;
}

static void timeline_caption(const struct view *v, struct buf *out)
{
  const struct timeline_state *s = v->state;
  board_caption(&s->board, out);
}

static bool timeline_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct timeline_state *s = v->state;
  const struct lane *lane = timeline_lane_here(s);
  const struct strpool *strings = s->board.lists[s->board.part].env.strings;
  struct subject subject;
  if (lane == NULL || lane->days || lane->levels) {
    return false;
  }
  if (s->board.part == TIMELINE_ACCOUNTS && lanes_subject(&s->lanes, lane, strings, s->cursor_ms, &subject)) {
    buf_addf(out, "%s  ", subject.job_name != NULL ? subject.job_name : "");
  }
  return lanes_detail(&s->lanes, lane, strings, s->cursor_ms, out, role);
}

static bool timeline_subject(const struct view *v, struct subject *out)
{
  const struct timeline_state *s = v->state;
  const struct lane *lane = timeline_lane_here(s);
  bool known = board_subject(&s->board, out);
  if (lane != NULL && lanes_subject(&s->lanes, lane, s->board.lists[s->board.part].env.strings, s->cursor_ms, out)) {
    known = true;
  }
  return known;
}

static struct list *timeline_list(struct view *v)
{
  struct timeline_state *s = v->state;
  return board_list(&s->board);
}

static bool timeline_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  (void)v;
  return desk_report(scene->desk, scene, BOARD_TIMELINE, format, out);
}

const struct view_ops timeline_view = {
    .name = "timeline",
    .about =
        "What ran when, and what got in whose way: by job, account or hour; planned right of now, DPU at once beneath.",
    .enter_label = "run",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_TIMELINE,
    .flags = VIEW_CURVES,
    .state_size = sizeof(struct timeline_state),
    .open = timeline_open,
    .close = timeline_close,
    .wants = timeline_wants,
    .update = timeline_update,
    .draw = timeline_draw,
    .input = timeline_input,
    .caption = timeline_caption,
    .detail = timeline_detail,
    .subject = timeline_subject,
    .list = timeline_list,
    .report = timeline_report,
    .moves = timeline_moves,
};
