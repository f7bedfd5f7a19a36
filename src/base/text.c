#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include "base/private.h"
#include "base/xalloc.h"

/* Marks on one letter that are kept: ncurses holds four beside the letter in a cell (CCHARW_MAX), and a reader needs no
 * more. */
#define TEXT_MARKS_MAX 4
#define TEXT_TAB       4
/* What a mark that stands on nothing is drawn on. */
#define TEXT_DOTTED_CIRCLE 0x25CC
#define TEXT_ZWJ           0x200D
#define TEXT_KEYCAP        0x20E3

static bool text_ascii;

void text_set_ascii(bool ascii)
{
  text_ascii = ascii;
}

bool text_is_ascii(void)
{
  return text_ascii;
}

/* --- code points -------------------------------------------------------------------------------------------------- */

int32_t text_next(const char *s, size_t len, size_t *used)
{
  const unsigned char *u = (const unsigned char *)s;
  unsigned char b = u[0];
  *used = 1;
  if (b < 0x80)
    return b;
  /* The second byte's range keeps out overlong forms, surrogates and what lies beyond U+10FFFF (Unicode table 3-7). */
  size_t more = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  int32_t c = 0;
  if (b >= 0xc2 && b <= 0xdf) {
    more = 1;
    c = b & 0x1f;
  } else if (b >= 0xe0 && b <= 0xef) {
    more = 2;
    c = b & 0x0f;
    low = b == 0xe0 ? 0xa0 : 0x80;
    high = b == 0xed ? 0x9f : 0xbf;
  } else if (b >= 0xf0 && b <= 0xf4) {
    more = 3;
    c = b & 0x07;
    low = b == 0xf0 ? 0x90 : 0x80;
    high = b == 0xf4 ? 0x8f : 0xbf;
  } else {
    return -1;
  }
  for (size_t i = 1; i <= more; i++) {
    if (i >= len || u[i] < low || u[i] > high)
      return -1;
    c = c << 6 | (u[i] & 0x3f);
    *used = i + 1;
    low = 0x80;
    high = 0xbf;
  }
  return c;
}

size_t text_encode(int32_t c, char out[4])
{
  utf8proc_uint8_t bytes[4];
  size_t len = (size_t)utf8proc_encode_char(c, bytes);
  memcpy(out, bytes, len);
  return len;
}

bool text_valid_utf8(const char *s, size_t len)
{
  size_t used = 0;
  for (size_t i = 0; i < len; i += used) {
    if (text_next(s + i, len - i, &used) < 0)
      return false;
  }
  return true;
}

bool text_breaks(int32_t a, int32_t b, int32_t *state)
{
  return utf8proc_grapheme_break_stateful(a, b, state);
}

int32_t text_fold(int32_t c)
{
  if (c < 0x80)
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  /* Up and then down, so that letters with two small forms (sigma) meet. */
  return utf8proc_tolower(utf8proc_toupper(c));
}

