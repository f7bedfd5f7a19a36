/* Pages of runs over real HTTP from gluesim, signed, fetched and decoded: what 120 of them cost in processor time, and how much longer a
 * fetch takes than the same answers fetched by a bare curl_multi that signs and reads nothing. */
#include "tests/bench/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <curl/curl.h>
#include "aws/glue.h"
#include "base/xalloc.h"
#include "sigv4/sigv4.h"
#include "tests/bench/sim.h"

#define REQUESTS    120
#define CONCURRENCY 16
#define LATENCY_MS  "40"

static char key_id[] = BENCH_KEY_ID;
static char key_secret[] = BENCH_SECRET;
static char region[] = BENCH_REGION;
static char path[] = "/";

struct wire {
  struct bench_sim sim;
  const char *url;
  char *names[REQUESTS];
  size_t name_count;
  struct clock clock;
  struct credentials credentials;
  struct transport *transport;
  struct aws_target target;
  /* one round */
  size_t sent, answered, failed, runs;
  CURLM *multi;
  CURL *handles[CONCURRENCY];
  struct curl_slist *headers[REQUESTS];
  char *bodies[REQUESTS];
};

static void on_names(void *user, const struct glue_reply *reply)
{
  struct wire *w = user;
  w->answered++;
  for (size_t i = 0; !err_is(&reply->err) && i < reply->jobs->name_count && w->name_count < REQUESTS; i++)
    w->names[w->name_count++] = xstrdup(reply->jobs->names[i]);
}

static void turn(struct wire *w)
{
  transport_turn(w->transport);
  int64_t left = transport_next_turn_ms(w->transport) - clock_mono_ms(&w->clock);
  struct err e = transport_wait(w->transport, NULL, 0, left < 0 ? 0 : left > 1000 ? 1000 : left);
  err_fini(&e);
}

static void tear_down(void *state)
{
  struct wire *w = state;
  transport_free(w->transport);
  for (size_t i = 0; i < CONCURRENCY; i++)
    curl_easy_cleanup(w->handles[i]);
  if (w->multi != NULL)
    curl_multi_cleanup(w->multi);
  for (size_t i = 0; i < REQUESTS; i++) {
    free(w->names[i]);
    free(w->bodies[i]);
    curl_slist_free_all(w->headers[i]);
  }
  bench_sim_stop(&w->sim);
  free(w);
}

static void *set_up(const char *fault)
{
  struct wire *w = xcalloc(1, sizeof *w);
  const char *args[] = {"--account", "large", "--jobs", "120", "--runs", "24000", "--fault", fault, NULL};
  if (!bench_sim_start(&w->sim, args)) {
    free(w);
    return NULL;
  }
  w->url = w->sim.url;
  clock_init_real(&w->clock);
  w->credentials = (struct credentials){.access_key_id = key_id,
                                        .secret_access_key = {.bytes = key_secret, .len = sizeof key_secret - 1},
                                        .expires_ms = INT64_MAX};
  struct transport_options options = {.connections_per_host = CONCURRENCY};
  struct err e = transport_new(&options, &w->clock, &w->transport);
  bool ok = !err_is(&e);
  err_fini(&e);
  w->target = (struct aws_target){.transport = w->transport,
                                  .credentials = &w->credentials,
                                  .glue = {.url = w->sim.url,
                                           .host = w->sim.url + 7,
                                           .path = path,
                                           .signing_region = region,
                                           .signing_name = "glue"},
                                  .region = region};
  if (ok)
    glue_list_jobs(&w->target, NULL, 1000, on_names, w);
  while (ok && w->answered == 0)
    turn(w);
  w->multi = curl_multi_init();
  for (size_t i = 0; i < CONCURRENCY; i++)
    w->handles[i] = curl_easy_init();
  if (w->name_count == REQUESTS)
    return w;
  tear_down(w);
  return NULL;
}

static void *set_up_at_once(void)
{
  return set_up("Nothing:500");
}

static void *set_up_far_away(void)
{
  return set_up("GetJobRuns:latency=" LATENCY_MS);
}

/* --- with gluetop's own client ------------------------------------------------------------------------------------------- */

static void on_runs(void *user, const struct glue_reply *reply)
{
  struct wire *w = user;
  w->answered++;
  if (err_is(&reply->err))
    w->failed++;
  else
    w->runs += reply->runs->count;
}

