/* Prices of the Price List and quotas of Service Quotas: the tables, the decoders, the choice of what counts, and how it is remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/pricing.h"
#include "aws/quotas.h"
#include "base/xalloc.h"
#include "sync/daily.h"

#define NOW      INT64_C(1796083200000) /* 2026-11-30T00:00Z */
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* --- the table of quotas against the facts --------------------------------------------------------------------------- */

static void quotas_are_those_of_the_general_reference(void **state)
{
  static const struct {
    enum quota_kind kind;
    const char *code, *word;
    double ireland, paris;
  } facts[] = {
      {QUOTA_RUNS, "L-5E4153CA", "runs", 2000, 2000},
      {QUOTA_RUNS_OF_JOB, "L-F574AED9", "runs_of_job", 4000, 4000},
      {QUOTA_DPU, "L-08F3B322", "dpu", 1000, 500},
      {QUOTA_FLEX_DPU, "L-096DBB95", "flex_dpu", 4000, 4000},
      {QUOTA_QUEUED, "L-A457CBAB", "queued_runs", 1000, 1000},
  };
  static const char *const large[] = {"us-east-1",      "us-east-2",      "us-west-2",
                                      "ap-northeast-1", "ap-southeast-2", "eu-west-1"};
  enum quota_kind kind = QUOTA_KIND_COUNT;
  (void)state;
  assert_int_equal(COUNT(facts), QUOTA_KIND_COUNT);
  for (size_t i = 0; i < COUNT(facts); i++) {
    assert_string_equal(quota_info(facts[i].kind)->code, facts[i].code);
    assert_string_equal(quota_info(facts[i].kind)->word, facts[i].word);
    assert_true(quota_default(facts[i].kind, "eu-west-1") == facts[i].ireland);
    assert_true(quota_default(facts[i].kind, "eu-west-3") == facts[i].paris);
    assert_true(quota_default(facts[i].kind, NULL) == facts[i].paris);
    assert_true(quota_find(facts[i].code, "whatever", &kind) && kind == facts[i].kind);
    assert_true(quota_find(NULL, quota_info(facts[i].kind)->name, &kind) && kind == facts[i].kind);
  }
  for (size_t i = 0; i < COUNT(large); i++)
    assert_true(quota_default(QUOTA_DPU, large[i]) == 1000);
  assert_true(quota_find("L-00000000", "max TASK dpus per account", &kind) && kind == QUOTA_DPU);
  assert_false(quota_find("L-611FDDE4", "Max jobs per account", &kind) || quota_find(NULL, NULL, &kind));
  static const double wrong[] = {0, -5, 0.5, 1e12, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < COUNT(wrong); i++)
    assert_false(quota_is_plausible(wrong[i]));
}

/* doc/pricing.md shows the table. */
static void the_document_shows_the_quotas(void **state)
{
  const char *folder = getenv("GLUETOP_SRCDIR");
  char *path = xasprintf("%s/doc/pricing.md", folder == NULL ? "." : folder);
  FILE *f = fopen(path, "r");
  static char text[100000];
  (void)state;
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  free(path);
  for (int i = 0; i < QUOTA_KIND_COUNT; i++) {
    const struct quota_info *q = quota_info((enum quota_kind)i);
    char *line = q->most == q->other
                     ? xasprintf("| %s | %s | %g | `%s` |", q->name, q->code, q->most, q->word)
                     : xasprintf("| %s | %s | %g, elsewhere %g | `%s` |", q->name, q->code, q->most, q->other, q->word);
    if (strstr(text, line) == NULL)
      fail_msg("doc/pricing.md lacks %s", line);
    free(line);
  }
}

/* --- one price ------------------------------------------------------------------------------------------------------- */

