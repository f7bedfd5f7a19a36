/* Prices and quotas: what is asked once a day, behind everything that somebody looks at.
 *
 * The Price List is asked for each Region, Service Quotas for each place; answers and refusals are kept in the store with their date, so that
 * the next start does not ask again the same day. Nothing of it is needed: without an answer the built-in prices and the default quotas hold,
 * and the prices view and the collisions board say why. So a failure is no problem of the account, no command fails for it, and none waits
 * for it longer than RATES_PATIENCE_MS. */
#include "app/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "aws/errors.h"
#include "aws/pricing.h"
#include "aws/quotas.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "sync/daily.h"

#define RATES_PATIENCE_MS (3 * WHEN_SECOND)
#define RATES_PAGES_MAX   20 /* there is one */

enum rate_kind { RATE_PRICES, RATE_QUOTAS, RATE_KIND_COUNT };

/* A reading that is under way. */
struct rate_call {
  struct rate_call *next;
  struct app *app;
  enum rate_kind kind;
  int context, place;
  uint32_t context_epoch, place_epoch;
  uint64_t transport_id;
  int64_t began_mono_ms;
  int pages;
  char *token;          /* of the page that is asked for; NULL: the first */
  char *url, *region;   /* whose prices */
  struct arena *arenas; /* of the pages so far: the offers' strings live there */
  size_t arena_count;
  struct price_offer *offers;
  size_t offer_count, offer_cap;
  double quotas[QUOTA_KIND_COUNT];
};

static const char *rate_word(enum rate_kind kind)
{
  return kind == RATE_PRICES ? "prices" : "quotas";
}

static void rate_call_free(struct rate_call *c)
{
  for (size_t i = 0; i < c->arena_count; i++)
    arena_fini(&c->arenas[i]);
  free(c->arenas);
  free(c->offers);
  free(c->token);
  free(c->url);
  free(c->region);
  free(c);
}

static void rate_call_unlink(struct rate_call *c)
{
  struct rate_call **at = &c->app->rate_calls;
  while (*at != c)
    at = &(*at)->next;
  *at = c->next;
}

static struct freshness *rate_freshness(struct app *app, int place, enum rate_kind kind)
{
  struct place *p = &app->model->places[place];
  return kind == RATE_PRICES ? &p->prices_fresh : &p->quotas_fresh;
}

/* The context that asks for a place; -1: no login is ready. */
static int rate_context(const struct app *app, int place)
{
  const struct model *m = app->model;
  for (size_t i = 0; i < app->context_count; i++)
    if (m->contexts[i].place == place && !m->contexts[i].closed && app->logins[i] == POLLER_LOGIN_READY &&
        app->contexts[i].target_ready)
      return (int)i;
  return -1;
}

static struct rate_place *rate_place(struct app *app, int place)
{
  if ((size_t)place >= app->rate_place_count) {
    size_t count = (size_t)place + 1;
    app->rate_places = xreallocarray(app->rate_places, count, sizeof *app->rate_places);
    for (; app->rate_place_count < count; app->rate_place_count++)
      app->rate_places[app->rate_place_count] = (struct rate_place){.waiting_mono_ms = INT64_MIN};
  }
  struct rate_place *rp = &app->rate_places[place];
  if (rp->epoch != app->model->places[place].epoch)
    *rp = (struct rate_place){.epoch = app->model->places[place].epoch, .waiting_mono_ms = INT64_MIN};
  return rp;
}

/* --- the store ------------------------------------------------------------------------------------------------------- */

/* NULL: not to be kept, since nobody knows whose it is. Freed by the caller. */
static char *rate_key(const struct app *app, int context, int place, enum rate_kind kind)
{
  const struct place *p = &app->model->places[place];
  if (kind == RATE_PRICES)
    return xasprintf("prices\n%s\n%s", app->contexts[context].target.pricing.url, p->region);
  if (!app->model->contexts[context].confirmed || p->account[0] == '\0')
    return NULL;
  return xasprintf("quotas\n%s\n%s\n%s\n%s", p->partition, p->account, p->region, p->endpoint);
}

static void rate_remember(struct app *app, int context, int place, enum rate_kind kind, const struct price_list *list)
{
  char *key = rate_key(app, context, place, kind);
  struct buf data;
  buf_init(&data, DAILY_BYTES_MAX);
  if (kind == RATE_PRICES)
    daily_pack_prices(&data, &app->model->places[place].prices_fresh, list);
  else
    daily_pack_quotas(&data, &app->model->places[place].quotas_fresh, app->model->places[place].quotas);
  if (key != NULL)
    history_remember_daily(app->history, key, &data);
  buf_fini(&data);
  free(key);
}

