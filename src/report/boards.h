/* The boards as data: burn, timeline, collisions, timeouts and what needs a person, for the commands and for every board's export. */
#ifndef GLUETOP_REPORT_BOARDS_H
#define GLUETOP_REPORT_BOARDS_H

#include "model/burn.h"
#include "model/collisions.h"
#include "model/home.h"
#include "model/timeline.h"
#include "model/timeouts.h"
#include "report/report.h"

/* What a person measures by, from the config file. Strings must outlive the boards. */
struct board_quota {
  const char *region;
  double values[QUOTA_KIND_COUNT]; /* NAN: not said */
};
struct board_tag {
  const char *name;
  const char *jobs; /* a pattern of job names (text_match) */
};
struct board_measures {
  const struct board_quota *quotas;
  size_t quota_count;
  const struct board_tag *tags;
  size_t tag_count;
  int64_t budget_month_nano, budget_day_nano; /* -1: none */
  size_t usual_runs;                          /* how many successful runs say what is usual; 0: the default */
};

/* All engines over one window, kept up to date together. */
struct boards;
struct boards *boards_new(void);
void boards_free(struct boards *b);
/* place -1: all open places. */
void boards_begin(struct boards *b, int64_t since_ms, int64_t until_ms, int place);
/* Work through some `budget` runs; true: up to date. */
bool boards_step(struct boards *b, const struct report_scope *scope, size_t budget);
/* The same for what this board alone rests on; the others' results are void. */
enum board { BOARD_BURN, BOARD_TIMELINE, BOARD_COLLISIONS, BOARD_TIMEOUTS, BOARD_CHECK };
bool boards_step_for(struct boards *b, enum board which, const struct report_scope *scope, size_t budget);
/* The loads (curves, peaks) cost memory for every run of history: without them they are let go, and curves and peaks are empty. Kept
 * unless somebody says no. True: they are wanted again, so there is work to do. */
bool boards_keep_loads(struct boards *b, bool keep);
/* The same for money per hour; not kept unless somebody wants it. */
bool boards_keep_money(struct boards *b, bool keep);
/* NULL: none. Not copied. */
void boards_set_measures(struct boards *b, const struct board_measures *measures);
const struct board_measures *boards_measures(const struct boards *b); /* never NULL */
/* The quota in force at a place: what the person set, else what Service Quotas said, else the service's default. measures may be NULL. */
struct quota board_quota_of(const struct board_measures *measures, const struct model *m, int place,
                            enum quota_kind kind);

const struct burn_result *boards_burn(struct boards *b, const struct report_scope *scope);
const struct collisions_result *boards_collisions(struct boards *b, const struct report_scope *scope);
const struct timeouts_result *boards_timeouts(struct boards *b, const struct report_scope *scope);
const struct timeline_result *boards_timeline(struct boards *b, const struct report_scope *scope);
const struct home_result *boards_home(struct boards *b, const struct report_scope *scope, int64_t failures_since_ms);
/* Is the place one of those that the boards are about? */
bool boards_shows(const struct boards *b, const struct model *m, int place);
struct loads *boards_loads(struct boards *b);
/* The highest number of DPU at work at once in each of `columns` equal stretches of [from, to), all places on show together; peak may be
 * NULL. Where several places are on show the levels of their changes are added up, so the peak is that of the sum. */
enum boards_curve { BOARDS_CURVE_DPU, BOARDS_CURVE_MONEY /* millionths of a dollar per hour */ };
void boards_curve_of(struct boards *b, enum boards_curve kind, const struct report_scope *scope, int64_t from_ms,
                     int64_t to_ms, size_t columns, int64_t *micros, struct load_peak *peak);
/* Of DPU. */
void boards_curve(struct boards *b, const struct report_scope *scope, int64_t from_ms, int64_t to_ms, size_t columns,
                  int64_t *dpu_micros, struct load_peak *peak);
/* The same of what is expected in [now, to): live runs until their usual ends, and what is planned; over the places on show. */
void boards_expected_curve(struct boards *b, const struct report_scope *scope, int64_t to_ms, size_t columns,
                           int64_t *dpu_micros);
const struct plan *boards_plan(const struct boards *b);

/* The members of the board, inside an object that the caller has opened. The boards must be up to date. */
void report_write_board(struct boards *b, enum board which, const struct report_scope *scope, struct jw *w);
/* Its main list as CSV with a header line. */
void report_board_csv(struct boards *b, enum board which, const struct report_scope *scope, struct buf *out);
/* For people: a few lines of sums, then the list. */
void report_board_text(struct boards *b, enum board which, const struct report_scope *scope, struct buf *out);

#endif
