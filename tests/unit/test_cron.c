/* AWS's cron dialect: a table of expressions with their next five times (made with a second implementation), what is refused,
 * and a property test against a walk over every minute of ten years. */
#include "model/cron.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/when.h"

static int64_t at(const char *iso)
{
  int64_t ms = 0;
  if (!when_parse_iso(iso, &ms))
    fail_msg("not a time: %s", iso);
  return ms;
}

/* clang-format off */
static const struct {
  const char *expression, *after;
  const char *next[5]; /* fewer: never again behind the last */
} table[] = {
    {"cron(0 10 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T10:00Z", "2026-12-02T10:00Z", "2026-12-03T10:00Z", "2026-12-04T10:00Z", "2026-12-05T10:00Z"}},
    {"cron(15 12 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T12:15Z", "2026-12-02T12:15Z", "2026-12-03T12:15Z", "2026-12-04T12:15Z", "2026-12-05T12:15Z"}},
    {"cron(0 18 ? * MON-FRI *)", "2026-11-30T23:05:30Z", {"2026-12-01T18:00Z", "2026-12-02T18:00Z", "2026-12-03T18:00Z", "2026-12-04T18:00Z", "2026-12-07T18:00Z"}},
    {"cron(0 8 1 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T08:00Z", "2027-01-01T08:00Z", "2027-02-01T08:00Z", "2027-03-01T08:00Z", "2027-04-01T08:00Z"}},
    {"cron(0/15 * * * ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:15Z", "2026-11-30T23:30Z", "2026-11-30T23:45Z", "2026-12-01T00:00Z", "2026-12-01T00:15Z"}},
    {"cron(0/10 * ? * MON-FRI *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:10Z", "2026-11-30T23:20Z", "2026-11-30T23:30Z", "2026-11-30T23:40Z", "2026-11-30T23:50Z"}},
    {"cron(0/5 8-17 ? * MON-FRI *)", "2026-11-30T23:05:30Z", {"2026-12-01T08:00Z", "2026-12-01T08:05Z", "2026-12-01T08:10Z", "2026-12-01T08:15Z", "2026-12-01T08:20Z"}},
    {"0 12 * * ? *", "2026-11-30T23:05:30Z", {"2026-12-01T12:00Z", "2026-12-02T12:00Z", "2026-12-03T12:00Z", "2026-12-04T12:00Z", "2026-12-05T12:00Z"}},
    {"  cron( 0  12 * * ? * )  ", "2026-11-30T23:05:30Z", {"2026-12-01T12:00Z", "2026-12-02T12:00Z", "2026-12-03T12:00Z", "2026-12-04T12:00Z", "2026-12-05T12:00Z"}},
    {"CRON(0 12 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T12:00Z", "2026-12-02T12:00Z", "2026-12-03T12:00Z", "2026-12-04T12:00Z", "2026-12-05T12:00Z"}},
    {"cron(7/5 * * * ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:07Z", "2026-11-30T23:12Z", "2026-11-30T23:17Z", "2026-11-30T23:22Z", "2026-11-30T23:27Z"}},
    {"cron(0-29/5 * * * ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:10Z", "2026-11-30T23:15Z", "2026-11-30T23:20Z", "2026-11-30T23:25Z", "2026-12-01T00:00Z"}},
    {"cron(*/20 * * * ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:20Z", "2026-11-30T23:40Z", "2026-12-01T00:00Z", "2026-12-01T00:20Z", "2026-12-01T00:40Z"}},
    {"cron(50/20 * * * ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:50Z", "2026-12-01T00:50Z", "2026-12-01T01:50Z", "2026-12-01T02:50Z", "2026-12-01T03:50Z"}},
    {"cron(59 23 31 12 ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T23:59Z", "2027-12-31T23:59Z", "2028-12-31T23:59Z", "2029-12-31T23:59Z", "2030-12-31T23:59Z"}},
    {"cron(0 0 ? * FRI-MON *)", "2026-11-30T23:05:30Z", {"2026-12-04T00:00Z", "2026-12-05T00:00Z", "2026-12-06T00:00Z", "2026-12-07T00:00Z", "2026-12-11T00:00Z"}},
    {"cron(0 0 ? * 6-2 *)", "2026-11-30T23:05:30Z", {"2026-12-04T00:00Z", "2026-12-05T00:00Z", "2026-12-06T00:00Z", "2026-12-07T00:00Z", "2026-12-11T00:00Z"}},
    {"cron(0 22-2 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-01T01:00Z", "2026-12-01T02:00Z", "2026-12-01T22:00Z", "2026-12-01T23:00Z"}},
    {"cron(0 22-2/2 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-01T02:00Z", "2026-12-01T22:00Z", "2026-12-02T00:00Z", "2026-12-02T02:00Z"}},
    {"cron(0 0 29-2 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-02T00:00Z", "2026-12-29T00:00Z", "2026-12-30T00:00Z", "2026-12-31T00:00Z"}},
    {"cron(0 0 1 NOV-FEB ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2027-01-01T00:00Z", "2027-02-01T00:00Z", "2027-11-01T00:00Z", "2027-12-01T00:00Z"}},
    {"cron(0 0 ? * 1 *)", "2026-11-30T23:05:30Z", {"2026-12-06T00:00Z", "2026-12-13T00:00Z", "2026-12-20T00:00Z", "2026-12-27T00:00Z", "2027-01-03T00:00Z"}},
    {"cron(0 0 ? * 2 *)", "2026-11-30T23:05:30Z", {"2026-12-07T00:00Z", "2026-12-14T00:00Z", "2026-12-21T00:00Z", "2026-12-28T00:00Z", "2027-01-04T00:00Z"}},
    {"cron(0 0 ? * 7 *)", "2026-11-30T23:05:30Z", {"2026-12-05T00:00Z", "2026-12-12T00:00Z", "2026-12-19T00:00Z", "2026-12-26T00:00Z", "2027-01-02T00:00Z"}},
    {"cron(0 0 ? * sun *)", "2026-11-30T23:05:30Z", {"2026-12-06T00:00Z", "2026-12-13T00:00Z", "2026-12-20T00:00Z", "2026-12-27T00:00Z", "2027-01-03T00:00Z"}},
    {"cron(0 0 ? jan,jul Tue *)", "2026-11-30T23:05:30Z", {"2027-01-05T00:00Z", "2027-01-12T00:00Z", "2027-01-19T00:00Z", "2027-01-26T00:00Z", "2027-07-06T00:00Z"}},
    {"cron(0 0 L * ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T00:00Z", "2027-01-31T00:00Z", "2027-02-28T00:00Z", "2027-03-31T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 l * ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T00:00Z", "2027-01-31T00:00Z", "2027-02-28T00:00Z", "2027-03-31T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 L-1 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-30T00:00Z", "2027-01-30T00:00Z", "2027-02-27T00:00Z", "2027-03-30T00:00Z", "2027-04-29T00:00Z"}},
    {"cron(0 0 L-3 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-28T00:00Z", "2027-01-28T00:00Z", "2027-02-25T00:00Z", "2027-03-28T00:00Z", "2027-04-27T00:00Z"}},
    {"cron(0 0 L-30 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2027-01-01T00:00Z", "2027-03-01T00:00Z", "2027-05-01T00:00Z", "2027-07-01T00:00Z"}},
    {"cron(0 0 L-0 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T00:00Z", "2027-01-31T00:00Z", "2027-02-28T00:00Z", "2027-03-31T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 LW * ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T00:00Z", "2027-01-29T00:00Z", "2027-02-26T00:00Z", "2027-03-31T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 L-2W * ? *)", "2026-11-30T23:05:30Z", {"2026-12-29T00:00Z", "2027-01-29T00:00Z", "2027-02-26T00:00Z", "2027-03-29T00:00Z", "2027-04-28T00:00Z"}},
    {"cron(0 0 1W * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2027-01-01T00:00Z", "2027-02-01T00:00Z", "2027-03-01T00:00Z", "2027-04-01T00:00Z"}},
    {"cron(0 0 3W * ? *)", "2026-11-30T23:05:30Z", {"2026-12-03T00:00Z", "2027-01-04T00:00Z", "2027-02-03T00:00Z", "2027-03-03T00:00Z", "2027-04-02T00:00Z"}},
    {"cron(0 0 15w * ? *)", "2026-11-30T23:05:30Z", {"2026-12-15T00:00Z", "2027-01-15T00:00Z", "2027-02-15T00:00Z", "2027-03-15T00:00Z", "2027-04-15T00:00Z"}},
    {"cron(0 0 31W * ? *)", "2026-11-30T23:05:30Z", {"2026-12-31T00:00Z", "2027-01-29T00:00Z", "2027-03-31T00:00Z", "2027-05-31T00:00Z", "2027-07-30T00:00Z"}},
    {"cron(0 0 28W 2 ? *)", "2026-11-30T23:05:30Z", {"2027-02-26T00:00Z", "2028-02-28T00:00Z", "2029-02-28T00:00Z", "2030-02-28T00:00Z", "2031-02-28T00:00Z"}},
    {"cron(0 0 30W 5,10 ? *)", "2026-11-30T23:05:30Z", {"2027-05-31T00:00Z", "2027-10-29T00:00Z", "2028-05-30T00:00Z", "2028-10-30T00:00Z", "2029-05-30T00:00Z"}},
    {"cron(0 0 1W,15W * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-15T00:00Z", "2027-01-01T00:00Z", "2027-01-15T00:00Z", "2027-02-01T00:00Z"}},
    {"cron(0 0 1,15,L * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-15T00:00Z", "2026-12-31T00:00Z", "2027-01-01T00:00Z", "2027-01-15T00:00Z"}},
    {"cron(0 0 ? * L *)", "2026-11-30T23:05:30Z", {"2026-12-05T00:00Z", "2026-12-12T00:00Z", "2026-12-19T00:00Z", "2026-12-26T00:00Z", "2027-01-02T00:00Z"}},
    {"cron(0 0 ? * 6L *)", "2026-11-30T23:05:30Z", {"2026-12-25T00:00Z", "2027-01-29T00:00Z", "2027-02-26T00:00Z", "2027-03-26T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 ? * FRIL *)", "2026-11-30T23:05:30Z", {"2026-12-25T00:00Z", "2027-01-29T00:00Z", "2027-02-26T00:00Z", "2027-03-26T00:00Z", "2027-04-30T00:00Z"}},
    {"cron(0 0 ? * 1L *)", "2026-11-30T23:05:30Z", {"2026-12-27T00:00Z", "2027-01-31T00:00Z", "2027-02-28T00:00Z", "2027-03-28T00:00Z", "2027-04-25T00:00Z"}},
    {"cron(0 0 ? * 2L 2028)", "2026-11-30T23:05:30Z", {"2028-01-31T00:00Z", "2028-02-28T00:00Z", "2028-03-27T00:00Z", "2028-04-24T00:00Z", "2028-05-29T00:00Z"}},
    {"cron(0 0 ? * 3#5 *)", "2026-11-30T23:05:30Z", {"2026-12-29T00:00Z", "2027-03-30T00:00Z", "2027-06-29T00:00Z", "2027-08-31T00:00Z", "2027-11-30T00:00Z"}},
    {"cron(0 0 ? * 2#1 *)", "2026-11-30T23:05:30Z", {"2026-12-07T00:00Z", "2027-01-04T00:00Z", "2027-02-01T00:00Z", "2027-03-01T00:00Z", "2027-04-05T00:00Z"}},
    {"cron(0 0 ? * MON#1 *)", "2026-11-30T23:05:30Z", {"2026-12-07T00:00Z", "2027-01-04T00:00Z", "2027-02-01T00:00Z", "2027-03-01T00:00Z", "2027-04-05T00:00Z"}},
    {"cron(0 0 ? * 7#4 *)", "2026-11-30T23:05:30Z", {"2026-12-26T00:00Z", "2027-01-23T00:00Z", "2027-02-27T00:00Z", "2027-03-27T00:00Z", "2027-04-24T00:00Z"}},
    {"cron(0 0 ? 2 1#5 *)", "2026-11-30T23:05:30Z", {"2032-02-29T00:00Z", "2060-02-29T00:00Z", "2088-02-29T00:00Z", "2128-02-29T00:00Z", "2156-02-29T00:00Z"}},
    {"cron(0 0 ? * 2/2 *)", "2026-11-30T23:05:30Z", {"2026-12-02T00:00Z", "2026-12-04T00:00Z", "2026-12-07T00:00Z", "2026-12-09T00:00Z", "2026-12-11T00:00Z"}},
    {"cron(0 0 ? * SUN,WED *)", "2026-11-30T23:05:30Z", {"2026-12-02T00:00Z", "2026-12-06T00:00Z", "2026-12-09T00:00Z", "2026-12-13T00:00Z", "2026-12-16T00:00Z"}},
    {"cron(0 0 ? * 2-6/2 *)", "2026-11-30T23:05:30Z", {"2026-12-02T00:00Z", "2026-12-04T00:00Z", "2026-12-07T00:00Z", "2026-12-09T00:00Z", "2026-12-11T00:00Z"}},
    {"cron(0 0 29 2 ? *)", "2026-11-30T23:05:30Z", {"2028-02-29T00:00Z", "2032-02-29T00:00Z", "2036-02-29T00:00Z", "2040-02-29T00:00Z", "2044-02-29T00:00Z"}},
    {"cron(0 0 29 2 ? 2027)", "2026-11-30T23:05:30Z", {NULL}},
    {"cron(0 0 31 4 ? *)", "2026-11-30T23:05:30Z", {NULL}},
    {"cron(0 0 30 2 ? *)", "2026-11-30T23:05:30Z", {NULL}},
    {"cron(0 12 * * ? 2025)", "2026-11-30T23:05:30Z", {NULL}},
    {"cron(0 12 1 1 ? 2199)", "2026-11-30T23:05:30Z", {"2199-01-01T12:00Z"}},
    {"cron(0 12 1 1 ? 1970)", "2026-11-30T23:05:30Z", {NULL}},
    {"cron(0 0 1 1 ? 2027/2)", "2026-11-30T23:05:30Z", {"2027-01-01T00:00Z", "2029-01-01T00:00Z", "2031-01-01T00:00Z", "2033-01-01T00:00Z", "2035-01-01T00:00Z"}},
    {"cron(0 0 1 1 ? 2030-2032)", "2026-11-30T23:05:30Z", {"2030-01-01T00:00Z", "2031-01-01T00:00Z", "2032-01-01T00:00Z"}},
    {"cron(0 0 1 1 ? 2028,2040,2199)", "2026-11-30T23:05:30Z", {"2028-01-01T00:00Z", "2040-01-01T00:00Z", "2199-01-01T00:00Z"}},
    {"cron(59 23 31 12 ? 2199)", "2026-11-30T23:05:30Z", {"2199-12-31T23:59Z"}},
    {"cron(5 23 30 11 ? *)", "2026-11-30T23:05:30Z", {"2027-11-30T23:05Z", "2028-11-30T23:05Z", "2029-11-30T23:05Z", "2030-11-30T23:05Z", "2031-11-30T23:05Z"}},
    {"cron(6 23 30 11 ? *)", "2026-11-30T23:05:30Z", {"2026-11-30T23:06Z", "2027-11-30T23:06Z", "2028-11-30T23:06Z", "2029-11-30T23:06Z", "2030-11-30T23:06Z"}},
    {"cron(0 0 1/10 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-11T00:00Z", "2026-12-21T00:00Z", "2026-12-31T00:00Z", "2027-01-01T00:00Z"}},
    {"cron(0 0 */10 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-11T00:00Z", "2026-12-21T00:00Z", "2026-12-31T00:00Z", "2027-01-01T00:00Z"}},
    {"cron(0 0 5-10,20 3/3 ? *)", "2026-11-30T23:05:30Z", {"2026-12-05T00:00Z", "2026-12-06T00:00Z", "2026-12-07T00:00Z", "2026-12-08T00:00Z", "2026-12-09T00:00Z"}},
    {"cron(00 07 01 01 ? *)", "2026-11-30T23:05:30Z", {"2027-01-01T07:00Z", "2028-01-01T07:00Z", "2029-01-01T07:00Z", "2030-01-01T07:00Z", "2031-01-01T07:00Z"}},
    {"cron(0 0,12 * * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T00:00Z", "2026-12-01T12:00Z", "2026-12-02T00:00Z", "2026-12-02T12:00Z", "2026-12-03T00:00Z"}},
    {"cron(0 9-17/4 ? * MON-FRI *)", "2026-11-30T23:05:30Z", {"2026-12-01T09:00Z", "2026-12-01T13:00Z", "2026-12-01T17:00Z", "2026-12-02T09:00Z", "2026-12-02T13:00Z"}},
    {"cron(30 4 1-7 * ? *)", "2026-11-30T23:05:30Z", {"2026-12-01T04:30Z", "2026-12-02T04:30Z", "2026-12-03T04:30Z", "2026-12-04T04:30Z", "2026-12-05T04:30Z"}},
    {"cron(0 13 ? * MON-FRI *)", "2026-03-05T13:00:00Z", {"2026-03-06T13:00Z", "2026-03-09T13:00Z", "2026-03-10T13:00Z", "2026-03-11T13:00Z", "2026-03-12T13:00Z"}},
    {"cron(30 * * * ? *)", "2026-11-01T05:29:59Z", {"2026-11-01T05:30Z", "2026-11-01T06:30Z", "2026-11-01T07:30Z", "2026-11-01T08:30Z", "2026-11-01T09:30Z"}},
    {"cron(0 0 28 2 ? *)", "2027-12-31T00:00:00Z", {"2028-02-28T00:00Z", "2029-02-28T00:00Z", "2030-02-28T00:00Z", "2031-02-28T00:00Z", "2032-02-28T00:00Z"}},
    {"cron(0 0 29 2 ? *)", "2096-03-01T00:00:00Z", {"2104-02-29T00:00Z", "2108-02-29T00:00Z", "2112-02-29T00:00Z", "2116-02-29T00:00Z", "2120-02-29T00:00Z"}},
    {"cron(0 0 L 2 ? *)", "2099-01-01T00:00:00Z", {"2099-02-28T00:00Z", "2100-02-28T00:00Z", "2101-02-28T00:00Z", "2102-02-28T00:00Z", "2103-02-28T00:00Z"}},
    {"cron(0 0 1 1 ? *)", "2197-06-01T00:00:00Z", {"2198-01-01T00:00Z", "2199-01-01T00:00Z"}},
    {"cron(0 0 * * ? *)", "1969-06-01T00:00:00Z", {"1970-01-01T00:00Z", "1970-01-02T00:00Z", "1970-01-03T00:00Z", "1970-01-04T00:00Z", "1970-01-05T00:00Z"}},
    {"cron(0 0 1 3 ? *)", "2199-03-01T00:00:00Z", {NULL}},
    {"cron(59 23 * * ? *)", "2199-12-30T23:59:00Z", {"2199-12-31T23:59Z"}},
};
/* clang-format on */

