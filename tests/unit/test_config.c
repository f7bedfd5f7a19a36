/* The reader of AWS's config files: one named case a habit of such files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "aws/config.h"
#include "base/xalloc.h"
#include "tests/unit/env.h"

static struct aws_config *parse(const char *config, const char *credentials)
{
  struct aws_config *c = NULL;
  struct err e = aws_config_parse(config, config != NULL ? strlen(config) : 0, credentials,
                                  credentials != NULL ? strlen(credentials) : 0, env_get, NULL, &c);
  assert_false(err_is(&e));
  return c;
}

struct value_case {
  const char *name;
  const char *config;
  const char *credentials;
  const char *profile;
  const char *key;
  const char *expect; /* NULL: absent */
  size_t faults;
};

static const struct value_case value_cases[] = {
    {"plain", "[profile a]\nregion = eu-west-1\n", NULL, "a", "region", "eu-west-1", 0},
    {"no blanks", "[profile a]\nregion=eu-west-1", NULL, "a", "region", "eu-west-1", 0},
    {"colon", "[profile a]\nregion: eu-west-1\n", NULL, "a", "region", "eu-west-1", 0},
    {"CRLF", "[profile a]\r\nregion = eu-west-1\r\n", NULL, "a", "region", "eu-west-1", 0},
    {"BOM", "\xef\xbb\xbf[profile a]\nregion = eu-west-1\n", NULL, "a", "region", "eu-west-1", 0},
    {"no-break space",
     "[profile a]\n\xc2\xa0region\xc2\xa0=\xc2\xa0"
     "eu-west-1\xc2\xa0\n",
     NULL, "a", "region", "eu-west-1", 0},
    {"key in capitals", "[profile a]\nREGION = eu-west-1\n", NULL, "a", "region", "eu-west-1", 0},
    {"asked in capitals", "[profile a]\nregion = eu-west-1\n", NULL, "a", "Region", "eu-west-1", 0},
    {"names keep their case", "[profile A]\nregion = x\n", NULL, "a", "region", NULL, 0},
    {"tabs and blanks", "  [ profile\t a ]  \n\tregion\t=\t eu-west-1 \t\n", NULL, "a", "region", "eu-west-1", 0},
    {"double quotes", "[profile \"my dev\"]\nregion = x\n", NULL, "my dev", "region", "x", 0},
    {"single quotes", "[profile 'my dev']\nregion = x\n", NULL, "my dev", "region", "x", 0},
    {"bracket in quotes", "[profile \"a]b\"]\nregion = x\n", NULL, "a]b", "region", "x", 0},
    {"blank without quotes", "[profile my dev]\nregion = x\n", NULL, "my dev", "region", "x", 1},
    {"unmatched quote", "[profile \"my dev]\nregion = x\n[profile b]\nregion = y\n", NULL, "b", "region", "y", 1},
    {"comment lines", "# one\n; two\n[profile a]\n  # three\nregion = x\n#region = y\n", NULL, "a", "region", "x", 0},
    {"comment behind a header", "[profile a] # mine\nregion = x\n", NULL, "a", "region", "x", 0},
    {"comment behind a value", "[profile a]\nregion = x # home\n", NULL, "a", "region", "x", 0},
    {"semicolon behind a value", "[profile a]\nregion = x ; home\n", NULL, "a", "region", "x", 0},
    {"hash inside a value", "[profile a]\nsso_start_url = https://d.awsapps.com/start#/\n", NULL, "a", "sso_start_url",
     "https://d.awsapps.com/start#/", 0},
    {"hash in a command stays", "[profile a]\ncredential_process = /x --k ' #1'\n", NULL, "a", "credential_process",
     "/x --k ' #1'", 0},
    {"hash in a secret stays", NULL, "[a]\naws_secret_access_key = ab #cd\n", "a", "aws_secret_access_key", "ab #cd",
     0},
    {"equals signs in a value", NULL, "[a]\naws_session_token = ab==\n", "a", "aws_session_token", "ab==", 0},
    {"quotes stay", "[profile a]\nregion = \"x\"\n", NULL, "a", "region", "\"x\"", 0},
    {"empty is absent", "[profile a]\nregion =\n", NULL, "a", "region", NULL, 0},
    {"last duplicate wins", "[profile a]\nregion = x\nregion = y\n", NULL, "a", "region", "y", 1},
    {"section twice", "[profile a]\nregion = x\n[profile b]\n[profile a]\noutput = json\n", NULL, "a", "region", "x",
     1},
    {"section twice, later key", "[profile a]\nregion = x\n[profile a]\nregion = y\n", NULL, "a", "region", "y", 2},
    {"default", "[default]\nregion = x\n", NULL, "default", "region", "x", 0},
    {"profile default wins", "[profile default]\nregion = y\n[default]\nregion = x\n", NULL, "default", "region", "y",
     1},
    {"profile default wins whole", "[default]\noutput = x\n[profile default]\nregion = y\n", NULL, "default", "output",
     NULL, 1},
    {"section without profile", "[a]\nregion = x\n", NULL, "a", "region", NULL, 1},
    {"CLI's own sections", "[plugins]\nfoo = bar\n[preview]\ncloudfront = true\n[profile a]\nregion = x\n", NULL, "a",
     "region", "x", 0},
    {"credentials file", NULL, "[a]\nregion = x\n", "a", "region", "x", 0},
    {"profile prefix in credentials", NULL, "[profile a]\nregion = x\n[b]\nregion = y\n", "a", "region", NULL, 1},
    {"both files, other keys", "[profile a]\nregion = x\n", "[a]\naws_access_key_id = k\n", "a", "region", "x", 0},
    {"both files, credentials win", "[profile a]\naws_access_key_id = old\n", "[a]\naws_access_key_id = new\n", "a",
     "aws_access_key_id", "new", 0},
    {"bad line hides nothing", "[profile a]\nwhat is this\nregion = x\n", NULL, "a", "region", "x", 1},
    {"no key", "[profile a]\n= y\nregion = x\n", NULL, "a", "region", "x", 1},
    {"unclosed header takes its keys along",
     "[profile a]\nregion = x\n[profile b\nregion = y\n[profile c]\nregion = z\n", NULL, "a", "region", "x", 1},
    {"after an unclosed header", "[profile b\nregion = y\n[profile c]\nregion = z\n", NULL, "c", "region", "z", 1},
    {"no name", "[]\nregion = x\n[profile a]\nregion = y\n", NULL, "a", "region", "y", 1},
    {"key before any section", "region = x\nregion = y\n[profile a]\nregion = z\n", NULL, "a", "region", "z", 1},
    {"text behind a header", "[profile a] xyz\nregion = z\n", NULL, "a", "region", "z", 1},
    {"indented section", "[profile a]\n  region = x\n  output = json\n", NULL, "a", "output", "json", 0},
    {"indented header ends a value", "[profile a]\nregion = x\n  [profile b]\nregion = y\n", NULL, "a", "region", "x",
     0},
    {"value over two lines", "[profile a]\ncredential_process = /x\n   --y\n", NULL, "a", "credential_process",
     "/x\n--y", 0},
    {"nested is not of the profile", "[profile a]\ns3 =\n  region = no\n", NULL, "a", "region", NULL, 0},
    {"blank line in nested", "[profile a]\ns3 =\n\n  x = 1\n\nregion = y\n", NULL, "a", "region", "y", 0},
    {"bad nested line", "[profile a]\ns3 =\n  nonsense\nregion = y\n", NULL, "a", "region", "y", 1},
    {"NUL byte is told", "[profile a]\nregion = x\n", NULL, "a", "region", "x", 0},
    {"UTF-8 name", "[profile bücher]\nregion = x\n", NULL, "bücher", "region", "x", 0},
};

