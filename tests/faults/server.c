#include "tests/faults/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/xalloc.h"

#define SERVER_CLIENTS_MAX  64
#define SERVER_REQUESTS_MAX 256

struct client {
  int fd; /* -1: free */
  size_t number;
  struct buf in;
  struct buf out; /* what a hanging answer still has to say */
  bool endless;
};
struct arrival {
  char *text;
  size_t connection;
};

struct server {
  const struct step *steps;
  size_t step_count, step_at;
  int listener;
  int wake[2];   /* the test to the thread: 'q' ends it, 'p' pokes */
  int events[2]; /* the thread to the test */
  char host[32];
  char url[40];
  pthread_t thread;
  pthread_mutex_t mutex; /* of all below */
  struct client clients[SERVER_CLIENTS_MAX];
  struct arrival arrivals[SERVER_REQUESTS_MAX];
  size_t arrival_count;
  size_t connections;
};

static void die(const char *what)
{
  perror(what);
  abort();
}

static void client_close(struct client *c, bool reset)
{
  if (reset) {
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  close(c->fd);
  c->fd = -1;
  buf_fini(&c->in);
  buf_fini(&c->out);
}

/* All of it, waiting where the socket is full; false when the peer has gone. */
static bool client_write(struct client *c, const char *data, size_t len)
{
  while (len > 0) {
    ssize_t n = send(c->fd, data, len, MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

static void step_render(const struct step *step, struct buf *out)
{
  const char *body = step->body != NULL ? step->body : "{}";
  size_t len = step->body_len > 0 ? step->body_len : strlen(body);
  buf_addf(out, "HTTP/1.1 %d Scripted\r\n%sContent-Length: %zu\r\n%s\r\n", step->status != 0 ? step->status : 200,
           step->headers != NULL ? step->headers : "", len,
           step->kind == STEP_ANSWER_CLOSE ? "Connection: close\r\n" : "");
  buf_add(out, body, len);
}

static void server_answer(struct server *s, struct client *c)
{
  static const struct step beyond = {.kind = STEP_ANSWER_CLOSE, .status = 599, .body = "beyond the script"};
  const struct step *step = s->step_at < s->step_count ? &s->steps[s->step_at++] : &beyond;
  struct buf out;
  buf_init(&out, (size_t)256 * 1024 * 1024);
  step_render(step, &out);
  char event = '.';
  switch (step->kind) {
  case STEP_ANSWER:
    client_write(c, out.data, out.len);
    break;
  case STEP_ANSWER_CLOSE:
    client_write(c, out.data, out.len);
    client_close(c, false);
    break;
  case STEP_CLOSE:
    client_close(c, false);
    break;
  case STEP_RESET:
    client_close(c, true);
    break;
  case STEP_CUT:
    client_write(c, out.data, step->cut);
    client_close(c, false);
    break;
  case STEP_RAW:
    client_write(c, step->body, step->body_len > 0 ? step->body_len : strlen(step->body));
    client_close(c, false);
    break;
  case STEP_CUT_HANG:
    client_write(c, out.data, step->cut);
    buf_add(&c->out, out.data + step->cut, out.len - step->cut);
    event = 'H';
    break;
  case STEP_HANG:
    event = 'H';
    break;
  case STEP_ENDLESS:
    c->endless = client_write(c, "HTTP/1.1 200 Scripted\r\nTransfer-Encoding: chunked\r\n\r\n", 53);
    break;
  }
  buf_fini(&out);
  if (write(s->events[1], &event, 1) != 1)
    die("event");
}

/* Bytes of the whole request at the front of `in`; 0 when it is not all there. */
static size_t request_length(const struct buf *in)
{
  const char *end = strstr(in->data, "\r\n\r\n");
  if (end == NULL)
    return 0;
  size_t len = (size_t)(end + 4 - in->data);
  for (const char *line = in->data; line < end; line = strstr(line, "\r\n") + 2)
    if (strncasecmp(line, "content-length:", 15) == 0)
      len += strtoul(line + 15, NULL, 10);
  return in->len >= len ? len : 0;
}

static void server_read(struct server *s, struct client *c)
{
  char chunk[16384];
  ssize_t n = recv(c->fd, chunk, sizeof chunk, 0);
  if (n <= 0) {
    client_close(c, false);
    return;
  }
  buf_add(&c->in, chunk, (size_t)n);
  for (size_t len = request_length(&c->in); c->fd >= 0 && len > 0; len = request_length(&c->in)) {
    if (s->arrival_count < SERVER_REQUESTS_MAX)
      s->arrivals[s->arrival_count++] = (struct arrival){xstrndup(c->in.data, len), c->number};
    buf_drop(&c->in, len);
    server_answer(s, c);
    if (c->fd < 0)
      break;
  }
}

static void server_accept(struct server *s)
{
  int fd = accept(s->listener, NULL, NULL);
  for (size_t i = 0; fd >= 0 && i < SERVER_CLIENTS_MAX; i++) {
    struct client *c = &s->clients[i];
    if (c->fd >= 0)
      continue;
    *c = (struct client){.fd = fd, .number = ++s->connections};
    buf_init(&c->in, (size_t)64 * 1024 * 1024);
    buf_init(&c->out, (size_t)64 * 1024 * 1024);
    return;
  }
  die("accept");
}

static void server_poke_clients(struct server *s)
{
  for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
    struct client *c = &s->clients[i];
    if (c->fd >= 0 && c->out.len > 0) {
      client_write(c, c->out.data, 1);
      buf_drop(&c->out, 1);
    }
  }
}

static void client_flood(struct client *c)
{
  static const char chunk[] = "400\r\n"
                              "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  char whole[5 + 1024 + 2];
  memcpy(whole, chunk, 5);
  for (size_t i = 0; i < 1024; i += 64)
    memcpy(whole + 5 + i, chunk + 5, 64);
  memcpy(whole + 5 + 1024, "\r\n", 2);
  if (!client_write(c, whole, sizeof whole))
    client_close(c, false);
}

static void *server_run(void *user)
{
  struct server *s = user;
  for (;;) {
    struct pollfd polls[2 + SERVER_CLIENTS_MAX] = {{.fd = s->listener, .events = POLLIN},
                                                   {.fd = s->wake[0], .events = POLLIN}};
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
      polls[2 + i] =
          (struct pollfd){.fd = s->clients[i].fd, .events = s->clients[i].endless ? POLLIN | POLLOUT : POLLIN};
    if (poll(polls, 2 + SERVER_CLIENTS_MAX, -1) < 0)
      die("poll");
    pthread_mutex_lock(&s->mutex);
    char word = 0;
    if (polls[1].revents != 0 && read(s->wake[0], &word, 1) == 1 && word == 'p')
      server_poke_clients(s);
    for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
      struct client *c = &s->clients[i];
      if (c->fd >= 0 && polls[2 + i].fd == c->fd && (polls[2 + i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
        server_read(s, c);
      else if (c->fd >= 0 && c->endless && (polls[2 + i].revents & POLLOUT) != 0)
        client_flood(c);
    }
    if (polls[0].revents != 0)
      server_accept(s);
    pthread_mutex_unlock(&s->mutex);
    if (word == 'q')
      return NULL;
  }
}

struct server *server_new(const struct step *steps, size_t count)
{
  struct server *s = xcalloc(1, sizeof *s);
  s->steps = steps;
  s->step_count = count;
  for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
    s->clients[i].fd = -1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof address;
  s->listener = socket(AF_INET, SOCK_STREAM, 0);
  if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, len) != 0 || listen(s->listener, 64) != 0 ||
      getsockname(s->listener, (struct sockaddr *)&address, &len) != 0 || pipe(s->wake) != 0 || pipe(s->events) != 0)
    die("server");
  snprintf(s->host, sizeof s->host, "127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
  snprintf(s->url, sizeof s->url, "http://%s", s->host);
  pthread_mutex_init(&s->mutex, NULL);
  if (pthread_create(&s->thread, NULL, server_run, s) != 0)
    die("thread");
  return s;
}

void server_free(struct server *s)
{
  if (write(s->wake[1], "q", 1) != 1)
    die("wake");
  pthread_join(s->thread, NULL);
  for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
    if (s->clients[i].fd >= 0)
      client_close(&s->clients[i], false);
  for (size_t i = 0; i < s->arrival_count; i++)
    free(s->arrivals[i].text);
  for (int i = 0; i < 2; i++) {
    close(s->wake[i]);
    close(s->events[i]);
  }
  close(s->listener);
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

const char *server_url(const struct server *s)
{
  return s->url;
}

const char *server_host(const struct server *s)
{
  return s->host;
}

int server_event_fd(const struct server *s)
{
  return s->events[0];
}

void server_poke(struct server *s)
{
  if (write(s->wake[1], "p", 1) != 1)
    die("wake");
}

size_t server_connections(struct server *s)
{
  pthread_mutex_lock(&s->mutex);
  size_t count = s->connections;
  pthread_mutex_unlock(&s->mutex);
  return count;
}

size_t server_request_count(struct server *s)
{
  pthread_mutex_lock(&s->mutex);
  size_t count = s->arrival_count;
  pthread_mutex_unlock(&s->mutex);
  return count;
}

const char *server_request(struct server *s, size_t index, size_t *connection)
{
  pthread_mutex_lock(&s->mutex);
  const char *text = index < s->arrival_count ? s->arrivals[index].text : "";
  if (connection != NULL)
    *connection = index < s->arrival_count ? s->arrivals[index].connection : 0;
  pthread_mutex_unlock(&s->mutex);
  return text;
}
