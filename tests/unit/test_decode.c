/* Answers of Glue, the real and the strange, as plain structs. Where ../shared lies beside the sources its case inputs are read as well. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "aws/glue.h"
#include "base/buf.h"
#include "base/xalloc.h"

static struct arena arena;

static int set_up(void **state)
{
  (void)state;
  arena_init(&arena);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  arena_fini(&arena);
  return 0;
}

static struct glue_runs_page runs_of(const char *text)
{
  struct glue_runs_page page;
  struct err e = glue_decode_runs(text, strlen(text), true, &arena, &page);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
  return page;
}

static struct glue_jobs_page jobs_of(const char *text)
{
  struct glue_jobs_page page;
  struct err e = glue_decode_jobs(text, strlen(text), &arena, &page);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
  return page;
}

/* --- runs ----------------------------------------------------------------------------------------------------------------------- */

static const char chain[] =
    "{\"JobRuns\":[{\"Id\":\"jr_aa_attempt_1\",\"Attempt\":1,\"PreviousRunId\":\"jr_aa\",\"TriggerName\":\"nightly\","
    "\"JobName\":\"orders\","
    "\"JobRunQueuingEnabled\":true,\"StartedOn\":1790000000.123,\"LastModifiedOn\":1.790000000123E9,\"CompletedOn\":"
    "1790000300,"
    "\"JobRunState\":\"FAILED\",\"Arguments\":{\"--enable-auto-scaling\":\"true\",\"--job-bookmark-option\":\"job-"
    "bookmark-pause\","
    "\"--x\":\"1\",\"--n\":5},\"ErrorMessage\":\"line 1\\n\\tat O.java\\r\\nlink \\u8d85\\u65f6 "
    "\\ud83d\\ude00\",\"PredecessorRuns\":[],"
    "\"AllocatedCapacity\":10,\"ExecutionTime\":280.0,\"Timeout\":2880,\"MaxCapacity\":10.0,\"WorkerType\":\"G.1X\","
    "\"NumberOfWorkers\":1E1,"
    "\"LogGroupName\":\"/aws-glue/"
    "jobs\",\"GlueVersion\":\"5.0\",\"DPUSeconds\":2800.5,\"ExecutionClass\":\"FLEX\",\"StateDetail\":\"d\","
    "\"NewMember\":{\"a\":[1,2]}},{\"Id\":\"jr_aa\",\"JobName\":\"orders\",\"JobRunState\":\"WAITING\"}],\"NextToken\":"
    "\"t\"}";

static void test_run(void **state)
{
  (void)state;
  struct glue_runs_page page = runs_of(chain);
  assert_int_equal(page.count, 2);
  assert_int_equal(page.unreadable, 0);
  assert_string_equal(page.next_token, "t");
  const struct run_data *r = &page.runs[0];
  assert_string_equal(r->id, "jr_aa_attempt_1");
  assert_int_equal(r->attempt, 1);
  assert_string_equal(r->previous_run_id, "jr_aa");
  assert_string_equal(r->trigger, "nightly");
  assert_string_equal(r->job, "orders");
  assert_int_equal(r->queuing, TRI_TRUE);
  assert_int_equal(r->started_ms, 1790000000123);
  assert_int_equal(r->modified_ms, 1790000000123);
  assert_int_equal(r->completed_ms, 1790000300000);
  assert_string_equal(r->state, "FAILED");
  assert_string_equal(r->error, "line 1\n\tat O.java\r\nlink \xe8\xb6\x85\xe6\x97\xb6 \xf0\x9f\x98\x80");
  assert_int_equal(r->execution_seconds, 280);
  assert_int_equal(r->timeout_minutes, 2880);
  assert_true(r->max_capacity == 10.0);
  assert_string_equal(r->worker_type, "G.1X");
  assert_int_equal(r->workers, 10);
  assert_string_equal(r->log_group, "/aws-glue/jobs");
  assert_string_equal(r->glue_version, "5.0");
  assert_true(r->dpu_seconds == 2800.5);
  assert_string_equal(r->execution_class, "FLEX");
  assert_string_equal(r->state_detail, "d");
  assert_true(r->auto_scaling && r->auto_scaling_given);
  assert_int_equal(r->bookmark, BOOKMARK_PAUSE);
  assert_int_equal(r->argument_count, 3);
  assert_string_equal(r->arguments[2].key, "--x");
  assert_string_equal(r->arguments[2].value, "1");
}

