/* The command of [notify]: what it gets, what it does not get, and how long it may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cjson/cJSON.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app/hook.h"
#include "aws/transport.h"
#include "base/json.h"
#include "base/xalloc.h"

#define NOW INT64_C(1796047380000)

static char folder[] = "/tmp/gluetop-hook-XXXXXX";

static struct model *model_with(const char *text)
{
  struct model *m = model_new();
  int c = model_add_context(m, "p", "p", "eu-west-1", "profile", "aws", "");
  struct notice n = {.kind = NOTICE_FAILED,
                     .place = m->contexts[c].place,
                     .context = -1,
                     .job = strpool_put(m->strings, "orders \"silver\""),
                     .run_id = strpool_put(m->strings, "jr_1"),
                     .text = strpool_put(m->strings, text),
                     .at_ms = NOW - WHEN_MINUTE,
                     .seen_ms = NOW};
  model_add_notice(m, &n);
  return m;
}

/* Turns until the command has ended; its descriptors tell when. */
static void run_to_end(struct hook *h, struct model *m)
{
  struct transport_fd fds[8];
  hook_turn(h, m, 0, NOW);
  for (unsigned count = hook_fds(h, fds, 8); count > 0; count = hook_fds(h, fds, 8)) {
    struct pollfd p[8];
    for (unsigned i = 0; i < count; i++)
      p[i] = (struct pollfd){.fd = fds[i].fd, .events = fds[i].events};
    assert_true(poll(p, count, 30000) > 0);
    hook_turn(h, m, 0, NOW);
  }
}

static char *read_out(void)
{
  char *path = xasprintf("%s/out", folder);
  FILE *f = fopen(path, "r");
  char *text = xcalloc(1, 262144);
  if (f != NULL) {
    text[fread(text, 1, 262143, f)] = '\0';
    fclose(f);
  }
  unlink(path);
  free(path);
  return text;
}

static struct hook *hook_of(const char *script)
{
  char *command = xasprintf("sh -c '%s' sh %s/out", script, folder);
  struct hook *h = NULL;
  struct err e = hook_new(command, &h);
  assert_false(err_is(&e));
  free(command);
  return h;
}

static void test_json_arrives(void **state)
{
  (void)state;
  char *huge = xcalloc(1, 100001);
  memset(huge, 'x', 100000);
  const char *const texts[] = {"Access denied\033[2J on \"s3\"\nsecond line", NULL, huge};
  const char *const expect[] = {texts[0], NULL, NULL}; /* what no pipe takes is left out, the rest arrives */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct hook *h = hook_of("cat > \"$1\"");
    struct model *m = model_with(texts[i]);
    run_to_end(h, m);
    char *out = read_out();
    struct cJSON *tree = NULL;
    struct err e = json_parse(out, strlen(out), &tree);
    assert_false(err_is(&e));
    assert_null(strchr(out, '\033'));
    assert_string_equal(json_str(tree, "event"), "failed");
    assert_string_equal(json_str(tree, "severity"), "bad");
    assert_string_equal(json_str(tree, "job"), "orders \"silver\"");
    assert_string_equal(json_str(tree, "run_id"), "jr_1");
    assert_string_equal(json_str(tree, "region"), "eu-west-1");
    if (expect[i] != NULL)
      assert_string_equal(json_str(tree, "message"), expect[i]);
    else
      assert_null(json_str(tree, "message"));
    assert_int_equal(m->problem_count, 0);
    json_free(tree);
    free(out);
    model_free(m);
    hook_free(h);
  }
  free(huge);
}

static void test_each_once(void **state)
{
  (void)state;
  struct hook *h = hook_of("cat >> \"$1\"");
  struct model *m = model_with("first");
  struct notice n = {.kind = NOTICE_STOPPED, .place = -1, .context = -1, .at_ms = NOW, .seen_ms = NOW};
  for (int i = 0; i < 2; i++)
    model_add_notice(m, &n);
  run_to_end(h, m);
  run_to_end(h, m);
  char *out = read_out();
  int lines = 0;
  for (const char *p = out; *p != '\0'; p++)
    lines += *p == '\n';
  assert_int_equal(lines, 3);
  free(out);
  model_free(m);
  hook_free(h);
}

static void test_no_secrets(void **state)
{
  (void)state;
  setenv("AWS_ACCESS_KEY_ID", "AKIDHOOK", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "sesame", 1);
  setenv("AWS_SESSION_TOKEN", "sesame", 1);
  setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "sesame", 1);
  setenv("GLUETOP_HOOK_PROOF", "inherited", 1);
  struct hook *h = hook_of("env > \"$1\"; test -t 0 || test -t 1 || test -t 2 || echo no terminal >> \"$1\"");
  struct model *m = model_with("x");
  run_to_end(h, m);
  char *out = read_out();
  assert_non_null(strstr(out, "GLUETOP_HOOK_PROOF=inherited"));
  assert_null(strstr(out, "sesame"));
  assert_null(strstr(out, "AKIDHOOK"));
  assert_non_null(strstr(out, "no terminal"));
  free(out);
  model_free(m);
  hook_free(h);
}

static void test_time_limit(void **state)
{
  (void)state;
  struct hook *h = NULL;
  struct err e = hook_new("sleep 1000", &h); /* the program, not a wait of ours */
  assert_false(err_is(&e));
  struct model *m = model_with("x");
  struct transport_fd fds[8];
  hook_turn(h, m, 0, NOW);
  assert_int_equal(hook_next_ms(h), HOOK_LIMIT_MS);
  hook_turn(h, m, HOOK_LIMIT_MS - 1, NOW);
  assert_true(hook_fds(h, fds, 8) > 0);
  int end_fd = dup(fds[0].fd); /* the pipe in which the end is told: closed by all once the program is gone */
  hook_turn(h, m, HOOK_LIMIT_MS, NOW);
  assert_int_equal(hook_fds(h, fds, 8), 0);
  assert_int_equal(hook_next_ms(h), INT64_MAX);
  assert_int_equal(m->problem_count, 1);
  assert_non_null(strstr(m->problems[0].message, "longer than 10 seconds"));
  struct pollfd p = {.fd = end_fd, .events = POLLIN};
  assert_int_equal(poll(&p, 1, 30000), 1);
  assert_true((p.revents & POLLHUP) != 0);
  close(end_fd);
  model_free(m);
  hook_free(h);
}

static void test_failures_are_told(void **state)
{
  (void)state;
  static const char *const commands[] = {"sh -c 'exit 3'", "/no/such/program", "no-such-program-anywhere"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    struct hook *h = NULL;
    struct err e = hook_new(commands[i], &h);
    assert_false(err_is(&e));
    struct model *m = model_with("x");
    run_to_end(h, m);
    assert_int_equal(m->problem_count, 1);
    model_free(m);
    hook_free(h);
  }
  struct hook *none = NULL;
  struct err e = hook_new("'open", &none);
  assert_int_equal(e.kind, ERR_CONFIG);
  err_fini(&e);
  assert_null(none);
  e = hook_new(NULL, &none);
  assert_false(err_is(&e));
  assert_null(none);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_json_arrives), cmocka_unit_test(test_each_once),         cmocka_unit_test(test_no_secrets),
      cmocka_unit_test(test_time_limit),   cmocka_unit_test(test_failures_are_told),
  };
  if (mkdtemp(folder) == NULL)
    return 1;
  int failed = cmocka_run_group_tests_name("hook", tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
