/* Records of the store. Each begins with a form number, so that a later version can tell old ones; strings stand by their number in the
 * file's own table. */
#include "sync/history_private.h"

#include <math.h>
#include <stdlib.h>
#include "base/xalloc.h"

#define JOB_FORM_1 1 /* without the newest runs */
#define JOB_FORM   2
#define PLACE_FORM 1

/* What a run's record has: one bit each. */
enum run_part {
  PART_STARTED = 1 << 0,
  PART_MODIFIED = 1 << 1,
  PART_COMPLETED = 1 << 2,
  PART_FIRST_RUNNING = 1 << 3,
  PART_STATE_TEXT = 1 << 4,
  PART_STATE_DETAIL = 1 << 5,
  PART_ERROR = 1 << 6,
  PART_TRIGGER = 1 << 7,
  PART_PREVIOUS = 1 << 8,
  PART_DPU_SECONDS = 1 << 9,
  PART_ATTEMPT = 1 << 10
};

/* Nearly every run is one that has ended and that fits this: read at one go. Others are written number by number. Bytes are in the
 * machine's order: the file belongs to one machine. */
#define COMPACT 0x80 /* in the first byte */
struct compact_run {
  uint8_t head, state, flags, zero;
  uint16_t timeout, workers; /* + 1 */
  uint16_t worker_type, glue_version;
  uint32_t completed_after_ms, fetched_s;
  int32_t modified_after_ms, execution_seconds;
  float max_capacity;
  uint8_t started[8];
  uint8_t id[32];
};
_Static_assert(sizeof(struct compact_run) == 72, "what is written has no padding");

uint64_t history_record_hash(const void *data, size_t len, int64_t age_ms)
{
  const unsigned char *bytes = data;
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < len; i++)
    h = (h ^ bytes[i]) * UINT64_C(1099511628211);
  return (h ^ (uint64_t)(age_ms / AGE_STEP_MS)) * UINT64_C(1099511628211) | 1;
}

#define STRINGS_EXPECTED_MAX (UINT32_C(1) << 20) /* a number from a file is believed up to that */

/* --- strings --------------------------------------------------------------------------------------------------------- */

static void string_known(struct history_place *hp, uint32_t stored, strid id)
{
  if (stored >= hp->string_count) {
    uint32_t count = stored + stored / 2 + 64;
    hp->string_of = xreallocarray(hp->string_of, count, sizeof *hp->string_of);
    for (uint32_t i = hp->string_count; i < count; i++)
      hp->string_of[i] = 0;
    hp->string_count = count;
  }
  hp->string_of[stored] = id;
  if (stored > hp->string_last)
    hp->string_last = stored;
  if (id >= hp->stored_count) {
    size_t count = (size_t)id + id / 2 + 64;
    hp->stored_of = xreallocarray(hp->stored_of, count, sizeof *hp->stored_of);
    for (size_t i = hp->stored_count; i < count; i++)
      hp->stored_of[i] = 0;
    hp->stored_count = count;
  }
  hp->stored_of[id] = stored;
}

struct strings_reader {
  struct history_place *hp;
  struct model *m;
};

static void strings_take(void *user, uint32_t id, const char *text, size_t len)
{
  struct strings_reader *r = user;
  string_known(r->hp, id, strpool_put_n(r->m->strings, text == NULL ? "" : text, len));
}

bool strings_read(struct history_place *hp, struct model *m)
{
  struct strings_reader r = {.hp = hp, .m = m};
  uint32_t last = store_string_last(hp->store);
  if (last > hp->string_last && last - hp->string_last < STRINGS_EXPECTED_MAX)
    strpool_expect(m->strings, last - hp->string_last);
  return store_each_string(hp->store, hp->string_last, strings_take, &r) == STORE_OK;
}

uint32_t string_store(struct string_map *map, strid id)
{
  if (id == 0)
    return 0;
  if (id < map->hp->stored_count && map->hp->stored_of[id] != 0)
    return map->hp->stored_of[id];
  const char *text = model_str(map->m, id);
  uint32_t stored = 0;
  if (text == NULL || store_string_add(map->hp->store, text, strlen(text), &stored) != STORE_OK) {
    map->failed = true;
    return 0;
  }
  string_known(map->hp, stored, id);
  return stored;
}

