#include "aws/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#define P256_BYTES     32
#define DIGEST_PEM_MAX ((size_t)64 * 1024)

/* OpenSSL refuses these sums only when it is broken or memory is out; nothing sensible can follow. */
static void digest_die(const char *what)
{
  fprintf(stderr, "gluetop: OpenSSL cannot make %s\n", what);
  abort();
}

static void digest_hex(const EVP_MD *md, const void *data, size_t len, char *out)
{
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(data, len, sum, &size, md, NULL) != 1)
    digest_die("a digest");
  static const char digits[] = "0123456789abcdef";
  for (unsigned int i = 0; i < size; i++) {
    *out++ = digits[sum[i] >> 4];
    *out++ = digits[sum[i] & 15];
  }
  *out = '\0';
}

void digest_sha1_hex(const void *data, size_t len, char out[DIGEST_SHA1_HEX])
{
  digest_hex(EVP_sha1(), data, len, out);
}

void digest_sha256_hex(const void *data, size_t len, char out[DIGEST_SHA256_HEX])
{
  digest_hex(EVP_sha256(), data, len, out);
}

void digest_random(void *out, size_t len)
{
  unsigned char *at = out;
  while (len > 0) {
    int part = len > 4096 ? 4096 : (int)len;
    if (RAND_bytes(at, part) != 1)
      digest_die("random bytes");
    at += part;
    len -= (size_t)part;
  }
}

void digest_uuid(char out[DIGEST_UUID])
{
  unsigned char b[16];
  digest_random(b, sizeof b);
  b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
  b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
  snprintf(out, DIGEST_UUID, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

bool digest_base64url(struct buf *out, const void *data, size_t len)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const unsigned char *in = data;
  bool ok = true;
  for (size_t i = 0; i < len && ok; i += 3) {
    unsigned long three = (unsigned long)in[i] << 16;
    if (i + 1 < len)
      three |= (unsigned long)in[i + 1] << 8;
    if (i + 2 < len)
      three |= in[i + 2];
    char four[4] = {letters[three >> 18 & 63], letters[three >> 12 & 63], letters[three >> 6 & 63],
                    letters[three & 63]};
    ok = buf_add(out, four, len - i >= 3 ? 4 : len - i + 1);
  }
  return ok;
}

/* A private key on P-256, or an error that holds nothing of the key. */
static struct err digest_read_key(const char *pem, size_t pem_len, EVP_PKEY **out)
{
  static char no_password[] = ""; /* an encrypted key is refused, not asked for on the terminal */
  EVP_PKEY *key = NULL;
  BIO *bio = pem_len <= DIGEST_PEM_MAX ? BIO_new_mem_buf(pem, (int)pem_len) : NULL;
  if (bio != NULL)
    key = PEM_read_bio_PrivateKey(bio, NULL, NULL, no_password);
  BIO_free(bio);
  char group[32] = "";
  size_t group_len = 0;
  if (key != NULL &&
      EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, &group_len) == 1 &&
      strcmp(group, "prime256v1") == 0) {
    *out = key;
    return err_ok();
  }
  EVP_PKEY_free(key);
  return err_new(ERR_CREDENTIALS, "the session's proof key is not a private key on the curve P-256");
}

struct err digest_es256_public(const char *pem, size_t pem_len, unsigned char x[32], unsigned char y[32])
{
  EVP_PKEY *key = NULL;
  BIGNUM *bx = NULL;
  BIGNUM *by = NULL;
  struct err e = digest_read_key(pem, pem_len, &key);
  if (!err_is(&e) && (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &bx) != 1 ||
                      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &by) != 1 ||
                      BN_bn2binpad(bx, x, P256_BYTES) != P256_BYTES || BN_bn2binpad(by, y, P256_BYTES) != P256_BYTES))
    e = err_new(ERR_CREDENTIALS, "the session's proof key has no public half");
  BN_free(bx);
  BN_free(by);
  EVP_PKEY_free(key);
  return e;
}

struct err digest_es256_sign(const char *pem, size_t pem_len, const void *data, size_t len, unsigned char signature[64])
{
  EVP_PKEY *key = NULL;
  EVP_MD_CTX *ctx = NULL;
  ECDSA_SIG *pair = NULL;
  unsigned char der[128];
  size_t der_len = sizeof der;
  struct err e = digest_read_key(pem, pem_len, &key);
  if (!err_is(&e)) {
    bool ok = (ctx = EVP_MD_CTX_new()) != NULL && EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
              EVP_DigestSign(ctx, der, &der_len, data, len) == 1;
    if (ok) {
      const unsigned char *at = der;
      pair = d2i_ECDSA_SIG(NULL, &at, (long)der_len);
      ok = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, P256_BYTES) == P256_BYTES &&
           BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + P256_BYTES, P256_BYTES) == P256_BYTES;
    }
    if (!ok)
      e = err_new(ERR_CREDENTIALS, "the session's proof key cannot sign");
  }
  ECDSA_SIG_free(pair);
  EVP_MD_CTX_free(ctx);
  EVP_PKEY_free(key);
  return e;
}
