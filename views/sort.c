/* The sort menu: columns by letter; the one that is sorted by already is reversed. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>

struct sort_state {
  struct list *list; /* of the view below, which outlives this one */
  char letters[LIST_COLUMNS_MAX];
};

/* The first letter of the column's word that nobody has yet. */
static char choose_letter(const char *word, const char *taken, size_t count)
{
  char letter = '\0';
  for (const char *c = word; *c != '\0' && letter == '\0'; c++) {
    letter = *c >= 'a' && *c <= 'z' && memchr(taken, *c, count) == NULL ? *c : '\0';
  }
  for (char c = 'a'; c <= 'z' && letter == '\0'; c++) {
    letter = memchr(taken, c, count) == NULL ? c : '\0';
  }
  return letter;
}

static struct err sort_open(struct view *v, const struct view_args *args)
{
  struct sort_state *s = v->state;
  s->list = args->below->ops->list != NULL ? args->below->ops->list(args->below) : NULL;
  if (s->list == NULL) {
    return err_new(ERR_USAGE, "there is nothing to sort here");
  }
  for (size_t i = 0; i < s->list->ops->column_count; i++) {
    const struct list_column *c = &s->list->ops->columns[i];
    if (c->compare != NULL && c->word != NULL) {
      s->letters[i] = choose_letter(c->word, s->letters, sizeof s->letters);
    }
  }
  return err_ok();
}

static void sort_draw(struct view *v, const struct pane *body)
{
  const struct sort_state *s = v->state;
  const struct list_ops *ops = s->list->ops;
  int count = 0, width = 30;
  for (size_t i = 0; i < ops->column_count; i++) {
    count += s->letters[i] != '\0';
  }
  struct pane box = pane_part(body, 1, body->width > width ? body->width - width - 2 : 0, count + 2, width);
  if (box.height < 3 || box.width < 10) {
    box = *body;
  }
  pane_box(&box, ROLE_FRAME, "sort by");
  int y = 1;
  for (size_t i = 0; i < ops->column_count && y < box.height - 1; i++) {
    if (s->letters[i] != '\0') {
      bool here = s->list->sort == (int)i;
      pane_putf(&box, y, 2, ROLE_KEY, "%c", s->letters[i]);
      pane_put(&box, y, 5, here ? ROLE_CONTEXT : ROLE_TEXT, ops->columns[i].word);
      if (here) {
        pane_put(&box, y, 16, ROLE_DIM, s->list->reverse ? "largest first" : "smallest first");
      }
      y++;
    }
  }
}

static enum handled sort_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct sort_state *s = v->state;
  (void)a;
  if (in->kind == INPUT_LETTER && in->code < 0x80) {
    for (size_t i = 0; i < s->list->ops->column_count; i++) {
      if (s->letters[i] != '\0' && s->letters[i] == (char)in->code) {
        bool again = s->list->sort == (int)i;
        list_set_sort(s->list, (int)i, again ? !s->list->reverse : s->list->ops->columns[i].big_first);
      }
    }
    out->close = true;
  } else if (in->kind == INPUT_KEY) {
    out->close = true;
  }
  return HANDLED_YES;
}

const struct view_ops sort_view = {
    .name = "sort",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct sort_state),
    .open = sort_open,
    .draw = sort_draw,
    .input = sort_input,
};
