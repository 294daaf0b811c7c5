/* The server for JavaScript. */
#include <arpa/inet.h>

#include "binding.h"

static bool option(napi_env env, napi_value options, const char *name, uint32_t *value) {
  napi_value given;
  bool has = false;
  if (napi_has_named_property(env, options, name, &has) != napi_ok || !has) return false;
  return napi_get_named_property(env, options, name, &given) == napi_ok &&
         napi_get_value_uint32(env, given, value) == napi_ok;
}

static void read_tls_settings(napi_env env, napi_value given, struct tls_settings *settings) {
  uint32_t value;
  if (option(env, given, "ticketLifetime", &value)) settings->ticket_lifetime = value;
  if (option(env, given, "minVersion", &value)) settings->min_version = (int)value;
  if (option(env, given, "maxVersion", &value)) settings->max_version = (int)value;
}

static void read_options(napi_env env, napi_value given, struct https_options *options) {
  uint32_t value;
  if (option(env, given, "maxHead", &value)) options->max_head = value;
  if (option(env, given, "maxConnections", &value)) options->max_connections = value;
  if (option(env, given, "handshakeTimeout", &value)) options->handshake_timeout = value;
  if (option(env, given, "headersTimeout", &value)) options->headers_timeout = value;
  if (option(env, given, "requestTimeout", &value)) options->request_timeout = value;
  if (option(env, given, "keepAliveTimeout", &value)) options->keep_alive_timeout = value;
  if (option(env, given, "writeTimeout", &value)) options->write_timeout = value;
  if (option(env, given, "lingerTimeout", &value)) options->linger_timeout = value;
  if (option(env, given, "maxRepeats", &value)) options->max_repeats = value;
  if (option(env, given, "requestCertificate", &value)) options->request_certificate = value != 0;
  if (option(env, given, "names", &value)) options->names = value != 0;
  read_tls_settings(env, given, &options->tls);
}

static napi_value credentials_failed(napi_env env, int error) {
  if (error == -ENOMEM) napi_throw_error(env, NULL, "Out of memory");
  else if (error == -EKEYREJECTED) napi_throw_error(env, "ERR_OSSL_X509_KEY_VALUES_MISMATCH", "key values mismatch");
  else napi_throw_error(env, "ERR_OSSL_PEM_NO_START_LINE", "Key and certificate must be PEM");
  return NULL;
}

static napi_value create(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], listener, result = NULL;
  struct bytes key = {0}, certificate = {0};
  struct https_options options = {0};
  uv_loop_t *loop;
  arguments_take(env, info, ARGUMENTS_MAX, values);
  struct handle *h = calloc(1, sizeof *h);
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
  int error = https_new(&h->server, loop, &options, &server_events, h, (const char *)key.data, key.size,
                        (const char *)certificate.data, certificate.size);
  if (error) credentials_failed(env, error);
  else napi_create_external(env, h, handle_collected, NULL, &result);
out:
  bytes_release(&key);
  bytes_release(&certificate);
  if (h->server) return result;
  handle_forget(h);
  return NULL;
}

typedef int set_pair(struct https_server *server, const char *key, size_t key_length, const char *certificate,
                     size_t certificate_length);

static napi_value call_with_pair(napi_env env, napi_callback_info info, set_pair *function) {
  napi_value values[ARGUMENTS_MAX];
  struct bytes key = {0}, certificate = {0};
  struct handle *h = handle_take(env, info, values);
  if (bytes_take(env, values[1], &key) && bytes_take(env, values[2], &certificate)) {
    int error = function(h->server, (const char *)key.data, key.size, (const char *)certificate.data, certificate.size);
    if (error) credentials_failed(env, error);
  }
  bytes_release(&key);
  bytes_release(&certificate);
  return NULL;
}

static napi_value set_credentials(napi_env env, napi_callback_info info) {
  return call_with_pair(env, info, https_set_credentials);
}

static napi_value set_challenge(napi_env env, napi_callback_info info) {
  return call_with_pair(env, info, https_set_challenge);
}

static void drop_identity(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  tls_identity_drop(data);
}

