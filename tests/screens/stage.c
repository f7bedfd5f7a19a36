#include "screens/stage.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "views/input.h"

#define MINUTE WHEN_MINUTE
#define HOUR   WHEN_HOUR

/* --- the account ---------------------------------------------------------------------------------------------------- */

static int open_context(struct model *m, const char *profile, const char *region, const char *account,
                        const char *source)
{
  int c = model_add_context(m, profile, profile, region, "profile", "aws", "");
  struct context *context = &m->contexts[c];
  free(context->source);
  context->source = xstrdup(source);
  if (account != NULL) {
    struct identity id = {
        .account = account, .arn = "arn:aws:sts::441212349012:assumed-role/oncall/ada", .user_id = "A"};
    model_set_identity(m, c, &id, STAGE_NOW - MINUTE);
    m->contexts[c].confirmed = true;
  }
  return m->contexts[c].place;
}

static strid put_job(struct model *m, int place, const char *name, const char *kind, const char *type, int64_t workers,
                     double dpu, const char *version)
{
  struct job_data d = {.name = name,
                       .mode = "SCRIPT",
                       .description = "Made for tests.",
                       .role = "arn:aws:iam::441212349012:role/etl",
                       .command_name = kind,
                       .script_location = "s3://code/job.py",
                       .python_version = "3",
                       .worker_type = type,
                       .glue_version = version,
                       .execution_class = "STANDARD",
                       .created_ms = STAGE_NOW - 90 * WHEN_DAY,
                       .modified_ms = STAGE_NOW - 3 * WHEN_DAY,
                       .max_concurrent_runs = 1,
                       .max_retries = 1,
                       .timeout_minutes = 120,
                       .workers = type != NULL ? workers : RECORD_ABSENT,
                       .notify_delay_minutes = RECORD_ABSENT,
                       .max_capacity = dpu,
                       .queuing = TRI_TRUE};
  struct job *j = model_put_job(m, place, &d, STAGE_NOW - MINUTE);
  freshness_good(&j->runs_fresh, STAGE_NOW - MINUTE, true);
  return j->name;
}

void stage_put_run(struct model *m, int place, const char *job, unsigned number, const char *state,
                   int64_t started_ago_ms, int64_t ended_ago_ms, const char *error)
{
  char id[80];
  strid name = strpool_put(m->strings, job);
  const struct job *j = model_job(m, place, name);
  snprintf(id, sizeof id, "jr_%08x%056x", 0x8f2c0000u + number, number);
  bool over = ended_ago_ms >= 0, ran = strcmp(state, "WAITING") != 0 && strcmp(state, "EXPIRED") != 0;
  struct run_data d = {.id = id,
                       .job = job,
                       .state = state,
                       .error = error,
                       .state_detail =
                           strcmp(state, "WAITING") == 0 ? "Job run is queued: the job has reached its limit" : NULL,
                       .trigger = number % 3 == 0 ? "every-two-hours" : NULL,
                       .worker_type = j != NULL ? model_str(m, j->worker_type) : NULL,
                       .glue_version = j != NULL ? model_str(m, j->glue_version) : NULL,
                       .execution_class = number % 5 == 0 ? "FLEX" : "STANDARD",
                       .started_ms = STAGE_NOW - started_ago_ms,
                       .modified_ms = STAGE_NOW - (over ? ended_ago_ms : MINUTE),
                       .completed_ms = over ? STAGE_NOW - ended_ago_ms : WHEN_NONE,
                       .attempt = 0,
                       .execution_seconds = ran ? (started_ago_ms - (over ? ended_ago_ms : 0)) / 1000 - 30 : 0,
                       .timeout_minutes = 120,
                       .workers = j != NULL && j->workers > 0 ? j->workers : RECORD_ABSENT,
                       .max_capacity = j != NULL ? j->max_capacity : (double)NAN,
                       .dpu_seconds = (double)NAN,
                       .queuing = TRI_TRUE};
  bool changed = false;
  if (!model_put_run(m, place, name, &d, STAGE_NOW - MINUTE, &changed)) {
    abort();
  }
}

static void history(struct model *m, int place, const char *job, unsigned number, int count, int64_t every_ms,
                    int64_t took_ms)
{
  for (int i = 1; i <= count; i++) {
    int64_t ago = i * every_ms;
    stage_put_run(m, place, job, number + (unsigned)i, "SUCCEEDED", ago, ago - took_ms - i * 1000, NULL);
  }
}

