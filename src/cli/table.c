/* A table for people: the same fields as the JSON, in the screen's own forms of time, span and money. */
#include "cli/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "report/cell.h"

/* A run id (67 letters, more with _attempt_N) is never cut: people copy it. */
enum { CELL_MAX = 65536, WIDEST = 80, WIDEST_LAST = 100 };

void table_print(struct buf *out, const struct cli_scene *s, const struct report_field *fields, size_t field_count,
                 const struct report_row *rows, size_t row_count)
{
  size_t columns = 0;
  const struct report_field **shown = xcalloc(field_count + 1, sizeof *shown);
  for (size_t i = 0; i < field_count; i++) {
    if (fields[i].title) {
      shown[columns++] = &fields[i];
    }
  }
  int *width = xcalloc(columns + 1, sizeof *width);
  bool *right = xcalloc(columns + 1, sizeof *right);
  char **cells = xcalloc(columns * row_count + 1, sizeof *cells);
  struct buf cell;
  buf_init(&cell, CELL_MAX);
  for (size_t c = 0; c < columns; c++) {
    width[c] = text_width(shown[c]->title);
    for (size_t r = 0; r < row_count; r++) {
      buf_reset(&cell);
      bool number = report_cell(&s->scope, &rows[r], shown[c], &cell);
      right[c] = right[c] || number;
      cells[r * columns + c] = buf_take(&cell);
      buf_init(&cell, CELL_MAX);
      int w = text_width(cells[r * columns + c]);
      width[c] = w > width[c] ? w : width[c];
    }
    int widest = c + 1 < columns ? WIDEST : WIDEST_LAST;
    width[c] = width[c] > widest ? widest : width[c];
  }
  for (size_t r = 0; r <= row_count; r++) {
    for (size_t c = 0; c < columns; c++) {
      const char *text = r == 0 ? shown[c]->title : cells[(r - 1) * columns + c];
      bool last = c + 1 == columns;
      text_put(out, text, width[c], right[c] ? TEXT_RIGHT : TEXT_LEFT, !last || right[c]);
      buf_adds(out, last ? "\n" : "  ");
    }
  }
  for (size_t i = 0; i < columns * row_count; i++) {
    free(cells[i]);
  }
  buf_fini(&cell);
  free(cells);
  free(right);
  free(width);
  free(shown);
}
