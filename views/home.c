/* What needs a person now, worst first, each line with its reason and the key that deals with it. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/xalloc.h"
#include "model/error_line.h"
#include "views/board.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/pieces.h"
#include "views/rows.h"

struct home_row {
  struct board_row base;
  uint8_t severity, kind, remedy;
  int context;
  int64_t since_ms;
  const char *what, *reason, *keys; /* in the arena */
};

struct home_state {
  struct board_view board;
  struct arena texts;
  /* what is said above the list */
  size_t jobs_watched, jobs_unread, unreadable, errors, warnings, hints;
  int64_t looking_since_ms, now_ms;
  enum when_zone zone;
  bool known; /* the service's lists have come, so that an empty list means something */
};

#define ROW const struct home_row *r = row

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  enum sign s = SIGN_ROUGH;
  if (r->kind == HOME_FAILED && r->severity == HOME_ERROR) {
    s = SIGN_FAILED;
  } else if (r->kind == HOME_OVERDUE) {
    s = SIGN_WAITING;
  } else if (r->severity != HOME_HINT) {
    s = SIGN_WARN;
  }
  buf_adds(out, sign(s));
}

static unsigned style(const void *row)
{
  ROW;
  return r->severity == HOME_ERROR ? ROLE_BAD : r->severity == HOME_WARNING ? ROLE_WARN : ROLE_TEXT;
}

static void text_job(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->base.job != 0) {
    board_text_job(row, env, out);
  } else if (r->base.place_label != NULL) {
    buf_adds(out, r->base.place_label);
  } else {
    buf_adds(out, r->kind == HOME_LOGIN ? "login" : "reading");
  }
}

static void text_what(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->what);
}

static void text_since(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->since_ms == WHEN_NONE) {
    format_nothing(out);
  } else {
    format_ago(out, env->now_ms - r->since_ms);
  }
}

static void text_reason(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->reason);
}

static unsigned style_reason(const void *row)
{
  (void)row;
  return ROLE_TEXT;
}

static void text_keys(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->keys);
}

static unsigned style_keys(const void *row)
{
  (void)row;
  return ROLE_ACCENT;
}

static int by_severity(const void *a, const void *b, const struct list_env *env)
{
  const struct home_row *x = a, *y = b;
  (void)env;
  return compare_i64(y->severity, x->severity);
}

static int by_since(const void *a, const void *b, const struct list_env *env)
{
  const struct home_row *x = a, *y = b;
  (void)env;
  return compare_i64(x->since_ms, y->since_ms);
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = NULL, .word = "severity", .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style, .compare = by_severity, .big_first = true},
    {.title = "JOB", .word = "job", .min = 18, .max = 40, .worth = 100, .name = true, .searched = true, .text = text_job, .compare = board_by_job},
    {.title = "SINCE", .word = "since", .min = 5, .max = 5, .worth = 60, .align = TEXT_RIGHT, .text = text_since, .compare = by_since, .big_first = true},
    {.title = "WHAT", .min = 23, .max = 40, .worth = 100, .searched = true, .text = text_what, .style = style},
    {.title = "WHY", .min = 12, .max = 150, .worth = 99, .greedy = true, .searched = true, .text = text_reason, .style = style_reason},
    {.title = "KEYS", .min = 18, .max = 26, .worth = 98, .text = text_keys, .style = style_keys},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->severity != HOME_HINT;
}

static const struct list_ops list_ops = {.row_size = sizeof(struct home_row),
                                         .columns = columns,
                                         .column_count = sizeof columns / sizeof columns[0],
                                         .fixed = 2,
                                         .problem = is_problem};

static const struct board_part parts[] = {{"", "things that need a person", &list_ops}};

/* --- the view ------------------------------------------------------------------------------------------------------- */

static struct err home_open(struct view *v, const struct view_args *args)
{
  struct home_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, 1);
  arena_init(&s->texts);
  return err_ok();
}

static void home_close(struct view *v)
{
  struct home_state *s = v->state;
  board_fini(&s->board);
  arena_fini(&s->texts);
}

static void home_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  (void)v;
  desk_wants(scene, scene->now_ms - WHEN_DAY, out);
}

/* "" where the configuration has given all keys of the action to others. */
static const char *key(const struct scene *scene, enum action a, char out[INPUT_KEY_NAME_MAX])
{
  bool has = scene->keys != NULL && scene->keys->key_count[a] > 0;
  out[0] = '\0';
  return has ? keymap_key(scene->keys, a, out) : "";
}

