/* gluesim over the wire: who is let in, what each fault does to an answer, what is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include "tests/unit/sim_client.h"

#define NOW INT64_C(1796047380000) /* 2026-11-30T14:03:00Z */

static struct sim *sim;
static struct sim_client client;

static void begin(const char *account, bool control)
{
  struct sim_options o;
  sim_options_init(&o);
  o.now_ms = NOW;
  o.manual_clock = true;
  o.account = account;
  o.control = control;
  struct err e = sim_new(&o, &sim);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
  e = sim_start(sim);
  assert_false(err_is(&e));
  client = sim_client_of(sim);
}

static int setup(void **state)
{
  (void)state;
  begin("demo", true);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  sim_free(sim);
  sim = NULL;
  return 0;
}

static void add_fault(const char *spec)
{
  struct err e = sim_fault_add(sim, spec);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
}

/* The answer's __type, or "" when it is no JSON or has none. */
static void error_type(const struct sim_answer *a, char out[64])
{
  struct cJSON *tree = NULL;
  out[0] = '\0';
  struct err e = json_parse(a->body, a->body_len, &tree);
  if (!err_is(&e) && json_str(tree, "__type") != NULL)
    snprintf(out, 64, "%s", json_str(tree, "__type"));
  err_fini(&e);
  json_free(tree);
}

static void expect(struct sim_answer a, int status, const char *type)
{
  char got[64], header[128] = "";
  assert_int_equal(a.status, status);
  error_type(&a, got);
  assert_string_equal(got, type);
  assert_true(sim_answer_header(&a, "x-amzn-RequestId", header, sizeof header));
  assert_int_equal(strlen(header), 36);
  if (type[0] != '\0') {
    assert_true(sim_answer_header(&a, "x-amzn-ErrorType", header, sizeof header));
    assert_string_equal(header, type);
  }
  sim_answer_fini(&a);
}

static void the_door(void **state)
{
  (void)state;
  struct sim_client c = client;
  expect(sim_client_call(&c, "ListJobs", "{}"), 200, "");
  expect(sim_client_raw(c.port, "POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: AWSGlue.ListJobs\r\nContent-Length: "
                                "2\r\nConnection: close\r\n\r\n{}"),
         400, "MissingAuthenticationTokenException");
  c.secret = "wrong";
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "InvalidSignatureException");
  c = client;
  c.access_key = "AKIASTRANGER00000001";
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "UnrecognizedClientException");
  c = client;
  c.token = "surplus";
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "UnrecognizedClientException");
  c = client;
  c.region = "us-east-1";
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "InvalidSignatureException");
  c = client;
  c.service = "sts";
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "InvalidSignatureException");
  c = client;
  c.now_ms -= 6 * WHEN_MINUTE;
  expect(sim_client_call(&c, "ListJobs", "{}"), 400, "InvalidSignatureException");
  expect(sim_client_call(&client, "MakeCoffee", "{}"), 400, "UnknownOperationException");
  expect(sim_client_call(&client, "Tea.MakeTea", "{}"), 400, "UnknownOperationException");
  expect(sim_client_call(&client, "ListJobs", "[1"), 400, "SerializationException");
  struct sim_count n = sim_count(sim, "ListJobs");
  assert_int_equal(n.arrived, 9);
  assert_int_equal(n.unsigned_, 7);
  assert_int_equal(n.done, 1);
  assert_int_equal(n.failed, 1);
}

static void sts_speaks_xml(void **state)
{
  (void)state;
  struct sim_client c = client;
  char type[64];
  c.service = "sts";
  c.content_type = "application/x-www-form-urlencoded; charset=utf-8";
  struct sim_answer a = sim_client_call(&c, NULL, "Action=GetCallerIdentity&Version=2011-06-15");
  assert_int_equal(a.status, 200);
  assert_true(sim_answer_header(&a, "Content-Type", type, sizeof type));
  assert_string_equal(type, "text/xml");
  assert_non_null(strstr(a.body, "<Account>441290129012</Account>"));
  sim_answer_fini(&a);
  c.secret = "wrong";
  a = sim_client_call(&c, NULL, "Action=GetCallerIdentity&Version=2011-06-15");
  assert_int_equal(a.status, 403);
  assert_non_null(strstr(a.body, "<Code>SignatureDoesNotMatch</Code>"));
  sim_answer_fini(&a);
}

