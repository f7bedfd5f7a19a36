/* A program of the person's that is told of each notice: one object of JSON on its standard input, then the end of it.
 *
 * No shell, no terminal, a session of its own, an environment without AWS keys, one at a time, ten seconds each. What it writes is thrown
 * away; an end other than 0 is a problem told. */
#ifndef GLUETOP_APP_HOOK_H
#define GLUETOP_APP_HOOK_H

#include <stdint.h>
#include "base/err.h"
#include "model/model.h"

#define HOOK_LIMIT_MS (10 * WHEN_SECOND)
/* While a storm passes older notices than the last so many are not told. */
#define HOOK_BEHIND_MAX 100

struct hook;
struct transport_fd;

/* command: words as a shell would split them (aws/child.h). ERR_CONFIG when it is none. NULL command: *out is NULL, which every function
 * here takes. */
struct err hook_new(const char *command, struct hook **out) ERR_MUST_CHECK;
void hook_free(struct hook *h);
void hook_turn(struct hook *h, struct model *m, int64_t mono_ms, int64_t wall_ms);
unsigned hook_fds(const struct hook *h, struct transport_fd *out, unsigned max);
/* Monotonic ms when hook_turn must be called though no descriptor has news; INT64_MAX: never. */
int64_t hook_next_ms(const struct hook *h);

#endif
