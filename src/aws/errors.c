#include "aws/errors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "aws/xml.h"
#include "base/json.h"
#include "base/when.h"
#include "base/xalloc.h"

/* Longest text of a service that is kept. AccessDenied texts with long ARNs reach two kilobytes. */
#define ERRORS_MESSAGE_MAX ((size_t)8 * 1024)
#define ERRORS_CODE_MAX    ((size_t)120)
#define ERRORS_PAGE_MAX    ((size_t)64 * 1024) /* of a web page that is searched for its title */

struct errors_code {
  const char *code; /* without the word "Exception" at its end: services are not of one mind about it */
  enum err_kind kind;
  const char *hint;
};

#define HINT_LOGIN  "Log in again."
#define HINT_KEYS   "Check the access key, the Region and the partition of this profile."
#define HINT_CLOCK  "Set the clock of this machine."
#define HINT_QUOTA  "Wait until other runs end, or ask for a higher quota (Service Quotas, AWS Glue)."
#define HINT_WAIT   "It will be asked again more slowly."
#define HINT_REREAD "Read it again and repeat the change."

/* The one table from codes to kinds. Facts: AWS Glue API reference (common and modelled errors), STS, the SDKs' lists of
 * throttling, transient and skew codes. */
static const struct errors_code errors_codes[] = {
    /* who we are */
    {"ExpiredToken", ERR_EXPIRED, HINT_LOGIN},
    {"TokenRefreshRequired", ERR_EXPIRED, HINT_LOGIN},
    {"UnrecognizedClient", ERR_CREDENTIALS, HINT_KEYS},
    {"InvalidClientTokenId", ERR_CREDENTIALS, HINT_KEYS},
    {"InvalidAccessKeyId", ERR_CREDENTIALS, HINT_KEYS},
    {"InvalidToken", ERR_CREDENTIALS, HINT_LOGIN},
    {"InvalidSignature", ERR_CREDENTIALS, "Check the secret access key."},
    {"SignatureDoesNotMatch", ERR_CREDENTIALS, "Check the secret access key."},
    {"AuthFailure", ERR_CREDENTIALS, HINT_KEYS},
    {"IncompleteSignature", ERR_CREDENTIALS, HINT_KEYS},
    {"MissingAuthenticationToken", ERR_CREDENTIALS, HINT_KEYS},
    {"Unauthorized", ERR_CREDENTIALS, HINT_LOGIN},
    {"OptInRequired", ERR_DENIED, "This Region is not enabled for the account."},
    {"SubscriptionRequired", ERR_DENIED, "The account is not signed up for this service."},
    /* the clock */
    {"RequestTimeTooSkewed", ERR_SKEW, HINT_CLOCK},
    {"RequestInTheFuture", ERR_SKEW, HINT_CLOCK},
    {"RequestExpired", ERR_SKEW, HINT_CLOCK},
    /* what we may */
    {"AccessDenied", ERR_DENIED, NULL},
    {"NotAuthorized", ERR_DENIED, NULL},
    {"UnauthorizedOperation", ERR_DENIED, NULL},
    {"Forbidden", ERR_DENIED, NULL},
    {"KMSAccessDenied", ERR_DENIED, NULL},
    {"GlueEncryption", ERR_DENIED, "The catalog's encryption key cannot be used with this login."},
    /* what there is */
    {"EntityNotFound", ERR_NOT_FOUND, NULL},
    {"ResourceNotFound", ERR_NOT_FOUND, NULL},
    {"NoSuchEntity", ERR_NOT_FOUND, NULL},
    {"NotFound", ERR_NOT_FOUND, NULL},
    /* who is in the way */
    {"ConcurrentRunsExceeded", ERR_CONFLICT,
     "See which runs are active; wait, stop one, or raise the job's MaxConcurrentRuns."},
    {"ConcurrentModification", ERR_CONFLICT, HINT_REREAD},
    {"Conflict", ERR_CONFLICT, HINT_REREAD},
    {"AlreadyExists", ERR_CONFLICT, NULL},
    {"IdempotentParameterMismatch", ERR_CONFLICT, NULL},
    {"IllegalWorkflowState", ERR_CONFLICT, NULL},
    {"IllegalSessionState", ERR_CONFLICT, NULL},
    {"CrawlerRunning", ERR_CONFLICT, NULL},
    {"CrawlerNotRunning", ERR_CONFLICT, NULL},
    {"CrawlerStopping", ERR_CONFLICT, NULL},
    {"JobRunInTerminalState", ERR_CONFLICT, "The run has ended already."},
    {"VersionMismatch", ERR_CONFLICT, HINT_REREAD},
    /* how much there may be */
    {"ResourceNumberLimitExceeded", ERR_LIMIT, HINT_QUOTA},
    {"ServiceQuotaExceeded", ERR_LIMIT, HINT_QUOTA},
    /* how fast */
    {"Throttling", ERR_THROTTLED, HINT_WAIT},
    {"Throttled", ERR_THROTTLED, HINT_WAIT},
    {"RequestThrottled", ERR_THROTTLED, HINT_WAIT},
    {"TooManyRequests", ERR_THROTTLED, HINT_WAIT},
    {"RequestLimitExceeded", ERR_THROTTLED, HINT_WAIT},
    {"BandwidthLimitExceeded", ERR_THROTTLED, HINT_WAIT},
    {"ProvisionedThroughputExceeded", ERR_THROTTLED, HINT_WAIT},
    {"TransactionInProgress", ERR_THROTTLED, HINT_WAIT},
    {"LimitExceeded", ERR_THROTTLED, HINT_WAIT},
    {"PriorRequestNotComplete", ERR_THROTTLED, HINT_WAIT},
    {"EC2Throttled", ERR_THROTTLED, HINT_WAIT},
    {"SlowDown", ERR_THROTTLED, HINT_WAIT},
    {"slow_down", ERR_THROTTLED, HINT_WAIT},
    /* trouble over there */
    {"InternalService", ERR_SERVER, NULL},
    {"InternalServerError", ERR_SERVER, NULL},
    {"InternalServer", ERR_SERVER, NULL},
    {"InternalFailure", ERR_SERVER, NULL},
    {"InternalError", ERR_SERVER, NULL},
    {"ServiceUnavailable", ERR_SERVER, NULL},
    {"OperationTimeout", ERR_SERVER, NULL},
    {"RequestTimeout", ERR_TIMEOUT, NULL},
    /* what we asked */
    {"InvalidInput", ERR_USAGE, NULL},
    {"InvalidParameterValue", ERR_USAGE, NULL},
    {"InvalidParameterCombination", ERR_USAGE, NULL},
    {"InvalidRequest", ERR_USAGE, NULL},
    {"Validation", ERR_USAGE, NULL},
    {"ValidationError", ERR_USAGE, NULL},
    {"Serialization", ERR_USAGE, NULL},
    {"MalformedQueryString", ERR_USAGE, NULL},
    {"UnknownOperation", ERR_USAGE, "This endpoint does not offer the operation."},
    {"UnsupportedOperation", ERR_USAGE, "This endpoint does not offer the operation."},
    {"InvalidAction", ERR_USAGE, "This endpoint does not offer the operation."},
    {"RequestEntityTooLarge", ERR_TOO_BIG, NULL},
    {"RequestTooLarge", ERR_TOO_BIG, NULL},
    /* OAuth (SSO OIDC, sign-in) */
    {"invalid_grant", ERR_EXPIRED, HINT_LOGIN},
    {"invalid_client", ERR_EXPIRED, HINT_LOGIN},
    {"expired_token", ERR_EXPIRED, HINT_LOGIN},
    {"access_denied", ERR_DENIED, NULL},
};

