#include "base/when.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- the local zone ----------------------------------------------------------------------------------------------- */

/* Whole seconds, rounded down. */
static int64_t when_floor_seconds(int64_t ms)
{
  return ms / WHEN_SECOND - (ms % WHEN_SECOND < 0 ? 1 : 0);
}

/* The C library's local time at ms; false where it knows none (years beyond its int). */
static bool when_local_tm(int64_t ms, struct tm *out)
{
  tzset(); /* localtime_r need not read TZ by itself */
  time_t seconds = (time_t)when_floor_seconds(ms);
  return localtime_r(&seconds, out) != NULL;
}

/* What a clock on the wall shows at ms, counted as if it were UTC. */
static int64_t when_wall(int64_t ms, enum when_zone zone)
{
  struct tm tm;
  if (zone == WHEN_UTC || !when_local_tm(ms, &tm))
    return ms;
  struct when_civil c = {
      .year = tm.tm_year + 1900,
      .month = tm.tm_mon + 1,
      .day = tm.tm_mday,
      .hour = tm.tm_hour,
      .minute = tm.tm_min,
      .second = tm.tm_sec,
  };
  int64_t milli = ms % WHEN_SECOND;
  return when_from_civil(&c) + (milli < 0 ? milli + WHEN_SECOND : milli);
}

/* The first moment at which the wall shows midnight of this civil day, or, where summer time skips that midnight, the
 * first moment after it. near is some moment of that day or close to it. */
static int64_t when_at_midnight(int64_t wall_midnight, int64_t near, enum when_zone zone)
{
  if (zone == WHEN_UTC)
    return wall_midnight;
  int64_t guess = wall_midnight - (when_wall(near, zone) - near);
  if (when_wall(guess, zone) == wall_midnight && when_wall(guess - WHEN_HOUR, zone) < wall_midnight)
    return guess;
  /* Offsets lie within a day of UTC. Wall time falls back only by an hour or so, hence "the wall shows midnight or
   * later" turns true once in this span, and halving finds it. */
  int64_t before = wall_midnight - 26 * WHEN_HOUR;
  int64_t after = wall_midnight + 26 * WHEN_HOUR;
  while (after - before > 1) {
    int64_t middle = before + (after - before) / 2;
    if (when_wall(middle, zone) >= wall_midnight)
      after = middle;
    else
      before = middle;
  }
  return after;
}

/* Beyond these the sums with days and months would leave 64 bits; nothing real lies there. */
static bool when_is_far(int64_t ms)
{
  return ms > INT64_MAX / 2 || ms < INT64_MIN / 2;
}

int64_t when_day_start(int64_t ms, enum when_zone zone)
{
  if (when_is_far(ms))
    return ms;
  struct when_civil c = when_to_civil(when_wall(ms, zone));
  struct when_civil day = {.year = c.year, .month = c.month, .day = c.day};
  return when_at_midnight(when_from_civil(&day), ms, zone);
}

static int64_t when_month_edge(int64_t ms, enum when_zone zone, int months_later)
{
  if (when_is_far(ms))
    return ms;
  struct when_civil c = when_to_civil(when_wall(ms, zone));
  struct when_civil first = {.year = c.year, .month = c.month + months_later, .day = 1};
  int64_t wall = when_from_civil(&first);
  return when_at_midnight(wall, wall, zone);
}

int64_t when_month_start(int64_t ms, enum when_zone zone)
{
  return when_month_edge(ms, zone, 0);
}

int64_t when_month_end(int64_t ms, enum when_zone zone)
{
  return when_month_edge(ms, zone, 1);
}

