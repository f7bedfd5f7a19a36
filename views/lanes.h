/* The lanes of a timeline that are on the screen: bars of a job, of a track of an account, of an hour of the day; how a cell of each looks, and
 * which run the cursor stands on. Made in update, drawn without the model. */
#ifndef GLUETOP_VIEWS_LANES_H
#define GLUETOP_VIEWS_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include "model/timeline.h"
#include "views/view.h"

struct lane {
  struct row_key key;
  bool levels; /* there are too many runs for bars: the DPU at work instead */
  bool days;   /* its columns are days beside each other, not one stretch of time */
  struct timeline_bars bars;
  struct timeline_cell *cells; /* one a column */
  int64_t *values;
  size_t cap;
};

/* All runs of some places in the window, packed into tracks in which no two are at work at once. */
#define LANES_BARS_MOST   ((size_t)5000) /* more of them are no bars any more on any screen */
#define LANES_TRACKS_MOST 60
struct lanes_pack {
  int place; /* -1: all that are shown */
  struct timeline_bars bars;
  uint8_t *track; /* of each bar; those that find none stand in the last */
  size_t track_cap, tracks;
  bool too_many;
};

struct lanes {
  struct lane *items;
  size_t count, cap;
  size_t columns;
  int64_t from_ms, to_ms, now_ms;
  enum when_zone zone;
  int64_t top; /* highest value of the lanes of levels */
  bool chosen; /* the cursor stands on this run, and not on whatever is nearest to its moment */
  struct run run;
  struct lanes_pack *packs; /* of this update */
  size_t pack_count, pack_cap;
};

void lanes_init(struct lanes *l);
void lanes_fini(struct lanes *l);
/* from_ms, to_ms, now_ms and zone must be set. */
void lanes_begin(struct lanes *l, size_t columns);
void lanes_add_job(struct lanes *l, const struct scene *scene, const struct row_key *key, int place, size_t job);
/* How many tracks the runs of an account need, at least one. Range and now must be set; holds until lanes_forget_packs. */
size_t lanes_tracks(struct lanes *l, const struct scene *scene, int place);
void lanes_forget_packs(struct lanes *l);
void lanes_add_track(struct lanes *l, const struct scene *scene, const struct row_key *key, int place, size_t track);
/* Columns are the window's days in the zone; in each the bars of that hour. */
void lanes_add_hour(struct lanes *l, const struct scene *scene, const struct row_key *key, int hour);
/* How many days of the window there are, and how many columns each has. */
size_t lanes_days(const struct lanes *l, size_t *wide);
const struct lane *lanes_find(const struct lanes *l, const struct row_key *key); /* NULL: not on the screen */

/* For lanes*.c: a new lane. */
struct lane *lanes_add(struct lanes *l, const struct row_key *key);
/* One line of cells. cursor_ms WHEN_NONE: the cursor is in another lane. */
void lanes_draw(const struct lanes *l, const struct lane *lane, const struct pane *p, int64_t cursor_ms);
const char *lanes_legend(void);
bool lanes_last_failed(const struct lane *lane);

void lanes_choose(struct lanes *l, const struct run *r); /* NULL: whatever is nearest */
/* The middle of the bar under the cursor, as far as it is in the window; WHEN_NONE: the lane has none. */
int64_t lanes_cursor_ms(const struct lanes *l, const struct lane *lane, int64_t cursor_ms);
/* Choose the next bar to that side; the new moment of the cursor, WHEN_NONE: there is none in the window. */
int64_t lanes_step(struct lanes *l, const struct lane *lane, int64_t cursor_ms, int direction);
/* The run under the cursor into *out; false: the lane has no run in the window. */
bool lanes_subject(const struct lanes *l, const struct lane *lane, const struct strpool *strings, int64_t cursor_ms,
                   struct subject *out);
bool lanes_detail(const struct lanes *l, const struct lane *lane, const struct strpool *strings, int64_t cursor_ms,
                  struct buf *out, enum role *role);

#endif
