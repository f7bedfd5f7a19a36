#include "base/xalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Never returns. Says nothing that would need memory. */
static _Noreturn void xalloc_fail(void)
{
  fputs("gluetop: out of memory\n", stderr);
  abort();
}

void *xmalloc(size_t size)
{
  void *p = malloc(size > 0 ? size : 1);
  if (p == NULL)
    xalloc_fail();
  return p;
}

void *xcalloc(size_t count, size_t size)
{
  void *p = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (p == NULL)
    xalloc_fail();
  return p;
}

void *xrealloc(void *p, size_t size)
{
  void *q = realloc(p, size > 0 ? size : 1);
  if (q == NULL)
    xalloc_fail();
  return q;
}

void *xreallocarray(void *p, size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size)
    xalloc_fail();
  return xrealloc(p, count * size);
}

char *xstrdup(const char *s)
{
  return s == NULL ? NULL : xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
  if (s == NULL)
    return NULL;
  size_t len = strnlen(s, n);
  char *copy = xmalloc(len + 1);
  memcpy(copy, s, len);
  copy[len] = '\0';
  return copy;
}

char *xvasprintf(const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  /* Only a text beyond INT_MAX or a wide character that cannot be converted gets here; neither is a caller's mistake
   * worth ending the program for. */
  char *text = xcalloc(len > 0 ? (size_t)len + 1 : 1, 1);
  if (len > 0)
    vsnprintf(text, (size_t)len + 1, format, again);
  va_end(again);
  return text;
}

char *xasprintf(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = xvasprintf(format, args);
  va_end(args);
  return text;
}

void *xgrow(void *items, size_t *cap, size_t need, size_t item_size)
{
  if (need <= *cap)
    return items;
  size_t wanted = *cap > 0 ? *cap : 8;
  while (wanted < need)
    wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
  items = xreallocarray(items, wanted, item_size);
  *cap = wanted;
  return items;
}

#define PIECE (2 * 1024 * 1024)

void xalloc_tune(void)
{
#ifdef __GLIBC__
  mallopt(M_TOP_PAD, PIECE);
#endif
}

void xalloc_trim(void)
{
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
