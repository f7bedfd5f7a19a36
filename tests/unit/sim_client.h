/* A small HTTP client for the tests of gluesim: one request a connection over a bare socket, signed with sigv4/ (which is
 * not the code that gluesim checks with), so that resets, cut bodies and silence are seen as they are. */
#ifndef GLUETOP_TESTS_SIM_CLIENT_H
#define GLUETOP_TESTS_SIM_CLIENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/when.h"
#include "sigv4/sigv4.h"
#include "sim/sim.h"

struct sim_client {
  int port;
  int64_t now_ms; /* signing time */
  const char *access_key, *secret, *token, *region, *service;
  const char *content_type;
};

struct sim_answer {
  struct buf bytes; /* all of it */
  int status;       /* 0: no answer */
  const char *body; /* in bytes */
  size_t body_len;
  bool reset;  /* the connection was reset */
  bool silent; /* nothing came within patience */
  bool cut;    /* shorter than Content-Length */
};

static inline struct sim_client sim_client_of(struct sim *s)
{
  return (struct sim_client){.port = sim_port(s),
                             .now_ms = sim_now(s),
                             .access_key = SIM_ACCESS_KEY,
                             .secret = SIM_SECRET_KEY,
                             .region = SIM_REGION,
                             .service = "glue",
                             .content_type = "application/x-amz-json-1.1"};
}

static inline int sim_client_connect(int port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* Sends the whole request. */
static inline void sim_client_send(int fd, const struct buf *request)
{
  for (size_t at = 0; at < request->len;) {
    ssize_t n = write(fd, request->data + at, request->len - at);
    if (n <= 0)
      return;
    at += (size_t)n;
  }
}

/* The head and body of a signed POST; target NULL for the query protocol. */
static inline void sim_client_build(const struct sim_client *c, const char *target, const char *body, struct buf *out)
{
  char host[64], full_target[128];
  struct sigv4_header headers[4];
  struct sigv4_signed done = {0};
  struct sigv4_keys *keys = sigv4_keys_new();
  size_t n = 0;
  snprintf(host, sizeof host, "127.0.0.1:%d", c->port);
  snprintf(full_target, sizeof full_target, "%s%s",
           strchr(target != NULL ? target : ".", '.') != NULL ? "" : "AWSGlue.", target != NULL ? target : "");
  headers[n++] = (struct sigv4_header){"Host", host};
  headers[n++] = (struct sigv4_header){"Content-Type", c->content_type};
  if (target != NULL)
    headers[n++] = (struct sigv4_header){"X-Amz-Target", full_target};
  struct sigv4_request request = {.method = "POST",
                                  .path = "/",
                                  .headers = headers,
                                  .header_count = n,
                                  .body = body,
                                  .body_len = strlen(body),
                                  .normalize_path = true};
  struct sigv4_credentials who = {c->access_key, c->secret, strlen(c->secret), c->token};
  enum sigv4_status status = sigv4_sign_headers(keys, &request, &who, c->region, c->service, c->now_ms, &done);
  buf_addf(out, "POST / HTTP/1.1\r\n");
  for (size_t i = 0; i < n; i++)
    buf_addf(out, "%s: %s\r\n", headers[i].name, headers[i].value);
  for (size_t i = 0; status == SIGV4_OK && i < done.extra_count; i++)
    buf_addf(out, "%s: %s\r\n", done.extra[i].name, done.extra[i].value);
  buf_addf(out, "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", strlen(body), body);
  sigv4_signed_fini(&done);
  sigv4_keys_free(keys);
}

/* The first place of a word in text, in any case, or NULL. */
static inline const char *sim_client_find(const char *text, const char *word)
{
  size_t len = strlen(word);
  for (; *text != '\0'; text++)
    if (strncasecmp(text, word, len) == 0)
      return text;
  return NULL;
}

/* Reads until the end of the connection, or until nothing came for patience_ms (that is the test's safety net against a
 * hang, and the only way to see silence). */
static inline void sim_client_read(int fd, int patience_ms, struct sim_answer *a)
{
  char bytes[65536];
  struct pollfd p = {.fd = fd, .events = POLLIN};
  for (;;) {
    if (poll(&p, 1, patience_ms) <= 0) {
      a->silent = true;
      break;
    }
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      a->reset = errno == ECONNRESET;
    if (n <= 0)
      break;
    buf_add(&a->bytes, bytes, (size_t)n);
  }
  const char *end = a->bytes.len > 0 ? strstr(a->bytes.data, "\r\n\r\n") : NULL;
  if (end == NULL)
    return;
  sscanf(a->bytes.data, "HTTP/1.1 %d", &a->status);
  a->body = end + 4;
  a->body_len = a->bytes.len - (size_t)(a->body - a->bytes.data);
  const char *length = sim_client_find(a->bytes.data, "\r\nContent-Length: ");
  if (length != NULL && length < end)
    a->cut = strtoul(length + 18, NULL, 10) > a->body_len;
}

static inline struct sim_answer sim_client_raw(int port, const char *text)
{
  struct sim_answer a = {0};
  struct buf request;
  buf_init(&a.bytes, (size_t)256 << 20);
  buf_init(&request, (size_t)1 << 20);
  buf_adds(&request, text);
  int fd = sim_client_connect(port);
  sim_client_send(fd, &request);
  sim_client_read(fd, 10000, &a);
  close(fd);
  buf_fini(&request);
  return a;
}

static inline struct sim_answer sim_client_call_for(const struct sim_client *c, const char *target, const char *body,
                                                    int patience_ms)
{
  struct sim_answer a = {0};
  struct buf request;
  buf_init(&a.bytes, (size_t)256 << 20);
  buf_init(&request, (size_t)8 << 20);
  sim_client_build(c, target, body, &request);
  int fd = sim_client_connect(c->port);
  sim_client_send(fd, &request);
  sim_client_read(fd, patience_ms, &a);
  close(fd);
  buf_fini(&request);
  return a;
}

static inline struct sim_answer sim_client_call(const struct sim_client *c, const char *target, const char *body)
{
  return sim_client_call_for(c, target, body, 10000);
}

static inline void sim_answer_fini(struct sim_answer *a)
{
  buf_fini(&a->bytes);
}

/* The answer's header of that name, copied to out; false when there is none. */
static inline bool sim_answer_header(const struct sim_answer *a, const char *name, char *out, size_t size)
{
  char pattern[80];
  snprintf(pattern, sizeof pattern, "\r\n%s: ", name);
  const char *at = a->bytes.len > 0 ? sim_client_find(a->bytes.data, pattern) : NULL;
  if (at == NULL || (a->body != NULL && at >= a->body))
    return false;
  at += strlen(pattern);
  snprintf(out, size, "%.*s", (int)strcspn(at, "\r"), at);
  return true;
}

#endif
