#include "app/app.h"
#include "app/private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app/hook.h"
#include "base/xalloc.h"

#define FRAME_EVERY_MS INT64_C(250) /* for what answers bring; a key is answered at once */
#define WAIT_MAX_MS    INT64_C(60000)
#define WAIT_FDS_MAX   64
#define CONNECTIONS    18 /* to one host, unless the options say otherwise */

int64_t app_wall_ms(const struct app *app)
{
  return clock_wall_ms(app->clock);
}

int64_t app_mono_ms(const struct app *app)
{
  return clock_mono_ms(app->clock);
}

struct poller_now app_now(const struct app *app)
{
  return (struct poller_now){
      .wall_ms = app_wall_ms(app), .mono_ms = app_mono_ms(app), .logins = app->logins, .looked_at = !app->looked_away};
}

static struct err wake_open(int fds[2])
{
  if (pipe(fds) != 0)
    return err_errno(ERR_IO, "cannot make a pipe");
  for (int i = 0; i < 2; i++) {
    fcntl(fds[i], F_SETFD, FD_CLOEXEC);
    fcntl(fds[i], F_SETFL, O_NONBLOCK);
  }
  return err_ok();
}

static void wake_drain(int fd)
{
  char bytes[64];
  while (read(fd, bytes, sizeof bytes) > 0)
    continue;
}

void app_wake(struct app *app)
{
  int saved = errno;
  ssize_t written = write(app->wake_fds[1], "", 1); /* a full pipe wakes as well */
  (void)written;
  errno = saved;
}

struct err app_new(const struct app_options *options, struct app **out)
{
  struct app *app = xcalloc(1, sizeof *app);
  app->options = *options;
  app->options.contexts = NULL;
  app->endpoint_url = xstrdup(options->endpoint_url);
  app->clock = options->clock;
  app->wake_fds[0] = app->wake_fds[1] = -1;
  app->rates_next_ms = INT64_MAX;
  app->rates_alone_mono_ms = INT64_MIN;
  app->model = model_new();
  intents_init(&app->intents);
  wants_init(&app->wants);
  struct poller_options poll = {.max_pages = options->max_pages,
                                .refresh_seconds = options->refresh_seconds,
                                .max_requests_per_second = options->max_requests_per_second,
                                .seed = (uint64_t)app_wall_ms(app)};
  app->poller = poller_new(&poll);
  app->history = history_open(options->store_path);
  struct err e = wake_open(app->wake_fds);
  if (!err_is(&e))
    e = aws_config_load(NULL, NULL, &app->config);
  if (!err_is(&e)) {
    /* One transport serves all contexts: the first one's profile says whom to trust. */
    const char *profile = options->context_count > 0 ? options->contexts[0].profile : NULL;
    struct transport_options t = {.ca_bundle = aws_config_ca_bundle(app->config, profile),
                                  .connections_per_host =
                                      options->connections > 0 ? options->connections : CONNECTIONS};
    e = transport_new(&t, app->clock, &app->transport);
  }
  if (!err_is(&e))
    e = hook_new(options->notify_command, &app->hook);
  for (size_t i = 0; i < options->context_count && !err_is(&e); i++)
    e = contexts_open(app, &options->contexts[i]);
  if (!err_is(&e))
    contexts_tell_choices(app);
  if (err_is(&e)) {
    app_free(app);
    app = NULL;
  }
  *out = app;
  return e;
}

void app_free(struct app *app)
{
  if (app == NULL)
    return;
  asks_free(app);
  rates_free(app);
  writes_free(app);
  contexts_free(app); /* logins end before the transport they use */
  if (app->transport != NULL)
    transport_free(app->transport);
  if (app->config != NULL)
    aws_config_free(app->config);
  hook_free(app->hook);
  poller_free(app->poller);
  history_close(app->history);
  model_free(app->model);
  intents_fini(&app->intents);
  wants_fini(&app->wants);
  for (int i = 0; i < 2; i++)
    if (app->wake_fds[i] >= 0)
      close(app->wake_fds[i]);
  free(app->endpoint_url);
  free(app);
}

const struct model *app_model(const struct app *app)
{
  return app->model;
}

void app_add_problem(struct app *app, const struct err *e)
{
  model_add_problem(app->model, -1, e, app_wall_ms(app));
}

bool app_writes_under_way(const struct app *app)
{
  return app->writes != NULL;
}

void app_count_requests(const struct app *app, uint64_t *sent, uint64_t *throttled)
{
  *sent = *throttled = 0;
  for (size_t i = 0; i < app->model->place_count; i++) {
    const struct budget *b = poller_budget(app->poller, (int)i);
    *sent += b != NULL ? b->sent : 0;
    *throttled += b != NULL ? b->throttled : 0;
  }
}

