/* Everything around the view: header, tabs, caption, status line, footer. */
#include "views/shell_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "views/doc.h"
#include "views/format.h"
#include "views/money.h"
#include "views/pieces.h"
#include "views/rows.h"

#define EXPIRY_WARNS_MS (4 * WHEN_MINUTE)  /* they are renewed long before: so this is a renewal that fails */
#define OLD_MS          (10 * WHEN_MINUTE) /* data older than that is told in warning colour */

/* --- counting ------------------------------------------------------------------------------------------------------- */

static void count_job(struct shell *s, const struct job *j)
{
  struct shell_summary *sum = &s->summary;
  const struct model *m = s->scene.model;
  sum->jobs++;
  sum->jobs_read += j->runs_fresh.fetched_ms != WHEN_NONE;
  sum->jobs_denied += !j->gone && err_is(&j->runs_fresh.last_err); /* of one that was deleted nothing is missing */
  bool judged = false;
  size_t live = j->run_live;
  for (size_t i = 0; i < j->run_count && (live > 0 || !judged); i++) {
    const struct run *r = &j->runs[i];
    if (run_finished(r)) {
      sum->failing += !judged && format_is_failure((enum run_state)r->state);
      judged = true;
      continue;
    }
    live--;
    if (r->state == RUN_WAITING) {
      sum->waiting++;
    } else {
      double dpu = model_run_dpu(m, r);
      sum->active++;
      sum->dpu += isnan(dpu) ? 0.0 : dpu;
      sum->dpu_unknown = sum->dpu_unknown || isnan(dpu);
      sum->dpu_rough = sum->dpu_rough || (r->flags & RUN_FLAG_AUTO_SCALING) != 0;
    }
  }
}

/* Money and needs come from the boards; while they are counted anew what was known before stands. */
static void summarise_boards(struct shell *s, const struct shell_summary *before)
{
  struct shell_summary *sum = &s->summary;
  if (desk_whole(s->scene.desk)) {
    const struct burn_result *burn = desk_burn(s->scene.desk, &s->scene);
    const struct home_result *home = desk_home(s->scene.desk, &s->scene);
    sum->today_nano = burn->today_nano;
    sum->today_rough = burn->estimated;
    sum->hour_nano = burn->nano_per_hour_now;
    sum->need_errors = home->errors;
    sum->need_warnings = home->warnings;
    sum->counted = true;
    shell_watch_budgets(s, burn);
  } else {
    sum->today_nano = before->today_nano;
    sum->today_rough = before->today_rough;
    sum->hour_nano = before->hour_nano;
    sum->need_errors = before->need_errors;
    sum->need_warnings = before->need_warnings;
    sum->counted = before->counted;
  }
}

static void older(int64_t *oldest, int64_t ms)
{
  if (ms != WHEN_NONE && (*oldest == WHEN_NONE || ms < *oldest)) {
    *oldest = ms;
  }
}

void shell_summarise(struct shell *s)
{
  const struct model *m = s->scene.model;
  struct shell_summary *sum = &s->summary;
  bool never = false;
  const struct shell_summary before = *sum;
  memset(sum, 0, sizeof *sum);
  sum->synced_ms = WHEN_NONE;
  sum->unseen_events = notices_unseen(m);
  summarise_boards(s, &before);
  for (size_t p = 0; p < m->place_count; p++) {
    const struct place *place = &m->places[p];
    if (!scene_shows(&s->scene, (int)p)) {
      continue;
    }
    for (size_t i = 0; i < place->job_count; i++) {
      if (!model_job_named_only(place, &place->jobs[i])) {
        count_job(s, &place->jobs[i]);
      }
    }
    never = never || place->jobs_fresh.fetched_ms == WHEN_NONE;
    older(&sum->synced_ms, place->jobs_fresh.fetched_ms);
    if (err_is(&place->jobs_fresh.last_err)) {
      sum->trouble = place->jobs_fresh.last_err.kind;
    }
  }
  for (size_t c = 0; c < m->context_count; c++) {
    if (!m->contexts[c].closed && scene_shows(&s->scene, m->contexts[c].place)) {
      bool settings = m->contexts[c].identity_fresh.last_err.kind == ERR_CONFIG; /* which no login mends */
      sum->login = sum->login || (m->contexts[c].needs_login && !settings);
      if (err_is(&m->contexts[c].identity_fresh.last_err) && never) {
        sum->trouble = m->contexts[c].identity_fresh.last_err.kind;
      }
    }
  }
  if (never) {
    sum->synced_ms = WHEN_NONE;
  }
}

