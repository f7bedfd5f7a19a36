/* What every view has in common: going back, the window of time, the zone, places, start and stop, copying, exporting. */
#include "views/shell_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/when_range.h"
#include "base/xalloc.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/rows.h"

#define EXPORT_MAX ((size_t)256 * 1024 * 1024)

/* --- the window of time --------------------------------------------------------------------------------------------- */

static const int64_t spans[] = {10 * WHEN_MINUTE, 30 * WHEN_MINUTE, WHEN_HOUR,    3 * WHEN_HOUR, 6 * WHEN_HOUR,
                                12 * WHEN_HOUR,   WHEN_DAY,         3 * WHEN_DAY, 7 * WHEN_DAY,  14 * WHEN_DAY,
                                30 * WHEN_DAY,    90 * WHEN_DAY,    INT64_MAX};
#define SPAN_COUNT (sizeof spans / sizeof spans[0])

void shell_resolve_window(struct shell *s)
{
  int64_t end = s->end_ms == INT64_MAX ? s->scene.now_ms : s->end_ms;
  if (s->today) {
    s->scene.since_ms = when_day_start(end, s->scene.zone);
  } else if (s->from_ms != WHEN_NONE) {
    s->scene.since_ms = s->from_ms;
  } else {
    /* to whole minutes, so that the window does not ask for another second of history each second */
    s->scene.since_ms = s->span_ms == INT64_MAX ? INT64_MIN : (end - s->span_ms) / WHEN_MINUTE * WHEN_MINUTE;
  }
  s->scene.until_ms = s->end_ms;
}

void shell_set_window(struct shell *s, int64_t span_ms, int64_t end_ms)
{
  s->span_ms = span_ms;
  s->end_ms = end_ms;
  s->today = false;
  s->from_ms = WHEN_NONE;
  s->stale = true;
  shell_resolve_window(s);
}

void shell_type_window(struct shell *s, const char *text)
{
  struct when_range range;
  char why[WHEN_RANGE_WHY_MAX];
  if (!when_parse_range(text, s->scene.now_ms, s->scene.zone, &range, why)) {
    shell_say(s, ROLE_WARN, "%s", why);
    return;
  }
  if (range.since_ms == INT64_MIN) {
    shell_set_window(s, INT64_MAX, range.until_ms);
    return;
  }
  int64_t end = range.until_ms == INT64_MAX ? s->scene.now_ms : range.until_ms;
  int64_t span = (end - range.since_ms + WHEN_MINUTE - 1) / WHEN_MINUTE * WHEN_MINUTE;
  shell_set_window(s, span < WHEN_MINUTE ? WHEN_MINUTE : span, range.until_ms);
  if (!range.goes_on) {
    s->from_ms = range.since_ms;
    shell_resolve_window(s);
  }
}

static void zoom(struct shell *s, bool closer)
{
  int64_t next = s->span_ms;
  if (closer) {
    for (size_t i = 0; i < SPAN_COUNT; i++) {
      next = spans[i] < s->span_ms ? spans[i] : next;
    }
  } else {
    for (size_t i = SPAN_COUNT; i > 0; i--) {
      next = spans[i - 1] > s->span_ms ? spans[i - 1] : next;
    }
  }
  shell_set_window(s, next, s->end_ms);
}

static void pan(struct shell *s, bool earlier)
{
  int64_t end = s->end_ms == INT64_MAX ? s->scene.now_ms : s->end_ms, step = s->span_ms / 2;
  if (s->span_ms == INT64_MAX) {
    shell_say(s, ROLE_DIM, "the window holds everything");
    return;
  }
  end += earlier ? -step : step;
  /* now has gone on since the first step back: as many steps forth lead to it again */
  shell_set_window(s, s->span_ms, !earlier && end >= s->scene.now_ms - step / 2 ? INT64_MAX : end);
}

/* --- start and stop ------------------------------------------------------------------------------------------------- */

