#include "gpio.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The kernel's interface is the same on every architecture: a header with other values is not for this kernel. */
_Static_assert(GPIO_NAME_SIZE == GPIO_MAX_NAME_SIZE, "names");
_Static_assert(sizeof(struct gpiochip_info) == 68, "chip information");
_Static_assert(sizeof(struct gpio_v2_line_info) == 256 && offsetof(struct gpio_v2_line_info, offset) == 64 &&
                   offsetof(struct gpio_v2_line_info, flags) == 72,
               "line information");
_Static_assert(sizeof(struct gpio_v2_line_config) == 272 && offsetof(struct gpio_v2_line_config, attrs) == 32,
               "line configuration");
_Static_assert(sizeof(struct gpio_v2_line_request) == 592 && offsetof(struct gpio_v2_line_request, consumer) == 256 &&
                   offsetof(struct gpio_v2_line_request, config) == 288 &&
                   offsetof(struct gpio_v2_line_request, num_lines) == 560 &&
                   offsetof(struct gpio_v2_line_request, fd) == 588,
               "line request");
_Static_assert(sizeof(struct gpio_v2_line_values) == 16, "line values");
_Static_assert(sizeof(struct gpio_v2_line_event) == 48 && offsetof(struct gpio_v2_line_event, id) == 8, "line event");
_Static_assert(GPIO_GET_CHIPINFO_IOCTL == 0x8044B401 && GPIO_V2_GET_LINEINFO_IOCTL == 0xC100B405 &&
                   GPIO_V2_GET_LINE_IOCTL == 0xC250B407 && GPIO_V2_LINE_GET_VALUES_IOCTL == 0xC010B40E &&
                   GPIO_V2_LINE_SET_VALUES_IOCTL == 0xC010B40F,
               "ioctl numbers");

static int system_open(const char *path, int flags) {
  return open(path, flags);
}

static int system_ioctl(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}

const struct gpio_system gpio_linux = {.open = system_open, .close = close, .ioctl = system_ioctl, .read = read};

