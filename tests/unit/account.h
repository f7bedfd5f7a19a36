/* A small account for tests of what follows from the model: one place, jobs and runs with the defaults of an ordinary Spark job. */
#ifndef GLUETOP_TESTS_ACCOUNT_H
#define GLUETOP_TESTS_ACCOUNT_H

#include <math.h>
#include <stdio.h>
#include "base/when.h"
#include "model/model.h"

#define ACCOUNT_UNUSED __attribute__((unused))

/* A place of its own in the Region; returns its index. */
ACCOUNT_UNUSED static int account_open(struct model *m, const char *region, const char *account)
{
  int context = model_add_context(m, region, "", region, "option", "aws", "");
  struct identity id = {.account = account, .arn = "arn:aws:iam::111122223333:user/oncall", .user_id = "x"};
  model_set_identity(m, context, &id, 0);
  return m->contexts[context].place;
}

ACCOUNT_UNUSED static struct job_data account_job_data(const char *name)
{
  return (struct job_data){.name = name,
                           .command_name = "glueetl",
                           .worker_type = "G.1X",
                           .glue_version = "4.0",
                           .execution_class = "STANDARD",
                           .created_ms = 0,
                           .modified_ms = 0,
                           .max_concurrent_runs = 1,
                           .max_retries = 0,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = 10,
                           .notify_delay_minutes = RECORD_ABSENT,
                           .max_capacity = 10};
}

ACCOUNT_UNUSED static strid account_job(struct model *m, int place, const char *name)
{
  struct job_data d = account_job_data(name);
  return model_put_job(m, place, &d, 1)->name;
}

/* Ids come from a number: jr_ and 64 hex digits. */
ACCOUNT_UNUSED static const char *account_run_id(unsigned n, char out[80])
{
  snprintf(out, 80, "jr_%056x%08x", 0xabcu, n);
  return out;
}

/* A run that began `seconds` before it ended, both in ms; ended WHEN_NONE: alive and RUNNING. */
ACCOUNT_UNUSED static struct run_data account_run_data(const char *id, const char *state, int64_t started_ms,
                                                       int64_t ended_ms)
{
  return (struct run_data){.id = id,
                           .state = state,
                           .worker_type = "G.1X",
                           .glue_version = "4.0",
                           .execution_class = "STANDARD",
                           .started_ms = started_ms,
                           .modified_ms = ended_ms == WHEN_NONE ? started_ms : ended_ms,
                           .completed_ms = ended_ms,
                           .attempt = 0,
                           .execution_seconds = ended_ms == WHEN_NONE ? 0 : (ended_ms - started_ms) / WHEN_SECOND,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = 10,
                           .max_capacity = 10,
                           .dpu_seconds = (double)NAN};
}

ACCOUNT_UNUSED static const struct run *account_run(struct model *m, int place, strid job, const struct run_data *d,
                                                    int64_t asked_ms)
{
  model_put_run(m, place, job, d, asked_ms, NULL);
  return model_run(m, place, job, d->id);
}

/* A small generator, the same everywhere. */
ACCOUNT_UNUSED static uint32_t account_random(uint32_t *seed, uint32_t below)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

#endif
