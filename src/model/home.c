#include "model/home.h"
#include "model/error_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/cost.h"
#include "model/schedule.h"

#define REASON_MAX 400 /* bytes of a reason; the whole error is one key away */

const char *home_severity_word(enum home_severity s)
{
  static const char *const words[] = {"error", "warning", "hint"};
  return (size_t)s < sizeof words / sizeof words[0] ? words[s] : "";
}

void home_init(struct home_result *h)
{
  *h = (struct home_result){0};
}

static void clear(struct home_result *h)
{
  for (size_t i = 0; i < h->count; i++) {
    free(h->items[i].what);
    free(h->items[i].reason);
  }
  h->count = h->errors = h->warnings = h->jobs_watched = h->jobs_unread = 0;
}

void home_fini(struct home_result *h)
{
  clear(h);
  free(h->items);
  home_init(h);
}

/* The first line that says something. */
static char *first_line(const char *text)
{
  size_t n = 0;
  if (text == NULL)
    return xstrdup("");
  while (*text == '\n' || *text == '\r' || *text == ' ' || *text == '\t')
    text++;
  while (text[n] != '\0' && text[n] != '\n' && text[n] != '\r' && n < REASON_MAX)
    n++;
  if (n == REASON_MAX) /* never cut a letter in half */
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
      n--;
  return xstrndup(text, n);
}

static struct home_item *add(struct home_result *h, enum home_severity severity, enum home_kind kind,
                             enum home_remedy remedy, int place, strid job)
{
  h->items = xgrow(h->items, &h->cap, h->count + 1, sizeof *h->items);
  struct home_item *item = &h->items[h->count++];
  *item = (struct home_item){.severity = severity,
                             .kind = kind,
                             .remedy = remedy,
                             .place = place,
                             .context = -1,
                             .job = job,
                             .since_ms = WHEN_NONE};
  return item;
}

static void set_run(struct home_item *item, const struct run *r)
{
  item->has_run = true;
  item->run = *r;
}

/* --- what each kind looks at ---------------------------------------------------------------------------------------- */

static void add_logins(struct home_result *h, const struct model *m, int place, int64_t now_ms)
{
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    if (c->closed || !c->needs_login || (place >= 0 && c->place != place))
      continue;
    const struct err *why = &c->identity_fresh.last_err;
    bool settings = why->kind == ERR_CONFIG; /* no login helps: something has to be written down first */
    struct home_item *item = add(h, HOME_ERROR, HOME_LOGIN, settings ? HOME_OPEN_PROBLEMS : HOME_LOG_IN, -1, 0);
    item->context = (int)i;
    item->since_ms = c->expires_ms != WHEN_NONE && c->expires_ms <= now_ms ? c->expires_ms : c->identity_fresh.tried_ms;
    item->what = xasprintf("%s %s", c->name, settings ? "cannot be opened" : "needs a login");
    item->reason = settings && why->detail != NULL && why->detail->hint != NULL
                       ? xasprintf("%s: %s", err_message(why), why->detail->hint)
                       : first_line(err_message(why));
  }
}

static int64_t ended(const struct run *r)
{
  return r->completed_ms != WHEN_NONE ? r->completed_ms : r->modified_ms != WHEN_NONE ? r->modified_ms : r->started_ms;
}

