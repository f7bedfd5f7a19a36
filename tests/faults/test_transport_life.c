/* Connections, cancelling, quitting, proxies, and what really goes over the wire. */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/xalloc.h"
#include "sigv4/sigv4.h"
#include "tests/faults/fixture.h"

#define WELL                                                                                                           \
  {                                                                                                                    \
    STEP_ANSWER, 200, NULL, "{}", 0, 0                                                                                 \
  }
#define SHUT                                                                                                           \
  {                                                                                                                    \
    STEP_CLOSE, 0, NULL, NULL, 0, 0                                                                                    \
  }
#define HANG                                                                                                           \
  {                                                                                                                    \
    STEP_HANG, 0, NULL, NULL, 0, 0                                                                                     \
  }

/* libcurl asks here instead of the C library: a resolver that never comes back, without a network. */
static int resolver_stuck[2];
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
  (void)service;
  (void)hints;
  *out = NULL;
  char word = 0;
  if (node != NULL && strcmp(node, "stuck.invalid") == 0 && read(resolver_stuck[0], &word, 1) != 0)
    return EAI_AGAIN;
  return EAI_NONAME;
}

static struct fixture *begin(const struct step *steps, size_t count)
{
  return fixture_new(steps, count, 0);
}

static size_t connection_of(struct fixture *f, size_t index)
{
  size_t connection = 0;
  (void)server_request(f->server, index, &connection);
  return connection;
}

/* --- connections ------------------------------------------------------------------------------------------------------------- */

static void test_keep_alive(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, WELL, WELL};
  struct fixture *f = begin(steps, 3);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  for (int i = 0; i < 3; i++)
    assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  assert_int_equal(server_connections(f->server), 1);
  assert_int_equal(transport_stats(f->t).connections, 1);
  assert_int_equal(transport_stats(f->t).answers, 3);
  fixture_free(f);
}

/* libcurl itself sends a request again when a kept connection turns out to be closed: right for a read. */
static void test_kept_connection_closes_on_read(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, SHUT, WELL};
  struct fixture *f = begin(steps, 3);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  assert_int_equal(server_request_count(f->server), 3);
  assert_int_equal(connection_of(f, 1), 1);
  assert_int_equal(connection_of(f, 2), 2);
  fixture_free(f);
}

/* And a disaster for a start. The connection stands warm and would be used; the write must not touch it. */
static void test_kept_connection_closes_on_write(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, SHUT, WELL, WELL};
  struct fixture *f = begin(steps, 4);
  struct transport_request read_one = fixture_request(f, TRANSPORT_READS);
  struct transport_request write_one = fixture_request(f, TRANSPORT_CHANGES);
  assert_int_equal(fixture_run(f, &read_one)->kind, ERR_OK);
  struct outcome *o = fixture_run(f, &write_one);
  assert_int_equal(o->kind, ERR_UNCERTAIN);
  assert_int_equal(o->tries, 1);
  assert_true(o->left_us);
  assert_int_equal(server_request_count(f->server), 2); /* exactly one arrival of the start */
  assert_int_equal(connection_of(f, 1), 2);
  assert_non_null(strstr(server_request(f->server, 1, NULL), "AWSGlue.StartJobRun"));
  /* Reads go on over the kept one. */
  assert_int_equal(fixture_run(f, &read_one)->kind, ERR_OK);
  assert_int_equal(connection_of(f, 2), 1);
  fixture_free(f);
}

static void test_write_connection_is_not_used_again(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, WELL, WELL};
  struct fixture *f = begin(steps, 3);
  struct transport_request write_one = fixture_request(f, TRANSPORT_CHANGES);
  struct transport_request read_one = fixture_request(f, TRANSPORT_READS);
  assert_int_equal(fixture_run(f, &write_one)->kind, ERR_OK);
  assert_int_equal(fixture_run(f, &write_one)->kind, ERR_OK);
  assert_int_equal(fixture_run(f, &read_one)->kind, ERR_OK);
  assert_int_equal(server_connections(f->server), 3);
  fixture_free(f);
}

static void test_at_most_c_connections(void **state)
{
  (void)state;
  struct step steps[40];
  for (size_t i = 0; i < 40; i++)
    steps[i] = (struct step)WELL;
  struct fixture *f = begin(steps, 40);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  for (int i = 0; i < 40; i++)
    fixture_send(f, &r);
  assert_int_equal(transport_in_flight(f->t), 40);
  fixture_drive(f, 40);
  assert_in_range(server_connections(f->server), 1, 3); /* connections_per_host of the fixture */
  fixture_free(f);
}

