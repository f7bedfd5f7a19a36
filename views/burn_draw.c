/* What stands above the burn board's lists: sums with what they rest on, the calendar's figures, what runs now, and a chart. */
#include "views/burn_private.h"

#include "base/sum.h"
#include "base/text.h"
#include "views/chart.h"
#include "views/format.h"
#include "views/money.h"
#include "views/pieces.h"

/* "window $4,211.05  484.25 measured, 3,446.55 computed, ~280.24 estimated, 2 runs unknown". */
static void draw_sum(const struct burn_head *h, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 256);
  buf_addc(&text, '$');
  format_cents(&text, cost_sum_nano(&h->sum));
  pieces_add(&l, 100, 0, ROLE_TEXT, "window");
  pieces_add(&l, 100, 1, ROLE_MONEY | STYLE_BOLD, "%s", text.data);
  if (h->before_nano > 0) { /* else the cost of a stream of many weeks passes for that of a day */
    buf_reset(&text);
    format_money(&text, h->before_nano, false);
    pieces_add(&l, 85, 2, ROLE_TEXT, "%s of it earlier", text.data);
  }
  static const struct {
    enum cost_basis basis;
    const char *word, *before;
  } bases[] = {{COST_MEASURED, "measured", ""}, {COST_COMPUTED, "computed", ""}, {COST_ESTIMATED, "estimated", "~"}};
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
    buf_reset(&text);
    format_cents(&text, h->sum.nano[bases[i].basis]);
    pieces_add(&l, 95, i == 0 ? 3 : 2, ROLE_DIM, "%s%s %s", bases[i].before, text.data, bases[i].word);
  }
  if (h->sum.runs_unknown > 0) {
    pieces_add(&l, 98, 2, ROLE_WARN, "%zu run%s unknown", h->sum.runs_unknown, h->sum.runs_unknown == 1 ? "" : "s");
  }
  if (h->failed.runs > 0) {
    buf_reset(&text);
    format_money(&text, cost_sum_nano(&h->failed), h->failed.nano[COST_ESTIMATED] > 0);
    pieces_add(&l, 80, 3, ROLE_WARN, "%s for %zu that did not succeed", text.data, h->failed.runs);
    static const char *const words[BURN_WASTES] = {"failed", "stopped", "timed out"};
    for (size_t i = 0; i < BURN_WASTES; i++) {
      if (h->wastes[i].runs > 0) {
        buf_reset(&text);
        format_money(&text, cost_sum_nano(&h->wastes[i]), h->wastes[i].nano[COST_ESTIMATED] > 0);
        pieces_add(&l, 30, 2, ROLE_DIM, "%zu %s %s", h->wastes[i].runs, words[i], text.data);
      }
    }
  }
  pieces_add(&l, 40, 3, ROLE_DIM, "job runs only: no sessions, crawlers, Data Catalog");
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void add_amount(struct pieces *l, int worth, const char *word, int64_t nano, bool rough, int64_t budget)
{
  struct buf text;
  buf_init(&text, 128);
  if (nano < 0) {
    buf_addc(&text, '?');
  } else {
    buf_adds(&text, rough ? "~$" : "$");
    format_cents(&text, nano);
  }
  pieces_add(l, worth, l->count == 0 ? 0 : 3, ROLE_TEXT, "%s", word);
  pieces_add(l, worth, 1, budget > 0 && nano > budget ? ROLE_BAD : ROLE_MONEY, "%s", text.data);
  if (budget > 0) {
    buf_reset(&text);
    format_money(&text, budget, false);
    pieces_add(l, worth, 1, ROLE_DIM, "of %s", text.data);
  }
  buf_fini(&text);
}

static void draw_calendar(const struct burn_head *h, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  add_amount(&l, 100, "today", h->today_nano, h->estimated, h->budget_day_nano);
  add_amount(&l, 80, "7 days", h->week_nano, h->estimated, -1);
  add_amount(&l, 99, "month", h->month_nano, h->estimated, -1);
  add_amount(&l, 98, "forecast", h->forecast_nano, h->forecast_nano >= 0, h->budget_month_nano);
  if (h->calendar_unknown > 0) {
    pieces_add(&l, 90, 2, ROLE_WARN, "%zu unknown", h->calendar_unknown);
  }
  if (!h->month_known) {
    pieces_add(&l, 97, 2, ROLE_WARN, "%s", h->today_known ? "not all of the month is read yet" : "not all is read yet");
  }
  pieces_add(&l, 30, 3, ROLE_DIM, "days and months are UTC");
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
}

