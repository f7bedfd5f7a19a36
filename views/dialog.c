/* Dialogs before something happens that cannot be taken back. Each names what it will do, to what, where, and holds on to the ids it names:
 * rows may move behind it. `y` says yes; Enter takes what has the focus, which is "no" at first; pasted text says nothing; the shell
 * gives a dialog no key that was typed before it could be seen, and swallows repeats of the key that said yes. */
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "model/mask.h"
#include "views/answer.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/rows.h"

#define BOX_WIDTH  76
#define SHOWN_RUNS 12

struct dialog {
  struct doc_text text;
  const char *title, *yes; /* what yes does, as a word: "start" */
  char *not_now;           /* why yes cannot be said yet; NULL: it can */
  bool focus_yes;
  struct subject *subjects; /* what it was opened for, bound by id */
  size_t count;
  size_t elsewhere; /* of a stop: marked runs of other accounts, which it leaves alone */
  char **names;     /* job names, owned */
  /* start like a run */
  struct {
    char *key, *value;
  } * arguments; /* owned copies, never shown unmasked */
  size_t argument_count;
  bool arguments_known;
  struct run like;   /* copy; started_ms 0: not known */
  char *worker_type; /* of it; NULL */
  /* where the intent goes: as shown when it was last drawn */
  int context;
  uint32_t epoch;
};

/* --- common --------------------------------------------------------------------------------------------------------- */

static void take_subjects(struct dialog *d, const struct view_args *args)
{
  doc_init(&d->text);
  d->count = args->subject_count;
  d->subjects = xcalloc(d->count + 1, sizeof *d->subjects);
  d->names = xcalloc(d->count + 1, sizeof *d->names);
  for (size_t i = 0; i < d->count; i++) {
    d->subjects[i] = args->subjects[i];
    d->names[i] = xstrdup(args->subjects[i].job_name);
    d->subjects[i].job_name = d->names[i];
  }
  d->context = -1;
}

static void forget_arguments(struct dialog *d)
{
  for (size_t i = 0; i < d->argument_count; i++) {
    free(d->arguments[i].key);
    free(d->arguments[i].value);
  }
  free(d->arguments);
  d->arguments = NULL;
  d->argument_count = 0;
}

static void dialog_close(struct view *v)
{
  struct dialog *d = v->state;
  doc_fini(&d->text);
  forget_arguments(d);
  for (size_t i = 0; i < d->count; i++) {
    free(d->names[i]);
  }
  free(d->names);
  free(d->subjects);
  free(d->worker_type);
  free(d->not_now);
}

static void set_not_now(struct dialog *d, const char *why)
{
  free(d->not_now);
  d->not_now = why != NULL ? xstrdup(why) : NULL;
}

/* Where it happens, and whether it may happen already. */
static void add_where(struct dialog *d, const struct scene *scene)
{
  const struct model *m = scene->model;
  int place = d->subjects[0].place;
  d->context = scene_context_of(m, place);
  if (d->context < 0 || (size_t)place >= m->place_count) {
    set_not_now(d, "no login leads to that account any more");
    return;
  }
  const struct context *c = &m->contexts[d->context];
  d->epoch = c->epoch;
  doc_fieldf(&d->text, "account", ROLE_CONTEXT, "%s%s%s%s", c->label != NULL ? c->label : "",
             c->label != NULL && c->label[0] != '\0' ? " " : "",
             c->account != NULL && c->account[0] != '\0' ? c->account : "?",
             m->places[place].endpoint != NULL && m->places[place].endpoint[0] != '\0' ? " (custom endpoint)" : "");
  doc_field(&d->text, "Region", ROLE_CONTEXT, c->region);
  doc_fieldf(&d->text, "as", ROLE_TEXT, "%s%s%s", c->profile != NULL && c->profile[0] != '\0' ? c->profile : c->name,
             c->source != NULL && c->source[0] != '\0' ? " via " : "", c->source != NULL ? c->source : "");
  if (!c->confirmed) {
    set_not_now(d, "the account is not confirmed by STS yet: nothing is changed before that");
  }
}