static void test_run_without_anything(void **state)
{
  (void)state;
  struct glue_runs_page page = runs_of(chain);
  const struct run_data *r = &page.runs[1];
  assert_null(r->previous_run_id);
  assert_null(r->error);
  assert_null(r->worker_type);
  assert_null(r->arguments);
  assert_int_equal(r->started_ms, WHEN_NONE);
  assert_int_equal(r->completed_ms, WHEN_NONE);
  assert_int_equal(r->attempt, RECORD_ABSENT);
  assert_int_equal(r->execution_seconds, RECORD_ABSENT);
  assert_int_equal(r->timeout_minutes, RECORD_ABSENT);
  assert_int_equal(r->workers, RECORD_ABSENT);
  assert_true(isnan(r->max_capacity));
  assert_true(isnan(r->dpu_seconds));
  assert_int_equal(r->queuing, TRI_ABSENT);
  assert_false(r->auto_scaling_given);
  assert_int_equal(r->bookmark, BOOKMARK_ABSENT);
}

static void test_arguments_only_on_request(void **state)
{
  (void)state;
  struct glue_runs_page page;
  struct err e = glue_decode_runs(chain, sizeof chain - 1, false, &arena, &page);
  assert_false(err_is(&e));
  assert_null(page.runs[0].arguments);
  assert_int_equal(page.runs[0].argument_count, 0);
  assert_true(page.runs[0].auto_scaling);
}

