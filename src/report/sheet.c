#include "report/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "report/cell.h"

void sheet_init(struct sheet *s, const struct sheet_column *columns, size_t column_count)
{
  *s = (struct sheet){.columns = columns, .column_count = column_count};
  arena_init(&s->strings);
}

void sheet_fini(struct sheet *s)
{
  free(s->cells);
  arena_fini(&s->strings);
  *s = (struct sheet){0};
}

void sheet_add(struct sheet *s, struct value v)
{
  if (v.kind == VALUE_STRING) {
    v.string = arena_strdup(&s->strings, v.string);
  }
  s->cells = xgrow(s->cells, &s->cell_cap, s->cell_count + 1, sizeof *s->cells);
  s->cells[s->cell_count++] = v;
}

void sheet_csv(const struct sheet *s, struct buf *out)
{
  for (size_t c = 0; c < s->column_count; c++) {
    buf_addf(out, "%s%s", c ? "," : "", s->columns[c].name);
  }
  buf_adds(out, "\r\n");
  for (size_t i = 0; i < s->cell_count; i++) {
    buf_adds(out, i % s->column_count ? "," : "");
    report_csv_value(&s->cells[i], out);
    buf_adds(out, (i + 1) % s->column_count ? "" : "\r\n");
  }
}

void sheet_text(const struct sheet *s, enum when_zone zone, struct buf *out)
{
  size_t rows = s->column_count ? s->cell_count / s->column_count : 0;
  char **cells = xcalloc(s->cell_count + 1, sizeof *cells);
  int *width = xcalloc(s->column_count + 1, sizeof *width);
  bool *right = xcalloc(s->column_count + 1, sizeof *right);
  size_t last = 0;
  for (size_t c = 0; c < s->column_count; c++) {
    const struct sheet_column *column = &s->columns[c];
    last = column->title ? c : last;
    width[c] = column->title ? text_width(column->title) : 0;
    for (size_t r = 0; r < rows && column->title; r++) {
      struct buf cell;
      buf_init(&cell, REPORT_CELL_MAX);
      right[c] = report_format(&s->cells[r * s->column_count + c], column->name, zone, &cell) || right[c];
      cells[r * s->column_count + c] = buf_take(&cell);
      int w = text_width(cells[r * s->column_count + c]);
      width[c] = w > width[c] ? w : width[c];
    }
  }
  for (size_t r = 0; r <= rows && rows > 0; r++) {
    for (size_t c = 0; c < s->column_count; c++) {
      if (s->columns[c].title) {
        const char *text = r == 0 ? s->columns[c].title : cells[(r - 1) * s->column_count + c];
        text_put(out, text, c == last ? text_width(text) : width[c], right[c] ? TEXT_RIGHT : TEXT_LEFT, c != last);
        buf_adds(out, c == last ? "\n" : "  ");
      }
    }
  }
  for (size_t i = 0; i < s->cell_count; i++) {
    free(cells[i]);
  }
  free(cells);
  free(width);
  free(right);
}
