/* start and stop. Nothing is sent before STS has said whose account it is and the person (or --yes) has agreed to exactly that. */
#include "cli/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "model/mask.h"

struct err change_check(const struct cli_request *r)
{
  struct err e = err_ok();
  const char *verb = r->command == CLI_START ? "start" : "stop";
  if (r->read_only) {
    e = err_new(ERR_USAGE, "%s changes AWS, and --read-only forbids that", verb);
  } else if (!r->yes && !isatty(STDIN_FILENO)) {
    e = err_new(ERR_USAGE, "%s changes AWS and asks first, but there is no terminal to ask on", verb);
    err_set_hint(&e, "give --yes to do it without asking");
  } else if (r->command == CLI_STOP && r->arg_count < 2) {
    e = err_new(ERR_USAGE, "usage: gluetop stop JOB RUN_ID...");
  } else if (r->execution_class && strcmp(r->execution_class, "STANDARD") != 0 &&
             strcmp(r->execution_class, "FLEX") != 0) {
    e = err_new(ERR_USAGE, "--class takes STANDARD or FLEX, not '%s'", r->execution_class);
  }
  return e;
}

static const struct doc_holder *like_doc(const struct cli *cli, const struct model *m, const struct run **run)
{
  const struct doc_holder *found = NULL;
  const struct cli_request *r = cli->request;
  strid job = strpool_find(m->strings, r->args[0]);
  const struct freshness *fresh = NULL;
  *run = model_run(m, m->contexts[0].place, job, r->like);
  found = model_run_doc(m, m->contexts[0].place, job, strpool_find(m->strings, r->like), &fresh);
  return found;
}

static bool key_given(const struct cli_request *r, const char *key)
{
  bool given = false;
  for (size_t i = 0; i < r->start_arg_count; i++) {
    given = given || strcmp(r->start_keys[i], key) == 0;
  }
  return given;
}

/* What the earlier run was given, where the command line does not say otherwise. */
static void fill_like(struct intent *in, const struct cli_request *r, const struct doc_holder *holder,
                      const struct run *run, const struct model *m)
{
  int inside = -1;
  for (size_t i = 0; i < holder->doc.count; i++) {
    const struct doc_node *n = &holder->doc.nodes[i];
    if (n->depth <= inside) {
      inside = -1;
    }
    if (n->depth == 1 && n->name && strcmp(n->name, "Arguments") == 0) {
      inside = 1;
    } else if (inside == 1 && n->depth == 2 && n->kind == DOC_STRING && !key_given(r, n->name)) {
      intent_add_argument(in, n->name, n->text);
    }
  }
  if (run) {
    intent_be_like(in, run, model_str(m, run->worker_type));
  }
}

static void send(struct cli *cli, struct intents *out)
{
  const struct cli_request *r = cli->request;
  const struct model *m = app_model(cli->app);
  struct intent *in = intents_add(out, r->command == CLI_START ? INTENT_START_RUN : INTENT_STOP_RUNS);
  in->context = 0;
  in->context_epoch = m->contexts[0].epoch;
  in->job = xstrdup(r->args[0]);
  in->workers = r->workers;
  in->timeout_minutes = r->timeout_minutes;
  in->worker_type = xstrdup(r->worker_type);
  in->execution_class = xstrdup(r->execution_class);
  for (size_t i = 0; i < r->start_arg_count; i++) {
    intent_add_argument(in, r->start_keys[i], r->start_values[i]);
  }
  if (r->command == CLI_STOP) {
    for (size_t i = 1; i < r->arg_count; i++) {
      intent_add_run(in, r->args[i]);
    }
  } else if (r->like) {
    const struct run *run = NULL;
    const struct doc_holder *holder = like_doc(cli, m, &run);
    if (holder) {
      fill_like(in, r, holder, run, m);
    }
  }
  cli->intent_id = in->id;
  cli->step = START_SENT;
}

