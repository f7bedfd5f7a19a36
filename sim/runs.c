#include "sim/account.h"

#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "base/xalloc.h"
#include "sim/rng.h"

#define EXPIRE_AFTER_MS (12 * WHEN_HOUR) /* of queued runs; the service's figure is not published */

const char *sim_state_name(enum sim_state s)
{
  static const char *const names[SIM_STATE_COUNT] = {
      [SIM_WAITING] = "WAITING", [SIM_STARTING] = "STARTING",   [SIM_RUNNING] = "RUNNING", [SIM_STOPPING] = "STOPPING",
      [SIM_STOPPED] = "STOPPED", [SIM_SUCCEEDED] = "SUCCEEDED", [SIM_FAILED] = "FAILED",   [SIM_TIMEOUT] = "TIMEOUT",
      [SIM_ERROR] = "ERROR",     [SIM_EXPIRED] = "EXPIRED"};
  return names[s];
}

enum sim_state sim_state_of(const char *name)
{
  for (int i = 0; i < SIM_STATE_COUNT; i++)
    if (strcmp(sim_state_name((enum sim_state)i), name) == 0)
      return (enum sim_state)i;
  return SIM_STATE_COUNT;
}

bool sim_state_is_final(enum sim_state s)
{
  return s >= SIM_STOPPED;
}

const char *sim_detail_text(enum sim_detail d)
{
  static const char *const texts[] = {
      [DETAIL_NONE] = NULL,
      [DETAIL_JOB_LIMIT] = "Job run is queued: the job has reached its maximum of concurrent runs.",
      [DETAIL_RUN_LIMIT] = "Job run is queued: the account has reached its maximum of concurrent job runs.",
      [DETAIL_DPU_LIMIT] = "Job run is queued: the account has reached its maximum concurrent compute capacity (DPU).",
      [DETAIL_CAPACITY] = "Resource unavailable. Waiting for compute capacity.",
  };
  return texts[d];
}

char *sim_run_id(const struct sim_run *run, char out[SIM_RUN_ID_MAX])
{
  const char *given = run->given != NULL ? json_str(run->given, "Id") : NULL;
  if (given != NULL) {
    snprintf(out, SIM_RUN_ID_MAX, "%s", given);
    return out;
  }
  static const char digits[] = "0123456789abcdef";
  char *p = out;
  memcpy(p, "jr_", 3);
  p += 3;
  for (uint64_t word = 0; word < 4; word++) {
    uint64_t bits = sim_mix2(run->key, word + 1);
    for (int shift = 60; shift >= 0; shift -= 4)
      *p++ = digits[(bits >> shift) & 15];
  }
  *p = '\0';
  if (run->attempt > 0)
    snprintf(p, (size_t)(out + SIM_RUN_ID_MAX - p), "_attempt_%d", run->attempt);
  return out;
}

int32_t sim_run_find(const struct sim_job *job, const char *id)
{
  char text[SIM_RUN_ID_MAX];
  for (size_t i = job->run_count; i-- > 0;)
    if (strcmp(sim_run_id(&job->runs[i], text), id) == 0)
      return (int32_t)i;
  return -1;
}

int64_t sim_run_execution_s(const struct sim_account *a, const struct sim_run *run)
{
  if (run->began_ms == WHEN_NONE)
    return 0;
  int64_t end = run->ended_ms != WHEN_NONE ? run->ended_ms : a->now_ms;
  return end > run->began_ms ? (end - run->began_ms) / WHEN_SECOND : 0;
}

bool sim_run_dpu_seconds(const struct sim_account *a, const struct sim_job *job, const struct sim_run *run, double *out)
{
  (void)job;
  if (!run->shape->flex && !run->shape->auto_scaling)
    return false;
  if (run->shape->kind != KIND_SPARK || run->ended_ms == WHEN_NONE || run->began_ms == WHEN_NONE)
    return false;
  /* It arrives some time after the end: 15 to 60 s. */
  int64_t late_ms = 15000 + (int64_t)(sim_mix2(run->key, 77) % 45000);
  if (a->now_ms < run->ended_ms + late_ms)
    return false;
  *out = (double)sim_run_execution_s(a, run) * run->shape->dpu * run->dpu_percent / 100.0;
  return true;
}

