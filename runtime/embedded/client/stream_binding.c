#include "stream_binding.h"

#include <errno.h>
#include <stdlib.h>

#include "../wire/held.h"
#include "hal/native/binding/bytes.h"
#include "hal/native/binding/callback.h"
#include "hal/native/binding/values.h"
#include "resolve.h"
#include "transport.h"

enum { EVENT_READY, EVENT_DATA, EVENT_CLOSE };

static const char *const event_names[] = {"ready", "data", "close"};

/* Lives as long as JavaScript can name it. While it is connected it holds its listeners, and they hold what names it. */
struct stream {
  struct transport *transport; /* NULL once it has ended */
  struct tls_client *tls;
  struct held_bytes unsent;
  napi_env env;
  napi_ref listeners;
};

/* Ends the connection; there are no more events. */
static void finish(struct stream *s) {
  if (s->transport) transport_close(s->transport);
  s->transport = NULL;
  tls_client_free(s->tls);
  s->tls = NULL;
  held_take(&s->unsent, held_length(&s->unsent));
}

static void forget_listeners(struct stream *s) {
  if (s->listeners) napi_delete_reference(s->env, s->listeners);
  s->listeners = NULL;
}

static void emit(struct stream *s, int event, size_t count, const napi_value *arguments) {
  napi_value listeners, listener;
  napi_get_reference_value(s->env, s->listeners, &listeners);
  if (event == EVENT_CLOSE) forget_listeners(s);
  napi_get_named_property(s->env, listeners, event_names[event], &listener);
  call_back(s->env, listeners, listener, count, arguments);
}

static void fail(struct stream *s, const char *code, const char *reason) {
  napi_handle_scope scope;
  napi_open_handle_scope(s->env, &scope);
  napi_value words[] = {latin1_give(s->env, code ? code : ""), latin1_give(s->env, reason ? reason : "")};
  finish(s);
  emit(s, EVENT_CLOSE, 2, words);
  napi_close_handle_scope(s->env, scope);
}

static void on_ready(void *context) {
  struct stream *s = context;
  napi_handle_scope scope;
  napi_open_handle_scope(s->env, &scope);
  emit(s, EVENT_READY, 0, NULL);
  napi_close_handle_scope(s->env, scope);
}

static size_t on_data(void *context, const uint8_t *data, size_t length) {
  struct stream *s = context;
  napi_handle_scope scope;
  napi_open_handle_scope(s->env, &scope);
  napi_value chunk = bytes_give(s->env, data, length);
  if (chunk) {
    emit(s, EVENT_DATA, 1, &chunk);
  } else { /* out of memory: treated as a failed connection */
    napi_value pending;
    napi_get_and_clear_last_exception(s->env, &pending);
    fail(s, "ENOMEM", "Out of memory");
  }
  napi_close_handle_scope(s->env, scope);
  return length;
}

/* Sends what waits, as far as the socket takes it. */
static void on_writable(void *context) {
  struct stream *s = context;
  const napi_env env = s->env;
  napi_handle_scope scope;
  napi_value listeners; /* they keep the stream, should it fail */
  napi_open_handle_scope(env, &scope);
  if (s->listeners) napi_get_reference_value(env, s->listeners, &listeners);
  while (s->transport && s->unsent.data) {
    long sent = transport_send(s->transport, held_data(&s->unsent), held_length(&s->unsent));
    if (sent < 0) fail(s, "EPROTO", "TLS failed");
    if (sent <= 0 || !s->transport) break;
    held_take(&s->unsent, (size_t)sent);
  }
  napi_close_handle_scope(env, scope);
}

static void on_lost(void *context, const char *code, const char *reason, bool refused) {
  (void)refused;
  fail(context, code, reason);
}

static const struct transport_events core_events = {on_ready, on_writable, on_data, on_lost};

static void on_forgotten(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  finish(data);
  free(data);
}

static struct stream *stream_take(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  arguments_take(env, info, count, values);
  return external_take(env, values[0]);
}

static napi_value open_stream(napi_env env, napi_callback_info info) {
  napi_value values[3], result = NULL;
  char host[INET6_ADDRSTRLEN] = "";
  struct sockaddr_storage address;
  uv_loop_t *loop;
  arguments_take(env, info, 3, values);
  napi_get_value_string_latin1(env, values[0], host, sizeof host, NULL);
  struct stream *s = calloc(1, sizeof *s);
  int error = s ? resolve_numeric(host, (int)integer_take(env, values[1]), &address) : -ENOMEM;
  if (error) goto failed;
  s->env = env;
  if (napi_create_reference(env, values[2], 1, &s->listeners) != napi_ok) goto failed;
  if (napi_create_external(env, s, on_forgotten, NULL, &result) != napi_ok) goto failed;
  napi_get_uv_event_loop(env, &loop);
  if (!transport_open(&s->transport, loop, NULL, &address, &core_events, s)) return result;
  forget_listeners(s); /* the external owns it already */
  s = NULL;
failed:
  if (s) forget_listeners(s);
  free(s);
  napi_throw_error(env, error == -ENOMEM ? "ENOMEM" : "EINVAL", "Cannot connect");
  return NULL;
}

static napi_value write_stream(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct bytes bytes = {0};
  struct stream *s = stream_take(env, info, 2, values);
  if (!bytes_take(env, values[1], &bytes)) return NULL;
  int error = s->transport ? held_add(&s->unsent, bytes.data, bytes.size) : 0;
  bytes_release(&bytes);
  if (error) napi_throw_error(env, "ENOMEM", "Out of memory");
  else on_writable(s);
  return NULL;
}

static napi_value secure_stream(napi_env env, napi_callback_info info) {
  napi_value values[3];
  struct bytes name = {0}, ca = {0};
  struct stream *s = stream_take(env, info, 3, values);
  int error = s->transport && !s->tls ? 0 : -EALREADY;
  if (bytes_take(env, values[1], &name) && bytes_take(env, values[2], &ca)) {
    const struct tls_client_settings settings = {
        .name = (const char *)name.data, .verify = true, .ca = (const char *)ca.data, .ca_length = ca.size};
    if (!error) error = tls_client_new(&s->tls, &settings);
    if (!error) error = transport_secure(s->transport, s->tls);
    if (error) napi_throw_error(env, error == -ENOMEM ? "ENOMEM" : "EINVAL", "TLS cannot begin");
  }
  bytes_release(&name);
  bytes_release(&ca);
  return NULL;
}

static napi_value destroy_stream(napi_env env, napi_callback_info info) {
  napi_value value;
  struct stream *s = stream_take(env, info, 1, &value);
  finish(s);
  forget_listeners(s);
  return NULL;
}

const struct exported stream_functions[] = {
    {"openStream", open_stream},
    {"writeStream", write_stream},
    {"secureStream", secure_stream},
    {"destroyStream", destroy_stream},
    {NULL, NULL},
};
