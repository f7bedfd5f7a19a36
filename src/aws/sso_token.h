/* Only for provider_sso.c and provider_device.c: the cached token of an SSO login, the file that the AWS CLI and the SDKs share. */
#ifndef GLUETOP_AWS_SSO_TOKEN_H
#define GLUETOP_AWS_SSO_TOKEN_H

#include <stdint.h>
#include "aws/provider.h"

/* What a profile says about its SSO, checked. */
struct sso_setup {
  char *profile;
  char *session; /* of [sso-session NAME]; NULL in the older form, which has no renewal */
  char *start_url;
  char *region;
  char *account;
  char *role;
  char *scopes;     /* separated by commas; NULL in the older form */
  char *token_path; /* ~/.aws/sso/cache/<sha1 of the session's name or the start URL>.json */
};
struct err sso_setup_read(const struct login *l, const char *profile, struct sso_setup *out) ERR_MUST_CHECK;
void sso_setup_copy(struct sso_setup *to, const struct sso_setup *from); /* `to` is overwritten */
void sso_setup_fini(struct sso_setup *s);
const struct sso_setup *sso_setup_of(const struct source *s); /* NULL: not an SSO source */

struct sso_token {
  struct secret access;
  int64_t expires_ms; /* WHEN_NONE: the file does not say */
  struct secret refresh;
  char *client_id;
  struct secret client_secret;
  int64_t registration_ends_ms; /* WHEN_NONE: the file does not say */
};
void sso_token_fini(struct sso_token *t);
/* ERR_CREDENTIALS, naming the path, when the file is missing, broken or of another kind. */
struct err sso_token_read(const char *path, struct sso_token *out) ERR_MUST_CHECK;
/* Write access, expiry, refresh token and registration back; other members of the file stay as they are. */
struct err sso_token_write(const struct sso_setup *setup, const struct sso_token *t) ERR_MUST_CHECK;
bool sso_token_can_renew(const struct sso_setup *setup, const struct sso_token *t, int64_t now_ms);
/* Access token, its end and a new refresh token out of the answer of /token. */
struct err sso_token_of_answer(const char *body, size_t len, int64_t now_ms, struct sso_token *into) ERR_MUST_CHECK;
/* One unsigned JSON POST to the OIDC service of the setup's Region. */
struct err sso_post(struct source *s, const struct sso_setup *setup, const char *path, const struct secret_text *body,
                    const char *what, source_answer_fn *done) ERR_MUST_CHECK;
/* "run `aws sso login --profile x`, or :login here" */
void sso_hint(struct err *e, const struct sso_setup *setup);

#endif