static void test_table(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    struct cron c;
    struct cron_error error;
    int64_t when = at(table[i].after);
    if (!cron_parse(table[i].expression, &c, &error))
      fail_msg("%s: %s", table[i].expression, error.text);
    for (int n = 0; n < 5; n++) {
      int64_t want = table[i].next[n] == NULL ? WHEN_NONE : at(table[i].next[n]);
      int64_t got = cron_next(&c, when);
      char text[WHEN_TEXT_MAX];
      if (got != want)
        fail_msg("%s: time %d is %s, not %s", table[i].expression, n + 1, when_format_iso(got, text),
                 table[i].next[n] == NULL ? "never" : table[i].next[n]);
      if (want == WHEN_NONE)
        break;
      assert_true(cron_previous(&c, got) == got);
      assert_true(cron_previous(&c, got + 59999) == got);
      if (n > 0)
        assert_true(cron_previous(&c, got - 1) == when);
      when = got;
    }
  }
}

static const struct {
  const char *expression;
  int position;
  const char *says;
} refused[] = {
    {NULL, 0, "six fields are needed, 0 found"},
    {"", 0, "six fields are needed, 0 found"},
    {"cron()", 5, "six fields are needed, 0 found"},
    {"cron(", 5, "\")\" is missing"},
    {"cron", 4, "\"(\" is missing"},
    {"cron(0 12 * * ? *", 17, "\")\" is missing"},
    {"cron(0 12 * * ?)", 15, "six fields are needed, 5 found"},
    {"cron(0 0 12 * * ? *)", 18, "more than six"},
    {"rate(5 minutes)", 0, "rate(...)"},
    {"cron(60 * * * ? *)", 5, "60 is not in 0-59"},
    {"cron(0 24 * * ? *)", 7, "24 is not in 0-23"},
    {"cron(0 0 0 * ? *)", 9, "0 is not in 1-31"},
    {"cron(0 0 32 * ? *)", 9, "32 is not in 1-31"},
    {"cron(0 0 1 13 ? *)", 11, "13 is not in 1-12"},
    {"cron(0 0 1 0 ? *)", 11, "0 is not in 1-12"},
    {"cron(0 0 ? * 0 *)", 13, "0 is not in 1-7"},
    {"cron(0 0 ? * 8 *)", 13, "8 is not in 1-7"},
    {"cron(0 0 ? * MOO *)", 13, "\"MOO\" is no name"},
    {"cron(0 0 ? * MONDAY *)", 16, "\"D\" has no meaning"},
    {"cron(0 0 1 FOO ? *)", 11, "\"FOO\" is no name"},
    {"cron(0 0 1 * ? 1969)", 15, "1969 is not in 1970-2199"},
    {"cron(0 0 1 * ? 2200)", 15, "2200 is not in 1970-2199"},
    {"cron(0 0 1 * ? 2030-2020)", 15, "runs backwards"},
    {"cron(* * * * * *)", 9, "must be ?"},
    {"cron(0 0 1 * MON *)", 9, "must be ?"},
    {"cron(0 0 ? * ? *)", 13, "cannot both be ?"},
    {"cron(? 0 1 * ? *)", 5, "\"?\" has no meaning"},
    {"cron(0 0 ?1 * ? *)", 10, "? stands alone"},
    {"cron(0/0 * * * ? *)", 7, "the step 0"},
    {"cron(0/60 * * * ? *)", 7, "the step 60"},
    {"cron(0/ * * * ? *)", 7, "a number is missing"},
    {"cron(5- * * * ? *)", 7, "a number is missing"},
    {"cron(,5 * * * ? *)", 5, "\",\" has no meaning"},
    {"cron(5, * * * ? *)", 7, "a number is missing"},
    {"cron(5 x * * ? *)", 7, "\"x\" has no meaning"},
    {"cron(-5 * * * ? *)", 5, "\"-\" has no meaning"},
    {"cron(1.5 * * * ? *)", 6, "\".\" has no meaning"},
    {"cron(99999999999 * * * ? *)", 5, "too long"},
    {"cron(0 0 W * ? *)", 9, "\"W\" has no meaning"},
    {"cron(0 0 1-5W * ? *)", 9, "W stands behind a single day"},
    {"cron(0 0 *W * ? *)", 9, "W stands behind a single day"},
    {"cron(0 0 WL * ? *)", 9, "has no meaning"},
    {"cron(0 0 L-31 * ? *)", 11, "before any month's first day"},
    {"cron(0 0 L- * ? *)", 11, "a number is missing"},
    {"cron(0 0 L5 * ? *)", 10, "has no meaning"},
    {"cron(0 0 ? * 3#6 *)", 15, "#6 is not in 1-5"},
    {"cron(0 0 ? * 3#0 *)", 15, "#0 is not in 1-5"},
    {"cron(0 0 ? * 3# *)", 15, "a number is missing"},
    {"cron(0 0 ? * 3#1,6#3 *)", 14, "cannot stand in a list"},
    {"cron(0 0 ? * 2-4#1 *)", 13, "behind a single day"},
    {"cron(0 0 ? * MON-FRIL *)", 13, "behind a single day"},
    {"cron(0 0 3#1 * ? *)", 10, "has no meaning"},
    {"cron(0 0 1 * ? *) x", 19, "\")\" is missing"},
    {"cron(\x1b[31m * * * ? *)", 5, "\"?\" has no meaning"},
    {"cron(0 0 1 * \xc3\xa4 *)", 13, "has no meaning"},
};

