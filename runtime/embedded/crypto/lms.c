#include "lms.h"

#include <errno.h>
#include <mbedtls/lms.h>
#include <psa/crypto.h>
#include <string.h>

enum { LEVEL = 4, KEY = MBEDTLS_LMS_PUBLIC_KEY_LEN(MBEDTLS_LMS_SHA256_M32_H10) };

/* The bytes before the LMS key: SubjectPublicKeyInfo for id-alg-hss-lms-hashsig, and the number of levels, 1. */
static const uint8_t key_head[] = {0x30, 0x4e, 0x30, 0x0d, 0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d,
                                   0x01, 0x09, 0x10, 0x03, 0x11, 0x03, 0x3d, 0x00, 0,    0,    0,    1};

/* The bytes before the LMS signature: the number of signed public keys, 0. */
static const uint8_t signature_head[LEVEL];

int lms_verify(const uint8_t *spki, size_t spki_size, const uint8_t *data, size_t size, const uint8_t *signature,
               size_t signature_size) {
  if (spki_size != sizeof key_head + KEY || memcmp(spki, key_head, sizeof key_head)) return -EPROTONOSUPPORT;
  if (signature_size < LEVEL || memcmp(signature, signature_head, LEVEL)) return -EKEYREJECTED;
  if (psa_crypto_init() != PSA_SUCCESS) return -EIO;
  mbedtls_lms_public_t key;
  mbedtls_lms_public_init(&key);
  int status = -EPROTONOSUPPORT;
  if (!mbedtls_lms_import_public_key(&key, spki + sizeof key_head, KEY)) {
    int error = mbedtls_lms_verify(&key, data, size, signature + LEVEL, signature_size - LEVEL);
    status = error ? -EKEYREJECTED : 0;
  }
  mbedtls_lms_public_free(&key);
  return status;
}
