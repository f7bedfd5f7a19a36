/* One line of text being typed: for prompts. Knows letters, paste (line feeds become blanks), and the usual keys of a shell. */
#ifndef GLUETOP_VIEWS_EDIT_H
#define GLUETOP_VIEWS_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include "views/canvas.h"
#include "views/input.h"

#define EDIT_MAX 2048

struct edit {
  char text[EDIT_MAX]; /* cleaned UTF-8 */
  size_t len, at;      /* bytes; at: the cursor */
};

void edit_set(struct edit *e, const char *text);
/* True when the input was for the line (it may have changed). Enter, Esc, Tab, Up and Down are not. */
bool edit_input(struct edit *e, const struct input *in);
/* Draw prompt and line in the pane's line y, scrolled so that the cursor is seen. */
void edit_draw(const struct edit *e, const struct pane *p, int y, const char *prompt);

#endif