/* A person waits for a write: it goes before the reads that stand in the queue. */
static void test_writes_go_first(void **state)
{
  (void)state;
  static const struct step steps[] = {HANG, HANG, HANG, WELL, WELL, WELL};
  struct fixture *f = begin(steps, 6);
  struct transport_request read_one = fixture_request(f, TRANSPORT_READS);
  struct transport_request write_one = fixture_request(f, TRANSPORT_CHANGES);
  uint64_t first = fixture_send(f, &read_one);
  for (int i = 0; i < 4; i++)
    fixture_send(f, &read_one);
  while (server_request_count(f->server) < 3) {
    transport_turn(f->t);
    struct transport_fd event = {.fd = server_event_fd(f->server), .events = POLLIN};
    struct err e = transport_wait(f->t, &event, 1, 1000);
    assert_false(err_is(&e));
    char word = 0;
    if (event.revents != 0)
      assert_int_equal(read(event.fd, &word, 1), 1);
  }
  fixture_send(f, &write_one);
  transport_cancel(f->t, first); /* makes room for one */
  fixture_drive(f, 1);
  assert_non_null(strstr(server_request(f->server, 3, NULL), "AWSGlue.StartJobRun"));
  fixture_free(f);
}

/* --- before anything leaves --------------------------------------------------------------------------------------------------- */

static int unused_port(void)
{
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
  close(fd);
  return ntohs(a.sin_port);
}

/* Nobody listens: no byte left, so that even a write may be tried again, and ends as what it is. */
static void test_refused_write(void **state)
{
  (void)state;
  struct fixture *f = begin(NULL, 0);
  snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d", unused_port());
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_NETWORK);
  assert_int_equal(o->tries, 6);
  assert_false(o->left_us);
  fixture_free(f);
}

/* A listener whose queue is full lets a connection hang. */
static void test_connect_limit(void **state)
{
  (void)state;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&a, len), 0);
  assert_int_equal(listen(listener, 0), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &len), 0);
  int filler = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(connect(filler, (struct sockaddr *)&a, len), 0);
  struct fixture *f = begin(NULL, 0);
  snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d", ntohs(a.sin_port));
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  r.max_tries = 1;
  r.connect_timeout_ms = 4000;
  fixture_send(f, &r);
  transport_turn(f->t);
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 0);
  clock_advance(&f->clock, 3999);
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 0);
  clock_advance(&f->clock, 1);
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 1);
  assert_int_equal(f->out.kind, ERR_TIMEOUT);
  assert_non_null(strstr(f->out.message, "no connection"));
  assert_false(f->out.left_us);
  close(filler);
  close(listener);
  fixture_free(f);
}

static void test_tls_where_there_is_none(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL};
  for (int change = 0; change < 2; change++) {
    struct fixture *f = begin(steps, 1);
    snprintf(f->url, sizeof f->url, "https://%s", server_host(f->server));
    struct transport_request r = fixture_request(f, change ? TRANSPORT_CHANGES : TRANSPORT_READS);
    r.max_tries = 1;
    fixture_send(f, &r);
    /* The server waits for the end of a head that never comes; half a hello is no request, so it is hung up on by the limit. */
    for (int i = 0; i < 200 && f->out.calls == 0; i++) {
      transport_turn(f->t);
      struct err e = transport_wait(f->t, NULL, 0, 10);
      assert_false(err_is(&e));
      if (i > 20)
        clock_advance(&f->clock, FIXTURE_CONNECT_MS / 10);
    }
    assert_int_equal(f->out.calls, 1);
    assert_true(f->out.kind == ERR_TLS || f->out.kind == ERR_TIMEOUT);
    assert_false(f->out.left_us);
    fixture_free(f);
  }
}

/* A service with a rate of its own may throttle as it likes: that is no word about the others. */
static void test_own_rate(void **state)
{
  (void)state;
  static const struct step steps[] = {{.kind = STEP_ANSWER,
                                       .status = 400,
                                       .body = "{\"__type\":\"ThrottlingException\",\"message\":\"Rate exceeded\"}"},
                                      WELL};
  for (int own = 0; own < 2; own++) {
    struct fixture *f = begin(steps, 2);
    struct transport_request r = fixture_request(f, TRANSPORT_READS);
    r.own_rate = own == 1;
    struct outcome *o = fixture_run(f, &r);
    assert_int_equal(o->kind, ERR_OK);
    assert_int_equal(o->tries, 2); /* it is asked again all the same */
    assert_int_equal(transport_stats(f->t).throttled, own == 1 ? 0 : 1);
    fixture_free(f);
  }
}

