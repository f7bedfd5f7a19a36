/* One answer as a tree for people: every member the service gave, in its order, numbers as they were written, and the object's own
 * bytes. cJSON keeps neither the spelling of numbers nor positions, so the text is walked here, after cJSON has found it sound. */
#include "aws/decode.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "aws/decode_rows.h"
#include "aws/glue.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

/* Deeper than any definition (visual jobs reach about 12), shallow enough for the stack. */
#define DOC_DEPTH_MAX 200

struct doc_reader {
  const char *at;
  const char *end;
  struct arena *arena;
  struct doc_node *nodes; /* malloced while it grows; NULL when only skipping */
  size_t count, cap;
  bool keep;
};

/* As cJSON sees it: every control character is a blank. */
static bool doc_is_blank(char c)
{
  return (unsigned char)c <= ' ';
}

static void doc_skip_blanks(struct doc_reader *r)
{
  while (r->at < r->end && doc_is_blank(*r->at))
    r->at++;
}

static bool doc_take(struct doc_reader *r, char c)
{
  doc_skip_blanks(r);
  if (r->at >= r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

static size_t doc_utf8(uint32_t c, char *out)
{
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
  }
  out[0] = (char)(0xf0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 0x3f));
  out[2] = (char)(0x80 | (c >> 6 & 0x3f));
  out[3] = (char)(0x80 | (c & 0x3f));
  return 4;
}

static bool doc_hex4(const char *at, const char *end, uint32_t *out)
{
  uint32_t value = 0;
  if (end - at < 4)
    return false;
  for (int i = 0; i < 4; i++) {
    unsigned char c = (unsigned char)at[i];
    uint32_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = c - (uint32_t)'0';
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      digit = (c | 0x20) - (uint32_t)'a' + 10;
    else
      return false;
    value = value << 4 | digit;
  }
  *out = value;
  return true;
}

/* \uXXXX, at behind the 'u'. Half a pair and NUL, which no text here can hold, become U+FFFD. */
static bool doc_unicode(const char **at, const char *end, char *out, size_t *len)
{
  uint32_t c = 0;
  uint32_t second = 0;
  if (!doc_hex4(*at, end, &c))
    return false;
  *at += 4;
  if (c >= 0xd800 && c <= 0xdbff && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' &&
      doc_hex4(*at + 2, end, &second) && second >= 0xdc00 && second <= 0xdfff) {
    *at += 6;
    c = 0x10000 + ((c - 0xd800) << 10) + (second - 0xdc00);
  } else if (c == 0 || (c >= 0xd800 && c <= 0xdfff)) {
    c = 0xfffd;
  }
  *len += doc_utf8(c, out + *len);
  return true;
}

/* A string, at its opening quote. *out is NULL when only skipping. An escape is never shorter than what it stands for. */
static bool doc_string(struct doc_reader *r, const char **out)
{
  const char *from = ++r->at;
  while (r->at < r->end && *r->at != '"')
    r->at += *r->at == '\\' ? 2 : 1;
  if (r->at >= r->end)
    return false;
  const char *to = r->at++;
  *out = NULL;
  if (!r->keep)
    return true;
  char *text = arena_alloc(r->arena, (size_t)(to - from) + 1);
  size_t len = 0;
  for (const char *p = from; p < to;) {
    if (*p != '\\') {
      text[len++] = *p++;
      continue;
    }
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    char c = p[1];
    p += 2;
    if (c == 'u') {
      if (!doc_unicode(&p, to, text, &len))
        return false;
      continue;
    }
    const char *known = strchr(escapes, c);
    bool letter = known != NULL && c != '\0' && (known - escapes) % 2 == 0;
    text[len++] = letter ? known[1] : c;
  }
  text[len] = '\0';
  *out = text;
  return true;
}

static size_t doc_push(struct doc_reader *r, int depth, enum doc_kind kind, const char *name, const char *text)
{
  if (!r->keep)
    return 0;
  r->nodes = xgrow(r->nodes, &r->cap, r->count + 1, sizeof *r->nodes);
  r->nodes[r->count] = (struct doc_node){.depth = depth, .kind = kind, .name = name, .text = text};
  return r->count++;
}

static bool doc_value(struct doc_reader *r, int depth, const char *name);

