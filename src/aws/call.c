#include "aws/call.h"

#include <stdlib.h>
#include "base/xalloc.h"

struct call *call_new(call_decode_fn *decode, glue_done_fn *done, void *user)
{
  struct call *c = xcalloc(1, sizeof *c);
  arena_init(&c->arena);
  c->decode = decode;
  c->done = done;
  c->user = user;
  return c;
}

static struct err call_on_accept(void *user, const struct transport_answer *answer)
{
  struct call *c = user;
  arena_reset(&c->arena); /* of an earlier try */
  return c->decode(c, answer);
}

static void call_on_drop(void *user)
{
  struct call *c = user;
  arena_fini(&c->arena);
  free(c);
}

static void call_on_done(void *user, const struct transport_answer *answer)
{
  struct call *c = user;
  struct err own = err_ok();
  c->reply.answer = answer;
  c->reply.arena = &c->arena;
  c->reply.err = answer->err;
  if (err_is(&answer->err))
    c->reply.jobs = NULL;
  if (c->throttled_is_uncertain && answer->err.kind == ERR_THROTTLED && answer->left_us) {
    /* A start that was answered with throttling has been carried out all the same: nobody may take this for a refusal. */
    const struct err_detail *d = answer->err.detail;
    own = err_new(ERR_UNCERTAIN, "it is not known whether this was carried out: %s", err_message(&answer->err));
    err_set_http(&own, d->http_status, d->code, d->request_id);
    err_set_hint(&own, "Look whether it took effect before doing it again.");
    if (d->what != NULL)
      err_set_what(&own, "%s", d->what);
    c->reply.err = own;
  }
  c->done(c->user, &c->reply);
  err_fini(&own);
  call_on_drop(c);
}

uint64_t call_send(struct call *take, const struct aws_target *t, struct transport_request *request)
{
  request->method = "POST";
  request->login = t->login;
  request->credentials = t->credentials;
  request->skew_ms = t->skew_ms;
  request->tally = t->tally;
  request->paced = t->paced;
  request->accept = call_on_accept;
  request->done = call_on_done;
  request->dropped = call_on_drop;
  request->user = take;
  return transport_send(t->transport, request);
}
