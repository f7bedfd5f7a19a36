/* What we know. Owned and changed only by src/app; views, commands and derivations read it.
 *
 * A *place* is (partition, account, Region, custom endpoint): jobs, runs, triggers and sums belong to it. A *context* is a
 * login (profile, Region, source) that leads to a place: identity, credentials and permission errors belong to it. Two contexts of one
 * place share its rows.
 *
 * Pointers from getters are valid until the next change of the model (compare `generation`); keep keys, not pointers.
 * Nothing here looks at a clock: the moment comes in as a parameter. */
#ifndef GLUETOP_MODEL_MODEL_H
#define GLUETOP_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/strpool.h"
#include "base/when.h"
#include "model/notices.h"
#include "model/polling.h"
#include "model/quota.h"
#include "model/records.h"

/* How fresh a thing is, and what went wrong last. A failed poll changes last_err and next_try, never the data. */
struct freshness {
  int64_t fetched_ms;  /* last good answer; WHEN_NONE: never */
  int64_t tried_ms;    /* last try */
  int64_t next_try_ms; /* WHEN_NONE: nothing planned */
  struct err last_err; /* ERR_OK after a good answer; owned */
  bool in_flight;
  bool complete; /* the last reading went to its end (false: page budget, repeated token, or not read yet) */
};

/* Run ids are jr_ + 64 hex digits in practice (32 bytes here), with _attempt_N on automatic retries; anything else is interned. */
enum run_id_form { RUN_ID_HEX, RUN_ID_HEX_ATTEMPT, RUN_ID_OTHER, RUN_ID_OTHER_ATTEMPT };

enum run_flag {
  RUN_FLAG_AUTO_SCALING = 1,       /* by the run's arguments, or by the job's when the run says nothing */
  RUN_FLAG_AUTO_SCALING_GIVEN = 2, /* the run itself said so */
  RUN_FLAG_QUEUING = 4,
  RUN_FLAG_BOOKMARK_GIVEN = 8,
  RUN_FLAG_COMPLETED_GUESSED = 16, /* finished without CompletedOn: LastModifiedOn stands in */
  RUN_FLAG_NEW = 32                /* arrived since the person last looked at the list */
};

/* One run, packed, members in an order that leaves no hole. */
struct run {
  union {
    uint8_t id_bytes[32]; /* RUN_ID_HEX(_ATTEMPT) */
    strid id_text;        /* RUN_ID_OTHER(_ATTEMPT): the id, without the suffix; the other bytes are 0 */
  };
  int64_t started_ms;
  int64_t modified_ms;
  int64_t completed_ms;      /* WHEN_NONE while it lives */
  int64_t first_running_ms;  /* when we first saw it RUNNING; WHEN_NONE */
  int64_t fetched_ms;        /* when the question was sent whose answer this is */
  double max_capacity;       /* NAN: absent */
  double dpu_seconds;        /* NAN: absent */
  int32_t execution_seconds; /* -1: absent */
  int32_t timeout_minutes;   /* -1: absent, 0: none */
  int32_t workers;           /* -1: absent */
  strid state_text;          /* the word, when the state is unknown */
  strid state_detail;
  strid error;
  strid worker_type;
  strid glue_version;
  strid trigger;
  strid previous_run_id;
  uint16_t id_attempt; /* the N of _attempt_N */
  int16_t attempt;
  uint8_t id_form;              /* enum run_id_form */
  uint8_t state;                /* enum run_state */
  unsigned execution_class : 4; /* enum execution_class */
  unsigned bookmark : 4;        /* enum bookmark_option, the run's own */
  uint8_t flags;                /* enum run_flag */
};
/* With what stands beside it (the job, its filter, texts of errors, room for the next runs) a run takes at most 160 bytes. */
_Static_assert(sizeof(struct run) == 136, "a run of 400,000");

