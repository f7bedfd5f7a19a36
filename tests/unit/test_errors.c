/* Refusals in every form they are met in, the XML reader, and STS's answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "aws/errors.h"
#include "aws/sts.h"
#include "aws/xml.h"
#include "base/when.h"

static const struct {
  const char *name;
  int status;
  const char *header; /* x-amzn-errortype */
  const char *body;
  enum err_kind kind;
  const char *code;    /* NULL: none */
  const char *message; /* in it */
  const char *hint;    /* in it; NULL: none at all */
} forms[] = {
    {"plain type", 400, NULL, "{\"__type\":\"EntityNotFoundException\",\"Message\":\"Job x not found.\"}",
     ERR_NOT_FOUND, "EntityNotFoundException", "Job x not found.", NULL},
    {"prefixed type, small message", 400, NULL,
     "{\"__type\":\"com.amazonaws.glue#InvalidInputException\",\"message\":\"bad\"}", ERR_USAGE,
     "InvalidInputException", "bad", NULL},
    {"type with an address", 400, NULL,
     "{\"__type\":\"ThrottlingException:http://internal.amazon.com/coral/com.amazon.coral.availability/\"}",
     ERR_THROTTLED, "ThrottlingException", "ThrottlingException", "slowly"},
    {"prefix and address", 400, NULL, "{\"__type\":\"a.b#LimitExceededException:http://x/\",\"message\":\"m\"}",
     ERR_THROTTLED, "LimitExceededException", "m", "slowly"},
    {"header only", 400, "AccessDeniedException:http://internal.amazon.com/coral/#x", "{\"Message\":\"no\"}",
     ERR_DENIED, "AccessDeniedException", "no", "Ask for"},
    {"header wins", 400, "ConcurrentModificationException", "{\"__type\":\"Other\",\"message\":\"m\"}", ERR_CONFLICT,
     "ConcurrentModificationException", "m", "Read it again"},
    {"query compatible header", 400, "ResourceNotFound;Sender", "{}", ERR_NOT_FOUND, "ResourceNotFound",
     "ResourceNotFound", NULL},
    {"header that is no code", 400, "<script>", "{\"__type\":\"ValidationException\",\"message\":\"m\"}", ERR_USAGE,
     "ValidationException", "m", NULL},
    {"empty header", 400, "", "{\"__type\":\"ValidationException\"}", ERR_USAGE, "ValidationException",
     "ValidationException", NULL},
    {"code under another name", 400, NULL, "{\"code\":\"ExpiredToken\",\"message\":\"m\"}", ERR_EXPIRED, "ExpiredToken",
     "m", "Log in"},
    {"wrapped once", 403, NULL, "{\"Error\":{\"Code\":\"InvalidClientTokenId\",\"Message\":\"m\"}}", ERR_CREDENTIALS,
     "InvalidClientTokenId", "m", "access key"},
    {"OAuth", 400, NULL, "{\"error\":\"invalid_grant\",\"error_description\":\"gone\"}", ERR_EXPIRED, "invalid_grant",
     "gone", "Log in"},
    {"STS", 403, NULL,
     "<ErrorResponse "
     "xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type><Code>ExpiredToken</Code>"
     "<Message>The token &lt;x&gt; is expired</Message></Error><RequestId>r-1</RequestId></ErrorResponse>",
     ERR_EXPIRED, "ExpiredToken", "The token <x> is expired", "Log in"},
    {"EC2's form", 401, NULL,
     "<?xml version=\"1.0\"?>\n<Response><Errors><Error><Code>AuthFailure</Code><Message>m</Message></Error></Errors>"
     "<RequestID>r-2</RequestID></Response>",
     ERR_CREDENTIALS, "AuthFailure", "m", "access key"},
    {"a page", 503, NULL, "<!DOCTYPE html><html><head><TITLE>Over\n capacity</TITLE></head></html>", ERR_SERVER, NULL,
     "HTTP 503 with a web page where JSON was due: \"Over\n capacity\"", NULL},
    {"a page without a title", 502, NULL, "<html><body>x", ERR_SERVER, NULL, "HTTP 502 with a page", NULL},
    {"a page for 400", 400, NULL, "<html></html>", ERR_USAGE, NULL, "HTTP 400", NULL},
    {"nothing", 500, NULL, "", ERR_SERVER, NULL, "HTTP 500 with an empty answer", NULL},
    {"no body at all", 504, NULL, NULL, ERR_SERVER, NULL, "HTTP 504", NULL},
    {"words", 503, NULL, "upstream connect error\nmore", ERR_SERVER, NULL, "HTTP 503: upstream connect error", NULL},
    {"broken JSON", 500, NULL, "{\"__type\":\"Internal", ERR_SERVER, NULL, "HTTP 500 without a reason", NULL},
    {"JSON of another kind", 500, NULL, "[1,2]", ERR_SERVER, NULL, "HTTP 500 without a reason", NULL},
    {"message of another kind", 400, NULL, "{\"__type\":\"ValidationException\",\"message\":{\"a\":1}}", ERR_USAGE,
     "ValidationException", "ValidationException", NULL},
    {"a mark and blanks before it", 400, NULL, "\xef\xbb\xbf \n{\"__type\":\"OptInRequired\",\"message\":\"m\"}",
     ERR_DENIED, "OptInRequired", "m", "not enabled"},
    {"503 with a code of throttling", 503, NULL, "{\"__type\":\"SlowDown\",\"message\":\"m\"}", ERR_THROTTLED,
     "SlowDown", "m", "slowly"},
    {"429", 429, NULL, "", ERR_THROTTLED, NULL, "HTTP 429", NULL},
    {"401", 401, NULL, "", ERR_CREDENTIALS, NULL, "HTTP 401", "Log in"},
    {"403", 403, NULL, "", ERR_DENIED, NULL, "HTTP 403", "permission"},
    {"404 of a web server", 404, NULL, "<html></html>", ERR_CONFIG, NULL, "HTTP 404", "address"},
    {"404 with a code that is not known", 404, NULL, "{\"__type\":\"NoSuchThingException\",\"message\":\"m\"}",
     ERR_NOT_FOUND, "NoSuchThingException", "m", NULL},
    {"a code that is not known", 400, NULL, "{\"__type\":\"NewException\",\"message\":\"m\"}", ERR_USAGE,
     "NewException", "m", NULL},
    {"a code that is not known, of the server", 500, NULL, "{\"__type\":\"NewException\",\"message\":\"m\"}",
     ERR_SERVER, "NewException", "m", NULL},
    {"operation timeout", 400, NULL, "{\"__type\":\"OperationTimeoutException\",\"Message\":\"m\"}", ERR_SERVER,
     "OperationTimeoutException", "m", NULL},
    {"a quota", 400, NULL, "{\"__type\":\"ResourceNumberLimitExceededException\",\"Message\":\"m\"}", ERR_LIMIT,
     "ResourceNumberLimitExceededException", "m", "quota"},
    {"concurrency", 400, NULL, "{\"__type\":\"ConcurrentRunsExceededException\",\"Message\":\"m\"}", ERR_CONFLICT,
     "ConcurrentRunsExceededException", "m", "MaxConcurrentRuns"},
    {"not offered", 400, NULL, "{\"__type\":\"UnknownOperationException\"}", ERR_USAGE, "UnknownOperationException",
     "Unknown", "does not offer"},
    {"not offered, said as a fault", 501, NULL, "{\"__type\":\"InternalFailure\",\"message\":\"not yet implemented\"}",
     ERR_USAGE, "InternalFailure", "not yet", "does not offer"},
    {"405", 405, NULL, "", ERR_USAGE, NULL, "HTTP 405", "does not offer"},
    {"denied, with the action", 400, NULL,
     "{\"__type\":\"AccessDeniedException\",\"Message\":\"User: arn:aws:sts::1:assumed-role/r/s is not authorized to "
     "perform: "
     "glue:StartJobRun on resource: arn because no identity-based policy allows the glue:StartJobRun action\"}",
     ERR_DENIED, "AccessDeniedException", "is not authorized", "permission glue:StartJobRun."},
    {"invalid signature alone is a matter of keys", 400, NULL,
     "{\"__type\":\"InvalidSignatureException\",\"message\":\"m\"}", ERR_CREDENTIALS, "InvalidSignatureException", "m",
     "secret"},
};

