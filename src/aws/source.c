/* Driving a source of keys, so that they are fresh.
 *
 * When keys are due. They are renewed ahead of their end: 15 minutes before it, or a third of their lifetime where that is less, so that
 * tokens that live 15 minutes are not renewed without pause. A failed renewal ahead is tolerated and tried again, the more often the nearer
 * the end (from the last 10 minutes on, twice a minute). Keys count as usable until shortly before their end. Only then a failure is the
 * login's. It stands until a person, a changed file, or, where the network or the service was to blame, some time gives a reason to try
 * again: never a storm of logins. */
#include "aws/provider.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/xalloc.h"

#define REFRESH_ADVISORY  (15 * WHEN_MINUTE)
#define REFRESH_MANDATORY (10 * WHEN_MINUTE)
#define RETRY_FIRST       (15 * WHEN_SECOND)
#define RETRY_LAST        (5 * WHEN_MINUTE)
#define REFUSED_AGAIN     WHEN_MINUTE
/* Keys of local services and of tokens on disk are stamped by clocks that agree with ours; below this the difference is noise. */
#define SKEW_MATTERS (4 * WHEN_MINUTE)

int64_t login_now_ms(const struct login *l)
{
  return clock_wall_ms(l->clock) + l->skew_ms;
}

int64_t login_mono_ms(const struct login *l)
{
  return clock_mono_ms(l->clock);
}

void login_learn_date(struct login *l, int64_t server_date_ms, int64_t took_ms)
{
  if (server_date_ms == WHEN_NONE || took_ms > 15 * WHEN_MINUTE)
    return;
  int64_t skew = server_date_ms - clock_wall_ms(l->clock);
  l->skew_ms = skew >= SKEW_MATTERS || skew <= -SKEW_MATTERS ? skew : 0;
}

struct source *source_new(struct login *l, const struct source_ops *ops, size_t own_size, const char *profile)
{
  struct source *s = xcalloc(1, sizeof *s);
  s->ops = ops;
  s->login = l;
  s->profile = xstrdup(profile);
  s->own = own_size > 0 ? xcalloc(1, own_size) : NULL;
  credentials_init(&s->creds);
  credentials_init(&s->refused);
  s->retry_ms = WHEN_NONE;
  s->refresh_ms = WHEN_NONE;
  return s;
}

static void source_stop(struct source *s)
{
  if (s->request != 0)
    transport_cancel(s->login->transport, s->request);
  s->request = 0;
  if (s->busy && s->ops->cancel != NULL)
    s->ops->cancel(s);
  s->busy = false;
  s->needs_person = false;
}

