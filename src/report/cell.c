#include "report/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NANO INT64_C(1000000000)

static void add_grouped(int64_t n, struct buf *out)
{
  if (n >= 1000) {
    add_grouped(n / 1000, out);
    buf_addf(out, ",%03d", (int)(n % 1000));
  } else {
    buf_addf(out, "%d", (int)n);
  }
}

void report_money(int64_t nano, struct buf *out)
{
  if (nano < 0) {
    buf_addc(out, '-');
    nano = -nano;
  }
  buf_addc(out, '$');
  if (nano >= 1000 * NANO) { /* whole dollars */
    add_grouped((nano + NANO / 2) / NANO, out);
  } else if (nano >= NANO / 10 || nano == 0) { /* cents */
    int64_t cents = (nano + NANO / 200) / (NANO / 100);
    buf_addf(out, "%d.%02d", (int)(cents / 100), (int)(cents % 100));
  } else { /* hundredths of a cent */
    int64_t fine = (nano + NANO / 20000) / (NANO / 10000);
    buf_addf(out, "0.%04d", (int)fine);
  }
}

static bool ends_with(const char *s, const char *end)
{
  size_t a = strlen(s), b = strlen(end);
  return a >= b && strcmp(s + a - b, end) == 0;
}

static void add_number(double d, struct buf *out)
{
  char text[40];
  snprintf(text, sizeof text, "%.4f", d);
  size_t n = strlen(text);
  while (n > 0 && text[n - 1] == '0') {
    text[--n] = '\0';
  }
  if (n > 0 && text[n - 1] == '.') {
    text[--n] = '\0';
  }
  buf_adds(out, text);
}

bool report_format(const struct value *v, const char *name, enum when_zone zone, struct buf *out)
{
  const char *nothing = text_is_ascii() ? "-" : "\u00b7";
  char text[WHEN_TEXT_MAX];
  bool number = false;
  switch (v->kind) {
  case VALUE_STRING:
    text_clean(out, v->string, strlen(v->string), TEXT_LINE);
    break;
  case VALUE_INT:
    number = true;
    if (ends_with(name, "_seconds")) {
      buf_adds(out, when_format_span(v->integer * WHEN_SECOND, text));
    } else {
      buf_addf(out, "%lld", (long long)v->integer);
    }
    break;
  case VALUE_DOUBLE:
    number = true;
    if (ends_with(name, "_seconds") && !ends_with(name, "dpu_seconds")) {
      buf_adds(out, when_format_span((int64_t)(v->number * 1000.0), text));
    } else {
      add_number(v->number, out);
    }
    break;
  case VALUE_BOOL:
    buf_adds(out, v->boolean ? "yes" : "no");
    break;
  case VALUE_TIME:
    buf_adds(out, when_format(v->integer, zone, WHEN_DATE_HM, text));
    buf_addc(out, ' ');
    buf_adds(out, when_zone_letters(v->integer, zone, text));
    break;
  case VALUE_MONEY:
    number = true;
    report_money(v->integer, out);
    break;
  case VALUE_NULL:
  case VALUE_JSON:
    buf_adds(out, nothing);
    break;
  }
  return number;
}

bool report_cell(const struct report_scope *scope, const struct report_row *row, const struct report_field *field,
                 struct buf *out)
{
  struct value v = field->get ? field->get(scope, row) : (struct value){.kind = VALUE_NULL, .integer = 0};
  return report_format(&v, field->json, scope->zone, out);
}
