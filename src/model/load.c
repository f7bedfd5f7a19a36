#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define BUCKET_MS WHEN_HOUR

/* The level changes at this moment: from the top bit on the ms within the bucket (22 bits), whether something begins, and by how many
 * millionths of a DPU. An account has a million of them, so they are 8 bytes each; and their order as numbers is the order of events,
 * ends before beginnings of the same moment. */
#define EVENT_DPU_BITS 41
#define EVENT_DPU_MAX  ((INT64_C(1) << EVENT_DPU_BITS) - 1) /* two million DPU: more than any account has */
_Static_assert(BUCKET_MS < INT64_C(1) << 22, "a moment within a bucket has 22 bits");

struct bucket {
  int64_t start_ms;
  uint64_t *events;
  size_t count, cap;
  bool stale; /* the figures below are to be made again */
  int64_t dpu_sum, runs_sum;
  int64_t dpu_top,
      runs_top; /* the highest level within, relative to the level before; never under 0 (the level before itself) */
  int64_t dpu_top_ms, runs_top_ms;
};

struct load {
  struct bucket *buckets; /* by start_ms */
  size_t count, cap;
};

struct load *load_new(void)
{
  return xcalloc(1, sizeof(struct load));
}

void load_clear(struct load *l)
{
  for (size_t i = 0; i < l->count; i++)
    free(l->buckets[i].events);
  l->count = 0;
}

void load_free(struct load *l)
{
  if (l == NULL)
    return;
  load_clear(l);
  free(l->buckets);
  free(l);
}

/* The first bucket that does not start before start_ms. */
static size_t bucket_position(const struct load *l, int64_t start_ms)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (l->buckets[middle].start_ms < start_ms)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int64_t bucket_start(int64_t at_ms)
{
  int64_t rest = at_ms % BUCKET_MS;
  return at_ms - (rest < 0 ? rest + BUCKET_MS : rest);
}

static uint64_t event_make(int64_t in_bucket_ms, bool begins, int64_t dpu_micros)
{
  uint64_t dpu = (uint64_t)(dpu_micros < 0 ? 0 : dpu_micros > EVENT_DPU_MAX ? EVENT_DPU_MAX : dpu_micros);
  return (uint64_t)in_bucket_ms << (EVENT_DPU_BITS + 1) | (uint64_t)begins << EVENT_DPU_BITS | dpu;
}

static int64_t event_at_ms(const struct bucket *b, uint64_t e)
{
  return b->start_ms + (int64_t)(e >> (EVENT_DPU_BITS + 1));
}

static bool event_begins(uint64_t e)
{
  return (e >> EVENT_DPU_BITS & 1) != 0;
}

static int64_t event_dpu(uint64_t e)
{
  int64_t dpu = (int64_t)(e & (uint64_t)EVENT_DPU_MAX);
  return event_begins(e) ? dpu : -dpu;
}

static int64_t event_runs(uint64_t e)
{
  return event_begins(e) ? 1 : -1;
}

