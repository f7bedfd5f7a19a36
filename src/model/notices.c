#include "model/notices.h"

#include <string.h>
#include "base/json.h"
#include "base/xalloc.h"
#include "model/collisions.h"
#include "model/private.h"

const char *notice_kind_word(enum notice_kind kind)
{
  static const char *const words[NOTICE_KIND_COUNT] = {
      [NOTICE_FAILED] = "failed",       [NOTICE_TIMED_OUT] = "timed out",
      [NOTICE_COLLIDED] = "collided",   [NOTICE_NEAR_TIMEOUT] = "near its timeout",
      [NOTICE_RECOVERED] = "recovered", [NOTICE_STOPPED] = "stopped",
      [NOTICE_LOGIN] = "login",         [NOTICE_BUDGET] = "budget crossed",
  };
  return (unsigned)kind < NOTICE_KIND_COUNT ? words[kind] : "";
}

static enum notice_severity notice_severity(enum notice_kind kind)
{
  if (kind == NOTICE_RECOVERED)
    return NOTICE_GOOD;
  bool bad = kind == NOTICE_FAILED || kind == NOTICE_TIMED_OUT || kind == NOTICE_COLLIDED || kind == NOTICE_BUDGET;
  return bad ? NOTICE_BAD : NOTICE_WARN;
}

void notice_write_json(const struct model *m, const struct notice *n, struct jw *w)
{
  static const char *const severities[] = {[NOTICE_BAD] = "bad", [NOTICE_WARN] = "warning", [NOTICE_GOOD] = "good"};
  const struct place *p = n->place >= 0 && (size_t)n->place < m->place_count ? &m->places[n->place] : NULL;
  jw_object(w);
  jw_name(w, "event");
  jw_str(w, notice_kind_word(n->kind));
  jw_name(w, "severity");
  jw_str(w, severities[n->severity]);
  jw_name(w, "at");
  jw_time(w, n->at_ms);
  jw_name(w, "seen_at");
  jw_time(w, n->seen_ms);
  jw_name(w, "account");
  jw_str(w, p != NULL && p->account[0] != '\0' ? p->account : NULL);
  jw_name(w, "region");
  jw_str(w, p != NULL ? p->region : NULL);
  jw_name(w, "job");
  jw_str(w, model_str(m, n->job));
  jw_name(w, "run_id");
  jw_str(w, model_str(m, n->run_id));
  jw_name(w, "message");
  jw_str(w, model_str(m, n->text));
  jw_end_object(w);
}

static bool notice_told(const struct notices *e, const struct notice *add)
{
  for (size_t i = e->count; i-- > 0;) {
    const struct notice *have = &e->items[i];
    if (have->kind == add->kind && have->place == add->place && have->job == add->job && have->run_id == add->run_id &&
        add->run_id != 0)
      return true;
  }
  return false;
}

void model_add_notice(struct model *m, const struct notice *add)
{
  struct notices *e = &m->notices;
  if (notice_told(e, add))
    return;
  if (e->count == NOTICES_MAX) {
    memmove(e->items, e->items + 1, (e->count - 1) * sizeof *e->items);
    e->count--;
  }
  e->items = xgrow(e->items, &e->cap, e->count + 1, sizeof *e->items);
  struct notice *item = &e->items[e->count++];
  *item = *add;
  item->number = ++e->last_number;
  item->severity = notice_severity(add->kind);
  m->generation++;
}

void model_see_notices(struct model *m, uint64_t up_to)
{
  if (up_to > m->notices.last_number)
    up_to = m->notices.last_number;
  if (up_to <= m->notices.looked_at)
    return;
  m->notices.looked_at = up_to;
  m->generation++;
}

size_t notices_unseen(const struct model *m)
{
  size_t n = 0;
  for (size_t i = m->notices.count; i-- > 0 && m->notices.items[i].number > m->notices.looked_at;)
    n++;
  return n;
}

/* The run before this one that has ended: was it a failure? */
static bool failed_before(const struct job *j, const struct run *r)
{
  for (size_t i = 0; i < j->run_count; i++) {
    const struct run *other = &j->runs[i];
    if (other->started_ms >= r->started_ms || run_same_id(other, r) || !run_finished(other))
      continue;
    return run_state_info((enum run_state)other->state)->failed;
  }
  return false;
}

static bool notice_of_run(const struct model *m, const struct job *j, const struct run *r, enum notice_kind *kind)
{
  enum run_state state = (enum run_state)r->state;
  enum collision_kind collision;
  if (state == RUN_TIMEOUT)
    *kind = NOTICE_TIMED_OUT;
  else if (run_state_info(state)->failed)
    *kind = collision_of_error(model_str(m, r->error), &collision) ? NOTICE_COLLIDED : NOTICE_FAILED;
  else if (state == RUN_STOPPED)
    *kind = NOTICE_STOPPED;
  else if (state == RUN_SUCCEEDED && failed_before(j, r))
    *kind = NOTICE_RECOVERED;
  else
    return false;
  return true;
}

void notices_note_end(struct model *m, const struct job *j, const struct run *r)
{
  enum notice_kind kind;
  if (!run_finished(r) || !notice_of_run(m, j, r, &kind))
    return;
  char id[RUN_ID_MAX];
  struct notice e = {.kind = kind,
                     .place = j->place,
                     .context = -1,
                     .job = j->name,
                     .run_id = strpool_put(m->strings, run_id_text(r, m->strings, id)),
                     .text = r->error != 0 ? r->error : r->state_detail,
                     .at_ms = r->completed_ms != WHEN_NONE ? r->completed_ms : r->fetched_ms,
                     .seen_ms = r->fetched_ms};
  model_add_notice(m, &e);
}
