/* Points in time and spans: int64 milliseconds, UTC, since the epoch. WHEN_NONE is "absent". */
#ifndef GLUETOP_BASE_WHEN_H
#define GLUETOP_BASE_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEN_NONE   INT64_MIN
#define WHEN_SECOND INT64_C(1000)
#define WHEN_MINUTE (60 * WHEN_SECOND)
#define WHEN_HOUR   (60 * WHEN_MINUTE)
#define WHEN_DAY    (24 * WHEN_HOUR)

/* Civil time without a zone; month 1..12, weekday 0 = Sunday. Proleptic Gregorian, any int year. */
struct when_civil {
  int year, month, day, hour, minute, second, milli, weekday;
};
struct when_civil when_to_civil(int64_t ms);
int64_t when_from_civil(const struct when_civil *c); /* weekday ignored */
int when_days_in_month(int year, int month);

/* "2026-11-30T23:06:02.123Z" and forms with offset, without fraction, with any number of fraction digits, with a
 * suffix "UTC", with a blank for the T, date alone (midnight UTC). False: not a time. */
bool when_parse_iso(const char *s, int64_t *ms);
/* "20240319T110034Z" */
bool when_parse_basic(const char *s, int64_t *ms);
/* RFC 9110 HTTP dates: the fixed-length form and the two obsolete ones. */
bool when_parse_http(const char *s, int64_t *ms);
/* "90s" "30m" "12h" "7d" "2w" as a span; "0" is 0. */
bool when_parse_span(const char *s, int64_t *ms);

#define WHEN_TEXT_MAX 40
/* ISO 8601 with milliseconds and Z, for JSON. out holds WHEN_TEXT_MAX bytes; WHEN_NONE gives "". Returns out. */
char *when_format_iso(int64_t ms, char out[WHEN_TEXT_MAX]);
char *when_format_basic(int64_t ms, char out[WHEN_TEXT_MAX]); /* 20240319T110034Z */

/* How the screen shows times: the local zone (TZ) or UTC. */
enum when_zone { WHEN_LOCAL, WHEN_UTC };
/* "14:03" · "14:03:22" · "Mon 14:03" · "2026-11-30 14:03" · the same with seconds; zone letters are separate. */
enum when_style { WHEN_HM, WHEN_HMS, WHEN_DAY_HM, WHEN_DATE_HM, WHEN_DATE_HMS, WHEN_DATE };
char *when_format(int64_t ms, enum when_zone zone, enum when_style style, char out[WHEN_TEXT_MAX]);
/* "CET", "UTC", "-03": the letters in force at that moment. */
char *when_zone_letters(int64_t ms, enum when_zone zone, char out[WHEN_TEXT_MAX]);
/* Start of the day, month (in that zone) that holds ms. */
int64_t when_day_start(int64_t ms, enum when_zone zone);
int64_t when_month_start(int64_t ms, enum when_zone zone);
int64_t when_month_end(int64_t ms, enum when_zone zone); /* start of the next month */

/* "42s" "3m07s" "1h04m" "2d06h"; negative spans have a minus. */
char *when_format_span(int64_t ms, char out[WHEN_TEXT_MAX]);
/* Coarse age for labels that must not tick: "<1m" "4m" "2h" "3d". */
char *when_format_age(int64_t ms, char out[WHEN_TEXT_MAX]);

#endif
