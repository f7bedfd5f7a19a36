/* A run as a row of a list, and the columns that can be shown of it. */
#ifndef GLUETOP_VIEWS_RUNS_ROW_H
#define GLUETOP_VIEWS_RUNS_ROW_H

#include "model/cost.h"
#include "views/list.h"

struct runs_row {
  struct row_key key;
  strid job;
  struct run run;
  int32_t timeout_minutes; /* effective; 0: none, -1: unknown */
  double dpu;
  struct cost cost;
  bool is_new;
  const char *place_label;
};

/* Runs of many jobs: the row is named after its job. */
extern const struct list_ops runs_all_ops;
/* Runs of one job: it is named after the run. */
extern const struct list_ops runs_one_ops;

#endif
