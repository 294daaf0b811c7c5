/* Constants, numbers, booleans: values other than the module's own objects. */
#include <math.h>

#include "host.h"
#include "parts.h"

napi_status napi_get_undefined(napi_env env, napi_value *result) {
  *result = constant(HANDLE_UNDEFINED);
  return set_status(env, napi_ok);
}

napi_status napi_get_null(napi_env env, napi_value *result) {
  *result = constant(HANDLE_NULL);
  return set_status(env, napi_ok);
}

napi_status napi_get_global(napi_env env, napi_value *result) {
  *result = constant(HANDLE_GLOBAL);
  return set_status(env, napi_ok);
}

napi_status napi_get_boolean(napi_env env, bool value, napi_value *result) {
  *result = constant(value ? HANDLE_TRUE : HANDLE_FALSE);
  return set_status(env, napi_ok);
}

napi_status napi_create_double(napi_env env, double value, napi_value *result) {
  return give(env, JS_NewFloat64(host.context, value), result);
}

napi_status napi_create_int32(napi_env env, int32_t value, napi_value *result) {
  return give(env, JS_NewInt32(host.context, value), result);
}

napi_status napi_create_uint32(napi_env env, uint32_t value, napi_value *result) {
  return give(env, JS_NewUint32(host.context, value), result);
}

napi_status napi_create_int64(napi_env env, int64_t value, napi_value *result) {
  return give(env, JS_NewInt64(host.context, value), result);
}

napi_status napi_create_bigint_uint64(napi_env env, uint64_t value, napi_value *result) {
  return give(env, JS_NewBigUint64(host.context, value), result);
}

napi_status napi_typeof(napi_env env, napi_value value, napi_valuetype *result) {
  CHECK_ARG(value);
  JSValueConst v = get(value);
  switch (JS_VALUE_GET_NORM_TAG(v)) {
    case JS_TAG_UNDEFINED: *result = napi_undefined; break;
    case JS_TAG_NULL: *result = napi_null; break;
    case JS_TAG_BOOL: *result = napi_boolean; break;
    case JS_TAG_INT:
    case JS_TAG_FLOAT64: *result = napi_number; break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE: *result = napi_string; break;
    case JS_TAG_SYMBOL: *result = napi_symbol; break;
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT: *result = napi_bigint; break;
    default:
      if (host_is_external(v)) *result = napi_external;
      else *result = JS_IsFunction(host.context, v) ? napi_function : napi_object;
  }
  return set_status(env, napi_ok);
}

napi_status napi_get_value_bool(napi_env env, napi_value value, bool *result) {
  CHECK_ARG(value);
  CHECK(JS_IsBool(get(value)), napi_boolean_expected);
  *result = JS_VALUE_GET_BOOL(get(value)) != 0;
  return set_status(env, napi_ok);
}

napi_status napi_get_value_double(napi_env env, napi_value value, double *result) {
  CHECK_ARG(value);
  CHECK(JS_IsNumber(get(value)), napi_number_expected);
  JS_ToFloat64(host.context, result, get(value));
  return set_status(env, napi_ok);
}

napi_status napi_get_value_int32(napi_env env, napi_value value, int32_t *result) {
  CHECK_ARG(value);
  CHECK(JS_IsNumber(get(value)), napi_number_expected);
  JS_ToInt32(host.context, result, get(value));
  return set_status(env, napi_ok);
}

napi_status napi_get_value_uint32(napi_env env, napi_value value, uint32_t *result) {
  CHECK_ARG(value);
  CHECK(JS_IsNumber(get(value)), napi_number_expected);
  JS_ToUint32(host.context, result, get(value));
  return set_status(env, napi_ok);
}

napi_status napi_get_value_int64(napi_env env, napi_value value, int64_t *result) {
  double number;
  CHECK_ARG(value);
  CHECK(JS_IsNumber(get(value)), napi_number_expected);
  JS_ToFloat64(host.context, &number, get(value));
  if (!isfinite(number)) *result = 0;
  else if (number >= 0x1p63) *result = INT64_MAX;
  else if (number <= -0x1p63) *result = INT64_MIN;
  else *result = (int64_t)number;
  return set_status(env, napi_ok);
}

napi_status napi_coerce_to_string(napi_env env, napi_value value, napi_value *result) {
  CHECK_ARG(value);
  CHECK_NO_EXCEPTION();
  return give(env, JS_ToString(host.context, get(value)), result);
}
