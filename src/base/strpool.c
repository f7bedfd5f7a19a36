#include "base/strpool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* Texts lie end to end, NUL-terminated, in blocks that never move. A number leads to its text through one pointer; an
 * open-addressing table of numbers, at most three quarters full, leads from a text to its number. That is the text plus
 * some 17 bytes a string, and no malloc of its own. */
#define STRPOOL_BLOCK_SIZE  ((size_t)64 * 1024)
#define STRPOOL_FIRST_SLOTS ((size_t)256)

struct strpool_block {
  struct strpool_block *next;
  size_t size;
  size_t used;
  char bytes[];
};

struct strpool_entry {
  const char *text;
  uint32_t len; /* so that texts with NULs inside compare whole */
  uint32_t hash;
};

struct strpool {
  struct strpool_block *head;
  struct strpool_entry *entries; /* index 0 unused */
  size_t count;                  /* numbers given out */
  size_t entries_cap;
  strid *slots; /* 0 is empty */
  size_t slot_count;
  size_t block_bytes;
};

struct strpool *strpool_new(void)
{
  struct strpool *p = xcalloc(1, sizeof *p);
  p->slot_count = STRPOOL_FIRST_SLOTS;
  p->slots = xcalloc(p->slot_count, sizeof *p->slots);
  return p;
}

void strpool_free(struct strpool *p)
{
  if (p == NULL)
    return;
  while (p->head != NULL) {
    struct strpool_block *next = p->head->next;
    free(p->head);
    p->head = next;
  }
  free(p->entries);
  free(p->slots);
  free(p);
}

/* Eight bytes at a time: thousands of error texts come from the store before the first frame. */
static uint32_t strpool_hash(const char *s, size_t n)
{
  uint64_t h = (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
  while (n > 0) {
    uint64_t word = 0;
    size_t take = n < sizeof word ? n : sizeof word;
    memcpy(&word, s, take);
    h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
    h ^= h >> 32;
    s += take;
    n -= take;
  }
  return (uint32_t)(h ^ h >> 29);
}

/* The slot that holds the text, or the empty one where it belongs. */
static size_t strpool_slot(const struct strpool *p, const char *s, size_t n, uint32_t hash)
{
  size_t i = hash & (p->slot_count - 1);
  while (p->slots[i] != 0) {
    const struct strpool_entry *e = &p->entries[p->slots[i]];
    if (e->hash == hash && e->len == n && memcmp(e->text, s, n) == 0)
      break;
    i = (i + 1) & (p->slot_count - 1);
  }
  return i;
}

static void strpool_grow_slots(struct strpool *p, size_t slot_count)
{
  free(p->slots);
  p->slot_count = slot_count;
  p->slots = xcalloc(p->slot_count, sizeof *p->slots);
  for (size_t id = 1; id <= p->count; id++) {
    size_t i = p->entries[id].hash & (p->slot_count - 1);
    while (p->slots[i] != 0)
      i = (i + 1) & (p->slot_count - 1);
    p->slots[i] = (strid)id;
  }
}

void strpool_expect(struct strpool *p, size_t count)
{
  size_t slots = p->slot_count;
  while ((p->count + count + 1) * 4 > slots * 3)
    slots *= 2;
  if (slots > p->slot_count)
    strpool_grow_slots(p, slots);
  if (p->count + count + 2 > p->entries_cap) {
    p->entries_cap = p->count + count + 2;
    p->entries = xreallocarray(p->entries, p->entries_cap, sizeof *p->entries);
  }
}

static const char *strpool_store(struct strpool *p, const char *s, size_t n)
{
  size_t need = n + 1;
  struct strpool_block *block = p->head;
  if (block == NULL || block->size - block->used < need) {
    bool large = need > STRPOOL_BLOCK_SIZE / 4;
    size_t size = large ? need : STRPOOL_BLOCK_SIZE;
    block = xmalloc(sizeof *block + size);
    block->size = size;
    block->used = 0;
    p->block_bytes += sizeof *block + size;
    if (large && p->head != NULL) {
      block->next = p->head->next; /* behind the head, whose rest stays usable */
      p->head->next = block;
    } else {
      block->next = p->head;
      p->head = block;
    }
  }
  char *text = block->bytes + block->used;
  memcpy(text, s, n);
  text[n] = '\0';
  block->used += need;
  return text;
}

strid strpool_put_n(struct strpool *p, const char *s, size_t n)
{
  if (s == NULL)
    return 0;
  /* Four thousand million strings, or one of 4 GB, are out of memory for all purposes of this program. */
  if (n > UINT32_MAX - 1 || p->count >= UINT32_MAX - 1)
    abort();
  uint32_t hash = strpool_hash(s, n);
  size_t slot = strpool_slot(p, s, n, hash);
  if (p->slots[slot] != 0)
    return p->slots[slot];
  if ((p->count + 1) * 4 > p->slot_count * 3) {
    strpool_grow_slots(p, p->slot_count * 2);
    slot = strpool_slot(p, s, n, hash);
  }
  p->entries = xgrow(p->entries, &p->entries_cap, p->count + 2, sizeof *p->entries);
  p->count++;
  p->entries[p->count] = (struct strpool_entry){.text = strpool_store(p, s, n), .len = (uint32_t)n, .hash = hash};
  p->slots[slot] = (strid)p->count;
  return (strid)p->count;
}

strid strpool_put(struct strpool *p, const char *s)
{
  return s == NULL ? 0 : strpool_put_n(p, s, strlen(s));
}

strid strpool_find(const struct strpool *p, const char *s)
{
  if (s == NULL)
    return 0;
  size_t n = strlen(s);
  return p->slots[strpool_slot(p, s, n, strpool_hash(s, n))];
}

const char *strpool_get(const struct strpool *p, strid id)
{
  return id == 0 || id > p->count ? NULL : p->entries[id].text;
}

size_t strpool_count(const struct strpool *p)
{
  return p->count;
}

size_t strpool_bytes(const struct strpool *p)
{
  return sizeof *p + p->block_bytes + p->entries_cap * sizeof *p->entries + p->slot_count * sizeof *p->slots;
}
