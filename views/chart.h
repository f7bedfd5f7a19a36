/* Drawings out of block letters: bars, sparklines, areas, stretches of time, the axis below or above them. Each has an ASCII form. */
#ifndef GLUETOP_VIEWS_CHART_H
#define GLUETOP_VIEWS_CHART_H

#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/when.h"
#include "views/canvas.h"

#define CHART_EIGHTHS 8

/* One cell: filled from its left, or from its bottom, by so many eighths (0..8); the stretch from..to of a cell as near as a letter comes. */
const char *chart_left(int eighths);
const char *chart_up(int eighths);
const char *chart_part(int from, int to);

/* A bar of at most `cells` cells. share 0..1; something is at least an eighth, more than everything is everything. NAN: nothing. */
void chart_bar(struct buf *out, int cells, double share);
/* One cell a value, the largest fills its cell; negative values are blanks. */
void chart_spark(struct buf *out, const int64_t *values, size_t count);
/* The same with the average at half height, so that what stays as it is stays low, and twice the average fills its cell. */
void chart_spark_usual(struct buf *out, const int64_t *values, size_t count);
/* Fill the pane from its bottom, one column a value; `top` is the value of its full height. Negative values: a dot on the ground, for what
 * is not known. */
void chart_area(const struct pane *p, const int64_t *values, size_t count, int64_t top, unsigned style);
/* The next round number (1, 2, 2.5 or 5 times a power of ten) that is not below. */
int64_t chart_round_up(int64_t value);

#define CHART_TICKS_MAX 64
struct chart_tick {
  int64_t at_ms;
  char label[WHEN_TEXT_MAX];
};
/* Round moments of the zone within [since, until), as many as have room for their labels in `cells`. A day of 23 or 25 hours has its own
 * ticks; they stand in the order of UTC. */
size_t chart_ticks(int64_t since_ms, int64_t until_ms, int cells, enum when_zone zone, struct chart_tick *out,
                   size_t cap);
/* Cells [from, to) of an axis that are for something else. */
struct chart_keep {
  int from, to;
};
/* Their labels in a line, each beginning at its moment, and none where cells are kept. */
void chart_axis(const struct pane *p, int y, int x, int cells, int64_t since_ms, int64_t until_ms, enum when_zone zone,
                const struct chart_keep *keep, size_t keep_count, unsigned style);

#endif
