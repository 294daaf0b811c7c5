/*
 * The rest of OpenSSL for those members of its libcrypto.a that are linked (runtime/build/openssl.mjs): memory, and
 * errors, of which only that there was one is kept, because functions say it by what they return.
 */
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>

void *CRYPTO_malloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  return malloc(size);
}

void *CRYPTO_zalloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  return calloc(1, size);
}

void CRYPTO_free(void *memory, const char *file, int line) {
  (void)file, (void)line;
  free(memory);
}

void CRYPTO_clear_free(void *memory, size_t size, const char *file, int line) {
  if (memory) OPENSSL_cleanse(memory, size);
  CRYPTO_free(memory, file, line);
}

void ERR_new(void) {
}

void ERR_set_debug(const char *file, int line, const char *function) {
  (void)file, (void)line, (void)function;
}

void ERR_set_error(int library, int reason, const char *format, ...) {
  (void)library, (void)reason, (void)format;
}
