/*
 * Node-API binding of lldp.h, for hal/native/lldp.ts, which has its types. Errors have one of hal's codes in `code` and
 * the system's words in `message`; they are thrown, or given to the listener.
 */
#include <errno.h>
#include <net/if.h>

#include "binding/exports.h"
#include "binding/watched.h"
#include "lldp.h"

/* open(device, listener): the handle */
static napi_value open_link(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct watched *link;
  char device[IF_NAMESIZE + 1];
  size_t length = 0;
  arguments_take(env, info, 2, values);
  if (napi_get_value_string_utf8(env, values[0], device, sizeof device, &length) != napi_ok ||
      strlen(device) != length || length >= IF_NAMESIZE) {
    return fail(env, EINVAL);
  }
  napi_value handle = watched_new(env, lldp_read, &link);
  return handle ? watched_give(env, handle, link, lldp_open(device), values[1]) : NULL;
}

static napi_value send_frame(napi_env env, napi_callback_info info) {
  return watched_send(env, info, lldp_write);
}

static const struct exported functions[] = {
    {"open", open_link}, {"send", send_frame}, {"close", watched_close}, {NULL, NULL}};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
