#include "sync/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sqlite3.h>
#include "base/xalloc.h"

/* Jobs and blocks of one place have ids of one range (place << 40), so that a place is read without an index. */
#define STRING_MAX ((size_t)1 << 20)

enum statement {
  ST_BEGIN,
  ST_BEGIN_READING,
  ST_COMMIT,
  ST_ROLLBACK,
  ST_STRINGS,
  ST_STRING_LAST,
  ST_STRING_ADD,
  ST_LOGIN_GET,
  ST_LOGIN_PUT,
  ST_DAILY_GET,
  ST_DAILY_PUT,
  ST_PLACE_GET,
  ST_PLACE_ADD,
  ST_PLACE_PUT,
  ST_JOBS,
  ST_DATA_VERSION,
  ST_JOB_ADD,
  ST_JOB_PUT,
  ST_BLOCKS,
  ST_BLOCKS_OF,
  ST_BLOCK_GET,
  ST_BLOCK_ADD,
  ST_BLOCK_PUT,
  ST_BLOCK_DROP,
  ST_DATA_PUT,
  ST_DATA_DROP,
  ST_COUNT
};

static const char *const statements[ST_COUNT] = {
    [ST_BEGIN] = "BEGIN IMMEDIATE",
    [ST_BEGIN_READING] = "BEGIN",
    [ST_COMMIT] = "COMMIT",
    [ST_ROLLBACK] = "ROLLBACK",
    [ST_STRINGS] = "SELECT id, text FROM strings WHERE id > ?1 ORDER BY id",
    [ST_STRING_LAST] = "SELECT coalesce(max(id), 0) FROM strings",
    [ST_STRING_ADD] = "INSERT INTO strings (text) VALUES (?1)",
    [ST_LOGIN_GET] = "SELECT account, arn FROM logins WHERE key = ?1",
    [ST_LOGIN_PUT] = "INSERT OR REPLACE INTO logins (key, account, arn) VALUES (?1, ?2, ?3)",
    [ST_DAILY_GET] = "SELECT data FROM daily WHERE key = ?1",
    [ST_DAILY_PUT] = "INSERT OR REPLACE INTO daily (key, data) VALUES (?1, ?2)",
    [ST_PLACE_GET] =
        "SELECT id, data FROM places WHERE partition = ?1 AND account = ?2 AND region = ?3 AND endpoint = ?4",
    [ST_PLACE_ADD] = "INSERT INTO places (partition, account, region, endpoint, data) VALUES (?1, ?2, ?3, ?4, x'')",
    [ST_PLACE_PUT] = "UPDATE places SET data = ?2 WHERE id = ?1",
    [ST_JOBS] = "SELECT id, version, name, data FROM jobs WHERE id > ?1 << 40 AND id < (?1 + 1) << 40",
    [ST_DATA_VERSION] = "PRAGMA data_version",
    [ST_JOB_ADD] = ("INSERT INTO jobs (id, version, name, data) VALUES ((SELECT coalesce(max(id), ?1 << 40) + 1 FROM "
                    "jobs WHERE id > ?1 << 40 AND id < (?1 + 1) << 40), ?2, ?3, ?4)"),
    [ST_JOB_PUT] = "UPDATE jobs SET version = ?2, data = ?3 WHERE id = ?1",
    [ST_BLOCKS] = "SELECT id, job, from_ms FROM blocks WHERE id > ?1 << 40 AND id < (?1 + 1) << 40",
    [ST_BLOCKS_OF] = "SELECT id, job, from_ms FROM blocks WHERE id > ?1 << 40 AND id < (?1 + 1) << 40 AND job = ?2",
    [ST_BLOCK_GET] = "SELECT data FROM block_data WHERE id = ?1",
    [ST_BLOCK_ADD] = ("INSERT INTO blocks (id, job, from_ms) VALUES ((SELECT coalesce(max(id), ?1 << 40) + 1 FROM "
                      "blocks WHERE id > ?1 << 40 AND id < (?1 + 1) << 40), ?2, ?3)"),
    [ST_BLOCK_PUT] = "UPDATE blocks SET from_ms = ?2 WHERE id = ?1",
    [ST_BLOCK_DROP] = "DELETE FROM blocks WHERE id = ?1",
    [ST_DATA_PUT] = "INSERT OR REPLACE INTO block_data (id, data) VALUES (?1, ?2)",
    [ST_DATA_DROP] = "DELETE FROM block_data WHERE id = ?1",
};

