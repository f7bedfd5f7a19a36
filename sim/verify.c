#include "sim/verify.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include "base/when.h"
#include "base/xalloc.h"

#define ALGORITHM   "AWS4-HMAC-SHA256"
#define MAX_SKEW_MS (5 * WHEN_MINUTE)
#define CANON_MAX   ((size_t)8 << 20)

/* The parts of an Authorization header, cut out of a copy of it. */
struct claim {
  char *text;
  const char *credential, *signed_headers, *signature;
  const char *access_key, *date, *region, *service, *terminator;
};

const char *sim_http_header(const struct sim_http *h, const char *name)
{
  for (size_t i = 0; i < h->header_count; i++)
    if (strcasecmp(h->headers[i].name, name) == 0)
      return h->headers[i].value;
  return NULL;
}

static void hex_of(const unsigned char *bytes, size_t len, char *out)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < len; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[2 * len] = '\0';
}

static void sha256_hex(const char *data, size_t len, char out[65])
{
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256((const unsigned char *)data, len, digest);
  hex_of(digest, sizeof digest, out);
}

static void hmac(const unsigned char *key, size_t key_len, const char *data, size_t len, unsigned char out[32])
{
  unsigned int n = 32;
  HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)data, len, out, &n);
}

static bool is_unreserved(unsigned char c)
{
  return isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

static void add_encoded(struct buf *out, const char *s, size_t len, bool keep_slash)
{
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)s[i];
    if (is_unreserved(c) || (keep_slash && c == '/'))
      buf_addc(out, (char)c);
    else
      buf_addf(out, "%%%02X", c);
  }
}

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

int sim_hex_byte(const char *two)
{
  int high = hex_digit(two[0]);
  int low = high >= 0 ? hex_digit(two[1]) : -1;
  return low >= 0 ? high * 16 + low : -1;
}

/* Percent-decodes in place; returns the new length. */
static size_t decode(char *s)
{
  size_t out = 0;
  for (size_t in = 0; s[in] != '\0'; in++) {
    int byte = s[in] == '%' ? sim_hex_byte(s + in + 1) : -1;
    s[out++] = byte >= 0 ? (char)byte : s[in];
    in += byte >= 0 ? 2 : 0;
  }
  s[out] = '\0';
  return out;
}

/* The path as it was sent, with "." and ".." and doubled slashes resolved, then encoded once more: the rule of every
 * service but S3. */
static void add_canonical_path(struct buf *out, const char *path, size_t len)
{
  const char *segment[256];
  size_t size[256], count = 0;
  size_t i = 0;
  bool slash_at_end = true;
  while (i < len) {
    while (i < len && path[i] == '/')
      i++;
    size_t start = i;
    while (i < len && path[i] != '/')
      i++;
    size_t n = i - start;
    slash_at_end = i < len;
    if (n == 0)
      continue;
    if (n == 1 && path[start] == '.') {
      slash_at_end = true;
    } else if (n == 2 && path[start] == '.' && path[start + 1] == '.') {
      count -= count > 0;
      slash_at_end = true;
    } else if (count < 256) {
      segment[count] = path + start;
      size[count++] = n;
    }
  }
  for (size_t k = 0; k < count; k++) {
    buf_addc(out, '/');
    add_encoded(out, segment[k], size[k], false);
  }
  if (count == 0 || slash_at_end)
    buf_addc(out, '/');
}

static int compare_strings(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_canonical_query(struct buf *out, const char *query)
{
  char *pairs[512] = {NULL};
  size_t count = 0;
  char *copy = xstrdup(query);
  for (char *part = copy; part != NULL && count < 512;) {
    char *next = strchr(part, '&');
    if (next != NULL)
      *next++ = '\0';
    char *value = strchr(part, '=');
    if (value != NULL)
      *value++ = '\0';
    if (*part != '\0') {
      struct buf pair;
      buf_init(&pair, CANON_MAX);
      add_encoded(&pair, part, decode(part), false);
      buf_addc(&pair, '\x01'); /* sorts before every character of a name, as the end of the name must */
      if (value != NULL)
        add_encoded(&pair, value, decode(value), false);
      pairs[count++] = buf_take(&pair);
      buf_fini(&pair);
    }
    part = next;
  }
  qsort(pairs, count, sizeof pairs[0], compare_strings);
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      buf_addc(out, '&');
    pairs[i][strcspn(pairs[i], "\x01")] = '=';
    buf_adds(out, pairs[i]);
    free(pairs[i]);
  }
  free(copy);
}