/* --- the header line ------------------------------------------------------------------------------------------------ */

/* A word and a colour: the colour alone says nothing. */
static unsigned label_style(const struct context *c)
{
  static const unsigned styles[CONTEXT_COLOUR_COUNT] = {
      [CONTEXT_PLAIN] = ROLE_CONTEXT, [CONTEXT_RED] = ROLE_BAD,     [CONTEXT_YELLOW] = ROLE_WARN,
      [CONTEXT_GREEN] = ROLE_GOOD,    [CONTEXT_BLUE] = ROLE_ACCENT,
  };
  bool known = c->colour > CONTEXT_PLAIN && c->colour < CONTEXT_COLOUR_COUNT;
  return (known ? styles[c->colour] | STYLE_REVERSE : ROLE_CONTEXT) | STYLE_BOLD;
}

/* Keys that are nearly over although they should have been renewed long ago, and a clock that is wrong. */
static void add_warnings(const struct shell *s, struct pieces *l, const struct context *c)
{
  int64_t left = c->expires_ms == WHEN_NONE ? INT64_MAX : c->expires_ms - s->scene.now_ms - c->skew_ms;
  if (c->skew_ms != 0) {
    struct buf text;
    buf_init(&text, 128);
    format_clock_skew(&text, c->skew_ms);
    pieces_add(l, 65, 1, ROLE_WARN, "%s", text.data);
    buf_fini(&text);
  }
  if (!c->needs_login && left < EXPIRY_WARNS_MS) {
    pieces_add(l, 84, 1, ROLE_WARN, "keys end in %d min", left > 0 ? (int)(left / WHEN_MINUTE) + 1 : 0);
  }
}

static void add_identity(const struct shell *s, struct pieces *l, int width)
{
  const struct model *m = s->scene.model;
  size_t shown = 0;
  for (size_t i = 0; i < m->context_count; i++) {
    shown += !m->contexts[i].closed && scene_shows(&s->scene, m->contexts[i].place);
  }
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    if (c->closed || !scene_shows(&s->scene, c->place)) {
      continue;
    }
    struct buf account;
    buf_init(&account, 64);
    if (width < 120 || shown > 1) {
      format_account_short(&account, c->account != NULL ? c->account : "");
    } else {
      buf_adds(&account, c->account != NULL ? c->account : "");
    }
    if (c->label != NULL && c->label[0] != '\0') {
      pieces_add(l, 91, 2, label_style(c), " %s ", c->label);
    } else if (c->profile != NULL && c->profile[0] != '\0') {
      pieces_add(l, 90, 2, ROLE_CONTEXT, "%s", c->profile);
    }
    pieces_add(l, 88, l->count > 1 && l->items[l->count - 1].worth >= 90 ? 1 : 2, ROLE_CONTEXT, "%s",
               account.len > 0 ? account.data : "account ?");
    pieces_add(l, 87, 1, ROLE_CONTEXT, "%s", c->region);
    add_warnings(s, l, c);
    if (c->read_only && !s->scene.read_only) {
      pieces_add(l, 61, 1, ROLE_GOOD, "read-only");
    }
    if (!c->confirmed) {
      pieces_add(l, 83, 1, ROLE_WARN, "unconfirmed");
    }
    if (shown == 1 && c->source != NULL && c->source[0] != '\0') {
      pieces_add(l, 40, 1, ROLE_DIM, "via %s", c->source);
    }
    buf_fini(&account);
  }
}

