#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define BUCKET_MS WHEN_HOUR
/* So many events may wait before they are sorted in: enough that a bucket with very many is not walked through for each of them. */
#define TAIL_LEAST 512
#define TAIL_SHARE 16
/* Moments beyond are nobody's (some 140 million years): a lie must not run over. */
#define MOMENT_MOST (INT64_MAX / 2)

/* The level changes at this moment: from the top bit on the ms within the bucket (22 bits), whether something begins, by how many millionths
 * of a DPU, and whether it is taken back. An account has a million of them, so they are 8 bytes each; and their order as numbers is the order
 * of events, ends before beginnings of the same moment. Of a bucket's events the first `sorted` are in order; behind them is the tail of what
 * came since, among it what was taken back. */
#define EVENT_DPU_BITS 40
#define EVENT_DPU_MAX  ((INT64_C(1) << EVENT_DPU_BITS) - 1) /* a million DPU: more than any account has */
#define EVENT_TAKEN    UINT64_C(1)
_Static_assert(BUCKET_MS < INT64_C(1) << 22, "a moment within a bucket has 22 bits");

struct bucket {
  int64_t start_ms;
  uint64_t *events;
  size_t sorted, count, cap;
  bool stale; /* the figures below are to be made again */
  int64_t dpu_sum, runs_sum;
  /* the highest level within, relative to the level before; never under 0 (the level before itself) */
  int64_t dpu_top, runs_top;
  int64_t dpu_top_ms, runs_top_ms;
  int64_t dpu_before, runs_before; /* the level at its start */
};

struct load {
  struct bucket *buckets; /* in order of time unless `unordered` */
  size_t count, cap;
  uint32_t *slots; /* hash from start_ms to index + 1 */
  size_t slot_count;
  size_t last; /* the bucket that was used last */
  bool unordered, stale;
  uint64_t touched;
  uint64_t *merged; /* for fold */
  size_t merged_cap;
};

struct load *load_new(void)
{
  return xcalloc(1, sizeof(struct load));
}

void load_clear(struct load *l)
{
  for (size_t i = 0; i < l->count; i++)
    free(l->buckets[i].events);
  if (l->slot_count > 0)
    memset(l->slots, 0, l->slot_count * sizeof *l->slots);
  l->count = l->last = 0;
  l->unordered = l->stale = false;
}

void load_free(struct load *l)
{
  if (l == NULL)
    return;
  load_clear(l);
  free(l->buckets);
  free(l->slots);
  free(l->merged);
  free(l);
}

/* --- buckets: found by hash, put in order when somebody asks ---------------------------------------------------------- */

static int64_t bucket_start(int64_t at_ms)
{
  int64_t rest = at_ms % BUCKET_MS;
  return at_ms - (rest < 0 ? rest + BUCKET_MS : rest);
}

/* Where it is, or where it would be put. */
static size_t slot_of(const struct load *l, int64_t start_ms)
{
  uint64_t hash = (uint64_t)(start_ms / BUCKET_MS) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (size_t)(hash >> 32) & (l->slot_count - 1);
  while (l->slots[at] != 0 && l->buckets[l->slots[at] - 1].start_ms != start_ms)
    at = (at + 1) & (l->slot_count - 1);
  return at;
}

static void slots_fill(struct load *l)
{
  memset(l->slots, 0, l->slot_count * sizeof *l->slots);
  for (size_t i = 0; i < l->count; i++)
    l->slots[slot_of(l, l->buckets[i].start_ms)] = (uint32_t)(i + 1);
}

