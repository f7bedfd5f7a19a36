/* The commands of the palette: one table feeds carrying out, completion and help. */
#include "views/shell_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/when_range.h"
#include "base/xalloc.h"
#include "views/commands.h"
#include "views/doc.h"

struct call {
  struct shell *shell;
  struct intents *intents;
  const char *word; /* the command */
  const char *rest; /* what follows it, without blanks around */
};

/* --- what they do --------------------------------------------------------------------------------------------------- */

/* The first word of text into out; returns what follows. */
static const char *take_word(const char *text, char *out, size_t size)
{
  size_t len = strcspn(text, " ");
  size_t kept = len < size ? len : size - 1;
  memcpy(out, text, kept);
  out[kept] = '\0';
  text += len;
  return text + strspn(text, " ");
}

/* The one job of that name; where there is none, or one in several accounts, that is said. */
static bool the_job(const struct call *c, const char *name, struct subject *out)
{
  size_t found = shell_find_job(c->shell, name, out);
  if (found == 0) {
    shell_say(c->shell, ROLE_WARN, "no job \"%s\" is known here", name);
  } else if (found > 1) {
    shell_say(c->shell, ROLE_WARN, "%zu accounts or Regions have a job \"%s\": put the cursor on the one that is meant",
              found, name);
  }
  return found == 1;
}

static void about_job(const struct call *c, const struct view_ops *ops)
{
  struct subject subject;
  if (c->rest[0] == '\0') {
    shell_say(c->shell, ROLE_WARN, "which job? :%s NAME", c->word);
  } else if (the_job(c, c->rest, &subject)) {
    shell_open(c->shell, ops, &subject, 1, NULL);
  }
}

static void do_job(const struct call *c)
{
  about_job(c, &job_view);
}

static void do_job_runs(const struct call *c)
{
  about_job(c, &job_runs_view);
}

static void do_runs(const struct call *c)
{
  if (c->rest[0] != '\0') {
    about_job(c, &job_runs_view);
  } else {
    shell_go_to_view(c->shell, &runs_view);
  }
}

static void do_jobs(const struct call *c)
{
  shell_go_to_view(c->shell, &jobs_view);
}

static void do_home(const struct call *c)
{
  shell_go_to_view(c->shell, &home_view);
}

static void do_timeline(const struct call *c)
{
  shell_go_to_view(c->shell, &timeline_view);
}

static void do_burn(const struct call *c)
{
  shell_go_to_view(c->shell, &burn_view);
}

static void do_collisions(const struct call *c)
{
  shell_go_to_view(c->shell, &collisions_view);
}

static void do_timeouts(const struct call *c)
{
  shell_go_to_view(c->shell, &timeouts_view);
}

static void do_prices(const struct call *c)
{
  shell_open(c->shell, &prices_view, NULL, 0, NULL);
}

static void do_run(const struct call *c)
{
  char name[512];
  struct subject subject;
  const char *id = take_word(c->rest, name, sizeof name);
  if (id[0] == '\0' || strlen(id) >= sizeof subject.run_id) {
    shell_say(c->shell, ROLE_WARN, "which run? :run JOB RUN_ID");
  } else if (the_job(c, name, &subject)) {
    const struct run *r = model_run(c->shell->scene.model, subject.place, subject.job, id);
    subject.has_run = true;
    memcpy(subject.run_id, id, strlen(id) + 1);
    subject.state = r != NULL ? (enum run_state)r->state : RUN_STATE_UNKNOWN;
    shell_open(c->shell, &run_view, &subject, 1, NULL);
  }
}

static void do_start(const struct call *c)
{
  struct subject subject;
  if (c->shell->scene.read_only) {
    shell_say(c->shell, ROLE_WARN, "read-only: nothing that changes AWS can be done here");
  } else if (c->rest[0] == '\0') {
    shell_act(c->shell, ACTION_START, c->intents);
  } else if (the_job(c, c->rest, &subject)) {
    shell_open(c->shell, &start_view, &subject, 1, NULL);
  }
}

