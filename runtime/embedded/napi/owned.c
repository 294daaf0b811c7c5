/* Native data that is freed with its object: externals. */
#include <stdlib.h>

#include "host.h"
#include "parts.h"

struct owned {
  napi_env env;
  void *data;
  napi_finalize finalize;
  void *hint;
};

static JSClassID owned_class;

static void finalize_owned(JSRuntime *rt, JSValue value) {
  (void)rt;
  struct owned *owned = JS_GetOpaque(value, owned_class);
  if (!owned) return;
  if (owned->finalize) owned->finalize(owned->env, owned->data, owned->hint);
  free(owned);
}

int host_start_owned(void) {
  const JSClassDef definition = {"External", .finalizer = finalize_owned};
  JS_NewClassID(&owned_class);
  return JS_NewClass(JS_GetRuntime(host.context), owned_class, &definition);
}

bool host_is_external(JSValueConst value) {
  return JS_GetClassID(value) == owned_class;
}

napi_status napi_create_external(napi_env env, void *data, napi_finalize finalize, void *hint, napi_value *result) {
  struct owned *owned = malloc(sizeof *owned);
  if (!owned) return give(env, JS_ThrowOutOfMemory(host.context), result);
  *owned = (struct owned){env, data, finalize, hint};
  JSValue object = JS_NewObjectProtoClass(host.context, JS_NULL, owned_class);
  if (JS_IsException(object)) free(owned);
  else JS_SetOpaque(object, owned);
  return give(env, object, result);
}

napi_status napi_get_value_external(napi_env env, napi_value value, void **result) {
  CHECK_ARG(value);
  CHECK(JS_GetClassID(get(value)) == owned_class, napi_invalid_arg);
  struct owned *owned = JS_GetOpaque(get(value), owned_class);
  *result = owned->data;
  return set_status(env, napi_ok);
}