static double clock_ms(clockid_t which)
{
  struct timespec now;
  clock_gettime(which, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double fetch(struct wire *w, clockid_t which)
{
  double began = clock_ms(which);
  w->answered = w->failed = w->runs = 0;
  for (size_t i = 0; i < REQUESTS; i++)
    glue_get_job_runs(&w->target, w->names[i], NULL, 200, on_runs, w);
  while (w->answered < REQUESTS)
    turn(w);
  return w->failed == 0 && w->runs > REQUESTS ? clock_ms(which) - began : -1;
}

static double measure_processor(void *state)
{
  return fetch(state, CLOCK_THREAD_CPUTIME_ID);
}

static double measure_wall(void *state)
{
  return fetch(state, CLOCK_MONOTONIC);
}

/* --- with nothing but curl_multi ------------------------------------------------------------------------------------------ */

static size_t swallow(char *data, size_t size, size_t count, void *user)
{
  (void)data;
  *(size_t *)user += size * count;
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

/* Signed beforehand: the floor is the fetch alone. */
static bool prepare(struct wire *w, struct sigv4_keys *keys, size_t i)
{
  struct sigv4_header headers[] = {
      {"Host", w->sim.url + 7}, {"Content-Type", "application/x-amz-json-1.1"}, {"X-Amz-Target", "AWSGlue.GetJobRuns"}};
  free(w->bodies[i]);
  curl_slist_free_all(w->headers[i]);
  w->headers[i] = NULL;
  w->bodies[i] = xasprintf("{\"JobName\":\"%s\",\"MaxResults\":200}", w->names[i]);
  struct sigv4_request request = {.method = "POST",
                                  .path = "/",
                                  .headers = headers,
                                  .header_count = 3,
                                  .body = w->bodies[i],
                                  .body_len = strlen(w->bodies[i])};
  struct sigv4_credentials credentials = {
      .access_key_id = key_id, .secret = key_secret, .secret_len = sizeof key_secret - 1};
  struct sigv4_signed made;
  if (sigv4_sign_headers(keys, &request, &credentials, region, "glue", clock_wall_ms(&w->clock), &made) != SIGV4_OK)
    return false;
  bool ok = true;
  for (size_t h = 1; h < 3; h++)
    ok = ok && add_header(&w->headers[i], headers[h].name, headers[h].value);
  for (size_t h = 0; h < made.extra_count; h++)
    ok = ok && add_header(&w->headers[i], made.extra[h].name, made.extra[h].value);
  sigv4_signed_fini(&made);
  return ok;
}

static void begin_bare(struct wire *w, CURL *handle, size_t *bytes)
{
  size_t i = w->sent++;
  curl_easy_setopt(handle, CURLOPT_URL, w->url);
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, w->headers[i]);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, w->bodies[i]);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, swallow);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, bytes);
  curl_multi_add_handle(w->multi, handle);
}

static double fetch_bare(void *state)
{
  struct wire *w = state;
  struct sigv4_keys *keys = sigv4_keys_new();
  bool ok = keys != NULL;
  for (size_t i = 0; ok && i < REQUESTS; i++)
    ok = prepare(w, keys, i);
  sigv4_keys_free(keys);
  if (!ok)
    return -1;
  double began = clock_ms(CLOCK_MONOTONIC);
  size_t bytes = 0;
  w->sent = w->answered = w->failed = 0;
  for (size_t i = 0; i < CONCURRENCY; i++)
    begin_bare(w, w->handles[i], &bytes);
  while (w->answered < REQUESTS) {
    int running = 0;
    int left = 0;
    curl_multi_perform(w->multi, &running);
    for (CURLMsg *m = curl_multi_info_read(w->multi, &left); m != NULL; m = curl_multi_info_read(w->multi, &left)) {
      CURL *handle = m->easy_handle;
      long status = 0;
      curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
      w->failed += status != 200;
      w->answered++;
      curl_multi_remove_handle(w->multi, handle);
      if (w->sent < REQUESTS)
        begin_bare(w, handle, &bytes);
    }
    if (w->answered < REQUESTS)
      curl_multi_poll(w->multi, NULL, 0, 1000, NULL);
  }
  return w->failed == 0 && bytes > 0 ? clock_ms(CLOCK_MONOTONIC) - began : -1;
}

const struct bench_row bench_row_requests = {.name = "120 signed requests, their pages of 200 runs decoded (processor)",
                                             .unit = "ms",
                                             .target = 500,
                                             .set_up = set_up_at_once,
                                             .measure = measure_processor,
                                             .tear_down = tear_down};

const struct bench_row bench_row_fetch = {.name = "fetch 120 pages at 40 ms each, 16 at a time (bare curl_multi)",
                                          .unit = "ms",
                                          .target = 1.15,
                                          .set_up = set_up_far_away,
                                          .measure = measure_wall,
                                          .floor = fetch_bare,
                                          .tear_down = tear_down};
