#include "settings.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "model/model.h"
#include "model/stats.h"

enum form { FORM_TEXT, FORM_NUMBER, FORM_COUNT, FORM_BOOL, FORM_COLOUR };

/* Everything that may stand in the file. Key NULL: any key (names of actions, worker classes). */
static const struct {
  const char *section, *key;
  enum form form;
  int most; /* of a count */
} known[] = {
    {"", "refresh", FORM_NUMBER, 0},
    {"", "max_requests_per_second", FORM_NUMBER, 0},
    {"", "connections", FORM_COUNT, 100},
    {"", "usual_runs", FORM_COUNT, STATS_RUNS_MOST},
    {"", "budget_usd_month", FORM_NUMBER, 0},
    {"", "budget_usd_day", FORM_NUMBER, 0},
    {"", "theme", FORM_TEXT, 0},
    {"", "ascii", FORM_BOOL, 0},
    {"", "utc", FORM_BOOL, 0},
    {"", "read_only", FORM_BOOL, 0},
    {"", "price_list", FORM_BOOL, 0},
    {"", "service_quotas", FORM_BOOL, 0},
    {"", "store", FORM_TEXT, 0},
    {"", "view", FORM_TEXT, 0},
    {"context", "profile", FORM_TEXT, 0},
    {"context", "region", FORM_TEXT, 0},
    {"context", "colour", FORM_COLOUR, 0},
    {"context", "color", FORM_COLOUR, 0},
    {"context", "read_only", FORM_BOOL, 0},
    {"context", "endpoint_url", FORM_TEXT, 0},
    {"context", "open", FORM_BOOL, 0},
    {"price", NULL, FORM_NUMBER, 0},
    {"quota", NULL, FORM_NUMBER, 0},
    {"tag", "jobs", FORM_TEXT, 0},
    {"keys", NULL, FORM_TEXT, 0},
    {"notify", "bell", FORM_BOOL, 0},
    {"notify", "osc", FORM_NUMBER, 0},
    {"notify", "command", FORM_TEXT, 0},
};
enum { KNOWN = sizeof known / sizeof known[0] };

void settings_fault(struct settings *s, int line, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = xvasprintf(format, args);
  va_end(args);
  char *whole = xasprintf("%s:%d: %s", s->path, line, text);
  s->faults = xreallocarray(s->faults, s->fault_count + 1, sizeof *s->faults);
  s->faults[s->fault_count++] = text_clean_dup(whole, TEXT_LINE);
  free(whole);
  free(text);
}

static bool parse_bool(const char *text, bool *out)
{
  static const struct {
    const char *word;
    bool value;
  } words[] = {{"yes", true}, {"true", true},   {"on", true},   {"1", true},
               {"no", false}, {"false", false}, {"off", false}, {"0", false}};
  bool good = false;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(words[i].word, text) == 0) {
      *out = words[i].value;
      good = true;
    }
  }
  return good;
}

static bool parse_number(const char *text, double *out)
{
  char *end = NULL;
  errno = 0;
  *out = strtod(text, &end);
  return errno == 0 && end != text && *end == '\0' && *out >= 0 && *out < 1e15;
}

static bool value_fits(enum form form, int most, const char *value)
{
  bool good = true, b = false;
  double d = 0;
  int colour = 0;
  switch (form) {
  case FORM_NUMBER:
    good = parse_number(value, &d);
    break;
  case FORM_COUNT:
    good = parse_number(value, &d) && d >= 1 && d <= most && d == (double)(int)d;
    break;
  case FORM_BOOL:
    good = parse_bool(value, &b);
    break;
  case FORM_COLOUR:
    good = context_colour_parse(value, &colour);
    break;
  case FORM_TEXT:
    break;
  }
  return good;
}

/* Debian's inih does not tell its call-back the line, so the lines are counted where they are read. */
struct reading {
  struct settings *settings;
  FILE *file;
  int line;
};

static char *next_line(char *text, int size, void *stream)
{
  struct reading *r = stream;
  char *got = fgets(text, size, r->file);
  r->line += got != NULL;
  return got;
}

