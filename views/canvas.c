#include "views/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/xalloc.h"

#define CANVAS_TEXT_MAX 8192 /* bytes of one text; no window is that wide */

static const struct {
  const char *wide, *ascii;
} signs[SIGN_COUNT] = {
    [SIGN_OK] = {"\u2713", "+"},      [SIGN_FAILED] = {"\u2717", "x"},   [SIGN_RUNNING] = {"\u25b6", ">"},
    [SIGN_STOPPED] = {"\u25a0", "#"}, [SIGN_WAITING] = {"\u25cc", "o"},  [SIGN_WARN] = {"!", "!"},
    [SIGN_ROUGH] = {"~", "~"},        [SIGN_UNKNOWN] = {"?", "?"},       [SIGN_NOTHING] = {"\u00b7", "."},
    [SIGN_CURSOR] = {"\u203a", ">"},  [SIGN_MARK] = {"*", "*"},          [SIGN_NEW] = {"\u2022", "'"},
    [SIGN_LINE] = {"\u2500", "-"},    [SIGN_CRUMB] = {"\u203a", ">"},    [SIGN_UP] = {"\u2191", "^"},
    [SIGN_DOWN] = {"\u2193", "v"},    [SIGN_ELLIPSIS] = {"\u2026", "~"}, [SIGN_MORE] = {"\u2026", "..."},
};

const char *sign(enum sign s)
{
  return text_is_ascii() ? signs[s].ascii : signs[s].wide;
}

static const struct cell blank = {.letters = {' ', 0, 0}, .width = 1, .role = ROLE_TEXT, .marks = 0};

void canvas_init(struct canvas *c)
{
  *c = (struct canvas){.cells = NULL, .cursor_y = -1, .cursor_x = -1};
}

void canvas_fini(struct canvas *c)
{
  free(c->cells);
  canvas_init(c);
}

void canvas_clear(struct canvas *c)
{
  size_t count = (size_t)c->width * (size_t)c->height;
  for (size_t i = 0; i < count; i++) {
    c->cells[i] = blank;
  }
  c->cursor_y = c->cursor_x = -1;
}

void canvas_resize(struct canvas *c, int width, int height)
{
  width = width < 1 ? 1 : width;
  height = height < 1 ? 1 : height;
  if (c->cells == NULL || width != c->width || height != c->height) {
    free(c->cells);
    c->cells = xcalloc((size_t)width * (size_t)height, sizeof *c->cells);
    c->width = width;
    c->height = height;
  }
  canvas_clear(c);
}

bool canvas_cell_equal(const struct cell *a, const struct cell *b)
{
  return a->letters[0] == b->letters[0] && a->letters[1] == b->letters[1] && a->letters[2] == b->letters[2] &&
         a->width == b->width && a->role == b->role && a->marks == b->marks;
}

struct pane canvas_pane(struct canvas *c)
{
  return (struct pane){.canvas = c, .y = 0, .x = 0, .height = c->height, .width = c->width};
}

struct pane pane_part(const struct pane *p, int y, int x, int height, int width)
{
  if (y < 0) {
    height += y;
    y = 0;
  }
  if (x < 0) {
    width += x;
    x = 0;
  }
  if (height > p->height - y) {
    height = p->height - y;
  }
  if (width > p->width - x) {
    width = p->width - x;
  }
  return (struct pane){.canvas = p->canvas,
                       .y = p->y + y,
                       .x = p->x + x,
                       .height = height < 0 ? 0 : height,
                       .width = width < 0 ? 0 : width};
}

/* Put one cell, mending a letter of two cells that loses a half by it. */
static void set_cell(struct canvas *c, int y, int x, const struct cell *cell)
{
  struct cell *row = &c->cells[(size_t)y * (size_t)c->width];
  if (row[x].width == 0 && x > 0) {
    row[x - 1].letters[0] = ' ';
    row[x - 1].letters[1] = row[x - 1].letters[2] = 0;
    row[x - 1].width = 1;
  }
  if (row[x].width == 2 && x + 1 < c->width) {
    row[x + 1].letters[0] = ' ';
    row[x + 1].letters[1] = row[x + 1].letters[2] = 0;
    row[x + 1].width = 1;
  }
  row[x] = *cell;
}

/* One code point of cleaned (valid) UTF-8; returns its bytes. */
static size_t next_letter(const char *s, uint32_t *letter)
{
  const unsigned char *u = (const unsigned char *)s;
  size_t len = 1;
  *letter = u[0];
  if (u[0] >= 0xf0 && u[1] != 0 && u[2] != 0 && u[3] != 0) {
    *letter =
        (uint32_t)(u[0] & 0x07) << 18 | (uint32_t)(u[1] & 0x3f) << 12 | (uint32_t)(u[2] & 0x3f) << 6 | (u[3] & 0x3f);
    len = 4;
  } else if (u[0] >= 0xe0 && u[1] != 0 && u[2] != 0) {
    *letter = (uint32_t)(u[0] & 0x0f) << 12 | (uint32_t)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
    len = 3;
  } else if (u[0] >= 0xc0 && u[1] != 0) {
    *letter = (uint32_t)(u[0] & 0x1f) << 6 | (u[1] & 0x3f);
    len = 2;
  }
  return len;
}

static bool plain_ascii(const char *s)
{
  bool plain = true;
  for (; *s != '\0' && plain; s++) {
    plain = *s >= 0x20 && *s < 0x7f;
  }
  return plain;
}

