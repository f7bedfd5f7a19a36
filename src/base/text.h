/* Text from outside, made safe and measured. The only place that knows about UTF-8, cell widths and hostile bytes.
 *
 * text_clean is the single gate: every string of the service, the config files, child processes and the network goes
 * through it before it reaches a cell, a log line, an error on stderr, a clipboard or a table. JSON output is escaped
 * instead (json.h), so that scripts see what the service said. */
#ifndef GLUETOP_BASE_TEXT_H
#define GLUETOP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"

enum text_mode {
  TEXT_LINE, /* one line: line ends (LF, CR LF, CR, U+2028, U+2029) become a visible mark (U+23CE, "\n" in ASCII mode),
              those at the very end nothing, tabs a blank */
  TEXT_BLOCK /* several lines: every line end is LF, tabs become blanks to the next multiple of 4 */
};

/* Append the cleaned form of src (len bytes) to out, as far as it fits (overflow tells). Removed: escape sequences whole
 * (CSI, OSC, DCS, SOS, PM, APC; 7-bit and C1 forms), other C0 and C1 controls, DEL, bidi controls and isolates,
 * zero-width and other invisible format characters, noncharacters. Broken UTF-8 (one per maximal subpart) and what the
 * C library's tables lack become U+FFFD. Clusters joined by ZWJ, with VS16, a skin tone or a keycap are reduced to
 * their base; a flag stays two letters of one cell each. A mark on nothing gets a dotted circle; more than four marks
 * on a letter are dropped. A control string (OSC and its like) without terminator ends before a line break, so that it
 * cannot hide the rest of a message. A carriage return is not played: who shows progress lines cuts them first. */
void text_clean(struct buf *out, const char *src, size_t len, enum text_mode mode);
char *text_clean_dup(const char *src, enum text_mode mode); /* malloced; NULL gives "" */

/* ASCII mode (--ascii, or a locale that is not UTF-8): set once at start. Cleaned text then has '?' for what ASCII lacks. */
void text_set_ascii(bool ascii);
bool text_is_ascii(void);

/* Cells that cleaned text takes: wcwidth's view, as ncurses uses, or utf8proc's when no UTF-8 locale is set. LF has none. */
int text_width(const char *s);
int text_width_n(const char *s, size_t len);
/* Bytes of the longest prefix of s that fits in cells; *used gets its cells. Never splits a letter or a cluster. */
size_t text_fit(const char *s, int cells, int *used);
/* Append s cut to cells; when cut, the last cell is the ellipsis (U+2026 or '~'). Pads with blanks to cells if pad. */
enum text_align { TEXT_LEFT, TEXT_RIGHT };
void text_put(struct buf *out, const char *s, int cells, enum text_align align, bool pad);

bool text_valid_utf8(const char *s, size_t len);
/* Case-insensitive (simple folding) substring search, for filters; returns byte offset or -1. */
long text_find_fold(const char *haystack, const char *needle);
/* Natural order without case: "job2" before "job10". For names in tables. */
int text_compare(const char *a, const char *b);
/* Shell-like pattern with * and ?; a pattern without either matches as a case-insensitive substring. */
bool text_match(const char *pattern, const char *s);

#endif