/* The question names account, Region, job and effect. */
static void ask(const struct cli *cli)
{
  const struct cli_request *r = cli->request;
  const struct context *c = &app_model(cli->app)->contexts[0];
  char *question = NULL;
  if (r->command == CLI_START) {
    question = xasprintf("Start a run of %s in account %s, %s%s%s?", r->args[0], c->account, c->region,
                         r->like ? ", like " : "", r->like ? r->like : "");
  } else {
    question = xasprintf("Stop %zu run%s of %s in account %s, %s?", r->arg_count - 1, r->arg_count == 2 ? "" : "s",
                         r->args[0], c->account, c->region);
  }
  char *clean = text_clean_dup(question, TEXT_LINE); /* the account is what STS said */
  fprintf(stderr, "%s Type yes: ", clean);
  fflush(stderr);
  free(clean);
  free(question);
}

static bool agreed(void)
{
  char line[16] = "";
  bool yes = fgets(line, sizeof line, stdin) != NULL && strcmp(line, "yes\n") == 0;
  if (!yes) {
    fputs("gluetop: nothing was sent\n", stderr);
  }
  return yes;
}

bool change_ready(const struct cli *cli)
{
  const struct model *m = app_model(cli->app);
  const struct run *run = NULL;
  return cli->step == START_ASKING && !cli->finished && m->contexts[0].confirmed &&
         (!cli->request->like || like_doc(cli, m, &run));
}

void change_input(struct cli *cli, struct intents *out)
{
  const struct cli_request *r = cli->request;
  bool ready = change_ready(cli);
  if (ready && !r->yes) {
    tcflush(STDIN_FILENO, TCIFLUSH); /* what was typed before the question could be seen is no answer to it */
    /* The loop stands still while a command asks: nothing else is on show and nothing is under way. */
    ask(cli);
    ready = agreed();
    if (!ready) {
      cli->status = cli->interrupted ? CLI_EXIT_INTERRUPTED : CLI_EXIT_OK;
      cli->finished = true;
    }
  }
  if (ready) {
    send(cli, out);
  }
}

static const char *result_word(enum change_result r)
{
  static const char *const words[] = {
      [CHANGE_PENDING] = "uncertain", [CHANGE_STARTED] = "started",     [CHANGE_STOPPING] = "stopping",
      [CHANGE_REFUSED] = "refused",   [CHANGE_UNCERTAIN] = "uncertain", [CHANGE_UNCHANGED] = "unchanged",
  };
  return words[r];
}

static void print_changes(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  struct jw w;
  bool json = cli->request->format == REPORT_JSON;
  if (json) {
    jw_init(&w, &cli->out, true);
    envelope_open(&w, s, p);
    jw_name(&w, "changed");
    jw_array(&w);
  } else if (cli->request->format == REPORT_CSV) {
    buf_adds(&cli->out, "job,run_id,result,message,request_id\r\n");
  }
  for (size_t i = 0; i < m->change_count; i++) {
    const struct change *c = &m->changes[i];
    if (c->intent_id == cli->intent_id && json) {
      jw_object(&w);
      jw_name(&w, "job");
      jw_str(&w, model_str(m, c->job));
      jw_name(&w, "run_id");
      jw_str(&w, model_str(m, c->run_id));
      jw_name(&w, "result");
      jw_str(&w, result_word(c->result));
      jw_name(&w, "message");
      jw_str(&w, c->message);
      jw_name(&w, "request_id");
      jw_str(&w, c->request_id);
      jw_end_object(&w);
    } else if (c->intent_id == cli->intent_id) {
      const char *cells[] = {model_str(m, c->job), model_str(m, c->run_id), result_word(c->result), c->message,
                             c->request_id};
      for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        char *clean = text_clean_dup(cells[k], TEXT_LINE);
        if (cli->request->format == REPORT_CSV) {
          buf_adds(&cli->out, k ? "," : "");
          report_csv_cell(&cli->out, clean);
        } else if (*clean) {
          buf_addf(&cli->out, "%s%s", k ? "  " : "", clean);
        }
        free(clean);
      }
      buf_adds(&cli->out, cli->request->format == REPORT_CSV ? "\r\n" : "\n");
    }
  }
  if (json) {
    jw_end_array(&w);
    jw_end_object(&w);
    buf_addc(&cli->out, '\n');
  }
}

