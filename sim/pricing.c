/* The Price List Query API: products of AWS Glue, those that are no job runs included, and filters as the service has them.
 * Facts: pricing-and-limits.md section 4 (GetProducts, usagetypes, tiers), section 2 (prices). Prices of Regions other than us-east-1 and
 * eu-west-1 stand in the proportions of us-east-1. */
#include "sim/service.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/buf.h"
#include "sim/private.h"
#include "sim/rng.h"

#define PRODUCT_MAX ((size_t)16 * 1024)

struct price_region {
  const char *region, *prefix, *location;
  double base; /* USD per DPU-hour, Glue up to 5.1 */
};
static const struct price_region regions[] = {
    {"us-east-1", "USE1-", "US East (N. Virginia)", 0.44},
    {"us-east-2", "USE2-", "US East (Ohio)", 0.44},
    {"us-west-1", "USW1-", "US West (N. California)", 0.44},
    {"us-west-2", "USW2-", "US West (Oregon)", 0.44},
    {"ca-central-1", "CAN1-", "Canada (Central)", 0.44},
    {"eu-west-1", "EU-", "EU (Ireland)", 0.44},
    {"eu-west-2", "EUW2-", "EU (London)", 0.44},
    {"eu-central-1", "EUC1-", "EU (Frankfurt)", 0.44},
    {"ap-northeast-1", "APN1-", "Asia Pacific (Tokyo)", 0.44},
    {"ap-southeast-2", "APS2-", "Asia Pacific (Sydney)", 0.44},
    {"me-south-1", "MES1-", "Middle East (Bahrain)", 0.59},
    {"sa-east-1", "SAE1-", "South America (Sao Paulo)", 0.69},
};

/* `share` of the Region's base price; or, where that is 0, `fixed` dollars. Tiers: free up to `free_until` units. */
struct price_product {
  const char *suffix, *operation, *group, *unit;
  double share, fixed, free_until;
  const char *sku; /* in eu-west-1 */
};
static const struct price_product products[] = {
    {"ETL-DPU-Hour", "Jobrun", "ETL Job run", "DPU-Hour", 1, 0, 0, "NB9R6DZZ9HCFD3YB"},
    {"ETL-DPU-Hour-Gen2", "Jobrun", "ETL Job run", "DPU-Hour", 0.7, 0, 0, NULL},
    {"ETL-Flex-DPU-Hour", "FlexJobrun", "ETL Flex Job run", "DPU-Hour", 0.29 / 0.44, 0, 0, "YEZ556JWKJ8XF8W4"},
    {"ETL-Flex-DPU-Hour-Gen2", "FlexJobrun", "ETL Flex Job run", "DPU-Hour", 0.203 / 0.44, 0, 0, NULL},
    {"ETL-MemOptimized-DPU-Hour", "Jobrun", "ETL Job run", "M-DPU-Hour", 0.52 / 0.44, 0, 0, "3UYF6ZHB53FN3ANM"},
    {"ETL-MemOptimized-DPU-Hour-Gen2", "Jobrun", "ETL Job run", "M-DPU-Hour", 0.364 / 0.44, 0, 0, NULL},
    {"Crawler-DPU-Hour", "CrawlerRun", "Crawler run", "DPU-Hour", 1, 0, 0, "RMAVV78MM2ZC7YJ4"},
    {"GlueInteractiveSession-DPU-Hour", "InteractiveSession", "Interactive session", "DPU-Hour", 1, 0, 0, NULL},
    {"DEVED-DPU-Hour", "DevEndpoint", "Dev endpoint", "DPU-Hour", 1, 0, 0, NULL},
    {"DataQuality-ETL-DPU-Hour", "DataQualityRun", "Data quality", "DPU-Hour", 1, 0, 0, NULL},
    {"Catalog-Storage", "Storage", "Data catalog", "Obj-Month", 0, 0.00001, 1000000, NULL},
    {"Catalog-Request", "Request", "Data catalog", "Request", 0, 0.000001, 1000000, NULL},
    {"DBrew-FreeSessions", "DataBrew", "Databrew", "Sessions", 0, 0, 40, NULL},
    {"DBrew-Sessions", "DataBrew", "Databrew", "Sessions", 0, 1, 0, NULL},
    {"DBrew-Node-Hour", "DataBrew", "Databrew", "Node-Hour", 0, 0.48, 0, NULL},
};
#define REGION_COUNT  (sizeof regions / sizeof regions[0])
#define PRODUCT_COUNT (sizeof products / sizeof products[0])

