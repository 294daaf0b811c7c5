#include "seed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "sha256.h"
#include "small_file.h"

/* The bits of a digest in hex digits. */
enum { SEED_SIZE = 2 * SHA256_SIZE, SEED_BITS = 8 * SHA256_SIZE };

static int credit(const char *seed) {
  struct {
    int bits, size;
    char bytes[SEED_SIZE];
  } entropy = {.bits = SEED_BITS, .size = SEED_SIZE};
  memcpy(entropy.bytes, seed, SEED_SIZE);
  const int kernel = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
  if (kernel < 0) return -errno;
  const int result = ioctl(kernel, RNDADDENTROPY, &entropy) < 0 ? -errno : 0;
  close(kernel);
  return result;
}

/* The digest of a seed, which may be all zeros, and of random bytes. */
static void mix(const char seed[SEED_SIZE], const uint8_t random[SHA256_SIZE], char next[SEED_SIZE + 1]) {
  struct sha256 sum;
  sha256_init(&sum);
  sha256_add(&sum, seed, SEED_SIZE);
  sha256_add(&sum, random, SHA256_SIZE);
  sha256_end(&sum, next);
}

__attribute__((noinline)) static int use(const char *path) {
  char seed[SEED_SIZE], next[SEED_SIZE + 1];
  uint8_t random[SHA256_SIZE];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? 0 : -errno;
  const bool whole = read(file, seed, sizeof seed) == sizeof seed;
  close(file);
  if (!whole) return 0;
  /* However little the kernel has collected: with the seed it is as good as that. */
  if (getrandom(random, sizeof random, GRND_INSECURE) != sizeof random) return -EIO;
  mix(seed, random, next);
  const int result = small_file_write(path, next, SEED_SIZE, 0600, true);
  return result < 0 ? result : credit(seed);
}

__attribute__((noinline)) static int keep(const char *path) {
  static const char nothing[SEED_SIZE];
  char next[SEED_SIZE + 1];
  uint8_t random[SHA256_SIZE];
  if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random) return -EAGAIN;
  mix(nothing, random, next);
  return small_file_write(path, next, SEED_SIZE, 0600, true);
}

/* Other processes begin as copies of this one: they are not to find the next seed where functions have left it. */
__attribute__((noinline)) static void forget(void) {
  char stack[4096];
  explicit_bzero(stack, sizeof stack);
}

int seed_use(const char *path) {
  const int result = use(path);
  forget();
  return result;
}

int seed_keep(const char *path) {
  const int result = keep(path);
  forget();
  return result;
}