static void test_values(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof value_cases / sizeof *value_cases; i++) {
    const struct value_case *t = &value_cases[i];
    struct aws_config *c = parse(t->config, t->credentials);
    const char *got = aws_config_get(c, t->profile, t->key);
    bool same = t->expect == NULL ? got == NULL : got != NULL && strcmp(got, t->expect) == 0;
    if (!same)
      fail_msg("%s: got %s, expected %s", t->name, got != NULL ? got : "nothing",
               t->expect != NULL ? t->expect : "nothing");
    if (aws_config_fault_count(c) != t->faults)
      fail_msg("%s: %zu faults, expected %zu (%s)", t->name, aws_config_fault_count(c), t->faults,
               aws_config_fault_count(c) > 0 ? aws_config_fault(c, 0) : "none");
    aws_config_free(c);
  }
}

static void test_faults_have_file_and_line_and_no_value(void **state)
{
  (void)state;
  struct aws_config *c = parse("[profile a]\n\nhunter2 is my password\n", "[b]\naws_secret_access_key hunter2\n");
  assert_int_equal(aws_config_fault_count(c), 2);
  assert_non_null(strstr(aws_config_fault(c, 0), "~/.aws/config:3: "));
  assert_non_null(strstr(aws_config_fault(c, 1), "~/.aws/credentials:2: "));
  for (size_t i = 0; i < 2; i++)
    assert_null(strstr(aws_config_fault(c, i), "hunter2"));
  assert_null(aws_config_fault(c, 2));
  aws_config_free(c);
}

