#include "fake_aws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/config.h"
#include "aws/errors.h"
#include "aws/glue.h"
#include "aws/pricing.h"
#include "aws/quotas.h"
#include "aws/sts.h"
#include "base/xalloc.h"

struct fake_aws fake;

struct fake_call {
  struct fake_call *next;
  uint64_t id;
  enum fake_op op;
  int64_t due_ms;
  char *job, *run_id, *token;
  char *names[25];
  size_t name_count;
  int max_results;
  char day[16]; /* of a start */
  glue_done_fn *done;
  void *user;
};
static struct fake_call *calls;
static uint64_t last_id;
static unsigned run_serial;

/* --- the account ----------------------------------------------------------------------------------------------------- */

void fake_free(void)
{
  for (size_t i = 0; i < fake.job_count; i++)
    free(fake.jobs[i].runs);
  free(fake.jobs);
  fake.jobs = NULL;
  fake.job_count = fake.job_cap = 0;
}

void fake_reset(int64_t wall_ms)
{
  fake_free();
  memset(&fake, 0, sizeof fake);
  clock_init_manual(&fake.clock, wall_ms);
  fake.latency_ms = 40;
  fake.step_ms = 100;
  fake.account = "111111111111";
  fake.login = LOGIN_READY;
  fake.page_size_max = 200;
  run_serial = 0;
}

struct fake_job *fake_add_job(const char *name, const char *command)
{
  fake.jobs = xgrow(fake.jobs, &fake.job_cap, fake.job_count + 1, sizeof *fake.jobs);
  struct fake_job *j = &fake.jobs[fake.job_count++];
  memset(j, 0, sizeof *j);
  snprintf(j->name, sizeof j->name, "%s", name);
  j->command = command;
  return j;
}

struct fake_job *fake_find_job(const char *name)
{
  for (size_t i = 0; i < fake.job_count; i++)
    if (strcmp(fake.jobs[i].name, name) == 0)
      return &fake.jobs[i];
  return NULL;
}

struct fake_run *fake_add_run(struct fake_job *j, const char *state, int64_t started_ms, int64_t completed_ms)
{
  j->runs = xgrow(j->runs, &j->cap, j->count + 1, sizeof *j->runs);
  memmove(j->runs + 1, j->runs, j->count * sizeof *j->runs);
  j->count++;
  struct fake_run *r = &j->runs[0];
  memset(r, 0, sizeof *r);
  snprintf(r->id, sizeof r->id, "jr_%064x", ++run_serial);
  snprintf(r->state, sizeof r->state, "%s", state);
  r->started_ms = started_ms;
  r->completed_ms = completed_ms;
  r->known_ms = clock_wall_ms(&fake.clock);
  r->ends_ms = INT64_MAX;
  return r;
}

void fake_set_state(struct fake_run *r, const char *state)
{
  snprintf(r->state, sizeof r->state, "%s", state);
  r->known_ms = clock_wall_ms(&fake.clock);
}

static void account_moves(void)
{
  int64_t now = clock_wall_ms(&fake.clock);
  for (size_t i = 0; i < fake.job_count; i++)
    for (size_t k = 0; k < fake.jobs[i].count; k++) {
      struct fake_run *r = &fake.jobs[i].runs[k];
      if (r->ends_ms <= now) {
        snprintf(r->state, sizeof r->state, "SUCCEEDED");
        r->completed_ms = r->known_ms = r->ends_ms;
        r->ends_ms = INT64_MAX;
      }
    }
}

/* --- answers --------------------------------------------------------------------------------------------------------- */

static struct run_data run_told(const struct fake_job *j, const struct fake_run *r, struct arena *a)
{
  struct argument *day = arena_array(a, 1, sizeof *day);
  *day = (struct argument){.key = "--day", .value = arena_strdup(a, r->day)};
  return (struct run_data){.arguments = day,
                           .argument_count = r->day[0] != '\0' ? 1 : 0,
                           .id = arena_strdup(a, r->id),
                           .job = arena_strdup(a, r->told_as[0] != '\0' ? r->told_as : j->name),
                           .state = arena_strdup(a, r->state),
                           .started_ms = r->started_ms,
                           .modified_ms = WHEN_NONE,
                           .completed_ms = r->completed_ms,
                           .attempt = 0,
                           .execution_seconds = RECORD_ABSENT,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = 2,
                           .worker_type = "G.1X",
                           .max_capacity = (double)NAN,
                           .dpu_seconds = (double)NAN};
}

