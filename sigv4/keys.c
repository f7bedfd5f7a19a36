/* Digests and the cache of signing keys.
 *
 * HMAC is done here with two runs of SHA-256 (RFC 2104) instead of EVP_MAC: setting up an EVP_MAC costs several times the
 * hashing of a small message, while a digest context that is reused with a fetched algorithm allocates nothing. The keys
 * are kept as padded blocks, ready for that. */
#include "sigv4/private.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* A dashboard signs for a handful of services and regions at a time. */
#define SLOT_COUNT 8
/* Longer names are signed all the same, but not kept. */
#define NAME_MAX_LEN 64

struct padded_key {
  unsigned char inner[SIGV4_BLOCK_SIZE];
  unsigned char outer[SIGV4_BLOCK_SIZE];
};

struct slot {
  uint64_t used_at; /* 0: free */
  char date[SIGV4_DATE_SIZE];
  size_t region_len;
  char region[NAME_MAX_LEN];
  size_t service_len;
  char service[NAME_MAX_LEN];
  /* The secret itself is not kept beyond the call: its digest tells whether it is the same one. */
  unsigned char secret_digest[SIGV4_DIGEST_SIZE];
  struct padded_key key;
};

struct sigv4_keys {
  EVP_MD *sha256;
  EVP_MD_CTX *context;
  uint64_t derivations;
  uint64_t uses;
  struct slot slots[SLOT_COUNT];
};

struct sigv4_keys *sigv4_keys_new(void)
{
  struct sigv4_keys *keys = calloc(1, sizeof *keys);
  if (keys == NULL)
    return NULL;
  keys->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  keys->context = EVP_MD_CTX_new();
  if (keys->sha256 == NULL || keys->context == NULL) {
    sigv4_keys_free(keys);
    return NULL;
  }
  return keys;
}

void sigv4_keys_free(struct sigv4_keys *keys)
{
  if (keys == NULL)
    return;
  EVP_MD_CTX_free(keys->context);
  EVP_MD_free(keys->sha256);
  OPENSSL_cleanse(keys, sizeof *keys);
  free(keys);
}

uint64_t sigv4_keys_derivations(const struct sigv4_keys *keys)
{
  return keys->derivations;
}

/* SHA-256 of a block (NULL for none) and data. */
static enum sigv4_status hash(struct sigv4_keys *keys, const unsigned char *block, const void *data, size_t len,
                              unsigned char digest[SIGV4_DIGEST_SIZE])
{
  if (EVP_DigestInit_ex2(keys->context, keys->sha256, NULL) != 1)
    return SIGV4_CRYPTO;
  if (block != NULL && EVP_DigestUpdate(keys->context, block, SIGV4_BLOCK_SIZE) != 1)
    return SIGV4_CRYPTO;
  if (len > 0 && EVP_DigestUpdate(keys->context, data, len) != 1)
    return SIGV4_CRYPTO;
  return EVP_DigestFinal_ex(keys->context, digest, NULL) == 1 ? SIGV4_OK : SIGV4_CRYPTO;
}

enum sigv4_status sigv4_keys_sha256(struct sigv4_keys *keys, const void *data, size_t len,
                                    unsigned char digest[SIGV4_DIGEST_SIZE])
{
  return hash(keys, NULL, data, len, digest);
}

/* key has at most SIGV4_BLOCK_SIZE bytes. */
static void pad_key(const unsigned char *key, size_t len, struct padded_key *padded)
{
  memset(padded->inner, 0x36, SIGV4_BLOCK_SIZE);
  memset(padded->outer, 0x5c, SIGV4_BLOCK_SIZE);
  for (size_t i = 0; i < len; i++) {
    padded->inner[i] ^= key[i];
    padded->outer[i] ^= key[i];
  }
}

static enum sigv4_status hmac(struct sigv4_keys *keys, const struct padded_key *key, const void *data, size_t len,
                              unsigned char digest[SIGV4_DIGEST_SIZE])
{
  unsigned char inner[SIGV4_DIGEST_SIZE];
  enum sigv4_status status = hash(keys, key->inner, data, len, inner);
  if (status == SIGV4_OK)
    status = hash(keys, key->outer, inner, sizeof inner, digest);
  return status;
}

/* The first key is "AWS4" and the secret; one of more than a block is replaced by its digest, as HMAC says. */
static enum sigv4_status pad_secret(struct sigv4_keys *keys, struct sigv4_span secret, struct padded_key *padded)
{
  unsigned char start[SIGV4_BLOCK_SIZE] = "AWS4";
  unsigned char *longer = NULL;
  size_t len = secret.len + 4;
  enum sigv4_status status = SIGV4_OK;
  if (len <= sizeof start) {
    memcpy(start + 4, secret.at, secret.len);
  } else {
    longer = malloc(len);
    if (longer == NULL)
      return SIGV4_NO_MEMORY;
    memcpy(longer, "AWS4", 4);
    memcpy(longer + 4, secret.at, secret.len);
    status = hash(keys, NULL, longer, len, start);
    OPENSSL_cleanse(longer, len);
    free(longer);
    len = SIGV4_DIGEST_SIZE;
  }
  if (status == SIGV4_OK)
    pad_key(start, len, padded);
  OPENSSL_cleanse(start, sizeof start);
  return status;
}

