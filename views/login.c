/* Logging in from within: the page and the code of `:login`, the dialog that asks for an MFA code, and who one is (`:whoami`). */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/doc.h"
#include "views/edit.h"
#include "views/format.h"

#define BOX_WIDTH 76

/* Both dialogs are about one context, whose index is their text. */
struct login_state {
  struct doc_text doc;
  struct edit edit;
  int context;
  char *url;
  bool waits; /* for a person; else it has ended, well or not */
  bool not_six;
};

static struct err login_open(struct view *v, const struct view_args *args)
{
  struct login_state *s = v->state;
  doc_init(&s->doc);
  s->context = args->text != NULL ? (int)strtol(args->text, NULL, 10) : 0;
  return err_ok();
}

static void login_close(struct view *v)
{
  struct login_state *s = v->state;
  doc_fini(&s->doc);
  free(s->url);
}

static const struct context *context_of(const struct login_state *s, const struct model *m)
{
  bool there = m != NULL && s->context >= 0 && (size_t)s->context < m->context_count && !m->contexts[s->context].closed;
  return there ? &m->contexts[s->context] : NULL;
}

/* The last thing that went wrong there. */
static const char *last_problem(const struct model *m, int context)
{
  for (size_t i = m->problem_count; i > 0; i--) {
    if (m->problems[i - 1].context == context) {
      return m->problems[i - 1].message;
    }
  }
  return NULL;
}

static void login_update(struct view *v, const struct scene *scene)
{
  struct login_state *s = v->state;
  struct doc_text *d = &s->doc;
  const struct context *c = context_of(s, scene->model);
  doc_begin(d);
  free(s->url);
  s->url = NULL;
  s->waits = false;
  if (c == NULL) {
    doc_text(d, 0, ROLE_WARN, "The account is not open any more.");
  } else if (c->device_url[0] != '\0') {
    s->url = xstrdup(c->device_url);
    s->waits = true;
    doc_field(d, "account", ROLE_CONTEXT, c->name);
    doc_field(d, "open", ROLE_ACCENT, c->device_url);
    doc_field(d, "code", ROLE_ACCENT | STYLE_BOLD, c->device_code);
    doc_blank(d);
    doc_text(d, 0, ROLE_DIM,
             "Open the page in a browser, compare the code and agree there. gluetop goes on by itself; everything else "
             "works meanwhile.");
  } else if (c->needs_login) {
    const char *why = last_problem(scene->model, s->context);
    doc_field(d, "account", ROLE_CONTEXT, c->name);
    doc_field(d, "login", ROLE_BAD, why != NULL ? why : "needed");
    doc_text(d, 0, ROLE_DIM, "When you have logged in elsewhere, r tries again; most logins are noticed without it.");
  } else if (!scene->quiet && !c->confirmed) {
    doc_field(d, "account", ROLE_CONTEXT, c->name);
    doc_text(d, 0, ROLE_DIM, "Asking for a code\xe2\x80\xa6");
  } else {
    doc_field(d, "account", ROLE_CONTEXT, c->name);
    doc_field(d, "login", ROLE_GOOD, "works");
    const char *why = last_problem(scene->model, s->context);
    if (why != NULL) {
      doc_field(d, "lately", ROLE_DIM, why);
    }
  }
}

static struct pane draw_box(struct doc_text *d, const struct pane *body, const char *title)
{
  int width = body->width - 4 < BOX_WIDTH ? body->width - 4 : BOX_WIDTH;
  if (width < 20) {
    width = body->width;
  }
  int height = (int)doc_measure(d, width - 4) + 5;
  height = height < body->height ? height : body->height;
  struct pane box = pane_part(body, (body->height - height) / 2, (body->width - width) / 2, height, width);
  pane_box(&box, ROLE_ACCENT, title);
  struct pane text = pane_part(&box, 1, 2, height - 4, width - 4);
  doc_draw(d, &text);
  return pane_part(&box, height - 2, 2, 1, width - 4);
}

static void login_draw(struct view *v, const struct pane *body)
{
  struct login_state *s = v->state;
  struct pane line = draw_box(&s->doc, body, "Log in");
  pane_put(&line, 0, 0, ROLE_KEY, s->waits ? "c copy the link   Esc back" : "r try again   Esc back");
}

static enum handled login_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct login_state *s = v->state;
  bool letter = in->kind == INPUT_LETTER && in->mods == 0;
  (void)a;
  if (in->kind == INPUT_KEY && (in->code == KEY_NAME_ESC || in->code == KEY_NAME_ENTER)) {
    out->close = true;
  } else if (letter && in->code == 'q') {
    out->close = true;
  } else if (letter && in->code == 'c' && s->url != NULL) {
    out->copy = xstrdup(s->url);
  } else if (letter && in->code == 'r' && !s->waits) {
    intents_add(out->intents, INTENT_LOGIN_RETRY)->context = s->context;
    outcome_say(out, ROLE_DIM, "trying again%s", sign(SIGN_MORE));
  }
  return HANDLED_YES;
}

const struct view_ops login_view = {
    .name = "login",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct login_state),
    .open = login_open,
    .close = login_close,
    .update = login_update,
    .draw = login_draw,
    .input = login_input,
};

/* --- MFA ------------------------------------------------------------------------------------------------------------ */

