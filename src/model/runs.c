/* The runs of a job: packed, newest first, found by id without a hash handle each.
 *
 * A run is found by binary search on (StartedOn, id), which is what nearly every update brings. Should StartedOn be absent or have
 * changed, it is found by its id alone in a scan; a Bloom filter of 8 to 16 bits a run answers "never seen" for new runs, so that
 * reading a long history does not scan it for each of its runs. The array has room at both ends: new runs arrive at the front,
 * old ones at the back, and neither moves the rest. The room is small, since an account has thousands of such arrays: who brings many
 * runs says so first (model_expect_runs). */
#include "model/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/mask.h"

struct run_shelf {
  struct run *block; /* the allocation; job->runs points into it */
  size_t cap;
  size_t front; /* free places before job->runs */
  uint64_t *filter;
  size_t filter_words; /* a power of two */
  size_t filter_ids;
};

#define SHELF_ROOM         ((size_t)4) /* free places at least, when an array is made larger for one run */
#define SHELF_SHARE        32          /* ... or that part of its runs */
#define FILTER_WORD_BITS   ((size_t)64)
#define FILTER_BITS_PER_ID ((size_t)8)
#define FILTER_PROBES      5

/* --- order ----------------------------------------------------------------------------------------------------------- */

static int run_compare_id(const struct strpool *strings, const struct run *a, const struct run *b)
{
  bool hex = run_id_is_hex(a);
  int c = 0;
  if (hex != run_id_is_hex(b))
    return hex ? -1 : 1;
  if (hex) {
    c = memcmp(a->id_bytes, b->id_bytes, sizeof a->id_bytes);
  } else if (a->id_text != b->id_text) {
    const char *left = strpool_get(strings, a->id_text);
    const char *right = strpool_get(strings, b->id_text);
    c = strcmp(left == NULL ? "" : left, right == NULL ? "" : right);
  }
  /* A retry is newer than the run it retries, whatever the clock says. */
  if (c == 0)
    c = (int)b->id_attempt - (int)a->id_attempt;
  if (c == 0)
    c = (int)b->id_form - (int)a->id_form;
  return c;
}

/* Below zero: a comes before b in the list, which is newest first. */
static int run_compare(const struct strpool *strings, const struct run *a, const struct run *b)
{
  if (a->started_ms != b->started_ms)
    return a->started_ms > b->started_ms ? -1 : 1;
  return run_compare_id(strings, a, b);
}

/* Where r stands, or where it belongs. */
static size_t job_run_position(const struct model *m, const struct job *j, const struct run *r, bool *found)
{
  size_t low = 0;
  size_t high = j->run_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int c = run_compare(m->strings, &j->runs[middle], r);
    if (c == 0) {
      *found = true;
      return middle;
    }
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *found = false;
  return low;
}

/* --- filter ---------------------------------------------------------------------------------------------------------- */

static uint64_t run_id_hash(const struct run *r)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof r->id_bytes; i++)
    h = (h ^ r->id_bytes[i]) * UINT64_C(1099511628211);
  h = (h ^ ((uint64_t)r->id_attempt << 8 | r->id_form)) * UINT64_C(1099511628211);
  h ^= h >> 31;
  h *= UINT64_C(0x7fb5d329728ea185);
  return h ^ h >> 29;
}

static bool filter_touch(struct run_shelf *s, uint64_t hash, bool set)
{
  uint32_t step = (uint32_t)(hash >> 32) | 1;
  uint32_t at = (uint32_t)hash;
  size_t mask = s->filter_words * FILTER_WORD_BITS - 1;
  for (int i = 0; i < FILTER_PROBES; i++, at += step) {
    size_t bit = at & mask;
    uint64_t flag = UINT64_C(1) << (bit % FILTER_WORD_BITS);
    if (set)
      s->filter[bit / FILTER_WORD_BITS] |= flag;
    else if ((s->filter[bit / FILTER_WORD_BITS] & flag) == 0)
      return false;
  }
  return true;
}

