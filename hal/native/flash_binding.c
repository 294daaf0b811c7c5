/*
 * Node-API binding of flash.h, for hal/native/flash.ts, which has its types. Errors are thrown, or reject, with one
 * of hal's codes in `code` and the system's words in `message`.
 */
#include <errno.h>
#include <limits.h>
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "binding/exports.h"
#include "binding/failure.h"
#include "flash.h"

struct device {
  struct flash flash;
  bool open;
  bool busy; /* a worker thread is using `flash` */
};

struct erasure {
  struct device *device;
  napi_ref handle; /* keeps `device` alive */
  napi_async_work work;
  napi_deferred deferred;
  uint32_t offset;
  uint32_t length;
  int result;
};

static bool get_u32(napi_env env, napi_value value, uint32_t *number) {
  double wide;
  if (napi_get_value_double(env, value, &wide) != napi_ok || !(wide >= 0 && wide <= UINT32_MAX)) return false;
  *number = (uint32_t)wide;
  return (double)*number == wide;
}

static bool get_bytes(napi_env env, napi_value value, void **bytes, uint32_t *length) {
  napi_typedarray_type type;
  size_t count;
  if (napi_get_typedarray_info(env, value, &type, &count, bytes, NULL, NULL) != napi_ok) return false;
  if (type != napi_uint8_array || count > UINT32_MAX) return false;
  *length = (uint32_t)count;
  return true;
}

/* The first argument's device and the other arguments; NULL when that threw. */
static struct device *arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  void *device = NULL;
  size_t given = count;
  if (napi_get_cb_info(env, info, &given, values, NULL, NULL) != napi_ok || given < count ||
      napi_get_value_external(env, values[0], &device) != napi_ok) {
    fail(env, EINVAL);
    return NULL;
  }
  struct device *const it = device;
  if (it->open && !it->busy) return it;
  fail(env, it->open ? EBUSY : ENODEV);
  return NULL;
}

static void finalize(napi_env env, void *data, void *hint) {
  struct device *device = data;
  (void)env;
  (void)hint;
  if (device->open) flash_close(&device->flash);
  free(device);
}

static bool set_number(napi_env env, napi_value object, const char *name, uint32_t number) {
  napi_value value;
  return napi_create_double(env, number, &value) == napi_ok &&
         napi_set_named_property(env, object, name, value) == napi_ok;
}

/* The result of open(). Owns `device` from the moment that the external exists. */
static napi_value describe(napi_env env, struct device *device) {
  const struct flash *flash = &device->flash;
  napi_value object, handle, kind;
  if (napi_create_external(env, device, finalize, NULL, &handle) != napi_ok) {
    finalize(env, device, NULL);
    return fail(env, ENOMEM);
  }
  if (napi_create_object(env, &object) != napi_ok ||
      napi_set_named_property(env, object, "handle", handle) != napi_ok ||
      napi_create_string_utf8(env, flash->kind == FLASH_MTD ? "mtd" : "file", NAPI_AUTO_LENGTH, &kind) != napi_ok ||
      napi_set_named_property(env, object, "kind", kind) != napi_ok || !set_number(env, object, "size", flash->size) ||
      !set_number(env, object, "eraseSize", flash->erase_size) ||
      !set_number(env, object, "writeSize", flash->write_size)) {
    return fail(env, ENOMEM);
  }
  return object;
}

static napi_value open_flash(napi_env env, napi_callback_info info) {
  napi_value values[3];
  size_t count = 3, length = 0;
  char path[PATH_MAX];
  uint32_t erase_size;
  bool read_only;
  if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok || count < 3 ||
      napi_get_value_string_utf8(env, values[0], NULL, 0, &length) != napi_ok || length >= sizeof path ||
      napi_get_value_string_utf8(env, values[0], path, sizeof path, NULL) != napi_ok || strlen(path) != length ||
      !get_u32(env, values[1], &erase_size) || napi_get_value_bool(env, values[2], &read_only) != napi_ok) {
    return fail(env, EINVAL);
  }
  struct device *device = calloc(1, sizeof *device);
  if (!device) return fail(env, ENOMEM);
  const int result = flash_open(&device->flash, &flash_linux, path, erase_size, read_only);
  if (result < 0) {
    free(device);
    return fail(env, -result);
  }
  device->open = true;
  return describe(env, device);
}

