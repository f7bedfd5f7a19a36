/* SSO: odd token files (case H02), answers of the portal (case H03), renewal and its file, the device-code login. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/when.h"
#include "base/xalloc.h"
#include "tests/unit/world.h"

/* Names of files in the cache, as `printf %s NAME | sha1sum` gives them: of the session "corp", and of the start URL. */
static const char token_of_session[] = ".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json";
static const char token_of_url[] = ".aws/sso/cache/e8be5486177c5b5392bd9aa76563515b29358e6e.json";

struct portal {
  struct world w;
  char calls[2048];
  char last_token[128]; /* bearer of the last call for keys */
  char last_body[1024];
  const char *keys_body;
  int keys_status; /* 0: well */
  int refresh_status;
  const char *refresh_body;
  int pending; /* so many times "authorization_pending" */
  const char *poll_error;
  int made;
  bool hold_refresh;
};

static void note(struct portal *p, const char *what)
{
  size_t len = strlen(p->calls);
  snprintf(p->calls + len, sizeof p->calls - len, "%s", what);
}

static void portal_serve(void *user, const struct fake_request *r, struct fake_answer *answer)
{
  struct portal *p = user;
  const char *path = strstr(r->url, "amazonaws.com");
  path = path != NULL ? path + strlen("amazonaws.com") : r->url;
  assert_true(r->secret_body);
  assert_false(r->is_signed);
  answer->status = 200;
  if (strncmp(path, "/federation/credentials", 23) == 0) {
    assert_non_null(strstr(r->url, "portal.sso.eu-west-1.amazonaws.com"));
    assert_string_equal(path, "/federation/credentials?account_id=111122223333&role_name=DataOps");
    const char *bearer = strstr(r->headers, "x-amz-sso_bearer_token: ");
    assert_non_null(bearer);
    sscanf(bearer, "x-amz-sso_bearer_token: %120s", p->last_token);
    note(p, "keys;");
    if (p->keys_status != 0) {
      answer->status = p->keys_status;
      snprintf(answer->body, sizeof answer->body, "%s", p->keys_body);
    } else if (p->keys_body != NULL) {
      snprintf(answer->body, sizeof answer->body, "%s", p->keys_body);
    } else {
      p->made++;
      snprintf(answer->body, sizeof answer->body,
               "{\"roleCredentials\":{\"accessKeyId\":\"ASIA%d\",\"secretAccessKey\":\"s\",\"sessionToken\":\"t\","
               "\"expiration\":%lld}}",
               p->made, (long long)(world_now(&p->w) + WHEN_HOUR));
    }
    return;
  }
  assert_non_null(strstr(r->url, "oidc.eu-west-1.amazonaws.com"));
  snprintf(p->last_body, sizeof p->last_body, "%s", r->body);
  if (strcmp(path, "/client/register") == 0) {
    note(p, "register;");
    snprintf(answer->body, sizeof answer->body,
             "{\"clientId\":\"newcid\",\"clientSecret\":\"newcsec\",\"clientSecretExpiresAt\":1803816000}");
  } else if (strcmp(path, "/device_authorization") == 0) {
    note(p, "device;");
    snprintf(answer->body, sizeof answer->body,
             "{\"deviceCode\":\"devcode\",\"userCode\":\"ABCD-EFGH\",\"verificationUri\":\"https://device.example/\","
             "\"verificationUriComplete\":\"https://device.example/"
             "?user_code=ABCD-EFGH\",\"expiresIn\":600,\"interval\":1}");
  } else if (strcmp(path, "/token") == 0 && strstr(r->body, "\"grantType\":\"refresh_token\"") != NULL) {
    if (p->hold_refresh) {
      answer->later = true;
      return;
    }
    note(p, "refresh;");
    if (p->refresh_status != 0) {
      answer->status = p->refresh_status;
      answer->kind = ERR_NETWORK;
      if (p->refresh_status < 0)
        answer->status = 0;
      snprintf(answer->body, sizeof answer->body, "%s", p->refresh_body != NULL ? p->refresh_body : "");
      return;
    }
    snprintf(
        answer->body, sizeof answer->body,
        "{\"accessToken\":\"RENEWED\",\"expiresIn\":28800,\"refreshToken\":\"NEXT-REFRESH\",\"tokenType\":\"Bearer\"}");
  } else if (strcmp(path, "/token") == 0) {
    note(p, "poll;");
    if (p->pending > 0 || p->poll_error != NULL) {
      answer->status = 400;
      snprintf(answer->body, sizeof answer->body, "{\"error\":\"%s\",\"error_description\":\"wait\"}",
               p->pending > 0 ? "authorization_pending" : p->poll_error);
      p->pending -= p->pending > 0 ? 1 : 0;
      return;
    }
    snprintf(answer->body, sizeof answer->body,
             "{\"accessToken\":\"FROM-DEVICE\",\"expiresIn\":28800,\"refreshToken\":\"DEVICE-REFRESH\"}");
  } else {
    fail_msg("asked for %s", r->url);
  }
}

