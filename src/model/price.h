/* The one price table: USD per DPU-hour (M-DPU-hour for memory-optimised workers), per Region, with its date and where it is from.
 *
 * Built in is what was published for us-east-1 (autumn 2026) and eu-west-1 (price list of 2026-01-08), and the base price of other
 * Regions. Where a Region's Flex, memory-optimised or Glue 6.0 price is not known it is made from the Region's base with the ratios of
 * us-east-1 and is `estimated`. A Region that is not in the table at all is taken at us-east-1's prices, estimated; China and the isolated
 * Regions have no known price in USD. Entries of a person (override) come before those of the Price List API, and these before the
 * built-in ones. doc/pricing.md shows the table; a test compares the two. */
#ifndef GLUETOP_MODEL_PRICE_H
#define GLUETOP_MODEL_PRICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum price_item {
  PRICE_STANDARD, /* Spark and streaming, execution class STANDARD */
  PRICE_FLEX,
  PRICE_MEMORY, /* R workers */
  PRICE_PYTHON, /* Python shell: the Region's standard price of generation 1, unless an entry says otherwise */
  PRICE_RAY,    /* Z.2X: the same, estimated */
  PRICE_ITEM_COUNT
};

/* Glue 6.0 is billed at another rate than what came before it. Python shell and Ray know only the first. */
enum price_generation {
  PRICE_GEN_1, /* Glue up to 5.1 */
  PRICE_GEN_2, /* Glue 6.0 and later */
  PRICE_GENERATION_COUNT
};

enum price_origin { PRICE_BUILT_IN, PRICE_BY_RATIO, PRICE_FROM_LIST, PRICE_OVERRIDE };

struct price {
  bool known;
  bool estimated;        /* made from another price, or of a Region that we do not know */
  int64_t nano_per_hour; /* nano-dollars per DPU-hour */
  enum price_origin origin;
  const char *source; /* "AWS price page, us-east-1"; of the Price List its usagetype; valid until the table changes */
  const char *date;   /* "2026-01-08", "autumn 2026" */
};

struct price_table;
struct price_table *price_table_new(void);
void price_table_free(struct price_table *t);
/* Set a price. region "" or NULL: of every Region. origin is PRICE_FROM_LIST or PRICE_OVERRIDE; texts are copied. The same entry
 * again replaces it. */
void price_table_set(struct price_table *t, const char *region, enum price_item item, enum price_generation generation,
                     int64_t nano_per_hour, enum price_origin origin, const char *source, const char *date);
/* Forget what the Price List API said of a Region. */
void price_table_drop_list(struct price_table *t, const char *region);
/* What it said of one price; not known: nothing. */
struct price price_table_listed(const struct price_table *t, const char *region, enum price_item item,
                                enum price_generation generation);
/* Grows with every change: what was counted with the prices of before is to be counted again. 0 for NULL. */
uint64_t price_table_generation(const struct price_table *t);
/* t may be NULL: the built-in table alone. */
struct price price_find(const struct price_table *t, const char *region, enum price_item item,
                        enum price_generation generation);

/* Generation of a GlueVersion. False: NULL, "auto" or no number, which counts as generation 1 (the dearer); later versions than any
 * known count as generation 2 with false. */
bool price_generation_of(const char *glue_version, enum price_generation *generation);

/* The words of the override file and of the price view: "standard", "flex", "memory", "python", "ray". */
const char *price_item_word(enum price_item item);
bool price_item_parse(const char *word, enum price_item *item);
/* The Price List API's usagetype ("EU-ETL-DPU-Hour-Gen2"), matched at its end. False: not a price of job runs. */
bool price_item_of_usagetype(const char *usagetype, enum price_item *item, enum price_generation *generation);

/* The built-in rows, for the price view and the manual; NULL behind the last. */
struct price_row {
  const char *region;
  enum price_item item;
  enum price_generation generation;
  int64_t nano_per_hour;
  const char *source;
  const char *date;
};
const struct price_row *price_built_in(size_t i);

#endif
