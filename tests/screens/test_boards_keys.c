/* The boards with keys: moving in time, into jobs and runs, parts, and the same figures on the screen and in files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "screens/stage.h"
#include "views/money.h"

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

static void check_status(const struct stage *s, const char *text, int line)
{
  if (strstr(stage_line(s, -2), text) == NULL) {
    fail_msg("line %d: the status line \"%s\" has not \"%s\"", line, stage_line(s, -2), text);
  }
}
#define STATUS(s, text) check_status(s, text, __LINE__)

static void timeline_from_bar_to_bar(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "4 /");
  stage_type(&s, "orders\r");
  STATUS(&s, "failed");
  STATUS(&s, "14:50 CET"); /* the newest, at now */
  stage_keys(&s, "Left");
  STATUS(&s, "13:48 CET");
  stage_keys(&s, "Left");
  STATUS(&s, "13:03 CET");
  STATUS(&s, "took ");
  stage_keys(&s, "Right Right");
  STATUS(&s, "14:50 CET");
  stage_keys(&s, "Enter"); /* that very run */
  SHOWS(&s, "Access denied on s3://curated/orders");
  stage_keys(&s, "Esc");
  stage_keys(&s, "Left Left Left Left Left Left Left Left");
  HIDES(&s, "24h to");    /* still among its bars */
  stage_keys(&s, "Left"); /* there is none further back: the window moves */
  SHOWS(&s, "24h to 2026-11-30 09:03");
  stage_keys(&s, "]");
  SHOWS(&s, " 24h ");
  HIDES(&s, "24h to");
  stage_close(&s);
}

static void timeline_failures(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "4 F");
  STATUS(&s, "14:50 CET"); /* from now back, over all lanes */
  stage_keys(&s, "F");
  STATUS(&s, "13:48 CET");
  stage_keys(&s, "F");
  STATUS(&s, "timed out");
  SHOWS(&s, "\u203ainventory-delta");
  stage_keys(&s, "F");
  STATUS(&s, "expired");
  stage_keys(&s, "F");
  SHOWS(&s, "no further failure");
  stage_keys(&s, "f");
  STATUS(&s, "timed out");
  stage_keys(&s, "f f");
  SHOWS(&s, "\u203aorders-silver");
  /* a failure outside of the window brings the window to it */
  stage_keys(&s, "+ + +"); /* three hours */
  SHOWS(&s, " 3h ");
  stage_keys(&s, "F F");
  STATUS(&s, "timed out");
  SHOWS(&s, "3h to 2026-11-30 11:33");
  stage_close(&s);
}

static void timeline_zoom_and_parts(void **state)
{
  static const char *const spans[] = {" 12h ", " 6h ", " 3h ", " 1h ", " 30m ", " 10m "};
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_TWO, 140, 40, NULL);
  stage_keys(&s, "4");
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
    stage_keys(&s, "+");
    SHOWS(&s, spans[i]);
  }
  stage_keys(&s, "- - - - - - - - - - -");
  SHOWS(&s, " 90d ");
  stage_keys(&s, "Tab");
  SHOWS(&s, "by account");
  SHOWS(&s, "billing");
  stage_keys(&s, "Tab");
  SHOWS(&s, "by hour of day");
  SHOWS(&s, "11-24");
  stage_keys(&s, "Tab T @"); /* the first account alone, since midnight */
  SHOWS(&s, "by job");
  stage_keys(&s, "@");
  SHOWS(&s, "1 job");
  stage_close(&s);
}

static void home_leads_on(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "1");
  SHOWS(&s, "\u203a\u2717 orders-silver");
  STATUS(&s, "failed, 2nd time in 24h: Access denied on s3://curated/orders");
  stage_keys(&s, "Enter");
  SHOWS(&s, "An error occurred while calling");
  stage_keys(&s, "Esc d");
  SHOWS(&s, "orders-silver");
  stage_keys(&s, "Esc");
  stage_keys(&s, "+ + + + + +"); /* ten minutes: what needs a person is still there */
  SHOWS(&s, "orders-silver");
  SHOWS(&s, "waiting 26m");
  stage_keys(&s, "/");
  stage_type(&s, "finance\r");
  stage_keys(&s, "Enter"); /* the run that holds the slot */
  SHOWS(&s, "jr_8f2c01a4");
  stage_close(&s);
}

