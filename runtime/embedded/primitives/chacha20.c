/*
 * ChaCha20 (RFC 8439) of OpenSSL in the place of Mbed TLS's, for whole blocks. The program is linked with --wrap for
 * this function; the rest of a message, which is less than a block, stays with Mbed TLS.
 */
#include <mbedtls/chacha20.h>

enum { BLOCK = 64, KEY = 4, COUNTER = 12 /* in the words of the state */ };

/* crypto/chacha/asm of OpenSSL: from the four words of `counter` on, of which the first counts blocks. */
void ChaCha20_ctr32(unsigned char *out, const unsigned char *in, size_t size, const uint32_t key[8],
                    const uint32_t counter[4]);

int __real_mbedtls_chacha20_update(mbedtls_chacha20_context *cipher, size_t size, const unsigned char *input,
                                   unsigned char *output);
int __wrap_mbedtls_chacha20_update(mbedtls_chacha20_context *cipher, size_t size, const unsigned char *input,
                                   unsigned char *output);

int __wrap_mbedtls_chacha20_update(mbedtls_chacha20_context *cipher, size_t size, const unsigned char *input,
                                   unsigned char *output) {
  uint32_t *state = cipher->MBEDTLS_PRIVATE(state);
  const size_t left = BLOCK - cipher->MBEDTLS_PRIVATE(keystream_bytes_used); /* of the block before */
  const size_t first = left < size ? left : size, blocks = (size - first) / BLOCK;
  /* OpenSSL's code does not handle the overflow of the counter. */
  const size_t whole = blocks < UINT32_MAX - state[COUNTER] ? blocks * BLOCK : 0, done = first + whole;
  int error = first ? __real_mbedtls_chacha20_update(cipher, first, input, output) : 0;
  if (!error && whole) {
    ChaCha20_ctr32(output + first, input + first, whole, state + KEY, state + COUNTER);
    state[COUNTER] += (uint32_t)blocks;
  }
  if (!error && done < size) error = __real_mbedtls_chacha20_update(cipher, size - done, input + done, output + done);
  return error;
}
