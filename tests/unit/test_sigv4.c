/* The corners of the signer: what it refuses, what it encodes and puts in order, what it adds. The rules themselves are
 * checked by the suites in tests/conformance. */
#include "sigv4/sigv4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int64_t evening = INT64_C(1796079962000); /* 2026-11-30T23:06:02Z */

static const struct sigv4_header host = {"Host", "glue.eu-central-1.amazonaws.com"};

static struct sigv4_request plain_request(void)
{
  return (struct sigv4_request){
      .method = "GET", .path = "/", .headers = &host, .header_count = 1, .normalize_path = true};
}

static struct sigv4_credentials plain_credentials(void)
{
  return (struct sigv4_credentials){.access_key_id = "GTUNITKEY01", .secret = "unit/secret", .secret_len = 11};
}

static struct sigv4_keys *new_keys(void)
{
  struct sigv4_keys *keys = sigv4_keys_new();
  assert_non_null(keys);
  return keys;
}

static enum sigv4_status sign_headers(struct sigv4_keys *keys, const struct sigv4_request *request,
                                      struct sigv4_signed *out)
{
  struct sigv4_credentials credentials = plain_credentials();
  return sigv4_sign_headers(keys, request, &credentials, "eu-central-1", "glue", evening, out);
}

static enum sigv4_status sign_query(struct sigv4_keys *keys, const struct sigv4_request *request,
                                    struct sigv4_signed *out)
{
  struct sigv4_credentials credentials = plain_credentials();
  return sigv4_sign_query(keys, request, &credentials, "eu-central-1", "glue", evening, 60, out);
}

static void expect_status(const char *name, enum sigv4_status expected, enum sigv4_status status)
{
  if (status != expected)
    fail_msg("%s: %s", name, sigv4_status_text(status));
}

static void expect_text(const char *name, const char *expected, const char *actual)
{
  if (strcmp(expected, actual) != 0)
    fail_msg("%s: expected '%s', got '%s'", name, expected, actual);
}

/* The line of the canonical request with that number, from 0. */
static char *canonical_line(const struct sigv4_signed *s, unsigned number)
{
  const char *at = s->canonical_request;
  for (; number > 0; number--)
    at = strchr(at, '\n') + 1;
  return strndup(at, strcspn(at, "\n"));
}

static void expect_line(const char *name, const struct sigv4_signed *s, unsigned number, const char *expected)
{
  char *line = canonical_line(s, number);
  expect_text(name, expected, line);
  free(line);
}

