#include "aws/transport.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "aws/digest.h"
#include "aws/retry.h"
#include "aws/transport_private.h"
#include "base/log.h"
#include "base/when.h"
#include "base/xalloc.h"

#define TRANSPORT_CONNECTIONS  8
#define TRANSPORT_CONNECT_MS   INT64_C(5000)
#define TRANSPORT_STALL_MS     INT64_C(20000)
#define TRANSPORT_TOTAL_MS     INT64_C(60000)
#define TRANSPORT_REQUEST_MAX  ((size_t)8 * 1024 * 1024)
#define TRANSPORT_RESPONSE_MAX ((size_t)64 * 1024 * 1024)
#define TRANSPORT_KEPT_MAX     64L /* idle connections over all hosts */
#define TRANSPORT_FDS_MAX      256
/* Of answers handed over in one turn: about two milliseconds of reading. A key waits for no more than that and what follows from it. */
#define TRANSPORT_TURN_BYTES ((size_t)64 * 1024)

static int64_t or_default(int64_t value, int64_t fallback)
{
  return value > 0 ? value : fallback;
}

/* --- life ------------------------------------------------------------------------------------------------------------------ */

struct err transport_new(const struct transport_options *o, const struct clock *clock, struct transport **out)
{
  static bool curl_ready;
  if (!curl_ready && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return err_new(ERR_IO, "libcurl cannot be set up");
  curl_ready = true;
  struct transport *t = xcalloc(1, sizeof *t);
  t->clock = clock;
  t->ca_bundle = xstrdup(o->ca_bundle);
  t->connections_per_host = o->connections_per_host > 0 ? o->connections_per_host : TRANSPORT_CONNECTIONS;
  t->connect_timeout_ms = or_default(o->connect_timeout_ms, TRANSPORT_CONNECT_MS);
  t->stall_timeout_ms = or_default(o->stall_timeout_ms, TRANSPORT_STALL_MS);
  t->total_timeout_ms = or_default(o->total_timeout_ms, TRANSPORT_TOTAL_MS);
  t->max_request = o->max_request > 0 ? o->max_request : TRANSPORT_REQUEST_MAX;
  t->max_response = o->max_response > 0 ? o->max_response : TRANSPORT_RESPONSE_MAX;
  t->random = o->seed;
  while (t->random == 0)
    digest_random(&t->random, sizeof t->random);
  t->keys = sigv4_keys_new();
  t->multi = curl_multi_init();
  if (t->keys == NULL || t->multi == NULL ||
      curl_multi_setopt(t->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)t->connections_per_host) != CURLM_OK ||
      curl_multi_setopt(t->multi, CURLMOPT_MAXCONNECTS, TRANSPORT_KEPT_MAX) != CURLM_OK) {
    transport_free(t);
    return err_new(ERR_IO, "libcurl or OpenSSL cannot be set up");
  }
  *out = t;
  return err_ok();
}

static void transport_unlink(struct transport *t, struct transfer *x)
{
  *(x->prev != NULL ? &x->prev->next : &t->first) = x->next;
  *(x->next != NULL ? &x->next->prev : &t->last) = x->prev;
  x->prev = x->next = NULL;
  t->count--;
}

static void transfer_free(struct transfer *x)
{
  transfer_stop(x);
  transfer_drop_answer(x);
  err_fini(&x->answer.err);
  if (x->secret_body)
    secret_wipe(x->body, x->body_len);
  for (size_t i = 0; i < 2 * x->header_count; i++) {
    secret_wipe(x->header_texts[i], strlen(x->header_texts[i])); /* bearer tokens travel in headers */
    free(x->header_texts[i]);
  }
  free(x->header_texts);
  free(x->headers);
  if (x->sign)
    credentials_fini(&x->credentials);
  free(x->method);
  free(x->url);
  free(x->path);
  free(x->query);
  free(x->signing_region);
  free(x->body);
  free(x->what);
  free(x);
}

static void transfer_drop(struct transport *t, struct transfer *x)
{
  transport_unlink(t, x);
  void (*dropped)(void *user) = x->dropped;
  void *user = x->user;
  transfer_free(x);
  if (dropped != NULL)
    dropped(user);
}

void transport_free(struct transport *t)
{
  if (t == NULL)
    return;
  while (t->first != NULL)
    transfer_drop(t, t->first);
  for (size_t i = 0; i < t->spare_count; i++)
    curl_easy_cleanup(t->spare[i]);
  free(t->spare);
  if (t->multi != NULL)
    curl_multi_cleanup(t->multi);
  sigv4_keys_free(t->keys);
  for (struct transport_host *host = t->hosts, *next; host != NULL; host = next) {
    next = host->next;
    free(host->key);
    free(host);
  }
  free(t->ca_bundle);
  free(t);
}

