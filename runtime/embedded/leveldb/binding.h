/* Inside of the Node-API binding of the store: leveldb.d.ts has what it offers. */
#ifndef MINNOW_LEVELDB_BINDING_H
#define MINNOW_LEVELDB_BINDING_H

#include "../bytes.h"
#include "../exports.h"
#include "store.h"

extern const struct exported leveldb_store[], leveldb_views[];

/* The snapshot that an external value stands for; NULL for anything else. */
const leveldb_snapshot_t *view_snapshot(napi_env env, napi_value value);

static inline void arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

static inline void *external(napi_env env, napi_value value) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok)
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "Wrong handle");
  return data;
}

static inline bool is_undefined(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_undefined;
}

static inline bool truth(napi_env env, napi_value value) {
  bool result = false;
  napi_get_value_bool(env, value, &result);
  return result;
}

static inline napi_value given(napi_env env, const char *data, size_t size, bool text) {
  napi_value result = NULL;
  if (!text) return bytes_give(env, data, size);
  napi_create_string_utf8(env, data, size, &result);
  return result;
}

#endif
