/* Options, locale, signals of the commands, exit codes, and which front end: everything else is in the rooms. */
#include "config.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "demo.h"
#include "options.h"
#include "report/boards.h"
#include "settings.h"
#include "views/front.h"

static struct app *running_app;
static struct cli *running_cli;

static void on_interrupt(int signal_number)
{
  (void)signal_number;
  if (running_cli) {
    cli_interrupt(running_cli);
  }
  if (running_app) {
    app_wake(running_app);
  }
}

static void catch_interrupts(void)
{
  struct sigaction sa = {.sa_handler = on_interrupt};
  sigemptyset(&sa.sa_mask);
  sigaction(SIGINT, &sa, NULL);
  sigaction(SIGTERM, &sa, NULL);
}

/* What to open: --context as often as given, else --profile and --region, else the contexts that the config file opens, else the default
 * profile. The caller frees the list and each of *texts. */
static size_t choose_contexts(const struct options *o, const struct app_context_option *named,
                              const bool *open_by_itself, size_t named_count, struct app_context_option **out,
                              char ***texts)
{
  size_t count = 0, most = o->context_count + named_count + 1;
  struct app_context_option *list = xcalloc(most, sizeof *list);
  *texts = xcalloc(most, sizeof **texts);
  for (size_t i = 0; i < o->context_count; i++) {
    app_context_read(o->contexts[i], named, named_count, &list[count], &(*texts)[count]);
    count++;
  }
  for (size_t i = 0; i < named_count && o->context_count == 0 && !o->profile; i++) {
    if (open_by_itself[i]) {
      list[count++] = named[i];
    }
  }
  if (count == 0) {
    list[count++] = (struct app_context_option){.profile = o->profile};
  }
  for (size_t i = 0; i < count; i++) {
    list[i].region = list[i].region ? list[i].region : o->region;
  }
  *out = list;
  return count;
}

static struct err open_log(const struct options *o)
{
  struct err e = err_ok();
  enum log_level level = o->verbose > 1 ? LOG_DEBUG : o->verbose == 1 ? LOG_INFO : LOG_WARN;
  if (o->log_file) {
    e = log_open(o->log_file, level);
  } else if (o->verbose > 0 && o->request.command != CLI_NONE) {
    log_to_stderr(level);
  }
  return e;
}

/* With several accounts open nobody has said which one is to be changed. */
static struct err check_one_account(const struct options *o, size_t context_count)
{
  struct err e = err_ok();
  bool changes = o->request.command == CLI_START || o->request.command == CLI_STOP;
  if (changes && context_count != 1) {
    e = err_new(ERR_USAGE, "%zu accounts are open, and a command changes one", context_count);
    err_set_hint(&e, "name it: --context PROFILE@REGION, or --profile");
  }
  return e;
}

static struct err run_command(struct app *app, const struct options *o, const struct clock *clock, int *status)
{
  struct cli *cli = NULL;
  struct err e = cli_new(&o->request, clock, &cli);
  if (!err_is(&e)) {
    running_cli = cli;
    catch_interrupts();
    e = app_run(app, &cli_front_ops, cli);
    *status = cli_exit_status(cli);
    running_cli = NULL;
  }
  cli_free(cli);
  return e;
}

/* [keys] of the config file, as the views want them. The list ends with the settings. */
static struct views_key_option *keys_of(const struct settings *settings, size_t *count)
{
  struct views_key_option *keys = xcalloc(settings->count + 1, sizeof *keys);
  *count = 0;
  for (size_t i = 0; i < settings->count; i++) {
    if (strcmp(settings->items[i].section, "keys") == 0) {
      keys[(*count)++] = (struct views_key_option){.action = settings->items[i].key, .keys = settings->items[i].value};
    }
  }
  return keys;
}

static struct err run_screen(struct app *app, const struct options *o, const struct settings *settings,
                             const struct clock *clock, int *status)
{
  size_t key_count = 0;
  struct views_key_option *keys = keys_of(settings, &key_count);
  struct views_options v = {
      .clock = clock,
      .zone = o->request.zone,
      .ascii = text_is_ascii(),
      .no_color = o->no_color,
      .read_only = o->read_only,
      .demo = o->demo,
      .theme = o->theme,
      .view = o->view,
      .prices = o->request.prices,
      .measures = o->request.measures,
      .since_ms = o->request.since_ms,
      .until_ms = o->request.until_ms,
      .keys = keys,
      .key_count = key_count,
      .bell = settings_bool(settings, "notify", NULL, "bell", false),
      .osc = (int)settings_number(settings, "notify", NULL, "osc", 0),
  };
  struct views_front *front = NULL;
  struct err e = views_front_new(&v, &front);
  for (size_t i = 0; i < settings->fault_count; i++) { /* the screen covers what standard error said */
    struct err fault = err_new(ERR_CONFIG, "%s", settings->faults[i]);
    app_add_problem(app, &fault);
    err_fini(&fault);
  }
  if (!err_is(&e)) {
    e = app_run(app, &views_front_ops, front);
    *status = views_front_exit_status(front);
  }
  views_front_free(front);
  free(keys);
  return e;
}

/* The folder that history is kept in, a file for each place; NULL: nowhere. The demo leaves nothing behind, and a command against an endpoint of one's own (another account
 * may answer there tomorrow) keeps nothing unless told where. Freed by the caller. */
