#include "model/cron.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/when.h"

enum field { FIELD_MINUTE, FIELD_HOUR, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY, FIELD_YEAR, FIELD_COUNT };

static const struct field_info {
  const char *name;
  int min, max;
  int max_step;
  const char *const *words; /* word i means min + i */
} fields[FIELD_COUNT] = {
    {"minutes", 0, 59, 59, NULL},
    {"hours", 0, 23, 23, NULL},
    {"day of month", 1, 31, 31, NULL},
    {"month", 1, 12, 12,
     (const char *const[]){"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC", NULL}},
    {"day of week", 1, 7, 7, (const char *const[]){"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", NULL}},
    {"year", CRON_YEAR_FIRST, CRON_YEAR_LAST, CRON_YEAR_LAST - CRON_YEAR_FIRST, NULL},
};

/* A place in the text; errors are kept in the reader, the first one wins. */
struct reader {
  const char *text;
  int at;
  int end; /* of the field */
  struct cron_error error;
  bool failed;
};

__attribute__((format(printf, 3, 4))) static bool refuse(struct reader *r, int position, const char *format, ...)
{
  va_list args;
  char what[120];
  if (r->failed)
    return false;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  for (char *c = what; *c != '\0'; c++) /* the expression comes from outside */
    if (*c < ' ' || *c > '~')
      *c = '?';
  r->failed = true;
  r->error.position = position;
  snprintf(r->error.text, sizeof r->error.text, "%s (character %d)", what, position + 1);
  return false;
}

