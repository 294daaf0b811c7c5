#define OPENSSL_SUPPRESS_DEPRECATED
#include "p256.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <pthread.h>
#include <string.h>

enum { SIZE = 32, WORDS = SIZE / sizeof(BN_ULONG) };

/*
 * Functions of the library that its headers do not have: crypto/ec/ec_local.h, crypto/ec/ec_lib.c,
 * crypto/bn/bn_intern.c. EC_GROUP_new_by_curve_name would bring the tables of all other curves; BN_bin2bn would tell by
 * its time how many leading bytes of a secret are zero.
 */
const EC_METHOD *EC_GFp_nistz256_method(void);
int ossl_ec_group_do_inverse_ord(const EC_GROUP *group, BIGNUM *inverse, const BIGNUM *number, BN_CTX *context);
int bn_set_words(BIGNUM *number, const BN_ULONG *words, int count);

/* Made once, and then only read, by all threads. */
static struct {
  pthread_mutex_t making;
  mbedtls_ecp_group group;
  EC_GROUP *curve;
} p256 = {.making = PTHREAD_MUTEX_INITIALIZER};

/*
 * A number of Mbed TLS in [0, 2^256) as one of OpenSSL's; both keep the least significant byte first on our machines.
 */
static int import(BIGNUM *number, const mbedtls_mpi *from) {
  unsigned char bytes[SIZE];
  BN_ULONG words[WORDS];
  int error = mbedtls_mpi_write_binary_le(from, bytes, SIZE);
  memcpy(words, bytes, SIZE);
  if (!error && !bn_set_words(number, words, WORDS)) error = MBEDTLS_ERR_ECP_ALLOC_FAILED;
  explicit_bzero(bytes, SIZE);
  explicit_bzero(words, SIZE);
  return error;
}

static int export(mbedtls_mpi *to, const BIGNUM *from) {
  unsigned char bytes[SIZE];
  if (BN_bn2lebinpad(from, bytes, SIZE) != SIZE) return MBEDTLS_ERR_ECP_ALLOC_FAILED;
  int error = mbedtls_mpi_read_binary_le(to, bytes, SIZE);
  explicit_bzero(bytes, SIZE);
  return error;
}

/* NULL: out of memory, or the point is not on the curve. */
static EC_POINT *import_point(const EC_GROUP *curve, const mbedtls_ecp_point *from, BN_CTX *context) {
  EC_POINT *point = EC_POINT_new(curve);
  BIGNUM *x = BN_new(), *y = BN_new();
  bool made = point && x && y && !import(x, &from->MBEDTLS_PRIVATE(X)) && !import(y, &from->MBEDTLS_PRIVATE(Y)) &&
              EC_POINT_set_affine_coordinates(curve, point, x, y, context);
  BN_free(y);
  BN_free(x);
  if (made) return point;
  EC_POINT_free(point);
  return NULL;
}

static int export_point(mbedtls_ecp_point *to, const EC_POINT *from, BN_CTX *context) {
  if (EC_POINT_is_at_infinity(p256.curve, from)) return mbedtls_ecp_set_zero(to);
  int error = MBEDTLS_ERR_ECP_ALLOC_FAILED;
  BIGNUM *x = BN_new(), *y = BN_new();
  if (x && y && EC_POINT_get_affine_coordinates(p256.curve, from, x, y, context)) {
    error = export(&to->MBEDTLS_PRIVATE(X), x);
    if (!error) error = export(&to->MBEDTLS_PRIVATE(Y), y);
    if (!error) error = mbedtls_mpi_lset(&to->MBEDTLS_PRIVATE(Z), 1);
  }
  BN_clear_free(y); /* it may be a shared secret */
  BN_clear_free(x);
  return error;
}

/* The curve by the parameters that Mbed TLS has, of which it keeps the first, -3, as none. */
static EC_GROUP *make(const mbedtls_ecp_group *group) {
  EC_GROUP *curve = EC_GROUP_new(EC_GFp_nistz256_method());
  BN_CTX *context = BN_CTX_new();
  BIGNUM *p = BN_new(), *a = BN_new(), *b = BN_new(), *n = BN_new();
  EC_POINT *base = NULL;
  bool made = curve && context && p && a && b && n;
  made = made && !import(p, &group->P) && !import(b, &group->B) && !import(n, &group->N);
  made = made && BN_copy(a, p) && BN_sub_word(a, 3) && EC_GROUP_set_curve(curve, p, a, b, context);
  made = made && (base = import_point(curve, &group->G, context));
  made = made && EC_GROUP_set_generator(curve, base, n, BN_value_one());
  EC_POINT_free(base);
  BN_free(n);
  BN_free(b);
  BN_free(a);
  BN_free(p);
  BN_CTX_free(context);
  if (made) return curve;
  EC_GROUP_free(curve);
  return NULL;
}

