/* Snapshots and cursors for JavaScript: the content of a store at one moment. */
#include <errno.h>

#include "binding.h"
#include "handle.h"

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
  handle_release(view->handle);
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
    return handle_fail(env, -ENOMEM, NULL);
  }
  *view = content;
  if (napi_create_external(env, view, forget_view, NULL, &result) != napi_ok) forget_view(env, view, NULL);
  return result;
}

static napi_value snapshot(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments_take(env, info, 1, &argument);
  struct handle *handle = handle_open(env, argument);
  if (!handle) return NULL;
  const leveldb_snapshot_t *taken = leveldb_create_snapshot(handle->store.db);
  return view_give(env, (struct view){.handle = handle_retain(handle), .snapshot = taken});
}

static bool bound_of(napi_env env, napi_value key, napi_value inclusive, struct bytes *bytes,
                     struct store_bound *bound) {
  if (is_undefined(env, key)) return true;
  if (!bytes_take(env, key, bytes)) return false;
  *bound = (struct store_bound){(const char *)bytes->data, bytes->size, truth_take(env, inclusive)};
  return true;
}

static napi_value cursor(napi_env env, napi_callback_info info) {
  napi_value argv[8], result = NULL;
  struct bytes low = {.copy = NULL}, high = {.copy = NULL};
  struct store_bound lower = {0}, upper = {0};
  arguments_take(env, info, 8, argv);
  struct handle *handle = handle_open(env, argv[0]);
  if (!handle) return NULL;
  if (bound_of(env, argv[1], argv[2], &low, &lower) && bound_of(env, argv[3], argv[4], &high, &upper)) {
    struct cursor *cursor = cursor_open(&handle->store, view_snapshot(env, argv[7]), &lower, &upper,
                                        truth_take(env, argv[5]), truth_take(env, argv[6]));
    if (cursor) result = view_give(env, (struct view){.handle = handle_retain(handle), .cursor = cursor});
    else handle_fail(env, -ENOMEM, NULL);
  }
  bytes_release(&low);
  bytes_release(&high);
  return result;
}

static struct cursor *open_cursor(napi_env env, napi_value value) {
  struct view *view = external_take(env, value);
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
  arguments_take(env, info, 4, argv);
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
  return status < 0 ? handle_fail(env, status, words) : list;
}

static napi_value seek(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes target;
  arguments_take(env, info, 2, argv);
  struct cursor *cursor = open_cursor(env, argv[0]);
  if (!cursor || !bytes_take(env, argv[1], &target)) return NULL;
  cursor_seek(cursor, (const char *)target.data, target.size);
  bytes_release(&target);
  return NULL;
}

static napi_value release_view(napi_env env, napi_callback_info info) {
  napi_value argument;
  arguments_take(env, info, 1, &argument);
  struct view *view = external_take(env, argument);
  if (view) view_close(view);
  return NULL;
}

const leveldb_snapshot_t *view_snapshot(napi_env env, napi_value value) {
  struct view *view = NULL;
  return napi_get_value_external(env, value, (void **)&view) == napi_ok ? view->snapshot : NULL;
}

const struct exported leveldb_views[] = {
    {"snapshot", snapshot}, {"cursor", cursor}, {"next", next}, {"seek", seek}, {"release", release_view}, {NULL, NULL},
};
