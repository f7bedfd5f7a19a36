/* The lines typed at the bottom of the screen: the palette, the filter, the name of an export. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/doc.h"
#include "views/edit.h"
#include "views/shell_private.h"

#define CANDIDATES_MAX 200 /* looked at */
#define SHOWN_MAX      8
#define HISTORY_MAX    100

/* What was typed before, for all palettes of the process. */
static char *history[HISTORY_MAX];
static size_t history_count;

static void history_add(const char *line)
{
  if (line[0] == '\0' || (history_count > 0 && strcmp(history[history_count - 1], line) == 0)) {
    return;
  }
  if (history_count == HISTORY_MAX) {
    free(history[0]);
    memmove(history, history + 1, (HISTORY_MAX - 1) * sizeof history[0]);
    history_count--;
  }
  history[history_count++] = xstrdup(line);
}

void palette_forget(void)
{
  while (history_count > 0) {
    free(history[--history_count]);
  }
}

struct candidate {
  char *word, *about;
};

struct palette_state {
  struct edit edit;
  struct view *below;
  struct candidate candidates[CANDIDATES_MAX];
  size_t count;
  long chosen;  /* candidate that Tab has put into the line; -1 */
  size_t base;  /* bytes of the line that stay before a candidate */
  size_t back;  /* steps back in history */
  char *kept;   /* what was typed before going back */
  bool changed; /* candidates are to be looked up anew */
};

static void forget_candidates(struct palette_state *s)
{
  for (size_t i = 0; i < s->count; i++) {
    free(s->candidates[i].word);
    free(s->candidates[i].about);
  }
  s->count = 0;
  s->chosen = -1;
}

static void add_candidate(void *user, const char *word, const char *about)
{
  struct palette_state *s = user;
  if (s->count < CANDIDATES_MAX && word != NULL) {
    s->candidates[s->count++] =
        (struct candidate){.word = text_clean_dup(word, TEXT_LINE), .about = text_clean_dup(about, TEXT_LINE)};
  }
}

static struct err palette_open(struct view *v, const struct view_args *args)
{
  struct palette_state *s = v->state;
  s->below = args->below;
  s->chosen = -1;
  s->changed = true;
  if (args->text != NULL) {
    edit_set(&s->edit, args->text);
  }
  return err_ok();
}

static void palette_close(struct view *v)
{
  struct palette_state *s = v->state;
  forget_candidates(s);
  free(s->kept);
}

static void palette_update(struct view *v, const struct scene *scene)
{
  struct palette_state *s = v->state;
  if (s->changed) {
    const char *blank = strchr(s->edit.text, ' ');
    forget_candidates(s);
    s->base = blank != NULL ? (size_t)(blank - s->edit.text) + 1 : 0;
    shell_complete(scene->model, s->below, s->edit.text, add_candidate, s);
    s->changed = false;
  }
}

static void palette_draw(struct view *v, const struct pane *p)
{
  struct palette_state *s = v->state;
  int shown = s->count < SHOWN_MAX ? (int)s->count : SHOWN_MAX, width = 0;
  size_t first = s->chosen >= SHOWN_MAX ? (size_t)s->chosen - SHOWN_MAX + 1 : 0;
  if (s->edit.len == 0 && s->chosen < 0) {
    shown = 0; /* an empty line is no question */
  }
  if (shown > p->height - 2) {
    shown = p->height > 2 ? p->height - 2 : 0;
  }
  for (int i = 0; i < shown; i++) {
    int w = text_width(s->candidates[first + (size_t)i].word);
    width = w > width ? w : width;
  }
  for (int i = 0; i < shown; i++) {
    const struct candidate *c = &s->candidates[first + (size_t)i];
    int y = p->height - 1 - shown + i;
    bool here = (long)first + i == s->chosen;
    pane_fill(p, y, 0, p->width, ROLE_TEXT, " ");
    pane_put(p, y, 1, here ? ROLE_ACCENT | STYLE_REVERSE : ROLE_ACCENT, c->word);
    pane_put(p, y, width + 4, ROLE_DIM, c->about);
  }
  edit_draw(&s->edit, p, p->height - 1, ":");
}

static void complete(struct palette_state *s, bool back)
{
  if (s->count == 0) {
    return;
  }
  if (s->chosen < 0) {
    s->chosen = back ? (long)s->count - 1 : 0;
  } else {
    s->chosen = (s->chosen + (back ? (long)s->count - 1 : 1)) % (long)s->count;
  }
  char *line = xasprintf("%.*s%s", (int)s->base, s->edit.text, s->candidates[s->chosen].word);
  if (s->count == 1 && s->base == 0) {
    char *more = xasprintf("%s ", line);
    edit_set(&s->edit, more);
    free(more);
    s->changed = true; /* on to what follows it */
  } else {
    edit_set(&s->edit, line);
  }
  free(line);
}

static void recall(struct palette_state *s, bool older)
{
  if (older && s->back < history_count) {
    if (s->back == 0) {
      free(s->kept);
      s->kept = xstrdup(s->edit.text);
    }
    s->back++;
  } else if (!older && s->back > 0) {
    s->back--;
  } else {
    return;
  }
  edit_set(&s->edit, s->back == 0 ? s->kept : history[history_count - s->back]);
  s->changed = true;
}

