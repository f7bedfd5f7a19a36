/* The boards together: one curve of several places against brute force, the same sums in every form, slices that come to an end. */
#include "report/boards.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "account.h"
#include "base/xalloc.h"

#define T0 INT64_C(1796000000000)

static struct report_scope scope_of(const struct model *m, struct stats_cache *stats, int64_t now)
{
  static const int contexts[] = {0, 1, 2, 3};
  return (struct report_scope){.model = m,
                               .now_ms = now,
                               .since_ms = T0,
                               .until_ms = INT64_MAX,
                               .zone = WHEN_UTC,
                               .context_of_place = contexts,
                               .stats = stats};
}

static void settle(struct boards *b, const struct report_scope *s, size_t slice)
{
  size_t turns = 0;
  while (!boards_step(b, s, slice)) {
    assert_true(++turns < 100000);
  }
}

/* Two or three places with random runs of 10 DPU each. */
static struct model *random_world(uint32_t *seed, size_t places)
{
  struct model *m = model_new();
  unsigned n = 0;
  for (size_t p = 0; p < places; p++) {
    char account[40];
    snprintf(account, sizeof account, "11112222333%zu", p);
    int place = account_open(m, "eu-west-1", account);
    for (int j = 0; j < 3; j++) {
      char name[20];
      snprintf(name, sizeof name, "job-%d", j);
      strid job = account_job(m, place, name);
      for (uint32_t k = account_random(seed, 12); k > 0; k--) {
        char id[80];
        int64_t from = T0 + (int64_t)account_random(seed, 20000) * WHEN_SECOND;
        int64_t to = from + (int64_t)(60 + account_random(seed, 4000)) * WHEN_SECOND;
        struct run_data d = account_run_data(account_run_id(++n, id), "SUCCEEDED", from, to);
        account_run(m, place, job, &d, 1);
      }
    }
  }
  return m;
}

/* The level at a moment, by looking at every run. */
static int64_t level_at(const struct model *m, int only, int64_t ms)
{
  int64_t level = 0;
  for (size_t p = 0; p < m->place_count; p++) {
    for (size_t j = 0; (only < 0 || only == (int)p) && j < m->places[p].job_count; j++) {
      const struct job *job = &m->places[p].jobs[j];
      for (size_t i = 0; i < job->run_count; i++) {
        const struct run *r = &job->runs[i];
        level += cost_began(r, NULL) <= ms && ms < cost_ended(r, ms) ? 10 * 1000000 : 0;
      }
    }
  }
  return level;
}

/* The highest level in [from, to): levels rise only where a run begins, so those moments and the first one tell. */
static int64_t highest(const struct model *m, int only, int64_t from, int64_t to)
{
  int64_t best = level_at(m, only, from);
  for (size_t p = 0; p < m->place_count; p++) {
    for (size_t j = 0; j < m->places[p].job_count; j++) {
      const struct job *job = &m->places[p].jobs[j];
      for (size_t i = 0; i < job->run_count; i++) {
        int64_t at = cost_began(&job->runs[i], NULL);
        int64_t level = at >= from && at < to ? level_at(m, only, at) : 0;
        best = level > best ? level : best;
      }
    }
  }
  return best;
}

static void one_curve_of_all_places(void **state)
{
  uint32_t seed = 7;
  (void)state;
  for (int round = 0; round < 60; round++) {
    struct model *m = random_world(&seed, 1 + (size_t)account_random(&seed, 3));
    struct stats_cache *stats = stats_cache_new(0);
    struct boards *b = boards_new();
    int64_t from = T0 + 1000 * WHEN_SECOND, now = T0 + 25000 * WHEN_SECOND, values[40];
    size_t columns = 1 + (size_t)account_random(&seed, 40);
    int only = round % 3 == 0 ? 0 : -1;
    struct report_scope s = scope_of(m, stats, now);
    struct load_peak peak;
    boards_begin(b, T0, INT64_MAX, only);
    settle(b, &s, 1 + (size_t)account_random(&seed, 5));
    int64_t to = from + (int64_t)columns * 400 * WHEN_SECOND; /* columns of whole seconds */
    boards_curve(b, &s, from, to, columns, values, &peak);
    for (size_t i = 0; i < columns; i++) {
      int64_t begin = from + (int64_t)i * 400 * WHEN_SECOND;
      assert_int_equal(values[i], highest(m, only, begin, begin + 400 * WHEN_SECOND));
    }
    int64_t want = highest(m, only, from, to);
    assert_true(want == 0 || peak.dpu_micros == want);
    assert_true(want == 0 || level_at(m, only, peak.dpu_at_ms) == want);
    boards_curve(b, &s, from, to, 0, NULL, &peak);
    assert_true(want == 0 || peak.dpu_micros == want);
    boards_free(b);
    stats_cache_free(stats);
    model_free(m);
  }
}