static void do_window(const struct call *c)
{
  shell_type_window(c->shell, c->rest);
}

static void do_since(const struct call *c)
{
  struct shell *s = c->shell;
  int64_t ms = 0;
  if (strcmp(c->rest, "all") == 0) {
    shell_set_window(s, INT64_MAX, INT64_MAX);
  } else if (when_parse_span(c->rest, &ms) && ms > 0) {
    shell_set_window(s, ms, INT64_MAX);
  } else if (c->rest[0] == '\0') {
    shell_say(s, ROLE_WARN, "since when? 30m, 12h, 7d, all, monday, or 2026-11-30 14:00");
  } else {
    char *range = s->end_ms == INT64_MAX ? xasprintf("since %s", c->rest) : NULL;
    char end[WHEN_TEXT_MAX];
    if (range == NULL) {
      range = xasprintf("%s..%s", c->rest, when_format_iso(s->end_ms, end));
    }
    shell_type_window(s, range);
    free(range);
  }
}

static void do_until(const struct call *c)
{
  struct shell *s = c->shell;
  struct when_range range;
  char why[WHEN_RANGE_WHY_MAX], *text = xasprintf("until %s", c->rest);
  int64_t from_ms = s->from_ms;
  bool now = c->rest[0] == '\0' || strcmp(c->rest, "now") == 0;
  if (!now && !when_parse_range(text, s->scene.now_ms, s->scene.zone, &range, why)) {
    shell_say(s, ROLE_WARN, "%s", why);
  } else {
    int64_t until_ms = now ? INT64_MAX : range.until_ms;
    if (from_ms != WHEN_NONE && from_ms < until_ms) { /* a start that was typed as a moment stays */
      shell_set_window(s, (now ? s->scene.now_ms : until_ms) - from_ms, until_ms);
      s->from_ms = from_ms;
      shell_resolve_window(s);
    } else {
      shell_set_window(s, s->span_ms, until_ms);
    }
  }
  free(text);
}

/* Over how many successful runs lengths are usual. */
static void do_usual(const struct call *c)
{
  struct shell *s = c->shell;
  char *end = NULL;
  unsigned long runs = strtoul(c->rest, &end, 10);
  if (c->rest[0] < '0' || c->rest[0] > '9' || *end != '\0' || runs < 1 || runs > STATS_RUNS_MOST) {
    shell_say(s, ROLE_WARN, "over how many successful runs? usual 50 (now %zu)", stats_cache_runs(s->scene.stats));
  } else {
    stats_cache_set_runs(s->scene.stats, runs);
    desk_restart(s->scene.desk);
    s->stale = true;
    shell_say(s, ROLE_DIM, "what is usual rests on the last %lu successful runs of a job", runs);
  }
}

static void do_filter(const struct call *c)
{
  struct view *v = shell_main(c->shell);
  if (v->ops->list != NULL) {
    list_set_filter(v->ops->list(v), c->rest);
  } else if (v->ops->doc != NULL) {
    doc_set_search(v->ops->doc(v), c->rest);
  }
}

static void do_sort(const struct call *c)
{
  struct view *v = shell_main(c->shell);
  struct list *l = v->ops->list != NULL ? v->ops->list(v) : NULL;
  int column = l != NULL ? list_find_column(l, c->rest) : -1;
  if (l == NULL) {
    shell_say(c->shell, ROLE_WARN, "there is nothing to sort here");
  } else if (column < 0) {
    shell_act(c->shell, ACTION_SORT, c->intents);
  } else {
    list_set_sort(l, column, l->sort == column ? !l->reverse : l->ops->columns[column].big_first);
  }
}

static void do_export(const struct call *c)
{
  if (c->rest[0] == '\0') {
    shell_act(c->shell, ACTION_EXPORT, c->intents);
  } else {
    free(c->shell->export_path);
    c->shell->export_path = xstrdup(c->rest);
    c->shell->stale = true;
  }
}

