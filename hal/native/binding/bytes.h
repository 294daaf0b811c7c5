/*
 * Bytes that JavaScript hands to a binding: a string (as UTF-8) or a Uint8Array.
 *
 * A Uint8Array is borrowed and stays valid only until the binding returns to JavaScript; a string is copied, into
 * `local` when it is short. bytes_release() overwrites the copy, since it may be a password, a key or a token.
 */
#ifndef MINNOW_BINDING_BYTES_H
#define MINNOW_BINDING_BYTES_H

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  const uint8_t *data;
  size_t size;
  uint8_t *copy; /* NULL when borrowed */
  uint8_t local[128];
};

/* Takes `value`. False, with a TypeError pending in `env`, when it is neither a string nor a Uint8Array. */
static inline bool bytes_take(napi_env env, napi_value value, struct bytes *bytes) {
  napi_valuetype type;
  bytes->copy = NULL;
  bytes->data = bytes->local;
  bytes->size = 0;
  if (napi_typeof(env, value, &type) == napi_ok && type == napi_string) {
    size_t size = 0;
    /* A full buffer may mean a longer string: only then is the string measured and read again. */
    if (napi_get_value_string_utf8(env, value, (char *)bytes->local, sizeof bytes->local, &size) != napi_ok)
      return false;
    bytes->copy = bytes->local;
    if (size + 4 >= sizeof bytes->local) {
      explicit_bzero(bytes->local, sizeof bytes->local);
      bytes->copy = NULL;
      if (napi_get_value_string_utf8(env, value, NULL, 0, &size) != napi_ok) return false;
      bytes->copy = malloc(size + 1);
      if (!bytes->copy) {
        napi_throw_error(env, NULL, "Out of memory");
        return false;
      }
      if (napi_get_value_string_utf8(env, value, (char *)bytes->copy, size + 1, &size) != napi_ok) {
        free(bytes->copy);
        bytes->copy = NULL;
        return false;
      }
    }
    bytes->data = bytes->copy;
    bytes->size = size;
    return true;
  }
  napi_typedarray_type kind;
  void *data = NULL;
  bool array = false;
  if (napi_is_typedarray(env, value, &array) == napi_ok && array &&
      napi_get_typedarray_info(env, value, &kind, &bytes->size, &data, NULL, NULL) == napi_ok &&
      kind == napi_uint8_array) {
    if (bytes->size) bytes->data = data;
    return true;
  }
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "A string or a Uint8Array is expected");
  return false;
}

/* Forgets the bytes; a copy is overwritten first. Harmless on bytes that were not taken (copy == NULL). */
static inline void bytes_release(struct bytes *bytes) {
  if (!bytes->copy) return;
  explicit_bzero(bytes->copy, bytes->size);
  if (bytes->copy != bytes->local) free(bytes->copy);
  bytes->copy = NULL;
}

/* A new Uint8Array of `size` bytes with a copy of `data`; NULL with an exception pending when memory is short. */
static inline napi_value bytes_give(napi_env env, const void *data, size_t size) {
  void *copy = NULL;
  napi_value buffer, array;
  if (napi_create_arraybuffer(env, size, &copy, &buffer) != napi_ok) return NULL;
  if (size) memcpy(copy, data, size);
  if (napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &array) != napi_ok) return NULL;
  return array;
}

#endif
