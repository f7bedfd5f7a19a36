/* Rows that several answers hold, and what arguments say about a job or run. For the decoders of this folder only. */
#ifndef GLUETOP_AWS_DECODE_ROWS_H
#define GLUETOP_AWS_DECODE_ROWS_H

#include <stdbool.h>
#include "aws/decode.h"
#include "model/records.h"

/* with_arguments must live as long as the decoder. */
void decode_runs_init(struct decoder *d, bool *with_arguments, struct arena *arena);
bool decode_run(struct decoder *d, const struct cJSON *item, struct run_data *out); /* false: no object, or no id */

void decode_jobs_init(struct decoder *d, struct arena *arena);
bool decode_job(struct decoder *d, const struct cJSON *item, struct job_data *out);

/* What one argument says; ABSENT when it is another one. */
enum tristate decode_auto_scaling(const char *key, const char *value);
enum bookmark_option decode_bookmark(const char *key, const char *value);

#endif
