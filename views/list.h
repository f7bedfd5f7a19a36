/* The one table widget. A view gives columns and rows; drawing, sorting, filtering, marks, horizontal scrolling and a selection that
 * follows the row it stands on come from here.
 *
 * Rows are plain copies made by the view in its update (never pointers into the model). Each begins with a struct row_key, which says what the
 * row stands for: the cursor, the marks and every dialog hold on to keys, not to positions. Texts are made when a row is drawn, so a list of
 * 50,000 rows costs a window full of texts. Text of columns goes through text_clean on its way to the canvas. */
#ifndef GLUETOP_VIEWS_LIST_H
#define GLUETOP_VIEWS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/strpool.h"
#include "base/text.h"
#include "base/when.h"
#include "model/model.h"
#include "views/actions.h"
#include "views/canvas.h"

/* Compared as bytes: make it with row_key_of_job, row_key_of_run or row_key_of_number, which leave no padding unset. */
struct row_key {
  int32_t place;
  strid job;
  strid id_text;
  uint32_t attempt_and_form;
  uint8_t id[32];
};
struct row_key row_key_of_job(int place, strid job);
struct row_key row_key_of_run(int place, strid job, const struct run *r);
struct row_key row_key_of_number(int64_t n);
bool row_key_equal(const struct row_key *a, const struct row_key *b);

/* What texts are made for. */
struct list_env {
  const struct strpool *strings;
  int64_t now_ms;
  enum when_zone zone;
};

struct list_column {
  const char *title;
  const char *word; /* for the sort menu and `:sort`; NULL: cannot be sorted by */
  void (*text)(const void *row, const struct list_env *env, struct buf *out);
  int (*compare)(const void *a, const void *b, const struct list_env *env);
  unsigned (*style)(const void *row); /* NULL: plain */
  int min, max;                       /* cells; where they differ the width is that of the longest text, within them */
  int worth;                          /* 100: always there; the least are left out first in a narrow window */
  int wish;                           /* has this width, or what its texts need, before columns of less worth come in */
  enum text_align align;
  bool searched;  /* the filter looks into it */
  bool name;      /* is reversed under the cursor */
  bool greedy;    /* takes what is left of the window, up to max */
  bool big_first; /* sorting by it begins with the largest */
};

struct list_ops {
  size_t row_size;
  const struct list_column *columns;
  size_t column_count;
  size_t fixed;                     /* columns that horizontal scrolling leaves in place */
  bool (*problem)(const void *row); /* for "problems only" and next failure; NULL: none is */
  bool (*is_new)(const void *row);  /* gets a sign; NULL: none is */
};

#define LIST_COLUMNS_MAX 32

struct list {
  const struct list_ops *ops;
  struct list_env env;
  unsigned char *rows; /* row_count of ops->row_size, in the order of the view (its default order) */
  size_t row_count, row_cap;
  uint32_t *order; /* what is shown: indexes into rows, filtered and sorted */
  size_t shown, order_cap;
  size_t problems; /* rows that are problems, filtered or not */
  struct row_key selected;
  bool has_selection;
  bool
      touched; /* the person has moved: until then the cursor stays on the first row, whichever that becomes while rows arrive */
  size_t at;  /* position of the cursor in order */
  size_t top; /* first position in the window */
  int height; /* rows that fit, from the last drawing */
  int skip;   /* columns scrolled away */
  int sort;   /* column, -1: the view's own order */
  bool reverse;
  bool problems_only;
  bool wrap;
  char *filter;                   /* cleaned, "" for none */
  struct list_mark *marks;        /* hash table */
  bool hidden[LIST_COLUMNS_MAX];  /* columns that would say nothing now */
  int measured[LIST_COLUMNS_MAX]; /* longest text so far; only grows, so that columns do not jump */
};

void list_init(struct list *l, const struct list_ops *ops);
void list_fini(struct list *l);

/* New rows: list_begin, list_add for each (zeroed memory for one row; begin it with its key), list_end. */
void list_begin(struct list *l, const struct list_env *env);
void *list_add(struct list *l);
void list_end(struct list *l);

/* The row under the cursor, or NULL. Valid until the next change of rows. */
const void *list_current(const struct list *l);
const void *list_row(const struct list *l, size_t position); /* of those shown */
bool list_select(struct list *l, const struct row_key *key); /* false: not shown */

void list_set_filter(struct list *l, const char *filter);
void list_set_problems_only(struct list *l, bool on);
void list_set_sort(struct list *l, int column, bool reverse);
/* Hide a column that would say nothing now (the account, when there is one). */
void list_hide(struct list *l, const char *word, bool hidden);
int list_find_column(const struct list *l, const char *word); /* -1 */

bool list_is_marked(const struct list *l, const struct row_key *key);
size_t list_mark_count(const struct list *l);
void list_toggle_mark(struct list *l, const struct row_key *key);
void list_unmark_all(struct list *l);
/* Marked rows that are still there, in the order shown (filtered ones behind them); else the one under the cursor. Caller frees the array. */
size_t list_chosen(const struct list *l, const void ***rows);

/* Move, mark, scroll: true when the action was one of the list's own. */
bool list_act(struct list *l, enum action a);
void list_draw(struct list *l, const struct pane *p);
/* The table as text, all rows shown, at that width. */
void list_write_text(const struct list *l, int width, struct buf *out);
/* "412 rows", "12 of 412", with sort and marks: for the caption. */
void list_write_caption(const struct list *l, const char *noun, struct buf *out);

#endif