static struct job_data job_told(const struct fake_job *j, struct arena *a)
{
  return (struct job_data){.name = arena_strdup(a, j->name),
                           .command_name = j->command,
                           .created_ms = WHEN_NONE,
                           .modified_ms = 1,
                           .max_concurrent_runs = RECORD_ABSENT,
                           .max_retries = RECORD_ABSENT,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = RECORD_ABSENT,
                           .notify_delay_minutes = RECORD_ABSENT,
                           .max_capacity = (double)NAN};
}

static size_t token_offset(const char *token)
{
  return token == NULL ? 0 : (size_t)strtoul(token, NULL, 10);
}

static void answer_jobs(const struct fake_call *c, struct arena *a, struct glue_jobs_page *page)
{
  bool names = c->op == FAKE_LIST_JOBS;
  size_t from = token_offset(c->token);
  size_t count = fake.job_count - from;
  if (count > (size_t)c->max_results)
    count = (size_t)c->max_results;
  page->jobs = arena_array(a, count + 1, sizeof *page->jobs);
  page->names = arena_array(a, count + 1, sizeof *page->names);
  for (size_t i = 0; i < count; i++) {
    if (names)
      page->names[page->name_count++] = arena_strdup(a, fake.jobs[from + i].name);
    else
      page->jobs[page->count++] = job_told(&fake.jobs[from + i], a);
  }
  if (from + count < fake.job_count)
    page->next_token = arena_printf(a, "%zu", from + count);
}

static void answer_batch(const struct fake_call *c, struct arena *a, struct glue_jobs_page *page)
{
  page->jobs = arena_array(a, 25, sizeof *page->jobs);
  page->names = arena_array(a, 25, sizeof *page->names);
  for (size_t i = 0; i < c->name_count; i++) {
    const struct fake_job *j = fake_find_job(c->names[i]);
    if (j == NULL)
      page->names[page->name_count++] = arena_strdup(a, c->names[i]);
    else
      page->jobs[page->count++] = job_told(j, a);
  }
}

static void answer_runs(const struct fake_call *c, const struct fake_job *j, struct arena *a,
                        struct glue_runs_page *page)
{
  size_t size = (size_t)c->max_results;
  if (size > (size_t)fake.page_size_max)
    size = (size_t)fake.page_size_max;
  if (c->token != NULL && c->token[0] == 'e' && atol(c->token + 1) < j->empty_pages) {
    page->next_token = arena_printf(a, "e%ld", atol(c->token + 1) + 1);
    return;
  }
  if (c->token == NULL && j->empty_pages > 0) {
    page->next_token = arena_strdup(a, "e1");
    return;
  }
  size_t from = c->token != NULL && c->token[0] == 'e' ? 0 : token_offset(c->token);
  size_t begin = j->repeats_row && from > 0 ? from - 1 : from;
  page->runs = arena_array(a, size + 2, sizeof *page->runs);
  for (size_t i = begin; i < j->count && i < from + size; i++)
    page->runs[page->count++] = run_told(j, &j->runs[j->order == FAKE_NEWEST_FIRST ? i : j->count - 1 - i], a);
  if (j->repeats_token)
    page->next_token = arena_printf(a, "%zu", size);
  else if (from + size < j->count)
    page->next_token = arena_printf(a, "%zu", from + size);
}

