/* Logins: where keys come from, and keeping them fresh. Non-blocking: a provider answers now, or begins work on the transport (or a
 * child process) and calls back from inside transport_turn / credentials_turn.
 *
 * Sources and their order follow the AWS CLI; facts: AWS SDK reference guide "Standardized credential providers". */
#ifndef GLUETOP_AWS_CREDENTIALS_H
#define GLUETOP_AWS_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/secret.h"

struct credentials {
  char *access_key_id; /* not a secret, but shown only by its last 4 */
  struct secret secret_access_key;
  struct secret session_token; /* empty for long-lived keys */
  int64_t expires_ms;          /* WHEN_NONE: never, or not known */
  char *account;               /* when the source says it; or NULL */
};
void credentials_init(struct credentials *c);
void credentials_fini(struct credentials *c); /* wipes */
void credentials_copy(struct credentials *to, const struct credentials *from);

struct aws_config;
struct transport;
struct clock;

struct login_options {
  const char *profile; /* --profile; NULL when not given */
  const char *region;  /* --region; NULL when not given */
  const char *endpoint_url; /* --endpoint-url; NULL when not given */
};

/* One login of one context. */
struct login;
struct err login_new(const struct aws_config *config, const struct login_options *options, struct transport *transport,
                     const struct clock *clock, struct login **out) ERR_MUST_CHECK;
void login_free(struct login *l);

enum login_state {
  LOGIN_IDLE,     /* nothing asked yet */
  LOGIN_WORKING,  /* a request or a child is under way */
  LOGIN_READY,    /* credentials usable now */
  LOGIN_NEEDS_MFA,/* waits for login_give_mfa */
  LOGIN_FAILED    /* see login_error; stays so until login_retry */
};
/* Drive: starts or goes on with whatever is needed so that credentials are fresh (refresh ahead of expiry). Returns the state. */
enum login_state login_turn(struct login *l);
/* When login_turn wants to be called again without other news; WHEN_NONE: not by time. Monotonic ms. */
int64_t login_next_turn_ms(const struct login *l);
const struct credentials *login_credentials(const struct login *l); /* NULL unless usable */
const struct err *login_error(const struct login *l);
/* The service called the credentials expired or invalid: drop them, get new ones. */
void login_invalidate(struct login *l);
void login_retry(struct login *l); /* after LOGIN_FAILED: try again */
const char *login_source(const struct login *l);        /* "environment", "profile prod", "sso:oncall", "role x via y", "instance role z" */
const char *login_profile(const struct login *l);       /* "" when none is in force */
const char *login_region(const struct login *l);        /* NULL when no source gave one (yet) */
const char *login_region_source(const struct login *l); /* "option", "AWS_REGION", "profile prod", "instance metadata" */
/* MFA: serial to show, then the code typed by the person. */
const char *login_mfa_serial(const struct login *l);
void login_give_mfa(struct login *l, const char *code);

#endif