static void prices_are_read_exactly(void **state)
{
  static const struct {
    const char *text;
    int64_t nano; /* -1: no price */
  } cases[] = {
      {"0.4400000000", 440000000},
      {"0.44", 440000000},
      {".5", 500000000},
      {"1", 1000000000},
      {"0.0000000000", 0},
      {"0.0000000004", 0},
      {"0.0000000005", 1},
      {"0.00000000049999", 0},
      {"0.1234567895", 123456790},
      {"4.4E-1", 440000000},
      {"440000000E-9", 440000000},
      {"44e-2", 440000000},
      {"1E2", 100000000000},
      {"1e-30", 0},
      {"8999999999", INT64_C(8999999999000000000)},
      {"9000000000", -1},
      {"99999999999999999999999", -1},
      {"1e99", -1},
      {"1e99999999999999999999", -1},
      {"0.123456789012345678901234567890123456789", 123456789},
      {"", -1},
      {".", -1},
      {"-0.44", -1},
      {"+0.44", -1},
      {"0,44", -1},
      {"0.44 ", -1},
      {" 0.44", -1},
      {"0.4.4", -1},
      {"0.44e", -1},
      {"0x1", -1},
      {"NaN", -1},
      {"inf", -1},
      {NULL, -1},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    int64_t nano = -7;
    bool good = price_parse_usd(cases[i].text, &nano);
    if (good != (cases[i].nano >= 0) || (good && nano != cases[i].nano))
      fail_msg("%s: %d %lld", cases[i].text, good, (long long)nano);
  }
}

/* --- the choice ------------------------------------------------------------------------------------------------------ */

#define OFFER(sku_, usagetype_, operation_, usd_)                                                                      \
  {                                                                                                                    \
    .sku = sku_, .region = "eu-west-1", .service = "AWSGlue", .usagetype = usagetype_, .operation = operation_,        \
    .unit = "DPU-Hour", .usd = usd_, .published = "2026-11-20T20:30:44Z", .effective_ms = WHEN_NONE                    \
  }

static void a_whole_list_is_taken(void **state)
{
  static const struct price_offer offers[] = {
      OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.45"),
      OFFER("B", "EU-ETL-DPU-Hour-Gen2", "Jobrun", "0.315"),
      OFFER("C", "EU-ETL-Flex-DPU-Hour", "FlexJobrun", "0.30"),
      OFFER("D", "EU-ETL-Flex-DPU-Hour-Gen2", "FlexJobrun", "0.21"),
      OFFER("E", "EU-ETL-MemOptimized-DPU-Hour", "Jobrun", "0.53"),
      OFFER("F", "EU-ETL-MemOptimized-DPU-Hour-Gen2", "Jobrun", "0.37"),
      /* no job runs */
      OFFER("G", "EU-Crawler-DPU-Hour", "CrawlerRun", "0.99"),
      OFFER("H", "EU-GlueInteractiveSession-DPU-Hour", "InteractiveSession", "0.98"),
      OFFER("I", "EU-DEVED-DPU-Hour", "DevEndpoint", "0.97"),
      OFFER("J", "EU-DataQuality-ETL-DPU-Hour", "DataQualityRun", "0.96"),
      OFFER("K", "EU-Catalog-Request", "Request", "0.000001"),
      OFFER("L", "EU-DBrew-Node-Hour", "DataBrew", "0.48"),
      /* what is billed by the class, but is no run */
      OFFER("M", "EU-ETL-DPU-Hour", "Statistics", "0.11"),
      /* elsewhere */
      {.sku = "N",
       .region = "us-east-1",
       .usagetype = "USE1-ETL-DPU-Hour",
       .operation = "Jobrun",
       .usd = "0.10",
       .effective_ms = WHEN_NONE},
      {.sku = "O",
       .region = NULL,
       .usagetype = "EU-ETL-DPU-Hour",
       .operation = "Jobrun",
       .usd = "0.10",
       .effective_ms = WHEN_NONE},
  };
  static const int64_t want[PRICE_LIST_ROWS] = {450000000, 315000000, 300000000, 210000000, 530000000, 370000000};
  struct price_list list;
  (void)state;
  struct err e = price_list_choose(offers, COUNT(offers), "eu-west-1", NOW, &list);
  assert_string_equal(err_message(&e), "");
  assert_int_equal(list.count, 6);
  struct price_table *t = price_table_new();
  uint64_t before = price_table_generation(t);
  price_list_apply(&list, t, "eu-west-1");
  assert_true(price_table_generation(t) > before);
  for (size_t i = 0; i < 6; i++) {
    struct price p = price_find(t, "eu-west-1", (enum price_item)(i / 2), (enum price_generation)(i % 2));
    assert_true(p.known && !p.estimated && p.origin == PRICE_FROM_LIST && p.nano_per_hour == want[i]);
    assert_string_equal(p.date, "2026-11-20");
  }
  /* Python shell goes with the standard price; Ray is another unit and stays an estimate */
  struct price python = price_find(t, "eu-west-1", PRICE_PYTHON, PRICE_GEN_1);
  assert_true(python.nano_per_hour == 450000000 && python.origin == PRICE_FROM_LIST && !python.estimated);
  assert_true(price_find(t, "eu-west-1", PRICE_RAY, PRICE_GEN_1).estimated);
  assert_string_equal(price_find(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2).source, "EU-ETL-DPU-Hour-Gen2");
  /* the person before the list, the list before the table; nothing of it in another Region */
  price_table_set(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_1, 400000000, PRICE_OVERRIDE, "mine", "");
  assert_int_equal(price_find(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_1).origin, PRICE_OVERRIDE);
  assert_int_equal(price_find(t, "us-east-1", PRICE_STANDARD, PRICE_GEN_1).origin, PRICE_BUILT_IN);
  /* what is in the table comes out again */
  struct price_list again;
  price_list_of_table(t, "eu-west-1", &again);
  assert_memory_equal(&again, &list, sizeof list);
  /* another answer replaces the whole of it */
  struct price_list one;
  e = price_list_choose(offers, 1, "eu-west-1", NOW, &one);
  assert_false(err_is(&e));
  price_list_apply(&one, t, "eu-west-1");
  assert_int_equal(price_find(t, "eu-west-1", PRICE_FLEX, PRICE_GEN_1).origin, PRICE_BUILT_IN);
  assert_int_equal(price_find(t, "eu-west-1", PRICE_FLEX, PRICE_GEN_1).nano_per_hour, 290000000);
  struct price ratio = price_find(t, "eu-west-1", PRICE_STANDARD, PRICE_GEN_2);
  price_table_free(t);
  assert_true(ratio.estimated && ratio.nano_per_hour == 280000000); /* of what the person says */
}