static char upper(char c)
{
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The character under the reader, upper case; NUL at the end of the field. */
static char look(const struct reader *r)
{
  return r->at < r->end ? upper(r->text[r->at]) : '\0';
}

static bool take(struct reader *r, char c)
{
  if (look(r) != c)
    return false;
  r->at++;
  return true;
}

static bool read_number(struct reader *r, const char *what, int *value)
{
  int begin = r->at, n = 0;
  while (r->at < r->end && is_digit(r->text[r->at])) {
    if (r->at - begin < 6)
      n = n * 10 + (r->text[r->at] - '0');
    r->at++;
  }
  if (r->at == begin)
    return refuse(r, begin, "%s: a number is missing", what);
  if (r->at - begin > 6)
    return refuse(r, begin, "%s: the number is too long", what);
  *value = n;
  return true;
}

static bool read_value(struct reader *r, const struct field_info *f, int *value)
{
  int begin = r->at;
  if (is_letter(look(r)) && f->words != NULL) {
    char word[4] = {0, 0, 0, 0};
    int n = 0;
    while (n < 3 && is_letter(look(r))) {
      word[n++] = look(r);
      r->at++;
    }
    for (int i = 0; f->words[i] != NULL; i++) {
      if (strcmp(word, f->words[i]) == 0) {
        *value = f->min + i;
        return true;
      }
    }
    return refuse(r, begin, "%s: \"%s\" is no name", f->name, word);
  }
  if (look(r) != '\0' && !is_digit(look(r)))
    return refuse(r, begin, "%s: \"%c\" has no meaning here", f->name, r->text[begin]);
  if (!read_number(r, f->name, value))
    return false;
  if (*value < f->min || *value > f->max)
    return refuse(r, begin, "%s: %d is not in %d-%d", f->name, *value, f->min, f->max);
  return true;
}

static void set_bit(uint64_t bits[4], int i)
{
  bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool get_bit(const uint64_t bits[4], int i)
{
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

/* Was what was just read a single value, not a range or a step? */
static bool was_single(const struct reader *r, int begin)
{
  for (int i = begin; i < r->at; i++)
    if (!is_digit(r->text[i]) && !is_letter(r->text[i]))
      return false;
  return r->at > begin;
}

/* Value, range, '*', each with an optional step, into bits (index: value - min). */
static bool read_plain(struct reader *r, enum field which, uint64_t bits[4])
{
  const struct field_info *f = &fields[which];
  int begin = r->at, from = f->min, to = f->max, step = 1, span = f->max - f->min + 1;
  bool open = true; /* goes to the end of the field's range when a step follows */
  if (!take(r, '*') && look(r) != '/') {
    if (!read_value(r, f, &from))
      return false;
    if (take(r, '-')) {
      if (!read_value(r, f, &to))
        return false;
      if (to < from && which == FIELD_YEAR)
        return refuse(r, begin, "year: the range %d-%d runs backwards", from, to);
    } else {
      open = false;
    }
  }
  if (take(r, '/')) {
    int at = r->at;
    if (!read_number(r, f->name, &step))
      return false;
    if (step < 1 || step > f->max_step)
      return refuse(r, at, "%s: the step %d is not in 1-%d", f->name, step, f->max_step);
    if (!open)
      to = f->max;
  } else if (!open) {
    to = from;
  }
  if (to < from)
    to += span;
  for (int v = from; v <= to; v += step)
    set_bit(bits, (v - f->min) % span);
  return true;
}

static bool read_day(struct reader *r, struct cron *c)
{
  int begin = r->at;
  uint64_t bits[4] = {0, 0, 0, 0};
  if (take(r, 'L')) {
    int back = 0;
    if (take(r, '-')) {
      int at = r->at;
      if (!read_number(r, "day of month", &back))
        return false;
      if (back > 30)
        return refuse(r, at, "day of month: L-%d is before any month's first day", back);
    }
    if (take(r, 'W'))
      c->near_last_days |= UINT32_C(1) << back;
    else
      c->last_days |= UINT32_C(1) << back;
    return true;
  }
  if (!read_plain(r, FIELD_DAY, bits))
    return false;
  if (look(r) == 'W') {
    int day = 0;
    while (day < 31 && !get_bit(bits, day))
      day++;
    if (!was_single(r, begin))
      return refuse(r, begin, "day of month: W stands behind a single day");
    r->at++;
    c->near_days |= UINT32_C(1) << (day + 1);
    return true;
  }
  c->days |= (uint32_t)(bits[0] << 1);
  return true;
}

static bool read_weekday(struct reader *r, struct cron *c, bool alone)
{
  int begin = r->at, mark = 0, day = 0;
  uint64_t bits[4] = {0, 0, 0, 0};
  if (take(r, 'L')) { /* the last day of the week */
    c->weekdays |= 1U << 7;
    return true;
  }
  if (!read_plain(r, FIELD_WEEKDAY, bits))
    return false;
  mark = r->at;
  if (look(r) != 'L' && look(r) != '#') {
    c->weekdays |= (uint8_t)(bits[0] << 1);
    return true;
  }
  if (!was_single(r, begin))
    return refuse(r, begin, "day of week: L and # stand behind a single day");
  while (day < 6 && !get_bit(bits, day))
    day++;
  day++;
  if (take(r, 'L')) {
    c->last_weekdays |= (uint8_t)(1U << day);
    return true;
  }
  r->at++;
  int at = r->at, nth = 0;
  if (!read_number(r, "day of week", &nth))
    return false;
  if (nth < 1 || nth > 5)
    return refuse(r, at, "day of week: #%d is not in 1-5", nth);
  if (!alone)
    return refuse(r, mark, "day of week: # cannot stand in a list");
  c->nth_weekday = (uint8_t)day;
  c->nth = (uint8_t)nth;
  return true;
}

static bool read_field(struct reader *r, enum field which, struct cron *c, bool *any)
{
  uint64_t bits[4] = {0, 0, 0, 0};
  bool alone = memchr(r->text + r->at, ',', (size_t)(r->end - r->at)) == NULL;
  *any = false;
  if (look(r) == '?' && (which == FIELD_DAY || which == FIELD_WEEKDAY)) {
    r->at++;
    *any = true;
    return r->at == r->end || refuse(r, r->at, "%s: ? stands alone", fields[which].name);
  }
  do {
    bool good = which == FIELD_DAY       ? read_day(r, c)
                : which == FIELD_WEEKDAY ? read_weekday(r, c, alone)
                                         : read_plain(r, which, bits);
    if (!good)
      return false;
  } while (take(r, ','));
  if (r->at < r->end)
    return refuse(r, r->at, "%s: \"%c\" has no meaning here", fields[which].name, r->text[r->at]);
  switch (which) {
  case FIELD_MINUTE:
    c->minutes = bits[0];
    break;
  case FIELD_HOUR:
    c->hours = (uint32_t)bits[0];
    break;
  case FIELD_MONTH:
    c->months = (uint16_t)(bits[0] << 1);
    break;
  case FIELD_YEAR:
    memcpy(c->years, bits, sizeof c->years);
    break;
  case FIELD_DAY:
  case FIELD_WEEKDAY:
  case FIELD_COUNT:
    break;
  }
  return true;
}

static bool read_expression(struct reader *r, struct cron *c)
{
  int end = (int)strlen(r->text), count = 0;
  int from[FIELD_COUNT], to[FIELD_COUNT];
  bool any[FIELD_COUNT];
  while (end > 0 && is_blank(r->text[end - 1]))
    end--;
  while (r->at < end && is_blank(r->text[r->at]))
    r->at++;
  r->end = end;
  if (is_letter(look(r))) {
    char word[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 4 && r->at + i < end; i++)
      word[i] = upper(r->text[r->at + i]);
    if (strcmp(word, "RATE") == 0)
      return refuse(r, r->at, "rate(...) is no schedule of Glue: cron(...) is");
    if (strcmp(word, "CRON") == 0) {
      r->at += 4;
      if (!take(r, '('))
        return refuse(r, r->at, "\"(\" is missing behind cron");
      if (r->text[end - 1] != ')')
        return refuse(r, end, "\")\" is missing at the end");
      end--;
    }
  }
  for (int i = r->at; i < end;) {
    while (i < end && is_blank(r->text[i]))
      i++;
    if (i == end)
      break;
    if (count == FIELD_COUNT)
      return refuse(r, i, "there are more than six fields");
    from[count] = i;
    while (i < end && !is_blank(r->text[i]))
      i++;
    to[count++] = i;
  }
  if (count < FIELD_COUNT)
    return refuse(r, end, "six fields are needed, %d found", count);
  for (int i = 0; i < FIELD_COUNT; i++) {
    r->at = from[i];
    r->end = to[i];
    if (!read_field(r, (enum field)i, c, &any[i]))
      return false;
  }
  if (any[FIELD_DAY] == any[FIELD_WEEKDAY])
    return refuse(r, from[any[FIELD_DAY] ? FIELD_WEEKDAY : FIELD_DAY],
                  any[FIELD_DAY] ? "day of month and day of week cannot both be ?"
                                 : "one of day of month and day of week must be ?");
  c->by_weekday = any[FIELD_DAY];
  return true;
}

bool cron_parse(const char *text, struct cron *out, struct cron_error *error)
{
  struct reader r = {.text = text == NULL ? "" : text};
  bool good = false;
  *out = (struct cron){0};
  if (strlen(r.text) > 4096)
    refuse(&r, 4096, "the expression is too long");
  else
    good = read_expression(&r, out);
  if (!good)
    *out = (struct cron){0};
  if (error != NULL)
    *error = r.error; /* empty when all is well */
  return good;
}

/* --- firing --------------------------------------------------------------------------------------------------------- */

/* 1 is Sunday. */
static int weekday_of(int year, int month, int day)
{
  struct when_civil at = {.year = year, .month = month, .day = day};
  return when_to_civil(when_from_civil(&at)).weekday + 1;
}

/* The working day nearest to `day` that lies in the same month. */
static int nearest_working_day(int first_weekday, int last, int day)
{
  int weekday = (first_weekday - 1 + day - 1) % 7 + 1;
  if (weekday == 7)
    return day == 1 ? 3 : day - 1;
  if (weekday == 1)
    return day == last ? day - 2 : day + 1;
  return day;
}

static uint32_t day_bit(int day)
{
  return day < 1 || day > 31 ? 0 : UINT32_C(1) << day;
}

uint32_t cron_days(const struct cron *c, int year, int month)
{
  int last = when_days_in_month(year, month), first_weekday = weekday_of(year, month, 1);
  uint32_t all = (uint32_t)((UINT64_C(1) << (last + 1)) - 2), days = 0;
  if (!c->by_weekday) {
    days = c->days & all;
    for (int n = 0; n < last; n++)
      if ((c->last_days >> n & 1) != 0)
        days |= UINT32_C(1) << (last - n);
    for (int n = 1; n <= last; n++) {
      if ((c->near_days >> n & 1) != 0)
        days |= day_bit(nearest_working_day(first_weekday, last, n));
      if ((c->near_last_days >> (n - 1) & 1) != 0)
        days |= day_bit(nearest_working_day(first_weekday, last, last - (n - 1)));
    }
    return days;
  }
  for (int day = 1; day <= last; day++) {
    int weekday = (first_weekday - 1 + day - 1) % 7 + 1;
    bool fires = (c->weekdays >> weekday & 1) != 0 || ((c->last_weekdays >> weekday & 1) != 0 && day + 7 > last) ||
                 (c->nth_weekday == weekday && (day - 1) / 7 + 1 == c->nth);
    if (fires)
      days |= UINT32_C(1) << day;
  }
  return days;
}

static int64_t moment(int year, int month, int day, int hour, int minute)
{
  struct when_civil at = {.year = year, .month = month, .day = day, .hour = hour, .minute = minute};
  return when_from_civil(&at);
}

static bool year_fires(const struct cron *c, int year)
{
  return year >= CRON_YEAR_FIRST && year <= CRON_YEAR_LAST && get_bit(c->years, year - CRON_YEAR_FIRST);
}

/* Lowest bit at or above from, highest at or below; -1: none. */
static int bit_up(uint64_t bits, int from)
{
  for (int i = from; i < 64; i++)
    if ((bits >> i & 1) != 0)
      return i;
  return -1;
}
static int bit_down(uint64_t bits, int from)
{
  for (int i = from; i >= 0; i--)
    if ((bits >> i & 1) != 0)
      return i;
  return -1;
}

/* Each level walks up from where the level above stands still on its first value; at most 230 years times 12 months. */
int64_t cron_next(const struct cron *c, int64_t after_ms)
{
  int64_t last = moment(CRON_YEAR_LAST, 12, 31, 23, 59);
  if (after_ms >= last || c->minutes == 0 || c->hours == 0)
    return WHEN_NONE;
  struct when_civil at = when_to_civil(after_ms < 0 ? 0 : after_ms - after_ms % WHEN_MINUTE + WHEN_MINUTE);
  for (int year = at.year; year <= CRON_YEAR_LAST; year++) {
    if (!year_fires(c, year))
      continue;
    bool same_year = year == at.year;
    for (int month = same_year ? at.month : 1; month <= 12; month++) {
      if ((c->months >> month & 1) == 0)
        continue;
      bool same_month = same_year && month == at.month;
      uint32_t days = cron_days(c, year, month);
      for (int day = bit_up(days, same_month ? at.day : 1); day >= 0; day = bit_up(days, day + 1)) {
        bool same_day = same_month && day == at.day;
        int hour = bit_up(c->hours, same_day ? at.hour : 0);
        int minute = hour < 0 ? -1 : bit_up(c->minutes, same_day && hour == at.hour ? at.minute : 0);
        if (hour >= 0 && minute < 0) {
          hour = bit_up(c->hours, hour + 1);
          minute = bit_up(c->minutes, 0);
        }
        if (hour >= 0)
          return moment(year, month, day, hour, minute);
      }
    }
  }
  return WHEN_NONE;
}

int64_t cron_previous(const struct cron *c, int64_t at_ms)
{
  int64_t last = moment(CRON_YEAR_LAST, 12, 31, 23, 59);
  if (at_ms < 0 || c->minutes == 0 || c->hours == 0)
    return WHEN_NONE;
  struct when_civil at = when_to_civil(at_ms > last ? last : at_ms);
  for (int year = at.year; year >= CRON_YEAR_FIRST; year--) {
    if (!year_fires(c, year))
      continue;
    bool same_year = year == at.year;
    for (int month = same_year ? at.month : 12; month >= 1; month--) {
      if ((c->months >> month & 1) == 0)
        continue;
      bool same_month = same_year && month == at.month;
      uint32_t days = cron_days(c, year, month);
      for (int day = bit_down(days, same_month ? at.day : 31); day >= 0; day = bit_down(days, day - 1)) {
        bool same_day = same_month && day == at.day;
        int hour = bit_down(c->hours, same_day ? at.hour : 23);
        int minute = hour < 0 ? -1 : bit_down(c->minutes, same_day && hour == at.hour ? at.minute : 59);
        if (hour >= 0 && minute < 0) {
          hour = bit_down(c->hours, hour - 1);
          minute = bit_down(c->minutes, 59);
        }
        if (hour >= 0)
          return moment(year, month, day, hour, minute);
      }
    }
  }
  return WHEN_NONE;
}

/* Does it fire on two days in a row, within a month or over a month's end? */
static bool has_neighbour_days(const struct cron *c)
{
  bool last_fires = false; /* the last day of the month before */
  for (int year = CRON_YEAR_FIRST; year <= CRON_YEAR_LAST; year++) {
    for (int month = 1; month <= 12; month++) {
      bool fires = year_fires(c, year) && (c->months >> month & 1) != 0;
      uint32_t days = fires ? cron_days(c, year, month) : 0;
      if ((days & (days >> 1)) != 0 || (last_fires && (days & 2) != 0))
        return true;
      last_fires = (days >> when_days_in_month(year, month) & 1) != 0;
    }
  }
  return false;
}

bool cron_too_fast(const struct cron *c)
{
  int first = bit_up(c->minutes, 0), last = bit_down(c->minutes, 59), before = -1;
  bool fires = cron_next(c, -1) != WHEN_NONE;
  if (!fires)
    return false;
  for (int m = first; m >= 0; m = bit_up(c->minutes, m + 1)) {
    if (before >= 0 && m - before < 5)
      return true;
    before = m;
  }
  if (first + 60 - last >= 5)
    return false;
  if ((c->hours & (c->hours >> 1)) != 0)
    return true;
  return (c->hours & 1) != 0 && (c->hours >> 23 & 1) != 0 && has_neighbour_days(c);
}
