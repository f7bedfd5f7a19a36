#include "aws/xml.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <expat.h>
#include "base/buf.h"
#include "base/secret.h"
#include "base/xalloc.h"

#define XML_PATH_MAX  ((size_t)2048)
#define XML_TEXT_MAX  ((size_t)64 * 1024)
#define XML_DEPTH_MAX 32

/* The parser's own memory sees whatever passes, keys of STS among it: it is wiped when it is given back. */
struct wiped_block {
  size_t size;
  max_align_t data[];
};

static void *wiped_malloc(size_t size)
{
  struct wiped_block *b = xmalloc(sizeof *b + size);
  b->size = size;
  return b->data;
}

static struct wiped_block *wiped_of(void *p)
{
  return (struct wiped_block *)(void *)((char *)p - offsetof(struct wiped_block, data));
}

static void wiped_free(void *p)
{
  if (p == NULL)
    return;
  struct wiped_block *b = wiped_of(p);
  secret_wipe(b->data, b->size);
  free(b);
}

static void *wiped_realloc(void *p, size_t size)
{
  if (p == NULL)
    return wiped_malloc(size);
  if (size == 0) {
    wiped_free(p);
    return NULL;
  }
  size_t old = wiped_of(p)->size;
  void *larger = wiped_malloc(size);
  memcpy(larger, p, old < size ? old : size);
  wiped_free(p);
  return larger;
}

struct xml_reader {
  XML_Parser parser;
  struct xml_want *wants;
  size_t count;
  struct buf path; /* "/Root/Child" */
  struct buf text; /* of the innermost element */
  int depth;
  const char *refused; /* why the reader itself gave up; or NULL */
};

static void xml_refuse(struct xml_reader *r, const char *why)
{
  if (r->refused == NULL)
    r->refused = why;
  XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL xml_on_doctype(void *user, const XML_Char *name, const XML_Char *system_id,
                                   const XML_Char *public_id, int has_internal_subset)
{
  (void)name;
  (void)system_id;
  (void)public_id;
  (void)has_internal_subset;
  xml_refuse(user, "it has a document type declaration, as web pages do");
}

static void XMLCALL xml_on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
  struct xml_reader *r = user;
  (void)attributes;
  const char *colon = strchr(name, ':');
  buf_addc(&r->path, '/');
  buf_adds(&r->path, colon != NULL ? colon + 1 : name);
  buf_reset(&r->text);
  if (++r->depth > XML_DEPTH_MAX || r->path.overflow)
    xml_refuse(r, "it is nested too deeply");
}

/* Does the path end with the wanted parts, on a border between parts? */
static bool xml_path_ends(const struct buf *path, const char *wanted)
{
  size_t len = strlen(wanted);
  return path->len > len && path->data[path->len - len - 1] == '/' &&
         memcmp(path->data + path->len - len, wanted, len) == 0;
}

static bool xml_is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL xml_on_end(void *user, const XML_Char *name)
{
  struct xml_reader *r = user;
  (void)name;
  for (size_t i = 0; i < r->count; i++) {
    struct xml_want *want = &r->wants[i];
    if (want->text != NULL || !xml_path_ends(&r->path, want->path))
      continue;
    const char *from = r->text.data;
    const char *to = from + r->text.len;
    while (from < to && xml_is_blank(*from))
      from++;
    while (to > from && xml_is_blank(to[-1]))
      to--;
    want->text = xstrndup(from, (size_t)(to - from));
  }
  secret_wipe(r->text.cap > 0 ? r->text.data : NULL, r->text.len);
  buf_reset(&r->text);
  /* Back to the parent: everything before the last slash. */
  while (r->path.len > 0 && r->path.data[--r->path.len] != '/')
    ;
  r->path.data[r->path.len] = '\0';
  r->depth--;
}

static void XMLCALL xml_on_text(void *user, const XML_Char *text, int len)
{
  struct xml_reader *r = user;
  if (len > 0 && !buf_add(&r->text, text, (size_t)len))
    xml_refuse(r, "one of its texts is too long");
}

struct err xml_read(const char *text, size_t len, struct xml_want *wants, size_t count)
{
  static const XML_Memory_Handling_Suite memory = {wiped_malloc, wiped_realloc, wiped_free};
  struct err e = err_ok();
  for (size_t i = 0; i < count; i++)
    wants[i].text = NULL;
  struct xml_reader r = {.wants = wants, .count = count};
  buf_init(&r.path, XML_PATH_MAX);
  buf_init(&r.text, XML_TEXT_MAX);
  r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
  if (r.parser == NULL || len > INT_MAX) {
    e = err_new(ERR_PARSE, "the answer cannot be read as XML");
  } else {
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, xml_on_start, xml_on_end);
    XML_SetCharacterDataHandler(r.parser, xml_on_text);
    XML_SetStartDoctypeDeclHandler(r.parser, xml_on_doctype);
    if (XML_Parse(r.parser, text, (int)len, XML_TRUE) != XML_STATUS_OK)
      e = err_new(ERR_PARSE, "the answer cannot be read as XML (line %lu: %s)",
                  (unsigned long)XML_GetCurrentLineNumber(r.parser),
                  r.refused != NULL ? r.refused : XML_ErrorString(XML_GetErrorCode(r.parser)));
  }
  if (r.parser != NULL)
    XML_ParserFree(r.parser);
  secret_wipe(r.text.cap > 0 ? r.text.data : NULL, r.text.len);
  buf_fini(&r.text);
  buf_fini(&r.path);
  return e;
}

void xml_wants_fini(struct xml_want *wants, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    free(wants[i].text);
    wants[i].text = NULL;
  }
}

void xml_wants_wipe(struct xml_want *wants, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (wants[i].text != NULL)
      secret_wipe(wants[i].text, strlen(wants[i].text));
  xml_wants_fini(wants, count);
}
