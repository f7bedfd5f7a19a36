#include "aws/config_parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"
#include "base/xalloc.h"

/* A file of another kind (a picture, say) has a fault on every line: nobody reads further than this. */
#define CONFIG_FAULTS_MAX 50

struct span {
  const char *at;
  size_t len;
};

struct parser {
  enum aws_config_file file;
  const char *shown;
  int line;
  struct config_sections *sections;
  struct config_faults *faults;
  struct config_section *section; /* NULL: before the first header, or below one that cannot be used */
  bool told_homeless;             /* one fault for all lines that belong to no section */
  bool skipping;                  /* below an unusable header, which was told already */
  size_t key;                     /* index of the key that an indented line goes on with, */
  bool has_key;                   /* when there is one */
  bool key_is_empty;              /* it had no value: what follows is nested */
  size_t key_indent;
};

void config_fault_add(struct config_faults *faults, const char *shown, int line, const char *format, ...)
{
  if (faults->count > CONFIG_FAULTS_MAX)
    return;
  faults->items = xgrow(faults->items, &faults->cap, faults->count + 1, sizeof *faults->items);
  if (faults->count == CONFIG_FAULTS_MAX) {
    faults->items[faults->count++] = xasprintf("%s: more faults, not listed", shown);
    return;
  }
  va_list args;
  va_start(args, format);
  char *what = xvasprintf(format, args);
  va_end(args);
  char *whole = line > 0 ? xasprintf("%s:%d: %s", shown, line, what) : xasprintf("%s: %s", shown, what);
  faults->items[faults->count++] = text_clean_dup(whole, TEXT_LINE);
  free(whole);
  free(what);
}

/* Bytes of the blank at the start (or, looking back, at the end) of a span: ASCII blanks, and the no-break space and the byte order mark
 * that come along when people copy from a web page. */
static size_t blank_at_start(struct span s)
{
  if (s.len >= 1 && (s.at[0] == ' ' || s.at[0] == '\t' || s.at[0] == '\r' || s.at[0] == '\v' || s.at[0] == '\f'))
    return 1;
  if (s.len >= 2 && memcmp(s.at, "\xc2\xa0", 2) == 0)
    return 2;
  if (s.len >= 3 && memcmp(s.at, "\xef\xbb\xbf", 3) == 0)
    return 3;
  return 0;
}

static size_t blank_at_end(struct span s)
{
  static const size_t sizes[] = {1, 2, 3};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (s.len < sizes[i])
      break;
    struct span tail = {s.at + s.len - sizes[i], sizes[i]};
    if (blank_at_start(tail) == sizes[i])
      return sizes[i];
  }
  return 0;
}

static struct span trim(struct span s)
{
  size_t n;
  while ((n = blank_at_start(s)) > 0) {
    s.at += n;
    s.len -= n;
  }
  while ((n = blank_at_end(s)) > 0)
    s.len -= n;
  return s;
}

static bool is_comment(struct span s)
{
  return s.len > 0 && (s.at[0] == '#' || s.at[0] == ';');
}

static char *lower_dup(struct span s)
{
  char *out = xstrndup(s.at, s.len);
  for (char *p = out; *p != '\0'; p++)
    *p = (char)tolower((unsigned char)*p);
  return out;
}

/* In keys, tokens and commands a '#' behind a blank may be part of the value; elsewhere it begins a comment. */
static bool may_hold_hash(const char *key)
{
  static const char *const words[] = {"key", "token", "secret", "password", "process", "command"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strstr(key, words[i]) != NULL)
      return true;
  }
  return false;
}

static struct span cut_comment(struct span value)
{
  for (size_t i = 0; i < value.len; i++) {
    bool after_blank = i == 0 || value.at[i - 1] == ' ' || value.at[i - 1] == '\t';
    if (after_blank && (value.at[i] == '#' || value.at[i] == ';'))
      return trim((struct span){value.at, i});
  }
  return value;
}

static struct config_section *section_find(struct parser *p, enum config_section_kind kind, const char *name,
                                           bool plain_default)
{
  for (size_t i = 0; i < p->sections->count; i++) {
    struct config_section *s = &p->sections->items[i];
    if (s->file == p->file && s->kind == kind && s->plain_default == plain_default && strcmp(s->name, name) == 0)
      return s;
  }
  return NULL;
}

static void section_open(struct parser *p, enum config_section_kind kind, char *take_name, bool plain_default)
{
  struct config_section *s = section_find(p, kind, take_name, plain_default);
  if (s != NULL) {
    config_fault_add(p->faults, p->shown, p->line,
                     "section [%s] stands at line %d already; both are used, later keys win", take_name, s->line);
    free(take_name);
  } else {
    struct config_sections *all = p->sections;
    all->items = xgrow(all->items, &all->cap, all->count + 1, sizeof *all->items);
    s = &all->items[all->count++];
    *s = (struct config_section){
        .kind = kind, .file = p->file, .name = take_name, .line = p->line, .plain_default = plain_default};
  }
  p->section = s;
  p->skipping = false;
}

