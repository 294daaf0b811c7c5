#include "storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 64

static const int wait_tries = 100, wait_us = 100000;

static const struct {
  const char *path, *type, *options;
  unsigned long flags;
} kernel_mounts[] = {
    {"/dev", "devtmpfs", "mode=0755", MS_NOSUID | MS_NOEXEC},
    {"/proc", "proc", "hidepid=2", MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
    {"/run", "tmpfs", "mode=0755,size=8m", MS_NOSUID | MS_NODEV | MS_NOEXEC},
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

/* The number of the MTD device whose partition has that name, or -ENODEV. */
static int mtd_number(const char *partition) {
  char path[NAME_SIZE], name[NAME_SIZE];
  for (int number = 0;; number++) {
    snprintf(path, sizeof path, "/sys/class/mtd/mtd%d/name", number);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -ENODEV;
    const ssize_t length = read(file, name, sizeof name - 1);
    close(file);
    if (length <= 0) continue;
    name[length] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (strcmp(name, partition) == 0) return number;
  }
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

int storage_enter_root(const char *partition) {
  char device[NAME_SIZE], target[NAME_SIZE];
  const int found = wait_for_device(partition, device, sizeof device);
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

int storage_mount_data(const char *partition, const char *path) {
  char source[NAME_SIZE];
  snprintf(source, sizeof source, "mtd:%s", partition);
  return mount(source, path, "jffs2", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME, NULL) < 0 ? -errno : 0;
}
