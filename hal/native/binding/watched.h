/*
 * A descriptor that the loop watches, as a handle of JavaScript: bytes that arrive go to a listener. A binding says how it
 * is opened, read and written; it never blocks.
 */
#ifndef MINNOW_BINDING_WATCHED_H
#define MINNOW_BINDING_WATCHED_H

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "bytes.h"
#include "callback.h"
#include "failure.h"
#include "values.h"

/* The most bytes of one read, and the most descriptors that come with them. */
enum { WATCHED_PIECE = 4096, WATCHED_DESCRIPTORS = 16 };

/* The number of bytes, 0: none now, or a negative errno. */
typedef int watched_read(int fd, uint8_t *data, size_t capacity);
/* Likewise, with descriptors, which are the listener's own from then on. */
typedef int watched_receive(int fd, uint8_t *data, size_t capacity, int *descriptors, size_t *count);
typedef int watched_write(int fd, const uint8_t *data, size_t length);

/* The handle and the loop share the memory: the last to release it frees it. */
struct watched {
  uv_poll_t poll;
  int fd; /* -1: closed */
  bool collected, unwatched;
  napi_env env;
  napi_ref listener;
  watched_read *read;
  watched_receive *receive; /* in place of `read`, unless NULL */
};

static inline void watched_free_if_done(struct watched *watched) {
  if (watched->collected && watched->unwatched) free(watched);
}

static inline void watched_on_unwatched(uv_handle_t *handle) {
  struct watched *watched = handle->data;
  watched->unwatched = true;
  watched_free_if_done(watched);
}

static inline void watched_end(struct watched *watched) {
  if (watched->fd < 0) return;
  uv_poll_stop(&watched->poll);
  uv_close((uv_handle_t *)&watched->poll, watched_on_unwatched);
  napi_delete_reference(watched->env, watched->listener);
  close(watched->fd);
  watched->fd = -1;
}

static inline void watched_finalize(napi_env env, void *data, void *hint) {
  struct watched *watched = data;
  (void)env, (void)hint;
  watched_end(watched);
  watched->collected = true;
  watched_free_if_done(watched);
}

/* An array of numbers. NULL when memory is short. */
static inline napi_value watched_numbers(napi_env env, const int *numbers, size_t count) {
  napi_value array, number;
  if (napi_create_array_with_length(env, count, &array) != napi_ok) return NULL;
  for (size_t i = 0; i < count; i++) {
    if (napi_create_int32(env, numbers[i], &number) != napi_ok ||
        napi_set_element(env, array, (uint32_t)i, number) != napi_ok) {
      return NULL;
    }
  }
  return array;
}

/* listener(error, bytes, descriptors): error or bytes is null. A descriptor that failed is closed. */
static inline void watched_on_readable(uv_poll_t *poll, int status, int events) {
  struct watched *watched = poll->data;
  const napi_env env = watched->env;
  uint8_t piece[WATCHED_PIECE];
  int descriptors[WATCHED_DESCRIPTORS];
  size_t count = 0;
  int length = status;
  napi_handle_scope scope;
  napi_value listener, receiver, values[3];
  (void)events;
  if (status >= 0) {
    length = watched->receive ? watched->receive(watched->fd, piece, sizeof piece, descriptors, &count)
                              : watched->read(watched->fd, piece, sizeof piece);
  }
  if (length == 0) return;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, watched->listener, &listener);
  napi_get_global(env, &receiver);
  napi_get_null(env, &values[length > 0 ? 0 : 1]);
  if (length > 0) values[1] = bytes_give(env, piece, (size_t)length);
  else values[0] = failure_give(env, -length);
  values[2] = watched_numbers(env, descriptors, count);
  if (length < 0) watched_end(watched);
  if (values[0] && values[1] && values[2]) {
    call_back(env, receiver, listener, 3, values);
  } else {
    while (count > 0) close(descriptors[--count]);
  }
  napi_close_handle_scope(env, scope);
}

/* 0 or a negative errno. */
static inline int watched_start(struct watched *watched, napi_value listener) {
  uv_loop_t *loop;
  if (napi_get_uv_event_loop(watched->env, &loop) != napi_ok) return -EINVAL;
  int error = uv_poll_init(loop, &watched->poll, watched->fd);
  if (error) return error;
  watched->poll.data = watched;
  watched->unwatched = false;
  uv_unref((uv_handle_t *)&watched->poll);
  if (napi_create_reference(watched->env, listener, 1, &watched->listener) != napi_ok) return -ENOMEM;
  return uv_poll_start(&watched->poll, UV_READABLE, watched_on_readable);
}

/* A handle without a descriptor, so that one that is opened is never lost. NULL with an exception pending. */
static inline napi_value watched_new(napi_env env, watched_read *read, struct watched **made) {
  napi_value handle = NULL;
  struct watched *watched = calloc(1, sizeof *watched);
  *made = watched;
  if (!watched) return fail(env, ENOMEM);
  watched->env = env;
  watched->read = read;
  watched->unwatched = true;
  watched->fd = -1;
  if (napi_create_external(env, watched, watched_finalize, NULL, &handle) == napi_ok) return handle;
  free(watched);
  return fail(env, ENOMEM);
}

/* Takes a descriptor, or a negative errno. The handle, or NULL with an exception pending. */
static inline napi_value watched_give(napi_env env, napi_value handle, struct watched *watched, int fd,
                                      napi_value listener) {
  if (fd < 0) return fail(env, -fd);
  watched->fd = fd;
  const int error = watched_start(watched, listener);
  if (!error) return handle;
  if (watched->unwatched) {
    close(fd);
    watched->fd = -1;
  } else {
    watched_end(watched);
  }
  return fail(env, -error);
}

/* write(handle, bytes): how many of them it took */
static inline napi_value watched_send(napi_env env, napi_callback_info info, watched_write *write) {
  napi_value values[2];
  struct bytes bytes;
  arguments_take(env, info, 2, values);
  struct watched *watched = external_take(env, values[0]);
  if (!watched || !bytes_take(env, values[1], &bytes)) return NULL;
  const int result = watched->fd < 0 ? -ENODEV : write(watched->fd, bytes.data, bytes.size);
  bytes_release(&bytes);
  return result < 0 ? fail(env, -result) : integer_give(env, result);
}

/* close(handle) */
static inline napi_value watched_close(napi_env env, napi_callback_info info) {
  napi_value handle;
  arguments_take(env, info, 1, &handle);
  struct watched *watched = external_take(env, handle);
  if (watched) watched_end(watched);
  return NULL;
}

#endif
