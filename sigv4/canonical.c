#include "sigv4/private.h"

#include <stdlib.h>
#include <string.h>

/* Above this many, qsort; below it, which is every request of a real client, an insertion sort is quicker. */
#define FEW_PAIRS 24

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool span_is(struct sigv4_span span, const char *text, size_t len)
{
  return span.len == len && memcmp(span.at, text, len) == 0;
}

/* Headers that proxies and the HTTP library may change or add on the way: signing them would break the signature. The
 * Authorization header is the signature's own. */
bool sigv4_header_is_unsigned(struct sigv4_span lower_name)
{
  static const struct sigv4_span names[] = {
      {"authorization", 13},     {"connection", 10}, {"expect", 6},      {"proxy-authorization", 19},
      {"transfer-encoding", 17}, {"upgrade", 7},     {"user-agent", 10}, {"x-amzn-trace-id", 15},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (span_is(lower_name, names[i].at, names[i].len))
      return true;
  }
  return false;
}

/* A line end inside a value would let the value write headers of its own, so the only one allowed is the old form of
 * folding, where the next line begins with a blank (RFC 9112, section 5.2). */
bool sigv4_header_value_is_valid(const char *value, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)value[i];
    if ((c >= ' ' && c != 127) || c == '\t')
      continue;
    if (c == '\r' && i + 1 < len && value[i + 1] == '\n')
      i++;
    else if (c != '\n')
      return false;
    if (i + 1 >= len || (value[i + 1] != ' ' && value[i + 1] != '\t'))
      return false;
  }
  return true;
}

static int compare_spans(struct sigv4_span a, struct sigv4_span b)
{
  size_t shorter = a.len < b.len ? a.len : b.len;
  /* Most names differ in their first byte already. */
  if (shorter > 0 && a.at[0] != b.at[0])
    return (unsigned char)a.at[0] < (unsigned char)b.at[0] ? -1 : 1;
  int order = shorter > 0 ? memcmp(a.at, b.at, shorter) : 0;
  if (order != 0)
    return order;
  return (a.len > b.len) - (a.len < b.len);
}

static int compare_headers(const void *left, const void *right)
{
  const struct sigv4_pair *a = left;
  const struct sigv4_pair *b = right;
  int order = compare_spans(a->name, b->name);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_parameters(const void *left, const void *right)
{
  const struct sigv4_pair *a = left;
  const struct sigv4_pair *b = right;
  int order = compare_spans(a->name, b->name);
  return order != 0 ? order : compare_spans(a->value, b->value);
}

static void sort_pairs(struct sigv4_pair *pairs, size_t count, int (*compare)(const void *, const void *))
{
  if (count > FEW_PAIRS) {
    qsort(pairs, count, sizeof *pairs, compare);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct sigv4_pair moved = pairs[i];
    size_t to = i;
    for (; to > 0 && compare(&pairs[to - 1], &moved) > 0; to--)
      pairs[to] = pairs[to - 1];
    pairs[to] = moved;
  }
}

void sigv4_sort_headers(struct sigv4_pair *pairs, size_t count)
{
  sort_pairs(pairs, count, compare_headers);
}

void sigv4_sort_parameters(struct sigv4_pair *pairs, size_t count)
{
  sort_pairs(pairs, count, compare_parameters);
}

/* Trimmed, and every run of blanks one space: a fold is such a run. */
static void put_header_value(struct sigv4_out *out, struct sigv4_span value)
{
  const char *at = value.at;
  const char *end = value.at + value.len;
  while (at < end && is_blank(*at))
    at++;
  while (end > at && is_blank(end[-1]))
    end--;
  while (at < end) {
    const char *word = at;
    while (at < end && !is_blank(*at))
      at++;
    sigv4_out_put(out, word, (size_t)(at - word));
    if (at < end)
      sigv4_out_char(out, ' ');
    while (at < end && is_blank(*at))
      at++;
  }
}

void sigv4_put_headers(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare_spans(pairs[i].name, pairs[i - 1].name) == 0) {
      sigv4_out_char(out, ',');
    } else {
      if (i > 0)
        sigv4_out_char(out, '\n');
      sigv4_out_put(out, pairs[i].name.at, pairs[i].name.len);
      sigv4_out_char(out, ':');
    }
    put_header_value(out, pairs[i].value);
  }
  if (count > 0)
    sigv4_out_char(out, '\n');
}

