#include "certificate.h"

#include <errno.h>
#include <mbedtls/pem.h>
#include <mbedtls/x509_crt.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "random.h"

static int failure(int code) {
  if (!code) return 0;
  return code == MBEDTLS_ERR_X509_ALLOC_FAILED || code == MBEDTLS_ERR_PEM_ALLOC_FAILED ? -ENOMEM : -EINVAL;
}

/* Only trust needs knowledge of critical extensions, not reading; Node.js reads them as well. */
static int any_extension(void *context, const mbedtls_x509_crt *certificate, const mbedtls_x509_buf *oid, int critical,
                         const unsigned char *start, const unsigned char *end) {
  (void)context, (void)certificate, (void)oid, (void)critical, (void)start, (void)end;
  return 0;
}

static int parse_der(mbedtls_x509_crt *certificate, const uint8_t *der, size_t size) {
  return mbedtls_x509_crt_parse_der_with_ext_cb(certificate, der, size, 1, any_extension, NULL);
}

static int parse(mbedtls_x509_crt *certificate, const uint8_t *text, size_t size) {
  mbedtls_pem_context pem;
  size_t used;
  char *copy = malloc(size + 1);
  if (!copy) return -ENOMEM;
  if (size) memcpy(copy, text, size);
  copy[size] = 0;
  mbedtls_pem_init(&pem);
  int code = mbedtls_pem_read_buffer(&pem, "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----",
                                     (const unsigned char *)copy, NULL, 0, &used);
  if (code == MBEDTLS_ERR_PEM_NO_HEADER_FOOTER_PRESENT) {
    code = parse_der(certificate, text, size);
  } else if (!code) {
    size_t length;
    const unsigned char *der = mbedtls_pem_get_buffer(&pem, &length);
    code = parse_der(certificate, der, length);
  }
  mbedtls_pem_free(&pem);
  free(copy);
  return failure(code);
}

int certificate_decode(const uint8_t *text, size_t size, uint8_t *der, size_t *der_size) {
  mbedtls_x509_crt certificate;
  mbedtls_x509_crt_init(&certificate);
  int status = parse(&certificate, text, size);
  if (!status) {
    memcpy(der, certificate.raw.p, certificate.raw.len);
    *der_size = certificate.raw.len;
  }
  mbedtls_x509_crt_free(&certificate);
  return status;
}

int certificate_matches(const uint8_t *der, size_t size, mbedtls_pk_context *key, bool *matches) {
  mbedtls_x509_crt certificate;
  mbedtls_x509_crt_init(&certificate);
  int status = parse(&certificate, der, size);
  if (!status) *matches = mbedtls_pk_check_pair(&certificate.pk, key, random_mbedtls, NULL) == 0;
  mbedtls_x509_crt_free(&certificate);
  return status;
}

int certificate_is_signed_by(const uint8_t *der, size_t size, mbedtls_pk_context *key, bool *is) {
  uint8_t hash[DIGEST_MAX];
  mbedtls_x509_crt certificate;
  mbedtls_x509_crt_init(&certificate);
  int status = parse(&certificate, der, size);
  if (!status) {
    const mbedtls_x509_buf *signature = &certificate.MBEDTLS_PRIVATE(sig);
    mbedtls_md_type_t type = certificate.MBEDTLS_PRIVATE(sig_md);
    const mbedtls_md_info_t *info = mbedtls_md_info_from_type(type);
    *is = info && mbedtls_md(info, certificate.tbs.p, certificate.tbs.len, hash) == 0 &&
          mbedtls_pk_verify_ext(certificate.MBEDTLS_PRIVATE(sig_pk), certificate.MBEDTLS_PRIVATE(sig_opts), key, type,
                                hash, mbedtls_md_get_size(info), signature->p, signature->len) == 0;
  }
  mbedtls_x509_crt_free(&certificate);
  return status;
}
