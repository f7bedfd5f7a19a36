/* The account behind gluesim: jobs, runs, triggers, and the rules by which they move.
 *
 * Time only moves in sim_account_advance: it takes the due events off the queue, in order of time, and lets each change
 * the state (a trigger fires, a run begins, ends, is retried). Everything between two events follows from the records
 * and the time, so nothing has to tick. Rules are those of the service: facts of glue-api.md (states, queuing,
 * concurrency, retries), pricing-and-limits.md (quotas, timeouts). */
#ifndef GLUETOP_SIM_ACCOUNT_H
#define GLUETOP_SIM_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/strpool.h"
#include "base/when.h"
#include "model/cron.h"

struct cJSON;

enum sim_state {
  SIM_WAITING,
  SIM_STARTING,
  SIM_RUNNING,
  SIM_STOPPING,
  SIM_STOPPED,
  SIM_SUCCEEDED,
  SIM_FAILED,
  SIM_TIMEOUT,
  SIM_ERROR,
  SIM_EXPIRED,
  SIM_STATE_COUNT
};
const char *sim_state_name(enum sim_state s);
enum sim_state sim_state_of(const char *name); /* SIM_STATE_COUNT: unknown */
bool sim_state_is_final(enum sim_state s);

/* Why a run waits: StateDetail. */
enum sim_detail { DETAIL_NONE, DETAIL_JOB_LIMIT, DETAIL_RUN_LIMIT, DETAIL_DPU_LIMIT, DETAIL_CAPACITY };
const char *sim_detail_text(enum sim_detail d); /* NULL for none */

enum sim_kind { KIND_SPARK, KIND_STREAMING, KIND_SHELL, KIND_RAY };

#define SIM_TIMEOUT_ABSENT (-1)
#define SIM_TIMEOUT_NONE   0 /* streaming: no limit */

/* What a run was started with: the job's definition at that moment, and what was given for this run. Shared by all runs
 * that were started alike, never changed. */
struct sim_shape {
  enum sim_kind kind;
  const char *glue_version; /* NULL: none (Python shell) */
  const char *worker_type;  /* NULL: MaxCapacity alone */
  int workers;
  double dpu;          /* MaxCapacity; 0 where the service gives none (Ray) */
  int timeout_minutes; /* SIM_TIMEOUT_ABSENT, SIM_TIMEOUT_NONE or minutes */
  bool flex, auto_scaling, queuing;
  bool queuing_given, class_given;
  const char *bookmark; /* effective --job-bookmark-option or NULL */
  const char *mode;     /* JobMode or NULL */
  const char *security_configuration, *maintenance_window, *session_policy, *profile;
  int notify_after;        /* minutes, 0: none */
  struct cJSON *arguments; /* JobRun.Arguments, owned by the account, or NULL */
};

struct sim_run {
  uint64_t key;        /* the id follows from it; attempts of one start share it */
  int64_t accepted_ms; /* StartedOn */
  int64_t began_ms;    /* RUNNING since; WHEN_NONE before */
  int64_t ended_ms;    /* CompletedOn; WHEN_NONE while alive */
  int64_t changed_ms;  /* LastModifiedOn */
  int64_t plan_ms;     /* how long it will run, if nobody stops it */
  const struct sim_shape *shape;
  struct cJSON *given;          /* a run of an account file, served as it stands there; or NULL */
  int32_t trigger;              /* index, -1: started by a call */
  int32_t previous;             /* index of PreviousRunId in the same job, -1 */
  int32_t cause_job, cause_run; /* the predecessor that fired the conditional trigger, -1 */
  uint32_t turn;                /* number of the pending event; older events of this run are void */
  uint32_t boot_ms;             /* from STARTING to RUNNING */
  uint16_t error;               /* of the error texts, 0: none */
  uint8_t state, outcome, detail, attempt;
  uint8_t dpu_percent; /* of the maximum, used on average by an auto-scaled or FLEX run */
};

/* How a job's runs turn out. Spans in seconds. */
struct sim_behaviour {
  int typical_s, spread_percent;
  int growth_percent; /* slower by so much at the end of 90 days */
  int boot_s;
  int fail_permille;
  uint16_t errors[3]; /* of the error texts; 0: unused */
  int dpu_percent;
};

/* A deviation from it: runs accepted in [from_s, until_s) relative to the account's present at start. */
struct sim_deviation {
  int from_s, until_s;
  int run_s;          /* runs so long; 0: as usual */
  int factor_percent; /* or so much longer than usual; 0: as usual */
  enum sim_state outcome;
  uint16_t error;
  int every; /* meets each Nth run; 0 and 1: all */
};

struct sim_bookmark {
  bool exists;
  int64_t version, run, attempt;
  int32_t run_index, previous_index;
};

