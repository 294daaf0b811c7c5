#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for a file whose size is not known, such as one of /proc. */
static const size_t first_guess = 4096;

int system_read_all(int fd, uint8_t **bytes, size_t *length) {
  struct stat status;
  if (fstat(fd, &status) < 0) return -errno;
  /* One byte more than the size shows the end of the file without growing. */
  size_t capacity = status.st_size > 0 ? (size_t)status.st_size + 1 : first_guess;
  size_t used = 0;
  int result = 0;
  uint8_t *buffer = malloc(capacity);
  if (!buffer) return -ENOMEM;
  for (;;) {
    if (used == capacity) {
      uint8_t *grown = capacity <= SIZE_MAX / 2 ? realloc(buffer, capacity * 2) : NULL;
      if (!grown) {
        result = -ENOMEM;
        break;
      }
      buffer = grown;
      capacity *= 2;
    }
    const ssize_t count = read(fd, buffer + used, capacity - used);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      result = -errno;
      break;
    }
    used += (size_t)count;
  }
  if (result < 0) {
    free(buffer);
    return result;
  }
  *bytes = buffer;
  *length = used;
  return 0;
}

int system_write_all(int fd, const void *bytes, size_t length) {
  const uint8_t *next = bytes;
  while (length > 0) {
    const ssize_t count = write(fd, next, length);
    if (count >= 0) {
      next += count;
      length -= (size_t)count;
    } else if (errno == EAGAIN) {
      struct pollfd writable = {.fd = fd, .events = POLLOUT};
      if (poll(&writable, 1, -1) < 0 && errno != EINTR) return -errno;
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return 0;
}

static int by_bytes(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

int system_list(const char *path, char ***names, size_t *count) {
  DIR *folder = opendir(path);
  char **list = NULL;
  size_t used = 0, capacity = 0;
  int result = 0;
  if (!folder) return -errno;
  for (;;) {
    errno = 0;
    const struct dirent *entry = readdir(folder);
    if (!entry) {
      result = -errno;
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (used == capacity) {
      capacity = capacity > 0 ? capacity * 2 : 16;
      char **grown = realloc(list, capacity * sizeof *list);
      if (!grown) {
        result = -ENOMEM;
        break;
      }
      list = grown;
    }
    list[used] = strdup(entry->d_name);
    if (!list[used]) {
      result = -ENOMEM;
      break;
    }
    used++;
  }
  closedir(folder);
  if (result < 0) {
    system_free_names(list, used);
    return result;
  }
  if (used > 0) qsort(list, used, sizeof *list, by_bytes);
  *names = list;
  *count = used;
  return 0;
}

void system_free_names(char **names, size_t count) {
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
}

int system_resident_memory(size_t *bytes) {
  /* proc_pid_statm(5): total and resident pages */
  char text[64];
  unsigned long total, resident;
  int result = 0;
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  const ssize_t length = read(fd, text, sizeof text - 1);
  if (length < 0) {
    result = -errno;
  } else {
    text[length] = '\0';
    if (sscanf(text, "%lu %lu", &total, &resident) == 2) *bytes = resident * (size_t)sysconf(_SC_PAGESIZE);
    else result = -EIO;
  }
  close(fd);
  return result;
}
