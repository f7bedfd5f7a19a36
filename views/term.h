/* The terminal: opened, painted and read here and nowhere else. ncurses does the output (only changed cells go out); the input is
 * read raw and decoded by input.h (keypad is off: ncurses would wait for the rest of a sequence, and would turn half of one into
 * letters, which are commands). One terminal a process. */
#ifndef GLUETOP_VIEWS_TERM_H
#define GLUETOP_VIEWS_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "views/canvas.h"
#include "views/input.h"
#include "views/theme.h"

struct terminal;

/* Standard input and output must be a terminal of a known type that can address its cursor; else ERR_USAGE with the reason.
 * colour false: no colours (--no-color); NO_COLOR is looked at here. */
struct err term_open(bool colour, struct terminal **out) ERR_MUST_CHECK;
void term_close(struct terminal *t);
int term_fd(const struct terminal *t);
enum colour_depth term_depth(const struct terminal *t);
void term_size(const struct terminal *t, int *width, int *height);

enum term_event { TERM_RESIZED = 1, TERM_RESUMED = 2, TERM_HUNG_UP = 4 };
/* Look at signals and read everything that has come into the decoder, without waiting. Bits of enum term_event. */
unsigned term_drain(struct terminal *t, struct input_decoder *decoder, int64_t mono_ms);

/* Show the canvas: writes what differs from what stands there, and nothing when nothing does. */
void term_show(struct terminal *t, const struct canvas *canvas);
/* The next term_show paints everything. */
void term_repaint(struct terminal *t);
/* Put text into the clipboard of the person's own terminal (OSC 52). The text must have been cleaned. False: too long. */
bool term_copy(struct terminal *t, const char *text);
/* Ring, and tell the desktop (OSC 9 or 777; any other number: not). The text is cleaned here. */
void term_notify(struct terminal *t, bool ring, int osc, const char *text);
void term_set_wake(void (*wake)(void *), void *arg);

#endif
