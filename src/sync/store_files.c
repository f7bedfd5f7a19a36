/* Which file holds what: one for each place, one for the logins, and the one file of before, whose rows are carried over. */
#include "sync/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sqlite3.h>
#include "base/xalloc.h"

#define NAME_MAX_BYTES ((size_t)120)

static uint64_t hash_text(uint64_t h, const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
  return (h ^ 0xff) * UINT64_C(1099511628211); /* so that "a", "bc" is not "ab", "c" */
}

/* Account and Region as they are, as long as they are what the service calls so; anything else shows as _ and in the hash. */
static bool add_clean(struct buf *out, const char *text)
{
  bool clean = text[0] != '\0';
  for (const char *c = text; *c != '\0' && out->len < NAME_MAX_BYTES; c++) {
    bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '-';
    buf_addc(out, plain ? *c : '_');
    clean = clean && plain;
  }
  return clean && out->len < NAME_MAX_BYTES;
}

char *store_place_path(const char *folder, const struct store_place_key *key)
{
  struct buf name;
  buf_init(&name, NAME_MAX_BYTES + 100);
  bool plain = strcmp(key->partition, "aws") == 0 && key->endpoint[0] == '\0';
  plain = add_clean(&name, key->account) && plain;
  buf_addc(&name, '.');
  plain = add_clean(&name, key->region) && plain;
  uint64_t h = hash_text(UINT64_C(14695981039346656037), key->partition);
  h = hash_text(hash_text(hash_text(h, key->account), key->region), key->endpoint);
  char *path = plain ? xasprintf("%s/%s.db", folder, name.data)
                     : xasprintf("%s/%s.%016llx.db", folder, name.data, (unsigned long long)h);
  buf_fini(&name);
  return path;
}

char *store_logins_path(const char *folder)
{
  return xasprintf("%s/logins.db", folder);
}

char *store_old_path(const char *folder)
{
  return xasprintf("%s/history.db", folder);
}

/* --- the one file of before ------------------------------------------------------------------------------------------ */

struct carrier {
  sqlite3 *db;
  const char *old_path;
  bool empty; /* there never was anything in it */
};

static struct err carry_error(const struct carrier *c, const char *why)
{
  struct err e = err_new(ERR_IO, "the store %s of before could not be taken over: %s", c->old_path, why);
  err_set_hint(&e, "nothing in it is lost; gluetop works without a store meanwhile; move it away to begin a new one");
  return e;
}

/* One statement; its first column, or -1. *code is what SQLite said. */
static int64_t carry_number(struct carrier *c, const char *sql, const char *const *texts, int *code)
{
  sqlite3_stmt *st = NULL;
  int64_t n = -1;
  *code = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL);
  if (*code == SQLITE_OK) {
    for (int i = 0; texts != NULL && texts[i] != NULL; i++)
      sqlite3_bind_text(st, i + 1, texts[i], -1, SQLITE_STATIC);
    *code = sqlite3_step(st);
    if (*code == SQLITE_ROW)
      n = sqlite3_column_int64(st, 0);
  }
  sqlite3_finalize(st);
  return n;
}

