/* A text to be read: headings, fields with their labels in one column, paragraphs. Wrapped or wide, scrolled, searched. Views of one run,
 * one job, raw answers, help and messages are made of it. Texts are cleaned here. */
#ifndef GLUETOP_VIEWS_DOC_H
#define GLUETOP_VIEWS_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "views/actions.h"
#include "views/canvas.h"

struct doc_line {
  char *label; /* NULL: the text begins at the indent */
  char *text;
  unsigned label_style, style;
  int indent;
};

struct doc_text {
  struct doc_line *lines;
  size_t count, cap;
  int label_width;
  size_t top; /* first line of the window, counted in lines of the screen */
  int skip;   /* cells scrolled to the right, when wide */
  bool wide;
  int height, width;
  size_t screen_lines;
  char *search;   /* "" for none */
  size_t matches; /* lines with a match */
  long match;     /* line to be brought to view; -1 */
};

void doc_init(struct doc_text *d);
void doc_fini(struct doc_text *d);
void doc_begin(struct doc_text *d); /* empties it; scrolling and search stay */
void doc_heading(struct doc_text *d, const char *text);
/* A field; NULL text is left out. */
void doc_field(struct doc_text *d, const char *label, unsigned style, const char *text);
void doc_fieldf(struct doc_text *d, const char *label, unsigned style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Paragraphs: line feeds of the text are kept. */
void doc_text(struct doc_text *d, int indent, unsigned style, const char *text);
void doc_blank(struct doc_text *d);

bool doc_act(struct doc_text *d, enum action a);
void doc_set_search(struct doc_text *d, const char *text);
/* Lines of the screen that it takes at that width. */
size_t doc_measure(const struct doc_text *d, int width);
void doc_draw(struct doc_text *d, const struct pane *p);
void doc_write_text(const struct doc_text *d, struct buf *out);
void doc_write_caption(const struct doc_text *d, struct buf *out);

#endif
