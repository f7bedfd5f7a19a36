/* The shell around the views: the stack of views behind each tab, header and footer, status line, dispatch of keys, and what every view has in
 * common (window of time, zone, places, start, stop, copy, export). It knows no terminal: keys come in decoded, a canvas goes out, so tests
 * drive the real thing in memory.
 *
 * A turn: shell_input for each key · shell_wants · shell_update when the model, the size or a setting changed · shell_draw. */
#ifndef GLUETOP_VIEWS_SHELL_H
#define GLUETOP_VIEWS_SHELL_H

#include <stdbool.h>
#include <stdint.h>
#include "app/intent.h"
#include "base/err.h"
#include "model/model.h"
#include "model/price.h"
#include "model/wants.h"
#include "views/actions.h"
#include "views/canvas.h"
#include "views/input.h"

struct shell;

struct shell_options {
  enum when_zone zone;
  bool read_only;
  bool demo;
  const char *view;                      /* to open on; NULL: the first */
  int64_t since_ms, until_ms;            /* INT64_MIN: everything; INT64_MAX: no end */
  const struct keymap *keys;             /* copied; NULL: the defaults */
  const struct price_table *prices;      /* NULL: the built-in ones; must outlive the shell */
  const struct board_measures *measures; /* NULL: none; must outlive the shell */
  const struct model *model;             /* for the first wants; NULL: comes with the first update */
  int64_t now_ms;
};

struct err shell_check_view(const char *name) ERR_MUST_CHECK; /* a view that the screen can open on */
struct err shell_new(const struct shell_options *options, struct shell **out) ERR_MUST_CHECK;
void shell_free(struct shell *s);
void shell_set_model(struct shell *s, const struct model *model, int64_t now_ms);
/* mono_ms: for what passes with time (a message, a repeated key). */
void shell_input(struct shell *s, const struct input *in, int64_t mono_ms, struct intents *out);
/* Budgets that were crossed since the last call: intents. Called each turn. */
void shell_tell_budgets(struct shell *s, struct intents *out);
void shell_wants(struct shell *s, struct wants *out);
/* Recompute what is on show. */
void shell_update(struct shell *s, const struct model *model, int64_t now_ms, int64_t mono_ms, bool quiet, int width,
                  int height);
void shell_draw(struct shell *s, struct canvas *canvas);

bool shell_done(const struct shell *s);
/* True once after Ctrl-L. */
bool shell_take_repaint(struct shell *s);
/* Text for the clipboard, or NULL; the caller frees. */
char *shell_take_copy(struct shell *s);
/* A setting changed (zone, window, place …): shell_update is due though the model stayed as it was. */
bool shell_stale(const struct shell *s);
/* The next key should wait for an update: it is meant for rows that are not there yet. Not so before a dialog, which takes no key that was
 * typed before it could be seen. */
bool shell_needs_rows(const struct shell *s);
/* The boards are behind the model: call shell_work, a slice of at most 2 ms, until it says false. When it has caught up with what
 * was never shown (shell_counts_anew), shell_stale is true; else what it found is for the next update. */
bool shell_has_work(const struct shell *s);
bool shell_counts_anew(const struct shell *s);
bool shell_work(struct shell *s, const struct model *model, int64_t now_ms);
/* Something on the screen changes with time alone; ms of the wall clock when it does next. */
int64_t shell_next_tick_ms(const struct shell *s, int64_t now_ms);

#endif