#define RUN_ID_MAX 300
/* The id as text in out; returns out. */
const char *run_id_text(const struct run *r, const struct strpool *strings, char out[RUN_ID_MAX]);
/* Fill the id members from text. */
void run_set_id(struct run *r, struct strpool *strings, const char *id);
bool run_same_id(const struct run *a, const struct run *b);
/* Same start: equal but for the attempt suffix. */
bool run_same_chain(const struct run *a, const struct run *b);
bool run_finished(const struct run *r);
/* The end of a finished run as far as it is known: completion, else the last word about it, never before it started. WHEN_NONE: no time at all. */
int64_t run_end(const struct run *r);
bool run_meets(const struct run *r, int64_t since_ms, int64_t until_ms, int64_t now_ms);

/* A wholly read stretch of a job's history by StartedOn, both ends included. It reaches up to the newest run that was there, not to the
 * moment of reading: clocks differ, StartedOn does not. */
struct span {
  int64_t from_ms;
  int64_t to_ms;
};

struct job {
  strid name;
  int place;
  bool defined; /* false: known only by its runs, a trigger or the person's word */
  bool gone;    /* was there, the service no longer lists it */
  enum job_type type;
  strid command_name; /* as it came */
  strid mode, description, role, script_location, python_version, worker_type, glue_version, security_configuration,
      maintenance_window;
  enum execution_class execution_class;
  int64_t created_ms, modified_ms;
  int32_t max_concurrent_runs; /* -1: absent (the service's default is 1) */
  int32_t max_retries;
  int32_t timeout_minutes; /* -1: absent; 0: none */
  int32_t workers;
  int32_t notify_delay_minutes;
  double max_capacity;
  enum tristate queuing, auto_scaling;
  enum bookmark_option bookmark;
  bool metrics;

  int64_t listed_ms; /* when the question was sent whose answer last named it; WHEN_NONE: only others named it */

  struct run *runs; /* newest first by (started_ms, id); runs without StartedOn are last */
  size_t run_count;
  size_t run_live;          /* how many of them are not finished */
  uint64_t longest_ms;      /* no finished run took longer, from acceptance to its end */
  uint64_t runs_generation; /* grows with every change of any of its runs */
  int64_t changed_from_ms,
      changed_to_ms;       /* StartedOn of what has changed since the store took it; from > to: nothing */
  struct run_shelf *shelf; /* the memory of `runs`, and what makes a lookup by id fast; runs.c only */
  struct span *read;       /* disjoint, newest first */
  size_t read_count, read_cap;
  bool read_to_end;    /* the service's whole history was read once */
  bool unordered;      /* an answer was not newest first: only a reading to the end proves anything */
  int64_t top_read_ms; /* when the last finished reading from the newest run on began; WHEN_NONE */
  struct freshness runs_fresh;
  struct freshness definition_fresh;
  struct doc_holder *definition; /* GetJob as it came, when it was on show; or NULL */
};

struct trigger {
  strid name, workflow, type, state, schedule;
  bool any;
  struct {
    strid job, crawler;
    int32_t timeout_minutes;
  } * actions;
  size_t action_count;
  struct {
    strid job, state, crawler, crawl_state;
  } * conditions;
  size_t condition_count;
};

struct place {
  char *partition; /* "aws" */
  char *account;   /* "" until STS has said */
  char *region;
  char *endpoint; /* custom endpoint URL or "" */
  struct job *jobs;
  size_t job_count, job_cap; /* in order of arrival; an index never changes while the place lives */
  uint32_t *job_slots;       /* places.c only: hash from name to index + 1 */
  size_t job_slot_count;
  bool names_complete; /* every job's name is known, though definitions may be missing (BatchGetJobs denied) */
  struct trigger *triggers;
  size_t trigger_count;
  struct freshness jobs_fresh;
  struct freshness triggers_fresh;
  double quotas[QUOTA_KIND_COUNT]; /* as Service Quotas says; NAN: it has not */
  struct freshness quotas_fresh;   /* asked once a day */
  struct freshness prices_fresh;   /* of what the Price List says of its Region (model/price.h), asked once a day */
  uint64_t runs_generation;        /* grows with every change of any run of the place */
  uint32_t epoch; /* grows when its rows are thrown away or move to another place: job indexes of before mean nothing */
};

