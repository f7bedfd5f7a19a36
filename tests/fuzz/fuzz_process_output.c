/* Any bytes as what a credential_process printed, and as its command line. */
#include "aws/provider.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/child.h"
#include "base/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
  if (!condition)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct credentials keys;
  credentials_init(&keys);
  struct err e = process_read_output((const char *)data, size, &keys);
  if (!err_is(&e))
    expect(keys.access_key_id[0] != '\0' && !secret_empty(&keys.secret_access_key));
  err_fini(&e);
  credentials_fini(&keys);
  char *line = xstrndup((const char *)data, size);
  char **words = NULL;
  e = child_words(line, &words);
  if (!err_is(&e)) {
    size_t len = 0;
    for (char **w = words; *w != NULL; w++)
      len += strlen(*w);
    expect(words[0][0] != '\0' && len <= size);
  }
  child_words_free(words);
  err_fini(&e);
  free(line);
  return 0;
}