static const char *ordinal(size_t n)
{
  if (n % 100 >= 11 && n % 100 <= 13)
    return "th";
  return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* The last start that ended decides: success and a stop by hand settle what was before. */
static void add_failure(struct home_result *h, const struct model *m, const struct job *j, int64_t since_ms,
                        int64_t now_ms)
{
  const struct run *last = NULL;
  bool again = false;
  size_t failures = 0;
  for (size_t i = 0; i < j->run_count && last == NULL; i++) {
    if (run_finished(&j->runs[i]))
      last = &j->runs[i];
    else
      again = true;
  }
  if (last == NULL || !run_state_info((enum run_state)last->state)->failed)
    return;
  int64_t at = ended(last);
  if (at == WHEN_NONE || at < since_ms)
    return;
  for (const struct run *r = last; r < j->runs + j->run_count; r++) {
    if (r->started_ms == WHEN_NONE || r->started_ms < now_ms - WHEN_DAY)
      break;
    failures += run_state_info((enum run_state)r->state)->failed;
  }
  struct home_item *item = add(h, again ? HOME_WARNING : HOME_ERROR, HOME_FAILED, HOME_OPEN_RUN, j->place, j->name);
  set_run(item, last);
  item->since_ms = at;
  const char *label = run_state_info((enum run_state)last->state)->label;
  if (failures > 1)
    item->what =
        xasprintf("%s, %zu%s time in 24h%s", label, failures, ordinal(failures), again ? ", running again" : "");
  else
    item->what = xasprintf("%s%s", label, again ? ", running again" : "");
  const char *error = model_str(m, last->error);
  struct buf line;
  buf_init(&line, REASON_MAX);
  error_line(&line, error != NULL ? error : model_str(m, last->state_detail));
  item->reason = buf_take(&line);
}

static void add_timeouts(struct home_result *h, const struct timeouts_result *t, int64_t now_ms)
{
  for (size_t i = 0; t != NULL && i < t->at_risk_count; i++) {
    const struct timeout_at_risk *r = &t->at_risk[i];
    char span[WHEN_TEXT_MAX];
    if (r->risk == TIMEOUT_RISK_WATCH)
      continue;
    struct home_item *item = add(h, r->risk == TIMEOUT_RISK_OVER ? HOME_ERROR : HOME_WARNING, HOME_TIMEOUT_NEAR,
                                 HOME_OPEN_RUN, r->place, r->job);
    set_run(item, &r->run);
    item->since_ms = r->run.started_ms;
    if (r->ends_ms > now_ms)
      item->what = xasprintf("%s hit its timeout in %s", r->risk == TIMEOUT_RISK_OVER ? "will" : "may",
                             when_format_span(r->ends_ms - now_ms, span));
    else
      item->what = xasprintf("past its timeout by %s", when_format_span(now_ms - r->ends_ms, span));
    if (r->expected_seconds >= 0)
      item->reason = xasprintf("%lld of %d min, usually %.0f", (long long)(r->elapsed_seconds / 60),
                               (int)r->timeout_minutes, r->expected_seconds / 60);
    else
      item->reason = xasprintf("%lld of %d min", (long long)(r->elapsed_seconds / 60), (int)r->timeout_minutes);
  }
}

static const struct run *oldest_waiting(const struct job *j)
{
  const struct run *oldest = NULL;
  for (size_t i = 0; i < j->run_count; i++)
    if (j->runs[i].state == RUN_WAITING)
      oldest = &j->runs[i];
  return oldest;
}

static void add_waiting(struct home_result *h, const struct model *m, const struct collisions_result *c, int64_t now_ms)
{
  for (size_t i = 0; c != NULL && i < c->now_count; i++) {
    const struct collision_now *n = &c->now[i];
    char span[WHEN_TEXT_MAX];
    if (n->waiting == 0 || n->waiting_since_ms == WHEN_NONE || now_ms - n->waiting_since_ms < HOME_STUCK_MS)
      continue;
    bool held = n->active >= (size_t)n->limit;
    const struct job *j = model_job(m, n->place, n->job);
    const struct run *waiting = j == NULL ? NULL : oldest_waiting(j);
    struct home_item *item =
        add(h, HOME_WARNING, HOME_STUCK, held ? HOME_OPEN_HOLDER : HOME_OPEN_RUN, n->place, n->job);
    if (held)
      set_run(item, &n->holder);
    else if (waiting != NULL)
      set_run(item, waiting);
    item->since_ms = n->waiting_since_ms;
    when_format_span(now_ms - n->waiting_since_ms, span);
    if (held)
      item->what = xasprintf("waiting %s, limit %d held", span, (int)n->limit);
    else
      item->what = xasprintf("waiting %s", span);
    item->reason = first_line(model_str(m, n->reason));
  }
}

static void add_rejected(struct home_result *h, const struct model *m, const struct collisions_result *c,
                         int64_t since_ms)
{
  for (size_t i = 0; c != NULL && i < c->past_count; i++) {
    const struct collision *p = &c->past[i];
    const struct job *j = p->kind == COLLISION_REJECTED && p->at_ms >= since_ms ? model_job(m, p->place, p->job) : NULL;
    if (j == NULL || (j->run_count > 0 && j->runs[0].started_ms != WHEN_NONE && j->runs[0].started_ms > p->at_ms))
      continue; /* started since */
    bool seen = false;
    for (size_t k = 0; k < h->count; k++)
      seen = seen || (h->items[k].kind == HOME_REJECTED && h->items[k].place == p->place && h->items[k].job == p->job);
    if (seen)
      continue;
    struct home_item *item = add(h, HOME_WARNING, HOME_REJECTED,
                                 p->blocked_by_count > 0 ? HOME_OPEN_HOLDER : HOME_OPEN_JOB, p->place, p->job);
    if (p->blocked_by_count > 0)
      set_run(item, &p->blocked_by[0]);
    item->since_ms = p->at_ms;
    item->what = xstrdup("start refused: too many runs at once");
    item->reason = xstrdup("");
  }
}

static void add_overdue(struct home_result *h, const struct model *m, int place, int64_t now_ms)
{
  const struct place *p = &m->places[place];
  size_t first = h->count;
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    for (size_t k = 0; t->schedule != 0 && k < t->action_count; k++) {
      const struct job *j = t->actions[k].job == 0 ? NULL : model_job(m, place, t->actions[k].job);
      struct overdue o;
      bool seen = j == NULL || j->gone;
      for (size_t n = first; n < h->count && !seen; n++)
        seen = h->items[n].job == j->name;
      if (seen || !schedule_overdue(m, place, j, now_ms, HOME_OVERDUE_MS, &o))
        continue;
      char span[WHEN_TEXT_MAX], due[WHEN_TEXT_MAX];
      struct home_item *item =
          add(h, o.off ? HOME_HINT : HOME_WARNING, HOME_OVERDUE, HOME_OPEN_TRIGGER, place, j->name);
      item->since_ms = o.due_ms;
      item->what = xasprintf("overdue %s", when_format_span(now_ms - o.due_ms, span));
      item->reason = xasprintf("due %s UTC by %s%s", when_format(o.due_ms, WHEN_UTC, WHEN_HM, due),
                               model_str(m, o.trigger), o.off ? ", trigger off" : "");
    }
  }
}