struct context {
  char *name;    /* as the person gave it: PROFILE@REGION, or "default" */
  char *profile; /* "" when there is none */
  char *region;
  char *region_source; /* "option", "AWS_REGION", "profile prod" */
  char *source;        /* where the credentials came from: "environment", "sso:oncall", "role etl-ops via prod" */
  char *account, *arn; /* "" until known */
  char *label;         /* the person's word for it: "PROD"; or "" */
  int colour;          /* enum context_colour */
  char *notice;        /* what a person should know about the login though nothing failed; or "" */
  char *mfa_serial;    /* a code of this device is awaited (INTENT_GIVE_MFA); or "" */
  char *device_url, *device_code; /* :login waits for the person to confirm the code there; or "" */
  int64_t expires_ms;             /* of the credentials; WHEN_NONE: never or unknown */
  int64_t skew_ms;                /* server minus us */
  bool read_only;
  bool confirmed;   /* STS has agreed: writes are allowed */
  bool needs_login; /* polling stopped until somebody logs in */
  bool closed;      /* not open any more: show nothing of it (an index never changes) */
  uint32_t epoch;   /* grows with every switch; late answers carry the old one */
  int place;        /* index */
  struct freshness identity_fresh;
};

/* What may be opened by name: contexts of gluetop's own config file first, then profiles of AWS's files. Names, nothing else. */
struct context_choice {
  char *name;
  char *about; /* its Region, or profile and Region; or "" */
};

/* The colours of labels: a word of the config file, and what the theme makes of it. */
enum context_colour { CONTEXT_PLAIN, CONTEXT_RED, CONTEXT_YELLOW, CONTEXT_GREEN, CONTEXT_BLUE, CONTEXT_COLOUR_COUNT };
bool context_colour_parse(const char *word, int *colour);

/* A whole answer on show (WANT_JOB, WANT_RUN). */
struct doc_holder {
  struct arena arena;
  struct doc doc;
  char *raw; /* the answer's bytes */
  size_t raw_len;
  int64_t fetched_ms;
};

/* What went wrong, in the order it happened; what the status line and `problems` tell. */
struct problem {
  int context; /* -1: the program itself */
  enum err_kind kind;
  char *what;
  char *message;
  int64_t at_ms;
  unsigned count; /* the same again */
};

/* Fate of a write that was sent from here. */
enum change_result {
  CHANGE_PENDING,
  CHANGE_STARTED,
  CHANGE_STOPPING,
  CHANGE_REFUSED,
  CHANGE_UNCERTAIN,
  CHANGE_UNCHANGED
};
struct change {
  uint64_t intent_id; /* of the intent that asked for it */
  int context;
  strid job;
  strid run_id; /* of the run started or stopped; 0 when not known */
  enum change_result result;
  enum err_kind kind; /* for REFUSED and UNCERTAIN */
  char *message;      /* the service's text, or what we know */
  char *request_id;
  int64_t at_ms;
};

/* A run on show (WANT_RUN). */
struct run_doc {
  int place;
  strid job, run_id;
  struct doc_holder *doc; /* NULL until read */
  struct freshness fresh;
};

#define MODEL_PROBLEMS_MAX 200
#define MODEL_RUN_DOCS_MAX 64