static void date_is_the_test_clock(void **state)
{
  (void)state;
  char date[64];
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  assert_true(sim_answer_header(&a, "Date", date, sizeof date));
  assert_string_equal(date, "Mon, 30 Nov 2026 14:03:00 GMT");
  sim_answer_fini(&a);
}

/* Two servers alike answer alike, byte for byte. */
static void same_inputs_same_bytes(void **state)
{
  (void)state;
  struct sim_answer one = sim_client_call(&client, "GetJobRuns", "{\"JobName\":\"orders-silver\",\"MaxResults\":200}");
  sim_free(sim);
  begin("demo", true);
  struct sim_answer two = sim_client_call(&client, "GetJobRuns", "{\"JobName\":\"orders-silver\",\"MaxResults\":200}");
  assert_int_equal(one.status, 200);
  assert_int_equal(one.bytes.len, two.bytes.len);
  assert_memory_equal(one.bytes.data, two.bytes.data, one.bytes.len);
  sim_answer_fini(&one);
  sim_answer_fini(&two);
}

static const struct {
  const char *spec;
  int status;
  const char *type;
} plain_faults[] = {
    {"ListJobs:throttle", 400, "ThrottlingException"},
    {"*:500", 500, "InternalServiceException"},
    {"ListJobs:denied", 400, "AccessDeniedException"},
    {"*:expired", 400, "ExpiredTokenException"},
    {"ListJobs:retry-after=7", 503, "ServiceUnavailableException"},
    {"ListJobs:skew=3600", 400, "InvalidSignatureException"},
    {"GetJobs:500", 200, ""},
    {"ListJobs:500,after=1", 200, ""},
    {"ListJobs:500,count=0", 200, ""},
    {"ListJobs:500,rate=0", 200, ""},
};

static void errors_on_request(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof plain_faults / sizeof plain_faults[0]; i++) {
    sim_faults_clear(sim);
    add_fault(plain_faults[i].spec);
    expect(sim_client_call(&client, "ListJobs", "{}"), plain_faults[i].status, plain_faults[i].type);
  }
}

static void faults_that_make_no_sense(void **state)
{
  (void)state;
  static const char *const specs[] = {
      "",          "ListJobs",         "ListJobs:",        ":500",           "ListJobs:boom",
      "*:latency", "*:latency=slowly", "*:500,rate=2",     "*:500,count=-1", "*:500,sometimes",
      "*:skew",    "*:throttle=a:b",   "*:throttle=1:two", "*:500,"};
  for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
    struct err e = sim_fault_add(sim, specs[i]);
    if (!err_is(&e))
      fail_msg("taken: %s", specs[i]);
    assert_int_equal(e.kind, ERR_USAGE);
    err_fini(&e);
  }
}

static void bucket_fills_with_time(void **state)
{
  (void)state;
  add_fault("ListJobs:throttle=2:3");
  for (int i = 0; i < 3; i++)
    expect(sim_client_call(&client, "ListJobs", "{}"), 200, "");
  expect(sim_client_call(&client, "ListJobs", "{}"), 400, "ThrottlingException");
  sim_advance(sim, 500);
  client.now_ms = sim_now(sim);
  expect(sim_client_call(&client, "ListJobs", "{}"), 200, "");
  expect(sim_client_call(&client, "ListJobs", "{}"), 400, "ThrottlingException");
}

static void retry_after_is_a_header(void **state)
{
  (void)state;
  char value[32];
  add_fault("ListJobs:retry-after=7");
  add_fault("ListJobs:throttle");
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  assert_int_equal(a.status, 400);
  assert_true(sim_answer_header(&a, "Retry-After", value, sizeof value));
  assert_string_equal(value, "7");
  sim_answer_fini(&a);
}

