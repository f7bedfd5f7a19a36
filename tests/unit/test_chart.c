/* Block letters and the axis of time: sizes, and days of 23 and 25 hours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/text.h"
#include "views/chart.h"

static void set_zone(const char *zone)
{
  setenv("TZ", zone, 1);
  tzset();
}

static int64_t at(const char *iso)
{
  int64_t ms = 0;
  assert_true(when_parse_iso(iso, &ms));
  return ms;
}

static void bars(void **state)
{
  static const struct {
    double share;
    const char *text;
  } cases[] = {
      {0.0, ""},
      {0.001, "\u258f"}, /* something is never nothing */
      {0.5, "\u2588\u2588"},
      {0.25 + 1.0 / 16, "\u2588\u258e"},
      {1.0, "\u2588\u2588\u2588\u2588"},
      {7.0, "\u2588\u2588\u2588\u2588"},
      {-1.0, ""},
  };
  (void)state;
  for (size_t i = 0; i <= sizeof cases / sizeof cases[0]; i++) {
    bool last = i == sizeof cases / sizeof cases[0];
    struct buf b;
    buf_init(&b, 256);
    chart_bar(&b, 4, last ? (double)NAN : cases[i].share);
    assert_string_equal(b.data, last ? "" : cases[i].text);
    buf_fini(&b);
  }
}

static void sparks(void **state)
{
  int64_t values[] = {0, 1, 4, 8, -1, INT64_MAX / 16};
  struct buf b;
  (void)state;
  buf_init(&b, 256);
  chart_spark(&b, values, 5);
  assert_string_equal(b.data, "\u2581\u2581\u2584\u2588 ");
  buf_reset(&b);
  chart_spark(&b, values, 6);
  assert_string_equal(b.data, "\u2581\u2581\u2581\u2581 \u2588");
  buf_fini(&b);
}

/* Every stretch of a cell has a letter, a single one, in both alphabets; and none is blank. */
static void parts(void **state)
{
  (void)state;
  for (int ascii = 0; ascii < 2; ascii++) {
    text_set_ascii(ascii != 0);
    for (int from = 0; from < CHART_EIGHTHS; from++) {
      for (int to = from + 1; to <= CHART_EIGHTHS; to++) {
        const char *letter = chart_part(from, to);
        assert_string_not_equal(letter, " ");
        assert_true(ascii == 0 || ((unsigned char)letter[0] < 0x80 && letter[1] == '\0'));
      }
    }
    assert_string_equal(chart_part(3, 3), " ");
  }
  text_set_ascii(false);
}

static void round_numbers(void **state)
{
  static const int64_t cases[][2] = {{-3, 1},  {0, 1},   {1, 1},    {3, 3},    {4, 5},
                                     {11, 20}, {21, 25}, {84, 100}, {260, 500}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(chart_round_up(cases[i][0]), cases[i][1]);
  }
}

static size_t ticks(const char *since, const char *until, int cells, struct chart_tick *out)
{
  size_t n = chart_ticks(at(since), at(until), cells, WHEN_LOCAL, out, CHART_TICKS_MAX);
  for (size_t i = 0; i < n; i++) {
    assert_true(out[i].at_ms >= at(since) && out[i].at_ms < at(until));
    assert_true(i == 0 || out[i].at_ms > out[i - 1].at_ms); /* UTC order, whatever the clocks on the wall do */
  }
  return n;
}

static void ticks_of_a_day(void **state)
{
  struct chart_tick t[CHART_TICKS_MAX];
  (void)state;
  set_zone("UTC");
  size_t n = ticks("2026-11-29T14:03Z", "2026-11-30T14:03Z", 100, t);
  assert_int_equal(n, 8); /* every three hours */
  assert_string_equal(t[0].label, "15:00");
  assert_string_equal(t[3].label, "Mon 30"); /* midnight has the date */
  assert_int_equal(t[7].at_ms, at("2026-11-30T12:00Z"));
  assert_int_equal(ticks("2026-11-30T13:53Z", "2026-11-30T14:03Z", 60, t), 5); /* every two minutes */
  assert_string_equal(t[0].label, "13:54");
  assert_int_equal(chart_ticks(5, 5, 80, WHEN_UTC, t, CHART_TICKS_MAX), 0);
  assert_int_equal(chart_ticks(0, WHEN_DAY, 0, WHEN_UTC, t, CHART_TICKS_MAX), 0);
}

/* In Berlin 2026-10-25 has 25 hours and 2026-03-29 has 23. */
static void ticks_over_summer_time(void **state)
{
  struct chart_tick t[CHART_TICKS_MAX];
  (void)state;
  set_zone("Europe/Berlin");
  size_t n = ticks("2026-10-24T22:00Z", "2026-10-25T23:00Z", 300, t); /* the long day, every hour: none is missing */
  assert_int_equal(n, 25);
  assert_string_equal(t[2].label, "02:00");
  assert_string_equal(t[3].label, "02:00"); /* the second time */
  assert_int_equal(t[3].at_ms - t[2].at_ms, WHEN_HOUR);
  assert_string_equal(t[24].label, "23:00");
  n = ticks("2026-03-28T23:00Z", "2026-03-29T22:00Z", 300, t);
  assert_int_equal(n, 23);
  assert_string_equal(t[1].label, "01:00");
  assert_string_equal(t[2].label, "03:00");
  n = ticks("2026-10-20T22:00Z", "2026-10-30T23:00Z", 110, t); /* days begin at midnight on both sides */
  assert_int_equal(n, 10);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(t[i].at_ms, when_day_start(t[i].at_ms, WHEN_LOCAL));
  }
  set_zone("UTC");
}

/* Labels of many days stand on the same dates when the window moves on by a little. */
static void labels_stay(void **state)
{
  struct chart_tick a[CHART_TICKS_MAX], b[CHART_TICKS_MAX];
  (void)state;
  set_zone("UTC");
  size_t n = ticks("2026-09-01T00:00Z", "2026-11-30T00:00Z", 100, a);
  size_t m = ticks("2026-09-02T00:00Z", "2026-12-01T00:00Z", 100, b);
  assert_true(n > 3 && m > 3);
  size_t shared = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < m; k++) {
      shared += a[i].at_ms == b[k].at_ms;
    }
  }
  assert_true(shared + 1 >= (n < m ? n : m));
}

static void areas(void **state)
{
  struct canvas c;
  int64_t values[] = {0, 8, 16, 1, -1};
  (void)state;
  canvas_init(&c);
  canvas_resize(&c, 6, 2);
  struct pane p = canvas_pane(&c);
  chart_area(&p, values, 5, 16, ROLE_ACCENT);
  static const uint32_t want[2][6] = {{' ', ' ', 0x2588, ' ', ' ', ' '}, {' ', 0x2588, 0x2588, 0x2581, 0xb7, ' '}};
  for (int y = 0; y < 2; y++) {
    for (int x = 0; x < 6; x++) {
      assert_int_equal(c.cells[y * 6 + x].letters[0], want[y][x]);
    }
  }
  canvas_fini(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bars),          cmocka_unit_test(sparks),         cmocka_unit_test(parts),
      cmocka_unit_test(round_numbers), cmocka_unit_test(ticks_of_a_day), cmocka_unit_test(ticks_over_summer_time),
      cmocka_unit_test(labels_stay),   cmocka_unit_test(areas),
  };
  return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
