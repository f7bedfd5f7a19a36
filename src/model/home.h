/* What needs a person now, worst first, each with its reason and what deals with it. */
#ifndef GLUETOP_MODEL_HOME_H
#define GLUETOP_MODEL_HOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/burn.h"
#include "model/collisions.h"
#include "model/timeouts.h"

enum home_severity { HOME_ERROR, HOME_WARNING, HOME_HINT };
const char *home_severity_word(enum home_severity s); /* "error", "warning", "hint" */

enum home_kind {
  HOME_LOGIN,        /* a context needs somebody to log in; job is 0 */
  HOME_FAILED,       /* the last start of a job failed (its last attempt) */
  HOME_TIMEOUT_NEAR, /* a run will hit its timeout */
  HOME_STUCK,        /* a run waits for a slot or for capacity */
  HOME_REJECTED,     /* a start made here was refused */
  HOME_OVERDUE,      /* a planned time passed without a run */
  HOME_COSTLY,       /* a run costs more than twice the usual */
  HOME_UNREADABLE    /* something could not be read, so this list is not complete */
};
/* What deals with it: front ends translate it to their key. */
enum home_remedy { HOME_OPEN_RUN, HOME_OPEN_JOB, HOME_OPEN_HOLDER, HOME_OPEN_TRIGGER, HOME_LOG_IN, HOME_OPEN_PROBLEMS };

struct home_item {
  enum home_severity severity;
  enum home_kind kind;
  enum home_remedy remedy;
  int place;   /* -1: of a context */
  int context; /* -1: of a place */
  strid job;
  bool has_run;
  struct run run;
  int64_t since_ms; /* when the trouble began; WHEN_NONE */
  char *what;       /* "failed, 3rd time in 24h"; owned; cleaned of nothing: it holds the service's words */
  char *reason;     /* "access denied on s3://…": first line of the error; owned; "" when there is none */
};
struct home_result {
  struct home_item *items; /* worst first, then newest first */
  size_t count, cap;
  size_t errors, warnings;
  size_t jobs_watched;
  size_t jobs_unread;       /* jobs whose latest runs are not known */
  int64_t looking_since_ms; /* the oldest moment whose troubles would be seen */
};
void home_init(struct home_result *h);
void home_fini(struct home_result *h);

#define HOME_STUCK_MS   (5 * WHEN_MINUTE)  /* waiting less is nobody's business */
#define HOME_OVERDUE_MS (10 * WHEN_MINUTE) /* how late a start may be */

/* What the other boards have found is taken from them (any may be NULL: then that kind is missing). since_ms: how far back a failure
 * matters when no later start of the job succeeded. */
void home_fill(struct home_result *h, const struct model *m, const struct burn_result *burn,
               const struct collisions_result *collisions, const struct timeouts_result *timeouts, int place,
               int64_t since_ms, int64_t now_ms);

#endif