static const char errors_suffix[] = "Exception";

static bool errors_code_is(const char *code, const char *known)
{
  size_t len = strlen(known);
  return strncmp(code, known, len) == 0 && (code[len] == '\0' || strcmp(code + len, errors_suffix) == 0);
}

static const struct errors_code *errors_find(const char *code)
{
  if (code == NULL)
    return NULL;
  for (size_t i = 0; i < sizeof errors_codes / sizeof errors_codes[0]; i++)
    if (errors_code_is(code, errors_codes[i].code))
      return &errors_codes[i];
  return NULL;
}

/* What the status alone says. */
static enum err_kind errors_status_kind(int status)
{
  switch (status) {
  case 401:
    return ERR_CREDENTIALS;
  case 403:
    return ERR_DENIED;
  case 404:
  case 407:
    return ERR_CONFIG; /* a wrong address, or a proxy that wants a name: no service said so of a job */
  case 408:
    return ERR_TIMEOUT;
  case 409:
    return ERR_CONFLICT;
  case 413:
    return ERR_TOO_BIG;
  case 429:
    return ERR_THROTTLED;
  case 501:
    return ERR_USAGE;
  default:
    break;
  }
  if (status >= 500)
    return ERR_SERVER;
  return status >= 400 ? ERR_USAGE : ERR_PARSE; /* redirects and the like come from no AWS service */
}

enum err_kind errors_kind(int status, const char *code)
{
  const struct errors_code *known = errors_find(code);
  if (known == NULL) {
    /* A code of a service that is not in the table: the status decides, but 404 with a code is about a thing. */
    if (code != NULL && status == 404)
      return ERR_NOT_FOUND;
    return errors_status_kind(status);
  }
  /* "InternalFailure" with 501 is how stand-ins for AWS say that they lack an operation: asking again is no use. */
  return status == 501 && known->kind == ERR_SERVER ? ERR_USAGE : known->kind;
}

