/* What follows from a run's times and from its definition: when it began to cost, how long it takes, its size, its limit. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/sum.h"
#include "model/worker.h"

#define TIMEOUT_DEFAULT_NEW 480  /* Glue 5.0 and later, and "auto" */
#define TIMEOUT_DEFAULT_OLD 2880 /* up to 4.0, and Python shell */
/* The longest a batch run may take: its largest timeout (10,080 minutes). */
#define BATCH_RUN_MAX_MS (7 * WHEN_DAY)

bool run_finished(const struct run *r)
{
  return run_state_info((enum run_state)r->state)->finished;
}

int64_t run_end(const struct run *r)
{
  int64_t end = r->completed_ms != WHEN_NONE ? r->completed_ms : r->modified_ms;
  if (end == WHEN_NONE || (r->started_ms != WHEN_NONE && end < r->started_ms))
    end = r->started_ms;
  return end;
}

bool run_meets(const struct run *r, int64_t since_ms, int64_t until_ms, int64_t now_ms)
{
  int64_t from = r->started_ms;
  int64_t to = now_ms;
  if (run_finished(r)) {
    to = run_end(r);
    if (to == WHEN_NONE)
      return true; /* no time at all: rather shown than hidden */
  } else if (from != WHEN_NONE && to < from) {
    to = from; /* a clock ahead of ours */
  }
  return (from == WHEN_NONE || from <= until_ms) && to >= since_ms;
}

int64_t model_run_began(const struct run *r, int64_t now_ms, bool *guessed)
{
  bool dummy;
  if (guessed == NULL)
    guessed = &dummy;
  *guessed = false;
  enum run_state state = (enum run_state)r->state;
  const struct run_state_info *info = run_state_info(state);
  bool measured = info->finished ? r->execution_seconds >= 0 : r->execution_seconds > 0;
  if (!info->billed && !(state == RUN_STATE_UNKNOWN && measured))
    return WHEN_NONE;
  if (measured) {
    int64_t end = info->finished ? r->completed_ms : now_ms;
    if (end != WHEN_NONE) {
      *guessed = info->finished && (r->flags & RUN_FLAG_COMPLETED_GUESSED) != 0;
      return sum_less(end, (int64_t)r->execution_seconds * WHEN_SECOND);
    }
  }
  if (r->first_running_ms != WHEN_NONE)
    return r->first_running_ms;
  *guessed = r->started_ms != WHEN_NONE;
  return r->started_ms;
}

int64_t model_run_elapsed_ms(const struct run *r, int64_t now_ms)
{
  if (r->started_ms == WHEN_NONE)
    return 0;
  int64_t end = run_finished(r) ? run_end(r) : now_ms;
  return end > r->started_ms ? sum_less(end, r->started_ms) : 0;
}

static double dpu_of(const struct model *m, double max_capacity, strid worker_type, int32_t workers)
{
  if (!isnan(max_capacity) && max_capacity > 0)
    return max_capacity;
  const char *name = model_str(m, worker_type);
  const struct worker_type *type = name == NULL ? NULL : worker_type_find(name);
  if (type == NULL || workers <= 0)
    return (double)NAN;
  return type->dpu * workers;
}

double model_run_dpu(const struct model *m, const struct run *r)
{
  return dpu_of(m, r->max_capacity, r->worker_type, r->workers);
}

double model_job_dpu(const struct model *m, const struct job *j)
{
  return dpu_of(m, j->max_capacity, j->worker_type, j->workers);
}

static int32_t timeout_give(int32_t minutes, enum timeout_source from, enum timeout_source *source)
{
  if (source != NULL)
    *source = minutes == 0 ? TIMEOUT_NONE : from;
  return minutes;
}

static int32_t timeout_default(const char *version, enum timeout_source *source)
{
  if (version != NULL && strcmp(version, "auto") == 0)
    return timeout_give(TIMEOUT_DEFAULT_NEW, TIMEOUT_DEFAULT, source);
  char *end = NULL;
  long major = version == NULL ? 0 : strtol(version, &end, 10);
  if (version == NULL || end == version || (*end != '.' && *end != '\0') || major < 0)
    return timeout_give(-1, TIMEOUT_UNKNOWN, source);
  return timeout_give(major >= 5 ? TIMEOUT_DEFAULT_NEW : TIMEOUT_DEFAULT_OLD, TIMEOUT_DEFAULT, source);
}

static int32_t timeout_of(const struct model *m, const struct job *j, const struct run *r, enum timeout_source *source)
{
  if (j != NULL && j->type == JOB_RAY) /* refuses Timeout */
    return timeout_give(0, TIMEOUT_NONE, source);
  if (r != NULL && r->timeout_minutes >= 0)
    return timeout_give(r->timeout_minutes, TIMEOUT_RUN, source);
  if (j != NULL && j->timeout_minutes >= 0)
    return timeout_give(j->timeout_minutes, TIMEOUT_JOB, source);
  enum job_type type = j == NULL ? JOB_TYPE_OTHER : j->type;
  if (type == JOB_STREAMING)
    return timeout_give(0, TIMEOUT_NONE, source);
  if (type == JOB_PYTHON_SHELL)
    return timeout_give(TIMEOUT_DEFAULT_OLD, TIMEOUT_DEFAULT, source);
  if (type != JOB_SPARK)
    return timeout_give(-1, TIMEOUT_UNKNOWN, source);
  strid version = r != NULL && r->glue_version != 0 ? r->glue_version : j->glue_version;
  return timeout_default(model_str(m, version), source);
}

int32_t model_job_timeout(const struct model *m, const struct job *j, enum timeout_source *source)
{
  return timeout_of(m, j, NULL, source);
}

int32_t model_run_timeout(const struct model *m, const struct job *j, const struct run *r, enum timeout_source *source)
{
  return timeout_of(m, j, r, source);
}

int64_t model_read_from(const struct job *j, int64_t since_ms)
{
  bool batch = j->type == JOB_SPARK || j->type == JOB_PYTHON_SHELL; /* Ray knows no timeout */
  if (!batch || since_ms < INT64_MIN + BATCH_RUN_MAX_MS)
    return INT64_MIN;
  return since_ms - BATCH_RUN_MAX_MS;
}
