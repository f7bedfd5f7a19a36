/* The store: what is written comes back, a kill leaves no hole, two programs share a file, and a bad file stops nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sqlite3.h>
#include "base/xalloc.h"
#include "model/model.h"
#include "sync/history.h"
#include "sync/store.h"

#define T0 INT64_C(1790000000000)

static char folder[200];
static char store[250]; /* the folder that the stores lie in */
static char path[300];  /* the file of the account that most tests are about */

static int make_folder(void **state)
{
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/gluetop-history-XXXXXX", base == NULL ? "/tmp" : base);
  if (mkdtemp(folder) == NULL)
    return -1;
  snprintf(store, sizeof store, "%s/state/gluetop", folder);
  snprintf(path, sizeof path, "%s/111111111111.eu-west-1.db", store);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  char name[700];
  DIR *dir = opendir(store);
  for (struct dirent *d = dir == NULL ? NULL : readdir(dir); d != NULL; d = readdir(dir)) {
    snprintf(name, sizeof name, "%s/%s", store, d->d_name);
    chmod(name, 0600);
    unlink(name);
  }
  if (dir != NULL)
    closedir(dir);
  static const char *const folders[] = {"/state/gluetop", "/state", ""};
  for (size_t i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s%s", folder, folders[i]);
    rmdir(name);
  }
  return 0;
}

static struct model *model_of_account(const char *account)
{
  struct model *m = model_new();
  model_add_context(m, "default", "", "eu-west-1", "option", "aws", "");
  struct identity id = {.account = account, .arn = "arn"};
  model_set_identity(m, 0, &id, T0);
  return m;
}

static strid put_job(struct model *m, const char *name)
{
  struct job_data d = {.name = name,
                       .command_name = "glueetl",
                       .role = "role",
                       .worker_type = "G.1X",
                       .glue_version = "5.1",
                       .created_ms = T0 - 5,
                       .modified_ms = T0 - 1,
                       .max_concurrent_runs = 3,
                       .max_retries = RECORD_ABSENT,
                       .timeout_minutes = 60,
                       .workers = 10,
                       .notify_delay_minutes = RECORD_ABSENT,
                       .max_capacity = 10,
                       .queuing = TRI_TRUE,
                       .bookmark = BOOKMARK_PAUSE};
  return model_put_job(m, 0, &d, T0)->name;
}

static void put_run(struct model *m, strid job, unsigned number, const char *state, int64_t started, int64_t asked)
{
  char id[100], error[100];
  snprintf(id, sizeof id, number % 7 == 3 ? "odd-%u" : number % 5 == 1 ? "jr_%064x_attempt_2" : "jr_%064x", number);
  snprintf(error, sizeof error, "error number %u", number % 40);
  struct run_data d = {.id = id,
                       .state = state,
                       .error = number % 3 == 0 ? error : NULL,
                       .worker_type = "G.1X",
                       .glue_version = "5.1",
                       .trigger = number % 2 == 0 ? "nightly" : NULL,
                       .started_ms = started,
                       .modified_ms = number % 4 == 0 ? WHEN_NONE : started + 70000,
                       .completed_ms = strcmp(state, "RUNNING") == 0 ? WHEN_NONE : started + 60000,
                       .attempt = number % 5 == 1 ? 2 : 0,
                       .execution_seconds = 50 + number % 100,
                       .timeout_minutes = RECORD_ABSENT,
                       .workers = 10,
                       .max_capacity = number % 6 == 0 ? 0.0625 : 10,
                       .dpu_seconds = number % 9 == 0 ? 123.456 : (double)NAN};
  assert_true(model_put_run(m, 0, job, &d, asked, NULL));
}

static void flush_all(struct history *h, struct model *m)
{
  for (int i = 0; i < 1000 && history_flush(h, m, 0, 16); i++)
    continue;
}

static void paint_all(struct history *h, struct model *m)
{
  history_paint(h, m, 0);
  for (int i = 0; i < 100000 && history_step(h, m, 3); i++)
    continue;
  assert_false(history_is_painting(h));
}

