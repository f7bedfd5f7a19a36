#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/when.h"
#include "base/xalloc.h"

enum option_id {
  OPT_PROFILE,
  OPT_REGION,
  OPT_CONTEXT,
  OPT_ENDPOINT_URL,
  OPT_DEMO,
  OPT_SINCE,
  OPT_UNTIL,
  OPT_READ_ONLY,
  OPT_YES,
  OPT_CACHE,
  OPT_NO_CACHE,
  OPT_REFRESH,
  OPT_OUTPUT,
  OPT_UTC,
  OPT_ASCII,
  OPT_NO_COLOR,
  OPT_THEME,
  OPT_CONFIG,
  OPT_LOG_FILE,
  OPT_VERBOSE,
  OPT_VIEW,
  OPT_HELP,
  OPT_VERSION,
  OPT_TEST_FD,
  OPT_TEST_NOW,
  OPT_STATE,
  OPT_FAILED,
  OPT_ACTIVE,
  OPT_LIMIT,
  OPT_ARG,
  OPT_WORKER_TYPE,
  OPT_WORKERS,
  OPT_TIMEOUT,
  OPT_CLASS,
  OPT_LIKE,
  OPT_WAIT
};

#define BIT(command) (1u << (command))
#define EVERYWHERE   0u

struct option_row {
  enum option_id id;
  char letter;          /* 0: none */
  const char *name;     /* without dashes */
  const char *argument; /* NULL: takes none */
  unsigned commands;    /* EVERYWHERE, or the commands that take it */
  const char *help;     /* NULL: not told */
};

static const struct option_row option_rows[] = {
    {OPT_PROFILE, 'p', "profile", "NAME", EVERYWHERE, "profile of the AWS config files"},
    {OPT_REGION, 'r', "region", "REGION", EVERYWHERE, "AWS Region"},
    {OPT_CONTEXT, 0, "context", "PROFILE[@REGION]", EVERYWHERE, "an account to open; may be repeated"},
    {OPT_ENDPOINT_URL, 0, "endpoint-url", "URL", EVERYWHERE, "every service is asked there"},
    {OPT_DEMO, 0, "demo", NULL, EVERYWHERE, "the embedded account: no AWS, no configuration"},
    {OPT_SINCE, 0, "since", "WHEN", EVERYWHERE, "30m, 12h, 7d, all, or ISO 8601 (default 24h)"},
    {OPT_UNTIL, 0, "until", "WHEN", EVERYWHERE, "end of the window, in the same forms"},
    {OPT_READ_ONLY, 0, "read-only", NULL, EVERYWHERE, "nothing that changes AWS can be reached"},
    {OPT_YES, 0, "yes", NULL, EVERYWHERE, "commands only: change without asking"},
    {OPT_CACHE, 0, "cache", "DIR", EVERYWHERE, "folder for what was read"},
    {OPT_NO_CACHE, 0, "no-cache", NULL, EVERYWHERE, "keep no store"},
    {OPT_REFRESH, 0, "refresh", "SECONDS", EVERYWHERE, "how often to ask; 0: only by hand"},
    {OPT_OUTPUT, 'o', "output", "table|json|csv", EVERYWHERE, "form of a command's answer"},
    {OPT_UTC, 0, "utc", NULL, EVERYWHERE, "show times in UTC"},
    {OPT_ASCII, 0, "ascii", NULL, EVERYWHERE, "draw with ASCII only"},
    {OPT_NO_COLOR, 0, "no-color", NULL, EVERYWHERE, "no colours (NO_COLOR too)"},
    {OPT_THEME, 0, "theme", "NAME", EVERYWHERE, "colours of the screen"},
    {OPT_CONFIG, 0, "config", "FILE", EVERYWHERE, "gluetop's own config file"},
    {OPT_LOG_FILE, 0, "log-file", "FILE", EVERYWHERE, "write a log there"},
    {OPT_VERBOSE, 'v', "verbose", NULL, EVERYWHERE, "log more"},
    {OPT_VIEW, 'c', "view", "VIEW", EVERYWHERE, "open the screen on this view"},
    {OPT_HELP, 'h', "help", NULL, EVERYWHERE, "this text"},
    {OPT_VERSION, 'V', "version", NULL, EVERYWHERE, "the version"},
    {OPT_TEST_FD, 0, "test-fd", "N", EVERYWHERE, NULL},
    {OPT_TEST_NOW, 0, "test-now", "WHEN", EVERYWHERE, NULL},
    {OPT_STATE, 0, "state", "S[,S]", BIT(CLI_RUNS), "runs in these states"},
    {OPT_FAILED, 0, "failed", NULL, BIT(CLI_RUNS), "FAILED, TIMEOUT, ERROR, EXPIRED"},
    {OPT_ACTIVE, 0, "active", NULL, BIT(CLI_RUNS), "not finished"},
    {OPT_LIMIT, 0, "limit", "N", BIT(CLI_RUNS), "the newest N"},
    {OPT_ARG, 0, "arg", "KEY=VALUE", BIT(CLI_START), "an argument of the run; may be repeated"},
    {OPT_WORKER_TYPE, 0, "worker-type", "T", BIT(CLI_START), "worker type of the run"},
    {OPT_WORKERS, 0, "workers", "N", BIT(CLI_START), "number of workers"},
    {OPT_TIMEOUT, 0, "timeout", "MIN", BIT(CLI_START), "timeout in minutes"},
    {OPT_CLASS, 0, "class", "STANDARD|FLEX", BIT(CLI_START), "execution class"},
    {OPT_LIKE, 0, "like", "RUN_ID", BIT(CLI_START), "arguments and workers of an earlier run"},
    {OPT_WAIT, 0, "wait", NULL, BIT(CLI_START), "wait for the end; exit 1 unless it SUCCEEDED"},
};
enum { OPTION_ROWS = sizeof option_rows / sizeof option_rows[0] };

