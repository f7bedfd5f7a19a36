/* Prices and quotas in the loop: asked once a day and after everything else, kept, refused in whole, waited for by nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app/app.h"
#include "base/xalloc.h"
#include "fake_aws.h"

#define NOW      INT64_C(1790000000000)
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct price_offer good_list[] = {
    {.sku = "A",
     .region = "eu-west-1",
     .usagetype = "EU-ETL-DPU-Hour",
     .operation = "Jobrun",
     .usd = "0.4500000000",
     .published = "2026-09-20T00:00:00Z",
     .effective_ms = WHEN_NONE},
    {.sku = "B",
     .region = "eu-west-1",
     .usagetype = "EU-ETL-Flex-DPU-Hour",
     .operation = "FlexJobrun",
     .usd = "0.31",
     .published = "2026-09-20T00:00:00Z",
     .effective_ms = WHEN_NONE},
};
static const struct price_offer absurd_list[] = {
    {.sku = "A", .region = "eu-west-1", .usagetype = "EU-ETL-DPU-Hour", .usd = "0.46", .effective_ms = WHEN_NONE},
    {.sku = "B", .region = "eu-west-1", .usagetype = "EU-ETL-Flex-DPU-Hour", .usd = "3100", .effective_ms = WHEN_NONE},
};

struct scene {
  struct app *app;
  struct price_table *prices;
  bool jobs_too, on_screen;
  int64_t until_ms;            /* leave then; 0: when quiet */
  bool refresh;                /* r is pressed in the next turn */
  uint64_t runs_before_prices; /* GetJobRuns that had left when the first GetProducts did */
  bool was_quiet;
};

static void scene_input(void *front, bool ready, struct intents *out)
{
  struct scene *s = front;
  (void)ready;
  if (fake.calls[FAKE_PRICES] == 0)
    s->runs_before_prices = fake.calls[FAKE_GET_JOB_RUNS];
  if (s->refresh)
    intents_add(out, INTENT_REFRESH);
  s->refresh = false;
}

static void scene_wants(void *front, struct wants *out)
{
  const struct scene *s = front;
  enum want_urgency urgency = s->on_screen ? WANT_ON_SCREEN : WANT_BEHIND;
  wants_add(out, &(struct want){.kind = WANT_IDENTITY, .context = -1});
  wants_add(out, &(struct want){.kind = WANT_PRICES, .context = -1, .urgency = urgency});
  wants_add(out, &(struct want){.kind = WANT_QUOTAS, .context = -1, .urgency = urgency});
  if (s->jobs_too) {
    wants_add(out, &(struct want){.kind = WANT_JOBS, .context = -1});
    wants_add(out,
              &(struct want){.kind = WANT_ALL_RUNS, .context = -1, .since_ms = NOW - WHEN_DAY, .until_ms = INT64_MAX});
  }
}

static void scene_frame(void *front, const struct model *m, int64_t now_ms, bool quiet)
{
  struct scene *s = front;
  (void)m;
  (void)now_ms;
  s->was_quiet = quiet;
}

static bool scene_done(void *front)
{
  struct scene *s = front;
  int64_t now = clock_wall_ms(&fake.clock);
  assert_true(now < NOW + 100 * WHEN_DAY);
  return s->until_ms != 0 ? now >= s->until_ms : s->was_quiet;
}

static const struct front_ops scene_ops = {
    .name = "scene", .input = scene_input, .wants = scene_wants, .frame = scene_frame, .done = scene_done};

static void scene_open(struct scene *s, const struct app_options *more)
{
  static const struct app_context_option context = {.profile = NULL};
  struct app_options o = more == NULL ? (struct app_options){.refresh_seconds = -1} : *more;
  *s = (struct scene){.prices = price_table_new()};
  o.contexts = &context;
  o.context_count = 1;
  o.clock = &fake.clock;
  o.test_fd = -1;
  o.prices = s->prices;
  struct err e = app_new(&o, &s->app);
  assert_false(err_is(&e));
}

static void scene_run(struct scene *s, int64_t for_ms)
{
  s->was_quiet = false;
  s->until_ms = for_ms == 0 ? 0 : clock_wall_ms(&fake.clock) + for_ms;
  struct err e = app_run(s->app, &scene_ops, s);
  assert_false(err_is(&e));
}

