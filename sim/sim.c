#include "sim/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/xalloc.h"
#include "sim/rng.h"

void sim_options_init(struct sim_options *o)
{
  *o = (struct sim_options){.seed = 1, .now_ms = WHEN_NONE, .jobs = 2000, .runs = 400000};
}

int64_t sim_world_now(struct sim_world *w)
{
  return clock_wall_ms(&w->clock) - w->shift_ms;
}

struct sim_tally *sim_world_tally(struct sim_world *w, const char *operation)
{
  for (size_t i = 0; i < w->tally_count; i++)
    if (strcmp(w->tallies[i].operation, operation) == 0)
      return &w->tallies[i];
  /* Names come from the wire: a flood of invented ones is counted under one. */
  if (w->tally_count >= 256)
    return &w->tallies[0];
  w->tallies = xgrow(w->tallies, &w->tally_cap, w->tally_count + 1, sizeof *w->tallies);
  struct sim_tally *t = &w->tallies[w->tally_count++];
  *t = (struct sim_tally){.operation = ""};
  snprintf(t->operation, sizeof t->operation, "%s", operation);
  return t;
}

static void copy_keys(struct sim_world *w, const struct sim_options *o)
{
  static const struct sim_key standard = {.access_key = SIM_ACCESS_KEY, .secret_key = SIM_SECRET_KEY};
  const struct sim_key *from = o->key_count > 0 ? o->keys : &standard;
  w->key_count = o->key_count > 0 ? o->key_count : 1;
  w->keys = xgrow(w->keys, &w->key_cap, w->key_count, sizeof *w->keys);
  for (size_t i = 0; i < w->key_count; i++)
    w->keys[i] = (struct sim_key){.access_key = arena_strdup(&w->memory, from[i].access_key),
                                  .secret_key = arena_strdup(&w->memory, from[i].secret_key),
                                  .session_token = arena_strdup(&w->memory, from[i].session_token),
                                  .expires_ms = from[i].expires_ms,
                                  .account_id = arena_strdup(&w->memory, from[i].account_id),
                                  .arn = arena_strdup(&w->memory, from[i].arn)};
  w->any_key = o->any_key;
}

struct err sim_world_fill(const struct sim_world *w, struct sim_account *a, const char *kind)
{
  if (strcmp(kind, "demo") == 0)
    return sim_story_fill(a);
  if (strcmp(kind, "large") == 0)
    return sim_large_fill(a, w->large_jobs, w->large_runs);
  if (strcmp(kind, "empty") == 0)
    return err_ok();
  return sim_file_fill(a, kind);
}

/* An account that nobody has asked for costs nothing: it is made when the first key for it is shown. */
struct sim_account *sim_world_account(struct sim_world *w, const char *id)
{
  const char *kind = w->kind;
  if (id == NULL || strcmp(id, w->account_id) == 0)
    return &w->account;
  for (size_t i = 0; i < w->other_count; i++)
    if (strcmp(w->others[i]->id, id) == 0)
      return w->others[i];
  for (size_t i = 0; i < w->wanted_count; i++)
    if (strcmp(w->wanted[i].account_id, id) == 0)
      kind = w->wanted[i].account;
  struct sim_account *a = xcalloc(1, sizeof *a);
  sim_account_init(a, arena_strdup(&w->memory, id), w->account_region, sim_hash(w->seed, id), sim_world_now(w));
  struct err e = sim_world_fill(w, a, kind);
  if (err_is(&e))
    fprintf(stderr, "gluesim: account %s: %s\n", id, err_message(&e));
  err_fini(&e);
  w->others = xgrow(w->others, &w->other_cap, w->other_count + 1, /* an array of pointers */
                    sizeof *w->others);                           /* NOLINT(bugprone-sizeof-expression) */
  w->others[w->other_count++] = a;
  return a;
}

static void copy_others(struct sim_world *w, const struct sim_options *o)
{
  w->wanted_count = o->other_count;
  w->wanted = arena_array(&w->memory, o->other_count + 1, sizeof *w->wanted);
  for (size_t i = 0; i < o->other_count; i++)
    w->wanted[i] = (struct sim_other){arena_strdup(&w->memory, o->others[i].account_id),
                                      arena_strdup(&w->memory, o->others[i].account)};
}

