/* Any bytes as an answer of the query protocol. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/sts.h"
#include "aws/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct arena arena;
  struct identity who;
  arena_init(&arena);
  struct err e = sts_decode_identity((const char *)data, size, &arena, &who);
  if (!err_is(&e) && (who.account == NULL || who.account[0] == '\0'))
    abort();
  err_fini(&e);
  arena_fini(&arena);
  struct xml_want wants[] = {{.path = "Error/Code"}, {.path = "Code"}, {.path = "Credentials/SecretAccessKey"}};
  e = xml_read((const char *)data, size, wants, 3);
  if (wants[0].text != NULL && wants[1].text == NULL)
    abort();
  err_fini(&e);
  xml_wants_wipe(wants, 3);
  return 0;
}
