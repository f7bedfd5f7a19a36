/* Times: civil arithmetic, the forms that services write, the local zone around summer time, spans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/when.h"
#include "base/when_range.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Rules as text, so that no zone files are needed. */
#define ZONE_CHICAGO   "CST6CDT,M3.2.0,M11.1.0"
#define ZONE_SAO_PAULO "<-03>3<-02>,M10.3.0/0,M2.3.0/0" /* as it was: summer began and ended at midnight */
#define ZONE_HAVANA    "CST5CDT,M3.2.0/0,M11.1.0/1"
#define ZONE_KATHMANDU "<+0545>-5:45"

static int64_t utc(const char *iso)
{
  int64_t ms = 0;
  if (!when_parse_iso(iso, &ms))
    fail_msg("the test's own time %s is not readable", iso);
  return ms;
}

static void test_civil_known_days(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int64_t ms;
    struct when_civil civil;
  } cases[] = {
      {"epoch", 0, {1970, 1, 1, 0, 0, 0, 0, 4}},
      {"one ms before", -1, {1969, 12, 31, 23, 59, 59, 999, 3}},
      {"leap day 2000", INT64_C(951782400000), {2000, 2, 29, 0, 0, 0, 0, 2}},
      {"day after", INT64_C(951868800000), {2000, 3, 1, 0, 0, 0, 0, 3}},
      {"2026-11-30T23:06:02.123", INT64_C(1796079962123), {2026, 11, 30, 23, 6, 2, 123, 1}},
      {"no leap day 1900", INT64_C(-2203891200000), {1900, 3, 1, 0, 0, 0, 0, 4}},
      {"beyond 32 bits", INT64_C(4294967296000), {2106, 2, 7, 6, 28, 16, 0, 0}},
      {"year 0", INT64_C(-62167219200000), {0, 1, 1, 0, 0, 0, 0, 6}},
      {"last of 9999", INT64_C(253402300799999), {9999, 12, 31, 23, 59, 59, 999, 5}},
      {"first of -9999", INT64_C(-377705116800000), {-9999, 1, 1, 0, 0, 0, 0, 1}},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct when_civil c = when_to_civil(cases[i].ms);
    if (memcmp(&c, &cases[i].civil, sizeof c) != 0)
      fail_msg("%s: got %d-%d-%d %d:%d:%d.%d weekday %d", cases[i].name, c.year, c.month, c.day, c.hour, c.minute,
               c.second, c.milli, c.weekday);
    if (when_from_civil(&cases[i].civil) != cases[i].ms)
      fail_msg("%s: back gave %lld", cases[i].name, (long long)when_from_civil(&cases[i].civil));
  }
}

static void test_civil_every_day_of_the_calendar(void **state)
{
  (void)state;
  int64_t ms = INT64_C(-377705116800000) + 12345;
  int weekday = 1;
  for (int year = -9999; year <= 9999; year++) {
    for (int month = 1; month <= 12; month++) {
      for (int day = 1; day <= when_days_in_month(year, month); day++) {
        struct when_civil c = when_to_civil(ms);
        if (c.year != year || c.month != month || c.day != day || c.weekday != weekday || when_from_civil(&c) != ms)
          fail_msg("%d-%d-%d came out as %d-%d-%d weekday %d", year, month, day, c.year, c.month, c.day, c.weekday);
        ms += WHEN_DAY;
        weekday = (weekday + 1) % 7;
      }
    }
  }
  assert_int_equal(ms, INT64_C(253402300800000) + 12345);
}

static void test_civil_outside_of_all_calendars(void **state)
{
  (void)state;
  struct when_civil c = when_to_civil(INT64_MAX);
  assert_int_equal(c.year, 292278994);
  c = when_to_civil(INT64_MIN);
  assert_int_equal(c.year, -292275055);
  struct when_civil far = {.year = INT32_MAX, .month = INT32_MAX, .day = INT32_MAX, .hour = INT32_MAX};
  assert_true(when_from_civil(&far) > 0);
  far = (struct when_civil){.year = INT32_MIN, .month = INT32_MIN, .day = INT32_MIN, .hour = INT32_MIN};
  assert_true(when_from_civil(&far) < 0);
  struct when_civil moved = {.year = 2026, .month = 14, .day = 1}; /* months may be added */
  assert_int_equal(when_from_civil(&moved), utc("2027-02-01"));
  moved = (struct when_civil){.year = 2026, .month = 0, .day = 31};
  assert_int_equal(when_from_civil(&moved), utc("2025-12-31"));
  moved = (struct when_civil){.year = 2026, .month = -12, .day = 1};
  assert_int_equal(when_from_civil(&moved), utc("2024-12-01"));
  assert_int_equal(when_days_in_month(2024, 2), 29);
  assert_int_equal(when_days_in_month(2100, 2), 28);
  assert_int_equal(when_days_in_month(2024, 13), 0);
}

