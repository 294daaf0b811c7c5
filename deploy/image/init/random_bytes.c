#include "random_bytes.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's function may take memory first, for which the network process has no system call. */
bool random_bytes_get(void *bytes, size_t size) {
  return syscall(SYS_getrandom, bytes, size, GRND_NONBLOCK) == (long)size;
}
