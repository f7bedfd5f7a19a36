/* What ran when, and what got in whose way: lanes of bars over the window of time, what is planned to the right of now, and the DPU at
 * work at once beneath. Bars are read from the model for the lanes on the screen alone; everything else comes from the desk. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/board.h"
#include "views/chart.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/lanes.h"
#include "views/pieces.h"
#include "views/rows.h"

#define FUTURE_SHARE 4 /* the stretch to the right of now: a quarter of the window, a day at most */
#define PAN_SHARE    4
#define CURVE_MOST   12

enum { PART_JOBS, PART_ACCOUNTS, PART_HOURS, PART_COUNT };

struct timeline_row {
  struct board_row base;
  size_t job_index;
  size_t runs, failures, live, planned;
  int64_t first_ms;
  int hour; /* of an hour's lane */
};

struct timeline_state {
  struct board_view board;
  struct lanes lanes;
  int64_t cursor_ms; /* WHEN_NONE: at now */
  int seek;          /* 1: the next failure is sought, -1: the one before */
  bool moved;        /* the window should end elsewhere */
  int64_t end_ms;
  int64_t until_ms; /* of the window as it was set */
  size_t runs, failures, unread;
  /* the curve beneath */
  int64_t *curve;
  size_t curve_count, curve_cap;
  struct load_peak peak;
  double quota; /* NAN: not of one account */
  bool quota_assumed;
  bool said_no_more; /* no further failure was found */
};

#define ROW const struct timeline_row *r = row

/* --- columns: for sorting and filtering; the lanes are drawn here ---------------------------------------------------- */

static void text_name(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->base.job != 0) {
    board_text_job(row, env, out);
  } else if (r->hour >= 0) {
    buf_addf(out, "%02d:00", r->hour);
  } else {
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
    {.title = "JOB", .word = "job", .min = 12, .max = 48, .worth = 100, .name = true, .searched = true, .text = text_name, .compare = board_by_job},
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

static const struct board_part parts[PART_COUNT] = {
    [PART_JOBS] = {"by job", "jobs", &list_ops},
    [PART_ACCOUNTS] = {"by account", "accounts", &list_ops},
    [PART_HOURS] = {"by hour of day", "hours", &list_ops},
};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err timeline_open(struct view *v, const struct view_args *args)
{
  struct timeline_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, PART_COUNT);
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
  for (size_t i = l->top; s->board.part == PART_JOBS && i < l->top + (size_t)l->height && i < l->shown; i++) {
    const struct timeline_row *r = list_row(l, i);
    rows_want_runs(scene, r->base.place, r->base.job, WANT_ON_SCREEN, out);
  }
  desk_wants(scene, scene->now_ms - 8 * WHEN_DAY, out);
}

/* Rows of the pane: the axis, the lanes, the curve, one line of sums. */
struct layout {
  int label, columns, lanes, curve;
};

