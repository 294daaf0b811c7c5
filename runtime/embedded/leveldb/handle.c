#include "handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal/native/binding/values.h"

struct handle *handle_retain(struct handle *handle) {
  handle->references++;
  return handle;
}

void handle_release(struct handle *handle) {
  if (--handle->references) return;
  store_close(&handle->store);
  free(handle);
}

napi_value handle_error(napi_env env, int status, const char *words) {
  const char *name = status == -EBUSY     ? "LEVEL_LOCKED"
                     : status == -EBADMSG ? "LEVEL_CORRUPTION"
                     : status == -EIO     ? "LEVEL_IO_ERROR"
                                          : NULL;
  napi_value code = NULL, message, error = NULL;
  if (name) napi_create_string_utf8(env, name, NAPI_AUTO_LENGTH, &code);
  napi_create_string_utf8(env, words ? words : strerror(-status), NAPI_AUTO_LENGTH, &message);
  napi_create_error(env, code, message, &error);
  return error;
}

napi_value handle_fail(napi_env env, int status, char *words) {
  napi_throw(env, handle_error(env, status, words));
  store_free(words);
  return NULL;
}

struct handle *handle_open(napi_env env, napi_value value) {
  struct handle *handle = external_take(env, value);
  if (handle && !handle->store.db) {
    napi_throw_error(env, "LEVEL_DATABASE_NOT_OPEN", "Database is not open");
    return NULL;
  }
  return handle;
}
