/* Puts the parts together. Everything that a signature needs, scratch space included, is cut from one block whose size is an
 * upper bound computed from the lengths of the request; the block stays with the result, since the result points into it. */
#include "sigv4/private.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#define ALGORITHM     "AWS4-HMAC-SHA256"
#define TERMINATION   "aws4_request"
#define MAX_EXPIRES_S 604800 /* seven days, the services' limit */
/* No service takes a request line and headers of more than some kilobytes: text beyond this is a mistake, and the bound
 * keeps the sums of sizes below from wrapping on any machine. */
#define MAX_TEXT ((size_t)16 << 20)

#define NAME_DATE          "X-Amz-Date"
#define NAME_TOKEN         "X-Amz-Security-Token"
#define NAME_CONTENT       "X-Amz-Content-Sha256"
#define NAME_SIGNATURE     "X-Amz-Signature"
#define NAME_AUTHORIZATION "Authorization"
/* What follows the signed part of the query to send, terminator included. */
#define TAIL_SIZE (sizeof "&" NAME_SIGNATURE "=" + SIGV4_HEX_SIZE)

/* Headers that the signer makes: date, token, payload hash and the signature itself. */
#define MAX_EXTRA 4
/* Parameters that the query form adds to be signed; the signature is a seventh, added afterwards. */
#define MAX_PARAMETERS 6

enum form { FORM_HEADERS, FORM_QUERY };

/* At the head of the block: what was written and is to be wiped. */
struct block {
  char *text;
  size_t text_len;
  char *scratch;
  size_t scratch_len;
};

struct signing {
  struct sigv4_keys *keys;
  const struct sigv4_request *request;
  const struct sigv4_credentials *credentials;
  enum form form;
  unsigned expires_seconds;

  struct sigv4_span method;
  struct sigv4_span path;
  struct sigv4_span query;
  struct sigv4_span access_key_id;
  struct sigv4_span token; /* empty: none */
  struct sigv4_span region;
  struct sigv4_span service;
  char time[SIGV4_TIME_SIZE];

  struct sigv4_pair *headers;
  size_t header_count;
  struct sigv4_pair *parameters;
  size_t parameter_count;
  struct sigv4_out scratch; /* lower-case names, encoded parameters */
  char *path_scratch;
  struct sigv4_out text; /* the strings of the result */
  struct sigv4_out tail; /* room at the end of the query to send, for the signature */

  struct sigv4_span scope;
  struct sigv4_span payload_hash;
  struct sigv4_span signed_headers;
};

static struct sigv4_span span_of(const char *text)
{
  return text != NULL ? (struct sigv4_span){text, strlen(text)} : (struct sigv4_span){"", 0};
}

static void put_span(struct sigv4_out *out, struct sigv4_span span)
{
  sigv4_out_put(out, span.at, span.len);
}

/* Ends the string that began at start and gives it back. */
static char *finish(struct sigv4_out *out, char *start)
{
  sigv4_out_char(out, '\0');
  return start;
}

static bool signs_token(const struct signing *s)
{
  return s->token.len > 0 && !s->request->omit_session_token;
}

static bool request_is_valid(const struct sigv4_request *r)
{
  if (r == NULL || r->method == NULL || !sigv4_is_token(r->method, strlen(r->method)))
    return false;
  if (r->path != NULL && r->path[0] != '\0' && r->path[0] != '/')
    return false;
  if (r->path != NULL && strpbrk(r->path, "?#") != NULL)
    return false;
  if (r->query != NULL && strchr(r->query, '#') != NULL)
    return false;
  if (r->header_count > 0 && r->headers == NULL)
    return false;
  for (size_t i = 0; i < r->header_count; i++) {
    if (r->headers[i].name == NULL || r->headers[i].value == NULL)
      return false;
  }
  if (r->payload == SIGV4_PAYLOAD_HASH && r->body_len > 0 && r->body == NULL)
    return false;
  return r->payload != SIGV4_PAYLOAD_GIVEN || (r->payload_hash != NULL && sigv4_is_visible(r->payload_hash));
}

