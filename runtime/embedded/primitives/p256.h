/*
 * P-256 (FIPS 186-5; SP 800-186, 3.2.1.3) by OpenSSL, in constant time, for the numbers and points of Mbed TLS.
 *
 * Functions give 0 or Mbed TLS's error, as its own do. They may be called on any thread.
 */
#ifndef MINNOW_CURVES_P256_H
#define MINNOW_CURVES_P256_H

#include <mbedtls/ecp.h>
#include <stdbool.h>

/* result = scalar * point. MBEDTLS_ERR_ECP_INVALID_KEY: the scalar is not in [1, n - 1], or there is no such point. */
int p256_multiply(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                  const mbedtls_ecp_point *point);

/* Whether p256_multiply_add takes these: both scalars in [0, n - 1], for the base point and another one. */
bool p256_can_multiply_add(const mbedtls_ecp_group *group, const mbedtls_mpi *base_scalar,
                           const mbedtls_ecp_point *base, const mbedtls_mpi *scalar);

/*
 * result = base_scalar * G + scalar * point, which may be the point at infinity. For public numbers only.
 * MBEDTLS_ERR_ECP_INVALID_KEY: there is no such point.
 */
int p256_multiply_add(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *base_scalar,
                      const mbedtls_mpi *scalar, const mbedtls_ecp_point *point);

/* Whether p256_invert takes this number for this modulus: the modulus is n, and the number is in [1, n - 1]. */
bool p256_can_invert(const mbedtls_mpi *number, const mbedtls_mpi *modulus);

/* inverse = number^-1 modulo n. */
int p256_invert(mbedtls_mpi *inverse, const mbedtls_mpi *number);

#endif
