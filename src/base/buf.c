#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* What data points at before the first write: shared by all buffers, never written (cap 0 says so). */
static char buf_nothing[1];

void buf_init(struct buf *b, size_t max)
{
  *b = (struct buf){.data = buf_nothing, .max = max < SIZE_MAX / 4 ? max : SIZE_MAX / 4};
}

void buf_fini(struct buf *b)
{
  if (b->cap > 0)
    free(b->data);
  buf_init(b, b->max);
}

void buf_reset(struct buf *b)
{
  b->len = 0;
  b->overflow = false;
  if (b->cap > 0)
    b->data[0] = '\0';
}

/* Room for len more bytes and the NUL; false (and overflow) when that would pass max. */
static bool buf_reserve(struct buf *b, size_t len)
{
  if (len > b->max - b->len) {
    b->overflow = true;
    return false;
  }
  size_t need = b->len + len + 1;
  if (need <= b->cap)
    return true;
  size_t cap = b->cap > 0 ? b->cap : 64;
  while (cap < need)
    cap *= 2;
  if (cap > b->max + 1)
    cap = b->max + 1;
  b->data = xrealloc(b->cap > 0 ? b->data : NULL, cap);
  b->cap = cap;
  return true;
}

bool buf_add(struct buf *b, const void *data, size_t len)
{
  if (!buf_reserve(b, len))
    return false;
  if (len > 0)
    memcpy(b->data + b->len, data, len);
  b->len += len;
  b->data[b->len] = '\0';
  return true;
}

bool buf_addc(struct buf *b, char c)
{
  return buf_add(b, &c, 1);
}

bool buf_adds(struct buf *b, const char *s)
{
  return s == NULL || buf_add(b, s, strlen(s));
}

bool buf_vaddf(struct buf *b, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  bool ok = false;
  int len = vsnprintf(NULL, 0, format, args);
  if (len < 0) {
    b->overflow = true;
  } else if (buf_reserve(b, (size_t)len)) {
    vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
    b->len += (size_t)len;
    ok = true;
  }
  va_end(again);
  return ok;
}

bool buf_addf(struct buf *b, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  bool ok = buf_vaddf(b, format, args);
  va_end(args);
  return ok;
}

void buf_drop(struct buf *b, size_t from_front)
{
  if (from_front >= b->len) {
    b->len = 0;
  } else if (from_front > 0) {
    memmove(b->data, b->data + from_front, b->len - from_front);
    b->len -= from_front;
  }
  if (b->cap > 0)
    b->data[b->len] = '\0';
}

char *buf_take(struct buf *b)
{
  char *taken = b->cap > 0 ? b->data : xstrdup("");
  buf_init(b, b->max);
  return taken;
}
