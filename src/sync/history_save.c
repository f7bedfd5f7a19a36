/* From the model into the store. */
#include "sync/history_private.h"

#include <stdlib.h>
#include "base/xalloc.h"

/* A block is written anew when a run of it changes: small enough for that, large enough that the rest costs little. */
#define BLOCK_RUNS     96
#define BLOCK_RUNS_MAX 160

static uint64_t place_hash(const struct buf *b, const struct place *p)
{
  return history_record_hash(b->data, b->len, p->jobs_fresh.fetched_ms);
}

/* The first run of the job's list that began before ms. */
static size_t runs_before(const struct job *j, int64_t ms)
{
  size_t low = 0;
  size_t high = j->run_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (j->runs[middle].started_ms >= ms)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool write_piece(struct string_map *map, int64_t place_id, struct history_job *hj, size_t at,
                        const struct job *j, size_t from, size_t to)
{
  struct buf data;
  buf_init(&data, BLOCK_BYTES_MAX);
  for (size_t i = from; i < to; i++)
    pack_run(map, &data, &j->runs[i]);
  struct history_block *hb = &hj->blocks[at];
  struct store_block sb = {.id = hb->id, .job = hj->id, .from_ms = hb->from_ms};
  bool good = !data.overflow && !map->failed && store_block_put(map->hp->store, place_id, &sb, &data) == STORE_OK;
  hb->id = sb.id;
  hb->whole = true;
  map->blocks_written++;
  buf_fini(&data);
  return good;
}

static void block_insert(struct history_job *hj, size_t at, int64_t from_ms)
{
  hj->blocks = xgrow(hj->blocks, &hj->block_cap, hj->block_count + 1, sizeof *hj->blocks);
  memmove(hj->blocks + at + 1, hj->blocks + at, (hj->block_count - at) * sizeof *hj->blocks);
  hj->block_count++;
  hj->blocks[at] = (struct history_block){.from_ms = from_ms, .whole = true};
}

/* The end of a piece that begins at `from`: runs of one moment stay together, since a block's bound is a moment. */
static size_t piece_end(const struct job *j, size_t from, size_t to)
{
  if (to - from <= BLOCK_RUNS_MAX)
    return to;
  size_t end = from + BLOCK_RUNS;
  while (end < to && j->runs[end].started_ms == j->runs[end - 1].started_ms)
    end++;
  return end;
}

/* Writes block `*at`, in several when it has grown; *at is then the last of them. */
static bool write_block(struct string_map *map, int64_t place_id, struct history_job *hj, size_t *at,
                        const struct job *j, size_t from, size_t to)
{
  int64_t lowest = hj->blocks[*at].from_ms;
  bool good = true;
  do {
    size_t end = piece_end(j, from, to);
    if (end < to) {
      /* The block keeps its number for its newest part; the rest becomes a block behind it. */
      hj->blocks[*at].from_ms = j->runs[end - 1].started_ms;
      block_insert(hj, *at + 1, lowest);
    }
    good = write_piece(map, place_id, hj, *at, j, from, end);
    *at += end < to ? 1u : 0u;
    from = end;
  } while (good && from < to);
  return good;
}

static bool write_runs(struct string_map *map, int64_t place_id, struct history_job *hj, const struct job *j)
{
  if (j->changed_from_ms > j->changed_to_ms)
    return true;
  if (hj->block_count == 0)
    block_insert(hj, 0, INT64_MIN);
  bool good = true;
  for (size_t k = 0; good && k < hj->block_count; k++) {
    bool newest = k == 0;
    int64_t upper = newest ? INT64_MAX : hj->blocks[k - 1].from_ms;
    int64_t lower = hj->blocks[k].from_ms;
    if (lower > j->changed_to_ms || (!newest && upper <= j->changed_from_ms))
      continue;
    size_t from = newest ? 0 : runs_before(j, upper);
    size_t to = lower == INT64_MIN ? j->run_count : runs_before(j, lower);
    good = write_block(map, place_id, hj, &k, j, from, to);
  }
  return good;
}

static bool write_job(struct history *h, struct model *m, int place, size_t index)
{
  struct history_place *hp = history_place(h, m, place);
  struct history_job *hj = history_job(hp, m, place, index);
  struct job *j = &m->places[place].jobs[index];
  struct string_map map = {.hp = hp, .m = m};
  struct buf record;
  buf_init(&record, BLOCK_BYTES_MAX);
  pack_job(&map, &record, j);
  uint64_t hash = history_record_hash(record.data, record.len, j->runs_fresh.fetched_ms);
  bool good = !map.failed;
  bool runs = hj->saved_generation != j->runs_generation;
  if (good && (runs || hash != hj->saved_hash)) {
    pack_job_news(&map, &record, j);
    good = !record.overflow &&
           store_job_put(hp->store, hp->id, &hj->id, &hj->version, model_str(m, j->name), &record) == STORE_OK;
    good = good && write_runs(&map, hp->id, hj, j) && !map.failed;
    h->figures.jobs_written++;
    h->figures.blocks_written += map.blocks_written;
  }
  if (good) {
    hj->saved_generation = j->runs_generation;
    hj->saved_hash = hash;
    j->changed_from_ms = INT64_MAX;
    j->changed_to_ms = INT64_MIN;
  }
  buf_fini(&record);
  return good;
}

static bool write_place(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  const struct place *p = &m->places[place];
  struct string_map map = {.hp = hp, .m = m};
  struct buf record;
  buf_init(&record, BLOCK_BYTES_MAX);
  pack_place(&map, &record, p);
  uint64_t hash = place_hash(&record, p);
  bool good = !map.failed;
  if (good && hash != hp->saved_hash) {
    pack_i64(&record, p->jobs_fresh.fetched_ms);
    pack_i64(&record, p->triggers_fresh.fetched_ms);
    good = !record.overflow && store_place_put(hp->store, hp->id, &record) == STORE_OK;
  }
  if (good) {
    hp->saved_hash = hash;
    hp->saved_jobs_ms = p->jobs_fresh.fetched_ms;
    hp->saved_triggers_ms = p->triggers_fresh.fetched_ms;
  }
  buf_fini(&record);
  return good;
}

/* The record of a job whose runs have not changed changes with its age only: looked at now and then, not in every flush. */
static bool job_is_due(const struct history_job *hj, const struct job *j)
{
  if (hj->saved_generation != j->runs_generation || hj->saved_hash == 0)
    return true;
  return hj->saved_age != (j->runs_fresh.fetched_ms == WHEN_NONE ? 0 : j->runs_fresh.fetched_ms / AGE_STEP_MS) ||
         hj->saved_definition != j->definition_fresh.fetched_ms / AGE_STEP_MS || hj->saved_gone != j->gone;
}

void history_job_done(struct history_job *hj, const struct job *j)
{
  hj->saved_age = j->runs_fresh.fetched_ms == WHEN_NONE ? 0 : j->runs_fresh.fetched_ms / AGE_STEP_MS;
  hj->saved_definition = j->definition_fresh.fetched_ms / AGE_STEP_MS;
  hj->saved_gone = j->gone;
}

/* The lists themselves: a reading of the triggers is worth a look at them, whatever the jobs do. */
static bool place_is_due(const struct history_place *hp, const struct place *p)
{
  return hp->saved_triggers_ms != p->triggers_fresh.fetched_ms ||
         hp->saved_jobs_ms / AGE_STEP_MS != p->jobs_fresh.fetched_ms / AGE_STEP_MS;
}

static bool flush_begin(struct history *h, struct model *m, int place, bool *good)
{
  *good = true;
  struct history_place *hp = history_place(h, m, place);
  enum store_result r = store_begin(hp->store);
  if (r == STORE_BUSY) {
    h->figures.busy++;
    return false;
  }
  const struct place *p = &m->places[place];
  struct store_place_key key = {
      .partition = p->partition, .account = p->account, .region = p->region, .endpoint = p->endpoint};
  *good = r == STORE_OK;
  if (*good && hp->id == 0)
    *good = store_place_get(hp->store, &key, true, &hp->id, NULL) == STORE_OK;
  if (*good && store_changed_by_others(hp->store))
    *good = history_learn_jobs(h, m, place);
  if (r == STORE_OK && !*good)
    store_rollback(hp->store);
  return *good;
}

bool history_flush(struct history *h, struct model *m, int place, unsigned jobs)
{
  struct history_place *hp = history_place(h, m, place);
  if (hp->store == NULL || !hp->writable || hp->painting || m->places[place].account[0] == '\0')
    return false;
  size_t count = m->places[place].job_count;
  size_t first = 0;
  while (first < count) {
    size_t i = (hp->flush_at + first) % count;
    if (job_is_due(history_job(hp, m, place, i), &m->places[place].jobs[i]))
      break;
    first++;
  }
  if (first == count && !place_is_due(hp, &m->places[place]))
    return false;
  bool good = true;
  if (!flush_begin(h, m, place, &good)) {
    if (!good)
      history_failed(h, hp, "could not be written");
    return hp->writable;
  }
  hp = history_place(h, m, place);
  size_t at = count == 0 ? 0 : (hp->flush_at + first) % count;
  size_t looked = first;
  good = write_place(h, m, place);
  for (; good && looked < count && jobs > 0; looked++, at = (at + 1) % count) {
    struct history_job *hj = history_job(hp, m, place, at);
    const struct job *j = &m->places[place].jobs[at];
    if (!job_is_due(hj, j))
      continue;
    good = write_job(h, m, place, at);
    history_job_done(hj, j);
    jobs--;
  }
  hp->flush_at = at;
  good = good && store_commit(hp->store) == STORE_OK;
  if (!good) {
    store_rollback(hp->store);
    history_failed(h, hp, "could not be written");
  }
  return good && looked < count;
}
