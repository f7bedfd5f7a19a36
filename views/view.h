/* What a view is. Views live on the stack of the shell; each has its own state, so two of a kind can stand open.
 *
 * Order of calls: open once; then, whenever the model, the window or the zone changed, update; draw after that or after a key; input
 * for each key; wants once a turn; close at the end. Only update sees the model, and keeps copies and keys of what it shows, never
 * pointers (texts of the string pool excepted, which outlive every view). draw makes cells only. input says in the outcome what must
 * happen; the shell does it. No view runs a loop. */
#ifndef GLUETOP_VIEWS_VIEW_H
#define GLUETOP_VIEWS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "app/intent.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/when.h"
#include "model/model.h"
#include "model/price.h"
#include "model/stats.h"
#include "model/wants.h"
#include "report/report.h"
#include "views/actions.h"
#include "views/canvas.h"
#include "views/list.h"

/* What update may look at. */
struct desk;
struct scene {
  const struct model *model;
  int64_t now_ms;
  enum when_zone zone;
  int64_t since_ms, until_ms; /* the window; INT64_MIN: everything; INT64_MAX: and what is still to come */
  int place;                  /* the one place on show; -1: all */
  bool read_only;
  bool quiet;        /* nothing in flight and every question answered */
  int width, height; /* of the view's pane */
  /* Notices with a number in (away_after, away_until] came while nobody looked; none when they are equal. */
  uint64_t away_after, away_until;
  const struct keymap *keys;
  const struct price_table *prices; /* NULL: the built-in ones */
  struct stats_cache *stats;        /* usual lengths, shared by all views */
  struct desk *desk;                /* the boards' figures; views/desk.h */
};

/* What something on the screen stands for: what start, stop, copy and describe act on. */
struct subject {
  int place;
  strid job;
  const char *job_name; /* from the string pool */
  bool has_run;
  char run_id[RUN_ID_MAX]; /* "" without a run */
  enum run_state state;
};

struct view;
struct view_ops;

/* What a view is opened with; each view says which it needs. Strings are copied by open. */
struct view_args {
  const struct subject *subjects; /* what it is about */
  size_t subject_count;
  const char *text;
  const struct scene *scene; /* of the last frame; NULL at the start */
  struct view *below;        /* the view it was opened from; outlives this one */
};

enum handled { HANDLED_NO, HANDLED_YES };

/* What must happen after an input. The shell does it when input has returned. */
struct outcome {
  struct intents *intents;
  bool close;                  /* take this view away */
  const struct view_ops *open; /* and put one of these on top (or instead) */
  struct subject *subjects;    /* for open; owned by the outcome */
  size_t subject_count;
  char *text;         /* for open; owned */
  char *command;      /* a palette command to be carried out; owned */
  enum action action; /* an action for the view below, once this one is away */
  char *copy;         /* for the clipboard; owned */
  char *say;          /* for the status line; owned */
  enum role say_role;
  bool stale; /* the view wants update before the next drawing */
};
void outcome_fini(struct outcome *o);
void outcome_say(struct outcome *o, enum role role, const char *format, ...) __attribute__((format(printf, 3, 4)));
void outcome_open(struct outcome *o, const struct view_ops *ops, const struct subject *subjects, size_t count);

enum {
  VIEW_OVERLAY = 1,    /* drawn over the view below, which stays visible */
  VIEW_TAKES_TEXT = 2, /* letters are text, not actions */
  VIEW_CURVES = 8,     /* shows what runs at the same time: desk_keep_loads */
  VIEW_BOTTOM = 4      /* an overlay on the lines at the bottom of the screen */
};

struct view_ops {
  const char *name;        /* palette name, tab, breadcrumb */
  const char *about;       /* one sentence for help */
  const char *enter_label; /* what Enter does, for the footer; NULL: the table's word */
  unsigned holds;          /* HOLD_* */
  unsigned flags;          /* VIEW_* */
  size_t state_size;
  int64_t
      step_ms; /* what it shows changes with time alone, in steps of that length; 0: as the clock of the header does */
  struct err (*open)(struct view *, const struct view_args *);
  void (*close)(struct view *);
  void (*wants)(const struct view *, const struct scene *, struct wants *);
  void (*update)(struct view *, const struct scene *);
  void (*draw)(struct view *, const struct pane *);
  enum handled (*input)(struct view *, const struct input *, enum action, struct outcome *);
  /* Optional. */
  void (*crumb)(const struct view *, struct buf *out);   /* else the name */
  void (*caption)(const struct view *, struct buf *out); /* counts, sort, filter: right end of the caption line */
  /* One line about what is under the cursor, for the status line; false: nothing to say. */
  bool (*detail)(const struct view *, struct buf *out, enum role *role);
  bool (*subject)(const struct view *, struct subject *out);
  /* What stop and start act on: the marked rows, else the subject. Caller frees. */
  size_t (*subjects)(const struct view *, struct subject **out);
  struct list *(*list)(struct view *);
  struct doc_text *(*doc)(struct view *);
  /* Asked after update: should the window end elsewhere (INT64_MAX: at now), so that what was sought is on show? */
  bool (*moves)(struct view *, int64_t *end_ms);
  /* What is shown, in that form, for `E`. The model is that of the last frame. False: it cannot. */
  bool (*report)(struct view *, const struct scene *, enum report_format, struct buf *out);
};

struct view {
  const struct view_ops *ops;
  void *state;
  bool drawn; /* since it was opened: a dialog takes no key typed before that */
  bool stale; /* update before the next drawing */
};

struct view *view_new(const struct view_ops *ops, const struct view_args *args, struct err *error);
void view_free(struct view *v);

/* The open context to speak to a place with: the first confirmed one that leads there, else the first; -1: none. */
int scene_context_of(const struct model *m, int place);
bool scene_shows(const struct scene *s, int place);

/* Views that open from others. */
extern const struct view_ops home_view, timeline_view, burn_view, collisions_view, timeouts_view, prices_view,
    jobs_view, runs_view, job_runs_view, run_view, job_view, raw_view, help_view, messages_view, palette_view,
    filter_view, sort_view, start_view, stop_view, export_view, quit_view, login_view, mfa_view, whoami_view;
extern const struct view_ops events_view, polling_view;

#endif
