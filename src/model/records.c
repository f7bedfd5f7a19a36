#include "model/records.h"

#include <string.h>

static const struct run_state_info run_states[RUN_STATE_COUNT] = {
    [RUN_STATE_UNKNOWN] = {.word = "", .label = "unknown"},
    [RUN_STARTING] = {.word = "STARTING", .label = "starting"},
    [RUN_RUNNING] = {.word = "RUNNING", .label = "running", .billed = true},
    [RUN_STOPPING] = {.word = "STOPPING", .label = "stopping", .billed = true},
    [RUN_STOPPED] = {.word = "STOPPED", .label = "stopped", .finished = true, .billed = true},
    [RUN_SUCCEEDED] = {.word = "SUCCEEDED", .label = "ok", .finished = true, .billed = true},
    [RUN_FAILED] = {.word = "FAILED", .label = "failed", .finished = true, .failed = true, .billed = true},
    [RUN_TIMEOUT] = {.word = "TIMEOUT", .label = "timed out", .finished = true, .failed = true, .billed = true},
    /* A trigger wanted to run a job that had been deleted: there was nothing to pay for. */
    [RUN_ERROR] = {.word = "ERROR", .label = "error", .finished = true, .failed = true},
    [RUN_WAITING] = {.word = "WAITING", .label = "waiting"},
    [RUN_EXPIRED] = {.word = "EXPIRED", .label = "expired", .finished = true, .failed = true},
};

const struct run_state_info *run_state_info(enum run_state s)
{
  return (unsigned)s < RUN_STATE_COUNT ? &run_states[s] : &run_states[RUN_STATE_UNKNOWN];
}

enum run_state run_state_parse(const char *word)
{
  if (word == NULL || word[0] == '\0')
    return RUN_STATE_UNKNOWN;
  for (int s = 1; s < RUN_STATE_COUNT; s++)
    if (strcmp(word, run_states[s].word) == 0)
      return (enum run_state)s;
  return RUN_STATE_UNKNOWN;
}

static const struct {
  enum job_type type;
  const char *word;
} job_types[] = {
    {JOB_SPARK, "glueetl"},
    {JOB_STREAMING, "gluestreaming"},
    {JOB_PYTHON_SHELL, "pythonshell"},
    {JOB_RAY, "glueray"},
};

enum job_type job_type_parse(const char *command_name)
{
  if (command_name == NULL)
    return JOB_TYPE_OTHER;
  for (size_t i = 0; i < sizeof job_types / sizeof job_types[0]; i++)
    if (strcmp(command_name, job_types[i].word) == 0)
      return job_types[i].type;
  return JOB_TYPE_OTHER;
}

const char *job_type_word(enum job_type t)
{
  for (size_t i = 0; i < sizeof job_types / sizeof job_types[0]; i++)
    if (job_types[i].type == t)
      return job_types[i].word;
  return "";
}

const char *execution_class_word(enum execution_class c)
{
  static const char *const words[] = {[CLASS_STANDARD] = "STANDARD", [CLASS_FLEX] = "FLEX", [CLASS_OTHER] = NULL};
  return words[c];
}
