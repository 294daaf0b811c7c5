#include "x25519.h"

#include <mbedtls/error.h>
#include <sodium/core.h>
#include <sodium/crypto_scalarmult_curve25519.h>
#include <string.h>

enum { SIZE = crypto_scalarmult_curve25519_BYTES };

/* The base point has a table; a product of zero is an error, which it is for points of a small order (RFC 7748, 6.1). */
static int product_of(unsigned char product[SIZE], const unsigned char scalar[SIZE], const unsigned char point[SIZE]) {
  static const unsigned char base[SIZE] = {9};
  if (memcmp(point, base, SIZE) == 0) return crypto_scalarmult_curve25519_base(product, scalar);
  return crypto_scalarmult_curve25519(product, scalar, point);
}

int x25519_multiply(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
                    const mbedtls_ecp_point *point) {
  unsigned char k[SIZE], u[SIZE], product[SIZE];
  size_t length;
  if (sodium_init() < 0) return MBEDTLS_ERR_ERROR_GENERIC_ERROR; /* it finds the vector unit; the first time counts */
  int error = mbedtls_ecp_check_privkey(group, scalar);
  if (!error) error = mbedtls_ecp_check_pubkey(group, point);
  if (!error) error = mbedtls_mpi_write_binary_le(scalar, k, SIZE);
  if (!error) error = mbedtls_ecp_point_write_binary(group, point, MBEDTLS_ECP_PF_COMPRESSED, &length, u, SIZE);
  if (!error && product_of(product, k, u)) error = MBEDTLS_ERR_ECP_INVALID_KEY;
  if (!error) error = mbedtls_ecp_point_read_binary(group, result, product, SIZE);
  explicit_bzero(k, SIZE);
  explicit_bzero(product, SIZE);
  return error;
}