#define NOT_A_TIME INT64_MAX

struct parse_case {
  const char *text;
  int64_t ms;
};

static void check_parse(const char *what, bool (*parse)(const char *, int64_t *), const struct parse_case *cases,
                        size_t count)
{
  for (size_t i = 0; i < count; i++) {
    int64_t ms = 42;
    bool ok = parse(cases[i].text, &ms);
    if (ok != (cases[i].ms != NOT_A_TIME))
      fail_msg("%s: '%s' was %s", what, cases[i].text, ok ? "taken" : "refused");
    if (ok && ms != cases[i].ms)
      fail_msg("%s: '%s' gave %lld, not %lld", what, cases[i].text, (long long)ms, (long long)cases[i].ms);
    if (!ok && ms != 42)
      fail_msg("%s: '%s' was refused and written all the same", what, cases[i].text);
  }
  int64_t ms = 42;
  assert_false(parse(NULL, &ms));
}

static void test_parse_iso(void **state)
{
  (void)state;
  static const struct parse_case cases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-11-30T23:06:02.123Z", INT64_C(1796079962123)},
      {"2026-11-30T23:06:02,123Z", INT64_C(1796079962123)},
      {"2026-11-30t23:06:02.123z", INT64_C(1796079962123)},
      {"2026-11-30 23:06:02.1", INT64_C(1796079962100)},
      {"2026-11-30T23:06:02.123999999999999999Z", INT64_C(1796079962123)},
      {"2026-11-30T23:06Z", INT64_C(1796079960000)},
      {"2026-11-30", INT64_C(1795996800000)},
      {"2030-01-01T00:00:00UTC", INT64_C(1893456000000)},
      {"2030-01-01T00:00:00 UTC", INT64_C(1893456000000)},
      {"2030-01-01T00:00:00GMT", INT64_C(1893456000000)},
      {"2030-01-01T02:00:00+02:00", INT64_C(1893456000000)},
      {"2030-01-01T02:00:00+0200", INT64_C(1893456000000)},
      {"2029-12-31T19:00:00-05", INT64_C(1893456000000)},
      {"2030-01-01T05:45:00.000+05:45", INT64_C(1893456000000)},
      {"2016-12-31T23:59:60Z", INT64_C(1483228800000)},
      {"0000-01-01T00:00:00Z", INT64_C(-62167219200000)},
      {"-9999-01-01T00:00:00.000Z", INT64_C(-377705116800000)},
      {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999)},
      {"", NOT_A_TIME},
      {"garbage", NOT_A_TIME},
      {"2026", NOT_A_TIME},
      {"2026-1-1", NOT_A_TIME},
      {"2026-02-29", NOT_A_TIME},
      {"2026-13-01", NOT_A_TIME},
      {"2026-00-01", NOT_A_TIME},
      {"2026-04-31", NOT_A_TIME},
      {"2026-04-00", NOT_A_TIME},
      {"2026-11-30T", NOT_A_TIME},
      {"2026-11-30T24:00:00Z", NOT_A_TIME},
      {"2026-11-30T23:60:00Z", NOT_A_TIME},
      {"2026-11-30T23:06:61Z", NOT_A_TIME},
      {"2026-11-30T23:06:02.Z", NOT_A_TIME},
      {"2026-11-30T23:06:02ZZ", NOT_A_TIME},
      {"2026-11-30T23:06:02Z ", NOT_A_TIME},
      {"2026-11-30T23:06:02+", NOT_A_TIME},
      {"2026-11-30T23:06:02+1", NOT_A_TIME},
      {"2026-11-30T23:06:02+01:", NOT_A_TIME},
      {"2026-11-30T23:06:02+01:5", NOT_A_TIME},
      {"2026-11-30T23:06:02+24:00", NOT_A_TIME},
      {"2026-11-30T23:06:02+01:60", NOT_A_TIME},
      {" 2026-11-30", NOT_A_TIME},
      {"20261-11-30", NOT_A_TIME},
      {"12026-11-30T00:00:00Z", NOT_A_TIME},
      {"1.79e9", NOT_A_TIME},
  };
  check_parse("iso", when_parse_iso, cases, COUNT_OF(cases));
}