static void assert_no_trouble(struct history *h)
{
  struct err e = history_trouble(h);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
}

static void assert_same_run(const struct model *a, const struct run *x, const struct model *b, const struct run *y)
{
  char left[RUN_ID_MAX], right[RUN_ID_MAX];
  assert_string_equal(run_id_text(x, a->strings, left), run_id_text(y, b->strings, right));
  assert_int_equal(x->state, y->state);
  assert_int_equal(x->started_ms, y->started_ms);
  assert_int_equal(x->modified_ms, y->modified_ms);
  assert_int_equal(x->completed_ms, y->completed_ms);
  assert_int_equal(x->first_running_ms, y->first_running_ms);
  /* an answer that changes nothing is not written for its date alone */
  assert_true(x->fetched_ms / 1000 >= y->fetched_ms / 1000);
  assert_int_equal(x->execution_seconds, y->execution_seconds);
  assert_int_equal(x->timeout_minutes, y->timeout_minutes);
  assert_int_equal(x->workers, y->workers);
  assert_int_equal(x->attempt, y->attempt);
  assert_int_equal(x->flags & ~(unsigned)RUN_FLAG_NEW, y->flags & ~(unsigned)RUN_FLAG_NEW);
  assert_true(x->max_capacity == y->max_capacity);
  assert_true(isnan(x->dpu_seconds) ? isnan(y->dpu_seconds) : x->dpu_seconds == y->dpu_seconds);
  assert_int_equal(x->error == 0, y->error == 0);
  if (x->error != 0)
    assert_string_equal(model_str(a, x->error), model_str(b, y->error));
  assert_int_equal(x->trigger == 0, y->trigger == 0);
  assert_string_equal(model_str(a, x->worker_type), model_str(b, y->worker_type));
}

static void assert_same_job(const struct model *a, const struct model *b, const char *name)
{
  const struct job *x = model_job(a, 0, strpool_find(a->strings, name));
  const struct job *y = model_job(b, 0, strpool_find(b->strings, name));
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(x->run_count, y->run_count);
  assert_int_equal(x->run_live, y->run_live);
  for (size_t i = 0; i < x->run_count; i++)
    assert_same_run(a, &x->runs[i], b, &y->runs[i]);
  assert_int_equal(x->read_count, y->read_count);
  for (size_t i = 0; i < x->read_count; i++) {
    assert_int_equal(x->read[i].from_ms, y->read[i].from_ms);
    assert_int_equal(x->read[i].to_ms, y->read[i].to_ms);
  }
  assert_int_equal(x->read_to_end, y->read_to_end);
  assert_int_equal(x->type, y->type);
  assert_int_equal(x->timeout_minutes, y->timeout_minutes);
  assert_int_equal(x->max_retries, y->max_retries);
  assert_int_equal(x->queuing, y->queuing);
  assert_int_equal(x->bookmark, y->bookmark);
  assert_true(x->max_capacity == y->max_capacity);
}

