#include "tests/unit/fake_transport.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/errors.h"
#include "base/buf.h"
#include "base/when.h"
#include "base/xalloc.h"

static fake_serve_fn *fake_serve;
static void *fake_user;
static struct fake_request *fake_first;
static uint64_t fake_last_id;
static size_t fake_sent;

static void request_free(struct fake_request *r)
{
  free(r->method);
  free(r->url);
  free(r->body);
  free(r->headers);
  free(r->access_key_id);
  free(r->signing_region);
  free(r);
}

void fake_reset(fake_serve_fn *serve, void *user)
{
  while (fake_first != NULL) {
    struct fake_request *next = fake_first->next;
    request_free(fake_first);
    fake_first = next;
  }
  fake_serve = serve;
  fake_user = user;
  fake_sent = 0;
}

uint64_t transport_send(struct transport *t, const struct transport_request *r)
{
  (void)t;
  struct fake_request *x = xcalloc(1, sizeof *x);
  struct buf headers;
  buf_init(&headers, 65536);
  for (const char *const *h = r->headers; h != NULL && h[0] != NULL; h += 2)
    buf_addf(&headers, "%s: %s\n", h[0], h[1]);
  x->id = ++fake_last_id;
  x->method = xstrdup(r->method);
  const char *path = r->path != NULL ? r->path : "/";
  x->url = xasprintf("%s%s%s%s", r->endpoint->url, path, r->query != NULL ? "?" : "", r->query != NULL ? r->query : "");
  x->body = xstrndup(r->body != NULL ? r->body : "", r->body_len);
  x->headers = buf_take(&headers);
  for (char *p = x->headers; *p != '\0'; p++) {
    bool name = true;
    for (; *p != '\n'; p++) {
      name = name && *p != ':';
      if (name)
        *p = (char)tolower((unsigned char)*p);
    }
  }
  x->is_signed = r->credentials != NULL;
  x->access_key_id = r->credentials != NULL ? xstrdup(r->credentials->access_key_id) : NULL;
  x->signing_region = xstrdup(r->endpoint->signing_region);
  x->secret_body = r->secret_body;
  x->no_proxy = r->no_proxy;
  x->connect_timeout_ms = r->connect_timeout_ms;
  x->total_timeout_ms = r->total_timeout_ms;
  x->max_tries = r->max_tries;
  x->done = r->done;
  x->user = r->user;
  struct fake_request **at = &fake_first;
  while (*at != NULL)
    at = &(*at)->next;
  *at = x;
  fake_sent++;
  return x->id;
}

static struct fake_request *take(uint64_t id)
{
  for (struct fake_request **at = &fake_first; *at != NULL; at = &(*at)->next) {
    if ((*at)->id == id) {
      struct fake_request *x = *at;
      *at = x->next;
      return x;
    }
  }
  return NULL;
}

void transport_cancel(struct transport *t, uint64_t id)
{
  (void)t;
  struct fake_request *x = take(id);
  if (x != NULL)
    request_free(x);
}

static const char *no_header(const struct transport_answer *a, const char *name)
{
  (void)a;
  (void)name;
  return NULL;
}

static void deliver(struct fake_request *x, const struct fake_answer *answer)
{
  struct transport_answer out = {.status = answer->status,
                                 .body = answer->body,
                                 .body_len = strlen(answer->body),
                                 .server_date_ms = WHEN_NONE,
                                 .header = no_header,
                                 .tries = 1};
  if (answer->date != NULL && !when_parse_http(answer->date, &out.server_date_ms))
    out.server_date_ms = WHEN_NONE;
  if (answer->status == 0)
    out.err = err_new(answer->kind, "the network failed");
  else if (answer->status < 200 || answer->status > 299)
    out.err = errors_read(&(struct aws_refusal){
        .status = answer->status, .error_type = answer->error_type, .body = answer->body, .body_len = out.body_len});
  x->done(x->user, &out);
  err_fini(&out.err);
}

void fake_turn(void)
{
  uint64_t last = fake_last_id;
  for (;;) {
    struct fake_request *x = fake_first;
    struct fake_answer answer = {.status = 500};
    for (; x != NULL && x->id <= last; x = x->next) {
      answer = (struct fake_answer){.status = 500};
      fake_serve(fake_user, x, &answer);
      if (!answer.later)
        break;
    }
    if (x == NULL || x->id > last)
      break;
    x = take(x->id);
    deliver(x, &answer);
    request_free(x);
  }
}

size_t fake_waiting(void)
{
  size_t count = 0;
  for (const struct fake_request *x = fake_first; x != NULL; x = x->next)
    count++;
  return count;
}

size_t fake_count(void)
{
  return fake_sent;
}

bool fake_has(const struct fake_request *request, const char *begin)
{
  size_t len = strlen(begin);
  for (const char *line = request->headers; line != NULL && *line != '\0';) {
    if (strncmp(line, begin, len) == 0)
      return true;
    line = strchr(line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
  return false;
}