static void reset_does_nothing_reset_after_does(void **state)
{
  (void)state;
  const char *body = "{\"JobName\":\"promo-planner\"}";
  add_fault("StartJobRun:reset");
  struct sim_answer a = sim_client_call(&client, "StartJobRun", body);
  assert_int_equal(a.status, 0);
  assert_true(a.reset);
  sim_answer_fini(&a);
  assert_int_equal(sim_count(sim, "StartJobRun").done, 0);
  sim_faults_clear(sim);
  add_fault("StartJobRun:reset-after");
  a = sim_client_call(&client, "StartJobRun", body);
  assert_int_equal(a.status, 0);
  assert_false(a.silent);
  sim_answer_fini(&a);
  assert_int_equal(sim_count(sim, "StartJobRun").arrived, 2);
  assert_int_equal(sim_count(sim, "StartJobRun").done, 1);
  a = sim_client_call(&client, "GetJobRuns", body);
  assert_non_null(strstr(a.body, "STARTING"));
  sim_answer_fini(&a);
}

static void truncated_body(void **state)
{
  (void)state;
  add_fault("ListJobs:truncate");
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  assert_int_equal(a.status, 200);
  assert_true(a.cut);
  assert_true(a.body_len > 0);
  sim_answer_fini(&a);
}

static void garbage_and_html(void **state)
{
  (void)state;
  char type[64];
  add_fault("ListJobs:garbage,count=1");
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  struct cJSON *tree = NULL;
  assert_int_equal(a.status, 200);
  struct err e = json_parse(a.body, a.body_len, &tree);
  assert_true(err_is(&e));
  err_fini(&e);
  sim_answer_fini(&a);
  add_fault("ListJobs:503html,count=1");
  a = sim_client_call(&client, "ListJobs", "{}");
  assert_int_equal(a.status, 503);
  assert_true(sim_answer_header(&a, "Content-Type", type, sizeof type));
  assert_string_equal(type, "text/html");
  sim_answer_fini(&a);
  expect(sim_client_call(&client, "ListJobs", "{}"), 200, "");
}

static void gzip_is_announced(void **state)
{
  (void)state;
  char encoding[32];
  add_fault("ListJobs:gzip");
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  assert_true(sim_answer_header(&a, "Content-Encoding", encoding, sizeof encoding));
  assert_string_equal(encoding, "gzip");
  assert_true(a.body_len > 18 && (unsigned char)a.body[0] == 0x1f && (unsigned char)a.body[1] == 0x8b);
  /* One stored block: the text stands in it as it is. */
  assert_memory_equal(a.body + 15, "{\"JobNames\"", 11);
  sim_answer_fini(&a);
}

static void huge_is_huge(void **state)
{
  (void)state;
  add_fault("ListJobs:huge=3");
  struct sim_answer a = sim_client_call(&client, "ListJobs", "{}");
  assert_true(a.body_len >= (size_t)3 << 20);
  sim_answer_fini(&a);
}

/* Under the test clock an answer waits for the clock, not for time: nothing before, all after. */
static void latency_follows_the_clock(void **state)
{
  (void)state;
  struct sim_answer a = {0};
  struct buf request;
  buf_init(&request, 65536);
  buf_init(&a.bytes, 1 << 20);
  add_fault("ListJobs:latency=250");
  sim_client_build(&client, "ListJobs", "{}", &request);
  int fd = sim_client_connect(client.port);
  sim_client_send(fd, &request);
  /* It has arrived when it is counted; an answer to another request proves that the server went on meanwhile. */
  while (sim_count(sim, "ListJobs").arrived == 0)
    expect(sim_client_call(&client, "ListTriggers", "{}"), 200, "");
  struct pollfd p = {.fd = fd, .events = POLLIN};
  assert_int_equal(poll(&p, 1, 0), 0);
  sim_advance(sim, 249);
  expect(sim_client_call(&client, "ListTriggers", "{}"), 200, "");
  assert_int_equal(poll(&p, 1, 0), 0);
  sim_advance(sim, 1);
  sim_client_read(fd, 10000, &a);
  assert_int_equal(a.status, 200);
  close(fd);
  sim_answer_fini(&a);
  buf_fini(&request);
}

