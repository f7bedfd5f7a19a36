/* The boards as commands: burn, timeline, collisions, timeouts, check. */
#include "cli/private.h"

void cli_print_board(struct cli *cli, enum board which, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct cli_request *r = cli->request;
  struct boards *b = boards_new();
  boards_begin(b, r->since_ms, r->until_ms, -1);
  boards_set_measures(b, r->measures);
  while (!boards_step_for(b, which, &s->scope, SIZE_MAX)) {
  }
  switch (r->format) {
  case REPORT_JSON: {
    struct jw w;
    jw_init(&w, &cli->out, true);
    envelope_open(&w, s, p);
    report_write_board(b, which, &s->scope, &w);
    jw_end_object(&w);
    buf_addc(&cli->out, '\n');
    break;
  }
  case REPORT_CSV:
    report_board_csv(b, which, &s->scope, &cli->out);
    break;
  case REPORT_TABLE:
    report_board_text(b, which, &s->scope, &cli->out);
    break;
  }
  if (which == BOARD_CHECK && boards_home(b, &s->scope, r->since_ms)->errors > 0) {
    cli->status = CLI_EXIT_FOUND;
  }
  boards_free(b);
}
