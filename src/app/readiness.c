/* --test-fd: time moves by lines "+MS" (and by "~MS" where the machine slept: the wall clock alone), and "ready GENERATION LINES" is written when all is at rest, so that no test
 * sleeps; LINES is how many lines have been taken, so that a "ready" of before is not taken for the answer. */
#include "app/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool line_apply(struct app *app, const char *line)
{
  char *end = NULL;
  if ((line[0] != '+' && line[0] != '~') || !app->clock->manual)
    return false;
  long long ms = strtoll(line + 1, &end, 10);
  if (end == line + 1 || *end != '\0' || ms < 0)
    return false;
  if (line[0] == '+')
    clock_advance(app->clock, ms);
  else
    clock_sleep(app->clock, ms);
  return true;
}

bool readiness_read(struct app *app)
{
  char bytes[256];
  bool moved = false;
  ssize_t n = read(app->options.test_fd, bytes, sizeof bytes);
  if (n <= 0) {
    app->test_closed = true;
    return false;
  }
  for (ssize_t i = 0; i < n; i++) {
    if (bytes[i] == '\n') {
      app->test_line[app->test_len] = '\0';
      moved = line_apply(app, app->test_line) || moved;
      app->test_len = 0;
      app->test_lines++;
    } else if (app->test_len + 1 < sizeof app->test_line) {
      app->test_line[app->test_len++] = bytes[i];
    }
  }
  app->ready_owed = true;
  return moved;
}

void readiness_tell(struct app *app, bool at_rest)
{
  if (app->options.test_fd < 0 || app->test_closed || !at_rest || !app->ready_owed)
    return;
  char line[64];
  int n = snprintf(line, sizeof line, "ready %llu %llu\n", (unsigned long long)app->model->generation,
                   (unsigned long long)app->test_lines);
  app->ready_owed = false;
  if (write(app->options.test_fd, line, (size_t)n) != n)
    app->test_closed = true;
}