static void section_refuse(struct parser *p)
{
  /* Its keys must not fall to the section before. */
  p->section = NULL;
  p->skipping = true;
}

/* "my dev" or 'my dev' without its quotes (a backslash in double quotes keeps the next letter); other names as they are. */
static char *name_dup(struct parser *p, struct span s)
{
  if (s.len == 0)
    return NULL;
  char quote = s.at[0];
  if (quote != '"' && quote != '\'') {
    if (memchr(s.at, ' ', s.len) != NULL || memchr(s.at, '\t', s.len) != NULL)
      config_fault_add(p->faults, p->shown, p->line,
                       "a name with blanks needs quotes, or other tools do not see the section");
    return xstrndup(s.at, s.len);
  }
  char *out = xmalloc(s.len);
  size_t n = 0;
  size_t i = 1;
  for (; i < s.len && s.at[i] != quote; i++) {
    if (quote == '"' && s.at[i] == '\\' && i + 1 < s.len)
      i++;
    out[n++] = s.at[i];
  }
  out[n] = '\0';
  if (n == 0 || i + 1 != s.len) {
    free(out);
    return NULL;
  }
  return out;
}

/* The closing bracket: the first one outside of quotes, or else the first one at all. */
static size_t header_end(struct span s)
{
  char quote = 0;
  for (size_t i = 1; i < s.len; i++) {
    if (quote != 0) {
      if (s.at[i] == '\\' && quote == '"')
        i++;
      else if (s.at[i] == quote)
        quote = 0;
    } else if (s.at[i] == ']') {
      return i;
    } else if (s.at[i] == '"' || s.at[i] == '\'') {
      quote = s.at[i];
    }
  }
  const char *close = memchr(s.at, ']', s.len);
  return close != NULL ? (size_t)(close - s.at) : 0;
}

static bool span_is(struct span s, const char *word)
{
  return s.len == strlen(word) && strncasecmp(s.at, word, s.len) == 0;
}

static void config_header(struct parser *p, struct span word, struct span rest, struct span whole)
{
  static const struct {
    const char *word;
    enum config_section_kind kind;
  } kinds[] = {{"profile", CONFIG_PROFILE}, {"sso-session", CONFIG_SSO_SESSION}, {"services", CONFIG_SERVICES}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!span_is(word, kinds[i].word) || rest.len == 0)
      continue;
    char *name = name_dup(p, rest);
    if (name == NULL) {
      config_fault_add(p->faults, p->shown, p->line, "a section whose name has unmatched quotes; its keys are ignored");
      section_refuse(p);
    } else {
      section_open(p, kinds[i].kind, name, false);
    }
    return;
  }
  if (span_is(whole, "default")) {
    section_open(p, CONFIG_PROFILE, xstrdup("default"), true);
  } else if (span_is(word, "plugins") || span_is(word, "preview")) {
    /* The AWS CLI's own; nothing of ours. */
    section_open(p, CONFIG_OTHER, xstrndup(whole.at, whole.len), false);
  } else {
    config_fault_add(p->faults, p->shown, p->line,
                     "section [%.*s] is not [default], [profile NAME], [sso-session NAME] or [services NAME]; ignored",
                     (int)(whole.len < 100 ? whole.len : 100), whole.at);
    section_refuse(p);
  }
}

static void credentials_header(struct parser *p, struct span word, struct span rest, struct span whole)
{
  bool prefixed =
      rest.len > 0 && (span_is(word, "profile") || span_is(word, "sso-session") || span_is(word, "services"));
  if (prefixed) {
    config_fault_add(p->faults, p->shown, p->line,
                     "section [%.*s] belongs to the config file: here a profile is [NAME] alone; ignored",
                     (int)(whole.len < 100 ? whole.len : 100), whole.at);
    section_refuse(p);
    return;
  }
  char *name = name_dup(p, whole);
  if (name == NULL) {
    config_fault_add(p->faults, p->shown, p->line, "a section whose name has unmatched quotes; its keys are ignored");
    section_refuse(p);
  } else {
    section_open(p, CONFIG_PROFILE, name, false);
  }
}

static void parse_header(struct parser *p, struct span line)
{
  p->has_key = false;
  size_t end = header_end(line);
  if (end == 0) {
    config_fault_add(p->faults, p->shown, p->line, "a section without its closing bracket; its keys are ignored");
    section_refuse(p);
    return;
  }
  struct span behind = trim((struct span){line.at + end + 1, line.len - end - 1});
  if (behind.len > 0 && !is_comment(behind))
    config_fault_add(p->faults, p->shown, p->line, "text behind the bracket of a section is ignored");
  struct span whole = trim((struct span){line.at + 1, end - 1});
  if (whole.len == 0) {
    config_fault_add(p->faults, p->shown, p->line, "a section without a name; its keys are ignored");
    section_refuse(p);
    return;
  }
  struct span word = whole;
  for (word.len = 0; word.len < whole.len; word.len++) {
    if (whole.at[word.len] == ' ' || whole.at[word.len] == '\t')
      break;
  }
  struct span rest = trim((struct span){whole.at + word.len, whole.len - word.len});
  if (p->file == AWS_FILE_CONFIG)
    config_header(p, word, rest, whole);
  else
    credentials_header(p, word, rest, whole);
}

