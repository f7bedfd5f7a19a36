/* What the transport makes of everything that a server or the way to it can do, read by read and write by write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "tests/faults/fixture.h"

#define THROTTLED                                                                                                      \
  {                                                                                                                    \
    STEP_ANSWER, 400, NULL, "{\"__type\":\"ThrottlingException\",\"message\":\"Rate exceeded\"}", 0, 0                 \
  }
#define PAGE_503                                                                                                       \
  {                                                                                                                    \
    STEP_ANSWER, 503, "Content-Type: text/html\r\n",                                                                   \
        "<!DOCTYPE html><html><head><title>503 Service Unavailable</title></head><body>no</body></html>", 0, 0         \
  }
#define WELL                                                                                                           \
  {                                                                                                                    \
    STEP_ANSWER, 200, NULL, "{\"JobRuns\":[]}", 0, 0                                                                   \
  }
#define ANY      (-1)
#define READ     TRANSPORT_READS
#define WRITE    TRANSPORT_CHANGES
#define STEPS(n) {.kind = STEP_ANSWER}, n

/* An answer that unpacks to 20 MB of one letter, and one that unpacks to "{}": see gzip_make. */
static struct {
  char bytes[20000];
  size_t len;
} gzip_bomb, gzip_good;

struct fault {
  const char *name;
  enum transport_change change;
  struct step steps[8];
  enum err_kind kind;
  int tries;           /* ANY: not looked at */
  int arrivals;        /* requests that reached the server */
  const char *code;    /* or NULL */
  const char *says;    /* in the message; or NULL */
  const char *hint;    /* in the hint; or NULL */
  int64_t took_min_ms; /* of waiting between tries */
  int64_t took_max_ms; /* 0: not looked at */
  int garbled;
  int max_tries;
  int64_t on_hang_ms;
};

