#include "views/list.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

#define GAP        2 /* blanks between columns */
#define GAP_SMALL  1 /* in windows narrower than ... */
#define NARROW     100
#define MARGIN     1 /* the cursor's own column */
#define TITLE_ROWS 1

struct layout {
  int width[LIST_COLUMNS_MAX]; /* 0: not shown */
  int gap;
};

static int wanted(const struct list *l, size_t c)
{
  const struct list_column *column = &l->ops->columns[c];
  int width = column->max;
  if (column->min < column->max && !column->greedy) {
    width = l->measured[c];
    if (column->title != NULL && text_width(column->title) > width) {
      width = text_width(column->title);
    }
    width = width < column->min ? column->min : width > column->max ? column->max : width;
  }
  return width;
}

/* The gap before a column: a sign of one cell stands close to what follows it. */
static int gap_after(const struct list *l, const struct layout *lay, size_t c)
{
  return l->ops->columns[c].max == 1 ? 1 : lay->gap;
}

static int total(const struct list *l, const struct layout *lay)
{
  int sum = MARGIN, last = -1;
  for (size_t c = 0; c < l->ops->column_count; c++) {
    if (lay->width[c] > 0) {
      if (last >= 0) {
        sum += gap_after(l, lay, (size_t)last);
      }
      sum += lay->width[c];
      last = (int)c;
    }
  }
  return sum;
}

/* Which columns are there and how wide: first by worth at their least width, then room for those that can use it, in the same order. */
static void make_layout(const struct list *l, int width, struct layout *lay)
{
  size_t count = l->ops->column_count;
  bool done[LIST_COLUMNS_MAX] = {false};
  memset(lay, 0, sizeof *lay);
  lay->gap = width < NARROW ? GAP_SMALL : GAP;
  for (size_t round = 0; round < count; round++) {
    size_t best = count;
    for (size_t c = 0; c < count; c++) {
      bool scrolled = c >= l->ops->fixed && c < l->ops->fixed + (size_t)l->skip;
      bool better = best == count || (l->skip == 0 && l->ops->columns[c].worth > l->ops->columns[best].worth);
      if (!done[c] && !scrolled && !l->hidden[c] && better) {
        best = c;
      }
    }
    if (best < count) {
      const struct list_column *column = &l->ops->columns[best];
      done[best] = true;
      lay->width[best] = column->min;
      int room = width - total(l, lay);
      if (room < 0 && column->worth < 100) {
        lay->width[best] = 0;
        if (l->skip > 0) {
          break;
        }
      } else if (column->wish > column->min && room > 0) {
        int most = column->greedy ? column->wish : wanted(l, best); /* no more than its texts need */
        int more = (most < column->wish ? most : column->wish) - column->min;
        lay->width[best] += more < room ? more : room;
      }
    }
  }
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < count; c++) {
      if (lay->width[c] > 0 && l->ops->columns[c].greedy == (pass == 1)) {
        int room = width - total(l, lay), more = wanted(l, c) - lay->width[c];
        lay->width[c] += room <= 0 || more <= 0 ? 0 : more < room ? more : room;
      }
    }
  }
}

static void draw_titles(const struct list *l, const struct layout *lay, const struct pane *p)
{
  int x = MARGIN;
  for (size_t c = 0; c < l->ops->column_count; c++) {
    const struct list_column *column = &l->ops->columns[c];
    if (lay->width[c] > 0) {
      if (column->title != NULL) {
        bool sorted = l->sort == (int)c;
        pane_field(p, 0, x, lay->width[c], ROLE_HEADING | (sorted ? STYLE_UNDERLINE : 0), column->align, column->title);
      }
      x += lay->width[c] + gap_after(l, lay, c);
    }
  }
}