/* One member at a time: what it was sent as, and what is made of it. */
static void test_numbers(void **state)
{
  (void)state;
  static const struct {
    const char *sent;
    int64_t seconds; /* ExecutionTime */
    bool absent;
  } cases[] = {{"280", 280, false},
               {"280.0", 280, false},
               {"2.8e2", 280, false},
               {"2.8E+2", 280, false},
               {"279.6", 280, false},
               {"0", 0, false},
               {"-1", -1, false},
               {"\"280\"", 280, false},
               {"null", 0, true},
               {"true", 0, true},
               {"\"\"", 0, true},
               {"\"x\"", 0, true},
               {"[]", 0, true},
               {"{}", 0, true},
               {"1e999", 0, true},
               {"1e30", 0, true},
               {"9007199254740993", 9007199254740992, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = xasprintf("{\"JobRuns\":[{\"Id\":\"a\",\"ExecutionTime\":%s}]}", cases[i].sent);
    struct glue_runs_page page = runs_of(text);
    int64_t wanted = cases[i].absent ? RECORD_ABSENT : cases[i].seconds;
    if (page.runs[0].execution_seconds != wanted)
      fail_msg("%s: %lld", cases[i].sent, (long long)page.runs[0].execution_seconds);
    free(text);
  }
}

static void test_times(void **state)
{
  (void)state;
  static const struct {
    const char *sent;
    int64_t ms;
  } cases[] = {{"1790000000.123", 1790000000123},
               {"1.790000000123E9", 1790000000123},
               {"1790000000", 1790000000000},
               {"\"2026-09-21T14:13:20Z\"", 1790000000000},
               {"0", 0},
               {"null", WHEN_NONE},
               {"\"soon\"", WHEN_NONE},
               {"1e300", WHEN_NONE},
               {"{}", WHEN_NONE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = xasprintf("{\"JobRuns\":[{\"Id\":\"a\",\"StartedOn\":%s}]}", cases[i].sent);
    struct glue_runs_page page = runs_of(text);
    if (page.runs[0].started_ms != cases[i].ms)
      fail_msg("%s: %lld", cases[i].sent, (long long)page.runs[0].started_ms);
    free(text);
  }
}

/* Half a surrogate pair, an escaped NUL, raw control characters: one row's bad text must not cost the page. */
static void test_dirty_strings(void **state)
{
  (void)state;
  struct glue_runs_page page = runs_of(
      "{\"JobRuns\":[{\"Id\":\"a\",\"ErrorMessage\":\"x\\ud83dy\"},{\"Id\":\"b\",\"ErrorMessage\":\"x\\u0000y\"},"
      "{\"Id\":\"c\",\"ErrorMessage\":\"first \n second\t\x01 \x1b[31m\"},{\"Id\":\"d\",\"ErrorMessage\":\"\\udc00\"},"
      "{\"Id\":\"e\",\"ErrorMessage\":\"\xff\xc3\"},{\"Id\":\"f\",\"ErrorMessage\":\"\"}]}");
  assert_int_equal(page.count, 6);
  assert_string_equal(page.runs[0].error, "x\xef\xbf\xbdy");
  assert_string_equal(page.runs[1].error, "x\xef\xbf\xbdy");
  assert_string_equal(page.runs[2].error, "first \n second\t\x01 \x1b[31m");
  assert_string_equal(page.runs[3].error, "\xef\xbf\xbd");
  assert_string_equal(page.runs[4].error, "\xff\xc3");
  assert_string_equal(page.runs[5].error, "");
}

static void test_order_of_members(void **state)
{
  (void)state;
  /* Each row in another order, with members in between that are not known: the learning of the order must not confuse them. */
  struct glue_runs_page page = runs_of("{\"NextToken\":null,\"Zzz\":1,\"JobRuns\":[{\"JobRunState\":\"RUNNING\","
                                       "\"Idx\":\"no\",\"Id\":\"a\",\"JobName\":\"j\"},"
                                       "{\"JobName\":\"j\",\"Id\":\"b\",\"JobRunState\":\"FAILED\"},{\"Id\":\"c\","
                                       "\"I\":\"no\",\"JobRunStat\":\"no\",\"JobRunState\":\"ERROR\"},"
                                       "{\"Id\":\"d\",\"JobRunState\":\"TIMEOUT\",\"Id\":\"e\"}]}");
  static const char *const ids[] = {"a", "b", "c", "e"};
  static const char *const states[] = {"RUNNING", "FAILED", "ERROR", "TIMEOUT"};
  assert_int_equal(page.count, 4);
  assert_null(page.next_token);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(page.runs[i].id, ids[i]);
    assert_string_equal(page.runs[i].state, states[i]);
  }
}

static void test_pages(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t count, unreadable;
    const char *token;
  } cases[] = {{"{}", 0, 0, NULL},
               {"{\"JobRuns\":[]}", 0, 0, NULL},
               {"{\"JobRuns\":null,\"NextToken\":\"\"}", 0, 0, NULL},
               {"{\"JobRuns\":[],\"NextToken\":\"more\"}", 0, 0, "more"},
               {"{\"NextToken\":7}", 0, 0, NULL},
               {"{\"JobRuns\":[null,1,\"x\",[],{},{\"Id\":\"\"},{\"Id\":5},{\"Id\":\"a\"}]}", 1, 7, NULL},
               {" \n{\"JobRuns\":[{\"Id\":\"a\"}]}\r\n", 1, 0, NULL},
               {"\xef\xbb\xbf{\"JobRuns\":[{\"Id\":\"a\"}]}", 1, 0, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct glue_runs_page page = runs_of(cases[i].text);
    if (page.count != cases[i].count || page.unreadable != cases[i].unreadable)
      fail_msg("%s: %zu, %zu unreadable", cases[i].text, page.count, page.unreadable);
    assert_int_equal(page.next_token == NULL, cases[i].token == NULL);
    if (cases[i].token != NULL)
      assert_string_equal(page.next_token, cases[i].token);
  }
}

static void test_no_pages(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    enum err_kind kind;
  } cases[] = {{"", ERR_PARSE},
               {"   ", ERR_PARSE},
               {"<html></html>", ERR_PARSE},
               {"{\"JobRuns\":[{\"Id\":\"a\"}", ERR_PARSE},
               {"{\"JobRuns\":[]}x", ERR_PARSE},
               {"[]", ERR_PARSE},
               {"null", ERR_PARSE},
               {"{\"JobRuns\":{}}", ERR_PARSE},
               {"{\"JobRuns\":\"none\"}", ERR_PARSE},
               {"{\"__type\":\"ThrottlingException\",\"message\":\"m\"}", ERR_THROTTLED},
               {"{\"__type\":\"ns#EntityNotFoundException\"}", ERR_NOT_FOUND}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct glue_runs_page page;
    struct err e = glue_decode_runs(cases[i].text, strlen(cases[i].text), false, &arena, &page);
    if (e.kind != cases[i].kind)
      fail_msg("%s: %s", cases[i].text, err_kind_name(e.kind));
    assert_int_equal(page.count, 0);
    err_fini(&e);
  }
}

