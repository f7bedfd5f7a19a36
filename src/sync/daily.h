/* What is asked once a day: the prices of a Region (Price List) and the quotas of an account (Service Quotas). When it is due, and how an
 * answer is remembered from one start to the next. Pure.
 *
 * An answer holds for a day, and so does a refusal (denied, no such service, an answer that cannot be used): asking again would change
 * nothing. Trouble on the way is met again after an hour. What was known before stays, with its age. */
#ifndef GLUETOP_SYNC_DAILY_H
#define GLUETOP_SYNC_DAILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "model/model.h"
#include "model/price_list.h"

#define DAILY_BYTES_MAX ((size_t)16 * 1024)

/* When to ask again (wall); INT64_MIN: now, since it was never asked, or in a future that our clock has left. */
int64_t daily_due_ms(const struct freshness *f, int64_t now_ms);

/* The bytes of the store: when it was answered and tried, what went wrong last, and what was said. False: they are none of ours; nothing
 * is changed then. f is as freshness_init leaves it. */
void daily_pack_prices(struct buf *out, const struct freshness *f, const struct price_list *list);
bool daily_unpack_prices(const void *data, size_t len, struct freshness *f, struct price_list *list);
void daily_pack_quotas(struct buf *out, const struct freshness *f, const double values[QUOTA_KIND_COUNT]);
bool daily_unpack_quotas(const void *data, size_t len, struct freshness *f, double values[QUOTA_KIND_COUNT]);

#endif