/* What the last start was told. False: it cannot be looked up yet. */
static bool rate_recall(struct app *app, int context, int place, enum rate_kind kind)
{
  struct place *p = &app->model->places[place];
  struct freshness *f = rate_freshness(app, place, kind);
  char *key = rate_key(app, context, place, kind);
  struct price_list list = {.count = 0};
  struct buf data;
  buf_init(&data, DAILY_BYTES_MAX);
  bool known = key != NULL && f->tried_ms == WHEN_NONE && history_daily(app->history, key, &data);
  if (known && kind == RATE_PRICES)
    known = daily_unpack_prices(data.data, data.len, f, &list);
  else if (known)
    known = daily_unpack_quotas(data.data, data.len, f, p->quotas);
  bool absurd = false; /* nobody but us writes there, and yet it is a file */
  for (size_t i = 0; i < list.count; i++)
    absurd = absurd ||
             !price_is_plausible(p->region, list.rows[i].item, list.rows[i].generation, list.rows[i].nano_per_hour);
  if (absurd) {
    freshness_fini(f);
    freshness_init(f);
    known = false;
  }
  if (known && list.count > 0)
    price_list_apply(&list, app->options.prices, p->region);
  if (known)
    model_touch(app->model);
  bool looked = key != NULL;
  buf_fini(&data);
  free(key);
  return looked;
}

/* --- answers --------------------------------------------------------------------------------------------------------- */

static bool same_list(struct app *app, int place, const char *url, const char *region)
{
  int context = rate_context(app, place);
  return context >= 0 && strcmp(app->model->places[place].region, region) == 0 &&
         app->contexts[context].target.pricing.url != NULL &&
         strcmp(app->contexts[context].target.pricing.url, url) == 0;
}

static void rate_settle(struct app *app, int context, int place, enum rate_kind kind, const struct err *why,
                        const struct price_list *list)
{
  struct freshness *f = rate_freshness(app, place, kind);
  int64_t now = app_wall_ms(app);
  if (err_is(why)) {
    freshness_bad(f, err_copy(why), now, WHEN_NONE);
    f->next_try_ms = daily_due_ms(f, now);
  } else {
    freshness_good(f, now, true);
    f->next_try_ms = now + WHEN_DAY;
  }
  rate_place(app, place)->forced[kind] = false;
  if (app->contexts[context].target_ready)
    rate_remember(app, context, place, kind, list);
  model_touch(app->model);
}

static void prices_settle(struct rate_call *c, const struct err *why, struct price_list *list)
{
  struct app *app = c->app;
  if (err_is(why)) /* what was said before still holds, and is kept beside the failure */
    price_list_of_table(app->options.prices, c->region, list);
  else
    price_list_apply(list, app->options.prices, c->region);
  /* Prices are public: what one login was told holds for all that ask the same list. A refusal is the login's own. */
  for (size_t p = 0; p < app->model->place_count; p++)
    if ((int)p == c->place ? app->model->places[p].epoch == c->place_epoch
                           : !err_is(why) && same_list(app, (int)p, c->url, c->region))
      rate_settle(app, (int)p == c->place ? c->context : rate_context(app, (int)p), (int)p, RATE_PRICES, why, list);
}

static void rate_end(struct rate_call *c, const struct err *why)
{
  struct app *app = c->app;
  struct err e = err_copy(why);
  struct price_list list = {.count = 0};
  if (err_is(&e) && errors_is_unsupported(&e)) {
    err_fini(&e);
    e = err_new(ERR_NOT_FOUND, "the endpoint does not know %s",
                c->kind == RATE_PRICES ? "the Price List" : "Service Quotas");
  }
  if (!err_is(&e) && c->kind == RATE_PRICES)
    e = price_list_choose(c->offers, c->offer_count, c->region, app_wall_ms(app), &list);
  if (err_is(&e))
    log_write(LOG_INFO, "%s of %s: %s", rate_word(c->kind), c->region, err_message(&e));
  if (c->kind == RATE_PRICES) {
    prices_settle(c, &e, &list);
  } else {
    if (!err_is(&e))
      memcpy(app->model->places[c->place].quotas, c->quotas, sizeof c->quotas);
    rate_settle(app, c->context, c->place, RATE_QUOTAS, &e, NULL);
  }
  err_fini(&e);
  rate_call_free(c);
}

