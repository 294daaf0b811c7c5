#include "storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <mtd/mtd-user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.h"

#define NAME_SIZE 64

static const int wait_tries = 100, wait_us = 100000;

static const struct {
  const char *path, *type, *options;
  unsigned long flags;
} kernel_mounts[] = {
    {"/dev", "devtmpfs", "mode=0755", MS_NOSUID | MS_NOEXEC},
    {"/proc", "proc", "hidepid=2", MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"/run", "tmpfs", "mode=0755,size=32m", MS_NOSUID | MS_NODEV | MS_NOEXEC},
};

#define KERNEL_MOUNTS (sizeof kernel_mounts / sizeof kernel_mounts[0])

int storage_mount_kernel(void) {
  for (size_t i = 0; i < KERNEL_MOUNTS; i++) {
    const char *path = kernel_mounts[i].path;
    if (mkdir(path, 0755) < 0 && errno != EEXIST) return -errno;
    if (mount(kernel_mounts[i].type, path, kernel_mounts[i].type, kernel_mounts[i].flags, kernel_mounts[i].options) < 0)
      return -errno;
  }
  return 0;
}

/* The name of the partition that an MTD device is: empty when it has none. -ENODEV when there is no such device. */
static int mtd_name(int number, char name[NAME_SIZE]) {
  char path[NAME_SIZE];
  snprintf(path, sizeof path, "/sys/class/mtd/mtd%d/name", number);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -ENODEV;
  const ssize_t length = read(file, name, NAME_SIZE - 1);
  close(file);
  name[length > 0 ? length : 0] = '\0';
  name[strcspn(name, "\n")] = '\0';
  return 0;
}

/* The number of the MTD device whose partition has that name, or -ENODEV. */
static int mtd_number(const char *partition) {
  char name[NAME_SIZE];
  for (int number = 0;; number++) {
    if (mtd_name(number, name) < 0) return -ENODEV;
    if (strcmp(name, partition) == 0) return number;
  }
}

int storage_name_partitions(void) {
  static const char folder[] = "/dev/mtd/by-name";
  char name[NAME_SIZE], path[2 * NAME_SIZE], target[NAME_SIZE];
  if ((mkdir("/dev/mtd", 0755) < 0 || mkdir(folder, 0755) < 0) && errno != EEXIST) return -errno;
  for (int number = 0; mtd_name(number, name) == 0; number++) {
    if (name[0] == '\0' || strchr(name, '/')) continue;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(target, sizeof target, "/dev/mtd%d", number);
    if (symlink(target, path) < 0 && errno != EEXIST) return -errno;
  }
  return 0;
}

static int wait_for_device(const char *partition, char *device, size_t size) {
  for (int i = 0; i < wait_tries; i++) {
    const int number = mtd_number(partition);
    if (number >= 0) {
      snprintf(device, size, "/dev/mtdblock%d", number);
      if (access(device, F_OK) == 0) return 0;
    }
    usleep((unsigned)wait_us);
  }
  return -ENODEV;
}

static int check_identity(const char *device, const char *identity) {
  static unsigned char bytes[65536];
  char wanted[2 * SHA256_SIZE + 1], digest[2 * SHA256_SIZE + 1];
  size_t length;
  struct sha256 sum;
  int result = -EBADMSG;
  FILE *file = fopen(identity, "re");
  if (!file) return -errno;
  const int read_all = fscanf(file, "%zu %64s", &length, wanted);
  fclose(file);
  if (read_all != 2) return -EINVAL;
  const int flash = open(device, O_RDONLY | O_CLOEXEC);
  if (flash < 0) return -errno;
  sha256_init(&sum);
  while (length > 0) {
    const ssize_t count = read(flash, bytes, length < sizeof bytes ? length : sizeof bytes);
    if (count <= 0) goto end;
    sha256_add(&sum, bytes, (size_t)count);
    length -= (size_t)count;
  }
  sha256_end(&sum, digest);
  result = strcmp(digest, wanted) == 0 ? 0 : -EBADMSG;
end:
  close(flash);
  return result;
}

