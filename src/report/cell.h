/* A field as people read it: local or UTC time, spans, money. The unit of a number is in its name ("…_seconds"), as the contract's names have it. */
#ifndef GLUETOP_REPORT_CELL_H
#define GLUETOP_REPORT_CELL_H

#include "report/report.h"

/* Appends one cleaned line. Returns true when the value is a number, which aligns right. Absent values are "·" ("-" in ASCII). */
bool report_cell(const struct report_scope *scope, const struct report_row *row, const struct report_field *field,
                 struct buf *out);
/* The same for a value alone; the unit is in the name. */
bool report_format(const struct value *v, const char *name, enum when_zone zone, struct buf *out);
/* "$0.0046", "$1.47", "$2,112": as many digits as tell something. */
void report_money(int64_t nano, struct buf *out);

#endif
