/* The public functions of credentials.h: one source of keys, watched while it fails. */
#include "aws/provider.h"

#include <stdlib.h>
#include <sys/stat.h>
#include "base/log.h"
#include "base/xalloc.h"

/* A file may be written twice in one second. */
#ifdef __APPLE__
#define FILE_WRITTEN(st) ((st).st_mtimespec)
#else
#define FILE_WRITTEN(st) ((st).st_mtim)
#endif
#define WATCH_EVERY (3 * WHEN_SECOND)

struct err login_new(const struct aws_config *config, const struct login_options *options, struct transport *transport,
                     const struct clock *clock, struct login **out)
{
  struct login *l = xcalloc(1, sizeof *l);
  l->config = config;
  l->transport = transport;
  l->clock = clock;
  l->option_profile = xstrdup(options->profile);
  l->option_region = xstrdup(options->region);
  l->endpoint_url = xstrdup(options->endpoint_url);
  login_choose(l);
  *out = l;
  return err_ok();
}

void login_free(struct login *l)
{
  if (l == NULL)
    return;
  device_flow_free(l->device);
  source_free(l->source);
  source_free(l->region_probe);
  aws_config_free(l->own_config);
  err_fini(&l->choice_err);
  free(l->option_profile);
  free(l->option_region);
  free(l->endpoint_url);
  free(l->settings_profile);
  free(l->region);
  free(l->region_source);
  free(l->choice_notice);
  free(l);
}

void login_reread(struct login *l)
{
  struct aws_config *fresh = NULL;
  struct err e = aws_config_reload(l->config, &fresh);
  if (!err_is(&e) && fresh != NULL) {
    aws_config_free(l->own_config);
    l->own_config = fresh;
    l->config = fresh;
  }
  err_fini(&e);
}

static enum login_state login_state_now(const struct login *l)
{
  if (err_is(&l->choice_err))
    return LOGIN_FAILED;
  if (!l->started)
    return LOGIN_IDLE;
  const struct source *s = l->source;
  if (source_usable(s))
    return l->region_settled ? LOGIN_READY : LOGIN_WORKING;
  for (const struct source *b = s; s->busy && b != NULL; b = b->base) {
    if (b->needs_person)
      return LOGIN_NEEDS_MFA;
  }
  return s->failed && !s->busy ? LOGIN_FAILED : LOGIN_WORKING;
}

/* Changes whenever one of the files that could hold a login is written, appears or goes. */
static uint64_t stamp_file(uint64_t stamp, const struct login *l, const char *path)
{
  char *real = path != NULL ? aws_config_expand_path(l->config, path) : NULL;
  struct stat st = {0};
  if (real != NULL && stat(real, &st) == 0) {
    const struct timespec written = FILE_WRITTEN(st);
    const uint64_t parts[] = {(uint64_t)written.tv_sec, (uint64_t)written.tv_nsec, (uint64_t)st.st_size,
                              (uint64_t)st.st_ino};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      stamp = (stamp ^ parts[i]) * UINT64_C(0x100000001b3);
  }
  free(real);
  return stamp * UINT64_C(0x100000001b3);
}

static uint64_t login_stamp(const struct login *l)
{
  uint64_t stamp = UINT64_C(0xcbf29ce484222325);
  stamp = stamp_file(stamp, l, aws_config_path(l->config));
  stamp = stamp_file(stamp, l, aws_credentials_path(l->config));
  for (const struct source *s = l->source; s != NULL; s = s->base)
    stamp = stamp_file(stamp, l, s->watch);
  return stamp;
}

static void login_watch(struct login *l, bool failed)
{
  if (!failed) {
    l->watching = false;
    return;
  }
  int64_t now = login_mono_ms(l);
  if (!l->watching) {
    l->watching = true;
    l->watch_stamp = login_stamp(l);
    l->watch_next_ms = now + WATCH_EVERY;
  } else if (now >= l->watch_next_ms) {
    l->watch_next_ms = now + WATCH_EVERY;
    if (login_stamp(l) != l->watch_stamp) {
      log_write(LOG_INFO, "login: a file changed, trying again");
      login_retry(l);
    }
  }
}

enum login_state login_turn(struct login *l)
{
  l->started = true;
  if (l->source != NULL)
    source_drive(l->source);
  if (l->region_probe != NULL && l->region_probe->busy && l->region_probe->ops->turn != NULL)
    l->region_probe->ops->turn(l->region_probe);
  else if (l->region_probe != NULL && !l->region_settled && !l->region_probe->busy) {
    l->region_probe->busy = true;
    l->region_probe->ops->start(l->region_probe);
  }
  if (l->device != NULL && device_flow_turn(l->device))
    login_retry(l);
  login_watch(l, login_state_now(l) == LOGIN_FAILED);
  return login_state_now(l);
}

static int64_t earlier(int64_t a, int64_t b)
{
  if (a == WHEN_NONE)
    return b;
  return b == WHEN_NONE || a < b ? a : b;
}

/* A wall time as monotonic time. */
static int64_t mono_of(const struct login *l, int64_t wall)
{
  if (wall == WHEN_NONE)
    return WHEN_NONE;
  int64_t wait = wall - login_now_ms(l);
  return login_mono_ms(l) + (wait > 0 ? wait : 0);
}