static struct err answer_doc(const struct fake_call *c, struct arena *a, struct glue_doc_answer *d)
{
  const struct fake_job *j = fake_find_job(c->job);
  if (j == NULL)
    return err_new(ERR_NOT_FOUND, "no such job");
  d->doc.nodes = arena_array(a, 1, sizeof *d->doc.nodes);
  d->doc.count = 1;
  d->raw = "{}";
  d->raw_len = 2;
  if (c->op == FAKE_GET_JOB) {
    d->job = arena_alloc(a, sizeof *d->job);
    *d->job = job_told(j, a);
    return err_ok();
  }
  for (size_t i = 0; i < j->count; i++)
    if (strcmp(j->runs[i].id, c->run_id) == 0) {
      d->run = arena_alloc(a, sizeof *d->run);
      *d->run = run_told(j, &j->runs[i], a);
      return err_ok();
    }
  return err_new(ERR_NOT_FOUND, "no such run");
}

static struct err answer_start(const struct fake_call *c, struct arena *a, struct glue_start_answer *s)
{
  struct fake_job *j = fake_find_job(c->job);
  int64_t now = clock_wall_ms(&fake.clock);
  if (j == NULL)
    return err_new(ERR_NOT_FOUND, "no such job");
  for (int i = 0; i < fake.also_started; i++)
    snprintf(fake_add_run(j, "STARTING", now, WHEN_NONE)->day, sizeof j->runs->day, "%s",
             fake.also_day != NULL ? fake.also_day : "");
  if (fake.start_lost)
    return err_new(ERR_UNCERTAIN, "the answer was lost");
  struct fake_run *r = fake_add_run(j, "STARTING", now, WHEN_NONE);
  s->run_id = arena_strdup(a, r->id);
  snprintf(r->day, sizeof r->day, "%s", c->day);
  return fake.start_answer_lost ? err_new(ERR_UNCERTAIN, "the answer was lost") : err_ok();
}

static void answer_stop(const struct fake_call *c, struct arena *a, struct glue_stop_answer *s)
{
  struct fake_job *j = fake_find_job(c->job);
  s->results = arena_array(a, 25, sizeof *s->results);
  for (size_t i = 0; i < c->name_count; i++) {
    struct glue_stop_result *r = &s->results[s->count++];
    r->run_id = arena_strdup(a, c->names[i]);
    r->error_code = "EntityNotFoundException";
    for (size_t k = 0; j != NULL && k < j->count; k++) {
      if (strcmp(j->runs[k].id, c->names[i]) != 0)
        continue;
      bool live = strcmp(j->runs[k].state, "RUNNING") == 0;
      r->error_code = live ? NULL : "JobRunInTerminalStateException";
      if (live)
        fake_set_state(&j->runs[k], "STOPPING");
    }
  }
}

static void answer_triggers(struct arena *a, struct glue_triggers_page *page)
{
  page->triggers = arena_array(a, fake.trigger_count + 1, sizeof *page->triggers);
  for (size_t i = 0; i < fake.trigger_count; i++) {
    struct trigger_data *t = &page->triggers[page->count++];
    t->name = arena_printf(a, "trigger-%zu", i);
    t->type = "SCHEDULED";
    t->state = "ACTIVATED";
    t->schedule = fake.trigger_schedule;
    t->actions = arena_array(a, 1, sizeof *t->actions);
    t->actions[0].job = fake.trigger_jobs[i];
    t->action_count = 1;
  }
}

/* A page of prices or quotas: all on the last one. NULL: this is it. */
static const char *rate_token(const struct fake_call *c, struct arena *a)
{
  size_t page = token_offset(c->token) + 1;
  if (fake.rate_token_repeats)
    return "1";
  return (int)page < fake.rate_pages ? arena_printf(a, "%zu", page) : NULL;
}

static void answer_prices(const struct fake_call *c, struct arena *a, struct pricing_page *page)
{
  page->next_token = rate_token(c, a);
  page->unreadable = fake.unreadable_products;
  if (page->next_token != NULL)
    return;
  page->offers = arena_array(a, fake.offer_count + 1, sizeof *page->offers);
  for (size_t i = 0; i < fake.offer_count; i++)
    page->offers[page->count++] = fake.offers[i];
}

static void answer_quotas(const struct fake_call *c, struct arena *a, struct quotas_page *page)
{
  page->next_token = rate_token(c, a);
  page->refused = fake.quotas_refused;
  for (size_t i = 0; i < QUOTA_KIND_COUNT; i++)
    page->values[i] = page->next_token != NULL || fake.quotas[i] == 0 ? (double)NAN : fake.quotas[i];
}

