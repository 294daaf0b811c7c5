/*
 * Work for the worker pool, and the promise that it settles. A binding puts a `struct task` first in a structure of its
 * own, fills in the three functions and hands it to task_start(), which owns it from then on.
 */
#ifndef MINNOW_BINDING_TASK_H
#define MINNOW_BINDING_TASK_H

#include <node_api.h>

struct task {
  /* On a worker thread: must not touch JavaScript, nor memory of JavaScript's. */
  void (*run)(struct task *task);
  /* Afterwards, on JavaScript's thread: the value of the promise, or NULL and the reason of its rejection. */
  napi_value (*result)(napi_env env, struct task *task, napi_value *error);
  /* Lets go of everything, in any state. On JavaScript's thread. */
  void (*release)(struct task *task);
  napi_async_work work;
  napi_deferred deferred;
};

static inline void task_run(napi_env env, void *data) {
  (void)env;
  struct task *task = data;
  task->run(task);
}

/* At exit the pool drops tasks that have not begun: no code waits for their promises any more. */
static inline void task_done(napi_env env, napi_status status, void *data) {
  struct task *task = data;
  napi_value error = NULL;
  if (status == napi_ok) {
    napi_value result = task->result(env, task, &error);
    if (result) napi_resolve_deferred(env, task->deferred, result);
    else napi_reject_deferred(env, task->deferred, error);
  }
  napi_delete_async_work(env, task->work);
  task->release(task);
}

/* Queues `task`. Returns its promise; when there is no memory, NULL with an exception pending and the task released. */
static inline napi_value task_start(napi_env env, struct task *task) {
  napi_value promise, name;
  if (napi_create_string_utf8(env, "minnow", NAPI_AUTO_LENGTH, &name) == napi_ok &&
      napi_create_async_work(env, NULL, name, task_run, task_done, task, &task->work) == napi_ok) {
    if (napi_create_promise(env, &task->deferred, &promise) == napi_ok &&
        napi_queue_async_work(env, task->work) == napi_ok)
      return promise;
    napi_delete_async_work(env, task->work);
  }
  task->release(task);
  napi_throw_error(env, NULL, "Out of memory");
  return NULL;
}

#endif
