/* The field table of runs: names and meanings are the contract of `gluetop runs -o json`. */
#include "report/report.h"

#include "report/value.h"

#define FIELD(name) static struct value get_##name(const struct report_scope *s, const struct report_row *row)

FIELD(job)
{
  return value_pooled(s, row->job->name);
}

FIELD(id)
{
  static char text[RUN_ID_MAX];
  return value_string(run_id_text(row->run, s->model->strings, text));
}

FIELD(attempt)
{
  (void)s;
  return value_count(row->run->attempt);
}

FIELD(previous_run_id)
{
  return value_pooled(s, row->run->previous_run_id);
}

FIELD(state)
{
  const struct run *r = row->run;
  return r->state == RUN_STATE_UNKNOWN ? value_pooled(s, r->state_text) : value_string(run_state_info(r->state)->word);
}

FIELD(state_detail)
{
  return value_pooled(s, row->run->state_detail);
}

FIELD(finished)
{
  (void)s;
  return value_bool(run_finished(row->run));
}

FIELD(started_at)
{
  (void)s;
  return value_time(row->run->started_ms);
}

FIELD(began_at)
{
  bool guessed = false;
  return value_time(model_run_began(row->run, s->now_ms, &guessed));
}

FIELD(completed_at)
{
  (void)s;
  return value_time(row->run->completed_ms);
}

FIELD(execution_seconds)
{
  (void)s;
  return value_count(row->run->execution_seconds);
}

FIELD(elapsed_seconds)
{
  return row->run->started_ms == WHEN_NONE ? value_null()
                                           : value_count(model_run_elapsed_ms(row->run, s->now_ms) / WHEN_SECOND);
}

FIELD(timeout_minutes)
{
  enum timeout_source source = TIMEOUT_UNKNOWN;
  int32_t minutes = model_run_timeout(s->model, row->job, row->run, &source);
  return source == TIMEOUT_UNKNOWN || source == TIMEOUT_NONE ? value_null() : value_count(minutes);
}

FIELD(worker_type)
{
  return value_pooled(s, row->run->worker_type);
}

FIELD(workers)
{
  (void)s;
  return value_count(row->run->workers);
}

FIELD(max_capacity)
{
  (void)s;
  return value_double(row->run->max_capacity);
}

FIELD(dpu)
{
  return value_double(model_run_dpu(s->model, row->run));
}

FIELD(execution_class)
{
  (void)s;
  return value_string(execution_class_word(row->run->execution_class));
}

FIELD(glue_version)
{
  return value_pooled(s, row->run->glue_version);
}

FIELD(trigger)
{
  return value_pooled(s, row->run->trigger);
}

FIELD(error)
{
  return value_pooled(s, row->run->error);
}

/* The causes of failures are a table of their own that has not come yet. */
FIELD(error_kind)
{
  (void)s;
  (void)row;
  return value_null();
}

/* A live run whose job could not be read when it was last tried. A finished run does not go stale. */
FIELD(stale)
{
  (void)s;
  return value_bool(!run_finished(row->run) && err_is(&row->job->runs_fresh.last_err));
}

FIELD(fetched_at)
{
  (void)s;
  return value_time(row->run->fetched_ms);
}

static struct cost cost(const struct report_scope *s, const struct report_row *row)
{
  return cost_of_run(s->model, s->prices, row->place, row->job, row->run, s->now_ms);
}

FIELD(dpu_seconds)
{
  struct cost c = cost(s, row);
  return c.dpu_basis == COST_UNKNOWN ? value_null() : value_double((double)c.dpu_micros / 1e6);
}

FIELD(dpu_basis)
{
  return value_string(cost_basis_word(cost(s, row).dpu_basis));
}

FIELD(usd)
{
  struct cost c = cost(s, row);
  return c.usd_basis == COST_UNKNOWN ? value_null() : value_money(c.nano);
}

FIELD(usd_basis)
{
  return value_string(cost_basis_word(cost(s, row).usd_basis));
}

const struct report_field report_run_fields[] = {
    {"job", "JOB", get_job, NULL},
    {"id", "RUN", get_id, NULL},
    {"attempt", NULL, get_attempt, NULL},
    {"previous_run_id", NULL, get_previous_run_id, NULL},
    {"state", "STATE", get_state, NULL},
    {"state_detail", NULL, get_state_detail, NULL},
    {"finished", NULL, get_finished, NULL},
    {"started_at", "STARTED", get_started_at, NULL},
    {"began_at", NULL, get_began_at, NULL},
    {"completed_at", NULL, get_completed_at, NULL},
    {"execution_seconds", NULL, get_execution_seconds, NULL},
    {"elapsed_seconds", "ELAPSED", get_elapsed_seconds, NULL},
    {"timeout_minutes", "LIMIT(MIN)", get_timeout_minutes, NULL},
    {"worker_type", NULL, get_worker_type, NULL},
    {"workers", NULL, get_workers, NULL},
    {"max_capacity", NULL, get_max_capacity, NULL},
    {"dpu", "DPU", get_dpu, NULL},
    {"dpu_seconds", NULL, get_dpu_seconds, NULL},
    {"dpu_basis", NULL, get_dpu_basis, NULL},
    {"usd", "USD", get_usd, NULL},
    {"usd_basis", NULL, get_usd_basis, NULL},
    {"execution_class", NULL, get_execution_class, NULL},
    {"glue_version", "GLUE", get_glue_version, NULL},
    {"trigger", NULL, get_trigger, NULL},
    {"error", "ERROR", get_error, NULL},
    {"error_kind", NULL, get_error_kind, NULL},
    {"stale", NULL, get_stale, NULL},
    {"fetched_at", NULL, get_fetched_at, NULL},
};
const size_t report_run_field_count = sizeof report_run_fields / sizeof report_run_fields[0];
