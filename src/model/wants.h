/* What a front end needs to know. Views and commands say it each turn; the poller serves it, what is on the screen first.
 * A want is a question about the world, not a request: two wants for the same thing cost one request. */
#ifndef GLUETOP_MODEL_WANTS_H
#define GLUETOP_MODEL_WANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strpool.h"

enum want_kind {
  WANT_IDENTITY, /* sts:GetCallerIdentity of a context */
  WANT_JOBS,     /* every job definition of a context */
  WANT_TRIGGERS, /* every trigger */
  WANT_JOB,      /* the whole definition of one job, as a doc (GetJob) */
  WANT_RUNS,     /* runs of one job that meet [since, until] */
  WANT_ALL_RUNS, /* runs of every job that meet [since, until] */
  WANT_RUN,      /* one run as a doc (GetJobRun) */
  WANT_PRICES,   /* what the Price List says of the Region; a wish, which nobody waits long for */
  WANT_QUOTAS    /* the account's quotas; the same */
};

enum want_urgency { WANT_ON_SCREEN, WANT_BEHIND };

struct want {
  enum want_kind kind;
  enum want_urgency urgency;
  int context;      /* index in the model; -1: all open contexts */
  strid job;        /* WANT_JOB, WANT_RUNS, WANT_RUN */
  strid run_id;     /* WANT_RUN */
  int64_t since_ms; /* INT64_MIN: everything the service has */
  int64_t until_ms; /* INT64_MAX: and what is still to come */
};

struct wants {
  struct want *items;
  size_t count;
  size_t cap;
};

void wants_init(struct wants *w);
void wants_fini(struct wants *w);
void wants_clear(struct wants *w);
/* Merges with an equal want (the wider window and the higher urgency win). */
void wants_add(struct wants *w, const struct want *want);

#endif
