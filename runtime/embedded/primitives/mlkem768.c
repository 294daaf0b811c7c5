#include <endian.h>
#include <errno.h>
#include <mbedtls/mlkem768.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITHOUT_ML_KEM
/* Mbed TLS calls it for a group that is never offered then: `groups` in https/tls.c and client/tls.c. */
void mlkem768_generate(uint8_t *public_key, uint8_t *secret_key, const uint8_t *seed) {
  (void)public_key, (void)secret_key, (void)seed;
  abort();
}

int mlkem768_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key, const uint8_t *seed) {
  (void)ciphertext, (void)secret, (void)public_key, (void)seed;
  abort();
}

void mlkem768_decapsulate(uint8_t *secret, const uint8_t *secret_key, const uint8_t *ciphertext) {
  (void)secret, (void)secret_key, (void)ciphertext;
  abort();
}
#else

/* Half of the time, for 15 KB more on ARMv7: the hash is three quarters of it, and calls are most of that for size. */
#pragma GCC optimize("O2")

/* The header of libcrux calls this in unreachable steps. */
#define fatal_f(text) abort()
#include <libcrux_mlkem768_sha3.h>

_Static_assert(LIBCRUX_ML_KEM_KEY_PAIR_PRNG_LEN == MLKEM768_KEY_SEED, "the seed of a pair of keys");
_Static_assert(LIBCRUX_ML_KEM_ENC_PRNG_LEN == MLKEM768_MESSAGE_SEED, "the seed of a secret");

void mlkem768_generate(uint8_t *public_key, uint8_t *secret_key, const uint8_t *seed) {
  uint8_t random[MLKEM768_KEY_SEED];
  memcpy(random, seed, sizeof random);
  struct libcrux_mlkem768_keypair pair = libcrux_ml_kem_mlkem768_portable_generate_key_pair(random);
  memcpy(public_key, pair.pk.value, MLKEM768_PUBLIC_KEY);
  memcpy(secret_key, pair.sk.value, MLKEM768_SECRET_KEY);
  explicit_bzero(random, sizeof random);
  explicit_bzero(&pair, sizeof pair);
}

int mlkem768_encapsulate(uint8_t *ciphertext, uint8_t *secret, const uint8_t *public_key, const uint8_t *seed) {
  struct libcrux_mlkem768_pk key;
  uint8_t random[MLKEM768_MESSAGE_SEED];
  memcpy(key.value, public_key, MLKEM768_PUBLIC_KEY);
  if (!libcrux_ml_kem_mlkem768_portable_validate_public_key(&key)) return -EINVAL;
  memcpy(random, seed, sizeof random);
  struct libcrux_mlkem768_enc_result result = libcrux_ml_kem_mlkem768_portable_encapsulate(&key, random);
  memcpy(ciphertext, result.fst.value, MLKEM768_CIPHERTEXT);
  memcpy(secret, result.snd, MLKEM768_SHARED_SECRET);
  explicit_bzero(random, sizeof random);
  explicit_bzero(&result, sizeof result);
  return 0;
}

void mlkem768_decapsulate(uint8_t *secret, const uint8_t *secret_key, const uint8_t *ciphertext) {
  struct libcrux_mlkem768_sk key;
  struct libcrux_mlkem768_ciphertext text;
  memcpy(key.value, secret_key, MLKEM768_SECRET_KEY);
  memcpy(text.value, ciphertext, MLKEM768_CIPHERTEXT);
  libcrux_ml_kem_mlkem768_portable_decapsulate(&key, &text, secret);
  explicit_bzero(&key, sizeof key);
}
#endif