static void test_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    struct cron c;
    struct cron_error error;
    if (cron_parse(refused[i].expression, &c, &error))
      fail_msg("%s was taken", refused[i].expression);
    if (error.position != refused[i].position || strstr(error.text, refused[i].says) == NULL)
      fail_msg("%s: at %d \"%s\"", refused[i].expression ? refused[i].expression : "(null)", error.position,
               error.text);
    for (const char *s = error.text; *s != '\0'; s++)
      assert_true(*s >= ' ' && *s <= '~');
    assert_true(cron_next(&c, 0) == WHEN_NONE);
    assert_true(cron_previous(&c, 0) == WHEN_NONE);
    assert_false(cron_parse(refused[i].expression, &c, NULL));
  }
}

static void test_too_fast(void **state)
{
  (void)state;
  static const struct {
    const char *expression;
    bool fast;
  } cases[] = {{"cron(* * * * ? *)", true},
               {"cron(0/5 * * * ? *)", false},
               {"cron(0/4 * * * ? *)", true},
               {"cron(0,5,9 * * * ? *)", true},
               {"cron(0,57 * * * ? *)", true},
               {"cron(0,57 3 * * ? *)", false},
               {"cron(0,57 3,4 * * ? *)", true},
               {"cron(0,57 0,23 * * ? *)", true},
               {"cron(0,57 0,23 1 * ? *)", false},
               {"cron(0,57 0,23 1,L * ? *)", true},
               {"cron(0,57 0,23 1,31 12 ? *)", false},
               {"cron(0,57 0,23 ? * MON *)", false},
               {"cron(0,57 0,23 ? * MON,TUE *)", true},
               {"cron(0,1 3 29 2 ? 2027)", false},
               {"cron(0/59 * * * ? *)", true},
               {"cron(2/55 * * * ? *)", false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct cron c;
    assert_true(cron_parse(cases[i].expression, &c, NULL));
    if (cron_too_fast(&c) != cases[i].fast)
      fail_msg("%s", cases[i].expression);
  }
}

/* --- the walk over every minute ------------------------------------------------------------------------------------- */

static uint32_t seed = 20261130;
static int random_to(int below)
{
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)below);
}

