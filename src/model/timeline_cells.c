/* From data to cells. Time is cut into eighths of a cell; each cell keeps the strongest fill, its extent, and the worst mark. */
#include "model/timeline.h"

#define EIGHTHS 8

struct scale {
  int64_t since_ms;
  double eighth_ms; /* length of an eighth */
  int64_t eighths;  /* in all */
};

static struct scale scale_of(int64_t since_ms, int64_t until_ms, size_t columns)
{
  int64_t eighths = (int64_t)columns * EIGHTHS;
  return (struct scale){since_ms, (double)(until_ms - since_ms) / (double)eighths, eighths};
}

/* The eighth that holds a moment, cut to the scale. */
static int64_t eighth_of(const struct scale *s, int64_t ms)
{
  double at = ((double)ms - (double)s->since_ms) / s->eighth_ms;
  if (!(at > 0))
    return 0;
  return at >= (double)s->eighths ? s->eighths : (int64_t)at;
}

static bool stronger(const struct timeline_cell *c, enum timeline_fill fill)
{
  return fill > c->fill;
}

static void fill_cell(struct timeline_cell *c, int from, int to, enum timeline_fill fill,
                      const struct timeline_bar *bar)
{
  if (stronger(c, fill)) {
    c->fill = fill;
    c->from = (uint8_t)from;
    c->to = (uint8_t)to;
    c->bar = bar;
    c->state = bar == NULL ? 0 : bar->run.state;
  } else if (c->fill ==
             fill) { /* two of a kind share the cell: it shows from the first to the last of them, and the later run */
    c->from = (uint8_t)(from < c->from ? from : c->from);
    c->to = (uint8_t)(to > c->to ? to : c->to);
    if (bar != NULL) {
      c->bar = bar;
      c->state = bar->run.state;
    }
  }
}

/* Fill [from_ms, to_ms); something that is there is at least an eighth wide. */
static void fill_stretch(struct timeline_cell *cells, const struct scale *s, int64_t from_ms, int64_t to_ms,
                         enum timeline_fill fill, const struct timeline_bar *bar)
{
  int64_t from = eighth_of(s, from_ms), to = eighth_of(s, to_ms);
  if (from >= s->eighths || to_ms < from_ms || (from_ms < s->since_ms && to_ms <= s->since_ms))
    return;
  if (to <= from)
    to = from + 1;
  for (int64_t column = from / EIGHTHS; column * EIGHTHS < to; column++) {
    int64_t left = column * EIGHTHS;
    int begin = from > left ? (int)(from - left) : 0, end = to < left + EIGHTHS ? (int)(to - left) : EIGHTHS;
    fill_cell(&cells[column], begin, end, fill, bar);
  }
}

static void mark_cell(struct timeline_cell *cells, const struct scale *s, int64_t ms, enum timeline_mark mark)
{
  int64_t eighth = eighth_of(s, ms);
  if (ms < s->since_ms || eighth >= s->eighths)
    return;
  struct timeline_cell *c = &cells[eighth / EIGHTHS];
  if (mark > c->mark)
    c->mark = mark;
}

static enum timeline_mark end_mark(const struct timeline_bar *bar)
{
  switch ((enum run_state)bar->run.state) {
  case RUN_FAILED:
  case RUN_ERROR:
  case RUN_EXPIRED:
    return TIMELINE_MARK_FAILED;
  case RUN_TIMEOUT:
    return TIMELINE_MARK_TIMEOUT;
  case RUN_STOPPED:
    return TIMELINE_MARK_STOPPED;
  case RUN_SUCCEEDED:
  case RUN_STARTING:
  case RUN_RUNNING:
  case RUN_STOPPING:
  case RUN_WAITING:
  case RUN_STATE_UNKNOWN:
  case RUN_STATE_COUNT:
    break;
  }
  return TIMELINE_NO_MARK;
}

/* The last moment of a stretch, so that an end on a cell's border marks the cell before it. */
static int64_t last_moment(int64_t from_ms, int64_t to_ms)
{
  return to_ms > from_ms ? to_ms - 1 : to_ms;
}