static bool may_change(struct shell *s, int place)
{
  const struct model *m = s->scene.model;
  int context = m != NULL ? scene_context_of(m, place) : -1;
  bool may = false;
  if (s->scene.read_only) {
    shell_say(s, ROLE_WARN, "read-only: nothing that changes AWS can be done here");
  } else if (context < 0) {
    shell_say(s, ROLE_WARN, "no login leads to that account now");
  } else if (m->contexts[context].read_only) {
    shell_say(s, ROLE_WARN, "%s is read-only by the configuration", m->contexts[context].name);
  } else {
    may = true;
  }
  return may;
}

static void start(struct shell *s)
{
  struct view *v = shell_main(s);
  struct subject subject;
  if (v->ops->subject != NULL && v->ops->subject(v, &subject) && may_change(s, subject.place)) {
    shell_open(s, &start_view, &subject, 1, NULL);
  }
}

static void stop(struct shell *s)
{
  struct view *v = shell_main(s);
  struct subject *subjects = NULL, one;
  size_t count = 0, running = 0;
  if (v->ops->subjects != NULL) {
    count = v->ops->subjects(v, &subjects);
  } else if (v->ops->subject != NULL && v->ops->subject(v, &one)) {
    subjects = xcalloc(1, sizeof *subjects);
    subjects[0] = one;
    count = 1;
  }
  for (size_t i = 0; i < count; i++) {
    running += subjects[i].has_run && !run_state_info(subjects[i].state)->finished;
  }
  if (running == 0) {
    shell_say(s, ROLE_DIM, count > 1 ? "none of the marked runs is under way" : "this run is not under way");
  } else if (may_change(s, subjects[0].place)) {
    shell_open(s, &stop_view, subjects, count, NULL);
  }
  free(subjects);
}

/* --- copy ----------------------------------------------------------------------------------------------------------- */

static void give_copy(struct shell *s, const char *what, const char *text)
{
  free(s->copy);
  s->copy = text_clean_dup(text, TEXT_LINE);
  shell_say(s, ROLE_GOOD, "copied %s%s%s", what, what[0] != '\0' ? ": " : "", s->copy);
}

/* A job name within a URL: everything but letters, digits and -._~ as %XX. */
static void add_url(struct buf *out, const char *text)
{
  for (const unsigned char *u = (const unsigned char *)text; *u != '\0'; u++) {
    bool plain =
        (*u >= 'a' && *u <= 'z') || (*u >= 'A' && *u <= 'Z') || (*u >= '0' && *u <= '9') || strchr("-._~", *u) != NULL;
    if (plain) {
      buf_addc(out, (char)*u);
    } else {
      buf_addf(out, "%%%02X", *u);
    }
  }
}

static void add_link(const struct place *place, const struct subject *subject, struct buf *out)
{
  const char *domain = "console.aws.amazon.com";
  if (strcmp(place->partition, "aws-cn") == 0) {
    domain = "console.amazonaws.cn";
  } else if (strcmp(place->partition, "aws-us-gov") == 0) {
    domain = "console.amazonaws-us-gov.com";
  }
  buf_addf(out, "https://%s.%s/gluestudio/home?region=%s#/", place->region, domain, place->region);
  if (subject->has_run) {
    buf_adds(out, "job/");
    add_url(out, subject->job_name);
    buf_adds(out, "/run/");
    add_url(out, subject->run_id);
  } else {
    buf_adds(out, "editor/job/");
    add_url(out, subject->job_name);
    buf_adds(out, "/runs");
  }
}

static void copy(struct shell *s, enum action a)
{
  struct view *v = shell_main(s);
  struct subject subject;
  struct buf text;
  if (v->ops->subject == NULL || !v->ops->subject(v, &subject) || s->scene.model == NULL ||
      (size_t)subject.place >= s->scene.model->place_count) {
    return;
  }
  const struct place *place = &s->scene.model->places[subject.place];
  buf_init(&text, 4096);
  if (a == ACTION_COPY) {
    give_copy(s, "", subject.has_run ? subject.run_id : subject.job_name);
  } else if (a == ACTION_COPY_ARN && place->account[0] == '\0') {
    shell_say(s, ROLE_WARN, "the account is not known yet, so there is no ARN to copy");
  } else if (a == ACTION_COPY_ARN) {
    buf_addf(&text, "arn:%s:glue:%s:%s:job/%s", place->partition, place->region, place->account, subject.job_name);
    give_copy(s, "", text.data);
  } else {
    add_link(place, &subject, &text);
    give_copy(s, "", text.data);
  }
  buf_fini(&text);
}

