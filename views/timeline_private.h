/* What the files of the timeline share. */
#ifndef GLUETOP_VIEWS_TIMELINE_PRIVATE_H
#define GLUETOP_VIEWS_TIMELINE_PRIVATE_H

#include "model/load.h"
#include "views/board.h"
#include "views/lanes.h"

enum timeline_part { TIMELINE_JOBS, TIMELINE_ACCOUNTS, TIMELINE_HOURS, TIMELINE_PART_COUNT };

struct timeline_row {
  struct board_row base;
  size_t job_index;
  size_t runs, failures, live, planned;
  int64_t first_ms;
  int hour;     /* of an hour's lane */
  size_t track; /* of an account's */
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
  size_t expected_count; /* behind the curve_count values: what is expected */
  struct load_peak peak;
  double quota; /* NAN: not of one account */
  bool quota_assumed;
  bool said_no_more; /* no further failure was found */
};

/* Rows of the pane: the axis, the lanes, the curve, one line of sums. */
struct timeline_layout {
  int label, columns, lanes, curve;
};
struct timeline_layout timeline_layout_of(int width, int height, size_t wanted);
/* Bring the cursor's lane into a window of that many. */
void timeline_settle_top(struct list *l, int lanes);
/* The lane under the cursor, NULL: it is not on the screen. */
const struct lane *timeline_lane_here(const struct timeline_state *s);
void timeline_text_name(const void *row, const struct list_env *env, struct buf *out);

/* Axis, lanes, curve, sums. */
void timeline_draw_board(struct timeline_state *s, const struct pane *p);

#endif
