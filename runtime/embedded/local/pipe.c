#include "pipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16384 };

struct local_pipe {
  uv_pipe_t handle;
  uv_connect_t connect;
  const struct local_pipe_events *events;
  void *context;
  int error;
  char chunk[CHUNK];
};

struct sending {
  uv_write_t request;
  char bytes[];
};

static void on_closed(uv_handle_t *handle) {
  struct local_pipe *pipe = handle->data;
  pipe->events->closed(pipe->context, pipe->error);
  free(pipe);
}

static void end(struct local_pipe *pipe, int error) {
  if (uv_is_closing((uv_handle_t *)&pipe->handle)) return;
  pipe->error = error == UV_EOF || error == UV_ECANCELED ? 0 : error;
  uv_close((uv_handle_t *)&pipe->handle, on_closed);
}

/* One read at a time, so one chunk is enough. */
static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct local_pipe *pipe = handle->data;
  *buffer = uv_buf_init(pipe->chunk, CHUNK);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct local_pipe *pipe = stream->data;
  if (count < 0) end(pipe, (int)count);
  else if (count > 0) pipe->events->data(pipe->context, (const uint8_t *)buffer->base, (size_t)count);
}

static void on_connected(uv_connect_t *request, int status) {
  struct local_pipe *pipe = request->data;
  if (!status) status = uv_read_start((uv_stream_t *)&pipe->handle, on_room, on_read);
  if (status) end(pipe, status);
  else pipe->events->connected(pipe->context);
}

static void on_written(uv_write_t *request, int status) {
  struct local_pipe *pipe = request->handle->data;
  if (status) end(pipe, status);
  free((char *)request - offsetof(struct sending, request));
}

static int make(uv_loop_t *loop, const struct local_pipe_events *events, void *context, struct local_pipe **result) {
  struct local_pipe *pipe = calloc(1, sizeof *pipe);
  if (!pipe) return -ENOMEM;
  int error = uv_pipe_init(loop, &pipe->handle, 0);
  if (error) {
    free(pipe);
    return error;
  }
  pipe->events = events;
  pipe->context = context;
  pipe->handle.data = pipe;
  pipe->connect.data = pipe;
  *result = pipe;
  return 0;
}

int local_pipe_open(uv_loop_t *loop, const char *path, const struct local_pipe_events *events, void *context,
                    struct local_pipe **result) {
  int error = make(loop, events, context, result);
  if (error) return error;
  struct local_pipe *pipe = *result;
  error = uv_pipe_connect2(&pipe->connect, &pipe->handle, path, strlen(path), UV_PIPE_NO_TRUNCATE, on_connected);
  if (error) end(pipe, error);
  return 0;
}

int local_pipe_write(struct local_pipe *pipe, const void *bytes, size_t length) {
  uv_stream_t *stream = (uv_stream_t *)&pipe->handle;
  if (uv_is_closing((uv_handle_t *)stream)) return -EPIPE;
  if (length > LOCAL_PIPE_WAITING - uv_stream_get_write_queue_size(stream)) return -ENOBUFS;
  struct sending *sent = malloc(sizeof *sent + length);
  if (!sent) return -ENOMEM;
  memcpy(sent->bytes, bytes, length);
  uv_buf_t buffer = uv_buf_init(sent->bytes, (unsigned)length);
  int error = uv_write(&sent->request, stream, &buffer, 1, on_written);
  if (error) free(sent);
  return error;
}

void local_pipe_close(struct local_pipe *pipe) {
  end(pipe, 0);
}

/* QEMU, and whoever comes while it is on its way. */
enum { BACKLOG = 4 };

struct local_listener {
  uv_pipe_t handle;
  void (*knock)(void *context);
  void *context;
};

static void on_listener_closed(uv_handle_t *handle) {
  free(handle->data);
}

static void on_knock(uv_stream_t *stream, int status) {
  struct local_listener *listener = stream->data;
  if (!status) listener->knock(listener->context);
}

int local_listen(uv_loop_t *loop, const char *path, void (*knock)(void *context), void *context,
                 struct local_listener **result) {
  struct local_listener *listener = calloc(1, sizeof *listener);
  if (!listener) return -ENOMEM;
  int error = uv_pipe_init(loop, &listener->handle, 0);
  if (error) {
    free(listener);
    return error;
  }
  listener->handle.data = listener;
  listener->knock = knock;
  listener->context = context;
  error = uv_pipe_bind2(&listener->handle, path, strlen(path), UV_PIPE_NO_TRUNCATE);
  if (!error) error = uv_listen((uv_stream_t *)&listener->handle, BACKLOG, on_knock);
  if (error) local_listener_close(listener);
  else *result = listener;
  return error;
}

int local_pipe_accept(struct local_listener *listener, const struct local_pipe_events *events, void *context,
                      struct local_pipe **result) {
  int error = make(listener->handle.loop, events, context, result);
  if (error) return error;
  struct local_pipe *pipe = *result;
  error = uv_accept((uv_stream_t *)&listener->handle, (uv_stream_t *)&pipe->handle);
  if (!error) error = uv_read_start((uv_stream_t *)&pipe->handle, on_room, on_read);
  if (error) end(pipe, error);
  return 0;
}

void local_listener_close(struct local_listener *listener) {
  uv_close((uv_handle_t *)&listener->handle, on_listener_closed);
}
