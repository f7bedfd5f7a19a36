/* HTTP over libmicrohttpd, driven by one loop of our own (select), so that waiting costs nothing: an answer that has to
 * wait is a suspended connection in a list, ordered by nothing, looked through when the loop turns.
 *
 * Faults of the wire live here. A reset needs the socket: connect() with AF_UNSPEC makes the kernel send RST at once. */
#include "sim/private.h"

#include <errno.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <microhttpd.h>
#include "base/xalloc.h"
#include "sim/gzip.h"
#include "sim/rng.h"

#define HEADERS_MAX 128
#define FOREVER     INT64_MAX

struct sim_exchange {
  struct sim *sim;
  struct MHD_Connection *connection;
  char *uri;
  struct buf body;
  bool begun, too_big, answered;
  struct sim_reply reply;
  struct fault_effect effect;
  int64_t due_ms; /* when it goes on; FOREVER: never */
  bool asleep;
  size_t sent; /* of a body that drips or is cut */
  struct sim_exchange *next;
};

/* --- sleeping ------------------------------------------------------------------------------------------------------- */

static void sleep_until(struct sim_exchange *x, int64_t due_ms)
{
  x->due_ms = due_ms;
  x->asleep = true;
  x->next = x->sim->sleepers;
  x->sim->sleepers = x;
  MHD_suspend_connection(x->connection);
}

static void unlink_sleeper(struct sim_exchange *x)
{
  for (struct sim_exchange **p = &x->sim->sleepers; *p != NULL; p = &(*p)->next) {
    if (*p == x) {
      *p = x->next;
      break;
    }
  }
  x->asleep = false;
}

/* True: somebody woke. */
static bool wake_due(struct sim *s, int64_t now_ms)
{
  bool woke = false;
  for (struct sim_exchange *x = s->sleepers, *next; x != NULL; x = next) {
    next = x->next;
    if (x->due_ms <= now_ms) {
      unlink_sleeper(x);
      MHD_resume_connection(x->connection);
      woke = true;
    }
  }
  return woke;
}

/* --- one exchange --------------------------------------------------------------------------------------------------- */

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
  struct sim_exchange *x = xcalloc(1, sizeof *x);
  x->sim = cls;
  x->connection = connection;
  x->uri = xstrdup(uri);
  buf_init(&x->body, SIM_BODY_MAX);
  buf_init(&x->reply.body, SIM_REPLY_MAX);
  return x;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
  struct sim_exchange *x = *request;
  (void)cls;
  (void)connection;
  (void)code;
  if (x == NULL)
    return;
  if (x->asleep)
    unlink_sleeper(x);
  buf_fini(&x->body);
  buf_fini(&x->reply.body);
  free(x->uri);
  free(x);
  *request = NULL;
}

struct header_list {
  struct sim_header items[HEADERS_MAX];
  size_t count;
};

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
  struct header_list *list = cls;
  (void)kind;
  if (list->count < HEADERS_MAX)
    list->items[list->count++] = (struct sim_header){name, value != NULL ? value : ""};
  return MHD_YES;
}

static void make_request_id(struct sim_world *w, char out[40])
{
  uint64_t lot = sim_mix2(w->seed ^ 0x4e91d, w->requests++);
  uint64_t high = sim_rng_next(&lot), low = sim_rng_next(&lot);
  snprintf(out, 40, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xffff),
           (unsigned)(high & 0xfff), (unsigned)(low >> 48 & 0x3fff) | 0x8000U,
           (unsigned long long)(low & 0xffffffffffff));
}

/* Answers the whole request into x->reply, or marks what shall happen to it instead. */
static void answer(struct sim_exchange *x, const char *method)
{
  struct sim_world *w = &x->sim->world;
  struct header_list list = {.count = 0};
  char operation[64];
  MHD_get_connection_values(x->connection, MHD_HEADER_KIND, on_header, &list);
  struct sim_http http = {.method = method,
                          .uri = x->uri,
                          .headers = list.items,
                          .header_count = list.count,
                          .body = x->body.data,
                          .body_len = x->body.len};
  x->answered = true;
  make_request_id(w, x->reply.request_id);
  if (w->control && sim_control(w, &http, &x->reply))
    return;
  if (x->too_big) {
    x->reply.status = 413;
    x->reply.content_type = "text/plain";
    return;
  }
  sim_operation_name(&http, operation);
  sim_faults_apply(&w->faults, operation, x->body.data != NULL ? x->body.data : "", clock_mono_ms(&w->clock),
                   &x->effect);
  struct sim_tally *tally = sim_world_tally(w, operation);
  bool carried_out = false;
  tally->count.arrived++;
  tally->count.faulted += x->effect.any;
  if (x->effect.on[FAULT_RESET] || x->effect.on[FAULT_HANG])
    return;
  uint64_t unsigned_before = tally->count.unsigned_;
  sim_dispatch(w, &http, operation, &x->effect, &x->reply, &carried_out);
  tally = sim_world_tally(w, operation);
  if (carried_out)
    tally->count.done++;
  else if (tally->count.unsigned_ == unsigned_before)
    tally->count.failed++;
}

