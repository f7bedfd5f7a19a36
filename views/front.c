#include "views/front.h"

#include <stdlib.h>
#include <time.h>
#include "base/xalloc.h"
#include "views/actions.h"
#include "views/canvas.h"
#include "views/input.h"
#include "views/shell.h"
#include "views/term.h"

/* Rows are recomputed at most this often, and never for more than a small part of the time: while data pours in at first so that keys
 * come first, later so that a dashboard that stands open all day costs nothing. On a small account that is a blink all the same. */
#define UPDATE_EVERY_MS 100
#define SHARE_AT_FIRST  100 /* one part in so many */
#define SHARE_LATER     300
#define SLICES_LATER    8 /* of the boards' work, before an update */

struct views_front {
  const struct clock *clock;
  struct keymap keys;
  bool no_color;
  struct shell_options shell_options;
  struct app *app;
  struct terminal *term;
  struct input_decoder decoder;
  bool typed_ahead; /* the decoder may hold keys that wait for an update */
  struct shell *shell;
  struct canvas canvas;
  uint64_t generation; /* of the model when the rows were computed */
  bool updated;        /* once at least */
  bool dirty;          /* a key has come: draw */
  bool hung_up;
  int64_t update_after_ms; /* monotonic: not before */
  int64_t tick_ms;         /* wall: recompute what moves with time */
  bool late;               /* an update was put off */
  bool settled;            /* all that is on show was answered once */
  bool bell;
  int osc;
  uint64_t noticed; /* number of the event told last */
};

struct err views_check_theme(const char *name)
{
  struct err e = err_ok();
  if (!theme_known(name)) {
    e = err_new(ERR_USAGE, "there is no theme \"%s\"", name);
    err_set_hint(&e, "themes: default, light, mono");
  }
  return e;
}

struct err views_check_view(const char *name)
{
  return shell_check_view(name);
}

struct err views_check_keys(const char *action, const char *keys)
{
  struct keymap map;
  keymap_init(&map);
  return keymap_set(&map, action, keys);
}

struct err views_front_new(const struct views_options *options, struct views_front **out)
{
  struct views_front *f = xcalloc(1, sizeof *f);
  struct err e = err_ok();
  *out = NULL;
  f->clock = options->clock;
  f->no_color = options->no_color;
  f->bell = options->bell;
  f->osc = options->osc;
  keymap_init(&f->keys);
  if (!theme_choose(options->theme)) {
    e = views_check_theme(options->theme);
  }
  for (size_t i = 0; i < options->key_count && !err_is(&e); i++) {
    e = keymap_set(&f->keys, options->keys[i].action, options->keys[i].keys);
  }
  if (!err_is(&e)) {
    f->shell_options = (struct shell_options){.zone = options->zone,
                                              .read_only = options->read_only,
                                              .demo = options->demo,
                                              .view = options->view,
                                              .since_ms = options->since_ms,
                                              .until_ms = options->until_ms,
                                              .keys = &f->keys,
                                              .prices = options->prices,
                                              .measures = options->measures,
                                              .now_ms = clock_wall_ms(options->clock)};
    e = shell_new(&f->shell_options, &f->shell);
  }
  if (err_is(&e)) {
    free(f);
  } else {
    input_init(&f->decoder);
    canvas_init(&f->canvas);
    *out = f;
  }
  return e;
}

void views_front_free(struct views_front *front)
{
  if (front != NULL) {
    shell_free(front->shell);
    input_fini(&front->decoder);
    canvas_fini(&front->canvas);
    term_close(front->term);
    free(front);
  }
}

static void wake_app(void *app)
{
  app_wake(app);
}

static struct err front_open(void *front, struct app *app)
{
  struct views_front *f = front;
  f->app = app;
  struct err e = term_open(!f->no_color, &f->term);
  if (!err_is(&e)) {
    term_set_wake(wake_app, app);
    shell_set_model(f->shell, app_model(app), clock_wall_ms(f->clock));
    f->dirty = true;
  }
  return e;
}

static void front_close(void *front)
{
  struct views_front *f = front;
  term_close(f->term);
  f->term = NULL;
}

static int front_fd(void *front)
{
  const struct views_front *f = front;
  return f->term != NULL && !f->hung_up ? term_fd(f->term) : -1;
}

static void front_input(void *front, bool ready, struct intents *out)
{
  struct views_front *f = front;
  int64_t mono = clock_mono_ms(f->clock);
  struct input in;
  (void)ready; /* looked at in any case: a terminal that has gone must be noticed whoever wakes us */
  unsigned events = term_drain(f->term, &f->decoder, mono);
  if (events & TERM_HUNG_UP) {
    f->hung_up = true;
  }
  if (events & (TERM_RESIZED | TERM_RESUMED)) {
    f->dirty = true;
    f->updated = false;
  }
  /* Keys typed ahead of a view meet its rows: after a key that opened one, the rest waits for the next update. */
  f->typed_ahead = false;
  while (!f->hung_up && !f->typed_ahead && input_next(&f->decoder, mono, &in)) {
    shell_input(f->shell, &in, mono, out);
    f->dirty = true;
    f->typed_ahead = shell_needs_rows(f->shell);
  }
  shell_tell_budgets(f->shell, out);
}

static void front_wants(void *front, struct wants *out)
{
  struct views_front *f = front;
  shell_wants(f->shell, out);
}