static void add_figures(const struct shell *s, struct pieces *l)
{
  const struct shell_summary *sum = &s->summary;
  struct buf dpu;
  buf_init(&dpu, 64);
  format_dpu(&dpu, sum->dpu);
  if (sum->jobs == 0 && sum->synced_ms == WHEN_NONE) {
    pieces_add(l, 70, 3, ROLE_DIM, "? running"); /* nothing was read, which is not the same as nothing */
  } else {
    pieces_add(l, 70, 3, sum->active > 0 ? ROLE_RUNNING : ROLE_DIM, "%zu running", sum->active);
  }
  if (sum->active > 0) {
    pieces_add(l, 66, 1, ROLE_TEXT, "%s%s%s DPU", sum->dpu_rough ? "~" : "", dpu.data, sum->dpu_unknown ? "+?" : "");
  }
  if (sum->counted && sum->hour_nano > 0) {
    buf_reset(&dpu);
    format_money(&dpu, sum->hour_nano, sum->dpu_rough);
    pieces_add(l, 58, 1, ROLE_MONEY, "%s/h%s", dpu.data, sum->dpu_unknown ? "+?" : "");
  }
  if (sum->waiting > 0) {
    pieces_add(l, 64, 2, ROLE_WARN, "%zu waiting", sum->waiting);
  }
  if (sum->counted && sum->jobs_read > 0) {
    int64_t budget = desk_measures(s->scene.desk)->budget_day_nano;
    struct buf of;
    buf_init(&of, 64);
    buf_reset(&dpu);
    if (sum->today_nano > 0) {
      format_money(&dpu, sum->today_nano, sum->today_rough);
    } else {
      buf_adds(&dpu, "$0");
    }
    format_money(&of, budget, false);
    pieces_add(l, 65, 2, budget > 0 && sum->today_nano > budget ? ROLE_BAD : ROLE_MONEY, "today %s%s%s", dpu.data,
               budget > 0 ? " of " : "", budget > 0 ? of.data : "");
    buf_fini(&of);
  }
  if (sum->counted && sum->need_errors + sum->need_warnings > 0) {
    pieces_add(l, 80, 2, sum->need_errors > 0 ? ROLE_BAD : ROLE_WARN, "%zu need%s you",
               sum->need_errors + sum->need_warnings, sum->need_errors + sum->need_warnings == 1 ? "s" : "");
  } else if (!sum->counted && sum->failing > 0) {
    pieces_add(l, 80, 2, ROLE_BAD, "%zu failing", sum->failing);
  }
  buf_fini(&dpu);
}

static void draw_header(const struct shell *s, const struct pane *p)
{
  struct pieces l = {.count = 0};
  char clock[WHEN_TEXT_MAX], letters[WHEN_TEXT_MAX];
  pieces_add(&l, 30, 0, ROLE_ACCENT | STYLE_BOLD, s->demo ? "gluetop demo" : "gluetop");
  add_identity(s, &l, p->width);
  if (s->scene.read_only) {
    pieces_add(&l, 62, 2, ROLE_GOOD, "read-only");
  }
  add_figures(s, &l);
  if (s->summary.unseen_events > 0) {
    pieces_add(&l, 60, 2, ROLE_ACCENT, "%zu event%s", s->summary.unseen_events,
               s->summary.unseen_events == 1 ? "" : "s");
  }
  when_format(s->scene.now_ms, s->scene.zone, WHEN_HM, clock);
  when_zone_letters(s->scene.now_ms, s->scene.zone, letters);
  pieces_add(&l, 75, 3, ROLE_TEXT, "%s %s", clock, letters);
  l.items[l.count - 1].right = true;
  pieces_draw(&l, p, 0, 1);
  pieces_clear(&l);
}

/* --- tabs and freshness --------------------------------------------------------------------------------------------- */

static void add_freshness(const struct shell *s, struct pieces *l)
{
  const struct shell_summary *sum = &s->summary;
  char age[WHEN_TEXT_MAX];
  size_t first = l->count;
  if (sum->login) {
    if (sum->synced_ms != WHEN_NONE) { /* what is shown is of before */
      int64_t old = s->scene.now_ms - sum->synced_ms;
      when_format_age(old < 0 ? 0 : old, age);
      pieces_add(l, 99, 2, ROLE_WARN, "stale %s", age);
    }
    pieces_add(l, 100, 2, ROLE_BAD, "login needed (:login)");
  } else if (sum->synced_ms == WHEN_NONE) {
    if (sum->trouble != ERR_OK) {
      pieces_add(l, 100, 2, ROLE_BAD, "nothing read: %s", err_kind_name(sum->trouble));
    } else {
      pieces_add(l, 100, 2, ROLE_DIM, "reading%s", sign(SIGN_MORE));
    }
  } else {
    int64_t old = s->scene.now_ms - sum->synced_ms;
    when_format_age(old < 0 ? 0 : old, age);
    if (sum->jobs_denied > 0) {
      pieces_add(l, 98, 2, ROLE_WARN, "%zu not readable", sum->jobs_denied);
    }
    if (sum->jobs_read + sum->jobs_denied < sum->jobs) {
      struct buf text;
      buf_init(&text, 64);
      format_count(&text, (int64_t)sum->jobs_read);
      buf_adds(&text, " of ");
      format_count(&text, (int64_t)sum->jobs);
      pieces_add(l, 99, 2, ROLE_DIM, "%s jobs", text.data);
      buf_fini(&text);
    }
    if (sum->trouble != ERR_OK) {
      pieces_add(l, 100, 2, ROLE_WARN, "stale %s: %s", age, err_kind_name(sum->trouble));
    } else {
      pieces_add(l, 97, 2, old > OLD_MS ? ROLE_WARN : ROLE_DIM, "synced %s", age);
    }
  }
  for (size_t i = first; i < l->count; i++) {
    l->items[i].right = true;
  }
}