static void dialog_draw(struct view *v, const struct pane *body)
{
  struct dialog *d = v->state;
  int width = body->width - 4 < BOX_WIDTH ? body->width - 4 : BOX_WIDTH;
  if (width < 20) {
    width = body->width;
  }
  /* measure at that width, then frame it */
  size_t lines = doc_measure(&d->text, width - 4);
  int height = (int)lines + 5 < body->height ? (int)lines + 5 : body->height;
  struct pane box = pane_part(body, (body->height - height) / 2, (body->width - width) / 2, height, width);
  pane_box(&box, ROLE_DANGER, d->title);
  struct pane text = pane_part(&box, 1, 2, height - 4, width - 4);
  doc_draw(&d->text, &text);
  struct pane line = pane_part(&box, height - 3, 2, 2, width - 4);
  if (d->not_now != NULL) {
    pane_field(&line, 0, 0, line.width, ROLE_WARN, TEXT_LEFT, d->not_now);
    pane_put(&line, 1, 0, ROLE_KEY | STYLE_REVERSE, " Esc back ");
  } else {
    int x = 0;
    x += pane_putf(&line, 1, x, d->focus_yes ? ROLE_DANGER | STYLE_REVERSE : ROLE_DANGER, " y %s ", d->yes);
    x += 2;
    pane_put(&line, 1, x, d->focus_yes ? ROLE_KEY : ROLE_KEY | STYLE_REVERSE, " n cancel ");
  }
}

static enum handled dialog_input(struct view *v, const struct input *in, enum action a, struct outcome *out,
                                 void (*confirm)(struct dialog *, struct outcome *))
{
  struct dialog *d = v->state;
  bool key = in->kind == INPUT_KEY, letter = in->kind == INPUT_LETTER && in->mods == 0, yes = false;
  (void)a;
  if (letter && in->code == 'y') {
    yes = true;
  } else if (key && in->code == KEY_NAME_ENTER) {
    yes = d->focus_yes;
    out->close = !d->focus_yes;
  } else if (key && (in->code == KEY_NAME_TAB || in->code == KEY_NAME_LEFT || in->code == KEY_NAME_RIGHT)) {
    d->focus_yes = !d->focus_yes && d->not_now == NULL;
  } else if (key && (in->code == KEY_NAME_DOWN || in->code == KEY_NAME_UP)) {
    doc_act(&d->text, in->code == KEY_NAME_DOWN ? ACTION_DOWN : ACTION_UP);
  } else if ((letter && (in->code == 'n' || in->code == 'q')) || (key && in->code == KEY_NAME_ESC)) {
    out->close = true;
  }
  if (yes && d->not_now == NULL) {
    confirm(d, out);
    out->close = true;
  }
  return HANDLED_YES;
}

/* --- start ---------------------------------------------------------------------------------------------------------- */

static struct err start_open(struct view *v, const struct view_args *args)
{
  struct dialog *d = v->state;
  if (args->subject_count < 1) {
    return err_new(ERR_USAGE, "which job? :start NAME");
  }
  take_subjects(d, args);
  d->title = d->subjects[0].has_run ? "Start like this run" : "Start a run";
  d->yes = "start";
  return err_ok();
}

static void start_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  const struct dialog *d = v->state;
  int context = scene_context_of(scene->model, d->subjects[0].place);
  wants_add(out, &(struct want){.kind = WANT_IDENTITY,
                                .urgency = WANT_ON_SCREEN,
                                .context = context,
                                .since_ms = INT64_MIN,
                                .until_ms = INT64_MAX});
  if (context >= 0 && d->subjects[0].has_run) {
    wants_add(out, &(struct want){.kind = WANT_RUN,
                                  .urgency = WANT_ON_SCREEN,
                                  .context = context,
                                  .job = d->subjects[0].job,
                                  .run_id = strpool_put(scene->model->strings, d->subjects[0].run_id),
                                  .since_ms = INT64_MIN,
                                  .until_ms = INT64_MAX});
  }
}

