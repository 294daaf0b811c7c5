/* The HTTPS client for JavaScript (client.d.ts has its signatures). */
#include <errno.h>
#include <stdlib.h>

#include "client.h"
#include "hal/native/binding/bytes.h"
#include "hal/native/binding/callback.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"
#include "resolve.h"
#include "stream_binding.h"

enum { EVENT_HEAD, EVENT_BODY, EVENT_END, EVENT_ERROR, EVENTS };
enum { IS_HEAD = 1, LAST = 2, ONE_WAY = 4 };
enum { ARGUMENTS_MAX = 7, HOST_SIZE = 256 };

static const char *const event_names[EVENTS] = {"head", "body", "end", "error"};

/* Lives as long as JavaScript can name it. A request under way holds its listeners, and they hold what names it. */
struct handle {
  struct client *client;
  napi_env env;
  napi_ref listeners; /* NULL: no request is under way */
};

static void forget_listeners(struct handle *h) {
  if (h->listeners) napi_delete_reference(h->env, h->listeners);
  h->listeners = NULL;
}

/* Calls the listener of `event`. It may begin the next request. */
static void emit(struct handle *h, int event, size_t count, const napi_value *arguments) {
  napi_value listeners, listener;
  napi_get_reference_value(h->env, h->listeners, &listeners);
  if (event == EVENT_END || event == EVENT_ERROR) forget_listeners(h);
  napi_get_named_property(h->env, listeners, event_names[event], &listener);
  call_back(h->env, listeners, listener, count, arguments);
}

static void on_head(void *context, const struct response_parser *parser) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_value arguments[2];
  const char *at = parser->message.head;
  napi_open_handle_scope(h->env, &scope);
  napi_create_uint32(h->env, parser->status, &arguments[0]);
  napi_create_array_with_length(h->env, 2 * (size_t)parser->message.headers, &arguments[1]);
  for (uint32_t i = 0; i < 2 * parser->message.headers; i++) {
    napi_set_element(h->env, arguments[1], i, latin1_give(h->env, at));
    at += strlen(at) + 1;
  }
  emit(h, EVENT_HEAD, 2, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_body(void *context, const uint8_t *data, size_t length) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {bytes_give(h->env, data, length)};
  if (arguments[0]) {
    emit(h, EVENT_BODY, 1, arguments);
  } else { /* out of memory: treated as a failed connection */
    napi_value pending;
    napi_get_and_clear_last_exception(h->env, &pending);
    client_drop(h->client);
    napi_value words[] = {latin1_give(h->env, "ENOMEM"), latin1_give(h->env, "Out of memory"),
                          truth_give(h->env, false)};
    emit(h, EVENT_ERROR, 3, words);
  }
  napi_close_handle_scope(h->env, scope);
}

static void on_end(void *context) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  emit(h, EVENT_END, 0, NULL);
  napi_close_handle_scope(h->env, scope);
}

static void on_error(void *context, const struct client_error *error) {
  struct handle *h = context;
  napi_handle_scope scope;
  napi_open_handle_scope(h->env, &scope);
  napi_value arguments[] = {latin1_give(h->env, error->code), latin1_give(h->env, error->reason ? error->reason : ""),
                            truth_give(h->env, error->connecting)};
  emit(h, EVENT_ERROR, 3, arguments);
  napi_close_handle_scope(h->env, scope);
}

static void on_forgotten(napi_env env, void *data, void *hint) {
  struct handle *h = data;
  (void)env, (void)hint;
  client_free(h->client);
  free(h);
}

/* Reads the arguments; the first is the handle. */
static struct handle *handle_take(napi_env env, napi_callback_info info, napi_value values[ARGUMENTS_MAX]) {
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return external_take(env, values[0]);
}

static int64_t option(napi_env env, napi_value options, const char *name) {
  napi_value value;
  return napi_get_named_property(env, options, name, &value) == napi_ok ? integer_take(env, value) : 0;
}

/* A text, if it is not undefined. False with an exception pending. */
static bool take_text(napi_env env, napi_value options, const char *name, struct bytes *text) {
  napi_value value;
  if (napi_get_named_property(env, options, name, &value) != napi_ok) return false;
  return is_undefined(env, value) || bytes_take(env, value, text);
}

static const char *chars(const struct bytes *text) {
  return (const char *)text->data;
}

static void throw_error(napi_env env, int error) {
  if (error == -EKEYREJECTED) napi_throw_error(env, "ERR_OSSL_X509_KEY_VALUES_MISMATCH", "key values mismatch");
  else if (error == -EINVAL) napi_throw_error(env, "ERR_OSSL_PEM_NO_START_LINE", "Certificate and key must be PEM");
  else napi_throw_error(env, NULL, "Out of memory");
}

static const struct client_events core_events = {on_head, on_body, on_end, on_error};

