#include "aws/sts.h"

#include <stdlib.h>
#include "aws/call.h"
#include "base/xalloc.h"

static struct err sts_made_identity(struct call *c, const struct transport_answer *a)
{
  c->reply.identity = &c->made.identity;
  return sts_decode_identity(a->body, a->body_len, &c->arena, &c->made.identity);
}

uint64_t sts_get_caller_identity(const struct aws_target *t, glue_done_fn *done, void *user)
{
  static const char body[] = "Action=GetCallerIdentity&Version=2011-06-15";
  static const char *const headers[] = {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8", NULL};
  char *what = xasprintf("GetCallerIdentity in %s", t->region);
  uint64_t id = call_send(call_new(sts_made_identity, done, user), t,
                          &(struct transport_request){.change = TRANSPORT_READS,
                                                      .endpoint = &t->sts,
                                                      .headers = headers,
                                                      .body = body,
                                                      .body_len = sizeof body - 1,
                                                      .what = what});
  free(what);
  return id;
}
