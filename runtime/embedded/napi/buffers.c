/* ArrayBuffers and views of them. `Buffer` is a plain Uint8Array here. */
#include <stdlib.h>

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

napi_status napi_is_typedarray(napi_env env, napi_value value, bool *result) {
  CHECK_ARG(value);
  *result = typed_array_type(get(value)) >= 0;
  return set_status(env, napi_ok);
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

/* Where the bytes of a typed array are, the buffer that owns them, which the caller releases, and its element type. */
struct view {
  JSValue owner;
  uint8_t *data; /* NULL if it is detached */
  size_t start, bytes, element;
  int kind;
};

static napi_status view_of(napi_env env, napi_value value, struct view *view) {
  size_t size;
  CHECK_ARG(value);
  view->kind = typed_array_type(get(value));
  CHECK(view->kind >= 0, napi_invalid_arg);
  view->owner = JS_GetTypedArrayBuffer(host.context, get(value), &view->start, &view->bytes, &view->element);
  CHECK(!JS_IsException(view->owner), napi_pending_exception);
  view->data = JS_GetArrayBuffer(host.context, &size, view->owner);
  if (view->data) view->data += view->start;
  else JS_FreeValue(host.context, JS_GetException(host.context));
  return set_status(env, napi_ok);
}

napi_status napi_get_typedarray_info(napi_env env, napi_value value, napi_typedarray_type *type, size_t *length,
                                     void **data, napi_value *buffer, size_t *offset) {
  struct view view;
  const napi_status status = view_of(env, value, &view);
  if (status != napi_ok) return status;
  if (type) *type = array_types[view.kind];
  if (length) *length = view.bytes / view.element;
  if (offset) *offset = view.start;
  if (data) *data = view.data;
  if (buffer) *buffer = push(view.owner);
  else JS_FreeValue(host.context, view.owner);
  return status;
}

napi_status napi_get_buffer_info(napi_env env, napi_value value, void **data, size_t *length) {
  struct view view;
  const napi_status status = view_of(env, value, &view);
  if (status != napi_ok) return status;
  if (length) *length = view.bytes;
  if (data) *data = view.data;
  JS_FreeValue(host.context, view.owner);
  return status;
}
