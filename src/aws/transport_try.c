/* One try of one request: signed, handed to curl, its answer gathered within bounds.
 *
 * What libcurl would do by itself and must not: follow redirects, read netrc, ask for 100-continue, squash the path that was
 * signed, speak another protocol, use a proxy for this machine itself, and send a POST again when a kept connection turns out to be
 * closed. The last needs a connection that was not used before (CURLOPT_FRESH_CONNECT) and HTTP/1.1, where a stream cannot be refused. */
#include <config.h> /* in angle brackets: this folder has a config.h of its own */
#include "aws/transport_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/secret.h"
#include "base/xalloc.h"

#define TRY_HEADERS_MAX  ((size_t)256 * 1024)
#define TRY_BODY_FIRST   ((size_t)16 * 1024)
#define TRY_BUFFER_SIZE  65536L /* a page of runs is about a megabyte: fewer, larger reads */
#define TRY_CONN_AGE_MAX 50L    /* s; servers drop idle connections after about a minute */
#define TRY_USER_AGENT   "gluetop/" PACKAGE_VERSION

int64_t transfer_skew(const struct transfer *x)
{
  return x->host->skew_known ? x->host->skew_ms : x->skew_ms;
}

/* --- what curl calls -------------------------------------------------------------------------------------------------- */

static void transfer_touch(struct transfer *x)
{
  x->progress_ms = clock_mono_ms(x->transport->clock);
}

/* The connection stands (through proxy and TLS too); what follows is the request itself. */
static int transfer_on_ready(void *user, char *peer_ip, char *own_ip, int peer_port, int own_port)
{
  struct transfer *x = user;
  (void)peer_ip;
  (void)own_ip;
  (void)peer_port;
  (void)own_port;
  x->began = true;
  x->transport->stats.requests++;
  transfer_touch(x);
  return CURL_PREREQFUNC_OK;
}

static int transfer_on_progress(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
  struct transfer *x = user;
  (void)down_total;
  (void)up_total;
  if (down + up != x->seen) {
    x->seen = down + up;
    transfer_touch(x);
  }
  return 0;
}

static void transfer_grow_body(struct transfer *x, size_t need)
{
  struct transfer_answer *in = &x->in;
  size_t cap = in->body_cap > 0 ? in->body_cap : TRY_BODY_FIRST;
  while (cap < need)
    cap *= 2;
  if (cap == in->body_cap)
    return;
  if (!x->secret_body) {
    in->body = xrealloc(in->body, cap);
  } else {
    char *bigger = xmalloc(cap);
    if (in->body != NULL) {
      memcpy(bigger, in->body, in->body_len);
      secret_wipe(in->body, in->body_len);
      free(in->body);
    }
    in->body = bigger;
  }
  in->body_cap = cap;
}

static size_t transfer_on_body(char *data, size_t size, size_t count, void *user)
{
  struct transfer *x = user;
  size_t len = size * count;
  transfer_touch(x);
  if (len > x->transport->max_response - x->in.body_len) {
    x->in.too_big = true;
    return 0;
  }
  transfer_grow_body(x, x->in.body_len + len + 1);
  memcpy(x->in.body + x->in.body_len, data, len);
  x->in.body_len += len;
  x->in.body[x->in.body_len] = '\0';
  return len;
}

static size_t transfer_on_header(char *data, size_t size, size_t count, void *user)
{
  struct transfer *x = user;
  size_t len = size * count;
  transfer_touch(x);
  if (len >= 5 && memcmp(data, "HTTP/", 5) == 0) {
    buf_reset(&x->in.headers); /* an interim answer's headers are not the answer's */
    return len;
  }
  const char *colon = memchr(data, ':', len);
  if (colon == NULL)
    return len;
  const char *from = colon + 1;
  const char *to = data + len;
  while (from < to && (*from == ' ' || *from == '\t'))
    from++;
  while (to > from && (to[-1] == '\r' || to[-1] == '\n' || to[-1] == ' ' || to[-1] == '\t'))
    to--;
  /* A NUL inside would shift names and values against each other: such a line is dropped. */
  if (memchr(data, '\0', len) != NULL)
    return len;
  struct buf *h = &x->in.headers;
  bool ok = buf_add(h, data, (size_t)(colon - data)) && buf_addc(h, '\0') && buf_add(h, from, (size_t)(to - from)) &&
            buf_addc(h, '\0');
  x->in.too_big = x->in.too_big || !ok;
  return ok ? len : 0;
}