static char *store_path(const struct options *o)
{
  const char *state = getenv("XDG_STATE_HOME");
  const char *home = getenv("HOME");
  bool own_endpoint = o->endpoint_url || getenv("AWS_ENDPOINT_URL") || getenv("AWS_ENDPOINT_URL_GLUE");
  char *path = NULL;
  if (o->no_cache) {
    path = NULL;
  } else if (o->cache) {
    path = xstrdup(o->cache);
  } else if (o->demo || (own_endpoint && o->request.command != CLI_NONE)) {
    path = NULL;
  } else if (state && *state == '/') {
    path = xasprintf("%s/gluetop", state);
  } else if (home && *home == '/') {
    path = xasprintf("%s/.local/state/gluetop", home);
  }
  return path;
}

static struct err run(const struct options *o, const struct settings *settings, const char *argv0, struct clock *clock,
                      struct price_table *prices, int *status)
{
  struct demo demo = {.keep_fd = -1, .pid = -1};
  struct app *app = NULL;
  char **texts = NULL;
  char *store = store_path(o);
  struct app_context_option *contexts = NULL, *named = NULL;
  bool *open_by_itself = NULL;
  size_t named_count = settings_contexts(settings, &named, &open_by_itself);
  size_t count = choose_contexts(o, named, open_by_itself, named_count, &contexts, &texts);
  struct app_options a = {
      .contexts = contexts,
      .context_count = count,
      .named = named,
      .named_count = named_count,
      .endpoint_url = o->endpoint_url,
      .read_only = o->read_only,
      .refresh_seconds = o->refresh_seconds,
      .max_requests_per_second = settings_number(settings, "", NULL, "max_requests_per_second", 0),
      .connections = (int)settings_number(settings, "", NULL, "connections", 0),
      .prices = settings_bool(settings, "", NULL, "price_list", true) ? prices : NULL,
      .no_quotas = !settings_bool(settings, "", NULL, "service_quotas", true),
      .store_path = store,
      .clock = clock,
      .notify_command = o->request.command == CLI_NONE ? settings_get(settings, "notify", NULL, "command") : NULL,
      .test_fd = o->test_fd,
  };

  struct err e = check_one_account(o, count);
  if (!err_is(&e)) {
    e = open_log(o);
  }
  if (!err_is(&e) && o->demo) {
    e = demo_start(argv0, &demo);
    a.endpoint_url = demo.url;
  }
  if (!err_is(&e)) {
    e = app_new(&a, &app);
  }
  if (!err_is(&e)) {
    running_app = app;
    e = o->request.command == CLI_NONE ? run_screen(app, o, settings, clock, status)
                                       : run_command(app, o, clock, status);
    running_app = NULL;
  }
  app_free(app);
  for (size_t i = 0; i < count; i++) {
    free(texts[i]);
  }
  free(texts);
  free(contexts);
  free(store);
  free(named);
  free(open_by_itself);
  demo_stop(&demo);
  log_close();
  return e;
}

int main(int argc, char **argv)
{
  struct options options;
  struct settings settings = {0};
  struct price_table *prices = NULL;
  struct board_measures measures = {.budget_month_nano = -1, .budget_day_nano = -1};
  struct clock clock;
  int status = 0;

  xalloc_tune();
  setlocale(LC_ALL, "");
  setlocale(LC_NUMERIC, "C"); /* 0.44 is a price in every config file, and in every table */
  signal(SIGPIPE, SIG_IGN);   /* a closed pager or a server that hangs up is an error of a write, not a death */
  if (argc == 2 &&
      strcmp(argv[1], "--dump-keys") == 0) { /* not in the manual: `make keys` writes doc/keys.md with it */
    char *keys = views_keys_markdown();
    fputs(keys, stdout);
    free(keys);
    return 0;
  }
  secret_forbid_core_dumps();
  clock_init_real(&clock);
  struct err e = options_read(argc, argv, clock_wall_ms(&clock), &options);
  if (!err_is(&e) && options.test_fd >= 0) {
    clock_init_manual(&clock, options.now_ms);
  }
  /* The demo has no configuration, not even ours. */
  if (!err_is(&e) && !options.demo && !options.help && !options.version) {
    e = settings_load(options.config, &settings);
    settings_check(&settings);
  }
  if (!err_is(&e)) {
    settings_fill_options(&settings, &options);
    prices = price_table_new();
    settings_fill_prices(&settings, prices);
    options.request.prices = prices;
    settings_fill_measures(&settings, &measures);
    options.request.measures = &measures;
  }
  for (size_t i = 0; i < settings.fault_count; i++) {
    fprintf(stderr, "gluetop: %s\n", settings.faults[i]);
  }
  text_set_ascii((!err_is(&e) && options.ascii) || strcmp(nl_langinfo(CODESET), "UTF-8") != 0);

  if (!err_is(&e) && options.help) {
    options_print_help(stdout);
  } else if (!err_is(&e) && options.version) {
    puts("gluetop " PACKAGE_VERSION);
  } else if (!err_is(&e) && options.request.command == CLI_NONE && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
    e = err_new(ERR_USAGE, "the screen needs a terminal");
    err_set_hint(&e, "for scripts there are commands: gluetop --help");
  } else if (!err_is(&e)) {
    e = run(&options, &settings, argv[0], &clock, prices, &status);
  }
  if (err_is(&e)) {
    cli_print_error(&e);
    status = cli_exit_for(e.kind);
  }
  err_fini(&e);
  options_fini(&options);
  price_table_free(prices);
  settings_free_measures(&measures);
  settings_fini(&settings);
  return status;
}