/* Runs that came from the store are only counted: the filter takes them in when the first question comes. */
static void filter_fill(const struct job *j, size_t ids)
{
  struct run_shelf *s = j->shelf;
  size_t words = s->filter_words == 0 ? 2 : s->filter_words;
  while (ids * FILTER_BITS_PER_ID > words * FILTER_WORD_BITS)
    words *= 2;
  free(s->filter);
  s->filter = xcalloc(words, sizeof *s->filter);
  s->filter_words = words;
  for (size_t i = 0; i < j->run_count; i++)
    filter_touch(s, run_id_hash(&j->runs[i]), true);
  s->filter_ids = j->run_count;
}

static bool filter_may_have(const struct job *j, const struct run *r)
{
  if (j->shelf == NULL || j->run_count == 0)
    return false;
  if (j->shelf->filter_ids < j->run_count)
    filter_fill(j, j->run_count);
  return filter_touch(j->shelf, run_id_hash(r), false);
}

static void filter_add(struct job *j, const struct run *r)
{
  struct run_shelf *s = j->shelf;
  if (s->filter == NULL || (s->filter_ids + 1) * FILTER_BITS_PER_ID > s->filter_words * FILTER_WORD_BITS) {
    filter_fill(j, j->run_count + j->run_count / 8);
    return;
  }
  filter_touch(s, run_id_hash(r), true);
  s->filter_ids++;
}

static size_t job_run_find_id(const struct job *j, const struct run *r, bool *found)
{
  *found = false;
  if (!filter_may_have(j, r))
    return 0;
  for (size_t i = 0; i < j->run_count; i++)
    if (run_same_id(&j->runs[i], r)) {
      *found = true;
      return i;
    }
  return 0;
}

/* --- the array ------------------------------------------------------------------------------------------------------- */

static struct run_shelf *job_shelf(struct job *j)
{
  if (j->shelf == NULL)
    j->shelf = xcalloc(1, sizeof *j->shelf);
  return j->shelf;
}

/* For one more run at either end. */
static void shelf_make_room(struct job *j)
{
  struct run_shelf *s = job_shelf(j);
  bool back_full = s->front + j->run_count == s->cap;
  if (s->front > 0 && !back_full)
    return;
  size_t room = j->run_count / SHELF_SHARE + SHELF_ROOM;
  size_t cap = j->run_count + room;
  size_t front = room / 2;
  struct run *block = xreallocarray(NULL, cap, sizeof *block);
  if (j->run_count > 0)
    memcpy(block + front, j->runs, j->run_count * sizeof *block);
  free(s->block);
  s->block = block;
  s->cap = cap;
  s->front = front;
  j->runs = block + front;
}

/* For so many older runs, and no more. */
static void shelf_make_room_behind(struct job *j, size_t count)
{
  struct run_shelf *s = job_shelf(j);
  if (s->front + j->run_count + count <= s->cap)
    return;
  if (s->block == NULL)
    s->front = 1;
  s->cap = s->front + j->run_count + count + 1;
  s->block = xreallocarray(s->block, s->cap, sizeof *s->block);
  j->runs = s->block + s->front;
}

static void job_run_insert(struct job *j, size_t at, const struct run *r)
{
  shelf_make_room(j);
  struct run_shelf *s = j->shelf;
  if (at < j->run_count / 2 || s->front + j->run_count == s->cap) {
    if (at > 0)
      memmove(j->runs - 1, j->runs, at * sizeof *j->runs);
    j->runs--;
    s->front--;
  } else if (at < j->run_count) {
    memmove(j->runs + at + 1, j->runs + at, (j->run_count - at) * sizeof *j->runs);
  }
  j->runs[at] = *r;
  j->run_count++;
}

