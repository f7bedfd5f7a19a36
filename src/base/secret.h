/* The one type for passwords, keys and tokens. Wiped with OPENSSL_cleanse whenever it changes or ends.
 * There is on purpose no function that formats, prints or compares it with anything but another secret. */
#ifndef GLUETOP_BASE_SECRET_H
#define GLUETOP_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

struct secret {
  char *bytes; /* NUL-terminated behind len; NULL when empty */
  size_t len;
};

void secret_set(struct secret *s, const char *bytes, size_t len);
void secret_set_str(struct secret *s, const char *str); /* NULL clears */
void secret_copy(struct secret *to, const struct secret *from);
void secret_fini(struct secret *s);
bool secret_empty(const struct secret *s);
bool secret_equal(const struct secret *a, const struct secret *b); /* constant time for equal lengths */
/* Wipe memory that held a secret for a moment (request bodies, decoded answers). */
void secret_wipe(void *p, size_t len);
/* RLIMIT_CORE 0 and PR_SET_DUMPABLE off where there is such a thing. Called once, before the first secret is read. */
void secret_forbid_core_dumps(void);

#endif
