/* Inside of the Node-API binding of the HTTPS server: https.d.ts has what it offers. */
#ifndef MINNOW_HTTPS_BINDING_H
#define MINNOW_HTTPS_BINDING_H

#include "../bytes.h"
#include "../exports.h"
#include "https.h"

#include <errno.h>

extern const struct exported https_server_functions[], https_connection_functions[], https_response_functions[];

enum { EVENT_REQUEST, EVENT_BODY, EVENT_END, EVENT_DRAIN, EVENT_CLIENT_ERROR, EVENT_CONNECTION, EVENT_SECURE,
       EVENT_TLS_ERROR, EVENT_CLOSE, EVENT_CLOSED, EVENTS };
enum { ARGUMENTS_MAX = 6, TEXT_ROOM = 256 };

/* Lives as long as JavaScript can name it, and as long as the server has something to tell. */
typedef struct {
  https_server *server;
  napi_env env;
  napi_ref receiver, events[EVENTS];
  bool closed, forgotten;
} handle;

/* By the names that JavaScript has for them. */
extern const char *const event_names[EVENTS];

/* What the server is given; its context is the handle. */
extern const https_events server_events;

/* Lets go of a handle that no server tells anything. */
void handle_forget(handle *h);

/* The external value's finalizer. */
void handle_collected(napi_env env, void *data, void *hint);

/* Reads the arguments, those that are missing as undefined; the first is the handle, but for create. */
static inline handle *arguments(napi_env env, napi_callback_info info, napi_value values[ARGUMENTS_MAX]) {
  size_t count = ARGUMENTS_MAX;
  void *data = NULL;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_value_external(env, values[0], &data);
  return data;
}

static inline https_id id_of(napi_env env, napi_value value) {
  int64_t id = 0;
  napi_get_value_int64(env, value, &id);
  return (https_id)id;
}

static inline uint32_t bits_of(napi_env env, napi_value value) {
  uint32_t bits = 0;
  napi_get_value_uint32(env, value, &bits);
  return bits;
}

static inline napi_value result_of(napi_env env, long status) {
  napi_value value;
  napi_create_int64(env, status, &value);
  return value;
}

static inline napi_value number(napi_env env, https_id id) {
  napi_value value;
  napi_create_int64(env, (int64_t)id, &value);
  return value;
}

static inline napi_value text(napi_env env, const char *value) {
  napi_value result;
  napi_create_string_latin1(env, value, NAPI_AUTO_LENGTH, &result);
  return result;
}

static inline napi_value nothing(napi_env env) {
  napi_value value;
  napi_get_null(env, &value);
  return value;
}

/* { address, port, family } */
napi_value address_object(napi_env env, const struct sockaddr_storage *name);

/* Takes `value` if it is not undefined. */
static inline bool take_body(napi_env env, napi_value value, struct bytes *body) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  return type == napi_undefined || bytes_take(env, value, body);
}

#endif