struct model {
  struct strpool *strings;
  struct context *contexts;
  size_t context_count;
  struct context_choice *choices;
  size_t choice_count, choice_cap;
  struct place *places;
  size_t place_count;
  struct problem *problems; /* oldest first, at most MODEL_PROBLEMS_MAX */
  size_t problem_count, problem_cap;
  struct change *changes; /* oldest first */
  size_t change_count, change_cap;
  struct run_doc *run_docs; /* the last MODEL_RUN_DOCS_MAX that were on show */
  size_t run_doc_count, run_doc_cap;
  struct notices notices;
  struct polling polling;
  uint64_t generation; /* grows with every change at all, but for `polling` */
};

struct model *model_new(void);
void model_free(struct model *m);

/* --- reading -------------------------------------------------------------------------------------------------------- */
const char *model_str(const struct model *m, strid id);                    /* NULL for 0 */
const struct job *model_job(const struct model *m, int place, strid name); /* NULL when unknown; hashed */
/* A run by its id text; NULL when unknown. */
const struct run *model_run(const struct model *m, int place, strid job, const char *run_id);
/* The whole answer of a run; NULL when never read. fresh (may be NULL) gets its freshness, or NULL when nobody asked yet. */
const struct doc_holder *model_run_doc(const struct model *m, int place, strid job, strid run_id,
                                       const struct freshness **fresh);
/* DPU of a run or job: MaxCapacity, else worker type times workers; NAN when unknown (never taken as 1). */
double model_run_dpu(const struct model *m, const struct run *r);
double model_job_dpu(const struct model *m, const struct job *j);
/* Effective timeout in minutes: the run's, else the job's, else the default of its version. 0: none. -1: unknown. */
enum timeout_source { TIMEOUT_UNKNOWN, TIMEOUT_JOB, TIMEOUT_RUN, TIMEOUT_DEFAULT, TIMEOUT_NONE };
int32_t model_job_timeout(const struct model *m, const struct job *j, enum timeout_source *source);
int32_t model_run_timeout(const struct model *m, const struct job *j, const struct run *r, enum timeout_source *source);
/* When the run began to cost: CompletedOn - ExecutionTime when finished; now - ExecutionTime for a live one that reports it;
 * else first seen RUNNING; else StartedOn with *guessed. WHEN_NONE for runs that never cost (WAITING, EXPIRED, ERROR). */
int64_t model_run_began(const struct run *r, int64_t now_ms, bool *guessed);
/* Milliseconds since acceptance (live) or from acceptance to completion. */
int64_t model_run_elapsed_ms(const struct run *r, int64_t now_ms);

/* How many of the job's runs, from the newest on, can meet a window that begins at since_ms: the rest had ended before. */
size_t model_runs_reach(const struct job *j, int64_t since_ms);
/* How far back by StartedOn a job must be read so that no run that meets [since, …] is missed: a batch run lives at most 7 days,
 * a stream (and a job whose kind is not known) for ever, so those are read to the end (INT64_MIN). */
int64_t model_read_from(const struct job *j, int64_t since_ms);
/* Was every run that meets the window read, from the newest down, without a hole? (By the last reading: errors since are in runs_fresh.)
 * Whether a want is answered: model/answers.h. */
bool model_runs_read(const struct job *j, int64_t since_ms, int64_t until_ms);

/* --- changing (src/app only) ---------------------------------------------------------------------------------------- */
int model_add_context(struct model *m, const char *name, const char *profile, const char *region,
                      const char *region_source, const char *partition,
                      const char *endpoint); /* with a place of its own */
/* STS has spoken: fills account and arn, confirms the context; joins the place that already has this account, Region and endpoint if
 * there is one. When the place was known to be another account's, the context leaves it, its epoch grows, and rows of a place that no
 * open context leads to are cleared. */
void model_set_identity(struct model *m, int context, const struct identity *id, int64_t now_ms);
/* The Region of a context was found later (instance metadata), and with it its place's. Only before anything was asked there. */
void model_set_region(struct model *m, int context, const char *region, const char *region_source,
                      const char *partition, const char *endpoint);
