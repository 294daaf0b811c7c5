/*
 * ChaCha20-Poly1305 (RFC 8439, 2.8) of OpenSSL in the place of Mbed TLS's, for messages in one piece, as TLS has them:
 * Mbed TLS takes ten instructions for a byte. The program is linked with --wrap for these functions.
 */
#include <mbedtls/chachapoly.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/platform_util.h>
#include <string.h>

enum { BLOCK = 64, KEY = 4, KEY_SIZE = 32, NONCE_WORDS = 3, TAG = 16 };

/* crypto/chacha/asm of OpenSSL: from the four words of `counter` on, of which the first counts blocks. */
void ChaCha20_ctr32(unsigned char *out, const unsigned char *in, size_t size, const uint32_t key[8],
                    const uint32_t counter[4]);

/* include/crypto/poly1305.h of OpenSSL, which Debian does not install. */
typedef struct poly1305_context POLY1305;
size_t Poly1305_ctx_size(void);
void Poly1305_Init(POLY1305 *mac, const unsigned char key[KEY_SIZE]);
void Poly1305_Update(POLY1305 *mac, const unsigned char *bytes, size_t size);
void Poly1305_Final(POLY1305 *mac, unsigned char tag[TAG]);

int __wrap_mbedtls_chachapoly_encrypt_and_tag(mbedtls_chachapoly_context *context, size_t size,
                                              const unsigned char nonce[12], const unsigned char *aad, size_t aad_size,
                                              const unsigned char *input, unsigned char *output,
                                              unsigned char tag[TAG]);
int __wrap_mbedtls_chachapoly_auth_decrypt(mbedtls_chachapoly_context *context, size_t size,
                                           const unsigned char nonce[12], const unsigned char *aad, size_t aad_size,
                                           const unsigned char tag[TAG], const unsigned char *input,
                                           unsigned char *output);

static const uint32_t *key_of(const mbedtls_chachapoly_context *context) {
  return context->MBEDTLS_PRIVATE(chacha20_ctx).MBEDTLS_PRIVATE(state) + KEY;
}

/* The counter of the first block of the text, after which comes the nonce. */
static void start(uint32_t counter[1 + NONCE_WORDS], const unsigned char nonce[12]) {
  counter[0] = 1;
  for (size_t i = 0; i < NONCE_WORDS; i++, nonce += 4)
    counter[1 + i] = (uint32_t)nonce[0] | (uint32_t)nonce[1] << 8 | (uint32_t)nonce[2] << 16 | (uint32_t)nonce[3] << 24;
}

static void apply_keystream(const mbedtls_chachapoly_context *context, const unsigned char nonce[12],
                            const unsigned char *input, unsigned char *output, size_t size) {
  uint32_t counter[1 + NONCE_WORDS];
  start(counter, nonce);
  if (size) ChaCha20_ctr32(output, input, size, key_of(context), counter);
}

static void update_padded(POLY1305 *mac, const unsigned char *bytes, size_t size) {
  static const unsigned char zeros[TAG];
  if (!size) return;
  Poly1305_Update(mac, bytes, size);
  Poly1305_Update(mac, zeros, (TAG - size % TAG) % TAG);
}

/* The key of the code is the first half of block 0 (2.6). */
static void authenticate(const mbedtls_chachapoly_context *context, const unsigned char nonce[12],
                         const unsigned char *aad, size_t aad_size, const unsigned char *text, size_t size,
                         unsigned char tag[TAG]) {
  double memory[32]; /* aligned as OpenSSL wants it */
  POLY1305 *mac = (POLY1305 *)(void *)memory;
  unsigned char block[BLOCK] = {0}, sizes[TAG];
  uint32_t counter[1 + NONCE_WORDS];
  start(counter, nonce);
  counter[0] = 0;
  ChaCha20_ctr32(block, block, BLOCK, key_of(context), counter);
  Poly1305_Init(mac, block);
  update_padded(mac, aad, aad_size);
  update_padded(mac, text, size);
  for (size_t i = 0; i < TAG / 2; i++) {
    sizes[i] = (unsigned char)((uint64_t)aad_size >> 8 * i);
    sizes[TAG / 2 + i] = (unsigned char)((uint64_t)size >> 8 * i);
  }
  Poly1305_Update(mac, sizes, sizeof sizes);
  Poly1305_Final(mac, tag); /* which erases it */
  mbedtls_platform_zeroize(block, sizeof block);
}

/* More than OpenSSL's counter of blocks can count, or another version of OpenSSL, whose code needs more memory. */
static int unusable(size_t size) {
  return (uint64_t)size / BLOCK >= UINT32_MAX - 1 || Poly1305_ctx_size() > 32 * sizeof(double);
}

int __wrap_mbedtls_chachapoly_encrypt_and_tag(mbedtls_chachapoly_context *context, size_t size,
                                              const unsigned char nonce[12], const unsigned char *aad, size_t aad_size,
                                              const unsigned char *input, unsigned char *output,
                                              unsigned char tag[TAG]) {
  if (unusable(size)) return MBEDTLS_ERR_CHACHAPOLY_BAD_STATE;
  apply_keystream(context, nonce, input, output, size);
  authenticate(context, nonce, aad, aad_size, output, size, tag);
  return 0;
}

int __wrap_mbedtls_chachapoly_auth_decrypt(mbedtls_chachapoly_context *context, size_t size,
                                           const unsigned char nonce[12], const unsigned char *aad, size_t aad_size,
                                           const unsigned char tag[TAG], const unsigned char *input,
                                           unsigned char *output) {
  unsigned char own[TAG];
  if (unusable(size)) return MBEDTLS_ERR_CHACHAPOLY_BAD_STATE;
  authenticate(context, nonce, aad, aad_size, input, size, own);
  if (mbedtls_ct_memcmp(own, tag, TAG)) {
    mbedtls_platform_zeroize(output, size); /* as Mbed TLS does */
    return MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED;
  }
  apply_keystream(context, nonce, input, output, size);
  return 0;
}
