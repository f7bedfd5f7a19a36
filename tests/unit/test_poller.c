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

/* A page of runs in the model, and its note. began: how long ago each began, newest first. */
static struct ask_effect answer_runs(struct world *w, struct ask *a, const int64_t *ago_ms, size_t count,
                                     const char *state, const char *token)
{
  if (a->kind != ASK_RUNS)
    return answer(w, a, ERR_OK, NULL); /* the list, which is asked along with all runs */
  struct ask_outcome o = {.kind = ERR_OK,
                          .next_token = token,
                          .count = count,
                          .sent_wall_ms = w->now.wall_ms,
                          .newest_ms = WHEN_NONE,
                          .oldest_ms = WHEN_NONE,
                          .ordered = true};
  for (size_t i = 0; i < count; i++) {
    char id[80];
    int64_t began = NOW - ago_ms[i];
    snprintf(id, sizeof id, "jr_%064llx", (unsigned long long)(ago_ms[i] + 1));
    struct run_data d = {.id = id,
                         .job = model_str(w->m, a->job),
                         .state = state,
                         .started_ms = began,
                         .modified_ms = WHEN_NONE,
                         .completed_ms = strcmp(state, "RUNNING") == 0 ? WHEN_NONE : began + WHEN_MINUTE,
                         .execution_seconds = RECORD_ABSENT,
                         .timeout_minutes = RECORD_ABSENT,
                         .workers = 2,
                         .worker_type = "G.1X",
                         .max_capacity = (double)NAN,
                         .dpu_seconds = (double)NAN};
    assert_true(model_put_run(w->m, 0, a->job, &d, w->now.wall_ms, NULL));
    o.ordered = o.ordered && (i == 0 || ago_ms[i] >= ago_ms[i - 1]);
    o.newest_ms = o.newest_ms == WHEN_NONE || began > o.newest_ms ? began : o.newest_ms;
    o.oldest_ms = o.oldest_ms == WHEN_NONE || began < o.oldest_ms ? began : o.oldest_ms;
  }
  struct ask_effect e = poller_note(w->p, w->m, a, &o, &w->now);
  if (e.add_span)
    model_add_span(w->m, 0, a->job, e.from_ms, e.to_ms, e.to_end);
  struct job *j = model_job_mutable(w->m, 0, a->job);
  j->unordered = j->unordered || e.unordered;
  if (e.done)
    j->top_read_ms = e.began_ms;
  ask_fini(a);
  return e;
}

static struct job_data definition(const char *name, const char *command)
{
  return (struct job_data){.name = name,
                           .command_name = command,
                           .created_ms = WHEN_NONE,
                           .modified_ms = 1,
                           .max_concurrent_runs = RECORD_ABSENT,
                           .max_retries = RECORD_ABSENT,
                           .timeout_minutes = RECORD_ABSENT,
                           .workers = RECORD_ABSENT,
                           .notify_delay_minutes = RECORD_ABSENT,
                           .max_capacity = (double)NAN};
}

static strid define(struct world *w, const char *name, const char *command)
{
  struct job_data d = definition(name, command);
  model_put_job(w->m, 0, &d, NOW);
  return model_list_job(w->m, 0, name, NOW)->name;
}

static void later(struct world *w, int64_t ms)
{
  w->now.wall_ms += ms;
  w->now.mono_ms += ms;
}

/* Everything is known and late by as much in proportion: what runs and what is on the screen, then the rest. */
static void read_all(struct world *w, strid running)
{
  static const int64_t old[] = {20 * WHEN_DAY};
  static const int64_t young[] = {WHEN_MINUTE};
  struct ask asks[8];
  for (size_t n = next(w, asks, 8); n > 0; n = next(w, asks, 8))
    for (size_t i = 0; i < n; i++)
      answer_runs(w, &asks[i], asks[i].job == running ? young : old, 1,
                  asks[i].job == running ? "RUNNING" : "SUCCEEDED", NULL);
}

static void test_the_order_of_wants(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  static const int64_t young[] = {WHEN_MINUTE};
  world_open(&w, -1);
  strid rest = define(&w, "rest", "glueetl");
  strid running = define(&w, "running", "glueetl");
  strid shown = define(&w, "shown", "glueetl");
  want(&w, WANT_ALL_RUNS, 0, WANT_BEHIND);
  want(&w, WANT_RUNS, shown, WANT_ON_SCREEN);
  read_all(&w, running);
  /* each when it is due, and no earlier */
  later(&w, 10500);
  assert_int_equal(next(&w, asks, 8), 1);
  assert_int_equal(asks[0].job, running);
  assert_int_equal(asks[0].why, ASK_WHY_LIVE);
  answer_runs(&w, &asks[0], young, 1, "RUNNING", NULL);
  later(&w, 5000);
  assert_int_equal(next(&w, asks, 8), 1);
  assert_int_equal(asks[0].job, shown);
  assert_int_equal(asks[0].why, ASK_WHY_SCREEN);
  poller_forget(w.p, w.m, &asks[0]);
  ask_fini(&asks[0]);
  /* late, all of them: in proportion to their rhythm, and by their worth */
  later(&w, 2 * WHEN_HOUR);
  size_t n = next(&w, asks, 8);
  size_t at[3] = {0};
  for (size_t i = 0; i < n; i++) {
    const strid jobs[] = {shown, running, rest};
    for (size_t k = 0; k < 3; k++)
      at[k] = asks[i].job == jobs[k] ? i + 1 : at[k];
  }
  assert_true(at[0] > 0 && at[1] > 0 && at[2] > at[0] && at[2] > at[1]);
  for (size_t i = 0; i < n; i++) {
    poller_forget(w.p, w.m, &asks[i]);
    ask_fini(&asks[i]);
  }
  world_close(&w);
}

