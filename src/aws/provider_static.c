/* Keys that stand somewhere as they are: in the environment, in a profile. */
#include "aws/provider.h"

#include <stdlib.h>
#include "base/xalloc.h"

static const char *env_token(const struct login *l)
{
  const char *token = aws_config_env(l->config, "AWS_SESSION_TOKEN");
  return token != NULL ? token : aws_config_env(l->config, "AWS_SECURITY_TOKEN");
}

bool source_environment_there(const struct login *l)
{
  return aws_config_env(l->config, "AWS_ACCESS_KEY_ID") != NULL ||
         aws_config_env(l->config, "AWS_SECRET_ACCESS_KEY") != NULL;
}

static void environment_start(struct source *s)
{
  const struct aws_config *config = s->login->config;
  struct credentials keys;
  credentials_init(&keys);
  struct err e = err_ok();
  const char *id = aws_config_env(config, "AWS_ACCESS_KEY_ID");
  const char *secret = aws_config_env(config, "AWS_SECRET_ACCESS_KEY");
  const char *until = aws_config_env(config, "AWS_CREDENTIAL_EXPIRATION");
  if (id == NULL || secret == NULL) {
    /* Half a login is a mistake to be told, not a reason to use somebody else's account. */
    e = err_new(ERR_CREDENTIALS, "%s is set in the environment, but %s is not",
                id != NULL ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                id != NULL ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    err_set_hint(&e, "Set both, or unset both to use a profile.");
  } else if (until != NULL && !when_parse_iso(until, &keys.expires_ms)) {
    e = err_new(ERR_CONFIG, "AWS_CREDENTIAL_EXPIRATION is not a time like 2030-01-01T00:00:00Z");
  } else {
    keys.access_key_id = xstrdup(id);
    secret_set_str(&keys.secret_access_key, secret);
    secret_set_str(&keys.session_token, env_token(s->login));
    keys.account = xstrdup(aws_config_env(config, "AWS_ACCOUNT_ID"));
  }
  if (err_is(&e))
    source_fail(s, e);
  else
    source_done(s, &keys);
  credentials_fini(&keys);
}

static const struct source_ops environment_ops = {.start = environment_start};

struct err source_environment(struct login *l, struct source **out)
{
  struct source *s = source_new(l, &environment_ops, 0, NULL);
  s->label = xstrdup("environment");
  s->where =
      xasprintf("AWS_ACCESS_KEY_ID%s of the environment",
                env_token(l) != NULL ? ", AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN" : " and AWS_SECRET_ACCESS_KEY");
  *out = s;
  return err_ok();
}

struct static_own {
  enum aws_config_file file;
};

static void static_start(struct source *s)
{
  const struct static_own *own = s->own;
  /* Keys that were refused may have been replaced in the file: some tools write new session keys there every hour. */
  if (s->refused.access_key_id != NULL)
    login_reread(s->login);
  const struct aws_config *config = s->login->config;
  const char *shown = own->file == AWS_FILE_CREDENTIALS ? aws_credentials_path(config) : aws_config_path(config);
  const char *id = aws_config_get_in(config, own->file, s->profile, "aws_access_key_id");
  const char *secret = aws_config_get_in(config, own->file, s->profile, "aws_secret_access_key");
  if (id == NULL || secret == NULL) {
    struct err e = err_new(ERR_CREDENTIALS, "profile %s in %s has %s, but no %s", s->profile, shown,
                           id != NULL ? "aws_access_key_id" : "aws_secret_access_key",
                           id != NULL ? "aws_secret_access_key" : "aws_access_key_id");
    err_set_hint(&e, "Both belong into the same file.");
    source_fail(s, e);
    return;
  }
  struct credentials keys;
  credentials_init(&keys);
  keys.access_key_id = xstrdup(id);
  secret_set_str(&keys.secret_access_key, secret);
  /* From the same file: a token that was left behind in the other one does not belong to these keys. */
  const char *token = aws_config_get_in(config, own->file, s->profile, "aws_session_token");
  if (token == NULL)
    token = aws_config_get_in(config, own->file, s->profile, "aws_security_token");
  secret_set_str(&keys.session_token, token);
  keys.account = xstrdup(aws_config_get(config, s->profile, "aws_account_id"));
  source_done(s, &keys);
  credentials_fini(&keys);
}

static const struct source_ops static_ops = {.start = static_start};

struct err source_static(struct login *l, enum aws_config_file file, const char *profile, struct source **out)
{
  struct source *s = source_new(l, &static_ops, sizeof(struct static_own), profile);
  struct static_own *own = s->own;
  own->file = file;
  s->label = xasprintf("profile %s", profile);
  s->where = xasprintf("profile %s in %s", profile,
                       file == AWS_FILE_CREDENTIALS ? aws_credentials_path(l->config) : aws_config_path(l->config));
  *out = s;
  return err_ok();
}
