#include "views/lanes.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/error_line.h"
#include "views/chart.h"
#include "views/desk.h"
#include "views/format.h"

void lanes_init(struct lanes *l)
{
  *l = (struct lanes){.items = NULL};
}

void lanes_fini(struct lanes *l)
{
  for (size_t i = 0; i < l->cap; i++) {
    timeline_bars_fini(&l->items[i].bars);
    free(l->items[i].cells);
    free(l->items[i].values);
  }
  free(l->items);
  lanes_forget_packs(l);
  for (size_t i = 0; i < l->pack_cap; i++) {
    timeline_bars_fini(&l->packs[i].bars);
    free(l->packs[i].track);
  }
  free(l->packs);
}

/* --- filling -------------------------------------------------------------------------------------------------------- */

void lanes_begin(struct lanes *l, size_t columns)
{
  l->count = 0;
  l->columns = columns;
  l->top = 0;
}

struct lane *lanes_add(struct lanes *l, const struct row_key *key)
{
  size_t had = l->cap;
  l->items = xgrow(l->items, &l->cap, l->count + 1, sizeof *l->items);
  if (l->cap > had) {
    memset(l->items + had, 0, (l->cap - had) * sizeof *l->items);
  }
  struct lane *lane = &l->items[l->count++];
  lane->key = *key;
  lane->levels = lane->days = false;
  if (lane->cap < l->columns) {
    lane->cells = xreallocarray(lane->cells, l->columns, sizeof *lane->cells);
    lane->values = xreallocarray(lane->values, l->columns, sizeof *lane->values);
    lane->cap = l->columns;
  }
  return lane;
}

void lanes_add_job(struct lanes *l, const struct scene *scene, const struct row_key *key, int place, size_t job)
{
  struct lane *lane = lanes_add(l, key);
  bool there = (size_t)place < scene->model->place_count && job < scene->model->places[place].job_count;
  lane->bars.bar_count = lane->bars.planned_count = lane->bars.gap_count = 0;
  if (there) {
    timeline_bars_fill(&lane->bars, scene->model, scene->stats, desk_plan(scene->desk), place, job, l->from_ms,
                       l->to_ms, l->now_ms);
  }
  timeline_cells(&lane->bars, l->from_ms, l->to_ms, l->now_ms, lane->cells, l->columns);
}

const struct lane *lanes_find(const struct lanes *l, const struct row_key *key)
{
  const struct lane *found = NULL;
  for (size_t i = 0; i < l->count && found == NULL; i++) {
    found = row_key_equal(&l->items[i].key, key) ? &l->items[i] : NULL;
  }
  return found;
}

bool lanes_last_failed(const struct lane *lane)
{
  bool failed = false, judged = lane->levels;
  for (size_t i = lane->bars.bar_count; i-- > 0 && !judged;) {
    const struct run *r = &lane->bars.bars[i].run;
    if (run_finished(r)) {
      failed = format_is_failure((enum run_state)r->state);
      judged = true;
    }
  }
  return failed;
}

/* --- the bar under the cursor ---------------------------------------------------------------------------------------- */

static int64_t bar_end(const struct lanes *l, const struct timeline_bar *b)
{
  return b->ended_ms != WHEN_NONE ? b->ended_ms : l->now_ms > b->started_ms ? l->now_ms : b->started_ms;
}

static const struct timeline_bar *bar_here(const struct lanes *l, const struct lane *lane, int64_t cursor_ms)
{
  const struct timeline_bar *best = NULL;
  int64_t best_away = 0;
  for (size_t i = 0; i < lane->bars.bar_count; i++) {
    const struct timeline_bar *b = &lane->bars.bars[i];
    int64_t end = bar_end(l, b), away = 0;
    if (l->chosen && run_same_id(&b->run, &l->run)) {
      return b;
    }
    away = cursor_ms < b->started_ms ? b->started_ms - cursor_ms : cursor_ms > end ? cursor_ms - end : 0;
    if (best == NULL || away <= best_away) { /* of two the later one */
      best = b;
      best_away = away;
    }
  }
  return best;
}

void lanes_choose(struct lanes *l, const struct run *r)
{
  l->chosen = r != NULL;
  if (r != NULL) {
    l->run = *r;
  }
}

static int64_t middle(const struct lanes *l, const struct timeline_bar *b)
{
  int64_t from = b->started_ms > l->from_ms ? b->started_ms : l->from_ms, to = bar_end(l, b);
  to = to < l->to_ms ? to : l->to_ms - 1;
  return from + (to - from) / 2;
}