/* False: out of memory. */
static bool ready(void) {
  if (pthread_mutex_lock(&p256.making)) return false;
  if (!p256.curve) {
    mbedtls_ecp_group_init(&p256.group);
    if (!mbedtls_ecp_group_load(&p256.group, MBEDTLS_ECP_DP_SECP256R1)) p256.curve = make(&p256.group);
    if (!p256.curve) mbedtls_ecp_group_free(&p256.group);
  }
  bool made = p256.curve;
  pthread_mutex_unlock(&p256.making);
  return made;
}

/* result = base_scalar * G + scalar * point, of a point that was checked; without the half whose scalar is NULL. */
static int combine(mbedtls_ecp_point *result, const mbedtls_mpi *base_scalar, const mbedtls_mpi *scalar,
                   const mbedtls_ecp_point *point) {
  if (!ready()) return MBEDTLS_ERR_ECP_ALLOC_FAILED;
  int error = MBEDTLS_ERR_ECP_ALLOC_FAILED;
  BN_CTX *context = BN_CTX_new();
  BIGNUM *m = base_scalar ? BN_new() : NULL, *n = scalar ? BN_new() : NULL;
  EC_POINT *sum = EC_POINT_new(p256.curve), *other = NULL;
  bool fits = context && sum && (!base_scalar || (m && !import(m, base_scalar)));
  fits = fits && (!scalar || (n && !import(n, scalar) && (other = import_point(p256.curve, point, context))));
  if (fits && EC_POINT_mul(p256.curve, sum, m, other, n, context)) error = export_point(result, sum, context);
  EC_POINT_clear_free(sum);
  EC_POINT_free(other);
  BN_clear_free(n);
  BN_clear_free(m);
  BN_CTX_free(context);
  return error;
}

static bool is_base(const mbedtls_ecp_group *group, const mbedtls_ecp_point *point) {
  return point == &group->G || mbedtls_ecp_point_cmp(point, &group->G) == 0;
}

static bool is_below(const mbedtls_mpi *number, const mbedtls_mpi *bound) {
  return mbedtls_mpi_cmp_int(number, 0) >= 0 && mbedtls_mpi_cmp_mpi(number, bound) < 0;
}

int p256_multiply(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                  const mbedtls_ecp_point *point) {
  int error = mbedtls_ecp_check_privkey(group, scalar);
  if (error) return error;
  if (is_base(group, point)) return combine(result, scalar, NULL, NULL);
  error = mbedtls_ecp_check_pubkey(group, point);
  return error ? error : combine(result, NULL, scalar, point);
}

bool p256_can_multiply_add(const mbedtls_ecp_group *group, const mbedtls_mpi *base_scalar,
                           const mbedtls_ecp_point *base, const mbedtls_mpi *scalar) {
  return is_base(group, base) && is_below(base_scalar, &group->N) && is_below(scalar, &group->N);
}

int p256_multiply_add(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *base_scalar,
                      const mbedtls_mpi *scalar, const mbedtls_ecp_point *point) {
  int error = mbedtls_ecp_check_pubkey(group, point);
  return error ? error : combine(result, base_scalar, scalar, point);
}

bool p256_can_invert(const mbedtls_mpi *number, const mbedtls_mpi *modulus) {
  return ready() && mbedtls_mpi_cmp_mpi(modulus, &p256.group.N) == 0 && mbedtls_mpi_cmp_int(number, 0) > 0 &&
         mbedtls_mpi_cmp_mpi(number, modulus) < 0;
}

int p256_invert(mbedtls_mpi *inverse, const mbedtls_mpi *number) {
  if (!ready()) return MBEDTLS_ERR_MPI_ALLOC_FAILED;
  int error = MBEDTLS_ERR_MPI_ALLOC_FAILED;
  BN_CTX *context = BN_CTX_new();
  BIGNUM *before = BN_new(), *after = BN_new();
  if (context && before && after && !import(before, number) &&
      ossl_ec_group_do_inverse_ord(p256.curve, after, before, context))
    error = export(inverse, after);
  BN_clear_free(after);
  BN_clear_free(before);
  BN_CTX_free(context);
  return error;
}