static void spoil(struct sim_reply *r, const struct fault_effect *e)
{
  if (e->on[FAULT_503HTML]) {
    buf_reset(&r->body);
    buf_adds(&r->body,
             "<html><head><title>503 Service Temporarily Unavailable</title></head>\r\n<body>\r\n<center><h1>503 "
             "Service Temporarily Unavailable</h1></center>\r\n</body>\r\n</html>\r\n");
    r->status = 503;
    r->content_type = "text/html";
    r->error_type[0] = '\0';
  }
  if (e->on[FAULT_GARBAGE]) {
    buf_reset(&r->body);
    buf_adds(&r->body, "{\"JobRuns\": [{\"Id\": \"jr_\x1b[31m\", \"StartedOn\": 1.79e, <<<\xff\xfe not JSON");
    r->status = 200;
  }
  if (e->on[FAULT_HUGE]) {
    /* Valid JSON all the same: only its size is wrong. */
    size_t want = (size_t)(e->value[FAULT_HUGE] * 1048576);
    static const char line[] = "................................................................";
    buf_reset(&r->body);
    buf_adds(&r->body, "{\"Padding\":\"");
    while (r->body.len < want && buf_add(&r->body, line, sizeof line - 1))
      continue;
    buf_adds(&r->body, "\"}");
    r->status = 200;
  }
}

static ssize_t read_slowly(void *cls, uint64_t position, char *out, size_t max)
{
  struct sim_exchange *x = cls;
  size_t len = x->reply.body.len;
  (void)position;
  if (x->effect.on[FAULT_TRUNCATE] && x->sent >= len / 2)
    return MHD_CONTENT_READER_END_WITH_ERROR;
  if (x->sent >= len)
    return MHD_CONTENT_READER_END_OF_STREAM;
  size_t n = x->effect.on[FAULT_DRIP] ? 1 : x->effect.on[FAULT_TRUNCATE] ? len / 2 - x->sent : len - x->sent;
  if (x->effect.on[FAULT_DRIP]) {
    int64_t now = clock_mono_ms(&x->sim->world.clock);
    if (x->due_ms == 0)
      x->due_ms = now;
    if (x->due_ms > now) {
      sleep_until(x, x->due_ms);
      return 0;
    }
    x->due_ms = now + (int64_t)x->effect.value[FAULT_DRIP];
  }
  n = n < max ? n : max;
  memcpy(out, x->reply.body.data + x->sent, n);
  x->sent += n;
  return (ssize_t)n;
}

static void put_date(struct MHD_Response *response, int64_t ms)
{
  static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  struct when_civil c = when_to_civil(ms);
  char text[64];
  snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[c.weekday], c.day, months[c.month - 1],
           c.year, c.hour, c.minute, c.second);
  MHD_add_response_header(response, MHD_HTTP_HEADER_DATE, text);
}

static enum MHD_Result send_reply(struct sim_exchange *x)
{
  struct sim_reply *r = &x->reply;
  struct MHD_Response *response;
  spoil(r, &x->effect);
  if (x->effect.on[FAULT_GZIP])
    sim_gzip(&r->body);
  if (x->effect.on[FAULT_DRIP] || x->effect.on[FAULT_TRUNCATE]) {
    x->due_ms = 0;
    response = MHD_create_response_from_callback(r->body.len, 4096, read_slowly, x, NULL);
  } else {
    response = MHD_create_response_from_buffer(r->body.len, r->body.data, MHD_RESPMEM_PERSISTENT);
  }
  if (response == NULL)
    return MHD_NO;
  if (r->content_type != NULL)
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, r->content_type);
  if (x->effect.on[FAULT_GZIP])
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
  if (r->error_type[0] != '\0')
    MHD_add_response_header(response, "x-amzn-ErrorType", r->error_type);
  if (r->retry_after[0] != '\0')
    MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, r->retry_after);
  MHD_add_response_header(response, "x-amzn-RequestId", r->request_id);
  int64_t skew_ms = x->effect.on[FAULT_SKEW] ? (int64_t)(x->effect.value[FAULT_SKEW] * 1000) : 0;
  put_date(response, clock_wall_ms(&x->sim->world.clock) + skew_ms);
  enum MHD_Result result = MHD_queue_response(x->connection, (unsigned int)r->status, response);
  MHD_destroy_response(response);
  return result;
}

