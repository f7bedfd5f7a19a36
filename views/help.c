/* Help of a view, and the messages: what went wrong lately, in full. */
#include "views/view.h"

#include <string.h>
#include "views/commands.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/shell_private.h"

struct text_state {
  struct doc_text doc;
  const struct view_ops *about; /* of the view that help is for */
};

static struct err text_open(struct view *v, const struct view_args *args)
{
  struct text_state *s = v->state;
  doc_init(&s->doc);
  s->about = args->below != NULL ? args->below->ops : NULL;
  return err_ok();
}

static void text_close(struct view *v)
{
  struct text_state *s = v->state;
  doc_fini(&s->doc);
}

static void text_draw(struct view *v, const struct pane *p)
{
  struct text_state *s = v->state;
  doc_draw(&s->doc, p);
}

static enum handled text_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct text_state *s = v->state;
  enum handled handled = doc_act(&s->doc, a) ? HANDLED_YES : HANDLED_NO;
  (void)in;
  if (handled == HANDLED_NO && a == ACTION_HELP && v->ops == &help_view) {
    out->close = true; /* the same key takes it away again */
    handled = HANDLED_YES;
  }
  return handled;
}

static void text_caption(const struct view *v, struct buf *out)
{
  const struct text_state *s = v->state;
  doc_write_caption(&s->doc, out);
}

static struct doc_text *text_doc(struct view *v)
{
  struct text_state *s = v->state;
  return &s->doc;
}

static void add_keys(struct doc_text *d, const struct scene *scene, unsigned holds, bool here)
{
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
    const struct action_info *info = action_info((enum action)a);
    bool belongs =
        here ? (info->holds & holds & ~(unsigned)(HOLD_CHANGES | HOLD_ANY)) != 0 : (info->holds & HOLD_ANY) != 0;
    bool may = !(scene->read_only && (info->holds & HOLD_CHANGES));
    if (belongs && may && info->text[0] != '\0' && scene->keys->key_count[a] > 0) {
      struct buf keys;
      buf_init(&keys, 256);
      keymap_keys(scene->keys, (enum action)a, &keys);
      if (a == ACTION_TAB_1) {
        buf_reset(&keys);
        buf_adds(&keys, "1 to 9, 0");
      }
      doc_field(d, keys.data, ROLE_TEXT, info->text);
      d->lines[d->count - 1].label_style = ROLE_KEY;
      buf_fini(&keys);
    }
  }
}

static void add_command(void *user, const char *word, const char *about)
{
  struct doc_text *d = user;
  struct buf label;
  buf_init(&label, 128);
  buf_addf(&label, ":%s", word);
  doc_field(d, label.data, ROLE_TEXT, about);
  d->lines[d->count - 1].label_style = ROLE_KEY;
  buf_fini(&label);
}

static void help_update(struct view *v, const struct scene *scene)
{
  static const enum sign signs[] = {SIGN_OK, SIGN_FAILED, SIGN_RUNNING, SIGN_WAITING, SIGN_STOPPED, SIGN_UNKNOWN};
  static const char *const meanings[] = {"ended well",
                                         "failed, timed out, in error or expired",
                                         "starting or running",
                                         "waiting for capacity or for another run to end",
                                         "stopping or stopped by somebody",
                                         "a state that this program does not know: its word stands beside it"};
  struct text_state *s = v->state;
  struct doc_text *d = &s->doc;
  doc_begin(d);
  if (s->about != NULL && s->about->about != NULL) {
    doc_text(d, 0, ROLE_TEXT, s->about->about);
  }
  doc_heading(d, "Keys of this view");
  add_keys(d, scene, s->about != NULL ? s->about->holds : 0, true);
  doc_heading(d, "Keys everywhere");
  add_keys(d, scene, 0, false);
  doc_field(d, "Ctrl-C", ROLE_TEXT, "quit at once");
  d->lines[d->count - 1].label_style = ROLE_KEY;
  doc_heading(d, "Signs");
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    doc_field(d, sign(signs[i]), ROLE_TEXT, meanings[i]);
  }
  doc_field(d, sign(SIGN_NEW), ROLE_TEXT, "new since a key was last pressed in this list");
  doc_field(d, sign(SIGN_MARK), ROLE_TEXT, "marked");
  doc_field(d, "~", ROLE_TEXT, "an estimate; ? is not known, and a dot is nothing");
  doc_heading(d, "Commands");
  commands_visit(add_command, d);
}

const struct view_ops help_view = {
    .name = "help",
    .holds = HOLD_DOC,
    .state_size = sizeof(struct text_state),
    .open = text_open,
    .close = text_close,
    .update = help_update,
    .draw = text_draw,
    .input = text_input,
    .caption = text_caption,
    .doc = text_doc,
};

/* Starts and stops that were asked for here, with whole ids and the service's own words. */
static void add_changes(struct doc_text *d, const struct scene *scene)
{
  const struct model *m = scene->model;
  for (size_t i = m->change_count; i > 0; i--) {
    const struct change *c = &m->changes[i - 1];
    const char *job = model_str(m, c->job), *run = model_str(m, c->run_id);
    bool bad = c->result == CHANGE_REFUSED || c->result == CHANGE_UNCERTAIN;
    struct buf text;
    buf_init(&text, 8192);
    format_moment_whole(&text, c->at_ms, scene->zone);
    buf_addf(&text, "  %s", shell_change_word(c->result));
    if (job != NULL) {
      buf_addf(&text, "  %s", job);
    }
    doc_blank(d);
    doc_text(d, 0, bad ? ROLE_BAD : ROLE_HEADING, text.data);
    if (run != NULL && run[0] != '\0') {
      doc_text(d, 2, ROLE_DIM, run);
    }
    if (c->message != NULL && c->message[0] != '\0') {
      doc_text(d, 2, ROLE_TEXT, c->message);
    }
    buf_fini(&text);
  }
}

static void messages_update(struct view *v, const struct scene *scene)
{
  struct text_state *s = v->state;
  struct doc_text *d = &s->doc;
  const struct model *m = scene->model;
  doc_begin(d);
  if (m->problem_count == 0 && m->change_count == 0) {
    doc_text(d, 0, ROLE_DIM, "Nothing has gone wrong.");
  }
  add_changes(d, scene);
  for (size_t i = m->problem_count; i > 0; i--) {
    const struct problem *p = &m->problems[i - 1];
    struct buf text;
    buf_init(&text, 8192);
    format_moment_whole(&text, p->at_ms, scene->zone);
    buf_addf(&text, "  %s", err_kind_name(p->kind));
    if (p->context >= 0 && (size_t)p->context < m->context_count) {
      buf_addf(&text, "  %s", m->contexts[p->context].name);
    }
    if (p->count > 1) {
      buf_addf(&text, "  %u times", p->count);
    }
    doc_blank(d);
    doc_text(d, 0, ROLE_HEADING, text.data);
    if (p->what != NULL && p->what[0] != '\0') {
      doc_text(d, 2, ROLE_DIM, p->what);
    }
    doc_text(d, 2, ROLE_TEXT, p->message != NULL ? p->message : "");
    buf_fini(&text);
  }
}

const struct view_ops messages_view = {
    .name = "messages",
    .about = "What went wrong lately, newest first.",
    .holds = HOLD_DOC,
    .state_size = sizeof(struct text_state),
    .open = text_open,
    .close = text_close,
    .update = messages_update,
    .draw = text_draw,
    .input = text_input,
    .caption = text_caption,
    .doc = text_doc,
};
