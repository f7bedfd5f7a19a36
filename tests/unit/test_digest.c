/* Sums beside the signing: known values, and a proof that OpenSSL itself believes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <cmocka.h>
#include "aws/digest.h"

static void test_hex(void **state)
{
  (void)state;
  char sha1[DIGEST_SHA1_HEX];
  char sha256[DIGEST_SHA256_HEX];
  digest_sha1_hex("abc", 3, sha1);
  digest_sha256_hex("abc", 3, sha256);
  assert_string_equal(sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
  assert_string_equal(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  digest_sha1_hex("", 0, sha1);
  assert_string_equal(sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

/* RFC 4648, section 10, in the alphabet of section 5 and without padding. */
static void test_base64url(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbf", "-_-_"}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    struct buf out;
    buf_init(&out, 100);
    assert_true(digest_base64url(&out, pairs[i][0], strlen(pairs[i][0])));
    assert_string_equal(out.data, pairs[i][1]);
    buf_fini(&out);
  }
  struct buf small;
  buf_init(&small, 5);
  assert_false(digest_base64url(&small, "foobar", 6));
  buf_fini(&small);
}

static void test_uuid(void **state)
{
  (void)state;
  char a[DIGEST_UUID];
  char b[DIGEST_UUID];
  digest_uuid(a);
  digest_uuid(b);
  assert_int_equal(strlen(a), 36);
  assert_int_equal(a[14], '4');
  assert_non_null(strchr("89ab", a[19]));
  assert_string_not_equal(a, b);
}

static void test_es256(void **state)
{
  (void)state;
  EVP_PKEY *key = EVP_EC_gen("P-256");
  BIO *bio = BIO_new(BIO_s_mem());
  assert_int_equal(PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
  char *pem = NULL;
  size_t pem_len = (size_t)BIO_get_mem_data(bio, &pem);
  unsigned char x[32], y[32], signature[64];
  struct err e = digest_es256_public(pem, pem_len, x, y);
  assert_false(err_is(&e));
  unsigned char point[65];
  size_t point_len = 0;
  assert_int_equal(EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", point, sizeof point, &point_len), 1);
  assert_int_equal(point_len, 65);
  assert_memory_equal(point + 1, x, 32);
  assert_memory_equal(point + 33, y, 32);

  e = digest_es256_sign(pem, pem_len, "header.payload", 14, signature);
  assert_false(err_is(&e));
  ECDSA_SIG *pair = ECDSA_SIG_new();
  ECDSA_SIG_set0(pair, BN_bin2bn(signature, 32, NULL), BN_bin2bn(signature + 32, 32, NULL));
  unsigned char der[100];
  unsigned char *at = der;
  int der_len = i2d_ECDSA_SIG(pair, &at);
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  assert_int_equal(EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key), 1);
  assert_int_equal(EVP_DigestVerify(ctx, der, (size_t)der_len, (const unsigned char *)"header.payload", 14), 1);
  EVP_MD_CTX_free(ctx);
  ECDSA_SIG_free(pair);
  BIO_free(bio);
  EVP_PKEY_free(key);
}

static void test_es256_refuses(void **state)
{
  (void)state;
  unsigned char x[32], y[32], signature[64];
  EVP_PKEY *key = EVP_EC_gen("P-384");
  BIO *bio = BIO_new(BIO_s_mem());
  assert_int_equal(PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
  char *other = NULL;
  size_t other_len = (size_t)BIO_get_mem_data(bio, &other);
  const struct {
    const char *pem;
    size_t len;
  } cases[] = {{"", 0}, {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", 59}, {other, other_len}};
  for (size_t i = 0; i < 3; i++) {
    struct err e = digest_es256_public(cases[i].pem, cases[i].len, x, y);
    assert_int_equal(e.kind, ERR_CREDENTIALS);
    err_fini(&e);
    e = digest_es256_sign(cases[i].pem, cases[i].len, "x", 1, signature);
    assert_int_equal(e.kind, ERR_CREDENTIALS);
    err_fini(&e);
  }
  BIO_free(bio);
  EVP_PKEY_free(key);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_hex), cmocka_unit_test(test_base64url),
                                            cmocka_unit_test(test_uuid), cmocka_unit_test(test_es256),
                                            cmocka_unit_test(test_es256_refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
