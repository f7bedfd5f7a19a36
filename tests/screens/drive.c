/* Drives the whole program in a pseudo-terminal after a script, in a sealed world: own HOME, zone, locale, terminal and no AWS settings.
 *
 *   drive [--update] SCRIPT...
 *
 * A script is lines of words; # begins a comment.
 *   sim ARGS                 start gluesim (its address replaces @URL@ in later lines)
 *   env NAME=VALUE           for the program
 *   size COLSxROWS           of the terminal at the start (80x24)
 *   start ARGS               start gluetop; the test clock is on
 *   start-live ARGS          the same without the test clock: real time
 *   keys TEXT                typed; <Enter> <Esc> <Up> <Down> <Left> <Right> <PgUp> <PgDn> <Tab> <Space> <BS> <C-x> are keys, <lt> is '<'
 *   raw HEX                  bytes as they are
 *   settle                   until the program says that it is ready
 *   advance MS               of the program's clock; then settle
 *   expect TEXT              until TEXT is on the screen (10 s at most)
 *   gone TEXT                until TEXT is not on the screen
 *   line N TEXT              TEXT is in line N (0 is the first; -1 the last)
 *   resize COLSxROWS
 *   mark / below N           fewer than N bytes since mark
 *   never HEX                these bytes were not written since mark
 *   golden NAME              the screen equals golden/NAME.txt (with --update: is written there)
 *   golden-look NAME         the same with attributes
 *   signal NAME              TERM HUP INT QUIT TSTP CONT SEGV BUS ABRT WINCH
 *   hang-up                  the terminal goes away
 *   exit N | died NAME       how it ended, within 5 s
 *   restored                 the terminal is as a shell wants it
 *   keystrokes N             at most N keys were typed since the start (a typed word counts as one)
 * Exit status: 0 every line held, 1 not, 77 cannot run here. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "screens/vt.h"

enum { LIMIT_MS = 20000, ENV_MAX = 64, ARGS_MAX = 64, END_LIMIT_MS = 5000 };

struct drive {
  const char *script;
  int line;
  bool update;
  struct vt *vt;
  char *env[ENV_MAX];
  size_t env_count;
  int cols, rows;
  pid_t sim;
  int sim_keep;
  char url[128];
  char home[64];
  unsigned keys;
  int status;
  bool ended;
};

static bool failed(struct drive *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool failed(struct drive *d, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: ", d->script, d->line);
  vfprintf(stderr, format, args);
  fputs("\n", stderr);
  va_end(args);
  if (d->vt) {
    char *dump = vt_dump(d->vt, false);
    fprintf(stderr, "--- the screen\n%s---\n", dump);
    free(dump);
  }
  return false;
}

static void put_env(struct drive *d, const char *text)
{
  size_t name = strcspn(text, "=") + 1;
  size_t at = d->env_count;
  for (size_t i = 0; i < d->env_count; i++) {
    if (strncmp(d->env[i], text, name) == 0) {
      at = i;
    }
  }
  if (at == d->env_count && d->env_count + 1 < ENV_MAX) {
    d->env_count++;
  } else {
    free(d->env[at]);
  }
  d->env[at] = xstrdup(text);
}

static const char *build_dir(void)
{
  const char *dir = getenv("GLUETOP_BUILDDIR");
  return dir ? dir : ".";
}

static const char *source_dir(void)
{
  const char *dir = getenv("GLUETOP_SRCDIR");
  return dir ? dir : "..";
}

static void seal_world(struct drive *d)
{
  char text[256];
  snprintf(d->home, sizeof d->home, "/tmp/gluetop-test-XXXXXX");
  if (!mkdtemp(d->home)) {
    perror("mkdtemp");
    exit(77);
  }
  snprintf(text, sizeof text, "HOME=%s", d->home);
  put_env(d, text);
  snprintf(text, sizeof text, "XDG_STATE_HOME=%s/state", d->home);
  put_env(d, text);
  static const char *const fixed[] = {
      "PATH=/usr/bin:/bin",
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      "TZ=Europe/Berlin",
      "TERM=xterm-256color",
      "AWS_ACCESS_KEY_ID=AKIAGLUESIMDEMO00001",
      "AWS_SECRET_ACCESS_KEY=" SIM_SECRET,
      "AWS_REGION=eu-west-1",
      "AWS_EC2_METADATA_DISABLED=true",
  };
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
    put_env(d, fixed[i]);
  }
  static const char *const kept[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"};
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    if (getenv(kept[i])) {
      snprintf(text, sizeof text, "%s=%s", kept[i], getenv(kept[i]));
      put_env(d, text);
    }
  }
}

/* Splits at blanks; @URL@ and @HOME@ are replaced. The words are malloced; the list ends with NULL. */
static char **words_of(struct drive *d, const char *first, const char *text)
{
  char **words = xcalloc(ARGS_MAX, sizeof *words);
  size_t n = 0;
  words[n++] = xstrdup(first);
  char *copy = xstrdup(text);
  char *save = NULL;
  for (char *w = strtok_r(copy, " ", &save); w && n + 1 < ARGS_MAX; w = strtok_r(NULL, " ", &save)) {
    const char *home = strstr(w, "@HOME@");
    if (strcmp(w, "@URL@") == 0) {
      words[n++] = xstrdup(d->url);
    } else if (home) {
      words[n++] = xasprintf("%.*s%s%s", (int)(home - w), w, d->home, home + 6);
    } else {
      words[n++] = xstrdup(w);
    }
  }
  free(copy);
  return words;
}

