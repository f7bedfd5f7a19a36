/* Keys of the machine: the container's endpoint, and the instance metadata (case H11). */
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

struct machine {
  struct world w;
  char calls[2048];
  char authorization[256];
  int token_status, role_status, keys_status; /* 0: well; < 0: no answer */
  const char *role;
  const char *keys;
  const char *region; /* NULL: 404 */
  int64_t waited;     /* by requests without an answer */
  int container_status;
};

static void note(struct machine *m, const char *what)
{
  size_t len = strlen(m->calls);
  snprintf(m->calls + len, sizeof m->calls - len, "%s;", what);
}

static void silent(struct machine *m, const struct fake_request *r, struct fake_answer *answer)
{
  m->waited += r->total_timeout_ms;
  clock_advance(&m->w.clock, r->total_timeout_ms);
  answer->status = 0;
  answer->kind = ERR_TIMEOUT;
}

static void machine_serve(void *user, const struct fake_request *r, struct fake_answer *answer)
{
  struct machine *m = user;
  assert_true(r->secret_body);
  assert_true(r->no_proxy);
  assert_false(r->is_signed);
  assert_true(r->connect_timeout_ms > 0 && r->connect_timeout_ms <= 2 * WHEN_SECOND);
  const char *path = strstr(r->url, "/latest/");
  int status = 0;
  if (path == NULL) {
    char *what = xasprintf("GET %s", r->url);
    note(m, what);
    free(what);
    const char *auth = strstr(r->headers, "authorization: ");
    m->authorization[0] = '\0';
    if (auth != NULL)
      sscanf(auth, "authorization: %250[^\n]", m->authorization);
    if (m->container_status < 0) {
      silent(m, r, answer);
      return;
    }
    answer->status = m->container_status != 0 ? m->container_status : 200;
    if (answer->status == 200)
      snprintf(answer->body, sizeof answer->body,
               "{\"AccessKeyId\":\"ASIACONT\",\"SecretAccessKey\":\"s\",\"Token\":\"t\",\"Expiration\":\"%s\","
               "\"RoleArn\":\"x\"}",
               world_time(world_now(&m->w) + 6 * WHEN_HOUR));
    else
      snprintf(answer->body, sizeof answer->body, "{\"code\":\"Odd\",\"message\":\"the agent says no\"}");
    return;
  }
  bool version2 = fake_has(r, "x-aws-ec2-metadata-token: TOKEN\n");
  if (strcmp(r->method, "PUT") == 0) {
    assert_string_equal(path, "/latest/api/token");
    assert_true(fake_has(r, "x-aws-ec2-metadata-token-ttl-seconds: 21600\n"));
    note(m, "PUT token");
    status = m->token_status;
    snprintf(answer->body, sizeof answer->body, "TOKEN");
  } else if (strcmp(path, "/latest/meta-data/placement/region") == 0) {
    note(m, "GET region");
    status = m->region != NULL ? 0 : 404;
    snprintf(answer->body, sizeof answer->body, "%s", m->region != NULL ? m->region : "");
  } else if (strcmp(path, "/latest/meta-data/iam/security-credentials/") == 0) {
    note(m, version2 ? "GET role" : "GET role v1");
    status = m->role_status;
    snprintf(answer->body, sizeof answer->body, "%s", m->role != NULL ? m->role : "role-a\n");
  } else {
    note(m, path + strlen("/latest/meta-data/iam/security-credentials/"));
    status = m->keys_status;
    if (m->keys != NULL)
      snprintf(answer->body, sizeof answer->body, "%s", m->keys);
    else
      snprintf(answer->body, sizeof answer->body,
               "{\"Code\":\"Success\",\"Type\":\"AWS-HMAC\",\"AccessKeyId\":\"ASIAINST\",\"SecretAccessKey\":\"s\","
               "\"Token\":\"t\","
               "\"Expiration\":\"%s\"}",
               world_time(world_now(&m->w) + 6 * WHEN_HOUR));
  }
  if (status < 0) {
    silent(m, r, answer);
    return;
  }
  answer->status = status != 0 ? status : 200;
}

static void open_machine(struct machine *m)
{
  memset(m, 0, sizeof *m);
  world_open(&m->w, machine_serve, m);
  world_env(&m->w, "AWS_REGION", "eu-west-1");
}

static void test_instance(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  assert_string_equal(m.calls, "PUT token;GET role;role-a;");
  assert_string_equal(login_profile(m.w.login), "");
  assert_string_equal(login_where(m.w.login), "instance role role-a");
  world_close(&m.w);
}

