/* Who blocked whom, who waits now, and what will clash. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/board.h"
#include "views/collisions_jobs.h"
#include "views/collisions_private.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/rows.h"

enum { PART_ALL, PART_NOW, PART_SOON, PART_PAST, PART_JOBS, PART_COUNT };
enum kind { KIND_WAITING, KIND_AT_LIMIT, KIND_SOON, KIND_PAST, KIND_WARNING };

struct collisions_row {
  struct board_row
      base; /* its run is the one that holds, or held, the slot: that is where Enter leads; else the run that suffered */
  uint8_t kind;      /* enum kind */
  uint8_t past_kind; /* enum collision_kind */
  int64_t at_ms;     /* WHEN_NONE: now */
  double confidence;
  const char *what, *who, *advice; /* in the arena */
};

#define ROW const struct collisions_row *r = row

/* --- columns -------------------------------------------------------------------------------------------------------- */

static void text_sign(const void *row, const struct list_env *env, struct buf *out)
{
  static const enum sign signs[] = {[KIND_WAITING] = SIGN_WAITING,
                                    [KIND_AT_LIMIT] = SIGN_RUNNING,
                                    [KIND_SOON] = SIGN_WARN,
                                    [KIND_PAST] = SIGN_FAILED,
                                    [KIND_WARNING] = SIGN_ROUGH};
  ROW;
  (void)env;
  bool waited = r->kind == KIND_PAST && (r->past_kind == COLLISION_QUEUED || r->past_kind == COLLISION_ACCOUNT);
  buf_adds(out, sign(waited ? SIGN_WAITING : signs[r->kind]));
}

static unsigned style(const void *row)
{
  ROW;
  unsigned s = ROLE_TEXT;
  switch ((enum kind)r->kind) {
  case KIND_WAITING:
    s = ROLE_WARN;
    break;
  case KIND_SOON:
    s = r->confidence >= 0.5 ? ROLE_WARN : ROLE_TEXT;
    break;
  case KIND_PAST:
    s = r->past_kind == COLLISION_FAILED || r->past_kind == COLLISION_REJECTED ? ROLE_BAD : ROLE_TEXT;
    break;
  case KIND_AT_LIMIT:
  case KIND_WARNING:
    break;
  }
  return s;
}

static void text_when(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  if (r->at_ms == WHEN_NONE) {
    buf_adds(out, r->kind == KIND_WARNING ? "always" : "now");
  } else {
    format_moment(out, r->at_ms, env->now_ms, env->zone);
  }
}

static void text_what(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->what);
}

static void text_who(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->who);
}

static void text_advice(const void *row, const struct list_env *env, struct buf *out)
{
  ROW;
  (void)env;
  buf_adds(out, r->advice);
}

static unsigned style_advice(const void *row)
{
  (void)row;
  return ROLE_ACCENT;
}

static int by_when(const void *a, const void *b, const struct list_env *env)
{
  const struct collisions_row *x = a, *y = b;
  int64_t p = x->at_ms == WHEN_NONE ? env->now_ms : x->at_ms, q = y->at_ms == WHEN_NONE ? env->now_ms : y->at_ms;
  return compare_i64(p, q);
}

static int by_likely(const void *a, const void *b, const struct list_env *env)
{
  const struct collisions_row *x = a, *y = b;
  (void)env;
  return compare_f64(x->confidence, y->confidence);
}

/* clang-format off */
static const struct list_column columns[] = {
    {.title = NULL, .min = 1, .max = 1, .worth = 100, .text = text_sign, .style = style},
    {.title = "WHEN", .word = "when", .min = 9, .max = 16, .worth = 100, .text = text_when, .compare = by_when},
    {.title = "JOB", .word = "job", .min = 18, .max = 44, .worth = 100, .name = true, .searched = true, .text = board_text_job, .compare = board_by_job},
    {.title = "WHAT", .word = "likely", .min = 20, .max = 36, .worth = 99, .searched = true, .text = text_what, .style = style, .compare = by_likely, .big_first = true},
    {.title = "HELD BY", .min = 25, .max = 60, .worth = 98, .searched = true, .text = text_who},
    {.title = "REMEDY", .min = 23, .max = 60, .worth = 96, .text = text_advice, .style = style_advice},
    BOARD_ACCOUNT_COLUMN,
};
/* clang-format on */

