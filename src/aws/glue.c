#include "aws/glue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/call.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/xalloc.h"

/* Far beyond the 260 kB of arguments that the service takes, and beyond what the transport sends: it is the one to refuse. */
#define GLUE_BODY_MAX ((size_t)64 * 1024 * 1024)

/* --- decoding, one a form of answer ------------------------------------------------------------------------------------------ */

static struct err glue_made_jobs(struct call *c, const struct transport_answer *a)
{
  c->reply.jobs = &c->made.jobs;
  return glue_decode_jobs(a->body, a->body_len, &c->arena, &c->made.jobs);
}

static struct err glue_made_runs(struct call *c, const struct transport_answer *a)
{
  c->reply.runs = &c->made.runs;
  return glue_decode_runs(a->body, a->body_len, false, &c->arena, &c->made.runs);
}

static struct err glue_made_runs_with_arguments(struct call *c, const struct transport_answer *a)
{
  c->reply.runs = &c->made.runs;
  return glue_decode_runs(a->body, a->body_len, true, &c->arena, &c->made.runs);
}

static struct err glue_made_triggers(struct call *c, const struct transport_answer *a)
{
  c->reply.triggers = &c->made.triggers;
  return glue_decode_triggers(a->body, a->body_len, &c->arena, &c->made.triggers);
}

static struct err glue_made_job(struct call *c, const struct transport_answer *a)
{
  c->reply.doc = &c->made.doc;
  return glue_decode_doc(a->body, a->body_len, "Job", &c->arena, &c->made.doc);
}

static struct err glue_made_run(struct call *c, const struct transport_answer *a)
{
  c->reply.doc = &c->made.doc;
  return glue_decode_doc(a->body, a->body_len, "JobRun", &c->arena, &c->made.doc);
}

static struct err glue_made_start(struct call *c, const struct transport_answer *a)
{
  c->reply.start = &c->made.start;
  return glue_decode_start(a->body, a->body_len, &c->arena, &c->made.start);
}

static struct err glue_made_stop(struct call *c, const struct transport_answer *a)
{
  c->reply.stop = &c->made.stop;
  return glue_decode_stop(a->body, a->body_len, &c->arena, &c->made.stop);
}

/* --- requests ------------------------------------------------------------------------------------------------------------------- */

struct glue_request {
  struct buf body;
  struct jw w;
};

static void glue_begin(struct glue_request *r)
{
  buf_init(&r->body, GLUE_BODY_MAX);
  jw_init(&r->w, &r->body, false);
  jw_object(&r->w);
}

static void glue_string(struct glue_request *r, const char *name, const char *value)
{
  if (value == NULL)
    return;
  jw_name(&r->w, name);
  jw_str(&r->w, value);
}

static void glue_integer(struct glue_request *r, const char *name, int64_t value)
{
  jw_name(&r->w, name);
  jw_i64(&r->w, value);
}

static void glue_strings(struct glue_request *r, const char *name, const char *const *values, size_t count)
{
  jw_name(&r->w, name);
  jw_array(&r->w);
  for (size_t i = 0; i < count; i++)
    jw_str(&r->w, values[i]);
  jw_end_array(&r->w);
}

static void glue_page(struct glue_request *r, const char *token, int max_results)
{
  glue_string(r, "NextToken", token);
  if (max_results > 0)
    glue_integer(r, "MaxResults", max_results);
}

/* subject: the job it is about; or NULL. */
static uint64_t glue_send(const struct aws_target *t, struct glue_request *r, const char *operation,
                          const char *subject, enum transport_change change, struct call *take)
{
  jw_end_object(&r->w);
  char *target = xasprintf("AWSGlue.%s", operation);
  char *what = subject != NULL ? xasprintf("%s of %s in %s", operation, subject, t->region)
                               : xasprintf("%s in %s", operation, t->region);
  const char *const headers[] = {"Content-Type", "application/x-amz-json-1.1", "X-Amz-Target", target, NULL};
  uint64_t id = call_send(take, t,
                          &(struct transport_request){.change = change,
                                                      .endpoint = &t->glue,
                                                      .headers = headers,
                                                      .body = r->body.data,
                                                      .body_len = r->body.overflow ? SIZE_MAX : r->body.len,
                                                      .secret_body = change == TRANSPORT_CHANGES,
                                                      .what = what});
  /* Arguments of a start may be passwords. */
  if (r->body.cap > 0)
    secret_wipe(r->body.data, r->body.len);
  buf_fini(&r->body);
  free(target);
  free(what);
  return id;
}