static void words_free(char **words)
{
  for (size_t i = 0; words[i]; i++) {
    free(words[i]);
  }
  free(words);
}

static bool start_sim(struct drive *d, const char *text)
{
  int keep[2] = {-1, -1}, said[2] = {-1, -1};
  char *path = xasprintf("%s/gluesim", build_dir());
  char *args = xasprintf("--port 0 --parent-fd 3 %s", text);
  char **words = words_of(d, path, args);
  bool good = pipe(keep) == 0 && pipe(said) == 0;
  if (good) {
    fcntl(keep[1], F_SETFD, FD_CLOEXEC);
    fcntl(said[0], F_SETFD, FD_CLOEXEC);
    d->sim = fork();
    if (d->sim == 0) {
      dup2(said[1], 1);
      dup2(keep[0], 3);
      execv(path, words);
      _exit(127);
    }
    close(keep[0]);
    close(said[1]);
    d->sim_keep = keep[1];
    char line[256];
    size_t len = 0;
    struct pollfd p = {.fd = said[0], .events = POLLIN};
    ssize_t n = 1;
    line[0] = '\0';
    while (n > 0 && !strchr(line, '\n') && len + 1 < sizeof line && poll(&p, 1, LIMIT_MS) > 0) {
      n = read(said[0], line + len, sizeof line - 1 - len);
      len += n > 0 ? (size_t)n : 0;
      line[len] = '\0';
    }
    char *at = strstr(line, "http://");
    good = at != NULL;
    if (good) {
      at[strcspn(at, " \r\n")] = '\0';
      snprintf(d->url, sizeof d->url, "%s", at);
    }
    close(said[0]);
  }
  words_free(words);
  free(args);
  free(path);
  return good || failed(d, "gluesim did not start");
}

static bool start_program(struct drive *d, const char *text, bool test_clock)
{
  char *path = xasprintf("%s/gluetop", build_dir());
  char **words = words_of(d, path, text);
  struct vt_options o = {.rows = d->rows, .cols = d->cols, .argv = words, .envp = d->env, .test_fd = test_clock};
  if (d->vt) {
    vt_free(d->vt);
  }
  d->vt = vt_start(&o);
  d->keys = 0;
  d->ended = false;
  words_free(words);
  free(path);
  return d->vt || failed(d, "the program did not start: %s", strerror(errno));
}

static const struct {
  const char *name, *bytes;
} key_names[] = {
    {"Enter", "\r"},    {"Esc", "\x1b"},     {"Up", "\x1b[A"},    {"Down", "\x1b[B"}, {"Right", "\x1b[C"},
    {"Left", "\x1b[D"}, {"PgUp", "\x1b[5~"}, {"PgDn", "\x1b[6~"}, {"Tab", "\t"},      {"Space", " "},
    {"BS", "\x7f"},     {"lt", "<"},         {"Home", "\x1b[H"},  {"End", "\x1b[F"},  {"Del", "\x1b[3~"},
};

static bool type_keys(struct drive *d, const char *text)
{
  bool good = true;
  for (const char *p = text; *p && good;) {
    const char *end = *p == '<' ? strchr(p, '>') : NULL;
    if (!end) {
      vt_send(d->vt, p, 1);
      d->keys += ((unsigned char)*p & 0xC0) != 0x80;
      p++;
    } else if (end - p == 4 && p[1] == 'C' && p[2] == '-') {
      char c = (char)(toupper((unsigned char)p[3]) & 0x1F);
      vt_send(d->vt, &c, 1);
      d->keys++;
      p = end + 1;
    } else {
      good = false;
      for (size_t i = 0; i < sizeof key_names / sizeof key_names[0] && !good; i++) {
        if (strlen(key_names[i].name) == (size_t)(end - p - 1) &&
            strncmp(key_names[i].name, p + 1, (size_t)(end - p - 1)) == 0) {
          vt_send(d->vt, key_names[i].bytes, strlen(key_names[i].bytes));
          good = true;
        }
      }
      d->keys++;
      p = end + 1;
    }
  }
  return good || failed(d, "a key that is not known: %s", text);
}