static strid unpack_string(const struct history_place *hp, struct unpack *u)
{
  uint64_t stored = unpack_u64(u);
  strid id = stored > UINT32_MAX ? 0 : string_load(hp, (uint32_t)stored);
  if (stored != 0 && id == 0)
    u->bad = true; /* a text that is not there: the record cannot be trusted */
  return id;
}

/* --- runs ------------------------------------------------------------------------------------------------------------ */

static unsigned run_parts(const struct run *r)
{
  unsigned parts = 0;
  parts |= r->started_ms != WHEN_NONE ? PART_STARTED : 0u;
  parts |= r->modified_ms != WHEN_NONE ? PART_MODIFIED : 0u;
  parts |= r->completed_ms != WHEN_NONE ? PART_COMPLETED : 0u;
  parts |= r->first_running_ms != WHEN_NONE ? PART_FIRST_RUNNING : 0u;
  parts |= r->state_text != 0 ? PART_STATE_TEXT : 0u;
  parts |= r->state_detail != 0 ? PART_STATE_DETAIL : 0u;
  parts |= r->error != 0 ? PART_ERROR : 0u;
  parts |= r->trigger != 0 ? PART_TRIGGER : 0u;
  parts |= r->previous_run_id != 0 ? PART_PREVIOUS : 0u;
  parts |= !isnan(r->dpu_seconds) ? PART_DPU_SECONDS : 0u;
  parts |= r->attempt != 0 || r->id_attempt != 0 ? PART_ATTEMPT : 0u;
  return parts;
}

static void pack_time(struct buf *b, bool there, int64_t ms, int64_t base)
{
  if (there)
    pack_i64(b, (int64_t)((uint64_t)ms - (uint64_t)base));
}

static bool compact_fits(const struct run *r, unsigned parts, uint32_t worker_type, uint32_t glue_version)
{
  const unsigned needed = PART_STARTED | PART_MODIFIED | PART_COMPLETED;
  if ((parts & needed) != needed || (parts & (PART_FIRST_RUNNING | PART_STATE_TEXT)) != 0)
    return false;
  if (r->id_form != RUN_ID_HEX && r->id_form != RUN_ID_HEX_ATTEMPT)
    return false;
  int64_t took = r->completed_ms - r->started_ms;
  int64_t after = r->modified_ms - r->completed_ms;
  return took >= 0 && took <= UINT32_MAX && after >= INT32_MIN && after <= INT32_MAX && r->fetched_ms >= 0 &&
         r->fetched_ms / WHEN_SECOND <= UINT32_MAX && r->timeout_minutes < UINT16_MAX && r->workers < UINT16_MAX &&
         (isnan(r->max_capacity) || (r->max_capacity < 1e6 && (double)(float)r->max_capacity == r->max_capacity)) &&
         worker_type <= UINT16_MAX && glue_version <= UINT16_MAX;
}

static void pack_compact(struct buf *b, const struct run *r, unsigned parts, uint32_t worker_type,
                         uint32_t glue_version)
{
  struct compact_run c = {.head = (uint8_t)(r->id_form | r->execution_class << 2 | r->bookmark << 4 | COMPACT),
                          .state = r->state,
                          .flags = (uint8_t)(r->flags & ~(unsigned)RUN_FLAG_NEW),
                          .timeout = (uint16_t)(r->timeout_minutes + 1),
                          .workers = (uint16_t)(r->workers + 1),
                          .worker_type = (uint16_t)worker_type,
                          .glue_version = (uint16_t)glue_version,
                          .completed_after_ms = (uint32_t)(r->completed_ms - r->started_ms),
                          .fetched_s = (uint32_t)(r->fetched_ms / WHEN_SECOND),
                          .modified_after_ms = (int32_t)(r->modified_ms - r->completed_ms),
                          .execution_seconds = r->execution_seconds,
                          .max_capacity = (float)r->max_capacity};
  memcpy(c.started, &r->started_ms, sizeof c.started);
  memcpy(c.id, r->id_bytes, sizeof c.id);
  buf_add(b, &c, sizeof c);
  pack_u64(b, parts);
}

