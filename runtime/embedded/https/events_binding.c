/* The server's callbacks as events for JavaScript. */
#include "binding.h"
#include "hal/native/binding/callback.h"

enum {
  HAS_BODY = 1,
  IS_HTTP11 = 2,
  KEEP_ALIVE = 4,
  HAS_HOST = 8,
  EXPECTS_CONTINUE = 16,
  EXPECTS_OTHER = 32,
  UPGRADES = 64
};

const char *const event_names[EVENTS] = {"request",    "body",  "end",    "drain",      "clientError",
                                         "connection", "name",  "secure", "recognized", "repeated",
                                         "tlsError",   "close", "closed"};

/* Calls the listener of `event`. */
static void emit(struct handle *h, int event, size_t count, const napi_value *arguments) {
  napi_value receiver, listener;
  napi_get_reference_value(h->env, h->receiver, &receiver);
  napi_get_reference_value(h->env, h->events[event], &listener);
  call_back(h->env, receiver, listener, count, arguments);
}

static void tell_id(struct handle *h, int event, https_id id) {
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id)};
  emit(h, event, 1, arguments);
  napi_close_handle_scope(h->env, scope);
}

static unsigned header_bits(const char *name, size_t length, const char *value) {
  if (length == 4 && strcasecmp(name, "host") == 0) return HAS_HOST;
  if (length != 6 || strcasecmp(name, "expect") != 0) return 0;
  return strcasecmp(value, "100-continue") == 0 ? EXPECTS_CONTINUE : EXPECTS_OTHER;
}

/* The flat list of names and values; adds the flags of the headers to `bits`. */
static napi_value raw_headers(napi_env env, const struct request_parser *parser, unsigned *bits) {
  napi_value array, piece;
  const char *at = parser->message.head + strlen(parser->message.head) + 1;
  napi_create_array_with_length(env, 2 * (size_t)parser->message.headers, &array);
  for (uint32_t i = 0; i < 2 * parser->message.headers; i++) {
    size_t length = strlen(at);
    if (i % 2 == 0) *bits |= header_bits(at, length, at + length + 1);
    napi_create_string_latin1(env, at, length, &piece);
    napi_set_element(env, array, i, piece);
    at += length + 1;
  }
  return array;
}

static void on_request(void *context, https_id id, const struct request_parser *parser) {
  struct handle *h = context;
  napi_handle_scope scope;
  unsigned bits = parser->has_body ? HAS_BODY : 0;
  if (parser->message.http.http_minor == 1) bits |= IS_HTTP11;
  if (parser->message.keep_alive) bits |= KEEP_ALIVE;
  if (parser->upgrade) bits |= UPGRADES;
  napi_open_handle_scope(h->env, &scope);
  napi_value headers = raw_headers(h->env, parser, &bits);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id), latin1_give(h->env, request_method(parser)),
                            latin1_give(h->env, parser->message.head), headers, NULL};
  napi_create_uint32(h->env, bits, &arguments[4]);
  emit(h, EVENT_REQUEST, 5, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_body(void *context, https_id id, const uint8_t *data, size_t length) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id), bytes_give(h->env, data, length)};
  if (arguments[1]) emit(h, EVENT_BODY, 2, arguments);
  else https_destroy(h->server, id);
  napi_close_handle_scope(h->env, scope);
}

static void on_client_error(void *context, https_id id, const char *code, const char *reason, const uint8_t *data,
                            size_t length) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id), latin1_give(h->env, code),
                            latin1_give(h->env, reason ? reason : ""), bytes_give(h->env, data, length)};
  if (arguments[3]) emit(h, EVENT_CLIENT_ERROR, 4, arguments);
  else https_destroy(h->server, id);
  napi_close_handle_scope(h->env, scope);
}

static void on_tls_error(void *context, https_id id, int error) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id), NULL};
  napi_create_int32(h->env, error, &arguments[1]);
  emit(h, EVENT_TLS_ERROR, 2, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_name(void *context, https_id id, const char *name, size_t length) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {integer_give(h->env, (int64_t)id), NULL};
  napi_create_string_latin1(h->env, name, length, &arguments[1]);
  emit(h, EVENT_NAME, 2, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_end(void *context, https_id id) {
  tell_id(context, EVENT_END, id);
}

static void on_drain(void *context, https_id id) {
  tell_id(context, EVENT_DRAIN, id);
}

static void on_connection(void *context, https_id id) {
  tell_id(context, EVENT_CONNECTION, id);
}

static void on_secure(void *context, https_id id) {
  tell_id(context, EVENT_SECURE, id);
}

static void on_recognized(void *context, https_id id) {
  tell_id(context, EVENT_RECOGNIZED, id);
}

static void on_repeated(void *context, https_id id) {
  tell_id(context, EVENT_REPEATED, id);
}

static void on_close(void *context, https_id id) {
  tell_id(context, EVENT_CLOSE, id);
}

static void release_references(struct handle *h) {
  if (h->receiver) napi_delete_reference(h->env, h->receiver);
  if (h->uses) napi_delete_reference(h->env, h->uses);
  for (int i = 0; i < EVENTS; i++) {
    if (h->events[i]) napi_delete_reference(h->env, h->events[i]);
  }
}

void handle_forget(struct handle *h) {
  release_references(h);
  free(h);
}

static void release(struct handle *h) {
  https_free(h->server);
  free(h);
}

static void on_closed(void *context) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  emit(h, EVENT_CLOSED, 0, NULL);
  napi_close_handle_scope(h->env, scope);
  release_references(h);
  h->closed = true;
  if (h->forgotten) release(h);
}

void handle_collected(napi_env env, void *data, void *hint) {
  struct handle *h = data;
  (void)env, (void)hint;
  h->forgotten = true;
  if (h->closed) release(h);
}

const struct https_events server_events = {on_request,    on_body,  on_end,    on_drain,      on_client_error,
                                           on_connection, on_name,  on_secure, on_recognized, on_repeated,
                                           on_tls_error,  on_close, on_closed};
