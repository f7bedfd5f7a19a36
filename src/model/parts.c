#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void parts_init(struct parts *p, size_t size, void (*empty)(void *), void (*free_part)(void *))
{
  *p = (struct parts){.size = size, .empty = empty, .free_part = free_part};
}

void *parts_at(const struct parts *p, size_t place, size_t job)
{
  return p->places[place].jobs + job * p->size;
}

void parts_clear_place(struct parts *p, int place)
{
  if (place < 0 || (size_t)place >= p->place_count)
    return;
  struct parts_place *known = &p->places[place];
  for (size_t i = 0; p->free_part != NULL && i < known->count; i++)
    p->free_part(parts_at(p, (size_t)place, i));
  free(known->jobs);
  *known = (struct parts_place){0};
}

void parts_fini(struct parts *p)
{
  for (size_t i = 0; i < p->place_count; i++)
    parts_clear_place(p, (int)i);
  free(p->places);
  p->places = NULL;
  p->place_count = 0;
}

void parts_empty(struct parts *p)
{
  for (size_t i = 0; i < p->place_count; i++)
    for (size_t j = 0; p->empty != NULL && j < p->places[i].count; j++)
      p->empty(parts_at(p, i, j));
}

void *parts_get(struct parts *p, const struct model *m, int place, size_t job)
{
  if ((size_t)place >= p->place_count) {
    p->places = xreallocarray(p->places, m->place_count, sizeof *p->places);
    memset(&p->places[p->place_count], 0, (m->place_count - p->place_count) * sizeof *p->places);
    p->place_count = m->place_count;
  }
  struct parts_place *known = &p->places[place];
  if (job >= known->count) {
    size_t had = known->count, count = m->places[place].job_count;
    known->jobs = xreallocarray(known->jobs, count, p->size);
    memset(known->jobs + had * p->size, 0, (count - had) * p->size);
    known->count = count;
    for (size_t i = had; p->empty != NULL && i < count; i++)
      p->empty(parts_at(p, (size_t)place, i));
  }
  return parts_at(p, (size_t)place, job);
}