static void title_case(const char *name, char *out, size_t size)
{
  size_t i = 0;
  for (; name[i] != '\0' && i + 1 < size; i++) {
    out[i] = i == 0 && name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
  }
  out[i] = '\0';
}

static void add_tabs(const struct shell *s, struct pieces *l, int gap, bool digits)
{
  for (size_t i = 0; i < s->tab_count; i++) {
    char title[32];
    bool here = i == s->tab;
    int worth = here ? 100 : 80 - (int)i;
    title_case(shell_tab_views[i]->name, title, sizeof title);
    if (digits) {
      pieces_add(l, worth, i == 0 ? 0 : gap, ROLE_DIM, "%zu", (i + 1) % 10);
    }
    pieces_add(l, worth,
               digits   ? 1
               : i == 0 ? 0
                        : gap,
               here ? ROLE_ACCENT | STYLE_BOLD | STYLE_UNDERLINE : ROLE_TEXT, "%s", title);
  }
}

/* All of the names go before any of them: first the gaps shrink, then the digits leave, all at once. */
static void draw_tabs(const struct shell *s, const struct pane *p)
{
  struct pieces l = {.count = 0};
  for (int step = 0; step < 3; step++) {
    pieces_clear(&l);
    add_tabs(s, &l, step == 0 ? 2 : step == 1 ? 1 : 2, step < 2);
    add_freshness(s, &l);
    if (pieces_width(&l) + 2 <= p->width) {
      break;
    }
  }
  pieces_draw(&l, p, 1, 1);
  pieces_clear(&l);
}

/* --- caption: where one is, and what is shown there ----------------------------------------------------------------- */

static void add_window(const struct shell *s, struct buf *out)
{
  char text[WHEN_TEXT_MAX];
  bool from = s->from_ms != WHEN_NONE && !s->today;
  if (from) {
    buf_addf(out, "%s%s", s->end_ms == INT64_MAX ? "since " : "",
             when_format(s->from_ms, s->scene.zone, WHEN_DATE_HM, text));
  } else if (s->span_ms == INT64_MAX) {
    buf_adds(out, "everything");
  } else if (s->today) {
    buf_adds(out, "today");
  } else if (s->span_ms % WHEN_DAY == 0 && s->span_ms > WHEN_DAY) {
    buf_addf(out, "%dd", (int)(s->span_ms / WHEN_DAY));
  } else if (s->span_ms % WHEN_HOUR == 0) {
    buf_addf(out, "%dh", (int)(s->span_ms / WHEN_HOUR));
  } else if (s->span_ms < 2 * WHEN_HOUR) {
    buf_addf(out, "%dm", (int)(s->span_ms / WHEN_MINUTE));
  } else {
    buf_adds(out, when_format_span(s->span_ms, text));
  }
  if (s->end_ms != INT64_MAX) {
    bool same_day = from && when_day_start(s->from_ms, s->scene.zone) == when_day_start(s->end_ms, s->scene.zone);
    buf_adds(out, " to ");
    buf_adds(out, when_format(s->end_ms, s->scene.zone, same_day ? WHEN_HM : WHEN_DATE_HM, text));
  }
  if (from || s->end_ms != INT64_MAX) {
    buf_addc(out, ' ');
    buf_adds(out, when_zone_letters(from ? s->from_ms : s->end_ms, s->scene.zone, text));
  }
}