/* Set one of the context's texts; tells whether it changed (the generation then grows). */
bool model_set_text(struct model *m, char **member, const char *text);
/* Where this login led the last time: the place's rows may be painted from the store, but the context is not confirmed. False when it
 * would share its rows with another open context: those are not mixed before STS has spoken. */
bool model_remember_identity(struct model *m, int context, const char *account, const char *arn);
void model_close_context(struct model *m,
                         int context);              /* epoch + 1; the place is cleared when nobody else leads to it */
void model_clear_place(struct model *m, int place); /* rows of an identity that turned out to be another */
/* asked_ms, here and below: when the question was sent (the answer is at least that new). */
struct job *model_put_job(struct model *m, int place, const struct job_data *d, int64_t asked_ms);
struct job *model_touch_job(struct model *m, int place, const char *name);                  /* known by name only */
struct job *model_list_job(struct model *m, int place, const char *name, int64_t asked_ms); /* ListJobs named it */
/* After a complete reading of the job list: jobs that were not in it are gone (their runs stay). */
void model_end_jobs(struct model *m, int place, int64_t reading_began_ms);
/* Insert or update; tells in *changed (may be NULL) whether anything that shows has changed. False: refused, since the run is of
 * another job or has no id. An answer older than what is known (by LastModifiedOn, else by when it was asked) changes nothing. */
bool model_put_run(struct model *m, int place, strid job, const struct run_data *d, int64_t asked_ms, bool *changed);
/* These are going to be put: room is made for them at one go, and no more than they need. */
void model_expect_runs(struct model *m, int place, strid job, const struct run_data *runs, size_t count);
/* Runs of the store, packed, newest first: cheap when all are older than what is there. They may lie where model_room_behind said. */
void model_adopt_runs(struct model *m, int place, strid job, const struct run *runs, size_t count);
/* Free places behind the job's runs, to be filled and then adopted; NULL: no such job. Valid until the next change of the job's runs. */
struct run *model_room_behind(struct model *m, int place, strid job, size_t count);
/* A run already packed (merge); its strings are of this model's pool. */
void model_put_packed_run(struct model *m, int place, strid job, const struct run *r);
/* to_end: nothing older exists at the service; from_ms is then taken as INT64_MIN. */
void model_add_span(struct model *m, int place, strid job, int64_t from_ms, int64_t to_ms, bool to_end);
/* Only a trigger or the person named it: the service's own list does not have it, and it has no runs. No job to show or to count. */
bool model_job_named_only(const struct place *p, const struct job *j);
bool model_span_covers(const struct job *j, int64_t from_ms, int64_t to_ms);
void model_put_triggers(struct model *m, int place, const struct trigger_data *d, size_t count, int64_t now_ms);
/* Whole answers. The holder is taken; *arena is taken over (its owner gets an empty one). */
struct doc_holder *doc_holder_new(struct arena *take, const struct doc *doc, const char *raw, size_t raw_len,
                                  int64_t fetched_ms);
void doc_holder_free(struct doc_holder *h);
void model_set_job_doc(struct model *m, int place, strid job, struct doc_holder *take);
struct run_doc *model_run_doc_slot(struct model *m, int place, strid job,
                                   strid run_id); /* finds or makes; valid until the next call */
void model_set_run_doc(struct model *m, int place, strid job, strid run_id, struct doc_holder *take);
void model_add_problem(struct model *m, int context, const struct err *e, int64_t now_ms);
struct change *model_add_change(struct model *m, uint64_t intent_id, int context, strid job, strid run_id,
                                int64_t now_ms);
struct job *model_job_mutable(struct model *m, int place, strid name);
void model_touch(struct model *m); /* generation + 1 */

void freshness_init(struct freshness *f);
void freshness_fini(struct freshness *f);
void freshness_good(struct freshness *f, int64_t now_ms, bool complete);
void freshness_bad(struct freshness *f, struct err take, int64_t now_ms, int64_t next_try_ms);

#endif