static void what_counts_and_what_is_refused(void **state)
{
  static const struct {
    const char *name;
    struct price_offer offers[4];
    size_t count;
    int64_t nano;        /* of standard, generation 1; 0: refused */
    const char *message; /* a part of it */
  } cases[] = {
      {"the highest tier that costs something",
       {{.sku = "A", .region = "eu-west-1", .usagetype = "ETL-DPU-Hour", .usd = "0.00", .effective_ms = WHEN_NONE},
        {.sku = "A",
         .region = "eu-west-1",
         .usagetype = "ETL-DPU-Hour",
         .usd = "0.44",
         .begins = 100,
         .effective_ms = WHEN_NONE},
        {.sku = "A",
         .region = "eu-west-1",
         .usagetype = "ETL-DPU-Hour",
         .usd = "0.43",
         .begins = 200,
         .effective_ms = WHEN_NONE}},
       3,
       430000000,
       NULL},
      {"a free tier that is said to be the highest",
       {{.sku = "A",
         .region = "eu-west-1",
         .usagetype = "EU-ETL-DPU-Hour",
         .usd = "0",
         .begins = 9,
         .effective_ms = WHEN_NONE},
        {.sku = "A", .region = "eu-west-1", .usagetype = "EU-ETL-DPU-Hour", .usd = "0.44", .effective_ms = WHEN_NONE}},
       2,
       440000000,
       NULL},
      {"the last term that is in force",
       {{.sku = "A", .region = "eu-west-1", .usagetype = "EU-ETL-DPU-Hour", .usd = "0.50", .effective_ms = NOW - 5},
        {.sku = "A", .region = "eu-west-1", .usagetype = "EU-ETL-DPU-Hour", .usd = "0.40", .effective_ms = NOW - 2},
        {.sku = "A", .region = "eu-west-1", .usagetype = "EU-ETL-DPU-Hour", .usd = "0.30", .effective_ms = NOW + 2}},
       3,
       400000000,
       NULL},
      {"two products that agree",
       {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.44"), OFFER("B", "EU-ETL-DPU-Hour", "Jobrun", "0.4400")},
       2,
       440000000,
       NULL},
      {"without an operation", {OFFER("A", "EU-ETL-DPU-Hour", NULL, "0.44")}, 1, 440000000, NULL},
      {"two products that do not agree",
       {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.44"), OFFER("B", "EU-ETL-DPU-Hour", "Jobrun", "0.45")},
       2,
       0,
       "two prices for standard"},
      {"one wrong price spoils the list",
       {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.44"), OFFER("B", "EU-ETL-Flex-DPU-Hour", "FlexJobrun", "29")},
       2,
       0,
       "$29 an hour for flex"},
      {"dear beyond belief", {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "4400")}, 1, 0, "cannot be"},
      {"cheap beyond belief", {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.00044")}, 1, 0, "cannot be"},
      {"for nothing", {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.0000000000")}, 1, 0, "cannot be"},
      {"less than nothing", {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "-0.44")}, 1, 0, "where a price"},
      {"no number", {OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "\x1b[2Jfree")}, 1, 0, "where a price"},
      {"another unit",
       {{.sku = "A",
         .region = "eu-west-1",
         .usagetype = "EU-ETL-DPU-Hour",
         .usd = "0.44",
         .unit = "Fortnight",
         .effective_ms = WHEN_NONE}},
       1,
       0,
       "not in hours"},
      {"another currency",
       {{.sku = "A",
         .region = "eu-west-1",
         .usagetype = "EU-ETL-DPU-Hour",
         .currency = "CNY",
         .effective_ms = WHEN_NONE}},
       1,
       0,
       "in CNY, not in USD"},
      {"another service",
       {{.sku = "A",
         .service = "AmazonEC2",
         .region = "eu-west-1",
         .usagetype = "EU-ETL-DPU-Hour",
         .usd = "0.44",
         .effective_ms = WHEN_NONE}},
       1,
       0,
       "no price of job runs in eu-west-1"},
      {"another Region",
       {{.sku = "A",
         .region = "us-east-1",
         .usagetype = "USE1-ETL-DPU-Hour",
         .usd = "0.44",
         .effective_ms = WHEN_NONE}},
       1,
       0,
       "no price of job runs in eu-west-1"},
      {"nothing", {{.sku = NULL, .effective_ms = WHEN_NONE}}, 0, 0, "no price of job runs"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct price_list list;
    struct err e = price_list_choose(cases[i].offers, cases[i].count, "eu-west-1", NOW, &list);
    bool good = cases[i].nano > 0 ? !err_is(&e) && list.count == 1 && list.rows[0].nano_per_hour == cases[i].nano
                                  : e.kind == ERR_PARSE && list.count == 0 && strstr(err_message(&e), cases[i].message);
    if (!good)
      fail_msg("%s: %s, %zu rows", cases[i].name, err_message(&e), list.count);
    err_fini(&e);
  }
  /* more rates of one class than any list has */
  struct price_offer many[65];
  for (size_t i = 0; i < COUNT(many); i++)
    many[i] = (struct price_offer)OFFER("A", "EU-ETL-DPU-Hour", "Jobrun", "0.44");
  struct price_list list;
  struct err e = price_list_choose(many, COUNT(many), "eu-west-1", NOW, &list);
  assert_true(e.kind == ERR_PARSE);
  err_fini(&e);
  /* China has no price in USD to compare with, and none that could be used */
  assert_false(price_is_plausible("cn-north-1", PRICE_STANDARD, PRICE_GEN_1, INT64_C(1000000000000)));
}

/* --- the decoders ---------------------------------------------------------------------------------------------------- */

#define PRODUCT(usagetype, terms)                                                                                      \
  "{\\\"product\\\":{\\\"sku\\\":\\\"S\\\",\\\"attributes\\\":{\\\"regionCode\\\":\\\"eu-west-1\\\","                  \
  "\\\"servicecode\\\":\\\"AWSGlue\\\","                                                                               \
  "\\\"operation\\\":\\\"Jobrun\\\",\\\"usagetype\\\":\\\"" usagetype                                                  \
  "\\\"}},\\\"publicationDate\\\":\\\"2026-11-20T20:30:44Z\\\","                                                       \
  "\\\"terms\\\":" terms "}"
#define TERMS                                                                                                          \
  "{\\\"OnDemand\\\":{\\\"S.J\\\":{\\\"effectiveDate\\\":\\\"2026-11-01T00:00:00Z\\\",\\\"priceDimensions\\\":{\\\"S." \
  "J.6\\\":{"                                                                                                          \
  "\\\"unit\\\":\\\"DPU-Hour\\\",\\\"beginRange\\\":\\\"0\\\",\\\"endRange\\\":\\\"Inf\\\",\\\"pricePerUnit\\\":{"     \
  "\\\"USD\\\":\\\"0.4400000000\\\"}}}}}}"

static void products_are_decoded(void **state)
{
  static const struct {
    const char *name, *text;
    bool fails;
    size_t offers, products, unreadable;
    bool more;
  } cases[] = {
      {"a product",
       "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[\"" PRODUCT("EU-ETL-DPU-Hour", TERMS) "\"],\"NextToken\":\"t\"}",
       false, 1, 1, 0, true},
      {"others are left out",
       "{\"PriceList\":[\"" PRODUCT("EU-Crawler-DPU-Hour", TERMS) "\",\"" PRODUCT("EU-ETL-Flex-DPU-Hour-Gen2",
                                                                                  TERMS) "\"]}",
       false, 1, 2, 0, false},
      {"an object in place of its text",
       "{\"PriceList\":[{\"product\":{\"attributes\":{\"usagetype\":\"ETL-DPU-Hour\"}},\"terms\":{\"OnDemand\":{\"a\":{"
       "\"priceDimensions\":{\"b\":{\"pricePerUnit\":{\"USD\":0.44}}}}}}}],\"NextToken\":\"\"}",
       false, 1, 1, 0, false},
      {"no terms",
       "{\"PriceList\":[\"" PRODUCT("EU-ETL-DPU-Hour", "{}") "\",\"" PRODUCT("EU-ETL-DPU-Hour", "null") "\"]}", false,
       0, 2, 0, false},
      {"terms that are none",
       "{\"PriceList\":[\"" PRODUCT("EU-ETL-DPU-Hour",
                                    "{\\\"OnDemand\\\":[3,{\\\"priceDimensions\\\":[null,{}]}]}") "\"]}",
       false, 2, 1, 0, false},
      {"no JSON in the text", "{\"PriceList\":[\"oh\",\"\",\"[1]\",\"null\",7,null,[],{\"product\":3}]}", false, 0, 8,
       8, false},
      {"an empty list", "{\"PriceList\":[]}", false, 0, 0, 0, false},
      {"no list", "{}", false, 0, 0, 0, false},
      {"a list that is none", "{\"PriceList\":{\"a\":1}}", true, 0, 0, 0, false},
      {"half", "{\"PriceList\":[\"{", true, 0, 0, 0, false},
      {"HTML", "<html>", true, 0, 0, 0, false},
      {"nothing", "", true, 0, 0, 0, false},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct arena arena;
    struct pricing_page page;
    arena_init(&arena);
    struct err e = pricing_decode_products(cases[i].text, strlen(cases[i].text), &arena, &page);
    if (err_is(&e) != cases[i].fails ||
        (!cases[i].fails && (page.count != cases[i].offers || page.products != cases[i].products ||
                             page.unreadable != cases[i].unreadable || (page.next_token != NULL) != cases[i].more)))
      fail_msg("%s: %s: %zu offers of %zu products, %zu unreadable", cases[i].name, err_message(&e), page.count,
               page.products, page.unreadable);
    if (i == 0) {
      const struct price_offer *o = &page.offers[0];
      assert_string_equal(o->usagetype, "EU-ETL-DPU-Hour");
      assert_string_equal(o->usd, "0.4400000000");
      assert_string_equal(o->region, "eu-west-1");
      assert_string_equal(o->unit, "DPU-Hour");
      assert_string_equal(o->published, "2026-11-20T20:30:44Z");
      assert_true(o->effective_ms == INT64_C(1793491200000) && o->begins == 0);
    }
    err_fini(&e);
    arena_fini(&arena);
  }
}

static void too_many_rates_are_refused(void **state)
{
  struct buf text;
  struct arena arena;
  struct pricing_page page;
  (void)state;
  buf_init(&text, 1 << 20);
  arena_init(&arena);
  buf_adds(
      &text,
      "{\"PriceList\":[{\"product\":{\"attributes\":{\"usagetype\":\"ETL-DPU-Hour\"}},\"terms\":{\"OnDemand\":{\"a\":{"
      "\"priceDimensions\":[");
  for (int i = 0; i < 3000; i++)
    buf_adds(&text, "{},");
  buf_adds(&text, "{}]}}}}]}");
  struct err e = pricing_decode_products(text.data, text.len, &arena, &page);
  assert_int_equal(e.kind, ERR_TOO_BIG);
  err_fini(&e);
  arena_fini(&arena);
  buf_fini(&text);
}

static void quotas_are_decoded(void **state)
{
#define Q(code, value)                                                                                                 \
  "{\"ServiceCode\":\"glue\",\"QuotaCode\":\"" code "\",\"QuotaName\":\"n\",\"Value\":" value                          \
  ",\"QuotaAppliedAtLevel\":\"ACCOUNT\"}"
  static const struct {
    const char *name, *text;
    bool fails, refused;
    double runs, dpu; /* 0: not said */
  } cases[] = {
      {"two of them",
       "{\"Quotas\":[" Q("L-5E4153CA", "1.5E2") "," Q("L-611FDDE4", "3.0") "," Q("L-08F3B322", "\"300\"") "]}", false,
       false, 150, 300},
      {"by its name", "{\"Quotas\":[{\"QuotaName\":\"Max task DPUs per account\",\"Value\":64}]}", false, false, 0, 64},
      {"said twice alike", "{\"Quotas\":[" Q("L-5E4153CA", "7") "," Q("L-5E4153CA", "7.0") "]}", false, false, 7, 0},
      {"said twice", "{\"Quotas\":[" Q("L-5E4153CA", "7") "," Q("L-5E4153CA", "8") "]}", false, true, 0, 0},
      {"nothing at all may run", "{\"Quotas\":[" Q("L-5E4153CA", "0") "]}", false, true, 0, 0},
      {"less than nothing", "{\"Quotas\":[" Q("L-08F3B322", "-300") "]}", false, true, 0, 0},
      {"beyond all", "{\"Quotas\":[" Q("L-08F3B322", "1e300") "]}", false, true, 0, 0},
      {"of another service", "{\"Quotas\":[{\"ServiceCode\":\"ec2\",\"QuotaCode\":\"L-08F3B322\",\"Value\":3}]}", false,
       false, 0, 0},
      {"of one resource",
       "{\"Quotas\":[{\"QuotaCode\":\"L-08F3B322\",\"QuotaAppliedAtLevel\":\"RESOURCE\",\"Value\":3}]}", false, false,
       0, 0},
      {"it could not be told",
       "{\"Quotas\":[{\"QuotaCode\":\"L-08F3B322\",\"ErrorReason\":{\"ErrorCode\":\"DEPENDENCY_ACCESS_DENIED_ERROR\"}}]"
       "}",
       false, false, 0, 0},
      {"no quotas in the list", "{\"Quotas\":[null,3,\"x\",[],{}]}", false, false, 0, 0},
      {"none", "{\"Quotas\":[]}", false, false, 0, 0},
      {"no list", "{\"Quota\":{}}", false, false, 0, 0},
      {"a list that is none", "{\"Quotas\":7}", true, false, 0, 0},
      {"half", "{\"Quotas\":[", true, false, 0, 0},
      {"nothing", "", true, false, 0, 0},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct arena arena;
    struct quotas_page page;
    arena_init(&arena);
    struct err e = quotas_decode_list(cases[i].text, strlen(cases[i].text), &arena, &page);
    bool good = err_is(&e) == cases[i].fails;
    if (good && !cases[i].fails)
      good = (page.refused != NULL) == cases[i].refused &&
             (cases[i].refused ||
              ((cases[i].runs > 0 ? page.values[QUOTA_RUNS] == cases[i].runs : isnan(page.values[QUOTA_RUNS])) &&
               (cases[i].dpu > 0 ? page.values[QUOTA_DPU] == cases[i].dpu : isnan(page.values[QUOTA_DPU]))));
    if (!good)
      fail_msg("%s: %s %s", cases[i].name, err_message(&e), page.refused == NULL ? "" : page.refused);
    err_fini(&e);
    arena_fini(&arena);
  }
}

/* --- once a day ------------------------------------------------------------------------------------------------------ */

static void a_day_for_an_answer_an_hour_for_trouble(void **state)
{
  static const struct {
    enum err_kind kind;
    int64_t wait_ms;
  } cases[] = {{ERR_OK, WHEN_DAY},         {ERR_DENIED, WHEN_DAY},  {ERR_NOT_FOUND, WHEN_DAY}, {ERR_PARSE, WHEN_DAY},
               {ERR_TOO_BIG, WHEN_DAY},    {ERR_CONFIG, WHEN_DAY},  {ERR_NETWORK, WHEN_HOUR},  {ERR_TIMEOUT, WHEN_HOUR},
               {ERR_THROTTLED, WHEN_HOUR}, {ERR_SERVER, WHEN_HOUR}, {ERR_EXPIRED, WHEN_HOUR},  {ERR_TLS, WHEN_HOUR}};
  struct freshness f;
  (void)state;
  freshness_init(&f);
  assert_true(daily_due_ms(&f, NOW) == INT64_MIN); /* never asked */
  for (size_t i = 0; i < COUNT(cases); i++) {
    freshness_init(&f);
    f.tried_ms = NOW;
    if (cases[i].kind != ERR_OK)
      f.last_err = err_new(cases[i].kind, "x");
    assert_true(daily_due_ms(&f, NOW) == NOW + cases[i].wait_ms);
    assert_true(daily_due_ms(&f, NOW - 1) == INT64_MIN); /* a future that our clock has left */
    freshness_fini(&f);
  }
}

static void what_was_said_is_remembered(void **state)
{
  struct buf data;
  struct freshness f, g;
  struct price_list list = {.count = 1}, read;
  double quotas[QUOTA_KIND_COUNT], quotas_read[QUOTA_KIND_COUNT];
  (void)state;
  list.rows[0] = (struct price_list_row){.item = PRICE_FLEX,
                                         .generation = PRICE_GEN_2,
                                         .nano_per_hour = 203000000,
                                         .usagetype = "EU-ETL-Flex-DPU-Hour-Gen2",
                                         .published = "2026-11-20"};
  for (size_t i = 0; i < QUOTA_KIND_COUNT; i++)
    quotas[i] = i == QUOTA_DPU ? 300 : (double)NAN;
  freshness_init(&f);
  f.fetched_ms = NOW - WHEN_DAY;
  f.tried_ms = NOW;
  f.last_err = err_new(ERR_DENIED, "no: \x01 %%s");
  buf_init(&data, DAILY_BYTES_MAX);
  daily_pack_prices(&data, &f, &list);
  freshness_init(&g);
  assert_true(daily_unpack_prices(data.data, data.len, &g, &read));
  assert_memory_equal(&read, &list, sizeof list);
  assert_true(g.fetched_ms == f.fetched_ms && g.tried_ms == NOW && g.last_err.kind == ERR_DENIED);
  assert_string_equal(err_message(&g.last_err), err_message(&f.last_err));
  freshness_fini(&g);
  /* every damage is noticed or harmless: cut anywhere, and each byte changed */
  for (size_t len = 0; len < data.len; len++) {
    freshness_init(&g);
    assert_false(daily_unpack_prices(data.data, len, &g, &read));
    assert_true(g.tried_ms == WHEN_NONE && !err_is(&g.last_err));
  }
  for (size_t i = 0; i < data.len; i++) {
    char *copy = malloc(data.len);
    assert_non_null(copy);
    memcpy(copy, data.data, data.len);
    copy[i] = (char)(copy[i] ^ 0xff);
    freshness_init(&g);
    if (daily_unpack_prices(copy, data.len, &g, &read))
      assert_true(read.count <= PRICE_LIST_ROWS && read.rows[0].nano_per_hour > 0);
    freshness_fini(&g);
    free(copy);
  }
  freshness_init(&g);
  assert_false(daily_unpack_quotas(data.data, data.len, &g, quotas_read)); /* another thing */
  buf_reset(&data);
  daily_pack_quotas(&data, &f, quotas);
  assert_true(daily_unpack_quotas(data.data, data.len, &g, quotas_read));
  assert_true(quotas_read[QUOTA_DPU] == 300 && isnan(quotas_read[QUOTA_RUNS]));
  freshness_fini(&g);
  freshness_init(&g);
  assert_false(daily_unpack_prices(data.data, data.len, &g, &read));
  quotas[QUOTA_RUNS] = -1; /* nobody writes this */
  buf_reset(&data);
  daily_pack_quotas(&data, &f, quotas);
  assert_false(daily_unpack_quotas(data.data, data.len, &g, quotas_read));
  freshness_fini(&f);
  buf_fini(&data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotas_are_those_of_the_general_reference),
      cmocka_unit_test(the_document_shows_the_quotas),
      cmocka_unit_test(prices_are_read_exactly),
      cmocka_unit_test(a_whole_list_is_taken),
      cmocka_unit_test(what_counts_and_what_is_refused),
      cmocka_unit_test(products_are_decoded),
      cmocka_unit_test(too_many_rates_are_refused),
      cmocka_unit_test(quotas_are_decoded),
      cmocka_unit_test(a_day_for_an_answer_an_hour_for_trouble),
      cmocka_unit_test(what_was_said_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
