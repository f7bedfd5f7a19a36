#include "base/when.h"

#include <string.h>

/* Years that from_civil takes as they are; what lies beyond is clamped, so that no sum below leaves 64 bits. int64
 * milliseconds reach to about 292 million years. */
#define WHEN_YEAR_LIMIT INT64_C(280000000)
/* The years a text of the outside may name, and what json_time takes. */
#define WHEN_TEXT_YEAR_MAX 9999

/* Days from 1970-01-01, by counting 400-year eras of years that begin in March (the leap day is then the last). */
static int64_t when_days_from_civil(int64_t year, int month, int day)
{
  if (month <= 2)
    year--;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t year_of_era = year - era * 400;
  int64_t month_from_march = (month + 9) % 12;
  int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct when_civil when_to_civil(int64_t ms)
{
  int64_t days = ms / WHEN_DAY;
  int64_t rest = ms % WHEN_DAY;
  if (rest < 0) {
    rest += WHEN_DAY;
    days--;
  }
  int64_t weekday = (days % 7 + 11) % 7; /* 1970-01-01 was a Thursday */

  int64_t z = days + 719468;
  int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  int64_t day_of_era = z - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month_from_march = (5 * day_of_year + 2) / 153;
  int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

  return (struct when_civil){
      .year = (int)year,
      .month = (int)month,
      .day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
      .hour = (int)(rest / WHEN_HOUR),
      .minute = (int)(rest % WHEN_HOUR / WHEN_MINUTE),
      .second = (int)(rest % WHEN_MINUTE / WHEN_SECOND),
      .milli = (int)(rest % WHEN_SECOND),
      .weekday = (int)weekday,
  };
}

int64_t when_from_civil(const struct when_civil *c)
{
  /* Months outside 1..12 move the year: the caller may add months freely. Other fields add up linearly. */
  int64_t months = (int64_t)c->month - 1;
  int64_t year = c->year + (months >= 0 ? months / 12 : -((11 - months) / 12));
  int month = (int)((months % 12 + 12) % 12) + 1;
  if (year > WHEN_YEAR_LIMIT)
    year = WHEN_YEAR_LIMIT;
  if (year < -WHEN_YEAR_LIMIT)
    year = -WHEN_YEAR_LIMIT;
  int64_t days = when_days_from_civil(year, month, 1) + (int64_t)c->day - 1;
  return days * WHEN_DAY + c->hour * WHEN_HOUR + c->minute * WHEN_MINUTE + c->second * WHEN_SECOND + c->milli;
}

static bool when_is_leap(int year)
{
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int when_days_in_month(int year, int month)
{
  static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12)
    return 0;
  return month == 2 && when_is_leap(year) ? 29 : days[month - 1];
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* A place in a text; every reader moves it only when it succeeds. */
struct when_reader {
  const char *at;
};

static bool when_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool when_take(struct when_reader *r, char c)
{
  if (*r->at != c)
    return false;
  r->at++;
  return true;
}

static bool when_take_word(struct when_reader *r, const char *word)
{
  size_t len = strlen(word);
  if (strncmp(r->at, word, len) != 0)
    return false;
  r->at += len;
  return true;
}

/* Exactly count digits. */
static bool when_take_digits(struct when_reader *r, int count, int *out)
{
  int value = 0;
  for (int i = 0; i < count; i++) {
    if (!when_is_digit(r->at[i]))
      return false;
    value = value * 10 + (r->at[i] - '0');
  }
  r->at += count;
  *out = value;
  return true;
}

/* Index of the name that stands here, or -1. Names come in the table's order, so longer ones must not hide. */
static int when_take_name(struct when_reader *r, const char *const *names, int count)
{
  for (int i = 0; i < count; i++) {
    if (when_take_word(r, names[i]))
      return i;
  }
  return -1;
}

static bool when_civil_ok(const struct when_civil *c)
{
  /* Second 60 is a leap second: taken, and the same as the next second. */
  return c->month >= 1 && c->month <= 12 && c->day >= 1 && c->day <= when_days_in_month(c->year, c->month) &&
         c->hour >= 0 && c->hour <= 23 && c->minute >= 0 && c->minute <= 59 && c->second >= 0 && c->second <= 60;
}

static bool when_take_iso_zone(struct when_reader *r, int64_t *offset_ms)
{
  *offset_ms = 0;
  if (when_take(r, 'Z') || when_take(r, 'z'))
    return true;
  struct when_reader word = *r;
  (void)when_take(&word, ' ');
  if (when_take_word(&word, "UTC") || when_take_word(&word, "GMT")) {
    *r = word;
    return true;
  }
  char sign = *r->at;
  if (sign != '+' && sign != '-')
    return true; /* no zone: UTC */
  r->at++;
  int hours = 0;
  int minutes = 0;
  if (!when_take_digits(r, 2, &hours))
    return false;
  bool colon = when_take(r, ':');
  if (!when_take_digits(r, 2, &minutes) && colon)
    return false;
  if (hours > 23 || minutes > 59)
    return false;
  int64_t span = hours * WHEN_HOUR + minutes * WHEN_MINUTE;
  *offset_ms = sign == '-' ? -span : span;
  return true;
}

bool when_parse_iso(const char *s, int64_t *ms)
{
  if (s == NULL)
    return false;
  struct when_reader r = {.at = s};
  struct when_civil c = {0};
  int64_t offset = 0;
  bool before_zero = when_take(&r, '-'); /* what when_format_iso writes for such years */
  if (!when_take_digits(&r, 4, &c.year) || !when_take(&r, '-') || !when_take_digits(&r, 2, &c.month) ||
      !when_take(&r, '-') || !when_take_digits(&r, 2, &c.day))
    return false;
  if (before_zero)
    c.year = -c.year;
  if (*r.at != '\0') {
    if (!when_take(&r, 'T') && !when_take(&r, 't') && !when_take(&r, ' '))
      return false;
    if (!when_take_digits(&r, 2, &c.hour) || !when_take(&r, ':') || !when_take_digits(&r, 2, &c.minute))
      return false;
    if (when_take(&r, ':')) {
      if (!when_take_digits(&r, 2, &c.second))
        return false;
      if (when_take(&r, '.') || when_take(&r, ',')) {
        if (!when_is_digit(*r.at))
          return false;
        int unit = 100;
        for (; when_is_digit(*r.at); r.at++, unit /= 10)
          c.milli += (*r.at - '0') * unit; /* beyond the third digit unit is 0: cut, not rounded */
      }
    }
    if (!when_take_iso_zone(&r, &offset))
      return false;
  }
  if (*r.at != '\0' || !when_civil_ok(&c))
    return false;
  *ms = when_from_civil(&c) - offset;
  return true;
}

bool when_parse_basic(const char *s, int64_t *ms)
{
  if (s == NULL)
    return false;
  struct when_reader r = {.at = s};
  struct when_civil c = {0};
  if (!when_take_digits(&r, 4, &c.year) || !when_take_digits(&r, 2, &c.month) || !when_take_digits(&r, 2, &c.day) ||
      !when_take(&r, 'T') || !when_take_digits(&r, 2, &c.hour) || !when_take_digits(&r, 2, &c.minute) ||
      !when_take_digits(&r, 2, &c.second) || !when_take(&r, 'Z') || *r.at != '\0' || !when_civil_ok(&c))
    return false;
  *ms = when_from_civil(&c);
  return true;
}

static bool when_take_clock(struct when_reader *r, struct when_civil *c)
{
  return when_take_digits(r, 2, &c->hour) && when_take(r, ':') && when_take_digits(r, 2, &c->minute) &&
         when_take(r, ':') && when_take_digits(r, 2, &c->second);
}

bool when_parse_http(const char *s, int64_t *ms)
{
  static const char *const months[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  /* Long names first: "Sun" begins "Sunday". */
  static const char *const days[14] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
                                       "Sun",    "Mon",    "Tue",     "Wed",       "Thu",      "Fri",    "Sat"};
  if (s == NULL)
    return false;
  struct when_reader r = {.at = s};
  struct when_civil c = {0};
  int day_name = when_take_name(&r, days, 14);
  bool ok = false;
  if (day_name < 0)
    return false;
  if (day_name < 7) { /* Sunday, 06-Nov-94 08:49:37 GMT */
    ok = when_take_word(&r, ", ") && when_take_digits(&r, 2, &c.day) && when_take(&r, '-');
    c.month = when_take_name(&r, months, 12) + 1;
    ok = ok && when_take(&r, '-') && when_take_digits(&r, 2, &c.year) && when_take(&r, ' ') &&
         when_take_clock(&r, &c) && when_take_word(&r, " GMT");
    /* RFC 9110 reads a year more than 50 years ahead as past. Without asking the clock: 00..69 is this century. */
    c.year += c.year < 70 ? 2000 : 1900;
  } else if (when_take(&r, ',')) { /* Sun, 06 Nov 1994 08:49:37 GMT */
    ok = when_take(&r, ' ') && when_take_digits(&r, 2, &c.day) && when_take(&r, ' ');
    c.month = when_take_name(&r, months, 12) + 1;
    ok = ok && when_take(&r, ' ') && when_take_digits(&r, 4, &c.year) && when_take(&r, ' ') &&
         when_take_clock(&r, &c) && when_take_word(&r, " GMT");
  } else { /* Sun Nov  6 08:49:37 1994 */
    ok = when_take(&r, ' ');
    c.month = when_take_name(&r, months, 12) + 1;
    ok = ok && when_take(&r, ' ') &&
         (when_take(&r, ' ') ? when_take_digits(&r, 1, &c.day) : when_take_digits(&r, 2, &c.day)) &&
         when_take(&r, ' ') && when_take_clock(&r, &c) && when_take(&r, ' ') && when_take_digits(&r, 4, &c.year);
  }
  if (!ok || *r.at != '\0' || !when_civil_ok(&c))
    return false;
  *ms = when_from_civil(&c);
  return true;
}

bool when_parse_span(const char *s, int64_t *ms)
{
  if (s == NULL || !when_is_digit(*s))
    return false;
  int64_t count = 0;
  for (; when_is_digit(*s); s++) {
    count = count * 10 + (*s - '0');
    if (count > INT64_C(1000000000000)) /* no unit makes sense of more, and the product stays in 64 bits */
      return false;
  }
  int64_t unit = 0;
  switch (*s) {
  case '\0':
    if (count != 0)
      return false;
    *ms = 0;
    return true;
  case 's':
    unit = WHEN_SECOND;
    break;
  case 'm':
    unit = WHEN_MINUTE;
    break;
  case 'h':
    unit = WHEN_HOUR;
    break;
  case 'd':
    unit = WHEN_DAY;
    break;
  case 'w':
    unit = 7 * WHEN_DAY;
    break;
  default:
    return false;
  }
  /* A span as long as the whole calendar: now minus it must still be a time. */
  if (s[1] != '\0' || count > WHEN_TEXT_YEAR_MAX * 366 * WHEN_DAY / unit)
    return false;
  *ms = count * unit;
  return true;
}