/* --- a turn of the loop ---------------------------------------------------------------------------------------------- */

static void turn_intents(struct app *app)
{
  for (size_t i = 0; i < app->intents.count; i++) {
    struct intent *in = &app->intents.items[i];
    switch (in->kind) {
    case INTENT_NONE:
      break;
    case INTENT_QUIT:
      app->quit = true;
      break;
    case INTENT_REFRESH:
      poller_refresh(app->poller, app->model, &app->wants);
      rates_refresh(app);
      break;
    case INTENT_START_RUN:
    case INTENT_STOP_RUNS:
      writes_begin(app, in);
      break;
    case INTENT_LOGIN_RETRY:
    case INTENT_LOGIN_DEVICE:
    case INTENT_GIVE_MFA:
    case INTENT_OPEN_CONTEXT:
    case INTENT_SWITCH_CONTEXT:
    case INTENT_CLOSE_CONTEXT:
      contexts_intent(app, in);
      break;
    case INTENT_SEEN:
      model_see_notices(app->model, in->workers < 0 ? UINT64_MAX : (uint64_t)in->workers);
      break;
    case INTENT_BUDGET:
      model_add_notice(app->model, &(struct notice){.kind = NOTICE_BUDGET,
                                                    .place = -1,
                                                    .context = -1,
                                                    .text = strpool_put(app->model->strings, in->text),
                                                    .at_ms = app_wall_ms(app),
                                                    .seen_ms = app_wall_ms(app)});
      break;
    case INTENT_FOCUS:
      app->looked_away = in->text != NULL && strcmp(in->text, "out") == 0;
      break;
    }
  }
  intents_clear(&app->intents);
}

/* The transport makes good by itself what it can: the budget learns of every try all the same, at the place where it was made. */
static void turn_retries(struct app *app)
{
  for (size_t i = 0; i < app->context_count; i++) {
    struct app_context *ac = &app->contexts[i];
    struct transport_tally now = *ac->tally;
    poller_retried(app->poller, app->model->contexts[i].place, now.retries - ac->counted.retries,
                   now.throttled - ac->counted.throttled, app_mono_ms(app));
    ac->counted = now;
  }
}

/* Jobs that only a want names must have a row, or nobody could ask for them. */
static void turn_wants(struct app *app)
{
  wants_clear(&app->wants);
  if (app->ops->wants != NULL)
    app->ops->wants(app->front, &app->wants);
  for (size_t i = 0; i < app->wants.count; i++) {
    const struct want *w = &app->wants.items[i];
    for (size_t c = 0; w->job != 0 && c < app->model->context_count; c++) {
      const struct context *context = &app->model->contexts[c];
      if (!context->closed && (w->context < 0 || (size_t)w->context == c) &&
          model_job(app->model, context->place, w->job) == NULL)
        model_touch_job(app->model, context->place, model_str(app->model, w->job));
    }
  }
}

/* Something has changed that nobody pressed a key for. */
static bool frame_is_stale(const struct app *app)
{
  return app->model->generation != app->framed_generation || app->quiet != app->framed_quiet;
}

static bool frame_is_due(const struct app *app, int64_t mono_ms)
{
  if (!app->framed || app->had_input)
    return true;
  if (app->ops->next_frame_ms != NULL && app->ops->next_frame_ms(app->front) <= mono_ms)
    return true;
  if (!frame_is_stale(app))
    return false;
  /* A command waits for the first moment of quiet, and a test's clock stands still: those are told at once. */
  bool at_once = app->clock->manual || (app->quiet && !app->was_quiet);
  return at_once || mono_ms - app->frame_mono_ms >= FRAME_EVERY_MS;
}

static void turn_frame(struct app *app)
{
  int64_t mono = app_mono_ms(app);
  if (!frame_is_due(app, mono))
    return;
  app->framed_generation = app->model->generation;
  app->framed_quiet = app->quiet;
  app->was_quiet = app->was_quiet || app->quiet;
  app->framed = true;
  app->had_input = false;
  app->frame_mono_ms = mono;
  app->ready_owed = true;
  if (app->ops->frame != NULL)
    app->ops->frame(app->front, app->model, app_wall_ms(app), app->quiet);
}

