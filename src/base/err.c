#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/xalloc.h"

/* Longest sentence: the service's own messages reach some kilobytes, and a screen shows less than this. */
#define ERR_SENTENCE_MAX ((size_t)64 * 1024)

static const char *const err_names[ERR_KIND_COUNT] = {
    [ERR_OK] = "ok",
    [ERR_USAGE] = "usage",
    [ERR_CONFIG] = "config",
    [ERR_CREDENTIALS] = "credentials",
    [ERR_EXPIRED] = "expired",
    [ERR_DENIED] = "denied",
    [ERR_NOT_FOUND] = "not found",
    [ERR_CONFLICT] = "conflict",
    [ERR_THROTTLED] = "throttled",
    [ERR_LIMIT] = "limit",
    [ERR_NETWORK] = "network",
    [ERR_TLS] = "tls",
    [ERR_TIMEOUT] = "timeout",
    [ERR_SERVER] = "server",
    [ERR_PARSE] = "parse",
    [ERR_TOO_BIG] = "too big",
    [ERR_CANCELLED] = "cancelled",
    [ERR_UNCERTAIN] = "uncertain",
    [ERR_SKEW] = "skew",
    [ERR_IO] = "io",
};

static struct err err_with(enum err_kind kind, char *message)
{
  if (kind == ERR_OK) {
    free(message);
    return err_ok();
  }
  struct err e = {.kind = kind, .detail = xcalloc(1, sizeof *e.detail)};
  e.detail->message = message;
  return e;
}

struct err err_new(enum err_kind kind, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *message = xvasprintf(format, args);
  va_end(args);
  return err_with(kind, message);
}

struct err err_errno(enum err_kind kind, const char *format, ...)
{
  int number = errno;
  va_list args;
  va_start(args, format);
  char *message = xvasprintf(format, args);
  va_end(args);
  char *whole = xasprintf("%s: %s", message, strerror(number));
  free(message);
  return err_with(kind, whole);
}

static void err_put(char **member, char *take)
{
  free(*member);
  *member = take;
}

void err_set_http(struct err *e, int status, const char *code, const char *request_id)
{
  if (e->detail == NULL)
    return;
  e->detail->http_status = status;
  if (code != NULL)
    err_put(&e->detail->code, xstrdup(code));
  if (request_id != NULL)
    err_put(&e->detail->request_id, xstrdup(request_id));
}

void err_set_what(struct err *e, const char *format, ...)
{
  if (e->detail == NULL || format == NULL)
    return;
  va_list args;
  va_start(args, format);
  err_put(&e->detail->what, xvasprintf(format, args));
  va_end(args);
}

void err_set_hint(struct err *e, const char *format, ...)
{
  if (e->detail == NULL || format == NULL)
    return;
  va_list args;
  va_start(args, format);
  err_put(&e->detail->hint, xvasprintf(format, args));
  va_end(args);
}

struct err err_copy(const struct err *e)
{
  struct err copy = {.kind = e->kind};
  if (e->detail != NULL) {
    copy.detail = xcalloc(1, sizeof *copy.detail);
    copy.detail->http_status = e->detail->http_status;
    copy.detail->code = xstrdup(e->detail->code);
    copy.detail->message = xstrdup(e->detail->message);
    copy.detail->request_id = xstrdup(e->detail->request_id);
    copy.detail->what = xstrdup(e->detail->what);
    copy.detail->hint = xstrdup(e->detail->hint);
  }
  return copy;
}

void err_fini(struct err *e)
{
  if (e->detail != NULL) {
    free(e->detail->code);
    free(e->detail->message);
    free(e->detail->request_id);
    free(e->detail->what);
    free(e->detail->hint);
    free(e->detail);
  }
  *e = err_ok();
}

const char *err_kind_name(enum err_kind kind)
{
  size_t index = (size_t)kind;
  return index < ERR_KIND_COUNT ? err_names[index] : "unknown";
}

const char *err_message(const struct err *e)
{
  return e->detail != NULL && e->detail->message != NULL ? e->detail->message : "";
}

/* One part of a sentence on one line: runs of white space become a blank. */
static void err_add_flat(struct buf *out, const char *text)
{
  bool blank = false;
  size_t start = out->len;
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
      blank = true;
      continue;
    }
    if (blank && out->len > start)
      buf_addc(out, ' ');
    blank = false;
    buf_addc(out, *p);
  }
}

char *err_sentence(const struct err *e)
{
  struct buf out;
  buf_init(&out, ERR_SENTENCE_MAX);
  const struct err_detail *d = e->detail;
  if (d != NULL) {
    if (d->what != NULL && d->what[0] != '\0') {
      err_add_flat(&out, d->what);
      buf_adds(&out, ": ");
    }
    if (d->message != NULL && d->message[0] != '\0')
      err_add_flat(&out, d->message);
    else
      buf_adds(&out, err_kind_name(e->kind));
    if (d->code != NULL && d->code[0] != '\0') {
      buf_adds(&out, " (");
      err_add_flat(&out, d->code);
      buf_addc(&out, ')');
    }
    if (d->hint != NULL && d->hint[0] != '\0') {
      /* A message that ends its own sentence gets no second full stop. */
      char last = out.len > 0 ? out.data[out.len - 1] : ' ';
      buf_adds(&out, last == '.' || last == '!' || last == '?' ? " " : ". ");
      err_add_flat(&out, d->hint);
    }
  }
  return buf_take(&out);
}
