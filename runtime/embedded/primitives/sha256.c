/*
 * SHA-256 (FIPS 180-4) with the blocks of OpenSSL in the place of Mbed TLS's, which takes 61 instructions for a byte:
 * for tags of answers and for handshakes, which hash small pieces. The program is linked with --wrap for these
 * functions.
 */
#include <mbedtls/sha256.h>
#include <string.h>

enum { BLOCK = 64, LENGTH = 8 };

/* crypto/sha/asm of OpenSSL: adds `count` blocks to the eight words of a state. */
void sha256_block_data_order(uint32_t state[8], const void *blocks, size_t count);

int __real_mbedtls_sha256_update(mbedtls_sha256_context *hash, const unsigned char *input, size_t size);
int __wrap_mbedtls_sha256_update(mbedtls_sha256_context *hash, const unsigned char *input, size_t size);
int __wrap_mbedtls_sha256_finish(mbedtls_sha256_context *hash, unsigned char *output);
int __wrap_mbedtls_sha256(const unsigned char *input, size_t size, unsigned char *output, int is224);

static void count(mbedtls_sha256_context *hash, size_t size) {
  uint32_t *total = hash->MBEDTLS_PRIVATE(total);
  const uint64_t sum = ((uint64_t)total[1] << 32 | total[0]) + size;
  total[0] = (uint32_t)sum;
  total[1] = (uint32_t)(sum >> 32);
}

/* OpenSSL processes whole blocks; Mbed TLS keeps the rest. */
int __wrap_mbedtls_sha256_update(mbedtls_sha256_context *hash, const unsigned char *input, size_t size) {
  uint32_t *state = hash->MBEDTLS_PRIVATE(state);
  const size_t used = hash->MBEDTLS_PRIVATE(total)[0] % BLOCK, missing = BLOCK - used;
  if (used && size >= missing) {
    memcpy(hash->MBEDTLS_PRIVATE(buffer) + used, input, missing);
    sha256_block_data_order(state, hash->MBEDTLS_PRIVATE(buffer), 1);
    count(hash, missing);
    input += missing;
    size -= missing;
  }
  if (size >= BLOCK) {
    const size_t whole = size - size % BLOCK;
    sha256_block_data_order(state, input, whole / BLOCK);
    count(hash, whole);
    input += whole;
    size -= whole;
  }
  return __real_mbedtls_sha256_update(hash, input, size);
}

/* As an update with the padding (5.1.1) that ends a block. */
int __wrap_mbedtls_sha256_finish(mbedtls_sha256_context *hash, unsigned char *output) {
  const uint32_t *total = hash->MBEDTLS_PRIVATE(total), *state = hash->MBEDTLS_PRIVATE(state);
  const uint64_t bits = ((uint64_t)total[1] << 32 | total[0]) * 8;
  const size_t used = total[0] % BLOCK, end = used < BLOCK - LENGTH ? BLOCK : 2 * BLOCK, zeros = end - LENGTH - used;
  unsigned char padding[2 * BLOCK] = {0x80};
  for (size_t i = 0; i < LENGTH; i++) padding[zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
  const int error = __wrap_mbedtls_sha256_update(hash, padding, zeros + LENGTH);
  const size_t words = hash->MBEDTLS_PRIVATE(is224) ? 7 : 8;
  for (size_t i = 0; i < 4 * words; i++) output[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
  mbedtls_sha256_free(hash);
  return error;
}

int __wrap_mbedtls_sha256(const unsigned char *input, size_t size, unsigned char *output, int is224) {
  mbedtls_sha256_context hash;
  mbedtls_sha256_init(&hash);
  int error = mbedtls_sha256_starts(&hash, is224);
  if (!error) error = __wrap_mbedtls_sha256_update(&hash, input, size);
  if (!error) error = __wrap_mbedtls_sha256_finish(&hash, output);
  mbedtls_sha256_free(&hash);
  return error;
}