static void canonical_query_sorts_and_encodes(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *query;
    const char *canonical;
  } cases[] = {
      {"none", "", ""},
      {"NULL", NULL, ""},
      {"one", "a=b", "a=b"},
      {"no equals sign", "flag", "flag="},
      {"no value", "flag=", "flag="},
      {"no name", "=v", "=v"},
      {"equals signs in the value", "a=b=c==", "a=b%3Dc%3D%3D"},
      {"only ampersands", "&&&", ""},
      {"by name", "b=1&a=2", "a=2&b=1"},
      {"by value", "a=2&a=10&a=1", "a=1&a=10&a=2"},
      {"same twice", "a=1&a=1", "a=1&a=1"},
      {"prefix first", "ab=1&a=2", "a=2&ab=1"},
      {"hyphen before equals sign", "a-b=1&a=2", "a=2&a-b=1"},
      {"capitals first", "a=1&B=2", "B=2&a=1"},
      {"by encoded name", "\xc3\xa4=1&z=2", "%C3%A4=1&z=2"},
      {"encoded and raw alike", "a=%C3%A4&a=\xc3\xa4", "a=%C3%A4&a=%C3%A4"},
      {"lower-case escapes", "a=%c3%a4%7e", "a=%C3%A4~"},
      {"plus is a plus", "a=b+c&d=%2B&e=%20", "a=b%2Bc&d=%2B&e=%20"},
      {"lone percent", "a=100%&b=%zz&c=%4", "a=100%25&b=%25zz&c=%254"},
      {"escaped NUL and line end", "a=%00%0a", "a=%00%0A"},
      {"escaped separators", "a%26b=c%3Dd", "a%26b=c%3Dd"},
      {"slash and colon", "p=/a:b?c", "p=%2Fa%3Ab%3Fc"},
      {"unreserved", "-._~09azAZ=-._~09azAZ", "-._~09azAZ=-._~09azAZ"},
      {"not UTF-8", "a=\xff\xfe", "a=%FF%FE"},
  };
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_request request = plain_request();
    struct sigv4_signed s;
    request.query = cases[i].query;
    expect_status(cases[i].name, SIGV4_OK, sign_headers(keys, &request, &s));
    expect_line(cases[i].name, &s, 2, cases[i].canonical);
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void canonical_path_follows_its_rule(void **state)
{
  (void)state;
  static const struct {
    const char *path;
    enum sigv4_path_rule rule;
    bool normalize;
    const char *canonical;
  } cases[] = {
      {NULL, SIGV4_PATH_GENERAL, true, "/"},
      {"", SIGV4_PATH_GENERAL, true, "/"},
      {"", SIGV4_PATH_GENERAL, false, "/"},
      {"", SIGV4_PATH_S3, false, "/"},
      {"/", SIGV4_PATH_GENERAL, true, "/"},
      {"//", SIGV4_PATH_GENERAL, true, "/"},
      {"/.", SIGV4_PATH_GENERAL, true, "/"},
      {"/..", SIGV4_PATH_GENERAL, true, "/"},
      {"/../", SIGV4_PATH_GENERAL, true, "/"},
      {"/../../a", SIGV4_PATH_GENERAL, true, "/a"},
      {"/a/..", SIGV4_PATH_GENERAL, true, "/"},
      {"/a/b/..", SIGV4_PATH_GENERAL, true, "/a"},
      {"/a/b/../", SIGV4_PATH_GENERAL, true, "/a/"},
      {"/a//b/", SIGV4_PATH_GENERAL, true, "/a/b/"},
      {"/a/./b", SIGV4_PATH_GENERAL, true, "/a/b"},
      {"/.a/..b/...", SIGV4_PATH_GENERAL, true, "/.a/..b/..."},
      {"/a//./../b", SIGV4_PATH_GENERAL, false, "/a//./../b"},
      {"/a b", SIGV4_PATH_GENERAL, true, "/a%20b"},
      {"/a%20b", SIGV4_PATH_GENERAL, true, "/a%2520b"},
      {"/%2e%2e/a", SIGV4_PATH_GENERAL, true, "/%252e%252e/a"},
      {"/\xe6\x97\xa5", SIGV4_PATH_GENERAL, true, "/%E6%97%A5"},
      {"/a:b@c", SIGV4_PATH_GENERAL, true, "/a%3Ab%40c"},
      {"/a//./../b", SIGV4_PATH_S3, true, "/a//./../b"},
      {"/a%20b c", SIGV4_PATH_S3, false, "/a%20b%20c"},
      {"/100%", SIGV4_PATH_S3, false, "/100%25"},
      {"/a%2fb+c", SIGV4_PATH_S3, false, "/a%2fb%2Bc"},
  };
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_request request = plain_request();
    struct sigv4_signed s;
    request.path = cases[i].path;
    request.path_rule = cases[i].rule;
    request.normalize_path = cases[i].normalize;
    expect_status(cases[i].path, SIGV4_OK, sign_headers(keys, &request, &s));
    expect_line(cases[i].path, &s, 1, cases[i].canonical);
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void header_values_are_folded_or_refused(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *value;
    const char *canonical; /* NULL: refused */
  } cases[] = {
      {"plain", "v", "x-note:v"},
      {"empty", "", "x-note:"},
      {"blanks alone", " \t ", "x-note:"},
      {"outer blanks", "  v\t", "x-note:v"},
      {"inner blanks", "a  b\t\tc", "x-note:a b c"},
      {"blanks in quotes", "\"a   b\"", "x-note:\"a b\""},
      {"UTF-8", "gr\xc3\xbc\xc3\x9f", "x-note:gr\xc3\xbc\xc3\x9f"},
      {"fold", "a\n b", "x-note:a b"},
      {"fold with CR LF and tab", "a\r\n\tb", "x-note:a b"},
      {"two folds", "a\n b\n c", "x-note:a b c"},
      {"line end", "a\nb", NULL},
      {"CR LF and a header", "a\r\nX-Evil: 1", NULL},
      {"CR alone", "a\rb", NULL},
      {"CR before a blank", "a\r b", NULL},
      {"line end at the end", "a\n", NULL},
      {"CR LF at the end", "a\r\n", NULL},
      {"CR at the end", "a\r", NULL},
      {"empty line in a fold", "a\n\n b", NULL},
      {"escape", "a\x1b[0m", NULL},
      {"DEL", "a\x7f", NULL},
  };
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < COUNT(cases); i++) {
    const struct sigv4_header headers[] = {host, {"X-Note", cases[i].value}};
    struct sigv4_request request = plain_request();
    struct sigv4_signed s;
    request.headers = headers;
    request.header_count = COUNT(headers);
    enum sigv4_status expected = cases[i].canonical != NULL ? SIGV4_OK : SIGV4_INVALID;
    expect_status(cases[i].name, expected, sign_headers(keys, &request, &s));
    if (cases[i].canonical != NULL)
      expect_line(cases[i].name, &s, 5, cases[i].canonical);
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void bad_header_names_are_refused(void **state)
{
  (void)state;
  static const char *const names[] = {"",     ":authority",    "X Note",  "X-Note:",     "X-Note\n",
                                      "X\tY", "X-N\xc3\xb6te", "X(Note)", "X-Note\r\nY", "X;Y",
                                      "\x7f", "X/Y",           "\"X\""};
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < COUNT(names); i++) {
    const struct sigv4_header headers[] = {host, {names[i], "v"}};
    struct sigv4_request request = plain_request();
    struct sigv4_signed s;
    request.headers = headers;
    request.header_count = COUNT(headers);
    expect_status(names[i], SIGV4_INVALID, sign_headers(keys, &request, &s));
    assert_null(s.block);
  }
  sigv4_keys_free(keys);
}

