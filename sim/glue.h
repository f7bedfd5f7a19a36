/* The parts of the Glue service: its operations by subject, and how its resources are written. */
#ifndef GLUETOP_SIM_GLUE_H
#define GLUETOP_SIM_GLUE_H

#include "sim/service.h"

/* glue_jobs.c */
void sim_glue_get_jobs(struct sim_call *call);
void sim_glue_list_jobs(struct sim_call *call);
void sim_glue_batch_get_jobs(struct sim_call *call);
void sim_glue_get_job(struct sim_call *call);
void sim_glue_get_tags(struct sim_call *call);
/* glue_edit.c */
void sim_glue_create_job(struct sim_call *call);
void sim_glue_update_job(struct sim_call *call);
void sim_glue_delete_job(struct sim_call *call);
/* glue_runs.c */
void sim_glue_get_job_runs(struct sim_call *call);
void sim_glue_get_job_run(struct sim_call *call);
void sim_glue_start_job_run(struct sim_call *call);
void sim_glue_batch_stop_job_run(struct sim_call *call);
void sim_glue_get_job_bookmark(struct sim_call *call);
void sim_glue_reset_job_bookmark(struct sim_call *call);
/* glue_triggers.c */
void sim_glue_get_triggers(struct sim_call *call);
void sim_glue_get_trigger(struct sim_call *call);
void sim_glue_list_triggers(struct sim_call *call);
void sim_glue_start_trigger(struct sim_call *call);
void sim_glue_stop_trigger(struct sim_call *call);

/* glue_json.c */
void sim_put_job(struct sim_call *call, const struct sim_job *job);
void sim_put_run(struct sim_call *call, const struct sim_job *job, const struct sim_run *run, bool predecessors);
void sim_put_trigger(struct sim_call *call, const struct sim_trigger *t);

/* glue_rules.c: what the service refuses in a job's definition or a run's overrides. */
void sim_check_job(struct sim_call *call, const struct cJSON *definition);
void sim_check_start(struct sim_call *call, const struct sim_job *job);
/* Fails the call with SerializationException where a member has another type than the model says. */
void sim_check_types(struct sim_call *call, const struct cJSON *members);

/* The job of member `name` in the request; fails the call when there is none. */
struct sim_job *sim_need_job(struct sim_call *call, const char *name);

#endif
