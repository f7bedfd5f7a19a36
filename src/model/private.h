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
/* What runs inherit from the definition (auto scaling, version) or are priced by (its kind) has changed. */
void job_runs_note_job(struct model *m, struct job *j);

/* notices.c */
void notices_note_end(struct model *m, const struct job *j, const struct run *r); /* a run has ended while we looked */

/* spans.c */
void job_add_span(struct job *j, int64_t from_ms, int64_t to_ms);

/* Bounds of what a service may say of sizes, far above its quotas: what lies beyond is no better than absent, and sums of it overflow. */
#define SIZE_DPU_MAX         1e6
#define SIZE_DPU_SECONDS_MAX 1e12
#define SIZE_WORKERS_MAX     INT64_C(100000)
/* The value, or NaN when it is below zero or above most. */
double model_size(double value, double most);
/* Moments of the years 1 to 9999; others are no better than absent, and differences of them overflow. */
#define MOMENT_FIRST (-INT64_C(62135596800000))
#define MOMENT_LAST  INT64_C(253402300799999)
int64_t model_moment(int64_t ms);
/* A whole number of the service, cut to its member; -1: absent, or below zero. */
int32_t model_number(int64_t v);

#endif