static void draw_bar(struct timeline_cell *cells, const struct scale *s, const struct timeline_bar *bar, int64_t now_ms)
{
  bool alive = bar->ended_ms == WHEN_NONE;
  int64_t end = alive ? (now_ms > bar->started_ms ? now_ms : bar->started_ms) : bar->ended_ms;
  int64_t began = bar->began_ms == WHEN_NONE ? end : bar->began_ms;
  if (began > end)
    began = end;
  if (began > bar->started_ms || bar->began_ms == WHEN_NONE)
    fill_stretch(cells, s, bar->started_ms, began, TIMELINE_WAITING, bar);
  if (bar->began_ms != WHEN_NONE)
    fill_stretch(cells, s, began, end, TIMELINE_WORKING, bar);
  if (alive && bar->expected_end_ms != WHEN_NONE && bar->expected_end_ms > now_ms)
    fill_stretch(cells, s, now_ms, bar->expected_end_ms, TIMELINE_EXPECTED, bar);

  int64_t last_ms = last_moment(bar->started_ms, end);
  int64_t first = eighth_of(s, bar->started_ms), last = eighth_of(s, last_ms);
  if (bar->started_ms >= s->since_ms && first < s->eighths) {
    cells[first / EIGHTHS].begins = true;
    if (bar->retry)
      mark_cell(cells, s, bar->started_ms, TIMELINE_MARK_RETRY);
    if (bar->collided)
      mark_cell(cells, s, bar->started_ms, TIMELINE_MARK_MEETS);
  }
  if (last_ms < s->since_ms || first >= s->eighths)
    return;
  mark_cell(cells, s, last_ms, alive ? TIMELINE_MARK_LIVE : end_mark(bar));
  if (!alive && last < s->eighths)
    cells[last / EIGHTHS].ends = true;
  for (int64_t column = first / EIGHTHS; column <= last / EIGHTHS && column * EIGHTHS < s->eighths; column++)
    if (cells[column].runs < UINT16_MAX)
      cells[column].runs++;
}

void timeline_cells(const struct timeline_bars *b, int64_t since_ms, int64_t until_ms, int64_t now_ms,
                    struct timeline_cell *cells, size_t columns)
{
  for (size_t i = 0; i < columns; i++)
    cells[i] = (struct timeline_cell){.fill = TIMELINE_EMPTY};
  if (columns == 0 || until_ms <= since_ms)
    return;
  struct scale s = scale_of(since_ms, until_ms, columns);
  for (size_t i = 0; i < b->gap_count; i++)
    fill_stretch(cells, &s, b->gaps[i].from_ms, b->gaps[i].to_ms, TIMELINE_GAP, NULL);
  for (size_t i = 0; i < b->planned_count; i++) {
    const struct timeline_planned *p = &b->planned[i];
    if (p->at_ms >= until_ms)
      continue;
    fill_stretch(cells, &s, p->at_ms, p->end_ms == WHEN_NONE ? p->at_ms : p->end_ms, TIMELINE_PLANNED, NULL);
    if (p->meets)
      mark_cell(cells, &s, p->at_ms, TIMELINE_MARK_MEETS);
  }
  for (size_t i = 0; i < b->bar_count; i++)
    draw_bar(cells, &s, &b->bars[i], now_ms);
}

int64_t timeline_column_ms(int64_t since_ms, int64_t until_ms, size_t columns, size_t column)
{
  if (columns == 0)
    return since_ms;
  return since_ms + (int64_t)(((double)column + 0.5) * (double)(until_ms - since_ms) / (double)columns);
}

long timeline_ms_column(int64_t since_ms, int64_t until_ms, size_t columns, int64_t ms)
{
  if (columns == 0 || ms < since_ms || ms >= until_ms)
    return -1;
  long column = (long)(((double)ms - (double)since_ms) * (double)columns / ((double)until_ms - (double)since_ms));
  return column >= (long)columns ? (long)columns - 1 : column;
}