static const char sso_config[] =
    "[default]\nregion = eu-central-1\n"
    "[sso-session corp]\nsso_start_url = https://example.awsapps.com/start\nsso_region = eu-west-1\n"
    "sso_registration_scopes = sso:account:access, codewhisperer:x\n"
    "[profile oncall]\nsso_session = corp\nsso_account_id = 111122223333\nsso_role_name = DataOps\nregion = eu-west-1\n"
    "[profile legacy-sso]\nsso_start_url = https://example.awsapps.com/start\nsso_region = eu-west-1\n"
    "sso_account_id = 111122223333\nsso_role_name = DataOps\n"
    "[profile differ]\nsso_session = corp\nsso_region = us-east-1\nsso_account_id = 1\nsso_role_name = x\n"
    "[profile norole]\nsso_session = corp\nsso_account_id = 1\n"
    "[profile nosession]\nsso_session = gone\nsso_account_id = 1\nsso_role_name = x\n"
    "[sso-session half]\nsso_region = eu-west-1\n"
    "[profile nourl]\nsso_session = half\nsso_account_id = 1\nsso_role_name = x\n"
    "[profile over]\nrole_arn = arn:aws:iam::111122223333:role/over\nsource_profile = oncall\nregion = eu-west-1\n";

static void open_portal(struct portal *p)
{
  memset(p, 0, sizeof *p);
  world_open(&p->w, portal_serve, p);
  world_env(&p->w, "AWS_EC2_METADATA_DISABLED", "true");
  world_write(&p->w, ".aws/config", sso_config);
}

/* A token file with these members. */
static char *token_json(const char *access, const char *expires, const char *refresh, const char *registration)
{
  return xasprintf(
      "{\"startUrl\":\"https://example.awsapps.com/start\",\"region\":\"eu-west-1\",%s%s%s%s%s%s"
      "\"clientId\":\"cid\",\"clientSecret\":\"csec\",\"registrationExpiresAt\":\"%s\",%s%s%s\"strange\":[1,2]}",
      access != NULL ? "\"accessToken\":\"" : "", access != NULL ? access : "", access != NULL ? "\"," : "",
      expires != NULL ? "\"expiresAt\":\"" : "", expires != NULL ? expires : "", expires != NULL ? "\"," : "",
      registration, refresh != NULL ? "\"refreshToken\":\"" : "", refresh != NULL ? refresh : "",
      refresh != NULL ? "\"," : "");
}

static void put_token(struct portal *p, const char *path, char *take_json)
{
  world_write(&p->w, path, take_json);
  free(take_json);
}

#define VALID "2030-01-01T00:00:00Z"
#define PAST  "2020-01-01T00:00:00Z"

static void test_valid_token(void **state)
{
  (void)state;
  static const char *const ends[] = {VALID, "2030-01-01T00:00:00UTC", "2030-01-01T02:00:00+02:00",
                                     "2030-01-01T00:00:00.123456Z"};
  static const char *const profiles[] = {"oncall", "legacy-sso"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    for (size_t k = 0; k < 2; k++) {
      struct portal p;
      open_portal(&p);
      put_token(&p, k == 0 ? token_of_session : token_of_url, token_json("EXAMPLE-TOKEN", ends[i], "R", VALID));
      world_login(&p.w, profiles[k], NULL);
      world_expect_ready(&p.w, "ASIA1", k == 0 ? "sso:corp" : "sso:legacy-sso");
      assert_string_equal(p.calls, "keys;");
      assert_string_equal(p.last_token, "EXAMPLE-TOKEN");
      assert_int_equal(login_credentials(p.w.login)->expires_ms - world_now(&p.w), WHEN_HOUR);
      assert_string_equal(login_credentials(p.w.login)->account, "111122223333");
      assert_string_equal(login_profile(p.w.login), profiles[k]);
      world_close(&p.w);
    }
  }
}

