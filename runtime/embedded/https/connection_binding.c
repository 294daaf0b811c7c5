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
static napi_value protocol(napi_env env, napi_callback_info info) {
  return call_for_text(env, info, https_protocol);
}
static napi_value cipher(napi_env env, napi_callback_info info) {
  return call_for_text(env, info, https_cipher);
}

static napi_value peer(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct sockaddr_storage name;
  struct handle *h = handle_take(env, info, values);
  return https_peer(h->server, id_take(env, values[1]), &name) ? nothing(env) : address_object(env, &name);
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

const struct exported https_connection_functions[] = {
    {"end", end},           {"destroy", destroy}, {"pause", pause_body},        {"resume", resume},   {"peer", peer},
    {"protocol", protocol}, {"cipher", cipher},   {"certificate", certificate}, {"waiting", waiting}, {NULL, NULL},
};
