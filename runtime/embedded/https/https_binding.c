/* The HTTPS server for JavaScript (https.d.ts has its signatures). */
#include <errno.h>
#include <stdio.h>

#include <arpa/inet.h>

#include "../bytes.h"
#include "https.h"
#include "response.h"

enum { EVENT_REQUEST, EVENT_BODY, EVENT_END, EVENT_DRAIN, EVENT_CLIENT_ERROR, EVENT_CONNECTION, EVENT_SECURE,
       EVENT_TLS_ERROR, EVENT_CLOSE, EVENT_CLOSED, EVENTS };
enum { HAS_BODY = 1, IS_HTTP11 = 2, KEEP_ALIVE = 4, HAS_HOST = 8, EXPECTS_CONTINUE = 16, EXPECTS_OTHER = 32 };
enum { MORE = 1, CHUNKED = 2, HEAD_ONLY = 4, CLOSE = 8 };
enum { ARGUMENTS_MAX = 6, TEXT_ROOM = 256 };

static const char *const event_names[EVENTS] = {
  "request", "body", "end", "drain", "clientError", "connection", "secure", "tlsError", "close", "closed"
};

/* Lives as long as JavaScript can name it, and as long as the server has something to tell. */
typedef struct {
  https_server *server;
  napi_env env;
  napi_ref receiver, events[EVENTS];
  bool closed, forgotten;
} handle;

/* Calls the listener of `event`; what it throws is an uncaught exception. */
static void tell(handle *h, int event, size_t count, const napi_value *arguments) {
  napi_value receiver, listener, result, error;
  napi_get_reference_value(h->env, h->receiver, &receiver);
  napi_get_reference_value(h->env, h->events[event], &listener);
  if (napi_make_callback(h->env, NULL, receiver, listener, count, arguments, &result) != napi_pending_exception) return;
  napi_get_and_clear_last_exception(h->env, &error);
  napi_fatal_exception(h->env, error);
}

static napi_value number(napi_env env, https_id id) {
  napi_value value;
  napi_create_int64(env, (int64_t)id, &value);
  return value;
}

static napi_value text(napi_env env, const char *value) {
  napi_value result;
  napi_create_string_latin1(env, value, NAPI_AUTO_LENGTH, &result);
  return result;
}

static void tell_id(handle *h, int event, https_id id) {
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {number(h->env, id)};
  tell(h, event, 1, arguments);
  napi_close_handle_scope(h->env, scope);
}

static unsigned header_bits(const char *name, size_t length, const char *value) {
  if (length == 4 && strcasecmp(name, "host") == 0) return HAS_HOST;
  if (length != 6 || strcasecmp(name, "expect") != 0) return 0;
  return strcasecmp(value, "100-continue") == 0 ? EXPECTS_CONTINUE : EXPECTS_OTHER;
}

/* The flat list of names and values; adds to `bits` what the headers say. */
static napi_value raw_headers(napi_env env, const request_parser *parser, unsigned *bits) {
  napi_value array, piece;
  const char *at = parser->head + strlen(parser->head) + 1;
  napi_create_array_with_length(env, 2 * (size_t)parser->headers, &array);
  for (uint32_t i = 0; i < 2 * parser->headers; i++) {
    size_t length = strlen(at);
    if (i % 2 == 0) *bits |= header_bits(at, length, at + length + 1);
    napi_create_string_latin1(env, at, length, &piece);
    napi_set_element(env, array, i, piece);
    at += length + 1;
  }
  return array;
}

