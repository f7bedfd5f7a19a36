/* Budgets of the config file: a line in Events, once, when what is spent goes beyond one while we look.
 *
 * Told is a crossing, not a state: what is over already when it is known for the first time was crossed before. The first sums after a start
 * are those of the store, so that what was crossed since the last look is told by the first refresh. Sums that are not known to be whole
 * cross nothing: a first reading climbs through every budget. */
#include "views/shell_private.h"

#include <stdlib.h>
#include "base/xalloc.h"
#include "views/desk.h"
#include "views/money.h"

enum period { PERIOD_DAY, PERIOD_MONTH };

static void tell(struct shell *s, enum period period, int64_t spent, int64_t budget, bool rough)
{
  struct buf text;
  buf_init(&text, 256);
  buf_adds(&text, period == PERIOD_DAY ? "today " : "this month ");
  buf_adds(&text, rough ? "some " : "");
  format_money(&text, spent, false);
  buf_adds(&text, " of ");
  format_money(&text, budget, false);
  buf_adds(&text, " (UTC)");
  struct budget_watch *w = &s->budgets[period];
  free(w->text);
  w->text = xstrdup(text.data);
  buf_fini(&text);
}

static void watch(struct shell *s, enum period period, int64_t begins_ms, bool known, int64_t spent, int64_t budget,
                  bool rough)
{
  struct budget_watch *w = &s->budgets[period];
  if (budget <= 0 || !known) {
    return;
  }
  bool over = spent > budget;
  /* A period that began while we looked began with nothing spent. */
  bool first = w->begins_ms == 0;
  bool crossed = over && !first && (w->begins_ms != begins_ms || !w->over);
  w->begins_ms = begins_ms;
  w->over = over;
  if (crossed) {
    tell(s, period, spent, budget, rough);
  }
}

/* Of jobs that nobody has named yet nothing is missing: which there are must be known first. */
static bool names_known(const struct model *m)
{
  bool known = true;
  for (size_t i = 0; i < m->context_count; i++) {
    const struct place *p = &m->places[m->contexts[i].place];
    known = known && (m->contexts[i].closed || (p->job_count > 0 && (p->names_complete || p->jobs_fresh.complete)));
  }
  return known;
}

void shell_watch_budgets(struct shell *s, const struct burn_result *burn)
{
  const struct board_measures *m = desk_measures(s->scene.desk);
  /* A part of the places crosses nothing. */
  if (s->scene.place >= 0 || !names_known(s->scene.model)) {
    return;
  }
  struct when_civil c = when_to_civil(burn->now_ms);
  int64_t day = burn->now_ms - burn->now_ms % WHEN_DAY;
  int64_t month = day - (int64_t)(c.day - 1) * WHEN_DAY;
  watch(s, PERIOD_DAY, day, burn->today_known, burn->today_nano, m->budget_day_nano, burn->estimated);
  watch(s, PERIOD_MONTH, month, burn->month_known, burn->month_nano, m->budget_month_nano, burn->estimated);
}

void shell_tell_budgets(struct shell *s, struct intents *out)
{
  for (size_t i = 0; i < sizeof s->budgets / sizeof s->budgets[0]; i++) {
    if (s->budgets[i].text == NULL) {
      continue;
    }
    intents_add(out, INTENT_BUDGET)->text = s->budgets[i].text;
    s->budgets[i].text = NULL;
  }
}

void shell_forget_budgets(struct shell *s)
{
  for (size_t i = 0; i < sizeof s->budgets / sizeof s->budgets[0]; i++) {
    free(s->budgets[i].text);
  }
}

/* A month's budget is held against the month's runs, whatever window is on show. */
void shell_want_budgets(const struct shell *s, struct wants *out)
{
  if (desk_measures(s->scene.desk)->budget_month_nano <= 0) {
    return;
  }
  struct when_civil c = when_to_civil(s->scene.now_ms);
  int64_t day = s->scene.now_ms - s->scene.now_ms % WHEN_DAY;
  wants_add(out, &(struct want){.kind = WANT_ALL_RUNS,
                                .context = -1,
                                .urgency = WANT_BEHIND,
                                .since_ms = day - (int64_t)(c.day - 1) * WHEN_DAY,
                                .until_ms = INT64_MAX});
}
