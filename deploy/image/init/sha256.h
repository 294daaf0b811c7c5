/* SHA-256 (FIPS 180-4). */
#ifndef MINNOW_SHA256_H
#define MINNOW_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32
#define SHA256_BLOCK 64

struct sha256 {
  uint32_t state[8];
  uint64_t length; /* of all bytes so far */
  unsigned char block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *sum);

void sha256_add(struct sha256 *sum, const void *bytes, size_t length);

/* Writes 64 lower-case hex digits, with a NUL behind them. */
void sha256_end(struct sha256 *sum, char text[2 * SHA256_SIZE + 1]);

#endif