static size_t hex_bytes(const char *text, char *out, size_t size)
{
  size_t n = 0;
  unsigned byte = 0;
  int used = 0;
  while (n < size && sscanf(text, " %2x%n", &byte, &used) == 1) {
    out[n++] = (char)byte;
    text += used;
  }
  return n;
}

static bool has_text(struct vt *vt, void *user)
{
  return vt_contains(vt, user);
}

static bool has_no_text(struct vt *vt, void *user)
{
  return !vt_contains(vt, user);
}

static bool parse_size(struct drive *d, const char *text)
{
  return sscanf(text, "%dx%d", &d->cols, &d->rows) == 2 || failed(d, "a size is COLSxROWS: %s", text);
}

static bool golden(struct drive *d, const char *name, bool look)
{
  char *path = xasprintf("%s/tests/screens/golden/%s.txt", source_dir(), name);
  char *is = vt_dump(d->vt, look);
  bool good = true;
  FILE *f = fopen(path, d->update ? "w" : "r");
  if (!f) {
    good = failed(d, "cannot open %s: %s", path, strerror(errno));
  } else if (d->update) {
    good = fputs(is, f) >= 0 || failed(d, "cannot write %s", path);
  } else {
    struct buf must;
    char chunk[4096];
    buf_init(&must, 4 << 20);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
      buf_add(&must, chunk, n);
    }
    good = strcmp(is, must.data) == 0;
    if (!good) {
      fprintf(stderr, "--- expected (%s)\n%s--- is\n%s", name, must.data, is);
      failed(d, "the screen is not the golden one (--update writes it anew)");
    }
    buf_fini(&must);
  }
  if (f) {
    fclose(f);
  }
  free(is);
  free(path);
  return good;
}

static int signal_of(const char *name)
{
  static const struct {
    const char *name;
    int number;
  } table[] = {{"TERM", SIGTERM}, {"HUP", SIGHUP},   {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"TSTP", SIGTSTP},
               {"CONT", SIGCONT}, {"SEGV", SIGSEGV}, {"BUS", SIGBUS}, {"ABRT", SIGABRT}, {"WINCH", SIGWINCH},
               {"KILL", SIGKILL}, {"FPE", SIGFPE},   {"ILL", SIGILL}};
  int number = 0;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    number = strcmp(table[i].name, name) == 0 ? table[i].number : number;
  }
  return number;
}

static void wait_end(struct drive *d)
{
  if (!d->ended) {
    d->status = vt_wait(d->vt, END_LIMIT_MS);
    d->ended = true;
  }
}

static bool check_line(struct drive *d, const char *text)
{
  int row = 0, used = 0;
  bool good = sscanf(text, "%d %n", &row, &used) == 1;
  if (good) {
    row = row < 0 ? vt_rows(d->vt) + row : row;
    good = strstr(vt_line(d->vt, row), text + used) != NULL;
  }
  return good || failed(d, "line %d has not '%s'", row, text + used);
}

static bool check_never(struct drive *d, const char *text)
{
  char bytes[256];
  size_t n = hex_bytes(text, bytes, sizeof bytes), len = 0;
  const char *all = vt_since_mark(d->vt, &len);
  return !(n > 0 && memmem(all, len, bytes, n)) || failed(d, "bytes that must never be written: %s", text);
}

static bool check_below(struct drive *d, const char *text)
{
  size_t len = 0;
  vt_since_mark(d->vt, &len);
  return len < strtoul(text, NULL, 10) || failed(d, "%zu bytes were written, not fewer than %s", len, text);
}

