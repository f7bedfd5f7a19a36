#include "model/price_list.h"

#include <string.h>
#include <strings.h>

#include "base/when.h"

#define GROUP_MAX   64 /* rates of one class: there is one, or two with a free tier */
#define OFF_FACTOR  10 /* how far from the expected a price may be */
#define HOME_REGION "us-east-1"

/* Rates of one class of price. */
struct group {
  const struct price_offer *items[GROUP_MAX];
  int64_t nano[GROUP_MAX];
  size_t count;
};

bool price_parse_usd(const char *text, int64_t *nano)
{
  int64_t value = 0;
  int scale = 9; /* power of ten that the digits read so far are to be multiplied with */
  bool point = false, digits = false, half = false, dropped = false;
  const char *p = text == NULL ? "" : text;
  for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    digits = true;
    if (value < INT64_C(100000000000000000)) { /* 17 digits are more than any price has */
      value = value * 10 + (*p - '0');
      scale -= point ? 1 : 0;
    } else if (!point) {
      return false;
    }
  }
  if (digits && (*p == 'e' || *p == 'E')) {
    bool minus = p[1] == '-';
    int exponent = 0;
    p += p[1] == '-' || p[1] == '+' ? 2 : 1;
    if (*p < '0' || *p > '9')
      return false;
    for (; *p >= '0' && *p <= '9'; p++)
      exponent = exponent < 1000 ? exponent * 10 + (*p - '0') : exponent;
    scale += minus ? -exponent : exponent;
  }
  if (!digits || *p != '\0')
    return false;
  for (; scale > 0 && value != 0; scale--) {
    if (value > INT64_MAX / 10)
      return false;
    value *= 10;
  }
  for (; scale < 0; scale++) {
    dropped = true;
    half = value % 10 >= 5;
    value /= 10;
    if (value == 0 && !half)
      break;
  }
  *nano = value + (dropped && half ? 1 : 0);
  return *nano < INT64_C(9000000000) * INT64_C(1000000000);
}

bool price_is_plausible(const char *region, enum price_item item, enum price_generation generation, int64_t nano)
{
  struct price expected = price_find(NULL, region, item, generation);
  if (!expected.known)
    expected = price_find(NULL, HOME_REGION, item, generation);
  return nano >= expected.nano_per_hour / OFF_FACTOR && nano <= expected.nano_per_hour * OFF_FACTOR;
}

static bool same_text(const char *a, const char *b)
{
  return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

static bool has_word(const char *text, const char *word)
{
  size_t len = strlen(word);
  for (const char *p = text; p != NULL && *p != '\0'; p++)
    if (strncasecmp(p, word, len) == 0)
      return true;
  return false;
}

static bool is_of_region(const struct price_offer *o, const char *region)
{
  return o->region != NULL && strcmp(o->region, region) == 0 &&
         (o->service == NULL || strcmp(o->service, "AWSGlue") == 0);
}

static const char *generation_word(enum price_generation g)
{
  return g == PRICE_GEN_2 ? "Glue 6.0" : "Glue up to 5.1";
}

/* Do rates of this class come from products that name job runs? Then those that name something else are other things. */
static bool group_names_runs(const struct group *g)
{
  for (size_t i = 0; i < g->count; i++)
    if (has_word(g->items[i]->operation, "jobrun"))
      return true;
  return false;
}

static struct err group_fill(struct group *g, const struct price_offer *offers, size_t count, const char *region,
                             int64_t now_ms, enum price_item item, enum price_generation generation,
                             const char **currency)
{
  g->count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct price_offer *o = &offers[i];
    enum price_item its = PRICE_STANDARD;
    enum price_generation second = PRICE_GEN_1;
    if (!is_of_region(o, region) || !price_item_of_usagetype(o->usagetype, &its, &second) || its != item ||
        second != generation || (o->effective_ms != WHEN_NONE && o->effective_ms > now_ms))
      continue;
    if (o->usd == NULL) {
      *currency = o->currency != NULL ? o->currency : "another currency";
      continue;
    }
    if (g->count == GROUP_MAX)
      return err_new(ERR_PARSE, "the price list has more than %d rates for %s, %s: nothing of it is used", GROUP_MAX,
                     price_item_word(item), generation_word(generation));
    if (!price_parse_usd(o->usd, &g->nano[g->count]))
      return err_new(ERR_PARSE, "the price list says \"%.40s\" where a price of %s, %s is due: nothing of it is used",
                     o->usd, price_item_word(item), generation_word(generation));
    if (o->unit != NULL && !has_word(o->unit, "hour") && !has_word(o->unit, "hrs"))
      return err_new(ERR_PARSE, "the price list counts %s, %s in \"%.40s\", not in hours: nothing of it is used",
                     price_item_word(item), generation_word(generation), o->unit);
    g->items[g->count++] = o;
  }
  return err_ok();
}

