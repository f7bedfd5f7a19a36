/* Signing a Glue request: a POST with six headers and a body of 200 bytes, the signing key derived already, as it is for
 * every request of a day but the first.
 *
 * The floor is what no signer can avoid: SHA-256 of the body and of the canonical request, and an HMAC of the string to
 * sign. Once as plain calls that look the algorithm up by themselves, once with handles and contexts made beforehand. */
#include "tests/bench/bench.h"

#include "sigv4/sigv4.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define CALLS    2000
#define BODY_LEN 200

struct sign_state {
  struct sigv4_keys *keys;
  struct sigv4_request request;
  struct sigv4_credentials credentials;
  char body[BODY_LEN];
  struct sigv4_signed sample; /* whose texts the floor hashes */
  unsigned char key[32];
  EVP_MD *sha256;
  EVP_MD_CTX *digest;
  EVP_MAC *hmac;
  EVP_MAC_CTX *mac;
};

static const struct sigv4_header headers[] = {
    {"Host", "glue.eu-central-1.amazonaws.com"},
    {"Content-Type", "application/x-amz-json-1.1"},
    {"X-Amz-Target", "AWSGlue.GetJobRuns"},
    {"Accept", "application/json"},
    {"Accept-Encoding", "gzip"},
    {"Content-Length", "200"},
};

static const int64_t noon = INT64_C(1796040000000);

static enum sigv4_status sign(struct sign_state *s, struct sigv4_signed *out)
{
  return sigv4_sign_headers(s->keys, &s->request, &s->credentials, "eu-central-1", "glue", noon, out);
}

static void tear_down(void *state)
{
  struct sign_state *s = state;
  sigv4_signed_fini(&s->sample);
  sigv4_keys_free(s->keys);
  EVP_MAC_CTX_free(s->mac);
  EVP_MAC_free(s->hmac);
  EVP_MD_CTX_free(s->digest);
  EVP_MD_free(s->sha256);
  free(s);
}

static void *set_up(void)
{
  struct sign_state *s = calloc(1, sizeof *s);
  if (s == NULL)
    return NULL;
  memset(s->body, 'x', sizeof s->body);
  s->keys = sigv4_keys_new();
  s->credentials = (struct sigv4_credentials){
      .access_key_id = "GTBENCHKEY0000000001", .secret = "bench/secret+of+the+usual+forty+letters0", .secret_len = 40};
  s->request = (struct sigv4_request){.method = "POST",
                                      .path = "/",
                                      .headers = headers,
                                      .header_count = sizeof headers / sizeof headers[0],
                                      .body = s->body,
                                      .body_len = sizeof s->body,
                                      .normalize_path = true};
  s->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  s->digest = EVP_MD_CTX_new();
  s->hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  s->mac = s->hmac != NULL ? EVP_MAC_CTX_new(s->hmac) : NULL;
  char name[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                               OSSL_PARAM_construct_end()};
  if (s->keys == NULL || s->sha256 == NULL || s->digest == NULL || s->mac == NULL ||
      EVP_MAC_init(s->mac, s->key, sizeof s->key, params) != 1 || sign(s, &s->sample) != SIGV4_OK) {
    tear_down(s);
    return NULL;
  }
  return s;
}

static int sign_once(void *state)
{
  struct sigv4_signed result;
  if (sign(state, &result) != SIGV4_OK)
    return -1;
  sigv4_signed_fini(&result);
  return 0;
}

static int hash_plainly(void *state)
{
  const struct sign_state *s = state;
  unsigned char digest[EVP_MAX_MD_SIZE];
  const char *canonical = s->sample.canonical_request;
  const char *text = s->sample.string_to_sign;
  if (EVP_Digest(s->body, sizeof s->body, digest, NULL, EVP_sha256(), NULL) != 1)
    return -1;
  if (EVP_Digest(canonical, strlen(canonical), digest, NULL, EVP_sha256(), NULL) != 1)
    return -1;
  const unsigned char *data = (const unsigned char *)text;
  return HMAC(EVP_sha256(), s->key, sizeof s->key, data, strlen(text), digest, NULL) != NULL ? 0 : -1;
}

static int digest_prefetched(const struct sign_state *s, const void *data, size_t len, unsigned char *digest)
{
  return EVP_DigestInit_ex2(s->digest, s->sha256, NULL) == 1 && EVP_DigestUpdate(s->digest, data, len) == 1 &&
                 EVP_DigestFinal_ex(s->digest, digest, NULL) == 1
             ? 0
             : -1;
}

static int hash_prefetched(void *state)
{
  const struct sign_state *s = state;
  unsigned char digest[EVP_MAX_MD_SIZE];
  size_t len = 0;
  const char *canonical = s->sample.canonical_request;
  const char *text = s->sample.string_to_sign;
  if (digest_prefetched(s, s->body, sizeof s->body, digest) != 0)
    return -1;
  if (digest_prefetched(s, canonical, strlen(canonical), digest) != 0)
    return -1;
  return EVP_MAC_init(s->mac, s->key, sizeof s->key, NULL) == 1 &&
                 EVP_MAC_update(s->mac, (const unsigned char *)text, strlen(text)) == 1 &&
                 EVP_MAC_final(s->mac, digest, &len, sizeof digest) == 1
             ? 0
             : -1;
}

static double measure(void *state)
{
  return bench_time(sign_once, state, CALLS);
}

static double floor_plain(void *state)
{
  return bench_time(hash_plainly, state, CALLS);
}

static double floor_prefetched(void *state)
{
  return bench_time(hash_prefetched, state, CALLS);
}

const struct bench_row bench_row_sign = {.name = "sign a Glue request (plain hash calls)",
                                         .unit = "ns",
                                         .target = 2,
                                         .set_up = set_up,
                                         .measure = measure,
                                         .floor = floor_plain,
                                         .tear_down = tear_down};

const struct bench_row bench_row_sign_prefetched = {.name = "sign a Glue request (prefetched hash calls)",
                                                    .unit = "ns",
                                                    .target = 3,
                                                    .set_up = set_up,
                                                    .measure = measure,
                                                    .floor = floor_prefetched,
                                                    .tear_down = tear_down};