static void test_form(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    struct aws_refusal r = {.status = forms[i].status,
                            .error_type = forms[i].header,
                            .body = forms[i].body,
                            .body_len = forms[i].body != NULL ? strlen(forms[i].body) : 0};
    struct err e = errors_read(&r);
    const char *code = e.detail->code;
    const char *hint = e.detail->hint;
    if (e.kind != forms[i].kind)
      fail_msg("%s: %s", forms[i].name, err_kind_name(e.kind));
    if ((code == NULL) != (forms[i].code == NULL) || (code != NULL && strcmp(code, forms[i].code) != 0))
      fail_msg("%s: code %s", forms[i].name, code != NULL ? code : "none");
    if (strstr(e.detail->message, forms[i].message) == NULL)
      fail_msg("%s: message \"%s\"", forms[i].name, e.detail->message);
    if ((hint == NULL) != (forms[i].hint == NULL) || (hint != NULL && strstr(hint, forms[i].hint) == NULL))
      fail_msg("%s: hint \"%s\"", forms[i].name, hint != NULL ? hint : "none");
    assert_int_equal(e.detail->http_status, forms[i].status);
    err_fini(&e);
  }
}

static void test_request_ids(void **state)
{
  (void)state;
  static const char xml[] =
      "<ErrorResponse><Error><Code>X</Code></Error><RequestId>of-body</RequestId></ErrorResponse>";
  struct aws_refusal r = {.status = 400, .body = xml, .body_len = sizeof xml - 1};
  struct err e = errors_read(&r);
  assert_string_equal(e.detail->request_id, "of-body");
  err_fini(&e);
  r.request_id = "of-header";
  e = errors_read(&r);
  assert_string_equal(e.detail->request_id, "of-header");
  err_fini(&e);
}

