#include "sim/glue.h"

static const struct sim_operation operations[] = {
    {"BatchGetJobs", sim_glue_batch_get_jobs},
    {"BatchStopJobRun", sim_glue_batch_stop_job_run},
    {"CreateJob", sim_glue_create_job},
    {"DeleteJob", sim_glue_delete_job},
    {"GetJob", sim_glue_get_job},
    {"GetJobBookmark", sim_glue_get_job_bookmark},
    {"GetJobRun", sim_glue_get_job_run},
    {"GetJobRuns", sim_glue_get_job_runs},
    {"GetJobs", sim_glue_get_jobs},
    {"GetTags", sim_glue_get_tags},
    {"GetTrigger", sim_glue_get_trigger},
    {"GetTriggers", sim_glue_get_triggers},
    {"ListJobs", sim_glue_list_jobs},
    {"ListTriggers", sim_glue_list_triggers},
    {"ResetJobBookmark", sim_glue_reset_job_bookmark},
    {"StartJobRun", sim_glue_start_job_run},
    {"StartTrigger", sim_glue_start_trigger},
    {"StopTrigger", sim_glue_stop_trigger},
    {"UpdateJob", sim_glue_update_job},
    {NULL, NULL},
};

const struct sim_service sim_glue = {
    .signing_name = "glue",
    .protocol = SIM_JSON_1_1,
    .target_prefix = "AWSGlue",
    .operations = operations,
};