static napi_value create(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], verify, result = NULL;
  struct bytes host = {0}, name = {0}, ca = {0}, certificate = {0}, key = {0};
  uv_loop_t *loop;
  int error = -ENOMEM;
  arguments_take(env, info, ARGUMENTS_MAX, values);
  struct handle *h = calloc(1, sizeof *h);
  if (!h) {
    throw_error(env, error);
    return NULL;
  }
  h->env = env;
  if (!take_text(env, values[0], "host", &host) || !take_text(env, values[0], "name", &name) ||
      !take_text(env, values[0], "ca", &ca) || !take_text(env, values[0], "cert", &certificate) ||
      !take_text(env, values[0], "key", &key))
    goto out;
  struct client_options options = {.host = chars(&host),
                                   .port = (int)option(env, values[0], "port"),
                                   .connect_timeout = (unsigned)option(env, values[0], "connectTimeout"),
                                   .keep_alive_timeout = (unsigned)option(env, values[0], "keepAliveTimeout"),
                                   .limits = {.head = (size_t)option(env, values[0], "maxHead"),
                                              .body = option(env, values[0], "maxBody"),
                                              .interim = (unsigned)option(env, values[0], "maxInterim")},
                                   .tls = {.name = chars(&name),
                                           .http = true,
                                           .ca = chars(&ca),
                                           .ca_length = ca.size,
                                           .certificate = chars(&certificate),
                                           .certificate_length = certificate.size,
                                           .key = chars(&key),
                                           .key_length = key.size}};
  napi_get_named_property(env, values[0], "verify", &verify);
  napi_get_value_bool(env, verify, &options.tls.verify);
  napi_get_uv_event_loop(env, &loop);
  error = client_new(&h->client, loop, &options, &core_events, h);
  if (error) throw_error(env, error);
  else napi_create_external(env, h, on_forgotten, NULL, &result);
out:
  bytes_release(&host);
  bytes_release(&name);
  bytes_release(&ca);
  bytes_release(&certificate);
  bytes_release(&key);
  if (result) return result;
  if (h->client) client_free(h->client);
  free(h);
  return NULL;
}

static napi_value request(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct bytes head = {0}, body = {0};
  struct held_bytes all = {0};
  struct handle *h = handle_take(env, info, values);
  int64_t flags = integer_take(env, values[3]);
  const struct client_request_options options = {.is_head = flags & IS_HEAD,
                                                 .last = flags & LAST,
                                                 .one_way = flags & ONE_WAY,
                                                 .headers_timeout = (unsigned)integer_take(env, values[4]),
                                                 .body_timeout = (unsigned)integer_take(env, values[5])};
  if (bytes_take(env, values[1], &head) && bytes_take(env, values[2], &body)) {
    int error = held_reserve(&all, head.size + body.size);
    if (!error) error = held_add(&all, head.data, head.size);
    if (!error) error = held_add(&all, body.data, body.size);
    if (!error) error = h->listeners ? -EBUSY : 0;
    if (!error && napi_create_reference(env, values[6], 1, &h->listeners) == napi_ok) {
      error = client_request(h->client, &all, &options);
    }
    if (error == -EBUSY) napi_throw_error(env, NULL, "A request is under way");
    else if (error) throw_error(env, error);
  }
  held_take(&all, held_length(&all));
  bytes_release(&head);
  bytes_release(&body);
  return NULL;
}

static napi_value is_idle(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return truth_give(env, client_is_connected(h->client));
}

static napi_value keep(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  client_keep(h->client, (unsigned)integer_take(env, values[1]));
  return NULL;
}

static napi_value pause_body(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  client_pause(handle_take(env, info, values)->client);
  return NULL;
}

static napi_value resume(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  client_resume(handle_take(env, info, values)->client);
  return NULL;
}

static napi_value drop(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  client_drop(h->client);
  forget_listeners(h);
  return NULL;
}

static napi_value end(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  client_end(h->client);
  forget_listeners(h);
  return NULL;
}

struct name_lookup {
  napi_env env;
  napi_ref listener;
};

static void on_resolved(void *context, int error, const struct sockaddr_storage *addresses, unsigned count) {
  struct name_lookup *lookup = context;
  const napi_env env = lookup->env;
  napi_handle_scope scope;
  napi_value receiver, listener, list;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, lookup->listener, &listener);
  napi_get_global(env, &receiver);
  napi_create_array(env, &list);
  for (unsigned i = 0; !error && i < count; i++) {
    char text[INET6_ADDRSTRLEN] = "";
    uv_ip_name((const struct sockaddr *)&addresses[i], text, sizeof text);
    napi_set_element(env, list, i, latin1_give(env, text));
  }
  napi_delete_reference(env, lookup->listener);
  free(lookup);
  call_back(env, receiver, listener, 1, &list);
  napi_close_handle_scope(env, scope);
}

static napi_value resolve(napi_env env, napi_callback_info info) {
  napi_value values[2];
  char host[HOST_SIZE];
  size_t length = 0;
  uv_loop_t *loop = NULL;
  struct resolve_lookup *started;
  arguments_take(env, info, 2, values);
  napi_get_value_string_latin1(env, values[0], host, sizeof host, &length);
  struct name_lookup *lookup = calloc(1, sizeof *lookup);
  if (!lookup) goto failed;
  lookup->env = env;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok ||
      napi_create_reference(env, values[1], 1, &lookup->listener) != napi_ok)
    goto failed;
  if (resolve_start(&started, loop, host, 0, NULL, on_resolved, lookup) == 0) return NULL;
  napi_delete_reference(env, lookup->listener);
failed:
  free(lookup);
  napi_throw_error(env, "ENOMEM", "Out of memory");
  return NULL;
}

static const struct exported functions[] = {
    {"create", create}, {"request", request}, {"isIdle", is_idle}, {"keep", keep},       {"pause", pause_body},
    {"resume", resume}, {"drop", drop},       {"end", end},        {"resolve", resolve}, {NULL, NULL},
};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) && exports_add(env, exports, stream_functions) ? exports : NULL;
}
