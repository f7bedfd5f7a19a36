/* Any bytes as an answer of the Price List or of Service Quotas, and as what the store kept of one: whatever comes out of it can be a price or a
 * quota, and each is there once. The first byte chooses the decoder. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/pricing.h"
#include "aws/quotas.h"
#include "sync/daily.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW INT64_C(1796083200000)

static void must(bool truth)
{
  if (!truth)
    abort();
}

static void look_at_list(const struct price_list *list, bool checked)
{
  must(list->count <= PRICE_LIST_ROWS);
  for (size_t i = 0; i < list->count; i++) {
    const struct price_list_row *r = &list->rows[i];
    must(r->item < PRICE_ITEM_COUNT && r->generation < PRICE_GENERATION_COUNT && r->nano_per_hour > 0);
    must(strlen(r->usagetype) < sizeof r->usagetype && strlen(r->published) < sizeof r->published);
    must(!checked || price_is_plausible("eu-west-1", r->item, r->generation, r->nano_per_hour));
    for (size_t k = 0; k < i && checked; k++)
      must(list->rows[k].item != r->item || list->rows[k].generation != r->generation);
  }
}

static void look_at_quotas(const double values[QUOTA_KIND_COUNT])
{
  for (int i = 0; i < QUOTA_KIND_COUNT; i++)
    must(isnan(values[i]) || quota_is_plausible(values[i]));
}

static void prices(const char *text, size_t len, struct arena *arena)
{
  struct pricing_page page;
  struct price_list list;
  struct err e = pricing_decode_products(text, len, arena, &page);
  if (!err_is(&e)) {
    must(page.unreadable <= page.products);
    struct err chosen = price_list_choose(page.offers, page.count, "eu-west-1", NOW, &list);
    must(err_is(&chosen) == (list.count == 0));
    look_at_list(&list, true);
    err_fini(&chosen);
  }
  err_fini(&e);
}

static void quotas(const char *text, size_t len, struct arena *arena)
{
  struct quotas_page page;
  struct err e = quotas_decode_list(text, len, arena, &page);
  if (!err_is(&e))
    look_at_quotas(page.values);
  err_fini(&e);
}

static void kept(const char *text, size_t len, bool of_prices)
{
  struct freshness f;
  struct price_list list = {.count = 0};
  double values[QUOTA_KIND_COUNT];
  freshness_init(&f);
  bool good = of_prices ? daily_unpack_prices(text, len, &f, &list) : daily_unpack_quotas(text, len, &f, values);
  if (!good)
    must(f.tried_ms == WHEN_NONE && !err_is(&f.last_err));
  else if (of_prices)
    look_at_list(&list, false);
  else
    look_at_quotas(values);
  freshness_fini(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  /* A copy with a terminator, as the transport gives it. */
  char *text = malloc(size);
  if (text == NULL)
    return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  struct arena arena;
  arena_init(&arena);
  switch (data[0] % 4) {
  case 0:
    prices(text, size - 1, &arena);
    break;
  case 1:
    quotas(text, size - 1, &arena);
    break;
  default:
    kept(text, size - 1, data[0] % 4 == 2);
    break;
  }
  arena_fini(&arena);
  free(text);
  return 0;
}