static struct err copy_prices(struct sim_world *w, const struct sim_options *o)
{
  w->prices = arena_array(&w->memory, o->price_count + 1, sizeof(const char *));
  for (size_t i = 0; i < o->price_count; i++) {
    if (strchr(o->prices[i], '=') == NULL)
      return err_new(ERR_USAGE, "a price is written USAGETYPE=USD, not %s", o->prices[i]);
    w->prices[w->price_count++] = arena_strdup(&w->memory, o->prices[i]);
  }
  return err_ok();
}

static struct err world_init(struct sim_world *w, const struct sim_options *o)
{
  struct err e = err_ok();
  const char *region = o->region != NULL ? o->region : SIM_REGION;
  bool any = strcmp(region, "any") == 0;
  snprintf(w->region, sizeof w->region, "%s", any ? "" : region);
  snprintf(w->account_region, sizeof w->account_region, "%s", any ? SIM_REGION : region);
  snprintf(w->account_id, sizeof w->account_id, "%s", o->account_id != NULL ? o->account_id : SIM_ACCOUNT_ID);
  w->seed = o->seed;
  w->control = o->control;
  clock_init_real(&w->clock);
  if (o->manual_clock)
    clock_init_manual(&w->clock, o->now_ms != WHEN_NONE ? o->now_ms : clock_wall_ms(&w->clock));
  w->shift_ms = o->now_ms != WHEN_NONE ? clock_wall_ms(&w->clock) - o->now_ms : 0;
  arena_init(&w->memory);
  copy_keys(w, o);
  copy_others(w, o);
  snprintf(w->kind, sizeof w->kind, "%s", o->account != NULL ? o->account : "demo");
  w->large_jobs = o->jobs;
  w->large_runs = o->runs;
  w->token_lifetime_ms = (o->token_lifetime_s > 0 ? o->token_lifetime_s : 3600) * WHEN_SECOND;
  sim_faults_init(&w->faults, o->seed);
  sim_account_init(&w->account, w->account_id, w->account_region, o->seed, sim_world_now(w));
  e = copy_prices(w, o);
  for (size_t i = 0; i < o->fault_count && !err_is(&e); i++)
    e = sim_faults_parse(&w->faults, o->faults[i]);
  if (!err_is(&e))
    e = sim_world_fill(w, &w->account, w->kind);
  return e;
}

static void world_fini(struct sim_world *w)
{
  sim_account_fini(&w->account);
  for (size_t i = 0; i < w->other_count; i++) {
    sim_account_fini(w->others[i]);
    free(w->others[i]);
  }
  free(w->others);
  free(w->keys);
  free(w->tickets);
  sim_faults_fini(&w->faults);
  free(w->tallies);
  arena_fini(&w->memory);
}

static struct err open_wake_pipe(struct sim *s)
{
  if (pipe(s->wake) != 0) {
    s->wake[0] = s->wake[1] = -1;
    return err_errno(ERR_IO, "cannot make a pipe");
  }
  for (int i = 0; i < 2; i++) {
    fcntl(s->wake[i], F_SETFD, FD_CLOEXEC);
    fcntl(s->wake[i], F_SETFL, O_NONBLOCK);
  }
  return err_ok();
}

struct err sim_new(const struct sim_options *o, struct sim **out)
{
  struct sim *s = xcalloc(1, sizeof *s);
  s->wake[0] = s->wake[1] = -1;
  pthread_mutex_init(&s->lock, NULL);
  struct err e = world_init(&s->world, o);
  if (!err_is(&e))
    e = open_wake_pipe(s);
  if (!err_is(&e))
    e = sim_http_open(s, o->port);
  if (err_is(&e)) {
    sim_free(s);
    s = NULL;
  }
  *out = s;
  return e;
}

static void nudge(struct sim *s, char word)
{
  while (write(s->wake[1], &word, 1) < 0 && errno == EINTR)
    continue;
}