static void add_trimmed(struct buf *out, const char *value)
{
  while (*value == ' ' || *value == '\t')
    value++;
  bool blank = false;
  for (; *value != '\0'; value++) {
    if (*value == ' ' || *value == '\t') {
      blank = true;
      continue;
    }
    if (blank)
      buf_addc(out, ' ');
    blank = false;
    buf_addc(out, *value);
  }
}

/* "name:value[,value]\n" for one signed header. False: it was not sent. */
static bool add_canonical_header(struct buf *out, const struct sim_http *http, const char *name, size_t len)
{
  bool found = false;
  for (size_t i = 0; i < http->header_count; i++) {
    const struct sim_header *h = &http->headers[i];
    if (strlen(h->name) != len || strncasecmp(h->name, name, len) != 0)
      continue;
    if (found) {
      buf_addc(out, ',');
    } else {
      for (size_t k = 0; k < len; k++)
        buf_addc(out, (char)tolower((unsigned char)name[k]));
      buf_addc(out, ':');
    }
    add_trimmed(out, h->value);
    found = true;
  }
  if (found)
    buf_addc(out, '\n');
  return found;
}

/* False with *missing set when a signed header was not sent. */
static bool canonical_request(struct buf *out, const struct sim_http *http, const char *signed_headers,
                              const char **missing)
{
  const char *question = strchr(http->uri, '?');
  size_t path_len = question != NULL ? (size_t)(question - http->uri) : strlen(http->uri);
  buf_addf(out, "%s\n", http->method);
  add_canonical_path(out, http->uri, path_len);
  buf_addc(out, '\n');
  if (question != NULL)
    add_canonical_query(out, question + 1);
  buf_addc(out, '\n');
  for (const char *name = signed_headers; *name != '\0';) {
    size_t len = strcspn(name, ";");
    if (!add_canonical_header(out, http, name, len)) {
      *missing = name;
      return false;
    }
    name += len;
    name += *name == ';';
  }
  buf_addf(out, "\n%s\n", signed_headers);
  const char *declared = sim_http_header(http, "x-amz-content-sha256");
  char digest[65];
  sha256_hex(http->body, http->body_len, digest);
  /* A declared hash must be the body's; the literal for an unsigned payload stands for itself. */
  buf_adds(out, declared != NULL && strcmp(declared, "UNSIGNED-PAYLOAD") == 0 ? declared : digest);
  return true;
}

static void signature_of(const struct claim *claim, const char *secret, const char *amz_date, const struct buf *request,
                         char out[65])
{
  char request_hash[65];
  sha256_hex(request->data, request->len, request_hash);
  char *text = xasprintf(ALGORITHM "\n%s\n%s/%s/%s/%s\n%s", amz_date, claim->date, claim->region, claim->service,
                         claim->terminator, request_hash);
  char *start = xasprintf("AWS4%s", secret);
  unsigned char key[32], next[32];
  hmac((const unsigned char *)start, strlen(start), claim->date, strlen(claim->date), key);
  hmac(key, 32, claim->region, strlen(claim->region), next);
  hmac(next, 32, claim->service, strlen(claim->service), key);
  hmac(key, 32, claim->terminator, strlen(claim->terminator), next);
  hmac(next, 32, text, strlen(text), key);
  hex_of(key, 32, out);
  OPENSSL_cleanse(start, strlen(start));
  free(start);
  free(text);
}

static bool signs(const char *signed_headers, const char *name)
{
  size_t want = strlen(name);
  for (const char *p = signed_headers; *p != '\0';) {
    size_t len = strcspn(p, ";");
    if (len == want && strncasecmp(p, name, len) == 0)
      return true;
    p += len;
    p += *p == ';';
  }
  return false;
}

/* Cuts "Credential=…, SignedHeaders=…, Signature=…" apart. */
static void read_claim(struct claim *c, const char *authorization)
{
  c->text = xstrdup(authorization + strlen(ALGORITHM));
  for (char *part = c->text; part != NULL && *part != '\0';) {
    char *next = strchr(part, ',');
    if (next != NULL)
      *next++ = '\0';
    part += strspn(part, " \t");
    char *end = part + strlen(part);
    while (end > part && (end[-1] == ' ' || end[-1] == '\t'))
      *--end = '\0';
    if (strncmp(part, "Credential=", 11) == 0)
      c->credential = part + 11;
    else if (strncmp(part, "SignedHeaders=", 14) == 0)
      c->signed_headers = part + 14;
    else if (strncmp(part, "Signature=", 10) == 0)
      c->signature = part + 10;
    part = next;
  }
}