static bool is_problem(const void *row)
{
  ROW;
  return r->kind != KIND_AT_LIMIT && r->kind != KIND_WARNING;
}

static const struct list_ops list_ops = {.row_size = sizeof(struct collisions_row),
                                         .columns = columns,
                                         .column_count = sizeof columns / sizeof columns[0],
                                         .fixed = 3,
                                         .problem = is_problem};

static const struct board_part parts[PART_COUNT] = {
    [PART_ALL] = {"all", "collisions", &list_ops},
    [PART_NOW] = {"now", "jobs at their limit", &list_ops},
    [PART_SOON] = {"next 24h", "clashes expected", &list_ops},
    [PART_PAST] = {"past", "collisions in the window", &list_ops},
    [PART_JOBS] = {"peaks", "jobs against their limits", &collisions_job_ops},
};

/* --- rows ----------------------------------------------------------------------------------------------------------- */

static struct err collisions_open(struct view *v, const struct view_args *args)
{
  struct collisions_state *s = v->state;
  (void)args;
  board_init(&s->board, parts, PART_COUNT);
  arena_init(&s->texts);
  return err_ok();
}

static void collisions_close(struct view *v)
{
  struct collisions_state *s = v->state;
  board_fini(&s->board);
  arena_fini(&s->texts);
}

/* What is expected rests on how long jobs took, so history behind the window is wanted as well. */
static void collisions_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  (void)v;
  desk_wants(scene, scene->now_ms - 8 * WHEN_DAY, out);
}

static struct collisions_row *add(struct collisions_state *s, const struct scene *scene, enum kind kind, int place,
                                  strid job, const struct run *run, int64_t at_ms)
{
  /* the same job may be in the list for several reasons and times */
  int64_t number = ((int64_t)kind + 1) << 24 ^ (at_ms == WHEN_NONE ? 0 : at_ms / WHEN_SECOND);
  struct collisions_row *row = board_add(&s->board, scene, place, job, run, number);
  row->kind = (uint8_t)kind;
  row->at_ms = at_ms;
  row->confidence = (double)NAN;
  row->what = row->who = row->advice = "";
  return row;
}

static const char *text_of(struct collisions_state *s, struct buf *text)
{
  const char *copy = arena_strdup(&s->texts, text->data);
  buf_reset(text);
  return copy;
}

static void add_moment(struct buf *out, const struct scene *scene, int64_t ms)
{
  format_moment(out, ms, scene->now_ms, scene->zone);
}

static void add_short_id(struct buf *out, const struct scene *scene, const struct run *r)
{
  char id[RUN_ID_MAX];
  format_run_short(out, run_id_text(r, scene->model->strings, id));
}