/* The keys that deal with it, as they are mapped now. */
static const char *keys_of(struct home_state *s, const struct scene *scene, const struct home_item *item)
{
  char enter[INPUT_KEY_NAME_MAX], other[INPUT_KEY_NAME_MAX];
  const char *text = "";
  bool alive = item->has_run && !run_finished(&item->run);
  key(scene, ACTION_ENTER, enter);
  switch (item->remedy) {
  case HOME_OPEN_RUN:
    key(scene, alive ? ACTION_STOP : ACTION_START, other);
    if (other[0] != '\0' && alive && !scene->read_only) {
      text = arena_printf(&s->texts, "%s run  %s stop", enter, other);
    } else if (other[0] != '\0' && item->kind == HOME_FAILED && !scene->read_only) {
      text = arena_printf(&s->texts, "%s run  %s again", enter, other);
    } else {
      text = arena_printf(&s->texts, "%s run", enter);
    }
    break;
  case HOME_OPEN_JOB:
    text = arena_printf(&s->texts, "%s job", enter);
    break;
  case HOME_OPEN_HOLDER:
    text = arena_printf(&s->texts, "%s holder", enter);
    break;
  case HOME_OPEN_TRIGGER:
    text = arena_printf(&s->texts, "%s trigger", enter);
    break;
  case HOME_LOG_IN:
    text = arena_printf(&s->texts, "%s login", enter);
    break;
  case HOME_OPEN_PROBLEMS:
    text = arena_printf(&s->texts, "%s messages", enter);
    break;
  }
  return text;
}

static void add_item(struct home_state *s, const struct scene *scene, const struct home_item *item, int64_t number)
{
  const struct run *run = item->has_run ? &item->run : NULL;
  struct home_row *row =
      board_add(&s->board, scene, item->place, item->job, run, number + ((int64_t)item->kind + 1) * 65536);
  row->severity = (uint8_t)item->severity;
  row->kind = (uint8_t)item->kind;
  row->remedy = (uint8_t)item->remedy;
  row->context = item->context;
  row->since_ms = item->since_ms;
  row->what = arena_strdup(&s->texts, item->what != NULL ? item->what : "");
  row->reason = arena_strdup(&s->texts, item->reason != NULL ? item->reason : "");
  row->keys = keys_of(s, scene, item);
  if (item->remedy == HOME_OPEN_TRIGGER || item->remedy == HOME_OPEN_JOB) {
    row->base.has_run = false;
  }
  s->hints += item->severity == HOME_HINT;
  s->unreadable += item->kind == HOME_UNREADABLE;
}

static void home_update(struct view *v, const struct scene *scene)
{
  struct home_state *s = v->state;
  const struct model *m = scene->model;
  if (!board_begin(&s->board, scene)) {
    return;
  }
  const struct home_result *h = desk_home(scene->desk, scene);
  s->jobs_watched = h->jobs_watched;
  s->jobs_unread = h->jobs_unread;
  s->errors = h->errors;
  s->warnings = h->warnings;
  s->hints = s->unreadable = 0;
  s->looking_since_ms = h->looking_since_ms;
  s->now_ms = scene->now_ms;
  s->zone = scene->zone;
  s->known = true;
  for (size_t p = 0; p < m->place_count; p++) {
    s->known = s->known && (!scene_shows(scene, (int)p) || m->places[p].jobs_fresh.fetched_ms != WHEN_NONE);
  }
  arena_reset(&s->texts);
  board_begin_rows(&s->board, scene);
  for (size_t i = 0; i < h->count; i++) {
    /* a thing of no job is told apart by its order; what has a job or a run stays itself wherever it moves */
    add_item(s, scene, &h->items[i], h->items[i].job == 0 ? (int64_t)i + 1 : 0);
  }
  board_end_rows(&s->board, scene);
}

