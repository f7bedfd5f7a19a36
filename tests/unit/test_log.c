/* The log: levels, lines that cannot be forged, bounded length, modes of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/when.h"
#include "base/xalloc.h"

static char path[] = "test_log.XXXXXX";

static int setup(void **state)
{
  (void)state;
  int fd = mkstemp(path);
  if (fd < 0)
    return -1;
  fchmod(fd, 0644);
  return close(fd);
}

static int teardown(void **state)
{
  (void)state;
  log_close();
  return unlink(path);
}

/* The file's text; the caller frees. */
static char *contents(void)
{
  char *text = xcalloc(200000, 1);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  size_t len = fread(text, 1, 199999, f);
  text[len] = '\0';
  fclose(f);
  return text;
}

static void test_nothing_without_a_file(void **state)
{
  (void)state;
  assert_false(log_enabled(LOG_ERROR));
  log_write(LOG_ERROR, "nobody hears %s", "this");
  struct err e = log_open("/nowhere/at/all/log", LOG_INFO);
  assert_int_equal(e.kind, ERR_IO);
  assert_non_null(strstr(err_message(&e), "/nowhere/at/all/log"));
  err_fini(&e);
  assert_false(log_enabled(LOG_ERROR));
}

static void test_lines(void **state)
{
  (void)state;
  struct err e = log_open(path, LOG_INFO);
  assert_false(err_is(&e));
  assert_true(log_enabled(LOG_WARN));
  assert_false(log_enabled(LOG_DEBUG));
  errno = EAGAIN;
  log_write(LOG_INFO, "one %d", 1);
  assert_int_equal(errno, EAGAIN);
  log_write(LOG_DEBUG, "not this");
  log_write(LOG_ERROR, "two\n2026-01-01T00:00:00.000Z error forged\x1b[2J\x1b]52;c;eA==\x07!\n");
  log_close();
  e = log_open(path, LOG_DEBUG); /* appended */
  assert_false(err_is(&e));
  log_write(LOG_DEBUG, "three %0*d", 50000, 7);
  log_close();
  log_write(LOG_ERROR, "too late");

  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);

  char *text = contents();
  int lines = 0;
  for (char *line = text, *end = NULL; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    int64_t ms = 0;
    assert_true(strlen(line) <= 16384);
    assert_true(strlen(line) > 31);
    line[24] = '\0';
    assert_true(when_parse_iso(line, &ms));
    const char *rest = line + 25;
    if (lines == 0)
      assert_string_equal(rest, "info  one 1");
    else if (lines == 1)
      assert_string_equal(rest, "error two\xe2\x8f\x8e"
                                "2026-01-01T00:00:00.000Z error forged!");
    else {
      assert_memory_equal(rest, "debug three 000000", 18);
      assert_string_equal(rest + strlen(rest) - 6, " [cut]");
    }
    lines++;
  }
  assert_int_equal(lines, 3);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_without_a_file),
      cmocka_unit_test(test_lines),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, setup, teardown) == 0 ? 0 : 1;
}