/* inih's call-back. Returning 0 would be a syntax error: faults are kept by ourselves, in words. */
static int on_pair(void *user, const char *section, const char *key, const char *value)
{
  const struct reading *r = user;
  struct settings *s = r->settings;
  int line = r->line;
  size_t word = strcspn(section, " \t");
  char *kind = xstrndup(section, word);
  char *name = xstrdup(section + word + strspn(section + word, " \t"));
  bool section_known = false, key_known = false, fits = true;
  for (int i = 0; i < KNOWN; i++) {
    if (strcmp(known[i].section, kind) == 0) {
      section_known = true;
      if (!key_known && (!known[i].key || strcmp(known[i].key, key) == 0)) {
        key_known = true;
        fits = value_fits(known[i].form, known[i].most, value);
      }
    }
  }
  if (!section_known) {
    settings_fault(s, line, "there is no section [%s]", section);
  } else if (!key_known) {
    settings_fault(s, line, "'%s' means nothing %s%s", key, *kind ? "in section " : "here", kind);
  } else if (!fits) {
    settings_fault(s, line, "'%s' is no value for %s", value, key);
  } else {
    s->items = xgrow(s->items, &s->cap, s->count + 1, sizeof *s->items);
    s->items[s->count++] = (struct setting){
        .section = xstrdup(kind), .name = xstrdup(name), .key = xstrdup(key), .value = xstrdup(value), .line = line};
  }
  free(kind);
  free(name);
  return 1;
}

static char *usual_path(void)
{
  const char *config = getenv("XDG_CONFIG_HOME");
  const char *home = getenv("HOME");
  char *path = NULL;
  if (config && *config) {
    path = xasprintf("%s/gluetop/config", config);
  } else if (home && *home) {
    path = xasprintf("%s/.config/gluetop/config", home);
  }
  return path;
}

struct err settings_load(const char *path, struct settings *out)
{
  *out = (struct settings){.path = path ? xstrdup(path) : usual_path()};
  struct err e = err_ok();
  FILE *f = out->path ? fopen(out->path, "r") : NULL;
  if (!f && (path || (out->path && errno != ENOENT && errno != ENOTDIR))) {
    e = err_errno(ERR_CONFIG, "cannot read the config file %s", out->path);
  } else if (f) {
    struct reading r = {.settings = out, .file = f};
    int line = ini_parse_stream(next_line, &r, on_pair, &r);
    if (line > 0) {
      settings_fault(out, line, "a line that is neither [section] nor key = value");
    }
  }
  if (f) {
    fclose(f);
  } else {
    free(out->path);
    out->path = NULL;
  }
  return e;
}

void settings_fini(struct settings *s)
{
  for (size_t i = 0; i < s->count; i++) {
    free(s->items[i].section);
    free(s->items[i].name);
    free(s->items[i].key);
    free(s->items[i].value);
  }
  for (size_t i = 0; i < s->fault_count; i++) {
    free(s->faults[i]);
  }
  free(s->items);
  free(s->faults);
  free(s->path);
  *s = (struct settings){0};
}

const char *settings_get(const struct settings *s, const char *section, const char *name, const char *key)
{
  const char *found = NULL;
  for (size_t i = 0; i < s->count; i++) {
    const struct setting *x = &s->items[i];
    if (strcmp(x->section, section) == 0 && strcmp(x->name, name ? name : "") == 0 && strcmp(x->key, key) == 0) {
      found = x->value;
    }
  }
  return found;
}

double settings_number(const struct settings *s, const char *section, const char *name, const char *key,
                       double otherwise)
{
  const char *text = settings_get(s, section, name, key);
  double d = otherwise;
  return text && parse_number(text, &d) ? d : otherwise;
}

bool settings_bool(const struct settings *s, const char *section, const char *name, const char *key, bool otherwise)
{
  const char *text = settings_get(s, section, name, key);
  bool b = otherwise;
  return text && parse_bool(text, &b) ? b : otherwise;
}

const char *settings_section(const struct settings *s, const char *section, size_t index)
{
  const char *found = NULL;
  size_t seen = 0;
  for (size_t i = 0; i < s->count && !found; i++) {
    bool first = strcmp(s->items[i].section, section) == 0;
    for (size_t k = 0; k < i && first; k++) {
      /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every item has a section */
      first = !(strcmp(s->items[k].section, section) == 0 && strcmp(s->items[k].name, s->items[i].name) == 0);
    }
    if (first && seen++ == index) {
      found = s->items[i].name;
    }
  }
  return found;
}