struct command_row {
  const char *name;
  enum cli_command command;
  int min_args, max_args; /* -1: any number */
  const char *arguments;
  const char *help;
};

static const struct command_row command_rows[] = {
    {"jobs", CLI_JOBS, 0, 1, "[PATTERN]", "every job with its last run"},
    {"job", CLI_JOB, 1, 1, "JOB", "one job: definition, triggers, last runs"},
    {"runs", CLI_RUNS, 0, 1, "[JOB]", "runs, newest first"},
    {"run", CLI_RUN, 2, 2, "JOB RUN_ID", "one run, with every member the service gave"},
    {"start", CLI_START, 1, 1, "JOB", "start a run"},
    {"stop", CLI_STOP, 2, -1, "JOB RUN_ID...", "stop runs"},
    {"burn", CLI_BURN, 0, 0, "", "what it costs: now, in the window, this month"},
    {"timeline", CLI_TIMELINE, 0, 0, "", "what ran when, and what is planned"},
    {"collisions", CLI_COLLISIONS, 0, 0, "", "who blocked whom, and what will clash"},
    {"timeouts", CLI_TIMEOUTS, 0, 0, "", "which run will be killed, which limit is a trap"},
    {"check", CLI_CHECK, 0, 0, "", "what needs a person; exit 1 when something is wrong"},
    {"whoami", CLI_WHOAMI, 0, 0, "", "which identity, from where, until when"},
};
enum { COMMAND_ROWS = sizeof command_rows / sizeof command_rows[0] };

static const struct option_row *find_long(const char *name, size_t len)
{
  const struct option_row *found = NULL;
  for (int i = 0; i < OPTION_ROWS && !found; i++) {
    if (strlen(option_rows[i].name) == len && strncmp(option_rows[i].name, name, len) == 0) {
      found = &option_rows[i];
    }
  }
  return found;
}

static const struct option_row *find_letter(char letter)
{
  const struct option_row *found = NULL;
  for (int i = 0; i < OPTION_ROWS && !found; i++) {
    if (option_rows[i].letter == letter) {
      found = &option_rows[i];
    }
  }
  return found;
}

static struct err read_number(const struct option_row *row, const char *text, double min, double max, double *out)
{
  char *end = NULL;
  errno = 0;
  double v = strtod(text, &end);
  struct err e = err_ok();
  if (errno != 0 || end == text || *end != '\0' || !(v >= min && v <= max)) {
    e = err_new(ERR_USAGE, "--%s takes a number from %g to %g, not '%s'", row->name, min, max, text);
  } else {
    *out = v;
  }
  return e;
}

