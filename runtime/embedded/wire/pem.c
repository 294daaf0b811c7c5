#include "pem.h"

#include <errno.h>
#include <mbedtls/psa_util.h>
#include <stdlib.h>
#include <string.h>

/* The parsers want a terminating NUL: a copy, for release(). */
static unsigned char *terminated(const char *text, size_t length) {
  unsigned char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static void release(unsigned char *text, size_t length) {
  explicit_bzero(text, length + 1);
  free(text);
}

int pem_parse_key(mbedtls_pk_context *key, const char *text, size_t length) {
  unsigned char *copy = terminated(text, length);
  if (!copy) return -ENOMEM;
  int failed = mbedtls_pk_parse_key(key, copy, length + 1, NULL, 0, mbedtls_psa_get_random, NULL);
  release(copy, length);
  return failed ? -EINVAL : 0;
}

int pem_parse_chain(mbedtls_x509_crt *chain, const char *text, size_t length) {
  unsigned char *copy = terminated(text, length);
  if (!copy) return -ENOMEM;
  int failed = mbedtls_x509_crt_parse(chain, copy, length + 1);
  release(copy, length);
  return failed < 0 ? -EINVAL : failed;
}
