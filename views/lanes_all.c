/* Lanes that hold the runs of many jobs: an account's tracks, the hours of the day. */
#include "views/lanes.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/desk.h"

/* --- packing ---------------------------------------------------------------------------------------------------------- */

static int64_t end_of(const struct lanes *l, const struct timeline_bar *b)
{
  int64_t end = b->ended_ms != WHEN_NONE ? b->ended_ms : l->now_ms;
  return end > b->started_ms ? end : b->started_ms;
}

/* Each run goes into the first track that is free by then, with a cell between, so that two do not look like one. */
static void pack(const struct lanes *l, struct lanes_pack *p)
{
  int64_t free_from[LANES_TRACKS_MOST], gap = l->columns > 0 ? (l->to_ms - l->from_ms) / (int64_t)l->columns : 0;
  p->track = xgrow(p->track, &p->track_cap, p->bars.bar_count + 1, sizeof *p->track);
  p->tracks = 0;
  for (size_t i = 0; i < p->bars.bar_count; i++) {
    const struct timeline_bar *b = &p->bars.bars[i];
    int64_t end = end_of(l, b);
    size_t track = 0;
    while (track < p->tracks && free_from[track] > b->started_ms) {
      track++;
    }
    if (track == LANES_TRACKS_MOST) {
      track--;
    } else if (track == p->tracks) {
      free_from[p->tracks++] = INT64_MIN;
    }
    free_from[track] = end + gap > free_from[track] ? end + gap : free_from[track];
    p->track[i] = (uint8_t)track;
  }
}

void lanes_forget_packs(struct lanes *l)
{
  l->pack_count = 0;
}

static const struct lanes_pack *pack_of(struct lanes *l, const struct scene *scene, int place)
{
  for (size_t i = 0; i < l->pack_count; i++) {
    if (l->packs[i].place == place) {
      return &l->packs[i];
    }
  }
  size_t had = l->pack_cap;
  l->packs = xgrow(l->packs, &l->pack_cap, l->pack_count + 1, sizeof *l->packs);
  if (l->pack_cap > had) {
    memset(l->packs + had, 0, (l->pack_cap - had) * sizeof *l->packs);
  }
  struct lanes_pack *p = &l->packs[l->pack_count++];
  p->place = place;
  p->too_many = !timeline_bars_fill_all(&p->bars, scene->model, scene->stats, place, l->from_ms, l->to_ms, l->now_ms,
                                        LANES_BARS_MOST);
  pack(l, p);
  return p;
}

size_t lanes_tracks(struct lanes *l, const struct scene *scene, int place)
{
  const struct lanes_pack *p = pack_of(l, scene, place);
  return p->too_many || p->tracks == 0 ? 1 : p->tracks;
}

/* --- bars ------------------------------------------------------------------------------------------------------------- */

static void clear_bars(struct lane *lane)
{
  lane->bars.bar_count = lane->bars.planned_count = lane->bars.gap_count = 0;
}

static void add_bar(struct lane *lane, const struct timeline_bar *b)
{
  lane->bars.bars = xgrow(lane->bars.bars, &lane->bars.bar_cap, lane->bars.bar_count + 1, sizeof *b);
  lane->bars.bars[lane->bars.bar_count++] = *b;
}

/* --- levels, where there are too many ----------------------------------------------------------------------------------- */

static void levels_begin(struct lane *lane, size_t columns)
{
  lane->levels = true;
  for (size_t i = 0; i < columns; i++) {
    lane->values[i] = -1;
  }
}

static void levels_end(struct lanes *l, const struct lane *lane)
{
  for (size_t i = 0; i < l->columns; i++) {
    l->top = lane->values[i] > l->top ? lane->values[i] : l->top;
  }
}

static void account_levels(struct lanes *l, const struct scene *scene, struct lane *lane, int place)
{
  int64_t end = l->to_ms < l->now_ms ? l->to_ms : l->now_ms;
  double share = (double)(end - l->from_ms) / (double)(l->to_ms - l->from_ms);
  levels_begin(lane, l->columns);
  if (end > l->from_ms) {
    load_curve(loads_of(desk_loads(scene->desk), place), l->from_ms, end, (size_t)(share * (double)l->columns + 0.5),
               lane->values, NULL);
  }
  levels_end(l, lane);
}

void lanes_add_track(struct lanes *l, const struct scene *scene, const struct row_key *key, int place, size_t track)
{
  struct lane *lane = lanes_add(l, key);
  const struct lanes_pack *p = pack_of(l, scene, place);
  clear_bars(lane);
  if (p->too_many) {
    account_levels(l, scene, lane, place);
    return;
  }
  for (size_t i = 0; i < p->bars.bar_count; i++) {
    if (p->track[i] == track) {
      add_bar(lane, &p->bars.bars[i]);
    }
  }
  timeline_cells(&lane->bars, l->from_ms, l->to_ms, l->now_ms, lane->cells, l->columns);
}

/* --- hours of the day --------------------------------------------------------------------------------------------------- */

size_t lanes_days(const struct lanes *l, size_t *wide)
{
  int64_t end = l->to_ms < l->now_ms ? l->to_ms : l->now_ms, day = when_day_start(l->from_ms, l->zone);
  size_t days = 0;
  while (day < end && days < l->columns) {
    days++;
    day = when_day_start(day + 36 * WHEN_HOUR, l->zone); /* a day has 23 to 25 hours */
  }
  *wide = days > 0 ? l->columns / days : 1;
  return days;
}

static size_t first_from(const struct lanes_pack *p, int64_t from_ms)
{
  size_t low = 0, high = p->bars.bar_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->bars.bars[middle].started_ms < from_ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* One hour of one day: `wide` cells from `at` on. The runs that were accepted in it, as far as they worked in it: what has gone on for days
 * would hide them all. */
static void fill_hour(struct lanes *l, const struct lanes_pack *p, struct lane *lane, int64_t from, size_t at,
                      size_t wide)
{
  size_t first = first_from(p, from);
  struct timeline_bars some = {.bars = p->bars.bars + first, .bar_count = first_from(p, from + WHEN_HOUR) - first};
  timeline_cells(&some, from, from + WHEN_HOUR, l->now_ms, lane->cells + at, wide);
}

void lanes_add_hour(struct lanes *l, const struct scene *scene, const struct row_key *key, int hour)
{
  struct lane *lane = lanes_add(l, key);
  const struct lanes_pack *p = pack_of(l, scene, scene->place);
  int64_t day = when_day_start(l->from_ms, l->zone), end = l->to_ms < l->now_ms ? l->to_ms : l->now_ms;
  size_t wide = 1, days = lanes_days(l, &wide);
  clear_bars(lane);
  lane->days = true;
  memset(lane->cells, 0, l->columns * sizeof *lane->cells);
  if (p->too_many) {
    levels_begin(lane, l->columns);
  }
  for (size_t i = 0; i < days; i++) {
    int64_t from = day + hour * WHEN_HOUR, value = 0;
    bool here = from < end && from + WHEN_HOUR > l->from_ms;
    if (here && p->too_many) {
      desk_curve(scene->desk, scene, from, from + WHEN_HOUR < end ? from + WHEN_HOUR : end, 1, &value, NULL);
      for (size_t k = 0; k < wide; k++) {
        lane->values[i * wide + k] = value;
      }
    } else if (here) {
      fill_hour(l, p, lane, from, i * wide, wide > 2 ? wide - 1 : wide); /* a cell between two days */
    }
    day = when_day_start(day + 36 * WHEN_HOUR, l->zone);
  }
  if (p->too_many) {
    levels_end(l, lane);
  }
}
