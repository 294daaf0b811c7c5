#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };

struct program {
  uv_process_t process;
  uv_timer_t timer;
  uv_pipe_t pipes[PROGRAM_STREAMS];
  unsigned open; /* handles that are not closed yet */
  bool started;
  struct program_limits limits;
  struct program_end end;
  program_ended ended;
  void *context;
  char chunk[CHUNK];
};

static void release(struct program *p) {
  for (int i = 0; i < PROGRAM_STREAMS; i++) free(p->end.written[i].bytes);
  free(p);
}

static void on_closed(uv_handle_t *handle) {
  struct program *p = handle->data;
  if (--p->open) return;
  if (p->started) p->ended(p->context, &p->end);
  release(p);
}

static void close_handle(uv_handle_t *handle) {
  if (!uv_is_closing(handle)) uv_close(handle, on_closed);
}

static void on_ended(uv_process_t *process, int64_t status, int signal) {
  struct program *p = process->data;
  p->end.status = status;
  p->end.signal = signal;
  close_handle((uv_handle_t *)&p->timer);
  close_handle((uv_handle_t *)process);
}

static void on_late(uv_timer_t *timer) {
  struct program *p = timer->data;
  p->end.late = true;
  uv_process_kill(&p->process, SIGTERM);
}

/* Both streams share the chunk: what is read is copied before the next read. */
static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct program *p = handle->data;
  *buffer = uv_buf_init(p->chunk, CHUNK);
}

static bool append(struct program_text *text, const char *bytes, size_t length, size_t most) {
  if (length > most - text->length) return false;
  uint8_t *grown = realloc(text->bytes, text->length + length);
  if (!grown) return false;
  memcpy(grown + text->length, bytes, length);
  text->bytes = grown;
  text->length += length;
  return true;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct program *p = stream->data;
  struct program_text *text = &p->end.written[(uv_pipe_t *)stream - p->pipes];
  if (count < 0) {
    close_handle((uv_handle_t *)stream);
  } else if (count > 0 && !append(text, buffer->base, (size_t)count, p->limits.most)) {
    p->end.long_winded = true;
    uv_process_kill(&p->process, SIGTERM);
    close_handle((uv_handle_t *)stream);
  }
}

int program_run(uv_loop_t *loop, char **arguments, struct program_limits limits, program_ended ended, void *context) {
  struct program *p = calloc(1, sizeof *p);
  if (!p) return -ENOMEM;
  uv_stdio_container_t streams[1 + PROGRAM_STREAMS] = {{.flags = UV_IGNORE}};
  p->limits = limits;
  p->ended = ended;
  p->context = context;
  p->timer.data = p->process.data = p;
  uv_timer_init(loop, &p->timer);
  const int pipes = limits.most ? PROGRAM_STREAMS : 0;
  for (int i = pipes; i < PROGRAM_STREAMS; i++) {
    streams[1 + i].flags = UV_INHERIT_FD;
    streams[1 + i].data.fd = 1 + i;
  }
  for (int i = 0; i < pipes; i++) {
    uv_pipe_init(loop, &p->pipes[i], 0);
    p->pipes[i].data = p;
    streams[1 + i].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    streams[1 + i].data.stream = (uv_stream_t *)&p->pipes[i];
  }
  uv_process_options_t options = {.file = arguments[0],
                                  .args = arguments,
                                  .exit_cb = on_ended,
                                  .stdio = streams,
                                  .stdio_count = 1 + PROGRAM_STREAMS};
  p->open = 2 + (unsigned)pipes;
  int error = uv_spawn(loop, &p->process, &options);
  p->started = !error;
  if (error) {
    close_handle((uv_handle_t *)&p->timer);
    close_handle((uv_handle_t *)&p->process);
    for (int i = 0; i < pipes; i++) close_handle((uv_handle_t *)&p->pipes[i]);
    return error;
  }
  for (int i = 0; i < pipes; i++) uv_read_start((uv_stream_t *)&p->pipes[i], on_room, on_read);
  if (limits.timeout) uv_timer_start(&p->timer, on_late, limits.timeout, 0);
  return uv_process_get_pid(&p->process);
}