static void job_run_take_out(struct job *j, size_t at)
{
  memmove(j->runs + at, j->runs + at + 1, (j->run_count - at - 1) * sizeof *j->runs);
  j->run_count--;
}

void job_runs_fini(struct job *j)
{
  if (j->shelf != NULL) {
    free(j->shelf->block);
    free(j->shelf->filter);
    free(j->shelf);
  }
  j->shelf = NULL;
  j->runs = NULL;
  j->run_count = 0;
  j->run_live = 0;
  j->longest_ms = 0;
}

/* --- putting --------------------------------------------------------------------------------------------------------- */

int32_t model_number(int64_t v)
{
  if (v < 0)
    return -1; /* absent, or nonsense that is no better than absent */
  return v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

int64_t model_moment(int64_t ms)
{
  return ms >= MOMENT_FIRST && ms <= MOMENT_LAST ? ms : WHEN_NONE;
}

double model_size(double value, double most)
{
  return value >= 0 && value <= most ? value : (double)NAN;
}

static enum execution_class class_parse(const char *word)
{
  if (word == NULL || word[0] == '\0' || strcmp(word, "STANDARD") == 0)
    return CLASS_STANDARD;
  return strcmp(word, "FLEX") == 0 ? CLASS_FLEX : CLASS_OTHER;
}

/* A failed query tells its URL, password and all: the text is kept as it may be shown, so that nobody has to remember to mask it. */
static strid error_strid(struct model *m, const char *text)
{
  /* Most failures say what others said: a text that was kept as it is needs no second look. */
  strid known = text != NULL ? strpool_find(m->strings, text) : 0;
  if (known != 0)
    return known;
  if (text == NULL || !mask_is_secret(NULL, text))
    return strpool_put(m->strings, text);
  struct buf shown;
  buf_init(&shown, SIZE_MAX);
  mask_append(&shown, NULL, text);
  strid id = strpool_put(m->strings, shown.data);
  buf_fini(&shown);
  return id;
}

static void run_pack(struct model *m, const struct job *j, const struct run_data *d, int64_t asked_ms, struct run *r)
{
  memset(r, 0, sizeof *r);
  run_set_id(r, m->strings, d->id);
  enum run_state state = run_state_parse(d->state);
  r->state = (uint8_t)state;
  r->started_ms = model_moment(d->started_ms);
  r->modified_ms = model_moment(d->modified_ms);
  r->completed_ms = WHEN_NONE;
  r->first_running_ms = WHEN_NONE;
  r->fetched_ms = asked_ms;
  r->max_capacity = model_size(d->max_capacity, SIZE_DPU_MAX);
  r->dpu_seconds = model_size(d->dpu_seconds, SIZE_DPU_SECONDS_MAX);
  r->execution_seconds = model_number(d->execution_seconds);
  r->timeout_minutes = model_number(d->timeout_minutes);
  r->workers = d->workers > SIZE_WORKERS_MAX ? -1 : model_number(d->workers);
  int64_t attempt = d->attempt >= 0 ? d->attempt : r->id_attempt;
  r->attempt = attempt > INT16_MAX ? INT16_MAX : (int16_t)attempt;
  r->execution_class = (unsigned)class_parse(d->execution_class) & 15u;
  r->bookmark = (unsigned)d->bookmark & 15u;
  if (d->auto_scaling_given)
    r->flags |= d->auto_scaling ? RUN_FLAG_AUTO_SCALING_GIVEN | RUN_FLAG_AUTO_SCALING : RUN_FLAG_AUTO_SCALING_GIVEN;
  else if (j->auto_scaling == TRI_TRUE)
    r->flags |= RUN_FLAG_AUTO_SCALING;
  if (d->queuing == TRI_TRUE)
    r->flags |= RUN_FLAG_QUEUING;
  if (d->bookmark != BOOKMARK_ABSENT)
    r->flags |= RUN_FLAG_BOOKMARK_GIVEN;
  if (run_state_info(state)->finished) {
    r->completed_ms = model_moment(d->completed_ms);
    if (r->completed_ms == WHEN_NONE && r->modified_ms != WHEN_NONE) {
      r->completed_ms = r->modified_ms;
      r->flags |= RUN_FLAG_COMPLETED_GUESSED;
    }
  }
  if (state == RUN_STATE_UNKNOWN)
    r->state_text = strpool_put(m->strings, d->state);
  r->state_detail = strpool_put(m->strings, d->state_detail);
  r->error = error_strid(m, d->error);
  r->worker_type = strpool_put(m->strings, d->worker_type);
  r->glue_version = strpool_put(m->strings, d->glue_version);
  r->trigger = strpool_put(m->strings, d->trigger);
  r->previous_run_id = strpool_put(m->strings, d->previous_run_id);
}

/* An answer that was on its way while a newer one was read, or that came from a replica that lags. */
static bool run_is_stale(const struct run *have, const struct run *come)
{
  /* A service that insists for a minute is believed, whatever its LastModifiedOn says. */
  if (come->fetched_ms > have->fetched_ms && come->fetched_ms - have->fetched_ms > WHEN_MINUTE)
    return false;
  if (have->modified_ms != WHEN_NONE && come->modified_ms != WHEN_NONE && come->modified_ms != have->modified_ms)
    return come->modified_ms < have->modified_ms;
  if (come->fetched_ms != have->fetched_ms)
    return come->fetched_ms < have->fetched_ms;
  return run_finished(have) && !run_finished(come); /* told twice in one answer: the end is the later word */
}

/* What an answer leaves out does not undo what an earlier one said about the same run. */
static void run_keep_known(const struct run *have, struct run *come)
{
  if (come->started_ms == WHEN_NONE)
    come->started_ms = have->started_ms;
  if (come->modified_ms == WHEN_NONE)
    come->modified_ms = have->modified_ms;
  if (isnan(come->max_capacity))
    come->max_capacity = have->max_capacity;
  if (isnan(come->dpu_seconds))
    come->dpu_seconds = have->dpu_seconds;
  if (come->execution_seconds < 0)
    come->execution_seconds = have->execution_seconds;
  if (come->timeout_minutes < 0)
    come->timeout_minutes = have->timeout_minutes;
  if (come->workers < 0)
    come->workers = have->workers;
  if (come->worker_type == 0)
    come->worker_type = have->worker_type;
  if (come->glue_version == 0)
    come->glue_version = have->glue_version;
  if (come->trigger == 0)
    come->trigger = have->trigger;
  if (come->previous_run_id == 0)
    come->previous_run_id = have->previous_run_id;
  come->flags |= have->flags & RUN_FLAG_NEW;
  come->first_running_ms = have->first_running_ms;
  /* Only a change that we saw tells when it began to run: one that ran already when we first met it may have done so for hours. */
  if (come->first_running_ms == WHEN_NONE && come->state == RUN_RUNNING && have->state != RUN_RUNNING &&
      !run_finished(have))
    come->first_running_ms = come->fetched_ms;
}

static bool same_number(double a, double b)
{
  return isnan(a) ? isnan(b) : a == b;
}

/* Equal but for when we heard it. */
static bool run_shows_same(const struct run *a, const struct run *b)
{
  return a->state == b->state && a->started_ms == b->started_ms && a->modified_ms == b->modified_ms &&
         a->completed_ms == b->completed_ms && a->first_running_ms == b->first_running_ms &&
         same_number(a->max_capacity, b->max_capacity) && same_number(a->dpu_seconds, b->dpu_seconds) &&
         a->execution_seconds == b->execution_seconds && a->timeout_minutes == b->timeout_minutes &&
         a->workers == b->workers && a->attempt == b->attempt && a->execution_class == b->execution_class &&
         a->bookmark == b->bookmark && a->flags == b->flags && a->state_text == b->state_text &&
         a->state_detail == b->state_detail && a->error == b->error && a->worker_type == b->worker_type &&
         a->glue_version == b->glue_version && a->trigger == b->trigger && a->previous_run_id == b->previous_run_id;
}

static void job_range_changed(struct job *j, int64_t started_ms)
{
  if (started_ms < j->changed_from_ms)
    j->changed_from_ms = started_ms;
  if (started_ms > j->changed_to_ms)
    j->changed_to_ms = started_ms;
}

/* So that a window of time is answered from the newest runs alone; see model_runs_reach. */
static void job_note_length(struct job *j, const struct run *r)
{
  int64_t end = r->completed_ms != WHEN_NONE ? r->completed_ms : r->modified_ms;
  if (r->started_ms == WHEN_NONE || end == WHEN_NONE || end <= r->started_ms)
    return;
  uint64_t length = (uint64_t)end - (uint64_t)r->started_ms;
  if (length > j->longest_ms)
    j->longest_ms = length;
}

static void job_runs_changed(struct model *m, struct job *j)
{
  j->runs_generation++;
  m->places[j->place].runs_generation++;
  m->generation++;
}

static bool job_put(struct model *m, struct job *j, struct run *r)
{
  bool found;
  size_t at = job_run_position(m, j, r, &found);
  if (!found) {
    size_t by_id = job_run_find_id(j, r, &found);
    if (found)
      at = by_id;
  }
  if (!found) {
    job_note_length(j, r);
    job_run_insert(j, at, r);
    filter_add(j, r);
    j->run_live += run_finished(r) ? 0 : 1;
    job_range_changed(j, r->started_ms);
    job_runs_changed(m, j);
    /* One that began and ended between two readings is news; the history of a first reading is not. */
    if (run_finished(r) && j->top_read_ms != WHEN_NONE && r->completed_ms >= j->top_read_ms)
      notices_note_end(m, j, r);
    return true;
  }
  struct run *have = &j->runs[at];
  if (run_is_stale(have, r))
    return false;
  run_keep_known(have, r);
  job_note_length(j, r);
  bool changed = !run_shows_same(have, r);
  bool ended = run_finished(r) && !run_finished(have);
  if (run_finished(have) != run_finished(r))
    j->run_live = run_finished(r) ? j->run_live - 1 : j->run_live + 1;
  if (changed) {
    job_range_changed(j, have->started_ms);
    job_range_changed(j, r->started_ms);
  }
  if (have->started_ms == r->started_ms) {
    *have = *r;
  } else {
    job_run_take_out(j, at);
    at = job_run_position(m, j, r, &found);
    job_run_insert(j, at, r);
  }
  if (changed)
    job_runs_changed(m, j);
  if (ended)
    notices_note_end(m, j, r);
  return changed;
}

bool model_put_run(struct model *m, int place, strid job, const struct run_data *d, int64_t asked_ms, bool *changed)
{
  if (changed != NULL)
    *changed = false;
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL || d->id == NULL || d->id[0] == '\0')
    return false;
  if (d->job != NULL && strcmp(d->job, strpool_get(m->strings, job)) != 0)
    return false;
  struct run r;
  run_pack(m, j, d, asked_ms, &r);
  /* A run that turns up in a history that was read before has arrived since. */
  if (j->top_read_ms != WHEN_NONE && d->started_ms != WHEN_NONE && d->started_ms >= j->top_read_ms)
    r.flags |= RUN_FLAG_NEW;
  bool shows = job_put(m, j, &r);
  if (changed != NULL)
    *changed = shows;
  return true;
}

