#include "random.h"

#include <errno.h>
#include <mbedtls/entropy.h>
#include <sys/random.h>

int random_fill(uint8_t *out, size_t size) {
  while (size > 0) {
    ssize_t got = getrandom(out, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    out += got;
    size -= (size_t)got;
  }
  return 0;
}

int random_mbedtls(void *context, unsigned char *out, size_t size) {
  (void)context;
  return random_fill(out, size) ? MBEDTLS_ERR_ENTROPY_SOURCE_FAILED : 0;
}