/* Of the newest costly runs; what is older is no news. */
#define COSTLY_MOST 500

static void add_costly(struct home_result *h, const struct burn_result *b, int64_t since_ms)
{
  size_t first = h->count;
  for (size_t i = 0; b != NULL && i < b->unusual_count && i < COSTLY_MOST; i++) {
    const struct burn_unusual *u = &b->unusual[i];
    bool seen = false; /* one line a job, about its newest such run */
    size_t times = 0;
    if (run_finished(&u->run) && ended(&u->run) < since_ms)
      continue;
    for (size_t k = first; k < h->count && !seen; k++)
      seen = h->items[k].place == u->place && h->items[k].job == u->job;
    if (seen)
      continue;
    for (size_t k = i; k < b->unusual_count && k < COSTLY_MOST; k++)
      times += b->unusual[k].place == u->place && b->unusual[k].job == u->job;
    struct home_item *item = add(h, HOME_HINT, HOME_COSTLY, HOME_OPEN_RUN, u->place, u->job);
    set_run(item, &u->run);
    item->since_ms = u->run.started_ms;
    item->what = xasprintf("%s %.1fx its usual", run_finished(&u->run) ? "cost" : "costs",
                           (double)u->nano / (double)u->median_nano);
    if (times > 1) {
      char *what = xasprintf("%s, as %zu before", item->what, times - 1);
      free(item->what);
      item->what = what;
    }
    item->reason = xasprintf("$%.2f, median $%.2f", (double)u->nano / 1e9, (double)u->median_nano / 1e9);
  }
}