/* What brings a file from version N to N + 1. A new version is a new entry; the old ones stay as they are. */
static const char *const migrations[STORE_VERSION] = {
    ("CREATE TABLE places (id INTEGER PRIMARY KEY, partition TEXT NOT NULL, account TEXT NOT NULL, region TEXT NOT "
     "NULL, endpoint TEXT NOT NULL, data BLOB NOT NULL);"
     "CREATE TABLE logins (key TEXT PRIMARY KEY, account TEXT NOT NULL, arn TEXT NOT NULL) WITHOUT ROWID;"
     "CREATE TABLE strings (id INTEGER PRIMARY KEY, text BLOB NOT NULL);"
     "CREATE TABLE jobs (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, name BLOB NOT NULL, data BLOB NOT NULL);"
     "CREATE TABLE blocks (id INTEGER PRIMARY KEY, job INTEGER NOT NULL, from_ms INTEGER NOT NULL);"
     "CREATE TABLE block_data (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"),
    "CREATE TABLE daily (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;",
};

struct store {
  sqlite3 *db;
  sqlite3_stmt *prepared[ST_COUNT];
  int64_t data_version; /* as SQLite counts changes by other connections */
  char why[300];
};

const char *store_why(const struct store *s)
{
  return s->why;
}

static enum store_result store_judge(struct store *s, int code)
{
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_DONE:
  case SQLITE_ROW:
    return STORE_OK;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return STORE_BUSY;
  default:
    snprintf(s->why, sizeof s->why, "%s", sqlite3_errmsg(s->db));
    return STORE_FAILED;
  }
}

static sqlite3_stmt *store_use(struct store *s, enum statement which)
{
  sqlite3_stmt *st = s->prepared[which];
  if (st == NULL) {
    int code = sqlite3_prepare_v3(s->db, statements[which], -1, SQLITE_PREPARE_PERSISTENT, &s->prepared[which], NULL);
    store_judge(s, code);
    st = s->prepared[which];
  } else {
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
  }
  return st;
}

/* --- opening --------------------------------------------------------------------------------------------------------- */

static struct err store_error(struct store *s, const char *path, const char *what, const char *hint)
{
  struct err e = err_new(ERR_IO, "%s %s: %s", what, path, s->db == NULL ? "no memory" : sqlite3_errmsg(s->db));
  err_set_hint(&e, "%s", hint);
  return e;
}

static void make_folders(const char *path)
{
  char *copy = xstrdup(path);
  for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(copy, 0700); /* one that is there already is fine; one that cannot be made shows when the file is opened */
    *slash = '/';
  }
  free(copy);
}

static bool store_exec(struct store *s, const char *sql)
{
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int store_number(struct store *s, const char *sql)
{
  sqlite3_stmt *st = NULL;
  int n = -1;
  if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
    n = sqlite3_column_int(st, 0);
  sqlite3_finalize(st);
  return n;
}

static bool store_migrate(struct store *s, int version)
{
  if (!store_exec(s, "BEGIN IMMEDIATE"))
    return false;
  /* Another gluetop may have done it since we looked. */
  version = store_number(s, "PRAGMA user_version");
  bool good = version >= 0;
  for (int v = version; good && v < STORE_VERSION; v++)
    good = store_exec(s, migrations[v]);
  char stamp[100];
  snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d; PRAGMA application_id = %d", STORE_VERSION,
           STORE_APPLICATION);
  good = good && (version >= STORE_VERSION || store_exec(s, stamp)) && store_exec(s, "COMMIT");
  if (!good)
    store_exec(s, "ROLLBACK");
  return good;
}

