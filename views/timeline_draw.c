/* How the timeline looks: the axis of time, lanes with their names, the DPU at work at once, and a line of sums. */
#include "views/timeline_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "views/chart.h"
#include "views/format.h"
#include "views/pieces.h"
#include "views/rows.h"

#define CURVE_MOST      12
#define PEAK_LABEL_AWAY 12 /* cells between the peak and its label */

/* Lanes first; what they leave goes to the curve, up to a height that is still read at a glance. */
struct timeline_layout timeline_layout_of(int width, int height, size_t wanted)
{
  struct timeline_layout l = {.label = width < 60 ? 12 : width < 120 ? 22 : width < 200 ? 30 : 40};
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

void timeline_settle_top(struct list *l, int lanes)
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

const struct lane *timeline_lane_here(const struct timeline_state *s)
{
  const struct timeline_row *r = board_current(&s->board);
  return r != NULL ? lanes_find(&s->lanes, &r->base.key) : NULL;
}

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

static void draw_lane(struct timeline_state *s, const struct pane *p, int y, size_t position,
                      const struct timeline_layout *lay)
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
  timeline_text_name(r, &l->env, &text);
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
static void draw_axis(const struct timeline_state *s, const struct pane *p, const struct timeline_layout *lay)
{
  const struct lanes *lanes = &s->lanes;
  const struct lane *lane = timeline_lane_here(s);
  size_t cells = (size_t)lay->columns;
  int x = lay->label + 1;
  long now = timeline_ms_column(lanes->from_ms, lanes->to_ms, cells, lanes->now_ms);
  if (s->board.part == TIMELINE_HOURS) { /* its columns are days */
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

/* "194 at 03:22" beside the highest point, in the curve's own top line, where it leaves room. */
static void mark_peak(const struct timeline_state *s, const struct pane *area, int64_t top)
{
  const struct lanes *lanes = &s->lanes;
  int64_t end = lanes->to_ms < lanes->now_ms ? lanes->to_ms : lanes->now_ms;
  long at =
      s->peak.dpu_at_ms == WHEN_NONE ? -1 : timeline_ms_column(lanes->from_ms, end, s->curve_count, s->peak.dpu_at_ms);
  struct buf text;
  if (at < 0 || top <= 0) {
    return;
  }
  buf_init(&text, 64);
  buf_adds(&text, "peak ");
  format_dpu(&text, (double)s->peak.dpu_micros / 1e6);
  buf_adds(&text, ", ");
  format_moment(&text, s->peak.dpu_at_ms, lanes->now_ms, lanes->zone);
  int width = text_width(text.data);
  for (int y = 0; y < area->height; y++) {
    pane_restyle(area, y, (int)at, 1, ROLE_WARN);
  }
  int64_t line = top - top / area->height; /* what is lower leaves the top line free */
  for (long away = 1; away < PEAK_LABEL_AWAY && width > 0;
       away++) { /* on its right or left, as near as there is room */
    for (int side = 0; side < 2; side++) {
      long from = side == 0 ? at + 1 + away : at - away - width;
      bool room = from >= 0 && from + width <= (long)s->curve_count;
      for (long i = from > 0 ? from - 1 : 0; room && i < from + width + 1 && i < (long)s->curve_count; i++) {
        room = s->curve[i] <= line;
      }
      if (room) {
        pane_put(area, 0, (int)from, ROLE_WARN, text.data);
        width = 0;
        break;
      }
    }
  }
  buf_fini(&text);
}

static void draw_curve(const struct timeline_state *s, const struct pane *p, int y, const struct timeline_layout *lay)
{
  int64_t top = 0;
  struct buf text;
  buf_init(&text, 64);
  for (size_t i = 0; i < s->curve_count + s->expected_count; i++) {
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
  mark_peak(s, &area, top);
  struct pane to_come = pane_part(p, y, lay->label + 1 + (int)s->curve_count, lay->curve, (int)s->expected_count);
  chart_area(&to_come, s->curve + s->curve_count, s->expected_count, top, ROLE_FRAME);
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
  int64_t expected = 0;
  for (size_t i = s->curve_count; i < s->curve_count + s->expected_count; i++) {
    expected = s->curve[i] > expected ? s->curve[i] : expected;
  }
  if (expected > 0) {
    buf_reset(&text);
    format_dpu(&text, (double)expected / 1e6);
    pieces_add(&l, 70, 3, !isnan(s->quota) && (double)expected / 1e6 > s->quota ? ROLE_WARN : ROLE_DIM, "expected %s",
               text.data);
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

void timeline_draw_board(struct timeline_state *s, const struct pane *p)
{
  struct list *l = board_list(&s->board);
  struct timeline_layout lay = timeline_layout_of(p->width, p->height, l->shown);
  if (p->height < 3) {
    return;
  }
  timeline_settle_top(l, lay.lanes);
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