/* "since Mon 15:03 · 2,000 jobs watched · the latest runs of 3 are not known". */
static void draw_head(const struct home_state *s, const struct pane *p)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 256);
  if (s->looking_since_ms == INT64_MIN) {
    buf_adds(&text, "everything that was read");
  } else {
    buf_adds(&text, "since ");
    format_moment(&text, s->looking_since_ms, s->now_ms, s->zone);
  }
  pieces_add(&l, 80, 0, ROLE_DIM, "%s", text.data);
  buf_reset(&text);
  format_count(&text, (int64_t)s->jobs_watched);
  pieces_add(&l, 90, 3, ROLE_DIM, "%s jobs watched", text.data);
  if (s->jobs_unread > 0) {
    pieces_add(&l, 100, 3, ROLE_WARN, "the latest runs of %zu are not known", s->jobs_unread);
  }
  if (s->unreadable > 0) {
    pieces_add(&l, 99, 3, ROLE_WARN, "something could not be read");
  }
  pieces_draw(&l, p, 0, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void draw_all_well(struct home_state *s, const struct pane *p)
{
  if (s->jobs_unread > 0 || s->board.counting) {
    pane_put(p, 2, 3, ROLE_TEXT, "Nothing that needs you so far; reading goes on.");
  } else {
    pane_putf(p, 2, 3, ROLE_GOOD, "%s All is well.", sign(SIGN_OK));
    pane_put(p, 3, 5, ROLE_DIM, "No failed, stuck, overdue or unusual runs, and none near its timeout.");
  }
}

static void home_draw(struct view *v, const struct pane *p)
{
  struct home_state *s = v->state;
  struct list *l = board_list(&s->board);
  struct pane below = pane_part(p, 1, 0, p->height - 1, p->width);
  draw_head(s, p);
  if (l->row_count == 0 && s->known && s->jobs_watched > 0) {
    draw_all_well(s, p);
  } else if (l->row_count == 0 && s->known) {
    pane_put(p, 2, 3, ROLE_DIM, "no jobs here, so there is nothing to watch");
  } else {
    board_draw(&s->board, &below);
  }
}

static enum handled home_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct home_state *s = v->state;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    const struct home_row *r = board_current(&s->board);
    if (r != NULL && r->remedy == HOME_LOG_IN) {
      out->command = xstrdup("login");
    } else if (r != NULL && r->remedy == HOME_OPEN_PROBLEMS) {
      out->action = ACTION_MESSAGES;
    } else {
      board_open(&s->board, out);
    }
  } else if (!board_act(&s->board, a, out)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void home_caption(const struct view *v, struct buf *out)
{
  const struct home_state *s = v->state;
  const struct list *l = &s->board.lists[0];
  buf_addf(out, "%zu error%s, %zu warning%s, %zu hint%s", s->errors, s->errors == 1 ? "" : "s", s->warnings,
           s->warnings == 1 ? "" : "s", s->hints, s->hints == 1 ? "" : "s");
  if (l->problems_only) {
    buf_adds(out, ", problems only");
  }
  if (l->filter[0] != '\0') {
    buf_addf(out, ", /%s", l->filter);
  }
  if (s->board.counting) {
    buf_adds(out, ", counting");
    buf_adds(out, sign(SIGN_ELLIPSIS));
  }
}

static bool home_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct home_state *s = v->state;
  const struct home_row *r = board_current(&s->board);
  if (r == NULL) {
    return false;
  }
  buf_adds(out, r->what);
  if (r->reason[0] != '\0') {
    buf_addf(out, ": %s", r->reason);
  }
  *role = (enum role)(style(r) & STYLE_ROLE);
  return true;
}

static bool home_subject(const struct view *v, struct subject *out)
{
  const struct home_state *s = v->state;
  return board_subject(&s->board, out);
}

static size_t home_subjects(const struct view *v, struct subject **out)
{
  const struct home_state *s = v->state;
  return board_subjects(&s->board, out);
}

static struct list *home_list(struct view *v)
{
  struct home_state *s = v->state;
  return board_list(&s->board);
}

static bool home_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  (void)v;
  return desk_report(scene->desk, scene, BOARD_CHECK, format, out);
}

const struct view_ops home_view = {
    .name = "home",
    .about = "What needs a person now, worst first, with the reason and the keys that deal with it.",
    .enter_label = "deal with it",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW,
    .state_size = sizeof(struct home_state),
    .open = home_open,
    .close = home_close,
    .wants = home_wants,
    .update = home_update,
    .draw = home_draw,
    .input = home_input,
    .caption = home_caption,
    .detail = home_detail,
    .subject = home_subject,
    .subjects = home_subjects,
    .list = home_list,
    .report = home_report,
};
