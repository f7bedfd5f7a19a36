/* gluetop's own config file: what is taken, and in which words the rest is refused. */
#include "settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void read_text(const char *text, struct settings *s)
{
  char path[] = "settings-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  struct err e = settings_load(path, s);
  unlink(path);
  assert_false(err_is(&e));
  settings_check(s);
}

static void test_faults(void **state)
{
  (void)state;
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"bogus = 1", ":1: 'bogus' means nothing here"},
      {"refresh = soon", "'soon' is no value for refresh"},
      {"connections = 0", "'0' is no value for connections"},
      {"connections = 2.5", "'2.5' is no value for connections"},
      {"connections = 101", "'101' is no value for connections"},
      {"usual_runs = 0", "'0' is no value for usual_runs"},
      {"theme = nosuch", ":1: there is no theme \"nosuch\"; themes: default, light, mono"},
      {"view = nosuch", "there is no view \"nosuch\" to begin with; views: home, jobs"},
      {"[context A]\nfrob = x", ":2: 'frob' means nothing in section context"},
      {"[context A]\ncolour = pink", "'pink' is no value for colour"},
      {"[price eu-west-1]\nflexi = 2", ":2: 'flexi' is no price: standard, flex"},
      {"[price eu-west-1]\nflex = much", "'much' is no value for flex"},
      {"[quota eu-west-1]\njobs = 2", "'jobs' is no quota: runs, runs_of_job"},
      {"[keys]\ndance = x", "there is no action \"dance\""},
      {"[keys]\nstop = NoSuchKey", "\"NoSuchKey\" are no keys"},
      {"[notify]\nbell = maybe", "'maybe' is no value for bell"},
      {"[notify]\nosc = 8", "'8' is no value for osc: 9 or 777"},
      {"[weird]\na = b", "there is no section [weird]"},
      {"just words", "neither [section] nor key = value"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct settings s;
    read_text(cases[i].text, &s);
    if (s.fault_count != 1 || !strstr(s.faults[0], cases[i].said) || s.count != 0) {
      fail_msg("'%s' gave '%s', not '%s'", cases[i].text, s.fault_count > 0 ? s.faults[0] : "nothing", cases[i].said);
    }
    settings_fini(&s);
  }
}

/* Every key of the manual page is taken; one that is not leaves the others as they are. */
static void test_taken(void **state)
{
  (void)state;
  struct settings s;
  read_text(
      "refresh = 5\nusual_runs = 300\nmax_requests_per_second = 4\nconnections = 6\nbudget_usd_month = "
      "6000\nbudget_usd_day = 200\n"
      "theme = light\nascii = no\nutc = yes\nprice_list = no\nservice_quotas = no\nview = burn\nread_only = no\nstore "
      "= /nowhere\n"
      "[context PROD]\nprofile = prod\nregion = eu-west-1\nendpoint_url = http://127.0.0.1:1\ncolour = red\n"
      "nonsense = 1\nread_only = yes\nopen = yes\n"
      "[price eu-west-1]\nstandard = 0.4\nflex = 0.3\nmemory = 0.5\npython = 0.4\nray = 0.4\nstandard_gen2 = 0.3\n"
      "[quota eu-west-1]\nruns = 50\ndpu = 200\nruns_of_job = 9\nflex_dpu = 9\nqueued_runs = 9\n[tag clicks]\njobs = "
      "click*\n[keys]\nrefresh = F5\n"
      "[notify]\nbell = yes\nosc = 9\ncommand = cat\n",
      &s);
  assert_int_equal(s.fault_count, 1);
  assert_int_equal(s.count, 36);
  assert_int_equal(settings_number(&s, "", NULL, "connections", 0), 6);
  assert_string_equal(settings_get(&s, "", NULL, "theme"), "light");
  assert_true(settings_bool(&s, "context", "PROD", "read_only", false));
  assert_string_equal(settings_get(&s, "keys", NULL, "refresh"), "F5");
  settings_fini(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_taken)};
  return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