static const struct fault faults[] = {
    {"a page", READ, {WELL}, ERR_OK, 1, 1, NULL, NULL, NULL, 0, 0, 0, 0, 0},
    {"throttled twice", READ, {THROTTLED, THROTTLED, WELL}, ERR_OK, 3, 3, NULL, NULL, NULL, 0, 3001, 0, 0, 0},
    {"throttled for ever",
     READ,
     {THROTTLED, THROTTLED, THROTTLED, THROTTLED, THROTTLED, THROTTLED, THROTTLED},
     ERR_THROTTLED,
     ANY,
     ANY,
     "ThrottlingException",
     "Rate exceeded",
     "slowly",
     0,
     30000,
     0,
     0,
     0},
    {"429 without a word",
     READ,
     {{STEP_ANSWER, 429, NULL, "", 0, 0}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     0,
     0,
     0,
     0,
     0},
    {"a web page for an error", READ, {PAGE_503, WELL}, ERR_OK, 2, 2, NULL, NULL, NULL, 0, 0, 0, 0, 0},
    {"web pages for ever",
     READ,
     {PAGE_503, PAGE_503, PAGE_503, PAGE_503, PAGE_503, PAGE_503},
     ERR_SERVER,
     6,
     6,
     NULL,
     "503 Service Unavailable",
     NULL,
     0,
     30000,
     0,
     0,
     0},
    {"500, modelled",
     READ,
     {{STEP_ANSWER, 500, NULL, "{\"__type\":\"InternalServiceException\",\"Message\":\"oops\"}", 0, 0}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     0,
     0,
     0,
     0,
     0},
    {"Retry-After in seconds",
     READ,
     {{STEP_ANSWER, 503, "Retry-After: 3\r\n", "x", 0, 0}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     3000,
     3501,
     0,
     0,
     0},
    {"Retry-After as a date",
     READ,
     {{STEP_ANSWER, 503, "Date: Mon, 21 Sep 2026 14:00:00 GMT\r\nRetry-After: Mon, 21 Sep 2026 14:00:07 GMT\r\n", "x",
       0, 0},
      WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     7000,
     7501,
     0,
     0,
     0},
    {"Retry-After nonsense",
     READ,
     {{STEP_ANSWER, 503, "Retry-After: soon\r\n", "x", 0, 0}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     0,
     251,
     0,
     0,
     0},
    {"x-amz-retry-after in ms",
     READ,
     {{STEP_ANSWER, 400, "x-amz-retry-after: 1500\r\nRetry-After: 9\r\n", "{\"__type\":\"ThrottlingException\"}", 0, 0},
      WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     1500,
     2001,
     0,
     0,
     0},
    {"Retry-After of an hour",
     READ,
     {{STEP_ANSWER, 503, "Retry-After: 3600\r\n", "x", 0, 0}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     20000,
     20501,
     0,
     0,
     0},
    {"two long wishes pass the span",
     READ,
     {{STEP_ANSWER, 503, "Retry-After: 18\r\n", "x", 0, 0}, {STEP_ANSWER, 503, "Retry-After: 18\r\n", "x", 0, 0}, WELL},
     ERR_SERVER,
     2,
     2,
     NULL,
     NULL,
     NULL,
     18000,
     18501,
     0,
     0,
     0},
    {"denied",
     READ,
     {{STEP_ANSWER, 400, "x-amzn-RequestId: 11-22\r\n",
       "{\"__type\":\"AccessDeniedException\",\"Message\":\"User: arn:aws:iam::1:user/a is not authorized to perform: "
       "glue:GetJobRuns on resource: arn:aws:glue:eu-west-1:1:job/orders\"}",
       0, 0}},
     ERR_DENIED,
     1,
     1,
     "AccessDeniedException",
     "not authorized",
     "glue:GetJobRuns",
     0,
     1,
     0,
     0,
     0},
    {"reset", READ, {{.kind = STEP_RESET}, WELL}, ERR_OK, 2, 2, NULL, NULL, NULL, 0, 0, 0, 0, 0},
    {"closed unanswered", READ, {{.kind = STEP_CLOSE}, WELL}, ERR_OK, 2, 2, NULL, NULL, NULL, 0, 0, 0, 0, 0},
    {"cut in the head",
     READ,
     {{STEP_CUT, 200, NULL, NULL, 0, 20}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     0,
     0,
     0,
     0,
     0},
    {"cut in the body",
     READ,
     {{STEP_CUT, 200, NULL, "{\"JobRuns\":[]}", 0, 56}, WELL},
     ERR_OK,
     2,
     2,
     NULL,
     NULL,
     NULL,
     0,
     0,
     0,
     0,
     0},
    {"cut for ever",
     READ,
     {{STEP_CUT, 200, NULL, "{\"JobRuns\":[]}", 0, 56}},
     ERR_NETWORK,
     1,
     1,
     NULL,
     "broke off",
     NULL,
     0,
     1,
     0,
     1,
     0},
    {"no HTTP",
     READ,
     {{STEP_RAW, 0, NULL, "SSH-2.0-dropbear\r\n", 0, 0},
      {STEP_RAW, 0, NULL, "\1\2\3\4\r\n\r\n", 0, 0},
      {STEP_RAW, 0, NULL, "220 mail\r\n", 0, 0}},
     ERR_PARSE,
     3,
     3,
     NULL,
     "cannot be read",
     "AWS service",
     0,
     0,
     0,
     3,
     0},
    {"a garbled page", READ, {WELL, WELL}, ERR_OK, 2, 2, NULL, NULL, NULL, 0, 0, 1, 0, 0},
    {"garbled pages for ever",
     READ,
     {WELL, WELL, WELL, WELL, WELL, WELL, WELL},
     ERR_PARSE,
     6,
     6,
     NULL,
     "garbled",
     "proxy",
     0,
     30000,
     9,
     0,
     0},
    {"a redirect is not followed",
     READ,
     {{STEP_ANSWER, 302, "Location: http://127.0.0.1:1/\r\n", "", 0, 0}},
     ERR_PARSE,
     1,
     1,
     NULL,
     "302",
     "proxy",
     0,
     0,
     0,
     1,
     0},
    {"a proxy's word",
     READ,
     {{STEP_ANSWER, 407, NULL, "", 0, 0}},
     ERR_CONFIG,
     1,
     1,
     NULL,
     "407",
     "proxy",
     0,
     0,
     0,
     0,
     0},
    {"404 is no missing job",
     READ,
     {{STEP_ANSWER, 404, NULL, "<html>nginx</html>", 0, 0}},
     ERR_CONFIG,
     1,
     1,
     NULL,
     "404",
     "address",
     0,
     0,
     0,
     0,
     0},
    {"it hangs",
     READ,
     {{.kind = STEP_HANG}},
     ERR_TIMEOUT,
     1,
     1,
     NULL,
     "sent nothing for 3m20s",
     NULL,
     0,
     0,
     0,
     0,
     FIXTURE_STALL_MS},
    {"it hangs once",
     READ,
     {{.kind = STEP_HANG}, WELL},
     ERR_TIMEOUT,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     0,
     0,
     0,
     FIXTURE_STALL_MS},
    {"it hangs in the body",
     READ,
     {{STEP_CUT_HANG, 200, NULL, "{\"JobRuns\":[]}", 0, 56}},
     ERR_TIMEOUT,
     1,
     1,
     NULL,
     "sent nothing",
     NULL,
     0,
     0,
     0,
     0,
     FIXTURE_STALL_MS},

    {"a start",
     WRITE,
     {{STEP_ANSWER, 200, NULL, "{\"JobRunId\":\"jr_1\"}", 0, 0}},
     ERR_OK,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: closed unanswered",
     WRITE,
     {{.kind = STEP_CLOSE}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     "not known",
     "before doing",
     0,
     1,
     0,
     0,
     0},
    {"start: reset", WRITE, {{.kind = STEP_RESET}, WELL}, ERR_UNCERTAIN, 1, 1, NULL, "not known", NULL, 0, 1, 0, 0, 0},
    {"start: cut in the body",
     WRITE,
     {{STEP_CUT, 200, NULL, "{\"JobRunId\":\"jr_1\"}", 0, 60}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: hang",
     WRITE,
     {{.kind = STEP_HANG}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     "sent nothing",
     NULL,
     0,
     0,
     0,
     0,
     FIXTURE_STALL_MS},
    {"start: 500",
     WRITE,
     {{STEP_ANSWER, 500, NULL, "{\"__type\":\"InternalServiceException\"}", 0, 0}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     "InternalServiceException",
     "not known",
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: web page",
     WRITE,
     {PAGE_503, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     "503 Service Unavailable",
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: Retry-After tempts nobody",
     WRITE,
     {{STEP_ANSWER, 503, "Retry-After: 1\r\n", "", 0, 0}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: throttled",
     WRITE,
     {THROTTLED, WELL},
     ERR_THROTTLED,
     1,
     1,
     "ThrottlingException",
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: no HTTP",
     WRITE,
     {{STEP_RAW, 0, NULL, "220 mail\r\n", 0, 0}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: unreadable answer", WRITE, {WELL, WELL}, ERR_UNCERTAIN, 1, 1, NULL, "garbled", NULL, 0, 1, 1, 0, 0},
    {"start: redirect",
     WRITE,
     {{STEP_ANSWER, 307, "Location: /\r\n", "", 0, 0}, WELL},
     ERR_UNCERTAIN,
     1,
     1,
     NULL,
     NULL,
     NULL,
     0,
     1,
     0,
     0,
     0},
    {"start: in the way",
     WRITE,
     {{STEP_ANSWER, 400, NULL,
       "{\"__type\":\"ConcurrentRunsExceededException\",\"Message\":\"Concurrent runs exceeded for orders\"}", 0, 0},
      WELL},
     ERR_CONFLICT,
     1,
     1,
     "ConcurrentRunsExceededException",
     "Concurrent runs exceeded",
     "MaxConcurrentRuns",
     0,
     1,
     0,
     0,
     0},
    {"start: not offered",
     WRITE,
     {{STEP_ANSWER, 501, NULL, "{\"__type\":\"InternalFailure\"}", 0, 0}, WELL},
     ERR_USAGE,
     1,
     1,
     "InternalFailure",
     NULL,
     "does not offer",
     0,
     1,
     0,
     0,
     0},
};

static void test_fault(void **state)
{
  const struct fault *c = *state;
  size_t count = 0;
  while (count < 8 && (c->steps[count].kind != STEP_ANSWER || c->steps[count].status != 0))
    count++;
  struct fixture *f = fixture_new(c->steps, count, 0);
  f->garbled = c->garbled;
  f->on_hang_ms = c->on_hang_ms;
  struct transport_request r = fixture_request(f, c->change);
  r.max_tries = c->max_tries;
  int64_t began = f->clock.manual_mono_ms;
  struct outcome *o = fixture_run(f, &r);
  int64_t took = f->clock.manual_mono_ms - began;
  if (o->kind != c->kind)
    fail_msg("%s: %s and not %s: %s", c->name, err_kind_name(o->kind), err_kind_name(c->kind), o->message);
  if (c->tries != ANY)
    assert_int_equal(o->tries, c->tries);
  if (c->arrivals != ANY)
    assert_int_equal(server_request_count(f->server), c->arrivals);
  if (c->code != NULL)
    assert_string_equal(o->code, c->code);
  if (c->says != NULL && strstr(o->message, c->says) == NULL)
    fail_msg("%s: message is \"%s\"", c->name, o->message);
  if (c->hint != NULL && strstr(o->hint, c->hint) == NULL)
    fail_msg("%s: hint is \"%s\"", c->name, o->hint);
  if (took < c->took_min_ms || (c->took_max_ms > 0 && took > c->took_max_ms))
    fail_msg("%s: waited %lld ms", c->name, (long long)took);
  if (o->kind != ERR_OK)
    assert_string_equal(o->what, r.what);
  /* Nothing of the login may be in what a person or a log sees. */
  assert_null(strstr(o->message, "AKID"));
  assert_null(strstr(o->message, "Signature"));
  assert_int_equal(o->calls, 1);
  assert_int_equal(transport_in_flight(f->t), 0);
  fixture_free(f);
}

/* --- sizes ------------------------------------------------------------------------------------------------------------------ */

struct bits {
  char *out;
  size_t len;
  unsigned held;
  int count;
};

static void bits_put(struct bits *b, unsigned value, int count)
{
  for (int i = 0; i < count; i++) {
    b->held |= (value >> i & 1) << b->count;
    if (++b->count == 8) {
      b->out[b->len++] = (char)b->held;
      b->held = 0;
      b->count = 0;
    }
  }
}

/* A Huffman code goes most significant bit first. */
static void bits_code(struct bits *b, unsigned code, int count)
{
  for (int i = count - 1; i >= 0; i--)
    bits_put(b, code >> i & 1, 1);
}

static unsigned long crc_of(const char *data, size_t len)
{
  unsigned long crc = 0xffffffffUL;
  for (size_t i = 0; i < len; i++) {
    crc ^= (unsigned char)data[i];
    for (int k = 0; k < 8; k++)
      crc = (crc & 1) != 0 ? (crc >> 1 ^ 0xedb88320UL) : crc >> 1;
  }
  return crc ^ 0xffffffffUL;
}

/* gzip of `text` in one block of the fixed code, then `repeats` times 258 more of its last letter; only without repeats is the check
 * sum right. */
static size_t gzip_make(char *out, const char *text, unsigned repeats)
{
  static const char head[10] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  memcpy(out, head, sizeof head);
  struct bits b = {.out = out, .len = sizeof head};
  size_t text_len = strlen(text);
  bits_put(&b, 1, 1);
  bits_put(&b, 1, 2);
  for (size_t i = 0; i < text_len; i++)
    bits_code(&b, 0x30 + (unsigned char)text[i], 8);
  for (unsigned i = 0; i < repeats; i++) {
    bits_code(&b, 0xc5, 8); /* length 258 */
    bits_code(&b, 0, 5);    /* distance 1 */
  }
  bits_code(&b, 0, 7);
  while (b.count != 0)
    bits_put(&b, 0, 1);
  unsigned long tail[2] = {crc_of(text, text_len), text_len + 258UL * repeats};
  for (int i = 0; i < 8; i++)
    out[b.len++] = (char)(tail[i / 4] >> 8 * (i % 4) & 0xff);
  return b.len;
}

static void test_gzip(void **state)
{
  (void)state;
  gzip_good.len = gzip_make(gzip_good.bytes, "{\"JobRuns\":[]}", 0);
  struct step steps[] = {{STEP_ANSWER, 200, "Content-Encoding: gzip\r\n", gzip_good.bytes, gzip_good.len, 0},
                         {STEP_ANSWER, 200, "Content-Encoding: gzip\r\n", "no gzip at all", 0, 0},
                         {STEP_ANSWER, 200, "Content-Encoding: gzip\r\n", gzip_good.bytes, gzip_good.len, 0}};
  struct fixture *f = fixture_new(steps, 3, 0);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_OK);
  assert_string_equal(o->body, "{\"JobRuns\":[]}");
  assert_non_null(strstr(server_request(f->server, 0, NULL), "\r\nAccept-Encoding: gzip\r\n"));
  o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_OK);
  assert_int_equal(o->tries, 2);
  fixture_free(f);
}

static void test_too_big(void **state)
{
  (void)state;
  static char large[3000];
  memset(large, 'x', sizeof large - 1);
  gzip_bomb.len = gzip_make(gzip_bomb.bytes, "{\"a\":\"xxxxxxxxxxxxxxxxx", 10000);
  const struct {
    const char *name;
    struct step step;
  } cases[] = {{"by its length", {STEP_ANSWER, 200, NULL, large, 0, 0}},
               {"without a length, without an end", {.kind = STEP_ENDLESS}},
               {"unpacked", {STEP_ANSWER, 200, "Content-Encoding: gzip\r\n", gzip_bomb.bytes, gzip_bomb.len, 0}},
               {"an error's body", {STEP_ANSWER, 400, NULL, large, 0, 0}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int change = 0; change < 2; change++) {
      size_t max = i == 2 ? 100000 : 2000;
      struct fixture *f = fixture_new(&cases[i].step, 1, max);
      struct transport_request r = fixture_request(f, change ? TRANSPORT_CHANGES : TRANSPORT_READS);
      struct outcome *o = fixture_run(f, &r);
      enum err_kind kind = change ? ERR_UNCERTAIN : ERR_TOO_BIG;
      if (o->kind != kind || o->tries != 1 || o->body_len != 0)
        fail_msg("%s: %s after %d tries: %s", cases[i].name, err_kind_name(o->kind), o->tries, o->message);
      assert_non_null(strstr(o->message, "larger than"));
      fixture_free(f);
    }
  }
}

static void test_request_too_big(void **state)
{
  (void)state;
  struct fixture *f = fixture_new(NULL, 0, 0);
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  r.body_len = (size_t)9 * 1024 * 1024;
  char *body = calloc(1, r.body_len);
  r.body = body;
  struct outcome *o = fixture_run(f, &r);
  free(body);
  assert_int_equal(o->kind, ERR_TOO_BIG);
  assert_int_equal(o->tries, 0);
  assert_int_equal(server_connections(f->server), 0);
  fixture_free(f);
}

/* A byte now and then keeps a stall away, but not the end of all patience. */
static void test_drip(void **state)
{
  (void)state;
  struct step step = {STEP_CUT_HANG, 200, NULL, "{\"JobRuns\":[                                       ]}", 0, 60};
  struct fixture *f = fixture_new(&step, 1, 0);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  fixture_send(f, &r);
  f->on_hang_ms = 0;
  int drips = 0;
  int64_t began = f->clock.manual_mono_ms;
  while (server_request_count(f->server) == 0) {
    transport_turn(f->t);
    struct err e = transport_wait(f->t, NULL, 0, 1000);
    assert_false(err_is(&e));
  }
  while (f->out.calls == 0) {
    assert_true(drips < 10);
    uint64_t before = transport_stats(f->t).requests;
    assert_int_equal(before, 1);
    clock_advance(&f->clock, FIXTURE_STALL_MS - 1000);
    server_poke(f->server);
    drips++;
    struct err e = transport_wait(f->t, NULL, 0, 60000); /* returns with the byte */
    assert_false(err_is(&e));
    transport_turn(f->t);
  }
  assert_int_equal(f->out.kind, ERR_TIMEOUT);
  assert_non_null(strstr(f->out.message, "no whole answer"));
  assert_true(f->clock.manual_mono_ms - began >= FIXTURE_TOTAL_MS);
  assert_true(drips >= 3);
  fixture_free(f);
}

int main(void)
{
  alarm(120); /* a driver that waits for what never comes must not hold up the other tests */
  enum { FAULTS = sizeof faults / sizeof faults[0] };
  static const struct CMUnitTest others[] = {cmocka_unit_test(test_gzip), cmocka_unit_test(test_too_big),
                                             cmocka_unit_test(test_request_too_big), cmocka_unit_test(test_drip)};
  enum { OTHERS = sizeof others / sizeof others[0] };
  struct CMUnitTest tests[FAULTS + OTHERS] = {{0}};
  for (size_t i = 0; i < FAULTS; i++)
    tests[i] = (struct CMUnitTest){
        .name = faults[i].name, .test_func = test_fault, .initial_state = (void *)(uintptr_t)&faults[i]};
  memcpy(tests + FAULTS, others, sizeof others);
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
