/* Money and capacity by UTC day, for sums that change run by run. */
#ifndef GLUETOP_MODEL_DAYBOOK_H
#define GLUETOP_MODEL_DAYBOOK_H

#include <stddef.h>
#include <stdint.h>
#include "base/sum.h"
#include "model/cost.h"

struct daybook_day {
  int64_t nano, dpu_micros;
  int32_t unknown;   /* runs that began that day and have no known cost */
  int32_t estimated; /* runs that put an estimate into the day */
};
/* A dense stretch of days; days outside of it are empty. Sums are wide, so that whatever was put can be taken back. */
struct daybook_sums {
  struct sum_wide nano, dpu_micros;
  int32_t unknown, estimated;
};
struct daybook {
  int64_t first; /* days since the epoch */
  struct daybook_sums *days;
  size_t count;
};
void daybook_init(struct daybook *b);
void daybook_fini(struct daybook *b);
void daybook_clear(struct daybook *b); /* everything 0, memory kept */

void daybook_copy(struct daybook *to,
                  const struct daybook *from); /* `to` gets its own; it must have been initialised */

int64_t daybook_day_of(int64_t ms);
/* The day's figures; zeros outside. */
struct daybook_day daybook_get(const struct daybook *b, int64_t day);
/* Add (sign 1) or take (sign -1) one day's figures. */
void daybook_put(struct daybook *b, int64_t day, const struct daybook_day *d, int sign);

/* One job's share, as it was put into a book: so that it can be taken back whole. */
struct daybook_entry {
  int64_t day;
  struct daybook_day figures;
};
struct daybook_part {
  struct daybook_entry *entries; /* latest day first, each day once */
  size_t count, cap;
};
/* Spread a run's cost over the days it ran, in the book and in the part; what ran for more than DAYBOOK_DAYS_MOST days has its beginning's
 * share on the first of the last of them. */
#define DAYBOOK_DAYS_MOST 400
void daybook_add_run(struct daybook *b, struct daybook_part *part, const struct cost *c, int64_t began_ms,
                     int64_t ended_ms);
void daybook_take_part(struct daybook *b, struct daybook_part *part); /* the part is empty after it */

#endif