/* --- sending ----------------------------------------------------------------------------------------------------------------- */

static struct transport_host *transport_host(struct transport *t, const char *url)
{
  const char *rest = strstr(url, "://");
  size_t len = rest != NULL ? (size_t)(rest + 3 - url) + strcspn(rest + 3, "/?#") : strlen(url);
  for (struct transport_host *host = t->hosts; host != NULL; host = host->next)
    if (strlen(host->key) == len && strncasecmp(host->key, url, len) == 0)
      return host;
  struct transport_host *host = xcalloc(1, sizeof *host);
  host->key = xstrndup(url, len);
  host->next = t->hosts;
  t->hosts = host;
  return host;
}

/* A line end in a value would be a header of its own. */
static bool transport_is_header_text(const char *text, bool name)
{
  if (name && *text == '\0')
    return false;
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == 0x7f || (c < 0x20 && (name || c != '\t')) || (name && (c == ':' || c == ' ')))
      return false;
  }
  return true;
}

static void transport_copy_header(struct transfer *x, const char *name, const char *value)
{
  char **texts = &x->header_texts[2 * x->header_count];
  texts[0] = xstrdup(name);
  texts[1] = xstrdup(value);
  x->headers[x->header_count++] = (struct sigv4_header){texts[0], texts[1]};
}

static struct err transport_copy_headers(struct transfer *x, const struct transport_request *r)
{
  size_t count = 1; /* Host */
  for (const char *const *h = r->headers; h != NULL && h[0] != NULL; h += 2)
    count++;
  x->headers = xcalloc(count, sizeof *x->headers);
  x->header_texts = xcalloc(2 * count, sizeof(char *));
  transport_copy_header(x, "Host", r->endpoint->host);
  for (const char *const *h = r->headers; h != NULL && h[0] != NULL; h += 2)
    transport_copy_header(x, h[0], h[1]);
  for (size_t i = 0; i < x->header_count; i++)
    if (!transport_is_header_text(x->headers[i].name, true) || !transport_is_header_text(x->headers[i].value, false))
      return err_new(ERR_USAGE, "the header %s holds a character that cannot be sent",
                     transport_is_header_text(x->headers[i].name, true) ? x->headers[i].name : "(of a strange name)");
  return err_ok();
}

static void transport_copy_address(struct transfer *x, const struct transport_request *r)
{
  const struct endpoint *e = r->endpoint;
  const char *tail = r->path != NULL && r->path[0] != '\0' ? r->path : "/";
  if (*tail == '/')
    tail++;
  const char *prefix = e->path != NULL ? e->path : "/";
  size_t prefix_len = strlen(prefix);
  while (prefix_len > 0 && prefix[prefix_len - 1] == '/')
    prefix_len--;
  x->path = xasprintf("%.*s/%s", (int)prefix_len, prefix, tail);
  x->query = xstrdup(r->query);
  bool has_query = r->query != NULL && r->query[0] != '\0';
  x->url = xasprintf("%s/%s%s%s", e->url, tail, has_query ? "?" : "", has_query ? r->query : "");
}

static void transfer_settle(struct transfer *x, struct err take);