void source_free(struct source *s)
{
  if (s == NULL)
    return;
  source_stop(s);
  if (s->ops->free_own != NULL)
    s->ops->free_own(s);
  source_free(s->base);
  credentials_fini(&s->creds);
  credentials_fini(&s->refused);
  err_fini(&s->err);
  free(s->profile);
  free(s->label);
  free(s->where);
  free(s->watch);
  free(s->notice);
  free(s->own);
  free(s);
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

int64_t source_margin_ms(const struct source *s)
{
  return least(30 * WHEN_SECOND, s->lifetime_ms / 10);
}

bool source_usable(const struct source *s)
{
  if (!s->have)
    return false;
  if (s->creds.expires_ms == WHEN_NONE)
    return true;
  return login_now_ms(s->login) < s->creds.expires_ms - source_margin_ms(s);
}

static bool worth_retrying(const struct source *s, enum err_kind kind)
{
  /* A service of this machine that has worked before will work again; one that never did is most often not there. */
  if (s->ops->heals_alone && s->obtained_ms != 0)
    return true;
  return kind == ERR_NETWORK || kind == ERR_TIMEOUT || kind == ERR_SERVER || kind == ERR_THROTTLED || kind == ERR_TLS;
}

/* Doubles from 15 seconds to 5 minutes. */
static int64_t retry_delay(int fail_count)
{
  int64_t delay = RETRY_FIRST;
  for (int i = 1; i < fail_count && delay < RETRY_LAST; i++)
    delay *= 2;
  return least(delay, RETRY_LAST);
}

void source_fail(struct source *s, struct err take)
{
  source_stop(s);
  err_fini(&s->err);
  s->err = take;
  s->failed = true;
  s->fail_count++;
  int64_t now = login_now_ms(s->login);
  if (source_usable(s)) {
    int64_t left = s->creds.expires_ms != WHEN_NONE ? s->creds.expires_ms - now : REFRESH_ADVISORY;
    int64_t pause = left > REFRESH_MANDATORY ? 2 * WHEN_MINUTE : 30 * WHEN_SECOND;
    s->retry_ms = now + (left / 4 < pause ? left / 4 + WHEN_SECOND : pause);
  } else {
    s->retry_ms = worth_retrying(s, take.kind) ? now + retry_delay(s->fail_count) : WHEN_NONE;
  }
  char *sentence = err_sentence(&s->err);
  log_write(LOG_WARN, "login %s: %s", s->label != NULL ? s->label : "", sentence);
  free(s->notice);
  s->notice = xasprintf("the keys could not be renewed, which is tried again: %s", sentence);
  free(sentence);
}

/* What came back is what a service refused already, or has ended already: using it would only be refused again. */
static struct err source_check(const struct source *s, const struct credentials *keys)
{
  struct err e = err_ok();
  if (credentials_equal(keys, &s->refused)) {
    e = err_new(ERR_EXPIRED, "the service does not take the keys of %s (any more)", s->where);
  } else if (keys->expires_ms != WHEN_NONE && keys->expires_ms <= login_now_ms(s->login)) {
    char when[WHEN_TEXT_MAX];
    e = err_new(ERR_EXPIRED, "the keys of %s ended at %s", s->where, when_format_iso(keys->expires_ms, when));
  }
  err_set_hint(&e, "Log in again there, then retry.");
  return e;
}

void source_done(struct source *s, struct credentials *take)
{
  struct err e = source_check(s, take);
  if (err_is(&e)) {
    source_fail(s, e);
    return;
  }
  source_stop(s);
  credentials_copy(&s->creds, take);
  s->have = true;
  s->failed = false;
  s->fail_count = 0;
  s->retry_ms = WHEN_NONE;
  err_fini(&s->err);
  s->obtained_ms = login_now_ms(s->login);
  s->lifetime_ms = WHEN_NONE;
  s->refresh_ms = WHEN_NONE;
  if (s->creds.expires_ms != WHEN_NONE) {
    s->lifetime_ms = s->creds.expires_ms - s->obtained_ms;
    s->refresh_ms = s->creds.expires_ms - least(REFRESH_ADVISORY, s->lifetime_ms / 3);
  }
  log_write(LOG_INFO, "login %s: keys are there", s->label);
}

static bool source_due(const struct source *s)
{
  int64_t now = login_now_ms(s->login);
  if (s->failed)
    return s->retry_ms != WHEN_NONE ? now >= s->retry_ms : false;
  if (!source_usable(s))
    return true;
  return s->refresh_ms != WHEN_NONE && now >= s->refresh_ms && !s->asks_person;
}

/* Work of a base that nobody waits for any more (a renewal ahead) goes on all the same. */
static void source_tend(struct source *s)
{
  if (s->busy && s->ops->turn != NULL)
    s->ops->turn(s);
  if (s->base != NULL)
    source_tend(s->base);
}

bool source_drive(struct source *s)
{
  /* A renewal ahead that failed for good is looked at again once the keys have really ended: then it is the login's failure. */
  if (!s->busy && source_due(s)) {
    s->busy = true;
    s->ops->start(s);
  }
  if (s->busy && s->ops->turn != NULL)
    s->ops->turn(s);
  if (!s->busy && s->base != NULL)
    source_tend(s->base);
  return source_usable(s);
}

void source_refuse(struct source *s)
{
  if (!s->have)
    return;
  int64_t held = login_now_ms(s->login) - s->obtained_ms;
  bool again = s->refused.access_key_id != NULL && held >= 0 && held < REFUSED_AGAIN;
  credentials_copy(&s->refused, &s->creds);
  credentials_fini(&s->creds);
  s->have = false;
  s->failed = false;
  s->retry_ms = WHEN_NONE;
  if (again) {
    struct err e = err_new(ERR_CREDENTIALS, "the service refuses the keys of %s, new ones too", s->where);
    err_set_hint(&e, "Look at the clock and the account, then retry.");
    source_fail(s, e);
  }
}

static void source_answered(void *user, const struct transport_answer *answer)
{
  struct source *s = user;
  s->request = 0;
  s->on_answer(s, answer);
}

void source_send(struct source *s, struct transport_request *request, source_answer_fn *done)
{
  s->on_answer = done;
  request->done = source_answered;
  request->user = s;
  request->skew_ms = s->login->skew_ms;
  s->request = transport_send(s->login->transport, request);
}