static void copy_arguments(struct dialog *d, const struct doc *answer)
{
  long at = answer_find(answer, "Arguments");
  forget_arguments(d);
  d->arguments_known = true;
  for (size_t i = at >= 0 ? (size_t)at + 1 : answer->count;
       i < answer->count && answer->nodes[i].depth > answer->nodes[at].depth; i++) {
    const struct doc_node *n = &answer->nodes[i];
    if (n->kind == DOC_STRING && n->name != NULL) {
      d->arguments = xreallocarray(d->arguments, d->argument_count + 1, sizeof *d->arguments);
      d->arguments[d->argument_count].key = xstrdup(n->name);
      d->arguments[d->argument_count++].value = xstrdup(n->text != NULL ? n->text : "");
    }
  }
}

static void add_like(struct dialog *d, const struct scene *scene, const struct run *r)
{
  const struct model *m = scene->model;
  const struct subject *s = &d->subjects[0];
  const struct freshness *fresh = NULL;
  const struct doc_holder *holder = model_run_doc(m, s->place, s->job, strpool_find(m->strings, s->run_id), &fresh);
  doc_field(&d->text, "like run", ROLE_TEXT, s->run_id);
  if (r != NULL) {
    d->like = *r;
    free(d->worker_type);
    d->worker_type = xstrdup(model_str(m, r->worker_type)); /* NULL: none */
  }
  if (holder != NULL) {
    copy_arguments(d, &holder->doc);
  }
  if (d->arguments_known) {
    if (d->argument_count == 0) {
      doc_field(&d->text, "arguments", ROLE_DIM, "the job's own");
    }
    for (size_t i = 0; i < d->argument_count; i++) {
      struct buf value;
      buf_init(&value, 65536);
      buf_addf(&value, "%s = ", d->arguments[i].key);
      mask_append(&value, d->arguments[i].key, d->arguments[i].value);
      doc_field(&d->text, i == 0 ? "arguments" : "", ROLE_TEXT, value.data);
      buf_fini(&value);
    }
  } else if (fresh != NULL && err_is(&fresh->last_err)) {
    char *why = xasprintf("the run's arguments could not be read: %s", err_message(&fresh->last_err));
    set_not_now(d, why);
    free(why);
  } else {
    set_not_now(d, "reading the run's arguments");
  }
}

static void add_size(struct dialog *d, const struct scene *scene, const struct job *j)
{
  const struct model *m = scene->model;
  const struct run *like = d->subjects[0].has_run && d->like.started_ms != 0 ? &d->like : NULL;
  int32_t workers = like != NULL && like->workers > 0 ? like->workers : j->workers;
  const char *type = model_str(m, like != NULL && like->worker_type != 0 ? like->worker_type : j->worker_type);
  double dpu = like != NULL ? model_run_dpu(m, like) : model_job_dpu(m, j);
  struct buf text;
  buf_init(&text, 256);
  if (workers > 0) {
    buf_addf(&text, "%d %s %s, ", workers, text_is_ascii() ? "x" : "\u00d7", type != NULL ? type : "?");
  }
  format_dpu(&text, dpu);
  buf_adds(&text, " DPU");
  enum timeout_source source = TIMEOUT_UNKNOWN;
  int32_t limit = like != NULL ? model_run_timeout(m, j, like, &source) : model_job_timeout(m, j, &source);
  buf_adds(&text, ", limit ");
  format_minutes(&text, limit);
  doc_field(&d->text, "takes", ROLE_TEXT, text.data);
  buf_fini(&text);
}

static void add_others(struct dialog *d, const struct scene *scene, const struct job *j)
{
  const struct model *m = scene->model;
  size_t active = 0;
  int32_t limit = j->max_concurrent_runs > 0 ? j->max_concurrent_runs : 1;
  for (size_t i = 0; i < j->run_count; i++) {
    active += !run_finished(&j->runs[i]);
  }
  if (active >= (size_t)limit) {
    doc_fieldf(&d->text, "note", ROLE_WARN, "%zu of %d allowed runs are under way: %s", active, limit,
               j->queuing == TRI_TRUE ? "this one will wait in the queue" : "the service will refuse this one");
  } else if (active > 0) {
    doc_fieldf(&d->text, "note", ROLE_TEXT, "%zu of %d allowed runs under way", active, limit);
  }
  for (size_t i = m->change_count; i > 0; i--) {
    const struct change *c = &m->changes[i - 1];
    if (c->job == j->name && c->result == CHANGE_STARTED && scene->now_ms - c->at_ms < 10 * WHEN_MINUTE) {
      struct buf text;
      buf_init(&text, 512);
      buf_adds(&text, "a run of this job was started from here ");
      format_ago(&text, scene->now_ms - c->at_ms);
      buf_adds(&text, " ago");
      doc_field(&d->text, "note", ROLE_WARN, text.data);
      buf_fini(&text);
      break;
    }
  }
}

