/* Console logins (case H15): cached keys, renewal with its proof; and what a log must never hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include "aws/provider.h"
#include "base/log.h"
#include "base/when.h"
#include "base/xalloc.h"
#include "tests/unit/world.h"

#define SESSION "arn:aws:iam::111122223333:user/alice"
/* As `printf %s SESSION | sha256sum` gives it. */
#define CACHED "5778c30d3fe8c123cb2ab0d5a82c81b6fdcedfb868a6625f6f5bf6f05a7f129b.json"

struct signin {
  struct world w;
  char proof[2048];
  char url[256];
  char body[1024];
  int status; /* 0: well */
  const char *refusal;
  int asked;
};

static void signin_serve(void *user, const struct fake_request *r, struct fake_answer *answer)
{
  struct signin *s = user;
  assert_true(r->secret_body);
  assert_false(r->is_signed);
  s->asked++;
  snprintf(s->url, sizeof s->url, "%s", r->url);
  snprintf(s->body, sizeof s->body, "%s", r->body);
  const char *proof = strstr(r->headers, "dpop: ");
  assert_non_null(proof);
  sscanf(proof, "dpop: %2000s", s->proof);
  answer->status = s->status != 0 ? s->status : 200;
  if (s->status != 0)
    snprintf(answer->body, sizeof answer->body, "%s", s->refusal);
  else
    snprintf(answer->body, sizeof answer->body,
             "{\"accessToken\":{\"accessKeyId\":\"ASIA%d\",\"secretAccessKey\":\"SECRETKEY\",\"sessionToken\":"
             "\"SESSIONTOKEN\"},"
             "\"refreshToken\":\"REFRESH%d\",\"expiresIn\":900,\"tokenType\":\"aws_sigv4\"}",
             s->asked, s->asked);
}

/* A fresh P-256 key in PEM, as JSON text (line ends escaped). */
static char *new_key(EVP_PKEY **out)
{
  EVP_PKEY *key = EVP_EC_gen("P-256");
  assert_non_null(key);
  BIO *bio = BIO_new(BIO_s_mem());
  assert_int_equal(PEM_write_bio_PrivateKey_traditional(bio, key, NULL, NULL, 0, NULL, NULL), 1);
  char *text = NULL;
  long len = BIO_get_mem_data(bio, &text);
  char *escaped = xcalloc(1, (size_t)len * 2 + 1);
  size_t n = 0;
  for (long i = 0; i < len; i++) {
    if (text[i] == '\n')
      escaped[n++] = '\\';
    escaped[n++] = text[i] == '\n' ? 'n' : text[i];
  }
  BIO_free(bio);
  *out = key;
  return escaped;
}

static void put_login(struct signin *s, const char *expires, const char *pem)
{
  char *text =
      xasprintf("{\"accessToken\":{\"accessKeyId\":\"ASIACACHED\",\"secretAccessKey\":\"SECRETKEY\",\"sessionToken\":"
                "\"SESSIONTOKEN\",\"accountId\":\"111122223333\",\"expiresAt\":\"%s\"},\"tokenType\":\"aws_sigv4\","
                "\"clientId\":\"arn:aws:signin:::devtools/same-device\",\"idToken\":\"ID\"%s%s%s}",
                expires, pem != NULL ? ",\"refreshToken\":\"REFRESH0\",\"dpopKey\":\"" : "", pem != NULL ? pem : "",
                pem != NULL ? "\"" : "");
  world_write(&s->w, ".aws/login/cache/" CACHED, text);
  free(text);
}

static void open_signin(struct signin *s)
{
  memset(s, 0, sizeof *s);
  world_open(&s->w, signin_serve, s);
  world_env(&s->w, "AWS_EC2_METADATA_DISABLED", "true");
  world_write(&s->w, ".aws/config", "[profile console]\nlogin_session = " SESSION "\nregion = eu-west-1\n");
}

