/* A call of a service under way: its arena, its decoder, its call-back. For the clients of this folder (glue.c, sts.c, pricing.c,
 * quotas.c) only. */
#ifndef GLUETOP_AWS_CALL_H
#define GLUETOP_AWS_CALL_H

#include "aws/glue.h"

struct call;
typedef struct err call_decode_fn(struct call *c, const struct transport_answer *answer);
struct call {
  struct arena arena;
  call_decode_fn *decode;
  glue_done_fn *done;
  void *user;
  struct glue_reply reply;
  bool throttled_is_uncertain; /* StartJobRun */
  union {
    struct glue_jobs_page jobs;
    struct glue_runs_page runs;
    struct glue_triggers_page triggers;
    struct glue_doc_answer doc;
    struct glue_start_answer start;
    struct glue_stop_answer stop;
    struct identity identity;
  } made;
};
struct call *call_new(call_decode_fn *decode, glue_done_fn *done, void *user);
/* Sends; the call belongs to the transport from here on. The request's accept, done, dropped and user are set here. */
uint64_t call_send(struct call *take, const struct aws_target *t, struct transport_request *request);

#endif
