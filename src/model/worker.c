#include "model/worker.h"

#include <string.h>

/* Glue developer guide, "Worker types" (2026). Z.2X is 2 M-DPU: tables that say 8 are wrong. Z.2X is for Ray alone; Python shell has no
 * worker type (its capacity is MaxCapacity, 0.0625 or 1). */
static const struct worker_type worker_types[] = {
    /* name, DPU, vCPU, memory GB, disk GB, M-DPU, flex */
    {"Standard", 1, 4, 16, 50, false, false},  {"G.025X", 0.25, 2, 4, 84, false, false},
    {"G.1X", 1, 4, 16, 94, false, true},       {"G.2X", 2, 8, 32, 138, false, true},
    {"G.4X", 4, 16, 64, 256, false, false},    {"G.8X", 8, 32, 128, 512, false, false},
    {"G.12X", 12, 48, 192, 768, false, false}, {"G.16X", 16, 64, 256, 1024, false, false},
    {"R.1X", 1, 4, 32, 94, true, false},       {"R.2X", 2, 8, 64, 138, true, false},
    {"R.4X", 4, 16, 128, 256, true, false},    {"R.8X", 8, 32, 256, 512, true, false},
    {"Z.2X", 2, 8, 64, 128, true, false},
};

const struct worker_type *worker_type_find(const char *name)
{
  if (name == NULL)
    return NULL;
  for (size_t i = 0; i < sizeof worker_types / sizeof worker_types[0]; i++)
    if (strcmp(worker_types[i].name, name) == 0)
      return &worker_types[i];
  return NULL;
}