/* What not every run has. */
static void pack_rest(struct string_map *map, struct buf *b, const struct run *r, unsigned parts)
{
  if ((parts & PART_ATTEMPT) != 0) {
    pack_u64(b, r->id_attempt);
    pack_i64(b, r->attempt);
  }
  if ((parts & PART_DPU_SECONDS) != 0)
    pack_f64(b, r->dpu_seconds);
  if ((parts & PART_STATE_TEXT) != 0)
    pack_u64(b, string_store(map, r->state_text));
  if ((parts & PART_STATE_DETAIL) != 0)
    pack_u64(b, string_store(map, r->state_detail));
  if ((parts & PART_ERROR) != 0)
    pack_u64(b, string_store(map, r->error));
  if ((parts & PART_TRIGGER) != 0)
    pack_u64(b, string_store(map, r->trigger));
  if ((parts & PART_PREVIOUS) != 0)
    pack_u64(b, string_store(map, r->previous_run_id));
}

void pack_run(struct string_map *map, struct buf *b, const struct run *r)
{
  unsigned parts = run_parts(r);
  uint32_t worker_type = string_store(map, r->worker_type);
  uint32_t glue_version = string_store(map, r->glue_version);
  if (compact_fits(r, parts, worker_type, glue_version)) {
    pack_compact(b, r, parts, worker_type, glue_version);
    pack_rest(map, b, r, parts);
    return;
  }
  int64_t base = r->started_ms != WHEN_NONE ? r->started_ms : 0;
  buf_addc(b, (char)(r->id_form | r->execution_class << 2 | r->bookmark << 4));
  buf_addc(b, (char)r->state);
  pack_u64(b, parts);
  pack_u64(b, r->flags & ~(unsigned)RUN_FLAG_NEW);
  if (r->id_form == RUN_ID_HEX || r->id_form == RUN_ID_HEX_ATTEMPT)
    buf_add(b, r->id_bytes, sizeof r->id_bytes);
  else
    pack_u64(b, string_store(map, r->id_text));
  pack_time(b, (parts & PART_STARTED) != 0, r->started_ms, 0);
  pack_time(b, (parts & PART_COMPLETED) != 0, r->completed_ms, base);
  pack_time(b, (parts & PART_MODIFIED) != 0, r->modified_ms, r->completed_ms != WHEN_NONE ? r->completed_ms : base);
  pack_time(b, (parts & PART_FIRST_RUNNING) != 0, r->first_running_ms, base);
  pack_i64(b, r->fetched_ms / WHEN_SECOND); /* an age needs no more */
  pack_i64(b, r->execution_seconds);
  pack_i64(b, r->timeout_minutes);
  pack_i64(b, r->workers);
  pack_f64(b, r->max_capacity);
  pack_u64(b, worker_type);
  pack_u64(b, glue_version);
  pack_rest(map, b, r, parts);
}

static int64_t unpack_time(struct unpack *u, bool there, int64_t base)
{
  return there ? (int64_t)((uint64_t)unpack_i64(u) + (uint64_t)base) : WHEN_NONE;
}

static strid known_string(const struct history_place *hp, struct unpack *u, uint32_t stored)
{
  strid id = string_load(hp, stored);
  u->bad = u->bad || (stored != 0 && id == 0);
  return id;
}