/* Another rate of the same product counts instead. */
static bool is_beaten(const struct group *g, size_t at, bool names_runs)
{
  const struct price_offer *o = g->items[at];
  if (names_runs && !has_word(o->operation, "jobrun"))
    return true;
  for (size_t i = 0; i < g->count; i++) {
    const struct price_offer *other = g->items[i];
    if (i == at || !same_text(other->sku, o->sku))
      continue;
    if (other->effective_ms > o->effective_ms)
      return true;
    if (other->effective_ms == o->effective_ms && g->nano[i] > 0 && (other->begins > o->begins || g->nano[at] == 0))
      return true;
  }
  return false;
}

static void row_fill(struct price_list_row *row, const struct price_offer *o)
{
  int64_t published = WHEN_NONE;
  size_t len = strlen(o->usagetype);
  if (len < sizeof row->usagetype &&
      strspn(o->usagetype, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") == len)
    memcpy(row->usagetype, o->usagetype, len + 1);
  if (o->published != NULL && when_parse_iso(o->published, &published)) {
    char text[WHEN_TEXT_MAX];
    when_format_iso(published, text);
    if (strlen(text) > 10 && text[10] == 'T') {
      memcpy(row->published, text, 10);
      row->published[10] = '\0';
    }
  }
}

static struct err group_choose(const struct group *g, const char *region, enum price_item item,
                               enum price_generation generation, struct price_list *out)
{
  struct price_list_row row = {.item = item, .generation = generation};
  bool found = false, names_runs = group_names_runs(g);
  for (size_t i = 0; i < g->count; i++) {
    if (is_beaten(g, i, names_runs))
      continue;
    if (found && g->nano[i] != row.nano_per_hour)
      return err_new(ERR_PARSE, "the price list has two prices for %s, %s in %s: nothing of it is used",
                     price_item_word(item), generation_word(generation), region);
    if (!price_is_plausible(region, item, generation, g->nano[i]))
      return err_new(ERR_PARSE,
                     "the price list says $%.20s an hour for %s, %s in %s, which cannot be: nothing of it is used",
                     g->items[i]->usd, price_item_word(item), generation_word(generation), region);
    if (!found)
      row_fill(&row, g->items[i]);
    row.nano_per_hour = g->nano[i];
    found = true;
  }
  if (found)
    out->rows[out->count++] = row;
  return err_ok();
}

struct err price_list_choose(const struct price_offer *offers, size_t count, const char *region, int64_t now_ms,
                             struct price_list *out)
{
  struct err e = err_ok();
  struct price_list list = {.count = 0};
  const char *currency = NULL;
  *out = (struct price_list){.count = 0};
  for (int item = 0; item < PRICE_ITEM_COUNT && !err_is(&e); item++) {
    for (int generation = 0; generation < PRICE_GENERATION_COUNT && !err_is(&e); generation++) {
      struct group g;
      e = group_fill(&g, offers, count, region, now_ms, (enum price_item)item, (enum price_generation)generation,
                     &currency);
      if (!err_is(&e))
        e = group_choose(&g, region, (enum price_item)item, (enum price_generation)generation, &list);
    }
  }
  if (!err_is(&e) && list.count == 0 && currency != NULL)
    e = err_new(ERR_PARSE, "the price list of %s is in %.20s, not in USD: it is not used", region, currency);
  else if (!err_is(&e) && list.count == 0)
    e = err_new(ERR_PARSE, "the price list has no price of job runs in %s", region);
  if (!err_is(&e))
    *out = list;
  return e;
}

void price_list_apply(const struct price_list *list, struct price_table *table, const char *region)
{
  price_table_drop_list(table, region);
  for (size_t i = 0; i < list->count; i++) {
    const struct price_list_row *row = &list->rows[i];
    price_table_set(table, region, row->item, row->generation, row->nano_per_hour, PRICE_FROM_LIST, row->usagetype,
                    row->published);
  }
}

void price_list_of_table(const struct price_table *table, const char *region, struct price_list *out)
{
  *out = (struct price_list){.count = 0};
  for (int item = 0; item < PRICE_ITEM_COUNT; item++) {
    for (int generation = 0; generation < PRICE_GENERATION_COUNT; generation++) {
      struct price p = price_table_listed(table, region, (enum price_item)item, (enum price_generation)generation);
      if (!p.known)
        continue;
      struct price_list_row *row = &out->rows[out->count++];
      row->item = (enum price_item)item;
      row->generation = (enum price_generation)generation;
      row->nano_per_hour = p.nano_per_hour;
      if (strlen(p.source) < sizeof row->usagetype)
        memcpy(row->usagetype, p.source, strlen(p.source) + 1);
      if (strlen(p.date) < sizeof row->published)
        memcpy(row->published, p.date, strlen(p.date) + 1);
    }
  }
}
