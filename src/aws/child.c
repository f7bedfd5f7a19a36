#include "aws/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "aws/transport.h"
#include "base/xalloc.h"

#define CHILD_OUT_MAX ((size_t)64 * 1024)
#define CHILD_ERR_MAX ((size_t)16 * 1024)
/* Descriptors above this are closed on exec anyway: all of ours are opened so. */
#define CHILD_FDS_MAX 1024

extern char **environ; /* NOLINT(readability-redundant-declaration): only GNU declares it */

const char *const child_no_keys[] = {"AWS_ACCESS_KEY_ID",
                                     "AWS_SECRET_ACCESS_KEY",
                                     "AWS_SESSION_TOKEN",
                                     "AWS_SECURITY_TOKEN",
                                     "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                                     NULL};

/* What the waiting child tells: a failed exec, or the end. */
struct child_news {
  int run_errno;
  int status;
};

/* ---- words ---- */

struct splitter {
  char **words;
  size_t count, cap;
  struct secret_text word;
  bool open; /* a word has begun, perhaps an empty one */
};

static void word_end(struct splitter *s)
{
  if (!s->open)
    return;
  s->words = xgrow(s->words, &s->cap, s->count + 2, sizeof *s->words);
  s->words[s->count++] = xstrndup(s->word.data != NULL ? s->word.data : "", s->word.len);
  s->words[s->count] = NULL;
  secret_text_fini(&s->word);
  s->open = false;
}

struct err child_words(const char *line, char ***out)
{
  *out = NULL;
  struct splitter s = {0};
  char quote = 0;
  for (const char *p = line; *p != '\0'; p++) {
    bool escapes = *p == '\\' && (quote == 0 || (quote == '"' && (p[1] == '"' || p[1] == '\\')));
    if (escapes && p[1] != '\0') {
      p++;
      secret_text_add(&s.word, p, 1);
      s.open = true;
    } else if (quote != 0 && *p == quote) {
      quote = 0;
    } else if (quote != 0) {
      secret_text_add(&s.word, p, 1);
    } else if (*p == '\'' || *p == '"') {
      quote = *p;
      s.open = true;
    } else if (strchr(" \t\r\n", *p) != NULL) {
      word_end(&s);
    } else {
      secret_text_add(&s.word, p, 1);
      s.open = true;
    }
  }
  word_end(&s);
  struct err e = err_ok();
  if (quote != 0)
    e = err_new(ERR_CONFIG, "a quote is not closed");
  else if (s.count == 0 || s.words[0][0] == '\0')
    e = err_new(ERR_CONFIG, "there is no command");
  if (err_is(&e))
    child_words_free(s.words);
  else
    *out = s.words;
  secret_text_fini(&s.word);
  return e;
}

void child_words_free(char **words)
{
  for (char **w = words; w != NULL && *w != NULL; w++) {
    secret_wipe(*w, strlen(*w));
    free(*w);
  }
  free(words);
}

/* ---- the child ---- */

void child_init(struct child *c)
{
  *c = (struct child){.out_fd = -1, .err_fd = -1, .end_fd = -1};
}

static void close_fd(int *fd)
{
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

static bool make_pipe(int ends[2])
{
  if (pipe(ends) != 0) {
    ends[0] = ends[1] = -1;
    return false;
  }
  bool ok = true;
  for (int i = 0; i < 2; i++)
    ok = fcntl(ends[i], F_SETFD, FD_CLOEXEC) == 0 && ok;
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && ok;
}

/* Where the command is: looked up before the fork, since little may be done after it. NULL: nowhere. */
static char *find_program(const char *name)
{
  if (strchr(name, '/') != NULL)
    return xstrdup(name);
  const char *path = getenv("PATH");
  for (const char *p = path != NULL ? path : "/usr/local/bin:/usr/bin:/bin"; p != NULL;) {
    const char *end = strchr(p, ':');
    size_t len = end != NULL ? (size_t)(end - p) : strlen(p);
    char *full = xasprintf("%.*s%s%s", (int)len, p, len > 0 ? "/" : "./", name);
    if (access(full, X_OK) == 0)
      return full;
    free(full);
    p = end != NULL ? end + 1 : NULL;
  }
  return NULL;
}

static bool is_left_out(const char *variable, const char *const *without)
{
  for (; *without != NULL; without++) {
    size_t len = strlen(*without);
    if (strncmp(variable, *without, len) == 0 && variable[len] == '=')
      return true;
  }
  return false;
}

static char **environment_without(const char *const *without)
{
  size_t count = 0;
  while (environ[count] != NULL)
    count++;
  char **out = xcalloc(count + 1, sizeof *out);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_left_out(environ[i], without))
      out[kept++] = environ[i];
  }
  return out;
}

