/* From the store into the model. */
#include "sync/history_private.h"

#include <stdlib.h>
#include "base/xalloc.h"

#define FIRST_RUNS    16  /* of each job, for the first frame */
#define RUN_BYTES_MAX 160 /* of a packed run: every number at its longest */
#define HEAD_BYTES    (FIRST_RUNS * 100 + RUN_BYTES_MAX)

struct loader {
  struct history *h;
  struct model *m;
  int place;
  size_t *job_of; /* by the job's number within its place: index in the model + 1 */
  size_t job_of_count;
  bool changed_only;
  bool bad;
};

static size_t job_number(int64_t id)
{
  return (size_t)((uint64_t)id & ((UINT64_C(1) << 40) - 1));
}

static void loader_know(struct loader *l, int64_t id, size_t index)
{
  size_t number = job_number(id);
  if (number >= l->job_of_count) {
    size_t count = number + number / 2 + 64;
    l->job_of = xreallocarray(l->job_of, count, sizeof *l->job_of);
    for (; l->job_of_count < count; l->job_of_count++)
      l->job_of[l->job_of_count] = 0;
  }
  l->job_of[number] = index + 1;
}

static void load_job(void *user, const struct store_job *sj)
{
  struct loader *l = user;
  strid name = strpool_put_n(l->m->strings, sj->name == NULL ? "" : sj->name, sj->name_len);
  struct job *j = model_touch_job(l->m, l->place, model_str(l->m, name));
  size_t index = (size_t)(j - l->m->places[l->place].jobs);
  struct history_place *hp = history_place(l->h, l->m, l->place);
  struct history_job *hj = history_job(hp, l->m, l->place, index);
  if (l->changed_only && hj->id == sj->id && hj->version == sj->version)
    return;
  hj->id = sj->id;
  hj->version = sj->version;
  hj->block_count = 0;
  loader_know(l, sj->id, index);
  if (!unpack_job(l->h, l->m, l->place, name, sj->data, sj->len))
    l->bad = true;
}

static void load_block(void *user, const struct store_block *sb)
{
  struct loader *l = user;
  size_t number = job_number(sb->job);
  if (number >= l->job_of_count || l->job_of[number] == 0)
    return;
  struct history_place *hp = history_place(l->h, l->m, l->place);
  struct history_job *hj = history_job(hp, l->m, l->place, l->job_of[number] - 1);
  hj->blocks = xgrow(hj->blocks, &hj->block_cap, hj->block_count + 1, sizeof *hj->blocks);
  hj->blocks[hj->block_count++] = (struct history_block){.id = sb->id, .from_ms = sb->from_ms};
}

static int block_newest_first(const void *a, const void *b)
{
  const struct history_block *left = a;
  const struct history_block *right = b;
  return (left->from_ms < right->from_ms) - (left->from_ms > right->from_ms);
}

/* Runs that cannot be read must not look as if they had been: the jobs concerned are read from the service anew. */
static void loader_give_up(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  for (size_t i = 0; i < hp->job_count; i++) {
    struct history_job *hj = &hp->jobs[i];
    bool whole = true;
    for (size_t k = 0; k < hj->block_count; k++)
      whole = whole && hj->blocks[k].whole;
    struct job *j = &m->places[place].jobs[i];
    if (whole)
      continue;
    j->read_count = 0;
    j->read_to_end = false;
    j->top_read_ms = WHEN_NONE;
  }
  hp->painting = false;
  history_failed(h, "is damaged");
}

static void block_adopt(struct history *h, struct model *m, int place, size_t job, struct history_block *hb,
                        size_t count)
{
  model_adopt_runs(m, place, m->places[place].jobs[job].name, h->scratch, count);
  hb->painted += (unsigned)count;
  h->figures.runs_painted += count;
  h->figures.blocks_read++;
}

bool history_paint_block(struct history *h, struct model *m, int place, size_t job, size_t block)
{
  struct history_place *hp = history_place(h, m, place);
  struct history_block *hb = &history_job(hp, m, place, job)->blocks[block];
  size_t count = 0;
  buf_reset(&h->block);
  bool good = store_block_get(h->store, hb->id, &h->block) == STORE_OK && !h->block.overflow;
  struct unpack u = unpack_begin(h->block.data, h->block.len);
  for (unsigned skip = hb->painted; good && skip > 0 && unpack_more(&u); skip--) {
    struct run r;
    good = unpack_run(h, &u, &r);
  }
  while (good && unpack_more(&u)) {
    h->scratch = xgrow(h->scratch, &h->scratch_cap, count + 1, sizeof *h->scratch);
    good = unpack_run(h, &u, &h->scratch[count++]);
  }
  if (good) {
    block_adopt(h, m, place, job, hb, count);
    hb->whole = true;
  }
  return good;
}

