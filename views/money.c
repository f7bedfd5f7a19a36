#include "views/money.h"

#include "report/cell.h"
#include "views/format.h"

void format_money(struct buf *out, int64_t nano, bool estimated)
{
  if (nano == 0) {
    format_nothing(out);
  } else {
    buf_adds(out, estimated ? "~" : "");
    report_money(nano, out);
  }
}

void format_cost(struct buf *out, const struct cost *c)
{
  if (c->usd_basis == COST_UNKNOWN) {
    buf_addc(out, '?');
  } else {
    format_money(out, c->nano, c->usd_basis == COST_ESTIMATED);
  }
}

void format_cost_sum(struct buf *out, const struct cost_sum *s)
{
  if (s->runs > 0 && s->runs == s->runs_unknown) {
    buf_addc(out, '?');
  } else {
    format_money(out, cost_sum_nano(s), s->nano[COST_ESTIMATED] > 0 || s->runs_unknown > 0);
  }
}

void format_cents(struct buf *out, int64_t nano)
{
  const int64_t cent = 10000000;
  if (nano > 0 && nano < cent) {
    buf_addf(out, "0.%04lld", (long long)((nano + cent / 200) / (cent / 100)));
  } else {
    int64_t cents = (nano + cent / 2) / cent;
    format_count(out, cents / 100);
    buf_addf(out, ".%02lld", (long long)(cents % 100));
  }
}

void format_hours(struct buf *out, int64_t dpu_micros)
{
  int64_t hundredths = (int64_t)(cost_dpu_hours(dpu_micros) * 100.0 + 0.5);
  if (hundredths >= 1000) {
    int64_t tenths = (hundredths + 5) / 10;
    format_count(out, tenths / 10);
    buf_addf(out, ".%lld", (long long)(tenths % 10));
  } else {
    buf_addf(out, "%lld.%02lld", (long long)(hundredths / 100), (long long)(hundredths % 100));
  }
}

void format_price(struct buf *out, int64_t nano)
{
  struct buf text;
  buf_init(&text, 64);
  buf_addf(&text, "%lld.%09lld", (long long)(nano / 1000000000), (long long)(nano % 1000000000));
  size_t len = text.len;
  while (len > 0 && text.data[len - 1] == '0' && text.data[len - 3] != '.') { /* two places at least */
    len--;
  }
  buf_add(out, text.data, len);
  buf_fini(&text);
}
