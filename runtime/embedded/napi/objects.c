#include "host.h"

napi_status napi_create_object(napi_env env, napi_value *result) {
  return give(env, JS_NewObject(host.context), result);
}

napi_status napi_create_array(napi_env env, napi_value *result) {
  return give(env, JS_NewArray(host.context), result);
}

napi_status napi_create_array_with_length(napi_env env, size_t length, napi_value *result) {
  JSValue array = JS_NewArray(host.context);
  if (!JS_IsException(array) &&
      JS_SetProperty(host.context, array, host.atom_length, JS_NewInt64(host.context, (int64_t)length)) < 0) {
    JS_FreeValue(host.context, array);
    array = JS_EXCEPTION;
  }
  return give(env, array, result);
}

/* Takes ownership of `atom`. As in sloppy mode, a read-only property keeps its value without an error. */
static napi_status set_by_atom(napi_env env, napi_value object, JSAtom atom, napi_value value) {
  JSValueConst target = get(object);
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  const int done = JS_SetPropertyInternal(host.context, target, atom, JS_DupValue(host.context, get(value)), target, 0);
  JS_FreeAtom(host.context, atom);
  return set_status(env, done < 0 ? napi_pending_exception : napi_ok);
}

napi_status napi_set_property(napi_env env, napi_value object, napi_value key, napi_value value) {
  CHECK_ARG(object);
  CHECK_ARG(key);
  CHECK_ARG(value);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  return set_by_atom(env, object, JS_ValueToAtom(host.context, get(key)), value);
}

napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value) {
  CHECK_ARG(object);
  CHECK_ARG(name);
  CHECK_ARG(value);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  return set_by_atom(env, object, JS_NewAtom(host.context, name), value);
}

napi_status napi_get_named_property(napi_env env, napi_value object, const char *name, napi_value *result) {
  CHECK_ARG(object);
  CHECK_ARG(name);
  CHECK_NO_EXCEPTION();
  return give(env, JS_GetPropertyStr(host.context, get(object), name), result);
}

napi_status napi_has_named_property(napi_env env, napi_value object, const char *name, bool *result) {
  CHECK_ARG(object);
  CHECK_ARG(name);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  JSAtom atom = JS_NewAtom(host.context, name);
  const int found = JS_HasProperty(host.context, get(object), atom);
  JS_FreeAtom(host.context, atom);
  CHECK(found >= 0, napi_pending_exception);
  *result = found > 0;
  return set_status(env, napi_ok);
}

napi_status napi_set_element(napi_env env, napi_value object, uint32_t index, napi_value value) {
  CHECK_ARG(object);
  CHECK_ARG(value);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  const int done = JS_SetPropertyUint32(host.context, get(object), index, JS_DupValue(host.context, get(value)));
  return set_status(env, done < 0 ? napi_pending_exception : napi_ok);
}

napi_status napi_get_element(napi_env env, napi_value object, uint32_t index, napi_value *result) {
  CHECK_ARG(object);
  CHECK_NO_EXCEPTION();
  return give(env, JS_GetPropertyUint32(host.context, get(object), index), result);
}

napi_status napi_get_array_length(napi_env env, napi_value value, uint32_t *result) {
  CHECK_ARG(value);
  CHECK(JS_IsArray(host.context, get(value)) > 0, napi_array_expected);
  JSValue length = JS_GetProperty(host.context, get(value), host.atom_length);
  JS_ToUint32(host.context, result, length);
  JS_FreeValue(host.context, length);
  return set_status(env, napi_ok);
}