static bool credentials_are_valid(const struct sigv4_credentials *c)
{
  if (c == NULL || c->access_key_id == NULL || !sigv4_is_scope_part(c->access_key_id))
    return false;
  if (c->secret == NULL || c->secret_len == 0)
    return false;
  return c->session_token == NULL || c->session_token[0] == '\0' || sigv4_is_visible(c->session_token);
}

/* Upper bounds of the parts of the block, in bytes. */
struct sizes {
  size_t header_max;
  size_t parameter_max;
  size_t path;
  size_t scratch;
  size_t text;
};

static bool measure(const struct signing *s, struct sizes *sizes)
{
  const struct sigv4_request *r = s->request;
  size_t names = 0;
  size_t values = 0;
  for (size_t i = 0; i < r->header_count && names + values <= MAX_TEXT; i++) {
    names += strlen(r->headers[i].name);
    values += strlen(r->headers[i].value);
  }
  size_t payload_hash = r->payload == SIGV4_PAYLOAD_GIVEN ? strlen(r->payload_hash) : SIGV4_HEX_SIZE;
  size_t scope = SIGV4_DATE_SIZE + s->region.len + s->service.len + sizeof TERMINATION + 3;
  const size_t parts[] = {s->method.len, s->path.len, s->query.len,         names,       values,
                          payload_hash,  scope,       s->access_key_id.len, s->token.len};
  size_t total = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (parts[i] > MAX_TEXT - total)
      return false;
    total += parts[i];
  }

  sizes->header_max = r->header_count + MAX_EXTRA;
  sizes->parameter_max = sigv4_count_parameters(s->query) + MAX_PARAMETERS;
  names += sizeof NAME_DATE + sizeof NAME_TOKEN + sizeof NAME_CONTENT;
  values += SIGV4_TIME_SIZE + s->token.len + payload_hash;
  size_t signed_headers = names + sizes->header_max + 1;
  size_t headers = names + values + 3 * sizes->header_max;
  size_t credential = s->access_key_id.len + scope + 1;
  /* An encoded byte takes three. The names of our own parameters and their fixed values take under 300. */
  size_t query = 3 * s->query.len + 2 * sizes->parameter_max;
  if (s->form == FORM_QUERY)
    query += 3 * (credential + s->token.len + signed_headers) + 300;

  sizes->path = 3 * s->path.len + 2;
  sizes->scratch = names + query + (s->form == FORM_QUERY ? credential : 0);
  size_t canonical_request = s->method.len + sizes->path + query + headers + signed_headers + payload_hash + 8;
  size_t string_to_sign = sizeof ALGORITHM + SIGV4_TIME_SIZE + scope + SIGV4_HEX_SIZE + 8;
  size_t own_strings = scope + payload_hash + SIGV4_TIME_SIZE + s->token.len + signed_headers + 8;
  sizes->text = canonical_request + string_to_sign + own_strings;
  if (s->form == FORM_QUERY)
    sizes->text += query + TAIL_SIZE; /* what is sent, beside what is signed */
  else
    sizes->text += sizeof ALGORITHM + credential + signed_headers + SIGV4_HEX_SIZE + 64;
  return true;
}

static enum sigv4_status cut_block(struct signing *s, struct sigv4_signed *out)
{
  struct sizes sizes;
  if (!measure(s, &sizes))
    return SIGV4_INVALID;
  size_t pairs = (sizes.header_max + sizes.parameter_max) * sizeof(struct sigv4_pair);
  size_t extras = MAX_EXTRA * sizeof(struct sigv4_header);
  size_t size = sizeof(struct block) + pairs + extras + sizes.path + sizes.scratch + sizes.text;
  struct block *block = malloc(size);
  if (block == NULL)
    return SIGV4_NO_MEMORY;
  s->headers = (struct sigv4_pair *)(void *)(block + 1);
  s->parameters = s->headers + sizes.header_max;
  out->extra = (struct sigv4_header *)(void *)(s->parameters + sizes.parameter_max);
  out->block = block;
  s->path_scratch = (char *)(out->extra + MAX_EXTRA);
  char *scratch = s->path_scratch + sizes.path;
  char *text = scratch + sizes.scratch;
  s->scratch = (struct sigv4_out){.at = scratch, .end = text};
  s->text = (struct sigv4_out){.at = text, .end = text + sizes.text};
  *block = (struct block){.text = text, .scratch = scratch};
  return SIGV4_OK;
}