static void test_hostile_names_are_cleaned_in_faults(void **state)
{
  (void)state;
  struct aws_config *c = parse("[\x1b]0;owned\x07 oops]\n", NULL);
  assert_true(aws_config_fault_count(c) > 0);
  for (size_t i = 0; i < aws_config_fault_count(c); i++)
    assert_null(strchr(aws_config_fault(c, i), '\x1b'));
  aws_config_free(c);
}

static void test_sections(void **state)
{
  (void)state;
  struct aws_config *c =
      parse("[sso-session corp]\nsso_region = eu-west-1\nSSO_Start_URL = https://x\n"
            "[services local]\nglue =\n  endpoint_url = http://127.0.0.1:4566\ncloudwatch_logs =\n"
            "  endpoint_url = http://127.0.0.1:4567/logs # here\n"
            "[profile dev]\nservices = local\nendpoint_url = http://whole\n[profile corp]\nsso_session = corp\n",
            "[old]\naws_access_key_id = k\n[dev]\naws_access_key_id = k\n");
  assert_true(aws_config_has_sso_session(c, "corp"));
  assert_false(aws_config_has_sso_session(c, "dev"));
  assert_string_equal(aws_config_sso_session(c, "corp", "sso_start_url"), "https://x");
  assert_null(aws_config_sso_session(c, "corp", "nothing"));
  assert_string_equal(aws_config_service(c, "local", "glue", "endpoint_url"), "http://127.0.0.1:4566");
  assert_string_equal(aws_config_service(c, "local", "cloudwatch_logs", "endpoint_url"), "http://127.0.0.1:4567/logs");
  assert_null(aws_config_service(c, "local", "sts", "endpoint_url"));
  assert_null(aws_config_service(c, NULL, "sts", "endpoint_url"));
  assert_string_equal(aws_config_get(c, "dev", "endpoint_url"), "http://whole");
  assert_int_equal(aws_config_profile_count(c), 3);
  assert_string_equal(aws_config_profile_name(c, 0), "dev");
  assert_string_equal(aws_config_profile_name(c, 1), "corp");
  assert_string_equal(aws_config_profile_name(c, 2), "old");
  assert_null(aws_config_profile_name(c, 3));
  assert_true(aws_config_has_profile(c, "old"));
  assert_false(aws_config_has_profile(c, "local"));
  assert_int_equal(aws_config_fault_count(c), 0);
  aws_config_free(c);
}

static void test_one_file_alone(void **state)
{
  (void)state;
  struct aws_config *c = parse("[profile a]\naws_session_token = stale\n", "[a]\naws_access_key_id = k\n");
  assert_null(aws_config_get_in(c, AWS_FILE_CREDENTIALS, "a", "aws_session_token"));
  assert_string_equal(aws_config_get_in(c, AWS_FILE_CONFIG, "a", "aws_session_token"), "stale");
  aws_config_free(c);
}

