/*
 * Tests of hal/native/flash.c on a chip of our own behind its system calls: what an MTD character device of Linux does
 * (drivers/mtd/mtdchar.c), with what it may do to a caller: short counts, interruptions, protection, failures.
 * Prints one line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <errno.h>
#include <fcntl.h>
#include <mtd/mtd-user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "flash.h"

enum { SIZE = 16 * 4096, ERASE = 4096, FD = 42 };

/* The one device of a test: a chip of SIZE bytes. */
static struct {
  unsigned char cells[SIZE];
  struct mtd_info_user info;
  mode_t mode;
  dev_t rdev;
  bool open, locked, protection, protected;
  int flags;              /* of the last open */
  size_t most;            /* bytes that one pread or pwrite does */
  unsigned interruptions; /* so many preads, pwrites to come say EINTR */
  int open_error, stat_error, info_error, unlock_error, erase_error, write_error, sync_error, close_error;
  bool truncated; /* pread is at the end of the file */
} chip;

static int said(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

static int chip_open(const char *path, int flags) {
  (void)path;
  if (chip.open_error != 0) return said(chip.open_error);
  chip.open = true;
  chip.flags = flags;
  return FD;
}

static int chip_close(int fd) {
  if (fd != FD || !chip.open) return said(EBADF);
  chip.open = false;
  return said(chip.close_error);
}

static int chip_fstat(int fd, struct stat *status) {
  if (fd != FD) return said(EBADF);
  memset(status, 0, sizeof *status);
  status->st_mode = chip.mode;
  status->st_rdev = chip.rdev;
  status->st_size = S_ISREG(chip.mode) ? SIZE : 0;
  return said(chip.stat_error);
}

static int chip_flock(int fd, int operation) {
  if (fd != FD || operation != (LOCK_EX | LOCK_NB)) return said(EINVAL);
  return said(chip.locked ? EWOULDBLOCK : 0);
}

static int chip_erase(const struct erase_info_user *range) {
  if (chip.erase_error != 0) return said(chip.erase_error);
  if (chip.protected || (chip.flags & O_ACCMODE) == O_RDONLY) return said(EPERM);
  if (range->length == 0 || range->start > SIZE || range->length > SIZE - range->start) return said(EINVAL);
  if (range->start % ERASE != 0 || range->length % ERASE != 0) return said(EINVAL);
  memset(chip.cells + range->start, 0xFF, range->length);
  return 0;
}

static int chip_ioctl(int fd, unsigned long request, void *argument) {
  if (fd != FD || !S_ISCHR(chip.mode)) return said(ENOTTY);
  switch (request) {
    case MEMGETINFO: memcpy(argument, &chip.info, sizeof chip.info); return said(chip.info_error);
    case MEMUNLOCK: {
      const struct erase_info_user *range = argument;
      if (chip.unlock_error != 0) return said(chip.unlock_error);
      if (!chip.protection) return said(EOPNOTSUPP);
      if (range->start != 0 || range->length != SIZE) return said(EINVAL);
      chip.protected = false;
      return 0;
    }
    case MEMERASE: return chip_erase(argument);
    default: return said(ENOTTY);
  }
}

static bool interrupted(void) {
  if (chip.interruptions == 0) return false;
  chip.interruptions--;
  return true;
}

static size_t count_of(size_t length, off_t offset) {
  size_t rest = offset < SIZE ? (size_t)(SIZE - offset) : 0;
  if (length > rest) length = rest;
  return length > chip.most ? chip.most : length;
}

static ssize_t chip_pread(int fd, void *buffer, size_t length, off_t offset) {
  if (fd != FD) return said(EBADF);
  if (interrupted()) return said(EINTR);
  if (chip.truncated) return 0;
  size_t count = count_of(length, offset);
  memcpy(buffer, chip.cells + offset, count);
  return (ssize_t)count;
}

static ssize_t chip_pwrite(int fd, const void *buffer, size_t length, off_t offset) {
  const unsigned char *bytes = buffer;
  if (fd != FD) return said(EBADF);
  if (chip.write_error != 0) return said(chip.write_error);
  if (chip.protected || (chip.flags & O_ACCMODE) == O_RDONLY) return said(EPERM);
  if (interrupted()) return said(EINTR);
  size_t count = count_of(length, offset);
  for (size_t i = 0; i < count; i++) {
    unsigned char *cell = &chip.cells[(size_t)offset + i];
    *cell = S_ISCHR(chip.mode) ? *cell & bytes[i] : bytes[i];
  }
  return (ssize_t)count;
}

static int chip_fsync(int fd) {
  if (fd != FD || S_ISCHR(chip.mode)) return said(EINVAL);
  return said(chip.sync_error);
}

static const struct flash_system system_of_test = {
    .open = chip_open,
    .close = chip_close,
    .fstat = chip_fstat,
    .flock = chip_flock,
    .ioctl = chip_ioctl,
    .pread = chip_pread,
    .pwrite = chip_pwrite,
    .fsync = chip_fsync,
};

static void new_mtd(void) {
  memset(&chip, 0, sizeof chip);
  memset(chip.cells, 0xFF, SIZE);
  chip.mode = S_IFCHR | 0600;
  chip.rdev = makedev(90, 0);
  chip.info.type = MTD_NORFLASH;
  chip.info.flags = MTD_CAP_NORFLASH;
  chip.info.size = SIZE;
  chip.info.erasesize = ERASE;
  chip.info.writesize = 1;
  chip.most = SIZE;
}

static void new_file(void) {
  new_mtd();
  chip.mode = S_IFREG | 0600;
  chip.rdev = 0;
}

static int open_chip(struct flash *flash, bool read_only) {
  return flash_open(flash, &system_of_test, "chip", 0, read_only);
}

static bool failed;

static void expect(bool condition, const char *text, int line) {
  if (condition) return;
  fprintf(stderr, "flash_test.c:%d: %s\n", line, text);
  failed = true;
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

/* All bytes of a range are `byte`, as the flash reads them. */
static bool all(const struct flash *flash, uint32_t offset, uint32_t length, unsigned char byte) {
  unsigned char *bytes = malloc(length);
  bool same = bytes && flash_read(flash, offset, bytes, length) == 0;
  for (uint32_t i = 0; same && i < length; i++) same = bytes[i] == byte;
  free(bytes);
  return same;
}

static void mtd_geometry(void) {
  struct flash flash;
  new_mtd();
  chip.info.writesize = 16;
  EXPECT(open_chip(&flash, false) == 0);
  EXPECT(flash.kind == FLASH_MTD && flash.size == SIZE && flash.erase_size == ERASE && flash.write_size == 16);
  EXPECT((chip.flags & O_CLOEXEC) != 0 && (chip.flags & O_ACCMODE) == O_RDWR);
  unsigned char zeros[32] = {0};
  EXPECT(flash_program(&flash, 8, zeros, 16) == -EINVAL);
  EXPECT(flash_program(&flash, 16, zeros, 8) == -EINVAL);
  EXPECT(all(&flash, 0, SIZE, 0xFF));
  EXPECT(flash_program(&flash, 16, zeros, 32) == 0);
  EXPECT(all(&flash, 16, 32, 0) && all(&flash, 48, 16, 0xFF));
  EXPECT(flash_close(&flash) == 0 && !chip.open);
}

static void own_erase_size(void) {
  struct flash flash;
  new_mtd();
  EXPECT(flash_open(&flash, &system_of_test, "chip", 512, false) == 0);
  EXPECT(flash.erase_size == ERASE);
  EXPECT(flash_erase(&flash, 512, 512) == -EINVAL);
  EXPECT(flash_close(&flash) == 0);
}

static void refuse(int expected) {
  struct flash flash;
  EXPECT(open_chip(&flash, false) == expected);
  EXPECT(!chip.open);
}

static void not_a_flash(void) {
  new_mtd(), chip.info.type = MTD_NANDFLASH, refuse(-ENODEV);
  new_mtd(), chip.info.type = MTD_RAM, refuse(-ENODEV);
  new_mtd(), chip.info.size = 0, refuse(-ENODEV);
  new_mtd(), chip.info.erasesize = 0, refuse(-ENODEV);
  new_mtd(), chip.info.size = SIZE - 1, refuse(-ENODEV);
  new_mtd(), chip.info.writesize = 0, refuse(-ENODEV);
  new_mtd(), chip.info.writesize = 3, refuse(-ENODEV);
  new_mtd(), chip.rdev = makedev(1, 3), refuse(-ENODEV);
  new_mtd(), chip.mode = S_IFBLK | 0600, chip.rdev = makedev(31, 0), refuse(-ENODEV);
  new_mtd(), chip.mode = S_IFDIR | 0700, refuse(-ENODEV);
}

static void failing_open(void) {
  new_mtd(), chip.open_error = EACCES, refuse(-EACCES);
  new_mtd(), chip.stat_error = EIO, refuse(-EIO);
  new_mtd(), chip.locked = true, refuse(-EBUSY);
  new_mtd(), chip.info_error = EIO, refuse(-EIO);
  new_mtd(), chip.unlock_error = EIO, refuse(-EIO);
}

static void protection(void) {
  struct flash flash;
  unsigned char zero = 0;
  new_mtd();
  chip.protection = chip.protected = true;
  EXPECT(open_chip(&flash, true) == 0);
  EXPECT(chip.protected && (chip.flags & O_ACCMODE) == O_RDONLY);
  EXPECT(flash_program(&flash, 0, &zero, 1) == -EROFS && flash_erase(&flash, 0, ERASE) == -EROFS);
  EXPECT(flash_close(&flash) == 0);
  EXPECT(open_chip(&flash, false) == 0);
  EXPECT(flash_program(&flash, 0, &zero, 1) == 0 && flash_erase(&flash, 0, ERASE) == 0);
  EXPECT(flash_close(&flash) == 0);
}

static void bounds(void) {
  struct flash flash;
  unsigned char *bytes = calloc(1, SIZE);
  new_mtd();
  EXPECT(bytes && open_chip(&flash, false) == 0);
  const struct {
    uint32_t offset, length;
  } outside[] = {{SIZE, 1}, {SIZE - 1, 2}, {SIZE + 1, 0}, {UINT32_MAX, 1}, {1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    EXPECT(flash_read(&flash, outside[i].offset, bytes, outside[i].length) == -EINVAL);
    EXPECT(flash_program(&flash, outside[i].offset, bytes, outside[i].length) == -EINVAL);
  }
  EXPECT(flash_erase(&flash, 1, ERASE) == -EINVAL && flash_erase(&flash, 0, ERASE - 1) == -EINVAL);
  EXPECT(flash_erase(&flash, SIZE, ERASE) == -EINVAL && flash_erase(&flash, 0, SIZE + ERASE) == -EINVAL);
  EXPECT(flash_erase(&flash, 0x80000000u, 0x80000000u) == -EINVAL);
  EXPECT(flash_read(&flash, SIZE, bytes, 0) == 0 && flash_program(&flash, SIZE, bytes, 0) == 0);
  EXPECT(flash_erase(&flash, SIZE, 0) == 0);
  EXPECT(all(&flash, 0, SIZE, 0xFF));
  EXPECT(flash_close(&flash) == 0);
  free(bytes);
}

static void short_counts(void (*new_chip)(void)) {
  struct flash flash;
  unsigned char *zeros = calloc(1, 10000);
  new_chip();
  EXPECT(zeros && open_chip(&flash, false) == 0);
  chip.most = 7;
  chip.interruptions = 5;
  EXPECT(flash_program(&flash, 3, zeros, 10000) == 0);
  chip.interruptions = 5;
  EXPECT(all(&flash, 0, 3, 0xFF) && all(&flash, 3, 10000, 0) && all(&flash, 10003, SIZE - 10003, 0xFF));
  chip.interruptions = 5;
  EXPECT(flash_erase(&flash, 0, 3 * ERASE) == 0 && all(&flash, 0, SIZE, 0xFF));
  EXPECT(flash_close(&flash) == 0);
  free(zeros);
}

static void short_counts_mtd(void) {
  short_counts(new_mtd);
}

static void short_counts_file(void) {
  short_counts(new_file);
}

static void failures(void) {
  struct flash flash;
  unsigned char byte = 0;
  new_mtd();
  EXPECT(open_chip(&flash, false) == 0);
  chip.erase_error = EIO;
  EXPECT(flash_erase(&flash, 0, ERASE) == -EIO);
  chip.write_error = EIO;
  EXPECT(flash_program(&flash, 0, &byte, 1) == -EIO);
  chip.truncated = true;
  EXPECT(flash_read(&flash, 0, &byte, 1) == -EIO);
  chip.most = 0;
  chip.write_error = 0;
  EXPECT(flash_program(&flash, 0, &byte, 1) == -EIO);
  EXPECT(flash_sync(&flash) == 0);
  chip.close_error = EIO;
  EXPECT(flash_close(&flash) == -EIO && !chip.open);

  new_file();
  EXPECT(open_chip(&flash, false) == 0);
  chip.write_error = ENOSPC;
  EXPECT(flash_program(&flash, 0, &byte, 1) == -ENOSPC && flash_erase(&flash, 0, ERASE) == -ENOSPC);
  chip.sync_error = EIO;
  EXPECT(flash_sync(&flash) == -EIO);
  EXPECT(flash_close(&flash) == 0);
}

static uint32_t random_state;

static uint32_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

static void like_an_array(void (*new_chip)(void), uint32_t seed) {
  static unsigned char model[SIZE];
  struct flash flash;
  memset(model, 0xFF, SIZE);
  random_state = seed;
  new_chip();
  EXPECT(open_chip(&flash, false) == 0);
  for (int step = 0; step < 1000 && !failed; step++) {
    uint32_t offset = next_random() % SIZE;
    uint32_t length = next_random() % (SIZE - offset + 1);
    uint32_t action = next_random() % 8;
    chip.most = 1 + next_random() % SIZE;
    chip.interruptions = next_random() % 3;
    if (action == 0) {
      offset -= offset % ERASE;
      length -= length % ERASE;
      EXPECT(flash_erase(&flash, offset, length) == 0);
      memset(model + offset, 0xFF, length);
      continue;
    }
    length %= 2 * ERASE;
    unsigned char *bytes = malloc(length + (length == 0));
    if (!bytes) abort();
    if (action < 5) {
      for (uint32_t i = 0; i < length; i++) bytes[i] = (unsigned char)(next_random() | next_random());
      EXPECT(flash_program(&flash, offset, bytes, length) == 0);
      for (uint32_t i = 0; i < length; i++) model[offset + i] &= bytes[i];
    } else {
      EXPECT(flash_read(&flash, offset, bytes, length) == 0);
      EXPECT(memcmp(bytes, model + offset, length) == 0);
    }
    free(bytes);
  }
  EXPECT(memcmp(chip.cells, model, SIZE) == 0);
  EXPECT(flash_close(&flash) == 0);
}

static void random_mtd(void) {
  for (uint32_t seed = 1; seed <= 4; seed++) like_an_array(new_mtd, seed);
}

static void random_file(void) {
  for (uint32_t seed = 1; seed <= 4; seed++) like_an_array(new_file, seed);
}

int main(void) {
  static const struct {
    const char *title;
    void (*run)(void);
  } tests[] = {
      {"an MTD device tells its geometry, and programs whole units only", mtd_geometry},
      {"an MTD device keeps its own erase size", own_erase_size},
      {"what is no NOR flash, or has an impossible geometry, is refused and closed", not_a_flash},
      {"an open that fails half way leaves nothing open", failing_open},
      {"a protected chip is unprotected for writing, and left alone for reading", protection},
      {"what is outside or not aligned is refused before the chip sees it", bounds},
      {"an MTD device that does little at a time, interrupted, is done in full", short_counts_mtd},
      {"a file that is written little at a time, interrupted, is done in full", short_counts_file},
      {"each failure of the system is reported as it is", failures},
      {"whatever is done to an MTD device, it is what an array would be", random_mtd},
      {"whatever is done to a file, it is what an array would be", random_file},
  };
  int status = EXIT_SUCCESS;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    failed = false;
    tests[i].run();
    printf("%s - %s\n", failed ? "not ok" : "ok", tests[i].title);
    if (failed) status = EXIT_FAILURE;
  }
  return status;
}
