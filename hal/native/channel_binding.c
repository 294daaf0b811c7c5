/*
 * Node-API binding of channel.h, for hal/native/channel.ts, which has its types. Errors have one of hal's codes in `code`
 * and the system's words in `message`; they are thrown, or given to the listener.
 */
#include <errno.h>
#include <limits.h>

#include "binding/exports.h"
#include "binding/watched.h"
#include "channel.h"

_Static_assert((int)CHANNEL_DESCRIPTORS <= (int)WATCHED_DESCRIPTORS, "there is room for all that arrive");

/* open(path, listener): the handle */
static napi_value open_channel(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct watched *channel;
  char path[PATH_MAX];
  size_t length = 0;
  arguments_take(env, info, 2, values);
  if (napi_get_value_string_utf8(env, values[0], path, sizeof path, &length) != napi_ok || length + 1 == sizeof path ||
      strlen(path) != length) {
    return fail(env, EINVAL);
  }
  napi_value handle = watched_new(env, NULL, &channel);
  if (!handle) return NULL;
  channel->receive = channel_read;
  return watched_give(env, handle, channel, channel_open(path), values[1]);
}

/* The numbers of an array, or a negative errno: -EINVAL for too many, and for something else. */
static int descriptors_take(napi_env env, napi_value array, int *descriptors) {
  uint32_t count = 0;
  if (napi_get_array_length(env, array, &count) != napi_ok || count > CHANNEL_DESCRIPTORS) return -EINVAL;
  for (uint32_t i = 0; i < count; i++) {
    napi_value element;
    if (napi_get_element(env, array, i, &element) != napi_ok ||
        napi_get_value_int32(env, element, &descriptors[i]) != napi_ok) {
      return -EINVAL;
    }
  }
  return (int)count;
}

/* write(handle, bytes, descriptors): how many of the bytes it took */
static napi_value write_channel(napi_env env, napi_callback_info info) {
  napi_value values[3];
  struct bytes bytes;
  int descriptors[CHANNEL_DESCRIPTORS];
  arguments_take(env, info, 3, values);
  struct watched *channel = external_take(env, values[0]);
  if (!channel) return NULL;
  int result = descriptors_take(env, values[2], descriptors);
  if (result < 0) return fail(env, -result);
  if (!bytes_take(env, values[1], &bytes)) return NULL;
  result = channel->fd < 0 ? -ENODEV : channel_write(channel->fd, bytes.data, bytes.size, descriptors, (size_t)result);
  bytes_release(&bytes);
  return result < 0 ? fail(env, -result) : integer_give(env, result);
}

static const struct exported functions[] = {
    {"open", open_channel}, {"write", write_channel}, {"close", watched_close}, {NULL, NULL}};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
