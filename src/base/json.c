#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/arena.h"
#include "base/private.h"
#include "base/text.h"
#include "base/when.h"
#include "base/xalloc.h"

/* Bytes shown on both sides of where reading stopped. */
#define JSON_EXCERPT 24
/* Longest text that is taken for a number. */
#define JSON_NUMBER_MAX 64

static bool json_is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* --- escapes that cJSON cannot hold ------------------------------------------------------------------------------- */

/* The value of four hex digits, or -1. */
static int32_t json_hex4(const char *s)
{
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    char c = s[i];
    int32_t digit = -1;
    if (c >= '0' && c <= '9')
      digit = c - '0';
    else if (c >= 'a' && c <= 'f')
      digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
      digit = c - 'A' + 10;
    if (digit < 0)
      return -1;
    value = value << 4 | digit;
  }
  return value;
}

/* cJSON ends a string at an escaped NUL and refuses a whole document for half a surrogate pair; log lines have both.
 * They are replaced by the escape of U+FFFD, which has the same length, so offsets stay true. Returns a copy to free,
 * or NULL when the text is fine as it is. */
static char *json_mend_escapes(const char *text, size_t len)
{
  char *mended = NULL;
  size_t i = 0;
  while (i < len) {
    const char *slash = memchr(text + i, '\\', len - i);
    if (slash == NULL)
      break;
    i = (size_t)(slash - text);
    if (len - i < 6 || text[i + 1] != 'u') {
      i += 2;
      continue;
    }
    int32_t unit = json_hex4(text + i + 2);
    bool high = unit >= 0xd800 && unit <= 0xdbff;
    bool low = unit >= 0xdc00 && unit <= 0xdfff;
    if (high && len - i >= 12 && text[i + 6] == '\\' && text[i + 7] == 'u') {
      int32_t second = json_hex4(text + i + 8);
      if (second >= 0xdc00 && second <= 0xdfff) {
        i += 12;
        continue;
      }
    }
    if (unit == 0 || high || low) {
      if (mended == NULL) {
        mended = xmalloc(len);
        memcpy(mended, text, len);
      }
      memcpy(mended + i + 2, "fffd", 4);
    }
    i += 6;
  }
  return mended;
}

/* --- parsing ------------------------------------------------------------------------------------------------------ */

static struct err json_error(const char *text, size_t len, size_t offset)
{
  if (offset > len)
    offset = len;
  size_t from = offset > JSON_EXCERPT ? offset - JSON_EXCERPT : 0;
  size_t to = len - offset > JSON_EXCERPT ? offset + JSON_EXCERPT : len;
  /* Not in the middle of a letter, which would show as broken. */
  while (from < offset && (text[from] & 0xc0) == 0x80)
    from++;
  while (to < len && to > offset && (text[to] & 0xc0) == 0x80)
    to--;
  struct buf excerpt;
  buf_init(&excerpt, 16 * JSON_EXCERPT);
  text_clean(&excerpt, text + from, to - from, TEXT_LINE);
  struct err e = err_new(ERR_PARSE, "not readable as JSON at byte %zu of %zu, near \"%s\"", offset, len, excerpt.data);
  buf_fini(&excerpt);
  return e;
}

struct err json_parse(const char *text, size_t len, struct cJSON **out)
{
  *out = NULL;
  size_t start = 0;
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    start = 3;
  while (start < len && json_is_blank(text[start]))
    start++;
  if (start == len)
    return err_new(ERR_PARSE, "empty where JSON was expected");
  const char *nul = memchr(text, '\0', len);
  if (nul != NULL)
    return json_error(text, len, (size_t)(nul - text));

  char *mended = json_mend_escapes(text + start, len - start);
  const char *body = mended != NULL ? mended : text + start;
  const char *end = NULL;
  struct cJSON *tree = cJSON_ParseWithLengthOpts(body, len - start, &end, 0);
  size_t offset = end != NULL ? start + (size_t)(end - body) : start;
  free(mended);
  if (tree != NULL) {
    while (offset < len && json_is_blank(text[offset]))
      offset++;
    if (offset == len) {
      *out = tree;
      return err_ok();
    }
    cJSON_Delete(tree);
  }
  return json_error(text, len, offset);
}

void json_free(struct cJSON *tree)
{
  cJSON_Delete(tree);
}

/* cJSON takes its memory by hooks without a word of whose it is. */
static struct arena *json_arena;

static void *json_take(size_t size)
{
  return arena_alloc(json_arena, size);
}

static void json_leave(void *p)
{
  (void)p; /* it goes with the arena */
}

