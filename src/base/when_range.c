#include "base/when_range.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 100

/* A moment, or a whole day of which it is the beginning. */
struct moment {
  int64_t ms;
  bool day;
};

struct reading {
  int64_t now_ms;
  enum when_zone zone;
};

static const char *const weekdays[7] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};

/* --- days of a zone ------------------------------------------------------------------------------------------------------ */

static int64_t next_day(int64_t day_ms, enum when_zone zone)
{
  return when_day_start(day_ms + 36 * WHEN_HOUR, zone); /* a day has 23 to 25 hours */
}

static int64_t day_before(int64_t day_ms, enum when_zone zone)
{
  return when_day_start(day_ms - 12 * WHEN_HOUR, zone);
}

/* The beginning of a date in the zone; `utc` is its beginning in UTC. */
static int64_t day_of_date(int64_t utc, enum when_zone zone)
{
  char want[WHEN_TEXT_MAX], have[WHEN_TEXT_MAX];
  int64_t day = when_day_start(utc + 12 * WHEN_HOUR, zone);
  when_format(utc, WHEN_UTC, WHEN_DATE, want);
  when_format(day, zone, WHEN_DATE, have);
  int order = strcmp(have, want);
  return order > 0 ? day_before(day, zone) : order < 0 ? next_day(day, zone) : day;
}

static int weekday_of(int64_t ms, enum when_zone zone)
{
  char text[WHEN_TEXT_MAX];
  when_format(ms, zone, WHEN_DAY_HM, text);
  for (int i = 0; i < 7; i++)
    if (tolower((unsigned char)text[0]) == weekdays[i][0] && text[1] == weekdays[i][1] && text[2] == weekdays[i][2])
      return i;
  return 0;
}

/* --- words --------------------------------------------------------------------------------------------------------------- */

/* Small letters, single blanks, none at the ends. */
static bool tidy(const char *text, char out[TEXT_MAX])
{
  size_t n = 0;
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    bool blank = c == ' ' || c == '\t';
    if (blank && (n == 0 || out[n - 1] == ' '))
      continue;
    if (n + 1 >= TEXT_MAX)
      return false;
    out[n++] = blank ? ' ' : (char)tolower(c);
  }
  while (n > 0 && out[n - 1] == ' ')
    n--;
  out[n] = '\0';
  return n > 0;
}

static bool begins(const char *text, const char *word, const char **rest)
{
  size_t n = strlen(word);
  if (strncmp(text, word, n) != 0)
    return false;
  *rest = text + n;
  return true;
}

/* "3d" "3 days" "day": a length of time. */
static bool read_span(const char *text, int64_t *ms)
{
  static const struct {
    const char *word;
    int64_t ms;
  } units[] = {{"second", WHEN_SECOND}, {"sec", WHEN_SECOND},     {"minute", WHEN_MINUTE},
               {"min", WHEN_MINUTE},    {"hour", WHEN_HOUR},      {"day", WHEN_DAY},
               {"week", 7 * WHEN_DAY},  {"month", 30 * WHEN_DAY}, {"year", 365 * WHEN_DAY}};
  int64_t count = 0;
  const char *at = text, *rest = NULL;
  if (when_parse_span(text, ms))
    return *ms > 0;
  for (; *at >= '0' && *at <= '9' && count < 1000000; at++)
    count = count * 10 + (*at - '0');
  if (at == text)
    count = 1;
  at += at > text && *at == ' ';
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (begins(at, units[i].word, &rest) && (rest[0] == '\0' || (rest[0] == 's' && rest[1] == '\0'))) {
      *ms = count * units[i].ms;
      return count > 0 && count <= 1000000;
    }
  }
  return false;
}

/* "14:30" as minutes of the day. */
static bool read_clock(const char *text, int *minutes)
{
  bool digits = strlen(text) == 5 && text[2] == ':' && isdigit((unsigned char)text[0]) &&
                isdigit((unsigned char)text[1]) && isdigit((unsigned char)text[3]) && isdigit((unsigned char)text[4]);
  if (!digits)
    return false;
  int hour = (text[0] - '0') * 10 + (text[1] - '0'), minute = (text[3] - '0') * 10 + (text[4] - '0');
  *minutes = hour * 60 + minute;
  return hour < 24 && minute < 60;
}

