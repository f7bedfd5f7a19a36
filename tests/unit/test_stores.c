/* The files of the store: one for each place, each with its own troubles; the one file of before, carried over; and kills at any moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sqlite3.h>
#include "base/xalloc.h"
#include "model/model.h"
#include "sync/history.h"
#include "sync/store.h"

#define T0    INT64_C(1790000000000)
#define ONE   "111111111111"
#define OTHER "222222222222"

static char folder[200];

static int make_folder(void **state)
{
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/gluetop-stores-XXXXXX", base == NULL ? "/tmp" : base);
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
  (void)state;
  char name[600];
  DIR *dir = opendir(folder);
  for (struct dirent *d = dir == NULL ? NULL : readdir(dir); d != NULL; d = readdir(dir)) {
    snprintf(name, sizeof name, "%s/%s", folder, d->d_name);
    unlink(name);
  }
  if (dir != NULL)
    closedir(dir);
  rmdir(folder);
  return 0;
}

static char *file_of(const char *account)
{
  struct store_place_key key = {.partition = "aws", .account = account, .region = "eu-west-1", .endpoint = ""};
  return store_place_path(folder, &key);
}

static bool is_there(const char *name)
{
  char *path = xasprintf("%s/%s", folder, name);
  bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

static struct model *model_of(const char *account)
{
  struct model *m = model_new();
  model_add_context(m, "default", "", "eu-west-1", "option", "aws", "");
  struct identity id = {.account = account, .arn = "arn"};
  model_set_identity(m, 0, &id, T0);
  return m;
}

static void put_run(struct model *m, strid job, unsigned number)
{
  char id[100], error[60];
  snprintf(id, sizeof id, "jr_%064x", number);
  snprintf(error, sizeof error, "error %u", number);
  struct run_data d = {.id = id,
                       .state = number % 3 == 0 ? "FAILED" : "SUCCEEDED",
                       .error = number % 3 == 0 ? error : NULL,
                       .worker_type = "G.1X",
                       .glue_version = "5.1",
                       .started_ms = T0 - (int64_t)number * 1000,
                       .modified_ms = T0 - (int64_t)number * 1000 + 70000,
                       .completed_ms = T0 - (int64_t)number * 1000 + 60000,
                       .execution_seconds = 50,
                       .timeout_minutes = 60,
                       .workers = 10,
                       .max_capacity = 10,
                       .dpu_seconds = (double)NAN};
  assert_true(model_put_run(m, 0, job, &d, T0, NULL));
}

static void paint_all(struct history *h, struct model *m)
{
  history_paint(h, m, 0);
  for (int i = 0; i < 100000 && history_step(h, m, 3); i++)
    continue;
  assert_false(history_is_painting(h));
}

static void flush_all(struct history *h, struct model *m)
{
  for (int i = 0; i < 1000 && history_flush(h, m, 0, 16); i++)
    continue;
}

static void assert_no_trouble(struct history *h)
{
  struct err e = history_trouble(h);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
}

static void assert_trouble(struct history *h, const char *word)
{
  struct err e = history_trouble(h);
  if (!err_is(&e) || strstr(err_message(&e), word) == NULL)
    fail_msg("'%s' is not in '%s'", word, err_message(&e));
  err_fini(&e);
}

static void store_runs(const char *account, unsigned count)
{
  struct model *m = model_of(account);
  struct history *h = history_open(folder);
  paint_all(h, m);
  strid job = model_touch_job(m, 0, "orders")->name;
  for (unsigned i = 0; i < count; i++)
    put_run(m, job, i);
  model_add_span(m, 0, job, T0 - (int64_t)count * 1000, T0, false);
  flush_all(h, m);
  assert_no_trouble(h);
  history_close(h);
  model_free(m);
}

/* How many runs come back; each is as it was put. */
static size_t runs_of(struct history *h, const char *account)
{
  struct model *m = model_of(account);
  paint_all(h, m);
  const struct job *j = model_job(m, 0, strpool_find(m->strings, "orders"));
  size_t count = j == NULL ? 0 : j->run_count;
  for (size_t i = 0; i < count; i++) {
    char id[RUN_ID_MAX], expected[100];
    snprintf(expected, sizeof expected, "jr_%064zx", i);
    assert_string_equal(run_id_text(&j->runs[i], m->strings, id), expected);
    assert_int_equal(j->runs[i].started_ms, T0 - (int64_t)i * 1000);
    assert_int_equal(j->runs[i].error != 0, i % 3 == 0);
  }
  model_free(m);
  return count;
}

