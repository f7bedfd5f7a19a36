/* What the shell and the views do with keys: the real ones, on a canvas in memory. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "screens/stage.h"
#include "views/actions.h"

#define SHOWS(s, text) check_shows(s, text, true, __LINE__)
#define HIDES(s, text) check_shows(s, text, false, __LINE__)

static void check_shows(const struct stage *s, const char *text, bool want, int line)
{
  if (stage_shows(s, text) != want) {
    char *screen = stage_dump(s, false, COLOURS_NONE);
    fprintf(stderr, "%s", screen);
    free(screen);
    fail_msg("line %d: \"%s\" %s on the screen", line, text, want ? "is not" : "is");
  }
}

static size_t count_intents(const struct stage *s, enum intent_kind kind)
{
  size_t count = 0;
  for (size_t i = 0; i < s->intents.count; i++) {
    count += s->intents.items[i].kind == kind;
  }
  return count;
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

/* Two actions that can be meant in the same view must not have the same key. */
static void no_two_actions_share_a_key(void **state)
{
  struct keymap m;
  (void)state;
  keymap_init(&m);
  for (int a = 1; a < ACTION_COUNT; a++) {
    assert_true(m.key_count[a] > 0 || action_info((enum action)a)->default_keys[0] == '\0');
    for (int b = a + 1; b < ACTION_COUNT; b++) {
      unsigned both = action_info((enum action)a)->holds & action_info((enum action)b)->holds & ~(unsigned)HOLD_CHANGES;
      bool any = ((action_info((enum action)a)->holds | action_info((enum action)b)->holds) & HOLD_ANY) != 0;
      for (size_t i = 0; i < m.key_count[a]; i++) {
        for (size_t k = 0; k < m.key_count[b]; k++) {
          if (input_same_key(&m.keys[a][i], &m.keys[b][k]) && (both != 0 || any)) {
            fail_msg("%s and %s have the same key", action_info((enum action)a)->word,
                     action_info((enum action)b)->word);
          }
        }
      }
    }
  }
}

static void keys_can_be_given_away(void **state)
{
  struct keymap m;
  struct input in;
  (void)state;
  keymap_init(&m);
  struct err e = keymap_set(&m, "stop", "K Ctrl-K");
  assert_false(err_is(&e));
  assert_true(input_parse_key("K", &in));
  assert_int_equal(keymap_find(&m, &in, HOLD_RUN, false), ACTION_STOP);
  assert_int_equal(keymap_find(&m, &in, HOLD_RUN, true), ACTION_NONE); /* reading only */
  assert_true(input_parse_key("X", &in));
  assert_int_equal(keymap_find(&m, &in, HOLD_RUN, false), ACTION_NONE);
  e = keymap_set(&m, "help", "j"); /* taken from "down" */
  assert_false(err_is(&e));
  assert_true(input_parse_key("j", &in));
  assert_int_equal(keymap_find(&m, &in, HOLD_LIST, false), ACTION_HELP);
  e = keymap_set(&m, "dance", "x");
  assert_int_equal(e.kind, ERR_CONFIG);
  err_fini(&e);
  e = keymap_set(&m, "help", "NoSuchKey");
  assert_int_equal(e.kind, ERR_CONFIG);
  err_fini(&e);
}

/* A key that was given to another action is not offered any more. */
static void no_key_no_offer(void **state)
{
  struct stage s;
  struct keymap keys;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "1");
  SHOWS(&s, "Enter run  s again");
  stage_close(&s);
  keymap_init(&keys);
  struct err e = keymap_set(&keys, "stop", "s");
  assert_false(err_is(&e));
  stage_open(&s, STAGE_FULL, 140, 40,
             &(struct shell_options){.zone = WHEN_UTC,
                                     .since_ms = STAGE_NOW - WHEN_DAY,
                                     .until_ms = INT64_MAX,
                                     .keys = &keys,
                                     .now_ms = STAGE_NOW});
  stage_keys(&s, "1");
  SHOWS(&s, "Enter run  s stop");
  HIDES(&s, " again");
  stage_close(&s);
}

