/* A cold sync through the whole loop (poller, budget, transport, decoding, model) against gluesim over real HTTP: beside a bare curl_multi
 * that fetches the same answers at the same concurrency, reads nothing but the page tokens and keeps nothing; and under a limit of the
 * service, beside the time that this limit takes by itself. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <curl/curl.h>
#include "app/app.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "sigv4/sigv4.h"
#include "tests/bench/sim.h"

#define CONCURRENCY   16
#define NAME_MAX_LEN  80
#define LIMIT         100 /* requests a second */
#define LIMIT_JOBS    "2000"
#define ANSWER_MAX    ((size_t)64 << 20)
#define THROTTLED_MAX 5.0 /* of a hundred */

struct sync {
  struct bench_sim sim;
  size_t want_jobs, want_runs;
  /* of the last sync */
  bool quiet;
  size_t jobs, runs;
  double took_ms;
  uint64_t sent, throttled;
  /* the bare one */
  char (*names)[NAME_MAX_LEN];
  size_t name_count;
};

static double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* --- gluetop's own loop ---------------------------------------------------------------------------------------------------- */

static void front_wants(void *front, struct wants *out)
{
  (void)front;
  wants_add(out, &(struct want){.kind = WANT_JOBS, .context = -1, .urgency = WANT_BEHIND});
  wants_add(
      out,
      &(struct want){
          .kind = WANT_ALL_RUNS, .context = -1, .urgency = WANT_BEHIND, .since_ms = INT64_MIN, .until_ms = INT64_MAX});
}

static void front_frame(void *front, const struct model *m, int64_t at_ms, bool quiet)
{
  struct sync *s = front;
  (void)m;
  (void)at_ms;
  s->quiet = s->quiet || quiet;
}

static bool front_done(void *front)
{
  const struct sync *s = front;
  return s->quiet;
}

/* What was got, and the names for the bare fetch. */
static void look(struct sync *s, const struct model *m)
{
  const struct place *p = &m->places[m->contexts[0].place];
  s->jobs = s->runs = s->name_count = 0;
  s->names = xreallocarray(s->names, p->job_count + 1, sizeof *s->names);
  for (size_t i = 0; i < p->job_count; i++) {
    s->jobs += p->jobs[i].read_to_end;
    s->runs += p->jobs[i].run_count;
    snprintf(s->names[s->name_count++], NAME_MAX_LEN, "%s", model_str(m, p->jobs[i].name));
  }
}

static bool whole_sync(struct sync *s)
{
  static const struct front_ops ops = {.name = "bench", .wants = front_wants, .frame = front_frame, .done = front_done};
  static const struct app_context_option context = {.region = BENCH_REGION};
  struct clock clock;
  struct app *app = NULL;
  clock_init_real(&clock);
  setenv("AWS_ACCESS_KEY_ID", BENCH_KEY_ID, 1);
  setenv("AWS_SECRET_ACCESS_KEY", BENCH_SECRET, 1);
  setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
  unsetenv("AWS_SESSION_TOKEN");
  unsetenv("AWS_PROFILE");
  struct app_options o = {.contexts = &context,
                          .context_count = 1,
                          .endpoint_url = s->sim.url,
                          .read_only = true,
                          .refresh_seconds = -1,
                          .clock = &clock,
                          .test_fd = -1};
  s->quiet = false;
  double began = now_ms();
  struct err e = app_new(&o, &app);
  if (!err_is(&e))
    e = app_run(app, &ops, s);
  s->took_ms = now_ms() - began;
  bool ok = !err_is(&e);
  if (ok) {
    look(s, app_model(app));
    app_count_requests(app, &s->sent, &s->throttled);
  }
  err_fini(&e);
  app_free(app);
  return ok && s->jobs == s->want_jobs && s->runs == s->want_runs;
}

static double measure_sync(void *state)
{
  struct sync *s = state;
  return whole_sync(s) ? s->took_ms : -1;
}

/* --- nothing but curl_multi ------------------------------------------------------------------------------------------------- */

struct bare_slot {
  CURL *handle;
  struct curl_slist *headers;
  char *body;
  struct buf answer;
  const char *operation;
  size_t name; /* whose runs */
};

struct bare {
  struct sync *sync;
  CURLM *multi;
  struct sigv4_keys *keys;
  struct bare_slot slots[CONCURRENCY];
  size_t next_name;
  bool jobs_begun, failed;
};

