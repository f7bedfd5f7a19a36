/* Has a want been answered, and how well? One rule for the commands' `complete` and `problems` and for what a view says it does not know. */
#ifndef GLUETOP_MODEL_ANSWERS_H
#define GLUETOP_MODEL_ANSWERS_H

#include "model/model.h"
#include "model/wants.h"

enum answer_state {
  ANSWER_WHOLE,   /* read to its end, and nothing failed since */
  ANSWER_PARTIAL, /* something is there, but not all of it, or it could not be read again */
  ANSWER_NONE     /* nothing yet, or it failed */
};

struct answer {
  enum want_kind kind;
  enum answer_state state;
  int context;           /* whose question it was */
  const struct err *why; /* the last error of it; NULL when there was none */
  const char *what;      /* "runs of orders-silver"; valid during the visit */
};

typedef void answer_fn(void *user, const struct answer *a);
/* Visits each single thing that the want asks for: a want for all runs is visited once for each job. */
void answers_visit(const struct model *m, const struct want *w, int64_t now_ms, answer_fn *fn, void *user);

#endif
