/* The module `minnow:gzip`. */
#include <errno.h>

#include "gzip.h"
#include "hal/native/binding/bytes.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"

static napi_value unpack(napi_env env, napi_callback_info info) {
  napi_value argument, buffer, array;
  struct bytes file;
  void *out = NULL;
  arguments_take(env, info, 1, &argument);
  if (!bytes_take(env, argument, &file)) return NULL;
  const size_t length = gzip_length(file.data, file.size);
  if (napi_create_arraybuffer(env, length, &out, &buffer) != napi_ok) goto failed;
  const int status = gzip_unpack(file.data, file.size, out, length);
  if (status) {
    napi_throw_error(env, NULL, status == -ENOMEM ? "Out of memory" : "invalid gzip data");
    goto failed;
  }
  bytes_release(&file);
  return napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &array) == napi_ok ? array : NULL;
failed:
  bytes_release(&file);
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct exported functions[] = {{"unpack", unpack}, {NULL, NULL}};
  return exports_add(env, exports, functions) ? exports : NULL;
}
