/*
 * Lines of the GPIO character device of Linux (linux/gpio.h, version 2 of its interface: Linux 5.10 and later).
 *
 * Levels are logical: a line that is active low is `active` when it is low. Functions return 0 or more, or a negative
 * errno:
 *   -EINVAL  the chip has no such line, or does not support the request
 *   -EBUSY   the line is in use, by another process or by the kernel; or it is pressed already
 *   -ENODEV  the device is not a GPIO chip
 * and any other errno of the system call. The caller owns all memory. Everything here belongs to one thread.
 */
#ifndef MINNOW_GPIO_H
#define MINNOW_GPIO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GPIO_NAME_SIZE 32 /* with the NUL */

/* The system calls that lines take, each as in its manual page: -1 and errno on failure. */
struct gpio_system {
  int (*open)(const char *path, int flags);
  int (*close)(int fd);
  int (*ioctl)(int fd, unsigned long request, void *argument);
  ssize_t (*read)(int fd, void *buffer, size_t length);
};

extern const struct gpio_system gpio_linux;

struct gpio_chip {
  int fd;
  char name[GPIO_NAME_SIZE];
  char label[GPIO_NAME_SIZE];
  uint32_t lines;
};

struct gpio_line_facts {
  char name[GPIO_NAME_SIZE];     /* empty when the line has none */
  char consumer[GPIO_NAME_SIZE]; /* its user, empty if unused */
  bool used;
};

enum gpio_use { GPIO_WATCHED_INPUT, GPIO_OUTPUT, GPIO_OPEN_DRAIN_OUTPUT };

/* A line that this process has requested, until gpio_line_close. */
struct gpio_line {
  const struct gpio_system *system;
  int fd; /* of an input: readable when there are edges, and never blocks */
  enum gpio_use use;
};

struct gpio_edge {
  uint64_t nanoseconds; /* of the kernel's monotonic clock */
  bool active;
};

int gpio_chip_open(struct gpio_chip *chip, const struct gpio_system *system, const char *path);
int gpio_chip_line(const struct gpio_chip *chip, const struct gpio_system *system, uint32_t offset,
                   struct gpio_line_facts *facts);
void gpio_chip_close(struct gpio_chip *chip, const struct gpio_system *system);

/* Requests one line; an output is inactive. The chip may be closed before the line. On failure nothing is held. */
int gpio_line_open(struct gpio_line *line, const struct gpio_system *system, const struct gpio_chip *chip,
                   uint32_t offset, bool active_low, enum gpio_use use);

/* 1 or 0. */
int gpio_line_get(const struct gpio_line *line);

int gpio_line_set(const struct gpio_line *line, bool active);

/* The next edge of a watched input, in order: 1, or 0 if no edge is queued. */
int gpio_line_edge(const struct gpio_line *line, struct gpio_edge *edge);

/* Gives the line up; its level is undefined from then on. */
void gpio_line_close(struct gpio_line *line);

/*
 * An output that is active for some time. A process of its own, the guard, begins and ends it: at the deadline, or as
 * soon as this process ends, for any reason. So the press ends in time even if this process hangs, and a short press of
 * the power button never becomes a long one that cuts the power.
 */
struct gpio_press {
  pid_t guard;
  int fd; /* at the end of the file when the guard has ended */
};

/* Makes the line active, for `milliseconds` or, with -1, until gpio_press_end. On failure it is inactive. */
int gpio_press_start(struct gpio_press *press, const struct gpio_line *line, int milliseconds);

/* Makes the line inactive now, if the guard has not done it yet, and waits for the guard's end. */
int gpio_press_end(struct gpio_press *press, const struct gpio_line *line);

#endif
