/* What json_parse takes, the writer says in a form that is taken again and said the same; errors are harmless. */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

static void write_tree(struct buf *out, const struct cJSON *tree, bool pretty)
{
  struct jw w;
  jw_init(&w, out, pretty);
  jw_tree(&w, tree);
  must(!out->overflow);
  for (size_t i = 0; i < out->len; i++)
    must(((unsigned char)out->data[i] >= 0x20 || (pretty && out->data[i] == '\n')) && out->data[i] != 0x7f);
}

/* Every getter on every member: none may read beyond what is there. */
static void read_members(const struct cJSON *tree)
{
  const struct cJSON *child = NULL;
  cJSON_ArrayForEach (child, tree) {
    if (child->string == NULL)
      continue;
    int64_t integer = 0;
    double number = 0;
    bool truth = false;
    (void)json_i64(tree, child->string, &integer);
    (void)json_f64(tree, child->string, &number);
    (void)json_bool(tree, child->string, &truth);
    (void)json_time(tree, child->string, &integer);
    (void)json_str(tree, child->string);
    must(json_get(tree, child->string) != NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int ready;
  if (!ready) {
    must(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    ready = 1;
  }
  struct cJSON *tree = NULL;
  struct err e = json_parse((const char *)data, size, &tree);
  must(err_is(&e) == (tree == NULL));
  if (err_is(&e)) {
    const char *message = err_message(&e);
    for (const char *p = message; *p != '\0'; p++)
      must((unsigned char)*p >= 0x20 && *p != 0x7f);
    err_fini(&e);
    return 0;
  }
  read_members(tree);
  struct buf first;
  struct buf second;
  buf_init(&first, size * 4096 + 4096);
  buf_init(&second, size * 4096 + 4096);
  write_tree(&second, tree, true);
  buf_reset(&second);
  write_tree(&first, tree, false);
  json_free(tree);
  e = json_parse(first.data, first.len, &tree);
  must(!err_is(&e));
  write_tree(&second, tree, false);
  must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
  json_free(tree);
  buf_fini(&first);
  buf_fini(&second);
  return 0;
}