struct sim_run *sim_run_append(struct sim_job *job)
{
  job->runs = xgrow(job->runs, &job->run_cap, job->run_count + 1, sizeof *job->runs);
  struct sim_run *run = &job->runs[job->run_count++];
  *run = (struct sim_run){.began_ms = WHEN_NONE,
                          .ended_ms = WHEN_NONE,
                          .trigger = -1,
                          .previous = -1,
                          .cause_job = -1,
                          .cause_run = -1,
                          .shape = job->shape};
  return run;
}

static void run_later(struct sim_account *a, int32_t job, int32_t index, enum sim_event_kind kind, int64_t at_ms)
{
  struct sim_run *run = &a->jobs[job]->runs[index];
  run->turn++;
  sim_event_push(
      a, (struct sim_event){.at_ms = at_ms, .subject = job, .run = index, .turn = run->turn, .kind = (uint8_t)kind});
}

static enum sim_accept room_for(const struct sim_account *a, const struct sim_job *job, const struct sim_shape *shape)
{
  if (job->active >= job->max_concurrent)
    return ACCEPT_JOB_LIMIT;
  if (a->active_runs >= a->run_limit)
    return ACCEPT_RUN_LIMIT;
  if (shape->flex ? a->active_flex_dpu + shape->dpu > a->flex_limit : a->active_dpu + shape->dpu > a->dpu_limit)
    return ACCEPT_DPU_LIMIT;
  return ACCEPT_OK;
}

static void hold(struct sim_account *a, struct sim_job *job, const struct sim_shape *shape, int by)
{
  job->active += by;
  a->active_runs += by;
  if (shape->flex)
    a->active_flex_dpu += by * shape->dpu;
  else
    a->active_dpu += by * shape->dpu;
}

static void launch(struct sim_account *a, int32_t job, int32_t index)
{
  struct sim_run *run = &a->jobs[job]->runs[index];
  run->state = SIM_STARTING;
  run->detail = DETAIL_NONE;
  run->changed_ms = a->now_ms;
  hold(a, a->jobs[job], run->shape, 1);
  run_later(a, job, index, EVENT_BEGIN, a->now_ms + run->boot_ms);
}

static void wait_in_queue(struct sim_account *a, int32_t job, int32_t index, enum sim_detail why)
{
  struct sim_run *run = &a->jobs[job]->runs[index];
  run->state = SIM_WAITING;
  run->detail = (uint8_t)why;
  a->waiting = xgrow(a->waiting, &a->waiting_cap, a->waiting_count + 1, sizeof a->waiting[0]);
  a->waiting[a->waiting_count].job = job;
  a->waiting[a->waiting_count++].run = index;
  run_later(a, job, index, EVENT_EXPIRE, a->now_ms + EXPIRE_AFTER_MS);
}

static void leave_queue(struct sim_account *a, int32_t job, int32_t run)
{
  size_t kept = 0;
  for (size_t i = 0; i < a->waiting_count; i++)
    if (a->waiting[i].job != job || a->waiting[i].run != run)
      a->waiting[kept++] = a->waiting[i];
  a->waiting_count = kept;
}

/* A slot came free: those who wait are looked at in their order. */
static void serve_queue(struct sim_account *a)
{
  for (size_t i = 0; i < a->waiting_count;) {
    int32_t job = a->waiting[i].job, run = a->waiting[i].run;
    if (room_for(a, a->jobs[job], a->jobs[job]->runs[run].shape) == ACCEPT_OK) {
      leave_queue(a, job, run);
      launch(a, job, run);
    } else {
      i++;
    }
  }
}

static void count_for_bookmark(struct sim_job *job, int32_t index)
{
  const struct sim_run *run = &job->runs[index];
  struct sim_bookmark *b = &job->bookmark;
  if (run->shape->kind != KIND_SPARK || run->shape->bookmark == NULL ||
      strcmp(run->shape->bookmark, "job-bookmark-enable") != 0)
    return;
  if (run->state == SIM_SUCCEEDED) {
    b->exists = true;
    b->version++;
    b->run++;
    b->attempt = 0;
    b->previous_index = b->run > 1 ? b->run_index : -1;
    b->run_index = index;
  } else if (b->exists && run->state == SIM_FAILED) {
    b->attempt++;
  }
}

