#include "tests/faults/fixture.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/xalloc.h"

static void copy_text(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from != NULL ? from : "");
}

static void fixture_done(void *user, const struct transport_answer *a)
{
  struct fixture *f = user;
  struct outcome *o = &f->out;
  int calls = o->calls;
  *o = (struct outcome){.calls = calls + 1,
                        .kind = a->err.kind,
                        .status = a->status,
                        .tries = a->tries,
                        .left_us = a->left_us,
                        .skew_ms = a->skew_ms,
                        .body_len = a->body_len};
  copy_text(o->body, sizeof o->body, a->body);
  copy_text(o->request_id, sizeof o->request_id, a->request_id);
  if (a->err.detail != NULL) {
    copy_text(o->code, sizeof o->code, a->err.detail->code);
    copy_text(o->message, sizeof o->message, a->err.detail->message);
    copy_text(o->hint, sizeof o->hint, a->err.detail->hint);
    copy_text(o->what, sizeof o->what, a->err.detail->what);
  }
}

static struct err fixture_accept(void *user, const struct transport_answer *a)
{
  struct fixture *f = user;
  (void)a;
  if (f->garbled > 0) {
    f->garbled--;
    return err_new(ERR_PARSE, "garbled");
  }
  return err_ok();
}

const struct credentials *fixture_credentials(void)
{
  static char id[] = "AKIDEXAMPLE";
  static char key[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  static char token[] = "token/+=of-the-session";
  static struct credentials c;
  c = (struct credentials){.access_key_id = id,
                           .secret_access_key = {.bytes = key, .len = sizeof key - 1},
                           .session_token = {.bytes = token, .len = sizeof token - 1},
                           .expires_ms = INT64_MAX};
  return &c;
}

struct fixture *fixture_new(const struct step *steps, size_t count, size_t max_response)
{
  static char path[] = "/";
  static char region[] = "eu-west-1";
  struct fixture *f = xcalloc(1, sizeof *f);
  clock_init_manual(&f->clock, FIXTURE_NOW_MS);
  f->server = server_new(steps, count);
  copy_text(f->url, sizeof f->url, server_url(f->server));
  copy_text(f->host, sizeof f->host, server_host(f->server));
  f->endpoint =
      (struct endpoint){.url = f->url, .host = f->host, .path = path, .signing_region = region, .signing_name = "glue"};
  struct transport_options o = {.connections_per_host = 3,
                                .connect_timeout_ms = FIXTURE_CONNECT_MS,
                                .stall_timeout_ms = FIXTURE_STALL_MS,
                                .total_timeout_ms = FIXTURE_TOTAL_MS,
                                .max_response = max_response,
                                .seed = 7};
  struct err e = transport_new(&o, &f->clock, &f->t);
  if (err_is(&e))
    abort();
  return f;
}

void fixture_free(struct fixture *f)
{
  transport_free(f->t);
  server_free(f->server);
  free(f);
}

struct transport_request fixture_request(struct fixture *f, enum transport_change change)
{
  static const char *const read_headers[] = {"Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
                                             "AWSGlue.GetJobRuns", NULL};
  static const char *const write_headers[] = {"Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
                                              "AWSGlue.StartJobRun", NULL};
  bool changes = change == TRANSPORT_CHANGES;
  return (struct transport_request){.change = change,
                                    .endpoint = &f->endpoint,
                                    .method = "POST",
                                    .headers = changes ? write_headers : read_headers,
                                    .body = "{\"JobName\":\"orders\"}",
                                    .body_len = 20,
                                    .credentials = fixture_credentials(),
                                    .what = changes ? "StartJobRun of orders in eu-west-1"
                                                    : "GetJobRuns of orders in eu-west-1",
                                    .accept = fixture_accept,
                                    .done = fixture_done,
                                    .user = f};
}

uint64_t fixture_send(struct fixture *f, const struct transport_request *r)
{
  return transport_send(f->t, r);
}

void fixture_drive(struct fixture *f, int calls)
{
  bool hanging = false;
  while (f->out.calls < calls) {
    transport_turn(f->t);
    uint64_t retries = transport_stats(f->t).retries;
    int64_t left = transport_next_turn_ms(f->t) - f->clock.manual_mono_ms;
    if (retries > f->retries_seen && left > 0 && left < FIXTURE_CONNECT_MS / 2) {
      f->retries_seen = retries; /* a back-off: nothing else happens until then */
      clock_advance(&f->clock, left);
      continue;
    }
    if (f->out.calls >= calls || left <= 0)
      continue;
    if (hanging) {
      clock_advance(&f->clock, f->on_hang_ms); /* more than once when bytes came in meanwhile */
      continue;
    }
    struct transport_fd event = {.fd = server_event_fd(f->server), .events = POLLIN};
    struct err e = transport_wait(f->t, &event, 1, 60000);
    if (err_is(&e))
      abort();
    char word = 0;
    hanging = (event.revents & POLLIN) != 0 && read(event.fd, &word, 1) == 1 && word == 'H';
  }
}

struct outcome *fixture_run(struct fixture *f, const struct transport_request *r)
{
  int calls = f->out.calls;
  fixture_send(f, r);
  fixture_drive(f, calls + 1);
  return &f->out;
}
