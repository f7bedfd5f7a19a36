#include "app/hook.h"

#include <stdlib.h>
#include "aws/child.h"
#include "aws/transport.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

/* A pipe takes so much at once nearly everywhere. */
#define HOOK_INPUT_MAX ((size_t)48 * 1024)

struct hook {
  char **words;
  struct child child;
  bool running;
  int64_t deadline_ms;
  uint64_t told; /* number of the notice told last */
};

struct err hook_new(const char *command, struct hook **out)
{
  *out = NULL;
  if (command == NULL)
    return err_ok();
  char **words = NULL;
  struct err e = child_words(command, &words);
  if (err_is(&e)) {
    err_set_what(&e, "the command of [notify]");
    return e;
  }
  struct hook *h = xcalloc(1, sizeof *h);
  h->words = words;
  child_init(&h->child);
  *out = h;
  return e;
}

void hook_free(struct hook *h)
{
  if (h == NULL)
    return;
  child_stop(&h->child);
  child_words_free(h->words);
  free(h);
}

static void hook_complain(struct model *m, struct err take, int64_t wall_ms)
{
  err_set_what(&take, "the command of [notify]");
  model_add_problem(m, -1, &take, wall_ms);
  err_fini(&take);
}

static const struct notice *next_notice(struct hook *h, const struct notices *e)
{
  if (e->last_number - h->told > HOOK_BEHIND_MAX)
    h->told = e->last_number - HOOK_BEHIND_MAX;
  for (size_t i = 0; i < e->count; i++)
    if (e->items[i].number > h->told)
      return &e->items[i];
  return NULL;
}

static void write_input(const struct model *m, const struct notice *n, struct buf *out)
{
  struct notice brief = *n;
  struct jw w;
  jw_init(&w, out, false);
  notice_write_json(m, n, &w);
  if (out->overflow) { /* a message longer than any: better the rest of it than nothing */
    brief.text = 0;
    buf_reset(out);
    jw_init(&w, out, false);
    notice_write_json(m, &brief, &w);
  }
  buf_addc(out, '\n');
}

static void start(struct hook *h, struct model *m, const struct notice *n, int64_t mono_ms, int64_t wall_ms)
{
  struct buf input;
  buf_init(&input, HOOK_INPUT_MAX);
  write_input(m, n, &input);
  h->told = n->number;
  struct err e = child_start_fed(&h->child, h->words, child_no_keys, input.data, input.len);
  buf_fini(&input);
  h->running = !err_is(&e);
  h->deadline_ms = mono_ms + HOOK_LIMIT_MS;
  if (err_is(&e)) {
    child_stop(&h->child);
    hook_complain(m, e, wall_ms);
  }
}

static void look(struct hook *h, struct model *m, int64_t mono_ms, int64_t wall_ms)
{
  child_turn(&h->child);
  if (h->child.ended) {
    if (h->child.run_errno != 0 || h->child.status != 0)
      hook_complain(m, err_new(ERR_IO, "%s: it ended with status %d", h->words[0], h->child.status), wall_ms);
  } else if (mono_ms >= h->deadline_ms) {
    hook_complain(m,
                  err_new(ERR_IO, "%s: it took longer than %d seconds and was ended", h->words[0],
                          (int)(HOOK_LIMIT_MS / WHEN_SECOND)),
                  wall_ms);
  } else {
    return;
  }
  child_stop(&h->child);
  h->running = false;
}

void hook_turn(struct hook *h, struct model *m, int64_t mono_ms, int64_t wall_ms)
{
  if (h == NULL)
    return;
  if (h->running)
    look(h, m, mono_ms, wall_ms);
  if (!h->running) {
    const struct notice *n = next_notice(h, &m->notices);
    if (n != NULL)
      start(h, m, n, mono_ms, wall_ms);
  }
}

unsigned hook_fds(const struct hook *h, struct transport_fd *out, unsigned max)
{
  return h != NULL && h->running ? child_fds(&h->child, out, max) : 0;
}

int64_t hook_next_ms(const struct hook *h)
{
  return h != NULL && h->running ? h->deadline_ms : INT64_MAX;
}
