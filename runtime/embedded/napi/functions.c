/* Native functions, classes, and calls in both directions. */
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
  bool is_class;
};

struct napi_callback_info__ {
  struct native_function *function;
  JSValueConst self, new_target;
  JSValueConst *arguments;
  size_t count;
};

static JSClassID function_class;
static JSValue function_prototype;
static JSAtom atom_prototype, atom_constructor, atom_name;

static void finalize_function(JSRuntime *rt, JSValue value) {
  (void)rt;
  free(JS_GetOpaque(value, function_class));
}

static JSValue call_native(JSContext *ctx, JSValueConst function_value, JSValueConst self, int argc, JSValueConst *argv,
                           int flags) {
  struct native_function *function = JS_GetOpaque(function_value, function_class);
  struct napi_callback_info__ info = {function, self, JS_UNDEFINED, argv, (size_t)argc};
  const bool constructing = (flags & JS_CALL_FLAG_CONSTRUCTOR) != 0;
  const uint32_t height = host.top;
  JSValue made = JS_UNDEFINED, result;

  if (constructing) {
    JSValue prototype = JS_GetProperty(ctx, self, atom_prototype);
    if (JS_IsException(prototype)) return prototype;
    made = host_new_instance(prototype);
    JS_FreeValue(ctx, prototype);
    if (JS_IsException(made)) return made;
    info.new_target = self;
    info.self = made;
  } else if (function->is_class) {
    return JS_ThrowTypeError(ctx, "class constructor cannot be invoked without 'new'");
  }
  engine_depth++;
  napi_value returned = function->callback(function->env, &info);
  engine_depth--;
  if (JS_HasException(ctx)) result = JS_EXCEPTION;
  else if (constructing) result = JS_DupValue(ctx, returned && JS_IsObject(get(returned)) ? get(returned) : made);
  else result = JS_DupValue(ctx, get(returned)); /* NULL is slot 0, which is undefined */
  close_scope(height);
  JS_FreeValue(ctx, made);
  return result;
}

int host_start_functions(void) {
  const JSClassDef definition = {"NativeFunction", .finalizer = finalize_function, .call = call_native};
  atom_prototype = JS_NewAtom(host.context, "prototype");
  atom_constructor = JS_NewAtom(host.context, "constructor");
  atom_name = JS_NewAtom(host.context, "name");
  JSValue function = host_global("Function");
  function_prototype = JS_GetProperty(host.context, function, atom_prototype);
  JS_FreeValue(host.context, function);
  JS_NewClassID(&function_class);
  return JS_NewClass(JS_GetRuntime(host.context), function_class, &definition);
}

static JSValue new_function(napi_env env, const char *name, size_t length, napi_callback callback, void *data,
                            bool is_class) {
  struct native_function *function = malloc(sizeof *function);
  if (!function) return JS_ThrowOutOfMemory(host.context);
  *function = (struct native_function){env, callback, data, is_class};
  JSValue object = JS_NewObjectProtoClass(host.context, function_prototype, function_class);
  if (JS_IsException(object)) {
    free(function);
    return object;
  }
  JS_SetOpaque(object, function);
  JS_SetConstructorBit(host.context, object, is_class);
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
  return give(env, new_function(env, name, length, callback, data, false), result);
}