bool errors_may_be_skew(const char *code)
{
  static const char *const codes[] = {"RequestTimeTooSkewed", "RequestInTheFuture",    "RequestExpired",
                                      "InvalidSignature",     "SignatureDoesNotMatch", "AuthFailure"};
  for (size_t i = 0; code != NULL && i < sizeof codes / sizeof codes[0]; i++)
    if (errors_code_is(code, codes[i]))
      return true;
  return false;
}

bool errors_is_unsupported(const struct err *e)
{
  const struct err_detail *d = e->detail;
  if (d == NULL)
    return false;
  if (d->code != NULL)
    return errors_code_is(d->code, "UnknownOperation") || errors_code_is(d->code, "UnsupportedOperation") ||
           errors_code_is(d->code, "InvalidAction") || d->http_status == 501;
  return d->http_status == 404 || d->http_status == 405 || d->http_status == 501;
}

bool errors_server_time(const char *message, int64_t *ms)
{
  /* The moment in parentheses, before the tolerance is taken off or added. */
  for (const char *p = message != NULL ? strchr(message, '(') : NULL; p != NULL; p = strchr(p + 1, '(')) {
    char stamp[sizeof "20240319T130054Z"];
    size_t len = strcspn(p + 1, " )");
    if (len != sizeof stamp - 1)
      continue;
    memcpy(stamp, p + 1, len);
    stamp[len] = '\0';
    if (when_parse_basic(stamp, ms))
      return true;
  }
  return false;
}

/* "ns#Code", "Code:http://…", "ns#Code:http://…" → "Code"; NULL for what cannot be a code. */
static char *errors_clean_code(const char *raw)
{
  if (raw == NULL)
    return NULL;
  size_t len = strcspn(raw, ":;"); /* the query form has "Code;Sender" */
  const char *hash = memchr(raw, '#', len);
  if (hash != NULL) {
    len -= (size_t)(hash + 1 - raw);
    raw = hash + 1;
  }
  while (len > 0 && (*raw == ' ' || *raw == '\t')) {
    raw++;
    len--;
  }
  while (len > 0 && (raw[len - 1] == ' ' || raw[len - 1] == '\t'))
    len--;
  if (len == 0 || len > ERRORS_CODE_MAX)
    return NULL;
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)raw[i]) && strchr("._-", raw[i]) == NULL)
      return NULL;
  return xstrndup(raw, len);
}

struct errors_text {
  char *code;
  char *message;
  char *request_id;
};

static char *errors_trim(const char *text, size_t len)
{
  while (len > 0 && isspace((unsigned char)*text)) {
    text++;
    len--;
  }
  while (len > 0 && isspace((unsigned char)text[len - 1]))
    len--;
  if (len == 0)
    return NULL;
  if (len > ERRORS_MESSAGE_MAX) {
    len = ERRORS_MESSAGE_MAX;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80) /* not in the middle of a letter */
      len--;
  }
  return xstrndup(text, len);
}

static const char *errors_first(const struct cJSON *object, const char *const *names)
{
  for (; *names != NULL; names++) {
    const char *value = json_str(object, *names);
    if (value != NULL && *value != '\0')
      return value;
  }
  return NULL;
}

static void errors_read_json(const char *body, size_t len, struct errors_text *out)
{
  static const char *const codes[] = {"__type", "code", "Code", "error", NULL};
  static const char *const messages[] = {"message", "Message", "errorMessage", "error_description", NULL};
  struct cJSON *tree = NULL;
  struct err e = json_parse(body, len, &tree);
  if (!err_is(&e)) {
    /* Some stand-ins wrap it once: {"Error": {"Code": …, "Message": …}}. */
    const struct cJSON *inner = json_get(tree, "Error");
    out->code = errors_clean_code(errors_first(tree, codes));
    if (out->code == NULL && inner != NULL)
      out->code = errors_clean_code(errors_first(inner, codes));
    const char *message = errors_first(tree, messages);
    if (message == NULL && inner != NULL)
      message = errors_first(inner, messages);
    if (message != NULL)
      out->message = errors_trim(message, strlen(message));
  }
  err_fini(&e);
  json_free(tree);
}

static void errors_read_xml(const char *body, size_t len, struct errors_text *out)
{
  enum { CODE, MESSAGE, REQUEST_ID, REQUEST_ID_OLD, WANTS };
  struct xml_want wants[WANTS] = {[CODE] = {.path = "Error/Code"},
                                  [MESSAGE] = {.path = "Error/Message"},
                                  [REQUEST_ID] = {.path = "RequestId"},
                                  [REQUEST_ID_OLD] = {.path = "RequestID"}};
  struct err e = xml_read(body, len, wants, WANTS);
  out->code = errors_clean_code(wants[CODE].text);
  if (wants[MESSAGE].text != NULL)
    out->message = errors_trim(wants[MESSAGE].text, strlen(wants[MESSAGE].text));
  const char *id = wants[REQUEST_ID].text != NULL ? wants[REQUEST_ID].text : wants[REQUEST_ID_OLD].text;
  out->request_id = xstrdup(id);
  xml_wants_fini(wants, WANTS);
  err_fini(&e);
}

