#include "../engine.h"
#include "host.h"
#include "parts.h"

enum { ERROR, TYPE_ERROR, RANGE_ERROR, KINDS };

static JSValue constructors[KINDS];
static JSAtom atom_code;

int host_start_errors(void) {
  constructors[ERROR] = host_global("Error");
  constructors[TYPE_ERROR] = host_global("TypeError");
  constructors[RANGE_ERROR] = host_global("RangeError");
  atom_code = JS_NewAtom(host.context, "code");
  return 0;
}

static JSValue new_error(int kind, JSValueConst code, JSValueConst message) {
  JSValue error = JS_CallConstructor(host.context, constructors[kind], 1, &message);
  if (JS_IsException(error) || JS_IsUndefined(code) ||
      define(error, atom_code, JS_DupValue(host.context, code), JS_PROP_C_W_E))
    return error;
  JS_FreeValue(host.context, error);
  return JS_EXCEPTION;
}

napi_status napi_create_error(napi_env env, napi_value code, napi_value message, napi_value *result) {
  CHECK_ARG(message);
  CHECK(JS_IsString(get(message)), napi_string_expected);
  return give(env, new_error(ERROR, get(code), get(message)), result);
}

static napi_status throw_error(napi_env env, int kind, const char *code, const char *message) {
  CHECK_NO_EXCEPTION();
  JSValue code_value = code ? JS_NewString(host.context, code) : JS_UNDEFINED;
  JSValue message_value = JS_NewString(host.context, message ? message : "");
  JSValue error = JS_IsException(code_value) || JS_IsException(message_value)
                      ? JS_EXCEPTION
                      : new_error(kind, code_value, message_value);
  JS_FreeValue(host.context, code_value);
  JS_FreeValue(host.context, message_value);
  if (!JS_IsException(error)) JS_Throw(host.context, error);
  return set_status(env, napi_ok);
}

napi_status napi_throw(napi_env env, napi_value error) {
  CHECK_ARG(error);
  CHECK_NO_EXCEPTION();
  JS_Throw(host.context, JS_DupValue(host.context, get(error)));
  return set_status(env, napi_ok);
}

napi_status napi_throw_error(napi_env env, const char *code, const char *message) {
  return throw_error(env, ERROR, code, message);
}

napi_status napi_throw_type_error(napi_env env, const char *code, const char *message) {
  return throw_error(env, TYPE_ERROR, code, message);
}

napi_status napi_throw_range_error(napi_env env, const char *code, const char *message) {
  return throw_error(env, RANGE_ERROR, code, message);
}

napi_status napi_get_and_clear_last_exception(napi_env env, napi_value *result) {
  if (!JS_HasException(host.context)) return napi_get_undefined(env, result);
  return give(env, JS_GetException(host.context), result);
}

napi_status napi_fatal_exception(napi_env env, napi_value error) {
  JS_Throw(host.context, JS_DupValue(host.context, get(error)));
  engine_uncaught("uncaughtException");
  return set_status(env, napi_ok);
}
