/* Bounded byte builder. Always NUL-terminated behind len. A write that would pass max is refused whole: it returns
 * false, sets `overflow`, and the contents stay as they were before that write. Look at `overflow` once at the end. */
#ifndef GLUETOP_BASE_BUF_H
#define GLUETOP_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
  char *data; /* "" until the first write; never NULL after buf_init */
  size_t len;
  size_t cap;
  size_t max; /* hard limit for len */
  bool overflow;
};

void buf_init(struct buf *b, size_t max);
void buf_fini(struct buf *b);
void buf_reset(struct buf *b); /* len 0, overflow cleared, memory kept */
bool buf_add(struct buf *b, const void *data, size_t len);
bool buf_addc(struct buf *b, char c);
bool buf_adds(struct buf *b, const char *s);
bool buf_addf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool buf_vaddf(struct buf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void buf_drop(struct buf *b, size_t from_front); /* remove bytes from the front */
/* The bytes as a malloced string; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#endif