/* The client's next read fails with ECONNRESET. */
static enum MHD_Result reset_connection(struct sim_exchange *x)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  if (info != NULL) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(info->connect_fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    (void)connect(info->connect_fd, &nobody, sizeof nobody);
  }
  return MHD_NO;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *size, void **request)
{
  struct sim_exchange *x = *request;
  (void)cls;
  (void)connection;
  (void)url;
  (void)version;
  if (!x->begun) {
    x->begun = true;
    return MHD_YES;
  }
  if (*size > 0) {
    if (!buf_add(&x->body, data, *size))
      x->too_big = true;
    *size = 0;
    return MHD_YES;
  }
  if (!x->answered) {
    answer(x, method);
    if (x->effect.on[FAULT_RESET])
      return reset_connection(x);
    if (x->effect.on[FAULT_HANG]) {
      sleep_until(x, FOREVER);
      return MHD_YES;
    }
    if (x->effect.on[FAULT_LATENCY]) {
      sleep_until(x, clock_mono_ms(&x->sim->world.clock) + (int64_t)x->effect.value[FAULT_LATENCY]);
      return MHD_YES;
    }
  }
  if (x->effect.on[FAULT_HANG] || x->effect.on[FAULT_RESET_AFTER])
    return MHD_NO;
  return send_reply(x);
}

/* --- the daemon and its loop ---------------------------------------------------------------------------------------- */

struct err sim_http_open(struct sim *s, int port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  s->daemon = MHD_start_daemon(MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, (uint16_t)port, NULL, NULL,
                               on_request, s, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                               MHD_OPTION_URI_LOG_CALLBACK, on_uri, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
                               MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)256 << 10, MHD_OPTION_END);
  if (s->daemon == NULL)
    return err_errno(ERR_IO, "cannot listen on 127.0.0.1 port %d", port);
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
  s->port = info != NULL ? info->port : port;
  return err_ok();
}

void sim_http_close(struct sim *s)
{
  if (s->daemon == NULL)
    return;
  wake_due(s, FOREVER);
  MHD_run(s->daemon);
  MHD_stop_daemon(s->daemon);
  s->daemon = NULL;
}

/* How long select may wait: -1 for ever. Under a manual clock sleepers wake by sim_advance, not by time. */
static int64_t patience(struct sim *s)
{
  MHD_UNSIGNED_LONG_LONG daemon_ms;
  int64_t wait = -1;
  if (MHD_get_timeout(s->daemon, &daemon_ms) == MHD_YES)
    wait = (int64_t)daemon_ms;
  if (s->world.clock.manual)
    return wait;
  int64_t now = clock_mono_ms(&s->world.clock);
  for (const struct sim_exchange *x = s->sleepers; x != NULL; x = x->next) {
    if (x->due_ms == FOREVER)
      continue;
    int64_t left = x->due_ms > now ? x->due_ms - now : 0;
    if (wait < 0 || left < wait)
      wait = left;
  }
  return wait;
}

void sim_http_turn(struct sim *s, const int *extra, bool *ready, size_t extra_count)
{
  fd_set readable, writable, broken;
  MHD_socket highest = -1;
  struct timeval timeout;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  FD_ZERO(&broken);
  bool woke = wake_due(s, clock_mono_ms(&s->world.clock));
  MHD_get_fdset(s->daemon, &readable, &writable, &broken, &highest);
  for (size_t i = 0; i < extra_count; i++) {
    ready[i] = false;
    if (extra[i] >= 0 && extra[i] < FD_SETSIZE) {
      FD_SET(extra[i], &readable);
      highest = extra[i] > highest ? extra[i] : highest;
    }
  }
  /* The daemon does not count those that were woken just now: with nobody else under way it would wait for ever. */
  int64_t wait = woke ? 0 : patience(s);
  timeout.tv_sec = (time_t)(wait / 1000);
  timeout.tv_usec = (suseconds_t)(wait % 1000 * 1000);
  pthread_mutex_unlock(&s->lock);
  int n = select(highest + 1, &readable, &writable, &broken, wait < 0 ? NULL : &timeout);
  pthread_mutex_lock(&s->lock);
  if (n < 0) {
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&broken);
  }
  for (size_t i = 0; n > 0 && i < extra_count; i++)
    ready[i] = extra[i] >= 0 && extra[i] < FD_SETSIZE && FD_ISSET(extra[i], &readable);
  wake_due(s, clock_mono_ms(&s->world.clock));
  MHD_run_from_select(s->daemon, &readable, &writable, &broken);
}
