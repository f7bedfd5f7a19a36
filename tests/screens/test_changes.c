/* Dialogs: nothing changes in AWS but what a person has seen named and said yes to, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "screens/stage.h"

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

static void start_asks_first(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, "s");
  SHOWS(&s, "Start a run");
  SHOWS(&s, "441212349012");
  SHOWS(&s, "eu-west-1");
  SHOWS(&s, "orders-silver");
  stage_keys(&s, "Enter"); /* the focus is on no */
  HIDES(&s, "Start a run");
  assert_int_equal(s.intents.count, 0);
  stage_keys(&s, "s");
  stage_paste(&s, "y");
  stage_paste(&s, "yes\ny\n");
  assert_int_equal(s.intents.count, 0);
  stage_keys(&s, "y y y y"); /* leaned on */
  assert_int_equal(count_intents(&s, INTENT_START_RUN), 1);
  assert_string_equal(s.intents.items[0].job, "orders-silver");
  SHOWS(&s, "\u2500 jobs "); /* the other ys did nothing in the view behind */
  stage_keys(&s, "s Tab Enter Enter Enter");
  assert_int_equal(count_intents(&s, INTENT_START_RUN), 2);
  SHOWS(&s, "\u2500 jobs ");
  stage_close(&s);
}

/* Keys typed before the dialog could be seen are not for it. */
static void typed_ahead_confirms_nothing(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys_at_once(&s, "s y y Enter");
  assert_int_equal(s.intents.count, 0);
  SHOWS(&s, "Start a run");
  stage_keys(&s, "n");
  stage_keys_at_once(&s, "s Tab Enter");
  assert_int_equal(s.intents.count, 0);
  stage_close(&s);
}

static void start_like_a_run_waits_for_its_arguments(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, "Enter s");
  SHOWS(&s, "Start like this run");
  SHOWS(&s, "reading the run's arguments");
  stage_keys(&s, "y Tab Enter");
  assert_int_equal(s.intents.count, 0);
  stage_close(&s);
}

/* The dialog stays with the runs that it names, wherever their rows go. */
static void stop_is_bound_to_its_run(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 34, NULL);
  stage_keys(&s, "3 /");
  stage_type(&s, "clickstream running\r");
  stage_keys(&s, "X");
  SHOWS(&s, "Stop runs");
  SHOWS(&s, "jr_8f2c00dc");
  stage_put_run(s.model, 0, "clickstream-hourly", 230, "RUNNING", 1000, -1, NULL);
  model_touch(s.model);
  stage_frame(&s);
  stage_keys(&s, "y");
  assert_int_equal(count_intents(&s, INTENT_STOP_RUNS), 1);
  assert_int_equal(s.intents.items[0].run_id_count, 1);
  assert_non_null(strstr(s.intents.items[0].run_ids[0], "jr_8f2c00dc"));
  stage_close(&s);
}

/* A run that ended while the dialog was open is left alone. */
static void stop_leaves_ended_runs_alone(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 34, NULL);
  stage_keys(&s, "3 /");
  stage_type(&s, "clickstream running\r");
  stage_keys(&s, "X");
  stage_put_run(s.model, 0, "clickstream-hourly", 220, "SUCCEEDED", 109 * WHEN_MINUTE, 1000, NULL);
  model_touch(s.model);
  stage_frame(&s);
  SHOWS(&s, "nothing is left to be stopped");
  stage_keys(&s, "y Tab Enter");
  assert_int_equal(s.intents.count, 0);
  stage_close(&s);
}

static void marked_runs_stop_together(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 34, NULL);
  stage_keys(&s, "3 /");
  stage_type(&s, "finance-close\r");
  stage_keys(&s, "* X");
  SHOWS(&s, "asks Glue to stop 2 runs");
  SHOWS(&s, "of the chosen are not under way");
  stage_keys(&s, "y");
  assert_int_equal(count_intents(&s, INTENT_STOP_RUNS), 1);
  assert_int_equal(s.intents.items[0].run_id_count, 2);
  stage_close(&s);
}

static void read_only_hides_and_refuses(void **state)
{
  struct shell_options o = {
      .zone = WHEN_UTC, .since_ms = STAGE_NOW - WHEN_DAY, .until_ms = INT64_MAX, .read_only = true};
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 140, 30, &o);
  SHOWS(&s, "read-only");
  HIDES(&s, "s start");
  stage_keys(&s, "s");
  SHOWS(&s, "read-only: nothing that changes AWS can be done here");
  stage_keys(&s, "3 X");
  HIDES(&s, "Stop runs");
  stage_keys(&s, ":");
  stage_type(&s, "start orders-silver\r");
  HIDES(&s, "Start a run");
  stage_keys(&s, ":");
  stage_type(&s, "stop\r");
  HIDES(&s, "Stop runs");
  stage_keys(&s, "?");
  HIDES(&s, "start the job");
  assert_int_equal(s.intents.count, 0);
  stage_close(&s);
}

static void nothing_changes_before_sts_agrees(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_UNCONFIRMED, 100, 30, NULL);
  SHOWS(&s, "unconfirmed");
  stage_keys(&s, "s");
  SHOWS(&s, "not confirmed by STS yet");
  stage_keys(&s, "y Tab Enter y");
  assert_int_equal(s.intents.count, 0);
  stage_close(&s);
}

static void results_are_told(void **state)
{
  struct stage s;
  (void)state;
  stage_open(&s, STAGE_FULL, 100, 30, NULL);
  stage_keys(&s, "s y");
  strid job = strpool_put(s.model->strings, "orders-silver");
  struct change *c = model_add_change(s.model, s.intents.items[0].id, 0, job, 0, s.now_ms);
  stage_frame(&s);
  s.mono_ms += 60000;
  stage_frame(&s);
  SHOWS(&s, "waiting for the answer");
  stage_keys(&s, "q"); /* asks, since nobody knows yet how it ended */
  SHOWS(&s, "is not answered yet");
  assert_false(shell_done(s.shell));
  stage_keys(&s, "n");
  c = &s.model->changes[0];
  c->result = CHANGE_UNCERTAIN;
  c->message = xstrdup("the connection closed before the answer");
  model_touch(s.model);
  stage_frame(&s);
  SHOWS(&s, "UNCERTAIN orders-silver");
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_asks_first),
      cmocka_unit_test(typed_ahead_confirms_nothing),
      cmocka_unit_test(start_like_a_run_waits_for_its_arguments),
      cmocka_unit_test(stop_is_bound_to_its_run),
      cmocka_unit_test(stop_leaves_ended_runs_alone),
      cmocka_unit_test(marked_runs_stop_together),
      cmocka_unit_test(read_only_hides_and_refuses),
      cmocka_unit_test(nothing_changes_before_sts_agrees),
      cmocka_unit_test(results_are_told),
  };
  return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