static void test_ca_bundle_missing(void **state)
{
  (void)state;
  struct fixture *f = begin(NULL, 0);
  struct transport_options o = {.ca_bundle = "/nowhere/ca.pem", .seed = 1};
  transport_free(f->t);
  struct err e = transport_new(&o, &f->clock, &f->t);
  assert_false(err_is(&e));
  snprintf(f->url, sizeof f->url, "https://%s", server_host(f->server));
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  struct outcome *out = fixture_run(f, &r);
  assert_int_equal(out->kind, ERR_CONFIG);
  assert_non_null(strstr(out->hint, "AWS_CA_BUNDLE"));
  fixture_free(f);
}

static void test_header_injection(void **state)
{
  (void)state;
  static const char *const bad[][3] = {{"X-Amz-Target", "a\r\nX-Evil: 1", NULL},
                                       {"X-Amz-Target", "a\nX-Evil: 1", NULL},
                                       {"X-Evil\r\nX-Worse", "1", NULL},
                                       {"X-Evil: 1", "1", NULL},
                                       {"", "1", NULL},
                                       {"X-Bell", "\a", NULL}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct fixture *f = begin(NULL, 0);
    struct transport_request r = fixture_request(f, TRANSPORT_READS);
    r.headers = bad[i];
    assert_int_equal(fixture_run(f, &r)->kind, ERR_USAGE);
    assert_int_equal(server_connections(f->server), 0);
    fixture_free(f);
  }
}

/* A token with a line end in it would be a header as well. */
static void test_token_injection(void **state)
{
  (void)state;
  static char token[] = "abc\r\nX-Evil: 1";
  struct fixture *f = begin(NULL, 0);
  struct credentials c = *fixture_credentials();
  c.session_token.bytes = token;
  c.session_token.len = sizeof token - 1;
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.credentials = &c;
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_CREDENTIALS);
  assert_null(strstr(o->message, "abc"));
  assert_int_equal(server_connections(f->server), 0);
  fixture_free(f);
}

/* --- what goes over the wire ---------------------------------------------------------------------------------------------------- */

/* Value of a header of a request, malloced; NULL when it was not sent. */
static char *sent_header(const char *request, const char *name)
{
  const char *end = strstr(request, "\r\n\r\n");
  size_t len = strlen(name);
  for (const char *line = strstr(request, "\r\n"); line != NULL && line < end; line = strstr(line + 2, "\r\n"))
    if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':')
      return xstrndup(line + 4 + len, strcspn(line + 4 + len, "\r"));
  return NULL;
}

/* Signed again from what arrived, the request must give the same signature: everything signed was sent, as it was signed. */
static void test_signature_of_what_arrives(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL};
  struct fixture *f = begin(steps, 1);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  static char prefix[] = "/base/";
  char url[80];
  snprintf(url, sizeof url, "%s/base", f->url);
  f->endpoint.url = url;
  f->endpoint.path = prefix;
  r.path = "/a/../b%20c";
  r.query = "z=1&a=%2F";
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  const char *text = server_request(f->server, 0, NULL);
  assert_int_equal(strncmp(text, "POST /base/a/../b%20c?z=1&a=%2F HTTP/1.1\r\n", 42), 0);
  char *authorization = sent_header(text, "Authorization");
  assert_non_null(authorization);
  char *names = strstr(authorization, "SignedHeaders=");
  assert_non_null(names);
  names = xstrndup(names + 14, strcspn(names + 14, ","));
  assert_string_equal(names, "content-type;host;x-amz-date;x-amz-security-token;x-amz-target");
  struct sigv4_header headers[8];
  size_t count = 0;
  for (char *name = names; name != NULL && count < 8;) {
    char *next = strchr(name, ';');
    if (next != NULL)
      *next++ = '\0';
    headers[count] = (struct sigv4_header){name, sent_header(text, name)};
    assert_non_null(headers[count].value);
    count++;
    name = next;
  }
  struct sigv4_request again = {.method = "POST",
                                .path = "/base/a/../b%20c",
                                .query = "z=1&a=%2F",
                                .headers = headers,
                                .header_count = count,
                                .body = strstr(text, "\r\n\r\n") + 4,
                                .body_len = 20,
                                .normalize_path = true};
  const struct credentials *c = fixture_credentials();
  struct sigv4_credentials keys = {c->access_key_id, c->secret_access_key.bytes, c->secret_access_key.len,
                                   c->session_token.bytes};
  struct sigv4_keys *cache = sigv4_keys_new();
  struct sigv4_signed made;
  assert_int_equal(sigv4_sign_headers(cache, &again, &keys, "eu-west-1", "glue", FIXTURE_NOW_MS, &made), SIGV4_OK);
  assert_string_equal(made.authorization, authorization);
  sigv4_signed_fini(&made);
  sigv4_keys_free(cache);
  char *agent = sent_header(text, "User-Agent");
  assert_int_equal(strncmp(agent, "gluetop/", 8), 0);
  assert_null(sent_header(text, "Expect"));
  free(agent);
  for (size_t i = 0; i < count; i++)
    free((char *)(uintptr_t)headers[i].value);
  free(names);
  free(authorization);
  fixture_free(f);
}