static void draw_now(const struct burn_state *s, const struct pane *p, int y)
{
  const struct burn_head *h = &s->head;
  struct pieces l = {.count = 0};
  struct buf text;
  buf_init(&text, 128);
  buf_addc(&text, '$');
  format_cents(&text, h->hour_nano);
  pieces_add(&l, 100, 0, ROLE_TEXT, "now");
  pieces_add(&l, 100, 1, h->active > 0 ? ROLE_RUNNING : ROLE_DIM, "%s/h", text.data);
  buf_reset(&text);
  format_dpu(&text, (double)h->dpu_now_micros / 1e6);
  pieces_add(&l, 97, 3, ROLE_TEXT, "%zu running, %s DPU%s", h->active, text.data, h->dpu_unknown > 0 ? "+?" : "");
  buf_reset(&text);
  format_cents(&text, h->worst_more_nano);
  pieces_add(&l, 96, 3, ROLE_TEXT, "at most $%s more until timeouts", text.data);
  if (h->worst_unlimited > 0) {
    pieces_add(&l, 70, 2, ROLE_DIM, "(%zu without a limit)", h->worst_unlimited);
  }
  if (h->worst_unknown > 0) {
    pieces_add(&l, 71, 2, ROLE_WARN, "(%zu unknown)", h->worst_unknown);
  }
  if (s->peak.dpu_at_ms != WHEN_NONE && !s->daily) {
    buf_reset(&text);
    if (s->in_dpu) {
      format_dpu(&text, (double)s->peak.dpu_micros / 1e6);
      buf_adds(&text, " DPU at ");
    } else {
      format_money(&text, sum_times(s->peak.dpu_micros, 1000), false);
      buf_adds(&text, "/h at ");
    }
    format_moment(&text, s->peak.dpu_at_ms, h->now_ms, s->zone);
    pieces_add(&l, 75, 3, ROLE_DIM, "peak %s", text.data);
  }
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void draw_chart(const struct burn_state *s, const struct pane *p)
{
  int64_t top = 0;
  struct buf text;
  buf_init(&text, 128);
  for (size_t i = 0; i < s->value_count; i++) {
    top = s->values[i] > top ? s->values[i] : top;
  }
  struct pane area = pane_part(p, 0, BURN_GUTTER, p->height - 1, p->width - BURN_GUTTER - 1);
  if (!s->in_dpu) {
    format_money(&text, s->daily ? top : sum_times(top, 1000), false);
  } else if (s->daily) {
    format_hours(&text, top);
  } else {
    format_dpu(&text, (double)top / 1e6);
  }
  pane_field(p, 0, 1, BURN_GUTTER - 3, ROLE_DIM, TEXT_RIGHT, text.data);
  pane_field(p, area.height > 1 ? 1 : 0, 1, area.height > 1 ? BURN_GUTTER - 3 : 0, ROLE_DIM, TEXT_RIGHT,
             s->daily ? (s->in_dpu ? "DPU-H/d" : "a day") : (s->in_dpu ? "DPU" : "an hour"));
  for (int y = 0; y < area.height; y++) {
    pane_put(p, y, BURN_GUTTER - 1, ROLE_FRAME, text_is_ascii() ? "|" : y == 0 ? "\u2524" : "\u2502");
  }
  chart_area(&area, s->values, s->value_count, top, ROLE_ACCENT);
  chart_axis(p, p->height - 1, BURN_GUTTER, area.width, s->since_ms, s->until_ms, s->zone, NULL, 0, ROLE_DIM);
  buf_fini(&text);
}

static int chart_height(int height)
{
  return height < 16 ? 0 : height < 30 ? 4 : height < 50 ? 7 : 10;
}

void burn_draw_board(struct burn_state *s, const struct pane *p)
{
  int y = 0, chart = chart_height(p->height);
  if (s->board.unread) {
    board_draw_unread(p, 0);
    struct pane list = pane_part(p, 1, 0, p->height - 1, p->width);
    board_draw(&s->board, &list);
    return;
  }
  draw_sum(&s->head, p, y++);
  if (p->height > 6) {
    draw_calendar(&s->head, p, y++);
    draw_now(s, p, y++);
  }
  if (chart > 0) {
    struct pane area = pane_part(p, y, 0, chart, p->width);
    draw_chart(s, &area);
    y += chart;
  }
  struct pane below = pane_part(p, y, 0, p->height - y, p->width);
  board_draw(&s->board, &below);
}
