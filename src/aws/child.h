/* A helper program (credential_process) as a child: no shell, no terminal, its own session, its output through pipes that join the loop.
 *
 * Between us and the program stands a child of ours that only waits for it and writes its end into a pipe, so that the end is an event
 * like all others: no signal handler, no waiting, no asking from time to time. Should we be killed, it ends the program. */
#ifndef GLUETOP_AWS_CHILD_H
#define GLUETOP_AWS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "aws/secret_text.h"
#include "base/err.h"

struct transport_fd;

/* Words of a command line as a shell would split them, without anything else a shell does: blanks separate, '…' and "…" hold together,
 * a backslash takes the next letter as it is (inside "…" only before " and \). ERR_CONFIG for an open quote or no word at all.
 * Ended by NULL; end with child_words_free. */
struct err child_words(const char *line, char ***out) ERR_MUST_CHECK;
void child_words_free(char **words);

struct child {
  pid_t pid;                  /* of the one that waits; 0: none */
  int out_fd, err_fd, end_fd; /* -1: closed */
  struct secret_text out;     /* standard output: holds keys */
  struct secret_text err;     /* standard error */
  bool out_too_long;
  bool ended;    /* and everything it wrote before has been read */
  int status;    /* exit status; 128 + signal; 126/127: it could not be run */
  int run_errno; /* why it could not be run; 0: it ran */
};
void child_init(struct child *c);
/* without: names of variables that its environment does not get, NULL-ended. */
struct err child_start(struct child *c, char *const *words, const char *const *without) ERR_MUST_CHECK;
/* As child_start, with something on its standard input, which ends behind it. The input goes into a pipe at once: ERR_IO when it is more than
 * the pipe takes (some 64 KiB, and never less than 4 KiB). */
struct err child_start_fed(struct child *c, char *const *words, const char *const *without, const char *input,
                           size_t len) ERR_MUST_CHECK;
/* Variables that hold keys: no program that we start gets them. */
extern const char *const child_no_keys[];
void child_turn(struct child *c); /* read what is there; never blocks */
unsigned child_fds(const struct child *c, struct transport_fd *out, unsigned max);
void child_stop(struct child *c); /* kills its whole session's group, and forgets what it wrote (wiped) */

#endif