static void test_newest_first_until_what_was_read_is_met(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  strid job = define(&w, "orders", "glueetl");
  wants_add(&w.w,
            &(struct want){
                .kind = WANT_RUNS, .context = -1, .job = job, .since_ms = NOW - 30 * WHEN_DAY, .until_ms = INT64_MAX});
  static const int64_t first[] = {WHEN_HOUR, 5 * WHEN_DAY, 40 * WHEN_DAY};
  assert_int_equal(next(&w, asks, 8), 1);
  struct ask_effect e =
      answer_runs(&w, &asks[0], first, 3, "SUCCEEDED", "more"); /* 37 days and a half are deep enough */
  assert_true(e.done && e.complete);
  /* a day later: new ones, more than a page holds; it is read on until the newest known one is passed, and no further */
  later(&w, WHEN_DAY);
  static const int64_t second[] = {-20 * WHEN_HOUR, -10 * WHEN_HOUR};
  static const int64_t third[] = {-5 * WHEN_HOUR, 2 * WHEN_HOUR};
  assert_int_equal(next(&w, asks, 8), 1);
  assert_true(asks[0].page_size < 200);
  e = answer_runs(&w, &asks[0], second, 2, "SUCCEEDED", "a");
  assert_false(e.done);
  assert_int_equal(next(&w, asks, 8), 1);
  assert_string_equal(asks[0].token, "a");
  e = answer_runs(&w, &asks[0], third, 2, "SUCCEEDED", "b");
  assert_true(e.done && e.complete && !e.unordered);
  assert_true(model_runs_read(model_job(w.m, 0, job), NOW - 30 * WHEN_DAY, NOW));
  assert_int_equal(next(&w, asks, 8), 0);
  world_close(&w);
}

static void test_not_newest_first(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  strid job = define(&w, "orders", "glueetl");
  want(&w, WANT_RUNS, job, WANT_ON_SCREEN);
  static const int64_t ages[] = {60 * WHEN_DAY, 50 * WHEN_DAY, WHEN_HOUR};
  assert_int_equal(next(&w, asks, 8), 1);
  struct ask_effect e = answer_runs(&w, &asks[0], ages, 3, "SUCCEEDED", "a");
  assert_true(e.unordered && !e.done && !e.add_span); /* nothing older than the window can be told from it */
  assert_int_equal(next(&w, asks, 8), 1);
  static const int64_t more[] = {2 * WHEN_HOUR};
  e = answer_runs(&w, &asks[0], more, 1, "SUCCEEDED", NULL);
  assert_true(e.done && e.complete && e.to_end);
  /* and the next time again to its end, in large pages */
  later(&w, WHEN_MINUTE);
  assert_int_equal(next(&w, asks, 8), 1);
  assert_int_equal(asks[0].page_size, 200);
  e = answer_runs(&w, &asks[0], more, 1, "SUCCEEDED", "x");
  assert_false(e.done);
  assert_int_equal(next(&w, asks, 8), 1);
  answer_runs(&w, &asks[0], ages, 3, "SUCCEEDED", NULL);
  world_close(&w);
}

