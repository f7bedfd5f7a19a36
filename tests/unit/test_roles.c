/* Assumed roles: chains and loops (case H09), the hour of chained roles and codes of MFA (case H10), web identity, a day of short tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/when.h"
#include "base/xalloc.h"
#include "tests/unit/world.h"

struct sts {
  struct world w;
  int64_t life_ms;
  int made;         /* keys handed out */
  char calls[1024]; /* "AssumeRole etl by AKID;" */
  char last[2048];  /* body of the last call */
  char last_url[256];
  int64_t ends[2000];  /* of the keys made: when a call with them would be refused */
  int status;          /* 0: answer well */
  const char *refusal; /* body with that status */
  int refuse_times;
  bool network_down;
  size_t expired_used;
};

static const char *form_value(const char *body, const char *name, char *out, size_t size)
{
  char *key = xasprintf("%s=", name);
  const char *at = strstr(body, key);
  size_t len = 0;
  if (at != NULL) {
    at += strlen(key);
    len = strcspn(at, "&");
    len = len < size - 1 ? len : size - 1;
    memcpy(out, at, len);
  }
  out[len] = '\0';
  free(key);
  return out;
}

static void sts_serve(void *user, const struct fake_request *r, struct fake_answer *answer)
{
  struct sts *s = user;
  char action[64];
  char arn[256];
  if (strstr(r->url, "sts.") == NULL) {
    answer->status = 0;
    answer->kind = ERR_NETWORK;
    return;
  }
  assert_true(r->secret_body);
  assert_string_equal(r->method, "POST");
  form_value(r->body, "Action", action, sizeof action);
  form_value(r->body, "RoleArn", arn, sizeof arn);
  const char *role = strrchr(arn, '%') != NULL ? strrchr(arn, '%') + 3 : arn; /* behind %2F */
  size_t len = strlen(s->calls);
  snprintf(s->calls + len, sizeof s->calls - len, "%s %s by %s;", action, role,
           r->is_signed ? r->access_key_id : "nobody");
  snprintf(s->last, sizeof s->last, "%s", r->body);
  snprintf(s->last_url, sizeof s->last_url, "%s", r->url);
  /* Keys made here end: whoever uses them later has not renewed them in time. */
  if (r->is_signed && strncmp(r->access_key_id, "ASIA", 4) == 0) {
    int number = atoi(r->access_key_id + 4);
    if (number >= 1 && number <= s->made && s->ends[number - 1] <= world_now(&s->w)) {
      s->expired_used++;
      answer->status = 403;
      snprintf(answer->body, sizeof answer->body,
               "<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>expired</Message></Error></"
               "ErrorResponse>");
      return;
    }
  }
  if (s->network_down) {
    answer->status = 0;
    answer->kind = ERR_TIMEOUT;
  } else if (s->status != 0 && s->refuse_times != 0) {
    answer->status = s->status;
    s->refuse_times -= s->refuse_times > 0 ? 1 : 0;
    snprintf(answer->body, sizeof answer->body, "%s", s->refusal);
  } else {
    assert_true(s->made < 2000);
    s->ends[s->made++] = world_now(&s->w) + s->life_ms;
    answer->status = 200;
    snprintf(
        answer->body, sizeof answer->body,
        "<%sResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><%sResult><Credentials>"
        "<AccessKeyId>ASIA%d</AccessKeyId><SecretAccessKey>s&amp;%d</SecretAccessKey><SessionToken>t%d\n</SessionToken>"
        "<Expiration>%s</Expiration></Credentials><AssumedRoleUser><Arn>arn:aws:sts::111122223333:assumed-role/x/y</"
        "Arn>"
        "</AssumedRoleUser></%sResult></%sResponse>",
        action, action, s->made, s->made, s->made, world_time(s->ends[s->made - 1]), action, action);
  }
}