static void test_instance_region(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_env(&m.w, "AWS_REGION", "");
  m.region = "ap-southeast-2\n";
  world_login(&m.w, NULL, NULL);
  assert_null(login_region(m.w.login));
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  assert_string_equal(login_region(m.w.login), "ap-southeast-2");
  assert_string_equal(login_region_source(m.w.login), "instance metadata");
  world_close(&m.w);
  open_machine(&m);
  world_env(&m.w, "AWS_REGION", "");
  m.region = "<html>";
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  assert_null(login_region(m.w.login));
  world_close(&m.w);
}

static void test_h11_no_answer(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  m.token_status = m.role_status = -1;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "does not answer", "169.254.169.254", "hop-limit 2", "aws sso login", NULL);
  assert_string_equal(m.calls, "PUT token;GET role v1;");
  assert_true(m.waited <= 2 * WHEN_SECOND);
  /* Never in three seconds, whichever of the calls is silent. */
  for (int i = 0; i < 3; i++) {
    struct machine n;
    open_machine(&n);
    *(i == 0 ? &n.token_status : i == 1 ? &n.role_status : &n.keys_status) = -1;
    world_login(&n.w, NULL, NULL);
    world_settle(&n.w);
    assert_true(n.waited < 3 * WHEN_SECOND);
    world_close(&n.w);
  }
  /* A laptop without a login does not ask again and again. */
  for (int i = 0; i < 60; i++) {
    clock_advance(&m.w.clock, WHEN_MINUTE);
    world_settle(&m.w);
  }
  assert_string_equal(m.calls, "PUT token;GET role v1;");
  world_close(&m.w);
}

static void test_h11_version_1(void **state)
{
  (void)state;
  static const int statuses[] = {403, 404, 405};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    struct machine m;
    open_machine(&m);
    m.token_status = statuses[i];
    world_login(&m.w, NULL, NULL);
    world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
    assert_string_equal(m.calls, "PUT token;GET role v1;role-a;");
    world_close(&m.w);
    open_machine(&m);
    m.token_status = statuses[i];
    world_env(&m.w, "AWS_EC2_METADATA_V1_DISABLED", "true");
    world_login(&m.w, NULL, NULL);
    world_expect_failed(&m.w, "instance metadata", NULL);
    assert_string_equal(m.calls, "PUT token;");
    world_close(&m.w);
  }
}

static void test_h11_refusals(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  m.token_status = 403;
  m.role_status = 401;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "version 2", NULL);
  world_close(&m.w);
  open_machine(&m);
  m.token_status = 400;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "instance metadata", NULL);
  assert_string_equal(m.calls, "PUT token;");
  world_close(&m.w);
  open_machine(&m);
  m.role_status = 404;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "no role", NULL);
  world_close(&m.w);
  open_machine(&m);
  m.keys = "{\"Code\":\"AssumeRoleUnauthorizedAccess\",\"Message\":\"EC2 cannot assume the role\"}";
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "AssumeRoleUnauthorizedAccess", "EC2 cannot assume the role", NULL);
  world_close(&m.w);
}

static void test_odd_role_names(void **state)
{
  (void)state;
  static const char *const names[] = {"../../../etc", "a b\r\nHost: x", "", "<html>", "a/b"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct machine m;
    open_machine(&m);
    m.role = names[i];
    world_login(&m.w, NULL, NULL);
    enum login_state got = world_settle(&m.w);
    /* A name up to its first blank may be used; nothing else of it goes into an address. */
    assert_null(strstr(m.calls, ".."));
    assert_null(strstr(m.calls, "Host"));
    if (strcmp(names[i], "a b\r\nHost: x") != 0)
      assert_int_equal(got, LOGIN_FAILED);
    world_close(&m.w);
  }
}

static void test_static_stability(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  m.keys = "{\"Code\":\"Success\",\"AccessKeyId\":\"ASIAOLD\",\"SecretAccessKey\":\"s\",\"Token\":\"t\",\"Expiration\":"
           "\"2026-11-30T11:00:00Z\"}";
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIAOLD", "instance role role-a");
  int64_t left = login_credentials(m.w.login)->expires_ms - world_now(&m.w);
  assert_true(left >= 17 * WHEN_MINUTE && left <= 25 * WHEN_MINUTE);
  m.keys = NULL;
  clock_advance(&m.w.clock, 20 * WHEN_MINUTE);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  world_close(&m.w);
}

static void test_instance_comes_back_by_itself(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  m.keys_status = 500;
  clock_advance(&m.w.clock, 7 * WHEN_HOUR);
  world_expect_failed(&m.w, NULL);
  m.keys_status = 0;
  clock_advance(&m.w.clock, 5 * WHEN_MINUTE);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  world_close(&m.w);
}

