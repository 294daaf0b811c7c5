/* The store for JavaScript (leveldb.d.ts has its signatures). Opening, closing and writing run on the worker pool;
 * reading is a look-up in memory, or at most a few blocks from the disk, and runs at once. */
#include "../bytes.h"
#include "../task.h"
#include "store.h"

#include <errno.h>

/* An open store and those who use it: its JavaScript handle, cursors, snapshots and jobs. All counting is done on
 * JavaScript's thread. */
struct handle {
  struct store store;
  unsigned references;
};

static struct handle *retain(struct handle *handle) {
  handle->references++;
  return handle;
}

static void release(struct handle *handle) {
  if (--handle->references) return;
  store_close(&handle->store);
  free(handle);
}

static napi_value error_of(napi_env env, int status, const char *words) {
  const char *name = status == -EBUSY     ? "LEVEL_LOCKED"
                     : status == -EBADMSG ? "LEVEL_CORRUPTION"
                     : status == -EIO     ? "LEVEL_IO_ERROR"
                                          : NULL;
  napi_value code = NULL, message, error = NULL;
  if (name) napi_create_string_utf8(env, name, NAPI_AUTO_LENGTH, &code);
  napi_create_string_utf8(env, words ? words : strerror(-status), NAPI_AUTO_LENGTH, &message);
  napi_create_error(env, code, message, &error);
  return error;
}

/* Throws, and frees `words`. Always NULL, for the caller to return. */
static napi_value fail(napi_env env, int status, char *words) {
  napi_throw(env, error_of(env, status, words));
  store_free(words);
  return NULL;
}

static void arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

static void *external(napi_env env, napi_value value) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok)
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "Wrong handle");
  return data;
}

static struct handle *open_store(napi_env env, napi_value value) {
  struct handle *handle = external(env, value);
  if (handle && !handle->store.db) {
    napi_throw_error(env, "LEVEL_DATABASE_NOT_OPEN", "Database is not open");
    return NULL;
  }
  return handle;
}

static bool is_undefined(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_undefined;
}

static bool truth(napi_env env, napi_value value) {
  bool result = false;
  napi_get_value_bool(env, value, &result);
  return result;
}

static napi_value given(napi_env env, const char *data, size_t size, bool text) {
  napi_value result = NULL;
  if (!text) return bytes_give(env, data, size);
  napi_create_string_utf8(env, data, size, &result);
  return result;
}

/* Opening, closing or writing. */
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

static void forget_store(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  release(data);
}

static napi_value open_result(napi_env env, struct task *task, napi_value *error) {
  struct job *job = (struct job *)task;
  napi_value result = NULL;
  if (!job->status && napi_create_external(env, job->handle, forget_store, NULL, &result) == napi_ok) {
    retain(job->handle);
    return result;
  }
  *error = error_of(env, job->status ? job->status : -ENOMEM, job->words);
  return NULL;
}

static napi_value done_result(napi_env env, struct task *task, napi_value *error) {
  struct job *job = (struct job *)task;
  napi_value result = NULL;
  if (job->status) *error = error_of(env, job->status, job->words);
  else napi_get_undefined(env, &result);
  return result;
}

static void job_release(struct task *task) {
  struct job *job = (struct job *)task;
  if (job->batch) leveldb_writebatch_destroy(job->batch);
  store_free(job->words);
  free(job->path);
  release(job->handle);
  free(job);
}

/* A new job on `handle`, which it retains; NULL with an exception pending when memory is short. */
static struct job *job_new(napi_env env, struct handle *handle, void (*run)(struct task *)) {
  struct job *job = calloc(1, sizeof *job);
  if (!job) {
    fail(env, -ENOMEM, NULL);
    return NULL;
  }
  job->task = (struct task){run, run == open_run ? open_result : done_result, job_release, NULL, NULL};
  job->handle = retain(handle);
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
  return napi_get_named_property(env, object, name, &value) == napi_ok && truth(env, value);
}

