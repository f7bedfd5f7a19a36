/* Assume role, with the keys of another source (which may be a role itself: a chain). */
#include "aws/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/secret_text.h"
#include "base/xalloc.h"

#define DURATION_MIN   900
#define DURATION_MAX   43200
#define DURATION_CHAIN 3600 /* what STS grants at most when the caller is a role itself */
#define CODE_TRIES     3

struct role_own {
  char *arn;
  char *external_id;
  char *session_name; /* NULL: made up per call */
  char *mfa_serial;   /* NULL: none */
  char *what;
  long duration;      /* seconds; 0: not given, STS's own */
  struct secret code; /* of MFA, once */
  int code_tries;
  bool base_refused; /* its keys were not taken once already in this work */
};

static void role_start(struct source *s)
{
  struct role_own *own = s->own;
  own->base_refused = false;
  own->code_tries = 0;
  secret_fini(&own->code);
}

/* A refused code is asked for again, with the reason; other failures end the work. */
static bool ask_code_again(struct source *s, const struct transport_answer *answer)
{
  struct role_own *own = s->own;
  bool refused = answer->status == 403 || answer->status == 400;
  bool of_base = answer->err.kind == ERR_EXPIRED || answer->err.kind == ERR_CREDENTIALS;
  if (own->mfa_serial == NULL || !refused || of_base || own->code_tries >= CODE_TRIES)
    return false;
  err_fini(&s->err);
  s->err = login_answer_error(answer, ERR_CREDENTIALS, own->what, NULL);
  err_set_hint(&s->err, "Wait for the next code and try again.");
  s->needs_person = true;
  return true;
}

static void role_answered(struct source *s, const struct transport_answer *answer)
{
  struct role_own *own = s->own;
  login_learn_date(s->login, answer->server_date_ms, answer->took_ms);
  struct err e = err_ok();
  struct credentials keys;
  credentials_init(&keys);
  secret_fini(&own->code);
  if (!err_is(&answer->err)) {
    keys.account = arn_account(own->arn);
    e = sts_read_keys(answer->body, answer->body_len, &keys);
    err_set_what(&e, "%s", own->what);
  } else if ((answer->err.kind == ERR_EXPIRED || answer->err.kind == ERR_CREDENTIALS) && !own->base_refused) {
    /* The keys we asked with have ended: get new ones from the base, and ask again. */
    own->base_refused = true;
    source_refuse(s->base);
    return;
  } else if (ask_code_again(s, answer)) {
    return;
  } else if (answer->status == 400 && own->duration > DURATION_CHAIN) {
    /* The source turned out to be a role (its keys do not tell), or the role allows less. */
    own->duration = DURATION_CHAIN;
    return;
  } else {
    e = login_answer_error(answer, ERR_CREDENTIALS, own->what, NULL);
    err_set_hint(&e,
                 "Look at the role's trust policy and at role_arn, external_id and mfa_serial of profile %s; the call "
                 "was made with %s.",
                 s->profile, s->base->where);
  }
  if (err_is(&e))
    source_fail(s, e);
  else
    source_done(s, &keys);
  credentials_fini(&keys);
}

static void role_send(struct source *s)
{
  struct role_own *own = s->own;
  char duration[24];
  char made_up[64];
  snprintf(duration, sizeof duration, "%ld", own->duration);
  snprintf(made_up, sizeof made_up, "gluetop-session-%lld", (long long)(login_now_ms(s->login) / 1000));
  struct secret_text body = {0};
  secret_text_form(&body, "Action", "AssumeRole");
  secret_text_form(&body, "Version", "2011-06-15");
  secret_text_form(&body, "RoleArn", own->arn);
  secret_text_form(&body, "RoleSessionName", own->session_name != NULL ? own->session_name : made_up);
  secret_text_form(&body, "DurationSeconds", own->duration > 0 ? duration : NULL);
  secret_text_form(&body, "ExternalId", own->external_id);
  if (own->mfa_serial != NULL) {
    secret_text_form(&body, "SerialNumber", own->mfa_serial);
    secret_text_form(&body, "TokenCode", own->code.bytes);
  }
  struct err e =
      sts_send(s, sts_region(s->login, s->profile, own->arn), &body, &s->base->creds, own->what, role_answered);
  secret_text_fini(&body);
  if (err_is(&e))
    source_fail(s, e);
}

