/* Between history.c, history_load.c, history_save.c and history_pack.c only. */
#ifndef GLUETOP_SYNC_HISTORY_PRIVATE_H
#define GLUETOP_SYNC_HISTORY_PRIVATE_H

#include "sync/history.h"
#include "sync/pack.h"
#include "sync/store.h"

#define BLOCK_BYTES_MAX ((size_t)16 * 1024 * 1024)

#define NEWS_RUNS 16 /* of each job, in its own record: enough for the first frame */

/* Which runs of a job lie in which block: from this StartedOn on, up to the next newer block. The oldest block begins at INT64_MIN. */
struct history_block {
  int64_t id, from_ms;
  bool whole; /* all of its runs are in the model */
};
struct history_job {
  int64_t id, version;
  struct history_block *blocks; /* newest first */
  size_t block_count, block_cap;
  size_t runs,
      news; /* while it is painted: how many runs its record promised, and how many of them it held; 0: it does not tell */
  uint64_t saved_generation; /* of the job's runs */
  uint64_t saved_hash;       /* of its record */
  int64_t saved_age, saved_definition;
  bool saved_gone;
};
/* One place, one file. */
struct history_place {
  bool known; /* is in use, with this epoch */
  uint32_t epoch;
  struct store *store; /* NULL: unusable */
  bool writable;
  char *path;
  int64_t id;               /* of its row; 0: not made yet */
  struct history_job *jobs; /* by the model's index */
  size_t job_count, job_cap;
  size_t paint_at; /* the next job whose blocks are to be painted */
  bool painting, blocks_known;
  uint64_t saved_hash; /* of the place's record */
  int64_t saved_jobs_ms, saved_triggers_ms;
  size_t flush_at; /* where the last flush stopped */
  /* strings of the file and of the model */
  strid *string_of; /* by the file's number */
  uint32_t string_count, string_last;
  uint32_t *stored_of; /* by the model's number; 0: not in the file yet */
  size_t stored_count;
};

struct history {
  char *folder;         /* NULL: does nothing */
  struct store *logins; /* NULL: unusable */
  bool logins_writable;
  struct err *troubles; /* to be told, oldest first */
  size_t trouble_count;
  struct history_place *places; /* by the model's index */
  size_t place_count;
  struct history_figures figures;
};

struct history_place *history_place(struct history *h, const struct model *m, int place);
struct history_job *history_job(struct history_place *hp, const struct model *m, int place, size_t index);
/* Opens the place's file, once its account is known. False: nothing to read (no store, unusable, or open already). */
bool history_begin(struct history *h, const struct model *m, int place);
void history_tell(struct history *h, struct err take);
/* Tell a failure and go on without writing to the place's file. */
void history_failed(struct history *h, struct history_place *hp, const char *what);

/* history_pack.c. Strings go through the file's table; reading needs them to be loaded. */
struct string_map {
  struct history_place *hp;
  struct model *m;
  bool failed; /* a string could not be added */
  uint64_t blocks_written;
};
uint32_t string_store(struct string_map *map, strid id);
static inline strid string_load(const struct history_place *hp, uint32_t stored)
{
  return stored < hp->string_count ? hp->string_of[stored] : 0;
}
bool strings_read(struct history_place *hp, struct model *m);
void pack_run(struct string_map *map, struct buf *b, const struct run *r);
/* Newest first as they lie, up to `most`; how many came. u->bad: the record is damaged. */
size_t unpack_runs(const struct history_place *hp, struct unpack *u, struct run *runs, size_t most);
void pack_job(struct string_map *map, struct buf *b, const struct job *j);
/* Behind what pack_job wrote: what changes with every reading, and the newest runs. */
void pack_job_news(struct string_map *map, struct buf *b, const struct job *j);
/* What a job's record tells beside the job. */
struct job_record {
  size_t runs;       /* that the job has in the file; 0: it does not tell */
  size_t news_count; /* of them, the newest, in `news` */
  struct unpack news;
  uint64_t saved_hash; /* of the record as it stands; 0: it is of an older form */
};
/* Into a job of the model that is not newer; false when the record is damaged. */
bool unpack_job(const struct history_place *hp, struct model *m, int place, strid name, const void *data, size_t len,
                struct job_record *out);
void pack_place(struct string_map *map, struct buf *b, const struct place *p);
bool unpack_place(const struct history_place *hp, struct model *m, int place, const void *data, size_t len);

/* What a record is known by, so that it is not written again as it stands: its bytes, and its age in steps. Ages are written that coarsely,
 * or every reading would write every job. Never 0. */
#define AGE_STEP_MS (30 * WHEN_MINUTE)
uint64_t history_record_hash(const void *data, size_t len, int64_t age_ms);

/* history_save.c */
void history_job_done(struct history_job *hj, const struct job *j); /* its record stands in the file as it is */

/* history_load.c */
bool history_learn_jobs(struct history *h, struct model *m, int place); /* after another program wrote */
bool history_paint_block(struct history *h, struct model *m, int place, size_t job, size_t block);

#endif