static enum handled palette_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct palette_state *s = v->state;
  bool key = in->kind == INPUT_KEY;
  (void)a;
  if (key && in->code == KEY_NAME_ESC) {
    out->close = true;
  } else if (key && in->code == KEY_NAME_ENTER) {
    history_add(s->edit.text);
    out->command = xstrdup(s->edit.text);
    out->close = true;
  } else if (key && in->code == KEY_NAME_TAB) {
    complete(s, (in->mods & INPUT_SHIFT) != 0);
  } else if (key && (in->code == KEY_NAME_UP || in->code == KEY_NAME_DOWN)) {
    recall(s, in->code == KEY_NAME_UP);
  } else if (key && in->code == KEY_NAME_BACKSPACE && s->edit.len == 0) {
    out->close = true;
  } else if (edit_input(&s->edit, in)) {
    s->changed = true;
  }
  out->stale = s->changed;
  return HANDLED_YES;
}

const struct view_ops palette_view = {
    .name = "palette",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT | VIEW_BOTTOM,
    .state_size = sizeof(struct palette_state),
    .open = palette_open,
    .close = palette_close,
    .update = palette_update,
    .draw = palette_draw,
    .input = palette_input,
};

/* --- filter --------------------------------------------------------------------------------------------------------- */

struct filter_state {
  struct edit edit;
  struct list *list; /* of the view below, which outlives this one */
  struct doc_text *doc;
  char *before; /* what was set, to be given back by Esc */
};

static void apply_filter(const struct filter_state *s, const char *text)
{
  if (s->list != NULL) {
    list_set_filter(s->list, text);
  } else if (s->doc != NULL) {
    doc_set_search(s->doc, text);
  }
}

static struct err filter_open(struct view *v, const struct view_args *args)
{
  struct filter_state *s = v->state;
  struct view *below = args->below;
  s->list = below->ops->list != NULL ? below->ops->list(below) : NULL;
  s->doc = below->ops->doc != NULL ? below->ops->doc(below) : NULL;
  if (s->list == NULL && s->doc == NULL) {
    return err_new(ERR_USAGE, "there is nothing to search here");
  }
  s->before = xstrdup(s->list != NULL ? s->list->filter : s->doc->search);
  edit_set(&s->edit, s->before);
  return err_ok();
}

static void filter_close(struct view *v)
{
  struct filter_state *s = v->state;
  free(s->before);
}

static void filter_draw(struct view *v, const struct pane *p)
{
  const struct filter_state *s = v->state;
  edit_draw(&s->edit, p, p->height - 1, "/");
}

static enum handled filter_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct filter_state *s = v->state;
  bool key = in->kind == INPUT_KEY;
  (void)a;
  if (key && in->code == KEY_NAME_ESC) {
    apply_filter(s, s->before);
    out->close = true;
  } else if (key && in->code == KEY_NAME_ENTER) {
    out->close = true;
  } else if (key && in->code == KEY_NAME_BACKSPACE && s->edit.len == 0) {
    apply_filter(s, "");
    out->close = true;
  } else if (key && in->code == KEY_NAME_DOWN && s->list != NULL) {
    list_act(s->list, ACTION_DOWN);
  } else if (key && in->code == KEY_NAME_UP && s->list != NULL) {
    list_act(s->list, ACTION_UP);
  } else if (edit_input(&s->edit, in)) {
    apply_filter(s, s->edit.text);
  }
  return HANDLED_YES;
}

const struct view_ops filter_view = {
    .name = "filter",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT | VIEW_BOTTOM,
    .state_size = sizeof(struct filter_state),
    .open = filter_open,
    .close = filter_close,
    .draw = filter_draw,
    .input = filter_input,
};

/* --- export --------------------------------------------------------------------------------------------------------- */

struct export_state {
  struct edit edit;
};

static struct err export_open(struct view *v, const struct view_args *args)
{
  struct export_state *s = v->state;
  struct when_civil c = when_to_civil(args->scene->now_ms);
  char *name = NULL;
  if (args->below->ops->report == NULL) {
    return err_new(ERR_USAGE, "there is nothing to write to a file here");
  }
  name = xasprintf("gluetop-%s-%04d%02d%02d-%02d%02d%02d.csv", args->below->ops->name, c.year, c.month, c.day, c.hour,
                   c.minute, c.second);
  edit_set(&s->edit, name);
  free(name);
  return err_ok();
}

static void export_draw(struct view *v, const struct pane *p)
{
  const struct export_state *s = v->state;
  edit_draw(&s->edit, p, p->height - 1, "write to (.csv .json .txt): ");
}

static enum handled export_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct export_state *s = v->state;
  (void)a;
  if (in->kind == INPUT_KEY && in->code == KEY_NAME_ESC) {
    out->close = true;
  } else if (in->kind == INPUT_KEY && in->code == KEY_NAME_ENTER) {
    out->command = s->edit.len > 0 ? xasprintf("export %s", s->edit.text) : NULL;
    out->close = true;
  } else {
    edit_input(&s->edit, in);
  }
  return HANDLED_YES;
}

const struct view_ops export_view = {
    .name = "export",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT | VIEW_BOTTOM,
    .state_size = sizeof(struct export_state),
    .open = export_open,
    .draw = export_draw,
    .input = export_input,
};