static void role_turn(struct source *s)
{
  struct role_own *own = s->own;
  if (s->request != 0)
    return;
  if (!source_drive(s->base)) {
    if (!s->base->busy && s->base->failed) {
      int64_t retry = s->base->retry_ms;
      source_fail(s, err_copy(&s->base->err));
      if (!source_usable(s))
        s->retry_ms = retry;
    }
    return;
  }
  s->needs_person = own->mfa_serial != NULL && secret_empty(&own->code);
  if (!s->needs_person)
    role_send(s);
}

static void role_free(struct source *s)
{
  struct role_own *own = s->own;
  free(own->arn);
  free(own->external_id);
  free(own->session_name);
  free(own->mfa_serial);
  free(own->what);
  secret_fini(&own->code);
}

static const struct source_ops role_ops = {
    .start = role_start, .turn = role_turn, .free_own = role_free, .role_session = true};

static struct err read_duration(const char *profile, const char *text, long *out)
{
  char *end = NULL;
  long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < DURATION_MIN || value > DURATION_MAX)
    return err_new(ERR_CONFIG, "duration_seconds of profile %s must be %d to %d", profile, DURATION_MIN, DURATION_MAX);
  *out = value;
  return err_ok();
}

struct err source_role(struct login *l, const char *profile, struct source *take_base, struct source **out)
{
  const struct aws_config *c = l->config;
  struct source *s = source_new(l, &role_ops, sizeof(struct role_own), profile);
  struct role_own *own = s->own;
  s->base = take_base;
  own->arn = xstrdup(aws_config_get(c, profile, "role_arn"));
  own->external_id = xstrdup(aws_config_get(c, profile, "external_id"));
  own->session_name = xstrdup(aws_config_get(c, profile, "role_session_name"));
  own->mfa_serial = xstrdup(aws_config_get(c, profile, "mfa_serial"));
  own->what = xasprintf("AssumeRole of %s", own->arn);
  s->asks_person = own->mfa_serial != NULL;
  s->label = xasprintf("role %s via %s", arn_last(own->arn),
                       take_base->profile != NULL ? take_base->profile : take_base->label);
  s->where = xasprintf("role %s of profile %s", own->arn, profile);
  const char *duration = aws_config_get(c, profile, "duration_seconds");
  struct err e = err_ok();
  if (strncmp(own->arn, "arn:", 4) != 0)
    e = err_new(ERR_CONFIG, "role_arn of profile %s is no ARN", profile);
  if (!err_is(&e) && own->session_name != NULL)
    e = sts_check_session_name(profile, own->session_name);
  if (!err_is(&e) && duration != NULL)
    e = read_duration(profile, duration, &own->duration);
  if (take_base->ops->role_session && own->duration > DURATION_CHAIN)
    own->duration = DURATION_CHAIN;
  if (err_is(&e)) {
    source_free(s);
    return e;
  }
  *out = s;
  return e;
}

const char *role_mfa_serial(const struct source *s)
{
  return s->ops == &role_ops ? ((const struct role_own *)s->own)->mfa_serial : NULL;
}

void role_give_mfa(struct source *s, const char *code)
{
  if (s->ops != &role_ops || !s->needs_person)
    return;
  struct role_own *own = s->own;
  err_fini(&s->err);
  if (code == NULL || strlen(code) != 6 || strspn(code, "0123456789") != 6) {
    s->err = err_new(ERR_USAGE, "a code of MFA has six digits");
    return;
  }
  secret_set_str(&own->code, code);
  own->code_tries++;
  s->needs_person = false;
}