static struct err store_setup(struct store *s, const char *path, bool *read_only)
{
  const char *hint = "move it away to begin a new one; gluetop works without it meanwhile";
  sqlite3_busy_timeout(s->db, 0);
  sqlite3_extended_result_codes(s->db, 1);
  *read_only = sqlite3_db_readonly(s->db, "main") != 0;
  int version = store_number(s, "PRAGMA user_version");
  int application = version < 0 ? 0 : store_number(s, "PRAGMA application_id");
  if (version < 0)
    return store_error(s, path, "cannot read the store", hint);
  if (version > STORE_VERSION) {
    struct err e =
        err_new(ERR_IO, "the store %s is of version %d; this gluetop knows version %d", path, version, STORE_VERSION);
    err_set_hint(&e, "use the newer gluetop, or another folder with --cache; nothing in it was changed");
    return e;
  }
  if (version > 0 && application != STORE_APPLICATION)
    return err_new(ERR_IO, "%s is an SQLite file of another program; it is left alone", path);
  if (*read_only && version < STORE_VERSION)
    return store_error(s, path, "cannot begin a store in", "gluetop works without it");
  if (!*read_only) {
    if (version == 0)
      store_exec(s, "PRAGMA page_size = 8192");
    store_exec(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000");
    if (version < STORE_VERSION && !store_migrate(s, version))
      return store_error(s, path, "cannot begin a store in", "gluetop works without it");
  }
  store_exec(s, "PRAGMA cache_size = -4000");
  /* The rest are prepared when they are first used; a file without our tables shows at once. */
  if (store_use(s, ST_PLACE_GET) == NULL && !*read_only)
    return store_error(s, path, "cannot use the store", hint);
  return err_ok();
}

struct err store_open(const char *path, struct store **out, bool *read_only)
{
  *out = NULL;
  *read_only = false;
  make_folders(path);
  /* SQLite would make the file by the umask; its helpers (-wal, -shm) take the mode of the file. */
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int why = errno;
  if (fd >= 0)
    close(fd);
  else if (why != EROFS && why != EACCES) {
    errno = why;
    struct err e = err_errno(ERR_IO, "cannot open the store %s", path);
    err_set_hint(&e, "gluetop works without it");
    return e;
  }
  struct store *s = xcalloc(1, sizeof *s);
  int flags = (fd >= 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
  struct err e = err_ok();
  if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK)
    e = store_error(s, path, "cannot open the store", "gluetop works without it");
  if (!err_is(&e))
    e = store_setup(s, path, read_only);
  if (err_is(&e)) {
    store_close(s);
    return e;
  }
  s->data_version = -1;
  *out = s;
  return e;
}

void store_close(struct store *s)
{
  if (s == NULL)
    return;
  for (int i = 0; i < ST_COUNT; i++)
    sqlite3_finalize(s->prepared[i]);
  sqlite3_close(s->db);
  free(s);
}

/* --- statements ------------------------------------------------------------------------------------------------------ */

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
  sqlite3_bind_text(st, at, text == NULL ? "" : text, -1, SQLITE_STATIC);
}

static void bind_buf(sqlite3_stmt *st, int at, const struct buf *b)
{
  sqlite3_bind_blob64(st, at, b->data, b->len, SQLITE_STATIC);
}

/* One step of a statement that gives no rows. */
static enum store_result store_do(struct store *s, sqlite3_stmt *st)
{
  if (st == NULL)
    return STORE_FAILED;
  int code = sqlite3_step(st);
  enum store_result r = store_judge(s, code);
  sqlite3_reset(st);
  return r;
}

/* The first row, or STORE_NONE. The caller resets. */
static enum store_result store_row(struct store *s, sqlite3_stmt *st)
{
  if (st == NULL)
    return STORE_FAILED;
  int code = sqlite3_step(st);
  return code == SQLITE_DONE ? STORE_NONE : store_judge(s, code);
}

enum store_result store_begin(struct store *s)
{
  return store_do(s, store_use(s, ST_BEGIN));
}

enum store_result store_begin_reading(struct store *s)
{
  return store_do(s, store_use(s, ST_BEGIN_READING));
}

enum store_result store_commit(struct store *s)
{
  return store_do(s, store_use(s, ST_COMMIT));
}

void store_rollback(struct store *s)
{
  store_do(s, store_use(s, ST_ROLLBACK));
}

enum store_result store_each_string(struct store *s, uint32_t above, store_string_fn *fn, void *user)
{
  sqlite3_stmt *st = store_use(s, ST_STRINGS);
  enum store_result r = STORE_FAILED;
  sqlite3_bind_int64(st, 1, above);
  while ((r = store_row(s, st)) == STORE_OK)
    fn(user, (uint32_t)sqlite3_column_int64(st, 0), sqlite3_column_blob(st, 1), (size_t)sqlite3_column_bytes(st, 1));
  sqlite3_reset(st);
  return r == STORE_NONE ? STORE_OK : r;
}

uint32_t store_string_last(struct store *s)
{
  sqlite3_stmt *st = store_use(s, ST_STRING_LAST);
  uint32_t last = store_row(s, st) == STORE_OK ? (uint32_t)sqlite3_column_int64(st, 0) : 0;
  sqlite3_reset(st);
  return last;
}