/* --- jobs ------------------------------------------------------------------------------------------------------------------------ */

static void test_job(void **state)
{
  (void)state;
  struct glue_jobs_page page = jobs_of(
      "{\"Jobs\":[{\"Name\":\"orders\",\"JobMode\":\"VISUAL\",\"JobRunQueuingEnabled\":false,\"Description\":\"d\","
      "\"Role\":\"r\","
      "\"CreatedOn\":1690000000.5,\"LastModifiedOn\":1700000000.25,\"ExecutionProperty\":{\"MaxConcurrentRuns\":3},"
      "\"Command\":{\"Name\":\"glueetl\",\"ScriptLocation\":\"s3://b/k.py\",\"PythonVersion\":\"3\"},"
      "\"DefaultArguments\":{\"--enable-auto-scaling\":\"true\",\"--job-bookmark-option\":\"job-bookmark-enable\",\"--"
      "enable-metrics\":\"\"},"
      "\"NonOverridableArguments\":{},\"MaxRetries\":2,\"Timeout\":480,\"MaxCapacity\":10,\"WorkerType\":\"G.1X\","
      "\"NumberOfWorkers\":10,"
      "\"SecurityConfiguration\":\"s\",\"NotificationProperty\":{\"NotifyDelayAfter\":5},\"GlueVersion\":\"5.0\","
      "\"CodeGenConfigurationNodes\":{\"n\":{}},\"ExecutionClass\":\"STANDARD\",\"MaintenanceWindow\":\"Sun:1\"}],"
      "\"NextToken\":\"\"}");
  assert_int_equal(page.count, 1);
  assert_null(page.next_token);
  const struct job_data *j = &page.jobs[0];
  assert_string_equal(j->name, "orders");
  assert_string_equal(j->mode, "VISUAL");
  assert_int_equal(j->queuing, TRI_FALSE);
  assert_string_equal(j->description, "d");
  assert_string_equal(j->role, "r");
  assert_int_equal(j->created_ms, 1690000000500);
  assert_int_equal(j->modified_ms, 1700000000250);
  assert_int_equal(j->max_concurrent_runs, 3);
  assert_string_equal(j->command_name, "glueetl");
  assert_string_equal(j->script_location, "s3://b/k.py");
  assert_string_equal(j->python_version, "3");
  assert_int_equal(j->auto_scaling, TRI_TRUE);
  assert_int_equal(j->bookmark, BOOKMARK_ENABLE);
  assert_true(j->metrics);
  assert_int_equal(j->max_retries, 2);
  assert_int_equal(j->timeout_minutes, 480);
  assert_int_equal(j->workers, 10);
  assert_string_equal(j->security_configuration, "s");
  assert_int_equal(j->notify_delay_minutes, 5);
  assert_string_equal(j->glue_version, "5.0");
  assert_string_equal(j->execution_class, "STANDARD");
  assert_string_equal(j->maintenance_window, "Sun:1");
}