static void test_parse_basic(void **state)
{
  (void)state;
  static const struct parse_case cases[] = {
      {"20240319T110034Z", INT64_C(1710846034000)},
      {"19700101T000000Z", 0},
      {"20240319T110034", NOT_A_TIME},
      {"20240319110034Z", NOT_A_TIME},
      {"20240319T110034ZZ", NOT_A_TIME},
      {"20240230T110034Z", NOT_A_TIME},
      {"2024-03-19T11:00:34Z", NOT_A_TIME},
      {"", NOT_A_TIME},
  };
  check_parse("basic", when_parse_basic, cases, COUNT_OF(cases));
}

static void test_parse_http(void **state)
{
  (void)state;
  static const struct parse_case cases[] = {
      {"Sun, 06 Nov 1994 08:49:37 GMT", INT64_C(784111777000)},
      {"Sunday, 06-Nov-94 08:49:37 GMT", INT64_C(784111777000)},
      {"Sun Nov  6 08:49:37 1994", INT64_C(784111777000)},
      {"Wed Nov 16 08:49:37 1994", INT64_C(784975777000)},
      {"Tue, 19 Mar 2024 13:01:21 GMT", INT64_C(1710853281000)},
      {"Tuesday, 19-Mar-24 13:01:21 GMT", INT64_C(1710853281000)},
      {"Thursday, 01-Jan-70 00:00:00 GMT", 0},
      {"garbage", NOT_A_TIME},
      {"", NOT_A_TIME},
      {"0", NOT_A_TIME},
      {"Sun, 06 Nov 1994 08:49:37", NOT_A_TIME},
      {"Sun, 06 Nov 1994 08:49:37 CET", NOT_A_TIME},
      {"Sun, 6 Nov 1994 08:49:37 GMT", NOT_A_TIME},
      {"Sun, 06 Foo 1994 08:49:37 GMT", NOT_A_TIME},
      {"Sun, 31 Nov 1994 08:49:37 GMT", NOT_A_TIME},
      {"Sun, 06 Nov 1994 28:49:37 GMT", NOT_A_TIME},
      {"Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:38 GMT", NOT_A_TIME},
      {"Sunday", NOT_A_TIME},
      {"Sun,", NOT_A_TIME},
  };
  check_parse("http", when_parse_http, cases, COUNT_OF(cases));
}

static void test_parse_span(void **state)
{
  (void)state;
  static const struct parse_case cases[] = {
      {"0", 0},
      {"0s", 0},
      {"90s", 90 * WHEN_SECOND},
      {"30m", 30 * WHEN_MINUTE},
      {"12h", 12 * WHEN_HOUR},
      {"7d", 7 * WHEN_DAY},
      {"2w", 14 * WHEN_DAY},
      {"", NOT_A_TIME},
      {"7", NOT_A_TIME},
      {"d", NOT_A_TIME},
      {"-1d", NOT_A_TIME},
      {"+1d", NOT_A_TIME},
      {" 1d", NOT_A_TIME},
      {"1d ", NOT_A_TIME},
      {"1D", NOT_A_TIME},
      {"1y", NOT_A_TIME},
      {"1.5h", NOT_A_TIME},
      {"1h30m", NOT_A_TIME},
      {"99999999w", NOT_A_TIME},
      {"99999999999999999999999999999s", NOT_A_TIME},
  };
  check_parse("span", when_parse_span, cases, COUNT_OF(cases));
}

