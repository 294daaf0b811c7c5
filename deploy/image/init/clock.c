#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "small_file.h"

static const int64_t second_ns = 1000000000, many_ns = 500000000;
/* A century. */
static const int64_t longest_ms = INT64_C(36525) * 86400 * 1000;

static int64_t realtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * second_ns + now.tv_nsec;
}

int clock_restore(const char *image, const char *kept) {
  const char *const paths[] = {image, kept};
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) < 0) return -errno;
  time_t newest = now.tv_sec;
  for (int i = 0; i < 2; i++) {
    struct stat status;
    if (stat(paths[i], &status) == 0 && status.st_mtime > newest) newest = status.st_mtime;
  }
  if (newest == now.tv_sec) return 0;
  const struct timespec then = {.tv_sec = newest};
  return clock_settime(CLOCK_REALTIME, &then) < 0 ? -errno : 0;
}

int clock_keep(const char *kept) {
  const int file = open(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return -errno;
  const int result = futimens(file, NULL) < 0 || fsync(file) < 0 ? -errno : 0;
  close(file);
  return result;
}

/* Boards without a real-time clock have no such file, and nothing to set. */
static int set_rtc(time_t now) {
  struct tm time;
  const int file = open("/dev/rtc0", O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? 0 : -errno;
  gmtime_r(&now, &time);
  const struct rtc_time wanted = {.tm_sec = time.tm_sec,
                                  .tm_min = time.tm_min,
                                  .tm_hour = time.tm_hour,
                                  .tm_mday = time.tm_mday,
                                  .tm_mon = time.tm_mon,
                                  .tm_year = time.tm_year};
  const int result = ioctl(file, RTC_SET_TIME, &wanted) < 0 ? -errno : 0;
  close(file);
  return result;
}

int clock_correct(int64_t behind, bool step) {
  if (!step && llabs(behind) < many_ns) {
    const struct timeval little = {.tv_usec = (suseconds_t)(behind / 1000)};
    return adjtime(&little, NULL) < 0 ? -errno : 0;
  }
  const int64_t then = realtime() + behind;
  const struct timespec now = {.tv_sec = (time_t)(then / second_ns), .tv_nsec = (long)(then % second_ns)};
  if (clock_settime(CLOCK_REALTIME, &now) < 0) return -errno;
  return set_rtc(now.tv_sec);
}

int clock_take(const char *path, int64_t *behind) {
  char text[24], *end;
  struct stat status;
  const ssize_t length = small_file_read(path, text, sizeof text - 1, &status);
  if (length == -ENOENT) return 0;
  if (remove(path) < 0) return -errno;
  if (length < 0) return (int)length;
  text[length] = '\0';
  errno = 0;
  const long long milliseconds = strtoll(text, &end, 10);
  if (errno != 0 || end == text || strcmp(end, "\n") != 0 || llabs(milliseconds) > longest_ms) return -EINVAL;
  *behind = milliseconds * (second_ns / 1000);
  return 1;
}

bool clock_may_be(int64_t behind, int64_t earliest) {
  const int64_t longest = longest_ms * (second_ns / 1000), now = realtime();
  if (behind < -longest || behind > longest) return false;
  return now + behind >= earliest && now + behind - earliest <= longest;
}

uint64_t clock_monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int64_t clock_of(const char *path) {
  struct stat status;
  return stat(path, &status) < 0 ? 0 : (int64_t)status.st_mtim.tv_sec * second_ns;
}
