#include "aws/pricing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "aws/call.h"
#include "aws/decode.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

#define PRICING_BODY_MAX   ((size_t)64 * 1024)
#define PRICING_OFFERS_MAX 2000 /* rates of job runs on one page: there are six */

/* --- decoding ----------------------------------------------------------------------------------------------------------------- */

struct product_reading {
  struct arena *arena;
  struct pricing_page *page;
  size_t cap;
  struct price_offer offer; /* what all rates of the product share */
};

static const char *text_of(const struct cJSON *object, const char *name, struct arena *arena)
{
  return decode_string(json_get(object, name), arena);
}

static void add_offer(struct product_reading *r, const struct cJSON *rate)
{
  struct pricing_page *page = r->page;
  struct price_offer o = r->offer;
  const struct cJSON *prices = json_get(rate, "pricePerUnit");
  const struct cJSON *usd = json_get(prices, "USD");
  if (page->count == r->cap) {
    size_t cap = r->cap == 0 ? 16 : r->cap * 2;
    struct price_offer *more = arena_array(r->arena, cap, sizeof *more);
    if (page->count > 0)
      memcpy(more, page->offers, page->count * sizeof *more);
    page->offers = more;
    r->cap = cap;
  }
  o.unit = text_of(rate, "unit", r->arena);
  if (cJSON_IsString(usd))
    o.usd = arena_strdup(r->arena, usd->valuestring);
  else if (cJSON_IsNumber(usd) && usd->valuedouble >= 0 && usd->valuedouble < 1e9)
    o.usd = arena_printf(r->arena, "%lldE-9", (long long)llround(usd->valuedouble * 1e9));
  if (o.usd == NULL && cJSON_IsObject(prices) && prices->child != NULL)
    o.currency = arena_strdup(r->arena, prices->child->string);
  if (!json_f64(rate, "beginRange", &o.begins) || !isfinite(o.begins))
    o.begins = 0;
  page->offers[page->count++] = o;
}

static struct err read_terms(struct product_reading *r, const struct cJSON *terms)
{
  const struct cJSON *term = NULL;
  const struct cJSON *rate = NULL;
  cJSON_ArrayForEach (term, json_get(terms, "OnDemand")) {
    r->offer.effective_ms = WHEN_NONE;
    if (!json_time(term, "effectiveDate", &r->offer.effective_ms))
      r->offer.effective_ms = WHEN_NONE;
    cJSON_ArrayForEach (rate, json_get(term, "priceDimensions")) {
      if (r->page->count == PRICING_OFFERS_MAX)
        return err_new(ERR_TOO_BIG, "the price list has more than %d rates of job runs: it is not used",
                       PRICING_OFFERS_MAX);
      add_offer(r, rate);
    }
  }
  return err_ok();
}

/* False: no product. */
static struct err read_product(struct product_reading *r, const struct cJSON *entry, bool *readable)
{
  const struct cJSON *product = json_get(entry, "product");
  const struct cJSON *attributes = json_get(product, "attributes");
  const char *usagetype = json_str(attributes, "usagetype");
  enum price_item item = PRICE_STANDARD;
  enum price_generation generation = PRICE_GEN_1;
  *readable = cJSON_IsObject(entry) && cJSON_IsObject(product);
  if (!*readable || usagetype == NULL || !price_item_of_usagetype(usagetype, &item, &generation))
    return err_ok();
  r->offer = (struct price_offer){.sku = text_of(product, "sku", r->arena),
                                  .region = text_of(attributes, "regionCode", r->arena),
                                  .service = text_of(attributes, "servicecode", r->arena),
                                  .usagetype = arena_strdup(r->arena, usagetype),
                                  .operation = text_of(attributes, "operation", r->arena),
                                  .published = text_of(entry, "publicationDate", r->arena),
                                  .effective_ms = WHEN_NONE};
  return read_terms(r, json_get(entry, "terms"));
}

static struct err read_entry(struct product_reading *r, const struct cJSON *entry)
{
  struct cJSON *inner = NULL;
  bool readable = true;
  struct err e = err_ok();
  if (cJSON_IsString(entry)) {
    struct err parsed = json_parse(entry->valuestring, strlen(entry->valuestring), &inner);
    readable = !err_is(&parsed);
    err_fini(&parsed);
    entry = inner;
  }
  if (readable)
    e = read_product(r, entry, &readable);
  r->page->products++;
  r->page->unreadable += readable ? 0 : 1;
  json_free(inner);
  return e;
}

struct err pricing_decode_products(const char *text, size_t len, struct arena *arena, struct pricing_page *out)
{
  *out = (struct pricing_page){.offers = NULL};
  struct product_reading r = {.arena = arena, .page = out};
  struct cJSON *tree = NULL;
  const struct cJSON *list = NULL;
  const struct cJSON *entry = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "PriceList", &list);
  cJSON_ArrayForEach (entry, list) {
    if (!err_is(&e))
      e = read_entry(&r, entry);
  }
  if (!err_is(&e))
    out->next_token = decode_token(tree, arena);
  decode_close();
  return e;
}

/* --- the call ----------------------------------------------------------------------------------------------------------------- */

static struct err pricing_made(struct call *c, const struct transport_answer *a)
{
  struct pricing_page *page = arena_alloc(&c->arena, sizeof *page);
  struct err e = pricing_decode_products(a->body, a->body_len, &c->arena, page);
  c->reply.prices = page;
  return e;
}

static void write_filter(struct jw *w, const char *field, const char *value)
{
  jw_object(w);
  jw_name(w, "Type");
  jw_str(w, "TERM_MATCH");
  jw_name(w, "Field");
  jw_str(w, field);
  jw_name(w, "Value");
  jw_str(w, value);
  jw_end_object(w);
}

uint64_t pricing_get_products(const struct aws_target *t, const char *region, const char *token, glue_done_fn *done,
                              void *user)
{
  static const char *const headers[] = {"Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
                                        "AWSPriceListService.GetProducts", NULL};
  struct buf body;
  struct jw w;
  buf_init(&body, PRICING_BODY_MAX);
  jw_init(&w, &body, false);
  jw_object(&w);
  jw_name(&w, "ServiceCode");
  jw_str(&w, "AWSGlue");
  jw_name(&w, "Filters");
  jw_array(&w);
  write_filter(&w, "regionCode", region);
  jw_end_array(&w);
  jw_name(&w, "FormatVersion");
  jw_str(&w, "aws_v1");
  jw_name(&w, "MaxResults");
  jw_i64(&w, PRICING_PAGE);
  if (token != NULL) {
    jw_name(&w, "NextToken");
    jw_str(&w, token);
  }
  jw_end_object(&w);
  char *what = xasprintf("GetProducts for %s", region);
  uint64_t id = call_send(call_new(pricing_made, done, user), t,
                          &(struct transport_request){.change = TRANSPORT_READS,
                                                      .endpoint = &t->pricing,
                                                      .headers = headers,
                                                      .body = body.data,
                                                      .body_len = body.overflow ? SIZE_MAX : body.len,
                                                      .own_rate = true,
                                                      .what = what});
  buf_fini(&body);
  free(what);
  return id;
}
