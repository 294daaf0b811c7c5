#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const struct {
  unsigned speed;
  speed_t name;
} speeds[] = {{1200, B1200},     {2400, B2400},     {4800, B4800},     {9600, B9600},
              {19200, B19200},   {38400, B38400},   {57600, B57600},   {115200, B115200},
              {230400, B230400}, {460800, B460800}, {921600, B921600}, {1500000, B1500000}};

static speed_t speed_name(unsigned speed) {
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    if (speeds[i].speed == speed) return speeds[i].name;
  }
  return B0;
}

int tty_open(const char *path, unsigned speed) {
  const speed_t name = speed_name(speed);
  struct termios settings;
  int error = 0;
  if (name == B0) return -EINVAL;
  const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -errno;
  if (tcgetattr(fd, &settings)) {
    error = -ENODEV;
    goto done;
  }
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
  cfsetispeed(&settings, name);
  cfsetospeed(&settings, name);
  if (tcsetattr(fd, TCSANOW, &settings)) error = -errno;
done:
  if (!error) return fd;
  close(fd);
  return error;
}

static int transferred(ssize_t result) {
  if (result >= 0) return (int)result;
  return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int tty_read(int fd, uint8_t *data, size_t capacity) {
  const ssize_t result = read(fd, data, capacity);
  return result == 0 ? -ENODEV : transferred(result);
}

int tty_write(int fd, const uint8_t *data, size_t length) {
  return transferred(write(fd, data, length < INT_MAX ? length : INT_MAX));
}

int tty_set_break(int fd, bool on) {
  return ioctl(fd, on ? TIOCSBRK : TIOCCBRK) ? -errno : 0;
}