/* AKID/date/region/service/aws4_request, from the end: an access key may hold slashes. */
static bool split_scope(struct claim *c)
{
  char *text = c->text + (c->credential - c->text);
  const char **parts[4] = {&c->terminator, &c->service, &c->region, &c->date};
  for (size_t i = 0; i < 4; i++) {
    char *slash = strrchr(text, '/');
    if (slash == NULL)
      return false;
    *slash = '\0';
    *parts[i] = slash + 1;
  }
  c->access_key = text;
  return strcmp(c->terminator, "aws4_request") == 0;
}

static void say(struct verify_outcome *out, enum verify_result result, const char *message)
{
  out->result = result;
  snprintf(out->message, sizeof out->message, "%s", message);
}

static const struct sim_key *find_key(const struct verify_rules *rules, const char *access_key)
{
  for (size_t i = 0; i < rules->key_count; i++)
    if (strcmp(rules->keys[i].access_key, access_key) == 0)
      return &rules->keys[i];
  return NULL;
}

static bool date_is_good(const struct verify_rules *rules, const char *amz_date, struct verify_outcome *out)
{
  int64_t signed_ms;
  if (!when_parse_basic(amz_date, &signed_ms)) {
    out->result = VERIFY_INCOMPLETE;
    snprintf(out->message, sizeof out->message,
             "Date must be in ISO-8601 'basic format'. Got '%.64s'. See http://en.wikipedia.org/wiki/ISO_8601",
             amz_date);
    return false;
  }
  char now[WHEN_TEXT_MAX], limit[WHEN_TEXT_MAX], given[WHEN_TEXT_MAX];
  when_format_basic(rules->now_ms, now);
  when_format_basic(signed_ms, given);
  if (signed_ms < rules->now_ms - MAX_SKEW_MS) {
    out->result = VERIFY_SKEWED;
    when_format_basic(rules->now_ms - MAX_SKEW_MS, limit);
    snprintf(out->message, sizeof out->message, "Signature expired: %s is now earlier than %s (%s - 5 min.)", given,
             limit, now);
    return false;
  }
  if (signed_ms > rules->now_ms + MAX_SKEW_MS) {
    out->result = VERIFY_SKEWED;
    when_format_basic(rules->now_ms + MAX_SKEW_MS, limit);
    snprintf(out->message, sizeof out->message, "Signature not yet current: %s is still later than %s (%s + 5 min.)",
             given, limit, now);
    return false;
  }
  return true;
}

