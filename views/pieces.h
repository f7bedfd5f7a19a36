/* Pieces of a line, from left to right, that fit into any width: the least worth leaves first when there is no room. */
#ifndef GLUETOP_VIEWS_PIECES_H
#define GLUETOP_VIEWS_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include "views/canvas.h"

struct piece {
  char *text;
  unsigned style;
  int worth;
  int gap; /* blanks before it */
  bool right;
};

#define PIECES_MAX 32
struct pieces {
  struct piece items[PIECES_MAX];
  size_t count;
};

/* What goes beyond PIECES_MAX is left out. */
void pieces_add(struct pieces *l, int worth, int gap, unsigned style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void pieces_drop(struct pieces *l, size_t i);
void pieces_clear(struct pieces *l);
int pieces_width(const struct pieces *l);
/* Leave out what has no room in `width` cells; the last one stays in any case. */
void pieces_fit(struct pieces *l, int width);
/* Draw what fits in the pane's line y from x on, pieces marked right at its right end. The pieces stay. */
void pieces_draw(struct pieces *l, const struct pane *p, int y, int x);

#endif
