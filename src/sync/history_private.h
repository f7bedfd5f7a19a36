/* Between history.c, history_load.c, history_save.c and history_pack.c only. */
#ifndef GLUETOP_SYNC_HISTORY_PRIVATE_H
#define GLUETOP_SYNC_HISTORY_PRIVATE_H

#include "sync/history.h"
#include "sync/pack.h"
#include "sync/store.h"

#define BLOCK_BYTES_MAX ((size_t)16 * 1024 * 1024)

/* Which runs of a job lie in which block: from this StartedOn on, up to the next newer block. The oldest block begins at INT64_MIN. */
struct history_block {
  int64_t id, from_ms;
  unsigned painted; /* runs of it that are in the model already, from its newest on */
  bool whole;       /* all of them are */
};
struct history_job {
  int64_t id, version;
  struct history_block *blocks; /* newest first */
  size_t block_count, block_cap;
  uint64_t saved_generation; /* of the job's runs */
  uint64_t saved_hash;       /* of its record */
  int64_t saved_age, saved_definition;
  bool saved_gone;
};
struct history_place {
  bool known; /* is in use, with this epoch */
  uint32_t epoch;
  int64_t id;
  struct history_job *jobs; /* by the model's index */
  size_t job_count, job_cap;
  size_t paint_at; /* the next job whose older blocks are to be painted */
  bool painting;
  uint64_t saved_hash; /* of the place's record */
  size_t flush_at;     /* where the last flush stopped */
};

struct history {
  struct store *store; /* NULL: unusable */
  bool writable;
  struct err trouble;
  struct history_place *places; /* by the model's index */
  size_t place_count;
  /* strings of the file and of the model */
  strid *string_of; /* by the file's number */
  uint32_t string_count, string_last;
  uint32_t *stored_of; /* by the model's number; 0: not in the file yet */
  size_t stored_count;
  struct buf block;    /* the block that is being unpacked */
  struct run *scratch; /* ... and its runs */
  size_t scratch_cap;
  struct history_figures figures;
};

struct history_place *history_place(struct history *h, const struct model *m, int place);
struct history_job *history_job(struct history_place *hp, const struct model *m, int place, size_t index);
void history_forget_place(struct history_place *hp);
/* Tell a failure and go on without the store (or without writing). */
void history_failed(struct history *h, const char *what);

/* history_pack.c. Strings go through the file's table; reading needs them to be loaded. */
struct string_map {
  struct history *h;
  struct model *m;
  bool failed; /* a string could not be added */
};
uint32_t string_store(struct string_map *map, strid id);
strid string_load(const struct history *h, uint32_t stored);
bool strings_read(struct history *h, struct model *m);
void pack_run(struct string_map *map, struct buf *b, const struct run *r);
bool unpack_run(const struct history *h, struct unpack *u, struct run *r);
void pack_job(struct string_map *map, struct buf *b, const struct job *j);
/* Into a job of the model that is not newer; false when the record is damaged. */
bool unpack_job(struct history *h, struct model *m, int place, strid name, const void *data, size_t len);
void pack_place(struct string_map *map, struct buf *b, const struct place *p);
bool unpack_place(struct history *h, struct model *m, int place, const void *data, size_t len);

/* history_load.c */
bool history_learn_jobs(struct history *h, struct model *m, int place); /* after another program wrote */
bool history_paint_block(struct history *h, struct model *m, int place, size_t job, size_t block);

#endif
