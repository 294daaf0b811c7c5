/* Calls into JavaScript from the loop. */
#ifndef MINNOW_BINDING_CALLBACK_H
#define MINNOW_BINDING_CALLBACK_H

#include <node_api.h>

/* Calls a function; an exception is an uncaught one. Its result, or NULL. Within a handle scope. */
static inline napi_value call_back(napi_env env, napi_value receiver, napi_value function, size_t count,
                                   const napi_value *arguments) {
  napi_value result = NULL, error;
  napi_status status = napi_make_callback(env, NULL, receiver, function, count, arguments, &result);
  if (status == napi_ok) return result;
  if (status != napi_pending_exception) return NULL;
  napi_get_and_clear_last_exception(env, &error);
  napi_fatal_exception(env, error);
  return NULL;
}

#endif