static void bad_requests_are_refused(void **state)
{
  (void)state;
  static const struct sigv4_header no_host[] = {{"X-Note", "v"}};
  static const struct sigv4_header unsigned_host[] = {{"User-Agent", "v"}};
  static const struct sigv4_header null_name[] = {{NULL, "v"}};
  static const struct sigv4_header null_value[] = {{"Host", NULL}};
  struct sigv4_keys *keys = new_keys();
  struct sigv4_signed s;
  struct sigv4_request r;

#define REFUSED(change)                                                                                                \
  do {                                                                                                                 \
    r = plain_request();                                                                                               \
    change;                                                                                                            \
    expect_status(#change, SIGV4_INVALID, sign_headers(keys, &r, &s));                                                 \
    expect_status(#change, SIGV4_INVALID, sign_query(keys, &r, &s));                                                   \
  } while (0)

  REFUSED(r.method = NULL);
  REFUSED(r.method = "");
  REFUSED(r.method = "GET /");
  REFUSED(r.method = "GET\n");
  REFUSED(r.path = "a");
  REFUSED(r.path = "?a=b");
  REFUSED(r.path = "/a?b");
  REFUSED(r.path = "/a#b");
  REFUSED(r.query = "a=b#c");
  REFUSED(r.header_count = 0);
  REFUSED(r.headers = NULL);
  REFUSED(r.headers = no_host);
  REFUSED(r.headers = unsigned_host);
  REFUSED(r.headers = null_name);
  REFUSED(r.headers = null_value);
  REFUSED(r.body_len = 1);
  REFUSED(r.payload = SIGV4_PAYLOAD_GIVEN);
  REFUSED((r.payload = SIGV4_PAYLOAD_GIVEN, r.payload_hash = ""));
  REFUSED((r.payload = SIGV4_PAYLOAD_GIVEN, r.payload_hash = "a\nb"));
#undef REFUSED

  expect_status("no request", SIGV4_INVALID, sign_headers(keys, NULL, &s));
  r = plain_request();
  expect_status("no keys", SIGV4_INVALID, sign_headers(NULL, &r, &s));
  sigv4_keys_free(keys);
}

static void bad_credentials_and_scopes_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    struct sigv4_credentials credentials;
    const char *region;
    const char *service;
    enum sigv4_status status;
  } cases[] = {
      {"good", {"ID", "s", 1, NULL}, "eu-central-1", "glue", SIGV4_OK},
      {"empty token is none", {"ID", "s", 1, ""}, "eu-central-1", "glue", SIGV4_OK},
      {"no key id", {NULL, "s", 1, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"empty key id", {"", "s", 1, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"slash in the key id", {"I/D", "s", 1, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"line end in the key id", {"ID\r\n", "s", 1, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"comma in the key id", {"ID,", "s", 1, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"no secret", {"ID", NULL, 0, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"empty secret", {"ID", "", 0, NULL}, "eu-central-1", "glue", SIGV4_INVALID},
      {"line end in the token", {"ID", "s", 1, "a\r\nb"}, "eu-central-1", "glue", SIGV4_INVALID},
      {"no region", {"ID", "s", 1, NULL}, NULL, "glue", SIGV4_INVALID},
      {"empty region", {"ID", "s", 1, NULL}, "", "glue", SIGV4_INVALID},
      {"slash in the region", {"ID", "s", 1, NULL}, "eu/central", "glue", SIGV4_INVALID},
      {"no service", {"ID", "s", 1, NULL}, "eu-central-1", NULL, SIGV4_INVALID},
      {"blank in the service", {"ID", "s", 1, NULL}, "eu-central-1", "g lue", SIGV4_INVALID},
  };
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_signed s;
    expect_status(
        cases[i].name, cases[i].status,
        sigv4_sign_headers(keys, &request, &cases[i].credentials, cases[i].region, cases[i].service, evening, &s));
    sigv4_signed_fini(&s);
  }
  struct sigv4_signed s;
  expect_status("no credentials", SIGV4_INVALID, sigv4_sign_headers(keys, &request, NULL, "r", "s", evening, &s));
  sigv4_keys_free(keys);
}

static void times_are_written_in_utc(void **state)
{
  (void)state;
  static const struct {
    int64_t ms;
    const char *text; /* NULL: refused */
  } cases[] = {
      {0, "19700101T000000Z"},
      {999, "19700101T000000Z"},
      {INT64_C(951782399000), "20000228T235959Z"},
      {INT64_C(951782400000), "20000229T000000Z"},
      {INT64_C(951868800000), "20000301T000000Z"},
      {INT64_C(1440938160000), "20150830T123600Z"},
      {INT64_C(1735689599999), "20241231T235959Z"},
      {INT64_C(1796079962123), "20261130T230602Z"},
      {INT64_C(4107542400000), "21000301T000000Z"},
      {INT64_C(253402300799999), "99991231T235959Z"},
      {INT64_C(253402300800000), NULL},
      {-1, NULL},
      {INT64_MIN, NULL},
      {INT64_MAX, NULL},
  };
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  struct sigv4_credentials credentials = plain_credentials();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_signed s;
    enum sigv4_status status = sigv4_sign_headers(keys, &request, &credentials, "r", "s", cases[i].ms, &s);
    expect_status(cases[i].text, cases[i].text != NULL ? SIGV4_OK : SIGV4_INVALID, status);
    if (cases[i].text != NULL) {
      expect_text("header", "X-Amz-Date", s.extra[0].name);
      expect_text("time", cases[i].text, s.extra[0].value);
    }
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void expiry_has_bounds(void **state)
{
  (void)state;
  static const struct {
    unsigned seconds;
    const char *parameter; /* NULL: refused */
  } cases[] = {
      {0, NULL},      {1, "&X-Amz-Expires=1&"}, {86400, "&X-Amz-Expires=86400&"}, {604800, "&X-Amz-Expires=604800&"},
      {604801, NULL}, {UINT32_MAX, NULL}};
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  struct sigv4_credentials credentials = plain_credentials();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_signed s;
    enum sigv4_status status = sigv4_sign_query(keys, &request, &credentials, "r", "s", evening, cases[i].seconds, &s);
    assert_int_equal(cases[i].parameter != NULL ? SIGV4_OK : SIGV4_INVALID, status);
    if (cases[i].parameter != NULL)
      assert_non_null(strstr(s.query, cases[i].parameter));
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void presigned_query_is_fit_for_the_wire(void **state)
{
  (void)state;
  static const struct {
    const char *query;
    const char *sent; /* what comes before our own parameters; NULL: refused */
  } cases[] = {
      {"", ""},
      {"a=b", "a=b&"},
      {"b=2&a=1", "b=2&a=1&"},
      {"flag", "flag&"},
      {"a=b c", "a=b%20c&"},
      {"a=b+c%2B", "a=b+c%2B&"},
      {"a=100%", "a=100%25&"},
      {"a=\xc3\xa4\"<>\r\n", "a=%C3%A4%22%3C%3E%0D%0A&"},
      {"p=/a:b@c?d[]!$'()*,;", "p=/a:b@c?d[]!$'()*,;&"},
      {"X-Amz-Signature=0", NULL},
      {"X-Amz-Date=20261130T230602Z", NULL},
      {"a=b&X-Amz-Expires=1", NULL},
      {"X%2DAmz-Credential=x", NULL},
      {"X-Amz-Security-Token", NULL},
      {"x-amz-date=other+name", "x-amz-date=other+name&"},
  };
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct sigv4_request request = plain_request();
    struct sigv4_signed s;
    request.query = cases[i].query;
    expect_status(cases[i].query, cases[i].sent != NULL ? SIGV4_OK : SIGV4_INVALID, sign_query(keys, &request, &s));
    if (cases[i].sent != NULL) {
      char *own = strstr(s.query, "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=GTUNITKEY01%2F20261130%2F");
      assert_non_null(own);
      *own = '\0';
      expect_text(cases[i].query, cases[i].sent, s.query);
    }
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void session_token_is_sent_signed_or_not(void **state)
{
  (void)state;
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  struct sigv4_credentials credentials = plain_credentials();
  credentials.session_token = "to/ken+==";
  for (int omit = 0; omit < 2; omit++) {
    struct sigv4_signed s;
    request.omit_session_token = omit != 0;
    assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "r", "s", evening, &s));
    assert_int_equal(3, s.extra_count);
    expect_text("name", "X-Amz-Security-Token", s.extra[0].name);
    expect_text("value", "to/ken+==", s.extra[0].value);
    expect_text("signed", omit ? "host;x-amz-date" : "host;x-amz-date;x-amz-security-token", s.signed_headers);
    sigv4_signed_fini(&s);

    assert_int_equal(SIGV4_OK, sigv4_sign_query(keys, &request, &credentials, "r", "s", evening, 60, &s));
    assert_int_equal(0, s.extra_count);
    assert_non_null(strstr(s.query, "&X-Amz-Security-Token=to%2Fken%2B%3D%3D&X-Amz-Signature="));
    assert_int_equal(omit ? 0 : 1, strstr(s.canonical_request, "X-Amz-Security-Token") != NULL);
    sigv4_signed_fini(&s);
  }
  sigv4_keys_free(keys);
}

static void own_headers_take_the_place_of_given_ones(void **state)
{
  (void)state;
  const struct sigv4_header headers[] = {host,
                                         {"x-amz-date", "20010101T000000Z"},
                                         {"X-Amz-Security-Token", "old"},
                                         {"X-AMZ-CONTENT-SHA256", "old"},
                                         {"Authorization", "old"},
                                         {"User-Agent", "gluetop"},
                                         {"X-Amzn-Trace-Id", "Root=1"}};
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  struct sigv4_credentials credentials = plain_credentials();
  struct sigv4_signed again, once;
  request.sign_body_header = true;
  credentials.session_token = "new";
  assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "r", "s", evening, &once));
  request.headers = headers;
  request.header_count = COUNT(headers);
  assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "r", "s", evening, &again));
  expect_text("canonical request", once.canonical_request, again.canonical_request);
  expect_text("signature", once.signature, again.signature);
  assert_int_equal(4, again.extra_count);
  expect_text("last", "Authorization", again.extra[3].name);
  assert_ptr_equal(again.authorization, again.extra[3].value);
  sigv4_signed_fini(&again);
  sigv4_signed_fini(&once);

  /* Without a token of ours, theirs is a header like any other. */
  credentials.session_token = NULL;
  assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "r", "s", evening, &again));
  assert_non_null(strstr(again.canonical_request, "x-amz-security-token:old\n"));
  sigv4_signed_fini(&again);
  sigv4_keys_free(keys);
}