/* Paint cleaned text within [x, x + cells) of the pane; returns the cells used. */
static int paint(const struct pane *p, int y, int x, int cells, unsigned style, const char *s)
{
  struct cell cell = {.role = (uint8_t)(style & STYLE_ROLE), .marks = (uint8_t)(style >> 5)};
  struct canvas *c = p->canvas;
  struct cell *last = NULL;
  int used = 0;
  if (c->cells == NULL || y < 0 || y >= p->height || x >= p->width) {
    return 0;
  }
  if (cells > p->width - x) {
    cells = p->width - x;
  }
  while (*s != '\0') {
    uint32_t letter = 0;
    size_t bytes = next_letter(s, &letter);
    int width = letter < 0x7f ? 1 : text_width_n(s, bytes);
    s += bytes;
    if (width <= 0) {
      if (last != NULL) {
        if (last->letters[1] == 0) {
          last->letters[1] = letter;
        } else if (last->letters[2] == 0) {
          last->letters[2] = letter;
        }
      }
      continue;
    }
    if (used + width > cells) {
      break;
    }
    last = NULL;
    if (x + used >= 0) {
      cell.letters[0] = letter;
      cell.letters[1] = cell.letters[2] = 0;
      cell.width = (uint8_t)width;
      set_cell(c, p->y + y, p->x + x + used, &cell);
      last = &c->cells[(size_t)(p->y + y) * (size_t)c->width + (size_t)(p->x + x + used)];
      if (width == 2) {
        struct cell tail = cell;
        tail.width = 0;
        tail.letters[0] = 0;
        /* not set_cell: it would take the first half for a letter that loses its second one */
        struct cell *second = last + 1;
        if (second->width == 2 && p->x + x + used + 2 < c->width) {
          second[1] = blank;
        }
        *second = tail;
      }
    }
    used += width;
  }
  return used;
}

int pane_put(const struct pane *p, int y, int x, unsigned style, const char *text)
{
  int used = 0;
  if (text == NULL) {
    return 0;
  }
  if (plain_ascii(text)) {
    used = paint(p, y, x, p->width - x, style, text);
  } else {
    struct buf clean;
    buf_init(&clean, CANVAS_TEXT_MAX);
    text_clean(&clean, text, strlen(text), TEXT_LINE);
    used = paint(p, y, x, p->width - x, style, clean.data);
    buf_fini(&clean);
  }
  return used;
}

int pane_field(const struct pane *p, int y, int x, int cells, unsigned style, enum text_align align, const char *text)
{
  struct buf clean, cut;
  if (cells <= 0 || text == NULL) {
    return 0;
  }
  buf_init(&clean, CANVAS_TEXT_MAX);
  buf_init(&cut, CANVAS_TEXT_MAX);
  if (plain_ascii(text)) {
    text_put(&cut, text, cells, align, true);
  } else {
    text_clean(&clean, text, strlen(text), TEXT_LINE);
    text_put(&cut, clean.data, cells, align, true);
  }
  paint(p, y, x, cells, style, cut.data);
  buf_fini(&cut);
  buf_fini(&clean);
  return cells;
}

int pane_putf(const struct pane *p, int y, int x, unsigned style, const char *format, ...)
{
  struct buf text;
  va_list args;
  buf_init(&text, CANVAS_TEXT_MAX);
  va_start(args, format);
  buf_vaddf(&text, format, args);
  va_end(args);
  int used = pane_put(p, y, x, style, text.data);
  buf_fini(&text);
  return used;
}

void pane_fill(const struct pane *p, int y, int x, int cells, unsigned style, const char *letter)
{
  if (x < 0) {
    cells += x;
    x = 0;
  }
  for (int i = 0; i < cells && x + i < p->width; i++) {
    paint(p, y, x + i, 1, style, letter);
  }
}

void pane_erase(const struct pane *p, unsigned style)
{
  for (int y = 0; y < p->height; y++) {
    pane_fill(p, y, 0, p->width, style, " ");
  }
}

void pane_restyle(const struct pane *p, int y, int x, int cells, unsigned style)
{
  if (p->canvas->cells == NULL || y < 0 || y >= p->height) {
    return;
  }
  for (int i = x < 0 ? 0 : x; i < x + cells && i < p->width; i++) {
    struct cell *cell = &p->canvas->cells[(size_t)(p->y + y) * (size_t)p->canvas->width + (size_t)(p->x + i)];
    cell->role = (uint8_t)(style & STYLE_ROLE);
    cell->marks = (uint8_t)(style >> 5);
  }
}

void pane_box(const struct pane *p, unsigned style, const char *title)
{
  bool ascii = text_is_ascii();
  const char *across = ascii ? "-" : "\u2500", *down = ascii ? "|" : "\u2502";
  int right = p->width - 1, bottom = p->height - 1;
  pane_erase(p, ROLE_TEXT);
  pane_fill(p, 0, 0, p->width, style, across);
  pane_fill(p, bottom, 0, p->width, style, across);
  for (int y = 0; y < p->height; y++) {
    pane_put(p, y, 0, style, down);
    pane_put(p, y, right, style, down);
  }
  pane_put(p, 0, 0, style, ascii ? "+" : "\u250c");
  pane_put(p, 0, right, style, ascii ? "+" : "\u2510");
  pane_put(p, bottom, 0, style, ascii ? "+" : "\u2514");
  pane_put(p, bottom, right, style, ascii ? "+" : "\u2518");
  if (title != NULL && p->width > 6) {
    struct pane edge = pane_part(p, 0, 2, 1, p->width - 4);
    int used = pane_putf(&edge, 0, 0, ROLE_HEADING, " %s ", title);
    (void)used;
  }
}

void pane_cursor(const struct pane *p, int y, int x)
{
  if (y >= 0 && y < p->height && x >= 0 && x < p->width) {
    p->canvas->cursor_y = p->y + y;
    p->canvas->cursor_x = p->x + x;
  }
}