static int64_t cpu_us(void)
{
  struct timespec t = {0, 0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* What has come since the last frame, to the desktop: once, however many it are. */
static void tell_notices(struct views_front *f, const struct model *model)
{
  const struct notices *e = &model->notices;
  size_t count = 0;
  bool bad = false;
  for (size_t i = e->count; i-- > 0 && e->items[i].number > f->noticed;) {
    count++;
    bad = bad || e->items[i].severity == NOTICE_BAD;
  }
  f->noticed = e->last_number;
  if (count > 0) {
    const struct notice *last = &e->items[e->count - 1];
    const char *job = model_str(model, last->job);
    const char *why = last->kind == NOTICE_BUDGET ? model_str(model, last->text) : NULL;
    char *text = xasprintf("%s%s%s%s%s", job != NULL ? job : "", job != NULL ? " " : "", notice_kind_word(last->kind),
                           why != NULL ? ": " : "", why != NULL ? why : "");
    char *more = count > 1 ? xasprintf("%s, and %zu more", text, count - 1) : NULL;
    term_notify(f->term, f->bell && bad, f->osc, more != NULL ? more : text);
    free(more);
    free(text);
  }
}

/* Sums that nobody has seen yet are counted at once, slice by slice; what moves on later is counted before the next update. */
static bool works_at_once(const struct views_front *f)
{
  return shell_has_work(f->shell) && (!f->settled || f->clock->manual || shell_counts_anew(f->shell));
}

static void front_frame(void *front, const struct model *model, int64_t now_ms, bool quiet)
{
  struct views_front *f = front;
  int64_t mono = clock_mono_ms(f->clock);
  int width = 0, height = 0;
  bool first = !f->updated;
  if (f->hung_up || f->term == NULL) {
    return;
  }
  int64_t began = cpu_us();
  if (works_at_once(f) && (!f->dirty || f->clock->manual)) { /* a key comes first */
    shell_work(f->shell, model, now_ms);
  }
  bool changed = model->generation != f->generation || now_ms >= f->tick_ms || shell_has_work(f->shell);
  term_size(f->term, &width, &height);
  first = first || width != f->canvas.width || height != f->canvas.height || shell_stale(f->shell);
  bool at_once = f->clock->manual || (quiet && !f->settled); /* a clock that stands still would never bring it */
  /* Rows are copies, so a key is answered from those of a moment ago; what has come in since is shown by a later frame. */
  bool due = first || (changed && !f->dirty && (at_once || mono >= f->update_after_ms));
  f->late = changed && !due;
  if (f->late && (at_once || f->update_after_ms < mono)) {
    f->update_after_ms = mono;
  }
  f->settled = f->settled || quiet;
  if (due) {
    for (int i = 0; i < SLICES_LATER && f->settled && shell_has_work(f->shell); i++) {
      shell_work(f->shell, model, now_ms);
    }
    shell_update(f->shell, model, now_ms, mono, quiet, width, height);
    int64_t spent = f->clock->manual ? 0 : cpu_us() - began; /* a test's time does not pass by itself */
    int64_t pause = spent * (f->settled ? SHARE_LATER : SHARE_AT_FIRST) / 1000;
    f->update_after_ms = mono + (pause > UPDATE_EVERY_MS ? pause : UPDATE_EVERY_MS);
    f->generation = model->generation;
    f->tick_ms = shell_next_tick_ms(f->shell, now_ms);
    f->updated = true;
  }
  if (due || f->dirty) {
    canvas_resize(&f->canvas, width, height);
    shell_draw(f->shell, &f->canvas);
    f->dirty = false;
    if (shell_take_repaint(f->shell)) {
      term_repaint(f->term);
    }
    term_show(f->term, &f->canvas);
    tell_notices(f, model);
    char *copy = shell_take_copy(f->shell);
    if (copy != NULL) {
      (void)term_copy(f->term, copy); /* what is too long for it has been shown all the same */
    }
    free(copy);
  }
}

static int64_t front_next_frame_ms(void *front)
{
  const struct views_front *f = front;
  int64_t mono = clock_mono_ms(f->clock), when = INT64_MAX;
  if (f->dirty || shell_stale(f->shell) || works_at_once(f)) {
    when = mono;
  } else {
    /* An update that was put off covers whatever time has brought meanwhile. */
    int64_t tick = f->late ? f->update_after_ms : mono + (f->tick_ms - clock_wall_ms(f->clock));
    int64_t esc = input_deadline(&f->decoder);
    when = tick < esc ? tick : esc;
  }
  return when;
}

static bool front_done(void *front)
{
  const struct views_front *f = front;
  return f->hung_up || shell_done(f->shell);
}

const struct front_ops views_front_ops = {
    .name = "screen",
    .open = front_open,
    .close = front_close,
    .fd = front_fd,
    .input = front_input,
    .wants = front_wants,
    .frame = front_frame,
    .next_frame_ms = front_next_frame_ms,
    .done = front_done,
};

int views_front_exit_status(const struct views_front *front)
{
  return front->hung_up ? 129 : 0; /* as if by SIGHUP */
}

char *views_keys_markdown(void)
{
  struct buf out;
  buf_init(&out, 65536);
  keymap_write_markdown(&out);
  return buf_take(&out);
}
