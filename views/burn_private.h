/* What the files of the burn board share. */
#ifndef GLUETOP_VIEWS_BURN_PRIVATE_H
#define GLUETOP_VIEWS_BURN_PRIVATE_H

#include "base/arena.h"
#include "model/burn.h"
#include "model/load.h"
#include "views/board.h"

#define BURN_GUTTER 11 /* cells left of the chart */

enum burn_part { BURN_JOBS, BURN_DAYS, BURN_BY_CLASS, BURN_TAGS, BURN_UNUSUAL_RUNS, BURN_PART_COUNT };

struct burn_row {
  struct board_row base;
  const char *label; /* of a day, class or tag; in the arena */
  size_t runs;       /* 0: not told */
  int64_t nano, dpu_micros;
  bool rough; /* has estimates, or runs without a known cost */
  size_t unknown;
  double share;
  int64_t per_run_nano; /* -1: none */
  int64_t trend[BURN_TREND];
  bool has_trend;
  int64_t failed_nano;
  int64_t before_nano; /* of a job: what of nano was spent before the window began */
  int64_t median_nano; /* of an unusual run's job */
};

/* What is said above the lists: copies, so that drawing needs no model. */
struct burn_head {
  struct cost_sum sum, failed;
  int64_t before_nano;
  bool today_known, month_known; /* every readable job's history is read that far back */
  struct cost_sum wastes[BURN_WASTES];
  int64_t today_nano, week_nano, month_nano, forecast_nano, hour_nano, worst_more_nano;
  size_t active, waiting, dpu_unknown, worst_unlimited, worst_unknown, calendar_unknown;
  int64_t dpu_now_micros;
  bool estimated;
  int64_t now_ms;
  int64_t budget_month_nano, budget_day_nano;
};

struct burn_state {
  struct board_view board;
  struct arena texts;
  struct burn_head head;
  /* the chart, as wide as the window allowed */
  int64_t *values;
  size_t value_count, value_cap;
  int64_t since_ms, until_ms;
  enum when_zone zone;
  bool daily;  /* the chart is by day: money, or DPU-hours */
  bool in_dpu; /* the chart shows capacity instead of money */
  struct load_peak peak;
};

extern const struct board_part burn_parts[BURN_PART_COUNT];

/* Sums, chart, list. */
void burn_draw_board(struct burn_state *s, const struct pane *p);

#endif