static void add_extra(struct sigv4_signed *out, const char *name, const char *value)
{
  out->extra[out->extra_count++] = (struct sigv4_header){.name = name, .value = value};
}

static void add_header(struct signing *s, const char *lower_name, struct sigv4_span value)
{
  s->headers[s->header_count] = (struct sigv4_pair){span_of(lower_name), value, s->header_count};
  s->header_count++;
}

/* Headers that the signer itself sets take the place of the caller's, so that a request can be signed again. */
static bool is_superseded(const struct signing *s, struct sigv4_span name)
{
  if (name.len < 10 || memcmp(name.at, "x-amz-", 6) != 0)
    return false;
  if (name.len == 10 && memcmp(name.at, "x-amz-date", 10) == 0)
    return true;
  if (name.len == 20 && memcmp(name.at, "x-amz-security-token", 20) == 0)
    return s->token.len > 0;
  return name.len == 20 && memcmp(name.at, "x-amz-content-sha256", 20) == 0 && s->request->sign_body_header;
}

static enum sigv4_status collect_headers(struct signing *s)
{
  bool has_host = false;
  for (size_t i = 0; i < s->request->header_count; i++) {
    const struct sigv4_header *header = &s->request->headers[i];
    struct sigv4_span name = {s->scratch.at, strlen(header->name)};
    struct sigv4_span value = span_of(header->value);
    if (!sigv4_put_name(&s->scratch, header->name, name.len) || !sigv4_header_value_is_valid(value.at, value.len))
      return SIGV4_INVALID;
    if (sigv4_header_is_unsigned(name) || is_superseded(s, name))
      continue;
    has_host = has_host || (name.len == 4 && memcmp(name.at, "host", 4) == 0);
    s->headers[s->header_count] = (struct sigv4_pair){name, value, s->header_count};
    s->header_count++;
  }
  return has_host ? SIGV4_OK : SIGV4_INVALID;
}

static enum sigv4_status write_payload_hash(struct signing *s)
{
  char *start = s->text.at;
  enum sigv4_status status = SIGV4_OK;
  switch (s->request->payload) {
  case SIGV4_PAYLOAD_UNSIGNED:
    sigv4_out_text(&s->text, "UNSIGNED-PAYLOAD");
    break;
  case SIGV4_PAYLOAD_GIVEN:
    sigv4_out_text(&s->text, s->request->payload_hash);
    break;
  case SIGV4_PAYLOAD_HASH: {
    unsigned char digest[SIGV4_DIGEST_SIZE];
    char hex[SIGV4_HEX_SIZE];
    status = sigv4_keys_sha256(s->keys, s->request->body, s->request->body_len, digest);
    sigv4_hex(digest, sizeof digest, hex);
    sigv4_out_put(&s->text, hex, sizeof hex);
    break;
  }
  }
  s->payload_hash = (struct sigv4_span){start, (size_t)(s->text.at - start)};
  finish(&s->text, start);
  return status;
}

static void write_scope(struct signing *s)
{
  char *start = s->text.at;
  sigv4_out_put(&s->text, s->time, SIGV4_DATE_SIZE);
  sigv4_out_char(&s->text, '/');
  put_span(&s->text, s->region);
  sigv4_out_char(&s->text, '/');
  put_span(&s->text, s->service);
  sigv4_out_text(&s->text, "/" TERMINATION);
  s->scope = (struct sigv4_span){start, (size_t)(s->text.at - start)};
  finish(&s->text, start);
}

