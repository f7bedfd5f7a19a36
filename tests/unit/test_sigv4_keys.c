/* The signing keys: derived once, kept, replaced, right; and what a signature allocates. */
#include "sigv4/private.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int64_t evening = INT64_C(1796079962000); /* 2026-11-30T23:06:02Z */

/* The linker sends the signer's malloc here: allocations are counted, and one can be made to fail. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
static unsigned malloc_calls;
static bool malloc_fails;

/* Its free comes here too: what it gives back is looked through for bytes that ought to be gone. */
void __real_free(void *block);
void __wrap_free(void *block);
static const void *wanted;
static size_t wanted_len;
static unsigned wanted_found;
static unsigned blocks_freed;

static bool holds(const unsigned char *block, size_t size)
{
  for (size_t i = 0; i + wanted_len <= size; i++) {
    if (memcmp(block + i, wanted, wanted_len) == 0)
      return true;
  }
  return false;
}

void __wrap_free(void *block)
{
  if (block != NULL && wanted != NULL) {
    blocks_freed++;
    wanted_found += holds(block, malloc_usable_size(block));
  }
  __real_free(block);
}

void *__wrap_malloc(size_t size)
{
  malloc_calls++;
  if (malloc_fails)
    return NULL;
  void *block = __real_malloc(size);
  if (block != NULL)
    memset(block, 0, malloc_usable_size(block));
  return block;
}

static const struct sigv4_header host = {"Host", "glue.eu-central-1.amazonaws.com"};

static struct sigv4_keys *new_keys(void)
{
  struct sigv4_keys *keys = sigv4_keys_new();
  assert_non_null(keys);
  return keys;
}

static void expect_text(const char *name, const char *expected, const char *actual)
{
  if (strcmp(expected, actual) != 0)
    fail_msg("%s: expected '%s', got '%s'", name, expected, actual);
}

static enum sigv4_status sign_plainly(struct sigv4_keys *keys, struct sigv4_signed *out)
{
  const struct sigv4_request request = {
      .method = "GET", .path = "/", .query = "b=2&a=1", .headers = &host, .header_count = 1};
  const struct sigv4_credentials credentials = {.access_key_id = "ID", .secret = "secret", .secret_len = 6};
  return sigv4_sign_headers(keys, &request, &credentials, "eu-central-1", "glue", evening, out);
}

static char *sign_as(struct sigv4_keys *keys, const char *secret, const char *region, const char *service, int64_t ms)
{
  const struct sigv4_request request = {.method = "GET", .headers = &host, .header_count = 1};
  const struct sigv4_credentials credentials = {.access_key_id = "ID", .secret = secret, .secret_len = strlen(secret)};
  struct sigv4_signed s;
  assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, region, service, ms, &s));
  char *signature = strdup(s.signature);
  sigv4_signed_fini(&s);
  return signature;
}

static void signing_key_is_derived_once(void **state)
{
  (void)state;
  const int64_t day = INT64_C(86400000);
  const char *const long_name = "a-region-with-a-name-that-is-longer-than-any-cache-would-ever-want-to-keep";
  struct sigv4_keys *keys = new_keys();
  struct {
    const char *name;
    const char *secret;
    const char *region;
    const char *service;
    int64_t ms;
    uint64_t derivations;
  } steps[] = {
      {"first", "one", "eu-central-1", "glue", evening, 1},
      {"again", "one", "eu-central-1", "glue", evening, 1},
      {"later that day", "one", "eu-central-1", "glue", evening + 1000, 1},
      {"next day", "one", "eu-central-1", "glue", evening + day, 2},
      {"other region", "one", "eu-west-1", "glue", evening, 3},
      {"other service", "one", "eu-central-1", "sts", evening, 4},
      {"other secret of the same key id", "two", "eu-central-1", "glue", evening, 5},
      {"all of them are kept", "one", "eu-central-1", "glue", evening, 5},
      {"and the other", "two", "eu-central-1", "glue", evening, 5},
      {"long name", "one", long_name, "glue", evening, 6},
      {"long names are not kept", "one", long_name, "glue", evening, 7},
  };
  for (size_t i = 0; i < COUNT(steps); i++) {
    char *kept = sign_as(keys, steps[i].secret, steps[i].region, steps[i].service, steps[i].ms);
    if (sigv4_keys_derivations(keys) != steps[i].derivations)
      fail_msg("%s: %d derivations", steps[i].name, (int)sigv4_keys_derivations(keys));
    struct sigv4_keys *fresh_keys = new_keys();
    char *fresh = sign_as(fresh_keys, steps[i].secret, steps[i].region, steps[i].service, steps[i].ms);
    expect_text(steps[i].name, fresh, kept);
    sigv4_keys_free(fresh_keys);
    free(fresh);
    free(kept);
  }
  sigv4_keys_free(keys);
}

