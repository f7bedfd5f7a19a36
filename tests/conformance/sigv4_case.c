#include "tests/conformance/sigv4_case.h"

#include "base/buf.h"
#include "base/xalloc.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A vector is a page of text at most. */
#define FILE_MAX_LEN ((size_t)1 << 20)

char *sigv4_case_file(const char *folder, const char *name)
{
  char *path = xasprintf("%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  free(path);
  if (file == NULL)
    return NULL;
  struct buf text;
  buf_init(&text, FILE_MAX_LEN);
  char piece[4096];
  size_t len;
  while ((len = fread(piece, 1, sizeof piece, file)) > 0)
    buf_add(&text, piece, len);
  fclose(file);
  return buf_take(&text);
}

static void drop_carriage_returns(char *text)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    if (from[0] != '\r' || from[1] != '\n')
      *to++ = *from;
  }
  *to = '\0';
}

/* Ends the line at text and gives the start of the next one; the last line has none. Folded lines stay one: a line that
 * begins with a blank belongs to the one before. */
static char *cut_header_line(char *text)
{
  char *end = strchr(text, '\n');
  while (end != NULL && (end[1] == ' ' || end[1] == '\t'))
    end = strchr(end + 1, '\n');
  if (end == NULL)
    return NULL;
  *end = '\0';
  return end + 1;
}

static const char *read_request_line(struct sigv4_request *request, char *line)
{
  char *target = strchr(line, ' ');
  char *version = strrchr(line, ' ');
  if (target == NULL || version == target)
    return "the first line is not a request line";
  *target++ = '\0';
  *version = '\0';
  request->method = line;
  request->path = target;
  request->query = "";
  char *question_mark = strchr(target, '?');
  if (question_mark != NULL) {
    *question_mark = '\0';
    request->query = question_mark + 1;
  }
  return NULL;
}

static const char *read_message(struct sigv4_case *c)
{
  c->message = sigv4_case_file(c->folder, "request.txt");
  if (c->message == NULL)
    return "request.txt is not there";
  drop_carriage_returns(c->message);
  char *line = c->message;
  char *next = cut_header_line(line);
  const char *wrong = read_request_line(&c->request, line);
  if (wrong != NULL)
    return wrong;

  while (next != NULL && *next != '\0' && *next != '\n') {
    line = next;
    next = cut_header_line(line);
    char *colon = strchr(line, ':');
    if (colon == NULL)
      return "a header line without a colon";
    *colon = '\0';
    size_t count = c->request.header_count;
    c->headers = xgrow(c->headers, &c->header_cap, count + 1, sizeof *c->headers);
    c->headers[count] = (struct sigv4_header){.name = line, .value = colon + 1};
    c->request.header_count++;
  }
  c->request.headers = c->headers;
  c->request.body = next != NULL && *next == '\n' ? next + 1 : "";
  c->request.body_len = strlen(c->request.body);
  return NULL;
}

static int64_t days_before_year(int year)
{
  int64_t before = year - 1;
  return before * 365 + before / 4 - before / 100 + before / 400;
}

static bool read_timestamp(const char *text, int64_t *ms_utc)
{
  static const int days_before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  int year, month, day, hour, minute, second;
  if (text == NULL || sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute, &second) != 6)
    return false;
  if (year < 1970 || month < 1 || month > 12)
    return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  int64_t days = days_before_year(year) - days_before_year(1970) + days_before_month[month - 1] + day - 1;
  days += leap && month > 2 ? 1 : 0;
  *ms_utc = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
  return true;
}

static const char *text_member(const cJSON *object, const char *name)
{
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool flag_member(const cJSON *object, const char *name)
{
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static const char *read_context(struct sigv4_case *c)
{
  char *text = sigv4_case_file(c->folder, "context.json");
  c->context = text != NULL ? cJSON_Parse(text) : NULL;
  free(text);
  if (c->context == NULL)
    return "context.json is not there or is not JSON";

  const cJSON *credentials = cJSON_GetObjectItemCaseSensitive(c->context, "credentials");
  c->credentials.access_key_id = text_member(credentials, "access_key_id");
  c->credentials.secret = text_member(credentials, "secret_access_key");
  c->credentials.session_token = text_member(credentials, "token");
  c->region = text_member(c->context, "region");
  c->service = text_member(c->context, "service");
  if (c->credentials.access_key_id == NULL || c->credentials.secret == NULL || c->region == NULL || c->service == NULL)
    return "context.json lacks keys, region or service";
  c->credentials.secret_len = strlen(c->credentials.secret);
  if (!read_timestamp(text_member(c->context, "timestamp"), &c->ms_utc))
    return "context.json has no timestamp that can be read";

  const cJSON *expires = cJSON_GetObjectItemCaseSensitive(c->context, "expiration_in_seconds");
  c->expires_seconds = cJSON_IsNumber(expires) && expires->valueint > 0 ? (unsigned)expires->valueint : 3600;
  c->request.normalize_path = flag_member(c->context, "normalize");
  c->request.sign_body_header = flag_member(c->context, "sign_body");
  c->request.omit_session_token = flag_member(c->context, "omit_session_token");
  const char *path_rule = text_member(c->context, "path_rule");
  c->request.path_rule = path_rule != NULL && strcmp(path_rule, "s3") == 0 ? SIGV4_PATH_S3 : SIGV4_PATH_GENERAL;
  c->request.payload_hash = text_member(c->context, "signed_body_value");
  if (c->request.payload_hash == NULL)
    c->request.payload = SIGV4_PAYLOAD_HASH;
  else if (strcmp(c->request.payload_hash, "UNSIGNED-PAYLOAD") == 0)
    c->request.payload = SIGV4_PAYLOAD_UNSIGNED;
  else
    c->request.payload = SIGV4_PAYLOAD_GIVEN;
  return NULL;
}

const char *sigv4_case_read(struct sigv4_case *c, const char *folder)
{
  memset(c, 0, sizeof *c);
  c->folder = xstrdup(folder);
  const char *slash = strrchr(folder, '/');
  c->name = xstrdup(slash != NULL ? slash + 1 : folder);
  const char *wrong = read_context(c);
  return wrong != NULL ? wrong : read_message(c);
}

void sigv4_case_fini(struct sigv4_case *c)
{
  cJSON_Delete(c->context);
  free(c->message);
  free(c->headers);
  free(c->folder);
  free(c->name);
}

char *sigv4_case_signed_request(const struct sigv4_case *c, const struct sigv4_signed *s)
{
  struct buf text;
  buf_init(&text, FILE_MAX_LEN);
  const char *query = s->query != NULL ? s->query : c->request.query;
  buf_addf(&text, "%s %s%s%s HTTP/1.1\n", c->request.method, c->request.path, query[0] != '\0' ? "?" : "", query);
  for (size_t i = 0; i < c->request.header_count; i++)
    buf_addf(&text, "%s:%s\n", c->request.headers[i].name, c->request.headers[i].value);
  for (size_t i = 0; i < s->extra_count; i++)
    buf_addf(&text, "%s:%s\n", s->extra[i].name, s->extra[i].value);
  buf_addc(&text, '\n');
  buf_add(&text, c->request.body, c->request.body_len);
  return buf_take(&text);
}