static enum cli_exit change_exit(const struct change *c)
{
  enum cli_exit status = CLI_EXIT_OK;
  switch (c->result) {
  case CHANGE_PENDING:
  case CHANGE_UNCERTAIN:
    status = CLI_EXIT_UNCERTAIN;
    break;
  case CHANGE_REFUSED:
    status = cli_exit_for(c->kind);
    status =
        status == CLI_EXIT_OK || status == CLI_EXIT_USAGE || status == CLI_EXIT_INTERRUPTED ? CLI_EXIT_REFUSED : status;
    break;
  case CHANGE_STARTED:
  case CHANGE_STOPPING:
  case CHANGE_UNCHANGED:
    break;
  }
  return status;
}

/* What did not happen, or may not have, for those who look at standard error alone. */
static void print_failures(const struct cli *cli, const struct model *m)
{
  for (size_t i = 0; i < m->change_count; i++) {
    const struct change *c = &m->changes[i];
    if (c->intent_id == cli->intent_id && change_exit(c) != CLI_EXIT_OK) {
      const char *run = model_str(m, c->run_id);
      char *line = xasprintf("%s%s%s %s%s%s", model_str(m, c->job), run ? " " : "", run ? run : "",
                             result_word(c->result), c->message ? ": " : "", c->message ? c->message : "");
      char *clean = text_clean_dup(line, TEXT_LINE);
      fprintf(stderr, "gluetop: %s\n", clean);
      free(clean);
      free(line);
    }
  }
}

static enum cli_exit worse(enum cli_exit a, enum cli_exit b)
{
  static const int rank[] = {[CLI_EXIT_OK] = 0,      [CLI_EXIT_FOUND] = 1,       [CLI_EXIT_TROUBLE] = 2,
                             [CLI_EXIT_REFUSED] = 3, [CLI_EXIT_CREDENTIALS] = 4, [CLI_EXIT_UNCERTAIN] = 5};
  return rank[a] >= rank[b] ? a : b;
}

/* --wait: 1 unless the run ended well. False while it lives. */
static bool followed_to_end(struct cli *cli, const struct model *m)
{
  const struct run *run = NULL;
  strid job = strpool_find(m->strings, cli->request->args[0]);
  run = model_run(m, m->contexts[0].place, job, cli->started_run);
  bool ended = run && run_finished(run);
  if (ended) {
    enum cli_exit end = run->state == RUN_SUCCEEDED ? CLI_EXIT_OK : CLI_EXIT_FOUND;
    char *id = text_clean_dup(cli->started_run, TEXT_LINE);
    fprintf(stderr, "gluetop: %s ended %s\n", id, run_state_info(run->state)->word);
    free(id);
    cli->status = worse(cli->status, end);
  }
  return ended;
}

void change_frame(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p, bool quiet)
{
  const struct model *m = s->model;
  size_t ours = 0, pending = 0;
  enum cli_exit status = CLI_EXIT_OK;
  for (size_t i = 0; i < m->change_count && cli->step != START_ASKING; i++) {
    const struct change *c = &m->changes[i];
    if (c->intent_id == cli->intent_id) {
      ours++;
      pending += c->result == CHANGE_PENDING;
      status = worse(status, change_exit(c));
      if (c->result == CHANGE_STARTED && cli->request->wait && !cli->started_run) {
        cli->started_run = xstrdup(model_str(m, c->run_id));
      }
    }
  }
  if (cli->step == START_ASKING && quiet && !m->contexts[0].confirmed) {
    cli->status = problems_exit(p);
    if (cli->status == CLI_EXIT_OK) {
      fputs("gluetop: the identity could not be confirmed, so nothing was sent\n", stderr);
      cli->status = CLI_EXIT_CREDENTIALS;
    }
    cli->finished = true;
  } else if (cli->step == START_ASKING && quiet && cli->request->like && !p->complete) {
    cli->status = problems_exit(p); /* the run to be like could not be read */
    cli->finished = true;
  } else if (cli->step == START_SENT && ours > 0 && pending == 0 && !app_writes_under_way(cli->app)) {
    /* While a write is under way an uncertain start is still being looked for. */
    cli->status = status;
    print_changes(cli, s, p);
    print_failures(cli, m);
    cli->step = cli->started_run ? START_FOLLOWING : START_DONE;
    cli->finished = cli->step == START_DONE;
  } else if (cli->step == START_FOLLOWING) {
    cli->finished = followed_to_end(cli, m);
  }
}
