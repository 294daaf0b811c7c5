/*
 * ML-KEM-768 (FIPS 203) by libcrux, in constant time. Mbed TLS, which has no ML-KEM, calls this for the group
 * X25519MLKEM768 (runtime/build/mbedtls.patch). On any thread. The caller draws the random bytes and wipes its secrets.
 */
#ifndef MINNOW_MLKEM768_H
#define MINNOW_MLKEM768_H

#include <stdint.h>

/* Sizes in bytes: FIPS 203, table 3. */
enum {
  MLKEM768_PUBLIC_KEY = 1184,
  MLKEM768_SECRET_KEY = 2400,
  MLKEM768_CIPHERTEXT = 1088,
  MLKEM768_SHARED_SECRET = 32,
  MLKEM768_KEY_SEED = 64,
  MLKEM768_MESSAGE_SEED = 32
};

/* Makes a pair of keys from MLKEM768_KEY_SEED random bytes: the encapsulation key and the decapsulation key. */
void mlkem768_generate(uint8_t *public_key, uint8_t *secret_key, const uint8_t *seed);

/*
 * Makes a shared secret from MLKEM768_MESSAGE_SEED random bytes, and its ciphertext. 0, or -EINVAL: the encapsulation
 * key is invalid, with a coefficient that is not reduced (FIPS 203, 7.2).
 */
int mlkem768_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key, const uint8_t *seed);

/* The shared secret of a ciphertext; for an invalid one another secret, which only the owner of the key can compute. */
void mlkem768_decapsulate(uint8_t *secret, const uint8_t *secret_key, const uint8_t *ciphertext);

#endif
