#include "tests/unit/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/when.h"
#include "base/xalloc.h"
#include "tests/unit/env.h"

static struct transport *no_transport(void)
{
  /* Never looked into: the functions are the fake's. */
  static long nothing;
  return (struct transport *)(void *)&nothing;
}

void world_open(struct world *w, fake_serve_fn *serve, void *user)
{
  *w = (struct world){.home = "/tmp/gluetop-world-XXXXXX"};
  assert_non_null(mkdtemp(w->home));
  int64_t begin = 0;
  assert_true(when_parse_iso("2026-11-30T12:00:00Z", &begin));
  clock_init_manual(&w->clock, begin);
  fake_reset(serve, user);
  world_env(w, "HOME", w->home);
}

static void remove_tree(const char *path)
{
  DIR *dir = opendir(path);
  if (dir == NULL) {
    unlink(path);
    return;
  }
  for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    char *inner = xasprintf("%s/%s", path, e->d_name);
    remove_tree(inner);
    free(inner);
  }
  closedir(dir);
  rmdir(path);
}

void world_close(struct world *w)
{
  login_free(w->login);
  aws_config_free(w->config);
  w->login = NULL;
  w->config = NULL;
  assert_int_equal(fake_waiting(), 0);
  fake_reset(NULL, NULL);
  remove_tree(w->home);
}

void world_env(struct world *w, const char *name, const char *value)
{
  size_t at = 0;
  while (w->env[at] != NULL && strcmp(w->env[at], name) != 0)
    at += 2;
  assert_true(at < (size_t)2 * WORLD_ENV_MAX);
  w->env[at] = name;
  w->env[at + 1] = value;
}

const char *world_path(struct world *w, const char *path)
{
  static char full[512];
  snprintf(full, sizeof full, "%s/%s", w->home, path);
  return full;
}

void world_write(struct world *w, const char *path, const char *text)
{
  char *full = xstrdup(world_path(w, path));
  for (char *p = full + strlen(w->home) + 1; *p != '\0'; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    mkdir(full, 0700);
    *p = '/';
  }
  int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  free(full);
}

char *world_read(struct world *w, const char *path)
{
  FILE *f = fopen(world_path(w, path), "r");
  if (f == NULL)
    return NULL;
  char *text = xcalloc(1, 65536);
  size_t n = fread(text, 1, 65535, f);
  text[n] = '\0';
  fclose(f);
  return text;
}

void world_login(struct world *w, const char *profile, const char *region)
{
  login_free(w->login);
  aws_config_free(w->config);
  w->login = NULL;
  struct err e = aws_config_load(env_get, w->env, &w->config);
  assert_false(err_is(&e));
  struct login_options options = {.profile = profile, .region = region};
  e = login_new(w->config, &options, no_transport(), &w->clock, &w->login);
  assert_false(err_is(&e));
}

enum login_state world_settle(struct world *w)
{
  enum login_state state = LOGIN_IDLE;
  for (int i = 0; i < 200; i++) {
    state = login_turn(w->login);
    struct transport_fd fds[8];
    unsigned count = login_fds(w->login, fds, 8);
    if (fake_waiting() > 0) {
      size_t before = fake_count();
      size_t waiting = fake_waiting();
      fake_turn();
      if (fake_count() == before && fake_waiting() == waiting)
        break; /* a service that does not answer */
    } else if (count > 0) {
      struct pollfd polls[8];
      for (unsigned k = 0; k < count; k++)
        polls[k] = (struct pollfd){.fd = fds[k].fd, .events = fds[k].events};
      if (poll(polls, count, 5000) == 0)
        break;
    } else {
      enum login_state again = login_turn(w->login);
      bool quiet = again == state && fake_waiting() == 0 && login_fds(w->login, fds, 8) == 0;
      state = again;
      if (quiet)
        break;
    }
  }
  return login_turn(w->login);
}

void world_expect_ready(struct world *w, const char *access_key_id, const char *source)
{
  enum login_state state = world_settle(w);
  if (state != LOGIN_READY) {
    char *why = err_sentence(login_error(w->login));
    fail_msg("state %d: %s", (int)state, why);
    free(why);
  }
  const struct credentials *keys = login_credentials(w->login);
  assert_non_null(keys);
  assert_string_equal(keys->access_key_id, access_key_id);
  assert_string_equal(login_source(w->login), source);
}

void world_expect_failed(struct world *w, ...)
{
  enum login_state state = world_settle(w);
  assert_int_equal(state, LOGIN_FAILED);
  assert_null(login_credentials(w->login));
  char *why = err_sentence(login_error(w->login));
  va_list texts;
  va_start(texts, w);
  for (const char *text = va_arg(texts, const char *); text != NULL; text = va_arg(texts, const char *)) {
    if (strstr(why, text) == NULL)
      fail_msg("\"%s\" is not in \"%s\"", text, why);
  }
  va_end(texts);
  free(why);
}

char *world_shared(const char *name)
{
  const char *shared = getenv("GLUETOP_SHARED");
  const char *source = getenv("GLUETOP_SRCDIR");
  char *path = shared != NULL ? xasprintf("%s/cases/inputs/%s", shared, name)
                              : xasprintf("%s/../shared/cases/inputs/%s", source != NULL ? source : ".", name);
  FILE *f = fopen(path, "r");
  free(path);
  if (f == NULL) {
    print_message("%s is not here: left out\n", name);
    return NULL;
  }
  char *text = xcalloc(1, 65536);
  size_t n = fread(text, 1, 65535, f);
  text[n] = '\0';
  fclose(f);
  return text;
}

int64_t world_now(const struct world *w)
{
  return clock_wall_ms(&w->clock);
}

const char *world_time(int64_t ms)
{
  static char text[WHEN_TEXT_MAX];
  return when_format_iso(ms, text);
}