static void test_h02_expired_with_refresh(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("EXAMPLE-TOKEN", PAST, "EXAMPLE-REFRESH", VALID));
  world_login(&p.w, "oncall", NULL);
  world_expect_ready(&p.w, "ASIA1", "sso:corp");
  assert_string_equal(p.calls, "refresh;keys;");
  assert_string_equal(p.last_token, "RENEWED");
  assert_string_equal(p.last_body, "{\"clientId\":\"cid\",\"clientSecret\":\"csec\",\"grantType\":\"refresh_token\","
                                   "\"refreshToken\":\"EXAMPLE-REFRESH\"}");
  /* Written back: new members, the strange one kept, for us alone. */
  char *text = world_read(&p.w, token_of_session);
  cJSON *tree = cJSON_Parse(text);
  assert_string_equal(cJSON_GetObjectItem(tree, "accessToken")->valuestring, "RENEWED");
  assert_string_equal(cJSON_GetObjectItem(tree, "refreshToken")->valuestring, "NEXT-REFRESH");
  assert_string_equal(cJSON_GetObjectItem(tree, "expiresAt")->valuestring, "2026-11-30T20:00:00Z");
  assert_string_equal(cJSON_GetObjectItem(tree, "clientSecret")->valuestring, "csec");
  assert_string_equal(cJSON_GetObjectItem(tree, "registrationExpiresAt")->valuestring, VALID);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "strange")), 2);
  cJSON_Delete(tree);
  free(text);
  struct stat st;
  assert_int_equal(stat(world_path(&p.w, token_of_session), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  world_close(&p.w);
}

static void test_h02_near_its_end_is_renewed_or_used(void **state)
{
  (void)state;
  for (int down = 0; down < 2; down++) {
    struct portal p;
    open_portal(&p);
    put_token(&p, token_of_session, token_json("OLD", "2026-11-30T12:10:00Z", "R", VALID));
    p.refresh_status = down ? -1 : 0;
    world_login(&p.w, "oncall", NULL);
    world_expect_ready(&p.w, "ASIA1", "sso:corp");
    assert_string_equal(p.last_token, down ? "OLD" : "RENEWED");
    world_close(&p.w);
  }
}

struct file_case {
  const char *name;
  const char *text; /* NULL: no file */
  const char *says;
};

static void test_h02_files_that_hold_no_login(void **state)
{
  (void)state;
  static const struct file_case cases[] = {
      {"no file", NULL, "nobody is logged in"},
      {"half written", "{\"startUrl\":\"https://example.awsapps.com/start\",\"accessToken\":\"EXAM", "not whole JSON"},
      {"empty", "", "not whole JSON"},
      {"not an object", "[1]", "not whole JSON"},
      {"a registration", "{\"clientId\":\"cid\",\"clientSecret\":\"csec\",\"expiresAt\":\"2030-01-01T00:00:00Z\"}",
       "no accessToken"},
      {"token of another type", "{\"accessToken\":7,\"expiresAt\":\"2030-01-01T00:00:00Z\"}", "no accessToken"},
      {"expired, no refresh", "{\"accessToken\":\"x\",\"expiresAt\":\"2020-01-01T00:00:00Z\"}", "has ended"},
      {"no end, no refresh", "{\"accessToken\":\"x\"}", "has ended"},
      {"an end that is none", "{\"accessToken\":\"x\",\"expiresAt\":\"tomorrow\"}", "has ended"},
      {"registration gone",
       "{\"accessToken\":\"x\",\"expiresAt\":\"2020-01-01T00:00:00Z\",\"clientId\":\"c\",\"clientSecret\":\"c\","
       "\"registrationExpiresAt\":\"2020-02-01T00:00:00Z\",\"refreshToken\":\"r\"}",
       "has ended"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct portal p;
    open_portal(&p);
    if (cases[i].text != NULL)
      world_write(&p.w, token_of_session, cases[i].text);
    world_login(&p.w, "oncall", NULL);
    world_expect_failed(&p.w, cases[i].says, "aws sso login --profile oncall", NULL);
    if (strstr(cases[i].says, "ended") == NULL)
      world_expect_failed(&p.w, token_of_session, NULL);
    assert_int_equal(fake_count(), 0);
    world_close(&p.w);
  }
}

static void test_h02_no_end_with_refresh(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("EXAMPLE-TOKEN", NULL, "R", VALID));
  world_login(&p.w, "oncall", NULL);
  world_expect_ready(&p.w, "ASIA1", "sso:corp");
  assert_string_equal(p.calls, "refresh;keys;");
  world_close(&p.w);
}

static void test_h02_legacy_has_no_renewal(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_url, token_json("EXAMPLE-TOKEN", PAST, "R", VALID));
  world_login(&p.w, "legacy-sso", NULL);
  world_expect_failed(&p.w, "has ended", "aws sso login --profile legacy-sso", NULL);
  assert_int_equal(login_error(p.w.login)->kind, ERR_EXPIRED);
  assert_int_equal(fake_count(), 0);
  world_close(&p.w);
}

