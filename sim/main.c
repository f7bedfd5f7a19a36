/* gluesim: the program around the library of sim.h. */
#include "sim/sim.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/when.h"
#include "base/xalloc.h"
#include "config.h"

static int signal_pipe[2] = {-1, -1};

static void on_signal(int number)
{
  int saved = errno;
  char byte = (char)number;
  ssize_t n = write(signal_pipe[1], &byte, 1);
  (void)n;
  errno = saved;
}

static const char help[] =
    "Usage: gluesim [OPTION]...\n"
    "A stand-in for AWS Glue and STS on 127.0.0.1.\n\n"
    "      --port N              listen there (0, the default: any free port, told on standard output)\n"
    "      --account WHAT        demo (default), large, empty, or a JSON file\n"
    "      --jobs N, --runs N    size of the large account (2000, 400000)\n"
    "      --seed N              another account of the same kind\n"
    "      --now TIME            the account's present: ISO 8601 or epoch seconds\n"
    "      --region NAME         Region that requests must be signed for, or any (" SIM_REGION ")\n"
    "      --account-id N        twelve digits\n"
    "      --access-key ID       a known key, with --secret SECRET and perhaps --session-token TOKEN\n"
    "                            and --expires TIME; may be repeated\n"
    "      --also ID=WHAT        another account, reached by a role or SSO, holds WHAT; may be repeated\n"
    "      --token-lifetime S    seconds that keys of roles, SSO and metadata live (3600)\n"
    "      --any-key             believe every signature of good form\n"
    "      --fault SPEC          OPERATION:KIND[=VALUE][,rate=R][,count=N][,after=N][,job=NAME]; repeatable\n"
    "      --price USAGE=USD     what the price list says of usagetypes with this end; may be repeated\n"
    "      --control             serve /_sim/faults, /_sim/agree and /_sim/stats, unsigned\n"
    "      --parent-fd N         end when that descriptor does\n"
    "  -h, --help    -V, --version\n";

enum option_code {
  OPTION_PORT = 256,
  OPTION_ACCOUNT,
  OPTION_JOBS,
  OPTION_RUNS,
  OPTION_SEED,
  OPTION_NOW,
  OPTION_REGION,
  OPTION_ACCOUNT_ID,
  OPTION_ACCESS_KEY,
  OPTION_SECRET,
  OPTION_TOKEN,
  OPTION_EXPIRES,
  OPTION_ALSO,
  OPTION_LIFETIME,
  OPTION_ANY_KEY,
  OPTION_FAULT,
  OPTION_PRICE,
  OPTION_CONTROL,
  OPTION_PARENT_FD,
  OPTION_TEST_FD,
};

struct command_line {
  struct sim_options options;
  struct sim_key *keys;
  size_t key_count, key_cap;
  struct sim_other *others;
  size_t other_count, other_cap;
  const char **faults;
  size_t fault_count, fault_cap;
  const char **prices;
  size_t price_count, price_cap;
  int parent_fd, test_fd;
  bool done; /* help or version was asked for */
};

static bool read_int(const char *text, int64_t low, int64_t high, int64_t *out)
{
  char *end = NULL;
  errno = 0;
  long long v = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || v < low || v > high)
    return false;
  *out = v;
  return true;
}

static bool read_time(const char *text, int64_t *ms)
{
  char *end = NULL;
  double seconds = strtod(text, &end);
  if (end != text && *end == '\0' && seconds > -1e12 && seconds < 1e12) {
    *ms = (int64_t)(seconds * 1000);
    return true;
  }
  return when_parse_iso(text, ms);
}

static bool take_option(struct command_line *c, int code, char *value)
{
  int64_t n = 0;
  bool good = true;
  switch (code) {
  case OPTION_PORT:
    good = read_int(value, 0, 65535, &n);
    c->options.port = (int)n;
    break;
  case OPTION_ACCOUNT:
    c->options.account = value;
    break;
  case OPTION_JOBS:
    good = read_int(value, 0, INT32_MAX, &c->options.jobs);
    break;
  case OPTION_RUNS:
    good = read_int(value, 0, INT32_MAX, &c->options.runs);
    break;
  case OPTION_SEED:
    good = read_int(value, 0, INT64_MAX, &n);
    c->options.seed = (uint64_t)n;
    break;
  case OPTION_NOW:
    good = read_time(value, &c->options.now_ms);
    break;
  case OPTION_REGION:
    c->options.region = value;
    break;
  case OPTION_ACCOUNT_ID:
    good = strlen(value) == 12 && strspn(value, "0123456789") == 12;
    c->options.account_id = value;
    break;
  case OPTION_ACCESS_KEY:
    c->keys = xgrow(c->keys, &c->key_cap, c->key_count + 1, sizeof *c->keys);
    c->keys[c->key_count++] = (struct sim_key){.access_key = value, .secret_key = ""};
    break;
  case OPTION_SECRET:
    good = c->key_count > 0;
    if (good)
      c->keys[c->key_count - 1].secret_key = value;
    break;
  case OPTION_TOKEN:
    good = c->key_count > 0;
    if (good)
      c->keys[c->key_count - 1].session_token = value;
    break;
  case OPTION_EXPIRES:
    good = c->key_count > 0 && read_time(value, &c->keys[c->key_count - 1].expires_ms);
    break;
  case OPTION_ALSO:
    good = strspn(value, "0123456789") == 12 && value[12] == '=' && value[13] != '\0';
    if (good) {
      value[12] = '\0';
      c->others = xgrow(c->others, &c->other_cap, c->other_count + 1, sizeof *c->others);
      c->others[c->other_count++] = (struct sim_other){value, value + 13};
    }
    break;
  case OPTION_LIFETIME:
    good = read_int(value, 1, INT32_MAX, &c->options.token_lifetime_s);
    break;
  case OPTION_ANY_KEY:
    c->options.any_key = true;
    break;
  case OPTION_FAULT:
    c->faults = xgrow(c->faults, &c->fault_cap, c->fault_count + 1, sizeof(const char *));
    c->faults[c->fault_count++] = value;
    break;
  case OPTION_PRICE:
    c->prices = xgrow(c->prices, &c->price_cap, c->price_count + 1, sizeof(const char *));
    c->prices[c->price_count++] = value;
    break;
  case OPTION_CONTROL:
    c->options.control = true;
    break;
  case OPTION_PARENT_FD:
    good = read_int(value, 0, 1023, &n);
    c->parent_fd = (int)n;
    break;
  case OPTION_TEST_FD:
    good = read_int(value, 0, 1023, &n);
    c->test_fd = (int)n;
    c->options.manual_clock = true;
    break;
  default:
    good = false;
    break;
  }
  return good;
}