static void very_long_requests_are_signed_or_refused(void **state)
{
  (void)state;
  const size_t megabyte = (size_t)1 << 20;
  struct sigv4_keys *keys = new_keys();
  struct sigv4_signed s;
  char *text = calloc(1, 17 * megabyte);
  assert_non_null(text);

  struct sigv4_request request = plain_request();
  memset(text, '\xff', megabyte);
  request.query = text;
  assert_int_equal(SIGV4_OK, sign_query(keys, &request, &s));
  assert_true(strlen(s.query) > 3 * megabyte);
  sigv4_signed_fini(&s);
  text[0] = '/';
  request.path = text;
  request.query = NULL;
  assert_int_equal(SIGV4_OK, sign_headers(keys, &request, &s));
  sigv4_signed_fini(&s);

  memset(text, 'x', 17 * megabyte - 1);
  request.path = "/";
  request.query = text;
  assert_int_equal(SIGV4_INVALID, sign_headers(keys, &request, &s));
  const struct sigv4_header headers[] = {host, {"X-Note", text}};
  request = plain_request();
  request.headers = headers;
  request.header_count = 2;
  assert_int_equal(SIGV4_INVALID, sign_headers(keys, &request, &s));
  text[0] = '/';
  request = plain_request();
  request.path = text;
  assert_int_equal(SIGV4_INVALID, sign_headers(keys, &request, &s));
  free(text);
  sigv4_keys_free(keys);
}