/* Header form; the query form says both in the query. */
static void add_token_and_date(struct signing *s, struct sigv4_signed *out)
{
  if (s->token.len > 0) {
    char *token = s->text.at;
    put_span(&s->text, s->token);
    add_extra(out, NAME_TOKEN, finish(&s->text, token));
    if (signs_token(s))
      add_header(s, "x-amz-security-token", s->token);
  }
  char *time = s->text.at;
  sigv4_out_put(&s->text, s->time, SIGV4_TIME_SIZE);
  add_extra(out, NAME_DATE, finish(&s->text, time));
  add_header(s, "x-amz-date", (struct sigv4_span){time, SIGV4_TIME_SIZE});
}

/* The caller's headers and those that signing adds, sorted; the list of their names is the second part of it. */
static enum sigv4_status prepare_headers(struct signing *s, struct sigv4_signed *out)
{
  enum sigv4_status status = collect_headers(s);
  if (status != SIGV4_OK)
    return status;
  if (s->form == FORM_HEADERS)
    add_token_and_date(s, out);
  if (s->request->sign_body_header) {
    add_extra(out, NAME_CONTENT, s->payload_hash.at);
    add_header(s, "x-amz-content-sha256", s->payload_hash);
  }
  sigv4_sort_headers(s->headers, s->header_count);
  out->signed_headers = s->text.at;
  sigv4_put_signed_headers(&s->text, s->headers, s->header_count);
  s->signed_headers = (struct sigv4_span){out->signed_headers, (size_t)(s->text.at - out->signed_headers)};
  finish(&s->text, out->signed_headers);
  return SIGV4_OK;
}

/* A parameter of ours: it joins the query string to be sent and, where is_signed, those to be signed. */
static void add_parameter(struct signing *s, struct sigv4_signed *out, const char *name, struct sigv4_span value,
                          bool is_signed)
{
  char *start = s->scratch.at;
  sigv4_put_encoded(&s->scratch, value, false);
  struct sigv4_span encoded = {start, (size_t)(s->scratch.at - start)};
  if (is_signed) {
    s->parameters[s->parameter_count] = (struct sigv4_pair){span_of(name), encoded, s->parameter_count};
    s->parameter_count++;
  }
  if (s->text.at != out->query)
    sigv4_out_char(&s->text, '&');
  sigv4_out_text(&s->text, name);
  sigv4_out_char(&s->text, '=');
  put_span(&s->text, encoded);
}

/* The parameters of a signature may not be there before it: the service would see them twice. */
static bool has_own_parameters(const struct signing *s)
{
  static const char *const names[] = {"X-Amz-Algorithm",     "X-Amz-Credential", "X-Amz-Date",          "X-Amz-Expires",
                                      "X-Amz-SignedHeaders", "X-Amz-Signature",  "X-Amz-Security-Token"};
  for (size_t i = 0; i < s->parameter_count; i++) {
    struct sigv4_span name = s->parameters[i].name;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
      if (name.len == strlen(names[k]) && memcmp(name.at, names[k], name.len) == 0)
        return true;
    }
  }
  return false;
}

/* Query form: what is sent is the caller's query, then ours; what is signed is all of it in order of names. The
 * string stays open: the signature goes into its tail. */
static enum sigv4_status write_query(struct signing *s, struct sigv4_signed *out)
{
  if (has_own_parameters(s))
    return SIGV4_INVALID;
  out->query = s->text.at;
  sigv4_put_wire_query(&s->text, s->query);
  add_parameter(s, out, "X-Amz-Algorithm", span_of(ALGORITHM), true);

  char *credential = s->scratch.at;
  put_span(&s->scratch, s->access_key_id);
  sigv4_out_char(&s->scratch, '/');
  put_span(&s->scratch, s->scope);
  add_parameter(s, out, "X-Amz-Credential", (struct sigv4_span){credential, (size_t)(s->scratch.at - credential)},
                true);

  add_parameter(s, out, "X-Amz-Date", (struct sigv4_span){s->time, SIGV4_TIME_SIZE}, true);
  add_parameter(s, out, "X-Amz-SignedHeaders", s->signed_headers, true);

