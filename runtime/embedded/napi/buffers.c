/* ArrayBuffers and views of them. `Buffer` is a plain Uint8Array here. */
#include <stdlib.h>
#include <string.h>

#include "../encoding.h"
#include "host.h"
#include "parts.h"

/* The finalizer of an external buffer. */
struct external {
  napi_env env;
  napi_finalize finalize;
  void *hint;
};

static JSClassID array_buffer_class, typed_array_class[JS_TYPED_ARRAY_FLOAT64 + 1];

int host_start_buffers(void) {
  array_buffer_class = host_class_of_new("ArrayBuffer");
  for (int type = 0; type <= JS_TYPED_ARRAY_FLOAT64; type++) {
    JSValueConst no_length = JS_UNDEFINED;
    JSValue array = JS_NewTypedArray(host.context, 1, &no_length, (JSTypedArrayEnum)type);
    typed_array_class[type] = JS_GetClassID(array);
    JS_FreeValue(host.context, array);
  }
  return 0;
}

static const napi_typedarray_type array_types[] = {
    [JS_TYPED_ARRAY_UINT8C] = napi_uint8_clamped_array, [JS_TYPED_ARRAY_INT8] = napi_int8_array,
    [JS_TYPED_ARRAY_UINT8] = napi_uint8_array,          [JS_TYPED_ARRAY_INT16] = napi_int16_array,
    [JS_TYPED_ARRAY_UINT16] = napi_uint16_array,        [JS_TYPED_ARRAY_INT32] = napi_int32_array,
    [JS_TYPED_ARRAY_UINT32] = napi_uint32_array,        [JS_TYPED_ARRAY_BIG_INT64] = napi_bigint64_array,
    [JS_TYPED_ARRAY_BIG_UINT64] = napi_biguint64_array, [JS_TYPED_ARRAY_FLOAT32] = napi_float32_array,
    [JS_TYPED_ARRAY_FLOAT64] = napi_float64_array};

/* The QuickJS type of a typed array, or -1. */
static int typed_array_type(JSValueConst value) {
  const JSClassID id = JS_GetClassID(value);
  for (int type = 0; id != JS_INVALID_CLASS_ID && type <= JS_TYPED_ARRAY_FLOAT64; type++) {
    if (typed_array_class[type] == id) return type;
  }
  return -1;
}

static void free_array_buffer(JSRuntime *rt, void *opaque, void *data) {
  (void)opaque;
  js_free_rt(rt, data);
}

static void free_external(JSRuntime *rt, void *opaque, void *data) {
  (void)rt;
  struct external *external = opaque;
  if (external->finalize) external->finalize(external->env, data, external->hint);
  free(external);
}

static JSValue new_array_buffer(size_t length, void **data) {
  uint8_t *bytes = js_mallocz(host.context, length > 0 ? length : 1);
  if (!bytes) return JS_EXCEPTION;
  if (data) *data = bytes;
  return JS_NewArrayBuffer(host.context, bytes, length, free_array_buffer, NULL, false);
}

static JSValue new_external_array_buffer(napi_env env, void *data, size_t length, napi_finalize finalize, void *hint) {
  struct external *external = malloc(sizeof *external);
  if (!external) return JS_ThrowOutOfMemory(host.context);
  *external = (struct external){env, finalize, hint};
  JSValue buffer = JS_NewArrayBuffer(host.context, data, length, free_external, external, false);
  if (JS_IsException(buffer)) free(external);
  return buffer;
}

napi_status napi_create_arraybuffer(napi_env env, size_t length, void **data, napi_value *result) {
  CHECK_NO_EXCEPTION();
  return give(env, new_array_buffer(length, data), result);
}

napi_status napi_create_external_arraybuffer(napi_env env, void *data, size_t length, node_api_basic_finalize finalize,
                                             void *hint, napi_value *result) {
  CHECK_NO_EXCEPTION();
  return give(env, new_external_array_buffer(env, data, length, finalize, hint), result);
}

napi_status napi_create_buffer(napi_env env, size_t length, void **data, napi_value *result) {
  CHECK_NO_EXCEPTION();
  return give(env, bytes_of_buffer(host.context, new_array_buffer(length, data)), result);
}

napi_status napi_create_buffer_copy(napi_env env, size_t length, const void *data, void **copy, napi_value *result) {
  void *bytes;
  CHECK_NO_EXCEPTION();
  JSValue buffer = new_array_buffer(length, &bytes);
  if (!JS_IsException(buffer)) {
    if (length > 0) memcpy(bytes, data, length);
    if (copy) *copy = bytes;
  }
  return give(env, bytes_of_buffer(host.context, buffer), result);
}