static void do_utc(const struct call *c)
{
  c->shell->scene.zone = WHEN_UTC;
  c->shell->stale = true;
}

static void do_local(const struct call *c)
{
  c->shell->scene.zone = WHEN_LOCAL;
  c->shell->stale = true;
}

/* The context that a word about logins is meant for: the one on show, else the one that needs it, else the first. */
static int context_meant(const struct shell *s)
{
  const struct model *m = s->scene.model;
  int found = s->scene.place >= 0 ? scene_context_of(m, s->scene.place) : -1;
  for (size_t i = 0; i < m->context_count && found < 0; i++) {
    found = !m->contexts[i].closed && m->contexts[i].needs_login ? (int)i : -1;
  }
  for (size_t i = 0; i < m->context_count && found < 0; i++) {
    found = !m->contexts[i].closed ? (int)i : -1;
  }
  return found >= 0 ? found : 0;
}

static void ask(const struct call *c, enum intent_kind kind, const char *said)
{
  struct intent *i = intents_add(c->intents, kind);
  i->context = context_meant(c->shell);
  i->text = c->rest[0] != '\0' ? xstrdup(c->rest) : NULL;
  shell_say(c->shell, ROLE_DIM, "%s%s", said, sign(SIGN_MORE));
}

static void open_about_login(const struct call *c, const struct view_ops *ops)
{
  char index[24];
  snprintf(index, sizeof index, "%d", context_meant(c->shell));
  shell_open(c->shell, ops, NULL, 0, index);
}

static void do_login(const struct call *c)
{
  bool retry = strcmp(c->rest, "retry") == 0;
  ask(c, retry ? INTENT_LOGIN_RETRY : INTENT_LOGIN_DEVICE, "logging in");
  if (!retry) {
    open_about_login(c, &login_view);
  }
}

static void do_mfa(const struct call *c)
{
  const struct model *m = c->shell->scene.model;
  if (c->rest[0] != '\0') {
    ask(c, INTENT_GIVE_MFA, "trying the code");
    return;
  }
  for (size_t i = 0; i < m->context_count; i++) {
    if (!m->contexts[i].closed && m->contexts[i].mfa_serial[0] != '\0') {
      char index[24];
      snprintf(index, sizeof index, "%zu", i);
      shell_open(c->shell, &mfa_view, NULL, 0, index);
      return;
    }
  }
  shell_say(c->shell, ROLE_DIM, "no code is needed now");
}

static void do_whoami(const struct call *c)
{
  shell_open(c->shell, &whoami_view, NULL, 0, NULL);
}

static void context_change(const struct call *c, enum intent_kind kind, const char *said)
{
  if (c->rest[0] == '\0') {
    shell_say(c->shell, ROLE_WARN, "which one? :%s NAME or PROFILE@REGION; Tab lists them", c->word);
  } else {
    ask(c, kind, said);
  }
}

static void do_context(const struct call *c)
{
  context_change(c, INTENT_OPEN_CONTEXT, "opening");
}

static void do_switch(const struct call *c)
{
  context_change(c, INTENT_SWITCH_CONTEXT, "switching");
}

static void do_region(const struct call *c)
{
  if (c->rest[0] == '\0') {
    shell_say(c->shell, ROLE_WARN, "which one? :region eu-west-1");
    return;
  }
  struct intent *i = intents_add(c->intents, INTENT_SWITCH_CONTEXT);
  i->context = context_meant(c->shell);
  i->text = xasprintf("@%s", c->rest); /* the same login there */
  shell_say(c->shell, ROLE_DIM, "switching%s", sign(SIGN_MORE));
}

