/* The store for JavaScript. Opening, closing, writing and compacting run on the worker pool; reading is a look-up in
 * memory, or at most a few blocks from the disk, and runs at once. */
#include <errno.h>

#include "binding.h"
#include "hal/native/binding/task.h"
#include "handle.h"

/* Opening, closing, writing or compacting. */
struct job {
  struct task task;
  struct handle *handle;
  char *path;
  struct store_options options;
  leveldb_writebatch_t *batch;
  bool sync;
  int status;
  char *words;
};

static void open_run(struct task *task) {
  struct job *job = (struct job *)task;
  job->status = store_open(&job->handle->store, job->path, &job->options, &job->words);
}

static void close_run(struct task *task) {
  store_close(&((struct job *)task)->handle->store);
}

static void write_run(struct task *task) {
  struct job *job = (struct job *)task;
  job->status = store_write(&job->handle->store, job->batch, job->sync, &job->words);
}

static void compact_run(struct task *task) {
  store_compact(&((struct job *)task)->handle->store);
}

static void forget_store(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  handle_release(data);
}

static napi_value open_result(napi_env env, struct task *task, napi_value *error) {
  struct job *job = (struct job *)task;
  napi_value result = NULL;
  if (!job->status && napi_create_external(env, job->handle, forget_store, NULL, &result) == napi_ok) {
    handle_retain(job->handle);
    return result;
  }
  *error = handle_error(env, job->status ? job->status : -ENOMEM, job->words);
  return NULL;
}

static napi_value done_result(napi_env env, struct task *task, napi_value *error) {
  struct job *job = (struct job *)task;
  napi_value result = NULL;
  if (job->status) *error = handle_error(env, job->status, job->words);
  else napi_get_undefined(env, &result);
  return result;
}

static void job_release(struct task *task) {
  struct job *job = (struct job *)task;
  if (job->batch) leveldb_writebatch_destroy(job->batch);
  store_free(job->words);
  free(job->path);
  handle_release(job->handle);
  free(job);
}

/* A new job on `handle`, which it retains; NULL with an exception pending when memory is short. */
static struct job *job_new(napi_env env, struct handle *handle, void (*run)(struct task *)) {
  struct job *job = calloc(1, sizeof *job);
  if (!job) {
    handle_fail(env, -ENOMEM, NULL);
    return NULL;
  }
  job->task = (struct task){run, run == open_run ? open_result : done_result, job_release, NULL, NULL};
  job->handle = handle_retain(handle);
  return job;
}

static size_t size_in(napi_env env, napi_value object, const char *name) {
  napi_value value;
  uint32_t result = 0;
  if (napi_get_named_property(env, object, name, &value) == napi_ok) napi_get_value_uint32(env, value, &result);
  return result;
}

static bool truth_in(napi_env env, napi_value object, const char *name) {
  napi_value value;
  return napi_get_named_property(env, object, name, &value) == napi_ok && truth_take(env, value);
}

static napi_value open(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes path;
  arguments_take(env, info, 2, argv);
  if (!bytes_take(env, argv[0], &path)) return NULL;
  struct handle *handle = calloc(1, sizeof *handle);
  if (!handle) handle_fail(env, -ENOMEM, NULL);
  struct job *job = handle ? job_new(env, handle, open_run) : NULL;
  if (job) job->path = strndup((const char *)path.data, path.size);
  bytes_release(&path);
  if (!job) {
    free(handle);
    return NULL;
  }
  if (!job->path) {
    job_release(&job->task);
    return handle_fail(env, -ENOMEM, NULL);
  }
  job->options = (struct store_options){.cache_size = size_in(env, argv[1], "cacheSize"),
                                        .write_buffer_size = size_in(env, argv[1], "writeBufferSize"),
                                        .block_size = size_in(env, argv[1], "blockSize"),
                                        .max_open_files = (int)size_in(env, argv[1], "maxOpenFiles"),
                                        .create_if_missing = truth_in(env, argv[1], "createIfMissing"),
                                        .error_if_exists = truth_in(env, argv[1], "errorIfExists"),
                                        .compression = truth_in(env, argv[1], "compression")};
  return task_start(env, &job->task);
}

static napi_value close(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments_take(env, info, 1, &argument);
  struct handle *handle = handle_open(env, argument);
  if (!handle) return NULL;
  if (handle->references > 1) {
    napi_throw_error(env, "LEVEL_DATABASE_NOT_CLOSED", "The store is in use");
    return NULL;
  }
  struct job *job = job_new(env, handle, close_run);
  return job ? task_start(env, &job->task) : NULL;
}

/* Adds key and value at `at` and `at` + 1 of `list` to `batch`: a put, or a deletion where the value is undefined. */
static bool batch_add(napi_env env, leveldb_writebatch_t *batch, napi_value list, uint32_t at) {
  napi_value first, second;
  struct bytes key, value = {.copy = NULL};
  bool fine = false;
  if (napi_get_element(env, list, at, &first) != napi_ok || napi_get_element(env, list, at + 1, &second) != napi_ok ||
      !bytes_take(env, first, &key))
    return false;
  if (is_undefined(env, second)) {
    leveldb_writebatch_delete(batch, (const char *)key.data, key.size);
    fine = true;
  } else if (bytes_take(env, second, &value)) {
    leveldb_writebatch_put(batch, (const char *)key.data, key.size, (const char *)value.data, value.size);
    fine = true;
  }
  bytes_release(&key);
  bytes_release(&value);
  return fine;
}

static napi_value write(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  uint32_t length = 0;
  arguments_take(env, info, 3, argv);
  struct handle *handle = handle_open(env, argv[0]);
  struct job *job = handle ? job_new(env, handle, write_run) : NULL;
  if (!job) return NULL;
  job->sync = truth_take(env, argv[2]);
  job->batch = leveldb_writebatch_create();
  napi_get_array_length(env, argv[1], &length);
  for (uint32_t at = 0; at < length; at += 2) {
    if (!batch_add(env, job->batch, argv[1], at)) {
      job_release(&job->task);
      return NULL;
    }
  }
  return task_start(env, &job->task);
}

static napi_value compact(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments_take(env, info, 1, &argument);
  struct handle *handle = handle_open(env, argument);
  struct job *job = handle ? job_new(env, handle, compact_run) : NULL;
  return job ? task_start(env, &job->task) : NULL;
}

static napi_value get(napi_env env, napi_callback_info info) {
  napi_value argv[4], result = NULL;
  struct bytes key;
  char *value = NULL, *words = NULL;
  size_t size = 0;
  arguments_take(env, info, 4, argv);
  struct handle *handle = handle_open(env, argv[0]);
  if (!handle || !bytes_take(env, argv[1], &key)) return NULL;
  int status =
      store_get(&handle->store, view_snapshot(env, argv[3]), (const char *)key.data, key.size, &value, &size, &words);
  bytes_release(&key);
  if (status) return handle_fail(env, status, words);
  if (value) result = given(env, value, size, truth_take(env, argv[2]));
  else napi_get_undefined(env, &result);
  store_free(value);
  return result;
}

const struct exported leveldb_store[] = {
    {"open", open}, {"close", close}, {"write", write}, {"compact", compact}, {"get", get}, {NULL, NULL},
};
