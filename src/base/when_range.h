/* Ranges of time as a person types them. */
#ifndef GLUETOP_BASE_WHEN_RANGE_H
#define GLUETOP_BASE_WHEN_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/when.h"

struct when_range {
  int64_t since_ms; /* INT64_MIN: everything */
  int64_t until_ms; /* INT64_MAX: until now, and on with it; else the last moment of the range */
  bool goes_on;     /* its beginning moves with now: "last 3 days" */
};

#define WHEN_RANGE_WHY_MAX 160
/* "last 3 days" "12h" "90 minutes" · "today" "yesterday" "monday" "2026-11-03" (whole days of the zone) · "this week" "last month" ·
 * "2026-11-01..2026-11-07" "yesterday..now" "14:00 to 15:30" "3d ago..1d ago" "2026-11-01 14:00.." · "since monday" "until 12:00" · "all".
 * A day as an end is meant whole. Times without a zone are of `zone`. False: it is none, and why says so in a sentence. */
bool when_parse_range(const char *text, int64_t now_ms, enum when_zone zone, struct when_range *out,
                      char why[WHEN_RANGE_WHY_MAX]);

#endif
