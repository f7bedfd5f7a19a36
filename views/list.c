#include "views/list.h"

#include <stdlib.h>
#include <string.h>
/* the default function of uthash falls through the cases of a switch, which clang warns of */
#define HASH_FUNCTION(key, length, hash) HASH_FNV(key, length, hash)
#include <uthash.h>
#include "base/xalloc.h"
#include "views/list_private.h"

struct list_mark {
  struct row_key key;
  UT_hash_handle hh;
};

/* --- keys ----------------------------------------------------------------------------------------------------------- */

struct row_key row_key_of_job(int place, strid job)
{
  struct row_key key;
  memset(&key, 0, sizeof key);
  key.place = place;
  key.job = job;
  return key;
}

struct row_key row_key_of_run(int place, strid job, const struct run *r)
{
  struct row_key key = row_key_of_job(place, job);
  key.id_text = r->id_text;
  key.attempt_and_form = (uint32_t)r->id_attempt << 8 | r->id_form;
  memcpy(key.id, r->id_bytes, sizeof key.id);
  return key;
}

struct row_key row_key_of_number(int64_t n)
{
  struct row_key key = row_key_of_job(-1, 0);
  memcpy(key.id, &n, sizeof n);
  return key;
}

bool row_key_equal(const struct row_key *a, const struct row_key *b)
{
  return memcmp(a, b, sizeof *a) == 0;
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

void list_init(struct list *l, const struct list_ops *ops)
{
  memset(l, 0, sizeof *l);
  l->ops = ops;
  l->sort = -1;
  l->filter = xstrdup("");
}

void list_fini(struct list *l)
{
  list_unmark_all(l);
  free(l->rows);
  free(l->order);
  free(l->filter);
  memset(l, 0, sizeof *l);
}

static const void *row_at(const struct list *l, size_t index)
{
  return l->rows + index * l->ops->row_size;
}

const void *list_row(const struct list *l, size_t position)
{
  return position < l->shown ? row_at(l, l->order[position]) : NULL;
}

const void *list_current(const struct list *l)
{
  return list_row(l, l->at);
}

void list_begin(struct list *l, const struct list_env *env)
{
  l->env = *env;
  l->row_count = 0;
}

void *list_add(struct list *l)
{
  size_t size = l->ops->row_size;
  l->rows = xgrow(l->rows, &l->row_cap, l->row_count + 1, size);
  void *row = l->rows + l->row_count++ * size;
  memset(row, 0, size);
  return row;
}

/* --- sorting: a merge sort, since it must be stable and qsort knows no context ---------------------------------------- */

static int compare_rows(const struct list *l, uint32_t a, uint32_t b)
{
  int result = l->ops->columns[l->sort].compare(row_at(l, a), row_at(l, b), &l->env);
  return l->reverse ? -result : result;
}

static void merge_sort(const struct list *l, uint32_t *items, uint32_t *scratch, size_t count)
{
  if (count < 2) {
    return;
  }
  size_t half = count / 2, a = 0, b = half, n = 0;
  merge_sort(l, items, scratch, half);
  merge_sort(l, items + half, scratch, count - half);
  if (compare_rows(l, items[half - 1], items[half]) <= 0) {
    return; /* in order already, which is the usual case after a small change */
  }
  while (a < half && b < count) {
    scratch[n++] = compare_rows(l, items[a], items[b]) <= 0 ? items[a++] : items[b++];
  }
  while (a < half) {
    scratch[n++] = items[a++];
  }
  while (b < count) {
    scratch[n++] = items[b++];
  }
  memcpy(items, scratch, count * sizeof *items);
}

/* --- filtering ------------------------------------------------------------------------------------------------------ */

static bool matches(const struct list *l, const void *row, struct buf *text)
{
  const char *word = l->filter;
  bool match = true;
  if (*word == '\0') {
    return true;
  }
  buf_reset(text);
  for (size_t i = 0; i < l->ops->column_count; i++) {
    if (l->ops->columns[i].searched) {
      l->ops->columns[i].text(row, &l->env, text);
      buf_addc(text, '\n');
    }
  }
  /* every word must be somewhere */
  while (match && *word != '\0') {
    char one[256];
    size_t len = strcspn(word, " ");
    if (len > 0 && len < sizeof one - 3) {
      bool pattern = memchr(word, '*', len) != NULL || memchr(word, '?', len) != NULL;
      size_t at = 0;
      if (pattern) {
        one[at++] = '*';
      }
      memcpy(one + at, word, len);
      at += len;
      if (pattern) {
        one[at++] = '*';
      }
      one[at] = '\0';
      match = pattern ? text_match(one, text->data) : text_find_fold(text->data, one) >= 0;
    }
    word += len;
    word += strspn(word, " ");
  }
  return match;
}

/* Put the cursor where its row went; where the row has gone, it stays at its place, or on the last row. */
static void settle_selection(struct list *l)
{
  size_t found = l->shown;
  if (!l->touched) {
    l->has_selection = false;
    l->at = 0;
  }
  if (l->has_selection) {
    for (size_t i = 0; i < l->shown && found == l->shown; i++) {
      if (memcmp(row_at(l, l->order[i]), &l->selected, sizeof l->selected) == 0) {
        found = i;
      }
    }
  }
  if (found < l->shown) {
    /* in the middle of a long list rows that come in above must not push away what is being read */
    if (l->top > 0 && l->at >= l->top) {
      size_t line = l->at - l->top;
      l->top = found > line ? found - line : 0;
    }
    l->at = found;
  } else if (l->shown > 0) {
    l->at = l->at < l->shown ? l->at : l->shown - 1;
    memcpy(&l->selected, row_at(l, l->order[l->at]), sizeof l->selected);
    l->has_selection = true;
  } else {
    l->at = 0;
  }
}

void list_refilter(struct list *l)
{
  struct buf text;
  buf_init(&text, 65536);
  l->order = xgrow(l->order, &l->order_cap, l->row_count + 1, sizeof *l->order);
  l->shown = 0;
  l->problems = 0;
  for (size_t i = 0; i < l->row_count; i++) {
    const void *row = row_at(l, i);
    bool problem = l->ops->problem != NULL && l->ops->problem(row);
    l->problems += problem;
    if ((!l->problems_only || problem) && matches(l, row, &text)) {
      l->order[l->shown++] = (uint32_t)i;
    }
  }
  if (l->sort >= 0 && l->shown > 1) {
    uint32_t *scratch = xreallocarray(NULL, l->shown, sizeof *scratch);
    merge_sort(l, l->order, scratch, l->shown);
    free(scratch);
  }
  settle_selection(l);
  buf_fini(&text);
}

#define MEASURED_NAMES 2000 /* rows looked at for the width of the name */
#define MEASURED_TEXTS                                                                                                 \
  200 /* and for that of other columns: making texts for all rows of a long list would cost more than drawing it */

/* Widths of columns whose texts decide: only growing. */
static void measure(struct list *l)
{
  struct buf text;
  buf_init(&text, 8192);
  for (size_t c = 0; c < l->ops->column_count && c < LIST_COLUMNS_MAX; c++) {
    const struct list_column *column = &l->ops->columns[c];
    size_t rows = column->name ? MEASURED_NAMES : MEASURED_TEXTS;
    rows = rows < l->row_count ? rows : l->row_count;
    if (column->min < column->max && !column->greedy && !l->hidden[c]) {
      for (size_t i = 0; i < rows && l->measured[c] < column->max; i++) {
        buf_reset(&text);
        column->text(row_at(l, i), &l->env, &text);
        int width = (int)text.len;
        if (width > l->measured[c]) { /* a text never takes more cells than bytes */
          char *clean = text_clean_dup(text.data, TEXT_LINE);
          width = text_width(clean);
          free(clean);
        }
        if (width > l->measured[c]) {
          l->measured[c] = width;
        }
      }
    }
  }
  buf_fini(&text);
}

void list_end(struct list *l)
{
  measure(l);
  list_refilter(l);
}

/* --- selection and marks -------------------------------------------------------------------------------------------- */

static void stand_on(struct list *l, size_t position)
{
  l->touched = true;
  if (l->shown > 0) {
    l->at = position < l->shown ? position : l->shown - 1;
    memcpy(&l->selected, row_at(l, l->order[l->at]), sizeof l->selected);
    l->has_selection = true;
  }
}

bool list_select(struct list *l, const struct row_key *key)
{
  bool found = false;
  for (size_t i = 0; i < l->shown && !found; i++) {
    if (memcmp(row_at(l, l->order[i]), key, sizeof *key) == 0) {
      stand_on(l, i);
      found = true;
    }
  }
  if (!found) {
    l->touched = true;
    l->selected = *key; /* it may come with the next rows */
    l->has_selection = true;
  }
  return found;
}

void list_set_filter(struct list *l, const char *filter)
{
  free(l->filter);
  l->filter = text_clean_dup(filter, TEXT_LINE);
  list_refilter(l);
}

void list_set_problems_only(struct list *l, bool on)
{
  if (l->problems_only != on) {
    l->problems_only = on;
    list_refilter(l);
  }
}

void list_set_sort(struct list *l, int column, bool reverse)
{
  bool can = column >= 0 && (size_t)column < l->ops->column_count && l->ops->columns[column].compare != NULL;
  l->sort = can ? column : -1;
  l->reverse = can && reverse;
  list_refilter(l);
}

int list_find_column(const struct list *l, const char *word)
{
  int found = -1;
  for (size_t i = 0; i < l->ops->column_count && found < 0; i++) {
    const struct list_column *column = &l->ops->columns[i];
    if (column->compare != NULL && column->word != NULL && strcmp(column->word, word) == 0) {
      found = (int)i;
    }
  }
  return found;
}

void list_hide(struct list *l, const char *word, bool hidden)
{
  int column = list_find_column(l, word);
  if (column >= 0) {
    l->hidden[column] = hidden;
  }
}

bool list_is_marked(const struct list *l, const struct row_key *key)
{
  struct list_mark *mark = NULL;
  HASH_FIND(hh, l->marks, key, sizeof *key, mark);
  return mark != NULL;
}

size_t list_mark_count(const struct list *l)
{
  return HASH_COUNT(l->marks);
}

static void set_mark(struct list *l, const struct row_key *key, bool on)
{
  struct list_mark *mark = NULL;
  HASH_FIND(hh, l->marks, key, sizeof *key, mark);
  if (mark == NULL && on) {
    mark = xcalloc(1, sizeof *mark);
    mark->key = *key;
    HASH_ADD(hh, l->marks, key, sizeof mark->key, mark);
  } else if (mark != NULL && !on) {
    HASH_DEL(l->marks, mark);
    free(mark);
  }
}

void list_toggle_mark(struct list *l, const struct row_key *key)
{
  set_mark(l, key, !list_is_marked(l, key));
}

void list_unmark_all(struct list *l)
{
  struct list_mark *mark = l->marks;
  /* the table goes first, so that nobody walks over marks that are gone; their own links stay readable until each is freed */
  struct list_mark *rest = mark;
  HASH_CLEAR(hh, l->marks);
  while (rest != NULL) {
    mark = rest;
    rest = mark->hh.next;
    free(mark);
  }
}

size_t list_chosen(const struct list *l, const void ***rows)
{
  size_t count = 0;
  *rows = xcalloc(list_mark_count(l) + 1, sizeof **rows);
  if (list_mark_count(l) > 0) {
    bool *seen = xcalloc(l->row_count + 1, sizeof *seen);
    for (size_t i = 0; i < l->shown + l->row_count && count < list_mark_count(l); i++) {
      size_t index = i < l->shown ? l->order[i] : i - l->shown;
      struct row_key key;
      memcpy(&key, row_at(l, index), sizeof key);
      if (!seen[index] && list_is_marked(l, &key)) {
        (*rows)[count++] = row_at(l, index);
      }
      seen[index] = true;
    }
    free(seen);
  } else if (list_current(l) != NULL) {
    (*rows)[count++] = list_current(l);
  }
  return count;
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void move_by(struct list *l, long by)
{
  long to = (long)l->at + by;
  stand_on(l, to < 0 ? 0 : (size_t)to);
}

/* The next row after the cursor (or before it) that is a problem; wraps around. */
static void move_to_problem(struct list *l, bool back)
{
  bool found = false;
  for (size_t i = 1; i <= l->shown && !found && l->ops->problem != NULL; i++) {
    size_t position = back ? (l->at + l->shown - i % l->shown) % l->shown : (l->at + i) % l->shown;
    if (l->ops->problem(list_row(l, position))) {
      stand_on(l, position);
      found = true;
    }
  }
}

bool list_act(struct list *l, enum action a)
{
  long page = l->height > 1 ? l->height - 1 : 1;
  bool mine = true;
  if (a == ACTION_DOWN) {
    move_by(l, 1);
  } else if (a == ACTION_UP) {
    move_by(l, -1);
  } else if (a == ACTION_PAGE_DOWN) {
    move_by(l, page);
  } else if (a == ACTION_PAGE_UP) {
    move_by(l, -page);
  } else if (a == ACTION_FIRST) {
    stand_on(l, 0);
  } else if (a == ACTION_LAST) {
    stand_on(l, l->shown);
  } else if (a == ACTION_LEFT) {
    l->skip = l->skip > 0 ? l->skip - 1 : 0;
  } else if (a == ACTION_RIGHT) {
    l->skip += (size_t)l->skip + l->ops->fixed + 1 < l->ops->column_count ? 1 : 0;
  } else if (a == ACTION_NEXT_MATCH) {
    move_by(l, 1);
  } else if (a == ACTION_PREV_MATCH) {
    move_by(l, -1);
  } else if (a == ACTION_NEXT_FAILURE || a == ACTION_PREV_FAILURE) {
    move_to_problem(l, a == ACTION_PREV_FAILURE);
  } else if (a == ACTION_PROBLEMS) {
    list_set_problems_only(l, !l->problems_only);
  } else if (a == ACTION_MARK) {
    if (l->shown > 0) {
      list_toggle_mark(l, &l->selected);
      move_by(l, 1);
    }
  } else if (a == ACTION_MARK_ALL) {
    for (size_t i = 0; i < l->shown; i++) {
      struct row_key key;
      memcpy(&key, list_row(l, i), sizeof key);
      set_mark(l, &key, true);
    }
  } else if (a == ACTION_UNMARK) {
    list_unmark_all(l);
  } else if (a == ACTION_WRAP) {
    l->wrap = !l->wrap;
  } else {
    mine = false;
  }
  return mine;
}