static void fill_full(struct model *m, int place)
{
  static const char denied[] =
      "An error occurred while calling o126.pyWriteDynamicFrame. Access denied on s3://curated/orders "
      "(Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)";
  put_job(m, place, "orders-silver", "glueetl", "G.2X", 10, 20, "5.1");
  history(m, place, "orders-silver", 100, 7, 2 * HOUR, 14 * MINUTE);
  stage_put_run(m, place, "orders-silver", 120, "FAILED", 13 * MINUTE, 2 * MINUTE, denied);
  stage_put_run(m, place, "orders-silver", 121, "FAILED", 75 * MINUTE, 63 * MINUTE, denied);
  put_job(m, place, "clickstream-hourly", "glueetl", "G.1X", 10, 10, "4.0");
  history(m, place, "clickstream-hourly", 200, 9, 2 * HOUR, 64 * MINUTE);
  stage_put_run(m, place, "clickstream-hourly", 220, "RUNNING", 109 * MINUTE, -1, NULL);
  put_job(m, place, "customers-dim", "glueetl", "G.1X", 10, 10, "6.0");
  history(m, place, "customers-dim", 300, 8, 12 * HOUR, 6 * MINUTE + 11000);
  put_job(m, place, "finance-close", "glueetl", "G.2X", 8, 16, "5.0");
  history(m, place, "finance-close", 400, 3, 5 * HOUR, 31 * MINUTE);
  stage_put_run(m, place, "finance-close", 420, "RUNNING", 41 * MINUTE, -1, NULL);
  stage_put_run(m, place, "finance-close", 421, "WAITING", 26 * MINUTE, -1, NULL);
  put_job(m, place, "inventory-delta", "glueetl", "G.4X", 6, 24, "5.1");
  history(m, place, "inventory-delta", 500, 4, 3 * HOUR, 20 * MINUTE);
  stage_put_run(m, place, "inventory-delta", 520, "TIMEOUT", 5 * HOUR, 3 * HOUR, "Job run exceeded its timeout");
  put_job(m, place, "payments-stream", "gluestreaming", "G.025X", 4, 1, "5.1");
  stage_put_run(m, place, "payments-stream", 600, "RUNNING", 6 * WHEN_DAY, -1, NULL);
  put_job(m, place, "fx-rates", "pythonshell", NULL, 0, 0.0625, "3.0");
  history(m, place, "fx-rates", 700, 12, HOUR, 21000);
  put_job(m, place, "returns-stopped", "glueetl", "G.1X", 5, 5, "5.0");
  stage_put_run(m, place, "returns-stopped", 800, "STOPPED", 2 * HOUR, HOUR, NULL);
  put_job(m, place, "audit-expired", "glueetl", "G.1X", 2, 2, "3.0");
  stage_put_run(m, place, "audit-expired", 900, "EXPIRED", 9 * HOUR, 8 * HOUR, NULL);
  put_job(m, place, "brand-new", "glueray", "Z.2X", 3, 6, NULL);
  put_job(m, place, "state-of-the-future", "glueetl", "G.99X", 3, (double)NAN, "7.0");
  stage_put_run(m, place, "state-of-the-future", 950, "HIBERNATING", 3 * HOUR, -1, NULL);
  /* everything was read, but for the history of one job before the last eight hours */
  for (size_t i = 0; i < m->places[place].job_count; i++) {
    struct job *j = &m->places[place].jobs[i];
    bool all = strcmp(model_str(m, j->name), "fx-rates") != 0;
    model_add_span(m, place, j->name, all ? INT64_MIN : STAGE_NOW - 8 * HOUR, STAGE_NOW - MINUTE, all);
    j->top_read_ms = STAGE_NOW - MINUTE;
  }
  struct trigger_action orders = {.job = "orders-silver", .timeout_minutes = RECORD_ABSENT};
  struct trigger_action dim = {.job = "customers-dim", .timeout_minutes = RECORD_ABSENT};
  struct trigger_condition after = {.job = "orders-silver", .state = "SUCCEEDED"};
  struct trigger_data triggers[] = {
      {.name = "every-two-hours",
       .type = "SCHEDULED",
       .state = "ACTIVATED",
       .schedule = "cron(0 0/2 * * ? *)",
       .actions = &orders,
       .action_count = 1},
      {.name = "after-orders",
       .type = "CONDITIONAL",
       .state = "DEACTIVATED",
       .actions = &dim,
       .action_count = 1,
       .conditions = &after,
       .condition_count = 1},
  };
  model_put_triggers(m, place, triggers, 2, STAGE_NOW - MINUTE);
}