static void test_format_utc(void **state)
{
  (void)state;
  char out[WHEN_TEXT_MAX];
  assert_string_equal(when_format_iso(INT64_C(1796079962123), out), "2026-11-30T23:06:02.123Z");
  assert_string_equal(when_format_iso(-1, out), "1969-12-31T23:59:59.999Z");
  assert_string_equal(when_format_iso(WHEN_NONE, out), "");
  assert_string_equal(when_format_iso(INT64_C(-62167219200001), out), "-0001-12-31T23:59:59.999Z");
  assert_true(strlen(when_format_iso(INT64_MAX, out)) < WHEN_TEXT_MAX);
  assert_true(strlen(when_format_iso(INT64_MIN + 1, out)) < WHEN_TEXT_MAX);
  assert_string_equal(when_format_basic(INT64_C(1710846034999), out), "20240319T110034Z");
  assert_string_equal(when_format_basic(WHEN_NONE, out), "");
  static const struct {
    enum when_style style;
    const char *text;
  } cases[] = {
      {WHEN_HM, "23:06"},
      {WHEN_HMS, "23:06:02"},
      {WHEN_DAY_HM, "Mon 23:06"},
      {WHEN_DATE_HM, "2026-11-30 23:06"},
      {WHEN_DATE_HMS, "2026-11-30 23:06:02"},
      {WHEN_DATE, "2026-11-30"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_string_equal(when_format(INT64_C(1796079962123), WHEN_UTC, cases[i].style, out), cases[i].text);
    assert_string_equal(when_format(WHEN_NONE, WHEN_UTC, cases[i].style, out), "");
  }
  assert_string_equal(when_zone_letters(0, WHEN_UTC, out), "UTC");
}

static void test_format_round_trip(void **state)
{
  (void)state;
  char out[WHEN_TEXT_MAX];
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int64_t ms = (int64_t)(seed >> 1) % INT64_C(253402300799999);
    int64_t back = 0;
    if (i % 2 != 0)
      ms = -ms;
    assert_true(when_parse_iso(when_format_iso(ms, out), &back));
    assert_int_equal(back, ms);
  }
}

static void test_local_time_around_summer_time(void **state)
{
  (void)state;
  static const struct {
    const char *zone;
    const char *utc;
    const char *local;
    const char *letters;
  } cases[] = {
      {ZONE_CHICAGO, "2026-03-06T13:00Z", "2026-03-06 07:00", "CST"},
      {ZONE_CHICAGO, "2026-03-09T13:00Z", "2026-03-09 08:00", "CDT"},
      {ZONE_CHICAGO, "2026-11-01T06:30Z", "2026-11-01 01:30", "CDT"},
      {ZONE_CHICAGO, "2026-11-01T07:30Z", "2026-11-01 01:30", "CST"},
      {ZONE_CHICAGO, "2026-03-08T07:30Z", "2026-03-08 01:30", "CST"},
      {ZONE_CHICAGO, "2026-03-08T08:30Z", "2026-03-08 03:30", "CDT"},
      {ZONE_KATHMANDU, "2026-03-08T18:30Z", "2026-03-09 00:15", "+0545"},
      {ZONE_SAO_PAULO, "2018-07-01T12:00Z", "2018-07-01 09:00", "-03"},
      {"UTC0", "2018-07-01T12:00Z", "2018-07-01 12:00", "UTC"},
      {"", "2018-07-01T12:00Z", "2018-07-01 12:00", "UTC"},
  };
  char out[WHEN_TEXT_MAX];
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    setenv("TZ", cases[i].zone, 1);
    int64_t ms = utc(cases[i].utc);
    assert_string_equal(when_format(ms, WHEN_LOCAL, WHEN_DATE_HM, out), cases[i].local);
    assert_string_equal(when_zone_letters(ms, WHEN_LOCAL, out), cases[i].letters);
  }
}

