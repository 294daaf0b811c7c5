/*
 * P-256 of OpenSSL and X25519 of libsodium in the place of Mbed TLS's.
 *
 * Mbed TLS computes with its general big numbers. Of a handshake that took 16 million instructions, 14 were three
 * multiplications of points. Debian's Mbed TLS has no hook for that, so the program is linked with --wrap for its
 * functions that multiply points and that invert the nonce of a signature: this file replaces them, and calls Mbed TLS
 * for all other curves and numbers.
 *
 * All else stays with Mbed TLS: keys are drawn by it, and signatures are made by it, with the nonce of RFC 6979. That
 * nonce is HMAC_DRBG over the private key and the hash, drawn again until it is below the order of the base point: it
 * is as uniform and as secret as the private key, differs for each message, and needs no random number, so that it
 * cannot fail with a generator that is not seeded yet. Nothing here draws a random number: OpenSSL's code for P-256
 * takes the same time for all scalars and uses none to hide them.
 */
#include "p256.h"
#include "x25519.h"

int __real_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart);
int __wrap_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart);
int __wrap_mbedtls_ecp_mul(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                           const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state);
int __real_mbedtls_ecp_muladd_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *m,
                                          const mbedtls_ecp_point *p, const mbedtls_mpi *n, const mbedtls_ecp_point *q,
                                          mbedtls_ecp_restart_ctx *restart);
int __wrap_mbedtls_ecp_muladd_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *m,
                                          const mbedtls_ecp_point *p, const mbedtls_mpi *n, const mbedtls_ecp_point *q,
                                          mbedtls_ecp_restart_ctx *restart);
int __real_mbedtls_mpi_gcd_modinv_odd(mbedtls_mpi *gcd, mbedtls_mpi *inverse, const mbedtls_mpi *number,
                                      const mbedtls_mpi *modulus);
int __wrap_mbedtls_mpi_gcd_modinv_odd(mbedtls_mpi *gcd, mbedtls_mpi *inverse, const mbedtls_mpi *number,
                                      const mbedtls_mpi *modulus);

int __wrap_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart) {
  if (random && group->id == MBEDTLS_ECP_DP_CURVE25519) return x25519_multiply(group, result, scalar, point);
  if (random && group->id == MBEDTLS_ECP_DP_SECP256R1) return p256_multiply(group, result, scalar, point);
  return __real_mbedtls_ecp_mul_restartable(group, result, scalar, point, random, state, restart);
}

int __wrap_mbedtls_ecp_mul(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                           const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state) {
  return __wrap_mbedtls_ecp_mul_restartable(group, result, scalar, point, random, state, NULL);
}

int __wrap_mbedtls_ecp_muladd_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *m,
                                          const mbedtls_ecp_point *p, const mbedtls_mpi *n, const mbedtls_ecp_point *q,
                                          mbedtls_ecp_restart_ctx *restart) {
  if (group->id == MBEDTLS_ECP_DP_SECP256R1 && p256_can_multiply_add(group, m, p, n))
    return p256_multiply_add(group, result, m, n, q);
  return __real_mbedtls_ecp_muladd_restartable(group, result, m, p, n, q, restart);
}

int __wrap_mbedtls_mpi_gcd_modinv_odd(mbedtls_mpi *gcd, mbedtls_mpi *inverse, const mbedtls_mpi *number,
                                      const mbedtls_mpi *modulus) {
  if (!gcd && inverse && p256_can_invert(number, modulus)) return p256_invert(inverse, number);
  return __real_mbedtls_mpi_gcd_modinv_odd(gcd, inverse, number, modulus);
}
