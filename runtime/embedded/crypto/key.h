/*
 * Keys for P-256, P-384 and RSA: generation, parsing, signatures. 0 or a negative errno: -EINVAL for a key that cannot
 * be read or used, -EPROTONOSUPPORT for one of another kind, -ENOTSUP for an unknown hash, -ENOSPC for a buffer that is
 * too small, -ENOMEM, -EIO when the kernel gives no random bytes. A key is an mbedtls_pk_context that the caller owns:
 * mbedtls_pk_free() overwrites it.
 */
#ifndef MINNOW_CRYPTO_KEY_H
#define MINNOW_CRYPTO_KEY_H

#include <mbedtls/pk.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_PEM_MAX = 8192, KEY_SPKI_MAX = 1280, KEY_SIGNATURE_MAX = MBEDTLS_PK_SIGNATURE_MAX_SIZE };

enum key_kind { KEY_P256, KEY_P384, KEY_RSA };

/*
 * A new key, RSA with this number of bits or P-256 for 0: the private half as PEM (NUL-terminated; PKCS#1, RFC 8017, or
 * SEC 1, RFC 5915), the public half as SPKI DER (RFC 5480, RFC 3279). The caller overwrites `pem` when it is done.
 * Takes tens of milliseconds on a small CPU, and for RSA up to minutes.
 */
int key_generate(unsigned bits, char pem[KEY_PEM_MAX], uint8_t spki[KEY_SPKI_MAX], size_t *spki_size);

/* Reads an unencrypted private key: PEM (SEC 1, PKCS#1 or PKCS#8) or the same as DER. `key` is initialised here and is
 * to be freed by the caller in any case. */
int key_parse(mbedtls_pk_context *key, const uint8_t *text, size_t size);

/* Reads a public key likewise: SPKI as DER. */
int key_parse_public(mbedtls_pk_context *key, const uint8_t *spki, size_t size);

/* The kind of a key and its bits. */
enum key_kind key_kind_of(const mbedtls_pk_context *key, unsigned *bits);

/* Signs `data`: ECDSA as DER (RFC 3279, with the deterministic nonce of RFC 6979) or RSA PKCS#1 v1.5. */
int key_sign(mbedtls_pk_context *key, const char *algorithm, const uint8_t *data, size_t size,
             uint8_t signature[KEY_SIGNATURE_MAX], size_t *signature_size);

#endif