uint64_t transport_send(struct transport *t, const struct transport_request *r)
{
  struct transfer *x = xcalloc(1, sizeof *x);
  x->transport = t;
  x->id = ++t->next_id;
  x->host = transport_host(t, r->endpoint->url);
  x->paced = r->paced;
  x->tally = r->tally;
  x->state = TRANSFER_QUEUED;
  x->change = r->change;
  x->method = xstrdup(r->method);
  x->signing_region = xstrdup(r->endpoint->signing_region);
  x->signing_name = r->endpoint->signing_name;
  x->body_len = r->body != NULL ? r->body_len : 0;
  x->secret_body = r->secret_body;
  x->no_proxy = r->no_proxy;
  x->own_rate = r->own_rate;
  x->login = r->login;
  x->sign = r->login != NULL || r->credentials != NULL;
  if (x->sign)
    credentials_init(&x->credentials);
  if (r->login == NULL && r->credentials != NULL)
    credentials_copy(&x->credentials, r->credentials);
  x->skew_ms = r->skew_ms;
  x->connect_timeout_ms = or_default(r->connect_timeout_ms, t->connect_timeout_ms);
  x->total_timeout_ms = or_default(r->total_timeout_ms, t->total_timeout_ms);
  x->stall_timeout_ms = t->stall_timeout_ms;
  x->max_tries = r->max_tries > 0 ? r->max_tries : RETRY_TRIES_MAX;
  x->what = xstrdup(r->what);
  x->accept = r->accept;
  x->done = r->done;
  x->dropped = r->dropped;
  x->user = r->user;
  x->answer = (struct transport_answer){.body = "", .server_date_ms = WHEN_NONE};
  transfer_drop_answer(x);
  transport_copy_address(x, r);
  struct err e = transport_copy_headers(x, r);
  if (!err_is(&e) && x->body_len > t->max_request)
    e = err_new(ERR_TOO_BIG, "the request is larger than the %zu bytes that are sent", t->max_request);
  x->body = xmalloc((err_is(&e) ? 0 : x->body_len) + 1);
  if (err_is(&e))
    x->body_len = 0;
  if (r->body != NULL && x->body_len > 0)
    memcpy(x->body, r->body, x->body_len);
  x->body[x->body_len] = '\0';
  *(t->last != NULL ? &t->last->next : &t->first) = x;
  x->prev = t->last;
  t->last = x;
  t->count++;
  t->work = true;
  if (err_is(&e))
    transfer_settle(x, e);
  return x->id;
}

void transport_cancel(struct transport *t, uint64_t id)
{
  struct transfer *x = t->first;
  while (x != NULL && x->id != id)
    x = x->next;
  if (x == NULL)
    return;
  transfer_drop(t, x);
  t->work = true; /* a place among the connections has become free */
}

size_t transport_in_flight(const struct transport *t)
{
  return t->count;
}

bool transport_busy(const struct transport *t)
{
  bool busy = t->work;
  for (const struct transfer *x = t->first; x != NULL && !busy; x = x->next)
    busy = x->state != TRANSFER_BACKOFF && x->state != TRANSFER_QUEUED;
  return busy;
}

struct transport_stats transport_stats(const struct transport *t)
{
  return t->stats;
}

/* --- the end of a try ---------------------------------------------------------------------------------------------------------- */

/* splitmix64: jitter needs no more. */
static double transport_random(struct transport *t)
{
  uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) / 9007199254740992.0; /* 2^53 */
}

static void transfer_log(const struct transfer *x, const struct err *e)
{
  if (!log_enabled(LOG_DEBUG))
    return;
  log_write(LOG_DEBUG, "%s: try %d, HTTP %d, %zu bytes in %lld ms%s%s", x->what != NULL ? x->what : "request", x->tries,
            x->answer.status, x->answer.body_len, (long long)x->answer.took_ms, err_is(e) ? ", " : "",
            err_is(e) ? err_kind_name(e->kind) : "");
}

/* True when it will be tried again. */
static bool transfer_try_again(struct transfer *x, const struct err *e)
{
  struct transport *t = x->transport;
  int64_t now = clock_mono_ms(t->clock);
  int64_t spent = now - x->first_ms;
  switch (retry_decide(e->kind, x->change == TRANSPORT_CHANGES, x->began, x->tries, spent)) {
  case RETRY_ONCE_FRESH_LOGIN:
    if (x->login == NULL || x->fresh_login_used)
      return false;
    x->fresh_login_used = true;
    login_invalidate(x->login, &x->credentials);
    x->state = TRANSFER_QUEUED;
    return true;
  case RETRY_ONCE_NEW_CLOCK:
    if (!x->sign || x->new_clock_used)
      return false;
    x->new_clock_used = true;
    x->state = TRANSFER_QUEUED;
    return true;
  case RETRY_BACKOFF: {
    int64_t delay = retry_delay_ms(e->kind, x->tries, transfer_retry_after_ms(x), transport_random(t));
    if (x->tries >= x->max_tries || spent + delay > RETRY_SPAN_MS)
      return false;
    if (x->paced && e->kind == ERR_THROTTLED && transfer_retry_after_ms(x) < 0)
      return false;
    x->due_ms = now + delay;
    x->state = TRANSFER_BACKOFF;
    return true;
  }
  case RETRY_NO:
    break;
  }
  return false;
}

/* Keys that the service does not know: say which ones they were, for they may not be those that the person thinks of. */
static void transfer_name_keys(const struct transfer *x, struct err *e)
{
  if (x->login == NULL || e->kind != ERR_CREDENTIALS || e->detail == NULL || e->detail->http_status == 0)
    return;
  char *hint = xstrdup(e->detail->hint != NULL ? e->detail->hint : "Check the keys.");
  err_set_hint(e, "%s The keys are %s.", hint, login_where(x->login));
  free(hint);
}

