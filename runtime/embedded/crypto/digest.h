/*
 * Hashes (FIPS 180-4) of Mbed TLS, HMAC (RFC 2104) and PBKDF2 (RFC 8018) over them. Algorithms go by the names sha1, sha256,
 * sha384 and sha512. All functions return 0 (or a length) or a negative errno: -ENOTSUP for an unknown algorithm,
 * -ENOMEM, -EINVAL. None keeps a pointer that it was given; copies of keys are overwritten when they are let go.
 */
#ifndef MINNOW_CRYPTO_DIGEST_H
#define MINNOW_CRYPTO_DIGEST_H

#include <mbedtls/md.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_MAX = 64 };

/* A hash in the making. The caller owns it; digest_release() after every digest_begin(), even a failed one. */
struct digest {
  mbedtls_md_context_t md;
};

/* The algorithm's description in Mbed TLS; NULL for an unknown one. */
const mbedtls_md_info_t *digest_info(const char *algorithm);

/* The hash of `data` in one call. Returns its length. */
int digest_once(const char *algorithm, const uint8_t *data, size_t size, uint8_t out[DIGEST_MAX]);

int digest_begin(struct digest *digest, const char *algorithm);
int digest_update(struct digest *digest, const uint8_t *data, size_t size);
/* Returns the length of the result. The digest accepts no data afterwards. */
int digest_finish(struct digest *digest, uint8_t out[DIGEST_MAX]);
void digest_release(struct digest *digest);

/* HMAC (RFC 2104) in one call. Returns its length. */
int digest_hmac(const char *algorithm, const uint8_t *key, size_t key_size, const uint8_t *data, size_t size,
                uint8_t out[DIGEST_MAX]);

/* Derives `size` bytes from a password (PBKDF2 with HMAC). Slow by design: call it on a worker thread. */
int digest_pbkdf2(const char *algorithm, const uint8_t *password, size_t password_size, const uint8_t *salt,
                  size_t salt_size, uint32_t iterations, uint8_t *out, size_t size);

/* Compares in a time that depends on `size` alone. */
bool digest_equal(const uint8_t *a, const uint8_t *b, size_t size);

#endif
