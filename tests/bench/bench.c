/* usage: gluetop_bench [--json] [WORD …]
 *
 * Runs the rows whose name holds one of the words, all without words, and says for each whether its target is met. Exit
 * code 0: all are. */
#include "tests/bench/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 21
/* Of a value, a floor or a ratio: there is none. */
#define NONE (-1.0)

/* How often a row is measured: a quick one until the median says something, one that takes seconds by itself a few times, and what
 * virtual time says once. */
static const struct {
  const struct bench_row *row;
  int rounds; /* odd, so that the median is one of them */
} rows[] = {
    {&bench_row_boards_burn, ROUNDS},
    {&bench_row_boards_curve, ROUNDS},
    {&bench_row_boards_first, ROUNDS},
    {&bench_row_boards_new_run, ROUNDS},
    {&bench_row_boards_others, ROUNDS},
    {&bench_row_boards_slice, ROUNDS},
    {&bench_row_boards_whole, ROUNDS},
    {&bench_row_decode, ROUNDS},
    {&bench_row_requests, ROUNDS},
    {&bench_row_fetch, ROUNDS},
#ifdef BENCH_PROGRAM
    {&bench_row_program_first, ROUNDS},
    {&bench_row_program_idle, 1},
    {&bench_row_program_keys, 1},
    {&bench_row_program_resident, 1},
    {&bench_row_program_toured, 1},
#endif
    {&bench_row_sign, ROUNDS},
    {&bench_row_sign_prefetched, ROUNDS},
    {&bench_row_store_disk, ROUNDS},
    {&bench_row_store_first, ROUNDS},
    {&bench_row_store_memory, ROUNDS},
    {&bench_row_store_whole, ROUNDS},
    {&bench_row_steady_rate, 1},
    {&bench_row_steady_live, 1},
    {&bench_row_steady_schedule, 1},
    {&bench_row_steady_any, 1},
    {&bench_row_steady_slow_live, 1},
    {&bench_row_steady_slow_any, 1},
    {&bench_row_steady_slow_throttled, 1},
    {&bench_row_sync, 3},
    {&bench_row_sync_limit, 1},
    {&bench_row_sync_throttled, 1},
};

struct outcome {
  bool ran;
  double value;
  double floor;
  double ratio;
  bool ok;
};

double bench_time(int (*work)(void *state), void *state, unsigned count)
{
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (unsigned i = 0; i < count; i++) {
    if (work(state) != 0)
      return -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double ns = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
  return ns / count;
}

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left;
  double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The median; one failed round fails the row. */
static double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare_numbers);
  return values[0] < 0 ? NONE : values[count / 2];
}

static struct outcome run_row(const struct bench_row *row, int rounds)
{
  struct outcome outcome = {.value = NONE, .floor = NONE, .ratio = NONE};
  double values[ROUNDS];
  double floors[ROUNDS];
  void *state = row->set_up();
  if (state == NULL)
    return outcome;
  /* One round unseen, for caches and lazy initialisation; not of what takes long by itself. */
  if (rounds == ROUNDS) {
    row->measure(state);
    if (row->floor != NULL)
      row->floor(state);
  }
  for (int i = 0; i < rounds; i++) {
    values[i] = row->measure(state);
    floors[i] = row->floor != NULL ? row->floor(state) : 0;
  }
  row->tear_down(state);
  outcome.ran = true;
  outcome.value = median(values, rounds);
  outcome.ok = outcome.value >= 0;
  if (row->floor == NULL) {
    outcome.ok = outcome.ok && outcome.value <= row->target;
    return outcome;
  }
  outcome.floor = median(floors, rounds);
  outcome.ratio = outcome.value >= 0 && outcome.floor > 0 ? outcome.value / outcome.floor : NONE;
  outcome.ok = outcome.ratio >= 0 && outcome.ratio <= row->target && (row->most <= 0 || outcome.value <= row->most);
  return outcome;
}

static void print_number(double number)
{
  if (number >= 0)
    printf("%.2f", number);
  else
    printf("null");
}

/* The names and units of rows are ours and need no escaping. */
static void print_json(const struct bench_row *row, const struct outcome *outcome, bool first)
{
  printf("%s\n  {\"name\": \"%s\", \"value\": ", first ? "" : ",", row->name);
  print_number(outcome->value);
  printf(", \"unit\": \"%s\", \"floor\": ", row->unit);
  print_number(outcome->floor);
  printf(", \"ratio\": ");
  print_number(outcome->ratio);
  printf(", \"target\": ");
  print_number(row->target);
  printf(", \"most\": ");
  print_number(row->floor == NULL ? row->target : row->most > 0 ? row->most : NONE);
  printf(", \"ok\": %s}", outcome->ok ? "true" : "false");
}

static void print_line(const struct bench_row *row, const struct outcome *outcome)
{
  if (!outcome->ran) {
    printf("%-52s cannot run here\n", row->name);
    return;
  }
  printf("%-52s %12.2f %-6s", row->name, outcome->value, row->unit);
  if (row->floor != NULL)
    printf(" floor %12.2f  ratio %6.2f  target %6.2f", outcome->floor, outcome->ratio, row->target);
  else
    printf(" %38s %6.2f", "target", row->target);
  if (row->floor != NULL && row->most > 0)
    printf(" and %.2f %s", row->most, row->unit);
  printf("  %s\n", outcome->ok ? "ok" : "MISSED");
}

static bool is_wanted(const struct bench_row *row, char **words, int count)
{
  for (int i = 0; i < count; i++) {
    if (strstr(row->name, words[i]) != NULL)
      return true;
  }
  return count == 0;
}

int main(int argc, char **argv)
{
  bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
  char **words = argv + (json ? 2 : 1);
  int word_count = argc - (json ? 2 : 1);
  bool all_ok = true;
  bool first = true;
  if (json)
    printf("{\"rows\": [");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct bench_row *row = rows[i].row;
    if (!is_wanted(row, words, word_count))
      continue;
    struct outcome outcome = run_row(row, rows[i].rounds);
    all_ok = all_ok && outcome.ok;
    if (json)
      print_json(row, &outcome, first);
    else
      print_line(row, &outcome);
    fflush(stdout);
    first = false;
  }
  if (json)
    printf("\n]}\n");
  return all_ok ? 0 : 1;
}