/* The title of a web page: usually the proxy's or balancer's own words. */
static char *errors_page_title(const char *body, size_t len)
{
  char *copy = xstrndup(body, len < ERRORS_PAGE_MAX ? len : ERRORS_PAGE_MAX);
  char *title = NULL;
  for (char *p = strchr(copy, '<'); p != NULL && title == NULL; p = strchr(p + 1, '<')) {
    if (strncasecmp(p, "<title", 6) != 0)
      continue;
    char *from = strchr(p, '>');
    if (from != NULL)
      title = errors_trim(from + 1, strcspn(from + 1, "<"));
    break;
  }
  free(copy);
  return title;
}

static char *errors_describe_body(int status, const char *body, size_t len)
{
  if (len == 0)
    return xasprintf("HTTP %d with an empty answer", status);
  if (*body == '<') {
    char *title = errors_page_title(body, len);
    char *text = title != NULL ? xasprintf("HTTP %d with a web page where JSON was due: \"%s\"", status, title)
                               : xasprintf("HTTP %d with a page where JSON was due", status);
    free(title);
    return text;
  }
  if (*body == '{' || *body == '[')
    return xasprintf("HTTP %d without a reason", status);
  char *start = errors_trim(body, strcspn(body, "\n") < 200 ? strcspn(body, "\n") : 200);
  char *text = start != NULL ? xasprintf("HTTP %d: %s", status, start) : xasprintf("HTTP %d", status);
  free(start);
  return text;
}

/* "User: arn is not authorized to perform: glue:GetJobRuns on resource: …" → what to ask the administrator for. */
static void errors_hint_denied(struct err *e)
{
  static const char before[] = "not authorized to perform: ";
  const char *at = strstr(err_message(e), before);
  if (at != NULL) {
    at += sizeof before - 1;
    size_t len = 0;
    while (isalnum((unsigned char)at[len]) || (at[len] != '\0' && strchr(":-_*", at[len]) != NULL))
      len++;
    if (len > 0 && len < 100) {
      err_set_hint(e, "Ask for the permission %.*s.", (int)len, at);
      return;
    }
  }
  err_set_hint(e, "Ask for the permission, or use another login.");
}

static void errors_add_hint(struct err *e, const char *code)
{
  const struct errors_code *known = errors_find(code);
  if (known != NULL && known->hint != NULL)
    err_set_hint(e, "%s", known->hint);
  else if (e->kind == ERR_DENIED)
    errors_hint_denied(e);
  else if (errors_is_unsupported(e) && e->detail != NULL && e->detail->http_status != 404)
    err_set_hint(e, "This endpoint does not offer the operation.");
  else if (e->kind == ERR_CONFIG && e->detail != NULL && e->detail->http_status == 407)
    err_set_hint(e, "The proxy asks for a name and a password.");
  else if (e->kind == ERR_CONFIG || e->kind == ERR_PARSE)
    err_set_hint(e, "Check the endpoint's address and the proxy.");
  else if (e->kind == ERR_CREDENTIALS)
    err_set_hint(e, HINT_LOGIN);
}

struct err errors_read(const struct aws_refusal *r)
{
  struct errors_text text = {.code = NULL};
  const char *body = r->body != NULL ? r->body : "";
  size_t len = r->body != NULL ? r->body_len : 0;
  if (len >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0) {
    body += 3;
    len -= 3;
  }
  while (len > 0 && isspace((unsigned char)*body)) {
    body++;
    len--;
  }
  if (len > 0 && *body == '{')
    errors_read_json(body, len, &text);
  else if (len > 0 && *body == '<')
    errors_read_xml(body, len, &text);
  char *code = errors_clean_code(r->error_type);
  if (code == NULL) {
    code = text.code;
    text.code = NULL;
  }
  if (text.message == NULL) {
    /* A code says more than the form of the answer that came with it. */
    if (code != NULL)
      text.message = xasprintf("the service answered %s without a text", code);
    else
      text.message = errors_describe_body(r->status, body, len);
  }
  struct err e = err_new(errors_kind(r->status, code), "%s", text.message);
  err_set_http(&e, r->status, code, r->request_id != NULL ? r->request_id : text.request_id);
  errors_add_hint(&e, code);
  free(code);
  free(text.code);
  free(text.message);
  free(text.request_id);
  return e;
}