static void test_day_and_month_edges(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *zone;
    const char *at;
    const char *day;
    const char *month;
    const char *month_end;
  } cases[] = {
      {"utc", "UTC0", "2024-02-29T23:59:59.999Z", "2024-02-29", "2024-02-01", "2024-03-01"},
      {"utc, first moment", "UTC0", "2024-03-01T00:00Z", "2024-03-01", "2024-03-01", "2024-04-01"},
      {"before the epoch", "UTC0", "1969-12-31T12:00Z", "1969-12-31", "1969-12-01", "1970-01-01"},
      {"day that loses an hour", ZONE_CHICAGO, "2026-03-09T04:59Z", "2026-03-08T06:00Z", "2026-03-01T06:00Z",
       "2026-04-01T05:00Z"},
      {"day that gains an hour", ZONE_CHICAGO, "2026-11-02T05:59Z", "2026-11-01T05:00Z", "2026-11-01T05:00Z",
       "2026-12-01T06:00Z"},
      {"first half hour of it", ZONE_CHICAGO, "2026-11-01T05:15Z", "2026-11-01T05:00Z", "2026-11-01T05:00Z",
       "2026-12-01T06:00Z"},
      {"before the day that gains", ZONE_CHICAGO, "2026-11-01T04:59:59Z", "2026-10-31T05:00Z", "2026-10-01T05:00Z",
       "2026-11-01T05:00Z"},
      {"east of UTC", ZONE_KATHMANDU, "2026-03-31T18:20Z", "2026-03-31T18:15Z", "2026-03-31T18:15Z",
       "2026-04-30T18:15Z"},
      {"midnight that does not exist", ZONE_SAO_PAULO, "2018-10-21T12:00Z", "2018-10-21T03:00Z", "2018-10-01T03:00Z",
       "2018-11-01T02:00Z"},
      {"day whose eve repeats an hour", ZONE_SAO_PAULO, "2018-02-18T12:00Z", "2018-02-18T03:00Z", "2018-02-01T02:00Z",
       "2018-03-01T03:00Z"},
      {"midnight that comes twice", ZONE_HAVANA, "2026-11-01T18:00Z", "2026-11-01T04:00Z", "2026-11-01T04:00Z",
       "2026-12-01T05:00Z"},
      {"its first pass", ZONE_HAVANA, "2026-11-01T04:30Z", "2026-11-01T04:00Z", "2026-11-01T04:00Z",
       "2026-12-01T05:00Z"},
      {"its second pass", ZONE_HAVANA, "2026-11-01T05:30Z", "2026-11-01T04:00Z", "2026-11-01T04:00Z",
       "2026-12-01T05:00Z"},
  };
  char got[WHEN_TEXT_MAX];
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    setenv("TZ", cases[i].zone, 1);
    int64_t at = utc(cases[i].at);
    int64_t day = when_day_start(at, WHEN_LOCAL);
    int64_t month = when_month_start(at, WHEN_LOCAL);
    int64_t end = when_month_end(at, WHEN_LOCAL);
    if (day != utc(cases[i].day))
      fail_msg("%s: day starts at %s", cases[i].name, when_format_iso(day, got));
    if (month != utc(cases[i].month))
      fail_msg("%s: month starts at %s", cases[i].name, when_format_iso(month, got));
    if (end != utc(cases[i].month_end))
      fail_msg("%s: month ends at %s", cases[i].name, when_format_iso(end, got));
  }
  setenv("TZ", ZONE_CHICAGO, 1);
  assert_int_equal(when_day_start(utc("2026-03-09T04:59Z"), WHEN_UTC), utc("2026-03-09"));
  assert_int_equal(when_month_start(utc("2026-03-01T00:30Z"), WHEN_UTC), utc("2026-03-01"));
  assert_int_equal(when_month_end(utc("2026-12-31T00:30Z"), WHEN_UTC), utc("2027-01-01"));
  assert_int_equal(when_day_start(INT64_MAX, WHEN_LOCAL), INT64_MAX);
  assert_int_equal(when_day_start(WHEN_NONE, WHEN_LOCAL), WHEN_NONE);
}

static void test_days_are_contiguous(void **state)
{
  (void)state;
  static const char *const zones[] = {ZONE_CHICAGO, ZONE_SAO_PAULO, ZONE_HAVANA, ZONE_KATHMANDU, "UTC0"};
  for (size_t i = 0; i < COUNT_OF(zones); i++) {
    setenv("TZ", zones[i], 1);
    int64_t end = utc("2027-01-02");
    int64_t start = when_day_start(utc("2025-12-31T12:00Z"), WHEN_LOCAL);
    while (start < end) {
      int64_t next = when_day_start(start + 30 * WHEN_HOUR, WHEN_LOCAL);
      assert_in_range(next - start, 23 * WHEN_HOUR, 25 * WHEN_HOUR);
      for (int64_t at = start; at < next; at += 30 * WHEN_MINUTE)
        assert_int_equal(when_day_start(at, WHEN_LOCAL), start);
      start = next;
    }
  }
}

