/* Which argument values are secret: by the look of the key (password, secret, token, key, credential …) or of the value (access keys, JWTs,
 * private keys, URLs and JDBC strings with a password in them). One rule for screen, log, JSON and clipboard. */
#ifndef GLUETOP_MODEL_MASK_H
#define GLUETOP_MODEL_MASK_H

#include <stdbool.h>
#include "base/buf.h"

#define MASK_TEXT "********"
bool mask_is_secret(const char *key, const char *value);
/* Append the value as it may be shown: whole, wholly masked, or with only the secret part masked (password=…& in a URL). */
void mask_append(struct buf *out, const char *key, const char *value);

#endif