static size_t runs_now(const char *account)
{
  struct history *h = history_open(folder);
  size_t count = runs_of(h, account);
  assert_no_trouble(h);
  history_close(h);
  return count;
}

static void exec_sql(const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  char *why = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
    fail_msg("%s: %s", sql, why);
  sqlite3_close(db);
}

/* --- names ----------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
  (void)state;
  static const struct {
    const char *partition, *account, *region, *endpoint, *name;
  } cases[] = {
      {"aws", ONE, "eu-west-1", "", "/x/111111111111.eu-west-1.db"},
      {"aws-cn", ONE, "cn-north-1", "", NULL},
      {"aws", ONE, "eu-west-1", "https://glue.example:8443/secret-path", NULL},
      {"aws", ONE, "eu-west-1", "http://127.0.0.1:4600", NULL},
      {"aws", "../../etc/passwd", "eu-west-1", "", NULL},
      {"aws", ".._.._etc_passwd", "eu-west-1", "", NULL},
      {"aws", "1", "1.eu-west-1", "", NULL},
      {"aws", "1.1", "eu-west-1", "", NULL},
      {"aws", "", "", "", NULL},
      {"aws", "\x1b[2J\n", "r\xc3\xa4gion", "", NULL},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  char *names[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    struct store_place_key key = {cases[i].partition, cases[i].account, cases[i].region, cases[i].endpoint};
    names[i] = store_place_path("/x", &key);
    char *again = store_place_path("/x", &key);
    assert_string_equal(names[i], again); /* the next start finds it */
    free(again);
    if (cases[i].name != NULL)
      assert_string_equal(names[i], cases[i].name);
    assert_int_equal(strncmp(names[i], "/x/", 3), 0);
    assert_int_equal(strspn(names[i] + 3, "0123456789abcdefghijklmnopqrstuvwxyz-_."), strlen(names[i] + 3));
    assert_null(strstr(names[i], "example"));
    assert_null(strstr(names[i], "secret"));
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(names[i], names[k]);
  }
  char *long_account = xcalloc(5001, 1);
  memset(long_account, '7', 5000);
  struct store_place_key key = {"aws", long_account, "eu-west-1", ""};
  char *name = store_place_path("/x", &key);
  assert_true(strlen(name) < 200);
  free(name);
  free(long_account);
  for (size_t i = 0; i < COUNT; i++)
    free(names[i]);
}

/* --- each place by itself -------------------------------------------------------------------------------------------- */