static bool doc_container(struct doc_reader *r, int depth, const char *name, bool object)
{
  char close = object ? '}' : ']';
  size_t self = doc_push(r, depth, object ? DOC_OBJECT : DOC_ARRAY, name, NULL);
  size_t children = 0;
  r->at++;
  if (doc_take(r, close))
    return true;
  do {
    const char *member = NULL;
    doc_skip_blanks(r);
    if (object && (r->at >= r->end || *r->at != '"' || !doc_string(r, &member) || !doc_take(r, ':')))
      return false;
    if (!doc_value(r, depth + 1, member))
      return false;
    children++;
  } while (doc_take(r, ','));
  if (r->keep)
    r->nodes[self].children = children;
  return doc_take(r, close);
}

static bool doc_value(struct doc_reader *r, int depth, const char *name)
{
  doc_skip_blanks(r);
  if (depth > DOC_DEPTH_MAX || r->at >= r->end)
    return false;
  if (*r->at == '{' || *r->at == '[')
    return doc_container(r, depth, name, *r->at == '{');
  const char *text = NULL;
  if (*r->at == '"') {
    if (!doc_string(r, &text))
      return false;
    doc_push(r, depth, DOC_STRING, name, text);
    return true;
  }
  const char *from = r->at;
  while (r->at < r->end && !doc_is_blank(*r->at) && *r->at != ',' && *r->at != ']' && *r->at != '}')
    r->at++;
  size_t len = (size_t)(r->at - from);
  if (len == 0)
    return false;
  enum doc_kind kind = *from == 't' || *from == 'f' ? DOC_BOOL : *from == 'n' ? DOC_NULL : DOC_NUMBER;
  if (r->keep)
    doc_push(r, depth, kind, name, kind == DOC_NULL ? NULL : arena_strndup(r->arena, from, len));
  return true;
}

/* Put the reader on the value of that member of the outermost object. */
static bool doc_find(struct doc_reader *r, const char *member)
{
  if (!doc_take(r, '{'))
    return false;
  do {
    const char *name = NULL;
    doc_skip_blanks(r);
    if (r->at >= r->end || *r->at != '"')
      return false;
    r->keep = true; /* a name may be spelt with escapes, and then it is that name all the same */
    bool ok = doc_string(r, &name) && doc_take(r, ':');
    r->keep = false;
    if (!ok)
      return false;
    doc_skip_blanks(r);
    if (strcmp(name, member) == 0)
      return true;
    if (!doc_value(r, 0, NULL))
      return false;
  } while (doc_take(r, ','));
  return false;
}

static struct err doc_read(const char *text, size_t len, const char *member, struct arena *arena,
                           struct glue_doc_answer *out)
{
  struct doc_reader r = {.at = text, .end = text + len, .arena = arena};
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    r.at += 3;
  bool ok = doc_find(&r, member);
  const char *from = r.at;
  r.keep = true;
  ok = ok && doc_value(&r, 0, NULL);
  if (ok) {
    out->raw_len = (size_t)(r.at - from);
    out->raw = arena_strndup(arena, from, out->raw_len);
    out->doc.count = r.count;
    out->doc.nodes = arena_array(arena, r.count, sizeof *r.nodes);
    memcpy(out->doc.nodes, r.nodes, r.count * sizeof *r.nodes);
  }
  free(r.nodes);
  return ok ? err_ok() : err_new(ERR_PARSE, "the answer's %s is nested too deeply to be shown", member);
}

struct err glue_decode_doc(const char *text, size_t len, const char *member, struct arena *arena,
                           struct glue_doc_answer *out)
{
  *out = (struct glue_doc_answer){.raw = NULL};
  struct cJSON *tree = NULL;
  struct err e = decode_open(text, len, &tree);
  const struct cJSON *object = err_is(&e) ? NULL : json_get(tree, member);
  if (!err_is(&e) && !cJSON_IsObject(object))
    e = err_new(ERR_PARSE, "the answer has no %s", member);
  if (!err_is(&e))
    e = doc_read(text, len, member, arena, out);
  if (!err_is(&e)) {
    struct decoder d;
    bool arguments = true;
    bool named = false;
    if (strcmp(member, "JobRun") == 0) {
      out->run = arena_alloc(arena, sizeof *out->run);
      decode_runs_init(&d, &arguments, arena);
      named = decode_run(&d, object, out->run);
    } else {
      out->job = arena_alloc(arena, sizeof *out->job);
      decode_jobs_init(&d, arena);
      named = decode_job(&d, object, out->job);
    }
    if (!named)
      e = err_new(ERR_PARSE, "the answer's %s has no name", member);
  }
  decode_close();
  return e;
}
