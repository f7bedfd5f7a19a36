#include "views/shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/rows.h"
#include "views/shell_private.h"

#define SAY_MS  8000
#define HELD_MS 1000

const struct view_ops *const shell_tab_views[] = {&home_view, &jobs_view,       &runs_view,     &timeline_view,
                                                  &burn_view, &collisions_view, &timeouts_view, &events_view};
#define TAB_COUNT (sizeof shell_tab_views / sizeof shell_tab_views[0])
const size_t shell_tab_view_count = TAB_COUNT;

/* --- the stack ------------------------------------------------------------------------------------------------------ */

struct view *shell_top(const struct shell *s)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  return t->depth > 0 ? t->stack[t->depth - 1] : NULL;
}

struct view *shell_main(const struct shell *s)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  size_t at = t->depth;
  while (at > 1 && (t->stack[at - 1]->ops->flags & VIEW_OVERLAY)) {
    at--;
  }
  return at > 0 ? t->stack[at - 1] : NULL;
}

struct view *shell_below(const struct shell *s, const struct view *v)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  struct view *found = NULL;
  for (size_t i = 1; i < t->depth; i++) {
    if (t->stack[i] == v) {
      found = t->stack[i - 1];
    }
  }
  return found;
}

static void remember(struct shell *s)
{
  if (s->visited_count == SHELL_VISITED_MAX) {
    memmove(s->visited, s->visited + 1, (SHELL_VISITED_MAX - 1) * sizeof s->visited[0]);
    s->visited_count--;
  }
  s->visited[s->visited_count++] = (struct shell_visit){.tab = s->tab, .depth = s->tabs[s->tab].depth};
}

void shell_open(struct shell *s, const struct view_ops *ops, const struct subject *subjects, size_t count,
                const char *text)
{
  struct shell_tab *t = &s->tabs[s->tab];
  struct view_args args = {
      .subjects = subjects, .subject_count = count, .text = text, .scene = &s->scene, .below = shell_top(s)};
  struct err e = err_ok();
  struct view *v = NULL;
  if (t->depth == SHELL_DEPTH_MAX) {
    shell_say(s, ROLE_WARN, "too many views are open one behind the other; Esc goes back");
    return;
  }
  if (t->depth > 0 && !(ops->flags & VIEW_OVERLAY)) {
    remember(s);
  }
  v = view_new(ops, &args, &e);
  if (v != NULL) {
    t->stack[t->depth++] = v;
    s->stale = true;
  } else {
    shell_say(s, ROLE_WARN, "%s", err_message(&e));
  }
  err_fini(&e);
}

void shell_pop(struct shell *s)
{
  struct shell_tab *t = &s->tabs[s->tab];
  if (t->depth > 1) {
    view_free(t->stack[--t->depth]);
    t->stack[t->depth] = NULL;
    t->stack[t->depth - 1]->stale = true;
    s->stale = true;
  }
}

void shell_go_to_tab(struct shell *s, size_t tab)
{
  if (tab >= s->tab_count) {
    return;
  }
  if (tab != s->tab) {
    remember(s);
    s->tab = tab;
  } else {
    while (s->tabs[tab].depth > 1) {
      shell_pop(s);
    }
  }
  if (s->tabs[tab].depth == 0) {
    shell_open(s, shell_tab_views[tab], NULL, 0, NULL);
  }
  if (shell_top(s) != NULL) {
    shell_top(s)->stale = true;
  }
  s->stale = true;
}

void shell_go_to_view(struct shell *s, const struct view_ops *ops)
{
  for (size_t i = 0; i < s->tab_count; i++) {
    if (shell_tab_views[i] == ops) {
      shell_go_to_tab(s, i);
      while (s->tabs[s->tab].depth > 1) { /* the view that was named, not what was opened from it */
        shell_pop(s);
      }
    }
  }
}

static void go_before(struct shell *s)
{
  bool moved = false;
  while (!moved && s->visited_count > 0) {
    struct shell_visit visit = s->visited[--s->visited_count];
    if (visit.tab != s->tab && s->tabs[visit.tab].depth > 0) {
      s->tab = visit.tab;
      shell_top(s)->stale = true;
      s->stale = true;
      moved = true;
    } else if (visit.tab == s->tab && s->tabs[s->tab].depth > visit.depth) {
      while (s->tabs[s->tab].depth > visit.depth && s->tabs[s->tab].depth > 1) {
        shell_pop(s);
      }
      moved = true;
    }
  }
  if (!moved) {
    shell_pop(s);
  }
}

/* --- life ----------------------------------------------------------------------------------------------------------- */

