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

/* Odd, so that the median is one of the rounds. */
#define ROUNDS 21
/* Of a value, a floor or a ratio: there is none. */
#define NONE (-1.0)

static const struct bench_row *const rows[] = {
    &bench_row_boards_burn,
    &bench_row_boards_curve,
    &bench_row_boards_first,
    &bench_row_boards_new_run,
    &bench_row_boards_others,
    &bench_row_boards_slice,
    &bench_row_boards_whole,
    &bench_row_decode,
    &bench_row_requests,
    &bench_row_fetch,
    &bench_row_sign,
    &bench_row_sign_prefetched,
    &bench_row_store_disk,
    &bench_row_store_first,
    &bench_row_store_memory,
    &bench_row_store_whole,
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
static double median(double *values)
{
  qsort(values, ROUNDS, sizeof *values, compare_numbers);
  return values[0] < 0 ? NONE : values[ROUNDS / 2];
}

static struct outcome run_row(const struct bench_row *row)
{
  struct outcome outcome = {.value = NONE, .floor = NONE, .ratio = NONE};
  double values[ROUNDS];
  double floors[ROUNDS];
  void *state = row->set_up();
  if (state == NULL)
    return outcome;
  /* One round unseen, for caches and lazy initialisation. */
  row->measure(state);
  if (row->floor != NULL)
    row->floor(state);
  for (int i = 0; i < ROUNDS; i++) {
    values[i] = row->measure(state);
    floors[i] = row->floor != NULL ? row->floor(state) : 0;
  }
  row->tear_down(state);
  outcome.ran = true;
  outcome.value = median(values);
  outcome.ok = outcome.value >= 0;
  if (row->floor == NULL) {
    outcome.ok = outcome.ok && outcome.value <= row->target;
    return outcome;
  }
  outcome.floor = median(floors);
  outcome.ratio = outcome.value >= 0 && outcome.floor > 0 ? outcome.value / outcome.floor : NONE;
  outcome.ok = outcome.ratio >= 0 && outcome.ratio <= row->target;
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
    if (!is_wanted(rows[i], words, word_count))
      continue;
    struct outcome outcome = run_row(rows[i]);
    all_ok = all_ok && outcome.ok;
    if (json)
      print_json(rows[i], &outcome, first);
    else
      print_line(rows[i], &outcome);
    fflush(stdout);
    first = false;
  }
  if (json)
    printf("\n]}\n");
  return all_ok ? 0 : 1;
}