/* An expression is made as a rule first and as text second; the walk asks the rule and never reads the text. */
enum day_rule { DAY_SET, DAY_LAST, DAY_NEAR, DAY_NEAR_LAST, WEEKDAY_SET, WEEKDAY_LAST, WEEKDAY_NTH, DAY_RULES };
struct rule {
  bool minute[60], hour[24], day[32], month[13], weekday[8], year[230];
  enum day_rule kind;
  int n, k;
  char text[400];
};

static void add_text(char *text, size_t size, const char *piece)
{
  size_t len = strlen(text);
  snprintf(text + len, size - len, "%s", piece);
}

/* A plain field: a few values, ranges (wrapping too) and steps. set is indexed from 0 = min. */
static void make_plain(bool *set, int min, int span, bool sparse, const char *const *names, char *text, size_t size)
{
  int pieces = 1 + random_to(3);
  memset(set, 0, (size_t)span * sizeof *set);
  if (!sparse && random_to(2) == 0) {
    for (int i = 0; i < span; i++)
      set[i] = true;
    add_text(text, size, "*");
    return;
  }
  for (int p = 0; p < pieces; p++) {
    char piece[40], from_text[12], to_text[12];
    int from = random_to(span), to = random_to(span), step = 1 + random_to(span > 8 ? 7 : 3),
        form = random_to(sparse ? 1 : 4);
    if (span > 100 && to < from) { /* years do not wrap */
      int swap = to;
      to = from;
      from = swap;
    }
    bool named = names != NULL && random_to(2) == 0;
    snprintf(from_text, sizeof from_text, named ? "%s" : "%.0s%d", named ? names[from] : "", min + from);
    snprintf(to_text, sizeof to_text, named ? "%s" : "%.0s%d", named ? names[to] : "", min + to);
    switch (form) {
    case 0:
      snprintf(piece, sizeof piece, "%s", from_text);
      set[from] = true;
      break;
    case 1:
      snprintf(piece, sizeof piece, "%s-%s", from_text, to_text);
      for (int i = from;; i = (i + 1) % span) {
        set[i] = true;
        if (i == to)
          break;
      }
      break;
    case 2:
      snprintf(piece, sizeof piece, "%s/%d", from_text, step);
      for (int i = from; i < span; i += step)
        set[i] = true;
      break;
    default:
      snprintf(piece, sizeof piece, "%s-%s/%d", from_text, to_text, step);
      for (int i = from, count = 0;; i = (i + 1) % span, count++) {
        if (count % step == 0)
          set[i] = true;
        if (i == to)
          break;
      }
      break;
    }
    if (p > 0)
      add_text(text, size, ",");
    add_text(text, size, piece);
  }
}