static void test_h15_nobody_logged_in(void **state)
{
  (void)state;
  struct signin s;
  open_signin(&s);
  world_login(&s.w, "console", NULL);
  world_expect_failed(&s.w, "aws login --profile console", SESSION, NULL);
  world_write(&s.w, ".aws/login/cache/" CACHED, "{\"accessToken\":{");
  login_retry(s.w.login);
  world_expect_failed(&s.w, "aws login --profile console", "not whole JSON", CACHED, NULL);
  world_write(&s.w, ".aws/login/cache/" CACHED, "{\"tokenType\":\"x\"}");
  login_retry(s.w.login);
  world_expect_failed(&s.w, "aws login --profile console", "accessToken", NULL);
  assert_int_equal(s.asked, 0);
  world_close(&s.w);
}

static void test_cached_keys(void **state)
{
  (void)state;
  struct signin s;
  open_signin(&s);
  put_login(&s, "2026-11-30T12:14:00Z", NULL);
  world_login(&s.w, "console", NULL);
  world_expect_ready(&s.w, "ASIACACHED", "console login console");
  assert_string_equal(login_credentials(s.w.login)->account, "111122223333");
  assert_int_equal(s.asked, 0);
  /* Nothing to renew with: used to the end, then told. */
  for (int i = 0; i < 13 * 60; i += 10) {
    assert_int_equal(world_settle(&s.w), LOGIN_READY);
    clock_advance(&s.w.clock, 10 * WHEN_SECOND);
  }
  clock_advance(&s.w.clock, 2 * WHEN_MINUTE);
  world_expect_failed(&s.w, "has ended", "aws login --profile console", NULL);
  assert_int_equal(login_error(s.w.login)->kind, ERR_EXPIRED);
  /* The CLI renews them: no need to ask us. */
  put_login(&s, "2026-11-30T12:40:00Z", NULL);
  clock_advance(&s.w.clock, WHEN_MINUTE);
  world_expect_ready(&s.w, "ASIACACHED", "console login console");
  world_close(&s.w);
}

static void test_cache_elsewhere(void **state)
{
  (void)state;
  struct signin s;
  open_signin(&s);
  put_login(&s, "2026-11-30T12:14:00Z", NULL);
  char *folder = xasprintf("%s/.aws/login/cache", s.w.home);
  world_env(&s.w, "HOME", "/nowhere");
  char *config = xasprintf("%s/.aws/config", s.w.home);
  world_env(&s.w, "AWS_CONFIG_FILE", config);
  world_env(&s.w, "AWS_LOGIN_CACHE_DIRECTORY", folder);
  world_login(&s.w, "console", NULL);
  world_expect_ready(&s.w, "ASIACACHED", "console login console");
  free(folder);
  free(config);
  world_close(&s.w);
}

static size_t from_base64url(const char *text, size_t len, unsigned char *out)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned long bits = 0;
  int have = 0;
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    const char *at = strchr(letters, text[i]);
    assert_non_null(at);
    bits = bits << 6 | (unsigned long)(at - letters);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[n++] = (unsigned char)(bits >> have & 255);
    }
  }
  return n;
}

