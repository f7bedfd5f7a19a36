/* The loop, and the only owner and mutator of the model. One thread; nothing in it blocks but app_wait.
 *
 * A turn: front input · transport · logins · due timers · poller · front frame when the generation changed or the front asks.
 * Front ends (the screen, a command) are known only as struct front_ops. */
#ifndef GLUETOP_APP_APP_H
#define GLUETOP_APP_APP_H

#include <stdbool.h>
#include <stdint.h>
#include "app/intent.h"
#include "base/clock.h"
#include "base/err.h"
#include "model/model.h"
#include "model/price.h"
#include "model/wants.h"

struct app;

/* A context to open, or one that gluetop's own config file describes. */
struct app_context_option {
  const char *name;         /* the person's word for it ("PROD"), shown and typed; NULL: none */
  const char *profile;      /* NULL: by the environment */
  const char *region;       /* NULL: by the environment or the profile */
  const char *endpoint_url; /* NULL: as the app's options say */
  int colour;               /* enum context_colour */
  bool read_only;
};
/* What a person types: NAME of `named`, or PROFILE, either with @REGION behind it (split at the last @, and only before something that
 * looks like a Region). Strings of *out belong to `named` or to *owned, which the caller frees. */
void app_context_read(const char *text, const struct app_context_option *named, size_t named_count,
                      struct app_context_option *out, char **owned);

struct app_options {
  const struct app_context_option *contexts; /* at least one */
  size_t context_count;
  const struct app_context_option *named; /* that may be opened by their name; must outlive the app */
  size_t named_count;
  const char *endpoint_url;       /* --endpoint-url; NULL */
  bool read_only;                 /* writes are refused whatever a front end asks */
  double refresh_seconds;         /* < 0: the built-in rhythm; 0: only by hand */
  double max_requests_per_second; /* 0: no fixed limit */
  int connections;                /* to one host at a time; 0: the usual number */
  int max_pages;                  /* page budget of one reading; 0: 10,000 */
  struct price_table *prices;     /* where answers of the Price List go; NULL: it is not asked. Must outlive the app */
  bool no_quotas;                 /* Service Quotas is not asked */
  const char *store_path;         /* where history is kept; NULL: no store */
  struct clock *clock;            /* shared, owned by main */
  const char *notify_command;     /* told of each notice (app/hook.h); NULL: none */
  int test_fd;                    /* -1; else readiness is written and time is moved here */
};

struct front_ops {
  const char *name;
  /* Called once when the loop begins and once when it ends (on every way out of app_run). */
  struct err (*open)(void *front, struct app *app);
  void (*close)(void *front);
  /* Descriptor to wait on for input; -1: none. */
  int (*fd)(void *front);
  /* Drain what the descriptor has (ready) or look at signals and timers (not ready). Adds intents. */
  void (*input)(void *front, bool ready, struct intents *out);
  /* What the front end needs to know now. Called once a turn, after input. */
  void (*wants)(void *front, struct wants *out);
  /* Show the model. Called when the generation changed, the front asked, or `quiet` changed. quiet: nothing in flight and every want is
   * answered (well or not). A command prints and sets its exit code here when quiet. */
  void (*frame)(void *front, const struct model *model, int64_t now_ms, bool quiet);
  /* Monotonic ms at which frame wants to be called though nothing changed (clocks, ages); INT64_MAX: never. */
  int64_t (*next_frame_ms)(void *front);
  /* True: leave the loop. */
  bool (*done)(void *front);
};

struct err app_new(const struct app_options *options, struct app **out) ERR_MUST_CHECK;
void app_free(struct app *app);
/* Run until the front end is done or a QUIT intent. Returns only errors of the program itself (terminal, poll), never of the service. */
struct err app_run(struct app *app, const struct front_ops *ops, void *front) ERR_MUST_CHECK;
const struct model *app_model(const struct app *app);
void app_add_problem(struct app *app, const struct err *e); /* of no context: something to be read among the messages */
bool app_writes_under_way(const struct app *app);
/* Requests that left for the places of now since the start, and those of them that the service refused for their rate. */
void app_count_requests(const struct app *app, uint64_t *sent, uint64_t *throttled);
/* Signals reach the loop through this (async-signal-safe): the loop wakes and calls input with ready false. */
void app_wake(struct app *app);
/* What the app would ask next, for the Polling view; NULL-safe copy lives in the model from work C on. */

#endif
