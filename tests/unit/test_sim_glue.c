/* The Glue operations of gluesim: pages, validation, effects, the words of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include "base/xalloc.h"
#include "tests/unit/sim_client.h"

#define NOW INT64_C(1796047380000) /* 2026-11-30T14:03:00Z */

static struct sim *sim;
static struct sim_client client;

static void begin(const char *account)
{
  struct sim_options o;
  sim_options_init(&o);
  o.now_ms = NOW;
  o.manual_clock = true;
  o.account = account;
  struct err e = sim_new(&o, &sim);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
  e = sim_start(sim);
  assert_false(err_is(&e));
  client = sim_client_of(sim);
}

static int setup(void **state)
{
  (void)state;
  begin("demo");
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  sim_free(sim);
  sim = NULL;
  return 0;
}

static void advance(int64_t seconds)
{
  sim_advance(sim, seconds * 1000);
  client.now_ms = sim_now(sim);
}

/* The answer's tree; the caller frees. A status of 0 expects success. */
static struct cJSON *call(const char *operation, const char *body, const char *error)
{
  struct cJSON *tree = NULL;
  struct sim_answer a = sim_client_call(&client, operation, body);
  struct err e = json_parse(a.body, a.body_len, &tree);
  if (err_is(&e))
    fail_msg("%s %s: %s", operation, body, err_message(&e));
  const char *type = json_str(tree, "__type");
  if (error == NULL ? type != NULL : type == NULL || strcmp(type, error) != 0)
    fail_msg("%s %s: %s", operation, body, a.body);
  sim_answer_fini(&a);
  return tree;
}

static void refused(const char *operation, const char *body, const char *error)
{
  json_free(call(operation, body, error));
}

static void done(const char *operation, const char *body)
{
  json_free(call(operation, body, NULL));
}

/* Everything of a list, page by page; returns how many items, *pages how many pages. */
static int read_all(const char *operation, const char *members, const char *list, int *pages)
{
  char body[512], token[128] = "";
  int count = 0;
  *pages = 0;
  do {
    snprintf(body, sizeof body, "{%s%s%s%s%s}", members, token[0] != '\0' && members[0] != '\0' ? "," : "",
             token[0] != '\0' ? "\"NextToken\":\"" : "", token, token[0] != '\0' ? "\"" : "");
    struct cJSON *tree = call(operation, body, NULL);
    count += cJSON_GetArraySize(json_get(tree, list));
    const char *next = json_str(tree, "NextToken");
    snprintf(token, sizeof token, "%s", next != NULL ? next : "");
    json_free(tree);
    (*pages)++;
  } while (token[0] != '\0' && *pages < 100);
  return count;
}

static void pages_hold_everything_once(void **state)
{
  (void)state;
  int pages;
  assert_int_equal(read_all("GetJobs", "\"MaxResults\":7", "Jobs", &pages), 60);
  assert_int_equal(pages, 9);
  assert_int_equal(read_all("ListJobs", "\"MaxResults\":60", "JobNames", &pages), 60);
  assert_int_equal(pages, 1);
  assert_int_equal(read_all("ListJobs", "\"MaxResults\":2,\"Tags\":{\"team\":\"finance\"}", "JobNames", &pages), 7);
  int runs = read_all("GetJobRuns", "\"JobName\":\"orders-gold\"", "JobRuns", &pages);
  assert_in_range(runs, 3000, 4400);
  assert_int_equal(pages, (runs + 199) / 200);
  assert_int_equal(read_all("GetTriggers", "\"MaxResults\":10", "Triggers", &pages), 58);
  assert_int_equal(read_all("ListTriggers", "\"DependentJobName\":\"orders-silver\"", "TriggerNames", &pages), 1);
  /* Nobody starts it: the service answers with all of them. */
  assert_int_equal(read_all("GetTriggers", "\"DependentJobName\":\"clickstream-stream\"", "Triggers", &pages), 58);
}