static void test_odd_files(void **state)
{
  (void)state;
  struct aws_config *c = NULL;
  static const char utf16[] = "\xff\xfe[\0d\0e\0f\0";
  struct err e = aws_config_parse(utf16, sizeof utf16 - 1, NULL, 0, env_get, NULL, &c);
  assert_false(err_is(&e));
  assert_int_equal(aws_config_fault_count(c), 1);
  assert_non_null(strstr(aws_config_fault(c, 0), "UTF-16"));
  aws_config_free(c);

  static const char nul[] = "[profile a]\nregion = \0x\noutput = json\n";
  e = aws_config_parse(nul, sizeof nul - 1, NULL, 0, env_get, NULL, &c);
  assert_false(err_is(&e));
  assert_int_equal(aws_config_fault_count(c), 1);
  assert_null(aws_config_get(c, "a", "region"));
  assert_string_equal(aws_config_get(c, "a", "output"), "json");
  aws_config_free(c);

  /* A file of another kind does not make thousands of faults. */
  char *junk = xmalloc(40000);
  for (size_t i = 0; i < 40000; i++)
    junk[i] = i % 4 == 3 ? '\n' : 'j';
  e = aws_config_parse(junk, 40000, NULL, 0, env_get, NULL, &c);
  assert_false(err_is(&e));
  assert_true(aws_config_fault_count(c) <= 60);
  aws_config_free(c);
  free(junk);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  assert_int_equal(fchmod(fd, mode), 0);
  close(fd);
}

static bool some_fault_has(const struct aws_config *c, const char *text)
{
  for (size_t i = 0; i < aws_config_fault_count(c); i++) {
    if (strstr(aws_config_fault(c, i), text) != NULL)
      return true;
  }
  return false;
}

static void test_files(void **state)
{
  (void)state;
  char dir[] = "/tmp/gluetop-config-XXXXXX";
  assert_non_null(mkdtemp(dir));
  char *aws = xasprintf("%s/.aws", dir);
  char *config = xasprintf("%s/.aws/config", dir);
  char *credentials = xasprintf("%s/.aws/credentials", dir);
  char *other = xasprintf("%s/other", dir);
  const char *env[] = {"HOME", dir, "AWS_PROFILE", "", NULL};
  struct aws_config *c = NULL;

  /* Nothing there at all is no fault. */
  struct err e = aws_config_load(env_get, env, &c);
  assert_false(err_is(&e));
  assert_int_equal(aws_config_fault_count(c), 0);
  assert_string_equal(aws_config_path(c), "~/.aws/config");
  assert_string_equal(aws_credentials_path(c), "~/.aws/credentials");
  assert_null(aws_config_env(c, "AWS_PROFILE"));
  aws_config_free(c);

  assert_int_equal(mkdir(aws, 0700), 0);
  write_file(config, "[profile a]\nregion = x\noops\n", 0644);
  write_file(credentials, "[a]\naws_access_key_id = k\naws_secret_access_key = s\n", 0600);
  e = aws_config_load(env_get, env, &c);
  assert_false(err_is(&e));
  assert_string_equal(aws_config_get(c, "a", "region"), "x");
  assert_string_equal(aws_config_get(c, "a", "aws_secret_access_key"), "s");
  assert_int_equal(aws_config_fault_count(c), 1);
  assert_non_null(strstr(aws_config_fault(c, 0), "~/.aws/config:3: "));

  /* Edited since: the reload sees it. */
  write_file(config, "[profile a]\nregion = y\n", 0644);
  struct aws_config *again = NULL;
  e = aws_config_reload(c, &again);
  assert_false(err_is(&e));
  assert_string_equal(aws_config_get(again, "a", "region"), "y");
  aws_config_free(again);
  aws_config_free(c);

  /* Others can read the credentials: told, and used. */
  write_file(credentials, "[a]\naws_access_key_id = k\naws_secret_access_key = s\n", 0644);
  e = aws_config_load(env_get, env, &c);
  assert_false(err_is(&e));
  assert_true(some_fault_has(c, "0644"));
  assert_true(some_fault_has(c, "chmod 600 ~/.aws/credentials"));
  assert_string_equal(aws_config_get(c, "a", "aws_access_key_id"), "k");
  aws_config_free(c);

  /* A directory in its place; a file that a variable names and that is not there; "~/" in a variable. */
  assert_int_equal(mkdir(other, 0700), 0);
  const char *odd[] = {"HOME", dir, "AWS_CONFIG_FILE", other, "AWS_SHARED_CREDENTIALS_FILE", "~/nowhere", NULL};
  e = aws_config_load(env_get, odd, &c);
  assert_false(err_is(&e));
  assert_true(some_fault_has(c, "~/other"));
  assert_true(some_fault_has(c, "AWS_SHARED_CREDENTIALS_FILE"));
  assert_int_equal(aws_config_profile_count(c), 0);
  aws_config_free(c);

  unlink(config);
  unlink(credentials);
  rmdir(aws);
  rmdir(other);
  rmdir(dir);
  free(aws);
  free(config);
  free(credentials);
  free(other);
}

