#include "digest.h"

#include <errno.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/pkcs5.h>
#include <string.h>

const mbedtls_md_info_t *digest_info(const char *algorithm) {
  static const struct {
    const char *name;
    mbedtls_md_type_t type;
  } known[] = {{"sha256", MBEDTLS_MD_SHA256},
               {"sha1", MBEDTLS_MD_SHA1},
               {"sha384", MBEDTLS_MD_SHA384},
               {"sha512", MBEDTLS_MD_SHA512}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(algorithm, known[i].name)) return mbedtls_md_info_from_type(known[i].type);
  return NULL;
}

static int failure(int code) {
  if (!code) return 0;
  return code == MBEDTLS_ERR_MD_ALLOC_FAILED ? -ENOMEM : -EINVAL;
}

int digest_once(const char *algorithm, const uint8_t *data, size_t size, uint8_t out[DIGEST_MAX]) {
  const mbedtls_md_info_t *info = digest_info(algorithm);
  if (!info) return -ENOTSUP;
  int status = failure(mbedtls_md(info, data, size, out));
  return status ? status : mbedtls_md_get_size(info);
}

int digest_begin(struct digest *digest, const char *algorithm) {
  const mbedtls_md_info_t *info = digest_info(algorithm);
  mbedtls_md_init(&digest->md);
  if (!info) return -ENOTSUP;
  int code = mbedtls_md_setup(&digest->md, info, false);
  return failure(code ? code : mbedtls_md_starts(&digest->md));
}

int digest_update(struct digest *digest, const uint8_t *data, size_t size) {
  return failure(mbedtls_md_update(&digest->md, data, size));
}

int digest_finish(struct digest *digest, uint8_t out[DIGEST_MAX]) {
  int code = mbedtls_md_finish(&digest->md, out);
  return code ? failure(code) : mbedtls_md_get_size(mbedtls_md_info_from_ctx(&digest->md));
}

void digest_release(struct digest *digest) {
  mbedtls_md_free(&digest->md);
}

int digest_pbkdf2(const char *algorithm, const uint8_t *password, size_t password_size, const uint8_t *salt,
                  size_t salt_size, uint32_t iterations, uint8_t *out, size_t size) {
  const mbedtls_md_info_t *info = digest_info(algorithm);
  if (!info) return -ENOTSUP;
  if (!iterations || size > UINT32_MAX) return -EINVAL;
  return failure(mbedtls_pkcs5_pbkdf2_hmac_ext(mbedtls_md_get_type(info), password, password_size, salt, salt_size,
                                               iterations, (uint32_t)size, out));
}

bool digest_equal(const uint8_t *a, const uint8_t *b, size_t size) {
  return mbedtls_ct_memcmp(a, b, size) == 0;
}