struct sim_job {
  char *name;
  int32_t index;
  uint64_t key;
  struct cJSON *definition; /* the members of Job, without the derived ones and the times */
  struct cJSON *tags;       /* or NULL */
  int64_t created_ms, modified_ms;
  bool deleted;
  const struct sim_shape *shape;
  int max_concurrent, max_retries;
  struct sim_behaviour behaviour;
  const struct sim_deviation *deviations;
  size_t deviation_count;
  struct sim_run *runs; /* in the order of acceptance */
  size_t run_count, run_cap;
  uint64_t starts; /* for the keys of new runs */
  int active;      /* STARTING, RUNNING, STOPPING */
  struct sim_bookmark bookmark;
  int32_t *watchers; /* conditional triggers that look at this job */
  size_t watcher_count, watcher_cap;
};

struct sim_condition {
  int32_t job; /* -1: unknown job or a crawler */
  enum sim_state state;
  bool met;
};

struct sim_action {
  char *job_name; /* NULL: a crawler */
  const struct sim_shape *shape, *based_on;
};

struct sim_trigger {
  char *name;
  struct cJSON *definition; /* Trigger, without State */
  const char *type;
  const char *state;
  bool scheduled; /* it has a schedule that can be read */
  struct cron cron;
  uint32_t turn;
  struct sim_action *actions;
  size_t action_count;
  struct sim_condition *conditions;
  size_t condition_count;
  bool any; /* Logical ANY */
  struct cJSON *tags;
};

/* Somebody outside who starts a job, again and again. */
struct sim_caller {
  int32_t job;
  int64_t every_ms, last_ms; /* every_ms 0: once */
  int run_s;                 /* its runs take so long; 0: as the job behaves */
};

struct sim_event;

/* Which name is whose: -1 for nobody's. Names of deleted jobs are free again, their records stay. */
struct sim_names {
  struct strpool *texts;
  int32_t *index; /* by number of the text */
  size_t cap;
};

struct sim_account {
  const char *id, *region;
  uint64_t seed;
  int64_t start_ms;    /* the present when the server started: deviations and the story count from it */
  int64_t born_ms;     /* nothing happened before */
  int64_t now_ms;      /* state is true for this moment */
  struct arena memory; /* shapes and their strings, as long as the account */
  struct sim_job **jobs;
  size_t job_count, job_cap;
  struct sim_trigger **triggers;
  size_t trigger_count, trigger_cap;
  struct sim_names job_names, trigger_names;
  struct sim_event *events; /* a binary heap by time */
  size_t event_count, event_cap;
  uint64_t event_serial;
  struct sim_caller *callers;
  size_t caller_count, caller_cap;
  struct {
    int32_t job, run;
  } * waiting; /* in order of acceptance */
  size_t waiting_count, waiting_cap;
  int active_runs;
  double active_dpu, active_flex_dpu;
  int run_limit, queue_limit, job_limit;
  double dpu_limit, flex_limit;
  struct cJSON **kept; /* argument trees of shapes */
  size_t kept_count, kept_cap;
};

void sim_account_init(struct sim_account *a, const char *id, const char *region, uint64_t seed, int64_t start_ms);
void sim_account_fini(struct sim_account *a);
void sim_account_advance(struct sim_account *a, int64_t now_ms);

/* account.c: the tables. Deleted jobs keep their index, so that an index means the same for ever. */
struct sim_job *sim_job_find(const struct sim_account *a, const char *name);
int32_t sim_job_index(const struct sim_account *a, const char *name); /* -1: none */
/* Takes the definition (members of Job); the name must be free. */
struct sim_job *sim_job_add(struct sim_account *a, const char *name, struct cJSON *take_definition, int64_t created_ms);
void sim_job_redefine(struct sim_account *a, struct sim_job *job, struct cJSON *take_definition);
void sim_job_delete(struct sim_account *a, struct sim_job *job);
struct sim_trigger *sim_trigger_find(const struct sim_account *a, const char *name);
/* Takes a Trigger as the service gives it. Scheduled ones in state ACTIVATED fire from `from_ms` on. */
struct sim_trigger *sim_trigger_add(struct sim_account *a, struct cJSON *take_definition, int64_t from_ms);

/* shape.c: settings of runs. */
double sim_worker_dpu(const char *type); /* 0: unknown */
const struct sim_shape *sim_shape_of_job(struct sim_account *a, const struct cJSON *definition);
/* The job's shape with what was given for one run (members of StartJobRun's request or of a trigger's action). */
const struct sim_shape *sim_shape_override(struct sim_account *a, const struct sim_job *job, const struct cJSON *given);
int sim_shape_timeout(const struct sim_shape *s); /* minutes in force, 0: none */