/* So many minutes after midnight by the zone's clock; where summer time begins or ends that is not so many minutes of the day. */
static int64_t at_clock(int64_t day_ms, int minutes, enum when_zone zone)
{
  char text[WHEN_TEXT_MAX];
  int there = minutes;
  int64_t ms = day_ms + minutes * WHEN_MINUTE;
  if (read_clock(when_format(ms, zone, WHEN_HM, text), &there))
    ms += (minutes - there) * WHEN_MINUTE;
  return ms;
}

/* "2026-11-03", and with a clock of the zone behind it. */
static bool read_date(const struct reading *r, const char *text, struct moment *out)
{
  char date[11];
  int64_t utc = 0;
  int minutes = 0;
  size_t n = strlen(text);
  if (n < 10)
    return false;
  memcpy(date, text, 10);
  date[10] = '\0';
  if (!when_parse_iso(date, &utc))
    return false;
  *out = (struct moment){day_of_date(utc, r->zone), true};
  if (n == 10)
    return true;
  out->day = false;
  if ((text[10] == ' ' || text[10] == 't') && read_clock(text + 11, &minutes)) {
    out->ms = at_clock(out->ms, minutes, r->zone);
    return true;
  }
  char iso[TEXT_MAX]; /* with seconds or a zone of its own, whose letters are capitals */
  for (size_t i = 0; i <= n; i++)
    iso[i] = (char)toupper((unsigned char)text[i]);
  return when_parse_iso(iso, &out->ms);
}

static bool read_moment(const struct reading *r, const char *text, struct moment *out)
{
  int64_t today = when_day_start(r->now_ms, r->zone), span = 0;
  int minutes = 0;
  size_t n = strlen(text);
  *out = (struct moment){.day = true};
  if (strcmp(text, "now") == 0) {
    *out = (struct moment){r->now_ms, false};
  } else if (strcmp(text, "today") == 0) {
    out->ms = today;
  } else if (strcmp(text, "yesterday") == 0) {
    out->ms = day_before(today, r->zone);
  } else if (read_clock(text, &minutes)) {
    *out = (struct moment){at_clock(today, minutes, r->zone), false};
  } else if (n > 4 && strcmp(text + n - 4, " ago") == 0) {
    char before[TEXT_MAX] = "";
    memcpy(before, text, n - 4);
    before[n - 4] = '\0';
    *out = (struct moment){r->now_ms, false};
    if (!read_span(before, &span))
      return false;
    out->ms -= span;
  } else if (text[0] == '-' && read_span(text + 1, &span)) {
    *out = (struct moment){r->now_ms - span, false};
  } else if (read_date(r, text, out)) {
    /* as it stands */
  } else {
    for (int i = 0; i < 7; i++) { /* the last such day, today included */
      if (n < 3 || strncmp(text, weekdays[i], n) != 0)
        continue;
      out->ms = today;
      while (weekday_of(out->ms, r->zone) != i)
        out->ms = day_before(out->ms, r->zone);
      return true;
    }
    return false;
  }
  return true;
}

static int64_t end_of(const struct reading *r, const struct moment *m)
{
  return m->day ? next_day(m->ms, r->zone) - 1 : m->ms;
}

/* --- forms --------------------------------------------------------------------------------------------------------------- */

/* "this week" and the like; until now, or the whole one before. */
static bool read_calendar(const struct reading *r, const char *text, struct when_range *out)
{
  int64_t today = when_day_start(r->now_ms, r->zone), week = today, month = when_month_start(r->now_ms, r->zone);
  while (weekday_of(week, r->zone) != 1)
    week = day_before(week, r->zone);
  bool this_one = strncmp(text, "this ", 5) == 0, last = strncmp(text, "last ", 5) == 0;
  if (!this_one && !last)
    return false;
  if (strcmp(text + 5, "week") == 0) {
    int64_t before = week;
    for (int i = 0; i < 7; i++)
      before = day_before(before, r->zone);
    *out = this_one ? (struct when_range){week, INT64_MAX, false} : (struct when_range){before, week - 1, false};
  } else if (strcmp(text + 5, "month") == 0) {
    *out = this_one ? (struct when_range){month, INT64_MAX, false}
                    : (struct when_range){when_month_start(month - 1, r->zone), month - 1, false};
  } else {
    return false;
  }
  return true;
}

