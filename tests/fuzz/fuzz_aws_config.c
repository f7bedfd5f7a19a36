/* Any bytes as a config file and a credentials file: whatever is found, asking for it is safe, and faults stay bounded and clean. */
#include "aws/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "aws/endpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
  if (!condition)
    abort();
}

static const char *no_env(void *user, const char *name)
{
  (void)user;
  (void)name;
  return NULL;
}

/* Where the file says a service is: an endpoint that is whole, or an error. */
static void look_at_endpoints(const struct aws_config *c, const char *profile)
{
  for (int s = 0; s < AWS_SERVICE_COUNT; s++) {
    struct endpoint_options options = {.profile = profile, .region = aws_config_get(c, profile, "region")};
    struct endpoint out;
    struct err e = endpoint_resolve(c, (enum aws_service)s, &options, &out);
    if (!err_is(&e)) {
      expect(out.host[0] != '\0' && strpbrk(out.host, " \r\n\t/@?#") == NULL);
      expect(out.path[0] == '/' && out.path[strlen(out.path) - 1] == '/');
    }
    err_fini(&e);
    endpoint_fini(&out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const keys[] = {"region", "aws_secret_access_key", "role_arn", "services", "s3"};
  const char *text = (const char *)data;
  size_t half = size / 2;
  struct aws_config *c = NULL;
  struct err e = aws_config_parse(text, half, text + half, size - half, no_env, NULL, &c);
  expect(!err_is(&e));
  expect(aws_config_fault_count(c) <= 128);
  for (size_t i = 0; i < aws_config_fault_count(c); i++) {
    for (const char *p = aws_config_fault(c, i); *p != '\0'; p++)
      expect((unsigned char)*p >= ' ' && *p != 127);
  }
  for (size_t i = 0; i < aws_config_profile_count(c) && i < 8; i++) {
    const char *profile = aws_config_profile_name(c, i);
    expect(aws_config_has_profile(c, profile));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      const char *value = aws_config_get(c, profile, keys[k]);
      expect(value == NULL || value[0] != '\0');
    }
    look_at_endpoints(c, profile);
  }
  aws_config_free(c);
  return 0;
}