static struct err read_whole(const struct option_row *row, const char *text, int64_t min, int64_t max, int64_t *out)
{
  double v = 0;
  struct err e = read_number(row, text, (double)min, (double)max, &v);
  if (!err_is(&e) && (double)(int64_t)v != v) {
    e = err_new(ERR_USAGE, "--%s takes a whole number, not '%s'", row->name, text);
  }
  if (!err_is(&e)) {
    *out = (int64_t)v;
  }
  return e;
}

/* all, a span back from now, or a point in time. */
static struct err read_when(const struct option_row *row, const char *text, int64_t now_ms, int64_t all, int64_t *out)
{
  struct err e = err_ok();
  int64_t span = 0;
  if (strcmp(text, "all") == 0) {
    *out = all;
  } else if (when_parse_span(text, &span)) {
    *out = now_ms - span;
  } else if (!when_parse_iso(text, out)) {
    e = err_new(ERR_USAGE, "--%s takes 30m, 12h, 7d, all, or a time like 2026-11-30T14:00Z, not '%s'", row->name, text);
  }
  return e;
}

static struct err read_states(struct cli_request *r, char *text)
{
  struct err e = err_ok();
  char *rest = text;
  for (char *word = rest; word && !err_is(&e); word = rest) {
    rest = strchr(word, ',');
    if (rest) {
      *rest++ = '\0';
    }
    for (char *p = word; *p; p++) {
      *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    }
    enum run_state state = run_state_parse(word);
    if (*word == '\0') {
      e = err_new(ERR_USAGE, "--state has an empty word in it");
    } else if (state != RUN_STATE_UNKNOWN) {
      r->states |= 1u << state;
    } else { /* a state of the future is compared by its name */
      r->state_words = xreallocarray(r->state_words, r->state_word_count + 1, sizeof *r->state_words);
      r->state_words[r->state_word_count++] = word;
    }
  }
  return e;
}

static struct err read_arg(struct cli_request *r, char *text)
{
  struct err e = err_ok();
  char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    e = err_new(ERR_USAGE, "--arg takes KEY=VALUE, not '%s'", text);
  } else {
    *equals = '\0';
    r->start_keys = xreallocarray(r->start_keys, r->start_arg_count + 1, sizeof *r->start_keys);
    r->start_values = xreallocarray(r->start_values, r->start_arg_count + 1, sizeof *r->start_values);
    r->start_keys[r->start_arg_count] = text;
    r->start_values[r->start_arg_count++] = equals + 1;
  }
  return e;
}

static struct err read_format(const char *text, enum report_format *out)
{
  struct err e = err_ok();
  if (strcmp(text, "table") == 0) {
    *out = REPORT_TABLE;
  } else if (strcmp(text, "json") == 0) {
    *out = REPORT_JSON;
  } else if (strcmp(text, "csv") == 0) {
    *out = REPORT_CSV;
  } else {
    e = err_new(ERR_USAGE, "--output takes table, json or csv, not '%s'", text);
  }
  return e;
}

