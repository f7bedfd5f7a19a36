#include "views/edit.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/text.h"

void edit_set(struct edit *e, const char *text)
{
  char *clean = text_clean_dup(text, TEXT_LINE);
  size_t len = strlen(clean);
  while (len >= EDIT_MAX) { /* cut at a letter */
    len--;
    while (len > 0 && (clean[len] & 0xc0) == 0x80) {
      len--;
    }
  }
  memcpy(e->text, clean, len);
  e->text[len] = '\0';
  e->len = e->at = len;
  free(clean);
}

static void insert(struct edit *e, const char *text)
{
  struct buf flat;
  buf_init(&flat, (size_t)4 * EDIT_MAX);
  for (const char *s = text; *s != '\0'; s++) {
    buf_addc(&flat, *s == '\n' || *s == '\r' || *s == '\t' ? ' ' : *s);
  }
  char *clean = text_clean_dup(flat.data, TEXT_LINE);
  size_t len = strlen(clean);
  if (e->len + len < EDIT_MAX) {
    memmove(e->text + e->at + len, e->text + e->at, e->len - e->at + 1);
    memcpy(e->text + e->at, clean, len);
    e->len += len;
    e->at += len;
  }
  free(clean);
  buf_fini(&flat);
}

static size_t letter_before(const struct edit *e, size_t at)
{
  bool begun = at == 0;
  while (!begun) {
    at--;
    begun = at == 0 || (e->text[at] & 0xc0) != 0x80;
  }
  return at;
}

static size_t letter_after(const struct edit *e, size_t at)
{
  if (at < e->len) {
    at++;
    while (at < e->len && (e->text[at] & 0xc0) == 0x80) {
      at++;
    }
  }
  return at;
}

static void cut(struct edit *e, size_t from, size_t to)
{
  memmove(e->text + from, e->text + to, e->len - to + 1);
  e->len -= to - from;
  e->at = from;
}

static size_t word_before(const struct edit *e)
{
  size_t at = e->at;
  while (at > 0 && e->text[at - 1] == ' ') {
    at--;
  }
  while (at > 0 && e->text[at - 1] != ' ') {
    at--;
  }
  return at;
}

bool edit_input(struct edit *e, const struct input *in)
{
  bool mine = true;
  if ((in->kind == INPUT_LETTER && (in->mods & ~(unsigned)INPUT_SHIFT) == 0) || in->kind == INPUT_PASTE) {
    insert(e, in->text);
  } else if (in->kind != INPUT_KEY) {
    mine = false;
  } else if (in->mods & INPUT_CTRL) {
    switch (in->code) {
    case 'a':
      e->at = 0;
      break;
    case 'e':
      e->at = e->len;
      break;
    case 'u':
      cut(e, 0, e->at);
      break;
    case 'k':
      cut(e, e->at, e->len);
      break;
    case 'w':
      cut(e, word_before(e), e->at);
      break;
    case 'b':
      e->at = letter_before(e, e->at);
      break;
    case 'f':
      e->at = letter_after(e, e->at);
      break;
    case 'd':
      cut(e, e->at, letter_after(e, e->at));
      break;
    default:
      mine = false;
      break;
    }
  } else if (in->code == KEY_NAME_BACKSPACE) {
    cut(e, letter_before(e, e->at), e->at);
  } else if (in->code == KEY_NAME_DELETE) {
    cut(e, e->at, letter_after(e, e->at));
  } else if (in->code == KEY_NAME_LEFT) {
    e->at = letter_before(e, e->at);
  } else if (in->code == KEY_NAME_RIGHT) {
    e->at = letter_after(e, e->at);
  } else if (in->code == KEY_NAME_HOME) {
    e->at = 0;
  } else if (in->code == KEY_NAME_END) {
    e->at = e->len;
  } else {
    mine = false;
  }
  return mine;
}

void edit_draw(const struct edit *e, const struct pane *p, int y, const char *prompt)
{
  pane_fill(p, y, 0, p->width, ROLE_TEXT, " ");
  int x = 1 + pane_put(p, y, 1, ROLE_KEY, prompt);
  struct pane room = pane_part(p, y, x, 1, p->width - x);
  int before = text_width_n(e->text, e->at), skip = before >= room.width ? before - room.width + 1 : 0;
  pane_put(&room, 0, -skip, ROLE_TEXT, e->text);
  pane_cursor(&room, 0, before - skip);
}