/* The proof as a service would check it: form, claims, and signature by the key that it carries, which is ours. */
static void check_proof(const struct signin *s, EVP_PKEY *key)
{
  const char *dot = strchr(s->proof, '.');
  assert_non_null(dot);
  const char *last = strrchr(s->proof, '.');
  assert_true(last > dot);
  unsigned char header[1024] = {0};
  unsigned char payload[1024] = {0};
  unsigned char sig[128];
  from_base64url(s->proof, (size_t)(dot - s->proof), header);
  from_base64url(dot + 1, (size_t)(last - dot) - 1, payload);
  assert_int_equal(from_base64url(last + 1, strlen(last + 1), sig), 64);
  cJSON *h = cJSON_Parse((const char *)header);
  cJSON *p = cJSON_Parse((const char *)payload);
  assert_string_equal(cJSON_GetObjectItem(h, "typ")->valuestring, "dpop+jwt");
  assert_string_equal(cJSON_GetObjectItem(h, "alg")->valuestring, "ES256");
  const cJSON *jwk = cJSON_GetObjectItem(h, "jwk");
  assert_string_equal(cJSON_GetObjectItem(jwk, "crv")->valuestring, "P-256");
  assert_string_equal(cJSON_GetObjectItem(p, "htm")->valuestring, "POST");
  assert_string_equal(cJSON_GetObjectItem(p, "htu")->valuestring, s->url);
  assert_int_equal(strlen(cJSON_GetObjectItem(p, "jti")->valuestring), 36);
  assert_true(cJSON_GetObjectItem(p, "iat")->valuedouble * 1000 == (double)world_now(&s->w));
  unsigned char x[64];
  const char *x64 = cJSON_GetObjectItem(jwk, "x")->valuestring;
  assert_int_equal(from_base64url(x64, strlen(x64), x), 32);
  BIGNUM *own_x = NULL;
  unsigned char own[32];
  assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &own_x), 1);
  assert_int_equal(BN_bn2binpad(own_x, own, 32), 32);
  assert_memory_equal(x, own, 32);
  BN_free(own_x);
  ECDSA_SIG *es = ECDSA_SIG_new();
  ECDSA_SIG_set0(es, BN_bin2bn(sig, 32, NULL), BN_bin2bn(sig + 32, 32, NULL));
  unsigned char *der = NULL;
  int der_len = i2d_ECDSA_SIG(es, &der);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  assert_int_equal(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key), 1);
  assert_int_equal(
      EVP_DigestVerify(context, der, (size_t)der_len, (const unsigned char *)s->proof, (size_t)(last - s->proof)), 1);
  EVP_MD_CTX_free(context);
  OPENSSL_free(der);
  ECDSA_SIG_free(es);
  cJSON_Delete(h);
  cJSON_Delete(p);
}

static void test_renewal(void **state)
{
  (void)state;
  struct signin s;
  EVP_PKEY *key = NULL;
  char *pem = new_key(&key);
  open_signin(&s);
  put_login(&s, "2026-11-30T12:03:00Z", pem);
  world_login(&s.w, "console", NULL);
  world_expect_ready(&s.w, "ASIA1", "console login console");
  assert_string_equal(s.url, "https://eu-west-1.signin.aws.amazon.com/v1/token");
  assert_string_equal(s.body, "{\"clientId\":\"arn:aws:signin:::devtools/same-device\",\"refreshToken\":\"REFRESH0\","
                              "\"grantType\":\"refresh_token\"}");
  check_proof(&s, key);
  assert_int_equal(login_credentials(s.w.login)->expires_ms - world_now(&s.w), 15 * WHEN_MINUTE);
  char *text = world_read(&s.w, ".aws/login/cache/" CACHED);
  assert_non_null(strstr(text, "REFRESH1"));
  assert_non_null(strstr(text, "ASIA1"));
  assert_non_null(strstr(text, "\"idToken\":\"ID\""));
  assert_non_null(strstr(text, "\"accountId\":\"111122223333\""));
  free(text);
  /* A day on: each renewal ahead, none missed. */
  for (int64_t t = 0; t < WHEN_DAY; t += 10 * WHEN_SECOND) {
    clock_advance(&s.w.clock, 10 * WHEN_SECOND);
    if (login_turn(s.w.login) != LOGIN_READY)
      fail_msg("not ready after %lld s", (long long)(t / 1000));
    fake_turn();
  }
  assert_true(s.asked >= 120 && s.asked <= 160);
  EVP_PKEY_free(key);
  free(pem);
  world_close(&s.w);
}

static void test_refused_renewal(void **state)
{
  (void)state;
  struct signin s;
  EVP_PKEY *key = NULL;
  char *pem = new_key(&key);
  open_signin(&s);
  put_login(&s, "2026-11-30T12:03:00Z", pem);
  s.status = 400;
  s.refusal = "{\"error\":\"TOKEN_EXPIRED\",\"message\":\"The refresh token has "
              "expired\",\"__type\":\"AccessDeniedException\"}";
  world_login(&s.w, "console", NULL);
  /* The old keys still hold for three minutes. */
  world_expect_ready(&s.w, "ASIACACHED", "console login console");
  for (int i = 0; i < 20; i++) {
    clock_advance(&s.w.clock, 10 * WHEN_SECOND);
    world_settle(&s.w);
  }
  world_expect_failed(&s.w, "aws login --profile console", NULL);
  assert_true(s.asked < 12);
  int asked = s.asked;
  clock_advance(&s.w.clock, WHEN_HOUR);
  world_settle(&s.w);
  assert_int_equal(s.asked, asked);
  EVP_PKEY_free(key);
  free(pem);
  world_close(&s.w);
}

