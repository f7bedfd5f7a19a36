/* What stands above the list of collisions: sums, and each account against its quotas. */
#include "views/collisions_private.h"

#include "views/chart.h"
#include "views/format.h"
#include "views/pieces.h"

#define BAR_CELLS 12

static void draw_account(const struct collisions_state *s, const struct collisions_account *a, const struct pane *p,
                         int y)
{
  struct pieces l = {.count = 0};
  struct buf text;
  double share = a->dpu_limit > 0 ? a->dpu / a->dpu_limit : 0.0;
  buf_init(&text, 256);
  pieces_add(&l, 100, 0, ROLE_CONTEXT, "%s", a->label);
  format_dpu(&text, a->dpu);
  buf_adds(&text, " of ");
  format_dpu(&text, a->dpu_limit);
  pieces_add(&l, 99, 2, share >= 0.9 ? ROLE_BAD : share >= 0.7 ? ROLE_WARN : ROLE_TEXT, "%s DPU", text.data);
  buf_reset(&text);
  chart_bar(&text, BAR_CELLS, share);
  pieces_add(&l, 60, 1, ROLE_ACCENT, "%s", text.data);
  pieces_add(&l, 95, 2, ROLE_DIM, "%.0f%%", share * 100.0);
  buf_reset(&text);
  format_count(&text, a->runs_limit);
  pieces_add(&l, 94, 3, ROLE_TEXT, "%zu of %s runs", a->active, text.data);
  if (a->peak_at_ms != WHEN_NONE) {
    buf_reset(&text);
    format_dpu(&text, a->peak);
    buf_adds(&text, " at ");
    format_moment(&text, a->peak_at_ms, s->now_ms, s->zone);
    pieces_add(&l, 93, 3, ROLE_TEXT, "peak %s", text.data);
  }
  if (a->expected_at_ms != WHEN_NONE) {
    buf_reset(&text);
    format_dpu(&text, a->expected);
    buf_adds(&text, " at ");
    format_moment(&text, a->expected_at_ms, s->now_ms, s->zone);
    pieces_add(&l, 92, 3, a->dpu_limit > 0 && a->expected > a->dpu_limit ? ROLE_BAD : ROLE_DIM, "expected %s",
               text.data);
  }
  pieces_add(&l, 91, 3, ROLE_DIM, "%s", a->quotas);
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
  buf_fini(&text);
}

static void draw_sums(const struct collisions_state *s, const struct pane *p, int y)
{
  struct pieces l = {.count = 0};
  char span[WHEN_TEXT_MAX];
  pieces_add(&l, 100, 0, s->waiting > 0 ? ROLE_WARN : ROLE_TEXT, "now %zu waiting, %zu at limit", s->waiting,
             s->at_limit);
  pieces_add(&l, 99, 3, s->soon > 0 ? ROLE_WARN : ROLE_TEXT, "24h %zu expected", s->soon);
  pieces_add(&l, 98, 3, s->failed + s->rejected > 0 ? ROLE_BAD : ROLE_TEXT, "past %zu failed, %zu refused", s->failed,
             s->rejected);
  if (s->queued + s->by_account > 0) {
    pieces_add(&l, 97, 2, ROLE_TEXT, "%zu queued", s->queued + s->by_account);
  }
  if (s->median_wait_seconds >= 0 && s->queued + s->by_account > 0) {
    pieces_add(&l, 90, 1, ROLE_DIM, "(median %s)", when_format_span(s->median_wait_seconds * WHEN_SECOND, span));
  }
  pieces_add(&l, 50, 3, ROLE_DIM, "starts that others had refused leave no trace");
  pieces_draw(&l, p, y, 1);
  pieces_clear(&l);
}

void collisions_draw_board(struct collisions_state *s, const struct pane *p)
{
  int y = 0;
  if (s->board.unread) {
    board_draw_unread(p, y++);
  } else {
    draw_sums(s, p, y++);
  }
  for (size_t i = 0; i < s->account_count && p->height > 6 && !s->board.unread; i++) {
    draw_account(s, &s->accounts[i], p, y++);
  }
  if (s->accounts_more > 0 && p->height > 6) {
    pane_putf(p, y++, 1, ROLE_DIM, "and %zu more accounts", s->accounts_more);
  }
  struct pane below = pane_part(p, y, 0, p->height - y, p->width);
  board_draw(&s->board, &below);
}
