/* Other programs of this machine and their sockets, for JavaScript (local.d.ts has the signatures). */
#include <node_api.h>
#include <signal.h>
#include <stdlib.h>

#include "hal/native/binding/bytes.h"
#include "hal/native/binding/callback.h"
#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"
#include "pipe.h"
#include "program.h"

enum { PATH_ROOM = 4096, WORDS_MAX = 256 };

enum { EVENT_CONNECT, EVENT_DATA, EVENT_CLOSE, EVENTS };
static const char *const event_names[EVENTS] = {"connect", "data", "close"};

/* Lives as long as JavaScript can name it, and as long as the pipe has something to emit. */
struct connection {
  struct local_pipe *pipe; /* NULL once it is closed */
  napi_env env;
  napi_ref receiver, events[EVENTS];
  bool forgotten;
};

static void emit(struct connection *c, int event, size_t count, const napi_value *arguments) {
  napi_value receiver, listener;
  napi_get_reference_value(c->env, c->receiver, &receiver);
  napi_get_reference_value(c->env, c->events[event], &listener);
  call_back(c->env, receiver, listener, count, arguments);
}

static void release(struct connection *c) {
  for (int i = 0; i < EVENTS; i++)
    if (c->events[i]) napi_delete_reference(c->env, c->events[i]);
  if (c->receiver) napi_delete_reference(c->env, c->receiver);
  free(c);
}

static void on_connected(void *context) {
  struct connection *c = context;
  napi_handle_scope scope;
  napi_open_handle_scope(c->env, &scope);
  emit(c, EVENT_CONNECT, 0, NULL);
  napi_close_handle_scope(c->env, scope);
}

static void on_data(void *context, const uint8_t *bytes, size_t length) {
  struct connection *c = context;
  napi_handle_scope scope;
  napi_open_handle_scope(c->env, &scope);
  napi_value chunk = bytes_give(c->env, bytes, length);
  if (chunk) emit(c, EVENT_DATA, 1, &chunk);
  else local_pipe_close(c->pipe);
  napi_close_handle_scope(c->env, scope);
}

static void on_closed(void *context, int error) {
  struct connection *c = context;
  napi_handle_scope scope;
  c->pipe = NULL;
  napi_open_handle_scope(c->env, &scope);
  napi_value number = integer_give(c->env, error);
  emit(c, EVENT_CLOSE, 1, &number);
  napi_close_handle_scope(c->env, scope);
  if (c->forgotten) release(c);
}

static const struct local_pipe_events core_events = {on_connected, on_data, on_closed};

static void on_forgotten(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  struct connection *c = data;
  c->forgotten = true;
  if (!c->pipe) release(c);
}

static napi_value out_of_memory(napi_env env) {
  napi_throw_error(env, NULL, "Out of memory");
  return NULL;
}

/* Takes over what JavaScript wants to hear of. False, with an exception pending, where something is missing. */
static bool hear(struct connection *c, napi_value receiver) {
  napi_value listener;
  if (napi_create_reference(c->env, receiver, 1, &c->receiver) != napi_ok) return false;
  for (int i = 0; i < EVENTS; i++) {
    if (napi_get_named_property(c->env, receiver, event_names[i], &listener) != napi_ok) return false;
    if (napi_create_reference(c->env, listener, 1, &c->events[i]) != napi_ok) return false;
  }
  return true;
}

/* The connection for JavaScript, unless it could not be made; NULL with an exception pending. */
static napi_value connection_give(struct connection *c, int error) {
  napi_value result = NULL;
  if (error) return out_of_memory(c->env);
  if (napi_create_external(c->env, c, on_forgotten, NULL, &result) == napi_ok) return result;
  c->forgotten = true;
  local_pipe_close(c->pipe);
  return NULL;
}

static napi_value connect_to(napi_env env, napi_callback_info info) {
  napi_value values[2], result = NULL;
  char path[PATH_ROOM];
  uv_loop_t *loop;
  struct connection *c = calloc(1, sizeof *c);
  if (!c) return out_of_memory(env);
  c->env = env;
  arguments_take(env, info, 2, values);
  if (napi_get_value_string_utf8(env, values[0], path, sizeof path, NULL) != napi_ok) goto out;
  if (!hear(c, values[1])) goto out;
  napi_get_uv_event_loop(env, &loop);
  result = connection_give(c, local_pipe_open(loop, path, &core_events, c, &c->pipe));
out:
  if (!c->pipe) release(c);
  return result;
}

static napi_value write_to(napi_env env, napi_callback_info info) {
  napi_value values[2];
  struct bytes bytes = {0};
  arguments_take(env, info, 2, values);
  struct connection *c = external_take(env, values[0]);
  int error = UV_EPIPE;
  if (bytes_take(env, values[1], &bytes) && c->pipe) error = local_pipe_write(c->pipe, bytes.data, bytes.size);
  bytes_release(&bytes);
  return integer_give(env, error);
}

static napi_value destroy(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments_take(env, info, 1, &value);
  struct connection *c = external_take(env, value);
  if (c->pipe) local_pipe_close(c->pipe);
  return NULL;
}

/* Lives as long as JavaScript can name it, or until it is closed, whichever is later. */
struct listening {
  struct local_listener *listener; /* NULL once it is closed */
  napi_env env;
  napi_ref knocked;
};

static void on_knock(void *context) {
  struct listening *l = context;
  napi_handle_scope scope;
  napi_value receiver, knocked;
  napi_open_handle_scope(l->env, &scope);
  napi_get_global(l->env, &receiver);
  napi_get_reference_value(l->env, l->knocked, &knocked);
  call_back(l->env, receiver, knocked, 0, NULL);
  napi_close_handle_scope(l->env, scope);
}

