/* The figures of tests/unit/steady.h, a line each, for row_steady.c: the loop is linked with an account in memory here, and with the real
 * client there. Virtual time: nothing of it depends on the machine. */
#include <stdio.h>
#include "base/when.h"
#include "steady.h"

static int tell(double limit)
{
  struct steady_options o = {.refresh_seconds = -1, .limit_per_second = limit, .span_ms = 70 * WHEN_MINUTE};
  struct steady_figures f;
  if (!steady_run(&o, &f))
    return 1;
  printf("%.3f %.3f %.3f %.3f %.3f %.3f %.3f\n", f.requests_per_second, f.throttled_percent,
         (double)f.throttled_for_ms / 1000, (double)f.live.worst_ms / 1000, (double)f.schedule.worst_ms / 1000,
         (double)f.any.worst_ms / (double)WHEN_MINUTE, (double)f.any_age_ms / (double)WHEN_MINUTE);
  return 0;
}

int main(void)
{
  return tell(0) != 0 || tell(2) != 0;
}
