#include "model/price.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define CENTS(c) ((int64_t)(c)*INT64_C(10000000)) /* in nano-dollars */
#define MILLS(c) ((int64_t)(c)*INT64_C(1000000))  /* thousandths of a dollar */

static const char page[] = "AWS Glue price page, us-east-1";
static const char dump[] = "AWS price list, eu-west-1";
static const char bench[] = "table made from the AWS price list";
#define PAGE_DATE  "autumn 2026"
#define DUMP_DATE  "2026-01-08"
#define BENCH_DATE "about 2023"

#define HOME_REGION "us-east-1"

static const struct price_row built_in[] = {
    {HOME_REGION, PRICE_STANDARD, PRICE_GEN_1, CENTS(44), page, PAGE_DATE},
    {HOME_REGION, PRICE_STANDARD, PRICE_GEN_2, MILLS(308), page, PAGE_DATE},
    {HOME_REGION, PRICE_FLEX, PRICE_GEN_1, CENTS(29), page, PAGE_DATE},
    {HOME_REGION, PRICE_FLEX, PRICE_GEN_2, MILLS(203), page, PAGE_DATE},
    {HOME_REGION, PRICE_MEMORY, PRICE_GEN_1, CENTS(52), page, PAGE_DATE},
    {HOME_REGION, PRICE_MEMORY, PRICE_GEN_2, MILLS(364), page, PAGE_DATE},
    {"eu-west-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), dump, DUMP_DATE},
    {"eu-west-1", PRICE_FLEX, PRICE_GEN_1, CENTS(29), dump, DUMP_DATE},
    {"eu-west-1", PRICE_MEMORY, PRICE_GEN_1, CENTS(52), dump, DUMP_DATE},
    {"us-east-2", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"us-west-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"us-west-2", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"us-gov-east-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"us-gov-west-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ca-central-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"eu-central-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"eu-north-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"eu-west-2", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"eu-west-3", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-east-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-northeast-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-northeast-2", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-northeast-3", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-south-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-southeast-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-southeast-2", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"ap-southeast-3", PRICE_STANDARD, PRICE_GEN_1, CENTS(44), bench, BENCH_DATE},
    {"eu-south-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(52), bench, BENCH_DATE},
    {"af-south-1", PRICE_STANDARD, PRICE_GEN_1, MILLS(524), bench, BENCH_DATE},
    {"me-south-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(59), bench, BENCH_DATE},
    {"sa-east-1", PRICE_STANDARD, PRICE_GEN_1, CENTS(69), bench, BENCH_DATE},
};

/* What us-east-1 shows: Flex is 29/44 of standard, memory-optimised 52/44, generation 2 seven tenths. */
#define STANDARD_PARTS 44
#define FLEX_PARTS     29
#define MEMORY_PARTS   52
#define GEN_2_TENTHS   7

struct entry {
  char *region;
  enum price_item item;
  enum price_generation generation;
  int64_t nano_per_hour;
  enum price_origin origin;
  char *source, *date;
};

struct price_table {
  struct entry *entries;
  size_t count, cap;
  uint64_t generation;
};

struct price_table *price_table_new(void)
{
  return xcalloc(1, sizeof(struct price_table));
}

static void entry_fini(struct entry *e)
{
  free(e->region);
  free(e->source);
  free(e->date);
}

void price_table_free(struct price_table *t)
{
  if (t == NULL)
    return;
  for (size_t i = 0; i < t->count; i++)
    entry_fini(&t->entries[i]);
  free(t->entries);
  free(t);
}

static const struct entry *entry_find(const struct price_table *t, const char *region, enum price_item item,
                                      enum price_generation generation, enum price_origin origin)
{
  for (size_t i = 0; t != NULL && i < t->count; i++) {
    const struct entry *e = &t->entries[i];
    if (e->item == item && e->generation == generation && e->origin == origin && strcmp(e->region, region) == 0)
      return e;
  }
  return NULL;
}

void price_table_set(struct price_table *t, const char *region, enum price_item item, enum price_generation generation,
                     int64_t nano_per_hour, enum price_origin origin, const char *source, const char *date)
{
  struct entry *e = NULL;
  const struct entry *known = entry_find(t, region == NULL ? "" : region, item, generation, origin);
  if (known != NULL) {
    e = &t->entries[known - t->entries];
    free(e->source);
    free(e->date);
  } else {
    t->entries = xgrow(t->entries, &t->cap, t->count + 1, sizeof *t->entries);
    e = &t->entries[t->count++];
    *e = (struct entry){
        .region = xstrdup(region == NULL ? "" : region), .item = item, .generation = generation, .origin = origin};
  }
  e->nano_per_hour = nano_per_hour;
  e->source = xstrdup(source == NULL ? "" : source);
  e->date = xstrdup(date == NULL ? "" : date);
  t->generation++;
}

void price_table_drop_list(struct price_table *t, const char *region)
{
  size_t kept = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (t->entries[i].origin == PRICE_FROM_LIST && strcmp(t->entries[i].region, region) == 0)
      entry_fini(&t->entries[i]);
    else
      t->entries[kept++] = t->entries[i];
  }
  if (kept < t->count)
    t->generation++;
  t->count = kept;
}

uint64_t price_table_generation(const struct price_table *t)
{
  return t == NULL ? 0 : t->generation;
}

static struct price entry_price(const struct entry *e)
{
  return (struct price){
      .known = true, .nano_per_hour = e->nano_per_hour, .origin = e->origin, .source = e->source, .date = e->date};
}

struct price price_table_listed(const struct price_table *t, const char *region, enum price_item item,
                                enum price_generation generation)
{
  const struct entry *e = entry_find(t, region, item, generation, PRICE_FROM_LIST);
  return e != NULL ? entry_price(e) : (struct price){.known = false, .source = "", .date = ""};
}

/* What somebody said in so many words, a person before the service before this program. */
static struct price find_exact(const struct price_table *t, const char *region, enum price_item item,
                               enum price_generation generation)
{
  const struct entry *e = entry_find(t, region, item, generation, PRICE_OVERRIDE);
  if (e == NULL)
    e = entry_find(t, "", item, generation, PRICE_OVERRIDE);
  if (e == NULL)
    e = entry_find(t, region, item, generation, PRICE_FROM_LIST);
  if (e != NULL)
    return entry_price(e);
  for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
    const struct price_row *row = &built_in[i];
    if (row->item == item && row->generation == generation && strcmp(row->region, region) == 0)
      return (struct price){.known = true,
                            .nano_per_hour = row->nano_per_hour,
                            .origin = PRICE_BUILT_IN,
                            .source = row->source,
                            .date = row->date};
  }
  return (struct price){.known = false, .source = "", .date = ""};
}

static void apply_ratio(struct price *p, int64_t parts, int64_t of)
{
  p->nano_per_hour = (p->nano_per_hour * parts + of / 2) / of;
  p->estimated = true;
  if (p->origin == PRICE_BUILT_IN)
    p->origin = PRICE_BY_RATIO;
}

/* Billed in a currency or at a price that is not published in USD. */
static bool has_no_usd_price(const char *region)
{
  return strncmp(region, "cn-", 3) == 0 || strstr(region, "-iso") != NULL;
}

struct price price_find(const struct price_table *t, const char *region, enum price_item item,
                        enum price_generation generation)
{
  struct price p;
  if (region == NULL)
    region = "";
  if (item == PRICE_PYTHON || item == PRICE_RAY)
    generation = PRICE_GEN_1;
  p = find_exact(t, region, item, generation);
  if (p.known)
    return p;
  p = find_exact(t, region, PRICE_STANDARD, PRICE_GEN_1);
  if (!p.known && !has_no_usd_price(region)) {
    p = find_exact(t, HOME_REGION, item, generation);
    p.estimated = true;
    if (p.known)
      return p;
    p = find_exact(t, HOME_REGION, PRICE_STANDARD, PRICE_GEN_1);
    p.estimated = true;
  }
  if (!p.known)
    return p;
  switch (item) {
  case PRICE_FLEX:
    apply_ratio(&p, FLEX_PARTS, STANDARD_PARTS);
    break;
  case PRICE_MEMORY:
    apply_ratio(&p, MEMORY_PARTS, STANDARD_PARTS);
    break;
  case PRICE_RAY:
    p.estimated = true;
    break;
  case PRICE_STANDARD:
  case PRICE_PYTHON:
  case PRICE_ITEM_COUNT:
    break;
  }
  if (generation == PRICE_GEN_2)
    apply_ratio(&p, GEN_2_TENTHS, 10);
  return p;
}

bool price_generation_of(const char *glue_version, enum price_generation *generation)
{
  char *end = NULL;
  long major = glue_version == NULL ? 0 : strtol(glue_version, &end, 10);
  *generation = PRICE_GEN_1;
  if (glue_version == NULL || end == glue_version || (*end != '.' && *end != '\0') || major < 0)
    return false;
  if (major >= 6)
    *generation = PRICE_GEN_2;
  return major <= 6;
}

static const char *const item_words[PRICE_ITEM_COUNT] = {"standard", "flex", "memory", "python", "ray"};

const char *price_item_word(enum price_item item)
{
  return item < PRICE_ITEM_COUNT ? item_words[item] : "";
}

bool price_item_parse(const char *word, enum price_item *item)
{
  for (size_t i = 0; word != NULL && i < PRICE_ITEM_COUNT; i++) {
    if (strcmp(word, item_words[i]) == 0) {
      *item = (enum price_item)i;
      return true;
    }
  }
  return false;
}

bool price_item_of_usagetype(const char *usagetype, enum price_item *item, enum price_generation *generation)
{
  static const struct {
    const char *suffix;
    enum price_item item;
  } kinds[] = {
      {"ETL-DPU-Hour", PRICE_STANDARD}, {"ETL-Flex-DPU-Hour", PRICE_FLEX}, {"ETL-MemOptimized-DPU-Hour", PRICE_MEMORY}};
  static const char gen_2[] = "-Gen2";
  size_t len = usagetype == NULL ? 0 : strlen(usagetype), gen_len = sizeof gen_2 - 1;
  bool second = len > gen_len && strcmp(usagetype + len - gen_len, gen_2) == 0;
  if (second)
    len -= gen_len;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    size_t n = strlen(kinds[i].suffix);
    /* the prefix is a Region's code and a dash, or nothing: "GlueX-ETL-…" and "DevEndpointETL-…" are other things */
    if (len < n || strncmp(usagetype + len - n, kinds[i].suffix, n) != 0)
      continue;
    if (len > n && (usagetype[len - n - 1] != '-' || memchr(usagetype, '-', len - n - 1) != NULL))
      continue;
    *item = kinds[i].item;
    *generation = second ? PRICE_GEN_2 : PRICE_GEN_1;
    return true;
  }
  return false;
}

const struct price_row *price_built_in(size_t i)
{
  return i < sizeof built_in / sizeof built_in[0] ? &built_in[i] : NULL;
}
