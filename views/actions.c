#include "views/actions.h"

#include <string.h>

#define ACTION_INFO(name, word, keys, holds, worth, label, text) {word, keys, holds, worth, label, text},
static const struct action_info table[ACTION_COUNT] = {{"", "", 0, 0, "", ""}, ACTION_TABLE(ACTION_INFO)};
#undef ACTION_INFO

const struct action_info *action_info(enum action a)
{
  return &table[a];
}

enum action action_find(const char *word)
{
  enum action found = ACTION_NONE;
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT && found == ACTION_NONE; a++) {
    if (strcmp(table[a].word, word) == 0) {
      found = (enum action)a;
    }
  }
  return found;
}

/* Read names separated by blanks; false: one of them is none. */
static bool read_keys(const char *keys, struct input out[ACTION_KEYS_MAX], size_t *count)
{
  bool good = true;
  *count = 0;
  while (good && *keys != '\0') {
    char name[INPUT_KEY_NAME_MAX];
    size_t len = strcspn(keys, " ");
    if (len > 0) {
      good = len < sizeof name && *count < ACTION_KEYS_MAX;
      if (good) {
        memcpy(name, keys, len);
        name[len] = '\0';
        good = input_parse_key(name, &out[*count]);
        *count += good;
      }
    }
    keys += len;
    keys += strspn(keys, " ");
  }
  return good;
}

void keymap_init(struct keymap *m)
{
  memset(m, 0, sizeof *m);
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
    (void)read_keys(table[a].default_keys, m->keys[a], &m->key_count[a]); /* a test reads all of them */
  }
}

static bool overlap(unsigned a, unsigned b)
{
  const unsigned where = ~(unsigned)HOLD_CHANGES;
  return (a & b & where) != 0 || ((a | b) & HOLD_ANY) != 0;
}

static void take_key(struct keymap *m, enum action from, const struct input *key)
{
  size_t kept = 0;
  for (size_t i = 0; i < m->key_count[from]; i++) {
    if (!input_same_key(&m->keys[from][i], key)) {
      m->keys[from][kept++] = m->keys[from][i];
    }
  }
  m->key_count[from] = kept;
}

struct err keymap_set(struct keymap *m, const char *word, const char *keys)
{
  enum action a = action_find(word);
  struct input read[ACTION_KEYS_MAX];
  size_t count = 0;
  if (a == ACTION_NONE) {
    return err_new(ERR_CONFIG, "there is no action \"%s\" to give keys to", word);
  }
  if (!read_keys(keys, read, &count)) {
    return err_new(ERR_CONFIG, "\"%s\" are no keys (for %s); keys are written like x, Ctrl-F, PgDn, Space", keys, word);
  }
  for (size_t i = 0; i < count; i++) {
    for (int other = ACTION_NONE + 1; other < ACTION_COUNT; other++) {
      if (other != (int)a && overlap(table[other].holds, table[a].holds)) {
        take_key(m, (enum action)other, &read[i]);
      }
    }
  }
  memcpy(m->keys[a], read, sizeof read);
  m->key_count[a] = count;
  return err_ok();
}

enum action keymap_find(const struct keymap *m, const struct input *in, unsigned holds, bool read_only)
{
  enum action found = ACTION_NONE;
  if (in->kind != INPUT_LETTER && in->kind != INPUT_KEY) {
    return ACTION_NONE;
  }
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT && found == ACTION_NONE; a++) {
    bool here = (table[a].holds & (holds | HOLD_ANY) & ~(unsigned)HOLD_CHANGES) != 0;
    if (here && !(read_only && (table[a].holds & HOLD_CHANGES))) {
      for (size_t i = 0; i < m->key_count[a]; i++) {
        if (input_same_key(&m->keys[a][i], in)) {
          found = (enum action)a;
        }
      }
    }
  }
  return found;
}

const char *keymap_key(const struct keymap *m, enum action a, char out[INPUT_KEY_NAME_MAX])
{
  out[0] = '\0';
  if (m->key_count[a] > 0) {
    input_key_name(&m->keys[a][0], out);
  }
  return out;
}

void keymap_keys(const struct keymap *m, enum action a, struct buf *out)
{
  for (size_t i = 0; i < m->key_count[a]; i++) {
    char name[INPUT_KEY_NAME_MAX];
    buf_adds(out, i > 0 ? " " : "");
    buf_adds(out, input_key_name(&m->keys[a][i], name));
  }
}

static void write_where(unsigned holds, struct buf *out)
{
  static const struct {
    unsigned hold;
    const char *word;
  } words[] = {{HOLD_ANY, "everywhere"},    {HOLD_LIST, "lists"}, {HOLD_DOC, "texts"},
               {HOLD_JOB, "a job"},         {HOLD_RUN, "a run"},  {HOLD_WINDOW, "views of a window of time"},
               {HOLD_TIMELINE, "timelines"}};
  bool first = true;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (holds & words[i].hold) {
      buf_adds(out, first ? "" : ", ");
      buf_adds(out, words[i].word);
      first = false;
    }
  }
}

void keymap_write_markdown(struct buf *out)
{
  struct keymap m;
  keymap_init(&m);
  buf_adds(out,
           "# Keys\n\nMade from the action table of the program (views/actions.h); `make keys` writes it anew.\n"
           "Every key can be given to another action in the configuration (see gluetop-config(5)): the name of the "
           "action is what counts.\n"
           "`*` marks what changes something in AWS: it asks first, and is not there with `--read-only`.\n\n"
           "| key | action | where | what it does |\n|---|---|---|---|\n");
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
    buf_adds(out, "| ");
    for (size_t i = 0; i < m.key_count[a]; i++) {
      char name[INPUT_KEY_NAME_MAX];
      buf_addf(out, "%s`%s`", i > 0 ? " " : "", input_key_name(&m.keys[a][i], name));
    }
    buf_addf(out, " | %s%s | ", table[a].word, (table[a].holds & HOLD_CHANGES) ? " *" : "");
    write_where(table[a].holds, out);
    buf_addf(out, " | %s |\n", table[a].text);
  }
  buf_adds(out, "\nCtrl-C quits at once (130). Ctrl-S, Ctrl-Q and Ctrl-Z belong to the terminal.\n"
                "In a dialog `y` says yes; Enter takes what has the focus, which is \"no\" at first.\n");
}