static void new_runs_do_not_disturb_paging(void **state)
{
  (void)state;
  char body[256];
  struct cJSON *first = call("GetJobRuns", "{\"JobName\":\"fraud-score\",\"MaxResults\":2}", NULL);
  char *last = xstrdup(json_str(cJSON_GetArrayItem(json_get(first, "JobRuns"), 1), "Id"));
  snprintf(body, sizeof body, "{\"JobName\":\"fraud-score\",\"MaxResults\":2,\"NextToken\":\"%s\"}",
           json_str(first, "NextToken"));
  done("StartJobRun", "{\"JobName\":\"fraud-score\"}");
  struct cJSON *second = call("GetJobRuns", body, NULL);
  assert_string_not_equal(json_str(cJSON_GetArrayItem(json_get(second, "JobRuns"), 0), "Id"), last);
  json_free(first);
  json_free(second);
  /* The token belongs to its question. */
  char *other = strstr(body, "fraud-score");
  memcpy(other, "orders-gold", 11);
  refused("GetJobRuns", body, "InvalidInputException");
  memcpy(other, "fraud-score", 11);
  advance(3601);
  refused("GetJobRuns", body, "InvalidInputException");
  free(last);
}

static void page_faults(void **state)
{
  (void)state;
  int pages;
  struct err e = sim_fault_add(sim, "ListJobs:empty-pages=3");
  assert_false(err_is(&e));
  assert_int_equal(read_all("ListJobs", "\"MaxResults\":60", "JobNames", &pages), 60);
  assert_int_equal(pages, 4);
  sim_faults_clear(sim);
  e = sim_fault_add(sim, "ListJobs:repeat-token");
  assert_false(err_is(&e));
  read_all("ListJobs", "\"MaxResults\":60", "JobNames", &pages);
  assert_int_equal(pages, 100);
}

static const struct {
  const char *operation, *body, *error;
} refusals[] = {
    {"GetJob", "{}", "ValidationException"},
    {"GetJob", "{\"JobName\":\"nobody\"}", "EntityNotFoundException"},
    {"GetJobs", "{\"MaxResults\":1001}", "ValidationException"},
    {"GetJobs", "{\"MaxResults\":0}", "ValidationException"},
    {"GetJobs", "{\"MaxResults\":\"ten\"}", "SerializationException"},
    {"GetJobs", "{\"NextToken\":\"forged\"}", "InvalidInputException"},
    {"GetJobRuns", "{\"JobName\":\"orders-gold\",\"MaxResults\":201}", "ValidationException"},
    {"GetJobRuns", "{\"JobName\":\"nobody\"}", "EntityNotFoundException"},
    {"GetTriggers", "{\"MaxResults\":201}", "ValidationException"},
    {"GetJobRun", "{\"JobName\":\"orders-gold\",\"RunId\":\"jr_0\"}", "EntityNotFoundException"},
    {"GetTrigger", "{\"Name\":\"nobody\"}", "EntityNotFoundException"},
    {"GetJobBookmark", "{\"JobName\":\"promo-planner\"}", "EntityNotFoundException"},
    {"ResetJobBookmark", "{\"JobName\":\"promo-planner\"}", "EntityNotFoundException"},
    {"GetTags", "{\"ResourceArn\":\"arn:aws:glue:eu-west-1:441290129012:job/nobody\"}", "EntityNotFoundException"},
    {"GetTags", "{\"ResourceArn\":\"arn:aws:s3:::x\"}", "InvalidInputException"},
    {"BatchStopJobRun", "{\"JobName\":\"orders-gold\",\"JobRunIds\":[]}", "ValidationException"},
    {"StartJobRun", "{\"JobName\":\"nobody\"}", "EntityNotFoundException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"WorkerType\":\"G.1X\"}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"NumberOfWorkers\":4}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"MaxCapacity\":4}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"WorkerType\":\"G.3X\",\"NumberOfWorkers\":4}",
     "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"WorkerType\":\"G.025X\",\"NumberOfWorkers\":4}",
     "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"Timeout\":10081}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"Timeout\":\"5\"}", "SerializationException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"Arguments\":{\"--a\":1}}", "SerializationException"},
    {"StartJobRun", "{\"JobName\":\"fraud-features\",\"ExecutionClass\":\"FLEX\"}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"product-images-embed\",\"Timeout\":10}", "InvalidInputException"},
    {"StartJobRun", "{\"JobName\":\"finance-vat-report\",\"JobRunId\":\"jr_0\"}", "EntityNotFoundException"},
    {"StartJobRun", "{\"JobName\":\"geo-enrich\"}", "ConcurrentRunsExceededException"},
    {"StopTrigger", "{\"Name\":\"backfill-now\"}", "InvalidInputException"},
    {"CreateJob",
     "{\"Name\":\"orders-gold\",\"Role\":\"r\",\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k\"}}",
     "AlreadyExistsException"},
    {"CreateJob", "{\"Name\":\"new\",\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k\"}}",
     "InvalidInputException"},
    {"CreateJob", "{\"Name\":\"new\",\"Role\":\"r\"}", "InvalidInputException"},
    {"CreateJob",
     "{\"Name\":\"new\",\"Role\":\"r\",\"GlueVersion\":\"2.0\",\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":"
     "\"s3://b/k\"}}",
     "InvalidInputException"},
};

