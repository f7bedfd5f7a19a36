/* The command line, read. One table of options and one of commands feed the reader, --help and the manual's check.
 *
 * Strings point into argv. Times are resolved against the moment given. */
#ifndef GLUETOP_OPTIONS_H
#define GLUETOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "cli/cli.h"

struct options {
  struct cli_request request; /* request.command is CLI_NONE for the screen */
  const char *profile, *region, *endpoint_url;
  const char **contexts; /* --context, as given */
  size_t context_count;
  bool demo, read_only, no_cache, ascii, no_color, help, version;
  int verbose;
  const char *cache, *theme, *config, *log_file, *view;
  double refresh_seconds; /* < 0: not given */
  int test_fd;            /* -1 */
  bool since_moves;       /* the window begins so long before now: no --since, or a span */
  int64_t now_ms;         /* the moment that windows are counted from, and at which the test clock stands */
};

struct err options_read(int argc, char **argv, int64_t now_ms, struct options *out) ERR_MUST_CHECK;
void options_fini(struct options *o);
void options_print_help(FILE *out);

#endif