enum store_result store_string_add(struct store *s, const char *text, size_t len, uint32_t *id)
{
  sqlite3_stmt *st = store_use(s, ST_STRING_ADD);
  sqlite3_bind_blob64(st, 1, text, len > STRING_MAX ? STRING_MAX : len, SQLITE_STATIC);
  enum store_result r = store_do(s, st);
  *id = (uint32_t)sqlite3_last_insert_rowid(s->db);
  return r;
}

enum store_result store_login_get(struct store *s, const char *key, struct buf *account, struct buf *arn)
{
  sqlite3_stmt *st = store_use(s, ST_LOGIN_GET);
  bind_text(st, 1, key);
  enum store_result r = store_row(s, st);
  if (r == STORE_OK) {
    buf_add(account, sqlite3_column_text(st, 0), (size_t)sqlite3_column_bytes(st, 0));
    buf_add(arn, sqlite3_column_text(st, 1), (size_t)sqlite3_column_bytes(st, 1));
  }
  sqlite3_reset(st);
  return r;
}

enum store_result store_login_put(struct store *s, const char *key, const char *account, const char *arn)
{
  sqlite3_stmt *st = store_use(s, ST_LOGIN_PUT);
  bind_text(st, 1, key);
  bind_text(st, 2, account);
  bind_text(st, 3, arn);
  return store_do(s, st);
}

enum store_result store_daily_get(struct store *s, const char *key, struct buf *data)
{
  sqlite3_stmt *st = store_use(s, ST_DAILY_GET);
  if (st == NULL)
    return STORE_NONE;
  bind_text(st, 1, key);
  enum store_result r = store_row(s, st);
  if (r == STORE_OK)
    buf_add(data, sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0));
  sqlite3_reset(st);
  return r;
}

enum store_result store_daily_put(struct store *s, const char *key, const struct buf *data)
{
  sqlite3_stmt *st = store_use(s, ST_DAILY_PUT);
  bind_text(st, 1, key);
  bind_buf(st, 2, data);
  return store_do(s, st);
}

static void bind_place(sqlite3_stmt *st, const struct store_place_key *key)
{
  bind_text(st, 1, key->partition);
  bind_text(st, 2, key->account);
  bind_text(st, 3, key->region);
  bind_text(st, 4, key->endpoint);
}

enum store_result store_place_get(struct store *s, const struct store_place_key *key, bool make, int64_t *id,
                                  struct buf *data)
{
  sqlite3_stmt *st = store_use(s, ST_PLACE_GET);
  bind_place(st, key);
  enum store_result r = store_row(s, st);
  if (r == STORE_OK) {
    *id = sqlite3_column_int64(st, 0);
    if (data != NULL)
      buf_add(data, sqlite3_column_blob(st, 1), (size_t)sqlite3_column_bytes(st, 1));
  }
  sqlite3_reset(st);
  if (r != STORE_NONE || !make)
    return r;
  st = store_use(s, ST_PLACE_ADD);
  bind_place(st, key);
  r = store_do(s, st);
  *id = sqlite3_last_insert_rowid(s->db);
  return r;
}

enum store_result store_place_put(struct store *s, int64_t id, const struct buf *data)
{
  sqlite3_stmt *st = store_use(s, ST_PLACE_PUT);
  sqlite3_bind_int64(st, 1, id);
  bind_buf(st, 2, data);
  return store_do(s, st);
}

static enum store_result jobs_walk(struct store *s, sqlite3_stmt *st, store_job_fn *fn, void *user)
{
  enum store_result r = STORE_FAILED;
  bool any = false;
  while ((r = store_row(s, st)) == STORE_OK) {
    any = true;
    fn(user, &(struct store_job){.id = sqlite3_column_int64(st, 0),
                                 .version = sqlite3_column_int64(st, 1),
                                 .name = sqlite3_column_blob(st, 2),
                                 .name_len = (size_t)sqlite3_column_bytes(st, 2),
                                 .data = sqlite3_column_blob(st, 3),
                                 .len = (size_t)sqlite3_column_bytes(st, 3)});
  }
  sqlite3_reset(st);
  return r == STORE_NONE && any ? STORE_OK : r;
}

enum store_result store_each_job(struct store *s, int64_t place, store_job_fn *fn, void *user)
{
  sqlite3_stmt *st = store_use(s, ST_JOBS);
  sqlite3_bind_int64(st, 1, place);
  return jobs_walk(s, st, fn, user);
}

