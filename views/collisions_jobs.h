/* The part of the collisions board that has each job's peak against its limit. */
#ifndef GLUETOP_VIEWS_COLLISIONS_JOBS_H
#define GLUETOP_VIEWS_COLLISIONS_JOBS_H

#include "model/collisions.h"
#include "views/board.h"

extern const struct list_ops collisions_job_ops;
void collisions_add_jobs(struct board_view *b, const struct scene *scene, const struct collisions_result *r);

#endif