static napi_value open(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes path;
  arguments(env, info, 2, argv);
  if (!bytes_take(env, argv[0], &path)) return NULL;
  struct handle *handle = calloc(1, sizeof *handle);
  if (!handle) fail(env, -ENOMEM, NULL);
  struct job *job = handle ? job_new(env, handle, open_run) : NULL;
  if (job) job->path = strndup((const char *)path.data, path.size);
  bytes_release(&path);
  if (!job) {
    free(handle);
    return NULL;
  }
  if (!job->path) {
    job_release(&job->task);
    return fail(env, -ENOMEM, NULL);
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
  arguments(env, info, 1, &argument);
  struct handle *handle = open_store(env, argument);
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
  arguments(env, info, 3, argv);
  struct handle *handle = open_store(env, argv[0]);
  struct job *job = handle ? job_new(env, handle, write_run) : NULL;
  if (!job) return NULL;
  job->sync = truth(env, argv[2]);
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

/* A snapshot or a cursor in JavaScript's hands. */
struct view {
  struct handle *handle;
  struct cursor *cursor;
  const leveldb_snapshot_t *snapshot;
};

static void view_close(struct view *view) {
  if (!view->handle) return;
  if (view->cursor) cursor_close(view->cursor);
  if (view->snapshot) leveldb_release_snapshot(view->handle->store.db, view->snapshot);
  release(view->handle);
  *view = (struct view){0};
}

static void forget_view(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  view_close(data);
  free(data);
}

/* Hands `view`'s content to JavaScript, or closes it. */
static napi_value view_give(napi_env env, struct view content) {
  napi_value result = NULL;
  struct view *view = malloc(sizeof *view);
  if (!view) {
    view_close(&content);
    return fail(env, -ENOMEM, NULL);
  }
  *view = content;
  if (napi_create_external(env, view, forget_view, NULL, &result) != napi_ok) forget_view(env, view, NULL);
  return result;
}

static const leveldb_snapshot_t *snapshot_of(napi_env env, napi_value value) {
  struct view *view = NULL;
  return napi_get_value_external(env, value, (void **)&view) == napi_ok ? view->snapshot : NULL;
}

static napi_value get(napi_env env, napi_callback_info info) {
  napi_value argv[4], result = NULL;
  struct bytes key;
  char *value = NULL, *words = NULL;
  size_t size = 0;
  arguments(env, info, 4, argv);
  struct handle *handle = open_store(env, argv[0]);
  if (!handle || !bytes_take(env, argv[1], &key)) return NULL;
  int status =
      store_get(&handle->store, snapshot_of(env, argv[3]), (const char *)key.data, key.size, &value, &size, &words);
  bytes_release(&key);
  if (status) return fail(env, status, words);
  if (value) result = given(env, value, size, truth(env, argv[2]));
  else napi_get_undefined(env, &result);
  store_free(value);
  return result;
}

static napi_value snapshot(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments(env, info, 1, &argument);
  struct handle *handle = open_store(env, argument);
  if (!handle) return NULL;
  return view_give(env, (struct view){.handle = retain(handle), .snapshot = leveldb_create_snapshot(handle->store.db)});
}

static bool bound_of(napi_env env, napi_value key, napi_value inclusive, struct bytes *bytes,
                     struct store_bound *bound) {
  if (is_undefined(env, key)) return true;
  if (!bytes_take(env, key, bytes)) return false;
  *bound = (struct store_bound){(const char *)bytes->data, bytes->size, truth(env, inclusive)};
  return true;
}

static napi_value cursor(napi_env env, napi_callback_info info) {
  napi_value argv[8], result = NULL;
  struct bytes low = {.copy = NULL}, high = {.copy = NULL};
  struct store_bound lower = {0}, upper = {0};
  arguments(env, info, 8, argv);
  struct handle *handle = open_store(env, argv[0]);
  if (!handle) return NULL;
  if (bound_of(env, argv[1], argv[2], &low, &lower) && bound_of(env, argv[3], argv[4], &high, &upper)) {
    struct cursor *cursor = cursor_open(&handle->store, snapshot_of(env, argv[7]), &lower, &upper, truth(env, argv[5]),
                                        truth(env, argv[6]));
    if (cursor) result = view_give(env, (struct view){.handle = retain(handle), .cursor = cursor});
    else fail(env, -ENOMEM, NULL);
  }
  bytes_release(&low);
  bytes_release(&high);
  return result;
}

static struct cursor *open_cursor(napi_env env, napi_value value) {
  struct view *view = external(env, value);
  if (view && !view->cursor) napi_throw_error(env, "LEVEL_ITERATOR_NOT_OPEN", "Iterator is not open");
  return view ? view->cursor : NULL;
}

/* Up to `count` entries, but no more once `bytes` were read: [key, value, key, value, ...] */
static napi_value next(napi_env env, napi_callback_info info) {
  enum { TEXT_KEYS = 1, TEXT_VALUES = 2, NO_KEYS = 4, NO_VALUES = 8 };
  napi_value argv[4], list, none;
  uint32_t count = 0, limit = 0, flags = 0, length = 0;
  const char *key, *value;
  size_t key_size, value_size, read = 0;
  char *words = NULL;
  int status = 1;
  arguments(env, info, 4, argv);
  struct cursor *cursor = open_cursor(env, argv[0]);
  napi_get_value_uint32(env, argv[1], &count);
  napi_get_value_uint32(env, argv[2], &limit);
  napi_get_value_uint32(env, argv[3], &flags);
  if (!cursor || napi_create_array(env, &list) != napi_ok || napi_get_undefined(env, &none) != napi_ok) return NULL;
  while (length / 2 < count && read <= limit &&
         (status = cursor_next(cursor, &key, &key_size, &value, &value_size, &words)) > 0) {
    napi_value first = flags & NO_KEYS ? none : given(env, key, key_size, flags & TEXT_KEYS);
    napi_value second = flags & NO_VALUES ? none : given(env, value, value_size, flags & TEXT_VALUES);
    if (!first || !second || napi_set_element(env, list, length, first) != napi_ok ||
        napi_set_element(env, list, length + 1, second) != napi_ok)
      return NULL;
    length += 2;
    read += (flags & NO_KEYS ? 0 : key_size) + (flags & NO_VALUES ? 0 : value_size);
  }
  return status < 0 ? fail(env, status, words) : list;
}

static napi_value seek(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes target;
  arguments(env, info, 2, argv);
  struct cursor *cursor = open_cursor(env, argv[0]);
  if (!cursor || !bytes_take(env, argv[1], &target)) return NULL;
  cursor_seek(cursor, (const char *)target.data, target.size);
  bytes_release(&target);
  return NULL;
}

static napi_value release_view(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments(env, info, 1, &argument);
  struct view *view = external(env, argument);
  if (view) view_close(view);
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback function;
  } functions[] = {{"open", open},         {"close", close}, {"write", write}, {"get", get},
                   {"snapshot", snapshot}, {"cursor", cursor}, {"next", next},   {"seek", seek},
                   {"release", release_view}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function) !=
            napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, function) != napi_ok)
      return NULL;
  }
  return exports;
}