/* A window from one moment to another, in either order of giving them; a start given as a moment stays where it is. */
static void window_of_two_moments(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, ":");
  stage_type(&s, "since 2026-11-24 00:00Z");
  stage_keys(&s, "Enter");
  SHOWS(&s, "since 2026-11-24 01:00 CET");
  stage_keys(&s, ":");
  stage_type(&s, "until 2026-11-24 12:00Z");
  stage_keys(&s, "Enter");
  SHOWS(&s, "2026-11-24 01:00 to 13:00 CET");
  stage_keys(&s, ":");
  stage_type(&s, "until now");
  stage_keys(&s, "Enter");
  SHOWS(&s, "since 2026-11-24 01:00 CET");
  stage_keys(&s, ":");
  stage_type(&s, "since 12h");
  stage_keys(&s, "Enter");
  stage_keys(&s, ":");
  stage_type(&s, "until 2026-11-24T12:00Z");
  stage_keys(&s, "Enter");
  SHOWS(&s, "12h to 2026-11-24 13:00 CET");
  stage_keys(&s, ":");
  stage_type(&s, "since 2026-11-24T00:00Z");
  stage_keys(&s, "Enter");
  SHOWS(&s, "2026-11-24 01:00 to 13:00 CET");
  stage_close(&s);
}

/* The time of a start is there for old runs as well, whatever else has to leave. */
static void starts_of_long_ago(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 80, 24, NULL);
  stage_put_run(s.model, 0, "orders-silver", 77, "SUCCEEDED", 12 * WHEN_DAY, 12 * WHEN_DAY - WHEN_HOUR, NULL);
  stage_keys(&s, ":");
  stage_type(&s, "since 30d");
  stage_keys(&s, "Enter");
  stage_keys(&s, "3 G");
  SHOWS(&s, "11-18 15:03");
  stage_close(&s);
}

/* doc/keys.md is what the table says; `make keys` writes it anew. */
static void manual_of_keys(void **state)
{
  const char *folder = getenv("GLUETOP_SRCDIR");
  char *path = xasprintf("%s/doc/keys.md", folder != NULL ? folder : ".");
  FILE *f = fopen(path, "r");
  struct buf want, have;
  char block[4096];
  size_t n = 0;
  (void)state;
  buf_init(&want, 1 << 20);
  buf_init(&have, 1 << 20);
  keymap_write_markdown(&want);
  assert_non_null(f);
  while ((n = fread(block, 1, sizeof block, f)) > 0) {
    buf_add(&have, block, n);
  }
  fclose(f);
  assert_string_equal(have.data, want.data);
  buf_fini(&have);
  buf_fini(&want);
  free(path);
}

static void moving_about(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  SHOWS(&s, "\u203a\u2717 orders-silver");
  stage_keys(&s, "Enter");
  SHOWS(&s, "jobs \u203a orders-silver");
  stage_keys(&s, "Enter");
  SHOWS(&s, "Access denied on s3://curated/orders");
  SHOWS(&s, "jr_8f2c0078");
  stage_keys(&s, "d");
  SHOWS(&s, "cron(0 0/2 * * ? *)");
  stage_keys(&s, "Esc Esc");
  SHOWS(&s, "jobs \u203a orders-silver");
  stage_keys(&s, "3");
  SHOWS(&s, "\u2500 runs ");
  stage_keys(&s, "Backspace"); /* the view before, with its stack */
  SHOWS(&s, "jobs \u203a orders-silver");
  stage_keys(&s, "Backspace");
  HIDES(&s, "jobs \u203a orders-silver");
  stage_keys(&s, "Esc Esc Esc"); /* never quits */
  assert_false(shell_done(s.shell));
  stage_keys(&s, "q");
  assert_true(shell_done(s.shell));
  assert_int_equal(count_intents(&s, INTENT_QUIT), 1);
  stage_close(&s);
}

static void filter_sort_problems(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, "/");
  stage_type(&s, "DIM");
  SHOWS(&s, "customers-dim");
  HIDES(&s, "orders-silver");
  SHOWS(&s, "1 of 11 jobs");
  stage_keys(&s, "Enter Esc"); /* the first Esc clears the filter */
  SHOWS(&s, "orders-silver");
  stage_keys(&s, "/");
  stage_type(&s, "nothing like that");
  SHOWS(&s, "none of 11 jobs matches");
  stage_keys(&s, "Esc");
  SHOWS(&s, "orders-silver");
  stage_keys(&s, "!");
  SHOWS(&s, "problems only");
  HIDES(&s, "customers-dim");
  stage_keys(&s, "! o j");
  SHOWS(&s, "by job");
  assert_non_null(strstr(stage_line(&s, 4), "audit-expired"));
  stage_keys(&s, "o j");
  assert_non_null(strstr(stage_line(&s, 4), "state-of-the-future"));
  stage_keys(&s, ":");
  stage_type(&s, "sort dpu\r");
  SHOWS(&s, "by dpu");
  assert_non_null(strstr(stage_line(&s, 4), "inventory-delta"));
  stage_close(&s);
}

