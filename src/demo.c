#include "demo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"

enum { START_LIMIT_MS = 10000, LINE_MAX_BYTES = 512 };

/* gluesim of the same build or installation stands beside gluetop. */
static char *find_gluesim(const char *argv0)
{
  char self[4096];
  char *path = NULL;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    self[n] = '\0';
  } else {
    snprintf(self, sizeof self, "%s", argv0);
  }
  char *slash = strrchr(self, '/');
  if (slash) {
    slash[1] = '\0';
    path = xasprintf("%sgluesim", self);
    if (access(path, X_OK) != 0) {
      free(path);
      path = NULL;
    }
  }
  return path ? path : xstrdup("gluesim");
}

/* In the child, between fork and exec: only async-signal-safe calls. */
static void become_gluesim(const char *path, int keep, int said)
{
  int null = open("/dev/null", O_RDWR);
  setsid(); /* Ctrl-C at the terminal is ours to handle */
  dup2(null, 0);
  dup2(said, 1);
  dup2(null, 2);
  dup2(keep, 3);
  for (int fd = 4; fd < 256; fd++) {
    close(fd);
  }
  execlp(path, "gluesim", "--port", "0", "--parent-fd", "3", "--account", "demo", (char *)NULL);
  _exit(127);
}

/* The first line of gluesim's standard output: "listening on http://127.0.0.1:PORT". */
static struct err read_address(int fd, struct demo *out)
{
  struct err e = err_ok();
  char line[LINE_MAX_BYTES];
  size_t len = 0;
  bool whole = false;
  while (!whole && !err_is(&e)) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = poll(&p, 1, START_LIMIT_MS);
    ssize_t n = ready > 0 ? read(fd, line + len, sizeof line - 1 - len) : -1;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0 || len + (size_t)n >= sizeof line - 1) {
      e = err_new(ERR_IO, "the demo account did not start: gluesim gave no address");
      err_set_hint(&e, "gluesim must stand beside gluetop or on PATH; run it by hand to see what it says");
    } else {
      len += (size_t)n;
      line[len] = '\0';
      whole = strchr(line, '\n') != NULL;
    }
  }
  char *at = whole ? strstr(line, "http://") : NULL;
  if (whole && !at) {
    e = err_new(ERR_IO, "the demo account did not start: gluesim said something else than its address");
  }
  if (at) {
    at[strcspn(at, " \r\n")] = '\0';
    snprintf(out->url, sizeof out->url, "%s", at);
  }
  return e;
}

/* The demo reads none of the person's AWS settings and sends none of the person's keys anywhere. */
static void set_environment(void)
{
  static const char *const unset[] = {
      "AWS_PROFILE",        "AWS_DEFAULT_PROFILE",
      "AWS_SESSION_TOKEN",  "AWS_SECURITY_TOKEN",
      "AWS_ENDPOINT_URL",   "AWS_ENDPOINT_URL_GLUE",
      "AWS_CA_BUNDLE",      "AWS_ENDPOINT_URL_STS",
      "AWS_ROLE_ARN",       "AWS_USE_FIPS_ENDPOINT",
      "AWS_REGION",         "AWS_USE_DUALSTACK_ENDPOINT",
      "AWS_DEFAULT_REGION", "AWS_CREDENTIAL_EXPIRATION",
      "AWS_ACCOUNT_ID",     "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
      "HTTP_PROXY",         "http_proxy",
      "ALL_PROXY",          "all_proxy",
  };
  for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
    unsetenv(unset[i]);
  }
  setenv("AWS_CONFIG_FILE", "/dev/null", 1);
  setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
  setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
  /* gluesim's standard pair (sim/sim.h); it opens nothing else. */
  setenv("AWS_ACCESS_KEY_ID", "AKIAGLUESIMDEMO00001", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "gluesim/demo/secret/opens/nothing/else00", 1);
  setenv("AWS_REGION", "eu-west-1", 1);
}

struct err demo_start(const char *argv0, struct demo *out)
{
  int keep[2] = {-1, -1}, said[2] = {-1, -1};
  char *path = find_gluesim(argv0);
  struct err e = err_ok();
  *out = (struct demo){.keep_fd = -1, .pid = -1};
  if (pipe(keep) != 0 || pipe(said) != 0) {
    e = err_errno(ERR_IO, "cannot make a pipe for the demo account");
  } else {
    fcntl(keep[1], F_SETFD, FD_CLOEXEC);
    fcntl(said[0], F_SETFD, FD_CLOEXEC);
    set_environment();
    out->pid = fork();
    if (out->pid == 0) {
      become_gluesim(path, keep[0], said[1]);
    } else if (out->pid < 0) {
      e = err_errno(ERR_IO, "cannot start the demo account");
    } else {
      out->keep_fd = keep[1];
      keep[1] = -1;
      close(said[1]);
      said[1] = -1;
      e = read_address(said[0], out);
    }
  }
  for (int i = 0; i < 2; i++) {
    if (keep[i] >= 0) {
      close(keep[i]);
    }
    if (said[i] >= 0) {
      close(said[i]);
    }
  }
  if (err_is(&e)) {
    demo_stop(out);
  }
  free(path);
  return e;
}

void demo_stop(struct demo *d)
{
  if (d->keep_fd >= 0) {
    close(d->keep_fd);
    d->keep_fd = -1;
  }
  if (d->pid > 0) {
    kill(d->pid, SIGKILL); /* it keeps nothing, and a wedged one must not hold up the way out */
    waitpid(d->pid, NULL, 0);
    d->pid = -1;
  }
}
