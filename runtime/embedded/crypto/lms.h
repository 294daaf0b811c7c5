/*
 * Signatures of HSS/LMS (RFC 8554) with one tree, of the parameters that Mbed TLS has: LMS_SHA256_M32_H10 and
 * LMOTS_SHA256_N32_W8.
 */
#ifndef MINNOW_CRYPTO_LMS_H
#define MINNOW_CRYPTO_LMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Verifies a signature with an HSS public key, SPKI as DER (RFC 9708). 0: it is good; -EKEYREJECTED: it is not, or of
 * another length; -EPROTONOSUPPORT: a key of another kind or with other parameters; -EIO: Mbed TLS cannot hash.
 */
int lms_verify(const uint8_t *spki, size_t spki_size, const uint8_t *data, size_t size, const uint8_t *signature,
               size_t signature_size);

#endif
