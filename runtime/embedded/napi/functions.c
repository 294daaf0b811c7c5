/* Native functions, and calls in both directions. */
#include <stdlib.h>
#include <string.h>

#include "../engine.h"
#include "host.h"
#include "parts.h"

/* The state of a native function; owned by the function object. */
struct native_function {
  napi_env env;
  napi_callback callback;
  void *data;
};

struct napi_callback_info__ {
  struct native_function *function;
  JSValueConst self;
  JSValueConst *arguments;
  size_t count;
};

static JSClassID function_class;
static JSValue function_prototype;
static JSAtom atom_name;

static void finalize_function(JSRuntime *rt, JSValue value) {
  (void)rt;
  free(JS_GetOpaque(value, function_class));
}

static JSValue call_native(JSContext *ctx, JSValueConst function_value, JSValueConst self, int argc, JSValueConst *argv,
                           int flags) {
  (void)flags;
  struct native_function *function = JS_GetOpaque(function_value, function_class);
  struct napi_callback_info__ info = {function, self, argv, (size_t)argc};
  const uint32_t height = host.top;
  engine_depth++;
  napi_value returned = function->callback(function->env, &info);
  engine_depth--;
  /* NULL is slot 0, which is undefined. */
  JSValue result = JS_HasException(ctx) ? JS_EXCEPTION : JS_DupValue(ctx, get(returned));
  close_scope(height);
  return result;
}

int host_start_functions(void) {
  const JSClassDef definition = {"NativeFunction", .finalizer = finalize_function, .call = call_native};
  atom_name = JS_NewAtom(host.context, "name");
  JSValue function = host_global("Function");
  function_prototype = JS_GetPropertyStr(host.context, function, "prototype");
  JS_FreeValue(host.context, function);
  JS_NewClassID(&function_class);
  return JS_NewClass(JS_GetRuntime(host.context), function_class, &definition);
}

static JSValue new_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data) {
  struct native_function *function = malloc(sizeof *function);
  if (!function) return JS_ThrowOutOfMemory(host.context);
  *function = (struct native_function){env, callback, data};
  JSValue object = JS_NewObjectProtoClass(host.context, function_prototype, function_class);
  if (JS_IsException(object)) {
    free(function);
    return object;
  }
  JS_SetOpaque(object, function);
  if (!name) length = 0;
  else if (length == NAPI_AUTO_LENGTH) length = strlen(name);
  JSValue text = JS_NewStringLen(host.context, name ? name : "", length);
  if (define(object, atom_name, text, JS_PROP_CONFIGURABLE) &&
      define(object, host.atom_length, JS_NewInt32(host.context, 0), JS_PROP_CONFIGURABLE))
    return object;
  JS_FreeValue(host.context, object);
  return JS_EXCEPTION;
}

napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data,
                                 napi_value *result) {
  CHECK_ARG(callback);
  CHECK_NO_EXCEPTION();
  return give(env, new_function(env, name, length, callback, data), result);
}

napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments,
                             napi_value *self, void **data) {
  if (count) {
    if (arguments) {
      for (size_t i = 0; i < *count; i++) {
        arguments[i] =
            i < info->count ? push(JS_DupValue(host.context, info->arguments[i])) : constant(HANDLE_UNDEFINED);
      }
    }
    *count = info->count;
  }
  if (self) *self = push(JS_DupValue(host.context, info->self));
  if (data) *data = info->function->data;
  return set_status(env, napi_ok);
}

/* Copies handles to values without taking ownership: the handles keep them alive during the call. */
static bool spread(size_t count, const napi_value *arguments, JSValueConst *values) {
  if (count > MAX_ARGUMENTS) return false;
  for (size_t i = 0; i < count; i++) values[i] = get(arguments[i]);
  return true;
}

napi_status napi_call_function(napi_env env, napi_value self, napi_value function, size_t count,
                               const napi_value *arguments, napi_value *result) {
  JSValueConst values[MAX_ARGUMENTS];
  CHECK_ARG(function);
  CHECK_NO_EXCEPTION();
  CHECK(spread(count, arguments, values), napi_invalid_arg);
  CHECK(JS_IsFunction(host.context, get(function)), napi_invalid_arg);
  engine_depth++;
  JSValue returned = JS_Call(host.context, get(function), get(self), (int)count, values);
  engine_depth--;
  if (JS_IsException(returned) || result) return give(env, returned, result);
  JS_FreeValue(host.context, returned);
  return set_status(env, napi_ok);
}

napi_status napi_make_callback(napi_env env, napi_async_context async, napi_value self, napi_value function,
                               size_t count, const napi_value *arguments, napi_value *result) {
  (void)async;
  CHECK_ARG(self);
  CHECK(JS_IsObject(get(self)), napi_object_expected);
  const napi_status status = napi_call_function(env, self, function, count, arguments, result);
  if (engine_depth > 0) return status;
  JSValue exception = status == napi_pending_exception ? JS_GetException(host.context) : JS_UNDEFINED;
  engine_pump();
  if (status == napi_pending_exception) JS_Throw(host.context, exception);
  return set_status(env, status);
}