napi_status napi_create_external_buffer(napi_env env, size_t length, void *data, node_api_basic_finalize finalize,
                                        void *hint, napi_value *result) {
  CHECK_NO_EXCEPTION();
  return give(env, bytes_of_buffer(host.context, new_external_array_buffer(env, data, length, finalize, hint)), result);
}

napi_status napi_is_arraybuffer(napi_env env, napi_value value, bool *result) {
  CHECK_ARG(value);
  *result = JS_GetClassID(get(value)) == array_buffer_class;
  return set_status(env, napi_ok);
}

napi_status napi_get_arraybuffer_info(napi_env env, napi_value value, void **data, size_t *length) {
  size_t size;
  CHECK_ARG(value);
  CHECK(JS_GetClassID(get(value)) == array_buffer_class, napi_invalid_arg);
  uint8_t *bytes = JS_GetArrayBuffer(host.context, &size, get(value));
  if (!bytes) { /* detached */
    JS_FreeValue(host.context, JS_GetException(host.context));
    size = 0;
  }
  if (data) *data = bytes;
  if (length) *length = size;
  return set_status(env, napi_ok);
}

napi_status napi_detach_arraybuffer(napi_env env, napi_value value) {
  CHECK_ARG(value);
  CHECK(JS_GetClassID(get(value)) == array_buffer_class, napi_arraybuffer_expected);
  JS_DetachArrayBuffer(host.context, get(value));
  return set_status(env, napi_ok);
}

napi_status napi_is_typedarray(napi_env env, napi_value value, bool *result) {
  CHECK_ARG(value);
  *result = typed_array_type(get(value)) >= 0;
  return set_status(env, napi_ok);
}

napi_status napi_is_buffer(napi_env env, napi_value value, bool *result) {
  return napi_is_typedarray(env, value, result);
}

napi_status napi_create_typedarray(napi_env env, napi_typedarray_type type, size_t length, napi_value buffer,
                                   size_t offset, napi_value *result) {
  CHECK_ARG(buffer);
  CHECK_NO_EXCEPTION();
  CHECK(JS_GetClassID(get(buffer)) == array_buffer_class, napi_invalid_arg);
  for (int i = 0; i <= JS_TYPED_ARRAY_FLOAT64; i++) {
    if (array_types[i] != type) continue;
    JSValueConst arguments[] = {get(buffer), JS_NewInt64(host.context, (int64_t)offset),
                                JS_NewInt64(host.context, (int64_t)length)};
    return give(env, JS_NewTypedArray(host.context, 3, arguments, (JSTypedArrayEnum)i), result);
  }
  return set_status(env, napi_invalid_arg);
}

napi_status napi_get_typedarray_info(napi_env env, napi_value value, napi_typedarray_type *type, size_t *length,
                                     void **data, napi_value *buffer, size_t *offset) {
  size_t start, bytes, element, size;
  CHECK_ARG(value);
  const int kind = typed_array_type(get(value));
  CHECK(kind >= 0, napi_invalid_arg);
  JSValue owner = JS_GetTypedArrayBuffer(host.context, get(value), &start, &bytes, &element);
  CHECK(!JS_IsException(owner), napi_pending_exception);
  if (type) *type = array_types[kind];
  if (length) *length = bytes / element;
  if (offset) *offset = start;
  if (data) {
    uint8_t *base = JS_GetArrayBuffer(host.context, &size, owner);
    if (!base) JS_FreeValue(host.context, JS_GetException(host.context));
    *data = !base ? NULL : base + start;
  }
  if (buffer) *buffer = push(owner);
  else JS_FreeValue(host.context, owner);
  return set_status(env, napi_ok);
}

napi_status napi_get_buffer_info(napi_env env, napi_value value, void **data, size_t *length) {
  size_t start, bytes, element, size;
  CHECK_ARG(value);
  CHECK(typed_array_type(get(value)) >= 0, napi_invalid_arg);
  JSValue owner = JS_GetTypedArrayBuffer(host.context, get(value), &start, &bytes, &element);
  CHECK(!JS_IsException(owner), napi_pending_exception);
  if (length) *length = bytes;
  if (data) {
    uint8_t *base = JS_GetArrayBuffer(host.context, &size, owner);
    if (!base) JS_FreeValue(host.context, JS_GetException(host.context));
    *data = !base ? NULL : base + start;
  }
  JS_FreeValue(host.context, owner);
  return set_status(env, napi_ok);
}
