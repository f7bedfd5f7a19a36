/* The poller and its budget by themselves: no app, no answers but those that the case gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/model.h"
#include "sync/poller.h"

#define NOW INT64_C(1790000000000)

struct world {
  struct model *m;
  struct poller *p;
  struct wants w;
  enum poller_login login;
  struct poller_now now;
};

static void world_open(struct world *w, double refresh)
{
  *w = (struct world){.login = POLLER_LOGIN_READY};
  w->m = model_new();
  model_add_context(w->m, "default", "", "eu-west-1", "option", "aws", "");
  struct poller_options o = {.refresh_seconds = refresh, .concurrency = 4, .seed = 1};
  w->p = poller_new(&o);
  wants_init(&w->w);
  w->now = (struct poller_now){.wall_ms = NOW, .mono_ms = 1000, .logins = &w->login, .looked_at = true};
}

static void world_close(struct world *w)
{
  wants_fini(&w->w);
  poller_free(w->p);
  model_free(w->m);
}

static void want(struct world *w, enum want_kind kind, strid job, enum want_urgency urgency)
{
  wants_add(&w->w, &(struct want){.kind = kind,
                                  .context = -1,
                                  .job = job,
                                  .urgency = urgency,
                                  .since_ms = NOW - WHEN_DAY,
                                  .until_ms = INT64_MAX});
}

static strid add_job(struct world *w, const char *name)
{
  return model_list_job(w->m, 0, name, NOW)->name;
}

static struct ask_effect answer(struct world *w, struct ask *a, enum err_kind kind, const char *token)
{
  struct ask_outcome o = {.kind = kind,
                          .next_token = token,
                          .sent_wall_ms = NOW,
                          .newest_ms = WHEN_NONE,
                          .oldest_ms = WHEN_NONE,
                          .ordered = true};
  struct ask_effect e = poller_note(w->p, w->m, a, &o, &w->now);
  ask_fini(a);
  return e;
}

static size_t next(struct world *w, struct ask *asks, size_t cap)
{
  return poller_next(w->p, w->m, &w->w, &w->now, asks, cap);
}

static void test_one_request_for_equal_wants(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  strid job = add_job(&w, "orders");
  want(&w, WANT_RUNS, job, WANT_ON_SCREEN);
  want(&w, WANT_ALL_RUNS, 0, WANT_BEHIND);
  size_t n = next(&w, asks, 8);
  size_t runs = 0;
  for (size_t i = 0; i < n; i++)
    runs += asks[i].kind == ASK_RUNS;
  assert_int_equal(runs, 1);
  assert_int_equal(poller_in_flight(w.p), n);
  struct ask more[8];
  assert_int_equal(next(&w, more, 8), 0);
  for (size_t i = 0; i < n; i++)
    answer(&w, &asks[i], ERR_OK, NULL);
  assert_int_equal(poller_in_flight(w.p), 0);
  world_close(&w);
}

static void test_what_is_on_the_screen_comes_first(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  for (int i = 0; i < 50; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%02d", i);
    add_job(&w, name);
  }
  strid shown = strpool_find(w.m->strings, "job-37");
  want(&w, WANT_ALL_RUNS, 0, WANT_BEHIND);
  want(&w, WANT_RUNS, shown, WANT_ON_SCREEN);
  want(&w, WANT_IDENTITY, 0, WANT_ON_SCREEN);
  size_t n = next(&w, asks, 8);
  assert_true(n >= 4);
  assert_int_equal(asks[0].kind, ASK_IDENTITY);
  assert_int_equal(asks[1].kind, ASK_RUNS);
  assert_int_equal(asks[1].job, shown);
  assert_int_equal(asks[1].why, ASK_WHY_SCREEN);
  assert_int_equal(n, 4); /* the rest waits for its turn */
  for (size_t i = 0; i < n; i++)
    poller_forget(w.p, w.m, &asks[i]), ask_fini(&asks[i]);
  /* dropped is not answered: the same again */
  assert_int_equal(next(&w, asks, 8), 4);
  assert_int_equal(asks[1].job, shown);
  for (size_t i = 0; i < 4; i++)
    answer(&w, &asks[i], ERR_OK, NULL);
  world_close(&w);
}

static void test_logins(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  want(&w, WANT_JOBS, 0, WANT_ON_SCREEN);
  w.login = POLLER_LOGIN_WORKING;
  assert_int_equal(next(&w, asks, 8), 0);
  assert_false(poller_quiet(w.p, w.m, &w.now)); /* something may come yet */
  w.login = POLLER_LOGIN_FAILED;
  assert_int_equal(next(&w, asks, 8), 0);
  assert_true(poller_quiet(w.p, w.m, &w.now));
  w.login = POLLER_LOGIN_READY;
  assert_int_equal(next(&w, asks, 8), 1);
  assert_int_equal(asks[0].kind, ASK_JOBS);
  assert_false(poller_quiet(w.p, w.m, &w.now));
  struct ask_effect e = answer(&w, &asks[0], ERR_OK, NULL);
  assert_true(e.done && e.complete && e.names_done);
  assert_true(poller_quiet(w.p, w.m, &w.now));
  world_close(&w);
}

