/* The decoder of keys: whatever comes, in whatever pieces and at whatever times, it ends, keeps its bounds, gives valid letters, and gives the
 * same for the same. Run: ./fuzz_input -max_total_time=60 -dict=tests/fuzz/fuzz_input.dict */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "views/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

static size_t run(const uint8_t *data, size_t size, unsigned step, int64_t apart)
{
  struct input_decoder d;
  struct input in;
  int64_t now = 0;
  size_t count = 0, at = 0;
  input_init(&d);
  while (at < size) {
    size_t len = step == 0 || step > size - at ? size - at : step;
    input_feed(&d, data + at, len, now);
    while (input_next(&d, now, &in)) {
      must(in.kind != INPUT_NONE);
      must(in.kind != INPUT_LETTER ||
           (in.text != NULL && text_valid_utf8(in.text, strlen(in.text)) && in.code >= 0x20));
      must(in.kind != INPUT_PASTE || (in.text != NULL && strlen(in.text) <= INPUT_PASTE_MAX));
      must(++count <= 2 * size + 2);
    }
    must(input_deadline(&d) == INT64_MAX || input_deadline(&d) > now);
    at += len;
    now += apart;
  }
  now += 100000;
  while (input_next(&d, now, &in)) {
    count++;
  }
  must(input_deadline(&d) == INT64_MAX);
  input_fini(&d);
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2)
    return 0;
  size_t first = run(data + 2, size - 2, data[0], data[1] * 16);
  must(first == run(data + 2, size - 2, data[0], data[1] * 16));
  return 0;
}
