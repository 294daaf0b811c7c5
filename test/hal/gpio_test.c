/*
 * Tests of hal/native/gpio.c on a chip of our own behind its system calls, with what the kernel may do to a caller:
 * interruptions, failures, names without an end. Memory is shared, for the guard is a process of its own.
 * Prints one line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpio.h"

enum { LINES = 4 };

/* The one chip of a test. */
static struct chip {
  int fd, line_fd, edges[2];
  int open_error, info_error, request_error, set_error, get_error;
  unsigned interruptions; /* so many calls to come say EINTR */
  bool level;
  unsigned sets, rises;
  pid_t setter;        /* of the last set */
  bool descriptors[3]; /* that the setter had open: the chip's, a stranger's, the line's */
  int stranger;
  struct gpio_v2_line_request request;
} * chip;

static bool failed;

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) {                                        \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failed = true;                                           \
    }                                                          \
  } while (0)

static int said(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

static bool interrupted(void) {
  if (chip->interruptions == 0) return false;
  chip->interruptions--;
  return true;
}

static int chip_open(const char *path, int flags) {
  (void)path;
  if (chip->open_error != 0) return said(chip->open_error);
  chip->fd = open("/dev/null", flags);
  return chip->fd;
}

static int chip_set(const struct gpio_v2_line_values *values) {
  if (values->mask != 1) return said(EINVAL);
  if (chip->set_error != 0) return said(chip->set_error);
  if (values->bits && !chip->level) chip->rises++;
  chip->level = values->bits != 0;
  chip->sets++;
  chip->setter = getpid();
  const int fds[] = {chip->fd, chip->stranger, chip->line_fd};
  for (int i = 0; i < 3; i++) chip->descriptors[i] = fcntl(fds[i], F_GETFD) >= 0;
  return 0;
}

static int chip_ioctl(int fd, unsigned long request, void *argument) {
  (void)fd;
  if (interrupted()) return said(EINTR);
  switch (request) {
    case GPIO_GET_CHIPINFO_IOCTL: {
      struct gpiochip_info *info = argument;
      memset(info->name, 'n', sizeof info->name);
      memcpy(info->label, "label", sizeof "label");
      info->lines = LINES;
      return said(chip->info_error);
    }
    case GPIO_V2_GET_LINEINFO_IOCTL: {
      struct gpio_v2_line_info *info = argument;
      if (info->offset >= LINES) return said(EINVAL);
      memset(info->name, 'l', sizeof info->name);
      memset(info->consumer, 'c', sizeof info->consumer);
      info->flags = GPIO_V2_LINE_FLAG_USED;
      return 0;
    }
    case GPIO_V2_GET_LINE_IOCTL:
      if (chip->request_error != 0) return said(chip->request_error);
      memcpy(&chip->request, argument, sizeof chip->request);
      chip->line_fd = chip->edges[0] = -1;
      if (pipe(chip->edges) < 0) return -1;
      chip->line_fd = chip->edges[0];
      ((struct gpio_v2_line_request *)argument)->fd = chip->line_fd;
      return 0;
    case GPIO_V2_LINE_GET_VALUES_IOCTL:
      ((struct gpio_v2_line_values *)argument)->bits = chip->level;
      return said(chip->get_error);
    case GPIO_V2_LINE_SET_VALUES_IOCTL: return chip_set(argument);
    default: return said(ENOTTY);
  }
}

static ssize_t chip_read(int fd, void *buffer, size_t length) {
  if (interrupted()) return said(EINTR);
  return read(fd, buffer, length);
}

static const struct gpio_system system_of_test = {
    .open = chip_open, .close = close, .ioctl = chip_ioctl, .read = chip_read};

static struct gpio_line open_line(enum gpio_use use) {
  struct gpio_chip opened;
  struct gpio_line line = {.fd = -1};
  CHECK(gpio_chip_open(&opened, &system_of_test, "/dev/gpiochip0") == 0);
  CHECK(gpio_line_open(&line, &system_of_test, &opened, 2, true, use) == 0);
  gpio_chip_close(&opened, &system_of_test);
  return line;
}

static void close_line(struct gpio_line *line) {
  gpio_line_close(line);
  close(chip->edges[1]);
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for_guard(const struct gpio_press *press) {
  struct pollfd end = {.fd = press->fd, .events = POLLIN};
  CHECK(poll(&end, 1, 10000) == 1);
}

static void facts(void) {
  struct gpio_chip opened;
  struct gpio_line_facts line;
  chip->interruptions = 2;
  CHECK(gpio_chip_open(&opened, &system_of_test, "/dev/gpiochip0") == 0);
  CHECK(strlen(opened.name) == 31 && strcmp(opened.label, "label") == 0 && opened.lines == LINES);
  CHECK(gpio_chip_line(&opened, &system_of_test, 3, &line) == 0);
  CHECK(strlen(line.name) == 31 && strlen(line.consumer) == 31 && line.used);
  CHECK(gpio_chip_line(&opened, &system_of_test, 4, &line) == -EINVAL);
  gpio_chip_close(&opened, &system_of_test);
  CHECK(opened.fd == -1);
}

static void no_chip(void) {
  struct gpio_chip opened;
  chip->open_error = EACCES;
  CHECK(gpio_chip_open(&opened, &system_of_test, "") == -EACCES);
  chip->open_error = 0;
  chip->info_error = ENOTTY;
  CHECK(gpio_chip_open(&opened, &system_of_test, "") == -ENODEV);
  CHECK(fcntl(chip->fd, F_GETFD) < 0);
  chip->info_error = EIO;
  CHECK(gpio_chip_open(&opened, &system_of_test, "") == -EIO);
}

static void requests(void) {
  struct gpio_line line = open_line(GPIO_OPEN_DRAIN_OUTPUT);
  const struct gpio_v2_line_request *request = &chip->request;
  CHECK(request->num_lines == 1 && request->offsets[0] == 2 && strcmp(request->consumer, "minnow") == 0);
  CHECK(request->config.flags ==
        (GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_OPEN_DRAIN | GPIO_V2_LINE_FLAG_ACTIVE_LOW));
  CHECK(chip->sets == 1 && !chip->level);
  CHECK((fcntl(line.fd, F_GETFD) & FD_CLOEXEC) != 0);
  close_line(&line);
  line = open_line(GPIO_WATCHED_INPUT);
  CHECK(request->config.flags == (GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
                                  GPIO_V2_LINE_FLAG_EDGE_FALLING | GPIO_V2_LINE_FLAG_ACTIVE_LOW));
  CHECK(chip->sets == 1);
  chip->level = true;
  CHECK(gpio_line_get(&line) == 1);
  chip->get_error = EIO;
  CHECK(gpio_line_get(&line) == -EIO);
  close_line(&line);
}

static void refused(void) {
  struct gpio_chip opened;
  struct gpio_line line;
  CHECK(gpio_chip_open(&opened, &system_of_test, "") == 0);
  CHECK(gpio_line_open(&line, &system_of_test, &opened, LINES, false, GPIO_OUTPUT) == -EINVAL);
  chip->request_error = EBUSY;
  CHECK(gpio_line_open(&line, &system_of_test, &opened, 0, false, GPIO_OUTPUT) == -EBUSY);
  chip->request_error = 0;
  chip->set_error = EIO;
  CHECK(gpio_line_open(&line, &system_of_test, &opened, 0, false, GPIO_OUTPUT) == -EIO);
  CHECK(fcntl(chip->line_fd, F_GETFD) < 0);
  close(chip->edges[1]);
  gpio_chip_close(&opened, &system_of_test);
}

static void edges(void) {
  struct gpio_line line = open_line(GPIO_WATCHED_INPUT);
  const struct gpio_v2_line_event events[] = {{.timestamp_ns = 5, .id = GPIO_V2_LINE_EVENT_RISING_EDGE},
                                              {.timestamp_ns = UINT64_MAX, .id = GPIO_V2_LINE_EVENT_FALLING_EDGE}};
  struct gpio_edge edge = {0};
  CHECK(gpio_line_edge(&line, &edge) == 0);
  CHECK(write(chip->edges[1], events, sizeof events) == sizeof events);
  chip->interruptions = 1;
  CHECK(gpio_line_edge(&line, &edge) == 1 && edge.active && edge.nanoseconds == 5);
  CHECK(gpio_line_edge(&line, &edge) == 1 && !edge.active && edge.nanoseconds == UINT64_MAX);
  CHECK(gpio_line_edge(&line, &edge) == 0);
  CHECK(write(chip->edges[1], events, 7) == 7);
  CHECK(gpio_line_edge(&line, &edge) == -EIO);
  close_line(&line);
}

static void timed_press(void) {
  struct gpio_line line = open_line(GPIO_OUTPUT);
  struct gpio_press press;
  const int64_t start = milliseconds();
  chip->interruptions = 1;
  CHECK(gpio_press_start(&press, &line, 50) == 0);
  CHECK(chip->rises == 1);
  wait_for_guard(&press);
  CHECK(milliseconds() - start >= 49);
  CHECK(!chip->level && chip->setter == press.guard);
  CHECK(gpio_press_end(&press, &line) == 0 && press.fd == -1);
  CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
  close_line(&line);
}

static void ended_press(void) {
  struct gpio_line line = open_line(GPIO_OUTPUT);
  struct gpio_press press;
  CHECK(gpio_press_start(&press, &line, -1) == 0);
  CHECK(chip->level);
  CHECK(gpio_press_end(&press, &line) == 0);
  CHECK(!chip->level && waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
  close_line(&line);
}

static void descriptors(void) {
  chip->stranger = open("/dev/null", O_RDONLY);
  struct gpio_line line = open_line(GPIO_OUTPUT);
  struct gpio_press press;
  chip->fd = open("/dev/null", O_RDONLY);
  CHECK(gpio_press_start(&press, &line, -1) == 0);
  CHECK(!chip->descriptors[0] && !chip->descriptors[1] && chip->descriptors[2]);
  CHECK(gpio_press_end(&press, &line) == 0);
  close(chip->fd);
  close(chip->stranger);
  close_line(&line);
}

/* Ends without a word, as by SIGKILL, while it holds the line. */
static void killed(void) {
  struct gpio_line line = open_line(GPIO_OUTPUT);
  int ready[2];
  pid_t guard = 0;
  CHECK(pipe(ready) == 0);
  const pid_t service = fork();
  if (service == 0) {
    struct gpio_press press;
    const int result = gpio_press_start(&press, &line, -1);
    guard = result == 0 ? press.guard : 0;
    if (write(ready[1], &guard, sizeof guard) == sizeof guard) pause();
    _exit(1);
  }
  CHECK(read(ready[0], &guard, sizeof guard) == sizeof guard && guard > 0);
  CHECK(chip->level);
  kill(guard, SIGTERM);
  kill(guard, SIGINT);
  kill(guard, SIGHUP);
  CHECK(chip->level);
  kill(service, SIGKILL);
  CHECK(waitpid(service, NULL, 0) == service);
  for (int i = 0; i < 2000 && chip->level; i++) poll(NULL, 0, 5);
  CHECK(!chip->level && chip->setter == guard);
  close(ready[0]);
  close(ready[1]);
  close_line(&line);
}

static void killed_guard(void) {
  struct gpio_line line = open_line(GPIO_OUTPUT);
  struct gpio_press press;
  CHECK(gpio_press_start(&press, &line, 60000) == 0);
  kill(press.guard, SIGKILL);
  wait_for_guard(&press);
  CHECK(chip->level);
  CHECK(gpio_press_end(&press, &line) == 0 && !chip->level);
  close_line(&line);
}

static void failures(void) {
  struct gpio_line line = open_line(GPIO_OUTPUT);
  struct gpio_press press;
  chip->set_error = EIO;
  CHECK(gpio_press_start(&press, &line, 100) == -EIO);
  CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
  chip->set_error = 0;
  CHECK(gpio_press_start(&press, &line, -1) == 0);
  chip->set_error = ENODEV;
  CHECK(gpio_press_end(&press, &line) == -ENODEV);
  close_line(&line);
  chip->set_error = 0;
  line = open_line(GPIO_WATCHED_INPUT);
  CHECK(gpio_press_start(&press, &line, 100) == -EINVAL);
  close_line(&line);
}

int main(void) {
  static const struct {
    const char *title;
    void (*run)(void);
  } tests[] = {
      {"a chip tells its name, its label and its lines, however long their names", facts},
      {"what is no GPIO chip is refused and closed", no_chip},
      {"a line is requested as it is to be used, and an output made inactive once more", requests},
      {"a line that cannot be had is refused, and nothing stays open", refused},
      {"edges come in order with their times, interrupted or not", edges},
      {"a press ends at its deadline, without this process", timed_press},
      {"a press without a deadline ends when it is told to", ended_press},
      {"the guard has no descriptor of the service but the line", descriptors},
      {"a press ends with the process that began it, and signals do not end its guard before", killed},
      {"a press whose guard is killed ends all the same", killed_guard},
      {"each failure of the chip is reported as it is, and leaves no guard behind", failures},
  };
  int status = EXIT_SUCCESS;
  chip = mmap(NULL, sizeof *chip, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (chip == MAP_FAILED) return EXIT_FAILURE;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    failed = false;
    memset(chip, 0, sizeof *chip);
    chip->stranger = -1;
    tests[i].run();
    printf("%s - %s\n", failed ? "not ok" : "ok", tests[i].title);
    fflush(stdout);
    if (failed) status = EXIT_FAILURE;
  }
  return status;
}