static void palette(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, ":");
  stage_type(&s, "job");
  SHOWS(&s, "job-runs");
  stage_type(&s, " cust");
  SHOWS(&s, "customers-dim");
  stage_keys(&s, "Tab Enter");
  SHOWS(&s, "job customers-dim");
  stage_keys(&s, "Esc : Up"); /* recalls */
  SHOWS(&s, ":job customers-dim");
  stage_keys(&s, "Esc :");
  stage_type(&s, "frobnicate\r");
  SHOWS(&s, "there is no command \"frobnicate\"");
  stage_keys(&s, ":");
  stage_type(&s, "since 7d\r");
  SHOWS(&s, " 7d ");
  stage_keys(&s, ":");
  stage_type(&s, "since tomorrow\r");
  SHOWS(&s, "\"tomorrow\" is no time");
  stage_keys(&s, ":");
  stage_type(&s, "runs orders-silver\r");
  SHOWS(&s, "jobs \u203a orders-silver");
  stage_keys(&s, "3 :");
  stage_type(&s, "jobs\r"); /* the view of that name, not what was opened from it */
  HIDES(&s, "\u203a orders-silver");
  stage_keys(&s, ":");
  stage_type(&s, "job no-such-job\r");
  SHOWS(&s, "no job \"no-such-job\" is known here");
  stage_keys(&s, ":");
  stage_type(&s, "context billing@us-east-1\r");
  assert_int_equal(count_intents(&s, INTENT_OPEN_CONTEXT), 1);
  assert_string_equal(s.intents.items[s.intents.count - 1].text, "billing@us-east-1");
  stage_close(&s);
}

static void window_and_zone(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 120, 30, NULL);
  SHOWS(&s, " 24h ");
  SHOWS(&s, "15:03 CET");
  stage_keys(&s, "u");
  SHOWS(&s, "14:03 UTC");
  stage_keys(&s, "+");
  SHOWS(&s, " 12h ");
  stage_keys(&s, "- -");
  SHOWS(&s, " 3d ");
  stage_keys(&s, "[");
  SHOWS(&s, "3d to 2026-11-29 02:03 UTC");
  s.now_ms += 3 * WHEN_MINUTE; /* now has gone on meanwhile, and is where the window leads back to */
  s.mono_ms += 3 * WHEN_MINUTE;
  stage_keys(&s, "]");
  HIDES(&s, "3d to");
  stage_keys(&s, "T");
  SHOWS(&s, "today");
  stage_keys(&s, "T");
  SHOWS(&s, " 3d ");
  stage_close(&s);
}

static void copying(void **state)
{
  struct stage s;
  char *copy;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, "c");
  copy = shell_take_copy(s.shell);
  assert_string_equal(copy, "orders-silver");
  free(copy);
  stage_keys(&s, "C");
  copy = shell_take_copy(s.shell);
  assert_string_equal(copy, "arn:aws:glue:eu-west-1:441212349012:job/orders-silver");
  free(copy);
  stage_keys(&s, "Enter O");
  copy = shell_take_copy(s.shell);
  assert_non_null(strstr(
      copy,
      "https://eu-west-1.console.aws.amazon.com/gluestudio/home?region=eu-west-1#/job/orders-silver/run/jr_8f2c0078"));
  free(copy);
  assert_null(shell_take_copy(s.shell));
  stage_close(&s);
}

static void exporting(void **state)
{
  char folder[] = "/tmp/gluetop-test-XXXXXX";
  static const struct {
    const char *name, *has;
  } files[] = {{"a.csv", "orders-silver"}, {"a.json", "\"jobs\": ["}, {"a.txt", "JOB"}};
  struct stage s;
  (void)state;
  assert_non_null(mkdtemp(folder));
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char *path = xasprintf("%s/%s", folder, files[i].name), *command = xasprintf("export %s\r", path);
    char content[4096];
    stage_keys(&s, ":");
    stage_type(&s, command);
    SHOWS(&s, "wrote ");
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    content[fread(content, 1, sizeof content - 1, f)] = '\0';
    fclose(f);
    assert_non_null(strstr(content, files[i].has));
    stage_keys(&s, ":");
    stage_type(&s, command);
    SHOWS(&s, "is there already"); /* never over a file */
    unlink(path);
    free(command);
    free(path);
  }
  rmdir(folder);
  stage_close(&s);
}