static void test_what_is_written_comes_back(void **state)
{
  (void)state;
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  assert_no_trouble(h);
  paint_all(h, m);
  strid jobs[3] = {put_job(m, "orders"), put_job(m, "customers"), put_job(m, "never ran")};
  for (unsigned i = 0; i < 2000; i++)
    put_run(m, jobs[0], i, i % 10 == 0 ? "FAILED" : "SUCCEEDED", T0 - (int64_t)(i / 3) * 1000, T0 + 5);
  for (unsigned i = 0; i < 5; i++)
    put_run(m, jobs[1], 5000 + i, "RUNNING", i == 2 ? WHEN_NONE : T0 + i, T0 + 5);
  model_add_span(m, 0, jobs[0], T0 - 900000, T0, true);
  model_add_span(m, 0, jobs[1], T0, T0 + 4, false);
  struct trigger_data t = {
      .name = "nightly", .type = "SCHEDULED", .state = "ACTIVATED", .schedule = "cron(0 1 * * ? *)"};
  t.actions = &(struct trigger_action){.job = "orders", .timeout_minutes = RECORD_ABSENT};
  t.action_count = 1;
  model_put_triggers(m, 0, &t, 1, T0);
  freshness_good(&m->places[0].triggers_fresh, T0, true);
  freshness_good(&m->places[0].jobs_fresh, T0, true);
  flush_all(h, m);
  assert_no_trouble(h);
  /* later changes: one run, one new, one older than all */
  put_run(m, jobs[0], 30, "STOPPED", T0 - 10 * 1000, T0 + 100000);
  put_run(m, jobs[0], 9000, "RUNNING", T0 + 50, T0 + 100000);
  put_run(m, jobs[0], 9001, "SUCCEEDED", T0 - 90 * WHEN_DAY, T0 + 100000);
  uint64_t written = history_figures(h).blocks_written;
  flush_all(h, m);
  assert_true(history_figures(h).blocks_written > written);
  history_close(h);

  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);

  struct model *again = model_of_account("111111111111");
  h = history_open(store);
  paint_all(h, again);
  assert_no_trouble(h);
  assert_int_equal(again->places[0].job_count, 3);
  assert_same_job(m, again, "orders");
  assert_same_job(m, again, "customers");
  assert_same_job(m, again, "never ran");
  assert_int_equal(again->places[0].trigger_count, 1);
  assert_string_equal(model_str(again, again->places[0].triggers[0].schedule), "cron(0 1 * * ? *)");
  assert_int_equal(again->places[0].triggers_fresh.fetched_ms, T0);
  assert_true(model_run(again, 0, strpool_find(again->strings, "orders"), "odd-17") != NULL);
  /* painting is no news for the store */
  written = history_figures(h).blocks_written;
  flush_all(h, again);
  assert_int_equal(history_figures(h).blocks_written, written);
  history_close(h);
  /* another account sees nothing of it */
  struct model *other = model_of_account("222222222222");
  h = history_open(store);
  paint_all(h, other);
  assert_int_equal(other->places[0].job_count, 0);
  history_close(h);
  model_free(other);
  model_free(again);
  model_free(m);
}

static void test_answers_before_the_paint(void **state)
{
  (void)state;
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  paint_all(h, m);
  strid job = put_job(m, "orders");
  for (unsigned i = 0; i < 500; i++)
    put_run(m, job, i, i == 0 ? "RUNNING" : "SUCCEEDED", T0 - (int64_t)i * 1000, T0 + 5);
  model_add_span(m, 0, job, 0, T0, true);
  flush_all(h, m);
  history_close(h);

  struct model *later = model_of_account("111111111111");
  strid same = put_job(later, "orders");
  put_run(later, same, 0, "SUCCEEDED", T0, T0 + 900000);
  put_run(later, same, 777, "RUNNING", T0 + 800000, T0 + 900000);
  h = history_open(store);
  paint_all(h, later);
  assert_no_trouble(h);
  const struct job *j = model_job(later, 0, same);
  assert_int_equal(j->run_count, 501);
  assert_int_equal(j->run_live, 1);
  assert_int_equal(j->runs[1].state, RUN_SUCCEEDED);
  flush_all(h, later);
  history_close(h);
  struct model *third = model_of_account("111111111111");
  h = history_open(store);
  paint_all(h, third);
  assert_same_job(later, third, "orders");
  history_close(h);
  model_free(third);
  model_free(later);
  model_free(m);
}

/* Random changes, flushed now and then, killed at any point: what is in the file is what was there at some flush, and no interval claims
 * a run that is not there. */
