/*
 * Node-API binding of the operating system: files, process, timers, signals. system.d.ts has its types. A call that can
 * fail gives a negative errno, of which the drop-ins make the error that Node.js throws.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "system.h"

extern char **environ;

/* ---- arguments and results ---- */

struct arguments {
  napi_value values[3];
  void *data;
};

static struct arguments arguments_of(napi_env env, napi_callback_info info) {
  struct arguments arguments;
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments.values, NULL, &arguments.data);
  return arguments;
}

static int32_t integer(napi_env env, napi_value value) {
  int32_t number = 0;
  napi_get_value_int32(env, value, &number);
  return number;
}

/* False when the path is no string or longer than the system allows. */
static bool path_of(napi_env env, napi_value value, char path[PATH_MAX]) {
  size_t length;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length >= PATH_MAX) return false;
  return napi_get_value_string_utf8(env, value, path, PATH_MAX, NULL) == napi_ok;
}

static napi_value number(napi_env env, double value) {
  napi_value result;
  return napi_create_double(env, value, &result) == napi_ok ? result : NULL;
}

static napi_value text(napi_env env, const char *value) {
  napi_value result;
  return napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result) == napi_ok ? result : NULL;
}

static napi_value outcome(napi_env env, int result) {
  return number(env, result < 0 ? -errno : result);
}

static void set_text(napi_env env, napi_value object, const char *name, const char *value) {
  napi_set_named_property(env, object, name, text(env, value));
}

/* ---- files ---- */

static napi_value open_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, open(path, integer(env, a.values[1]) | O_CLOEXEC, (mode_t)integer(env, a.values[2])));
}

static napi_value close_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  return outcome(env, close(integer(env, a.values[0])));
}

static napi_value sync_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  return outcome(env, fsync(integer(env, a.values[0])));
}

static void free_bytes(napi_env env, void *bytes, void *hint) {
  (void)env;
  (void)hint;
  free(bytes);
}

static napi_value read_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  uint8_t *bytes;
  size_t length;
  napi_value buffer, view = NULL;
  const int result = system_read_all(integer(env, a.values[0]), &bytes, &length);
  if (result < 0) return number(env, result);
  if (napi_create_external_arraybuffer(env, bytes, length, free_bytes, NULL, &buffer) != napi_ok) {
    free(bytes);
    return NULL;
  }
  napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &view);
  return view;
}

/* A string goes out as UTF-8, bytes as they are. */
static napi_value write_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  const int fd = integer(env, a.values[0]);
  void *bytes;
  size_t length;
  bool is_bytes;
  if (napi_is_typedarray(env, a.values[1], &is_bytes) == napi_ok && is_bytes) {
    napi_get_buffer_info(env, a.values[1], &bytes, &length);
    return number(env, system_write_all(fd, bytes, length));
  }
  char small[1024];
  if (napi_get_value_string_utf8(env, a.values[1], NULL, 0, &length) != napi_ok) return number(env, -EINVAL);
  char *copy = length < sizeof small ? small : malloc(length + 1);
  if (copy == NULL) return number(env, -ENOMEM);
  napi_get_value_string_utf8(env, a.values[1], copy, length + 1, NULL);
  const int result = system_write_all(fd, copy, length);
  if (copy != small) free(copy);
  return number(env, result);
}

static napi_value make_folder(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, mkdir(path, (mode_t)integer(env, a.values[1])));
}

static napi_value rename_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char from[PATH_MAX], to[PATH_MAX];
  if (!path_of(env, a.values[0], from) || !path_of(env, a.values[1], to)) return number(env, -ENAMETOOLONG);
  return outcome(env, rename(from, to));
}

/* unlink and rmdir, as the function's data says */
static napi_value remove_path(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  int (*remove_one)(const char *) = a.data == NULL ? unlink : rmdir;
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, remove_one(path));
}

static napi_value change_mode(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, chmod(path, (mode_t)integer(env, a.values[1])));
}

static napi_value check_access(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, access(path, integer(env, a.values[1])));
}

static napi_value status_of(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  struct stat status;
  napi_value result;
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  if (lstat(path, &status) < 0) return number(env, -errno);
  bool follow = false;
  napi_get_value_bool(env, a.values[1], &follow);
  if (follow && S_ISLNK(status.st_mode) && stat(path, &status) < 0) return number(env, -errno);
  napi_create_object(env, &result);
  napi_set_named_property(env, result, "mode", number(env, status.st_mode));
  napi_set_named_property(env, result, "size", number(env, (double)status.st_size));
  const double modified = (double)status.st_mtim.tv_sec * 1e3 + (double)status.st_mtim.tv_nsec / 1e6;
  napi_set_named_property(env, result, "mtimeMs", number(env, modified));
  return result;
}

