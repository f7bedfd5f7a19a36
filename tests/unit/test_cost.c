/* Prices, the cost of single runs by every rule, and sums that are exact. */
#include "model/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "base/buf.h"

#define DOLLAR INT64_C(1000000000)
#define T0     INT64_C(1700000000000)

static int64_t price(const struct price_table *t, const char *region, enum price_item item, enum price_generation g)
{
  struct price p = price_find(t, region, item, g);
  return p.known ? p.nano_per_hour : -1;
}

static void test_price_table(void **state)
{
  (void)state;
  static const struct {
    const char *region;
    enum price_item item;
    enum price_generation generation;
    int64_t thousandths;
    bool estimated;
  } cases[] = {
      {"us-east-1", PRICE_STANDARD, PRICE_GEN_1, 440, false}, {"us-east-1", PRICE_STANDARD, PRICE_GEN_2, 308, false},
      {"us-east-1", PRICE_FLEX, PRICE_GEN_1, 290, false},     {"us-east-1", PRICE_FLEX, PRICE_GEN_2, 203, false},
      {"us-east-1", PRICE_MEMORY, PRICE_GEN_1, 520, false},   {"us-east-1", PRICE_MEMORY, PRICE_GEN_2, 364, false},
      {"us-east-1", PRICE_PYTHON, PRICE_GEN_1, 440, false},   {"us-east-1", PRICE_PYTHON, PRICE_GEN_2, 440, false},
      {"us-east-1", PRICE_RAY, PRICE_GEN_1, 440, true},       {"eu-west-1", PRICE_FLEX, PRICE_GEN_1, 290, false},
      {"eu-west-1", PRICE_STANDARD, PRICE_GEN_2, 308, true},  {"eu-west-1", PRICE_FLEX, PRICE_GEN_2, 203, true},
      {"eu-central-1", PRICE_FLEX, PRICE_GEN_1, 290, true},   {"sa-east-1", PRICE_STANDARD, PRICE_GEN_1, 690, false},
      {"sa-east-1", PRICE_STANDARD, PRICE_GEN_2, 483, true},  {"af-south-1", PRICE_STANDARD, PRICE_GEN_1, 524, false},
      {"xx-none-9", PRICE_STANDARD, PRICE_GEN_1, 440, true},  {"xx-none-9", PRICE_MEMORY, PRICE_GEN_2, 364, true},
      {"", PRICE_STANDARD, PRICE_GEN_1, 440, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct price p = price_find(NULL, cases[i].region, cases[i].item, cases[i].generation);
    if (!p.known || p.nano_per_hour != cases[i].thousandths * 1000000 || p.estimated != cases[i].estimated)
      fail_msg("%s %s %d: %lld %d", cases[i].region, price_item_word(cases[i].item), cases[i].generation,
               (long long)p.nano_per_hour, p.estimated);
    assert_true(p.source[0] != '\0' && p.date[0] != '\0');
  }
  assert_false(price_find(NULL, "cn-north-1", PRICE_STANDARD, PRICE_GEN_1).known);
  assert_false(price_find(NULL, "us-iso-east-1", PRICE_FLEX, PRICE_GEN_1).known);
}

static void test_price_entries(void **state)
{
  (void)state;
  struct price_table *t = price_table_new();
  price_table_set(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2, 310000000, PRICE_FROM_LIST, "list", "2026-11-30");
  assert_int_equal(price(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2), 310000000);
  assert_false(price_find(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2).estimated);
  price_table_set(t, "", PRICE_STANDARD, PRICE_GEN_2, 300000000, PRICE_OVERRIDE, "mine", "today");
  assert_int_equal(price(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2), 300000000);
  price_table_set(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2, 290000000, PRICE_OVERRIDE, "mine", "today");
  assert_int_equal(price(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2), 290000000);
  assert_int_equal(price(t, "us-east-1", PRICE_STANDARD, PRICE_GEN_2), 300000000);
  price_table_set(t, "cn-north-1", PRICE_STANDARD, PRICE_GEN_1, 500000000, PRICE_OVERRIDE, "mine", "today");
  assert_int_equal(price(t, "cn-north-1", PRICE_PYTHON, PRICE_GEN_1), 500000000);
  price_table_set(t, "cn-north-1", PRICE_STANDARD, PRICE_GEN_1, 440000000, PRICE_OVERRIDE, "mine", "today");
  assert_int_equal(price(t, "cn-north-1", PRICE_FLEX, PRICE_GEN_1), 290000000);
  assert_string_equal(price_find(t, "cn-north-1", PRICE_STANDARD, PRICE_GEN_1).source, "mine");
  price_table_free(t);
}

static void test_versions_and_usagetypes(void **state)
{
  (void)state;
  static const struct {
    const char *version;
    bool sure;
    enum price_generation generation;
  } versions[] = {{"0.9", true, PRICE_GEN_1}, {"4.0", true, PRICE_GEN_1},  {"5.1", true, PRICE_GEN_1},
                  {"6.0", true, PRICE_GEN_2}, {"7.0", false, PRICE_GEN_2}, {"auto", false, PRICE_GEN_1},
                  {"", false, PRICE_GEN_1},   {NULL, false, PRICE_GEN_1}};
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    enum price_generation g;
    assert_int_equal(price_generation_of(versions[i].version, &g), versions[i].sure);
    assert_int_equal(g, versions[i].generation);
  }
  static const struct {
    const char *usage;
    int item; /* -1: none */
    int generation;
  } usages[] = {{"EU-ETL-DPU-Hour", PRICE_STANDARD, 0},
                {"EU-ETL-DPU-Hour-Gen2", PRICE_STANDARD, 1},
                {"USE1-ETL-Flex-DPU-Hour", PRICE_FLEX, 0},
                {"ETL-Flex-DPU-Hour-Gen2", PRICE_FLEX, 1},
                {"APS1-ETL-MemOptimized-DPU-Hour", PRICE_MEMORY, 0},
                {"EU-Crawler-DPU-Hour", -1, 0},
                {"EU-GlueInteractiveSession-DPU-Hour", -1, 0},
                {"EU-DEVED-DPU-Hour", -1, 0},
                {"EU-DBrew-ETL-DPU-Hour", -1, 0},
                {"", -1, 0},
                {NULL, -1, 0}};
  for (size_t i = 0; i < sizeof usages / sizeof usages[0]; i++) {
    enum price_item item = PRICE_ITEM_COUNT;
    enum price_generation g = PRICE_GEN_1;
    bool found = price_item_of_usagetype(usages[i].usage, &item, &g);
    assert_int_equal(found, usages[i].item >= 0);
    if (found)
      assert_true((int)item == usages[i].item && (int)g == usages[i].generation);
  }
  for (int i = 0; i < PRICE_ITEM_COUNT; i++) {
    enum price_item item;
    assert_true(price_item_parse(price_item_word((enum price_item)i), &item));
    assert_int_equal(item, i);
  }
}