static void make_rule(struct rule *r)
{
  static const char *const months[] = {"jan", "Feb", "MAR", "apr", "May", "JUN",
                                       "jul", "Aug", "SEP", "oct", "Nov", "DEC"};
  static const char *const weekdays[] = {"sun", "Mon", "TUE", "wed", "Thu", "FRI", "sat"};
  char piece[40];
  memset(r, 0, sizeof *r);
  add_text(r->text, sizeof r->text, "cron(");
  make_plain(r->minute, 0, 60, true, NULL, r->text, sizeof r->text);
  add_text(r->text, sizeof r->text, " ");
  make_plain(r->hour, 0, 24, random_to(2) == 0, NULL, r->text, sizeof r->text);
  add_text(r->text, sizeof r->text, " ");
  r->kind = (enum day_rule)random_to(DAY_RULES);
  r->n = r->kind == DAY_LAST || r->kind == DAY_NEAR_LAST ? random_to(31) : 1 + random_to(r->kind == DAY_NEAR ? 31 : 7);
  r->k = 1 + random_to(5);
  piece[0] = '\0';
  switch (r->kind) {
  case DAY_SET:
    make_plain(r->day + 1, 1, 31, false, NULL, r->text, sizeof r->text);
    break;
  case DAY_LAST:
    snprintf(piece, sizeof piece, r->n == 0 ? "L%.0d" : "L-%d", r->n);
    break;
  case DAY_NEAR:
    snprintf(piece, sizeof piece, "%dW", r->n);
    break;
  case DAY_NEAR_LAST:
    snprintf(piece, sizeof piece, r->n == 0 ? "LW%.0d" : "L-%dW", r->n);
    break;
  case WEEKDAY_SET:
  case WEEKDAY_LAST:
  case WEEKDAY_NTH:
  case DAY_RULES:
    snprintf(piece, sizeof piece, "?");
    break;
  }
  add_text(r->text, sizeof r->text, piece);
  add_text(r->text, sizeof r->text, " ");
  make_plain(r->month + 1, 1, 12, false, months, r->text, sizeof r->text);
  add_text(r->text, sizeof r->text, " ");
  if (r->kind == WEEKDAY_SET)
    make_plain(r->weekday + 1, 1, 7, false, weekdays, r->text, sizeof r->text);
  else {
    snprintf(piece, sizeof piece, "?");
    if (r->kind == WEEKDAY_LAST)
      snprintf(piece, sizeof piece, "%dL", r->n);
    if (r->kind == WEEKDAY_NTH)
      snprintf(piece, sizeof piece, "%s#%d", weekdays[r->n - 1], r->k);
    add_text(r->text, sizeof r->text, piece);
  }
  add_text(r->text, sizeof r->text, " ");
  if (random_to(3) == 0) {
    memset(r->year, 0, sizeof r->year);
    r->year[2027 - 1970] = r->year[2028 - 1970] = r->year[2032 - 1970] = true;
    add_text(r->text, sizeof r->text, "2027,2028-2032/4)");
  } else {
    memset(r->year, 1, sizeof r->year);
    add_text(r->text, sizeof r->text, "*)");
  }
}

