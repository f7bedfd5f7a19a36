/* The one table of what a key can do. Dispatch, footer, help, palette, key remapping and doc/keys.md are made from it, so that they cannot
 * disagree.
 *
 * ACTION(NAME, "palette name", "default keys", holds, worth, "footer label", "what it does")
 *   default keys  names of views/input.h, separated by blanks; the first one is shown
 *   holds         HOLD_* bits: the action is there in a view that has one of them
 *   worth         0: not in the footer; else the higher the longer it stays in a narrow one
 *   HOLD_CHANGES  marks what changes something in AWS: hidden and refused when reading only */
#ifndef GLUETOP_VIEWS_ACTIONS_H
#define GLUETOP_VIEWS_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "views/input.h"

enum {
  HOLD_ANY = 1,        /* every view that takes no text */
  HOLD_LIST = 2,       /* rows under a cursor */
  HOLD_DOC = 4,        /* a text to be read */
  HOLD_JOB = 8,        /* something stands for a job */
  HOLD_RUN = 16,       /* something stands for a run */
  HOLD_WINDOW = 32,    /* depends on the window of time */
  HOLD_CHANGES = 64,   /* changes something in AWS */
  HOLD_TIMELINE = 128, /* moves in time */
  HOLD_PARTS = 256,    /* has several ways of looking at its figures */
  HOLD_MONEY = 512,    /* shows what rests on prices or quotas */
  HOLD_CHART = 1024    /* has a chart of money or DPU */
};

#define ACTION_TABLE(ACTION)                                                                                           \
  ACTION(ENTER, "enter", "Enter", HOLD_LIST, 90, "open", "go into what is under the cursor")                           \
  ACTION(BACK, "back", "Esc", HOLD_ANY, 0, "back", "go back; clears the filter first; never quits")                    \
  ACTION(CLOSE, "close", "q", HOLD_ANY, 0, "close", "close the view; at the root, quit")                               \
  ACTION(BEFORE, "before", "Backspace", HOLD_ANY, 0, "before", "the view before this one")                             \
  ACTION(DOWN, "down", "j Down", HOLD_LIST | HOLD_DOC, 0, "down", "one row down")                                      \
  ACTION(UP, "up", "k Up", HOLD_LIST | HOLD_DOC, 0, "up", "one row up")                                                \
  ACTION(PAGE_DOWN, "page-down", "PgDn Ctrl-F", HOLD_LIST | HOLD_DOC, 0, "page down", "one page down")                 \
  ACTION(PAGE_UP, "page-up", "PgUp Ctrl-B", HOLD_LIST | HOLD_DOC, 0, "page up", "one page up")                         \
  ACTION(FIRST, "first", "g Home", HOLD_LIST | HOLD_DOC, 0, "first", "the first row")                                  \
  ACTION(LAST, "last", "G End", HOLD_LIST | HOLD_DOC, 0, "last", "the last row")                                       \
  ACTION(LEFT, "left", "Left", HOLD_LIST | HOLD_DOC, 0, "left", "columns to the left; in a timeline, earlier")         \
  ACTION(RIGHT, "right", "Right", HOLD_LIST | HOLD_DOC, 0, "right", "columns to the right; in a timeline, later")      \
  ACTION(START, "start", "s", HOLD_JOB | HOLD_RUN | HOLD_CHANGES, 80, "start",                                         \
         "start the job, or start like this run")                                                                      \
  ACTION(STOP, "stop", "X", HOLD_RUN | HOLD_CHANGES, 78, "stop", "stop the run, or the marked runs")                   \
  ACTION(FILTER, "filter", "/", HOLD_LIST | HOLD_DOC, 70, "filter",                                                    \
         "show only the rows that match; in a text, search")                                                           \
  ACTION(NEXT_MATCH, "next-match", "n", HOLD_LIST | HOLD_DOC, 0, "next", "the next match")                             \
  ACTION(PREV_MATCH, "previous-match", "N", HOLD_LIST | HOLD_DOC, 0, "previous", "the previous match")                 \
  ACTION(PROBLEMS, "problems", "!", HOLD_LIST, 60, "problems only", "show problems only, or everything again")         \
  ACTION(SORT, "sort", "o", HOLD_LIST, 50, "sort", "sort by a column; the same one again reverses")                    \
  ACTION(NEXT_FAILURE, "next-failure", "f", HOLD_LIST, 0, "next failure", "the next failure")                          \
  ACTION(PREV_FAILURE, "previous-failure", "F", HOLD_LIST, 0, "previous failure", "the previous failure")              \
  ACTION(PART, "part", "Tab", HOLD_PARTS, 66, "part", "the next part of the board: by job, by day, by class …")        \
  ACTION(PRICES, "prices", "p", HOLD_MONEY, 36, "prices", "the prices and quotas in use, with date and source")        \
  ACTION(MARK, "mark", "Space", HOLD_LIST, 20, "mark", "mark the row, or take its mark away")                          \
  ACTION(MARK_ALL, "mark-all", "*", HOLD_LIST, 0, "mark all", "mark all rows that are shown")                          \
  ACTION(UNMARK, "unmark", "\\", HOLD_LIST, 0, "unmark", "take all marks away")                                        \
  ACTION(RUNS, "job-runs", "R", HOLD_JOB | HOLD_RUN, 0, "runs", "all runs of the job")                                 \
  ACTION(DESCRIBE, "describe", "d", HOLD_JOB | HOLD_RUN, 40, "job", "the job: definition, arguments, triggers")        \
  ACTION(RAW, "raw", "y", HOLD_JOB | HOLD_RUN, 0, "JSON", "the service's own answer as JSON, secrets masked")          \
  ACTION(COPY, "copy", "c", HOLD_JOB | HOLD_RUN, 30, "copy id", "copy the run id or job name to the clipboard")        \
  ACTION(COPY_ARN, "copy-arn", "C", HOLD_JOB | HOLD_RUN, 0, "copy ARN", "copy the ARN of the job")                     \
  ACTION(LINK, "link", "O", HOLD_JOB | HOLD_RUN, 0, "link", "show the link to the web console and copy it")            \
  ACTION(EXPORT, "export", "E", HOLD_LIST | HOLD_DOC, 0, "export", "write what is shown to a file: CSV, JSON or text") \
  ACTION(WRAP, "wrap", "w", HOLD_LIST | HOLD_DOC, 0, "wrap", "wrap long lines, or show them wide")                     \
  ACTION(REFRESH, "refresh", "r", HOLD_ANY, 0, "refresh", "ask the service again for what is shown")                   \
  ACTION(EARLIER, "earlier", "[", HOLD_WINDOW, 0, "earlier", "the window of time: half of it earlier")                 \
  ACTION(LATER, "later", "]", HOLD_WINDOW, 0, "later", "half of it later")                                             \
  ACTION(CLOSER, "closer", "+ =", HOLD_WINDOW, 0, "closer", "a shorter window")                                        \
  ACTION(WIDER, "wider", "-", HOLD_WINDOW, 0, "wider", "a longer window")                                              \
  ACTION(TODAY, "today", "T", HOLD_WINDOW, 0, "today", "from midnight until now; again: as before; :window types any") \
  ACTION(MEASURE, "measure", "$", HOLD_CHART, 34, "chart", "the chart in dollars per hour, or in DPU")                 \
  ACTION(ZONE, "zone", "u", HOLD_ANY, 0, "UTC", "local time or UTC")                                                   \
  ACTION(PLACE, "place", "@", HOLD_ANY, 0, "account", "the next account alone, or all together")                       \
  ACTION(PALETTE, "palette", ":", HOLD_ANY, 95, "command", "type a command; Tab completes, Up recalls")                \
  ACTION(HELP, "help", "? F1", HOLD_ANY, 100, "help", "help for this view")                                            \
  ACTION(MESSAGES, "messages", "M", HOLD_ANY, 0, "messages", "what went wrong lately, in full")                        \
  ACTION(REPAINT, "repaint", "Ctrl-L", HOLD_ANY, 0, "repaint", "draw the whole screen again")                          \
  ACTION(TAB_1, "tab-1", "1", HOLD_ANY, 0, "view 1", "the views of the tab line, in its order")                        \
  ACTION(TAB_2, "tab-2", "2", HOLD_ANY, 0, "view 2", "")                                                               \
  ACTION(TAB_3, "tab-3", "3", HOLD_ANY, 0, "view 3", "")                                                               \
  ACTION(TAB_4, "tab-4", "4", HOLD_ANY, 0, "view 4", "")                                                               \
  ACTION(TAB_5, "tab-5", "5", HOLD_ANY, 0, "view 5", "")                                                               \
  ACTION(TAB_6, "tab-6", "6", HOLD_ANY, 0, "view 6", "")                                                               \
  ACTION(TAB_7, "tab-7", "7", HOLD_ANY, 0, "view 7", "")                                                               \
  ACTION(TAB_8, "tab-8", "8", HOLD_ANY, 0, "view 8", "")                                                               \
  ACTION(TAB_9, "tab-9", "9", HOLD_ANY, 0, "view 9", "")                                                               \
  ACTION(TAB_10, "tab-10", "0", HOLD_ANY, 0, "view 10", "")                                                            \
  ACTION(QUIT, "quit", "", HOLD_ANY, 0, "quit", "leave gluetop")

