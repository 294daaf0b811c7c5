/* The exports of a native module: tables of functions, one for each noun. */
#ifndef MINNOW_BINDING_EXPORTS_H
#define MINNOW_BINDING_EXPORTS_H

#include <node_api.h>
#include <stdbool.h>

/* A function by the name that JavaScript calls it. A NULL name ends a table. */
struct exported {
  const char *name;
  napi_callback function;
};

/* Puts the functions of a table on `exports`. False with an exception pending. */
static inline bool exports_add(napi_env env, napi_value exports, const struct exported *table) {
  for (; table->name; table++) {
    napi_value function;
    if (napi_create_function(env, table->name, NAPI_AUTO_LENGTH, table->function, NULL, &function) != napi_ok ||
        napi_set_named_property(env, exports, table->name, function) != napi_ok)
      return false;
  }
  return true;
}

#endif
