/* Memory that is given back all at once. Everything allocated stays valid until arena_reset or arena_fini. */
#ifndef GLUETOP_BASE_ARENA_H
#define GLUETOP_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
  struct arena_block *head;
  size_t used; /* bytes handed out in all, for limits and tests */
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void arena_reset(struct arena *a);               /* everything invalid, one block kept for reuse */
void *arena_alloc(struct arena *a, size_t size); /* zeroed, aligned for any type */
void *arena_array(struct arena *a, size_t count, size_t size);
char *arena_strdup(struct arena *a, const char *s); /* NULL in, NULL out */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
