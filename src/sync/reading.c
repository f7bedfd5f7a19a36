#include "sync/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

static uint64_t token_hash(const char *token)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (const char *s = token; *s != '\0'; s++)
    h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
  return h;
}

void reading_end(struct reading *r)
{
  free(r->token);
  free(r->seen);
  *r = (struct reading){0};
}

void reading_begin(struct reading *r, int64_t wall_ms)
{
  reading_end(r);
  r->active = true;
  r->began_wall_ms = wall_ms;
  r->newest_ms = r->last_oldest_ms = r->known_newest_ms = r->known_from_ms = WHEN_NONE;
}

bool reading_go_on(struct reading *r, const char *token)
{
  uint64_t hash = token_hash(token);
  for (size_t i = 0; i < r->seen_count; i++)
    if (r->seen[i] == hash)
      return false;
  r->seen = xgrow(r->seen, &r->seen_cap, r->seen_count + 1, sizeof *r->seen);
  r->seen[r->seen_count++] = hash;
  free(r->token);
  r->token = xstrdup(token);
  return true;
}

void resource_init(struct resource *r)
{
  *r = (struct resource){.due_mono_ms = INT64_MIN, .read_mono_ms = INT64_MIN, .asked_mono_ms = INT64_MIN};
}

void resource_fini(struct resource *r)
{
  reading_end(&r->reading);
}

void resource_again(struct resource *r)
{
  r->answered = false;
  r->failed = false;
  r->cut = false;
  r->failures = 0;
  r->due_mono_ms = INT64_MIN;
}