/* A long time passes at one go (a laptop sleeps), and a minute more. */
static void scene_pass(struct scene *s, int64_t ms)
{
  clock_advance(&fake.clock, ms - WHEN_MINUTE);
  scene_run(s, WHEN_MINUTE);
}

static void scene_close(struct scene *s)
{
  app_free(s->app);
  price_table_free(s->prices);
}

static const struct place *scene_place(const struct scene *s)
{
  const struct model *m = app_model(s->app);
  return &m->places[m->contexts[0].place];
}

static struct price standard(const struct scene *s)
{
  return price_find(s->prices, "eu-west-1", PRICE_STANDARD, PRICE_GEN_1);
}

static void allowed(void)
{
  fake_reset(NOW);
  fake.offers = good_list;
  fake.offer_count = COUNT(good_list);
  fake.quotas[QUOTA_DPU] = 300;
}

static void asked_once_a_day(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  scene_open(&s, NULL);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  assert_true(standard(&s).origin == PRICE_FROM_LIST && standard(&s).nano_per_hour == 450000000);
  assert_string_equal(standard(&s).date, "2026-09-20");
  assert_true(scene_place(&s)->quotas[QUOTA_DPU] == 300 && isnan(scene_place(&s)->quotas[QUOTA_RUNS]));
  assert_int_equal(scene_place(&s)->prices_fresh.next_try_ms - scene_place(&s)->prices_fresh.fetched_ms, WHEN_DAY);
  scene_pass(&s, 23 * WHEN_HOUR);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  fake.quotas[QUOTA_DPU] = 0; /* it is not listed any more: the default again */
  scene_pass(&s, 2 * WHEN_HOUR);
  assert_true(fake.calls[FAKE_PRICES] == 2 && fake.calls[FAKE_QUOTAS] == 2);
  assert_true(isnan(scene_place(&s)->quotas[QUOTA_DPU]));
  scene_close(&s);
}

static void denied_is_no_trouble(void **state)
{
  static const enum err_kind kinds[] = {ERR_DENIED, ERR_NOT_FOUND, ERR_TOO_BIG};
  (void)state;
  for (size_t i = 0; i < COUNT(kinds); i++) {
    struct scene s;
    allowed();
    fake.faults[FAKE_PRICES] = fake.faults[FAKE_QUOTAS] =
        (struct fake_fault){.kind = kinds[i], .count = -1, .unsupported = kinds[i] == ERR_NOT_FOUND};
    scene_open(&s, NULL);
    scene_run(&s, 0);
    scene_pass(&s, 23 * WHEN_HOUR);
    assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
    assert_int_equal(app_model(s.app)->problem_count, 0); /* no alarm */
    assert_int_equal(standard(&s).origin, PRICE_BUILT_IN);
    assert_int_equal(scene_place(&s)->prices_fresh.last_err.kind, kinds[i]);
    assert_int_equal(scene_place(&s)->quotas_fresh.last_err.kind, kinds[i]);
    if (kinds[i] == ERR_NOT_FOUND)
      assert_string_equal(err_message(&scene_place(&s)->prices_fresh.last_err),
                          "the endpoint does not know the Price List");
    /* allowed on the next day */
    fake.faults[FAKE_PRICES].count = fake.faults[FAKE_QUOTAS].count = 0;
    scene_pass(&s, 2 * WHEN_HOUR);
    assert_int_equal(standard(&s).origin, PRICE_FROM_LIST);
    assert_false(err_is(&scene_place(&s)->prices_fresh.last_err) || err_is(&scene_place(&s)->quotas_fresh.last_err));
    scene_close(&s);
  }
}

static void trouble_is_met_again_after_an_hour(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  fake.faults[FAKE_PRICES] = (struct fake_fault){.kind = ERR_NETWORK, .count = 2};
  scene_open(&s, NULL);
  scene_run(&s, 0);
  scene_pass(&s, 50 * WHEN_MINUTE);
  assert_int_equal(fake.calls[FAKE_PRICES], 1);
  scene_pass(&s, 20 * WHEN_MINUTE);
  assert_int_equal(fake.calls[FAKE_PRICES], 2);
  scene_pass(&s, WHEN_HOUR);
  assert_int_equal(fake.calls[FAKE_PRICES], 3);
  assert_int_equal(standard(&s).origin, PRICE_FROM_LIST);
  scene_close(&s);
}

