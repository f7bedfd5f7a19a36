#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/when.h"
#include "base/xalloc.h"

/* Longest line: what is longer is cut, and says so. */
#define LOG_LINE_MAX ((size_t)16 * 1024)

static struct {
  int fd; /* valid when open */
  bool open;
  bool owned; /* to be closed */
  enum log_level level;
} log_state;

struct err log_open(const char *path, enum log_level level)
{
  log_close();
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
  if (fd < 0)
    return err_errno(ERR_IO, "cannot open the log file %s", path);
  struct stat st;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
    (void)fchmod(fd, 0600); /* a file of somebody else's stays as it is */
  log_state.fd = fd;
  log_state.open = true;
  log_state.owned = true;
  log_state.level = level;
  return err_ok();
}

void log_to_stderr(enum log_level level)
{
  log_close();
  log_state.fd = STDERR_FILENO;
  log_state.open = true;
  log_state.owned = false;
  log_state.level = level;
}

void log_close(void)
{
  if (log_state.open && log_state.owned)
    close(log_state.fd);
  log_state.open = false;
}

bool log_enabled(enum log_level level)
{
  return log_state.open && level <= log_state.level;
}

static const char *log_level_name(enum log_level level)
{
  switch (level) {
  case LOG_ERROR:
    return "error";
  case LOG_WARN:
    return "warn ";
  case LOG_INFO:
    return "info ";
  case LOG_DEBUG:
    return "debug";
  }
  return "?    ";
}

void log_write(enum log_level level, const char *format, ...)
{
  if (!log_enabled(level))
    return;
  int saved = errno; /* a log line must not change what its caller is about to report */
  va_list args;
  va_start(args, format);
  char *message = xvasprintf(format, args);
  va_end(args);

  struct clock wall;
  char stamp[WHEN_TEXT_MAX];
  clock_init_real(&wall);
  struct buf line;
  buf_init(&line, LOG_LINE_MAX);
  buf_addf(&line, "%s %s ", when_format_iso(clock_wall_ms(&wall), stamp), log_level_name(level));
  struct buf text;
  buf_init(&text, LOG_LINE_MAX - line.len - sizeof " [cut]\n");
  text_clean(&text, message, strlen(message), TEXT_LINE);
  buf_add(&line, text.data, text.len);
  buf_adds(&line, text.overflow ? " [cut]\n" : "\n");

  /* One write a line, so that lines of two processes do not mix. A full disk is not worth more than a lost line. */
  ssize_t written = 0;
  do {
    written = write(log_state.fd, line.data, line.len);
  } while (written < 0 && errno == EINTR);
  buf_fini(&text);
  buf_fini(&line);
  free(message);
  errno = saved;
}