static napi_status define_property(napi_env env, JSValueConst object, const napi_property_descriptor *property) {
  const unsigned attributes = (unsigned)property->attributes;
  int flags = JS_PROP_HAS_CONFIGURABLE | JS_PROP_HAS_ENUMERABLE | JS_PROP_THROW;
  if (attributes & napi_configurable) flags |= JS_PROP_CONFIGURABLE;
  if (attributes & napi_enumerable) flags |= JS_PROP_ENUMERABLE;
  JSValue value = JS_UNDEFINED, getter = JS_UNDEFINED, setter = JS_UNDEFINED;
  JSAtom atom = property->utf8name ? JS_NewAtom(host.context, property->utf8name)
                                   : JS_ValueToAtom(host.context, get(property->name));
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  if (property->getter || property->setter) {
    if (property->getter) {
      getter = new_function(env, property->utf8name, NAPI_AUTO_LENGTH, property->getter, property->data, false);
      flags |= JS_PROP_HAS_GET;
    }
    if (property->setter) {
      setter = new_function(env, property->utf8name, NAPI_AUTO_LENGTH, property->setter, property->data, false);
      flags |= JS_PROP_HAS_SET;
    }
  } else {
    flags |= JS_PROP_HAS_VALUE | JS_PROP_HAS_WRITABLE;
    if (attributes & napi_writable) flags |= JS_PROP_WRITABLE;
    value = property->method
                ? new_function(env, property->utf8name, NAPI_AUTO_LENGTH, property->method, property->data, false)
                : JS_DupValue(host.context, get(property->value));
  }
  int done = -1;
  if (!JS_IsException(value) && !JS_IsException(getter) && !JS_IsException(setter))
    done = JS_DefineProperty(host.context, object, atom, value, getter, setter, flags);
  JS_FreeValue(host.context, value);
  JS_FreeValue(host.context, getter);
  JS_FreeValue(host.context, setter);
  JS_FreeAtom(host.context, atom);
  return set_status(env, done < 0 ? napi_pending_exception : napi_ok);
}

napi_status napi_define_properties(napi_env env, napi_value object, size_t count,
                                   const napi_property_descriptor *properties) {
  CHECK_ARG(object);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  for (size_t i = 0; i < count; i++) {
    const napi_status status = define_property(env, get(object), &properties[i]);
    if (status != napi_ok) return status;
  }
  return set_status(env, napi_ok);
}

napi_status napi_define_class(napi_env env, const char *name, size_t length, napi_callback constructor, void *data,
                              size_t count, const napi_property_descriptor *properties, napi_value *result) {
  CHECK_ARG(constructor);
  CHECK_NO_EXCEPTION();
  JSValue class = new_function(env, name, length, constructor, data, true);
  CHECK(!JS_IsException(class), napi_pending_exception);
  JSValue prototype = JS_NewObject(host.context);
  napi_status status = JS_IsException(prototype) ? napi_pending_exception : napi_ok;
  for (size_t i = 0; i < count && status == napi_ok; i++)
    status = define_property(env, properties[i].attributes & napi_static ? class : prototype, &properties[i]);
  const int hidden = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
  if (status == napi_ok && (!define(prototype, atom_constructor, JS_DupValue(host.context, class), hidden) ||
                            !define(class, atom_prototype, JS_DupValue(host.context, prototype), 0)))
    status = napi_pending_exception;
  JS_FreeValue(host.context, prototype);
  if (status == napi_ok) *result = push(class);
  else JS_FreeValue(host.context, class);
  return set_status(env, status);
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

napi_status napi_get_new_target(napi_env env, napi_callback_info info, napi_value *result) {
  *result = JS_IsUndefined(info->new_target) ? NULL : push(JS_DupValue(host.context, info->new_target));
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

napi_status napi_new_instance(napi_env env, napi_value constructor, size_t count, const napi_value *arguments,
                              napi_value *result) {
  JSValueConst values[MAX_ARGUMENTS];
  CHECK_ARG(constructor);
  CHECK_NO_EXCEPTION();
  CHECK(spread(count, arguments, values), napi_invalid_arg);
  engine_depth++;
  JSValue made = JS_CallConstructor(host.context, get(constructor), (int)count, values);
  engine_depth--;
  return give(env, made, result);
}

napi_status napi_instanceof(napi_env env, napi_value object, napi_value constructor, bool *result) {
  CHECK_ARG(object);
  CHECK_ARG(constructor);
  CHECK_NO_EXCEPTION();
  const int is = JS_IsInstanceOf(host.context, get(object), get(constructor));
  CHECK(is >= 0, napi_pending_exception);
  *result = is > 0;
  return set_status(env, napi_ok);
}
