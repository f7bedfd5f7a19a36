#include "sim/account.h"

#include "base/xalloc.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
  return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->serial < b->serial;
}

void sim_event_push(struct sim_account *a, struct sim_event e)
{
  a->events = xgrow(a->events, &a->event_cap, a->event_count + 1, sizeof *a->events);
  e.serial = a->event_serial++;
  size_t i = a->event_count++;
  while (i > 0 && before(&e, &a->events[(i - 1) / 2])) {
    a->events[i] = a->events[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  a->events[i] = e;
}

bool sim_event_pop(struct sim_account *a, int64_t until_ms, struct sim_event *out)
{
  if (a->event_count == 0 || a->events[0].at_ms > until_ms)
    return false;
  *out = a->events[0];
  struct sim_event last = a->events[--a->event_count];
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= a->event_count)
      break;
    if (child + 1 < a->event_count && before(&a->events[child + 1], &a->events[child]))
      child++;
    if (!before(&a->events[child], &last))
      break;
    a->events[i] = a->events[child];
    i = child;
  }
  if (a->event_count > 0)
    a->events[i] = last;
  return true;
}
