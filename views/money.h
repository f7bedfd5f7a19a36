/* Money on the screen: whole nano-dollars with what they rest on. `~` marks estimates, `?` what is not known. */
#ifndef GLUETOP_VIEWS_MONEY_H
#define GLUETOP_VIEWS_MONEY_H

#include "base/buf.h"
#include "model/cost.h"

/* $0.0046, $1.47, $2,112; nothing is a dot. */
void format_money(struct buf *out, int64_t nano, bool estimated);
void format_cost(struct buf *out, const struct cost *c);
void format_cost_sum(struct buf *out, const struct cost_sum *s);

#endif
