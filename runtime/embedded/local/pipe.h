/* A connection to a socket of the local domain (unix(7)), on a libuv loop. Results are 0 or a negative errno. */
#ifndef MINNOW_LOCAL_PIPE_H
#define MINNOW_LOCAL_PIPE_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* Bytes that may wait for a peer that does not read. */
enum { LOCAL_PIPE_WAITING = 1 << 20 };

typedef struct local_pipe local_pipe;

typedef struct {
  void (*connected)(void *context);
  void (*data)(void *context, const uint8_t *bytes, size_t length);
  /* Once, and last: the pipe is freed when it returns. `error` is 0 when either side ended it in order. */
  void (*closed)(void *context, int error);
} local_pipe_events;

/* Begins to connect; what fails comes as closed. `events` must outlive the pipe. */
int local_pipe_open(uv_loop_t *loop, const char *path, const local_pipe_events *events, void *context,
                    local_pipe **pipe);

/* Copies the bytes. -ENOBUFS when too many wait already. */
int local_pipe_write(local_pipe *pipe, const void *bytes, size_t length);

/* Ends it now; what waits is lost. `closed` is still told, on a later turn of the loop. */
void local_pipe_close(local_pipe *pipe);

#endif
