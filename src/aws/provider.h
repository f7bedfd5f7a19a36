/* Only for the files login*.c and provider_*.c: what a login is made of.
 *
 * A login has one source of keys, chosen once from the files and the environment (login_choose.c). A source may stand on another one: a role
 * is assumed with the keys of its base. A source begins its work in `start`, goes on in `turn` and in call-backs of the transport, and ends
 * with source_done or source_fail. When keys are due, how long they hold and when to try again is decided in one place, source_drive
 * (login.c), so that no provider has a rhythm of its own. */
#ifndef GLUETOP_AWS_PROVIDER_H
#define GLUETOP_AWS_PROVIDER_H

#include "aws/config.h"
#include "aws/credentials.h"
#include "aws/transport.h"
#include "base/clock.h"
#include "base/when.h"

struct source;

struct source_ops {
  void (*start)(struct source *s); /* busy is set; may end the work at once */
  void (*turn)(struct source *s);  /* while busy; NULL: nothing to do but wait */
  int64_t (*next_ms)(
      const struct source *s); /* while busy: monotonic time at which turn wants to be called; NULL: never */
  unsigned (*fds)(const struct source *s, struct transport_fd *out, unsigned max); /* NULL: none */
  void (*cancel)(struct source *s);   /* drop what is under way besides s->request; NULL: nothing */
  void (*free_own)(struct source *s); /* what s->own points to in its turn; own itself is freed by source_free */
  bool role_session;                  /* the keys are those of a role: a role assumed with them lasts an hour at most */
  bool heals_alone;                   /* a service of this machine: any failure is worth another try later */
};

struct source {
  const struct source_ops *ops;
  struct login *login;
  struct source *base; /* keys to get keys with; owned; NULL */
  char *profile;       /* that describes it; NULL */
  char *label;         /* "sso:oncall" */
  char *where;         /* "profile prod in ~/.aws/credentials" */
  char *watch;         /* file whose change makes another try worthwhile; NULL */
  void *own;           /* of the provider */

  bool have;
  struct credentials creds;
  struct credentials refused; /* the last ones a service did not take; empty: none */
  int64_t obtained_ms;        /* wall */
  int64_t lifetime_ms;        /* at that moment; WHEN_NONE: does not end */
  int64_t refresh_ms;         /* wall time of the next refresh ahead; WHEN_NONE: never */

  bool busy;
  bool needs_person; /* busy, and waits for a code of MFA */
  bool asks_person;  /* cannot be refreshed without a person: so not ahead of expiry */
  uint64_t request;  /* under way in the transport; 0: none */
  void (*on_answer)(struct source *s, const struct transport_answer *answer);
  bool failed;
  struct err err; /* while failed, or of the last code of MFA */
  int fail_count;
  char *notice;     /* the failure in one sentence, for when the keys still hold */
  int64_t retry_ms; /* wall, while failed; WHEN_NONE: not by itself */
};

/* Time as the services see it. */
int64_t login_now_ms(const struct login *l);
int64_t login_mono_ms(const struct login *l);
void login_learn_date(struct login *l, int64_t server_date_ms, int64_t took_ms);

struct source *source_new(struct login *l, const struct source_ops *ops, size_t own_size, const char *profile);
void source_free(struct source *s);
/* End of the work: keys (moved out of *take), or why not (owned by the source from now on). */
void source_done(struct source *s, struct credentials *take);
void source_fail(struct source *s, struct err take);
/* Keep keys fresh; true when they can be used now. */
bool source_drive(struct source *s);
bool source_usable(const struct source *s);
int64_t source_margin_ms(const struct source *s); /* so long before their end keys count as ended */
void source_refuse(struct source *s);             /* a service did not take its keys */
/* A request of this source: fills done and user, remembers the id; the call-back finds s->request 0 again. */
typedef void source_answer_fn(struct source *s, const struct transport_answer *answer);
void source_send(struct source *s, struct transport_request *request, source_answer_fn *done);

struct login {
  const struct aws_config *config; /* own_config when that is there */
  struct aws_config *own_config;   /* read again after a failure */
  struct transport *transport;
  const struct clock *clock;
  char *option_profile; /* as given; NULL */
  char *option_region;
  char *endpoint_url;
  char *settings_profile; /* "" for none */
  char *region;           /* NULL */
  char *region_source;    /* "" */
  struct source *source;  /* NULL when the choice failed */
  struct err choice_err;
  char *choice_notice;         /* what a person should know about the choice; NULL */
  int64_t skew_ms;             /* server minus us; 0 unless it matters */
  struct source *region_probe; /* asks the instance metadata for the Region; NULL */
  bool region_settled;
  bool started;
  bool watching;
  int64_t watch_next_ms; /* monotonic */
  uint64_t watch_stamp;
  struct login_device_flow *device;
};

