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

void daybook_copy(struct daybook *to, const struct daybook *from)
{
  if (from->count == 0) {
    to->count = 0;
    return;
  }
  to->days = xreallocarray(to->days, from->count, sizeof *to->days);
  memcpy(to->days, from->days, from->count * sizeof *to->days);
  to->first = from->first;
  to->count = from->count;
}

struct daybook_day daybook_get(const struct daybook *b, int64_t day)
{
  if (b->count == 0 || day < b->first || day >= b->first + (int64_t)b->count)
    return (struct daybook_day){0, 0, 0, 0};
  const struct daybook_sums *d = &b->days[day - b->first];
  return (struct daybook_day){sum_wide_get(&d->nano), sum_wide_get(&d->dpu_micros), d->unknown, d->estimated};
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
  struct daybook_sums *days = xcalloc((size_t)(end - first), sizeof *days);
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
  struct daybook_sums *to = &b->days[day - b->first];
  if (sign > 0) {
    sum_wide_add(&to->nano, d->nano);
    sum_wide_add(&to->dpu_micros, d->dpu_micros);
  } else {
    sum_wide_take(&to->nano, d->nano);
    sum_wide_take(&to->dpu_micros, d->dpu_micros);
  }
  to->unknown += sign * d->unknown;
  to->estimated += sign * d->estimated;
}

/* The part's entry of a day; made when there is none. Runs come newest first: it is nearly always the last one or the next. */
static struct daybook_entry *entry_of(struct daybook_part *part, int64_t day)
{
  size_t low = 0, high = part->count;
  if (high > 0 && part->entries[high - 1].day > day)
    low = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (part->entries[middle].day > day)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < part->count && part->entries[low].day == day)
    return &part->entries[low];
  part->entries = xgrow(part->entries, &part->cap, part->count + 1, sizeof *part->entries);
  memmove(&part->entries[low + 1], &part->entries[low], (part->count - low) * sizeof *part->entries);
  part->count++;
  part->entries[low] = (struct daybook_entry){.day = day};
  return &part->entries[low];
}

/* The sums of one job's day stay at the end of their scale, and the book gets what they took: it can be taken back whole. */
static void put_both(struct daybook *b, struct daybook_part *part, int64_t day, const struct daybook_day *d)
{
  struct daybook_day *to = &entry_of(part, day)->figures;
  struct daybook_day fits = *d;
  fits.nano = sum_less(sum_of(to->nano, d->nano), to->nano);
  fits.dpu_micros = sum_less(sum_of(to->dpu_micros, d->dpu_micros), to->dpu_micros);
  to->nano += fits.nano;
  to->dpu_micros += fits.dpu_micros;
  to->unknown += d->unknown;
  to->estimated += d->estimated;
  daybook_put(b, day, &fits, 1);
}

void daybook_add_run(struct daybook *b, struct daybook_part *part, const struct cost *c, int64_t began_ms,
                     int64_t ended_ms)
{
  int64_t first = daybook_day_of(began_ms), last = daybook_day_of(ended_ms > began_ms ? ended_ms - 1 : began_ms);
  struct daybook_day d = {.unknown = c->usd_basis == COST_UNKNOWN, .estimated = c->usd_basis == COST_ESTIMATED};
  int64_t nano_left = c->nano, dpu_left = c->dpu_micros;
  if (c->nano == 0 && c->dpu_micros == 0 && d.unknown == 0)
    return;
  bool cut = last - first >= DAYBOOK_DAYS_MOST;
  if (cut)
    first = last - DAYBOOK_DAYS_MOST + 1;
  for (int64_t day = first; day <= last; day++) {
    int64_t from_ms = cut && day == first ? began_ms : day * WHEN_DAY, to_ms = (day + 1) * WHEN_DAY;
    d.nano = day == last ? nano_left : cost_part(c->nano, began_ms, ended_ms, from_ms, to_ms);
    d.dpu_micros = day == last ? dpu_left : cost_part(c->dpu_micros, began_ms, ended_ms, from_ms, to_ms);
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
