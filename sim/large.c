/* Many jobs with long histories, for measurements: as large as an account may get, made in a blink, nothing clever. */
#include "sim/account.h"

#include <stdio.h>
#include <cjson/cJSON.h>
#include "base/xalloc.h"
#include "sim/rng.h"

static struct cJSON *make_definition(int64_t n, uint64_t *lot)
{
  static const char *const versions[] = {"3.0", "4.0", "5.0", "5.1", "6.0"};
  static const char *const types[] = {"G.1X", "G.1X", "G.2X", "G.4X", "R.1X"};
  struct cJSON *d = cJSON_CreateObject();
  int64_t type = sim_rng_range(lot, 0, 4);
  char text[128];
  cJSON_AddStringToObject(d, "Role", "arn:aws:iam::441290129012:role/GlueEtlRole");
  struct cJSON *command = cJSON_AddObjectToObject(d, "Command");
  cJSON_AddStringToObject(command, "Name", "glueetl");
  snprintf(text, sizeof text, "s3://nordkap-etl-code/team%02d/load_%04d.py", (int)(n % 37), (int)n);
  cJSON_AddStringToObject(command, "ScriptLocation", text);
  cJSON_AddStringToObject(command, "PythonVersion", "3");
  struct cJSON *arguments = cJSON_AddObjectToObject(d, "DefaultArguments");
  cJSON_AddStringToObject(arguments, "--job-language", "python");
  cJSON_AddStringToObject(arguments, "--TempDir", "s3://nordkap-glue-temp/");
  cJSON_AddStringToObject(arguments, "--job-bookmark-option",
                          n % 3 == 0 ? "job-bookmark-enable" : "job-bookmark-disable");
  if (n % 5 == 0)
    cJSON_AddStringToObject(arguments, "--enable-auto-scaling", "true");
  cJSON_AddStringToObject(d, "WorkerType", types[type]);
  cJSON_AddNumberToObject(d, "NumberOfWorkers", (double)sim_rng_range(lot, 2, 20));
  cJSON_AddStringToObject(d, "GlueVersion", versions[type == 4 ? 3 : sim_rng_range(lot, 0, 4)]);
  if (n % 4 != 0)
    cJSON_AddNumberToObject(d, "Timeout", (double)sim_rng_range(lot, 2, 24) * 15);
  cJSON_AddNumberToObject(d, "MaxRetries", n % 7 == 0 ? 1 : 0);
  return d;
}

/* Runs at even distances over 90 days, the last ones of some jobs still alive. */
static void make_runs(struct sim_account *a, struct sim_job *job, int64_t count, uint64_t *lot)
{
  int64_t step_ms = count > 0 ? 90 * WHEN_DAY / count : 0;
  int64_t at_ms = a->start_ms - 90 * WHEN_DAY + sim_rng_range(lot, 0, step_ms);
  job->behaviour.typical_s = (int)sim_rng_range(lot, 60, 3000);
  job->behaviour.fail_permille = (int)sim_rng_range(lot, 0, 80);
  job->behaviour.errors[0] = (uint16_t)sim_rng_range(lot, ERROR_S3_DENIED, ERROR_COUNT - 1);
  job->runs = xcalloc((size_t)count + 1, sizeof *job->runs);
  job->run_cap = (size_t)count + 1;
  for (int64_t i = 0; i < count; i++, at_ms += step_ms) {
    struct sim_run *run = sim_run_append(job);
    run->key = sim_mix2(job->key, ++job->starts);
    run->accepted_ms = at_ms;
    sim_run_plan(a, job, run);
    run->began_ms = at_ms + run->boot_ms;
    run->ended_ms = run->began_ms + run->plan_ms;
    run->state = run->outcome;
    run->changed_ms = run->ended_ms;
    if (run->ended_ms <= a->start_ms)
      continue;
    run->state = SIM_RUNNING;
    run->ended_ms = WHEN_NONE;
    run->changed_ms = run->began_ms;
    job->active++;
    a->active_runs++;
    a->active_dpu += run->shape->dpu;
    sim_event_push(a, (struct sim_event){.at_ms = run->began_ms + run->plan_ms,
                                         .subject = job->index,
                                         .run = (int32_t)job->run_count - 1,
                                         .turn = run->turn,
                                         .kind = EVENT_END});
  }
}

struct err sim_large_fill(struct sim_account *a, int64_t jobs, int64_t runs)
{
  char name[64];
  uint64_t lot = sim_mix2(a->seed, 0x1a59e);
  if (jobs < 0 || runs < 0 || jobs > 100000 || runs > 20000000 || (jobs == 0 && runs > 0))
    return err_new(ERR_USAGE, "an account of %lld jobs and %lld runs is too much", (long long)jobs, (long long)runs);
  a->born_ms = a->start_ms - 90 * WHEN_DAY;
  a->job_limit = 100000;
  a->dpu_limit = 1e6;
  a->run_limit = 100000;
  for (int64_t n = 0; n < jobs; n++) {
    static const char *const areas[] = {"orders", "stock",   "clicks", "ledger",
                                        "people", "parcels", "prices", "returns"};
    static const char *const layers[] = {"bronze", "silver", "gold", "export"};
    snprintf(name, sizeof name, "%s-%s-%05d", areas[n % 8], layers[n / 8 % 4], (int)n);
    struct sim_job *job = sim_job_add(a, name, make_definition(n, &lot), a->start_ms - 400 * WHEN_DAY + n * WHEN_HOUR);
    make_runs(a, job, runs / jobs + (n < runs % jobs), &lot);
  }
  return err_ok();
}
