/* What became of a try: curl's codes and the service's refusals as one kind of error, with what to do next. */
#include "aws/transport_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "aws/errors.h"
#include "aws/retry.h"
#include "base/when.h"
#include "base/xalloc.h"

/* A signature is good for 5 minutes either way; from 4 on a refusal may be the clock's doing. */
#define OUTCOME_SKEW_MIN_MS INT64_C(240000)
/* An answer that took longer says too little about the server's clock. */
#define OUTCOME_DATE_MAX_MS INT64_C(15000)
/* No server's clock stands before this program's protocols, or in the far future: such a date is a fault, and signing for 1970 helps nobody. */
#define OUTCOME_YEAR_MIN 2020
#define OUTCOME_YEAR_MAX 2099

static const char *transfer_host(const struct transfer *x)
{
  const char *host = strstr(x->host->key, "://");
  return host != NULL ? host + 3 : x->host->key;
}

static struct err transfer_curl_error(const struct transfer *x, CURLcode code)
{
  const char *text = x->curl_error[0] != '\0' ? x->curl_error : curl_easy_strerror(code);
  enum err_kind kind = ERR_NETWORK;
  const char *hint = NULL;
  switch ((int)code) {
  case CURLE_COULDNT_RESOLVE_HOST:
    hint = "Check the network, the Region's name and the endpoint.";
    break;
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_PROXY:
    hint = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.";
    break;
  case CURLE_COULDNT_CONNECT:
    hint = "Check the network, a VPN, the proxy and the endpoint.";
    break;
  case CURLE_OPERATION_TIMEDOUT:
    kind = ERR_TIMEOUT;
    break;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
  case CURLE_SSL_INVALIDCERTSTATUS:
    kind = ERR_TLS;
    hint = "If a proxy opens TLS here, name its CA in AWS_CA_BUNDLE or ca_bundle.";
    break;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CIPHER:
  case CURLE_USE_SSL_FAILED:
  case CURLE_SSL_ENGINE_INITFAILED:
  case CURLE_SSL_CERTPROBLEM:
    kind = ERR_TLS;
    hint = "Does the endpoint speak TLS (https), and is there a proxy between?";
    break;
  case CURLE_SSL_CACERT_BADFILE:
    kind = ERR_CONFIG;
    hint = "Check AWS_CA_BUNDLE or ca_bundle.";
    break;
  case CURLE_URL_MALFORMAT:
    kind = ERR_CONFIG;
    hint = "Check the endpoint's address.";
    break;
  case CURLE_FILESIZE_EXCEEDED:
    kind = ERR_TOO_BIG;
    break;
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_BAD_CONTENT_ENCODING:
    kind = ERR_PARSE;
    hint = "Is the endpoint an AWS service?";
    break;
  default:
    break;
  }
  if (x->in.too_big || kind == ERR_TOO_BIG)
    return err_new(ERR_TOO_BIG, "the answer of %s is larger than %zu bytes and was not read to its end",
                   transfer_host(x), x->transport->max_response);
  struct err e;
  if (kind == ERR_PARSE)
    e = err_new(kind, "the answer of %s cannot be read: %s", transfer_host(x), text);
  else if (kind == ERR_NETWORK && x->began)
    e = err_new(kind, "the connection to %s broke off: %s", transfer_host(x), text);
  else
    e = err_new(kind, "%s: %s", transfer_host(x), text);
  if (hint != NULL)
    err_set_hint(&e, "%s", hint);
  return e;
}

static const char *transfer_request_id(const struct transfer *x)
{
  static const char *const names[] = {"x-amzn-requestid", "x-amzn-request-id", "x-amz-request-id"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *id = transfer_header(x, names[i]);
    if (id != NULL && *id != '\0')
      return id;
  }
  return NULL;
}

/* --- the answer as the caller sees it ------------------------------------------------------------------------------------ */

static const char *transfer_answer_header(const struct transport_answer *a, const char *name)
{
  return transfer_header(a->private_data, name);
}

static bool transfer_believable(int64_t ms)
{
  int year = when_to_civil(ms).year;
  return year >= OUTCOME_YEAR_MIN && year <= OUTCOME_YEAR_MAX;
}

bool transfer_server_time(const struct transfer *x, int64_t *ms)
{
  const char *date = transfer_header(x, "date");
  return date != NULL && transfer_header(x, "age") == NULL && x->ended_ms - x->started_ms <= OUTCOME_DATE_MAX_MS &&
         when_parse_http(date, ms) && transfer_believable(*ms);
}

void transfer_fill_answer(struct transfer *x, bool whole)
{
  int64_t date = WHEN_NONE;
  if (!whole || !transfer_server_time(x, &date))
    date = WHEN_NONE;
  x->answer = (struct transport_answer){.status = whole ? x->in.status : 0,
                                        .body = whole && x->in.body != NULL ? x->in.body : "",
                                        .body_len = whole ? x->in.body_len : 0,
                                        .server_date_ms = date,
                                        .sent_wall_ms = x->signed_wall_ms,
                                        .took_ms = x->ended_ms - x->started_ms,
                                        .skew_ms = transfer_skew(x),
                                        .tries = x->tries,
                                        .left_us = x->began,
                                        .request_id = transfer_request_id(x),
                                        .header = transfer_answer_header,
                                        .private_data = x};
}

