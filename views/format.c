#include "views/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

void format_nothing(struct buf *out)
{
  buf_adds(out, sign(SIGN_NOTHING));
}

void format_count(struct buf *out, int64_t n)
{
  char digits[32];
  int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
  int first = digits[0] == '-';
  for (int i = 0; i < len; i++) {
    if (i > first && (len - i) % 3 == 0) {
      buf_addc(out, ',');
    }
    buf_addc(out, digits[i]);
  }
}

void format_dpu(struct buf *out, double dpu)
{
  if (isnan(dpu)) {
    buf_addc(out, '?');
  } else if (dpu >= 1000.0) {
    format_count(out, (int64_t)(dpu + 0.5));
  } else if (dpu == floor(dpu)) {
    buf_addf(out, "%.0f", dpu);
  } else if (dpu < 1.0) {
    buf_addf(out, "%.4g", dpu);
  } else {
    buf_addf(out, "%.1f", dpu);
  }
}

void format_span(struct buf *out, int64_t ms)
{
  char text[WHEN_TEXT_MAX];
  buf_adds(out, when_format_span(ms, text));
}

void format_ago(struct buf *out, int64_t ms)
{
  char text[WHEN_TEXT_MAX];
  buf_adds(out, when_format_age(ms < 0 ? 0 : ms, text));
}

void format_minutes(struct buf *out, int64_t minutes)
{
  if (minutes < 0) {
    buf_addc(out, '?');
  } else if (minutes == 0) {
    buf_adds(out, "none");
  } else if (minutes % 1440 == 0) {
    buf_addf(out, "%lldd", (long long)(minutes / 1440));
  } else if (minutes % 60 == 0) {
    buf_addf(out, "%lldh", (long long)(minutes / 60));
  } else if (minutes > 60) {
    buf_addf(out, "%lldh%02lldm", (long long)(minutes / 60), (long long)(minutes % 60));
  } else {
    buf_addf(out, "%lldm", (long long)minutes);
  }
}

void format_moment(struct buf *out, int64_t ms, int64_t now_ms, enum when_zone zone)
{
  char text[WHEN_TEXT_MAX];
  if (ms == WHEN_NONE) {
    format_nothing(out);
  } else {
    int64_t today = when_day_start(now_ms, zone), day = when_day_start(ms, zone);
    int64_t apart = (day > today ? day - today : today - day) / (23 * WHEN_HOUR); /* a day may have 23 hours */
    enum when_style style = apart == 0 ? WHEN_HM : apart <= 6 ? WHEN_DAY_HM : WHEN_DATE_HM;
    buf_adds(out, when_format(ms, zone, style, text));
  }
}

void format_moment_brief(struct buf *out, int64_t ms, int64_t now_ms, enum when_zone zone)
{
  char text[WHEN_TEXT_MAX];
  struct buf whole;
  buf_init(&whole, WHEN_TEXT_MAX);
  format_moment(&whole, ms, now_ms, zone);
  if (whole.len < strlen("2026-11-30 14:03")) {
    buf_adds(out, whole.data);
  } else if (ms < now_ms - 300 * WHEN_DAY || ms > now_ms + 300 * WHEN_DAY) {
    buf_adds(out, when_format(ms, zone, WHEN_DATE, text));
  } else {
    const char *dash = strchr(whole.data, '-');
    buf_adds(out, dash != NULL ? dash + 1 : whole.data);
  }
  buf_fini(&whole);
}

void format_moment_whole(struct buf *out, int64_t ms, enum when_zone zone)
{
  char text[WHEN_TEXT_MAX];
  if (ms == WHEN_NONE) {
    format_nothing(out);
  } else {
    buf_adds(out, when_format(ms, zone, WHEN_DATE_HMS, text));
    buf_addc(out, ' ');
    buf_adds(out, when_zone_letters(ms, zone, text));
  }
}

bool format_is_failure(enum run_state s)
{
  return run_state_info(s)->failed;
}

enum sign format_state_sign(enum run_state s)
{
  enum sign result = SIGN_UNKNOWN;
  switch (s) {
  case RUN_STARTING:
  case RUN_RUNNING:
    result = SIGN_RUNNING;
    break;
  case RUN_STOPPING:
  case RUN_STOPPED:
    result = SIGN_STOPPED;
    break;
  case RUN_SUCCEEDED:
    result = SIGN_OK;
    break;
  case RUN_FAILED:
  case RUN_TIMEOUT:
  case RUN_ERROR:
  case RUN_EXPIRED:
    result = SIGN_FAILED;
    break;
  case RUN_WAITING:
    result = SIGN_WAITING;
    break;
  case RUN_STATE_UNKNOWN:
  case RUN_STATE_COUNT:
    break;
  }
  return result;
}

unsigned format_state_style(enum run_state s)
{
  unsigned style = ROLE_TEXT;
  switch (s) {
  case RUN_STARTING:
  case RUN_RUNNING:
    style = ROLE_RUNNING;
    break;
  case RUN_STOPPING:
  case RUN_WAITING:
    style = ROLE_WARN;
    break;
  case RUN_FAILED:
  case RUN_TIMEOUT:
  case RUN_ERROR:
  case RUN_EXPIRED:
    style = ROLE_BAD;
    break;
  case RUN_STOPPED:
    style = ROLE_DIM;
    break;
  case RUN_SUCCEEDED:
  case RUN_STATE_UNKNOWN:
  case RUN_STATE_COUNT:
    break;
  }
  return style;
}

const char *format_state_word(const struct strpool *strings, const struct run *r)
{
  const char *word = NULL;
  if (r->state == RUN_STATE_UNKNOWN) {
    word = strpool_get(strings, r->state_text);
  } else {
    word = run_state_info((enum run_state)r->state)->label;
  }
  return word != NULL && word[0] != '\0' ? word : "?";
}

void format_run_short(struct buf *out, const char *run_id)
{
  int used = 0;
  size_t len = text_fit(run_id, 11, &used);
  buf_add(out, run_id, len);
  if (run_id[len] != '\0') {
    buf_adds(out, sign(SIGN_ELLIPSIS));
  }
}

void format_account_short(struct buf *out, const char *account)
{
  size_t len = strlen(account);
  if (len <= 8) {
    buf_adds(out, account);
  } else {
    buf_add(out, account, 4);
    buf_adds(out, sign(SIGN_ELLIPSIS));
    buf_adds(out, account + len - 4);
  }
}

int compare_i64(int64_t a, int64_t b)
{
  return a < b ? -1 : a > b;
}

int compare_f64(double a, double b)
{
  int result = 0;
  if (isnan(a) || isnan(b)) {
    result = isnan(a) && isnan(b) ? 0 : isnan(a) ? -1 : 1;
  } else {
    result = a < b ? -1 : a > b;
  }
  return result;
}

int compare_pooled(const struct strpool *strings, strid a, strid b)
{
  const char *x = strpool_get(strings, a), *y = strpool_get(strings, b);
  return a == b ? 0 : text_compare(x != NULL ? x : "", y != NULL ? y : "");
}

void format_clock_skew(struct buf *out, int64_t skew_ms)
{
  int64_t minutes = (skew_ms < 0 ? -skew_ms : skew_ms) / WHEN_MINUTE;
  buf_adds(out, "clock is ");
  if (minutes >= 120) {
    buf_addf(out, "%lld h ", (long long)(minutes / 60));
  } else {
    buf_addf(out, "%lld min ", (long long)minutes);
  }
  buf_adds(out, skew_ms > 0 ? "slow" : "fast");
}