static int64_t source_next_ms(const struct source *s)
{
  const struct login *l = s->login;
  int64_t next = WHEN_NONE;
  if (s->busy) {
    if (s->ops->next_ms != NULL)
      next = s->ops->next_ms(s);
  } else if (s->failed) {
    next = mono_of(l, s->retry_ms);
  } else if (!s->asks_person) {
    next = mono_of(l, s->refresh_ms);
  }
  if (s->base != NULL && s->base->busy)
    next = earlier(next, source_next_ms(s->base));
  if (source_usable(s) && s->creds.expires_ms != WHEN_NONE)
    next = earlier(next, mono_of(l, s->creds.expires_ms - source_margin_ms(s)));
  return next;
}

int64_t login_next_turn_ms(const struct login *l)
{
  if (!l->started)
    return login_mono_ms(l);
  int64_t next = l->source != NULL ? source_next_ms(l->source) : WHEN_NONE;
  if (l->region_probe != NULL && l->region_probe->busy && l->region_probe->ops->next_ms != NULL)
    next = earlier(next, l->region_probe->ops->next_ms(l->region_probe));
  if (l->watching)
    next = earlier(next, l->watch_next_ms);
  if (l->device != NULL)
    next = earlier(next, device_flow_next_ms(l->device));
  return next;
}

unsigned login_fds(const struct login *l, struct transport_fd *out, unsigned max)
{
  unsigned count = 0;
  for (const struct source *s = l->source; s != NULL; s = s->base) {
    if (s->busy && s->ops->fds != NULL && count < max)
      count += s->ops->fds(s, out + count, max - count);
  }
  return count;
}

const struct credentials *login_credentials(const struct login *l)
{
  return l->source != NULL && source_usable(l->source) ? &l->source->creds : NULL;
}

/* The source in the chain that waits for a person; NULL: none. */
static struct source *login_asking(const struct login *l)
{
  struct source *s = l->source;
  while (s != NULL && !s->needs_person)
    s = s->base;
  return s;
}

const struct err *login_error(const struct login *l)
{
  if (err_is(&l->choice_err))
    return &l->choice_err;
  const struct source *asking = login_asking(l);
  return asking != NULL ? &asking->err : &l->source->err;
}

void login_invalidate(struct login *l, const struct credentials *used)
{
  struct source *s = l->source;
  if (s == NULL || !s->have || (used != NULL && !credentials_equal(used, &s->creds)))
    return;
  log_write(LOG_INFO, "login %s: the service does not take the keys, getting new ones", s->label);
  source_refuse(s);
}

void login_retry(struct login *l)
{
  l->watching = false;
  login_reread(l);
  source_free(l->source);
  l->source = NULL;
  login_choose(l);
}

const char *login_source(const struct login *l)
{
  return l->source != NULL && l->source->label != NULL ? l->source->label : "";
}

const char *login_where(const struct login *l)
{
  return l->source != NULL && l->source->where != NULL ? l->source->where : "no known place";
}

const char *login_profile(const struct login *l)
{
  if (l->source == NULL)
    return l->settings_profile;
  return l->source->profile != NULL ? l->source->profile : "";
}

const char *login_settings_profile(const struct login *l)
{
  return l->settings_profile;
}

const char *login_region(const struct login *l)
{
  return l->region;
}

const char *login_region_source(const struct login *l)
{
  return l->region_source != NULL ? l->region_source : "";
}

const char *login_notice(const struct login *l)
{
  const struct source *s = l->source;
  const struct source *asking = s != NULL ? login_asking(l) : NULL;
  struct login_device device = login_device(l);
  if (asking != NULL && err_is(&asking->err))
    return err_message(&asking->err);
  if (device.state == LOGIN_DEVICE_FAILED)
    return err_message(device.err);
  if (s != NULL && s->failed && s->notice != NULL && source_usable(s))
    return s->notice;
  return l->choice_notice != NULL ? l->choice_notice : aws_config_fault(l->config, 0);
}

const char *login_mfa_serial(const struct login *l)
{
  const struct source *s = login_state_now(l) == LOGIN_NEEDS_MFA ? login_asking(l) : NULL;
  return s != NULL ? role_mfa_serial(s) : NULL;
}

void login_give_mfa(struct login *l, const char *code)
{
  struct source *s = login_asking(l);
  if (s != NULL)
    role_give_mfa(s, code);
}

/* ---- device-code login ---- */

bool login_device_possible(const struct login *l)
{
  return device_flow_source(l) != NULL;
}

void login_device_start(struct login *l)
{
  const struct source *sso = device_flow_source(l);
  device_flow_free(l->device);
  l->device = sso != NULL ? device_flow_new(l, sso) : NULL;
}

void login_device_cancel(struct login *l)
{
  device_flow_free(l->device);
  l->device = NULL;
}

struct login_device login_device(const struct login *l)
{
  return l->device != NULL ? device_flow_state(l->device) : (struct login_device){.state = LOGIN_DEVICE_NONE};
}
