/* Internals of the Node-API binding of the store; leveldb.d.ts is its interface. */
#ifndef MINNOW_LEVELDB_BINDING_H
#define MINNOW_LEVELDB_BINDING_H

#include "hal/native/binding/bytes.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"
#include "store.h"

extern const struct exported leveldb_store[], leveldb_views[];

/* The snapshot of an external value; NULL for any other value. */
const leveldb_snapshot_t *view_snapshot(napi_env env, napi_value value);

static inline napi_value given(napi_env env, const char *data, size_t size, bool text) {
  napi_value result = NULL;
  if (!text) return bytes_give(env, data, size);
  napi_create_string_utf8(env, data, size, &result);
  return result;
}

#endif
