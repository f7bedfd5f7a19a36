/* Drives the whole program in a pseudo-terminal after a script, in a sealed world: own HOME, zone, locale, terminal and no AWS settings.
 *
 *   drive [--update] [--pictures FOLDER] SCRIPT...
 *
 * A script is lines of words; # begins a comment. Waiting is for output or for the readiness signal, never for a time to pass.
 *
 *   case NAME                what follows is counted as one test of that name
 *   now ISO                  where both clocks stand (2026-11-30T12:00:00Z)
 *   sim ARGS                 start gluesim on the test clock (its address replaces @URL@ in later lines); give it --control for
 *                            fault, no-faults, arrived, done and advance
 *   sim-live ARGS            the same in real time
 *   file NAME TEXT           a file in @HOME@; \\n in TEXT is a line's end
 *   env NAME=VALUE           for the program; `unset NAME` takes it away
 *   size COLSxROWS           of the terminal at the start (80x24)
 *   start ARGS               start gluetop on the test clock
 *   start-live ARGS          the same in real time
 *   keys TEXT                typed; <Enter> <Esc> <Up> <Down> <Left> <Right> <PgUp> <PgDn> <Tab> <Space> <BS> <C-x> are keys, <lt> is '<'
 *   type TEXT                typed as well, and counted as one key
 *   raw HEX                  bytes as they are
 *   settle                   until the program says that it is ready
 *   advance MS               of both clocks; then settle
 *   lid MS                   the machine slept for so long: the wall clock moved, the monotonic one did not; then settle
 *   delete-job NAME          somebody else deletes it (needs --control)
 *   expect TEXT              until TEXT is on the screen (20 s at most)
 *   gone TEXT                until TEXT is not on the screen
 *   shows TEXT / lacks TEXT  TEXT is, is not on the screen now
 *   line N TEXT              TEXT is in line N (0 is the first; -1 the last)
 *   resize COLSxROWS
 *   mark / below N           fewer than N bytes since mark
 *   never HEX / wrote HEX    these bytes were not, were written since mark
 *   plain                    no colour was set since mark (SGR 30-49, 90-107)
 *   ascii                    the screen holds no letter beyond ASCII
 *   file-has PATH TEXT       the file holds TEXT
 *   golden NAME              the screen equals golden/NAME.txt (with --update: is written there)
 *   golden-look NAME         the same with attributes
 *   print                    the screen onto standard output, for who writes a script
 *   picture NAME             draw the screen into FOLDER/NAME.svg and .png (with --pictures)
 *   fault SPEC, no-faults    gluesim's, from now on
 *   agree                    whoever waits for a device code (:login) gets its token
 *   arrived OP N / done OP N gluesim has read, carried out OP exactly N times
 *   refused OP N             so many times the keys or the signature were not good
 *   signal NAME              TERM HUP INT QUIT TSTP CONT SEGV BUS ABRT WINCH KILL FPE ILL
 *   stopped / fg             until the job is stopped; what fg does
 *   hang-up                  the terminal goes away
 *   exit N | died NAME       how it ended, within 5 s; `ended MS`: within that time, in whatever way
 *   cpu-below MS             processor time used so far
 *   restored                 the terminal is as a shell wants it
 *   no-orphan                no process of the sealed world is left
 *   keystrokes N             at most N keys were typed since the start (a typed word counts as one)
 *   count-from-here          keys are counted anew
 * Exit status: 0 every line held, 1 not. */
#include "screens/drive.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "screens/picture.h"

bool failed(struct drive *d, const char *format, ...)
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

static bool has_text(struct vt *vt, void *user)
{
  return vt_contains(vt, user);
}

static bool has_no_text(struct vt *vt, void *user)
{
  return !vt_contains(vt, user);
}

static bool read_size(struct drive *d, const char *text)
{
  return sscanf(text, "%dx%d", &d->cols, &d->rows) == 2 || failed(d, "a size is COLSxROWS: %s", text);
}