static void fill_hostile(struct model *m, int place)
{
  static const char *const names[] = {
      "\033]0;owned\007evil\033[2J",
      "\xe6\x97\xa5\xe6\xac\xa1\xe9\x9b\x86\xe8\xa8\x88", /* two cells each */
      "e\xcc\x81t\xc3\xa9 combining",                     /* a mark over the letter before */
      "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa6 family", /* joined */
      "\xe2\x9d\xa4\xef\xb8\x8f heart",
      "right\xe2\x80\xaeto left",
      "broken \xff\xfe utf-8 \xc3",
      "line\nfeed\r\nand\ttab",
      "c1 \xc2\x9b"
      "31m control",
      "a name that is so long that no window of any sensible size can ever show the whole of it, not even the widest "
      "one"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    put_job(m, place, names[i], "glueetl", "G.1X", 2, 2, "5.0");
    stage_put_run(m, place, names[i], 1000 + i, "FAILED", (int64_t)(i + 5) * MINUTE, (int64_t)(i + 1) * MINUTE,
                  names[i]);
  }
}

void stage_fill(struct model *m, enum stage_account account)
{
  bool unconfirmed = account == STAGE_UNCONFIRMED || account == STAGE_READING || account == STAGE_FAILING;
  int place = open_context(m, "oncall", "eu-west-1", unconfirmed ? NULL : "441212349012", "sso:oncall");
  struct place *p = &m->places[place];
  switch (account) {
  case STAGE_FULL:
  case STAGE_STALE:
  case STAGE_TWO:
  case STAGE_UNCONFIRMED:
    fill_full(m, place);
    break;
  case STAGE_HOSTILE:
    fill_hostile(m, place);
    break;
  case STAGE_EMPTY:
  case STAGE_READING:
  case STAGE_FAILING:
    break;
  }
  p = &m->places[place];
  if (account == STAGE_FAILING) {
    struct err e =
        err_new(ERR_DENIED, "User: arn:aws:sts::441212349012:assumed-role/oncall/ada is not authorized to perform: "
                            "glue:GetJobs on resource: *");
    err_set_what(&e, "GetJobs in eu-west-1");
    err_set_hint(&e, "the least policy stands in the README");
    model_add_problem(m, 0, &e, STAGE_NOW);
    freshness_bad(&p->jobs_fresh, e, STAGE_NOW, STAGE_NOW + MINUTE);
  } else if (account == STAGE_STALE) {
    freshness_good(&p->jobs_fresh, STAGE_NOW - HOUR, true);
    freshness_bad(&p->jobs_fresh, err_new(ERR_NETWORK, "could not connect"), STAGE_NOW, STAGE_NOW + MINUTE);
  } else if (account != STAGE_READING) {
    freshness_good(&p->jobs_fresh, STAGE_NOW - MINUTE / 2, true);
    freshness_good(&p->triggers_fresh, STAGE_NOW - MINUTE / 2, true);
  }
  if (account == STAGE_TWO) {
    int other = open_context(m, "billing", "us-east-1", "555566667777", "role billing via oncall");
    put_job(m, other, "orders-silver", "glueetl", "G.1X", 2, 2, "5.1");
    history(m, other, "orders-silver", 2000, 3, HOUR, 5 * MINUTE);
    stage_put_run(m, other, "orders-silver", 2010, "RUNNING", 4 * MINUTE, -1, NULL);
    freshness_good(&m->places[other].jobs_fresh, STAGE_NOW - 2 * MINUTE, true);
    freshness_good(&m->places[other].triggers_fresh, STAGE_NOW - 2 * MINUTE, true);
  }
  model_touch(m);
}

static void put_event(struct model *m, enum notice_kind kind, int place, const char *job, unsigned number,
                      const char *text, int64_t ago_ms)
{
  char id[80];
  snprintf(id, sizeof id, "jr_%08x%056x", 0x8f2c0000u + number, number);
  struct notice n = {.kind = kind,
                     .place = place,
                     .context = kind == NOTICE_LOGIN ? 0 : -1,
                     .job = strpool_put(m->strings, job),
                     .run_id = job != NULL ? strpool_put(m->strings, id) : 0,
                     .text = strpool_put(m->strings, text),
                     .at_ms = STAGE_NOW - ago_ms,
                     .seen_ms = STAGE_NOW - ago_ms + 5 * WHEN_SECOND};
  model_add_notice(m, &n);
}