static void silence_holds_nobody_up(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  fake.silent = true;
  scene_open(&s, NULL);
  scene_run(&s, 0);
  assert_true(clock_wall_ms(&fake.clock) - NOW < 5 * WHEN_SECOND);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  assert_int_equal(standard(&s).origin, PRICE_BUILT_IN);
  /* the loop has ended without an answer, which is one: the next command within the hour does not wait */
  assert_int_equal(scene_place(&s)->prices_fresh.last_err.kind, ERR_TIMEOUT);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  scene_close(&s);
}

/* Nothing of an answer is used when anything of it cannot be. What was known before stays. */
static void absurd_answers_are_refused_in_whole(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  scene_open(&s, NULL);
  scene_run(&s, 0);
  fake.offers = absurd_list;
  fake.quotas_refused = "that cannot be";
  fake.quotas[QUOTA_DPU] = 5;
  scene_pass(&s, 25 * WHEN_HOUR);
  assert_int_equal(fake.calls[FAKE_PRICES], 2);
  assert_int_equal(standard(&s).nano_per_hour, 450000000);
  assert_true(scene_place(&s)->quotas[QUOTA_DPU] == 300);
  assert_non_null(strstr(err_message(&scene_place(&s)->prices_fresh.last_err), "$3100"));
  assert_string_equal(err_message(&scene_place(&s)->quotas_fresh.last_err), "that cannot be");
  scene_close(&s);
  /* a product that nobody can read could be any of them */
  allowed();
  fake.unreadable_products = 1;
  scene_open(&s, NULL);
  scene_run(&s, 0);
  assert_int_equal(standard(&s).origin, PRICE_BUILT_IN);
  scene_close(&s);
}

static void pages_are_read_to_their_end(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  fake.rate_pages = 4;
  scene_open(&s, NULL);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 4 && fake.calls[FAKE_QUOTAS] == 4);
  assert_true(standard(&s).origin == PRICE_FROM_LIST && scene_place(&s)->quotas[QUOTA_DPU] == 300);
  scene_close(&s);
  static const struct {
    int pages;
    bool repeats;
  } endless[] = {{1000, false}, {0, true}};
  for (size_t i = 0; i < COUNT(endless); i++) {
    allowed();
    fake.rate_pages = endless[i].pages;
    fake.rate_token_repeats = endless[i].repeats;
    scene_open(&s, NULL);
    scene_run(&s, 0);
    scene_pass(&s, WHEN_HOUR);
    assert_true(fake.calls[FAKE_PRICES] <= 20 && fake.calls[FAKE_QUOTAS] <= 20);
    assert_int_equal(standard(&s).origin, PRICE_BUILT_IN);
    assert_int_equal(scene_place(&s)->prices_fresh.last_err.kind, ERR_PARSE);
    scene_close(&s);
  }
}

/* From one start to the next: answers and refusals alike. */
static void kept_from_start_to_start(void **state)
{
  char folder[] = "/tmp/gluetop-rates-XXXXXX";
  struct app_options o = {.refresh_seconds = -1, .store_path = folder};
  struct scene s;
  (void)state;
  assert_non_null(mkdtemp(folder));
  allowed();
  scene_open(&s, &o);
  scene_run(&s, 0);
  scene_close(&s);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  scene_open(&s, &o);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 1 && fake.calls[FAKE_QUOTAS] == 1);
  assert_true(standard(&s).origin == PRICE_FROM_LIST && standard(&s).nano_per_hour == 450000000);
  assert_true(scene_place(&s)->quotas[QUOTA_DPU] == 300);
  /* tomorrow it is denied: what is known stays, the next start does not ask */
  fake.faults[FAKE_PRICES] = fake.faults[FAKE_QUOTAS] = (struct fake_fault){.kind = ERR_DENIED, .count = -1};
  scene_pass(&s, 25 * WHEN_HOUR);
  scene_close(&s);
  assert_true(fake.calls[FAKE_PRICES] == 2 && fake.calls[FAKE_QUOTAS] == 2);
  scene_open(&s, &o);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 2 && fake.calls[FAKE_QUOTAS] == 2);
  assert_true(standard(&s).nano_per_hour == 450000000 && scene_place(&s)->quotas[QUOTA_DPU] == 300);
  assert_int_equal(scene_place(&s)->prices_fresh.last_err.kind, ERR_DENIED);
  scene_close(&s);
  /* another account's quotas are its own */
  fake.account = "222222222222";
  scene_open(&s, &o);
  scene_run(&s, 0);
  assert_true(fake.calls[FAKE_PRICES] == 2 && fake.calls[FAKE_QUOTAS] == 3);
  assert_true(isnan(scene_place(&s)->quotas[QUOTA_DPU]));
  scene_close(&s);
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
    char *file = xasprintf("%s/%s", folder, e->d_name);
    unlink(file); /* "." and ".." are none */
    free(file);
  }
  closedir(d);
  rmdir(folder);
}