static void stop_listening(struct listening *l) {
  if (!l->listener) return;
  local_listener_close(l->listener);
  l->listener = NULL;
  napi_delete_reference(l->env, l->knocked);
}

static void on_listening_forgotten(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  stop_listening(data);
  free(data);
}

static napi_value listen_at(napi_env env, napi_callback_info info) {
  napi_value values[2], result = NULL;
  char path[PATH_ROOM];
  uv_loop_t *loop;
  int error;
  struct listening *l = calloc(1, sizeof *l);
  if (!l) return out_of_memory(env);
  l->env = env;
  arguments_take(env, info, 2, values);
  if (napi_get_value_string_utf8(env, values[0], path, sizeof path, NULL) != napi_ok) goto failed;
  if (napi_create_reference(env, values[1], 1, &l->knocked) != napi_ok) goto failed;
  napi_get_uv_event_loop(env, &loop);
  error = local_listen(loop, path, on_knock, l, &l->listener);
  if (error) {
    napi_delete_reference(env, l->knocked);
    free(l);
    return integer_give(env, error);
  }
  if (napi_create_external(env, l, on_listening_forgotten, NULL, &result) == napi_ok) return result;
  stop_listening(l);
failed:
  free(l);
  return result;
}

static napi_value accept_one(napi_env env, napi_callback_info info) {
  napi_value values[2], result = NULL;
  arguments_take(env, info, 2, values);
  struct listening *l = external_take(env, values[0]);
  struct connection *c = calloc(1, sizeof *c);
  if (!c) return out_of_memory(env);
  c->env = env;
  if (!l || !l->listener || !hear(c, values[1])) goto out;
  result = connection_give(c, local_pipe_accept(l->listener, &core_events, c, &c->pipe));
out:
  if (!c->pipe) release(c);
  return result;
}

static napi_value unlisten(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments_take(env, info, 1, &value);
  stop_listening(external_take(env, value));
  return NULL;
}

struct waiting {
  napi_env env;
  napi_ref callback;
};

static void on_program_ended(void *context, const struct program_end *end) {
  struct waiting *w = context;
  napi_env env = w->env;
  napi_handle_scope scope;
  napi_value callback, receiver, values[6];
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, w->callback, &callback);
  napi_get_global(env, &receiver);
  values[0] = integer_give(env, end->status);
  values[1] = integer_give(env, end->signal);
  values[2] = truth_give(env, end->late);
  values[3] = truth_give(env, end->long_winded);
  for (int i = 0; i < PROGRAM_STREAMS; i++) {
    values[4 + i] = bytes_give(env, end->written[i].bytes, end->written[i].length);
    if (!values[4 + i]) goto out;
  }
  call_back(env, receiver, callback, 6, values);
out:
  napi_delete_reference(env, w->callback);
  napi_close_handle_scope(env, scope);
  free(w);
}

static void free_words(char **words) {
  for (char **word = words; *word; word++) free(*word);
  free(words);
}

/* The strings of an array, and a NULL; the caller frees them with free_words. NULL with an exception pending. */
static char **take_words(napi_env env, napi_value array) {
  uint32_t count = 0;
  napi_get_array_length(env, array, &count);
  if (count == 0 || count > WORDS_MAX) {
    napi_throw_range_error(env, NULL, "Too many arguments, or none");
    return NULL;
  }
  char **words = calloc(count + 1, sizeof *words);
  for (uint32_t i = 0; words && i < count; i++) {
    napi_value element;
    size_t size = 0;
    napi_get_element(env, array, i, &element);
    if (napi_get_value_string_utf8(env, element, NULL, 0, &size) == napi_ok) words[i] = malloc(size + 1);
    if (words[i]) napi_get_value_string_utf8(env, element, words[i], size + 1, &size);
    else goto failed;
  }
  if (words) return words;
failed:
  if (words) free_words(words);
  out_of_memory(env);
  return NULL;
}

static napi_value run(napi_env env, napi_callback_info info) {
  napi_value values[4];
  double timeout = 0, most = 0;
  uv_loop_t *loop;
  int result = UV_ENOMEM;
  arguments_take(env, info, 4, values);
  char **words = take_words(env, values[0]);
  if (!words) return NULL;
  struct waiting *w = calloc(1, sizeof *w);
  if (!w) goto out;
  napi_get_value_double(env, values[1], &timeout);
  napi_get_value_double(env, values[2], &most);
  w->env = env;
  if (napi_create_reference(env, values[3], 1, &w->callback) != napi_ok) goto out;
  napi_get_uv_event_loop(env, &loop);
  struct program_limits limits = {.timeout = (uint64_t)timeout, .most = (size_t)most};
  result = program_run(loop, words, limits, on_program_ended, w);
out:
  free_words(words);
  if (result < 0 && w) {
    if (w->callback) napi_delete_reference(env, w->callback);
    free(w);
  }
  return integer_give(env, result);
}

static napi_value end(napi_env env, napi_callback_info info) {
  napi_value value;
  int32_t pid = 0;
  arguments_take(env, info, 1, &value);
  napi_get_value_int32(env, value, &pid);
  return integer_give(env, pid > 0 ? uv_kill(pid, SIGTERM) : UV_EINVAL);
}

static const struct exported functions[] = {
    {"connect", connect_to}, {"write", write_to}, {"destroy", destroy}, {"listen", listen_at}, {"accept", accept_one},
    {"unlisten", unlisten},  {"run", run},        {"end", end},         {NULL, NULL},
};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