/* --- sturdiness ----------------------------------------------------------------------------------------------------- */

static void paste_is_never_a_command(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  char *before = stage_dump(&s, true, COLOURS_256);
  stage_paste(&s, "qXsy\n2:quit\n");
  char *after = stage_dump(&s, true, COLOURS_256);
  assert_string_equal(before, after);
  assert_false(shell_done(s.shell));
  free(before);
  free(after);
  stage_keys(&s, "/");
  stage_paste(&s, "orders-\nsilver"); /* into a line it goes */
  SHOWS(&s, "/orders- silver");
  stage_close(&s);
}

/* Every account, every size, every view: nothing breaks, and a window that is too small says so. */
static void every_size(void **state)
{
  static const int sizes[][2] = {{40, 10}, {20, 5}, {10, 3}, {1, 1},  {300, 80},
                                 {80, 1},  {1, 40}, {24, 5}, {25, 8}, {80, 24}};
  (void)state;
  for (int account = STAGE_FULL; account <= STAGE_UNCONFIRMED; account++) {
    struct stage s;
    stage_open(&s, (enum stage_account)account, 80, 24, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      stage_resize(&s, sizes[i][0], sizes[i][1]);
      stage_keys(
          &s, "2 j Right o Esc / x Esc : s Esc s Esc Enter w Enter d y G Esc Esc Esc Esc 3 X n ? PgDn Esc M Esc E Esc");
      stage_keys(&s, "1 j Enter Esc 4 j Left Left Right f F [ + - ] Tab Tab Tab 5 p Esc Tab Tab Tab 6 Tab 7 Tab G T T");
    }
    stage_resize(&s, 10, 3);
    SHOWS(&s, "window too");
    stage_resize(&s, 80, 24);
    HIDES(&s, "window too");
    stage_close(&s);
  }
}

/* Each key of the table in each view: no crash, and no change of AWS without a dialog. */
static void every_key_everywhere(void **state)
{
  static const char *const ways[] = {"",  "Enter", "Enter Enter", "d",     "y",         "3", "3 Enter",       "?",
                                     "M", "1",     "4",           "4 Tab", "4 Tab Tab", "5", "5 Tab Tab Tab", "5 p",
                                     "6", "6 Tab", "7",           "7 Tab"};
  struct keymap m;
  (void)state;
  keymap_init(&m);
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
    for (int a = 1; a < ACTION_COUNT; a++) {
      for (size_t k = 0; k < m.key_count[a]; k++) {
        struct stage s;
        char name[INPUT_KEY_NAME_MAX];
        stage_open(&s, STAGE_FULL, 80, 24, NULL);
        stage_keys(&s, ways[w]);
        stage_keys(&s, input_key_name(&m.keys[a][k], name));
        stage_keys(&s, name);
        assert_int_equal(count_intents(&s, INTENT_START_RUN) + count_intents(&s, INTENT_STOP_RUNS), 0);
        stage_close(&s);
      }
    }
  }
}

