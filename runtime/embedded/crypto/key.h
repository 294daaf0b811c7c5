/*
 * Private keys: P-256 generation, parsing, signatures. 0 or a negative errno: -EINVAL for a key that cannot be read or
 * used, -ENOTSUP for an unknown hash, -ENOSPC for a buffer that is too small, -ENOMEM, -EIO when the kernel gives no
 * random bytes. A key is an mbedtls_pk_context that the caller owns: mbedtls_pk_free() overwrites it.
 */
#ifndef MINNOW_CRYPTO_KEY_H
#define MINNOW_CRYPTO_KEY_H

#include <mbedtls/pk.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_PEM_MAX = 512, KEY_SPKI_MAX = 160, KEY_SIGNATURE_MAX = MBEDTLS_PK_SIGNATURE_MAX_SIZE };

/* A new P-256 key: the private half as SEC 1 PEM (RFC 5915, NUL-terminated), the public half as SPKI DER (RFC 5480).
 * The caller overwrites `pem` when it is done. Takes tens of milliseconds on a small CPU. */
int key_generate(char pem[KEY_PEM_MAX], uint8_t spki[KEY_SPKI_MAX], size_t *spki_size);

/* Reads an unencrypted private key: PEM (SEC 1, PKCS#1 or PKCS#8) or the same as DER. `key` is initialised here and is
 * to be freed by the caller whatever the outcome. */
int key_parse(mbedtls_pk_context *key, const uint8_t *text, size_t size);

/* Signs `data`: ECDSA as DER (RFC 3279, with the deterministic nonce of RFC 6979) or RSA PKCS#1 v1.5. */
int key_sign(mbedtls_pk_context *key, const char *algorithm, const uint8_t *data, size_t size,
             uint8_t signature[KEY_SIGNATURE_MAX], size_t *signature_size);

#endif