static int64_t earlier(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Monotonic ms of the next timer of any kind; INT64_MAX: none. */
static int64_t next_timer_ms(const struct app *app)
{
  int64_t next = transport_next_turn_ms(app->transport);
  next = earlier(next, contexts_next_ms(app));
  next = earlier(next, poller_next_ms(app->poller));
  next = earlier(next, rates_next_ms(app));
  next = earlier(next, writes_next_ms(app));
  next = earlier(next, keep_next_ms(app));
  next = earlier(next, hook_next_ms(app->hook));
  if (app->ops->next_frame_ms != NULL)
    next = earlier(next, app->ops->next_frame_ms(app->front));
  if (app->framed && frame_is_stale(app))
    next = earlier(next, app->frame_mono_ms + FRAME_EVERY_MS);
  return next;
}

struct wait_set {
  struct transport_fd fds[WAIT_FDS_MAX];
  unsigned count;
  int front, test; /* where they stand; -1: not there */
};

static void wait_set_fill(struct app *app, struct wait_set *s)
{
  s->count = 0;
  s->front = s->test = -1;
  s->fds[s->count++] = (struct transport_fd){.fd = app->wake_fds[0], .events = POLLIN};
  int front = app->ops->fd == NULL ? -1 : app->ops->fd(app->front);
  if (front >= 0) {
    s->front = (int)s->count;
    s->fds[s->count++] = (struct transport_fd){.fd = front, .events = POLLIN};
  }
  if (app->options.test_fd >= 0 && !app->test_closed) {
    s->test = (int)s->count;
    s->fds[s->count++] = (struct transport_fd){.fd = app->options.test_fd, .events = POLLIN};
  }
  for (size_t i = 0; i < app->context_count && s->count < WAIT_FDS_MAX; i++)
    if (app->contexts[i].login != NULL)
      s->count += login_fds(app->contexts[i].login, s->fds + s->count, WAIT_FDS_MAX - s->count);
  s->count += hook_fds(app->hook, s->fds + s->count, WAIT_FDS_MAX - s->count);
}

/* Waits for news; tells whether the front's descriptor has some. */
static struct err turn_wait(struct app *app, bool *front_ready)
{
  struct wait_set s;
  wait_set_fill(app, &s);
  int64_t now = app_mono_ms(app);
  int64_t next = next_timer_ms(app);
  int64_t timeout = next <= now ? 0 : WAIT_MAX_MS;
  if (next > now && next != INT64_MAX && !app->clock->manual && next - now < timeout)
    timeout = next - now;
  if (app->clock->manual && timeout > 0 && transport_in_flight(app->transport) > 0)
    timeout = 100; /* libcurl has timers of its own, which know nothing of a clock that stands still */
  struct err e = transport_wait(app->transport, s.fds, s.count, timeout);
  *front_ready = false;
  if (err_is(&e))
    return e;
  if (s.fds[0].revents != 0)
    wake_drain(app->wake_fds[0]);
  if (s.front >= 0 && s.fds[s.front].revents != 0)
    *front_ready = true;
  if (s.test >= 0 && s.fds[s.test].revents != 0)
    readiness_read(app);
  return e;
}

static bool front_done(const struct app *app)
{
  return app->quit || (app->ops->done != NULL && app->ops->done(app->front));
}

static void turn(struct app *app, bool front_ready)
{
  if (app->ops->input != NULL)
    app->ops->input(app->front, front_ready, &app->intents);
  app->had_input = app->had_input || front_ready || app->intents.count > 0;
  turn_intents(app);
  turn_wants(app);
  transport_turn(app->transport);
  turn_retries(app);
  contexts_turn(app);
  writes_turn(app);
  keep_turn(app);
  asks_turn(app);
  rates_turn(app);
  watch_turn(app);
  hook_turn(app->hook, app->model, app_mono_ms(app), app_wall_ms(app));
  struct poller_now now = app_now(app);
  app->quiet = poller_quiet(app->poller, app->model, &now) && app->writes == NULL &&
               !history_is_painting(app->history) && rates_quiet(app);
  turn_frame(app);
  bool at_rest = !transport_busy(app->transport) && !contexts_working(app) && next_timer_ms(app) > app_mono_ms(app) &&
                 app->framed_generation == app->model->generation;
  readiness_tell(app, at_rest);
}

struct err app_run(struct app *app, const struct front_ops *ops, void *front)
{
  app->ops = ops;
  app->front = front;
  app->framed = app->was_quiet = false;
  app->quit = false;
  app->ready_owed = true;
  struct err e = ops->open == NULL ? err_ok() : ops->open(front, app);
  bool front_ready = false;
  while (!err_is(&e)) {
    turn(app, front_ready);
    if (front_done(app))
      break;
    e = turn_wait(app, &front_ready);
  }
  if (ops->close != NULL)
    ops->close(front);
  rates_end(app);
  keep_end(app);
  app->ops = NULL;
  return e;
}