/* Lanes first; what they leave goes to the curve, up to a height that is still read at a glance. */
static struct layout layout_of(int width, int height, size_t wanted)
{
  struct layout l = {.label = width < 60 ? 12 : width < 120 ? 22 : width < 200 ? 30 : 40};
  l.columns = width - l.label - 2;
  l.columns = l.columns < 1 ? 1 : l.columns;
  l.curve = height < 14 ? 0 : height < 30 ? 3 : height < 50 ? 5 : 8;
  l.lanes = height - 2 - l.curve;
  if (wanted < (size_t)l.lanes && l.curve > 0) {
    int spare = l.lanes - (int)(wanted > 0 ? wanted : 1) - 1; /* one empty line between */
    int more = CURVE_MOST - l.curve;
    more = spare < more ? spare : more;
    l.curve += more > 0 ? more : 0;
    l.lanes -= spare > 0 ? spare : 0;
  }
  l.lanes = l.lanes < 1 ? 1 : l.lanes;
  return l;
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
      struct timeline_row *row = board_add(&s->board, scene, (int)p, 0, NULL, (int64_t)p + 1);
      row->base.place_label = rows_place_label(scene->model, (int)p);
      row->hour = -1;
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

static void settle_top(struct list *l, int lanes)
{
  l->height = lanes;
  if (l->at < l->top) {
    l->top = l->at;
  }
  if (l->at >= l->top + (size_t)lanes) {
    l->top = l->at - (size_t)lanes + 1;
  }
  if (l->top + (size_t)lanes > l->shown) {
    l->top = l->shown > (size_t)lanes ? l->shown - (size_t)lanes : 0;
  }
}

static void fill_lanes(struct timeline_state *s, const struct scene *scene, const struct layout *layout)
{
  struct list *l = board_list(&s->board);
  lanes_begin(&s->lanes, (size_t)layout->columns);
  for (size_t i = l->top; i < l->top + (size_t)layout->lanes && i < l->shown; i++) {
    const struct timeline_row *r = list_row(l, i);
    if (s->board.part == PART_JOBS) {
      lanes_add_job(&s->lanes, scene, &r->base.key, r->base.place, r->job_index);
    } else if (s->board.part == PART_ACCOUNTS) {
      lanes_add_account(&s->lanes, scene, &r->base.key, r->base.place);
    } else {
      lanes_add_hour(&s->lanes, scene, &r->base.key, r->hour);
    }
  }
}

static void fill_curve(struct timeline_state *s, const struct scene *scene, const struct layout *layout)
{
  const struct lanes *lanes = &s->lanes;
  int64_t end = lanes->to_ms < lanes->now_ms ? lanes->to_ms : lanes->now_ms;
  double share = (double)(end - lanes->from_ms) / (double)(lanes->to_ms - lanes->from_ms);
  s->curve_count = (size_t)(share * layout->columns + 0.5);
  s->curve = xgrow(s->curve, &s->curve_cap, s->curve_count + 1, sizeof *s->curve);
  desk_curve(scene->desk, scene, lanes->from_ms, end, s->curve_count, s->curve, &s->peak);
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
  if (fresh || s->board.part != PART_JOBS) {
    s->runs = r->runs;
    s->failures = r->failures;
    s->unread = r->unread;
    board_begin_rows(&s->board, scene);
    if (s->board.part == PART_JOBS) {
      add_job_rows(s, scene, r);
    } else if (s->board.part == PART_ACCOUNTS) {
      add_account_rows(s, scene);
    } else {
      add_hour_rows(s, scene);
    }
    board_end_rows(&s->board, scene);
  }
  if (s->seek != 0 && s->board.part == PART_JOBS) {
    seek_failure(s, scene);
  }
  struct layout layout = layout_of(scene->width, scene->height, board_list(&s->board)->shown);
  settle_top(board_list(&s->board), layout.lanes);
  fill_lanes(s, scene, &layout);
  fill_curve(s, scene, &layout);
}

/* --- drawing -------------------------------------------------------------------------------------------------------- */

static unsigned name_style(const struct timeline_row *r, const struct lane *lane)
{
  unsigned style = ROLE_TEXT;
  if (lane != NULL && lanes_last_failed(lane)) {
    style = ROLE_BAD;
  } else if (r->live > 0) {
    style = ROLE_RUNNING;
  } else if (r->base.job != 0 && r->runs == 0) {
    style = ROLE_DIM; /* only planned */
  }
  return style;
}

static void draw_lane(struct timeline_state *s, const struct pane *p, int y, size_t position, const struct layout *lay)
{
  struct list *l = board_list(&s->board);
  const struct timeline_row *r = list_row(l, position);
  const struct lane *lane = lanes_find(&s->lanes, &r->base.key);
  bool here = position == l->at;
  struct buf text;
  buf_init(&text, 4096);
  unsigned style = name_style(r, lane);
  if (list_is_marked(l, &r->base.key)) {
    pane_put(p, y, 0, ROLE_ACCENT | STYLE_BOLD, sign(SIGN_MARK));
  } else if (here) {
    pane_put(p, y, 0, ROLE_ACCENT | STYLE_BOLD, sign(SIGN_CURSOR));
  }
  text_name(r, &l->env, &text);
  if (r->base.place_label != NULL && r->base.job != 0) {
    buf_addf(&text, " %s", r->base.place_label);
  }
  pane_field(p, y, 1, lay->label - 1, style, TEXT_LEFT, text.data);
  if (here) {
    char *clean = text_clean_dup(text.data, TEXT_LINE);
    int cells = text_width(clean);
    pane_restyle(p, y, 1, cells < lay->label - 1 ? cells : lay->label - 1, (style & STYLE_ROLE) | STYLE_REVERSE);
    free(clean);
  }
  buf_fini(&text);
  if (lane != NULL) {
    struct pane cells = pane_part(p, y, lay->label + 1, 1, lay->columns);
    lanes_draw(&s->lanes, lane, &cells, here ? s->cursor_ms : WHEN_NONE);
  }
}

static const struct lane *lane_here(const struct timeline_state *s)
{
  const struct timeline_row *r = board_current(&s->board);
  return r != NULL ? lanes_find(&s->lanes, &r->base.key) : NULL;
}

/* The dates above the columns of an hour's lane, as many as have room. */
static void draw_days(const struct lanes *l, const struct pane *p, int x)
{
  int64_t day = when_day_start(l->from_ms, l->zone);
  size_t wide = 1, days = lanes_days(l, &wide), free_from = 0;
  for (size_t i = 0; i < days; i++) {
    if (i * wide >= free_from) {
      char text[WHEN_TEXT_MAX];
      when_format(day, l->zone, WHEN_DATE, text);
      pane_putf(p, 0, x + (int)(i * wide), ROLE_DIM, "%s", text + 5);
      free_from = i * wide + 7;
    }
    day = when_day_start(day + 36 * WHEN_HOUR, l->zone);
  }
}

/* The moments, "now", and a mark above the bar that the cursor stands on. */
static void draw_axis(const struct timeline_state *s, const struct pane *p, const struct layout *lay)
{
  const struct lanes *lanes = &s->lanes;
  const struct lane *lane = lane_here(s);
  size_t cells = (size_t)lay->columns;
  int x = lay->label + 1;
  long now = timeline_ms_column(lanes->from_ms, lanes->to_ms, cells, lanes->now_ms);
  if (s->board.part == PART_HOURS) { /* its columns are days */
    draw_days(lanes, p, x);
    return;
  }
  int64_t cursor_ms = lane != NULL ? lanes_cursor_ms(lanes, lane, s->cursor_ms) : WHEN_NONE;
  long at = cursor_ms == WHEN_NONE ? -1 : timeline_ms_column(lanes->from_ms, lanes->to_ms, cells, cursor_ms);
  const struct chart_keep keep[] = {{(int)now, now < 0 ? -1 : (int)now + 4}, {(int)at, at < 0 ? -1 : (int)at + 2}};
  chart_axis(p, 0, x, lay->columns, lanes->from_ms, lanes->to_ms, lanes->zone, keep, 2, ROLE_DIM);
  if (now >= 0) {
    pane_put(p, 0, x + (int)now, ROLE_ACCENT, lay->columns - (int)now >= 3 ? "now" : "n");
  }
  if (at >= 0) {
    pane_put(p, 0, x + (int)at, ROLE_ACCENT | STYLE_BOLD, text_is_ascii() ? "v" : "\u25be");
  }
}

static void draw_curve(const struct timeline_state *s, const struct pane *p, int y, const struct layout *lay)
{
  int64_t top = 0;
  struct buf text;
  buf_init(&text, 64);
  for (size_t i = 0; i < s->curve_count; i++) {
    top = s->curve[i] > top ? s->curve[i] : top;
  }
  buf_adds(&text, "DPU ");
  format_dpu(&text, (double)top / 1e6);
  pane_field(p, y, 1, lay->label - 2, ROLE_DIM, TEXT_RIGHT, text.data);
  for (int i = 0; i < lay->curve; i++) {
    pane_put(p, y + i, lay->label, ROLE_FRAME, text_is_ascii() ? "|" : i == 0 ? "\u2524" : "\u2502");
  }
  struct pane area = pane_part(p, y, lay->label + 1, lay->curve, (int)s->curve_count);
  chart_area(&area, s->curve, s->curve_count, top, ROLE_ACCENT);
  buf_fini(&text);
}

static void draw_sums(const struct timeline_state *s, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 128);
  if (s->peak.dpu_at_ms != WHEN_NONE) {
    format_dpu(&text, (double)s->peak.dpu_micros / 1e6);
    buf_adds(&text, " DPU at ");
    format_moment(&text, s->peak.dpu_at_ms, s->lanes.now_ms, s->lanes.zone);
    pieces_add(&l, 100, 0, ROLE_TEXT, "peak %s", text.data);
  } else {
    pieces_add(&l, 100, 0, ROLE_DIM, "nothing was at work");
  }
  if (!isnan(s->quota)) {
    buf_reset(&text);
    format_dpu(&text, s->quota);
    bool near = s->peak.dpu_at_ms != WHEN_NONE && (double)s->peak.dpu_micros / 1e6 >= 0.9 * s->quota;
    pieces_add(&l, 90, 2, near ? ROLE_WARN : ROLE_DIM, "of %s quota%s", text.data,
               s->quota_assumed ? " (assumed)" : "");
  }
  pieces_add(&l, 80, 3, ROLE_DIM, "%zu runs", s->runs);
  if (s->failures > 0) {
    pieces_add(&l, 95, 2, ROLE_BAD, "%zu failed", s->failures);
  }
  if (s->unread > 0) {
    pieces_add(&l, 96, 3, ROLE_WARN, "%zu job%s not wholly read (?)", s->unread, s->unread == 1 ? "" : "s");
  }
  if (s->said_no_more) {
    pieces_add(&l, 97, 3, ROLE_DIM, "no further failure");
  }
  pieces_add(&l, 40, 3, ROLE_DIM, "%s", lanes_legend());
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void timeline_draw(struct view *v, const struct pane *p)
{
  struct timeline_state *s = v->state;
  struct list *l = board_list(&s->board);
  struct layout lay = layout_of(p->width, p->height, l->shown);
  if (p->height < 3) {
    return;
  }
  settle_top(l, lay.lanes);
  draw_axis(s, p, &lay);
  struct pane lanes = pane_part(p, 1, 0, lay.lanes, p->width);
  for (int y = 0; y < lay.lanes && l->top + (size_t)y < l->shown; y++) {
    draw_lane(s, &lanes, y, l->top + (size_t)y, &lay);
  }
  if (l->shown == 0) {
    rows_draw_empty(l, &lanes, s->board.trouble, "jobs that ran or will");
  }
  if (lay.curve > 0) {
    draw_curve(s, p, 1 + lay.lanes, &lay);
  }
  draw_sums(s, p, p->height - 1);
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
  const struct lane *lane = lane_here(s);
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
  struct subject subject;
  (void)in;
  s->said_no_more = false;
  if (a == ACTION_LEFT || a == ACTION_RIGHT) {
    step(s, a == ACTION_LEFT ? -1 : 1, out);
  } else if (a == ACTION_NEXT_FAILURE || a == ACTION_PREV_FAILURE) {
    s->seek = a == ACTION_NEXT_FAILURE ? 1 : -1;
    out->stale = true;
  } else if (a == ACTION_ENTER) {
    const struct lane *lane = lane_here(s);
    if (board_subject(&s->board, &subject)) {
      bool run = lane != NULL && lanes_subject(&s->lanes, lane, l->env.strings, s->cursor_ms, &subject);
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
  const struct lane *lane = lane_here(s);
  return lane != NULL && s->board.part == PART_JOBS &&
         lanes_detail(&s->lanes, lane, s->board.lists[s->board.part].env.strings, s->cursor_ms, out, role);
}

static bool timeline_subject(const struct view *v, struct subject *out)
{
  const struct timeline_state *s = v->state;
  const struct lane *lane = lane_here(s);
  bool known = board_subject(&s->board, out);
  if (known && lane != NULL) {
    lanes_subject(&s->lanes, lane, s->board.lists[s->board.part].env.strings, s->cursor_ms, out);
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
        "What ran when, and what got in whose way: a lane a job, what is planned right of now, DPU at once beneath.",
    .enter_label = "run",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_TIMELINE,
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
