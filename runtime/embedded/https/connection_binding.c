/* A connection for JavaScript. */
#include "binding.h"

static napi_value end(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes data = {0};
  struct handle *h = handle_take(env, info, values);
  if (take_body(env, values[2], &data)) {
    result = integer_give(env, https_end(h->server, id_take(env, values[1]), data.data, data.size));
  }
  bytes_release(&data);
  return result;
}

typedef int (*with_id)(struct https_server *server, https_id id);
typedef const char *(*text_with_id)(struct https_server *server, https_id id);

static napi_value call_with_id(napi_env env, napi_callback_info info, with_id function) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return integer_give(env, function(h->server, id_take(env, values[1])));
}

static napi_value call_for_text(napi_env env, napi_callback_info info, text_with_id function) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  const char *found = function(h->server, id_take(env, values[1]));
  return found ? latin1_give(env, found) : nothing(env);
}

static napi_value destroy(napi_env env, napi_callback_info info) {
  return call_with_id(env, info, https_destroy);
}
static napi_value pause_body(napi_env env, napi_callback_info info) {
  return call_with_id(env, info, https_pause);
}
static napi_value resume(napi_env env, napi_callback_info info) {
  return call_with_id(env, info, https_resume);
}
static napi_value tunnel(napi_env env, napi_callback_info info) {
  return call_with_id(env, info, https_tunnel);
}
static napi_value allow(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return integer_give(env, https_allow(h->server, id_take(env, values[1]), bits_take(env, values[2])));
}
static napi_value identify(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  struct tls_identity *identity = is_undefined(env, values[2]) ? NULL : external_take(env, values[2]);
  return integer_give(env, https_identify(h->server, id_take(env, values[1]), identity));
}
static napi_value protocol(napi_env env, napi_callback_info info) {
  return call_for_text(env, info, https_protocol);
}
static napi_value cipher(napi_env env, napi_callback_info info) {
  return call_for_text(env, info, https_cipher);
}

static napi_value call_for_address(napi_env env, napi_callback_info info,
                                   int (*call)(struct https_server *, https_id, struct sockaddr_storage *)) {
  napi_value values[ARGUMENTS_MAX];
  struct sockaddr_storage name;
  struct handle *h = handle_take(env, info, values);
  return call(h->server, id_take(env, values[1]), &name) ? nothing(env) : address_object(env, &name);
}
static napi_value peer(napi_env env, napi_callback_info info) {
  return call_for_address(env, info, https_peer);
}
static napi_value local(napi_env env, napi_callback_info info) {
  return call_for_address(env, info, https_local);
}

static napi_value certificate(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  size_t length;
  struct handle *h = handle_take(env, info, values);
  const uint8_t *der = https_certificate(h->server, id_take(env, values[1]), &length);
  return der ? bytes_give(env, der, length) : nothing(env);
}

static napi_value waiting(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return integer_give(env, https_waiting(h->server, id_take(env, values[1])));
}

/*
 * The cells of all sessions are in one buffer, which belongs to JavaScript: a reference keeps it for as long as the server
 * may write to it.
 */
static double *session_cell(napi_env env, struct handle *h, napi_value use) {
  napi_value buffer;
  napi_typedarray_type type;
  size_t length;
  void *data;
  if (napi_get_typedarray_info(env, use, &type, &length, &data, &buffer, NULL) != napi_ok) return NULL;
  if (type != napi_float64_array || length == 0) return NULL;
  if (!h->uses && napi_create_reference(env, buffer, 1, &h->uses) != napi_ok) return NULL;
  return data;
}

static napi_value repeatable(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  struct bytes caller = {0}, subject = {0};
  bool has_session = !is_undefined(env, values[5]);
  double *session = has_session ? session_cell(env, h, values[5]) : NULL;
  napi_typedarray_type type = napi_int32_array;
  size_t count = 0;
  void *moments = NULL;
  if (!is_undefined(env, values[6])) napi_get_typedarray_info(env, values[6], &type, &count, &moments, NULL, NULL);
  if (bytes_take(env, values[3], &caller) && bytes_take(env, values[4], &subject) && (session || !has_session) &&
      type == napi_int32_array) {
    const struct https_repetition repeatable = {.time = bits_take(env, values[2]),
                                                .caller = caller.data,
                                                .caller_length = caller.size,
                                                .subject = subject.data,
                                                .subject_length = subject.size,
                                                .session = session,
                                                .moments = moments,
                                                .moments_length = count / 2};
    https_repeatable(h->server, id_take(env, values[1]), &repeatable);
  }
  bytes_release(&caller);
  bytes_release(&subject);
  return NULL;
}

const struct exported https_connection_functions[] = {
    {"end", end},         {"destroy", destroy},       {"pause", pause_body}, {"resume", resume},
    {"peer", peer},       {"protocol", protocol},     {"cipher", cipher},    {"certificate", certificate},
    {"waiting", waiting}, {"repeatable", repeatable}, {"allow", allow},      {"tunnel", tunnel},
    {"local", local},     {"identify", identify},     {NULL, NULL},
};