static void home_when_all_is_well(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_EMPTY, 100, 30, NULL);
  struct job_data d = {.name = "quiet",
                       .command_name = "glueetl",
                       .worker_type = "G.1X",
                       .workers = 2,
                       .max_capacity = 2,
                       .glue_version = "5.0",
                       .timeout_minutes = 60};
  struct job *j = model_put_job(s.model, 0, &d, STAGE_NOW);
  freshness_good(&j->runs_fresh, STAGE_NOW, true);
  model_touch(s.model);
  stage_keys(&s, "1");
  SHOWS(&s, "All is well.");
  SHOWS(&s, "1 jobs watched");
  SHOWS(&s, "since Sun 15:03");
  stage_put_run(s.model, 0, "quiet", 1, "FAILED", 20 * WHEN_MINUTE, 10 * WHEN_MINUTE, "boom");
  model_touch(s.model);
  stage_frame(&s);
  HIDES(&s, "All is well.");
  SHOWS(&s, "boom");
  SHOWS(&s, "1 needs you");
  stage_close(&s);
}

static char *export(struct stage *s, const char *folder, const char *name)
{
  char *path = xasprintf("%s/%s", folder, name), *command = xasprintf("export %s\r", path);
  struct buf content;
  char block[4096];
  size_t n = 0;
  stage_keys(s, ":");
  stage_type(s, command);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  buf_init(&content, 1 << 22);
  while ((n = fread(block, 1, sizeof block, f)) > 0) {
    buf_add(&content, block, n);
  }
  fclose(f);
  unlink(path);
  free(command);
  free(path);
  return buf_take(&content);
}

/* What the file says is on the screen, to the cent. */
static void check_figure(const struct stage *s, const char *json, const char *member)
{
  char *name = xasprintf("\n  \"%s\": ", member);
  const char *at = strstr(json, name);
  struct buf text;
  assert_non_null(at);
  buf_init(&text, 64);
  buf_addc(&text, '$');
  format_cents(&text, (int64_t)(strtod(at + strlen(name), NULL) * 1e9 + 0.5));
  SHOWS(s, text.data);
  buf_fini(&text);
  free(name);
}

static void the_same_money_in_files(void **state)
{
  static const char *const members[] = {"usd",      "usd_per_hour_now",  "today_usd",
                                        "week_usd", "month_to_date_usd", "month_forecast_usd"};
  char folder[] = "/tmp/gluetop-test-XXXXXX";
  struct stage s;
  (void)state;
  assert_non_null(mkdtemp(folder));
  stage_open(&s, STAGE_TWO, 200, 50, NULL);
  for (int alone = 0; alone < 3; alone++) { /* both accounts, then each alone */
    stage_keys(&s, "5");
    char *json = export(&s, folder, "burn.json"), *csv = export(&s, folder, "burn.csv");
    stage_keys(&s, "Esc");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
      check_figure(&s, json, members[i]);
    }
    assert_non_null(strstr(csv, "context,job,runs,dpu_hours,usd,"));
    assert_true((strstr(csv, "fx-rates") != NULL) == (alone != 2));
    free(csv);
    free(json);
    stage_keys(&s, "@");
  }
  rmdir(folder);
  stage_close(&s);
}

static void every_board_in_every_form(void **state)
{
  static const char *const forms[] = {"a.csv", "a.json", "a.txt"};
  char folder[] = "/tmp/gluetop-test-XXXXXX";
  (void)state;
  assert_non_null(mkdtemp(folder));
  for (int account = STAGE_FULL; account <= STAGE_UNCONFIRMED; account++) {
    struct stage s;
    stage_open(&s, (enum stage_account)account, 120, 40, NULL);
    for (const char *key = "14567"; *key != '\0'; key++) {
      char name[2] = {*key, '\0'};
      stage_keys(&s, name);
      for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *content = export(&s, folder, forms[i]);
        for (const char *c = content; *c != '\0'; c++) {
          assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\r' || i == 0);
        }
        free(content);
      }
    }
    stage_close(&s);
  }
  rmdir(folder);
}

static void collisions_and_timeouts_lead_on(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "6");
  SHOWS(&s, "finance-close");
  SHOWS(&s, "1 of 1, 1 waits 26m00s");
  stage_keys(&s, "Enter");
  SHOWS(&s, "jr_8f2c01a4");
  stage_keys(&s, "Esc Tab");
  SHOWS(&s, "3 jobs at their limit");
  stage_keys(&s, "7");
  SHOWS(&s, "! clickstream-hourly");
  stage_keys(&s, "/");
  stage_type(&s, "clicks\r");
  stage_keys(&s, "Enter");
  SHOWS(&s, "running for");
  stage_keys(&s, "Esc Esc Tab");
  SHOWS(&s, "killed in the window");
  SHOWS(&s, "inventory-delta");
  stage_close(&s);
}

