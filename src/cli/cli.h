/* The commands: a front end without a screen. They ask the same model as the screen, print once it is quiet, and end with the exit status
 * of the contract: the first that applies of 6 uncertain, 3 credentials, 4 refused, 5 trouble or incomplete, 1 found something; 0. */
#ifndef GLUETOP_CLI_CLI_H
#define GLUETOP_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "app/app.h"
#include "report/boards.h"

enum cli_command {
  CLI_NONE = 0,
  CLI_JOBS,
  CLI_JOB,
  CLI_RUNS,
  CLI_RUN,
  CLI_START,
  CLI_STOP,
  CLI_WHOAMI,
  CLI_BURN,
  CLI_TIMELINE,
  CLI_COLLISIONS,
  CLI_TIMEOUTS,
  CLI_CHECK
};

enum cli_exit {
  CLI_EXIT_OK = 0,
  CLI_EXIT_FOUND = 1,
  CLI_EXIT_USAGE = 2,
  CLI_EXIT_CREDENTIALS = 3,
  CLI_EXIT_REFUSED = 4,
  CLI_EXIT_TROUBLE = 5,
  CLI_EXIT_UNCERTAIN = 6,
  CLI_EXIT_INTERRUPTED = 130
};

struct cli_request {
  enum cli_command command;
  enum report_format format;
  enum when_zone zone;
  int64_t since_ms, until_ms; /* INT64_MIN: everything; INT64_MAX: no end */
  bool yes;                   /* do not ask */
  bool read_only;
  const struct price_table *prices;      /* NULL: the built-in ones */
  const struct board_measures *measures; /* NULL: none */
  const char **args;                     /* what follows the command */
  size_t arg_count;
  uint32_t states;          /* --state: bit per enum run_state; 0: all */
  const char **state_words; /* --state words that are no state we know: compared by name */
  size_t state_word_count;
  bool failed, active;
  int64_t limit; /* -1: none */
  /* start */
  const char **start_keys, **start_values; /* --arg */
  size_t start_arg_count;
  const char *worker_type, *execution_class, *like;
  int64_t workers, timeout_minutes; /* RECORD_ABSENT */
  bool wait;
};

struct cli;
/* Checks the request (ERR_USAGE) before anything is asked of anybody. The request must outlive the front. */
struct err cli_new(const struct cli_request *request, const struct clock *clock, struct cli **out) ERR_MUST_CHECK;
void cli_free(struct cli *cli);
extern const struct front_ops cli_front_ops;
/* After app_run. */
enum cli_exit cli_exit_status(const struct cli *cli);
enum cli_exit cli_exit_for(enum err_kind kind);
void cli_interrupt(struct cli *cli); /* from a signal: leave at the next turn with 130 */
/* One line first, details after; cleaned for a terminal. */
void cli_print_error(const struct err *e);

#endif