void model_put_packed_run(struct model *m, int place, strid job, const struct run *r)
{
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL)
    return;
  struct run copy = *r;
  job_put(m, j, &copy);
}

void model_expect_runs(struct model *m, int place, strid job, const struct run_data *runs, size_t count)
{
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL)
    return;
  int64_t oldest = j->run_count == 0 ? INT64_MAX : j->runs[j->run_count - 1].started_ms;
  size_t older = 0;
  for (size_t i = 0; i < count; i++)
    older += runs[i].started_ms < oldest ? 1 : 0;
  if (older > 1)
    shelf_make_room_behind(j, older);
}

struct run *model_room_behind(struct model *m, int place, strid job, size_t count)
{
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL)
    return NULL;
  shelf_make_room_behind(j, count);
  return j->runs + j->run_count;
}

/* Answers of the service came first: one by one then. What was stored is nothing new to the store. */
static void adopt_singly(struct model *m, struct job *j, const struct run *runs, size_t count)
{
  int64_t from = j->changed_from_ms;
  int64_t to = j->changed_to_ms;
  struct run *copies = xreallocarray(NULL, count, sizeof *copies); /* they may lie in the array that is going to move */
  memcpy(copies, runs, count * sizeof *copies);
  for (size_t i = 0; i < count; i++)
    job_put(m, j, &copies[i]);
  free(copies);
  j->changed_from_ms = from;
  j->changed_to_ms = to;
}

