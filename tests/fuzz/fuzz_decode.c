/* Any bytes as an answer of Glue, to every decoder: what comes out is whole, and the tree of one answer agrees with its text. The first
 * byte chooses the decoder, so that one corpus serves all. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/errors.h"
#include "aws/glue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
  if (!truth)
    abort();
}

static size_t total; /* so that every string is read to its end */
static void read_text(const char *s)
{
  if (s != NULL)
    total += strlen(s);
}

static void look_at_run(const struct run_data *r)
{
  must(r->id != NULL && r->id[0] != '\0');
  read_text(r->id);
  read_text(r->job);
  read_text(r->previous_run_id);
  read_text(r->trigger);
  read_text(r->state);
  read_text(r->state_detail);
  read_text(r->error);
  read_text(r->worker_type);
  read_text(r->glue_version);
  read_text(r->execution_class);
  read_text(r->log_group);
  for (size_t i = 0; i < r->argument_count; i++) {
    must(r->arguments[i].key != NULL && r->arguments[i].value != NULL);
    read_text(r->arguments[i].key);
    read_text(r->arguments[i].value);
  }
}

static void look_at_doc(const struct glue_doc_answer *a)
{
  /* Every container has as many nodes one level below it as it says. */
  must(a->doc.count > 0 && a->doc.nodes[0].depth == 0 && a->doc.nodes[0].kind == DOC_OBJECT);
  for (size_t i = 0; i < a->doc.count; i++) {
    const struct doc_node *n = &a->doc.nodes[i];
    size_t children = 0;
    for (size_t k = i + 1; k < a->doc.count && a->doc.nodes[k].depth > n->depth && a->doc.count < 500; k++)
      children += a->doc.nodes[k].depth == n->depth + 1;
    must(a->doc.count >= 500 || children == n->children);
    read_text(n->name);
    read_text(n->text);
  }
  must(a->raw[0] == '{' && a->raw[a->raw_len - 1] == '}');
}

static void decode(unsigned which, const char *text, size_t len, struct arena *arena)
{
  struct err e = err_ok();
  union {
    struct glue_runs_page runs;
    struct glue_jobs_page jobs;
    struct glue_triggers_page triggers;
    struct glue_doc_answer doc;
    struct glue_start_answer start;
    struct glue_stop_answer stop;
  } a;
  switch (which % 8) {
  case 0:
    e = glue_decode_runs(text, len, true, arena, &a.runs);
    for (size_t i = 0; i < a.runs.count; i++)
      look_at_run(&a.runs.runs[i]);
    break;
  case 1:
    e = glue_decode_jobs(text, len, arena, &a.jobs);
    for (size_t i = 0; i < a.jobs.count; i++)
      read_text(a.jobs.jobs[i].name);
    for (size_t i = 0; i < a.jobs.name_count; i++)
      read_text(a.jobs.names[i]);
    break;
  case 2:
    e = glue_decode_triggers(text, len, arena, &a.triggers);
    for (size_t i = 0; i < a.triggers.count; i++)
      for (size_t k = 0; k < a.triggers.triggers[i].action_count; k++)
        read_text(a.triggers.triggers[i].actions[k].job);
    break;
  case 3:
    e = glue_decode_doc(text, len, "JobRun", arena, &a.doc);
    if (!err_is(&e))
      look_at_doc(&a.doc);
    break;
  case 4:
    e = glue_decode_doc(text, len, "Job", arena, &a.doc);
    if (!err_is(&e))
      look_at_doc(&a.doc);
    break;
  case 5:
    e = glue_decode_start(text, len, arena, &a.start);
    must(err_is(&e) || a.start.run_id != NULL);
    break;
  case 6:
    e = glue_decode_stop(text, len, arena, &a.stop);
    for (size_t i = 0; i < a.stop.count; i++)
      must(a.stop.results[i].run_id != NULL);
    break;
  default:
    e = errors_read(&(struct aws_refusal){.status = 400, .body = text, .body_len = len});
    must(err_is(&e) && e.detail->message != NULL);
    break;
  }
  err_fini(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  /* A copy with a terminator, as the transport gives it. */
  char *text = malloc(size);
  if (text == NULL)
    return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  struct arena arena;
  arena_init(&arena);
  decode(data[0], text, size - 1, &arena);
  arena_fini(&arena);
  free(text);
  return 0;
}
