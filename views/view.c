#include "views/view.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

struct view *view_new(const struct view_ops *ops, const struct view_args *args, struct err *error)
{
  struct view *v = xcalloc(1, sizeof *v);
  v->ops = ops;
  v->state = xcalloc(1, ops->state_size > 0 ? ops->state_size : 1);
  v->stale = true;
  *error = ops->open != NULL ? ops->open(v, args) : err_ok();
  if (err_is(error)) {
    free(v->state);
    free(v);
    v = NULL;
  }
  return v;
}

void view_free(struct view *v)
{
  if (v != NULL) {
    if (v->ops->close != NULL) {
      v->ops->close(v);
    }
    free(v->state);
    free(v);
  }
}

void outcome_fini(struct outcome *o)
{
  free(o->subjects);
  free(o->text);
  free(o->command);
  free(o->say);
  free(o->copy);
  o->subjects = NULL;
  o->subject_count = 0;
  o->text = o->command = o->say = o->copy = NULL;
}

void outcome_say(struct outcome *o, enum role role, const char *format, ...)
{
  va_list args;
  free(o->say);
  va_start(args, format);
  o->say = xvasprintf(format, args);
  va_end(args);
  o->say_role = role;
}

void outcome_open(struct outcome *o, const struct view_ops *ops, const struct subject *subjects, size_t count)
{
  o->open = ops;
  free(o->subjects);
  o->subjects = xcalloc(count + 1, sizeof *o->subjects);
  o->subject_count = count;
  if (count > 0) {
    memcpy(o->subjects, subjects, count * sizeof *subjects);
  }
}

int scene_context_of(const struct model *m, int place)
{
  int found = -1;
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    if (!c->closed && c->place == place && (found < 0 || (!m->contexts[found].confirmed && c->confirmed))) {
      found = (int)i;
    }
  }
  return found;
}

bool scene_shows(const struct scene *s, int place)
{
  /* a place that no open context leads to is nobody's: the account before a switch */
  return (s->place < 0 || s->place == place) && (s->model == NULL || scene_context_of(s->model, place) >= 0);
}