static void finish(struct sim_account *a, int32_t job_index, int32_t index, enum sim_state state)
{
  struct sim_job *job = a->jobs[job_index];
  struct sim_run *run = &job->runs[index];
  bool held = run->state == SIM_STARTING || run->state == SIM_RUNNING || run->state == SIM_STOPPING;
  run->state = (uint8_t)state;
  run->detail = DETAIL_NONE;
  run->ended_ms = a->now_ms;
  run->changed_ms = a->now_ms;
  run->turn++;
  if (held)
    hold(a, job, run->shape, -1);
  count_for_bookmark(job, index);
  /* Retries are for failures alone: not for timeouts and stops (facts: glue-api.md, states). */
  if (state == SIM_FAILED && run->attempt < job->max_retries && held && !job->deleted)
    run_later(a, job_index, index, EVENT_RETRY,
              a->now_ms + 20000 + (int64_t)(sim_mix2(run->key, run->attempt) % 40000));
  sim_trigger_run_changed(a, job_index, index);
  serve_queue(a);
}

/* Some failures come before the script does: such runs never were RUNNING and cost nothing. */
static bool fails_at_launch(const struct sim_run *run)
{
  return run->outcome == SIM_FAILED && (run->error == ERROR_SCRIPT_MISSING || run->error == ERROR_SUBNET_FULL ||
                                        run->error == ERROR_S3_ENDPOINT || run->error == ERROR_RESOURCE);
}

static void begin(struct sim_account *a, int32_t job, int32_t index)
{
  struct sim_run *run = &a->jobs[job]->runs[index];
  if (fails_at_launch(run)) {
    finish(a, job, index, SIM_FAILED);
    return;
  }
  int64_t limit_ms = (int64_t)sim_shape_timeout(run->shape) * WHEN_MINUTE;
  int64_t length_ms = run->plan_ms;
  if (limit_ms > 0 && length_ms > limit_ms) {
    length_ms = limit_ms;
    run->outcome = SIM_TIMEOUT;
  }
  run->state = SIM_RUNNING;
  run->began_ms = a->now_ms;
  run->changed_ms = a->now_ms;
  run_later(a, job, index, EVENT_END, a->now_ms + length_ms);
  sim_trigger_run_changed(a, job, index);
}

/* A run that could not start, and that nobody waits for: it is over before it began. */
static void fail_at_once(struct sim_account *a, struct sim_job *job, int32_t index, enum sim_state state,
                         uint16_t error)
{
  struct sim_run *run = &job->runs[index];
  run->error = error;
  run->state = SIM_WAITING;
  finish(a, job->index, index, state);
}

static enum sim_detail detail_of(enum sim_accept why)
{
  switch (why) {
  case ACCEPT_JOB_LIMIT:
    return DETAIL_JOB_LIMIT;
  case ACCEPT_RUN_LIMIT:
    return DETAIL_RUN_LIMIT;
  case ACCEPT_DPU_LIMIT:
    return DETAIL_DPU_LIMIT;
  case ACCEPT_OK:
  case ACCEPT_QUEUE_FULL:
    break;
  }
  return DETAIL_NONE;
}

static int32_t append_start(struct sim_account *a, struct sim_job *job, const struct sim_shape *shape,
                            const struct sim_origin *origin)
{
  struct sim_run *run = sim_run_append(job);
  run->key = sim_mix2(job->key, ++job->starts);
  run->accepted_ms = a->now_ms;
  run->changed_ms = a->now_ms;
  run->shape = shape;
  run->trigger = origin->trigger;
  run->cause_job = origin->cause_job;
  run->cause_run = origin->cause_run;
  run->previous = origin->previous;
  sim_run_plan(a, job, run);
  return (int32_t)job->run_count - 1;
}

static void put_to_work(struct sim_account *a, struct sim_job *job, int32_t index, enum sim_accept room)
{
  int32_t job_index = job->index;
  struct sim_run *run = &job->runs[index];
  if (room != ACCEPT_OK) {
    wait_in_queue(a, job_index, index, detail_of(room));
  } else if (run->shape->flex) {
    /* Spare capacity has to be found first: up to 20 minutes, mostly far less. */
    uint64_t lot = sim_mix2(run->key, 5);
    double unit = sim_rng_unit(&lot);
    run->state = SIM_WAITING;
    run->detail = DETAIL_CAPACITY;
    run_later(a, job_index, index, EVENT_LAUNCH, a->now_ms + 15000 + (int64_t)(unit * unit * 14 * (double)WHEN_MINUTE));
  } else {
    launch(a, job_index, index);
  }
}

