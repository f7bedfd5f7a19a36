#include "sim/glue.h"

static const struct sim_operation operations[] = {
    {.name = "BatchGetJobs", .run = sim_glue_batch_get_jobs},
    {.name = "BatchStopJobRun", .run = sim_glue_batch_stop_job_run},
    {.name = "CreateJob", .run = sim_glue_create_job},
    {.name = "DeleteJob", .run = sim_glue_delete_job},
    {.name = "GetJob", .run = sim_glue_get_job},
    {.name = "GetJobBookmark", .run = sim_glue_get_job_bookmark},
    {.name = "GetJobRun", .run = sim_glue_get_job_run},
    {.name = "GetJobRuns", .run = sim_glue_get_job_runs},
    {.name = "GetJobs", .run = sim_glue_get_jobs},
    {.name = "GetTags", .run = sim_glue_get_tags},
    {.name = "GetTrigger", .run = sim_glue_get_trigger},
    {.name = "GetTriggers", .run = sim_glue_get_triggers},
    {.name = "ListJobs", .run = sim_glue_list_jobs},
    {.name = "ListTriggers", .run = sim_glue_list_triggers},
    {.name = "ResetJobBookmark", .run = sim_glue_reset_job_bookmark},
    {.name = "StartJobRun", .run = sim_glue_start_job_run},
    {.name = "StartTrigger", .run = sim_glue_start_trigger},
    {.name = "StopTrigger", .run = sim_glue_stop_trigger},
    {.name = "UpdateJob", .run = sim_glue_update_job},
    {.name = NULL, .run = NULL},
};

const struct sim_service sim_glue = {
    .signing_name = "glue",
    .protocol = SIM_JSON_1_1,
    .target_prefix = "AWSGlue",
    .operations = operations,
};
