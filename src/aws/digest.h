/* The few cryptographic sums that are not request signing: names of the SDKs' cache files, and the proof of possession
 * (DPoP, RFC 9449) that refreshing an `aws login` session asks for. */
#ifndef GLUETOP_AWS_DIGEST_H
#define GLUETOP_AWS_DIGEST_H

#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"

#define DIGEST_SHA1_HEX   41
#define DIGEST_SHA256_HEX 65
void digest_sha1_hex(const void *data, size_t len, char out[DIGEST_SHA1_HEX]);
void digest_sha256_hex(const void *data, size_t len, char out[DIGEST_SHA256_HEX]);

/* Random bytes from OpenSSL, and a version 4 UUID made of them. */
#define DIGEST_UUID 37
void digest_random(void *out, size_t len);
void digest_uuid(char out[DIGEST_UUID]);

/* Base64 with the URL alphabet and without padding (RFC 4648 section 5). False when the buffer is full. */
bool digest_base64url(struct buf *out, const void *data, size_t len);

/* Keys on P-256 in PEM. Coordinates and the signature's halves are 32 bytes each, big-endian. */
struct err digest_es256_public(const char *pem, size_t pem_len, unsigned char x[32],
                               unsigned char y[32]) ERR_MUST_CHECK;
struct err digest_es256_sign(const char *pem, size_t pem_len, const void *data, size_t len,
                             unsigned char signature[64]) ERR_MUST_CHECK;

#endif
