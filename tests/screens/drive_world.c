#include "screens/drive.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "sim/sim.h"

static size_t find_env(const struct drive *d, const char *name, size_t len)
{
  size_t at = 0;
  while (at < d->env_count && !(strncmp(d->env[at], name, len) == 0 && d->env[at][len] == '=')) {
    at++;
  }
  return at;
}

void world_set_env(struct drive *d, const char *name_and_value)
{
  size_t at = find_env(d, name_and_value, strcspn(name_and_value, "="));
  if (at == d->env_count && d->env_count + 1 < ENV_MAX) {
    d->env_count++;
  } else if (at < d->env_count) {
    free(d->env[at]);
  }
  d->env[at] = xstrdup(name_and_value);
}

void world_unset_env(struct drive *d, const char *name)
{
  size_t at = find_env(d, name, strlen(name));
  if (at < d->env_count) {
    free(d->env[at]);
    d->env_count--;
    d->env[at] = d->env[d->env_count];
    d->env[d->env_count] = NULL;
  }
}

static const char *build_dir(void)
{
  const char *dir = getenv("GLUETOP_BUILDDIR");
  return dir ? dir : ".";
}

const char *world_source_dir(void)
{
  const char *dir = getenv("GLUETOP_SRCDIR");
  return dir ? dir : "..";
}

bool world_seal(struct drive *d)
{
  static const char *const fixed[] = {
      "PATH=/usr/bin:/bin",
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      "TZ=Europe/Berlin",
      "TERM=xterm-256color",
      "AWS_ACCESS_KEY_ID=" SIM_ACCESS_KEY,
      "AWS_SECRET_ACCESS_KEY=" SIM_SECRET_KEY,
      "AWS_REGION=" SIM_REGION,
      "AWS_EC2_METADATA_DISABLED=true",
  };
  static const char *const kept[] = {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"};
  char text[256];
  snprintf(d->home, sizeof d->home, "/tmp/gluetop-test-XXXXXX");
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  bool good = mkdtemp(d->home) != NULL;
  if (!good) {
    perror("mkdtemp");
    d->home[0] = '\0';
  }
  snprintf(text, sizeof text, "HOME=%s", d->home);
  world_set_env(d, text);
  snprintf(text, sizeof text, "XDG_STATE_HOME=%s/state", d->home);
  world_set_env(d, text);
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
    world_set_env(d, fixed[i]);
  }
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    if (getenv(kept[i])) {
      snprintf(text, sizeof text, "%s=%s", kept[i], getenv(kept[i]));
      world_set_env(d, text);
    }
  }
  return good;
}

char *world_expand(const struct drive *d, const char *text)
{
  const char *const names[] = {"@URL@", "@HOME@"};
  const char *const values[] = {d->url, d->home};
  char *out = xstrdup(text);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *at = strstr(out, names[i]);
    if (at) {
      char *whole = xasprintf("%.*s%s%s", (int)(at - out), out, values[i], at + strlen(names[i]));
      free(out);
      out = whole;
    }
  }
  return out;
}