/* Choose profile, Region and source anew; the Region stays when it is known. */
void login_choose(struct login *l);
/* The files again, for keys that somebody may have put there since. */
void login_reread(struct login *l);
/* Endpoint of a service for a provider: like endpoint_resolve, with the login's own options. */
struct err login_endpoint(const struct login *l, enum aws_service service, const char *profile, const char *region,
                          struct endpoint *out) ERR_MUST_CHECK;

/* The providers. Each checks what its profile says; ERR_CONFIG or ERR_CREDENTIALS when that cannot work. */
struct err source_environment(struct login *l, struct source **out) ERR_MUST_CHECK;
bool source_environment_there(const struct login *l);
struct err source_static(struct login *l, enum aws_config_file file, const char *profile,
                         struct source **out) ERR_MUST_CHECK;
/* Assume role with the keys of take_base. */
struct err source_role(struct login *l, const char *profile, struct source *take_base,
                       struct source **out) ERR_MUST_CHECK;
const char *role_mfa_serial(const struct source *s);
void role_give_mfa(struct source *s, const char *code);
/* profile NULL: by the environment variables. */
struct err source_web_identity(struct login *l, const char *profile, struct source **out) ERR_MUST_CHECK;
struct err source_sso(struct login *l, const char *profile, struct source **out) ERR_MUST_CHECK;
struct err source_console_login(struct login *l, const char *profile, struct source **out) ERR_MUST_CHECK;
struct err console_proof(const struct secret *pem, const char *url, int64_t now_seconds,
                         struct secret *out) ERR_MUST_CHECK;
struct err source_process(struct login *l, const char *profile, struct source **out) ERR_MUST_CHECK;
struct err process_read_output(const char *text, size_t len, struct credentials *out) ERR_MUST_CHECK;
struct err source_container(struct login *l, struct source **out) ERR_MUST_CHECK;
bool source_container_there(const struct login *l);
struct err source_instance(struct login *l, struct source **out) ERR_MUST_CHECK;
bool source_instance_allowed(const struct login *l);
/* Asks the instance metadata for the Region alone; sets it in the login, and region_settled in any case. */
struct source *source_instance_region(struct login *l);

/* What providers share. An answer's error as the login's: kind as given unless it was the network or the service that failed (those keep
 * theirs); code, status and request id stay. message NULL: the service's own. */
struct err login_answer_error(const struct transport_answer *answer, enum err_kind kind, const char *what,
                              const char *message) ERR_MUST_CHECK;
bool login_is_trouble(enum err_kind kind); /* of the network or the service: not a matter of who we are */
/* Keys out of a JSON object: members by these names; session and expiry may be absent (NULL names too). expiry: ISO 8601. */
struct key_names {
  const char *id, *secret, *token, *expiry, *account;
};
struct cJSON;
struct err login_keys_of_json(const struct cJSON *object, const struct key_names *names,
                              struct credentials *out) ERR_MUST_CHECK;
/* One POST to STS whose answer holds keys. keys NULL: unsigned. The body is wiped by the transport. */
struct secret_text;
struct err sts_send(struct source *s, const char *region, const struct secret_text *body,
                    const struct credentials *keys, const char *what, source_answer_fn *done) ERR_MUST_CHECK;
struct err sts_read_keys(const char *body, size_t len, struct credentials *out) ERR_MUST_CHECK;
/* The Region whose STS is asked: the profile's own, the login's, or the first one of the role's partition. */
const char *sts_region(const struct login *l, const char *profile, const char *role_arn);
struct err sts_check_session_name(const char *profile, const char *name) ERR_MUST_CHECK;
/* "etl" of arn:aws:iam::111122223333:role/team/etl; the account's part of it (caller frees; NULL when there is none). */
const char *arn_last(const char *arn);
char *arn_account(const char *arn);

/* Device-code login. */
struct login_device_flow;
const struct source *device_flow_source(const struct login *l); /* the SSO source in the chain; NULL */
struct login_device_flow *device_flow_new(struct login *l, const struct source *sso);
void device_flow_free(struct login_device_flow *f);
bool device_flow_turn(struct login_device_flow *f); /* true once: a new token was written */
int64_t device_flow_next_ms(const struct login_device_flow *f);
struct login_device device_flow_state(const struct login_device_flow *f);

#endif