bool store_changed_by_others(struct store *s)
{
  sqlite3_stmt *st = store_use(s, ST_DATA_VERSION);
  int64_t version = st != NULL && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
  if (st != NULL)
    sqlite3_reset(st);
  bool changed = version != s->data_version;
  s->data_version = version;
  return changed;
}

enum store_result store_job_put(struct store *s, int64_t place, int64_t *id, int64_t *version, const char *name,
                                const struct buf *data)
{
  sqlite3_stmt *st = store_use(s, *id == 0 ? ST_JOB_ADD : ST_JOB_PUT);
  if (*id == 0) {
    sqlite3_bind_int64(st, 1, place);
    sqlite3_bind_int64(st, 2, *version + 1);
    sqlite3_bind_blob64(st, 3, name, strlen(name), SQLITE_STATIC);
    bind_buf(st, 4, data);
  } else {
    sqlite3_bind_int64(st, 1, *id);
    sqlite3_bind_int64(st, 2, *version + 1);
    bind_buf(st, 3, data);
  }
  enum store_result r = store_do(s, st);
  if (r == STORE_OK) {
    *id = *id == 0 ? sqlite3_last_insert_rowid(s->db) : *id;
    *version += 1;
  }
  return r;
}

static enum store_result blocks_walk(struct store *s, sqlite3_stmt *st, store_block_fn *fn, void *user)
{
  enum store_result r = STORE_FAILED;
  while ((r = store_row(s, st)) == STORE_OK)
    fn(user, &(struct store_block){.id = sqlite3_column_int64(st, 0),
                                   .job = sqlite3_column_int64(st, 1),
                                   .from_ms = sqlite3_column_int64(st, 2)});
  sqlite3_reset(st);
  return r == STORE_NONE ? STORE_OK : r;
}

enum store_result store_each_block(struct store *s, int64_t place, store_block_fn *fn, void *user)
{
  sqlite3_stmt *st = store_use(s, ST_BLOCKS);
  sqlite3_bind_int64(st, 1, place);
  return blocks_walk(s, st, fn, user);
}

enum store_result store_each_block_of(struct store *s, int64_t place, int64_t job, store_block_fn *fn, void *user)
{
  sqlite3_stmt *st = store_use(s, ST_BLOCKS_OF);
  sqlite3_bind_int64(st, 1, place);
  sqlite3_bind_int64(st, 2, job);
  return blocks_walk(s, st, fn, user);
}

enum store_result store_block_use(struct store *s, int64_t id, store_data_fn *fn, void *user)
{
  sqlite3_stmt *st = store_use(s, ST_BLOCK_GET);
  sqlite3_bind_int64(st, 1, id);
  enum store_result r = store_row(s, st);
  if (r == STORE_OK && !fn(user, sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0))) {
    snprintf(s->why, sizeof s->why, "a record in it cannot be read");
    r = STORE_FAILED;
  }
  sqlite3_reset(st);
  return r;
}

void store_shrink(struct store *s)
{
  store_exec(s, "PRAGMA cache_size = -500; PRAGMA shrink_memory");
}

enum store_result store_block_put(struct store *s, int64_t place, struct store_block *block, const struct buf *data)
{
  sqlite3_stmt *st = store_use(s, block->id == 0 ? ST_BLOCK_ADD : ST_BLOCK_PUT);
  if (block->id == 0) {
    sqlite3_bind_int64(st, 1, place);
    sqlite3_bind_int64(st, 2, block->job);
    sqlite3_bind_int64(st, 3, block->from_ms);
  } else {
    sqlite3_bind_int64(st, 1, block->id);
    sqlite3_bind_int64(st, 2, block->from_ms);
  }
  enum store_result r = store_do(s, st);
  if (r != STORE_OK)
    return r;
  if (block->id == 0)
    block->id = sqlite3_last_insert_rowid(s->db);
  st = store_use(s, ST_DATA_PUT);
  sqlite3_bind_int64(st, 1, block->id);
  bind_buf(st, 2, data);
  return store_do(s, st);
}

enum store_result store_block_drop(struct store *s, int64_t id)
{
  sqlite3_stmt *st = store_use(s, ST_BLOCK_DROP);
  sqlite3_bind_int64(st, 1, id);
  enum store_result r = store_do(s, st);
  if (r != STORE_OK)
    return r;
  st = store_use(s, ST_DATA_DROP);
  sqlite3_bind_int64(st, 1, id);
  return store_do(s, st);
}
