#include "digest.h"

#include <errno.h>
#include <mbedtls/constant_time.h>
#include <mbedtls/platform_util.h>
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

int digest_hmac(const char *algorithm, const uint8_t *key, size_t key_size, const uint8_t *data, size_t size,
                uint8_t out[DIGEST_MAX]) {
  const mbedtls_md_info_t *info = digest_info(algorithm);
  if (!info) return -ENOTSUP;
  int status = failure(mbedtls_md_hmac(info, key, key_size, data, size, out));
  return status ? status : mbedtls_md_get_size(info);
}

/* The hash of the bytes of `begun` and `size` further bytes. */
static int continued(mbedtls_md_context_t *work, const mbedtls_md_context_t *begun, const uint8_t *data, size_t size,
                     uint8_t *out) {
  int code = mbedtls_md_clone(work, begun);
  if (!code) code = mbedtls_md_update(work, data, size);
  return code ? code : mbedtls_md_finish(work, out);
}

/* A hash over the key of an HMAC, each byte XORed with `pad` (RFC 2104, section 2). */
static int begin_with_key(mbedtls_md_context_t *md, const uint8_t *key, size_t size, uint8_t pad) {
  const mbedtls_md_info_t *info = mbedtls_md_info_from_ctx(md);
  uint8_t block[2 * DIGEST_MAX] = {0};
  const size_t width = mbedtls_md_get_size(info) > 32 ? 128 : 64; /* FIPS 180-4, figure 1 */
  int code = 0;
  if (size > width) code = mbedtls_md(info, key, size, block);
  else if (size) memcpy(block, key, size);
  for (size_t i = 0; i < width; i++) block[i] ^= pad;
  if (!code) code = mbedtls_md_starts(md);
  if (!code) code = mbedtls_md_update(md, block, width);
  mbedtls_platform_zeroize(block, sizeof block);
  return code;
}

/*
 * mbedtls_pkcs5_pbkdf2_hmac_ext() hashes the padded key twice in each iteration, which is half of its work. Here the
 * two hashes that begin with it are copied instead.
 */
int digest_pbkdf2(const char *algorithm, const uint8_t *password, size_t password_size, const uint8_t *salt,
                  size_t salt_size, uint32_t iterations, uint8_t *out, size_t size) {
  const mbedtls_md_info_t *info = digest_info(algorithm);
  if (!info) return -ENOTSUP;
  if (!iterations || size > UINT32_MAX) return -EINVAL;
  enum { INNER, OUTER, SALTED, WORK, COUNT };
  mbedtls_md_context_t md[COUNT];
  uint8_t sum[DIGEST_MAX], next[DIGEST_MAX], length = mbedtls_md_get_size(info);
  int code = 0;
  for (int i = 0; i < COUNT; i++) mbedtls_md_init(&md[i]);
  for (int i = 0; i < COUNT && !code; i++) code = mbedtls_md_setup(&md[i], info, false);
  if (!code) code = begin_with_key(&md[INNER], password, password_size, 0x36);
  if (!code) code = begin_with_key(&md[OUTER], password, password_size, 0x5c);
  if (!code) code = mbedtls_md_clone(&md[SALTED], &md[INNER]);
  if (!code) code = mbedtls_md_update(&md[SALTED], salt, salt_size);
  for (uint32_t block = 1; size && !code; block++) {
    const uint8_t number[] = {(uint8_t)(block >> 24), (uint8_t)(block >> 16), (uint8_t)(block >> 8), (uint8_t)block};
    const size_t part = size < length ? size : length;
    memset(sum, 0, sizeof sum);
    for (uint32_t i = 0; i < iterations && !code; i++) {
      if (i) code = continued(&md[WORK], &md[INNER], next, length, next);
      else code = continued(&md[WORK], &md[SALTED], number, sizeof number, next);
      if (!code) code = continued(&md[WORK], &md[OUTER], next, length, next);
      for (size_t at = 0; at < length; at++) sum[at] ^= next[at];
    }
    memcpy(out, sum, part);
    out += part;
    size -= part;
  }
  for (int i = 0; i < COUNT; i++) mbedtls_md_free(&md[i]);
  mbedtls_platform_zeroize(sum, sizeof sum);
  mbedtls_platform_zeroize(next, sizeof next);
  return failure(code);
}

bool digest_equal(const uint8_t *a, const uint8_t *b, size_t size) {
  return mbedtls_ct_memcmp(a, b, size) == 0;
}
