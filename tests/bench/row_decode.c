/* A page of runs into structs, against the least that anyone does with cJSON: parse it and delete the tree. */
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "aws/glue.h"
#include "base/buf.h"
#include "base/xalloc.h"

#define PAGE_RUNS 200 /* the largest page of GetJobRuns */

struct decode_state {
  struct buf page;
  struct arena arena;
};

/* As the service writes them: every member in its order, arguments, an error now and then. */
static void add_run(struct buf *out, int i)
{
  buf_addf(out,
           "%s{\"Id\":\"jr_%064d\",\"Attempt\":0,\"TriggerName\":\"nightly-orders\",\"JobName\":\"orders-silver\","
           "\"JobMode\":\"SCRIPT\","
           "\"JobRunQueuingEnabled\":false,\"StartedOn\":17900%05d.123,\"LastModifiedOn\":17900%05d.456,"
           "\"CompletedOn\":17900%05d.456,"
           "\"JobRunState\":\"%s\",\"Arguments\":{\"--enable-auto-scaling\":\"true\",\"--day\":\"2026-11-%02d\"},",
           i > 0 ? "," : "", i, i, i + 300, i + 300, i % 9 == 0 ? "FAILED" : "SUCCEEDED", 1 + i % 30);
  if (i % 9 == 0)
    buf_adds(out, "\"ErrorMessage\":\"An error occurred while calling o123.pyWriteDynamicFrame. Access Denied "
                  "(Service: Amazon S3; "
                  "Status Code: 403)\\n\\tat org.example.Writer.write(Writer.java:41)\",");
  buf_addf(out,
           "\"PredecessorRuns\":[],\"AllocatedCapacity\":10,\"ExecutionTime\":%d,\"Timeout\":480,\"MaxCapacity\":10.0,"
           "\"WorkerType\":\"G.1X\","
           "\"NumberOfWorkers\":10,\"LogGroupName\":\"/aws-glue/"
           "jobs\",\"GlueVersion\":\"5.0\",\"DPUSeconds\":%d.5,\"ExecutionClass\":\"STANDARD\"}",
           280 + i, 2800 + i);
}

static void page_of_runs(struct buf *out, int runs)
{
  buf_adds(out, "{\"JobRuns\":[");
  for (int i = 0; i < runs; i++)
    add_run(out, i);
  buf_adds(out, "],\"NextToken\":\"eyJleHBpcmF0aW9uIjp7InNlY29uZHMiOjE3OTAwMDAwMDB9fQ==\"}");
}

static void *set_up(void)
{
  struct decode_state *s = xcalloc(1, sizeof *s);
  buf_init(&s->page, (size_t)8 * 1024 * 1024);
  arena_init(&s->arena);
  page_of_runs(&s->page, PAGE_RUNS);
  return s;
}

static void tear_down(void *state)
{
  struct decode_state *s = state;
  buf_fini(&s->page);
  arena_fini(&s->arena);
  free(s);
}

static int decode_once(void *state)
{
  struct decode_state *s = state;
  struct glue_runs_page page;
  arena_reset(&s->arena);
  struct err e = glue_decode_runs(s->page.data, s->page.len, false, &s->arena, &page);
  int bad = err_is(&e) || page.count != PAGE_RUNS;
  err_fini(&e);
  return bad;
}

static int parse_once(void *state)
{
  struct decode_state *s = state;
  cJSON *tree = cJSON_ParseWithLength(s->page.data, s->page.len);
  cJSON_Delete(tree);
  return tree == NULL;
}

static double measure(void *state)
{
  return bench_time(decode_once, state, 20);
}

static double parse_only(void *state)
{
  return bench_time(parse_once, state, 20);
}

const struct bench_row bench_row_decode = {.name = "decode a page of 200 runs (parse and delete by cJSON)",
                                           .unit = "ns",
                                           .target = 1.5,
                                           .set_up = set_up,
                                           .measure = measure,
                                           .floor = parse_only,
                                           .tear_down = tear_down};