int64_t lanes_cursor_ms(const struct lanes *l, const struct lane *lane, int64_t cursor_ms)
{
  const struct timeline_bar *b = lane->levels || lane->days ? NULL : bar_here(l, lane, cursor_ms);
  return b != NULL ? middle(l, b) : WHEN_NONE;
}

int64_t lanes_step(struct lanes *l, const struct lane *lane, int64_t cursor_ms, int direction)
{
  const struct timeline_bar *here = lane->levels || lane->days ? NULL : bar_here(l, lane, cursor_ms);
  if (here == NULL) {
    return WHEN_NONE;
  }
  size_t at = (size_t)(here - lane->bars.bars);
  if (direction < 0 ? at == 0 : at + 1 >= lane->bars.bar_count) {
    return WHEN_NONE;
  }
  const struct timeline_bar *next = direction < 0 ? here - 1 : here + 1;
  lanes_choose(l, &next->run);
  return middle(l, next);
}

bool lanes_subject(const struct lanes *l, const struct lane *lane, const struct strpool *strings, int64_t cursor_ms,
                   struct subject *out)
{
  const struct timeline_bar *b = lane->levels || lane->days ? NULL : bar_here(l, lane, cursor_ms);
  if (b != NULL) {
    out->place = b->place;
    out->job = b->job;
    out->job_name = strpool_get(strings, b->job);
    out->has_run = true;
    out->state = (enum run_state)b->run.state;
    run_id_text(&b->run, strings, out->run_id);
  }
  return b != NULL;
}

static void describe_bar(const struct lanes *l, const struct timeline_bar *b, const struct strpool *strings,
                         struct buf *out)
{
  char id[RUN_ID_MAX], letters[WHEN_TEXT_MAX];
  int64_t end = bar_end(l, b), began = b->began_ms == WHEN_NONE ? end : b->began_ms;
  const char *trigger = strpool_get(strings, b->run.trigger), *error = strpool_get(strings, b->run.error);
  format_run_short(out, run_id_text(&b->run, strings, id));
  buf_addf(out, " %s  ", format_state_word(strings, &b->run));
  format_moment(out, b->started_ms, l->now_ms, l->zone);
  buf_addf(out, " %s  ", when_zone_letters(b->started_ms, l->zone, letters));
  if (began > b->started_ms + WHEN_SECOND) {
    buf_adds(out, "waited ");
    format_span(out, began - b->started_ms);
    buf_adds(out, "  ");
  }
  if (b->began_ms != WHEN_NONE) {
    buf_adds(out, "took ");
    format_span(out, end - began);
  }
  if (b->expected_end_ms != WHEN_NONE) {
    buf_adds(out, "  ends ~");
    format_moment(out, b->expected_end_ms, l->now_ms, l->zone);
  }
  if (b->run.attempt > 0) {
    buf_addf(out, "  attempt %d", (int)b->run.attempt + 1);
  }
  if (b->collided) {
    buf_adds(out, "  met another run");
  }
  if (error != NULL && error[0] != '\0') {
    buf_adds(out, "  ");
    error_line(out, error);
  } else if (trigger != NULL) {
    buf_addf(out, "  by %s", trigger);
  }
}

bool lanes_detail(const struct lanes *l, const struct lane *lane, const struct strpool *strings, int64_t cursor_ms,
                  struct buf *out, enum role *role)
{
  const struct timeline_bar *b = bar_here(l, lane, cursor_ms);
  *role = ROLE_DIM;
  if (b != NULL) {
    describe_bar(l, b, strings, out);
    *role = format_is_failure((enum run_state)b->run.state) ? ROLE_BAD : ROLE_TEXT;
  } else if (lane->bars.planned_count > 0) {
    const struct timeline_planned *p = &lane->bars.planned[0];
    const char *trigger = strpool_get(strings, p->trigger);
    buf_adds(out, "planned ");
    format_moment(out, p->at_ms, l->now_ms, l->zone);
    buf_addf(out, " by %s", trigger != NULL ? trigger : "a trigger");
    if (p->end_ms != WHEN_NONE) {
      buf_adds(out, ", usually ");
      format_span(out, p->end_ms - p->at_ms);
    }
    buf_adds(out, p->meets ? "; will meet another run" : "");
  }
  return out->len > 0;
}

/* --- cells ---------------------------------------------------------------------------------------------------------- */

#define WIDE(letter, plain) (text_is_ascii() ? (plain) : (letter))

const char *lanes_legend(void)
{
  return WIDE("\u2591 waiting  \u2588 working  \u2592 expected  \u2504 planned  \u2717 failed  T timed out  ! met "
              "another  ? not read",
              ": waiting  # working  % expected  - planned  x failed  T timed out  ! met another  ? not read");
}

