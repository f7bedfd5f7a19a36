/* What ran when: lanes of bars, planned runs, holes in what was read, and how it all looks as cells.
 *
 * The lanes of a window are found in steps; the bars of a lane are made when they are asked for (a screen shows a few dozen lanes). */
#ifndef GLUETOP_MODEL_TIMELINE_H
#define GLUETOP_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"
#include "model/schedule.h"
#include "model/stats.h"

struct timeline_lane {
  int place;
  strid job;
  size_t job_index;
  size_t runs, failures, live; /* in the window */
  int64_t first_ms;            /* acceptance of its first run in the window; WHEN_NONE: only planned ones */
  size_t planned;              /* starts to come in the window; filled by timeline_result */
};
struct timeline_result {
  struct timeline_lane *lanes; /* by name, natural order, places one after the other */
  size_t lane_count;
  size_t runs, failures;
  size_t unread; /* open jobs whose history in the window was not wholly read */
};
struct timeline;
struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);
void timeline_begin(struct timeline *t, int64_t since_ms, int64_t until_ms, int place); /* as burn_begin */
bool timeline_step(struct timeline *t, const struct model *m, int64_t now_ms, size_t budget);
/* plan may be NULL. Owned by t, valid until the next call. */
const struct timeline_result *timeline_result(struct timeline *t, const struct model *m, const struct plan *plan,
                                              int64_t now_ms);

/* One run. It waits from started to began, works from began to ended. */
struct timeline_bar {
  struct run run;
  int place;
  strid job;
  int64_t started_ms;
  int64_t began_ms;        /* WHEN_NONE: it never worked, or not yet */
  int64_t ended_ms;        /* WHEN_NONE: alive */
  int64_t expected_end_ms; /* of a live one (median, not before now); WHEN_NONE */
  int64_t late_end_ms;     /* 95th percentile */
  bool retry;              /* a later attempt of the bar before it in time */
  bool collided;           /* began while its job was at its limit, or failed for that */
};
struct timeline_planned {
  int64_t at_ms, end_ms; /* end_ms WHEN_NONE: length unknown */
  strid trigger;
  bool meets; /* the job will probably be at its limit */
};
struct collision_judge;
struct timeline_bars {
  struct timeline_bar *bars; /* oldest first by started_ms */
  size_t bar_count, bar_cap;
  struct timeline_planned *planned;
  size_t planned_count, planned_cap;
  struct collision_judge *judge; /* who met whom, of the job that was filled in last */
  struct span *gaps;             /* stretches of the window (up to now) that were not read; oldest first */
  size_t gap_count, gap_cap;
};
void timeline_bars_init(struct timeline_bars *b);
void timeline_bars_fini(struct timeline_bars *b);
/* Refill; memory is reused. stats and plan may be NULL. */
void timeline_bars_fill(struct timeline_bars *b, const struct model *m, struct stats_cache *stats,
                        const struct plan *plan, int place, size_t job, int64_t since_ms, int64_t until_ms,
                        int64_t now_ms);

/* The runs of all jobs of a place (-1: of all that are shown, see only), at most `most` of them: false when there are more, and then the
 * bars are those that came first. planned_count and gap_count are 0: those are of single jobs. */
bool timeline_bars_fill_all(struct timeline_bars *b, const struct model *m, struct stats_cache *stats, int place,
                            int64_t since_ms, int64_t until_ms, int64_t now_ms, size_t most);

/* --- cells ----------------------------------------------------------------------------------------------------------- */

/* What a cell shows, weakest first: when several things share a cell the stronger shows. */
enum timeline_fill {
  TIMELINE_EMPTY,
  TIMELINE_GAP, /* not read */
  TIMELINE_PLANNED,
  TIMELINE_EXPECTED, /* a live run's time to come */
  TIMELINE_WAITING,  /* accepted, not at work */
  TIMELINE_WORKING
};
enum timeline_mark {
  TIMELINE_NO_MARK,
  TIMELINE_MARK_RETRY, /* an attempt begins right behind the one before */
  TIMELINE_MARK_MEETS, /* meets another: collided, or will */
  TIMELINE_MARK_LIVE,  /* at work now: the head of the bar */
  TIMELINE_MARK_STOPPED,
  TIMELINE_MARK_TIMEOUT,
  TIMELINE_MARK_FAILED
};
struct timeline_cell {
  enum timeline_fill fill;
  enum timeline_mark mark;        /* the worst thing that happened in the cell */
  uint8_t from, to;               /* eighths of the cell that the fill covers, 0 <= from < to <= 8 */
  uint8_t state;                  /* enum run_state of the run shown */
  bool begins, ends;              /* a bar begins or ends in this cell */
  uint16_t runs;                  /* how many runs share it */
  const struct timeline_bar *bar; /* the one shown, NULL for none; valid as long as the bars */
};
/* From data to cells: `columns` cells over [since, until). */
void timeline_cells(const struct timeline_bars *b, int64_t since_ms, int64_t until_ms, int64_t now_ms,
                    struct timeline_cell *cells, size_t columns);
/* The moment in the middle of a column, and the column of a moment (-1: outside). */
int64_t timeline_column_ms(int64_t since_ms, int64_t until_ms, size_t columns, size_t column);
long timeline_ms_column(int64_t since_ms, int64_t until_ms, size_t columns, int64_t ms);
/* Start of the next failure behind (or, backwards, before) a moment, over the lane; WHEN_NONE: none. */
int64_t timeline_next_failure(const struct model *m, int place, size_t job, int64_t from_ms, bool backwards);

#endif