static void drip_gives_byte_after_byte(void **state)
{
  (void)state;
  struct sim_answer a = {0};
  struct buf request;
  buf_init(&request, 65536);
  buf_init(&a.bytes, 1 << 20);
  add_fault("GetJobBookmark:drip=10");
  sim_client_build(&client, "GetJobBookmark", "{\"JobName\":\"nobody\"}", &request);
  int fd = sim_client_connect(client.port);
  sim_client_send(fd, &request);
  while (sim_count(sim, "GetJobBookmark").arrived == 0)
    expect(sim_client_call(&client, "ListTriggers", "{}"), 200, "");
  for (int i = 0; i < 200; i++) {
    sim_advance(sim, 10);
    expect(sim_client_call(&client, "ListTriggers", "{\"MaxResults\":1}"), 200, "");
    client.now_ms = sim_now(sim);
  }
  sim_client_read(fd, 10000, &a);
  assert_int_equal(a.status, 400);
  assert_false(a.cut);
  close(fd);
  sim_answer_fini(&a);
  buf_fini(&request);
}

/* A hanging request neither blocks the others nor the end of the server (which teardown proves). */
static void hang_holds_one_alone(void **state)
{
  (void)state;
  add_fault("ListJobs:hang");
  struct sim_answer a = sim_client_call_for(&client, "ListJobs", "{}", 50);
  assert_true(a.silent);
  assert_int_equal(a.status, 0);
  sim_answer_fini(&a);
  expect(sim_client_call(&client, "ListTriggers", "{}"), 200, "");
}

static void body_has_a_limit(void **state)
{
  (void)state;
  struct buf body;
  buf_init(&body, (size_t)8 << 20);
  buf_adds(&body, "{\"JobName\":\"");
  for (int i = 0; i < 100000; i++)
    buf_adds(&body, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  buf_adds(&body, "\"}");
  struct sim_answer a = sim_client_call(&client, "GetJob", body.data);
  assert_int_equal(a.status, 413);
  sim_answer_fini(&a);
  buf_fini(&body);
}

static void control_door(void **state)
{
  (void)state;
  int port = client.port;
  struct sim_answer a = sim_client_raw(
      port, "POST /_sim/faults HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nConnection: close\r\n\r\nListJobs:500");
  assert_int_equal(a.status, 204);
  sim_answer_fini(&a);
  expect(sim_client_call(&client, "ListJobs", "{}"), 500, "InternalServiceException");
  a = sim_client_raw(port,
                     "POST /_sim/faults HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad");
  assert_int_equal(a.status, 400);
  sim_answer_fini(&a);
  a = sim_client_raw(port, "DELETE /_sim/faults HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert_int_equal(a.status, 204);
  sim_answer_fini(&a);
  expect(sim_client_call(&client, "ListJobs", "{}"), 200, "");
  a = sim_client_raw(port, "GET /_sim/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert_int_equal(a.status, 200);
  assert_non_null(strstr(a.body, "\"ListJobs\":{\"arrived\":2"));
  sim_answer_fini(&a);
  sim_free(sim);
  begin("empty", false);
  expect(sim_client_raw(client.port, "GET /_sim/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), 400,
         "MissingAuthenticationTokenException");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(the_door),
      CASE(sts_speaks_xml),
      CASE(date_is_the_test_clock),
      CASE(same_inputs_same_bytes),
      CASE(errors_on_request),
      CASE(faults_that_make_no_sense),
      CASE(bucket_fills_with_time),
      CASE(retry_after_is_a_header),
      CASE(reset_does_nothing_reset_after_does),
      CASE(truncated_body),
      CASE(garbage_and_html),
      CASE(gzip_is_announced),
      CASE(huge_is_huge),
      CASE(latency_follows_the_clock),
      CASE(drip_gives_byte_after_byte),
      CASE(hang_holds_one_alone),
      CASE(body_has_a_limit),
      CASE(control_door),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