static void no_list_or_not_wished(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  fake.no_pricing = "partition aws-us-gov has no Price List";
  scene_open(&s, NULL);
  scene_run(&s, 0);
  scene_pass(&s, WHEN_HOUR);
  assert_int_equal(fake.calls[FAKE_PRICES], 0);
  assert_string_equal(err_message(&scene_place(&s)->prices_fresh.last_err), fake.no_pricing);
  assert_int_equal(app_model(s.app)->problem_count, 0);
  scene_close(&s);
  allowed();
  scene_open(&s, &(struct app_options){.refresh_seconds = -1, .no_quotas = true});
  scene_run(&s, 0);
  scene_pass(&s, 48 * WHEN_HOUR);
  assert_true(fake.calls[FAKE_PRICES] > 1 && fake.calls[FAKE_QUOTAS] == 0);
  scene_close(&s);
}

static void by_hand(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  scene_open(&s, NULL);
  scene_run(&s, 0);
  s.refresh = true; /* in a view that does not show them */
  scene_run(&s, WHEN_MINUTE);
  assert_int_equal(fake.calls[FAKE_PRICES], 1);
  s.on_screen = true;
  scene_run(&s, WHEN_SECOND);
  s.refresh = true;
  scene_run(&s, WHEN_MINUTE);
  assert_true(fake.calls[FAKE_PRICES] == 2 && fake.calls[FAKE_QUOTAS] == 2);
  scene_close(&s);
  /* --refresh 0: once, and then by hand alone */
  allowed();
  scene_open(&s, &(struct app_options){.refresh_seconds = 0});
  scene_run(&s, 0);
  scene_pass(&s, 50 * WHEN_HOUR);
  assert_int_equal(fake.calls[FAKE_PRICES], 1);
  s.on_screen = true;
  scene_run(&s, WHEN_SECOND);
  s.refresh = true;
  scene_run(&s, WHEN_MINUTE);
  assert_int_equal(fake.calls[FAKE_PRICES], 2);
  scene_close(&s);
}

/* Where requests are counted, these are the last. */
static void behind_everything_else(void **state)
{
  struct scene s;
  (void)state;
  allowed();
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "job-%02d", i);
    fake_add_run(fake_add_job(name, "glueetl"), "SUCCEEDED", NOW - WHEN_HOUR, NOW - WHEN_MINUTE);
  }
  scene_open(&s, &(struct app_options){.refresh_seconds = -1, .max_requests_per_second = 4});
  s.jobs_too = true;
  scene_run(&s, 0);
  assert_int_equal(fake.calls[FAKE_PRICES], 1);
  assert_int_equal(s.runs_before_prices, 40);
  assert_int_equal(standard(&s).origin, PRICE_FROM_LIST); /* and waited for, a moment */
  scene_close(&s);
  fake_free();
  /* one request in twenty seconds: that moment is not as long */
  allowed();
  scene_open(&s, &(struct app_options){.refresh_seconds = -1, .max_requests_per_second = 0.05});
  scene_run(&s, 0);
  assert_true(clock_wall_ms(&fake.clock) - NOW < 10 * WHEN_SECOND);
  assert_int_equal(standard(&s).origin, PRICE_BUILT_IN);
  scene_run(&s, 2 * WHEN_MINUTE);
  assert_int_equal(standard(&s).origin, PRICE_FROM_LIST);
  scene_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asked_once_a_day),
      cmocka_unit_test(denied_is_no_trouble),
      cmocka_unit_test(trouble_is_met_again_after_an_hour),
      cmocka_unit_test(silence_holds_nobody_up),
      cmocka_unit_test(absurd_answers_are_refused_in_whole),
      cmocka_unit_test(pages_are_read_to_their_end),
      cmocka_unit_test(kept_from_start_to_start),
      cmocka_unit_test(no_list_or_not_wished),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(behind_everything_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