static void product_sku(const struct price_region *r, const struct price_product *p, char out[17])
{
  static const char letters[] = "23456789ABCDEFGHJKMNPQRSTUVWXYZZ";
  uint64_t lot = sim_hash(sim_hash(41, r->region), p->suffix);
  if (p->sku != NULL && strcmp(r->region, "eu-west-1") == 0) {
    memcpy(out, p->sku, 17);
    return;
  }
  for (int i = 0; i < 16; i++)
    out[i] = letters[sim_rng_next(&lot) & 31];
  out[16] = '\0';
}

static void put(struct jw *w, const char *name, const char *value)
{
  jw_name(w, name);
  jw_str(w, value);
}

static void put_rate(struct jw *w, const char *term, const char *code, const char *unit, double begin, double end,
                     const char *usd)
{
  char text[64];
  snprintf(text, sizeof text, "%s.%s", term, code);
  jw_name(w, text);
  jw_object(w);
  put(w, "unit", unit);
  snprintf(text, sizeof text, "%.0f", end);
  put(w, "endRange", isinf(end) ? "Inf" : text);
  snprintf(text, sizeof text, "$%s per %s for AWS Glue", usd, unit);
  put(w, "description", text);
  jw_name(w, "appliesTo");
  jw_array(w);
  jw_end_array(w);
  snprintf(text, sizeof text, "%s.%s", term, code);
  put(w, "rateCode", text);
  snprintf(text, sizeof text, "%.0f", begin);
  put(w, "beginRange", text);
  jw_name(w, "pricePerUnit");
  jw_object(w);
  put(w, "USD", usd);
  jw_end_object(w);
  jw_end_object(w);
}

static void put_terms(struct jw *w, const char *sku, const struct price_product *p, const char *usd)
{
  char term[64];
  snprintf(term, sizeof term, "%s.JRTCKXETXF", sku);
  jw_name(w, "terms");
  jw_object(w);
  jw_name(w, "OnDemand");
  jw_object(w);
  jw_name(w, term);
  jw_object(w);
  jw_name(w, "priceDimensions");
  jw_object(w);
  if (p->free_until > 0)
    put_rate(w, term, "PGHJ3S3EYE", p->unit, 0, p->free_until, "0.0000000000");
  put_rate(w, term, "6YS6EN2CT7", p->unit, p->free_until, (double)INFINITY, usd);
  jw_end_object(w);
  put(w, "sku", sku);
  put(w, "effectiveDate", "2026-11-01T00:00:00Z");
  put(w, "offerTermCode", "JRTCKXETXF");
  jw_name(w, "termAttributes");
  jw_object(w);
  jw_end_object(w);
  jw_end_object(w);
  jw_end_object(w);
  jw_end_object(w);
}

/* "0.4400000000", or what --price says of it. */
static void product_usd(const struct sim_world *world, const struct price_region *r, const struct price_product *p,
                        char out[64])
{
  double usd = p->share > 0 ? round(r->base * p->share * 1000) / 1000 : p->fixed;
  snprintf(out, 64, "%.10f", usd);
  for (size_t i = 0; i < world->price_count; i++) {
    const char *equals = strchr(world->prices[i], '=');
    if (strncmp(world->prices[i], p->suffix, (size_t)(equals - world->prices[i])) == 0 &&
        strlen(p->suffix) == (size_t)(equals - world->prices[i]))
      snprintf(out, 64, "%s", equals + 1);
  }
}

static void put_product(struct sim_call *call, const struct price_region *r, const struct price_product *p)
{
  struct buf text;
  struct jw w;
  char sku[17], usagetype[80], usd[64];
  product_sku(r, p, sku);
  product_usd(call->world, r, p, usd);
  snprintf(usagetype, sizeof usagetype, "%s%s", r->prefix, p->suffix);
  buf_init(&text, PRODUCT_MAX);
  jw_init(&w, &text, false);
  jw_object(&w);
  jw_name(&w, "product");
  jw_object(&w);
  put(&w, "productFamily", "AWS Glue");
  jw_name(&w, "attributes");
  jw_object(&w);
  put(&w, "regionCode", r->region);
  put(&w, "servicecode", "AWSGlue");
  put(&w, "groupDescription", p->group);
  put(&w, "usagetype", usagetype);
  put(&w, "locationType", "AWS Region");
  put(&w, "location", r->location);
  put(&w, "servicename", "AWS Glue");
  put(&w, "operation", p->operation);
  put(&w, "group", p->group);
  jw_end_object(&w);
  put(&w, "sku", sku);
  jw_end_object(&w);
  put(&w, "serviceCode", "AWSGlue");
  put_terms(&w, sku, p, usd);
  put(&w, "version", "20261120203044");
  put(&w, "publicationDate", "2026-11-20T20:30:44Z");
  jw_end_object(&w);
  jw_str_n(&call->out, text.data, text.len);
  buf_fini(&text);
}