static void test_proof_needs_the_right_key(void **state)
{
  (void)state;
  struct secret out = {0};
  struct secret pem = {0};
  secret_set_str(&pem, "-----BEGIN EC PRIVATE KEY-----\nnonsense\n-----END EC PRIVATE KEY-----\n");
  struct err e = console_proof(&pem, "https://x", 1, &out);
  assert_true(err_is(&e));
  err_fini(&e);
  secret_fini(&pem);
  e = console_proof(&pem, "https://x", 1, &out);
  assert_true(err_is(&e));
  err_fini(&e);
  secret_fini(&out);
}

/* Everything that logs, as loud as it goes, with a login of each kind: the log may be pasted into a ticket. */
static void test_the_log_holds_no_secret(void **state)
{
  (void)state;
  struct signin s;
  EVP_PKEY *key = NULL;
  char *pem = new_key(&key);
  open_signin(&s);
  char *log = xstrdup(world_path(&s.w, "log"));
  struct err e = log_open(log, LOG_DEBUG);
  assert_false(err_is(&e));
  put_login(&s, "2026-11-30T12:03:00Z", pem);
  world_login(&s.w, "console", NULL);
  world_expect_ready(&s.w, "ASIA1", "console login console");
  login_invalidate(s.w.login, NULL);
  world_settle(&s.w);
  s.status = 403;
  s.refusal = "{\"message\":\"no\"}";
  clock_advance(&s.w.clock, WHEN_HOUR);
  world_settle(&s.w);
  world_write(&s.w, ".aws/credentials",
              "[keys]\naws_access_key_id = AKIDKEYS\naws_secret_access_key = SECRETKEY\n"
              "aws_session_token = SESSIONTOKEN\nSECRETKEY alone\n");
  world_write(&s.w, ".aws/config",
              "[profile proc]\ncredential_process = sh -c 'echo SECRETKEY'\n[profile half]\nregion = x\n"
              "[profile both]\ncredential_process = sh -c 'echo \"{\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"A\\\","
              "\\\"SecretAccessKey\\\":\\\"SECRETKEY\\\",\\\"SessionToken\\\":\\\"SESSIONTOKEN\\\"}\"'\n");
  static const char *const profiles[] = {"keys", "proc", "both", "half", "nosuch"};
  for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
    world_login(&s.w, profiles[i], NULL);
    world_settle(&s.w);
    char *told = err_sentence(login_error(s.w.login));
    assert_null(strstr(told, "SECRETKEY"));
    free(told);
    for (size_t k = 0; k < aws_config_fault_count(s.w.config); k++)
      assert_null(strstr(aws_config_fault(s.w.config, k), "SECRETKEY"));
    login_invalidate(s.w.login, NULL);
    world_settle(&s.w);
  }
  log_close();
  char *text = world_read(&s.w, "log");
  assert_non_null(text);
  assert_non_null(strstr(text, "login"));
  static const char *const secrets[] = {"SECRETKEY", "SESSIONTOKEN", "REFRESH", "BEGIN EC", "eyJ"};
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    if (strstr(text, secrets[i]) != NULL)
      fail_msg("the log holds %s", secrets[i]);
  }
  free(text);
  free(log);
  free(pem);
  EVP_PKEY_free(key);
  world_close(&s.w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_h15_nobody_logged_in),    cmocka_unit_test(test_cached_keys),
      cmocka_unit_test(test_cache_elsewhere),         cmocka_unit_test(test_renewal),
      cmocka_unit_test(test_refused_renewal),         cmocka_unit_test(test_proof_needs_the_right_key),
      cmocka_unit_test(test_the_log_holds_no_secret),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
