/* Failures of a back end, for JavaScript: one of hal's codes in `code`, and the system's words in `message`. */
#ifndef MINNOW_BINDING_FAILURE_H
#define MINNOW_BINDING_FAILURE_H

#include <errno.h>
#include <node_api.h>
#include <string.h>

/* hal's code (hal/errors.ts) for a positive errno. */
static inline const char *failure_code(int error) {
  switch (error) {
    case EAGAIN:
    case EBUSY: return "EBUSY";
    case EINVAL: return "EINVAL";
    case ENODEV:
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ENXIO: return "ENODEV";
    case ENOSPC: return "ENOSPC";
    case EROFS: return "EROFS";
    case EACCES:
    case EPERM: return "EACCES";
    case ETIMEDOUT: return "ETIMEDOUT";
    default: return "EIO";
  }
}

/* An Error for a positive errno. NULL when memory is short. */
static inline napi_value failure_give(napi_env env, int error) {
  napi_value code, message, value;
  if (napi_create_string_utf8(env, failure_code(error), NAPI_AUTO_LENGTH, &code) != napi_ok ||
      napi_create_string_utf8(env, strerror(error), NAPI_AUTO_LENGTH, &message) != napi_ok ||
      napi_create_error(env, code, message, &value) != napi_ok) {
    return NULL;
  }
  return value;
}

/* Throws the error of a positive errno. Always NULL, for the caller to return. */
static inline napi_value fail(napi_env env, int error) {
  napi_throw_error(env, failure_code(error), strerror(error));
  return NULL;
}

/* Undefined, or throws the error of a negative `result`. */
static inline napi_value done(napi_env env, int result) {
  napi_value undefined;
  if (result < 0) return fail(env, -result);
  napi_get_undefined(env, &undefined);
  return undefined;
}

#endif
