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
