/* Allocation that cannot fail: out of memory ends the program with a message (the terminal is restored by the
 * abort handler). Chosen because no caller of a dashboard can do better, and because unreachable error paths rot. */
#ifndef GLUETOP_BASE_XALLOC_H
#define GLUETOP_BASE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
/* realloc of count elements of size bytes, with the multiplication checked */
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s); /* NULL in, NULL out */
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
/* Make room for at least need elements in *items (capacity in *cap, doubles). */
void *xgrow(void *items, size_t *cap, size_t need, size_t item_size);
/* Ask the system for memory in larger pieces: many small things are made before the first frame. Once, at the start. */
void xalloc_tune(void);
/* Give back to the system what was freed; after something large was let go. Does nothing where the C library cannot. */
void xalloc_trim(void);

#endif
