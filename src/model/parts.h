/* What a board has counted of each job: one part a job, by place and by the job's index, of whatever the board keeps. */
#ifndef GLUETOP_MODEL_PARTS_H
#define GLUETOP_MODEL_PARTS_H

#include <stddef.h>
#include "model/model.h"

struct parts_place {
  char *jobs; /* count parts one after the other */
  size_t count;
};
struct parts {
  size_t size;
  void (*empty)(void *part);     /* nothing counted; memory may be kept. A new part is all zero and is emptied first. */
  void (*free_part)(void *part); /* gives its memory back */
  struct parts_place *places;
  size_t place_count;
};
/* Each function may be NULL: nothing to do. */
void parts_init(struct parts *p, size_t size, void (*empty)(void *), void (*free_part)(void *));
void parts_fini(struct parts *p);
void parts_empty(struct parts *p); /* every part */
void parts_clear_place(struct parts *p, int place);
/* The part of a job of the model; made when there is none. Valid until a job comes that had none. */
void *parts_get(struct parts *p, const struct model *m, int place, size_t job);
/* place < place_count, job < places[place].count */
void *parts_at(const struct parts *p, size_t place, size_t job);

#endif
