/* What every answer carries: when, of which accounts, whether it is whole, and if not what is missing. */
#include "cli/private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "model/answers.h"

static void add(struct cli_problems *p, int context, enum err_kind kind, const char *what, const char *message,
                const char *hint)
{
  p->items = xgrow(p->items, &p->cap, p->count + 1, sizeof *p->items);
  p->items[p->count++] = (struct cli_problem){
      .context = context, .kind = kind, .what = xstrdup(what), .message = xstrdup(message), .hint = xstrdup(hint)};
}

static void gather_one(void *user, const struct answer *a)
{
  struct cli_problems *p = user;
  if (a->state != ANSWER_WHOLE) {
    /* STS is asked for the name only: reads do not wait for it and are no less whole without it. */
    if (a->kind != WANT_IDENTITY || p->identity_counts) {
      p->complete = false;
    }
    if (a->why && err_is(a->why)) {
      const char *what = a->why->detail && a->why->detail->what ? a->why->detail->what : a->what;
      add(p, a->context, a->why->kind, what, err_message(a->why), a->why->detail ? a->why->detail->hint : NULL);
    } else {
      add(p, a->context, ERR_LIMIT, a->what, "not read to its end", NULL);
    }
  }
}

void problems_gather(struct cli_problems *p, const struct model *model, const struct wants *wants, bool identity_counts,
                     int64_t now_ms)
{
  *p = (struct cli_problems){.complete = true, .identity_counts = identity_counts};
  for (size_t i = 0; i < wants->count; i++) {
    answers_visit(model, &wants->items[i], now_ms, gather_one, p);
  }
}

void problems_fini(struct cli_problems *p)
{
  for (size_t i = 0; i < p->count; i++) {
    free(p->items[i].what);
    free(p->items[i].message);
    free(p->items[i].hint);
  }
  free(p->items);
  *p = (struct cli_problems){0};
}

enum cli_exit problems_exit(const struct cli_problems *p)
{
  static const enum cli_exit order[] = {CLI_EXIT_UNCERTAIN, CLI_EXIT_CREDENTIALS, CLI_EXIT_REFUSED, CLI_EXIT_TROUBLE};
  enum cli_exit status = p->complete ? CLI_EXIT_OK : CLI_EXIT_TROUBLE;
  bool found = false;
  for (size_t k = 0; k < sizeof order / sizeof order[0] && !found; k++) {
    for (size_t i = 0; i < p->count && !found; i++) {
      /* a page budget is reported as a limit, but the service did not refuse anything */
      bool ours = p->items[i].kind == ERR_LIMIT;
      /* files that lead to no login: there are no usable credentials, whatever is wrong with the files */
      enum err_kind kind = p->items[i].kind == ERR_CONFIG ? ERR_CREDENTIALS : p->items[i].kind;
      /* the service did not take what it was asked with: a refusal, as it is for a change; the command line was read without complaint */
      kind = kind == ERR_USAGE ? ERR_CONFLICT : kind;
      if (!p->complete && cli_exit_for(kind) == order[k] && !ours) {
        status = order[k];
        found = true;
      }
    }
  }
  return status;
}

void problems_print(const struct cli_problems *p)
{
  enum { SHOWN = 20 };
  for (size_t i = 0; i < p->count && i < SHOWN; i++) {
    char *what = text_clean_dup(p->items[i].what, TEXT_LINE);
    char *message = text_clean_dup(p->items[i].message, TEXT_BLOCK);
    fprintf(stderr, "gluetop: %s%s%s\n", what, *what ? ": " : "", message);
    free(message);
    free(what);
    if (p->items[i].hint != NULL) {
      char *hint = text_clean_dup(p->items[i].hint, TEXT_BLOCK);
      fprintf(stderr, "  %s\n", hint);
      free(hint);
    }
  }
  if (p->count > SHOWN) {
    fprintf(stderr, "gluetop: and %zu more of the kind\n", p->count - SHOWN);
  }
}

static const char *or_null(const char *s)
{
  return s && *s ? s : NULL;
}

void envelope_open(struct jw *w, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  jw_object(w);
  jw_name(w, "as_of");
  jw_time(w, s->scope.now_ms);
  jw_name(w, "contexts");
  jw_array(w);
  for (size_t i = 0; i < m->context_count; i++) {
    const struct context *c = &m->contexts[i];
    jw_object(w);
    jw_name(w, "profile");
    jw_str(w, or_null(c->profile));
    jw_name(w, "region");
    jw_str(w, or_null(c->region));
    jw_name(w, "account");
    jw_str(w, or_null(c->account));
    jw_name(w, "source");
    jw_str(w, or_null(c->source));
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_name(w, "complete");
  jw_bool(w, p->complete);
  jw_name(w, "problems");
  jw_array(w);
  for (size_t i = 0; i < p->count; i++) {
    jw_object(w);
    jw_name(w, "context");
    if (p->items[i].context >= 0) {
      jw_i64(w, p->items[i].context);
    } else {
      jw_null(w);
    }
    jw_name(w, "what");
    jw_str(w, p->items[i].what);
    jw_name(w, "kind");
    jw_str(w, err_kind_name(p->items[i].kind));
    jw_name(w, "message");
    jw_str(w, p->items[i].message);
    jw_end_object(w);
  }
  jw_end_array(w);
}
