#include "key.h"

#include <errno.h>
#include <mbedtls/asn1.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "random.h"

enum { PUBLIC_EXPONENT = 65537 };

static int failure(int code) {
  switch (code) {
    case 0: return 0;
    case MBEDTLS_ERR_PK_ALLOC_FAILED:
    case MBEDTLS_ERR_MPI_ALLOC_FAILED:
    case MBEDTLS_ERR_ECP_ALLOC_FAILED: return -ENOMEM;
    case MBEDTLS_ERR_ENTROPY_SOURCE_FAILED: return -EIO;
    case MBEDTLS_ERR_PK_BUFFER_TOO_SMALL:
    case MBEDTLS_ERR_ASN1_BUF_TOO_SMALL: return -ENOSPC;
    case MBEDTLS_ERR_PK_UNKNOWN_PK_ALG:
    case MBEDTLS_ERR_PK_UNKNOWN_NAMED_CURVE: return -EPROTONOSUPPORT;
    default: return -EINVAL;
  }
}

static mbedtls_ecp_group_id curve_of(const mbedtls_pk_context *key) {
  return mbedtls_ecp_keypair_get_group_id(mbedtls_pk_ec(*key));
}

enum key_kind key_kind_of(const mbedtls_pk_context *key, unsigned *bits) {
  *bits = (unsigned)mbedtls_pk_get_bitlen(key);
  if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA) return KEY_RSA;
  return curve_of(key) == MBEDTLS_ECP_DP_SECP384R1 ? KEY_P384 : KEY_P256;
}

static bool is_known(const mbedtls_pk_context *key) {
  if (mbedtls_pk_get_type(key) == MBEDTLS_PK_RSA) return true;
  if (mbedtls_pk_get_type(key) != MBEDTLS_PK_ECKEY) return false;
  return curve_of(key) == MBEDTLS_ECP_DP_SECP256R1 || curve_of(key) == MBEDTLS_ECP_DP_SECP384R1;
}

static int make(mbedtls_pk_context *key, unsigned bits) {
  mbedtls_pk_type_t type = bits ? MBEDTLS_PK_RSA : MBEDTLS_PK_ECKEY;
  int code = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(type));
  if (code) return code;
  if (bits) return mbedtls_rsa_gen_key(mbedtls_pk_rsa(*key), random_mbedtls, NULL, bits, PUBLIC_EXPONENT);
  return mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), random_mbedtls, NULL);
}

static int write_public(const mbedtls_pk_context *key, uint8_t spki[KEY_SPKI_MAX], size_t *size) {
  int length = mbedtls_pk_write_pubkey_der(key, spki, KEY_SPKI_MAX);
  if (length < 0) return failure(length);
  memmove(spki, spki + KEY_SPKI_MAX - length, (size_t)length);
  *size = (size_t)length;
  return 0;
}

int key_generate(unsigned bits, char pem[KEY_PEM_MAX], uint8_t spki[KEY_SPKI_MAX], size_t *spki_size) {
  mbedtls_pk_context key;
  mbedtls_pk_init(&key);
  int code = make(&key, bits);
  if (!code) code = mbedtls_pk_write_key_pem(&key, (unsigned char *)pem, KEY_PEM_MAX);
  int status = code ? failure(code) : write_public(&key, spki, spki_size);
  mbedtls_pk_free(&key);
  return status;
}

/* For Mbed TLS, the length of PEM includes its terminating NUL, and DER has none. */
int key_parse(mbedtls_pk_context *key, const uint8_t *text, size_t size) {
  mbedtls_pk_init(key);
  uint8_t *copy = malloc(size + 1);
  if (!copy) return -ENOMEM;
  if (size) memcpy(copy, text, size);
  copy[size] = 0;
  bool pem = strstr((const char *)copy, "-----BEGIN ");
  int code = mbedtls_pk_parse_key(key, copy, size + pem, NULL, 0, random_mbedtls, NULL);
  mbedtls_platform_zeroize(copy, size);
  free(copy);
  if (code) return failure(code);
  return is_known(key) ? 0 : -EPROTONOSUPPORT;
}

int key_parse_public(mbedtls_pk_context *key, const uint8_t *spki, size_t size) {
  mbedtls_pk_init(key);
  int code = mbedtls_pk_parse_public_key(key, spki, size);
  if (code) return failure(code);
  return is_known(key) ? 0 : -EPROTONOSUPPORT;
}

int key_sign(mbedtls_pk_context *key, const char *algorithm, const uint8_t *data, size_t size,
             uint8_t signature[KEY_SIGNATURE_MAX], size_t *signature_size) {
  uint8_t hash[DIGEST_MAX];
  int length = digest_once(algorithm, data, size, hash);
  if (length < 0) return length;
  mbedtls_md_type_t type = mbedtls_md_get_type(digest_info(algorithm));
  return failure(mbedtls_pk_sign(key, type, hash, (size_t)length, signature, KEY_SIGNATURE_MAX, signature_size,
                                 random_mbedtls, NULL));
}