static struct bucket *bucket_of(struct load *l, int64_t at_ms)
{
  int64_t start = bucket_start(at_ms);
  if (l->last < l->count && l->buckets[l->last].start_ms == start)
    return &l->buckets[l->last];
  if (l->slot_count < 2 * (l->count + 1)) {
    l->slot_count = l->slot_count == 0 ? 64 : 2 * l->slot_count;
    l->slots = xreallocarray(l->slots, l->slot_count, sizeof *l->slots);
    slots_fill(l);
  }
  size_t at = slot_of(l, start);
  if (l->slots[at] == 0) {
    l->buckets = xgrow(l->buckets, &l->cap, l->count + 1, sizeof *l->buckets);
    l->unordered = l->unordered || (l->count > 0 && l->buckets[l->count - 1].start_ms > start);
    l->buckets[l->count++] = (struct bucket){.start_ms = start};
    l->slots[at] = (uint32_t)l->count;
  }
  l->last = l->slots[at] - 1;
  return &l->buckets[l->last];
}

static int compare_buckets(const void *a, const void *b)
{
  const struct bucket *x = a, *y = b;
  return x->start_ms < y->start_ms ? -1 : x->start_ms > y->start_ms;
}

/* --- events of a bucket ------------------------------------------------------------------------------------------------ */

static uint64_t event_make(int64_t in_bucket_ms, bool begins, int64_t dpu_micros)
{
  uint64_t dpu = (uint64_t)(dpu_micros < 0 ? 0 : dpu_micros > EVENT_DPU_MAX ? EVENT_DPU_MAX : dpu_micros);
  return ((uint64_t)in_bucket_ms << (EVENT_DPU_BITS + 1) | (uint64_t)begins << EVENT_DPU_BITS | dpu) << 1;
}

static int64_t event_at_ms(const struct bucket *b, uint64_t e)
{
  return b->start_ms + (int64_t)(e >> (EVENT_DPU_BITS + 2));
}

static bool event_begins(uint64_t e)
{
  return (e >> (EVENT_DPU_BITS + 1) & 1) != 0;
}

