/* What the files of the collisions board share. */
#ifndef GLUETOP_VIEWS_COLLISIONS_PRIVATE_H
#define GLUETOP_VIEWS_COLLISIONS_PRIVATE_H

#include "base/arena.h"
#include "views/board.h"

#define COLLISIONS_ACCOUNTS_MAX 4 /* lines about quotas; more places than that are summed up */

struct collisions_account {
  char label[80];
  size_t active, waiting;
  int64_t runs_limit;
  double dpu, dpu_limit, peak, expected;
  int64_t peak_at_ms, expected_at_ms;
  const char *quotas; /* where its limits are from; literal */
};

struct collisions_state {
  struct board_view board;
  struct arena texts;
  struct collisions_account accounts[COLLISIONS_ACCOUNTS_MAX];
  size_t account_count, accounts_more;
  size_t rejected, failed, queued, by_account, at_limit, waiting, soon, warnings;
  int64_t median_wait_seconds, now_ms;
  enum when_zone zone;
};

/* Sums, accounts against their quotas, the list. */
void collisions_draw_board(struct collisions_state *s, const struct pane *p);

#endif