/* The two ends of "A..B" or "A to B"; an end may be missing. */
static bool split(const char *text, char first[TEXT_MAX], char second[TEXT_MAX])
{
  static const char *const marks[] = {"..", " to ", " until ", " - "};
  const char *rest = NULL;
  if (begins(text, "from ", &rest) || begins(text, "between ", &rest))
    text = rest;
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const char *mark = strstr(text, marks[i]);
    if (mark == NULL)
      continue;
    size_t n = (size_t)(mark - text);
    char part[TEXT_MAX] = "";
    memcpy(part, text, n);
    part[n] = '\0';
    if (!tidy(part, first))
      first[0] = '\0';
    if (!tidy(mark + strlen(marks[i]), second))
      second[0] = '\0';
    return true;
  }
  return false;
}

static bool say(char why[WHEN_RANGE_WHY_MAX], const char *text, const char *rest)
{
  snprintf(why, WHEN_RANGE_WHY_MAX, "\"%.40s\" %s", text, rest);
  return false;
}

static bool read_ends(const struct reading *r, const char *first, const char *second, struct when_range *out,
                      char why[WHEN_RANGE_WHY_MAX])
{
  struct moment from = {INT64_MIN, false}, to = {INT64_MAX, false};
  if (first[0] != '\0' && !read_moment(r, first, &from))
    return say(why, first, "is no time: 2026-11-01, 2026-11-01 14:00, 14:00, monday, yesterday, 3d ago");
  if (second[0] != '\0' && strcmp(second, "now") != 0 && !read_moment(r, second, &to))
    return say(why, second, "is no time: 2026-11-07, 2026-11-07 14:00, 14:00, monday, yesterday, now");
  *out = (struct when_range){from.ms, to.ms == INT64_MAX ? INT64_MAX : end_of(r, &to), false};
  return true;
}

static bool read_form(const struct reading *r, const char *text, struct when_range *out, char why[WHEN_RANGE_WHY_MAX])
{
  char first[TEXT_MAX] = "", second[TEXT_MAX] = "";
  const char *rest = text;
  int64_t span = 0;
  struct moment m = {0, false};
  if (strcmp(text, "all") == 0 || strcmp(text, "everything") == 0) {
    *out = (struct when_range){INT64_MIN, INT64_MAX, false};
    return true;
  }
  if (read_calendar(r, text, out))
    return true;
  if (begins(text, "last ", &rest) || begins(text, "past ", &rest) || read_span(text, &span)) {
    if (span == 0 && !read_span(rest, &span))
      return say(why, text, "is no length of time: last 3 days, last 12h, last 90 minutes");
    *out = (struct when_range){r->now_ms - span, INT64_MAX, true};
    return true;
  }
  if (split(text, first, second))
    return read_ends(r, first, second, out, why);
  if (begins(text, "since ", &rest))
    return read_ends(r, rest, "", out, why);
  if (begins(text, "until ", &rest))
    return read_ends(r, "", rest, out, why);
  if (!read_moment(r, text, &m))
    return say(why, text, "is no range of time: 2026-11-01..2026-11-07, last 3 days, yesterday, 12h, all");
  *out = (struct when_range){m.ms, m.day ? end_of(r, &m) : INT64_MAX, false};
  return true;
}

bool when_parse_range(const char *text, int64_t now_ms, enum when_zone zone, struct when_range *out,
                      char why[WHEN_RANGE_WHY_MAX])
{
  const struct reading r = {now_ms, zone};
  char tidied[TEXT_MAX] = "";
  why[0] = '\0';
  if (text == NULL || !tidy(text, tidied))
    return say(why, "", "is no range of time: 2026-11-01..2026-11-07, last 3 days, yesterday, 12h, all");
  if (!read_form(&r, tidied, out, why))
    return false;
  if (out->until_ms != INT64_MAX && out->until_ms >= now_ms)
    out->until_ms = INT64_MAX;
  if (out->since_ms >= now_ms && out->since_ms != INT64_MIN)
    return say(why, tidied, "begins later than now");
  if (out->since_ms > out->until_ms)
    return say(why, tidied, "ends before it begins");
  return true;
}