static void do_close_context(const struct call *c)
{
  const struct model *m = c->shell->scene.model;
  int found = c->rest[0] == '\0' ? context_meant(c->shell) : -1;
  size_t open = 0;
  for (size_t i = 0; i < m->context_count; i++) {
    open += !m->contexts[i].closed;
    found = found < 0 && !m->contexts[i].closed && strcmp(m->contexts[i].name, c->rest) == 0 ? (int)i : found;
  }
  if (found < 0 || open < 2) {
    shell_say(c->shell, ROLE_WARN, open < 2 ? "it is the only one open; q quits" : "no such context is open");
  } else {
    intents_add(c->intents, INTENT_CLOSE_CONTEXT)->context = found;
  }
}

static void do_events(const struct call *c)
{
  shell_go_to_view(c->shell, &events_view);
}

static void do_polling(const struct call *c)
{
  if (shell_main(c->shell)->ops != &polling_view) {
    shell_open(c->shell, &polling_view, NULL, 0, NULL);
  }
}

static const struct command {
  const char *word;
  const char *about;
  enum command_arg arg;
  void (*run)(const struct call *);
} commands[] = {
    {"home", "what needs a person now", ARG_NONE, do_home},
    {"jobs", "all jobs", ARG_NONE, do_jobs},
    {"runs", "runs of all jobs, or of one: runs [JOB]", ARG_JOB, do_runs},
    {"timeline", "what ran when, and what is planned", ARG_NONE, do_timeline},
    {"burn", "what it costs", ARG_NONE, do_burn},
    {"collisions", "who blocked whom, and what will clash", ARG_NONE, do_collisions},
    {"timeouts", "runs near their limit, and limits that do not fit", ARG_NONE, do_timeouts},
    {"prices", "the prices in use", ARG_NONE, do_prices},
    {"events", "what happened, and what happened while you were away", ARG_NONE, do_events},
    {"polling", "what is asked of the service, how often and why", ARG_NONE, do_polling},
    {"job", "a job: job NAME", ARG_JOB, do_job},
    {"job-runs", "runs of one job: job-runs NAME", ARG_JOB, do_job_runs},
    {"run", "a run: run JOB RUN_ID", ARG_JOB, do_run},
    {"start", "start a job: start [NAME]", ARG_JOB, do_start},
    {"window", "a range of time: window 2026-11-01..2026-11-07, last 3 days, yesterday, 14:00 to 15:30, all", ARG_SPAN,
     do_window},
    {"since", "the window of time: since 30m, 12h, 7d, all, monday, or a date", ARG_SPAN, do_since},
    {"until", "its end: until now, yesterday, or a date", ARG_NONE, do_until},
    {"usual", "how many successful runs say what is usual: usual 50", ARG_NONE, do_usual},
    {"filter", "show only what matches: filter TEXT", ARG_NONE, do_filter},
    {"sort", "sort by a column: sort COLUMN", ARG_COLUMN, do_sort},
    {"export", "write what is shown: export FILE.csv, .json or .txt", ARG_NONE, do_export},
    {"utc", "times in UTC", ARG_NONE, do_utc},
    {"local", "times in the local zone", ARG_NONE, do_local},
    {"context", "open another account as well: context NAME, or PROFILE@REGION", ARG_CHOICE, do_context},
    {"switch", "go to another account instead: switch NAME, or PROFILE@REGION", ARG_CHOICE, do_switch},
    {"ctx", "the same as switch", ARG_CHOICE, do_switch},
    {"profile", "the same as switch", ARG_CHOICE, do_switch},
    {"region", "the same login in another Region: region eu-west-1", ARG_REGION, do_region},
    {"whoami", "whose keys are used, where from, until when", ARG_NONE, do_whoami},
    {"close-context", "close an account: close-context [NAME]", ARG_CONTEXT, do_close_context},
    {"login", "log in by SSO in a browser: login; or try again: login retry", ARG_NONE, do_login},
    {"mfa", "give the code of an MFA device", ARG_NONE, do_mfa},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

/* --- finding and carrying out --------------------------------------------------------------------------------------- */

size_t shell_find_job(const struct shell *s, const char *name, struct subject *out)
{
  const struct model *m = s->scene.model;
  const struct view *v = shell_main(s);
  strid id = m != NULL ? strpool_find(m->strings, name) : 0;
  size_t found = 0;
  struct subject here;
  bool under_cursor = v->ops->subject != NULL && v->ops->subject(v, &here) && here.job == id && id != 0;
  for (size_t p = 0; id != 0 && p < m->place_count; p++) {
    if (scene_shows(&s->scene, (int)p) && model_job(m, (int)p, id) != NULL && (!under_cursor || here.place == (int)p)) {
      *out = (struct subject){.place = (int)p, .job = id, .job_name = strpool_get(m->strings, id)};
      found++;
    }
  }
  return found;
}

void shell_command(struct shell *s, const char *line, struct intents *out)
{
  char word[64];
  char *copy = NULL;
  const struct command *found = NULL;
  line += strspn(line, " :");
  const char *rest = take_word(line, word, sizeof word);
  copy = xstrdup(rest);
  for (size_t n = strlen(copy); n > 0 && copy[n - 1] == ' '; n--) {
    copy[n - 1] = '\0';
  }
  for (size_t i = 0; i < COMMAND_COUNT && found == NULL; i++) {
    found = strcmp(commands[i].word, word) == 0 ? &commands[i] : NULL;
  }
  if (word[0] == '\0') {
    /* an empty line is nothing */
  } else if (found != NULL) {
    found->run(&(struct call){.shell = s, .intents = out, .word = word, .rest = copy});
  } else if (strcmp(word, "q") == 0) {
    shell_act(s, ACTION_QUIT, out);
  } else if (strcmp(word, "quit-now") == 0) {
    intents_add(out, INTENT_QUIT);
    s->done = true;
  } else {
    enum action a = action_find(word);
    const struct view *main = shell_main(s);
    struct when_range range;
    char why[WHEN_RANGE_WHY_MAX];
    if ((a == ACTION_NONE || rest[0] != '\0') && when_parse_range(line, s->scene.now_ms, s->scene.zone, &range, why)) {
      shell_type_window(s, line); /* a range alone will do */
    } else if (a == ACTION_NONE) {
      shell_say(s, ROLE_WARN, "there is no command \"%s\"; Tab after : lists them", word);
    } else if ((action_info(a)->holds & HOLD_CHANGES) && s->scene.read_only) {
      shell_say(s, ROLE_WARN, "read-only: nothing that changes AWS can be done here");
    } else if (!(action_info(a)->holds & (main->ops->holds | HOLD_ANY) & ~(unsigned)HOLD_CHANGES)) {
      shell_say(s, ROLE_WARN, "\"%s\" means nothing in this view", word);
    } else {
      struct view *v = shell_main(s);
      struct outcome o = {.intents = out};
      if (v->ops->input == NULL || v->ops->input(v, &(struct input){.kind = INPUT_NONE}, a, &o) == HANDLED_NO) {
        shell_act(s, a, out);
      } else if (o.open != NULL) {
        shell_open(s, o.open, o.subjects, o.subject_count, o.text);
      }
      outcome_fini(&o);
    }
  }
  free(copy);
}

static void complete_words(const char *typed, complete_fn *fn, void *user)
{
  size_t len = strlen(typed);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (strncmp(commands[i].word, typed, len) == 0) {
      fn(user, commands[i].word, commands[i].about);
    }
  }
  for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
    const struct action_info *info = action_info((enum action)a);
    bool taken = false;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
      taken = taken || strcmp(commands[i].word, info->word) == 0;
    }
    if (!taken && info->text[0] != '\0' && strncmp(info->word, typed, len) == 0) {
      fn(user, info->word, info->text);
    }
  }
}

