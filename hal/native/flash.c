#include "flash.h"

#include <errno.h>
#include <fcntl.h>
#include <mtd/mtd-user.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MTD_CHAR_MAJOR 90 /* admin-guide/devices.txt of the kernel */

_Static_assert(sizeof(off_t) == 8, "compile with _FILE_OFFSET_BITS=64");

static int system_open(const char *path, int flags) {
  return open(path, flags);
}

static int system_ioctl(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}

const struct flash_system flash_linux = {
    .open = system_open,
    .close = close,
    .fstat = fstat,
    .flock = flock,
    .ioctl = system_ioctl,
    .pread = pread,
    .pwrite = pwrite,
    .fsync = fsync,
};

static int file_geometry(struct flash *flash, off_t size, uint32_t erase_size) {
  if (size <= 0 || size > UINT32_MAX || erase_size == 0 || size % erase_size != 0) return -EINVAL;
  flash->kind = FLASH_FILE;
  flash->size = (uint32_t)size;
  flash->erase_size = erase_size;
  flash->write_size = 1;
  return 0;
}

static int mtd_geometry(struct flash *flash) {
  struct mtd_info_user info = {0};
  if (flash->system->ioctl(flash->fd, MEMGETINFO, &info) < 0) return -errno;
  /* NAND has bad blocks and cannot program single bits: what lives on a NOR flash does not work there. */
  if (info.type != MTD_NORFLASH) return -ENODEV;
  if (info.size == 0 || info.erasesize == 0 || info.size % info.erasesize != 0) return -ENODEV;
  if (info.writesize == 0 || info.erasesize % info.writesize != 0) return -ENODEV;
  flash->kind = FLASH_MTD;
  flash->size = info.size;
  flash->erase_size = info.erasesize;
  flash->write_size = info.writesize;
  return 0;
}

/* Many chips start with protected blocks. Those without protection return EOPNOTSUPP. */
static int mtd_unlock(const struct flash *flash) {
  struct erase_info_user all = {.start = 0, .length = flash->size};
  if (flash->system->ioctl(flash->fd, MEMUNLOCK, &all) < 0 && errno != EOPNOTSUPP) return -errno;
  return 0;
}

int flash_open(struct flash *flash, const struct flash_system *system, const char *path, uint32_t erase_size,
               bool read_only) {
  struct stat status;
  int result;
  memset(flash, 0, sizeof *flash);
  flash->system = system;
  flash->read_only = read_only;
  /* O_NONBLOCK: a path that leads to a FIFO or a terminal by mistake is refused below instead of waited for. */
  flash->fd = system->open(path, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (flash->fd < 0) return -errno;
  if (system->flock(flash->fd, LOCK_EX | LOCK_NB) < 0) {
    result = errno == EWOULDBLOCK ? -EBUSY : -errno;
  } else if (system->fstat(flash->fd, &status) < 0) {
    result = -errno;
  } else if (S_ISREG(status.st_mode)) {
    result = file_geometry(flash, status.st_size, erase_size == 0 ? FLASH_DEFAULT_ERASE_SIZE : erase_size);
  } else if (S_ISCHR(status.st_mode) && major(status.st_rdev) == MTD_CHAR_MAJOR) {
    result = mtd_geometry(flash);
    if (result == 0 && !read_only) result = mtd_unlock(flash);
  } else {
    result = -ENODEV;
  }
  if (result < 0) flash_close(flash);
  return result;
}

static int check(const struct flash *flash, uint32_t offset, uint32_t length, uint32_t unit) {
  if (offset > flash->size || length > flash->size - offset) return -EINVAL;
  return offset % unit == 0 && length % unit == 0 ? 0 : -EINVAL;
}

static int read_all(const struct flash *flash, uint32_t offset, unsigned char *buffer, uint32_t length) {
  while (length > 0) {
    ssize_t count = flash->system->pread(flash->fd, buffer, length, (off_t)offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    if (count == 0) return -EIO;
    buffer += count;
    offset += (uint32_t)count;
    length -= (uint32_t)count;
  }
  return 0;
}

static int write_all(const struct flash *flash, uint32_t offset, const unsigned char *bytes, uint32_t length) {
  while (length > 0) {
    ssize_t count = flash->system->pwrite(flash->fd, bytes, length, (off_t)offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    if (count == 0) return -EIO;
    bytes += count;
    offset += (uint32_t)count;
    length -= (uint32_t)count;
  }
  return 0;
}

int flash_read(const struct flash *flash, uint32_t offset, void *buffer, uint32_t length) {
  int result = check(flash, offset, length, 1);
  return result < 0 ? result : read_all(flash, offset, buffer, length);
}

static int file_program(const struct flash *flash, uint32_t offset, const unsigned char *bytes, uint32_t length) {
  unsigned char cells[4096];
  while (length > 0) {
    uint32_t part = length < sizeof cells ? length : (uint32_t)sizeof cells;
    int result = read_all(flash, offset, cells, part);
    if (result < 0) return result;
    for (uint32_t i = 0; i < part; i++) cells[i] &= bytes[i];
    result = write_all(flash, offset, cells, part);
    if (result < 0) return result;
    offset += part;
    bytes += part;
    length -= part;
  }
  return 0;
}

int flash_program(const struct flash *flash, uint32_t offset, const void *bytes, uint32_t length) {
  int result = check(flash, offset, length, flash->write_size);
  if (result < 0) return result;
  if (flash->read_only) return -EROFS;
  return flash->kind == FLASH_MTD ? write_all(flash, offset, bytes, length)
                                  : file_program(flash, offset, bytes, length);
}

static int file_erase(const struct flash *flash, uint32_t offset, uint32_t length) {
  unsigned char erased[4096];
  memset(erased, 0xFF, sizeof erased);
  while (length > 0) {
    uint32_t part = length < sizeof erased ? length : (uint32_t)sizeof erased;
    int result = write_all(flash, offset, erased, part);
    if (result < 0) return result;
    offset += part;
    length -= part;
  }
  return 0;
}

static int mtd_erase(const struct flash *flash, uint32_t offset, uint32_t length) {
  struct erase_info_user range = {.start = offset, .length = length};
  return flash->system->ioctl(flash->fd, MEMERASE, &range) < 0 ? -errno : 0;
}

int flash_erase(const struct flash *flash, uint32_t offset, uint32_t length) {
  int result = check(flash, offset, length, flash->erase_size);
  if (result < 0) return result;
  if (flash->read_only) return -EROFS;
  if (length == 0) return 0;
  return flash->kind == FLASH_MTD ? mtd_erase(flash, offset, length) : file_erase(flash, offset, length);
}

int flash_sync(const struct flash *flash) {
  /* Writes to an MTD character device are done when they return; it has no fsync (EINVAL). */
  if (flash->kind == FLASH_MTD) return 0;
  return flash->system->fsync(flash->fd) < 0 ? -errno : 0;
}

int flash_close(struct flash *flash) {
  int result = flash->system->close(flash->fd) < 0 ? -errno : 0;
  flash->fd = -1;
  return result;
}