static void many_headers_and_parameters_are_sorted(void **state)
{
  (void)state;
  enum { many = 3000 };
  static char names[many][12];
  static struct sigv4_header headers[many + 1];
  static char query[many * 8];
  size_t len = 0;
  headers[many] = host;
  for (int i = 0; i < many; i++) {
    int mixed = (i * 7919) % many;
    snprintf(names[i], sizeof names[i], "X-%05d", mixed / 2); /* every name twice */
    headers[i] = (struct sigv4_header){names[i], mixed % 2 ? "odd" : "even"};
    len += (size_t)snprintf(query + len, sizeof query - len, "p%05d&", mixed);
  }
  struct sigv4_keys *keys = new_keys();
  struct sigv4_request request = plain_request();
  struct sigv4_signed s;
  request.headers = headers;
  request.header_count = many + 1;
  request.query = query;
  assert_int_equal(SIGV4_OK, sign_headers(keys, &request, &s));
  /* The values of one name stay in the order of the request. */
  const char *first = NULL;
  for (size_t i = 0; first == NULL; i++)
    first = strcmp(names[i], "X-00017") == 0 ? headers[i].value : NULL;
  expect_line("order", &s, 3 + 1 + 17, strcmp(first, "odd") == 0 ? "x-00017:odd,even" : "x-00017:even,odd");
  const char *at = s.canonical_request;
  for (int i = 0; i < many; i++) {
    char parameter[16];
    snprintf(parameter, sizeof parameter, "p%05d=", i);
    at = strstr(at, parameter);
    assert_non_null(at);
  }
  sigv4_signed_fini(&s);
  sigv4_keys_free(keys);
}