static void on_request(void *context, https_id id, const request_parser *parser) {
  handle *h = context;
  napi_handle_scope scope;
  unsigned bits = parser->has_body ? HAS_BODY : 0;
  if (parser->http.http_minor == 1) bits |= IS_HTTP11;
  if (parser->keep_alive) bits |= KEEP_ALIVE;
  napi_open_handle_scope(h->env, &scope);
  napi_value headers = raw_headers(h->env, parser, &bits);
  napi_value arguments[] = {
    number(h->env, id), text(h->env, request_method(parser)), text(h->env, parser->head), headers, NULL
  };
  napi_create_uint32(h->env, bits, &arguments[4]);
  tell(h, EVENT_REQUEST, 5, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_body(void *context, https_id id, const uint8_t *data, size_t length) {
  handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {number(h->env, id), bytes_give(h->env, data, length)};
  if (arguments[1]) tell(h, EVENT_BODY, 2, arguments);
  else https_destroy(h->server, id);
  napi_close_handle_scope(h->env, scope);
}

static void on_client_error(void *context, https_id id, const char *code, const char *reason) {
  handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {number(h->env, id), text(h->env, code), text(h->env, reason ? reason : "")};
  tell(h, EVENT_CLIENT_ERROR, 3, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_tls_error(void *context, https_id id, int error) {
  handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {number(h->env, id), NULL};
  napi_create_int32(h->env, error, &arguments[1]);
  tell(h, EVENT_TLS_ERROR, 2, arguments);
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

static void on_close(void *context, https_id id) {
  tell_id(context, EVENT_CLOSE, id);
}

static void release_references(handle *h) {
  if (h->receiver) napi_delete_reference(h->env, h->receiver);
  for (int i = 0; i < EVENTS; i++) {
    if (h->events[i]) napi_delete_reference(h->env, h->events[i]);
  }
}

static void release(handle *h) {
  https_free(h->server);
  free(h);
}

static void on_closed(void *context) {
  handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  tell(h, EVENT_CLOSED, 0, NULL);
  napi_close_handle_scope(h->env, scope);
  release_references(h);
  h->closed = true;
  if (h->forgotten) release(h);
}

static void on_forgotten(napi_env env, void *data, void *hint) {
  handle *h = data;
  (void)env, (void)hint;
  h->forgotten = true;
  if (h->closed) release(h);
}

static const https_events core_events = {
  on_request, on_body, on_end, on_drain, on_client_error, on_connection, on_secure, on_tls_error, on_close, on_closed
};

/* Reads the arguments, those that are missing as undefined; the first is the handle, but for create. */
static handle *arguments(napi_env env, napi_callback_info info, napi_value values[ARGUMENTS_MAX]) {
  size_t count = ARGUMENTS_MAX;
  void *data = NULL;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_value_external(env, values[0], &data);
  return data;
}

static https_id id_of(napi_env env, napi_value value) {
  int64_t id = 0;
  napi_get_value_int64(env, value, &id);
  return (https_id)id;
}

static uint32_t bits_of(napi_env env, napi_value value) {
  uint32_t bits = 0;
  napi_get_value_uint32(env, value, &bits);
  return bits;
}

static napi_value result_of(napi_env env, long status) {
  napi_value value;
  napi_create_int64(env, status, &value);
  return value;
}

static bool option(napi_env env, napi_value options, const char *name, uint32_t *value) {
  napi_value given;
  bool has = false;
  if (napi_has_named_property(env, options, name, &has) != napi_ok || !has) return false;
  return napi_get_named_property(env, options, name, &given) == napi_ok &&
    napi_get_value_uint32(env, given, value) == napi_ok;
}

static void read_options(napi_env env, napi_value given, https_options *options) {
  uint32_t value;
  if (option(env, given, "maxHead", &value)) options->max_head = value;
  if (option(env, given, "maxConnections", &value)) options->max_connections = value;
  if (option(env, given, "handshakeTimeout", &value)) options->handshake_timeout = value;
  if (option(env, given, "headersTimeout", &value)) options->headers_timeout = value;
  if (option(env, given, "requestTimeout", &value)) options->request_timeout = value;
  if (option(env, given, "keepAliveTimeout", &value)) options->keep_alive_timeout = value;
  if (option(env, given, "writeTimeout", &value)) options->write_timeout = value;
  if (option(env, given, "lingerTimeout", &value)) options->linger_timeout = value;
  if (option(env, given, "ticketLifetime", &value)) options->tls.ticket_lifetime = value;
  if (option(env, given, "minVersion", &value)) options->tls.min_version = (int)value;
  if (option(env, given, "maxVersion", &value)) options->tls.max_version = (int)value;
}

static napi_value credentials_failed(napi_env env, int error) {
  if (error == -ENOMEM) napi_throw_error(env, NULL, "Out of memory");
  else napi_throw_error(env, "ERR_OSSL_PEM_NO_START_LINE", "Key and certificate must be PEM and belong together");
  return NULL;
}

static napi_value create(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], listener, result = NULL;
  struct bytes key = {0}, certificate = {0};
  https_options options = {0};
  uv_loop_t *loop;
  arguments(env, info, values);
  handle *h = calloc(1, sizeof *h);
  if (!h) return credentials_failed(env, -ENOMEM);
  h->env = env;
  read_options(env, values[0], &options);
  if (!bytes_take(env, values[1], &key) || !bytes_take(env, values[2], &certificate)) goto out;
  napi_create_reference(env, values[3], 1, &h->receiver);
  for (int i = 0; i < EVENTS; i++) {
    if (napi_get_named_property(env, values[3], event_names[i], &listener) != napi_ok) goto out;
    if (napi_create_reference(env, listener, 1, &h->events[i]) != napi_ok) goto out;
  }
  napi_get_uv_event_loop(env, &loop);
  int error = https_new(&h->server, loop, &options, &core_events, h, (const char *)key.data, key.size,
                        (const char *)certificate.data, certificate.size);
  if (error) credentials_failed(env, error);
  else napi_create_external(env, h, on_forgotten, NULL, &result);
out:
  bytes_release(&key);
  bytes_release(&certificate);
  if (h->server) return result;
  release_references(h);
  free(h);
  return NULL;
}

static napi_value set_credentials(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct bytes key = {0}, certificate = {0};
  handle *h = arguments(env, info, values);
  if (bytes_take(env, values[1], &key) && bytes_take(env, values[2], &certificate)) {
    int error = https_set_credentials(h->server, (const char *)key.data, key.size, (const char *)certificate.data,
                                      certificate.size);
    if (error) credentials_failed(env, error);
  }
  bytes_release(&key);
  bytes_release(&certificate);
  return NULL;
}

static napi_value configure(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  read_options(env, values[1], https_settings(h->server));
  return NULL;
}

static napi_value listen_on(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  char address[TEXT_ROOM];
  handle *h = arguments(env, info, values);
  napi_get_value_string_utf8(env, values[1], address, sizeof address, NULL);
  return result_of(env, https_listen(h->server, address, (int)bits_of(env, values[2])));
}

static napi_value address_object(napi_env env, const struct sockaddr_storage *name) {
  const struct sockaddr_in *four = (const struct sockaddr_in *)name;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)name;
  bool is_six = name->ss_family == AF_INET6;
  char written[INET6_ADDRSTRLEN] = "";
  napi_value object, port;
  if (is_six) uv_ip6_name(six, written, sizeof written);
  else uv_ip4_name(four, written, sizeof written);
  napi_create_uint32(env, ntohs(is_six ? six->sin6_port : four->sin_port), &port);
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "address", text(env, written));
  napi_set_named_property(env, object, "port", port);
  napi_set_named_property(env, object, "family", text(env, is_six ? "IPv6" : "IPv4"));
  return object;
}

static napi_value nothing(napi_env env) {
  napi_value value;
  napi_get_null(env, &value);
  return value;
}

static napi_value address_of(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct sockaddr_storage name;
  handle *h = arguments(env, info, values);
  return https_address(h->server, &name) ? nothing(env) : address_object(env, &name);
}

static napi_value peer(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct sockaddr_storage name;
  handle *h = arguments(env, info, values);
  return https_peer(h->server, id_of(env, values[1]), &name) ? nothing(env) : address_object(env, &name);
}

static napi_value describe_error(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], object;
  int32_t error = 0;
  char written[TEXT_ROOM];
  arguments(env, info, values);
  napi_get_value_int32(env, values[0], &error);
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "code", text(env, uv_err_name_r(error, written, sizeof written)));
  napi_set_named_property(env, object, "text", text(env, uv_strerror_r(error, written, sizeof written)));
  return object;
}

