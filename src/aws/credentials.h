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
bool credentials_equal(const struct credentials *a, const struct credentials *b); /* the same keys; constant time */

struct aws_config;
struct transport;
struct transport_fd;
struct clock;

struct login_options {
  const char *profile;      /* --profile; NULL when not given */
  const char *region;       /* --region; NULL when not given */
  const char *endpoint_url; /* --endpoint-url; NULL when not given */
};

/* One login of one context. What cannot work (a profile that does not exist, a loop of source profiles) does not fail login_new: the login
 * stands there as LOGIN_FAILED with its reason, so that its context can be shown beside the others. The config must outlive the login. */
struct login;
struct err login_new(const struct aws_config *config, const struct login_options *options, struct transport *transport,
                     const struct clock *clock, struct login **out) ERR_MUST_CHECK;
void login_free(struct login *l); /* cancels requests, ends a child; free it before the transport */

enum login_state {
  LOGIN_IDLE,      /* nothing asked yet */
  LOGIN_WORKING,   /* a request or a child is under way and there are no usable credentials meanwhile */
  LOGIN_READY,     /* credentials usable now (a refresh ahead of expiry may be under way) */
  LOGIN_NEEDS_MFA, /* waits for login_give_mfa */
  LOGIN_FAILED /* see login_error. Goes on after login_retry, when the file with the login changes (`aws sso login` in another
                     window), and by itself, at growing distances, only when the network or the service was to blame */
};
/* Drive: starts or goes on with whatever is needed so that credentials are fresh (refresh ahead of expiry). Returns the state. Cheap when
 * there is nothing to do: call it every turn of the loop, after transport_turn. */
enum login_state login_turn(struct login *l);
/* When login_turn wants to be called again without other news; WHEN_NONE: not by time. Monotonic ms. */
int64_t login_next_turn_ms(const struct login *l);
/* Descriptors (pipes of a credential_process) to add to transport_wait while they are there; returns how many were written. */
unsigned login_fds(const struct login *l, struct transport_fd *out, unsigned max);
const struct credentials *login_credentials(const struct login *l); /* NULL unless usable */
const struct err *
login_error(const struct login *l); /* also why the last MFA code was refused, while LOGIN_NEEDS_MFA */
/* The service called the credentials expired or invalid: drop them, get new ones. `used`: those of the refused request (NULL: the present
 * ones); an answer to a request that went out before a refresh does not drop the new keys. Keys that come back the same, or are refused
 * again at once, make the login LOGIN_FAILED. */
void login_invalidate(struct login *l, const struct credentials *used);
void login_retry(struct login *l); /* after LOGIN_FAILED: read the files again and try again */
const char *login_source(
    const struct login *l); /* "environment", "profile prod", "sso:oncall", "role x via y", "instance role z" */
const char *login_profile(
    const struct login *l); /* whose keys are used; "" when they come from no profile (environment, instance) */
/* The profile whose settings hold (Region, endpoints, ca_bundle), even when the keys come from the environment; "" for none. For
 * endpoint_options.profile. */
const char *login_settings_profile(const struct login *l);
const char *
login_region(const struct login
                 *l); /* NULL when no source gave one (yet: final once the state is LOGIN_READY or LOGIN_FAILED) */
const char *login_region_source(
    const struct login *l); /* "option", "AWS_REGION", "profile prod", "instance metadata"; "" without Region */
/* What a person should know though nothing failed, the most urgent of: a code of MFA was refused; a device login has failed; a
 * refresh ahead of expiry failed and is tried again; AWS_PROFILE is
 * set but keys of the environment are used; a fault in the config files (file and line). NULL when there is nothing. Valid until the next
 * call of a function of this login. */
const char *login_notice(const struct login *l);
/* Where the keys stand, for the hint when a service refuses them: "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the
 * environment", "profile prod in ~/.aws/credentials". Never NULL. */
const char *login_where(const struct login *l);
/* MFA: serial to show (NULL unless LOGIN_NEEDS_MFA), then the code typed by the person. A code that is not six digits is refused without
 * asking the service. */
const char *login_mfa_serial(const struct login *l);
void login_give_mfa(struct login *l, const char *code);

/* Device-code login (`:login`) for profiles that lead to SSO. login_device_start begins; then login_turn drives it, like all the rest.
 * When the person has agreed in the browser, the token is written to the SSO cache and the login goes on by itself. */
enum login_device_state {
  LOGIN_DEVICE_NONE,
  LOGIN_DEVICE_STARTING,
  LOGIN_DEVICE_WAITING,
  LOGIN_DEVICE_DONE,
  LOGIN_DEVICE_FAILED
};
struct login_device {
  enum login_device_state state;
  const char *url;          /* WAITING: to open in a browser */
  const char *url_complete; /* the same with the code in it; or NULL */
  const char *user_code;    /* WAITING: to compare or type there */
  int64_t expires_ms;       /* WAITING: wall time at which the code ends */
  const struct err *err;    /* FAILED */
};
bool login_device_possible(const struct login *l);
void login_device_start(struct login *l);
void login_device_cancel(struct login *l);
struct login_device login_device(const struct login *l); /* pointers are valid until the next call of login_turn */

#endif