struct err json_parse_in(struct arena *arena, const char *text, size_t len, struct cJSON **out)
{
  struct cJSON_Hooks hooks = {.malloc_fn = json_take, .free_fn = json_leave};
  json_arena = arena;
  cJSON_InitHooks(&hooks);
  struct err e = json_parse(text, len, out);
  cJSON_InitHooks(NULL);
  json_arena = NULL;
  return e;
}

/* --- getters ------------------------------------------------------------------------------------------------------ */

const struct cJSON *json_get(const struct cJSON *object, const char *name)
{
  return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;
}

bool json_is_null(const struct cJSON *object, const char *name)
{
  return cJSON_IsNull(json_get(object, name));
}

const char *json_str(const struct cJSON *object, const char *name)
{
  return cJSON_GetStringValue(json_get(object, name));
}

bool json_bool(const struct cJSON *object, const char *name, bool *out)
{
  const struct cJSON *item = json_get(object, name);
  if (!cJSON_IsBool(item))
    return false;
  *out = cJSON_IsTrue(item);
  return true;
}

/* A text that is wholly a number in JSON's grammar, with the decimal point of JSON whatever the locale says. */
static bool json_number_text(const char *s, double *out)
{
  size_t len = strlen(s);
  if (len == 0 || len > JSON_NUMBER_MAX)
    return false;
  const char *p = s;
  if (*p == '-')
    p++;
  size_t whole = strspn(p, "0123456789");
  size_t point = 0;
  p += whole;
  if (whole == 0)
    return false;
  if (*p == '.') {
    point = (size_t)(p - s);
    size_t fraction = strspn(p + 1, "0123456789");
    if (fraction == 0)
      return false;
    p += 1 + fraction;
  }
  if (*p == 'e' || *p == 'E') {
    p++;
    if (*p == '+' || *p == '-')
      p++;
    size_t exponent = strspn(p, "0123456789");
    if (exponent == 0)
      return false;
    p += exponent;
  }
  if (*p != '\0')
    return false;
  struct buf local; /* the decimal point may have several bytes */
  buf_init(&local, 2 * JSON_NUMBER_MAX);
  buf_add(&local, s, point > 0 ? point : len);
  if (point > 0) {
    buf_adds(&local, localeconv()->decimal_point);
    buf_adds(&local, s + point + 1);
  }
  *out = strtod(local.data, NULL);
  bool ok = !local.overflow && isfinite(*out);
  buf_fini(&local);
  return ok;
}

bool json_item_f64(const struct cJSON *item, double *out)
{
  if (cJSON_IsNumber(item)) {
    *out = item->valuedouble;
    return isfinite(*out);
  }
  return cJSON_IsString(item) && json_number_text(item->valuestring, out);
}

bool json_f64(const struct cJSON *object, const char *name, double *out)
{
  double value = 0;
  if (!json_item_f64(json_get(object, name), &value))
    return false;
  *out = value;
  return true;
}

/* Digits alone are read exactly; a double would round what is beyond 2^53. */
static bool json_integer_text(const char *s, int64_t *out)
{
  bool negative = *s == '-';
  const char *p = negative ? s + 1 : s;
  if (*p == '\0')
    return false;
  int64_t value = 0;
  for (; *p != '\0'; p++) {
    if (*p < '0' || *p > '9')
      return false;
    int digit = *p - '0';
    /* Counted downwards, where there is room for INT64_MIN. */
    if (value < (INT64_MIN + digit) / 10)
      return false;
    value = value * 10 - digit;
  }
  if (!negative && value == INT64_MIN)
    return false;
  *out = negative ? value : -value;
  return true;
}

/* Nearest integer, where there is one in 64 bits. */
static bool json_round(double value, int64_t *out)
{
  double rounded = round(value);
  if (!(rounded >= -9223372036854775808.0 && rounded < 9223372036854775808.0))
    return false;
  *out = (int64_t)rounded;
  return true;
}

bool json_item_i64(const struct cJSON *item, int64_t *out)
{
  if (cJSON_IsString(item) && json_integer_text(item->valuestring, out))
    return true;
  double value = 0;
  return json_item_f64(item, &value) && json_round(value, out);
}

bool json_i64(const struct cJSON *object, const char *name, int64_t *out)
{
  return json_item_i64(json_get(object, name), out);
}

bool json_item_time(const struct cJSON *item, int64_t *ms)
{
  if (cJSON_IsString(item) && when_parse_iso(item->valuestring, ms))
    return true;
  /* The years -9999..9999, which every function of when.h can show. Epoch milliseconds by mistake lie beyond. */
  static const double first = -377705116800.0;
  static const double last = 253402300799.0;
  double seconds = 0;
  return json_item_f64(item, &seconds) && seconds >= first && seconds <= last && json_round(seconds * 1000.0, ms);
}

bool json_time(const struct cJSON *object, const char *name, int64_t *ms)
{
  return json_item_time(json_get(object, name), ms);
}