/* --- export --------------------------------------------------------------------------------------------------------- */

static enum report_format format_of(const char *path)
{
  size_t len = strlen(path);
  enum report_format format = REPORT_TABLE;
  if (len > 5 && strcmp(path + len - 5, ".json") == 0) {
    format = REPORT_JSON;
  } else if (len > 4 && strcmp(path + len - 4, ".csv") == 0) {
    format = REPORT_CSV;
  }
  return format;
}

void shell_export(struct shell *s, const char *path)
{
  struct view *v = shell_main(s);
  struct buf out;
  char *clean = text_clean_dup(path, TEXT_LINE);
  bool written = false;
  buf_init(&out, EXPORT_MAX);
  if (v->ops->report == NULL || !v->ops->report(v, &s->scene, format_of(path), &out)) {
    shell_say(s, ROLE_WARN, "this view cannot be written in that form");
  } else {
    /* never over a file that is there: a typing error must not cost anybody's work */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    size_t at = 0;
    if (fd >= 0) {
      while (at < out.len) {
        ssize_t n = write(fd, out.data + at, out.len - at);
        if (n < 0 && errno == EINTR) {
          continue;
        }
        if (n <= 0) {
          break;
        }
        at += (size_t)n;
      }
      written = close(fd) == 0 && at == out.len;
    }
    if (written) {
      shell_say(s, ROLE_GOOD, "wrote %s (%zu bytes)", clean, out.len);
    } else if (errno == EEXIST) {
      shell_say(s, ROLE_WARN, "%s is there already; choose another name", clean);
    } else {
      shell_say(s, ROLE_BAD, "%s could not be written: %s", clean, strerror(errno));
    }
  }
  free(clean);
  buf_fini(&out);
}

/* --- actions -------------------------------------------------------------------------------------------------------- */

static void back(struct shell *s)
{
  struct view *v = shell_main(s);
  struct list *list = v->ops->list != NULL ? v->ops->list(v) : NULL;
  struct doc_text *doc = v->ops->doc != NULL ? v->ops->doc(v) : NULL;
  if (s->say != NULL) {
    free(s->say);
    s->say = NULL;
  }
  if (list != NULL && list->filter[0] != '\0') {
    list_set_filter(list, "");
  } else if (list != NULL && list->problems_only) {
    list_set_problems_only(list, false);
  } else if (doc != NULL && doc->search[0] != '\0') {
    doc_set_search(doc, "");
  } else {
    shell_pop(s);
  }
}

static void close_view(struct shell *s, struct intents *out)
{
  if (s->tabs[s->tab].depth > 1) {
    shell_pop(s);
  } else if (shell_write_under_way(s)) {
    shell_open(s, &quit_view, NULL, 0, NULL);
  } else {
    intents_add(out, INTENT_QUIT);
    s->done = true;
  }
}

static void next_place(struct shell *s)
{
  size_t all = s->scene.model != NULL ? s->scene.model->place_count : 0, count = 0;
  for (size_t i = 0; i < all; i++) {
    count += scene_context_of(s->scene.model, (int)i) >= 0;
  }
  if (count < 2) {
    shell_say(s, ROLE_DIM, "one account is open; :context NAME opens another");
  } else {
    do {
      s->scene.place = s->scene.place + 1 < (int)all ? s->scene.place + 1 : -1;
    } while (s->scene.place >= 0 && scene_context_of(s->scene.model, s->scene.place) < 0);
    if (s->scene.place < 0) {
      shell_say(s, ROLE_TEXT, "all %zu accounts together", count);
    } else {
      shell_say(s, ROLE_TEXT, "%s alone", rows_place_label(s->scene.model, s->scene.place));
    }
    s->stale = true;
  }
}

static void open_about(struct shell *s, const struct view_ops *ops)
{
  struct view *v = shell_main(s);
  struct subject subject;
  if (v->ops != ops && v->ops->subject != NULL && v->ops->subject(v, &subject)) {
    if (ops != &raw_view) {
      subject.has_run = subject.has_run && ops == &run_view;
    }
    shell_open(s, ops, &subject, 1, NULL);
  }
}