const char *transfer_header(const struct transfer *x, const char *name)
{
  const char *end = x->in.headers.data + x->in.headers.len;
  for (const char *at = x->in.headers.data; at < end;) {
    const char *value = at + strlen(at) + 1;
    if (strcasecmp(at, name) == 0)
      return value;
    at = value + strlen(value) + 1;
  }
  return NULL;
}

/* --- headers ---------------------------------------------------------------------------------------------------------- */

static void transfer_add_header(struct transfer *x, const char *name, const char *value)
{
  /* curl's own spelling for a header without a value is a semicolon. */
  char *line = value[0] != '\0' ? xasprintf("%s: %s", name, value) : xasprintf("%s;", name);
  struct curl_slist *longer = curl_slist_append(x->header_list, line);
  secret_wipe(line, strlen(line)); /* the session token is a secret */
  free(line);
  if (longer == NULL)
    abort(); /* out of memory, as everywhere */
  x->header_list = longer;
}

/* A line without a value takes away the header that curl would add. */
static void transfer_forbid_header(struct transfer *x, const char *name)
{
  char line[64];
  snprintf(line, sizeof line, "%s:", name);
  struct curl_slist *longer = curl_slist_append(x->header_list, line);
  if (longer == NULL)
    abort();
  x->header_list = longer;
}

static void transfer_drop_headers(struct transfer *x)
{
  for (struct curl_slist *line = x->header_list; line != NULL; line = line->next)
    secret_wipe(line->data, strlen(line->data));
  curl_slist_free_all(x->header_list);
  x->header_list = NULL;
}

static bool transfer_has_header(const struct transfer *x, const char *name)
{
  for (size_t i = 0; i < x->header_count; i++)
    if (strcasecmp(x->headers[i].name, name) == 0)
      return true;
  return false;
}

static struct err transfer_sign(struct transfer *x)
{
  struct transport *t = x->transport;
  struct sigv4_request request = {.method = x->method,
                                  .path = x->path,
                                  .query = x->query,
                                  .headers = x->headers,
                                  .header_count = x->header_count,
                                  .body = x->body,
                                  .body_len = x->body_len,
                                  .normalize_path = true};
  struct sigv4_credentials keys = {.access_key_id = x->credentials.access_key_id,
                                   .secret = x->credentials.secret_access_key.bytes,
                                   .secret_len = x->credentials.secret_access_key.len,
                                   .session_token = x->credentials.session_token.bytes};
  struct sigv4_signed made = {.extra = NULL};
  if (keys.access_key_id == NULL || keys.secret == NULL)
    return err_new(ERR_CREDENTIALS, "there are no keys to sign with");
  enum sigv4_status status = sigv4_sign_headers(t->keys, &request, &keys, x->signing_region, x->signing_name,
                                                x->signed_wall_ms + x->signed_skew_ms, &made);
  if (status != SIGV4_OK) {
    struct err e = err_new(ERR_CREDENTIALS, "the request cannot be signed: %s", sigv4_status_text(status));
    err_set_hint(&e, "Check the access key, the session token and the Region for characters that do not belong there.");
    return e;
  }
  for (size_t i = 0; i < made.extra_count; i++)
    transfer_add_header(x, made.extra[i].name, made.extra[i].value);
  sigv4_signed_fini(&made);
  return err_ok();
}

/* --- curl's options ---------------------------------------------------------------------------------------------------- */

static bool transfer_is_loopback(const char *url)
{
  const char *host = strstr(url, "://");
  host = host != NULL ? host + 3 : url;
  size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?");
  return (len == 9 && strncasecmp(host, "localhost", 9) == 0) || (len >= 7 && strncmp(host, "127.", 4) == 0) ||
         (len == 5 && strncmp(host, "[::1]", 5) == 0);
}

