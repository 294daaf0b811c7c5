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

napi_status napi_create_symbol(napi_env env, napi_value description, napi_value *result) {
  CHECK_NO_EXCEPTION();
  JSValue constructor = JS_GetPropertyStr(host.context, get(constant(HANDLE_GLOBAL)), "Symbol");
  JSValueConst argument = get(description);
  JSValue symbol = JS_Call(host.context, constructor, JS_UNDEFINED, !description ? 0 : 1, &argument);
  JS_FreeValue(host.context, constructor);
  return give(env, symbol, result);
}

napi_status napi_get_prototype(napi_env env, napi_value object, napi_value *result) {
  CHECK_ARG(object);
  return give(env, JS_GetPrototype(host.context, get(object)), result);
}

napi_status napi_get_property_names(napi_env env, napi_value object, napi_value *result) {
  JSPropertyEnum *names;
  uint32_t count;
  CHECK_ARG(object);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  CHECK(JS_GetOwnPropertyNames(host.context, &names, &count, get(object), JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) == 0,
        napi_pending_exception);
  JSValue array = JS_NewArray(host.context);
  bool complete = !JS_IsException(array);
  for (uint32_t i = 0; i < count; i++) {
    JSValue name = complete ? JS_AtomToString(host.context, names[i].atom) : JS_EXCEPTION;
    complete = complete && !JS_IsException(name) && JS_SetPropertyUint32(host.context, array, i, name) >= 0;
    JS_FreeAtom(host.context, names[i].atom);
  }
  js_free(host.context, names);
  if (complete) return give(env, array, result);
  JS_FreeValue(host.context, array);
  return set_status(env, napi_pending_exception);
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

napi_status napi_get_property(napi_env env, napi_value object, napi_value key, napi_value *result) {
  CHECK_ARG(object);
  CHECK_ARG(key);
  CHECK_NO_EXCEPTION();
  JSAtom atom = JS_ValueToAtom(host.context, get(key));
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  JSValue value = JS_GetProperty(host.context, get(object), atom);
  JS_FreeAtom(host.context, atom);
  return give(env, value, result);
}

napi_status napi_has_property(napi_env env, napi_value object, napi_value key, bool *result) {
  CHECK_ARG(object);
  CHECK_ARG(key);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  JSAtom atom = JS_ValueToAtom(host.context, get(key));
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  const int found = JS_HasProperty(host.context, get(object), atom);
  JS_FreeAtom(host.context, atom);
  CHECK(found >= 0, napi_pending_exception);
  *result = found > 0;
  return set_status(env, napi_ok);
}

napi_status napi_delete_property(napi_env env, napi_value object, napi_value key, bool *result) {
  CHECK_ARG(object);
  CHECK_ARG(key);
  CHECK_NO_EXCEPTION();
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  JSAtom atom = JS_ValueToAtom(host.context, get(key));
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  const int deleted = JS_DeleteProperty(host.context, get(object), atom, 0);
  JS_FreeAtom(host.context, atom);
  CHECK(deleted >= 0, napi_pending_exception);
  if (result) *result = deleted > 0;
  return set_status(env, napi_ok);
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

napi_status napi_is_array(napi_env env, napi_value value, bool *result) {
  CHECK_ARG(value);
  *result = JS_IsArray(host.context, get(value)) > 0;
  return set_status(env, napi_ok);
}

napi_status napi_get_array_length(napi_env env, napi_value value, uint32_t *result) {
  CHECK_ARG(value);
  CHECK(JS_IsArray(host.context, get(value)) > 0, napi_array_expected);
  JSValue length = JS_GetProperty(host.context, get(value), host.atom_length);
  JS_ToUint32(host.context, result, length);
  JS_FreeValue(host.context, length);
  return set_status(env, napi_ok);
}

napi_status napi_strict_equals(napi_env env, napi_value left, napi_value right, bool *result) {
  CHECK_ARG(left);
  CHECK_ARG(right);
  *result = JS_StrictEq(host.context, get(left), get(right));
  return set_status(env, napi_ok);
}

napi_status napi_object_freeze(napi_env env, napi_value object) {
  CHECK_ARG(object);
  CHECK_NO_EXCEPTION();
  JSValue constructor = JS_GetPropertyStr(host.context, get(constant(HANDLE_GLOBAL)), "Object");
  JSValue freeze = JS_GetPropertyStr(host.context, constructor, "freeze");
  JSValueConst argument = get(object);
  JSValue frozen = JS_Call(host.context, freeze, constructor, 1, &argument);
  JS_FreeValue(host.context, freeze);
  JS_FreeValue(host.context, constructor);
  CHECK(!JS_IsException(frozen), napi_pending_exception);
  JS_FreeValue(host.context, frozen);
  return set_status(env, napi_ok);
}