/* doc/pricing.md shows the built-in table, row by row. */
static void test_manual(void **state)
{
  (void)state;
  const char *dir = getenv("GLUETOP_SRCDIR");
  char path[4096];
  struct buf text;
  char piece[4096];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/doc/pricing.md", dir == NULL ? "." : dir);
  FILE *f = fopen(path, "r");
  if (f == NULL)
    fail_msg("cannot open %s", path);
  buf_init(&text, 1000000);
  while ((n = fread(piece, 1, sizeof piece, f)) > 0)
    buf_add(&text, piece, n);
  fclose(f);
  for (size_t i = 0; price_built_in(i) != NULL; i++) {
    const struct price_row *row = price_built_in(i);
    char line[300];
    snprintf(line, sizeof line, "| %s | %s | %d | %.3f | %s | %s |\n", row->region, price_item_word(row->item),
             (int)row->generation + 1, (double)row->nano_per_hour / 1e9, row->source, row->date);
    if (strstr(text.data, line) == NULL)
      fail_msg("doc/pricing.md lacks %s", line);
  }
  buf_fini(&text);
}

static void test_mul_div(void **state)
{
  (void)state;
  assert_int_equal(cost_mul_div(0, 5, 7), 0);
  assert_int_equal(cost_mul_div(7, 1, 2), 4); /* half up */
  assert_int_equal(cost_mul_div(5, 1, 4), 1);
  assert_true(cost_mul_div(INT64_C(12000000000), 440000000, INT64_C(3600000000)) == INT64_C(1466666667));
  assert_true(cost_mul_div(INT64_MAX, 4000000000, 4000000000) == INT64_MAX);
  assert_true(cost_mul_div(INT64_MAX, INT64_MAX, 1) == INT64_MAX);
  assert_true(cost_mul_div(INT64_C(4000000000000000), INT64_C(3456000000), 1000) == INT64_MAX);
  assert_true(cost_mul_div(INT64_C(4000000000), INT64_C(3456000000), 1000) == INT64_C(13824000000000000));
  uint32_t seed = 5;
  for (int i = 0; i < 100000; i++) { /* against arithmetic that does not overflow here */
    int64_t a = account_random(&seed, 16000000), b = account_random(&seed, 16000000),
            c = 1 + account_random(&seed, 16000000);
    int64_t want = a * b / c + ((a * b % c) * 2 >= c ? 1 : 0);
    assert_true(cost_mul_div(a, b, c) == want);
  }
}