static void test_flags(void **state)
{
  (void)state;
  static const char text[] = "[profile a]\nuse_fips_endpoint = TRUE\n";
  static const struct {
    const char *env[3];
    const char *profile;
    bool expect;
  } cases[] = {
      {{NULL}, "a", true},
      {{"AWS_USE_FIPS_ENDPOINT", "false", NULL}, "a", false},
      {{"AWS_USE_FIPS_ENDPOINT", "True", NULL}, "b", true},
      {{"AWS_USE_FIPS_ENDPOINT", "", NULL}, "a", true},
      {{NULL}, "b", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct aws_config *c = NULL;
    const char *env[3];
    memcpy(env, cases[i].env, sizeof env);
    struct err e = aws_config_parse(text, sizeof text - 1, NULL, 0, env_get, env, &c);
    assert_false(err_is(&e));
    assert_int_equal(aws_config_flag(c, "AWS_USE_FIPS_ENDPOINT", cases[i].profile, "use_fips_endpoint"),
                     cases[i].expect);
    aws_config_free(c);
  }
}

static void test_profile_in_force_and_its_certificates(void **state)
{
  (void)state;
  static const char text[] = "[default]\nca_bundle = /one.pem\n[profile a]\nca_bundle = /two.pem\n[profile b]\n";
  static const struct {
    const char *env[5];
    const char *option;
    const char *profile, *from, *bundle;
  } cases[] = {
      {{NULL}, NULL, "default", NULL, "/one.pem"},
      {{"AWS_DEFAULT_PROFILE", "b", NULL}, NULL, "b", "AWS_DEFAULT_PROFILE", NULL},
      {{"AWS_DEFAULT_PROFILE", "b", "AWS_PROFILE", "a", NULL}, NULL, "a", "AWS_PROFILE", "/two.pem"},
      {{"AWS_PROFILE", "b", NULL}, "a", "a", "--profile or a context", "/two.pem"},
      {{"AWS_PROFILE", "", NULL}, NULL, "default", NULL, "/one.pem"},
      {{"AWS_CA_BUNDLE", "/three.pem", NULL}, "a", "a", "--profile or a context", "/three.pem"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct aws_config *c = NULL;
    const char *env[5];
    const char *from = NULL;
    memcpy(env, cases[i].env, sizeof env);
    struct err e = aws_config_parse(text, sizeof text - 1, NULL, 0, env_get, env, &c);
    assert_false(err_is(&e));
    assert_string_equal(aws_config_profile_in_force(c, cases[i].option, &from), cases[i].profile);
    assert_true(from == NULL ? cases[i].from == NULL : cases[i].from != NULL && strcmp(from, cases[i].from) == 0);
    const char *bundle = aws_config_ca_bundle(c, cases[i].option);
    assert_true(bundle == NULL ? cases[i].bundle == NULL
                               : cases[i].bundle != NULL && strcmp(bundle, cases[i].bundle) == 0);
    aws_config_free(c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_faults_have_file_and_line_and_no_value),
      cmocka_unit_test(test_hostile_names_are_cleaned_in_faults),
      cmocka_unit_test(test_sections),
      cmocka_unit_test(test_one_file_alone),
      cmocka_unit_test(test_odd_files),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_flags),
      cmocka_unit_test(test_profile_in_force_and_its_certificates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
