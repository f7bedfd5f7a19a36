/* What the stores remember of places: read into the model at the start, written behind the answers. Each place has a file of its own in
 * one folder, and troubles of its own; where logins led stands in another file, so that a place finds its file before STS has spoken.
 *
 * Painting goes in two steps: the jobs and the newest runs of each at once, so that the first frame has data; the rest in slices while
 * the program runs. Writing is batched: a job's changed runs and the intervals of its history that were wholly read go into one
 * transaction, so that a kill at any point leaves no hole that looks read. Argument values and whole answers are never stored.
 *
 * Trouble with a file (damaged, newer, full, read-only, held by another program) never stops the program: it is told once, through
 * history_trouble, and the program goes on without that file. */
#ifndef GLUETOP_SYNC_HISTORY_H
#define GLUETOP_SYNC_HISTORY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "model/model.h"

struct history;

/* Never fails: what is wrong comes out of history_trouble. folder NULL gives a history that does nothing. */
struct history *history_open(const char *folder);
void history_close(struct history *h); /* after a last history_flush */
/* Something to tell once: takes it out. ERR_OK when there is nothing. */
struct err history_trouble(struct history *h) ERR_MUST_CHECK;

/* Where this login led the last time; false when it is not known. Freed by the caller. key: anything that tells logins apart. */
bool history_login(struct history *h, const char *key, char **account, char **arn);
void history_remember_login(struct history *h, const char *key, const char *account, const char *arn);

/* What was asked the last time under this key (sync/daily.h makes the bytes); false when nothing is known. */
bool history_daily(struct history *h, const char *key, struct buf *out);
void history_remember_daily(struct history *h, const char *key, const struct buf *data);

/* The place's account is known (remembered or confirmed): put what is stored of it into the model, the newest first. Returns at once with
 * jobs and their newest runs; history_step brings the rest. */
void history_paint(struct history *h, struct model *m, int place);
/* A slice of at most `blocks` blocks of runs; true: there is more to do. */
bool history_step(struct history *h, struct model *m, unsigned blocks);
bool history_is_painting(const struct history *h);

/* Write what has changed of the place, at most so many jobs. Only for places whose account STS has confirmed. True: there is more to
 * write (now or, when the file is held by another program, later). */
bool history_flush(struct history *h, struct model *m, int place, unsigned jobs);

struct history_figures {
  uint64_t runs_painted, blocks_read, blocks_written, jobs_written, busy;
  bool usable, writable;
};
struct history_figures history_figures(const struct history *h);

#endif