static void take_offers(struct rate_call *c, const struct glue_reply *reply)
{
  const struct pricing_page *page = reply->prices;
  c->offers = xgrow(c->offers, &c->offer_cap, c->offer_count + page->count + 1, sizeof *c->offers);
  if (page->count > 0)
    memcpy(c->offers + c->offer_count, page->offers, page->count * sizeof *c->offers);
  c->offer_count += page->count;
  c->arenas = xreallocarray(c->arenas, c->arena_count + 1, sizeof *c->arenas);
  c->arenas[c->arena_count++] = *reply->arena;
  arena_init(reply->arena);
}

static struct err take_quotas(struct rate_call *c, const struct quotas_page *page)
{
  for (int i = 0; i < QUOTA_KIND_COUNT; i++) {
    if (isnan(page->values[i]))
      continue;
    if (!isnan(c->quotas[i]) && c->quotas[i] != page->values[i])
      return err_new(ERR_PARSE, "Service Quotas has two values for \"%s\": nothing of it is used",
                     quota_info((enum quota_kind)i)->name);
    c->quotas[i] = page->values[i];
  }
  return page->refused == NULL ? err_ok() : err_new(ERR_PARSE, "%s", page->refused);
}

/* The page is taken; *next_token: where the next begins, in memory of its own, or NULL. */
static struct err take_page(struct rate_call *c, const struct glue_reply *reply, char **next_token)
{
  struct err e = err_ok();
  const char *token = c->kind == RATE_PRICES ? reply->prices->next_token : reply->quotas->next_token;
  *next_token = xstrdup(token);
  c->pages++;
  if (c->kind == RATE_QUOTAS)
    e = take_quotas(c, reply->quotas);
  else if (reply->prices->unreadable > 0)
    e = err_new(ERR_PARSE, "%zu products of the price list cannot be read: nothing of it is used",
                reply->prices->unreadable);
  else
    take_offers(c, reply);
  if (!err_is(&e) && *next_token != NULL &&
      (c->pages == RATES_PAGES_MAX || (c->token != NULL && strcmp(c->token, *next_token) == 0)))
    e = err_new(ERR_PARSE, "the list of %s has no end: nothing of it is used", rate_word(c->kind));
  return e;
}

static void rate_send(struct rate_call *c);

static void rate_done(void *user, const struct glue_reply *reply)
{
  struct rate_call *c = user;
  struct app *app = c->app;
  const struct model *m = app->model;
  char *next_token = NULL;
  if (m->contexts[c->context].epoch != c->context_epoch ||
      (c->kind == RATE_QUOTAS &&
       (m->places[c->place].epoch != c->place_epoch || m->contexts[c->context].place != c->place))) {
    rate_call_unlink(c); /* of a login or an account that is over */
    rate_freshness(app, c->place, c->kind)->in_flight = false;
    rate_call_free(c);
    return;
  }
  struct err e = err_is(&reply->err) ? err_copy(&reply->err) : take_page(c, reply, &next_token);
  if (!err_is(&e) && next_token != NULL) {
    free(c->token);
    c->token = next_token;
    rate_send(c);
    return;
  }
  rate_call_unlink(c);
  rate_end(c, &e);
  err_fini(&e);
  free(next_token);
}

/* --- asking ---------------------------------------------------------------------------------------------------------- */

static void rate_send(struct rate_call *c)
{
  const struct aws_target *t = &c->app->contexts[c->context].target;
  c->transport_id = c->kind == RATE_PRICES ? pricing_get_products(t, c->region, c->token, rate_done, c)
                                           : quotas_list(t, c->token, rate_done, c);
}

static void rate_begin(struct app *app, int context, int place, enum rate_kind kind)
{
  const struct aws_target *t = &app->contexts[context].target;
  struct rate_call *c = xcalloc(1, sizeof *c);
  c->app = app;
  c->kind = kind;
  c->context = context;
  c->place = place;
  c->context_epoch = app->model->contexts[context].epoch;
  c->place_epoch = app->model->places[place].epoch;
  c->began_mono_ms = app_mono_ms(app);
  c->url = xstrdup(kind == RATE_PRICES ? t->pricing.url : t->quotas.url);
  c->region = xstrdup(app->model->places[place].region);
  for (int i = 0; i < QUOTA_KIND_COUNT; i++)
    c->quotas[i] = (double)NAN;
  c->next = app->rate_calls;
  app->rate_calls = c;
  rate_freshness(app, place, kind)->in_flight = true;
  rate_send(c);
}

static bool rate_under_way(const struct app *app, int context, int place, enum rate_kind kind)
{
  const char *url = app->contexts[context].target.pricing.url;
  for (const struct rate_call *c = app->rate_calls; c != NULL; c = c->next)
    if (c->kind == kind && (c->place == place || (kind == RATE_PRICES && strcmp(c->url, url) == 0 &&
                                                  strcmp(c->region, app->model->places[place].region) == 0)))
      return true;
  return false;
}

