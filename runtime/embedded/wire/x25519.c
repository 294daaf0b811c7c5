/*
 * X25519 (RFC 7748) of libsodium in the place of Mbed TLS's.
 *
 * Mbed TLS computes Curve25519 with its general big numbers, at some 7 million instructions a multiplication; libsodium
 * needs 0.6 million, also in constant time. Two of them are most of a TLS 1.3 handshake, and nearly all of a resumed
 * one. Debian's Mbed TLS has no hook for that, so the program is linked with --wrap for the two public functions of
 * <mbedtls/ecp.h> that multiply a point: they come here, and go on to Mbed TLS for every other curve.
 */
#include <mbedtls/ecp.h>
#include <sodium/crypto_scalarmult_curve25519.h>
#include <string.h>

enum { SIZE = crypto_scalarmult_curve25519_BYTES };

int __real_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart);
int __wrap_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart);
int __wrap_mbedtls_ecp_mul(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                           const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state);

static int multiply(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                    const mbedtls_ecp_point *point) {
  unsigned char k[SIZE], u[SIZE], product[SIZE];
  size_t length;
  int error = mbedtls_ecp_check_privkey(group, scalar);
  if (!error) error = mbedtls_ecp_check_pubkey(group, point);
  if (!error) error = mbedtls_mpi_write_binary_le(scalar, k, SIZE);
  if (!error) error = mbedtls_ecp_point_write_binary(group, point, MBEDTLS_ECP_PF_COMPRESSED, &length, u, SIZE);
  if (!error && crypto_scalarmult_curve25519(product, k, u)) error = MBEDTLS_ERR_ECP_INVALID_KEY;
  if (!error) error = mbedtls_ecp_point_read_binary(group, result, product, SIZE);
  explicit_bzero(k, SIZE);
  explicit_bzero(product, SIZE);
  return error;
}

int __wrap_mbedtls_ecp_mul_restartable(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                                       const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state,
                                       mbedtls_ecp_restart_ctx *restart) {
  if (group->id == MBEDTLS_ECP_DP_CURVE25519) return multiply(group, result, scalar, point);
  return __real_mbedtls_ecp_mul_restartable(group, result, scalar, point, random, state, restart);
}

int __wrap_mbedtls_ecp_mul(mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                           const mbedtls_ecp_point *point, mbedtls_f_rng_t *random, void *state) {
  return __wrap_mbedtls_ecp_mul_restartable(group, result, scalar, point, random, state, NULL);
}