/* Kinds of the field: a sixteenth of a DPU, a stream without a limit, Ray, a worker type that no table has. */
static void test_kinds_of_jobs(void **state)
{
  (void)state;
  struct glue_jobs_page page = jobs_of("{\"Jobs\":[{\"Name\":\"shell\",\"Command\":{\"Name\":\"pythonshell\","
                                       "\"PythonVersion\":\"3.9\"},\"AllocatedCapacity\":0,\"MaxCapacity\":0.0625},"
                                       "{\"Name\":\"stream\",\"Command\":{\"Name\":\"gluestreaming\"},\"Timeout\":0},{"
                                       "\"Name\":\"ray\",\"Command\":{\"Name\":\"glueray\",\"Runtime\":\"Ray2.4\"},"
                                       "\"WorkerType\":\"Z.2X\",\"NumberOfWorkers\":5},{\"Name\":\"future\","
                                       "\"WorkerType\":\"Q.99X\",\"NumberOfWorkers\":3,\"Command\":null}]}");
  assert_int_equal(page.count, 4);
  assert_true(page.jobs[0].max_capacity == 0.0625);
  assert_null(page.jobs[0].worker_type);
  assert_int_equal(page.jobs[0].workers, RECORD_ABSENT);
  assert_int_equal(page.jobs[1].timeout_minutes, 0);
  assert_int_equal(page.jobs[2].timeout_minutes, RECORD_ABSENT);
  assert_true(isnan(page.jobs[2].max_capacity));
  assert_string_equal(page.jobs[3].worker_type, "Q.99X");
  assert_null(page.jobs[3].command_name);
}

/* What cannot be overridden wins, whichever map comes first. */
static void test_effective_arguments(void **state)
{
  (void)state;
  static const char def[] =
      "\"DefaultArguments\":{\"--enable-auto-scaling\":\"true\",\"--job-bookmark-option\":\"job-bookmark-enable\"}";
  static const char fix[] = "\"NonOverridableArguments\":{\"--enable-auto-scaling\":\"false\",\"--job-bookmark-"
                            "option\":\"job-bookmark-disable\"}";
  for (int order = 0; order < 2; order++) {
    char *text = xasprintf("{\"Jobs\":[{\"Name\":\"a\",%s,%s}]}", order ? def : fix, order ? fix : def);
    struct glue_jobs_page page = jobs_of(text);
    assert_int_equal(page.jobs[0].auto_scaling, TRI_FALSE);
    assert_int_equal(page.jobs[0].bookmark, BOOKMARK_DISABLE);
    free(text);
  }
  struct glue_jobs_page page = jobs_of("{\"Jobs\":[{\"Name\":\"a\",\"DefaultArguments\":{\"--enable-metrics\":"
                                       "\"false\",\"--job-bookmark-option\":\"odd\"}},"
                                       "{\"Name\":\"b\",\"DefaultArguments\":[1]}]}");
  assert_true(page.jobs[0].metrics);
  assert_int_equal(page.jobs[0].bookmark, BOOKMARK_ABSENT);
  assert_int_equal(page.jobs[0].auto_scaling, TRI_ABSENT);
  assert_false(page.jobs[1].metrics);
}

static void test_names(void **state)
{
  (void)state;
  struct glue_jobs_page page = jobs_of("{\"JobNames\":[\"a\",\"b\",7,\"\"],\"NextToken\":\"n\"}");
  assert_int_equal(page.name_count, 2);
  assert_int_equal(page.unreadable, 2);
  assert_string_equal(page.names[1], "b");
  assert_string_equal(page.next_token, "n");
  page = jobs_of("{\"Jobs\":[{\"Name\":\"a\"}],\"JobsNotFound\":[\"gone\"]}");
  assert_int_equal(page.count, 1);
  assert_int_equal(page.name_count, 1);
  assert_string_equal(page.names[0], "gone");
}

/* --- triggers -------------------------------------------------------------------------------------------------------------------- */

