#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "cli/private.h"

static bool changes_aws(enum cli_command c)
{
  return c == CLI_START || c == CLI_STOP;
}

struct err cli_new(const struct cli_request *request, const struct clock *clock, struct cli **out)
{
  struct err e = err_ok();
  *out = NULL;
  if (changes_aws(request->command)) {
    e = change_check(request);
  }
  if (!err_is(&e)) {
    struct cli *cli = xcalloc(1, sizeof *cli);
    cli->request = request;
    cli->clock = clock;
    cli->stats = stats_cache_new(request->measures ? request->measures->usual_runs : 0);
    buf_init(&cli->out, CLI_OUTPUT_MAX);
    *out = cli;
  }
  return e;
}

void cli_free(struct cli *cli)
{
  if (cli) {
    buf_fini(&cli->out);
    stats_cache_free(cli->stats);
    free(cli->started_run);
    free(cli);
  }
}

enum cli_exit cli_exit_status(const struct cli *cli)
{
  return cli->status;
}

void cli_interrupt(struct cli *cli)
{
  cli->interrupted = 1;
}

enum cli_exit cli_exit_for(enum err_kind kind)
{
  enum cli_exit status = CLI_EXIT_TROUBLE;
  switch (kind) {
  case ERR_OK:
    status = CLI_EXIT_OK;
    break;
  case ERR_UNCERTAIN:
    status = CLI_EXIT_UNCERTAIN;
    break;
  case ERR_CREDENTIALS:
  case ERR_EXPIRED:
    status = CLI_EXIT_CREDENTIALS;
    break;
  case ERR_USAGE:
  case ERR_CONFIG:
    status = CLI_EXIT_USAGE;
    break;
  case ERR_DENIED:
  case ERR_NOT_FOUND:
  case ERR_CONFLICT:
  case ERR_LIMIT:
    status = CLI_EXIT_REFUSED;
    break;
  case ERR_CANCELLED:
    status = CLI_EXIT_INTERRUPTED;
    break;
  case ERR_THROTTLED:
  case ERR_NETWORK:
  case ERR_TLS:
  case ERR_TIMEOUT:
  case ERR_SERVER:
  case ERR_PARSE:
  case ERR_TOO_BIG:
  case ERR_SKEW:
  case ERR_IO:
  case ERR_KIND_COUNT:
    break;
  }
  return status;
}

void cli_print_error(const struct err *e)
{
  const struct err_detail *d = e->detail;
  char *first = text_clean_dup(err_message(e), TEXT_BLOCK);
  char *what = text_clean_dup(d ? d->what : NULL, TEXT_LINE);
  char *code = text_clean_dup(d ? d->code : NULL, TEXT_LINE);
  fprintf(stderr, "gluetop: %s%s%s\n", what, *what ? ": " : "", first);
  if (d && *code) {
    char *request = text_clean_dup(d->request_id, TEXT_LINE);
    fprintf(stderr, "  %s%s%s%s\n", code, *request ? " (request " : "", request, *request ? ")" : "");
    free(request);
  }
  if (d && d->hint) {
    char *hint = text_clean_dup(d->hint, TEXT_BLOCK);
    fprintf(stderr, "  %s\n", hint);
    free(hint);
  }
  free(code);
  free(what);
  free(first);
}

void scene_init(struct cli_scene *s, const struct cli *cli, const struct model *model, int64_t now_ms)
{
  *s = (struct cli_scene){.model = model};
  s->context_of_place = xcalloc(model->place_count + 1, sizeof *s->context_of_place);
  for (size_t i = model->context_count; i-- > 0;) {
    s->context_of_place[model->contexts[i].place] = (int)i; /* two logins of one place: the first speaks for it */
  }
  s->scope = (struct report_scope){
      .model = model,
      .now_ms = now_ms,
      .since_ms = cli->request->since_ms,
      .until_ms = cli->request->until_ms,
      .zone = cli->request->zone,
      .context_of_place = s->context_of_place,
      .prices = cli->request->prices,
      .stats = cli->stats,
  };
}

void scene_fini(struct cli_scene *s)
{
  free(s->context_of_place);
  s->context_of_place = NULL;
}