/* 100-continue would make libcurl send a body twice where the answer is 417. */
static void test_large_body_is_sent_at_once(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL};
  struct fixture *f = begin(steps, 1);
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  r.body_len = 300000;
  char *body = xmalloc(r.body_len);
  memset(body, 'a', r.body_len);
  r.body = body;
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  const char *text = server_request(f->server, 0, NULL);
  assert_null(sent_header(text, "Expect"));
  assert_int_equal(strlen(strstr(text, "\r\n\r\n") + 4), 300000);
  free(body);
  fixture_free(f);
}

/* The shapes of the instance metadata service: GET, PUT without a body, unsigned. */
static void test_plain_methods(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, WELL};
  struct fixture *f = begin(steps, 2);
  static const char *const headers[] = {"x-empty", "", "x-aws-ec2-metadata-token", "t", NULL};
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.credentials = NULL;
  r.headers = headers;
  r.body = NULL;
  r.body_len = 0;
  r.method = "GET";
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  r.method = "PUT";
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  const char *get = server_request(f->server, 0, NULL);
  const char *put = server_request(f->server, 1, NULL);
  assert_int_equal(strncmp(get, "GET / HTTP/1.1\r\n", 16), 0);
  assert_int_equal(strncmp(put, "PUT / HTTP/1.1\r\n", 16), 0);
  assert_null(sent_header(get, "Authorization"));
  assert_null(sent_header(put, "Content-Type"));
  char *length = sent_header(put, "Content-Length");
  char *empty = sent_header(get, "x-empty");
  assert_string_equal(length, "0");
  assert_non_null(empty);
  free(length);
  free(empty);
  fixture_free(f);
}

/* --- proxies ---------------------------------------------------------------------------------------------------------------------- */

static void test_proxies(void **state)
{
  (void)state;
  static const struct {
    const char *name, *variable, *no_proxy_variable;
    const char *url;
    bool no_proxy;
    bool through;
  } cases[] = {{"http_proxy", "http_proxy", NULL, "http://glue.invalid", false, true},
               {"HTTP_PROXY too", "HTTP_PROXY", NULL, "http://glue.invalid", false, true},
               {"NO_PROXY", "HTTP_PROXY", "glue.invalid", "http://glue.invalid", false, false},
               {"metadata goes straight", "http_proxy", NULL, "http://glue.invalid", true, false},
               {"this machine goes straight", "http_proxy", NULL, NULL, false, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    static const struct step steps[] = {WELL};
    struct fixture *f = begin(steps, 1);
    unsetenv("http_proxy");
    unsetenv("HTTP_PROXY");
    unsetenv("NO_PROXY");
    unsetenv("no_proxy");
    /* For this machine the proxy is where nobody listens, and the request must arrive all the same. */
    char *elsewhere = xasprintf("http://127.0.0.1:%d", unused_port());
    setenv(cases[i].variable, cases[i].url != NULL ? server_url(f->server) : elsewhere, 1);
    if (cases[i].no_proxy_variable != NULL)
      setenv("NO_PROXY", cases[i].no_proxy_variable, 1);
    if (cases[i].url != NULL)
      snprintf(f->url, sizeof f->url, "%s", cases[i].url);
    struct transport_request r = fixture_request(f, TRANSPORT_READS);
    r.no_proxy = cases[i].no_proxy;
    r.max_tries = 1;
    struct outcome *o = fixture_run(f, &r);
    bool arrived = server_request_count(f->server) == 1;
    if (arrived != cases[i].through || (o->kind == ERR_OK) != cases[i].through)
      fail_msg("%s: %s", cases[i].name, o->message);
    free(elsewhere);
    fixture_free(f);
  }
  unsetenv("http_proxy");
  unsetenv("HTTP_PROXY");
  unsetenv("NO_PROXY");
}

/* --- cancelling and quitting ---------------------------------------------------------------------------------------------------- */

static int dropped;
static void on_drop(void *user)
{
  (void)user;
  dropped++;
}

static void test_cancel_in_flight(void **state)
{
  (void)state;
  static const struct step steps[] = {HANG, WELL};
  struct fixture *f = begin(steps, 2);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.dropped = on_drop;
  dropped = 0;
  uint64_t id = fixture_send(f, &r);
  uint64_t queued = fixture_send(f, &r);
  transport_cancel(f->t, queued);
  assert_int_equal(dropped, 1);
  while (server_request_count(f->server) == 0) {
    transport_turn(f->t);
    struct err e = transport_wait(f->t, NULL, 0, 20);
    assert_false(err_is(&e));
  }
  transport_cancel(f->t, id);
  transport_cancel(f->t, id);
  transport_cancel(f->t, 12345);
  assert_int_equal(dropped, 2);
  assert_int_equal(transport_in_flight(f->t), 0);
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 0);
  assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
  assert_int_equal(dropped, 2);
  fixture_free(f);
}

