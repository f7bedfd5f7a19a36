/* Whose keys, which Region: the choice between environment, profiles and files (case H05 and its kind). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/when.h"
#include "tests/unit/world.h"

static void nobody(void *user, const struct fake_request *request, struct fake_answer *answer)
{
  (void)user;
  (void)request;
  answer->status = 0;
  answer->kind = ERR_NETWORK;
}

static const char two_profiles[] = "[default]\nregion = eu-central-1\n[profile prod]\nregion = eu-west-1\n";
static const char two_keys[] =
    "[default]\naws_access_key_id = AKIDDEFAULT\naws_secret_access_key = s\n"
    "[prod]\naws_access_key_id = AKIDPROD\naws_secret_access_key = s\naws_session_token = t\n";

static void open_two(struct world *w)
{
  world_open(w, nobody, NULL);
  world_write(w, ".aws/config", two_profiles);
  world_write(w, ".aws/credentials", two_keys);
}

static void set_keys(struct world *w)
{
  world_env(w, "AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  world_env(w, "AWS_SECRET_ACCESS_KEY", "abc/123+4");
}

static void test_default_profile(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_login(&w, NULL, NULL);
  assert_string_equal(login_region(w.login), "eu-central-1");
  world_expect_ready(&w, "AKIDDEFAULT", "profile default");
  assert_string_equal(login_profile(w.login), "default");
  assert_string_equal(login_settings_profile(w.login), "default");
  assert_string_equal(login_region_source(w.login), "profile default");
  assert_string_equal(login_where(w.login), "profile default in ~/.aws/credentials");
  assert_null(login_notice(w.login));
  assert_true(secret_empty(&login_credentials(w.login)->session_token));
  world_close(&w);
}

static void test_h05_environment_wins_over_variable(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  set_keys(&w);
  world_env(&w, "AWS_PROFILE", "prod");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDEXAMPLE", "environment");
  assert_string_equal(login_profile(w.login), "");
  assert_string_equal(login_settings_profile(w.login), "prod");
  assert_string_equal(login_region(w.login), "eu-west-1");
  assert_non_null(strstr(login_notice(w.login), "prod"));
  world_close(&w);
}

static void test_h05_option_wins_over_environment(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  set_keys(&w);
  world_env(&w, "AWS_PROFILE", "default");
  world_login(&w, "prod", NULL);
  world_expect_ready(&w, "AKIDPROD", "profile prod");
  assert_string_equal(login_profile(w.login), "prod");
  assert_string_equal(login_credentials(w.login)->session_token.bytes, "t");
  world_close(&w);
}

static void test_h05_no_such_profile(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_env(&w, "AWS_PROFILE", "nosuch");
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "nosuch", "AWS_PROFILE", "~/.aws/config", "~/.aws/credentials", NULL);
  assert_string_equal(login_profile(w.login), "nosuch");
  /* With keys too: somebody asked for that profile. */
  set_keys(&w);
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "nosuch", NULL);
  world_login(&w, "neither", NULL);
  world_expect_failed(&w, "neither", "--profile", NULL);
  world_close(&w);
}

static void test_h05_empty_is_unset(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_env(&w, "AWS_PROFILE", "");
  world_env(&w, "AWS_REGION", "");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDDEFAULT", "profile default");
  world_close(&w);
}

static void test_h05_half_of_the_keys(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_env(&w, "AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "AWS_SECRET_ACCESS_KEY is not", NULL);
  world_env(&w, "AWS_ACCESS_KEY_ID", "");
  world_env(&w, "AWS_SECRET_ACCESS_KEY", "s");
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "AWS_ACCESS_KEY_ID is not", NULL);
  world_close(&w);
}

static void test_h05_stale_token_is_sent_and_named(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  set_keys(&w);
  world_env(&w, "AWS_SESSION_TOKEN", "stale");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDEXAMPLE", "environment");
  assert_string_equal(login_credentials(w.login)->session_token.bytes, "stale");
  assert_non_null(strstr(login_where(w.login), "AWS_SESSION_TOKEN"));
  /* The service does not take them: nothing else is in the environment, so the login has failed, and stays so. */
  login_invalidate(w.login, login_credentials(w.login));
  world_expect_failed(&w, "AWS_SESSION_TOKEN", NULL);
  assert_int_equal(login_error(w.login)->kind, ERR_EXPIRED);
  world_close(&w);
}

