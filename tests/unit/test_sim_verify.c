/* gluesim's own check of signatures, against the service's published examples. */
#include "sim/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/when.h"

#define EXAMPLE_KEY    "AKIDEXAMPLE"
#define EXAMPLE_SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define SCOPE          "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "

static const struct sim_key keys[] = {
    {.access_key = EXAMPLE_KEY, .secret_key = EXAMPLE_SECRET},
    {.access_key = "ASIDEXAMPLE", .secret_key = EXAMPLE_SECRET, .session_token = "the-token"},
    {.access_key = "AKIDOLD", .secret_key = EXAMPLE_SECRET, .expires_ms = 1},
};

struct example {
  const char *name, *method, *uri, *body, *authorization;
  struct sim_header more[4];
  int64_t late_ms; /* the server's clock against the signature's */
  enum verify_result result;
  const char *says; /* part of the message */
};

/* The signatures of the first block are those of the service's own test suite for Signature Version 4. */
static const struct example examples[] = {
    {"get-vanilla",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"post-vanilla",
     "POST",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"get-vanilla-query-order-key-case",
     "GET",
     "/?Param2=value2&Param1=value1",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"get-slash: doubled slashes are one",
     "GET",
     "//",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"get-relative: dots are resolved",
     "GET",
     "/example/..",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"blanks around the parts do not count",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,SignedHeaders=host;x-amz-date,"
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31 ",
     {{0}},
     0,
     VERIFY_OK,
     ""},
    {"almost five minutes late",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{0}},
     299000,
     VERIFY_OK,
     ""},

    {"no signature", "GET", "/", "", NULL, {{0}}, 0, VERIFY_MISSING, "Missing Authentication Token"},
    {"another scheme", "GET", "/", "", "Basic dXNlcg==", {{0}}, 0, VERIFY_INCOMPLETE, "algorithm"},
    {"no signature part",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date",
     {{0}},
     0,
     VERIFY_INCOMPLETE,
     "requires 'Signature' parameter"},
    {"no credential part",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_INCOMPLETE,
     "requires 'Credential' parameter"},
    {"scope cut short",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1, SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_INCOMPLETE,
     "Credential must have"},
    {"one letter of the signature",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf32",
     {{0}},
     0,
     VERIFY_MISMATCH,
     "does not match the signature you provided"},
    {"another body",
     "POST",
     "/",
     "x",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
     {{0}},
     0,
     VERIFY_MISMATCH,
     "does not match the signature you provided"},
    {"a signed header that was not sent",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date;x-other, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{0}},
     0,
     VERIFY_MISMATCH,
     "does not match"},
    {"host is not signed",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_MISMATCH,
     "'Host' or ':authority' must be a 'SignedHeader'"},
    {"the target is not signed",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, "
     "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
     {{"X-Amz-Target", "AWSGlue.GetJobs"}},
     0,
     VERIFY_MISMATCH,
     "'X-Amz-Target' must be a 'SignedHeader'"},
    {"a declared hash that is not the body's",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=00",
     {{"X-Amz-Content-Sha256", "abc"}},
     0,
     VERIFY_MISMATCH,
     "x-amz-content-sha256"},
    {"an unknown key",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDSTRANGER/20150830/us-east-1/service/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_UNKNOWN_KEY,
     "The security token included in the request is invalid"},
    {"the token of the key is missing",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=ASIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_BAD_TOKEN,
     "security token"},
    {"a key that has expired",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDOLD/20150830/us-east-1/service/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_EXPIRED,
     "is expired"},
    {"another Region",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-north-1/service/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_BAD_SCOPE,
     "valid region, not 'eu-north-1'"},
    {"another service",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/s3/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_BAD_SCOPE,
     "correct service: 'service'"},
    {"another day",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150829/us-east-1/service/aws4_request, "
     "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     0,
     VERIFY_BAD_SCOPE,
     "Date in Credential scope does not match"},
    {"signed too long ago",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     301000,
     VERIFY_SKEWED,
     "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T124101Z - 5 min.)"},
    {"signed in the future",
     "GET",
     "/",
     "",
     "AWS4-HMAC-SHA256 " SCOPE "SignedHeaders=host;x-amz-date, Signature=00",
     {{0}},
     -301000,
     VERIFY_SKEWED,
     "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z (20150830T123059Z + 5 min.)"},
};

static void check(void **state)
{
  const struct example *e = *state;
  struct sim_header headers[8] = {{"Host", "example.amazonaws.com"}, {"X-Amz-Date", "20150830T123600Z"}};
  size_t count = 2;
  int64_t signed_ms = 0;
  struct verify_outcome out;
  if (e->authorization != NULL)
    headers[count++] = (struct sim_header){"Authorization", e->authorization};
  for (size_t i = 0; i < 4 && e->more[i].name != NULL; i++)
    headers[count++] = e->more[i];
  struct sim_http http = {e->method, e->uri, headers, count, e->body, strlen(e->body)};
  assert_true(when_parse_basic("20150830T123600Z", &signed_ms));
  struct verify_rules rules = {
      .keys = keys, .key_count = 3, .region = "us-east-1", .service = "service", .now_ms = signed_ms + e->late_ms};
  sim_verify(&http, &rules, &out);
  assert_non_null(strstr(out.message, e->says));
  assert_int_equal(out.result, e->result);
}

/* The request of the IAM user guide's walk-through: query, form content type. */
static void iam_example(void **state)
{
  (void)state;
  const struct sim_header headers[] = {
      {"content-type", "application/x-www-form-urlencoded; charset=utf-8"},
      {"host", "iam.amazonaws.com"},
      {"x-amz-date", "20150830T123600Z"},
      {"authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                        "SignedHeaders=content-type;host;x-amz-date, "
                        "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
  };
  struct sim_http http = {"GET", "/?Action=ListUsers&Version=2010-05-08", headers, 4, "", 0};
  struct verify_rules rules = {.keys = keys, .key_count = 1};
  struct verify_outcome out;
  assert_true(when_parse_basic("20150830T123600Z", &rules.now_ms));
  sim_verify(&http, &rules, &out);
  assert_string_equal(out.message, "");
  assert_int_equal(out.result, VERIFY_OK);
  assert_string_equal(out.service, "iam");
}

static void any_key_believes(void **state)
{
  (void)state;
  const struct sim_header headers[] = {
      {"host", "x"},
      {"x-amz-date", "20150830T123600Z"},
      {"authorization", "AWS4-HMAC-SHA256 Credential=ANY/20150830/us-east-1/glue/aws4_request, "
                        "SignedHeaders=host;x-amz-date, Signature=ff"},
  };
  struct sim_http http = {"POST", "/", headers, 3, "", 0};
  struct verify_rules rules = {.any_key = true};
  struct verify_outcome out;
  assert_true(when_parse_basic("20150830T123600Z", &rules.now_ms));
  sim_verify(&http, &rules, &out);
  assert_int_equal(out.result, VERIFY_OK);
}

int main(void)
{
  enum { COUNT = sizeof examples / sizeof examples[0] };
  struct CMUnitTest tests[COUNT + 2];
  for (size_t i = 0; i < COUNT; i++)
    tests[i] = (struct CMUnitTest){
        .name = examples[i].name, .test_func = check, .initial_state = (void *)(uintptr_t)&examples[i]};
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(iam_example);
  tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(any_key_believes);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
