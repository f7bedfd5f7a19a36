/* Whatever the text: reading and searching end, times found are in order and agree with each other, errors are printable. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/when.h"
#include "model/cron.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct cron cron;
  struct cron_error error;
  char *text = malloc(size + 1);
  must(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  if (!cron_parse(text, &cron, &error)) {
    must(error.position >= 0 && error.position <= (int)size && error.text[0] != '\0');
    for (const char *c = error.text; *c != '\0'; c++)
      must(*c >= ' ' && *c <= '~');
    must(cron_next(&cron, 0) == WHEN_NONE);
  } else {
    int64_t from = (int64_t)(size % 250) * 365 * WHEN_DAY;
    (void)cron_too_fast(&cron);
    for (int i = 0; i < 5; i++) {
      int64_t next = cron_next(&cron, from);
      if (next == WHEN_NONE)
        break;
      must(next > from && next % WHEN_MINUTE == 0);
      must(cron_previous(&cron, next) == next);
      must(cron_next(&cron, next - 1) == next);
      from = next;
    }
  }
  free(text);
  return 0;
}