static void add_now(struct collisions_state *s, const struct scene *scene, const struct collision_now *n, struct buf *t)
{
  bool held = n->active > 0;
  struct collisions_row *row = add(s, scene, n->waiting > 0 ? KIND_WAITING : KIND_AT_LIMIT, n->place, n->job,
                                   held ? &n->holder : NULL, WHEN_NONE);
  buf_addf(t, "%zu of %d", n->active, (int)n->limit);
  if (n->waiting == 0) {
    buf_adds(t, " running");
  } else {
    buf_addf(t, ", %zu wait%s ", n->waiting, n->waiting == 1 ? "s" : "");
    if (n->waiting_since_ms != WHEN_NONE) {
      format_span(t, (scene->now_ms - n->waiting_since_ms) / WHEN_MINUTE * WHEN_MINUTE);
    }
  }
  row->what = text_of(s, t);
  if (held) {
    add_short_id(t, scene, &n->holder);
    if (n->holder_end_ms != WHEN_NONE) {
      buf_adds(t, " ends ~");
      add_moment(t, scene, n->holder_end_ms);
    }
    buf_adds(t, n->holder.trigger == 0 ? ", by hand" : "");
  } else if (n->reason != 0) {
    buf_adds(t, model_str(scene->model, n->reason));
  }
  row->who = text_of(s, t);
  if (held) {
    char enter[INPUT_KEY_NAME_MAX];
    buf_addf(t, "%s holder", scene->keys != NULL ? keymap_key(scene->keys, ACTION_ENTER, enter) : "Enter");
    if (n->waiting > 0 && !scene->read_only) {
      char stop[INPUT_KEY_NAME_MAX];
      buf_addf(t, "  %s stop it", scene->keys != NULL ? keymap_key(scene->keys, ACTION_STOP, stop) : "X");
    }
  }
  row->advice = text_of(s, t);
}

static void add_soon(struct collisions_state *s, const struct scene *scene, const struct collision_predicted *p,
                     struct buf *t)
{
  struct collisions_row *row =
      add(s, scene, KIND_SOON, p->place, p->job, p->has_busy_run ? &p->busy_run : NULL, p->at_ms);
  row->confidence = p->confidence;
  buf_addf(t, "%s, %.0f%% likely", p->queues ? "waits" : "refused", p->confidence * 100.0);
  row->what = text_of(s, t);
  if (p->has_busy_run) {
    add_short_id(t, scene, &p->busy_run);
  } else {
    buf_adds(t, "the run of ");
    add_moment(t, scene, p->busy_began_ms);
  }
  if (p->busy_until_ms == WHEN_NONE) {
    buf_adds(t, " does not end");
  } else {
    buf_adds(t, " ends ");
    add_moment(t, scene, p->busy_until_ms);
    if (p->busy_until_late_ms != WHEN_NONE && p->busy_until_late_ms > p->busy_until_ms) {
      buf_adds(t, " to ");
      add_moment(t, scene, p->busy_until_late_ms);
    }
  }
  row->who = text_of(s, t);
  const char *between = "";
  if (p->advice & COLLISION_ADVISE_QUEUING) {
    buf_adds(t, "queue on");
    between = " \302\267 ";
  }
  if (p->advice & COLLISION_ADVISE_LIMIT) {
    buf_addf(t, "%slimit %d", between, (int)p->limit + 1);
    between = " \302\267 ";
  }
  if ((p->advice & COLLISION_ADVISE_LATER) && p->suggested_ms != WHEN_NONE) {
    buf_addf(t, "%sstart ", between);
    add_moment(t, scene, p->suggested_ms);
    between = " \302\267 ";
  }
  if (p->advice & COLLISION_ADVISE_FASTER) {
    buf_addf(t, "%sshorter run or longer interval", between);
  }
  row->advice = text_of(s, t);
}

static bool row_failed(const struct collision *c)
{
  return c->has_run && format_is_failure((enum run_state)c->run.state);
}

static void add_past(struct collisions_state *s, const struct scene *scene, const struct collision *c, struct buf *t)
{
  struct collisions_row *row = add(s, scene, KIND_PAST, c->place, c->job, c->has_run ? &c->run : NULL, c->at_ms);
  row->past_kind = (uint8_t)(c->kind == COLLISION_ACCOUNT && row_failed(c) ? COLLISION_FAILED : c->kind);
  switch (c->kind) {
  case COLLISION_REJECTED:
    buf_adds(t, "start refused");
    break;
  case COLLISION_FAILED:
    buf_adds(t,
             collision_of_bookmark(model_str(scene->model, c->run.error)) ? "failed: bookmark" : "failed: limit met");
    break;
  case COLLISION_QUEUED:
    buf_adds(t, "queued");
    break;
  case COLLISION_ACCOUNT:
    buf_adds(t, row_failed(c) ? "failed: account full" : "account, waited");
    break;
  }
  if (c->waited_seconds >= 0 && c->kind != COLLISION_REJECTED && c->kind != COLLISION_FAILED) {
    buf_adds(t, c->kind == COLLISION_ACCOUNT && row_failed(c) ? ", waited " : " ");
    format_span(t, c->waited_seconds * WHEN_SECOND);
  }
  row->what = text_of(s, t);
  for (size_t i = 0; i < c->blocked_by_count; i++) {
    buf_adds(t, i == 0 ? "" : ", ");
    add_short_id(t, scene, &c->blocked_by[i]);
  }
  row->who = text_of(s, t);
}

