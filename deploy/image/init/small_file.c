#include "small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_SIZE = 128 };

ssize_t small_file_read(const char *path, char *text, size_t size, struct stat *status) {
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = fstat(file, status) < 0 ? -errno : S_ISREG(status->st_mode) ? 0 : -EINVAL;
  if (length == 0 && (length = read(file, text, size)) < 0) length = -errno;
  close(file);
  return length;
}

int small_file_write(const char *path, const char *text, size_t length, mode_t mode, bool durable) {
  char beside[PATH_SIZE];
  if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside) return -ENAMETOOLONG;
  const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file < 0) return -errno;
  int result = write(file, text, length) == (ssize_t)length ? 0 : -EIO;
  if (result == 0 && durable && fsync(file) < 0) result = -errno;
  close(file);
  if (result == 0 && rename(beside, path) < 0) result = -errno;
  return result;
}