static bool call_throttled(void)
{
  if (fake.limit_per_second <= 0)
    return false;
  int64_t now = clock_mono_ms(&fake.clock);
  fake.bucket += (double)(now - fake.bucket_ms) / 1000.0 * fake.limit_per_second;
  double full = fake.limit_per_second > 5 ? fake.limit_per_second : 5;
  if (fake.bucket > full)
    fake.bucket = full;
  fake.bucket_ms = now;
  if (fake.bucket < 1)
    return true;
  fake.bucket -= 1;
  return false;
}

static struct err call_fault(const struct fake_call *c)
{
  struct fake_fault *f = &fake.faults[c->op];
  if (c->op != FAKE_PRICES && c->op != FAKE_QUOTAS && call_throttled()) {
    fake.throttled++;
    return err_new(ERR_THROTTLED, "Rate exceeded");
  }
  if (f->kind != ERR_OK && f->count != 0) {
    if (f->count > 0)
      f->count--;
    struct err e = err_new(f->kind, "a fault");
    if (f->unsupported)
      err_set_http(&e, 400, "UnknownOperationException", NULL);
    return e;
  }
  const struct fake_job *j = c->job == NULL ? NULL : fake_find_job(c->job);
  for (size_t i = 0; c->op == FAKE_BATCH_GET_JOBS && i < c->name_count; i++) {
    const struct fake_job *of = fake_find_job(c->names[i]);
    if (of != NULL && of->spoils_batch != ERR_OK)
      return err_new(of->spoils_batch, "a fault of one name");
  }
  if (c->op == FAKE_GET_JOB && j != NULL && j->definition_fails != ERR_OK)
    return err_new(j->definition_fails, "a fault of this definition");
  if (c->op == FAKE_GET_JOB_RUNS && j == NULL)
    return err_new(ERR_NOT_FOUND, "no such job");
  if (c->op == FAKE_GET_JOB_RUNS && j->fails != ERR_OK)
    return err_new(j->fails, "a fault of this job");
  return err_ok();
}

static void call_answer(struct fake_call *c)
{
  struct arena arena;
  arena_init(&arena);
  struct transport_answer answer = {.status = 200, .server_date_ms = WHEN_NONE, .tries = 1, .request_id = "r-1"};
  struct glue_reply reply = {.answer = &answer, .err = call_fault(c), .arena = &arena};
  struct glue_jobs_page jobs = {0};
  struct glue_runs_page runs = {0};
  struct glue_triggers_page triggers = {0};
  struct glue_doc_answer doc = {0};
  struct glue_start_answer start = {0};
  struct glue_stop_answer stop = {0};
  struct pricing_page prices = {0};
  struct quotas_page quotas = {0};
  struct identity identity = {.account = fake.account, .arn = "arn:fake"};
  account_moves();
  if (!err_is(&reply.err)) {
    switch (c->op) {
    case FAKE_IDENTITY:
      reply.identity = &identity;
      break;
    case FAKE_GET_JOBS:
    case FAKE_LIST_JOBS:
      answer_jobs(c, &arena, &jobs);
      reply.jobs = &jobs;
      break;
    case FAKE_BATCH_GET_JOBS:
      answer_batch(c, &arena, &jobs);
      reply.jobs = &jobs;
      break;
    case FAKE_GET_JOB:
    case FAKE_GET_JOB_RUN:
      reply.err = answer_doc(c, &arena, &doc);
      reply.doc = &doc;
      break;
    case FAKE_GET_JOB_RUNS:
      answer_runs(c, fake_find_job(c->job), &arena, &runs);
      reply.runs = &runs;
      break;
    case FAKE_GET_TRIGGERS:
      answer_triggers(&arena, &triggers);
      reply.triggers = &triggers;
      break;
    case FAKE_START:
      reply.err = answer_start(c, &arena, &start);
      reply.start = &start;
      break;
    case FAKE_STOP:
      answer_stop(c, &arena, &stop);
      reply.stop = &stop;
      break;
    case FAKE_PRICES:
      answer_prices(c, &arena, &prices);
      reply.prices = &prices;
      break;
    case FAKE_QUOTAS:
      answer_quotas(c, &arena, &quotas);
      reply.quotas = &quotas;
      break;
    case FAKE_OP_COUNT:
      break;
    }
  }
  c->done(c->user, &reply);
  err_fini(&reply.err);
  arena_fini(&arena);
}