/* The service refuses a request that leaves out of the signature what decides its meaning. */
static bool signed_enough(const struct sim_http *http, const struct claim *c, struct verify_outcome *out)
{
  if (!signs(c->signed_headers, "host")) {
    say(out, VERIFY_MISMATCH, "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    return false;
  }
  for (size_t i = 0; i < http->header_count; i++) {
    const char *name = http->headers[i].name;
    if (strncasecmp(name, "x-amz-", 6) == 0 && !signs(c->signed_headers, name)) {
      out->result = VERIFY_MISMATCH;
      snprintf(out->message, sizeof out->message, "'%.80s' must be a 'SignedHeader' in the AWS Authorization.", name);
      return false;
    }
  }
  return true;
}

static bool scope_is_good(const struct verify_rules *rules, const struct claim *c, const char *amz_date,
                          struct verify_outcome *out)
{
  if (rules->region != NULL && strcmp(rules->region, c->region) != 0) {
    out->result = VERIFY_BAD_SCOPE;
    snprintf(out->message, sizeof out->message, "Credential should be scoped to a valid region, not '%.60s'. ",
             c->region);
    return false;
  }
  if (rules->service != NULL && strcmp(rules->service, c->service) != 0) {
    out->result = VERIFY_BAD_SCOPE;
    snprintf(out->message, sizeof out->message, "Credential should be scoped to correct service: '%s'. ",
             rules->service);
    return false;
  }
  if (strlen(c->date) != 8 || strncmp(c->date, amz_date, 8) != 0) {
    out->result = VERIFY_BAD_SCOPE;
    snprintf(out->message, sizeof out->message,
             "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
             "'%.16s' != '%.8s', from '%.32s'.",
             c->date, amz_date, amz_date);
    return false;
  }
  return true;
}

static bool token_is_good(const struct sim_http *http, const struct sim_key *key)
{
  const char *token = sim_http_header(http, "x-amz-security-token");
  if (key == NULL)
    return true;
  if (key->session_token == NULL)
    return token == NULL;
  return token != NULL && strcmp(token, key->session_token) == 0;
}

static void compare_signature(const struct sim_http *http, const struct claim *c, const struct sim_key *key,
                              const char *amz_date, struct verify_outcome *out)
{
  struct buf request;
  char expected[65];
  const char *missing = NULL;
  buf_init(&request, CANON_MAX);
  bool whole = canonical_request(&request, http, c->signed_headers, &missing);
  const char *declared = sim_http_header(http, "x-amz-content-sha256");
  char digest[65];
  sha256_hex(http->body, http->body_len, digest);
  signature_of(c, key->secret_key, amz_date, &request, expected);
  if (declared != NULL && strcmp(declared, "UNSIGNED-PAYLOAD") != 0 && strcasecmp(declared, digest) != 0)
    say(out, VERIFY_MISMATCH, "The provided 'x-amz-content-sha256' header does not match what was computed.");
  else if (!whole || strlen(c->signature) != 64 || CRYPTO_memcmp(expected, c->signature, 64) != 0)
    say(out, VERIFY_MISMATCH,
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method. Consult the service documentation for details.");
  buf_fini(&request);
}

static void check_claim(const struct sim_http *http, const struct verify_rules *rules, struct claim *c,
                        struct verify_outcome *out)
{
  const char *amz_date = sim_http_header(http, "x-amz-date");
  if (c->credential == NULL || c->signed_headers == NULL || c->signature == NULL || amz_date == NULL) {
    out->result = VERIFY_INCOMPLETE;
    snprintf(out->message, sizeof out->message, "%s%s%s%s",
             c->credential == NULL ? "Authorization header requires 'Credential' parameter. " : "",
             c->signature == NULL ? "Authorization header requires 'Signature' parameter. " : "",
             c->signed_headers == NULL ? "Authorization header requires 'SignedHeaders' parameter. " : "",
             amz_date == NULL ? "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
                              : "");
    return;
  }
  if (!split_scope(c)) {
    say(out, VERIFY_INCOMPLETE,
        "Credential must have exactly 5 slash-delimited elements, e.g. "
        "keyid/date/region/service/term.");
    return;
  }
  snprintf(out->access_key, sizeof out->access_key, "%s", c->access_key);
  snprintf(out->region, sizeof out->region, "%s", c->region);
  snprintf(out->service, sizeof out->service, "%s", c->service);
  const struct sim_key *key = find_key(rules, c->access_key);
  if (key == NULL && !rules->any_key) {
    say(out, VERIFY_UNKNOWN_KEY, "The security token included in the request is invalid.");
    return;
  }
  if (!date_is_good(rules, amz_date, out) || !scope_is_good(rules, c, amz_date, out) || !signed_enough(http, c, out))
    return;
  if (!token_is_good(http, key)) {
    say(out, VERIFY_BAD_TOKEN, "The security token included in the request is invalid.");
    return;
  }
  if (key != NULL && key->expires_ms != 0 && rules->now_ms >= key->expires_ms) {
    say(out, VERIFY_EXPIRED, "The security token included in the request is expired");
    return;
  }
  if (key != NULL)
    compare_signature(http, c, key, amz_date, out);
}

void sim_verify(const struct sim_http *http, const struct verify_rules *rules, struct verify_outcome *out)
{
  struct claim claim = {0};
  *out = (struct verify_outcome){.result = VERIFY_OK};
  const char *authorization = sim_http_header(http, "authorization");
  if (authorization == NULL) {
    say(out, VERIFY_MISSING, "Missing Authentication Token");
    return;
  }
  if (strncmp(authorization, ALGORITHM, strlen(ALGORITHM)) != 0) {
    say(out, VERIFY_INCOMPLETE, "Unsupported AWS 'algorithm' in the Authorization header. ");
    return;
  }
  read_claim(&claim, authorization);
  check_claim(http, rules, &claim, out);
  free(claim.text);
}
