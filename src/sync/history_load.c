/* From the store into the model. */
#include "sync/history_private.h"

#include <stdlib.h>
#include "base/xalloc.h"

/* Room is made at one go for as many runs as a job's record promises, up to what no job has. */
#define PROMISED_RUNS_MAX ((size_t)1 << 20)

struct loader {
  struct history *h;
  struct model *m;
  int place;
  struct history_place *hp;
  size_t *job_of; /* by the job's number within its place: index in the model + 1 */
  size_t job_of_count;
  bool changed_only;
  bool bad;
};

static size_t job_number(int64_t id)
{
  return (size_t)((uint64_t)id & ((UINT64_C(1) << 40) - 1));
}

/* The number comes from the file: one that no file of ours would hold is not worth its memory. */
static bool loader_know(struct loader *l, int64_t id, size_t index)
{
  size_t number = job_number(id);
  if (number > (size_t)1 << 24)
    return false;
  if (number >= l->job_of_count) {
    size_t count = number + number / 2 + 64;
    l->job_of = xreallocarray(l->job_of, count, sizeof *l->job_of);
    for (; l->job_of_count < count; l->job_of_count++)
      l->job_of[l->job_of_count] = 0;
  }
  l->job_of[number] = index + 1;
  return true;
}

/* The newest runs, which stand in the job's own record. */
static bool load_news(struct loader *l, strid name, struct job_record *r)
{
  size_t count = r->news_count;
  if (count == 0 || l->changed_only)
    return true;
  /* No more room than for these, so that the runs of the first frame lie close together. */
  struct run *room = model_room_behind(l->m, l->place, name, count);
  if (room == NULL || unpack_runs(l->hp, &r->news, room, count) != count)
    return false;
  model_adopt_runs(l->m, l->place, name, room, count);
  l->h->figures.runs_painted += count;
  return true;
}

static void load_job(void *user, const struct store_job *sj)
{
  struct loader *l = user;
  strid name = strpool_put_n(l->m->strings, sj->name == NULL ? "" : sj->name, sj->name_len);
  struct job *j = model_touch_job(l->m, l->place, model_str(l->m, name));
  size_t index = (size_t)(j - l->m->places[l->place].jobs);
  struct history_job *hj = history_job(l->hp, l->m, l->place, index);
  if (l->changed_only && hj->id == sj->id && hj->version == sj->version)
    return;
  struct job_record record = {.runs = 0};
  hj->id = sj->id;
  hj->version = sj->version;
  hj->block_count = 0;
  l->bad = l->bad || !loader_know(l, sj->id, index) ||
           !unpack_job(l->hp, l->m, l->place, name, sj->data, sj->len, &record) || !load_news(l, name, &record);
  if (l->changed_only)
    return;
  hj->runs = record.runs;
  hj->news = record.news_count;
  hj->saved_hash = record.saved_hash;
  history_job_done(hj, model_job(l->m, l->place, name));
}