static void helpers_encode_and_hash(void **state)
{
  (void)state;
  char out[64];
  char hex[65];
  assert_int_equal(9, sigv4_uri_encode("a/b c", 5, false, out));
  expect_text("slash encoded", "a%2Fb%20c", out);
  assert_int_equal(7, sigv4_uri_encode("a/b c", 5, true, out));
  expect_text("slash kept", "a/b%20c", out);
  assert_int_equal(0, sigv4_uri_encode("", 0, true, out));
  expect_text("nothing", "", out);
  assert_int_equal(6, sigv4_uri_encode("\0%", 2, true, out));
  expect_text("NUL and percent", "%00%25", out);
  assert_int_equal(SIGV4_OK, sigv4_sha256_hex("abc", 3, hex));
  expect_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", hex);
  assert_int_equal(SIGV4_OK, sigv4_sha256_hex(NULL, 0, hex));
  expect_text("nothing", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", hex);
  for (int status = SIGV4_OK; status <= SIGV4_CRYPTO + 1; status++)
    assert_true(strlen(sigv4_status_text((enum sigv4_status)status)) > 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(canonical_query_sorts_and_encodes),
      cmocka_unit_test(canonical_path_follows_its_rule),
      cmocka_unit_test(header_values_are_folded_or_refused),
      cmocka_unit_test(bad_header_names_are_refused),
      cmocka_unit_test(bad_requests_are_refused),
      cmocka_unit_test(bad_credentials_and_scopes_are_refused),
      cmocka_unit_test(times_are_written_in_utc),
      cmocka_unit_test(expiry_has_bounds),
      cmocka_unit_test(presigned_query_is_fit_for_the_wire),
      cmocka_unit_test(session_token_is_sent_signed_or_not),
      cmocka_unit_test(own_headers_take_the_place_of_given_ones),
      cmocka_unit_test(very_long_requests_are_signed_or_refused),
      cmocka_unit_test(many_headers_and_parameters_are_sorted),
      cmocka_unit_test(helpers_encode_and_hash),
  };
  return cmocka_run_group_tests_name("sigv4", tests, NULL, NULL);
}
