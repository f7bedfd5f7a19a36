/* What happened while we looked, and while nobody looked: changes of state that matter. The Events view, the bell and the hook tell them.
 * Kept by the model, oldest first, at most NOTICES_MAX. */
#ifndef GLUETOP_MODEL_NOTICES_H
#define GLUETOP_MODEL_NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strpool.h"

#define NOTICES_MAX 1000

enum notice_kind {
  NOTICE_FAILED, /* a run failed, ended in ERROR or EXPIRED */
  NOTICE_TIMED_OUT,
  NOTICE_COLLIDED,     /* a run failed because it met a concurrency limit */
  NOTICE_NEAR_TIMEOUT, /* a live run has used 80 % of its limit */
  NOTICE_RECOVERED,    /* the first success of a job after a failure */
  NOTICE_STOPPED,
  NOTICE_LOGIN,  /* a context needs a login, or works again */
  NOTICE_BUDGET, /* what is spent has gone beyond a budget of the config file */
  NOTICE_KIND_COUNT
};

enum notice_severity { NOTICE_BAD, NOTICE_WARN, NOTICE_GOOD };

struct notice {
  uint64_t number; /* grows by one; never used again */
  enum notice_kind kind;
  enum notice_severity severity;
  int place;   /* -1: of no place */
  int context; /* NOTICE_LOGIN; else -1 */
  strid job, run_id;
  strid text;      /* the error, or what else there is to say; 0 */
  int64_t at_ms;   /* when it happened, by the service's word where there is one */
  int64_t seen_ms; /* when we learned it */
};

struct notices {
  struct notice *items;
  size_t count, cap;
  uint64_t last_number;
  uint64_t looked_at; /* events up to this number were on the screen of somebody who looked (INTENT_SEEN) */
};

struct jw;

const char *notice_kind_word(enum notice_kind kind); /* "failed", "timed out": stable, used in the hook's JSON */

struct model;
/* As an object: what `E` writes and what the hook gets. */
void notice_write_json(const struct model *m, const struct notice *n, struct jw *w);
/* How many came since somebody looked. */
size_t notices_unseen(const struct model *m);

/* src/app only. number and severity are filled in; the same kind of the same run is told once. */
void model_add_notice(struct model *m, const struct notice *add);
void model_see_notices(struct model *m, uint64_t up_to);

#endif
