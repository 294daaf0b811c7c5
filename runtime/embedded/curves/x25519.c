#include "x25519.h"

#include <sodium/crypto_scalarmult_curve25519.h>
#include <string.h>

enum { SIZE = crypto_scalarmult_curve25519_BYTES };

int x25519_multiply(const mbedtls_ecp_group *group, mbedtls_ecp_point *result, const mbedtls_mpi *scalar,
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
