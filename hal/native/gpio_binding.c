/*
 * Node-API binding of gpio.h, for hal/native/gpio.ts, which has its types. Errors have one of hal's codes in `code` and
 * the system's words in `message`; they are thrown, or given to the listener.
 */
#include <errno.h>
#include <limits.h>
#include <node_api.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "binding/callback.h"
#include "binding/exports.h"
#include "binding/failure.h"
#include "gpio.h"

/* A descriptor that the loop polls. The loop owns the memory until it has closed it. */
struct watch {
  uv_poll_t poll;
  struct device *device;
};

/* One line. */
struct device {
  struct gpio_line line;
  struct gpio_press press;
  bool open, pressed;
  napi_env env;
  napi_ref listener;   /* of the edges, or of the end of the press */
  struct watch *watch; /* of the line, or of the press */
};

static bool get_path(napi_env env, napi_value value, char path[static PATH_MAX]) {
  size_t length = 0;
  return napi_get_value_string_utf8(env, value, NULL, 0, &length) == napi_ok && length < PATH_MAX &&
         napi_get_value_string_utf8(env, value, path, PATH_MAX, NULL) == napi_ok && strlen(path) == length;
}

static bool get_integer(napi_env env, napi_value value, double least, double most, double *number) {
  return napi_get_value_double(env, value, number) == napi_ok && *number >= least && *number <= most &&
         *number == (double)(int64_t)*number;
}

static bool get_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  size_t given = count;
  return napi_get_cb_info(env, info, &given, values, NULL, NULL) == napi_ok && given >= count;
}

/* The first argument's device and the other arguments; NULL when that threw. */
static struct device *device_of(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  void *device = NULL;
  if (!get_arguments(env, info, count, values) || napi_get_value_external(env, values[0], &device) != napi_ok) {
    fail(env, EINVAL);
    return NULL;
  }
  struct device *const it = device;
  if (it->open) return it;
  fail(env, ENODEV);
  return NULL;
}

/* ---- events of the loop ---- */

static void on_watch_closed(uv_handle_t *handle) {
  free(handle->data);
}

/* Ends the events for the listener. */
static void unwatch(struct device *device) {
  if (device->watch) {
    uv_poll_stop(&device->watch->poll);
    uv_close((uv_handle_t *)&device->watch->poll, on_watch_closed);
  }
  if (device->listener) napi_delete_reference(device->env, device->listener);
  device->watch = NULL;
  device->listener = NULL;
}

/* Calls `listener` when the descriptor has something to read. 0 or a negative errno. */
static int watch(struct device *device, int fd, napi_value listener, bool keeps_alive, uv_poll_cb callback) {
  uv_loop_t *loop;
  struct watch *made = calloc(1, sizeof *made);
  if (!made || napi_get_uv_event_loop(device->env, &loop) != napi_ok || uv_poll_init(loop, &made->poll, fd) < 0) {
    free(made);
    return -ENOMEM;
  }
  made->device = device;
  made->poll.data = made;
  device->watch = made;
  if (napi_create_reference(device->env, listener, 1, &device->listener) != napi_ok) return -EINVAL;
  if (!keeps_alive) uv_unref((uv_handle_t *)&made->poll);
  return uv_poll_start(&made->poll, UV_READABLE, callback);
}

/* listener(error | null, ...) */
static void call_listener(napi_env env, napi_value listener, int error, size_t count, napi_value values[static 3]) {
  napi_value receiver;
  napi_get_global(env, &receiver);
  if (error) values[0] = failure_give(env, error);
  else napi_get_null(env, &values[0]);
  if (values[0]) call_back(env, receiver, listener, count, values);
}

static void call_edge_listener(struct device *device, int error, struct gpio_edge edge) {
  const napi_env env = device->env;
  napi_handle_scope scope;
  napi_value listener, values[3];
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, device->listener, &listener);
  napi_get_boolean(env, edge.active, &values[1]);
  napi_create_bigint_uint64(env, edge.nanoseconds, &values[2]);
  call_listener(env, listener, error, 3, values);
  napi_close_handle_scope(env, scope);
}

