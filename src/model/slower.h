/* Did a job get slower? Its usual length of late against that of the weeks before, over runs that succeeded. */
#ifndef GLUETOP_MODEL_SLOWER_H
#define GLUETOP_MODEL_SLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/model.h"

#define SLOWER_DAYS       30 /* looked at in all */
#define SLOWER_LATE_DAYS  7  /* of them, "of late" */
#define SLOWER_STRETCHES  10 /* of three days each */
#define SLOWER_RUNS_LEAST 3  /* on either side, or nothing is said */

enum slower_verdict { SLOWER_UNKNOWN, SLOWER_NO, SLOWER_YES /* by a fifth or more */, SLOWER_FASTER };
struct slower {
  size_t late_runs, before_runs;
  double late_seconds, before_seconds;       /* medians; NAN */
  int64_t stretch_seconds[SLOWER_STRETCHES]; /* medians, oldest first; -1: none ran */
  enum slower_verdict verdict;
  double ratio; /* late / before; NAN when unknown */
  bool whole;   /* all of the 30 days was read */
};
void slower_of(const struct job *j, int64_t now_ms, struct slower *out);

#endif