void stage_put_events(struct model *m, int place, bool more)
{
  if (!more) {
    put_event(m, NOTICE_TIMED_OUT, place, "inventory-delta", 520, "Job run exceeded its timeout", 3 * HOUR);
    put_event(m, NOTICE_STOPPED, place, "returns-stopped", 800, NULL, HOUR);
    put_event(m, NOTICE_RECOVERED, place, "fx-rates", 701, NULL, 50 * MINUTE);
    return;
  }
  put_event(m, NOTICE_NEAR_TIMEOUT, place, "clickstream-hourly", 220, NULL, 12 * MINUTE);
  put_event(
      m, NOTICE_COLLIDED, place, "finance-close", 421,
      "Concurrent runs exceeded for finance-close (Service: AWSGlue; Error Code: ConcurrentRunsExceededException)",
      9 * MINUTE);
  put_event(m, NOTICE_FAILED, place, "orders-silver", 120,
            "An error occurred while calling o126.pyWriteDynamicFrame. Access denied on s3://curated/orders",
            2 * MINUTE);
  put_event(m, NOTICE_LOGIN, place, NULL, 0, "the session of oncall has ended", MINUTE);
}

void stage_put_rates(struct stage *s)
{
  static const struct {
    enum price_item item;
    enum price_generation generation;
    int64_t nano;
    const char *usagetype;
  } list[] = {{PRICE_STANDARD, PRICE_GEN_1, 440000000, "EU-ETL-DPU-Hour"},
              {PRICE_STANDARD, PRICE_GEN_2, 308000000, "EU-ETL-DPU-Hour-Gen2"},
              {PRICE_FLEX, PRICE_GEN_1, 290000000, "EU-ETL-Flex-DPU-Hour"}};
  for (size_t i = 0; i < s->model->place_count; i++) {
    struct place *p = &s->model->places[i];
    if (i == 0) {
      for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        price_table_set(s->prices, p->region, list[k].item, list[k].generation, list[k].nano, PRICE_FROM_LIST,
                        list[k].usagetype, "2026-11-20");
      }
      p->quotas[QUOTA_RUNS] = 2000;
      p->quotas[QUOTA_DPU] = 300;
      freshness_good(&p->prices_fresh, STAGE_NOW - 3 * HOUR, true);
      freshness_good(&p->quotas_fresh, STAGE_NOW - 3 * HOUR, true);
    } else {
      freshness_bad(&p->prices_fresh,
                    err_new(ERR_DENIED, "User: arn:aws:sts::555566667777:assumed-role/billing/ada is not authorized to "
                                        "perform: pricing:GetProducts"),
                    STAGE_NOW, STAGE_NOW + 24 * HOUR);
      freshness_bad(&p->quotas_fresh,
                    err_new(ERR_DENIED, "User: arn:aws:sts::555566667777:assumed-role/billing/ada is not authorized to "
                                        "perform: servicequotas:ListServiceQuotas"),
                    STAGE_NOW, STAGE_NOW + 24 * HOUR);
    }
  }
  price_table_set(s->prices, "us-east-1", PRICE_PYTHON, PRICE_GEN_1, 400000000, PRICE_OVERRIDE, "gluetop.conf", "");
  model_touch(s->model);
}

