/* What the boards have in common: a few lines of sums, perhaps a chart, and below them one of several lists ("parts": by job, by day …) that
 * Tab goes through. Each part keeps its own cursor, filter and sorting. */
#ifndef GLUETOP_VIEWS_BOARD_H
#define GLUETOP_VIEWS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include "views/view.h"

struct board_part {
  const char *word; /* "by job": for the caption */
  const char *noun; /* "jobs" */
  const struct list_ops *ops;
};

#define BOARD_PARTS_MAX 6

/* Each row of a board's list begins with this. */
struct board_row {
  struct row_key key;
  int place; /* -1: of no place */
  strid job; /* 0: of no job */
  bool has_run;
  struct run run;          /* a copy */
  const char *place_label; /* NULL: only one place is on show */
};

struct board_view {
  const struct board_part *parts;
  size_t part_count, part;
  struct list lists[BOARD_PARTS_MAX];
  bool hidden[BOARD_PARTS_MAX]; /* Tab passes over it */
  char *trouble;                /* why there is nothing to see */
  bool filled;                  /* its rows were made from whole sums once */
  bool unread;   /* nothing was read yet of what they rest on: sums are not nothing, they are not known */
  bool counting; /* sums are being made anew; what is shown is of before */
};

void board_init(struct board_view *b, const struct board_part *parts, size_t count);
void board_fini(struct board_view *b);
struct list *board_list(struct board_view *b);
const void *board_current(const struct board_view *b);

/* Call first in update. False: the sums are half made and there are rows already: keep them. */
bool board_begin(struct board_view *b, const struct scene *scene);
/* The same for every list: begin, and end with the reason when it is empty. */
void board_begin_rows(struct board_view *b, const struct scene *scene);
void board_end_rows(struct board_view *b, const struct scene *scene);
/* A row of the current part; run NULL: it stands for a job, job 0: for neither. number makes its key its own among such. */
void *board_add(struct board_view *b, const struct scene *scene, int place, strid job, const struct run *run,
                int64_t number);

/* In the place of sums while `unread`: that they are not known. */
void board_draw_unread(const struct pane *p, int y);
void board_draw(struct board_view *b, const struct pane *p);
/* Tab and what lists do. */
bool board_act(struct board_view *b, enum action a, struct outcome *out);
void board_caption(const struct board_view *b, struct buf *out);
bool board_subject(const struct board_view *b, struct subject *out);
size_t board_subjects(const struct board_view *b, struct subject **out);
/* Open the row's run, or its job when it has none. */
void board_open(const struct board_view *b, struct outcome *out);

/* Columns that several boards have. */
void board_text_job(const void *row, const struct list_env *env, struct buf *out);
void board_text_run(const void *row, const struct list_env *env, struct buf *out);
void board_text_place(const void *row, const struct list_env *env, struct buf *out);
int board_by_job(const void *a, const void *b, const struct list_env *env);
int board_by_place(const void *a, const void *b, const struct list_env *env);
/* The account's column, there when several are on show. */
#define BOARD_ACCOUNT_COLUMN                                                                                           \
  {                                                                                                                    \
    .title = "ACCOUNT", .word = "account", .compare = board_by_place, .min = 10, .max = 28, .worth = 50,               \
    .text = board_text_place, .searched = true                                                                         \
  }

#endif
