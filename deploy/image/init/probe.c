#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "small_file.h"

static const uint64_t every_ms = 2000, timeout_ms = 30000;
static const char line[] = "alive?\r\n";

void probe_init(struct probe *probe, uint16_t port, const char *port_file) {
  *probe = (struct probe){.port = port, .port_file = port_file, .socket = -1};
}

static uint16_t port_of(const struct probe *probe) {
  char text[8], *end;
  struct stat status;
  const ssize_t length = small_file_read(probe->port_file, text, sizeof text - 1, &status);
  if (length <= 0) return probe->port;
  text[length] = '\0';
  const unsigned long port = strtoul(text, &end, 10);
  return strcmp(end, "\n") == 0 && port >= 1 && port <= UINT16_MAX ? (uint16_t)port : probe->port;
}

short probe_events(const struct probe *probe) {
  return probe->asked ? POLLIN : POLLOUT;
}

static void end(struct probe *probe) {
  close(probe->socket);
  probe->socket = -1;
}

static void begin(struct probe *probe, uint64_t now) {
  const struct sockaddr_in service = {
      .sin_family = AF_INET, .sin_port = htons(port_of(probe)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  probe->started = now;
  probe->asked = false;
  probe->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe->socket < 0) return;
  if (connect(probe->socket, (const struct sockaddr *)&service, sizeof service) < 0 && errno != EINPROGRESS) end(probe);
}

void probe_step(struct probe *probe, uint64_t now) {
  char answer[64];
  if (probe->socket < 0 && now - probe->started >= every_ms) begin(probe, now);
  if (probe->socket < 0) return;
  if (!probe->asked) {
    if (send(probe->socket, line, sizeof line - 1, MSG_NOSIGNAL) > 0) probe->asked = true;
    else if (errno != EAGAIN && errno != ENOTCONN) return end(probe);
  }
  if (probe->asked) {
    const ssize_t length = recv(probe->socket, answer, sizeof answer, 0);
    /* However late, an alert or the end comes from the service itself: it is busy, not dead. A reset comes from the
       kernel where a process hung and died. */
    if (length >= 0) {
      probe->answered = now;
      return end(probe);
    }
    if (errno != EAGAIN) return end(probe);
  }
  if (now - probe->started >= timeout_ms) end(probe);
}
