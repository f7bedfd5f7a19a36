#include "base/secret.h"

#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include "base/xalloc.h"

void secret_set(struct secret *s, const char *bytes, size_t len)
{
  /* Copied before the old one is wiped: bytes may point into it. */
  char *copy = NULL;
  if (bytes != NULL && len > 0) {
    copy = xmalloc(len + 1);
    memcpy(copy, bytes, len);
    copy[len] = '\0';
  }
  secret_fini(s);
  s->bytes = copy;
  s->len = copy != NULL ? len : 0;
}

void secret_set_str(struct secret *s, const char *str)
{
  secret_set(s, str, str != NULL ? strlen(str) : 0);
}

void secret_copy(struct secret *to, const struct secret *from)
{
  secret_set(to, from->bytes, from->len);
}

void secret_fini(struct secret *s)
{
  if (s->bytes != NULL) {
    OPENSSL_cleanse(s->bytes, s->len);
    free(s->bytes);
  }
  s->bytes = NULL;
  s->len = 0;
}

bool secret_empty(const struct secret *s)
{
  return s->len == 0;
}

bool secret_equal(const struct secret *a, const struct secret *b)
{
  return a->len == b->len && (a->len == 0 || CRYPTO_memcmp(a->bytes, b->bytes, a->len) == 0);
}

void secret_wipe(void *p, size_t len)
{
  if (p != NULL && len > 0)
    OPENSSL_cleanse(p, len);
}

void secret_forbid_core_dumps(void)
{
  /* Both are a second line of defence; where the system refuses, the program still works. */
  struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  (void)setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