static bool settle(struct drive *d)
{
  return vt_settle(d->vt, LIMIT_MS) || failed(d, "the program is not ready");
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

static void wait_end(struct drive *d, int limit_ms)
{
  if (!d->ended) {
    d->status = vt_wait(d->vt, limit_ms);
    d->ended = true;
  }
}

/* --- steps: each gets the rest of its line --- */

static bool step_now(struct drive *d, const char *text)
{
  snprintf(d->now, sizeof d->now, "%s", text);
  return true;
}

static bool step_sim(struct drive *d, const char *text)
{
  return world_start_sim(d, text, true);
}

static bool step_sim_live(struct drive *d, const char *text)
{
  return world_start_sim(d, text, false);
}

static bool step_env(struct drive *d, const char *text)
{
  world_set_env(d, text);
  return true;
}

static bool step_unset(struct drive *d, const char *text)
{
  world_unset_env(d, text);
  return true;
}

static bool step_file(struct drive *d, const char *text)
{
  size_t name = strcspn(text, " ");
  char *path = xasprintf("%s/%.*s", d->home, (int)name, text);
  FILE *f = fopen(path, "w");
  for (const char *p = text + name + (text[name] != '\0'); f && *p; p++) {
    bool newline = p[0] == '\\' && p[1] == 'n';
    fputc(newline ? '\n' : *p, f);
    p += newline;
  }
  bool good = f && fclose(f) == 0;
  free(path);
  return good || failed(d, "cannot write the file");
}

static bool step_start(struct drive *d, const char *text)
{
  return world_start_program(d, text, true);
}

static bool step_start_live(struct drive *d, const char *text)
{
  return world_start_program(d, text, false);
}

static bool step_type(struct drive *d, const char *text)
{
  unsigned before = d->keys;
  char *line = world_expand(d, text);
  bool good = type_keys(d, line);
  d->keys = before + 1;
  free(line);
  return good;
}

static bool step_raw(struct drive *d, const char *text)
{
  char bytes[4096];
  vt_send(d->vt, bytes, hex_bytes(text, bytes, sizeof bytes));
  return true;
}

static bool step_settle(struct drive *d, const char *text)
{
  (void)text;
  return settle(d);
}

static bool step_advance(struct drive *d, const char *text)
{
  long long ms = strtoll(text, NULL, 10);
  bool good = settle(d); /* what was typed before was typed before */
  world_advance_sim(d, ms);
  vt_advance(d->vt, ms);
  return good && settle(d);
}

static bool step_lid(struct drive *d, const char *text)
{
  long long ms = strtoll(text, NULL, 10);
  bool good = settle(d);
  world_advance_sim(d, ms);
  vt_suspend(d->vt, ms);
  return good && settle(d);
}

static bool step_delete_job(struct drive *d, const char *text)
{
  char *answer = world_ask_sim(d, "POST", "/_sim/delete-job", text);
  bool good = answer != NULL;
  free(answer);
  return good || failed(d, "gluesim does not delete the job (has it --control?)");
}

static bool step_expect(struct drive *d, const char *text)
{
  return vt_until(d->vt, has_text, (void *)(uintptr_t)text, LIMIT_MS) || failed(d, "not on the screen: %s", text);
}

static bool step_gone(struct drive *d, const char *text)
{
  return vt_until(d->vt, has_no_text, (void *)(uintptr_t)text, LIMIT_MS) || failed(d, "on the screen: %s", text);
}

static bool step_shows(struct drive *d, const char *text)
{
  return vt_contains(d->vt, text) || failed(d, "not on the screen: %s", text);
}

static bool step_lacks(struct drive *d, const char *text)
{
  return !vt_contains(d->vt, text) || failed(d, "on the screen: %s", text);
}

static bool step_line(struct drive *d, const char *text)
{
  int row = 0, used = 0;
  bool good = sscanf(text, "%d %n", &row, &used) == 1;
  if (good) {
    row = row < 0 ? vt_rows(d->vt) + row : row;
    good = row >= 0 && row < vt_rows(d->vt) && strstr(vt_line(d->vt, row), text + used) != NULL;
  }
  return good || failed(d, "line %d has not '%s'", row, text + used);
}

static bool step_size(struct drive *d, const char *text)
{
  return read_size(d, text);
}

static bool step_resize(struct drive *d, const char *text)
{
  bool good = read_size(d, text);
  if (good) {
    vt_resize(d->vt, d->rows, d->cols);
  }
  return good;
}

static bool step_mark(struct drive *d, const char *text)
{
  (void)text;
  vt_mark(d->vt);
  return true;
}

static bool step_below(struct drive *d, const char *text)
{
  size_t len = 0;
  vt_since_mark(d->vt, &len);
  return len < strtoul(text, NULL, 10) || failed(d, "%zu bytes were written, not fewer than %s", len, text);
}

static bool has_bytes(struct drive *d, const char *text)
{
  char bytes[256];
  size_t n = hex_bytes(text, bytes, sizeof bytes), len = 0;
  const char *all = vt_since_mark(d->vt, &len);
  return n > 0 && memmem(all, len, bytes, n) != NULL;
}

static bool step_never(struct drive *d, const char *text)
{
  return !has_bytes(d, text) || failed(d, "bytes that must not be written: %s", text);
}

static bool step_wrote(struct drive *d, const char *text)
{
  return has_bytes(d, text) || failed(d, "bytes that must be written: %s", text);
}

static bool step_plain(struct drive *d, const char *text)
{
  (void)text;
  size_t len = 0;
  const char *all = vt_since_mark(d->vt, &len);
  return (len > 0 && !sets_colour(all, len)) || failed(d, len ? "a colour was set" : "nothing was written");
}

static bool step_ascii(struct drive *d, const char *text)
{
  (void)text;
  char *dump = vt_dump(d->vt, false), *p = dump;
  while (*p && (unsigned char)*p < 0x80) {
    p++;
  }
  bool good = *p == '\0' || failed(d, "not ASCII: %.8s", p);
  free(dump);
  return good;
}

static bool step_file_has(struct drive *d, const char *text)
{
  char *line = world_expand(d, text), *wanted = strchr(line, ' ');
  struct buf is;
  char chunk[4096];
  buf_init(&is, 16 << 20);
  if (wanted) {
    *wanted++ = '\0';
  }
  FILE *f = fopen(line, "r");
  for (size_t n; f && (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
    buf_add(&is, chunk, n);
  }
  bool good = (f && wanted && strstr(is.data, wanted)) || failed(d, "%s has no '%s'", line, wanted ? wanted : "");
  if (f) {
    fclose(f);
  }
  buf_fini(&is);
  free(line);
  return good;
}

static bool step_golden(struct drive *d, const char *text)
{
  return check_golden(d, text, false);
}

static bool step_golden_look(struct drive *d, const char *text)
{
  return check_golden(d, text, true);
}

static bool step_print(struct drive *d, const char *text)
{
  char *dump = vt_dump(d->vt, strcmp(text, "look") == 0);
  printf("--- %s:%d %dx%d\n%s", d->script, d->line, vt_cols(d->vt), vt_rows(d->vt), dump);
  free(dump);
  return true;
}

static bool step_picture(struct drive *d, const char *text)
{
  bool good = true;
  if (d->pictures) {
    char *path = xasprintf("%s/%s", d->pictures, text);
    good = picture_write(d->vt, path) || failed(d, "cannot write %s.svg", path);
    free(path);
  }
  return good;
}

static bool step_fault(struct drive *d, const char *text)
{
  char *answer = world_ask_sim(d, "POST", "/_sim/faults", text);
  bool good = answer != NULL;
  free(answer);
  return good || failed(d, "gluesim does not take the fault (has it --control?)");
}

static bool step_no_faults(struct drive *d, const char *text)
{
  char *answer = world_ask_sim(d, "DELETE", "/_sim/faults", text);
  bool good = answer != NULL;
  free(answer);
  return good || failed(d, "gluesim keeps its faults (has it --control?)");
}

static bool step_agree(struct drive *d, const char *text)
{
  char *answer = world_ask_sim(d, "POST", "/_sim/agree", text);
  bool good = answer != NULL;
  free(answer);
  return good || failed(d, "gluesim did not hear of it (has it --control?)");
}

static bool step_arrived(struct drive *d, const char *text)
{
  return check_count(d, text, "arrived");
}

static bool step_refused(struct drive *d, const char *text)
{
  return check_count(d, text, "unsigned");
}

static bool step_done(struct drive *d, const char *text)
{
  return check_count(d, text, "done");
}

static bool step_signal(struct drive *d, const char *text)
{
  int number = signal_of(text);
  if (number > 0) {
    vt_signal(d->vt, number);
  }
  return number > 0 || failed(d, "no such signal: %s", text);
}

static bool step_stopped(struct drive *d, const char *text)
{
  (void)text;
  return vt_wait_stopped(d->vt, END_LIMIT_MS) || failed(d, "the program did not stop");
}

static bool step_fg(struct drive *d, const char *text)
{
  (void)text;
  vt_foreground(d->vt);
  return true;
}

static bool step_hang_up(struct drive *d, const char *text)
{
  (void)text;
  vt_hang_up(d->vt);
  return true;
}

static bool step_exit(struct drive *d, const char *text)
{
  wait_end(d, END_LIMIT_MS);
  return (d->status != -1 && WIFEXITED(d->status) && WEXITSTATUS(d->status) == strtol(text, NULL, 10)) ||
         failed(d, "the end was not exit %s (wait status %d)", text, d->status);
}

static bool step_died(struct drive *d, const char *text)
{
  wait_end(d, END_LIMIT_MS);
  return (d->status != -1 && WIFSIGNALED(d->status) && WTERMSIG(d->status) == signal_of(text)) ||
         failed(d, "the end was not by %s (wait status %d)", text, d->status);
}

static bool step_ended(struct drive *d, const char *text)
{
  wait_end(d, (int)strtol(text, NULL, 10));
  return d->status != -1 || failed(d, "the program has not ended within %s ms", text);
}

static bool step_cpu_below(struct drive *d, const char *text)
{
  long long is = vt_cpu_ms(d->vt);
  return is < strtoll(text, NULL, 10) || failed(d, "%lld ms of processor time, not fewer than %s", is, text);
}

static bool step_restored(struct drive *d, const char *text)
{
  (void)text;
  const char *what = vt_unrestored(d->vt);
  if (what) {
    size_t len = 0;
    const char *bytes = vt_since_mark(d->vt, &len);
    for (size_t i = len > 400 ? len - 400 : 0; i < len; i++) {
      if (isprint((unsigned char)bytes[i])) {
        fputc(bytes[i], stderr);
      } else {
        fprintf(stderr, "\\x%02x", (unsigned char)bytes[i]);
      }
    }
    fputs("\n", stderr);
  }
  return !what || failed(d, "the terminal was not restored: %s", what);
}

static bool step_no_orphan(struct drive *d, const char *text)
{
  (void)text;
  return world_no_orphans(d, END_LIMIT_MS) || failed(d, "a process that the program started lives on");
}

static bool step_keystrokes(struct drive *d, const char *text)
{
  return d->keys <= strtoul(text, NULL, 10) || failed(d, "%u keys were typed, not at most %s", d->keys, text);
}

static bool step_count_from_here(struct drive *d, const char *text)
{
  (void)text;
  d->keys = 0;
  return true;
}

enum step_kind {
  BEFORE = 1, /* may stand before a program was started */
  CHECK = 2   /* can fail on what it sees */
};

static const struct {
  const char *verb;
  bool (*run)(struct drive *d, const char *rest);
  unsigned kind;
} steps[] = {
    {"now", step_now, BEFORE},
    {"sim", step_sim, BEFORE},
    {"sim-live", step_sim_live, BEFORE},
    {"env", step_env, BEFORE},
    {"unset", step_unset, BEFORE},
    {"file", step_file, BEFORE},
    {"size", step_size, BEFORE},
    {"start", step_start, BEFORE},
    {"start-live", step_start_live, BEFORE},
    {"fault", step_fault, BEFORE},
    {"no-faults", step_no_faults, BEFORE},
    {"agree", step_agree, BEFORE},
    {"keys", type_keys, 0},
    {"type", step_type, 0},
    {"raw", step_raw, 0},
    {"settle", step_settle, 0},
    {"advance", step_advance, 0},
    {"lid", step_lid, 0},
    {"delete-job", step_delete_job, BEFORE},
    {"expect", step_expect, CHECK},
    {"gone", step_gone, CHECK},
    {"shows", step_shows, CHECK},
    {"lacks", step_lacks, CHECK},
    {"line", step_line, CHECK},
    {"resize", step_resize, 0},
    {"mark", step_mark, 0},
    {"below", step_below, CHECK},
    {"never", step_never, CHECK},
    {"wrote", step_wrote, CHECK},
    {"plain", step_plain, CHECK},
    {"ascii", step_ascii, CHECK},
    {"file-has", step_file_has, CHECK},
    {"golden", step_golden, CHECK},
    {"golden-look", step_golden_look, CHECK},
    {"print", step_print, 0},
    {"picture", step_picture, 0},
    {"arrived", step_arrived, CHECK},
    {"refused", step_refused, CHECK},
    {"done", step_done, CHECK},
    {"signal", step_signal, 0},
    {"stopped", step_stopped, CHECK},
    {"fg", step_fg, 0},
    {"hang-up", step_hang_up, 0},
    {"exit", step_exit, CHECK},
    {"died", step_died, CHECK},
    {"ended", step_ended, CHECK},
    {"cpu-below", step_cpu_below, CHECK},
    {"restored", step_restored, CHECK},
    {"no-orphan", step_no_orphan, CHECK},
    {"keystrokes", step_keystrokes, CHECK},
    {"count-from-here", step_count_from_here, 0},
};

static bool run_step(struct drive *d, const char *verb, const char *rest)
{
  size_t i = 0, count = sizeof steps / sizeof steps[0];
  while (i < count && strcmp(steps[i].verb, verb) != 0) {
    i++;
  }
  bool good = false;
  if (i == count) {
    failed(d, "no such step: %s", verb);
  } else if (!d->vt && !(steps[i].kind & BEFORE)) {
    failed(d, "nothing was started");
  } else {
    d->checks += (steps[i].kind & CHECK) != 0;
    good = steps[i].run(d, rest);
  }
  return good;
}

struct tally {
  unsigned passed, failed;
};

/* A case that ends well must have looked at something. */
static bool end_case(struct drive *d, bool good, const char *name, struct tally *tally)
{
  if (good && d->checks == 0) {
    good = failed(d, "%s checks nothing", name);
  }
  printf("%s: %s\n", good ? "ok" : "NOT OK", name);
  fflush(stdout);
  tally->passed += good;
  tally->failed += !good;
  d->checks = 0;
  return good;
}

static void run_script(const char *path, bool update, const char *pictures, struct tally *tally)
{
  struct drive d = {
      .script = path, .update = update, .pictures = pictures, .cols = 80, .rows = 24, .sim_keep = -1, .sim_clock = -1};
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  char name[256], line[4096];
  bool in_case = false, open = true;
  FILE *f = fopen(path, "r");
  bool good = f != NULL && world_seal(&d);
  snprintf(name, sizeof name, "%s", base);
  step_now(&d, "2026-11-30T12:00:00Z");
  while (good && fgets(line, sizeof line, f)) {
    d.line++;
    line[strcspn(line, "\r\n")] = '\0';
    char *verb = line + strspn(line, " ");
    if (*verb == '\0' || *verb == '#') {
      continue;
    }
    char *rest = verb + strcspn(verb, " ");
    if (*rest) {
      *rest++ = '\0';
    }
    if (strcmp(verb, "case") == 0) {
      open = !in_case || end_case(&d, true, name, tally);
      good = open;
      in_case = true;
      snprintf(name, sizeof name, "%s: %s", base, rest);
    } else {
      good = run_step(&d, verb, rest);
    }
  }
  if (!f) {
    perror(path);
  } else {
    fclose(f);
  }
  if (open) {
    end_case(&d, good, name, tally);
  }
  world_open(&d);
}

int main(int argc, char **argv)
{
  struct tally tally = {0};
  const char *pictures = NULL;
  bool update = false;
  signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--update") == 0) {
      update = true;
    } else if (strcmp(argv[i], "--pictures") == 0 && i + 1 < argc) {
      pictures = argv[++i];
    } else {
      run_script(argv[i], update, pictures, &tally);
    }
  }
  if (tally.passed + tally.failed == 0) {
    fputs("drive: no script was given\n", stderr);
    tally.failed = 1;
  }
  /* in cmocka's words, which the summary counts */
  printf("[  PASSED  ] %u test(s).\n", tally.passed);
  if (tally.failed > 0) {
    printf("[  FAILED  ] scripts: %u test(s), listed above\n", tally.failed);
  }
  return tally.failed > 0 ? 1 : 0;
}
