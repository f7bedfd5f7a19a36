/* A gluesim for a bench row: it ends with the row, or with the bench. */
#ifndef TESTS_BENCH_SIM_H
#define TESTS_BENCH_SIM_H

#include <stdbool.h>
#include <sys/types.h>

struct bench_sim {
  pid_t pid;
  int lifeline; /* gluesim ends when it closes */
  char url[64];
};

/* args: of gluesim, NULL at the end; at most 16. False: it cannot run here. */
bool bench_sim_start(struct bench_sim *s, const char *const *args);
void bench_sim_stop(struct bench_sim *s);

#define BENCH_KEY_ID "AKIAGLUESIMDEMO00001"
#define BENCH_SECRET "gluesim/demo/secret/opens/nothing/else00"
#define BENCH_REGION "eu-west-1"

#endif