static uint64_t other_id;
static void cancel_the_other(void *user, const struct transport_answer *answer)
{
  struct fixture *f = user;
  (void)answer;
  transport_cancel(f->t, other_id);
  f->out.calls++;
}

static void test_cancel_in_call_back(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, WELL};
  struct fixture *f = begin(steps, 2);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.done = cancel_the_other;
  fixture_send(f, &r);
  r.done = fixture_request(f, TRANSPORT_READS).done;
  other_id = fixture_send(f, &r);
  fixture_drive(f, 1);
  transport_turn(f->t);
  assert_int_equal(transport_in_flight(f->t), 0);
  assert_in_range(f->out.calls, 1, 2); /* 2: the other was answered first */
  fixture_free(f);
}

static void send_another(void *user, const struct transport_answer *answer)
{
  struct fixture *f = user;
  (void)answer;
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  fixture_send(f, &r);
}

static void test_send_in_call_back(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL, WELL};
  struct fixture *f = begin(steps, 2);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.done = send_another;
  fixture_send(f, &r);
  fixture_drive(f, 1);
  assert_int_equal(server_request_count(f->server), 2);
  fixture_free(f);
}

static int64_t real_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_quit_during_stuck_dns(void **state)
{
  (void)state;
  assert_int_equal(pipe(resolver_stuck), 0);
  struct fixture *f = begin(NULL, 0);
  snprintf(f->url, sizeof f->url, "http://stuck.invalid");
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  uint64_t id = fixture_send(f, &r);
  fixture_send(f, &r);
  transport_turn(f->t);
  transport_turn(f->t);
  int64_t began = real_ms();
  transport_cancel(f->t, id);
  fixture_free(f);
  assert_true(real_ms() - began < 500);
  /* Let the threads go before the program ends. */
  assert_int_equal(write(resolver_stuck[1], "..", 2), 2);
}

int main(void)
{
  alarm(120);
  static const char *const proxies[] = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                                        "all_proxy",  "ALL_PROXY",   "no_proxy",   "NO_PROXY"};
  for (size_t i = 0; i < sizeof proxies / sizeof proxies[0]; i++)
    unsetenv(proxies[i]);
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keep_alive),
      cmocka_unit_test(test_kept_connection_closes_on_read),
      cmocka_unit_test(test_kept_connection_closes_on_write),
      cmocka_unit_test(test_write_connection_is_not_used_again),
      cmocka_unit_test(test_at_most_c_connections),
      cmocka_unit_test(test_writes_go_first),
      cmocka_unit_test(test_refused_write),
      cmocka_unit_test(test_connect_limit),
      cmocka_unit_test(test_tls_where_there_is_none),
      cmocka_unit_test(test_ca_bundle_missing),
      cmocka_unit_test(test_header_injection),
      cmocka_unit_test(test_token_injection),
      cmocka_unit_test(test_signature_of_what_arrives),
      cmocka_unit_test(test_large_body_is_sent_at_once),
      cmocka_unit_test(test_plain_methods),
      cmocka_unit_test(test_proxies),
      cmocka_unit_test(test_own_rate),
      cmocka_unit_test(test_cancel_in_flight),
      cmocka_unit_test(test_cancel_in_call_back),
      cmocka_unit_test(test_send_in_call_back),
      cmocka_unit_test(test_quit_during_stuck_dns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