/* TAB_COUNT: none. */
static size_t tab_named(const char *name)
{
  size_t i = 0;
  while (i < TAB_COUNT && strcmp(shell_tab_views[i]->name, name) != 0) {
    i++;
  }
  return i;
}

struct err shell_check_view(const char *name)
{
  struct err e = err_ok();
  if (tab_named(name) == TAB_COUNT) {
    e = err_new(ERR_USAGE, "there is no view \"%s\" to begin with", name);
    struct buf names;
    buf_init(&names, 256);
    buf_adds(&names, "views: ");
    for (size_t i = 0; i < TAB_COUNT; i++) {
      buf_addf(&names, "%s%s", i > 0 ? ", " : "", shell_tab_views[i]->name);
    }
    err_set_hint(&e, "%s", names.data);
    buf_fini(&names);
  }
  return e;
}

struct err shell_new(const struct shell_options *options, struct shell **out)
{
  struct shell *s = xcalloc(1, sizeof *s);
  struct err e = err_ok();
  size_t first = 0;
  *out = NULL;
  if (options->keys != NULL) {
    s->keys = *options->keys;
  } else {
    keymap_init(&s->keys);
  }
  s->tab_count = TAB_COUNT;
  s->demo = options->demo;
  s->scene = (struct scene){.model = options->model,
                            .now_ms = options->now_ms,
                            .zone = options->zone,
                            .place = -1,
                            .read_only = options->read_only,
                            .width = 80,
                            .height = 19,
                            .keys = &s->keys,
                            .prices = options->prices,
                            .stats = stats_cache_new(options->measures != NULL ? options->measures->usual_runs : 0),
                            .desk = desk_new(options->measures)};
  s->span_ms = INT64_MAX;
  s->from_ms = WHEN_NONE;
  s->end_ms = options->until_ms;
  if (options->since_ms != INT64_MIN) {
    int64_t span = (options->until_ms == INT64_MAX ? options->now_ms : options->until_ms) - options->since_ms;
    s->span_ms =
        (span + WHEN_MINUTE / 2) / WHEN_MINUTE * WHEN_MINUTE; /* the two moments were taken one after the other */
  }
  shell_resolve_window(s);
  if (options->view != NULL) {
    e = shell_check_view(options->view);
    first = err_is(&e) ? 0 : tab_named(options->view);
  }
  if (err_is(&e)) {
    shell_free(s);
  } else {
    s->tab = first;
    shell_open(s, shell_tab_views[first], NULL, 0, NULL);
    s->stale = true;
    *out = s;
  }
  return e;
}

void shell_free(struct shell *s)
{
  if (s == NULL) {
    return;
  }
  for (size_t t = 0; t < s->tab_count; t++) {
    while (s->tabs[t].depth > 0) {
      view_free(s->tabs[t].stack[--s->tabs[t].depth]);
    }
  }
  palette_forget();
  stats_cache_free(s->scene.stats);
  desk_free(s->scene.desk);
  free(s->copy);
  free(s->say);
  free(s->changes_told);
  free(s->export_path);
  shell_forget_budgets(s);
  free(s);
}

void shell_set_model(struct shell *s, const struct model *model, int64_t now_ms)
{
  s->scene.model = model;
  s->scene.now_ms = now_ms;
  shell_resolve_window(s);
}

void shell_say(struct shell *s, enum role role, const char *format, ...)
{
  va_list args;
  free(s->say);
  va_start(args, format);
  s->say = xvasprintf(format, args);
  va_end(args);
  s->say_role = role;
  s->say_until_ms = s->mono_ms + SAY_MS;
}

bool shell_done(const struct shell *s)
{
  return s->done;
}

bool shell_take_repaint(struct shell *s)
{
  bool repaint = s->repaint;
  s->repaint = false;
  return repaint;
}

char *shell_take_copy(struct shell *s)
{
  char *copy = s->copy;
  s->copy = NULL;
  return copy;
}

bool shell_stale(const struct shell *s)
{
  return s->stale;
}

bool shell_needs_rows(const struct shell *s)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  const struct view *v = t->depth > 0 ? t->stack[t->depth - 1] : NULL;
  bool unseen_dialog = v != NULL && (v->ops->flags & VIEW_TAKES_TEXT) && !(v->ops->flags & VIEW_BOTTOM) && !v->drawn;
  return s->stale && !unseen_dialog;
}

bool shell_has_work(const struct shell *s)
{
  return s->scene.model != NULL && !desk_ready(s->scene.desk, &s->scene);
}

bool shell_counts_anew(const struct shell *s)
{
  return !desk_whole(s->scene.desk) || desk_behind(s->scene.desk);
}