/* A window that moves on is counted before its frame is drawn: nothing falls to zero and climbs again, and nobody is told of counting. */
static void nothing_jumps_while_counting(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "5");
  SHOWS(&s, "window $146.99");
  for (int minute = 1; minute <= 5; minute++) {
    shell_update(s.shell, s.model, s.now_ms + minute * WHEN_MINUTE, s.mono_ms, true, 140, 40);
    shell_draw(s.shell, &s.canvas);
    SHOWS(&s, "window $14");
    char *frame = stage_dump(&s, false, COLOURS_NONE);
    assert_null(strstr(frame, "counting"));
    free(frame);
  }
  stage_close(&s);
}

/* Ranges that are typed hold over every board, whatever is typed is answered, and the keys go on from there. */
static void typed_ranges(void **state)
{
  static const char *const tabs[] = {"1", "4", "5", "6", "7"};
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  for (size_t i = 0; i < sizeof tabs / sizeof tabs[0]; i++) {
    stage_keys(&s, tabs[i]);
    stage_keys(&s, ":");
    stage_type(&s, "window 2026-11-20..2026-11-21\r");
    SHOWS(&s, "2026-11-20 00:00 to 2026-11-21 23:59");
    stage_keys(&s, "+");
    SHOWS(&s, "24h to 2026-11-21 23:59");
    stage_keys(&s, "[");
    SHOWS(&s, "24h to 2026-11-21 11:59");
    stage_keys(&s, "-");
    SHOWS(&s, "3d to 2026-11-21 11:59");
    stage_keys(&s, ":");
    stage_type(&s, "last 3 days\r");
    SHOWS(&s, " 3d ");
    stage_keys(&s, ":");
    stage_type(&s, "window soon\r");
    SHOWS(&s, "\"soon\" is no range of time");
    stage_keys(&s, ":");
    stage_type(&s, "window 2026-11-21..2026-11-20\r");
    SHOWS(&s, "ends before it begins");
    stage_keys(&s, ":");
    stage_type(&s, "yesterday\r");
    SHOWS(&s, "00:00 to ");
    stage_keys(&s, "T");
    SHOWS(&s, " today ");
    stage_keys(&s, "T");
  }
  stage_close(&s);
}

/* The chart of money and that of DPU, by a key. */
static void money_or_capacity(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "5");
  SHOWS(&s, "an hour");
  stage_keys(&s, "$");
  SHOWS(&s, " DPU at ");
  stage_keys(&s, "- -");
  SHOWS(&s, "DPU-H/d");
  stage_keys(&s, "$");
  SHOWS(&s, "a day");
  stage_close(&s);
}

/* Over how many runs lengths are usual. */
static void usual_runs(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 250, 70, NULL);
  stage_keys(&s, "7");
  SHOWS(&s, "percentiles of the last 100 successes");
  stage_keys(&s, ":");
  stage_type(&s, "usual 3\r");
  SHOWS(&s, "percentiles of the last 3 successes");
  stage_keys(&s, ":");
  stage_type(&s, "usual many\r");
  SHOWS(&s, "over how many successful runs?");
  stage_close(&s);
}

/* An account's runs in tracks: the cursor finds the run, and Enter opens it. */
static void tracks_of_an_account(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 40, NULL);
  stage_keys(&s, "4 Tab");
  SHOWS(&s, "by account");
  SHOWS(&s, "jr_");
  stage_keys(&s, "Enter");
  SHOWS(&s, "accepted");
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timeline_from_bar_to_bar),
      cmocka_unit_test(timeline_failures),
      cmocka_unit_test(timeline_zoom_and_parts),
      cmocka_unit_test(home_leads_on),
      cmocka_unit_test(home_when_all_is_well),
      cmocka_unit_test(the_same_money_in_files),
      cmocka_unit_test(every_board_in_every_form),
      cmocka_unit_test(collisions_and_timeouts_lead_on),
      cmocka_unit_test(nothing_jumps_while_counting),
      cmocka_unit_test(typed_ranges),
      cmocka_unit_test(usual_runs),
      cmocka_unit_test(money_or_capacity),
      cmocka_unit_test(tracks_of_an_account),
  };
  return cmocka_run_group_tests_name("boards_keys", tests, NULL, NULL);
}