#define ACTION_ENUM(name, word, keys, holds, worth, label, text) ACTION_##name,
enum action { ACTION_NONE, ACTION_TABLE(ACTION_ENUM) ACTION_COUNT };
#undef ACTION_ENUM

struct action_info {
  const char *word;
  const char *default_keys;
  unsigned holds;
  int worth;
  const char *label;
  const char *text;
};
const struct action_info *action_info(enum action a);
enum action action_find(const char *word); /* ACTION_NONE: there is none */

#define ACTION_KEYS_MAX 6
struct keymap {
  struct input keys[ACTION_COUNT][ACTION_KEYS_MAX];
  size_t key_count[ACTION_COUNT];
};
void keymap_init(struct keymap *m); /* the defaults */
/* Give an action other keys (names separated by blanks; "" for none). A key that another action with an overlapping hold has is taken from
 * it. ERR_CONFIG: no such action or key. */
struct err keymap_set(struct keymap *m, const char *word, const char *keys) ERR_MUST_CHECK;
/* The action of that key in a view with those holds; ACTION_NONE. read_only hides what changes AWS. */
enum action keymap_find(const struct keymap *m, const struct input *in, unsigned holds, bool read_only);
/* The key to show for an action, "" when it has none. */
const char *keymap_key(const struct keymap *m, enum action a, char out[INPUT_KEY_NAME_MAX]);
/* All keys of an action, separated by blanks. */
void keymap_keys(const struct keymap *m, enum action a, struct buf *out);
/* doc/keys.md */
void keymap_write_markdown(struct buf *out);

#endif