/* The newest few runs of a job, from the beginning of its newest block. */
static bool paint_head(struct history *h, struct model *m, int place, size_t job)
{
  struct history_place *hp = history_place(h, m, place);
  struct history_block *hb = &history_job(hp, m, place, job)->blocks[0];
  unsigned char head[HEAD_BYTES];
  size_t len = sizeof head;
  size_t count = 0;
  bool whole = false;
  if (store_block_head(h->store, hb->id, head, &len, &whole) != STORE_OK)
    return false;
  struct unpack u = unpack_begin(head, len);
  h->scratch = xgrow(h->scratch, &h->scratch_cap, FIRST_RUNS, sizeof *h->scratch);
  /* What is cut off at the end of the head is read with the rest. */
  while (count < FIRST_RUNS && unpack_more(&u) && (whole || (size_t)(u.end - u.at) >= RUN_BYTES_MAX))
    if (!unpack_run(h, &u, &h->scratch[count++]))
      return false;
  block_adopt(h, m, place, job, hb, count);
  hb->whole = whole && !unpack_more(&u);
  return true;
}

static bool load_jobs(struct loader *l, int64_t place_id)
{
  if (store_each_job(l->h->store, place_id, load_job, l) == STORE_FAILED || l->bad)
    return false;
  if (store_each_block(l->h->store, place_id, load_block, l) == STORE_FAILED)
    return false;
  struct history_place *hp = history_place(l->h, l->m, l->place);
  for (size_t i = 0; i < l->job_of_count; i++) {
    if (l->job_of[i] == 0)
      continue;
    struct history_job *hj = &hp->jobs[l->job_of[i] - 1];
    if (hj->block_count > 1)
      qsort(hj->blocks, hj->block_count, sizeof *hj->blocks, block_newest_first);
  }
  return true;
}

static void job_is_saved(struct history_place *hp, const struct model *m, int place, size_t index)
{
  hp->jobs[index].saved_generation = m->places[place].jobs[index].runs_generation;
}

void history_paint(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  if (h->store == NULL || hp->known)
    return;
  hp->known = true;
  hp->epoch = m->places[place].epoch;
  const struct place *p = &m->places[place];
  struct store_place_key key = {
      .partition = p->partition, .account = p->account, .region = p->region, .endpoint = p->endpoint};
  struct loader l = {.h = h, .m = m, .place = place};
  struct buf data;
  buf_init(&data, BLOCK_BYTES_MAX);
  bool reading = store_begin_reading(h->store) == STORE_OK;
  enum store_result found = store_place_get(h->store, &key, false, &hp->id, &data);
  bool good = found == STORE_OK && strings_read(h, m) && unpack_place(h, m, place, data.data, data.len) &&
              load_jobs(&l, hp->id);
  hp = history_place(h, m, place);
  for (size_t i = 0; good && i < hp->job_count; i++) {
    if (hp->jobs[i].block_count == 0)
      continue;
    good = paint_head(h, m, place, i);
    hp->painting = true;
  }
  store_head_end(h->store);
  if (reading)
    store_commit(h->store);
  for (size_t i = 0; i < hp->job_count; i++)
    job_is_saved(hp, m, place, i);
  if (!good && found == STORE_OK)
    loader_give_up(h, m, place);
  else if (found == STORE_FAILED)
    history_failed(h, "cannot be read");
  free(l.job_of);
  buf_fini(&data);
  model_touch(m);
}

/* The newest block of every job first, then job by job into the past, so that runs are appended and never moved. */
bool history_step(struct history *h, struct model *m, unsigned blocks)
{
  bool reading = history_is_painting(h) && store_begin_reading(h->store) == STORE_OK;
  for (size_t i = 0; i < h->place_count; i++) {
    struct history_place *hp = history_place(h, m, (int)i);
    while (hp->painting && blocks > 0) {
      if (hp->paint_at >= hp->job_count) {
        hp->painting = false;
        break;
      }
      struct history_job *hj = &hp->jobs[hp->paint_at];
      size_t k = 0;
      while (k < hj->block_count && hj->blocks[k].whole)
        k++;
      if (k == hj->block_count) {
        hp->paint_at++;
        continue;
      }
      bool clean = hj->saved_generation == m->places[i].jobs[hp->paint_at].runs_generation;
      if (!history_paint_block(h, m, (int)i, hp->paint_at, k)) {
        loader_give_up(h, m, (int)i);
        break;
      }
      if (clean)
        job_is_saved(hp, m, (int)i, hp->paint_at);
      blocks--;
    }
  }
  if (reading)
    store_commit(h->store);
  return history_is_painting(h);
}

/* Within a write transaction: what another program wrote since is read before anything is written over it. */
bool history_learn_jobs(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  struct loader l = {.h = h, .m = m, .place = place, .changed_only = true};
  bool good = strings_read(h, m) && store_each_job(h->store, hp->id, load_job, &l) != STORE_FAILED && !l.bad;
  hp = history_place(h, m, place);
  for (size_t i = 0; good && i < l.job_of_count; i++) {
    if (l.job_of[i] == 0)
      continue;
    size_t index = l.job_of[i] - 1;
    struct history_job *hj = &hp->jobs[index];
    good = store_each_block_of(h->store, hp->id, hj->id, load_block, &l) == STORE_OK;
    if (hj->block_count > 1)
      qsort(hj->blocks, hj->block_count, sizeof *hj->blocks, block_newest_first);
    for (size_t k = 0; good && k < hj->block_count; k++)
      good = history_paint_block(h, m, place, index, k);
  }
  free(l.job_of);
  return good;
}
