/* Internals of the Node-API binding of crypto; crypto.d.ts is its interface. Slow work runs on the worker pool. */
#ifndef MINNOW_CRYPTO_BINDING_H
#define MINNOW_CRYPTO_BINDING_H

#include <errno.h>

#include "hal/native/binding/bytes.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"

extern const struct exported crypto_digests[], crypto_keys[], crypto_certificates[];

enum { NAME_MAX_SIZE = 16 };

static inline napi_value fail(napi_env env, int status, const char *code, const char *message) {
  if (status == -ENOTSUP) napi_throw_type_error(env, "ERR_CRYPTO_INVALID_DIGEST", "Digest method not supported");
  else if (status == -ENOMEM) napi_throw_error(env, NULL, "Out of memory");
  else napi_throw_error(env, code, message);
  return NULL;
}

/* A short string such as the name of an algorithm; "" for anything else. */
static inline void name_of(napi_env env, napi_value value, char name[NAME_MAX_SIZE]) {
  size_t size = 0;
  if (napi_get_value_string_utf8(env, value, name, NAME_MAX_SIZE, &size) != napi_ok) size = 0;
  name[size] = 0;
}

static inline napi_value error_of(napi_env env, const char *text) {
  napi_value message, error = NULL;
  if (napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message) == napi_ok)
    napi_create_error(env, NULL, message, &error);
  return error;
}

#endif
