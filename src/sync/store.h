/* The files that history lives in: SQLite, mode 0600, WAL, one for each place, and a small one for where logins led. This layer knows
 * tables and bytes; what the bytes mean is history.h's business.
 *
 * Nothing here waits: a file that another process holds for the moment answers STORE_BUSY, and the caller tries again later. A file that is
 * damaged, of a newer version, or that cannot be written is left as it is. Versions are migrated forward in one transaction.
 *
 * Tables: places (one row), logins, strings, jobs (with their newest runs, for the first frame), blocks (of runs: where each begins) and
 * block_data (the packed runs themselves, apart so that the index is read without them). A job has a version number: two programs may
 * write one file, and whoever finds another number than he left reads before he writes. daily: what is asked once a day, beside the logins.
 *
 * Version 1 was one file for all places (history.db); its rows are carried over when their place is opened, and it goes when none is left.
 * Since version 2 a job's record holds its newest runs. */
#ifndef GLUETOP_SYNC_STORE_H
#define GLUETOP_SYNC_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

#define STORE_VERSION     2
#define STORE_APPLICATION 0x676c7565 /* "glue" */

struct store;

enum store_result { STORE_OK, STORE_NONE, STORE_BUSY, STORE_FAILED };

/* Folders are made (0700). *read_only: the file can be read but not written; *out is still usable for reading. Errors: ERR_IO with a hint;
 * *out is then NULL. */
struct err store_open(const char *path, struct store **out, bool *read_only) ERR_MUST_CHECK;
void store_close(struct store *s);
/* Why the last call was STORE_FAILED; also sets *full for a full disk. Never NULL. */
const char *store_why(const struct store *s);

enum store_result store_begin(struct store *s); /* a write transaction */
enum store_result store_commit(struct store *s);
void store_rollback(struct store *s);

/* Around many reads: one lock instead of one for each. Ended by store_commit. */
enum store_result store_begin_reading(struct store *s);

typedef void store_string_fn(void *user, uint32_t id, const char *text, size_t len);
enum store_result store_each_string(struct store *s, uint32_t above, store_string_fn *fn,
                                    void *user); /* ids > above, in order */
uint32_t store_string_last(struct store *s);     /* the greatest id; 0: there is none */
enum store_result store_string_add(struct store *s, const char *text, size_t len, uint32_t *id);

/* Where a login led. account and arn are appended to the buffers. */
enum store_result store_login_get(struct store *s, const char *key, struct buf *account, struct buf *arn);
enum store_result store_login_put(struct store *s, const char *key, const char *account, const char *arn);

/* Small things that are asked once a day. The data is appended to the buffer. */
enum store_result store_daily_get(struct store *s, const char *key, struct buf *data);
enum store_result store_daily_put(struct store *s, const char *key, const struct buf *data);

struct store_place_key {
  const char *partition, *account, *region, *endpoint;
};

/* --- which file (store_files.c) -------------------------------------------------------------------------------------- */

/* FOLDER/ACCOUNT.REGION.db. Where that does not say it all (another partition, an endpoint of one's own) a hash stands behind it: a name
 * never holds an address. All freed by the caller. */
char *store_place_path(const char *folder, const struct store_place_key *key);
char *store_logins_path(const char *folder);
char *store_old_path(const char *folder); /* the one file of version 1 */
/* Carry what the file of before knows of the place, or of logins, into the file at `path`, which is there and of this version. Each in one
 * transaction: all or nothing. An error says why it must stay where it is; nothing to carry is none. */
struct err store_carry_place(const char *folder, const char *path, const struct store_place_key *key) ERR_MUST_CHECK;
struct err store_carry_logins(const char *folder, const char *path) ERR_MUST_CHECK;

/* --- a place's rows -------------------------------------------------------------------------------------------------- */

/* STORE_NONE: not there and not made. The data (freshness, triggers) is appended. */
enum store_result store_place_get(struct store *s, const struct store_place_key *key, bool make, int64_t *id,
                                  struct buf *data);
enum store_result store_place_put(struct store *s, int64_t id, const struct buf *data);

struct store_job {
  int64_t id, version;
  const char *name;
  size_t name_len;
  const void *data;
  size_t len;
};
typedef void store_job_fn(void *user, const struct store_job *job);
enum store_result store_each_job(struct store *s, int64_t place, store_job_fn *fn, void *user);
/* Has another program written since this was asked last? (The first time: yes.) Then versions and blocks may differ from what was read. */
bool store_changed_by_others(struct store *s);
/* Inserts (id 0) or updates, with version + 1; the new id and version come back. */
enum store_result store_job_put(struct store *s, int64_t place, int64_t *id, int64_t *version, const char *name,
                                const struct buf *data);

struct store_block {
  int64_t id, job, from_ms;
};
typedef void store_block_fn(void *user, const struct store_block *block);
enum store_result store_each_block(struct store *s, int64_t place, store_block_fn *fn, void *user);
enum store_result store_each_block_of(struct store *s, int64_t place, int64_t job, store_block_fn *fn, void *user);
/* fn sees the bytes where they lie; false from it is STORE_FAILED. STORE_NONE: there is no such block. */
typedef bool store_data_fn(void *user, const void *data, size_t len);
enum store_result store_block_use(struct store *s, int64_t id, store_data_fn *fn, void *user);
/* The memory that much reading took is given back. */
void store_shrink(struct store *s);
/* Inserts (id 0) or updates. */
enum store_result store_block_put(struct store *s, int64_t place, struct store_block *block, const struct buf *data);
enum store_result store_block_drop(struct store *s, int64_t id);

#endif