static void test_hostile_zone(void **state)
{
  (void)state;
  char out[WHEN_TEXT_MAX];
  setenv("TZ", "\033]0;x\a", 1);
  assert_string_equal(when_zone_letters(0, WHEN_LOCAL, out), "UTC");
  setenv("TZ", "/nowhere/at/all", 1);
  assert_true(strlen(when_format(0, WHEN_LOCAL, WHEN_DATE_HMS, out)) == 19);
  assert_true(strlen(when_format(INT64_MAX, WHEN_LOCAL, WHEN_DATE_HMS, out)) < WHEN_TEXT_MAX);
  assert_true(strlen(when_format(INT64_MIN + 1, WHEN_LOCAL, WHEN_DATE_HMS, out)) < WHEN_TEXT_MAX);
}

static void test_spans_and_ages(void **state)
{
  (void)state;
  static const struct {
    int64_t ms;
    const char *span;
    const char *age;
  } cases[] = {
      {0, "0s", "<1m"},
      {999, "0s", "<1m"},
      {-999, "0s", "<1m"},
      {42 * WHEN_SECOND, "42s", "<1m"},
      {59999, "59s", "<1m"},
      {WHEN_MINUTE, "1m00s", "1m"},
      {3 * WHEN_MINUTE + 7 * WHEN_SECOND, "3m07s", "3m"},
      {WHEN_HOUR - 1, "59m59s", "59m"},
      {WHEN_HOUR + 4 * WHEN_MINUTE, "1h04m", "1h"},
      {WHEN_DAY - 1, "23h59m", "23h"},
      {2 * WHEN_DAY + 6 * WHEN_HOUR, "2d06h", "2d"},
      {47 * WHEN_DAY, "47d00h", "47d"},
      {-(3 * WHEN_MINUTE + 7 * WHEN_SECOND), "-3m07s", "<1m"},
      {WHEN_NONE, "", ""},
      {INT64_MAX, "106751991167d07h", "106751991167d"},
      {INT64_MIN + 1, "-106751991167d07h", "<1m"},
  };
  char out[WHEN_TEXT_MAX];
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_string_equal(when_format_span(cases[i].ms, out), cases[i].span);
    assert_string_equal(when_format_age(cases[i].ms, out), cases[i].age);
  }
}

static int64_t moment_of(const char *iso)
{
  int64_t ms = 0;
  assert_true(when_parse_iso(iso, &ms));
  return ms;
}

