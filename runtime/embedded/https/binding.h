/* Internals of the Node-API binding of the HTTPS server; https.d.ts is its interface. */
#ifndef MINNOW_HTTPS_BINDING_H
#define MINNOW_HTTPS_BINDING_H

#include <errno.h>

#include "hal/native/binding/bytes.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"
#include "https.h"

extern const struct exported https_server_functions[], https_connection_functions[], https_response_functions[];

enum {
  EVENT_REQUEST,
  EVENT_BODY,
  EVENT_END,
  EVENT_DRAIN,
  EVENT_CLIENT_ERROR,
  EVENT_CONNECTION,
  EVENT_NAME,
  EVENT_SECURE,
  EVENT_RECOGNIZED,
  EVENT_REPEATED,
  EVENT_TLS_ERROR,
  EVENT_CLOSE,
  EVENT_CLOSED,
  EVENTS
};
enum { ARGUMENTS_MAX = 7, TEXT_ROOM = 256 };

/* Lives until JavaScript has released it and the server has sent its last event. */
struct handle {
  struct https_server *server;
  napi_env env;
  napi_ref receiver, events[EVENTS], uses;
  bool closed, forgotten;
};

/* By the names that JavaScript has for them. */
extern const char *const event_names[EVENTS];

/* The server's callbacks; their context is the handle. */
extern const struct https_events server_events;

/* Releases a handle without a server. */
void handle_forget(struct handle *h);

/* The external value's finalizer. */
void handle_collected(napi_env env, void *data, void *hint);

/* Reads the arguments; the first is the handle. */
static inline struct handle *handle_take(napi_env env, napi_callback_info info, napi_value values[ARGUMENTS_MAX]) {
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return external_take(env, values[0]);
}

static inline https_id id_take(napi_env env, napi_value value) {
  return (https_id)integer_take(env, value);
}

static inline uint32_t bits_take(napi_env env, napi_value value) {
  uint32_t bits = 0;
  napi_get_value_uint32(env, value, &bits);
  return bits;
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
  return is_undefined(env, value) || bytes_take(env, value, body);
}

#endif
