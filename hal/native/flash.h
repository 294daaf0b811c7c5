/*
 * A NOR flash: a plain file that behaves like one, or an MTD character device of Linux (mtd/mtd-abi.h).
 *
 * Programming only clears bits; erasing whole blocks sets them again. Functions return 0 or a negative errno:
 *   -EINVAL  offset or length is outside of the flash or not aligned, or the file cannot be a flash of that geometry
 *   -EBUSY   another open of the same device holds the lock
 *   -ENODEV  not there, or neither a regular file nor an MTD character device of NOR type
 *   -EROFS   a change to a flash that was opened for reading only
 *   -EIO     the hardware failed, or the file got shorter; the range may be changed in part
 * and any other errno of the system call. The caller owns all memory. A struct flash is used by one thread at a time;
 * every function blocks until the hardware is done (an MTD erase: some 10 ms to 1 s for each block).
 */
#ifndef MINNOW_FLASH_H
#define MINNOW_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define FLASH_DEFAULT_ERASE_SIZE 4096u

enum flash_kind { FLASH_FILE, FLASH_MTD };

/* The system calls that a flash takes, each as in its manual page: -1 and errno on failure. */
struct flash_system {
  int (*open)(const char *path, int flags);
  int (*close)(int fd);
  int (*fstat)(int fd, struct stat *status);
  int (*flock)(int fd, int operation);
  int (*ioctl)(int fd, unsigned long request, void *argument);
  ssize_t (*pread)(int fd, void *buffer, size_t length, off_t offset);
  ssize_t (*pwrite)(int fd, const void *buffer, size_t length, off_t offset);
  int (*fsync)(int fd);
};

extern const struct flash_system flash_linux;

struct flash {
  const struct flash_system *system;
  int fd;
  enum flash_kind kind;
  bool read_only;
  uint32_t size;       /* bytes; a multiple of erase_size */
  uint32_t erase_size; /* bytes in an erase block */
  uint32_t write_size; /* unit of programming: 1 unless the chip reports another */
};

/*
 * Opens and locks `path` until flash_close. `erase_size` is that of a plain file, 0 for the default; an MTD device
 * has its own. On failure nothing is held and *flash is not to be used.
 */
int flash_open(struct flash *flash, const struct flash_system *system, const char *path, uint32_t erase_size,
               bool read_only);

int flash_read(const struct flash *flash, uint32_t offset, void *buffer, uint32_t length);

/* Clears the bits that are 0 in `bytes`. `offset` and `length` are multiples of write_size. */
int flash_program(const struct flash *flash, uint32_t offset, const void *bytes, uint32_t length);

/* Sets all bytes to 0xFF. `offset` and `length` are multiples of erase_size. */
int flash_erase(const struct flash *flash, uint32_t offset, uint32_t length);

/* Returns when all that was programmed and erased is on the medium. */
int flash_sync(const struct flash *flash);

/* Unlocks and closes, also when it fails. Does not sync. */
int flash_close(struct flash *flash);

#endif
