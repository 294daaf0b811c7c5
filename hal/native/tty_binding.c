/*
 * Node-API binding of tty.h, for hal/native/tty.ts, which has its types. Errors have one of hal's codes in `code` and
 * the system's words in `message`; they are thrown, or given to the listener.
 */
#include <errno.h>
#include <limits.h>

#include "binding/exports.h"
#include "binding/watched.h"
#include "tty.h"

/* open(path, speed, listener): the handle */
static napi_value open_line(napi_env env, napi_callback_info info) {
  napi_value values[3];
  struct watched *line;
  char path[PATH_MAX];
  size_t length = 0;
  uint32_t speed = 0;
  arguments_take(env, info, 3, values);
  if (napi_get_value_string_utf8(env, values[0], path, sizeof path, &length) != napi_ok || length + 1 == sizeof path ||
      strlen(path) != length || napi_get_value_uint32(env, values[1], &speed) != napi_ok) {
    return fail(env, EINVAL);
  }
  napi_value handle = watched_new(env, tty_read, &line);
  return handle ? watched_give(env, handle, line, tty_open(path, speed), values[2]) : NULL;
}

/* adopt(descriptor, listener): the handle. The descriptor is its own, whatever happens. */
static napi_value adopt_line(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct watched *line;
  int32_t fd = -1;
  arguments_take(env, info, 2, values);
  if (napi_get_value_int32(env, values[0], &fd) != napi_ok || fd < 0) return fail(env, EINVAL);
  napi_value handle = watched_new(env, tty_read, &line);
  if (handle) return watched_give(env, handle, line, fd, values[1]);
  close(fd);
  return NULL;
}

static napi_value write_line(napi_env env, napi_callback_info info) {
  return watched_send(env, info, tty_write);
}

/* setBreak(handle, on) */
static napi_value set_break(napi_env env, napi_callback_info info) {
  napi_value values[2];
  arguments_take(env, info, 2, values);
  const struct watched *line = external_take(env, values[0]);
  if (!line) return NULL;
  const int error = line->fd < 0 ? -ENODEV : tty_set_break(line->fd, truth_take(env, values[1]));
  return error ? fail(env, -error) : NULL;
}

static const struct exported functions[] = {{"open", open_line},     {"adopt", adopt_line},    {"write", write_line},
                                            {"setBreak", set_break}, {"close", watched_close}, {NULL, NULL}};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
