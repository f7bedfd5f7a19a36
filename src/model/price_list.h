/* From the products of the Price List API to the prices of job runs in one Region: all that an answer says of them, or nothing of it.
 *
 * A product is one of ours by the end of its usagetype (price_item_of_usagetype). Of several rates the highest tier that costs anything
 * counts (a first tier may be free), of several terms the last that is in force. Two products that say different things, a price that is no
 * tenth or more than ten times what the built-in table expects, another unit than hours: then nothing of the answer is used, since one wrong
 * figure among right ones is the hardest to see. Sources: AWS Billing User Guide, "Getting price list files"; Price List API reference. */
#ifndef GLUETOP_MODEL_PRICE_LIST_H
#define GLUETOP_MODEL_PRICE_LIST_H

#include "base/err.h"
#include "model/price.h"

/* One rate of one product. Strings are as the service sent them, NULL when absent. */
struct price_offer {
  const char *sku;
  const char *region;    /* regionCode */
  const char *service;   /* servicecode */
  const char *usagetype; /* "EU-ETL-DPU-Hour-Gen2" */
  const char *operation; /* "Jobrun", "FlexJobrun" */
  const char *unit;      /* "DPU-Hour", "M-DPU-Hour" */
  const char *usd;       /* decimal text; NULL: not in USD */
  const char *currency;  /* another one that the price is in: "CNY" */
  const char *published; /* publicationDate, ISO 8601 */
  double begins;         /* where the tier begins; 0 when not said */
  int64_t effective_ms;  /* of the term; WHEN_NONE when not said */
};

#define PRICE_USAGETYPE_MAX 48
struct price_list_row {
  enum price_item item;
  enum price_generation generation;
  int64_t nano_per_hour;
  char usagetype[PRICE_USAGETYPE_MAX]; /* "" when it holds letters that it should not */
  char published[12];                  /* "2026-11-20" or "" */
};
#define PRICE_LIST_ROWS ((size_t)PRICE_ITEM_COUNT * PRICE_GENERATION_COUNT)
struct price_list {
  struct price_list_row rows[PRICE_LIST_ROWS];
  size_t count;
};

/* ERR_PARSE with a sentence when nothing of it can be used; *out is then empty. now_ms: terms that begin later do not count yet. */
struct err price_list_choose(const struct price_offer *offers, size_t count, const char *region, int64_t now_ms,
                             struct price_list *out) ERR_MUST_CHECK;
/* Into the table, in place of what the list said of the Region before. */
void price_list_apply(const struct price_list *list, struct price_table *table, const char *region);
/* What the table has of it now. */
void price_list_of_table(const struct price_table *table, const char *region, struct price_list *out);

/* "0.4400000000", "4.4E-1" as nano-dollars, half up. False: no such number, negative, or beyond nine thousand million dollars. */
bool price_parse_usd(const char *text, int64_t *nano);
/* Is this a price that can be? Between a tenth and ten times of what the built-in table says or makes of the Region. */
bool price_is_plausible(const char *region, enum price_item item, enum price_generation generation, int64_t nano);

#endif