/* libcurl reads http_proxy only in lower case, for the sake of CGI programs, where HTTP_PROXY is a header of the client's. The AWS
 * tools read both. */
static const char *transfer_extra_proxy(const char *url)
{
  const char *lower = getenv("http_proxy");
  if (strncasecmp(url, "http://", 7) != 0 || (lower != NULL && *lower != '\0') || getenv("REQUEST_METHOD") != NULL)
    return NULL;
  const char *upper = getenv("HTTP_PROXY");
  return upper != NULL && *upper != '\0' ? upper : NULL;
}

static int transfer_set_security(struct transfer *x)
{
  CURL *h = x->easy;
  int bad = 0;
  bad |= (int)curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (x->transport->ca_bundle != NULL)
    bad |= (int)curl_easy_setopt(h, CURLOPT_CAINFO, x->transport->ca_bundle);
  bad |= (int)curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
  bad |= (int)curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  bad |= (int)curl_easy_setopt(h, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  const char *proxy = transfer_extra_proxy(x->url);
  if (x->no_proxy || transfer_is_loopback(x->url))
    bad |= (int)curl_easy_setopt(h, CURLOPT_NOPROXY, "*");
  else if (proxy != NULL)
    bad |= (int)curl_easy_setopt(h, CURLOPT_PROXY, proxy);
  return bad;
}

static int transfer_set_request(struct transfer *x)
{
  CURL *h = x->easy;
  int bad = 0;
  bad |= (int)curl_easy_setopt(h, CURLOPT_URL, x->url);
  bad |= (int)curl_easy_setopt(h, CURLOPT_PATH_AS_IS, 1L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  if (x->change == TRANSPORT_CHANGES) {
    bad |= (int)curl_easy_setopt(h, CURLOPT_FRESH_CONNECT, 1L);
    bad |= (int)curl_easy_setopt(h, CURLOPT_FORBID_REUSE, 1L);
  }
  if (strcmp(x->method, "GET") == 0 && x->body_len == 0) {
    bad |= (int)curl_easy_setopt(h, CURLOPT_HTTPGET, 1L);
  } else {
    bad |= (int)curl_easy_setopt(h, CURLOPT_POSTFIELDS, x->body);
    bad |= (int)curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->body_len);
    bad |= (int)curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, x->method);
  }
  bad |= (int)curl_easy_setopt(h, CURLOPT_HTTPHEADER, x->header_list);
  bad |= (int)curl_easy_setopt(h, CURLOPT_USERAGENT, TRY_USER_AGENT);
  bad |= (int)curl_easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "gzip");
  return bad;
}

static int transfer_set_plumbing(struct transfer *x)
{
  CURL *h = x->easy;
  int bad = 0;
  bad |= (int)curl_easy_setopt(h, CURLOPT_PRIVATE, x);
  bad |= (int)curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  /* Do not wait for a resolver thread that is stuck: quitting and cancelling are immediate. */
  bad |= (int)curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);
#endif
  bad |= (int)curl_easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_MAXAGE_CONN, TRY_CONN_AGE_MAX);
  bad |= (int)curl_easy_setopt(h, CURLOPT_BUFFERSIZE, TRY_BUFFER_SIZE);
  bad |= (int)curl_easy_setopt(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  /* Limits are the transport's own timers (they follow its clock); curl's default for connecting must not come first. */
  bad |= (int)curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)(x->connect_timeout_ms + x->total_timeout_ms));
  bad |= (int)curl_easy_setopt(h, CURLOPT_ERRORBUFFER, x->curl_error);
  bad |= (int)curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, transfer_on_ready);
  bad |= (int)curl_easy_setopt(h, CURLOPT_PREREQDATA, x);
  bad |= (int)curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, transfer_on_progress);
  bad |= (int)curl_easy_setopt(h, CURLOPT_XFERINFODATA, x);
  bad |= (int)curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
  bad |= (int)curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, transfer_on_body);
  bad |= (int)curl_easy_setopt(h, CURLOPT_WRITEDATA, x);
  bad |= (int)curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, transfer_on_header);
  bad |= (int)curl_easy_setopt(h, CURLOPT_HEADERDATA, x);
  bad |= (int)curl_easy_setopt(h, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)x->transport->max_response);
  return bad;
}