static void test_h02_refused_renewal_and_login_elsewhere(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("EXAMPLE-TOKEN", PAST, "R", VALID));
  p.refresh_status = 400;
  p.refresh_body = "{\"error\":\"invalid_grant\",\"error_description\":\"Invalid refresh token provided\"}";
  world_login(&p.w, "oncall", NULL);
  world_expect_failed(&p.w, "SSO session corp has ended", "aws sso login", NULL);
  size_t asked = fake_count();
  for (int i = 0; i < 100; i++) {
    clock_advance(&p.w.clock, WHEN_MINUTE);
    login_turn(p.w.login);
  }
  assert_int_equal(fake_count(), asked);
  /* `aws sso login` in another window. */
  put_token(&p, token_of_session, token_json("BY-THE-CLI", VALID, "R2", VALID));
  clock_advance(&p.w.clock, WHEN_MINUTE);
  world_expect_ready(&p.w, "ASIA1", "sso:corp");
  assert_string_equal(p.last_token, "BY-THE-CLI");
  world_close(&p.w);
}

static void test_h03_answers(void **state)
{
  (void)state;
  static const struct {
    int status;
    const char *body;
    enum err_kind kind;
    const char *says, *says_too;
  } cases[] = {
      {401,
       "{\"message\":\"Session token not found or "
       "invalid\",\"__type\":\"com.amazonaws.switchboard.portal#UnauthorizedException\"}",
       ERR_EXPIRED, "has ended", "aws sso login"},
      {403, "{\"message\":\"No access\",\"__type\":\"com.amazonaws.switchboard.portal#ForbiddenException\"}",
       ERR_CREDENTIALS, "account 111122223333 as DataOps", "sso_role_name"},
      {404, "{\"message\":\"no such account\"}", ERR_CREDENTIALS, "111122223333", "sso_account_id"},
      {0, "{\"message\":\"odd but true\"}", ERR_PARSE, "no roleCredentials", "111122223333"},
      {0, "{\"roleCredentials\":null}", ERR_PARSE, "no roleCredentials", "DataOps"},
      {0, "{\"roleCredentials\":{\"accessKeyId\":\"A\"}}", ERR_CREDENTIALS, "secretAccessKey", "DataOps"},
      {0, "{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"s\",\"sessionToken\":\"t\"}}", ERR_PARSE,
       "end", "DataOps"},
      {0, "<html>", ERR_PARSE, "no roleCredentials", "DataOps"},
      {500, "", ERR_SERVER, "DataOps", "DataOps"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct portal p;
    open_portal(&p);
    put_token(&p, token_of_session, token_json("T", VALID, NULL, VALID));
    p.keys_status = cases[i].status;
    p.keys_body = cases[i].body;
    world_login(&p.w, "oncall", NULL);
    world_expect_failed(&p.w, cases[i].says, cases[i].says_too, NULL);
    assert_int_equal(login_error(p.w.login)->kind, cases[i].kind);
    world_close(&p.w);
  }
}

static void test_h03_milliseconds(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("T", VALID, NULL, VALID));
  p.keys_body =
      "{\"roleCredentials\":{\"accessKeyId\":\"ASIAEXAMPLE\",\"secretAccessKey\":\"s\",\"sessionToken\":\"t\","
      "\"expiration\":1893456000000}}";
  world_login(&p.w, "oncall", NULL);
  world_expect_ready(&p.w, "ASIAEXAMPLE", "sso:corp");
  assert_string_equal(world_time(login_credentials(p.w.login)->expires_ms), "2030-01-01T00:00:00.000Z");
  world_close(&p.w);
}