static int control(const struct gpio_system *system, int fd, unsigned long request, void *argument) {
  int result;
  do result = system->ioctl(fd, request, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

int gpio_chip_open(struct gpio_chip *chip, const struct gpio_system *system, const char *path) {
  struct gpiochip_info info = {0};
  /* O_NONBLOCK: a path that leads to a FIFO or a terminal by mistake is refused below instead of waited for. */
  chip->fd = system->open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (chip->fd < 0) return -errno;
  const int result = control(system, chip->fd, GPIO_GET_CHIPINFO_IOCTL, &info);
  if (result < 0) {
    gpio_chip_close(chip, system);
    return result == -ENOTTY ? -ENODEV : result;
  }
  memcpy(chip->name, info.name, sizeof chip->name - 1);
  memcpy(chip->label, info.label, sizeof chip->label - 1);
  chip->name[sizeof chip->name - 1] = chip->label[sizeof chip->label - 1] = '\0';
  chip->lines = info.lines;
  return 0;
}

int gpio_chip_line(const struct gpio_chip *chip, const struct gpio_system *system, uint32_t offset,
                   struct gpio_line_facts *facts) {
  struct gpio_v2_line_info info = {.offset = offset};
  const int result = control(system, chip->fd, GPIO_V2_GET_LINEINFO_IOCTL, &info);
  if (result < 0) return result;
  memcpy(facts->name, info.name, sizeof facts->name - 1);
  memcpy(facts->consumer, info.consumer, sizeof facts->consumer - 1);
  facts->name[sizeof facts->name - 1] = facts->consumer[sizeof facts->consumer - 1] = '\0';
  facts->used = (info.flags & GPIO_V2_LINE_FLAG_USED) != 0;
  return 0;
}

void gpio_chip_close(struct gpio_chip *chip, const struct gpio_system *system) {
  system->close(chip->fd);
  chip->fd = -1;
}

static uint64_t flags_of(enum gpio_use use) {
  switch (use) {
    case GPIO_OUTPUT: return GPIO_V2_LINE_FLAG_OUTPUT;
    case GPIO_OPEN_DRAIN_OUTPUT: return GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_OPEN_DRAIN;
    default: return GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
  }
}

/* Descriptors of lines have no flags. */
static int set_descriptor_flags(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -errno;
  return 0;
}

int gpio_line_open(struct gpio_line *line, const struct gpio_system *system, const struct gpio_chip *chip,
                   uint32_t offset, bool active_low, enum gpio_use use) {
  struct gpio_v2_line_request request = {.offsets = {offset}, .consumer = "minnow", .num_lines = 1};
  if (offset >= chip->lines) return -EINVAL;
  request.config.flags = flags_of(use) | (active_low ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0);
  int result = control(system, chip->fd, GPIO_V2_GET_LINE_IOCTL, &request);
  if (result < 0) return result;
  *line = (struct gpio_line){.system = system, .fd = request.fd, .use = use};
  result = set_descriptor_flags(line->fd);
  /* Some drivers set the direction after the value and lose it. */
  if (result == 0 && use != GPIO_WATCHED_INPUT) result = gpio_line_set(line, false);
  if (result < 0) gpio_line_close(line);
  return result;
}

int gpio_line_get(const struct gpio_line *line) {
  struct gpio_v2_line_values values = {.mask = 1};
  const int result = control(line->system, line->fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values);
  return result < 0 ? result : (int)(values.bits & 1);
}

int gpio_line_set(const struct gpio_line *line, bool active) {
  struct gpio_v2_line_values values = {.bits = active, .mask = 1};
  return control(line->system, line->fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

int gpio_line_edge(const struct gpio_line *line, struct gpio_edge *edge) {
  struct gpio_v2_line_event event;
  ssize_t count;
  do count = line->system->read(line->fd, &event, sizeof event);
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  if (count != sizeof event) return -EIO;
  edge->nanoseconds = event.timestamp_ns;
  edge->active = event.id == GPIO_V2_LINE_EVENT_RISING_EDGE;
  return 1;
}

void gpio_line_close(struct gpio_line *line) {
  line->system->close(line->fd);
  line->fd = -1;
}

/*
 * Closes every descriptor but those two. The guard would otherwise keep the service's port, and its lock on the flash,
 * from the next instance of the service. close_range is one year older than this interface to GPIO lines; seccomp and
 * emulators may lack it.
 */
static void close_others(int one, int other) {
  const int low = one < other ? one : other, high = one < other ? other : one;
#ifdef SYS_close_range
  const unsigned ranges[][2] = {
      {0, (unsigned)low - 1}, {(unsigned)low + 1, (unsigned)high - 1}, {(unsigned)high + 1, ~0u}};
  bool done = true;
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    if (ranges[i][0] > ranges[i][1] || (i == 0 && low == 0)) continue;
    if (syscall(SYS_close_range, ranges[i][0], ranges[i][1], 0) < 0) done = false;
  }
  if (done) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 0; fd < (most > 0 && most < 65536 ? most : 65536); fd++) {
    if (fd != low && fd != high) close(fd);
  }
}

static int64_t monotonic_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * The guard. It is the copy of one thread of many: nothing in here but what may be called in a signal handler. It never
 * runs one: all signals are blocked, so that what ends a session or a service by signal leaves it to do its work.
 */
static _Noreturn void guard(const struct gpio_line *line, int fd, int milliseconds) {
  close_others(line->fd, fd);
  setsid();
  int result = gpio_line_set(line, true);
  const int64_t deadline = monotonic_milliseconds() + milliseconds;
  if (write(fd, &result, sizeof result) != sizeof result) result = -EPIPE;
  while (result == 0) {
    const int64_t rest = deadline - monotonic_milliseconds();
    struct pollfd end = {.fd = fd, .events = POLLIN};
    if (milliseconds >= 0 && rest <= 0) break;
    const int ready = poll(&end, 1, milliseconds < 0 ? -1 : (int)rest);
    if (ready > 0 || (ready < 0 && errno != EINTR)) break;
  }
  _exit(gpio_line_set(line, false) < 0 ? 1 : 0);
}

/* Waits for the guard, which has nothing left to do. Whether it made the line inactive. */
static bool reap(struct gpio_press *press) {
  int status = 0;
  pid_t ended;
  close(press->fd);
  press->fd = -1;
  do ended = waitpid(press->guard, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == press->guard && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Waits until the guard has set the line. Returns its result: 0 or a negative errno. */
static int hear(int fd) {
  int result;
  ssize_t count;
  do count = read(fd, &result, sizeof result);
  while (count < 0 && errno == EINTR);
  return count == sizeof result ? result : -EIO;
}

int gpio_press_start(struct gpio_press *press, const struct gpio_line *line, int milliseconds) {
  int ends[2];
  sigset_t all, before;
  if (line->use == GPIO_WATCHED_INPUT) return -EINVAL;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  press->fd = ends[0];
  press->guard = fork();
  if (press->guard == 0) guard(line, ends[1], milliseconds);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (press->guard < 0) {
    close(ends[0]);
    return -error;
  }
  const int result = hear(press->fd);
  if (result < 0) gpio_press_end(press, line);
  return result;
}

int gpio_press_end(struct gpio_press *press, const struct gpio_line *line) {
  /* At once, rather than when the guard gets to run; it does it again. */
  const int result = gpio_line_set(line, false);
  return reap(press) ? 0 : result;
}
