/*
 * Tests of the curves, the hash and the cipher in the place of Mbed TLS's. The same program is built with them and
 * without them, which is Mbed TLS as it comes.
 *
 *   values          known answers, and what has to be refused; a line for each
 *   compare N SEED  N operations on usual, rare and invalid numbers; a line for each, which says what came out of it
 *   threads         operations on four threads, from the first one on
 *   memory          operations for which there is no memory, at one allocation after the other, until they succeed
 *   enough          the same, with memory
 *   unreached       calls a function of OpenSSL that is not there
 */
#include <mbedtls/chachapoly.h>
#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>
#include <mbedtls/sha256.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIZE = 32,
  LONGEST = 1500,
  LONGEST_RECORD = 5000,
  NONCE = 12,
  TAG = 16,
  AAD = 40,
  THREADS = 4,
  THREAD_CASES = 24
};

/* A function of Mbed TLS that its public headers do not have. */
int mbedtls_mpi_gcd_modinv_odd(mbedtls_mpi *gcd, mbedtls_mpi *inverse, const mbedtls_mpi *number,
                               const mbedtls_mpi *modulus);

/* Numbers that are the same each time: splitmix64. */
struct numbers {
  uint64_t state;
};

static uint64_t next(struct numbers *numbers) {
  uint64_t z = numbers->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static unsigned below(struct numbers *numbers, unsigned bound) {
  return (unsigned)(next(numbers) % bound);
}

static int fill(void *context, unsigned char *out, size_t size) {
  for (size_t i = 0; i < size; i++) out[i] = (unsigned char)next(context);
  return 0;
}

static void check(int error) {
  if (!error) return;
  fprintf(stderr, "failed: -0x%04x\n", (unsigned)-error);
  exit(2);
}

/* ---- operations, of which all that comes out is one text ---- */

struct bench {
  struct numbers numbers, blinding; /* Mbed TLS hides what it does behind the latter, the curves do not */
  mbedtls_ecp_group p256, x25519;
  mbedtls_ecp_point point, other, result;
  mbedtls_mpi m, n, t;
  mbedtls_ecdsa_context key;
  char text[1200];
};

static void bench_open(struct bench *b, uint64_t seed) {
  b->numbers.state = seed;
  mbedtls_ecp_group_init(&b->p256);
  mbedtls_ecp_group_init(&b->x25519);
  mbedtls_ecp_point_init(&b->point);
  mbedtls_ecp_point_init(&b->other);
  mbedtls_ecp_point_init(&b->result);
  mbedtls_mpi_init(&b->m);
  mbedtls_mpi_init(&b->n);
  mbedtls_mpi_init(&b->t);
  mbedtls_ecdsa_init(&b->key);
  check(mbedtls_ecp_group_load(&b->p256, MBEDTLS_ECP_DP_SECP256R1));
  check(mbedtls_ecp_group_load(&b->x25519, MBEDTLS_ECP_DP_CURVE25519));
}

static void bench_close(struct bench *b) {
  mbedtls_ecdsa_free(&b->key);
  mbedtls_mpi_free(&b->t);
  mbedtls_mpi_free(&b->n);
  mbedtls_mpi_free(&b->m);
  mbedtls_ecp_point_free(&b->result);
  mbedtls_ecp_point_free(&b->other);
  mbedtls_ecp_point_free(&b->point);
  mbedtls_ecp_group_free(&b->x25519);
  mbedtls_ecp_group_free(&b->p256);
}

/* Adds a number to the text. */
static void tell(struct bench *b, const mbedtls_mpi *number) {
  size_t length = strlen(b->text), written;
  b->text[length++] = ' ';
  check(mbedtls_mpi_write_string(number, 16, b->text + length, sizeof b->text - length, &written));
}

static void tell_bytes(struct bench *b, const unsigned char *bytes, size_t size) {
  size_t length = strlen(b->text);
  b->text[length++] = ' ';
  for (size_t i = 0; i < size; i++) sprintf(b->text + length + 2 * i, "%02x", bytes[i]);
}

static void tell_point(struct bench *b, const mbedtls_ecp_point *point) {
  tell(b, &point->MBEDTLS_PRIVATE(X));
  if (point->MBEDTLS_PRIVATE(Y).MBEDTLS_PRIVATE(p)) tell(b, &point->MBEDTLS_PRIVATE(Y));
  tell(b, &point->MBEDTLS_PRIVATE(Z));
}

static void begin(struct bench *b, const char *name) {
  snprintf(b->text, sizeof b->text, "%s", name);
}

/* Adds the outcome to the text. True: there is a result. */
static bool outcome(struct bench *b, int error) {
  size_t length = strlen(b->text);
  snprintf(b->text + length, sizeof b->text - length, " -> %d", error);
  return !error;
}

/* A number that a careless implementation may stumble over, or any: below n, except if it is `odd`. */
static void draw(struct bench *b, mbedtls_mpi *number, bool odd) {
  unsigned char bytes[SIZE];
  struct numbers *numbers = &b->numbers;
  const mbedtls_mpi *n = &b->p256.N;
  fill(numbers, bytes, SIZE);
  switch (below(numbers, odd ? 16 : 12)) {
    case 0: check(mbedtls_mpi_lset(number, (mbedtls_mpi_sint)below(numbers, 40))); return;
    case 1: check(mbedtls_mpi_sub_int(number, n, (mbedtls_mpi_sint)below(numbers, 40) + 1)); return;
    case 2: /* one bit */
      check(mbedtls_mpi_lset(number, 1));
      check(mbedtls_mpi_shift_l(number, below(numbers, 256)));
      return;
    case 3: /* n - 2^k */
      check(mbedtls_mpi_lset(number, 1));
      check(mbedtls_mpi_shift_l(number, below(numbers, 255)));
      check(mbedtls_mpi_sub_mpi(number, n, number));
      return;
    case 4: memset(bytes, 0, below(numbers, SIZE)); break;                                           /* short */
    case 5: memset(bytes + below(numbers, SIZE / 2), below(numbers, 2) ? 0xff : 0, SIZE / 2); break; /* long runs */
    case 6: /* digits of the windows at their ends */
      for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(below(numbers, 2) ? 0x00 : 0xff);
      break;
    case 12: check(mbedtls_mpi_add_int(number, n, (mbedtls_mpi_sint)below(numbers, 3))); return;
    case 13: check(mbedtls_mpi_lset(number, -(mbedtls_mpi_sint)below(numbers, 3))); return;
    case 14: /* above 2^256 */
      check(mbedtls_mpi_read_binary(number, bytes, SIZE));
      check(mbedtls_mpi_set_bit(number, 256 + below(numbers, 64), 1));
      return;
    case 15: check(mbedtls_mpi_lset(number, 0)); return;
    default: break;
  }
  check(mbedtls_mpi_read_binary(number, bytes, SIZE));
  if (!odd) check(mbedtls_mpi_mod_mpi(number, number, n));
}

/* Makes a point another one, or none at all. */
static void spoil(struct bench *b, mbedtls_ecp_point *point) {
  mbedtls_mpi *x = &point->MBEDTLS_PRIVATE(X), *y = &point->MBEDTLS_PRIVATE(Y);
  switch (below(&b->numbers, 9)) {
    case 0: check(mbedtls_mpi_add_int(x, x, 1)); break;
    case 1: check(mbedtls_mpi_sub_int(y, y, 1)); break;
    case 2: check(mbedtls_mpi_add_mpi(x, x, &b->p256.P)); break;
    case 3: check(mbedtls_mpi_sub_mpi(y, y, &b->p256.P)); break;
    case 4: check(mbedtls_ecp_set_zero(point)); break;
    case 5: check(mbedtls_mpi_lset(&point->MBEDTLS_PRIVATE(Z), 2)); break;
    case 6: mbedtls_mpi_swap(x, y); break;
    case 7: check(mbedtls_mpi_lset(x, 0)), check(mbedtls_mpi_lset(y, 0)); break;
    case 8: check(mbedtls_mpi_sub_mpi(y, &b->p256.P, y)); break; /* the point's negative, which is one */
  }
}

static void multiply_base(struct bench *b) {
  begin(b, "base");
  draw(b, &b->m, true);
  if (outcome(b, mbedtls_ecp_mul(&b->p256, &b->result, &b->m, &b->p256.G, fill, &b->blinding)))
    tell_point(b, &b->result);
}

/* A point that is a multiple of the base point; the multiple stays in `t`. */
static void draw_point(struct bench *b, mbedtls_ecp_point *point) {
  do draw(b, &b->t, false);
  while (mbedtls_mpi_cmp_int(&b->t, 0) == 0);
  check(mbedtls_ecp_mul(&b->p256, point, &b->t, &b->p256.G, fill, &b->blinding));
}

static void multiply(struct bench *b) {
  begin(b, "point");
  draw_point(b, &b->point);
  draw(b, &b->m, below(&b->numbers, 4) == 0);
  if (below(&b->numbers, 4) == 0) spoil(b, &b->point);
  /* The result may be the point itself. */
  mbedtls_ecp_point *result = below(&b->numbers, 2) ? &b->result : &b->point;
  if (outcome(b, mbedtls_ecp_mul_restartable(&b->p256, result, &b->m, &b->point, fill, &b->blinding, NULL)))
    tell_point(b, result);
}

static void multiply_add(struct bench *b) {
  begin(b, "sum");
  const mbedtls_ecp_point *base = &b->p256.G;
  draw_point(b, &b->point);
  draw(b, &b->n, below(&b->numbers, 4) == 0);
  draw(b, &b->m, below(&b->numbers, 4) == 0);
  switch (below(&b->numbers, 6)) {
    case 0: /* the same point twice: m = n t */
    case 1: /* nothing is left: m = -n t */
      check(mbedtls_mpi_mul_mpi(&b->m, &b->n, &b->t));
      if (below(&b->numbers, 2)) b->m.MBEDTLS_PRIVATE(s) = (short)-b->m.MBEDTLS_PRIVATE(s);
      check(mbedtls_mpi_mod_mpi(&b->m, &b->m, &b->p256.N));
      break;
    case 2: spoil(b, &b->point); break;
    case 3:
      draw_point(b, &b->other);
      base = &b->other;
      break;
  }
  if (outcome(b, mbedtls_ecp_muladd(&b->p256, &b->result, &b->m, base, &b->n, &b->point))) tell_point(b, &b->result);
}

static void invert(struct bench *b) {
  begin(b, "inverse");
  draw(b, &b->m, true);
  if (below(&b->numbers, 4)) {
    check(mbedtls_mpi_copy(&b->n, &b->p256.N));
  } else {
    draw(b, &b->n, false);
    check(mbedtls_mpi_set_bit(&b->n, 0, 1));
  }
  mbedtls_mpi *gcd = below(&b->numbers, 4) ? NULL : &b->t;
  if (!outcome(b, mbedtls_mpi_gcd_modinv_odd(gcd, &b->point.MBEDTLS_PRIVATE(X), &b->m, &b->n))) return;
  if (gcd) tell(b, gcd);
  /* The test has no gcd to check that an inverse exists: it does for n, which is prime. */
  if (mbedtls_mpi_cmp_mpi(&b->n, &b->p256.N) == 0 && mbedtls_mpi_cmp_int(&b->m, 0))
    tell(b, &b->point.MBEDTLS_PRIVATE(X));
}

static void draw_key(struct bench *b) {
  draw_point(b, &b->point);
  check(mbedtls_ecp_set_public_key(MBEDTLS_ECP_DP_SECP256R1, &b->key, &b->point));
  check(mbedtls_mpi_copy(&b->key.MBEDTLS_PRIVATE(d), &b->t));
}

static void draw_hash(struct bench *b, unsigned char hash[SIZE]) {
  fill(&b->numbers, hash, SIZE);
  unsigned kind = below(&b->numbers, 8);
  if (kind < 2) memset(hash, kind ? 0xff : 0, SIZE); /* above n, and none */
}

static void sign(struct bench *b) {
  begin(b, "signature");
  unsigned char hash[SIZE], signature[MBEDTLS_ECDSA_MAX_LEN];
  size_t length;
  draw_key(b);
  draw_hash(b, hash);
  if (outcome(b, mbedtls_ecdsa_write_signature(&b->key, MBEDTLS_MD_SHA256, hash, SIZE, signature, sizeof signature,
                                               &length, fill, &b->blinding)))
    tell_bytes(b, signature, length);
}

static void verify(struct bench *b) {
  begin(b, "verification");
  unsigned char hash[SIZE];
  draw_key(b);
  draw_hash(b, hash);
  check(mbedtls_ecdsa_sign(&b->p256, &b->m, &b->n, &b->t, hash, SIZE, fill, &b->blinding));
  switch (below(&b->numbers, 8)) {
    case 0: draw(b, &b->m, true); break;
    case 1: draw(b, &b->n, true); break;
    case 2: hash[below(&b->numbers, SIZE)] ^= 1; break;
    case 3: spoil(b, &b->point); break;
    case 4: check(mbedtls_mpi_sub_mpi(&b->n, &b->p256.N, &b->n)); break; /* the other signature, which is one */
  }
  outcome(b, mbedtls_ecdsa_verify(&b->p256, hash, SIZE, &b->point, &b->m, &b->n));
}

static void multiply_x25519(struct bench *b) {
  begin(b, "x25519");
  unsigned char u[SIZE];
  const mbedtls_ecp_point *point = &b->x25519.G;
  check(mbedtls_ecp_gen_privkey(&b->x25519, &b->m, fill, &b->numbers));
  if (below(&b->numbers, 8) == 0) draw(b, &b->m, true);
  if (below(&b->numbers, 4)) {
    fill(&b->numbers, u, SIZE);
    if (below(&b->numbers, 4) == 0) memset(u + 1, u[0] & 1 ? 0xff : 0, SIZE - 1); /* near 0 and 2^256 */
    check(mbedtls_ecp_point_read_binary(&b->x25519, &b->point, u, SIZE));
    point = &b->point;
  }
  if (outcome(b, mbedtls_ecp_mul(&b->x25519, &b->result, &b->m, point, fill, &b->blinding)))
    tell(b, &b->result.MBEDTLS_PRIVATE(X));
}

/* A part of `left` bytes: often up to the end of a block of 64 or around it. */
static size_t part(struct bench *b, size_t left) {
  static const unsigned ends[] = {1, 55, 56, 63, 64, 65, 128, 192, 1000};
  const size_t size =
      below(&b->numbers, 2) ? ends[below(&b->numbers, sizeof ends / sizeof *ends)] : below(&b->numbers, 300);
  return size < left ? size : left;
}

static void hash(struct bench *b) {
  begin(b, "hash");
  unsigned char message[LONGEST], digest[SIZE] = {0};
  const size_t size = below(&b->numbers, LONGEST + 1);
  mbedtls_sha256_context context, copy;
  fill(&b->numbers, message, size);
  mbedtls_sha256_init(&context);
  mbedtls_sha256_init(&copy);
  const int is224 = (int)below(&b->numbers, 2);
  check(mbedtls_sha256_starts(&context, is224));
  for (size_t at = 0, length; at < size; at += length) {
    length = part(b, size - at);
    check(mbedtls_sha256_update(&context, message + at, length));
  }
  mbedtls_sha256_clone(&copy, &context);
  if (!outcome(b, mbedtls_sha256_finish(&context, digest))) return;
  tell_bytes(b, digest, SIZE);
  check(mbedtls_sha256_finish(&copy, digest));
  tell_bytes(b, digest, SIZE);
  check(mbedtls_sha256(message, size, digest, is224));
  tell_bytes(b, digest, SIZE);
}

/* A tag of zeros stands for a forged one: the chance that it is valid is negligible. */
static void encrypt(struct bench *b) {
  begin(b, "cipher");
  static const unsigned char wrong[TAG];
  unsigned char key[SIZE], nonce[NONCE], aad[AAD], tag[TAG], digest[SIZE];
  unsigned char text[LONGEST_RECORD], sealed[LONGEST_RECORD], opened[LONGEST_RECORD];
  const size_t size = below(&b->numbers, LONGEST_RECORD + 1), aad_size = below(&b->numbers, AAD + 1);
  const bool in_place = below(&b->numbers, 2), changed = !below(&b->numbers, 4);
  mbedtls_chachapoly_context context;
  fill(&b->numbers, key, sizeof key);
  fill(&b->numbers, nonce, sizeof nonce);
  fill(&b->numbers, aad, aad_size);
  fill(&b->numbers, text, size);
  memcpy(sealed, text, size);
  mbedtls_chachapoly_init(&context);
  check(mbedtls_chachapoly_setkey(&context, key));
  check(
      mbedtls_chachapoly_encrypt_and_tag(&context, size, nonce, aad, aad_size, in_place ? sealed : text, sealed, tag));
  check(mbedtls_sha256(sealed, size, digest, 0));
  if (in_place) memcpy(opened, sealed, size);
  const int error = mbedtls_chachapoly_auth_decrypt(&context, size, nonce, aad, aad_size, changed ? wrong : tag,
                                                    in_place ? opened : sealed, opened);
  mbedtls_chachapoly_free(&context);
  for (size_t i = 0; i < size; i++) check(opened[i] == (error ? 0 : text[i]) ? 0 : -1);
  if (!outcome(b, error)) return;
  tell_bytes(b, digest, SIZE);
  tell_bytes(b, tag, TAG);
}

static void operate(struct bench *b, unsigned i) {
  static void (*const operations[])(struct bench *) = {multiply_base, multiply,        multiply_add, invert, sign,
                                                       verify,        multiply_x25519, hash,         encrypt};
  operations[i % (sizeof operations / sizeof *operations)](b);
}

/* Each case has numbers of its own, so that it can be repeated alone. */
static void compare(unsigned count, uint64_t seed) {
  for (unsigned i = 0; i < count; i++) {
    struct bench b;
    bench_open(&b, seed + i);
    operate(&b, i);
    puts(b.text);
    bench_close(&b);
  }
}

/* ---- known answers ---- */

static int read_point(const mbedtls_ecp_group *group, mbedtls_ecp_point *point, const char *hex, size_t *size) {
  unsigned char bytes[80] = {0};
  *size = strlen(hex) / 2;
  for (size_t i = 0; i < *size; i++) sscanf(hex + 2 * i, "%2hhx", bytes + i);
  return mbedtls_ecp_point_read_binary(group, point, bytes, *size);
}

static void say(bool holds, const char *title, const char *which) {
  printf("%s - %s: %s\n", holds ? "ok" : "not ok", title, which);
}

/* A multiple of a point, NULL for the base point. */
static void expect(struct bench *b, mbedtls_ecp_group *group, const char *title, const char *scalar, const char *point,
                   const char *x) {
  size_t size;
  mbedtls_mpi expected;
  mbedtls_mpi_init(&expected);
  unsigned char bytes[SIZE];
  for (size_t i = 0; i < SIZE; i++) sscanf(x + 2 * i, "%2hhx", bytes + i);
  bool little = group == &b->x25519; /* RFC 7748 writes the least significant byte first */
  check(little ? mbedtls_mpi_read_binary_le(&expected, bytes, SIZE) : mbedtls_mpi_read_binary(&expected, bytes, SIZE));
  if (little) {
    for (size_t i = 0; i < SIZE; i++) sscanf(scalar + 2 * i, "%2hhx", bytes + i);
    bytes[0] &= 0xf8, bytes[SIZE - 1] = (unsigned char)((bytes[SIZE - 1] & 0x7f) | 0x40);
    check(mbedtls_mpi_read_binary_le(&b->m, bytes, SIZE));
  } else {
    check(mbedtls_mpi_read_string(&b->m, 16, scalar));
  }
  if (point) check(read_point(group, &b->point, point, &size));
  mbedtls_ecp_point_free(&b->result);
  int error = mbedtls_ecp_mul(group, &b->result, &b->m, point ? &b->point : &group->G, fill, &b->blinding);
  say(!error && mbedtls_mpi_cmp_mpi(&b->result.MBEDTLS_PRIVATE(X), &expected) == 0, title, scalar);
  mbedtls_mpi_free(&expected);
}

#define ORDER "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325"
#define G_X "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
#define G_Y "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
#define TWO_G_X "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"
#define ONES_7F "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"

static void known(struct bench *b) {
  mbedtls_ecp_group *p256 = &b->p256, *x25519 = &b->x25519;
  expect(b, p256, "a multiple of the base point", "1", NULL, G_X);
  expect(b, p256, "a multiple of the base point", "2", NULL, TWO_G_X);
  expect(b, p256, "a multiple of the base point", "3", NULL,
         "5ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c");
  expect(b, p256, "a multiple of the base point", ORDER "50", NULL, G_X);
  expect(b, p256, "a multiple of the base point", ORDER "4f", NULL, TWO_G_X);
  /* RFC 5903, 8.1 */
  expect(b, p256, "a public key", "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433", NULL,
         "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180");
  expect(b, p256, "a shared secret", "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433",
         "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
         "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab",
         "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de");
  /* RFC 7748, 5.2 and 6.1 */
  expect(b, x25519, "a product on Curve25519", "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
         "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
         "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
  expect(b, x25519, "a product on Curve25519", "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
         "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
         "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
  expect(b, x25519, "a public key on Curve25519", "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
         NULL, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  expect(b, x25519, "a shared secret on Curve25519", "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
         "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
         "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
}

/* RFC 6979, A.2.5: SHA-256 of "sample" and "test". */
static void known_signatures(struct bench *b) {
  static const struct {
    const char *message, *r, *s;
  } cases[] = {{"sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
                "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
               {"test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
                "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"}};
  unsigned char hash[SIZE];
  mbedtls_mpi d;
  mbedtls_mpi_init(&d);
  check(mbedtls_mpi_read_string(&d, 16, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"));
  check(mbedtls_ecp_mul(&b->p256, &b->point, &d, &b->p256.G, fill, &b->blinding));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check(mbedtls_sha256((const unsigned char *)cases[i].message, strlen(cases[i].message), hash, 0));
    check(mbedtls_ecdsa_sign_det_ext(&b->p256, &b->m, &b->n, &d, hash, SIZE, MBEDTLS_MD_SHA256, fill, &b->blinding));
    check(mbedtls_mpi_read_string(&b->t, 16, cases[i].r));
    bool same = mbedtls_mpi_cmp_mpi(&b->m, &b->t) == 0;
    check(mbedtls_mpi_read_string(&b->t, 16, cases[i].s));
    same = same && mbedtls_mpi_cmp_mpi(&b->n, &b->t) == 0;
    say(same, "a signature", cases[i].message);
    say(!mbedtls_ecdsa_verify(&b->p256, hash, SIZE, &b->point, &b->m, &b->n), "a verification", cases[i].message);
    hash[0] ^= 1;
    say(mbedtls_ecdsa_verify(&b->p256, hash, SIZE, &b->point, &b->m, &b->n) == MBEDTLS_ERR_ECP_VERIFY_FAILED,
        "no verification of another", cases[i].message);
  }
  mbedtls_mpi_free(&d);
}

static bool is(const unsigned char *bytes, const char *hex) {
  for (size_t i = 0, byte = 0; i < strlen(hex) / 2; i++) {
    if (sscanf(hex + 2 * i, "%2zx", &byte) != 1 || bytes[i] != byte) return false;
  }
  return true;
}

/* FIPS 180-4 as NIST shows it; RFC 8439, 2.8.2. */
static void known_bytes(void) {
  static const char *const messages[] = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
  static const char *const digests[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"};
  unsigned char key[SIZE], out[128];
  mbedtls_sha256_context context;
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    mbedtls_sha256_init(&context);
    check(mbedtls_sha256_starts(&context, 0));
    check(mbedtls_sha256_update(&context, (const unsigned char *)messages[i], strlen(messages[i])));
    check(mbedtls_sha256_finish(&context, out));
    say(is(out, digests[i]), "a digest", messages[i]);
  }
  static const char text[] =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      "sunscreen would be it.";
  static const unsigned char nonce[NONCE] = {7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47},
                             aad[] = {0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};
  unsigned char tag[TAG];
  for (size_t i = 0; i < sizeof key; i++) key[i] = (unsigned char)(0x80 + i);
  mbedtls_chachapoly_context cipher;
  mbedtls_chachapoly_init(&cipher);
  check(mbedtls_chachapoly_setkey(&cipher, key));
  check(mbedtls_chachapoly_encrypt_and_tag(&cipher, sizeof text - 1, nonce, aad, sizeof aad,
                                           (const unsigned char *)text, out, tag));
  mbedtls_chachapoly_free(&cipher);
  say(is(out, "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
              "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
              "3ff4def08e4b7a9de576d26586cec64b6116"),
      "a ciphertext", text);
  say(is(tag, "1ae10b594f09e26a7e902ecbd0600691"), "a tag", text);
}

static void refused_scalars(struct bench *b) {
  static const char *const scalars[] = {"0", "-1", ORDER "51", ORDER "52", "1" ZERO, "1" ORDER "50"};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    check(mbedtls_mpi_read_string(&b->m, 16, scalars[i]));
    int base = mbedtls_ecp_mul(&b->p256, &b->result, &b->m, &b->p256.G, fill, &b->blinding);
    draw_point(b, &b->point);
    int other = mbedtls_ecp_mul(&b->p256, &b->result, &b->m, &b->point, fill, &b->blinding);
    say(base == MBEDTLS_ERR_ECP_INVALID_KEY && other == base, "an invalid scalar", scalars[i]);
  }
}

/* Whoever sends a point sends bytes. */
static void refused_points(struct bench *b, mbedtls_ecp_group *group, const char *const *points) {
  size_t size;
  check(mbedtls_ecp_gen_privkey(group, &b->m, fill, &b->blinding));
  for (; *points; points++) {
    int error = read_point(group, &b->point, *points, &size);
    if (!error) error = mbedtls_ecp_mul(group, &b->result, &b->m, &b->point, fill, &b->blinding);
    say(error, "an invalid point", *points);
  }
}

static void refused(struct bench *b) {
  static const char *const p256[] = {"", "00", "04", "04" G_X, "04" G_X G_Y "00", "05" G_X G_Y, "04" G_X G_X,
                                     "04" G_Y G_X, "04" ZERO ZERO, "04" G_X ZERO, "04" ZERO G_Y,
                                     /* x + 1, y + 1, p, 2^256 - 1 */
                                     "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c297" G_Y,
                                     "04" G_X "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f6",
                                     "04ffffffff00000001000000000000000000000000ffffffffffffffffffffffff" G_Y,
                                     "04ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" G_Y,
                                     "04" G_X "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", NULL};
  /* Of the orders 1, 2, 4 and 8 on the curve and on its twist: 0, 1, the two of order 8, p - 1, p, p + 1. */
  static const char *const x25519[] = {"",
                                       "09",
                                       ZERO,
                                       ZERO "00",
                                       "0100000000000000000000000000000000000000000000000000000000000000",
                                       "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                                       "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                                       "ec" ONES_7F,
                                       "ed" ONES_7F,
                                       "ee" ONES_7F,
                                       NULL};
  refused_scalars(b);
  refused_points(b, &b->p256, p256);
  refused_points(b, &b->x25519, x25519);
}

static void values(void) {
  struct bench b;
  bench_open(&b, 1);
  known(&b);
  known_signatures(&b);
  known_bytes();
  refused(&b);
  bench_close(&b);
}

/* ---- threads ---- */

struct thread {
  pthread_t id;
  unsigned first;
  char texts[THREAD_CASES][sizeof(((struct bench *)0)->text)];
};

static pthread_barrier_t start;

static void *run_thread(void *context) {
  struct thread *thread = context;
  pthread_barrier_wait(&start);
  for (unsigned i = 0; i < THREAD_CASES; i++) {
    struct bench b;
    bench_open(&b, thread->first + i);
    operate(&b, thread->first + i);
    memcpy(thread->texts[i], b.text, sizeof b.text);
    bench_close(&b);
  }
  return NULL;
}

static void threads(void) {
  static struct thread all[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (unsigned n = 0; n < THREADS; n++) {
    all[n].first = n * THREAD_CASES;
    check(pthread_create(&all[n].id, NULL, run_thread, &all[n]));
  }
  for (unsigned n = 0; n < THREADS; n++) check(pthread_join(all[n].id, NULL));
  for (unsigned n = 0; n < THREADS; n++)
    for (unsigned i = 0; i < THREAD_CASES; i++) puts(all[n].texts[i]);
}

/* ---- memory ---- */

static unsigned allocations, failing;
static bool counting;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size) {
  return counting && ++allocations == failing ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return counting && ++allocations == failing ? NULL : __real_calloc(count, size);
}

/* One operation on numbers that were drawn before. */
static int once(struct bench *b, unsigned operation) {
  static unsigned char hash[SIZE] = {1};
  switch (operation) {
    case 0: return mbedtls_ecp_mul(&b->p256, &b->result, &b->m, &b->p256.G, fill, &b->blinding);
    case 1: return mbedtls_ecp_mul(&b->p256, &b->result, &b->m, &b->point, fill, &b->blinding);
    case 2: return mbedtls_ecp_muladd(&b->p256, &b->result, &b->m, &b->p256.G, &b->m, &b->point);
    case 3: return mbedtls_mpi_gcd_modinv_odd(NULL, &b->t, &b->m, &b->p256.N);
    default:
      return mbedtls_ecdsa_sign_det_ext(&b->p256, &b->t, &b->n, &b->m, hash, SIZE, MBEDTLS_MD_SHA256, fill,
                                        &b->numbers);
  }
}

/* The curve itself is made by the first operation that has the memory for it. */
static void memory(bool lacking) {
  struct bench b;
  bench_open(&b, 1);
  check(mbedtls_mpi_read_string(&b.m, 16, "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"));
  check(mbedtls_ecp_copy(&b.point, &b.p256.G));
  for (unsigned operation = 0; operation < 5; operation++) {
    int error;
    failing = 0;
    do {
      if (operation == 1) check(mbedtls_ecp_copy(&b.point, &b.result));
      failing++;
      allocations = 0;
      counting = lacking;
      error = once(&b, operation);
      counting = false;
      if (error && error != MBEDTLS_ERR_ECP_ALLOC_FAILED && error != MBEDTLS_ERR_MPI_ALLOC_FAILED &&
          error != MBEDTLS_ERR_MD_ALLOC_FAILED)
        check(error);
    } while (error);
    snprintf(b.text, sizeof b.text, "operation %u", operation);
    tell_point(&b, &b.result);
    puts(b.text);
  }
  bench_close(&b);
}

/* ---- */

__attribute__((weak)) void EC_POINT_oct2point(void);

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (!strcmp(what, "values")) values();
  else if (!strcmp(what, "compare") && count == 4) compare((unsigned)atoi(words[2]), (uint64_t)atoll(words[3]));
  else if (!strcmp(what, "threads")) threads();
  else if (!strcmp(what, "memory")) memory(true);
  else if (!strcmp(what, "enough")) memory(false);
  else if (!strcmp(what, "unreached") && EC_POINT_oct2point) EC_POINT_oct2point();
  else return 64;
  return 0;
}
