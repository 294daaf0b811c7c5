/* The other side of a serial line: a pseudo-terminal that echoes. Says its path, and goes when its input ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

int main(void) {
  const int line = posix_openpt(O_RDWR | O_NOCTTY);
  if (line < 0 || grantpt(line) || unlockpt(line)) return 1;
  /* While it is open here, the master sees no end when the test closes its side. */
  const int held = open(ptsname(line), O_RDWR | O_NOCTTY);
  if (held < 0) return 1;
  printf("%s\n", ptsname(line));
  fflush(stdout);
  for (;;) {
    struct pollfd ends[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = line, .events = POLLIN}};
    char bytes[4096];
    if (poll(ends, 2, -1) < 0) return 1;
    if (ends[0].revents) return 0;
    const ssize_t length = read(line, bytes, sizeof bytes);
    if (length <= 0 || write(line, bytes, (size_t)length) != length) return 1;
  }
}
