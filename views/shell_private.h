/* What the files of the shell share. */
#ifndef GLUETOP_VIEWS_SHELL_PRIVATE_H
#define GLUETOP_VIEWS_SHELL_PRIVATE_H

#include "views/desk.h"
#include "views/shell.h"
#include "views/view.h"

#define SHELL_DEPTH_MAX   24
#define SHELL_TABS_MAX    10
#define SHELL_VISITED_MAX 64
#define SHELL_SMALLEST_W  24
#define SHELL_SMALLEST_H  5

struct shell_tab {
  struct view *stack[SHELL_DEPTH_MAX];
  size_t depth; /* 0: not opened yet */
};

/* Where one was, for "the view before". */
struct shell_visit {
  size_t tab, depth;
};

/* What the header says; counted in shell_update. */
struct shell_summary {
  size_t jobs, jobs_read, jobs_denied;
  size_t active, waiting, failing; /* runs; jobs whose last run failed */
  double dpu;                      /* of what runs; a lower bound when dpu_unknown */
  bool dpu_unknown, dpu_rough;
  int64_t today_nano; /* -1: not known yet */
  bool today_rough;
  int64_t hour_nano;                 /* what runs now costs an hour; -1 */
  size_t need_errors, need_warnings; /* what Home shows */
  bool counted;                      /* the last five are known */
  int64_t synced_ms;                 /* the oldest of the good answers that matter; WHEN_NONE: none yet */
  enum err_kind trouble;
  bool login;
  size_t unseen_events;
};

struct shell {
  struct keymap keys;
  struct scene scene;
  struct shell_tab tabs[SHELL_TABS_MAX];
  size_t tab_count, tab;
  struct shell_visit visited[SHELL_VISITED_MAX];
  size_t visited_count;
  struct shell_summary summary;
  bool demo, done, repaint, stale;
  bool jumped; /* a key has just moved to another view */
  char *copy;
  /* the window of time */
  int64_t span_ms; /* INT64_MAX: everything */
  int64_t end_ms;  /* INT64_MAX: now */
  int64_t span_before_today;
  bool today;
  int64_t from_ms; /* a typed range begins exactly here; WHEN_NONE: span_ms before its end */
  /* status line */
  char *say;
  enum role say_role;
  int64_t say_until_ms; /* monotonic */
  int64_t mono_ms;
  size_t problems_seen;
  uint64_t mfa_asked;    /* one bit for each context */
  uint8_t *changes_told; /* result told of each change of the model */
  size_t changes_told_cap;
  /* Who looks: notices up to `present_number` came under the eyes of somebody. */
  bool focus_lost;
  int64_t present_ms; /* monotonic, of the last sign of the person */
  uint64_t present_number;
  uint64_t away_after, away_until; /* what came during the last absence */
  struct budget_watch {
    int64_t begins_ms; /* of the day or month that was looked at last; 0: none yet */
    bool over;
    char *text; /* a crossing that is to be told; NULL */
  } budgets[2]; /* of the day, of the month */
  /* the key that said yes: its repeats are swallowed for a while */
  struct input held;
  int64_t held_until_ms;
  char *export_path; /* to be written at the next chance */
};

extern const struct view_ops *const shell_tab_views[];
extern const size_t shell_tab_view_count;

struct view *shell_top(const struct shell *s);
/* The view that fills the screen: the topmost that is no overlay. */
struct view *shell_main(const struct shell *s);
/* The view under v on its stack; NULL. */
struct view *shell_below(const struct shell *s, const struct view *v);
void shell_say(struct shell *s, enum role role, const char *format, ...) __attribute__((format(printf, 3, 4)));
void shell_open(struct shell *s, const struct view_ops *ops, const struct subject *subjects, size_t count,
                const char *text);
void shell_pop(struct shell *s);
const char *shell_change_word(enum change_result r); /* how a start or stop went, in a word */
void shell_go_to_tab(struct shell *s, size_t tab);
void shell_go_to_view(struct shell *s, const struct view_ops *ops); /* its tab */
/* Carry out an action that no view has handled. */
void shell_act(struct shell *s, enum action a, struct intents *out);
/* Carry out a line of the palette. */
void shell_command(struct shell *s, const char *line, struct intents *out);
bool shell_write_under_way(const struct shell *s);
void shell_set_window(struct shell *s, int64_t span_ms, int64_t end_ms);
/* A range as somebody typed it (when_parse_range); what cannot be read is told in a sentence. */
void shell_type_window(struct shell *s, const char *text);
void shell_resolve_window(struct shell *s);
/* The job of that name among the places on show: of the place of what is marked where it has one; in how many places there is one: 0, 1 or more. */
size_t shell_find_job(const struct shell *s, const char *name, struct subject *out);
void shell_export(struct shell *s, const char *path);

/* presence.c: a key or the focus has come, or the focus has gone; and, before each drawing, what the absence so far holds. */
void shell_note_presence(struct shell *s, const struct input *in, struct intents *out);
void shell_resolve_absence(struct shell *s);
/* budgets.c */
struct burn_result;
void shell_watch_budgets(struct shell *s, const struct burn_result *burn);
void shell_want_budgets(const struct shell *s, struct wants *out);
void shell_forget_budgets(struct shell *s);

void shell_summarise(struct shell *s);
void shell_draw_frame(const struct shell *s, struct canvas *canvas, const struct pane *body);

/* Names for completion: calls fn for each candidate for the word being typed at the end of line. */
typedef void complete_fn(void *user, const char *candidate, const char *about);
/* Free what the palette remembers. */
void palette_forget(void);
void shell_complete(const struct model *model, struct view *below, const char *line, complete_fn *fn, void *user);

#endif