static void mfa_update(struct view *v, const struct scene *scene)
{
  struct login_state *s = v->state;
  struct doc_text *d = &s->doc;
  const struct context *c = context_of(s, scene->model);
  doc_begin(d);
  s->waits = c != NULL && c->mfa_serial[0] != '\0';
  if (s->waits) {
    const char *why = last_problem(scene->model, s->context);
    doc_field(d, "account", ROLE_CONTEXT, c->name);
    doc_field(d, "device", ROLE_TEXT, c->mfa_serial);
    if (s->not_six) {
      doc_field(d, "note", ROLE_WARN, "a code has six digits");
    } else if (why != NULL && strstr(why, c->mfa_serial) == NULL) {
      doc_field(d, "lately", ROLE_WARN, why);
    }
  } else {
    doc_text(d, 0, ROLE_DIM, "No code is needed now.");
  }
}

static void mfa_draw(struct view *v, const struct pane *body)
{
  struct login_state *s = v->state;
  struct pane line = draw_box(&s->doc, body, "Code of the MFA device");
  edit_draw(&s->edit, &line, 0, "code: ");
}

/* Six digits; what is not a digit is no code, and is not worth one of the device's few tries. */
static bool is_code(const char *text)
{
  return strlen(text) == 6 && strspn(text, "0123456789") == 6;
}

static enum handled mfa_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct login_state *s = v->state;
  (void)a;
  if (in->kind == INPUT_KEY && in->code == KEY_NAME_ESC) {
    outcome_say(out, ROLE_WARN, "no code given; :mfa asks again");
    out->close = true;
  } else if (in->kind == INPUT_KEY && in->code == KEY_NAME_ENTER) {
    if (s->waits && !is_code(s->edit.text)) {
      s->not_six = true;
      out->stale = true;
      return HANDLED_YES;
    }
    if (s->waits) {
      struct intent *i = intents_add(out->intents, INTENT_GIVE_MFA);
      i->context = s->context;
      i->text = xstrdup(s->edit.text);
      outcome_say(out, ROLE_DIM, "trying the code%s", sign(SIGN_MORE));
    }
    out->close = true;
  } else {
    edit_input(&s->edit, in);
  }
  return HANDLED_YES;
}

const struct view_ops mfa_view = {
    .name = "mfa",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct login_state),
    .open = login_open,
    .close = login_close,
    .update = mfa_update,
    .draw = mfa_draw,
    .input = mfa_input,
};

/* --- who one is ----------------------------------------------------------------------------------------------------- */

static void add_expiry(struct doc_text *d, const struct context *c, const struct scene *scene)
{
  struct buf text;
  buf_init(&text, 256);
  if (c->expires_ms == WHEN_NONE) {
    buf_adds(&text, "do not end, or do not say when");
  } else {
    format_moment_whole(&text, c->expires_ms, scene->zone);
    int64_t left = c->expires_ms - scene->now_ms - c->skew_ms;
    buf_adds(&text, left > 0 ? ", in " : ", over");
    if (left > 0) {
      format_span(&text, left);
    }
  }
  doc_field(d, "keys end", ROLE_TEXT, text.data);
  buf_fini(&text);
}

static void whoami_update(struct view *v, const struct scene *scene)
{
  struct login_state *s = v->state;
  struct doc_text *d = &s->doc;
  const struct model *m = scene->model;
  doc_begin(d);
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    if (c->closed) {
      continue;
    }
    doc_heading(d, c->name);
    doc_field(d, "account", ROLE_CONTEXT, c->account[0] != '\0' ? c->account : "not known yet");
    doc_field(d, "as", ROLE_TEXT, c->arn[0] != '\0' ? c->arn : "not known yet");
    doc_fieldf(d, "Region", ROLE_TEXT, "%s, by %s", c->region, c->region_source);
    doc_fieldf(d, "profile", ROLE_TEXT, "%s", c->profile[0] != '\0' ? c->profile : "none");
    doc_fieldf(d, "keys from", ROLE_TEXT, "%s", c->source);
    add_expiry(d, c, scene);
    doc_field(d, "STS", c->confirmed ? ROLE_GOOD : ROLE_WARN,
              c->confirmed ? "confirms it" : "has not confirmed it: nothing can be changed");
    if (c->read_only) {
      doc_field(d, "changes", ROLE_GOOD, "none: read-only");
    }
    if (c->skew_ms != 0) {
      struct buf text;
      buf_init(&text, 128);
      format_clock_skew(&text, c->skew_ms);
      doc_field(d, "clock", ROLE_WARN, text.data);
      buf_fini(&text);
    }
    if (c->notice[0] != '\0') {
      doc_field(d, "note", ROLE_WARN, c->notice);
    }
    const char *why = c->needs_login ? last_problem(m, (int)i) : NULL;
    if (c->needs_login) {
      doc_field(d, "login", ROLE_BAD, why != NULL ? why : "needed: :login");
    }
    doc_blank(d);
  }
}

static void whoami_draw(struct view *v, const struct pane *p)
{
  struct login_state *s = v->state;
  doc_draw(&s->doc, p);
}

static enum handled whoami_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct login_state *s = v->state;
  (void)in;
  (void)out;
  return doc_act(&s->doc, a) ? HANDLED_YES : HANDLED_NO;
}

static struct doc_text *whoami_doc(struct view *v)
{
  struct login_state *s = v->state;
  return &s->doc;
}

const struct view_ops whoami_view = {
    .name = "whoami",
    .about = "Whose keys are used, where they come from and until when.",
    .holds = HOLD_DOC,
    .state_size = sizeof(struct login_state),
    .open = login_open,
    .close = login_close,
    .update = whoami_update,
    .draw = whoami_draw,
    .input = whoami_input,
    .doc = whoami_doc,
};
