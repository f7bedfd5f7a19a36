/* What to ask next. Pure: it sees the model, the wants and the moment, keeps its own books, and sends nothing: the app sends what
 * poller_next gives out, puts the answers into the model and tells the poller what came of them (poller_note).
 *
 * Rules: what is on the screen first, then runs in flight, then what is due by its schedule, then the rest, the less often the less it
 * runs. A list is read to its end: an empty page with a token is not the end, an empty token is; a token that comes again ends it as
 * incomplete, and so does the page budget. Runs of a job are read newest first until the newest run that was known before is passed and
 * history is covered as deep as a want asks (model_read_from); an answer that is not newest first makes the job one that is read
 * to its end each time. GetJobs that is denied or unknown gives way to ListJobs and BatchGetJobs.
 *
 * Times: `mono_ms` orders the asking, `wall_ms` is for windows and dates. */
#ifndef GLUETOP_SYNC_POLLER_H
#define GLUETOP_SYNC_POLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "model/model.h"
#include "model/wants.h"
#include "sync/budget.h"

#define ASK_BATCH_MAX 25 /* names in one BatchGetJobs */

enum ask_kind {
  ASK_IDENTITY,  /* sts:GetCallerIdentity */
  ASK_JOBS,      /* a page of GetJobs */
  ASK_JOB_NAMES, /* a page of ListJobs */
  ASK_JOB_BATCH, /* BatchGetJobs of `names` */
  ASK_TRIGGERS,  /* a page of GetTriggers */
  ASK_RUNS,      /* a page of GetJobRuns */
  ASK_JOB,       /* GetJob, the whole definition for show */
  ASK_RUN        /* GetJobRun: for show, or a live run too old for the first pages */
};

/* Why it is asked: the order of the poller, and what the Polling view says. */
enum ask_why { ASK_WHY_SCREEN, ASK_WHY_FIRST, ASK_WHY_LIVE, ASK_WHY_SCHEDULE, ASK_WHY_REST, ASK_WHY_COUNT };
const char *ask_why_text(enum ask_why why);

struct ask {
  uint64_t id; /* of the poller; never 0 */
  enum ask_kind kind;
  enum ask_why why;
  bool first;    /* begins a reading */
  bool for_show; /* the whole answer is wanted as a doc (ASK_JOB, ASK_RUN) */
  int context, place;
  uint32_t context_epoch, place_epoch;
  strid job, run_id;
  char *token; /* owned by the ask; NULL: the first page */
  int page_size;
  strid names[ASK_BATCH_MAX];
  size_t name_count;
};
void ask_fini(struct ask *a);

/* What came of an ask. */
struct ask_outcome {
  enum err_kind kind;     /* ERR_OK: answered */
  bool unsupported;       /* the service does not know the operation */
  const char *next_token; /* NULL or "": the end */
  size_t count;           /* rows on the page */
  int64_t sent_wall_ms;   /* when the ask left */
  /* ASK_RUNS, over the rows that had a StartedOn; WHEN_NONE when none had */
  int64_t newest_ms, oldest_ms;
  bool ordered;  /* newest first within the page */
  bool left_out; /* the page held rows that nothing could be made of: the reading is not whole */
};

/* What the app does to the model on top of the rows. */
struct ask_effect {
  bool done;        /* the reading has ended */
  bool complete;    /* ... and nothing was left out */
  bool names_done;  /* every job's name is known now: those not named since began_ms are gone (with or before done) */
  bool failed;      /* given up for now; nobody waits for it any more */
  bool told;        /* it went wrong for long enough to be said, given up or not */
  int64_t began_ms; /* wall time at which the reading's first page was asked for */
  int64_t next_try_ms; /* wall; WHEN_NONE: nothing planned */
  const char *trouble; /* why a reading ended early, one sentence; or NULL */
  /* ASK_RUNS */
  bool add_span, to_end;
  int64_t from_ms, to_ms;
  bool unordered;
};

struct poller_options {
  int concurrency;                /* asks in flight; 0: 16, and two more for the screen */
  int max_pages;                  /* of one reading; 0: 10,000 */
  double refresh_seconds;         /* of what is on the screen or in flight; < 0: the built-in rhythm; 0: only by hand */
  double max_requests_per_second; /* 0: no fixed limit */
  uint64_t seed;
};

/* How a context stands, index by index as in the model. */
enum poller_login { POLLER_LOGIN_WORKING, POLLER_LOGIN_READY, POLLER_LOGIN_FAILED };

struct poller_now {
  int64_t wall_ms, mono_ms;
  const enum poller_login *logins; /* one for each context of the model */
  bool looked_at;                  /* false: the terminal has lost the focus, so everything may take longer */
};

struct poller;
struct poller *poller_new(const struct poller_options *options);
void poller_free(struct poller *p);

/* Give out up to cap asks; each counts as in flight until its note. Returns how many. */
size_t poller_next(struct poller *p, const struct model *m, const struct wants *w, const struct poller_now *now,
                   struct ask *out, size_t cap);
/* Monotonic ms at which poller_next may have something though nothing else happens; INT64_MAX: never. Of the last poller_next. */
int64_t poller_next_ms(const struct poller *p);
/* Exactly once for each ask given out. Call it when the rows of the page are in the model. */
struct ask_effect poller_note(struct poller *p, const struct model *m, const struct ask *a, const struct ask_outcome *o,
                              const struct poller_now *now);
/* The ask was dropped: its context or place changed, or it was cancelled. */
void poller_forget(struct poller *p, const struct model *m, const struct ask *a);
/* Tries that the transport made by itself, and how many before them were refused for the rate: they come out of the budget too. */
void poller_retried(struct poller *p, int place, uint64_t tries, uint64_t throttled, int64_t mono_ms);
/* A request that a person waits for has left without being asked about: the rest waits a little longer. */
void poller_spent(struct poller *p, int place, int64_t mono_ms);

/* Nothing in flight, and every want of the last poller_next answered: well, or given up. A context whose login failed answers nothing more. */
bool poller_quiet(const struct poller *p, const struct model *m, const struct poller_now *now);
size_t poller_in_flight(const struct poller *p);

/* Ask again now for everything the wants name (the person pressed r). */
void poller_refresh(struct poller *p, const struct model *m, const struct wants *w);
/* A job's runs have changed by our own hand: look soon and often for a minute. */
void poller_watch_job(struct poller *p, const struct model *m, int place, strid job, int64_t mono_ms);
/* Other keys: STS must say anew whose account this is, and reads wait a moment for it. */
void poller_doubt_identity(struct poller *p, int context);
/* A login works again: its failures are forgotten, what is late is asked now. */
void poller_resume(struct poller *p, const struct model *m, int context);

/* How the asking of a place stands; rows in flight first, then by when they are due. False: nothing was asked there yet. */
bool poller_status(const struct poller *p, const struct model *m, int place, const struct poller_now *now,
                   struct polling_place *out);

/* May a request leave now that nobody waits for? Takes it from the place's budget. Where the rate is limited it waits until everything else
 * is read, unless it is impatient. False: *again is when to ask anew (monotonic ms), INT64_MAX when something else has to happen first. */
bool poller_take_spare(struct poller *p, const struct model *m, int place, const struct poller_now *now, bool impatient,
                       int64_t *again);

struct budget *poller_budget(struct poller *p, int place); /* NULL when nothing was asked there yet */

#endif
