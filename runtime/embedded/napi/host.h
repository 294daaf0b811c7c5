/*
 * Declarations that the files of this folder share. Together they are the part of Node-API
 * (https://nodejs.org/api/n-api.html) that native modules use, on top of QuickJS.
 *
 * A napi_value is an index into one stack of handles, so that making one costs a store: the first slots hold constants,
 * a handle scope is a remembered height of the stack, and every call from JavaScript into native code is a scope.
 * Finalizers run at once, while the object is being freed, and must not call into JavaScript.
 */
#ifndef MINNOW_NAPI_HOST_H
#define MINNOW_NAPI_HOST_H

#include <node_api.h>
#include <quickjs/quickjs.h>
#include <stdbool.h>
#include <stdint.h>

#define CHECK(condition, code)                      \
  do {                                              \
    if (!(condition)) return set_status(env, code); \
  } while (0)
#define CHECK_ARG(argument) CHECK((argument), napi_invalid_arg)
#define CHECK_NO_EXCEPTION() CHECK(!JS_HasException(host.context), napi_pending_exception)

/* Slots of the constants. The first is undefined as well: the value of a NULL handle. */
enum { HANDLE_NONE, HANDLE_UNDEFINED, HANDLE_NULL, HANDLE_TRUE, HANDLE_FALSE, HANDLE_GLOBAL, HANDLE_FIRST };

/* One for all native modules; it has no state. */
struct napi_env__ {
  char none;
};

extern struct host {
  JSContext *context;
  JSValue *slots;
  uint32_t top, capacity;
  JSAtom atom_length;
} host;

static inline napi_status set_status(napi_env env, napi_status status) {
  (void)env;
  return status;
}

/* Makes the constants. Before all else. */
void host_start(JSContext *context);

/* Doubles the room for handles; ends the process when there is no memory for that. */
void host_grow(void);

/* Takes ownership of `value`. */
static inline napi_value push(JSValue value) {
  if (host.top == host.capacity) host_grow();
  host.slots[host.top] = value;
  return (napi_value)(uintptr_t)host.top++;
}

static inline JSValueConst get(napi_value value) {
  return host.slots[(uintptr_t)value];
}

static inline napi_value constant(uintptr_t slot) {
  return (napi_value)slot;
}

static inline void close_scope(uint32_t height) {
  while (host.top > height) JS_FreeValue(host.context, host.slots[--host.top]);
}

/* Returns a new JavaScript value, or reports that an exception is pending. */
static inline napi_status give(napi_env env, JSValue value, napi_value *result) {
  if (JS_IsException(value)) return set_status(env, napi_pending_exception);
  *result = push(value);
  return set_status(env, napi_ok);
}

/* Defines a property with a value that may be an exception; takes ownership of it. */
static inline bool define(JSValueConst object, JSAtom name, JSValue value, int flags) {
  return !JS_IsException(value) && JS_DefinePropertyValue(host.context, object, name, value, flags) >= 0;
}

/* The class id of what `new <name>()` makes: QuickJS does not export those of its own objects. */
JSClassID host_class_of_new(const char *name);

/* A property of the global object. */
JSValue host_global(const char *name);

/* Arguments that a call into JavaScript can have. */
enum { MAX_ARGUMENTS = 16 };

#endif