static void complete_jobs(const struct model *m, const char *typed, complete_fn *fn, void *user)
{
  for (int pass = 0; pass < 2; pass++) { /* names that begin with it, then those that have it inside */
    for (size_t p = 0; p < m->place_count; p++) {
      for (size_t i = 0; i < m->places[p].job_count; i++) {
        const char *name = model_str(m, m->places[p].jobs[i].name);
        long at = name != NULL ? text_find_fold(name, typed) : -1;
        if (pass == 0 ? at == 0 : at > 0) {
          fn(user, name, "");
        }
      }
    }
  }
}

/* Those in use first, then where Glue is. */
static void complete_regions(const struct model *m, const char *typed, complete_fn *fn, void *user)
{
  static const char *const regions[] = {
      "us-east-1",      "us-east-2",      "us-west-1",      "us-west-2",      "ca-central-1",   "ca-west-1",
      "eu-west-1",      "eu-west-2",      "eu-west-3",      "eu-central-1",   "eu-central-2",   "eu-north-1",
      "eu-south-1",     "eu-south-2",     "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-southeast-1",
      "ap-southeast-2", "ap-southeast-3", "ap-south-1",     "ap-south-2",     "ap-east-1",      "sa-east-1",
      "me-south-1",     "me-central-1",   "af-south-1",     "il-central-1",   "cn-north-1",     "cn-northwest-1",
      "us-gov-west-1",  "us-gov-east-1",  "eusc-de-east-1"};
  size_t len = strlen(typed);
  for (size_t i = 0; i < m->choice_count; i++) {
    const char *about = m->choices[i].about;
    if (about[0] != '\0' && strchr(about, ' ') == NULL && strncmp(about, typed, len) == 0) {
      fn(user, about, m->choices[i].name);
    }
  }
  for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
    if (strncmp(regions[i], typed, len) == 0) {
      fn(user, regions[i], "");
    }
  }
}

