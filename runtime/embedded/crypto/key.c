#include "key.h"

#include "digest.h"
#include "random.h"

#include <errno.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/platform_util.h>
#include <stdlib.h>
#include <string.h>

static int failure(int code) {
  switch (code) {
  case 0: return 0;
  case MBEDTLS_ERR_PK_ALLOC_FAILED:
  case MBEDTLS_ERR_MPI_ALLOC_FAILED:
  case MBEDTLS_ERR_ECP_ALLOC_FAILED: return -ENOMEM;
  case MBEDTLS_ERR_ENTROPY_SOURCE_FAILED: return -EIO;
  case MBEDTLS_ERR_PK_BUFFER_TOO_SMALL: return -ENOSPC;
  default: return -EINVAL;
  }
}

int key_generate(char pem[KEY_PEM_MAX], uint8_t spki[KEY_SPKI_MAX], size_t *spki_size) {
  mbedtls_pk_context key;
  mbedtls_pk_init(&key);
  int code = mbedtls_pk_setup(&key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
  if (!code) code = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(key), random_mbedtls, NULL);
  if (!code) code = mbedtls_pk_write_key_pem(&key, (unsigned char *)pem, KEY_PEM_MAX);
  if (!code) {
    int size = mbedtls_pk_write_pubkey_der(&key, spki, KEY_SPKI_MAX);
    if (size < 0) {
      code = size;
    } else {
      memmove(spki, spki + KEY_SPKI_MAX - size, (size_t)size); /* Mbed TLS writes DER at the end of the buffer */
      *spki_size = (size_t)size;
    }
  }
  mbedtls_pk_free(&key);
  return failure(code);
}

int key_parse(mbedtls_pk_context *key, const uint8_t *text, size_t size) {
  mbedtls_pk_init(key);
  uint8_t *copy = malloc(size + 1); /* Mbed TLS wants PEM with its terminating NUL counted */
  if (!copy) return -ENOMEM;
  if (size) memcpy(copy, text, size);
  copy[size] = 0;
  bool pem = strstr((const char *)copy, "-----BEGIN ") != NULL;
  int code = mbedtls_pk_parse_key(key, copy, size + pem, NULL, 0, random_mbedtls, NULL);
  mbedtls_platform_zeroize(copy, size);
  free(copy);
  return failure(code);
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
