/* wcwidth belongs to X/Open, which the headers hide without this. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "base/text.h"

#include <string.h>
#include <wchar.h>
#include "base/private.h"

/* Signs that cling to what follows can go on for ever (U+0600, Hangul consonants); as one cluster they would hide a whole name. */
#define CLUSTER_CELLS 8

/* Does the C library know more than ASCII, that is, did the program set a UTF-8 locale? */
static bool text_locale_is_wide(void)
{
  return wcwidth(L'\u00e9') == 1 && wcwidth(L'\u3042') == 2;
}

bool text_is_printable(int32_t c)
{
  return c < 0x80 || wcwidth((wchar_t)c) >= 0 || !text_locale_is_wide();
}

int text_cells(int32_t c)
{
  if (c >= 0x20 && c < 0x7f)
    return 1;
  int cells = wcwidth((wchar_t)c);
  if (cells < 0)
    cells = text_locale_is_wide() ? 1 : text_table_cells(c);
  return cells;
}

/* The cluster at s (len > 0): its bytes, and its cells as the sum of its code points', which is how ncurses counts. */
static size_t text_cluster(const char *s, size_t len, int *cells)
{
  size_t used = 0;
  int32_t c = text_next(s, len, &used);
  int32_t state = 0;
  size_t at = used;
  *cells = c < 0 ? 1 : text_cells(c);
  if (c < 0)
    return at;
  while (at < len && ((unsigned char)s[at] & 0x80) != 0) { /* ASCII never continues a cluster that is clean */
    int32_t next = text_next(s + at, len - at, &used);
    if (next < 0 || text_breaks(c, next, &state) || *cells + text_cells(next) > CLUSTER_CELLS)
      break;
    *cells += text_cells(next);
    c = next;
    at += used;
  }
  return at;
}

int text_width_n(const char *s, size_t len)
{
  int width = 0;
  size_t i = 0;
  while (i < len) {
    if ((unsigned char)s[i] < 0x80) {
      width += s[i] != '\n';
      i++;
      continue;
    }
    size_t used = 0;
    int32_t c = text_next(s + i, len - i, &used);
    width += c < 0 ? 1 : text_cells(c);
    i += used;
  }
  return width;
}

int text_width(const char *s)
{
  return text_width_n(s, strlen(s));
}

size_t text_fit(const char *s, int cells, int *used)
{
  size_t len = strlen(s);
  size_t at = 0;
  int sum = 0;
  while (at < len) {
    int width = 1;
    /* ASCII before ASCII stands alone; anything else is asked for its cluster. */
    size_t bytes = 1;
    if ((unsigned char)s[at] >= 0x80 || (unsigned char)s[at + 1] >= 0x80)
      bytes = text_cluster(s + at, len - at, &width);
    if (width > cells - sum)
      break;
    sum += width;
    at += bytes;
  }
  if (used != NULL)
    *used = sum;
  return at;
}

static void text_pad(struct buf *out, int cells)
{
  for (; cells > 0; cells--)
    buf_addc(out, ' ');
}

void text_put(struct buf *out, const char *s, int cells, enum text_align align, bool pad)
{
  if (cells <= 0)
    return;
  int used = 0;
  size_t bytes = text_fit(s, cells, &used);
  bool cut = s[bytes] != '\0';
  if (cut) {
    bytes = text_fit(s, cells - 1, &used);
    used++; /* the ellipsis */
  }
  if (pad && align == TEXT_RIGHT)
    text_pad(out, cells - used);
  buf_add(out, s, bytes);
  if (cut)
    buf_adds(out, text_is_ascii() ? "~" : "\xe2\x80\xa6");
  if (pad && align == TEXT_LEFT)
    text_pad(out, cells - used);
}