void shell_complete(const struct model *model, struct view *below, const char *line, complete_fn *fn, void *user)
{
  char word[64];
  const struct command *found = NULL;
  bool has_blank = strchr(line, ' ') != NULL;
  const char *rest = take_word(line, word, sizeof word);
  if (!has_blank) {
    complete_words(line, fn, user);
    return;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    found = strcmp(commands[i].word, word) == 0 ? &commands[i] : found;
  }
  if (found == NULL) {
    return;
  }
  if (found->arg == ARG_JOB && model != NULL) {
    complete_jobs(model, rest, fn, user);
  } else if (found->arg == ARG_COLUMN && below != NULL && below->ops->list != NULL) {
    const struct list_ops *ops = below->ops->list(below)->ops;
    for (size_t i = 0; i < ops->column_count; i++) {
      const char *name = ops->columns[i].compare != NULL ? ops->columns[i].word : NULL;
      if (name != NULL && strncmp(name, rest, strlen(rest)) == 0) {
        fn(user, name, ops->columns[i].title != NULL ? ops->columns[i].title : "");
      }
    }
  } else if (found->arg == ARG_SPAN) {
    static const char *const spans[] = {"30m",       "1h",         "12h",        "24h",       "7d",
                                        "30d",       "90d",        "today",      "yesterday", "this week",
                                        "last week", "this month", "last month", "all"};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
      if (strncmp(spans[i], rest, strlen(rest)) == 0) {
        fn(user, spans[i], "");
      }
    }
  } else if (found->arg == ARG_CHOICE && model != NULL) {
    for (size_t i = 0; i < model->choice_count; i++) {
      if (strncmp(model->choices[i].name, rest, strlen(rest)) == 0) {
        fn(user, model->choices[i].name, model->choices[i].about);
      }
    }
  } else if (found->arg == ARG_REGION && model != NULL) {
    complete_regions(model, rest, fn, user);
  } else if (found->arg == ARG_CONTEXT && model != NULL) {
    for (size_t i = 0; i < model->context_count; i++) {
      if (!model->contexts[i].closed && strncmp(model->contexts[i].name, rest, strlen(rest)) == 0) {
        fn(user, model->contexts[i].name, model->contexts[i].source);
      }
    }
  }
}

void commands_visit(void (*fn)(void *user, const char *word, const char *about), void *user)
{
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fn(user, commands[i].word, commands[i].about);
  }
}
