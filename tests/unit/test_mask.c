/* What is hidden of an argument's value, and what stays readable. */
#include "model/mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/worker.h"

#define M MASK_TEXT

static const struct {
  const char *key, *value, *shown;
} cases[] = {
    /* by the key */
    {"--db_password", "hunter2-not-real", M},
    {"--aws_secret_access_key", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", M},
    {"--api_token", "tok-000", M},
    {"--dbPassword", "x", M},
    {"--DB-PASSWD", "x", M},
    {"--apiKey", "x", M},
    {"--APIKey", "x", M},
    {"--key", "x", M},
    {"--encryption-key", "x", M},
    {"--client_credentials", "x", M},
    {"--oauth_refresh_token", "x", M},
    {"--pwd", "x", M},
    {"--user_pass", "x", M},
    {"--slack-webhook", "https://example.org/x", M},
    {"--sas", "x", M},
    {"password", "x", M},
    {"--secret", "", ""},
    {"--secret", NULL, ""},
    /* harmless keys with a suspicious word */
    {"--safe", "1", "1"},
    {"--primary_key", "order_id", "order_id"},
    {"--partition-keys", "year,month", "year,month"},
    {"--job-bookmark-keys", "id", "id"},
    {"--s3_key", "raw/x.csv", "raw/x.csv"},
    {"--kms_key_id", "1234", "1234"},
    {"--kms_key_arn", "arn:aws:kms:eu-west-1:111122223333:key/abc", "arn:aws:kms:eu-west-1:111122223333:key/abc"},
    {"--max_tokens", "100", "100"},
    {"--tokenizer", "simple", "simple"},
    {"--keyspace", "shop", "shop"},
    {"--bypass", "true", "true"},
    {"--monkey", "see", "see"},
    {"--TempDir", "s3://etl-tmp/path/", "s3://etl-tmp/path/"},
    {"--run_date", "2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z"},
    {"--enable-metrics", "true", "true"},
    {"--scriptLocation", "s3://b/key/Script2024/thing.py", "s3://b/key/Script2024/thing.py"},
    {"--conf", "spark.sql.ansi.enabled=false --conf spark.sql.shuffle.partitions=200",
     "spark.sql.ansi.enabled=false --conf spark.sql.shuffle.partitions=200"},
    {"--commit", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {"--arn", "arn:aws:iam::111122223333:role/etl-runner", "arn:aws:iam::111122223333:role/etl-runner"},
    /* by the value, in part */
    {"--jdbc", "jdbc:postgresql://h/db?user=u&password=p4ss", "jdbc:postgresql://h/db?user=u&password=" M},
    {"--jdbc", "jdbc:postgresql://h/db?password=p4ss&user=u", "jdbc:postgresql://h/db?password=" M "&user=u"},
    {"--jdbc", "jdbc:sqlserver://h;user=u;password=p4ss;encrypt=true",
     "jdbc:sqlserver://h;user=u;password=" M ";encrypt=true"},
    {"--jdbc", "jdbc:oracle:thin:scott/tiger@//h:1521/x", "jdbc:oracle:thin:scott/" M "@//h:1521/x"},
    {"--url", "https://user:p4ss@host/path", "https://user:" M "@host/path"},
    {"--url", "mongodb://u:p@ss@host:27017/db", "mongodb://u:" M "@host:27017/db"},
    {"--url", "https://host:8443/path", "https://host:8443/path"},
    {"--url", "https://host/a?x=1&token=abc&y=2", "https://host/a?x=1&token=" M "&y=2"},
    {"--url", "https://b.s3.amazonaws.com/k?X-Amz-Signature=abcdef", "https://b.s3.amazonaws.com/k?X-Amz-Signature=" M},
    {"--url", "https%3A%2F%2Fh%2F?password%3Dp4ss%26user%3Du", "https%3A%2F%2Fh%2F?password%3D" M "%26user%3Du"},
    {"--hook", "https://hooks.slack.com/services/T0/B0/xyz", "https://hooks.slack.com/services/" M},
    {"--json", "{\"user\": \"u\", \"password\": \"p4 ss\"}", "{\"user\": \"u\", \"password\": \"" M "\"}"},
    {"--json", "{'api_key':'a','n':1}", "{'api_key':'" M "','n':1}"},
    {"--conf", "spark.hadoop.fs.s3a.secret.key=abc --conf spark.a=1",
     "spark.hadoop.fs.s3a.secret.key=" M " --conf spark.a=1"},
    {"--options", "--user u --db-password p4ss --verbose", "--user u --db-password " M " --verbose"},
    {"--env", "A=1,DB_PASSWORD=p4ss,B=2", "A=1,DB_PASSWORD=" M ",B=2"},
    {"--header", "Authorization: Bearer abc.def.ghi", "Authorization: Bearer " M},
    {"--header", "Bearer abcdefgh", "Bearer " M},
    /* names and values in pairs, lists under one name */
    {"--json", "[{\"Key\": \"db_password\", \"Value\": \"p4, ss\"}]",
     "[{\"Key\": \"db_password\", \"Value\": \"" M "\"}]"},
    {"--json", "[{\"Value\":\"p4ss\",\"Name\":\"API_KEY\"}]", "[{\"Value\":\"" M "\",\"Name\":\"API_KEY\"}]"},
    {"--json", "{\"ParameterKey\":\"DbSecret\",\"ParameterValue\":\"x y\"}",
     "{\"ParameterKey\":\"DbSecret\",\"ParameterValue\":\"" M "\"}"},
    {"--json", "{\"Key\":\"team\",\"Value\":\"data\"}", "{\"Key\":\"team\",\"Value\":\"data\"}"},
    {"--json", "{\\\"Name\\\": \\\"token\\\", \\\"Value\\\": \\\"p4ss\\\"}",
     "{\\\"Name\\\": \\\"token\\\", \\\"Value\\\": \\\"" M "\\\"}"},
    {"--json", "{\"passwords\": [\"a]\", \"b\"], \"n\": 1}", "{\"passwords\": " M ", \"n\": 1}"},
    {"--json", "{\"credentials\": {\"user\": \"u\", \"x\": \"y\"}, \"n\": 1}", "{\"credentials\": " M ", \"n\": 1}"},
    {"--json", "{\"secrets\": [\"a", "{\"secrets\": " M},
    /* what speaks of secrets and tells none */
    {"--arns", "arn:aws:secretsmanager:eu-west-1:111122223333:secret:db-AbCdEf, s3://b",
     "arn:aws:secretsmanager:eu-west-1:111122223333:secret:db-AbCdEf, s3://b"},
    {"ErrorMessage", "not authorized to perform: secretsmanager:GetSecretValue on it",
     "not authorized to perform: secretsmanager:GetSecretValue on it"},
    {"ErrorMessage", "Error downloading from S3 for bucket: b, key: jobs/x.py. File not present",
     "Error downloading from S3 for bucket: b, key: jobs/x.py. File not present"},
    {"ErrorMessage", "The security token included in the request is expired",
     "The security token included in the request is expired"},
    {"ErrorMessage", "No suitable driver for jdbc:mysql://h/db?user=u&password=p4ss",
     "No suitable driver for jdbc:mysql://h/db?user=u&password=" M},
    /* by the value, whole shapes */
    {"--x", "AKIAIOSFODNN7EXAMPLE", M},
    {"--x", "id AKIAIOSFODNN7EXAMPLE and more", "id " M " and more"},
    {"--x", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", M},
    {"--x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", M},
    {"--x", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", M},
    {"--x", "xoxb-1234567890-abcdefghij", M},
    {"--x", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n", M "\n"},
    {"--x", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
     "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"},
};

static void test_masks(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct buf out;
    bool hides = cases[i].value != NULL && strcmp(cases[i].shown, cases[i].value) != 0;
    buf_init(&out, 10000);
    mask_append(&out, cases[i].key, cases[i].value);
    if (strcmp(out.data, cases[i].shown) != 0 || mask_is_secret(cases[i].key, cases[i].value) != hides) {
      print_error("case %zu: %s = %s gave %s, not %s\n", i, cases[i].key, cases[i].value ? cases[i].value : "(null)",
                  out.data, cases[i].shown);
      fail();
    }
    buf_fini(&out);
  }
}

/* No bytes at all may make it read past the end (ASan watches) or change a value that it calls harmless. */
static void test_any_bytes(void **state)
{
  (void)state;
  static const char alphabet[] = "pas=:/@\"'%3D&-AKIeyJ.tokn \\";
  uint32_t seed = 7;
  for (int round = 0; round < 20000; round++) {
    char value[40];
    struct buf out;
    size_t len = 0;
    for (; len < sizeof value - 1; len++) {
      seed = seed * 1664525u + 1013904223u;
      if (seed >> 27 == 0)
        break;
      value[len] = alphabet[(seed >> 8) % (sizeof alphabet - 1)];
    }
    value[len] = '\0';
    buf_init(&out, 10000);
    mask_append(&out, "--x", value);
    if (!mask_is_secret("--x", value))
      assert_string_equal(out.data, value);
    buf_fini(&out);
  }
}

/* What is too long to be looked through is hidden, not shown. */
static void test_long_values(void **state)
{
  (void)state;
  static char value[100 * 1024];
  struct buf out;
  memset(value, ':', sizeof value - 1);
  buf_init(&out, 200 * 1024);
  mask_append(&out, "--x", value);
  assert_string_equal(out.data, M);
  assert_true(mask_is_secret("--x", value));
  buf_fini(&out);
}

static void test_workers(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double dpu;
    bool memory, flex;
  } want[] = {{"Standard", 1, false, false}, {"G.025X", 0.25, false, false}, {"G.1X", 1, false, true},
              {"G.2X", 2, false, true},      {"G.4X", 4, false, false},      {"G.8X", 8, false, false},
              {"G.12X", 12, false, false},   {"G.16X", 16, false, false},    {"R.1X", 1, true, false},
              {"R.2X", 2, true, false},      {"R.4X", 4, true, false},       {"R.8X", 8, true, false},
              {"Z.2X", 2, true, false}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    const struct worker_type *w = worker_type_find(want[i].name);
    assert_non_null(w);
    assert_true(w->dpu == want[i].dpu && w->memory_optimised == want[i].memory && w->flex == want[i].flex);
  }
  assert_null(worker_type_find("Q.99X"));
  assert_null(worker_type_find("g.1x"));
  assert_null(worker_type_find(""));
  assert_null(worker_type_find(NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_masks), cmocka_unit_test(test_any_bytes),
                                     cmocka_unit_test(test_long_values), cmocka_unit_test(test_workers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