static void test_ranges(void **state)
{
  (void)state;
  static const struct {
    const char *text, *since, *until; /* NULL: everything; until now */
    bool goes_on;
  } cases[] = {
      /* Wednesday, 15:03:30 in Berlin */
      {"2026-11-01..2026-11-07", "2026-10-31T23:00:00Z", "2026-11-07T22:59:59.999Z", false},
      {"  2026-11-01  TO 2026-11-07 ", "2026-10-31T23:00:00Z", "2026-11-07T22:59:59.999Z", false},
      {"from 2026-11-01 09:30 until 2026-11-01 10:15", "2026-11-01T08:30:00Z", "2026-11-01T09:15:00Z", false},
      {"2026-11-01T09:30:20Z..2026-11-01T12:15:00+02:00", "2026-11-01T09:30:20Z", "2026-11-01T10:15:00Z", false},
      {"2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z", false}, /* 25 hours */
      {"2026-10-25 06:00..now", "2026-10-25T05:00:00Z", NULL, false},
      {"2026-03-29 06:00..2026-03-29 07:00", "2026-03-29T04:00:00Z", "2026-03-29T05:00:00Z", false},
      {"last 3 days", "2026-11-22T14:03:30Z", NULL, true},
      {"Last Hour", "2026-11-25T13:03:30Z", NULL, true},
      {"past 90 minutes", "2026-11-25T12:33:30Z", NULL, true},
      {"2 weeks", "2026-11-11T14:03:30Z", NULL, true},
      {"12h", "2026-11-25T02:03:30Z", NULL, true},
      {"today", "2026-11-24T23:00:00Z", NULL, false},
      {"yesterday", "2026-11-23T23:00:00Z", "2026-11-24T22:59:59.999Z", false},
      {"monday", "2026-11-22T23:00:00Z", "2026-11-23T22:59:59.999Z", false},
      {"wed", "2026-11-24T23:00:00Z", NULL, false},
      {"since monday", "2026-11-22T23:00:00Z", NULL, false},
      {"monday..tuesday", "2026-11-22T23:00:00Z", "2026-11-24T22:59:59.999Z", false},
      {"this week", "2026-11-22T23:00:00Z", NULL, false},
      {"last week", "2026-11-15T23:00:00Z", "2026-11-22T22:59:59.999Z", false},
      {"this month", "2026-10-31T23:00:00Z", NULL, false},
      {"last month", "2026-09-30T22:00:00Z", "2026-10-31T22:59:59.999Z", false},
      {"14:00 to 14:45", "2026-11-25T13:00:00Z", "2026-11-25T13:45:00Z", false},
      {"14:00 - 23:00", "2026-11-25T13:00:00Z", NULL, false}, /* ends later than now */
      {"09:00", "2026-11-25T08:00:00Z", NULL, false},
      {"3d ago..1d ago", "2026-11-22T14:03:30Z", "2026-11-24T14:03:30Z", false},
      {"-6h..-30m", "2026-11-25T08:03:30Z", "2026-11-25T13:33:30Z", false},
      {"2 days ago", "2026-11-23T14:03:30Z", NULL, false},
      {"2026-11-20..", "2026-11-19T23:00:00Z", NULL, false},
      {"..2026-11-20", NULL, "2026-11-20T22:59:59.999Z", false},
      {"until yesterday", NULL, "2026-11-24T22:59:59.999Z", false},
      {"all", NULL, NULL, false},
  };
  static const struct {
    const char *text, *why;
  } bad[] = {
      {"", "is no range"},
      {"   ", "is no range"},
      {NULL, "is no range"},
      {"soon", "\"soon\" is no range of time: "},
      {"2026-11-31", "is no range"},
      {"2026-11-07..2026-11-01", "ends before it begins"},
      {"2026-12-01..2026-12-02", "begins later than now"},
      {"tomorrow..now", "\"tomorrow\" is no time"},
      {"2026-11-01..never", "\"never\" is no time"},
      {"last banana", "is no length of time"},
      {"last 0 days", "is no length of time"},
      {"0h", "is no range"},
      {"99999999999999999 days", "is no range"},
      {"25:00", "is no range"},
      {"12:60..13:00", "is no time"},
      {"yesterdayyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
       "yyy",
       "is no range"},
  };
  int64_t now = moment_of("2026-11-25T14:03:30Z");
  struct when_range r;
  char why[WHEN_RANGE_WHY_MAX];
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int64_t since = cases[i].since == NULL ? INT64_MIN : moment_of(cases[i].since);
    int64_t until = cases[i].until == NULL ? INT64_MAX : moment_of(cases[i].until);
    if (!when_parse_range(cases[i].text, now, WHEN_LOCAL, &r, why))
      fail_msg("%s: %s", cases[i].text, why);
    if (r.since_ms != since || r.until_ms != until || r.goes_on != cases[i].goes_on)
      fail_msg("%s: %lld..%lld and not %lld..%lld", cases[i].text, (long long)r.since_ms, (long long)r.until_ms,
               (long long)since, (long long)until);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (when_parse_range(bad[i].text, now, WHEN_LOCAL, &r, why))
      fail_msg("%s: is taken", bad[i].text);
    if (strstr(why, bad[i].why) == NULL)
      fail_msg("%s: \"%s\"", bad[i].text, why);
  }
  unsetenv("TZ");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_civil_known_days),
      cmocka_unit_test(test_civil_every_day_of_the_calendar),
      cmocka_unit_test(test_civil_outside_of_all_calendars),
      cmocka_unit_test(test_parse_iso),
      cmocka_unit_test(test_parse_basic),
      cmocka_unit_test(test_parse_http),
      cmocka_unit_test(test_parse_span),
      cmocka_unit_test(test_format_utc),
      cmocka_unit_test(test_format_round_trip),
      cmocka_unit_test(test_local_time_around_summer_time),
      cmocka_unit_test(test_day_and_month_edges),
      cmocka_unit_test(test_days_are_contiguous),
      cmocka_unit_test(test_hostile_zone),
      cmocka_unit_test(test_spans_and_ages),
      cmocka_unit_test(test_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
