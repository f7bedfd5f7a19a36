#include "views/pieces.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/xalloc.h"

void pieces_add(struct pieces *l, int worth, int gap, unsigned style, const char *format, ...)
{
  va_list args;
  if (l->count < PIECES_MAX) {
    va_start(args, format);
    char *raw = xvasprintf(format, args);
    va_end(args);
    l->items[l->count++] = (struct piece){
        .text = text_clean_dup(raw, TEXT_LINE), .style = style, .worth = worth, .gap = gap, .right = false};
    free(raw);
  }
}

void pieces_drop(struct pieces *l, size_t i)
{
  free(l->items[i].text);
  memmove(&l->items[i], &l->items[i + 1], (l->count - i - 1) * sizeof l->items[0]);
  l->count--;
}

void pieces_clear(struct pieces *l)
{
  while (l->count > 0) {
    pieces_drop(l, l->count - 1);
  }
}

int pieces_width(const struct pieces *l)
{
  int sum = 0;
  for (size_t i = 0; i < l->count; i++) {
    sum += text_width(l->items[i].text) + l->items[i].gap;
  }
  return sum;
}

void pieces_fit(struct pieces *l, int width)
{
  while (l->count > 1 && pieces_width(l) > width) {
    size_t least = 0;
    for (size_t i = 1; i < l->count; i++) {
      if (l->items[i].worth < l->items[least].worth) {
        least = i;
      }
    }
    pieces_drop(l, least);
    while (least < l->count && l->items[least].gap == 1) { /* an amount goes with its word */
      pieces_drop(l, least);
    }
  }
}

void pieces_draw(struct pieces *l, const struct pane *p, int y, int x)
{
  int right = 0;
  pieces_fit(l, p->width - x - 1);
  for (size_t i = 0; i < l->count; i++) {
    right += l->items[i].right ? text_width(l->items[i].text) + l->items[i].gap : 0;
  }
  int right_x = p->width - right - 1; /* one blank at the end */
  for (size_t i = 0; i < l->count; i++) {
    int *at = l->items[i].right ? &right_x : &x;
    *at += l->items[i].gap;
    *at += pane_put(p, y, *at, l->items[i].style, l->items[i].text);
  }
}
