/* An environment for tests: pairs of name and value, ended by NULL. Pass env_get and the array to aws_config_parse. */
#ifndef GLUETOP_TESTS_ENV_H
#define GLUETOP_TESTS_ENV_H

#include <stddef.h>
#include <string.h>

static inline const char *env_get(void *user, const char *name)
{
  const char *const *pairs = user;
  for (size_t i = 0; pairs != NULL && pairs[i] != NULL; i += 2) {
    if (strcmp(pairs[i], name) == 0)
      return pairs[i + 1];
  }
  return NULL;
}

#endif