/* Every member is set, so that the run need not be cleared before. */
static void unpack_compact(const struct history_place *hp, struct unpack *u, struct run *r)
{
  struct compact_run c;
  memcpy(&c, u->at, sizeof c);
  u->at += sizeof c;
  memcpy(r->id_bytes, c.id, sizeof r->id_bytes);
  memcpy(&r->started_ms, c.started, sizeof r->started_ms);
  r->completed_ms = (int64_t)((uint64_t)r->started_ms + c.completed_after_ms);
  r->modified_ms = (int64_t)((uint64_t)r->completed_ms + (uint64_t)(int64_t)c.modified_after_ms);
  r->first_running_ms = WHEN_NONE;
  r->fetched_ms = (int64_t)c.fetched_s * WHEN_SECOND;
  r->max_capacity = isnan(c.max_capacity) ? (double)NAN : (double)c.max_capacity;
  r->dpu_seconds = (double)NAN;
  r->execution_seconds = c.execution_seconds;
  r->timeout_minutes = (int32_t)c.timeout - 1;
  r->workers = (int32_t)c.workers - 1;
  r->state_text = r->state_detail = r->error = r->trigger = r->previous_run_id = 0;
  r->worker_type = known_string(hp, u, c.worker_type);
  r->glue_version = known_string(hp, u, c.glue_version);
  r->id_attempt = 0;
  r->attempt = 0;
  r->id_form = c.head & 3;
  r->state = c.state;
  r->execution_class = c.head >> 2 & 3;
  r->bookmark = c.head >> 4 & 3;
  r->flags = c.flags;
}

static uint64_t unpack_wide(const struct history_place *hp, struct unpack *u, struct run *r)
{
  unsigned char head[2];
  unpack_bytes(u, head, sizeof head);
  uint64_t parts = unpack_u64(u);
  r->id_form = head[0] & 3;
  r->execution_class = head[0] >> 2 & 3;
  r->bookmark = head[0] >> 4 & 3;
  r->state = head[1];
  r->flags = (uint8_t)unpack_u64(u);
  if (r->id_form == RUN_ID_HEX || r->id_form == RUN_ID_HEX_ATTEMPT)
    unpack_bytes(u, r->id_bytes, sizeof r->id_bytes);
  else
    r->id_text = unpack_string(hp, u);
  r->started_ms = unpack_time(u, (parts & PART_STARTED) != 0, 0);
  int64_t base = r->started_ms != WHEN_NONE ? r->started_ms : 0;
  r->completed_ms = unpack_time(u, (parts & PART_COMPLETED) != 0, base);
  r->modified_ms = unpack_time(u, (parts & PART_MODIFIED) != 0, r->completed_ms != WHEN_NONE ? r->completed_ms : base);
  r->first_running_ms = unpack_time(u, (parts & PART_FIRST_RUNNING) != 0, base);
  r->fetched_ms = (int64_t)((uint64_t)unpack_i64(u) * WHEN_SECOND);
  r->execution_seconds = (int32_t)unpack_i64(u);
  r->timeout_minutes = (int32_t)unpack_i64(u);
  r->workers = (int32_t)unpack_i64(u);
  r->max_capacity = unpack_f64(u);
  r->worker_type = unpack_string(hp, u);
  r->glue_version = unpack_string(hp, u);
  return parts;
}

static void unpack_rest(const struct history_place *hp, struct unpack *u, struct run *r, uint64_t parts)
{
  if ((parts & PART_ATTEMPT) != 0) {
    r->id_attempt = (uint16_t)unpack_u64(u);
    r->attempt = (int16_t)unpack_i64(u);
  }
  if ((parts & PART_DPU_SECONDS) != 0)
    r->dpu_seconds = unpack_f64(u);
  if ((parts & PART_STATE_TEXT) != 0)
    r->state_text = unpack_string(hp, u);
  if ((parts & PART_STATE_DETAIL) != 0)
    r->state_detail = unpack_string(hp, u);
  if ((parts & PART_ERROR) != 0)
    r->error = unpack_string(hp, u);
  if ((parts & PART_TRIGGER) != 0)
    r->trigger = unpack_string(hp, u);
  if ((parts & PART_PREVIOUS) != 0)
    r->previous_run_id = unpack_string(hp, u);
}