static void draw_row(const struct list *l, const struct layout *lay, const struct pane *p, int y, size_t position)
{
  const void *row = list_row(l, position);
  struct row_key key;
  struct buf text;
  bool here = position == l->at;
  int x = MARGIN;
  memcpy(&key, row, sizeof key);
  buf_init(&text, 8192);
  if (list_is_marked(l, &key)) {
    pane_put(p, y, 0, ROLE_ACCENT | STYLE_BOLD, sign(SIGN_MARK));
  } else if (here) {
    pane_put(p, y, 0, ROLE_ACCENT | STYLE_BOLD, sign(SIGN_CURSOR));
  } else if (l->ops->is_new != NULL && l->ops->is_new(row)) {
    pane_put(p, y, 0, ROLE_ACCENT, sign(SIGN_NEW));
  }
  for (size_t c = 0; c < l->ops->column_count; c++) {
    const struct list_column *column = &l->ops->columns[c];
    if (lay->width[c] > 0) {
      unsigned style = column->style != NULL ? column->style(row) : ROLE_TEXT;
      buf_reset(&text);
      column->text(row, &l->env, &text);
      pane_field(p, y, x, lay->width[c], style, column->align, text.data);
      if (here && column->name) {
        int cells = text_width(text.data);
        pane_restyle(p, y, x, cells < lay->width[c] && cells > 0 ? cells : lay->width[c],
                     (style & STYLE_ROLE) | STYLE_REVERSE);
      }
      x += lay->width[c] + gap_after(l, lay, c);
    }
  }
  buf_fini(&text);
}

void list_draw(struct list *l, const struct pane *p)
{
  struct layout lay;
  int room = p->height - TITLE_ROWS;
  make_layout(l, p->width, &lay);
  l->height = room > 0 ? room : 0;
  if (p->height < 1) {
    return;
  }
  draw_titles(l, &lay, p);
  if (l->at < l->top) {
    l->top = l->at;
  }
  if (room > 0 && l->at >= l->top + (size_t)room) {
    l->top = l->at - (size_t)room + 1;
  }
  if (room > 0 && l->top + (size_t)room > l->shown) {
    l->top = l->shown > (size_t)room ? l->shown - (size_t)room : 0;
  }
  for (int y = 0; y < room && l->top + (size_t)y < l->shown; y++) {
    draw_row(l, &lay, p, y + TITLE_ROWS, l->top + (size_t)y);
  }
}

static void add_field(struct buf *out, const char *text, int cells, enum text_align align, int gap)
{
  char *clean = text_clean_dup(text, TEXT_LINE);
  text_put(out, clean, cells, align, true);
  for (int i = 0; i < gap; i++) {
    buf_addc(out, ' ');
  }
  free(clean);
}

static void end_line(struct buf *out)
{
  while (out->len > 0 && out->data[out->len - 1] == ' ') {
    out->len--;
    out->data[out->len] = '\0';
  }
  buf_addc(out, '\n');
}

void list_write_text(const struct list *l, int width, struct buf *out)
{
  struct layout lay;
  struct buf text;
  make_layout(l, width, &lay);
  buf_init(&text, 8192);
  for (size_t i = 0; i <= l->shown; i++) {
    for (size_t c = 0; c < l->ops->column_count; c++) {
      const struct list_column *column = &l->ops->columns[c];
      if (lay.width[c] > 0) {
        buf_reset(&text);
        if (i == 0) {
          buf_adds(&text, column->title != NULL ? column->title : "");
        } else {
          column->text(list_row(l, i - 1), &l->env, &text);
        }
        add_field(out, text.data, lay.width[c], column->align, gap_after(l, &lay, c));
      }
    }
    end_line(out);
  }
  buf_fini(&text);
}

/* "1 run" of "runs", "1 class" of "classes"; of more words than one the noun is left as it is. */
static int singular_length(const char *noun)
{
  size_t len = strlen(noun);
  if (strchr(noun, ' ') == NULL && len > 4 && strcmp(noun + len - 4, "sses") == 0) {
    len -= 2;
  } else if (strchr(noun, ' ') == NULL && len > 1 && noun[len - 1] == 's') {
    len--;
  }
  return (int)len;
}

void list_write_caption(const struct list *l, const char *noun, struct buf *out)
{
  if (l->shown == l->row_count) {
    buf_addf(out, "%zu %.*s", l->row_count, l->row_count == 1 ? singular_length(noun) : (int)strlen(noun), noun);
  } else {
    buf_addf(out, "%zu of %zu %s", l->shown, l->row_count, noun);
  }
  if (list_mark_count(l) > 0) {
    buf_addf(out, ", %zu marked", list_mark_count(l));
  }
  if (l->problems_only) {
    buf_adds(out, ", problems only");
  }
  if (l->filter[0] != '\0') {
    buf_addf(out, ", /%s", l->filter);
  }
  if (l->sort >= 0) {
    buf_addf(out, ", by %s %s", l->ops->columns[l->sort].word, sign(l->reverse ? SIGN_DOWN : SIGN_UP));
  }
}