static napi_value secure_context(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes key = {0}, certificate = {0};
  struct tls_settings settings = {0};
  struct tls_identity *identity = NULL;
  arguments_take(env, info, ARGUMENTS_MAX, values);
  read_tls_settings(env, values[0], &settings);
  if (bytes_take(env, values[1], &key) && bytes_take(env, values[2], &certificate)) {
    int error = tls_identity_new(&identity, &settings, (const char *)key.data, key.size, (const char *)certificate.data,
                                 certificate.size);
    if (error) credentials_failed(env, error);
    else if (napi_create_external(env, identity, drop_identity, NULL, &result) != napi_ok) tls_identity_drop(identity);
  }
  bytes_release(&key);
  bytes_release(&certificate);
  return result;
}

static napi_value configure(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  read_options(env, values[1], https_settings(h->server));
  https_forget(h->server); /* the Connection header of answers may differ now */
  return NULL;
}

typedef int (*at_address)(struct https_server *server, const char *address, int port);

static napi_value call_at_address(napi_env env, napi_callback_info info, at_address function) {
  napi_value values[ARGUMENTS_MAX];
  char address[TEXT_ROOM];
  struct handle *h = handle_take(env, info, values);
  napi_get_value_string_utf8(env, values[1], address, sizeof address, NULL);
  return integer_give(env, function(h->server, address, (int)bits_take(env, values[2])));
}

static napi_value listen_on(napi_env env, napi_callback_info info) {
  return call_at_address(env, info, https_listen);
}

static napi_value unlisten(napi_env env, napi_callback_info info) {
  return call_at_address(env, info, https_unlisten);
}

napi_value address_object(napi_env env, const struct sockaddr_storage *name) {
  const struct sockaddr_in *four = (const struct sockaddr_in *)name;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)name;
  bool is_six = name->ss_family == AF_INET6;
  char written[INET6_ADDRSTRLEN] = "";
  napi_value object, port;
  if (is_six) uv_ip6_name(six, written, sizeof written);
  else uv_ip4_name(four, written, sizeof written);
  napi_create_uint32(env, ntohs(is_six ? six->sin6_port : four->sin_port), &port);
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "address", latin1_give(env, written));
  napi_set_named_property(env, object, "port", port);
  napi_set_named_property(env, object, "family", latin1_give(env, is_six ? "IPv6" : "IPv4"));
  return object;
}

static napi_value address_of(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct sockaddr_storage name;
  struct handle *h = handle_take(env, info, values);
  return https_address(h->server, &name) ? nothing(env) : address_object(env, &name);
}

static napi_value describe_error(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], object;
  int32_t error = 0;
  char written[TEXT_ROOM];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  napi_get_value_int32(env, values[0], &error);
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "code", latin1_give(env, uv_err_name_r(error, written, sizeof written)));
  napi_set_named_property(env, object, "text", latin1_give(env, uv_strerror_r(error, written, sizeof written)));
  return object;
}

typedef void (*with_server)(struct https_server *server);

static napi_value call_with_server(napi_env env, napi_callback_info info, with_server function) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  function(h->server);
  return NULL;
}

static napi_value close_server(napi_env env, napi_callback_info info) {
  return call_with_server(env, info, https_close);
}

static napi_value forget(napi_env env, napi_callback_info info) {
  return call_with_server(env, info, https_forget);
}

static napi_value forget_callers(napi_env env, napi_callback_info info) {
  return call_with_server(env, info, https_forget_callers);
}

static napi_value drop(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct bytes subject = {0};
  struct handle *h = handle_take(env, info, values);
  if (bytes_take(env, values[1], &subject)) https_drop(h->server, subject.data, subject.size);
  bytes_release(&subject);
  return NULL;
}

static napi_value close_idle(napi_env env, napi_callback_info info) {
  return call_with_server(env, info, https_close_idle);
}

static napi_value close_all(napi_env env, napi_callback_info info) {
  return call_with_server(env, info, https_close_all);
}

static napi_value connections(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return integer_give(env, (long)https_connections(h->server));
}

const struct exported https_server_functions[] = {
    {"create", create},
    {"setCredentials", set_credentials},
    {"setChallenge", set_challenge},
    {"secureContext", secure_context},
    {"configure", configure},
    {"listen", listen_on},
    {"unlisten", unlisten},
    {"address", address_of},
    {"close", close_server},
    {"forget", forget},
    {"forgetCallers", forget_callers},
    {"drop", drop},
    {"closeIdle", close_idle},
    {"closeAll", close_all},
    {"connections", connections},
    {"describeError", describe_error},
    {NULL, NULL},
};