/* Another place has been told already. */
static void rate_adopt(struct app *app, int context, int place)
{
  struct freshness *f = &app->model->places[place].prices_fresh;
  for (size_t p = 0; f->tried_ms == WHEN_NONE && p < app->model->place_count; p++) {
    const struct freshness *known = &app->model->places[p].prices_fresh;
    if ((int)p != place && known->fetched_ms != WHEN_NONE &&
        same_list(app, (int)p, app->contexts[context].target.pricing.url, app->model->places[place].region))
      freshness_good(f, known->fetched_ms, true);
  }
}

/* Where it is asked. False: nowhere, which is told like an answer. */
static bool rate_endpoint(struct app *app, int context, int place, enum rate_kind kind)
{
  struct aws_target *t = &app->contexts[context].target;
  struct endpoint *at = kind == RATE_PRICES ? &t->pricing : &t->quotas;
  struct freshness *f = rate_freshness(app, place, kind);
  if (at->url != NULL)
    return true;
  if (daily_due_ms(f, app_wall_ms(app)) > app_wall_ms(app))
    return false;
  struct err e = contexts_endpoint(app, context, kind == RATE_PRICES ? AWS_PRICING : AWS_QUOTAS, at);
  bool good = !err_is(&e);
  if (!good) {
    freshness_bad(f, err_copy(&e), app_wall_ms(app), app_wall_ms(app) + WHEN_DAY);
    model_touch(app->model);
  }
  err_fini(&e);
  return good;
}

/* Rows of another account must not come under this one's name: STS is heard first, or has failed. */
static bool rate_knows_account(const struct app *app, int context)
{
  const struct context *c = &app->model->contexts[context];
  return c->confirmed || c->identity_fresh.tried_ms != WHEN_NONE;
}

/* What was kept holds for whoever shows money; asking is for those who want it. */
static void rate_consider(struct app *app, int place, enum rate_kind kind, bool wanted)
{
  int context = rate_context(app, place);
  struct rate_place *rp = rate_place(app, place);
  if (context < 0 || !rate_endpoint(app, context, place, kind) || rate_under_way(app, context, place, kind) ||
      (kind == RATE_QUOTAS && !rate_knows_account(app, context)))
    return;
  if (!rp->recalled[kind])
    rp->recalled[kind] = rate_recall(app, context, place, kind);
  if (kind == RATE_PRICES)
    rate_adopt(app, context, place);
  if (!wanted)
    return;
  const struct freshness *f = rate_freshness(app, place, kind);
  struct poller_now now = app_now(app);
  int64_t due = daily_due_ms(f, now.wall_ms);
  bool by_hand = app->options.refresh_seconds == 0 && f->tried_ms != WHEN_NONE;
  if (!rp->forced[kind] && (by_hand || due > now.wall_ms)) {
    if (!by_hand && now.mono_ms + (due - now.wall_ms) < app->rates_next_ms)
      app->rates_next_ms = now.mono_ms + (due - now.wall_ms);
    return;
  }
  if (rp->waiting_mono_ms == INT64_MIN)
    rp->waiting_mono_ms = now.mono_ms;
  bool waited = now.mono_ms - rp->waiting_mono_ms >= WHEN_MINUTE;
  int64_t again = INT64_MAX;
  if (!poller_take_spare(app->poller, app->model, place, &now, waited, &again)) {
    app->rates_pending = true;
    if (again > rp->waiting_mono_ms + WHEN_MINUTE && !waited)
      again = rp->waiting_mono_ms + WHEN_MINUTE;
    app->rates_next_ms = again < app->rates_next_ms ? again : app->rates_next_ms;
    return;
  }
  rp->waiting_mono_ms = INT64_MIN;
  rate_begin(app, context, place, kind);
}

static bool rate_allowed(const struct app *app, enum rate_kind kind)
{
  return kind == RATE_PRICES ? app->options.prices != NULL : !app->options.no_quotas;
}

static bool rate_wanted(const struct app *app, int place, enum rate_kind kind, bool on_screen)
{
  enum want_kind want = kind == RATE_PRICES ? WANT_PRICES : WANT_QUOTAS;
  for (size_t i = 0; i < app->wants.count; i++) {
    const struct want *w = &app->wants.items[i];
    if (w->kind == want && (!on_screen || w->urgency == WANT_ON_SCREEN) &&
        (w->context < 0 || app->model->contexts[w->context].place == place))
      return true;
  }
  return false;
}