/* --- filters -------------------------------------------------------------------------------------------------------- */

static const char *attribute(const struct price_region *r, const struct price_product *p, const char *field,
                             char usagetype[80])
{
  snprintf(usagetype, 80, "%s%s", r->prefix, p->suffix);
  if (strcmp(field, "regionCode") == 0)
    return r->region;
  if (strcmp(field, "location") == 0)
    return r->location;
  if (strcmp(field, "usagetype") == 0)
    return usagetype;
  if (strcmp(field, "operation") == 0)
    return p->operation;
  if (strcmp(field, "group") == 0)
    return p->group;
  if (strcmp(field, "servicecode") == 0 || strcmp(field, "ServiceCode") == 0)
    return "AWSGlue";
  return "";
}

static bool is_one_of(const char *value, const char *list)
{
  size_t len = strlen(value);
  while (list != NULL) {
    size_t part = strcspn(list, ",");
    if (part == len && strncmp(list, value, len) == 0)
      return true;
    list = list[part] == ',' ? list + part + 1 : NULL;
  }
  return false;
}

static bool passes(const struct cJSON *filters, const struct price_region *r, const struct price_product *p)
{
  const struct cJSON *f = NULL;
  char usagetype[80];
  cJSON_ArrayForEach (f, filters) {
    const char *type = json_str(f, "Type"), *field = json_str(f, "Field"), *value = json_str(f, "Value");
    const char *has = attribute(r, p, field, usagetype);
    bool good = strcmp(type, "CONTAINS") == 0  ? strstr(has, value) != NULL
                : strcmp(type, "ANY_OF") == 0  ? is_one_of(has, value)
                : strcmp(type, "NONE_OF") == 0 ? !is_one_of(has, value)
                                               : strcmp(has, value) == 0;
    if (!good)
      return false;
  }
  return true;
}

static bool check_filters(struct sim_call *call, const struct cJSON *filters)
{
  static const char types[] = "TERM_MATCH,EQUALS,CONTAINS,ANY_OF,NONE_OF";
  const struct cJSON *f = NULL;
  if (filters != NULL && !cJSON_IsArray(filters))
    sim_fail(call, "SerializationException", "Filters cannot be converted to List");
  else if (cJSON_GetArraySize(filters) > 50)
    sim_fail(call, "InvalidParameterException", "There are more than 50 filters.");
  cJSON_ArrayForEach (f, filters) {
    const char *type = json_str(f, "Type");
    if (json_str(f, "Field") == NULL || json_str(f, "Value") == NULL || type == NULL || !is_one_of(type, types))
      sim_fail(call, "InvalidParameterException", "Each filter needs a Type of [%s], a Field and a Value.", types);
  }
  return !sim_failed(call);
}

static void get_products(struct sim_call *call)
{
  const char *service = sim_need_str(call, "ServiceCode");
  const char *version = json_str(call->in, "FormatVersion");
  const struct cJSON *filters = json_get(call->in, "Filters");
  struct sim_page page;
  if (service == NULL || !check_filters(call, filters) || !sim_page_begin(call, &page, 100, 100, service))
    return;
  if (version != NULL && strcmp(version, "aws_v1") != 0) {
    sim_fail(call, "InvalidParameterException", "The format version %.40s is not known.", version);
    return;
  }
  put(&call->out, "FormatVersion", "aws_v1");
  jw_name(&call->out, "PriceList");
  jw_array(&call->out);
  int64_t given = 0;
  size_t i = page.position < 0 ? 0 : (size_t)page.position, all = REGION_COUNT * PRODUCT_COUNT;
  if (strcmp(service, "AWSGlue") != 0)
    i = all;
  for (; i < all && given < page.size && !page.empty; i++) {
    const struct price_region *r = &regions[i / PRODUCT_COUNT];
    const struct price_product *p = &products[i % PRODUCT_COUNT];
    if (!passes(filters, r, p))
      continue;
    put_product(call, r, p);
    given++;
  }
  while (i < all && !passes(filters, &regions[i / PRODUCT_COUNT], &products[i % PRODUCT_COUNT]))
    i++;
  jw_end_array(&call->out);
  sim_page_next(call, &page, i < all ? (int64_t)i : -1);
}

static const struct sim_operation operations[] = {
    {.name = "GetProducts", .run = get_products},
    {.name = NULL},
};

/* It has endpoints in three Regions, whatever Region is asked about. */
static const char *const homes[] = {"us-east-1", "eu-central-1", "ap-south-1", NULL};

const struct sim_service sim_pricing = {
    .signing_name = "pricing",
    .protocol = SIM_JSON_1_1,
    .target_prefix = "AWSPriceListService",
    .operations = operations,
    .homes = homes,
};