/* A string in `local`, or in memory that the caller frees when it is long. NULL with an exception pending. */
static char *string_of(napi_env env, napi_value value, char local[TEXT_ROOM], size_t *length) {
  napi_valuetype type;
  if (napi_typeof(env, value, &type) != napi_ok) return NULL;
  if (type != napi_string && napi_coerce_to_string(env, value, &value) != napi_ok) return NULL;
  if (napi_get_value_string_utf8(env, value, local, TEXT_ROOM, length) != napi_ok) return NULL;
  if (*length + 4 < TEXT_ROOM) return local; /* a full buffer may mean a longer string */
  if (napi_get_value_string_utf8(env, value, NULL, 0, length) != napi_ok) return NULL;
  char *copy = malloc(*length + 1);
  if (copy) napi_get_value_string_utf8(env, value, copy, *length + 1, length);
  else napi_throw_error(env, NULL, "Out of memory");
  return copy;
}

/* Writes one header. False with an exception pending. */
static bool put_header(napi_env env, response_head *head, napi_value name, napi_value value) {
  char local_name[TEXT_ROOM], local_value[TEXT_ROOM];
  size_t name_length, value_length;
  int error = -ENOMEM;
  char *value_text = NULL, *name_text = string_of(env, name, local_name, &name_length);
  if (name_text) value_text = string_of(env, value, local_value, &value_length);
  if (value_text) error = response_header(head, name_text, name_length, value_text, value_length);
  if (value_text && error == -EINVAL) napi_throw_type_error(env, "ERR_INVALID_CHAR", "Invalid character in a header");
  else if (value_text && error) napi_throw_error(env, NULL, "Out of memory");
  if (name_text != local_name) free(name_text);
  if (value_text != local_value) free(value_text);
  return error == 0;
}

