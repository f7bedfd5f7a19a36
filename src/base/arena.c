#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* A block of a usual page answer's size: few mallocs for big decodes, little waste for small ones. */
#define ARENA_BLOCK_SIZE ((size_t)16 * 1024)
#define ARENA_ALIGN      (alignof(max_align_t))

struct arena_block {
  struct arena_block *next;
  size_t size; /* of bytes */
  size_t used;
  alignas(max_align_t) unsigned char bytes[];
};

void arena_init(struct arena *a)
{
  *a = (struct arena){.head = NULL};
}

static void arena_free_from(struct arena_block *block)
{
  while (block != NULL) {
    struct arena_block *next = block->next;
    free(block);
    block = next;
  }
}

void arena_fini(struct arena *a)
{
  arena_free_from(a->head);
  arena_init(a);
}

void arena_reset(struct arena *a)
{
  if (a->head != NULL) {
    arena_free_from(a->head->next);
    a->head->next = NULL;
    a->head->used = 0;
  }
  a->used = 0;
}

static struct arena_block *arena_block_new(size_t size)
{
  if (size > SIZE_MAX - sizeof(struct arena_block))
    size = SIZE_MAX - sizeof(struct arena_block);
  struct arena_block *block = xmalloc(sizeof *block + size);
  block->next = NULL;
  block->size = size;
  block->used = 0;
  return block;
}

void *arena_alloc(struct arena *a, size_t size)
{
  /* Sizes near SIZE_MAX are left unrounded: malloc refuses them and xmalloc ends the program. */
  size_t rounded = size <= SIZE_MAX - ARENA_ALIGN ? (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN : size;
  if (rounded == 0)
    rounded = ARENA_ALIGN;
  struct arena_block *block = a->head;
  if (block == NULL || block->size - block->used < rounded) {
    if (rounded > ARENA_BLOCK_SIZE / 2 && block != NULL) {
      /* A large piece gets its own block behind the head, so that the head's rest stays usable. */
      block = arena_block_new(rounded);
      block->next = a->head->next;
      a->head->next = block;
    } else {
      block = arena_block_new(rounded > ARENA_BLOCK_SIZE ? rounded : ARENA_BLOCK_SIZE);
      block->next = a->head;
      a->head = block;
    }
  }
  void *p = block->bytes + block->used;
  block->used += rounded;
  a->used += size;
  memset(p, 0, rounded);
  return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size)
    count = SIZE_MAX / size; /* cannot be had: arena_alloc ends the program */
  return arena_alloc(a, count * size);
}

char *arena_strdup(struct arena *a, const char *s)
{
  return s == NULL ? NULL : arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
  if (s == NULL)
    return NULL;
  size_t len = strnlen(s, n);
  char *copy = arena_alloc(a, len + 1);
  memcpy(copy, s, len);
  return copy;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int len = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = arena_alloc(a, len > 0 ? (size_t)len + 1 : 1);
  if (len > 0) {
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
  }
  return text;
}