static void least_used_key_gives_way(void **state)
{
  (void)state;
  static const char *const regions[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8"};
  struct sigv4_keys *keys = new_keys();
  for (size_t i = 0; i < 8; i++)
    free(sign_as(keys, "s", regions[i], "glue", evening));
  assert_int_equal(8, sigv4_keys_derivations(keys));
  free(sign_as(keys, "s", "r0", "glue", evening)); /* r1 is now the one unused for longest */
  free(sign_as(keys, "s", "r8", "glue", evening));
  assert_int_equal(9, sigv4_keys_derivations(keys));
  free(sign_as(keys, "s", "r0", "glue", evening));
  assert_int_equal(9, sigv4_keys_derivations(keys));
  free(sign_as(keys, "s", "r1", "glue", evening));
  assert_int_equal(10, sigv4_keys_derivations(keys));
  sigv4_keys_free(keys);
}

/* The signing key that AWS's documentation gives for its example secret. */
static const unsigned char documented_key[32] = {0xf4, 0x78, 0x0e, 0x2d, 0x9f, 0x65, 0xfa, 0x89, 0x5f, 0x9c, 0x67,
                                                 0xb3, 0x2c, 0xe1, 0xba, 0xf0, 0xb0, 0xd8, 0xa4, 0x35, 0x05, 0xa0,
                                                 0x00, 0xa1, 0xa9, 0xe0, 0x90, 0xd4, 0x14, 0xdb, 0x40, 0x4d};

static void derived_key_is_the_documented_one(void **state)
{
  (void)state;
  const struct sigv4_key_query query = {.secret = {"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", 40},
                                        .date = "20120215",
                                        .region = {"us-east-1", 9},
                                        .service = {"iam", 3}};
  unsigned char expected[EVP_MAX_MD_SIZE];
  unsigned char digest[SIGV4_DIGEST_SIZE];
  struct sigv4_keys *keys = new_keys();
  assert_non_null(
      HMAC(EVP_sha256(), documented_key, sizeof documented_key, (const unsigned char *)"text", 4, expected, NULL));
  assert_int_equal(SIGV4_OK, sigv4_keys_sign(keys, &query, "text", 4, digest));
  assert_memory_equal(expected, digest, sizeof digest);
  sigv4_keys_free(keys);
}

/* The worked examples of the S3 documentation. */
static void documented_s3_examples_agree(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    const char *path;
    const char *query;
    struct sigv4_header headers[2];
    size_t header_count;
    const char *body;
    const char *signature;
  } cases[] = {
      {"GET",
       "/test.txt",
       "",
       {{"Range", "bytes=0-9"}},
       1,
       "",
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"PUT",
       "/test$file.text",
       "",
       {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
       2,
       "Welcome to Amazon S3.",
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {"GET",
       "/",
       "lifecycle",
       {{NULL, NULL}},
       0,
       "",
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"GET",
       "/",
       "max-keys=2&prefix=J",
       {{NULL, NULL}},
       0,
       "",
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  const int64_t may = INT64_C(1369353600000);
  const struct sigv4_credentials credentials = {
      .access_key_id = "AKIAIOSFODNN7EXAMPLE", .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", .secret_len = 40};
  struct sigv4_keys *keys = new_keys();
  struct sigv4_signed s;
  for (size_t i = 0; i < COUNT(cases); i++) {
    const struct sigv4_header headers[3] = {
        {"Host", "examplebucket.s3.amazonaws.com"}, cases[i].headers[0], cases[i].headers[1]};
    const struct sigv4_request request = {.method = cases[i].method,
                                          .path = cases[i].path,
                                          .query = cases[i].query,
                                          .headers = headers,
                                          .header_count = 1 + cases[i].header_count,
                                          .body = cases[i].body,
                                          .body_len = strlen(cases[i].body),
                                          .path_rule = SIGV4_PATH_S3,
                                          .sign_body_header = true};
    assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "us-east-1", "s3", may, &s));
    expect_text(cases[i].path, cases[i].signature, s.signature);
    sigv4_signed_fini(&s);
  }
  const struct sigv4_header headers[] = {{"host", "examplebucket.s3.amazonaws.com"}};
  const struct sigv4_request request = {.method = "GET",
                                        .path = "/test.txt",
                                        .headers = headers,
                                        .header_count = 1,
                                        .payload = SIGV4_PAYLOAD_UNSIGNED,
                                        .path_rule = SIGV4_PATH_S3};
  assert_int_equal(SIGV4_OK, sigv4_sign_query(keys, &request, &credentials, "us-east-1", "s3", may, 86400, &s));
  expect_text("presigned", "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404", s.signature);
  sigv4_signed_fini(&s);
  sigv4_keys_free(keys);
}

static void one_allocation_a_signature(void **state)
{
  (void)state;
  struct sigv4_keys *keys = new_keys();
  struct sigv4_signed s;
  assert_int_equal(SIGV4_OK, sign_plainly(keys, &s)); /* derives the key */
  sigv4_signed_fini(&s);
  malloc_calls = 0;
  assert_int_equal(SIGV4_OK, sign_plainly(keys, &s));
  sigv4_signed_fini(&s);
  assert_int_equal(1, malloc_calls);
  malloc_fails = true;
  enum sigv4_status status = sign_plainly(keys, &s);
  malloc_fails = false;
  assert_int_equal(SIGV4_NO_MEMORY, status);
  assert_null(s.block);
  sigv4_signed_fini(&s);
  sigv4_signed_fini(&s); /* ending twice does nothing */
  sigv4_keys_free(keys);
  sigv4_keys_free(NULL);
}

/* A secret of more than a block has to be copied behind "AWS4"; when that fails, nothing wrong may be kept. */
static void failed_derivation_leaves_no_key(void **state)
{
  (void)state;
  const char secret[] = "0123456789012345678901234567890123456789012345678901234567890123456789";
  const struct sigv4_key_query query = {
      .secret = {secret, sizeof secret - 1}, .date = "20261130", .region = {"r", 1}, .service = {"s", 1}};
  unsigned char first[SIGV4_DIGEST_SIZE];
  unsigned char second[SIGV4_DIGEST_SIZE];
  struct sigv4_keys *keys = new_keys();
  struct sigv4_keys *others = new_keys();
  malloc_fails = true;
  enum sigv4_status status = sigv4_keys_sign(keys, &query, "text", 4, first);
  malloc_fails = false;
  assert_int_equal(SIGV4_NO_MEMORY, status);
  assert_int_equal(SIGV4_OK, sigv4_keys_sign(keys, &query, "text", 4, first));
  assert_int_equal(SIGV4_OK, sigv4_keys_sign(others, &query, "text", 4, second));
  assert_memory_equal(first, second, sizeof first);
  sigv4_keys_free(others);
  sigv4_keys_free(keys);
}

static void expect_in_freed(const char *name, const void *bytes, size_t len, void (*work)(void))
{
  wanted = bytes;
  wanted_len = len;
  wanted_found = 0;
  blocks_freed = 0;
  work();
  wanted = NULL;
  if (blocks_freed == 0 || wanted_found > 0)
    fail_msg("%s: found in %u of %u freed blocks", name, wanted_found, blocks_freed);
}

static void sign_and_end(void)
{
  const struct sigv4_request request = {.method = "GET", .query = "a=b", .headers = &host, .header_count = 1};
  const struct sigv4_credentials credentials = {.access_key_id = "ID",
                                                .secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                                .secret_len = 40,
                                                .session_token = "a-token-to-be-wiped"};
  const int64_t documented_day = INT64_C(1329264000000);
  struct sigv4_keys *keys = new_keys();
  struct sigv4_signed s;
  assert_int_equal(SIGV4_OK, sigv4_sign_headers(keys, &request, &credentials, "us-east-1", "iam", documented_day, &s));
  assert_non_null(strstr(s.canonical_request, "a-token-to-be-wiped"));
  sigv4_signed_fini(&s);
  assert_int_equal(SIGV4_OK,
                   sigv4_sign_query(keys, &request, &credentials, "us-east-1", "iam", documented_day, 60, &s));
  assert_non_null(strstr(s.query, "a-token-to-be-wiped"));
  sigv4_signed_fini(&s);
  sigv4_keys_free(keys);
}

static void nothing_secret_is_left_behind(void **state)
{
  (void)state;
  unsigned char padded[2][sizeof documented_key];
  for (size_t i = 0; i < sizeof documented_key; i++) {
    padded[0][i] = documented_key[i] ^ 0x36;
    padded[1][i] = documented_key[i] ^ 0x5c;
  }
  expect_in_freed("token", "a-token-to-be-wiped", 19, sign_and_end);
  expect_in_freed("secret", "wJalrXUtnFEMI/K7MDENG", 21, sign_and_end);
  expect_in_freed("signing key", documented_key, sizeof documented_key, sign_and_end);
  expect_in_freed("signing key, inner pad", padded[0], sizeof padded[0], sign_and_end);
  expect_in_freed("signing key, outer pad", padded[1], sizeof padded[1], sign_and_end);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signing_key_is_derived_once),       cmocka_unit_test(least_used_key_gives_way),
      cmocka_unit_test(derived_key_is_the_documented_one), cmocka_unit_test(documented_s3_examples_agree),
      cmocka_unit_test(one_allocation_a_signature),        cmocka_unit_test(failed_derivation_leaves_no_key),
      cmocka_unit_test(nothing_secret_is_left_behind),
  };
  return cmocka_run_group_tests_name("sigv4 keys", tests, NULL, NULL);
}