static void test_old_token_name_and_expiration(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  set_keys(&w);
  world_env(&w, "AWS_SECURITY_TOKEN", "old");
  world_env(&w, "AWS_CREDENTIAL_EXPIRATION", "2026-11-30T13:00:00Z");
  world_env(&w, "AWS_ACCOUNT_ID", "111122223333");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDEXAMPLE", "environment");
  assert_string_equal(login_credentials(w.login)->session_token.bytes, "old");
  assert_string_equal(login_credentials(w.login)->account, "111122223333");
  assert_int_equal(login_credentials(w.login)->expires_ms - world_now(&w), WHEN_HOUR);
  clock_advance(&w.clock, WHEN_HOUR);
  world_expect_failed(&w, "ended at 2026-11-30T13:00:00", NULL);
  world_env(&w, "AWS_CREDENTIAL_EXPIRATION", "soon");
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "AWS_CREDENTIAL_EXPIRATION", NULL);
  world_close(&w);
}

static void test_profile_variables(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_env(&w, "AWS_DEFAULT_PROFILE", "prod");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDPROD", "profile prod");
  world_env(&w, "AWS_PROFILE", "default");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDDEFAULT", "profile default");
  assert_non_null(strstr(login_notice(w.login), "AWS_DEFAULT_PROFILE"));
  world_close(&w);
}

static void test_region_order(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_env(&w, "AWS_DEFAULT_REGION", "us-east-2");
  world_login(&w, NULL, NULL);
  assert_string_equal(login_region(w.login), "us-east-2");
  assert_string_equal(login_region_source(w.login), "AWS_DEFAULT_REGION");
  world_env(&w, "AWS_REGION", "us-east-1");
  world_login(&w, NULL, NULL);
  assert_string_equal(login_region(w.login), "us-east-1");
  assert_string_equal(login_region_source(w.login), "AWS_REGION");
  world_login(&w, NULL, "sa-east-1");
  assert_string_equal(login_region(w.login), "sa-east-1");
  assert_string_equal(login_region_source(w.login), "option");
  world_close(&w);
}

static void test_no_region_anywhere(void **state)
{
  (void)state;
  struct world w;
  world_open(&w, nobody, NULL);
  set_keys(&w);
  world_login(&w, NULL, NULL);
  assert_int_equal(login_turn(w.login), LOGIN_WORKING); /* the instance metadata is asked */
  world_expect_ready(&w, "AKIDEXAMPLE", "environment");
  assert_null(login_region(w.login));
  assert_string_equal(login_region_source(w.login), "");
  world_env(&w, "AWS_EC2_METADATA_DISABLED", "true");
  world_login(&w, NULL, NULL);
  size_t before = fake_count();
  world_expect_ready(&w, "AKIDEXAMPLE", "environment");
  assert_int_equal(fake_count(), before);
  world_close(&w);
}

static void test_keys_of_two_files_are_not_mixed(void **state)
{
  (void)state;
  struct world w;
  world_open(&w, nobody, NULL);
  world_write(&w, ".aws/config",
              "[default]\nregion = eu-west-1\naws_access_key_id = AKIDOLD\naws_secret_access_key = "
              "old\naws_session_token = stale\n");
  world_write(&w, ".aws/credentials", "[default]\naws_access_key_id = AKIDNEW\naws_secret_access_key = new\n");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDNEW", "profile default");
  assert_true(secret_empty(&login_credentials(w.login)->session_token));
  world_write(&w, ".aws/credentials", "[default]\naws_access_key_id = AKIDNEW\n");
  world_login(&w, NULL, NULL);
  world_expect_failed(&w, "aws_secret_access_key", "~/.aws/credentials", NULL);
  world_write(&w, ".aws/credentials", "");
  world_login(&w, NULL, NULL);
  world_expect_ready(&w, "AKIDOLD", "profile default");
  assert_string_equal(login_credentials(w.login)->session_token.bytes, "stale");
  assert_string_equal(login_where(w.login), "profile default in ~/.aws/config");
  world_close(&w);
}

