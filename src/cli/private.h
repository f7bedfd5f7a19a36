/* For this folder only. */
#ifndef GLUETOP_CLI_PRIVATE_H
#define GLUETOP_CLI_PRIVATE_H

#include <signal.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "report/boards.h"

/* A command answers with at most this many bytes: a table of every run of a very large account fits. */
#define CLI_OUTPUT_MAX ((size_t)2 * 1024 * 1024 * 1024)

enum start_step { START_ASKING, START_SENT, START_FOLLOWING, START_DONE };

struct cli {
  const struct cli_request *request;
  const struct clock *clock;
  struct app *app;
  struct stats_cache *stats;
  struct buf out; /* standard output, written once at the end */
  enum cli_exit status;
  bool finished;
  size_t asked;   /* wants that were given to the loop last */
  bool ask_again; /* there are more of them by now */
  volatile sig_atomic_t interrupted;
  /* changes */
  enum start_step step;
  uint64_t intent_id; /* of what was sent */
  char *started_run;  /* --wait follows it */
};

/* What was asked for, resolved against the model: the first context, the job named. */
struct cli_scene {
  const struct model *model;
  struct report_scope scope;
  int *context_of_place; /* owned */
};
void scene_init(struct cli_scene *s, const struct cli *cli, const struct model *model, int64_t now_ms);
void scene_fini(struct cli_scene *s);

/* Everything that was asked for and could not be read, one entry each. complete is false when there is any, or when something was not read whole. */
struct cli_problem {
  int context;
  enum err_kind kind;
  char *what, *message;
  char *hint; /* what to do next; NULL */
};
struct cli_problems {
  struct cli_problem *items;
  size_t count, cap;
  bool complete;
  bool identity_counts; /* whoami, start and stop are about the identity itself */
};
void problems_gather(struct cli_problems *p, const struct model *model, const struct wants *wants, bool identity_counts,
                     int64_t now_ms);
void problems_fini(struct cli_problems *p);
/* The exit status that the problems amount to. */
enum cli_exit problems_exit(const struct cli_problems *p);
void problems_print(const struct cli_problems *p); /* to standard error */

/* The envelope: as_of, contexts, complete, problems. Leaves the top object open. */
void envelope_open(struct jw *w, const struct cli_scene *s, const struct cli_problems *p);

/* A table of text: columns aligned, numbers right, cut to nothing (the terminal or the pager scrolls). */
void table_print(struct buf *out, const struct cli_scene *s, const struct report_field *fields, size_t field_count,
                 const struct report_row *rows, size_t row_count);

void cli_wants_of(const struct cli *cli, const struct model *model, struct wants *out);
void cli_print_jobs(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p);
void cli_print_runs(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p);
void cli_print_job(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p);
void cli_print_run(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p);
void cli_print_board(struct cli *cli, enum board which, const struct cli_scene *s, const struct cli_problems *p);
void cli_print_whoami(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p);

/* start and stop: asks the person where there is one, sends the intents, reports every result. */
struct err change_check(const struct cli_request *r) ERR_MUST_CHECK;
bool change_ready(const struct cli *cli); /* everything that is needed to send is known */
void change_input(struct cli *cli, struct intents *out);
void change_frame(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p, bool quiet);

#endif
