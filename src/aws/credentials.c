#include "aws/credentials.h"

#include <stdlib.h>
#include <string.h>
#include "base/when.h"
#include "base/xalloc.h"

void credentials_init(struct credentials *c)
{
  *c = (struct credentials){.expires_ms = WHEN_NONE};
}

void credentials_fini(struct credentials *c)
{
  free(c->access_key_id);
  secret_fini(&c->secret_access_key);
  secret_fini(&c->session_token);
  free(c->account);
  credentials_init(c);
}

void credentials_copy(struct credentials *to, const struct credentials *from)
{
  if (to == from)
    return;
  credentials_fini(to);
  to->access_key_id = xstrdup(from->access_key_id);
  secret_copy(&to->secret_access_key, &from->secret_access_key);
  secret_copy(&to->session_token, &from->session_token);
  to->expires_ms = from->expires_ms;
  to->account = xstrdup(from->account);
}

bool credentials_equal(const struct credentials *a, const struct credentials *b)
{
  if (a->access_key_id == NULL || b->access_key_id == NULL)
    return false;
  return strcmp(a->access_key_id, b->access_key_id) == 0 &&
         secret_equal(&a->secret_access_key, &b->secret_access_key) &&
         secret_equal(&a->session_token, &b->session_token);
}
