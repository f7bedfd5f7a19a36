/* gluetop's own config file ($XDG_CONFIG_HOME/gluetop/config, else ~/.config/gluetop/config, or --config FILE): INI, read with inih.
 *
 * Everything that may stand there is in one table (settings.c), which the reader checks and the manual page follows. A key that is not in the
 * table or a value that cannot be used is a fault with file and line; the rest of the file holds. */
#ifndef GLUETOP_SETTINGS_H
#define GLUETOP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct setting {
  char *section; /* "" at the top, "context", "price", "tag", "keys", "quota", "notify" */
  char *name;    /* of the section: "PROD" in [context PROD]; "" when it has none */
  char *key;
  char *value;
  int line;
};

struct settings {
  struct setting *items;
  size_t count, cap;
  char **faults; /* "~/.config/gluetop/config:12: …" */
  size_t fault_count;
  char *path; /* of the file read; NULL: there was none */
};

/* path NULL: the usual place, where a missing file is no error. */
struct err settings_load(const char *path, struct settings *out) ERR_MUST_CHECK;
/* Leave out, with a fault, what the screen and the tables do not know: themes, views, actions, keys, classes of prices. */
void settings_check(struct settings *s);
void settings_fault(struct settings *s, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool settings_is_price(const char *key); /* "standard", "flex_gen2" … */
void settings_fini(struct settings *s);
/* The last one given; NULL when absent. name NULL or "": a section without a name. */
const char *settings_get(const struct settings *s, const char *section, const char *name, const char *key);
double settings_number(const struct settings *s, const char *section, const char *name, const char *key,
                       double otherwise);
bool settings_bool(const struct settings *s, const char *section, const char *name, const char *key, bool otherwise);
/* Names of the sections of a kind, in the file's order; index from 0; NULL behind the last. */
const char *settings_section(const struct settings *s, const char *section, size_t index);

struct options;
struct price_table;
/* Where the command line is silent, the file speaks. Strings of the options then point into the settings. */
void settings_fill_options(const struct settings *s, struct options *o);
/* The contexts that the file describes ([context NAME]); *open_by_itself (one flag each) tells which are opened when the command line names
 * none. The strings point into the settings; the caller frees both arrays. Returns how many. */
struct app_context_option;
size_t settings_contexts(const struct settings *s, struct app_context_option **out, bool **open_by_itself);
/* [price REGION] entries, before everything else that the table knows. */
void settings_fill_prices(const struct settings *s, struct price_table *prices);
/* Budgets, [quota REGION] and [tag NAME]. Its strings point into the settings; free its two arrays with settings_free_measures. */
struct board_measures;
void settings_fill_measures(const struct settings *s, struct board_measures *out);
void settings_free_measures(struct board_measures *m);

#endif