static void test_tokens(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *tokens[4]; /* of the answers, one after the other */
    size_t pages;
    bool complete;
  } cases[] = {
      {"absent", {NULL}, 1, true},           {"empty", {""}, 1, true},
      {"two pages", {"a", NULL}, 2, true},   {"the same twice", {"a", "a"}, 2, false},
      {"a loop", {"a", "b", "a"}, 3, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct world w;
    struct ask asks[8];
    world_open(&w, -1);
    want(&w, WANT_TRIGGERS, 0, WANT_ON_SCREEN);
    struct ask_effect e = {0};
    for (size_t page = 0; page < cases[i].pages; page++) {
      assert_false(e.done);
      assert_int_equal(next(&w, asks, 8), 1);
      assert_int_equal(asks[0].first, page == 0);
      if (page > 0)
        assert_string_equal(asks[0].token, cases[i].tokens[page - 1]);
      e = answer(&w, &asks[0], ERR_OK, cases[i].tokens[page]);
    }
    if (!e.done || e.complete != cases[i].complete || (e.trouble != NULL) == cases[i].complete)
      fail_msg("%s", cases[i].name);
    world_close(&w);
  }
}

static void test_failures_are_spaced(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  want(&w, WANT_TRIGGERS, 0, WANT_ON_SCREEN);
  int64_t last = 0;
  for (int i = 0; i < 6; i++) {
    assert_int_equal(next(&w, asks, 8), 1);
    struct ask_effect e = answer(&w, &asks[0], ERR_SERVER, NULL);
    assert_true(e.failed);
    assert_true(poller_quiet(w.p, w.m, &w.now)); /* nobody waits for it any more */
    assert_int_equal(next(&w, asks, 8), 0);
    int64_t wait = poller_next_ms(w.p) - w.now.mono_ms;
    assert_true(wait >= 2500 && wait <= 5 * WHEN_MINUTE);
    assert_true(i < 2 || wait > last / 2);
    last = wait;
    w.now.mono_ms += wait;
    w.now.wall_ms += wait;
  }
  /* being throttled is no failure yet */
  assert_int_equal(next(&w, asks, 8), 1);
  poller_refresh(w.p, w.m, &w.w);
  struct ask_effect e = answer(&w, &asks[0], ERR_THROTTLED, NULL);
  assert_false(e.failed);
  assert_false(poller_quiet(w.p, w.m, &w.now));
  world_close(&w);
}

static void test_a_suspend_makes_everything_due(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  add_job(&w, "orders");
  want(&w, WANT_ALL_RUNS, 0, WANT_BEHIND);
  size_t n = next(&w, asks, 8);
  for (size_t i = 0; i < n; i++)
    answer(&w, &asks[i], ERR_OK, NULL);
  model_job_mutable(w.m, 0, strpool_find(w.m->strings, "orders"))->top_read_ms = NOW;
  model_add_span(w.m, 0, strpool_find(w.m->strings, "orders"), 0, 0, true);
  assert_int_equal(next(&w, asks, 8), 0);
  /* the lid was shut for an hour: the monotonic clock knows nothing of it */
  w.now.wall_ms += WHEN_HOUR;
  w.now.mono_ms += 100;
  assert_true(next(&w, asks, 8) > 0);
  world_close(&w);
}

static void test_budget(void **state)
{
  (void)state;
  struct budget b;
  budget_init(&b, 0, 1, 0);
  assert_true(isinf(budget_rate(&b)));
  for (int i = 0; i < 1000; i++) {
    assert_true(budget_allows(&b, false, 0));
    budget_take(&b, 0);
  }
  assert_int_equal(budget_last_minute(&b, 59000), 1000);
  assert_int_equal(budget_last_minute(&b, 61000), 0);
  for (int i = 0; i < 20; i++)
    budget_passed(&b, i * 50);
  budget_throttled(&b, 1000);
  assert_true(budget_rate(&b) > 15 && budget_rate(&b) < 25); /* what went through in that second */
  double rate = budget_rate(&b);
  budget_throttled(&b, 1001); /* the same news */
  assert_true(budget_rate(&b) == rate);
  budget_throttled(&b, 2000);
  assert_true(budget_rate(&b) < rate);
  /* a person is let through a little ahead */
  while (budget_allows(&b, false, 2000))
    budget_take(&b, 2000);
  assert_true(budget_allows(&b, true, 2000));
  assert_true(budget_next_ms(&b, false, 2000) > 2000);
  assert_true(budget_next_ms(&b, true, 2000) == INT64_MIN);
  /* never below a request in four seconds */
  for (int i = 0; i < 100; i++)
    budget_throttled(&b, 3000 + i * 1000);
  assert_true(budget_rate(&b) >= 0.25);
  /* what the config file says holds whatever the service lets pass */
  budget_init(&b, 3, 1, 0);
  int sent = 0;
  for (int64_t ms = 0; ms < 10000; ms += 10)
    while (budget_allows(&b, false, ms)) {
      budget_take(&b, ms);
      sent++;
    }
  assert_true(sent >= 29 && sent <= 32);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_request_for_equal_wants),
      cmocka_unit_test(test_what_is_on_the_screen_comes_first),
      cmocka_unit_test(test_logins),
      cmocka_unit_test(test_tokens),
      cmocka_unit_test(test_failures_are_spaced),
      cmocka_unit_test(test_a_suspend_makes_everything_due),
      cmocka_unit_test(test_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
