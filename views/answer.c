#include "views/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/json.h"
#include "model/mask.h"
#include "report/report.h"
#include "views/format.h"

#define ANSWER_MAX ((size_t)16 * 1024 * 1024)

long answer_find(const struct doc *d, const char *name)
{
  long found = -1;
  for (size_t i = 0; i < d->count && found < 0; i++) {
    const struct doc_node *n = &d->nodes[i];
    found = n->depth <= 2 && n->name != NULL && strcmp(n->name, name) == 0 ? (long)i : -1;
  }
  return found;
}

static size_t end_of(const struct doc *d, size_t at)
{
  size_t i = at + 1;
  while (i < d->count && d->nodes[i].depth > d->nodes[at].depth) {
    i++;
  }
  return i;
}

size_t answer_add_arguments(struct doc_text *out, const struct doc *d, const char *name)
{
  long at = answer_find(d, name);
  size_t count = 0;
  if (at >= 0) {
    for (size_t i = (size_t)at + 1; i < end_of(d, (size_t)at); i++) {
      const struct doc_node *n = &d->nodes[i];
      struct buf value;
      buf_init(&value, ANSWER_MAX);
      mask_append(&value, n->name, n->text != NULL ? n->text : "");
      doc_field(out, n->name != NULL ? n->name : "", ROLE_TEXT, value.len > 0 ? value.data : "\"\"");
      buf_fini(&value);
      count++;
    }
  }
  return count;
}

/* Members that end in "On" or "Time" and hold seconds since 1970. */
static bool is_time(const struct doc_node *n, int64_t *ms)
{
  size_t len = n->name != NULL ? strlen(n->name) : 0;
  bool named = len > 2 && strcmp(n->name + len - 2, "On") == 0;
  bool is = false;
  if (named && n->kind == DOC_NUMBER && n->text != NULL) {
    double seconds = strtod(n->text, NULL);
    is = seconds > 1e8 && seconds < 1e11;
    *ms = is ? (int64_t)llround(seconds * 1000.0) : 0;
  }
  return is;
}

static void add_node(struct doc_text *out, const struct doc_node *n, int indent, enum when_zone zone)
{
  struct buf label, value;
  int64_t ms = 0;
  buf_init(&label, 4096);
  buf_init(&value, ANSWER_MAX);
  for (int i = 0; i < indent; i++) {
    buf_adds(&label, "  ");
  }
  buf_adds(&label, n->name != NULL ? n->name : "-");
  if (n->kind == DOC_OBJECT || n->kind == DOC_ARRAY) {
    buf_adds(&value, n->children == 0 ? (n->kind == DOC_OBJECT ? "{}" : "[]") : "");
  } else if (is_time(n, &ms)) {
    format_moment_whole(&value, ms, zone);
    buf_addf(&value, "  (%s)", n->text);
  } else if (n->kind == DOC_NULL) {
    buf_adds(&value, "null");
  } else {
    mask_append(&value, n->name, n->text != NULL ? n->text : "");
    if (value.len == 0) {
      buf_adds(&value, "\"\"");
    }
  }
  doc_field(out, label.data, ROLE_TEXT, value.data);
  buf_fini(&value);
  buf_fini(&label);
}

void answer_add_all(struct doc_text *out, const struct doc *d, const char *const *skip, enum when_zone zone)
{
  int base = 1;
  size_t i = 1;
  /* one member that holds everything is a wrapping, not a member */
  if (d->count > 1 && d->nodes[0].children == 1 && d->nodes[1].kind == DOC_OBJECT) {
    base = 2;
    i = 2;
  }
  while (i < d->count) {
    const struct doc_node *n = &d->nodes[i];
    bool skipped = false;
    for (size_t k = 0; skip != NULL && skip[k] != NULL; k++) {
      skipped = skipped || (n->depth == base && n->name != NULL && strcmp(n->name, skip[k]) == 0);
    }
    if (!skipped) {
      add_node(out, n, n->depth - base, zone);
    }
    i = skipped ? end_of(d, i) : i + 1;
  }
}

void answer_add_freshness(struct doc_text *out, const struct doc_holder *holder, const struct freshness *fresh,
                          int64_t now_ms)
{
  struct buf text;
  buf_init(&text, 8192);
  if (fresh != NULL && err_is(&fresh->last_err)) {
    buf_adds(&text, "the service's answer could not be read: ");
    buf_adds(&text, err_message(&fresh->last_err));
    if (holder != NULL) {
      buf_adds(&text, "; this is from ");
      format_ago(&text, now_ms - holder->fetched_ms);
      buf_adds(&text, " ago");
    }
    doc_text(out, 2, ROLE_WARN, text.data);
  } else if (holder == NULL) {
    buf_addf(&text, "reading the whole answer%s", sign(SIGN_MORE));
    doc_text(out, 2, ROLE_DIM, text.data);
  }
  buf_fini(&text);
}

void answer_add_json(struct doc_text *out, const struct doc *d)
{
  struct buf text;
  struct jw w;
  buf_init(&text, ANSWER_MAX);
  jw_init(&w, &text, true);
  report_write_doc(d, &w);
  doc_text(out, 0, ROLE_TEXT, text.data);
  buf_fini(&text);
}