void sigv4_put_signed_headers(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare_spans(pairs[i].name, pairs[i - 1].name) == 0)
      continue;
    if (i > 0)
      sigv4_out_char(out, ';');
    sigv4_out_put(out, pairs[i].name.at, pairs[i].name.len);
  }
}

void sigv4_put_parameters(struct sigv4_out *out, const struct sigv4_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      sigv4_out_char(out, '&');
    sigv4_out_put(out, pairs[i].name.at, pairs[i].name.len);
    sigv4_out_char(out, '=');
    sigv4_out_put(out, pairs[i].value.at, pairs[i].value.len);
  }
}

/* Removes empty segments, "." and ".." as the services do. That is not quite RFC 3986: "/a/b/.." becomes "/a", without the
 * slash at its end. The result is never longer than the path. */
static struct sigv4_span normalize_path(struct sigv4_span path, char *scratch)
{
  size_t len = 0;
  for (size_t i = 0; i < path.len;) {
    const char *slash = memchr(path.at + i, '/', path.len - i);
    size_t end = slash != NULL ? (size_t)(slash - path.at) : path.len;
    struct sigv4_span segment = {path.at + i, end - i};
    i = end + 1;
    if (segment.len == 0 || span_is(segment, ".", 1))
      continue;
    if (span_is(segment, "..", 2)) {
      while (len > 0 && scratch[--len] != '/')
        ;
      continue;
    }
    scratch[len++] = '/';
    memcpy(scratch + len, segment.at, segment.len);
    len += segment.len;
  }
  if (len == 0 || path.at[path.len - 1] == '/')
    scratch[len++] = '/';
  return (struct sigv4_span){scratch, len};
}

void sigv4_put_path(struct sigv4_out *out, const struct sigv4_request *request, struct sigv4_span path, char *scratch)
{
  if (path.len == 0) {
    sigv4_out_char(out, '/');
    return;
  }
  switch (request->path_rule) {
  case SIGV4_PATH_S3:
    sigv4_put_encoded_once(out, path);
    return;
  case SIGV4_PATH_GENERAL:
    break;
  }
  if (request->normalize_path)
    path = normalize_path(path, scratch);
  sigv4_put_encoded(out, path, true);
}

size_t sigv4_count_parameters(struct sigv4_span query)
{
  size_t count = 1;
  for (size_t i = 0; i < query.len; i++)
    count += query.at[i] == '&';
  return count;
}

static struct sigv4_span reencode(struct sigv4_span in, struct sigv4_out *scratch)
{
  const char *start = scratch->at;
  sigv4_put_reencoded(scratch, in);
  return (struct sigv4_span){start, (size_t)(scratch->at - start)};
}

size_t sigv4_split_query(struct sigv4_span query, struct sigv4_pair *pairs, struct sigv4_out *scratch)
{
  size_t count = 0;
  for (size_t i = 0; i < query.len;) {
    const char *ampersand = memchr(query.at + i, '&', query.len - i);
    size_t end = ampersand != NULL ? (size_t)(ampersand - query.at) : query.len;
    struct sigv4_span name = {query.at + i, end - i};
    struct sigv4_span value = {query.at + end, 0};
    i = end + 1;
    if (name.len == 0)
      continue;
    const char *equals = memchr(name.at, '=', name.len);
    if (equals != NULL) {
      value = (struct sigv4_span){equals + 1, name.len - (size_t)(equals - name.at) - 1};
      name.len = (size_t)(equals - name.at);
    }
    pairs[count].name = reencode(name, scratch);
    pairs[count].value = reencode(value, scratch);
    pairs[count].index = count;
    count++;
  }
  return count;
}
