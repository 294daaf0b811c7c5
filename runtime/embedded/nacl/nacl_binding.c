/* The module `minnow:nacl`. */
#include <errno.h>

#include "hal/native/binding/bytes.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"
#include "nacl.h"

enum { GIVEN = 3 };

static struct nacl_bytes of(const struct bytes *bytes) {
  return (struct nacl_bytes){bytes->data, bytes->size};
}

static void release(struct bytes given[GIVEN]) {
  for (int i = 0; i < GIVEN; i++) bytes_release(&given[i]);
}

/* Takes the arguments, which are bytes. False with an exception pending, and then nothing is to be released. */
static bool take(napi_env env, napi_callback_info info, struct bytes given[GIVEN]) {
  napi_value argv[GIVEN];
  arguments_take(env, info, GIVEN, argv);
  for (int i = 0; i < GIVEN; i++) {
    if (bytes_take(env, argv[i], &given[i])) continue;
    while (i-- > 0) bytes_release(&given[i]);
    return false;
  }
  return true;
}

static napi_value fail(napi_env env, int status) {
  napi_throw_error(env, NULL, status == -EINVAL ? "bad size" : "libsodium cannot be used");
  return NULL;
}

static napi_value verify(napi_env env, napi_callback_info info) {
  struct bytes given[GIVEN];
  if (!take(env, info, given)) return NULL;
  const int status = nacl_verify(of(&given[0]), of(&given[1]), of(&given[2]));
  release(given);
  return status && status != -EBADMSG ? fail(env, status) : truth_give(env, !status);
}

typedef int box(struct nacl_bytes bytes, struct nacl_bytes nonce, struct nacl_bytes key, uint8_t *out);

/* A Uint8Array of `size` bytes that a function of nacl.h writes; null for a box that is not good. */
static napi_value written(napi_env env, const struct bytes given[GIVEN], size_t size, box *write) {
  void *out = NULL;
  napi_value buffer, result = NULL;
  if (napi_create_arraybuffer(env, size, &out, &buffer) != napi_ok) return NULL;
  const int status = write(of(&given[0]), of(&given[1]), of(&given[2]), out);
  if (status == -EBADMSG) napi_get_null(env, &result);
  else if (status) fail(env, status);
  else napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &result);
  return result;
}

static napi_value seal(napi_env env, napi_callback_info info) {
  struct bytes given[GIVEN];
  if (!take(env, info, given)) return NULL;
  napi_value result = written(env, given, given[0].size + NACL_TAG_SIZE, nacl_seal);
  release(given);
  return result;
}

static napi_value open_box(napi_env env, napi_callback_info info) {
  struct bytes given[GIVEN];
  if (!take(env, info, given)) return NULL;
  const size_t size = given[0].size < NACL_TAG_SIZE ? 0 : given[0].size - NACL_TAG_SIZE;
  napi_value result = written(env, given, size, nacl_open);
  release(given);
  return result;
}

NAPI_MODULE_INIT() {
  static const struct exported functions[] = {{"verify", verify}, {"seal", seal}, {"open", open_box}, {NULL, NULL}};
  return exports_add(env, exports, functions) ? exports : NULL;
}