static void unpack_run(const struct history_place *hp, struct unpack *u, struct run *r)
{
  uint64_t parts = 0;
  if ((*u->at & COMPACT) != 0 && (size_t)(u->end - u->at) > sizeof(struct compact_run)) {
    unpack_compact(hp, u, r);
    parts = unpack_u64(u);
  } else {
    memset(r, 0, sizeof *r);
    r->dpu_seconds = (double)NAN;
    parts = unpack_wide(hp, u, r);
  }
  if ((parts & ~(uint64_t)(PART_STARTED | PART_MODIFIED | PART_COMPLETED)) != 0)
    unpack_rest(hp, u, r, parts);
  u->bad = u->bad || r->state >= RUN_STATE_COUNT || parts >= PART_ATTEMPT << 1;
}

size_t unpack_runs(const struct history_place *hp, struct unpack *u, struct run *runs, size_t most)
{
  size_t count = 0;
  while (count < most && unpack_more(u)) {
    unpack_run(hp, u, &runs[count]);
    u->bad = u->bad || (count > 0 && runs[count].started_ms > runs[count - 1].started_ms);
    count++;
  }
  return u->bad ? 0 : count;
}

/* --- jobs ------------------------------------------------------------------------------------------------------------ */

void pack_job(struct string_map *map, struct buf *b, const struct job *j)
{
  const strid texts[] = {j->command_name,
                         j->mode,
                         j->description,
                         j->role,
                         j->script_location,
                         j->python_version,
                         j->worker_type,
                         j->glue_version,
                         j->security_configuration,
                         j->maintenance_window};
  const int64_t numbers[] = {j->execution_class, j->created_ms,      j->modified_ms, j->max_concurrent_runs,
                             j->max_retries,     j->timeout_minutes, j->workers,     j->notify_delay_minutes,
                             j->queuing,         j->auto_scaling,    j->bookmark,    j->metrics};
  pack_u64(b, JOB_FORM);
  pack_u64(b, (j->defined ? 1u : 0u) | (j->gone ? 2u : 0u) | (j->read_to_end ? 4u : 0u) | (j->unordered ? 8u : 0u) |
                  (j->runs_fresh.complete ? 16u : 0u) | (j->listed_ms != WHEN_NONE ? 32u : 0u));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    pack_u64(b, string_store(map, texts[i]));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    pack_i64(b, numbers[i]);
  pack_f64(b, j->max_capacity);
  pack_u64(b, j->read_count);
  for (size_t i = 0; i < j->read_count; i++) {
    pack_i64(b, j->read[i].from_ms);
    pack_i64(b, j->read[i].to_ms);
  }
}

static void unpack_definition(const struct history_place *hp, struct unpack *u, struct job *j)
{
  strid *const texts[] = {&j->command_name,
                          &j->mode,
                          &j->description,
                          &j->role,
                          &j->script_location,
                          &j->python_version,
                          &j->worker_type,
                          &j->glue_version,
                          &j->security_configuration,
                          &j->maintenance_window};
  int32_t *const numbers[] = {&j->max_concurrent_runs, &j->max_retries, &j->timeout_minutes, &j->workers,
                              &j->notify_delay_minutes};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    *texts[i] = unpack_string(hp, u);
  j->execution_class = (enum execution_class)unpack_i64(u);
  j->created_ms = unpack_i64(u);
  j->modified_ms = unpack_i64(u);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    *numbers[i] = (int32_t)unpack_i64(u);
  j->queuing = (enum tristate)unpack_i64(u);
  j->auto_scaling = (enum tristate)unpack_i64(u);
  j->bookmark = (enum bookmark_option)unpack_i64(u);
  j->metrics = unpack_i64(u) != 0;
  j->max_capacity = unpack_f64(u);
}