/* How far back a board looks: its window, and behind it what usual lengths and the month's figures rest on. */
static int64_t board_since(const struct cli *cli, const struct cli_request *r)
{
  int64_t now = clock_wall_ms(cli->clock);
  int64_t needed = now - 14 * WHEN_DAY;
  if (r->command == CLI_BURN) {
    int64_t month = when_month_start(now, WHEN_UTC);
    needed = month < now - 8 * WHEN_DAY ? month : now - 8 * WHEN_DAY;
  }
  return r->since_ms < needed ? r->since_ms : needed;
}

/* All of them with the same prices, so that no two commands say different things. */
static bool shows_money(enum cli_command c)
{
  return c == CLI_JOBS || c == CLI_JOB || c == CLI_RUNS || c == CLI_RUN || c == CLI_BURN || c == CLI_TIMEOUTS ||
         c == CLI_CHECK;
}

void cli_wants_of(const struct cli *cli, const struct model *model, struct wants *out)
{
  const struct cli_request *r = cli->request;
  strid job = r->arg_count > 0 ? strpool_put(model->strings, r->args[0]) : 0;
  struct want identity = {.kind = WANT_IDENTITY, .context = -1};
  struct want jobs = {.kind = WANT_JOBS, .context = -1};
  struct want triggers = {.kind = WANT_TRIGGERS, .context = -1};
  struct want one_job = {.kind = WANT_JOB, .context = -1, .job = job};
  struct want runs = {.kind = WANT_RUNS, .context = -1, .job = job, .since_ms = r->since_ms, .until_ms = r->until_ms};
  struct want prices = {.kind = WANT_PRICES, .context = -1, .urgency = WANT_BEHIND};
  struct want quotas = {.kind = WANT_QUOTAS, .context = -1, .urgency = WANT_BEHIND};
  struct want all = {.kind = WANT_ALL_RUNS, .context = -1, .since_ms = r->since_ms, .until_ms = r->until_ms};
  wants_add(out, &identity);
  switch (r->command) {
  case CLI_JOBS:
    wants_add(out, &jobs);
    wants_add(out, &triggers);
    wants_add(out, &all);
    break;
  case CLI_RUNS:
    if (job) {
      wants_add(out, &one_job);
      wants_add(out, &runs);
    } else {
      wants_add(out, &jobs);
      wants_add(out, &all);
    }
    break;
  case CLI_JOB:
    wants_add(out, &one_job);
    wants_add(out, &triggers);
    wants_add(out, &runs);
    break;
  case CLI_RUN: {
    struct want one = {.kind = WANT_RUN, .context = -1, .job = job, .run_id = strpool_put(model->strings, r->args[1])};
    wants_add(out, &one_job);
    wants_add(out, &one);
    /* The other attempts of the same start lie close to it: asked for once its own time is known. */
    for (size_t i = 0; i < model->context_count; i++) {
      const struct run *run = model_run(model, model->contexts[i].place, job, r->args[1]);
      if (run && run->started_ms != WHEN_NONE) {
        runs.since_ms = run->started_ms - WHEN_DAY;
        wants_add(out, &runs);
      }
    }
    break;
  }
  case CLI_START:
    if (r->like) {
      struct want like = {.kind = WANT_RUN, .context = -1, .job = job, .run_id = strpool_put(model->strings, r->like)};
      wants_add(out, &like);
    }
    if (cli->started_run) {
      struct want started = {
          .kind = WANT_RUN, .context = -1, .job = job, .run_id = strpool_put(model->strings, cli->started_run)};
      wants_add(out, &started);
    }
    break;
  case CLI_BURN:
  case CLI_TIMELINE:
  case CLI_COLLISIONS:
  case CLI_TIMEOUTS:
  case CLI_CHECK:
    wants_add(out, &jobs);
    wants_add(out, &triggers);
    all.since_ms = board_since(cli, r);
    wants_add(out, &all);
    break;
  case CLI_STOP:
  case CLI_WHOAMI:
  case CLI_NONE:
    break;
  }
  if (shows_money(r->command)) {
    wants_add(out, &prices);
  }
  if (r->command == CLI_COLLISIONS || r->command == CLI_CHECK) {
    wants_add(out, &quotas);
  }
}

static struct err front_open(void *front, struct app *app)
{
  struct cli *cli = front;
  cli->app = app;
  return err_ok();
}

static void front_close(void *front)
{
  (void)front;
}

static int front_fd(void *front)
{
  (void)front;
  return -1;
}