/* Set a key, or take the place of its duplicate. Returns its index. */
static size_t entry_put(struct parser *p, const char *parent, char *take_name, struct span value)
{
  struct config_section *s = p->section;
  size_t at = s->count;
  for (size_t i = 0; i < s->count; i++) {
    struct config_entry *e = &s->entries[i];
    bool same_parent = parent == NULL ? e->parent == NULL : e->parent != NULL && strcmp(e->parent, parent) == 0;
    if (same_parent && strcmp(e->name, take_name) == 0)
      at = i;
  }
  if (at < s->count) {
    config_fault_add(p->faults, p->shown, p->line, "%s stands at line %d already; the later one is used", take_name,
                     s->entries[at].line);
    free(take_name);
  } else {
    s->entries = xgrow(s->entries, &s->cap, s->count + 1, sizeof *s->entries);
    s->entries[s->count++] = (struct config_entry){.parent = xstrdup(parent), .name = take_name};
  }
  struct config_entry *e = &s->entries[at];
  e->line = p->line;
  secret_set(&e->value, value.at, value.len);
  return at;
}

static void entry_append_line(struct config_entry *e, struct span more)
{
  size_t len = e->value.len + 1 + more.len;
  char *joined = xmalloc(len);
  memcpy(joined, e->value.bytes, e->value.len);
  joined[e->value.len] = '\n';
  memcpy(joined + e->value.len + 1, more.at, more.len);
  secret_set(&e->value, joined, len);
  secret_wipe(joined, len);
  free(joined);
}

/* Key and value around the first of the delimiters; false when there is none, or nothing before it. */
static bool split_pair(struct span line, const char *delimiters, struct span *key, struct span *value)
{
  size_t at = 0;
  while (at < line.len && strchr(delimiters, line.at[at]) == NULL)
    at++;
  if (at == line.len)
    return false;
  *key = trim((struct span){line.at, at});
  *value = trim((struct span){line.at + at + 1, line.len - at - 1});
  return key->len > 0;
}

static void parse_more(struct parser *p, struct span line)
{
  struct config_entry *e = &p->section->entries[p->key];
  if (!p->key_is_empty) {
    entry_append_line(e, line);
    return;
  }
  struct span key;
  struct span value;
  if (!split_pair(line, "=", &key, &value)) {
    config_fault_add(p->faults, p->shown, p->line, "a nested line that is not key = value; ignored");
    return;
  }
  char *name = lower_dup(key);
  if (!may_hold_hash(name))
    value = cut_comment(value);
  /* entries may move when one is added: the parent's name is its own allocation and stays. */
  const char *parent = e->name;
  entry_put(p, parent, name, value);
}

static void parse_pair(struct parser *p, struct span line, size_t indent)
{
  struct span key;
  struct span value;
  p->has_key = false;
  /* The AWS CLI takes a colon for the equals sign as well. */
  if (!split_pair(line, "=:", &key, &value)) {
    config_fault_add(p->faults, p->shown, p->line, "a line that is neither a section nor key = value; ignored");
    return;
  }
  if (p->section == NULL) {
    if (!p->skipping && !p->told_homeless)
      config_fault_add(p->faults, p->shown, p->line, "a key before the first section; ignored");
    p->told_homeless = true;
    return;
  }
  char *name = lower_dup(key);
  if (!may_hold_hash(name))
    value = cut_comment(value);
  p->key_is_empty = value.len == 0;
  p->key = entry_put(p, NULL, name, value);
  p->has_key = true;
  p->key_indent = indent;
}

static void parse_line(struct parser *p, struct span raw)
{
  struct span line = trim(raw);
  if (line.len == 0 || is_comment(line))
    return;
  if (memchr(line.at, '\0', line.len) != NULL) {
    config_fault_add(p->faults, p->shown, p->line, "a line with a NUL byte; ignored");
    return;
  }
  size_t indent = (size_t)(line.at - raw.at);
  if (line.at[0] == '[')
    parse_header(p, line);
  else if (p->has_key && indent > p->key_indent)
    parse_more(p, line);
  else
    parse_pair(p, line, indent);
}

void config_parse_file(const char *text, size_t len, enum aws_config_file file, const char *shown,
                       struct config_sections *sections, struct config_faults *faults)
{
  struct parser p = {.file = file, .shown = shown, .sections = sections, .faults = faults};
  if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
    config_fault_add(faults, shown, 0, "the file is in UTF-16; save it as UTF-8. It is ignored");
    return;
  }
  size_t at = 0;
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    at = 3;
  while (at < len) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t line_len = end != NULL ? (size_t)(end - (text + at)) : len - at;
    p.line++;
    parse_line(&p, (struct span){text + at, line_len});
    at += line_len + 1;
  }
}