/* Splits at blanks; each word is expanded. The words are malloced; the list ends with NULL. */
static char **words_of(const struct drive *d, const char *first, const char *text)
{
  char **words = xcalloc(ARGS_MAX, sizeof *words);
  size_t n = 0;
  words[n++] = xstrdup(first);
  char *copy = xstrdup(text);
  char *save = NULL;
  for (char *w = strtok_r(copy, " ", &save); w && n + 1 < ARGS_MAX; w = strtok_r(NULL, " ", &save)) {
    words[n++] = world_expand(d, w);
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

static void stop_sim(struct drive *d)
{
  if (d->sim > 0) {
    close(d->sim_keep);
    if (d->sim_clock >= 0) {
      close(d->sim_clock);
    }
    kill(d->sim, SIGTERM);
    waitpid(d->sim, NULL, 0);
  }
  d->sim = 0;
  d->sim_keep = d->sim_clock = -1;
}

/* "listening on http://127.0.0.1:PORT" */
static bool read_address(struct drive *d, int fd)
{
  char line[256] = "";
  size_t len = 0;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  ssize_t n = 1;
  while (n > 0 && !strchr(line, '\n') && len + 1 < sizeof line && poll(&p, 1, LIMIT_MS) > 0) {
    n = read(fd, line + len, sizeof line - 1 - len);
    len += n > 0 ? (size_t)n : 0;
    line[len] = '\0';
  }
  char *at = strstr(line, "http://");
  if (at) {
    at[strcspn(at, " \r\n")] = '\0';
    snprintf(d->url, sizeof d->url, "%s", at);
    d->port = (int)strtol(strrchr(at, ':') + 1, NULL, 10);
  }
  return at != NULL;
}

bool world_start_sim(struct drive *d, const char *text, bool test_clock)
{
  enum { KEEP_FD = 3, CLOCK_FD = 4 };
  int keep[2] = {-1, -1}, said[2] = {-1, -1}, tick[2] = {-1, -1};
  char *path = xasprintf("%s/gluesim", build_dir());
  char *args = test_clock ? xasprintf("--port 0 --parent-fd 3 --test-fd 4 --now %s %s", d->now, text)
                          : xasprintf("--port 0 --parent-fd 3 %s", text);
  char **words = words_of(d, path, args);
  stop_sim(d);
  bool good = pipe(keep) == 0 && pipe(said) == 0 && pipe(tick) == 0;
  if (good) {
    fcntl(keep[1], F_SETFD, FD_CLOEXEC);
    fcntl(said[0], F_SETFD, FD_CLOEXEC);
    fcntl(tick[1], F_SETFD, FD_CLOEXEC);
    d->sim = fork();
    if (d->sim == 0) {
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, NULL);
      /* above all numbers that are about to be given */
      int k = fcntl(keep[0], F_DUPFD, 20), t = fcntl(tick[0], F_DUPFD, 20), s = fcntl(said[1], F_DUPFD, 20);
      dup2(s, STDOUT_FILENO);
      dup2(k, KEEP_FD);
      dup2(t, CLOCK_FD);
      for (int fd = CLOCK_FD + 1; fd < 64; fd++) {
        close(fd);
      }
      execv(path, words);
      _exit(127);
    }
    close(keep[0]);
    close(said[1]);
    close(tick[0]);
    d->sim_keep = keep[1];
    d->sim_clock = tick[1];
    good = read_address(d, said[0]);
    close(said[0]);
  }
  words_free(words);
  free(args);
  free(path);
  return good || failed(d, "gluesim did not start");
}

void world_advance_sim(struct drive *d, long long ms)
{
  char body[32];
  if (d->sim > 0 && d->sim_clock >= 0) {
    snprintf(body, sizeof body, "%lld", ms);
    free(world_ask_sim(d, "POST", "/_sim/advance", body));
  }
}

bool world_start_program(struct drive *d, const char *text, bool test_clock)
{
  char *path = xasprintf("%s/gluetop", build_dir());
  char **words = words_of(d, path, text);
  struct vt_options o = {
      .rows = d->rows,
      .cols = d->cols,
      .argv = words,
      .envp = d->env,
      .folder = d->home,
      .test_fd = test_clock,
      .test_now = d->now,
  };
  vt_free(d->vt);
  d->vt = vt_start(&o);
  d->keys = 0;
  d->ended = false;
  words_free(words);
  free(path);
  return d->vt || failed(d, "the program did not start: %s", strerror(errno));
}

char *world_ask_sim(struct drive *d, const char *method, const char *path, const char *body)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)d->port)};
  struct buf answer;
  char *out = NULL;
  char *request = xasprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                            method, path, strlen(body), body);
  buf_init(&answer, 4 << 20);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  bool good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
              send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request);
  struct pollfd p = {.fd = fd, .events = POLLIN};
  char bytes[4096];
  ssize_t n = 1;
  while (good && n > 0 && poll(&p, 1, LIMIT_MS) > 0) {
    n = read(fd, bytes, sizeof bytes);
    if (n > 0) {
      buf_add(&answer, bytes, (size_t)n);
    }
  }
  if (good && n == 0 && strncmp(answer.data, "HTTP/1.1 2", 10) == 0) {
    const char *after = strstr(answer.data, "\r\n\r\n");
    out = xstrdup(after ? after + 4 : "");
  }
  if (fd >= 0) {
    close(fd);
  }
  buf_fini(&answer);
  free(request);
  return out;
}

/* Processes whose parents ended become ours (subreaper), so that they can be waited for. */
static bool has_strangers(const struct drive *d, bool end_them)
{
  char path[64], text[4096] = "";
  bool found = false;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *f = fopen(path, "r");
  if (f) {
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
  }
  char *save = NULL;
  for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
    pid_t pid = (pid_t)strtol(w, NULL, 10);
    if (pid != d->sim && pid != vt_shell_pid(d->vt) && waitpid(pid, NULL, WNOHANG) == 0) {
      found = true;
      if (end_them) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
      }
    }
  }
  return found;
}

bool world_no_orphans(struct drive *d, int limit_ms)
{
  sigset_t child;
  struct timespec limit = {.tv_sec = limit_ms / 1000, .tv_nsec = limit_ms % 1000 * 1000000L};
  bool good = true;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD); /* blocked since the start: none is missed between look and wait */
  while (good && has_strangers(d, false)) {
    good = sigtimedwait(&child, NULL, &limit) == SIGCHLD;
  }
  return good;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void world_open(struct drive *d)
{
  vt_free(d->vt);
  d->vt = NULL;
  stop_sim(d);
  has_strangers(d, true);
  while (d->env_count > 0) {
    free(d->env[--d->env_count]);
  }
  if (d->home[0]) {
    nftw(d->home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  }
}