static struct err apply(struct options *o, const struct option_row *row, char *text, int64_t now_ms)
{
  struct cli_request *r = &o->request;
  struct err e = err_ok();
  int64_t whole = 0;
  switch (row->id) {
  case OPT_PROFILE:
    o->profile = text;
    break;
  case OPT_REGION:
    o->region = text;
    break;
  case OPT_CONTEXT:
    o->contexts = xreallocarray(o->contexts, o->context_count + 1, sizeof *o->contexts);
    o->contexts[o->context_count++] = text;
    break;
  case OPT_ENDPOINT_URL:
    o->endpoint_url = text;
    break;
  case OPT_DEMO:
    o->demo = true;
    break;
  case OPT_SINCE:
    e = read_when(row, text, now_ms, INT64_MIN, &r->since_ms);
    o->since_moves = when_parse_span(text, &whole);
    break;
  case OPT_UNTIL:
    e = read_when(row, text, now_ms, INT64_MAX, &r->until_ms);
    break;
  case OPT_READ_ONLY:
    o->read_only = r->read_only = true;
    break;
  case OPT_YES:
    r->yes = true;
    break;
  case OPT_CACHE:
    o->cache = text;
    break;
  case OPT_NO_CACHE:
    o->no_cache = true;
    break;
  case OPT_REFRESH:
    e = read_number(row, text, 0, 86400, &o->refresh_seconds);
    break;
  case OPT_OUTPUT:
    e = read_format(text, &r->format);
    break;
  case OPT_UTC:
    r->zone = WHEN_UTC;
    break;
  case OPT_ASCII:
    o->ascii = true;
    break;
  case OPT_NO_COLOR:
    o->no_color = true;
    break;
  case OPT_THEME:
    o->theme = text;
    break;
  case OPT_CONFIG:
    o->config = text;
    break;
  case OPT_LOG_FILE:
    o->log_file = text;
    break;
  case OPT_VERBOSE:
    o->verbose++;
    break;
  case OPT_VIEW:
    o->view = text;
    break;
  case OPT_HELP:
    o->help = true;
    break;
  case OPT_VERSION:
    o->version = true;
    break;
  case OPT_TEST_FD:
    e = read_whole(row, text, 0, 1 << 20, &whole);
    o->test_fd = (int)whole;
    break;
  case OPT_TEST_NOW: /* taken before all others: see test_now */
    break;
  case OPT_STATE:
    e = read_states(r, text);
    break;
  case OPT_FAILED:
    r->failed = true;
    break;
  case OPT_ACTIVE:
    r->active = true;
    break;
  case OPT_LIMIT:
    e = read_whole(row, text, 0, INT32_MAX, &r->limit);
    break;
  case OPT_ARG:
    e = read_arg(r, text);
    break;
  case OPT_WORKER_TYPE:
    r->worker_type = text;
    break;
  case OPT_WORKERS:
    e = read_whole(row, text, 1, INT32_MAX, &r->workers);
    break;
  case OPT_TIMEOUT:
    e = read_whole(row, text, 0, INT32_MAX, &r->timeout_minutes);
    break;
  case OPT_CLASS:
    r->execution_class = text;
    break;
  case OPT_LIKE:
    r->like = text;
    break;
  case OPT_WAIT:
    r->wait = true;
    break;
  }
  return e;
}

/* One word that begins with a dash; takes its argument from the word itself or from the next. */
static struct err read_option(struct options *o, int argc, char **argv, int *at, int64_t now_ms, uint64_t *used)
{
  struct err e = err_ok();
  char *word = argv[*at];
  bool is_long = word[1] == '-';
  char *inline_text = NULL;
  const struct option_row *row = NULL;
  if (is_long) {
    char *equals = strchr(word, '=');
    row = find_long(word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word + 2));
    inline_text = equals ? equals + 1 : NULL;
  } else {
    row = find_letter(word[1]);
    inline_text = word[2] != '\0' ? word + 2 : NULL;
  }
  if (!row) {
    e = err_new(ERR_USAGE, "there is no option '%s'", word);
    err_set_hint(&e, "gluetop --help lists them");
  } else if (!row->argument && inline_text && is_long) {
    e = err_new(ERR_USAGE, "--%s takes no argument", row->name);
  } else if (!row->argument) {
    char none[] = "";
    e = apply(o, row, none, now_ms);
    if (!err_is(&e) && inline_text) { /* -vv: the next letter of the same word */
      word[1] = word[2];
      memmove(word + 2, word + 3, strlen(word + 3) + 1);
      (*at)--;
    }
  } else {
    char *text = inline_text;
    if (!text && *at + 1 < argc) {
      text = argv[++*at];
    }
    if (!text) {
      e = err_new(ERR_USAGE, "--%s takes an argument: %s", row->name, row->argument);
    } else {
      e = apply(o, row, text, now_ms);
    }
  }
  if (row) {
    *used |= UINT64_C(1) << row->id;
  }
  return e;
}

static const struct command_row *find_command(const char *name)
{
  const struct command_row *found = NULL;
  for (int i = 0; i < COMMAND_ROWS && !found; i++) {
    if (strcmp(command_rows[i].name, name) == 0) {
      found = &command_rows[i];
    }
  }
  return found;
}

static struct err check(const struct options *o, const struct command_row *command, uint64_t used)
{
  struct err e = err_ok();
  const struct cli_request *r = &o->request;
  for (int i = 0; i < OPTION_ROWS && !err_is(&e); i++) {
    const struct option_row *row = &option_rows[i];
    if ((used & (UINT64_C(1) << row->id)) && row->commands != EVERYWHERE &&
        !(command && (row->commands & BIT(command->command)))) {
      e = err_new(ERR_USAGE, "--%s does not go with %s", row->name, command ? command->name : "the screen");
    }
  }
  if (!err_is(&e) && command) {
    if (r->arg_count < (size_t)command->min_args ||
        (command->max_args >= 0 && r->arg_count > (size_t)command->max_args)) {
      e = err_new(ERR_USAGE, "usage: gluetop %s %s", command->name, command->arguments);
    }
  }
  if (!err_is(&e) && r->since_ms > r->until_ms) {
    e = err_new(ERR_USAGE, "--since is later than --until");
  }
  if (!err_is(&e) && o->demo && (o->profile || o->endpoint_url || o->context_count > 0)) {
    e = err_new(ERR_USAGE, "--demo has its own account: it does not go with --profile, --context or --endpoint-url");
  }
  return e;
}