/* Is `day` the working day of the month that lies nearest to `target`? Found by trying all of them. */
static bool is_nearest(int day, int target, int last, int weekday_of_first)
{
  int best = 0, best_distance = 100;
  if (target < 1 || target > last)
    return false;
  for (int d = 1; d <= last; d++) {
    int weekday = (weekday_of_first + d - 1) % 7; /* 0 is Sunday */
    int distance = d > target ? d - target : target - d;
    if (weekday != 0 && weekday != 6 && distance < best_distance) {
      best = d;
      best_distance = distance;
    }
  }
  return best == day;
}

static bool rule_has_day(const struct rule *r, const struct when_civil *c)
{
  int last = when_days_in_month(c->year, c->month);
  int first = (c->weekday + 35 - (c->day - 1)) % 7;
  if (!r->year[c->year - 1970] || !r->month[c->month])
    return false;
  switch (r->kind) {
  case DAY_SET:
    return r->day[c->day];
  case DAY_LAST:
    return c->day == last - r->n;
  case DAY_NEAR:
    return is_nearest(c->day, r->n, last, first);
  case DAY_NEAR_LAST:
    return is_nearest(c->day, last - r->n, last, first);
  case WEEKDAY_SET:
    return r->weekday[c->weekday + 1];
  case WEEKDAY_LAST:
    return c->weekday + 1 == r->n && c->day > last - 7;
  case WEEKDAY_NTH:
    return c->weekday + 1 == r->n && c->day > 7 * (r->k - 1) && c->day <= 7 * r->k;
  case DAY_RULES:
    break;
  }
  return false;
}

static void test_every_minute(void **state)
{
  (void)state;
  int64_t begin = at("2026-11-30T00:00:00Z"), end = at("2036-11-30T00:00:00Z");
  for (int round = 0; round < 100; round++) {
    struct rule r;
    struct cron c;
    struct cron_error error;
    make_rule(&r);
    if (!cron_parse(r.text, &c, &error))
      fail_msg("%s: %s", r.text, error.text);
    int64_t next = cron_next(&c, begin - 1);
    for (int64_t day = begin; day < end; day += WHEN_DAY) {
      struct when_civil civil = when_to_civil(day);
      bool fires = rule_has_day(&r, &civil);
      for (int minute = 0; minute < 1440; minute++) {
        bool want = fires && r.hour[minute / 60] && r.minute[minute % 60];
        int64_t now = day + minute * WHEN_MINUTE;
        if (want != (next == now)) {
          char text[WHEN_TEXT_MAX];
          fail_msg("%s at %s: %s", r.text, when_format_iso(now, text), want ? "missed" : "too much");
        }
        if (want)
          next = cron_next(&c, now);
      }
    }
    assert_true(next == WHEN_NONE || next >= end);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_too_fast), cmocka_unit_test(test_every_minute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
