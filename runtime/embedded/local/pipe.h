/* Connections over sockets of the local domain (unix(7)), on a libuv loop. Results are 0 or a negative errno. */
#ifndef MINNOW_LOCAL_PIPE_H
#define MINNOW_LOCAL_PIPE_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* Bytes that may wait for a peer that does not read. */
enum { LOCAL_PIPE_WAITING = 1 << 20 };

struct local_pipe;

struct local_pipe_events {
  void (*connected)(void *context);
  void (*data)(void *context, const uint8_t *bytes, size_t length);
  /* Once, and last: the pipe is freed when it returns. `error` is 0 when either side ended it in order. */
  void (*closed)(void *context, int error);
};

/* Starts to connect; a failure is reported as `closed`. `events` must outlive the pipe. */
int local_pipe_open(uv_loop_t *loop, const char *path, const struct local_pipe_events *events, void *context,
                    struct local_pipe **pipe);

struct local_listener;

/*
 * Listens; the socket is there when it returns. `knock` is called for each connection that waits: it takes the
 * connection with `local_pipe_accept`, or leaves it to wait.
 */
int local_listen(uv_loop_t *loop, const char *path, void (*knock)(void *context), void *context,
                 struct local_listener **result);

/* Takes a connection that waits: it has been connected already. */
int local_pipe_accept(struct local_listener *listener, const struct local_pipe_events *events, void *context,
                      struct local_pipe **result);

/* Ends it, and removes the socket; its connections go on. */
void local_listener_close(struct local_listener *listener);

/* Copies the bytes. -ENOBUFS when too many wait already. */
int local_pipe_write(struct local_pipe *pipe, const void *bytes, size_t length);

/* Ends it now; what waits is lost. `closed` is still called, on a later turn of the loop. */
void local_pipe_close(struct local_pipe *pipe);

#endif
