/* What a person asks for. Views and commands fill intents; the app carries them out. The only way from a key to the world. */
#ifndef GLUETOP_APP_INTENT_H
#define GLUETOP_APP_INTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/records.h"

struct run;

enum intent_kind {
  INTENT_NONE = 0,
  INTENT_QUIT,    /* leave, when no write is under way or the person has agreed */
  INTENT_REFRESH, /* ask the service again for what is wanted now */
  INTENT_START_RUN,
  INTENT_STOP_RUNS,
  INTENT_LOGIN_RETRY,  /* a context that needs a login: try again */
  INTENT_LOGIN_DEVICE, /* :login: SSO device authorisation of a context */
  INTENT_GIVE_MFA,
  INTENT_OPEN_CONTEXT,   /* add a context (text: PROFILE[@REGION]) */
  INTENT_SWITCH_CONTEXT, /* replace all open contexts by this one */
  INTENT_CLOSE_CONTEXT,
  INTENT_SEEN,   /* the Events view was looked at: workers holds the number of the newest event shown */
  INTENT_BUDGET, /* a budget of the config file was crossed (text: which, and by what): an event */
  INTENT_FOCUS /* the terminal says whether somebody looks (text "in" or "out"): polling slows down while nobody does */
};

struct intent {
  enum intent_kind kind;
  uint64_t id; /* given by intents_add; results in the model (struct change) carry it */
  int context;
  uint32_t context_epoch; /* of the context when the dialog was shown: another epoch refuses the write */
  char *job;              /* owned, all of them */
  char **run_ids;
  size_t run_id_count;
  char *text; /* code, context name */
  /* START_RUN */
  char **argument_keys, **argument_values;
  size_t argument_count;
  char *worker_type;
  int64_t workers;         /* RECORD_ABSENT: the job's own */
  int64_t timeout_minutes; /* RECORD_ABSENT: the job's own */
  double max_capacity;     /* DPU, of jobs without workers; NaN: the job's own */
  char *execution_class;
};

struct intents {
  struct intent *items;
  size_t count, cap;
  uint64_t last_id;
};

void intents_init(struct intents *i);
void intents_fini(struct intents *i);
void intents_clear(struct intents *i);
/* An empty intent of that kind to be filled; members are owned by the list. Valid until the next add. */
struct intent *intents_add(struct intents *i, enum intent_kind kind);
void intent_add_run(struct intent *i, const char *run_id);
void intent_add_argument(struct intent *i, const char *key, const char *value);
/* The size, limit and class of an earlier run, where the intent says nothing of them yet. worker_type: of that run; NULL. */
void intent_be_like(struct intent *i, const struct run *run, const char *worker_type);

#endif