int storage_enter_root(const char *partition, const char *identity) {
  char device[NAME_SIZE], target[NAME_SIZE];
  int found = wait_for_device(partition, device, sizeof device);
  if (found == 0) found = check_identity(device, identity);
  if (found < 0) return found;
  if (mkdir("/root", 0755) < 0 && errno != EEXIST) return -errno;
  if (mount(device, "/root", "squashfs", MS_RDONLY | MS_NODEV | MS_NOSUID, NULL) < 0) return -errno;
  for (size_t i = 0; i < KERNEL_MOUNTS; i++) {
    snprintf(target, sizeof target, "/root%s", kernel_mounts[i].path);
    if (mount(kernel_mounts[i].path, target, NULL, MS_MOVE, NULL) < 0) return -errno;
  }
  if (chdir("/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
    return -errno;
  return 0;
}

/* Of klogctl: syslog(2) */
enum { CONSOLE_OFF = 6, CONSOLE_ON = 7 };

int storage_mount_data(const char *partition, const char *path) {
  char source[NAME_SIZE];
  snprintf(source, sizeof source, "mtd:%s", partition);
  /* The kernel logs tens of thousands of lines for a damaged partition, which take minutes over a serial line. */
  klogctl(CONSOLE_OFF, NULL, 0);
  const int result = mount(source, path, "jffs2", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME, NULL) < 0 ? -errno : 0;
  klogctl(CONSOLE_ON, NULL, 0);
  return result;
}

/* Bytes that are copied at once; erase blocks are multiples of it. */
enum { PIECE_SIZE = 4096 };

struct chip {
  int file;
  struct mtd_info_user info;
};

static int chip_open(const char *partition, int flags, struct chip *chip) {
  char path[NAME_SIZE];
  const int number = mtd_number(partition);
  if (number < 0) return number;
  snprintf(path, sizeof path, "/dev/mtd%d", number);
  chip->file = open(path, flags | O_CLOEXEC);
  if (chip->file < 0) return -errno;
  const int result = ioctl(chip->file, MEMGETINFO, &chip->info) < 0 ? -errno : 0;
  if (result < 0) close(chip->file);
  return result;
}

/* The beginning of a flattened image tree (Devicetree Specification 5.2). */
static const unsigned char magic[] = {0xd0, 0x0d, 0xfe, 0xed};

int storage_give_up(const char *kernel, const char *other) {
  static const unsigned char zeros[sizeof magic];
  unsigned char found[sizeof magic];
  struct chip chip;
  int result = chip_open(other, O_RDONLY, &chip);
  if (result < 0) return result;
  if (read(chip.file, found, sizeof found) != sizeof found || memcmp(found, magic, sizeof magic) != 0) result = -ENOENT;
  close(chip.file);
  if (result == 0) result = chip_open(kernel, O_WRONLY, &chip);
  if (result < 0) return result;
  if (write(chip.file, zeros, sizeof zeros) != sizeof zeros) result = -EIO;
  close(chip.file);
  return result;
}

static int chip_read(const struct chip *chip, uint32_t at, unsigned char piece[PIECE_SIZE]) {
  const ssize_t count = pread(chip->file, piece, PIECE_SIZE, (off_t)at);
  return count < 0 ? -errno : count == PIECE_SIZE ? 0 : -EIO;
}

/* A block takes up to seconds: thousands of them take longer than a watchdog waits. */
static int chip_erase(const struct chip *chip, uint32_t at, int watchdog) {
  struct erase_info_user block = {.start = at, .length = chip->info.erasesize};
  if (watchdog >= 0) ioctl(watchdog, WDIOC_KEEPALIVE, 0);
  return ioctl(chip->file, MEMERASE, &block) < 0 ? -errno : 0;
}

int storage_check(const char *partition) {
  unsigned char piece[PIECE_SIZE];
  struct chip chip;
  int result = chip_open(partition, O_RDONLY, &chip);
  if (result < 0) return result;
  for (uint32_t at = 0; result == 0 && at < chip.info.size; at += PIECE_SIZE) result = chip_read(&chip, at, piece);
  close(chip.file);
  return result;
}

int storage_copy(const char *partition, const char *to, int watchdog) {
  unsigned char piece[PIECE_SIZE];
  struct chip source, target = {.file = -1};
  int result = chip_open(partition, O_RDONLY, &source);
  if (result < 0) return result;
  result = chip_open(to, O_RDWR, &target);
  if (result < 0) goto end;
  if (target.info.size < source.info.size) result = -ENOSPC;
  for (uint32_t at = 0; result == 0 && at < source.info.size; at += PIECE_SIZE) {
    if (at % target.info.erasesize == 0) result = chip_erase(&target, at, watchdog);
    if (result == 0) result = chip_read(&source, at, piece);
    if (result == 0 && pwrite(target.file, piece, sizeof piece, (off_t)at) != sizeof piece) result = -EIO;
  }
  close(target.file);
end:
  close(source.file);
  return result;
}

int storage_erase(const char *partition, int watchdog) {
  struct chip chip;
  int result = chip_open(partition, O_RDWR, &chip);
  if (result < 0) return result;
  for (uint32_t at = 0; result == 0 && at < chip.info.size; at += chip.info.erasesize)
    result = chip_erase(&chip, at, watchdog);
  close(chip.file);
  return result;
}
