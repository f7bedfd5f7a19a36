/* The Price List API over JSON 1.1: the products of AWS Glue in a Region. Facts: AWS Price List Query API, GetProducts (endpoints in a few
 * Regions only, see endpoint.h; IAM action pricing:GetProducts). PriceList is a list of strings that are JSON themselves; objects in their
 * place are read as well. What of it are prices of job runs, and which of them count, is model/price_list.h's business. */
#ifndef GLUETOP_AWS_PRICING_H
#define GLUETOP_AWS_PRICING_H

#include "aws/glue.h"
#include "model/price_list.h"

#define PRICING_PAGE 100 /* the most that one answer may hold; a Region has about 21 products of Glue */

struct pricing_page {
  struct price_offer *offers; /* rates of job runs alone; the others are left out */
  size_t count;
  size_t products;   /* entries of the list */
  size_t unreadable; /* entries that are no product at all */
  const char *next_token;
};

/* The reply's `prices`. region: whose prices, as the attribute regionCode has it. */
uint64_t pricing_get_products(const struct aws_target *t, const char *region, const char *token, glue_done_fn *done,
                              void *user);
struct err pricing_decode_products(const char *text, size_t len, struct arena *arena,
                                   struct pricing_page *out) ERR_MUST_CHECK;

#endif
