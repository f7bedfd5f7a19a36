/* A time that is read is written and read back as the same; all readers and formats stay within their bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/when.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

static void show(int64_t ms)
{
  char out[WHEN_TEXT_MAX];
  for (int zone = WHEN_LOCAL; zone <= WHEN_UTC; zone++) {
    for (int style = WHEN_HM; style <= WHEN_DATE; style++)
      must(strlen(when_format(ms, (enum when_zone)zone, (enum when_style)style, out)) < WHEN_TEXT_MAX);
    must(strlen(when_zone_letters(ms, (enum when_zone)zone, out)) < WHEN_TEXT_MAX);
    (void)when_day_start(ms, (enum when_zone)zone);
    (void)when_month_start(ms, (enum when_zone)zone);
    (void)when_month_end(ms, (enum when_zone)zone);
  }
  must(strlen(when_format_iso(ms, out)) < WHEN_TEXT_MAX);
  must(strlen(when_format_basic(ms, out)) < WHEN_TEXT_MAX);
  must(strlen(when_format_span(ms, out)) < WHEN_TEXT_MAX);
  must(strlen(when_format_age(ms, out)) < WHEN_TEXT_MAX);
  struct when_civil c = when_to_civil(ms);
  must(c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= when_days_in_month(c.year, c.month));
  if (c.year > -200000000 && c.year < 200000000)
    must(when_from_civil(&c) == ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 8) { /* any number at all */
    int64_t ms = 0;
    memcpy(&ms, data, sizeof ms);
    show(ms);
  }
  struct when_civil any = {0};
  if (size == sizeof any) {
    memcpy(&any, data, sizeof any);
    show(when_from_civil(&any));
  }
  char *text = malloc(size + 1);
  must(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  int64_t ms = 0;
  int64_t back = 0;
  char out[WHEN_TEXT_MAX];
  if (when_parse_iso(text, &ms)) {
    show(ms);
    /* An offset may lead just over the edge of the years that ISO's four digits write. */
    if (when_to_civil(ms).year <= 9999 && when_to_civil(ms).year >= -9999)
      must(when_parse_iso(when_format_iso(ms, out), &back) && back == ms);
  }
  if (when_parse_basic(text, &ms)) {
    show(ms);
    must(when_to_civil(ms).year > 9999 || (when_parse_basic(when_format_basic(ms, out), &back) && back == ms));
  }
  if (when_parse_http(text, &ms))
    show(ms);
  if (when_parse_span(text, &ms))
    must(ms >= 0 && ms % WHEN_SECOND == 0);
  free(text);
  return 0;
}