static void job_take_definition(struct model *m, struct job *j, const struct job *stored, bool gone)
{
  if (j->defined)
    return; /* the service has spoken already */
  struct job *d = j;
  d->command_name = stored->command_name;
  d->type = job_type_parse(model_str(m, stored->command_name));
  d->mode = stored->mode;
  d->description = stored->description;
  d->role = stored->role;
  d->script_location = stored->script_location;
  d->python_version = stored->python_version;
  d->worker_type = stored->worker_type;
  d->glue_version = stored->glue_version;
  d->security_configuration = stored->security_configuration;
  d->maintenance_window = stored->maintenance_window;
  d->execution_class = stored->execution_class;
  d->created_ms = stored->created_ms;
  d->modified_ms = stored->modified_ms;
  d->max_concurrent_runs = stored->max_concurrent_runs;
  d->max_retries = stored->max_retries;
  d->timeout_minutes = stored->timeout_minutes;
  d->workers = stored->workers;
  d->notify_delay_minutes = stored->notify_delay_minutes;
  d->queuing = stored->queuing;
  d->auto_scaling = stored->auto_scaling;
  d->bookmark = stored->bookmark;
  d->metrics = stored->metrics;
  d->max_capacity = stored->max_capacity;
  d->defined = true;
  d->gone = gone;
}

void pack_job_news(struct string_map *map, struct buf *b, const struct job *j)
{
  size_t news = j->run_count < NEWS_RUNS ? j->run_count : NEWS_RUNS;
  pack_i64(b, j->runs_fresh.fetched_ms);
  pack_i64(b, j->top_read_ms);
  pack_i64(b, j->listed_ms);
  pack_u64(b, j->run_count);
  pack_u64(b, news);
  for (size_t i = 0; i < news; i++)
    pack_run(map, b, &j->runs[i]);
}

bool unpack_job(const struct history_place *hp, struct model *m, int place, strid name, const void *data, size_t len,
                struct job_record *out)
{
  struct unpack u = unpack_begin(data, len);
  struct job stored = {0};
  uint64_t form = unpack_u64(&u);
  if (form != JOB_FORM && form != JOB_FORM_1)
    return false;
  uint64_t flags = unpack_u64(&u);
  unpack_definition(hp, &u, &stored);
  size_t spans = (size_t)unpack_u64(&u);
  struct unpack after = u;
  for (size_t i = 0; i < spans && !after.bad; i++) {
    unpack_i64(&after);
    unpack_i64(&after);
  }
  size_t lasting = (size_t)(after.at - (const unsigned char *)data);
  int64_t fetched = unpack_i64(&after);
  int64_t top_read = unpack_i64(&after);
  int64_t listed = unpack_i64(&after);
  *out = (struct job_record){.runs = form == JOB_FORM ? (size_t)unpack_u64(&after) : 0};
  out->news_count = form == JOB_FORM ? (size_t)unpack_u64(&after) : 0;
  out->news = after;
  if (after.bad || out->news_count > NEWS_RUNS || out->news_count > out->runs)
    return false;
  if (form == JOB_FORM)
    out->saved_hash = history_record_hash(data, lasting, fetched);
  struct job *j = model_job_mutable(m, place, name);
  if ((flags & 1) != 0)
    job_take_definition(m, j, &stored, (flags & 2) != 0);
  for (size_t i = 0; i < spans; i++) {
    int64_t from = unpack_i64(&u);
    int64_t to = unpack_i64(&u);
    model_add_span(m, place, name, from, to, false);
  }
  j->read_to_end = j->read_to_end || (flags & 4) != 0;
  j->unordered = j->unordered || (flags & 8) != 0;
  if (j->runs_fresh.fetched_ms == WHEN_NONE) {
    j->runs_fresh.fetched_ms = fetched;
    j->runs_fresh.complete = (flags & 16) != 0;
  }
  if (top_read > j->top_read_ms)
    j->top_read_ms = top_read;
  if ((flags & 32) != 0 && listed > j->listed_ms)
    j->listed_ms = listed;
  return true;
}

/* --- places ---------------------------------------------------------------------------------------------------------- */