static void add_warning(struct collisions_state *s, const struct scene *scene, const struct collision_warning *w,
                        struct buf *t)
{
  struct collisions_row *row = add(s, scene, KIND_WARNING, w->place, w->job, NULL, WHEN_NONE);
  buf_addf(t, "bookmark, limit %d", (int)w->limit);
  row->what = text_of(s, t);
  row->who = "runs at once lose or repeat data";
  row->advice = "limit 1";
}

/* What the limits rest on, in few words. */
static const char *quotas_word(const struct place *p, const struct collision_account *a)
{
  const char *word = "quotas read";
  if (a->assumed && p->quotas_fresh.last_err.kind == ERR_DENIED) {
    word = "quotas assumed: Service Quotas denied";
  } else if (a->assumed && err_is(&p->quotas_fresh.last_err)) {
    word = "quotas assumed: Service Quotas not read";
  } else if (a->assumed) {
    word = "quotas assumed";
  } else if (a->runs_origin == QUOTA_FROM_CONFIG || a->dpu_origin == QUOTA_FROM_CONFIG) {
    word = "quotas set by you";
  }
  return word;
}

static void set_account(struct collisions_account *line, const struct scene *scene, const struct collision_account *a)
{
  *line = (struct collisions_account){.active = a->active_runs,
                                      .waiting = a->waiting_runs,
                                      .runs_limit = a->runs_limit,
                                      .dpu = (double)a->dpu_micros / 1e6,
                                      .dpu_limit = a->dpu_limit,
                                      .peak = (double)a->peak.dpu_micros / 1e6,
                                      .peak_at_ms = a->peak.dpu_at_ms,
                                      .expected = (double)a->expected_dpu_micros / 1e6,
                                      .expected_at_ms = a->expected_at_ms,
                                      .quotas = quotas_word(&scene->model->places[a->place], a)};
  struct buf label;
  buf_init(&label, sizeof line->label - 1);
  char *clean =
      text_clean_dup(scene->model->place_count > 1 ? rows_place_label(scene->model, a->place) : "account", TEXT_LINE);
  buf_add(&label, clean, text_fit(clean, 24, &(int){0}));
  memcpy(line->label, label.data, label.len + 1);
  free(clean);
  buf_fini(&label);
}