static void add_unreadable(struct home_result *h, const struct model *m, int place, const struct freshness *f,
                           const char *what)
{
  (void)m;
  if (!err_is(&f->last_err) || f->last_err.kind == ERR_CANCELLED)
    return;
  struct home_item *item = add(h, HOME_WARNING, HOME_UNREADABLE, HOME_OPEN_PROBLEMS, place, 0);
  item->since_ms = f->tried_ms;
  item->what = xasprintf("%s could not be read: %s", what, err_kind_name(f->last_err.kind));
  item->reason = first_line(err_message(&f->last_err));
}

static void look_at_place(struct home_result *h, const struct model *m, int place, int64_t since_ms, int64_t now_ms)
{
  const struct place *p = &m->places[place];
  const struct job *unreadable = NULL;
  size_t unreadable_count = 0;
  for (size_t i = 0; i < p->job_count; i++) {
    const struct job *j = &p->jobs[i];
    if (j->gone || model_job_named_only(p, j))
      continue;
    h->jobs_watched++;
    if (j->runs_fresh.fetched_ms == WHEN_NONE && j->run_count == 0)
      h->jobs_unread++;
    if (err_is(&j->runs_fresh.last_err)) {
      unreadable = j;
      unreadable_count++;
    }
    add_failure(h, m, j, since_ms, now_ms);
  }
  add_overdue(h, m, place, now_ms);
  add_unreadable(h, m, place, &p->jobs_fresh, "the list of jobs");
  add_unreadable(h, m, place, &p->triggers_fresh, "triggers");
  if (unreadable != NULL) {
    char what[80];
    snprintf(what, sizeof what, "runs of %zu job%s", unreadable_count, unreadable_count == 1 ? "" : "s");
    add_unreadable(h, m, place, &unreadable->runs_fresh, what);
  }
}

static int compare_items(const void *a, const void *b)
{
  const struct home_item *x = a, *y = b;
  if (x->severity != y->severity)
    return x->severity < y->severity ? -1 : 1;
  if (x->kind != y->kind && (x->kind == HOME_LOGIN || y->kind == HOME_LOGIN))
    return x->kind == HOME_LOGIN ? -1 : 1;
  if (x->since_ms != y->since_ms)
    return x->since_ms > y->since_ms ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->job != y->job)
    return x->job < y->job ? -1 : 1;
  return x->kind < y->kind ? -1 : x->kind > y->kind;
}

void home_fill(struct home_result *h, const struct model *m, const struct burn_result *burn,
               const struct collisions_result *collisions, const struct timeouts_result *timeouts, int place,
               int64_t since_ms, int64_t now_ms)
{
  clear(h);
  h->looking_since_ms = since_ms;
  add_logins(h, m, place, now_ms);
  for (size_t i = 0; i < m->place_count; i++)
    if (place < 0 ? schedule_place_open(m, (int)i) : (size_t)place == i)
      look_at_place(h, m, (int)i, since_ms, now_ms);
  add_timeouts(h, timeouts, now_ms);
  add_waiting(h, m, collisions, now_ms);
  add_rejected(h, m, collisions, since_ms);
  add_costly(h, burn, since_ms);
  for (size_t i = 0; i < h->count; i++) {
    h->errors += h->items[i].severity == HOME_ERROR;
    h->warnings += h->items[i].severity == HOME_WARNING;
  }
  if (h->count > 1)
    qsort(h->items, h->count, sizeof *h->items, compare_items);
}