static const char *mark_letter(enum timeline_mark mark, unsigned *style)
{
  const char *letter = NULL;
  switch (mark) {
  case TIMELINE_MARK_FAILED:
    letter = sign(SIGN_FAILED);
    *style = ROLE_BAD;
    break;
  case TIMELINE_MARK_TIMEOUT:
    letter = "T";
    *style = ROLE_BAD;
    break;
  case TIMELINE_MARK_STOPPED:
    letter = sign(SIGN_STOPPED);
    *style = ROLE_DIM;
    break;
  case TIMELINE_MARK_LIVE:
    letter = sign(SIGN_RUNNING);
    *style = ROLE_RUNNING;
    break;
  case TIMELINE_MARK_MEETS:
    letter = "!";
    *style = ROLE_WARN;
    break;
  case TIMELINE_MARK_RETRY:
    letter = WIDE("\u00bb", "&");
    *style = ROLE_WARN;
    break;
  case TIMELINE_NO_MARK:
    break;
  }
  return letter;
}

/* A bar that begins right where another ended leaves a notch, so that two do not look like one. */
static bool notch(const struct timeline_cell *cells, size_t i)
{
  const struct timeline_cell *c = &cells[i];
  return i > 0 && c->begins && c->from == 0 && cells[i - 1].fill == TIMELINE_WORKING &&
         cells[i - 1].to == CHART_EIGHTHS && cells[i - 1].bar != c->bar;
}

static const char *fill_letter(const struct timeline_cell *cells, size_t i, unsigned *style)
{
  const struct timeline_cell *c = &cells[i];
  const char *letter = NULL;
  switch (c->fill) {
  case TIMELINE_WORKING:
    letter = notch(cells, i) && c->to == CHART_EIGHTHS ? WIDE("\u2590", "=") : chart_part(c->from, c->to);
    *style = format_state_style((enum run_state)c->state);
    break;
  case TIMELINE_WAITING:
    letter = WIDE("\u2591", ":");
    *style = c->bar != NULL && !run_finished(&c->bar->run) ? ROLE_WARN : ROLE_DIM;
    break;
  case TIMELINE_EXPECTED:
    letter = WIDE("\u2592", "%");
    *style = ROLE_RUNNING;
    break;
  case TIMELINE_PLANNED:
    letter = WIDE("\u2504", "-");
    *style = ROLE_DIM;
    break;
  case TIMELINE_GAP:
    letter = i % 4 == 0 ? "?" : NULL; /* thin, since it may be the whole lane */
    *style = ROLE_DIM;
    break;
  case TIMELINE_EMPTY:
    break;
  }
  return letter;
}

static void draw_levels(const struct lanes *l, const struct lane *lane, const struct pane *p)
{
  for (size_t i = 0; i < l->columns; i++) {
    if (lane->values[i] >= 0) {
      int level = l->top > 0 ? (int)((double)lane->values[i] * CHART_EIGHTHS / (double)l->top + 0.5) : 0;
      level = lane->values[i] > 0 && level < 1 ? 1 : level;
      pane_put(p, 0, (int)i, level > 0 ? ROLE_ACCENT : ROLE_DIM, level > 0 ? chart_up(level) : sign(SIGN_NOTHING));
    }
  }
}

void lanes_draw(const struct lanes *l, const struct lane *lane, const struct pane *p, int64_t cursor_ms)
{
  long now = lane->days ? -1 : timeline_ms_column(l->from_ms, l->to_ms, l->columns, l->now_ms);
  if (lane->levels) {
    draw_levels(l, lane, p);
    return;
  }
  const struct timeline_bar *chosen = cursor_ms != WHEN_NONE && !lane->days ? bar_here(l, lane, cursor_ms) : NULL;
  for (size_t i = 0; i < l->columns; i++) {
    const struct timeline_cell *c = &lane->cells[i];
    unsigned style = ROLE_TEXT, mark_style = ROLE_TEXT;
    const char *letter = fill_letter(lane->cells, i, &style), *mark = mark_letter(c->mark, &mark_style);
    bool quiet = c->fill <= TIMELINE_PLANNED;
    if (mark != NULL) {
      letter = mark;
      style = mark_style;
    } else if ((long)i == now && quiet) {
      letter = WIDE("\u2502", "|");
      style = ROLE_FRAME;
    }
    if (letter != NULL) {
      bool here = chosen != NULL && c->bar == chosen && c->fill >= TIMELINE_EXPECTED;
      pane_put(p, 0, (int)i, here && style == ROLE_TEXT ? ROLE_ACCENT : style | (here ? STYLE_BOLD : 0), letter);
    }
  }
}