static void test_rotated_keys_are_read_again(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_login(&w, "prod", NULL);
  world_expect_ready(&w, "AKIDPROD", "profile prod");
  struct credentials old;
  credentials_init(&old);
  credentials_copy(&old, login_credentials(w.login));
  /* Some tool writes new session keys into the file every hour; the old ones end. */
  world_write(&w, ".aws/credentials",
              "[prod]\naws_access_key_id = AKIDPROD2\naws_secret_access_key = s2\naws_session_token = t2\n");
  login_invalidate(w.login, &old);
  world_expect_ready(&w, "AKIDPROD2", "profile prod");
  /* A late answer to a request with the old keys does not drop the new ones. */
  login_invalidate(w.login, &old);
  assert_int_equal(login_turn(w.login), LOGIN_READY);
  credentials_fini(&old);
  world_close(&w);
}

static void test_a_changed_file_ends_the_failure(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_login(&w, "prod", NULL);
  world_expect_ready(&w, "AKIDPROD", "profile prod");
  login_invalidate(w.login, NULL);
  world_expect_failed(&w, "profile prod in ~/.aws/credentials", NULL);
  int64_t next = login_next_turn_ms(w.login);
  assert_true(next > clock_mono_ms(&w.clock));
  clock_advance(&w.clock, WHEN_MINUTE);
  assert_int_equal(login_turn(w.login), LOGIN_FAILED);
  world_write(&w, ".aws/credentials",
              "[prod]\naws_access_key_id = AKIDPROD3\naws_secret_access_key = s3\naws_session_token = t3\n");
  clock_advance(&w.clock, WHEN_MINUTE);
  world_expect_ready(&w, "AKIDPROD3", "profile prod");
  world_close(&w);
}

static void test_retry_reads_the_files_again(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_login(&w, "later", "eu-west-1");
  world_expect_failed(&w, "later", NULL);
  world_write(&w, ".aws/credentials", "[later]\naws_access_key_id = AKIDLATER\naws_secret_access_key = s\n");
  login_retry(w.login);
  world_expect_ready(&w, "AKIDLATER", "profile later");
  assert_string_equal(login_region(w.login), "eu-west-1");
  world_close(&w);
}

static void test_refused_again_stops(void **state)
{
  (void)state;
  struct world w;
  open_two(&w);
  world_login(&w, "prod", NULL);
  world_expect_ready(&w, "AKIDPROD", "profile prod");
  world_write(&w, ".aws/credentials", "[prod]\naws_access_key_id = AKIDPROD2\naws_secret_access_key = s2\n");
  login_invalidate(w.login, NULL);
  world_expect_ready(&w, "AKIDPROD2", "profile prod");
  login_invalidate(w.login, NULL);
  world_expect_failed(&w, "new ones too", NULL);
  world_close(&w);
}

static void test_nothing_at_all(void **state)
{
  (void)state;
  struct world w;
  world_open(&w, nobody, NULL);
  world_env(&w, "AWS_EC2_METADATA_DISABLED", "true");
  world_login(&w, NULL, "eu-west-1");
  world_expect_failed(&w, "no credentials", "aws sso login", NULL);
  assert_string_equal(login_settings_profile(w.login), "");
  assert_int_equal(login_error(w.login)->kind, ERR_CREDENTIALS);
  world_close(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default_profile),
      cmocka_unit_test(test_h05_environment_wins_over_variable),
      cmocka_unit_test(test_h05_option_wins_over_environment),
      cmocka_unit_test(test_h05_no_such_profile),
      cmocka_unit_test(test_h05_empty_is_unset),
      cmocka_unit_test(test_h05_half_of_the_keys),
      cmocka_unit_test(test_h05_stale_token_is_sent_and_named),
      cmocka_unit_test(test_old_token_name_and_expiration),
      cmocka_unit_test(test_profile_variables),
      cmocka_unit_test(test_region_order),
      cmocka_unit_test(test_no_region_anywhere),
      cmocka_unit_test(test_keys_of_two_files_are_not_mixed),
      cmocka_unit_test(test_rotated_keys_are_read_again),
      cmocka_unit_test(test_a_changed_file_ends_the_failure),
      cmocka_unit_test(test_retry_reads_the_files_again),
      cmocka_unit_test(test_refused_again_stops),
      cmocka_unit_test(test_nothing_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