uint64_t glue_get_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_page(&r, token, max_results);
  return glue_send(t, &r, "GetJobs", NULL, TRANSPORT_READS, call_new(glue_made_jobs, done, user));
}

uint64_t glue_list_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_page(&r, token, max_results);
  return glue_send(t, &r, "ListJobs", NULL, TRANSPORT_READS, call_new(glue_made_jobs, done, user));
}

uint64_t glue_batch_get_jobs(const struct aws_target *t, const char *const *names, size_t count, glue_done_fn *done,
                             void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_strings(&r, "JobNames", names, count);
  return glue_send(t, &r, "BatchGetJobs", NULL, TRANSPORT_READS, call_new(glue_made_jobs, done, user));
}

uint64_t glue_get_job(const struct aws_target *t, const char *job, glue_done_fn *done, void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_string(&r, "JobName", job);
  return glue_send(t, &r, "GetJob", job, TRANSPORT_READS, call_new(glue_made_job, done, user));
}

static uint64_t get_job_runs(const struct aws_target *t, const char *job, const char *token, int max_results,
                             struct call *take)
{
  struct glue_request r;
  glue_begin(&r);
  glue_string(&r, "JobName", job);
  glue_page(&r, token, max_results);
  return glue_send(t, &r, "GetJobRuns", job, TRANSPORT_READS, take);
}

uint64_t glue_get_job_runs(const struct aws_target *t, const char *job, const char *token, int max_results,
                           glue_done_fn *done, void *user)
{
  return get_job_runs(t, job, token, max_results, call_new(glue_made_runs, done, user));
}

uint64_t glue_get_newest_runs(const struct aws_target *t, const char *job, int max_results, glue_done_fn *done,
                              void *user)
{
  return get_job_runs(t, job, NULL, max_results, call_new(glue_made_runs_with_arguments, done, user));
}

uint64_t glue_get_job_run(const struct aws_target *t, const char *job, const char *run_id, glue_done_fn *done,
                          void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_string(&r, "JobName", job);
  glue_string(&r, "RunId", run_id);
  return glue_send(t, &r, "GetJobRun", job, TRANSPORT_READS, call_new(glue_made_run, done, user));
}

uint64_t glue_get_triggers(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done,
                           void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_page(&r, token, max_results);
  return glue_send(t, &r, "GetTriggers", NULL, TRANSPORT_READS, call_new(glue_made_triggers, done, user));
}

uint64_t glue_start_job_run(const struct aws_target *t, const struct glue_start_request *s, glue_done_fn *done,
                            void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_string(&r, "JobName", s->job);
  if (s->argument_count > 0) {
    jw_name(&r.w, "Arguments");
    jw_object(&r.w);
    for (size_t i = 0; i < s->argument_count; i++)
      glue_string(&r, s->arguments[i].key, s->arguments[i].value != NULL ? s->arguments[i].value : "");
    jw_end_object(&r.w);
  }
  glue_string(&r, "WorkerType", s->worker_type);
  if (s->workers != RECORD_ABSENT)
    glue_integer(&r, "NumberOfWorkers", s->workers);
  if (s->timeout_minutes != RECORD_ABSENT)
    glue_integer(&r, "Timeout", s->timeout_minutes);
  if (s->max_capacity > 0) {
    jw_name(&r.w, "MaxCapacity");
    jw_f64(&r.w, s->max_capacity);
  }
  glue_string(&r, "ExecutionClass", s->execution_class);
  struct call *c = call_new(glue_made_start, done, user);
  c->throttled_is_uncertain = true;
  return glue_send(t, &r, "StartJobRun", s->job, TRANSPORT_CHANGES, c);
}

uint64_t glue_batch_stop_job_run(const struct aws_target *t, const char *job, const char *const *run_ids, size_t count,
                                 glue_done_fn *done, void *user)
{
  struct glue_request r;
  glue_begin(&r);
  glue_string(&r, "JobName", job);
  glue_strings(&r, "JobRunIds", run_ids, count);
  return glue_send(t, &r, "BatchStopJobRun", job, TRANSPORT_CHANGES, call_new(glue_made_stop, done, user));
}
