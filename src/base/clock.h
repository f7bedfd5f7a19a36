/* One source of time. Real by default; a test holds it still and moves it by hand (--test-fd). */
#ifndef GLUETOP_BASE_CLOCK_H
#define GLUETOP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
  bool manual;
  int64_t manual_wall_ms; /* UTC, ms since the epoch */
  int64_t manual_mono_ms;
};

void clock_init_real(struct clock *c);
void clock_init_manual(struct clock *c, int64_t wall_ms);
void clock_advance(struct clock *c, int64_t ms); /* manual clocks only */
void clock_sleep(struct clock *c,
                 int64_t ms); /* the same while the machine is suspended: the monotonic time stands still */
int64_t clock_wall_ms(const struct clock *c);
int64_t clock_mono_ms(const struct clock *c);

#endif