static bool read_command_line(struct command_line *c, int argc, char **argv)
{
  static const struct option options[] = {
      {"port", required_argument, NULL, OPTION_PORT},
      {"account", required_argument, NULL, OPTION_ACCOUNT},
      {"jobs", required_argument, NULL, OPTION_JOBS},
      {"runs", required_argument, NULL, OPTION_RUNS},
      {"seed", required_argument, NULL, OPTION_SEED},
      {"now", required_argument, NULL, OPTION_NOW},
      {"region", required_argument, NULL, OPTION_REGION},
      {"account-id", required_argument, NULL, OPTION_ACCOUNT_ID},
      {"access-key", required_argument, NULL, OPTION_ACCESS_KEY},
      {"secret", required_argument, NULL, OPTION_SECRET},
      {"session-token", required_argument, NULL, OPTION_TOKEN},
      {"expires", required_argument, NULL, OPTION_EXPIRES},
      {"also", required_argument, NULL, OPTION_ALSO},
      {"token-lifetime", required_argument, NULL, OPTION_LIFETIME},
      {"any-key", no_argument, NULL, OPTION_ANY_KEY},
      {"fault", required_argument, NULL, OPTION_FAULT},
      {"price", required_argument, NULL, OPTION_PRICE},
      {"control", no_argument, NULL, OPTION_CONTROL},
      {"parent-fd", required_argument, NULL, OPTION_PARENT_FD},
      {"test-fd", required_argument, NULL, OPTION_TEST_FD},
      {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'V'},
      {NULL, 0, NULL, 0},
  };
  int code, which = 0;
  sim_options_init(&c->options);
  c->parent_fd = c->test_fd = -1;
  while (!c->done && (code = getopt_long(argc, argv, "hV", options, &which)) != -1) {
    if (code == 'h' || code == 'V') {
      printf("%s", code == 'h' ? help : "gluesim " PACKAGE_VERSION "\n");
      c->done = true;
    } else if (code == '?') {
      return false;
    } else if (!take_option(c, code, optarg)) {
      fprintf(stderr, "gluesim: --%s: not usable: %s\n", options[which].name, optarg != NULL ? optarg : "");
      return false;
    }
  }
  if (!c->done && optind < argc) {
    fprintf(stderr, "gluesim: what is %s?\n", argv[optind]);
    return false;
  }
  c->options.keys = c->keys;
  c->options.key_count = c->key_count;
  c->options.others = c->others;
  c->options.other_count = c->other_count;
  c->options.prices = c->prices;
  c->options.price_count = c->price_count;
  c->options.faults = c->faults;
  c->options.fault_count = c->fault_count;
  return true;
}

static void catch_signals(void)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  struct sigaction action = {.sa_handler = on_signal};
  if (pipe(signal_pipe) != 0)
    return;
  fcntl(signal_pipe[1], F_SETFL, O_NONBLOCK);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaction(numbers[i], &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static int report(struct err *e, int status)
{
  char *text = err_sentence(e);
  fprintf(stderr, "gluesim: %s\n", text);
  free(text);
  err_fini(e);
  return status;
}

int main(int argc, char **argv)
{
  struct command_line c = {.done = false};
  struct sim *sim = NULL;
  int status = 0;
  if (!read_command_line(&c, argc, argv)) {
    fprintf(stderr, "gluesim --help tells the options\n");
    status = 2;
  } else if (!c.done) {
    catch_signals();
    struct err e = sim_new(&c.options, &sim);
    if (err_is(&e)) {
      status = report(&e, e.kind == ERR_IO ? 1 : 2);
    } else {
      printf("listening on http://127.0.0.1:%d\n", sim_port(sim));
      fflush(stdout);
      e = sim_serve(sim, signal_pipe[0], c.parent_fd, c.test_fd);
      if (err_is(&e))
        status = report(&e, 1);
    }
  }
  sim_free(sim);
  free(c.keys);
  free(c.others);
  free(c.faults);
  free(c.prices);
  return status;
}
