#include "sim/glue.h"

#include <stdio.h>
#include <string.h>
#include <cjson/cJSON.h>

#define JOBS_PAGE_MAX 1000
#define JOBS_PAGE     100 /* when the caller does not say; the service's own figure is not published */

struct sim_job *sim_need_job(struct sim_call *call, const char *name)
{
  const char *wanted = sim_need_str(call, name);
  struct sim_job *job = sim_job_find(call->account, wanted);
  if (job == NULL)
    sim_fail(call, "EntityNotFoundException", "Job with name: %s not found.", wanted != NULL ? wanted : "");
  return job;
}

static bool has_tags(const struct sim_job *job, const struct cJSON *wanted)
{
  const struct cJSON *tag;
  cJSON_ArrayForEach (tag, wanted) {
    const char *have = json_str(job->tags, tag->string);
    if (have == NULL || !cJSON_IsString(tag) || strcmp(have, tag->valuestring) != 0)
      return false;
  }
  return true;
}

/* Jobs come in the order in which they were made, which is no order that a reader could rely on. */
static void list(struct sim_call *call, const char *member, const struct cJSON *tags,
                 void (*put)(struct sim_call *, const struct sim_job *))
{
  const struct sim_account *a = call->account;
  struct sim_page page;
  if (!sim_page_begin(call, &page, JOBS_PAGE_MAX, JOBS_PAGE, tags != NULL ? "tags" : ""))
    return;
  jw_name(&call->out, member);
  jw_array(&call->out);
  size_t i = page.position < 0 ? 0 : (size_t)page.position;
  int64_t written = 0;
  for (; !page.empty && i < a->job_count && written < page.size; i++) {
    if (a->jobs[i]->deleted || !has_tags(a->jobs[i], tags))
      continue;
    put(call, a->jobs[i]);
    written++;
  }
  jw_end_array(&call->out);
  while (i < a->job_count && (a->jobs[i]->deleted || !has_tags(a->jobs[i], tags)))
    i++;
  sim_page_next(call, &page, i < a->job_count ? (int64_t)i : -1);
}

static void put_name(struct sim_call *call, const struct sim_job *job)
{
  jw_str(&call->out, job->name);
}

void sim_glue_get_jobs(struct sim_call *call)
{
  list(call, "Jobs", NULL, sim_put_job);
}

void sim_glue_list_jobs(struct sim_call *call)
{
  list(call, "JobNames", json_get(call->in, "Tags"), put_name);
}

void sim_glue_get_job(struct sim_call *call)
{
  const struct sim_job *job = sim_need_job(call, "JobName");
  if (job == NULL)
    return;
  jw_name(&call->out, "Job");
  sim_put_job(call, job);
}

void sim_glue_batch_get_jobs(struct sim_call *call)
{
  const struct cJSON *names = json_get(call->in, "JobNames");
  const struct cJSON *name;
  if (!cJSON_IsArray(names)) {
    sim_fail(call, "ValidationException",
             "1 validation error detected: Value null at 'jobNames' failed to satisfy "
             "constraint: Member must not be null");
    return;
  }
  jw_name(&call->out, "Jobs");
  jw_array(&call->out);
  cJSON_ArrayForEach (name, names) {
    const struct sim_job *job = sim_job_find(call->account, cJSON_GetStringValue(name));
    if (job != NULL)
      sim_put_job(call, job);
  }
  jw_end_array(&call->out);
  jw_name(&call->out, "JobsNotFound");
  jw_array(&call->out);
  cJSON_ArrayForEach (name, names) {
    if (cJSON_IsString(name) && sim_job_find(call->account, name->valuestring) == NULL)
      jw_str(&call->out, name->valuestring);
  }
  jw_end_array(&call->out);
}

void sim_glue_get_tags(struct sim_call *call)
{
  const char *arn = sim_need_str(call, "ResourceArn");
  char head[160];
  if (arn == NULL)
    return;
  snprintf(head, sizeof head, "arn:aws:glue:%s:%s:", call->account->region, call->account->id);
  size_t len = strlen(head);
  if (strncmp(arn, head, len) != 0) {
    sim_fail(call, "InvalidInputException", "Invalid resource ARN: %s", arn);
    return;
  }
  const struct cJSON *tags = NULL;
  const char *kind = arn + len;
  bool found = false;
  if (strncmp(kind, "job/", 4) == 0) {
    const struct sim_job *job = sim_job_find(call->account, kind + 4);
    found = job != NULL;
    tags = found ? job->tags : NULL;
  } else if (strncmp(kind, "trigger/", 8) == 0) {
    const struct sim_trigger *t = sim_trigger_find(call->account, kind + 8);
    found = t != NULL;
    tags = found ? t->tags : NULL;
  }
  if (!found) {
    sim_fail(call, "EntityNotFoundException", "Resource %s not found.", arn);
    return;
  }
  jw_name(&call->out, "Tags");
  if (tags != NULL) {
    jw_tree(&call->out, tags);
  } else {
    jw_object(&call->out);
    jw_end_object(&call->out);
  }
}