static size_t event_position(const struct bucket *b, uint64_t e)
{
  size_t low = 0, high = b->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (b->events[middle] < e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void event_add(struct load *l, int64_t at_ms, bool begins, int64_t dpu_micros)
{
  int64_t start = bucket_start(at_ms);
  uint64_t e = event_make(at_ms - start, begins, dpu_micros);
  size_t i = bucket_position(l, start);
  if (i == l->count || l->buckets[i].start_ms != start) {
    l->buckets = xgrow(l->buckets, &l->cap, l->count + 1, sizeof *l->buckets);
    memmove(&l->buckets[i + 1], &l->buckets[i], (l->count - i) * sizeof *l->buckets);
    l->buckets[i] = (struct bucket){.start_ms = start};
    l->count++;
  }
  struct bucket *b = &l->buckets[i];
  if (b->count == b->cap) {
    b->cap = b->count + b->count / 8 + 8;
    b->events = xreallocarray(b->events, b->cap, sizeof *b->events);
  }
  size_t at = event_position(b, e);
  memmove(&b->events[at + 1], &b->events[at], (b->count - at) * sizeof *b->events);
  b->events[at] = e;
  b->count++;
  b->stale = true;
}

static void event_remove(struct load *l, int64_t at_ms, bool begins, int64_t dpu_micros)
{
  int64_t start = bucket_start(at_ms);
  uint64_t e = event_make(at_ms - start, begins, dpu_micros);
  size_t i = bucket_position(l, start);
  if (i == l->count || l->buckets[i].start_ms != start)
    return;
  struct bucket *b = &l->buckets[i];
  size_t at = event_position(b, e);
  if (at == b->count || b->events[at] != e)
    return;
  b->count--;
  memmove(&b->events[at], &b->events[at + 1], (b->count - at) * sizeof *b->events);
  b->stale = true;
}

static bool counts(int64_t from_ms, int64_t to_ms)
{
  return from_ms != WHEN_NONE && (to_ms == WHEN_NONE || to_ms > from_ms);
}

void load_add(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros)
{
  if (!counts(from_ms, to_ms))
    return;
  event_add(l, from_ms, true, dpu_micros);
  if (to_ms != WHEN_NONE)
    event_add(l, to_ms, false, dpu_micros);
}

void load_remove(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros)
{
  if (!counts(from_ms, to_ms))
    return;
  event_remove(l, from_ms, true, dpu_micros);
  if (to_ms != WHEN_NONE)
    event_remove(l, to_ms, false, dpu_micros);
}

static void bucket_refresh(struct bucket *b)
{
  int64_t dpu = 0, runs = 0;
  if (!b->stale)
    return;
  b->dpu_top = b->runs_top = 0;
  b->dpu_top_ms = b->runs_top_ms = b->start_ms;
  for (size_t i = 0; i < b->count; i++) {
    dpu += event_dpu(b->events[i]);
    runs += event_runs(b->events[i]);
    if (dpu > b->dpu_top) {
      b->dpu_top = dpu;
      b->dpu_top_ms = event_at_ms(b, b->events[i]);
    }
    if (runs > b->runs_top) {
      b->runs_top = runs;
      b->runs_top_ms = event_at_ms(b, b->events[i]);
    }
  }
  b->dpu_sum = dpu;
  b->runs_sum = runs;
  b->stale = false;
}

/* The level at a moment (what ends then has ended, what begins then has begun not yet), and where the events behind it are. */
struct cursor {
  size_t bucket, event;
  int64_t dpu, runs;
};
static struct cursor cursor_at(struct load *l, int64_t at_ms)
{
  struct cursor c = {0, 0, 0, 0};
  for (; c.bucket < l->count && l->buckets[c.bucket].start_ms + BUCKET_MS <= at_ms; c.bucket++) {
    bucket_refresh(&l->buckets[c.bucket]);
    c.dpu += l->buckets[c.bucket].dpu_sum;
    c.runs += l->buckets[c.bucket].runs_sum;
  }
  if (c.bucket < l->count) {
    const struct bucket *b = &l->buckets[c.bucket];
    for (; c.event < b->count; c.event++) {
      uint64_t e = b->events[c.event];
      int64_t event_ms = event_at_ms(b, e);
      if (event_ms > at_ms || (event_ms == at_ms && event_begins(e)))
        break;
      c.dpu += event_dpu(e);
      c.runs += event_runs(e);
    }
  }
  return c;
}

/* Moves on to `to`, and tells the highest level on the way; where a whole bucket lies before `to` its figures serve. */
static void cursor_peak(struct load *l, struct cursor *c, int64_t from_ms, int64_t to_ms, struct load_peak *peak)
{
  *peak = (struct load_peak){.runs = c->runs, .runs_at_ms = from_ms, .dpu_micros = c->dpu, .dpu_at_ms = from_ms};
  for (; c->bucket < l->count; c->bucket++, c->event = 0) {
    struct bucket *b = &l->buckets[c->bucket];
    if (b->start_ms >= to_ms)
      return;
    if (c->event == 0 && b->start_ms + BUCKET_MS <= to_ms) {
      bucket_refresh(b);
      if (c->dpu + b->dpu_top > peak->dpu_micros) {
        peak->dpu_micros = c->dpu + b->dpu_top;
        peak->dpu_at_ms = b->dpu_top_ms;
      }
      if (c->runs + b->runs_top > peak->runs) {
        peak->runs = c->runs + b->runs_top;
        peak->runs_at_ms = b->runs_top_ms;
      }
      c->dpu += b->dpu_sum;
      c->runs += b->runs_sum;
      continue;
    }
    for (; c->event < b->count; c->event++) {
      uint64_t e = b->events[c->event];
      int64_t event_ms = event_at_ms(b, e);
      if (event_ms > to_ms || (event_ms == to_ms && event_begins(e)))
        return;
      c->dpu += event_dpu(e);
      c->runs += event_runs(e);
      if (c->dpu > peak->dpu_micros) {
        peak->dpu_micros = c->dpu;
        peak->dpu_at_ms = event_ms;
      }
      if (c->runs > peak->runs) {
        peak->runs = c->runs;
        peak->runs_at_ms = event_ms;
      }
    }
  }
}

struct load_peak load_peak(struct load *l, int64_t from_ms, int64_t to_ms)
{
  struct cursor c = cursor_at(l, from_ms);
  struct load_peak peak;
  cursor_peak(l, &c, from_ms, to_ms, &peak);
  if (peak.runs == 0)
    peak.runs_at_ms = WHEN_NONE;
  if (peak.dpu_micros == 0)
    peak.dpu_at_ms = WHEN_NONE;
  return peak;
}

void load_curve(struct load *l, int64_t from_ms, int64_t to_ms, size_t columns, int64_t *dpu_micros, int64_t *runs)
{
  struct cursor c = cursor_at(l, from_ms);
  double width = columns == 0 ? 0 : (double)(to_ms - from_ms) / (double)columns;
  for (size_t i = 0; i < columns; i++) {
    int64_t begin = from_ms + (int64_t)((double)i * width);
    int64_t end = i + 1 == columns ? to_ms : from_ms + (int64_t)((double)(i + 1) * width);
    struct load_peak peak;
    cursor_peak(l, &c, begin, end, &peak);
    if (dpu_micros != NULL)
      dpu_micros[i] = peak.dpu_micros;
    if (runs != NULL)
      runs[i] = peak.runs;
  }
}

size_t load_steps(struct load *l, int64_t from_ms, int64_t to_ms, struct load_step *out, size_t cap)
{
  struct cursor c = cursor_at(l, from_ms);
  size_t count = 1;
  struct load_step step = {from_ms, c.dpu, c.runs};
  if (cap > 0)
    out[0] = step;
  for (; c.bucket < l->count; c.bucket++, c.event = 0) {
    const struct bucket *b = &l->buckets[c.bucket];
    for (; c.event < b->count; c.event++) {
      uint64_t e = b->events[c.event];
      int64_t event_ms = event_at_ms(b, e);
      if (event_ms >= to_ms)
        return count;
      step.dpu_micros += event_dpu(e);
      step.runs += event_runs(e);
      if (event_ms != step.at_ms) {
        step.at_ms = event_ms;
        count++;
      }
      /* a later event of the same moment changes the step that is there */
      if (count <= cap)
        out[count - 1] = step;
    }
  }
  return count;
}
