#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct host host;
unsigned host_depth;

void host_grow(void) {
  static const char message[] = "{\"level\":\"error\",\"message\":\"out of memory for native handles\"}\n";
  const uint32_t capacity = host.capacity > 0 ? host.capacity * 2 : 256;
  JSValue *grown = realloc(host.slots, capacity * sizeof *grown);
  if (grown == NULL) {
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) abort();
    _exit(1);
  }
  host.slots = grown;
  host.capacity = capacity;
}

JSValue host_global(const char *name) {
  return JS_GetPropertyStr(host.context, get(constant(HANDLE_GLOBAL)), name);
}

JSClassID host_class_of_new(const char *name) {
  JSValue constructor = host_global(name);
  JSValue object = JS_CallConstructor(host.context, constructor, 0, NULL);
  const JSClassID id = JS_GetClassID(object);
  JS_FreeValue(host.context, object);
  JS_FreeValue(host.context, constructor);
  return id;
}

int napi_host_start(JSContext *context) {
  host.context = context;
  host.atom_length = JS_NewAtom(context, "length");
  push(JS_UNDEFINED);
  push(JS_UNDEFINED);
  push(JS_NULL);
  push(JS_TRUE);
  push(JS_FALSE);
  push(JS_GetGlobalObject(context));
  if (host_start_owned() < 0 || host_start_functions() < 0 || host_start_references() < 0 || host_start_errors() < 0 ||
      host_start_values() < 0 || host_start_buffers() < 0 || host_start_promises() < 0)
    return -ENOMEM;
  return JS_HasException(context) ? -ENOMEM : 0;
}

JSValue napi_host_load(const struct native_module *module) {
  const uint32_t height = host.top;
  napi_env env = calloc(1, sizeof *env); /* lives as long as the process */
  JSValue object = JS_NewObject(host.context);
  if (env == NULL || JS_IsException(object)) {
    free(env);
    JS_FreeValue(host.context, object);
    return JS_ThrowOutOfMemory(host.context);
  }
  napi_value exports = push(object);
  host_depth++;
  napi_value replaced = module->init(env, exports);
  host_depth--;
  if (replaced == NULL) replaced = exports;
  JSValue result = JS_HasException(host.context) ? JS_EXCEPTION : JS_DupValue(host.context, get(replaced));
  close_scope(height);
  return result;
}

void napi_host_release_handles(void) {
  close_scope(HANDLE_FIRST);
}

napi_status napi_get_last_error_info(node_api_basic_env env, const napi_extended_error_info **result) {
  static const char *const messages[] = {
    NULL, "Invalid argument", "An object was expected", "A string was expected",
    "A string or symbol was expected", "A function was expected", "A number was expected", "A boolean was expected",
    "An array was expected", "Unknown failure", "An exception is pending", "The async work item was cancelled",
    "napi_escape_handle already called on scope", "Invalid handle scope usage", "Invalid callback scope usage",
    "Thread-safe function queue is full", "Thread-safe function handle is closing", "A bigint was expected",
    "A date was expected", "An arraybuffer was expected", "A detachable arraybuffer was expected",
    "Main thread would deadlock", "External buffers are not allowed", "Cannot run JavaScript"
  };
  env->last_error.error_message = messages[env->last_error.error_code];
  *result = &env->last_error;
  return napi_ok;
}

napi_status napi_get_version(node_api_basic_env env, uint32_t *result) {
  *result = NAPI_VERSION;
  return set_status(env, napi_ok);
}

void napi_fatal_error(const char *location, size_t location_length, const char *message, size_t message_length) {
  if (location == NULL) location_length = 0;
  else if (location_length == NAPI_AUTO_LENGTH) location_length = strlen(location);
  if (message_length == NAPI_AUTO_LENGTH) message_length = strlen(message);
  dprintf(2, "{\"level\":\"error\",\"message\":\"%.*s: %.*s\"}\n", (int)location_length, location,
          (int)message_length, message);
  abort();
}

napi_status napi_fatal_exception(napi_env env, napi_value error) {
  JS_Throw(host.context, JS_DupValue(host.context, get(error)));
  engine_uncaught("uncaughtException");
  return set_status(env, napi_ok);
}