static napi_value read_flash(napi_env env, napi_callback_info info) {
  napi_value values[3];
  void *buffer;
  uint32_t offset, length;
  const struct device *device = arguments(env, info, 3, values);
  if (!device) return NULL;
  if (!get_u32(env, values[1], &offset) || !get_bytes(env, values[2], &buffer, &length)) return fail(env, EINVAL);
  return done(env, flash_read(&device->flash, offset, buffer, length));
}

static napi_value program_flash(napi_env env, napi_callback_info info) {
  napi_value values[3];
  void *bytes;
  uint32_t offset, length;
  const struct device *device = arguments(env, info, 3, values);
  if (!device) return NULL;
  if (!get_u32(env, values[1], &offset) || !get_bytes(env, values[2], &bytes, &length)) return fail(env, EINVAL);
  return done(env, flash_program(&device->flash, offset, bytes, length));
}

static napi_value erase_flash(napi_env env, napi_callback_info info) {
  napi_value values[3];
  uint32_t offset, length;
  const struct device *device = arguments(env, info, 3, values);
  if (!device) return NULL;
  if (!get_u32(env, values[1], &offset) || !get_u32(env, values[2], &length)) return fail(env, EINVAL);
  return done(env, flash_erase(&device->flash, offset, length));
}

/* Worker thread. */
static void erase_work(napi_env env, void *data) {
  struct erasure *erasure = data;
  (void)env;
  erasure->result = flash_erase(&erasure->device->flash, erasure->offset, erasure->length);
}

static void settle(napi_env env, const struct erasure *erasure, int result) {
  napi_value value;
  if (result == 0 && napi_get_undefined(env, &value) == napi_ok) napi_resolve_deferred(env, erasure->deferred, value);
  else if ((value = failure_give(env, -result))) napi_reject_deferred(env, erasure->deferred, value);
}

static void release(napi_env env, struct erasure *erasure) {
  if (erasure->work) napi_delete_async_work(env, erasure->work);
  if (erasure->handle) napi_delete_reference(env, erasure->handle);
  free(erasure);
}

static void erase_complete(napi_env env, napi_status status, void *data) {
  struct erasure *erasure = data;
  erasure->device->busy = false;
  settle(env, erasure, status == napi_ok ? erasure->result : -EIO);
  release(env, erasure);
}

static napi_value erase_flash_async(napi_env env, napi_callback_info info) {
  napi_value values[3], name, promise;
  struct device *device = arguments(env, info, 3, values);
  if (!device) return NULL;
  struct erasure *erasure = calloc(1, sizeof *erasure);
  if (!erasure) return fail(env, ENOMEM);
  erasure->device = device;
  int error = 0;
  if (!get_u32(env, values[1], &erasure->offset) || !get_u32(env, values[2], &erasure->length)) {
    error = EINVAL;
  } else if (napi_create_reference(env, values[0], 1, &erasure->handle) != napi_ok ||
             napi_create_string_utf8(env, "flash erase", NAPI_AUTO_LENGTH, &name) != napi_ok ||
             napi_create_async_work(env, NULL, name, erase_work, erase_complete, erasure, &erasure->work) != napi_ok ||
             napi_create_promise(env, &erasure->deferred, &promise) != napi_ok) {
    error = ENOMEM;
  }
  if (error != 0) {
    release(env, erasure);
    return fail(env, error);
  }
  device->busy = true;
  if (napi_queue_async_work(env, erasure->work) != napi_ok) {
    device->busy = false;
    settle(env, erasure, -ENOMEM);
    release(env, erasure);
  }
  return promise;
}

static napi_value sync_flash(napi_env env, napi_callback_info info) {
  napi_value handle;
  const struct device *device = arguments(env, info, 1, &handle);
  return device ? done(env, flash_sync(&device->flash)) : NULL;
}

static napi_value close_flash(napi_env env, napi_callback_info info) {
  napi_value handle;
  struct device *device = arguments(env, info, 1, &handle);
  if (!device) return NULL;
  device->open = false;
  return done(env, flash_close(&device->flash));
}

static const struct exported functions[] = {
    {"open", open_flash},
    {"read", read_flash},
    {"program", program_flash},
    {"erase", erase_flash},
    {"eraseAsync", erase_flash_async},
    {"sync", sync_flash},
    {"close", close_flash},
    {NULL, NULL},
};

NAPI_MODULE_INIT() {
  return exports_add(env, exports, functions) ? exports : NULL;
}