static void front_input(void *front, bool ready, struct intents *out)
{
  struct cli *cli = front;
  (void)ready;
  if (cli->interrupted && !cli->finished) {
    /* A write that was sent and not answered stays unknown when the person leaves. */
    bool unknown = app_writes_under_way(cli->app);
    if (unknown) {
      fputs("gluetop: interrupted before the answer came: it is not known whether this was carried out\n", stderr);
    }
    cli->status = unknown ? CLI_EXIT_UNCERTAIN : CLI_EXIT_INTERRUPTED;
    cli->finished = true;
  } else if (changes_aws(cli->request->command)) {
    change_input(cli, out);
  }
}

static void front_wants(void *front, struct wants *out)
{
  struct cli *cli = front;
  cli_wants_of(cli, app_model(cli->app), out);
  cli->asked = out->count;
  cli->ask_again = false;
}

static void print_answer(struct cli *cli, const struct cli_scene *scene, const struct cli_problems *problems)
{
  switch (cli->request->command) {
  case CLI_JOBS:
    cli_print_jobs(cli, scene, problems);
    break;
  case CLI_JOB:
    cli_print_job(cli, scene, problems);
    break;
  case CLI_RUNS:
    cli_print_runs(cli, scene, problems);
    break;
  case CLI_RUN:
    cli_print_run(cli, scene, problems);
    break;
  case CLI_WHOAMI:
    cli_print_whoami(cli, scene, problems);
    break;
  case CLI_BURN:
    cli_print_board(cli, BOARD_BURN, scene, problems);
    break;
  case CLI_TIMELINE:
    cli_print_board(cli, BOARD_TIMELINE, scene, problems);
    break;
  case CLI_COLLISIONS:
    cli_print_board(cli, BOARD_COLLISIONS, scene, problems);
    break;
  case CLI_TIMEOUTS:
    cli_print_board(cli, BOARD_TIMEOUTS, scene, problems);
    break;
  case CLI_CHECK:
    cli_print_board(cli, BOARD_CHECK, scene, problems);
    break;
  case CLI_START:
  case CLI_STOP:
  case CLI_NONE:
    break;
  }
}

static void front_frame(void *front, const struct model *model, int64_t now_ms, bool quiet)
{
  struct cli *cli = front;
  bool changing = changes_aws(cli->request->command);
  if (!cli->finished && (quiet || changing)) {
    struct wants wants;
    wants_init(&wants);
    cli_wants_of(cli, model, &wants);
    /* An answer can lead to a further question (the other attempts of a run): then this is not the end yet. */
    cli->ask_again = wants.count > cli->asked;
    struct cli_problems problems;
    problems_gather(&problems, model, &wants, changing || cli->request->command == CLI_WHOAMI, now_ms);
    struct cli_scene scene;
    scene_init(&scene, cli, model, now_ms);
    if (changing) {
      change_frame(cli, &scene, &problems, quiet);
      /* The identity is known: the next turn's input asks the person or sends. */
      cli->ask_again = cli->ask_again || change_ready(cli);
    } else if (!cli->ask_again) {
      print_answer(cli, &scene, &problems); /* check sets a status of its own */
      enum cli_exit trouble = problems_exit(&problems);
      cli->status = trouble != CLI_EXIT_OK ? trouble : cli->status;
      cli->finished = true;
    }
    if (cli->finished) {
      problems_print(&problems);
    }
    scene_fini(&scene);
    problems_fini(&problems);
    wants_fini(&wants);
  }
  /* The id of a run that is waited for is told at once: the wait may take hours. */
  if ((cli->finished || cli->step == START_FOLLOWING) && cli->out.len > 0) {
    bool whole =
        !cli->out.overflow && fwrite(cli->out.data, 1, cli->out.len, stdout) == cli->out.len && fflush(stdout) == 0;
    if (!whole) {
      fputs("gluetop: the answer could not be written whole to standard output\n", stderr);
      cli->status = cli->status == CLI_EXIT_OK ? CLI_EXIT_TROUBLE : cli->status;
    }
    buf_reset(&cli->out);
  }
}

static int64_t front_next_frame(void *front)
{
  const struct cli *cli = front;
  return cli->ask_again ? clock_mono_ms(cli->clock) : INT64_MAX;
}

static bool front_done(void *front)
{
  const struct cli *cli = front;
  return cli->finished;
}

const struct front_ops cli_front_ops = {
    .name = "command",
    .open = front_open,
    .close = front_close,
    .fd = front_fd,
    .input = front_input,
    .wants = front_wants,
    .frame = front_frame,
    .next_frame_ms = front_next_frame,
    .done = front_done,
};