static void test_instance_settings(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_env(&m.w, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ipv6");
  m.token_status = m.role_status = -1;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "[fd00:ec2::254]", NULL);
  world_env(&m.w, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1338/");
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "http://127.0.0.1:1338", NULL);
  world_env(&m.w, "AWS_EC2_METADATA_DISABLED", "TRUE");
  m.calls[0] = '\0';
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "no credentials", NULL);
  assert_string_equal(m.calls, "");
  world_close(&m.w);
}

static void test_profile_without_keys_uses_the_instance(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_write(&m.w, ".aws/config",
              "[profile bare]\nregion = eu-west-1\n[profile over]\nrole_arn = arn:aws:iam::1:role/x\n"
              "credential_source = Ec2InstanceMetadata\n[profile cont]\nrole_arn = arn:aws:iam::1:role/x\n"
              "credential_source = EcsContainer\n");
  world_login(&m.w, "bare", NULL);
  world_expect_ready(&m.w, "ASIAINST", "instance role role-a");
  assert_string_equal(login_settings_profile(m.w.login), "bare");
  world_login(&m.w, "cont", NULL);
  world_expect_failed(&m.w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "cont", NULL);
  world_close(&m.w);
}

static void test_container(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/abc?x=1");
  world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/other");
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIACONT", "container");
  assert_string_equal(m.calls, "GET http://169.254.170.2/v2/credentials/abc?x=1;");
  assert_string_equal(m.authorization, "");
  assert_string_equal(login_credentials(m.w.login)->session_token.bytes, "t");
  world_close(&m.w);
}

static void test_container_token(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials");
  world_env(&m.w, "AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic abc");
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIACONT", "container");
  assert_string_equal(m.authorization, "Basic abc");
  assert_string_equal(m.calls, "GET http://169.254.170.23/v1/credentials;");
  world_write(&m.w, "pod-token", "eyJ.one");
  char *path = xstrdup(world_path(&m.w, "pod-token"));
  world_env(&m.w, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path);
  world_login(&m.w, NULL, NULL);
  world_expect_ready(&m.w, "ASIACONT", "container");
  assert_string_equal(m.authorization, "eyJ.one");
  /* Kubernetes writes a new one now and then. */
  world_write(&m.w, "pod-token", "eyJ.two");
  clock_advance(&m.w.clock, 6 * WHEN_HOUR);
  world_expect_ready(&m.w, "ASIACONT", "container");
  assert_string_equal(m.authorization, "eyJ.two");
  world_write(&m.w, "pod-token", "eyJ.two\r\nX-Evil: 1");
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "line end", NULL);
  free(path);
  world_close(&m.w);
}

static void test_container_hosts(void **state)
{
  (void)state;
  static const struct {
    const char *url;
    bool good;
  } cases[] = {{"http://127.0.0.1:8080/x", true},
               {"http://127.9.9.9/x", true},
               {"http://localhost/x", true},
               {"http://[::1]:90/x", true},
               {"http://169.254.170.2/x", true},
               {"http://169.254.170.23/x", true},
               {"http://[fd00:ec2::23]/x", true},
               {"https://anywhere.example/x", true},
               {"http://anywhere.example/x", false},
               {"http://127.evil.example/x", false},
               {"http://169.254.169.254/x", false},
               {"http://[::2]/x", false},
               {"ftp://127.0.0.1/x", false},
               {"nonsense", false},
               {"http://localhost.evil.example/", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct machine m;
    open_machine(&m);
    world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_FULL_URI", cases[i].url);
    world_login(&m.w, NULL, NULL);
    enum login_state got = world_settle(&m.w);
    if (got != (cases[i].good ? LOGIN_READY : LOGIN_FAILED))
      fail_msg("%s: state %d", cases[i].url, (int)got);
    if (!cases[i].good)
      assert_int_equal(fake_count(), 0);
    world_close(&m.w);
  }
}

static void test_container_refuses(void **state)
{
  (void)state;
  struct machine m;
  open_machine(&m);
  world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/creds");
  m.container_status = 404;
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "the agent says no", "container", NULL);
  world_env(&m.w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "creds");
  world_login(&m.w, NULL, NULL);
  world_expect_failed(&m.w, "slash", NULL);
  world_close(&m.w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instance),          cmocka_unit_test(test_instance_region),
      cmocka_unit_test(test_h11_no_answer),     cmocka_unit_test(test_h11_version_1),
      cmocka_unit_test(test_h11_refusals),      cmocka_unit_test(test_odd_role_names),
      cmocka_unit_test(test_static_stability),  cmocka_unit_test(test_instance_comes_back_by_itself),
      cmocka_unit_test(test_instance_settings), cmocka_unit_test(test_profile_without_keys_uses_the_instance),
      cmocka_unit_test(test_container),         cmocka_unit_test(test_container_token),
      cmocka_unit_test(test_container_hosts),   cmocka_unit_test(test_container_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