static void test_unsupported(void **state)
{
  (void)state;
  static const struct {
    int status;
    const char *code;
    bool unsupported;
  } cases[] = {{400, "UnknownOperationException", true},
               {501, "InternalFailure", true},
               {404, NULL, true},
               {405, NULL, true},
               {501, NULL, true},
               {400, "EntityNotFoundException", false},
               {404, "EntityNotFoundException", false},
               {500, "InternalFailure", false},
               {403, NULL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct err e = err_new(ERR_USAGE, "x");
    err_set_http(&e, cases[i].status, cases[i].code, NULL);
    assert_int_equal(errors_is_unsupported(&e), cases[i].unsupported);
    err_fini(&e);
  }
  struct err none = err_ok();
  assert_false(errors_is_unsupported(&none));
}

/* A text of a megabyte is cut on a letter's border. */
static void test_long_message(void **state)
{
  (void)state;
  size_t len = 1000000;
  char *body = malloc(len + 100);
  size_t at = (size_t)sprintf(body, "{\"__type\":\"ValidationException\",\"message\":\"x");
  for (size_t i = 0; i < 300000; i++) {
    memcpy(body + at, "\xe2\x82\xac", 3);
    at += 3;
  }
  memcpy(body + at, "\"}", 3);
  struct err e = errors_read(&(struct aws_refusal){.status = 400, .body = body, .body_len = at + 2});
  size_t kept = strlen(e.detail->message);
  assert_in_range(kept, 1000, 8192);
  assert_int_equal((kept - 1) % 3, 0);
  err_fini(&e);
  free(body);
}

static void test_server_time(void **state)
{
  (void)state;
  static const struct {
    const char *message, *time;
  } cases[] = {
      {"Signature expired: 20240319T110034Z is now earlier than 20240319T125554Z (20240319T130054Z - 5 min.)",
       "2024-03-19T13:00:54Z"},
      {"Signature not yet current: 20240319T145952Z is still later than 20240319T130506Z (20240319T130006Z + 5 min.)",
       "2024-03-19T13:00:06Z"},
      {"(20240319T130054Z)", "2024-03-19T13:00:54Z"},
      {"(a) (20249919T130054Z - x) (20240319T130054Z - 5", "2024-03-19T13:00:54Z"},
      {"20240319T130054Z", NULL},
      {"(20240319T130054ZZ - 5", NULL},
      {"(", NULL},
      {"", NULL},
      {NULL, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t ms = 0;
    int64_t wanted = 0;
    assert_int_equal(errors_server_time(cases[i].message, &ms), cases[i].time != NULL);
    if (cases[i].time != NULL) {
      assert_true(when_parse_iso(cases[i].time, &wanted));
      assert_int_equal(ms, wanted);
    }
  }
}

/* --- XML ------------------------------------------------------------------------------------------------------------------------ */

static void test_xml(void **state)
{
  (void)state;
  static const struct {
    const char *text, *path, *value;
    bool good;
  } cases[] = {
      {"<A><B>x</B></A>", "A/B", "x", true},
      {"<A><B>x</B></A>", "B", "x", true},
      {"<A><AB>x</AB></A>", "B", NULL, true},
      {"<n:A xmlns:n='u'><n:B> x\n</n:B></n:A>", "A/B", "x", true},
      {"<A><B>x</B><B>y</B></A>", "B", "x", true},
      {"<A><B/></A>", "B", "", true},
      {"<A><B>a&amp;&#x20AC;</B></A>", "B", "a&\xe2\x82\xac", true},
      {"<A><B><![CDATA[<x>]]></B></A>", "B", "<x>", true},
      {"<A><B>x</B>", "B", "x", false},
      {"", "B", NULL, false},
      {"{}", "B", NULL, false},
      {"<!DOCTYPE a [<!ENTITY e \"boom\">]><A><B>&e;</B></A>", "B", NULL, false},
      {"<A><B>&e;</B></A>", "B", NULL, false},
      {"<A><B>\xff</B></A>", "B", NULL, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct xml_want want = {.path = cases[i].path};
    struct err e = xml_read(cases[i].text, strlen(cases[i].text), &want, 1);
    if (err_is(&e) == cases[i].good || (want.text == NULL) != (cases[i].value == NULL) ||
        (want.text != NULL && strcmp(want.text, cases[i].value) != 0))
      fail_msg("%s: %s %s", cases[i].text, want.text != NULL ? want.text : "none", err_message(&e));
    err_fini(&e);
    xml_wants_fini(&want, 1);
  }
}

static void test_xml_bounds(void **state)
{
  (void)state;
  size_t size = 1000000;
  char *deep = malloc(size);
  for (size_t i = 0; i + 3 < size; i += 3)
    memcpy(deep + i, "<a>", 3);
  struct xml_want want = {.path = "b"};
  struct err e = xml_read(deep, size - size % 3 - 3, &want, 1);
  assert_int_equal(e.kind, ERR_PARSE);
  assert_non_null(strstr(err_message(&e), "deeply"));
  err_fini(&e);
  memset(deep, 'x', size);
  memcpy(deep, "<b>", 3);
  e = xml_read(deep, size, &want, 1);
  assert_int_equal(e.kind, ERR_PARSE);
  assert_non_null(strstr(err_message(&e), "too long"));
  err_fini(&e);
  xml_wants_wipe(&want, 1);
  free(deep);
}

static void test_identity(void **state)
{
  (void)state;
  static const char good[] =
      "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\n <GetCallerIdentityResult>\n"
      "  <Arn>arn:aws:sts::111122223333:assumed-role/ops/anna</Arn>\n  <UserId>AROA:anna</UserId>\n"
      "  <Account>111122223333</Account>\n </GetCallerIdentityResult>\n <ResponseMetadata><RequestId>r</RequestId>"
      "</ResponseMetadata>\n</GetCallerIdentityResponse>\n";
  struct arena arena;
  struct identity who;
  arena_init(&arena);
  struct err e = sts_decode_identity(good, sizeof good - 1, &arena, &who);
  assert_false(err_is(&e));
  assert_string_equal(who.account, "111122223333");
  assert_string_equal(who.arn, "arn:aws:sts::111122223333:assumed-role/ops/anna");
  assert_string_equal(who.user_id, "AROA:anna");
  static const char *const bad[] = {"", "<html></html>", "{}",
                                    "<R><GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult></R>",
                                    "<R><GetCallerIdentityResult><Account> </Account></GetCallerIdentityResult></R>"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    e = sts_decode_identity(bad[i], strlen(bad[i]), &arena, &who);
    assert_int_equal(e.kind, ERR_PARSE);
    err_fini(&e);
  }
  arena_fini(&arena);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_form),         cmocka_unit_test(test_request_ids), cmocka_unit_test(test_unsupported),
      cmocka_unit_test(test_long_message), cmocka_unit_test(test_server_time), cmocka_unit_test(test_xml),
      cmocka_unit_test(test_xml_bounds),   cmocka_unit_test(test_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
