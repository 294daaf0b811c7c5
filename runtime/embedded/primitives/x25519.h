/* X25519 (RFC 7748) by libsodium, in constant time, for the numbers and points of Mbed TLS. On any thread. */
#ifndef MINNOW_CURVES_X25519_H
#define MINNOW_CURVES_X25519_H

#include <mbedtls/ecp.h>

/* result = scalar * point. MBEDTLS_ERR_ECP_INVALID_KEY: one of them is invalid, or the point has a small order. */
int x25519_multiply(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                    const mbedtls_ecp_point *point);

#endif
