/* The proof that a console login is ours: a JWT for one request, signed by the login's private key (DPoP, RFC 9449). */
#include "aws/provider.h"

#include <stdio.h>
#include <string.h>
#include "aws/digest.h"
#include "aws/secret_text.h"
#include "base/buf.h"

static void add_base64url(struct secret_text *out, const void *data, size_t len)
{
  struct buf encoded;
  buf_init(&encoded, 2 * len + 16);
  if (digest_base64url(&encoded, data, len))
    secret_text_add(out, encoded.data, encoded.len);
  buf_fini(&encoded);
}

struct err console_proof(const struct secret *pem, const char *url, int64_t now_seconds, struct secret *out)
{
  unsigned char x[32];
  unsigned char y[32];
  unsigned char signature[64];
  char uuid[DIGEST_UUID];
  char iat[32];
  struct secret_text coordinate = {0};
  struct secret_text part = {0};
  struct secret_text jwt = {0};
  struct err e = digest_es256_public(pem->bytes != NULL ? pem->bytes : "", pem->len, x, y);
  if (err_is(&e))
    return e;
  secret_text_adds(&part, "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{");
  secret_text_member(&part, "kty", "EC");
  secret_text_member(&part, "crv", "P-256");
  add_base64url(&coordinate, x, sizeof x);
  secret_text_member(&part, "x", coordinate.data);
  secret_text_fini(&coordinate);
  add_base64url(&coordinate, y, sizeof y);
  secret_text_member(&part, "y", coordinate.data);
  secret_text_fini(&coordinate);
  secret_text_adds(&part, "}}");
  add_base64url(&jwt, part.data, part.len);
  secret_text_fini(&part);
  digest_uuid(uuid);
  snprintf(iat, sizeof iat, ",\"iat\":%lld}", (long long)now_seconds);
  secret_text_adds(&part, "{");
  secret_text_member(&part, "jti", uuid);
  secret_text_member(&part, "htm", "POST");
  secret_text_member(&part, "htu", url);
  secret_text_adds(&part, iat);
  secret_text_adds(&jwt, ".");
  add_base64url(&jwt, part.data, part.len);
  secret_text_fini(&part);
  e = digest_es256_sign(pem->bytes, pem->len, jwt.data, jwt.len, signature);
  if (!err_is(&e)) {
    secret_text_adds(&jwt, ".");
    add_base64url(&jwt, signature, sizeof signature);
    secret_set(out, jwt.data, jwt.len);
  }
  secret_text_fini(&jwt);
  return e;
}
