/* The screen as a front end of the app: terminal, decoder and shell behind struct front_ops. */
#ifndef GLUETOP_VIEWS_FRONT_H
#define GLUETOP_VIEWS_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "app/app.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/when.h"
#include "model/price.h"

/* Keys of the configuration: an action's name and its keys. */
struct views_key_option {
  const char *action, *keys;
};

struct views_options {
  const struct clock *clock; /* shared, owned by main */
  enum when_zone zone;
  bool ascii; /* also implied by a locale that is not UTF-8 (base/text.h knows) */
  bool no_color;
  bool read_only;
  bool demo;
  const char *theme;                     /* NULL: default */
  const char *view;                      /* -c: to open on; NULL */
  int64_t since_ms, until_ms;            /* INT64_MIN: everything; INT64_MAX: no end */
  const struct price_table *prices;      /* NULL: the built-in ones; must outlive the front */
  const struct board_measures *measures; /* NULL: none; must outlive the front */
  const struct views_key_option *keys;
  size_t key_count;
  bool bell; /* ring when something fails */
  int osc;   /* 9 or 777: a desktop notice of each event, by that control string; else none */
};

struct views_front;
/* ERR_USAGE: no such view or theme; ERR_CONFIG: no such action or key. The terminal is opened by app_run. */
struct err views_front_new(const struct views_options *options, struct views_front **out) ERR_MUST_CHECK;
/* Is there such a theme, such a view to begin with, such an action and such keys? */
struct err views_check_theme(const char *name) ERR_MUST_CHECK;
struct err views_check_view(const char *name) ERR_MUST_CHECK;
struct err views_check_keys(const char *action, const char *keys) ERR_MUST_CHECK;
void views_front_free(struct views_front *front);
extern const struct front_ops views_front_ops;
int views_front_exit_status(const struct views_front *front);

/* doc/keys.md, made from the action table; for --dump-keys. */
char *views_keys_markdown(void);

#endif