/* StartedOn is the acceptance: a batch run works for seven days at most after it, a stream for ever. */
static void test_depth(void **state)
{
  (void)state;
  static const struct {
    const char *command;
    int64_t oldest; /* of the first page */
    bool deep_enough;
  } cases[] = {{"glueetl", 6 * WHEN_DAY, false},
               {"glueetl", 8 * WHEN_DAY + WHEN_HOUR, true},
               {"pythonshell", 8 * WHEN_DAY + WHEN_HOUR, true},
               {"gluestreaming", 40 * WHEN_DAY, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct world w;
    struct ask asks[8];
    world_open(&w, -1);
    strid job = define(&w, "orders", cases[i].command);
    want(&w, WANT_RUNS, job, WANT_ON_SCREEN); /* one day */
    assert_int_equal(next(&w, asks, 8), 1);
    const int64_t ages[] = {WHEN_HOUR, cases[i].oldest};
    struct ask_effect e = answer_runs(&w, &asks[0], ages, 2, "SUCCEEDED", "a");
    if (e.done != cases[i].deep_enough)
      fail_msg("case %zu", i);
    world_close(&w);
  }
}

static void test_refresh_by_hand(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, 0);
  strid shown = define(&w, "orders", "glueetl");
  define(&w, "hidden", "glueetl");
  want(&w, WANT_RUNS, shown, WANT_ON_SCREEN);
  static const int64_t ages[] = {WHEN_HOUR, 60 * WHEN_DAY};
  assert_int_equal(next(&w, asks, 8), 1);
  answer_runs(&w, &asks[0], ages, 2, "SUCCEEDED", NULL);
  later(&w, WHEN_DAY);
  assert_int_equal(next(&w, asks, 8), 0); /* only by hand */
  assert_true(poller_quiet(w.p, w.m, &w.now));
  poller_refresh(w.p, w.m, &w.w);
  assert_false(poller_quiet(w.p, w.m, &w.now));
  assert_int_equal(next(&w, asks, 8), 1);
  assert_int_equal(asks[0].job, shown);
  poller_refresh(w.p, w.m, &w.w); /* twice is once */
  struct ask more[8];
  assert_int_equal(next(&w, more, 8), 0);
  answer_runs(&w, &asks[0], ages, 2, "SUCCEEDED", NULL);
  world_close(&w);
}

/* One operation that is refused for its rate again and again is told after half a minute, though others get through. */
static void test_what_is_throttled_for_long_is_told(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  want(&w, WANT_TRIGGERS, 0, WANT_ON_SCREEN);
  bool told = false;
  int64_t began = w.now.mono_ms;
  while (!told) {
    assert_true(w.now.mono_ms - began < WHEN_MINUTE);
    if (next(&w, asks, 8) == 1) {
      later(&w, 5000); /* as long as the transport tries by itself */
      budget_passed(poller_budget(w.p, 0), w.now.mono_ms);
      struct ask_effect e = answer(&w, &asks[0], ERR_THROTTLED, NULL);
      told = e.told;
      assert_int_equal(told, w.now.mono_ms - began >= 30000);
    } else {
      later(&w, poller_next_ms(w.p) - w.now.mono_ms);
    }
  }
  world_close(&w);
}

/* A first reading of thousands under a tight limit: a person's question goes first, and what the screen asks again and again leaves
 * something for the others. */
static void test_interactive_first_and_nobody_starves(void **state)
{
  (void)state;
  struct world w;
  struct ask asks[8];
  world_open(&w, -1);
  w.now.looked_at = true;
  strid shown[40];
  for (int i = 0; i < 400; i++) {
    char name[32];
    snprintf(name, sizeof name, "job-%03d", i);
    strid job = define(&w, name, "glueetl");
    if (i < 40)
      shown[i] = job;
  }
  want(&w, WANT_ALL_RUNS, 0, WANT_BEHIND);
  for (int i = 0; i < 40; i++)
    want(&w, WANT_RUNS, shown[i], WANT_ON_SCREEN);
  next(&w, asks, 0); /* the budget of the place is made */
  struct budget *b = poller_budget(w.p, 0);
  budget_init(b, 1, 1, w.now.mono_ms); /* a request a second: less than the screen alone wants */
  static const int64_t ages[] = {8 * WHEN_DAY + WHEN_HOUR};
  size_t first_reads = 0, screen_reads = 0;
  for (int second = 0; second < 600; second++) {
    later(&w, WHEN_SECOND);
    for (size_t n = next(&w, asks, 8), i = 0; i < n; i++) {
      first_reads += asks[i].why == ASK_WHY_FIRST;
      screen_reads += asks[i].why == ASK_WHY_SCREEN;
      answer_runs(&w, &asks[i], ages, 1, "SUCCEEDED", NULL);
    }
  }
  assert_true(first_reads > 100 && screen_reads > 100);
  /* a person opens a run: asked in this very turn, whatever waits */
  wants_add(&w.w, &(struct want){.kind = WANT_JOB, .context = -1, .job = shown[3], .urgency = WANT_ON_SCREEN});
  while (next(&w, asks, 1) == 1 && asks[0].kind != ASK_JOB)
    poller_forget(w.p, w.m, &asks[0]), ask_fini(&asks[0]);
  assert_int_equal(asks[0].kind, ASK_JOB);
  ask_fini(&asks[0]);
  /* a start does not ask: the others wait a little longer for it */
  int64_t before = budget_next_ms(b, false, w.now.mono_ms);
  poller_spent(w.p, 0, w.now.mono_ms);
  assert_true(budget_next_ms(b, false, w.now.mono_ms) >= before + 900);
  world_close(&w);
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
      cmocka_unit_test(test_the_order_of_wants),
      cmocka_unit_test(test_newest_first_until_what_was_read_is_met),
      cmocka_unit_test(test_not_newest_first),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_refresh_by_hand),
      cmocka_unit_test(test_what_is_throttled_for_long_is_told),
      cmocka_unit_test(test_interactive_first_and_nobody_starves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
