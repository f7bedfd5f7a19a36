/* Whole answers as JSON for people: what looks secret is masked wherever it stands, and what is nested too deeply is left out whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/buf.h"
#include "base/json.h"
#include "report/report.h"

static const char *written(const struct doc *d, struct buf *out)
{
  struct jw w;
  buf_init(out, 1 << 20);
  jw_init(&w, out, false);
  report_write_doc(d, &w);
  return out->data;
}

static void test_masking(void **state)
{
  (void)state;
  struct doc_node nodes[] = {
      {.depth = 0, .kind = DOC_OBJECT, .children = 4},
      {.depth = 1, .kind = DOC_STRING, .name = "Name", .text = "orders"},
      {.depth = 1, .kind = DOC_OBJECT, .name = "DefaultArguments", .children = 3},
      {.depth = 2, .kind = DOC_STRING, .name = "--db_password", .text = "hunter2"},
      {.depth = 2, .kind = DOC_NUMBER, .name = "--pin", .text = "4711"},
      {.depth = 2, .kind = DOC_STRING, .name = "--day", .text = "2026-12-01"},
      {.depth = 1, .kind = DOC_OBJECT, .name = "ConnectionOptions", .children = 2},
      {.depth = 2, .kind = DOC_STRING, .name = "password", .text = "hunter2"},
      {.depth = 2, .kind = DOC_STRING, .name = "url", .text = "mysql://root:hunter2@db/x"},
      {.depth = 1, .kind = DOC_NUMBER, .name = "Timeout", .text = "2880"},
  };
  struct doc d = {.nodes = nodes, .count = sizeof nodes / sizeof nodes[0]};
  struct buf out;
  assert_string_equal(
      written(&d, &out),
      "{\"Name\":\"orders\",\"DefaultArguments\":{\"--db_password\":\"********\",\"--pin\":\"********\","
      "\"--day\":\"2026-12-01\"},\"ConnectionOptions\":{\"password\":\"********\","
      "\"url\":\"mysql://root:********@db/x\"},\"Timeout\":2880}");
  buf_fini(&out);
}

/* Arrays in objects in arrays, deeper than is written: what is left out must not turn up elsewhere, and the rest stays JSON. */
static void test_depth(void **state)
{
  (void)state;
  enum { DEEP = REPORT_DOC_DEPTH + 10 };
  struct doc_node nodes[DEEP + 2];
  for (int i = 0; i < DEEP; i++) {
    bool in_object = i > 0 && i % 2 == 1;
    nodes[i] = (struct doc_node){
        .depth = i, .kind = i % 2 == 0 ? DOC_OBJECT : DOC_ARRAY, .name = in_object ? "m" : NULL, .children = 1};
  }
  nodes[0].children = 2;
  nodes[DEEP] = (struct doc_node){.depth = DEEP, .kind = DOC_STRING, .name = "m", .text = "buried"};
  nodes[DEEP + 1] = (struct doc_node){.depth = 1, .kind = DOC_STRING, .name = "last", .text = "kept"};
  struct doc d = {.nodes = nodes, .count = DEEP + 2};
  struct buf out;
  const char *text = written(&d, &out);
  struct cJSON *tree = NULL;
  struct err e = json_parse(text, strlen(text), &tree);
  assert_false(err_is(&e));
  assert_string_equal(json_str(tree, "last"), "kept");
  assert_null(strstr(text, "buried"));
  json_free(tree);
  buf_fini(&out);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_masking), cmocka_unit_test(test_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