static void on_edges(uv_poll_t *poll, int status, int events) {
  struct watch *const watch = poll->data;
  struct device *const device = watch->device;
  struct gpio_edge edge = {0};
  int result = status < 0 ? status : 1;
  (void)events;
  /* The listener may close the line, and collect the device with it. */
  while (result > 0 && (result = gpio_line_edge(&device->line, &edge)) > 0) {
    call_edge_listener(device, 0, edge);
    if (uv_is_closing((uv_handle_t *)poll)) return;
  }
  if (result == 0) return;
  uv_poll_stop(poll);
  call_edge_listener(device, -result, (struct gpio_edge){0});
}

static void on_press_ended(uv_poll_t *poll, int status, int events) {
  struct watch *const watch = poll->data;
  struct device *const device = watch->device;
  const napi_env env = device->env;
  napi_handle_scope scope;
  napi_value listener, values[3];
  (void)status;
  (void)events;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, device->listener, &listener);
  uv_poll_stop(poll);
  const int result = gpio_press_end(&device->press, &device->line);
  device->pressed = false;
  unwatch(device);
  call_listener(env, listener, -result, 1, values);
  napi_close_handle_scope(env, scope);
}

/* ---- what JavaScript calls ---- */

static int release_line(struct device *device) {
  int result = 0;
  unwatch(device);
  if (device->pressed) result = gpio_press_end(&device->press, &device->line);
  device->pressed = false;
  return result;
}

static int end(struct device *device) {
  const int result = release_line(device);
  gpio_line_close(&device->line);
  device->open = false;
  return result;
}

static void finalize(napi_env env, void *data, void *hint) {
  struct device *device = data;
  (void)env;
  (void)hint;
  if (device->open) end(device);
  free(device);
}

static bool set_text(napi_env env, napi_value object, const char *name, const char *text) {
  napi_value value;
  return napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value) == napi_ok &&
         napi_set_named_property(env, object, name, value) == napi_ok;
}

/* 0 or a negative errno. */
static int describe_line(napi_env env, const struct gpio_chip *chip, uint32_t offset, napi_value lines) {
  struct gpio_line_facts facts;
  napi_value line, used;
  const int result = gpio_chip_line(chip, &gpio_linux, offset, &facts);
  if (result < 0) return result;
  const bool made = napi_create_object(env, &line) == napi_ok && set_text(env, line, "name", facts.name) &&
                    set_text(env, line, "consumer", facts.consumer) &&
                    napi_get_boolean(env, facts.used, &used) == napi_ok &&
                    napi_set_named_property(env, line, "used", used) == napi_ok &&
                    napi_set_element(env, lines, offset, line) == napi_ok;
  return made ? 0 : -ENOMEM;
}

/* describe(path) */
static napi_value describe_chip(napi_env env, napi_callback_info info) {
  napi_value path_value, object, lines;
  char path[PATH_MAX];
  struct gpio_chip chip;
  if (!get_arguments(env, info, 1, &path_value) || !get_path(env, path_value, path)) return fail(env, EINVAL);
  int result = gpio_chip_open(&chip, &gpio_linux, path);
  if (result < 0) return fail(env, -result);
  if (napi_create_object(env, &object) != napi_ok || !set_text(env, object, "name", chip.name) ||
      !set_text(env, object, "label", chip.label) || napi_create_array(env, &lines) != napi_ok ||
      napi_set_named_property(env, object, "lines", lines) != napi_ok) {
    result = -ENOMEM;
  }
  for (uint32_t i = 0; result == 0 && i < chip.lines; i++) result = describe_line(env, &chip, i, lines);
  gpio_chip_close(&chip, &gpio_linux);
  return result < 0 ? fail(env, -result) : object;
}