static void what_is_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
    refused(refusals[i].operation, refusals[i].body, refusals[i].error);
}

#define ETL   "\"Role\":\"r\",\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k\"}"
#define SHELL "\"Role\":\"r\",\"Command\":{\"Name\":\"pythonshell\",\"ScriptLocation\":\"s3://b/k\"}"

static const struct {
  const char *update;
  bool fine;
} updates[] = {
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4", true},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"MaxCapacity\":4.0", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"AllocatedCapacity\":4", false},
    {ETL ",\"AllocatedCapacity\":4,\"MaxCapacity\":4.0", false},
    {ETL ",\"WorkerType\":\"G.1X\"", false},
    {ETL ",\"NumberOfWorkers\":4", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":1", false},
    {ETL ",\"WorkerType\":\"Z.2X\",\"NumberOfWorkers\":4", false},
    {ETL ",\"WorkerType\":\"R.8X\",\"NumberOfWorkers\":2,\"GlueVersion\":\"3.0\"", false},
    {ETL ",\"WorkerType\":\"R.8X\",\"NumberOfWorkers\":2,\"GlueVersion\":\"4.0\"", true},
    {ETL ",\"WorkerType\":\"G.4X\",\"NumberOfWorkers\":2,\"ExecutionClass\":\"FLEX\"", false},
    {ETL ",\"WorkerType\":\"G.2X\",\"NumberOfWorkers\":2,\"ExecutionClass\":\"FLEX\"", true},
    {ETL ",\"WorkerType\":\"G.2X\",\"NumberOfWorkers\":2,\"ExecutionClass\":\"FLEX\",\"JobRunQueuingEnabled\":true",
     false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"MaxRetries\":1,\"JobRunQueuingEnabled\":true", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"MaxRetries\":11", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"Timeout\":0", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"FutureMember\":{}", true},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"GlueVersion\":\"auto\"", false},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"GlueVersion\":\"auto\",\"MaxRetries\":1", true},
    {ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":4,\"CreatedOn\":1", false},
    {SHELL ",\"MaxCapacity\":0.0625", true},
    {SHELL ",\"MaxCapacity\":1", true},
    {SHELL ",\"MaxCapacity\":2", false},
    {SHELL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":2", false},
    {"\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k\"}", false},
};

static void update_rules(void **state)
{
  (void)state;
  char body[512];
  for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++) {
    snprintf(body, sizeof body, "{\"JobName\":\"orders-gold\",\"JobUpdate\":{%s}}", updates[i].update);
    if (updates[i].fine)
      done("UpdateJob", body);
    else
      refused("UpdateJob", body, "InvalidInputException");
  }
}