static void call_free(struct fake_call *c)
{
  free(c->job);
  free(c->run_id);
  free(c->token);
  for (size_t i = 0; i < c->name_count; i++)
    free(c->names[i]);
  free(c);
}

static struct fake_call *call_make(enum fake_op op, glue_done_fn *done, void *user)
{
  struct fake_call *c = xcalloc(1, sizeof *c);
  c->id = ++last_id;
  c->op = op;
  c->due_ms = clock_mono_ms(&fake.clock) + fake.latency_ms;
  c->done = done;
  c->user = user;
  struct fake_call **end = &calls;
  while (*end != NULL)
    end = &(*end)->next;
  *end = c;
  fake.calls[op]++;
  fake.call_times_ms[fake.in_all++ % (sizeof fake.call_times_ms / sizeof fake.call_times_ms[0])] =
      clock_mono_ms(&fake.clock);
  return c;
}

/* --- glue and sts ---------------------------------------------------------------------------------------------------- */

uint64_t glue_get_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_GET_JOBS, done, user);
  c->token = xstrdup(token);
  c->max_results = max_results;
  return c->id;
}

uint64_t glue_list_jobs(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_LIST_JOBS, done, user);
  c->token = xstrdup(token);
  c->max_results = max_results;
  return c->id;
}

uint64_t glue_batch_get_jobs(const struct aws_target *t, const char *const *names, size_t count, glue_done_fn *done,
                             void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_BATCH_GET_JOBS, done, user);
  for (size_t i = 0; i < count; i++)
    c->names[c->name_count++] = xstrdup(names[i]);
  return c->id;
}

uint64_t glue_get_job(const struct aws_target *t, const char *job, glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_GET_JOB, done, user);
  c->job = xstrdup(job);
  return c->id;
}

uint64_t glue_get_job_runs(const struct aws_target *t, const char *job, const char *token, int max_results,
                           glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_GET_JOB_RUNS, done, user);
  c->job = xstrdup(job);
  c->token = xstrdup(token);
  c->max_results = max_results;
  return c->id;
}

uint64_t glue_get_newest_runs(const struct aws_target *t, const char *job, int max_results, glue_done_fn *done,
                              void *user)
{
  return glue_get_job_runs(t, job, NULL, max_results, done, user);
}

uint64_t glue_get_job_run(const struct aws_target *t, const char *job, const char *run_id, glue_done_fn *done,
                          void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_GET_JOB_RUN, done, user);
  c->job = xstrdup(job);
  c->run_id = xstrdup(run_id);
  return c->id;
}

uint64_t glue_get_triggers(const struct aws_target *t, const char *token, int max_results, glue_done_fn *done,
                           void *user)
{
  (void)t;
  (void)max_results;
  struct fake_call *c = call_make(FAKE_GET_TRIGGERS, done, user);
  c->token = xstrdup(token);
  return c->id;
}

uint64_t glue_start_job_run(const struct aws_target *t, const struct glue_start_request *r, glue_done_fn *done,
                            void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_START, done, user);
  c->job = xstrdup(r->job);
  if (r->argument_count > 0)
    snprintf(c->day, sizeof c->day, "%s", r->arguments[0].value);
  return c->id;
}

uint64_t glue_batch_stop_job_run(const struct aws_target *t, const char *job, const char *const *run_ids, size_t count,
                                 glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_STOP, done, user);
  c->job = xstrdup(job);
  for (size_t i = 0; i < count; i++)
    c->names[c->name_count++] = xstrdup(run_ids[i]);
  return c->id;
}