static bool put_headers(napi_env env, response_head *head, napi_value list) {
  uint32_t count = 0;
  napi_get_array_length(env, list, &count);
  for (uint32_t i = 0; i + 1 < count; i += 2) {
    napi_value name, value;
    if (napi_get_element(env, list, i, &name) != napi_ok || napi_get_element(env, list, i + 1, &value) != napi_ok) return false;
    if (!put_header(env, head, name, value)) return false;
  }
  return true;
}

/* A piece of a body, in the chunked coding where that is used (RFC 9112, 7.1), and its end. -ENOMEM. */
static int put_body(held_bytes *out, const struct bytes *body, uint32_t shape) {
  char line[24];
  bool chunked = (shape & CHUNKED) != 0, last = (shape & MORE) == 0;
  if (held_reserve(out, body->size + 2 * sizeof line)) return -ENOMEM;
  if (chunked && body->size) held_add(out, (const uint8_t *)line, (size_t)snprintf(line, sizeof line, "%zx\r\n", body->size));
  held_add(out, body->data, body->size);
  if (chunked && body->size) held_add(out, (const uint8_t *)"\r\n", 2);
  if (chunked && last) held_add(out, (const uint8_t *)"0\r\n\r\n", 5);
  return 0;
}

/* Takes `value` if it is not undefined. */
static bool take_body(napi_env env, napi_value value, struct bytes *body) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  return type == napi_undefined || bytes_take(env, value, body);
}

static response_body framing(unsigned status, uint32_t shape, size_t size) {
  if (response_is_empty(status) || ((shape & HEAD_ONLY) && size == 0)) return RESPONSE_NO_BODY;
  if (shape & CHUNKED) return RESPONSE_CHUNKED;
  return shape & MORE ? RESPONSE_UNTIL_CLOSE : RESPONSE_LENGTH;
}

static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes body = {0};
  response_head head = {0};
  handle *h = arguments(env, info, values);
  https_id id = id_of(env, values[1]);
  uint32_t status = bits_of(env, values[2]), shape = bits_of(env, values[5]);
  int error = response_begin(&head, status);
  if (error || !put_headers(env, &head, values[3]) || !take_body(env, values[4], &body)) goto out;
  bool empty = response_is_empty(status) || (shape & HEAD_ONLY) != 0;
  bool keeps = https_keeps_alive(h->server, id) && !(shape & CLOSE) && !head.close;
  error = response_finish(&head, keeps, https_settings(h->server)->keep_alive_timeout / 1000, framing(status, shape, body.size), body.size);
  if (!error && !empty) error = put_body(&head.bytes, &body, shape);
  if (error) goto out;
  if (!keeps) https_close_after(h->server, id);
  result = result_of(env, https_write(h->server, id, held_data(&head.bytes), held_length(&head.bytes), !(shape & MORE)));