/* The handle of a line. */
static napi_value open_line(napi_env env, const napi_value *values, enum gpio_use use, napi_value listener) {
  napi_value handle;
  char path[PATH_MAX];
  double offset;
  bool active_low;
  struct gpio_chip chip;
  if (!get_path(env, values[0], path) || !get_integer(env, values[1], 0, UINT32_MAX, &offset) ||
      napi_get_value_bool(env, values[2], &active_low) != napi_ok) {
    return fail(env, EINVAL);
  }
  struct device *device = calloc(1, sizeof *device);
  if (!device) return fail(env, ENOMEM);
  device->env = env;
  if (napi_create_external(env, device, finalize, NULL, &handle) != napi_ok) {
    free(device);
    return fail(env, ENOMEM);
  }
  int result = gpio_chip_open(&chip, &gpio_linux, path);
  if (result < 0) return fail(env, -result);
  result = gpio_line_open(&device->line, &gpio_linux, &chip, (uint32_t)offset, active_low, use);
  gpio_chip_close(&chip, &gpio_linux);
  if (result < 0) return fail(env, -result);
  device->open = true;
  if (use == GPIO_WATCHED_INPUT) result = watch(device, device->line.fd, listener, false, on_edges);
  if (result == 0) return handle;
  end(device);
  return fail(env, -result);
}

static bool is_function(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_function;
}

/* input(path, offset, activeLow, listener(error, active, nanoseconds)) */
static napi_value open_input(napi_env env, napi_callback_info info) {
  napi_value values[4];
  if (!get_arguments(env, info, 4, values) || !is_function(env, values[3])) return fail(env, EINVAL);
  return open_line(env, values, GPIO_WATCHED_INPUT, values[3]);
}

/* output(path, offset, activeLow, openDrain) */
static napi_value open_output(napi_env env, napi_callback_info info) {
  napi_value values[4];
  bool open_drain;
  if (!get_arguments(env, info, 4, values) || napi_get_value_bool(env, values[3], &open_drain) != napi_ok) {
    return fail(env, EINVAL);
  }
  return open_line(env, values, open_drain ? GPIO_OPEN_DRAIN_OUTPUT : GPIO_OUTPUT, NULL);
}

/* get(handle) */
static napi_value get_line(napi_env env, napi_callback_info info) {
  napi_value handle, active;
  const struct device *device = device_of(env, info, 1, &handle);
  if (!device) return NULL;
  const int result = gpio_line_get(&device->line);
  if (result < 0 || napi_get_boolean(env, result == 1, &active) != napi_ok)
    return fail(env, result < 0 ? -result : EIO);
  return active;
}

/* press(handle, milliseconds, listener(error)): -1 is until release */
static napi_value press_line(napi_env env, napi_callback_info info) {
  napi_value values[3];
  double milliseconds;
  struct device *device = device_of(env, info, 3, values);
  if (!device) return NULL;
  if (!get_integer(env, values[1], -1, INT_MAX, &milliseconds) || !is_function(env, values[2]))
    return fail(env, EINVAL);
  if (device->pressed) return fail(env, EBUSY);
  int result = gpio_press_start(&device->press, &device->line, (int)milliseconds);
  if (result < 0) return fail(env, -result);
  device->pressed = true;
  result = watch(device, device->press.fd, values[2], true, on_press_ended);
  if (result < 0) release_line(device);
  return done(env, result);
}

/* release(handle): ends a press, whose listener is not called any more */
static napi_value release_press(napi_env env, napi_callback_info info) {
  napi_value handle;
  struct device *device = device_of(env, info, 1, &handle);
  if (!device) return NULL;
  return done(env, device->line.use == GPIO_WATCHED_INPUT ? -EINVAL : release_line(device));
}

/* close(handle) */
static napi_value close_line(napi_env env, napi_callback_info info) {
  napi_value handle;
  struct device *device = device_of(env, info, 1, &handle);
  return device ? done(env, end(device)) : NULL;
}

static const struct exported functions[] = {
    {"describe", describe_chip}, {"input", open_input},      {"output", open_output}, {"get", get_line},
    {"press", press_line},       {"release", release_press}, {"close", close_line},   {NULL, NULL},
};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