  char digits[8];
  size_t at = sizeof digits;
  for (unsigned left = s->expires_seconds; left > 0; left /= 10)
    digits[--at] = (char)('0' + left % 10);
  add_parameter(s, out, "X-Amz-Expires", (struct sigv4_span){digits + at, sizeof digits - at}, true);
  if (s->token.len > 0)
    add_parameter(s, out, NAME_TOKEN, s->token, signs_token(s));
  if ((size_t)(s->text.end - s->text.at) < TAIL_SIZE)
    return SIGV4_NO_MEMORY;
  s->tail = (struct sigv4_out){.at = s->text.at, .end = s->text.at + TAIL_SIZE};
  s->text.at += TAIL_SIZE;
  return SIGV4_OK;
}

static void write_canonical_request(struct signing *s, struct sigv4_signed *out)
{
  struct sigv4_out *text = &s->text;
  out->canonical_request = text->at;
  put_span(text, s->method);
  sigv4_out_char(text, '\n');
  sigv4_put_path(text, s->request, s->path, s->path_scratch);
  sigv4_out_char(text, '\n');
  sigv4_put_parameters(text, s->parameters, s->parameter_count);
  sigv4_out_char(text, '\n');
  sigv4_put_headers(text, s->headers, s->header_count);
  sigv4_out_char(text, '\n');
  put_span(text, s->signed_headers);
  sigv4_out_char(text, '\n');
  put_span(text, s->payload_hash);
}

/* From the canonical request, which ends where the text ends, to the signature. */
static enum sigv4_status write_signature(struct signing *s, struct sigv4_signed *out)
{
  unsigned char digest[SIGV4_DIGEST_SIZE];
  char hex[SIGV4_HEX_SIZE];
  size_t len = (size_t)(s->text.at - out->canonical_request);
  finish(&s->text, out->canonical_request);
  enum sigv4_status status = sigv4_keys_sha256(s->keys, out->canonical_request, len, digest);
  if (status != SIGV4_OK)
    return status;
  sigv4_hex(digest, sizeof digest, hex);

  out->string_to_sign = s->text.at;
  sigv4_out_text(&s->text, ALGORITHM "\n");
  sigv4_out_put(&s->text, s->time, SIGV4_TIME_SIZE);
  sigv4_out_char(&s->text, '\n');
  put_span(&s->text, s->scope);
  sigv4_out_char(&s->text, '\n');
  sigv4_out_put(&s->text, hex, sizeof hex);
  len = (size_t)(s->text.at - out->string_to_sign);
  finish(&s->text, out->string_to_sign);

  const struct sigv4_key_query query = {
      .secret = {s->credentials->secret, s->credentials->secret_len},
      .date = s->time,
      .region = s->region,
      .service = s->service,
  };
  status = sigv4_keys_sign(s->keys, &query, out->string_to_sign, len, digest);
  sigv4_hex(digest, sizeof digest, out->signature);
  return status;
}

static void write_authorization(struct signing *s, struct sigv4_signed *out)
{
  out->authorization = s->text.at;
  sigv4_out_text(&s->text, ALGORITHM " Credential=");
  put_span(&s->text, s->access_key_id);
  sigv4_out_char(&s->text, '/');
  put_span(&s->text, s->scope);
  sigv4_out_text(&s->text, ", SignedHeaders=");
  put_span(&s->text, s->signed_headers);
  sigv4_out_text(&s->text, ", Signature=");
  sigv4_out_put(&s->text, out->signature, SIGV4_HEX_SIZE);
  add_extra(out, NAME_AUTHORIZATION, finish(&s->text, out->authorization));
}

static void finish_query(struct signing *s, const struct sigv4_signed *out)
{
  sigv4_out_text(&s->tail, "&" NAME_SIGNATURE "=");
  sigv4_out_put(&s->tail, out->signature, SIGV4_HEX_SIZE);
  sigv4_out_char(&s->tail, '\0');
}

