/* Any bytes as a request: the signer may refuse it, but whatever it signs keeps its shape. */
#include "sigv4/sigv4.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADERS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
  if (!condition)
    abort();
}

/* The next part of the text, up to a byte 0; "" where there is none. */
static const char *take(char **at, char *end)
{
  const char *part = *at;
  size_t len = strlen(part);
  *at = part + len < end ? *at + len + 1 : end;
  return part;
}

static size_t count_lines(const char *text)
{
  size_t count = 1;
  for (; *text != '\0'; text++)
    count += *text == '\n';
  return count;
}

static void look_at(const struct sigv4_signed *s, bool query_form)
{
  size_t names = 1;
  expect(strlen(s->signature) == 64 && strspn(s->signature, "0123456789abcdef") == 64);
  for (const char *at = s->signed_headers; *at != '\0'; at++)
    names += *at == ';';
  /* Method, path, query, one line a name, an empty one, the names, the hash: no part brings line ends of its own. */
  expect(count_lines(s->canonical_request) == names + 6);
  expect(count_lines(s->string_to_sign) == 4);
  if (query_form) {
    for (const char *at = s->query; *at != '\0'; at++)
      expect(*at > ' ' && *at < 127 && *at != '"' && *at != '#');
    expect(s->authorization == NULL);
  } else {
    expect(strstr(s->authorization, s->signature) != NULL && strpbrk(s->authorization, "\r\n") == NULL);
    expect(s->query == NULL && s->extra_count >= 2);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct sigv4_keys *keys;
  if (keys == NULL)
    keys = sigv4_keys_new();
  if (keys == NULL || size < 2)
    return 0;
  unsigned flags = data[0];
  size_t header_count = data[1] % MAX_HEADERS;
  char *text = calloc(1, size);
  if (text == NULL)
    return 0;
  memcpy(text, data + 2, size - 2);
  char *at = text;
  char *end = text + size - 1;

  struct sigv4_header headers[MAX_HEADERS + 1] = {{"Host", "h"}};
  struct sigv4_request request = {.method = flags & 1 ? take(&at, end) : "POST"};
  request.path = take(&at, end);
  request.query = take(&at, end);
  for (size_t i = 1; i <= header_count; i++) {
    headers[i].name = take(&at, end);
    headers[i].value = take(&at, end);
  }
  request.headers = headers;
  request.header_count = header_count + 1;
  request.payload = flags & 2 ? SIGV4_PAYLOAD_GIVEN : flags & 4 ? SIGV4_PAYLOAD_UNSIGNED : SIGV4_PAYLOAD_HASH;
  request.payload_hash = flags & 2 ? take(&at, end) : NULL;
  request.path_rule = flags & 8 ? SIGV4_PATH_S3 : SIGV4_PATH_GENERAL;
  request.normalize_path = (flags & 16) != 0;
  request.sign_body_header = (flags & 32) != 0;
  request.omit_session_token = (flags & 64) != 0;
  const struct sigv4_credentials credentials = {.access_key_id = flags & 128 ? take(&at, end) : "ID",
                                                .secret = "secret",
                                                .secret_len = 6,
                                                .session_token = take(&at, end)};
  const char *region = flags & 128 ? take(&at, end) : "r";
  request.body = at;
  request.body_len = (size_t)(end - at);

  struct sigv4_signed s;
  if (sigv4_sign_headers(keys, &request, &credentials, region, "s", 0, &s) == SIGV4_OK)
    look_at(&s, false);
  sigv4_signed_fini(&s);
  if (sigv4_sign_query(keys, &request, &credentials, region, "s", 0, 60, &s) == SIGV4_OK)
    look_at(&s, true);
  sigv4_signed_fini(&s);
  free(text);
  return 0;
}