/* From here to the exec only what is safe after a fork of a program with threads (libcurl resolves names in one). */
static void run_program(const char *program, char *const *words, char **environment, int in_fd, int out_fd, int err_fd,
                        int end_fd)
{
  for (int number = 1; number < 32; number++)
    (void)signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(in_fd, STDIN_FILENO) >= 0 && dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0) {
    for (int fd = STDERR_FILENO + 1; fd < CHILD_FDS_MAX; fd++) {
      if (fd != end_fd)
        close(fd);
    }
    execve(program, words, environment);
  }
  struct child_news news = {.run_errno = errno, .status = 127};
  ssize_t ignored = write(end_fd, &news, sizeof news);
  (void)ignored;
  _exit(127);
}

static int child_ended_fd = -1;

static void child_ended(int number)
{
  (void)number;
  int saved = errno;
  ssize_t ignored = write(child_ended_fd, "", 1);
  (void)ignored;
  errno = saved;
}

/* The one that waits. Holds none of the program's pipes, so that their ends are the program's. Should nobody be left to read how it ended, since
 * gluetop itself was killed, it ends the program and what that has started: all of them are of its session. */
static void wait_for_program(pid_t program, int end_fd)
{
  int wake[2];
  for (int fd = 0; fd < CHILD_FDS_MAX; fd++) {
    if (fd != end_fd)
      close(fd);
  }
  if (pipe(wake) != 0)
    _exit(127);
  child_ended_fd = wake[1];
  struct sigaction action = {.sa_handler = child_ended};
  sigaction(SIGCHLD, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int status = 0;
  while (waitpid(program, &status, WNOHANG) == 0) {
    struct pollfd wait[] = {{.fd = wake[0], .events = POLLIN}, {.fd = end_fd}}; /* POLLERR is told unasked */
    if (poll(wait, 2, -1) > 0 && (wait[1].revents & (POLLERR | POLLHUP)) != 0)
      kill(0, SIGKILL);
  }
  struct child_news news = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  ssize_t ignored = write(end_fd, &news, sizeof news);
  (void)ignored;
  _exit(0);
}

/* A descriptor to read the input from, and its end behind it; -1 and errno: it does not fit, or there is no pipe. */
static int input_fd(const char *input, size_t len)
{
  if (input == NULL)
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  bool ok = fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
            fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0;
  size_t at = 0;
  while (ok && at < len) {
    ssize_t n = write(ends[1], input + at, len - at);
    if (n < 0 && errno == EINTR)
      continue;
    ok = n > 0;
    at += ok ? (size_t)n : 0;
  }
  int saved = errno;
  close(ends[1]);
  if (!ok)
    close_fd(&ends[0]);
  errno = saved;
  return ends[0];
}

struct err child_start(struct child *c, char *const *words, const char *const *without)
{
  return child_start_fed(c, words, without, NULL, 0);
}

struct err child_start_fed(struct child *c, char *const *words, const char *const *without, const char *input,
                           size_t len)
{
  struct err e = err_ok();
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  int end[2] = {-1, -1};
  int in_fd = -1;
  char **environment = NULL;
  pid_t pid = -1;
  char *program = find_program(words[0]);
  if (program == NULL) {
    e = err_new(ERR_CREDENTIALS, "there is no program %s in PATH", words[0]);
    goto out;
  }
  in_fd = input_fd(input, len);
  if (in_fd < 0 || !make_pipe(out) || !make_pipe(err) || !make_pipe(end)) {
    e = err_errno(ERR_IO, "no pipes for %s", words[0]);
    goto out;
  }
  environment = environment_without(without);
  pid = fork();
  if (pid < 0) {
    e = err_errno(ERR_IO, "cannot start %s", words[0]);
  } else if (pid == 0) {
    setsid();
    /* Only the program may end by a signal from our terminal's window; the one that waits is told by it. */
    pid_t inner = fork();
    if (inner == 0)
      run_program(program, words, environment, in_fd, out[1], err[1], end[1]);
    if (inner < 0)
      _exit(127);
    wait_for_program(inner, end[1]);
  } else {
    c->pid = pid;
    c->out_fd = out[0];
    c->err_fd = err[0];
    c->end_fd = end[0];
    out[0] = err[0] = end[0] = -1;
  }
out:
  for (int i = 0; i < 2; i++) {
    close_fd(&out[i]);
    close_fd(&err[i]);
    close_fd(&end[i]);
  }
  close_fd(&in_fd);
  free(environment);
  free(program);
  return e;
}

/* Read all that is there; closes at the end. */
static void drain(int *fd, struct secret_text *into, size_t max, bool *too_long)
{
  char chunk[4096];
  while (*fd >= 0) {
    ssize_t n = read(*fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      break;
    if (n <= 0) {
      close_fd(fd);
    } else if (into->len + (size_t)n <= max) {
      secret_text_add(into, chunk, (size_t)n);
    } else if (too_long != NULL) {
      *too_long = true;
    }
  }
  secret_wipe(chunk, sizeof chunk);
}

static void child_reap(struct child *c)
{
  while (c->pid > 0 && waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  c->pid = 0;
}

void child_turn(struct child *c)
{
  if (c->pid == 0 || c->ended)
    return;
  struct child_news news = {.status = 128};
  /* First the end, then the output: what was written before the end is in the pipes by now. */
  ssize_t n;
  do
    n = read(c->end_fd, &news, sizeof news);
  while (n < 0 && errno == EINTR);
  bool running = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  drain(&c->out_fd, &c->out, CHILD_OUT_MAX, &c->out_too_long);
  drain(&c->err_fd, &c->err, CHILD_ERR_MAX, NULL);
  if (running)
    return;
  c->status = news.status;
  c->run_errno = n == (ssize_t)sizeof news ? news.run_errno : 0;
  c->ended = true;
  close_fd(&c->out_fd);
  close_fd(&c->err_fd);
  close_fd(&c->end_fd);
  child_reap(c);
}

unsigned child_fds(const struct child *c, struct transport_fd *out, unsigned max)
{
  const int fds[] = {c->end_fd, c->out_fd, c->err_fd};
  unsigned count = 0;
  for (size_t i = 0; i < sizeof fds / sizeof *fds && count < max; i++) {
    if (fds[i] >= 0)
      out[count++] = (struct transport_fd){.fd = fds[i], .events = POLLIN};
  }
  return count;
}

void child_stop(struct child *c)
{
  if (c->pid > 0) {
    /* The session's group: the program, what it started, and the one that waits. */
    if (kill(-c->pid, SIGKILL) != 0)
      (void)kill(c->pid, SIGKILL);
    child_reap(c);
  }
  close_fd(&c->out_fd);
  close_fd(&c->err_fd);
  close_fd(&c->end_fd);
  secret_text_fini(&c->out);
  secret_text_fini(&c->err);
  child_init(c);
}
