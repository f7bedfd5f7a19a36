/* A small world for logins: a home of its own, an environment, a clock that stands, a service that answers. */
#ifndef GLUETOP_TESTS_WORLD_H
#define GLUETOP_TESTS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "aws/config.h"
#include "aws/credentials.h"
#include "base/clock.h"
#include "tests/unit/fake_transport.h"

#define WORLD_ENV_MAX 32

struct world {
  char home[64];
  const char *env[2 * WORLD_ENV_MAX + 1];
  struct clock clock;
  struct aws_config *config;
  struct login *login;
};

/* At this moment: 2026-11-30T12:00:00Z. */
void world_open(struct world *w, fake_serve_fn *serve, void *user);
void world_close(struct world *w);
void world_env(struct world *w, const char *name, const char *value); /* before world_login */
/* Path below home; folders are made. mode 0600. Returns it; valid until the next call. */
const char *world_path(struct world *w, const char *path);
void world_write(struct world *w, const char *path, const char *text);
char *world_read(struct world *w, const char *path); /* NULL: not there; caller frees */
/* Read the files, make the login. profile and region NULL: not given. */
void world_login(struct world *w, const char *profile, const char *region);
/* Turn until nothing changes any more (children are waited for by their pipes). */
enum login_state world_settle(struct world *w);
/* settle, or fail with the login's error. */
void world_expect_ready(struct world *w, const char *access_key_id, const char *source);
/* settle, expect LOGIN_FAILED, and every text (NULL-ended) in its sentence. */
void world_expect_failed(struct world *w, ...);
/* An input of the case collection, where that is at hand; NULL otherwise, after saying so. Caller frees. */
char *world_shared(const char *name);
int64_t world_now(const struct world *w);
const char *world_time(int64_t ms); /* ISO with Z; valid until the next call */

#endif
