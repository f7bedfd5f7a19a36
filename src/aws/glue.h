/* AWS Glue over JSON 1.1: one call a function. Each builds a request, sends it through the transport, decodes the answer
 * into an arena and calls back once. Decoding is one pass over the members; unknown ones are ignored.
 * Facts: AWS Glue API reference; sizes and limits in comments. */
#ifndef GLUETOP_AWS_GLUE_H
#define GLUETOP_AWS_GLUE_H

#include "aws/transport.h"
#include "base/arena.h"
#include "model/records.h"

/* Where and as whom. Kept by the caller while calls are in flight. */
struct aws_target {
  struct transport *transport;
  struct login *login;
  const struct credentials *credentials; /* fixed keys, where there is no login */
  struct endpoint glue;
  struct endpoint sts;
  struct endpoint pricing; /* url NULL: the partition has no Price List, or nobody has asked yet */
  struct endpoint quotas;  /* url NULL: as above */
  const char *region;
  int64_t skew_ms;
  bool paced;                    /* reads that are asked within a rate: see transport_request */
  struct transport_tally *tally; /* of all calls there; must outlive them; NULL: nobody counts */
};

struct glue_jobs_page {
  struct job_data *jobs;
  size_t count;
  const char **names; /* ListJobs: names only; BatchGetJobs: JobsNotFound */
  size_t name_count;
  size_t unreadable;      /* entries that are no objects or have no name: left out, so the page is not whole */
  const char *next_token; /* NULL: the end (absent, null or empty) */
};
struct glue_runs_page {
  struct run_data *runs;
  size_t count;
  size_t unreadable; /* no objects, or without an id */
  const char *next_token;
};
struct glue_triggers_page {
  struct trigger_data *triggers;
  size_t count;
  size_t unreadable;
  const char *next_token;
};
struct glue_doc_answer {
  struct doc doc;  /* of the Job or JobRun object */
  const char *raw; /* the object's own bytes as in the answer */
  size_t raw_len;
  struct job_data *job; /* GetJob */
  struct run_data *run; /* GetJobRun, with arguments */
};
struct glue_start_answer {
  const char *run_id;
};
struct glue_stop_result {
  const char *run_id;
  const char *error_code; /* NULL: accepted */
  const char *error_message;
};
struct glue_stop_answer {
  struct glue_stop_result *results;
  size_t count;
};

/* Everything pointed to lives in `arena` until the call-back returns; take it by swapping the arena out. `err` tells success; on
 * failure the answer in the union is NULL. A cancelled call gives everything back without a call-back. */
struct pricing_page;
struct quotas_page;
struct glue_reply {
  const struct transport_answer *answer;
  struct err err; /* of the call or of the decoding; copy to keep */
  struct arena *arena;
  union {
    const struct glue_jobs_page *jobs;
    const struct glue_runs_page *runs;
    const struct glue_triggers_page *triggers;
    const struct glue_doc_answer *doc;
    const struct glue_start_answer *start;
    const struct glue_stop_answer *stop;
    const struct identity *identity;
    const struct pricing_page *prices;
    const struct quotas_page *quotas;
  };
};
typedef void glue_done_fn(void *user, const struct glue_reply *reply);

/* All return the transport's id, for transport_cancel. Strings given are copied. max_results 0 leaves the size to the service. */
uint64_t glue_get_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user);
uint64_t glue_list_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user);
uint64_t glue_batch_get_jobs(const struct aws_target *t, const char *const *names, size_t count, glue_done_fn *done,
                             void *user); /* <= 25 */
uint64_t glue_get_job(const struct aws_target *t, const char *job, glue_done_fn *done, void *user);
uint64_t glue_get_job_runs(const struct aws_target *t, const char *job, const char *token, int max_results,
                           glue_done_fn *done, void *user); /* <= 200 */
/* The newest runs with their arguments: to tell a run that was asked for from those of others. */
uint64_t glue_get_newest_runs(const struct aws_target *t, const char *job, int max_results, glue_done_fn *done,
                              void *user);
uint64_t glue_get_job_run(const struct aws_target *t, const char *job, const char *run_id, glue_done_fn *done,
                          void *user);
uint64_t glue_get_triggers(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done,
                           void *user); /* <= 200 */

struct glue_start_request {
  const char *job;
  const struct argument *arguments;
  size_t argument_count;
  const char *worker_type;     /* NULL: the job's */
  int64_t workers;             /* RECORD_ABSENT: the job's */
  int64_t timeout_minutes;     /* RECORD_ABSENT: the job's */
  double max_capacity;         /* DPU, never beside workers; NaN: the job's */
  const char *execution_class; /* NULL: the job's */
};
uint64_t glue_start_job_run(const struct aws_target *t, const struct glue_start_request *r, glue_done_fn *done,
                            void *user);
uint64_t glue_batch_stop_job_run(const struct aws_target *t, const char *job, const char *const *run_ids, size_t count,
                                 glue_done_fn *done, void *user); /* <= 25 */

/* Decoders by themselves, for tests, fuzzers and benchmarks. A wrong type is ERR_PARSE where it leaves nothing to go on with (the answer, a
 * list); a member of a row that has one is as good as absent. `out` needs no initialisation. */
struct err glue_decode_runs(const char *text, size_t len, bool with_arguments, struct arena *arena,
                            struct glue_runs_page *out) ERR_MUST_CHECK;
struct err glue_decode_jobs(const char *text, size_t len, struct arena *arena,
                            struct glue_jobs_page *out) ERR_MUST_CHECK;
struct err glue_decode_triggers(const char *text, size_t len, struct arena *arena,
                                struct glue_triggers_page *out) ERR_MUST_CHECK;
struct err glue_decode_start(const char *text, size_t len, struct arena *arena,
                             struct glue_start_answer *out) ERR_MUST_CHECK;
struct err glue_decode_stop(const char *text, size_t len, struct arena *arena,
                            struct glue_stop_answer *out) ERR_MUST_CHECK;
/* member: "Job" or "JobRun". */
struct err glue_decode_doc(const char *text, size_t len, const char *member, struct arena *arena,
                           struct glue_doc_answer *out) ERR_MUST_CHECK;

#endif
