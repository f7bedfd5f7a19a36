/* What the config file means: into options, prices and measures. */
#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/xalloc.h"
#include "model/price.h"
#include "options.h"
#include "report/boards.h"

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

size_t settings_contexts(const struct settings *s, struct app_context_option **out, bool **open_by_itself)
{
  size_t count = 0;
  while (settings_section(s, "context", count)) {
    count++;
  }
  *out = xcalloc(count + 1, sizeof **out);
  *open_by_itself = xcalloc(count + 1, sizeof **open_by_itself);
  for (size_t i = 0; i < count; i++) {
    const char *name = settings_section(s, "context", i);
    const char *colour = settings_get(s, "context", name, "colour");
    struct app_context_option *o = &(*out)[i];
    *o = (struct app_context_option){.name = name,
                                     .profile = settings_get(s, "context", name, "profile"),
                                     .region = settings_get(s, "context", name, "region"),
                                     .endpoint_url = settings_get(s, "context", name, "endpoint_url"),
                                     .read_only = settings_bool(s, "context", name, "read_only", false)};
    colour = colour ? colour : settings_get(s, "context", name, "color");
    if (colour) {
      context_colour_parse(colour, &o->colour);
    }
    (*open_by_itself)[i] = settings_bool(s, "context", name, "open", false);
  }
  return count;
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

bool settings_is_price(const char *key)
{
  enum price_item item = PRICE_STANDARD;
  enum price_generation generation = PRICE_GEN_1;
  return price_key(key, &item, &generation);
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

static int64_t nano_or_none(double usd)
{
  return usd > 0 && usd < 9e9 ? (int64_t)(usd * 1e9 + 0.5) : -1;
}

/* From a handful to what a history holds; anything else is the default. */
static size_t usual_runs(double value)
{
  return value >= 1 && value <= STATS_RUNS_MOST ? (size_t)value : 0;
}

void settings_fill_measures(const struct settings *s, struct board_measures *out)
{
  size_t quotas = 0, tags = 0;
  while (settings_section(s, "quota", quotas)) {
    quotas++;
  }
  while (settings_section(s, "tag", tags)) {
    tags++;
  }
  struct board_quota *quota = xcalloc(quotas + 1, sizeof *quota);
  struct board_tag *tag = xcalloc(tags + 1, sizeof *tag);
  for (size_t i = 0; i < quotas; i++) {
    const char *region = settings_section(s, "quota", i);
    quota[i] = (struct board_quota){.region = region};
    for (int kind = 0; kind < QUOTA_KIND_COUNT; kind++) {
      const char *word = quota_info((enum quota_kind)kind)->word;
      quota[i].values[kind] = settings_number(s, "quota", region, word, (double)NAN);
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < tags; i++) {
    const char *name = settings_section(s, "tag", i), *jobs = settings_get(s, "tag", name, "jobs");
    if (jobs) {
      tag[kept++] = (struct board_tag){.name = name, .jobs = jobs};
    }
  }
  *out = (struct board_measures){
      .quotas = quota,
      .quota_count = quotas,
      .tags = tag,
      .tag_count = kept,
      .usual_runs = usual_runs(settings_number(s, "", NULL, "usual_runs", 0)),
      .budget_month_nano = nano_or_none(settings_number(s, "", NULL, "budget_usd_month", -1)),
      .budget_day_nano = nano_or_none(settings_number(s, "", NULL, "budget_usd_day", -1)),
  };
}

void settings_free_measures(struct board_measures *m)
{
  free((void *)(uintptr_t)m->quotas); /* NOLINT(performance-no-int-to-ptr): const only for those who read */
  free((void *)(uintptr_t)m->tags);   /* NOLINT(performance-no-int-to-ptr) */
  *m = (struct board_measures){.quotas = NULL};
}
