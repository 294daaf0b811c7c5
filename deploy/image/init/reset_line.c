#include "reset_line.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const uint64_t hold_ms = 10000;
static const int looks = 10, look_us = 10000;

/* The number of the line of that name on a chip, or -ENODEV. */
static int find(int chip, const char *name) {
  struct gpiochip_info facts = {0};
  if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &facts) < 0) return -errno;
  for (uint32_t offset = 0; offset < facts.lines; offset++) {
    struct gpio_v2_line_info info = {.offset = offset};
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) return -errno;
    if (strncmp(info.name, name, sizeof info.name) == 0) return (int)offset;
  }
  return -ENODEV;
}

static int take(struct reset_line *line, int chip, uint32_t offset, bool active_low) {
  struct gpio_v2_line_request request = {.offsets = {offset}, .consumer = "init", .num_lines = 1};
  request.config.flags = GPIO_V2_LINE_FLAG_INPUT | (active_low ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0);
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -errno;
  line->line = request.fd;
  return fcntl(line->line, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

int reset_line_open(struct reset_line *line, const char *name, bool active_low) {
  char path[32];
  int result = -ENODEV;
  *line = (struct reset_line){.line = -1};
  for (int number = 0; result == -ENODEV; number++) {
    snprintf(path, sizeof path, "/dev/gpiochip%d", number);
    const int chip = open(path, O_RDWR | O_CLOEXEC);
    if (chip < 0) return errno == ENOENT ? -ENODEV : -errno;
    result = find(chip, name);
    if (result >= 0) result = take(line, chip, (uint32_t)result, active_low);
    close(chip);
  }
  return result;
}

static bool is_active(const struct reset_line *line) {
  struct gpio_v2_line_values values = {.mask = 1};
  /* A line that cannot be read restores nothing. */
  return line->line >= 0 && ioctl(line->line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) == 0 && (values.bits & 1) != 0;
}

bool reset_line_is_set(const struct reset_line *line) {
  for (int look = 0; look < looks; look++) {
    if (!is_active(line)) return false;
    usleep((unsigned)look_us);
  }
  return true;
}

bool reset_line_is_held(struct reset_line *line, uint64_t now) {
  return reset_line_step(line, is_active(line), now);
}

bool reset_line_step(struct reset_line *line, bool active, uint64_t now) {
  if (!active) {
    line->released = true;
    line->since = 0;
    return false;
  }
  if (!line->released) return false;
  if (line->since == 0) line->since = now;
  if (now - line->since < hold_ms) return false;
  line->released = false;
  return true;
}
