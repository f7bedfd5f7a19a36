/* What the service says, as plain structs. Decoders (src/aws) fill them in an arena; the model packs them.
 *
 * Strings are NUL-terminated bytes as the service sent them (not cleaned: that is the screen's and the log's business), NULL when absent
 * or null. Times are ms since the epoch, WHEN_NONE when absent. Whole numbers have RECORD_ABSENT when absent, doubles NAN.
 * Facts: AWS Glue API reference, data types Job, JobRun, Trigger. */
#ifndef GLUETOP_MODEL_RECORDS_H
#define GLUETOP_MODEL_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/when.h"

#define RECORD_ABSENT INT64_MIN

enum tristate { TRI_ABSENT = 0, TRI_FALSE, TRI_TRUE };

/* JobRunState. UNKNOWN is any word not in this list: shown by name, counted as not finished. */
enum run_state {
  RUN_STATE_UNKNOWN = 0,
  RUN_STARTING,
  RUN_RUNNING,
  RUN_STOPPING,
  RUN_STOPPED,
  RUN_SUCCEEDED,
  RUN_FAILED,
  RUN_TIMEOUT,
  RUN_ERROR,
  RUN_WAITING,
  RUN_EXPIRED,
  RUN_STATE_COUNT
};
/* The one table about states: word, whether it ends a run, whether it is a failure (--failed), whether time in it is billed. */
struct run_state_info {
  const char *word;  /* as the service spells it: "SUCCEEDED" */
  const char *label; /* as the screen says it: "ok", "failed", "running" */
  bool finished;
  bool failed; /* FAILED, TIMEOUT, ERROR, EXPIRED */
  bool billed; /* costs while in it */
};
const struct run_state_info *run_state_info(enum run_state s);
enum run_state run_state_parse(const char *word); /* NULL and unknown words give RUN_STATE_UNKNOWN */

enum execution_class { CLASS_STANDARD = 0, CLASS_FLEX, CLASS_OTHER };
const char *execution_class_word(enum execution_class c); /* "STANDARD", "FLEX"; NULL for OTHER */
enum job_type { JOB_TYPE_OTHER = 0, JOB_SPARK, JOB_STREAMING, JOB_PYTHON_SHELL, JOB_RAY };
enum job_type job_type_parse(const char *command_name); /* glueetl, gluestreaming, pythonshell, glueray */
const char *job_type_word(enum job_type t);             /* the same words; "" for OTHER */

enum bookmark_option { BOOKMARK_ABSENT = 0, BOOKMARK_ENABLE, BOOKMARK_DISABLE, BOOKMARK_PAUSE };

struct argument {
  const char *key;
  const char *value; /* may hold a secret: model/mask.h decides before it is shown */
};

struct run_data {
  const char *id;
  const char *job;
  const char *previous_run_id;
  const char *trigger;
  const char *state; /* the word as it came */
  const char *state_detail;
  const char *error;
  const char *worker_type;
  const char *glue_version;
  const char *execution_class;
  const char *log_group;
  int64_t started_ms; /* accepted, before any waiting */
  int64_t modified_ms;
  int64_t completed_ms;
  int64_t attempt;
  int64_t execution_seconds;
  int64_t timeout_minutes; /* 0: none (streaming) */
  int64_t workers;
  double max_capacity; /* DPU */
  double dpu_seconds;
  enum tristate queuing;
  bool auto_scaling; /* from the run's own arguments; absent there: auto_scaling_given is false */
  bool auto_scaling_given;
  enum bookmark_option bookmark; /* from the run's own arguments */
  struct argument *arguments;    /* as given for this run; only when the decoder was asked for them */
  size_t argument_count;
};

struct job_data {
  const char *name;
  const char *mode;
  const char *description;
  const char *role;
  const char *command_name;
  const char *script_location;
  const char *python_version;
  const char *worker_type;
  const char *glue_version;
  const char *execution_class;
  const char *security_configuration;
  const char *maintenance_window;
  int64_t created_ms;
  int64_t modified_ms;
  int64_t max_concurrent_runs;
  int64_t max_retries;
  int64_t timeout_minutes;
  int64_t workers;
  int64_t notify_delay_minutes;
  double max_capacity;
  enum tristate queuing;
  enum tristate auto_scaling;    /* effective: NonOverridable over Default */
  enum bookmark_option bookmark; /* effective of the definition */
  bool metrics;                  /* --enable-metrics present, whatever its value */
};

struct trigger_action {
  const char *job;     /* or NULL */
  const char *crawler; /* or NULL */
  int64_t timeout_minutes;
};
struct trigger_condition {
  const char *job;
  const char *state; /* of the job */
  const char *crawler;
  const char *crawl_state;
};
struct trigger_data {
  const char *name;
  const char *workflow;
  const char *type;  /* SCHEDULED, CONDITIONAL, ON_DEMAND, EVENT, or a word of the future */
  const char *state; /* only ACTIVATED fires */
  const char *schedule;
  bool any; /* Predicate.Logical is ANY */
  struct trigger_action *actions;
  size_t action_count;
  struct trigger_condition *conditions;
  size_t condition_count;
};

/* One answer as a tree of named values in document order, for views that show every member the service gave, those we do not know included. */
enum doc_kind { DOC_OBJECT, DOC_ARRAY, DOC_STRING, DOC_NUMBER, DOC_BOOL, DOC_NULL };
struct doc_node {
  int depth; /* 0 is the root */
  enum doc_kind kind;
  const char *name; /* NULL in arrays and at the root */
  const char *text; /* value as text; NULL for containers. Numbers as they stood in the answer */
  size_t children;  /* of containers */
};
struct doc {
  struct doc_node *nodes;
  size_t count;
};

struct identity {
  const char *account;
  const char *arn;
  const char *user_id;
};

#endif
