/* The command line: what is read, and in which words it is refused. */
#include "options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/when.h"

#define NOW INT64_C(1790000000000)

/* Split a line at blanks and read it. */
static struct err read_line(const char *line, struct options *o, char **copy)
{
  char *argv[64] = {0};
  int argc = 0;
  char program[] = "gluetop";
  argv[argc++] = program;
  *copy = strdup(line);
  char *save = NULL;
  for (char *w = strtok_r(*copy, " ", &save); w && argc < 63; w = strtok_r(NULL, " ", &save)) {
    argv[argc++] = w;
  }
  return options_read(argc, argv, NOW, o);
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *line, *said;
  } cases[] = {
      {"--nonsense", "no option '--nonsense'"},
      {"-x", "no option '-x'"},
      {"frobnicate", "no command 'frobnicate'"},
      {"runs a b", "usage: gluetop runs [JOB]"},
      {"run a", "usage: gluetop run JOB RUN_ID"},
      {"runs --limit", "--limit takes an argument"},
      {"runs --limit ten", "not 'ten'"},
      {"runs --limit 1.5", "whole number"},
      {"jobs --failed", "--failed does not go with jobs"},
      {"--failed", "--failed does not go with the screen"},
      {"-o yaml jobs", "table, json or csv"},
      {"--since tomorrow jobs", "not 'tomorrow'"},
      {"--since 1h --until 2h jobs", "later than"},
      {"--demo=1", "takes no argument"},
      {"--demo --profile x", "does not go with"},
      {"start j --arg novalue", "KEY=VALUE"},
      {"runs --state ,", "empty word"},
      {"--refresh -1", "from 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct options o;
    char *copy = NULL;
    struct err e = read_line(cases[i].line, &o, &copy);
    if (e.kind != ERR_USAGE || !strstr(err_message(&e), cases[i].said)) {
      fail_msg("'%s' gave '%s', not '%s'", cases[i].line, err_message(&e), cases[i].said);
    }
    err_fini(&e);
    options_fini(&o);
    free(copy);
  }
}

static void test_read(void **state)
{
  (void)state;
  struct options o;
  char *copy = NULL;
  struct err e =
      read_line("runs orders -r eu-west-1 -pprod --since=7d -o json --state failed,MELTING --active --limit 5 "
                "--context a@eu-west-1 --context b -vv --utc",
                &o, &copy);
  assert_int_equal(e.kind, ERR_OK);
  assert_int_equal(o.request.command, CLI_RUNS);
  assert_string_equal(o.request.args[0], "orders");
  assert_string_equal(o.region, "eu-west-1");
  assert_string_equal(o.profile, "prod");
  assert_true(o.request.since_ms ==
              (NOW - 7 * WHEN_DAY) / WHEN_MINUTE * WHEN_MINUTE); /* a whole minute, as on the screen */
  assert_true(o.request.until_ms == INT64_MAX);
  assert_int_equal(o.request.format, REPORT_JSON);
  assert_int_equal(o.request.states, 1u << RUN_FAILED);
  assert_int_equal(o.request.state_word_count, 1);
  assert_string_equal(o.request.state_words[0], "MELTING");
  assert_true(o.request.active);
  assert_true(o.request.limit == 5);
  assert_int_equal(o.context_count, 2);
  assert_string_equal(o.contexts[0], "a@eu-west-1");
  assert_int_equal(o.verbose, 2);
  assert_int_equal(o.request.zone, WHEN_UTC);
  options_fini(&o);
  free(copy);

  e = read_line("start j --arg --day=2026-01-01 --arg --q=a=b --workers 4 --timeout 0 --wait -- ", &o, &copy);
  assert_int_equal(e.kind, ERR_OK);
  assert_int_equal(o.request.start_arg_count, 2);
  assert_string_equal(o.request.start_keys[0], "--day");
  assert_string_equal(o.request.start_values[1], "a=b");
  assert_true(o.request.workers == 4);
  assert_true(o.request.timeout_minutes == 0);
  options_fini(&o);
  free(copy);

  /* A job may be named like an option. */
  e = read_line("job -- --odd", &o, &copy);
  assert_int_equal(e.kind, ERR_OK);
  assert_string_equal(o.request.args[0], "--odd");
  options_fini(&o);
  free(copy);

  e = read_line("runs --since all", &o, &copy);
  assert_int_equal(e.kind, ERR_OK);
  assert_true(o.request.since_ms == INT64_MIN);
  options_fini(&o);
  free(copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
