#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/private.h"
#include "base/when.h"

void jw_init(struct jw *w, struct buf *out, bool pretty)
{
  *w = (struct jw){.out = out, .pretty = pretty};
}

static void jw_line(struct jw *w)
{
  if (!w->pretty || w->depth <= 0)
    return;
  buf_addc(w->out, '\n');
  for (int i = 0; i < w->depth; i++)
    buf_adds(w->out, "  ");
}

/* What stands before a name, or before a value that has none. */
static void jw_begin(struct jw *w)
{
  if (w->after_name) {
    w->after_name = false;
    return;
  }
  if (w->need_comma)
    buf_addc(w->out, ',');
  jw_line(w);
}

static void jw_end(struct jw *w)
{
  w->need_comma = w->depth > 0; /* values side by side at the top are separate documents */
}

static void jw_open(struct jw *w, char bracket)
{
  jw_begin(w);
  buf_addc(w->out, bracket);
  w->depth++;
  w->need_comma = false;
}

static void jw_close(struct jw *w, char bracket)
{
  w->depth--;
  if (w->need_comma) { /* not empty */
    if (w->pretty && w->depth == 0)
      buf_addc(w->out, '\n');
    jw_line(w);
  }
  buf_addc(w->out, bracket);
  w->after_name = false;
  jw_end(w);
}

void jw_object(struct jw *w)
{
  jw_open(w, '{');
}

void jw_end_object(struct jw *w)
{
  jw_close(w, '}');
}

void jw_array(struct jw *w)
{
  jw_open(w, '[');
}

void jw_end_array(struct jw *w)
{
  jw_close(w, ']');
}

static void jw_escape(struct buf *out, int32_t c)
{
  switch (c) {
  case '\n':
    buf_adds(out, "\\n");
    return;
  case '\r':
    buf_adds(out, "\\r");
    return;
  case '\t':
    buf_adds(out, "\\t");
    return;
  default:
    break;
  }
  if (c < 0x10000) {
    buf_addf(out, "\\u%04x", (unsigned int)c);
  } else {
    unsigned int rest = (unsigned int)c - 0x10000;
    buf_addf(out, "\\u%04x\\u%04x", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
  }
}

static void jw_quoted(struct buf *out, const char *s, size_t len)
{
  buf_addc(out, '"');
  size_t i = 0;
  while (i < len) {
    size_t plain = i;
    while (plain < len && s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
      plain++;
    if (plain > i) {
      buf_add(out, s + i, plain - i);
      i = plain;
      continue;
    }
    size_t used = 0;
    int32_t c = text_next(s + i, len - i, &used);
    if (c < 0) {
      buf_adds(out, "\xef\xbf\xbd");
    } else if (c == '"' || c == '\\') {
      buf_addc(out, '\\');
      buf_addc(out, (char)c);
    } else if (text_is_control(c) || c == 0x2028 || c == 0x2029 || text_is_invisible(c)) {
      jw_escape(out, c);
    } else {
      buf_add(out, s + i, used);
    }
    i += used;
  }
  buf_addc(out, '"');
}

void jw_name(struct jw *w, const char *name)
{
  jw_begin(w);
  jw_quoted(w->out, name, strlen(name));
  buf_adds(w->out, w->pretty ? ": " : ":");
  w->after_name = true;
}

void jw_str_n(struct jw *w, const char *s, size_t len)
{
  if (s == NULL) {
    jw_null(w);
    return;
  }
  jw_begin(w);
  jw_quoted(w->out, s, len);
  jw_end(w);
}

void jw_str(struct jw *w, const char *s)
{
  jw_str_n(w, s, s != NULL ? strlen(s) : 0);
}

void jw_raw(struct jw *w, const char *json, size_t len)
{
  if (json == NULL || len == 0) {
    jw_null(w);
    return;
  }
  jw_begin(w);
  buf_add(w->out, json, len);
  jw_end(w);
}

void jw_null(struct jw *w)
{
  jw_raw(w, "null", 4);
}

void jw_bool(struct jw *w, bool v)
{
  jw_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void jw_i64(struct jw *w, int64_t v)
{
  char text[32];
  int len = snprintf(text, sizeof text, "%lld", (long long)v);
  jw_raw(w, text, (size_t)len);
}

void jw_f64(struct jw *w, double v)
{
  if (!isfinite(v)) {
    jw_null(w);
    return;
  }
  /* Whole numbers that a double holds exactly are written as such, never as 1e+15. */
  if (fabs(v) < 9007199254740992.0 && floor(v) == v && !(v == 0 && signbit(v))) {
    jw_i64(w, (int64_t)v);
    return;
  }
  char text[64];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (strtod(text, NULL) == v)
      break;
  }
  const char *local = localeconv()->decimal_point;
  const char *point = local != NULL && local[0] != '\0' ? strstr(text, local) : NULL;
  if (point == NULL) {
    jw_raw(w, text, strlen(text));
    return;
  }
  jw_begin(w);
  buf_add(w->out, text, (size_t)(point - text));
  buf_addc(w->out, '.');
  buf_adds(w->out, point + strlen(local));
  jw_end(w);
}

void jw_decimal(struct jw *w, int64_t v, int scale)
{
  if (scale < 0)
    scale = 0;
  if (scale > 18) /* what 64 bits hold */
    scale = 18;
  uint64_t size = v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v;
  uint64_t unit = 1;
  for (int i = 0; i < scale; i++)
    unit *= 10;
  uint64_t fraction = size % unit;
  char text[48];
  int len = snprintf(text, sizeof text, "%s%llu", v < 0 ? "-" : "", (unsigned long long)(size / unit));
  if (fraction != 0) {
    for (; fraction % 10 == 0; scale--)
      fraction /= 10;
    len += snprintf(text + len, sizeof text - (size_t)len, ".%0*llu", scale, (unsigned long long)fraction);
  }
  jw_raw(w, text, (size_t)len);
}

void jw_time(struct jw *w, int64_t ms)
{
  char text[WHEN_TEXT_MAX];
  jw_str(w, ms == WHEN_NONE ? NULL : when_format_iso(ms, text));
}

void jw_tree(struct jw *w, const struct cJSON *tree)
{
  const struct cJSON *child = NULL;
  if (cJSON_IsObject(tree)) {
    jw_object(w);
    cJSON_ArrayForEach (child, tree) {
      jw_name(w, child->string != NULL ? child->string : "");
      jw_tree(w, child);
    }
    jw_end_object(w);
  } else if (cJSON_IsArray(tree)) {
    jw_array(w);
    cJSON_ArrayForEach (child, tree) {
      jw_tree(w, child);
    }
    jw_end_array(w);
  } else if (cJSON_IsString(tree)) {
    jw_str(w, tree->valuestring);
  } else if (cJSON_IsNumber(tree)) {
    jw_f64(w, tree->valuedouble);
  } else if (cJSON_IsBool(tree)) {
    jw_bool(w, cJSON_IsTrue(tree));
  } else if (cJSON_IsRaw(tree)) {
    jw_raw(w, tree->valuestring, tree->valuestring != NULL ? strlen(tree->valuestring) : 0);
  } else {
    jw_null(w);
  }
}
