/* The field table of jobs: names and meanings are the contract of `gluetop jobs -o json`. */
#include "report/report.h"

#include "model/schedule.h"
#include "report/value.h"

#define FIELD(name) static struct value get_##name(const struct report_scope *s, const struct report_row *row)

FIELD(name)
{
  return value_pooled(s, row->job->name);
}

FIELD(type)
{
  return value_pooled(s, row->job->command_name);
}

/* null means SCRIPT, says the service's own page */
FIELD(mode)
{
  const char *mode = model_str(s->model, row->job->mode);
  return mode || !row->job->defined ? value_string(mode) : value_string("SCRIPT");
}

FIELD(glue_version)
{
  return value_pooled(s, row->job->glue_version);
}

FIELD(worker_type)
{
  return value_pooled(s, row->job->worker_type);
}

FIELD(workers)
{
  (void)s;
  return value_count(row->job->workers);
}

FIELD(max_capacity)
{
  (void)s;
  return value_double(row->job->max_capacity);
}

FIELD(dpu)
{
  return value_double(model_job_dpu(s->model, row->job));
}

FIELD(execution_class)
{
  (void)s;
  return row->job->defined ? value_string(execution_class_word(row->job->execution_class)) : value_null();
}

FIELD(timeout_minutes)
{
  enum timeout_source source = TIMEOUT_UNKNOWN;
  int32_t minutes = model_job_timeout(s->model, row->job, &source);
  return source == TIMEOUT_JOB || source == TIMEOUT_DEFAULT ? value_count(minutes) : value_null();
}

FIELD(timeout_source)
{
  enum timeout_source source = TIMEOUT_UNKNOWN;
  static const char *const words[] = {[TIMEOUT_UNKNOWN] = NULL,
                                      [TIMEOUT_JOB] = "job",
                                      [TIMEOUT_RUN] = "job",
                                      [TIMEOUT_DEFAULT] = "default",
                                      [TIMEOUT_NONE] = "none"};
  model_job_timeout(s->model, row->job, &source);
  return value_string(words[source]);
}

FIELD(max_concurrent_runs)
{
  (void)s;
  /* the service's documented default */
  return !row->job->defined ? value_null()
                            : value_count(row->job->max_concurrent_runs < 0 ? 1 : row->job->max_concurrent_runs);
}

static struct value tristate(enum tristate t, bool known)
{
  return known ? value_bool(t == TRI_TRUE) : value_null();
}

FIELD(queuing)
{
  (void)s;
  return tristate(row->job->queuing, row->job->defined);
}

FIELD(max_retries)
{
  (void)s;
  return value_count(row->job->max_retries);
}

FIELD(auto_scaling)
{
  (void)s;
  return tristate(row->job->auto_scaling, row->job->defined);
}

FIELD(bookmark)
{
  (void)s;
  static const char *const words[] = {[BOOKMARK_ABSENT] = NULL,
                                      [BOOKMARK_ENABLE] = "enable",
                                      [BOOKMARK_DISABLE] = "disable",
                                      [BOOKMARK_PAUSE] = "pause"};
  return value_string(words[row->job->bookmark]);
}

/* Schedules of the triggers that start this job and are on. */
static void write_schedule(const struct report_scope *s, const struct report_row *row, struct jw *w)
{
  const struct place *p = &s->model->places[row->place];
  jw_array(w);
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    bool ours = false;
    for (size_t k = 0; k < t->action_count; k++) {
      ours = ours || t->actions[k].job == row->job->name;
    }
    if (ours && t->schedule) {
      jw_str(w, model_str(s->model, t->schedule));
    }
  }
  jw_end_array(w);
}

static void write_last_run(const struct report_scope *s, const struct report_row *row, struct jw *w)
{
  if (row->job->run_count == 0) {
    jw_null(w);
  } else {
    struct report_row last = {.place = row->place, .job = row->job, .run = &row->job->runs[0]};
    report_write_object(s, &last, report_run_fields, report_run_field_count, w);
  }
}