/* --- beginning and end -------------------------------------------------------------------------------------------------- */

static CURL *transport_take_handle(struct transport *t)
{
  if (t->spare_count > 0)
    return t->spare[--t->spare_count];
  CURL *h = curl_easy_init();
  if (h == NULL)
    abort(); /* out of memory */
  return h;
}

static void transport_give_handle(struct transport *t, CURL *h)
{
  curl_easy_reset(h);
  t->spare = xgrow(t->spare, &t->spare_cap, t->spare_count + 1, sizeof *t->spare);
  t->spare[t->spare_count++] = h;
}

void transfer_drop_answer(struct transfer *x)
{
  struct transfer_answer *in = &x->in;
  if (x->secret_body) {
    secret_wipe(in->body, in->body_len);
    if (in->headers.cap > 0)
      secret_wipe(in->headers.data, in->headers.len);
  }
  free(in->body);
  buf_fini(&in->headers);
  *in = (struct transfer_answer){.body = NULL};
  buf_init(&in->headers, TRY_HEADERS_MAX);
}

struct err transfer_start(struct transfer *x)
{
  struct transport *t = x->transport;
  transfer_drop_answer(x);
  x->started_ms = clock_mono_ms(t->clock);
  if (x->tries == 0)
    x->first_ms = x->started_ms;
  x->tries++;
  x->progress_ms = x->started_ms;
  x->seen = 0;
  x->began = false;
  x->curl_error[0] = '\0';
  x->signed_wall_ms = clock_wall_ms(t->clock);
  x->signed_skew_ms = transfer_skew(x);

  for (size_t i = 0; i < x->header_count; i++)
    transfer_add_header(x, x->headers[i].name, x->headers[i].value);
  struct err e = x->sign ? transfer_sign(x) : err_ok();
  if (!err_is(&e)) {
    transfer_forbid_header(x, "Expect");
    if (!transfer_has_header(x, "Content-Type"))
      transfer_forbid_header(x, "Content-Type");
    x->easy = transport_take_handle(t);
    int bad = transfer_set_plumbing(x) | transfer_set_security(x) | transfer_set_request(x);
    if (bad != 0)
      e = err_new(ERR_CONFIG, "libcurl refuses one of the options that this program needs");
    else if (curl_multi_add_handle(t->multi, x->easy) != CURLM_OK)
      e = err_new(ERR_IO, "libcurl does not take the request");
  }
  if (err_is(&e)) {
    if (x->easy != NULL)
      transport_give_handle(t, x->easy);
    x->easy = NULL;
    transfer_drop_headers(x);
    return e;
  }
  x->state = TRANSFER_RUNNING;
  x->host->running++;
  return e;
}

void transfer_stop(struct transfer *x)
{
  if (x->easy == NULL)
    return;
  struct transport *t = x->transport;
  long status = 0;
  long connections = 0;
  long sent = 0;
  curl_off_t up = 0;
  curl_off_t down = 0;
  curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(x->easy, CURLINFO_NUM_CONNECTS, &connections);
  curl_easy_getinfo(x->easy, CURLINFO_REQUEST_SIZE, &sent);
  curl_easy_getinfo(x->easy, CURLINFO_SIZE_UPLOAD_T, &up);
  curl_easy_getinfo(x->easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
  x->in.status = (int)status;
  t->stats.connections += (uint64_t)connections;
  t->stats.bytes_out += (uint64_t)sent + (uint64_t)up;
  t->stats.bytes_in += (uint64_t)down;
  x->ended_ms = clock_mono_ms(t->clock);
  curl_multi_remove_handle(t->multi, x->easy);
  transport_give_handle(t, x->easy);
  x->easy = NULL;
  transfer_drop_headers(x);
  x->host->running--;
}
