#include "views/chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

#define LABEL_ROOM 10 /* cells from one label to the next, at least */

static int cut(int eighths)
{
  return eighths < 0 ? 0 : eighths > CHART_EIGHTHS ? CHART_EIGHTHS : eighths;
}

const char *chart_left(int eighths)
{
  static const char *const wide[] = {" ",      "\u258f", "\u258e", "\u258d", "\u258c",
                                     "\u258b", "\u258a", "\u2589", "\u2588"};
  static const char *const ascii[] = {" ", "-", "-", "-", "=", "=", "=", "#", "#"};
  return (text_is_ascii() ? ascii : wide)[cut(eighths)];
}

const char *chart_up(int eighths)
{
  static const char *const wide[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                     "\u2585", "\u2586", "\u2587", "\u2588"};
  static const char *const ascii[] = {" ", "_", "_", ".", "-", "=", "+", "*", "#"};
  return (text_is_ascii() ? ascii : wide)[cut(eighths)];
}

const char *chart_part(int from, int to)
{
  const char *letter = " ";
  if (to <= from) {
    letter = " ";
  } else if (text_is_ascii()) {
    letter = to - from >= 4 ? "#" : "=";
  } else if (from <= 0) {
    letter = chart_left(to);
  } else if (to >= CHART_EIGHTHS) { /* there are three letters that stand on the right */
    letter = from <= 1 ? "\u2588" : from <= 5 ? "\u2590" : "\u2595";
  } else if (to - from >= 5) {
    letter = from + to < CHART_EIGHTHS ? "\u258b" : "\u2590";
  } else if (from + to <= 5) {
    letter = "\u258e";
  } else if (from + to >= 11) {
    letter = "\u2590";
  } else {
    letter = "\u2503"; /* in the middle */
  }
  return letter;
}

void chart_bar(struct buf *out, int cells, double share)
{
  int eighths = 0;
  if (share > 0) {
    eighths = share >= 1 ? cells * CHART_EIGHTHS : (int)(share * cells * CHART_EIGHTHS + 0.5);
    eighths = eighths < 1 ? 1 : eighths;
  }
  for (int i = 0; i < cells && eighths > 0; i++, eighths -= CHART_EIGHTHS) {
    buf_adds(out, chart_left(eighths));
  }
}

static void spark(struct buf *out, const int64_t *values, size_t count, int64_t top)
{
  for (size_t i = 0; i < count; i++) {
    if (values[i] < 0) {
      buf_addc(out, ' ');
    } else {
      int level = top > 0 ? (int)((double)values[i] * CHART_EIGHTHS / (double)top + 0.5) : 0;
      buf_adds(out, chart_up(level < 1 ? 1 : level));
    }
  }
}

static int64_t highest(const int64_t *values, size_t count)
{
  int64_t top = 0;
  for (size_t i = 0; i < count; i++) {
    top = values[i] > top ? values[i] : top;
  }
  return top;
}

void chart_spark(struct buf *out, const int64_t *values, size_t count)
{
  spark(out, values, count, highest(values, count));
}

void chart_spark_usual(struct buf *out, const int64_t *values, size_t count)
{
  int64_t top = highest(values, count);
  double sum = 0, known = 0;
  for (size_t i = 0; i < count; i++) {
    sum += values[i] >= 0 ? (double)values[i] : 0;
    known += values[i] >= 0;
  }
  double twice = known > 0 ? 2 * sum / known : 0;
  spark(out, values, count, twice > (double)top && twice < (double)INT64_MAX ? (int64_t)twice : top);
}

void chart_area(const struct pane *p, const int64_t *values, size_t count, int64_t top, unsigned style)
{
  for (size_t i = 0; i < count && (int)i < p->width; i++) {
    int eighths = 0;
    if (values[i] < 0) {
      pane_put(p, p->height - 1, (int)i, ROLE_DIM, text_is_ascii() ? "." : "\u00b7");
      continue;
    }
    if (values[i] > 0 && top > 0) {
      eighths = (int)((double)values[i] * p->height * CHART_EIGHTHS / (double)top + 0.5);
      eighths = eighths < 1 ? 1 : eighths;
    }
    for (int y = p->height - 1; y >= 0 && eighths > 0; y--, eighths -= CHART_EIGHTHS) {
      pane_put(p, y, (int)i, style, chart_up(eighths));
    }
  }
}

int64_t chart_round_up(int64_t value)
{
  int64_t power = 1;
  if (value <= 0) {
    return 1;
  }
  while (power <= value / 10) {
    power *= 10;
  }
  int64_t steps[] = {power, 2 * power, power >= 10 ? power / 2 * 5 : 3 * power, 5 * power, 10 * power};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (steps[i] >= value) {
      return steps[i];
    }
  }
  return 10 * power;
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

