#include "model/wants.h"

#include <stdlib.h>
#include "base/xalloc.h"

void wants_init(struct wants *w)
{
  *w = (struct wants){0};
}

void wants_fini(struct wants *w)
{
  free(w->items);
  *w = (struct wants){0};
}

void wants_clear(struct wants *w)
{
  w->count = 0;
}

void wants_add(struct wants *w, const struct want *want)
{
  for (size_t i = 0; i < w->count; i++) {
    struct want *have = &w->items[i];
    if (have->kind != want->kind || have->context != want->context || have->job != want->job ||
        have->run_id != want->run_id)
      continue;
    if (want->urgency < have->urgency)
      have->urgency = want->urgency;
    if (want->since_ms < have->since_ms)
      have->since_ms = want->since_ms;
    if (want->until_ms > have->until_ms)
      have->until_ms = want->until_ms;
    return;
  }
  w->items = xgrow(w->items, &w->cap, w->count + 1, sizeof *w->items);
  w->items[w->count++] = *want;
}