struct err transfer_outcome(struct transfer *x, CURLcode code)
{
  bool whole = code == CURLE_OK && x->in.status > 0;
  transfer_fill_answer(x, whole);
  if (!whole)
    return transfer_curl_error(x, code != CURLE_OK ? code : CURLE_WEIRD_SERVER_REPLY);
  x->transport->stats.answers++;
  struct err e = err_ok();
  if (x->in.status >= 200 && x->in.status < 300) {
    if (x->accept != NULL)
      e = x->accept(x->user, &x->answer);
    if (err_is(&e) && e.detail != NULL && e.detail->http_status == 0)
      err_set_http(&e, x->in.status, NULL, x->answer.request_id);
    if (e.kind == ERR_PARSE && e.detail != NULL && e.detail->hint == NULL)
      err_set_hint(&e, "Is the endpoint an AWS service, and is there a proxy between?");
    return e;
  }
  const char *type = transfer_header(x, "x-amzn-errortype");
  return errors_read(&(struct aws_refusal){.status = x->in.status,
                                           .error_type = type != NULL ? type : transfer_header(x, "x-amzn-query-error"),
                                           .request_id = x->answer.request_id,
                                           .body = x->answer.body,
                                           .body_len = x->answer.body_len});
}

struct err transfer_limit_error(const struct transfer *x, enum transfer_limit limit)
{
  char span[WHEN_TEXT_MAX];
  if (limit == LIMIT_CONNECT) {
    struct err e = err_new(ERR_TIMEOUT, "no connection to %s within %s", transfer_host(x),
                           when_format_span(x->connect_timeout_ms, span));
    err_set_hint(&e, "Check the network, a VPN, the proxy and the endpoint.");
    return e;
  }
  if (limit == LIMIT_STALL)
    return err_new(ERR_TIMEOUT, "%s sent nothing for %s", transfer_host(x),
                   when_format_span(x->stall_timeout_ms, span));
  return err_new(ERR_TIMEOUT, "no whole answer from %s within %s", transfer_host(x),
                 when_format_span(x->total_timeout_ms, span));
}

/* --- what the service wishes ---------------------------------------------------------------------------------------------- */

/* Digits only; what is longer than any span of interest becomes the longest. */
static bool transfer_parse_count(const char *text, int64_t *out)
{
  int64_t value = 0;
  if (*text == '\0')
    return false;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return false;
    if (value < INT64_C(1000000000000))
      value = value * 10 + (*text - '0');
  }
  *out = value;
  return true;
}

int64_t transfer_retry_after_ms(const struct transfer *x)
{
  int64_t value = 0;
  const char *precise = transfer_header(x, "x-amz-retry-after");
  if (precise != NULL && transfer_parse_count(precise, &value))
    return value;
  const char *plain = transfer_header(x, "retry-after");
  if (plain == NULL)
    return -1;
  if (transfer_parse_count(plain, &value))
    return value * WHEN_SECOND;
  int64_t now = clock_wall_ms(x->transport->clock) + transfer_skew(x);
  (void)transfer_server_time(x, &now); /* its own clock, where it says */
  if (!when_parse_http(plain, &value))
    return -1;
  return value > now ? value - now : 0;
}

/* --- clocks and writes ------------------------------------------------------------------------------------------------------ */

/* The same detail under another kind and message. */
static void transfer_reword(struct err *e, enum err_kind kind, char *take_message)
{
  struct err changed = err_new(kind, "%s", take_message);
  free(take_message);
  if (e->detail != NULL) {
    err_set_http(&changed, e->detail->http_status, e->detail->code, e->detail->request_id);
  }
  err_fini(e);
  *e = changed;
}

void transfer_judge_clock(struct transfer *x, struct err *e)
{
  const char *code = e->detail != NULL ? e->detail->code : NULL;
  if (code == NULL || !errors_may_be_skew(code))
    return;
  int64_t server = 0;
  /* The text is the verifier's own clock; the Date header may be a proxy's. */
  bool known =
      (errors_server_time(err_message(e), &server) && transfer_believable(server)) || transfer_server_time(x, &server);
  int64_t behind = known ? server - (x->signed_wall_ms + x->signed_skew_ms) : 0;
  if (behind < OUTCOME_SKEW_MIN_MS && behind > -OUTCOME_SKEW_MIN_MS) {
    /* The clock does not explain it. RequestExpired is also what old keys are met with. */
    if (e->kind == ERR_SKEW && known && strncmp(code, "RequestExpired", 14) == 0)
      e->kind = ERR_EXPIRED;
    return;
  }
  int64_t offset = server - clock_wall_ms(x->transport->clock);
  x->host->skew_known = true;
  x->host->skew_ms = offset;
  char span[WHEN_TEXT_MAX];
  when_format_span(offset < 0 ? -offset : offset, span);
  transfer_reword(
      e, ERR_SKEW,
      xasprintf("%s (the clock of this machine is %s %s)", err_message(e), span, offset < 0 ? "fast" : "slow"));
  err_set_hint(e, "Set the clock of this machine.");
}

void transfer_judge_write(struct transfer *x, struct err *e)
{
  if (x->change != TRANSPORT_CHANGES || !retry_outcome_unknown(e->kind, x->began))
    return;
  /* An answer that says "I do not offer this" was given before anything was done. */
  if (errors_is_unsupported(e))
    return;
  transfer_reword(e, ERR_UNCERTAIN, xasprintf("it is not known whether this was carried out: %s", err_message(e)));
  err_set_hint(e, "Look whether it took effect before doing it again.");
}