enum sim_accept sim_run_start(struct sim_account *a, struct sim_job *job, const struct sim_shape *shape,
                              const struct sim_origin *origin, int32_t *out)
{
  enum sim_accept room = room_for(a, job, shape);
  bool refused = room != ACCEPT_OK && !shape->queuing;
  if (room != ACCEPT_OK && shape->queuing && a->waiting_count >= (size_t)a->queue_limit) {
    refused = true;
    room = ACCEPT_QUEUE_FULL;
  }
  if (refused && origin->trigger < 0)
    return room;
  *out = append_start(a, job, shape, origin);
  struct sim_run *run = &job->runs[*out];
  if (run->outcome == SIM_ERROR)
    fail_at_once(a, job, *out, SIM_ERROR, run->error);
  else if (refused)
    fail_at_once(a, job, *out, SIM_FAILED, room == ACCEPT_DPU_LIMIT ? ERROR_MAX_DPU : ERROR_MAX_CONCURRENT);
  else
    put_to_work(a, job, *out, room);
  return refused ? room : ACCEPT_OK;
}

static void retry(struct sim_account *a, int32_t job_index, int32_t index)
{
  struct sim_job *job = a->jobs[job_index];
  struct sim_run failed = job->runs[index];
  enum sim_accept room = room_for(a, job, failed.shape);
  if (room != ACCEPT_OK) {
    run_later(a, job_index, index, EVENT_RETRY, a->now_ms + WHEN_MINUTE);
    return;
  }
  struct sim_run *run = sim_run_append(job);
  run->key = failed.key;
  run->attempt = (uint8_t)(failed.attempt + 1);
  run->accepted_ms = a->now_ms;
  run->changed_ms = a->now_ms;
  run->shape = failed.shape;
  run->trigger = failed.trigger;
  run->cause_job = failed.cause_job;
  run->cause_run = failed.cause_run;
  run->previous = index;
  run->error = failed.error;
  sim_run_plan(a, job, run);
  launch(a, job_index, (int32_t)job->run_count - 1);
}

bool sim_run_stop(struct sim_account *a, struct sim_job *job, int32_t index)
{
  int32_t job_index = job->index;
  struct sim_run *run = &job->runs[index];
  if (sim_state_is_final((enum sim_state)run->state))
    return false;
  if (run->state == SIM_STOPPING)
    return true;
  if (run->state == SIM_WAITING) {
    leave_queue(a, job_index, index);
    run_later(a, job_index, index, EVENT_STOPPED, a->now_ms + 1000);
    return true;
  }
  run->state = SIM_STOPPING;
  run->changed_ms = a->now_ms;
  run_later(a, job_index, index, EVENT_STOPPED, a->now_ms + 6000 + (int64_t)(sim_mix2(run->key, 9) % 20000));
  return true;
}

void sim_run_event(struct sim_account *a, int32_t job, int32_t index, int kind)
{
  struct sim_run *run = &a->jobs[job]->runs[index];
  switch ((enum sim_event_kind)kind) {
  case EVENT_LAUNCH:
    if (room_for(a, a->jobs[job], run->shape) == ACCEPT_OK)
      launch(a, job, index);
    else
      run_later(a, job, index, EVENT_LAUNCH, a->now_ms + 30000);
    break;
  case EVENT_BEGIN:
    begin(a, job, index);
    break;
  case EVENT_END:
    finish(a, job, index, (enum sim_state)run->outcome);
    break;
  case EVENT_STOPPED:
    run->error = 0;
    finish(a, job, index, SIM_STOPPED);
    break;
  case EVENT_EXPIRE:
    leave_queue(a, job, index);
    finish(a, job, index, SIM_EXPIRED);
    break;
  case EVENT_RETRY:
    retry(a, job, index);
    break;
  case EVENT_FIRE:
  case EVENT_OFF:
  case EVENT_CALL:
    break;
  }
}