uint64_t sts_get_caller_identity(const struct aws_target *t, glue_done_fn *done, void *user)
{
  (void)t;
  return call_make(FAKE_IDENTITY, done, user)->id;
}

uint64_t pricing_get_products(const struct aws_target *t, const char *region, const char *token, glue_done_fn *done,
                              void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_PRICES, done, user);
  c->run_id = xstrdup(region);
  c->token = xstrdup(token);
  c->due_ms = fake.silent ? INT64_MAX : c->due_ms;
  return c->id;
}

uint64_t quotas_list(const struct aws_target *t, const char *token, glue_done_fn *done, void *user)
{
  (void)t;
  struct fake_call *c = call_make(FAKE_QUOTAS, done, user);
  c->token = xstrdup(token);
  c->due_ms = fake.silent ? INT64_MAX : c->due_ms;
  return c->id;
}

bool errors_is_unsupported(const struct err *e)
{
  return e->detail != NULL && e->detail->code != NULL && strcmp(e->detail->code, "UnknownOperationException") == 0;
}

/* --- transport ------------------------------------------------------------------------------------------------------- */

struct transport {
  int unused;
};

struct err transport_new(const struct transport_options *options, const struct clock *clock, struct transport **out)
{
  (void)options;
  (void)clock;
  *out = xcalloc(1, sizeof **out);
  return err_ok();
}

void transport_free(struct transport *t)
{
  while (calls != NULL) {
    struct fake_call *c = calls;
    calls = c->next;
    call_free(c);
  }
  free(t);
}

void transport_cancel(struct transport *t, uint64_t id)
{
  (void)t;
  for (struct fake_call **at = &calls; *at != NULL; at = &(*at)->next)
    if ((*at)->id == id) {
      struct fake_call *c = *at;
      *at = c->next;
      call_free(c);
      return;
    }
}

void transport_turn(struct transport *t)
{
  (void)t;
  int64_t now = clock_mono_ms(&fake.clock);
  struct fake_call **at = &calls;
  while (*at != NULL) {
    struct fake_call *c = *at;
    if (c->due_ms > now) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    call_answer(c);
    call_free(c);
    at = &calls; /* the answer may have changed the list */
  }
}

int64_t transport_next_turn_ms(const struct transport *t)
{
  (void)t;
  int64_t next = INT64_MAX;
  for (const struct fake_call *c = calls; c != NULL; c = c->next)
    if (c->due_ms < next)
      next = c->due_ms;
  return next;
}

/* While the loop waits, time passes: to the next answer, or a little. */
struct err transport_wait(struct transport *t, struct transport_fd *extra, unsigned extra_count, int64_t timeout_ms)
{
  for (unsigned i = 0; i < extra_count; i++)
    extra[i].revents = 0;
  int64_t next = transport_next_turn_ms(t);
  int64_t now = clock_mono_ms(&fake.clock);
  int64_t step = timeout_ms < 0 || timeout_ms > fake.step_ms ? fake.step_ms : timeout_ms;
  if (next != INT64_MAX && next - now < step)
    step = next - now;
  clock_advance(&fake.clock, step > 0 ? step : 0);
  return err_ok();
}

size_t transport_in_flight(const struct transport *t)
{
  (void)t;
  size_t n = 0;
  for (const struct fake_call *c = calls; c != NULL; c = c->next)
    n++;
  return n;
}

bool transport_busy(const struct transport *t)
{
  return transport_in_flight(t) > 0;
}

struct transport_stats transport_stats(const struct transport *t)
{
  (void)t;
  return (struct transport_stats){.requests = fake.in_all};
}

/* --- logins, config, endpoints --------------------------------------------------------------------------------------- */

struct login {
  struct err error;
  struct credentials keys;
};

struct err login_new(const struct aws_config *config, const struct login_options *options, struct transport *transport,
                     const struct clock *clock, struct login **out)
{
  (void)config;
  (void)options;
  (void)transport;
  (void)clock;
  struct login *l = xcalloc(1, sizeof *l);
  l->error = err_new(ERR_CREDENTIALS, "nobody is logged in");
  l->keys.expires_ms = WHEN_NONE;
  *out = l;
  return err_ok();
}