static napi_value list_folder(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX], **names;
  size_t count;
  napi_value result;
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  const int listed = system_list(path, &names, &count);
  if (listed < 0) return number(env, listed);
  napi_create_array(env, &result);
  for (size_t i = 0; i < count; i++) napi_set_element(env, result, (uint32_t)i, text(env, names[i]));
  system_free_names(names, count);
  return result;
}

/* ---- process and machine ---- */

static napi_value describe_error(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  const int code = integer(env, a.values[0]);
  napi_value result;
  napi_create_object(env, &result);
  set_text(env, result, "code", uv_err_name(code));
  set_text(env, result, "text", uv_strerror(code));
  return result;
}

static napi_value environment(napi_env env, napi_callback_info info) {
  napi_value result, name;
  (void)info;
  napi_create_object(env, &result);
  for (char **entry = environ; *entry != NULL; entry++) {
    const char *equals = strchr(*entry, '=');
    if (equals == NULL) continue;
    napi_create_string_utf8(env, *entry, (size_t)(equals - *entry), &name);
    napi_set_property(env, result, name, text(env, equals + 1));
  }
  return result;
}

static napi_value working_folder(napi_env env, napi_callback_info info) {
  char path[PATH_MAX];
  (void)info;
  return getcwd(path, sizeof path) == NULL ? number(env, -errno) : text(env, path);
}

static napi_value process_id(napi_env env, napi_callback_info info) {
  (void)info;
  return number(env, getpid());
}

static napi_value resident_memory(napi_env env, napi_callback_info info) {
  size_t bytes;
  (void)info;
  const int result = system_resident_memory(&bytes);
  return number(env, result < 0 ? result : (double)bytes);
}

static napi_value monotonic_time(napi_env env, napi_callback_info info) {
  napi_value result;
  (void)info;
  return napi_create_bigint_uint64(env, uv_hrtime(), &result) == napi_ok ? result : NULL;
}

static napi_value monotonic_milliseconds(napi_env env, napi_callback_info info) {
  (void)info;
  return number(env, (double)uv_hrtime() / 1e6);
}

static napi_value host_name(napi_env env, napi_callback_info info) {
  char name[UV_MAXHOSTNAMESIZE];
  (void)info;
  if (gethostname(name, sizeof name) < 0) return number(env, -errno);
  name[sizeof name - 1] = '\0';
  return text(env, name);
}

static napi_value describe_interface(napi_env env, const uv_interface_address_t *interface) {
  char address[INET6_ADDRSTRLEN], mask[INET6_ADDRSTRLEN], hardware[18];
  const unsigned char *mac = (const unsigned char *)interface->phys_addr;
  const bool is_v6 = interface->address.address4.sin_family == AF_INET6;
  napi_value result, internal;
  if (is_v6) {
    uv_ip6_name(&interface->address.address6, address, sizeof address);
    uv_ip6_name(&interface->netmask.netmask6, mask, sizeof mask);
  } else {
    uv_ip4_name(&interface->address.address4, address, sizeof address);
    uv_ip4_name(&interface->netmask.netmask4, mask, sizeof mask);
  }
  snprintf(hardware, sizeof hardware, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
  napi_create_object(env, &result);
  set_text(env, result, "name", interface->name);
  set_text(env, result, "address", address);
  set_text(env, result, "netmask", mask);
  set_text(env, result, "family", is_v6 ? "IPv6" : "IPv4");
  set_text(env, result, "mac", hardware);
  napi_get_boolean(env, interface->is_internal != 0, &internal);
  napi_set_named_property(env, result, "internal", internal);
  if (is_v6) napi_set_named_property(env, result, "scopeid", number(env, interface->address.address6.sin6_scope_id));
  return result;
}

static napi_value network_interfaces(napi_env env, napi_callback_info info) {
  uv_interface_address_t *interfaces;
  int count;
  napi_value result;
  (void)info;
  const int listed = uv_interface_addresses(&interfaces, &count);
  if (listed < 0) return number(env, listed);
  napi_create_array(env, &result);
  for (int i = 0; i < count; i++) napi_set_element(env, result, (uint32_t)i, describe_interface(env, &interfaces[i]));
  uv_free_interface_addresses(interfaces, count);
  return result;
}

/* ---- what the loop calls back ---- */

/* A timer or a watched signal. Owned by its external value and by the loop: freed when both let go. */
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

/* Calls `function` from the loop; what it throws is an uncaught exception. Returns whether it returned true. */
static bool call_back(napi_env env, napi_ref function) {
  napi_handle_scope scope;
  napi_value callback, receiver, result, error;
  bool more = false;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, function, &callback);
  napi_get_global(env, &receiver);
  if (napi_make_callback(env, NULL, receiver, callback, 0, NULL, &result) == napi_ok) {
    napi_get_value_bool(env, result, &more);
  } else {
    napi_get_and_clear_last_exception(env, &error);
    napi_fatal_exception(env, error);
  }
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
    call_back(watch->env, watch->callback);
    return;
  }
  napi_ref callback = watch->callback;
  uv_close(&watch->uv.handle, on_closed);
  call_back(watch->env, callback);
  napi_delete_reference(watch->env, callback);
}

