#include "base/clock.h"

#include <time.h>

void clock_init_real(struct clock *c)
{
  *c = (struct clock){.manual = false};
}

void clock_init_manual(struct clock *c, int64_t wall_ms)
{
  *c = (struct clock){.manual = true, .manual_wall_ms = wall_ms};
}

void clock_advance(struct clock *c, int64_t ms)
{
  if (c->manual && ms > 0) {
    c->manual_wall_ms += ms;
    c->manual_mono_ms += ms;
  }
}

void clock_sleep(struct clock *c, int64_t ms)
{
  if (c->manual && ms > 0)
    c->manual_wall_ms += ms;
}

static int64_t clock_read(clockid_t id)
{
  struct timespec t = {0};
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000 + (int64_t)t.tv_nsec / 1000000;
}

int64_t clock_wall_ms(const struct clock *c)
{
  return c->manual ? c->manual_wall_ms : clock_read(CLOCK_REALTIME);
}

int64_t clock_mono_ms(const struct clock *c)
{
  return c->manual ? c->manual_mono_ms : clock_read(CLOCK_MONOTONIC);
}