/* Dollars of a column of a CSV, added up in nano-dollars. */
static int64_t add_column(const char *csv, const char *name)
{
  char *copy = xstrdup(csv);
  int64_t sum = 0;
  long wanted = -1;
  for (char *line = copy; line != NULL && *line != '\0';) {
    char *end = strstr(line, "\r\n");
    assert_non_null(end);
    *end = '\0';
    long column = 0;
    for (char *cell = line; cell != NULL; column++) {
      char *comma = strchr(cell, ',');
      if (comma) {
        *comma = '\0';
      }
      if (line == copy) {
        wanted = strcmp(cell, name) == 0 ? column : wanted;
      } else if (column == wanted) {
        sum += (int64_t)floor(strtod(cell, NULL) * 1e9 + 0.5);
      }
      cell = comma ? comma + 1 : NULL;
    }
    line = end + 2;
  }
  assert_true(wanted >= 0);
  free(copy);
  return sum;
}

static void the_same_sum_in_every_form(void **state)
{
  uint32_t seed = 3;
  (void)state;
  for (int round = 0; round < 20; round++) {
    struct model *m = random_world(&seed, 2);
    struct stats_cache *stats = stats_cache_new(0);
    struct boards *b = boards_new();
    struct report_scope s = scope_of(m, stats, T0 + WHEN_DAY);
    struct buf csv, text, json;
    struct jw w;
    boards_begin(b, T0, INT64_MAX, -1);
    settle(b, &s, 1000);
    int64_t total = cost_sum_nano(&boards_burn(b, &s)->sum), days = 0, classes = 0;
    const struct burn_result *r = boards_burn(b, &s);
    for (size_t i = 0; i < r->day_count; i++) {
      days += r->days[i].nano;
    }
    for (size_t i = 0; i < BURN_CLASSES; i++) {
      classes += cost_sum_nano(&r->classes[i]);
    }
    assert_int_equal(days, total);
    assert_int_equal(classes, total);
    buf_init(&csv, 1 << 20);
    buf_init(&text, 1 << 20);
    buf_init(&json, 1 << 20);
    report_board_csv(b, BOARD_BURN, &s, &csv);
    assert_int_equal(add_column(csv.data, "usd"), total);
    assert_int_equal(add_column(csv.data, "usd_measured") + add_column(csv.data, "usd_computed") +
                         add_column(csv.data, "usd_estimated"),
                     total);
    jw_init(&w, &json, false);
    jw_object(&w);
    report_write_board(b, BOARD_BURN, &s, &w);
    jw_end_object(&w);
    const char *usd = strstr(json.data, "\"usd\":");
    assert_non_null(usd);
    assert_int_equal((int64_t)floor(strtod(usd + 6, NULL) * 1e9 + 0.5), total);
    report_board_text(b, BOARD_BURN, &s, &text);
    assert_non_null(strstr(text.data, "job runs only"));
    buf_fini(&json);
    buf_fini(&text);
    buf_fini(&csv);
    boards_free(b);
    stats_cache_free(stats);
    model_free(m);
  }
}

/* A change of the model while boards are being counted, another window, and one place alone. */
static void slices_come_to_an_end(void **state)
{
  uint32_t seed = 11;
  struct model *m = random_world(&seed, 3);
  struct stats_cache *stats = stats_cache_new(0);
  struct boards *b = boards_new(), *fresh = NULL;
  struct report_scope s = scope_of(m, stats, T0 + WHEN_DAY);
  (void)state;
  boards_begin(b, T0, INT64_MAX, -1);
  for (unsigned i = 0; i < 30; i++) {
    char id[80];
    struct run_data d =
        account_run_data(account_run_id(9000 + i, id), "FAILED", T0 + i * WHEN_MINUTE, T0 + (i + 7) * WHEN_MINUTE);
    boards_step(b, &s, 2);
    account_run(m, (int)(i % 3), m->places[i % 3].jobs[0].name, &d, 2);
    model_touch(m);
  }
  settle(b, &s, 2);
  fresh = boards_new();
  boards_begin(fresh, T0, INT64_MAX, -1);
  settle(fresh, &s, SIZE_MAX);
  assert_int_equal(cost_sum_nano(&boards_burn(b, &s)->sum), cost_sum_nano(&boards_burn(fresh, &s)->sum));
  assert_int_equal(boards_timeline(b, &s)->runs, boards_timeline(fresh, &s)->runs);
  assert_int_equal(boards_home(b, &s, T0)->errors, boards_home(fresh, &s, T0)->errors);
  boards_begin(b, T0 + WHEN_HOUR, T0 + 3 * WHEN_HOUR, 1);
  settle(b, &s, 3);
  boards_begin(fresh, T0 + WHEN_HOUR, T0 + 3 * WHEN_HOUR, 1);
  settle(fresh, &s, SIZE_MAX);
  assert_int_equal(cost_sum_nano(&boards_burn(b, &s)->sum), cost_sum_nano(&boards_burn(fresh, &s)->sum));
  assert_true(boards_shows(b, m, 1) && !boards_shows(b, m, 0));
  boards_free(fresh);
  boards_free(b);
  stats_cache_free(stats);
  model_free(m);
}