static const int64_t steps_ms[] = {
    WHEN_MINUTE,   2 * WHEN_MINUTE, 5 * WHEN_MINUTE, 10 * WHEN_MINUTE, 15 * WHEN_MINUTE, 30 * WHEN_MINUTE, WHEN_HOUR,
    2 * WHEN_HOUR, 3 * WHEN_HOUR,   4 * WHEN_HOUR,   6 * WHEN_HOUR,    12 * WHEN_HOUR,   WHEN_DAY,         2 * WHEN_DAY,
    7 * WHEN_DAY,  14 * WHEN_DAY,   28 * WHEN_DAY,   91 * WHEN_DAY,    364 * WHEN_DAY};

/* The date of a moment as days since the epoch: what `every second day` is counted from, so that labels stay where they are when the
 * window moves on. */
static int64_t date_number(int64_t ms, enum when_zone zone)
{
  char date[WHEN_TEXT_MAX];
  int64_t midnight = 0;
  when_format(ms, zone, WHEN_DATE, date);
  return when_parse_iso(date, &midnight) ? midnight / WHEN_DAY : 0;
}

static int64_t next_day(int64_t day_ms, enum when_zone zone)
{
  return when_day_start(day_ms + 36 * WHEN_HOUR, zone); /* the longest day has 25 hours, the shortest 23 */
}

static void write_label(struct chart_tick *t, int64_t step, int64_t span, enum when_zone zone)
{
  char date[WHEN_TEXT_MAX], day[WHEN_TEXT_MAX];
  if (step < WHEN_DAY && t->at_ms != when_day_start(t->at_ms, zone)) {
    when_format(t->at_ms, zone, WHEN_HM, t->label);
  } else {
    when_format(t->at_ms, zone, WHEN_DATE, date);
    when_format(t->at_ms, zone, WHEN_DAY_HM, day);
    if (span > 40 * WHEN_DAY) {
      snprintf(t->label, sizeof t->label, "%.5s", strlen(date) > 5 ? date + strlen(date) - 5 : date);
    } else {
      snprintf(t->label, sizeof t->label, "%.3s %.2s", day, strlen(date) > 2 ? date + strlen(date) - 2 : date);
    }
  }
}

size_t chart_ticks(int64_t since_ms, int64_t until_ms, int cells, enum when_zone zone, struct chart_tick *out,
                   size_t cap)
{
  size_t count = 0, last = sizeof steps_ms / sizeof steps_ms[0] - 1, i = 0;
  int64_t span = until_ms - since_ms;
  if (span <= 0 || cells <= 0) {
    return 0;
  }
  while (i < last && (double)steps_ms[i] * cells / (double)span < LABEL_ROOM) {
    i++;
  }
  int64_t step = steps_ms[i];
  int64_t day = when_day_start(since_ms, zone), at = day;
  while (at < until_ms && count < cap) {
    bool here = step < WHEN_DAY || date_number(at, zone) % (step / WHEN_DAY) == 0;
    if (here && at >= since_ms) {
      out[count].at_ms = at;
      write_label(&out[count], step, span, zone);
      count++;
    }
    int64_t tomorrow = next_day(day, zone);
    at += step < WHEN_DAY ? step : WHEN_DAY;
    if (step >= WHEN_DAY || at >= tomorrow) {
      at = day = tomorrow;
    }
  }
  return count;
}

void chart_axis(const struct pane *p, int y, int x, int cells, int64_t since_ms, int64_t until_ms, enum when_zone zone,
                const struct chart_keep *keep, size_t keep_count, unsigned style)
{
  struct chart_tick ticks[CHART_TICKS_MAX];
  size_t count = chart_ticks(since_ms, until_ms, cells, zone, ticks, CHART_TICKS_MAX);
  struct pane line = pane_part(p, y, x, 1, cells);
  int free_from = 0;
  for (size_t i = 0; i < count; i++) {
    double share = (double)(ticks[i].at_ms - since_ms) / (double)(until_ms - since_ms);
    int at = (int)floor(share * cells), width = (int)strlen(ticks[i].label);
    bool kept = false;
    for (size_t k = 0; k < keep_count; k++) {
      kept = kept || (keep[k].from < keep[k].to && at < keep[k].to && at + width >= keep[k].from);
    }
    if (at >= free_from && at + width <= cells && !kept) {
      pane_put(&line, 0, at, style, ticks[i].label);
      free_from = at + width + 1;
    }
  }
}
