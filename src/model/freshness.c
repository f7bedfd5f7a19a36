#include "model/model.h"

void freshness_init(struct freshness *f)
{
  *f = (struct freshness){.fetched_ms = WHEN_NONE, .tried_ms = WHEN_NONE, .next_try_ms = WHEN_NONE};
}

void freshness_fini(struct freshness *f)
{
  err_fini(&f->last_err);
}

void freshness_good(struct freshness *f, int64_t now_ms, bool complete)
{
  f->fetched_ms = now_ms;
  f->tried_ms = now_ms;
  err_fini(&f->last_err);
  f->in_flight = false;
  f->complete = complete;
}

/* What is known stays, complete or not: only its age grows, and the reason is told. */
void freshness_bad(struct freshness *f, struct err take, int64_t now_ms, int64_t next_try_ms)
{
  err_fini(&f->last_err);
  f->last_err = take;
  f->tried_ms = now_ms;
  f->next_try_ms = next_try_ms;
  f->in_flight = false;
}
