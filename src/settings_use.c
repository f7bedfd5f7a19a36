/* What the config file means: into options and prices. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/price.h"
#include "options.h"

void settings_fill_options(const struct settings *s, struct options *o)
{
  if (o->refresh_seconds < 0) {
    o->refresh_seconds = settings_number(s, "", NULL, "refresh", -1);
  }
  o->theme = o->theme ? o->theme : settings_get(s, "", NULL, "theme");
  o->view = o->view ? o->view : settings_get(s, "", NULL, "view");
  o->cache = o->cache ? o->cache : settings_get(s, "", NULL, "store");
  o->ascii = o->ascii || settings_bool(s, "", NULL, "ascii", false);
  if (settings_bool(s, "", NULL, "read_only", false)) {
    o->read_only = o->request.read_only = true;
  }
  if (settings_bool(s, "", NULL, "utc", false)) {
    o->request.zone = WHEN_UTC;
  }
}

/* "standard", or "standard_gen2" for Glue 6.0. */
static bool price_key(const char *key, enum price_item *item, enum price_generation *generation)
{
  static const char second[] = "_gen2";
  size_t len = strlen(key);
  bool gen2 = len > sizeof second - 1 && strcmp(key + len - (sizeof second - 1), second) == 0;
  char *word = xstrndup(key, gen2 ? len - (sizeof second - 1) : len);
  bool good = price_item_parse(word, item);
  *generation = gen2 ? PRICE_GEN_2 : PRICE_GEN_1;
  free(word);
  return good;
}

void settings_fill_prices(const struct settings *s, struct price_table *prices)
{
  for (size_t i = 0; i < s->count; i++) {
    const struct setting *x = &s->items[i];
    enum price_item item = PRICE_STANDARD;
    enum price_generation generation = PRICE_GEN_1;
    if (strcmp(x->section, "price") == 0 && price_key(x->key, &item, &generation)) {
      double usd = settings_number(s, "price", x->name, x->key, 0);
      price_table_set(prices, x->name, item, generation, (int64_t)(usd * 1e9 + 0.5), PRICE_OVERRIDE, s->path, "");
    }
  }
}