void shell_act(struct shell *s, enum action a, struct intents *out)
{
  switch (a) {
  case ACTION_BACK:
    back(s);
    break;
  case ACTION_CLOSE:
    close_view(s, out);
    break;
  case ACTION_QUIT:
    if (shell_write_under_way(s)) {
      shell_open(s, &quit_view, NULL, 0, NULL);
    } else {
      intents_add(out, INTENT_QUIT);
      s->done = true;
    }
    break;
  case ACTION_START:
    start(s);
    break;
  case ACTION_STOP:
    stop(s);
    break;
  case ACTION_FILTER:
    shell_open(s, &filter_view, NULL, 0, NULL);
    break;
  case ACTION_SORT:
    shell_open(s, &sort_view, NULL, 0, NULL);
    break;
  case ACTION_RUNS:
    open_about(s, &job_runs_view);
    break;
  case ACTION_DESCRIBE:
    open_about(s, &job_view);
    break;
  case ACTION_RAW:
    open_about(s, &raw_view);
    break;
  case ACTION_COPY:
  case ACTION_COPY_ARN:
  case ACTION_LINK:
    copy(s, a);
    break;
  case ACTION_PRICES:
    shell_open(s, &prices_view, NULL, 0, NULL);
    break;
  case ACTION_EXPORT:
    shell_open(s, &export_view, NULL, 0, NULL);
    break;
  case ACTION_REFRESH:
    intents_add(out, INTENT_REFRESH);
    shell_say(s, ROLE_DIM, "asking again%s", sign(SIGN_MORE));
    break;
  case ACTION_EARLIER:
  case ACTION_LATER:
    pan(s, a == ACTION_EARLIER);
    break;
  case ACTION_CLOSER:
  case ACTION_WIDER:
    zoom(s, a == ACTION_CLOSER);
    break;
  case ACTION_TODAY:
    s->today = !s->today;
    s->from_ms = WHEN_NONE;
    s->end_ms = INT64_MAX;
    s->stale = true;
    shell_resolve_window(s);
    break;
  case ACTION_ZONE:
    s->scene.zone = s->scene.zone == WHEN_UTC ? WHEN_LOCAL : WHEN_UTC;
    s->stale = true;
    break;
  case ACTION_PLACE:
    next_place(s);
    break;
  case ACTION_PALETTE:
    shell_open(s, &palette_view, NULL, 0, NULL);
    break;
  case ACTION_HELP:
    shell_open(s, &help_view, NULL, 0, NULL);
    break;
  case ACTION_MESSAGES:
    shell_open(s, &messages_view, NULL, 0, NULL);
    break;
  case ACTION_REPAINT:
    s->repaint = true;
    break;
  case ACTION_BEFORE:
  case ACTION_NONE:
  case ACTION_ENTER:
  case ACTION_DOWN:
  case ACTION_UP:
  case ACTION_PAGE_DOWN:
  case ACTION_PAGE_UP:
  case ACTION_FIRST:
  case ACTION_LAST:
  case ACTION_LEFT:
  case ACTION_RIGHT:
  case ACTION_NEXT_MATCH:
  case ACTION_PREV_MATCH:
  case ACTION_PROBLEMS:
  case ACTION_NEXT_FAILURE:
  case ACTION_PREV_FAILURE:
  case ACTION_PART:
  case ACTION_MEASURE:
  case ACTION_MARK:
  case ACTION_MARK_ALL:
  case ACTION_UNMARK:
  case ACTION_WRAP:
  case ACTION_COUNT:
    break; /* the views' own */
  case ACTION_TAB_1:
  case ACTION_TAB_2:
  case ACTION_TAB_3:
  case ACTION_TAB_4:
  case ACTION_TAB_5:
  case ACTION_TAB_6:
  case ACTION_TAB_7:
  case ACTION_TAB_8:
  case ACTION_TAB_9:
  case ACTION_TAB_10:
    shell_go_to_tab(s, (size_t)a - (size_t)ACTION_TAB_1);
    break;
  }
}
