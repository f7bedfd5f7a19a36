/* The telling line of an error. */
#include "model/error_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_lines(void **state)
{
  (void)state;
  static const struct {
    const char *error, *line;
  } cases[] = {
      {NULL, ""},
      {"", ""},
      {"Max concurrent runs exceeded", "Max concurrent runs exceeded"},
      {"\n\n  first\nsecond", "first ..."},
      {"An error occurred while calling o18.pyWriteDynamicFrame. Access Denied (Service: Amazon S3)",
       "Access Denied (Service: Amazon S3)"},
      {"Py4JJavaError: An error occurred while calling o97.getDynamicFrame.\n: org.example.TimeoutException: no "
       "route\n\tat x",
       "org.example.TimeoutException: no route ..."},
      {"An error occurred while calling o5.collect.", "An error occurred while calling o5.collect."},
      {"outer\n\tat a.b(C.java:1)\r\nCaused by: java.net.SocketException: reset",
       "java.net.SocketException: reset ..."},
      {"outer\nCaused by: middle\n\tat x\nCaused by: inner\n\tat y", "inner ..."},
      {"outer\nCaused by:", "outer ..."},
      {"An error occurred while calling oops", "An error occurred while calling oops"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct buf b;
    buf_init(&b, 4096);
    error_line(&b, cases[i].error);
    assert_string_equal(b.data, cases[i].line);
    buf_fini(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