struct run_case {
  const char *name;
  const char *type;    /* command; NULL glueetl */
  const char *version; /* of the run */
  const char *worker;
  int workers;
  double capacity; /* NAN: absent */
  const char *execution_class;
  const char *state;
  int seconds; /* ExecutionTime; -1 absent */
  double dpu_seconds;
  bool auto_scaling;
  double want_dpu_seconds;
  enum cost_basis dpu_basis;
  int64_t want_nano;
  enum cost_basis usd_basis;
};

static void test_runs(void **state)
{
  (void)state;
#define N   ((double)NAN)
#define MEA COST_MEASURED
#define COM COST_COMPUTED
#define EST COST_ESTIMATED
#define UNK COST_UNKNOWN
  /* clang-format off */
  static const struct run_case cases[] = {
    {"the worked example on 5.1", NULL, "5.1", "G.1X", 10, N, "STANDARD", "SUCCEEDED", 1200, N, false, 12000, COM, 1466666667, COM},
    {"on 6.0", NULL, "6.0", "G.1X", 10, N, "STANDARD", "SUCCEEDED", 1200, N, false, 12000, COM, 1026666667, COM},
    {"Flex on 6.0, measured", NULL, "6.0", "G.1X", 10, N, "FLEX", "SUCCEEDED", 1200, 12000, false, 12000, MEA, 676666667, MEA},
    {"Flex before DPUSeconds", NULL, "6.0", "G.1X", 10, N, "FLEX", "SUCCEEDED", 1200, N, false, 12000, EST, 676666667, EST},
    {"auto-scaled before (F02)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "SUCCEEDED", 280, N, true, 2800, EST, 342222222, EST},
    {"auto-scaled after (F02)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "SUCCEEDED", 280, 812, false, 812, MEA, 99244444, MEA},
    {"DPUSeconds 0 is not there yet", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "SUCCEEDED", 280, 0, true, 2800, EST, 342222222, EST},
    {"floor of one worker", NULL, "4.0", "G.2X", 10, N, "STANDARD", "SUCCEEDED", 5, 12, true, 120, MEA, 14666667, MEA},
    {"a minute at least", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "SUCCEEDED", 1, N, false, 600, COM, 73333333, COM},
    {"ten minutes on 0.9 (A03)", NULL, "0.9", NULL, -1, 10, "STANDARD", "SUCCEEDED", 90, N, false, 6000, COM, 733333333, COM},
    {"ten minutes on 1.0", NULL, "1.0", "Standard", 10, N, "STANDARD", "FAILED", 599, N, false, 6000, COM, 733333333, COM},
    {"one minute on 2.0", NULL, "2.0", "G.1X", 10, N, "STANDARD", "FAILED", 30, N, false, 600, COM, 73333333, COM},
    {"Python shell (A03)", "pythonshell", "3.0", NULL, -1, 0.0625, NULL, "SUCCEEDED", 34, N, false, 3.75, COM, 458333, COM},
    {"Python shell has no version", "pythonshell", "0.9", NULL, -1, 1, NULL, "SUCCEEDED", 90, N, false, 90, COM, 11000000, COM},
    {"Python shell, 6.0", "pythonshell", "6.0", NULL, -1, 1, NULL, "SUCCEEDED", 3600, N, false, 3600, COM, 440000000, COM},
    {"R workers", NULL, "4.0", "R.2X", 4, N, "STANDARD", "SUCCEEDED", 3600, N, false, 28800, COM, 4160000000, COM},
    {"R workers on 6.0", NULL, "6.0", "R.2X", 4, N, "STANDARD", "SUCCEEDED", 3600, N, false, 28800, COM, 2912000000, COM},
    {"Ray (A07)", "glueray", "4.0", "Z.2X", 5, N, NULL, "SUCCEEDED", 600, N, false, 6000, COM, 733333333, EST},
    {"G.12X by capacity (A09)", NULL, "4.0", "G.12X", 4, 48, "STANDARD", "SUCCEEDED", 3600, N, false, 172800, COM, 21120000000, COM},
    {"unknown worker (A09)", NULL, "4.0", "Q.99X", 3, N, "STANDARD", "SUCCEEDED", 3600, N, false, 0, UNK, 0, UNK},
    {"unknown worker with capacity", NULL, "4.0", "Q.99X", 3, 6, "STANDARD", "SUCCEEDED", 3600, N, false, 21600, COM, 2640000000, EST},
    {"unknown worker, measured", NULL, "4.0", "Q.99X", 3, N, "STANDARD", "SUCCEEDED", 3600, 3600, true, 3600, MEA, 440000000, EST},
    {"no size at all", NULL, "4.0", NULL, -1, N, "STANDARD", "SUCCEEDED", 3600, N, false, 0, UNK, 0, UNK},
    {"streaming", "gluestreaming", "4.0", "G.025X", 4, 1, "STANDARD", "STOPPED", 7200, N, false, 7200, COM, 880000000, COM},
    {"stopped (F05)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "STOPPED", 95, N, false, 950, COM, 116111111, COM},
    {"timed out (F05)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "TIMEOUT", 300, N, false, 3000, COM, 366666667, COM},
    {"failed with 0 s (F05)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "FAILED", 0, N, false, 0, COM, 0, COM},
    {"error (A04)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "ERROR", 0, N, false, 0, COM, 0, COM},
    {"expired (A04)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "EXPIRED", 0, N, false, 0, COM, 0, COM},
    {"waiting (A05)", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "WAITING", 0, N, false, 0, COM, 0, COM},
    {"starting", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "STARTING", 0, N, false, 0, COM, 0, COM},
    {"error without a size", NULL, "4.0", "Q.99X", 3, N, "STANDARD", "ERROR", 0, N, false, 0, COM, 0, COM},
    {"no version", NULL, NULL, "G.1X", 10, N, "STANDARD", "SUCCEEDED", 1200, N, false, 12000, COM, 1466666667, COM},
    {"a version of the future", NULL, "7.0", "G.1X", 10, N, "STANDARD", "SUCCEEDED", 1200, N, false, 12000, COM, 1026666667, EST},
    {"no ExecutionTime", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "SUCCEEDED", -1, N, false, 12000, EST, 1466666667, EST},
    {"unknown state", NULL, "4.0", "G.1X", 10, 10, "STANDARD", "PAUSED", 0, N, false, 0, UNK, 0, UNK},
    {"unknown class", NULL, "4.0", "G.1X", 10, 10, "SPOT", "SUCCEEDED", 3600, N, false, 36000, COM, 4400000000, EST},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct run_case *k = &cases[i];
    struct model *m = model_new();
    int place = account_open(m, "us-east-1", "111122223333");
    struct job_data jd = account_job_data("orders-nightly");
    jd.command_name = k->type == NULL ? "glueetl" : k->type;
    strid job = model_put_job(m, place, &jd, 1)->name;
    char id[80];
    struct run_data rd = account_run_data(account_run_id((unsigned)i, id), k->state, T0, T0 + 1200000);
    rd.glue_version = k->version;
    rd.worker_type = k->worker;
    rd.workers = k->workers < 0 ? RECORD_ABSENT : k->workers;
    rd.max_capacity = k->capacity;
    rd.execution_class = k->execution_class;
    rd.execution_seconds = k->seconds < 0 ? RECORD_ABSENT : k->seconds;
    rd.dpu_seconds = k->dpu_seconds;
    rd.auto_scaling = rd.auto_scaling_given = k->auto_scaling;
    const struct run *r = account_run(m, place, job, &rd, T0 + 1300000);
    struct cost c = cost_of_run(m, NULL, place, model_job(m, place, job), r, T0 + 1300000);
    int64_t want_micros = (int64_t)llround(k->want_dpu_seconds * 1e6);
    if (c.dpu_micros != want_micros || c.nano != k->want_nano || c.dpu_basis != k->dpu_basis ||
        c.usd_basis != k->usd_basis)
      fail_msg("%s: %lld (%s) $%lld (%s)", k->name, (long long)c.dpu_micros, cost_basis_word(c.dpu_basis),
               (long long)c.nano, cost_basis_word(c.usd_basis));
    model_free(m);
  }
}

static void test_alive(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  strid job = account_job(m, place, "orders-nightly");
  const struct job *j = model_job(m, place, job);
  char id[80];
  int64_t rate = 0, nano = 0;
  struct run_data rd = account_run_data(account_run_id(1, id), "RUNNING", T0, WHEN_NONE);
  rd.execution_seconds = 1200;
  const struct run *r = account_run(m, place, job, &rd, T0 + 1500000);
  struct cost c = cost_of_run(m, NULL, place, j, r, T0 + 1500000);
  assert_true(c.nano == 1466666667 && c.usd_basis == COST_COMPUTED);
  assert_true(cost_rate_of_run(m, NULL, place, j, r, &rate));
  assert_true(rate == INT64_C(4400000000));
  /* default timeout of 4.0: 48 h of 10 DPU */
  assert_int_equal(cost_worst_of_run(m, NULL, place, j, r, T0 + 1500000, &nano), COST_LIMIT_KNOWN);
  assert_true(nano == INT64_C(211200000000));
  /* nobody knows when it began: at its acceptance, marked */
  rd.id = account_run_id(2, id);
  rd.execution_seconds = 0;
  rd.state = "STOPPING";
  r = account_run(m, place, job, &rd, T0 + 3600000);
  c = cost_of_run(m, NULL, place, j, r, T0 + 3600000);
  assert_true(c.nano == INT64_C(4400000000) && c.usd_basis == COST_ESTIMATED);
  /* just begun: the minimum is spent already */
  c = cost_of_run(m, NULL, place, j, r, T0 + 1);
  assert_true(c.nano == 73333333);
  c = cost_of_run(m, NULL, place, j, r, T0 - 5000);
  assert_true(c.nano == 73333333);
  /* waiting burns nothing now, but may still cost all of it */
  rd.id = account_run_id(3, id);
  rd.state = "WAITING";
  r = account_run(m, place, job, &rd, T0 + 1);
  assert_true(cost_rate_of_run(m, NULL, place, j, r, &rate) && rate == 0);
  assert_int_equal(cost_worst_of_run(m, NULL, place, j, r, T0 + 1, &nano), COST_LIMIT_KNOWN);
  assert_true(nano == INT64_C(211200000000));
  model_free(m);
}

/* F03: 100 DPU until 48 h. */
static void test_worst_case(void **state)
{
  (void)state;
  struct model *m = model_new();
  int place = account_open(m, "us-east-1", "111122223333");
  struct job_data d = account_job_data("unbounded");
  int64_t nano = 0;
  d.max_capacity = 100;
  d.workers = 100;
  d.timeout_minutes = 2880;
  strid job = model_put_job(m, place, &d, 1)->name;
  assert_int_equal(cost_worst_of_job(m, NULL, place, model_job(m, place, job), &nano), COST_LIMIT_KNOWN);
  assert_true(nano == 2112 * DOLLAR);
  d.name = "stream";
  d.command_name = "gluestreaming";
  d.timeout_minutes = 0;
  job = model_put_job(m, place, &d, 1)->name;
  assert_int_equal(cost_worst_of_job(m, NULL, place, model_job(m, place, job), &nano), COST_LIMIT_NONE);
  d.name = "odd";
  d.command_name = "glueetl";
  d.timeout_minutes = 10;
  d.worker_type = "Q.99X";
  d.max_capacity = (double)NAN;
  job = model_put_job(m, place, &d, 1)->name;
  assert_int_equal(cost_worst_of_job(m, NULL, place, model_job(m, place, job), &nano), COST_LIMIT_UNKNOWN);
  model_free(m);
}

static void test_sums_and_parts(void **state)
{
  (void)state;
  uint32_t seed = 11;
  struct cost_sum sum = {0}, half = {0}, other = {0};
  int64_t nano = 0, micros = 0;
  size_t unknown = 0;
  struct cost costs[1000];
  for (int i = 0; i < 1000; i++) {
    struct cost c = {.dpu_micros = account_random(&seed, 1000000), .nano = account_random(&seed, 100000000)};
    c.usd_basis = (enum cost_basis)account_random(&seed, COST_BASIS_COUNT);
    c.dpu_basis = (enum cost_basis)account_random(&seed, COST_BASIS_COUNT);
    if (c.usd_basis == COST_UNKNOWN)
      c.nano = 0;
    if (c.dpu_basis == COST_UNKNOWN)
      c.dpu_micros = 0;
    costs[i] = c;
    nano += c.nano;
    micros += c.dpu_micros;
    unknown += c.usd_basis == COST_UNKNOWN;
    cost_sum_add(&sum, &c);
    cost_sum_add(i % 2 == 0 ? &half : &other, &c);
  }
  assert_true(cost_sum_nano(&sum) == nano && cost_sum_dpu_micros(&sum) == micros);
  assert_true(sum.runs == 1000 && sum.runs_unknown == unknown);
  cost_sum_add_sum(&half, &other);
  assert_memory_equal(&half, &sum, sizeof sum);
  for (int i = 0; i < 1000; i++)
    cost_sum_take(&sum, &costs[i]);
  struct cost_sum zero = {0};
  assert_memory_equal(&zero, &sum, sizeof sum);
  /* parts over days add up, for runs of any length */
  for (int i = 0; i < 2000; i++) {
    int64_t began = T0 + account_random(&seed, 2000000000),
            length = account_random(&seed, 16000000) * (int64_t)(i % 500);
    int64_t whole = account_random(&seed, 16000000) * INT64_C(1000003), parts = 0, biggest = 0;
    for (int64_t day = T0 - T0 % WHEN_DAY; day <= began + length; day += WHEN_DAY) {
      int64_t part = cost_part(whole, began, began + length, day, day + WHEN_DAY);
      assert_true(part >= 0);
      biggest = part > biggest ? part : biggest;
      parts += part;
    }
    assert_true(parts == whole);
  }
  assert_true(cost_part(100, 0, 10 * WHEN_SECOND, 0, 3 * WHEN_SECOND) == 30);
  assert_true(cost_part(100, 0, 10 * WHEN_SECOND, 20 * WHEN_SECOND, 30 * WHEN_SECOND) == 0);
  /* to the millisecond: completions have a fraction, and a run that ends past midnight is split where midnight is */
  assert_true(cost_part(605000, -114138, 490862, -WHEN_DAY, 0) == 114138);
  assert_true(cost_part(605000, -114138, 490862, 0, WHEN_DAY) == 490862);
  /* longer than milliseconds in 32 bits count */
  assert_true(cost_part(60, 0, 60 * WHEN_DAY, 20 * WHEN_DAY, 30 * WHEN_DAY) == 10);
}

/* Sums of nonsense stay at the end of the scale. */
static void test_sums_that_are_too_big(void **state)
{
  (void)state;
  struct cost_sum sum = {0};
  for (int i = 0; i < 3; i++) {
    for (int b = 0; b < COST_UNKNOWN; b++) {
      struct cost c = {.nano = INT64_MAX,
                       .dpu_micros = INT64_MAX - 5,
                       .dpu_basis = (enum cost_basis)b,
                       .usd_basis = (enum cost_basis)b};
      cost_sum_add(&sum, &c);
    }
  }
  cost_sum_add_sum(&sum, &sum);
  assert_true(cost_sum_nano(&sum) == INT64_MAX && cost_sum_dpu_micros(&sum) == INT64_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_price_table),
                                     cmocka_unit_test(test_price_entries),
                                     cmocka_unit_test(test_versions_and_usagetypes),
                                     cmocka_unit_test(test_manual),
                                     cmocka_unit_test(test_mul_div),
                                     cmocka_unit_test(test_runs),
                                     cmocka_unit_test(test_alive),
                                     cmocka_unit_test(test_worst_case),
                                     cmocka_unit_test(test_sums_and_parts),
                                     cmocka_unit_test(test_sums_that_are_too_big)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