static void test_random_changes_and_kills(void **state)
{
  (void)state;
  uint64_t seed = 7;
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  paint_all(h, m);
  strid job = put_job(m, "orders");
  for (unsigned step = 0; step < 3000; step++) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    unsigned n = (unsigned)(seed >> 40) % 1500;
    put_run(m, job, n, n % 2 == 0 ? "RUNNING" : "SUCCEEDED", T0 + (int64_t)(n / 2) * 1000 + (step % 50 == 0),
            T0 + step);
    if ((seed >> 20) % 20 == 0)
      history_flush(h, m, 0, 4);
    if ((seed >> 30) % 300 == 0) {
      /* killed: a new program reads the file; what the old one had not written is put again by the service */
      struct model *next = model_of_account("111111111111");
      history_close(h);
      h = history_open(store);
      paint_all(h, next);
      assert_no_trouble(h);
      const struct job *j = model_job(next, 0, strpool_find(next->strings, "orders"));
      for (size_t i = 1; j != NULL && i < j->run_count; i++)
        assert_true(j->runs[i - 1].started_ms >= j->runs[i].started_ms);
      model_free(m);
      m = next;
      job = put_job(m, "orders");
    }
  }
  flush_all(h, m);
  history_close(h);
  struct model *last = model_of_account("111111111111");
  h = history_open(store);
  paint_all(h, last);
  assert_same_job(m, last, "orders");
  history_close(h);
  model_free(last);
  model_free(m);
}

static void test_two_programs(void **state)
{
  (void)state;
  struct model *a = model_of_account("111111111111");
  struct model *b = model_of_account("111111111111");
  struct history *ha = history_open(store);
  struct history *hb = history_open(store);
  paint_all(ha, a);
  paint_all(hb, b);
  strid ja = put_job(a, "orders");
  strid jb = put_job(b, "orders");
  for (unsigned i = 0; i < 400; i++) {
    put_run(a, ja, i, "SUCCEEDED", T0 + (int64_t)i * 10, T0 + 5);
    put_run(b, jb, 300 + i, "SUCCEEDED", T0 + (int64_t)(300 + i) * 10, T0 + 5);
    if (i % 37 == 0)
      flush_all(ha, a);
    if (i % 41 == 0)
      flush_all(hb, b);
  }
  put_job(b, "only of b");
  flush_all(ha, a);
  flush_all(hb, b);
  flush_all(ha, a);
  assert_no_trouble(ha);
  assert_no_trouble(hb);
  /* held for the moment: later, and nothing is lost */
  struct store *holder = NULL;
  bool read_only;
  struct err e = store_open(path, &holder, &read_only);
  assert_false(err_is(&e));
  assert_int_equal(store_begin(holder), STORE_OK);
  put_run(a, ja, 5000, "RUNNING", T0 + 999999, T0 + 5);
  assert_true(history_flush(ha, a, 0, 10));
  assert_int_equal(history_figures(ha).busy, 1);
  store_rollback(holder);
  store_close(holder);
  flush_all(ha, a);
  assert_no_trouble(ha);
  history_close(ha);
  history_close(hb);
  struct model *c = model_of_account("111111111111");
  struct history *hc = history_open(store);
  paint_all(hc, c);
  assert_no_trouble(hc);
  const struct job *j = model_job(c, 0, strpool_find(c->strings, "orders"));
  assert_int_equal(j->run_count, 701);
  assert_non_null(model_job(c, 0, strpool_find(c->strings, "only of b")));
  history_close(hc);
  model_free(a);
  model_free(b);
  model_free(c);
}