static void start_update(struct view *v, const struct scene *scene)
{
  struct dialog *d = v->state;
  const struct subject *s = &d->subjects[0];
  const struct job *j = model_job(scene->model, s->place, s->job);
  doc_begin(&d->text);
  set_not_now(d, NULL);
  doc_field(&d->text, "job", ROLE_CONTEXT, d->names[0]);
  add_where(d, scene);
  doc_field(&d->text, "effect", ROLE_TEXT,
            s->has_run ? "starts one new run with the arguments and size of the run named here"
                       : "starts one new run with the job's own arguments");
  if (s->has_run) {
    add_like(d, scene, model_run(scene->model, s->place, s->job, s->run_id));
  }
  if (j != NULL) {
    add_size(d, scene, j);
    add_others(d, scene, j);
  }
}

static void start_confirm(struct dialog *d, struct outcome *out)
{
  struct intent *i = intents_add(out->intents, INTENT_START_RUN);
  i->context = d->context;
  i->context_epoch = d->epoch;
  i->job = xstrdup(d->names[0]);
  i->workers = RECORD_ABSENT;
  i->timeout_minutes = RECORD_ABSENT;
  if (d->subjects[0].has_run) {
    for (size_t k = 0; k < d->argument_count; k++) {
      intent_add_argument(i, d->arguments[k].key, d->arguments[k].value);
    }
    if (d->like.started_ms != 0) {
      intent_be_like(i, &d->like, d->worker_type);
    }
  }
  outcome_say(out, ROLE_TEXT, "starting %s%s", d->names[0], sign(SIGN_MORE));
}

static enum handled start_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  return dialog_input(v, in, a, out, start_confirm);
}

const struct view_ops start_view = {
    .name = "start",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct dialog),
    .open = start_open,
    .close = dialog_close,
    .wants = start_wants,
    .update = start_update,
    .draw = dialog_draw,
    .input = start_input,
};

/* --- stop ----------------------------------------------------------------------------------------------------------- */

static struct err stop_open(struct view *v, const struct view_args *args)
{
  struct dialog *d = v->state;
  take_subjects(d, args);
  /* one account at a time: what a dialog says about where must be true of every run it names */
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (d->subjects[i].place == d->subjects[0].place && d->subjects[i].has_run) {
      struct subject s = d->subjects[i];
      char *name = d->names[i];
      d->subjects[i] = d->subjects[kept];
      d->names[i] = d->names[kept];
      d->subjects[kept] = s;
      d->names[kept++] = name;
    }
  }
  for (size_t i = kept; i < d->count; i++) {
    d->elsewhere += d->subjects[i].has_run;
    free(d->names[i]);
  }
  d->count = kept;
  d->title = "Stop runs";
  d->yes = "stop";
  return err_ok();
}

static bool stoppable(const struct subject *s)
{
  return !run_state_info(s->state)->finished && s->state != RUN_STOPPING;
}

