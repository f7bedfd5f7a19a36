/* Money on the screen: whole nano-dollars with what they rest on. `~` marks estimates, `?` what is not known. */
#ifndef GLUETOP_VIEWS_MONEY_H
#define GLUETOP_VIEWS_MONEY_H

#include "base/buf.h"
#include "model/cost.h"

/* $0.0046, $1.47, $2,112; nothing is a dot. */
void format_money(struct buf *out, int64_t nano, bool estimated);
void format_cost(struct buf *out, const struct cost *c);
void format_cost_sum(struct buf *out, const struct cost_sum *s);

/* 1,408.00 without its sign, to the cent; less than a cent in hundredths of one: 0.0046. For columns and sums that are read closely. */
void format_cents(struct buf *out, int64_t nano);
void format_price(struct buf *out, int64_t nano);       /* of a unit: 0.44, 0.308, 0.0625 */
void format_hours(struct buf *out, int64_t dpu_micros); /* DPU-hours: 3,200.0, 0.04 */

#endif
