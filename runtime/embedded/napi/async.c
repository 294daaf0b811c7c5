/* Promises, and work on libuv's pool. */
#include <stdlib.h>
#include <uv.h>

#include "../engine.h"
#include "host.h"

struct napi_deferred__ {
  JSValue functions[2]; /* resolve, reject */
};

struct napi_async_work__ {
  uv_work_t request;
  napi_env env;
  napi_async_execute_callback execute;
  napi_async_complete_callback complete;
  void *data;
};

napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise) {
  CHECK_NO_EXCEPTION();
  napi_deferred made = malloc(sizeof *made);
  CHECK(made, napi_generic_failure);
  JSValue value = JS_NewPromiseCapability(host.context, made->functions);
  if (JS_IsException(value)) free(made);
  else *deferred = made;
  return give(env, value, promise);
}

static napi_status settle(napi_env env, napi_deferred deferred, int which, napi_value value) {
  CHECK_NO_EXCEPTION();
  JSValueConst argument = get(value);
  engine_depth++;
  JSValue returned = JS_Call(host.context, deferred->functions[which], JS_UNDEFINED, 1, &argument);
  engine_depth--;
  JS_FreeValue(host.context, deferred->functions[0]);
  JS_FreeValue(host.context, deferred->functions[1]);
  free(deferred);
  CHECK(!JS_IsException(returned), napi_pending_exception);
  JS_FreeValue(host.context, returned);
  return set_status(env, napi_ok);
}

napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value resolution) {
  return settle(env, deferred, 0, resolution);
}

napi_status napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value rejection) {
  return settle(env, deferred, 1, rejection);
}

napi_status napi_get_uv_event_loop(node_api_basic_env env, struct uv_loop_s **loop) {
  *loop = uv_default_loop();
  return set_status(env, napi_ok);
}

napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name,
                                   napi_async_execute_callback execute, napi_async_complete_callback complete,
                                   void *data, napi_async_work *result) {
  (void)resource;
  (void)name;
  CHECK_ARG(execute);
  napi_async_work work = calloc(1, sizeof *work);
  CHECK(work, napi_generic_failure);
  work->env = env;
  work->execute = execute;
  work->complete = complete;
  work->data = data;
  *result = work;
  return set_status(env, napi_ok);
}

napi_status napi_delete_async_work(napi_env env, napi_async_work work) {
  free(work);
  return set_status(env, napi_ok);
}

static void execute_work(uv_work_t *request) {
  napi_async_work work = (napi_async_work)(void *)request;
  work->execute(work->env, work->data);
}

static void complete_work(uv_work_t *request, int status) {
  napi_async_work work = (napi_async_work)(void *)request;
  const uint32_t height = host.top;
  if (!work->complete) return;
  engine_depth++;
  work->complete(work->env, status == UV_ECANCELED ? napi_cancelled : napi_ok, work->data); /* may free `work` */
  engine_depth--;
  close_scope(height);
  if (JS_HasException(host.context)) engine_uncaught("uncaughtException");
  engine_pump();
}

napi_status napi_queue_async_work(node_api_basic_env env, napi_async_work work) {
  CHECK_ARG(work);
  CHECK(uv_queue_work(uv_default_loop(), &work->request, execute_work, complete_work) == 0, napi_generic_failure);
  return set_status(env, napi_ok);
}