/* Never a zero for what was not read. */
static bool runs_known(const struct report_row *row)
{
  return row->job->runs_fresh.fetched_ms != WHEN_NONE;
}

FIELD(runs_in_window)
{
  return runs_known(row) ? value_count((int64_t)stats_count(row->job, s->since_ms, s->until_ms, s->now_ms).runs)
                         : value_null();
}

FIELD(failed_in_window)
{
  return runs_known(row) ? value_count((int64_t)stats_count(row->job, s->since_ms, s->until_ms, s->now_ms).failed)
                         : value_null();
}

static const struct job_stats *usual(const struct report_scope *s, const struct report_row *row)
{
  size_t index = (size_t)(row->job - s->model->places[row->place].jobs);
  return stats_cache_get(s->stats, s->model, row->place, index);
}

FIELD(median_seconds)
{
  return value_double(usual(s, row)->times.p50);
}

FIELD(p95_seconds)
{
  return value_double(usual(s, row)->times.p95);
}

static struct cost_sum sum_window(const struct report_scope *s, const struct report_row *row)
{
  struct cost_sum sum = {.runs = 0};
  size_t reach = model_runs_reach(row->job, s->since_ms);
  for (size_t i = 0; i < reach; i++) {
    const struct run *r = &row->job->runs[i];
    if (run_meets(r, s->since_ms, s->until_ms, s->now_ms)) {
      struct cost c = cost_of_run(s->model, s->prices, row->place, row->job, r, s->now_ms);
      cost_sum_add(&sum, &c);
    }
  }
  return sum;
}

FIELD(usd_in_window)
{
  struct cost_sum sum = sum_window(s, row);
  return runs_known(row) ? value_money(cost_sum_nano(&sum)) : value_null();
}

static void write_by_basis(const struct report_scope *s, const struct report_row *row, struct jw *w)
{
  struct cost_sum sum = sum_window(s, row);
  if (runs_known(row)) {
    report_write_by_basis(&sum, w);
  } else {
    jw_null(w);
  }
}

FIELD(next_run_at)
{
  return value_time(schedule_next(s->model, row->place, row->job->name, s->now_ms, NULL));
}

FIELD(modified_at)
{
  (void)s;
  return value_time(row->job->modified_ms);
}

const struct report_field report_job_fields[] = {
    {"name", "JOB", get_name, NULL},
    {"type", "TYPE", get_type, NULL},
    {"mode", NULL, get_mode, NULL},
    {"glue_version", "GLUE", get_glue_version, NULL},
    {"worker_type", "WORKER", get_worker_type, NULL},
    {"workers", "N", get_workers, NULL},
    {"max_capacity", NULL, get_max_capacity, NULL},
    {"dpu", "DPU", get_dpu, NULL},
    {"execution_class", NULL, get_execution_class, NULL},
    {"timeout_minutes", "LIMIT(MIN)", get_timeout_minutes, NULL},
    {"timeout_source", NULL, get_timeout_source, NULL},
    {"max_concurrent_runs", NULL, get_max_concurrent_runs, NULL},
    {"queuing", NULL, get_queuing, NULL},
    {"max_retries", NULL, get_max_retries, NULL},
    {"auto_scaling", NULL, get_auto_scaling, NULL},
    {"bookmark", NULL, get_bookmark, NULL},
    {"schedule", NULL, NULL, write_schedule},
    {"next_run_at", NULL, get_next_run_at, NULL},
    {"last_run", NULL, NULL, write_last_run},
    {"runs_in_window", "RUNS", get_runs_in_window, NULL},
    {"failed_in_window", "FAILED", get_failed_in_window, NULL},
    {"median_seconds", "TYPICAL", get_median_seconds, NULL},
    {"p95_seconds", NULL, get_p95_seconds, NULL},
    {"usd_in_window", "USD", get_usd_in_window, NULL},
    {"usd_by_basis", NULL, NULL, write_by_basis},
    {"modified_at", NULL, get_modified_at, NULL},
};
const size_t report_job_field_count = sizeof report_job_fields / sizeof report_job_fields[0];