bool shell_work(struct shell *s, const struct model *model, int64_t now_ms)
{
  struct scene scene = s->scene;
  scene.model = model;
  scene.now_ms = now_ms;
  bool anew = shell_counts_anew(s);
  bool done = desk_step(s->scene.desk, &scene);
  if (done && anew) {
    s->stale = true;
  }
  return !done;
}

bool shell_write_under_way(const struct shell *s)
{
  bool pending = false;
  for (size_t i = 0; s->scene.model != NULL && i < s->scene.model->change_count; i++) {
    pending = pending || s->scene.model->changes[i].result == CHANGE_PENDING;
  }
  return pending;
}

int64_t shell_next_tick_ms(const struct shell *s, int64_t now_ms)
{
  /* Durations of what runs move on every ten seconds, the clock and ages every minute: coarse steps keep the wire quiet. */
  int64_t step = s->summary.active > 0 ? 10 * WHEN_SECOND : WHEN_MINUTE;
  const struct view *main = shell_main(s);
  if (main != NULL && main->ops->step_ms > 0 && main->ops->step_ms < step && !s->focus_lost) {
    step = main->ops->step_ms;
  }
  return (now_ms / step + 1) * step;
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void apply(struct shell *s, struct view *v, struct outcome *o, const struct input *in, bool asked,
                  struct intents *out)
{
  if (o->stale) {
    v->stale = true;
    s->stale = true;
  }
  if (o->close && shell_top(s) == v) {
    shell_pop(s);
    if (asked) { /* whoever leans on the key that said yes must not do something in the view behind the dialog */
      s->held = *in;
      s->held_until_ms = s->mono_ms + HELD_MS;
    }
  }
  if (o->copy != NULL) {
    free(s->copy);
    s->copy = text_clean_dup(o->copy, TEXT_LINE);
    shell_say(s, ROLE_GOOD, "copied: %s", s->copy);
  }
  if (o->say != NULL) {
    shell_say(s, o->say_role, "%s", o->say);
  }
  if (o->open != NULL) {
    shell_open(s, o->open, o->subjects, o->subject_count, o->text);
  }
  if (o->command != NULL) {
    shell_command(s, o->command, out);
  }
  if (o->action != ACTION_NONE) {
    shell_act(s, o->action, out);
  }
}

void shell_input(struct shell *s, const struct input *in, int64_t mono_ms, struct intents *out)
{
  struct view *v = shell_top(s);
  struct outcome o = {.intents = out};
  enum action action = ACTION_NONE;
  bool takes_text = v != NULL && (v->ops->flags & VIEW_TAKES_TEXT) != 0;
  s->mono_ms = mono_ms;
  shell_note_presence(s, in, out);
  if (v == NULL || in->kind == INPUT_NONE || in->kind == INPUT_FOCUS || (in->kind == INPUT_PASTE && !takes_text)) {
    return; /* pasted text is never a command */
  }
  if (s->held.kind != INPUT_NONE) {
    bool same = input_same_key(&s->held, in) && mono_ms < s->held_until_ms;
    if (same) {
      s->held_until_ms = mono_ms + HELD_MS;
      return;
    }
    s->held.kind = INPUT_NONE;
  }
  if (!takes_text) {
    action = keymap_find(&s->keys, in, v->ops->holds, s->scene.read_only);
    if (s->say != NULL && s->say_role != ROLE_BAD) {
      free(s->say); /* read, presumably */
      s->say = NULL;
    }
    if (action == ACTION_NONE) {
      if (s->scene.read_only && keymap_find(&s->keys, in, v->ops->holds, false) != ACTION_NONE) {
        shell_say(s, ROLE_WARN, "read-only: nothing that changes AWS can be done here");
      }
      return;
    }
  }
  if (takes_text && (shell_main(s)->ops->holds & HOLD_TIMELINE)) {
    s->stale = true; /* other lanes may come into view while a filter is typed */
  }
  if (takes_text && !v->drawn) {
    /* typed before the dialog could be seen; a prompt takes it, a dialog does not */
    if (!(v->ops->flags & VIEW_BOTTOM)) {
      return;
    }
  }
  size_t intents = out->count;
  enum handled handled = v->ops->input != NULL ? v->ops->input(v, in, action, &o) : HANDLED_NO;
  apply(s, v, &o, in, out->count > intents, out);
  if (handled == HANDLED_NO && action != ACTION_NONE) {
    if (action == ACTION_BEFORE) {
      go_before(s);
    } else {
      shell_act(s, action, out);
    }
  }
  outcome_fini(&o);
}

/* --- model to screen ------------------------------------------------------------------------------------------------ */

/* What the header tells: what was spent today, and what needs a person. Behind what the view on show wants. */
static void header_wants(const struct shell *s, struct wants *out)
{
  struct scene scene = s->scene;
  int64_t day = when_day_start(scene.now_ms, WHEN_UTC), ago = scene.now_ms - WHEN_DAY;
  scene.since_ms = day < ago ? day : ago;
  scene.since_ms = scene.since_ms / WHEN_MINUTE * WHEN_MINUTE;
  scene.until_ms = INT64_MAX;
  rows_want_all_runs(&scene, WANT_BEHIND, out);
  rows_want_rates(&scene, WANT_BEHIND, out);
}

void shell_wants(struct shell *s, struct wants *out)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  for (size_t i = t->depth; i > 0 && s->scene.model != NULL; i--) {
    const struct view *v = t->stack[i - 1];
    if (v->ops->wants != NULL) {
      v->ops->wants(v, &s->scene, out);
    }
    if (!(v->ops->flags & VIEW_OVERLAY)) {
      break;
    }
  }
  if (s->scene.model != NULL) {
    header_wants(s, out);
    shell_want_budgets(s, out);
  }
}