void model_adopt_runs(struct model *m, int place, strid job, const struct run *runs, size_t count)
{
  struct job *j = model_job_mutable(m, place, job);
  if (j == NULL || count == 0)
    return;
  if (j->run_count > 0 && run_compare(m->strings, &j->runs[j->run_count - 1], &runs[0]) >= 0) {
    adopt_singly(m, j, runs, count);
    return;
  }
  if (j->shelf == NULL || runs != j->runs + j->run_count) {
    shelf_make_room_behind(j, count);
    memcpy(j->runs + j->run_count, runs, count * sizeof *runs);
  }
  for (size_t i = 0; i < count; i++) {
    const struct run *r = &j->runs[j->run_count + i];
    j->run_live += run_finished(r) ? 0 : 1;
    job_note_length(j, r);
  }
  j->run_count += count;
  job_runs_changed(m, j);
}

size_t model_runs_reach(const struct job *j, int64_t since_ms)
{
  size_t low = 0, high = j->run_count;
  if (high == 0 || j->runs[high - 1].started_ms == WHEN_NONE)
    return high;
  /* What began before that moment had ended when the window began. */
  uint64_t above = (uint64_t)since_ms - (uint64_t)INT64_MIN;
  int64_t least = above > j->longest_ms ? since_ms - (int64_t)j->longest_ms : INT64_MIN;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (j->runs[middle].started_ms >= least)
      low = middle + 1;
    else
      high = middle;
  }
  size_t live = 0;
  for (size_t i = 0; i < low && live < j->run_live; i++)
    live += run_finished(&j->runs[i]) ? 0 : 1;
  return live < j->run_live ? j->run_count : low;
}

void job_runs_note_job(struct model *m, struct job *j)
{
  for (size_t i = 0; i < j->run_count; i++) {
    struct run *r = &j->runs[i];
    if ((r->flags & RUN_FLAG_AUTO_SCALING_GIVEN) != 0)
      continue;
    bool has = (r->flags & RUN_FLAG_AUTO_SCALING) != 0;
    if (has == (j->auto_scaling == TRI_TRUE))
      continue;
    job_range_changed(j, r->started_ms);
    r->flags ^= RUN_FLAG_AUTO_SCALING;
  }
  if (j->run_count > 0)
    job_runs_changed(m, j); /* what they cost hangs on the job as well */
}

const struct run *model_run(const struct model *m, int place, strid job, const char *run_id)
{
  const struct job *j = model_job(m, place, job);
  struct run key = {0};
  if (j == NULL || run_id == NULL || run_id[0] == '\0' || !run_find_id(&key, m->strings, run_id))
    return NULL;
  bool found;
  size_t at = job_run_find_id(j, &key, &found);
  return found ? &j->runs[at] : NULL;
}