/* What is not sent is gone; GlueVersion alone stays, and tags are another matter. */
static void update_replaces_the_whole(void **state)
{
  (void)state;
  double capacity;
  int64_t before, after;
  struct cJSON *old = call("GetJob", "{\"JobName\":\"orders-gold\"}", NULL);
  const struct cJSON *job = json_get(old, "Job");
  assert_non_null(json_get(job, "Timeout"));
  assert_non_null(json_str(job, "Description"));
  assert_true(json_time(job, "LastModifiedOn", &before));
  /* Derived by the service, and in the way of whoever sends it back. */
  assert_true(json_f64(job, "MaxCapacity", &capacity));
  assert_true(capacity > 5.9 && capacity < 6.1);
  advance(10);
  done("UpdateJob",
       "{\"JobName\":\"orders-gold\",\"JobUpdate\":{" ETL ",\"WorkerType\":\"G.2X\",\"NumberOfWorkers\":4}}");
  struct cJSON *new = call("GetJob", "{\"JobName\":\"orders-gold\"}", NULL);
  job = json_get(new, "Job");
  assert_null(json_get(job, "Timeout"));
  assert_null(json_get(job, "Description"));
  assert_null(json_get(job, "DefaultArguments"));
  assert_string_equal(json_str(job, "GlueVersion"), "6.0");
  assert_true(json_f64(job, "MaxCapacity", &capacity));
  assert_true(capacity > 7.9 && capacity < 8.1);
  assert_true(json_time(job, "LastModifiedOn", &after));
  assert_true(after > before && after == NOW + 10000);
  struct cJSON *tags =
      call("GetTags", "{\"ResourceArn\":\"arn:aws:glue:eu-west-1:441290129012:job/orders-gold\"}", NULL);
  assert_string_equal(json_str(json_get(tags, "Tags"), "team"), "orders");
  json_free(old);
  json_free(new);
  json_free(tags);
}

static void start_with_overrides(void **state)
{
  (void)state;
  char body[256];
  int64_t number;
  struct cJSON *started = call(
      "StartJobRun",
      "{\"JobName\":\"finance-vat-report\",\"WorkerType\":\"G.2X\",\"NumberOfWorkers\":3,\"Timeout\":9,\"Arguments\":"
      "{\"--month\":\"10\"},\"ExecutionRoleSessionPolicy\":\"{}\"}",
      NULL);
  snprintf(body, sizeof body, "{\"JobName\":\"finance-vat-report\",\"RunId\":\"%s\",\"PredecessorsIncluded\":true}",
           json_str(started, "JobRunId"));
  assert_int_equal(strlen(json_str(started, "JobRunId")), 67);
  struct cJSON *answer = call("GetJobRun", body, NULL);
  const struct cJSON *run = json_get(answer, "JobRun");
  assert_string_equal(json_str(run, "JobRunState"), "STARTING");
  assert_string_equal(json_str(run, "WorkerType"), "G.2X");
  assert_string_equal(json_str(json_get(run, "Arguments"), "--month"), "10");
  assert_true(json_i64(run, "Timeout", &number));
  assert_int_equal(number, 9);
  assert_true(json_i64(run, "AllocatedCapacity", &number));
  assert_int_equal(number, 6);
  assert_null(json_get(run, "CompletedOn"));
  assert_null(json_get(run, "DPUSeconds"));
  json_free(answer);
  advance(120);
  answer = call("GetJobRun", body, NULL);
  run = json_get(answer, "JobRun");
  assert_string_equal(json_str(run, "JobRunState"), "RUNNING");
  assert_true(json_i64(run, "ExecutionTime", &number));
  assert_in_range(number, 90, 115);
  json_free(answer);
  json_free(started);
}

static void stop_tells_each_one(void **state)
{
  (void)state;
  char body[512];
  struct cJSON *runs = call("GetJobRuns", "{\"JobName\":\"clickstream-hourly\",\"MaxResults\":3}", NULL);
  const struct cJSON *list = json_get(runs, "JobRuns");
  snprintf(body, sizeof body, "{\"JobName\":\"clickstream-hourly\",\"JobRunIds\":[\"%s\",\"%s\",\"jr_unknown\"]}",
           json_str(cJSON_GetArrayItem(list, 0), "Id"), json_str(cJSON_GetArrayItem(list, 2), "Id"));
  struct cJSON *answer = call("BatchStopJobRun", body, NULL);
  assert_int_equal(cJSON_GetArraySize(json_get(answer, "SuccessfulSubmissions")), 1);
  const struct cJSON *errors = json_get(answer, "Errors");
  assert_int_equal(cJSON_GetArraySize(errors), 2);
  assert_string_equal(json_str(json_get(cJSON_GetArrayItem(errors, 0), "ErrorDetail"), "ErrorCode"),
                      "JobRunInTerminalStateException");
  assert_string_equal(json_str(json_get(cJSON_GetArrayItem(errors, 1), "ErrorDetail"), "ErrorCode"),
                      "EntityNotFoundException");
  json_free(answer);
  json_free(runs);
  runs = call("GetJobRuns", "{\"JobName\":\"clickstream-hourly\",\"MaxResults\":1}", NULL);
  assert_string_equal(json_str(cJSON_GetArrayItem(json_get(runs, "JobRuns"), 0), "JobRunState"), "STOPPING");
  json_free(runs);
  advance(60);
  runs = call("GetJobRuns", "{\"JobName\":\"clickstream-hourly\",\"MaxResults\":1}", NULL);
  assert_string_equal(json_str(cJSON_GetArrayItem(json_get(runs, "JobRuns"), 0), "JobRunState"), "STOPPED");
  json_free(runs);
}

