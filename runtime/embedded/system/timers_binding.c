/* Callbacks of the loop for JavaScript: timers, signals and immediates. */
#include <stdlib.h>
#include <uv.h>

#include "binding.h"
#include "hal/native/binding/callback.h"

/* A timer or a watched signal. Owned by its external value and by the loop: freed when both have released it. */
struct watch {
  union {
    uv_handle_t handle;
    uv_timer_t timer;
    uv_signal_t signal;
  } uv;
  napi_env env;
  napi_ref callback;
  bool collected, closed;
};

/* Calls what `function` refers to. Returns whether it returned true. */
static bool call(napi_env env, napi_ref function) {
  napi_handle_scope scope;
  napi_value callback, receiver;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, function, &callback);
  napi_get_global(env, &receiver);
  napi_value result = call_back(env, receiver, callback, 0, NULL);
  bool more = result && truth_take(env, result);
  napi_close_handle_scope(env, scope);
  return more;
}

static void release_watch(struct watch *watch) {
  if (watch->collected && watch->closed) free(watch);
}

static void on_collected(napi_env env, void *data, void *hint) {
  struct watch *watch = data;
  (void)env;
  (void)hint;
  watch->collected = true;
  release_watch(watch);
}

static void on_closed(uv_handle_t *handle) {
  struct watch *watch = handle->data;
  watch->closed = true;
  release_watch(watch);
}

static void stop(struct watch *watch) {
  if (uv_is_closing(&watch->uv.handle)) return;
  napi_delete_reference(watch->env, watch->callback);
  uv_close(&watch->uv.handle, on_closed);
}

static void on_timer(uv_timer_t *timer) {
  struct watch *watch = timer->data;
  if (uv_timer_get_repeat(timer) > 0) {
    call(watch->env, watch->callback);
    return;
  }
  napi_ref callback = watch->callback;
  uv_close(&watch->uv.handle, on_closed);
  call(watch->env, callback);
  napi_delete_reference(watch->env, callback);
}

static void on_signal(uv_signal_t *signal, int signal_number) {
  struct watch *watch = signal->data;
  (void)signal_number;
  call(watch->env, watch->callback);
}

static struct watch *new_watch(napi_env env, napi_value callback, napi_value *external) {
  struct watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  watch->env = env;
  watch->closed = true; /* until the loop has it */
  if (napi_create_external(env, watch, on_collected, NULL, external) != napi_ok) {
    free(watch);
    return NULL;
  }
  return napi_create_reference(env, callback, 1, &watch->callback) == napi_ok ? watch : NULL;
}

/* startTimer(milliseconds, repeats, callback) */
static napi_value start_timer(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  uv_loop_t *loop;
  napi_value external;
  struct watch *watch = new_watch(env, values[2], &external);
  if (!watch) return NULL;
  int64_t delay = integer_take(env, values[0]);
  bool repeats = truth_take(env, values[1]);
  napi_get_uv_event_loop(env, &loop);
  uv_timer_init(loop, &watch->uv.timer);
  watch->uv.handle.data = watch;
  watch->closed = false;
  uv_update_time(loop);
  uv_timer_start(&watch->uv.timer, on_timer, (uint64_t)delay, repeats ? (uint64_t)delay : 0);
  return external;
}

/* watchSignal(number, callback): the handle, which does not keep the process alive, or a negative errno */
static napi_value watch_signal(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  uv_loop_t *loop;
  napi_value external;
  struct watch *watch = new_watch(env, values[1], &external);
  if (!watch) return NULL;
  napi_get_uv_event_loop(env, &loop);
  uv_signal_init(loop, &watch->uv.signal);
  watch->uv.handle.data = watch;
  watch->closed = false;
  const int started = uv_signal_start(&watch->uv.signal, on_signal, int_take(env, values[0]));
  uv_unref(&watch->uv.handle);
  if (started == 0) return external;
  stop(watch);
  return number_give(env, started);
}

static napi_value stop_watch(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  void *watch;
  if (napi_get_value_external(env, values[0], &watch) == napi_ok) stop(watch);
  return NULL;
}

/* keepAlive(watch, whether) */
static napi_value keep_alive(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  void *data;
  bool whether = false;
  if (napi_get_value_external(env, values[0], &data) != napi_ok) return NULL;
  struct watch *watch = data;
  napi_get_value_bool(env, values[1], &whether);
  if (whether) uv_ref(&watch->uv.handle);
  else uv_unref(&watch->uv.handle);
  return NULL;
}

/* The check handle runs immediates after the loop has looked for events, the idle handle keeps it from waiting. */
static struct {
  uv_check_t check;
  uv_idle_t idle;
  napi_env env;
  napi_ref callback;
} immediates;

static void on_idle(uv_idle_t *idle) {
  (void)idle;
}

static void on_check(uv_check_t *check) {
  (void)check;
  uv_check_stop(&immediates.check);
  uv_idle_stop(&immediates.idle);
  while (call(immediates.env, immediates.callback)) continue;
}

/* onImmediate(callback): what wakeUp causes, once; called again for as long as it returns true */
static napi_value on_immediate(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  uv_loop_t *loop;
  immediates.env = env;
  napi_create_reference(env, values[0], 1, &immediates.callback);
  napi_get_uv_event_loop(env, &loop);
  uv_check_init(loop, &immediates.check);
  uv_idle_init(loop, &immediates.idle);
  return NULL;
}

static napi_value wake_up(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  uv_check_start(&immediates.check, on_check);
  uv_idle_start(&immediates.idle, on_idle);
  return NULL;
}

const struct exported system_timers[] = {
    {"startTimer", start_timer},   {"watchSignal", watch_signal}, {"stop", stop_watch}, {"keepAlive", keep_alive},
    {"onImmediate", on_immediate}, {"wakeUp", wake_up},           {NULL, NULL},
};