static void test_h03_refused_though_the_file_says_valid(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("T", VALID, "R", VALID));
  p.keys_status = 401;
  p.keys_body = "{\"message\":\"Session token not found or invalid\"}";
  world_login(&p.w, "oncall", NULL);
  world_expect_failed(&p.w, "has ended", NULL);
  /* Renewed once, asked once more, and then told. */
  assert_string_equal(p.calls, "keys;refresh;keys;");
  world_close(&p.w);
}

static void test_profiles_that_cannot_work(void **state)
{
  (void)state;
  static const char *const cases[][3] = {{"differ", "sso_region", "corp"},
                                         {"norole", "sso_role_name", "norole"},
                                         {"nosession", "[sso-session gone]", "nosession"},
                                         {"nourl", "sso_start_url", "half"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct portal p;
    open_portal(&p);
    world_login(&p.w, cases[i][0], NULL);
    world_expect_failed(&p.w, cases[i][1], cases[i][2], NULL);
    assert_int_equal(login_error(p.w.login)->kind, ERR_CONFIG);
    world_close(&p.w);
  }
}

static void test_two_logins_renew_a_token_once(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  put_token(&p, token_of_session, token_json("OLD", PAST, "R", VALID));
  world_login(&p.w, "oncall", NULL);
  struct login *other = NULL;
  struct login_options options = {.profile = "oncall", .region = "us-east-1"};
  struct err e = login_new(p.w.config, &options, NULL, &p.w.clock, &other);
  assert_false(err_is(&e));
  p.hold_refresh = true;
  login_turn(p.w.login);
  assert_int_equal(login_turn(other), LOGIN_WORKING);
  fake_turn();
  assert_int_equal(fake_count(), 1);
  assert_int_equal(login_turn(other), LOGIN_WORKING);
  p.hold_refresh = false;
  fake_turn();
  login_turn(other);
  world_settle(&p.w);
  assert_int_equal(login_turn(other), LOGIN_READY);
  assert_string_equal(p.calls, "refresh;keys;keys;");
  login_free(other);
  /* The first may go while it renews: the second takes over. */
  put_token(&p, token_of_session, token_json("OLD", PAST, "R", VALID));
  world_login(&p.w, "oncall", NULL);
  e = login_new(p.w.config, &options, NULL, &p.w.clock, &other);
  assert_false(err_is(&e));
  login_turn(other);
  assert_int_equal(login_turn(p.w.login), LOGIN_WORKING);
  login_free(other);
  world_expect_ready(&p.w, "ASIA3", "sso:corp");
  world_close(&p.w);
}

static void test_device_login(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  world_login(&p.w, "oncall", NULL);
  world_expect_failed(&p.w, "nobody is logged in", NULL);
  assert_true(login_device_possible(p.w.login));
  assert_int_equal(login_device(p.w.login).state, LOGIN_DEVICE_NONE);
  login_device_start(p.w.login);
  assert_int_equal(login_device(p.w.login).state, LOGIN_DEVICE_STARTING);
  p.pending = 2;
  world_settle(&p.w);
  struct login_device d = login_device(p.w.login);
  assert_int_equal(d.state, LOGIN_DEVICE_WAITING);
  assert_string_equal(d.url, "https://device.example/");
  assert_string_equal(d.url_complete, "https://device.example/?user_code=ABCD-EFGH");
  assert_string_equal(d.user_code, "ABCD-EFGH");
  assert_int_equal(d.expires_ms - world_now(&p.w), 600 * WHEN_SECOND);
  assert_string_equal(p.calls, "register;device;");
  for (int i = 0; i < 3; i++) {
    clock_advance(&p.w.clock, WHEN_SECOND);
    world_settle(&p.w);
  }
  assert_int_equal(login_device(p.w.login).state, LOGIN_DEVICE_DONE);
  world_expect_ready(&p.w, "ASIA1", "sso:corp");
  assert_string_equal(p.last_token, "FROM-DEVICE");
  assert_string_equal(p.calls, "register;device;poll;poll;poll;keys;");
  char *text = world_read(&p.w, token_of_session);
  cJSON *tree = cJSON_Parse(text);
  assert_string_equal(cJSON_GetObjectItem(tree, "accessToken")->valuestring, "FROM-DEVICE");
  assert_string_equal(cJSON_GetObjectItem(tree, "refreshToken")->valuestring, "DEVICE-REFRESH");
  assert_string_equal(cJSON_GetObjectItem(tree, "clientId")->valuestring, "newcid");
  assert_string_equal(cJSON_GetObjectItem(tree, "startUrl")->valuestring, "https://example.awsapps.com/start");
  assert_string_equal(cJSON_GetObjectItem(tree, "registrationExpiresAt")->valuestring, "2027-02-28T12:00:00Z");
  cJSON_Delete(tree);
  free(text);
  world_close(&p.w);
}

static void test_device_login_ends(void **state)
{
  (void)state;
  static const struct {
    const char *error;
    enum err_kind kind;
  } cases[] = {{"access_denied", ERR_DENIED},
               {"expired_token", ERR_EXPIRED},
               {"slow_down", ERR_EXPIRED},
               {"invalid_client", ERR_CREDENTIALS}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct portal p;
    open_portal(&p);
    world_login(&p.w, "over", NULL); /* a role above SSO: the chain's login is meant */
    world_settle(&p.w);
    login_device_start(p.w.login);
    p.poll_error = cases[i].error;
    world_settle(&p.w);
    for (int k = 0; k < 700 && login_device(p.w.login).state == LOGIN_DEVICE_WAITING; k++) {
      clock_advance(&p.w.clock, WHEN_SECOND);
      world_settle(&p.w);
    }
    assert_int_equal(login_device(p.w.login).state, LOGIN_DEVICE_FAILED);
    assert_int_equal(login_device(p.w.login).err->kind, cases[i].kind);
    /* Told to slow down, we do: 1, 6, 11 … seconds apart. */
    if (strcmp(cases[i].error, "slow_down") == 0)
      assert_true(fake_count() < 20);
    login_device_cancel(p.w.login);
    assert_int_equal(login_device(p.w.login).state, LOGIN_DEVICE_NONE);
    world_close(&p.w);
  }
}

static void test_device_login_cancelled(void **state)
{
  (void)state;
  struct portal p;
  open_portal(&p);
  world_login(&p.w, "oncall", NULL);
  world_settle(&p.w);
  login_device_start(p.w.login);
  login_device_cancel(p.w.login);
  assert_int_equal(fake_waiting(), 0);
  login_device_start(p.w.login);
  login_device_start(p.w.login);
  assert_int_equal(fake_waiting(), 1);
  world_close(&p.w);
}

/* The inputs of the case collection, where they are at hand: none may crash, each must end in keys or in a sentence. */
static void test_h02_shared_inputs(void **state)
{
  (void)state;
  char *text = world_shared("H02.json");
  if (text == NULL)
    return;
  cJSON *tree = cJSON_Parse(text);
  assert_non_null(tree);
  static const char *const good[] = {"valid",   "expired_with_refresh", "no_expiresAt", "utc_suffix", "offset",
                                     "fraction"};
  const cJSON *one = NULL;
  cJSON_ArrayForEach (one, tree) {
    bool expect = false;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
      expect = expect || strcmp(one->string, good[i]) == 0;
    struct portal p;
    open_portal(&p);
    char *printed = cJSON_Print(one);
    world_write(&p.w, token_of_session, printed);
    cJSON_free(printed);
    world_login(&p.w, "oncall", NULL);
    enum login_state got = world_settle(&p.w);
    if (got != (expect ? LOGIN_READY : LOGIN_FAILED))
      fail_msg("%s: state %d", one->string, (int)got);
    world_close(&p.w);
  }
  cJSON_Delete(tree);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_valid_token),
      cmocka_unit_test(test_h02_expired_with_refresh),
      cmocka_unit_test(test_h02_near_its_end_is_renewed_or_used),
      cmocka_unit_test(test_h02_files_that_hold_no_login),
      cmocka_unit_test(test_h02_no_end_with_refresh),
      cmocka_unit_test(test_h02_legacy_has_no_renewal),
      cmocka_unit_test(test_h02_refused_renewal_and_login_elsewhere),
      cmocka_unit_test(test_h03_answers),
      cmocka_unit_test(test_h03_milliseconds),
      cmocka_unit_test(test_h03_refused_though_the_file_says_valid),
      cmocka_unit_test(test_profiles_that_cannot_work),
      cmocka_unit_test(test_two_logins_renew_a_token_once),
      cmocka_unit_test(test_device_login),
      cmocka_unit_test(test_device_login_ends),
      cmocka_unit_test(test_device_login_cancelled),
      cmocka_unit_test(test_h02_shared_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
