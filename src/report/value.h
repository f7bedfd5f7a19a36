/* Short ways to make values; for the field tables of this room only. */
#ifndef GLUETOP_REPORT_VALUE_H
#define GLUETOP_REPORT_VALUE_H

#include <math.h>
#include "report/report.h"

static inline struct value value_null(void)
{
  return (struct value){.kind = VALUE_NULL, .integer = 0};
}
static inline struct value value_string(const char *s)
{
  return s ? (struct value){.kind = VALUE_STRING, .string = s} : value_null();
}
/* -1 is how the packed records say "absent" */
static inline struct value value_count(int64_t n)
{
  return n >= 0 ? (struct value){.kind = VALUE_INT, .integer = n} : value_null();
}
static inline struct value value_double(double d)
{
  return isnan(d) ? value_null() : (struct value){.kind = VALUE_DOUBLE, .number = d};
}
static inline struct value value_bool(bool b)
{
  return (struct value){.kind = VALUE_BOOL, .boolean = b};
}
static inline struct value value_time(int64_t ms)
{
  return ms == WHEN_NONE ? value_null() : (struct value){.kind = VALUE_TIME, .integer = ms};
}
static inline struct value value_money(int64_t nano)
{
  return (struct value){.kind = VALUE_MONEY, .integer = nano};
}
static inline struct value value_pooled(const struct report_scope *s, strid id)
{
  return value_string(model_str(s->model, id));
}

#endif