/* What a try came to: the end, or another one. */
static void transfer_settle(struct transfer *x, struct err take)
{
  struct transport *t = x->transport;
  t->work = true;
  if (err_is(&take) && x->tries > 0) {
    transfer_judge_clock(x, &take);
    transfer_log(x, &take);
    if (take.kind == ERR_THROTTLED && !x->own_rate)
      t->stats.throttled++;
    if (transfer_try_again(x, &take)) {
      t->stats.retries++;
      if (x->tally != NULL) {
        x->tally->retries++;
        x->tally->throttled += take.kind == ERR_THROTTLED;
      }
      err_fini(&take);
      return;
    }
    transfer_judge_write(x, &take);
    transfer_name_keys(x, &take);
  } else if (!err_is(&take)) {
    transfer_log(x, &take);
  }
  if (x->what != NULL && take.detail != NULL && take.detail->what == NULL)
    err_set_what(&take, "%s", x->what);
  x->answer.err = take;
  x->answer.skew_ms = transfer_skew(x);
  x->state = TRANSFER_DONE;
}

/* --- a turn ---------------------------------------------------------------------------------------------------------------------- */

/* Takes what has ended out of curl's hands, which frees its place among the connections; looking at it comes later. */
static void transport_collect(struct transport *t)
{
  int left = 0;
  for (CURLMsg *m = curl_multi_info_read(t->multi, &left); m != NULL; m = curl_multi_info_read(t->multi, &left)) {
    if (m->msg != CURLMSG_DONE)
      continue;
    CURLcode code = m->data.result;
    char *private_data = NULL;
    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private_data);
    struct transfer *x = (struct transfer *)(void *)private_data;
    transfer_stop(x); /* ends the message's life */
    x->code = code;
    x->state = TRANSFER_ENDED;
    t->work = true;
  }
}

