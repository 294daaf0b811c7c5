#include "small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t small_file_read(const char *path, char *text, size_t size, struct stat *status) {
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = fstat(file, status) < 0 ? -errno : S_ISREG(status->st_mode) ? 0 : -EINVAL;
  if (length == 0 && (length = read(file, text, size)) < 0) length = -errno;
  close(file);
  return length;
}