void stage_put_polling(struct model *m)
{
  struct polling *p = &m->polling;
  p->places = xcalloc(m->place_count, sizeof *p->places);
  p->place_count = m->place_count;
  p->at_ms = STAGE_NOW;
  p->store_usable = p->store_writable = true;
  p->store_runs_painted = 12112;
  p->store_blocks_written = 31;
  for (size_t i = 0; i < m->place_count; i++) {
    const struct place *place = &m->places[i];
    struct polling_place *out = &p->places[i];
    *out = (struct polling_place){.place = (int)i,
                                  .context = (int)i,
                                  .limit = i == 0 ? 7.5 : (double)INFINITY,
                                  .fixed_limit = i == 0 ? 10 : 0,
                                  .in_flight = 1,
                                  .last_minute = 212,
                                  .sent = 40213,
                                  .throttled = i == 0 ? 61 : 0,
                                  .jobs = place->job_count,
                                  .jobs_read = place->job_count > 0 ? place->job_count - 1 : 0,
                                  .jobs_failing = i == 0 ? 1 : 0,
                                  .oldest_ms = STAGE_NOW - 25 * MINUTE};
    out->rows[out->row_count++] = (struct polling_row){.what = "GetJobs",
                                                       .why = "on the screen",
                                                       .in_flight = true,
                                                       .due_ms = STAGE_NOW,
                                                       .fetched_ms = STAGE_NOW - MINUTE};
    for (size_t k = 0; k < place->job_count && k < 8; k++) {
      out->rows[out->row_count++] =
          (struct polling_row){.what = "GetJobRuns",
                               .why = k < 3 ? "in flight" : "in its turn",
                               .job = place->jobs[k].name,
                               .due_ms = STAGE_NOW + ((int64_t)k - 1) * 17 * WHEN_SECOND,
                               .fetched_ms = k == 7 ? WHEN_NONE : STAGE_NOW - (int64_t)k * MINUTE,
                               .failing = i == 0 && k == 2};
    }
    if (i == 0 && place->job_count > 2) {
      struct job *j = &m->places[0].jobs[2];
      freshness_bad(&j->runs_fresh, err_new(ERR_THROTTLED, "Rate exceeded"), STAGE_NOW - MINUTE, STAGE_NOW + MINUTE);
    }
  }
  struct err e = err_new(ERR_THROTTLED, "Rate exceeded");
  err_set_what(&e, "GetJobRuns in eu-west-1");
  model_add_problem(m, 0, &e, STAGE_NOW - 2 * MINUTE);
  err_fini(&e);
}

/* --- the stage ------------------------------------------------------------------------------------------------------ */

void stage_open(struct stage *s, enum stage_account account, int width, int height, const struct shell_options *options)
{
  struct shell_options o = {
      .zone = WHEN_LOCAL, .since_ms = STAGE_NOW - WHEN_DAY, .until_ms = INT64_MAX, .view = "jobs"};
  memset(s, 0, sizeof *s);
  setlocale(LC_CTYPE, "C.UTF-8");
  setenv("TZ", "CET-1", 1);
  tzset();
  if (options != NULL) {
    o = *options;
  }
  s->prices = price_table_new();
  o.prices = o.prices != NULL ? o.prices : s->prices;
  s->now_ms = STAGE_NOW;
  s->model = model_new();
  stage_fill(s->model, account);
  intents_init(&s->intents);
  canvas_init(&s->canvas);
  canvas_resize(&s->canvas, width, height);
  o.model = s->model;
  o.now_ms = s->now_ms;
  struct err e = shell_new(&o, &s->shell);
  if (err_is(&e)) {
    fprintf(stderr, "stage: %s\n", err_message(&e));
    abort();
  }
  stage_frame(s);
}

void stage_close(struct stage *s)
{
  shell_free(s->shell);
  price_table_free(s->prices);
  intents_fini(&s->intents);
  canvas_fini(&s->canvas);
  model_free(s->model);
}

void stage_frame(struct stage *s)
{
  struct wants wants;
  wants_init(&wants);
  shell_wants(s->shell, &wants);
  wants_fini(&wants);
  while (shell_has_work(s->shell) && shell_work(s->shell, s->model, s->now_ms)) {
    /* as many slices as it takes */
  }
  bool quiet = !s->model->places[0].jobs_fresh.in_flight;
  shell_update(s->shell, s->model, s->now_ms, s->mono_ms, quiet, s->canvas.width, s->canvas.height);
  shell_draw(s->shell, &s->canvas);
}

static void give(struct stage *s, const char *names, bool frames)
{
  while (*names != '\0') {
    char name[INPUT_KEY_NAME_MAX];
    size_t len = strcspn(names, " ");
    struct input in;
    memcpy(name, names, len);
    name[len] = '\0';
    names += len;
    names += strspn(names, " ");
    if (!input_parse_key(name, &in)) {
      fprintf(stderr, "stage: no key \"%s\"\n", name);
      abort();
    }
    in.text = in.code == ' ' ? " " : name; /* letters are given by themselves */
    shell_input(s->shell, &in, s->mono_ms, &s->intents);
    s->mono_ms += 50;
    if (frames) {
      stage_frame(s);
    }
  }
  stage_frame(s);
}

void stage_keys(struct stage *s, const char *names)
{
  give(s, names, true);
}

void stage_keys_at_once(struct stage *s, const char *names)
{
  give(s, names, false);
}

