#include "tests/bench/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/xalloc.h"

#define ARGS_MAX 16

static void become_sim(const char *program, const char *const *args, int said, int life)
{
  char parent[16];
  char *words[ARGS_MAX + 4];
  size_t n = 0;
  snprintf(parent, sizeof parent, "%d", life);
  words[n++] = xstrdup(program);
  words[n++] = xstrdup("--parent-fd");
  words[n++] = xstrdup(parent);
  for (size_t i = 0; i < ARGS_MAX && args[i] != NULL; i++)
    words[n++] = xstrdup(args[i]);
  words[n] = NULL;
  dup2(said, STDOUT_FILENO);
  execv(program, words);
  _exit(127);
}

bool bench_sim_start(struct bench_sim *s, const char *const *args)
{
  const char *build = getenv("GLUETOP_BUILDDIR");
  char *program = xasprintf("%s/gluesim", build != NULL ? build : ".");
  int said[2];
  int life[2];
  *s = (struct bench_sim){.lifeline = -1};
  if (access(program, X_OK) != 0 || pipe(said) != 0 || pipe(life) != 0) {
    free(program);
    return false;
  }
  s->pid = fork();
  if (s->pid == 0) {
    close(said[0]);
    close(life[1]);
    become_sim(program, args, said[1], life[0]);
  }
  free(program);
  close(said[1]);
  close(life[0]);
  s->lifeline = life[1];
  FILE *line = fdopen(said[0], "r");
  bool ok = s->pid > 0 && line != NULL && fscanf(line, "listening on %63s", s->url) == 1;
  if (line != NULL)
    fclose(line);
  return ok;
}

void bench_sim_stop(struct bench_sim *s)
{
  if (s->pid <= 0)
    return;
  close(s->lifeline);
  waitpid(s->pid, NULL, 0);
  s->pid = 0;
}
