/* The grid of cells that views paint on, and the one way onto it.
 *
 * A canvas is memory: it knows no terminal. term.c copies what changed to the screen, tests read it as it is. Views get a
 * pane, a rectangle of the canvas with its own origin; whatever reaches outside of the pane is cut off. Every text goes through
 * text_clean on its way in, so a view cannot bring a hostile byte to the terminal. Letters that take two cells never lose
 * half of themselves: where one is cut or painted over, a blank stands. */
#ifndef GLUETOP_VIEWS_CANVAS_H
#define GLUETOP_VIEWS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"
#include "views/theme.h"

#define CELL_LETTERS 3 /* a base letter and up to two combining marks; more are left out */

struct cell {
  uint32_t letters[CELL_LETTERS]; /* code points; [0] is ' ' for a blank; unused ones 0 */
  uint8_t width;                  /* 1, 2, or 0 for the second half of a letter of two cells */
  uint8_t role;                   /* enum role */
  uint8_t marks;                  /* STYLE_* bits, shifted down */
};

struct canvas {
  struct cell *cells; /* height rows of width */
  int width, height;
  int cursor_y, cursor_x; /* -1: hidden */
};

void canvas_init(struct canvas *c);
void canvas_fini(struct canvas *c);
/* Blank, at that size (at least 1x1). */
void canvas_resize(struct canvas *c, int width, int height);
void canvas_clear(struct canvas *c);
bool canvas_cell_equal(const struct cell *a, const struct cell *b);

struct pane {
  struct canvas *canvas;
  int y, x; /* origin on the canvas */
  int height, width;
};

struct pane canvas_pane(struct canvas *c);
/* A part of a pane; what would stick out is cut off, so that sizes may come out as 0. */
struct pane pane_part(const struct pane *p, int y, int x, int height, int width);
/* Paint text at (y, x), cut at the pane's edge without a mark. Returns the cells used. */
int pane_put(const struct pane *p, int y, int x, unsigned style, const char *text);
/* Paint text in a field of that many cells, aligned and cut with an ellipsis. Returns cells. */
int pane_field(const struct pane *p, int y, int x, int cells, unsigned style, enum text_align align, const char *text);
int pane_putf(const struct pane *p, int y, int x, unsigned style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void pane_fill(const struct pane *p, int y, int x, int cells, unsigned style, const char *letter);
void pane_erase(const struct pane *p, unsigned style);
/* Give the cells that are there another style, their letters stay. */
void pane_restyle(const struct pane *p, int y, int x, int cells, unsigned style);
/* A frame of line characters around the pane with a title in its upper edge. */
void pane_box(const struct pane *p, unsigned style, const char *title);
void pane_cursor(const struct pane *p, int y, int x);

/* Signs of ours, one cell each (but for SIGN_MORE in ASCII), with their ASCII forms. */
enum sign {
  SIGN_OK,
  SIGN_FAILED,
  SIGN_RUNNING,
  SIGN_STOPPED,
  SIGN_WAITING,
  SIGN_WARN,
  SIGN_ROUGH,
  SIGN_UNKNOWN,
  SIGN_NOTHING,
  SIGN_CURSOR,
  SIGN_MARK,
  SIGN_NEW,
  SIGN_LINE,
  SIGN_CRUMB,
  SIGN_UP,
  SIGN_DOWN,
  SIGN_ELLIPSIS, /* something was cut off */
  SIGN_MORE,     /* at the end of a sentence: it goes on */
  SIGN_COUNT
};
const char *sign(enum sign s);

#endif