static void quotas_by_region(void **state)
{
  uint32_t seed = 5;
  struct model *m = random_world(&seed, 2);
  struct stats_cache *stats = stats_cache_new(0);
  struct boards *b = boards_new();
  struct report_scope s = scope_of(m, stats, T0 + WHEN_DAY);
  struct board_quota quota = {.region = "eu-west-1"};
  for (size_t i = 0; i < QUOTA_KIND_COUNT; i++)
    quota.values[i] = (double)NAN;
  quota.values[QUOTA_RUNS] = 50;
  quota.values[QUOTA_DPU] = 300;
  const struct board_measures measures = {
      .quotas = &quota, .quota_count = 1, .budget_month_nano = -1, .budget_day_nano = -1};
  (void)state;
  boards_begin(b, T0, INT64_MAX, -1);
  settle(b, &s, 100);
  assert_true(boards_collisions(b, &s)->accounts[0].assumed);
  boards_set_measures(b, &measures);
  const struct collisions_result *c = boards_collisions(b, &s);
  assert_int_equal(c->account_count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_false(c->accounts[i].assumed);
    assert_int_equal(c->accounts[i].runs_limit, 50);
    assert_true(c->accounts[i].dpu_limit > 299.9 && c->accounts[i].dpu_limit < 300.1);
    assert_true(c->accounts[i].runs_origin == QUOTA_FROM_CONFIG && c->accounts[i].dpu_origin == QUOTA_FROM_CONFIG);
  }
  /* what Service Quotas says comes after the person and before the default, each quota by itself */
  quota.values[QUOTA_RUNS] = (double)NAN;
  m->places[0].quotas[QUOTA_RUNS] = 77;
  m->places[0].quotas[QUOTA_DPU] = 400;
  c = boards_collisions(b, &s);
  assert_true(c->accounts[0].runs_limit == 77 && c->accounts[0].runs_origin == QUOTA_FROM_SERVICE);
  assert_true(c->accounts[0].dpu_origin == QUOTA_FROM_CONFIG && !c->accounts[0].assumed);
  assert_true(c->accounts[1].runs_limit == 2000 && c->accounts[1].runs_origin == QUOTA_DEFAULT &&
              c->accounts[1].assumed);
  boards_free(b);
  stats_cache_free(stats);
  model_free(m);
}

/* Nobody looks at curves: nothing is kept for them, and it comes back when somebody does. */
static void loads_come_and_go(void **state)
{
  uint32_t seed = 9;
  struct model *m = random_world(&seed, 1);
  struct stats_cache *stats = stats_cache_new(0);
  struct boards *b = boards_new();
  struct report_scope s = scope_of(m, stats, T0 + 25000 * WHEN_SECOND);
  (void)state;
  boards_begin(b, T0, INT64_MAX, -1);
  settle(b, &s, 100);
  struct load_peak peak = load_peak(loads_of(boards_loads(b), 0), T0, T0 + WHEN_DAY);
  assert_true(peak.runs > 0);
  int64_t sum = cost_sum_nano(&boards_burn(b, &s)->sum);
  assert_false(boards_keep_loads(b, false));
  assert_false(boards_keep_loads(b, false));
  assert_int_equal(load_peak(loads_of(boards_loads(b), 0), T0, T0 + WHEN_DAY).runs, 0);
  settle(b, &s, 100);
  assert_int_equal(load_peak(loads_of(boards_loads(b), 0), T0, T0 + WHEN_DAY).runs, 0);
  assert_int_equal(cost_sum_nano(&boards_burn(b, &s)->sum), sum);
  assert_true(boards_keep_loads(b, true));
  settle(b, &s, 100);
  assert_int_equal(load_peak(loads_of(boards_loads(b), 0), T0, T0 + WHEN_DAY).runs, peak.runs);
  boards_free(b);
  stats_cache_free(stats);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_curve_of_all_places), cmocka_unit_test(the_same_sum_in_every_form),
      cmocka_unit_test(slices_come_to_an_end),   cmocka_unit_test(quotas_by_region),
      cmocka_unit_test(loads_come_and_go),
  };
  return cmocka_run_group_tests_name("boards", tests, NULL, NULL);
}