static enum sigv4_status sign_in_block(struct signing *s, struct sigv4_signed *out)
{
  enum sigv4_status status = write_payload_hash(s);
  if (status != SIGV4_OK)
    return status;
  write_scope(s);
  status = prepare_headers(s, out);
  if (status != SIGV4_OK)
    return status;
  s->parameter_count = sigv4_split_query(s->query, s->parameters, &s->scratch);
  if (s->form == FORM_QUERY)
    status = write_query(s, out);
  if (status != SIGV4_OK)
    return status;
  sigv4_sort_parameters(s->parameters, s->parameter_count);
  write_canonical_request(s, out);
  status = write_signature(s, out);
  if (status != SIGV4_OK)
    return status;
  if (s->form == FORM_QUERY)
    finish_query(s, out);
  else
    write_authorization(s, out);
  return s->scratch.overflow || s->text.overflow || s->tail.overflow ? SIGV4_NO_MEMORY : SIGV4_OK;
}

static enum sigv4_status sign(struct signing *s, const char *region, const char *service, int64_t ms_utc,
                              struct sigv4_signed *out)
{
  memset(out, 0, sizeof *out);
  if (s->keys == NULL || !request_is_valid(s->request) || !credentials_are_valid(s->credentials))
    return SIGV4_INVALID;
  if (region == NULL || service == NULL || !sigv4_is_scope_part(region) || !sigv4_is_scope_part(service))
    return SIGV4_INVALID;
  if (!sigv4_format_time(ms_utc, s->time))
    return SIGV4_INVALID;
  s->method = span_of(s->request->method);
  s->path = span_of(s->request->path);
  s->query = span_of(s->request->query);
  s->access_key_id = span_of(s->credentials->access_key_id);
  s->token = span_of(s->credentials->session_token);
  s->region = span_of(region);
  s->service = span_of(service);

  enum sigv4_status status = cut_block(s, out);
  if (status == SIGV4_OK) {
    struct block *block = out->block;
    status = sign_in_block(s, out);
    block->text_len = (size_t)(s->text.at - block->text);
    block->scratch_len = (size_t)(s->scratch.at - block->scratch);
  }
  if (status != SIGV4_OK)
    sigv4_signed_fini(out);
  return status;
}

enum sigv4_status sigv4_sign_headers(struct sigv4_keys *keys, const struct sigv4_request *request,
                                     const struct sigv4_credentials *credentials, const char *region,
                                     const char *service, int64_t ms_utc, struct sigv4_signed *out)
{
  struct signing s = {.keys = keys, .request = request, .credentials = credentials, .form = FORM_HEADERS};
  return sign(&s, region, service, ms_utc, out);
}

enum sigv4_status sigv4_sign_query(struct sigv4_keys *keys, const struct sigv4_request *request,
                                   const struct sigv4_credentials *credentials, const char *region, const char *service,
                                   int64_t ms_utc, unsigned expires_seconds, struct sigv4_signed *out)
{
  if (expires_seconds == 0 || expires_seconds > MAX_EXPIRES_S) {
    memset(out, 0, sizeof *out);
    return SIGV4_INVALID;
  }
  struct signing s = {.keys = keys,
                      .request = request,
                      .credentials = credentials,
                      .form = FORM_QUERY,
                      .expires_seconds = expires_seconds};
  return sign(&s, region, service, ms_utc, out);
}

void sigv4_signed_fini(struct sigv4_signed *s)
{
  if (s->block != NULL) {
    struct block *block = s->block;
    OPENSSL_cleanse(block->text, block->text_len);
    OPENSSL_cleanse(block->scratch, block->scratch_len);
    free(block);
  }
  memset(s, 0, sizeof *s);
}

const char *sigv4_status_text(enum sigv4_status status)
{
  switch (status) {
  case SIGV4_OK:
    return "signed";
  case SIGV4_INVALID:
    return "the request cannot be signed: a part of it is not allowed there";
  case SIGV4_NO_MEMORY:
    return "no memory to sign the request";
  case SIGV4_CRYPTO:
    return "the cryptographic library refused to sign";
  }
  return "unknown status of the signer";
}
