#include "model/at_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/cost.h"

#define FEW        32 /* so many are sorted by insertion */
#define DIGIT_BITS 11
#define DIGITS     ((size_t)1 << DIGIT_BITS)

void at_work_init(struct at_work *w)
{
  *w = (struct at_work){.job = NULL};
}

void at_work_fini(struct at_work *w)
{
  for (size_t i = 0; i < AT_WORK_KINDS; i++) {
    free(w->orders[i].begins);
    free(w->orders[i].ends);
    free(w->orders[i].tops);
  }
  free(w->scratch);
  at_work_init(w);
}

void at_work_forget(struct at_work *w)
{
  w->job = NULL;
  for (size_t i = 0; i < AT_WORK_KINDS; i++)
    w->orders[i].made = false;
}

void at_work_of(struct at_work *w, const struct model *m, const struct job *j)
{
  uint32_t epoch = m->places[j->place].epoch;
  if (w->job == j && w->name == j->name && w->generation == j->runs_generation && w->epoch == epoch)
    return;
  at_work_forget(w);
  w->job = j;
  w->name = j->name;
  w->generation = j->runs_generation;
  w->epoch = epoch;
}

/* --- when a run held a slot ---------------------------------------------------------------------------------------------- */

static bool held(const struct run *r, enum at_work_kind kind, int64_t *from_ms, int64_t *to_ms)
{
  int64_t began = cost_began(r, NULL);
  if (r->started_ms == WHEN_NONE || r->state == RUN_WAITING || r->state == RUN_EXPIRED || r->state == RUN_ERROR)
    return false;
  if (began == WHEN_NONE || began < r->started_ms)
    began = r->started_ms; /* STARTING, or clocks that differ */
  bool soon = began <= r->started_ms || (uint64_t)began - (uint64_t)r->started_ms <= (uint64_t)AT_WORK_START_UP_MS;
  *from_ms = kind == AT_WORK_OR_STARTING && soon ? r->started_ms : began;
  *to_ms = run_finished(r) && r->completed_ms != WHEN_NONE ? r->completed_ms : INT64_MAX;
  return *to_ms > *from_ms;
}

/* --- sorting ------------------------------------------------------------------------------------------------------------- */

static void sort_few(struct at_work_moment *m, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    struct at_work_moment one = m[i];
    size_t k = i;
    for (; k > 0 && m[k - 1].ms > one.ms; k--)
      m[k] = m[k - 1];
    m[k] = one;
  }
}

static bool in_order(const struct at_work_moment *m, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (m[i - 1].ms > m[i].ms)
      return false;
  return true;
}

/* By digits from the last one on, as many as the stretch of time has: the same work whatever the order was. */
static void sort_moments(struct at_work_moment *m, size_t count, struct at_work_moment *scratch)
{
  if (count <= FEW) {
    sort_few(m, count);
    return;
  }
  if (in_order(m, count))
    return;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (size_t i = 0; i < count; i++) {
    least = m[i].ms < least ? m[i].ms : least;
    most = m[i].ms > most ? m[i].ms : most;
  }
  uint64_t span = (uint64_t)most - (uint64_t)least;
  for (unsigned shift = 0; shift < 64 && span >> shift != 0; shift += DIGIT_BITS) {
    size_t starts[DIGITS] = {0}, at = 0;
    for (size_t i = 0; i < count; i++)
      starts[((uint64_t)m[i].ms - (uint64_t)least) >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
      size_t many = starts[d];
      starts[d] = at;
      at += many;
    }
    for (size_t i = 0; i < count; i++)
      scratch[starts[((uint64_t)m[i].ms - (uint64_t)least) >> shift & (DIGITS - 1)]++] = m[i];
    memcpy(m, scratch, count * sizeof *m);
  }
}

/* --- making -------------------------------------------------------------------------------------------------------------- */

static void make_tree(const struct at_work *w, struct at_work_order *o, enum at_work_kind kind)
{
  o->leaves = 1;
  while (o->leaves < o->count)
    o->leaves *= 2;
  o->tops = xgrow(o->tops, &o->leaf_cap, 2 * o->leaves, sizeof *o->tops);
  for (size_t i = 0; i < o->leaves; i++) {
    int64_t from = 0, to = INT64_MIN;
    if (i < o->count)
      held(&w->job->runs[o->begins[i].run], kind, &from, &to);
    o->tops[o->leaves + i] = to;
  }
  for (size_t i = o->leaves - 1; i > 0; i--)
    o->tops[i] = o->tops[2 * i] > o->tops[2 * i + 1] ? o->tops[2 * i] : o->tops[2 * i + 1];
}

