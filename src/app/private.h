/* The app's own state. For this folder only. */
#ifndef GLUETOP_APP_PRIVATE_H
#define GLUETOP_APP_PRIVATE_H

#include "app/app.h"
#include "aws/config.h"
#include "aws/credentials.h"
#include "aws/glue.h"
#include "aws/transport.h"
#include "sync/history.h"
#include "sync/poller.h"

/* Runtime of one context; index as in the model. */
struct app_context {
  struct login *login; /* NULL when closed */
  struct aws_target target;
  struct transport_tally *tally, counted; /* what the transport did by itself; so much the budget knows of */
  bool target_ready;
  char *name, *profile, *region; /* as the person gave them; profile and region may be NULL */
  char *endpoint_url;            /* its own, else the app's; NULL: none */
  bool failure_told, device_failure_told;
  char *login_key; /* what the store knows this login by; NULL: not to be remembered */
  char *key_id;    /* access key id of the keys of now; NULL: none so far */
};

/* An ask that is under way. */
struct call {
  struct call *next;
  struct app *app;
  struct ask ask;
  uint64_t transport_id;
  int64_t sent_wall_ms;
  char *key_id; /* of an identity: the keys whose account is asked for */
};

/* Pages of triggers are collected until the reading ends: half a list must not replace a whole one. */
struct trigger_pile {
  struct arena *arenas;
  size_t arena_count;
  struct trigger_data *items;
  size_t count, cap;
};

enum write_step {
  WRITE_WAITS, /* for STS to confirm the context */
  WRITE_SENT,
  WRITE_LOOKS, /* a start of unknown outcome: GetJobRuns is read until a new run shows, or long enough */
  WRITE_OVER
};

struct write {
  struct write *next;
  struct app *app;
  enum write_step step;
  struct intent intent; /* its texts are taken over */
  int64_t sent_wall_ms; /* when it left, which may be long after the key: a login or a code came between */
  uint64_t transport_id;
  char *key_id; /* of the keys it was signed with: those whose account STS has named */
  bool renewed; /* the service called them expired, once */
  /* stop: the group under way */
  size_t group_from, group_count;
  /* looking */
  int looks;
  int64_t look_mono_ms; /* when to look next */
  strid *known;         /* ids of the job's runs that were known before */
  size_t known_count;
};

/* What a place is told once a day (rates.c): prices, quotas. */
struct rate_call;
struct rate_place {
  uint32_t epoch;
  bool recalled[2];        /* the store was looked up */
  bool forced[2];          /* the person asks now */
  int64_t waiting_mono_ms; /* since when it may not leave; INT64_MIN */
};

struct app {
  struct app_options options;
  char *endpoint_url;
  struct clock *clock;
  struct aws_config *config;
  struct transport *transport;
  struct model *model;
  struct poller *poller;
  struct history *history;
  struct hook *hook;        /* NULL: none */
  uint64_t kept_generation; /* of the model, when the store was last brought up to it */
  int64_t keep_mono_ms;     /* when to write next */
  int64_t polling_mono_ms;  /* when `polling` was written */
  int64_t limits_mono_ms;   /* when runs were last held against their timeouts */
  struct app_context *contexts;
  size_t context_count;
  enum poller_login *logins;
  struct trigger_pile *piles; /* by place */
  size_t pile_count;
  struct call *calls;
  struct write *writes;
  struct rate_call *rate_calls;
  struct rate_place *rate_places;
  size_t rate_place_count;
  int64_t rates_next_ms;
  bool rates_pending;          /* something will be asked soon */
  int64_t rates_alone_mono_ms; /* since when everything else is answered; INT64_MIN: it is not */
  struct intents intents;
  struct wants wants;
  int wake_fds[2];
  bool quit, looked_away;
  /* the front's frame */
  const struct front_ops *ops;
  void *front;
  uint64_t framed_generation;
  bool framed, framed_quiet, was_quiet, had_input;
  int64_t frame_mono_ms;
  bool quiet;
  /* --test-fd */
  char test_line[32];
  size_t test_len;
  uint64_t test_lines; /* taken so far; told with every "ready", so that a test knows which of its words were heard */
  bool test_closed, ready_owed;
};

int64_t app_wall_ms(const struct app *app);
int64_t app_mono_ms(const struct app *app);
struct poller_now app_now(const struct app *app);

/* contexts.c */
struct err contexts_open(struct app *app, const struct app_context_option *option) ERR_MUST_CHECK;
void contexts_tell_choices(struct app *app); /* what may be opened, into the model */
void contexts_close(struct app *app, int context);
void contexts_free(struct app *app);
const char *contexts_key_id(const struct app *app, int context); /* of the keys of now; "": none */
void contexts_turn(struct app *app);                             /* logins; fills app->logins */
int64_t contexts_next_ms(const struct app *app);
bool contexts_working(const struct app *app);
void contexts_intent(struct app *app, const struct intent *i);

struct err contexts_endpoint(const struct app *app, int context, enum aws_service service,
                             struct endpoint *out) ERR_MUST_CHECK;

/* rates.c: prices and quotas, once a day */
void rates_turn(struct app *app);
int64_t rates_next_ms(const struct app *app);
bool rates_quiet(const struct app *app);                                      /* nobody need wait for them any more */
void rates_refresh(struct app *app);                                          /* those on the screen, now */
void rates_tell(const struct app *app, int place, struct polling_place *out); /* for the Polling view */
void rates_drop_context(struct app *app, int context);
void rates_end(struct app *app); /* the loop ends: what nobody answered is remembered as such */
void rates_free(struct app *app);

/* asks.c */
void asks_turn(struct app *app);
void asks_drop_context(struct app *app, int context); /* cancels what is under way for it */
void asks_free(struct app *app);
void asks_learn_skew(struct app *app, int context, const struct transport_answer *answer);

/* writes.c */
void writes_begin(struct app *app, struct intent *take);
void writes_turn(struct app *app);
int64_t writes_next_ms(const struct app *app);
void writes_drop_context(struct app *app, int context);
void writes_free(struct app *app);

/* keep.c: the store */
void keep_login(struct app *app, int context);    /* a login is ready: paint from where it led the last time */
void keep_identity(struct app *app, int context); /* STS has spoken */
void keep_turn(struct app *app);
int64_t keep_next_ms(const struct app *app);
void keep_end(struct app *app); /* the last write */

/* watch.c: what is written about the asking and about time that passes, once a second at most */
void watch_turn(struct app *app);

/* readiness.c */
bool readiness_read(struct app *app); /* lines "+MS" on the test descriptor; true when time moved */
void readiness_tell(struct app *app, bool at_rest);

#endif