char *when_zone_letters(int64_t ms, enum when_zone zone, char out[WHEN_TEXT_MAX])
{
  struct tm tm;
  size_t len = 0;
  if (zone == WHEN_LOCAL && ms != WHEN_NONE && when_local_tm(ms, &tm))
    len = strftime(out, WHEN_TEXT_MAX, "%Z", &tm);
  /* TZ comes from outside: letters are letters, digits and a sign, or they are not shown. */
  if (len > 0 && strspn(out, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-") == len)
    return out;
  snprintf(out, WHEN_TEXT_MAX, "%s", "UTC");
  return out;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

char *when_format_iso(int64_t ms, char out[WHEN_TEXT_MAX])
{
  out[0] = '\0';
  if (ms != WHEN_NONE) {
    struct when_civil c = when_to_civil(ms);
    snprintf(out, WHEN_TEXT_MAX, "%s%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", c.year < 0 ? "-" : "",
             c.year < 0 ? -c.year : c.year, c.month, c.day, c.hour, c.minute, c.second, c.milli);
  }
  return out;
}

char *when_format_basic(int64_t ms, char out[WHEN_TEXT_MAX])
{
  out[0] = '\0';
  if (ms != WHEN_NONE) {
    struct when_civil c = when_to_civil(ms);
    snprintf(out, WHEN_TEXT_MAX, "%04d%02d%02dT%02d%02d%02dZ", c.year, c.month, c.day, c.hour, c.minute, c.second);
  }
  return out;
}

char *when_format(int64_t ms, enum when_zone zone, enum when_style style, char out[WHEN_TEXT_MAX])
{
  static const char *const days[7] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  out[0] = '\0';
  if (ms == WHEN_NONE)
    return out;
  struct when_civil c = when_to_civil(when_wall(ms, zone));
  switch (style) {
  case WHEN_HM:
    snprintf(out, WHEN_TEXT_MAX, "%02d:%02d", c.hour, c.minute);
    break;
  case WHEN_HMS:
    snprintf(out, WHEN_TEXT_MAX, "%02d:%02d:%02d", c.hour, c.minute, c.second);
    break;
  case WHEN_DAY_HM:
    snprintf(out, WHEN_TEXT_MAX, "%s %02d:%02d", days[c.weekday], c.hour, c.minute);
    break;
  case WHEN_DATE_HM:
    snprintf(out, WHEN_TEXT_MAX, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day, c.hour, c.minute);
    break;
  case WHEN_DATE_HMS:
    snprintf(out, WHEN_TEXT_MAX, "%04d-%02d-%02d %02d:%02d:%02d", c.year, c.month, c.day, c.hour, c.minute, c.second);
    break;
  case WHEN_DATE:
    snprintf(out, WHEN_TEXT_MAX, "%04d-%02d-%02d", c.year, c.month, c.day);
    break;
  }
  return out;
}

/* The size of a span; INT64_MIN has one too. */
static uint64_t when_magnitude(int64_t ms)
{
  return ms < 0 ? (uint64_t)0 - (uint64_t)ms : (uint64_t)ms;
}

char *when_format_span(int64_t ms, char out[WHEN_TEXT_MAX])
{
  out[0] = '\0';
  if (ms == WHEN_NONE)
    return out;
  unsigned long long seconds = when_magnitude(ms) / 1000;
  const char *sign = ms < 0 && seconds > 0 ? "-" : "";
  if (seconds < 60)
    snprintf(out, WHEN_TEXT_MAX, "%s%llus", sign, seconds);
  else if (seconds < 3600)
    snprintf(out, WHEN_TEXT_MAX, "%s%llum%02llus", sign, seconds / 60, seconds % 60);
  else if (seconds < 86400)
    snprintf(out, WHEN_TEXT_MAX, "%s%lluh%02llum", sign, seconds / 3600, seconds % 3600 / 60);
  else
    snprintf(out, WHEN_TEXT_MAX, "%s%llud%02lluh", sign, seconds / 86400, seconds % 86400 / 3600);
  return out;
}

char *when_format_age(int64_t ms, char out[WHEN_TEXT_MAX])
{
  out[0] = '\0';
  if (ms == WHEN_NONE)
    return out;
  long long minutes = ms / WHEN_MINUTE;
  if (minutes < 1)
    snprintf(out, WHEN_TEXT_MAX, "<1m"); /* a time slightly ahead of our clock, too */
  else if (minutes < 60)
    snprintf(out, WHEN_TEXT_MAX, "%lldm", minutes);
  else if (minutes < 24 * 60)
    snprintf(out, WHEN_TEXT_MAX, "%lldh", minutes / 60);
  else
    snprintf(out, WHEN_TEXT_MAX, "%lldd", minutes / (24 * 60));
  return out;
}