/* The tour: each view full, empty, still reading, and failing; and each says which. */
static void tour(void **state)
{
  static const struct {
    enum stage_account account;
    const char *keys, *shows;
  } stops[] = {
      {STAGE_FULL, "", "orders-silver"},
      {STAGE_FULL, "3", "clickstream-hourly"},
      {STAGE_FULL, "Enter", "jr_8f2c0078"},
      {STAGE_FULL, "Enter Enter", "Access denied on s3://curated/orders"},
      {STAGE_FULL, "d", "Triggers that start it"},
      {STAGE_FULL, "y", "reading the whole answer"},
      {STAGE_FULL, "?", "Keys of this view"},
      {STAGE_FULL, "1", "failed, 2nd time in 24h"},
      {STAGE_FULL, "4", "quota (assumed)"},
      {STAGE_FULL, "4 Tab Tab", "by hour of day"},
      {STAGE_FULL, "5", "at most $"},
      {STAGE_FULL, "5 Tab", "by day"},
      {STAGE_FULL, "5 p", "USD per DPU-hour"},
      {STAGE_FULL, "6", "1 of 1, 1 waits 26m"},
      {STAGE_FULL, "7", "will hit"},
      {STAGE_EMPTY, "1", "0 jobs watched"},
      {STAGE_EMPTY, "4", "no jobs here"},
      {STAGE_EMPTY, "5", "no jobs here"},
      {STAGE_EMPTY, "6", "no collisions here"},
      {STAGE_EMPTY, "7", "no jobs here"},
      {STAGE_READING, "4", "reading jobs"},
      {STAGE_READING, "5", "reading jobs"},
      {STAGE_FAILING, "1", "could not be read"},
      {STAGE_FAILING, "5", "could not be read"},
      {STAGE_FAILING, "6", "could not be read"},
      {STAGE_FAILING, "7", "could not be read"},
      {STAGE_FULL, "M", "Nothing has gone wrong"},
      {STAGE_EMPTY, "", "no jobs here"},
      {STAGE_EMPTY, "3", "no runs here"},
      {STAGE_READING, "", "reading jobs"},
      {STAGE_READING, "3", "reading runs"},
      {STAGE_FAILING, "", "jobs could not be read: User: arn:aws:sts"},
      {STAGE_FAILING, "3", "runs could not be read: User: arn:aws:sts"},
      {STAGE_FAILING, "M", "GetJobs in eu-west-1"},
      {STAGE_STALE, "", "stale 1h: network"},
      {STAGE_STALE, "", "orders-silver"},
      {STAGE_TWO, "", "billing"},
      {STAGE_TWO, "@ @", "billing alone"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
    struct stage s;
    stage_open(&s, stops[i].account, 100, 30, NULL);
    stage_keys(&s, stops[i].keys);
    SHOWS(&s, stops[i].shows);
    stage_close(&s);
  }
}

/* Rows of one account never appear under the other's name. */
static void one_place_alone(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_TWO, 140, 30, NULL);
  SHOWS(&s, "12 jobs");
  stage_keys(&s, "@");
  SHOWS(&s, "11 jobs");
  HIDES(&s, "5555\u20267777");
  stage_keys(&s, "@");
  SHOWS(&s, "1 job");
  stage_keys(&s, "s");
  SHOWS(&s, "555566667777");
  SHOWS(&s, "us-east-1");
  stage_close(&s);
}

/* No byte of a hostile name reaches a cell, and columns stay where they are. */
static void hostile_names(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_HOSTILE, 120, 30, NULL);
  stage_keys(&s, "3");
  for (int round = 0; round < 2; round++) {
    char *screen = stage_dump(&s, false, COLOURS_NONE);
    for (const unsigned char *c = (const unsigned char *)screen; *c != '\0'; c++) {
      assert_true(*c == '\n' || (*c >= 0x20 && *c != 0x7f));
      assert_false(c[0] == 0xc2 && c[1] < 0xa0);
      assert_false(c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0x8b && c[2] <= 0x8f);
      assert_false(c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae);
    }
    free(screen);
    stage_keys(&s, "2");
  }
  /* the state of each run begins in the same cell */
  stage_keys(&s, "3");
  int column = -1;
  for (int y = 4; y < 14; y++) {
    const struct cell *row = &s.canvas.cells[y * s.canvas.width];
    int found = -1;
    for (int x = 4; x + 6 < s.canvas.width && found < 0; x++) {
      const char *word = "failed";
      bool match = row[x - 1].letters[0] == ' ';
      for (int i = 0; i < 6 && match; i++) {
        match = row[x + i].letters[0] == (uint32_t)word[i];
      }
      found = match ? x : -1;
    }
    assert_true(found > 0 && (column < 0 || column == found));
    column = found;
  }
  stage_close(&s);
}