static void collisions_update(struct view *v, const struct scene *scene)
{
  struct collisions_state *s = v->state;
  struct buf text;
  if (!board_begin(&s->board, scene)) {
    return;
  }
  const struct collisions_result *r = desk_collisions(scene->desk, scene);
  size_t part = s->board.part;
  s->rejected = r->rejected;
  s->failed = r->failed;
  s->queued = r->queued;
  s->by_account = r->by_account;
  s->median_wait_seconds = r->median_wait_seconds;
  s->soon = r->predicted_count;
  s->warnings = r->warning_count;
  s->waiting = s->at_limit = 0;
  s->now_ms = scene->now_ms;
  s->zone = scene->zone;
  s->account_count = r->account_count < COLLISIONS_ACCOUNTS_MAX ? r->account_count : COLLISIONS_ACCOUNTS_MAX;
  s->accounts_more = r->account_count - s->account_count;
  for (size_t i = 0; i < s->account_count; i++) {
    set_account(&s->accounts[i], scene, &r->accounts[i]);
  }
  for (size_t i = 0; i < r->now_count; i++) {
    s->waiting += r->now[i].waiting;
    s->at_limit += r->now[i].active >= (size_t)r->now[i].limit;
  }
  buf_init(&text, 4096);
  arena_reset(&s->texts);
  board_begin_rows(&s->board, scene);
  for (size_t i = 0; i < r->now_count && (part == PART_ALL || part == PART_NOW); i++) {
    /* a job that runs as often as it may and lets nobody wait is no news among the others */
    if (part == PART_NOW || r->now[i].waiting > 0) {
      add_now(s, scene, &r->now[i], &text);
    }
  }
  for (size_t i = 0; i < r->predicted_count && (part == PART_ALL || part == PART_SOON); i++) {
    add_soon(s, scene, &r->predicted[i], &text);
  }
  for (size_t i = 0; i < r->past_count && (part == PART_ALL || part == PART_PAST); i++) {
    add_past(s, scene, &r->past[i], &text);
  }
  if (part == PART_JOBS) {
    collisions_add_jobs(&s->board, scene, r);
  }
  for (size_t i = 0; i < r->warning_count && (part == PART_ALL || part == PART_SOON); i++) {
    add_warning(s, scene, &r->warnings[i], &text);
  }
  board_end_rows(&s->board, scene);
  buf_fini(&text);
}

static void collisions_draw(struct view *v, const struct pane *p)
{
  collisions_draw_board(v->state, p);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static enum handled collisions_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct collisions_state *s = v->state;
  enum handled handled = HANDLED_YES;
  (void)in;
  if (a == ACTION_ENTER) {
    board_open(&s->board, out);
  } else if (!board_act(&s->board, a, out)) {
    handled = HANDLED_NO;
  }
  return handled;
}

static void collisions_caption(const struct view *v, struct buf *out)
{
  const struct collisions_state *s = v->state;
  board_caption(&s->board, out);
}

static bool collisions_detail(const struct view *v, struct buf *out, enum role *role)
{
  const struct collisions_state *s = v->state;
  const struct collisions_row *r = board_current(&s->board);
  if (r == NULL || s->board.part == PART_JOBS) { /* its rows are of another kind, and say it all */
    return false;
  }
  board_text_job(r, &s->board.lists[s->board.part].env, out);
  buf_addf(out, ": %s", r->what);
  if (r->who[0] != '\0') {
    buf_addf(out, "; %s", r->who);
  }
  if (r->advice[0] != '\0' && r->kind == KIND_SOON) {
    buf_addf(out, "; %s", r->advice);
  }
  *role = (enum role)(style(r) & STYLE_ROLE);
  return true;
}

static bool collisions_subject(const struct view *v, struct subject *out)
{
  const struct collisions_state *s = v->state;
  return board_subject(&s->board, out);
}

static size_t collisions_subjects(const struct view *v, struct subject **out)
{
  const struct collisions_state *s = v->state;
  return board_subjects(&s->board, out);
}

static struct list *collisions_list(struct view *v)
{
  struct collisions_state *s = v->state;
  return board_list(&s->board);
}

static bool collisions_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  (void)v;
  return desk_report(scene->desk, scene, BOARD_COLLISIONS, format, out);
}

const struct view_ops collisions_view = {
    .name = "collisions",
    .about = "Runs that met a limit: who waits now and for whom, what will clash in the next 24 hours, what clashed.",
    .holds = HOLD_LIST | HOLD_JOB | HOLD_RUN | HOLD_WINDOW | HOLD_PARTS | HOLD_MONEY,
    .flags = VIEW_CURVES,
    .state_size = sizeof(struct collisions_state),
    .open = collisions_open,
    .close = collisions_close,
    .wants = collisions_wants,
    .update = collisions_update,
    .draw = collisions_draw,
    .input = collisions_input,
    .caption = collisions_caption,
    .detail = collisions_detail,
    .subject = collisions_subject,
    .subjects = collisions_subjects,
    .list = collisions_list,
    .report = collisions_report,
};