static void test_a_file_for_each_place(void **state)
{
  (void)state;
  store_runs(ONE, 300);
  store_runs(OTHER, 20);
  char *one = file_of(ONE), *other = file_of(OTHER);
  struct stat st;
  assert_int_equal(stat(one, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_int_equal(stat(other, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_int_equal(runs_now(ONE), 300);
  assert_int_equal(runs_now(OTHER), 20);
  /* one of a newer version, held, damaged: told, and the other goes on */
  exec_sql(one, "PRAGMA user_version = 99");
  struct history *h = history_open(folder);
  struct model *m = model_of(ONE);
  paint_all(h, m);
  assert_trouble(h, "version 99");
  assert_int_equal(m->places[0].job_count, 0);
  put_run(m, model_touch_job(m, 0, "orders")->name, 5);
  assert_false(history_flush(h, m, 0, 10));
  history_close(h);
  model_free(m);
  assert_int_equal(runs_now(OTHER), 20);
  exec_sql(one, "PRAGMA user_version = 2");
  sqlite3 *holder = NULL;
  assert_int_equal(sqlite3_open(one, &holder), SQLITE_OK);
  assert_int_equal(sqlite3_exec(holder,
                                "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE places SET data = data", NULL,
                                NULL, NULL),
                   SQLITE_OK);
  h = history_open(folder);
  assert_int_equal(runs_of(h, ONE), 0);
  assert_trouble(h, "locked");
  history_close(h);
  assert_int_equal(runs_now(OTHER), 20);
  sqlite3_close(holder);
  assert_int_equal(runs_now(ONE), 300);
  exec_sql(one, "UPDATE jobs SET data = x'02ffffff'");
  h = history_open(folder);
  assert_int_equal(runs_of(h, ONE), 0);
  assert_trouble(h, "damaged");
  assert_no_trouble(h);
  history_close(h);
  assert_int_equal(runs_now(OTHER), 20);
  free(one);
  free(other);
}

static void test_a_full_disk(void **state)
{
  (void)state;
  store_runs(ONE, 50);
  struct model *m = model_of(ONE);
  struct history *h = history_open(folder);
  paint_all(h, m);
  strid job = model_touch_job(m, 0, "orders")->name;
  for (unsigned i = 50; i < 4000; i++)
    put_run(m, job, i);
  /* A limit for files stands in for the disk's: writing fails in the middle of a transaction. */
  struct rlimit before, tight = {.rlim_cur = 100000};
  getrlimit(RLIMIT_FSIZE, &before);
  tight.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  flush_all(h, m);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_trouble(h, "could not be written");
  assert_no_trouble(h);
  assert_int_equal(model_job(m, 0, job)->run_count, 4000); /* the program goes on */
  put_run(m, job, 4001);
  assert_false(history_flush(h, m, 0, 10));
  history_close(h);
  model_free(m);
  assert_int_equal(runs_now(ONE), 50);
}

static void test_a_path_that_is_a_file(void **state)
{
  (void)state;
  char *path = xasprintf("%s/%s", folder, "history.db");
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("something else", f);
  fclose(f);
  struct history *h = history_open(path);
  struct model *m = model_of(ONE);
  paint_all(h, m);
  assert_trouble(h, "no folder");
  assert_false(history_flush(h, m, 0, 10));
  assert_no_trouble(h);
  history_close(h);
  model_free(m);
  free(path);
}

/* --- the one file of before ------------------------------------------------------------------------------------------ */

/* As version 1 wrote it: the rows of ONE, another place without jobs, a login. */
static void make_old_file(void)
{
  char *one = file_of(ONE), *old = store_old_path(folder);
  store_runs(ONE, 700);
  char *sql = xasprintf(
      "ATTACH '%s' AS one;"
      "CREATE TABLE places (id INTEGER PRIMARY KEY, partition TEXT NOT NULL, account TEXT NOT NULL, region TEXT NOT "
      "NULL, endpoint TEXT NOT NULL, data BLOB NOT NULL);"
      "CREATE TABLE logins (key TEXT PRIMARY KEY, account TEXT NOT NULL, arn TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE strings (id INTEGER PRIMARY KEY, text BLOB NOT NULL);"
      "CREATE TABLE jobs (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, name BLOB NOT NULL, data BLOB NOT NULL);"
      "CREATE TABLE blocks (id INTEGER PRIMARY KEY, job INTEGER NOT NULL, from_ms INTEGER NOT NULL);"
      "CREATE TABLE block_data (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
      "INSERT INTO places SELECT * FROM one.places;"
      "INSERT INTO places VALUES (7, 'aws', '" OTHER "', 'eu-west-1', '', x'');"
      "INSERT INTO logins VALUES ('prod', '" ONE "', 'arn:x');"
      "INSERT INTO strings SELECT * FROM one.strings;"
      "INSERT INTO jobs SELECT id, version, name, x'01' || substr(data, 2) FROM one.jobs;"
      "INSERT INTO blocks SELECT * FROM one.blocks;"
      "INSERT INTO block_data SELECT * FROM one.block_data;"
      "PRAGMA user_version = 1; PRAGMA application_id = %d;",
      one, STORE_APPLICATION);
  exec_sql(old, sql);
  unlink(one);
  char *logins = store_logins_path(folder);
  unlink(logins);
  free(logins);
  free(sql);
  free(one);
  free(old);
}

static void test_the_file_of_before_is_carried_over(void **state)
{
  (void)state;
  make_old_file();
  struct history *h = history_open(folder);
  char *account = NULL, *arn = NULL;
  assert_true(history_login(h, "prod", &account, &arn));
  assert_string_equal(account, ONE);
  free(account);
  free(arn);
  assert_int_equal(runs_of(h, ONE), 700);
  assert_no_trouble(h);
  history_close(h);
  assert_true(is_there("history.db")); /* the other place is still in it */
  assert_int_equal(runs_now(ONE), 700);
  /* records of the old form are written on */
  struct model *m = model_of(ONE);
  h = history_open(folder);
  paint_all(h, m);
  put_run(m, model_touch_job(m, 0, "orders")->name, 700);
  flush_all(h, m);
  assert_no_trouble(h);
  history_close(h);
  model_free(m);
  assert_int_equal(runs_now(ONE), 701);
  assert_int_equal(runs_now(OTHER), 0);
  assert_false(is_there("history.db"));
  assert_int_equal(runs_now(ONE), 701);
}

static void test_a_file_of_before_that_stays(void **state)
{
  (void)state;
  make_old_file();
  char *old = store_old_path(folder);
  exec_sql(old, "PRAGMA user_version = 99");
  for (int round = 0; round < 2; round++) {
    struct history *h = history_open(folder);
    assert_int_equal(runs_of(h, ONE), 0);
    assert_trouble(h, "of before");
    struct err e = history_trouble(h); /* of the place, beside that of the logins */
    err_fini(&e);
    history_close(h);
  }
  exec_sql(old, "PRAGMA user_version = 1"); /* nothing in it was changed, and nothing stands in its way */
  assert_int_equal(runs_now(ONE), 700);
  free(old);
}

/* --- kills ----------------------------------------------------------------------------------------------------------- */

/* What a child does until it is killed: it reads history page by page into three jobs, newest first, tells by a byte that it is going to
 * write, and writes. */
static void write_until_killed(int progress)
{
  struct model *m = model_of(ONE);
  struct history *h = history_open(folder);
  paint_all(h, m);
  static const char *const names[] = {"orders", "orders-2", "orders-3"};
  for (unsigned page = 0; page < 400; page++) {
    strid job = model_touch_job(m, 0, names[page % 3])->name;
    const struct job *j = model_job(m, 0, job);
    unsigned from = (unsigned)j->run_count;
    for (unsigned i = from; i < from + 40; i++)
      put_run(m, job, i);
    model_add_span(m, 0, job, T0 - ((int64_t)from + 39) * 1000, T0, false);
    if (write(progress, "w", 1) != 1)
      _exit(1);
    history_flush(h, m, 0, 4);
  }
  _exit(0);
}

static void assert_no_hole(size_t *most)
{
  struct model *m = model_of(ONE);
  struct history *h = history_open(folder);
  paint_all(h, m);
  assert_no_trouble(h);
  for (size_t i = 0; i < m->places[0].job_count; i++) {
    const struct job *j = &m->places[0].jobs[i];
    *most = j->run_count > *most ? j->run_count : *most;
    for (size_t k = 0; k < j->run_count; k++)
      assert_int_equal(j->runs[k].started_ms, T0 - (int64_t)k * 1000);
    for (size_t k = 0; k < j->read_count; k++)
      assert_true(j->run_count > 0 && j->read[k].from_ms >= j->runs[j->run_count - 1].started_ms);
  }
  history_close(h);
  model_free(m);
}

static void test_kills_while_it_writes(void **state)
{
  (void)state;
  uint32_t seed = 5;
  size_t most = 0;
  for (int round = 0; round < 40; round++) {
    int fds[2];
    char byte;
    assert_int_equal(pipe(fds), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      close(fds[0]);
      write_until_killed(fds[1]);
    }
    close(fds[1]);
    seed = seed * 1103515245u + 12345u;
    for (unsigned n = 1 + (seed >> 16) % 12; n > 0; n--)
      assert_int_equal(read(fds[0], &byte, 1), 1);
    kill(child, SIGKILL); /* in the middle of a write, or near it */
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(fds[0]);
    assert_no_hole(&most);
  }
  assert_true(most > 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test_setup_teardown(test_a_file_for_each_place, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_full_disk, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_path_that_is_a_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_the_file_of_before_is_carried_over, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_file_of_before_that_stays, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_kills_while_it_writes, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