const char *shell_change_word(enum change_result r)
{
  static const char *const words[] = {
      [CHANGE_PENDING] = "under way", [CHANGE_STARTED] = "started",     [CHANGE_STOPPING] = "stopping",
      [CHANGE_REFUSED] = "refused",   [CHANGE_UNCERTAIN] = "UNCERTAIN", [CHANGE_UNCHANGED] = "unchanged"};
  return words[r];
}

static void tell_changes(struct shell *s)
{
  const struct model *m = s->scene.model;
  size_t had = s->changes_told_cap;
  if (m->change_count > had) {
    s->changes_told = xreallocarray(s->changes_told, m->change_count, 1);
    memset(s->changes_told + had, CHANGE_PENDING, m->change_count - had);
    s->changes_told_cap = m->change_count;
  }
  for (size_t i = 0; i < m->change_count; i++) {
    const struct change *c = &m->changes[i];
    if (c->result != CHANGE_PENDING && s->changes_told[i] == CHANGE_PENDING) {
      const char *job = model_str(m, c->job), *run = model_str(m, c->run_id);
      bool good = c->result == CHANGE_STARTED || c->result == CHANGE_STOPPING || c->result == CHANGE_UNCHANGED;
      s->changes_told[i] = (uint8_t)c->result;
      struct buf id;
      buf_init(&id, 256);
      if (run != NULL) {
        format_run_short(&id, run); /* the reason behind it must have room; the messages have the whole id */
      }
      shell_say(s, good ? ROLE_GOOD : ROLE_BAD, "%s %s %s%s%s", shell_change_word(c->result), job != NULL ? job : "",
                id.data, c->message != NULL && c->message[0] != '\0' ? ": " : "", c->message != NULL ? c->message : "");
      buf_fini(&id);
    }
  }
}

/* Once everything has been read the cursor belongs to its row, whether the person has moved or not. */
static void hold_cursor(struct view *v, const struct scene *scene)
{
  struct list *l = v->ops->list ? v->ops->list(v) : NULL;
  if (l != NULL && scene->quiet && l->shown > 0) {
    l->touched = true;
  }
}

static void tell_problems(struct shell *s)
{
  const struct model *m = s->scene.model;
  if (m->problem_count > s->problems_seen) {
    const struct problem *p = &m->problems[m->problem_count - 1];
    char key[INPUT_KEY_NAME_MAX];
    bool has_what = p->what != NULL && p->what[0] != '\0';
    if (s->say == NULL || s->say_role != ROLE_BAD) {
      shell_say(s, ROLE_WARN, "! %s%s%s  (%s: more)", has_what ? p->what : "", has_what ? ": " : "",
                p->message != NULL ? p->message : err_kind_name(p->kind), keymap_key(&s->keys, ACTION_MESSAGES, key));
    }
  }
  s->problems_seen = m->problem_count;
}

/* A login that waits for a code asks for it once; Esc leaves it, :mfa asks again. */
static void ask_for_codes(struct shell *s)
{
  const struct model *m = s->scene.model;
  bool busy = shell_top(s) == NULL || (shell_top(s)->ops->flags & VIEW_OVERLAY) != 0;
  for (size_t i = 0; i < m->context_count && i < sizeof s->mfa_asked * 8; i++) {
    uint64_t bit = UINT64_C(1) << i;
    bool waits = !m->contexts[i].closed && m->contexts[i].mfa_serial[0] != '\0';
    if (waits && !(s->mfa_asked & bit) && !busy) {
      char index[24];
      snprintf(index, sizeof index, "%zu", i);
      shell_open(s, &mfa_view, NULL, 0, index);
      s->mfa_asked |= bit;
      busy = true;
    } else if (!waits) {
      s->mfa_asked &= ~bit;
    }
  }
}