static void draw_caption(const struct shell *s, const struct pane *p, int y)
{
  const struct shell_tab *t = &s->tabs[s->tab];
  const struct view *main = shell_main(s);
  struct buf crumbs, right, text;
  int x = 1;
  buf_init(&crumbs, 4096);
  buf_init(&right, 4096);
  buf_init(&text, 4096);
  pane_fill(p, y, 0, p->width, ROLE_FRAME, sign(SIGN_LINE));
  buf_addc(&crumbs, ' ');
  for (size_t i = 0; i < t->depth; i++) {
    const struct view *v = t->stack[i];
    if (!(v->ops->flags & VIEW_OVERLAY)) {
      buf_reset(&text);
      if (i > 0) {
        buf_addf(&crumbs, " %s ", sign(SIGN_CRUMB));
      }
      if (v->ops->crumb != NULL) {
        v->ops->crumb(v, &text);
      } else {
        buf_adds(&text, v->ops->name);
      }
      text_clean(&crumbs, text.data, text.len, TEXT_LINE);
    }
  }
  buf_addc(&crumbs, ' ');
  if (main->ops->caption != NULL) {
    buf_reset(&text);
    main->ops->caption(main, &text);
    text_clean(&right, text.data, text.len, TEXT_LINE);
  }
  if (main->ops->holds & HOLD_WINDOW) {
    buf_adds(&right, right.len > 0 ? "  " : "");
    add_window(s, &right);
  }
  int right_width = text_width(right.data), crumb_width = text_width(crumbs.data);
  if (right.len > 0 && right_width + crumb_width + 8 <= p->width) {
    pane_putf(p, y, p->width - right_width - 4, ROLE_TEXT, " %s ", right.data);
  } else if (right.len > 0 && right_width + 16 <= p->width) {
    pane_putf(p, y, p->width - right_width - 4, ROLE_TEXT, " %s ", right.data);
    crumb_width = p->width - right_width - 7;
  }
  if (crumb_width > p->width - x) {
    crumb_width = p->width - x;
  }
  pane_field(p, y, x, crumb_width, ROLE_CONTEXT, TEXT_LEFT, crumbs.data);
  buf_fini(&text);
  buf_fini(&right);
  buf_fini(&crumbs);
}

/* --- status line and footer ----------------------------------------------------------------------------------------- */

static void draw_status(const struct shell *s, const struct pane *p, int y)
{
  const struct view *main = shell_main(s);
  struct buf text;
  enum role role = ROLE_DIM;
  buf_init(&text, 8192);
  if (s->say != NULL) {
    buf_adds(&text, s->say);
    role = s->say_role;
  } else if (shell_write_under_way(s)) {
    buf_adds(&text, "waiting for the answer to a change that was sent");
    buf_adds(&text, sign(SIGN_MORE));
    role = ROLE_WARN;
  } else if (main->ops->detail != NULL && !main->ops->detail(main, &text, &role)) {
    buf_reset(&text);
  }
  if (text.len > 0) {
    pane_field(p, y, 1, p->width - 2, role, TEXT_LEFT, text.data);
  }
  buf_fini(&text);
}

static void draw_footer(const struct shell *s, const struct pane *p, int y)
{
  const struct view *main = shell_main(s);
  struct pieces l = {.count = 0};
  unsigned holds = main->ops->holds | HOLD_ANY;
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT && l.count + 2 <= PIECES_MAX; a++) {
    const struct action_info *info = action_info((enum action)a);
    char key[INPUT_KEY_NAME_MAX];
    bool here = info->worth > 0 && (info->holds & holds & ~(unsigned)HOLD_CHANGES) != 0;
    here = here && !(s->scene.read_only && (info->holds & HOLD_CHANGES)) && s->keys.key_count[a] > 0;
    if (a == ACTION_STOP && (holds & HOLD_DOC) && here) {
      struct subject subject; /* of a list every row is another matter, and the footer stays as it is */
      here = main->ops->subject(main, &subject) && !run_state_info(subject.state)->finished;
    }
    if (here) {
      const char *label = a == ACTION_ENTER && main->ops->enter_label != NULL ? main->ops->enter_label : info->label;
      pieces_add(&l, info->worth, l.count == 0 ? 0 : 2, ROLE_KEY, "%s %s", keymap_key(&s->keys, (enum action)a, key),
                 label);
    }
  }
  /* key and word are one piece, so that neither is left alone; the word is made quiet after drawing */
  int x = 1;
  pieces_fit(&l, p->width - x - 1);
  for (size_t i = 0; i < l.count; i++) {
    x += i == 0 ? 0 : 2;
    int used = pane_put(p, y, x, ROLE_KEY, l.items[i].text);
    const char *blank = strchr(l.items[i].text, ' ');
    int key_width = blank != NULL ? text_width_n(l.items[i].text, (size_t)(blank - l.items[i].text)) : used;
    pane_restyle(p, y, x + key_width, used - key_width, ROLE_DIM);
    x += used;
  }
  pieces_clear(&l);
}

void shell_draw_frame(const struct shell *s, struct canvas *canvas, const struct pane *body)
{
  struct pane screen = canvas_pane(canvas);
  if (s->scene.model == NULL) {
    return;
  }
  draw_header(s, &screen);
  if (body->y >= 3) {
    draw_tabs(s, &screen);
  }
  draw_caption(s, &screen, body->y - 1);
  if (canvas->height - (body->y + body->height) >= 2) {
    draw_status(s, &screen, canvas->height - 2);
  }
  draw_footer(s, &screen, canvas->height - 1);
}