static void feed(struct stage *s, const char *bytes)
{
  struct input_decoder d;
  struct input in;
  input_init(&d);
  input_feed(&d, bytes, strlen(bytes), s->mono_ms);
  while (input_next(&d, s->mono_ms, &in)) {
    shell_input(s->shell, &in, s->mono_ms, &s->intents);
  }
  input_fini(&d);
  stage_frame(s);
}

void stage_type(struct stage *s, const char *text)
{
  feed(s, text);
}

void stage_paste(struct stage *s, const char *text)
{
  char *bytes = xasprintf("\033[200~%s\033[201~", text);
  feed(s, bytes);
  free(bytes);
}

void stage_resize(struct stage *s, int width, int height)
{
  canvas_resize(&s->canvas, width, height);
  stage_frame(s);
}

/* --- looking -------------------------------------------------------------------------------------------------------- */

static void add_letter(struct buf *out, uint32_t c)
{
  if (c < 0x80) {
    buf_addc(out, (char)c);
  } else if (c < 0x800) {
    buf_addc(out, (char)(0xc0 | c >> 6));
    buf_addc(out, (char)(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    buf_addc(out, (char)(0xe0 | c >> 12));
    buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_addc(out, (char)(0x80 | (c & 0x3f)));
  } else {
    buf_addc(out, (char)(0xf0 | c >> 18));
    buf_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
    buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_addc(out, (char)(0x80 | (c & 0x3f)));
  }
}

static const struct cell *row_of(const struct stage *s, int y)
{
  return &s->canvas.cells[(size_t)y * (size_t)s->canvas.width];
}

static void add_line(const struct stage *s, int y, struct buf *out)
{
  const struct cell *row = row_of(s, y);
  size_t start = out->len;
  for (int x = 0; x < s->canvas.width; x++) {
    for (int i = 0; i < CELL_LETTERS && row[x].width > 0 && row[x].letters[i] != 0; i++) {
      add_letter(out, row[x].letters[i]);
    }
  }
  while (out->len > start && out->data[out->len - 1] == ' ') {
    out->data[--out->len] = '\0';
  }
}

static bool same_look(const struct look *a, const struct look *b)
{
  return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim && a->reverse == b->reverse &&
         a->underline == b->underline;
}

static void add_looks(const struct stage *s, int y, enum colour_depth depth, struct buf *out)
{
  const struct cell *row = row_of(s, y);
  const struct look plain = theme_look(ROLE_TEXT, depth);
  bool first = true;
  for (int x = 0; x < s->canvas.width;) {
    struct look look = theme_look((unsigned)row[x].role | (unsigned)row[x].marks << 5, depth);
    int end = x + 1;
    bool seen = row[x].letters[0] != ' ' || look.reverse || look.underline;
    while (end < s->canvas.width) {
      struct look next = theme_look((unsigned)row[end].role | (unsigned)row[end].marks << 5, depth);
      if (!same_look(&look, &next)) {
        break;
      }
      seen = seen || row[end].letters[0] != ' ';
      end++;
    }
    if (!same_look(&look, &plain) && seen) {
      buf_adds(out, first ? "  |" : ";");
      first = false;
      buf_addf(out, " %d-%d%s%s%s%s", x, end - 1, look.bold ? " bold" : "", look.dim ? " dim" : "",
               look.reverse ? " reverse" : "", look.underline ? " underline" : "");
      if (look.fg >= 0) {
        buf_addf(out, " fg=%d", look.fg);
      }
    }
    x = end;
  }
  if (!first) {
    buf_addc(out, '\n');
  }
}

char *stage_dump(const struct stage *s, bool looks, enum colour_depth depth)
{
  struct buf out;
  buf_init(&out, 4 * 1024 * 1024);
  for (int y = 0; y < s->canvas.height; y++) {
    add_line(s, y, &out);
    buf_addc(&out, '\n');
    if (looks) {
      add_looks(s, y, depth, &out);
    }
  }
  return buf_take(&out);
}

bool stage_shows(const struct stage *s, const char *text)
{
  char *screen = stage_dump(s, false, COLOURS_NONE);
  bool shows = strstr(screen, text) != NULL;
  free(screen);
  return shows;
}

const char *stage_line(const struct stage *s, int y)
{
  static char line[8192];
  struct buf out;
  buf_init(&out, sizeof line - 1);
  add_line(s, y < 0 ? s->canvas.height + y : y, &out);
  memcpy(line, out.data, out.len + 1);
  buf_fini(&out);
  return line;
}