void shell_update(struct shell *s, const struct model *model, int64_t now_ms, int64_t mono_ms, bool quiet, int width,
                  int height)
{
  struct shell_tab *t = &s->tabs[s->tab];
  s->mono_ms = mono_ms;
  s->scene.model = model;
  s->scene.now_ms = now_ms;
  s->scene.quiet = quiet;
  s->scene.width = width;
  s->scene.height = height > 5 ? height - 5 : 1;
  s->stale = false;
  if (s->scene.place >= (int)model->place_count ||
      (s->scene.place >= 0 && scene_context_of(model, s->scene.place) < 0)) {
    s->scene.place = -1;
  }
  if (s->say != NULL && mono_ms >= s->say_until_ms) {
    free(s->say);
    s->say = NULL;
  }
  ask_for_codes(s);
  t = &s->tabs[s->tab];
  shell_resolve_window(s);
  shell_resolve_absence(s);
  desk_keep_loads(s->scene.desk, (shell_main(s)->ops->flags & VIEW_CURVES) != 0);
  desk_aim(s->scene.desk, &s->scene);
  shell_summarise(s);
  tell_problems(s);
  tell_changes(s);
  size_t from = t->depth;
  while (from > 1 && (t->stack[from - 1]->ops->flags & VIEW_OVERLAY)) {
    from--;
  }
  for (size_t i = from > 0 ? from - 1 : 0; i < t->depth; i++) {
    if (t->stack[i]->ops->update != NULL) {
      t->stack[i]->ops->update(t->stack[i], &s->scene);
      hold_cursor(t->stack[i], &s->scene);
    }
    t->stack[i]->stale = false;
  }
  struct view *main = shell_main(s);
  int64_t end_ms = INT64_MAX;
  if (main->ops->moves != NULL && main->ops->moves(main, &end_ms)) {
    shell_set_window(s, s->span_ms, end_ms);
  }
  if (s->export_path != NULL) {
    char *path = s->export_path;
    s->export_path = NULL;
    shell_export(s, path);
    free(path);
  }
}

static void draw_too_small(const struct pane *p)
{
  char text[64];
  size_t at = 0;
  struct buf note;
  buf_init(&note, sizeof text);
  buf_addf(&note, "window too small: %dx%d, needs %dx%d", p->width, p->height, SHELL_SMALLEST_W, SHELL_SMALLEST_H);
  for (int y = 0; y < p->height && at < note.len; y++) {
    int used = 0;
    size_t bytes = text_fit(note.data + at, p->width, &used);
    pane_put(p, y, 0, ROLE_WARN, note.data + at);
    at += bytes > 0 ? bytes : 1;
  }
  buf_fini(&note);
}

/* The rectangle of an overlay: in the middle, as large as it wants to be, or the lines at the bottom. */
static struct pane overlay_pane(const struct view *v, const struct pane *screen, const struct pane *body)
{
  struct pane pane = *body;
  if (v->ops->flags & VIEW_BOTTOM) {
    pane = pane_part(screen, 0, 0, screen->height - 1, screen->width);
  }
  return pane;
}

void shell_draw(struct shell *s, struct canvas *canvas)
{
  struct pane screen = canvas_pane(canvas), body;
  const struct shell_tab *t = &s->tabs[s->tab];
  canvas_clear(canvas);
  if (canvas->width < SHELL_SMALLEST_W || canvas->height < SHELL_SMALLEST_H) {
    draw_too_small(&screen);
    return;
  }
  int above = canvas->height >= 12 ? 3 : 2, under = canvas->height >= 8 ? 2 : 1;
  body = pane_part(&screen, above, 0, canvas->height - above - under, canvas->width);
  size_t from = t->depth;
  while (from > 1 && (t->stack[from - 1]->ops->flags & VIEW_OVERLAY)) {
    from--;
  }
  for (size_t i = from > 0 ? from - 1 : 0; i < t->depth; i++) {
    struct view *v = t->stack[i];
    if (!(v->ops->flags & VIEW_OVERLAY)) {
      v->ops->draw(v, &body);
      shell_draw_frame(s, canvas, &body);
    } else {
      struct pane place = overlay_pane(v, &screen, &body);
      v->ops->draw(v, &place);
    }
    v->drawn = true;
  }
}
