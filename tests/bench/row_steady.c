/* An account of 2,000 jobs, 30 runs in flight and 40 jobs on the screen, kept fresh for an hour of virtual time (tests/unit/steady.h). These
 * are no times of this machine: the same loop, poller, budget and model on a clock that moves by itself, with an account in memory in
 * place of the transport. */
#include "tests/bench/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/xalloc.h"

enum figure {
  FIGURE_RATE,
  FIGURE_THROTTLED,
  FIGURE_THROTTLED_FOR,
  FIGURE_LIVE,
  FIGURE_SCHEDULE,
  FIGURE_ANY,
  FIGURE_ANY_AGE,
  FIGURE_COUNT
};

static struct figures {
  bool read, ok;
  double free[FIGURE_COUNT];
  double limited[FIGURE_COUNT];
} figures;

static bool read_line(FILE *in, double *out)
{
  bool ok = true;
  for (int i = 0; i < FIGURE_COUNT; i++)
    ok = ok && fscanf(in, "%lf", &out[i]) == 1;
  return ok;
}

static void read_figures(void)
{
  const char *build = getenv("GLUETOP_BUILDDIR");
  char *program = xasprintf("%s/tests/bench/steady", build != NULL ? build : ".");
  int said[2];
  figures.read = true;
  if (access(program, X_OK) == 0 && pipe(said) == 0) {
    pid_t child = fork();
    if (child == 0) {
      dup2(said[1], STDOUT_FILENO);
      close(said[0]);
      execl(program, program, (char *)NULL);
      _exit(127);
    }
    close(said[1]);
    FILE *in = fdopen(said[0], "r");
    figures.ok = child > 0 && in != NULL && read_line(in, figures.free) && read_line(in, figures.limited);
    if (in != NULL)
      fclose(in);
    if (child > 0)
      waitpid(child, NULL, 0);
  }
  free(program);
}

static void *set_up(void)
{
  if (!figures.read)
    read_figures();
  return figures.ok ? &figures : NULL;
}

static void tear_down(void *state)
{
  (void)state;
}

#define ROW(row, text, its_unit, most, which)                                                                          \
  static double measure_##row(void *state)                                                                             \
  {                                                                                                                    \
    const struct figures *f = state;                                                                                   \
    return f->which;                                                                                                   \
  }                                                                                                                    \
  const struct bench_row bench_row_steady_##row = {.name = (text),                                                     \
                                                   .unit = (its_unit),                                                 \
                                                   .target = (most),                                                   \
                                                   .set_up = set_up,                                                   \
                                                   .measure = measure_##row,                                           \
                                                   .tear_down = tear_down}

ROW(rate, "2,000 jobs kept fresh (virtual time)", "req/s", 6, free[FIGURE_RATE]);
ROW(live, "... a change on the screen or in flight shown after", "s", 20, free[FIGURE_LIVE]);
ROW(schedule, "... a start by schedule shown after", "s", 60, free[FIGURE_SCHEDULE]);
ROW(any, "... a change of any job shown after", "min", 30, free[FIGURE_ANY]);
ROW(slow_live, "at 2 requests/s (virtual): on the screen, in flight", "s", 120, limited[FIGURE_LIVE]);
ROW(slow_any, "... the oldest rows of any job", "min", 180, limited[FIGURE_ANY_AGE]);
ROW(slow_throttled, "... requests refused", "%", 5, limited[FIGURE_THROTTLED]);
