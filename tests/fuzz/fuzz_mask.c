/* Whatever key and value: what is called harmless is shown whole, what is shown masked is shorter by secrets only, and masking ends. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "model/mask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct buf out;
  char *key = malloc(size + 1);
  must(key != NULL);
  memcpy(key, data, size);
  key[size] = '\0';
  /* the value begins behind the first zero byte; without one there is only a value */
  size_t len = strlen(key);
  const char *value = len < size ? key + len + 1 : key;
  buf_init(&out, 20 * size + 100);
  mask_append(&out, value == key ? NULL : key, value);
  must(!out.overflow);
  if (mask_is_secret(value == key ? NULL : key, value))
    must(strstr(out.data, MASK_TEXT) != NULL);
  else
    must(strcmp(out.data, value) == 0);
  buf_fini(&out);
  free(key);
  return 0;
}