static bool step(struct drive *d, const char *verb, const char *rest)
{
  bool good = true;
  char bytes[4096];
  if (strcmp(verb, "sim") == 0) {
    good = start_sim(d, rest);
  } else if (strcmp(verb, "env") == 0) {
    put_env(d, rest);
  } else if (strcmp(verb, "size") == 0) {
    good = parse_size(d, rest);
  } else if (strcmp(verb, "start") == 0) {
    good = start_program(d, rest, true);
  } else if (strcmp(verb, "start-live") == 0) {
    good = start_program(d, rest, false);
  } else if (!d->vt) {
    good = failed(d, "nothing was started");
  } else if (strcmp(verb, "keys") == 0) {
    good = type_keys(d, rest);
  } else if (strcmp(verb, "type") == 0) { /* a word, counted as one key */
    unsigned before = d->keys;
    good = type_keys(d, rest);
    d->keys = before + 1;
  } else if (strcmp(verb, "raw") == 0) {
    vt_send(d->vt, bytes, hex_bytes(rest, bytes, sizeof bytes));
  } else if (strcmp(verb, "settle") == 0) {
    good = vt_settle(d->vt, LIMIT_MS) || failed(d, "the program is not ready");
  } else if (strcmp(verb, "advance") == 0) {
    vt_advance(d->vt, strtoll(rest, NULL, 10));
    good = vt_settle(d->vt, LIMIT_MS) || failed(d, "the program is not ready");
  } else if (strcmp(verb, "expect") == 0) {
    good = vt_until(d->vt, has_text, (void *)(uintptr_t)rest, LIMIT_MS) || failed(d, "not on the screen: %s", rest);
  } else if (strcmp(verb, "gone") == 0) {
    good = vt_until(d->vt, has_no_text, (void *)(uintptr_t)rest, LIMIT_MS) || failed(d, "on the screen: %s", rest);
  } else if (strcmp(verb, "line") == 0) {
    good = check_line(d, rest);
  } else if (strcmp(verb, "resize") == 0) {
    good = parse_size(d, rest);
    vt_resize(d->vt, d->rows, d->cols);
  } else if (strcmp(verb, "mark") == 0) {
    vt_mark(d->vt);
  } else if (strcmp(verb, "below") == 0) {
    good = check_below(d, rest);
  } else if (strcmp(verb, "never") == 0) {
    good = check_never(d, rest);
  } else if (strcmp(verb, "golden") == 0 || strcmp(verb, "golden-look") == 0) {
    good = golden(d, rest, verb[6] == '-');
  } else if (strcmp(verb, "signal") == 0) {
    vt_signal(d->vt, signal_of(rest));
  } else if (strcmp(verb, "hang-up") == 0) {
    vt_hang_up(d->vt);
  } else if (strcmp(verb, "exit") == 0) {
    wait_end(d);
    good = (WIFEXITED(d->status) && d->status != -1 && WEXITSTATUS(d->status) == strtol(rest, NULL, 10)) ||
           failed(d, "the end was not exit %s (wait status %d)", rest, d->status);
  } else if (strcmp(verb, "died") == 0) {
    wait_end(d);
    good = (d->status != -1 && WIFSIGNALED(d->status) && WTERMSIG(d->status) == signal_of(rest)) ||
           failed(d, "the end was not by %s (wait status %d)", rest, d->status);
  } else if (strcmp(verb, "restored") == 0) {
    good = (!vt_alternate(d->vt) && vt_cursor_visible(d->vt) && vt_cooked(d->vt)) ||
           failed(d, "the terminal was not restored (alternate %d, cursor %d, cooked %d)", vt_alternate(d->vt),
                  vt_cursor_visible(d->vt), vt_cooked(d->vt));
  } else if (strcmp(verb, "keystrokes") == 0) {
    good = d->keys <= strtoul(rest, NULL, 10) || failed(d, "%u keys were typed, not at most %s", d->keys, rest);
  } else {
    good = failed(d, "no such step: %s", verb);
  }
  return good;
}

static void clean_up(struct drive *d)
{
  vt_free(d->vt);
  if (d->sim > 0) {
    close(d->sim_keep);
    kill(d->sim, SIGTERM);
    waitpid(d->sim, NULL, 0);
  }
  for (size_t i = 0; i < d->env_count; i++) {
    free(d->env[i]);
  }
  char *const argv[] = {(char[]){"rm"}, (char[]){"-rf"}, d->home, NULL};
  pid_t pid = fork();
  if (pid == 0) {
    execv("/bin/rm", argv);
    _exit(127);
  }
  waitpid(pid, NULL, 0);
}

static bool run_script(const char *path, bool update)
{
  struct drive d = {.script = path, .update = update, .cols = 80, .rows = 24, .sim_keep = -1};
  FILE *f = fopen(path, "r");
  bool good = f != NULL;
  char line[4096];
  if (!f) {
    perror(path);
  } else {
    seal_world(&d);
    while (good && fgets(line, sizeof line, f)) {
      d.line++;
      line[strcspn(line, "\r\n")] = '\0';
      char *verb = line + strspn(line, " ");
      if (*verb && *verb != '#') {
        char *rest = verb + strcspn(verb, " ");
        if (*rest) {
          *rest++ = '\0';
        }
        good = step(&d, verb, rest);
      }
    }
    fclose(f);
    clean_up(&d);
  }
  return good;
}

int main(int argc, char **argv)
{
  int passed = 0, bad = 0;
  bool update = false;
  signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--update") == 0) {
      update = true;
    } else if (run_script(argv[i], update)) {
      printf("passed: %s\n", argv[i]);
      passed++;
    } else {
      bad++;
    }
    fflush(stdout);
  }
  /* in cmocka's words, which the summary counts */
  printf("[  PASSED  ] %d test(s).\n", passed);
  if (bad > 0) {
    printf("[  FAILED  ] scripts: %d test(s), listed above\n", bad);
  }
  return bad > 0 ? 1 : 0;
}
