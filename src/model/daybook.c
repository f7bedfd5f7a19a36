#include "model/daybook.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Times that no run can have (a lying server) must not make a book of a million years. */
#define DAY_LEAST INT64_C(0)
#define DAY_MOST  INT64_C(84000) /* about 2199 */

void daybook_init(struct daybook *b)
{
  *b = (struct daybook){0};
}

void daybook_fini(struct daybook *b)
{
  free(b->days);
  daybook_init(b);
}

void daybook_clear(struct daybook *b)
{
  if (b->count > 0)
    memset(b->days, 0, b->count * sizeof *b->days);
}

int64_t daybook_day_of(int64_t ms)
{
  int64_t day = ms / WHEN_DAY - (ms % WHEN_DAY < 0 ? 1 : 0);
  return day < DAY_LEAST ? DAY_LEAST : day > DAY_MOST ? DAY_MOST : day;
}

struct daybook_day daybook_get(const struct daybook *b, int64_t day)
{
  if (b->count == 0 || day < b->first || day >= b->first + (int64_t)b->count)
    return (struct daybook_day){0, 0, 0, 0};
  return b->days[day - b->first];
}

static void reach(struct daybook *b, int64_t day)
{
  int64_t first = b->count == 0 || day < b->first ? day : b->first;
  int64_t end = b->count == 0 ? day + 1 : b->first + (int64_t)b->count;
  if (b->count > 0 && day >= b->first && day < end)
    return;
  if (b->count > 0 && day < b->first) /* histories are read backwards: make room for more of it */
    first = day - 30 < DAY_LEAST ? DAY_LEAST : day - 30;
  if (day + 1 > end)
    end = day + 1;
  struct daybook_day *days = xcalloc((size_t)(end - first), sizeof *days);
  if (b->count > 0)
    memcpy(&days[b->first - first], b->days, b->count * sizeof *days);
  free(b->days);
  b->days = days;
  b->first = first;
  b->count = (size_t)(end - first);
}

void daybook_put(struct daybook *b, int64_t day, const struct daybook_day *d, int sign)
{
  reach(b, day);
  struct daybook_day *to = &b->days[day - b->first];
  to->nano += sign * d->nano;
  to->dpu_micros += sign * d->dpu_micros;
  to->unknown += sign * d->unknown;
  to->estimated += sign * d->estimated;
}

static void put_both(struct daybook *b, struct daybook_part *part, int64_t day, const struct daybook_day *d)
{
  daybook_put(b, day, d, 1);
  /* runs come in order of time: the day is nearly always among the last few */
  for (size_t i = part->count; i > 0 && part->count - i < 4; i--) {
    struct daybook_entry *e = &part->entries[i - 1];
    if (e->day != day)
      continue;
    e->figures.nano += d->nano;
    e->figures.dpu_micros += d->dpu_micros;
    e->figures.unknown += d->unknown;
    e->figures.estimated += d->estimated;
    return;
  }
  part->entries = xgrow(part->entries, &part->cap, part->count + 1, sizeof *part->entries);
  part->entries[part->count++] = (struct daybook_entry){.day = day, .figures = *d};
}

void daybook_add_run(struct daybook *b, struct daybook_part *part, const struct cost *c, int64_t began_ms,
                     int64_t ended_ms)
{
  int64_t first = daybook_day_of(began_ms), last = daybook_day_of(ended_ms > began_ms ? ended_ms - 1 : began_ms);
  struct daybook_day d = {.unknown = c->usd_basis == COST_UNKNOWN, .estimated = c->usd_basis == COST_ESTIMATED};
  int64_t nano_left = c->nano, dpu_left = c->dpu_micros;
  if (c->nano == 0 && c->dpu_micros == 0 && d.unknown == 0)
    return;
  for (int64_t day = first; day <= last; day++) {
    d.nano = day == last ? nano_left : cost_part(c->nano, began_ms, ended_ms, day * WHEN_DAY, (day + 1) * WHEN_DAY);
    d.dpu_micros =
        day == last ? dpu_left : cost_part(c->dpu_micros, began_ms, ended_ms, day * WHEN_DAY, (day + 1) * WHEN_DAY);
    nano_left -= d.nano;
    dpu_left -= d.dpu_micros;
    put_both(b, part, day, &d);
    d.unknown = 0;
  }
}

void daybook_take_part(struct daybook *b, struct daybook_part *part)
{
  for (size_t i = 0; i < part->count; i++)
    daybook_put(b, part->entries[i].day, &part->entries[i].figures, -1);
  part->count = 0;
}