void login_free(struct login *l)
{
  err_fini(&l->error);
  free(l);
}

enum login_state login_turn(struct login *l)
{
  l->keys.access_key_id = fake.key_id;
  return fake.login;
}

void login_invalidate(struct login *l, const struct credentials *used)
{
  (void)l;
  (void)used;
  snprintf(fake.key_id, sizeof fake.key_id, "AKIANEW");
  if (fake.renewed_account != NULL)
    fake.account = fake.renewed_account;
}

int64_t login_next_turn_ms(const struct login *l)
{
  (void)l;
  return WHEN_NONE;
}

unsigned login_fds(const struct login *l, struct transport_fd *out, unsigned max)
{
  (void)l;
  (void)out;
  (void)max;
  return 0;
}

const struct credentials *login_credentials(const struct login *l)
{
  return &l->keys;
}

const struct err *login_error(const struct login *l)
{
  return &l->error;
}

void login_retry(struct login *l)
{
  (void)l;
}

const char *login_source(const struct login *l)
{
  (void)l;
  return "fake";
}

const char *login_profile(const struct login *l)
{
  (void)l;
  return "";
}

const char *login_settings_profile(const struct login *l)
{
  (void)l;
  return "";
}

const char *login_region(const struct login *l)
{
  (void)l;
  return "eu-west-1";
}

const char *login_region_source(const struct login *l)
{
  (void)l;
  return "option";
}

const char *login_notice(const struct login *l)
{
  (void)l;
  return NULL;
}

const char *login_mfa_serial(const struct login *l)
{
  (void)l;
  return "arn:mfa";
}

void login_give_mfa(struct login *l, const char *code)
{
  (void)l;
  (void)code;
  fake.login = LOGIN_READY;
}

bool login_device_possible(const struct login *l)
{
  (void)l;
  return false;
}

void login_device_start(struct login *l)
{
  (void)l;
}

struct login_device login_device(const struct login *l)
{
  (void)l;
  return (struct login_device){.state = LOGIN_DEVICE_NONE};
}

struct err aws_config_load(aws_getenv_fn *get, void *user, struct aws_config **out)
{
  (void)get;
  (void)user;
  *out = NULL;
  return err_ok();
}

void aws_config_free(struct aws_config *c)
{
  (void)c;
}

const char *aws_config_ca_bundle(const struct aws_config *c, const char *option_profile)
{
  (void)c;
  (void)option_profile;
  return NULL;
}

struct err endpoint_resolve(const struct aws_config *config, enum aws_service service,
                            const struct endpoint_options *options, struct endpoint *out)
{
  (void)config;
  (void)options;
  if (service == AWS_PRICING && fake.no_pricing != NULL)
    return err_new(ERR_NOT_FOUND, "%s", fake.no_pricing);
  *out = (struct endpoint){.url = xstrdup("http://fake"), .signing_region = xstrdup("eu-west-1")};
  return err_ok();
}

void endpoint_fini(struct endpoint *e)
{
  free(e->url);
  free(e->signing_region);
}

const char *endpoint_partition(const char *region)
{
  (void)region;
  return "aws";
}

bool endpoint_is_region(const char *s)
{
  return strcmp(s, "eu-west-1") == 0 || strcmp(s, "us-east-1") == 0;
}

bool aws_config_has_profile(const struct aws_config *c, const char *profile)
{
  (void)c;
  return strncmp(profile, "no-", 3) != 0; /* every name but those is a profile */
}

struct err aws_config_reload(const struct aws_config *c, struct aws_config **out)
{
  (void)c;
  *out = NULL;
  return err_ok();
}

const char *aws_config_path(const struct aws_config *c)
{
  (void)c;
  return "~/.aws/config";
}

size_t aws_config_profile_count(const struct aws_config *c)
{
  (void)c;
  return 2;
}

const char *aws_config_profile_name(const struct aws_config *c, size_t index)
{
  (void)c;
  return index == 0 ? "a" : "b";
}

const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key)
{
  (void)c;
  (void)key;
  return profile[0] == 'a' ? "eu-west-1" : NULL;
}