static const char role_config[] =
    "[default]\nregion = eu-west-1\n"
    "[profile self-static]\naws_access_key_id = AKIDSELF\naws_secret_access_key = s\n"
    "role_arn = arn:aws:iam::111122223333:role/etl-runner\nsource_profile = self-static\n"
    "[profile loop-a]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\nsource_profile = loop-b\n"
    "[profile loop-b]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\nsource_profile = loop-a\n"
    "[profile loop-c]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\nsource_profile = loop-c\n"
    "[profile chain-top]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\n"
    "source_profile = chain-mid\nduration_seconds = 43200\n"
    "[profile chain-mid]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner-mid\n"
    "source_profile = keys\nmfa_serial = arn:aws:iam::111122223333:mfa/phone\nexternal_id = e-1\n"
    "[profile top]\nrole_arn = arn:aws:iam::111122223333:role/etl-top\nsource_profile = mid\n"
    "[profile mid]\nrole_arn = arn:aws:iam::111122223333:role/etl-mid\nsource_profile = keys\n"
    "[profile missing-source]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\n"
    "source_profile = nobody\n"
    "[profile empty-source]\nrole_arn = arn:aws:iam::111122223333:role/etl-runner\n"
    "source_profile = default\n"
    "[profile both]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = keys\ncredential_source = Environment\n"
    "[profile neither]\nrole_arn = arn:aws:iam::1:role/x\n"
    "[profile odd-source]\nrole_arn = arn:aws:iam::1:role/x\ncredential_source = Moon\n"
    "[profile env-source]\nrole_arn = arn:aws-cn:iam::111122223333:role/x\n"
    "credential_source = Environment\nrole_session_name = me@home\n"
    "[profile short]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = keys\nduration_seconds = 60\n"
    "[profile badname]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = keys\nrole_session_name = a b\n"
    "[profile long]\nrole_arn = arn:aws:iam::111122223333:role/long\nsource_profile = keys\n"
    "duration_seconds = 43200\nregion = us-east-2\n"
    "[profile web]\nrole_arn = arn:aws:iam::111122223333:role/web\n"
    "web_identity_token_file = ~/token\n";
static const char role_keys[] = "[keys]\naws_access_key_id = AKIDKEYS\naws_secret_access_key = s\n";

static void open_sts(struct sts *s)
{
  memset(s, 0, sizeof *s);
  s->life_ms = WHEN_HOUR;
  world_open(&s->w, sts_serve, s);
  world_env(&s->w, "AWS_EC2_METADATA_DISABLED", "true");
  world_env(&s->w, "AWS_REGION", "eu-west-1");
  world_write(&s->w, ".aws/config", role_config);
  world_write(&s->w, ".aws/credentials", role_keys);
}

static void expect_config_error(struct sts *s, const char *profile, const char *one, const char *two)
{
  world_login(&s->w, profile, NULL);
  world_expect_failed(&s->w, one, two, NULL);
  assert_int_equal(fake_count(), 0);
}

static void test_h09_chains_that_cannot_work(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  expect_config_error(&s, "loop-a", "loop-a -> loop-b -> loop-a", "loop");
  expect_config_error(&s, "loop-b", "loop-b -> loop-a -> loop-b", "loop");
  expect_config_error(&s, "loop-c", "loop-c -> loop-c", "loop");
  expect_config_error(&s, "missing-source", "nobody", "missing-source");
  expect_config_error(&s, "empty-source", "default", "empty-source");
  expect_config_error(&s, "both", "both", "credential_source");
  expect_config_error(&s, "neither", "neither", "source_profile");
  expect_config_error(&s, "odd-source", "odd-source", "Ec2InstanceMetadata");
  expect_config_error(&s, "env-source", "AWS_ACCESS_KEY_ID", "env-source");
  expect_config_error(&s, "short", "duration_seconds", "900");
  expect_config_error(&s, "badname", "role_session_name", "badname");
  world_close(&s.w);
}

static void test_h09_self_with_static_keys(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_login(&s.w, "self-static", NULL);
  world_expect_ready(&s.w, "ASIA1", "role etl-runner via self-static");
  assert_string_equal(s.calls, "AssumeRole etl-runner by AKIDSELF;");
  assert_string_equal(s.last_url, "https://sts.eu-west-1.amazonaws.com/");
  const struct credentials *keys = login_credentials(s.w.login);
  assert_string_equal(keys->secret_access_key.bytes, "s&1");
  assert_string_equal(keys->session_token.bytes, "t1");
  assert_string_equal(keys->account, "111122223333");
  assert_int_equal(keys->expires_ms - world_now(&s.w), WHEN_HOUR);
  assert_null(strstr(s.last, "DurationSeconds"));
  assert_non_null(strstr(s.last, "Version=2011-06-15"));
  assert_non_null(strstr(s.last, "RoleSessionName=gluetop-session-1796040000"));
  assert_string_equal(login_profile(s.w.login), "self-static");
  world_close(&s.w);
}

