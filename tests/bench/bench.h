/* A bench row measures one thing the program promises to do quickly, and where it can, the floor: the least work anyone
 * could do for it, in the same run on the same machine. What is judged is the ratio, so that a slow machine fails nothing.
 *
 * To add a row: write tests/bench/row_NAME.c with a const struct bench_row, declare it below and put it into the table in
 * bench.c. measure and floor are called in turns, many times, and the median of each counts. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stddef.h>

struct bench_row {
  const char *name;
  const char *unit;               /* of what measure and floor return: "ns", "ms", "bytes" … */
  double target;                  /* greatest ratio of value and floor; without a floor, the greatest value */
  double most;                    /* greatest value beside a floor; 0: whatever the floor allows */
  void *(*set_up)(void);          /* state for the other functions; NULL: the row cannot run here */
  double (*measure)(void *state); /* negative: failed */
  double (*floor)(void *state);   /* NULL: the row has none */
  void (*tear_down)(void *state);
};

/* Nanoseconds that one of count calls of work takes; work returns 0 when it did what it should. Negative where one did not. */
double bench_time(int (*work)(void *state), void *state, unsigned count);

extern const struct bench_row bench_row_boards_burn;
extern const struct bench_row bench_row_boards_curve;
extern const struct bench_row bench_row_boards_first;
extern const struct bench_row bench_row_boards_new_run;
extern const struct bench_row bench_row_boards_others;
extern const struct bench_row bench_row_boards_slice;
extern const struct bench_row bench_row_boards_whole;
extern const struct bench_row bench_row_decode;
extern const struct bench_row bench_row_fetch;
extern const struct bench_row bench_row_program_first;
extern const struct bench_row bench_row_program_idle;
extern const struct bench_row bench_row_program_keys;
extern const struct bench_row bench_row_program_resident;
extern const struct bench_row bench_row_program_toured;
extern const struct bench_row bench_row_requests;
extern const struct bench_row bench_row_sign;
extern const struct bench_row bench_row_sign_prefetched;
extern const struct bench_row bench_row_store_disk;
extern const struct bench_row bench_row_store_first;
extern const struct bench_row bench_row_store_memory;
extern const struct bench_row bench_row_store_whole;
extern const struct bench_row bench_row_steady_any;
extern const struct bench_row bench_row_steady_live;
extern const struct bench_row bench_row_steady_rate;
extern const struct bench_row bench_row_steady_schedule;
extern const struct bench_row bench_row_steady_slow_any;
extern const struct bench_row bench_row_steady_slow_live;
extern const struct bench_row bench_row_steady_slow_throttled;
extern const struct bench_row bench_row_sync;
extern const struct bench_row bench_row_sync_limit;
extern const struct bench_row bench_row_sync_throttled;

#endif
