/* Who looks: keys and the focus are signs of the person. What came without a sign for a while came "while you were away". */
#include "views/shell_private.h"

#include "base/xalloc.h"

/* Without word about the focus somebody who has pressed nothing for so long is taken to be elsewhere. */
#define AWAY_MS (5 * WHEN_MINUTE)

static bool is_away(const struct shell *s)
{
  return s->focus_lost || s->mono_ms - s->present_ms >= AWAY_MS;
}

static uint64_t newest(const struct shell *s)
{
  return s->scene.model != NULL ? s->scene.model->notices.last_number : 0;
}

/* One word on the return, if nothing else stands there. */
static void tell_absence(struct shell *s)
{
  const struct notices *e = &s->scene.model->notices;
  size_t count = 0, bad = 0;
  for (size_t i = 0; i < e->count; i++) {
    bool within = e->items[i].number > s->away_after && e->items[i].number <= s->away_until;
    count += within;
    bad += within && e->items[i].severity == NOTICE_BAD;
  }
  if (count > 0 && (s->say == NULL || s->say_role != ROLE_BAD) && shell_main(s)->ops != &events_view) {
    shell_say(s, bad > 0 ? ROLE_WARN : ROLE_TEXT, "while you were away: %zu event%s, %zu bad (:events)", count,
              count == 1 ? "" : "s", bad);
  }
}

static void come_back(struct shell *s)
{
  if (newest(s) > s->present_number) {
    s->away_after = s->present_number;
    s->away_until = newest(s);
    tell_absence(s);
    s->stale = true;
  }
}

void shell_note_presence(struct shell *s, const struct input *in, struct intents *out)
{
  const struct view *main = shell_main(s);
  bool lost = in->kind == INPUT_FOCUS && in->code == 0;
  if (in->kind == INPUT_NONE) {
    return;
  }
  if (is_away(s)) {
    if (!lost) {
      come_back(s);
    }
  }
  if (in->kind == INPUT_FOCUS || s->focus_lost) { /* a key is as good a sign as the focus */
    bool changed = s->focus_lost != lost;
    s->focus_lost = lost;
    if (changed) {
      intents_add(out, INTENT_FOCUS)->text = xstrdup(lost ? "out" : "in");
    }
  }
  if (!lost || s->mono_ms - s->present_ms < AWAY_MS) {
    s->present_number = newest(s);
    s->present_ms = s->mono_ms;
  }
  if (!lost && main != NULL && main->ops == &events_view && main->drawn && s->scene.model != NULL &&
      notices_unseen(s->scene.model) > 0) {
    intents_add(out, INTENT_SEEN)->workers = (int64_t)s->scene.model->notices.last_number;
  }
}

void shell_resolve_absence(struct shell *s)
{
  if (s->present_ms == 0) {
    s->present_ms = s->mono_ms; /* whoever starts a program looks at it */
  }
  if (is_away(s) && newest(s) > s->present_number) {
    s->scene.away_after = s->present_number;
    s->scene.away_until = newest(s);
  } else {
    s->scene.away_after = s->away_after;
    s->scene.away_until = s->away_until;
  }
}
