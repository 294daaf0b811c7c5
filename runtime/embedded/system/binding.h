/*
 * Inside of the Node-API binding of the operating system: system.d.ts has what it offers. A call that can fail gives a
 * negative errno, of which the drop-ins make the error that Node.js throws.
 */
#ifndef MINNOW_SYSTEM_BINDING_H
#define MINNOW_SYSTEM_BINDING_H

#include "../exports.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>

extern const struct exported system_files[], system_process[], system_timers[];

struct arguments {
  napi_value values[3];
  void *data;
};

static inline struct arguments arguments_of(napi_env env, napi_callback_info info) {
  struct arguments arguments;
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments.values, NULL, &arguments.data);
  return arguments;
}

static inline int32_t integer(napi_env env, napi_value value) {
  int32_t number = 0;
  napi_get_value_int32(env, value, &number);
  return number;
}

static inline napi_value number(napi_env env, double value) {
  napi_value result;
  return napi_create_double(env, value, &result) == napi_ok ? result : NULL;
}

static inline napi_value text(napi_env env, const char *value) {
  napi_value result;
  return napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result) == napi_ok ? result : NULL;
}

#endif
