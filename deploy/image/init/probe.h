/*
 * Whether the service is alive, asked from outside: a connection to its port, a line that is not TLS, and the service
 * closing the connection over it. A kernel accepts connections for a process that hangs, but only its event loop reads
 * from them. Times are milliseconds of the monotonic clock.
 */
#ifndef MINNOW_PROBE_H
#define MINNOW_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct probe {
  uint16_t port;
  const char *port_file;
  int socket;        /* -1 between two questions */
  bool asked;        /* the line has been sent */
  uint64_t started;  /* of the question */
  uint64_t answered; /* the last time, 0 for never */
};

/* `port_file`: the file in which the service writes its port, a number and a line feed; until then, it is at `port`. */
void probe_init(struct probe *probe, uint16_t port, const char *port_file);

/* Continues as far as it can without waiting, and starts the next probe when it is due. */
void probe_step(struct probe *probe, uint64_t now);

/* For poll(2): the events that it waits for on `socket`. */
short probe_events(const struct probe *probe);

#endif