static bool carry_exec(struct carrier *c, const char *sql)
{
  return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool carry_with_id(struct carrier *c, const char *format, int64_t id)
{
  char *sql = sqlite3_mprintf(format, id, id, id);
  bool good = sql != NULL && carry_exec(c, sql);
  sqlite3_free(sql);
  return good;
}

static struct err carry_begin(struct carrier *c, const char *path)
{
  int code = SQLITE_OK;
  const char *const old[] = {c->old_path, NULL};
  if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    return carry_error(c, c->db == NULL ? "no memory" : sqlite3_errmsg(c->db));
  carry_number(c, "ATTACH ?1 AS old", old, &code);
  if (code != SQLITE_DONE)
    return carry_error(c, sqlite3_errmsg(c->db));
  int64_t version = carry_number(c, "PRAGMA old.user_version", NULL, &code);
  if (code != SQLITE_ROW)
    return carry_error(c, sqlite3_errmsg(c->db));
  if (version > 1)
    return carry_error(c, "it is of a version that this gluetop does not know");
  if (version == 1 && carry_number(c, "PRAGMA old.application_id", NULL, &code) != STORE_APPLICATION)
    return carry_error(c, "it is an SQLite file of another program");
  c->empty = version <= 0;
  return err_ok();
}

/* What was carried over leaves the old file; when nothing is left there it goes. A crash in between costs nothing: it is only found to be
 * here already. */
static void carry_end(struct carrier *c, bool good)
{
  int code = SQLITE_OK;
  int64_t left = good ? carry_number(c, "SELECT (SELECT count(*) FROM old.places) + (SELECT count(*) FROM old.logins)",
                                     NULL, &code)
                      : -1;
  sqlite3_close(c->db);
  if (left != 0)
    return;
  static const char *const tails[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
    char *name = xasprintf("%s%s", c->old_path, tails[i]);
    unlink(name);
    free(name);
  }
}

static bool old_is_there(const char *old_path)
{
  struct stat st;
  return stat(old_path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static bool carry_copy(struct carrier *c, int64_t id)
{
  return carry_exec(c, "BEGIN IMMEDIATE") &&
         carry_with_id(c, "INSERT INTO main.places SELECT * FROM old.places WHERE id = %lld", id) &&
         carry_exec(c, "INSERT INTO main.strings SELECT * FROM old.strings") &&
         carry_with_id(
             c, "INSERT INTO main.jobs SELECT * FROM old.jobs WHERE id > %lld << 40 AND id < (%lld + 1) << 40", id) &&
         carry_with_id(
             c, "INSERT INTO main.blocks SELECT * FROM old.blocks WHERE id > %lld << 40 AND id < (%lld + 1) << 40",
             id) &&
         carry_with_id(
             c,
             "INSERT INTO main.block_data SELECT * FROM old.block_data WHERE id > %lld << 40 AND id < (%lld + "
             "1) << 40",
             id) &&
         carry_exec(c, "COMMIT");
}

static struct err carry_rows(struct carrier *c, const struct store_place_key *key)
{
  const char *const texts[] = {key->partition, key->account, key->region, key->endpoint, NULL};
  int code = SQLITE_OK;
  int64_t id = carry_number(
      c, "SELECT id FROM old.places WHERE partition = ?1 AND account = ?2 AND region = ?3 AND endpoint = ?4", texts,
      &code);
  if (code == SQLITE_DONE)
    return err_ok();
  if (code != SQLITE_ROW)
    return carry_error(c, sqlite3_errmsg(c->db));
  bool here = carry_number(c, "SELECT count(*) FROM main.places", NULL, &code) > 0;
  if (!here && !carry_copy(c, id)) {
    struct err e = carry_error(c, sqlite3_errmsg(c->db));
    carry_exec(c, "ROLLBACK");
    return e;
  }
  carry_with_id(c, "DELETE FROM old.places WHERE id = %lld", id);
  return err_ok();
}

struct err store_carry_place(const char *folder, const char *path, const struct store_place_key *key)
{
  char *old_path = store_old_path(folder);
  struct carrier c = {.old_path = old_path};
  struct err e = err_ok();
  if (!old_is_there(old_path)) {
    free(old_path);
    return e;
  }
  e = carry_begin(&c, path);
  if (!err_is(&e) && !c.empty)
    e = carry_rows(&c, key);
  carry_end(&c, !err_is(&e) && !c.empty);
  free(old_path);
  return e;
}

struct err store_carry_logins(const char *folder, const char *path)
{
  char *old_path = store_old_path(folder);
  struct carrier c = {.old_path = old_path};
  struct err e = err_ok();
  if (old_is_there(old_path)) {
    e = carry_begin(&c, path);
    if (!err_is(&e) && !c.empty && carry_exec(&c, "INSERT OR IGNORE INTO main.logins SELECT * FROM old.logins"))
      carry_exec(&c, "DELETE FROM old.logins");
    carry_end(&c, !err_is(&e) && !c.empty);
  }
  free(old_path);
  return e;
}