static void on_signal(uv_signal_t *signal, int signal_number) {
  struct watch *watch = signal->data;
  (void)signal_number;
  call_back(watch->env, watch->callback);
}

static struct watch *new_watch(napi_env env, napi_value callback, napi_value *external) {
  struct watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
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
  struct arguments a = arguments_of(env, info);
  uv_loop_t *loop;
  int64_t delay = 0;
  bool repeats = false;
  napi_value external;
  struct watch *watch = new_watch(env, a.values[2], &external);
  if (watch == NULL) return NULL;
  napi_get_value_int64(env, a.values[0], &delay);
  napi_get_value_bool(env, a.values[1], &repeats);
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
  struct arguments a = arguments_of(env, info);
  uv_loop_t *loop;
  napi_value external;
  struct watch *watch = new_watch(env, a.values[1], &external);
  if (watch == NULL) return NULL;
  napi_get_uv_event_loop(env, &loop);
  uv_signal_init(loop, &watch->uv.signal);
  watch->uv.handle.data = watch;
  watch->closed = false;
  const int started = uv_signal_start(&watch->uv.signal, on_signal, integer(env, a.values[0]));
  uv_unref(&watch->uv.handle);
  if (started == 0) return external;
  stop(watch);
  return number(env, started);
}

static napi_value stop_watch(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  void *watch;
  if (napi_get_value_external(env, a.values[0], &watch) == napi_ok) stop(watch);
  return NULL;
}

/* keepAlive(watch, whether) */
static napi_value keep_alive(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  void *data;
  bool whether = false;
  if (napi_get_value_external(env, a.values[0], &data) != napi_ok) return NULL;
  struct watch *watch = data;
  napi_get_value_bool(env, a.values[1], &whether);
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
  while (call_back(immediates.env, immediates.callback)) continue;
}

/* onImmediate(callback): what wakeUp causes, once; called again for as long as it returns true */
static napi_value on_immediate(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  uv_loop_t *loop;
  immediates.env = env;
  napi_create_reference(env, a.values[0], 1, &immediates.callback);
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

NAPI_MODULE_INIT() {
  static int folders;
  const struct {
    const char *name;
    napi_callback function;
    void *data;
  } functions[] = {
    { "open", open_file, NULL }, { "close", close_file, NULL }, { "fsync", sync_file, NULL },
    { "read", read_file, NULL }, { "write", write_file, NULL }, { "mkdir", make_folder, NULL },
    { "rename", rename_file, NULL }, { "unlink", remove_path, NULL }, { "rmdir", remove_path, &folders },
    { "chmod", change_mode, NULL }, { "access", check_access, NULL }, { "stat", status_of, NULL },
    { "readdir", list_folder, NULL }, { "describeError", describe_error, NULL }, { "environment", environment, NULL },
    { "cwd", working_folder, NULL }, { "pid", process_id, NULL },
    { "residentMemory", resident_memory, NULL }, { "monotonicTime", monotonic_time, NULL },
    { "now", monotonic_milliseconds, NULL }, { "hostname", host_name, NULL },
    { "networkInterfaces", network_interfaces, NULL }, { "startTimer", start_timer, NULL },
    { "watchSignal", watch_signal, NULL }, { "stop", stop_watch, NULL }, { "keepAlive", keep_alive, NULL },
    { "onImmediate", on_immediate, NULL }, { "wakeUp", wake_up, NULL }
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    const char *name = functions[i].name;
    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, functions[i].function, functions[i].data, &function) ||
        napi_set_named_property(env, exports, name, function))
      return NULL;
  }
  return exports;
}