static void test_h09_h10_chain_with_code(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_login(&s.w, "chain-top", NULL);
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  assert_string_equal(login_mfa_serial(s.w.login), "arn:aws:iam::111122223333:mfa/phone");
  assert_int_equal(fake_count(), 0);
  login_give_mfa(s.w.login, "12345");
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  assert_non_null(strstr(err_message(login_error(s.w.login)), "six digits"));
  assert_int_equal(fake_count(), 0);
  login_give_mfa(s.w.login, "123456");
  world_expect_ready(&s.w, "ASIA2", "role etl-runner via chain-mid");
  /* The middle one first, with the code and the external id; the top one with its keys, an hour at most. */
  assert_string_equal(s.calls, "AssumeRole etl-runner-mid by AKIDKEYS;AssumeRole etl-runner by ASIA1;");
  assert_non_null(strstr(s.last, "DurationSeconds=3600"));
  assert_null(strstr(s.last, "TokenCode"));
  assert_null(login_mfa_serial(s.w.login));
  /* The top one is renewed ahead without a question, while the middle one's keys hold. */
  clock_advance(&s.w.clock, 46 * WHEN_MINUTE);
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  world_expect_ready(&s.w, "ASIA3", "role etl-runner via chain-mid");
  /* When both have ended, a new code is needed: asked for, not failed. */
  clock_advance(&s.w.clock, WHEN_HOUR);
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  login_give_mfa(s.w.login, "654321");
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  assert_int_equal(s.expired_used, 0);
  world_close(&s.w);
}

static void test_h10_mid_body_has_code_and_external_id(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_login(&s.w, "chain-mid", NULL);
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  login_give_mfa(s.w.login, "123456");
  world_expect_ready(&s.w, "ASIA1", "role etl-runner-mid via keys");
  assert_non_null(strstr(s.last, "ExternalId=e-1"));
  assert_non_null(strstr(s.last, "SerialNumber=arn%3Aaws%3Aiam%3A%3A111122223333%3Amfa%2Fphone"));
  assert_non_null(strstr(s.last, "TokenCode=123456"));
  world_close(&s.w);
}

static void test_h10_wrong_codes(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  s.status = 403;
  s.refuse_times = -1;
  s.refusal = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>MultiFactorAuthentication "
              "failed with "
              "invalid MFA one time pass code.</Message></Error></ErrorResponse>";
  world_login(&s.w, "chain-mid", NULL);
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  for (int i = 0; i < 2; i++) {
    login_give_mfa(s.w.login, "111111");
    assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
    assert_non_null(strstr(err_message(login_error(s.w.login)), "invalid MFA"));
  }
  login_give_mfa(s.w.login, "222222");
  world_expect_failed(&s.w, "invalid MFA", "mfa_serial", NULL);
  assert_int_equal(fake_count(), 3);
  clock_advance(&s.w.clock, WHEN_HOUR);
  assert_int_equal(world_settle(&s.w), LOGIN_FAILED);
  assert_int_equal(fake_count(), 3);
  s.status = 0;
  login_retry(s.w.login);
  assert_int_equal(world_settle(&s.w), LOGIN_NEEDS_MFA);
  login_give_mfa(s.w.login, "333333");
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  world_close(&s.w);
}

static void test_h10_duration_refused_is_asked_for_again_as_an_hour(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  s.status = 400;
  s.refuse_times = 1;
  s.refusal = "<ErrorResponse><Error><Code>ValidationError</Code><Message>The requested DurationSeconds exceeds the "
              "MaxSessionDuration "
              "set for this role.</Message></Error></ErrorResponse>";
  world_login(&s.w, "long", NULL);
  world_expect_ready(&s.w, "ASIA1", "role long via keys");
  assert_int_equal(fake_count(), 2);
  assert_non_null(strstr(s.last, "DurationSeconds=3600"));
  assert_string_equal(s.last_url, "https://sts.us-east-2.amazonaws.com/");
  world_close(&s.w);
}

static void test_refusal_says_what_to_look_at(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  s.status = 403;
  s.refuse_times = -1;
  s.refusal = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized to perform: "
              "sts:AssumeRole</Message></Error>"
              "<RequestId>r-1</RequestId></ErrorResponse>";
  world_login(&s.w, "mid", NULL);
  world_expect_failed(&s.w, "etl-mid", "trust policy", "profile keys", "sts:AssumeRole", NULL);
  assert_int_equal(login_error(s.w.login)->kind, ERR_CREDENTIALS);
  assert_int_equal(login_error(s.w.login)->detail->http_status, 403);
  /* No storm: an hour later nobody has been asked again. */
  for (int i = 0; i < 60; i++) {
    clock_advance(&s.w.clock, WHEN_MINUTE);
    login_turn(s.w.login);
  }
  assert_int_equal(fake_count(), 1);
  world_close(&s.w);
}