static enum sigv4_status derive(struct sigv4_keys *keys, const struct sigv4_key_query *query, struct padded_key *out)
{
  const struct sigv4_span steps[] = {
      {query->date, SIGV4_DATE_SIZE}, query->region, query->service, {"aws4_request", 12}};
  struct padded_key key;
  unsigned char digest[SIGV4_DIGEST_SIZE];
  enum sigv4_status status = pad_secret(keys, query->secret, &key);
  for (size_t i = 0; status == SIGV4_OK && i < sizeof steps / sizeof steps[0]; i++) {
    status = hmac(keys, &key, steps[i].at, steps[i].len, digest);
    pad_key(digest, sizeof digest, &key);
  }
  if (status == SIGV4_OK)
    *out = key;
  keys->derivations++;
  OPENSSL_cleanse(&key, sizeof key);
  OPENSSL_cleanse(digest, sizeof digest);
  return status;
}

static bool slot_is(const struct slot *slot, const struct sigv4_key_query *query,
                    const unsigned char secret_digest[SIGV4_DIGEST_SIZE])
{
  return slot->used_at != 0 && memcmp(slot->date, query->date, SIGV4_DATE_SIZE) == 0 &&
         slot->region_len == query->region.len && memcmp(slot->region, query->region.at, query->region.len) == 0 &&
         slot->service_len == query->service.len && memcmp(slot->service, query->service.at, query->service.len) == 0 &&
         CRYPTO_memcmp(slot->secret_digest, secret_digest, SIGV4_DIGEST_SIZE) == 0;
}

/* The slot of the query, or the one that gives way to it: a free one, else the one unused for longest. */
static struct slot *find_slot(struct sigv4_keys *keys, const struct sigv4_key_query *query,
                              const unsigned char secret_digest[SIGV4_DIGEST_SIZE], bool *found)
{
  struct slot *oldest = &keys->slots[0];
  for (size_t i = 0; i < SLOT_COUNT; i++) {
    struct slot *slot = &keys->slots[i];
    *found = slot_is(slot, query, secret_digest);
    if (*found)
      return slot;
    if (slot->used_at < oldest->used_at)
      oldest = slot;
  }
  return oldest;
}

static enum sigv4_status fill_slot(struct sigv4_keys *keys, struct slot *slot, const struct sigv4_key_query *query,
                                   const unsigned char secret_digest[SIGV4_DIGEST_SIZE])
{
  OPENSSL_cleanse(slot, sizeof *slot);
  enum sigv4_status status = derive(keys, query, &slot->key);
  if (status != SIGV4_OK)
    return status;
  memcpy(slot->date, query->date, SIGV4_DATE_SIZE);
  slot->region_len = query->region.len;
  memcpy(slot->region, query->region.at, query->region.len);
  slot->service_len = query->service.len;
  memcpy(slot->service, query->service.at, query->service.len);
  memcpy(slot->secret_digest, secret_digest, SIGV4_DIGEST_SIZE);
  return SIGV4_OK;
}

enum sigv4_status sigv4_keys_sign(struct sigv4_keys *keys, const struct sigv4_key_query *query, const void *data,
                                  size_t len, unsigned char digest[SIGV4_DIGEST_SIZE])
{
  enum sigv4_status status = SIGV4_OK;
  if (query->region.len > NAME_MAX_LEN || query->service.len > NAME_MAX_LEN) {
    struct padded_key key;
    status = derive(keys, query, &key);
    if (status == SIGV4_OK)
      status = hmac(keys, &key, data, len, digest);
    OPENSSL_cleanse(&key, sizeof key);
    return status;
  }
  unsigned char secret_digest[SIGV4_DIGEST_SIZE];
  status = hash(keys, NULL, query->secret.at, query->secret.len, secret_digest);
  if (status != SIGV4_OK)
    return status;
  bool found = false;
  struct slot *slot = find_slot(keys, query, secret_digest, &found);
  if (!found)
    status = fill_slot(keys, slot, query, secret_digest);
  if (status != SIGV4_OK)
    return status;
  slot->used_at = ++keys->uses;
  return hmac(keys, &slot->key, data, len, digest);
}

enum sigv4_status sigv4_sha256_hex(const void *data, size_t len, char out[65])
{
  unsigned char digest[SIGV4_DIGEST_SIZE];
  if (EVP_Digest(len > 0 ? data : "", len, digest, NULL, EVP_sha256(), NULL) != 1)
    return SIGV4_CRYPTO;
  sigv4_hex(digest, sizeof digest, out);
  out[SIGV4_HEX_SIZE] = '\0';
  return SIGV4_OK;
}
