/*
 * Node-API binding of tty.h, for hal/native/tty.ts, which has its types. Errors have one of hal's codes in `code` and
 * the system's words in `message`; they are thrown, or given to the listener.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "binding/bytes.h"
#include "binding/callback.h"
#include "binding/exports.h"
#include "binding/failure.h"
#include "binding/values.h"
#include "tty.h"

enum { PIECE = 4096 };

/* A line. Its handle and the loop share the memory: the last to release it frees it. */
struct line {
  uv_poll_t poll;
  int fd; /* -1: closed */
  bool collected, unwatched;
  napi_env env;
  napi_ref listener;
};

static void free_if_done(struct line *line) {
  if (line->collected && line->unwatched) free(line);
}

static void on_unwatched(uv_handle_t *handle) {
  struct line *line = handle->data;
  line->unwatched = true;
  free_if_done(line);
}

static void end(struct line *line) {
  if (line->fd < 0) return;
  uv_poll_stop(&line->poll);
  uv_close((uv_handle_t *)&line->poll, on_unwatched);
  napi_delete_reference(line->env, line->listener);
  close(line->fd);
  line->fd = -1;
}

static void finalize(napi_env env, void *data, void *hint) {
  struct line *line = data;
  (void)env, (void)hint;
  end(line);
  line->collected = true;
  free_if_done(line);
}

/* listener(error, bytes): one of them is null. A line that failed is closed. */
static void on_readable(uv_poll_t *poll, int status, int events) {
  struct line *line = poll->data;
  const napi_env env = line->env;
  uint8_t piece[PIECE];
  const int length = status < 0 ? status : tty_read(line->fd, piece, sizeof piece);
  napi_handle_scope scope;
  napi_value listener, receiver, values[2];
  (void)events;
  if (length == 0) return;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, line->listener, &listener);
  napi_get_global(env, &receiver);
  napi_get_null(env, &values[length > 0 ? 0 : 1]);
  if (length > 0) values[1] = bytes_give(env, piece, (size_t)length);
  else values[0] = failure_give(env, -length);
  if (length < 0) end(line);
  if (values[0] && values[1]) call_back(env, receiver, listener, 2, values);
  napi_close_handle_scope(env, scope);
}

/* 0 or a negative errno. */
static int watch(struct line *line, napi_value listener) {
  uv_loop_t *loop;
  if (napi_get_uv_event_loop(line->env, &loop) != napi_ok) return -EINVAL;
  int error = uv_poll_init(loop, &line->poll, line->fd);
  if (error) return error;
  line->poll.data = line;
  line->unwatched = false;
  uv_unref((uv_handle_t *)&line->poll);
  if (napi_create_reference(line->env, listener, 1, &line->listener) != napi_ok) return -ENOMEM;
  if (!error) error = uv_poll_start(&line->poll, UV_READABLE, on_readable);
  return error;
}

/* open(path, speed, listener): the handle */
static napi_value open_line(napi_env env, napi_callback_info info) {
  napi_value values[3], handle = NULL;
  char path[PATH_MAX];
  size_t length = 0;
  uint32_t speed = 0;
  arguments_take(env, info, 3, values);
  if (napi_get_value_string_utf8(env, values[0], path, sizeof path, &length) != napi_ok || length + 1 == sizeof path ||
      strlen(path) != length || napi_get_value_uint32(env, values[1], &speed) != napi_ok) {
    return fail(env, EINVAL);
  }
  struct line *line = calloc(1, sizeof *line);
  if (!line) return fail(env, ENOMEM);
  line->env = env;
  line->unwatched = true;
  line->fd = -1;
  if (napi_create_external(env, line, finalize, NULL, &handle) != napi_ok) {
    free(line);
    return fail(env, ENOMEM);
  }
  const int fd = tty_open(path, speed);
  if (fd < 0) return fail(env, -fd);
  line->fd = fd;
  const int error = watch(line, values[2]);
  if (!error) return handle;
  if (line->unwatched) {
    close(fd);
    line->fd = -1;
  } else {
    end(line);
  }
  return fail(env, -error);
}

/* write(handle, bytes): how many of them the line took */
static napi_value write_line(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct bytes bytes;
  arguments_take(env, info, 2, values);
  struct line *line = external_take(env, values[0]);
  if (!line || !bytes_take(env, values[1], &bytes)) return NULL;
  const int result = line->fd < 0 ? -ENODEV : tty_write(line->fd, bytes.data, bytes.size);
  bytes_release(&bytes);
  return result < 0 ? fail(env, -result) : integer_give(env, result);
}

/* close(handle) */
static napi_value close_line(napi_env env, napi_callback_info info) {
  napi_value handle;
  arguments_take(env, info, 1, &handle);
  struct line *line = external_take(env, handle);
  if (line) end(line);
  return NULL;
}

static const struct exported functions[] = {
    {"open", open_line}, {"write", write_line}, {"close", close_line}, {NULL, NULL}};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
