/* What only the model's own files share. */
#ifndef GLUETOP_MODEL_PRIVATE_H
#define GLUETOP_MODEL_PRIVATE_H

#include "model/model.h"

/* places.c */
int place_add(struct model *m, const char *partition, const char *region, const char *endpoint);
void place_fini(struct place *p);
void job_fini(struct job *j);
struct job *place_job(const struct place *p, strid name); /* NULL when unknown */
struct job *place_job_make(struct model *m, int place, strid name);
void triggers_free(struct place *p);

/* run_ids.c */
bool run_id_is_hex(const struct run *r);
/* As run_set_id without interning: false when no run can have this id, since its text was never seen. */
bool run_find_id(struct run *r, const struct strpool *strings, const char *id);

/* runs.c */
void job_runs_fini(struct job *j);
void job_runs_note_job(struct model *m,
                       struct job *j); /* the definition's auto scaling changed: what silent runs inherit */

/* notices.c */
void notices_note_end(struct model *m, const struct job *j, const struct run *r); /* a run has ended while we looked */

/* spans.c */
void job_add_span(struct job *j, int64_t from_ms, int64_t to_ms);

#endif
