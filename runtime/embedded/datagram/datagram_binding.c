/* UDP sockets for JavaScript (datagram.d.ts has the signatures). */
#include <node_api.h>
#include <stdlib.h>

#include "datagram.h"
#include "hal/native/binding/bytes.h"
#include "hal/native/binding/callback.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"

/* Lives as long as JavaScript can name it, and as long as the socket is open. */
struct bound {
  struct datagram *socket; /* NULL once it is closed */
  napi_env env;
  napi_ref message;
  bool forgotten;
};

static void release(struct bound *b) {
  if (b->message) napi_delete_reference(b->env, b->message);
  free(b);
}

static void on_message(void *context, const uint8_t *bytes, size_t length, const char *address, uint16_t port) {
  struct bound *b = context;
  napi_handle_scope scope;
  napi_value receiver, listener, values[3];
  napi_open_handle_scope(b->env, &scope);
  napi_get_global(b->env, &receiver);
  napi_get_reference_value(b->env, b->message, &listener);
  values[0] = bytes_give(b->env, bytes, length);
  values[1] = text_give(b->env, address);
  values[2] = integer_give(b->env, port);
  if (values[0] && values[1]) call_back(b->env, receiver, listener, 3, values);
  napi_close_handle_scope(b->env, scope);
}

static void on_closed(void *context) {
  struct bound *b = context;
  b->socket = NULL;
  /* The listener may hold what names the socket. */
  napi_delete_reference(b->env, b->message);
  b->message = NULL;
  if (b->forgotten) release(b);
}

static const struct datagram_events core_events = {on_message, on_closed};

static void on_forgotten(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  struct bound *b = data;
  b->forgotten = true;
  if (b->socket) datagram_close(b->socket);
  else release(b);
}

/* A text that is too long is cut: no address is. */
static void address_take(napi_env env, napi_value value, char address[DATAGRAM_ADDRESS_SIZE]) {
  address[0] = '\0';
  napi_get_value_string_utf8(env, value, address, DATAGRAM_ADDRESS_SIZE, NULL);
}

static napi_value open_socket(napi_env env, napi_callback_info info) {
  napi_value values[3], result = NULL;
  char address[DATAGRAM_ADDRESS_SIZE];
  uv_loop_t *loop;
  int error = UV_ENOMEM;
  arguments_take(env, info, 3, values);
  struct bound *b = calloc(1, sizeof *b);
  if (!b) return integer_give(env, error);
  b->env = env;
  address_take(env, values[0], address);
  napi_get_uv_event_loop(env, &loop);
  if (napi_create_reference(env, values[2], 1, &b->message) == napi_ok)
    error = datagram_open(loop, address, (uint16_t)integer_take(env, values[1]), &core_events, b, &b->socket);
  if (!error && napi_create_external(env, b, on_forgotten, NULL, &result) == napi_ok) return result;
  b->forgotten = true;
  if (b->socket) datagram_close(b->socket);
  else release(b);
  return error ? integer_give(env, error) : NULL;
}

static struct datagram *socket_take(napi_env env, napi_value value) {
  struct bound *b = external_take(env, value);
  return b ? b->socket : NULL;
}

static napi_value join(napi_env env, napi_callback_info info) {
  napi_value values[3];
  char group[DATAGRAM_ADDRESS_SIZE], own[DATAGRAM_ADDRESS_SIZE];
  arguments_take(env, info, 3, values);
  struct datagram *socket = socket_take(env, values[0]);
  address_take(env, values[1], group);
  address_take(env, values[2], own);
  return integer_give(env, socket ? datagram_join(socket, group, own) : UV_EBADF);
}

static napi_value set_ttl(napi_env env, napi_callback_info info) {
  napi_value values[2];
  arguments_take(env, info, 2, values);
  struct datagram *socket = socket_take(env, values[0]);
  return integer_give(env, socket ? datagram_set_ttl(socket, (int)integer_take(env, values[1])) : UV_EBADF);
}

static napi_value send_to(napi_env env, napi_callback_info info) {
  napi_value values[4];
  char address[DATAGRAM_ADDRESS_SIZE];
  struct bytes bytes = {0};
  int error = UV_EBADF;
  arguments_take(env, info, 4, values);
  struct datagram *socket = socket_take(env, values[0]);
  address_take(env, values[2], address);
  if (bytes_take(env, values[1], &bytes) && socket)
    error = datagram_send(socket, bytes.data, bytes.size, address, (uint16_t)integer_take(env, values[3]));
  bytes_release(&bytes);
  return integer_give(env, error);
}

static napi_value close_socket(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments_take(env, info, 1, &value);
  struct datagram *socket = socket_take(env, value);
  if (socket) datagram_close(socket);
  return NULL;
}

static const struct exported functions[] = {
    {"open", open_socket}, {"join", join},          {"setTtl", set_ttl},
    {"send", send_to},     {"close", close_socket}, {NULL, NULL},
};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