static void test_triggers(void **state)
{
  (void)state;
  static const char text[] = "{\"Triggers\":[{\"Name\":\"od\",\"WorkflowName\":\"daily\",\"Type\":\"ON_DEMAND\","
                             "\"State\":\"CREATED\",\"Actions\":[{\"JobName\":\"a\"}]},"
                             "{\"Name\":\"sched\",\"Type\":\"SCHEDULED\",\"State\":\"ACTIVATED\",\"Schedule\":\"cron(0 "
                             "12 * * ? *)\",\"Actions\":[{\"JobName\":\"a\",\"Timeout\":60,"
                             "\"Arguments\":{\"--src\":\"a\"}},{\"CrawlerName\":\"raw\"},null]},"
                             "{\"Name\":\"cond\",\"Type\":\"CONDITIONAL\",\"State\":\"ACTIVATED\",\"Predicate\":{"
                             "\"Logical\":\"ANY\",\"Conditions\":[{\"LogicalOperator\":\"EQUALS\","
                             "\"JobName\":\"a\",\"State\":\"SUCCEEDED\"},{\"CrawlerName\":\"raw\",\"CrawlState\":"
                             "\"FAILED\"}]},\"Actions\":[{\"JobName\":\"b\"},{\"JobName\":\"b\"}]},"
                             "{\"Name\":\"bare\",\"Type\":\"SCHEDULED\",\"State\":\"ACTIVATED\"},{\"Type\":\"EVENT\"},"
                             "{\"Name\":\"twice\",\"Actions\":[{\"JobName\":\"x\"},{\"JobName\":\"y\"}],\"Actions\":[{"
                             "\"JobName\":\"z\"}]}],\"NextToken\":\"t1\"}";
  struct glue_triggers_page page;
  struct err e = glue_decode_triggers(text, sizeof text - 1, &arena, &page);
  assert_false(err_is(&e));
  assert_int_equal(page.count, 5);
  assert_int_equal(page.unreadable, 1);
  assert_string_equal(page.next_token, "t1");
  assert_string_equal(page.triggers[0].workflow, "daily");
  assert_int_equal(page.triggers[0].actions[0].timeout_minutes, RECORD_ABSENT);
  assert_string_equal(page.triggers[1].schedule, "cron(0 12 * * ? *)");
  assert_int_equal(page.triggers[1].action_count, 2);
  assert_int_equal(page.triggers[1].actions[0].timeout_minutes, 60);
  assert_string_equal(page.triggers[1].actions[1].crawler, "raw");
  assert_null(page.triggers[1].actions[1].job);
  assert_true(page.triggers[2].any);
  assert_int_equal(page.triggers[2].condition_count, 2);
  assert_string_equal(page.triggers[2].conditions[0].state, "SUCCEEDED");
  assert_string_equal(page.triggers[2].conditions[1].crawl_state, "FAILED");
  assert_int_equal(page.triggers[2].action_count, 2);
  assert_int_equal(page.triggers[3].action_count, 0);
  assert_null(page.triggers[3].schedule);
  assert_int_equal(page.triggers[4].action_count, 1);
}

/* --- one answer as a tree ----------------------------------------------------------------------------------------------------------- */

static void test_doc(void **state)
{
  (void)state;
  static const char text[] =
      " {\"Other\":{\"JobRun\":1}, \"JobRun\" : {\"Id\":\"jr_1\",\"N\":1.790000000123E9,\"B\":true,\"Z\":null,\n"
      "\"Arguments\":{\"--a\\n\":\"x\\u00e9\\ud83d\\ude00\\ud800 \\\"\\/\\\\\"},\"L\":[1,[],{}]},\"After\":0}";
  static const struct {
    int depth;
    enum doc_kind kind;
    const char *name, *text;
    size_t children;
  } wanted[] = {{0, DOC_OBJECT, NULL, NULL, 6},
                {1, DOC_STRING, "Id", "jr_1", 0},
                {1, DOC_NUMBER, "N", "1.790000000123E9", 0},
                {1, DOC_BOOL, "B", "true", 0},
                {1, DOC_NULL, "Z", NULL, 0},
                {1, DOC_OBJECT, "Arguments", NULL, 1},
                {2, DOC_STRING, "--a\n", "x\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd \"/\\", 0},
                {1, DOC_ARRAY, "L", NULL, 3},
                {2, DOC_NUMBER, NULL, "1", 0},
                {2, DOC_ARRAY, NULL, NULL, 0},
                {2, DOC_OBJECT, NULL, NULL, 0}};
  struct glue_doc_answer a;
  struct err e = glue_decode_doc(text, sizeof text - 1, "JobRun", &arena, &a);
  if (err_is(&e))
    fail_msg("%s", err_message(&e));
  assert_int_equal(a.doc.count, sizeof wanted / sizeof wanted[0]);
  for (size_t i = 0; i < a.doc.count; i++) {
    const struct doc_node *n = &a.doc.nodes[i];
    if (n->depth != wanted[i].depth || n->kind != wanted[i].kind || n->children != wanted[i].children ||
        (n->name == NULL) != (wanted[i].name == NULL) || (n->text == NULL) != (wanted[i].text == NULL))
      fail_msg("node %zu: depth %d kind %d, %zu children", i, n->depth, (int)n->kind, n->children);
    if (n->name != NULL)
      assert_string_equal(n->name, wanted[i].name);
    if (n->text != NULL)
      assert_string_equal(n->text, wanted[i].text);
  }
  assert_int_equal(a.raw_len, strlen(a.raw));
  assert_int_equal(strncmp(a.raw, "{\"Id\":\"jr_1\",\"N\":1.79", 21), 0);
  assert_string_equal(a.raw + a.raw_len - 12, "\":[1,[],{}]}");
  assert_string_equal(a.run->id, "jr_1");
  assert_int_equal(a.run->argument_count, 1);
  assert_null(a.job);
}