static void create_delete_and_triggers(void **state)
{
  (void)state;
  done("CreateJob", "{\"Name\":\"new\"," ETL ",\"WorkerType\":\"G.1X\",\"NumberOfWorkers\":2,\"Tags\":{\"a\":\"b\"}}");
  struct cJSON *job = call("GetJob", "{\"JobName\":\"new\"}", NULL);
  assert_string_equal(json_str(json_get(job, "Job"), "GlueVersion"), "6.0");
  json_free(job);
  done("StartJobRun", "{\"JobName\":\"new\"}");
  done("DeleteJob", "{\"JobName\":\"new\"}");
  done("DeleteJob", "{\"JobName\":\"new\"}");
  refused("GetJob", "{\"JobName\":\"new\"}", "EntityNotFoundException");
  struct cJSON *found = call("BatchGetJobs", "{\"JobNames\":[\"orders-gold\",\"new\"]}", NULL);
  assert_int_equal(cJSON_GetArraySize(json_get(found, "Jobs")), 1);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(json_get(found, "JobsNotFound"), 0)), "new");
  json_free(found);
  /* ON_DEMAND is fired, the others are switched. */
  done("StartTrigger", "{\"Name\":\"backfill-now\"}");
  struct cJSON *runs = call("GetJobRuns", "{\"JobName\":\"backfill-orders-2024\",\"MaxResults\":1}", NULL);
  assert_string_equal(json_str(cJSON_GetArrayItem(json_get(runs, "JobRuns"), 0), "TriggerName"), "backfill-now");
  json_free(runs);
  done("StartTrigger", "{\"Name\":\"partner-daily\"}");
  struct cJSON *trigger = call("GetTrigger", "{\"Name\":\"partner-daily\"}", NULL);
  assert_string_equal(json_str(json_get(trigger, "Trigger"), "State"), "ACTIVATED");
  json_free(trigger);
}

static void bookmarks_are_reset_and_rewound(void **state)
{
  (void)state;
  char body[256];
  int64_t before, after, run;
  struct cJSON *b = call("GetJobBookmark", "{\"JobName\":\"customers-dim\"}", NULL);
  const struct cJSON *entry = json_get(b, "JobBookmarkEntry");
  assert_true(json_i64(entry, "Version", &before));
  assert_true(json_i64(entry, "Run", &run) && run > 80);
  assert_non_null(strstr(json_str(entry, "JobBookmark"), "HadoopDataSourceJobBookmarkState"));
  snprintf(body, sizeof body, "{\"JobName\":\"customers-dim\",\"RunId\":\"%s\"}", json_str(entry, "PreviousRunId"));
  struct cJSON *rewound = call("ResetJobBookmark", body, NULL);
  assert_string_equal(json_str(json_get(rewound, "JobBookmarkEntry"), "RunId"), json_str(entry, "PreviousRunId"));
  assert_true(json_i64(json_get(rewound, "JobBookmarkEntry"), "Version", &after));
  assert_int_equal(after, before + 1);
  struct cJSON *reset = call("ResetJobBookmark", "{\"JobName\":\"customers-dim\"}", NULL);
  assert_true(json_i64(json_get(reset, "JobBookmarkEntry"), "Run", &run));
  assert_int_equal(run, 0);
  assert_null(json_get(json_get(reset, "JobBookmarkEntry"), "JobBookmark"));
  json_free(b);
  json_free(rewound);
  json_free(reset);
}