/* runs.c: the life of a run. */
enum sim_accept { ACCEPT_OK, ACCEPT_JOB_LIMIT, ACCEPT_RUN_LIMIT, ACCEPT_DPU_LIMIT, ACCEPT_QUEUE_FULL };
struct sim_origin {
  int32_t trigger;              /* -1: a call */
  int32_t cause_job, cause_run; /* -1: none */
  int32_t previous;             /* run index to be told as PreviousRunId, -1 */
};
/* A call that is refused leaves nothing; a trigger's run that is refused is a FAILED run. *run gets its index. */
enum sim_accept sim_run_start(struct sim_account *a, struct sim_job *job, const struct sim_shape *shape,
                              const struct sim_origin *origin, int32_t *run);
struct sim_run *sim_run_append(struct sim_job *job); /* a blank record */
/* False: the run is over already. */
bool sim_run_stop(struct sim_account *a, struct sim_job *job, int32_t run);
/* Seconds that the run has consumed resources for. */
int64_t sim_run_execution_s(const struct sim_account *a, const struct sim_run *run);
/* DPU-seconds as the service tells them: false while it does not (yet). */
bool sim_run_dpu_seconds(const struct sim_account *a, const struct sim_job *job, const struct sim_run *run,
                         double *out);
#define SIM_RUN_ID_MAX 260
char *sim_run_id(const struct sim_run *run, char out[SIM_RUN_ID_MAX]);
int32_t sim_run_find(const struct sim_job *job, const char *id); /* -1: none */
void sim_run_event(struct sim_account *a, int32_t job, int32_t run, int kind);

/* plan.c: what will become of a run, decided when it is accepted. */
void sim_run_plan(const struct sim_account *a, const struct sim_job *job, struct sim_run *run);

/* triggers.c */
void sim_trigger_fire(struct sim_account *a, int32_t trigger, int32_t cause_job, int32_t cause_run);
void sim_trigger_run_changed(struct sim_account *a, int32_t job, int32_t run);
void sim_trigger_activate(struct sim_account *a, struct sim_trigger *t);
void sim_trigger_deactivate(struct sim_account *a, struct sim_trigger *t);
/* Puts the trigger's next firing after now into the queue, if it has one. */
void sim_trigger_schedule(struct sim_account *a, int32_t trigger, int64_t after_ms);

/* events.c: kinds, and the queue. */
enum sim_event_kind {
  EVENT_FIRE,   /* subject: trigger */
  EVENT_OFF,    /* subject: trigger: somebody switches it off (part of the story) */
  EVENT_LAUNCH, /* a waiting run gets its resources at last */
  EVENT_BEGIN,
  EVENT_END,
  EVENT_STOPPED,
  EVENT_EXPIRE, /* it waited too long */
  EVENT_RETRY,
  EVENT_CALL /* subject: caller */
};
struct sim_event {
  int64_t at_ms;
  uint64_t serial; /* of two at the same time the older one goes first */
  int32_t subject, run;
  uint32_t turn;
  uint8_t kind;
};
void sim_event_push(struct sim_account *a, struct sim_event e);
bool sim_event_pop(struct sim_account *a, int64_t until_ms, struct sim_event *out);

/* errors.c: what failed runs say. */
enum sim_error {
  ERROR_NONE,
  ERROR_MAX_CONCURRENT,
  ERROR_MAX_DPU,
  ERROR_JOB_DELETED,
  ERROR_S3_DENIED,
  ERROR_KMS_DENIED,
  ERROR_HEAP,
  ERROR_EXIT_137,
  ERROR_NO_SPACE,
  ERROR_JDBC_LINK,
  ERROR_SLOW_DOWN,
  ERROR_NO_PATH,
  ERROR_NO_COLUMN,
  ERROR_ANSI_CAST,
  ERROR_NO_MODULE,
  ERROR_BOOKMARK_VERSION,
  ERROR_SUBNET_FULL,
  ERROR_S3_ENDPOINT,
  ERROR_RESOURCE,
  ERROR_LAKE_FORMATION,
  ERROR_ARGUMENT,
  ERROR_SCRIPT_MISSING,
  ERROR_RATE,
  ERROR_SCALA,
  ERROR_EXPIRED_TOKEN,
  ERROR_COUNT
};
/* Allocated in scratch; NULL for ERROR_NONE. Small numbers and request ids in it follow from the key. */
const char *sim_error_text(enum sim_error error, const char *job, uint64_t key, struct arena *scratch);

void sim_caller_add(struct sim_account *a, const struct sim_caller *caller, int64_t first_ms);

/* story*.c, large.c, file.c: who lives in the account. */
struct err sim_story_fill(struct sim_account *a) ERR_MUST_CHECK;
struct err sim_large_fill(struct sim_account *a, int64_t jobs, int64_t runs) ERR_MUST_CHECK;
struct err sim_file_fill(struct sim_account *a, const char *path) ERR_MUST_CHECK;

#endif