static void test_credential_source_environment_and_partition(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_env(&s.w, "AWS_REGION", "");
  world_write(&s.w, ".aws/config",
              "[profile env-source]\nrole_arn = arn:aws-cn:iam::111122223333:role/x\ncredential_source = Environment\n"
              "role_session_name = me@home\n");
  world_env(&s.w, "AWS_ACCESS_KEY_ID", "AKIDENV");
  world_env(&s.w, "AWS_SECRET_ACCESS_KEY", "s");
  world_login(&s.w, "env-source", NULL);
  world_expect_ready(&s.w, "ASIA1", "role x via environment");
  assert_string_equal(s.calls, "AssumeRole x by AKIDENV;");
  assert_string_equal(s.last_url, "https://sts.cn-northwest-1.amazonaws.com.cn/");
  assert_non_null(strstr(s.last, "RoleSessionName=me%40home"));
  world_close(&s.w);
}

static void test_expired_base_is_renewed_once(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_login(&s.w, "top", NULL);
  world_expect_ready(&s.w, "ASIA2", "role etl-top via mid");
  /* The service ends the middle role's keys early (somebody revoked its sessions). */
  s.ends[0] = s.ends[1] = world_now(&s.w);
  login_invalidate(s.w.login, login_credentials(s.w.login));
  world_expect_ready(&s.w, "ASIA4", "role etl-top via mid");
  world_close(&s.w);
}

static void test_trouble_of_the_network_is_tried_again_later(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  s.network_down = true;
  world_login(&s.w, "mid", NULL);
  world_expect_failed(&s.w, "etl-mid", NULL);
  assert_int_equal(login_error(s.w.login)->kind, ERR_TIMEOUT);
  size_t first = fake_count();
  for (int i = 0; i < 30 * 60; i++) {
    clock_advance(&s.w.clock, WHEN_SECOND);
    world_settle(&s.w);
  }
  size_t asked = fake_count() - first;
  assert_true(asked >= 5 && asked <= 12); /* 15, 30, 60, 120, 240, 300, 300 … seconds */
  s.network_down = false;
  clock_advance(&s.w.clock, 5 * WHEN_MINUTE);
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  world_close(&s.w);
}

static void test_renewal_ahead_may_fail(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_login(&s.w, "mid", NULL);
  world_expect_ready(&s.w, "ASIA1", "role etl-mid via keys");
  s.network_down = true;
  clock_advance(&s.w.clock, 46 * WHEN_MINUTE);
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  assert_true(fake_count() >= 2);
  assert_non_null(strstr(login_notice(s.w.login), "tried again"));
  assert_string_equal(login_credentials(s.w.login)->access_key_id, "ASIA1");
  s.network_down = false;
  clock_advance(&s.w.clock, 5 * WHEN_MINUTE);
  world_expect_ready(&s.w, "ASIA2", "role etl-mid via keys");
  assert_null(login_notice(s.w.login));
  /* And when it fails to the very end, the login has failed. */
  s.network_down = true;
  for (int i = 0; i < 61; i++) {
    clock_advance(&s.w.clock, WHEN_MINUTE);
    world_settle(&s.w);
  }
  world_expect_failed(&s.w, "etl-mid", NULL);
  world_close(&s.w);
}

static void test_a_day_of_short_tokens(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  s.life_ms = 15 * WHEN_MINUTE;
  world_login(&s.w, "top", NULL);
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  size_t failed = 0;
  size_t polls = 0;
  /* A poll every two seconds for 24 hours; each with keys that the service would still take. */
  for (int64_t t = 0; t < WHEN_DAY; t += 2 * WHEN_SECOND) {
    clock_advance(&s.w.clock, 2 * WHEN_SECOND);
    if (login_turn(s.w.login) != LOGIN_READY)
      failed++;
    fake_turn();
    const struct credentials *keys = login_credentials(s.w.login);
    int number = keys != NULL ? atoi(keys->access_key_id + 4) : 0;
    if (number < 1 || s.ends[number - 1] <= world_now(&s.w))
      failed++;
    polls++;
  }
  assert_int_equal(failed, 0);
  assert_int_equal(s.expired_used, 0);
  assert_int_equal(polls, 43200);
  /* Renewed at two thirds of a life, not without pause: 24 h / 10 min, two roles. */
  assert_true(s.made >= 250 && s.made <= 330);
  assert_true(fake_count() < 400);
  world_close(&s.w);
}