static struct at_work_order *order_of(struct at_work *w, enum at_work_kind kind)
{
  struct at_work_order *o = &w->orders[kind];
  const struct job *j = w->job;
  if (o->made)
    return o;
  if (j->run_count + 1 > o->cap) {
    o->begins = xgrow(o->begins, &o->cap, j->run_count + 1, sizeof *o->begins);
    o->ends = xreallocarray(o->ends, o->cap, sizeof *o->ends);
  }
  w->scratch = xgrow(w->scratch, &w->scratch_cap, j->run_count + 1, sizeof *w->scratch);
  o->count = 0;
  w->touched += j->run_count;
  for (size_t i = j->run_count; i-- > 0;) { /* oldest first: nearly in order as they come */
    int64_t from = 0, to = 0;
    if (!held(&j->runs[i], kind, &from, &to))
      continue;
    o->begins[o->count] = (struct at_work_moment){from, (uint32_t)i};
    o->ends[o->count++] = (struct at_work_moment){to, (uint32_t)i};
  }
  sort_moments(o->begins, o->count, w->scratch);
  sort_moments(o->ends, o->count, w->scratch);
  make_tree(w, o, kind);
  o->made = true;
  return o;
}

/* --- questions ----------------------------------------------------------------------------------------------------------- */

/* How many of them are not behind that moment. */
static size_t until(const struct at_work_moment *m, size_t count, int64_t at_ms)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (m[middle].ms <= at_ms)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t at_work_count(struct at_work *w, enum at_work_kind kind, int64_t at_ms, size_t except)
{
  const struct at_work_order *o = order_of(w, kind);
  size_t count = until(o->begins, o->count, at_ms) - until(o->ends, o->count, at_ms);
  int64_t from = 0, to = 0;
  if (except < w->job->run_count && held(&w->job->runs[except], kind, &from, &to) && from <= at_ms && to > at_ms)
    count--;
  return count;
}

/* The last of the first `end` that ends behind that moment; SIZE_MAX: none. */
static size_t last_alive(const struct at_work_order *o, size_t end, int64_t at_ms, uint64_t *touched)
{
  if (end == 0)
    return SIZE_MAX;
  size_t node = o->leaves + end - 1;
  (*touched)++;
  while (o->tops[node] <= at_ms) {
    while (node > 1 && node % 2 == 0) { /* nothing on its left under the same head */
      node /= 2;
      (*touched)++;
    }
    if (node <= 1)
      return SIZE_MAX;
    node--;
  }
  while (node < o->leaves) {
    node = o->tops[2 * node + 1] > at_ms ? 2 * node + 1 : 2 * node;
    (*touched)++;
  }
  return node - o->leaves;
}

size_t at_work_newest(struct at_work *w, enum at_work_kind kind, int64_t at_ms, size_t except, size_t *out, size_t cap)
{
  const struct at_work_order *o = order_of(w, kind);
  size_t count = 0, end = until(o->begins, o->count, at_ms);
  while (count < cap && (end = last_alive(o, end, at_ms, &w->touched)) != SIZE_MAX)
    if (o->begins[end].run != except)
      out[count++] = o->begins[end].run;
  return count;
}

size_t at_work_peak(struct at_work *w, enum at_work_kind kind, int64_t from_ms, int64_t to_ms, int64_t *at_ms)
{
  const struct at_work_order *o = order_of(w, kind);
  size_t i = until(o->begins, o->count, from_ms), ended = until(o->ends, o->count, from_ms), peak = i - ended;
  *at_ms = peak > 0 ? from_ms : WHEN_NONE;
  for (; i < o->count && o->begins[i].ms <= to_ms; i++) {
    while (o->ends[ended].ms <= o->begins[i].ms) /* who ends when another begins does not meet it */
      ended++;
    w->touched++;
    if (i + 1 - ended <= peak)
      continue;
    peak = i + 1 - ended;
    *at_ms = o->begins[i].ms;
  }
  return peak;
}