static void test_doc_of_a_job(void **state)
{
  (void)state;
  static const char text[] =
      "{\"Job\":{\"Name\":\"orders\",\"MaxRetries\":1,\"AutoUpgradeMetadata\":{\"Status\":\"NEW\"}}}";
  struct glue_doc_answer a;
  struct err e = glue_decode_doc(text, sizeof text - 1, "Job", &arena, &a);
  assert_false(err_is(&e));
  assert_string_equal(a.job->name, "orders");
  assert_int_equal(a.job->max_retries, 1);
  assert_int_equal(a.doc.count, 5);
  assert_null(a.run);
}

/* The name spelt with an escape, and once more plainly: the first one counts, for the tree as for the struct. */
static void test_doc_of_an_escaped_name(void **state)
{
  (void)state;
  static const char text[] = "{\"Job\\u0052un\":{\"Id\":\"a\"},\"JobRun\":7}";
  struct glue_doc_answer a;
  struct err e = glue_decode_doc(text, sizeof text - 1, "JobRun", &arena, &a);
  assert_false(err_is(&e));
  assert_string_equal(a.run->id, "a");
  assert_int_equal(a.doc.count, 2);
}

/* cJSON takes control characters between tokens for blanks: so must the tree. */
static void test_doc_with_odd_blanks(void **state)
{
  (void)state;
  static const char text[] = "{\"JobRun\":\x02{\"Id\":\"a\",\"N\":1\x03}\x04}";
  struct glue_doc_answer a;
  struct err e = glue_decode_doc(text, sizeof text - 1, "JobRun", &arena, &a);
  assert_false(err_is(&e));
  assert_int_equal(a.doc.count, 3);
  assert_string_equal(a.doc.nodes[2].text, "1");
}

static void test_no_doc(void **state)
{
  (void)state;
  static const char *const texts[] = {"{}",
                                      "{\"JobRun\":null}",
                                      "{\"JobRun\":[]}",
                                      "{\"JobRun\":{}}",
                                      "{\"JobRun\":{\"Id\":7}}",
                                      "[]",
                                      "{\"JobRun\":{\"Id\":\"a\"}",
                                      "{\"xJobRun\":{\"Id\":\"a\"}}"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct glue_doc_answer a;
    struct err e = glue_decode_doc(texts[i], strlen(texts[i]), "JobRun", &arena, &a);
    if (e.kind != ERR_PARSE)
      fail_msg("%s: %s", texts[i], err_kind_name(e.kind));
    err_fini(&e);
  }
  struct buf deep;
  buf_init(&deep, 100000);
  buf_adds(&deep, "{\"JobRun\":{\"Id\":\"a\",\"x\":");
  for (int i = 0; i < 500; i++)
    buf_addc(&deep, '[');
  for (int i = 0; i < 500; i++)
    buf_addc(&deep, ']');
  buf_adds(&deep, "}}");
  struct glue_doc_answer a;
  struct err e = glue_decode_doc(deep.data, deep.len, "JobRun", &arena, &a);
  assert_int_equal(e.kind, ERR_PARSE);
  err_fini(&e);
  buf_fini(&deep);
}

/* --- writes ---------------------------------------------------------------------------------------------------------------------- */