void rates_turn(struct app *app)
{
  struct poller_now now = app_now(app);
  app->rates_pending = false;
  app->rates_next_ms = INT64_MAX;
  if (!poller_quiet(app->poller, app->model, &now))
    app->rates_alone_mono_ms = INT64_MIN;
  else if (app->rates_alone_mono_ms == INT64_MIN)
    app->rates_alone_mono_ms = now.mono_ms;
  for (size_t p = 0; p < app->model->place_count; p++)
    for (int kind = 0; kind < RATE_KIND_COUNT; kind++)
      if (rate_allowed(app, (enum rate_kind)kind))
        rate_consider(app, (int)p, (enum rate_kind)kind, rate_wanted(app, (int)p, (enum rate_kind)kind, false));
  /* whoever waits for them has waited enough then */
  for (const struct rate_call *c = app->rate_calls; c != NULL; c = c->next) {
    int64_t end = c->began_mono_ms + RATES_PATIENCE_MS;
    if (end > now.mono_ms && end < app->rates_next_ms)
      app->rates_next_ms = end;
  }
  int64_t end = app->rates_alone_mono_ms + RATES_PATIENCE_MS;
  if (app->rates_pending && app->rates_alone_mono_ms != INT64_MIN && end > now.mono_ms && end < app->rates_next_ms)
    app->rates_next_ms = end;
}

int64_t rates_next_ms(const struct app *app)
{
  return app->rates_next_ms;
}

bool rates_quiet(const struct app *app)
{
  int64_t alone = app->rates_alone_mono_ms;
  bool quiet = !app->rates_pending || (alone != INT64_MIN && app_mono_ms(app) - alone >= RATES_PATIENCE_MS);
  for (const struct rate_call *c = app->rate_calls; c != NULL; c = c->next)
    quiet = quiet && app_mono_ms(app) - c->began_mono_ms >= RATES_PATIENCE_MS;
  return quiet;
}

void rates_refresh(struct app *app)
{
  for (size_t p = 0; p < app->model->place_count; p++)
    for (int kind = 0; kind < RATE_KIND_COUNT; kind++)
      if (rate_wanted(app, (int)p, (enum rate_kind)kind, true))
        rate_place(app, (int)p)->forced[kind] = true;
}

void rates_tell(const struct app *app, int place, struct polling_place *out)
{
  static const char *const operations[RATE_KIND_COUNT] = {"GetProducts", "ListServiceQuotas"};
  const struct place *p = &app->model->places[place];
  for (int kind = 0; kind < RATE_KIND_COUNT && out->row_count < POLLING_ROWS_MAX; kind++) {
    const struct freshness *f = kind == RATE_PRICES ? &p->prices_fresh : &p->quotas_fresh;
    if (rate_allowed(app, (enum rate_kind)kind) && (f->in_flight || f->tried_ms != WHEN_NONE))
      out->rows[out->row_count++] = (struct polling_row){.what = operations[kind],
                                                         .why = "once a day",
                                                         .in_flight = f->in_flight,
                                                         .due_ms = daily_due_ms(f, app_wall_ms(app)),
                                                         .fetched_ms = f->fetched_ms,
                                                         .failing = err_is(&f->last_err)};
  }
}

void rates_drop_context(struct app *app, int context)
{
  struct rate_call **at = &app->rate_calls;
  while (*at != NULL) {
    struct rate_call *c = *at;
    if (c->context != context) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    transport_cancel(app->transport, c->transport_id);
    rate_freshness(app, c->place, c->kind)->in_flight = false;
    rate_call_free(c);
  }
}

void rates_end(struct app *app)
{
  /* A service that cannot be reached from here would hold up every command a little: this one's failure is kept like any other. */
  struct rate_call *c = app->rate_calls;
  while (c != NULL) {
    struct rate_call *next = c->next;
    if (app_mono_ms(app) - c->began_mono_ms >= RATES_PATIENCE_MS && app->contexts[c->context].login != NULL &&
        app->model->contexts[c->context].epoch == c->context_epoch &&
        app->model->places[c->place].epoch == c->place_epoch) {
      struct err e =
          err_new(ERR_TIMEOUT, "no answer from %s within %d s", c->url, (int)(RATES_PATIENCE_MS / WHEN_SECOND));
      rate_call_unlink(c);
      transport_cancel(app->transport, c->transport_id);
      rate_end(c, &e);
      err_fini(&e);
    }
    c = next;
  }
}

void rates_free(struct app *app)
{
  while (app->rate_calls != NULL) {
    struct rate_call *c = app->rate_calls;
    app->rate_calls = c->next;
    transport_cancel(app->transport, c->transport_id);
    rate_call_free(c);
  }
  free(app->rate_places);
  app->rate_places = NULL;
  app->rate_place_count = 0;
}