static int64_t earlier(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* The next limit that a running transfer meets, and which one it is. */
static int64_t transfer_deadline(const struct transfer *x, enum transfer_limit *limit)
{
  int64_t at = x->started_ms + x->total_timeout_ms;
  *limit = LIMIT_TOTAL;
  int64_t other = x->began ? x->progress_ms + x->stall_timeout_ms : x->started_ms + x->connect_timeout_ms;
  if (other < at) {
    at = other;
    *limit = x->began ? LIMIT_STALL : LIMIT_CONNECT;
  }
  return at;
}

static void transport_check_timers(struct transport *t)
{
  int64_t now = clock_mono_ms(t->clock);
  for (struct transfer *x = t->first; x != NULL; x = x->next) {
    enum transfer_limit limit = LIMIT_NONE;
    if (x->state == TRANSFER_BACKOFF && x->due_ms <= now)
      x->state = TRANSFER_QUEUED;
    if (x->state != TRANSFER_RUNNING || transfer_deadline(x, &limit) > now)
      continue;
    transfer_stop(x);
    transfer_fill_answer(x, false);
    transfer_settle(x, transfer_limit_error(x, limit));
  }
}

/* Credentials for this try. False: not now (the state says what it waits for, or that it is over). */
static bool transfer_take_login(struct transfer *x)
{
  if (x->login == NULL)
    return true;
  enum login_state state = login_turn(x->login);
  const struct credentials *have = login_credentials(x->login);
  if (have != NULL) {
    credentials_copy(&x->credentials, have);
    return true;
  }
  const struct err *why = login_error(x->login);
  if (state != LOGIN_FAILED) {
    x->state = TRANSFER_LOGIN;
    return false;
  }
  bool told = why != NULL && err_is(why);
  x->began = false;
  struct err e = told ? err_copy(why) : err_new(ERR_CREDENTIALS, "there is no usable login");
  x->tries = 0; /* not a try: nothing to be asked again */
  transfer_settle(x, e);
  return false;
}

/* Begin what may begin: writes first, since a person waits for them. Signing happens here and not when the request was made, so that
 * the date is fresh however long it stood in the queue. */
static bool transport_start(struct transport *t, enum transport_change change)
{
  bool any = false;
  /* The login may send and cancel requests of its own meanwhile, but never this one: so the next is looked for afterwards. */
  for (struct transfer *x = t->first; x != NULL; x = x->next) {
    if (x->change != change || (x->state != TRANSFER_QUEUED && x->state != TRANSFER_LOGIN) ||
        x->host->running >= t->connections_per_host || !transfer_take_login(x))
      continue;
    struct err e = transfer_start(x);
    any = any || !err_is(&e);
    if (err_is(&e)) {
      x->tries = 0;
      transfer_settle(x, e);
    }
  }
  return any;
}

/* Start, and give what was started its first push. */
static void transport_pump(struct transport *t)
{
  bool started = transport_start(t, TRANSPORT_CHANGES);
  started = transport_start(t, TRANSPORT_READS) || started;
  if (started) {
    int running = 0;
    curl_multi_perform(t->multi, &running);
    transport_collect(t);
  }
}

/* The next answer to be looked at and handed over: read, judged, and taken out of the list when it is over, so that the call-back may send
 * and cancel. False: there is none. */
static bool transport_hand_over(struct transport *t, size_t *bytes)
{
  struct transfer *x = t->first;
  while (x != NULL && x->state != TRANSFER_ENDED && x->state != TRANSFER_DONE)
    x = x->next;
  if (x == NULL)
    return false;
  *bytes += x->in.body_len;
  if (x->state == TRANSFER_ENDED)
    transfer_settle(x, transfer_outcome(x, x->code));
  if (x->state == TRANSFER_DONE) {
    transport_unlink(t, x);
    if (x->done != NULL)
      x->done(x->user, &x->answer);
    transfer_free(x);
  }
  return true;
}

/* Connections are filled again before anything is decoded, so that the service works while we do; and no turn decodes more than some
 * milliseconds' worth, so that the screen gets its turn. */
void transport_turn(struct transport *t)
{
  if (t->in_turn)
    return;
  t->in_turn = true;
  t->work = false;
  int running = 0;
  curl_multi_perform(t->multi, &running);
  transport_collect(t);
  transport_check_timers(t);
  transport_pump(t);
  t->work = false;
  size_t bytes = 0;
  bool any = false;
  while (bytes < TRANSPORT_TURN_BYTES && transport_hand_over(t, &bytes))
    any = true;
  if (any)
    transport_pump(t);
  for (const struct transfer *x = t->first; x != NULL && !t->work; x = x->next)
    t->work = x->state == TRANSFER_ENDED || x->state == TRANSFER_DONE;
  t->in_turn = false;
}

int64_t transport_next_turn_ms(const struct transport *t)
{
  if (t->work)
    return clock_mono_ms(t->clock);
  int64_t next = INT64_MAX;
  for (const struct transfer *x = t->first; x != NULL; x = x->next) {
    enum transfer_limit limit = LIMIT_NONE;
    if (x->state == TRANSFER_RUNNING) {
      next = earlier(next, transfer_deadline(x, &limit));
    } else if (x->state == TRANSFER_BACKOFF) {
      next = earlier(next, x->due_ms);
    } else if (x->state == TRANSFER_LOGIN) {
      int64_t at = login_next_turn_ms(x->login);
      if (at != WHEN_NONE)
        next = earlier(next, at);
    }
  }
  return next;
}

struct err transport_wait(struct transport *t, struct transport_fd *extra, unsigned extra_count, int64_t timeout_ms)
{
  struct curl_waitfd waits[TRANSPORT_FDS_MAX];
  struct pollfd polls[TRANSPORT_FDS_MAX];
  if (extra_count > TRANSPORT_FDS_MAX)
    return err_new(ERR_USAGE, "too many descriptors to wait for");
  for (unsigned i = 0; i < extra_count; i++) {
    int events = ((extra[i].events & POLLIN) != 0 ? CURL_WAIT_POLLIN : 0) |
                 ((extra[i].events & POLLPRI) != 0 ? CURL_WAIT_POLLPRI : 0) |
                 ((extra[i].events & POLLOUT) != 0 ? CURL_WAIT_POLLOUT : 0);
    waits[i] = (struct curl_waitfd){.fd = extra[i].fd, .events = (short)events};
    polls[i] = (struct pollfd){.fd = extra[i].fd, .events = extra[i].events};
  }
  int timeout = timeout_ms < 0 || timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
  CURLMcode code = curl_multi_poll(t->multi, waits, extra_count, timeout, NULL);
  if (code != CURLM_OK)
    return err_new(ERR_IO, "waiting for the network failed: %s", curl_multi_strerror(code));
  /* curl does not tell of hang-ups, which is all that the end of a pipe or of a terminal may be. */
  if (extra_count > 0 && poll(polls, extra_count, 0) < 0)
    for (unsigned i = 0; i < extra_count; i++)
      polls[i].revents = 0;
  for (unsigned i = 0; i < extra_count; i++)
    extra[i].revents = polls[i].revents;
  return err_ok();
}