static void test_start(void **state)
{
  (void)state;
  struct glue_start_answer a;
  struct err e = glue_decode_start("{\"JobRunId\":\"jr_1\"}", 19, &arena, &a);
  assert_false(err_is(&e));
  assert_string_equal(a.run_id, "jr_1");
  static const char *const bad[] = {"{}", "{\"JobRunId\":\"\"}", "{\"JobRunId\":1}", "", "[]"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    e = glue_decode_start(bad[i], strlen(bad[i]), &arena, &a);
    assert_int_equal(e.kind, ERR_PARSE);
    err_fini(&e);
  }
}

static void test_stop(void **state)
{
  (void)state;
  static const char text[] = "{\"SuccessfulSubmissions\":[{\"JobName\":\"j\",\"JobRunId\":\"a\"}],\"Errors\":[{"
                             "\"JobName\":\"j\",\"JobRunId\":\"b\","
                             "\"ErrorDetail\":{\"ErrorCode\":\"JobRunInTerminalStateException\",\"ErrorMessage\":"
                             "\"over\"}},{\"JobRunId\":\"c\"},{}]}";
  struct glue_stop_answer a;
  struct err e = glue_decode_stop(text, sizeof text - 1, &arena, &a);
  assert_false(err_is(&e));
  assert_int_equal(a.count, 3);
  assert_string_equal(a.results[0].run_id, "a");
  assert_null(a.results[0].error_code);
  assert_string_equal(a.results[1].error_code, "JobRunInTerminalStateException");
  assert_string_equal(a.results[1].error_message, "over");
  assert_non_null(a.results[2].error_code);
  e = glue_decode_stop("{\"Errors\":7}", 12, &arena, &a);
  assert_int_equal(e.kind, ERR_PARSE);
  err_fini(&e);
}

/* --- the shared cases ---------------------------------------------------------------------------------------------------------------- */

static char *read_case(const char *name, size_t *len)
{
  const char *shared = getenv("GLUETOP_SHARED");
  const char *source = getenv("GLUETOP_SRCDIR");
  char *path = shared != NULL ? xasprintf("%s/cases/inputs/%s", shared, name)
                              : xasprintf("%s/../shared/cases/inputs/%s", source != NULL ? source : ".", name);
  FILE *file = fopen(path, "rb");
  free(path);
  if (file == NULL)
    return NULL;
  char *text = xmalloc(1 << 20);
  *len = fread(text, 1, (1 << 20) - 1, file);
  text[*len] = '\0';
  fclose(file);
  return text;
}

static void test_shared_cases(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t runs, jobs, triggers;
  } cases[] = {{"A01.json", 3, 0, 0}, {"A01.broken.json", 1, 0, 0}, {"A03.json", 1, 3, 0}, {"A04.json", 7, 0, 0},
               {"A05.json", 3, 0, 0}, {"A09.json", 0, 3, 0},        {"A11.json", 0, 1, 0}, {"C03.json", 0, 0, 6}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t len = 0;
    char *text = read_case(cases[i].name, &len);
    if (text == NULL) {
      print_message("the shared cases are not here: skipped\n");
      return;
    }
    struct glue_runs_page runs;
    struct glue_jobs_page jobs;
    struct glue_triggers_page triggers;
    struct err e = glue_decode_runs(text, len, true, &arena, &runs);
    assert_false(err_is(&e));
    e = glue_decode_jobs(text, len, &arena, &jobs);
    assert_false(err_is(&e));
    e = glue_decode_triggers(text, len, &arena, &triggers);
    assert_false(err_is(&e));
    if (runs.count != cases[i].runs || jobs.count != cases[i].jobs || triggers.count != cases[i].triggers)
      fail_msg("%s: %zu runs, %zu jobs, %zu triggers", cases[i].name, runs.count, jobs.count, triggers.count);
    assert_int_equal(runs.unreadable + jobs.unreadable + triggers.unreadable, 0);
    free(text);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_run, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_run_without_anything, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_arguments_only_on_request, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_dirty_strings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_order_of_members, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_pages, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_no_pages, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_job, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_kinds_of_jobs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_effective_arguments, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_triggers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_doc, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_doc_of_a_job, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_doc_of_an_escaped_name, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_doc_with_odd_blanks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_no_doc, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_start, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_stop, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_shared_cases, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