static void stop_update(struct view *v, const struct scene *scene)
{
  struct dialog *d = v->state;
  const struct model *m = scene->model;
  size_t running = 0, others = 0;
  doc_begin(&d->text);
  set_not_now(d, NULL);
  for (size_t i = 0; i < d->count; i++) {
    const struct run *r = model_run(m, d->subjects[i].place, d->subjects[i].job, d->subjects[i].run_id);
    if (r != NULL) {
      d->subjects[i].state = (enum run_state)r->state;
    }
    running += stoppable(&d->subjects[i]);
    others += !stoppable(&d->subjects[i]);
  }
  doc_fieldf(&d->text, "effect", ROLE_TEXT, "asks Glue to stop %zu run%s; what is written stays written", running,
             running == 1 ? "" : "s");
  add_where(d, scene);
  size_t shown = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (stoppable(&d->subjects[i]) && shown++ < SHOWN_RUNS) {
      const struct run *r = model_run(m, d->subjects[i].place, d->subjects[i].job, d->subjects[i].run_id);
      struct buf text;
      buf_init(&text, 1024);
      buf_addf(&text, "%s  ", d->names[i]);
      if (r != NULL) {
        buf_addf(&text, "%s ", format_state_word(m->strings, r));
        format_span(&text, model_run_elapsed_ms(r, scene->now_ms));
      }
      doc_field(&d->text, shown == 1 ? "runs" : "", ROLE_CONTEXT, text.data);
      doc_field(&d->text, "", ROLE_DIM, d->subjects[i].run_id);
      buf_fini(&text);
    }
  }
  if (shown > SHOWN_RUNS) {
    doc_fieldf(&d->text, "", ROLE_TEXT, "and %zu more", shown - SHOWN_RUNS);
  }
  if (d->elsewhere > 0) {
    doc_fieldf(&d->text, "note", ROLE_WARN,
               "%zu of the chosen are of another account or Region and are left alone: one at a time", d->elsewhere);
  }
  if (others > 0) {
    doc_fieldf(&d->text, "note", ROLE_DIM, "%zu of the chosen are not under way (any more) and are left alone", others);
  }
  if (running == 0) {
    set_not_now(d, "nothing is left to be stopped");
  }
}

static void stop_confirm(struct dialog *d, struct outcome *out)
{
  size_t stopped = 0;
  bool *done = xcalloc(d->count + 1, sizeof *done);
  for (size_t i = 0; i < d->count; i++) {
    if (!done[i] && stoppable(&d->subjects[i])) {
      struct intent *intent = intents_add(out->intents, INTENT_STOP_RUNS);
      intent->context = d->context;
      intent->context_epoch = d->epoch;
      intent->job = xstrdup(d->names[i]);
      for (size_t k = i; k < d->count; k++) {
        if (!done[k] && stoppable(&d->subjects[k]) && d->subjects[k].job == d->subjects[i].job) {
          intent_add_run(intent, d->subjects[k].run_id);
          done[k] = true;
          stopped++;
        }
      }
    }
  }
  outcome_say(out, ROLE_TEXT, "stopping %zu run%s%s", stopped, stopped == 1 ? "" : "s", sign(SIGN_MORE));
  free(done);
}

static enum handled stop_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  return dialog_input(v, in, a, out, stop_confirm);
}

const struct view_ops stop_view = {
    .name = "stop",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct dialog),
    .open = stop_open,
    .close = dialog_close,
    .update = stop_update,
    .draw = dialog_draw,
    .input = stop_input,
};

/* --- quit while a write is under way -------------------------------------------------------------------------------- */

static struct err quit_open(struct view *v, const struct view_args *args)
{
  struct dialog *d = v->state;
  (void)args;
  doc_init(&d->text);
  d->context = -1;
  d->title = "Quit";
  d->yes = "quit";
  return err_ok();
}

static void quit_update(struct view *v, const struct scene *scene)
{
  struct dialog *d = v->state;
  (void)scene;
  doc_begin(&d->text);
  doc_text(&d->text, 0, ROLE_TEXT,
           "A change was sent and is not answered yet. It happens all the same, but nobody will be told how it ended.");
}

static void quit_confirm(struct dialog *d, struct outcome *out)
{
  (void)d;
  out->command = xstrdup("quit-now");
}

static enum handled quit_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  return dialog_input(v, in, a, out, quit_confirm);
}

const struct view_ops quit_view = {
    .name = "quit",
    .flags = VIEW_OVERLAY | VIEW_TAKES_TEXT,
    .state_size = sizeof(struct dialog),
    .open = quit_open,
    .close = dialog_close,
    .update = quit_update,
    .draw = dialog_draw,
    .input = quit_input,
};