/* The moment at which a test wants the clock to stand (--test-now=ISO); windows are counted from it, wherever it is on the line. */
static int64_t test_now(int argc, char **argv, int64_t now_ms)
{
  static const char name[] = "--test-now=";
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], name, sizeof name - 1) == 0) {
      (void)when_parse_iso(argv[i] + sizeof name - 1, &now_ms);
    }
  }
  return now_ms;
}

struct err options_read(int argc, char **argv, int64_t now_ms, struct options *out)
{
  *out = (struct options){.refresh_seconds = -1, .test_fd = -1};
  struct cli_request *r = &out->request;
  now_ms = test_now(argc, argv, now_ms);
  out->now_ms = now_ms;
  r->since_ms = now_ms - WHEN_DAY;
  out->since_moves = true;
  r->until_ms = INT64_MAX;
  r->limit = -1;
  r->workers = r->timeout_minutes = RECORD_ABSENT;

  struct err e = err_ok();
  const struct command_row *command = NULL;
  bool only_words = false;
  uint64_t used = 0;
  for (int i = 1; i < argc && !err_is(&e); i++) {
    char *word = argv[i];
    if (!only_words && strcmp(word, "--") == 0) {
      only_words = true;
    } else if (!only_words && word[0] == '-' && word[1] != '\0') {
      e = read_option(out, argc, argv, &i, now_ms, &used);
    } else if (!command) {
      command = find_command(word);
      if (!command) {
        e = err_new(ERR_USAGE, "there is no command '%s'", word);
        err_set_hint(&e, "gluetop --help lists them");
      }
    } else {
      r->args = xreallocarray(r->args, r->arg_count + 1, sizeof *r->args);
      r->args[r->arg_count++] = word;
    }
  }
  if (command && out->since_moves) { /* as on the screen, so that the same window has the same sums */
    r->since_ms = r->since_ms / WHEN_MINUTE * WHEN_MINUTE;
  }
  if (!err_is(&e) && !out->help && !out->version) {
    e = check(out, command, used);
  }
  r->command = command ? command->command : CLI_NONE;
  return e;
}

void options_fini(struct options *o)
{
  free(o->contexts);
  free(o->request.args);
  free(o->request.state_words);
  free(o->request.start_keys);
  free(o->request.start_values);
  *o = (struct options){.test_fd = -1};
}

static void print_option(FILE *out, const struct option_row *row)
{
  char left[64];
  snprintf(left, sizeof left, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
  fprintf(out, "  %c%c%s%-30s %s\n", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
          row->letter ? ", " : "  ", left, row->help);
}

void options_print_help(FILE *out)
{
  fputs("usage: gluetop [OPTIONS]                 the screen\n"
        "       gluetop [OPTIONS] COMMAND [ARGS]  one answer, for scripts and people in a hurry\n\ncommands:\n",
        out);
  for (int i = 0; i < COMMAND_ROWS; i++) {
    char left[64];
    snprintf(left, sizeof left, "%s %s", command_rows[i].name, command_rows[i].arguments);
    fprintf(out, "  %-24s %s\n", left, command_rows[i].help);
    for (int k = 0; k < OPTION_ROWS; k++) {
      if (option_rows[k].commands & BIT(command_rows[i].command)) {
        fputs("      ", out);
        print_option(out, &option_rows[k]);
      }
    }
  }
  fputs("\noptions:\n", out);
  for (int k = 0; k < OPTION_ROWS; k++) {
    if (option_rows[k].commands == EVERYWHERE && option_rows[k].help) {
      print_option(out, &option_rows[k]);
    }
  }
  fputs("\nexit status: 0 done, 1 something found, 2 usage, 3 no usable credentials, 4 refused, 5 network or service\n"
        "trouble, 6 outcome of a write unknown, 130 interrupted\n",
        out);
}