static size_t keep(char *data, size_t size, size_t count, void *user)
{
  buf_add(user, data, size * count);
  return size * count;
}

static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
  char *line = xasprintf("%s: %s", name, value);
  struct curl_slist *longer = curl_slist_append(*list, line);
  free(line);
  if (longer != NULL)
    *list = longer;
  return longer != NULL;
}

static bool sign(struct bare *b, struct bare_slot *slot)
{
  char target[64];
  struct sigv4_signed made;
  snprintf(target, sizeof target, "AWSGlue.%s", slot->operation);
  struct sigv4_header headers[] = {
      {"Host", b->sync->sim.url + 7}, {"Content-Type", "application/x-amz-json-1.1"}, {"X-Amz-Target", target}};
  struct sigv4_request request = {.method = "POST",
                                  .path = "/",
                                  .headers = headers,
                                  .header_count = 3,
                                  .body = slot->body,
                                  .body_len = strlen(slot->body)};
  struct sigv4_credentials who = {
      .access_key_id = BENCH_KEY_ID, .secret = BENCH_SECRET, .secret_len = sizeof BENCH_SECRET - 1};
  struct clock clock;
  clock_init_real(&clock);
  curl_slist_free_all(slot->headers);
  slot->headers = NULL;
  if (sigv4_sign_headers(b->keys, &request, &who, BENCH_REGION, "glue", clock_wall_ms(&clock), &made) != SIGV4_OK)
    return false;
  bool ok = true;
  for (size_t h = 1; h < 3; h++)
    ok = ok && add_header(&slot->headers, headers[h].name, headers[h].value);
  for (size_t h = 0; h < made.extra_count; h++)
    ok = ok && add_header(&slot->headers, made.extra[h].name, made.extra[h].value);
  sigv4_signed_fini(&made);
  return ok;
}

