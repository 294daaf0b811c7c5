#include "sha256.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_AT = SHA256_BLOCK - 8 };

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, unsigned count) {
  return word >> count | word << (32 - count);
}

static void take(struct sha256 *sum) {
  uint32_t words[64], s[8];
  for (unsigned i = 0; i < 16; i++) {
    const unsigned char *at = sum->block + 4 * i;
    words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t one = words[i - 15], two = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (rotated(one, 7) ^ rotated(one, 18) ^ one >> 3) +
               (rotated(two, 17) ^ rotated(two, 19) ^ two >> 10);
  }
  memcpy(s, sum->state, sizeof s);
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t one =
        s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) + chosen + constants[i] + words[i];
    const uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof s[0]);
    s[4] += one;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8; i++) sum->state[i] += s[i];
}

void sha256_init(struct sha256 *sum) {
  memcpy(sum->state, initial, sizeof initial);
  sum->length = 0;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  while (length > 0) {
    const size_t filled = sum->length % SHA256_BLOCK, room = SHA256_BLOCK - filled;
    const size_t count = length < room ? length : room;
    memcpy(sum->block + filled, from, count);
    sum->length += count;
    from += count;
    length -= count;
    if (count == room) take(sum);
  }
}

void sha256_end(struct sha256 *sum, char text[2 * SHA256_SIZE + 1]) {
  static const unsigned char padding[SHA256_BLOCK] = {0x80};
  const uint64_t bits = sum->length * 8;
  unsigned char length[8];
  sha256_add(sum, padding, 1 + (2 * SHA256_BLOCK + LENGTH_AT - 1 - sum->length % SHA256_BLOCK) % SHA256_BLOCK);
  for (unsigned i = 0; i < sizeof length; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  sha256_add(sum, length, sizeof length);
  for (unsigned i = 0; i < 8; i++) sprintf(text + 8 * i, "%08x", (unsigned)sum->state[i]);
}
