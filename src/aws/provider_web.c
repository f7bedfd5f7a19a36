/* Web identity: a token in a file (written there by Kubernetes, say) for the keys of a role. The call is not signed. */
#include "aws/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "aws/secret_text.h"
#include "base/xalloc.h"

#define TOKEN_MAX 65536

struct web_own {
  char *file;
  char *arn;
  char *session_name;
  char *what;
};

static void web_answered(struct source *s, const struct transport_answer *answer)
{
  const struct web_own *own = s->own;
  login_learn_date(s->login, answer->server_date_ms, answer->took_ms);
  struct err e = err_ok();
  struct credentials keys;
  credentials_init(&keys);
  if (err_is(&answer->err)) {
    e = login_answer_error(answer, answer->err.kind == ERR_EXPIRED ? ERR_EXPIRED : ERR_CREDENTIALS, own->what, NULL);
    err_set_hint(&e, "Look at the token in %s and at the role's trust policy.", own->file);
  } else {
    keys.account = arn_account(own->arn);
    e = sts_read_keys(answer->body, answer->body_len, &keys);
    err_set_what(&e, "%s", own->what);
  }
  if (err_is(&e))
    source_fail(s, e);
  else
    source_done(s, &keys);
  credentials_fini(&keys);
}

static void web_start(struct source *s)
{
  const struct web_own *own = s->own;
  struct secret token = {0};
  struct secret_text body = {0};
  char made_up[64];
  snprintf(made_up, sizeof made_up, "gluetop-session-%lld", (long long)(login_now_ms(s->login) / 1000));
  struct err e = secret_file_read(own->file, TOKEN_MAX, &token);
  if (err_is(&e)) {
    e.kind = ERR_CREDENTIALS;
    err_set_what(&e, "web identity token");
    goto out;
  }
  while (token.len > 0 && strchr(" \t\r\n", token.bytes[token.len - 1]) != NULL)
    secret_set(&token, token.bytes, token.len - 1);
  if (secret_empty(&token)) {
    e = err_new(ERR_CREDENTIALS, "the web identity token file %s is empty", own->file);
    goto out;
  }
  secret_text_form(&body, "Action", "AssumeRoleWithWebIdentity");
  secret_text_form(&body, "Version", "2011-06-15");
  secret_text_form(&body, "RoleArn", own->arn);
  secret_text_form(&body, "RoleSessionName", own->session_name != NULL ? own->session_name : made_up);
  secret_text_form(&body, "WebIdentityToken", token.bytes);
  e = sts_send(s, sts_region(s->login, s->profile, own->arn), &body, NULL, own->what, web_answered);
out:
  secret_fini(&token);
  secret_text_fini(&body);
  if (err_is(&e))
    source_fail(s, e);
}

static void web_free(struct source *s)
{
  struct web_own *own = s->own;
  free(own->file);
  free(own->arn);
  free(own->session_name);
  free(own->what);
}

static const struct source_ops web_ops = {.start = web_start, .free_own = web_free, .role_session = true};

struct err source_web_identity(struct login *l, const char *profile, struct source **out)
{
  const struct aws_config *c = l->config;
  const char *file = profile != NULL ? aws_config_get(c, profile, "web_identity_token_file")
                                     : aws_config_env(c, "AWS_WEB_IDENTITY_TOKEN_FILE");
  const char *arn = profile != NULL ? aws_config_get(c, profile, "role_arn") : aws_config_env(c, "AWS_ROLE_ARN");
  const char *name =
      profile != NULL ? aws_config_get(c, profile, "role_session_name") : aws_config_env(c, "AWS_ROLE_SESSION_NAME");
  if (arn == NULL)
    return profile != NULL ? err_new(ERR_CONFIG, "profile %s has a web_identity_token_file, but no role_arn", profile)
                           : err_new(ERR_CONFIG, "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
  if (name != NULL) {
    struct err e = sts_check_session_name(profile, name);
    if (err_is(&e))
      return e;
  }
  char *path = aws_config_expand_path(c, file);
  if (path == NULL)
    return err_new(ERR_CONFIG, "the web identity token file %s is below a home that is not known", file);
  struct source *s = source_new(l, &web_ops, sizeof(struct web_own), profile);
  struct web_own *own = s->own;
  own->file = path;
  own->arn = xstrdup(arn);
  own->session_name = xstrdup(name);
  own->what = xasprintf("AssumeRoleWithWebIdentity of %s", arn);
  s->watch = xstrdup(own->file);
  s->label = xasprintf("web identity role %s", arn_last(arn));
  s->where = xasprintf("web identity role %s", arn);
  *out = s;
  return err_ok();
}
