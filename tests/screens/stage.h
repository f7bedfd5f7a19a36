/* A stage for tests of views: a made-up account, the real shell and views, and a canvas in memory instead of a terminal. */
#ifndef GLUETOP_TESTS_STAGE_H
#define GLUETOP_TESTS_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "app/intent.h"
#include "model/model.h"
#include "views/canvas.h"
#include "views/shell.h"

/* Mon 2026-11-30 14:03:00 UTC; the zone is CET-1. */
#define STAGE_NOW INT64_C(1796047380000)

enum stage_account {
  STAGE_FULL,       /* a dozen jobs of every kind, with trouble */
  STAGE_EMPTY,      /* read, and nothing is there */
  STAGE_READING,    /* nothing has come yet */
  STAGE_FAILING,    /* nothing could be read */
  STAGE_STALE,      /* the full one, an hour old, and now the network is gone */
  STAGE_HOSTILE,    /* names and texts that want to break the screen */
  STAGE_TWO,        /* two accounts at once */
  STAGE_UNCONFIRMED /* the full one, before STS has spoken */
};

struct stage {
  struct model *model;
  struct shell *shell;
  struct canvas canvas;
  struct intents intents;
  struct price_table *prices; /* what the views count with, unless the options say otherwise */
  int64_t now_ms, mono_ms;
};

/* options may be NULL. */
void stage_open(struct stage *s, enum stage_account account, int width, int height,
                const struct shell_options *options);
void stage_close(struct stage *s);
void stage_fill(struct model *m, enum stage_account account);
/* What the Events view tells: three events that somebody saw, and, when asked for, what came after that. */
void stage_put_events(struct model *m, int place, bool more);
/* What the Polling view tells of the places that there are. */
void stage_put_polling(struct model *m);
/* The first place was told its prices and quotas; what others ask is denied. */
void stage_put_rates(struct stage *s);
/* Update and draw, as after a turn of the loop. */
void stage_frame(struct stage *s);
/* Keys by their names, separated by blanks, each followed by a frame. */
void stage_keys(struct stage *s, const char *names);
/* The same keys without a frame between them: as they come when somebody leans on one. */
void stage_keys_at_once(struct stage *s, const char *names);
void stage_type(struct stage *s, const char *text);
void stage_paste(struct stage *s, const char *text);
void stage_resize(struct stage *s, int width, int height);
/* Add, or change, a run of the full account's job (state, started that long ago; ended that long ago or never: -1). */
void stage_put_run(struct model *m, int place, const char *job, unsigned number, const char *state,
                   int64_t started_ago_ms, int64_t ended_ago_ms, const char *error);

/* The screen as text; with looks, each line that has any is followed by runs of them: "  | 0-5 bold reverse fg=203". malloced. */
char *stage_dump(const struct stage *s, bool looks, enum colour_depth depth);
bool stage_shows(const struct stage *s, const char *text);
/* One line without trailing blanks; valid until the next call. */
const char *stage_line(const struct stage *s, int y);

#endif
