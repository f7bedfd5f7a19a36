/* A list of rows with typed cells that have no record behind them (boards): printed as CSV for programs or as an aligned table for people. */
#ifndef GLUETOP_REPORT_SHEET_H
#define GLUETOP_REPORT_SHEET_H

#include "base/arena.h"
#include "report/report.h"

struct sheet_column {
  const char *name;  /* in CSV; a number's unit is in it ("…_seconds") */
  const char *title; /* in the table; NULL: not there */
};

struct sheet {
  const struct sheet_column *columns;
  size_t column_count;
  struct value *cells; /* row by row */
  size_t cell_count, cell_cap;
  struct arena strings; /* of VALUE_STRING cells */
};

void sheet_init(struct sheet *s, const struct sheet_column *columns, size_t column_count);
void sheet_fini(struct sheet *s);
void sheet_add(struct sheet *s, struct value v); /* the next cell of the row; strings are copied */
void sheet_csv(const struct sheet *s, struct buf *out);
void sheet_text(const struct sheet *s, enum when_zone zone, struct buf *out);

#endif