/* Takes what is in the wake pipe; true when it says that this is the end. */
static bool told_to_end(struct sim *s)
{
  char words[64];
  bool end = false;
  for (;;) {
    ssize_t n = read(s->wake[0], words, sizeof words);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return end;
    for (ssize_t i = 0; i < n; i++)
      end = end || words[i] == 'q';
  }
}

/* Lines of the test descriptor: "+MS". False at its end. */
static bool read_steps(struct sim *s, int fd, char *line, size_t *len, size_t size)
{
  char bytes[256];
  ssize_t n = read(fd, bytes, sizeof bytes);
  if (n < 0)
    return errno == EINTR || errno == EAGAIN;
  for (ssize_t i = 0; i < n; i++) {
    if (bytes[i] != '\n') {
      if (*len + 1 < size)
        line[(*len)++] = bytes[i];
      continue;
    }
    line[*len] = '\0';
    *len = 0;
    if (line[0] == '+' && s->world.clock.manual)
      clock_advance(&s->world.clock, strtoll(line + 1, NULL, 10));
  }
  return n > 0;
}

struct err sim_serve(struct sim *s, int stop_fd, int parent_fd, int test_fd)
{
  const int extra[4] = {s->wake[0], stop_fd, parent_fd, test_fd};
  bool ready[4];
  char line[64], byte;
  size_t len = 0;
  bool end = false;
  pthread_mutex_lock(&s->lock);
  while (!end) {
    sim_http_turn(s, extra, ready, 4);
    if (ready[0])
      end = told_to_end(s);
    if (ready[1])
      end = true;
    if (ready[2] && read(parent_fd, &byte, 1) == 0)
      end = true;
    if (ready[3] && !read_steps(s, test_fd, line, &len, sizeof line))
      end = true;
  }
  pthread_mutex_unlock(&s->lock);
  return err_ok();
}

static void *serve_in_thread(void *cls)
{
  struct err e = sim_serve(cls, -1, -1, -1);
  err_fini(&e);
  return NULL;
}

struct err sim_start(struct sim *s)
{
  int code = pthread_create(&s->thread, NULL, serve_in_thread, s);
  if (code != 0) {
    errno = code;
    return err_errno(ERR_IO, "cannot start a thread");
  }
  s->thread_runs = true;
  return err_ok();
}

void sim_free(struct sim *s)
{
  if (s == NULL)
    return;
  if (s->thread_runs) {
    nudge(s, 'q');
    pthread_join(s->thread, NULL);
  }
  sim_http_close(s);
  for (int i = 0; i < 2; i++)
    if (s->wake[i] >= 0)
      close(s->wake[i]);
  world_fini(&s->world);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

int sim_port(const struct sim *s)
{
  return s->port;
}

int64_t sim_now(struct sim *s)
{
  pthread_mutex_lock(&s->lock);
  int64_t now = sim_world_now(&s->world);
  pthread_mutex_unlock(&s->lock);
  return now;
}

void sim_advance(struct sim *s, int64_t ms)
{
  pthread_mutex_lock(&s->lock);
  clock_advance(&s->world.clock, ms);
  pthread_mutex_unlock(&s->lock);
  nudge(s, '.');
}

struct err sim_fault_add(struct sim *s, const char *spec)
{
  pthread_mutex_lock(&s->lock);
  struct err e = sim_faults_parse(&s->world.faults, spec);
  pthread_mutex_unlock(&s->lock);
  return e;
}

void sim_faults_clear(struct sim *s)
{
  pthread_mutex_lock(&s->lock);
  sim_faults_fini(&s->world.faults);
  pthread_mutex_unlock(&s->lock);
}

struct sim_count sim_count(struct sim *s, const char *operation)
{
  struct sim_count sum = {0};
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < s->world.tally_count; i++) {
    const struct sim_tally *t = &s->world.tallies[i];
    if (strcmp(operation, "*") != 0 && strcmp(operation, t->operation) != 0)
      continue;
    sum.arrived += t->count.arrived;
    sum.unsigned_ += t->count.unsigned_;
    sum.faulted += t->count.faulted;
    sum.done += t->count.done;
    sum.failed += t->count.failed;
  }
  pthread_mutex_unlock(&s->lock);
  return sum;
}
