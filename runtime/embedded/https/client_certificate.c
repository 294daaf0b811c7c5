/*
 * In the place of Mbed TLS's verification of chains, for the certificates of clients.
 *
 * Mbed TLS verifies the chain that a client sends even without a trusted authority, when the result does not count:
 * hundreds of signatures, with keys of the client's choice, for a stranger. Nor does it keep a client from a key whose
 * single signature takes minutes on a small processor. The program is linked with --wrap for the one function that
 * verifies, which this file replaces for our profile, and passes to Mbed TLS for every other.
 */
#include "client_certificate.h"

#include <mbedtls/ecp.h>
#include <mbedtls/rsa.h>
#include <stdbool.h>
#include <stdlib.h>

enum { RSA_BITS_MAX = 4096, EXPONENT_BITS_MAX = 64 };

typedef int verify_callback(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags);

int __real_mbedtls_x509_crt_verify_restartable(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                                               mbedtls_x509_crl *revoked, const mbedtls_x509_crt_profile *profile,
                                               const char *name, uint32_t *flags, verify_callback *callback,
                                               void *context, mbedtls_x509_crt_restart_ctx *restart);
int __wrap_mbedtls_x509_crt_verify_restartable(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                                               mbedtls_x509_crl *revoked, const mbedtls_x509_crt_profile *profile,
                                               const char *name, uint32_t *flags, verify_callback *callback,
                                               void *context, mbedtls_x509_crt_restart_ctx *restart);

/* Identifies the profile by its address; its content does not matter. */
const mbedtls_x509_crt_profile client_certificate_profile = {0};

static bool is_bounded_rsa(const mbedtls_rsa_context *rsa) {
  mbedtls_mpi exponent;
  mbedtls_mpi_init(&exponent);
  bool is = mbedtls_rsa_get_bitlen(rsa) <= RSA_BITS_MAX &&
            mbedtls_rsa_export(rsa, NULL, NULL, NULL, NULL, &exponent) == 0 &&
            mbedtls_mpi_bitlen(&exponent) <= EXPONENT_BITS_MAX;
  mbedtls_mpi_free(&exponent);
  return is;
}

/* Bounds make the one signature that is checked cheap: larger keys and longer exponents are not in use. */
static bool is_bounded(const mbedtls_x509_crt *certificate) {
  const mbedtls_pk_context *key = &certificate->pk;
  if (certificate->raw.len > CLIENT_CERTIFICATE_MAX) return false;
  if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA) return is_bounded_rsa(mbedtls_pk_rsa(*key));
  if (mbedtls_pk_get_type(key) != MBEDTLS_PK_ECKEY) return false;
  mbedtls_ecp_group_id curve = mbedtls_ecp_keypair_get_group_id(mbedtls_pk_ec(*key));
  return curve == MBEDTLS_ECP_DP_SECP256R1 || curve == MBEDTLS_ECP_DP_SECP384R1;
}

/* Of a chain only the client's own certificate is kept. */
static void drop_issuers(mbedtls_x509_crt *certificate) {
  if (!certificate->next) return;
  mbedtls_x509_crt_free(certificate->next);
  free(certificate->next);
  certificate->next = NULL;
}

int __wrap_mbedtls_x509_crt_verify_restartable(mbedtls_x509_crt *chain, mbedtls_x509_crt *trusted,
                                               mbedtls_x509_crl *revoked, const mbedtls_x509_crt_profile *profile,
                                               const char *name, uint32_t *flags, verify_callback *callback,
                                               void *context, mbedtls_x509_crt_restart_ctx *restart) {
  if (profile != &client_certificate_profile) {
    return __real_mbedtls_x509_crt_verify_restartable(chain, trusted, revoked, profile, name, flags, callback, context,
                                                      restart);
  }
  drop_issuers(chain);
  *flags = is_bounded(chain) ? 0 : MBEDTLS_X509_BADCERT_BAD_KEY;
  return *flags ? MBEDTLS_ERR_X509_FATAL_ERROR : 0;
}
