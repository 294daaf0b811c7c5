/*
 * X.509 certificates (RFC 5280). C decides only whether bytes are a certificate and whether a key belongs to it; what
 * its fields mean is read in TypeScript. 0 or a negative errno: -EINVAL if it is not a certificate, -ENOMEM.
 */
#ifndef MINNOW_CRYPTO_CERTIFICATE_H
#define MINNOW_CRYPTO_CERTIFICATE_H

#include <mbedtls/pk.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the first certificate in `text` (PEM or DER), checks that it can be read in full and writes its DER, which is
 * never longer than `text`, to `der`. */
int certificate_decode(const uint8_t *text, size_t size, uint8_t *der, size_t *der_size);

/* Whether the certificate's signature was made with the private half of `key`. */
int certificate_is_signed_by(const uint8_t *der, size_t size, mbedtls_pk_context *key, bool *is);

/* Whether `key` is the private half of the certificate's public key. */
int certificate_matches(const uint8_t *der, size_t size, mbedtls_pk_context *key, bool *matches);

#endif