/* --- speed ---------------------------------------------------------------------------------------------------------- */

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* From key to frame at most 5 ms with 2,000 jobs loaded, each with a day of hourly runs. */
static void two_thousand_jobs(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_EMPTY, 140, 40, NULL);
  for (int i = 0; i < 2000; i++) {
    char name[40];
    snprintf(name, sizeof name, "job-number-%04d", i);
    struct job_data d = {.name = name,
                         .command_name = "glueetl",
                         .worker_type = "G.1X",
                         .workers = 10,
                         .max_capacity = 10,
                         .glue_version = "5.0"};
    model_put_job(s.model, 0, &d, STAGE_NOW);
    for (unsigned k = 0; k < 24; k++) {
      int64_t ago = k * WHEN_HOUR + i * 1000;
      stage_put_run(s.model, 0, name, (unsigned)i * 24 + k, k % 11 == 3 ? "FAILED" : "SUCCEEDED", ago + 600000, ago,
                    NULL);
    }
  }
  model_touch(s.model);
  static const char *const views[] = {"home", "jobs", "runs", "timeline", "burn", "collisions", "timeouts"};
  for (size_t round = 0; round < sizeof views / sizeof views[0]; round++) {
    char tab[2] = {(char)('1' + (char)round), '\0'};
    stage_keys(&s, tab);
    struct input in;
    double worst = 0, began = now_ms();
    assert_true(input_parse_key("j", &in));
    for (int i = 0; i < 200; i++) {
      double one = now_ms();
      shell_input(s.shell, &in, s.mono_ms, &s.intents);
      shell_draw(s.shell, &s.canvas);
      one = now_ms() - one;
      worst = one > worst ? one : worst;
    }
    double mean = (now_ms() - began) / 200;
    began = now_ms();
    stage_frame(&s);
    printf("%s: a key %.2f ms, the worst %.2f ms; recomputing all rows %.1f ms\n", views[round], mean, worst,
           now_ms() - began);
    if (!GLUETOP_SANITIZED) {
      assert_true(mean < 5.0);
    }
  }
  stage_close(&s);
}

/* The last intent of that kind; kind INTENT_NONE: there is none. */
static struct intent last_intent(const struct stage *s, enum intent_kind kind)
{
  struct intent found = {.kind = INTENT_NONE, .text = NULL};
  for (size_t i = 0; i < s->intents.count; i++) {
    found = s->intents.items[i].kind == kind ? s->intents.items[i] : found;
  }
  return found;
}

static void presence(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_put_events(s.model, 0, false);
  stage_frame(&s);
  assert_true(stage_shows(&s, "3 events"));
  stage_type(&s, "\033[O");
  assert_string_equal(last_intent(&s, INTENT_FOCUS).text, "out");
  stage_put_events(s.model, 0, true);
  stage_type(&s, "\033[I");
  assert_string_equal(last_intent(&s, INTENT_FOCUS).text, "in");
  assert_true(stage_shows(&s, "while you were away: 4 events, 2 bad"));
  assert_int_equal(last_intent(&s, INTENT_SEEN).kind, INTENT_NONE);
  stage_keys(&s, "8"); /* Events: on the screen now, and the next key says that somebody saw them */
  assert_true(stage_shows(&s, "while you were away"));
  assert_int_equal(last_intent(&s, INTENT_SEEN).kind, INTENT_NONE);
  stage_keys(&s, "j");
  assert_int_equal(last_intent(&s, INTENT_SEEN).workers, 7);
  model_see_notices(s.model, 7);
  stage_frame(&s);
  assert_false(stage_shows(&s, "7 events   "));
  /* without word of the focus a long time without a key is an absence as well */
  s.mono_ms += WHEN_HOUR;
  model_add_notice(s.model, &(struct notice){.kind = NOTICE_FAILED, .place = 0, .context = -1, .at_ms = STAGE_NOW});
  stage_keys(&s, "2");
  assert_true(stage_shows(&s, "1 event "));
  /* Enter opens the run */
  stage_keys(&s, "8 G Enter");
  assert_true(stage_shows(&s, "events › inventory-delta"));
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_two_actions_share_a_key),
      cmocka_unit_test(keys_can_be_given_away),
      cmocka_unit_test(manual_of_keys),
      cmocka_unit_test(moving_about),
      cmocka_unit_test(filter_sort_problems),
      cmocka_unit_test(palette),
      cmocka_unit_test(window_and_zone),
      cmocka_unit_test(copying),
      cmocka_unit_test(exporting),
      cmocka_unit_test(paste_is_never_a_command),
      cmocka_unit_test(every_size),
      cmocka_unit_test(every_key_everywhere),
      cmocka_unit_test(tour),
      cmocka_unit_test(one_place_alone),
      cmocka_unit_test(hostile_names),
      cmocka_unit_test(two_thousand_jobs),
      cmocka_unit_test(presence),
      cmocka_unit_test(no_key_no_offer),
      cmocka_unit_test(window_of_two_moments),
      cmocka_unit_test(starts_of_long_ago),
  };
  return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
