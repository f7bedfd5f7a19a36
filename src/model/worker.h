/* The one table of worker types. Source: AWS Glue developer guide, "Worker types" (2026), pricing page. */
#ifndef GLUETOP_MODEL_WORKER_H
#define GLUETOP_MODEL_WORKER_H

#include <stdbool.h>

struct worker_type {
  const char *name; /* "G.1X" */
  double dpu;       /* billing units per worker */
  int vcpu;
  int memory_gb;
  int disk_gb;
  bool memory_optimised; /* billed as M-DPU */
  bool flex;             /* takes execution class FLEX */
};
const struct worker_type *worker_type_find(const char *name); /* NULL: unknown, which is never 1 DPU */

#endif
