/* Arguments and results of a binding: missing values and those of another type read as undefined, 0 or false. */
#ifndef MINNOW_BINDING_VALUES_H
#define MINNOW_BINDING_VALUES_H

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads `count` arguments. */
static inline void arguments_take(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

/* The pointer in an external value. NULL with a TypeError pending if it is not an external value. */
static inline void *external_take(napi_env env, napi_value value) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok) {
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "Wrong handle");
  }
  return data;
}

static inline int64_t integer_take(napi_env env, napi_value value) {
  int64_t integer = 0;
  napi_get_value_int64(env, value, &integer);
  return integer;
}

static inline bool truth_take(napi_env env, napi_value value) {
  bool truth = false;
  napi_get_value_bool(env, value, &truth);
  return truth;
}

static inline bool is_undefined(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  return type == napi_undefined;
}

static inline napi_value integer_give(napi_env env, int64_t integer) {
  napi_value value = NULL;
  napi_create_int64(env, integer, &value);
  return value;
}

static inline napi_value number_give(napi_env env, double number) {
  napi_value value = NULL;
  napi_create_double(env, number, &value);
  return value;
}

static inline napi_value truth_give(napi_env env, bool truth) {
  napi_value value = NULL;
  napi_get_boolean(env, truth, &value);
  return value;
}

/* UTF-8. NULL with an exception pending when memory is short. */
static inline napi_value text_give(napi_env env, const char *text) {
  napi_value value = NULL;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

/* One character for each byte. NULL with an exception pending when memory is short. */
static inline napi_value latin1_give(napi_env env, const char *text) {
  napi_value value = NULL;
  napi_create_string_latin1(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

#endif