static void send_page(struct bare *b, struct bare_slot *slot, const char *token)
{
  free(slot->body);
  bool runs = strcmp(slot->operation, "GetJobRuns") == 0;
  char *first = runs ? xasprintf("{\"JobName\":\"%s\",\"MaxResults\":200", b->sync->names[slot->name])
                     : xstrdup("{\"MaxResults\":100");
  slot->body = token != NULL ? xasprintf("%s,\"NextToken\":\"%s\"}", first, token) : xasprintf("%s}", first);
  free(first);
  buf_reset(&slot->answer);
  b->failed = b->failed || !sign(b, slot);
  curl_easy_setopt(slot->handle, CURLOPT_URL, b->sync->sim.url);
  curl_easy_setopt(slot->handle, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(slot->handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(slot->handle, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(slot->handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(slot->handle, CURLOPT_HTTPHEADER, slot->headers);
  curl_easy_setopt(slot->handle, CURLOPT_POSTFIELDS, slot->body);
  curl_easy_setopt(slot->handle, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(slot->handle, CURLOPT_WRITEDATA, &slot->answer);
  curl_easy_setopt(slot->handle, CURLOPT_PRIVATE, slot);
  curl_multi_add_handle(b->multi, slot->handle);
}

/* The list goes along with the runs: nothing waits for it, since the names are known. */
static bool begin_next(struct bare *b, struct bare_slot *slot)
{
  if (!b->jobs_begun) {
    b->jobs_begun = true;
    slot->operation = "GetJobs";
  } else if (b->next_name < b->sync->name_count) {
    slot->operation = "GetJobRuns";
    slot->name = b->next_name++;
  } else {
    return false;
  }
  send_page(b, slot, NULL);
  return true;
}

/* The token stands at the end of the page; malloced, NULL: there is none. */
static char *page_token(const struct buf *answer)
{
  static const char word[] = "\"NextToken\":\"";
  size_t from = answer->len > 1024 ? answer->len - 1024 : 0;
  const char *at = answer->len > 0 ? strstr(answer->data + from, word) : NULL;
  if (at == NULL)
    return NULL;
  at += sizeof word - 1;
  return xasprintf("%.*s", (int)strcspn(at, "\""), at);
}

static double measure_bare(void *state)
{
  struct sync *s = state;
  struct bare b = {.sync = s, .multi = curl_multi_init(), .keys = sigv4_keys_new()};
  size_t running = 0;
  if (s->name_count == 0)
    b.failed = true;
  double began = now_ms();
  for (size_t i = 0; i < CONCURRENCY && !b.failed; i++) {
    b.slots[i].handle = curl_easy_init();
    buf_init(&b.slots[i].answer, ANSWER_MAX);
    running += begin_next(&b, &b.slots[i]);
  }
  while (running > 0 && !b.failed) {
    int busy = 0;
    int left = 0;
    curl_multi_perform(b.multi, &busy);
    for (CURLMsg *m = curl_multi_info_read(b.multi, &left); m != NULL; m = curl_multi_info_read(b.multi, &left)) {
      struct bare_slot *slot = NULL;
      CURL *handle = m->easy_handle;
      long status = 0;
      curl_easy_getinfo(handle, CURLINFO_PRIVATE, &slot);
      curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
      b.failed = b.failed || status != 200;
      curl_multi_remove_handle(b.multi, handle);
      char *token = page_token(&slot->answer);
      if (token != NULL)
        send_page(&b, slot, token);
      else
        running -= !begin_next(&b, slot);
      free(token);
    }
    if (running > 0)
      curl_multi_poll(b.multi, NULL, 0, 1000, NULL);
  }
  double took = now_ms() - began;
  for (size_t i = 0; i < CONCURRENCY; i++) {
    struct bare_slot *slot = &b.slots[i];
    if (slot->handle == NULL)
      continue;
    curl_multi_remove_handle(b.multi, slot->handle);
    curl_easy_cleanup(slot->handle);
    curl_slist_free_all(slot->headers);
    free(slot->body);
    buf_fini(&slot->answer);
  }
  curl_multi_cleanup(b.multi);
  sigv4_keys_free(b.keys);
  return b.failed ? -1 : took;
}

/* --- the rows ------------------------------------------------------------------------------------------------------------------ */

static struct sync *set_up(const char *jobs, const char *runs, const char *fault)
{
  struct sync *s = xcalloc(1, sizeof *s);
  const char *args[] = {"--account", "large", "--jobs", jobs, "--runs", runs, "--fault", fault, NULL};
  s->want_jobs = strtoul(jobs, NULL, 10);
  s->want_runs = strtoul(runs, NULL, 10);
  if (bench_sim_start(&s->sim, args))
    return s;
  free(s);
  return NULL;
}

static void *set_up_far_away(void)
{
  return set_up("2000", "400000", "*:latency=40");
}

static void *set_up_limited(void)
{
  char fault[64];
  snprintf(fault, sizeof fault, "*:throttle=%d", LIMIT);
  return set_up(LIMIT_JOBS, "40000", fault);
}

static void tear_down(void *state)
{
  struct sync *s = state;
  bench_sim_stop(&s->sim);
  free(s->names);
  free(s);
}

/* What the limit takes by itself for the requests that the last sync needed. */
static double floor_limited(void *state)
{
  const struct sync *s = state;
  return s->sent > s->throttled ? (double)(s->sent - s->throttled) / LIMIT * 1000 : -1;
}

/* Of the sync that was timed: it takes long enough once. */
static double throttled_share = -1;

static double measure_limited(void *state)
{
  struct sync *s = state;
  bool ok = whole_sync(s);
  throttled_share = ok ? 100.0 * (double)s->throttled / (double)s->sent : -1;
  return ok ? s->took_ms : -1;
}

static double measure_throttled(void *state)
{
  if (throttled_share < 0)
    measure_limited(state);
  return throttled_share;
}

const struct bench_row bench_row_sync = {.name = "cold sync, 2,000 jobs and 400,000 runs at 40 ms (curl_multi)",
                                         .unit = "ms",
                                         .target = 1.15,
                                         .set_up = set_up_far_away,
                                         .measure = measure_sync,
                                         .floor = measure_bare,
                                         .tear_down = tear_down};

const struct bench_row bench_row_sync_limit = {.name = "cold sync of 2,000 jobs, limit 100/s (requests / it)",
                                               .unit = "ms",
                                               .target = 1.10,
                                               .set_up = set_up_limited,
                                               .measure = measure_limited,
                                               .floor = floor_limited,
                                               .tear_down = tear_down};

const struct bench_row bench_row_sync_throttled = {.name = "requests refused in that sync",
                                                   .unit = "%",
                                                   .target = THROTTLED_MAX,
                                                   .set_up = set_up_limited,
                                                   .measure = measure_throttled,
                                                   .tear_down = tear_down};