static void exec_sql(const char *sql)
{
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static void store_something(void)
{
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  paint_all(h, m);
  strid job = put_job(m, "orders");
  for (unsigned i = 0; i < 500; i++)
    put_run(m, job, i, "SUCCEEDED", T0 - (int64_t)i * 1000, T0 + 5);
  model_add_span(m, 0, job, 0, T0, true);
  model_job_mutable(m, 0, job)->top_read_ms = T0;
  flush_all(h, m);
  history_close(h);
  model_free(m);
}

/* Told once, and the program goes on. */
static void assert_goes_on_without(const char *word)
{
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  paint_all(h, m);
  struct err e = history_trouble(h);
  assert_true(err_is(&e));
  if (strstr(err_message(&e), word) == NULL)
    fail_msg("'%s' is not in: %s", word, err_message(&e));
  err_fini(&e);
  strid job = put_job(m, "orders");
  put_run(m, job, 9999, "RUNNING", T0 + 5, T0 + 10);
  assert_false(history_flush(h, m, 0, 10));
  e = history_trouble(h);
  assert_false(err_is(&e));
  /* what could not be read does not look as if it had been */
  const struct job *j = model_job(m, 0, job);
  for (size_t i = 0; i < j->read_count; i++)
    assert_true(j->run_count >= 500);
  history_close(h);
  model_free(m);
}

static void test_a_newer_file(void **state)
{
  (void)state;
  store_something();
  exec_sql("PRAGMA user_version = 99");
  assert_goes_on_without("version 99");
  exec_sql("PRAGMA user_version = 2"); /* nothing in it was changed */
  struct model *m = model_of_account("111111111111");
  struct history *h = history_open(store);
  paint_all(h, m);
  assert_int_equal(model_job(m, 0, strpool_find(m->strings, "orders"))->run_count, 500);
  history_close(h);
  model_free(m);
}

/* What is asked once a day lies beside the logins: it is nobody's account. */
static void test_once_a_day(void **state)
{
  struct buf data;
  (void)state;
  buf_init(&data, 100);
  for (int round = 0; round < 2; round++) {
    struct history *h = history_open(store);
    buf_reset(&data);
    assert_true(history_daily(h, "k", &data) == (round == 1));
    assert_int_equal(data.len, round == 1 ? 4 : 0);
    buf_reset(&data);
    buf_adds(&data, round == 0 ? "one" : "another");
    history_remember_daily(h, "k", &data);
    buf_reset(&data);
    buf_adds(&data, "said"); /* the last one counts */
    history_remember_daily(h, "k", &data);
    buf_reset(&data);
    assert_false(history_daily(h, "another", &data));
    struct err e = history_trouble(h);
    assert_false(err_is(&e));
    history_close(h);
  }
  struct history *none = history_open(NULL);
  history_remember_daily(none, "k", &data);
  assert_false(history_daily(none, "k", &data));
  history_close(none);
  buf_fini(&data);
}

static void test_a_file_of_another_program(void **state)
{
  (void)state;
  store_something();
  exec_sql("PRAGMA application_id = 1");
  assert_goes_on_without("another program");
}

static void test_a_damaged_file(void **state)
{
  (void)state;
  store_something();
  exec_sql("UPDATE block_data SET data = x'ffffffffffffffff' WHERE id = (SELECT max(id) FROM block_data)");
  assert_goes_on_without("damaged");
  FILE *f = fopen(path, "r+");
  assert_non_null(f);
  for (int i = 0; i < 4096; i++)
    fputc("not a database "[i % 15], f);
  fclose(f);
  assert_goes_on_without("store");
}

static void test_a_file_that_is_a_folder(void **state)
{
  (void)state;
  store_something();
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_goes_on_without("store");
  rmdir(path);
}

static void test_a_file_that_cannot_be_written(void **state)
{
  (void)state;
  if (geteuid() == 0)
    return; /* root writes everything */
  store_something();
  chmod(path, 0400);
  assert_goes_on_without("only be read");
}

static void test_logins(void **state)
{
  (void)state;
  struct history *h = history_open(store);
  char *account = NULL, *arn = NULL;
  assert_false(history_login(h, "prod", &account, &arn));
  history_remember_login(h, "prod", "111111111111", "arn:x");
  history_remember_login(h, "prod", "222222222222", "arn:y");
  assert_true(history_login(h, "prod", &account, &arn));
  assert_string_equal(account, "222222222222");
  assert_string_equal(arn, "arn:y");
  free(account);
  free(arn);
  history_close(h);
  h = history_open(NULL); /* without a store all is the same, and nothing happens */
  assert_false(history_login(h, "prod", &account, &arn));
  struct model *m = model_of_account("1");
  history_paint(h, m, 0);
  assert_false(history_flush(h, m, 0, 10));
  assert_false(history_step(h, m, 10));
  assert_no_trouble(h);
  history_close(h);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_written_comes_back, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_answers_before_the_paint, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_random_changes_and_kills, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_two_programs, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_newer_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_once_a_day, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_file_of_another_program, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_damaged_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_file_that_is_a_folder, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_file_that_cannot_be_written, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_logins, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