void pack_place(struct string_map *map, struct buf *b, const struct place *p)
{
  pack_u64(b, PLACE_FORM);
  pack_u64(b,
           (p->names_complete ? 1u : 0u) | (p->jobs_fresh.complete ? 2u : 0u) | (p->triggers_fresh.complete ? 4u : 0u));
  pack_u64(b, p->trigger_count);
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    const strid texts[] = {t->name, t->workflow, t->type, t->state, t->schedule};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
      pack_u64(b, string_store(map, texts[k]));
    pack_u64(b, t->any ? 1 : 0);
    pack_u64(b, t->action_count);
    for (size_t k = 0; k < t->action_count; k++) {
      pack_u64(b, string_store(map, t->actions[k].job));
      pack_u64(b, string_store(map, t->actions[k].crawler));
      pack_i64(b, t->actions[k].timeout_minutes);
    }
    pack_u64(b, t->condition_count);
    for (size_t k = 0; k < t->condition_count; k++) {
      pack_u64(b, string_store(map, t->conditions[k].job));
      pack_u64(b, string_store(map, t->conditions[k].state));
      pack_u64(b, string_store(map, t->conditions[k].crawler));
      pack_u64(b, string_store(map, t->conditions[k].crawl_state));
    }
  }
}

static const char *unpack_text(const struct history_place *hp, const struct model *m, struct unpack *u)
{
  return model_str(m, unpack_string(hp, u));
}

static void unpack_trigger(const struct history_place *hp, const struct model *m, struct unpack *u, struct arena *a,
                           struct trigger_data *t)
{
  t->name = unpack_text(hp, m, u);
  t->workflow = unpack_text(hp, m, u);
  t->type = unpack_text(hp, m, u);
  t->state = unpack_text(hp, m, u);
  t->schedule = unpack_text(hp, m, u);
  t->any = unpack_u64(u) != 0;
  size_t actions = (size_t)unpack_u64(u);
  if (u->bad || actions > (size_t)(u->end - u->at))
    actions = 0;
  t->actions = arena_array(a, actions + 1, sizeof *t->actions);
  for (; t->action_count < actions; t->action_count++) {
    struct trigger_action *action = &t->actions[t->action_count];
    action->job = unpack_text(hp, m, u);
    action->crawler = unpack_text(hp, m, u);
    action->timeout_minutes = unpack_i64(u);
  }
  size_t conditions = (size_t)unpack_u64(u);
  if (u->bad || conditions > (size_t)(u->end - u->at))
    conditions = 0;
  t->conditions = arena_array(a, conditions + 1, sizeof *t->conditions);
  for (; t->condition_count < conditions; t->condition_count++) {
    struct trigger_condition *condition = &t->conditions[t->condition_count];
    condition->job = unpack_text(hp, m, u);
    condition->state = unpack_text(hp, m, u);
    condition->crawler = unpack_text(hp, m, u);
    condition->crawl_state = unpack_text(hp, m, u);
  }
}

bool unpack_place(const struct history_place *hp, struct model *m, int place, const void *data, size_t len)
{
  if (len == 0)
    return true; /* made, and nothing written yet */
  struct unpack u = unpack_begin(data, len);
  if (unpack_u64(&u) != PLACE_FORM)
    return false;
  uint64_t flags = unpack_u64(&u);
  size_t count = (size_t)unpack_u64(&u);
  if (u.bad || count > len)
    return false;
  struct arena a;
  arena_init(&a);
  struct trigger_data *triggers = arena_array(&a, count + 1, sizeof *triggers);
  for (size_t i = 0; i < count; i++)
    unpack_trigger(hp, m, &u, &a, &triggers[i]);
  int64_t jobs_fetched = unpack_i64(&u);
  int64_t triggers_fetched = unpack_i64(&u);
  bool good = !u.bad;
  struct place *p = &m->places[place];
  if (good && p->triggers_fresh.fetched_ms == WHEN_NONE && triggers_fetched != WHEN_NONE) {
    model_put_triggers(m, place, triggers, count, triggers_fetched);
    p->triggers_fresh.fetched_ms = triggers_fetched;
    p->triggers_fresh.complete = (flags & 4) != 0;
  }
  if (good && p->jobs_fresh.fetched_ms == WHEN_NONE) {
    p->jobs_fresh.fetched_ms = jobs_fetched;
    p->jobs_fresh.complete = (flags & 2) != 0;
    p->names_complete = p->names_complete || (flags & 1) != 0;
  }
  arena_fini(&a);
  return good;
}