bool text_is_control(int32_t c)
{
  return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

static bool text_is_noncharacter(int32_t c)
{
  return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

bool text_is_invisible(int32_t c)
{
  if (c < 0xa0)
    return false;
  if ((c >= 0xe0000 && c <= 0xe0fff) || text_is_noncharacter(c))
    return true;
  const utf8proc_property_t *p = utf8proc_get_property(c);
  /* Format characters that are drawn (Arabic number signs and their like) stand before what they enclose. */
  return p->ignorable || (p->category == UTF8PROC_CATEGORY_CF && p->boundclass != UTF8PROC_BOUNDCLASS_PREPEND);
}

int text_table_cells(int32_t c)
{
  return utf8proc_charwidth(c);
}

/* --- cleaning ----------------------------------------------------------------------------------------------------- */

struct text_cleaner {
  struct buf *out;
  enum text_mode mode;
  size_t column; /* cells since the line's start, for tabs */
  size_t breaks; /* TEXT_LINE: line ends not yet shown; those at the very end never are */
  int32_t prev;  /* last code point of the cluster so far, dropped ones included; 0: nothing to stand on */
  int32_t state; /* of text_breaks */
  int marks;     /* kept in this cluster beside its base */
  bool full;     /* the buffer refused: nothing more is written */
};

static void text_cleaner_put(struct text_cleaner *t, const char *bytes, size_t len)
{
  if (!t->full && !buf_add(t->out, bytes, len))
    t->full = true;
}

static void text_cleaner_flush_breaks(struct text_cleaner *t)
{
  for (; t->breaks > 0 && !t->full; t->breaks--) {
    if (text_ascii)
      text_cleaner_put(t, "\\n", 2);
    else
      text_cleaner_put(t, "\xe2\x8f\x8e", 3); /* U+23CE */
  }
}

static void text_cleaner_put_letter(struct text_cleaner *t, int32_t c)
{
  char bytes[4];
  size_t len = 1;
  text_cleaner_flush_breaks(t);
  if (text_ascii && c >= 0x80) {
    bytes[0] = '?';
    t->column++;
  } else {
    len = text_encode(c, bytes);
    t->column += (size_t)text_cells(c);
  }
  text_cleaner_put(t, bytes, len);
}

static void text_cleaner_break(struct text_cleaner *t)
{
  t->prev = 0;
  t->state = 0;
  t->column = 0;
  if (t->mode == TEXT_LINE)
    t->breaks++;
  else
    text_cleaner_put(t, "\n", 1);
}

/* A run of printable ASCII: most of what there is. */
static void text_cleaner_plain(struct text_cleaner *t, const char *s, size_t len)
{
  text_cleaner_flush_breaks(t);
  size_t room = t->out->max - t->out->len;
  if (len > room) { /* a bounded buffer is filled, and then refuses the rest */
    text_cleaner_put(t, s, room);
    text_cleaner_put(t, s + room, len - room);
    return;
  }
  text_cleaner_put(t, s, len);
  t->column += len;
  t->prev = (unsigned char)s[len - 1];
  t->state = 0;
  t->marks = 0;
}

/* Skin tones and keycaps change how the sign before them is drawn, or are drawn beside it, or both: terminals and C
 * libraries disagree. They are never shown. */
static bool text_is_modifier(int32_t c)
{
  return c == TEXT_KEYCAP || (c >= 0x1f3fb && c <= 0x1f3ff);
}

/* A second person of a ZWJ family: the first stands for all. */
static bool text_is_joined(int32_t before, int32_t c)
{
  return before == TEXT_ZWJ && utf8proc_get_property(c)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* One code point beyond ASCII; -1 is a broken byte. */
static void text_cleaner_letter(struct text_cleaner *t, int32_t c)
{
  if (c < 0 || (!text_is_invisible(c) && !text_is_printable(c)))
    c = TEXT_REPLACEMENT;
  int32_t state = t->state;
  bool starts = t->prev == 0 || text_breaks(t->prev, c, &state);
  if (text_is_invisible(c) || text_is_modifier(c)) {
    /* A joiner or selector leaves its trace in the cluster; anything else was never there. */
    if (!starts) {
      t->prev = c;
      t->state = state;
    }
    return;
  }
  if (!starts && text_is_joined(t->prev, c)) {
    t->prev = c;
    t->state = state;
    return;
  }
  /* What has cells of its own is a letter wherever it stands: never dropped, and what comes after stands on it. So whole words of signs
   * that cling to what follows (U+0600 and its kin, Hangul consonants) neither swallow a letter nor come out otherwise a second time. */
  bool letter = text_cells(c) > 0;
  /* A Hangul vowel has no cell of its own and does not cling to a circle; on one that it got before it stays. */
  if (starts && t->prev == TEXT_DOTTED_CIRCLE && !letter)
    starts = false;
  /* A mark too many was never there: a trace of it would decide about what follows, and be gone the next time. */
  if (!letter && !starts && t->marks == TEXT_MARKS_MAX)
    return;
  t->state = t->prev == 0 ? 0 : state;
  t->prev = c;
  if (letter) {
    t->marks = 0;
    text_cleaner_put_letter(t, c);
    return;
  }
  if (starts) {
    t->marks = 0;
    text_cleaner_put_letter(t, text_ascii ? c : TEXT_DOTTED_CIRCLE);
  }
  t->marks++;
  if (!text_ascii)
    text_cleaner_put_letter(t, c);
}

/* A control character; returns the bytes it takes with it. */
static size_t text_cleaner_control(struct text_cleaner *t, int32_t c, const char *s, size_t len)
{
  if (c == '\n') {
    text_cleaner_break(t);
  } else if (c == '\r') {
    text_cleaner_break(t);
    return len > 1 && s[1] == '\n' ? 2 : 1;
  } else if (c == '\t') {
    size_t blanks = t->mode == TEXT_BLOCK ? TEXT_TAB - t->column % TEXT_TAB : 1;
    text_cleaner_plain(t, "    ", blanks);
  }
  return 1;
}

void text_clean(struct buf *out, const char *src, size_t len, enum text_mode mode)
{
  struct text_cleaner t = {.out = out, .mode = mode};
  const char *dead = NULL;
  size_t i = 0;
  while (i < len && !t.full) {
    const char *s = src + i;
    size_t rest = len - i;
    size_t plain = 0;
    while (plain < rest && s[plain] >= 0x20 && s[plain] <= 0x7e)
      plain++;
    if (plain > 0) {
      text_cleaner_plain(&t, s, plain);
      i += plain;
      continue;
    }
    size_t used = text_escape_length(s, rest, &dead);
    if (used > 0) {
      i += used;
      continue;
    }
    int32_t c = text_next(s, rest, &used);
    if (c == 0x2028 || c == 0x2029)
      text_cleaner_break(&t);
    else if (c >= 0 && text_is_control(c))
      used = c < 0x80 ? text_cleaner_control(&t, c, s, rest) : used;
    else
      text_cleaner_letter(&t, c);
    i += used;
  }
}

char *text_clean_dup(const char *src, enum text_mode mode)
{
  struct buf out;
  size_t len = src != NULL ? strlen(src) : 0;
  /* No byte grows to more than four: a tab in a block. A mark that gets a circle grows from two to five. */
  buf_init(&out, len * 4 + 4);
  text_clean(&out, src, len, mode);
  return buf_take(&out);
}
