#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/mask.h"

static void write_value(const struct value *v, struct jw *w)
{
  switch (v->kind) {
  case VALUE_STRING:
    jw_str(w, v->string);
    break;
  case VALUE_INT:
    jw_i64(w, v->integer);
    break;
  case VALUE_DOUBLE:
    jw_f64(w, v->number);
    break;
  case VALUE_BOOL:
    jw_bool(w, v->boolean);
    break;
  case VALUE_TIME:
    jw_time(w, v->integer);
    break;
  case VALUE_MONEY:
    jw_decimal(w, v->integer, 9);
    break;
  case VALUE_NULL:
  case VALUE_JSON:
    jw_null(w);
    break;
  }
}

void report_write_fields(const struct report_scope *scope, const struct report_row *row,
                         const struct report_field *fields, size_t count, struct jw *w)
{
  for (size_t i = 0; i < count; i++) {
    jw_name(w, fields[i].json);
    if (fields[i].write) {
      fields[i].write(scope, row, w);
    } else {
      struct value v = fields[i].get(scope, row);
      write_value(&v, w);
    }
  }
}

void report_write_object(const struct report_scope *scope, const struct report_row *row,
                         const struct report_field *fields, size_t count, struct jw *w)
{
  jw_object(w);
  jw_name(w, "context");
  jw_i64(w, scope->context_of_place[row->place]);
  report_write_fields(scope, row, fields, count, w);
  jw_end_object(w);
}

/* A cell of RFC 4180: quoted where it must be. A cell that a spreadsheet would take for a formula gets a leading
 * apostrophe, since job names and error texts come from outside; numbers are exempt. */
static void csv_cell(struct buf *out, const char *s, bool may_be_formula)
{
  bool quote = strpbrk(s, ",\"\r\n") != NULL;
  bool guard = may_be_formula && s[0] != '\0' && strchr("=+-@\t\r", s[0]) != NULL;
  if (!quote && !guard) {
    buf_adds(out, s);
  } else {
    buf_addc(out, '"');
    if (guard) {
      buf_addc(out, '\'');
    }
    for (const char *p = s; *p != '\0'; p++) {
      if (*p == '"') {
        buf_addc(out, '"');
      }
      buf_addc(out, *p);
    }
    buf_addc(out, '"');
  }
}

void report_csv_cell(struct buf *out, const char *s)
{
  csv_cell(out, s, true);
}

void report_write_csv_header(const struct report_field *fields, size_t count, struct buf *out)
{
  buf_adds(out, "context");
  for (size_t i = 0; i < count; i++) {
    buf_addc(out, ',');
    csv_cell(out, fields[i].json, false);
  }
  buf_adds(out, "\r\n");
}

void report_csv_value(const struct value *v, struct buf *out)
{
  if (v->kind == VALUE_STRING) {
    char *clean = text_clean_dup(v->string, TEXT_BLOCK);
    csv_cell(out, clean, true);
    free(clean);
  } else if (v->kind == VALUE_TIME) {
    char text[WHEN_TEXT_MAX];
    buf_adds(out, when_format_iso(v->integer, text));
  } else if (v->kind != VALUE_NULL) {
    /* Numbers have one rule in both formats: JSON's. NaN and infinity are "null" there and empty here. */
    size_t before = out->len;
    struct jw w;
    jw_init(&w, out, false);
    write_value(v, &w);
    if (strcmp(out->data + before, "null") == 0) {
      out->len = before;
      out->data[before] = '\0';
    }
  }
}

/* Arrays and objects (schedule, usd_by_basis) stand in a cell as JSON. */
static void csv_field(const struct report_scope *scope, const struct report_row *row, const struct report_field *field,
                      struct buf *scratch, struct buf *out)
{
  if (field->write) {
    struct jw w;
    buf_reset(scratch);
    jw_init(&w, scratch, false);
    field->write(scope, row, &w);
    csv_cell(out, strcmp(scratch->data, "null") == 0 ? "" : scratch->data, false);
  } else {
    struct value v = field->get(scope, row);
    report_csv_value(&v, out);
  }
}

void report_write_csv_row(const struct report_scope *scope, const struct report_row *row,
                          const struct report_field *fields, size_t count, struct buf *out)
{
  struct buf scratch;
  buf_init(&scratch, REPORT_CELL_MAX);
  buf_addf(out, "%d", scope->context_of_place[row->place]);
  for (size_t i = 0; i < count; i++) {
    buf_addc(out, ',');
    csv_field(scope, row, &fields[i], &scratch, out);
  }
  buf_adds(out, "\r\n");
  buf_fini(&scratch);
}

/* Secrets stand in arguments, but in connection options, descriptions and visual jobs too: the mask looks at every value. */
static void write_scalar(const struct doc_node *n, struct jw *w)
{
  struct buf masked;
  switch (n->kind) {
  case DOC_STRING:
    buf_init(&masked, REPORT_CELL_MAX);
    mask_append(&masked, n->name, n->text);
    jw_str_n(w, masked.data, masked.len);
    buf_fini(&masked);
    break;
  case DOC_NUMBER:
    if (mask_is_secret(n->name, n->text)) {
      jw_str(w, MASK_TEXT);
    } else {
      jw_raw(w, n->text, strlen(n->text));
    }
    break;
  case DOC_BOOL:
    jw_bool(w, strcmp(n->text, "true") == 0);
    break;
  case DOC_NULL:
  case DOC_OBJECT:
  case DOC_ARRAY:
    jw_null(w);
    break;
  }
}

void report_write_doc(const struct doc *doc, struct jw *w)
{
  /* Kinds of the containers that are open, by depth: a closing bracket must match its opening one. */
  enum doc_kind open[REPORT_DOC_DEPTH];
  int depth = 0;
  for (size_t i = 0; i < doc->count; i++) {
    const struct doc_node *n = &doc->nodes[i];
    if (n->depth > REPORT_DOC_DEPTH) { /* inside of what is written as null */
      continue;
    }
    for (; depth > n->depth; depth--) {
      if (open[depth - 1] == DOC_OBJECT) {
        jw_end_object(w);
      } else {
        jw_end_array(w);
      }
    }
    if (n->name && n->depth > 0) {
      jw_name(w, n->name);
    }
    if ((n->kind == DOC_OBJECT || n->kind == DOC_ARRAY) && depth < REPORT_DOC_DEPTH) {
      if (n->kind == DOC_OBJECT) {
        jw_object(w);
      } else {
        jw_array(w);
      }
      open[depth++] = n->kind;
    } else {
      write_scalar(n, w);
    }
  }
  for (; depth > 0; depth--) {
    if (open[depth - 1] == DOC_OBJECT) {
      jw_end_object(w);
    } else {
      jw_end_array(w);
    }
  }
  if (doc->count == 0) {
    jw_null(w);
  }
}

void report_write_by_basis(const struct cost_sum *sum, struct jw *w)
{
  static const enum cost_basis shown[] = {COST_MEASURED, COST_COMPUTED, COST_ESTIMATED};
  jw_object(w);
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
    jw_name(w, cost_basis_word(shown[i]));
    jw_decimal(w, sum->nano[shown[i]], 9);
  }
  jw_end_object(w);
}