out:
  if (error == -EINVAL) napi_throw_range_error(env, "ERR_HTTP_INVALID_STATUS_CODE", "Invalid status code");
  else if (error) napi_throw_error(env, NULL, "Out of memory");
  bytes_release(&body);
  held_take(&head.bytes, held_length(&head.bytes));
  return result;
}

static napi_value more(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes body = {0};
  held_bytes out = {0};
  handle *h = arguments(env, info, values);
  uint32_t shape = bits_of(env, values[3]);
  if (take_body(env, values[2], &body)) {
    if ((shape & HEAD_ONLY) == 0 && put_body(&out, &body, shape)) napi_throw_error(env, NULL, "Out of memory");
    else result = result_of(env, https_write(h->server, id_of(env, values[1]), held_data(&out), held_length(&out), !(shape & MORE)));
  }
  bytes_release(&body);
  held_take(&out, held_length(&out));
  return result;
}

static napi_value proceed(napi_env env, napi_callback_info info) {
  static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  return result_of(env, https_write(h->server, id_of(env, values[1]), (const uint8_t *)line, sizeof line - 1, false));
}

static napi_value end(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes data = {0};
  handle *h = arguments(env, info, values);
  if (take_body(env, values[2], &data)) result = result_of(env, https_end(h->server, id_of(env, values[1]), data.data, data.size));
  bytes_release(&data);
  return result;
}

typedef int (*with_id)(https_server *server, https_id id);
typedef const char *(*text_with_id)(https_server *server, https_id id);
typedef void (*with_server)(https_server *server);

static napi_value call_with_id(napi_env env, napi_callback_info info, with_id function) {
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  return result_of(env, function(h->server, id_of(env, values[1])));
}

static napi_value call_for_text(napi_env env, napi_callback_info info, text_with_id function) {
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  const char *found = function(h->server, id_of(env, values[1]));
  return found ? text(env, found) : nothing(env);
}

static napi_value call_with_server(napi_env env, napi_callback_info info, with_server function) {
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  function(h->server);
  return NULL;
}

static napi_value destroy(napi_env env, napi_callback_info info) { return call_with_id(env, info, https_destroy); }
static napi_value pause_body(napi_env env, napi_callback_info info) { return call_with_id(env, info, https_pause); }
static napi_value resume(napi_env env, napi_callback_info info) { return call_with_id(env, info, https_resume); }
static napi_value protocol(napi_env env, napi_callback_info info) { return call_for_text(env, info, https_protocol); }
static napi_value cipher(napi_env env, napi_callback_info info) { return call_for_text(env, info, https_cipher); }
static napi_value close_server(napi_env env, napi_callback_info info) { return call_with_server(env, info, https_close); }
static napi_value close_idle(napi_env env, napi_callback_info info) { return call_with_server(env, info, https_close_idle); }
static napi_value close_all(napi_env env, napi_callback_info info) { return call_with_server(env, info, https_close_all); }

static napi_value connections(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  handle *h = arguments(env, info, values);
  return result_of(env, (long)https_connections(h->server));
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback function;
  } functions[] = {
    {"create", create}, {"setCredentials", set_credentials}, {"configure", configure}, {"listen", listen_on},
    {"address", address_of}, {"close", close_server}, {"closeIdle", close_idle}, {"closeAll", close_all},
    {"connections", connections}, {"describeError", describe_error}, {"answer", answer}, {"more", more},
    {"proceed", proceed}, {"end", end}, {"destroy", destroy}, {"pause", pause_body}, {"resume", resume}, {"peer", peer},
    {"protocol", protocol}, {"cipher", cipher}
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function) != napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, function) != napi_ok) return NULL;
  }
  return exports;
}