static void test_web_identity(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  world_write(&s.w, "token", "eyJ.first\n");
  world_login(&s.w, "web", NULL);
  world_expect_ready(&s.w, "ASIA1", "web identity role web");
  assert_string_equal(s.calls, "AssumeRoleWithWebIdentity web by nobody;");
  const char *token = strstr(s.last, "WebIdentityToken=");
  assert_non_null(token);
  assert_string_equal(token, "WebIdentityToken=eyJ.first");
  /* The file is read anew at each renewal. */
  world_write(&s.w, "token", "eyJ.second");
  clock_advance(&s.w.clock, 50 * WHEN_MINUTE);
  assert_int_equal(world_settle(&s.w), LOGIN_READY);
  assert_non_null(strstr(s.last, "eyJ.second"));
  world_write(&s.w, "token", "\n");
  world_login(&s.w, "web", NULL);
  world_expect_failed(&s.w, "token", "empty", NULL);
  world_close(&s.w);
}

static void test_web_identity_of_the_environment(void **state)
{
  (void)state;
  struct sts s;
  open_sts(&s);
  char *path = xstrdup(world_path(&s.w, "irsa"));
  world_env(&s.w, "AWS_WEB_IDENTITY_TOKEN_FILE", path);
  world_login(&s.w, NULL, NULL);
  world_expect_failed(&s.w, "AWS_ROLE_ARN", NULL);
  world_env(&s.w, "AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/irsa");
  world_env(&s.w, "AWS_ROLE_SESSION_NAME", "pod-7");
  world_login(&s.w, NULL, NULL);
  world_expect_failed(&s.w, "irsa", NULL);
  /* The token appears: no need to ask for it. */
  world_write(&s.w, "irsa", "eyJ.irsa");
  clock_advance(&s.w.clock, WHEN_MINUTE);
  world_expect_ready(&s.w, "ASIA1", "web identity role irsa");
  assert_non_null(strstr(s.last, "RoleSessionName=pod-7"));
  assert_string_equal(login_profile(s.w.login), "");
  /* An explicit profile is not overruled by the environment. */
  world_login(&s.w, "keys", NULL);
  world_expect_ready(&s.w, "AKIDKEYS", "profile keys");
  free(path);
  world_close(&s.w);
}

static void test_answers_that_cannot_be_read(void **state)
{
  (void)state;
  static const char *const bodies[] = {
      "",
      "not xml",
      "<html>",
      "<AssumeRoleResponse/>",
      "<R><Credentials><AccessKeyId>A</AccessKeyId></Credentials></R>",
      "<R><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></"
      "Credentials></R>",
      "<R><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
      "<Expiration>soon</Expiration></Credentials></R>"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    struct sts s;
    open_sts(&s);
    s.status = 200;
    s.refuse_times = -1;
    s.refusal = bodies[i];
    world_login(&s.w, "mid", NULL);
    world_expect_failed(&s.w, "etl-mid", NULL);
    assert_int_equal(login_error(s.w.login)->kind, ERR_PARSE);
    world_close(&s.w);
  }
}

static void test_h09_shared_config(void **state)
{
  (void)state;
  char *text = world_shared("H09.config");
  if (text == NULL)
    return;
  static const char *const cases[][2] = {{"loop-a", "loop-a -> loop-b -> loop-a"},
                                         {"loop-b", "loop-b -> loop-a -> loop-b"},
                                         {"missing-source", "nobody"},
                                         {"chain-top", "aws sso login --profile legacy-sso"},
                                         {"legacy-sso", "aws sso login"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sts s;
    open_sts(&s);
    world_write(&s.w, ".aws/config", text);
    world_login(&s.w, cases[i][0], NULL);
    world_expect_failed(&s.w, cases[i][1], NULL);
    world_login(&s.w, "self-static", NULL);
    world_expect_ready(&s.w, "ASIA1", "role etl-runner via self-static");
    world_close(&s.w);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_h09_chains_that_cannot_work),
      cmocka_unit_test(test_h09_self_with_static_keys),
      cmocka_unit_test(test_h09_h10_chain_with_code),
      cmocka_unit_test(test_h10_mid_body_has_code_and_external_id),
      cmocka_unit_test(test_h10_wrong_codes),
      cmocka_unit_test(test_h10_duration_refused_is_asked_for_again_as_an_hour),
      cmocka_unit_test(test_refusal_says_what_to_look_at),
      cmocka_unit_test(test_credential_source_environment_and_partition),
      cmocka_unit_test(test_expired_base_is_renewed_once),
      cmocka_unit_test(test_trouble_of_the_network_is_tried_again_later),
      cmocka_unit_test(test_renewal_ahead_may_fail),
      cmocka_unit_test(test_a_day_of_short_tokens),
      cmocka_unit_test(test_web_identity),
      cmocka_unit_test(test_web_identity_of_the_environment),
      cmocka_unit_test(test_answers_that_cannot_be_read),
      cmocka_unit_test(test_h09_shared_config),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