static int compare_events(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* What is taken back stands behind its like. */
static void put_merged(struct load *l, size_t *count, uint64_t e)
{
  if (!(e & EVENT_TAKEN))
    l->merged[(*count)++] = e;
  else if (*count > 0 && l->merged[*count - 1] == (e ^ EVENT_TAKEN))
    (*count)--;
}

/* The tail is sorted and merged into the rest, which stays in its order. */
static void fold(struct load *l, struct bucket *b)
{
  size_t count = 0, i = 0, k = b->sorted;
  if (b->sorted == b->count)
    return;
  l->touched += b->count;
  if (b->count - b->sorted > 1)
    qsort(&b->events[b->sorted], b->count - b->sorted, sizeof *b->events, compare_events);
  l->merged = xgrow(l->merged, &l->merged_cap, b->count, sizeof *l->merged);
  while (i < b->sorted || k < b->count) {
    bool first = k == b->count || (i < b->sorted && b->events[i] <= b->events[k]);
    put_merged(l, &count, first ? b->events[i] : b->events[k]);
    if (first)
      i++;
    else
      k++;
  }
  if (count > 0)
    memcpy(b->events, l->merged, count * sizeof *b->events);
  b->sorted = b->count = count;
}

static void event_put(struct load *l, int64_t at_ms, bool begins, int64_t dpu_micros, uint64_t taken)
{
  struct bucket *b = bucket_of(l, at_ms);
  if (b->count - b->sorted >= TAIL_LEAST + b->sorted / TAIL_SHARE)
    fold(l, b);
  if (b->count == b->cap) { /* with little to spare: there are very many */
    b->cap = b->count + b->count / 8 + 8;
    b->events = xreallocarray(b->events, b->cap, sizeof *b->events);
  }
  b->events[b->count++] = event_make(at_ms - b->start_ms, begins, dpu_micros) | taken;
  b->stale = l->stale = true;
}

static bool counts(int64_t from_ms, int64_t to_ms)
{
  bool ends = to_ms != WHEN_NONE;
  return from_ms > -MOMENT_MOST && from_ms < MOMENT_MOST && (!ends || (to_ms > from_ms && to_ms < MOMENT_MOST));
}

static void put(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros, uint64_t taken)
{
  if (!counts(from_ms, to_ms))
    return;
  event_put(l, from_ms, true, dpu_micros, taken);
  if (to_ms != WHEN_NONE)
    event_put(l, to_ms, false, dpu_micros, taken);
}

void load_add(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros)
{
  put(l, from_ms, to_ms, dpu_micros, 0);
}

void load_remove(struct load *l, int64_t from_ms, int64_t to_ms, int64_t dpu_micros)
{
  put(l, from_ms, to_ms, dpu_micros, EVENT_TAKEN);
}

/* No run over: there would have to be eight million runs of the largest size at once. */
static void pass_event(uint64_t e, int64_t *dpu, int64_t *runs)
{
  int64_t size = (int64_t)(e >> 1 & (uint64_t)EVENT_DPU_MAX);
  *dpu += event_begins(e) ? size : -size;
  *runs += event_begins(e) ? 1 : -1;
}

static void bucket_refresh(struct load *l, struct bucket *b)
{
  int64_t dpu = 0, runs = 0;
  l->touched += b->count;
  b->dpu_top = b->runs_top = 0;
  b->dpu_top_ms = b->runs_top_ms = b->start_ms;
  for (size_t i = 0; i < b->count; i++) {
    pass_event(b->events[i], &dpu, &runs);
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

/* Everything in order, every figure right: what a question needs. */
static void settle(struct load *l)
{
  int64_t dpu = 0, runs = 0;
  if (!l->stale)
    return;
  if (l->unordered) {
    qsort(l->buckets, l->count, sizeof *l->buckets, compare_buckets);
    slots_fill(l);
    l->last = 0;
    l->unordered = false;
  }
  l->touched += l->count;
  for (size_t i = 0; i < l->count; i++) {
    struct bucket *b = &l->buckets[i];
    if (b->stale) {
      fold(l, b);
      bucket_refresh(l, b);
    }
    b->dpu_before = dpu;
    b->runs_before = runs;
    dpu += b->dpu_sum;
    runs += b->runs_sum;
  }
  l->stale = false;
}

/* The first bucket that ends behind that moment. */
static size_t bucket_position(const struct load *l, int64_t at_ms)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (l->buckets[middle].start_ms + BUCKET_MS <= at_ms)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The level at a moment (what ends then has ended, what begins then has begun not yet), and where the events behind it are. */
struct cursor {
  size_t bucket, event;
  int64_t dpu, runs;
};
static struct cursor cursor_at(struct load *l, int64_t at_ms)
{
  settle(l);
  struct cursor c = {bucket_position(l, at_ms), 0, 0, 0};
  if (c.bucket < l->count) {
    const struct bucket *b = &l->buckets[c.bucket];
    c.dpu = b->dpu_before;
    c.runs = b->runs_before;
    for (; c.event < b->count; c.event++) {
      uint64_t e = b->events[c.event];
      int64_t event_ms = event_at_ms(b, e);
      if (event_ms > at_ms || (event_ms == at_ms && event_begins(e)))
        break;
      pass_event(e, &c.dpu, &c.runs);
    }
  } else if (l->count > 0) {
    const struct bucket *b = &l->buckets[l->count - 1];
    c.dpu = b->dpu_before + b->dpu_sum;
    c.runs = b->runs_before + b->runs_sum;
  }
  return c;
}

/* Moves on to `to`, and tells the highest level on the way; where a whole bucket lies before `to` its figures serve. */
static void cursor_peak(struct load *l, struct cursor *c, int64_t from_ms, int64_t to_ms, struct load_peak *peak)
{
  *peak = (struct load_peak){.runs = c->runs, .runs_at_ms = from_ms, .dpu_micros = c->dpu, .dpu_at_ms = from_ms};
  for (; c->bucket < l->count; c->bucket++, c->event = 0) {
    const struct bucket *b = &l->buckets[c->bucket];
    if (b->start_ms >= to_ms)
      return;
    if (c->event == 0 && b->start_ms + BUCKET_MS <= to_ms) {
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
      pass_event(e, &c->dpu, &c->runs);
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

uint64_t load_touched(const struct load *l)
{
  return l->touched;
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
      pass_event(e, &step.dpu_micros, &step.runs);
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
