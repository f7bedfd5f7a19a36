/* What the files of this folder share and nobody else includes. */
#ifndef GLUETOP_BASE_PRIVATE_H
#define GLUETOP_BASE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_REPLACEMENT 0xFFFD

/* One code point of len > 0 bytes; *used gets its bytes. -1: broken, and *used is the maximal subpart (Unicode 3.9,
 * the practice for replacement characters). */
int32_t text_next(const char *s, size_t len, size_t *used);
/* Bytes written to out, which holds 4. */
size_t text_encode(int32_t c, char out[4]);

/* Is there a cluster border between a and b? *state is 0 at the start of a text. */
bool text_breaks(int32_t a, int32_t b, int32_t *state);
/* Simple case folding, letter by letter. */
int32_t text_fold(int32_t c);
bool text_is_control(int32_t c); /* C0, DEL, C1 */
/* Bidi controls, joiners, variation selectors, tags, fillers, noncharacters: nothing that a reader would see. */
bool text_is_invisible(int32_t c);
/* utf8proc's opinion, for when the C library has none (a locale that is not UTF-8). */
int text_table_cells(int32_t c);

/* Cells of one code point as ncurses draws it. */
int text_cells(int32_t c);
/* False where the C library cannot print c although its locale is UTF-8: too new for its tables. */
bool text_is_printable(int32_t c);

/* Bytes of the escape sequence that begins at s, 0 when none begins there. Linear over a whole text: *dead is NULL at
 * the start of it and remembers how far a search for a terminator has already failed. */
size_t text_escape_length(const char *s, size_t len, const char **dead);

#endif