static void load_block(void *user, const struct store_block *sb)
{
  struct loader *l = user;
  size_t number = job_number(sb->job);
  if (number >= l->job_of_count || l->job_of[number] == 0)
    return;
  struct history_job *hj = history_job(l->hp, l->m, l->place, l->job_of[number] - 1);
  hj->blocks = xgrow(hj->blocks, &hj->block_cap, hj->block_count + 1, sizeof *hj->blocks);
  hj->blocks[hj->block_count++] =
      (struct history_block){.id = sb->id, .from_ms = sb->from_ms, .whole = hj->runs > 0 && hj->runs == hj->news};
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
  for (size_t i = 0; i < m->places[place].job_count; i++) {
    struct history_job *hj = history_job(hp, m, place, i);
    bool whole = hj->block_count > 0;
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
  history_failed(h, hp, "is damaged");
}

struct block_reader {
  struct model *m;
  struct history *h;
  const struct history_place *hp;
  int place;
  strid job;
  size_t runs; /* that the job's record promises; 0: unknown */
  size_t news; /* of them in the model, from the record, and at the head of this block too */
};

/* Chunk by chunk, wherever they belong. */
static bool take_singly(struct block_reader *r, struct unpack *u)
{
  struct run chunk[64];
  while (unpack_more(u)) {
    size_t count = unpack_runs(r->hp, u, chunk, sizeof chunk / sizeof chunk[0]);
    model_adopt_runs(r->m, r->place, r->job, chunk, count);
    r->h->figures.runs_painted += count;
  }
  return !u->bad;
}

/* The runs that the job has already are left out. Should another program have changed the block meanwhile, or an answer have come
 * first, all of it is put run by run. */
static bool skip_news(const struct block_reader *r, struct unpack *u)
{
  struct run news[NEWS_RUNS];
  const struct job *j = model_job(r->m, r->place, r->job);
  struct unpack begin = *u;
  bool same = unpack_runs(r->hp, u, news, r->news) == r->news && j->run_count >= r->news;
  for (size_t i = 0; same && i < r->news; i++)
    same = run_same_id(&j->runs[i], &news[i]);
  if (!same && !u->bad)
    *u = begin;
  return same;
}

static bool take_block(void *user, const void *data, size_t len)
{
  struct block_reader *r = user;
  struct unpack u = unpack_begin(data, len);
  bool straight = skip_news(r, &u) && !u.bad;
  size_t had = model_job(r->m, r->place, r->job)->run_count;
  if (straight && r->runs > had) {
    /* To where they are going to stay. */
    size_t most = r->runs - had;
    struct run *room = model_room_behind(r->m, r->place, r->job, most);
    size_t count = unpack_runs(r->hp, &u, room, most);
    model_adopt_runs(r->m, r->place, r->job, room, count);
    r->h->figures.runs_painted += count;
  }
  return take_singly(r, &u);
}

bool history_paint_block(struct history *h, struct model *m, int place, size_t job, size_t block)
{
  struct history_place *hp = history_place(h, m, place);
  struct history_job *hj = history_job(hp, m, place, job);
  struct block_reader r = {.m = m,
                           .h = h,
                           .hp = hp,
                           .place = place,
                           .job = m->places[place].jobs[job].name,
                           .runs = hj->runs > PROMISED_RUNS_MAX ? 0 : hj->runs,
                           .news = block == 0 ? hj->news : 0};
  if (store_block_use(hp->store, hj->blocks[block].id, take_block, &r) != STORE_OK)
    return false;
  h->figures.blocks_read++;
  hj->blocks[block].whole = true;
  return true;
}

static bool load_jobs(struct loader *l)
{
  return store_each_job(l->hp->store, l->hp->id, load_job, l) != STORE_FAILED && !l->bad;
}

/* Where the older runs are: asked when the first frame is out. */
static bool load_blocks(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  struct loader l = {.h = h, .m = m, .place = place, .hp = hp};
  bool good = true;
  for (size_t i = 0; good && i < hp->job_count; i++)
    good = hp->jobs[i].id == 0 || loader_know(&l, hp->jobs[i].id, i);
  good = good && store_each_block(hp->store, hp->id, load_block, &l) != STORE_FAILED;
  for (size_t i = 0; good && i < hp->job_count; i++)
    if (hp->jobs[i].block_count > 1)
      qsort(hp->jobs[i].blocks, hp->jobs[i].block_count, sizeof *hp->jobs[i].blocks, block_newest_first);
  hp->blocks_known = true;
  free(l.job_of);
  return good;
}

/* Unless an answer came before the paint, which is still to be written. */
static void job_is_saved(struct history_place *hp, const struct model *m, int place, size_t index)
{
  const struct job *j = &m->places[place].jobs[index];
  if (j->changed_from_ms > j->changed_to_ms)
    hp->jobs[index].saved_generation = j->runs_generation;
}

static bool get_place(void *user, const void *data, size_t len)
{
  const struct loader *l = user;
  return unpack_place(l->hp, l->m, l->place, data, len);
}

void history_paint(struct history *h, struct model *m, int place)
{
  if (!history_begin(h, m, place))
    return;
  struct history_place *hp = history_place(h, m, place);
  const struct place *p = &m->places[place];
  struct store_place_key key = {
      .partition = p->partition, .account = p->account, .region = p->region, .endpoint = p->endpoint};
  struct loader l = {.h = h, .m = m, .place = place, .hp = hp};
  struct buf data;
  buf_init(&data, BLOCK_BYTES_MAX);
  bool reading = store_begin_reading(hp->store) == STORE_OK;
  enum store_result found = store_place_get(hp->store, &key, false, &hp->id, &data);
  bool good = found == STORE_OK && strings_read(hp, m) && get_place(&l, data.data, data.len) && load_jobs(&l);
  if (reading)
    store_commit(hp->store);
  for (size_t i = 0; i < hp->job_count; i++)
    job_is_saved(hp, m, place, i);
  hp->painting = good && hp->job_count > 0;
  if (!good && found == STORE_OK)
    loader_give_up(h, m, place);
  else if (found == STORE_FAILED)
    history_failed(h, hp, "cannot be read");
  if (!hp->painting)
    store_shrink(hp->store);
  free(l.job_of);
  buf_fini(&data);
  model_touch(m);
}

/* The next block of the place; false when there is none. */
static bool paint_next(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  for (; hp->paint_at < hp->job_count; hp->paint_at++) {
    struct history_job *hj = &hp->jobs[hp->paint_at];
    size_t k = 0;
    while (k < hj->block_count && hj->blocks[k].whole)
      k++;
    if (k == hj->block_count)
      continue;
    bool clean = hj->saved_generation == m->places[place].jobs[hp->paint_at].runs_generation;
    if (!history_paint_block(h, m, place, hp->paint_at, k))
      loader_give_up(h, m, place);
    else if (clean)
      job_is_saved(hp, m, place, hp->paint_at);
    return hp->painting;
  }
  hp->painting = false;
  return false;
}

/* The newest block of every job first, then job by job into the past, so that runs are appended and never moved. */
bool history_step(struct history *h, struct model *m, unsigned blocks)
{
  for (size_t i = 0; i < h->place_count; i++) {
    struct history_place *hp = history_place(h, m, (int)i);
    if (!hp->painting || blocks == 0)
      continue;
    bool reading = store_begin_reading(hp->store) == STORE_OK;
    /* another program may have written since, runs with texts of its own */
    if (!strings_read(hp, m) || (!hp->blocks_known && !load_blocks(h, m, (int)i)))
      loader_give_up(h, m, (int)i);
    while (hp->painting && blocks > 0 && paint_next(h, m, (int)i))
      blocks--;
    if (reading)
      store_commit(hp->store);
    if (!hp->painting) {
      store_shrink(hp->store);
      xalloc_trim();
    }
  }
  return history_is_painting(h);
}

/* Within a write transaction: what another program wrote since is read before anything is written over it. */
bool history_learn_jobs(struct history *h, struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  struct loader l = {.h = h, .m = m, .place = place, .hp = hp, .changed_only = true};
  bool good = strings_read(hp, m) && store_each_job(hp->store, hp->id, load_job, &l) != STORE_FAILED && !l.bad;
  for (size_t i = 0; good && i < l.job_of_count; i++) {
    if (l.job_of[i] == 0)
      continue;
    size_t index = l.job_of[i] - 1;
    struct history_job *hj = &hp->jobs[index];
    good = store_each_block_of(hp->store, hp->id, hj->id, load_block, &l) == STORE_OK;
    if (hj->block_count > 1)
      qsort(hj->blocks, hj->block_count, sizeof *hj->blocks, block_newest_first);
    for (size_t k = 0; good && k < hj->block_count; k++)
      good = history_paint_block(h, m, place, index, k);
  }
  free(l.job_of);
  return good;
}