/* The forms in which the service writes what a reader must understand. */
static void numbers_as_the_service_writes_them(void **state)
{
  (void)state;
  struct sim_answer a = sim_client_call(&client, "GetJobs", "{\"MaxResults\":1000}");
  assert_non_null(strstr(a.body, "\"MaxCapacity\":10.0"));
  assert_non_null(strstr(a.body, "\"MaxCapacity\":0.0625"));
  assert_non_null(strstr(a.body, "E9,\"LastModifiedOn\":1."));
  sim_answer_fini(&a);
  a = sim_client_call(&client, "GetJobRuns", "{\"JobName\":\"orders-bronze\",\"MaxResults\":50}");
  assert_non_null(strstr(a.body, "\"StartedOn\":1.79"));
  assert_non_null(strstr(a.body, "\"StartedOn\":179"));
  assert_non_null(strstr(a.body, "\"DPUSeconds\":"));
  sim_answer_fini(&a);
}

static void account_from_a_file(void **state)
{
  (void)state;
  char path[] = "/tmp/gluesim-test-XXXXXX";
  static const char text[] =
      "{\"Jobs\":[{\"Name\":\"odd\",\"Command\":{\"Name\":\"glueetl\"},\"CreatedOn\":1690000000.5,\"Future\":{\"a\":[1,"
      "null]},"
      "\"WorkerType\":\"G.32X\",\"NumberOfWorkers\":3}],"
      "\"JobRuns\":[{\"Id\":\"jr_b\",\"JobName\":\"odd\",\"StartedOn\":1700000100.5,\"JobRunState\":\"HIBERNATING\","
      "\"X\":1e3},"
      "{\"Id\":\"jr_a\",\"JobName\":\"odd\",\"StartedOn\":1700000000.5,\"JobRunState\":\"RUNNING\"},"
      "{\"Id\":\"jr_c\",\"JobName\":\"implied\",\"StartedOn\":1700000000,\"JobRunState\":\"SUCCEEDED\"}],"
      "\"Triggers\":[{\"Name\":\"evt\",\"Type\":\"EVENT\",\"State\":\"ACTIVATED\",\"EventBatchingCondition\":{"
      "\"BatchSize\":5}}]}";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
  close(fd);
  sim_free(sim);
  begin(path);
  remove(path);
  struct cJSON *job = call("GetJob", "{\"JobName\":\"odd\"}", NULL);
  assert_int_equal(cJSON_GetArraySize(json_get(json_get(json_get(job, "Job"), "Future"), "a")), 2);
  assert_null(json_get(json_get(job, "Job"), "LastModifiedOn"));
  json_free(job);
  struct cJSON *runs = call("GetJobRuns", "{\"JobName\":\"odd\"}", NULL);
  const struct cJSON *newest = cJSON_GetArrayItem(json_get(runs, "JobRuns"), 0);
  assert_int_equal(cJSON_GetArraySize(json_get(runs, "JobRuns")), 2);
  assert_string_equal(json_str(newest, "JobRunState"), "HIBERNATING");
  assert_non_null(json_get(newest, "X"));
  json_free(runs);
  done("GetJob", "{\"JobName\":\"implied\"}");
  done("BatchStopJobRun", "{\"JobName\":\"odd\",\"JobRunIds\":[\"jr_a\"]}");
  advance(60);
  struct cJSON *run = call("GetJobRun", "{\"JobName\":\"odd\",\"RunId\":\"jr_a\"}", NULL);
  assert_string_equal(json_str(json_get(run, "JobRun"), "JobRunState"), "STOPPED");
  assert_non_null(json_get(json_get(run, "JobRun"), "CompletedOn"));
  json_free(run);
  struct cJSON *trigger = call("GetTrigger", "{\"Name\":\"evt\"}", NULL);
  assert_non_null(json_get(json_get(trigger, "Trigger"), "EventBatchingCondition"));
  json_free(trigger);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(pages_hold_everything_once),
      CASE(new_runs_do_not_disturb_paging),
      CASE(page_faults),
      CASE(what_is_refused),
      CASE(update_rules),
      CASE(update_replaces_the_whole),
      CASE(start_with_overrides),
      CASE(stop_tells_each_one),
      CASE(create_delete_and_triggers),
      CASE(bookmarks_are_reset_and_rewound),
      CASE(numbers_as_the_service_writes_them),
      CASE(account_from_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
